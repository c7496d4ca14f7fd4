//! The reference checker: the definitions of evidence, read off one by one.
//!
//! The checker in front of it is fast, and therefore long. This one is to be read: it has no shortcuts, no memory of what
//! it has shown, no hints, and no limits but those of the machine and of the solver; it may take a thousand times as long.
//! It shares nothing with the other but the types of evidence and of rejections, what a system means (`ir`), the watch
//! over solvers, and, for temporal formulas with invariants, the argument that an automaton covers a formula
//! ([`crate::covers`]). Tests put the same evidence to both.
//!
//! What is shown, by the kind of evidence:
//!
//! | evidence | what is shown | how |
//! |---|---|---|
//! | a run | every step is one of the system, and the end is what is asked for | [`run`]: executed |
//! | a list of states | it has the initial states, all successors, no target, no fault | [`closed_set`]: executed |
//! | a list of zones | the same, of sets of clock valuations | [`zone_set`]: executed on matrices, else by a solver |
//! | an inductive invariant | the same, of formulas | [`invariant`]: by a solver |
//! | a k-inductive proof | no bad state is near the beginning, none comes first later | [`k_induction`]: by a solver |
//! | a lasso, a stuck run | its word is asked for | [`word`] |
//! | measures, ranks, rounds | no word of a run is asked for | [`progress`] |
//! | distances, traps | what can, and cannot, be reached again | [`returns`] |
//!
//! The page "What you have to believe" of the manual says what is left to trust.

mod closed_set;
mod formula;
mod invariant;
mod k_induction;
mod progress;
mod returns;
mod run;
mod tableau;
mod word;
mod zone;
mod zone_set;

use std::sync::atomic::{AtomicBool, Ordering};

use ir::eval::{Env, holds};
use ir::interp::Stuck;
use ir::{
    Certificate, Id, LocationId, NamedVar, ProcessId, Question, State, Steps, System, Term, Value, VarId,
};
use smt::{Answer, Interrupt, Solver};

use crate::invariant::watch::Watch;
use crate::{Evidence, Flaw, Place, Rejection, Shown, Undecided};

/// Makes solvers; each is asked one question.
pub type Solvers<'a> = dyn Fn() -> Result<Box<dyn Solver>, Interrupt> + Sync + 'a;

/// Checks any evidence for an answer to a question, plainly.
pub fn check(
    system: &System,
    question: &Question,
    evidence: Evidence<'_>,
    solvers: &Solvers<'_>,
    stop: &AtomicBool,
) -> Result<Shown, Rejection> {
    let cx = Cx { solvers, stop };
    match evidence {
        Evidence::Run(run) => match question {
            Question::Reach(target) => run::check(&cx, system, *target, run),
            Question::Path(question) => word::check(&cx, system, question, run),
            Question::Trap(goal) => returns::check_run(&cx, system, *goal, run),
            Question::Cycle(_) => Err(Place::Whole.wrong(Flaw::OtherWord)),
        }
        .map(Shown::Reached),
        Evidence::Certificate(certificate) => match (question, certificate) {
            (Question::Reach(target), certificate) => excludes(&cx, system, *target, certificate),
            (Question::Path(question), Certificate::Progress(proof)) => {
                progress::check(&cx, system, question, proof)
            }
            (Question::Trap(goal), Certificate::Returns(proof)) => returns::check(&cx, system, *goal, proof),
            _ => Err(Place::Whole.wrong(Flaw::OtherQuestion)),
        }
        .map(|()| Shown::Excluded),
    }
}

/// Checks that no target and no fault can be reached.
fn excludes(cx: &Cx<'_>, system: &System, target: Term, certificate: &Certificate) -> Result<(), Rejection> {
    match certificate {
        Certificate::ClosedSet(set) => closed_set::check(cx, system, target, &**set, &mut |_, _, _| Ok(())),
        Certificate::Zones(set) => zone_set::check(cx, system, target, &**set, None),
        Certificate::Invariant(list) => invariant::check(cx, system, Some(target), list),
        Certificate::KInductive(proof) => k_induction::check(cx, system, target, proof),
        Certificate::Blocks(proof) => {
            let blocks = crate::blocks::system(system, target, proof)?;
            excludes(cx, &blocks, target, &proof.base)
        }
        Certificate::Progress(_) | Certificate::Returns(_) => Err(Place::Whole.wrong(Flaw::OtherQuestion)),
    }
}

/// What every part of a check has at hand.
struct Cx<'a> {
    solvers: &'a Solvers<'a>,
    stop: &'a AtomicBool,
}

impl Cx<'_> {
    /// Ends the check if somebody asked for that.
    fn go_on(&self) -> Result<(), Rejection> {
        if self.stop.load(Ordering::Relaxed) { Err(Rejection::Interrupted) } else { Ok(()) }
    }
    /// Whether all of `parts` can hold together, over the variables of `system` at any steps.
    fn satisfiable(&self, system: &System, parts: &[Term], place: Place) -> Result<bool, Rejection> {
        self.go_on()?;
        if parts.iter().any(|part| crate::invariant::is_deep(&system.terms, *part)) {
            return Err(Undecided::DeepFormula(place).into());
        }
        let watch = Watch::new(self.stop);
        let why = |why: Interrupt| match watch.stopped() {
            true => Rejection::Interrupted,
            false => Undecided::Solver(place, why).into(),
        };
        std::thread::scope(|scope| {
            let _end = watch.start(scope);
            let mut solver = (self.solvers)().map_err(why)?;
            watch.solver(solver.interrupter());
            for (var, variable) in system.vars.entries() {
                solver.declare(var, variable.range.clone());
            }
            for part in parts {
                solver.assert(&system.terms, *part, &Steps::start()).map_err(why)?;
            }
            Ok(solver.check(&[]).map_err(why)? == Answer::Sat)
        })
    }
}

/// A state, as evaluation sees it; what is no part of it is open.
struct At<'a> {
    system: &'a System,
    state: &'a State,
}

impl Env for At<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        let slot = self.system.state_vars().position(|known| known == var)?;
        self.state.values[slot].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}

/// Whether a condition, whatever it says of locations and deadlocks, holds in a state without open values.
fn holds_in(system: &mut System, condition: Term, state: &State, place: Place) -> Result<bool, Rejection> {
    let here = ir::at_state(system, condition, state).map_err(|_| place.wrong(Flaw::NoCondition))?;
    holds(&system.terms, &At { system, state }, here).map_err(|_| place.wrong(Flaw::NoCondition))
}

/// Checks that a state has a location for each process, and for each variable none or a value of its type and range.
fn well_formed(system: &System, state: &State, place: Place) -> Result<(), Rejection> {
    let vars: Vec<VarId> = system.state_vars().collect();
    if !is_vector(system, &state.locations) || state.values.len() != vars.len() {
        return Err(place.wrong(Flaw::Shape));
    }
    for (var, value) in vars.into_iter().zip(&state.values) {
        if value.as_ref().is_some_and(|value| !system.admits(var, value)) {
            return Err(place.wrong(Flaw::Value(NamedVar::of(system, var))));
        }
    }
    Ok(())
}

/// Whether there is one of these locations for each process.
fn is_vector(system: &System, locations: &[LocationId]) -> bool {
    locations.len() == system.processes.len()
        && system.processes.iter().zip(locations).all(|(process, at)| process.locations.get(*at).is_some())
}

/// An execution that the interpreter does not follow.
fn stuck(system: &System, place: Place, why: &Stuck) -> Rejection {
    place.wrong(match why {
        Stuck::Interrupted | Stuck::Spent => return Rejection::Interrupted,
        Stuck::NotEnumerable(var) => Flaw::NotEnumerable(NamedVar::of(system, *var)),
        Stuck::Delay => Flaw::Delay,
        Stuck::Needs(_) | Stuck::Misfit => Flaw::Choices,
    })
}
