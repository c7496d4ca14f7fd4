//! Preprocessing: a system and a question made smaller, with the way back for evidence.
//!
//! Processes, locations and edges stay as they are. Three rewritings take turns, each exact for what is
//! asked, and each with its own argument in its own file:
//! - [`constants`]: variables that never change their initial value are folded;
//! - [`slice`]: variables that decide nothing are dropped;
//! - [`cutoff`]: counters that are only compared with constants stop counting above these.
//!
//! A variable that is gone from the states stays declared, as a local one, so that all others keep their
//! numbers.
//!
//! # The way back
//! Evidence is for the system as it was. Let `α` map its states to those of the rewritten system. Every
//! rewriting makes `α` a bisimulation on reachable states: steps of the one are steps of the other along the
//! same edges, and bad states are mapped to bad ones.
//! - A **run** is executed again: after every step, the variables that both systems have must agree. What
//!   was dropped decides nothing, so any such execution can be continued.
//! - An **invariant** is lifted by substitution, `I ∘ α`, together with the folded constants. It is closed,
//!   because a step from `s` to `t` is one from `α(s)` to `α(t)`.
//! - The lemma of an **induction** likewise. Rows of states stay rows, so base and step still hold. Rows of
//!   *different* states need not stay different, unless `α` is one-to-one; that of folding is, given the
//!   constants. So induction, which may use that, gets no other rewriting.
//! - A **closed set** is one again after folding: the constants are put in. After slicing and cut-off, or if
//!   it has states with open values, it becomes an invariant with one formula for every state, because such
//!   a state stands for many of the old system.
//!
//! Where evidence cannot be lifted, the search is done again without preprocessing.

mod constants;
mod cutoff;
mod lift;
mod rewrite;
mod slice;

use ir::{System, Term, Value, VarId, WayBack};

use crate::answer::Answer;
use crate::config::Engine;
use crate::stop::Stop;

/// A system and what is searched for in it, rewritten.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The system, in an arena that extends the old one.
    pub system: System,
    /// What is searched for, in the order that it was given in.
    pub targets: Vec<Term>,
    /// Back to the old system, whose arena is that of `original`.
    pub way_back: WayBack,
    /// The old system; its arena has the terms of the way back, too.
    pub original: System,
    /// What was done, in words; empty if nothing was.
    pub summary: Vec<String>,
    /// Folded variables with their constants.
    folded: Vec<(VarId, Value)>,
    /// Whether different states of the old system can be the same now.
    merges: bool,
}

/// Which rewritings are welcome.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rewritings {
    /// All of them.
    All,
    /// Those that keep different states different.
    OneToOne,
}

impl Rewritings {
    /// What an engine makes good use of.
    pub fn welcome(engine: Engine) -> Self {
        // Induction may ask for different states; so does its certificate, of the system as it was.
        if engine == Engine::Kind { Rewritings::OneToOne } else { Rewritings::All }
    }
}

/// Rewrites `system`, which must be untimed, and `targets`; each of them keeps its meaning.
pub fn preprocess(system: &System, targets: &[Term], which: Rewritings, stop: &Stop) -> Preprocessed {
    let mut result = Preprocessed {
        system: system.clone(),
        targets: targets.to_vec(),
        way_back: WayBack::identity(),
        original: system.clone(),
        summary: vec![],
        folded: vec![],
        merges: false,
    };
    if system.clocks().next().is_some() {
        return result;
    }
    constants::fold(&mut result);
    if which == Rewritings::All && !stop.requested() {
        slice::drop_irrelevant(&mut result);
        if !stop.requested() {
            cutoff::cut(&mut result, stop);
        }
    }
    result
}

impl Preprocessed {
    /// Whether nothing was done.
    pub fn is_identity(&self) -> bool {
        self.summary.is_empty()
    }
    /// What an engine answered about the rewritten system, as an answer about the old one; `None` if that
    /// cannot be done.
    pub fn lift(&self, answer: Answer, stop: &Stop) -> Option<Answer> {
        lift::answer(self, answer, stop)
    }
    fn say(&mut self, what: &str, vars: &[VarId], so: &str) {
        let names: Vec<String> = vars
            .iter()
            .filter(|var| self.system.vars[**var].shown)
            .map(|var| format!("`{}`", self.system.vars[*var].name))
            .collect();
        let hidden = vars.len() - names.len();
        let mut list = names.join(", ");
        if hidden > 0 {
            let joint = if list.is_empty() { "" } else { " and " };
            list = format!("{list}{joint}{hidden} hidden variable{}", if hidden == 1 { "" } else { "s" });
        }
        self.summary.push(format!("{what} {list}{so}"));
    }
}
