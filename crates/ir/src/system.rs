//! The waist: every front-end lowers to a [`System`], every engine reads one.
//!
//! A system is a network of processes with locations and edges over shared variables and clocks. What
//! is declarative stays declarative (invariants, urgency, synchronisation), because reductions need
//! it; [`crate::actions`] is the one place that composes edges into steps.
//!
//! A *state* is a location for each process and a value for each variable of [`Scope::State`].
//! Properties look only at states whose locations are all `observed`.

use std::sync::Arc;

use crate::automaton::Automaton;
use crate::fault::Guarded;
use crate::id::{Id, IdVec};
use crate::ltl::Formula;
use crate::monitor::Monitor;
use crate::number::Int;
use crate::priority::Priorities;
use crate::response::Response;
use crate::stmt::Stmt;
use crate::term::{Term, Terms, VarId};
use crate::value::{Type, Types, Value};

crate::id!(
    /// A process of a system.
    ProcessId
);
crate::id!(
    /// A location of one process.
    LocationId
);
crate::id!(
    /// An edge of one process.
    EdgeId
);
crate::id!(
    /// A channel.
    ChannelId
);
crate::id!(
    /// A place where a step can go wrong.
    FaultId
);
crate::id!(
    /// A claim about runs.
    PathId
);

/// One of the files of a model; the one that was named is the first.
#[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u16);

/// A piece of the user's text, as byte offsets; empty for what has no text of its own.
#[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file it is in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// First byte after it.
    pub end: u32,
}

impl Span {
    /// The text of the first file from `start` to just before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { file: FileId::default(), start: start as u32, end: end as u32 }
    }
    /// The same bytes of another file.
    pub fn in_file(self, file: FileId) -> Self {
        Span { file, ..self }
    }
    /// From the start of `self` to the end of `other`, which is in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end, ..self }
    }
}

/// A network of processes over shared variables.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Types, variables, terms and statements.
    pub terms: Terms,
    /// What is known of each variable.
    pub vars: IdVec<VarId, Variable>,
    /// Initial values, evaluated in order; a variable that is not listed starts arbitrary, a clock
    /// at 0.
    pub initial: Vec<(VarId, Term)>,
    /// The processes.
    pub processes: IdVec<ProcessId, Process>,
    /// The channels edges synchronise over.
    pub channels: IdVec<ChannelId, Channel>,
    /// Which actions go before others, if any do.
    pub priorities: Option<Priorities>,
    /// The ways a step can go wrong; [`System::fault`] says how states show them.
    pub faults: IdVec<FaultId, Fault>,
    /// Where faults show, if there can be any.
    pub fault: Option<FaultState>,
    /// What happens to data when time passes, if [`crate::spell_out`] has said it; then no statement has a
    /// [`crate::StmtNode::Delay`].
    pub delay: Option<Stmt>,
    /// The clock that tells the time since the start, if a question about the first so many units of time has added one
    /// ([`crate::within`]). Nothing resets it, and the user did not write it.
    pub elapsed: Option<VarId>,
    /// The hidden local variables that say whether conditions over clocks hold ([`System::assign_by_cases`]). The user
    /// did not write them, and every assignment may use them.
    pub cases: Vec<VarId>,
    /// What claims say about whole runs.
    pub paths: IdVec<PathId, PathClaim>,
    /// What becomes of runs that get stuck, as far as such claims are concerned.
    pub stuck: Stuck,
    /// Whether infinite runs that take a bounded time count for them.
    pub zeno: Zeno,
    /// The process that reads the others, if this is a product ([`crate::monitor`]).
    pub monitor: Option<Monitor>,
    /// Whether it is a program: its locations are the points between statements, and it pays to look at whole blocks of
    /// them ([`crate::blocks`]).
    pub program: bool,
}

/// What is claimed of every run, of the word of the states that are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathClaim {
    /// Which words runs may have, over numbered atoms.
    pub words: PathWords,
    /// What the atoms stand for.
    pub atoms: Vec<Term>,
    /// Where evaluating an atom goes wrong.
    pub undefined: Term,
}

/// Which words the runs of a system may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathWords {
    /// Those that satisfy a formula.
    Satisfy(Formula),
    /// Those that an automaton does not accept.
    Avoid(Arc<Automaton>),
    /// Those that answer in time.
    Respond(Response),
}

/// What becomes of a run that gets stuck. Whatever is chosen, a run violates a formula if its states so far do, however
/// they might go on.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum Stuck {
    /// It does not count.
    #[default]
    Ignored,
    /// It repeats its last state for ever.
    Repeat,
    /// It repeats its last state for ever, and so does one that lets time pass for ever where nothing has to happen
    /// ([`crate::idle`]): the maximal runs of timed automata.
    Idle,
}

/// Which infinite runs count, as far as claims about whole runs are concerned.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum Zeno {
    /// All of them.
    #[default]
    Allowed,
    /// Those in which time diverges: infinitely many steps do not happen within a bounded time.
    Forbidden,
}

/// How the state of a system tells that a fault has happened.
///
/// A faulting step leads to `location` of `process`, leaves the number of the fault in `which` and
/// all other processes where they are; nothing happens after it.
/// One location with a number, rather than a location for each place, keeps the lowered system
/// linear in the model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FaultState {
    /// The process that shows it: the only one of a system, or one made for that.
    pub process: ProcessId,
    /// Its fault location; no edge leads there or away, and it is never observed.
    pub location: LocationId,
    /// The variable that holds the [`FaultId`].
    pub which: VarId,
}

/// A variable with what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name the user gave it.
    pub name: String,
    /// Whether it is part of a state.
    pub scope: Scope,
    /// Least and greatest value, for integers that have them.
    pub range: Option<(Int, Int)>,
    /// Whether the user marked it as control.
    pub control: bool,
    /// Whether the user wrote it; others are hidden in what is shown.
    pub shown: bool,
    /// Where it is declared.
    pub span: Span,
}

/// Whether a variable lives between steps.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// Part of every state.
    State,
    /// Lives within one step only.
    Local,
}

/// One automaton.
#[derive(Clone, Debug)]
pub struct Process {
    /// The name the user gave it.
    pub name: String,
    /// Whether the user wrote it; others are hidden in what is shown.
    pub shown: bool,
    /// Its locations.
    pub locations: IdVec<LocationId, Location>,
    /// Its edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// Where it starts.
    pub initial: Option<LocationId>,
    /// The template and the arguments it was made from, for families of alike processes.
    pub family: Option<(String, Vec<Int>)>,
}

/// A control point of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The name the user gave it.
    pub name: String,
    /// Holds whenever the process is here; convex in the clocks. False where evaluating it goes wrong.
    pub invariant: Term,
    /// How evaluating the invariant goes wrong, if it can.
    pub undefined: Option<Undefined>,
    /// What it does to time and to other processes.
    pub kind: LocationKind,
    /// The clocks that stand still here.
    pub stopped: Vec<Stopped>,
    /// Whether properties look at states here.
    pub observed: bool,
    /// Whether claims about runs read states here, if properties look at them at all.
    pub read: bool,
    /// Whether a step of the user's may end here; elsewhere the system is in the middle of one, and properties
    /// that are about stable states only do not look.
    pub stable: bool,
}

/// A clock that stands still at a location.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The clock.
    pub clock: VarId,
    /// Where it does; a condition on data.
    pub when: Term,
    /// A rational local variable that has its value meanwhile.
    pub kept: VarId,
}

/// How evaluating an invariant goes wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// Where it does.
    pub condition: Term,
    /// An edge from the location that does nothing but go wrong there; committed locations elsewhere
    /// do not hold it back.
    pub edge: EdgeId,
}

/// What a location does to time and to other processes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum LocationKind {
    /// Time may pass.
    Normal,
    /// Time stands still.
    Urgent,
    /// Time stands still, and the next step leaves a committed location.
    Committed,
}

/// A step of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// From here,
    pub source: LocationId,
    /// to here,
    pub target: LocationId,
    /// where this holds; evaluated before any update of the step.
    pub guard: Term,
    /// What it does, and how that can go wrong; a step that goes wrong leads to the fault location.
    pub update: Guarded,
    /// With whom.
    pub sync: Option<Sync>,
    /// How the user knows it, for example `trans 2`.
    pub label: String,
    /// Where it is written.
    pub span: Span,
}

/// The synchronisation of an edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sync {
    /// The channel or array of channels.
    pub channel: ChannelId,
    /// Which one of the array; partners agree on it.
    pub index: Option<Term>,
    /// On which side.
    pub role: Role,
}

/// The side of a synchronisation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// `c!`
    Emit,
    /// `c?`
    Receive,
    /// `c` of CSP kind: all who know the channel move together.
    Join,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The name the user gave it.
    pub name: String,
    /// Who takes part.
    pub kind: ChannelKind,
    /// Whether time stands still while it could be used.
    pub urgent: bool,
}

/// Who takes part in a synchronisation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChannelKind {
    /// One emitter and one receiver.
    Binary,
    /// One emitter and every process that can receive.
    Broadcast,
    /// Every process that uses the channel.
    Csp,
}

/// A place where a step can go wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// Where.
    pub span: Span,
    /// What leaves which range, if it is a matter of one.
    pub limit: Option<(Term, (i64, i64))>,
}

/// What can go wrong in a step.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A division or remainder by zero.
    DivisionByZero,
    /// A variable leaves its range.
    OutOfRange,
    /// An array is read or written outside its positions.
    IndexOutOfRange,
    /// Something is shifted by less than nothing, or by as many bits as it has.
    InvalidShift,
    /// A pointer is followed, compared or moved that points to nothing there.
    InvalidPointer,
    /// A division whose result its type does not hold.
    DivisionOverflow,
    /// A place that the program says is never reached.
    Undefined,
}

crate::codes! {
    FaultKind {
        FaultKind::DivisionByZero => "fault.division-by-zero",
        FaultKind::OutOfRange => "fault.out-of-range",
        FaultKind::IndexOutOfRange => "fault.index-out-of-range",
        FaultKind::InvalidShift => "fault.invalid-shift",
        FaultKind::InvalidPointer => "fault.invalid-pointer",
        FaultKind::DivisionOverflow => "fault.division-overflow",
        FaultKind::Undefined => "fault.undefined",
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FaultKind::DivisionByZero => "division by zero",
            FaultKind::OutOfRange => "value out of range",
            FaultKind::IndexOutOfRange => "index out of range",
            FaultKind::InvalidShift => "shift by a wrong amount",
            FaultKind::InvalidPointer => "invalid pointer",
            FaultKind::DivisionOverflow => "division overflow",
            FaultKind::Undefined => "undefined behaviour",
        })
    }
}

/// A question about a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// How the user knows it.
    pub name: String,
    /// What is claimed.
    pub claim: Claim,
    /// When evaluating it goes wrong, in order. What the claim searches for includes these states, but they
    /// decide nothing.
    pub faults: Vec<(Term, Fault)>,
    /// Whether a run that goes wrong violates it; else such a run decides nothing.
    pub faults_violate: bool,
}

/// What a property claims of the observed states.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The term holds in every reachable observed state.
    Always(Term),
    /// The term holds in some reachable observed state.
    Possibly(Term),
    /// The word of every run is as it may be.
    Every(PathId),
    /// The word of some run is as it may be.
    Some(PathId),
    /// From every reachable observed state, an observed state can be reached where the term holds (`AG EF`).
    AlwaysPossibly(Term),
}

impl Claim {
    /// What is claimed about whole runs, if that is what the claim is about.
    pub fn path(self) -> Option<PathId> {
        match self {
            Claim::Every(path) | Claim::Some(path) => Some(path),
            Claim::Always(_) | Claim::Possibly(_) | Claim::AlwaysPossibly(_) => None,
        }
    }
}

impl System {
    /// A new variable.
    pub fn declare(&mut self, ty: Type, variable: Variable) -> VarId {
        let id = self.terms.declare(ty);
        let same = self.vars.push(variable);
        assert_eq!(id, same, "variables are declared through the system");
        id
    }
    /// The type tables.
    pub fn types(&self) -> &Types {
        &self.terms.types
    }
    /// The variables that are part of a state, in order; the values of a state follow it.
    pub fn state_vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.entries().filter(|(_, var)| var.scope == Scope::State).map(|(id, _)| id)
    }
    /// The clocks, in order; one that a rewriting has dropped from the states is none any more.
    pub fn clocks(&self) -> impl Iterator<Item = VarId> + '_ {
        self.state_vars().filter(|var| self.terms.var_type(*var) == Type::Clock)
    }
    /// A clock, unless time is spelled out: then clocks are data like any other.
    pub fn timed(&self) -> Option<VarId> {
        self.clocks().next().filter(|_| self.delay.is_none())
    }
    /// Where all processes start.
    ///
    /// # Panics
    /// If a process has no initial location, which front-ends exclude.
    pub fn initial_locations(&self) -> Box<[LocationId]> {
        self.processes.iter().map(|process| process.initial.expect("an initial location")).collect()
    }
    /// Whether properties look at states with these locations.
    pub fn is_observed(&self, locations: &[LocationId]) -> bool {
        self.processes.iter().zip(locations).all(|(process, at)| process.locations[*at].observed)
    }
    /// Whether claims about runs read the states at these locations.
    pub fn is_read(&self, locations: &[LocationId]) -> bool {
        let read = |location: &Location| location.observed && location.read;
        self.processes.iter().zip(locations).all(|(process, at)| read(&process.locations[*at]))
    }
    /// Whether these are the locations of states after a fault.
    pub fn is_fault(&self, locations: &[LocationId]) -> bool {
        self.fault.is_some_and(|fault| locations[fault.process.index()] == fault.location)
    }
    /// The fault that a state tells of, if it does.
    pub fn fault_of(&self, state: &crate::State) -> Option<FaultId> {
        let fault = self.fault.filter(|_| self.is_fault(&state.locations))?;
        let slot = self.state_vars().position(|var| var == fault.which)?;
        let number = state.values[slot].as_ref()?.as_int().to_i64()?;
        self.faults.ids().nth(usize::try_from(number).ok()?)
    }
    /// Everything open, at the initial locations: what the initial statement starts from.
    pub fn arbitrary_state(&self) -> crate::State {
        crate::State {
            locations: self.initial_locations(),
            values: self.state_vars().map(|_| None).collect(),
        }
    }
    /// Some value of a variable: the default of its type, or what is closest to it within its range.
    pub fn any_value(&self, var: VarId) -> Value {
        match (&self.vars[var].range, self.terms.var_type(var)) {
            (Some((least, greatest)), Type::Int) => {
                Value::Int(Int::ZERO.min(greatest.clone()).max(least.clone()))
            }
            (_, ty) => self.types().default_value(ty),
        }
    }
    /// Makes properties look at stable states only.
    pub fn observe_stable(&mut self) {
        for location in self.processes.iter_mut().flat_map(|process| process.locations.iter_mut()) {
            location.observed &= location.stable;
        }
    }
}

impl Default for Process {
    /// A process of the user's, without anything in it.
    fn default() -> Self {
        Process {
            name: String::new(),
            shown: true,
            locations: IdVec::default(),
            edges: IdVec::default(),
            initial: None,
            family: None,
        }
    }
}

impl Location {
    /// A location that properties look at.
    pub fn new(name: impl Into<String>, invariant: Term, kind: LocationKind) -> Self {
        Location {
            name: name.into(),
            invariant,
            undefined: None,
            kind,
            stopped: vec![],
            observed: true,
            read: true,
            stable: true,
        }
    }
}

impl Variable {
    /// A variable of the user's, part of every state.
    pub fn state(name: impl Into<String>, span: Span) -> Self {
        Variable { name: name.into(), scope: Scope::State, range: None, control: false, shown: true, span }
    }
    /// A variable that lives within one step.
    pub fn local(name: impl Into<String>, span: Span) -> Self {
        Variable { scope: Scope::Local, ..Variable::state(name, span) }
    }
}
