//! What must be true of the readers of traces and certificates for every file.
//!
//! They never panic, never overflow the stack and never hang; a trace survives being written; and whatever fits the
//! model is accepted or refused for a reason. The ordinary tests check the same on the seeds.

use thetis::Model;
use thetis::engine::Stop;
use thetis::trace::{self, Trace, cex, dot, itf, table};
use thetis::validate::Submission;

/// What the files are about: data of every kind, an array, a clock, and time that passes.
pub const MODEL: &str = "type Mode : { Up, Down }
var mode : Mode = Up
var n : integer = 0
var seen : [integer] -> boolean = [default <- false]
var c : clock
trans { assume n < 3; n := n + 1; seen[n] := true; if (n == 2) mode := Down; c := 0; __delay; assume c <= 2; }
init { }
env { }
prop { n <= 3 }
";

/// Panics if the readers of evidence misbehave on `data`.
pub fn check_evidence(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(trace) = trace::parse("fuzz", &text) {
        check_trace(&trace);
    }
    let mut model = Model::from_text("fuzz.xsts", MODEL).unwrap_or_else(|error| panic!("{error}"));
    match Submission::read(&mut model, "fuzz", &text, None) {
        Ok(submission) => drop(submission.check(&Stop::new())),
        Err(invalid) => assert!(!invalid.to_string().is_empty(), "refused without a reason"),
    }
}

fn check_trace(trace: &Trace) {
    let written = serde_json::to_string(trace).expect("plain data");
    let again = trace::parse("fuzz", &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert!(again == Trace { upgraded: false, ..trace.clone() }, "writing changed the trace:\n{written}");
    drop((table::render(trace, true), dot::render(trace), itf::render(trace)));
    drop(cex::render(trace, cex::Style::default()));
}
