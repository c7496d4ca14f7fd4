//! Deadlocks explained: what stands in the way of every edge that leaves where the processes are.
//!
//! In a deadlock no action is possible, now or after any delay that the invariants allow. So each edge is barred: a part
//! of its guard is false for good, or holds only before or after the time that is left; nobody is ready to synchronise with
//! it; somebody else must go first and cannot; or an invariant forbids to go where it leads. The conditions over clocks
//! of a guard hold for an interval of delays, and the first one that leaves nothing of it is told.

use std::collections::HashSet;
use std::fmt;

use ir::eval::eval;
use ir::interp::Interp;
use ir::{
    Actions, Certificate, ClockAtom, EdgeId, Edges, Id, Joint, LocationKind, Outgoing, ProcessId, Progress,
    Rat, State, System, Term, Value, VarId, clock_atom,
};
use lang::View;

use crate::verdict::At;

/// The most states that are looked at for dead ends, which are worth a remark and no search.
const MOST_LISTED: usize = 100_000;

/// In how many states of a system that a proof about whole runs lists nothing can happen any more; `None` if it lists
/// none, or too many, or that cannot be found out. Where the automaton of the proof has lost interest in a run, nothing is listed, and
/// nothing that happens there could matter.
pub fn dead_ends(system: &System, proof: &Progress) -> Option<usize> {
    let Certificate::ClosedSet(set) = &proof.base else { return None };
    if set.len() > MOST_LISTED {
        return None;
    }
    let mut system = system.clone();
    let mut actions = Actions::new();
    let listed = |system: &System, index: usize| {
        // The automaton and its counters come last.
        let State { locations, values } = set.state(index);
        let locations = locations[..system.processes.len()].into();
        State { locations, values: values[..system.state_vars().count()].into() }
    };
    for index in 0..set.len() {
        let vector = actions.vector(&listed(&system, index).locations);
        actions.of(&mut system, vector);
    }
    let mut interp = Interp::new(&system, None);
    let mut dead = HashSet::new();
    for index in 0..set.len() {
        let state = listed(&system, index);
        let mut possible = false;
        for action in actions.known(&state.locations)? {
            let mut first = |_| {
                possible = true;
                false
            };
            interp.successors(action.stmt, &state, &mut first).ok()?;
            if possible {
                break;
            }
        }
        if !possible {
            dead.insert(state);
        }
    }
    Some(dead.len())
}

/// Why nothing can happen in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// Every process that the user wrote.
    pub processes: Vec<Stopped>,
    /// The process and the location whose invariant ends the time that is left, and how much is left; nothing if time may
    /// pass for ever.
    pub time: Option<Left>,
}

/// A process that cannot move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// What the user calls it.
    pub process: String,
    /// Where it is.
    pub location: String,
    /// The edges that leave there.
    pub edges: Vec<(String, Bar)>,
}

/// How much time is left, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// How much.
    pub amount: Rat,
    /// Whether only less than that can pass.
    pub strict: bool,
    /// The process whose location does not let more pass.
    pub process: String,
    /// That location.
    pub location: String,
}

/// What stands in the way of an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bar {
    /// This part of its guard, or of the guard of this partner, is false.
    Guard(String, Option<String>),
    /// This part holds only at other times than those that are left.
    Time(String, Option<String>),
    /// Nobody is ready to synchronise over this channel.
    Partner(String),
    /// Somebody is in a committed location, and it leaves none.
    Committed,
    /// The invariant of this location does not hold afterwards.
    Target(String),
}

impl Bar {
    /// The same for an edge of this process, which is no partner of its own.
    fn seen_by(&self, process: &str) -> Bar {
        let other = |partner: &Option<String>| partner.clone().filter(|name| name != process);
        match self {
            Bar::Guard(part, partner) => Bar::Guard(part.clone(), other(partner)),
            Bar::Time(part, partner) => Bar::Time(part.clone(), other(partner)),
            same => same.clone(),
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |partner: &Option<String>| {
            partner.as_ref().map_or_else(String::new, |partner| format!(" of its partner {partner}"))
        };
        match self {
            Bar::Guard(part, partner) => write!(f, "`{part}`{} is false", of(partner)),
            Bar::Time(part, partner) => {
                write!(f, "`{part}`{} does not hold in the time that is left", of(partner))
            }
            Bar::Partner(channel) => write!(f, "nobody is ready for `{channel}`"),
            Bar::Committed => f.write_str("another process is in a committed location"),
            Bar::Target(location) => write!(f, "the invariant of `{location}` does not hold afterwards"),
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Left { amount, strict, process, location } = self;
        write!(
            f,
            "{} can pass: `{process}` must leave `{location}`",
            match amount.is_zero() {
                true => "no time".to_owned(),
                false => format!("{} {amount} time units", if *strict { "less than" } else { "at most" }),
            }
        )
    }
}

/// Why nothing can happen in a state, if that is so.
pub fn explain(system: &System, view: &View, state: &State) -> Option<Deadlock> {
    let mut system = system.clone();
    let outgoing = Outgoing::new(&mut system);
    let joints = ir::joints(&mut system, &outgoing, &state.locations);
    let still = still(&system, state);
    let left = left(&mut system, state, &still);
    let mut scene = Scene { system, view, state, still, left };
    let barred: Option<Vec<(Edges, Bar)>> =
        joints.iter().map(|joint| Some((joint.edges.clone(), scene.bar(joint)?))).collect();
    let barred = barred?;
    let processes: Vec<ProcessId> = scene.system.processes.ids().collect();
    let shown = processes.into_iter().filter(|process| scene.system.processes[*process].shown);
    let processes = shown.map(|process| scene.stopped(process, &barred)).collect();
    Some(Deadlock { processes, time: scene.left })
}

/// A state whose edges are looked at.
struct Scene<'a> {
    system: System,
    view: &'a View,
    state: &'a State,
    /// The clocks that stand still.
    still: Vec<VarId>,
    left: Option<Left>,
}

impl Scene<'_> {
    fn stopped(&self, process: ProcessId, barred: &[(Edges, Bar)]) -> Stopped {
        let body = &self.system.processes[process];
        let at = self.state.locations[process.index()];
        let leaving = body.edges.entries().filter(|(id, edge)| {
            let only_goes_wrong = self.system.terms.is_block(edge.update.stmt);
            let evaluates = body.locations[at].undefined.is_some_and(|undefined| undefined.edge == *id);
            edge.source == at && !only_goes_wrong && !evaluates
        });
        let edges = leaving.map(|(id, _)| {
            let own = barred.iter().find(|(edges, _)| edges.contains(&(process, id)));
            let bar = own.map_or_else(|| self.alone(process, id), |(_, bar)| bar.seen_by(&body.name));
            (self.view.title(&self.system, (process, id)), bar)
        });
        let (edges, location) = (edges.collect(), body.locations[at].name.clone());
        Stopped { process: body.name.clone(), location, edges }
    }
    /// What stands in the way of an edge that can move with nobody.
    fn alone(&self, process: ProcessId, edge: EdgeId) -> Bar {
        let edge = &self.system.processes[process].edges[edge];
        let parts = conjuncts(&self.system, edge.guard);
        let wrong = parts.into_iter().find(|part| !self.system.terms.has_clock(*part) && !self.holds(*part));
        match (wrong, edge.sync) {
            (Some(part), _) => Bar::Guard(self.shown(part), None),
            (None, Some(sync)) if !self.is_committed() || self.is_committed_at(process) => {
                Bar::Partner(self.system.channels[sync.channel].name.clone())
            }
            _ => Bar::Committed,
        }
    }
    fn is_committed(&self) -> bool {
        self.system.processes.ids().any(|process| self.is_committed_at(process))
    }
    fn is_committed_at(&self, process: ProcessId) -> bool {
        let at = self.state.locations[process.index()];
        self.system.processes[process].locations[at].kind == LocationKind::Committed
    }
    /// What stands in the way of edges that could move together; nothing if they can.
    fn bar(&mut self, joint: &Joint) -> Option<Bar> {
        let mut parts = vec![];
        for (process, edge) in &joint.edges {
            let body = &self.system.processes[*process];
            let (guard, partner) = (body.edges[*edge].guard, Some(body.name.clone()));
            parts.extend(conjuncts(&self.system, guard).into_iter().map(|part| (part, partner.clone())));
        }
        parts.extend(conjuncts(&self.system, joint.condition).into_iter().map(|part| (part, None)));
        let (timed, data): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(part, _)| self.system.terms.has_clock(*part));
        if let Some((part, partner)) = data.into_iter().find(|(part, _)| !self.holds(*part)) {
            return Some(Bar::Guard(self.shown(part), partner));
        }
        let to = self.left.as_ref().map(|left| (left.amount.clone(), left.strict));
        let mut window = Window { from: (Rat::ZERO, false), to };
        for (part, partner) in timed {
            let Some(atoms) = clock_atom(&mut self.system.terms, part) else {
                // A condition that is no interval of delays is looked at now only.
                if self.holds(part) {
                    continue;
                }
                return Some(Bar::Time(self.shown(part), partner));
            };
            for atom in atoms {
                window.narrow(&self.system, self.state, &atom, &self.still);
            }
            if window.is_empty() {
                return Some(Bar::Time(self.shown(part), partner));
            }
        }
        self.target(joint, &window)
    }
    /// The location whose invariant does not hold after a step, if there is one.
    fn target(&mut self, joint: &Joint, window: &Window) -> Option<Bar> {
        let (mut before, delay) = (self.state.clone(), window.delay());
        for (var, value) in self.system.state_vars().zip(&mut before.values) {
            if let (ir::Type::Clock, Some(Value::Rat(now))) = (self.system.terms.var_type(var), &value)
                && !self.still.contains(&var)
            {
                *value = Some(Value::rat(&**now + &delay));
            }
        }
        let step = ir::step(&mut self.system, joint);
        let mut after = None;
        let mut interp = Interp::new(&self.system, None);
        let _ = interp.successors(step.stmt, &before, &mut |outcome| {
            after = Some(outcome.values);
            false
        });
        let locations = joint.target(&self.system, &self.state.locations);
        let after = State { locations, values: after? };
        let at = At { system: &self.system, state: &after };
        let mut places = self.system.processes.iter().zip(&after.locations);
        let (process, location) = places.find(|(process, location)| {
            let invariant = process.locations[**location].invariant;
            !matches!(eval(&self.system.terms, &at, invariant).as_deref(), Ok(Value::Bool(true)))
        })?;
        Some(Bar::Target(format!("{}.{}", process.name, process.locations[*location].name)))
    }
    fn holds(&self, condition: Term) -> bool {
        let at = At { system: &self.system, state: self.state };
        matches!(eval(&self.system.terms, &at, condition).as_deref(), Ok(Value::Bool(true)))
    }
    fn shown(&self, condition: Term) -> String {
        self.system.show(condition).to_string()
    }
}

/// The delays that are possible; each bound says whether it is left out.
struct Window {
    from: (Rat, bool),
    /// `None` if there is no longest.
    to: Option<(Rat, bool)>,
}

impl Window {
    /// Leaves only the delays after which an atom holds.
    fn narrow(&mut self, system: &System, state: &State, atom: &ClockAtom, still: &[VarId]) {
        let Some(slack) = slack(system, state, atom) else { return };
        match (runs(atom.plus, still), runs(atom.minus, still)) {
            (true, false) => self.at_most((slack, atom.strict)),
            (false, true) => {
                self.from = std::cmp::max(self.from.clone(), (&Rat::ZERO - &slack, atom.strict));
            }
            // A difference stays what it is, and so does a clock that stands still.
            _ if slack.is_negative() || atom.strict && slack.is_zero() => self.at_most((Rat::ZERO, true)),
            _ => {}
        }
    }
    fn at_most(&mut self, (to, strict): (Rat, bool)) {
        let closer = self.to.as_ref().is_none_or(|known| (&to, !strict) < (&known.0, !known.1));
        if closer {
            self.to = Some((to, strict));
        }
    }
    fn is_empty(&self) -> bool {
        let (from, open) = &self.from;
        self.to.as_ref().is_some_and(|(to, strict)| to < from || to == from && (*open || *strict))
    }
    /// One of the delays, the shortest if there is one.
    fn delay(&self) -> Rat {
        match (&self.from, &self.to) {
            ((from, false), _) => from.clone(),
            ((from, true), None) => from + &Rat::from(1),
            ((from, true), Some((to, _))) => (from + to).div(&Rat::from(2)).unwrap_or(Rat::ZERO),
        }
    }
}

/// How far an atom is from being false: its bound less the clocks it compares.
fn slack(system: &System, state: &State, atom: &ClockAtom) -> Option<Rat> {
    let at = At { system, state };
    let number = |value: &Value| match value {
        Value::Int(value) => Some(Rat::from(value.to_i64()?)),
        Value::Rat(value) => Some((**value).clone()),
        _ => None,
    };
    let bound = number(&*eval(&system.terms, &at, atom.bound).ok()?)?;
    let clock = |clock: Option<VarId>| match clock {
        None => Some(Rat::ZERO),
        Some(clock) => {
            let slot = system.state_vars().position(|var| var == clock)?;
            number(state.values[slot].as_ref()?)
        }
    };
    let (plus, minus) = (clock(atom.plus)?, clock(atom.minus)?);
    Some(&(&bound - &plus) + &minus)
}

/// The clocks that stand still in a state.
fn still(system: &System, state: &State) -> Vec<VarId> {
    let at = At { system, state };
    let here = system.processes.iter().zip(&state.locations).map(|(process, at)| &process.locations[*at]);
    let holds = |when| matches!(eval(&system.terms, &at, when).as_deref(), Ok(Value::Bool(true)));
    let stopped = here.flat_map(|location| &location.stopped).filter(|stopped| holds(stopped.when));
    stopped.map(|stopped| stopped.clock).collect()
}

/// Whether a clock grows with time.
fn runs(clock: Option<VarId>, still: &[VarId]) -> bool {
    clock.is_some_and(|clock| !still.contains(&clock))
}

/// How much time is left at the locations of a state, and why.
fn left(system: &mut System, state: &State, still: &[VarId]) -> Option<Left> {
    let mut least: Option<Left> = None;
    for process in system.processes.ids().collect::<Vec<_>>() {
        let body = &system.processes[process];
        let location = &body.locations[state.locations[process.index()]];
        let (name, place, kind) = (body.name.clone(), location.name.clone(), location.kind);
        let mut amounts = vec![];
        if kind != LocationKind::Normal {
            amounts.push((Rat::ZERO, false));
        }
        for part in conjuncts(system, location.invariant) {
            for atom in clock_atom(&mut system.terms, part).into_iter().flatten() {
                if runs(atom.plus, still) && !runs(atom.minus, still) {
                    amounts.extend(slack(system, state, &atom).map(|slack| (slack, atom.strict)));
                }
            }
        }
        for (amount, strict) in amounts {
            if least.as_ref().is_none_or(|known| (&amount, !strict) < (&known.amount, !known.strict)) {
                least = Some(Left { amount, strict, process: name.clone(), location: place.clone() });
            }
        }
    }
    least
}

/// The parts of a conjunction.
fn conjuncts(system: &System, condition: Term) -> Vec<Term> {
    match system.terms.node(condition) {
        ir::Node::And(parts) => parts.to_vec(),
        ir::Node::Const(Value::Bool(true)) => vec![],
        _ => vec![condition],
    }
}
