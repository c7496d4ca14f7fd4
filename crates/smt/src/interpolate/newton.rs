//! Interpolants by executing the trace, forwards or backwards.
//!
//! Forwards, I_{i+1} is the strongest postcondition of I_i; backwards, I_i is the weakest precondition of
//! I_{i+1}. Both are exact, and both come in four kinds. They are of the whole parts, or of what the core
//! needs of them, which leaves less to say. And they speak of all variables, or only of those that live at
//! the cut: the others are projected away, and the formulas are interpolants.
//!
//! Weakest preconditions of whole parts are computed on the statements themselves: a branch that does not
//! matter for what follows leaves no trace in them.

use ir::{Stmt, StmtNode, Term, Terms, VarId};
use rustc_hash::FxHashMap;

use crate::interpolate::eliminate::eliminate;
use crate::interrupt::Interrupt;
use crate::z3::Instance;

/// Terms larger than this are no explanation.
const SIZE: usize = 300;

/// Strongest postconditions, over variables at steps; `keep` says what each cut may speak of. The last
/// one is what reaches the end, and nothing should.
pub fn forwards(
    terms: &mut Terms,
    formulas: &[Term],
    keep: &dyn Fn(usize, Instance) -> bool,
) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(true)];
    let mut reached = sequence[0];
    for (part, formula) in formulas.iter().enumerate() {
        let after = terms.and([reached, *formula]);
        reached = eliminate(terms, after, &|instance| keep(part + 1, instance))?;
        limit(terms, reached, SIZE)?;
        sequence.push(reached);
    }
    Ok(sequence)
}

/// Weakest preconditions of formulas, over variables at steps; `keep` says what each cut may speak of.
/// The first one is what cannot run to the end, and everything should be.
pub fn backwards(
    terms: &mut Terms,
    formulas: &[Term],
    keep: &dyn Fn(usize, Instance) -> bool,
) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(false)];
    // What can still run to the end; the interpolant is its negation.
    let mut able = terms.bool(true);
    for (part, formula) in formulas.iter().enumerate().rev() {
        let before = terms.and([*formula, able]);
        able = eliminate(terms, before, &|instance| keep(part, instance))?;
        limit(terms, able, SIZE)?;
        sequence.push(terms.not(able));
    }
    sequence.reverse();
    Ok(sequence)
}

/// Weakest preconditions of statements, over now; `keep` says what each cut may speak of. The first one
/// is what cannot run to the end, and everything should be.
pub fn weakest_preconditions(
    terms: &mut Terms,
    stmts: &[Stmt],
    keep: &dyn Fn(usize, VarId) -> bool,
) -> Result<Vec<Term>, Interrupt> {
    let mut post = terms.bool(false);
    let mut sequence = vec![post];
    for (part, stmt) in stmts.iter().enumerate().rev() {
        post = weakest(terms, *stmt, post, SIZE)?;
        // What nothing before the cut determines may have any value there, so it holds for all of them.
        if part > 0 && !terms.vars_of(post).iter().all(|var| keep(part, *var)) {
            let never = terms.not(post);
            let some = eliminate(terms, never, &|(var, _)| keep(part, var))?;
            post = terms.not(some);
            limit(terms, post, SIZE)?;
        }
        sequence.push(post);
    }
    sequence.reverse();
    Ok(sequence)
}

/// The weakest precondition of `post`, no larger than `size`.
pub fn weakest(terms: &mut Terms, stmt: Stmt, post: Term, size: usize) -> Result<Term, Interrupt> {
    let result = ir::deep(|| match terms.stmt(stmt).clone() {
        StmtNode::Skip => Ok(post),
        StmtNode::Assume(condition) => Ok(terms.implies(condition, post)),
        StmtNode::Assign(var, value) => Ok(terms.substitute(post, &FxHashMap::from_iter([(var, value)]))),
        StmtNode::Havoc(var) => {
            // For all values: for none the opposite.
            let never = terms.not(post);
            let some = eliminate(terms, never, &|instance| instance != (var, 0))?;
            Ok(terms.not(some))
        }
        StmtNode::Seq(list) => {
            list.iter().rev().try_fold(post, |post, part| weakest(terms, *part, post, size))
        }
        StmtNode::Choice(list) => {
            let parts =
                list.iter().map(|part| weakest(terms, *part, post, size)).collect::<Result<Vec<_>, _>>()?;
            Ok(terms.and(parts))
        }
        StmtNode::If(condition, then, otherwise) => {
            let (then, otherwise) =
                (weakest(terms, then, post, size)?, weakest(terms, otherwise, post, size)?);
            Ok(terms.ite(condition, then, otherwise))
        }
        StmtNode::Delay | StmtNode::For { .. } | StmtNode::While(..) => {
            Err(Interrupt::Unsupported("a delay or a loop".into()))
        }
    })?;
    limit(terms, result, size)?;
    Ok(result)
}

fn limit(terms: &Terms, term: Term, most: usize) -> Result<(), Interrupt> {
    let mut size = 0;
    terms.for_each_subterm(term, |_| size += 1);
    if size <= most { Ok(()) } else { Err(Interrupt::Budget) }
}
