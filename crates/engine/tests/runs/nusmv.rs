//! NuSMV as an outside opinion on random models, where the variable `NUSMV` names the program.
//!
//! A model is put as the graph of its states, with a formula over sets of them. Runs that get stuck are left out of this
//! comparison: NuSMV does not look at any, and Thetis at those whose beginning decides.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::Command;

use ir::ltl::{Formula, Node};
use ir::{Claim, Id, PathClaim, PathWords};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use thetis_engine::Engine;

use super::oracle::Graph;
use super::{atoms, graph, random_formula, verdict};

/// A graph and a formula over its letters in the language of NuSMV.
fn written(graph: &Graph, formula: &Formula) -> String {
    let set = |states: &[usize]| {
        let names: Vec<String> = states.iter().map(usize::to_string).collect();
        format!("{{{}}}", names.join(", "))
    };
    let mut text = format!("MODULE main\nVAR s : 0..{};\n", graph.letters.len().max(2) - 1);
    let _ = writeln!(text, "INIT s in {}\nTRANS case", set(&graph.initial));
    for (state, after) in graph.after.iter().enumerate() {
        let _ = writeln!(text, "  s = {state} : next(s) in {};", set(after));
    }
    text.push_str("  TRUE : next(s) = s;\nesac\n");
    for (number, atom) in ["a0", "a1"].into_iter().enumerate() {
        let there = |state: &usize| graph.letters[*state] >> number & 1 == 1;
        let states: Vec<usize> = (0..graph.letters.len()).filter(there).collect();
        let value = if states.is_empty() { "FALSE".to_owned() } else { format!("s in {}", set(&states)) };
        let _ = writeln!(text, "DEFINE {atom} := {value};");
    }
    let _ = writeln!(text, "LTLSPEC {}", spelled(formula));
    text
}

/// A formula in the operators that NuSMV has.
fn spelled(formula: &Formula) -> String {
    let mut parts: Vec<String> = vec![];
    for node in formula.nodes().iter() {
        let of = |sub: ir::ltl::Sub| &parts[sub.index()];
        let text = match *node {
            Node::True => "TRUE".to_owned(),
            Node::False => "FALSE".to_owned(),
            Node::Atom(atom) => format!("a{atom}"),
            Node::Not(f) => format!("(! {})", of(f)),
            Node::And(f, g) => format!("({} & {})", of(f), of(g)),
            Node::Or(f, g) => format!("({} | {})", of(f), of(g)),
            Node::Implies(f, g) => format!("({} -> {})", of(f), of(g)),
            Node::Iff(f, g) => format!("({} <-> {})", of(f), of(g)),
            Node::Next(f) => format!("(X {})", of(f)),
            Node::Finally(f) => format!("(F {})", of(f)),
            Node::Globally(f) => format!("(G {})", of(f)),
            Node::Until(f, g) => format!("({} U {})", of(f), of(g)),
            Node::WeakUntil(f, g) => format!("(({} U {}) | (G {}))", of(f), of(g), of(f)),
            Node::Release(f, g) => format!("({} V {})", of(f), of(g)),
            Node::StrongRelease(f, g) => format!("({} U ({} & {}))", of(g), of(f), of(g)),
        };
        parts.push(text);
    }
    parts.pop().expect("a formula has a part")
}

/// Whether NuSMV says that a formula holds.
fn said(program: &OsString, text: &str) -> Result<bool, String> {
    let file = std::env::temp_dir().join(format!("thetis-{}.smv", std::process::id()));
    std::fs::write(&file, text).map_err(|why| why.to_string())?;
    let output = Command::new(program).arg("-dcx").arg(&file).output().map_err(|why| why.to_string())?;
    let _ = std::fs::remove_file(&file);
    let shown = String::from_utf8_lossy(&output.stdout);
    let line = shown.lines().find(|line| line.starts_with("-- specification"));
    line.map(|line| line.ends_with("is true")).ok_or_else(|| format!("NuSMV cannot read\n{text}"))
}

#[test]
fn nusmv_agrees() {
    let Some(program) = std::env::var_os("NUSMV") else {
        println!("skipped: NUSMV names no program");
        return;
    };
    let runs = sampling::runs(1_000, 1_618);
    let cases = runs.cases as usize;
    let compared = RefCell::new([0; 2]);
    let inputs = (arbitrary::model(), proptest::collection::vec(any::<u8>(), 12));
    let show = |(model, _): &(xsts::ast::Model, _)| xsts::print(model);
    sampling::check(runs, &inputs, show, |(model, choices)| {
        let mut system = xsts::load(&xsts::print(&model)).unwrap().system;
        let atoms = atoms(&mut system);
        let Some(graph) = graph(&mut system, &atoms) else { return Ok(()) };
        if graph.initial.is_empty() || graph.after.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let formula = random_formula(&choices);
        let text = written(&graph, &formula);
        let holds = said(&program, &text)?;
        let undefined = system.terms.bool(false);
        let path = system.paths.push(PathClaim { words: PathWords::Satisfy(formula), atoms, undefined });
        let question = system.question(Claim::Every(path));
        let found = verdict(&system, &question, Engine::Auto);
        if found != if holds { "holds" } else { "violated" } {
            return Err(format!("{found}, and NuSMV says {holds}\n{text}"));
        }
        compared.borrow_mut()[usize::from(holds)] += 1;
        Ok(())
    });
    let [violated, holds] = compared.into_inner();
    eprintln!("{cases} random models: {violated} violated, {holds} hold");
    assert!(cases < 100 || violated.min(holds) > cases / 20, "not varied enough: {violated}, {holds}");
}
