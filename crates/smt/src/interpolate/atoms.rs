//! Interpolants from atoms that are already there.
//!
//! From the first cut to the last, each interpolant is the conjunction of those candidates that the
//! one before it and the part between imply: the strongest sequence that candidates can express. The
//! cores of these implications then say which were needed in the end. Candidates are the atoms of the
//! trace that matter for its end, because they are likely to hold for more than this trace; if they do
//! not suffice, their weakest preconditions along it too.

use ir::{Node, Stmt, StmtNode, Term, Terms, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpolate::newton::weakest;
use crate::interpolate::path::{Path, atoms_of};
use crate::interrupt::Interrupt;
use crate::solver::{Answer, Lit, Solver};

/// How many candidates there may be at a cut.
const CANDIDATES: usize = 24;
/// From so many open candidates on, a model is asked for after each check.
const MODEL_WORTH: usize = 3;
/// How large a weakest precondition may be to look at its atoms.
const SIZE: usize = 200;

/// Interpolants over now; with `local`, weakest preconditions are candidates too. What was found to
/// hold at the cuts goes to `facts`, also where it is not enough.
pub fn atoms(
    terms: &mut Terms,
    path: &mut Path,
    local: bool,
    facts: &mut Vec<Vec<Term>>,
) -> Result<Vec<Term>, Interrupt> {
    let global = global_candidates(terms, path)?;
    if let Some(sequence) = run(terms, path, &vec![global.clone(); path.len() + 1], facts)? {
        return Ok(sequence);
    }
    if local {
        let mut candidates = local_candidates(terms, path);
        for list in &mut candidates {
            list.extend(&global);
            let mut seen = FxHashSet::default();
            list.retain(|term| seen.insert(*term));
            list.truncate(CANDIDATES);
        }
        if let Some(sequence) = run(terms, path, &candidates, facts)? {
            return Ok(sequence);
        }
    }
    Err(Interrupt::Unsupported("this trace with conjunctions of its atoms".into()))
}

/// A candidate that holds at a cut, and those at the cut before that are the reason.
#[derive(Clone)]
struct Known {
    term: Term,
    because: Vec<usize>,
}

fn run(
    terms: &mut Terms,
    path: &mut Path,
    candidates: &[Vec<Term>],
    facts: &mut Vec<Vec<Term>>,
) -> Result<Option<Vec<Term>>, Interrupt> {
    let mut known: Vec<Vec<Known>> = vec![vec![]];
    // Along a loop, the same is known before the same statement again and again.
    let mut done: FxHashMap<(Stmt, Vec<Term>, Vec<Term>), Vec<Known>> = FxHashMap::default();
    for part in 0..path.len() {
        let list: Vec<Term> =
            candidates[part + 1].iter().copied().filter(|term| path.allows(terms, part + 1, *term)).collect();
        let key = path.stmts[part].map(|stmt| {
            let before: Vec<Term> = known[part].iter().map(|fact| fact.term).collect();
            (stmt, before, list.clone())
        });
        if let Some(next) = key.as_ref().and_then(|key| done.get(key)) {
            known.push(next.clone());
            continue;
        }
        let result = advance(terms, path, part, &known[part], &list)?;
        if let (Ok(next), Some(key)) = (&result, key) {
            done.insert(key, next.clone());
        }
        match result {
            Ok(next) => known.push(next),
            Err(core) => return Ok(Some(assemble(terms, &known, core, path.len()))),
        }
    }
    *facts = known.iter().map(|list| list.iter().map(|fact| fact.term).collect()).collect();
    Ok(None)
}

/// The candidates that hold after a part, or the known ones that cannot hold before it.
fn advance(
    terms: &mut Terms,
    path: &mut Path,
    part: usize,
    known: &[Known],
    candidates: &[Term],
) -> Result<Result<Vec<Known>, Vec<usize>>, Interrupt> {
    let local = path.part(terms, part)?;
    let mut assumptions = Vec::with_capacity(known.len() + 1);
    for fact in known {
        assumptions.push(local.before(terms, fact.term)?);
    }
    let reasons = |core: &[Lit], assumptions: &[Lit]| -> Vec<usize> {
        (0..known.len()).filter(|at| core.contains(&assumptions[*at])).collect()
    };
    let mut next: Vec<Known> = vec![];
    let mut open: Vec<(Lit, Term)> = vec![];
    for term in candidates {
        let lit = local.after(terms, *term)?;
        // What the part does not touch stays.
        match assumptions.iter().position(|fact| *fact == lit || *fact == !lit) {
            Some(at) if next.iter().all(|fact| fact.term != known[at].term) => {
                next.push(Known { term: known[at].term, because: vec![at] });
            }
            Some(_) => {}
            None => open.push((lit, *term)),
        }
    }
    if local.solver.check(&assumptions)? == Answer::Unsat {
        return Ok(Err(reasons(&local.solver.core()?, &assumptions)));
    }
    let mut asked: Vec<(Lit, Term)> = vec![];
    for (lit, term) in open {
        match local.solver.truth(lit)? {
            Some(true) => asked.push((lit, term)),
            Some(false) => asked.push((!lit, terms.not(term))),
            None => {}
        }
    }
    asked.reverse();
    while let Some((lit, term)) = asked.pop() {
        assumptions.push(!lit);
        match local.solver.check(&assumptions)? {
            Answer::Unsat => next.push(Known { term, because: reasons(&local.solver.core()?, &assumptions) }),
            // A model costs as much as several checks, and usually settles many.
            Answer::Sat if asked.len() > MODEL_WORTH => {
                let mut kept = Vec::with_capacity(asked.len());
                for (lit, term) in asked {
                    if local.solver.truth(lit)? == Some(true) {
                        kept.push((lit, term));
                    }
                }
                asked = kept;
            }
            Answer::Sat => {}
        }
        assumptions.pop();
    }
    Ok(Ok(next))
}

/// From the contradiction backwards, what was needed.
fn assemble(terms: &mut Terms, known: &[Vec<Known>], core: Vec<usize>, parts: usize) -> Vec<Term> {
    let mut sequence = vec![terms.bool(false); parts + 1];
    let mut needed = core;
    for (cut, facts) in known.iter().enumerate().rev() {
        needed.sort_unstable();
        needed.dedup();
        sequence[cut] = terms.and(needed.iter().map(|at| facts[*at].term));
        needed = needed.iter().flat_map(|at| facts[*at].because.iter().copied()).collect();
    }
    sequence
}

/// Atoms of guards, and values that are assigned, over variables that matter for the end.
fn global_candidates(terms: &mut Terms, path: &mut Path) -> Result<Vec<Term>, Interrupt> {
    let relevant = relevant(terms, path);
    let mut result = vec![];
    let mut seen = FxHashSet::default();
    let mut visited = FxHashSet::default();
    for part in (0..path.len()).rev() {
        let mut found = vec![];
        match path.stmts[part] {
            Some(stmt) if visited.insert(stmt) => {
                let mut list = vec![];
                terms.for_each_substmt(stmt, |s| list.push(s));
                for stmt in list {
                    match *terms.stmt(stmt) {
                        StmtNode::Assume(condition) | StmtNode::If(condition, ..) => {
                            found.extend(atoms_of(terms, condition));
                        }
                        StmtNode::Assign(var, value) if terms.type_of(value) == Type::Bool => {
                            found.push(terms.var(var));
                            found.extend(atoms_of(terms, value));
                        }
                        StmtNode::Assign(var, value) if terms.as_const(value).is_some() => {
                            let var = terms.var(var);
                            found.push(terms.eq(var, value));
                        }
                        _ => {}
                    }
                }
            }
            Some(_) => {}
            None => {
                let (formula, before, after) = {
                    let local = path.part(terms, part)?;
                    (local.formula, local.before.clone(), local.after.clone())
                };
                for atom in atoms_of(terms, formula) {
                    for steps in [&before, &after] {
                        let all = crate::trace::instances(terms, atom);
                        if all.iter().all(|(var, step)| *step == steps.of(*var)) {
                            found.push(super::to_now(terms, atom, steps));
                        }
                    }
                }
            }
        }
        for atom in found {
            let vars = terms.vars_of(atom);
            let matters = !vars.is_empty() && vars.iter().all(|var| relevant.contains(var));
            if matters && seen.insert(atom) {
                result.push(atom);
            }
        }
        if result.len() >= CANDIDATES {
            break;
        }
    }
    result.truncate(CANDIDATES);
    Ok(result)
}

/// The variables that the end of the trace may depend on, by a look at the text only.
fn relevant(terms: &Terms, path: &Path) -> FxHashSet<VarId> {
    let mut relevant: FxHashSet<VarId> = FxHashSet::default();
    let mut changed = true;
    let stmts: FxHashSet<Stmt> = path.stmts.iter().flatten().copied().collect();
    if let Some(Some(last)) = path.stmts.last() {
        terms.for_each_substmt(*last, |s| terms.stmt(s).for_each_term(|t| relevant.extend(terms.vars_of(t))));
    }
    if path.stmts.iter().any(Option::is_none) || relevant.is_empty() {
        return path.shared.iter().flatten().copied().collect();
    }
    while changed {
        changed = false;
        for stmt in &stmts {
            changed |= spread(terms, *stmt, &mut relevant);
        }
    }
    relevant
}

/// Adds what decides how `stmt` changes relevant variables; whether that was anything.
fn spread(terms: &Terms, stmt: Stmt, relevant: &mut FxHashSet<VarId>) -> bool {
    let size = relevant.len();
    terms.for_each_substmt(stmt, |s| {
        let writes = || terms.written_by(s).iter().any(|var| relevant.contains(var));
        match *terms.stmt(s) {
            StmtNode::Assign(var, value) if relevant.contains(&var) => relevant.extend(terms.vars_of(value)),
            StmtNode::If(condition, ..) if writes() => relevant.extend(terms.vars_of(condition)),
            StmtNode::Choice(ref list) if writes() => {
                for branch in list {
                    guards(terms, *branch, relevant);
                }
            }
            _ => {}
        }
    });
    relevant.len() > size
}

/// The variables of the assumptions that stand in a branch itself.
fn guards(terms: &Terms, branch: Stmt, relevant: &mut FxHashSet<VarId>) {
    match terms.stmt(branch) {
        StmtNode::Assume(condition) => relevant.extend(terms.vars_of(*condition)),
        StmtNode::Seq(list) => {
            for part in list {
                if let StmtNode::Assume(condition) = terms.stmt(*part) {
                    relevant.extend(terms.vars_of(*condition));
                }
            }
        }
        _ => {}
    }
}

/// For each cut, the atoms of what must not hold there for the trace to go wrong.
fn local_candidates(terms: &mut Terms, path: &mut Path) -> Vec<Vec<Term>> {
    let mut result = vec![vec![]; path.len() + 1];
    let mut later: Vec<Term> = vec![];
    for part in (0..path.len()).rev() {
        let Some(stmt) = path.stmts[part] else { break };
        let mut next = vec![];
        let never = terms.bool(false);
        for post in later.iter().copied().chain([never]) {
            let Ok(pre) = weakest(terms, stmt, post, SIZE) else { continue };
            for atom in atoms_of(terms, pre) {
                if !next.contains(&atom) && !matches!(terms.node(atom), Node::Const(_)) {
                    next.push(atom);
                }
            }
        }
        next.truncate(CANDIDATES);
        result[part].clone_from(&next);
        later = next;
    }
    result
}
