//! Random control-flow automata: every edge, from every state, leads where the naive interpreter says.

use std::collections::BTreeMap;

use ir::interp::Interp;
use ir::{LocationId, State, Value};
use proptest::prelude::*;

use super::naive::{Env, V, run, values};
use super::*;
use crate::theta::ast::{Binary, Level, TypeKind};

/// The variables of all models.
const VARS: [(&str, Kind); 5] =
    [("p", Kind::Bool), ("q", Kind::Bool), ("a", Kind::Bits(3)), ("b", Kind::Bits(3)), ("c", Kind::Bits(2))];

#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Bits(u32),
}

/// Numbers by chance, from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
    fn expr(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let part = |this: &mut Self, kind: Kind| this.expr(kind, depth - 1);
        let text = match (kind, self.roll(10)) {
            (_, 0) => {
                let [condition, a, b] = [Kind::Bool, kind, kind].map(|kind| part(self, kind));
                format!("if {condition} then {a} else {b}")
            }
            (_, 1) => return self.leaf(kind),
            (Kind::Bool, 2) => format!("not {}", part(self, Kind::Bool)),
            (Kind::Bool, 3..=5) => {
                let op = ["and", "or", "xor", "iff", "imply"][self.roll(5)];
                let [a, b] = [Kind::Bool; 2].map(|kind| part(self, kind));
                format!("{a} {op} {b}")
            }
            (Kind::Bool, 6) => {
                let quantifier = ["forall", "exists"][self.roll(2)];
                format!("{quantifier} (c : bv[2], p : bool) {}", part(self, Kind::Bool))
            }
            (Kind::Bool, 7) => {
                let op = ["<", "<=", ">", ">=", "=", "/="][self.roll(6)];
                let [a, b] = [Kind::Int; 2].map(|kind| part(self, kind));
                format!("{a} {op} {b}")
            }
            (Kind::Bool, _) => {
                let width = Kind::Bits(2 + self.roll(2) as u32);
                let ops: Vec<&str> = ["=", "/="].into_iter().chain(bit_operators(true)).collect();
                let op = ops[self.roll(ops.len())];
                let [a, b] = [width; 2].map(|kind| part(self, kind));
                format!("{a} {op} {b}")
            }
            (Kind::Int, 2) => format!("- {}", part(self, Kind::Int)),
            (Kind::Int, _) => {
                let op = ["+", "-", "*", "/", "mod", "rem"][self.roll(6)];
                let [a, b] = [Kind::Int; 2].map(|kind| part(self, kind));
                format!("{a} {op} {b}")
            }
            (Kind::Bits(_), 2) => {
                format!("{} {}", ["bvneg", "bvnot", "bvpos"][self.roll(3)], part(self, kind))
            }
            (Kind::Bits(3), 3) => {
                let signed = ["bv_zero_extend", "bv_sign_extend"][self.roll(2)];
                format!("{} {signed} bv[3]", part(self, Kind::Bits(2)))
            }
            (Kind::Bits(2), 3) => {
                let from = self.roll(2);
                format!("{}[{}:{from}]", part(self, Kind::Bits(3)), from + 2)
            }
            (Kind::Bits(3), 4) => {
                let [a, b] = [Kind::Bits(2), Kind::Bits(3)].map(|kind| part(self, kind));
                format!("{a} ++ {b}[2:1]")
            }
            (Kind::Bits(_), _) => {
                let ops: Vec<&str> = bit_operators(false).collect();
                let op = ops[self.roll(ops.len())];
                let [a, b] = [kind; 2].map(|kind| part(self, kind));
                format!("{a} {op} {b}")
            }
        };
        format!("({text})")
    }
    fn leaf(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => self.roll(5).to_string(),
            _ if self.roll(3) > 0 => {
                let fits: Vec<&str> =
                    VARS.iter().filter(|(_, other)| *other == kind).map(|(name, _)| *name).collect();
                fits[self.roll(fits.len())].to_owned()
            }
            Kind::Bool => ["true", "false"][self.roll(2)].to_owned(),
            Kind::Bits(width) => {
                let value = self.roll(1 << width) as i64;
                match self.roll(3) {
                    0 => format!("{width}'b{value:b}"),
                    1 => format!("{width}'x{value:x}"),
                    _ => format!("{width}'d{}", value - (1 << (width - 1))),
                }
            }
        }
    }
    fn stmt(&mut self) -> String {
        let (name, kind) = VARS[self.roll(VARS.len())];
        match self.roll(5) {
            0 => format!("havoc {name}"),
            1 | 2 => format!("assume {}", self.expr(Kind::Bool, 3)),
            _ => format!("{name} := {}", self.expr(kind, 3)),
        }
    }
}

/// The operators of bit-vectors of one width that compare, or that do not.
fn bit_operators(compare: bool) -> impl Iterator<Item = &'static str> {
    Binary::ALL
        .iter()
        .filter(move |op| (op.level().0 == Level::Relation) == compare)
        .map(|op| op.text())
        .filter(|text| text.starts_with("bv"))
}

/// A model: edges in a row, so that what is known is carried along.
fn model(seed: u64) -> String {
    let mut dice = Dice(seed | 1);
    let mut text = "main process random {\n".to_owned();
    for (name, kind) in VARS {
        text += &match kind {
            Kind::Bits(width) => format!("    var {name} : bv[{width}]\n"),
            _ => format!("    var {name} : bool\n"),
        };
    }
    text += "    init loc A loc B loc C loc D\n";
    for edge in ["A -> B", "B -> C", "C -> D"] {
        let count = 1 + dice.roll(3);
        let stmts: Vec<String> = (0..count).map(|_| dice.stmt()).collect();
        text += &format!("    {edge} {{\n        {}\n    }}\n", stmts.join("\n        "));
    }
    text + "}\n"
}

fn compare(seed: u64) -> Result<(), String> {
    let text = model(seed);
    let mut diagnostics = Diagnostics::default();
    let file = parser::file(&text, &mut diagnostics);
    let model = load(&text).map_err(|errors| format!("{:?}", errors[0]))?;
    let main = &file.processes[0];
    let types: BTreeMap<String, TypeKind> =
        main.vars.iter().map(|decl| (decl.ident.text.clone(), file.tree.types[decl.ty].0.clone())).collect();
    let system = &model.system;
    let process = system.processes.iter().next().unwrap();
    // What is known at a location counts only where a run can be: from all states on, edge by edge.
    let mut here: Vec<Env> = vec![Env::new()];
    for decl in &main.vars {
        let all = values(&types[&decl.ident.text]);
        here = here
            .iter()
            .flat_map(|env| {
                all.iter().map(|value| {
                    let mut env = env.clone();
                    env.insert(decl.ident.text.clone(), *value);
                    env
                })
            })
            .collect();
    }
    for (edge, lowered) in main.edges.iter().zip(process.edges.iter()) {
        let mut next = vec![];
        for env in &here {
            let (expected, fault) = run(&file.tree, &types, &edge.stmts, env);
            let state = State { locations: [LocationId::at(0)].into(), values: state_of(system, env) };
            let mut interp = Interp::new(system, None);
            let mut found: Vec<Env> = vec![];
            let keep = &mut |outcome: ir::interp::Outcome| {
                found.extend(envs_of(system, &types, &outcome.values));
                true
            };
            interp.successors(lowered.update.stmt, &state, keep).map_err(|_| "stuck".to_owned())?;
            found.sort();
            found.dedup();
            if found != expected {
                return Err(format!("{} from {env:?}: {found:?} instead of {expected:?}", lowered.label));
            }
            let mut goes_wrong = false;
            if let Some(stmt) = lowered.update.fault {
                let note = &mut |_| {
                    goes_wrong = true;
                    false
                };
                interp.successors(stmt, &state, note).map_err(|_| "stuck".to_owned())?;
            }
            if goes_wrong != fault {
                return Err(format!("{} from {env:?}: fault {goes_wrong} instead of {fault}", lowered.label));
            }
            next.extend(expected);
        }
        next.sort();
        next.dedup();
        here = next;
    }
    Ok(())
}

fn state_of(system: &System, env: &Env) -> Box<[Option<Value>]> {
    let value = |var| match env.get(&system.vars[var].name) {
        Some(V::Bool(value)) => Value::Bool(*value),
        Some(other) => Value::int(other.number().unwrap() as i64),
        None => Value::int(-1),
    };
    system.state_vars().map(|var| Some(value(var))).collect()
}

/// The states that values, some of which may be open, stand for.
fn envs_of(system: &System, types: &BTreeMap<String, TypeKind>, values_after: &[Option<Value>]) -> Vec<Env> {
    let mut envs = vec![Env::new()];
    for (var, value) in system.state_vars().zip(values_after) {
        let name = &system.vars[var].name;
        let Some(ty) = types.get(name) else { continue };
        let all: Vec<V> = match (value, ty) {
            (None, ty) => values(ty),
            (Some(Value::Bool(value)), _) => vec![V::Bool(*value)],
            (Some(value), TypeKind::Bits(width)) => {
                vec![V::Bits(*width, value.as_int().to_i64().unwrap() as u128)]
            }
            other => panic!("{other:?}"),
        };
        envs = envs
            .iter()
            .flat_map(|env| {
                all.iter().map(|value| {
                    let mut env = env.clone();
                    env.insert(name.clone(), *value);
                    env
                })
            })
            .collect();
    }
    envs
}

#[test]
fn edges_lead_where_the_naive_interpreter_says() {
    sampling::check(sampling::runs(60, 2027), &any::<u64>(), |seed| model(*seed), compare);
}
