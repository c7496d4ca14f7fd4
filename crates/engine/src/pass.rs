//! Passes: a problem made into another one, with the way back for evidence.
//!
//! A [`Problem`] is a system with questions about it. A [`Pass`] rewrites both such that every question keeps its
//! answer, and returns a [`Lift`], which takes evidence about the new system back to the old one. Passes know nothing
//! of each other, and a [`Pipeline`] composes them: it applies them in order, and their lifts in reverse order, as
//! Golem does with the transformations of its Horn clauses and the witnesses about them.
//!
//! A lift gets whole runs and certificates, and nothing else is said about what the two systems have in common. So a
//! pass may replace variables, as those of [`crate::preprocess`] do, or add processes and edges, as a product with a
//! monitor does. How much alike the runs must be depends on the question: see [`Preserves`].

use std::any::Any;

use ir::{Certificate, Descent, Question, Run, System};

use crate::answer::Answer;
use crate::preprocess::Rewriting;
use crate::stop::Stop;

/// A system, and what is asked about it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The system.
    pub system: System,
    /// The questions; a pass keeps their order.
    pub questions: Vec<Question>,
}

/// A way to make a problem another one.
pub trait Pass {
    /// How much of the runs it keeps; the argument is in the documentation of its module.
    fn preserves(&self) -> Preserves;
    /// Makes the problem another one, and says how to get back; `None` if there is nothing to do. Then the problem is as
    /// it was, but that its arena may have more terms.
    fn apply(&self, problem: &mut Problem, stop: &Stop) -> Option<Box<dyn Lift>>;
}

/// The way back from what a pass has made of a system, which is called `after` here.
pub trait Lift: Any + Send + Sync {
    /// What the pass did, in words, a line for each thing.
    fn summary(&self) -> Vec<Rewriting>;
    /// The system before the pass.
    fn before(&self) -> &System;
    /// A run of the system after the pass as one of the system before it; `None` if none is found.
    fn run(&self, after: &System, run: &Run, stop: &Stop) -> Option<Run>;
    /// A certificate about the system after the pass as one about the system before it; `None` if there is no such
    /// certificate.
    fn certificate(&self, after: &System, certificate: Certificate, stop: &Stop) -> Option<Certificate>;
    /// A certificate about a product, together with why no run of that comes through every acceptance set again and
    /// again; `None` if there is no such certificate, or no pass like this one is made for products.
    fn progress(
        &self,
        _after: &System,
        _base: Certificate,
        _descent: Descent,
        _stop: &Stop,
    ) -> Option<(Certificate, Descent)> {
        None
    }
    /// Takes in the lift of the next pass, if one way back for both takes less than one after the other; whether it
    /// has.
    fn absorb(&mut self, _next: &dyn Lift) -> bool {
        false
    }
}

/// What a pass keeps of the runs of a system, from the least to the most.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preserves {
    /// Which of the states that are asked for can be reached, and whether faults can.
    Reachability,
    /// What questions see of the observed states along every run, but not how often in a row.
    Stuttering,
    /// What questions see of the observed states along every run, step by step. There is a bisimulation on reachable
    /// states: steps of the one system are steps of the other.
    ObservedRuns,
}

impl Preserves {
    /// Whether the answer to a question stays the same.
    pub fn suffices(self, question: &Question) -> bool {
        let least = match question {
            Question::Reach(_) => Preserves::Reachability,
            Question::Path(_) | Question::Cycle(_) | Question::Trap(_) => Preserves::ObservedRuns,
        };
        self >= least
    }
}

/// A problem that has gone through passes, and the way back.
pub struct Pipeline {
    /// What is left of it.
    pub problem: Problem,
    /// What was done, in words; empty if nothing was.
    pub summary: Vec<Rewriting>,
    lifts: Vec<Box<dyn Lift>>,
}

impl Pipeline {
    /// A problem as it is.
    pub fn new(problem: Problem) -> Self {
        Pipeline { problem, summary: vec![], lifts: vec![] }
    }
    /// Applies one more pass, if the questions allow it.
    pub fn apply(&mut self, pass: &dyn Pass, stop: &Stop) {
        let suffices = |question: &Question| pass.preserves().suffices(question);
        if self.problem.questions.iter().all(suffices)
            && let Some(lift) = pass.apply(&mut self.problem, stop)
        {
            self.summary.extend(lift.summary());
            if !self.lifts.last_mut().is_some_and(|last| last.absorb(&*lift)) {
                self.lifts.push(lift);
            }
        }
    }
    /// Whether the problem is as it was.
    pub fn is_identity(&self) -> bool {
        self.lifts.is_empty()
    }
    /// An answer about what is left as an answer about what there was; `None` if its evidence cannot be lifted.
    pub fn lift(&self, mut answer: Answer, stop: &Stop) -> Option<Answer> {
        let mut after = &self.problem.system;
        for lift in self.lifts.iter().rev() {
            answer = match answer {
                Answer::Found(run) => Answer::Found(lift.run(after, &run, stop)?),
                Answer::Excluded(certificate) => {
                    Answer::Excluded(lift.certificate(after, certificate, stop)?)
                }
                Answer::Unknown(_) => return Some(answer),
            };
            after = lift.before();
        }
        Some(answer)
    }
    /// The same, where what is left is a product, and an answer that nothing was found also says why no run is accepting.
    pub fn lift_endless(
        &self,
        answer: Answer,
        mut descent: Descent,
        stop: &Stop,
    ) -> Option<(Answer, Descent)> {
        let Answer::Excluded(mut base) = answer else { return Some((self.lift(answer, stop)?, descent)) };
        let mut after = &self.problem.system;
        for lift in self.lifts.iter().rev() {
            (base, descent) = lift.progress(after, base, descent, stop)?;
            after = lift.before();
        }
        Some((Answer::Excluded(base), descent))
    }
}
