//! Questions: what is searched for in a system.
//!
//! A property *claims* something ([`Claim`]); what an engine is given is a [`Question`], and it finds a run or
//! excludes that there is one. The claim says which question it poses ([`System::question`]) and what it means for
//! the claim that something was found ([`Claim::decided_by`]), both here and nowhere else.
//!
//! There is one kind of question, reachability. Whoever can answer only that takes the question apart in one place, so
//! that the compiler lists these places when there is another kind, say whether there is a run that comes through an
//! accepting cycle for ever.

use crate::system::{Claim, System};
use crate::target::mentions_deadlock;
use crate::term::{Term, Terms};

/// What is searched for in a system; its terms are in the arena of that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Reachability: a run to an observed state where this, the *target*, holds, or to a fault.
    Reach(Term),
}

impl Question {
    /// The question that nothing answers but a fault.
    pub fn never(terms: &mut Terms) -> Self {
        Question::Reach(terms.bool(false))
    }
    /// The question that is answered by whatever answers one of several.
    pub fn any<'a>(terms: &mut Terms, questions: impl IntoIterator<Item = &'a Question>) -> Self {
        let targets = questions.into_iter().map(|Question::Reach(target)| *target);
        Question::Reach(terms.or(targets))
    }
    /// The conditions on states that the question is about.
    pub fn conditions(&self) -> impl Iterator<Item = Term> {
        let Question::Reach(target) = self;
        std::iter::once(*target)
    }
    /// Replaces each of these conditions.
    pub fn rewrite(&mut self, mut by: impl FnMut(Term) -> Term) {
        let Question::Reach(target) = self;
        *target = by(*target);
    }
    /// Whether it asks for deadlocks.
    pub fn mentions_deadlock(&self, system: &System) -> bool {
        self.conditions().any(|condition| mentions_deadlock(system, condition))
    }
}

impl System {
    /// What a claim searches for: a run that decides it.
    pub fn question(&mut self, claim: Claim) -> Question {
        Question::Reach(match claim {
            Claim::Always(term) => self.terms.not(term),
            Claim::Possibly(term) => term,
        })
    }
}

impl Claim {
    /// Whether the claim is true, given whether what its question searches for was found or excluded.
    pub fn decided_by(self, found: bool) -> bool {
        match self {
            Claim::Always(_) => !found,
            Claim::Possibly(_) => found,
        }
    }
}
