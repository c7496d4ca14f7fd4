//! What the search knows of each location vector: its clock bounds, the target there, and what can
//! happen from it.
//!
//! There may be as many vectors as discrete states, so a vector costs little: the guards and updates of
//! edges that move together are compiled once, whatever the other processes do meanwhile, invariants
//! once for each location, and clock bounds are shared between vectors. Only where an invariant is not a
//! conjunction of simple constraints is a whole action compiled for each vector.

use ir::{
    Edges, Id, Joint, LocationId, NamedVar, Node, Outgoing, ProcessId, State, Stmt, System, Term, Type,
    Value, VectorId,
};
use rustc_hash::FxHashMap;
use zones::{Bound, LuBounds, Zone, extra, split};

use super::bounds::Bounds;
use super::outgrown;
use super::vectors::Vectors;
use crate::Reason;
use crate::cause::Unsupported;
use crate::concrete::code::{self, ClockAtoms, Slots, note_atoms};
use crate::concrete::op::{Atom, Code, Slot, VECTOR};
use crate::concrete::word::{Values, Word, width};

/// What the extrapolation of zones must keep.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Precision {
    /// What can be reached.
    Simulation,
    /// Also what cannot happen any more.
    Bisimulation,
    /// Everything, because nothing is extrapolated.
    Exact,
}

/// The system under search, with what has been compiled of it.
pub(crate) struct Places {
    pub(crate) system: System,
    pub(crate) vectors: Vectors,
    outgoing: Outgoing,
    bounds: Bounds,
    precision: Precision,
    /// Whether `L` and `U` are made equal: diagonals and deadlock need that.
    symmetric: bool,
    atoms: ClockAtoms,
    target: Term,
    /// The locations that the target names, and its code by where processes are in these.
    watched: Vec<(ProcessId, LocationId)>,
    targets: FxHashMap<Box<[bool]>, Target>,
    /// For vectors with an invariant that is not simple, its code, and whether time stands still.
    limits: FxHashMap<VectorId, (u32, Hurry)>,
    slots: Slots,
    pub(crate) values: Values,
    /// The types of the state variables.
    pub(crate) types: Vec<Type>,
    /// Everything compiled, by number, and the edges it is of.
    codes: Vec<Code>,
    edges: Vec<Edges>,
    most_slots: usize,
    /// For guards and updates of edges that move together: their code, and that of their faults.
    steps: FxHashMap<Joint, (Option<u32>, Option<u32>)>,
    /// The code of steps that go wrong on arrival or before.
    late_faults: FxHashMap<(Edges, Stmt), u32>,
    /// For each process and location, its invariant; `None` if that is not simple.
    invariants: Vec<Vec<Option<Invariant>>>,
    /// The clock bounds of vectors met lately; the key is part of their number.
    abstractions: Vec<Abstraction>,
    /// The key is [`VectorId`].
    list: Vec<Place>,
    /// The moves of all vectors.
    moves: Vec<Move>,
    /// Memory for the locations of a vector.
    next: Vec<LocationId>,
}

/// The clock bounds at a vector.
#[derive(Clone)]
struct Abstraction {
    vector: Option<VectorId>,
    bounds: LuBounds,
    /// The clocks that matter, and 0.
    keep: Vec<u32>,
}

/// For how many vectors the bounds are kept; they are soon found anew.
const ABSTRACTIONS: usize = 1 << 10;

/// A conjunction of simple constraints.
#[derive(Clone, Default)]
struct Invariant {
    atoms: Vec<Atom>,
    /// Conditions on data, as code.
    data: Vec<u32>,
}

/// A vector of locations.
struct Place {
    target: Target,
    arrival: Arrival,
    /// Where the moves from here are; it begins with `NONE` until they have been needed.
    moves: (u32, u32),
    faulty: bool,
}

const NONE: u32 = u32::MAX;

/// Code for the target at a vector, where states are deadlocked and where they are not, or `NONE` if it
/// never holds; the same code if deadlocks do not matter.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    dead: u32,
    alive: u32,
}

impl Target {
    const NEVER: Target = Target { dead: NONE, alive: NONE };

    /// Whether no state is one.
    pub(crate) fn is_never(self) -> bool {
        self == Target::NEVER
    }
    /// Whether it matters which states are deadlocked.
    pub(crate) fn asks_for_deadlocks(self) -> bool {
        self.dead != self.alive
    }
    /// The number of the code for states that are deadlocked, or for those that are not.
    pub(crate) fn code(self, deadlocked: bool) -> Option<u32> {
        Some(if deadlocked { self.dead } else { self.alive }).filter(|code| *code != NONE)
    }
}

/// What becomes of a state that arrives at a vector.
#[derive(Copy, Clone)]
pub(crate) enum Arrival {
    /// It must satisfy the invariants, time may pass unless it must hurry, and it must satisfy them
    /// again.
    Simple(Hurry),
    /// All that is part of the action's code.
    Compiled,
}

/// Whether time stands still.
#[derive(Copy, Clone)]
pub(crate) enum Hurry {
    Always,
    Never,
    /// Where this condition on data holds.
    When(u32),
}

/// Something that can happen.
#[derive(Copy, Clone)]
pub(crate) struct Move {
    pub(crate) target: VectorId,
    /// The number of its code; with [`ARRIVES`] if the arrival is still to be done after it.
    code: u32,
}

const ARRIVES: u32 = 1 << 31;

impl Move {
    /// The number of its code.
    pub(crate) fn code(self) -> u32 {
        self.code & !ARRIVES
    }
    /// Whether the arrival is still to be done after its code.
    pub(crate) fn arrives(self) -> bool {
        self.code & ARRIVES != 0
    }
}

/// For each state variable, the arrays that its words have stood for.
pub(crate) type Arrays = Vec<FxHashMap<Box<[Word]>, Option<Value>>>;

impl Places {
    /// No vector visited.
    pub(crate) fn new(mut system: System, target: Term, precision: Precision) -> Result<Self, Reason> {
        let mut atoms = ClockAtoms::default();
        let bounds = Bounds::new(&mut system, target, &mut atoms)?;
        let symmetric = !bounds.diagonals.is_empty() || precision == Precision::Bisimulation;
        let mut watched = vec![];
        system.terms.for_each_subterm(target, |t| {
            if let Node::At(process, location) = *system.terms.node(t) {
                watched.push((process, location));
            }
        });
        let slots = Slots::new(&system);
        let types = system.state_vars().map(|var| system.terms.var_type(var)).collect();
        let outgoing = Outgoing::new(&mut system);
        let vectors = Vectors::new(&system);
        let dim = system.clocks().count() + 1;
        let none = Abstraction { vector: None, bounds: LuBounds::new(dim), keep: vec![] };
        let abstractions = vec![none; ABSTRACTIONS];
        let mut places = Places {
            system,
            vectors,
            outgoing,
            bounds,
            precision,
            symmetric,
            atoms,
            target,
            watched,
            targets: FxHashMap::default(),
            limits: FxHashMap::default(),
            slots,
            values: Values::default(),
            types,
            codes: vec![],
            edges: vec![],
            most_slots: 0,
            steps: FxHashMap::default(),
            late_faults: FxHashMap::default(),
            invariants: vec![],
            abstractions,
            list: vec![],
            moves: vec![],
            next: vec![],
        };
        places.compile_invariants();
        Ok(places)
    }
    /// Invariants come first, so that their temporaries can be kept apart from those of actions.
    fn compile_invariants(&mut self) {
        let terms: Vec<Vec<Term>> = self
            .system
            .processes
            .iter()
            .map(|process| process.locations.iter().map(|location| location.invariant).collect())
            .collect();
        for process in terms {
            let here = process.into_iter().map(|term| self.invariant(term)).collect();
            self.invariants.push(here);
        }
        for code in &self.codes {
            self.slots.set_apart(code);
        }
    }
    fn invariant(&mut self, term: Term) -> Option<Invariant> {
        let parts = match self.system.terms.node(term) {
            Node::And(list) => list.to_vec(),
            _ => vec![term],
        };
        let mut invariant = Invariant::default();
        for part in parts {
            if self.system.terms.as_const(part) == Some(&Value::Bool(true)) {
                continue;
            }
            if self.system.terms.has_clock(part) {
                for atom in self.atoms.differences.get(&part)? {
                    invariant.atoms.push(code::atom(&self.system, &self.slots, *atom)?);
                }
            } else {
                // Invariants do not speak of locations.
                let Places { system, slots, atoms, values, .. } = self;
                let code = code::condition(system, slots, atoms, values, &[], part)?;
                invariant.data.push(self.keep(code));
            }
        }
        Some(invariant)
    }
    fn keep(&mut self, code: Code) -> u32 {
        self.most_slots = self.most_slots.max(code.slots);
        self.codes.push(code);
        self.edges.push(Edges::new());
        self.codes.len() as u32 - 1
    }

    /// The constraints on differences of two clocks in the model and the question.
    pub(crate) fn diagonals(&self) -> &[zones::Constraint] {
        &self.bounds.diagonals
    }
    /// Whether zones are extrapolated by one constant per clock rather than two.
    pub(crate) fn symmetric(&self) -> bool {
        self.symmetric
    }
    /// The variable that has a slot, if it is one.
    pub(crate) fn var(&self, slot: Slot) -> Option<NamedVar> {
        Some(NamedVar::of(&self.system, self.slots.variable(slot)?))
    }
    /// Code by its number.
    pub(crate) fn code(&self, number: u32) -> &Code {
        &self.codes[number as usize]
    }
    /// The most slots any code needs.
    pub(crate) fn slots(&self) -> usize {
        self.most_slots
    }
    /// The clock bounds at a vector that has been looked at just now.
    pub(crate) fn bounds(&self, vector: VectorId) -> &LuBounds {
        &self.abstraction(vector).bounds
    }
    /// The clocks that matter from a vector on that has been looked at just now, and 0.
    pub(crate) fn keep_at(&self, vector: VectorId) -> &[u32] {
        &self.abstraction(vector).keep
    }
    fn abstraction(&self, vector: VectorId) -> &Abstraction {
        let abstraction = &self.abstractions[vector.index() % ABSTRACTIONS];
        assert_eq!(abstraction.vector, Some(vector), "bounds are looked at before they are needed");
        abstraction
    }
    /// Finds the clock bounds at a vector.
    pub(crate) fn look_at(&mut self, vector: VectorId) {
        let Places { abstractions, bounds: all, vectors, .. } = self;
        let Abstraction { vector: known, bounds, keep } = &mut abstractions[vector.index() % ABSTRACTIONS];
        if *known == Some(vector) {
            return;
        }
        *known = Some(vector);
        all.at(vectors.locations(vector), bounds);
        if self.symmetric {
            bounds.make_symmetric();
        }
        keep.clear();
        keep.push(0);
        let matters = |clock: &u32| {
            let clock = *clock as usize;
            bounds.lower(clock).is_some() || bounds.upper(clock).is_some()
        };
        keep.extend((1..bounds.dim() as u32).filter(matters));
    }
    /// Whether a vector is a fault.
    pub(crate) fn faulty(&self, vector: VectorId) -> bool {
        self.list[vector.index()].faulty
    }
    /// The target at a vector.
    pub(crate) fn target(&self, vector: VectorId) -> Target {
        self.list[vector.index()].target
    }
    /// Code for the invariants at a vector where these are not simple, and whether time stands still.
    pub(crate) fn limit(&mut self, vector: VectorId) -> Result<(u32, Hurry), Reason> {
        if let Some(known) = self.limits.get(&vector) {
            return Ok(*known);
        }
        let locations: Vec<LocationId> = self.vectors.locations(vector).collect();
        let limit = ir::invariant(&mut self.system, &locations);
        let limit = self.system.terms.assume(limit);
        let limit = (self.compile(limit, &Edges::new(), &locations, None)?, self.hurry(&locations)?);
        self.limits.insert(vector, limit);
        Ok(limit)
    }
    /// Whether evaluating an invariant at a vector can go wrong.
    pub(crate) fn has_undefined(&self, vector: VectorId) -> bool {
        let mut here = self.system.processes.iter().zip(self.vectors.locations(vector));
        here.any(|(process, at)| process.locations[at].undefined.is_some())
    }
    /// What becomes of a state that arrives at a vector.
    pub(crate) fn arrival(&self, vector: VectorId) -> Arrival {
        self.list[vector.index()].arrival
    }
    /// The invariants at a vector where arriving is simple: constraints on clocks, and code for
    /// conditions on data.
    pub(crate) fn invariants(&self, vector: VectorId, atoms: &mut Vec<Atom>, data: &mut Vec<u32>) {
        atoms.clear();
        data.clear();
        for (process, location) in self.invariants.iter().zip(self.vectors.locations(vector)) {
            if let Some(invariant) = &process[location.index()] {
                atoms.extend_from_slice(&invariant.atoms);
                data.extend_from_slice(&invariant.data);
            }
        }
    }
    /// Whether every invariant is a conjunction of simple constraints.
    pub(crate) fn has_simple_invariants(&self) -> bool {
        self.invariants.iter().flatten().all(Option::is_some)
    }
    /// The invariant of a process at a location, which is simple: constraints on clocks, and code for conditions on
    /// data.
    pub(crate) fn invariant_at(&self, process: ProcessId, location: LocationId) -> (&[Atom], &[u32]) {
        match &self.invariants[process.index()][location.index()] {
            Some(invariant) => (&invariant.atoms, &invariant.data),
            None => unreachable!("not simple"),
        }
    }
    /// Extrapolates a zone at a vector, where no difference of clocks is compared.
    pub(crate) fn extrapolate(&self, zone: &mut [Bound], dim: usize, vector: VectorId) -> Result<(), Reason> {
        let extrapolate = if self.symmetric { extra::extra_m } else { extra::extra_lu_plus };
        extrapolate(zone, dim, self.bounds(vector)).map_err(|_| outgrown())
    }
    /// Splits a zone along the differences of clocks that are compared, and extrapolates the pieces.
    pub(crate) fn split(
        &self,
        zone: &[Bound],
        dim: usize,
        vector: VectorId,
        out: &mut Vec<Zone>,
    ) -> Result<(), Reason> {
        let bounds = self.bounds(vector);
        split::extra_m_split(zone, dim, bounds, &self.bounds.diagonals, out).map_err(|_| outgrown())
    }

    /// The number of a vector, furnished.
    pub(crate) fn vector(&mut self, locations: &[LocationId]) -> Result<VectorId, Reason> {
        let (vector, new) = self.vectors.insert(locations);
        if new {
            let place = self.furnish(locations)?;
            super::reserve(&mut self.list, 1);
            self.list.push(place);
        }
        Ok(vector)
    }
    fn furnish(&mut self, locations: &[LocationId]) -> Result<Place, Reason> {
        let faulty = self.system.is_fault(locations);
        let target = if faulty { Target::NEVER } else { self.furnish_target(locations)? };
        let arrival = self.furnish_arrival(locations)?;
        Ok(Place { faulty, target, arrival, moves: (NONE, 0) })
    }
    fn furnish_target(&mut self, locations: &[LocationId]) -> Result<Target, Reason> {
        if self.system.terms.as_const(self.target) == Some(&Value::Bool(false))
            || !self.system.is_observed(locations)
        {
            return Ok(Target::NEVER);
        }
        let is_there = |(process, at): &(ProcessId, LocationId)| locations[process.index()] == *at;
        let key: Box<[bool]> = self.watched.iter().map(is_there).collect();
        if let Some(known) = self.targets.get(&key) {
            return Ok(*known);
        }
        let sides = [true, false]
            .map(|deadlocked| ir::given_deadlock(&mut self.system, self.target, locations, deadlocked));
        let dead = self.compile_target(sides[0], locations)?;
        let alive = if sides[0] == sides[1] { dead } else { self.compile_target(sides[1], locations)? };
        let target = Target { dead, alive };
        self.targets.insert(key, target);
        Ok(target)
    }
    fn compile_target(&mut self, here: Term, locations: &[LocationId]) -> Result<u32, Reason> {
        if self.system.terms.as_const(here) == Some(&Value::Bool(false)) {
            return Ok(NONE);
        }
        note_atoms(&mut self.system, here, &mut self.atoms);
        let Places { system, slots, atoms, values, .. } = self;
        let code = code::question(system, slots, atoms, values, locations, here);
        let code = code.ok_or_else(|| beyond(system.show(here).to_string()))?;
        Ok(self.keep(code))
    }
    fn furnish_arrival(&mut self, locations: &[LocationId]) -> Result<Arrival, Reason> {
        let urgency = ir::urgency(&mut self.system, &self.outgoing, locations);
        if urgency.is_timed(&self.system.terms) {
            if self.precision != Precision::Exact {
                self.check_differences(&urgency)?;
            }
            return Ok(Arrival::Compiled);
        }
        if self
            .invariants
            .iter()
            .zip(locations)
            .any(|(process, location)| process[location.index()].is_none())
        {
            return Ok(Arrival::Compiled);
        }
        Ok(Arrival::Simple(self.hurry(locations)?))
    }
    /// Refuses urgency that depends on differences of clocks which nothing else compares: no bounds are known for them.
    fn check_differences(&mut self, urgency: &ir::Urgency) -> Result<(), Reason> {
        let waits = urgency.later.iter().flat_map(|wait| [wait.starts, wait.until]);
        for condition in waits.chain([urgency.now]).collect::<Vec<_>>() {
            let mut parts = vec![];
            self.system.terms.for_each_subterm(condition, |part| parts.push(part));
            for part in parts {
                let atoms = ir::clock_atom(&mut self.system.terms, part).unwrap_or_default();
                let new = |atom: &ir::ClockAtom| {
                    atom.plus.is_some() && atom.minus.is_some() && !self.bounds.knows(&self.system, atom)
                };
                if atoms.iter().any(new) {
                    return Err(beyond(self.system.show(part).to_string()));
                }
            }
        }
        Ok(())
    }
    fn hurry(&mut self, locations: &[LocationId]) -> Result<Hurry, Reason> {
        let urgency = ir::urgency(&mut self.system, &self.outgoing, locations);
        if urgency.is_timed(&self.system.terms) {
            return Err(Unsupported::DeadlockOverClocks.into());
        }
        let hurry = urgency.now;
        Ok(match self.system.terms.as_const(hurry) {
            Some(value) if value.as_bool() => Hurry::Always,
            Some(_) => Hurry::Never,
            None => {
                let Places { system, slots, atoms, values, .. } = self;
                let code = code::condition(system, slots, atoms, values, locations, hurry);
                let code = code.ok_or_else(|| beyond(system.show(hurry).to_string()))?;
                Hurry::When(self.keep(code))
            }
        })
    }

    /// Makes sure that it is known what can happen from a vector, and says how much that is.
    pub(crate) fn prepare(&mut self, vector: VectorId) -> Result<usize, Reason> {
        let (start, count) = self.list[vector.index()].moves;
        if start != NONE {
            return Ok(count as usize);
        }
        let locations: Vec<LocationId> = self.vectors.locations(vector).collect();
        let start = self.moves.len();
        for joint in ir::joints(&mut self.system, &self.outgoing, &locations) {
            let (step, mut fault) = self.step(&joint)?;
            if step.is_some() {
                let mut next = std::mem::take(&mut self.next);
                next.clone_from(&locations);
                joint.go(&self.system, &mut next);
                let target = self.vector(&next)?;
                if ir::has_undefined(&self.system, &next) {
                    fault = self.late_fault(&joint, &next)?;
                }
                self.next = next;
                let arrives = matches!(self.arrival(target), Arrival::Simple(_));
                let code = match step {
                    Some(code) if arrives => code | ARRIVES,
                    _ => self.whole(&joint, &locations, target)?,
                };
                super::reserve(&mut self.moves, 1);
                self.moves.push(Move { target, code });
            }
            if let Some(code) = fault {
                let target = ir::fault_target(&self.system, &locations).expect("faults have a location");
                let target = self.vector(&target)?;
                self.moves.push(Move { target, code });
            }
        }
        let count = self.moves.len() - start;
        self.list[vector.index()].moves = (start as u32, count as u32);
        Ok(count)
    }
    /// Code for the guards and updates of edges that move together, and for how these go wrong.
    fn step(&mut self, joint: &Joint) -> Result<(Option<u32>, Option<u32>), Reason> {
        if let Some(known) = self.steps.get(joint) {
            return Ok(*known);
        }
        let ir::Guarded { stmt, fault } = ir::step(&mut self.system, joint);
        let code = match self.system.terms.is_block(stmt) {
            true => None,
            false => Some(self.compile(stmt, &joint.edges, &[], None)?),
        };
        let fault = match fault {
            Some(fault) => Some(self.compile(fault, &joint.edges, &[], None)?),
            None => None,
        };
        self.steps.insert(joint.clone(), (code, fault));
        Ok((code, fault))
    }
    /// Code for how a step goes wrong that leads where evaluating invariants can go wrong.
    fn late_fault(&mut self, joint: &Joint, target: &[LocationId]) -> Result<Option<u32>, Reason> {
        let step = ir::step(&mut self.system, joint);
        let Some(stmt) = ir::goes_wrong(&mut self.system, step, target) else { return Ok(None) };
        if let Some(known) = self.late_faults.get(&(joint.edges.clone(), stmt)) {
            return Ok(Some(*known));
        }
        let code = self.compile(stmt, &joint.edges, &[], None)?;
        self.late_faults.insert((joint.edges.clone(), stmt), code);
        Ok(Some(code))
    }
    /// Code for a whole action, arrival included.
    fn whole(&mut self, joint: &Joint, locations: &[LocationId], target: VectorId) -> Result<u32, Reason> {
        let to: Vec<LocationId> = self.vectors.locations(target).collect();
        let actions = ir::actions(&mut self.system, locations);
        let action = actions.iter().find(|action| action.takes(&joint.edges, &to));
        let stmt = match action {
            Some(action) => action.stmt,
            None => self.system.terms.block(),
        };
        self.compile(stmt, &joint.edges, locations, Some(target.index() as u32))
    }
    /// Code for a statement of these edges.
    pub(crate) fn compile(
        &mut self,
        stmt: Stmt,
        edges: &Edges,
        locations: &[LocationId],
        target: Option<u32>,
    ) -> Result<u32, Reason> {
        let mut terms = vec![];
        self.system.terms.for_each_substmt(stmt, |part| {
            self.system.terms.stmt(part).for_each_term(|term| terms.push(term));
        });
        terms.into_iter().for_each(|term| note_atoms(&mut self.system, term, &mut self.atoms));
        let Places { system, slots, atoms, values, .. } = self;
        let code = code::action(system, slots, atoms, values, locations, stmt, target).ok_or_else(|| {
            let labels = edges.iter().map(|(process, edge)| {
                let process = &system.processes[*process];
                format!("{}: {}", process.name, process.edges[*edge].label)
            });
            beyond(labels.collect::<Vec<_>>().join(" with "))
        })?;
        let number = self.keep(code);
        self.edges[number as usize].clone_from(edges);
        Ok(number)
    }
    /// Move number `at` from a vector.
    pub(crate) fn movement(&self, vector: VectorId, at: usize) -> Move {
        self.moves[self.list[vector.index()].moves.0 as usize + at]
    }
    /// The edges of a move.
    pub(crate) fn edges(&self, movement: Move) -> &Edges {
        self.edges_of(movement.code())
    }
    /// The acceptance sets that a move is in, if there is a monitor.
    pub(crate) fn marks(&self, movement: Move) -> u32 {
        self.system.monitor.as_ref().map_or(0, |monitor| monitor.marks_of(self.edges(movement))) as u32
    }
    /// The edges of code by its number.
    pub(crate) fn edges_of(&self, code: u32) -> &Edges {
        &self.edges[code as usize]
    }

    /// The discrete part that `words` stand for, the vector's number first; clocks are open in it.
    pub(crate) fn unpack(&self, words: &[Word]) -> State {
        let mut state = State::default();
        self.unpack_into(words, &mut Arrays::default(), &mut state);
        state
    }
    /// Like [`Places::unpack`], into memory of the caller, who also keeps the arrays met.
    pub(crate) fn unpack_into(&self, words: &[Word], arrays: &mut Arrays, out: &mut State) {
        let vector = VectorId::at(words[VECTOR as usize] as usize);
        if out.locations.len() == self.system.processes.len() {
            out.locations.iter_mut().zip(self.vectors.locations(vector)).for_each(|(out, at)| *out = at);
        } else {
            out.locations = self.vectors.locations(vector).collect();
        }
        if out.values.len() != self.types.len() {
            out.values = vec![None; self.types.len()].into();
        }
        let types = self.system.types();
        let mut words = words[1..].iter();
        for (slot, (ty, out)) in self.types.iter().zip(&mut out.values).enumerate() {
            match ty {
                Type::Clock => {
                    words.next();
                    *out = None;
                }
                Type::Array(_) => {
                    let parts = words.as_slice();
                    let count = width(types, *ty);
                    if arrays.len() <= slot {
                        arrays.resize_with(slot + 1, FxHashMap::default);
                    }
                    let known = &mut arrays[slot];
                    if !known.contains_key(&parts[..count]) {
                        let value = self.values.take(types, *ty, &mut parts.iter());
                        known.insert(parts[..count].into(), value);
                    }
                    out.clone_from(&known[&parts[..count]]);
                    words = parts[count..].iter();
                }
                _ => *out = self.values.take(types, *ty, &mut words),
            }
        }
    }
    /// The words of a state with this vector, clocks as zero.
    pub(crate) fn pack(&mut self, vector: VectorId, values: &[Option<Value>], out: &mut Vec<Word>) {
        out.clear();
        out.push(vector.index() as Word);
        for (ty, value) in self.types.iter().zip(values) {
            match ty {
                Type::Clock => out.push(0),
                _ => self.values.words(self.system.types(), *ty, value.as_ref(), out),
            }
        }
    }
    /// Bytes held for vectors, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.vectors.bytes()
            + self.list.capacity() * size_of::<Place>()
            + self.moves.capacity() * size_of::<Move>()
            + self.values.bytes()
    }
}

/// Something that compiled code cannot do.
fn beyond(what: String) -> Reason {
    Unsupported::ZoneData { place: what }.into()
}
