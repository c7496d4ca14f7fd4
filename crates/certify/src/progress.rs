//! Proofs that no run has a word that is searched for: see [`ir::Progress`] for what they consist of.
//!
//! Three things are shown. The automaton accepts every word that satisfies the formula, by a tableau of the judge's own
//! ([`covers`]), and leads to a sink by every beginning that is enough, where runs can end ([`shows_good_prefixes`]),
//! or no run does ([`pairs::never_end`]);
//! what the automaton was made of is not asked. If an automaton is all that is asked, it is that one.
//! The base contains whatever can be reached in
//! the product of the system with the automaton, and neither a target nor a fault, as for any other system. And if
//! the automaton has accepting cycles other than in sinks, no run of the product is one that comes through all acceptance
//! sets for ever: a measure of states, or a ranking of the entries of an invariant, decreases but for steps that are not in
//! one of them, or rounds through all sets are counted and there is a limit to them. Where the product is listed as pairs,
//! it is walked through as such ([`pairs`]).

use std::sync::atomic::AtomicBool;

use ir::automaton::Automaton;
use ir::monitor::{NoProduct, counting, product};
use ir::{
    Action, Certificate, Descent, Measure, PathQuestion, Progress, Question, Stuck, System, Words, Zeno,
};

use crate::covers::{Hindrance, covers};
use crate::invariant::{self, Script, Subject};
use crate::pairs::{self, Memory};
use crate::prefix::shows_good_prefixes;
use crate::{
    Exported, Flaw, Place, Rejection, Undecided, check_certificate, closed_set, export_obligations, zone_set,
};

/// Checks that no run has such a word.
pub(crate) fn check(
    system: &System,
    question: &PathQuestion,
    proof: &Progress,
    memory: &mut Memory,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let Progress { automaton, base, descent } = proof;
    if !automaton.is_well_formed(question.atoms.len()) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    let listed = match base {
        Certificate::ClosedSet(set) if pairs::applies(system, question) => set.pairs(),
        _ => None,
    };
    match (is_for(system, &question.words, automaton, stop), &listed) {
        (Err(Rejection::Undecided(Undecided::ManyPrefixes)), Some(pairs))
            if pairs::never_end(system, pairs, memory, stop)? => {}
        (judged, _) => judged?,
    }
    if let (Certificate::ClosedSet(set), Some(pairs)) = (base, listed) {
        let measures = match descent {
            Descent::Measures(measures) if !automaton.is_terminal() && measures.len() == set.len() => {
                Some(&**measures)
            }
            Descent::Terminal if automaton.is_terminal() => None,
            _ => return Err(Place::Whole.wrong(Flaw::Measures)),
        };
        return pairs::check(system, question, automaton, &pairs, measures, memory, stop);
    }
    let (product, asked) = product_of(system, question, automaton)?;
    match (asked, descent, base) {
        (Question::Cycle(target), Descent::Measures(measures), Certificate::ClosedSet(set)) => {
            if measures.len() != set.len() {
                return Err(Place::Whole.wrong(Flaw::Measures));
            }
            let descending = Descending { product: &product, measures };
            closed_set::check(&product, target, &**set, Some(&descending), stop)
        }
        (Question::Cycle(target), Descent::Measures(measures), Certificate::Zones(set)) => {
            if measures.len() != set.len() {
                return Err(Place::Whole.wrong(Flaw::Measures));
            }
            zone_set::check(&product, target, &**set, Some(measures), stop)
        }
        (Question::Cycle(target), Descent::Ranks(ranks), Certificate::Invariant(invariant)) => {
            let subject = Subject::new(&product, invariant).without(target).ranked(ranks);
            invariant::check(subject, stop).map(drop)
        }
        (Question::Cycle(target), Descent::Rounds(most), base) => {
            let (counting, asked) = counting(&product, target, *most);
            check_certificate(&counting, &asked, base, stop)
        }
        (Question::Reach(target), Descent::Terminal, base) => {
            check_certificate(&product, &Question::Reach(target), base, stop)
        }
        _ => Err(Place::Whole.wrong(Flaw::Measures)),
    }
}

/// Calls `emit` with what makes the base one, ranks included, until it answers `false`. That the automaton accepts what it
/// has to is no matter for a solver.
pub(crate) fn export(
    system: &System,
    question: &PathQuestion,
    proof: &Progress,
    stop: &AtomicBool,
    emit: &mut dyn FnMut(&Script) -> bool,
) -> Result<Exported, Rejection> {
    let Progress { automaton, base, descent } = proof;
    if !automaton.is_well_formed(question.atoms.len()) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    let (product, asked) = product_of(system, question, automaton)?;
    let exported = match (asked, descent, base) {
        (Question::Cycle(target), Descent::Ranks(ranks), Certificate::Invariant(invariant)) => {
            let subject = Subject::new(&product, invariant).without(target).ranked(ranks);
            invariant::export(subject, stop, emit)?;
            Exported::All
        }
        (Question::Cycle(target), Descent::Rounds(most), base) => {
            let (counting, asked) = counting(&product, target, *most);
            export_obligations(&counting, &asked, base, stop, emit)?
        }
        (Question::Cycle(target) | Question::Reach(target), _, base) => {
            export_obligations(&product, &Question::Reach(target), base, stop, emit)?
        }
        (Question::Path(_) | Question::Trap(_), ..) => return Err(Place::Whole.wrong(Flaw::OtherQuestion)),
    };
    Ok(if exported == Exported::All { Exported::Base } else { exported })
}

fn product_of(
    system: &System,
    question: &PathQuestion,
    automaton: &Automaton,
) -> Result<(System, Question), Rejection> {
    product(system, question, automaton).map_err(|why| match why {
        NoProduct::Letters => Undecided::LargeFormula.into(),
        NoProduct::Deadlock(_)
        | NoProduct::DeadlockInTime(_)
        | NoProduct::Processes
        | NoProduct::Unread
        | NoProduct::Idling(_) => Undecided::NoCondition.into(),
    })
}

/// Checks that an automaton accepts every word that is searched for, and shows by its sinks which beginnings are enough.
fn is_for(system: &System, words: &Words, automaton: &Automaton, stop: &AtomicBool) -> Result<(), Rejection> {
    let formula = match words {
        Words::Satisfying(formula) => formula,
        Words::Accepted(asked) if **asked == *automaton => return Ok(()),
        Words::Late(response) if response.automaton() == *automaton => return Ok(()),
        Words::Accepted(_) | Words::Late(_) => return Err(Place::Whole.wrong(Flaw::OtherAutomaton)),
    };
    // What the formula does not read, the automaton must not.
    if !automaton.is_well_formed(formula.atoms() as usize) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    if !covers(formula, automaton, stop)? {
        return Err(Undecided::NotCovered.into());
    }
    // Where words can end, because runs do or are not read any more, they may be searched for all the same.
    let locations = system.processes.iter().flat_map(|process| process.locations.iter());
    let unread = locations.into_iter().any(|location| !location.observed || !location.read);
    if !unread && system.stuck != Stuck::Ignored && system.zeno == Zeno::Allowed {
        return Ok(());
    }
    match shows_good_prefixes(formula, automaton, stop) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Undecided::NotCovered.into()),
        Err(Hindrance::TooLarge) => Err(Undecided::ManyPrefixes.into()),
        Err(Hindrance::Interrupted) => Err(Rejection::Interrupted),
    }
}

impl From<Hindrance> for Rejection {
    fn from(why: Hindrance) -> Self {
        match why {
            Hindrance::TooLarge => Undecided::LargeFormula.into(),
            Hindrance::Interrupted => Rejection::Interrupted,
        }
    }
}

/// What must be true of every step between listed states.
pub(crate) struct Descending<'a> {
    product: &'a System,
    measures: &'a [Measure],
}

impl Descending<'_> {
    /// Whether a step from one listed state to another is allowed: the rank decreases, or nothing changes and the step is
    /// not in the acceptance set that is missing.
    pub(crate) fn allows(&self, from: usize, action: &Action, to: usize) -> bool {
        let Some(monitor) = &self.product.monitor else { return false };
        descends(self.measures[from], monitor.marks_of(&action.edges), monitor.sets, self.measures[to])
    }
}

/// Whether a step that is in some of so many acceptance sets may lead from one measure to another.
pub(crate) fn descends(from: Measure, marks: u64, sets: u32, to: Measure) -> bool {
    to.rank < from.rank || to == from && u32::from(from.missing) < sets && marks >> from.missing & 1 == 0
}
