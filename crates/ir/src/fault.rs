//! Faults made explicit: terms and statements together with the ways they can go wrong.
//!
//! Terms are total, so that they can be normalised freely; what the user wrote is not. A front-end
//! therefore builds a [`Checked`] term, whose `faults` say under which condition each fault happens,
//! evaluated left to right and short-circuit, and a [`Guarded`] statement with two halves:
//! `stmt` runs where nothing goes wrong and blocks elsewhere, `fault` runs up to the place where the
//! first thing goes wrong, leaves its number in the fault variable, and blocks where nothing does.
//! Both are linear in the source. The second half becomes an edge to the fault location.

use smallvec::SmallVec;

use crate::stmt::Stmt;
use crate::system::{FaultId, Scope, Span, System, Variable};
use crate::term::{Term, Terms, VarId};
use crate::value::Type;

/// A term, and the conditions under which evaluating it goes wrong.
///
/// The conditions stand in the order of evaluation: the first one that holds is the fault met.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The value where nothing goes wrong.
    pub term: Term,
    /// When which fault is met.
    pub faults: Faults,
}

/// Conditions with the faults they lead to, in order of evaluation; later ones mean something only where
/// no earlier one holds.
pub type Faults = SmallVec<[(Term, FaultId); 1]>;

impl From<Term> for Checked {
    fn from(term: Term) -> Self {
        Checked { term, faults: Faults::new() }
    }
}

impl Checked {
    /// Evaluates `parts` from left to right and combines their values.
    pub fn strict(
        terms: &mut Terms,
        parts: impl IntoIterator<Item = Checked>,
        combine: impl FnOnce(&mut Terms, &[Term]) -> Term,
    ) -> Checked {
        let mut values: SmallVec<[Term; 4]> = SmallVec::new();
        let mut faults = Faults::new();
        for part in parts {
            append(terms, &mut faults, None, part.faults);
            values.push(part.term);
        }
        Checked { term: combine(terms, &values), faults }
    }
    /// `parts[0] && parts[1] && …` (`stop_at` = false) or `||` (`stop_at` = true), short-circuit.
    pub fn junction(terms: &mut Terms, parts: Vec<Checked>, stop_at: bool) -> Checked {
        let mut values = Vec::with_capacity(parts.len());
        let mut faults = Faults::new();
        for part in parts {
            if !part.faults.is_empty() {
                // Reached only if no earlier part has decided the outcome.
                let reached = if stop_at {
                    let decided = terms.or(values.iter().copied());
                    terms.not(decided)
                } else {
                    terms.and(values.iter().copied())
                };
                append(terms, &mut faults, Some(reached), part.faults);
            }
            values.push(part.term);
        }
        let term = if stop_at { terms.or(values) } else { terms.and(values) };
        Checked { term, faults }
    }
    /// `if condition then a else b`, evaluating one branch only.
    pub fn ite(terms: &mut Terms, condition: Checked, a: Checked, b: Checked) -> Checked {
        let mut faults = condition.faults;
        append(terms, &mut faults, Some(condition.term), a.faults);
        let not = terms.not(condition.term);
        append(terms, &mut faults, Some(not), b.faults);
        Checked { term: terms.ite(condition.term, a.term, b.term), faults }
    }
    /// Adds a fault that is met last, where `condition` holds.
    pub fn or_fault(mut self, terms: &mut Terms, condition: Term, fault: FaultId) -> Checked {
        append(terms, &mut self.faults, None, Faults::from_iter([(condition, fault)]));
        self
    }
}

/// Appends `more`, met only where `reached` holds.
fn append(terms: &mut Terms, faults: &mut Faults, reached: Option<Term>, more: Faults) {
    for (condition, fault) in more {
        let condition = terms.and(reached.into_iter().chain([condition]));
        if terms.as_const(condition) != Some(&false.into()) {
            faults.push((condition, fault));
        }
    }
}

/// A statement, and how it goes wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Guarded {
    /// Runs where nothing goes wrong, blocks elsewhere.
    pub stmt: Stmt,
    /// Runs up to the first thing that goes wrong, blocks where nothing does; `None` if nothing can.
    pub fault: Option<Stmt>,
}

impl Guarded {
    /// A statement in which nothing can go wrong.
    pub fn safe(stmt: Stmt) -> Self {
        Guarded { stmt, fault: None }
    }
    /// A statement made from a checked term by `build`.
    pub fn using(
        terms: &mut Terms,
        which: VarId,
        value: Checked,
        build: impl FnOnce(&mut Terms, Term) -> Stmt,
    ) -> Self {
        let stmt = build(terms, value.term);
        Guarded::safe(stmt).after(terms, which, &value.faults)
    }
    /// `self`, preceded by an evaluation that may meet `faults`.
    fn after(self, terms: &mut Terms, which: VarId, faults: &Faults) -> Self {
        if faults.is_empty() {
            return self;
        }
        let any = terms.or(faults.iter().map(|(condition, _)| *condition));
        let none = terms.not(any);
        let passes = terms.assume(none);
        let stmt = terms.seq([passes, self.stmt]);
        let later = self.fault.unwrap_or_else(|| terms.block());
        let fault = faults.iter().rev().fold(later, |later, (condition, fault)| {
            let number = terms.int(crate::Id::index(*fault) as i64);
            let record = terms.assign(which, number);
            terms.branch(*condition, record, later)
        });
        Guarded { stmt, fault: Some(fault) }
    }
    /// One after the other.
    pub fn seq(terms: &mut Terms, list: &[Guarded]) -> Self {
        let stmt = terms.seq(list.iter().map(|part| part.stmt));
        // From the back: either this part goes wrong, or it passes and a later one does. Runs of
        // parts that cannot go wrong are joined, so that the nesting follows the faults only.
        let mut fault: Option<Stmt> = None;
        let mut end = list.len();
        for at in (0..list.len()).rev() {
            let Some(here) = list[at].fault else { continue };
            let ways = match fault {
                Some(later) => {
                    let passed = terms.seq(list[at..end].iter().map(|part| part.stmt).chain([later]));
                    terms.choice([here, passed])
                }
                None => here,
            };
            fault = Some(ways);
            end = at;
        }
        let fault = fault.map(|fault| terms.seq(list[..end].iter().map(|part| part.stmt).chain([fault])));
        Guarded { stmt, fault }
    }
    /// One of them.
    pub fn choice(terms: &mut Terms, list: &[Guarded]) -> Self {
        let stmt = terms.choice(list.iter().map(|part| part.stmt));
        let faults: Vec<Stmt> = list.iter().filter_map(|part| part.fault).collect();
        let fault = (!faults.is_empty()).then(|| terms.choice(faults));
        Guarded { stmt, fault }
    }
    /// By condition.
    pub fn branch(
        terms: &mut Terms,
        which: VarId,
        condition: Checked,
        then: Guarded,
        other: Guarded,
    ) -> Self {
        let stmt = terms.branch(condition.term, then.stmt, other.stmt);
        let fault = (then.fault.is_some() || other.fault.is_some()).then(|| {
            let block = terms.block();
            let (a, b) = (then.fault.unwrap_or(block), other.fault.unwrap_or(block));
            terms.branch(condition.term, a, b)
        });
        Guarded { stmt, fault }.after(terms, which, &condition.faults)
    }
}

impl System {
    /// A loop. Its faulty half runs some iterations, goes wrong in one, and skips the others; a
    /// local flag remembers that it did.
    pub fn guarded_for(&mut self, which: VarId, var: VarId, bounds: [Checked; 2], body: Guarded) -> Guarded {
        let [from, to] = bounds;
        let mut faults = from.faults;
        append(&mut self.terms, &mut faults, None, to.faults);
        let stmt = self.terms.for_loop(var, from.term, to.term, body.stmt);
        let fault = body.fault.map(|fault| {
            let flag = self.declare(
                Type::Bool,
                Variable { shown: false, scope: Scope::Local, ..Variable::local("faulted", Span::default()) },
            );
            let terms = &mut self.terms;
            let (no, yes) = (terms.bool(false), terms.bool(true));
            let faulted = terms.var(flag);
            let clear = terms.assign(flag, no);
            let set = terms.assign(flag, yes);
            let goes_wrong = terms.seq([fault, set]);
            let either = terms.choice([body.stmt, goes_wrong]);
            let skip = terms.skip();
            let once = terms.branch(faulted, skip, either);
            let run = terms.for_loop(var, from.term, to.term, once);
            let happened = terms.assume(faulted);
            terms.seq([clear, run, happened])
        });
        Guarded { stmt, fault }.after(&mut self.terms, which, &faults)
    }
}
