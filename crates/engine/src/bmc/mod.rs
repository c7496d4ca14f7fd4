//! Bounded model checking (BMC): runs of growing length as formulas, after Biere, Cimatti, Clarke and Zhu, *Symbolic
//! model checking without BDDs*, 1999.
//!
//! One solver holds the formula of all runs of `n` steps ([`unrolling`]). Whether one of them ends in a
//! bad state is asked under an assumption; if not, that is asserted, the formula grows by a step, and
//! nothing is ever asserted again. A model is executed, which gives a run that is as short as any.
//!
//! Bounded search finds bad states and never shows that there are none, with one exception: if no run has
//! `n` steps, all have been looked at. That is [`ir::Argument::Exhaustion`].

pub(crate) mod lasso;
pub(crate) mod unrolling;

use std::time::Instant;

use indexmap::IndexSet;
use ir::{
    Argument, Certificate, Invariant, InvariantEntry, KInductive, Monolithic, NamedVar, Question, System,
    VectorId,
};
use smt::{Limits, Solver};

use crate::answer::{Answer, Reason};
use crate::cause::Unsupported;
use crate::config::{Config, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::observer::{BoundedStatistics, Observer, Phase, Progress, Statistics};
use crate::preprocess::Rewritings;
use crate::stop::{CALL, Stop};
use unrolling::{Found, Unrolling};

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "bmc",
    title: "bounded model checking",
    good_for: "short counterexamples",
    paper: "Biere, Cimatti, Clarke and Zhu 1999",
    timing: Timing::Data,
    refines: false,
    bounded: true,
    blocks: true,
    bits: true,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::one(search),
};

/// Searches for runs to bad states, shortest first.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let view = view(system, question, Engine::Bmc);
    unroll(view, config, stop, observer, |runs, counted| {
        let found = runs.look();
        count(counted, runs);
        Ok(match found? {
            Found::Bad => Some(Answer::Found(runs.run()?)),
            Found::End => {
                let lemma = anywhere(&mut runs.view, stop)?;
                let k = runs.depth().max(1);
                let proof = KInductive { k, argument: Argument::Exhaustion, lemma };
                Some(Answer::Excluded(Certificate::KInductive(proof)))
            }
            Found::Nothing => None,
        })
    })
}

/// Lets `look` at the runs of a system, which get longer by a step until it answers.
fn unroll(
    view: Result<Monolithic, Reason>,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    mut look: impl FnMut(&mut Unrolling<'_>, &mut BoundedStatistics) -> Result<Option<Answer>, Reason>,
) -> (Answer, Statistics) {
    answer(stop, |counted| {
        let mut runs = Unrolling::new(view?, config.theory, stop)?;
        runs.solver.limit(Limits { deadline: None, work: config.work_limit });
        let interrupter = runs.solver.interrupter();
        let _listening = stop.listen(move || interrupter.interrupt());
        let mut reporter = Reporter::new(Phase::Bounded, stop);
        loop {
            if let Some(answer) = look(&mut runs, counted)? {
                return Ok(answer);
            }
            if config.bound.is_some_and(|bound| bound <= runs.depth()) {
                return Err(Reason::Bound(runs.depth()));
            }
            within(config, counted)?;
            runs.extend()?;
            reporter.tell(observer, counted);
        }
    })
}

/// Runs `search`, which counts what it does, and turns its failures into reasons.
pub(crate) fn answer(
    stop: &Stop,
    search: impl FnOnce(&mut BoundedStatistics) -> Result<Answer, Reason>,
) -> (Answer, Statistics) {
    let mut counted = BoundedStatistics::default();
    let answer = match search(&mut counted) {
        Ok(answer) => answer,
        Err(Reason::Interrupted) => Answer::Unknown(stop.reason()),
        Err(reason) => Answer::Unknown(reason),
    };
    (answer, Statistics { depth: counted.depth, bounded: Some(counted), ..Statistics::default() })
}

/// The formulas of a system without delays.
pub(crate) fn view(system: &System, question: &Question, engine: Engine) -> Result<Monolithic, Reason> {
    let target = crate::temporal::target(question, engine)?;
    match system.timed() {
        None => Ok(Monolithic::new(system, target)),
        Some(clock) => Err(Unsupported::Clock { clock: NamedVar::of(system, clock), engine }.into()),
    }
}

/// Fails if enough has been asked.
pub(crate) fn within(config: &Config, counted: &BoundedStatistics) -> Result<(), Reason> {
    match config.call_limit {
        Some(limit) if counted.solver_calls >= limit => Err(Reason::Calls(limit)),
        _ => Ok(()),
    }
}

/// Notes how far the search has come.
pub(crate) fn count(counted: &mut BoundedStatistics, runs: &Unrolling) {
    counted.depth = u64::from(runs.depth());
    (counted.solver_calls, counted.solver_time) = runs.solver.work();
}

/// Tells an observer, but not too often.
pub(crate) struct Reporter<'a> {
    phase: Phase,
    last: Instant,
    stop: &'a Stop,
    /// How many questions to solvers were noted as work.
    paid: u64,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(phase: Phase, stop: &'a Stop) -> Self {
        Reporter { phase, last: Instant::now(), stop, paid: 0 }
    }
    pub(crate) fn tell(&mut self, observer: &mut dyn Observer, counted: &BoundedStatistics) {
        // The longer the runs, the larger the questions.
        let asked =
            counted.solver_calls.saturating_sub(std::mem::replace(&mut self.paid, counted.solver_calls));
        self.stop.spend(asked * CALL * (counted.depth + 1));
        if self.last.elapsed() >= crate::cegar::REPORT {
            self.last = Instant::now();
            let BoundedStatistics { depth, solver_calls, .. } = *counted;
            observer.progress(&Progress { phase: self.phase, depth, solver_calls, ..Progress::default() });
        }
    }
}

/// The lemma that says where the system can be, and nothing of the values it has there.
fn anywhere(view: &mut Monolithic, stop: &Stop) -> Result<Invariant, Reason> {
    let start = view.system.initial_locations();
    let mut numbers: IndexSet<VectorId> = IndexSet::from([view.vector(&start)]);
    let mut entries = vec![];
    while let Some(vector) = numbers.get_index(entries.len()).copied() {
        if stop.requested() {
            return Err(stop.reason());
        }
        let mut successors = vec![];
        for action in view.actions(vector).to_vec() {
            successors.push(numbers.insert_full(view.vector(&action.target)).0 as u32);
        }
        successors.sort_unstable();
        successors.dedup();
        let (locations, formula) = (view.locations(vector).into(), view.system.terms.bool(true));
        entries.push(InvariantEntry { locations, formula, successors });
    }
    Ok(Invariant { terms: view.system.terms.clone(), initial: vec![0], entries })
}
