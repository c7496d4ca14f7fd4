//! Recurrent sets: what to begin every round of a cycle in, where no state comes again ([`ir::Head`]).
//!
//! Once around the cycle, with the choices of a recorded run, is a straight line ([`ir::straight`]); assumptions in it say
//! that every state that is read has the letter it has in the run. A set is recurrent if the line leads from all of its
//! states back to it. Sets are conjunctions of facts from a list, and the largest one that implies itself once
//! around is found by dropping those that are lost (Houdini; Flanagan and Leino 2001). The facts are the condition under
//! which one round is possible, then that for a few rounds more, and then how values compare with those of the run. Of
//! what is found, facts that are not needed are left out, for people to read.

use ir::interp::Interp;
use ir::replay::{self, NoStep};
use ir::{Cycle, Head, Id, Node, Run, State, Steps, Stmt, System, Term, Type, Value};
use smt::z3::Z3Solver;
use smt::{Answer, Limits, Lit, Solver};

use crate::answer::Reason;
use crate::config::Config;
use crate::stop::Stop;

/// A recurrent set that the cycle of a run of a product begins in, if one is found. The run goes around the cycle once,
/// and comes back to the same locations.
///
/// # Errors
/// If the solver gives up, or somebody asked to stop.
pub(crate) fn recurrent(
    product: &System,
    run: &Run,
    config: &Config,
    stop: &Stop,
) -> Result<Option<Head>, Reason> {
    let mut system = product.clone();
    let Some(line) = once_around(&mut system, run) else { return Ok(None) };
    let always = system.terms.bool(true);
    let Ok(once) = ir::leads_to(&mut system.terms, line, always) else { return Ok(None) };
    let conditions = conjuncts(&mut system, [once]);
    let compared = compared(&mut system, run.last());
    let solver = solver(&system, config)?;
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    let mut round = Round { system, line, conditions, solver, stop };
    let mut facts = round.conditions.clone();
    for more in 0..=MORE_ROUNDS {
        if more == MORE_ROUNDS {
            // What is compared may be a condition as well.
            let others: Vec<Term> = compared.iter().filter(|fact| !facts.contains(fact)).copied().collect();
            facts.extend(others);
        } else if more > 0 {
            let Some(longer) = round.before(&facts) else { return Ok(None) };
            // Every recurrent set is within that.
            if !holds(&mut round.system, longer, run.last()) {
                return Ok(None);
            }
            facts = conjuncts(&mut round.system, [longer]);
        }
        if facts.len() > MOST_FACTS {
            return Ok(None);
        }
        let kept = round.preserved(&facts)?;
        if round.conditions.iter().all(|condition| kept.contains(condition)) {
            let formula = round.reduced(kept)?;
            return Ok(Some(Head { terms: round.system.terms, formula }));
        }
    }
    Ok(None)
}

/// Whether a head is a recurrent set of the cycle of a run of a product, which begins in it.
///
/// # Errors
/// If the solver gives up, or somebody asked to stop.
pub(crate) fn is_recurrent(
    product: &System,
    run: &Run,
    head: &Head,
    config: &Config,
    stop: &Stop,
) -> Result<bool, Reason> {
    let mut system = product.clone();
    let Some(line) = once_around(&mut system, run) else { return Ok(false) };
    let formula = system.terms.import(&head.terms, head.formula, &mut |terms, var| terms.var(var));
    let Ok(goal) = ir::leads_to(&mut system.terms, line, formula) else { return Ok(false) };
    if !holds(&mut system, formula, run.last()) {
        return Ok(false);
    }
    let missed = system.terms.not(goal);
    let mut solver = solver(&system, config)?;
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    for part in [formula, missed] {
        solver.assert(&system.terms, part, &Steps::start())?;
    }
    Ok(solver.check(&[])? == Answer::Unsat)
}

/// A solver that knows the ranges of the variables.
fn solver(system: &System, config: &Config) -> Result<Z3Solver, Reason> {
    let mut solver = Z3Solver::new()?;
    for (var, variable) in system.vars.entries() {
        solver.declare(var, variable.range.clone());
    }
    solver.limit(Limits { deadline: None, work: config.work_limit });
    Ok(solver)
}

/// So many rounds more are looked at as conditions of a recurrent set, and then values.
const MORE_ROUNDS: usize = 3;
/// Conjunctions of more facts than this are not tried.
const MOST_FACTS: usize = 200;

/// The straight line of the cycle of a run, with the letters that are read on the way; `None` if it cannot be said.
fn once_around(system: &mut System, run: &Run) -> Option<Stmt> {
    let Cycle { steps, .. } = run.cycle.as_ref()?;
    let mut executed = vec![];
    replay::run(system, run, |system, leg, (decisions, after)| {
        let outcome = Interp::new(system, None).follow(leg.stmt, leg.source(after), decisions);
        executed.extend(outcome.as_ref().is_ok_and(Option::is_some).then_some(leg.stmt));
        Ok::<_, NoStep>(outcome.ok().flatten())
    })
    .ok()?;
    let atoms = system.monitor.as_ref()?.atoms.clone();
    let mut before = run.last();
    let mut parts = vec![];
    for (stmt, step) in executed[run.steps.len() + 1..].iter().zip(steps) {
        if system.is_observed(&before.locations) {
            for atom in &atoms {
                let here = ir::at_locations(system, *atom, &before.locations).ok()?;
                let letter = if holds(system, *atom, before) { here } else { system.terms.not(here) };
                parts.push(system.terms.assume(letter));
            }
        }
        parts.push(ir::straight(system, *stmt, before, &step.decisions, &step.state)?);
        before = &step.state;
    }
    Some(system.terms.seq(parts))
}

/// Whether a condition on variables holds in a state.
fn holds(system: &mut System, condition: Term, state: &State) -> bool {
    let here = ir::at_state(system, condition, state);
    here.is_ok_and(|here| system.terms.as_const(here) == Some(&Value::Bool(true)))
}

/// How the values of variables compare with those of a state.
fn compared(system: &mut System, state: &State) -> Vec<Term> {
    let vars: Vec<_> = system.state_vars().collect();
    let terms = &mut system.terms;
    let mut facts = vec![];
    for (var, value) in vars.into_iter().zip(&state.values) {
        let Some(value) = value else { continue };
        let (now, then) = (terms.var(var), terms.constant(value.clone()));
        if terms.var_type(var) == Type::Int {
            facts.extend([terms.le(then, now), terms.le(now, then)]);
        } else {
            facts.push(terms.eq(now, then));
        }
    }
    facts
}

/// The conjuncts of these terms, each once; what denies a disjunction has one for each part of it.
fn conjuncts(system: &mut System, terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
    let (mut list, mut open): (Vec<Term>, Vec<Term>) = (vec![], terms.into_iter().collect());
    while let Some(next) = open.pop() {
        match system.terms.node(next) {
            Node::And(parts) => open.extend(parts.iter()),
            Node::Const(Value::Bool(true)) => {}
            Node::Not(inner) => match system.terms.node(*inner).clone() {
                Node::Or(parts) => open.extend(parts.iter().map(|part| system.terms.not(*part))),
                _ => list.push(next),
            },
            _ => list.push(next),
        }
    }
    list.sort_unstable_by_key(|term| term.index());
    list.dedup();
    list
}

/// Once around a cycle.
struct Round<'a> {
    system: System,
    line: Stmt,
    /// When it is possible.
    conditions: Vec<Term>,
    /// Nothing is asserted in it; its siblings share its translations.
    solver: Z3Solver,
    stop: &'a Stop,
}

impl Round<'_> {
    /// Where it leads to states in which these facts hold.
    fn before(&mut self, facts: &[Term]) -> Option<Term> {
        let all = self.system.terms.and(facts.iter().copied());
        ir::leads_to(&mut self.system.terms, self.line, all).ok()
    }
    /// The largest part of these facts that implies itself once around, where that is possible.
    fn preserved(&mut self, facts: &[Term]) -> Result<Vec<Term>, Reason> {
        let mut solver = self.solver.sibling()?;
        for condition in &self.conditions {
            solver.assert(&self.system.terms, *condition, &Steps::start())?;
        }
        let mut kept: Vec<(Term, Lit, Lit)> = vec![];
        for fact in facts {
            let Some(after) = self.before(&[*fact]) else { continue };
            let before = solver.lit(&self.system.terms, *fact, &Steps::start())?;
            kept.push((*fact, before, solver.lit(&self.system.terms, after, &Steps::start())?));
        }
        loop {
            self.go_on()?;
            let lost = solver.activation()?;
            let clause: Vec<Lit> = kept.iter().map(|(_, _, after)| !*after).chain([!lost]).collect();
            solver.clause(&clause)?;
            let assumed: Vec<Lit> = kept.iter().map(|(_, before, _)| *before).chain([lost]).collect();
            if solver.check(&assumed)? == Answer::Unsat {
                return Ok(kept.into_iter().map(|(fact, ..)| fact).collect());
            }
            let count = kept.len();
            let mut left = vec![];
            for entry in kept {
                // Of what a model leaves open, nothing is said.
                if solver.truth(entry.2)? != Some(false) {
                    left.push(entry);
                }
            }
            kept = left;
            debug_assert!(kept.len() < count, "a model says which fact is lost");
        }
    }
    /// The conjunction of as few of these facts as are needed, which together are recurrent.
    fn reduced(&mut self, mut facts: Vec<Term>) -> Result<Term, Reason> {
        for at in (0..facts.len()).rev() {
            self.go_on()?;
            let mut fewer = facts.clone();
            fewer.remove(at);
            let Some(goal) = self.before(&fewer) else { continue };
            let missed = self.system.terms.not(goal);
            let mut solver = self.solver.sibling()?;
            for part in fewer.iter().chain([&missed]) {
                solver.assert(&self.system.terms, *part, &Steps::start())?;
            }
            if solver.check(&[])? == Answer::Unsat {
                facts = fewer;
            }
        }
        Ok(self.system.terms.and(facts))
    }
    fn go_on(&self) -> Result<(), Reason> {
        if self.stop.requested() { Err(self.stop.reason()) } else { Ok(()) }
    }
}
