use proptest::prelude::*;

use super::*;
use crate::parse::{Names, parse};

fn hoa(formula: &str) -> Hoa {
    let mut names = Names::default();
    let formula = parse(formula, &mut names).expect("a formula").formula;
    let automaton = crate::translate(&formula).expect("a small automaton");
    let names = names.iter().map(str::to_owned).collect();
    Hoa { automaton, names, places: vec![], name: Some("a \"b\" \\".to_owned()) }
}

/// What is written is read back: the same states, and the same edges by their cubes.
#[test]
fn what_is_written_is_read_back() {
    for formula in
        ["G (p -> F q)", "!(G F p & G F q)", "p U (q | X r)", "false", "true", "G p", "F (p & X !q)"]
    {
        let written = hoa(formula);
        let text = written.to_string();
        let back = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(back.to_string(), text);
        assert_eq!(back.automaton.to_string(), written.automaton.to_string());
    }
}

/// A text as the standard's own examples have it: implicit labels, sets on states, an alias, several initial states.
#[test]
fn all_ways_to_write_labels_and_sets_are_read() {
    let implicit = read(
        "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) tool: \"x\" properties: !complete
         --BODY-- State: 0 \"first\" {0} 1 /* not a */ 0 /* a */ State: 1 0 0 --END--",
    );
    // The first edge of a state is for the letter without `a`, the second for the one with it.
    let implicit = implicit.expect("an automaton").automaton;
    assert_eq!(implicit.to_string(), "0 (initial)\n  -> 0 [0] {0}\n  -> 1 [!0] {0}\n1\n  -> 0 [true]\n");
    let several = read(
        "HOA: v1 Start: 0 Start: 1 Alias: @x 0 & !1 AP: 2 \"a\" \"b\" acc-name: generalized-Buchi 2
         Acceptance: 3 Inf(0) & (Inf(2)) --BODY--
         State: [@x] 0 1 {2} State: 1 [t] 1 {0 1 2} [!@x | f] 0 --END--",
    );
    // Set 1 decides nothing, so that set 2 becomes 1; state 2 has the edges of both initial states.
    let expected = "0\n  -> 1 [0 & !1] {1}\n1\n  -> 0 [!0 | 1]\n  -> 1 [true] {0 1}\n\
                    2 (initial)\n  -> 0 [!0 | 1]\n  -> 1 [0 & !1] {1}\n  -> 1 [true] {0 1}\n";
    assert_eq!(several.expect("an automaton").automaton.to_string(), expected);
}

#[test]
fn what_cannot_be_used_is_refused_with_its_place() {
    let check = |text: &str, expected: &str| {
        let error = read(text).expect_err(text).to_string();
        assert_eq!(error, expected, "{text}");
    };
    check("never { }", "1:1: an automaton in the Hanoi format begins with `HOA: v1`");
    check(
        "HOA: v1\nacc-name: co-Buchi\nAcceptance: 1 Fin(0)\n--BODY--\n--END--",
        "3:15: co-Buchi acceptance is not supported, only Buchi and generalized-Buchi are",
    );
    check(
        "HOA: v1 Acceptance: 2 Inf(0) | Inf(1) --BODY-- --END--",
        "1:23: only a conjunction of `Inf` is supported as acceptance condition",
    );
    check("HOA: v1 Start: 0 & 1", "1:18: alternating automata are not supported");
    check("HOA: v1\n Magic: 3", "2:2: the header `Magic` is not known and cannot be ignored");
    check("HOA: v1 States: 99999999999", "1:17: this is too large");
    check("HOA: v1 States: 1 Start: 1", "1:26: there is no state with this number or name");
    check("HOA: v1 AP: 1 \"a", "1:15: this has no end");
    let body = |body: &str| format!("HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY--\n{body}\n--END--");
    check(&body("State: 0 [1] 0"), "2:11: there is no atom with this number or name");
    check(&body("State: 0 [@b] 0"), "2:11: there is no alias with this number or name");
    check(&body("State: 0 [0] 0 {1}"), "2:17: there is no acceptance set with this number or name");
    check(&body("State: 0 0"), "2:8: without labels, a state has one edge for each letter");
    check(&body("State: 0 [0] 0 1"), "2:16: either all edges of a state have labels or none has");
    check(&body(&format!("State: 0 [{}0", "(".repeat(5_000))), "2:1012: this is too large");
    check(&body("State: 0 --ABORT--"), "2:10: `--END--` is expected here");
}

proptest! {
    #![proptest_config(sampling::runs(2_000, 5))]

    /// Damaged texts: pieces left out, doubled or put elsewhere.
    #[test]
    fn no_text_makes_the_reader_panic(cuts in proptest::collection::vec(any::<(usize, usize)>(), 1..6)) {
        let whole = hoa("p U (q | G F X r)").to_string();
        let mut text = whole.clone();
        for (from, to) in cuts {
            let (from, to) = (from % whole.len(), to % (text.len() + 1));
            let piece = &whole[from..(from + to % 20).min(whole.len())];
            text = if from % 2 == 0 { text.replacen(piece, "", 1) } else { text.clone() + piece };
            if to % 3 == 0 {
                text.insert_str(to.min(text.len()), piece);
            }
        }
        let _ = read(&text);
    }
}
