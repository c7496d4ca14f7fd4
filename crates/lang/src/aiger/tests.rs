//! Circuits against a simulation of their files.

use super::*;

fn verdict_of(errors: &[Diagnostic]) -> &str {
    &errors[0].message
}

#[test]
fn what_is_no_circuit_is_told() {
    let check = |text: &str, message: &str| {
        assert_eq!(verdict_of(&load(text).unwrap_err()), message, "{text:?}");
    };
    check(
        "aag 1 1",
        "a header has 5 to 9 numbers: variables, inputs, latches, outputs, gates, and those of 1.9",
    );
    check("abc 1 1 0 0 0\n", "an AIGER file begins with `aag` or `aig`");
    check("aag 1 1 0 1 0\n2\n", "the file ends where an output should follow");
    check("aag 1 1 0 1 0\n2\n6\n", "6 is no literal; there are 1 variables");
    check(
        "aag 1 2 0 0 0\n2\n4\n",
        "the header says another number of variables than there are inputs, latches and gates",
    );
    check("aag 2 2 0 0 0\n2\n2\n", "literal 2 cannot be an input, a latch or a gate, or is one already");
    check("aag 3 1 0 1 1\n2\n4\n6 2 2\n", "literal 4 is used, and nothing defines it");
    check("aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n", "gate 2 depends on itself");
    check("aag 1 0 1 0 0\n2 2 3\n", "a latch starts with 0, 1 or, if that is unknown, with itself");
    check("aag 1 1 0 0 0\n2\nx0 what\n", "a symbol such as `i0 name` or the comment, `c`, should be here");
}

#[test]
fn ascii_and_binary_are_the_same() {
    // Two latches, an input, a gate: the second latch is unknown at the start.
    let ascii = "aag 4 1 2 1 1\n2\n4 8\n6 4 6\n8\n8 7 2\n";
    let binary = "aig 4 1 2 1 1\n8\n4 6\n8\n\u{1}\u{5}";
    let [ascii, binary] = [ascii, binary].map(|text| load(text).unwrap().system);
    assert_eq!(ascii.initial, binary.initial);
    let text = |system: &System| {
        let edge = system.processes.iter().next().unwrap().edges.iter().next().unwrap();
        system.show_stmt(edge.update.stmt).to_string()
    };
    assert_eq!(text(&ascii), text(&binary));
    assert_eq!(text(&ascii), "l0' := !l1 && i0\nl1' := l0\nl0 := l0'\nl1 := l1'\nhavoc i0\n");
}
