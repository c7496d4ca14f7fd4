//! Bounded search for accepting lassos of a product, after Biere, Cimatti, Clarke and Zhu 1999.
//!
//! A run of `n` steps is a lasso if its last state is also an earlier one, number `i`, and accepting if the steps after
//! `i` are in every acceptance set between them. That is a condition on the states and choices of the run, for each `i`,
//! and asked for along with bad states. Runs come in order of length, so that the first lasso is as short as any.
//!
//! Where variables have no limits, no state need come again. So if no run of a length closes, those are looked at whose
//! last state has the locations of an earlier one, with accepting steps in between: the cycle may come back to a
//! [recurrent set](crate::recurrence). There can be many such runs; only a few of each length, and only short ones, are
//! tried.

use ir::{Id, Question, Run, State, Step, Steps, System, Term, VarId, VectorId};
use smt::{Answer as Said, Solver};

use super::unrolling::{Found, Unrolling};
use super::{count, unroll, view};
use crate::answer::{Answer, Reason};
use crate::cause::NoProgress;
use crate::config::{Config, Engine};
use crate::observer::{Observer, Statistics};
use crate::recurrence::recurrent;
use crate::stop::Stop;

/// Longer runs are not looked at for recurrent sets.
const LONGEST_RECURRENT: u32 = 16;
/// How many runs of one length are looked at for recurrent sets.
const RECURRENT_TRIES: usize = 4;

/// Searches a product for accepting lassos and for runs to bad states, shortest first.
pub(crate) fn search(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let view = view(product, &Question::Reach(target), Engine::Bmc);
    let unlimited = product.state_vars().any(|var| is_unlimited(product, var));
    unroll(view, config, stop, observer, |runs, counted| {
        let found = runs.look();
        count(counted, runs);
        match found? {
            Found::Bad => return Ok(Some(Answer::Found(runs.run()?))),
            Found::Nothing => {}
            // No run is that long, and none of the shorter ones comes back to where it was.
            Found::End => return Err(NoProgress::RunsEnd { depth: runs.depth() }.into()),
        }
        let mut lasso = runs.lasso(product);
        if unlimited && runs.depth() <= LONGEST_RECURRENT && lasso == Ok(None) {
            lasso = runs.recurrent_lasso(product, config, stop);
        }
        count(counted, runs);
        Ok(lasso?.map(Answer::Found))
    })
}

/// Whether a variable has infinitely many values.
fn is_unlimited(system: &System, var: VarId) -> bool {
    let ty = system.terms.var_type(var);
    system.vars[var].range.is_none() && system.types().cardinality(ty).is_none()
}

/// Whether steps come through every acceptance set of a product.
fn accept(product: &System, steps: &[Step]) -> bool {
    let Some(monitor) = &product.monitor else { return false };
    steps.iter().fold(0, |seen, step| seen | monitor.marks_of(&step.edges)) == monitor.all_marks()
}

impl Unrolling<'_> {
    /// An accepting lasso of all steps, if there is one.
    fn lasso(&mut self, product: &System) -> Result<Option<Run>, Reason> {
        let depth = self.depth() as usize;
        let closed: Vec<Term> = (0..depth).map(|start| self.closes(start)).collect();
        let some = self.view.system.terms.or(closed);
        let lit = self.solver.lit(&self.view.system.terms, some, &Steps::start())?;
        if self.solver.check(&[lit])? == Said::Unsat {
            return Ok(None);
        }
        let run = self.run()?;
        let states: Vec<&State> = run.states().collect();
        let start = (0..depth)
            .rev()
            .find(|start| states[*start] == states[depth] && accept(product, &run.steps[*start..]));
        Ok(start.map(|start| run.around(start)))
    }
    /// An accepting lasso of all steps that comes back to a recurrent set, if one is found.
    fn recurrent_lasso(
        &mut self,
        product: &System,
        config: &Config,
        stop: &Stop,
    ) -> Result<Option<Run>, Reason> {
        let depth = self.depth() as usize;
        let back: Vec<Term> = (0..depth).map(|start| self.comes_back(start)).collect();
        let some = self.view.system.terms.or(back);
        let mut wanted = vec![self.solver.lit(&self.view.system.terms, some, &Steps::start())?];
        for _ in 0..RECURRENT_TRIES {
            if self.solver.check(&wanted)? == Said::Unsat {
                return Ok(None);
            }
            let run = self.run()?;
            let other = self.takes_another_way(&run);
            let states: Vec<&State> = run.states().collect();
            let same = |start: &usize| states[*start].locations == states[depth].locations;
            let starts: Vec<usize> = (0..depth).rev().filter(same).collect();
            for start in starts.into_iter().filter(|start| accept(product, &run.steps[*start..])) {
                let lasso = run.clone().around(start);
                if let Some(head) = recurrent(product, &lasso, config, stop)? {
                    return Ok(Some(lasso.within(Some(head))));
                }
            }
            wanted.push(self.solver.lit(&self.view.system.terms, other, &Steps::start())?);
        }
        Ok(None)
    }
    /// That one of the steps is another than in this run.
    fn takes_another_way(&mut self, run: &Run) -> Term {
        let mut ways = vec![];
        for (at, (before, step)) in run.states().zip(&run.steps).enumerate() {
            let vector = self.view.vector(&before.locations);
            let mut actions = self.view.actions(vector).iter();
            let Some(number) = actions.position(|action| action.edges == step.edges) else { continue };
            let (chosen, step) = (self.view.chosen, self.cuts[at + 1].of(self.view.chosen));
            let terms = &mut self.view.system.terms;
            let (choice, number) = (terms.var_at(chosen, step), terms.int(number as i64));
            let same = terms.eq(choice, number);
            ways.push(terms.not(same));
        }
        self.view.system.terms.or(ways)
    }
    /// That the last state is the one after `start` steps, and every acceptance set is come through in between.
    fn closes(&mut self, start: usize) -> Term {
        let vars: Vec<VarId> = self.view.system.state_vars().collect();
        let mut parts = vec![self.comes_back(start)];
        parts.extend(vars.into_iter().map(|var| self.is_again(var, start)));
        self.view.system.terms.and(parts)
    }
    /// That the last state is where the one after `start` steps is, and every acceptance set is come through in between.
    fn comes_back(&mut self, start: usize) -> Term {
        let mut parts = vec![self.is_again(self.view.location, start)];
        let sets = self.view.system.monitor.as_ref().map_or(0, |monitor| monitor.sets);
        for set in 0..sets {
            let steps: Vec<Term> = (start..self.cuts.len() - 1).map(|step| self.is_in(set, step)).collect();
            parts.push(self.view.system.terms.or(steps));
        }
        self.view.system.terms.and(parts)
    }
    /// That a variable has the value in the last state that it has after `start` steps.
    fn is_again(&mut self, var: VarId, start: usize) -> Term {
        let (then, now) = (self.cuts[start].of(var), self.cuts[self.cuts.len() - 1].of(var));
        let terms = &mut self.view.system.terms;
        let (a, b) = (terms.var_at(var, then), terms.var_at(var, now));
        terms.eq(a, b)
    }
    /// That a step is in an acceptance set: it is one of the actions that are, by where it starts and what is chosen.
    fn is_in(&mut self, set: u32, step: usize) -> Term {
        let (before, after) = (self.cuts[step].clone(), self.cuts[step + 1].clone());
        let vectors: Vec<VectorId> = self.frames[step].keys().copied().collect();
        let mut ways = vec![];
        for vector in vectors {
            let actions = self.view.actions(vector).to_vec();
            let monitor = self.view.system.monitor.as_ref();
            let marked = |action: &ir::Action| {
                monitor.is_some_and(|monitor| monitor.marks_of(&action.edges) >> set & 1 == 1)
            };
            let numbers: Vec<usize> = (0..actions.len()).filter(|at| marked(&actions[*at])).collect();
            let (location, chosen) = (self.view.location, self.view.chosen);
            let terms = &mut self.view.system.terms;
            for number in numbers {
                let (at, place) =
                    (terms.var_at(location, before.of(location)), terms.int(vector.index() as i64));
                let (choice, number) = (terms.var_at(chosen, after.of(chosen)), terms.int(number as i64));
                let (here, this) = (terms.eq(at, place), terms.eq(choice, number));
                ways.push(terms.and([here, this]));
            }
        }
        self.view.system.terms.or(ways)
    }
}
