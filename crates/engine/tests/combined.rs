//! Abstraction refinement with zones: what is refused, what is shared, and what its numbers say.

extern crate thetis_engine as engine;

use std::sync::atomic::AtomicBool;

use engine::{
    Answer, Cegar, Choice, ClockStrategy, Config, Covering, DataStrategy, Domain, Engine, Feature, Quiet,
    Reason, Remedy, Search, Statistics, Stop, Unsupported, ZoneStrategy,
};
use ir::{Question, System};
use lang::xsts;

fn combined(domain: Domain) -> Config {
    Config { engine: Engine::Combined, cegar: Cegar { domain, ..Cegar::default() }, ..Config::default() }
}

/// A model and what violates each of its properties.
fn read(text: &str, properties: &[&str]) -> (System, Vec<Question>) {
    let mut model = xsts::load(text).expect("a model");
    let mut questions = vec![];
    for property in properties {
        let property = model.parse_property("given", property).expect("a property");
        questions.push(model.system.question(property.claim));
    }
    (model.system, questions)
}

/// What is answered about one property, and certified: whether it holds.
fn holds(text: &str, property: &str, config: &Config) -> (Option<bool>, Statistics) {
    let (system, questions) = read(text, &[property]);
    let (answer, statistics) = engine::search(&system, &questions[0], config, &Stop::new(), &mut Quiet);
    let holds = certified(&system, &questions[0], &answer);
    (holds, statistics)
}

fn certified(system: &System, question: &Question, answer: &Answer) -> Option<bool> {
    let go_on = AtomicBool::new(false);
    match answer {
        Answer::Found(run) => {
            certify::check_run(system, question, run, &go_on).expect("a run that replays");
            Some(false)
        }
        Answer::Excluded(certificate) => {
            certify::check_certificate(system, question, certificate, &go_on).expect("an invariant");
            Some(true)
        }
        Answer::Unknown(_) => None,
    }
}

/// A timer that rings between 5 and 7, again and again; `count` goes on for ever and decides nothing.
const TIMER: &str = "
    var x : clock
    var rung : boolean = false
    var count : integer = 0
    trans {
        __delay;
        assume x <= 7;
        rung := false;
        count := count + 1;
        if (x >= 5) { choice { rung := true; x := 0; } or { rung := false; } }
    }
    prop { true }";

#[test]
fn choices_that_do_not_fit_are_refused_by_name() {
    let base = combined(Domain::Expl);
    let with = |change: &dyn Fn(&mut Config)| {
        let mut config = base.clone();
        change(&mut config);
        config
    };
    let cases = [
        (with(&|config| config.covering = Covering::Alu), Choice::Covering(Covering::Alu)),
        (with(&|config| config.search = Search::Priority), Choice::Search(Search::Priority)),
        (with(&|config| config.data = DataStrategy::Explicit), Choice::Data(DataStrategy::Explicit)),
        (
            with(&|config| config.clock_strategy = Some(ClockStrategy::RatEncode)),
            Choice::ClockStrategy(ClockStrategy::RatEncode),
        ),
    ];
    for (config, given) in cases {
        let clash = config.check().expect_err("they clash");
        assert_eq!(clash.choices(), [given, Choice::Engine(Engine::Combined)]);
    }
    for how in [ClockStrategy::CfSplitAll, ClockStrategy::CfSplitFilter] {
        let config = Config { engine: Engine::Cegar, clock_strategy: Some(how), ..Config::default() };
        let clash = config.check().expect_err("it needs zones");
        assert_eq!(clash.choices(), [Choice::ClockStrategy(how), Choice::Engine(Engine::Cegar)]);
    }
}

/// What is said of a query about a timed automaton, and certified: whether the target is never reached.
fn never(text: &str, query: &str, config: &Config) -> (Option<bool>, Answer) {
    let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("asked", query).expect("a query");
    let question = model.system.question(property.claim);
    let (answer, _) = engine::search(&model.system, &question, config, &Stop::new(), &mut Quiet);
    (certified(&model.system, &question, &answer), answer)
}

/// Simulation does not preserve differences of clocks, in the model and in the question.
#[test]
fn differences_of_clocks_are_refused_for_simulation() {
    let model = |guard: &str| {
        format!(
            "clock x, y; process P() {{ state A, B; init A;
             trans A -> A {{ assign y := 0; }}, A -> B {{ guard {guard}; }}; }} system P;"
        )
    };
    for domain in [Domain::Expl, Domain::PredCart] {
        let config = Config { zone_strategy: ZoneStrategy::Lu, ..combined(domain) };
        for (guard, query) in [("x - y > 5", "E<> P.B and x < 5"), ("x > 5", "E<> P.B and y - x > 0")] {
            let (_, answer) = never(&model(guard), query, &config);
            let Answer::Unknown(Reason::Unsupported(why)) = answer else { panic!("{answer:?}") };
            let choice = Choice::ZoneStrategy(ZoneStrategy::Lu);
            assert_eq!(why, Unsupported::Unsound { choice, with: Feature::Differences });
            let interpolating = Config { zone_strategy: ZoneStrategy::BwItp, ..config.clone() };
            assert_eq!(never(&model(guard), query, &interpolating).0, Some(true), "{guard}, {query}");
        }
        assert_eq!(never(&model("x > 5"), "E<> P.B and x <= 5", &config).0, Some(true), "{domain}");
    }
}

/// The self-loop resets `y` for ever, and the edge to `l1` is always possible in the end: its bound on `x` matters
/// where a clock that comes after it does, and `err` is reached with `x >= 5` only.
#[test]
fn bounds_of_what_is_possible_are_kept() {
    let text = include_str!("../../../cases/xta/enabled_edges_carry_bounds.xta");
    for domain in Domain::ALL {
        let config = Config { zone_strategy: ZoneStrategy::Lu, ..combined(*domain) };
        for search in [Search::Bfs, Search::Dfs] {
            let config = Config { search, ..config.clone() };
            assert_eq!(never(text, "E<> P.err", &config).0, Some(false), "{config}");
            assert_eq!(never(text, "E<> P.err and P.x < 5", &config).0, Some(true), "{config}");
        }
    }
}

#[test]
fn a_counter_without_end_does_not_matter() {
    for domain in [Domain::Expl, Domain::PredCart, Domain::ExplPredSplit] {
        let (said, statistics) = holds(TIMER, "rung -> x == 0", &combined(domain));
        assert_eq!(said, Some(true), "{domain}");
        let counted = statistics.cegar.expect("what refinement counts");
        let split = counted.combined.expect("what is counted of time");
        assert_eq!(
            (split.zone_strategy, split.clock_strategy),
            (ZoneStrategy::BwItp, ClockStrategy::CfSplitFilter)
        );
        assert!(split.alternatives > 0 && split.strengthened > 0, "{split:?}");
        assert_eq!(holds(TIMER, "!rung", &combined(domain)).0, Some(false), "{domain}");
        // Time passes in every step, but never beyond 7.
        assert_eq!(holds(TIMER, "x <= 7", &combined(domain)).0, Some(true), "{domain}");
        assert_eq!(holds(TIMER, "x < 7", &combined(domain)).0, Some(false), "{domain}");
    }
}

/// The same by simulation.
#[test]
fn a_counter_without_end_does_not_matter_to_bounds() {
    for domain in [Domain::Expl, Domain::PredCart, Domain::ExplPredSplit] {
        let config = Config { zone_strategy: ZoneStrategy::Lu, ..combined(domain) };
        for (property, expected) in
            [("rung -> x == 0", true), ("!rung", false), ("x <= 7", true), ("x < 7", false)]
        {
            let (said, statistics) = holds(TIMER, property, &config);
            assert_eq!(said, Some(expected), "{domain}, {property}");
            let split =
                statistics.cegar.and_then(|counted| counted.combined).expect("what is counted of time");
            assert_eq!(split.zone_strategy, ZoneStrategy::Lu);
            assert!(split.strengthened > 0 || !expected, "{split:?}");
        }
    }
}

/// A clock against an integer: by its values where these are tracked or few, and refused elsewhere.
#[test]
fn bounds_that_depend_on_data_are_told_apart_by_value() {
    let ask = |ty: &str, change: &str, more: i64, domain: Domain| {
        let text = format!(
            "clock x; {ty} d = 2; process P() {{ state A {{ x <= 9 }}, Late; init A; trans
             A -> A {{ select e : int[0,1]; assign {change}, x := 0; }}, A -> Late {{ guard x > d + {more}; }}; }}
             system P;"
        );
        never(&text, "E<> P.Late", &combined(domain))
    };
    // The bound is 2 or 3 and then some, and time stops at 9.
    for domain in [Domain::Expl, Domain::ExplPredSplit, Domain::PredCart] {
        assert_eq!(ask("int[0,9]", "d := 5 - d", 3, domain).0, Some(false), "{domain}");
        assert_eq!(ask("int[0,9]", "d := 5 - d", 7, domain).0, Some(true), "{domain}");
    }
    assert_eq!(ask("int", "d := 5 - d", 3, Domain::Expl).0, Some(false));
    let (_, answer) = ask("int", "d := d + e", 13, Domain::PredCart);
    let Answer::Unknown(Reason::Unsupported(why)) = answer else { panic!("{answer:?}") };
    assert!(matches!(why, Unsupported::ManyBounds { .. }), "{why:?}");
    assert!(why.variables().iter().any(|var| var.name == "d"), "{why:?}");
}

/// One graph answers several questions, each with evidence of its own.
#[test]
fn several_questions_share_a_graph() {
    let asked = ["!rung", "rung -> x == 0", "x < 6", "count >= 0 || x <= 7"];
    let expected = [false, true, false, true];
    let (system, questions) = read(TIMER, &asked);
    let mut said = [None; 4];
    let config = combined(Domain::ExplPredSplit);
    engine::search_all(&system, &questions, &config, &Stop::new(), &mut Quiet, &mut |found| {
        for question in found.questions {
            said[question] = certified(&system, &questions[question], &found.answer);
        }
    });
    assert_eq!(said, expected.map(Some));
}

#[test]
fn without_clocks_it_is_plain_refinement() {
    let model = "var n : integer = 0 trans { assume n < 5; n := n + 1; } prop { true }";
    let (said, statistics) = holds(model, "n <= 5", &combined(Domain::PredCart));
    assert_eq!(said, Some(true));
    assert_eq!(statistics.cegar.expect("what refinement counts").combined, None);
}

/// A variable starts with any value and stays open until a step looks at it, and the loop in a branch has no
/// formula of its own: the run must begin with a value that its steps fit to.
#[test]
fn runs_past_loops_choose_values_that_were_open() {
    let model = "
        type Size : { Small, Large }
        var b : boolean = true
        var c : clock
        var n : Size
        trans {
            __delay;
            choice { for i from 0 to 1 do { c := 0; } } or {}
            for i from 0 to 1 do { n := if n == Large then n else Large; }
            b := 1 < c;
        }
        prop { true }";
    for domain in [Domain::Expl, Domain::PredCart, Domain::ExplPredSplit] {
        for config in [combined(domain), Config { engine: Engine::Cegar, ..combined(domain) }] {
            assert_eq!(holds(model, "b", &config).0, Some(false), "{config}");
            assert_eq!(holds(model, "b || n == Large", &config).0, Some(true), "{config}");
        }
    }
}

/// Timers of which only the one that an integer points at can ring: thousands of ways through a step, and three
/// for each timer that the integer allows.
#[test]
fn runs_have_every_delay_of_a_loop() {
    // Two rounds let time pass twice, with nothing on clocks in between.
    let model = "
        var b : boolean = true var n : integer = 2 var x : clock
        trans { b := true; choice { n := 0; } or { n := 2; } for i from 0 to n do { b := false; __delay; } }
        env { assume n == 0 && x <= 0 || n == 2 && x <= 2; }";
    for domain in [Domain::Expl, Domain::ExplPredCombined] {
        let (said, _) = holds(model, "b", &combined(domain));
        assert_eq!(said, Some(false), "{domain}");
        let (said, _) = holds(model, "b || n == 2", &combined(domain));
        assert_eq!(said, Some(true), "{domain}");
    }
}

#[test]
fn values_that_cannot_be_tried_are_named() {
    let model = "
        var b : boolean = true var n : integer = 2 var x : clock
        trans { havoc n; n := n % 3; for i from 0 to n do { b := false; x := 0; } } env { __delay; }";
    let (system, questions) = read(model, &["b"]);
    let config = combined(Domain::ExplPredCombined);
    match engine::search(&system, &questions[0], &config, &Stop::new(), &mut Quiet).0 {
        Answer::Unknown(Reason::Unsupported(why)) => assert_eq!(why.variables()[0].name, "n"),
        answer => assert_eq!(certified(&system, &questions[0], &answer), Some(false)),
    }
}

#[test]
fn ways_without_number_are_filtered_by_data() {
    let timers = 14;
    let mut text = "var n : integer = 0\n".to_owned();
    (0..timers).for_each(|at| text += &format!("var c{at} : clock\n"));
    text += &format!("trans {{ __delay; n := n + 1; if (n >= {}) {{ n := 0; }}\n", 10 * timers);
    for at in 0..timers {
        let (low, high) = (10 * at, 10 * at + 10);
        text += &format!("if (n >= {low} && n < {high} && c{at} >= 5) {{ c{at} := 0; }}\n");
    }
    text += "} prop { true }";
    let (said, statistics) = holds(&text, "n >= 0", &combined(Domain::PredCart));
    assert_eq!(said, Some(true));
    let split = statistics.cegar.and_then(|cegar| cegar.combined).expect("what is counted of time");
    assert!(split.alternatives < 200, "{split:?}");
    assert_eq!(holds(&text, "n < 20", &combined(Domain::PredCart)).0, Some(false));
    let all = Config { clock_strategy: Some(ClockStrategy::CfSplitAll), ..combined(Domain::PredCart) };
    let (system, questions) = read(&text, &["n >= 0"]);
    let (answer, _) = engine::search(&system, &questions[0], &all, &Stop::new(), &mut Quiet);
    let Answer::Unknown(Reason::Unsupported(why)) = answer else { panic!("{answer:?}") };
    assert!(matches!(why, Unsupported::ManyWays { filtered: false, .. }), "{why:?}");
    let filter = Choice::ClockStrategy(ClockStrategy::CfSplitFilter);
    let remedies = Reason::Unsupported(why).remedies(&[], &all, true);
    assert_eq!(remedies[0], Remedy::Choose(vec![Choice::Engine(Engine::Combined), filter]));
}

/// What was done is no advice: here all ways are feasible, and too many.
#[test]
fn too_many_feasible_ways_are_given_up() {
    let mut text = "var n : integer = 0\n".to_owned();
    (0..12).for_each(|at| text += &format!("var c{at} : clock\n"));
    text += "trans { __delay;\n";
    (0..12).for_each(|at| text += &format!("if (c{at} >= 5) {{ c{at} := 0; n := 1; }}\n"));
    text += "} prop { true }";
    let (system, questions) = read(&text, &["n >= 0"]);
    let (answer, _) =
        engine::search(&system, &questions[0], &combined(Domain::PredCart), &Stop::new(), &mut Quiet);
    let Answer::Unknown(Reason::Unsupported(why)) = answer else { panic!("{answer:?}") };
    assert!(matches!(why, Unsupported::ManyWays { filtered: true, .. }), "{why:?}");
    let filter = Choice::ClockStrategy(ClockStrategy::CfSplitFilter);
    let tried = |remedy: &Remedy| matches!(remedy, Remedy::Choose(list) if list.contains(&filter));
    let remedies = Reason::Unsupported(why).remedies(&[], &combined(Domain::PredCart), true);
    assert!(!remedies.iter().any(tried), "{remedies:?}");
}

/// Ever new zones: the search ends where it is told to.
#[test]
fn zones_without_end_are_given_up() {
    let text = "clock x, y; int[0,99] n; process P() { state A { y <= 1 }, Bad; init A;
        trans A -> A { guard y >= 1 && n < 99; assign y := 0, n := n + 1; }, A -> Bad { guard n == 99 && x < 99; }; }
        system P;";
    let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("bad", "E<> P.Bad").expect("a query");
    let question = model.system.question(property.claim);
    for zone_strategy in [ZoneStrategy::BwItp, ZoneStrategy::FwItp] {
        let limited = Config { zone_strategy, state_limit: Some(50), ..combined(Domain::Expl) };
        let (answer, _) = engine::search(&model.system, &question, &limited, &Stop::new(), &mut Quiet);
        assert!(matches!(answer, Answer::Unknown(Reason::States(50))), "{answer:?}");
        let stop = Stop::new();
        stop.request(Reason::Time);
        let config = Config { state_limit: None, ..limited };
        let (answer, _) = engine::search(&model.system, &question, &config, &stop, &mut Quiet);
        assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{answer:?}");
    }
}

/// What a clock is compared with may be part of an array that has just been written.
#[test]
fn parts_of_arrays_bound_clocks() {
    let text = "process P() { clock x; int[0,2] n; int[0,2] a[3]; int[0,2] i; state A, B { x <= 2 + a[i] }, C; init A;
        trans A -> A { guard n < 2; assign n := n + 1; }, A -> B { assign a[1] := n, i := 1, x := 0; },
              B -> C { guard x > 3 && n < 2; }; } system P;";
    for domain in [Domain::Expl, Domain::PredCart, Domain::ExplPredCombined] {
        // With n = 2, x can be 4; with less, it never passes 3.
        for (query, reached) in [("E<> P.C", false), ("E<> P.B and P.x == 4", true)] {
            let (said, answer) = never(text, query, &combined(domain));
            assert_eq!(said, Some(!reached), "{domain}, {query}: {answer:?}");
        }
    }
}

/// Exact zones stay within what a matrix holds here; abstract ones, which are wider, need not. The only way to
/// `n == 2` takes twice what `c` waits for, and `d` must be young at both times.
#[test]
fn abstract_zones_may_outgrow_what_exact_ones_do_not() {
    let text = "
        var c : clock  var d : clock  var n : integer = 0
        trans {
            __delay;
            choice { assume c >= 134217000 && d <= 134217727; n := n + 1; c := 0; }
            or { d := 0; }
            or { assume c - d > 268435000; n := 9; }
        }
        prop { true }";
    for zone_strategy in [ZoneStrategy::BwItp, ZoneStrategy::FwItp] {
        for domain in [Domain::PredCart, Domain::ExplPredSplit] {
            for preprocess in [true, false] {
                let config = Config { zone_strategy, preprocess, ..combined(domain) };
                assert_eq!(holds(text, "n < 2", &config).0, Some(false), "{config}");
            }
        }
    }
}
