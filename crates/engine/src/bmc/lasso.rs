//! Bounded search for accepting lassos of a product, after Biere, Cimatti, Clarke and Zhu 1999.
//!
//! A run of `n` steps is a lasso if its last state is also an earlier one, number `i`, and accepting if the steps after
//! `i` are in every acceptance set between them. That is a condition on the states and choices of the run, for each `i`,
//! and asked for along with bad states. Runs come in order of length, so that the first lasso is as short as any.

use ir::{Id, Question, Run, State, Steps, System, Term, VectorId};
use smt::{Answer as Said, Solver};

use super::unrolling::{Found, Unrolling};
use super::{count, unroll, view};
use crate::answer::{Answer, Reason};
use crate::cause::NoProgress;
use crate::config::{Config, Engine};
use crate::observer::{Observer, Statistics};
use crate::stop::Stop;

/// Searches a product for accepting lassos and for runs to bad states, shortest first.
pub(crate) fn search(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let view = view(product, &Question::Reach(target), Engine::Bmc);
    unroll(view, config, stop, observer, |runs, counted| {
        let found = runs.look();
        count(counted, runs);
        match found? {
            Found::Bad => return Ok(Some(Answer::Found(runs.run()?))),
            Found::Nothing => {}
            // No run is that long, and none of the shorter ones comes back to where it was.
            Found::End => return Err(NoProgress::RunsEnd { depth: runs.depth() }.into()),
        }
        let lasso = runs.lasso(product);
        count(counted, runs);
        Ok(lasso?.map(Answer::Found))
    })
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
        let accepts = |start: &usize| {
            let monitor = product.monitor.as_ref();
            let seen = run.steps[*start..]
                .iter()
                .fold(0, |seen, step| seen | monitor.map_or(0, |monitor| monitor.marks_of(&step.edges)));
            states[*start] == states[depth] && Some(seen) == monitor.map(ir::monitor::Monitor::all_marks)
        };
        let start = (0..depth).rev().find(accepts);
        Ok(start.map(|start| run.around(start)))
    }
    /// That the last state is the one after `start` steps, and every acceptance set is come through in between.
    fn closes(&mut self, start: usize) -> Term {
        let last = self.cuts.len() - 1;
        let (then, now) = (self.cuts[start].clone(), self.cuts[last].clone());
        let mut parts = vec![];
        for var in self.view.system.state_vars().chain([self.view.location]).collect::<Vec<_>>() {
            let terms = &mut self.view.system.terms;
            let (a, b) = (terms.var_at(var, then.of(var)), terms.var_at(var, now.of(var)));
            parts.push(terms.eq(a, b));
        }
        let sets = self.view.system.monitor.as_ref().map_or(0, |monitor| monitor.sets);
        for set in 0..sets {
            let steps: Vec<Term> = (start..last).map(|step| self.is_in(set, step)).collect();
            parts.push(self.view.system.terms.or(steps));
        }
        self.view.system.terms.and(parts)
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
