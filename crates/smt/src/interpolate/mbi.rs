//! Interpolants from models.
//!
//! What can reach the end is followed backwards, one part and one cube of states at a time: a model
//! says which literals of the part made it possible, variables that do not live at the cut before are
//! projected away, and the cube that remains must be blocked there first. A cube that cannot be
//! entered is blocked by a clause over those of its literals that the core needs. The clauses at a cut
//! are the interpolant.

use ir::eval::holds;
use ir::{Node, Steps, Term, Terms, Type};
use rustc_hash::FxHashSet;

use crate::interpolate::Problem;
use crate::interpolate::eliminate::{replace, solution};
use crate::interrupt::Interrupt;
use crate::solver::{Answer, Lit, Model, Solver};
use crate::trace::instances;
use crate::z3::{Instance, Z3Solver};

/// How many models one trace may need.
const MODELS: usize = 400;

/// Interpolants over variables at steps.
pub fn mbi(solver: &mut Z3Solver, terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let count = problem.formulas.len();
    let (mut parts, mut frames) = (vec![], vec![]);
    for formula in &problem.formulas {
        let part = solver.activation()?;
        solver.assert_if(terms, part, *formula, &Steps::start())?;
        parts.push(part);
        frames.push(solver.activation()?);
    }
    let mut search =
        Search { solver, terms, problem, parts, frames, lemmas: vec![vec![]; count + 1], models: MODELS };
    // Obligations: a cube at a cut that must not be reached, the deepest last.
    let mut obligations: Vec<(usize, Vec<Term>)> = vec![(count, vec![])];
    while let Some((cut, cube)) = obligations.last().cloned() {
        if cut == 0 {
            return Err(Interrupt::Unknown("the trace can be executed".into()));
        }
        match search.predecessor(cut, &cube)? {
            Some(before) => obligations.push((cut - 1, before)),
            None => {
                obligations.pop();
            }
        }
    }
    let lemmas = search.lemmas;
    let mut sequence: Vec<Term> = lemmas.into_iter().map(|list| terms.and(list)).collect();
    sequence[0] = terms.bool(true);
    sequence[count] = terms.bool(false);
    Ok(sequence)
}

struct Search<'a> {
    solver: &'a mut Z3Solver,
    terms: &'a mut Terms,
    problem: &'a Problem,
    parts: Vec<Lit>,
    /// Switches the clauses of a cut on.
    frames: Vec<Lit>,
    lemmas: Vec<Vec<Term>>,
    models: usize,
}

impl Search<'_> {
    /// A cube at the cut before from which `cube` at `cut` is entered, or `None` after blocking it.
    fn predecessor(&mut self, cut: usize, cube: &[Term]) -> Result<Option<Vec<Term>>, Interrupt> {
        let part = cut - 1;
        let mut assumptions = vec![self.parts[part], self.frames[part]];
        let mut lits = vec![];
        for literal in cube {
            lits.push(self.solver.lit(self.terms, *literal, &Steps::start())?);
        }
        assumptions.extend(&lits);
        if self.solver.check(&assumptions)? == Answer::Unsat {
            let core = self.solver.core()?;
            let needed = cube.iter().zip(&lits).filter(|(_, lit)| core.contains(lit)).map(|(term, _)| *term);
            let clause: Vec<Term> =
                needed.collect::<Vec<_>>().iter().map(|term| self.terms.not(*term)).collect();
            let lemma = self.terms.or(clause);
            if !self.lemmas[cut].contains(&lemma) {
                self.lemmas[cut].push(lemma);
                if let Some(frame) = self.frames.get(cut) {
                    self.solver.assert_if(self.terms, *frame, lemma, &Steps::start())?;
                }
            }
            return Ok(None);
        }
        self.models = self.models.checked_sub(1).ok_or(Interrupt::Budget)?;
        let target = self.terms.and(cube.iter().copied().chain([self.problem.formulas[part]]));
        let all = instances(self.terms, target);
        let model = Model::of(self.solver, self.terms, all)?;
        let mut literals = vec![];
        implicant(self.terms, &model, target, true, &mut literals)?;
        project(self.terms, &model, literals, &|instance| self.problem.shared[part].contains(&instance))
            .map(Some)
    }
}

/// Literals that hold in `model` and imply that `term` is `value`.
fn implicant(
    terms: &mut Terms,
    model: &Model,
    term: Term,
    value: bool,
    out: &mut Vec<Term>,
) -> Result<(), Interrupt> {
    let truth = |terms: &Terms, term: Term| {
        holds(terms, model, term).map_err(|_| Interrupt::Unsupported("locations in a trace".into()))
    };
    match terms.node(term).clone() {
        Node::Not(inner) => implicant(terms, model, inner, !value, out),
        Node::And(list) | Node::Or(list) => {
            // An `and` that is true and an `or` that is false need all their parts.
            if matches!(terms.node(term), Node::And(_)) == value {
                return list.iter().try_for_each(|part| implicant(terms, model, *part, value, out));
            }
            for part in &list {
                if truth(terms, *part)? == value {
                    return ir::deep(|| implicant(terms, model, *part, value, out));
                }
            }
            Err(Interrupt::Unknown("the model does not satisfy the formula".into()))
        }
        Node::Ite(condition, then, otherwise) => {
            let side = truth(terms, condition)?;
            implicant(terms, model, condition, side, out)?;
            implicant(terms, model, if side { then } else { otherwise }, value, out)
        }
        Node::Eq(a, b) if terms.type_of(a) == Type::Bool => {
            for part in [a, b] {
                let side = truth(terms, part)?;
                implicant(terms, model, part, side, out)?;
            }
            Ok(())
        }
        Node::Eq(a, b) if !value && matches!(terms.type_of(a), Type::Int | Type::Rat | Type::Clock) => {
            let less = terms.lt(a, b);
            let literal = if truth(terms, less)? { less } else { terms.lt(b, a) };
            out.push(literal);
            Ok(())
        }
        _ => {
            let literal = if value { term } else { terms.not(term) };
            if truth(terms, term)? != value {
                return Err(Interrupt::Unknown("the model does not satisfy the formula".into()));
            }
            out.push(literal);
            Ok(())
        }
    }
}

/// Literals over what `keep` accepts that hold in `model` and imply that the rest of the variables can
/// be chosen so that `literals` hold.
fn project(
    terms: &mut Terms,
    model: &Model,
    literals: Vec<Term>,
    keep: &dyn Fn(Instance) -> bool,
) -> Result<Vec<Term>, Interrupt> {
    let mut literals = literals;
    loop {
        let mut found = None;
        'search: for (at, literal) in literals.iter().enumerate() {
            for instance in instances(terms, *literal) {
                if !keep(instance)
                    && let Some(value) = solution(terms, *literal, instance)
                {
                    found = Some((at, instance, value));
                    break 'search;
                }
            }
        }
        let Some((at, instance, value)) = found else { break };
        literals.swap_remove(at);
        for literal in &mut literals {
            *literal = replace(terms, *literal, instance, value);
        }
    }
    // What no equation determines keeps the value it has.
    let mut seen = FxHashSet::default();
    let mut result = vec![];
    for literal in literals {
        let literal = terms.rewrite(literal, &mut |terms, t| match *terms.node(t) {
            Node::Var(var, step) if !keep((var, step)) => {
                model.get(var, step).cloned().map(|value| terms.constant(value))
            }
            _ => None,
        });
        let list = match terms.node(literal) {
            Node::And(list) => list.to_vec(),
            Node::Const(_) => vec![],
            _ => vec![literal],
        };
        result.extend(list.into_iter().filter(|literal| seen.insert(*literal)));
    }
    Ok(result)
}
