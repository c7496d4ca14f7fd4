//! Traces that others have written: what they assert holds after each step of the naive reading.
//!
//! Skipped where the corpus is absent.

#[path = "../../../lang/testing/folder.rs"]
mod folder;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use folder::{Folder, files_below};
use lang::gamma;
use lang::gamma::ast::*;
use lang::gamma::execution_trace::{self, ActKind, Step, Trace};

use super::naive::{Input, Model, Slot, State, Value};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gamma");
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

/// The file that a trace imports. What is generated from a file is called by its name with a dot before it.
fn imported(trace: &Path, name: &str) -> Option<PathBuf> {
    let name = name.trim_start_matches('/').trim_end_matches(".gsm").trim_end_matches(".gcd");
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let file = format!("{}.gcd", file.trim_start_matches('.'));
    trace.ancestors().map(|around| around.join(folder).join(&file)).find(|path| path.is_file())
}

/// Replays a trace: how many assertions hold, or what does not.
fn replay(path: &Path, corpus: &Path) -> Result<usize, String> {
    let (trace, said) = execution_trace::parse(&std::fs::read_to_string(path).unwrap());
    if !said.is_empty() {
        return Err(format!("does not parse: {said:?}"));
    }
    let import = trace.import.as_ref().ok_or("imports nothing")?;
    let model = imported(path, &import.path).ok_or_else(|| format!("no file {}", import.path))?;
    let text = std::fs::read_to_string(&model).unwrap();
    let (ast, said) = gamma::parse_project(&text, &mut Folder::of(&model, corpus));
    if !said.is_empty() {
        return Err(format!("the model does not parse: {said:?}"));
    }
    let component = trace.ast.ref_text(trace.component.ok_or("no component")?);
    let model = Model::new(ast, component, &[]).map_err(|why| format!("{why:?}"))?;
    let mut states: BTreeSet<State> = BTreeSet::new();
    let mut held = 0;
    for (number, step) in trace.steps.iter().enumerate() {
        let reset = number == 0 || step.acts.iter().any(|act| act.kind == ActKind::Reset);
        let ends = if reset {
            model.start().map_err(|why| format!("{why:?}"))?.states
        } else {
            let (input, elapsed) = acts(&model, &trace, step)?;
            let mut ends = BTreeSet::new();
            for state in &states {
                let after = model.step(state, &input, elapsed).map_err(|why| format!("{why:?}"))?;
                ends.extend(after.states);
            }
            ends
        };
        // A trace is one run; where the model leaves something open, it is one of those that fit.
        states.clear();
        let mut wrong = "no stable state".to_owned();
        for state in ends {
            match step.asserts.iter().find_map(|it| match holds(&model, &trace, &state, *it) {
                Ok(true) => None,
                Ok(false) => Some(Ok(*it)),
                Err(why) => Some(Err(why)),
            }) {
                None => drop(states.insert(state)),
                Some(Ok(it)) => {
                    let expr = &trace.ast.exprs[it];
                    let seen = model.observe(&state);
                    wrong = format!("{:?} is false: {:?}: {seen:#?}", expr.span, expr.kind);
                }
                Some(Err(why)) => return Err(why),
            }
        }
        if states.is_empty() {
            return Err(format!("step {number}: {wrong}"));
        }
        held += step.asserts.len();
    }
    Ok(held)
}

fn acts(model: &Model, trace: &Trace, step: &Step) -> Result<(Input, i128), String> {
    let (mut events, mut elapsed) = (vec![], 0);
    for act in &step.acts {
        match &act.kind {
            ActKind::Raise { port, event, arguments } => {
                let values =
                    arguments.iter().map(|it| literal(model, trace, *it)).collect::<Result<_, _>>()?;
                let names = (trace.ast.ref_text(*port).to_owned(), trace.ast.ref_text(*event).to_owned());
                events.push((names.0, names.1, values));
            }
            ActKind::Elapse(time) => match literal(model, trace, *time)? {
                Value::Int(time) => elapsed += time,
                _ => return Err("time is a number".to_owned()),
            },
            ActKind::ScheduleComponent => {}
            other => return Err(format!("not replayed: {other:?}")),
        }
    }
    Ok((Input::Given(events), elapsed))
}

fn literal(model: &Model, trace: &Trace, expr: ExprId) -> Result<Value, String> {
    let ast = &trace.ast;
    let named =
        |name| model.type_named(name).and_then(|ty| model.plain(ty)).map_err(|why| format!("{why:?}"));
    Ok(match &ast.exprs[expr].kind {
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Integer(value) => Value::Int(value.to_i64().ok_or("huge")?.into()),
        ExprKind::Negate(inner) => match literal(model, trace, *inner)? {
            Value::Int(value) => Value::Int(-value),
            _ => return Err("a negated value".to_owned()),
        },
        ExprKind::Literal { ty, literal } => {
            Value::Literal(named(ast.ref_text(*ty))?, ast.ref_text(*literal).to_owned())
        }
        ExprKind::Record { fields, .. } => {
            let mut values = std::collections::BTreeMap::new();
            for (field, value) in fields {
                values.insert(ast.ref_text(*field).to_owned(), literal(model, trace, *value)?);
            }
            Value::Record(values)
        }
        other => return Err(format!("no literal: {other:?}")),
    })
}

fn holds(model: &Model, trace: &Trace, state: &State, expr: ExprId) -> Result<bool, String> {
    let ast = &trace.ast;
    match &ast.exprs[expr].kind {
        ExprKind::Not(inner) => Ok(!holds(model, trace, state, *inner)?),
        ExprKind::Logic(LogicOp::And, all) => {
            all.iter().try_fold(true, |so_far, it| Ok(so_far && holds(model, trace, state, *it)?))
        }
        ExprKind::Logic(LogicOp::Or, all) => {
            all.iter().try_fold(false, |so_far, it| Ok(so_far || holds(model, trace, state, *it)?))
        }
        ExprKind::Compare(op @ (CompareOp::Equal | CompareOp::NotEqual), a, b) => {
            let (a, b) = (value(model, trace, state, *a)?, value(model, trace, state, *b)?);
            Ok(a.same(&b).map_err(|why| format!("{why:?}"))? == (*op == CompareOp::Equal))
        }
        ExprKind::Observed(observed) => match observed.kind {
            ObservedKind::Raise => {
                let outputs = model.outputs(state);
                let names: Vec<&str> =
                    observed.instances.iter().chain(&observed.rest).map(|it| ast.text(*it)).collect();
                let [port, event] = names[..] else { return Err(format!("an event {names:?}")) };
                let Some(values) = outputs.get(&(port.to_owned(), event.to_owned())) else {
                    return Ok(false);
                };
                for (value, argument) in values.iter().zip(&observed.arguments) {
                    let argument = literal(model, trace, *argument)?;
                    if !value.same(&argument).map_err(|why| format!("{why:?}"))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ObservedKind::State | ObservedKind::Element => {
                let leaf = leaf(model, ast, &observed.instances)?;
                let Some(name) = observed.rest.last() else { return Err("no state".to_owned()) };
                let region = observed.rest.iter().rev().nth(1);
                Ok(state.iter().any(|(slot, value)| match (slot, value) {
                    (Slot::Region(of, at), Value::Node(Some(node))) => {
                        *of == leaf
                            && model.ast.text(model.ast.nodes[*node].ident) == ast.text(*name)
                            && region.is_none_or(|it| {
                                model.ast.text(model.ast.regions[*at].ident) == ast.text(*it)
                            })
                    }
                    _ => false,
                }))
            }
            _ => Ok(value(model, trace, state, expr)? == Value::Bool(true)),
        },
        other => Err(format!("not evaluated: {other:?}")),
    }
}

/// The leaf at a path; flattened paths are joined by `_`.
fn leaf(model: &Model, ast: &Ast, path: &[Ident]) -> Result<usize, String> {
    let names: Vec<&str> = path.iter().map(|it| ast.text(*it)).collect();
    let wanted = names.join("_");
    let found = model.leaves(0).into_iter().find(|it| model.parts[*it].path.join("_") == wanted);
    found.ok_or_else(|| format!("no leaf {wanted}"))
}

fn value(model: &Model, trace: &Trace, state: &State, expr: ExprId) -> Result<Value, String> {
    let ast = &trace.ast;
    let ExprKind::Observed(observed) = &ast.exprs[expr].kind else { return literal(model, trace, expr) };
    if observed.kind != ObservedKind::Variable {
        return Err(format!("not observed: {observed:?}"));
    }
    let leaf = leaf(model, ast, &observed.instances)?;
    let (name, fields) = observed.rest.split_first().ok_or("no variable")?;
    let found = state.iter().find_map(|(slot, value)| match slot {
        Slot::Variable(of, id) if *of == leaf => {
            let named = model.ast.text(model.ast.variables[*id].ident) == ast.text(*name);
            named.then(|| value.clone())
        }
        _ => None,
    });
    let mut found = found.ok_or_else(|| format!("no variable {}", ast.text(*name)))?;
    for field in fields {
        found = found.field(ast.text(*field)).map_err(|why| format!("{why:?}"))?;
    }
    Ok(found)
}

fn traces_written_by_hand_are_runs_of_the_naive_reading() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("tests/hu.bme.mit.gamma.tests/model/Manual/test");
    let (mut held, mut wrong) = (0, String::new());
    let traces = files_below(&folder, "get");
    for trace in &traces {
        match replay(trace, &corpus) {
            Ok(asserts) => held += asserts,
            Err(why) => wrong += &format!("{}: {why}\n", trace.display()),
        }
    }
    eprintln!("{} traces, {held} assertions", traces.len());
    assert!(wrong.is_empty(), "{wrong}");
    assert!(held > traces.len(), "nothing is asserted");
}

sampling::with_corpus!(traces_written_by_hand_are_runs_of_the_naive_reading);
