//! What the search knows of each location vector: whether its states count, and its actions.
//!
//! Vectors are numbered by [`ir::Actions`] in order of first visit. A vector is *furnished* when it is
//! first named as the target of an action, and its own actions are composed and compiled when a state
//! with it is first expanded. Locations are known then, so terms about them are constants in the code.

use ir::interp::Interp;
use ir::{Action, Actions, EdgeId, Id, LocationId, State, Stmt, System, Term, Type, Types, VectorId};

use crate::cause::Unsupported;
use crate::{Reason, Stop};

use super::reason;
use crate::concrete::code::{self, ClockAtoms, Slots};
use crate::concrete::op::{Code, VECTOR};
use crate::concrete::vm::{Halt, Vm};
use crate::concrete::word::{Values, Word};

/// The system under search, with what has been compiled of it.
pub(super) struct Places<'a> {
    pub(super) system: System,
    pub(super) actions: Actions,
    target: Term,
    slots: Slots,
    /// The types of the state variables.
    pub(super) types: Vec<Type>,
    /// The key is [`VectorId`].
    list: Vec<Place>,
    stop: &'a Stop,
}

/// A vector of locations.
struct Place {
    observed: bool,
    faulty: bool,
    /// The target here, unless it cannot be spelled out.
    goal: Option<Term>,
    /// Its code, if compiled.
    target: Option<Code>,
    /// The actions from here, once they have been needed.
    moves: Option<Moves>,
}

/// The actions from a vector.
struct Moves {
    list: Vec<Move>,
    /// What the monitor of a product reads, for each of its edges from here: the code of the guard, if compiled.
    reads: Vec<(EdgeId, Option<Code>)>,
}

/// An action.
pub(super) struct Move {
    pub(super) stmt: Stmt,
    pub(super) target: VectorId,
    /// What the monitor does along with it, if there is one, by its place among what that reads here.
    pub(super) read: Option<usize>,
    /// Whether the monitor moves alone: then nothing else can happen.
    pub(super) alone: bool,
    /// The acceptance sets of the monitor that it is in.
    pub(super) marks: u32,
    /// Its code, if compiled.
    pub(super) code: Option<Code>,
}

impl<'a> Places<'a> {
    /// No vector visited.
    pub(super) fn new(system: System, target: Term, stop: &'a Stop) -> Self {
        let mut slots = Slots::new(&system);
        // Locations are constants, so the code is as large at any other vector.
        let locations = system.initial_locations();
        let code = code::condition(
            &system,
            &slots,
            &ClockAtoms::default(),
            &mut Values::default(),
            &locations,
            target,
        );
        code.iter().for_each(|code| slots.set_apart(code));
        let types = system.state_vars().map(|var| system.terms.var_type(var)).collect();
        Places { system, actions: Actions::new(), target, slots, types, list: vec![], stop }
    }
    /// Looks for something else from now on, at the vectors that are known and at those to come.
    pub(super) fn look_for(&mut self, target: Term, vm: &mut Vm, values: &mut Values) {
        self.target = target;
        for at in 0..self.list.len() {
            let locations = self.actions.locations(VectorId::at(at)).to_vec();
            let (goal, target) = self.goal(&locations, vm, values);
            (self.list[at].goal, self.list[at].target) = (goal, target);
        }
    }
    /// The target at a vector, unless it cannot be spelled out, and its code, if compiled.
    fn goal(
        &mut self,
        locations: &[LocationId],
        vm: &mut Vm,
        values: &mut Values,
    ) -> (Option<Term>, Option<Code>) {
        let goal = ir::at_locations(&mut self.system, self.target, locations).ok();
        let atoms = ClockAtoms::default();
        let code = goal
            .and_then(|goal| code::condition(&self.system, &self.slots, &atoms, values, locations, goal))
            .filter(|code| self.slots.has_apart(code));
        code.iter().for_each(|code| vm.reserve(code));
        (goal, code)
    }
    /// The number of a vector, furnished.
    pub(super) fn vector(&mut self, locations: &[LocationId], vm: &mut Vm, values: &mut Values) -> VectorId {
        let vector = self.actions.vector(locations);
        if vector.index() == self.list.len() {
            let (goal, target) = self.goal(locations, vm, values);
            let system = &self.system;
            let (observed, faulty) = (system.is_observed(locations), system.is_fault(locations));
            self.list.push(Place { observed, faulty, goal, target, moves: None });
        }
        vector
    }
    /// Makes sure that the actions from a vector are compiled, and says how many there are.
    pub(super) fn prepare(&mut self, vector: VectorId, vm: &mut Vm, values: &mut Values) -> usize {
        if let Some(moves) = &self.list[vector.index()].moves {
            return moves.list.len();
        }
        let mut actions = self.actions.of(&mut self.system, vector).to_vec();
        let locations = self.actions.locations(vector).to_vec();
        let monitor = self.system.monitor.clone();
        let reader = monitor.as_ref().map(|monitor| monitor.process);
        let alone = |action: &Action| action.edges.len() == 1 && Some(action.edges[0].0) == reader;
        // Those are tried last, for whatever else can happen rules them out.
        actions.sort_by_key(alone);
        let mut reads: Vec<(EdgeId, Option<Code>)> = vec![];
        let mut list = Vec::with_capacity(actions.len());
        for action in &actions {
            let target = self.vector(&action.target, vm, values);
            let number = target.index() as u32;
            let code = code::action(
                &self.system,
                &self.slots,
                &ClockAtoms::default(),
                values,
                &locations,
                action.stmt,
                Some(number),
            );
            code.iter().for_each(|code| vm.reserve(code));
            let read =
                action.edges.last().filter(|(process, _)| Some(*process) == reader).map(|(_, edge)| {
                    reads.iter().position(|(known, _)| known == edge).unwrap_or_else(|| {
                        reads.push((*edge, self.guard(*edge, &locations, vm, values)));
                        reads.len() - 1
                    })
                });
            let marks = monitor.as_ref().map_or(0, |monitor| monitor.marks_of(&action.edges)) as u32;
            list.push(Move { stmt: action.stmt, target, read, alone: alone(action), marks, code });
        }
        self.list[vector.index()].moves.insert(Moves { list, reads }).list.len()
    }
    /// The code of what the monitor reads on an edge, if compiled.
    fn guard(
        &mut self,
        edge: EdgeId,
        locations: &[LocationId],
        vm: &mut Vm,
        values: &mut Values,
    ) -> Option<Code> {
        let process = self.system.monitor.as_ref()?.process;
        let guard = self.system.processes[process].edges[edge].guard;
        let guard = ir::at_locations(&mut self.system, guard, locations).ok()?;
        self.condition(guard, locations, vm, values)
    }
    /// The code of a condition on the states at a vector, if compiled.
    pub(super) fn condition(
        &self,
        condition: Term,
        locations: &[LocationId],
        vm: &mut Vm,
        values: &mut Values,
    ) -> Option<Code> {
        let atoms = ClockAtoms::default();
        let code = code::condition(&self.system, &self.slots, &atoms, values, locations, condition);
        code.iter().for_each(|code| vm.reserve(code));
        code
    }
    /// Action number `at` from a vector.
    pub(super) fn movement(&self, vector: VectorId, at: usize) -> &Move {
        &self.list[vector.index()].moves.as_ref().expect("prepared before").list[at]
    }
    /// Which of what the monitor reads at a vector may hold in the state in the machine.
    pub(super) fn readable(&self, vector: VectorId, vm: &mut Vm, out: &mut Vec<bool>) {
        let reads = &self.list[vector.index()].moves.as_ref().expect("prepared before").reads;
        out.clear();
        out.extend(reads.iter().map(|(_, code)| code.as_ref().is_none_or(|code| vm.test(code) != Ok(false))));
    }
    /// The state that `words` stand for, the vector's number first.
    pub(super) fn unpack(&self, values: &Values, words: &[Word]) -> State {
        let vector = VectorId::at(words[VECTOR as usize] as usize);
        unpack(values, self.system.types(), &self.types, self.actions.locations(vector), words)
    }
    /// A concrete state within the one in the machine that is searched for, if there is one.
    pub(super) fn inspect(&self, vm: &mut Vm, values: &Values) -> Result<Option<State>, Reason> {
        let place = &self.list[vm.slots[VECTOR as usize] as usize];
        if place.faulty {
            return Ok(Some(self.unpack(values, &vm.slots)));
        }
        if !place.observed {
            return Ok(None);
        }
        match place.target.as_ref().map_or(Err(Halt::Bail), |code| vm.test(code)) {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(self.unpack(values, &vm.slots))),
            Err(_) => {
                let state = self.unpack(values, &vm.slots);
                let goal = place.goal.ok_or(Unsupported::DeadlockCondition)?;
                let found = Interp::new(&self.system, Some(self.stop.flag())).find(&state, goal);
                found.map_err(|stuck| reason(&self.system, stuck, self.stop))
            }
        }
    }
}

/// The state at `locations` whose variables have the `words` after the first.
pub(super) fn unpack(
    values: &Values,
    table: &Types,
    types: &[Type],
    locations: &[LocationId],
    words: &[Word],
) -> State {
    let mut words = words[1..].iter();
    State {
        locations: locations.into(),
        values: types.iter().map(|ty| values.take(table, *ty, &mut words)).collect(),
    }
}
