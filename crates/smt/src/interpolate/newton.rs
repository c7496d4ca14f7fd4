//! Interpolants by executing the trace, forwards or backwards.
//!
//! Backwards, I_i is the weakest precondition of I_{i+1}, computed on the statements themselves: a
//! branch that does not matter for what follows leaves no trace in it. Forwards, I_{i+1} is the
//! strongest postcondition of I_i under what the core needs, with the variables that die at the cut
//! projected away. Both are exact.

use ir::{Stmt, StmtNode, Term, Terms};
use rustc_hash::FxHashMap;

use crate::interpolate::Problem;
use crate::interpolate::eliminate::eliminate;
use crate::interpolate::path::Path;
use crate::interrupt::Interrupt;

/// Terms larger than this are no explanation.
const SIZE: usize = 300;

/// Strongest postconditions, over variables at steps.
pub fn forwards(terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(true)];
    let mut reached = sequence[0];
    for (part, formula) in problem.formulas.iter().enumerate() {
        let after = terms.and([reached, *formula]);
        reached = eliminate(terms, after, &|instance| problem.shared[part + 1].contains(&instance))?;
        limit(terms, reached, SIZE)?;
        sequence.push(reached);
    }
    // Nothing is shared at the end, and nothing reaches it.
    *sequence.last_mut().expect("not empty") = terms.bool(false);
    Ok(sequence)
}

/// Weakest preconditions of a slice, over variables at steps.
pub fn backwards(terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(false)];
    // What can still run to the end; the interpolant is its negation.
    let mut able = terms.bool(true);
    for (part, formula) in problem.formulas.iter().enumerate().rev() {
        let before = terms.and([*formula, able]);
        able = eliminate(terms, before, &|instance| problem.shared[part].contains(&instance))?;
        limit(terms, able, SIZE)?;
        sequence.push(terms.not(able));
    }
    *sequence.last_mut().expect("not empty") = terms.bool(true);
    sequence.reverse();
    Ok(sequence)
}

/// Weakest preconditions of the statements, over now.
pub fn weakest_preconditions(terms: &mut Terms, path: &Path) -> Result<Vec<Term>, Interrupt> {
    let mut post = terms.bool(false);
    let mut sequence = vec![post];
    for part in (0..path.len()).rev() {
        let stmt =
            path.stmts[part].ok_or_else(|| Interrupt::Unsupported("a part without a statement".into()))?;
        post = weakest(terms, stmt, post, SIZE)?;
        // What nothing before the cut determines may have any value there, so it holds for all of them.
        if part > 0 && !path.allows(terms, part, post) {
            let never = terms.not(post);
            let some = eliminate(terms, never, &|(var, _)| path.shared[part].contains(&var))?;
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
