//! Cheap invariants: where the system can be, and which values its variables can have there.
//!
//! Values are described variable by variable ([`super::values`]): integers by an interval, truth values
//! and literals of enumerations by a set. From the initial states, what actions make of such a
//! description is joined to what is known at their targets, until nothing is new. Intervals that keep
//! growing are opened on the side where they do, so this ends. The result contains every reachable state;
//! it is checked like any other invariant.

use ir::{
    Actions, Frame, Id, Invariant, InvariantEntry, Known, Monolithic, Node, System, Term, Terms, VarId,
    VectorId,
};
use rustc_hash::FxHashSet;

use super::values::{Env, Values};
use crate::answer::Reason;
use crate::cause::Unsupported;
use crate::stop::Stop;

/// How often what is known at a vector may grow before intervals are opened, and before they
/// are opened without end.
const PATIENCE: (u32, u32) = (4, 24);
/// Vectors of locations that are looked at.
const VECTORS: usize = 20_000;

/// The variables that are bounded from above wherever the system can be.
pub fn bounded_above(system: &System, stop: &Stop) -> Result<FxHashSet<VarId>, Reason> {
    let (_, _, known, _) = analyse(system, stop)?;
    let bounded = |var: &VarId| known.iter().flatten().all(|values| values.is_bounded_above(*var));
    Ok(system.state_vars().filter(bounded).collect())
}

/// What is known: the system and its actions, the values at every vector, and the successors of each.
type Analysis = (System, Actions, Vec<Option<Env>>, Vec<Vec<VectorId>>);

fn analyse(system: &System, stop: &Stop) -> Result<Analysis, Reason> {
    let mut system = system.clone();
    let mut actions = Actions::new();
    let start = actions.vector(&system.initial_locations());
    let stmt = ir::initial(&mut system);
    let initial = Values::new(&system).after(stmt, Some(Env::default()));
    // By vector: what is known, and how often that has changed.
    let mut known: Vec<(Option<Env>, u32)> = vec![(initial, 0)];
    let mut successors: Vec<Vec<VectorId>> = vec![];
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(vector) = waiting.pop_front() {
        if stop.requested() {
            return Err(stop.reason());
        }
        if actions.len() > VECTORS {
            return Err(Unsupported::ManyLocations.into());
        }
        let before = known[vector.index()].0.clone();
        let steps = actions.of(&mut system, vector).to_vec();
        let mut values = Values::new(&system);
        let mut reached = vec![];
        for action in steps {
            let Some(after) = values.after(action.stmt, before.clone()) else { continue };
            let target = actions.vector(&action.target);
            if known.len() <= target.index() {
                known.resize(target.index() + 1, (None, 0));
            }
            reached.push(target);
            let (there, changes) = &mut known[target.index()];
            let joined = match there {
                None => after,
                Some(there) => values.join(there, &after, *changes >= PATIENCE.0, *changes >= PATIENCE.1),
            };
            if there.as_ref() != Some(&joined) {
                (*there, *changes) = (Some(joined), *changes + 1);
                if !waiting.contains(&target) {
                    waiting.push_back(target);
                }
            }
        }
        reached.sort_unstable();
        reached.dedup();
        successors.resize(successors.len().max(vector.index() + 1), vec![]);
        successors[vector.index()] = reached;
    }
    Ok((system, actions, known.into_iter().map(|(values, _)| values).collect(), successors))
}

/// Values that contain those of every reachable state.
pub fn find(system: &System, stop: &Stop) -> Result<Invariant, Reason> {
    let (mut system, actions, known, successors) = analyse(system, stop)?;
    // Vectors are numbered in the order they are met, some of them in vain.
    let mut number = vec![None; actions.len()];
    let mut count = 0;
    for (at, values) in known.iter().enumerate() {
        if values.is_some() {
            number[at] = Some(count);
            count += 1;
        }
    }
    let mut entries = vec![];
    for (at, values) in known.iter().enumerate() {
        let Some(values) = values else { continue };
        let formula = values.formula(&mut system.terms);
        let list = successors.get(at).map_or(&[][..], Vec::as_slice);
        let successors = list.iter().filter_map(|to| number[to.index()]).collect();
        entries.push(InvariantEntry {
            locations: actions.locations(VectorId::at(at)).into(),
            formula,
            successors,
        });
    }
    let initial = number.first().copied().flatten().into_iter().collect();
    Ok(Invariant { terms: system.terms, initial, entries })
}

/// Where `lemma` says the system can be with which values, and all that it says as a formula.
pub fn read(view: &mut Monolithic, lemma: &Invariant) -> (Frame, Term) {
    let mut frame = Frame::new();
    let mut ways = vec![];
    for entry in &lemma.entries {
        let vector = view.vector(&entry.locations);
        let terms = &mut view.system.terms;
        let formula = terms.import(&lemma.terms, entry.formula, &mut |terms, var| terms.var(var));
        frame.insert(vector, constants(terms, formula));
        let here = view.is_at(vector);
        ways.push(view.system.terms.and([here, formula]));
    }
    let formula = view.system.terms.or(ways);
    (frame, formula)
}

/// The values that `formula` fixes.
fn constants(terms: &mut Terms, formula: Term) -> Known {
    let parts = match terms.node(formula) {
        Node::And(list) => list.to_vec(),
        _ => vec![formula],
    };
    let mut known = Known::new();
    for part in parts {
        match *terms.node(part) {
            Node::Var(var, 0) => drop(known.insert(var, terms.bool(true))),
            Node::Not(inner) => {
                if let Node::Var(var, 0) = *terms.node(inner) {
                    known.insert(var, terms.bool(false));
                }
            }
            Node::Eq(a, b) if terms.as_const(b).is_some() => {
                if let Node::Var(var, 0) = *terms.node(a) {
                    known.insert(var, b);
                }
            }
            _ => {}
        }
    }
    known
}
