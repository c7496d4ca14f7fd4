//! Abstraction refinement with zones: what is refused, what is shared, and what its numbers say.

use std::sync::atomic::AtomicBool;

use engine::{
    Answer, Cegar, ClockStrategy, Config, Covering, DataStrategy, Domain, Engine, Quiet, Reason, Search,
    Statistics, Stop, ZoneStrategy,
};
use ir::{System, Term};
use lang::xsts;

fn combined(domain: Domain) -> Config {
    Config { engine: Engine::Combined, cegar: Cegar { domain, ..Cegar::default() }, ..Config::default() }
}

/// A model and what violates each of its properties.
fn read(text: &str, properties: &[&str]) -> (System, Vec<Term>) {
    let mut model = xsts::load(text).expect("a model");
    let mut targets = vec![];
    for property in properties {
        let property = model.parse_property("given", property).expect("a property");
        targets.push(model.system.target(property.claim));
    }
    (model.system, targets)
}

/// What is answered about one property, and certified: whether it holds.
fn holds(text: &str, property: &str, config: &Config) -> (Option<bool>, Statistics) {
    let (system, targets) = read(text, &[property]);
    let (answer, statistics) = engine::search(&system, targets[0], config, &Stop::new(), &mut Quiet);
    let holds = certified(&system, targets[0], &answer);
    (holds, statistics)
}

fn certified(system: &System, target: Term, answer: &Answer) -> Option<bool> {
    let go_on = AtomicBool::new(false);
    match answer {
        Answer::Reachable(run) => {
            certify::check_run(system, target, run, &go_on).expect("a run that replays");
            Some(false)
        }
        Answer::Unreachable(certificate) => {
            certify::check_certificate(system, target, certificate, &go_on).expect("an invariant");
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
        (with(&|config| config.zone_strategy = ZoneStrategy::Lu), "--zonestrategy LU"),
        (with(&|config| config.covering = Covering::Alu), "--covering alu"),
        (with(&|config| config.search = Search::Priority), "--search priority"),
        (with(&|config| config.data = DataStrategy::Explicit), "--data EXPLICIT"),
        (
            with(&|config| config.clock_strategy = Some(ClockStrategy::RatEncode)),
            "--clockstrategy RAT_ENCODE",
        ),
    ];
    for (config, option) in cases {
        let why = config.check().expect_err(option).to_string();
        assert!(why.contains(option) && why.contains("--engine combined"), "{why}");
    }
    for how in [ClockStrategy::CfSplitAll, ClockStrategy::CfSplitFilter] {
        let config = Config { engine: Engine::Cegar, clock_strategy: Some(how), ..Config::default() };
        let why = config.check().expect_err("it needs zones").to_string();
        assert!(why.contains(&how.to_string()) && why.contains("--engine cegar"), "{why}");
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
            (split.zone_strategy.as_str(), split.clock_strategy.as_str()),
            ("BW_ITP", "CF_SPLIT_FILTERCF")
        );
        assert!(split.alternatives > 0 && split.strengthened > 0, "{split:?}");
        assert_eq!(holds(TIMER, "!rung", &combined(domain)).0, Some(false), "{domain}");
        // Time passes in every step, but never beyond 7.
        assert_eq!(holds(TIMER, "x <= 7", &combined(domain)).0, Some(true), "{domain}");
        assert_eq!(holds(TIMER, "x < 7", &combined(domain)).0, Some(false), "{domain}");
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
        let mut model = lang::xta::load(&text, lang::xta::Format::Xta).expect("a model");
        let property = model.parse_query("late", "E<> P.Late").expect("a query");
        let target = model.system.target(property.claim);
        let (answer, _) = engine::search(&model.system, target, &combined(domain), &Stop::new(), &mut Quiet);
        (certified(&model.system, target, &answer), answer)
    };
    // The bound is 2 or 3 and then some, and time stops at 9.
    for domain in [Domain::Expl, Domain::ExplPredSplit, Domain::PredCart] {
        assert_eq!(ask("int[0,9]", "d := 5 - d", 3, domain).0, Some(false), "{domain}");
        assert_eq!(ask("int[0,9]", "d := 5 - d", 7, domain).0, Some(true), "{domain}");
    }
    assert_eq!(ask("int", "d := 5 - d", 3, Domain::Expl).0, Some(false));
    let (_, answer) = ask("int", "d := d + e", 13, Domain::PredCart);
    let Answer::Unknown(Reason::Unsupported(why)) = answer else { panic!("{answer:?}") };
    assert!(why.contains("`d`") && why.contains("--engine combined"), "{why}");
}

/// One graph answers several questions, each with evidence of its own.
#[test]
fn several_questions_share_a_graph() {
    let asked = ["!rung", "rung -> x == 0", "x < 6", "count >= 0 || x <= 7"];
    let expected = [false, true, false, true];
    let (system, targets) = read(TIMER, &asked);
    let mut said = [None; 4];
    let config = combined(Domain::ExplPredSplit);
    engine::search_all(&system, &targets, &config, &Stop::new(), &mut Quiet, &mut |found| {
        for question in found.questions {
            said[question] = certified(&system, targets[question], &found.answer);
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
