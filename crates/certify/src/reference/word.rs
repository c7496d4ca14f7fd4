//! Runs whose words are asked for: lassos, runs that get stuck, and beginnings that are enough.
//!
//! The word of a run has a letter for each state that is read: the atoms that hold there. A lasso comes back to the state
//! that its cycle begins in, or to a recurrent set ([`head`]), so its word goes on for ever in the same way; a run that
//! gets stuck repeats its last state, if the system says so. On such a word the formula is evaluated, or the automaton that
//! is asked about is run. A finite run is enough if every word that begins with its own is asked for. A run to a fault, or
//! to a state where an atom cannot be evaluated, is found, too.

mod head;

use ir::automaton::Automaton;
use ir::{Decision, PathQuestion, Rat, Response, Run, State, Step, Stuck, System, Type, Words, Zeno};

use super::tableau::{fair, holds, is_good_prefix};
use super::{Cx, holds_in, run};
use crate::{Flaw, Place, Reached, Rejection, Undecided};

/// What a run shows.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &System,
    question: &PathQuestion,
    path: &Run,
) -> Result<Reached, Rejection> {
    let mut system = system.clone();
    let executed = run::execute(cx, &mut system, path)?;
    if let Some(fault) = run::fault(&system, path)? {
        return Ok(fault);
    }
    let mut states: Vec<&State> = path.states().collect();
    let start = path.steps.len();
    if let Some(cycle) = &path.cycle {
        match cycle.steps.is_empty() {
            true => repeats(&mut system, states[start], cycle.head.is_some())?,
            false => {
                let last = states.pop().expect("there is a step");
                if cycle.head.is_none() && last != states[start] {
                    return Err(Place::LastState.wrong(Flaw::NoReturn));
                }
                if cycle.head.is_none() && system.zeno == Zeno::Forbidden && !takes_time(&cycle.steps) {
                    return Err(Place::Whole.wrong(Flaw::NoTime));
                }
            }
        }
    }
    let read: Vec<usize> = (0..states.len()).filter(|at| system.is_read(&states[*at].locations)).collect();
    let mut letters = vec![];
    for at in &read {
        let place = Place::State(*at);
        if holds_in(&mut system, question.undefined, states[*at], place)? {
            let ends_here = path.cycle.is_none() && *at == states.len() - 1;
            return if ends_here { Ok(Reached::Target) } else { Err(place.wrong(Flaw::Undefined)) };
        }
        if system.stuck == Stuck::Idle {
            for atom in &question.atoms {
                let here = ir::at_state(&mut system, *atom, states[*at]);
                let here = here.map_err(|_| place.wrong(Flaw::NoCondition))?;
                // It may change while time passes here.
                if system.terms.vars_of(here).iter().any(|var| system.terms.var_type(*var) == Type::Clock) {
                    return Err(Undecided::Property.into());
                }
            }
        }
        let values = question.atoms.iter().map(|atom| holds_in(&mut system, *atom, states[*at], place));
        letters.push(values.collect::<Result<Vec<bool>, _>>()?);
    }
    let Some(cycle) = &path.cycle else {
        let late =
            matches!(&question.words, Words::Late(response) if late(response, path, &read, None, &letters));
        return match late || begins(&question.words, &letters)? {
            true => Ok(Reached::Target),
            false => Err(Place::Whole.wrong(Flaw::Undetermined)),
        };
    };
    if let (Some(head), false) = (&cycle.head, cycle.steps.is_empty()) {
        let letter = |at: usize| read.iter().position(|it| *it == at).map(|at| &letters[at][..]);
        let round: Vec<head::Lap<'_>> = (start..)
            .zip(&cycle.steps)
            .map(|(at, step)| head::Lap {
                before: states[at],
                letter: letter(at),
                stmt: executed[at + 1],
                step,
            })
            .collect();
        head::check(cx, &mut system, question, head, &round)?;
    }
    let back =
        read.iter().position(|at| *at >= start).ok_or_else(|| Place::Whole.wrong(Flaw::NothingRead))?;
    let asked = match &question.words {
        Words::Satisfying(formula) => holds(formula, &letters, back),
        Words::Accepted(automaton) => accepts(automaton, &letters, back),
        Words::Late(response) => late(response, path, &read, Some(back), &letters),
    };
    if asked { Ok(Reached::Target) } else { Err(Place::Whole.wrong(Flaw::OtherWord)) }
}

/// Checks that runs repeat a state for ever, because nothing can happen there, or has to.
fn repeats(system: &mut System, state: &State, has_head: bool) -> Result<(), Rejection> {
    let mut conditions = vec![];
    if system.stuck == Stuck::Idle {
        conditions.push(ir::idle(system).map_err(|_| Place::LastState.wrong(Flaw::NoCondition))?);
    }
    if system.stuck != Stuck::Ignored {
        conditions.push(system.terms.deadlock());
    }
    for condition in conditions.into_iter().filter(|_| !has_head) {
        if holds_in(system, condition, state, Place::LastState)? {
            return Ok(());
        }
    }
    Err(Place::LastState.wrong(Flaw::NotStuck))
}

/// How long delays take together.
fn time(decisions: &[Decision]) -> Rat {
    let delays =
        decisions.iter().filter_map(|it| if let Decision::Delay(delay) = it { Some(delay) } else { None });
    delays.fold(Rat::ZERO, |sum, delay| &sum + delay)
}

/// Whether time passes in some of the steps.
fn takes_time(steps: &[Step]) -> bool {
    steps.iter().any(|step| time(&step.decisions) > Rat::ZERO)
}

/// Whether from some state on, come to before the delay of its step, nothing answers for longer than it may, or ever.
fn late(response: &Response, path: &Run, read: &[usize], back: Option<usize>, letters: &[Vec<bool>]) -> bool {
    let mut moments = vec![Rat::ZERO];
    for decisions in [&path.decisions].into_iter().chain(path.all_steps().map(|step| &step.decisions)) {
        moments.push(&moments[moments.len() - 1] + &time(decisions));
    }
    let (end, most) = (moments[moments.len() - 1].clone(), Rat::from(response.within));
    let silent = |from: usize| letters[from..].iter().all(|letter| !letter[response.to as usize]);
    (0..letters.len()).any(|at| {
        let begins = response.from.map_or(at == 0, |from| letters[at][from as usize]);
        let passed = &end - &moments[read[at]];
        let over = if response.strict { passed >= most } else { passed > most };
        begins && silent(at) && (over || back.is_some_and(|back| silent(at.min(back))))
    })
}

/// Whether every word that begins like this, with one letter at least, is asked for.
fn begins(words: &Words, letters: &[Vec<bool>]) -> Result<bool, Rejection> {
    match words {
        Words::Satisfying(formula) => {
            is_good_prefix(formula, letters).ok_or_else(|| Undecided::LargeFormula.into())
        }
        Words::Late(_) => Ok(false),
        Words::Accepted(automaton) => {
            let mut here = vec![automaton.initial];
            for letter in letters {
                let moves = automaton.transitions.iter().filter(|it| here.contains(&it.source));
                here = moves
                    .filter(|it| it.guard.admits(|atom| letter[atom as usize]))
                    .map(|it| it.target)
                    .collect();
            }
            Ok(!letters.is_empty() && here.iter().any(|state| automaton.sinks[*state as usize]))
        }
    }
}

/// Whether an automaton accepts a word that goes on at `back`: a fair path through states at positions.
fn accepts(automaton: &Automaton, letters: &[Vec<bool>], back: usize) -> bool {
    let states = automaton.sinks.len();
    let mut edges = vec![];
    for (at, letter) in letters.iter().enumerate() {
        let after = if at + 1 == letters.len() { back } else { at + 1 };
        for it in automaton.transitions.iter().filter(|it| it.guard.admits(|atom| letter[atom as usize])) {
            edges.push((at * states + it.source as usize, after * states + it.target as usize, it.marks));
        }
    }
    fair(letters.len() * states, &edges, automaton.sets)[automaton.initial as usize]
}
