//! Answers about a rewritten system as answers about the old one.

use ir::interp::{Interp, Outcome};
use ir::replay;
use ir::{
    Actions, Certificate, ClosedSet, Invariant, InvariantEntry, KInductive, Run, State, Term, Terms, Value,
    VarId, VectorId,
};
use smt::Solver;
use smt::z3::Z3Solver;

use super::Preprocessed;
use super::widened::Widened;
use crate::answer::{Answer, Reason};
use crate::cegar::cx::is;
use crate::cegar::run::{Tools, decisions};
use crate::stop::Stop;

/// See [`Preprocessed::lift`].
pub fn answer(work: &Preprocessed, answer: Answer, stop: &Stop) -> Option<Answer> {
    match (untimed(work, answer, stop)?, &work.elapsed) {
        (Answer::Found(run), Some(elapsed)) => elapsed.run(&run).map(Answer::Found),
        (answer, _) => Some(answer),
    }
}

/// An answer about the system before the rewritings of data.
fn untimed(work: &Preprocessed, answer: Answer, stop: &Stop) -> Option<Answer> {
    let certificate = match answer {
        Answer::Unknown(reason) => return Some(Answer::Unknown(reason)),
        Answer::Found(found) => return run(work, &found, stop).map(Answer::Found),
        Answer::Excluded(certificate) => certificate,
    };
    if work.is_plain() {
        return Some(Answer::Excluded(certificate));
    }
    Some(Answer::Excluded(match certificate {
        Certificate::Invariant(list) => Certificate::Invariant(invariant(work, list)),
        Certificate::KInductive(KInductive { k, argument, lemma }) => {
            if work.merges && argument == ir::Argument::SimplePath {
                return None;
            }
            Certificate::KInductive(KInductive { k, argument, lemma: invariant(work, lemma) })
        }
        Certificate::ClosedSet(set) if work.merges || has_open_values(&*set) => {
            Certificate::Invariant(listed(work, &*set, stop)?)
        }
        Certificate::ClosedSet(set) => Certificate::ClosedSet(Box::new(Unfolded::new(work, set))),
        Certificate::Zones(set) => Certificate::Zones(Box::new(Widened::new(work, set)?)),
    }))
}

// Runs.

/// A run of the old system: by trying executions, and where that takes too long, by asking a solver.
fn run(work: &Preprocessed, run: &Run, stop: &Stop) -> Option<Run> {
    if work.is_plain() {
        return Some(run.clone());
    }
    let tried = |most| work.way_back.run(&work.system, &work.original, run, most, Some(stop.flag())).ok();
    let solved = || by_solver(work, run, stop).ok().flatten();
    tried(FEW).or_else(solved).or_else(|| tried(MANY))
}

/// How many executions of a step are tried: where arbitrary values are many, a solver finds them sooner.
const FEW: usize = 1_000;
/// The same where a solver does not find them, for example because there are loops on the way.
const MANY: usize = 100_000;

/// Where time passes, delays are spelled out for the solver.
fn by_solver(work: &Preprocessed, run: &Run, stop: &Stop) -> Result<Option<Run>, Reason> {
    let mut solver = Z3Solver::new()?;
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    let (mut system, elapsed) = match work.original.timed() {
        None => (work.original.clone(), None),
        Some(_) => {
            let (system, elapsed) = ir::spell_out(&work.original);
            (system, Some(elapsed))
        }
    };
    for (var, variable) in system.vars.entries() {
        solver.declare(var, variable.range.clone());
    }
    let run = replay::run(&mut system, run, |system, leg, (_, after)| {
        let (wanted, facts) = wanted(work, &mut system.terms, after);
        let mut tools = Tools { system, solver: &solver, stop };
        let decisions = decisions(&mut tools, leg.stmt, leg.before, &wanted, &facts)?;
        let mut interp = Interp::new(system, Some(stop.flag()));
        let Ok(Some(outcome)) = interp.follow(leg.stmt, leg.before, &decisions) else { return Ok(None) };
        let mut state = State { locations: leg.target.into(), values: outcome.values };
        replay::close(system, &mut state.values, |slot, _| wanted[slot].clone());
        let agrees = work.way_back.agrees(&work.system, system, &state, after);
        Ok::<_, Reason>(agrees.then_some(Outcome { values: state.values, decisions, fixed: vec![] }))
    })?;
    Ok(match elapsed {
        None => Some(run),
        Some(elapsed) => elapsed.run(&run),
    })
}

/// What is known of the old state behind `after`: the values both have, and what terms are equal to.
fn wanted(work: &Preprocessed, terms: &mut Terms, after: &State) -> (Vec<Option<Value>>, Vec<Term>) {
    let mut facts = vec![];
    let mut shared: rustc_hash::FxHashMap<VarId, Value> = rustc_hash::FxHashMap::default();
    for (var, value) in work.system.state_vars().zip(&after.values) {
        let Some(value) = value else { continue };
        match work.way_back.get(var) {
            None => drop(shared.insert(var, value.clone())),
            Some(was) => {
                let value = terms.constant(value.clone());
                facts.push(terms.eq(was, value));
            }
        }
    }
    let values = work.original.state_vars().map(|var| shared.remove(&var)).collect();
    (values, facts)
}

// Invariants.

/// The formulas over the old variables, and the folded constants.
fn invariant(work: &Preprocessed, list: Invariant) -> Invariant {
    let Invariant { terms: rewritten, initial, entries } = list;
    let mut terms = work.original.terms.clone();
    let constants = constants(work, &mut terms);
    let entries = entries
        .into_iter()
        .map(|entry| {
            let formula = work.way_back.invariant(&rewritten, &mut terms, entry.formula);
            InvariantEntry { formula: terms.and([constants, formula]), ..entry }
        })
        .collect();
    Invariant { terms, initial, entries }
}

fn constants(work: &Preprocessed, terms: &mut Terms) -> Term {
    let mut facts = vec![];
    for (var, value) in &work.folded {
        let value = terms.constant(value.clone());
        facts.push(is(terms, *var, value));
    }
    terms.and(facts)
}

/// Whether a listed state stands for several. What a condition that was folded away had looked at is open in
/// the list and has a value in the old system, where such a state is not listed as it is.
fn has_open_values(set: &dyn ClosedSet) -> bool {
    (0..set.len()).any(|at| set.state(at).values.iter().any(Option::is_none))
}

/// A list of states as formulas, one for each; their successors are looked up once more.
fn listed(work: &Preprocessed, set: &dyn ClosedSet, stop: &Stop) -> Option<Invariant> {
    let mut system = work.system.clone();
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
    complete.then(|| invariant(work, Invariant { terms: system.terms, initial, entries }))
}

/// A closed set with the folded constants put in.
struct Unfolded {
    set: Box<dyn ClosedSet>,
    /// For every variable of the old states: its constant, or none if it is one of the new ones, too.
    slots: Vec<Option<Value>>,
}

impl Unfolded {
    fn new(work: &Preprocessed, set: Box<dyn ClosedSet>) -> Self {
        let constant =
            |var: VarId| work.folded.iter().find(|(other, _)| *other == var).map(|(_, value)| value.clone());
        Unfolded { set, slots: work.original.state_vars().map(constant).collect() }
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
