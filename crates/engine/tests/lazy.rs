//! What lazy abstraction sees of data, what it refuses, and what its numbers say.

extern crate thetis_engine as engine;

use std::sync::atomic::AtomicBool;

use engine::{
    Answer, Choice, Config, DataStrategy, Engine, Feature, LazyStatistics, Outgrown, Quiet, Reason,
    Statistics, Stop, Unsupported, ZoneStrategy,
};
use ir::{Question, System};

fn read(text: &str, query: &str) -> (System, Question) {
    let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("bad", query).expect("a query");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn lazy(zone_strategy: ZoneStrategy, data: DataStrategy) -> Config {
    Config { engine: Engine::Lazy, preprocess: false, zone_strategy, data, ..Config::default() }
}

fn search(text: &str, query: &str, config: &Config) -> (Answer, Statistics) {
    let (system, question) = read(text, query);
    engine::search(&system, &question, config, &Stop::new(), &mut Quiet)
}

/// The numbers of a search that finds that the target is never reached; the certificate is checked.
fn unreachable(text: &str, query: &str, config: &Config) -> (u64, LazyStatistics) {
    let (system, question) = read(text, query);
    let (answer, statistics) = engine::search(&system, &question, config, &Stop::new(), &mut Quiet);
    let Answer::Excluded(certificate) = answer else { panic!("{config}: {answer:?}") };
    certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false))
        .expect("a certificate");
    (statistics.states, statistics.lazy.expect("what lazy abstraction counts"))
}

/// `noise` has eight values and decides nothing; `n` decides whether Bad is reached.
const NOISE: &str = "
clock x;
int[0,7] noise;
int[0,1] n;
process P() {
  state A, B, Bad;
  init A;
  trans
    A -> B { guard x >= 1; assign x := 0, noise := (noise + 1) % 8; },
    B -> A { guard x >= 1; assign x := 0; },
    A -> Bad { guard n == 1; };
}
system P;
";

#[test]
fn what_decides_nothing_is_not_seen() {
    for zone_strategy in ZoneStrategy::ALL.iter().copied() {
        let (explicit, _) = unreachable(NOISE, "E<> P.Bad", &lazy(zone_strategy, DataStrategy::Explicit));
        let (visible, seen) = unreachable(NOISE, "E<> P.Bad", &lazy(zone_strategy, DataStrategy::Visible));
        // Two locations for each value of `noise`, and the first of them again; or without regard to it.
        assert_eq!((explicit, visible), (17, 3), "{zone_strategy}");
        assert_eq!((seen.visible, seen.variables), (1, 2), "{zone_strategy} sees `n`");
    }
}

/// Where executions are many, those whose constraints contradict each other are not followed. What simulation keeps
/// must refute them all the same: a constraint beyond its bounds is none to it.
#[test]
fn contradictions_are_refuted_by_what_is_kept() {
    // x == 0 makes y <= 0, as both clocks are equal; then x >= 1 or y > 1 cannot be.
    let model = "
        var x : clock var y : clock trans { __delay; }
        prop { !((y > 1 || y < 0 || x >= 1) && (x <= 1 || x >= 0) && (x == 0 || x < 0) && (x >= 1 || y <= 0)
            && (y >= 1 || x <= 1) && (y > 0 || y <= 0)) }";
    let mut model = lang::xsts::load(model).expect("a model");
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    for zone_strategy in ZoneStrategy::ALL.iter().copied() {
        let config = lazy(zone_strategy, DataStrategy::Visible);
        let (answer, _) = engine::search(&model.system, &question, &config, &Stop::new(), &mut Quiet);
        let Answer::Excluded(certificate) = answer else { panic!("{config}: {answer:?}") };
        let checked =
            certify::check_certificate(&model.system, &question, &certificate, &AtomicBool::new(false));
        checked.unwrap_or_else(|why| panic!("{config}: {why}"));
    }
}

#[test]
fn simulation_is_refused_where_it_is_not_sound() {
    let diagonal = "clock x, y; process P() { state A, Bad; init A;
        trans A -> A { guard x >= 1; assign x := 0; }, A -> Bad { guard x - y > 0; }; } system P;";
    let lu = lazy(ZoneStrategy::Lu, DataStrategy::Visible);
    for (text, query, with) in
        [(diagonal, "E<> P.Bad", Feature::Differences), (NOISE, "E<> deadlock", Feature::Deadlock)]
    {
        let (Answer::Unknown(Reason::Unsupported(why)), _) = search(text, query, &lu) else {
            panic!("{query} is answered");
        };
        assert_eq!(why, Unsupported::Unsound { choice: Choice::ZoneStrategy(ZoneStrategy::Lu), with });
        // By itself, another strategy is chosen.
        let auto = lazy(ZoneStrategy::Auto, DataStrategy::Visible);
        let (_, statistics) = unreachable(text, query, &auto);
        assert_eq!(statistics.zone_strategy, ZoneStrategy::BwItp);
    }
}

#[test]
fn limits_are_kept_to() {
    for zone_strategy in ZoneStrategy::ALL.iter().copied() {
        let config = Config { state_limit: Some(5), ..lazy(zone_strategy, DataStrategy::Explicit) };
        let (answer, _) = search(NOISE, "E<> P.Bad", &config);
        assert!(matches!(answer, Answer::Unknown(Reason::States(5))), "{answer:?}");
    }
}

/// Exact zones keep that x is ahead of y by 2^27 for every round, and data keep the rounds apart.
#[test]
fn bounds_that_outgrow_their_integers_are_told() {
    let text = "clock x, y; int[0,4] n; process P() { state A { y <= 134217728 }, Bad; init A;
        trans A -> A { guard y >= 134217728 && n < 4; assign y := 0, n := n + 1; },
            A -> Bad { guard n == 4 && x < y; }; } system P;";
    for zone_strategy in ZoneStrategy::ALL.iter().copied() {
        match search(text, "E<> P.Bad", &lazy(zone_strategy, DataStrategy::Explicit)).0 {
            Answer::Unknown(Reason::Outgrown(why)) => assert_eq!(why, Outgrown::Bound),
            Answer::Unknown(Reason::Unsupported(why)) if zone_strategy == ZoneStrategy::Lu => {
                assert!(matches!(why, Unsupported::Unsound { with: Feature::Differences, .. }), "{why}");
            }
            other => panic!("{zone_strategy}: {other:?}"),
        }
    }
}
