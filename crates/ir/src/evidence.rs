//! What makes an answer checkable: states, runs and certificates.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::automaton::Automaton;
use crate::number::Rat;
use crate::system::{EdgeId, LocationId, ProcessId};
use crate::term::{Term, Terms};
use crate::value::Value;

/// A concrete state: where every process is, and the value of every state variable.
///
/// An open value (`None`) stands for every value of the variable's type and range, independently of
/// all others, so such a state is a set of states.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// The location of each process.
    pub locations: Box<[LocationId]>,
    /// The values of [`crate::System::state_vars`], in that order.
    pub values: Box<[Option<Value>]>,
}

/// One choice made while a statement runs, in order of execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// This branch of a `choice`.
    Branch(u32),
    /// This value at a `havoc`; `None` if it never matters.
    Value(Option<Value>),
    /// This much time at a `delay`.
    Delay(Rat),
}

/// The edges that move together in one step.
pub type Edges = SmallVec<[(ProcessId, EdgeId); 2]>;

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The edges taken.
    pub edges: Edges,
    /// How the non-determinism of their statement was resolved.
    pub decisions: Vec<Decision>,
    /// Where it led.
    pub state: State,
}

/// A concrete execution from an initial state: finite, or a *lasso* of a stem and a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// How the non-determinism of the initial statement was resolved.
    pub decisions: Vec<Decision>,
    /// The initial state.
    pub initial: State,
    /// What happened then: all of it, or the stem.
    pub steps: Vec<Step>,
    /// What happens for ever after that, if the run has no end.
    pub cycle: Option<Cycle>,
}

/// The part of an infinite run that is repeated.
///
/// It begins in the last state of the stem. Without a head, the state after it is that one again, and the run goes on
/// in the same way. With a head, the state after it is one of the head, and the run goes on with other values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// What happens once around; nothing if the last state of the stem is repeated because nothing can happen there.
    pub steps: Vec<Step>,
    /// The set of states that every round begins in, if it is not always the same state.
    pub head: Option<Box<Head>>,
}

/// A recurrent set of a cycle: a set of states, at the locations where the cycle begins, from which it can be gone around
/// for ever (Gupta, Henzinger, Majumdar, Rybalchenko and Xu 2008).
///
/// From every state of the head, the steps of the cycle can be taken one after the other, with the edges, the branches
/// and the values that they have in the recorded round; no step of it leads to a fault; wherever a state is read, every
/// atom has the truth value that it has there in the recorded round, and can be evaluated; and the state after the last
/// step is one of the head again. So a run that comes to the head has a continuation whose word is that of the recorded
/// round, again and again. A value that is open in the recorded round may be any one.
///
/// A head makes sense only of a cycle that has steps.
#[derive(Clone, Debug)]
pub struct Head {
    /// The arena of the formula. Its variables are those of the system, under the same numbers.
    pub terms: Terms,
    /// What is true of the states, over state variables.
    pub formula: Term,
}

/// Heads are the same if their formulas are, whatever else is in their arenas.
impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        let mut terms = self.terms.clone();
        terms.import(&other.terms, other.formula, &mut |terms, var| terms.var(var)) == self.formula
    }
}

impl Eq for Head {}

impl Run {
    /// The run that ends where it begins.
    pub fn begin(decisions: Vec<Decision>, initial: State) -> Self {
        Run { decisions, initial, steps: vec![], cycle: None }
    }
    /// The lasso whose cycle begins after so many steps; its last state must be the one there.
    pub fn around(mut self, start: usize) -> Self {
        self.cycle = Some(Cycle { steps: self.steps.split_off(start), head: None });
        self
    }
    /// The same lasso with a recurrent set, if it has a cycle; its last state must be one of the set, as must the one that
    /// the cycle begins in.
    pub fn within(mut self, head: Option<Head>) -> Self {
        self.cycle = self.cycle.map(|cycle| Cycle { head: head.map(Box::new), ..cycle });
        self
    }
    /// The finite run that goes around the cycle once.
    pub fn once_around(mut self) -> Self {
        self.steps.extend(self.cycle.take().into_iter().flat_map(|cycle| cycle.steps));
        self
    }
    /// All steps in order, those of the cycle once.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().chain(self.cycle.iter().flat_map(|cycle| &cycle.steps))
    }
    /// All states in order, the initial one first and those of the cycle last.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        std::iter::once(&self.initial).chain(self.all_steps().map(|step| &step.state))
    }
    /// The state the run ends in, or that its cycle begins in.
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }
}

/// Why no run answers a question: no target, and no fault, can be reached.
pub enum Certificate {
    /// All reachable states, listed.
    ClosedSet(Box<dyn ClosedSet>),
    /// All reachable states, listed as discrete states with zones of clock valuations.
    Zones(Box<dyn ZoneSet>),
    /// An inductive invariant: formulas that describe at least all reachable states.
    Invariant(Invariant),
    /// A k-inductive proof: no short run reaches a target, and no long one can be the first to.
    KInductive(KInductive),
    /// An automaton accepts every word that is searched for, and no word of a run.
    Progress(Box<Progress>),
    /// All reachable states, listed, each with how far it is from a goal.
    Returns(Returns),
    /// One of these about the blocks of a program.
    Blocks(Box<Blocks>),
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Certificate::ClosedSet(set) => write!(f, "ClosedSet of {} states", set.len()),
            Certificate::Zones(set) => write!(f, "Zones of {} entries", set.len()),
            Certificate::Invariant(invariant) => {
                write!(f, "Invariant of {} entries", invariant.entries.len())
            }
            Certificate::KInductive(KInductive { k, argument, .. }) => {
                write!(f, "KInductive, {k}, {argument:?}")
            }
            Certificate::Progress(proof) => {
                write!(f, "Progress by {} states, {:?}", proof.automaton.sinks.len(), proof.base)
            }
            Certificate::Returns(proof) => write!(f, "Returns from {} states", proof.set.len()),
            Certificate::Blocks(proof) => {
                write!(f, "Blocks between {} locations, {:?}", proof.kept.len(), proof.base)
            }
        }
    }
}

/// Why no run of a program reaches a target: none of its blocks does.
///
/// The target is nowhere but at kept locations, and the base excludes it and every fault of the system that
/// [`crate::blocks::blocks`] makes of the program and these locations.
pub struct Blocks {
    /// The locations between which there are blocks.
    pub kept: Vec<LocationId>,
    /// What is known of these.
    pub base: Certificate,
}

/// A set of states that contains the initial ones and is closed under every action.
///
/// The set is what [`ClosedSet::state`] lists. [`ClosedSet::find`] is only a hint: whoever checks
/// the set compares what it points at, so a wrong hint costs an acceptance and never grants one.
pub trait ClosedSet: Send + Sync {
    /// How many states are listed.
    fn len(&self) -> usize;
    /// Whether none is.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// State number `index`.
    fn state(&self, index: usize) -> State;
    /// The number under which `state` should be listed.
    fn find(&self, state: &State) -> Option<usize>;
    /// The same states, if they are those of a product, as pairs.
    fn pairs(&self) -> Option<Pairs<'_>> {
        None
    }
}

/// The states of a product with an automaton ([`crate::monitor`]), each as a state of the system and one of the automaton.
///
/// Several automata can share the states of the system.
#[derive(Clone)]
pub struct Pairs<'a> {
    /// States of the system.
    pub base: Arc<dyn ClosedSet>,
    /// The pairs: the number of a state in the base, and the number of a state of the automaton.
    pub list: &'a [(u32, u32)],
}

/// Formulas at vectors of locations that together contain the initial states and are closed under every
/// action.
///
/// At a vector of locations, the system can be only where one of its entries holds; where there is no
/// entry, it never is. Entry numbers are hints: they make every check local, and whoever checks looks at
/// the formulas they point at.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The arena of the formulas. Its variables are those of the system, under the same numbers.
    pub terms: Terms,
    /// The entries that should contain the initial states.
    pub initial: Vec<u32>,
    /// The formulas.
    pub entries: Vec<InvariantEntry>,
}

/// One formula of an [`Invariant`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantEntry {
    /// Where it is said to hold.
    pub locations: Box<[LocationId]>,
    /// What is said, over state variables.
    pub formula: Term,
    /// The entries that should contain the successors, over all actions.
    pub successors: Vec<u32>,
}

/// That no state of the first `k` of any run is bad, and why then none is at all.
///
/// Bad states are faults, and targets at observed locations.
#[derive(Clone, Debug)]
pub struct KInductive {
    /// How many states at the beginning of a run are looked at; at least 1.
    pub k: u32,
    /// What excludes bad states later.
    pub argument: Argument,
    /// What is true of every reachable state, bad ones included; an invariant by itself.
    pub lemma: Invariant,
}

/// Why nothing bad comes after the first states of a run.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// After `k` states in a row that are not bad, with the lemma in all of them, no step leads to a bad
    /// one.
    Induction,
    /// The same, but only for states that are all different, the last one included.
    SimplePath,
    /// No run has more than `k` states.
    Exhaustion,
}

/// Why no run satisfies a formula about runs.
///
/// The automaton accepts every word that satisfies the formula, and no word of a run. What can be reached in its product
/// with the system ([`crate::monitor`]) is contained in the base, which excludes the target of the product; and no run of
/// the product comes through every acceptance set again and again, for the reason that `descent` gives.
#[derive(Debug)]
pub struct Progress {
    /// The automaton.
    pub automaton: Automaton,
    /// About the product, or about the product that counts rounds.
    pub base: Certificate,
    /// Why no run of the product is accepting.
    pub descent: Descent,
}

/// Why no run of a product comes through every acceptance set again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Descent {
    /// The automaton is terminal: it accepts in sinks only.
    Terminal,
    /// Every state that the base lists has a measure, in order. Along any run ranks do not grow, and so are the same from
    /// some point on; from there on, the run never comes through the acceptance set that is missing there.
    Measures(Vec<Measure>),
    /// No run comes through all acceptance sets, one after the other, more often than so many times: that it does not is
    /// what the base shows, which is about a product that counts ([`crate::monitor::counting`]).
    Rounds(u32),
    /// Every entry of the base, which is an [`Invariant`] of the product, has a ranking, in order; see [`Ranking`] for why
    /// that excludes accepting runs.
    Ranks(Vec<Ranking>),
}

impl Descent {
    /// How many rounds are counted, if the base is about a product that counts.
    pub fn rounds(&self) -> Option<u32> {
        if let Descent::Rounds(most) = self { Some(*most) } else { None }
    }
}

/// How far the states of an entry are from where no acceptance set can be completed: a lexicographic ranking function.
///
/// A state of an entry has the rank of the entry and the values of its components there. Entries of the same rank must
/// have the same number of components. A step from a state of entry `i` to one of entry `j` is allowed if
/// 1. the rank of `j` is lower than that of `i`;
/// 2. or the ranks are the same, and there is a component that is at least 0 before the step and strictly less after it,
///    while none of the components before that one is greater after the step than before it;
/// 3. or the ranks are the same, no component is greater after the step than before it, the same acceptance set is
///    missing in both, and the step is not in that set.
///
/// No run all of whose steps are allowed is accepting. Ranks never grow, so they are the same from some point on, and
/// only steps of the second and third kind come after it. Suppose that infinitely many of them are of the second kind, and
/// let `k` be the first component that infinitely many of them decrease. From some point on, none decreases a component
/// before `k` in that way, so that no step makes component `k` greater; but infinitely many make it less, and find it at
/// least 0. Components are integers, so that is impossible: from some point on, all steps are of the third kind, the
/// missing set is always the same, and the run never comes through it again.
///
/// That takes a least step by which a component decreases. So components have the type of integers; whatever a rational
/// takes part in has another type, and is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// Never grows along a run.
    pub rank: u32,
    /// Integer terms over state variables, in the arena of the invariant, the most significant one first.
    pub components: Vec<Term>,
    /// The acceptance set that is not come through by steps that decrease nothing.
    pub missing: u8,
}

/// How far a state is from where no acceptance set can be completed.
///
/// A step leads to a lower rank, or to the same rank and the same missing set; then it is not in that set.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Measure {
    /// Never grows along a run.
    pub rank: u32,
    /// The acceptance set that is not come through while the rank stays the same.
    pub missing: u8,
}

/// Why a goal can be reached from every observed state that can be reached.
///
/// An observed state has a distance. At distance 0 the goal holds, at an observed state; from every other distance, some step
/// leads to a listed state with a smaller one.
pub struct Returns {
    /// All reachable states.
    pub set: Box<dyn ClosedSet>,
    /// The distance of each, in order; none where nothing is said.
    pub distances: Vec<Option<u32>>,
}

/// A zone: bounds on the differences of clocks.
///
/// Number 0 is the constant zero, the others are [`crate::System::clocks`] in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Zone {
    /// Clocks plus one.
    pub dim: usize,
    /// Row by row, the limit of the difference between the clock of the row and that of the column.
    pub limits: Vec<Limit>,
}

/// An upper bound on a difference, or none; a tighter one is less.
///
/// The code of `< c` is `2c`, that of `<= c` is `2c + 1`, and that of no bound is more than any other.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit(i32);

impl Limit {
    /// No bound.
    pub const NONE: Limit = Limit((1 << 30) - 1);
    /// `<= 0`.
    pub const LE_ZERO: Limit = Limit(1);
    /// The greatest constant; its negation is the least one.
    pub const LARGEST: i64 = (1 << 28) - 1;

    /// `< constant` or `<= constant`, unless the constant is beyond [`Limit::LARGEST`].
    pub const fn new(constant: i64, strict: bool) -> Option<Limit> {
        if constant.unsigned_abs() > Limit::LARGEST.unsigned_abs() {
            return None;
        }
        Some(Limit(2 * constant as i32 + !strict as i32))
    }
    /// The limit with a code; the nearest weaker one if its constant is too large or too small.
    #[inline]
    pub const fn from_code(code: i32) -> Limit {
        let (least, most) = (-2 * Limit::LARGEST as i32, 2 * Limit::LARGEST as i32 + 1);
        if code > most {
            Limit::NONE
        } else if code < least {
            Limit(least)
        } else {
            Limit(code)
        }
    }
    /// The number that stands for this limit.
    #[inline]
    pub const fn code(self) -> i32 {
        self.0
    }
    /// The constant and whether it is excluded, unless there is no bound.
    pub fn get(self) -> Option<(i64, bool)> {
        (self != Limit::NONE).then_some((i64::from(self.0 >> 1), self.0 & 1 == 0))
    }
}

impl std::fmt::Debug for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            None => f.write_str("none"),
            Some((constant, strict)) => write!(f, "{} {constant}", if strict { "<" } else { "<=" }),
        }
    }
}

/// The constants up to which a clock is compared: from below, `L`, and from above, `U`; `None` is below
/// all numbers.
pub type ClockRange = (Option<i64>, Option<i64>);

/// A set of discrete states with zones that contains the initial states and is closed under every
/// action.
///
/// As for [`ClosedSet`], the set is what [`ZoneSet::state`], [`ZoneSet::zone`] and
/// [`ZoneSet::simulation`] list, and the rest are hints. Entries are listed in any order; a check is
/// quicker if those of one state follow each other.
pub trait ZoneSet: Send {
    /// How many entries are listed.
    fn len(&self) -> usize;
    /// Whether none is.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Makes `out` the state of entry number `index`; its clocks are open.
    fn state(&self, index: usize, out: &mut State);
    /// Makes `out` the zone in which the clocks of entry number `index` lie.
    fn zone(&self, index: usize, out: &mut Zone);
    /// The number of an entry with the same state as entry number `like` that should contain `zone`. If
    /// there are constants of which it may have no greater ones, `most` are these; an entry without
    /// simulation then counts as one with [`i64::MAX`] everywhere.
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize>;
    /// Whether entry number `index` stands for all that its zone `Z` simulates, which is a≼LU(Z), and not
    /// for `Z` alone; if so, makes `out` the constants of all clocks in order. Then `Z` is closed: no
    /// limit is more than what follows from others.
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool;
}
