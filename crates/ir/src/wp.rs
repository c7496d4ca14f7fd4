//! Weakest preconditions.
//!
//! `wp(s, q)` holds in exactly the states from which every execution of `s` ends in `q`; a blocked
//! execution ends nowhere and so satisfies everything. Terms have no quantifiers, so a havoc or a
//! delay is handled only where its outcome does not matter for `q`, and loops must have been
//! unrolled by [`crate::simplify`].

use rustc_hash::FxHashMap;

use crate::stmt::{Stmt, StmtNode};
use crate::term::{Term, Terms, VarId};
use crate::value::Type;

/// The weakest precondition of `post` under `stmt`, or the statement that has none without
/// quantifiers.
pub fn wp(terms: &mut Terms, stmt: Stmt, post: Term) -> Result<Term, Stmt> {
    crate::deep(|| match terms.stmt(stmt).clone() {
        StmtNode::Skip => Ok(post),
        StmtNode::Assume(condition) => Ok(terms.implies(condition, post)),
        StmtNode::Assign(var, value) => Ok(terms.substitute(post, &FxHashMap::from_iter([(var, value)]))),
        StmtNode::Havoc(var) => unaffected(terms, stmt, post, |_, other| other == var),
        StmtNode::Delay => unaffected(terms, stmt, post, |terms, var| terms.var_type(var) == Type::Clock),
        StmtNode::Seq(list) => list.iter().rev().try_fold(post, |post, part| wp(terms, *part, post)),
        StmtNode::Choice(list) => {
            let parts = list.iter().map(|part| wp(terms, *part, post)).collect::<Result<Vec<_>, _>>()?;
            Ok(terms.and(parts))
        }
        StmtNode::If(condition, then, otherwise) => {
            let (then, otherwise) = (wp(terms, then, post)?, wp(terms, otherwise, post)?);
            Ok(terms.ite(condition, then, otherwise))
        }
        StmtNode::For { .. } | StmtNode::While(..) => Err(stmt),
    })
}

/// `post` itself, unless it mentions a variable that `stmt` changes at will.
fn unaffected(
    terms: &Terms,
    stmt: Stmt,
    post: Term,
    changed: impl Fn(&Terms, VarId) -> bool,
) -> Result<Term, Stmt> {
    let mentions = terms.vars_of(post).into_iter().any(|var| changed(terms, var));
    if mentions { Err(stmt) } else { Ok(post) }
}
