//! Chains of cubes: executed, or explained.
//!
//! A chain names a vector of locations for every state from an initial to a bad one. All runs along it are one formula.
//! If it has a model, that is a run. If not, interpolants say for every state of the chain what is enough to know there,
//! and over their atoms no chain leads along these vectors any more.

use ir::{Monolithic, Node, Run, Stmt, Term, Terms, Type, VectorId};
use rustc_hash::FxHashSet;
use smt::{Interpolation, Limits, NoInterpolants, Solver, Strategy, Trace};

use super::frames::is_atom;
use crate::answer::Reason;
use crate::bmc::unrolling::{Found, Unrolling, refused, solver};
use crate::cause::{Contradiction, SolverFailure};
use crate::cegar::cx::no_formula;
use crate::config::{Config, Theory};
use crate::stop::Stop;

/// Vectors of locations, that of an initial state first and that of a bad one last.
pub type Chain = Vec<VectorId>;

/// What became of a chain.
pub enum Explained {
    /// A run along it.
    Run(Run),
    /// There is none, and these atoms tell why.
    Atoms(Vec<Term>),
}

/// Looks for a run along a chain.
pub fn explain(
    view: &mut Monolithic,
    chain: &Chain,
    config: &Config,
    stop: &Stop,
) -> Result<Explained, Reason> {
    let mut runs = Unrolling::new(view.clone(), config.theory, stop)?;
    runs.solver.limit(Limits { deadline: None, work: config.work_limit });
    let interrupter = runs.solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    for vector in &chain[1..] {
        runs.extend()?;
        runs.only(*vector)?;
    }
    match runs.look()? {
        Found::Bad => Ok(Explained::Run(runs.run()?)),
        Found::Nothing | Found::End => interpolated(view, chain, config, stop).map(Explained::Atoms),
    }
}

/// The atoms of interpolants along a chain.
fn interpolated(
    view: &mut Monolithic,
    chain: &Chain,
    config: &Config,
    stop: &Stop,
) -> Result<Vec<Term>, Reason> {
    let stmts = statements(view, chain)?;
    let trace = Trace::of(&mut view.system.terms, &stmts).map_err(|stmt| no_formula(&view.system, stmt))?;
    let mut solver = solver(view, Theory::Int)?;
    solver.limit(Limits { deadline: None, work: config.work_limit });
    let interrupter = solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    let mut interpolation = Interpolation::new(&solver, config.cegar.interpolation.clone())?;
    for (var, variable) in view.system.vars.entries() {
        interpolation.declare(var, variable.range.clone());
    }
    interpolation.set_state(view.system.state_vars());
    let order = match interpolation.strategy() {
        Strategy::Auto => {
            use Strategy::{Atoms, MbiForward, NewtonSp, NewtonWp, Spacer};
            vec![MbiForward, NewtonSp, Spacer, Atoms, NewtonWp]
        }
        one => vec![one.clone()],
    };
    let found =
        interpolation.in_order(&mut view.system.terms, &trace, &order).map_err(|failed| match failed {
            NoInterpolants::Interrupt(interrupt) => interrupt.into(),
            NoInterpolants::Failed(attempts) => Reason::from(SolverFailure::NoInterpolants(attempts)),
            NoInterpolants::Feasible => Contradiction::InfeasibleWithModel.into(),
        })?;
    let mut list = vec![];
    for formula in found.sequence {
        atoms(&mut view.system.terms, formula, &mut list);
    }
    Ok(list)
}

/// The initial statement, everything that leads from one vector to the next, and that the last state is bad.
fn statements(view: &mut Monolithic, chain: &Chain) -> Result<Vec<Stmt>, Reason> {
    let initial = ir::initial(&mut view.system);
    let mut stmts = vec![initial];
    for pair in chain.windows(2) {
        let to = view.locations(pair[1]).to_vec();
        let actions = view.actions(pair[0]).to_vec();
        let ways: Vec<Stmt> =
            actions.into_iter().filter(|action| *action.target == *to).map(|action| action.stmt).collect();
        // Locals have any values at the start of a step.
        let mut list = vec![];
        for stmt in ways {
            let forgotten = ir::blocks::locals(&view.system, stmt);
            let forgotten: Vec<Stmt> =
                forgotten.into_iter().map(|var| view.system.terms.havoc(var)).collect();
            list.push(view.system.terms.seq(forgotten.into_iter().chain([stmt])));
        }
        stmts.push(view.system.terms.choice(list));
    }
    let last = *chain.last().expect("a chain has a last state");
    let here = ir::Frame::from([(last, ir::Known::default())]);
    let bad = view.bad(&here).map_err(|why| refused(view, why))?;
    let number = view.system.terms.int(ir::Id::index(last) as i64);
    let bad = view.system.terms.substitute(bad, &[(view.location, number)].into_iter().collect());
    stmts.push(view.system.terms.assume(bad));
    // Each by itself: what one of them leads to is for interpolants to say.
    for stmt in &mut stmts {
        *stmt = ir::simplify(&mut view.system.terms, *stmt, &mut ir::Valuation::default());
    }
    Ok(stmts)
}

/// Appends the atoms that a formula is a combination of.
pub fn atoms(terms: &mut Terms, formula: Term, out: &mut Vec<Term>) {
    let mut seen = FxHashSet::default();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) || terms.type_of(term) != Type::Bool {
            continue;
        }
        if is_atom(terms, term) {
            out.push(term);
            continue;
        }
        match terms.node(term) {
            Node::Const(_) => {}
            node => node.for_each_child(|child| stack.push(child)),
        }
    }
}
