//! The schedule, its budgets, and what is said when nobody answers.

use std::slice::from_ref;
use std::sync::atomic::{AtomicU64, Ordering};

use super::contents::Contents;
use super::rotation::Member;
use super::timed::{contents, members};
use super::*;
use crate::cause::{Contradiction, NoProgress, Unsupported};
use crate::config::Covering;
use crate::{Progress, Quiet, search};

fn load(text: &str) -> (System, Question) {
    let mut model = lang::xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn net(property: &str) -> (System, Question) {
    // A token that goes from one place to another and stays there.
    let text = "<pnml><net id='n' type='ptnet'><place id='p'><initialMarking><text>1</text></initialMarking></place>
        <place id='q'/><transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>
        </net></pnml>";
    let mut model = lang::pnml::load(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let property = model.parse_property("p", property).unwrap_or_else(|errors| panic!("{errors:?}"));
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn answered_by(statistics: &Statistics) -> Option<Engine> {
    statistics.answered_by.as_ref().map(|config| config.engine)
}

fn engines((system, question): (System, Question), limits: &Config) -> Vec<Engine> {
    schedule(&system, from_ref(&question), limits).iter().map(|config| config.engine).collect()
}

/// Nobody decides this: what is listed has no end, the products are too hard, and so on.
const HARD: &str = "
    var x : integer = 3 var y : integer = 5 var z : integer = 7
    trans { choice { x := x * y + z; } or { y := y * z + x; } or { z := z * x + y; } }
    init { } env { } prop { x * x * x + y * y * y + z * z * z != 42 }";

const SMALL: &str =
    "var n : integer = 0 trans { assume n < 5; n := n + 1; } init { } env { } prop { n <= 5 }";

/// Counts up for ever, and its remainder keeps it from being cut off; only abstraction ends it.
const ENDLESS: &str = "var n : integer = 0 trans { n := n + 1 + n % 2; } init { } env { } prop { n >= 0 }";

#[test]
fn everybody_who_fits_the_model_is_asked() {
    use Engine::{Bmc, Cegar, Explicit, Kind, Linear, Zone};
    let limits = Config::default();
    assert_eq!(engines(load(SMALL), &limits), [Explicit, Cegar, Bmc, Kind, Cegar, Cegar]);
    assert_eq!(engines(net("q <= 1"), &limits), [Explicit, Explicit, Linear, Bmc, Cegar, Kind]);
    assert_eq!(engines(net("deadlock-free"), &limits), [Explicit, Explicit, Linear, Bmc, Cegar, Kind, Zone]);
}

/// Processes with a clock each, and clocks that nobody needs, so that few zones may be listed at first. The
/// processes move as they like, which gives many zones and few discrete states.
const TIMED: &str = "
    clock spare[60];
    int[0,1] n;
    process P() {
        clock x;
        state A, B;
        init A;
        trans A -> B { guard x >= 3; }, B -> A { guard x <= 7; assign x = 0; };
    }
    P1 = P(); P2 = P(); P3 = P(); P4 = P(); P5 = P();
    system P1, P2, P3, P4, P5;";

fn timed_model(query: &str) -> (System, Question) {
    let mut model =
        lang::xta::load(TIMED, lang::xta::Format::Xta).unwrap_or_else(|errors| panic!("{errors:?}"));
    let property = model.parse_property("p", query).unwrap_or_else(|errors| panic!("{errors:?}"));
    let question = model.system.question(property.claim);
    (model.system, question)
}

/// What decides who is asked about a timed system.
fn contained(system: &System, questions: &[Question], limits: &Config) -> Contents {
    let open: Vec<usize> = (0..questions.len()).collect();
    contents(&mut Questions::new(system, questions, limits), &open, &Stop::new())
}

/// Who is asked about a timed system.
fn planned(system: &System, questions: &[Question], limits: &Config) -> Vec<Member> {
    members(contained(system, questions, limits), (system, questions), limits)
}

#[test]
fn timed_models_are_asked_by_what_they_contain() {
    use Engine::{Cegar, Combined, Kind, Lazy, Local, Zone, ZoneCegar};
    let list = |query: &str, limits: &Config| {
        let (system, question) = timed_model(query);
        let list = planned(&system, from_ref(&question), limits);
        for (at, Member { config, .. }) in list.iter().enumerate() {
            assert_eq!(config.check(), Ok(()), "{config}");
            assert_eq!(config.state_limit, limits.state_limit, "{config}");
            assert!(list[..at].iter().all(|other| other.config != *config), "{config} is asked twice");
        }
        list
    };
    let engines = |query: &str, limits: &Config| {
        list(query, limits).iter().map(|member| member.config.engine).collect::<Vec<_>>()
    };
    let all = [Zone, Zone, Cegar, Local, ZoneCegar, Lazy, Lazy, Zone, Zone, Combined, Kind];
    assert_eq!(engines("E<> n == 1", &Config::default()), all);
    // Simulation does not preserve deadlocks, and paths without clocks do not know them.
    let without = [Zone, Zone, Cegar, Lazy, Lazy, Zone, Combined, Kind];
    assert_eq!(engines("A[] not deadlock", &Config::default()), without);
    // Who is no good at `deadlock` is still asked about the others.
    let (mut system, question) = timed_model("E<> n == 1");
    let deadlock = system.terms.deadlock();
    let both = planned(&system, &[Question::Reach(deadlock), question], &Config::default());
    assert!(both.iter().any(|member| member.config.engine == ZoneCegar));
    // Options that only some know leave out nobody, and who is the same then is asked once.
    let covering = Config { covering: Covering::Equality, ..Config::default() };
    for chosen in [Search::Dfs, Search::Priority]
        .map(|search| Config { search, ..Config::default() })
        .iter()
        .chain([&covering])
    {
        let asked = list("E<> n == 1", chosen);
        for engine in all {
            assert!(asked.iter().any(|member| member.config.engine == engine), "{chosen}: {engine}");
        }
        for Member { config, .. } in asked {
            let fits = config.search == chosen.search
                || chosen.search == Search::Bfs
                || (config.engine.refines() && chosen.search == Search::Priority);
            assert!(fits, "{config}");
        }
    }
    // Those who store no states ask no more than those who store few.
    let few = Config { state_limit: Some(100), ..Config::default() };
    assert_eq!(engines("E<> n == 1", &few), all);
    for Member { config, .. } in list("E<> n == 1", &few) {
        assert!(config.call_limit.is_none_or(|calls| calls <= CALLS), "{config}");
        assert_eq!(config.bound, (config.engine == Kind).then_some(DEPTH), "{config}");
    }
}

#[test]
fn paths_without_clocks_answer_what_data_decide() {
    // n never changes, and there are more zones than may be stored, but only 32 vectors of locations.
    let (system, question) = timed_model("E<> n == 1");
    let few = Config { state_limit: Some(500), ..Config::default() };
    let (answer, statistics) = search(&system, &question, &few, &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(answered_by(&statistics), Some(Engine::ZoneCegar));
    assert!(matches!(statistics.attempts[..], [Attempt { reason: Reason::States(_), .. }, ..]));
}

/// A step that asks what three inputs were, and a clock.
const WIDE: &str = "
    type T : { A, B, C, D, E, F, G, H, I, J }
    var c : clock = 0 var p : T = A var q : T = A var r : T = A var n : integer = 0
    trans { __delay; if (p == q && q == r && c >= 1) { n := 1; c := 0; } else { n := 0; } }
    init { } env { havoc p; havoc q; havoc r; }";

#[test]
fn inputs_are_abstracted_early() {
    let (system, question) = load(&format!("{WIDE} prop {{ n <= 1 }}"));
    let list = planned(&system, from_ref(&question), &Config::default());
    let engines: Vec<Engine> = list.iter().map(|member| member.config.engine).collect();
    assert_eq!(engines[..4], [Engine::Zone, Engine::Cegar, Engine::Combined, Engine::Cegar]);
    // 1,000 combinations of inputs lead from each to each, which are too many steps for few states.
    let (answer, statistics) = search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(answered_by(&statistics), Some(Engine::Cegar));
    let order = "1 clock and 3 inputs: zone, cegar, combined, cegar, lazy, zone, lazy, kind, zone-cegar";
    assert_eq!(statistics.order.unwrap().to_string(), order);
}

/// A step that lets time pass 30 times and asks about a clock each time.
fn many_delays() -> (System, Question) {
    let parts = "__delay; if (x >= 1) { x := 0; } ".repeat(30);
    load(&format!(
        "var x : clock var y : clock trans {{ {parts} }} init {{}} env {{}} prop {{ x <= 0 || y >= 0 }}"
    ))
}

/// Something that needs 2^25 ways to be excluded, because only its last part is impossible.
fn many_ways() -> (System, Question) {
    let parts: Vec<String> = (1..=25).map(|at| format!("(x >= {at} || y >= {at})")).collect();
    load(&format!(
        "var x : clock var y : clock var n : integer = 0 trans {{ assume x < 30; n := 1 - n; }} init {{}} \
         env {{ __delay; }} prop {{ !({} && x - y > 5) }}",
        parts.join(" && ")
    ))
}

#[test]
fn the_ways_of_one_step_are_counted() {
    for (system, question) in [many_delays(), many_ways()] {
        for engine in [Engine::Zone, Engine::ZoneCegar, Engine::Lazy] {
            let config = Config { engine, step_limit: Some(20_000), ..Config::default() };
            let (answer, _) = search(&system, &question, &config, &Stop::new(), &mut Quiet);
            assert!(matches!(answer, Answer::Unknown(Reason::Steps(20_000))), "{engine}: {answer:?}");
        }
    }
}

#[test]
fn many_ways_through_clocks_are_left_to_solvers() {
    let (system, question) = many_delays();
    let (answer, statistics) = search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(answered_by(&statistics), Some(Engine::Cegar));
}

/// A condition whose code would be longer the more often it were looked at: twice as long for each part.
#[test]
fn conditions_on_clocks_that_are_too_long_for_code_are_left_to_solvers() {
    let parts: Vec<String> = (0..40).map(|at| format!("(x > {at})")).collect();
    let (system, question) = load(&format!(
        "var x : clock var b : boolean = false trans {{ assume {}; b := true; }} init {{}}
         env {{ __delay; assume x < 1; }} prop {{ !b }}",
        parts.join(" xor ")
    ));
    let zone = Config { engine: Engine::Zone, ..Config::default() };
    let (answer, _) = search(&system, &question, &zone, &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
}

#[test]
fn many_clocks_are_left_to_solvers_first() {
    use Engine::{Cegar, Kind};
    let clocks: String = (0..100).map(|at| format!("var c{at} : clock\n")).collect();
    let resets: Vec<String> = (0..100).map(|at| format!("{{ assume c{at} >= 2; c{at} := 0; }}")).collect();
    let (system, question) = load(&format!(
        "{clocks} var b : boolean = false trans {} or {{ assume c0 - c1 > 5; b := true; }} init {{}}
         env {{ __delay; assume c0 <= 3; }} prop {{ !b }}",
        resets.join(" or ")
    ));
    let list = planned(&system, from_ref(&question), &Config::default());
    let engines: Vec<Engine> = list.iter().map(|member| member.config.engine).collect();
    assert_eq!(engines[..2], [Cegar, Kind]);
    let said = order(&system, from_ref(&question)).expect("time passes").to_string();
    assert!(said.starts_with("100 clocks with differences and no inputs: cegar, kind, zone, "), "{said}");
}

/// Only what is asked and what preprocessing leaves counts, and a difference is one of numbers.
#[test]
fn what_decides_nothing_is_not_counted() {
    let text = |property: &str| {
        let spare: String = (0..40).map(|at| format!("var c{at} : clock\n")).collect();
        format!(
            "{spare} var c : clock var d : clock var n : integer = 0
             trans {{ __delay; if (c >= 5) {{ c := 0; n := 1 - n; }} choice {{ d := 0; }} or {{}} }}
             init {{}} env {{}} prop {{ {property} }}"
        )
    };
    let has = |property: &str| {
        let (system, question) = load(&text(property));
        let said = order(&system, from_ref(&question)).expect("time passes");
        said.to_string().split(':').next().unwrap_or_default().to_owned()
    };
    // Two answers are compared here, and not two clocks.
    assert_eq!(has("(c < 3) == (d < 3) || n <= 1"), "2 of 42 clocks and no inputs");
    assert_eq!(has("c - d < 300"), "2 of 42 clocks with differences and no inputs");
    assert_eq!(has("c == d || n <= 1"), "2 of 42 clocks with differences and no inputs");
    assert_eq!(has("n <= 1"), "1 of 42 clocks and no inputs");
    // One clock stays for the time that passes, and nobody reads it.
    let (system, question) = load(
        "var c : clock var n : integer = 0 trans { __delay; n := 1 - n; } init {} env {} prop { n <= 1 }",
    );
    assert_eq!(contained(&system, from_ref(&question), &Config::default()).clocks, 0);
    let said = order(&system, from_ref(&question)).expect("time passes");
    assert_eq!((said.contents.shown, said.declared, said.contents.inputs), (0, 1, 0));
    assert!(said.to_string().starts_with("0 of 1 clock and no inputs: "), "{said}");
    // Somebody else's question is in the same arena.
    let mut model = lang::xsts::load(&text("c - d < 300")).unwrap_or_else(|errors| panic!("{errors:?}"));
    let own = model.property().expect("a property");
    let other = model.parse_property("p", "n <= 1").unwrap_or_else(|errors| panic!("{errors:?}"));
    let [own, other] = [own, other].map(|property| model.system.question(property.claim));
    let differences =
        |questions: &[Question]| contained(&model.system, questions, &Config::default()).differences;
    assert!(differences(from_ref(&own)) && !differences(std::slice::from_ref(&other)));
    assert!(differences(&[own, other]));
}

/// Squares: a predicate shows that what is asked first never holds, and for what is asked then, nobody knows anything
/// better than to go on.
const SQUARES: &str = "
    var x : integer = 1 var y : integer = 1 var c : clock var d : clock
    trans { __delay; assume c >= 1 && c <= 2; c := 0; y := y + x; x := x + 2; if (d - c >= 7) { d := 0; } }
    prop { y * 4 != x * x + 2 * x + 2 }";

#[test]
fn a_limit_of_states_is_one_for_each() {
    let (system, question) = load(SQUARES);
    let few = Config { state_limit: Some(999), ..Config::default() };
    let (answer, statistics) = search(&system, &question, &few, &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(answered_by(&statistics), Some(Engine::Cegar));
    let attempts = &statistics.attempts;
    assert!(attempts.iter().any(|attempt| attempt.reason == Reason::States(999)), "{attempts:?}");
}

/// Asks about the model's own property and about another one, until the first is answered.
fn answer_to_the_first(text: &str, other: &str) -> (Answer, Statistics) {
    let mut model = lang::xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let own = model.property().expect("a property");
    let other = model.parse_property("p", other).unwrap_or_else(|errors| panic!("{errors:?}"));
    let questions = [own, other].map(|property| model.system.question(property.claim));
    let stop = Stop::new();
    let mut first = None;
    search_all(&model.system, &questions, &Config::default(), &stop, &mut Quiet, &mut |found| {
        if found.questions.contains(&0) {
            first = Some((found.answer, found.statistics));
            stop.request(Reason::Interrupted);
        }
    });
    first.expect("it is told of")
}

#[test]
fn hard_timed_questions_do_not_keep_easy_ones_waiting() {
    let (system, question) = load(SQUARES);
    let (_, alone) = search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    let (answer, both) = answer_to_the_first(SQUARES, "y != 2000000");
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(both.answered_by, alone.answered_by);
}

/// The search for both questions never ends, and the one for the first does at once.
#[test]
fn what_only_others_ask_about_does_not_keep_it_waiting() {
    // n has no end, and nothing but the other question needs it.
    let text = "var c : clock var n : integer = 0 var m : integer = 0
        trans { __delay; assume c >= 1; c := 0; n := n + 1 + n % 2; m := 1 - m; } init {} env {} prop { m <= 1 }";
    let (answer, statistics) = answer_to_the_first(text, "n * n != 2 * n * n * n - 77777777");
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert!(answered_by(&statistics).is_some_and(|engine| engine != Engine::Auto));
}

#[test]
fn nobody_is_said_to_have_answered_if_nobody_did() {
    let (mut system, _) = load(SQUARES);
    let limits = Config {
        state_limit: Some(50),
        step_limit: Some(1_000),
        call_limit: Some(5),
        work_limit: Some(1_000_000),
        ..Config::default()
    };
    // A square that is none: not reached, but y grows for ever.
    let y = system.vars.ids().find(|var| system.vars[*var].name == "y").expect("declared");
    let (y, number) = (system.terms.var(y), system.terms.int(2_000_000));
    let question = Question::Reach(system.terms.eq(y, number));
    let (answer, statistics) = search(&system, &question, &limits, &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Unknown(Reason::Exhausted(_))), "{answer:?}");
    assert_eq!(statistics.answered_by, None);
    let tried = statistics.attempts.iter().map(|attempt| &attempt.configuration);
    let tried: Vec<(Engine, Search)> = tried.map(|config| (config.engine, config.search)).collect();
    assert!(tried.contains(&(Engine::Zone, Search::Bfs)), "{tried:?}");
    assert!(
        tried.contains(&(Engine::Kind, Search::Bfs)) && tried.contains(&(Engine::Zone, Search::Priority)),
        "{tried:?}"
    );
}

#[test]
fn the_clock_of_a_time_limit_is_not_counted() {
    let text = "var x : clock var y : clock trans { assume x >= 1; x := 0; } init {} env { __delay; } \
        prop { y >= 0 }";
    let mut model = lang::xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut property = model.property().expect("a property");
    let asked = model.system.question(property.claim);
    let said = |system: &System, asked| order(system, &[asked]).map(|order| order.to_string());
    let before = said(&model.system, asked);
    ir::within::limit(&mut model.system, [&mut property], 5).expect("time passes");
    assert_eq!(model.system.clocks().count(), 3);
    let asked = model.system.question(property.claim);
    assert_eq!(said(&model.system, asked), before);
}

#[test]
fn time_is_taken_for_data_where_values_have_no_end() {
    let (system, question) = load(
        "var c : clock = 0 var n : integer = 0
         trans { assume c >= 1; n := n + 1; c := 0; } init {} env { __delay; } prop { n >= 0 }",
    );
    let (answer, statistics) = search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(answered_by(&statistics), Some(Engine::Cegar));
}

#[test]
fn every_configuration_is_one_that_may_be_given() {
    for search in [Search::Bfs, Search::Dfs, Search::Priority] {
        let limits = Config { search, ..Config::default() };
        let (system, question) = load(SMALL);
        for config in schedule(&system, from_ref(&question), &limits) {
            assert_eq!(config.check(), Ok(()), "{config}");
        }
    }
}

#[test]
fn budgets_grow_and_end() {
    let limits = Config::default();
    let (system, question) = load(SMALL);
    for config in schedule(&system, from_ref(&question), &limits) {
        let rounds: Vec<Config> =
            (0..=ROUNDS).map(|round| budgeted(&config, round, false, &limits)).collect();
        for pair in rounds[..ROUNDS as usize].windows(2) {
            let amounts = |config: &Config| {
                let Config { state_limit, step_limit, call_limit, bound, .. } = *config;
                [state_limit, step_limit, call_limit, bound.map(u64::from)]
            };
            let (less, more) = (amounts(&pair[0]), amounts(&pair[1]));
            assert!(less.iter().any(Option::is_some), "{config}");
            for (less, more) in less.into_iter().zip(more) {
                assert!(less < more || (less.is_none() && more.is_none()), "{config}: {less:?}, {more:?}");
            }
        }
        // In the end, only what the user says counts.
        assert_eq!(rounds[ROUNDS as usize], config);
    }
}

#[test]
fn budgets_stay_within_the_limits_of_the_user() {
    let limits = Config {
        state_limit: Some(50),
        step_limit: Some(60),
        call_limit: Some(70),
        work_limit: Some(80),
        bound: Some(2),
        ..Config::default()
    };
    let (system, question) = load(SMALL);
    for config in schedule(&system, from_ref(&question), &limits) {
        for round in 0..=ROUNDS {
            let Config { state_limit, step_limit, call_limit, work_limit, bound, .. } =
                budgeted(&config, round, false, &limits);
            let given = (state_limit, step_limit, call_limit, work_limit, bound);
            assert_eq!(given, (Some(50), Some(60), Some(70), Some(80), Some(2)), "{config}");
        }
    }
}

#[test]
fn only_those_who_may_get_further_come_again() {
    let (system, question) = load(SMALL);
    let limits = Config { state_limit: Some(100_000), bound: Some(6), ..Config::default() };
    let waits = |reason: Reason, round: u32| {
        let mut turns = Turns::new(&system, from_ref(&question), &limits);
        let (config, _) = turns.next().expect("somebody is first");
        let before = turns.waiting.len();
        turns.failed(config, round, vec![(vec![0], reason.clone(), Statistics::default())]);
        assert_eq!(turns.attempts.len(), 1);
        turns.waiting.len() > before
    };
    assert!(waits(Reason::States(20_000), 0));
    assert!(waits(Reason::Steps(200_000), 0));
    assert!(waits(Reason::Calls(400), 0));
    assert!(waits(Reason::Work, 0));
    // What the user allows is used up.
    assert!(!waits(Reason::States(100_000), 1));
    assert!(!waits(Reason::Bound(6), 0));
    // More would not help.
    assert!(!waits(Unsupported::WideValue.into(), 0));
    assert!(!waits(NoProgress::Tracked.into(), 0));
    assert!(!waits(Contradiction::NoSuchStep.into(), 0));
    // The last round had no budgets.
    assert!(!waits(Reason::Calls(400), ROUNDS));
    // Those who store no states stop with those who would have stored too many: 2,000 nodes in the first
    // round, 16,000 in the second, 128,000 in the third.
    for reason in [Reason::Calls(400), Reason::Work, Reason::Bound(5)] {
        assert!(waits(reason.clone(), 1), "{reason}");
        assert!(!waits(reason.clone(), 2), "{reason}");
    }
}

/// Nothing but the states and the work of one question is limited, and all end.
#[test]
fn a_limit_of_states_ends_those_who_store_none() {
    let (system, question) = load(HARD);
    for threads in [1, 2] {
        let limits = Config { threads, state_limit: Some(50), work_limit: Some(20_000), ..Config::default() };
        let (answer, statistics) = search(&system, &question, &limits, &Stop::new(), &mut Quiet);
        assert!(matches!(answer, Answer::Unknown(Reason::Exhausted(6))), "{answer:?}");
        let runs =
            statistics.attempts.iter().find(|attempt| attempt.configuration.engine == Engine::Bmc).unwrap();
        assert!(matches!(runs.reason, Reason::Bound(DEPTH) | Reason::Work | Reason::Calls(_)), "{runs:?}");
    }
}

#[test]
fn the_last_word_of_each_counts() {
    let (system, question) = load(SMALL);
    let mut turns = Turns::new(&system, from_ref(&question), &Config::default());
    for expected in [1, 2, 3, 4, 5, 6, 6, 6] {
        let (config, round) = turns.next().expect("all come again");
        let reason = Reason::Calls(400 * GROWTH.pow(round));
        turns.failed(config, round, vec![(vec![0], reason, Statistics::default())]);
        assert_eq!(turns.attempts.len(), expected);
    }
    assert_eq!(turns.attempts.last().unwrap().reason, Reason::Calls(3_200));
    assert_eq!(exhausted(&turns.attempts), Reason::Exhausted(6));
    assert_eq!(exhausted(&turns.attempts).to_string(), "none of 6 configurations decides it");
}

#[test]
fn the_same_model_is_answered_by_the_same_configuration() {
    for (text, by) in [(SMALL, Engine::Explicit), (ENDLESS, Engine::Cegar)] {
        let (system, question) = load(text);
        let ask = || {
            let config = Config::default();
            let (answer, statistics) = search(&system, &question, &config, &Stop::new(), &mut Quiet);
            assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
            (statistics.answered_by, statistics.attempts, statistics.states)
        };
        let first = ask();
        let config = first.0.as_ref().expect("somebody answered");
        assert_eq!((config.engine, config.cegar.domain), (by, Domain::PredCart));
        assert_eq!(first, ask());
    }
}

/// With what the user allows used up, everybody has been asked and says why there is no answer.
#[test]
fn nobody_answers() {
    let (system, question) = load(HARD);
    for threads in [1, 2] {
        let limits = Config {
            threads,
            state_limit: Some(200),
            step_limit: Some(2_000),
            call_limit: Some(20),
            work_limit: Some(200_000),
            bound: Some(2),
            ..Config::default()
        };
        let (answer, statistics) = search(&system, &question, &limits, &Stop::new(), &mut Quiet);
        assert!(matches!(answer, Answer::Unknown(Reason::Exhausted(6))), "{answer:?}");
        let mut asked: Vec<String> =
            statistics.attempts.iter().map(|attempt| attempt.configuration.to_string()).collect();
        let mut all: Vec<String> =
            schedule(&system, from_ref(&question), &limits).iter().map(ToString::to_string).collect();
        asked.sort();
        all.sort();
        assert_eq!(asked, all);
    }
}

/// More successors than anybody can list lead to the same few states: a number of states is no budget for it.
#[test]
fn many_ways_to_few_states_are_left_to_others() {
    let (system, question) = load(
        "var x : integer = 0 var y : integer = 0
         trans { havoc x; assume x >= 0 && x < 1000000000; y := x % 2; x := 0; }
         init { } env { } prop { y <= 1 }",
    );
    let (answer, statistics) = search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Excluded(_)), "{answer:?}");
    assert_eq!(statistics.attempts[0].reason, Reason::Steps(STEPS));
}

/// Asks to stop at the first sign of progress, or after so many.
struct Impatient<'a> {
    stop: &'a Stop,
    seen: AtomicU64,
}

impl Observer for Impatient<'_> {
    fn progress(&mut self, _: &Progress) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.stop.request(Reason::Time);
    }
}

/// Progress arrives from both threads, a request to stop reaches them, and both have ended when it returns.
#[test]
fn two_threads_stop_when_they_are_told_to() {
    // Counts for ever, and nobody shows what is asked.
    let (system, question) = load(
        "var n : integer = 0 var m : integer = 0 trans { n := n + 1 + n % 2; m := m + n * n; }
         init { } env { } prop { m * m != 3 * n * n * n + 77777777 }",
    );
    let stop = Stop::new();
    let mut observer = Impatient { stop: &stop, seen: AtomicU64::new(0) };
    let config = Config { threads: 2, ..Config::default() };
    let (answer, statistics) = search(&system, &question, &config, &stop, &mut observer);
    assert!(matches!(answer, Answer::Unknown(Reason::Time)), "{answer:?}");
    assert!(observer.seen.load(Ordering::Relaxed) > 0);
    assert!(statistics.attempts.iter().any(|attempt| attempt.reason == Reason::Time), "{statistics:?}");
}

/// Counts up for a long time beside clocks, so that whoever lists states needs many turns.
fn long_count() -> (System, Question) {
    load(
        "var n : integer = 0 var m : integer = 0 var x : clock var y : clock
         trans { __delay; assume x >= 1 && x <= 2; x := 0; n := (n + 7) % 30011; m := (m + n) % 3; if (y - x > 9) { y := 0; } }
         init {} env {} prop { n <= 30010 }",
    )
}

/// Pauses do not change what a search does: the same one as without turns has as many states.
#[test]
fn searches_that_are_paused_go_on_where_they_were() {
    let (system, question) = long_count();
    let config = Config { engine: Engine::Zone, search: Search::Priority, ..Config::default() };
    let stop = Stop::new();
    let questions = Questions::new(&system, from_ref(&question), &Config::default());
    let member = |engine: Engine| Member {
        config: Config { engine, ..config.clone() },
        share: 1,
        rounds: 0..=u32::MAX,
    };
    let both = vec![member(Engine::Zone), member(Engine::Lazy)];
    let (mut open, mut record, mut found) = (vec![0], super::rotation::Record::default(), vec![]);
    let over = super::rotation::take_turns(
        &questions,
        both,
        &mut open,
        None,
        &mut record,
        (&stop, &mut Quiet),
        &mut |config, _, answered| found.push((config.engine, answered)),
    );
    assert_eq!((over, open), (super::rotation::Over::Done, vec![]));
    let [(by, answered)] = &found[..] else { panic!("{found:?}") };
    assert!(matches!(answered.answer, Answer::Excluded(_)), "{answered:?}");
    let alone = Config { engine: *by, ..config };
    let (_, statistics) = search(&system, &question, &alone, &Stop::new(), &mut Quiet);
    assert_eq!(statistics.states, answered.statistics.states);
    assert!(statistics.transitions * 300 > 10_000_000, "more than one turn: {}", statistics.transitions);
}

/// Somebody who asks to stop is heard while searches are paused, and all of them end.
#[test]
fn turns_end_when_somebody_asks() {
    let (system, question) = long_count();
    let stop = Stop::new();
    let mut observer = Impatient { stop: &stop, seen: AtomicU64::new(0) };
    let unreachable = Config { engine: Engine::Auto, ..Config::default() };
    let (answer, _) = search(&system, &question, &unreachable, &stop, &mut observer);
    let stopped = observer.seen.load(Ordering::Relaxed) > 0;
    assert_eq!(matches!(answer, Answer::Unknown(Reason::Time)), stopped, "{answer:?}");
}
