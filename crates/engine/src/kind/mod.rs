//! k-induction, induction over several steps, after Sheeran, Singh and Stålmarck, *Checking safety properties using
//! induction and a SAT-solver*, 2000, made incremental as in Eén and Sörensson, *Temporal induction by
//! incremental SAT solving*, 2003.
//!
//! The *base* is bounded search: no state of the first `k` of any run is bad. The *step* is one formula
//! over `k + 1` states in a row, reachable or not: the lemma holds in all of them, the first `k` are not
//! bad, the last one is. If it has no model, nothing bad comes after the first `k` states either. Else `k`
//! grows; each of both solvers gets one more step, and nothing is ever asserted again.
//!
//! Many states that are not reachable would spoil the step. The [`lemma`] excludes some: it says which
//! values variables can have at all, and where the system can be. A shortest run to a bad state never
//! comes back to a state, so the states may also be required to be different. That is expensive for all
//! pairs, so only pairs that were equal in a model are; whether they were needed is part of the
//! certificate.

pub(crate) mod lemma;
mod values;

use ir::{
    Argument, Certificate, Frame, Invariant, KInductive, Monolithic, Question, Steps, System, Term, Value,
    VarId,
};
use rustc_hash::FxHashSet;
use smt::z3::Z3Solver;
use smt::{Answer as Sat, Interrupt, Limits, Lit, Solver};

use crate::answer::{Answer, Reason};
use crate::bmc::unrolling::{Found, Unrolling, refused, solver};
use crate::bmc::{Reporter, answer, count, view, within};
use crate::config::{Config, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::observer::{Observer, Phase, Statistics};
use crate::preprocess::Rewritings;
use crate::stop::Stop;

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "kind",
    title: "k-induction",
    good_for: "what follows from a few steps",
    paper: "Sheeran, Singh and Stålmarck 2000",
    timing: Timing::Data,
    refines: false,
    bounded: true,
    blocks: true,
    bits: true,
    solver: true,
    passes: Rewritings::OneToOne,
    procedure: Procedure::one(search),
};

/// Searches for runs to bad states, shortest first, and for reasons why there are none.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    answer(stop, |counted| {
        let view = view(system, question, Engine::Kind)?;
        let lemma = lemma::find(system, stop)?;
        let mut step = Step::new(view.clone(), lemma, config, stop)?;
        let mut base = Unrolling::new(view, config.theory, stop)?;
        base.solver.limit(Limits { deadline: None, work: config.work_limit });
        let interrupters = [base.solver.interrupter(), step.solver.interrupter()];
        let _listening = stop.listen(move || interrupters.iter().for_each(smt::Interrupter::interrupt));
        let mut reporter = Reporter::new(Phase::Induction, stop);
        let mut work = |counted: &mut crate::BoundedStatistics, base: &Unrolling, step: &Step| {
            count(counted, base);
            let (calls, time) = step.solver.work();
            counted.solver_calls += calls;
            counted.solver_time += time;
            counted.induction = u64::from(step.k);
            reporter.tell(observer, counted);
        };
        let proof = |k, argument, lemma| {
            Ok(Answer::Excluded(Certificate::KInductive(KInductive { k, argument, lemma })))
        };
        loop {
            let found = base.look();
            work(counted, &base, &step);
            match found? {
                Found::Bad => return Ok(Answer::Found(base.run()?)),
                Found::End => return proof(base.depth().max(1), Argument::Exhaustion, step.lemma),
                Found::Nothing => {}
            }
            let argument = step.try_next();
            work(counted, &base, &step);
            if let Some(argument) = argument? {
                return proof(step.k, argument, step.lemma);
            }
            if config.bound.is_some_and(|bound| bound <= base.depth()) {
                return Err(Reason::Bound(base.depth()));
            }
            within(config, counted)?;
            base.extend()?;
        }
    })
}

/// The variables for which an upper bound is easily found, wherever the system is; `None` if nothing was
/// found out in time.
pub(crate) fn bounded_above(system: &System, stop: &Stop) -> Option<FxHashSet<VarId>> {
    lemma::bounded_above(system, stop).ok()
}

/// How much work one question about a step may be, in the solver's unit: some seconds.
const WORK: u32 = 20_000_000;

/// States in a row, of which the lemma holds.
struct Step<'a> {
    view: Monolithic,
    solver: Z3Solver,
    stop: &'a Stop,
    lemma: Invariant,
    /// Where the lemma says the system can be.
    frame: Frame,
    /// The lemma and what is bad, at step 0.
    holds: Term,
    bad: Term,
    /// Where the variables are in every state.
    cuts: Vec<Steps>,
    /// How many of the states are not bad.
    k: u32,
    /// That some pairs of states are different.
    simple: Lit,
}

impl<'a> Step<'a> {
    fn new(mut view: Monolithic, lemma: Invariant, config: &Config, stop: &'a Stop) -> Result<Self, Reason> {
        let (frame, holds) = lemma::read(&mut view, &lemma);
        let bad = view.bad(&frame).map_err(|why| refused(&view, why))?;
        let work = config.work_limit;
        let mut solver = solver(&view, config.theory)?;
        let start = Steps::start();
        solver.assert(&view.system.terms, holds, &start)?;
        let simple = solver.activation()?;
        solver.limit(Limits { deadline: None, work: Some(work.map_or(WORK, |work| work.min(WORK))) });
        Ok(Step { view, solver, stop, lemma, frame, holds, bad, cuts: vec![start], k: 0, simple })
    }
    /// One more state that is not bad, and the next one that is: if that cannot be, why.
    fn try_next(&mut self) -> Result<Option<Argument>, Reason> {
        let step = self.view.step(&self.frame).map_err(|why| refused(&self.view, why))?;
        let terms = &self.view.system.terms;
        let last = self.cuts.last().expect("there is a first state").clone();
        let good = self.solver.lit(terms, self.bad, &last)?;
        self.solver.clause(&[!good])?;
        self.solver.assert(terms, step.formula, &last)?;
        let next = last.then(&step.after);
        self.solver.assert(terms, self.holds, &next)?;
        let bad = self.solver.lit(terms, self.bad, &next)?;
        self.cuts.push(next);
        self.k += 1;
        loop {
            if self.stop.requested() {
                return Err(self.stop.reason());
            }
            let answer = match self.solver.check(&[bad, self.simple]) {
                // Too hard: the base goes on, and one more state may make it easier.
                Err(Interrupt::Budget | Interrupt::Unknown(_)) => return Ok(None),
                answer => answer?,
            };
            if answer == Sat::Unsat {
                let argument = match self.solver.core()?.contains(&self.simple) {
                    true => Argument::SimplePath,
                    false => Argument::Induction,
                };
                return Ok(Some(argument));
            }
            if !self.separate()? {
                return Ok(None);
            }
        }
    }
    /// Requires states that are the same in the last model to be different; whether there were any.
    fn separate(&mut self) -> Result<bool, Reason> {
        let vars: Vec<VarId> = self.view.system.state_vars().chain([self.view.location]).collect();
        let mut states: Vec<Vec<Value>> = vec![];
        for cut in &self.cuts {
            let value = |var: &VarId| {
                let term = self.view.system.terms.var(*var);
                self.solver.value(&self.view.system.terms, term, cut)
            };
            states.push(vars.iter().map(value).collect::<Result<_, _>>()?);
        }
        let mut pairs = vec![];
        for (second, state) in states.iter().enumerate() {
            pairs.extend(
                states[..second].iter().position(|other| other == state).map(|first| (first, second)),
            );
        }
        for (first, second) in &pairs {
            let differ = differ(&mut self.view, &vars, &self.cuts[*first], &self.cuts[*second]);
            self.solver.assert_if(&self.view.system.terms, self.simple, differ, &Steps::start())?;
        }
        Ok(!pairs.is_empty())
    }
}

/// That the states at two cuts are not the same.
fn differ(view: &mut Monolithic, vars: &[VarId], first: &Steps, second: &Steps) -> Term {
    let terms = &mut view.system.terms;
    let mut ways = vec![];
    for var in vars {
        let (a, b) = (terms.var_at(*var, first.of(*var)), terms.var_at(*var, second.of(*var)));
        let same = terms.eq(a, b);
        ways.push(terms.not(same));
    }
    terms.or(ways)
}
