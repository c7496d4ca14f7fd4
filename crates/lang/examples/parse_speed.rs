//! Prints how fast a model is read: a file given by name, or a generated one of about 20 MB.

use std::fmt::Write;
use std::time::Instant;

fn main() {
    let source = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path).expect("a readable file"),
        None => generated(20_000_000),
    };
    let megabytes = source.len() as f64 / 1e6;
    let start = Instant::now();
    let (model, errors) = lang::xsts::parse(&source);
    let parsed = start.elapsed().as_secs_f64();
    println!(
        "parse: {megabytes:.1} MB, {parsed:.3} s, {:.0} MB/s, {} errors",
        megabytes / parsed,
        errors.len()
    );
    let start = Instant::now();
    let printed = lang::xsts::print(&model);
    println!("print: {:.1} MB, {:.3} s", printed.len() as f64 / 1e6, start.elapsed().as_secs_f64());
    let start = Instant::now();
    let loaded = lang::xsts::load(&source);
    let took = start.elapsed().as_secs_f64();
    let terms = loaded.as_ref().map_or(0, |model| model.system.terms.len());
    println!("load: {took:.3} s, {:.0} MB/s, {terms} terms, ok = {}", megabytes / took, loaded.is_ok());
}

/// Branches with guards, assignments, choices and a loop, over a thousand variables.
fn generated(bytes: usize) -> String {
    let mut text = String::from("type Color : { Red, Green, Blue }\n");
    for at in 0..1000 {
        let _ = writeln!(text, "var counter_{at} : integer = 0\nctrl var color_{at} : Color = Red");
    }
    text.push_str("trans {\n}");
    let mut at = 0;
    while text.len() < bytes {
        let (a, b) = (at % 1000, (at * 7 + 1) % 1000);
        let _ = write!(
            text,
            " or {{\n    assume (color_{a} == Red && (counter_{b} < {at} || !(counter_{a} == counter_{b} + 1)));\n    \
             color_{a} := Green;\n    choice {{\n        counter_{a} := counter_{a} + 1;\n    }} or {{\n        \
             counter_{b} := 2 * counter_{a} - {at};\n    }}\n    if (color_{b} != Blue) {{\n        \
             counter_{b} := 0;\n    }}\n}}"
        );
        at += 1;
    }
    text.push_str("\nprop { counter_0 >= 0 }\n");
    text
}
