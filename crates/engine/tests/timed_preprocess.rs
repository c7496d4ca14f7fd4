//! Preprocessing of systems in which time passes: what it does, that answers stay the same, that evidence is
//! lifted, and that a list of zones which was lifted wrongly is refused.
//!
//! Random models get variables and clocks that decide nothing, and are compared with a search of the region graph
//! of the model without them. `PROPTEST_CASES` sets the number of models.

extern crate thetis_engine as engine;

#[path = "regions/listed.rs"]
#[expect(dead_code, reason = "only the lists themselves are changed here")]
mod listed;
#[path = "timed/regions.rs"]
#[expect(dead_code, reason = "only whether a target is reached is asked here")]
mod regions;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::slice::from_ref;

use engine::{
    Answer, Cegar, Config, Covering, Domain, Engine, Quiet, Reason, RewriteKind, Rewriting, Rewritings,
    Statistics, Stop, ZoneStrategy,
};
use ir::{Certificate, Id, Limit, Question, System, Value};
use lang::xsts::{self, arbitrary};
use lang::xta;
use listed::Listed;
use proptest::test_runner::Config as Runs;
use regions::Regions;

/// Everybody who keeps clocks as they are, by name.
fn configs() -> Vec<(&'static str, Config)> {
    let with = |engine: Engine| Config {
        engine,
        state_limit: Some(2_000),
        step_limit: Some(200_000),
        call_limit: Some(800),
        work_limit: Some(2_000_000),
        ..Config::default()
    };
    let lazy = |zone_strategy| Config { zone_strategy, ..with(Engine::Lazy) };
    let combined = |domain| Config { cegar: Cegar { domain, ..Cegar::default() }, ..with(Engine::Combined) };
    vec![
        ("zone", with(Engine::Zone)),
        ("zone alu", Config { covering: Covering::Alu, ..with(Engine::Zone) }),
        ("paths", with(Engine::ZoneCegar)),
        ("lazy", lazy(ZoneStrategy::Auto)),
        ("interpolating", lazy(ZoneStrategy::BwItp)),
        ("values", combined(Domain::Expl)),
        ("predicates", combined(Domain::PredCart)),
        ("auto", with(Engine::Auto)),
    ]
}

/// Whether the target, or a fault, is reached, if that was found out; evidence that is refused is an error.
fn ask(system: &System, question: &Question, config: &Config) -> Result<(Option<bool>, Statistics), String> {
    let (answer, statistics) = engine::search(system, question, config, &Stop::new(), &mut Quiet);
    let flag = Stop::new();
    let said = match answer {
        Answer::Found(run) => {
            let checked = certify::check_run(system, question, &run, flag.flag());
            checked.map_err(|why| format!("the run was refused: {why}"))?;
            Some(true)
        }
        Answer::Excluded(certificate) => {
            match certify::check_certificate(system, question, &certificate, flag.flag()) {
                Ok(()) => Some(false),
                Err(certify::Rejection::Undecided(_)) => None,
                Err(why) => return Err(format!("{certificate:?} was refused: {why}")),
            }
        }
        Answer::Unknown(Reason::Internal(why)) => return Err(why.to_string()),
        Answer::Unknown(_) => None,
    };
    Ok((said, statistics))
}

fn load(text: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn load_network(text: &str, query: &str) -> (System, Question) {
    let mut model = xta::load(text, xta::Format::Xta).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.parse_property("q", query).unwrap_or_else(|errors| panic!("{errors:?}\n{query}"));
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn told(summary: &[Rewriting]) -> Vec<String> {
    summary.iter().map(ToString::to_string).collect()
}

/// What is done to a model, in words; everybody gives a certified answer, the same with and without.
#[track_caller]
fn check((system, question): (System, Question), summary: &[&str], reached: bool) {
    let work = engine::preprocess(&system, from_ref(&question), Rewritings::Zones, &Stop::new());
    assert_eq!(told(&work.summary), summary);
    for (name, config) in configs() {
        for preprocess in [true, false] {
            let config = Config { preprocess, ..config.clone() };
            match ask(&system, &question, &config) {
                Ok((said, _)) => assert_eq!(said, Some(reached), "{name}, {preprocess}"),
                Err(why) => panic!("{name}, {preprocess}: {why}"),
            }
        }
    }
}

/// `log`, `note` and the clock `spare` decide nothing, `limit` never changes.
const SPARE: &str = "
    var c : clock = 0 var spare : clock = 0 var limit : integer = 1 var n : integer = 0
    var log : integer = 0 var note : boolean = false
    trans { __delay; assume c <= 5 && c >= 2 && n <= limit; n := 1 - n; c := 0; log := log + n; spare := 0; }
       or { havoc note; }
    init { } env { } ";

const SPARE_SUMMARY: &[&str] =
    &["dropped `spare`, `log`, `note`, which decide nothing", "folded `limit`, which never changes"];

#[test]
fn clocks_and_data_that_decide_nothing_are_dropped() {
    // Without preprocessing, it has to end as well.
    let model = SPARE.replace("log + n", "(log + n) % 3");
    check(load(&format!("{model} prop {{ n <= 1 && c <= 5 }}")), SPARE_SUMMARY, false);
    check(load(&format!("{model} prop {{ !(n == 1 && c == 0) }}")), SPARE_SUMMARY, true);
}

#[test]
fn fewer_states_are_left() {
    let (system, question) = load(&format!("{SPARE} prop {{ n <= 1 }}"));
    // Without it, `log` counts for ever.
    let config = Config { engine: Engine::Zone, ..configs()[0].1.clone() };
    let (said, statistics) = ask(&system, &question, &config).unwrap();
    assert_eq!(said, Some(false));
    assert_eq!(told(&statistics.preprocessing), SPARE_SUMMARY);
    let (said, _) = ask(&system, &question, &Config { preprocess: false, ..config }).unwrap();
    assert_eq!(said, None);
}

#[test]
fn a_bound_that_is_a_variable_is_a_number() {
    // Values alone do not find out that `most` is 3: `n` counts for ever, until `most` is folded.
    let model = "
        var most : integer = 3 var n : integer = 0 var c : clock
        trans { __delay; assume c >= 1; if (n < most) { n := n + 1; c := 0; } }
        prop { !(n == 3 && c > 1000 && c < 5) }";
    let (system, question) = load(model);
    let values = |(name, config)| (name == "values").then_some(config);
    let config = configs().into_iter().find_map(values).unwrap();
    let (said, statistics) = ask(&system, &question, &config).unwrap();
    assert_eq!(said, Some(false));
    assert_eq!(told(&statistics.preprocessing), ["folded `most`, which never changes"]);
    let (said, _) = ask(&system, &question, &Config { preprocess: false, ..config }).unwrap();
    assert_eq!(said, None);
}

#[test]
fn a_clock_that_bounds_a_delay_decides() {
    // Nothing asks for `d`, but no step takes longer than it allows: after two of them, c is at most 6.
    let model = "
        var c : clock = 0 var d : clock = 0 var n : integer = 0
        trans { __delay; assume d <= 3 && n < 2; d := 0; n := n + 1; } init { } env { }";
    check(load(&format!("{model} prop {{ c <= 6 }}")), &[], false);
    check(load(&format!("{model} prop {{ c <= 5 }}")), &[], true);
}

#[test]
fn what_a_clock_is_set_to_stays() {
    // `e` decides nothing, and is set to `n`, which decides nothing either but must be known for that.
    let network = "
        clock x, e; int[0,3] n, m;
        process P() {
          state A { x <= 3 };
          init A;
          trans A -> A { guard x >= 2; assign x := 0, e := n, n := (n + 1) % 4, m := n; };
        }
        Q = P();
        system Q;";
    check(load_network(network, "E<> x > 3"), &["dropped `e`, `m`, which decide nothing"], false);
    check(load_network(network, "E<> x == 3"), &["dropped `e`, `m`, which decide nothing"], true);
}

#[test]
fn inputs_that_are_overwritten_are_left_out() {
    // All three are given arbitrary values; `b` gets that of `a` whatever it was, and `k` depends on nothing then.
    let model = "
        type T : { A, B, C }
        var c : clock = 0 var a : T = A var b : T = A var k : boolean = false var seen : boolean = false
        trans { __delay; if (c > 3 && b == C) { seen := true; } c := 0; }
        init { } env { havoc a; havoc b; havoc k; if (k) { havoc b; } k := a == B; b := a; }";
    let forgot = "forgot `a` between steps, which is set before it is read";
    let left_out = "left out values of `b`, `k` that are overwritten";
    check(load(&format!("{model} prop {{ !(seen && k) || a != C }}")), &[left_out], false);
    check(load(&format!("{model} prop {{ !(seen && k) }}")), &[forgot, left_out], true);
}

#[test]
fn what_is_set_in_every_step_is_forgotten_between_steps() {
    // `p` and `v` are asked for only after they have been set; `w` keeps its value where `p` is false.
    let model = "
        type T : { A, B, C }
        var c : clock = 0 var p : boolean = true var v : T = B var w : T = A var n : integer = 0
        trans { __delay; if (w == C && c >= 2) { n := 1; c := 0; } }
        init { }
        env { havoc p; if (p) { havoc v; w := v; } else { v := A; } if (v == B) { n := 0; } }";
    let summary = &["forgot `p`, `v` between steps, which are set before they are read"];
    check(load(&format!("{model} prop {{ n == 0 || w != B }}")), summary, false);
    check(load(&format!("{model} prop {{ n == 0 || w != C || c > 0 }}")), summary, true);
    // What is asked for is not forgotten.
    let one = &["forgot `v` between steps, which is set before it is read"];
    check(load(&format!("{model} prop {{ !(p && n == 1 && w == B) }}")), one, false);
    let (system, question) = load(&format!("{model} prop {{ n == 0 || w != B }}"));
    let config = configs()[0].1.clone();
    let (_, fewer) = ask(&system, &question, &config).unwrap();
    let (_, more) = ask(&system, &question, &Config { preprocess: false, ..config }).unwrap();
    assert!(fewer.states < more.states, "{} and {}", fewer.states, more.states);
}

#[test]
fn loops_read_what_they_mention() {
    let model = "
        var c : clock = 0 var x : integer = 0 var y : integer = 0
        trans { __delay; x := 2; for i from 0 to x do { y := i; } x := 0; assume c <= 4; } init { } env { }";
    check(load(&format!("{model} prop {{ y <= 1 && x == 0 }}")), &[], false);
    let summary = &["forgot `x` between steps, which is set before it is read"];
    check(load(&format!("{model} prop {{ y == 0 }}")), summary, true);
}

/// A network with a clock and a variable that decide nothing.
const NETWORK: &str = "
    clock x, spare; int[0,7] log; const int N = 3; int[0,5] limit := N;
    process P() {
      state A { x <= limit }, B { x <= 4 }, C;
      init A;
      trans
        A -> B { guard x >= 2; assign x := 0, spare := 0, log := (log + 1) % 8; },
        B -> A { guard x <= 3; assign x := 0; },
        B -> C { guard x > 4; };
    }
    Q = P();
    system Q;";

#[test]
fn networks_lose_what_decides_nothing() {
    let summary = &["dropped `spare`, `log`, which decide nothing", "folded `limit`, which never changes"];
    check(load_network(NETWORK, "E<> Q.C"), summary, false);
    check(load_network(NETWORK, "E<> Q.B && x == 1"), summary, true);
}

#[test]
fn deadlocks_stay() {
    // B can be left for 3 units of time only.
    let (system, question) = load_network(NETWORK, "A[] not deadlock");
    for engine in [Engine::Zone, Engine::Lazy, Engine::Auto] {
        for preprocess in [true, false] {
            let config = Config { engine, preprocess, ..Config::default() };
            let (said, _) = ask(&system, &question, &config).unwrap_or_else(|why| panic!("{engine}: {why}"));
            assert_eq!(said, Some(true), "{engine}, {preprocess}");
        }
    }
}

/// The values of 22 inputs that are dropped are four million executions of one step; any of them will do.
#[test]
fn runs_are_lifted_whatever_was_dropped() {
    let inputs: String = (0..22).map(|at| format!("var b{at} : boolean = false\n")).collect();
    let reads: String =
        (0..22).map(|at| format!("havoc b{at}; if (b{at}) {{ s := s + {}; }}\n", 1 << at)).collect();
    let (system, question) = load(&format!(
        "var c : clock var a : boolean = false var bad : boolean = false var s : integer = 0 {inputs}
         trans {{ __delay; havoc a; if (a && c > 3) {{ bad := true; }} {reads} }} init {{ }} env {{ }}
         prop {{ !bad }}"
    ));
    for (name, config) in configs() {
        let (said, _) = ask(&system, &question, &config).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(said, Some(true), "{name}");
    }
}

/// Each variable is needed because the one before it is. What that costs is seen in the statements that are made on
/// the way: one for each round of giving up a variable would be as many as there are variables.
#[test]
fn chains_of_variables_are_followed_at_once() {
    let made = |count: usize| {
        let vars: String = (0..=count).map(|at| format!("var b{at} : boolean = false\n")).collect();
        let chain: String = (0..count).map(|at| format!("b{at} := b{};\n", at + 1)).collect();
        let (system, question) = load(&format!(
            "var c : clock {vars} trans {{ __delay; if (c > 3) {{ c := 0; }} {chain} b{count} := c > 2; }}
             init {{ }} env {{ }} prop {{ !b0 }}"
        ));
        let next = |system: &System| {
            let mut system = system.clone();
            let fresh = system.declare(ir::Type::Bool, ir::Variable::local("fresh", ir::Span::default()));
            system.terms.havoc(fresh).index()
        };
        let work = engine::preprocess(&system, from_ref(&question), Rewritings::Zones, &Stop::new());
        assert_eq!(work.summary, []);
        next(&work.problem.system) - next(&system)
    };
    assert_eq!(made(20), made(40));
}

/// What nobody needs is forgotten, also behind branches; what a branch reads is needed if something in it is.
#[test]
fn what_is_set_before_it_is_read_is_forgotten() {
    let forgets = |update: &str, forgotten: &[&str]| {
        let (system, question) = load(&format!(
            "var c : clock var p : boolean = false var q : boolean = false var r : boolean = false
             var n : boolean = false trans {{ __delay; if (c > 3) {{ c := 0; }} {update} }} init {{ }} env {{ }}
             prop {{ !n }}"
        ));
        let work = engine::preprocess(&system, from_ref(&question), Rewritings::Zones, &Stop::new());
        let said = work.summary.iter().filter(|done| done.what == RewriteKind::Forgot);
        let names: Vec<&str> = said.flat_map(|done| &done.variables).map(|var| var.name.as_str()).collect();
        assert_eq!(names, forgotten, "{update}");
    };
    // Both sides set it.
    forgets("if (c > 1) { p := true; } else { p := n; } n := p;", &["p"]);
    // One does not, and keeps the old value.
    forgets("if (c > 1) { p := true; } n := p;", &[]);
    // The condition is asked because n depends on it, or because something is assumed, or time passes.
    forgets("if (q) { n := true; } q := c > 1; havoc r; assume r || n;", &["r"]);
    forgets("if (q) { assume c > 1; } havoc q; havoc r; n := r;", &["r"]);
    forgets("if (q) { __delay; } havoc q; havoc r; n := r;", &["r"]);
    // One is needed through another, in the next step.
    forgets("n := p; p := q; havoc q;", &[]);
    forgets("havoc q; p := q; n := p;", &["p", "q"]);
}

/// The list of zones that is given back, accepted.
fn lifted(system: &System, question: &Question, covering: Covering) -> Listed {
    let config = Config { engine: Engine::Zone, covering, ..Config::default() };
    let (answer, statistics) = engine::search(system, question, &config, &Stop::new(), &mut Quiet);
    assert!(!statistics.preprocessing.is_empty());
    let Answer::Excluded(Certificate::Zones(set)) = answer else { panic!("{answer:?}") };
    let listed = Listed::of(&*set);
    assert_eq!(listed.check(system, question), Ok(()));
    listed
}

#[test]
fn lists_that_were_lifted_wrongly_are_refused() {
    let (system, question) = load_network(NETWORK, "E<> Q.C");
    let slot = |name: &str| {
        system.state_vars().position(|var| system.vars[var].name == name).unwrap_or_else(|| panic!("{name}"))
    };
    let (log, limit) = (slot("log"), slot("limit"));
    let spare = 1 + system.clocks().position(|clock| system.vars[clock].name == "spare").expect("a clock");
    let x = 3 - spare;
    for covering in [Covering::Inclusion, Covering::Alu] {
        let set = lifted(&system, &question, covering);
        let refused = |change: &dyn Fn(&mut listed::Entry)| {
            let forged = set.with(|entries| entries.iter_mut().for_each(change));
            assert!(forged.check(&system, &question).is_err(), "{covering}: {forged:?}");
        };
        // What was dropped has one value only.
        refused(&|entry| entry.state.values[log] = Some(Value::int(0)));
        // What was folded has another value.
        refused(&|entry| entry.state.values[limit] = Some(Value::int(5)));
        // The clock that was dropped is not free.
        let at_most = |row: usize, column: usize| {
            move |entry: &mut listed::Entry| {
                let dim = entry.zone.dim;
                entry.zone.limits[row * dim + column] = Limit::new(1, false).expect("a small number");
            }
        };
        refused(&at_most(spare, 0));
        refused(&at_most(spare, x));
        // One that stays is.
        refused(&|entry| {
            let dim = entry.zone.dim;
            (0..dim).filter(|row| *row != x).for_each(|row| entry.zone.limits[x * dim + row] = Limit::NONE);
            entry.zone.limits[x] = Limit::LE_ZERO;
        });
        // A state is missing.
        for at in 0..set.0.len() {
            let forged = set.with(|entries| drop(entries.remove(at)));
            assert!(forged.check(&system, &question).is_err(), "{covering}: without {at}");
        }
    }
}

/// What was said: by configuration, how many targets were reached, never reached and left open; and to how many
/// models something was done.
#[derive(Debug, Default)]
struct Seen {
    asked: usize,
    never: usize,
    skipped: usize,
    rewritten: usize,
    said: BTreeMap<&'static str, [usize; 3]>,
}

/// A model with a clock, a counter, a copy and an input that decide nothing, and an input that is overwritten.
fn with_spares(text: &str) -> String {
    let declarations = "var spare_c : clock = 0 var spare_n : integer = 0 var spare_m : integer = 0
        var spare_b : boolean = false var spare_i : boolean = false\n";
    let statement = "{ havoc spare_i; if (spare_i) { havoc spare_b; spare_c := 0; } spare_b := false; \
        spare_n := spare_n + 1; spare_m := spare_n; spare_i := spare_b; ";
    format!("{declarations}{}", text.replacen("trans {", &format!("trans {statement}"), 1))
}

#[test]
fn random_timed_models_get_the_answer_of_the_region_graph() {
    let runs = Runs { max_shrink_iters: 500, ..sampling::runs(80, 1_618) };
    let cases = runs.cases;
    let seen = RefCell::new(Seen::default());
    let show = |model: &_| with_spares(&xsts::print(model));
    sampling::check(runs, &arbitrary::timed_model(), show, |model| {
        agree(&xsts::print(&model), &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:#?}");
    if cases < 80 {
        return;
    }
    assert!(seen.never * 8 > seen.asked && seen.never < seen.asked * 7 / 8, "not varied enough: {seen:?}");
    assert!(seen.skipped * 4 < cases as usize, "too few are searched: {seen:?}");
    assert!(seen.rewritten * 2 > seen.asked, "too few are rewritten: {seen:?}");
    for (name, [reached, never, open]) in &seen.said {
        assert_eq!(reached + never + open, seen.asked, "{name}");
        assert!(*never > 0 && *reached > 0, "{name}: {seen:?}");
    }
}

fn agree(text: &str, seen: &mut Seen) -> Result<(), String> {
    let (plain, question) = load(text);
    let target = question.target().expect("about reachability");
    let Ok(expected) = Regions::new(&plain, 60_000).reaches(target) else {
        seen.skipped += 1;
        return Ok(());
    };
    let (system, question) = load(&with_spares(text));
    seen.asked += 1;
    seen.never += usize::from(!expected);
    let work = engine::preprocess(&system, from_ref(&question), Rewritings::Zones, &Stop::new());
    seen.rewritten += usize::from(told(&work.summary).iter().any(|line| line.contains("spare_c")));
    for (name, config) in configs() {
        let (said, _) = ask(&system, &question, &config).map_err(|why| format!("{name}: {why}"))?;
        let counted = seen.said.entry(name).or_default();
        match said {
            Some(said) if said != expected => {
                return Err(format!("{name}: reached {said}, by the region graph {expected}"));
            }
            Some(said) => counted[usize::from(!said)] += 1,
            None => counted[2] += 1,
        }
    }
    Ok(())
}
