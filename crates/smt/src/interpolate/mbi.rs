//! Interpolants from models.
//!
//! What can reach the end is followed backwards, one part and one cube of states at a time: a model
//! says which literals of the part made it possible, variables that do not live at the cut before are
//! projected away, and the cube that remains must be blocked there first. A cube that cannot be
//! entered is blocked by a clause over those of its literals that the core needs. The clauses at a cut
//! are the interpolant.

use ir::eval::holds;
use ir::{Node, StmtNode, Term, Terms, Type};
use rustc_hash::FxHashSet;

use crate::interpolate::eliminate::{replace, solution};
use crate::interpolate::path::Path;
use crate::interrupt::Interrupt;
use crate::services::minimise;
use crate::solver::{Answer, Lit, Model, Solver};
use crate::trace::instances;
use crate::z3::Instance;

/// How many models one trace may need.
const MODELS: usize = 1_500;
/// How many it may need if another strategy can be tried instead.
const FEWER_MODELS: usize = 500;
/// How many it may need from the start on where arrays have entries for ever: no list of their values says what they have in
/// common.
pub const ENDLESS_MODELS: usize = 100;
/// How many checks may go into a shorter clause.
const MINIMISE: usize = 8;

/// Interpolants over now.
///
/// `facts` are formulas at the cuts that are known to be inductive along the path; they save models,
/// and only those that are needed in the end are kept.
///
/// No more than `most` models are looked at.
pub fn mbi(
    terms: &mut Terms,
    path: &mut Path,
    facts: &[Vec<Term>],
    most: usize,
) -> Result<Vec<Term>, Interrupt> {
    // Models say nothing of locations.
    let mut is_data = true;
    for formula in path.formulas() {
        terms.for_each_subterm(formula, |t| {
            is_data &= !matches!(terms.node(t), Node::At(..) | Node::Deadlock)
        });
    }
    if !is_data {
        return Err(Interrupt::Unsupported("locations in a trace".into()));
    }
    match search(terms, path, facts, most, true) {
        // A lifted cube may hold states that are stuck; without lifting there are none.
        Err(Interrupt::Unknown(_)) => search(terms, path, facts, most, false),
        result => result,
    }
}

fn search(
    terms: &mut Terms,
    path: &mut Path,
    facts: &[Vec<Term>],
    most: usize,
    lift: bool,
) -> Result<Vec<Term>, Interrupt> {
    let count = path.len();
    let mut lemmas = facts.to_vec();
    lemmas.resize(count + 1, vec![]);
    let models = if path.is_limited() { FEWER_MODELS } else { MODELS }.min(most);
    let mut search = Search { terms, path, lemmas, models, lift };
    // Obligations: a cube at a cut that must not be reached, the earliest last.
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
    let mut sequence = search.needed()?;
    for (cut, term) in sequence.iter().enumerate().take(count) {
        if !path.allows(terms, cut, *term) {
            return Err(Interrupt::Unsupported("a clause over more than is shared".into()));
        }
    }
    sequence[0] = terms.bool(true);
    Ok(sequence)
}

struct Search<'a, 'b> {
    terms: &'a mut Terms,
    path: &'a mut Path<'b>,
    lemmas: Vec<Vec<Term>>,
    models: usize,
    lift: bool,
}

impl Search<'_, '_> {
    /// From the end backwards, the clauses that the next ones need.
    fn needed(&mut self) -> Result<Vec<Term>, Interrupt> {
        let terms = &mut *self.terms;
        let mut needed = vec![terms.bool(false)];
        let mut sequence = needed.clone();
        for cut in (1..self.lemmas.len()).rev() {
            let local = self.path.part(terms, cut - 1)?;
            let mut before = vec![];
            for lemma in &self.lemmas[cut - 1] {
                before.push(local.before(terms, *lemma)?);
            }
            let mut used = FxHashSet::default();
            for lemma in needed {
                let mut assumptions = before.clone();
                if terms.as_const(lemma).is_none() {
                    assumptions.push(!local.after(terms, lemma)?);
                }
                if local.solver.check(&assumptions)? == Answer::Sat {
                    return Err(Interrupt::Unknown("a clause is not inductive".into()));
                }
                used.extend(local.solver.core()?);
            }
            let list = self.lemmas[cut - 1].iter().zip(&before);
            needed = list.filter(|(_, lit)| used.contains(lit)).map(|(lemma, _)| *lemma).collect();
            sequence.push(terms.and(needed.iter().copied()));
        }
        sequence.reverse();
        Ok(sequence)
    }
    /// Adds a clause at a cut, and at the cuts after it as long as it holds there too.
    fn learn(&mut self, cut: usize, lemma: Term) -> Result<(), Interrupt> {
        self.lemmas[cut].push(lemma);
        for next in cut + 1..self.lemmas.len() {
            if self.lemmas[next].contains(&lemma) || !self.path.allows(self.terms, next, lemma) {
                break;
            }
            let local = self.path.part(self.terms, next - 1)?;
            let mut assumptions = vec![!local.after(self.terms, lemma)?];
            for known in &self.lemmas[next - 1] {
                assumptions.push(local.before(self.terms, *known)?);
            }
            if local.solver.check(&assumptions)? == Answer::Sat {
                break;
            }
            self.lemmas[next].push(lemma);
        }
        Ok(())
    }
    /// A cube at the cut before from which `cube` at `cut` is entered, or `None` after blocking it.
    fn predecessor(&mut self, cut: usize, cube: &[Term]) -> Result<Option<Vec<Term>>, Interrupt> {
        let terms = &mut *self.terms;
        let local = self.path.part(terms, cut - 1)?;
        let (mut lits, mut assumptions) = (vec![], vec![]);
        for literal in cube {
            lits.push(local.after(terms, *literal)?);
        }
        for lemma in &self.lemmas[cut - 1] {
            assumptions.push(local.before(terms, *lemma)?);
        }
        let fixed = assumptions.clone();
        assumptions.extend(&lits);
        if local.solver.check(&assumptions)? == Answer::Unsat {
            let core = local.solver.core()?;
            let core: Vec<Lit> = lits.iter().copied().filter(|lit| core.contains(lit)).collect();
            let core = minimise(&mut local.solver, &fixed, core, MINIMISE)?;
            let mut clause = vec![];
            for (literal, lit) in cube.iter().zip(&lits) {
                if core.contains(lit) {
                    clause.push(terms.not(*literal));
                }
            }
            let lemma = terms.or(clause);
            self.learn(cut, lemma)?;
            return Ok(None);
        }
        self.models = self.models.checked_sub(1).ok_or(Interrupt::Budget)?;
        let after: Vec<Term> = cube.iter().map(|literal| local.after.apply(terms, *literal)).collect();
        let target = terms.and(after.into_iter().chain([local.formula]));
        let model = Model::of(&mut local.solver, terms, instances(terms, target))?;
        let mut literals = vec![];
        implicant(terms, &model, target, true, &mut literals)?;
        let before = local.before.clone();
        let shared = &self.path.shared[cut - 1];
        let keep = |(var, step): Instance| step == before.of(var) && shared.contains(&var);
        let found = project(terms, &model, literals, &keep)?;
        let found: Vec<Term> =
            found.into_iter().map(|literal| super::to_now(terms, literal, &before)).collect();
        self.lifted(cut, cube, found).map(Some)
    }
    /// The literals of `found` that are enough to end up in `cube` for sure, if the part has one outcome
    /// only: conditions of branches that do not matter are dropped.
    fn lifted(&mut self, cut: usize, cube: &[Term], found: Vec<Term>) -> Result<Vec<Term>, Interrupt> {
        let terms = &mut *self.terms;
        let certain = self.path.stmts[cut - 1].is_some_and(|stmt| {
            let mut certain = true;
            terms.for_each_substmt(stmt, |s| {
                certain &= !matches!(terms.stmt(s), StmtNode::Havoc(_) | StmtNode::Choice(_));
            });
            certain
        });
        if !self.lift || !certain || cube.is_empty() || found.len() < 2 {
            return Ok(found);
        }
        let local = self.path.part(terms, cut - 1)?;
        let whole = terms.and(cube.iter().copied());
        let mut assumptions = vec![];
        for literal in &found {
            assumptions.push(local.before(terms, *literal)?);
        }
        assumptions.push(!local.after(terms, whole)?);
        if local.solver.check(&assumptions)? == Answer::Sat {
            return Ok(found);
        }
        let core = local.solver.core()?;
        Ok(found
            .into_iter()
            .zip(assumptions)
            .filter(|(_, lit)| core.contains(lit))
            .map(|(term, _)| term)
            .collect())
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
        holds(terms, model, term).map_err(|_| Interrupt::Unsupported("a formula without a value".into()))
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
