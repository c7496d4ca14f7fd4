//! Unfolding: statements and systems as formulas over variables at steps.
//!
//! Every write of a variable makes a new step of it (static single assignment): `x := x + 1` from
//! step 0 is `x@1 == x@0 + 1`. Branches that end at different steps are brought to the same one.
//! The formula is satisfiable exactly by the executions of the statement.
//!
//! Ranges of variables are not part of it: whoever solves it declares them with the variables.
//! Delays have no formula here: encode clocks as rationals first. Loops must have been unrolled by
//! [`crate::simplify`].

use rustc_hash::FxHashMap;

use crate::action::{Actions, initial};
use crate::id::{Id, IdVec};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{LocationId, Scope, System, Variable};
use crate::target::{NoTarget, at_locations};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::Type;

/// The current step of every variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    steps: FxHashMap<VarId, u32>,
}

impl Steps {
    /// Every variable at step 0.
    pub fn start() -> Self {
        Self::default()
    }
    /// The step of a variable.
    pub fn of(&self, var: VarId) -> u32 {
        self.steps.get(&var).copied().unwrap_or(0)
    }
    /// The variables that are beyond step 0, in no particular order.
    pub fn moved(&self) -> impl Iterator<Item = (VarId, u32)> {
        self.steps.iter().map(|(var, step)| (*var, *step)).filter(|(_, step)| *step != 0)
    }
    /// Where a formula that ends at `next` when begun at step 0 ends when begun here.
    pub fn then(&self, next: &Steps) -> Steps {
        let mut sum = self.clone();
        for (var, step) in next.moved() {
            *sum.steps.entry(var).or_insert(0) += step;
        }
        sum
    }
    fn advance(&mut self, var: VarId) -> u32 {
        let step = self.steps.entry(var).or_insert(0);
        *step += 1;
        *step
    }
    /// `term`, which speaks of now, at these steps.
    pub fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        terms.rewrite(term, &mut |terms, t| match *terms.node(t) {
            Node::Var(var, 0) => Some(terms.var_at(var, self.of(var))),
            _ => None,
        })
    }
}

/// The formula of `stmt` from `steps`, which afterwards hold where it ends; or the statement that has
/// no formula.
pub fn unfold(terms: &mut Terms, stmt: Stmt, steps: &mut Steps) -> Result<Term, Stmt> {
    crate::deep(|| match terms.stmt(stmt).clone() {
        StmtNode::Skip => Ok(terms.bool(true)),
        StmtNode::Assume(condition) => Ok(steps.apply(terms, condition)),
        StmtNode::Assign(var, value) => {
            let value = steps.apply(terms, value);
            let next = steps.advance(var);
            let next = terms.var_at(var, next);
            Ok(terms.eq(next, value))
        }
        StmtNode::Havoc(var) => {
            steps.advance(var);
            Ok(terms.bool(true))
        }
        StmtNode::Seq(list) => {
            let parts = list.iter().map(|part| unfold(terms, *part, steps)).collect::<Result<Vec<_>, _>>()?;
            Ok(terms.and(parts))
        }
        StmtNode::Choice(list) => {
            let guarded = list.iter().map(|part| (None, *part)).collect();
            branches(terms, guarded, steps)
        }
        StmtNode::If(condition, then, otherwise) => {
            let condition = steps.apply(terms, condition);
            let negation = terms.not(condition);
            branches(terms, vec![(Some(condition), then), (Some(negation), otherwise)], steps)
        }
        StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => Err(stmt),
    })
}

fn branches(terms: &mut Terms, list: Vec<(Option<Term>, Stmt)>, steps: &mut Steps) -> Result<Term, Stmt> {
    let mut ends = Vec::with_capacity(list.len());
    for (guard, stmt) in list {
        let mut here = steps.clone();
        let formula = unfold(terms, stmt, &mut here)?;
        let formula = terms.and(guard.into_iter().chain([formula]));
        ends.push((formula, here));
    }
    Ok(merge(terms, ends, steps))
}

/// The disjunction of `ends`, each continued to the latest step of every variable; `steps` then is
/// that.
fn merge(terms: &mut Terms, ends: Vec<(Term, Steps)>, steps: &mut Steps) -> Term {
    let mut latest = steps.clone();
    for (_, end) in &ends {
        for (var, step) in &end.steps {
            let known = latest.steps.entry(*var).or_insert(0);
            *known = (*known).max(*step);
        }
    }
    let mut moved: Vec<VarId> = latest.steps.keys().copied().collect();
    moved.sort_unstable();
    let mut parts = Vec::with_capacity(ends.len());
    for (formula, end) in ends {
        let mut all = vec![formula];
        for var in &moved {
            let (from, to) = (end.of(*var), latest.of(*var));
            if from != to {
                let (from, to) = (terms.var_at(*var, from), terms.var_at(*var, to));
                all.push(terms.eq(to, from));
            }
        }
        parts.push(terms.and(all));
    }
    *steps = latest;
    terms.or(parts)
}

/// A system as three formulas: the view of engines that know nothing but formulas.
#[derive(Clone, Debug)]
pub struct Monolithic {
    /// The system with the variable `location`, in whose arena the formulas live.
    pub system: System,
    /// Which vector of locations the system is at, as an index into `vectors`.
    pub location: VarId,
    /// The vectors of locations that actions can reach.
    pub vectors: IdVec<crate::VectorId, Box<[LocationId]>>,
    /// Initial states, at step 0; other steps are auxiliary.
    pub init: Term,
    /// One step, from step 0 to `next`.
    pub trans: Term,
    /// The steps of the variables after `trans`.
    pub next: Steps,
    /// Observed states where the target holds, and faults, at step 0.
    pub bad: Term,
}

/// Why a system has no monolithic view.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoView {
    /// This statement has no formula: a delay, or a loop whose bounds are not known.
    Stmt(Stmt),
    /// The target cannot be spelled out at some locations.
    Target(NoTarget),
    /// More vectors of locations than the limit.
    TooManyLocations,
}

/// How many vectors of locations a monolithic view may have.
const VECTOR_LIMIT: usize = 100_000;

/// Auxiliary steps of the initial formula start here, out of the way of unfoldings.
const AUXILIARY: u32 = 1 << 31;

/// `system` as formulas, with the states that `target` searches for as `bad`.
pub fn monolithic(system: &System, target: Term) -> Result<Monolithic, NoView> {
    let mut system = system.clone();
    let location = system.declare(
        Type::Int,
        Variable { shown: false, scope: Scope::State, ..Variable::state("location", crate::Span::default()) },
    );
    let mut actions = Actions::new();
    let start = actions.vector(&system.initial_locations());

    let stmt = initial(&mut system);
    let mut steps = Steps::start();
    let init = unfold(&mut system.terms, stmt, &mut steps).map_err(NoView::Stmt)?;
    let init = system.terms.rewrite(init, &mut |terms, t| match *terms.node(t) {
        Node::Var(var, step) if step == steps.of(var) => Some(terms.var(var)),
        Node::Var(var, step) => Some(terms.var_at(var, AUXILIARY + step)),
        _ => None,
    });
    let at = is_at(&mut system, location, 0, start.index());
    let init = system.terms.and([at, init]);

    let mut ends = vec![];
    let mut next = 0;
    while next < actions.len() {
        if actions.len() > VECTOR_LIMIT {
            return Err(NoView::TooManyLocations);
        }
        let from = is_at(&mut system, location, 0, next);
        for action in actions.of(&mut system, crate::VectorId::at(next)).to_vec() {
            let to = actions.vector(&action.target).index() as i64;
            let mut steps = Steps::start();
            let formula = unfold(&mut system.terms, action.stmt, &mut steps).map_err(NoView::Stmt)?;
            let arrived = steps.advance(location);
            let arrives = is_at(&mut system, location, arrived, to as usize);
            ends.push((system.terms.and([from, formula, arrives]), steps));
        }
        next += 1;
    }
    let mut after = Steps::start();
    let trans = merge(&mut system.terms, ends, &mut after);

    let vectors: IdVec<_, _> =
        (0..actions.len()).map(|index| actions.locations(crate::VectorId::at(index)).into()).collect();
    let bad = bad(&mut system, target, location, &vectors).map_err(NoView::Target)?;
    Ok(Monolithic { system, location, vectors, init, trans, next: after, bad })
}

fn is_at(system: &mut System, location: VarId, step: u32, vector: usize) -> Term {
    let at = system.terms.var_at(location, step);
    let number = system.terms.int(vector as i64);
    system.terms.eq(at, number)
}

fn bad(
    system: &mut System,
    target: Term,
    location: VarId,
    vectors: &IdVec<crate::VectorId, Box<[LocationId]>>,
) -> Result<Term, NoTarget> {
    let mut ways = vec![];
    for (id, locations) in vectors.entries() {
        let faulty = system.fault.is_some_and(|fault| locations[fault.process.index()] == fault.location);
        let here = if faulty {
            system.terms.bool(true)
        } else if system.is_observed(locations) {
            at_locations(system, target, locations)?
        } else {
            continue;
        };
        let at = is_at(system, location, 0, id.index());
        ways.push(system.terms.and([at, here]));
    }
    Ok(system.terms.or(ways))
}
