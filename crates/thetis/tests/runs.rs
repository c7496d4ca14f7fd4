//! Evidence about whole runs in files: lassos, bad prefixes, and proofs by automata. Right files are accepted, and
//! whoever changes one has to make another right one.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use thetis::certificate::Kind;
use thetis::engine::{Config, Engine, Stop};
use thetis::ir::Stuck;
use thetis::obligations::{self, Written};
use thetis::simulate::Simulator;
use thetis::trace::{self, Ends, Mismatch, cex, dot, itf, table};
use thetis::validate::{Descended, End, Invalid, Shown, Submission, Valid};
use thetis::{Answered, Check, Model, Outcome, Scope};

/// `up` turns from false to true and back for ever. Of what is read, after `init` and after every `env` and `trans`, it is
/// false twice, then true twice, and so on.
const SWITCH: &str = "var up : boolean = false\ntrans { up := !up; }\ninit { }\nenv { }\n";

/// The same until somebody lets it be, which they may do at any time.
const LAZY: &str = "var up : boolean = false\ntrans { up := !up; } or { }\ninit { }\nenv { }\n";

/// Counts to 2; then nothing can happen.
const COUNTER: &str = "var n : integer = 0\ntrans { assume n < 2; n := n + 1; }\ninit { }\nenv { }\n";

/// Grows for ever.
const GROWING: &str = "var x : integer = 0\ntrans { x := x + 1; }\ninit { }\nenv { }\n";

/// Counts down to 0, and stays there.
const DOWN: &str =
    "var n : integer = 3\ntrans { assume n > 0; n := n - 1; } or { assume n <= 0; }\ninit { }\nenv { }\n";

fn model(text: &str) -> Model {
    Model::from_text("m.xsts", text).expect("a model")
}

fn check(engine: Engine, stuck: Option<Stuck>) -> Check {
    let config = Config { engine, ..Config::default() };
    Check { config, scope: Scope { stuck, ..Scope::default() }, ..Check::default() }
}

/// The certified answer to a question.
fn answered(text: &str, formula: &str, check: &Check) -> (Model, Answered) {
    let mut model = model(text);
    let question = model.ask(&format!("ltl: {formula}")).expect("a formula");
    let answered = model.check(&question, check).expect("it can be asked");
    let known = matches!(answered.outcome, Outcome::Holds | Outcome::Violated);
    assert!(known && answered.certified, "{formula}: {:?}", answered.outcome);
    (model, answered)
}

/// The trace of a property that is violated.
fn violation(text: &str, formula: &str, stuck: Option<Stuck>) -> trace::Trace {
    let (_, answered) = answered(text, formula, &check(Engine::Auto, stuck));
    assert_eq!(answered.outcome, Outcome::Violated, "{formula}");
    answered.trace.expect("a run")
}

/// The certificate of a property that holds.
fn proof(text: &str, formula: &str, engine: Engine) -> Value {
    let (model, answered) = answered(text, formula, &check(engine, None));
    assert_eq!(answered.outcome, Outcome::Holds, "{formula}");
    let path = file(&format!("{engine}-{}", formula.replace(|c: char| !c.is_alphanumeric(), "_")));
    assert!(answered.write_certificate(&model, &path).expect("a file"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"))
}

fn validated(text: &str, file: &Value) -> Result<Valid, Invalid> {
    let mut model = model(text);
    let submission = Submission::read(&mut model, "e.json", &file.to_string(), None).map_err(|why| *why)?;
    submission.check(&Stop::new()).map_err(|why| *why)
}

#[track_caller]
fn refused(text: &str, file: &Value) -> &'static str {
    match validated(text, file) {
        Ok(valid) => panic!("accepted: {valid:?}\n{file:#}"),
        Err(why) => why.code(),
    }
}

#[test]
fn a_lasso_is_written_read_and_shown() {
    let trace = violation(SWITCH, "F G up", None);
    // `init`, `env`, `trans`, `env`, `trans`: the state after the first step is the one after the fifth.
    assert_eq!((trace.steps.len(), trace.cycle, &trace.ends), (5, Some(1), &Ends::Target));
    let written = serde_json::to_value(&trace).unwrap();
    assert_eq!(written["loop"], 1);
    let valid = validated(SWITCH, &written).expect("a run for ever");
    assert_eq!(valid.shown, Shown::Run(5, End::Repeats(1)));

    let shown = table::render(&trace, false);
    assert!(shown.contains("        from here on, the run repeats:\n   2  env"), "{shown}");
    assert!(shown.ends_with("        ↻ back to 1\n        this run violates `F G up`\n"), "{shown}");
    assert!(dot::render(&trace).contains("s5 -> s1 [style=dashed"), "{}", dot::render(&trace));
    // The state that comes again is not listed again.
    let itf = itf::render(&trace);
    assert_eq!((itf["states"].as_array().map(Vec::len), &itf["loop"]), (Some(5), &json!(1)));
    let halves = cex::render(&trace, cex::Style { folded: true, bare: false }).unwrap();
    let state = |words: &str, up: bool| format!("(XstsState {words} (ExplState (up {up})))");
    let (internal, env) = ("post_init last_internal", "post_init last_env");
    let sequence = |list: &[String]| format!("(XstsStateSequence\n  {})\n", list.join("\n  "));
    let stem = [state("pre_init last_env", false), state(internal, false)];
    let cycle = [(internal, false), (env, false), (internal, true), (env, true), (internal, false)];
    let cycle: Vec<String> = cycle.iter().map(|(words, up)| state(words, *up)).collect();
    assert_eq!(halves, sequence(&stem) + &sequence(&cycle));
}

#[test]
fn a_lasso_is_replayed_and_decides() {
    let trace = violation(SWITCH, "F G up", None);
    let mut model = model(SWITCH);
    let question = model.ask("ltl: F G up").unwrap();
    let mut simulator =
        Simulator::new(&model, Some(&question), Scope::default(), Arc::new(Stop::new())).unwrap();
    assert!(simulator.follow(&trace, |_| {}).expect("a run of the model"));
    assert!(simulator.violation().is_none() && simulator.decided().is_some());
    assert_eq!(simulator.trace(), trace);
    // Once around is no run for ever.
    let once = trace::Trace { cycle: None, ends: Ends::Anywhere, property: None, ..trace };
    simulator.follow(&once, |_| {}).expect("a run of the model");
    assert!(simulator.decided().is_none());
}

/// No state comes again, but every state with `x` at least 0 leads to another such state.
#[test]
fn a_loop_may_come_back_to_a_set_of_states() {
    let trace = violation(GROWING, "F (x < 0)", None);
    assert_eq!((trace.steps.len(), trace.cycle, trace.repeats.head()), (3, Some(1), Some("0 <= x")));
    let written = serde_json::to_value(&trace).unwrap();
    assert_eq!(written["repeats"]["recurrent"]["formula"], "(<= 0 |x|)");
    let valid = validated(GROWING, &written).expect("a run for ever");
    assert_eq!(valid.shown, Shown::Run(3, End::Recurs(1, "0 <= x".to_owned())));
    assert_eq!(trace::parse("t.json", &written.to_string()), Ok(trace.clone()));

    let shown = table::render(&trace, false);
    let end = "        ↻ back to 1, every round in: 0 <= x\n        this run violates `F (x < 0)`\n";
    assert!(shown.ends_with(end), "{shown}");
    assert!(dot::render(&trace).contains("s3 -> s1 [style=dashed, label=\"again, every round in: 0 <= x\"]"));
    // All states are listed, and there is no loop in the sense of ITF.
    let itf = itf::render(&trace);
    assert_eq!((itf["states"].as_array().map(Vec::len), itf.get("loop")), (Some(4), None));
    assert_eq!(itf["#meta"]["recurrent"], json!({ "from": 1, "every_round_in": "0 <= x" }));

    let mut model = model(GROWING);
    let question = model.ask("ltl: F (x < 0)").unwrap();
    let mut simulator =
        Simulator::new(&model, Some(&question), Scope::default(), Arc::new(Stop::new())).unwrap();
    assert!(simulator.follow(&trace, |_| {}).expect("a run of the model"));
    assert!(simulator.decided().is_some());
    assert_eq!(simulator.trace(), trace);
}

#[test]
fn forged_heads_are_refused() {
    let file = serde_json::to_value(violation(GROWING, "F (x < 0)", None)).unwrap();
    let forged = |formula: &str, text: &str| {
        let mut forgery = file.clone();
        forgery["repeats"] = json!({ "recurrent": { "formula": formula, "text": text } });
        refused(GROWING, &forgery)
    };
    assert_eq!(forged("true", "true"), "evidence.not-recurrent");
    assert_eq!(forged("(<= (- 1) |x|)", "-1 <= x"), "evidence.not-recurrent");
    assert_eq!(forged("(= |x| 0)", "x = 0"), "misfit.shown");
    assert_eq!(forged("(= |x| 0)", "x == 0"), "evidence.outside-head");
    assert_eq!(forged("|x|", "x"), "evidence.formula");
    assert_eq!(forged("(<= 0 |y|)", "0 <= y"), "misfit.formula");
    // What people read is what is shown.
    assert_eq!(forged("(<= 0 |x|)", "x <= 0"), "misfit.shown");
    let mut exact = file.clone();
    exact["repeats"] = json!("exact");
    assert_eq!(refused(GROWING, &exact), "misfit.open-loop");
    exact.as_object_mut().unwrap().remove("repeats");
    assert_eq!(refused(GROWING, &exact), "misfit.open-loop");
    for start in [json!(0), json!(2), json!(3), json!(null)] {
        let mut shifted = file.clone();
        shifted["loop"] = start;
        refused(GROWING, &shifted);
    }
    // It shrinks here, and is below 0 some time.
    let shrinks = GROWING.replace("x + 1", "x - 1");
    refused(&shrinks, &file);
}

#[test]
fn a_bad_prefix_is_a_finite_run() {
    // Nothing else is known of `q`, which might become true.
    let model = format!("var q : boolean = false\n{SWITCH}");
    let trace = violation(&model, "G !up & F q", None);
    // `up` is true for the first time after `init`, `env` and `trans`.
    assert_eq!((trace.steps.len(), trace.cycle), (3, None));
    let said = "the states so far violate `G !up & F q`, however the run goes on";
    assert_eq!(trace.ending().as_deref(), Some(said));
    let written = serde_json::to_value(&trace).unwrap();
    assert_eq!(validated(&model, &written).expect("a bad prefix").shown, Shown::Run(3, End::Decided));
    let mut shorter = written.clone();
    shorter["steps"].as_array_mut().unwrap().pop();
    assert_eq!(refused(&model, &shorter), "evidence.undetermined");
}

#[test]
fn a_stuck_state_is_repeated_if_that_is_asked_for() {
    // By itself, no run of the counter counts: all of them get stuck.
    let (_, holds) = answered(COUNTER, "F (n == 5)", &check(Engine::Auto, None));
    assert_eq!(holds.outcome, Outcome::Holds);
    let trace = violation(COUNTER, "F (n == 5)", Some(Stuck::Repeat));
    // `init`, then `env` and `trans` twice, and `env` again.
    assert_eq!((trace.steps.len(), trace.cycle), (6, Some(6)));
    let shown = table::render(&trace, false);
    assert!(shown.contains("↻ nothing can happen here, and this state is repeated for ever\n"), "{shown}");
    let itf = itf::render(&trace);
    assert_eq!((itf["states"].as_array().map(Vec::len), &itf["loop"]), (Some(7), &json!(6)));
    let written = serde_json::to_value(&trace).unwrap();
    assert_eq!(written["property"]["stuck_runs"], "repeat");
    assert_eq!(validated(COUNTER, &written).expect("a stuck run").shown, Shown::Run(6, End::Repeats(6)));
    // It counts only as long as stuck runs do, and where nothing can happen.
    let mut ignored = written.clone();
    ignored["property"]["stuck_runs"] = json!("ignore");
    assert_eq!(refused(COUNTER, &ignored), "evidence.not-stuck");
    let mut earlier = written.clone();
    earlier["steps"].as_array_mut().unwrap().pop();
    earlier["loop"] = json!(5);
    assert_eq!(refused(COUNTER, &earlier), "evidence.not-stuck");
}

#[test]
fn dead_ends_are_counted() {
    let (_, holds) = answered(COUNTER, "F (n == 5)", &check(Engine::Explicit, None));
    let Some(thetis::ir::Certificate::Progress(proof)) = holds.certificate() else { panic!("no proof") };
    // After the third `env`, with n = 2.
    assert_eq!(thetis::deadlock::dead_ends(&holds.system, proof), Some(1));
    let (_, holds) = answered(SWITCH, "G F up", &check(Engine::Explicit, None));
    let Some(thetis::ir::Certificate::Progress(proof)) = holds.certificate() else { panic!("no proof") };
    assert_eq!(thetis::deadlock::dead_ends(&holds.system, proof), Some(0));
}

/// A proof of each kind is accepted after it has been in a file.
#[test]
fn proofs_survive_files() {
    let shown = |text: &str, formula: &str, engine: Engine| {
        let file = proof(text, formula, engine);
        assert_eq!(file["kind"], "progress");
        match validated(text, &file).unwrap_or_else(|why| panic!("{formula}: {why}")).shown {
            Shown::Progress { base, descent, .. } => (descent, *base),
            other => panic!("{other:?}"),
        }
    };
    let (descent, base) = shown(SWITCH, "G F up", Engine::Explicit);
    assert!(descent == Descended::Measures && matches!(base, Shown::ClosedSet(_)), "{descent:?} {base:?}");
    let (descent, base) = shown(SWITCH, "G F up", Engine::Kind);
    assert!(matches!((descent, &base), (Descended::Rounds(_), Shown::Induction(..))), "{descent:?} {base:?}");
    let (descent, base) = shown(COUNTER, "G (n <= 2)", Engine::Explicit);
    assert!(descent == Descended::Terminal && matches!(base, Shown::ClosedSet(_)), "{descent:?} {base:?}");
    let (descent, base) = shown(COUNTER, "G (n <= 2)", Engine::Cegar);
    assert!(descent == Descended::Terminal && matches!(base, Shown::Invariant(_)), "{descent:?} {base:?}");
}

/// A proof that [`DOWN`] comes to 0: an invariant that says nothing, and a ranking. It is lower after `init`; then `n` is
/// decreased by every `trans`, and before that it is the turn of `env`.
fn ranked() -> Value {
    let mut file = proof(DOWN, "F (n <= 0)", Engine::Explicit);
    let states = file.as_object_mut().unwrap().remove("states").expect("a list of states");
    let mut places: Vec<Value> =
        states.as_array().unwrap().iter().map(|state| state["locations"].clone()).collect();
    normalise_list(&mut places);
    let all: Vec<usize> = (0..places.len()).collect();
    let rank = |place: &Value| match place[0].as_str() {
        Some("env") => json!([0, ["|n|", "1"], 0]),
        Some("trans") => json!([0, ["|n|", "0"], 0]),
        _ => json!([1, [], 0]),
    };
    let entry = |place: &Value| json!({ "locations": place, "formula": "true", "successors": all });
    file["descent"] = json!({ "ranks": places.iter().map(rank).collect::<Vec<_>>() });
    file["base"] = json!("invariant");
    file["initial"] = json!(all);
    file["entries"] = places.iter().map(entry).collect();
    file
}

#[test]
fn rankings_are_read_and_judged() {
    let file = ranked();
    let valid = validated(DOWN, &file).unwrap_or_else(|why| panic!("{why}\n{file:#}"));
    let Shown::Progress { base, descent, .. } = valid.shown else { panic!("no proof about runs") };
    assert_eq!((descent, *base), (Descended::Ranks, Shown::Invariant(3)));
    // As many as the model can count down from, for nothing is said about where it starts.
    assert!(validated(&DOWN.replace("= 3", ""), &file).is_ok());
    let forged = |forge: &dyn Fn(&mut Value)| {
        let mut forgery = file.clone();
        forge(&mut forgery);
        assert_ne!(forgery, file, "nothing was changed");
        refused(DOWN, &forgery)
    };
    // Whatever the components are before `init`, there are none with its rank to be compared with.
    let turns = (0..3).filter(|at| file["entries"][*at]["locations"][0] != "init");
    for at in turns {
        forged(&|it| it["descent"]["ranks"][at][1] = json!(["|n|"]));
        forged(&|it| it["descent"]["ranks"][at][1] = json!(["(- |n|)", "0"]));
    }
    for at in 0..3 {
        forged(&|it| it["entries"][at]["formula"] = json!("false"));
        forged(&|it| it["entries"][at]["successors"] = json!([]));
    }
    assert_eq!(forged(&|it| it["descent"]["ranks"][0][1] = json!(["|m|"])), "misfit.formula");
    assert_eq!(forged(&|it| drop(it["descent"]["ranks"].as_array_mut().unwrap().pop())), "evidence.measures");
    // Somebody may let it be, and then it never comes to 0.
    refused(&DOWN.replace("or { assume n <= 0; }", "or { }"), &file);
}

#[test]
fn forged_proofs_are_refused() {
    let file = proof(SWITCH, "G F up", Engine::Explicit);
    let forged = |forge: &dyn Fn(&mut Value)| {
        let mut forgery = file.clone();
        forge(&mut forgery);
        assert_ne!(forgery, file, "nothing was changed");
        refused(SWITCH, &forgery)
    };
    let measures = |file: &Value| file["descent"]["measures"].as_array().expect("measures").clone();
    // The ranks are those of strongly connected components, of which there are several.
    let ranks = measures(&file);
    let least = ranks.iter().min_by_key(|it| it[0].as_u64()).expect("a state").clone();
    let top = ranks.iter().position(|it| it[0].as_u64() > least[0].as_u64()).expect("several components");
    assert_eq!(forged(&|it| it["descent"]["measures"][top] = least.clone()), "evidence.ascent");
    // A run stays where several states have the same rank.
    let stays = ranks.iter().position(|it| ranks.iter().filter(|other| other[0] == it[0]).count() > 1);
    let stays = stays.expect("a component of several states");
    assert_eq!(forged(&|it| it["descent"]["measures"][stays][1] = json!(1)), "evidence.ascent");
    forged(&|it| drop(it["descent"]["measures"].as_array_mut().unwrap().pop()));
    assert_eq!(forged(&|it| it["descent"] = json!("terminal")), "evidence.measures");
    forged(&|it| it["descent"] = json!({ "rounds": 9 }));
    forged(&|it| it["descent"] = json!({ "rounds": u32::MAX }));
    // The automaton: less of it, none, or one of something else.
    for at in 0..file["automaton"]["transitions"].as_array().unwrap().len() {
        forged(&|it| drop(it["automaton"]["transitions"].as_array_mut().unwrap().remove(at)));
        forged(&|it| it["automaton"]["transitions"][at]["sets"] = json!([7]));
        forged(&|it| it["automaton"]["transitions"][at]["guard"] = json!([]));
        forged(&|it| it["automaton"]["transitions"][at]["guard"] = json!([[[9, true]]]));
        forged(&|it| it["automaton"]["transitions"][at]["target"] = json!(99));
    }
    assert_eq!(forged(&|it| it["automaton"]["sets"] = json!(64)), "misfit.automaton");
    assert_eq!(forged(&|it| it["automaton"]["initial"] = json!(99)), "misfit.automaton");
    forged(&|it| it["automaton"]["sinks"][0] = json!(true));
    forged(&|it| it["automaton"]["states"] = json!(3));
    // The list: a state less, a monitor elsewhere, the locations of one told twice.
    forged(&|it| drop(it["states"].as_array_mut().unwrap().pop()));
    let mut states = file["states"].as_array().unwrap().iter();
    let at = states.position(|state| state["locations"].as_array().unwrap().len() > 1).expect("a move");
    forged(&|it| drop(it["states"][at]["locations"].as_array_mut().unwrap().pop()));
    assert_eq!(forged(&|it| it["states"][at]["locations"][1] = json!("monitor.99")), "misfit.location");
    let twice = |it: &mut Value| {
        let list = it["states"][at]["locations"].as_array_mut().unwrap();
        list.push(list[1].clone());
    };
    assert_eq!(forged(&twice), "misfit.locations");
    // The frame: other kinds, other questions.
    forged(&|it| it["base"] = json!("progress"));
    forged(&|it| it["base"] = json!("invariant"));
    forged(&|it| it["kind"] = json!("closed-set"));
    forged(&|it| drop(it.as_object_mut().unwrap().remove("automaton")));
    assert_eq!(forged(&|it| it["property"]["text"] = json!("ltl: F G up")), "misfit.shown");
    let about = |text: &str, expression: &str, claim: &str| {
        let about = json!({ "expression": expression });
        json!({ "name": "p", "text": text, "claim": claim, "about": about, "check_states": "all" })
    };
    let other = about("ltl: F G up", "F G up", "every");
    assert_eq!(forged(&|it| it["property"] = other.clone()), "uncertified.not-covered");
    let other = about("up || !up", "up || !up", "always");
    assert_eq!(forged(&|it| it["property"] = other.clone()), "misfit.not-about-runs");
}

/// Limits to rounds, and proofs that nothing accepting is reached.
#[test]
fn forged_limits_are_refused() {
    let forged = |text: &str, file: &Value, forge: &dyn Fn(&mut Value)| {
        let mut forgery = file.clone();
        forge(&mut forgery);
        assert_ne!(&forgery, file, "nothing was changed");
        refused(text, &forgery)
    };
    let rounds = proof(SWITCH, "G F up", Engine::Kind);
    // `up` is false in several states in a row, so that a run comes through the only acceptance set more than once.
    assert!(rounds["descent"]["rounds"].as_u64() > Some(0), "{rounds:#}");
    forged(SWITCH, &rounds, &|it| it["descent"] = json!({ "rounds": 0 }));
    // Without a limit, nothing counts rounds, of which its lemma speaks.
    assert_eq!(forged(SWITCH, &rounds, &|it| it["descent"] = json!("terminal")), "misfit.variable");
    forged(SWITCH, &rounds, &|it| it["descent"] = json!({ "measures": [] }));
    for at in 0..rounds["automaton"]["transitions"].as_array().unwrap().len() {
        forged(SWITCH, &rounds, &|it| {
            drop(it["automaton"]["transitions"].as_array_mut().unwrap().remove(at))
        });
    }
    // Somebody may let it be for ever here.
    refused(LAZY, &rounds);

    let terminal = proof(COUNTER, "G (n <= 2)", Engine::Explicit);
    forged(COUNTER, &terminal, &|it| it["descent"] = json!({ "measures": [] }));
    forged(COUNTER, &terminal, &|it| drop(it["states"].as_array_mut().unwrap().pop()));
    forged(COUNTER, &terminal, &|it| it["automaton"]["sinks"] = json!([false, false]));
    refused(&COUNTER.replace("n < 2", "n < 3"), &terminal);
}

/// A list of states is no proof about runs, even if it is right.
#[test]
fn a_list_of_states_decides_nothing_about_runs() {
    let mut model = model(SWITCH);
    let question = model.ask("up || !up").unwrap();
    let answered = model.check(&question, &check(Engine::Explicit, None)).unwrap();
    let path = file("list");
    answered.write_certificate(&model, &path).unwrap();
    let mut list: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    validated(SWITCH, &list).expect("a closed set");
    list["property"] = json!({
        "name": "p", "text": "ltl: G F up", "claim": "every", "about": { "expression": "G F up" }, "check_states": "all",
    });
    assert_eq!(refused(SWITCH, &list), "evidence.other-question");
}

#[test]
fn obligations_of_the_base_are_written() {
    let written = |formula: &str, engine| {
        let (_, answered) = answered(COUNTER, formula, &check(engine, None));
        let (system, question) = answered.searched();
        let certificate = answered.certificate().expect("it holds");
        let dir = file(&format!("obligations-{engine}")).with_extension("");
        let stop = Stop::new();
        obligations::write(&dir, "m.xsts", &system, &question, certificate, stop.flag()).expect("files")
    };
    let some = written("G (n <= 2)", Engine::Cegar);
    assert!(matches!(some, Written::Base(count) if count > 0), "{some:?}");
    assert_eq!(written("G (n <= 2)", Engine::Explicit), Written::States);
}

/// A change of a file: which part of it, and what becomes of that.
fn mutate(file: &mut Value, mut at: usize, how: usize) {
    let mut pointers = vec![];
    collect(file, String::new(), &mut pointers);
    at %= pointers.len();
    let other = file.pointer(&pointers[how % pointers.len()]).cloned();
    let Some(part) = file.pointer_mut(&pointers[at]) else { return };
    *part = match part.clone() {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            json!(number + [1, -1, 2, 7, -number][how % 5])
        }
        Value::Bool(value) => json!(!value),
        Value::Array(mut list) if !list.is_empty() => {
            let (first, second) = (how % list.len(), how / 7 % list.len());
            match how % 3 {
                0 => drop(list.remove(first)),
                1 => list.swap(first, second),
                _ => list.push(list[first].clone()),
            }
            Value::Array(list)
        }
        _ => other.unwrap_or(Value::Null),
    };
}

/// All parts of a file.
fn collect(value: &Value, pointer: String, list: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(at, item)| collect(item, format!("{pointer}/{at}"), list));
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, item)| collect(item, format!("{pointer}/{key}"), list));
        }
        _ => {}
    }
    list.push(pointer);
}

/// What a file says, without the names of the model's file and of the property, which are what they are called.
fn unnamed(file: &Value) -> Value {
    let mut file = file.clone();
    file["model"] = Value::Null;
    if let Some(property) = file.get_mut("property").and_then(Value::as_object_mut) {
        property.remove("name");
    }
    file
}

/// The same, with lists without order and repetition.
fn contents(file: &Value) -> Value {
    let mut file = unnamed(file);
    let transitions = file.pointer_mut("/automaton/transitions").and_then(Value::as_array_mut);
    for transition in transitions.into_iter().flatten() {
        // The automaton has no cycles but loops, so what leads elsewhere happens once, whatever sets it is in.
        if transition["source"] != transition["target"] {
            transition["sets"] = json!([]);
        }
        transition["guard"].as_array_mut().into_iter().flatten().for_each(normalise);
        normalise(&mut transition["guard"]);
    }
    // A state that no transition has to do with is never entered; there are two others.
    if let Some(sinks) = file.pointer_mut("/automaton/sinks").and_then(Value::as_array_mut) {
        sinks.truncate(2);
    }
    normalise(&mut file["states"]);
    normalise(&mut file["automaton"]["transitions"]);
    // Other ranks may descend as well; whether these do is not for the test to say.
    file["descent"] = Value::Null;
    file
}

fn normalise(list: &mut Value) {
    if let Value::Array(list) = list {
        normalise_list(list);
    }
}

fn normalise_list(list: &mut Vec<Value>) {
    list.sort_by_key(Value::to_string);
    list.dedup();
}

proptest! {
    #![proptest_config(sampling::runs(2_000, 1_977))]

    /// `G F up` is true of the switch and false of the one that may be left alone. So nothing that is made of the proof
    /// about the first can be one about the second. What is left of a proof about the first after a single change is right
    /// only if it says the same.
    #[test]
    fn changed_proofs_are_refused(changes in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4)) {
        static PROOF: std::sync::LazyLock<Value> =
            std::sync::LazyLock::new(|| proof(SWITCH, "G F up", Engine::Explicit));
        let mut file = PROOF.clone();
        changes.iter().for_each(|(at, how)| mutate(&mut file, *at, *how));
        prop_assert!(validated(LAZY, &file).is_err(), "accepted: {file:#}");
        if changes.len() == 1 && validated(SWITCH, &file).is_ok() {
            prop_assert_eq!(contents(&file), contents(&PROOF), "accepted: {:#}", file);
        }
    }

    /// [`DOWN`] comes to 0 from anywhere, and a model that may stop does not. So nothing that is made of the proof about the
    /// first can be one about the second.
    #[test]
    fn changed_rankings_are_refused(changes in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4)) {
        static PROOF: std::sync::LazyLock<Value> = std::sync::LazyLock::new(ranked);
        let mut file = PROOF.clone();
        changes.iter().for_each(|(at, how)| mutate(&mut file, *at, *how));
        let stops = DOWN.replace("or { assume n <= 0; }", "or { }");
        prop_assert!(validated(&stops, &file).is_err(), "accepted: {file:#}");
    }

    /// `F (x < 0)` is violated by what grows, and true of what shrinks. So no change makes a run of the second of what
    /// violates it in the first; and a changed run of the first is one that shows the same.
    #[test]
    fn changed_recurrent_loops_are_refused(changes in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4)) {
        static LASSO: std::sync::LazyLock<Value> =
            std::sync::LazyLock::new(|| serde_json::to_value(violation(GROWING, "F (x < 0)", None)).unwrap());
        let mut file = LASSO.clone();
        changes.iter().for_each(|(at, how)| mutate(&mut file, *at, *how));
        let shrinks = GROWING.replace("x + 1", "x - 1");
        prop_assert!(validated(&shrinks, &file).is_err(), "accepted: {file:#}");
        if validated(GROWING, &file).is_ok() {
            prop_assert_eq!(unnamed(&file), unnamed(&LASSO), "accepted: {:#}", file);
        }
    }

    /// `F G up` is violated by the switch, and true of one that stays up. So no change makes a run of the second of what
    /// violates it in the first; and a changed run of the first is one that shows the same.
    #[test]
    fn changed_lassos_are_refused(changes in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4)) {
        static LASSO: std::sync::LazyLock<Value> =
            std::sync::LazyLock::new(|| serde_json::to_value(violation(SWITCH, "F G up", None)).unwrap());
        let mut file = LASSO.clone();
        changes.iter().for_each(|(at, how)| mutate(&mut file, *at, *how));
        let stays = SWITCH.replace("!up;", "true;");
        prop_assert!(validated(&stays, &file).is_err(), "accepted: {file:#}");
        if validated(SWITCH, &file).is_ok() {
            prop_assert_eq!(unnamed(&file), unnamed(&LASSO), "accepted: {:#}", file);
        }
    }
}

/// The kinds of certificates are named in files; a new one is no other for readers that do not know it.
#[test]
fn kinds_have_names() {
    assert_eq!(serde_json::to_value(Kind::Progress).unwrap(), "progress");
    assert!(serde_json::from_value::<Kind>(json!("liveness")).is_err());
    let endless = violation(SWITCH, "F G up", None);
    let mut file = serde_json::to_value(&endless).unwrap();
    file["property"] = json!({
        "name": "p", "text": "!up", "claim": "always", "about": { "expression": "!up" }, "check_states": "all",
    });
    let mut model = model(SWITCH);
    let question = model.ask("!up").unwrap();
    let mut simulator =
        Simulator::new(&model, Some(&question), Scope::default(), Arc::new(Stop::new())).unwrap();
    let trace = trace::parse("t.json", &file.to_string()).unwrap();
    assert_eq!(simulator.follow(&trace, |_| {}).map_err(|it| it.what), Err(Mismatch::Endless));
}

/// All runs of this model get stuck, so that only what their beginnings decide counts: nothing can make these formulas true.
#[test]
fn what_contradicts_itself_is_violated_by_any_beginning() {
    const STUCK: &str =
        "var b : boolean = false\nvar y : integer = 0\ntrans { assume b; }\ninit { }\nenv { }\n";
    for formula in ["F b & G !b", "F b & !F b", "F (X b & X !b)", "F (y >= 1) & G (y < 1)"] {
        assert_eq!(violation(STUCK, formula, None).cycle, None, "{formula}");
    }
}

/// Two names for one proposition: no letter has it and does not have it.
#[test]
fn an_automaton_may_name_a_proposition_twice() {
    const CHANGES: &str = "var x : integer = 0\ntrans { }\ninit { }\nenv { } or { x := 1; }\n";
    let never = "never: HOA: v1 States: 1 Start: 0 AP: 2 \"x == 0\" \"(x == 0)\" Acceptance: 1 Inf(0) \
                 --BODY-- State: 0 [0&!1] 0 {0} --END--";
    let mut model = model(CHANGES);
    let question = model.ask(never).expect("an automaton");
    for engine in [Engine::Auto, Engine::Explicit, Engine::Kind] {
        let answered = model.check(&question, &check(engine, None)).expect("it can be asked");
        assert_eq!(answered.outcome, Outcome::Holds, "{engine}");
    }
}
