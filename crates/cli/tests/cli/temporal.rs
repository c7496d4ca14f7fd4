//! Temporal properties: formulas shown, asked about, and their evidence in files.

use ltl::parse::{Names, parse};
use serde_json::{Value, json};

use super::*;
use crate::evidence::{assert_valid, tampered};

/// `up` turns from false to true and back for ever.
const SWITCH: &str = "var up : boolean = false\ntrans { up := !up; }\ninit { }\nenv { }\n";

/// Counts to 2; then nothing can happen.
const STOPS: &str = "var n : integer = 0\ntrans { assume n < 2; n := n + 1; }\ninit { }\nenv { }\n";

/// One token that is taken away, after which the net is dead.
const NET: &str = "<pnml><net id='n' type='ptnet'><place id='p'><initialMarking><text>1</text></initialMarking></place>\
                   <transition id='t'/><arc id='a' source='p' target='t'/></net></pnml>";

#[test]
fn a_formula_is_shown() {
    let dir = Dir::new("ltl-text");
    let ran = dir.run(&["ltl", "always(request -> <> answer)"]);
    ran.expect(0, "G (request -> F answer)");
    let line = |start: &str| ran.out.lines().find_map(|line| line.strip_prefix(start)).expect(start);
    assert!(ran.out.contains("no safety property: some violation shows on an infinite run only"), "{ran:?}");
    assert_eq!(line("violated by: "), "request & !answer; cycle{!answer}");
    assert!(line("automaton: ").contains("1 acceptance set"), "{ran:?}");
    assert!(ran.out.contains("0 (initial)"), "{ran:?}");
    let ran = dir.run(&["ltl", "G \"x > 5\""]);
    ran.expect(0, "G \"x > 5\"");
    assert!(
        ran.out.contains("a safety property: every violation shows after finitely many states"),
        "{ran:?}"
    );
    assert!(dir.run(&["ltl", "p | !p"]).out.contains("violated by: no run; it always holds"));
    // Patterns are written out.
    dir.run(&["ltl", "absence(p) before r"]).expect(0, "F r -> !p U r");
    dir.run(&["ltl", "G p", "--negate"]).expect(0, "!G p");
}

/// Words are judged by the meaning of formulas, not by automata.
#[test]
fn examples_are_words_for_and_against() {
    let dir = Dir::new("ltl-words");
    for text in
        ["G F p & F G q", "p U (q W r)", "response(p, s) between q and r", "X X p | G !q", "F p & G !p"]
    {
        let ran = dir.run(&["ltl", text, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_valid("formula.schema.json", &ran.out);
        let record: Value = serde_json::from_str(&ran.out).unwrap();
        let mut names = Names::default();
        let formula = parse(text, &mut names).unwrap().formula;
        let holds = |word: &Value| {
            let letters = word["letters"].as_array()?;
            let read = |at: usize, atom: u32| letters[at].get(names.name(atom)) == Some(&json!(true));
            Some(formula.holds(letters.len(), word["loop"].as_u64()? as usize, read))
        };
        // Only the last one cannot be satisfied.
        let satisfiable = (text != "F p & G !p").then_some(true);
        assert_eq!(holds(&record["satisfied_by"]), satisfiable, "{text}");
        assert_eq!(holds(&record["violated_by"]), Some(false), "{text}");
    }
}

#[test]
fn automata_are_written_for_other_programs() {
    let dir = Dir::new("ltl-formats");
    let hoa = dir.run(&["ltl", "F G \"a b\"", "--format", "hoa"]);
    assert_eq!((hoa.code, hoa.first()), (0, "HOA: v1"), "{hoa:?}");
    let read = ltl::hoa::read(&hoa.out).expect("what is written can be read");
    assert_eq!((read.names, read.automaton.len()), (vec!["a b".to_owned()], 2));
    let dot = dir.run(&["ltl", "F G p", "--format", "dot"]);
    assert!(dot.first().starts_with("digraph"), "{dot:?}");
}

#[test]
fn mistakes_in_formulas_have_places() {
    let dir = Dir::new("ltl-mistakes");
    let ran = dir.run(&["ltl", "G (p -> )"]);
    ran.refused(&["a formula is expected here", "formula:1:9", "G (p -> )"]);
    dir.run(&["ltl", "(G x) > 5"]).refused(&["a temporal formula has no value that an expression could use"]);
    dir.run(&["ltl", "G p)"]).refused(&["formula:1:4"]);
    dir.run(&["ltl", "x > 5"]).refused(&["`x > 5` is no name; propositions are names here"]);
    let ran = dir.run(&["ltl", "G (p -> )", "--json"]);
    assert_valid("error.schema.json", &ran.out);
    let chain = dir.run(&["ltl", "a U b U c"]);
    chain.expect(0, "a U (b U c)");
    assert!(chain.err.contains("read from the right"), "{chain:?}");
}

#[test]
fn runs_are_asked_about() {
    let dir = Dir::new("ltl-check");
    dir.file("m.xsts", SWITCH);
    dir.run(&["check", "m.xsts", "--ltl", "G F up", "--certificate", "c.json"]).expect(0, "holds");
    let ran = dir.run(&["check", "m.xsts", "-p", "ltl: F G up", "--trace", "t.json"]);
    ran.expect(1, "violated");
    assert!(ran.out.contains("↻ back to 1\n        this run violates `F G up`\n"), "{ran:?}");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    assert_valid("trace.schema.json", &dir.read("t.json"));
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.code == 0 && ran.first().starts_with("valid: an automaton of "), "{ran:?}");
    assert!(ran.first().ends_with("`G F up` holds on every run"), "{ran:?}");
    dir.run(&["validate", "m.xsts", "t.json"]).expect(
        0,
        "valid: a run of the model that violates `F G up`, 5 steps, those after state 1 repeated for ever, \
         every step re-executed",
    );
    let ran = dir.run(&["trace", "replay", "m.xsts", "t.json"]);
    assert!(ran.out.ends_with(
        "↻ back to 1\n        this run violates `F G up`\nreplayed: 5 steps that fit the model\n"
    ));
    let shown = dir.run(&["trace", "show", "t.json"]);
    shown.expect(0, "a run of m.xsts about `ltl: F G up`");
    // The loop must close, and the run decide.
    tampered(&dir, "t.json", |t| t["loop"] = json!(2));
    tampered(&dir, "t.json", |t| t["loop"] = json!(null));
    tampered(&dir, "c.json", |t| t["automaton"]["initial"] = json!(1));
    let mut other: Value = serde_json::from_str(&dir.read("t.json")).unwrap();
    other["property"]["text"] = json!("ltl: G F up");
    dir.file("other.json", other.to_string());
    let ran = dir.run(&["trace", "replay", "m.xsts", "other.json"]);
    assert!(ran.code == 2 && ran.err.contains("it does not decide `ltl: G F up`"), "{ran:?}");
    let ran = dir.run(&["check", "m.xsts", "--ltl", "G F up", "--ltl", "F G up", "--json"]);
    assert_valid("result.schema.json", &ran.out);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_bad_prefix_is_said_to_be_one() {
    let dir = Dir::new("ltl-prefix");
    dir.file("m.xsts", SWITCH);
    let ran = dir.run(&["check", "m.xsts", "--ltl", "G !up", "--trace", "t.json"]);
    ran.expect(1, "violated");
    let said = "the states so far violate `G !up`, however the run goes on";
    assert!(ran.out.contains(said), "{ran:?}");
    let ran = dir.run(&["validate", "m.xsts", "t.json"]);
    assert_eq!(
        ran.first(),
        format!("valid: a run of the model, 3 steps, every step re-executed; {said}"),
        "{ran:?}"
    );
}

#[test]
fn stuck_runs_count_if_that_is_asked_for() {
    let dir = Dir::new("ltl-stuck");
    dir.file("m.xsts", STOPS).file("n.pnml", NET);
    let ran = dir.run(&["check", "m.xsts", "--ltl", "F (n == 5)"]);
    ran.expect(0, "holds");
    let note = "note: in 1 reachable state nothing can happen any more; runs that get stuck there do not count: \
                `--stuck-runs repeat`";
    assert!(ran.err.contains(note), "{ran:?}");
    let repeat = ["check", "m.xsts", "--ltl", "F (n == 5)", "--stuck-runs", "repeat", "--trace", "t.json"];
    let ran = dir.run(&repeat);
    ran.expect(1, "violated");
    assert!(ran.out.contains("↻ nothing can happen here, and this state is repeated for ever"), "{ran:?}");
    let ran = dir.run(&["validate", "m.xsts", "t.json"]);
    assert!(ran.first().contains("(runs that get stuck repeat their last state)"), "{ran:?}");
    dir.run(&["trace", "replay", "m.xsts", "t.json"]).expect(0, "a run of m.xsts about `ltl: F (n == 5)`");
    // Nets repeat dead markings unless they are told otherwise.
    dir.run(&["check", "n.pnml", "--ltl", "G (p == 1)"]).expect(1, "violated");
    dir.run(&["check", "n.pnml", "--ltl", "F (p == 2)"]).expect(1, "violated");
    dir.run(&["check", "n.pnml", "--ltl", "F (p == 2)", "--stuck-runs", "ignore"]).expect(0, "holds");
    // It is for temporal properties only.
    let ran = dir.run(&["check", "m.xsts", "-p", "n <= 2", "--stuck-runs", "repeat", "--json"]);
    assert!(ran.err.contains("`--stuck-runs` does nothing here"), "{ran:?}");
    assert_valid("result.schema.json", &ran.out);
}

#[test]
fn obligations_of_a_proof_about_runs() {
    let dir = Dir::new("ltl-obligations");
    dir.file("m.xsts", STOPS);
    let ran = dir.run(&["check", "m.xsts", "--ltl", "G (n <= 2)", "--engine", "cegar", "--obligations", "o"]);
    ran.expect(0, "holds");
    assert!(
        ran.err.contains("that the automaton accepts every run that would violate the property"),
        "{ran:?}"
    );
}

#[test]
fn the_original_program_is_asked_about_runs() {
    let dir = Dir::new("ltl-theta");
    dir.file("m.xsts", SWITCH);
    let theta =
        |arguments: &[&str]| dir.run(&[&["theta", "LTLCEGAR", "--model", "m.xsts"], arguments].concat());
    let last = |ran: &Ran| (ran.code, ran.out.lines().last().unwrap_or_default().to_owned());
    let safe = (0, "(SafetyResult Safe)".to_owned());
    assert_eq!(last(&theta(&["--ltl-expression", "G F up"])), safe);
    let ran = theta(&["--ltl-expression", "F G up", "--cexfile", "c.cex", "--search-strategy", "NDFS"]);
    assert_eq!(last(&ran), (0, "(SafetyResult Unsafe Trace length: 5)".to_owned()), "{ran:?}");
    for strategy in ["GDFS", "NDFS", "FULL"] {
        assert_eq!(last(&theta(&["--ltl-expression", "G F up", "--search-strategy", strategy])), safe);
    }
    for strategy in ["DIRECT_REFINEMENT", "BOUNDED_UNROLLING"] {
        assert_eq!(last(&theta(&["--ltl-expression", "G F up", "--refiner-strategy", strategy])), safe);
    }
    assert_eq!(dir.read("c.cex").matches("(XstsStateSequence").count(), 2);
    // After `init` and after `trans` only, `up` is true every second time.
    let alternates = ["--ltl-expression", "G (up <-> X !up)"];
    assert!(last(&theta(&alternates)).1.starts_with("(SafetyResult Unsafe"));
    let ran = theta(&[&alternates[..], &["--domain", "EXPL"]].concat());
    assert_eq!(last(&ran), safe, "{ran:?}");
    assert!(ran.err.contains("after `init` and after `trans` only"), "{ran:?}");
    let combined = [&alternates[..], &["--domain", "EXPL", "--envtran-separation", "COMBINED"]].concat();
    assert!(last(&theta(&combined)).1.starts_with("(SafetyResult Unsafe"));
    // What the original takes no notice of is refused.
    let wrong = |arguments: &[&str], why: &str| {
        let ran = theta(&[&["--ltl-expression", "G F up"], arguments].concat());
        assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains(why), "{ran:?}");
    };
    wrong(&["--refinement", "SEQ_ITP"], "takes no notice of `--refinement`");
    wrong(&["--refinement-solver", "Z3"], "takes no notice of `--refinement-solver`");
    wrong(&["--domain", "EXPL_PRED_SPLIT"], "checks nothing with such a `--domain`");
    wrong(&["--envtran-separation", "SEPARATE"], "with `--domain EXPL` only");
    wrong(&["--search-strategy", "BFS"], "choose GDFS or NDFS or FULL");
    let ran = dir.run(&["theta", "--model", "m.xsts", "--property", "up", "--search-strategy", "NDFS"]);
    assert!(ran.code == 1 && ran.err.contains("goes with the command `LTLCEGAR`"), "{ran:?}");
}

/// `up` is false from some time on, for ever.
const STAYS_DOWN: &str = "HOA: v1 States: 2 Start: 0 AP: 1 \"up\" Acceptance: 1 Inf(0) --BODY--\n\
                          State: 0 [t] 0 [!0] 1 State: 1 {0} [!0] 1 --END--";

#[test]
fn an_automaton_says_what_must_not_happen() {
    let dir = Dir::new("never");
    dir.file("m.xsts", SWITCH);
    dir.file("down.hoa", STAYS_DOWN);
    // `up` turns true again and again.
    dir.run(&["check", "m.xsts", "--never", "down.hoa", "--certificate", "c.json"]).expect(0, "holds");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    // The file of evidence has the automaton in it.
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.code == 0 && ran.first().ends_with("`down` holds on every run"), "{ran:?}");
    // It is false twice in a row: after `init` and after `env`.
    dir.file(
        "twice.hoa",
        "HOA: v1 States: 3 Start: 0 AP: 1 \"!up\" Acceptance: 1 Inf(0) --BODY--\n\
                           State: 0 [t] 0 [0] 1 State: 1 [0] 2 State: 2 [t] 2 {0} --END--",
    );
    let ran = dir.run(&["check", "m.xsts", "--never", "twice.hoa", "--trace", "t.json"]);
    ran.expect(1, "violated");
    assert_valid("trace.schema.json", &dir.read("t.json"));
    let ran = dir.run(&["validate", "m.xsts", "t.json"]);
    assert!(ran.code == 0, "{ran:?}");
}

#[test]
fn automata_that_cannot_be_asked_about_are_refused_by_name() {
    let dir = Dir::new("never-refused");
    dir.file("m.xsts", SWITCH);
    let refused = |hoa: &str, words: &[&str], code: i32| {
        dir.file("a.hoa", hoa);
        let ran = dir.run(&["check", "m.xsts", "--never", "a.hoa"]);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(words.iter().all(|word| ran.err.contains(word)), "{ran:?}");
    };
    let body = "States: 1 Start: 0 AP: 1 \"up\"";
    let rabin = format!(
        "HOA: v1 {body} acc-name: Rabin 1 Acceptance: 2 Fin(0) & Inf(1) --BODY-- State: 0 [t] 0 --END--"
    );
    refused(&rabin, &["Rabin acceptance is not supported"], 3);
    let alternating = format!("HOA: v1 {body} Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 0&0 --END--");
    refused(&alternating, &["alternating automata are not supported"], 3);
    let unknown = STAYS_DOWN.replace("up", "down");
    refused(&unknown, &["down", "a.hoa:1:"], 2);
    refused("no automaton", &["HOA: v1"], 2);
}

/// Waits, or goes on to 2 by one of two edges, and stays there.
const WAITS: &str = "var n : integer = 0\ntrans { assume n == 0; n := 2; } or { }\ninit { }\nenv { }\n";

#[test]
fn fairness_leaves_runs_out() {
    let dir = Dir::new("fair");
    dir.file("m.xsts", WAITS);
    let ran = dir.run(&["check", "m.xsts", "--ltl", "F (n == 2)", "--trace", "t.json"]);
    ran.expect(1, "violated");
    // The run does nothing for ever, and the note says what it could do.
    assert!(ran.err.contains("`--fair 'strong:trans 1'`"), "{ran:?}");
    let fair = ["check", "m.xsts", "--ltl", "F (n == 2)", "--fair", "strong:trans 1"];
    dir.run(&[&fair[..], &["--certificate", "c.json"]].concat()).expect(0, "holds");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.code == 0 && ran.first().ends_with("(fairness: strong:trans 1)"), "{ran:?}");
    // The proof is about fair runs only, and the run is a run of all.
    let certificate = dir.read("c.json");
    dir.file("all.json", certificate.replace("\"strong:trans 1\"", ""));
    assert_ne!(dir.run(&["validate", "m.xsts", "all.json"]).code, 0);
    assert_eq!(dir.run(&["validate", "m.xsts", "t.json"]).code, 0);
    // `env` and `trans` take turns, so no branch is enabled for ever.
    let ran = dir.run(&["check", "m.xsts", "--ltl", "F (n == 2)", "--fair", "weak:all", "--trace", "w.json"]);
    ran.expect(1, "violated");
    assert_valid("trace.schema.json", &dir.read("w.json"));
    assert_eq!(dir.run(&["validate", "m.xsts", "w.json"]).code, 0);
    let ran = dir.run(&[&fair[..], &["--json"]].concat());
    assert_valid("result.schema.json", &ran.out);
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(record["fair"], json!(["strong:trans 1"]));
}

#[test]
fn what_cannot_be_fair_is_refused_by_name() {
    let dir = Dir::new("unfair");
    dir.file("m.xsts", WAITS);
    let check = |fair: &str, more: &[&str]| {
        dir.run(&[&["check", "m.xsts", "--ltl", "F (n == 2)", "--fair", fair][..], more].concat())
    };
    check("strong:trans 9", &[]).refused(&["`trans 9`"]);
    check("strong", &[]).refused(&["weak:ITEM"]);
    // Where `env` ends, states are not looked at.
    check("strong:trans 1", &["--check-states", "stable"]).refused(&["`trans 1`"]);
    dir.file("down.hoa", STAYS_DOWN.replace("\"up\"", "\"n == 2\"").as_str());
    let ran = dir.run(&["check", "m.xsts", "--never", "down.hoa", "--fair", "strong:trans 1"]);
    ran.refused(&["the property is an automaton"]);
}

#[test]
fn formulas_are_assumed() {
    let dir = Dir::new("assume");
    dir.file("m.xsts", WAITS);
    let check = |formula: &str, assumed: &str| {
        dir.run(&["check", "m.xsts", "--ltl", formula, "--assume-ltl", assumed])
    };
    check("F (n == 2)", "F (n > 0)").expect(0, "holds");
    check("F (n == 2)", "G F (n < 5)").expect(1, "violated");
    check("F (n == 2)", "G (").refused(&["--assume-ltl:1:"]);
    // A comment ends with the assumption.
    check("F (n == 2)", "F (n > 0) // it begins").expect(0, "holds");
}

/// Every run gets stuck, so that nothing is violated but by a beginning; which beginnings are depends on what a formula says,
/// and not on who reads its connectives.
#[test]
fn spellings_agree_where_runs_get_stuck() {
    let dir = Dir::new("spellings");
    dir.file(
        "m.xsts",
        "var a : boolean = true\nvar b : boolean = true\nvar n : integer = 0\n\
                        trans { assume n < 2; n := n + 1; }\ninit { }\nenv { }\n",
    );
    // No state satisfies what is to come.
    for formula in [
        "F false",
        "F (1 > 2)",
        "F (a & !a)",
        "F (a && !a)",
        "F (a and not a)",
        "F !(a | !a)",
        "F (!(a || !a))",
        "F (n < 1 && n >= 1)",
        "F (n < 1 & n >= 1)",
        "G (a & b) & F !a",
        "G (a && b) & F !a",
        "G (a && b) & F (a != b)",
    ] {
        for engine in ["explicit", "auto"] {
            dir.run(&["check", "m.xsts", "--ltl", formula, "--engine", engine]).expect(1, "violated");
        }
        for engine in ["bmc", "cegar", "kind"] {
            let ran = dir.run(&["check", "m.xsts", "--ltl", formula, "--engine", engine]);
            assert!(matches!(ran.code, 1 | 3), "{formula} by {engine}: {ran:?}");
        }
    }
    // What is to come could come, if the run went on.
    for formula in
        ["F (n == 9)", "F (a && n == 9)", "F (a & n == 9)", "F (n == 1 & n == 2)", "F (n == 1 && n == 2)"]
    {
        for engine in ["explicit", "auto"] {
            dir.run(&["check", "m.xsts", "--ltl", formula, "--engine", engine]).expect(0, "holds");
        }
        for engine in ["bmc", "cegar", "kind"] {
            let ran = dir.run(&["check", "m.xsts", "--ltl", formula, "--engine", engine]);
            assert!(matches!(ran.code, 0 | 3), "{formula} by {engine}: {ran:?}");
        }
    }
}

/// A proof about fair runs is none about all.
#[test]
fn what_is_validated_is_about_the_same_runs() {
    let dir = Dir::new("validate-scope");
    dir.file("m.xsts", WAITS);
    let formula = ["-p", "ltl: F (n == 2)"];
    let fair = ["--fair", "strong:trans 1"];
    let check = [&["check", "m.xsts", "--certificate", "c.json"][..], &formula, &fair].concat();
    dir.run(&check).expect(0, "holds");
    let validate = |more: &[&str]| dir.run(&[&["validate", "m.xsts", "c.json"][..], more].concat());
    assert_eq!(validate(&[]).code, 0);
    assert_eq!(validate(&[&formula[..], &fair].concat()).code, 0);
    validate(&formula).refused(&["--fair 'strong:trans 1'"]);
    validate(&[&formula[..], &["--fair", "weak:trans 1"]].concat()).refused(&["--fair 'strong:trans 1'"]);
    validate(&[&formula[..], &fair, &["--stuck-runs", "repeat"]].concat()).refused(&["other states or runs"]);
    // What is usual may be said.
    assert_eq!(validate(&[&formula[..], &fair, &["--stuck-runs", "ignore"]].concat()).code, 0);
    let ran = validate(&[&formula[..], &fair, &["--json"]].concat());
    assert_valid("validation.schema.json", &ran.out);
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(record["property"]["fair"], json!(["strong:trans 1"]));
    let ran = validate(&[&formula[..], &["--json"]].concat());
    assert_valid("validation.schema.json", &ran.out);
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&record["valid"], &record["code"]), (&json!(false), &json!("misfit.scope")));
}

#[test]
fn what_holds_because_nothing_happens_is_said_to() {
    let dir = Dir::new("vacuous");
    dir.file("m.xsts", WAITS);
    let check = |formula: &str, more: &[&str]| {
        dir.run(&[&["check", "m.xsts", "--json", "--ltl", formula][..], more].concat())
    };
    let vacuous = |ran: &Ran| {
        assert_valid("result.schema.json", &ran.out);
        let record: Value = serde_json::from_str(&ran.out).unwrap();
        record["properties"][0].get("vacuous").cloned()
    };
    let never = check("G (n == 7 -> F (n == 0))", &[]);
    assert_eq!(vacuous(&never), Some(json!("n == 7 never holds")));
    assert_eq!(vacuous(&check("G (n == 7 -> F (n == 0))", &["--no-vacuity"])), None);
    // 2 is reached, and stays.
    assert_eq!(vacuous(&check("G (n == 2 -> G (n == 2))", &[])), None);
}

#[test]
fn what_can_always_be_reached_again_is_asked() {
    let dir = Dir::new("ag-ef");
    dir.file("m.xsts", WAITS);
    dir.run(&["check", "m.xsts", "-p", "AG EF n == 2", "--certificate", "c.json"]).expect(0, "holds");
    assert_valid("certificate.schema.json", &dir.read("c.json"));
    let ran = dir.run(&["validate", "m.xsts", "c.json"]);
    assert!(ran.code == 0 && ran.first().ends_with("`n == 2` can be reached from all of them"), "{ran:?}");
    let ran = dir.run(&["check", "m.xsts", "-p", "A G E F { n == 0 }", "--trace", "t.json"]);
    ran.expect(1, "violated");
    assert!(ran.out.contains("here `n == 0` cannot be reached any more"), "{ran:?}");
    assert_valid("trace.schema.json", &dir.read("t.json"));
    assert_eq!(dir.run(&["validate", "m.xsts", "t.json"]).code, 0);
    for text in ["A[] E<> n == 2", "ag ef: n == 2", "AG EF (n == 2)"] {
        dir.run(&["check", "m.xsts", "-p", text]).expect(0, "holds");
    }
    // Nothing else of branching time.
    let ran = dir.run(&["check", "m.xsts", "-p", "AG (n == 0 -> AF n == 2)"]);
    assert!(ran.code == 3 && ran.err.contains("`ltl: G (n == 0 -> F n == 2)`"), "{ran:?}");
    let ran = dir.run(&["check", "m.xsts", "-p", "AG EF n == 2", "--engine", "cegar"]);
    assert!(ran.code == 3 && ran.out.contains("cannot tell from where"), "{ran:?}");
}
