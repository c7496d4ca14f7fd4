//! The variables that a statement may read before it has written them.
//!
//! Only their values matter to what it does: any other variable that it mentions has been written, on every
//! way there, by the time it is read. Statements are walked forwards with the variables that have been
//! written for certain: after a choice, those that every branch writes; after a loop, those before it.

use ir::{Stmt, StmtNode, Term, Terms, VarId};
use rustc_hash::FxHashSet;

use super::execution::entries_written;

/// Pushes the variables that `stmt` may read before it has written them, some maybe twice; false if it is so
/// large, written out, that this was given up. Writing an entry of one of `by_entry` does not read that
/// array.
pub(super) fn live(terms: &Terms, stmt: Stmt, by_entry: &[VarId], out: &mut Vec<VarId>) -> bool {
    let mut walk = Walk { terms, by_entry, left: LARGE, out };
    walk.walk(stmt, &mut FxHashSet::default());
    walk.left > 0
}

/// Statements with more parts than this are not walked to their end.
const LARGE: u32 = 10_000;

struct Walk<'a> {
    terms: &'a Terms,
    by_entry: &'a [VarId],
    left: u32,
    out: &'a mut Vec<VarId>,
}

type Written = FxHashSet<VarId>;

impl Walk<'_> {
    fn read(&mut self, term: Term, written: &Written) {
        self.out.extend(self.terms.vars_of(term).into_iter().filter(|var| !written.contains(var)));
    }
    fn walk(&mut self, stmt: Stmt, written: &mut Written) {
        self.left = self.left.saturating_sub(1);
        match self.terms.stmt(stmt) {
            _ if self.left == 0 => {}
            StmtNode::Skip | StmtNode::Delay => {}
            StmtNode::Assume(condition) => self.read(*condition, written),
            StmtNode::Assign(var, term) if self.by_entry.contains(var) => {
                for (index, entry) in entries_written(self.terms, *var, *term).expect("written by entry") {
                    self.read(index, written);
                    self.read(entry, written);
                }
            }
            StmtNode::Assign(var, term) => {
                self.read(*term, written);
                written.insert(*var);
            }
            StmtNode::Havoc(var) => {
                written.insert(*var);
            }
            StmtNode::Seq(list) => {
                for part in list {
                    ir::deep(|| self.walk(*part, written));
                }
            }
            StmtNode::Choice(list) => self.branches(list, written),
            StmtNode::If(condition, yes, no) => {
                self.read(*condition, written);
                self.branches(&[*yes, *no], written);
            }
            StmtNode::For { var, from, to, body } => {
                self.read(*from, written);
                self.read(*to, written);
                let mut inside = written.clone();
                inside.insert(*var);
                ir::deep(|| self.walk(*body, &mut inside));
            }
            StmtNode::While(condition, body) => {
                self.read(*condition, written);
                ir::deep(|| self.walk(*body, &mut written.clone()));
            }
        }
    }
    fn branches(&mut self, list: &[Stmt], written: &mut Written) {
        let mut common: Option<Written> = None;
        for part in list {
            let mut after = written.clone();
            ir::deep(|| self.walk(*part, &mut after));
            if let Some(common) = &common {
                after.retain(|var| common.contains(var));
            }
            common = Some(after);
        }
        // Nothing comes after no branch at all.
        *written = common.unwrap_or_default();
    }
}
