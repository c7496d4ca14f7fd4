//! An engine of another crate: a random walk with a bound, by nothing but its description.
//!
//! It is asked like any other, gets a system that preprocessing has made smaller, and what it finds is lifted to the
//! system as it was, where the judge accepts it. It can find, and excludes nothing.

extern crate thetis_engine as engine;

use std::sync::atomic::AtomicBool;

use engine::{Answer, Config, Description, Engine, Observer, Quiet, Reason, Statistics, Stop, search};
use ir::interp::{Interp, Outcome};
use ir::{Question, Run, State, Step, System};

static RANDOM_WALK: Description =
    Description { bounded: true, ..Description::new("random-walk", "random simulation", walk) };

/// Walks from an initial state, as many steps as it may, and begins again a few times.
fn walk(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    _: &mut dyn Observer,
) -> (Answer, Statistics) {
    let bound = config.bound.unwrap_or(20);
    let mut system = system.clone();
    let mut chance = 1_u64;
    // A linear congruential generator (Knuth), so that the same run is found each time.
    let mut pick = |count: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) as usize % count
    };
    for _ in 0..50 {
        let (initial, start) = (ir::initial(&mut system), system.arbitrary_state());
        let firsts = outcomes(&system, initial, &start);
        if firsts.is_empty() {
            break;
        }
        let first = firsts[pick(firsts.len())].clone();
        let mut run = Run::begin(first.decisions, State { locations: start.locations, values: first.values });
        for _ in 0..=bound {
            if is_target(&mut system, question, run.last()) {
                return (Answer::Found(run), Statistics::default());
            }
            let mut steps = vec![];
            for action in ir::actions(&mut system, &run.last().locations) {
                for Outcome { values, decisions, .. } in outcomes(&system, action.stmt, run.last()) {
                    let state = State { locations: action.target.clone(), values };
                    steps.push(Step { edges: action.edges.clone(), decisions, state });
                }
            }
            if steps.is_empty() || stop.requested() {
                break;
            }
            run.steps.push(steps.swap_remove(pick(steps.len())));
        }
    }
    (Answer::Unknown(Reason::Bound(bound)), Statistics::default())
}

fn outcomes(system: &System, stmt: ir::Stmt, state: &State) -> Vec<Outcome> {
    let mut list = vec![];
    let done = Interp::new(system, None).successors(stmt, state, &mut |outcome| {
        list.push(outcome);
        list.len() < 100
    });
    done.map(|()| list).unwrap_or_default()
}

fn is_target(system: &mut System, question: &Question, state: &State) -> bool {
    let Question::Reach(target) = question else { return false };
    let observed = system.is_observed(&state.locations);
    let Ok(here) = ir::at_state(system, *target, state) else { return false };
    observed && matches!(Interp::new(system, None).find(state, here), Ok(Some(_)))
}

/// `m` decides nothing and `top` never changes: both are gone before the walk, and in the run again after it.
const COUNTER: &str = "
    var n : integer = 0 var m : integer = 7 var top : integer = 5
    trans { assume n < top; n := n + 1; m := m + n; } or { assume n > 0; n := n - 1; }
    init { } env { }
";

fn ask(property: &str, bound: Option<u32>) -> (System, Question, Answer) {
    let mut model = lang::xsts::load(COUNTER).unwrap();
    let property = model.parse_property("p", property).unwrap();
    let question = model.system.question(property.claim);
    let config = Config { engine: Engine::Other(&RANDOM_WALK), bound, ..Config::default() };
    let (answer, statistics) = search(&model.system, &question, &config, &Stop::new(), &mut Quiet);
    assert!(!statistics.preprocessing.is_empty(), "{statistics:?}");
    (model.system, question, answer)
}

#[test]
fn what_a_random_walk_finds_is_a_run_of_the_system_as_it_was() {
    let (system, question, answer) = ask("n < 3", Some(40));
    let Answer::Found(run) = answer else { panic!("{answer:?}") };
    let judged = certify::check_run(&system, &question, &run, &AtomicBool::new(false));
    assert_eq!(judged, Ok(certify::Reached::Target));
}

#[test]
fn what_it_does_not_find_is_unknown() {
    let (.., answer) = ask("n <= 5", Some(40));
    assert!(matches!(answer, Answer::Unknown(Reason::Bound(40))), "{answer:?}");
    // It takes seven steps: `init`, and three times `env` and `trans`.
    let (.., answer) = ask("n < 3", Some(3));
    assert!(matches!(answer, Answer::Unknown(Reason::Bound(3))), "{answer:?}");
}

#[test]
fn it_is_called_by_its_name() {
    assert_eq!(Engine::Other(&RANDOM_WALK).to_string(), "random-walk");
    assert_eq!(Engine::Other(&RANDOM_WALK).description().title, "random simulation");
    let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.description().name).collect();
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len(), "{names:?}");
}

/// The table of the README and the headings of the manual are what the descriptions say.
#[test]
fn every_engine_is_in_the_readme_and_in_the_manual() {
    let page = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let (readme, manual) = (page("README.md"), page("docs/engines.md"));
    for engine in Engine::ALL {
        let Description { name, title, .. } = engine.description();
        assert!(
            readme.contains(&format!("| `{name}` | {title} |")),
            "README.md has no row for {name}, {title}"
        );
        assert!(manual.contains(&format!("\n## `{name}`: ")), "docs/engines.md has no section on {name}");
    }
}
