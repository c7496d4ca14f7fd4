//! Preprocessing: a system and a question made smaller, with the way back for evidence.
//!
//! Processes, locations and edges stay as they are. Four rewritings take turns, each exact for what is
//! asked, and each with its own argument in its own file:
//! - [`constants`]: variables that never change their initial value are folded;
//! - [`slice`]: variables that decide nothing are dropped;
//! - [`cutoff`]: counters that are only compared with constants stop counting above these;
//! - [`overwritten`]: values that are set anew before anybody reads them are left out and forgotten between
//!   steps, for those who list zones.
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
//! - A **list of zones** is one again: constants are put in, and what was dropped or forgotten is open in every
//!   entry, clocks included, which no bound of an entry speaks of. Cut-off has no such list, so those who make
//!   one do without.
//!
//! Where evidence cannot be lifted, the search is done again without preprocessing.
//!
//! # Time
//! For engines that know data only, time is made data first ([`ir::spell_out`]), and the rewritings work on
//! what that gives; evidence goes back the same way, in two steps. There is no search without that. For the others
//! a delay stays a delay, and a run has the same delays on its way back.

mod constants;
mod cutoff;
mod demand;
mod lift;
mod overwritten;
mod rewrite;
mod slice;
mod widened;

use ir::{Elapsed, Question, System, Value, VarId, WayBack};

use crate::answer::Answer;
use crate::config::Engine;
use crate::stop::Stop;

/// A system and what is searched for in it, rewritten.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The system, in an arena that extends the old one.
    pub system: System,
    /// What is searched for, in the order that it was given in.
    pub questions: Vec<Question>,
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
    /// If the old system, `original`, has its delays spelled out: the way back from it.
    elapsed: Option<Elapsed>,
}

/// Which rewritings are welcome.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rewritings {
    /// All of them.
    All,
    /// Those that keep different states different.
    OneToOne,
    /// Those that a list of zones has a way back from.
    Zones,
}

impl Rewritings {
    /// What an engine makes good use of.
    pub fn welcome(engine: Engine) -> Self {
        // Induction may ask for different states; so does its certificate, of the system as it was.
        match engine {
            Engine::Kind => Rewritings::OneToOne,
            Engine::Zone | Engine::Lazy | Engine::ZoneCegar => Rewritings::Zones,
            _ => Rewritings::All,
        }
    }
}

/// Makes time data; `system` and `questions` are as they were otherwise.
pub fn encode(system: &System, questions: &[Question]) -> Preprocessed {
    let (system, elapsed) = ir::spell_out(system);
    let clocks: Vec<VarId> = system.clocks().collect();
    let mut result = Preprocessed::identity(&system, questions, Some(elapsed));
    result.say("encoded", &clocks, [" as a rational", " as rationals"]);
    result
}

/// Rewrites `system` and `questions`; each of them keeps its meaning.
pub fn preprocess(system: &System, questions: &[Question], which: Rewritings, stop: &Stop) -> Preprocessed {
    let mut result = Preprocessed::identity(system, questions, None);
    result.rewrite(which, stop);
    result
}

impl Preprocessed {
    fn identity(system: &System, questions: &[Question], elapsed: Option<Elapsed>) -> Self {
        Preprocessed {
            system: system.clone(),
            questions: questions.to_vec(),
            way_back: WayBack::identity(),
            original: system.clone(),
            summary: vec![],
            folded: vec![],
            merges: false,
            elapsed,
        }
    }
    /// The rewritings that are welcome, one after the other.
    pub(crate) fn rewrite(&mut self, which: Rewritings, stop: &Stop) {
        // Whoever checks a list of zones reads the conditions as they were: what these mention is known there.
        let slices = which != Rewritings::OneToOne;
        let timed = self.system.timed().is_some();
        if slices && timed {
            slice::drop_irrelevant(self);
        }
        constants::fold(self);
        if slices && !timed && !stop.requested() {
            slice::drop_irrelevant(self);
        }
        if which == Rewritings::All && !stop.requested() {
            cutoff::cut(self, stop);
        }
        // Where data are abstracted, a value that nobody knows costs more than one that nobody reads.
        if which == Rewritings::Zones && !stop.requested() {
            overwritten::leave_out(self, stop);
        }
    }
    /// What the search is to be done with if evidence cannot be lifted, if not the system as it was: the same
    /// without rewritings, but for that of time.
    pub(crate) fn plainer(&self, questions: &[Question]) -> Option<Preprocessed> {
        self.elapsed.as_ref().map(|elapsed| encode(&elapsed.original, questions))
    }
}

impl Preprocessed {
    /// Whether nothing was done.
    pub fn is_identity(&self) -> bool {
        self.summary.is_empty()
    }
    /// Whether the rewritten system and `original` are the same.
    pub(crate) fn is_plain(&self) -> bool {
        self.summary.len() == usize::from(self.elapsed.is_some())
    }
    /// What an engine answered about the rewritten system, as an answer about the old one; `None` if that
    /// cannot be done.
    pub fn lift(&self, answer: Answer, stop: &Stop) -> Option<Answer> {
        lift::answer(self, answer, stop)
    }
    /// Says what was done to variables, and `so` of several of them, `one` of a single one.
    fn say(&mut self, what: &str, vars: &[VarId], [one, so]: [&str; 2]) {
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
        self.summary.push(format!("{what} {list}{}", if vars.len() == 1 { one } else { so }));
    }
}
