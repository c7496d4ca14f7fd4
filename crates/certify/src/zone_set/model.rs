//! The system as the check reads it: actions of location vectors, with statements whose conditions over
//! clocks are known. Everything that needs new terms happens here and in [`super::condition`], once.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use ir::{
    Actions, Id, Joint, LocationId, Node, Outgoing, ProcessId, Stmt, StmtNode, System, Term, Type, Value,
    VarId, VectorId,
};
use rustc_hash::FxHashMap;

use super::condition::Formula;
use super::execution::{Outcome, entries_written};
use super::live::live;
use super::open::Reading;
use super::path::Op;
use super::states::Column;
use crate::dbm::{LARGEST, bound, reversed};
use crate::{Rejection, Undecided};

/// The system with what has been composed and split of it.
pub(super) struct Model {
    pub(super) system: System,
    /// Numbers for vectors of locations.
    pub(super) vectors: Actions,
    outgoing: Outgoing,
    /// The steps for guards and updates of edges that move together, and for how they go wrong.
    joints: FxHashMap<Joint, (u32, Option<u32>)>,
    pub(super) steps: Vec<Step>,
    /// The number of each step.
    numbers_of_steps: FxHashMap<Stmt, u32>,
    /// For each process and location, the step that checks its invariant, unless that always holds.
    invariants: Vec<Vec<Option<u32>>>,
    /// The key is [`VectorId`].
    arrivals: Vec<Option<Arrival>>,
    target: Term,
    /// The locations that the target names, and the targets by where processes are in these.
    watched: Vec<(ProcessId, LocationId)>,
    targets: FxHashMap<Box<[bool]>, Target>,
    /// Targets at some locations.
    pub(super) judgements: Vec<Judgement>,
    numbers_of_judgements: FxHashMap<Term, u32>,
    /// Where states have the clocks.
    pub(super) clocks: Vec<usize>,
    pub(super) state_vars: Vec<VarId>,
    /// For each state variable, its values.
    pub(super) columns: Vec<Column>,
    /// The number of each variable's clock; 0 for data.
    pub(super) numbers: Vec<usize>,
    /// The differences of clocks that are compared with constants.
    pub(super) diagonals: Vec<Constraint>,
    /// The key is [`Term`]: conditions of statements, split; or why zones cannot show one, as the number of a
    /// refusal.
    pub(super) splits: Vec<Option<Result<Split, u32>>>,
    /// Conditions over data and clocks, parts before what they are part of.
    pub(super) formulas: Vec<Formula>,
    /// The number of each, and of its negation where that says `false`.
    pub(super) numbers_of_formulas: FxHashMap<(Term, bool), u32>,
    /// The key is [`VectorId`].
    places: Vec<Option<Place>>,
    /// Why executions cannot be followed.
    pub(super) refusals: Vec<Undecided>,
    /// How open data are read now.
    pub(super) reading: Reading,
    /// Whether outcomes have been listed that are for one zone only.
    pub(super) by_zone: bool,
    /// Memory for the key of a look-up.
    pub(super) key: Vec<u32>,
    /// No outcome.
    pub(super) nothing: Rc<[Outcome]>,
    /// For each variable, its position among those of the state.
    pub(super) slots: Vec<Option<u32>>,
}

/// A statement with its outcomes.
pub(super) struct Step {
    pub(super) stmt: Stmt,
    /// The positions of the words that it depends on.
    pub(super) keys: Box<[u32]>,
    /// Arrays that it does not depend on, and changes at single positions only.
    pub(super) by_entry: Box<[VarId]>,
    /// Constraints on clocks that come before the statement.
    pub(super) before: Box<[Atom]>,
    /// What the statement begins with, if that is a condition with a part on data.
    pub(super) guard: Option<Guard>,
    /// By the words at these positions.
    pub(super) memo: FxHashMap<Box<[u32]>, Rc<[Outcome]>>,
    /// How many outcomes it has in all.
    pub(super) kept: usize,
    /// How often the memo had the answer, and how often not.
    pub(super) hits: u32,
    pub(super) misses: u32,
    /// Whether there are too many outcomes to be listed without a zone.
    pub(super) direct: bool,
}

/// A condition at the beginning of a statement.
pub(super) struct Guard {
    /// What it asks of data.
    pub(super) data: Box<[Term]>,
    /// The step that is left where data satisfy it.
    pub(super) rest: u32,
}

/// The target at some locations.
pub(super) struct Judgement {
    pub(super) formula: u32,
    /// The positions of the words that it depends on.
    pub(super) keys: Box<[u32]>,
    /// By the words at these positions, whether it may hold.
    pub(super) memo: FxHashMap<Box<[u32]>, bool>,
}

/// A vector of locations.
pub(super) struct Place {
    pub(super) actions: Box<[Action]>,
    /// When the target holds here; never where nobody looks.
    pub(super) target: Target,
}

/// When the target holds at some locations, by the numbers of judgements: in states that are deadlocked,
/// and in those that are not.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub(super) struct Target {
    pub(super) dead: Option<u32>,
    pub(super) alive: Option<u32>,
}

/// An action.
#[derive(Copy, Clone)]
pub(super) struct Action {
    /// Guards and updates.
    pub(super) step: u32,
    /// Where it leads.
    pub(super) vector: VectorId,
    /// Whether it goes wrong; then nothing happens on arrival.
    pub(super) fault: bool,
    /// The acceptance sets that it is in.
    pub(super) marks: u64,
}

/// What becomes of a state that gets to a vector of locations.
pub(super) struct Arrival {
    /// Invariants, a delay where time may pass, and invariants again.
    steps: Rc<[u32]>,
    /// Together, if data do not matter.
    fixed: Option<Programs>,
}

/// Ways to arrive.
pub(super) type Programs = Rc<[Program]>;

/// What happens to clocks, and the words that change.
#[derive(Clone, Default)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) writes: Vec<(u32, u32)>,
    /// Whether that depends on open data.
    pub(super) guessed: bool,
}

/// A condition of a statement.
#[derive(Copy, Clone)]
pub(super) enum Split {
    /// On data only.
    Data,
    /// On clocks too: when it holds, and when it fails.
    Clocks { yes: u32, no: u32 },
}

/// `plus - minus ≺ bound`, over clock numbers.
#[derive(Copy, Clone)]
pub(super) struct Atom {
    pub(super) plus: usize,
    pub(super) minus: usize,
    pub(super) bound: Amount,
    pub(super) strict: bool,
}

#[derive(Copy, Clone)]
pub(super) enum Amount {
    Constant(i64),
    Term(Term),
}

/// An atom whose bound is known.
pub(super) type Constraint = (usize, usize, i32);

impl Model {
    pub(super) fn new(mut system: System, target: Term) -> Self {
        let mut numbers = vec![0; system.vars.len()];
        let mut clocks = vec![];
        for clock in system.clocks() {
            // A clock that is no part of the state has no slot; there is none in any front-end.
            let slot = system.state_vars().position(|var| var == clock).expect("clocks are part of states");
            clocks.push(slot);
            numbers[clock.index()] = clocks.len();
        }
        let diagonals = diagonals(&mut system, &numbers);
        let mut watched = vec![];
        system.terms.for_each_subterm(target, |t| {
            if let Node::At(process, location) = *system.terms.node(t) {
                watched.push((process, location));
            }
        });
        let outgoing = Outgoing::new(&mut system);
        let state_vars: Vec<VarId> = system.state_vars().collect();
        let mut slots = vec![None; system.vars.len()];
        for (slot, var) in state_vars.iter().enumerate() {
            slots[var.index()] = Some(slot as u32);
        }
        Model {
            diagonals,
            columns: state_vars.iter().map(|_| Column::default()).collect(),
            state_vars,
            system,
            vectors: Actions::new(),
            outgoing,
            joints: FxHashMap::default(),
            steps: vec![],
            numbers_of_steps: FxHashMap::default(),
            invariants: vec![],
            arrivals: vec![],
            target,
            watched,
            targets: FxHashMap::default(),
            judgements: vec![],
            numbers_of_judgements: FxHashMap::default(),
            clocks,
            numbers,
            splits: vec![],
            formulas: vec![],
            numbers_of_formulas: FxHashMap::default(),
            places: vec![],
            refusals: vec![],
            reading: Reading::default(),
            by_zone: false,
            key: vec![],
            nothing: Rc::new([]),
            slots,
        }
    }
    pub(super) fn dim(&self) -> usize {
        self.clocks.len() + 1
    }
    pub(super) fn place(&self, vector: VectorId) -> &Place {
        self.places[vector.index()].as_ref().expect("furnished before")
    }
    fn arrival(&self, vector: VectorId) -> &Arrival {
        self.arrivals[vector.index()].as_ref().expect("arrived before")
    }
    pub(super) fn locations(&self, vector: VectorId) -> &[LocationId] {
        self.vectors.locations(vector)
    }
    /// The number of a vector.
    pub(super) fn number(&mut self, locations: &[LocationId]) -> u32 {
        self.vectors.vector(locations).index() as u32
    }
    /// Makes sure that it is known what can happen at a vector.
    pub(super) fn furnish(&mut self, vector: VectorId) -> Result<(), Rejection> {
        if self.places.get(vector.index()).is_some_and(Option::is_some) {
            return Ok(());
        }
        self.arrive(vector)?;
        let locations: Box<[LocationId]> = self.vectors.locations(vector).into();
        let mut actions = vec![];
        for joint in ir::joints(&mut self.system, &self.outgoing, &locations) {
            let to = joint.target(&self.system, &locations);
            let target = self.vectors.vector(&to);
            let (step, mut fault) = self.joint(joint.clone())?;
            if ir::has_undefined(&self.system, &to) {
                let step = ir::step(&mut self.system, &joint);
                let stmt = ir::goes_wrong(&mut self.system, step, &to);
                fault = stmt.map(|stmt| self.step_for(stmt)).transpose()?;
            }
            let marks = self.system.monitor.as_ref().map_or(0, |monitor| monitor.marks_of(&joint.edges));
            actions.push(Action { step, vector: target, fault: false, marks });
            if let (Some(step), Some(target)) = (fault, ir::fault_target(&self.system, &locations)) {
                actions.push(Action { step, vector: self.vectors.vector(&target), fault: true, marks });
            }
        }
        let target = self.target_at(&locations)?;
        self.places.resize_with(self.places.len().max(vector.index() + 1), || None);
        self.places[vector.index()] = Some(Place { actions: actions.into(), target });
        Ok(())
    }
    /// The target at some locations.
    fn target_at(&mut self, locations: &[LocationId]) -> Result<Target, Rejection> {
        if !self.system.is_observed(locations) {
            return Ok(Target::default());
        }
        let is_there = |(process, at): &(ProcessId, LocationId)| locations[process.index()] == *at;
        let key: Box<[bool]> = self.watched.iter().map(is_there).collect();
        if let Some(known) = self.targets.get(&key) {
            return Ok(*known);
        }
        let [dead, alive] = [true, false]
            .map(|deadlocked| ir::given_deadlock(&mut self.system, self.target, locations, deadlocked));
        let target = Target { dead: self.judgement(dead)?, alive: self.judgement(alive)? };
        self.targets.insert(key, target);
        Ok(target)
    }
    /// The number of a target, unless it never holds.
    fn judgement(&mut self, here: Term) -> Result<Option<u32>, Rejection> {
        if self.system.terms.as_const(here) == Some(&Value::Bool(false)) {
            return Ok(None);
        }
        if let Some(known) = self.numbers_of_judgements.get(&here) {
            return Ok(Some(*known));
        }
        let number = self.judgements.len() as u32;
        let formula = self.formula(here, true)?;
        let keys = self.keys(&[here], &self.system.terms.vars_of(here));
        self.judgements.push(Judgement { formula, keys, memo: FxHashMap::default() });
        self.numbers_of_judgements.insert(here, number);
        Ok(Some(number))
    }
    /// Guards and updates of edges that move together, and how they go wrong.
    fn joint(&mut self, joint: Joint) -> Result<(u32, Option<u32>), Rejection> {
        if let Some(known) = self.joints.get(&joint) {
            return Ok(*known);
        }
        let ir::Guarded { stmt, fault } = ir::step(&mut self.system, &joint);
        let step = self.step_for(stmt)?;
        let fault = fault.map(|stmt| self.step_for(stmt)).transpose()?;
        self.joints.insert(joint, (step, fault));
        Ok((step, fault))
    }
    /// The number of a step.
    pub(super) fn step_for(&mut self, stmt: Stmt) -> Result<u32, Rejection> {
        if let Some(known) = self.numbers_of_steps.get(&stmt) {
            return Ok(*known);
        }
        self.split_all(stmt);
        let guard = self.guard(stmt);
        let number = self.add_step(stmt, Box::default(), guard);
        self.numbers_of_steps.insert(stmt, number);
        Ok(number)
    }
    fn add_step(&mut self, stmt: Stmt, before: Box<[Atom]>, guard: Option<Guard>) -> u32 {
        let terms = &self.system.terms;
        let amount = |atom: &Atom| match atom.bound {
            Amount::Term(term) => Some(term),
            Amount::Constant(_) => None,
        };
        let mut mentioned: Vec<Term> = before.iter().filter_map(amount).collect();
        let (mut by_entry, mut whole) = (vec![], vec![]);
        terms.for_each_substmt(stmt, |part| match terms.stmt(part) {
            StmtNode::Assign(var, term) if let Some(written) = entries_written(terms, *var, *term) => {
                by_entry.push(*var);
                mentioned.extend(written.into_iter().flat_map(|(index, entry)| [index, entry]));
            }
            node => {
                if let StmtNode::Assign(var, _) | StmtNode::Havoc(var) | StmtNode::For { var, .. } = node {
                    whole.push(*var);
                }
                node.for_each_term(|term| mentioned.push(term));
            }
        });
        whole.extend(mentioned.iter().flat_map(|term| terms.vars_of(*term)));
        by_entry.retain(|var| self.slots[var.index()].is_some() && !whole.contains(var));
        let mut vars: Vec<VarId> =
            before.iter().filter_map(amount).flat_map(|term| terms.vars_of(term)).collect();
        if !live(terms, stmt, &by_entry, &mut vars) {
            vars = whole;
        }
        let keys = self.keys(&mentioned, &vars);
        let by_entry = by_entry.into();
        let memo = FxHashMap::default();
        self.steps.push(Step {
            stmt,
            before,
            keys,
            by_entry,
            guard,
            memo,
            kept: 0,
            hits: 0,
            misses: 0,
            direct: false,
        });
        self.steps.len() as u32 - 1
    }
    /// The condition that a statement begins with, if there is one way only in which it can hold.
    fn guard(&mut self, stmt: Stmt) -> Option<Guard> {
        let (first, rest) = match self.system.terms.stmt(stmt) {
            StmtNode::Seq(list) => (list[0], list[1..].to_vec()),
            _ => (stmt, vec![]),
        };
        let StmtNode::Assume(condition) = *self.system.terms.stmt(first) else { return None };
        let (data, clocks) = match self.splits[condition.index()]?.ok()? {
            Split::Data => (vec![condition], vec![]),
            Split::Clocks { yes, .. } => self.conjunction(yes)?,
        };
        if data.is_empty() {
            return None;
        }
        let rest = self.system.terms.seq(rest);
        let rest = self.add_step(rest, clocks.into(), None);
        Some(Guard { data: data.into(), rest })
    }
    /// The positions of the words for these variables, and of that for the locations if `terms` ask for any.
    fn keys(&self, terms: &[Term], vars: &[VarId]) -> Box<[u32]> {
        let mut keys = vec![];
        for term in terms {
            self.system.terms.for_each_subterm(*term, |part| {
                if matches!(self.system.terms.node(part), Node::At(..)) {
                    keys.push(0);
                }
            });
        }
        for (slot, var) in self.state_vars.iter().enumerate() {
            if self.numbers[var.index()] == 0 && vars.contains(var) {
                keys.push(slot as u32 + 1);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys.into()
    }
    /// Makes sure that it is known what becomes of a state that gets to a vector.
    pub(super) fn arrive(&mut self, vector: VectorId) -> Result<(), Rejection> {
        if self.arrivals.get(vector.index()).is_some_and(Option::is_some) {
            return Ok(());
        }
        if self.invariants.is_empty() {
            self.find_invariants()?;
        }
        let locations: Box<[LocationId]> = self.vectors.locations(vector).into();
        let here = self.invariants.iter().zip(&locations).filter_map(|(process, at)| process[at.index()]);
        let mut steps: Vec<u32> = here.collect();
        let delay = ir::passing(&mut self.system, &self.outgoing, &locations);
        if delay != self.system.terms.skip() {
            let delay = self.step_for(delay)?;
            let again = steps.clone();
            steps.push(delay);
            steps.extend(again);
        }
        self.arrivals.resize_with(self.arrivals.len().max(vector.index() + 1), || None);
        self.arrivals[vector.index()] = Some(Arrival { steps: steps.into(), fixed: None });
        Ok(())
    }
    /// Whether clocks decide at a vector how far time passes.
    pub(super) fn is_urgent_in_time(&mut self, vector: VectorId) -> bool {
        let locations: Box<[LocationId]> = self.vectors.locations(vector).into();
        ir::urgency(&mut self.system, &self.outgoing, &locations).is_timed(&self.system.terms)
    }
    fn find_invariants(&mut self) -> Result<(), Rejection> {
        for process in self.system.processes.ids().collect::<Vec<_>>() {
            let terms: Vec<Term> =
                self.system.processes[process].locations.iter().map(|location| location.invariant).collect();
            let mut here = vec![];
            for term in terms {
                let stmt = self.system.terms.assume(term);
                let always = stmt == self.system.terms.skip();
                here.push(if always { None } else { Some(self.step_for(stmt)?) });
            }
            self.invariants.push(here);
        }
        Ok(())
    }
    /// The ways in which a state, whose words are still those of the source but for what the action
    /// changed, gets to a vector.
    pub(super) fn programs(
        &mut self,
        vector: VectorId,
        words: &[u32],
        stop: &AtomicBool,
    ) -> Result<Programs, Rejection> {
        self.arrive(vector)?;
        let Arrival { steps, fixed, .. } = self.arrival(vector);
        if let Some(fixed) = fixed {
            return Ok(Rc::clone(fixed));
        }
        let steps = Rc::clone(steps);
        let mut programs = vec![Program::default()];
        let mut now = words.to_vec();
        for step in steps.iter() {
            let mut longer = vec![];
            for program in programs {
                now.copy_from_slice(words);
                for (at, word) in &program.writes {
                    now[*at as usize] = *word;
                }
                for outcome in self.outcomes(*step, &now, None, stop)?.iter() {
                    assert!(outcome.entries.is_empty(), "invariants and delays write nothing");
                    let mut next = program.clone();
                    next.ops.extend_from_slice(&outcome.ops);
                    next.writes.extend_from_slice(&outcome.writes);
                    next.guessed |= outcome.guessed;
                    longer.push(next);
                }
            }
            programs = longer;
        }
        let programs: Programs = programs.into();
        if steps.iter().all(|step| self.steps[*step as usize].keys.is_empty()) {
            let arrival = self.arrivals[vector.index()].as_mut().expect("arrived before");
            arrival.fixed = Some(Rc::clone(&programs));
        }
        Ok(programs)
    }
    /// Splits every condition in a statement.
    fn split_all(&mut self, stmt: Stmt) {
        let mut conditions = vec![];
        self.system.terms.for_each_substmt(stmt, |part| match self.system.terms.stmt(part) {
            StmtNode::Assume(condition) | StmtNode::If(condition, ..) | StmtNode::While(condition, _) => {
                conditions.push(*condition)
            }
            _ => {}
        });
        conditions.into_iter().for_each(|condition| self.split(condition));
    }
    fn split(&mut self, condition: Term) {
        if self.splits.len() <= condition.index() {
            self.splits.resize_with(condition.index() + 1, || None);
        }
        if self.splits[condition.index()].is_some() {
            return;
        }
        let split = match self.system.terms.has_clock(condition) {
            true => self.formula(condition, true).and_then(|yes| {
                let no = self.formula(condition, false)?;
                Ok(Split::Clocks { yes, no })
            }),
            false => Ok(Split::Data),
        };
        self.splits[condition.index()] = Some(split.map_err(|why| {
            self.refusals.push(why);
            self.refusals.len() as u32 - 1
        }));
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
        Value::Int(value) => value.to_i64().filter(|value| (-LARGEST..=LARGEST).contains(value)),
        _ => None,
    }
}
