//! Composition of edges into actions, and the views built on it. Expected texts follow from the rules
//! of urgency, commitment and synchronisation as `action` states them.

extern crate thetis_ir as ir;

use ir::{
    Action, Channel, ChannelId, ChannelKind, Claim, Edge, Id, Location, LocationId, LocationKind, Process,
    ProcessId, Role, Span, State, Sync, System, Term, Type, Value, VarId, Variable, WayBack,
};

/// A network under construction: processes with locations `0`, `1`, … and edges between them.
#[derive(Default)]
struct Net {
    system: System,
}

impl Net {
    fn int(&mut self, name: &str) -> VarId {
        let var = self.system.declare(Type::Int, Variable::state(name, Span::default()));
        let zero = self.system.terms.int(0);
        self.system.initial.push((var, zero));
        var
    }
    fn clock(&mut self, name: &str) -> VarId {
        self.system.declare(Type::Clock, Variable::state(name, Span::default()))
    }
    fn process(&mut self, name: &str, kinds: &[LocationKind]) -> ProcessId {
        let invariant = self.system.terms.bool(true);
        let mut process = Process { name: name.into(), ..Process::default() };
        for (index, kind) in kinds.iter().enumerate() {
            process.locations.push(Location::new(index.to_string(), invariant, *kind));
        }
        process.initial = Some(LocationId::at(0));
        self.system.processes.push(process)
    }
    fn channel(&mut self, name: &str, kind: ChannelKind, urgent: bool) -> ChannelId {
        self.system.channels.push(Channel { name: name.into(), kind, urgent })
    }
    /// An edge from 0 to 1 that adds `add` to `var`.
    fn edge(
        &mut self,
        process: ProcessId,
        guard: Option<Term>,
        sync: Option<(ChannelId, Role)>,
        add: (VarId, i64),
    ) {
        let terms = &mut self.system.terms;
        let always = terms.bool(true);
        let (old, by) = (terms.var(add.0), terms.int(add.1));
        let new = terms.add([old, by]);
        let update = ir::Guarded::safe(terms.assign(add.0, new));
        let body = &mut self.system.processes[process];
        let label = format!("{} {}", body.name, body.edges.len() + 1);
        body.edges.push(Edge {
            source: LocationId::at(0),
            target: LocationId::at(1),
            guard: guard.unwrap_or(always),
            update,
            sync: sync.map(|(channel, role)| Sync { channel, index: None, role }),
            label,
            span: Span::default(),
        });
    }
    fn actions(&mut self) -> Vec<Action> {
        let initial = self.system.initial_locations();
        ir::actions(&mut self.system, &initial)
    }
    /// The actions from the start: the edges, then the statements on one line.
    fn check(&mut self, expected: &[&str]) {
        let actions = self.actions();
        let shown: Vec<String> = actions
            .iter()
            .map(|action| {
                let edges: Vec<_> = action
                    .edges
                    .iter()
                    .map(|(process, edge)| self.system.processes[*process].edges[*edge].label.clone())
                    .collect();
                let stmt = self.system.show_stmt(action.stmt).to_string();
                let stmt: Vec<_> = stmt.lines().map(str::trim).collect();
                format!("{}: {}", edges.join(" + "), stmt.join("; "))
            })
            .collect();
        assert_eq!(shown, expected);
    }
}

const NORMAL: &[LocationKind] = &[LocationKind::Normal, LocationKind::Normal];

#[test]
fn single_edges_interleave() {
    let mut net = Net::default();
    let x = net.int("x");
    for name in ["p", "q"] {
        let process = net.process(name, NORMAL);
        net.edge(process, None, None, (x, 1));
    }
    net.check(&["p 1: x := x + 1", "q 1: x := x + 1"]);
}

#[test]
fn time_passes_only_where_no_location_is_urgent() {
    let mut net = Net::default();
    let x = net.int("x");
    net.clock("c");
    let p = net.process("p", NORMAL);
    net.edge(p, None, None, (x, 1));
    net.check(&["p 1: x := x + 1; delay"]);
    net.system.processes[p].locations[LocationId::at(1)].kind = LocationKind::Urgent;
    net.check(&["p 1: x := x + 1"]);
}

#[test]
fn invariants_hold_on_arrival_and_after_the_delay() {
    let mut net = Net::default();
    let x = net.int("x");
    let c = net.clock("c");
    let p = net.process("p", NORMAL);
    net.edge(p, None, None, (x, 1));
    let (clock, five) = (net.system.terms.var(c), net.system.terms.int(5));
    net.system.processes[p].locations[LocationId::at(1)].invariant = net.system.terms.le(clock, five);
    net.check(&["p 1: x := x + 1; assume c <= 5; delay; assume c <= 5"]);
}

#[test]
fn a_committed_location_must_be_left_first() {
    let mut net = Net::default();
    let x = net.int("x");
    let p = net.process("p", &[LocationKind::Committed, LocationKind::Normal]);
    let q = net.process("q", NORMAL);
    net.edge(p, None, None, (x, 1));
    net.edge(q, None, None, (x, 2));
    net.check(&["p 1: x := x + 1"]);
}

#[test]
fn guards_of_both_partners_come_before_either_update_and_the_emitter_writes_first() {
    let mut net = Net::default();
    let (x, y) = (net.int("x"), net.int("y"));
    let channel = net.channel("go", ChannelKind::Binary, false);
    let receiver = net.process("r", NORMAL);
    let emitter = net.process("e", NORMAL);
    let (value, zero) = (net.system.terms.var(x), net.system.terms.int(0));
    let guard = net.system.terms.eq(value, zero);
    net.edge(receiver, Some(guard), Some((channel, Role::Receive)), (x, 10));
    net.edge(emitter, None, Some((channel, Role::Emit)), (y, 1));
    net.check(&["e 1 + r 1: assume x == 0; y := y + 1; x := x + 10"]);
}

#[test]
fn nobody_emits_alone_on_a_binary_channel() {
    let mut net = Net::default();
    let x = net.int("x");
    let channel = net.channel("go", ChannelKind::Binary, false);
    let p = net.process("p", NORMAL);
    net.edge(p, None, Some((channel, Role::Emit)), (x, 1));
    net.edge(p, None, Some((channel, Role::Receive)), (x, 1));
    net.check(&[]);
}

#[test]
fn a_broadcast_takes_everybody_who_can_receive() {
    let mut net = Net::default();
    let x = net.int("x");
    let channel = net.channel("all", ChannelKind::Broadcast, false);
    let e = net.process("e", NORMAL);
    let free = net.process("f", NORMAL);
    let guarded = net.process("g", NORMAL);
    net.edge(e, None, Some((channel, Role::Emit)), (x, 1));
    net.edge(free, None, Some((channel, Role::Receive)), (x, 2));
    let (value, three) = (net.system.terms.var(x), net.system.terms.int(3));
    let guard = net.system.terms.lt(value, three);
    net.edge(guarded, Some(guard), Some((channel, Role::Receive)), (x, 4));
    net.check(&[
        "e 1 + f 1 + g 1: assume x < 3; x := x + 1; x := x + 2; x := x + 4",
        "e 1 + f 1: assume 3 <= x; x := x + 1; x := x + 2",
    ]);
}

#[test]
fn a_csp_channel_needs_all_its_users() {
    let mut net = Net::default();
    let x = net.int("x");
    let channel = net.channel("together", ChannelKind::Csp, false);
    let p = net.process("p", NORMAL);
    let q = net.process("q", NORMAL);
    net.edge(p, None, Some((channel, Role::Join)), (x, 1));
    net.check(&["p 1: x := x + 1"]);
    net.edge(q, None, Some((channel, Role::Join)), (x, 2));
    net.edge(q, None, Some((channel, Role::Join)), (x, 3));
    net.check(&["p 1 + q 1: x := x + 1; x := x + 2", "p 1 + q 2: x := x + 1; x := x + 3"]);
    let third = net.process("r", NORMAL);
    net.edge(third, None, Some((channel, Role::Join)), (x, 4));
    net.system.processes[third].edges = net.system.processes[third]
        .edges
        .iter()
        .map(|edge| Edge { source: LocationId::at(1), ..edge.clone() })
        .collect();
    net.check(&[]);
}

#[test]
fn time_stands_still_while_an_urgent_channel_can_be_used() {
    let mut net = Net::default();
    let x = net.int("x");
    net.clock("c");
    let channel = net.channel("now", ChannelKind::Binary, true);
    let mover = net.process("m", NORMAL);
    net.edge(mover, None, None, (x, 1));
    let e = net.process("e", NORMAL);
    let r = net.process("r", NORMAL);
    let (value, three) = (net.system.terms.var(x), net.system.terms.int(3));
    let guard = net.system.terms.eq(value, three);
    net.edge(e, Some(guard), Some((channel, Role::Emit)), (x, 1));
    net.edge(r, None, Some((channel, Role::Receive)), (x, 1));
    let actions = net.actions();
    let stmt = net.system.show_stmt(actions[0].stmt).to_string();
    assert_eq!(stmt, "x := x + 1\nif x == 3 {\n    skip\n}\nelse {\n    delay\n}\n");
}

/// A counter to 3 that starts at 0, with a second variable that copies it.
fn counter() -> (System, VarId, VarId) {
    let mut net = Net::default();
    let (x, copy) = (net.int("x"), net.int("copy"));
    let p = net.process("p", &[LocationKind::Urgent]);
    let terms = &mut net.system.terms;
    let (value, three, one) = (terms.var(x), terms.int(3), terms.int(1));
    let guard = terms.lt(value, three);
    let more = terms.add([value, one]);
    let step = terms.assign(x, more);
    let note = terms.assign(copy, value);
    let update = ir::Guarded::safe(terms.seq([step, note]));
    net.system.processes[p].edges.push(Edge {
        source: LocationId::at(0),
        target: LocationId::at(0),
        guard,
        update,
        sync: None,
        label: "count".into(),
        span: Span::default(),
    });
    (net.system, x, copy)
}

/// Values at steps.
struct At(std::collections::BTreeMap<(VarId, u32), Value>);

impl ir::eval::Env for At {
    fn var(&self, var: VarId, step: u32) -> Option<&Value> {
        self.0.get(&(var, step))
    }
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        unreachable!("the monolithic view has no locations")
    }
}

#[test]
fn the_monolithic_view_has_the_steps_of_the_system() {
    let (mut system, x, copy) = counter();
    let (value, three) = (system.terms.var(x), system.terms.int(3));
    let below = system.terms.lt(value, three);
    let target = system.question(Claim::Always(below)).target().expect("about reachability");
    let mut view = ir::Monolithic::new(&system, target);
    let initial = view.initial().unwrap();
    // Nothing is known of the state before a step.
    let anywhere: ir::Frame = initial.to.keys().map(|vector| (*vector, ir::Known::new())).collect();
    let step = view.step(&anywhere).unwrap();
    let bad = view.bad(&anywhere).unwrap();
    let holds = |term: Term, values: &[(VarId, u32, i64)]| {
        let env = At(values.iter().map(|(var, step, value)| ((*var, *step), Value::int(*value))).collect());
        ir::eval::holds(&view.system.terms, &env, term).unwrap()
    };
    let (location, chosen) = (view.location, view.chosen);
    for start in -1..=2 {
        let state = [(x, initial.after.of(x), start), (copy, initial.after.of(copy), 0), (location, 1, 0)];
        assert_eq!(holds(initial.formula, &state), start == 0);
        assert!(!holds(bad, &[(x, 0, start), (copy, 0, 0), (location, 0, 0)]));
    }
    assert!(holds(bad, &[(x, 0, 3), (copy, 0, 0), (location, 0, 0)]));
    for before in 0..=4 {
        for after in 0..=4 {
            let values = [
                (x, 0, before),
                (copy, 0, 7),
                (location, 0, 0),
                (x, step.after.of(x), after),
                (copy, step.after.of(copy), after),
                (location, step.after.of(location), 0),
                (chosen, step.after.of(chosen), 0),
            ];
            assert_eq!(
                holds(step.formula, &values),
                before < 3 && after == before + 1,
                "{before} to {after}"
            );
        }
    }
    // What is known decides what can happen.
    let three = view.system.terms.int(3);
    let stuck = anywhere.keys().map(|vector| (*vector, ir::Known::from([(x, three)]))).collect();
    assert!(view.step(&stuck).unwrap().to.is_empty());
}

#[test]
fn runs_and_invariants_find_their_way_back() {
    let (original, x, copy) = counter();
    // The rewritten system forgets `copy` and counts downwards from 3: y = 3 - x. What stands in its place is 3.
    let mut rewritten = original.clone();
    let mut way_back = WayBack::identity();
    let mut terms = original.clone();
    let (value, three) = (terms.terms.var(x), terms.terms.int(3));
    let was = terms.terms.sub(three, value);
    way_back.set(x, was);
    way_back.set(copy, three);
    let invariant = {
        let (y, zero) = (rewritten.terms.var(x), rewritten.terms.int(0));
        rewritten.terms.ge(y, zero)
    };
    let lifted = way_back.invariant(&rewritten.terms, &mut terms.terms, invariant);
    assert_eq!(terms.show(lifted).to_string(), "-3 <= -1 * x");

    let state = |y: i64| State {
        locations: Box::new([LocationId::at(0)]),
        values: Box::new([Some(Value::int(y)), Some(Value::int(3))]),
    };
    let edges = ir::Edges::from_slice(&[(ProcessId::at(0), ir::EdgeId::at(0))]);
    let step = |y| ir::Step { edges: edges.clone(), decisions: vec![], state: state(y) };
    let run = ir::Run { steps: vec![step(2), step(1)], ..ir::Run::begin(vec![], state(3)) };
    let back = way_back.run(&rewritten, &terms, &run, 10, None).unwrap();
    let values: Vec<_> = back.states().map(|state| state.values.to_vec()).collect();
    let pair = |a, b| vec![Some(Value::int(a)), Some(Value::int(b))];
    assert_eq!(values, [pair(0, 0), pair(1, 1), pair(2, 2)]);
    // The counter stops at 3.
    let too_long = ir::Run { steps: [2, 1, 0, 0].map(step).to_vec(), ..run };
    let wrong = ir::Run { steps: [2, 0].map(step).to_vec(), ..too_long.clone() };
    assert_eq!(way_back.run(&rewritten, &terms, &wrong, 10, None), Err(ir::NoWayBack::Step(2)));
    assert_eq!(way_back.run(&rewritten, &terms, &too_long, 10, None), Err(ir::NoWayBack::Step(4)));
}

#[test]
fn a_step_that_goes_wrong_leads_to_the_fault_location() {
    let mut net = Net::default();
    let (x, which) = (net.int("x"), net.int("which"));
    let p = net.process("p", NORMAL);
    let q = net.process("q", NORMAL);
    let monitor = net.process("monitor", NORMAL);
    net.edge(p, None, None, (x, 1));
    net.edge(q, None, None, (x, 2));
    let (value, zero) = (net.system.terms.var(x), net.system.terms.int(0));
    let wrong = net.system.terms.eq(value, zero);
    let fault = net.system.faults.push(ir::Fault {
        kind: ir::FaultKind::DivisionByZero,
        span: Span::default(),
        limit: None,
    });
    let checked = ir::Checked::from(value).or_fault(&mut net.system.terms, wrong, fault);
    let update =
        ir::Guarded::using(&mut net.system.terms, which, checked, |terms, value| terms.assign(x, value));
    net.system.processes[p].edges[ir::EdgeId::at(0)].update = update;
    net.system.fault = Some(ir::FaultState { process: monitor, location: LocationId::at(1), which });
    net.check(&["p 1: assume !(x == 0); x := x", "p 1: assume x == 0; which := 0", "q 1: x := x + 2"]);
    let targets: Vec<Vec<usize>> =
        net.actions().iter().map(|action| action.target.iter().map(|at| at.index()).collect()).collect();
    assert_eq!(targets, [[1, 0, 0], [0, 0, 1], [0, 1, 0]]);
    let faulty: Vec<LocationId> = [0, 0, 1].map(LocationId::at).into();
    assert_eq!(ir::actions(&mut net.system, &faulty), [], "nothing happens after a fault");
}

/// The condition `deadlock` at the initial locations, as text.
fn deadlock(net: &mut Net) -> String {
    let target = net.system.terms.deadlock();
    let locations = net.system.initial_locations();
    let term = ir::at_locations(&mut net.system, target, &locations).unwrap();
    net.system.show(term).to_string()
}

#[test]
fn deadlock_looks_past_delays_as_far_as_invariants_allow() {
    let mut net = Net::default();
    let x = net.int("x");
    let c = net.clock("c");
    let d = net.clock("d");
    let p = net.process("p", NORMAL);
    let (clock, five, seven) = (net.system.terms.var(c), net.system.terms.int(5), net.system.terms.int(7));
    let guard = net.system.terms.ge(clock, five);
    net.edge(p, Some(guard), None, (x, 1));
    // One can always wait until c >= 5.
    assert_eq!(deadlock(&mut net), "false");
    // Unless the invariant d <= 7 cuts that short: c >= 5 is reached in time iff d - c <= 2.
    let other = net.system.terms.var(d);
    net.system.processes[p].locations[LocationId::at(0)].invariant = net.system.terms.le(other, seven);
    assert_eq!(deadlock(&mut net), "!(d <= 7 && d + -1 * c <= 2)");
    // Where time stands still, only now counts; the invariant of the target must hold on arrival.
    net.system.processes[p].locations[LocationId::at(0)].kind = LocationKind::Urgent;
    assert_eq!(deadlock(&mut net), "c < 5");
    net.system.processes[p].locations[LocationId::at(1)].invariant = net.system.terms.le(other, five);
    assert_eq!(deadlock(&mut net), "c < 5 || 5 < d");
}
