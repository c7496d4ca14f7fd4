//! That an automaton accepts every word that satisfies a formula, shown by fair simulation.
//!
//! The automaton comes from an engine; what the formula means the judge knows by its own [tableau](crate::tableau).
//! Inclusion of languages is hard to decide in general. *Fair simulation* (Henzinger, Kupferman and Rajamani 1997) implies
//! it, and is a game: *Spoiler* moves along an edge of the tableau on a letter, *Duplicator* answers by a transition of the
//! automaton on the same letter, and so on for ever. Duplicator wins if the run of the automaton is accepting or that of the
//! tableau is not; who cannot answer loses. If Duplicator wins, take an accepting run of the tableau for a word, let Spoiler
//! play it, and the answers are an accepting run of the automaton for this word. The converse is not true: Duplicator does
//! not know what is to come. So "no" means that nothing has been shown.
//!
//! **Generalised acceptance.** Both sides wait for their acceptance sets in turn. A *level* is the set that is waited for;
//! an edge in this set raises the level, beyond the last one a *round* is complete, and the next begins at the first. A run
//! comes through all sets again and again if and only if it completes infinitely many rounds. Duplicator has to complete
//! infinitely many if Spoiler does, which is a parity game with three colours ([`game`]).
//!
//! **Letters.** Only what a letter enables matters, and the letters of a cube are split accordingly ([`letters`]).
//!
//! **What is left out.** States of the tableau that accept no word are on no accepting run, so Spoiler does not move there.
//! A sink of the automaton accepts whatever comes, so Duplicator has won there.

mod game;
pub mod letters;

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexSet;
use ir::Id;
use ir::automaton::{Automaton, Transition};
use ir::ltl::Formula;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::tableau::{StateId, Tableau, TooLarge};
use game::{Answer, Colour, Game};

/// The most answers that Duplicator may have, in all positions together.
const MOST_ANSWERS: usize = 1 << 22;

/// Why it was not found out whether an automaton covers a formula.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Hindrance {
    /// There is more to look at than the judge is willing to.
    TooLarge,
    /// Somebody asked to stop.
    Interrupted,
}

impl From<TooLarge> for Hindrance {
    fn from(TooLarge: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// Whether it can be shown that the automaton accepts every word that satisfies the formula. One that is not well-formed is
/// not said to accept anything.
///
/// # Errors
/// If the tableau of the formula or the game is too large, or on request.
pub fn covers(formula: &Formula, automaton: &Automaton, stop: &AtomicBool) -> Result<bool, Hindrance> {
    if !automaton.is_well_formed(usize::MAX) {
        return Ok(false);
    }
    let mut tableau = Tableau::new(formula)?;
    let start = tableau.state(tableau.start())?;
    let live = tableau.live(&[start])?;
    if !live[start.index()] || automaton.sinks[automaton.initial as usize] {
        return Ok(true);
    }
    let first = Position { tableau: start, level: 0, automaton: automaton.initial, answered: 0 };
    let game = Arena::new(tableau, &live, automaton).game(first, stop)?;
    game.duplicator_wins(0, stop)
}

/// Where Spoiler is to move.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Position {
    /// The state of the tableau
    tableau: StateId,
    /// and its level;
    level: u32,
    /// the state of the automaton
    automaton: u32,
    /// and its level.
    answered: u32,
}

/// A move of Spoiler on some letter, without the levels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Challenge {
    /// Where it leads,
    target: StateId,
    /// the acceptance sets that it is in,
    marks: u64,
    /// and the transitions that the letter enables, by their numbers among those from a state.
    answers: Vec<usize>,
}

/// What the game is played on.
struct Arena<'a> {
    tableau: Tableau,
    /// For each state of the tableau, whether it accepts some word.
    live: &'a [bool],
    automaton: &'a Automaton,
    /// For each state of the automaton, the transitions from it.
    leaving: Vec<Vec<&'a Transition>>,
    /// The challenges from a pair of states that need an answer.
    challenges: FxHashMap<(StateId, u32), Rc<IndexSet<Challenge, FxBuildHasher>>>,
}

impl<'a> Arena<'a> {
    fn new(tableau: Tableau, live: &'a [bool], automaton: &'a Automaton) -> Self {
        let mut leaving = vec![vec![]; automaton.sinks.len()];
        for transition in &automaton.transitions {
            leaving[transition.source as usize].push(transition);
        }
        Self { tableau, live, automaton, leaving, challenges: FxHashMap::default() }
    }

    /// The game with all positions that can be reached from the first, which has number 0.
    fn game(&mut self, first: Position, stop: &AtomicBool) -> Result<Game, Hindrance> {
        let mut positions: IndexSet<Position, FxBuildHasher> = IndexSet::from_iter([first]);
        let mut game = Game::default();
        let mut number = 0;
        while let Some(&position) = positions.get_index(number) {
            if stop.load(Ordering::Relaxed) {
                return Err(Hindrance::Interrupted);
            }
            for challenge in self.challenges(position.tableau, position.automaton, stop)?.iter() {
                let answers = challenge.answers.iter().map(|&answer| {
                    let transition = self.leaving[position.automaton as usize][answer];
                    let (target, colour) = self.answered(position, challenge, transition);
                    Answer { target: positions.insert_full(target).0, colour }
                });
                game.add(number, answers);
            }
            if game.size() > MOST_ANSWERS {
                return Err(Hindrance::TooLarge);
            }
            number += 1;
        }
        Ok(game)
    }

    /// The challenges from a pair of states, each once, without those that are answered by a move to a sink.
    fn challenges(
        &mut self,
        from: StateId,
        at: u32,
        stop: &AtomicBool,
    ) -> Result<Rc<IndexSet<Challenge, FxBuildHasher>>, Hindrance> {
        if let Some(known) = self.challenges.get(&(from, at)) {
            return Ok(known.clone());
        }
        let transitions = &self.leaving[at as usize];
        let wins = |answer: &usize| self.automaton.sinks[transitions[*answer].target as usize];
        let mut list = IndexSet::default();
        for edge in self.tableau.edges(from)? {
            if !self.live[edge.target.index()] {
                continue;
            }
            for answers in letters::enabled(&edge.cube, transitions, stop)? {
                if !answers.iter().any(wins) {
                    let answers = best(transitions, &answers);
                    list.insert(Challenge { target: edge.target, marks: edge.marks, answers });
                }
            }
        }
        let list = Rc::new(list);
        self.challenges.insert((from, at), list.clone());
        Ok(list)
    }

    /// Where an answer to a challenge leads, and its colour.
    fn answered(&self, from: Position, challenge: &Challenge, by: &Transition) -> (Position, Colour) {
        let (level, spoiler) = raised(from.level, challenge.marks, self.tableau.sets());
        let (answered, duplicator) = raised(from.answered, by.marks, self.automaton.sets);
        let colour = match (spoiler, duplicator) {
            (_, true) => Colour::Duplicator,
            (true, false) => Colour::Spoiler,
            (false, false) => Colour::Nobody,
        };
        (Position { tableau: challenge.target, level, automaton: by.target, answered }, colour)
    }
}

/// The answers without those beside which there is one to the same state that is in more acceptance sets.
fn best(transitions: &[&Transition], answers: &[usize]) -> Vec<usize> {
    let better = |worse: usize, better: usize| {
        let [worse, better] = [worse, better].map(|answer| transitions[answer]);
        worse.target == better.target && worse.marks != better.marks && worse.marks & !better.marks == 0
    };
    answers.iter().copied().filter(|&it| !answers.iter().any(|&other| better(it, other))).collect()
}

/// The level after an edge with these marks, and whether a round is complete.
fn raised(level: u32, marks: u64, sets: u32) -> (u32, bool) {
    let met = (marks >> level).trailing_ones();
    if level + met >= sets { (0, true) } else { (level + met, false) }
}

#[cfg(test)]
mod tests;
