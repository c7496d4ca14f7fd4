//! The way back from a rewriting of variables; why it is right is said [beside the passes](super).

use std::any::Any;

use ir::interp::{Interp, Outcome};
use ir::replay;
use ir::{
    Actions, Certificate, ClosedSet, Descent, Head, Invariant, InvariantEntry, KInductive, Measure, Ranking,
    Run, State, System, Term, Terms, Value, VarId, VectorId, WayBack,
};
use rustc_hash::FxHashMap;
use smt::Solver;
use smt::z3::Z3Solver;

use super::Rewriting;
use super::widened::Widened;
use crate::answer::Reason;
use crate::cegar::cx::is;
use crate::cegar::run::{Tools, decisions};
use crate::pass::Lift;
use crate::stop::Stop;

/// What a rewriting has done to variables, and the system before it.
pub struct Variables {
    /// The system before; its arena has the terms of the way back, too.
    pub before: System,
    /// What variables were.
    pub way_back: WayBack,
    /// Folded variables with their constants.
    pub folded: Vec<(VarId, Value)>,
    /// Whether different states of the system before can be the same now.
    pub merges: bool,
    /// What was done, in words.
    pub summary: Vec<Rewriting>,
}

/// How many executions of a step are tried: where arbitrary values are many, a solver finds them sooner.
const EXECUTIONS_BEFORE_SOLVER: usize = 1_000;
/// The same where a solver does not find them, for example because there are loops on the way.
const EXECUTIONS_AFTER_SOLVER: usize = 100_000;

impl Lift for Variables {
    fn summary(&self) -> Vec<Rewriting> {
        self.summary.clone()
    }
    fn before(&self) -> &System {
        &self.before
    }
    /// By trying executions, and where that takes too long, by asking a solver.
    fn run(&self, after: &System, run: &Run, stop: &Stop) -> Option<Run> {
        let tried = |most| self.way_back.run(after, &self.before, run, most, Some(stop.flag())).ok();
        let solved = || self.by_solver(after, run, stop).ok().flatten();
        let lifted =
            tried(EXECUTIONS_BEFORE_SOLVER).or_else(solved).or_else(|| tried(EXECUTIONS_AFTER_SOLVER))?;
        let head = self.head(after, run, &lifted);
        Some(lifted.within(head))
    }
    fn certificate(&self, after: &System, certificate: Certificate, stop: &Stop) -> Option<Certificate> {
        Some(match certificate {
            Certificate::Invariant(list) => Certificate::Invariant(self.invariant(list)),
            Certificate::KInductive(KInductive { k, argument, lemma }) => {
                if self.merges && argument == ir::Argument::SimplePath {
                    return None;
                }
                Certificate::KInductive(KInductive { k, argument, lemma: self.invariant(lemma) })
            }
            Certificate::ClosedSet(set) if self.merges || has_open_values(&*set) => {
                Certificate::Invariant(self.invariant(listed(after, &*set, stop)?))
            }
            Certificate::ClosedSet(set) => Certificate::ClosedSet(Box::new(Unfolded::new(self, set))),
            Certificate::Zones(set) => Certificate::Zones(Box::new(Widened::new(self, after, set)?)),
            // Products are made of systems as they are, and rewritten then.
            Certificate::Progress(_) | Certificate::Returns(_) | Certificate::Blocks(_) => return None,
        })
    }
    /// Ranks and components are those of the state that a state becomes. Listed states may have become formulas.
    fn progress(
        &self,
        after: &System,
        base: Certificate,
        descent: Descent,
        stop: &Stop,
    ) -> Option<(Certificate, Descent)> {
        let arena = match &base {
            Certificate::Invariant(invariant) => Some(invariant.terms.clone()),
            _ => None,
        };
        let mut base = self.certificate(after, base, stop)?;
        let descent = match (descent, &mut base, arena) {
            (Descent::Measures(list), Certificate::Invariant(_), None) => {
                let ranking = |Measure { rank, missing }| Ranking { rank, components: vec![], missing };
                Descent::Ranks(list.into_iter().map(ranking).collect())
            }
            (Descent::Ranks(mut list), Certificate::Invariant(invariant), Some(arena)) => {
                for component in list.iter_mut().flat_map(|ranking| &mut ranking.components) {
                    *component = self.way_back.invariant(&arena, &mut invariant.terms, *component);
                }
                Descent::Ranks(list)
            }
            (descent @ Descent::Measures(_), Certificate::ClosedSet(_) | Certificate::Zones(_), _) => descent,
            // What counts rounds is another system, with variables of its own.
            _ => return None,
        };
        Some((base, descent))
    }
    /// Maps of variables compose, so that runs are executed again once, and lists are read through one map.
    fn absorb(&mut self, next: &dyn Lift) -> bool {
        let Some(next) = (next as &dyn Any).downcast_ref::<Variables>() else { return false };
        // What is constant now need not have been before.
        if next.folded.iter().any(|(var, _)| self.way_back.get(*var).is_some()) {
            return false;
        }
        self.way_back.extend(&next.way_back, &next.before.terms, &mut self.before.terms);
        self.folded.extend(next.folded.iter().cloned());
        self.merges |= next.merges;
        self.summary.extend(next.summary.iter().cloned());
        true
    }
}

impl Variables {
    /// Nothing is done to `system` yet.
    pub fn of(system: &System) -> Self {
        Variables {
            before: system.clone(),
            way_back: WayBack::identity(),
            folded: vec![],
            merges: false,
            summary: vec![],
        }
    }

    /// What every round of the cycle of a lifted run begins in. If that of `run` always begins in the same state, what is
    /// lifted begins in states that become this one.
    fn head(&self, after: &System, run: &Run, lifted: &Run) -> Option<Head> {
        let cycle = run.cycle.as_ref()?;
        let last = lifted.cycle.as_ref()?.steps.last()?;
        let mut rewritten = after.terms.clone();
        let formula = match &cycle.head {
            Some(head) => rewritten.import(&head.terms, head.formula, &mut |terms, var| terms.var(var)),
            None if last.state == *lifted.last() => return None,
            None => {
                let mut facts = vec![];
                for (var, value) in after.state_vars().zip(&run.last().values) {
                    let value = rewritten.constant(value.clone()?);
                    facts.push(is(&mut rewritten, var, value));
                }
                rewritten.and(facts)
            }
        };
        let mut terms = self.before.terms.clone();
        let constants = self.constants(&mut terms);
        let formula = self.way_back.invariant(&rewritten, &mut terms, formula);
        Some(Head { formula: terms.and([constants, formula]), terms })
    }

    /// Where time passes, delays are spelled out for the solver.
    fn by_solver(&self, after: &System, run: &Run, stop: &Stop) -> Result<Option<Run>, Reason> {
        let mut solver = Z3Solver::new()?;
        let interrupter = solver.interrupter();
        let _listening = stop.listen(move || interrupter.interrupt());
        let (mut system, elapsed) = match self.before.timed() {
            None => (self.before.clone(), None),
            Some(_) => {
                let (system, elapsed) = ir::spell_out(&self.before);
                (system, Some(elapsed))
            }
        };
        for (var, variable) in system.vars.entries() {
            solver.declare(var, variable.range.clone());
        }
        let run = replay::run(&mut system, run, |system, leg, (_, state)| {
            let (wanted, facts) = self.wanted(&mut system.terms, after, state);
            let mut tools = Tools { system, solver: &solver, stop };
            let decisions = decisions(&mut tools, leg.stmt, leg.before, &wanted, &facts)?;
            let mut interp = Interp::new(system, Some(stop.flag()));
            let Ok(Some(outcome)) = interp.follow(leg.stmt, leg.before, &decisions) else { return Ok(None) };
            let mut was = State { locations: leg.target.into(), values: outcome.values };
            replay::close(system, &mut was.values, |slot, _| wanted[slot].clone());
            let agrees = self.way_back.agrees(after, system, &was, state);
            Ok::<_, Reason>(agrees.then_some(Outcome { values: was.values, decisions, fixed: vec![] }))
        })?;
        Ok(match elapsed {
            None => Some(run),
            Some(elapsed) => elapsed.run(&run),
        })
    }
    /// What is known of the state that became `state` of the system after: the values both have, and what terms are
    /// equal to.
    fn wanted(&self, terms: &mut Terms, after: &System, state: &State) -> (Vec<Option<Value>>, Vec<Term>) {
        let mut facts = vec![];
        let mut shared: FxHashMap<VarId, Value> = FxHashMap::default();
        for (var, value) in after.state_vars().zip(&state.values) {
            let Some(value) = value else { continue };
            match self.way_back.get(var) {
                None => drop(shared.insert(var, value.clone())),
                Some(was) => {
                    let value = terms.constant(value.clone());
                    facts.push(terms.eq(was, value));
                }
            }
        }
        (self.before.state_vars().map(|var| shared.remove(&var)).collect(), facts)
    }

    /// The formulas over the variables before, and the folded constants.
    fn invariant(&self, list: Invariant) -> Invariant {
        let Invariant { terms: rewritten, initial, entries } = list;
        let mut terms = self.before.terms.clone();
        let constants = self.constants(&mut terms);
        let entries = entries
            .into_iter()
            .map(|entry| {
                let formula = self.way_back.invariant(&rewritten, &mut terms, entry.formula);
                InvariantEntry { formula: terms.and([constants, formula]), ..entry }
            })
            .collect();
        Invariant { terms, initial, entries }
    }
    fn constants(&self, terms: &mut Terms) -> Term {
        let mut facts = vec![];
        for (var, value) in &self.folded {
            let value = terms.constant(value.clone());
            facts.push(is(terms, *var, value));
        }
        terms.and(facts)
    }
}

/// Whether a listed state stands for several. What a condition that was folded away had looked at is open in
/// the list and has a value in the old system, where such a state is not listed as it is.
fn has_open_values(set: &dyn ClosedSet) -> bool {
    (0..set.len()).any(|at| set.state(at).values.iter().any(Option::is_none))
}

/// A list of states as formulas, one for each; their successors are looked up once more.
fn listed(system: &System, set: &dyn ClosedSet, stop: &Stop) -> Option<Invariant> {
    let mut system = system.clone();
    let vars: Vec<VarId> = system.state_vars().collect();
    let number = |state: &State| set.find(state).and_then(|at| u32::try_from(at).ok());
    let mut initial = vec![];
    let stmt = ir::initial(&mut system);
    let open = system.arbitrary_state();
    let mut complete = true;
    Interp::new(&system, Some(stop.flag()))
        .successors(stmt, &open, &mut |outcome| {
            let at = number(&State { locations: open.locations.clone(), values: outcome.values });
            complete &= at.is_some();
            initial.extend(at);
            complete
        })
        .ok()?;
    let mut actions = Actions::new();
    let mut entries = Vec::with_capacity(set.len());
    for at in 0..set.len() {
        if stop.requested() || !complete {
            return None;
        }
        let state = set.state(at);
        let vector: VectorId = actions.vector(&state.locations);
        let steps = actions.of(&mut system, vector).to_vec();
        let mut successors = vec![];
        let mut interp = Interp::new(&system, Some(stop.flag()));
        for action in &steps {
            interp
                .successors(action.stmt, &state, &mut |outcome| {
                    let at = number(&State { locations: action.target.clone(), values: outcome.values });
                    complete &= at.is_some();
                    successors.extend(at);
                    complete
                })
                .ok()?;
        }
        successors.sort_unstable();
        successors.dedup();
        let mut facts = vec![];
        for (var, value) in vars.iter().zip(state.values) {
            let Some(value) = value else { continue };
            let value = system.terms.constant(value);
            facts.push(is(&mut system.terms, *var, value));
        }
        let formula = system.terms.and(facts);
        entries.push(InvariantEntry { locations: state.locations, formula, successors });
    }
    initial.sort_unstable();
    initial.dedup();
    complete.then_some(Invariant { terms: system.terms, initial, entries })
}

/// A closed set with the folded constants put in.
struct Unfolded {
    set: Box<dyn ClosedSet>,
    /// For every variable of the old states: its constant, or none if it is one of the new ones, too.
    slots: Vec<Option<Value>>,
}

impl Unfolded {
    fn new(lift: &Variables, set: Box<dyn ClosedSet>) -> Self {
        let constant =
            |var: VarId| lift.folded.iter().find(|(other, _)| *other == var).map(|(_, value)| value.clone());
        Unfolded { set, slots: lift.before.state_vars().map(constant).collect() }
    }
}

impl ClosedSet for Unfolded {
    fn len(&self) -> usize {
        self.set.len()
    }
    fn state(&self, index: usize) -> State {
        let State { locations, values } = self.set.state(index);
        let mut rest = values.into_iter();
        let values = self.slots.iter().map(|constant| constant.clone().or_else(|| rest.next().flatten()));
        State { locations, values: values.collect() }
    }
    fn find(&self, state: &State) -> Option<usize> {
        let kept = self.slots.iter().zip(&state.values).filter(|(constant, _)| constant.is_none());
        let values = kept.map(|(_, value)| value.clone()).collect();
        self.set.find(&State { locations: state.locations.clone(), values })
    }
}
