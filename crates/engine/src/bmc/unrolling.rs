//! All runs of a length, as one formula that grows.
//!
//! Invariant: the solver knows the runs of [`Unrolling::depth`] steps of which no state has been found bad
//! so far; their states are at the steps of `cuts`.

use ir::{Action, Frame, Id, Int, Monolithic, NoView, Run, Steps, Term, Value, VarId, VectorId};
use smt::z3::Z3Solver;
use smt::{Answer, Solver};

use crate::answer::Reason;
use crate::cause::{Contradiction, Unsupported};
use crate::cegar::cx::no_formula;
use crate::cegar::run::{Tools, concretise};
use crate::config::Theory;
use crate::stop::Stop;

/// Runs from the initial states.
pub(crate) struct Unrolling<'a> {
    pub view: Monolithic,
    pub solver: Z3Solver,
    stop: &'a Stop,
    /// Where the variables are in every state of the runs, the initial one first.
    pub(super) cuts: Vec<Steps>,
    /// Where each of these states can be.
    pub(super) frames: Vec<Frame>,
}

/// What is at the end of the runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A bad state in one of them.
    Bad,
    /// No bad state.
    Nothing,
    /// There is no such run.
    End,
}

impl<'a> Unrolling<'a> {
    /// Runs of no steps.
    pub fn new(mut view: Monolithic, theory: Theory, stop: &'a Stop) -> Result<Self, Reason> {
        let initial = view.initial().map_err(|why| refused(&view, why))?;
        let mut solver = solver(&view, theory)?;
        solver.assert(&view.system.terms, initial.formula, &Steps::start())?;
        Ok(Unrolling { view, solver, stop, cuts: vec![initial.after], frames: vec![initial.to] })
    }
    /// How many steps the runs have.
    pub fn depth(&self) -> u32 {
        self.cuts.len() as u32 - 1
    }
    /// Looks at the last states of the runs. Those that are not bad are not looked at again.
    pub fn look(&mut self) -> Result<Found, Reason> {
        if self.stop.requested() {
            return Err(self.stop.reason());
        }
        let frame = self.frames.last().expect("there is an initial state");
        let bad = self.view.bad(frame).map_err(|why| refused(&self.view, why))?;
        let terms = &self.view.system.terms;
        if frame.is_empty() {
            return Ok(Found::End);
        }
        let possible = terms.as_const(bad).is_none_or(Value::as_bool);
        let end = self.cuts.last().expect("there is an initial state");
        let lit = match possible {
            true => Some(self.solver.lit(terms, bad, end)?),
            false => None,
        };
        let assumptions: Vec<_> = lit.into_iter().collect();
        match (self.solver.check(&assumptions)?, lit) {
            (Answer::Sat, Some(_)) => Ok(Found::Bad),
            (Answer::Sat, None) => Ok(Found::Nothing),
            (Answer::Unsat, None) => Ok(Found::End),
            (Answer::Unsat, Some(lit)) => {
                let end = self.solver.core()?.is_empty();
                self.solver.clause(&[!lit])?;
                Ok(if end { Found::End } else { Found::Nothing })
            }
        }
    }
    /// Makes the runs longer by a step.
    pub fn extend(&mut self) -> Result<(), Reason> {
        let frame = self.frames.last().expect("there is an initial state");
        let step = self.view.step(frame).map_err(|why| refused(&self.view, why))?;
        let end = self.cuts.last().expect("there is an initial state");
        self.solver.assert(&self.view.system.terms, step.formula, end)?;
        self.cuts.push(end.then(&step.after));
        self.frames.push(step.to);
        Ok(())
    }
    /// Leaves only runs that are at a vector of locations now.
    pub fn only(&mut self, vector: VectorId) -> Result<(), Reason> {
        let here = self.view.is_at(vector);
        let end = self.cuts.last().expect("there is an initial state");
        self.solver.assert(&self.view.system.terms, here, end)?;
        self.frames.last_mut().expect("there is an initial state").retain(|other, _| *other == vector);
        Ok(())
    }
    /// The run to the bad state that was found last.
    pub fn run(&mut self) -> Result<Run, Reason> {
        let vars: Vec<VarId> = self.view.system.state_vars().collect();
        let mut states = vec![];
        let mut places = vec![];
        for cut in &self.cuts {
            let values = vars.iter().map(|var| {
                let term = self.view.system.terms.var(*var);
                Ok((*var, self.solver.value(&self.view.system.terms, term, cut)?))
            });
            states.push(values.collect::<Result<Vec<(VarId, Value)>, Reason>>()?);
            let [location, chosen] =
                [self.view.location, self.view.chosen].map(|var| self.view.system.terms.var(var));
            let location = number(&mut self.solver, &self.view, location, cut)?;
            places.push((location, number(&mut self.solver, &self.view, chosen, cut)?));
        }
        let mut actions: Vec<Action> = vec![];
        for pair in places.windows(2) {
            let action = self.view.actions(VectorId::at(pair[0].0)).get(pair[1].1).cloned();
            actions.push(action.ok_or(Contradiction::NoSuchStep)?);
        }
        let tools = Tools { system: &mut self.view.system, solver: &self.solver, stop: self.stop };
        concretise(tools, &actions, &states)
    }
}

fn number(solver: &mut Z3Solver, view: &Monolithic, term: Term, cut: &Steps) -> Result<usize, Reason> {
    let value = solver.value(&view.system.terms, term, cut)?;
    let number = value.as_int().to_i64().and_then(|number| usize::try_from(number).ok());
    number.ok_or(Contradiction::NoSuchLocation.into())
}

/// A solver that knows the ranges of the variables. As bits, the numbers of locations and actions need some, too.
pub(crate) fn solver(view: &Monolithic, theory: Theory) -> Result<Z3Solver, Reason> {
    let mut solver = Z3Solver::of(theory.into())?;
    for (var, variable) in view.system.vars.entries() {
        solver.declare(var, variable.range.clone());
    }
    if theory == Theory::Bits {
        for var in [view.location, view.chosen] {
            solver.declare(var, Some((Int::ZERO, Int::from(i64::from(u32::MAX)))));
        }
    }
    Ok(solver)
}

/// Why there are no formulas.
pub(crate) fn refused(view: &Monolithic, why: NoView) -> Reason {
    match why {
        NoView::Stmt(stmt) => no_formula(&view.system, stmt),
        NoView::Target(_) => Unsupported::DeadlockCondition.into(),
        NoView::TooLarge => Unsupported::ManyLocations.into(),
    }
}
