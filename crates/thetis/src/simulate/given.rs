//! Steps about which something is said: what comes in, and how much time passes.
//!
//! What is said of a variable is chosen wherever the step chooses a value for it, and must be so in the end, for a step
//! may also set it otherwise. Everything else is tried.

use std::collections::HashSet;

use engine::Stop;
use ir::interp::{Interp, Need, Stuck};
use ir::{Action, Decision, Rat, State, Step, System, Type, Value, VarId};
use lang::{Given, View};

/// So many executions of one step are tried.
const MOST_TRIED: usize = 20_000;

/// Steps that were found.
pub(crate) struct Found {
    /// They, each state once.
    pub(crate) list: Vec<(Action, Step)>,
    /// Whether there are no others: every execution was tried to its end.
    pub(crate) all: bool,
}

/// The steps of these actions from a state that are as is said.
pub(crate) fn steps(
    system: &System,
    view: &View,
    actions: &[Action],
    state: &State,
    given: &Given,
    stop: &Stop,
) -> Found {
    let mut interp = Interp::new(system, Some(stop.flag()));
    let mut found = Found { list: vec![], all: true };
    let slots: Vec<(usize, &Value)> = system
        .state_vars()
        .enumerate()
        .filter_map(|(slot, var)| Some((slot, given.values.get(&var)?)))
        .collect();
    // What an input comes with is chosen only if it comes.
    let absent =
        |var: VarId| view.inputs.iter().any(|input| input.values.iter().any(|(_, known)| *known == var));
    let mut known: HashSet<State> = HashSet::new();
    let mut tried = 0;
    for action in actions {
        let mut open: Vec<Vec<Decision>> = vec![vec![]];
        while let Some(script) = open.pop() {
            tried += 1;
            if tried > MOST_TRIED {
                found.all = false;
                return found;
            }
            let mut go_on =
                |decision: Decision| open.push(script.iter().cloned().chain([decision]).collect());
            match interp.follow(action.stmt, state, &script) {
                Ok(Some(outcome)) => {
                    let fits =
                        slots.iter().all(|(slot, value)| outcome.values[*slot].as_ref() == Some(*value));
                    let state = State { locations: action.target.clone(), values: outcome.values };
                    if fits && known.insert(state.clone()) {
                        let step = Step { edges: action.edges.clone(), decisions: outcome.decisions, state };
                        found.list.push((action.clone(), step));
                    }
                }
                Err(Stuck::Needs(Need::Branch(count))) => {
                    (0..count).rev().for_each(|branch| go_on(Decision::Branch(branch)));
                }
                Err(Stuck::Needs(Need::Delay)) => {
                    go_on(Decision::Delay(given.delay.clone().unwrap_or(Rat::ZERO)));
                }
                Err(Stuck::Needs(Need::Value(var))) => {
                    match (given.values.get(&var), system.terms.var_type(var)) {
                        (Some(value), _) => go_on(Decision::Value(Some(value.clone()))),
                        _ if absent(var) => {}
                        (None, Type::Bool) => {
                            [true, false]
                                .into_iter()
                                .for_each(|value| go_on(Decision::Value(Some(Value::Bool(value)))));
                        }
                        (None, Type::Enum(id)) => {
                            let count = system.types().enum_type(id).literals.len() as u32;
                            (0..count).rev().for_each(|at| go_on(Decision::Value(Some(Value::Enum(id, at)))));
                        }
                        (None, _) => go_on(Decision::Value(None)),
                    }
                }
                Ok(None) => {}
                // Values that cannot be listed matter, or somebody asked to stop.
                Err(_) => found.all = false,
            }
        }
    }
    found
}
