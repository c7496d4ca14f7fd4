//! Questions: what is searched for in a system.
//!
//! A property *claims* something ([`Claim`]); what an engine is given is a [`Question`], and it finds a run or
//! excludes that there is one. The claim says which question it poses ([`System::question`]) and what it means for
//! the claim that something was found ([`Claim::decided_by`]), both here and nowhere else.
//!
//! Claims about states ask for *reachability*. Claims about runs ask for a run whose word satisfies a formula, the negated
//! one, or is accepted by an automaton; a product with a monitor ([`crate::monitor`]) makes that reachability again, or a search for accepting cycles.
//! One claim is of branching time, that something can always be reached again, and asks for a run into a trap.
//! Whoever can answer only some kinds takes the question apart in one place.

use std::sync::Arc;

use crate::automaton::Automaton;
use crate::ltl::Formula;
use crate::response::Response;
use crate::system::{Claim, PathClaim, PathWords, System};
use crate::target::mentions_deadlock;
use crate::term::{Term, Terms};

/// What is searched for in a system; its terms are in the arena of that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Reachability: a run to an observed state where this, the *target*, holds, or to a fault.
    Reach(Term),
    /// A run whose word is one of a set, or to a fault.
    Path(PathQuestion),
    /// In a product, an accepting run: one that comes through every acceptance set of the monitor again and again, or one
    /// to an observed state where this, the target, holds; or one to a fault.
    Cycle(Term),
    /// A run to an observed state from which no observed state can be reached where this, the *goal*, holds; or to a
    /// fault.
    Trap(Term),
}

/// A run is searched for whose word is one of a set: an infinite one, or one that gets stuck and repeats its last state
/// if such runs do ([`crate::Stuck`]), or one whose beginning is enough.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathQuestion {
    /// The set, over numbered atoms.
    pub words: Words,
    /// What the atoms stand for.
    pub atoms: Vec<Term>,
    /// Where evaluating an atom goes wrong; a run to such a state that is read is found, too.
    pub undefined: Term,
}

/// A set of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Words {
    /// Those that satisfy a formula. A beginning is enough if every word that begins like this satisfies it.
    Satisfying(Arc<Formula>),
    /// Those that an automaton accepts. A beginning is enough if it leads to a sink.
    Accepted(Arc<Automaton>),
    /// Those that answer late. A beginning is enough if it is late already.
    Late(Response),
}

impl Question {
    /// The question that nothing answers but a fault.
    pub fn never(terms: &mut Terms) -> Self {
        Question::Reach(terms.bool(false))
    }
    /// The states that are searched for, if the question is about reachability.
    pub fn target(&self) -> Option<Term> {
        match self {
            Question::Reach(target) => Some(*target),
            Question::Path(_) | Question::Cycle(_) | Question::Trap(_) => None,
        }
    }
    /// The conditions on states that the question is about.
    pub fn conditions(&self) -> impl Iterator<Item = Term> + '_ {
        let (first, more) = match self {
            Question::Reach(target) | Question::Cycle(target) | Question::Trap(target) => (*target, &[][..]),
            Question::Path(PathQuestion { atoms, undefined, .. }) => (*undefined, &atoms[..]),
        };
        std::iter::once(first).chain(more.iter().copied())
    }
    /// Replaces each of these conditions.
    pub fn rewrite(&mut self, mut by: impl FnMut(Term) -> Term) {
        match self {
            Question::Reach(target) | Question::Cycle(target) | Question::Trap(target) => {
                *target = by(*target)
            }
            Question::Path(PathQuestion { atoms, undefined, .. }) => {
                *undefined = by(*undefined);
                atoms.iter_mut().for_each(|atom| *atom = by(*atom));
            }
        }
    }
    /// Whether it asks for deadlocks.
    pub fn mentions_deadlock(&self, system: &System) -> bool {
        self.conditions().any(|condition| mentions_deadlock(system, condition))
    }
}

impl System {
    /// What a claim searches for: a run that decides it.
    pub fn question(&mut self, claim: Claim) -> Question {
        match claim {
            Claim::Always(term) => Question::Reach(self.terms.not(term)),
            Claim::Possibly(term) => Question::Reach(term),
            Claim::Every(path) => {
                let PathClaim { words, atoms, undefined } = self.paths[path].clone();
                let words = match words {
                    PathWords::Satisfy(formula) => Words::Satisfying(Arc::new(formula.negated())),
                    PathWords::Avoid(automaton) => Words::Accepted(automaton),
                    PathWords::Respond(response) => Words::Late(response),
                };
                Question::Path(PathQuestion { words, atoms, undefined })
            }
            Claim::Some(path) => {
                let PathClaim { words, atoms, undefined } = self.paths[path].clone();
                let words = match words {
                    PathWords::Satisfy(formula) => Words::Satisfying(Arc::new(formula)),
                    PathWords::Avoid(automaton) => Words::Accepted(automaton),
                    PathWords::Respond(response) => Words::Late(response),
                };
                Question::Path(PathQuestion { words, atoms, undefined })
            }
            Claim::AlwaysPossibly(term) => Question::Trap(term),
        }
    }
}

impl Claim {
    /// Whether the claim is true, given whether what its question searches for was found or excluded.
    pub fn decided_by(self, found: bool) -> bool {
        match self {
            Claim::Always(_) | Claim::Every(_) | Claim::AlwaysPossibly(_) => !found,
            Claim::Possibly(_) | Claim::Some(_) => found,
        }
    }
}
