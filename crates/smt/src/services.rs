//! Questions that engines ask again and again, on top of any solver.

use ir::{Steps, Term, Terms, Type, Value};

use crate::interrupt::Interrupt;
use crate::solver::{Answer, Lit, Solver};

/// A smaller core: assumptions of `core` are left out one by one, at most `budget` times, as long as
/// the rest together with `fixed` stays unsatisfiable. Without a literal more it would be satisfiable
/// if the budget sufficed.
pub fn minimise(
    solver: &mut dyn Solver,
    fixed: &[Lit],
    core: Vec<Lit>,
    budget: usize,
) -> Result<Vec<Lit>, Interrupt> {
    let mut kept = core;
    let mut at = 0;
    let mut asked = 0;
    while at < kept.len() && asked < budget {
        let mut assumptions = fixed.to_vec();
        assumptions.extend(kept.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, lit)| *lit));
        asked += 1;
        match solver.check(&assumptions) {
            Ok(Answer::Sat) | Err(Interrupt::Budget | Interrupt::Unknown(_)) => at += 1,
            Ok(Answer::Unsat) => {
                // What came before `at` is needed and therefore in every such core.
                let core = solver.core()?;
                let removed = kept[at];
                kept.retain(|lit| *lit != removed && core.contains(lit));
            }
            Err(interrupt) => return Err(interrupt),
        }
    }
    Ok(kept)
}

/// Which of `candidates` follow from what is asserted and `assumptions`: for each that does, the
/// assumptions that were needed. One model usually settles many that do not.
pub fn implied(
    solver: &mut dyn Solver,
    assumptions: &[Lit],
    candidates: &[Lit],
) -> Result<Vec<Option<Vec<Lit>>>, Interrupt> {
    let mut result = vec![None; candidates.len()];
    if candidates.is_empty() {
        return Ok(result);
    }
    let mut open: Vec<usize> = (0..candidates.len()).collect();
    match solver.check(assumptions)? {
        Answer::Unsat => {
            let core = solver.core()?;
            result.fill(Some(core));
            return Ok(result);
        }
        Answer::Sat => skip(solver, candidates, &mut open)?,
    }
    let mut under = assumptions.to_vec();
    while let Some(next) = open.pop() {
        under.push(!candidates[next]);
        match solver.check(&under)? {
            Answer::Unsat => {
                let mut core = solver.core()?;
                core.retain(|lit| *lit != !candidates[next] || assumptions.contains(lit));
                result[next] = Some(core);
            }
            Answer::Sat => skip(solver, candidates, &mut open)?,
        }
        under.pop();
    }
    Ok(result)
}

/// Drops the candidates that need not hold in the current model.
fn skip(solver: &mut dyn Solver, candidates: &[Lit], open: &mut Vec<usize>) -> Result<(), Interrupt> {
    let mut kept = Vec::with_capacity(open.len());
    for at in open.drain(..) {
        if solver.truth(candidates[at])? == Some(true) {
            kept.push(at);
        }
    }
    *open = kept;
    Ok(())
}

/// Calls `emit` on cubes over `lits` that together are all their assignments under `assumptions`,
/// each assignment in one cube, until it answers `false`. `None` in a cube means either.
pub fn all_cubes(
    solver: &mut dyn Solver,
    assumptions: &[Lit],
    lits: &[Lit],
    emit: &mut dyn FnMut(&[Option<bool>]) -> bool,
) -> Result<(), Interrupt> {
    // A literal that occurs twice, or with its negation, has one truth.
    let mut single: Vec<Lit> = vec![];
    for lit in lits {
        if !single.contains(lit) && !single.contains(&!*lit) {
            single.push(*lit);
        }
    }
    // What blocks cubes goes with the scope, so that the solver does not grow.
    in_scope(solver, |solver| {
        while solver.check(assumptions)? == Answer::Sat {
            let mut cube = single.iter().map(|lit| solver.truth(*lit)).collect::<Result<Vec<_>, _>>()?;
            // Where a free literal stands twice, it is given a truth, so that both places have the same.
            for (lit, value) in single.iter().zip(&mut cube) {
                if lits.iter().filter(|other| *other == lit || **other == !*lit).count() > 1 {
                    value.get_or_insert(true);
                }
            }
            let different = |(lit, value): (&Lit, &Option<bool>)| match value {
                Some(true) => Some(!*lit),
                Some(false) => Some(*lit),
                None => None,
            };
            let clause: Vec<Lit> = single.iter().zip(&cube).filter_map(different).collect();
            let truth = |lit: &Lit| {
                let same = single.iter().position(|other| other == lit);
                let opposite = || single.iter().position(|other| *other == !*lit);
                match same {
                    Some(at) => cube[at],
                    None => opposite().and_then(|at| cube[at]).map(|value| !value),
                }
            };
            let all: Vec<Option<bool>> = lits.iter().map(truth).collect();
            if !emit(&all) || clause.is_empty() {
                break;
            }
            solver.clause(&clause)?;
        }
        Ok(())
    })
}

/// Does `work` in a scope, which is closed whatever becomes of it.
fn in_scope(
    solver: &mut dyn Solver,
    work: impl FnOnce(&mut dyn Solver) -> Result<(), Interrupt>,
) -> Result<(), Interrupt> {
    solver.push()?;
    let result = work(solver);
    let closed = solver.pop();
    result.and(closed)
}

/// Calls `emit` on every combination of values that `list` can have at `at` under `assumptions`, until
/// it answers `false`. Types with infinitely many values give infinitely many combinations, one by
/// one.
pub fn all_values(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    assumptions: &[Lit],
    list: &[Term],
    at: &Steps,
    emit: &mut dyn FnMut(&[Value]) -> bool,
) -> Result<(), Interrupt> {
    in_scope(solver, |solver| {
        while solver.check(assumptions)? == Answer::Sat {
            let values =
                list.iter().map(|term| solver.value(terms, *term, at)).collect::<Result<Vec<_>, _>>()?;
            let mut different = vec![];
            for (term, value) in list.iter().zip(&values) {
                let equal = match (terms.type_of(*term), value) {
                    (Type::Bool, Value::Bool(true)) => *term,
                    (Type::Bool, _) => terms.not(*term),
                    _ => {
                        let value = terms.constant(value.clone());
                        terms.eq(*term, value)
                    }
                };
                different.push(terms.not(equal));
            }
            if !emit(&values) {
                break;
            }
            let different = terms.or(different);
            solver.assert(terms, different, at)?;
        }
        Ok(())
    })
}
