//! Obligations as SMT-LIB, for any other solver: each has no model if the invariant is right.
//!
//! Nothing of the checks here is in them: the whole formula of an entry, the whole action, and the
//! negation of all goals. Only where a loop needs it are the values that an entry fixes put into it.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{Steps, Stmt, Term, Terms};
use rustc_hash::FxHashMap;
use smt::smtlib;

use super::proof::import;
use super::{Kind, Obligation, Plan, Subject, flatten, literal};
use crate::{Rejection, Undecided};

/// One obligation, as a script for a solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// What is shown, in the user's names.
    pub about: String,
    /// Declarations and assertions; the answer to `(check-sat)` after them should be `unsat`.
    pub text: String,
}

/// An arena that has grown by more terms than this is renewed.
const GROWTH: usize = 1_000_000;

/// Calls `emit` with every obligation of an invariant, until it answers `false`.
pub fn export(
    subject: Subject<'_>,
    stop: &AtomicBool,
    emit: &mut dyn FnMut(&Script) -> bool,
) -> Result<(), Rejection> {
    let plan = Plan::new(subject, stop)?;
    let ranges = plan.system.vars.entries();
    let ranges = ranges.filter_map(|(var, variable)| Some((var, variable.range.clone()?))).collect();
    let mut terms = plan.system.terms.clone();
    let mut done = FxHashMap::default();
    let mut wanted = true;
    plan.for_each(|obligation| {
        if !wanted {
            return Ok(());
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        if terms.len() > plan.system.terms.len() + GROWTH {
            terms = plan.system.terms.clone();
            done.clear();
        }
        let about = about(&plan, obligation);
        let unwritable = |why| Undecided::Unwritable { about: about.clone(), why };
        let parts = parts(&plan, &mut terms, &mut done, obligation).map_err(|_| unwritable(None))?;
        let text = smtlib::script(&terms, &ranges, |var| plan.system.vars[var].name.clone(), &parts)
            .map_err(|why| unwritable(Some(why)))?;
        wanted = emit(&Script { about, text });
        Ok(())
    })
}

/// What is asserted, each with what it is.
fn parts(
    plan: &Plan<'_>,
    terms: &mut Terms,
    done: &mut FxHashMap<Term, Term>,
    obligation: &Obligation<'_>,
) -> Result<[(&'static str, Term); 3], Stmt> {
    let from = &plan.invariant.terms;
    let formula = obligation.entry.map(|entry| plan.formula(entry as u32));
    let known = formula.iter().chain(plan.memory(obligation));
    let known: Vec<Term> = known.map(|part| import(terms, done, from, *part)).collect();
    let premise = terms.and(known);
    let execute = |terms: &mut Terms, mut known| {
        let stmt = ir::simplify(terms, obligation.duty.stmt, &mut known);
        let stmt = plan.without_delays(terms, stmt);
        let mut steps = Steps::start();
        ir::unfold(terms, stmt, &mut steps).map(|execution| (execution, steps))
    };
    let (execution, steps) = execute(terms, ir::Valuation::default()).or_else(|_| {
        let mut conjuncts = vec![];
        if let Some(formula) = formula {
            flatten(from, formula, &mut conjuncts);
        }
        let known = conjuncts.iter().filter_map(|part| literal(from, *part, true));
        let known = known.map(|(var, value)| (var, terms.constant(value))).collect();
        execute(terms, known)
    })?;
    let goals: Vec<Term> =
        obligation.goals.iter().map(|goal| import(terms, done, from, plan.goal(obligation, *goal))).collect();
    let goal = terms.or(goals);
    let missed = terms.not(goal);
    let missed = steps.apply(terms, missed);
    Ok([
        ("the states it starts from", premise),
        ("what happens", execution),
        ("what should not be so", missed),
    ])
}

fn about(plan: &Plan<'_>, obligation: &Obligation<'_>) -> String {
    let mut text = match (&obligation.duty.kind, obligation.entry.unwrap_or_default()) {
        (Kind::Initial, _) => "every initial state is in one of the entries".to_owned(),
        (Kind::Action { name, .. }, entry) if plan.is_ranked() => {
            format!(
                "every successor of entry {entry} by `{name}` is allowed by the ranks and in one of the entries"
            )
        }
        (Kind::Action { name, .. }, entry) => {
            format!("every successor of entry {entry} by `{name}` is in one of the entries")
        }
        (Kind::Target, entry) => format!("entry {entry} contains no target"),
        (Kind::Fault, entry) => format!("entry {entry}, where something has gone wrong, contains no state"),
    };
    for (at, goal) in obligation.goals.iter().enumerate() {
        let _ = write!(text, "{}{goal}", if at == 0 { " " } else { ", " });
    }
    if let Some(entry) = obligation.entry {
        let locations = plan.system.processes.iter().zip(&plan.invariant.entries[entry].locations);
        let names: Vec<&str> = locations.map(|(process, at)| process.locations[*at].name.as_str()).collect();
        let _ = write!(text, " (entry {entry} is at {})", names.join(", "));
    }
    // One line, whatever the names are.
    text.replace(char::is_control, " ")
}
