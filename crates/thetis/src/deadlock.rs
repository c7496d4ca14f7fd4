//! Deadlocks explained: what stands in the way of every edge that leaves where the processes are.
//!
//! In a deadlock no action is possible, now or after any delay that the invariants allow. So each edge is barred: a part
//! of its guard is false for good, or holds only before or after the time that is left; nobody is ready to synchronise with
//! it; somebody else must go first and cannot; or an invariant forbids to go where it leads. The conditions over clocks
//! of a guard hold for an interval of delays, and the first one that leaves nothing of it is told.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use ir::eval::eval;
use ir::interp::Interp;
use ir::{
    Actions, Certificate, ClockAtom, EdgeId, Edges, Id, Joint, LocationKind, Outgoing, ProcessId, Progress,
    Rat, Span, State, System, Term, Value, VarId, clock_atom,
};
use lang::Labels;

use crate::load::Model;
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
    // Of a state in several pairs, it is enough to look at one.
    let pairs = set.pairs();
    let (set, numbers) = match &pairs {
        Some(pairs) => {
            let states: BTreeSet<u32> = pairs.list.iter().map(|(state, _)| *state).collect();
            (&*pairs.base, states.into_iter().map(|state| state as usize).collect())
        }
        None => (&**set, (0..set.len()).collect::<Vec<usize>>()),
    };
    let mut system = system.clone();
    let mut actions = Actions::new();
    let listed = |system: &System, index: usize| {
        // The automaton and its counters come last.
        let State { locations, values } = set.state(index);
        let locations = locations[..system.processes.len()].into();
        State { locations, values: values[..system.state_vars().count()].into() }
    };
    for &index in &numbers {
        let vector = actions.vector(&listed(&system, index).locations);
        actions.of(&mut system, vector);
    }
    let mut interp = Interp::new(&system, None);
    let mut dead = HashSet::new();
    for index in numbers {
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
    /// The edges that leave there, as the user wrote them.
    pub edges: Vec<Barred>,
}

/// An edge that cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barred {
    /// What it is called.
    pub title: String,
    /// The names that a value is chosen for.
    pub selected: Vec<String>,
    /// What stands in its way, and for how many of the ways to choose these values.
    pub bars: Vec<(Bar, u64)>,
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
    /// At no time that is left all that it takes comes together.
    Never,
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
            Bar::Never => f.write_str("at no time that is left all that it takes comes together"),
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

/// The condition over clocks that nothing can happen any more, at the locations and with the data of a state.
pub(crate) struct Doom {
    system: System,
    deadlock: Term,
}

impl Doom {
    /// The condition for a state and those that it becomes as time passes; `None` if it cannot be told without quantifiers.
    pub(crate) fn of(system: &System, state: &State) -> Option<Doom> {
        let mut system = system.clone();
        let deadlock = system.terms.deadlock();
        let deadlock = ir::at_state(&mut system, deadlock, state).ok()?;
        Some(Doom { system, deadlock })
    }
    /// Whether nothing can happen in such a state, now or later.
    pub(crate) fn is_at(&self, state: &State) -> bool {
        holds(&self.system, state, self.deadlock)
    }
}

/// Why nothing can happen in a state of a model, if that is so; `system` is what its question was asked of.
pub fn explain(model: &Model, system: &System, state: &State) -> Option<Deadlock> {
    if !Doom::of(system, state)?.is_at(state) {
        return None;
    }
    let mut system = system.clone();
    let outgoing = Outgoing::new(&mut system);
    let mut joints = ir::joints(&mut system, &outgoing, &state.locations);
    joints.retain(|joint| !joint.edges.iter().any(|edge| only_goes_wrong(&system, state, *edge)));
    let still = still(&system, state);
    let left = left(&mut system, state, &still);
    let mut scene = Scene { model, system, state, still, left };
    let barred: Vec<(Edges, Bar)> =
        joints.iter().map(|joint| (joint.edges.clone(), scene.bar(joint))).collect();
    let processes: Vec<ProcessId> = scene.system.processes.ids().collect();
    let shown = processes.into_iter().filter(|process| scene.system.processes[*process].shown);
    let processes = shown.map(|process| scene.stopped(process, &barred)).collect();
    Some(Deadlock { processes, time: scene.left })
}

/// Whether an edge is there for what goes wrong, and not written by the user.
fn only_goes_wrong(system: &System, state: &State, (process, edge): (ProcessId, EdgeId)) -> bool {
    let body = &system.processes[process];
    let at = &body.locations[state.locations[process.index()]];
    system.terms.is_block(body.edges[edge].update.stmt)
        || at.undefined.as_ref().is_some_and(|undefined| undefined.edge == edge)
}

/// A state whose edges are looked at.
struct Scene<'a> {
    model: &'a Model,
    system: System,
    state: &'a State,
    /// The clocks that stand still.
    still: Vec<VarId>,
    left: Option<Left>,
}

/// A part of what must hold for a step, as it is told, and the process whose guard it belongs to.
type Part = (Term, String, Option<String>);

/// So many characters of a condition are shown.
const LONGEST_SHOWN: usize = 80;

impl Scene<'_> {
    /// Why a process does not move, by the edges that the user wrote, in their order.
    fn stopped(&self, process: ProcessId, barred: &[(Edges, Bar)]) -> Stopped {
        let body = &self.system.processes[process];
        let at = self.state.locations[process.index()];
        let view = self.model.view();
        let mut listing = Listing::default();
        for (id, edge) in body.edges.entries() {
            if edge.source != at || only_goes_wrong(&self.system, self.state, (process, id)) {
                continue;
            }
            let own = barred.iter().find(|(edges, _)| edges.contains(&(process, id)));
            let bar = own.map_or_else(|| self.alone(process, id), |(_, bar)| bar.seen_by(&body.name));
            let labels = view.labels.get(&(process, id)).cloned().unwrap_or_default();
            let title = match labels.selected.is_empty() {
                true => view.title(&self.system, (process, id)),
                false => labels.title.clone(),
            };
            listing.add(Labels { title, ..labels }, bar, 1);
        }
        for labels in view.impossible.get(&(process, at)).into_iter().flatten() {
            let others = labels.choices.saturating_sub(listing.count(labels));
            listing.add(labels.clone(), self.never(labels), others);
        }
        let (location, edges) = (body.locations[at].name.clone(), listing.finish());
        Stopped { process: body.name.clone(), location, edges }
    }
    /// What stands in the way of an edge whose guard never holds.
    fn never(&self, labels: &Labels) -> Bar {
        let wrong = labels.conjuncts.iter().find(|(_, part)| !self.holds(*part));
        let whole = || self.written(&labels.guard);
        Bar::Guard(wrong.map_or_else(whole, |(place, _)| self.written(&[*place])), None)
    }
    /// What stands in the way of an edge that can move with nobody.
    fn alone(&self, process: ProcessId, edge: EdgeId) -> Bar {
        let parts = self.parts(process, edge);
        let wrong =
            parts.into_iter().find(|(part, ..)| !self.system.terms.has_clock(*part) && !self.holds(*part));
        match (wrong, self.system.processes[process].edges[edge].sync) {
            (Some((_, part, _)), _) => Bar::Guard(part, None),
            (None, Some(_)) if !self.is_committed() || self.is_committed_at(process) => {
                self.partner(&[(process, edge)])
            }
            _ => Bar::Committed,
        }
    }
    /// That nobody is ready for what one of these edges synchronises over.
    fn partner(&self, edges: &[(ProcessId, EdgeId)]) -> Bar {
        let channel = edges.iter().find_map(|edge| {
            let labels = self.model.view().labels.get(edge);
            let written = labels.and_then(|labels| labels.synchronisation);
            let sync = self.system.processes[edge.0].edges[edge.1].sync?;
            let name = || self.system.channels[sync.channel].name.clone();
            Some(written.map_or_else(name, |(place, _)| self.written(&[place])))
        });
        channel.map_or(Bar::Never, Bar::Partner)
    }
    /// The parts of the guard of an edge: as the user wrote them if that is known, and then what is left of it.
    fn parts(&self, process: ProcessId, edge: EdgeId) -> Vec<Part> {
        let body = &self.system.processes[process];
        let owner = Some(body.name.clone());
        let labels = self.model.view().labels.get(&(process, edge));
        let mut parts = vec![];
        for (place, part) in labels.into_iter().flat_map(|labels| &labels.conjuncts) {
            let written = self.written(&[*place]);
            parts.extend(
                conjuncts(&self.system, *part).into_iter().map(|it| (it, written.clone(), owner.clone())),
            );
        }
        let whole =
            labels.filter(|labels| !labels.guard.is_empty()).map(|labels| self.written(&labels.guard));
        let rest = conjuncts(&self.system, body.edges[edge].guard).into_iter();
        parts.extend(rest.map(|it| (it, whole.clone().unwrap_or_else(|| self.shown(it)), owner.clone())));
        parts
    }
    fn is_committed(&self) -> bool {
        self.system.processes.ids().any(|process| self.is_committed_at(process))
    }
    fn is_committed_at(&self, process: ProcessId) -> bool {
        let at = self.state.locations[process.index()];
        self.system.processes[process].locations[at].kind == LocationKind::Committed
    }
    /// What stands in the way of edges that could move together.
    fn bar(&mut self, joint: &Joint) -> Bar {
        let parts: Vec<Part> =
            joint.edges.iter().flat_map(|(process, edge)| self.parts(*process, *edge)).collect();
        let (mut timed, data): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(part, ..)| self.system.terms.has_clock(*part));
        if let Some((_, part, partner)) = data.into_iter().find(|(part, ..)| !self.holds(*part)) {
            return Bar::Guard(part, partner);
        }
        for part in conjuncts(&self.system, joint.condition) {
            match self.system.terms.has_clock(part) {
                true => timed.push((part, self.shown(part), None)),
                false if self.holds(part) => {}
                false => return self.partner(&joint.edges),
            }
        }
        let to = self.left.as_ref().map(|left| (left.amount.clone(), left.strict));
        let mut window = Window { from: (Rat::ZERO, false), to };
        for (part, shown, partner) in timed {
            let Some(atoms) = clock_atom(&mut self.system.terms, part) else {
                // A condition that is no interval of delays is looked at now only.
                if self.holds(part) {
                    continue;
                }
                return Bar::Time(shown, partner);
            };
            for atom in atoms {
                window.narrow(&self.system, self.state, &atom, &self.still);
            }
            if window.is_empty() {
                return Bar::Time(shown, partner);
            }
        }
        self.target(joint, &window).unwrap_or(Bar::Never)
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
        let mut places = self.system.processes.iter().zip(&after.locations);
        let (process, location) = places.find(|(process, location)| {
            let invariant = process.locations[**location].invariant;
            !holds(&self.system, &after, invariant)
        })?;
        Some(Bar::Target(format!("{}.{}", process.name, process.locations[*location].name)))
    }
    fn holds(&self, condition: Term) -> bool {
        holds(&self.system, self.state, condition)
    }
    /// A condition that the user did not write.
    fn shown(&self, condition: Term) -> String {
        cut(self.system.show(condition).to_string())
    }
    /// Conditions as the user wrote them.
    fn written(&self, places: &[Span]) -> String {
        let text = &self.model.sources.main().text;
        let written: Vec<String> = places.iter().map(|place| lang::xta::written(text, *place)).collect();
        cut(written.join(", "))
    }
}

/// Edges as the user wrote them, by their number: those that differ only in what is chosen are one.
#[derive(Default)]
struct Listing(Vec<(usize, Barred)>);

impl Listing {
    /// The edge with these labels, if a value is chosen for some name, and it is listed.
    fn find(&mut self, labels: &Labels) -> Option<&mut Barred> {
        let same = |(number, edge): &&mut (usize, Barred)| {
            *number == labels.number && !edge.selected.is_empty() && edge.selected == labels.selected
        };
        self.0.iter_mut().find(same).map(|(_, edge)| edge)
    }
    /// For how many choices an edge is listed.
    fn count(&mut self, labels: &Labels) -> u64 {
        self.find(labels).map_or(0, |edge| edge.bars.iter().map(|(_, count)| count).sum())
    }
    /// Lists what stands in the way of an edge for so many choices.
    fn add(&mut self, labels: Labels, bar: Bar, count: u64) {
        let Some(edge) = self.find(&labels) else {
            let Labels { number, title, selected, .. } = labels;
            self.0.push((number, Barred { title, selected, bars: vec![(bar, count)] }));
            return;
        };
        match edge.bars.iter_mut().find(|(known, _)| *known == bar) {
            Some((_, known)) => *known += count,
            None if count > 0 => edge.bars.push((bar, count)),
            None => {}
        }
    }
    fn finish(mut self) -> Vec<Barred> {
        self.0.sort_by_key(|(number, _)| *number);
        self.0.into_iter().map(|(_, edge)| edge).collect()
    }
}

/// A text that is not too long.
fn cut(text: String) -> String {
    match text.chars().count() > LONGEST_SHOWN {
        true => text.chars().take(LONGEST_SHOWN).chain(['…']).collect(),
        false => text,
    }
}

fn holds(system: &System, state: &State, condition: Term) -> bool {
    matches!(eval(&system.terms, &At { system, state }, condition).as_deref(), Ok(Value::Bool(true)))
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
    let here = system.processes.iter().zip(&state.locations).map(|(process, at)| &process.locations[*at]);
    let stopped = here.flat_map(|location| &location.stopped);
    let stopped = stopped.filter(|stopped| holds(system, state, stopped.when));
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
