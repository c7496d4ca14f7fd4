//! Questions about whole runs, asked of every engine that answers them.

mod cases;
mod fairness;
mod lassos;
mod nusmv;
mod oracle;
mod pairs;
mod returns;
mod unbounded;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::automaton::Automaton;
use ir::interp::Interp;
use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{Claim, Id, PathClaim, PathQuestion, PathWords, Question, State, System, Term, Type, Words};
use lang::xsts::{self, arbitrary};
use ltl::parse::{Names, parse};
use proptest::prelude::*;
use thetis_engine::{Answer, Cegar, Config, Engine, LassoSearch, Quiet, Statistics, Stop, search};

/// A model that is read from the state after `init` on, and the question whether a run violates a formula over its
/// expressions.
fn asked(text: &str, formula: &str) -> (System, Question) {
    let mut model = lang::xsts::load(text).unwrap();
    let mut names = Names::default();
    let formula = parse(formula, &mut names).unwrap().formula;
    let mut atoms = vec![];
    for name in names.iter() {
        let Claim::Always(term) = model.parse_property("p", name).unwrap().claim else {
            panic!("a condition")
        };
        atoms.push(term);
    }
    let system = &mut model.system;
    let undefined = system.terms.bool(false);
    let path = system.paths.push(PathClaim { words: PathWords::Satisfy(formula), atoms, undefined });
    let question = system.question(Claim::Every(path));
    (model.system, question)
}

/// What an engine answers, once the judge has accepted it.
fn verdict(system: &System, question: &Question, engine: Engine) -> &'static str {
    verdict_of(system, question, engine, true)
}

/// The same, with preprocessing or without.
fn verdict_of(system: &System, question: &Question, engine: Engine, preprocess: bool) -> &'static str {
    let limits = Config { state_limit: Some(5_000), call_limit: Some(500), ..Config::default() };
    let config = Config { engine, bound: Some(30), preprocess, ..limits };
    answered(system, question, &config).0
}

/// The same by a configuration, with what it did.
fn answered(system: &System, question: &Question, config: &Config) -> (&'static str, Statistics) {
    let (answer, statistics) = search(system, question, config, &Stop::new(), &mut Quiet);
    let stop = AtomicBool::new(false);
    let verdict = match &answer {
        Answer::Unknown(_) => "unknown",
        Answer::Found(run) => {
            certify::check_run(system, question, run, &stop).unwrap();
            "violated"
        }
        Answer::Excluded(certificate) => {
            certify::check_certificate(system, question, certificate, &stop).unwrap();
            "holds"
        }
    };
    (verdict, statistics)
}

const COUNTER: &str = "var p : boolean = true var q : boolean = false var n : integer = 0
    trans { assume n < 3; n := n + 1; p := n < 2; q := n == 3; } or { assume n >= 3; } init { } env { } prop { true }";

#[test]
fn a_counter_that_stops() {
    for (formula, expected) in [
        ("F G q", "holds"),
        ("G F q", "holds"),
        ("F q", "holds"),
        ("G p", "violated"),
        ("p U G !p", "holds"),
        ("G (p -> F !p)", "holds"),
        ("G (p -> X p)", "violated"),
        ("F p", "holds"),
        ("G F p", "violated"),
        // The states after `init`, `env`, `trans`, `env` and so on are read, and the third `trans` makes `n` 3.
        ("X X X X X X q", "holds"),
        ("X X X X X q", "violated"),
    ] {
        let (system, question) = asked(COUNTER, formula);
        for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
            let found = verdict(&system, &question, engine);
            let complete = matches!(engine, Engine::Auto | Engine::Explicit);
            assert!(found == expected || !complete && found == "unknown", "{formula} by {engine}: {found}");
        }
    }
}

/// No state of these models comes again, and they violate their formulas for the reasons given: what the evidence names is a
/// set of states that comes again.
#[test]
fn runs_that_come_back_to_a_set_of_states() {
    for (text, formula) in [
        // It is never below 0.
        ("var x : integer = 0 trans { x := x + 1; } init { } env { } prop { true }", "F below"),
        // It is above 5 from some time on.
        ("var x : integer = 0 trans { x := x + 1; } init { } env { } prop { true }", "G F few"),
        // It grows by whatever there is at the beginning, if that is not negative.
        (
            "var x : integer = 0 var y : integer trans { x := x + y; } init { } env { } prop { true }",
            "F below",
        ),
        // It may grow in every turn.
        (
            "var x : integer = 0 var y : integer = 0 trans { choice { x := x - 1; } or { x := x + y; } }
                init { } env { havoc y; assume y > 2; } prop { true }",
            "F below",
        ),
        // Every other turn is even.
        (
            "var x : integer = 0 var b : boolean = false trans { x := x + 1; b := !b; } init { } env { } prop { true }",
            "F G even",
        ),
        // Twice as much, of nothing and of something.
        ("var x : integer = 1 trans { x := 2 * x; } init { } env { } prop { true }", "F below | F G few"),
    ] {
        let formula =
            formula.replace("below", "\"x < 0\"").replace("few", "\"x <= 5\"").replace("even", "\"b\"");
        let (system, question) = asked(text, &formula);
        for engine in [Engine::Bmc, Engine::Auto] {
            assert_eq!(verdict(&system, &question, engine), "violated", "{formula} of {text} by {engine}");
        }
    }
}

/// These hold, and nothing may be found: whatever else grows, some time `x` is negative.
#[test]
fn runs_that_do_not_come_back_are_not_found() {
    for text in [
        "var x : integer = 4 var y : integer = 0 trans { x := x - 1; y := y + x; } init { } env { } prop { true }",
        "var x : integer var y : integer = 1 trans { x := x - y; } init { } env { havoc y; assume y > 0; } prop { true }",
    ] {
        let (system, question) = asked(text, "F \"x < 0\"");
        for engine in [Engine::Bmc, Engine::Auto] {
            assert_ne!(verdict(&system, &question, engine), "violated", "{text} by {engine}");
        }
    }
}

/// What grows for ever has infinitely many states, and finitely many once what decides nothing is left out, or counting ends
/// where nothing is compared any more. A lasso of what is left does not close in the model, but comes back to a set.
#[test]
fn lassos_are_lifted_from_smaller_systems() {
    for (text, formula, expected) in [
        // Nothing reads `x`.
        (
            "var x : integer = 0 var b : boolean = false trans { x := x + 1; b := !b; } init { } env { } prop { true }",
            "F G \"b\"",
            "violated",
        ),
        // Beyond 6, it does not matter how much it is.
        (
            "var x : integer = 0 trans { x := x + 1; } init { } env { } prop { true }",
            "G F \"x <= 5\"",
            "violated",
        ),
        // The same, and it is some time.
        (
            "var x : integer = 0 trans { x := x + 1; } init { } env { } prop { true }",
            "F G \"x >= 5\"",
            "holds",
        ),
        (
            "var x : integer = 0 var b : boolean = false trans { x := x + 1; b := !b; } init { } env { } prop { true }",
            "G F \"b\"",
            "holds",
        ),
    ] {
        let (system, question) = asked(text, formula);
        assert_eq!(verdict(&system, &question, Engine::Explicit), expected, "{formula}");
        assert_eq!(verdict_of(&system, &question, Engine::Explicit, false), "unknown", "{formula}");
    }
}

/// Where `b` is false nothing can happen after `env`, and `q` stays false for ever; where it is true, `q` becomes true. One
/// listed state stands for both.
#[test]
fn states_that_stand_for_many_may_be_stuck_in_part() {
    const EITHER: &str = "var q : boolean = false var b : boolean
        trans { assume b; q := true; } init { } env { } prop { true }";
    let (mut system, question) = asked(EITHER, "F q");
    system.stuck = ir::Stuck::Repeat;
    for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
        assert_ne!(verdict(&system, &question, engine), "holds", "{engine}");
    }
    assert_eq!(verdict(&system, &question, Engine::Auto), "violated");
}

/// A run that gets stuck where nothing is read has no word that goes on, so that nobody decides about it.
#[test]
fn what_is_repeated_must_be_read() {
    const STUCK: &str = "var q : boolean = false trans { assume q; } init { } env { } prop { true }";
    let (mut system, question) = asked(STUCK, "F q");
    system.stuck = ir::Stuck::Repeat;
    assert_eq!(verdict(&system, &question, Engine::Auto), "violated");
    let stuck = system.processes[ir::ProcessId::at(0)].locations.ids().last().unwrap();
    system.processes[ir::ProcessId::at(0)].locations[stuck].read = false;
    for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
        assert_eq!(verdict(&system, &question, engine), "unknown", "{engine}");
    }
}

/// A run that gets stuck before any state is read has no word, and violates nothing, not even what nothing satisfies. Where
/// a state was read, nothing that could follow would satisfy it.
#[test]
fn runs_of_which_nothing_is_read_violate_nothing() {
    const BEFORE: &str =
        "var x : boolean = false trans { x := !x; } init { assume x; } env { } prop { true }";
    const AFTER: &str = "var x : boolean = false trans { assume x; } init { } env { } prop { true }";
    for formula in ["G false", "X false", "F false", "G x & F !x & false"] {
        for (text, expected) in [(BEFORE, "holds"), (AFTER, "violated")] {
            let (mut system, question) = asked(text, formula);
            for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
                let found = verdict(&system, &question, engine);
                let complete = matches!(engine, Engine::Auto | Engine::Explicit);
                assert!(
                    found == expected || !complete && found == "unknown",
                    "{formula} by {engine}: {found}"
                );
            }
            // The run with no step at all, which ends before `init`.
            let anything = Question::Reach(system.terms.bool(true));
            let (answer, _) = search(&system, &anything, &Config::default(), &Stop::new(), &mut Quiet);
            let Answer::Found(run) = answer else { panic!("there is an initial state") };
            assert!(run.steps.is_empty());
            let judged = certify::check_run(&system, &question, &run, &AtomicBool::new(false));
            assert!(judged.is_err(), "{formula}: {judged:?}");
        }
    }
}

/// The same for an automaton that accepts whatever comes.
#[test]
fn an_automaton_that_accepts_everything_has_to_read_something() {
    const BEFORE: &str =
        "var x : boolean = false trans { x := !x; } init { assume x; } env { } prop { true }";
    let (system, asked) = asked(BEFORE, "G x");
    let Question::Path(question) = asked else { panic!("about runs") };
    let everything =
        ir::automaton::Transition { source: 0, target: 0, guard: ir::automaton::Guard::any(), marks: 0 };
    let automaton = Automaton { sinks: vec![true], initial: 0, sets: 0, transitions: vec![everything] };
    let words = Words::Accepted(Arc::new(automaton));
    let question = Question::Path(PathQuestion { words, ..question });
    for engine in [Engine::Auto, Engine::Explicit, Engine::Cegar, Engine::Kind] {
        assert_eq!(verdict(&system, &question, engine), "holds", "{engine}");
    }
}

/// What was read in the last 20 states is too much to tell all beginnings apart, but no run of this model ends.
#[test]
fn beginnings_do_not_matter_where_no_run_ends() {
    const TURNS: &str = "var p : boolean = false trans { p := !p; } init { } env { } prop { true }";
    let (system, question) = asked(TURNS, &format!("G (p -> {} p)", "X ".repeat(20)));
    assert_eq!(verdict(&system, &question, Engine::Explicit), "holds");
    let stops = TURNS.replace("p := !p", "assume !p; p := true");
    let (system, question) = asked(&stops, &format!("G (p -> {} p)", "X ".repeat(20)));
    let (answer, _) = search(
        &system,
        &question,
        &Config { engine: Engine::Explicit, ..Config::default() },
        &Stop::new(),
        &mut Quiet,
    );
    let Answer::Excluded(certificate) = answer else {
        panic!("every run ends before `p` would have to hold")
    };
    let judged = certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false));
    let undecided = certify::Rejection::Undecided(certify::Undecided::ManyPrefixes);
    assert_eq!(judged.map(|_| ()), Err(undecided));
}

/// An engine that is asked about states alone does not answer what is about whole runs.
#[test]
fn engines_for_states_refuse_questions_about_runs() {
    let (system, question) = asked(COUNTER, "G p");
    let (answer, _) =
        thetis_engine::explicit::search(&system, &question, &Config::default(), &Stop::new(), &mut Quiet);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}

/// What the engines said of random models.
#[derive(Debug, Default)]
struct Seen {
    holds: usize,
    violated: usize,
    open: usize,
    /// Models that go wrong, are large, or have states that stand for many.
    skipped: usize,
}

#[test]
fn random_formulas_about_random_models() {
    let runs = sampling::runs(150, 2_718);
    let cases = runs.cases;
    let seen = RefCell::new(Seen::default());
    let inputs = (arbitrary::model(), proptest::collection::vec(any::<u8>(), 12));
    let show = |(model, choices): &(xsts::ast::Model, Vec<u8>)| {
        format!("{}\n{}", xsts::print(model), random_formula(choices).display(|atom| format!("a{atom}")))
    };
    sampling::check(runs, &inputs, show, |(model, choices)| {
        agree(&xsts::print(&model), &random_formula(&choices), &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    let enough = cases as usize / 10;
    assert!(cases < 100 || seen.holds > enough && seen.violated > enough, "not varied enough: {seen:?}");
}

/// A formula over two atoms with at most four temporal operators, made of decisions.
fn random_formula(choices: &[u8]) -> Formula {
    let mut builder = Builder::default();
    let mut parts: Vec<Sub> = vec![builder.atom(0), builder.atom(1)];
    let mut temporal = 0;
    for pair in choices.chunks(2) {
        let (operator, at) = (pair[0] % 12, pair[1] as usize);
        let (f, g) = (parts[at % parts.len()], parts[at / 16 % parts.len()]);
        let node = match operator {
            0 => Node::Not(f),
            1 => Node::And(f, g),
            2 => Node::Or(f, g),
            3 => Node::Implies(f, g),
            4 => Node::Next(f),
            5 | 10 => Node::Finally(f),
            6 | 11 => Node::Globally(f),
            7 => Node::Until(f, g),
            8 => Node::WeakUntil(f, g),
            _ => Node::Release(f, g),
        };
        if node.is_temporal() && temporal == 4 {
            continue;
        }
        temporal += usize::from(node.is_temporal());
        let part = builder.add(node);
        parts.push(part);
    }
    builder.finish(parts[parts.len() - 1])
}

fn agree(text: &str, formula: &Formula, seen: &mut Seen) -> Result<(), String> {
    let mut system = xsts::load(text).unwrap().system;
    let atoms = atoms(&mut system);
    let Some(graph) = graph(&mut system, &atoms) else {
        seen.skipped += 1;
        return Ok(());
    };
    let expected = if oracle::is_violated(&graph, formula, 2) { "violated" } else { "holds" };
    let undefined = system.terms.bool(false);
    let words = PathWords::Satisfy(formula.clone());
    let path = system.paths.push(PathClaim { words, atoms, undefined });
    let question = system.question(Claim::Every(path));
    for (engine, preprocess) in [
        (Engine::Auto, true),
        (Engine::Explicit, true),
        (Engine::Explicit, false),
        (Engine::Bmc, true),
        (Engine::Bmc, false),
        (Engine::Cegar, true),
        (Engine::Kind, true),
    ] {
        match verdict_of(&system, &question, engine, preprocess) {
            "unknown" if engine != Engine::Explicit => seen.open += 1,
            found if found == expected => {}
            found => {
                return Err(format!("{engine} says {found}, not {expected}, preprocessing: {preprocess}"));
            }
        }
    }
    for lasso_search in [LassoSearch::Gdfs, LassoSearch::Ndfs, LassoSearch::Full] {
        let cegar = Cegar { lasso_search, ..Cegar::default() };
        let config = Config { engine: Engine::Explicit, cegar, ..Config::default() };
        let (found, _) = answered(&system, &question, &config);
        if found != expected {
            return Err(format!("{lasso_search} says {found}, not {expected}"));
        }
    }
    by_automaton(&system, &question, &graph, formula)?;
    match expected {
        "holds" => seen.holds += 1,
        _ => seen.violated += 1,
    }
    Ok(())
}

/// The same by an automaton of the words that violate the formula. Which beginnings are enough depends on what the
/// automaton makes of them, so formulas are left out whose violations may show by a beginning.
fn by_automaton(
    system: &System,
    question: &Question,
    graph: &oracle::Graph,
    formula: &Formula,
) -> Result<(), String> {
    let Question::Path(asked) = question else { return Err("a question about states".to_owned()) };
    let expected = if oracle::is_violated_for_ever(graph, formula) { "violated" } else { "holds" };
    if expected == "holds" && oracle::is_violated(graph, formula, 2) {
        return Ok(());
    }
    let Ok(automaton) = ltl::translate(&formula.negated()) else { return Ok(()) };
    let automaton = automaton.plain(&automaton.loops()).ok_or("too many acceptance sets")?;
    let words = Words::Accepted(Arc::new(automaton));
    let question = Question::Path(PathQuestion { words, ..asked.clone() });
    match verdict(system, &question, Engine::Explicit) {
        found if found == expected => Ok(()),
        found => Err(format!("by an automaton, explicit says {found}, not {expected}")),
    }
}

#[test]
fn an_automaton_asks_what_its_formula_asks() {
    for formula in ["F G q", "G p", "G (p -> F !p)", "G F p", "p U G !p", "G F p -> G F q"] {
        let (system, asked) = asked(COUNTER, formula);
        let Question::Path(by_formula) = &asked else { panic!("a question about runs") };
        let Words::Satisfying(violating) = &by_formula.words else { panic!("a formula") };
        let automaton = ltl::translate(violating).unwrap();
        let automaton = automaton.plain(&automaton.loops()).unwrap();
        let words = Words::Accepted(Arc::new(automaton));
        let by_automaton = Question::Path(PathQuestion { words, ..by_formula.clone() });
        for engine in [Engine::Auto, Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind] {
            let [expected, found] =
                [&asked, &by_automaton].map(|question| verdict(&system, question, engine));
            assert_eq!(found, expected, "{formula} by {engine}");
        }
    }
}

#[test]
fn evidence_about_another_automaton_is_refused() {
    let (system, asked) = asked(COUNTER, "F G q");
    let Question::Path(asked) = asked else { panic!("a question about runs") };
    let Words::Satisfying(violating) = &asked.words else { panic!("a formula") };
    let automaton = ltl::translate(violating).unwrap();
    let automaton = automaton.plain(&automaton.loops()).unwrap();
    let of = |automaton: &Automaton| {
        let words = Words::Accepted(Arc::new(automaton.clone()));
        Question::Path(PathQuestion { words, ..asked.clone() })
    };
    let explicit = Config { engine: Engine::Explicit, ..Config::default() };
    let (answer, _) = search(&system, &of(&automaton), &explicit, &Stop::new(), &mut Quiet);
    let Answer::Excluded(proof) = answer else { panic!("it holds") };
    let stop = AtomicBool::new(false);
    for at in 0..automaton.transitions.len() {
        // One transition less, other letters, other acceptance: each is another question.
        let mut others = vec![automaton.clone(); 3];
        others[0].transitions.remove(at);
        others[1].transitions[at].guard.cubes.clear();
        others[2].transitions[at].marks ^= 1;
        for other in others {
            let checked = certify::check_certificate(&system, &of(&other), &proof, &stop);
            assert!(matches!(checked, Err(certify::Rejection::Wrong(_))), "{other:?}");
        }
    }
}

/// Two conditions on the variables of a model.
fn atoms(system: &mut System) -> Vec<Term> {
    let vars: Vec<_> = system.state_vars().filter(|var| system.vars[*var].shown).collect();
    let mut atoms = vec![];
    for var in vars {
        let now = system.terms.var(var);
        match system.terms.var_type(var) {
            Type::Bool => atoms.push(now),
            Type::Int => {
                let one = system.terms.int(1);
                atoms.push(system.terms.lt(now, one));
            }
            _ => {}
        }
    }
    while atoms.len() < 2 {
        atoms.push(system.terms.bool(true));
    }
    atoms.truncate(2);
    atoms
}

/// The states that are read, by the plain interpreter; `None` if it is not that simple.
fn graph(system: &mut System, atoms: &[Term]) -> Option<oracle::Graph> {
    const MOST: usize = 40;
    let init = system.initial_locations();
    let stmt = ir::initial(system);
    let start = system.arbitrary_state();
    let mut states: Vec<State> = vec![];
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut found = successors(system, stmt, &start, &start.locations)?;
    let mut after: Vec<Vec<usize>> = vec![];
    let mut next = 0;
    let mut first = vec![];
    loop {
        let list = found.drain(..).map(|state| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        });
        let list: Vec<usize> = list.collect();
        if next == 0 {
            first = list
        } else {
            after.push(list)
        }
        if states.len() > MOST {
            return None;
        }
        let Some(state) = states.get(next).cloned() else { break };
        next += 1;
        if system.is_fault(&state.locations) || state.values.iter().any(Option::is_none) {
            return None;
        }
        for action in ir::actions(system, &state.locations) {
            found.extend(successors(system, action.stmt, &state, &action.target)?);
        }
    }
    let mut letters = vec![];
    for state in &states {
        let holds = |atom: &Term| Interp::new(system, None).find(state, *atom).unwrap().is_some();
        letters.push(u32::from(holds(&atoms[0])) | u32::from(holds(&atoms[1])) << 1);
    }
    // The states at the initial location are not read: words begin after them.
    let (unread, read): (Vec<usize>, Vec<usize>) =
        (0..states.len()).partition(|at| states[*at].locations == init);
    let place = |at: &usize| read.iter().position(|other| other == at);
    if first.iter().any(|at| read.contains(at)) {
        return None;
    }
    let mut initial: Vec<usize> = unread.iter().flat_map(|at| &after[*at]).filter_map(place).collect();
    initial.sort_unstable();
    initial.dedup();
    let after = read.iter().map(|at| after[*at].iter().filter_map(place).collect()).collect();
    Some(oracle::Graph { letters: read.iter().map(|at| letters[*at]).collect(), after, initial })
}

fn successors(
    system: &System,
    stmt: ir::Stmt,
    from: &State,
    target: &[ir::LocationId],
) -> Option<Vec<State>> {
    let mut list = vec![];
    let result = Interp::new(system, None).successors(stmt, from, &mut |outcome| {
        list.push(State { locations: target.into(), values: outcome.values });
        list.len() < 1_000
    });
    result.ok().filter(|()| list.len() < 1_000).map(|()| list)
}
