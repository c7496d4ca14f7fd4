//! The system as the check reads it: actions of location vectors, and conditions split into what they
//! ask of data and of clocks. Everything that needs new terms happens here, once.

use std::collections::HashMap;

use ir::{
    Actions, ClockRange, Id, Joint, LocationId, Node, Outgoing, Stmt, StmtNode, System, Term, Type, Value,
    VarId, VectorId, ZoneSet,
};

use crate::dbm::{LARGEST, bound, reversed};
use crate::{Rejection, wrong};

/// The system with what has been composed and split of it.
pub(super) struct Model<'a> {
    pub(super) system: System,
    /// Numbers for vectors of locations.
    vectors: Actions,
    outgoing: Outgoing,
    /// The guards and updates of edges that move together.
    steps: HashMap<Joint, ir::Guarded>,
    /// The key is [`VectorId`].
    pub(super) arrivals: Vec<Arrival>,
    pub(super) target: Term,
    pub(super) set: &'a dyn ZoneSet,
    pub(super) clocks: Vec<Clock>,
    pub(super) state_vars: Vec<VarId>,
    /// The number of each variable's clock; 0 for data.
    pub(super) numbers: Vec<usize>,
    /// The differences of clocks that are compared with constants.
    pub(super) diagonals: Vec<Constraint>,
    /// The key is [`Term`]: conditions of statements, split.
    pub(super) splits: Vec<Option<Split>>,
    /// The key is [`VectorId`].
    pub(super) places: Vec<Option<Place>>,
}

/// A clock, and where states have it.
pub(super) struct Clock {
    pub(super) var: VarId,
    pub(super) slot: usize,
}

/// A vector of locations.
pub(super) struct Place {
    pub(super) actions: Vec<Step>,
    /// When the target holds here; never where nobody looks.
    pub(super) target: Formula,
}

/// An action.
pub(super) struct Step {
    /// Guards and updates.
    pub(super) stmt: Stmt,
    /// Where it leads.
    pub(super) vector: VectorId,
    /// Whether it goes wrong; then nothing happens on arrival.
    pub(super) fault: bool,
}

/// What becomes of a state that gets to a vector of locations.
pub(super) struct Arrival {
    /// Invariants, a delay where time may pass, and invariants again.
    pub(super) stmts: Vec<Stmt>,
    /// The constants there.
    pub(super) constants: Option<Vec<ClockRange>>,
}

/// A condition.
pub(super) enum Split {
    /// On data only.
    Data,
    /// On clocks too: the ways in which it can hold, and those in which it can fail.
    Clocks { yes: Vec<Case>, no: Vec<Case> },
}

/// A conjunction of conditions on data and on clocks.
pub(super) struct Case {
    pub(super) data: Vec<Term>,
    pub(super) clocks: Vec<Atom>,
}

/// A condition with negations at its atoms only.
///
/// A deadlock is a conjunction of many disjunctions, which has too many cases to be split.
pub(super) enum Formula {
    Data(Term),
    Clocks(Atom),
    /// Conditions on data come first.
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// `plus - minus ≺ bound`, over clock numbers.
pub(super) struct Atom {
    pub(super) plus: usize,
    pub(super) minus: usize,
    pub(super) bound: Amount,
    pub(super) strict: bool,
}

pub(super) enum Amount {
    Constant(i64),
    Term(Term),
}

/// An atom whose bound is known.
pub(super) type Constraint = (usize, usize, i64);

impl<'a> Model<'a> {
    pub(super) fn new(mut system: System, target: Term, set: &'a dyn ZoneSet) -> Self {
        let mut numbers = vec![0; system.vars.len()];
        let mut clocks = vec![];
        for clock in system.clocks() {
            // A clock that is no part of the state has no slot; there is none in any front-end.
            let slot = system.state_vars().position(|var| var == clock).expect("clocks are part of states");
            clocks.push(Clock { var: clock, slot });
            numbers[clock.index()] = clocks.len();
        }
        let diagonals = diagonals(&mut system, &numbers);
        let outgoing = Outgoing::new(&system);
        Model {
            diagonals,
            state_vars: system.state_vars().collect(),
            system,
            vectors: Actions::new(),
            outgoing,
            steps: HashMap::new(),
            arrivals: vec![],
            target,
            set,
            clocks,
            numbers,
            splits: vec![],
            places: vec![],
        }
    }
    pub(super) fn dim(&self) -> usize {
        self.clocks.len() + 1
    }
    /// The constants at a vector, if entries there stand for what they simulate.
    pub(super) fn constants_at(&self, vector: VectorId) -> Option<&[ClockRange]> {
        self.arrivals[vector.index()].constants.as_deref()
    }
    pub(super) fn place(&self, vector: VectorId) -> &Place {
        self.places[vector.index()].as_ref().expect("furnished before")
    }
    pub(super) fn locations(&self, vector: VectorId) -> &[LocationId] {
        self.vectors.locations(vector)
    }
    /// The number of a vector, furnished.
    pub(super) fn vector(&mut self, locations: &[LocationId]) -> Result<VectorId, Rejection> {
        let vector = self.arrive(locations)?;
        if self.places.get(vector.index()).is_none_or(Option::is_none) {
            self.furnish(vector)?;
        }
        Ok(vector)
    }
    fn furnish(&mut self, vector: VectorId) -> Result<(), Rejection> {
        let locations: Box<[LocationId]> = self.vectors.locations(vector).into();
        let mut actions = vec![];
        for joint in ir::joints(&mut self.system, &self.outgoing, &locations) {
            let target = joint.target(&self.system, &locations);
            let ir::Guarded { stmt, fault } = self.joint(joint)?;
            actions.push(Step { stmt, vector: self.arrive(&target)?, fault: false });
            if let (Some(stmt), Some(target)) = (fault, ir::fault_target(&self.system, &locations)) {
                actions.push(Step { stmt, vector: self.arrive(&target)?, fault: true });
            }
        }
        let mut target = Formula::Or(vec![]);
        if self.system.is_observed(&locations) {
            let here = ir::at_locations(&mut self.system, self.target, &locations)
                .map_err(|_| wrong("the target cannot be spelled out at some locations"))?;
            target = self.formula(here, true)?;
        }
        self.places.resize_with(self.places.len().max(vector.index() + 1), || None);
        self.places[vector.index()] = Some(Place { actions, target });
        Ok(())
    }
    /// Guards and updates of edges that move together.
    fn joint(&mut self, joint: Joint) -> Result<ir::Guarded, Rejection> {
        if let Some(known) = self.steps.get(&joint) {
            return Ok(*known);
        }
        let step = ir::step(&mut self.system, &joint);
        for stmt in [Some(step.stmt), step.fault].into_iter().flatten() {
            self.split_all(stmt)?;
        }
        self.steps.insert(joint, step);
        Ok(step)
    }
    /// The number of a vector whose arrival is known.
    pub(super) fn arrive(&mut self, locations: &[LocationId]) -> Result<VectorId, Rejection> {
        let vector = self.vectors.vector(locations);
        if self.arrivals.len() == vector.index() {
            let invariant = ir::invariant(&mut self.system, locations);
            let hurry = ir::hurry(&mut self.system, locations);
            let terms = &mut self.system.terms;
            let invariant = terms.assume(invariant);
            let (skip, delay) = (terms.skip(), terms.delay());
            let delay = terms.branch(hurry, skip, delay);
            let stmts = if delay == skip { vec![invariant] } else { vec![invariant, delay, invariant] };
            for stmt in &stmts {
                self.split_all(*stmt)?;
            }
            let constants = self.constants(locations)?;
            self.arrivals.push(Arrival { stmts, constants });
        }
        Ok(vector)
    }
    /// The constants at some locations, if entries there stand for what they simulate.
    fn constants(&self, locations: &[LocationId]) -> Result<Option<Vec<ClockRange>>, Rejection> {
        let Some(constants) = self.set.simulation(locations) else { return Ok(None) };
        let fits = |constant: Option<i64>| constant.is_none_or(|c| (0..=LARGEST).contains(&c));
        if constants.len() != self.clocks.len()
            || !constants.iter().all(|range| fits(range.0) && fits(range.1))
        {
            return Err(wrong("simulation: the constants do not fit the model's clocks"));
        }
        Ok(Some(constants))
    }
    /// Splits every condition in a statement.
    pub(super) fn split_all(&mut self, stmt: Stmt) -> Result<(), Rejection> {
        let mut conditions = vec![];
        self.system.terms.for_each_substmt(stmt, |part| match self.system.terms.stmt(part) {
            StmtNode::Assume(condition) => conditions.push((*condition, false)),
            StmtNode::If(condition, ..) | StmtNode::While(condition, _) => {
                conditions.push((*condition, true))
            }
            _ => {}
        });
        conditions.into_iter().try_for_each(|(condition, both)| self.split(condition, both))
    }
    fn split(&mut self, condition: Term, both: bool) -> Result<(), Rejection> {
        if self.splits.len() <= condition.index() {
            self.splits.resize_with(condition.index() + 1, || None);
        }
        let split = match &self.splits[condition.index()] {
            Some(Split::Data) => return Ok(()),
            Some(Split::Clocks { no, .. }) if !both || !no.is_empty() => return Ok(()),
            _ if !self.system.terms.has_clock(condition) => Split::Data,
            _ => {
                let negation = self.system.terms.not(condition);
                let no = if both { self.cases(negation)? } else { vec![] };
                Split::Clocks { yes: self.cases(condition)?, no }
            }
        };
        self.splits[condition.index()] = Some(split);
        Ok(())
    }
    fn cases(&mut self, condition: Term) -> Result<Vec<Case>, Rejection> {
        let cubes = ir::cubes(&mut self.system.terms, condition).map_err(|_| {
            wrong(format!("the condition `{}` is too complex on clocks", self.system.show(condition)))
        })?;
        let atom = |atom: &ir::ClockAtom| self.atom(atom);
        Ok(cubes
            .into_iter()
            .map(|cube| Case { clocks: cube.clocks.iter().map(atom).collect(), data: cube.data })
            .collect())
    }
    fn atom(&self, atom: &ir::ClockAtom) -> Atom {
        let number = |clock: Option<VarId>| clock.map_or(0, |clock| self.numbers[clock.index()]);
        let constant = self.system.terms.as_const(atom.bound).and_then(small);
        Atom {
            plus: number(atom.plus),
            minus: number(atom.minus),
            bound: constant.map_or(Amount::Term(atom.bound), Amount::Constant),
            strict: atom.strict,
        }
    }
    fn formulas(&mut self, list: &[Term], positive: bool) -> Result<Vec<Formula>, Rejection> {
        let mut parts = vec![];
        for part in list {
            parts.push(ir::deep(|| self.formula(*part, positive))?);
        }
        parts.sort_by_key(|part| match part {
            Formula::Data(_) => 0,
            Formula::Clocks(_) => 1,
            Formula::And(_) | Formula::Or(_) => 2,
        });
        Ok(parts)
    }
    /// A condition or, unless `positive`, its negation.
    fn formula(&mut self, term: Term, positive: bool) -> Result<Formula, Rejection> {
        let terms = &mut self.system.terms;
        if !terms.has_clock(term) {
            return Ok(Formula::Data(if positive { term } else { terms.not(term) }));
        }
        match terms.node(term).clone() {
            Node::Not(inner) => ir::deep(|| self.formula(inner, !positive)),
            Node::And(list) if positive => Ok(Formula::And(self.formulas(&list, positive)?)),
            Node::Or(list) if !positive => Ok(Formula::And(self.formulas(&list, positive)?)),
            Node::And(list) | Node::Or(list) => Ok(Formula::Or(self.formulas(&list, positive)?)),
            _ => {
                // Atoms have few cases, and so have conditionals after the condition is known.
                let one = match *terms.node(term) {
                    Node::Ite(condition, then, otherwise) => Some((condition, then, otherwise)),
                    Node::Eq(a, b) if terms.type_of(a) == Type::Bool => Some((a, b, terms.not(b))),
                    _ => None,
                };
                if let Some((condition, then, otherwise)) = one {
                    let mut side = |holds: bool, then: Term| -> Result<Formula, Rejection> {
                        let condition = ir::deep(|| self.formula(condition, holds))?;
                        Ok(Formula::And(vec![condition, ir::deep(|| self.formula(then, positive))?]))
                    };
                    return Ok(Formula::Or(vec![side(true, then)?, side(false, otherwise)?]));
                }
                let condition = if positive { term } else { terms.not(term) };
                let cases = self.cases(condition)?.into_iter();
                let conjunction = |case: Case| {
                    let data = case.data.into_iter().map(Formula::Data);
                    Formula::And(data.chain(case.clocks.into_iter().map(Formula::Clocks)).collect())
                };
                Ok(Formula::Or(cases.map(conjunction).collect()))
            }
        }
    }
}

/// The differences of clocks that are compared with constants anywhere in the arena of a system.
fn diagonals(system: &mut System, numbers: &[usize]) -> Vec<Constraint> {
    let mut found: Vec<Constraint> = vec![];
    for term in (0..system.terms.len()).map(Term::at) {
        let terms = &mut system.terms;
        let (Node::Le(a, b) | Node::Lt(a, b) | Node::Eq(a, b)) = *terms.node(term) else { continue };
        if terms.type_of(a) != Type::Clock && terms.type_of(b) != Type::Clock {
            continue;
        }
        for atom in ir::clock_atom(terms, term).into_iter().flatten() {
            if let (Some(plus), Some(minus)) = (atom.plus, atom.minus)
                && let Some(constant) = terms.as_const(atom.bound).and_then(small)
            {
                let (plus, minus) = (numbers[plus.index()], numbers[minus.index()]);
                let limit = bound(constant, atom.strict);
                if ![(plus, minus, limit), (minus, plus, reversed(limit))]
                    .iter()
                    .any(|one| found.contains(one))
                {
                    found.push((plus, minus, limit));
                }
            }
        }
    }
    found
}

/// An integer of moderate size.
pub(super) fn small(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => value.to_i64().filter(|value| value.abs() <= LARGEST),
        _ => None,
    }
}
