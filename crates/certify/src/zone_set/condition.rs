//! Conditions over data and clocks, with negations at their atoms only.
//!
//! A condition and its negation are nodes of one graph in which equal parts are shared, so it has at most
//! two nodes for each part of the term: an equality of conditions, or a conditional, needs its parts both
//! ways, and written out in full a chain of these would double with each. A comparison of what depends on
//! conditions over clocks, as `(if x < 1 then n else 1) == 0`, is told apart by these; what is left of it
//! after some of them is often the same, and then the same node.
//!
//! Nothing is multiplied out here: in which ways a condition can hold is asked for known data, see
//! [`super::pieces`].

use ir::{Node, Term, Type};

use super::model::{Amount, Atom, Model, small};
use crate::Undecided;

/// A condition; others by number.
pub(super) enum Formula {
    Data(Term),
    Clocks(Atom),
    /// Conditions on data come first, and then those on clocks alone.
    And(Box<[u32]>),
    Or(Box<[u32]>),
}

/// How many comparisons within one condition are told apart by conditions over clocks.
const MANY_TOLD_APART: usize = 4096;

impl Model {
    /// The number of a condition or, unless it is `positive`, of its negation.
    pub(super) fn formula(&mut self, term: Term, positive: bool) -> Result<u32, Undecided> {
        let mut told_apart = 0;
        ir::deep(|| self.formula_of(term, positive, &mut told_apart)).map_err(|why| match why {
            No::Difference(part) => Undecided::Comparison(self.system.show(part).to_string()),
            No::TooMany => Undecided::Condition(self.system.show(term).to_string()),
        })
    }
    fn formula_of(&mut self, term: Term, positive: bool, told_apart: &mut usize) -> Result<u32, No> {
        if let Some(known) = self.numbers_of_formulas.get(&(term, positive)) {
            return Ok(*known);
        }
        let terms = &mut self.system.terms;
        let number = if terms.has_clock(term) {
            self.formula_on_clocks(term, positive, told_apart)?
        } else {
            let condition = if positive { term } else { terms.not(term) };
            self.add_formula(Formula::Data(condition))
        };
        self.numbers_of_formulas.insert((term, positive), number);
        Ok(number)
    }
    fn formula_on_clocks(&mut self, term: Term, positive: bool, told_apart: &mut usize) -> Result<u32, No> {
        let terms = &mut self.system.terms;
        let (condition, then, otherwise) = match *terms.node(term) {
            Node::Not(inner) => return ir::deep(|| self.formula_of(inner, !positive, told_apart)),
            Node::And(ref list) | Node::Or(ref list) => {
                let every = matches!(terms.node(term), Node::And(_)) == positive;
                let mut parts = vec![];
                for part in list.clone() {
                    parts.push(ir::deep(|| self.formula_of(part, positive, told_apart))?);
                }
                return Ok(self.join(every, parts));
            }
            Node::Ite(condition, then, otherwise) => (condition, then, otherwise),
            Node::Eq(a, b) if terms.type_of(a) == Type::Bool => (a, b, terms.not(b)),
            _ => {
                if let Some(atoms) = ir::clock_atom(terms, term) {
                    let mut parts = vec![];
                    for mut atom in atoms {
                        if !positive {
                            // One of the differences is the other way round.
                            (atom.plus, atom.minus) = (atom.minus, atom.plus);
                            (atom.bound, atom.strict) = (self.system.terms.neg(atom.bound), !atom.strict);
                        }
                        let atom = self.atom(&atom);
                        parts.push(self.add_formula(Formula::Clocks(atom)));
                    }
                    return Ok(self.join(positive, parts));
                }
                let condition = terms.clock_condition_below(term).ok_or(No::Difference(term))?;
                *told_apart += 1;
                if *told_apart > MANY_TOLD_APART {
                    return Err(No::TooMany);
                }
                (condition, terms.given(term, condition, true), terms.given(term, condition, false))
            }
        };
        let mut sides = vec![];
        for (holds, rest) in [(true, then), (false, otherwise)] {
            let condition = ir::deep(|| self.formula_of(condition, holds, told_apart))?;
            let rest = ir::deep(|| self.formula_of(rest, positive, told_apart))?;
            sides.push(self.join(true, vec![condition, rest]));
        }
        Ok(self.join(false, sides))
    }
    /// The conjunction of some conditions if `every` one must hold, or else their disjunction.
    fn join(&mut self, every: bool, parts: Vec<u32>) -> u32 {
        let mut flat = vec![];
        for part in parts {
            match &self.formulas[part as usize] {
                Formula::And(inner) if every => flat.extend_from_slice(inner),
                Formula::Or(inner) if !every => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        if let [one] = *flat {
            return one;
        }
        flat.sort_by_key(|part| match self.formulas[*part as usize] {
            Formula::Data(_) => 0,
            Formula::Clocks(_) => 1,
            Formula::And(_) | Formula::Or(_) => 2,
        });
        self.add_formula(if every { Formula::And(flat.into()) } else { Formula::Or(flat.into()) })
    }
    fn add_formula(&mut self, formula: Formula) -> u32 {
        self.formulas.push(formula);
        self.formulas.len() as u32 - 1
    }
    fn atom(&self, atom: &ir::ClockAtom) -> Atom {
        let number = |clock: Option<ir::VarId>| clock.map_or(0, |clock| self.numbers[ir::Id::index(clock)]);
        let constant = self.system.terms.as_const(atom.bound).and_then(small);
        Atom {
            plus: number(atom.plus),
            minus: number(atom.minus),
            bound: constant.map_or(Amount::Term(atom.bound), Amount::Constant),
            strict: atom.strict,
        }
    }
    /// What a condition asks of data and of clocks, if it is a conjunction of nothing else.
    pub(super) fn conjunction(&self, formula: u32) -> Option<(Vec<Term>, Vec<Atom>)> {
        let parts = match &self.formulas[formula as usize] {
            Formula::And(parts) => &**parts,
            _ => &[formula],
        };
        let (mut data, mut clocks) = (vec![], vec![]);
        for part in parts {
            match self.formulas[*part as usize] {
                Formula::Data(condition) => data.push(condition),
                Formula::Clocks(atom) => clocks.push(atom),
                Formula::And(_) | Formula::Or(_) => return None,
            }
        }
        Some((data, clocks))
    }
}

/// Why a condition has no such form.
enum No {
    /// This part uses clocks in another way than in differences.
    Difference(Term),
    /// There are too many parts.
    TooMany,
}
