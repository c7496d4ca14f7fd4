//! What the search knows of each location vector: its clock bounds, the target there, and its actions,
//! composed and compiled on first visit.

use ir::{Action, Actions, Id, LocationId, NoTarget, State, System, Term, Type, Value, VectorId};
use zones::{Bound, LuBounds, Zone, extra, split};

use super::bounds::Bounds;
use super::outgrown;
use crate::Reason;
use crate::concrete::code::{self, ClockAtoms, Code, Slots, VECTOR, note_atoms};
use crate::concrete::vm::{Time, Vm};
use crate::concrete::word::{Values, Word};

/// The system under search, with what has been compiled of it.
pub(super) struct Places {
    pub(super) system: System,
    pub(super) actions: Actions,
    bounds: Bounds,
    /// Whether `L` and `U` are made equal: diagonals and deadlock need that.
    symmetric: bool,
    atoms: ClockAtoms,
    target: Term,
    slots: Slots,
    pub(super) values: Values,
    /// The types of the state variables.
    pub(super) types: Vec<Type>,
    /// The key is [`VectorId`].
    list: Vec<Place>,
}

/// A vector of locations.
pub(super) struct Place {
    pub(super) observed: bool,
    pub(super) faulty: bool,
    /// The target here, unless it never holds.
    pub(super) target: Option<Code>,
    pub(super) bounds: LuBounds,
    /// The clocks that matter from here on, and 0.
    pub(super) keep: Vec<u32>,
    /// The actions from here, once they have been needed.
    moves: Option<Vec<Move>>,
}

/// An action.
pub(super) struct Move {
    pub(super) target: VectorId,
    pub(super) code: Code,
}

impl Places {
    /// No vector visited.
    pub(super) fn new(mut system: System, target: Term) -> Result<Self, Reason> {
        let mut atoms = ClockAtoms::default();
        let bounds = Bounds::new(&mut system, target, &mut atoms)?;
        let symmetric = !bounds.diagonals.is_empty() || mentions_deadlock(&system, target);
        let slots = Slots::new(&system);
        let types = system.state_vars().map(|var| system.terms.var_type(var)).collect();
        Ok(Places {
            system,
            actions: Actions::new(),
            bounds,
            symmetric,
            atoms,
            target,
            slots,
            values: Values::default(),
            types,
            list: vec![],
        })
    }
    /// The constraints on differences of two clocks in the model and the question.
    pub(super) fn diagonals(&self) -> &[zones::Constraint] {
        &self.bounds.diagonals
    }
    /// Whether zones are extrapolated by one constant per clock rather than two.
    pub(super) fn symmetric(&self) -> bool {
        self.symmetric
    }
    /// Extrapolates a zone at a vector, where no difference of clocks is compared.
    pub(super) fn extrapolate(&self, zone: &mut [Bound], dim: usize, vector: VectorId) -> Result<(), Reason> {
        let extrapolate = if self.symmetric { extra::extra_m } else { extra::extra_lu_plus };
        extrapolate(zone, dim, &self.place(vector).bounds).map_err(|_| outgrown())
    }
    /// Splits a zone along the differences of clocks that are compared, and extrapolates the pieces.
    pub(super) fn split(
        &self,
        zone: &[Bound],
        dim: usize,
        vector: VectorId,
        out: &mut Vec<Zone>,
    ) -> Result<(), Reason> {
        let bounds = &self.place(vector).bounds;
        split::extra_m_split(zone, dim, bounds, &self.bounds.diagonals, out).map_err(|_| outgrown())
    }
    /// What is known of a vector.
    pub(super) fn place(&self, vector: VectorId) -> &Place {
        &self.list[vector.index()]
    }
    /// The number of a vector, furnished.
    pub(super) fn vector(&mut self, locations: &[LocationId]) -> Result<VectorId, Reason> {
        let vector = self.actions.vector(locations);
        // Spelling out a deadlock composes actions and so may number further vectors.
        while self.list.len() <= vector.index() {
            let next = VectorId::at(self.list.len());
            let locations: Vec<LocationId> = self.actions.locations(next).into();
            let place = self.furnish(&locations)?;
            self.list.push(place);
        }
        Ok(vector)
    }
    fn furnish(&mut self, locations: &[LocationId]) -> Result<Place, Reason> {
        let mut bounds = self.bounds.at(locations);
        if self.symmetric {
            bounds.make_symmetric();
        }
        let matters = |clock: &usize| bounds.lower(*clock).is_some() || bounds.upper(*clock).is_some();
        let mut keep = vec![0];
        keep.extend((1..bounds.dim()).filter(matters).map(|clock| clock as u32));
        let at_fault = |fault: ir::FaultState| locations[fault.process.index()] == fault.location;
        let faulty = self.system.fault.is_some_and(at_fault);
        let observed = self.system.is_observed(locations);
        let mut target = None;
        if observed && !faulty {
            let here = ir::at_locations(&mut self.system, &mut self.actions, self.target, locations)
                .map_err(|why| unclear(&self.system, why))?;
            if self.system.terms.as_const(here) != Some(&Value::Bool(false)) {
                note_atoms(&mut self.system, here, &mut self.atoms);
                let Places { system, slots, atoms, values, .. } = self;
                let code = code::condition(system, slots, atoms, values, locations, here);
                target = Some(code.ok_or_else(|| beyond(system.show(here).to_string()))?);
            }
        }
        Ok(Place { observed, faulty, target, bounds, keep, moves: None })
    }
    /// Makes sure that the actions from a vector are compiled, and says how many there are.
    pub(super) fn prepare<T: Time>(&mut self, vector: VectorId, vm: &mut Vm<T>) -> Result<usize, Reason> {
        if let Some(moves) = &self.list[vector.index()].moves {
            return Ok(moves.len());
        }
        let actions = self.actions.of(&mut self.system, vector).to_vec();
        let locations = self.actions.locations(vector).to_vec();
        let mut moves = Vec::with_capacity(actions.len());
        for action in actions {
            let target = self.vector(&action.target)?;
            let code = self.compile(&locations, &action, target)?;
            vm.reserve(&code);
            moves.push(Move { target, code });
        }
        Ok(self.list[vector.index()].moves.insert(moves).len())
    }
    /// Code for an action.
    pub(super) fn compile(
        &mut self,
        locations: &[LocationId],
        action: &Action,
        target: VectorId,
    ) -> Result<Code, Reason> {
        let mut terms = vec![];
        self.system.terms.for_each_substmt(action.stmt, |part| {
            self.system.terms.stmt(part).for_each_term(|term| terms.push(term));
        });
        terms.into_iter().for_each(|term| note_atoms(&mut self.system, term, &mut self.atoms));
        let Places { system, slots, atoms, values, .. } = self;
        let number = target.index() as u32;
        code::action(system, slots, atoms, values, locations, action.stmt, number).ok_or_else(|| {
            let labels = action.edges.iter().map(|(process, edge)| {
                let process = &system.processes[*process];
                format!("{}: {}", process.name, process.edges[*edge].label)
            });
            beyond(labels.collect::<Vec<_>>().join(" with "))
        })
    }
    /// Action number `at` from a vector.
    pub(super) fn movement(&self, vector: VectorId, at: usize) -> &Move {
        &self.list[vector.index()].moves.as_ref().expect("prepared before")[at]
    }
    /// The discrete part that `words` stand for, the vector's number first; clocks are open in it.
    pub(super) fn unpack(&self, words: &[Word]) -> State {
        let vector = VectorId::at(words[VECTOR as usize] as usize);
        let mut words = words[1..].iter();
        let take = |ty: &Type| match ty {
            Type::Clock => {
                words.next();
                None
            }
            _ => self.values.take(self.system.types(), *ty, &mut words),
        };
        State { locations: self.actions.locations(vector).into(), values: self.types.iter().map(take).collect() }
    }
    /// The words of a state with this vector, clocks as zero.
    pub(super) fn pack(&mut self, vector: VectorId, values: &[Option<Value>], out: &mut Vec<Word>) {
        out.clear();
        out.push(vector.index() as Word);
        for (ty, value) in self.types.iter().zip(values) {
            match ty {
                Type::Clock => out.push(0),
                _ => self.values.words(self.system.types(), *ty, value.as_ref(), out),
            }
        }
    }

    /// Like [`Places::pack`], unless a value would have to be interned first.
    pub(super) fn pack_known(&self, vector: VectorId, values: &[Option<Value>], out: &mut Vec<Word>) -> bool {
        out.clear();
        out.push(vector.index() as Word);
        self.types.iter().zip(values).all(|(ty, value)| match ty {
            Type::Clock => {
                out.push(0);
                true
            }
            _ => self.values.known_words(self.system.types(), *ty, value.as_ref(), out),
        })
    }
}

fn mentions_deadlock(system: &System, target: Term) -> bool {
    let mut found = false;
    system.terms.for_each_subterm(target, |t| found |= *system.terms.node(t) == ir::Node::Deadlock);
    found
}

/// Something that compiled code cannot do.
fn beyond(what: String) -> Reason {
    Reason::Unsupported(format!(
        "zones need integers, booleans, enumerations and arrays over fixed positions in `{what}`"
    ))
}

fn unclear(system: &System, why: NoTarget) -> Reason {
    Reason::Unsupported(match why {
        NoTarget::Stmt(stmt) => format!("`deadlock` cannot look past `{}`", system.show_stmt(stmt).to_string().trim()),
        NoTarget::Clocks(_) => "a guard is too complex for `deadlock`".to_owned(),
    })
}
