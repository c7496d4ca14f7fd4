//! Preprocessing: what it does, that answers stay the same, and that all evidence is lifted; and that it
//! does not matter who answers when that is left to the schedule.
//!
//! Evidence is checked against the system as it was. `PROPTEST_CASES` sets the number of random models.

extern crate thetis_engine as engine;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::slice::from_ref;

use engine::{Answer, Config, Engine, Quiet, Reason, RewriteKind, Rewriting, Rewritings, Stop};
use ir::{Question, System};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use proptest::test_runner::Config as Runs;

/// What a search said, its evidence certified.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Said {
    Reached(usize),
    Never,
    Unknown(Reason),
}

fn ask(system: &System, question: &Question, config: &Config) -> Result<Said, String> {
    Ok(ask_whom(system, question, config)?.0)
}

/// The same, and who answered.
fn ask_whom(system: &System, question: &Question, config: &Config) -> Result<(Said, Option<String>), String> {
    let stop = Stop::new();
    let (answer, statistics) = engine::search(system, question, config, &stop, &mut Quiet);
    let said = match answer {
        Answer::Found(run) => {
            let checked = certify::check_run(system, question, &run, stop.flag());
            checked.map_err(|why| format!("the run was refused: {why}"))?;
            Said::Reached(run.steps.len())
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(system, question, &certificate, stop.flag());
            checked.map_err(|why| format!("{certificate:?} was refused: {why}"))?;
            Said::Never
        }
        Answer::Unknown(reason) => Said::Unknown(reason),
    };
    Ok((said, statistics.answered_by.map(|config| config.to_string())))
}

fn load(text: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn told(summary: &[Rewriting]) -> Vec<String> {
    summary.iter().map(ToString::to_string).collect()
}

/// What is done to a model, in words; every engine gives a certified answer, the same with and without.
#[track_caller]
fn check(text: &str, summary: &[&str], expected: &Said) {
    let (system, question) = load(text);
    let work = engine::preprocess(&system, from_ref(&question), Rewritings::All, &Stop::new());
    assert_eq!(told(&work.summary), summary);
    for engine in [Engine::Explicit, Engine::Cegar, Engine::Bmc, Engine::Kind] {
        let config = Config { engine, bound: Some(10), ..Config::default() };
        let said = ask(&system, &question, &config).unwrap_or_else(|why| panic!("{engine}: {why}"));
        let open = matches!(said, Said::Unknown(Reason::Bound(_)));
        assert!(said == *expected || (open && *expected == Said::Never), "{engine}: {said:?}");
    }
}

#[test]
fn what_decides_nothing_is_dropped() {
    // `log` reads `n` and itself only; `note` flows into `log`. `mask` flows into `n`, which decides.
    check(
        "var n : integer = 0 var log : integer = 0 var note : boolean = false var mask : integer = 0
         trans { assume n < 3; havoc mask; assume mask >= 0 && mask < 2; n := n + mask; log := log + n;
                 if (n > 1) { note := true; } choice { log := 0 - log; } or { } }
         init { } env { } prop { n <= 3 }",
        &["dropped `log`, `note`, which decide nothing"],
        &Said::Never,
    );
    // Without bounds, an arbitrary value cannot be listed; here nobody reads it.
    check(
        "var n : integer = 0 var free : integer var copy : integer = 0
         trans { havoc free; copy := free * free; n := n + 1; } init { } env { } prop { n < 2 }",
        &["dropped `free`, `copy`, which decide nothing", "cut off `n` above what it is compared with"],
        &Said::Reached(5),
    );
}

#[test]
fn whatever_decides_stays() {
    // In an assumption; in a loop bound; in what can go wrong; in an index; through a local.
    for model in [
        "var x : integer = 0 trans { x := 1 - x; assume x == 1; } init { } env { }",
        "var x : integer = 0 var y : integer = 0 trans { x := 1 - x; for i from 0 to x do { y := 1; } assume y < 2; }
         init { } env { }",
        "var x : integer = 1 var y : integer = 0 trans { x := x - 1; y := 1 / x; } init { } env { }",
        "var x : integer = 0 var a : [integer] -> integer = [<integer>default <- 0]
         trans { x := 1 - x; a[x] := 1; assume a[0] < 2; } init { } env { }",
        "var x : integer = 0 trans { local var z : integer = x; assume z < 5; x := 1 - x; } init { } env { }",
    ] {
        let (system, question) = load(&format!("{model} prop {{ true }}"));
        let work = engine::preprocess(&system, from_ref(&question), Rewritings::All, &Stop::new());
        assert!(told(&work.summary).iter().all(|line| !line.contains("`x`")), "{model}: {:?}", work.summary);
    }
}

#[test]
fn constants_are_folded_together() {
    // `size` is never written; `same` is written, but always what it is; `limit` is made of both.
    check(
        "var size : integer = 2 var same : boolean = true var limit : integer = size + 1 var n : integer = 0
         trans { same := size == 2; limit := size + 1; assume n < limit && same; n := n + 1; } or { n := 0; }
         init { } env { } prop { n <= limit }",
        &["folded `size`, `same`, `limit`, which never change"],
        &Said::Never,
    );
    // `a` and `b` keep each other's value only if both are constant, and `b` is changed by `c`.
    check(
        "var a : integer = 0 var b : integer = 0 var c : integer = 0
         trans { a := b; b := c; c := 1; } init { } env { } prop { a == 0 }",
        &[],
        &Said::Reached(7),
    );
}

#[test]
fn counters_stop_where_nobody_looks() {
    // Endless without cut-off. `ticks` is compared with 3 only, so 4 stands for all above.
    check(
        "var ticks : integer = 0 var on : boolean = false
         trans { ticks := ticks + 2; on := ticks > 3; } or { ticks := 0; on := false; }
         init { } env { } prop { on == (ticks > 3) }",
        &["cut off `ticks` above what it is compared with"],
        &Said::Never,
    );
    check(
        "var ticks : integer = 0 var on : boolean = false
         trans { choice { ticks := ticks + 1; } or { } on := ticks > 3; } init { } env { } prop { !on }",
        &["cut off `ticks` above what it is compared with"],
        &Said::Reached(9),
    );
    // Counting down, copies, sums and ranges forbid it; a bound makes it useless.
    for model in [
        "trans { x := x + 1; } or { x := x - 1; }",
        "trans { x := x + 1; y := x; assume y < 9; }",
        "trans { x := x + 1; assume x + y < 9; y := 1 - y; }",
        "trans { x := x * 2; }",
        "trans { assume x < 3; x := x + 1; }",
    ] {
        let text =
            format!("var x : integer = 0 var y : integer = 0 {model} init {{ }} env {{ }} prop {{ x != 7 }}");
        let (system, question) = load(&text);
        let work = engine::preprocess(&system, from_ref(&question), Rewritings::All, &Stop::new());
        assert!(
            work.summary.iter().all(|done| done.what != RewriteKind::CutOff),
            "{model}: {:?}",
            work.summary
        );
    }
}

#[test]
fn induction_gets_only_what_keeps_states_apart() {
    let (system, question) = load(
        "var c : integer = 1 var n : integer = 0 var log : integer = 0
         trans { n := n + c; log := log + 1; } init { } env { } prop { n < 3 }",
    );
    let work = engine::preprocess(&system, from_ref(&question), Rewritings::OneToOne, &Stop::new());
    assert_eq!(told(&work.summary), ["folded `c`, which never changes"]);
}

// Random models.

fn runs(seed: u64) -> Runs {
    let given = sampling::runs(300, seed);
    // Each case is many questions to a solver.
    Runs { cases: given.cases.min(10_000), max_shrink_iters: 2_000, ..given }
}

/// What happened to random models.
#[derive(Debug, Default)]
struct Seen {
    never: usize,
    reached: usize,
    skipped: usize,
    folded: usize,
    dropped: usize,
    cut: usize,
}

impl Seen {
    fn rewritten(&mut self, system: &System, question: &Question) {
        let work = engine::preprocess(system, from_ref(question), Rewritings::All, &Stop::new());
        let did = |what: RewriteKind| usize::from(work.summary.iter().any(|done| done.what == what));
        self.folded += did(RewriteKind::Folded);
        self.dropped += did(RewriteKind::Dropped);
        self.cut += did(RewriteKind::CutOff);
    }
}

/// States that a search may store.
const STATES: u64 = 2_000;

#[test]
fn random_models_get_the_same_answers_with_and_without() {
    let seen = RefCell::new(Seen::default());
    sampling::check(runs(3_141), &arbitrary::model(), xsts::print, |model| {
        both_ways(&xsts::print(&model), &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("random models: {seen:?}");
    let few = runs(0).cases as usize / 20;
    assert!(few < 5 || (seen.dropped > few && seen.folded > few && seen.never > few), "{seen:?}");
}

/// Exhaustive search with and without, and the other engines with preprocessing.
fn both_ways(text: &str, seen: &mut Seen) -> Result<(), String> {
    let (system, question) = load(text);
    seen.rewritten(&system, &question);
    let plain = Config {
        engine: Engine::Explicit,
        preprocess: false,
        state_limit: Some(STATES),
        ..Config::default()
    };
    let expected = ask(&system, &question, &plain)?;
    match expected {
        Said::Unknown(_) => seen.skipped += 1,
        Said::Never => seen.never += 1,
        Said::Reached(_) => seen.reached += 1,
    }
    for engine in [Engine::Explicit, Engine::Bmc, Engine::Kind] {
        let config = Config { engine, bound: Some(8), preprocess: true, ..plain.clone() };
        let said = ask(&system, &question, &config).map_err(|why| format!("{engine}: {why}"))?;
        let open = |reason: &Reason| matches!(reason, Reason::States(_) | Reason::Bound(_));
        match (&said, &expected) {
            (Said::Unknown(reason), _) if open(reason) && engine != Engine::Explicit => {}
            (_, Said::Unknown(_)) => {}
            // All are as short as possible.
            (said, expected) if said == expected => {}
            _ => return Err(format!("{engine}: {said:?} with preprocessing, {expected:?} without")),
        }
    }
    Ok(())
}

/// Models that count, from a list of numbers.
fn counting() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u32>(), 1..60).prop_map(|numbers| {
        let mut numbers = numbers.into_iter();
        let mut pick = move |count: u32| numbers.next().unwrap_or(0) % count;
        let mut branches = String::new();
        for at in 0..1 + pick(3) {
            branches.push_str(if at == 0 { "trans {" } else { " or {" });
            for _ in 0..1 + pick(4) {
                let (var, c) = (["a", "b"][pick(2) as usize], pick(4));
                let op = ["<", "<=", "==", "!=", ">", ">="][pick(6) as usize];
                let _ = match pick(9) {
                    0 | 1 => write!(branches, " {var} := {var} + {};", 1 + c % 2),
                    2 => write!(branches, " {var} := {c};"),
                    3 => write!(branches, " assume {var} {op} {c};"),
                    4 => write!(branches, " choice {{ {var} := {var} + 1; }} or {{ flag := !flag; }}"),
                    5 => write!(
                        branches,
                        " if ({var} {op} {c}) {{ flag := true; }} else {{ log := log + {var}; }}"
                    ),
                    6 => write!(branches, " assume flag || step == 1; step := 1;"),
                    7 => write!(branches, " havoc log;"),
                    _ => write!(branches, " for i from 0 to {} do {{ {var} := {var} + step; }}", c % 3),
                };
            }
            branches.push_str(" }");
        }
        let (c, d, flag) = (1 + pick(3), 1 + pick(3), ["flag", "!flag", "true"][pick(3) as usize]);
        format!(
            "var a : integer = 0 var b : integer = {} var flag : boolean = false var log : integer = 0
             var step : integer = 1
             {branches} init {{ }} env {{ }} prop {{ !(a > {c} && b >= {d} && {flag}) }}",
            pick(3)
        )
    })
}

#[test]
fn random_counters_get_the_answers_of_bounded_search() {
    let seen = RefCell::new(Seen::default());
    sampling::check(runs(2_718), &counting(), String::clone, |text| {
        by_bounded_search(&text, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("random counters: {seen:?}");
    let few = runs(0).cases as usize / 20;
    assert!(few < 5 || (seen.cut > few && seen.reached > few && seen.never > few), "{seen:?}");
}

/// What exhaustive search finds among the states that are left is what there is: bounded search without
/// preprocessing finds runs as short, and none that are shorter.
fn by_bounded_search(text: &str, seen: &mut Seen) -> Result<(), String> {
    let (system, question) = load(text);
    seen.rewritten(&system, &question);
    let config = Config { engine: Engine::Explicit, state_limit: Some(STATES), ..Config::default() };
    let said = ask(&system, &question, &config)?;
    let bound = match said {
        Said::Unknown(_) => {
            seen.skipped += 1;
            return Ok(());
        }
        Said::Never => {
            seen.never += 1;
            9
        }
        Said::Reached(steps) => {
            seen.reached += 1;
            steps as u32
        }
    };
    let config = Config { engine: Engine::Bmc, preprocess: false, bound: Some(bound), ..Config::default() };
    match (ask(&system, &question, &config)?, said) {
        (Said::Unknown(Reason::Bound(_)), Said::Never) => Ok(()),
        (found, said) if found == said => Ok(()),
        (found, said) => Err(format!("{said:?} with preprocessing, {found:?} by bounded search without")),
    }
}

/// Ways to leave the choice to the schedule: one thread or two, with and without preprocessing, and with so
/// few states that most models are not answered by listing them.
fn choices() -> [Config; 4] {
    let limited =
        Config { state_limit: Some(12), bound: Some(6), call_limit: Some(200), ..Config::default() };
    [
        Config::default(),
        Config { threads: 2, preprocess: false, ..Config::default() },
        Config { preprocess: false, ..limited.clone() },
        Config { threads: 2, ..limited },
    ]
}

#[test]
fn the_schedule_gives_the_answers_of_exhaustive_search() {
    let by = RefCell::new(BTreeMap::<String, usize>::new());
    sampling::check(runs(1_618), &arbitrary::model(), xsts::print, |model| {
        by_schedule(&xsts::print(&model), &mut by.borrow_mut())
    });
    let by = by.into_inner();
    eprintln!("answered by: {by:#?}");
    assert!(runs(0).cases < 100 || by.len() >= 3, "one configuration answers everything: {by:?}");
}

fn by_schedule(text: &str, by: &mut BTreeMap<String, usize>) -> Result<(), String> {
    let (system, question) = load(text);
    let plain = Config {
        engine: Engine::Explicit,
        preprocess: false,
        state_limit: Some(STATES),
        ..Config::default()
    };
    let expected = ask(&system, &question, &plain)?;
    if matches!(expected, Said::Unknown(_)) {
        return Ok(());
    }
    for config in choices() {
        let about = |what: &dyn std::fmt::Debug| {
            let Config { threads, preprocess, state_limit, .. } = config;
            format!("threads {threads}, preprocessing {preprocess}, states {state_limit:?}: {what:?}")
        };
        let (said, whom) = ask_whom(&system, &question, &config).map_err(|why| about(&why))?;
        match (&said, &expected) {
            (Said::Never, Said::Never) => {}
            (Said::Reached(steps), Said::Reached(least)) if steps >= least => {}
            (Said::Unknown(_), _) if config.state_limit.is_some() => {}
            _ => return Err(format!("{}, but exhaustive search says {expected:?}", about(&said))),
        }
        *by.entry(whom.unwrap_or_else(|| "nobody".to_owned())).or_default() += 1;
    }
    Ok(())
}
