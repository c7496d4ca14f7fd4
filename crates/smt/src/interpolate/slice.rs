//! What of a trace its infeasibility needs.
//!
//! A formula is weakened by replacing a literal that stands under `and` and `or` only by `true`. Which
//! ones can be replaced is read off a core: first of whole conjuncts, then of the literals inside those
//! that remain.

use ir::{Node, Steps, Term, Terms, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use z3_lib::Ast;

use crate::interrupt::Interrupt;
use crate::services::minimise;
use crate::solver::{Answer, Lit, Solver};
use crate::z3::{Z3Solver, interrupt_of};

/// How many checks may go into a smaller core.
const BUDGET: usize = 24;

/// Weaker formulas that are infeasible together, or `None` if the given ones are feasible.
pub fn slice(
    solver: &mut Z3Solver,
    terms: &mut Terms,
    formulas: &[Term],
) -> Result<Option<Vec<Term>>, Interrupt> {
    let mut conjuncts = vec![];
    for (part, formula) in formulas.iter().enumerate() {
        let list = match terms.node(*formula) {
            Node::And(list) => list.to_vec(),
            _ => vec![*formula],
        };
        conjuncts.extend(list.into_iter().map(|conjunct| (part, conjunct)));
    }
    let mut lits = Vec::with_capacity(conjuncts.len());
    for (_, conjunct) in &conjuncts {
        let lit = solver.activation()?;
        solver.assert_if(terms, lit, *conjunct, &Steps::start())?;
        lits.push(lit);
    }
    let Some(core) = small_core(solver, lits.clone())? else { return Ok(None) };
    let mut kept: Vec<(usize, Term)> = conjuncts
        .into_iter()
        .zip(&lits)
        .filter(|(_, lit)| core.contains(lit))
        .map(|(pair, _)| pair)
        .collect();

    if kept.iter().any(|(_, conjunct)| matches!(terms.node(*conjunct), Node::Or(_))) {
        let mut inner = Relaxed { leaves: FxHashMap::default(), lits: vec![] };
        for (_, conjunct) in &kept {
            let ast = inner.relax(solver, terms, *conjunct)?;
            solver.assert_ast(&ast)?;
        }
        if let Some(core) = small_core(solver, inner.lits.clone())? {
            let core: FxHashSet<Lit> = core.into_iter().collect();
            for (_, conjunct) in &mut kept {
                *conjunct = inner.weaken(terms, *conjunct, &core);
            }
        }
    }

    let mut result = Vec::with_capacity(formulas.len());
    for part in 0..formulas.len() {
        let list: Vec<Term> = kept.iter().filter(|(at, _)| *at == part).map(|(_, term)| *term).collect();
        result.push(terms.and(list));
    }
    Ok(Some(result))
}

/// A core of `lits` that is small, or `None` if they are satisfiable.
fn small_core(solver: &mut Z3Solver, lits: Vec<Lit>) -> Result<Option<Vec<Lit>>, Interrupt> {
    let mut core = lits;
    for round in 0..4 {
        match solver.check(&core)? {
            Answer::Sat if round == 0 => return Ok(None),
            Answer::Sat => unreachable!("a core is unsatisfiable"),
            Answer::Unsat => {}
        }
        let next = solver.core()?;
        let stable = next.len() == core.len();
        core = next;
        if stable {
            break;
        }
    }
    minimise(solver, &[], core, BUDGET).map(Some)
}

/// Formulas whose literals can be switched off.
struct Relaxed {
    leaves: FxHashMap<Term, Lit>,
    lits: Vec<Lit>,
}

impl Relaxed {
    fn relax(&mut self, solver: &mut Z3Solver, terms: &Terms, term: Term) -> Result<Ast, Interrupt> {
        let list = |this: &mut Self, solver: &mut Z3Solver, list: &[Term]| {
            list.iter().map(|part| this.relax(solver, terms, *part)).collect::<Result<Vec<_>, _>>()
        };
        match terms.node(term) {
            Node::And(parts) => {
                let parts = list(self, solver, parts)?;
                solver.context().and(&parts).map_err(interrupt_of)
            }
            Node::Or(parts) => {
                let parts = list(self, solver, parts)?;
                solver.context().or(&parts).map_err(interrupt_of)
            }
            _ => {
                let lit = match self.leaves.get(&term) {
                    Some(lit) => *lit,
                    None => {
                        let lit = solver.activation()?;
                        self.leaves.insert(term, lit);
                        self.lits.push(lit);
                        lit
                    }
                };
                let ast = solver.asserted(terms, term, &Steps::start())?;
                solver.context().implies(solver.ast(lit), &ast).map_err(interrupt_of)
            }
        }
    }
    fn weaken(&self, terms: &mut Terms, term: Term, core: &FxHashSet<Lit>) -> Term {
        debug_assert_eq!(terms.type_of(term), Type::Bool);
        match terms.node(term).clone() {
            Node::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| self.weaken(terms, *part, core)).collect();
                terms.and(parts)
            }
            Node::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| self.weaken(terms, *part, core)).collect();
                terms.or(parts)
            }
            _ if core.contains(&self.leaves[&term]) => term,
            _ => terms.bool(true),
        }
    }
}
