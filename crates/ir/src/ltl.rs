//! Formulas of linear temporal logic, and what they mean on infinite words.
//!
//! A *word* gives each position 0, 1, 2, … a letter: the set of atoms that hold there. `X f` holds at a position if `f`
//! does at the next one; `f U g` if `g` does at some position from here on, and `f` at all before that. The others are
//! made of these: `F f = true U f`, `G f = !F !f`, `f R g = !(!f U !g)` (`g` holds until and including where `f` does,
//! or for ever), `f W g = g R (f | g)` (weak until) and `f M g = g U (f & g)` (strong release). A word satisfies a
//! formula that holds at its position 0.
//!
//! **Representation.** A formula is a graph without recursion: nodes in a list, children before parents, equal
//! sub-formulas once ([`Builder`] is hash-consed). So deep formulas need no deep stack, and copies of a sub-formula cost
//! nothing. Invariant: the nodes are exactly the sub-formulas of the root, numbered in the order in which a walk from
//! left to right leaves them; hence formulas are equal if and only if they are the same as trees, and the root is
//! last. Atoms are numbers; what they mean is kept beside the formula by whoever made it.
//!
//! **Lassos.** On a word u·v^ω a sub-formula has a truth value at each of the |u| + |v| positions, and the position
//! after the last is where v begins. `f U g` is the least solution of `x = g | (f & X x)` and `f R g` the greatest of
//! `x = g & (f | X x)`. Working backwards twice from the pessimistic (optimistic) value finds it: whoever waits for
//! something meets it, if ever, before having been at every position of v once.

use std::fmt::{self, Display};

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::id::{Id, IdVec};

crate::id!(
    /// A sub-formula of a [`Formula`], or of what a [`Builder`] holds.
    Sub
);

/// What a formula is made of.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// What always holds.
    True,
    /// What never holds.
    False,
    /// A proposition, by its number.
    Atom(u32),
    /// Negation.
    Not(Sub),
    /// Conjunction.
    And(Sub, Sub),
    /// Disjunction.
    Or(Sub, Sub),
    /// Implication.
    Implies(Sub, Sub),
    /// Equivalence.
    Iff(Sub, Sub),
    /// `X f`: at the next position.
    Next(Sub),
    /// `F f`: at some position from here on.
    Finally(Sub),
    /// `G f`: at every position from here on.
    Globally(Sub),
    /// `f U g`: the second at some position, the first at all before it.
    Until(Sub, Sub),
    /// `f W g`: until, or the first for ever.
    WeakUntil(Sub, Sub),
    /// `f R g`: the second until and including a position of the first, or for ever.
    Release(Sub, Sub),
    /// `f M g`: release, and there is such a position.
    StrongRelease(Sub, Sub),
}

impl Node {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Sub> {
        use Node::*;
        let (first, second) = match self {
            True | False | Atom(_) => (None, None),
            Not(f) | Next(f) | Finally(f) | Globally(f) => (Some(f), None),
            And(f, g) | Or(f, g) | Implies(f, g) | Iff(f, g) | Until(f, g) => (Some(f), Some(g)),
            WeakUntil(f, g) | Release(f, g) | StrongRelease(f, g) => (Some(f), Some(g)),
        };
        first.into_iter().chain(second)
    }

    /// The same operator on what `new` gives for its operands.
    #[must_use]
    pub fn map(self, new: impl Fn(Sub) -> Sub) -> Self {
        use Node::*;
        match self {
            True | False | Atom(_) => self,
            Not(f) => Not(new(f)),
            Next(f) => Next(new(f)),
            Finally(f) => Finally(new(f)),
            Globally(f) => Globally(new(f)),
            And(f, g) => And(new(f), new(g)),
            Or(f, g) => Or(new(f), new(g)),
            Implies(f, g) => Implies(new(f), new(g)),
            Iff(f, g) => Iff(new(f), new(g)),
            Until(f, g) => Until(new(f), new(g)),
            WeakUntil(f, g) => WeakUntil(new(f), new(g)),
            Release(f, g) => Release(new(f), new(g)),
            StrongRelease(f, g) => StrongRelease(new(f), new(g)),
        }
    }

    /// Whether the operator looks at other positions than the present one.
    #[must_use]
    pub const fn is_temporal(self) -> bool {
        use Node::*;
        matches!(
            self,
            Next(_) | Finally(_) | Globally(_) | Until(..) | WeakUntil(..) | Release(..) | StrongRelease(..)
        )
    }
}

/// Where formulas are put together; equal ones get equal references.
///
/// ```
/// use thetis_ir::ltl::{Builder, Formula, Lasso, Node};
///
/// // Every request (atom 0) is answered (atom 1).
/// let mut builder = Builder::default();
/// let (request, answer) = (builder.atom(0), builder.atom(1));
/// let answered = builder.add(Node::Finally(answer));
/// let each = builder.add(Node::Implies(request, answered));
/// let always = builder.add(Node::Globally(each));
/// let formula = builder.finish(always);
/// assert_eq!(formula.display(|atom| ["p", "q"][atom as usize]).to_string(), "G (p -> F q)");
///
/// // A request, and then answers for ever; requests for ever, and never an answer.
/// assert!(formula.holds_on(&Lasso::new(vec![0b01_u64, 0b10], 1)));
/// assert!(!formula.holds_on(&Lasso::new(vec![0b01_u64], 0)));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Builder {
    nodes: IndexSet<Node, FxBuildHasher>,
}

impl Builder {
    /// The formula with this operator on top; its operands come from this builder.
    ///
    /// # Panics
    /// If an operand does not.
    pub fn add(&mut self, node: Node) -> Sub {
        assert!(
            node.children().all(|child| child.index() < self.nodes.len()),
            "an operand of another builder"
        );
        Sub::at(self.nodes.insert_full(node).0)
    }
    /// The proposition with this number.
    pub fn atom(&mut self, number: u32) -> Sub {
        self.add(Node::Atom(number))
    }
    /// What always holds, or never.
    pub fn constant(&mut self, value: bool) -> Sub {
        self.add(if value { Node::True } else { Node::False })
    }
    /// The operator on top of a formula.
    #[must_use]
    pub fn node(&self, sub: Sub) -> Node {
        self.nodes[sub.index()]
    }

    /// A copy of `formula`, with `atom` deciding what stands for each of its atoms.
    pub fn graft(&mut self, formula: &Formula, mut atom: impl FnMut(&mut Self, u32) -> Sub) -> Sub {
        let mut new: IdVec<Sub, Sub> = IdVec::new();
        for &node in formula.nodes.iter() {
            let copy = match node {
                Node::Atom(number) => atom(self, number),
                _ => self.add(node.map(|child| new[child])),
            };
            new.push(copy);
        }
        new[formula.root()]
    }

    /// The formula under `root`.
    ///
    /// # Panics
    /// If `root` is of another builder.
    #[must_use]
    pub fn finish(&self, root: Sub) -> Formula {
        let mut new: Vec<Option<Sub>> = vec![None; self.nodes.len()];
        let mut nodes = IdVec::new();
        let mut open = vec![root];
        while let Some(&sub) = open.last() {
            let node = self.node(sub);
            let before = open.len();
            open.extend(node.children().rev().filter(|child| new[child.index()].is_none()));
            if open.len() == before {
                open.pop();
                let known = |child: Sub| new[child.index()].expect("children come before parents");
                if new[sub.index()].is_none() {
                    new[sub.index()] = Some(nodes.push(node.map(known)));
                }
            }
        }
        Formula { nodes }
    }
}

/// A formula, in the form that the head of this module describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    nodes: IdVec<Sub, Node>,
}

impl Formula {
    /// The sub-formulas, children before parents; the last is the formula itself.
    #[must_use]
    pub const fn nodes(&self) -> &IdVec<Sub, Node> {
        &self.nodes
    }
    /// The formula itself, among its sub-formulas.
    #[must_use]
    pub fn root(&self) -> Sub {
        Sub::at(self.nodes.len() - 1)
    }
    /// One more than the greatest number of an atom; 0 if there are none.
    #[must_use]
    pub fn atoms(&self) -> u32 {
        let above = |node: &Node| if let Node::Atom(number) = node { number + 1 } else { 0 };
        self.nodes.iter().map(above).max().unwrap_or(0)
    }
    /// Whether some operator looks at other positions than the first.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        self.nodes.iter().any(|node| node.is_temporal())
    }

    /// The formula with `!` on top.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut nodes = self.nodes.clone();
        nodes.push(Node::Not(self.root()));
        Self { nodes }
    }

    /// The *negation normal form*: an equivalent formula of `Until`, `Release`, `Next`, `And`, `Or`, constants, atoms
    /// and `Not` before atoms only. It has at most six times as many nodes.
    #[must_use]
    pub fn nnf(&self) -> Self {
        let mut builder = Builder::default();
        let mut polar: IdVec<Sub, Polar> = IdVec::new();
        for &node in self.nodes.iter() {
            let pair =
                Polar { yes: positive(&mut builder, &polar, node), no: negative(&mut builder, &polar, node) };
            polar.push(pair);
        }
        builder.finish(polar[self.root()].yes)
    }

    /// Whether the word satisfies the formula.
    #[must_use]
    pub fn holds_on<L: Letter>(&self, word: &Lasso<L>) -> bool {
        self.holds(word.letters.len(), word.back, |position, atom| word.letters[position].has(atom))
    }

    /// Whether a word satisfies the formula that has so many positions and goes on at `back` after them; `read`
    /// tells whether an atom holds at a position.
    ///
    /// Takes time and space in proportion to the number of nodes times the number of positions.
    ///
    /// # Panics
    /// If `back` is no position.
    #[must_use]
    pub fn holds(&self, positions: usize, back: usize, read: impl Fn(usize, u32) -> bool) -> bool {
        assert!(back < positions, "the loop begins at one of the positions");
        let mut table = Table { positions, back, values: Vec::with_capacity(self.nodes.len() * positions) };
        for &node in self.nodes.iter() {
            table.push(node, &read);
        }
        table.row(self.root())[0]
    }

    /// The formula as text that reads back as the same formula, with no parentheses but those that are needed or that
    /// a reader would miss: untils in a row have them, since not everyone groups them alike.
    ///
    /// Text is a tree: what the formula shares is written as often as it occurs.
    pub fn display<'a, N: Display>(&'a self, name: impl Fn(u32) -> N + 'a) -> impl Display + 'a {
        Shown { formula: self, name }
    }
}

/// A formula with names for its atoms.
struct Shown<'a, F> {
    formula: &'a Formula,
    name: F,
}

impl<F: Fn(u32) -> N, N: Display> Display for Shown<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![Piece::Operand(self.formula.root(), 0)];
        while let Some(piece) = open.pop() {
            let (sub, least) = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Operand(sub, least) => (sub, least),
            };
            let node = self.formula.nodes[sub];
            let Syntax { rank, symbol, left, right } = syntax(node);
            if rank < least {
                f.write_str("(")?;
                open.push(Piece::Text(")"));
            }
            let children: Vec<Sub> = node.children().collect();
            match (node, &children[..]) {
                (Node::Atom(number), _) => write!(f, "{}", (self.name)(number))?,
                (_, &[first, second]) => {
                    open.extend([Piece::Operand(second, right), Piece::Text(symbol)]);
                    open.push(Piece::Operand(first, left));
                }
                (_, operand) => {
                    f.write_str(symbol)?;
                    open.extend(operand.iter().map(|&inner| Piece::Operand(inner, right)));
                }
            }
        }
        Ok(())
    }
}

/// What is still to be written: text, or an operand with the least rank that needs no parentheses.
enum Piece {
    Text(&'static str),
    Operand(Sub, u8),
}

/// How an operator is written, how tightly it binds, and what its operands must at least do so.
struct Syntax {
    rank: u8,
    symbol: &'static str,
    left: u8,
    right: u8,
}

const fn syntax(node: Node) -> Syntax {
    use Node::*;
    let (rank, symbol, left, right) = match node {
        Iff(..) => (0, " <-> ", 1, 1),
        Implies(..) => (1, " -> ", 2, 1),
        Or(..) => (2, " | ", 2, 3),
        And(..) => (3, " & ", 3, 4),
        Until(..) => (4, " U ", 5, 5),
        WeakUntil(..) => (4, " W ", 5, 5),
        Release(..) => (4, " R ", 5, 5),
        StrongRelease(..) => (4, " M ", 5, 5),
        Not(_) => (5, "!", 5, 5),
        Next(_) => (5, "X ", 5, 5),
        Finally(_) => (5, "F ", 5, 5),
        Globally(_) => (5, "G ", 5, 5),
        True => (6, "true", 0, 0),
        False => (6, "false", 0, 0),
        Atom(_) => (6, "", 0, 0),
    };
    Syntax { rank, symbol, left, right }
}

/// A sub-formula and its negation, both in negation normal form.
struct Polar {
    yes: Sub,
    no: Sub,
}

fn positive(to: &mut Builder, of: &IdVec<Sub, Polar>, node: Node) -> Sub {
    use Node::*;
    let yes = |sub: Sub| of[sub].yes;
    match node {
        True | False | Atom(_) => to.add(node),
        Not(f) => of[f].no,
        And(..) | Or(..) | Next(_) | Until(..) | Release(..) => to.add(node.map(yes)),
        Implies(f, g) => to.add(Or(of[f].no, yes(g))),
        Iff(f, g) => {
            let (both, neither) = (to.add(And(yes(f), yes(g))), to.add(And(of[f].no, of[g].no)));
            to.add(Or(both, neither))
        }
        Finally(f) => {
            let always = to.constant(true);
            to.add(Until(always, yes(f)))
        }
        Globally(f) => {
            let never = to.constant(false);
            to.add(Release(never, yes(f)))
        }
        WeakUntil(f, g) => {
            let either = to.add(Or(yes(f), yes(g)));
            to.add(Release(yes(g), either))
        }
        StrongRelease(f, g) => {
            let both = to.add(And(yes(f), yes(g)));
            to.add(Until(yes(g), both))
        }
    }
}

fn negative(to: &mut Builder, of: &IdVec<Sub, Polar>, node: Node) -> Sub {
    use Node::*;
    let no = |sub: Sub| of[sub].no;
    match node {
        True => to.constant(false),
        False => to.constant(true),
        Atom(number) => {
            let atom = to.atom(number);
            to.add(Not(atom))
        }
        Not(f) => of[f].yes,
        And(f, g) => to.add(Or(no(f), no(g))),
        Or(f, g) => to.add(And(no(f), no(g))),
        Implies(f, g) => to.add(And(of[f].yes, no(g))),
        Iff(f, g) => {
            let (first, second) = (to.add(And(of[f].yes, no(g))), to.add(And(no(f), of[g].yes)));
            to.add(Or(first, second))
        }
        Next(f) => to.add(Next(no(f))),
        Finally(f) => {
            let never = to.constant(false);
            to.add(Release(never, no(f)))
        }
        Globally(f) => {
            let always = to.constant(true);
            to.add(Until(always, no(f)))
        }
        Until(f, g) => to.add(Release(no(f), no(g))),
        Release(f, g) => to.add(Until(no(f), no(g))),
        WeakUntil(f, g) => {
            let neither = to.add(And(no(f), no(g)));
            to.add(Until(no(g), neither))
        }
        StrongRelease(f, g) => {
            let one = to.add(Or(no(f), no(g)));
            to.add(Release(no(g), one))
        }
    }
}

/// A letter of a word: which atoms hold.
pub trait Letter {
    /// Whether the atom with this number holds.
    fn has(&self, atom: u32) -> bool;
}

/// One bit for each atom, the lowest for atom 0; others do not hold.
impl Letter for u64 {
    fn has(&self, atom: u32) -> bool {
        atom < Self::BITS && self >> atom & 1 == 1
    }
}

/// An entry for each atom; others do not hold.
impl Letter for Vec<bool> {
    fn has(&self, atom: u32) -> bool {
        self.get(atom as usize).copied().unwrap_or(false)
    }
}

/// Literals: atoms that hold and atoms that do not; others do not hold.
impl Letter for Vec<(u32, bool)> {
    fn has(&self, atom: u32) -> bool {
        self.contains(&(atom, true))
    }
}

/// An infinite word of the form u·v^ω: a stem u, and a cycle v that is repeated for ever.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso<L> {
    letters: Vec<L>,
    back: usize,
}

impl<L> Lasso<L> {
    /// The word that goes on at `back` after its last letter.
    ///
    /// # Panics
    /// If `back` is no position.
    #[must_use]
    pub fn new(letters: Vec<L>, back: usize) -> Self {
        assert!(back < letters.len(), "the loop begins at one of the positions");
        Self { letters, back }
    }
    /// The letters of the stem and of one round of the cycle.
    #[must_use]
    pub fn letters(&self) -> &[L] {
        &self.letters
    }
    /// The position after the last one, where the cycle begins.
    #[must_use]
    pub const fn back(&self) -> usize {
        self.back
    }
    /// The letters before the cycle.
    #[must_use]
    pub fn stem(&self) -> &[L] {
        &self.letters[..self.back]
    }
    /// The letters that are repeated.
    #[must_use]
    pub fn cycle(&self) -> &[L] {
        &self.letters[self.back..]
    }
    /// The position after this one.
    #[must_use]
    pub const fn after(&self, position: usize) -> usize {
        if position + 1 == self.letters.len() { self.back } else { position + 1 }
    }
}

/// The truth values of sub-formulas, a row of positions for each.
struct Table {
    positions: usize,
    back: usize,
    values: Vec<bool>,
}

impl Table {
    fn row(&self, sub: Sub) -> &[bool] {
        &self.values[sub.index() * self.positions..][..self.positions]
    }

    /// Appends the row of the next node; those of its operands are there.
    fn push(&mut self, node: Node, read: &impl Fn(usize, u32) -> bool) {
        use Node::*;
        let row: Vec<bool> = match node {
            True => vec![true; self.positions],
            False => vec![false; self.positions],
            Atom(number) => (0..self.positions).map(|position| read(position, number)).collect(),
            Not(f) => self.row(f).iter().map(|value| !value).collect(),
            And(f, g) => self.both(f, g, |f, g| f & g),
            Or(f, g) => self.both(f, g, |f, g| f | g),
            Implies(f, g) => self.both(f, g, |f, g| !f | g),
            Iff(f, g) => self.both(f, g, |f, g| f == g),
            Next(f) => {
                let row = self.row(f);
                row[1..].iter().chain([&row[self.back]]).copied().collect()
            }
            Finally(f) => self.fixpoint(f, f, false, |_, f, next| f | next),
            Globally(f) => self.fixpoint(f, f, true, |_, f, next| f & next),
            Until(f, g) => self.fixpoint(f, g, false, |f, g, next| g | (f & next)),
            WeakUntil(f, g) => self.fixpoint(f, g, true, |f, g, next| g | (f & next)),
            Release(f, g) => self.fixpoint(f, g, true, |f, g, next| g & (f | next)),
            StrongRelease(f, g) => self.fixpoint(f, g, false, |f, g, next| g & (f | next)),
        };
        self.values.extend(row);
    }

    fn both(&self, f: Sub, g: Sub, operator: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        self.row(f).iter().zip(self.row(g)).map(|(&f, &g)| operator(f, g)).collect()
    }

    /// The solution of `x = step(f, g, X x)` that is reached from `start` everywhere: the least from `false`, the
    /// greatest from `true`.
    fn fixpoint(&self, f: Sub, g: Sub, start: bool, step: impl Fn(bool, bool, bool) -> bool) -> Vec<bool> {
        let (f, g) = (self.row(f), self.row(g));
        let mut row = vec![start; self.positions];
        for _round in 0..2 {
            let mut next = row[self.back];
            for position in (0..self.positions).rev() {
                next = step(f[position], g[position], next);
                row[position] = next;
            }
        }
        row
    }
}

#[cfg(test)]
mod tests;
