//! Replay of steps: which action is taken, how values that were open are given, and what becomes of a cycle.

extern crate thetis_ir as ir;

use ir::interp::{Interp, Outcome};
use ir::replay::{self, Leg, NoStep, Wanted};
use ir::{
    Actions, Cycle, Decision, Edge, EdgeId, Edges, Guarded, Id, Location, LocationId, LocationKind, Process,
    ProcessId, Run, Span, State, Stmt, System, Type, Value, VarId, Variable,
};

/// A system of one process with the locations `A` and `B`, an integer `n` that starts at 0, and edges by their
/// source, target and statement.
fn system(edges: impl FnOnce(&mut System, VarId) -> Vec<(usize, usize, Stmt)>) -> System {
    let mut system = System::default();
    let n = system.declare(Type::Int, Variable::state("n", Span::default()));
    let (zero, always) = (system.terms.int(0), system.terms.bool(true));
    system.initial.push((n, zero));
    let mut process = Process { name: "P".into(), initial: Some(LocationId::at(0)), ..Process::default() };
    for name in ["A", "B"] {
        process.locations.push(Location::new(name, always, LocationKind::Normal));
    }
    for (source, target, stmt) in edges(&mut system, n) {
        let (source, target) = (LocationId::at(source), LocationId::at(target));
        let (update, label, span) = (Guarded::safe(stmt), String::new(), Span::default());
        process.edges.push(Edge { source, target, guard: always, update, sync: None, label, span });
    }
    system.processes.push(process);
    system
}

fn set(system: &mut System, var: VarId, value: i64) -> Stmt {
    let value = system.terms.int(value);
    system.terms.assign(var, value)
}

fn edge(number: usize) -> Edges {
    Edges::from_slice(&[(ProcessId::at(0), EdgeId::at(number))])
}

fn state(location: usize, n: i64) -> State {
    State { locations: [LocationId::at(location)].into(), values: [Some(Value::int(n))].into() }
}

fn step(number: usize, state: State) -> ir::Step {
    ir::Step { edges: edge(number), decisions: vec![], state }
}

/// The first execution of a step that leads to these values, where they are known.
fn first(system: &System, leg: &Leg<'_>, values: &[Option<Value>]) -> Option<Outcome> {
    let fits = |outcome: &Outcome| {
        outcome.values.iter().zip(values).all(|(value, wanted)| wanted.is_none() || value == wanted)
    };
    Interp::new(system, None).first(leg.stmt, leg.before, None, fits).expect("everything can be listed")
}

#[test]
fn where_edges_are_not_known_all_that_lead_there_are_tried() {
    let mut system = system(|system, n| {
        vec![(0, 1, set(system, n, 1)), (0, 1, set(system, n, 2)), (1, 0, set(system, n, 3))]
    });
    let states = [state(0, 0), state(1, 2), state(0, 3)];
    let steps = states[1..].iter().map(|state| Wanted { edges: None, target: &state.locations });
    let mut numbers = vec![];
    let path = replay::along(&mut system, &mut Actions::new(), steps, |system, leg| {
        numbers.push(leg.number);
        Ok::<_, NoStep>(first(system, leg, &states[leg.number].values))
    });
    let run = Run::from(path.expect("a run"));
    assert_eq!(run.states().cloned().collect::<Vec<_>>(), states);
    let taken: Vec<Edges> = run.steps.iter().map(|step| step.edges.clone()).collect();
    assert_eq!(taken, [edge(1), edge(2)]);
    // The first edge leads to `B` as well, but sets `n` to something else.
    assert_eq!(numbers, [0, 1, 1, 2]);
}

#[test]
fn the_step_that_cannot_be_taken_is_named() {
    let mut system = system(|system, n| vec![(0, 1, set(system, n, 1)), (1, 0, set(system, n, 0))]);
    let mut lost = |steps: Vec<ir::Step>| {
        let run = Run { steps, ..Run::begin(vec![], state(0, 0)) };
        let replayed = replay::run(&mut system, &run, |system, leg, (_, after)| {
            Ok::<_, NoStep>(first(system, leg, &after.values))
        });
        replayed.err()
    };
    assert_eq!(lost(vec![step(0, state(1, 1)), step(1, state(0, 0))]), None);
    // These edges are not possible there; they lead elsewhere; they do something else.
    assert_eq!(lost(vec![step(1, state(1, 1))]), Some(NoStep(1)));
    assert_eq!(lost(vec![step(0, state(1, 1)), step(1, state(1, 0))]), Some(NoStep(2)));
    assert_eq!(lost(vec![step(0, state(1, 2))]), Some(NoStep(1)));
}

#[test]
fn a_cycle_stays_one() {
    let mut system = system(|system, n| vec![(0, 1, set(system, n, 1)), (1, 0, set(system, n, 0))]);
    let around = vec![step(1, state(0, 0)), step(0, state(1, 1))];
    let run = Run {
        steps: vec![step(0, state(1, 1))],
        cycle: Some(Cycle { steps: around, head: None }),
        ..Run::begin(vec![], state(0, 0))
    };
    let replayed = replay::run(&mut system, &run, |system, leg, (_, after)| {
        Ok::<_, NoStep>(first(system, leg, &after.values))
    });
    assert_eq!(replayed, Ok(run));
}

/// `n` is made arbitrary, then something else happens, then it must be 5: so it was 5 all the time. That is known only
/// after the third step, and the last step makes it arbitrary again.
#[test]
fn open_values_are_those_that_later_steps_need() {
    let mut system = system(|system, n| {
        let (value, five) = (system.terms.var(n), system.terms.int(5));
        let is_five = system.terms.eq(value, five);
        let (any, skip, assume) = (system.terms.havoc(n), system.terms.skip(), system.terms.assume(is_five));
        vec![(0, 1, any), (1, 0, skip), (0, 1, assume), (1, 0, any)]
    });
    let edges = [0, 1, 2, 3].map(edge);
    let places = [1, 0, 1, 0].map(|at| [LocationId::at(at)]);
    let steps = edges.iter().zip(&places).map(|(edges, target)| Wanted { edges: Some(edges), target });
    let path = replay::along(&mut system, &mut Actions::new(), steps, |system, leg| {
        Ok::<_, NoStep>(first(system, leg, &[None]))
    });
    let path = path.expect("a run");
    assert_eq!(path.last().values[..], [None]);
    let run = path.closed(&system, state(0, 7));
    let states = [state(0, 0), state(1, 5), state(0, 5), state(1, 5), state(0, 7)];
    assert_eq!(run.states().cloned().collect::<Vec<_>>(), states);
    let decided: Vec<&[Decision]> = run.steps.iter().map(|step| &step.decisions[..]).collect();
    let value = |value| [Decision::Value(Some(Value::int(value)))];
    assert_eq!(decided, [&value(5)[..], &[], &[], &value(7)]);
}
