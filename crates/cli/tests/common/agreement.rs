//! The product's answers against what the naive reading found.

use std::collections::{BTreeMap, BTreeSet};

use engine::Search;
use ir::{Certificate, System};
use lang::xsts::ast;
use thetis::decide::Judged;
use thetis::verdict::{Decided, Evidence, NoVerdict};

use super::naive::{self, Reachable};

/// Whether a search in this order may say what it says, if `expected` is true: the verdict, the shortest
/// length breadth first, and the list of reachable states must be right, and the evidence certified.
pub fn check(
    ast: &ast::Model,
    system: &System,
    search: Search,
    judged: &Judged,
    expected: &Reachable,
) -> Result<(), String> {
    let found = match &judged.result {
        Ok(verdict) if !verdict.certified => return Err(format!("not certified: {verdict}")),
        Ok(verdict) => match (&verdict.answer, &verdict.evidence) {
            (Decided::Holds, Evidence::Certificate(certificate)) => {
                same_states(ast, system, certificate, expected)?;
                Found::Holds
            }
            (Decided::Violated, Evidence::Run(run)) => Found::Violated(run.steps.len()),
            (answer, evidence) => return Err(format!("{answer:?} by {evidence:?}")),
        },
        Err(NoVerdict::Fault(_, run)) => Found::Fault(run.steps.len()),
        Err(NoVerdict::Undefined(fault, _)) => {
            return Err(format!("the property goes wrong: {}", fault.kind));
        }
        Err(NoVerdict::Refused { answer, why }) => return Err(format!("`{answer:?}` was refused: {why}")),
    };
    let nearest = expected.violated.into_iter().chain(expected.fault).min();
    let fits = |steps: usize, wanted: Option<usize>| match search {
        // Where a fault and a violation are equally near, either is right.
        Search::Bfs => wanted == Some(steps) && nearest == wanted,
        Search::Dfs | Search::Priority => wanted.is_some_and(|wanted| wanted <= steps),
    };
    let right = match found {
        Found::Holds => nearest.is_none(),
        Found::Violated(steps) => fits(steps, expected.violated),
        Found::Fault(steps) => fits(steps, expected.fault),
    };
    if right {
        return Ok(());
    }
    Err(format!(
        "found {found:?}, but the nearest violation is {:?} and the nearest fault {:?} steps away",
        expected.violated, expected.fault
    ))
}

#[derive(Debug)]
enum Found {
    Holds,
    Violated(usize),
    Fault(usize),
}

/// Whether a certificate lists exactly the states that the naive search found.
fn same_states(
    ast: &ast::Model,
    system: &System,
    certificate: &Certificate,
    expected: &Reachable,
) -> Result<(), String> {
    let Certificate::ClosedSet(set) = certificate else {
        return Err("the certificate is no list of states".to_owned());
    };
    let mut states = BTreeSet::new();
    let mut open = false;
    for index in 0..set.len() {
        let state = set.state(index);
        let process = system.processes.iter().next().expect("an XSTS has one process");
        let next = match process.locations[state.locations[0]].name.as_str() {
            "init" => "init",
            "env" => "env",
            _ => "trans",
        };
        // An open value stands for all values of its type.
        let mut concrete: Vec<BTreeMap<String, naive::Value>> = vec![BTreeMap::new()];
        for (decl, value) in ast.vars.iter().zip(&state.values) {
            let name = ast.names.text(decl.ident.name);
            let values = match value {
                Some(value) => vec![naive::fit(ast, read(system, value), decl.ty)],
                None => {
                    open = true;
                    naive::values_of(ast, decl.ty).ok_or_else(|| format!("`{name}` is left open"))?
                }
            };
            let with = |state: &BTreeMap<String, naive::Value>, value: &naive::Value| {
                let mut state = state.clone();
                state.insert(name.to_owned(), value.clone());
                state
            };
            concrete = concrete
                .iter()
                .flat_map(|state| values.iter().map(move |value| with(state, value)))
                .collect();
        }
        states.extend(concrete.into_iter().map(|state| (next, state)));
    }
    if let Some(state) = states.difference(&expected.states).next() {
        return Err(format!("{state:?} is listed, but not reachable"));
    }
    if let Some(state) = expected.states.difference(&states).next() {
        return Err(format!("{state:?} is reachable, but not listed"));
    }
    if !open && set.len() != states.len() {
        return Err(format!("{} states are listed {} times", states.len(), set.len()));
    }
    Ok(())
}

fn read(system: &System, value: &ir::Value) -> naive::Value {
    match value {
        ir::Value::Bool(value) => naive::Value::Bool(*value),
        ir::Value::Int(value) => naive::Value::Int(value.to_i64().expect("numbers are small").into()),
        ir::Value::Rat(_) => unreachable!("there are no rationals here"),
        ir::Value::Enum(id, at) => {
            naive::Value::Literal(system.types().enum_type(*id).literals[*at as usize].clone())
        }
        ir::Value::Array(array) => naive::Value::Array(
            Some(Box::new(read(system, array.default()))),
            array.entries().map(|(at, value)| (read(system, at), read(system, value))).collect(),
        ),
    }
}
