//! The conditions that the atoms of a formula stand for.
//!
//! What can follow the beginning of a run is judged by the formula alone, whose atoms count as independent of each other.
//! So it should not matter whether `a && b` was read by the language, as one condition, or by the reader of formulas, as
//! two. A condition is a tree of connectives over *leaves*, which have none on top; a negated leaf counts as that leaf, and
//! so does `x <= y` as the negation of `y < x`. Conditions that share a leaf, or that have one twice, are *taken apart*:
//! their connectives become those of the formula, and their leaves its atoms. All others stay as they are, for whatever
//! values the rest has, each of them can be true and false; taking them apart would say nothing more and only make letters
//! longer. Where a model lets stuck runs repeat their last state, as nets do, every beginning goes on, so that what follows
//! is seen and not only judged; there, too, conditions stay as they are, but for opposites.

use indexmap::IndexSet;
use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{Stuck, System, Term, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The conditions that atoms stand for, by number; equal ones are one.
#[derive(Default)]
pub(crate) struct Conditions {
    terms: IndexSet<Term, FxBuildHasher>,
}

impl Conditions {
    /// The number of a condition.
    pub(crate) fn number(&mut self, condition: Term) -> u32 {
        u32::try_from(self.terms.insert_full(condition).0).expect("fewer conditions than characters")
    }
    /// All of them, in order.
    pub(crate) fn into_terms(self) -> Vec<Term> {
        self.terms.into_iter().collect()
    }
}

/// A formula that means the same, whose atoms share no leaf.
pub(super) fn taken_apart(formula: &Formula, atoms: &mut Vec<Term>, system: &mut System) -> Formula {
    let repeated: Vec<bool> = match system.stuck {
        Stuck::Repeat | Stuck::Idle => vec![false; atoms.len()],
        Stuck::Ignored => {
            let visits = visits(atoms, system);
            atoms.iter().map(|atom| leaves(*atom, system).any(|leaf| visits[&leaf] > 1)).collect()
        }
    };
    let mut parts = Parts { builder: Builder::default(), conditions: Conditions::default() };
    let mut known = FxHashMap::default();
    let mut copies = vec![];
    for (atom, repeated) in atoms.iter().zip(repeated) {
        copies.push(match repeated || system.terms.as_const(*atom).is_some() {
            true => parts.formula(*atom, &mut known, system),
            false => parts.literal(*atom, system),
        });
    }
    let Parts { mut builder, conditions } = parts;
    let root = builder.graft(formula, |_, atom| copies[atom as usize]);
    *atoms = conditions.into_terms();
    builder.finish(root)
}

/// How a condition is made of others.
enum Shape {
    Constant(bool),
    Not(Term),
    All(Box<[Term]>),
    Any(Box<[Term]>),
    Same(Term, Term),
    /// The second if the first is true, else the third.
    Choice(Term, Term, Term),
    /// A leaf, or the negation of one.
    Leaf(Term, bool),
}

fn shape(term: Term, system: &mut System) -> Shape {
    let is_bool = |term: Term, system: &System| system.terms.type_of(term) == Type::Bool;
    match system.terms.node(term).clone() {
        ir::Node::Const(Value::Bool(value)) => Shape::Constant(value),
        ir::Node::Not(inner) => Shape::Not(inner),
        ir::Node::And(list) => Shape::All(list),
        ir::Node::Or(list) => Shape::Any(list),
        ir::Node::Eq(a, b) if is_bool(a, system) => Shape::Same(a, b),
        ir::Node::Ite(a, b, c) if is_bool(b, system) => Shape::Choice(a, b, c),
        ir::Node::Le(a, b) => Shape::Leaf(system.terms.lt(b, a), true),
        _ => Shape::Leaf(term, false),
    }
}

impl Shape {
    /// What it is made of.
    fn parts(&self) -> Vec<Term> {
        match self {
            Shape::Constant(_) | Shape::Leaf(..) => vec![],
            Shape::Not(inner) => vec![*inner],
            Shape::All(list) | Shape::Any(list) => list.to_vec(),
            Shape::Same(a, b) => vec![*a, *b],
            Shape::Choice(a, b, c) => vec![*a, *b, *c],
        }
    }
}

/// How often each condition occurs, connectives and leaves, up to twice: whatever occurs again has its parts counted again,
/// and that is enough.
fn visits(atoms: &[Term], system: &mut System) -> FxHashMap<Term, u8> {
    let mut visits: FxHashMap<Term, u8> = FxHashMap::default();
    let mut open = atoms.to_vec();
    while let Some(term) = open.pop() {
        let shape = shape(term, system);
        let counted = if let Shape::Leaf(leaf, _) = shape { leaf } else { term };
        let count = visits.entry(counted).or_default();
        if *count < 2 {
            *count += 1;
            open.extend(shape.parts());
        }
    }
    visits
}

/// The leaves of a condition, each once.
fn leaves(term: Term, system: &mut System) -> impl Iterator<Item = Term> {
    let mut seen: IndexSet<Term, FxBuildHasher> = IndexSet::from_iter([term]);
    let mut leaves: IndexSet<Term, FxBuildHasher> = IndexSet::default();
    let mut number = 0;
    while let Some(term) = seen.get_index(number).copied() {
        number += 1;
        match shape(term, system) {
            Shape::Leaf(leaf, _) => _ = leaves.insert(leaf),
            shape => seen.extend(shape.parts()),
        }
    }
    leaves.into_iter()
}

/// A formula in the making.
struct Parts {
    builder: Builder,
    conditions: Conditions,
}

impl Parts {
    /// A condition as an atom, or as the negation of one.
    fn literal(&mut self, term: Term, system: &mut System) -> Sub {
        let (condition, negated) = match shape(term, system) {
            Shape::Not(inner) => (inner, true),
            Shape::Leaf(leaf, negated) => (leaf, negated),
            _ => (term, false),
        };
        let atom = self.builder.atom(self.conditions.number(condition));
        if negated { self.builder.add(Node::Not(atom)) } else { atom }
    }
    /// A condition as a formula over its leaves.
    fn formula(&mut self, term: Term, known: &mut FxHashMap<Term, Sub>, system: &mut System) -> Sub {
        let mut open = vec![term];
        while let Some(&at) = open.last() {
            let shape = shape(at, system);
            let before = open.len();
            // In reverse, so that leaves get their numbers in the order in which they are written.
            open.extend(shape.parts().into_iter().rev().filter(|part| !known.contains_key(part)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let sub = match shape {
                Shape::Constant(value) => self.builder.constant(value),
                Shape::Not(inner) => self.builder.add(Node::Not(known[&inner])),
                Shape::All(list) => self.joined(&list, known, Node::And),
                Shape::Any(list) => self.joined(&list, known, Node::Or),
                Shape::Same(a, b) => self.builder.add(Node::Iff(known[&a], known[&b])),
                Shape::Choice(a, b, c) => {
                    let [a, b, c] = [a, b, c].map(|part| known[&part]);
                    let first = self.builder.add(Node::Implies(a, b));
                    let second = self.builder.add(Node::Or(a, c));
                    self.builder.add(Node::And(first, second))
                }
                Shape::Leaf(..) => self.literal(at, system),
            };
            known.insert(at, sub);
        }
        known[&term]
    }
    /// An operator between all parts, of which there are some.
    fn joined(&mut self, list: &[Term], known: &FxHashMap<Term, Sub>, operator: fn(Sub, Sub) -> Node) -> Sub {
        let parts = list.iter().map(|part| known[part]);
        parts.reduce(|all, part| self.builder.add(operator(all, part))).expect("a connective has parts")
    }
}

#[cfg(test)]
mod tests {
    use ir::{Claim, PathWords};

    /// A formula as it is asked, and what its atoms stand for.
    fn asked(formula: &str) -> (String, Vec<String>) {
        let text = "var a : boolean = true var b : boolean = true var x : integer = 0 \
                    trans { } init { } env { } prop { true }";
        let mut model = crate::xsts::load(text).unwrap();
        let Claim::Every(path) = model.parse_property("p", &format!("ltl: {formula}")).unwrap().claim else {
            panic!("a claim about runs")
        };
        let system = &model.system;
        let PathWords::Satisfy(read) = &system.paths[path].words else { panic!("a formula") };
        let names = system.paths[path].atoms.iter().map(|atom| system.show(*atom).to_string()).collect();
        (read.display(|atom| format!("p{atom}")).to_string(), names)
    }

    fn check(formula: &str, expected: &str, atoms: &[&str]) {
        let (shown, names) = asked(formula);
        assert_eq!(
            (shown.as_str(), names.iter().map(String::as_str).collect::<Vec<_>>()),
            (expected, atoms.to_vec())
        );
    }

    #[test]
    fn what_shares_nothing_stays_whole() {
        check("G (a && x < 3)", "G p0", &["a && x < 3"]);
        check("G !(a && b) & F (x < 3)", "G !p0 & F p1", &["a && b", "x < 3"]);
        check("F a & G (x <= 3)", "F p0 & G !p1", &["a", "3 < x"]);
    }

    #[test]
    fn what_shares_something_is_taken_apart() {
        check("G (a && b) & F !a", "G (p0 & p1) & F !p0", &["a", "b"]);
        // By itself, it has a leaf twice.
        let (_, mut atoms) = asked("F ((a && b) || (!a && x < 3))");
        atoms.sort();
        assert_eq!(atoms, ["a", "b", "x < 3"]);
        check("G (a == b) & F a", "G (p0 <-> p1) & F p0", &["a", "b"]);
    }

    #[test]
    fn constants_are_known() {
        check("F (1 > 2)", "F false", &[]);
        check("F (a && !a)", "F false", &[]);
        check("G (1 < 2) & F a", "G true & F p0", &["a"]);
    }
}
