//! Interpolants from Z3's engine for Horn clauses.
//!
//! One predicate per cut over what is shared there, and one clause per part. The clauses are not
//! recursive, so the engine ends; the meaning it finds for the predicates is the sequence. Its
//! simplifications would remove the predicates, so they are off. What it says is checked all the same,
//! which costs little beside finding it.
//!
//! The engine orders some of its work by addresses, so it may find another sequence for the same trace
//! each time, whatever the seed; how much work it does is limited, not how long it takes.

use ir::{Steps, Term, Terms};
use z3_lib::{Ast, Check, Decl, Failure, Fixedpoint, Params, Sort};

use crate::interpolate::Problem;
use crate::interrupt::Interrupt;
use crate::solver::{Answer, Solver};
use crate::trace::instances;
use crate::z3::{Instance, Z3Solver, interrupt_of};

/// The engine may do as much as so many checks.
const CHECKS: u32 = 10;

/// Interpolants over variables at steps.
pub fn spacer(
    solver: &mut Z3Solver,
    terms: &mut Terms,
    problem: &Problem,
    budget: Option<u32>,
) -> Result<Vec<Term>, Interrupt> {
    let context = solver.context();
    let mut params = Params::new()
        .symbol("engine", "spacer")
        .bool("xform.inline_linear", false)
        .bool("xform.inline_eager", false)
        .bool("xform.slice", false);
    if let Some(budget) = budget {
        // The same on every machine, unlike time.
        params = params.number("rlimit", budget.saturating_mul(CHECKS));
    }
    let engine = Fixedpoint::new(&context, &params).map_err(interrupt_of)?;
    let mut cuts = vec![];
    for (at, shared) in problem.shared.iter().enumerate() {
        let mut shared: Vec<Instance> = shared.iter().copied().collect();
        shared.sort_unstable();
        let (mut sorts, mut arguments): (Vec<Sort>, Vec<Ast>) = (vec![], vec![]);
        let mut translator = solver.translator.borrow_mut();
        for (var, step) in &shared {
            sorts.push(translator.sort(terms, terms.var_type(*var))?);
            arguments.push(translator.var(terms, *var, *step)?);
        }
        let predicate = context.predicate(&format!("cut!{at}"), &sorts).map_err(interrupt_of)?;
        engine.register(&predicate).map_err(interrupt_of)?;
        cuts.push(Cut { shared, arguments, predicate });
    }
    for (part, formula) in problem.formulas.iter().enumerate() {
        let body = solver.translator.borrow_mut().term(terms, *formula, &Steps::start())?;
        let mut bound: Vec<Instance> = instances(terms, *formula);
        bound.extend(&cuts[part].shared);
        bound.extend(&cuts[part + 1].shared);
        bound.sort_unstable();
        bound.dedup();
        let mut variables = vec![];
        for (var, step) in bound {
            variables.push(solver.translator.borrow_mut().var(terms, var, step)?);
        }
        let rule = || -> Result<(), Failure> {
            let head = cuts[part + 1].apply()?;
            let body = if part == 0 { body } else { context.and(&[cuts[part].apply()?, body])? };
            engine.rule(&context.forall(&variables, &context.implies(&body, &head)?)?)
        };
        rule().map_err(interrupt_of)?;
    }
    let end = cuts[cuts.len() - 1].apply().map_err(interrupt_of)?;
    match engine.query(&end).map_err(|failure| solver.why(failure))? {
        Check::Sat => return Err(Interrupt::Unknown("the trace can be executed".into())),
        Check::Unsat => {}
    }
    let mut sequence = vec![terms.bool(true)];
    for cut in &cuts[1..cuts.len() - 1] {
        let cover = engine.cover(&cut.predicate).map_err(interrupt_of)?;
        let bound: Vec<Term> = cut.shared.iter().map(|(var, step)| terms.var_at(*var, *step)).collect();
        sequence.push(solver.translator.borrow().back(terms, &cover, &bound)?);
    }
    sequence.push(terms.bool(false));
    checked(solver, terms, problem, sequence)
}

/// The sequence, if it is one. The engine says nothing of a predicate that it found to be empty while
/// it prepared its clauses, so after a part that cannot be executed everything is `false`.
fn checked(
    solver: &Z3Solver,
    terms: &mut Terms,
    problem: &Problem,
    mut sequence: Vec<Term>,
) -> Result<Vec<Term>, Interrupt> {
    let no = terms.bool(false);
    for (part, formula) in problem.formulas.iter().enumerate() {
        let not_next = terms.not(sequence[part + 1]);
        let mut solver = solver.unlimited_sibling()?;
        for term in [sequence[part], *formula] {
            solver.assert(terms, term, &Steps::start())?;
        }
        if solver.check(&[])? == Answer::Unsat {
            sequence[part + 1..].fill(no);
            break;
        }
        let goal = solver.lit(terms, not_next, &Steps::start())?;
        if solver.check(&[goal])? == Answer::Sat {
            return Err(Interrupt::Unknown("the engine's answer is not inductive".into()));
        }
    }
    Ok(sequence)
}

struct Cut {
    shared: Vec<Instance>,
    arguments: Vec<Ast>,
    predicate: Decl,
}

impl Cut {
    fn apply(&self) -> Result<Ast, Failure> {
        self.predicate.apply(&self.arguments)
    }
}
