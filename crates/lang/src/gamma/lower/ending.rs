//! Where a run ends.
//!
//! A finding (an incomplete choice, a failed assertion) writes its number into `stuck`, which is 0 otherwise, and no step
//! begins where it is not. What remains is the rest of the step with the finding: nothing in it may happen, or an
//! invariant could discard the run, or a division by zero be reported, that no run comes to. So when all statements are
//! made, whatever comes behind one that may write `stuck` is guarded by `stuck = 0`:
//!
//! > After every statement, either `stuck` is 0, or nothing was executed since it was written.
//!
//! The guards are nested, not repeated, because locals that the rest declares are seen by all of the rest.

use super::{Lowering, x};

impl Lowering<'_> {
    /// Statements of which nothing happens once a run has ended.
    pub(super) fn until_stuck(&mut self, list: Vec<x::StmtId>) -> Vec<x::StmtId> {
        match self.stuck {
            Some((stuck, _)) => self.guard_list(stuck, &list).0,
            None => list,
        }
    }
    /// The guarded list, and whether the run may end in it.
    fn guard_list(&mut self, stuck: x::Name, list: &[x::StmtId]) -> (Vec<x::StmtId>, bool) {
        // From the end, so that each statement is moved into one guard at most; the last one comes first.
        let mut rest: Vec<x::StmtId> = vec![];
        let mut may_end = false;
        for stmt in list.iter().rev() {
            if ir::deep(|| self.guard(stuck, *stmt)) {
                may_end = true;
                if !rest.is_empty() {
                    rest.reverse();
                    let outer = std::mem::replace(&mut self.x.span, self.x.model.stmts[rest[0]].span);
                    let (now, none) = (self.x.name(stuck), self.x.int(0));
                    let going = self.x.compare(x::CompareOp::Eq, now, none);
                    rest = self.x.branch(going, rest, vec![]);
                    self.x.span = outer;
                }
            }
            rest.push(*stmt);
        }
        rest.reverse();
        (rest, may_end)
    }
    /// Guards what is inside a statement; whether the run may end in it.
    fn guard(&mut self, stuck: x::Name, stmt: x::StmtId) -> bool {
        match self.x.model.stmts[stmt].kind.clone() {
            x::StmtKind::Assign(target, ..) => target.name == stuck,
            x::StmtKind::Block(list) => {
                let (list, may_end) = self.guard_list(stuck, &list);
                if may_end {
                    self.x.model.stmts[stmt].kind = x::StmtKind::Block(list.into());
                }
                may_end
            }
            x::StmtKind::If(_, then, otherwise) => {
                let then = self.guard(stuck, then);
                otherwise.is_some_and(|otherwise| self.guard(stuck, otherwise)) || then
            }
            x::StmtKind::Choice(branches) => {
                let mut may_end = false;
                for branch in &branches {
                    may_end |= self.guard(stuck, *branch);
                }
                may_end
            }
            // The others have no parts, or are not made here.
            _ => false,
        }
    }
}
