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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which variables a transition may read before it has written them.
    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let text = format!(
            "var a : integer = 0 var b : integer = 0 var c : integer = 0 var x : clock
             var cells : [integer] -> integer = [default <- 0]
             trans {{ {body} }} init {{ }} env {{ }}"
        );
        let system = lang::xsts::load(&text).unwrap().system;
        let process = &system.processes[ir::Id::at(0)];
        let edge = process.edges.iter().find(|edge| edge.label == "trans").unwrap();
        let mut vars = vec![];
        let cells = system.vars.ids().find(|var| system.vars[*var].name == "cells").unwrap();
        let by_entry: &[VarId] = if body.contains("cells[") { &[cells] } else { &[] };
        assert!(live(&system.terms, edge.update.stmt, by_entry, &mut vars));
        vars.sort_unstable();
        vars.dedup();
        let names: Vec<&str> = vars.iter().map(|var| system.vars[*var].name.as_str()).collect();
        assert_eq!(names, expected, "{body}");
    }

    #[test]
    fn what_is_written_first_is_not_read() {
        check("a := b; c := a;", &["b"]);
        check("a := a + 1;", &["a"]);
        check("havoc a; b := a;", &[]);
        check("c := a; a := 0; b := a;", &["a"]);
        check("assume x > 3; x := 0;", &["x"]);
        check("__delay; a := 1; assume a == b;", &["b"]);
    }

    #[test]
    fn only_what_every_branch_writes_is_written() {
        check("if (a == 0) { b := 1; } else { b := 2; } c := b;", &["a"]);
        check("if (a == 0) { b := 1; } c := b;", &["a", "b"]);
        check("choice { a := 1; } or { a := 2; b := 1; } c := a + b;", &["b"]);
        check("choice { a := b; } or { b := a; }", &["a", "b"]);
        check("if (a == 0) { b := c; c := 0; } else { c := 1; } a := c;", &["a", "c"]);
    }

    #[test]
    fn a_loop_may_do_nothing() {
        check("for i from 0 to 2 do { a := i; b := a; } c := a;", &["a"]);
        check("for i from 0 to a do { b := b + 1; }", &["a", "b"]);
    }

    #[test]
    fn an_entry_is_written_without_reading_the_array() {
        check("cells[a] := b;", &["a", "b"]);
        check("a := 1; cells[a] := a;", &[]);
    }
}
