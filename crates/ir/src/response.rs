//! Bounded response: whenever something is so, something else is within so much time.
//!
//! A run answers *late* if from some state on, where the first condition holds, the second one does not for longer than it
//! may, or never does although time has stopped by then. States are after their delay, and a condition on locations and
//! data is the same from the moment a state is come to until it is left. So an automaton guesses, one step before, the
//! state from which on it waits, a clock of its own starts as that state is come to, and the answer is late where the
//! second condition has not held and the clock tells more than the bound. The first state is come to at the start, where
//! the clock is zero.

use crate::automaton::{Automaton, Guard, Transition};

/// What is asked of runs, over numbered atoms.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// From where time counts: every state with this atom, or the start.
    pub from: Option<u32>,
    /// What has to hold by then.
    pub to: u32,
    /// How much time that may take.
    pub within: i64,
    /// Whether it has to take less than that.
    pub strict: bool,
}

/// The first state of the automaton, and those that seek, are about to wait, and wait.
const FIRST: u32 = 0;
const SEEKS: u32 = 1;
const BEGINS: u32 = 2;
const WAITS: u32 = 3;

impl Response {
    /// Letters from which time counts and that do not answer.
    fn asks(&self) -> Guard {
        let asks = self.from.into_iter().map(|atom| (atom, true));
        let mut cube: Vec<(u32, bool)> = asks.chain([(self.to, false)]).collect();
        cube.sort_unstable();
        // What answers itself is never waited for.
        let contradicts = self.from == Some(self.to);
        Guard { cubes: if contradicts { vec![] } else { vec![cube] } }
    }
    /// The automaton of the words in which something is never answered.
    pub fn automaton(&self) -> Automaton {
        let waits = Guard { cubes: vec![vec![(self.to, false)]] };
        let step =
            |source, target, guard: &Guard, marks| Transition { source, target, guard: guard.clone(), marks };
        let (any, asks) = (Guard::any(), self.asks());
        let transitions = match self.from {
            None => vec![step(FIRST, FIRST, &waits, 1)],
            Some(_) => vec![
                step(FIRST, SEEKS, &any, 0),
                step(FIRST, BEGINS, &any, 0),
                step(FIRST, WAITS, &asks, 0),
                step(SEEKS, SEEKS, &any, 0),
                step(SEEKS, BEGINS, &any, 0),
                step(BEGINS, WAITS, &asks, 0),
                step(WAITS, WAITS, &waits, 1),
            ],
        };
        let states = if self.from.is_some() { 4 } else { 1 };
        Automaton { sinks: vec![false; states], initial: FIRST, sets: 1, transitions }
    }
    /// Whether the clock starts with a step of the automaton.
    pub fn starts(&self, transition: &Transition) -> bool {
        self.from.is_some() && transition.target == BEGINS
    }
    /// The states of the automaton in which it waits, each with what it reads there.
    pub fn waiting(&self) -> Vec<(u32, Guard)> {
        let waits = Guard { cubes: vec![vec![(self.to, false)]] };
        match self.from {
            None => vec![(FIRST, waits)],
            Some(_) => vec![(FIRST, self.asks()), (BEGINS, self.asks()), (WAITS, waits)],
        }
    }
    /// Whether a word, whose letters are come to at these times and of which the last is left at `end`, is one in which
    /// something is answered late; if the word goes on from its end with the letter at `back` for ever, or never.
    pub fn is_late<T: Ord>(
        &self,
        letter: impl Fn(usize, u32) -> bool,
        times: &[T],
        later: impl Fn(&T) -> bool,
        back: Option<usize>,
    ) -> bool {
        let silent = |from: usize| (from..times.len()).all(|at| !letter(at, self.to));
        let begins = |at: usize| self.from.map_or(at == 0, |from| letter(at, from));
        let never = |at: usize| back.is_some_and(|back| silent(at.min(back)));
        (0..times.len()).any(|at| begins(at) && silent(at) && (later(&times[at]) || never(at)))
    }
}
