//! The judge: nothing is a verdict before it has been checked here.
//!
//! Checks are made against the system as the front-end produced it; actions are composed anew. [`check`] takes any
//! evidence for an answer to a question, and says what it shows. A [`run`] is re-executed by the plain interpreter
//! of `ir`. A [`closed_set`], a [`zone_set`] of a timed system, or an [`invariant`] is shown to contain the initial
//! states, to be closed under every action, and to avoid the target and every fault; only invariants need a solver
//! for that. So does [`k_induction`], which shows the same of the first states of every run, and that nothing comes
//! after them. A question about whole runs is answered by the word of a run ([`word`]), which may come back to a set of
//! states rather than to one ([`head`]), or by an automaton and a measure
//! that shows that it accepts none ([`progress`]). That something can always be reached again is shown by distances from
//! it, and that it cannot by a run into a trap ([`returns`]).
//!
//! All of this is done twice: quickly by these modules, and plainly by [`mod@reference`], which is what one has to read in
//! order to believe a verdict. Tests hold the one to the other.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use ir::{Run, State};
//! use thetis_certify::{Rejection, check_run};
//!
//! let mut model = lang::xsts::load("var n : integer = 0 trans { } prop { n == 0 }").unwrap();
//! let property = model.property().unwrap();
//! let question = model.system.question(property.claim);
//! // A run without steps, from the initial state to itself, violates nothing.
//! let initial = State { values: [Some(ir::Value::int(0))].into(), ..model.system.arbitrary_state() };
//! let verdict = check_run(&model.system, &question, &Run::begin(vec![], initial), &AtomicBool::new(false));
//! assert!(matches!(verdict, Err(Rejection::Wrong(_))));
//! ```

mod accepts;
mod blocks;
mod closed_set;
mod covers;
mod dbm;
mod head;
mod invariant;
mod k_induction;
mod pairs;
mod prefix;
mod progress;
pub mod reference;
mod rejection;
mod returns;
mod run;
mod tableau;
mod word;
mod zone_set;

use std::sync::atomic::AtomicBool;

use ir::interp::Stuck;
use ir::{Certificate, Invariant, NamedVar, Question, Run, State, System, Term};

pub use covers::{Hindrance, covers};
use invariant::Subject;
pub use invariant::{Effort, Script};
pub use rejection::{Flaw, FormulaFlaw, Place, Rejection, Undecided, Wrong, codes};
pub use run::{Reached, check_run};
pub use zone_set::{are_at_most, as_invariant, is_simulated};

/// What an engine shows its answer to a question by.
#[derive(Copy, Clone, Debug)]
pub enum Evidence<'a> {
    /// A run that is what was searched for, or leads to a fault.
    Run(&'a Run),
    /// Why there is none.
    Certificate(&'a Certificate),
}

/// What evidence has been found to show.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A run reaches this.
    Reached(Reached),
    /// Neither what was searched for nor a fault exists.
    Excluded,
}

/// Who checks evidence.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Checker {
    /// The one that is quick.
    #[default]
    Fast,
    /// The one that is to be read ([`mod@reference`]), with this solver.
    Reference(SolverChoice),
}

/// Which solver the reference checker asks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum SolverChoice {
    /// Z3, in this process.
    #[default]
    Z3,
    /// A command that speaks SMT-LIB 2, a program and its arguments separated by spaces.
    Smtlib(String),
}

impl SolverChoice {
    fn start(&self) -> Result<Box<dyn smt::Solver>, smt::Interrupt> {
        Ok(match self {
            SolverChoice::Z3 => Box::new(smt::z3::Z3Solver::new()?),
            SolverChoice::Smtlib(command) => Box::new(smt::smtlib::SmtlibSolver::start(command)?),
        })
    }
}

/// A judge of several answers about one system, who remembers what was found out about the states in a list.
pub struct Judge<'a> {
    system: &'a System,
    checker: Checker,
    memory: pairs::Memory,
}

impl<'a> Judge<'a> {
    /// Nothing found out yet.
    pub fn new(system: &'a System) -> Self {
        Judge::by(Checker::Fast, system)
    }
    /// The same, with a checker of one's choice.
    pub fn by(checker: Checker, system: &'a System) -> Self {
        Judge { system, checker, memory: pairs::Memory::default() }
    }
    /// Who checks.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }
    /// Checks any evidence for an answer to a question.
    pub fn check(
        &mut self,
        question: &Question,
        evidence: Evidence<'_>,
        stop: &AtomicBool,
    ) -> Result<Shown, Rejection> {
        if let Checker::Reference(solver) = &self.checker {
            return reference::check(self.system, question, evidence, &|| solver.start(), stop);
        }
        match evidence {
            Evidence::Run(run) => check_run(self.system, question, run, stop).map(Shown::Reached),
            Evidence::Certificate(certificate) => {
                self.certificate(question, certificate, stop).map(|()| Shown::Excluded)
            }
        }
    }
    fn certificate(
        &mut self,
        question: &Question,
        certificate: &Certificate,
        stop: &AtomicBool,
    ) -> Result<(), Rejection> {
        let system = self.system;
        if let (Question::Path(question), Certificate::Progress(proof)) = (question, certificate) {
            return progress::check(system, question, proof, &mut self.memory, stop);
        }
        if let (Question::Trap(goal), Certificate::Returns(proof)) = (question, certificate) {
            return returns::check(system, *goal, proof, stop);
        }
        let target = target(question)?;
        if let Certificate::Blocks(proof) = certificate {
            let system = blocks::system(system, target, proof)?;
            return Judge::new(&system).certificate(question, &proof.base, stop);
        }
        match certificate {
            Certificate::ClosedSet(set) => closed_set::check(system, target, &**set, None, stop),
            Certificate::Zones(set) => zone_set::check(system, target, &**set, None, stop),
            Certificate::Invariant(list) => {
                invariant::check(Subject::new(system, list).without(target), stop).map(drop)
            }
            Certificate::KInductive(proof) => k_induction::check(system, target, proof, stop),
            Certificate::Progress(_) | Certificate::Returns(_) | Certificate::Blocks(_) => {
                Err(Place::Whole.wrong(Flaw::OtherQuestion))
            }
        }
    }
}

/// Checks any evidence for an answer to a question.
pub fn check(
    system: &System,
    question: &Question,
    evidence: Evidence<'_>,
    stop: &AtomicBool,
) -> Result<Shown, Rejection> {
    Judge::new(system).check(question, evidence, stop)
}

/// Checks that `certificate` excludes what is searched for and every fault.
pub fn check_certificate(
    system: &System,
    question: &Question,
    certificate: &Certificate,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    Judge::new(system).certificate(question, certificate, stop)
}

/// Checks that `invariant` is one of `system` and excludes the target and every fault; says what that took.
pub fn check_invariant(
    system: &System,
    question: &Question,
    invariant: &Invariant,
    stop: &AtomicBool,
) -> Result<Effort, Rejection> {
    invariant::check(Subject::new(system, invariant).without(target(question)?), stop)
}

/// The same by a solver alone, which takes longer: nothing is shown by following paths over values and
/// difference bounds. For whoever doubts these.
pub fn check_invariant_by_solver(
    system: &System,
    question: &Question,
    invariant: &Invariant,
    stop: &AtomicBool,
) -> Result<Effort, Rejection> {
    invariant::check_by_solver(Subject::new(system, invariant).without(target(question)?), stop)
}

/// What became of an export.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Exported {
    /// Everything is there, or as much as was wanted.
    All,
    /// Everything about the product with an automaton is there, or as much as was wanted; what the automaton accepts is no
    /// matter for a solver.
    Base,
    /// States are listed, which needs no solver.
    States,
    /// There are so many zones that nobody would put them to a solver.
    ManyZones(usize),
}

/// Calls `emit` with everything that makes `certificate` one, until it answers `false`.
pub fn export_obligations(
    system: &System,
    question: &Question,
    certificate: &Certificate,
    stop: &AtomicBool,
    emit: &mut dyn FnMut(&Script) -> bool,
) -> Result<Exported, Rejection> {
    if let Certificate::Returns(_) = certificate {
        return Ok(Exported::States);
    }
    if let (Question::Path(question), Certificate::Progress(proof)) = (question, certificate) {
        return progress::export(system, question, proof, stop, emit);
    }
    let target = target(question)?;
    match certificate {
        Certificate::Progress(_) => return Err(Place::Whole.wrong(Flaw::OtherQuestion)),
        Certificate::Blocks(proof) => {
            let system = blocks::system(system, target, proof)?;
            return export_obligations(&system, question, &proof.base, stop, emit);
        }
        Certificate::ClosedSet(_) | Certificate::Returns(_) => return Ok(Exported::States),
        Certificate::Zones(set) if set.len() > zone_set::MOST_ENTRIES_AS_FORMULAS => {
            return Ok(Exported::ManyZones(set.len()));
        }
        Certificate::Zones(set) => {
            let invariant = as_invariant(system, question, &**set, stop)?;
            invariant::export(Subject::new(system, &invariant).without(target), stop, emit)?;
        }
        Certificate::Invariant(list) => {
            invariant::export(Subject::new(system, list).without(target), stop, emit)?;
        }
        Certificate::KInductive(proof) => k_induction::export(system, target, proof, stop, emit)?,
    }
    Ok(Exported::All)
}

/// The states that a question searches for, which sets of states are to be without.
fn target(question: &Question) -> Result<Term, Rejection> {
    question.target().ok_or_else(|| Place::Whole.wrong(Flaw::OtherQuestion))
}

/// An execution that cannot be followed: refused unless somebody asked to stop.
fn stuck(system: &System, place: Place, stuck: &Stuck) -> Rejection {
    place.wrong(match stuck {
        Stuck::Interrupted | Stuck::Spent => return Rejection::Interrupted,
        Stuck::NotEnumerable(var) => Flaw::NotEnumerable(NamedVar::of(system, *var)),
        Stuck::Delay => Flaw::Delay,
        Stuck::Needs(_) | Stuck::Misfit => Flaw::Choices,
    })
}

/// Checks that `state` has a location for each process and a fitting value, or none, for each
/// variable; everything else relies on that.
fn check_shape(system: &System, place: Place, state: &State) -> Result<(), Rejection> {
    let fits = state.locations.len() == system.processes.len()
        && system
            .processes
            .iter()
            .zip(&state.locations)
            .all(|(process, at)| process.locations.get(*at).is_some())
        && state.values.len() == system.state_vars().count();
    if !fits {
        return Err(place.wrong(Flaw::Shape));
    }
    for (var, value) in system.state_vars().zip(&state.values) {
        if value.as_ref().is_some_and(|value| !system.admits(var, value)) {
            return Err(place.wrong(Flaw::Value(NamedVar::of(system, var))));
        }
    }
    Ok(())
}
