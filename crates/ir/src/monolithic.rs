//! A system as formulas: the view of engines that know nothing but formulas.
//!
//! Where the processes are becomes a variable, `location`, and which action is taken another, `chosen`,
//! so that a model of the formulas tells a run step by step. Both are hidden, and made for the view.
//!
//! A [`Transition`] is one step from any state of a [`Frame`]: the vectors of locations where the system
//! may be, with the values that are known for sure there. Knowing where the system can be after so many
//! steps keeps formulas small, and known values decide branches and unroll loops; with frames that know
//! nothing, the formula is the whole step relation. Formulas begin at step 0 and end at
//! [`Transition::after`]; [`Steps::then`] chains them.
//!
//! The values of locals do not last: every action begins with arbitrary ones.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::action::{Action, Actions, VectorId, initial};
use crate::id::Id;
use crate::simplify::{Valuation, simplify};
use crate::stmt::Stmt;
use crate::system::{LocationId, Scope, Span, System, Variable};
use crate::target::{NoTarget, at_locations};
use crate::term::{Term, VarId};
use crate::unfold::{Steps, merge, unfold};
use crate::value::Type;

/// Constants that variables are known to have.
pub type Known = BTreeMap<VarId, Term>;

/// Where the system may be, and what is then known for sure.
pub type Frame = BTreeMap<VectorId, Known>;

/// A system as formulas.
#[derive(Clone, Debug)]
pub struct Monolithic {
    /// The system with the variables of the view, in whose arena the formulas live.
    pub system: System,
    /// Which vector of locations the system is at, by number.
    pub location: VarId,
    /// Which action of that vector the last step was, by number.
    pub chosen: VarId,
    target: Term,
    actions: Actions,
    pieces: FxHashMap<(VectorId, Known), Rc<[Piece]>>,
    targets: FxHashMap<VectorId, Term>,
}

/// One step, or the beginning.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What happens, from step 0 to `after`.
    pub formula: Term,
    /// The steps of the variables afterwards.
    pub after: Steps,
    /// Where the system may then be.
    pub to: Frame,
}

/// Why a system has no such view.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoView {
    /// This statement has no formula: a delay, or a loop whose bounds are not known.
    Stmt(Stmt),
    /// The target cannot be spelled out at some locations.
    Target(NoTarget),
    /// Too many vectors of locations, or too many actions for the variables they change.
    TooLarge,
}

/// One action.
#[derive(Debug)]
struct Piece {
    formula: Term,
    after: Steps,
    to: VectorId,
    known: Known,
}

/// How many vectors of locations a frame may have.
const VECTORS: usize = 100_000;
/// How many equations may say that an action leaves a variable as it is.
const EQUATIONS: usize = 4_000_000;

impl Monolithic {
    /// The view of `system`, with the states that `target` searches for as bad ones.
    pub fn new(system: &System, target: Term) -> Self {
        let mut system = system.clone();
        let mut hidden = |name| {
            system.declare(Type::Int, Variable { shown: false, ..Variable::local(name, Span::default()) })
        };
        let (location, chosen) = (hidden("location"), hidden("chosen"));
        Monolithic {
            system,
            location,
            chosen,
            target,
            actions: Actions::new(),
            pieces: FxHashMap::default(),
            targets: FxHashMap::default(),
        }
    }
    /// The number of a vector of locations.
    pub fn vector(&mut self, locations: &[LocationId]) -> VectorId {
        self.actions.vector(locations)
    }
    /// The locations of a vector.
    pub fn locations(&self, vector: VectorId) -> &[LocationId] {
        self.actions.locations(vector)
    }
    /// The actions from a vector, in the order of their numbers.
    pub fn actions(&mut self, vector: VectorId) -> &[Action] {
        self.actions.of(&mut self.system, vector)
    }

    /// From arbitrary values to the initial states.
    pub fn initial(&mut self) -> Result<Transition, NoView> {
        let locations = self.system.initial_locations();
        let start = self.actions.vector(&locations);
        let stmt = initial(&mut self.system);
        let mut known = Valuation::default();
        let stmt = simplify(&mut self.system.terms, stmt, &mut known);
        let mut after = Steps::start();
        let formula = unfold(&mut self.system.terms, stmt, &mut after).map_err(NoView::Stmt)?;
        let arrives = self.arrives(start, &mut after);
        let to = match self.system.terms.is_block(stmt) {
            true => Frame::new(),
            false => Frame::from([(start, self.lasting(known))]),
        };
        Ok(Transition { formula: self.system.terms.and([formula, arrives]), after, to })
    }
    /// One step from a state of `from`.
    pub fn step(&mut self, from: &Frame) -> Result<Transition, NoView> {
        if from.len() > VECTORS {
            return Err(NoView::TooLarge);
        }
        let mut to = Frame::new();
        let mut ends = vec![];
        let mut moved = rustc_hash::FxHashSet::default();
        for (vector, known) in from {
            let here = self.is_at(*vector);
            for piece in self.pieces(*vector, known)?.iter() {
                let formula = self.system.terms.and([here, piece.formula]);
                ends.push((formula, piece.after.clone()));
                moved.extend(piece.after.moved().map(|(var, _)| var));
                match to.get_mut(&piece.to) {
                    None => drop(to.insert(piece.to, piece.known.clone())),
                    Some(known) => known.retain(|var, value| piece.known.get(var) == Some(value)),
                }
            }
        }
        if ends.len().saturating_mul(moved.len()) > EQUATIONS {
            return Err(NoView::TooLarge);
        }
        let mut after = Steps::start();
        let formula = merge(&mut self.system.terms, ends, &mut after);
        Ok(Transition { formula, after, to })
    }
    /// What is searched for at the vectors of `at`, at step 0: faults, and where all locations are
    /// observed, the target.
    pub fn bad(&mut self, at: &Frame) -> Result<Term, NoView> {
        let mut ways = vec![];
        for (vector, known) in at {
            let target = match self.targets.get(vector) {
                Some(target) => *target,
                None => {
                    let target = self.target_at(*vector).map_err(NoView::Target)?;
                    self.targets.insert(*vector, target);
                    target
                }
            };
            let known = known.iter().map(|(var, value)| (*var, *value)).collect();
            let target = self.system.terms.substitute(target, &known);
            let here = self.is_at(*vector);
            ways.push(self.system.terms.and([here, target]));
        }
        Ok(self.system.terms.or(ways))
    }
    /// That the system is at this vector, at step 0.
    pub fn is_at(&mut self, vector: VectorId) -> Term {
        let (at, number) = (self.system.terms.var(self.location), self.number(vector.index()));
        self.system.terms.eq(at, number)
    }

    fn target_at(&mut self, vector: VectorId) -> Result<Term, NoTarget> {
        let locations: Box<[LocationId]> = self.actions.locations(vector).into();
        if self.system.is_fault(&locations) {
            return Ok(self.system.terms.bool(true));
        }
        if !self.system.is_observed(&locations) {
            return Ok(self.system.terms.bool(false));
        }
        at_locations(&mut self.system, self.target, &locations)
    }
    /// The actions from a vector, under what is known there.
    fn pieces(&mut self, vector: VectorId, known: &Known) -> Result<Rc<[Piece]>, NoView> {
        let key = (vector, known.clone());
        if let Some(pieces) = self.pieces.get(&key) {
            return Ok(pieces.clone());
        }
        let mut list = vec![];
        let actions = self.actions.of(&mut self.system, vector).to_vec();
        for (number, action) in actions.into_iter().enumerate() {
            let forgotten = self.locals(action.stmt);
            let stmt = self.system.terms.seq(forgotten.into_iter().chain([action.stmt]));
            let mut values: Valuation = known.iter().map(|(var, value)| (*var, *value)).collect();
            let stmt = simplify(&mut self.system.terms, stmt, &mut values);
            if self.system.terms.is_block(stmt) {
                continue;
            }
            let mut after = Steps::start();
            let formula = unfold(&mut self.system.terms, stmt, &mut after).map_err(NoView::Stmt)?;
            let to = self.actions.vector(&action.target);
            let arrives = self.arrives(to, &mut after);
            let choice = after.advance(self.chosen);
            let (choice, number) = (self.system.terms.var_at(self.chosen, choice), self.number(number));
            let choice = self.system.terms.eq(choice, number);
            let formula = self.system.terms.and([choice, arrives, formula]);
            list.push(Piece { formula, after, to, known: self.lasting(values) });
        }
        let list: Rc<[Piece]> = list.into();
        self.pieces.insert(key, list.clone());
        Ok(list)
    }
    /// Statements that forget the locals that occur in `stmt`.
    fn locals(&mut self, stmt: Stmt) -> Vec<Stmt> {
        let terms = &mut self.system.terms;
        let mut vars = terms.written_by(stmt);
        let mut read = vec![];
        terms.for_each_substmt(stmt, |part| terms.stmt(part).for_each_term(|term| read.push(term)));
        vars.extend(read.into_iter().flat_map(|term| terms.vars_of(term)));
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|var| self.system.vars[*var].scope == Scope::Local);
        vars.into_iter().map(|var| terms.havoc(var)).collect()
    }
    /// What is known of variables that live on.
    fn lasting(&self, known: Valuation) -> Known {
        known.into_iter().filter(|(var, _)| self.system.vars[*var].scope == Scope::State).collect()
    }
    fn arrives(&mut self, vector: VectorId, after: &mut Steps) -> Term {
        let step = after.advance(self.location);
        let (at, number) = (self.system.terms.var_at(self.location, step), self.number(vector.index()));
        self.system.terms.eq(at, number)
    }
    fn number(&mut self, number: usize) -> Term {
        self.system.terms.int(number as i64)
    }
}
