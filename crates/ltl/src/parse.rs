//! Formulas from text, with atoms in the language of the model.
//!
//! Operators have all their usual spellings:
//!
//! | operator | spellings |
//! |---|---|
//! | globally, finally, next | `G`, `[]`, `□`, `always`, `globally`; `F`, `<>`, `◇`, `eventually`, `finally`; `X`, `○`, `next` |
//! | until, weak until, release, strong release | `U`, `until`; `W`, `unless`; `R`, `V`, `release`, `releases`; `M` |
//! | leads to, `G (p -> F q)` | `-->`, `~>`, `leadsto` |
//! | not, and, or | `!`, `~`, `not`, `¬`; `&`, `&&`, `/\`, `and`, `∧`; `\|`, `\|\|`, `\/`, `or`, `∨` |
//! | implies, equivalent | `->`, `=>`, `→`, `⇒`, `imply`, `implies`; `<->`, `<=>`, `↔`, `⇔`, `iff` |
//!
//! The parser finds the tree of operators ([`skeleton`]) and hands every maximal part without temporal operators to
//! [`Atoms`], as the place of its text. If such a part is not understood there but has connectives, it is taken apart
//! at those; so `p /\ q` is read for a language that writes `p && q`, and propositions can be names only.

mod lexer;
mod skeleton;

use std::fmt;
use std::ops::Range;

use ir::ltl::{Builder, Formula, Node, Sub};

use crate::patterns;
use skeleton::{Infix, Part, PartId, Prefix, Shape, Skeleton};

/// What propositions mean: the modelling language, as far as formulas need it.
pub trait Atoms {
    /// Why a part of the text is no proposition.
    type Error;

    /// Whether the model calls something by this name. If not, letters in front of a known name are operators, as in
    /// `GFp`.
    fn is_name(&self, word: &str) -> bool;

    /// The number of the proposition that is written there; equal ones should get equal numbers.
    ///
    /// # Errors
    /// If none is; then nothing is changed, as parts of it may be.
    fn atom(&mut self, text: &str, at: Range<usize>) -> Result<u32, Self::Error>;
}

/// A formula as it was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// Where other readers may read something else.
    pub warnings: Vec<Warning>,
}

/// A place that not everyone reads alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The operator.
    pub at: Range<usize>,
    /// What about it.
    pub kind: WarningKind,
}

/// What not everyone reads alike.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WarningKind {
    /// `a U b U c` was read as `a U (b U c)`.
    Chain,
    /// `!a U b` was read as `(!a) U b`.
    Negation,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// It is no formula, because of what is at this place.
    Syntax(Range<usize>, Problem),
    /// What is written there is no proposition.
    Atom(Range<usize>, E),
}

/// Why a text is no formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An operand is missing.
    ExpectedOperand,
    /// The formula is over, but the text is not.
    Unexpected,
    /// A bracket is not closed by its like.
    NotClosed,
    /// A temporal formula is part of an expression, such as `(F p) > 5`.
    TemporalInside,
    /// Operators are nested too deeply.
    TooDeep,
    /// A pattern has another number of arguments.
    Arguments {
        /// This many.
        expected: usize,
    },
    /// `between q` without `and r`.
    Between,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExpectedOperand => f.write_str("a formula is expected here"),
            Self::Unexpected => f.write_str("the formula is complete before this"),
            Self::NotClosed => f.write_str("this bracket is not closed"),
            Self::TemporalInside => {
                f.write_str("a temporal formula has no value that an expression could use")
            }
            Self::TooDeep => f.write_str("operators are nested too deeply here"),
            Self::Arguments { expected } => write!(f, "this pattern has {expected} arguments"),
            Self::Between => f.write_str("`and` is expected here, as in `between q and r`"),
        }
    }
}

/// Reads a formula.
///
/// # Errors
/// If the text is none, or a proposition is not understood.
pub fn parse<A: Atoms>(text: &str, atoms: &mut A) -> Result<Parsed, Error<A::Error>> {
    let tokens = lexer::tokens(text);
    let skeleton = skeleton::skeleton(text, tokens, &|word| atoms.is_name(word));
    let skeleton = skeleton.map_err(|(at, problem)| Error::Syntax(at, problem))?;
    let formula = Lowering::new(&skeleton).formula(text, atoms)?;
    Ok(Parsed { formula, warnings: skeleton.warnings })
}

/// From the tree of a text to a formula.
struct Lowering<'a> {
    skeleton: &'a Skeleton,
    builder: Builder,
    /// What parts are, once it is known.
    subs: Vec<Option<Sub>>,
}

impl<'a> Lowering<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, builder: Builder::default(), subs: vec![None; skeleton.parts.len()] }
    }

    /// Propositions first, from left to right, then what is made of them.
    fn formula<A: Atoms>(mut self, text: &str, atoms: &mut A) -> Result<Formula, Error<A::Error>> {
        let mut compound = vec![];
        let mut open = vec![self.skeleton.root];
        while let Some(id) = open.pop() {
            let part = &self.skeleton.parts[id];
            match part.pure.then(|| self.proposition(text, part, atoms)) {
                Some(Ok(sub)) => self.subs[id] = Some(sub),
                Some(Err(error)) if matches!(part.shape, Shape::Leaf) => {
                    return Err(Error::Atom(part.at.clone(), error));
                }
                _ => {
                    compound.push(id);
                    open.extend(operands(&part.shape).into_iter().rev());
                }
            }
        }
        // Operands have smaller numbers.
        compound.sort_unstable();
        for id in compound {
            let sub = self.compose(&self.skeleton.parts[id].shape);
            self.subs[id] = Some(sub);
        }
        Ok(self.builder.finish(self.sub(self.skeleton.root)))
    }

    fn proposition<A: Atoms>(&mut self, text: &str, part: &Part, atoms: &mut A) -> Result<Sub, A::Error> {
        match &text[part.at.clone()] {
            "true" => Ok(self.builder.constant(true)),
            "false" => Ok(self.builder.constant(false)),
            _ => Ok(self.builder.atom(atoms.atom(text, part.at.clone())?)),
        }
    }

    fn sub(&self, id: PartId) -> Sub {
        self.subs[id].expect("operands come first")
    }

    fn compose(&mut self, shape: &Shape) -> Sub {
        match shape {
            Shape::Leaf => unreachable!("a leaf is a proposition"),
            Shape::Prefix(prefix, inner) => {
                let inner = self.sub(*inner);
                self.builder.add(match prefix {
                    Prefix::Not => Node::Not(inner),
                    Prefix::Next => Node::Next(inner),
                    Prefix::Finally => Node::Finally(inner),
                    Prefix::Globally => Node::Globally(inner),
                })
            }
            Shape::Infix(infix, left, right) => self.infix(*infix, self.sub(*left), self.sub(*right)),
            Shape::Pattern(pattern, arguments, scope) => {
                let arguments: Vec<Sub> = arguments.iter().map(|&part| self.sub(part)).collect();
                let scope = scope.map(|part| self.sub(part));
                patterns::expand(&mut self.builder, *pattern, &arguments, scope)
            }
        }
    }

    fn infix(&mut self, infix: Infix, left: Sub, right: Sub) -> Sub {
        let node = match infix {
            Infix::LeadsTo => {
                let later = self.builder.add(Node::Finally(right));
                let each = self.builder.add(Node::Implies(left, later));
                Node::Globally(each)
            }
            Infix::Iff => Node::Iff(left, right),
            Infix::Implies => Node::Implies(left, right),
            Infix::Or => Node::Or(left, right),
            Infix::And => Node::And(left, right),
            Infix::Until => Node::Until(left, right),
            Infix::WeakUntil => Node::WeakUntil(left, right),
            Infix::Release => Node::Release(left, right),
            Infix::StrongRelease => Node::StrongRelease(left, right),
        };
        self.builder.add(node)
    }
}

fn operands(shape: &Shape) -> Vec<PartId> {
    match shape {
        Shape::Leaf => vec![],
        Shape::Prefix(_, inner) => vec![*inner],
        Shape::Infix(_, left, right) => vec![*left, *right],
        Shape::Pattern(_, arguments, scope) => {
            arguments.iter().copied().chain(scope.bounds().map(|(_, part)| part)).collect()
        }
    }
}

/// Propositions that are plain names, or any text in quotes, numbered in the order in which they first occur.
///
/// ```
/// use thetis_ltl::parse::{Names, parse};
///
/// let mut names = Names::default();
/// let parsed = parse("always(request -> <> answer) and GF a", &mut names).unwrap();
/// let text = parsed.formula.display(|atom| names.name(atom)).to_string();
/// assert_eq!(text, "G (request -> F answer) & G F a");
/// ```
#[derive(Clone, Default, Debug)]
pub struct Names {
    names: indexmap::IndexSet<String>,
}

impl Names {
    /// The names, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
    /// The name with this number.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
    /// The number of a name.
    pub fn number(&mut self, name: &str) -> u32 {
        let known = self.names.get_index_of(name);
        let index = known.unwrap_or_else(|| self.names.insert_full(name.to_owned()).0);
        u32::try_from(index).expect("fewer names than characters")
    }
}

/// The text is no name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NoName;

impl Atoms for Names {
    type Error = NoName;

    /// As nothing is declared, several operators are taken for what they are (`GF`), and so is a letter with digits
    /// after operators (`GFp0`); a longer word is a name (`Fox`).
    fn is_name(&self, word: &str) -> bool {
        let rest = word.trim_start_matches(['G', 'F', 'X']);
        let operators = word.len() - rest.len();
        let mut rest = rest.chars();
        match rest.next() {
            None => operators < 2,
            Some(first) => operators == 0 || !first.is_lowercase() || !rest.all(char::is_numeric),
        }
    }

    fn atom(&mut self, text: &str, at: Range<usize>) -> Result<u32, NoName> {
        let outer = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let name = text[at].trim_matches(outer);
        let inside = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        match inside {
            Some(inside) if !inside.contains('"') => Ok(self.number(inside)),
            None if !name.is_empty() && name.chars().all(plain) => Ok(self.number(name)),
            _ => Err(NoName),
        }
    }
}

#[cfg(test)]
mod tests;
