//! Interpolants from atoms that are already there.
//!
//! From the first cut to the last, each interpolant is the conjunction of those candidates that the
//! one before it and the part between imply: the strongest sequence that candidates can express. The
//! cores of these implications then say which were needed in the end. Candidates are the atoms of the
//! trace first, because they are likely to hold for more than this trace, and if they do not suffice,
//! their weakest preconditions along it too.

use ir::{Node, Steps, Term, Terms, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpolate::eliminate::{conjuncts, definitions};
use crate::interpolate::{Problem, to_now};
use crate::interrupt::Interrupt;
use crate::solver::{Answer, Lit, Solver};
use crate::trace::instances;
use crate::z3::{Instance, Z3Solver};

/// How many candidates there may be at a cut.
const CANDIDATES: usize = 32;
/// How many branches of a part are followed backwards.
const BRANCHES: usize = 12;

/// Interpolants over variables at steps.
pub fn atoms(solver: &mut Z3Solver, terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let Some(cuts) = &problem.cuts else {
        return Err(Interrupt::Unsupported("atoms without a trace".into()));
    };
    let mut guards = vec![];
    for formula in &problem.formulas {
        guards.push(solver.activation()?);
        solver.assert_if(terms, guards[guards.len() - 1], *formula, &Steps::start())?;
    }
    let mut search = Search { solver, terms, problem, cuts, guards };
    let global = search.global_candidates();
    if let Some(sequence) = search.run(&vec![global.clone(); cuts.len()])? {
        return Ok(sequence);
    }
    let mut local = search.local_candidates();
    for list in &mut local {
        list.extend(&global);
        let mut seen = FxHashSet::default();
        list.retain(|term| seen.insert(*term));
        list.truncate(CANDIDATES);
    }
    match search.run(&local)? {
        Some(sequence) => Ok(sequence),
        None => Err(Interrupt::Unsupported("this trace with conjunctions of its atoms".into())),
    }
}

struct Search<'a> {
    solver: &'a mut Z3Solver,
    terms: &'a mut Terms,
    problem: &'a Problem,
    cuts: &'a [Steps],
    /// Switches the parts on.
    guards: Vec<Lit>,
}

/// A candidate that holds at a cut, and the literals at the cut before that are the reason.
struct Known {
    term: Term,
    because: Vec<Lit>,
}

impl Search<'_> {
    fn run(&mut self, candidates: &[Vec<Term>]) -> Result<Option<Vec<Term>>, Interrupt> {
        let parts = self.problem.formulas.len();
        let mut known: Vec<FxHashMap<Lit, Known>> = vec![FxHashMap::default()];
        // The order of discovery, so that results repeat.
        let mut order: Vec<Vec<Lit>> = vec![vec![]];
        for part in 0..parts {
            let mut assumptions = order[part].clone();
            assumptions.push(self.guards[part]);
            let trivial = self.terms.as_const(self.problem.formulas[part]).is_some();
            if !trivial && self.solver.check(&assumptions)? == Answer::Unsat {
                let core = self.solver.core()?;
                return Ok(Some(self.assemble(&known, part, core)));
            }
            let (next, next_order) =
                self.advance(part, &assumptions, &candidates[part + 1], &order[part], trivial)?;
            known.push(next);
            order.push(next_order);
        }
        Ok(None)
    }
    /// The candidates that hold after a part.
    fn advance(
        &mut self,
        part: usize,
        assumptions: &[Lit],
        candidates: &[Term],
        before: &[Lit],
        trivial: bool,
    ) -> Result<(FxHashMap<Lit, Known>, Vec<Lit>), Interrupt> {
        let cut = &self.cuts[part + 1];
        let (mut known, mut order) = (FxHashMap::default(), vec![]);
        let mut open: Vec<(Lit, Term)> = vec![];
        for term in candidates {
            let allowed = |var: &ir::VarId| self.problem.shared[part + 1].contains(&(*var, cut.of(*var)));
            if !self.terms.vars_of(*term).iter().all(allowed) {
                continue;
            }
            let lit = self.solver.lit(self.terms, *term, cut)?;
            // What is literally the same as before needs no question.
            if let Some(same) = before.iter().find(|known| **known == lit || **known == !lit) {
                let term = if *same == lit { *term } else { self.terms.not(*term) };
                if known.insert(*same, Known { term, because: vec![*same] }).is_none() {
                    order.push(*same);
                }
            } else if !trivial {
                open.push((lit, *term));
            }
        }
        if open.is_empty() {
            return Ok((known, order));
        }
        // New literals came with new definitions, so the model is asked for again.
        if self.solver.check(assumptions)? == Answer::Unsat {
            return Err(Interrupt::Unknown("contradicting answers".into()));
        }
        let mut asked: Vec<(Lit, Term)> = vec![];
        for (lit, term) in open {
            match self.solver.truth(lit)? {
                Some(true) => asked.push((lit, term)),
                Some(false) => asked.push((!lit, self.terms.not(term))),
                None => {}
            }
        }
        let lits: Vec<Lit> = asked.iter().map(|(lit, _)| *lit).collect();
        let implied = implied_in_model(self.solver, assumptions, &lits)?;
        for ((lit, term), core) in asked.into_iter().zip(implied) {
            let Some(mut because) = core else { continue };
            because.retain(|reason| before.contains(reason));
            if known.insert(lit, Known { term, because }).is_none() {
                order.push(lit);
            }
        }
        Ok((known, order))
    }
    /// From the last core backwards, what was needed.
    fn assemble(&mut self, known: &[FxHashMap<Lit, Known>], last: usize, core: Vec<Lit>) -> Vec<Term> {
        let count = self.problem.formulas.len();
        let mut sequence = vec![self.terms.bool(false); count + 1];
        let mut needed: Vec<Lit> = core;
        for cut in (0..=last).rev() {
            needed.retain(|lit| known[cut].contains_key(lit));
            needed.sort_unstable();
            needed.dedup();
            let list: Vec<Term> = needed.iter().map(|lit| known[cut][lit].term).collect();
            let conjunction = self.terms.and(list);
            sequence[cut] = self.cuts[cut].apply(self.terms, conjunction);
            needed = needed.iter().flat_map(|lit| known[cut][lit].because.clone()).collect();
        }
        sequence
    }

    /// The atoms of the slice, as formulas over now.
    fn global_candidates(&mut self) -> Vec<Term> {
        let mut result = vec![];
        let mut seen = FxHashSet::default();
        for part in (0..self.problem.formulas.len()).rev() {
            for atom in atoms_of(self.terms, self.problem.formulas[part]) {
                for cut in [part, part + 1] {
                    if let Some(now) = self.at_cut(atom, cut)
                        && seen.insert(now)
                    {
                        result.push(now);
                    }
                }
            }
        }
        result.truncate(CANDIDATES);
        result
    }
    /// For each cut, what atoms of later parts mean there.
    fn local_candidates(&mut self) -> Vec<Vec<Term>> {
        let parts = self.problem.formulas.len();
        let mut result = vec![vec![]; parts + 1];
        let mut later: Vec<Term> = vec![];
        for part in (0..parts).rev() {
            let formula = self.problem.formulas[part];
            let mut here = atoms_of(self.terms, formula);
            here.extend(&later);
            let mut next = vec![];
            let mut seen = FxHashSet::default();
            for branch in branches(self.terms, formula) {
                for atom in &here {
                    let atom = resolve(self.terms, *atom, &branch);
                    // Without a condition inside, each atom is one fact.
                    for atom in atoms_of(self.terms, atom) {
                        if seen.insert(atom) && next.len() < CANDIDATES {
                            next.push(atom);
                        }
                    }
                }
            }
            result[part] = next.iter().filter_map(|atom| self.at_cut(*atom, part)).collect();
            later = next;
        }
        result
    }
    /// `atom` as a formula over now, if it speaks only of variables at that cut.
    fn at_cut(&mut self, atom: Term, cut: usize) -> Option<Term> {
        let steps = &self.cuts[cut];
        let all = instances(self.terms, atom);
        let fits = !all.is_empty() && all.iter().all(|(var, step)| *step == steps.of(*var));
        fits.then(|| to_now(self.terms, atom, steps))
    }
}

/// Like [`crate::services::implied`], where the last check was with these assumptions, satisfiable,
/// and all candidates hold in its model.
fn implied_in_model(
    solver: &mut Z3Solver,
    assumptions: &[Lit],
    candidates: &[Lit],
) -> Result<Vec<Option<Vec<Lit>>>, Interrupt> {
    let mut result = vec![None; candidates.len()];
    let mut open: Vec<usize> = (0..candidates.len()).rev().collect();
    let mut under = assumptions.to_vec();
    while let Some(next) = open.pop() {
        under.push(!candidates[next]);
        match solver.check(&under)? {
            Answer::Unsat => result[next] = Some(solver.core()?),
            Answer::Sat => {
                let mut kept = Vec::with_capacity(open.len());
                for at in open {
                    if solver.truth(candidates[at])? == Some(true) {
                        kept.push(at);
                    }
                }
                open = kept;
            }
        }
        under.pop();
    }
    Ok(result)
}

/// The atoms under the connectives of a formula, positive.
fn atoms_of(terms: &mut Terms, formula: Term) -> Vec<Term> {
    let mut result = vec![];
    let mut seen = FxHashSet::default();
    let mut stack = vec![formula];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match *terms.node(term) {
            Node::And(ref list) | Node::Or(ref list) => stack.extend(list.iter().rev()),
            Node::Not(inner) => stack.push(inner),
            Node::Ite(condition, a, b) => stack.extend([b, a, condition]),
            Node::Eq(a, b) if terms.type_of(a) == Type::Bool => stack.extend([b, a]),
            Node::Const(_) => {}
            _ => result.push(term),
        }
    }
    result
}

/// The definitions in force in each branch of a part.
fn branches(terms: &Terms, formula: Term) -> Vec<FxHashMap<Instance, Term>> {
    let top = conjuncts(terms, formula);
    let mut common = FxHashMap::default();
    definitions(terms, &top, &mut common);
    let mut result = vec![];
    for conjunct in &top {
        if let Node::Or(list) = terms.node(*conjunct) {
            for branch in list {
                let mut own = common.clone();
                definitions(terms, &conjuncts(terms, *branch), &mut own);
                result.push(own);
            }
        }
    }
    if result.is_empty() {
        result.push(common);
    }
    result.truncate(BRANCHES);
    result
}

/// `atom` with variables replaced by what defines them, as often as possible.
fn resolve(terms: &mut Terms, atom: Term, definitions: &FxHashMap<Instance, Term>) -> Term {
    let mut atom = atom;
    // Every round moves to earlier steps, so there are as many as definitions at most.
    for _ in 0..=definitions.len() {
        let next = terms.rewrite(atom, &mut |terms, t| match *terms.node(t) {
            Node::Var(var, step) => definitions.get(&(var, step)).copied(),
            _ => None,
        });
        if next == atom {
            break;
        }
        atom = next;
    }
    atom
}
