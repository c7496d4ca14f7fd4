//! Parts of abstraction refinement against plain definitions; the whole is tested in `tests/cegar`.

use std::collections::BTreeSet;

use ir::eval::{Env, eval};
use ir::interp::Interp;
use ir::{Certificate, LocationId, Node, ProcessId, State, Stmt, System, Type, Valuation, Value, VarId};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::paths::{End, paths};
use crate::{Answer, Config, Quiet, Stop};

/// More states than this are not listed.
const MOST: usize = 2_000;

/// Values of symbols.
struct Symbols(FxHashMap<(VarId, u32), Value>);

impl Env for Symbols {
    fn var(&self, var: VarId, step: u32) -> Option<&Value> {
        self.0.get(&(var, step))
    }
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        unreachable!("statements do not look at locations")
    }
}

/// The values that random models leave open: all of a finite type, and the integers that are assumed
/// right after. The last one is assumed away.
fn candidates(system: &System, var: VarId) -> Vec<Value> {
    match system.terms.var_type(var) {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Int => (0..4).map(|value| Value::Int(value.into())).collect(),
        ty @ Type::Enum(id) => {
            let count = system.types().cardinality(ty).expect("enumerations are finite") as u32;
            (0..count).map(|at| Value::Enum(id, at)).collect()
        }
        _ => vec![system.any_value(var)],
    }
}

/// Every combination of one value from each list, if they are not too many.
fn combinations(lists: &[Vec<Value>]) -> Option<Vec<Vec<Value>>> {
    let count = lists.iter().try_fold(1usize, |n, list| n.checked_mul(list.len()))?;
    let rows = (0..count).map(|mut number| {
        let pick = |list: &Vec<Value>| {
            let value = list[number % list.len()].clone();
            number /= list.len();
            value
        };
        lists.iter().map(pick).collect()
    });
    (count <= MOST).then(|| rows.collect())
}

/// A state of which some values are known.
type Partial = Vec<(VarId, Option<Value>)>;

/// The concrete states that agree with a partial one.
fn instances(system: &System, partial: &Partial) -> Option<Vec<Vec<Value>>> {
    let list = |(var, value): &(VarId, Option<Value>)| {
        value.clone().map_or_else(|| candidates(system, *var), |value| vec![value])
    };
    combinations(&partial.iter().map(list).collect::<Vec<_>>())
}

/// The states after one of these executions, from any state that agrees with `partial`.
fn by_ends(system: &System, ends: &[End], partial: &Partial) -> Option<BTreeSet<Vec<Value>>> {
    let mut after = BTreeSet::new();
    for end in ends {
        // Arbitrary values, and locals that nothing was assigned to.
        let mut open: Vec<(VarId, u32)> = vec![];
        for term in end.condition.iter().chain(end.values.iter().map(|(_, value)| value)) {
            system.terms.for_each_subterm(*term, |t| {
                if let Node::Var(var, step) = *system.terms.node(t)
                    && (step > 0 || !partial.iter().any(|(known, _)| *known == var))
                {
                    open.push((var, step));
                }
            });
        }
        open.sort_unstable();
        open.dedup();
        let lists: Vec<Vec<Value>> = open.iter().map(|(var, _)| candidates(system, *var)).collect();
        let before = instances(system, partial)?;
        let rows = combinations(&lists)?;
        if rows.len() * before.len() > MOST {
            return None;
        }
        for row in rows {
            for state in &before {
                let mut symbols = Symbols(open.iter().copied().zip(row.iter().cloned()).collect());
                symbols
                    .0
                    .extend(partial.iter().zip(state).map(|((var, _), value)| ((*var, 0), value.clone())));
                let value =
                    |term| eval(&system.terms, &symbols, term).expect("all symbols have values").into_owned();
                if !end.condition.iter().all(|part| value(*part).as_bool()) {
                    continue;
                }
                let now = |(var, _): &(VarId, _)| match end.values.iter().find(|(v, _)| v == var) {
                    Some((_, term)) => value(*term),
                    None => symbols.0[&(*var, 0)].clone(),
                };
                after.insert(partial.iter().map(now).collect());
            }
        }
    }
    Some(after)
}

/// The same by the interpreter.
fn by_interpreter(
    system: &System,
    stmt: Stmt,
    locations: &[LocationId],
    partial: &Partial,
) -> Option<BTreeSet<Vec<Value>>> {
    let mut after = BTreeSet::new();
    let mut listed = true;
    for values in instances(system, partial)? {
        let state = State { locations: locations.into(), values: values.into_iter().map(Some).collect() };
        let result = Interp::new(system, None).successors(stmt, &state, &mut |outcome| {
            let partial = partial.iter().zip(outcome.values).map(|((var, _), value)| (*var, value)).collect();
            match instances(system, &partial) {
                Some(rows) => after.extend(rows),
                None => listed = false,
            }
            listed && after.len() < MOST
        });
        result.ok()?;
    }
    (listed && after.len() < MOST).then_some(after)
}

/// Whether the executions of every action of a model are those of the interpreter, from states of which the
/// numbers are known; how many were compared.
fn same_executions(text: &str) -> Result<usize, TestCaseError> {
    let mut system = xsts::load(text).expect("random models are well typed").system;
    let never = ir::Question::never(&mut system.terms);
    let config = Config { state_limit: Some(300), ..Config::default() };
    let (answer, _) = crate::explicit::search(&system, &never, &config, &Stop::new(), &mut Quiet);
    let Answer::Excluded(Certificate::ClosedSet(set)) = answer else { return Ok(0) };
    let mut compared = 0;
    for at in (0..set.len()).step_by(set.len().div_ceil(4).max(1)) {
        let state = set.state(at);
        let vars: Vec<VarId> = system.state_vars().collect();
        let mut partial: Partial = vars.into_iter().zip(state.values).collect();
        let mut known = Valuation::default();
        for (var, value) in &mut partial {
            if matches!(system.terms.var_type(*var), Type::Bool | Type::Enum(_)) {
                *value = None;
            } else {
                let value = value.get_or_insert_with(|| system.any_value(*var)).clone();
                known.insert(*var, system.terms.constant(value));
            }
        }
        for action in ir::actions(&mut system, &state.locations) {
            let stmt = ir::simplify(&mut system.terms, action.stmt, &mut known.clone());
            let Some(ends) = paths(&mut system, stmt, 100, &crate::Stop::new()) else { continue };
            let Some(found) = by_ends(&system, &ends, &partial) else { continue };
            let Some(expected) = by_interpreter(&system, action.stmt, &state.locations, &partial) else {
                continue;
            };
            compared += 1;
            prop_assert_eq!(found, expected, "{}\nfrom {:?}", system.show_stmt(action.stmt), partial);
        }
    }
    Ok(compared)
}

#[test]
fn paths_are_the_executions_of_the_interpreter() {
    let config = sampling::runs(150, 99);
    let (cases, compared) = (config.cases as usize, std::cell::Cell::new(0));
    proptest!(config, |(model in arbitrary::model())| {
        compared.set(compared.get() + same_executions(&xsts::print(&model))?);
    });
    assert!(compared.get() > cases, "only {} statements were compared", compared.get());
}
