//! Preprocessing: the passes that make a system and its questions smaller.
//!
//! Processes, locations and edges stay as they are. Four passes rewrite data, each exact for what is asked, and each with
//! its own argument in its own file:
//! - [`constants`], constant propagation: variables that never change their initial value are folded;
//! - [`slice`], the cone of influence: variables that decide nothing are dropped;
//! - [`cutoff`], counter saturation: counters that are only compared with constants stop counting above these;
//! - [`overwritten`], dead stores: values that are set anew before anybody reads them are left out and forgotten
//!   between steps, for those who list zones.
//!
//! Before them, the statements of a program are put together in large blocks ([`blocks`]), for engines that look at a
//! step as a formula.
//!
//! A variable that is gone from the states stays declared, as a local one, so that all others keep their
//! numbers. One more pass makes time data ([`encoding`]), for engines that know data only; it comes first, and there is
//! no search without it. For the others a delay stays a delay, and a run has the same delays on its way back.
//!
//! # The way back
//! Evidence is for the system as it was. Let `α` map its states to those of the rewritten system. Every
//! rewriting of data makes `α` a bisimulation on reachable states: steps of the one are steps of the other along the
//! same edges, and bad states are mapped to bad ones. What that means for evidence is the same for all of them ([`lift`]):
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
//! Where evidence cannot be lifted, the search is done again without these passes.

mod blocks;
mod constants;
mod cutoff;
mod demand;
mod encoding;
mod lift;
mod overwritten;
mod record;
mod rewrite;
mod slice;
mod widened;

pub use record::{RewriteKind, Rewriting};

use ir::{NamedVar, Question, System, VarId};

use crate::config::{Config, Encoding};
use crate::pass::{Pass, Pipeline, Problem};
use crate::stop::Stop;
use crate::zone;
use blocks::LargeBlocks;
use constants::ConstantPropagation;
use cutoff::CounterSaturation;
pub(crate) use encoding::ClockEncoding;
use overwritten::DeadStores;
use slice::Slicing;

/// Which rewritings of data are welcome.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rewritings {
    /// All of them.
    All,
    /// Those that keep different states different: induction may ask for such; so does its certificate, of the system as it
    /// was.
    OneToOne,
    /// Those that a list of zones has a way back from.
    Zones,
}

impl Rewritings {
    /// The passes for a system, in order.
    pub fn passes(self, system: &System) -> Vec<Box<dyn Pass>> {
        let mut list: Vec<Box<dyn Pass>> = match (self, system.timed()) {
            (Rewritings::OneToOne, _) => vec![Box::new(ConstantPropagation)],
            // Whoever checks a list of zones reads the conditions as they were: what these mention is known there.
            (_, Some(_)) => vec![Box::new(Slicing), Box::new(ConstantPropagation)],
            (_, None) => vec![Box::new(ConstantPropagation), Box::new(Slicing)],
        };
        match self {
            Rewritings::All => list.push(Box::new(CounterSaturation)),
            // Where data are abstracted, a value that nobody knows costs more than one that nobody reads.
            Rewritings::Zones => list.push(Box::new(DeadStores::before(system))),
            Rewritings::OneToOne => {}
        }
        list
    }
}

/// A system and questions about it, rewritten for whoever has use for it.
pub fn preprocess(system: &System, questions: &[Question], which: Rewritings, stop: &Stop) -> Pipeline {
    let mut work = Pipeline::new(Problem { system: system.clone(), questions: questions.to_vec() });
    rewrite(&mut work, which, stop);
    work
}

fn rewrite(work: &mut Pipeline, which: Rewritings, stop: &Stop) {
    for pass in which.passes(&work.problem.system) {
        if !stop.requested() {
            work.apply(&*pass, stop);
        }
    }
}

/// A system and questions about it as an engine gets them, if that is something else than what there is: time as data,
/// where it knows nothing else, and smaller, if that is wanted.
pub(crate) fn prepare(
    system: &System,
    questions: &[Question],
    config: &Config,
    stop: &Stop,
) -> Option<Pipeline> {
    let which = config.engine.description().passes;
    if system.timed().is_some() && config.engine.encodes_time() {
        let mut work = Pipeline::new(Problem { system: system.clone(), questions: questions.to_vec() });
        work.apply(&ClockEncoding, stop);
        if config.preprocess {
            rewrite(&mut work, which, stop);
        }
        return Some(work);
    }
    // Without time there are no zones to be saved, and there is no proof by zones about more clocks than fit into
    // one, however many of them matter.
    let pointless = match system.timed() {
        None => which == Rewritings::Zones,
        Some(_) => zone::check_size(system.clocks().count() + 1).is_err(),
    };
    if !config.preprocess || pointless {
        return None;
    }
    let mut work = Pipeline::new(Problem { system: system.clone(), questions: questions.to_vec() });
    if config.encoding == Encoding::Lbe && config.engine.takes_blocks() {
        work.apply(&LargeBlocks, stop);
    }
    rewrite(&mut work, which, stop);
    (!work.is_identity() && !stop.requested()).then_some(work)
}

/// What was done to variables.
fn rewriting(system: &System, what: RewriteKind, vars: &[VarId]) -> Rewriting {
    let shown = vars.iter().filter(|var| system.vars[**var].shown);
    let variables: Vec<NamedVar> = shown.map(|var| NamedVar::of(system, *var)).collect();
    let hidden = vars.len() - variables.len();
    Rewriting { what, variables, hidden }
}
