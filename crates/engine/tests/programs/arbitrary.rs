//! Random control-flow automata with few states: two vectors of two bits, two small integers that are divided by each
//! other, a truth value, arbitrary values, cycles and paths that come together again.

use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;

/// A program: how many locations it has besides the first, the one with the error and the last, and its edges.
#[derive(Clone, Debug)]
pub struct Program {
    locations: usize,
    edges: Vec<(usize, usize, Vec<Line>)>,
}

/// One statement.
#[derive(Clone, Debug)]
pub struct Line(String);

fn line() -> impl Strategy<Value = Line> {
    let bits = || prop_oneof![Just("x"), Just("y")];
    let number = || prop_oneof![Just("m"), Just("n")];
    let operator = prop_oneof![Just("bvadd"), Just("bvmul"), Just("bvsub"), Just("bvand"), Just("bvxor")];
    let compared = prop_oneof![Just("="), Just("/="), Just("bvult"), Just("bvsle")];
    prop_oneof![
        3 => (bits(), bits(), operator, 0..4_u8).prop_map(|(a, b, op, n)| format!("{a} := {b} {op} 2'd{n}")),
        1 => (bits(), bits(), bits()).prop_map(|(a, b, c)| format!("{a} := {b} bvadd {c}")),
        4 => (bits(), compared, 0..4_u8).prop_map(|(a, op, n)| format!("assume {a} {op} 2'd{n}")),
        1 => bits().prop_map(|a| format!("havoc {a}")),
        1 => (number(), 0..3_u8).prop_map(|(a, n)| format!("{a} := {n}")),
        1 => (number(), number()).prop_map(|(a, b)| format!("{a} := 2 / {b}")),
        1 => (number(), 0..3_u8).prop_map(|(a, n)| format!("assume {a} <= {n}")),
        1 => (bits(), bits()).prop_map(|(a, b)| format!("b := {a} = {b}")),
        1 => prop_oneof![Just("assume b"), Just("assume not b"), Just("havoc b")].prop_map(str::to_owned),
    ]
    .prop_map(Line)
}

/// Programs of up to ten locations.
pub fn program() -> impl Strategy<Value = Program> {
    (2..8_usize).prop_flat_map(|locations| {
        // The error location is the last but one, the final one the last.
        let edge = (0..locations, 0..locations + 2, vec(line(), 0..3));
        vec(edge, locations..3 * locations).prop_map(move |edges| Program { locations, edges })
    })
}

/// The text of a program.
pub fn print(program: &Program) -> String {
    text(program, true)
}

/// The same without its integers, so that everything in it is made of bits.
pub fn print_bits(program: &Program) -> String {
    text(program, false)
}

fn text(program: &Program, integers: bool) -> String {
    let mut text = "main process p {\n  var x : bv[2] var y : bv[2]\n  var b : bool\n".to_owned();
    if integers {
        text += "  var m : int var n : int\n";
    }
    let name = |at: usize| match at {
        at if at == program.locations => "E".to_owned(),
        at if at > program.locations => "F".to_owned(),
        at => format!("L{at}"),
    };
    text += "  init loc S\n  error loc E\n  final loc F\n";
    for at in 0..program.locations {
        let _ = writeln!(text, "  loc L{at}");
    }
    let numbers = if integers { "m := 1 n := 2 " } else { "" };
    let _ = writeln!(text, "  S -> L0 {{ x := 2'd0 y := 2'd1 {numbers}b := true }}");
    for (source, target, lines) in &program.edges {
        let is_number = |line: &&Line| line.0.split(' ').any(|word| word == "m" || word == "n");
        let lines = lines.iter().filter(|line| integers || !is_number(line));
        let lines: Vec<&str> = lines.map(|line| &*line.0).collect();
        let _ = writeln!(text, "  L{source} -> {} {{ {} }}", name(*target), lines.join(" "));
    }
    text + "}\n"
}
