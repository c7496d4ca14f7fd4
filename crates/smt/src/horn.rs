//! Linear Horn clauses, solved by Z3's engine for them (Spacer: Komuravelli, Gurfinkel and Chaki 2014).
//!
//! Predicates are over the same variables. A clause says that from states of one predicate, or from any state, a formula
//! leads to states of another, or to what must not be. A *solution* is a formula for each predicate such that all clauses
//! hold; if there is none, what must not be can be derived.
//!
//! The engine says nothing of predicates that it finds to be empty while it prepares its clauses, and orders some of its
//! work by addresses. So a solution is checked, clause by clause, before it is one.

use ir::{Steps, Term, Terms, VarId};
use z3_lib::{Ast, Check, Decl, Failure, Fixedpoint, Params, Sort};

use crate::interrupt::Interrupt;
use crate::solver::{Answer, Solver};
use crate::trace::instances;
use crate::z3::{Instance, Z3Solver, interrupt_of};

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The predicate of the states it starts from, by number; any state if there is none.
    pub from: Option<usize>,
    /// What happens, from step 0 on.
    pub formula: Term,
    /// The steps of the variables afterwards.
    pub after: Steps,
    /// The predicate of the states it leads to; it must not happen if there is none.
    pub to: Option<usize>,
}

/// Clauses over predicates.
#[derive(Clone, Debug, Default)]
pub struct Horn {
    /// The variables that predicates are over.
    pub vars: Vec<VarId>,
    /// How many predicates there are.
    pub predicates: usize,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

/// What became of clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// What must not be can be derived.
    Derived,
    /// A formula over *now* for each predicate.
    Solution(Vec<Term>),
}

/// Solves clauses whose formulas are in `terms`, in the theory of `solver`, with so much work at most.
pub fn solve(
    solver: &mut Z3Solver,
    terms: &mut Terms,
    horn: &Horn,
    work: Option<u32>,
) -> Result<Solved, Interrupt> {
    let context = solver.context();
    let mut params = Params::new()
        .symbol("engine", "spacer")
        .bool("xform.inline_linear", false)
        .bool("xform.inline_eager", false)
        .bool("xform.slice", false);
    if let Some(work) = work {
        params = params.number("rlimit", work);
    }
    let engine = Fixedpoint::new(&context, &params).map_err(interrupt_of)?;
    let now = arguments(solver, terms, horn, &Steps::start())?;
    let sorts = now.iter().map(Ast::sort).collect::<Result<Vec<Sort>, Failure>>().map_err(interrupt_of)?;
    let mut predicates = vec![];
    for number in 0..horn.predicates {
        predicates.push(context.predicate(&format!("at!{number}"), &sorts).map_err(interrupt_of)?);
    }
    let wrong = context.predicate("wrong", &[]).map_err(interrupt_of)?;
    for predicate in predicates.iter().chain([&wrong]) {
        engine.register(predicate).map_err(interrupt_of)?;
    }
    for clause in &horn.clauses {
        rule(solver, terms, horn, clause, &engine, (&predicates, &wrong))?;
    }
    let wrong = wrong.apply(&[]).map_err(interrupt_of)?;
    if engine.query(&wrong).map_err(|failure| solver.why(failure))? == Check::Sat {
        return Ok(Solved::Derived);
    }
    let mut solution = vec![];
    for predicate in &predicates {
        let cover = engine.cover(predicate).map_err(interrupt_of)?;
        solution.push(solver.translator.borrow().over(terms, &cover, &horn.vars)?);
    }
    checked(solver, terms, horn, solution).map(Solved::Solution)
}

/// The constants of the variables at steps.
fn arguments(solver: &Z3Solver, terms: &Terms, horn: &Horn, at: &Steps) -> Result<Vec<Ast>, Interrupt> {
    let mut translator = solver.translator.borrow_mut();
    horn.vars.iter().map(|var| translator.constant_of(terms, *var, at.of(*var))).collect()
}

fn rule(
    solver: &Z3Solver,
    terms: &Terms,
    horn: &Horn,
    clause: &Clause,
    engine: &Fixedpoint,
    (predicates, wrong): (&[Decl], &Decl),
) -> Result<(), Interrupt> {
    let context = solver.context();
    let mut bound: Vec<Instance> = instances(terms, clause.formula);
    for var in &horn.vars {
        bound.extend([(*var, 0), (*var, clause.after.of(*var))]);
    }
    bound.sort_unstable();
    bound.dedup();
    let (before, after) =
        (arguments(solver, terms, horn, &Steps::start())?, arguments(solver, terms, horn, &clause.after)?);
    let mut translator = solver.translator.borrow_mut();
    let mut body = vec![translator.term(terms, clause.formula, &Steps::start())?];
    let mut variables = vec![];
    for (var, step) in bound {
        variables.push(translator.constant_of(terms, var, step)?);
        body.extend(translator.bounds(terms, var, step)?);
    }
    drop(translator);
    let add = || -> Result<(), Failure> {
        if let Some(from) = clause.from {
            body.push(predicates[from].apply(&before)?);
        }
        let head = match clause.to {
            Some(to) => predicates[to].apply(&after)?,
            None => wrong.apply(&[])?,
        };
        engine.rule(&context.forall(&variables, &context.implies(&context.and(&body)?, &head)?)?)
    };
    let mut add = add;
    add().map_err(interrupt_of)
}

/// The solution, if it is one; predicates that nothing leads to are empty.
fn checked(
    solver: &Z3Solver,
    terms: &mut Terms,
    horn: &Horn,
    mut solution: Vec<Term>,
) -> Result<Vec<Term>, Interrupt> {
    let no = terms.bool(false);
    let mut reached = vec![false; horn.predicates];
    loop {
        let mut grown = false;
        for clause in &horn.clauses {
            let Some(to) = clause.to.filter(|to| !reached[*to]) else { continue };
            if clause.from.is_some_and(|from| !reached[from]) {
                continue;
            }
            let mut solver = solver.sibling()?;
            let from = clause.from.map_or(clause.formula, |from| solution[from]);
            for part in [from, clause.formula] {
                solver.assert(terms, part, &Steps::start())?;
            }
            if solver.check(&[])? == Answer::Sat {
                (reached[to], grown) = (true, true);
            }
        }
        if !grown {
            break;
        }
    }
    for (formula, reached) in solution.iter_mut().zip(&reached) {
        if !reached {
            *formula = no;
        }
    }
    for clause in &horn.clauses {
        let mut solver = solver.sibling()?;
        let from = clause.from.map(|from| solution[from]);
        for part in from.into_iter().chain([clause.formula]) {
            solver.assert(terms, part, &Steps::start())?;
        }
        if let Some(to) = clause.to {
            let missed = terms.not(solution[to]);
            solver.assert(terms, missed, &clause.after)?;
        }
        if solver.check(&[])? == Answer::Sat {
            return Err(Interrupt::Unknown("the engine's answer is no solution".into()));
        }
    }
    Ok(solution)
}
