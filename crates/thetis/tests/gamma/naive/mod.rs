//! A deliberately naive reading of Gamma compositions, straight from the syntax tree and `docs/statecharts.md`.
//!
//! It shares nothing with the product but the parser: names are looked up by their spelling whenever they are met,
//! a state is one sorted map from slots to values, and a step is executed as the page tells it, one thing after the
//! other. Where the page leaves something open, the next number of a [`Tape`] decides, and all tapes are tried. It is
//! slow, and it says [`Stop::Unable`] rather than guess. Sections in comments are those of the page.

mod action;
mod adapter;
mod chart;
mod compose;
mod enter;
mod expr;
mod names;
mod observe;
mod system;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use lang::gamma::ast::*;

pub use names::Model;
pub use observe::{Observation, POSITIONS};
pub use system::Input;
pub use value::Value;

/// Why an execution does not come to its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stop {
    /// No branch of a choice is enabled (4.6).
    Incomplete,
    /// An assertion is false (4.6).
    Failed,
    /// A run that violates an assumption is none (4.7).
    NoRun,
    /// A division by zero (1).
    Division,
    /// This reading does not cover it, or the page refuses it.
    Unable(String),
}

pub type Maybe<T> = Result<T, Stop>;

pub fn unable<T>(why: impl Into<String>) -> Maybe<T> {
    Err(Stop::Unable(why.into()))
}

/// Which flag of an event.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    In,
    Out,
    /// An internal event that was raised in this cycle.
    Raised,
    /// Arrives when the cycle of this synchronous composition ends.
    Next(usize),
    /// Went out of what this adapter wraps since its activation began.
    Sent(usize),
    /// Raised by the environment in this step.
    Environment,
}

/// Where a value is kept. The number is that of a part of the system.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Slot {
    Region(usize, RegionId),
    Memory(usize, RegionId),
    Variable(usize, VariableId),
    Timer(usize, TimeoutId),
    Flag(Side, usize, PortId, EventId),
    Parameter(Side, usize, PortId, EventId, usize),
    Clock(usize, ClockId),
    Queue(usize, usize),
}

pub type State = BTreeMap<Slot, Value>;

/// Decisions, in the order in which they are needed.
#[derive(Debug, Default)]
pub struct Tape {
    decisions: Vec<(usize, usize)>,
    at: usize,
}

impl Tape {
    /// One of `ways` ways to go on.
    pub fn choose(&mut self, ways: usize) -> usize {
        assert!(ways > 0, "there is a way");
        if ways == 1 {
            return 0;
        }
        if self.at == self.decisions.len() {
            self.decisions.push((0, ways));
        }
        self.at += 1;
        self.decisions[self.at - 1].0
    }
    /// Goes to the next row of decisions, if there is one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((decision, ways)) = self.decisions.pop() {
            if decision + 1 < ways {
                self.decisions.push((decision + 1, ways));
                return true;
            }
        }
        false
    }
}

/// Why a step with too many executions is given up.
pub const TOO_MANY: &str = "too many executions";

/// How many executions one step may have.
const EXECUTIONS: usize = 3_000;

/// What a step can lead to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ends {
    pub states: BTreeSet<State>,
    /// How executions end that do not lead to a stable state.
    pub stops: BTreeSet<Stop>,
}

/// All ends of an execution, whatever is decided.
fn all(mut execution: impl FnMut(&mut Tape) -> Maybe<State>) -> Maybe<Ends> {
    let (mut tape, mut ends) = (Tape::default(), Ends::default());
    for _ in 0..EXECUTIONS {
        match execution(&mut tape) {
            Ok(state) => drop(ends.states.insert(state)),
            Err(Stop::Unable(why)) => return unable(why),
            Err(stop) => drop(ends.stops.insert(stop)),
        }
        if !tape.advance() {
            return Ok(ends);
        }
    }
    unable(TOO_MANY)
}

/// One execution.
pub struct Machine<'m, 't> {
    model: &'m Model,
    pub state: State,
    tape: &'t mut Tape,
    /// Whether initialisation goes on: events arrive at once (5).
    starting: bool,
    /// With guards that are evaluated at the beginning of the step, what they were (4.3).
    guards: Option<BTreeMap<TransitionId, bool>>,
}

impl<'m, 't> Machine<'m, 't> {
    pub fn new(model: &'m Model, state: State, tape: &'t mut Tape) -> Self {
        Machine { model, state, tape, starting: false, guards: None }
    }
    fn flag(&self, side: Side, part: usize, port: PortId, event: EventId) -> bool {
        self.state.get(&Slot::Flag(side, part, port, event)) == Some(&Value::Bool(true))
    }
    fn set_flag(&mut self, side: Side, part: usize, (port, event): (PortId, EventId), value: bool) {
        self.state.insert(Slot::Flag(side, part, port, event), Value::Bool(value));
    }
    fn active(&self, leaf: usize, region: RegionId) -> Option<NodeId> {
        match self.state.get(&Slot::Region(leaf, region)) {
            Some(Value::Node(node)) => *node,
            other => panic!("a region is {other:?}"),
        }
    }
}

impl Model {
    /// Everything that initialisation can lead to.
    pub fn start(&self) -> Maybe<Ends> {
        all(|tape| {
            let mut machine = Machine::new(self, State::new(), tape);
            machine.start()?;
            Ok(machine.state)
        })
    }
    /// Everything that a step can lead to.
    pub fn step(&self, state: &State, input: &Input, elapsed: i128) -> Maybe<Ends> {
        all(|tape| {
            let mut machine = Machine::new(self, state.clone(), tape);
            machine.step(input, elapsed)?;
            Ok(machine.state)
        })
    }
}
