//! Passes compose: evidence is lifted through any list of them, also where one of them adds a process, so that edges
//! and locations are others.
//!
//! Lifted evidence is checked against the system as it was. `PROPTEST_CASES` sets the number of random models.

extern crate thetis_engine as engine;

use std::cell::RefCell;

use engine::{
    Answer, Config, Engine, Lift, Pass, Pipeline, Preserves, Problem, Quiet, Rewriting, Rewritings, Stop,
};
use ir::{
    Certificate, ClosedSet, Cycle, Edge, Edges, Guarded, Id, Invariant, InvariantEntry, Location, LocationId,
    LocationKind, Process, ProcessId, Question, Run, Span, State, Step, System,
};
use lang::xsts::{self, arbitrary};
use proptest::test_runner::Config as Runs;

/// Adds a process that comes before all others and goes at any time, once, from one location to another; what was asked
/// for is asked for where it has gone.
///
/// Its step changes nothing else and excludes nothing, so leaving it out makes of every run one of the system before,
/// and each of these has one with that step at its beginning.
struct Bystander;

impl Pass for Bystander {
    fn preserves(&self) -> Preserves {
        Preserves::Stuttering
    }
    fn apply(&self, problem: &mut Problem, _: &Stop) -> Option<Box<dyn Lift>> {
        let before = problem.system.clone();
        let Problem { system, questions } = problem;
        let always = system.terms.bool(true);
        let update = Guarded::safe(system.terms.skip());
        let [source, target] = [0, 1].map(LocationId::at);
        let mut process = Process { name: "bystander".into(), initial: Some(source), ..Process::default() };
        for name in ["here", "gone"] {
            process.locations.push(Location::new(name, always, LocationKind::Normal));
        }
        let (label, span) = ("go".to_owned(), Span::default());
        process.edges.push(Edge { source, target, guard: always, update, sync: None, label, span });
        let others = std::mem::take(&mut system.processes);
        system.processes.push(process);
        others.iter().for_each(|other| _ = system.processes.push(other.clone()));
        if let Some(fault) = &mut system.fault {
            fault.process = ProcessId::at(fault.process.index() + 1);
        }
        let gone = system.terms.at(ProcessId::at(0), target);
        for question in questions {
            question.rewrite(|target| system.terms.and([target, gone]));
        }
        Some(Box::new(Leave { before }))
    }
}

/// Leaves the bystander out.
struct Leave {
    before: System,
}

impl Lift for Leave {
    fn summary(&self) -> Vec<Rewriting> {
        vec![]
    }
    fn before(&self) -> &System {
        &self.before
    }
    fn run(&self, _: &System, run: &Run, _: &Stop) -> Option<Run> {
        let steps = |steps: &[Step]| steps.iter().filter_map(without_bystander).collect();
        Some(Run {
            decisions: run.decisions.clone(),
            initial: others(run.initial.clone()),
            steps: steps(&run.steps),
            cycle: run.cycle.as_ref().map(|cycle| Cycle { steps: steps(&cycle.steps), head: None }),
        })
    }
    /// What is known where the bystander has gone: that is all states of the others, as it may go first of all.
    fn certificate(&self, _: &System, certificate: Certificate, _: &Stop) -> Option<Certificate> {
        match certificate {
            Certificate::ClosedSet(set) => Some(Certificate::ClosedSet(Box::new(Gone::new(set)))),
            Certificate::Invariant(list) => Some(Certificate::Invariant(gone(list))),
            Certificate::Zones(_)
            | Certificate::KInductive(_)
            | Certificate::Progress(_)
            | Certificate::Returns(_)
            | Certificate::Blocks(_) => None,
        }
    }
}

fn without_bystander(step: &Step) -> Option<Step> {
    let other =
        |(process, edge): &(ProcessId, _)| Some((ProcessId::at(process.index().checked_sub(1)?), *edge));
    let edges: Option<Edges> = step.edges.iter().map(other).collect();
    Some(Step { edges: edges?, decisions: step.decisions.clone(), state: others(step.state.clone()) })
}

fn others(State { locations, values }: State) -> State {
    State { locations: locations[1..].into(), values }
}

fn has_gone(locations: &[LocationId]) -> bool {
    locations[0] == LocationId::at(1)
}

/// The formulas where the bystander has gone, numbered anew.
fn gone(list: Invariant) -> Invariant {
    let mut numbers = vec![None; list.entries.len()];
    let kept = (0..list.entries.len()).filter(|at| has_gone(&list.entries[*at].locations));
    kept.zip(0..).for_each(|(at, number)| numbers[at] = Some(number));
    let follow =
        |entries: &[u32]| entries.iter().filter_map(|at| numbers[*at as usize]).collect::<Vec<u32>>();
    let initial = list.initial.iter().flat_map(|at| follow(&list.entries[*at as usize].successors)).collect();
    let entries =
        list.entries.iter().filter(|entry| has_gone(&entry.locations)).map(|entry| InvariantEntry {
            locations: entry.locations[1..].into(),
            formula: entry.formula,
            successors: follow(&entry.successors),
        });
    Invariant { initial, entries: entries.collect(), terms: list.terms }
}

/// The listed states where the bystander has gone.
struct Gone {
    set: Box<dyn ClosedSet>,
    numbers: Vec<usize>,
}

impl Gone {
    fn new(set: Box<dyn ClosedSet>) -> Self {
        let numbers = (0..set.len()).filter(|at| has_gone(&set.state(*at).locations)).collect();
        Gone { set, numbers }
    }
}

impl ClosedSet for Gone {
    fn len(&self) -> usize {
        self.numbers.len()
    }
    fn state(&self, index: usize) -> State {
        others(self.set.state(self.numbers[index]))
    }
    fn find(&self, state: &State) -> Option<usize> {
        let locations = std::iter::once(LocationId::at(1)).chain(state.locations.iter().copied()).collect();
        let found = self.set.find(&State { locations, values: state.values.clone() })?;
        self.numbers.binary_search(&found).ok()
    }
}

fn load(text: &str) -> (System, Question) {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn config(engine: Engine) -> Config {
    Config {
        engine,
        preprocess: false,
        state_limit: Some(2_000),
        call_limit: Some(400),
        work_limit: Some(2_000_000),
        ..Config::default()
    }
}

/// What was found about a system: a shortest run, that there is none, or nothing. Evidence about what passes made of it
/// is lifted and checked; that it is not is an error.
fn ask(
    (system, question): (&System, &Question),
    passes: &[Box<dyn Pass>],
    engine: Engine,
) -> Result<(Option<Option<usize>>, Vec<String>), String> {
    let stop = Stop::new();
    let mut work = Pipeline::new(Problem { system: system.clone(), questions: vec![question.clone()] });
    passes.iter().for_each(|pass| work.apply(&**pass, &stop));
    let Problem { system: left, questions } = &work.problem;
    let (answer, _) = engine::search(left, &questions[0], &config(engine), &stop, &mut Quiet);
    let answer = work.lift(answer, &stop).ok_or("evidence has no way back")?;
    let said = match answer {
        Answer::Found(run) => {
            certify::check_run(system, question, &run, stop.flag()).map_err(|why| why.to_string())?;
            Some(Some(run.steps.len()))
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(system, question, &certificate, stop.flag());
            checked.map_err(|why| format!("{certificate:?}: {why}"))?;
            Some(None)
        }
        Answer::Unknown(_) => None,
    };
    Ok((said, work.summary.iter().map(ToString::to_string).collect()))
}

/// All rewritings of data, with the bystander before, after and between them: where nothing is between two of them, they
/// have one way back.
fn lists(system: &System) -> impl Iterator<Item = Vec<Box<dyn Pass>>> {
    let count = Rewritings::All.passes(system).len();
    (0..=count).map(move |at| {
        let mut list = Rewritings::All.passes(system);
        list.insert(at, Box::new(Bystander));
        list
    })
}

/// What happened to random models.
#[derive(Debug, Default)]
struct Seen {
    reached: usize,
    never: usize,
    skipped: usize,
    /// To how many something else was done as well.
    rewritten: usize,
}

fn agree(text: &str, seen: &mut Seen) -> Result<(), String> {
    let (system, question) = load(text);
    let (Some(expected), _) = ask((&system, &question), &[], Engine::Explicit)? else {
        seen.skipped += 1;
        return Ok(());
    };
    *(if expected.is_some() { &mut seen.reached } else { &mut seen.never }) += 1;
    // The order of rewritings is one that does much, and no other is wrong.
    let mut reversed = Rewritings::All.passes(&system);
    reversed.reverse();
    for (at, passes) in lists(&system).chain([reversed]).enumerate() {
        let here = |engine, why: &str| format!("{engine}, list {at}: {why}");
        let (said, summary) = ask((&system, &question), &passes, Engine::Explicit)
            .map_err(|why| here(Engine::Explicit, &why))?;
        seen.rewritten += usize::from(at == 0 && summary.len() > 1);
        // Runs are as short as possible, and the bystander's step is gone.
        if said.is_some_and(|said| said != expected) {
            return Err(here(Engine::Explicit, &format!("{said:?}, not {expected:?}")));
        }
        let (said, _) =
            ask((&system, &question), &passes, Engine::Cegar).map_err(|why| here(Engine::Cegar, &why))?;
        if said.is_some_and(|said| said.is_some() != expected.is_some()) {
            return Err(here(Engine::Cegar, &format!("{said:?}, not {expected:?}")));
        }
    }
    Ok(())
}

#[test]
fn evidence_comes_back_through_passes_that_add_processes() {
    let seen = RefCell::new(Seen::default());
    let runs = Runs { max_shrink_iters: 500, ..sampling::runs(60, 577) };
    let cases = runs.cases as usize;
    sampling::check(runs, &arbitrary::model(), xsts::print, |model| {
        agree(&xsts::print(&model), &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    let few = cases / 10;
    assert!(few < 5 || (seen.reached > few && seen.never > few && seen.rewritten > few), "{seen:?}");
}

/// What every pass does is listed in order, and the steps of a run are those of the model alone: `init`, then `env` and
/// `trans` until `n` is 2.
#[test]
fn lifts_are_applied_in_reverse() {
    let (system, question) = load(
        "var one : integer = 1 var n : integer = 0 var log : integer = 0
         trans { n := n + one; log := log + n; } init { } env { } prop { n < 2 }",
    );
    for (at, passes) in lists(&system).enumerate() {
        let (said, summary) = ask((&system, &question), &passes, Engine::Explicit).expect("a run");
        // The bystander says nothing of itself.
        let expected = [
            "folded `one`, which never changes",
            "dropped `log`, which decides nothing",
            "cut off `n` above what it is compared with",
        ];
        assert_eq!(
            (said, summary),
            (Some(Some(5)), expected.into_iter().map(str::to_owned).collect()),
            "{at}"
        );
    }
}

/// The lasso through both values of `b`, beside a constant and a bystander who goes in the cycle or before it.
#[test]
fn cycles_are_lifted_like_stems() {
    let (system, question) = load(
        "var one : integer = 1 var b : boolean = false trans { b := !b && one > 0; } init { } env { } prop { !b }",
    );
    let stop = Stop::new();
    let mut work = Pipeline::new(Problem { system: system.clone(), questions: vec![question] });
    let passes: [Box<dyn Pass>; 1] = [Box::new(Bystander)];
    passes.iter().chain(&Rewritings::OneToOne.passes(&system)).for_each(|pass| work.apply(&**pass, &stop));
    let told: Vec<String> = work.summary.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["folded `one`, which never changes"]);
    // `go`, `init`, and then `env` and `trans` twice, by the numbers of their edges in the order of the phases.
    let state = |gone: usize, at: usize, b: bool| State {
        locations: [gone, at].map(LocationId::at).into(),
        values: [Some(b.into())].into(),
    };
    let step = |process, edge, state| Step {
        edges: Edges::from_slice(&[(ProcessId::at(process), ir::EdgeId::at(edge))]),
        decisions: vec![],
        state,
    };
    let edge = |from: usize| {
        let edges = &system.processes[ProcessId::at(0)].edges;
        let found = edges.entries().find(|(_, edge)| edge.source == LocationId::at(from));
        found.map(|(id, edge)| (id.index(), edge.target.index())).expect("an edge of each phase")
    };
    let [(init, after_init), (env, after_env)] = [edge(0), edge(edge(0).1)];
    let (trans, after_trans) = edge(after_env);
    let around =
        |from: bool| [step(1, env, state(1, after_env, from)), step(1, trans, state(1, after_trans, !from))];
    let run = Run {
        steps: vec![step(0, 0, state(1, 0, false)), step(1, init, state(1, after_init, false))],
        cycle: Some(Cycle { steps: [around(false), around(true)].concat(), head: None }),
        ..Run::begin(vec![], state(0, 0, false))
    };
    let Some(Answer::Found(lifted)) = work.lift(Answer::Found(run), &stop) else { panic!("no way back") };
    let cycle = lifted.cycle.as_ref().expect("a cycle");
    assert_eq!((lifted.steps.len(), cycle.steps.len()), (1, 4));
    assert_eq!(cycle.steps.last().map(|step| &step.state), Some(lifted.last()));
    assert!(lifted.states().all(|state| state.locations.len() == 1 && state.values.len() == 2));
}
