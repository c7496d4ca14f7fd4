//! Selections: an edge of the system for every combination of selected values.
//!
//! Values are bound one name after the other. As soon as one is, the guard is looked at with the names that follow as
//! unknowns within their bounds: where ranges show that it fails, none of their values is tried. So the 1,000,000
//! combinations of three names from 0 to 99 with `a + b + c == 5` cost as little as the 21 edges that there are.

use ir::range::Ranges;
use ir::{ProcessId, Role, Type};

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::effects::for_each_child;
use crate::xta::elaborate::{Elaborator, WIDEST};
use crate::xta::lower::{Heading, Out, Wording};
use crate::xta::scope::{Point, Symbol};
use crate::xta::types::*;

/// What is selected so far on the way along edges.
#[derive(Default)]
pub(super) struct Selected {
    /// The values, as they are told.
    chosen: Vec<String>,
    /// The names, and how many values there are for each.
    selected: Vec<(String, u64)>,
    /// Where the names of each edge are known that has selected all.
    points: Vec<Point>,
    /// How many names the next edge has selected.
    names: usize,
    /// Whether a guard reads any of them, once that is asked.
    guarded: Option<bool>,
    /// How many edges the process had before.
    before: Option<u64>,
    /// Whether the edge has a mistake, or too many values: then what is wrong with it is told once, not for every value.
    wrong: bool,
}

impl Selected {
    fn combinations(&self) -> u64 {
        self.selected.iter().fold(1, |all, (_, size)| all.saturating_mul(*size))
    }
    /// That there are too many, and what to do.
    fn too_many(&self) -> String {
        let sizes: Vec<String> = self.selected.iter().map(|(_, size)| size.to_string()).collect();
        let product = match &sizes[..] {
            [only] => only.clone(),
            several => format!("{} = {}", several.join(" * "), self.combinations()),
        };
        format!(
            "{product} values are selected here, each for an edge of its own, and a process may have {WIDEST}; select \
             from narrower types, or one after the other on edges between committed locations"
        )
    }
}

impl Elaborator {
    /// Edges of the system for every combination of selected values: `path` is an edge, or one that leads to a
    /// branch point and one that leaves it, each of which sees what is selected on the way to it.
    pub(super) fn selected(
        &mut self,
        path: &[&Edge],
        at: usize,
        done: &mut Selected,
        out: &mut Out,
    ) -> Option<()> {
        let Some(edge) = path.get(done.points.len()) else {
            let heading = Heading { at, chosen: done.chosen.clone(), selected: done.selected.clone() };
            let met = self.met;
            let made = self.edge(path, heading, &done.points, out);
            done.wrong |= self.met > met;
            return made;
        };
        let Some((ident, ty)) = edge.select.get(done.names).copied() else {
            // The next edge selects in a scope of its own, and may hide names of this one.
            done.points.push(self.scopes.here());
            let names = std::mem::take(&mut done.names);
            let result = self.nested(|cx| cx.selected(path, at, done, out));
            done.names = names;
            done.points.pop();
            return result;
        };
        let span = self.ast.types[ty].span;
        let domain = self.resolve(ty).and_then(|ty| self.finite(&ty, span).map(|bounds| (ty, bounds)));
        let Some((resolved, (low, high))) = domain else {
            done.wrong = true;
            return self.without_value(ident, path, at, done, out);
        };
        done.selected.push((self.text(ident.name).to_owned(), count((low, high))));
        if !done.wrong && self.too_many(path, done, out) {
            done.wrong = true;
            self.error(Cause::TooLarge, span, done.too_many());
            // The edges after this one have the room that it was refused.
            out.refused += out.edges.len() as u64 - out.refused - done.before.unwrap_or_default();
        }
        if done.wrong {
            let result = self.without_value(ident, path, at, done, out);
            done.selected.pop();
            return result;
        }
        done.names += 1;
        self.nested(|cx| {
            for value in low..=high {
                let term = cx.value_of(&resolved, value);
                cx.declare(ident, Symbol::Place(Place::value(term, resolved.clone())));
                if cx.hopeless(path, at, done, out) {
                    continue;
                }
                done.chosen.push(format!("{} = {value}", cx.text(ident.name)));
                cx.selected(path, at, done, out);
                done.chosen.pop();
                if done.wrong {
                    break;
                }
            }
        });
        done.selected.pop();
        done.names -= 1;
        Some(())
    }
    /// Goes on with a selected name that has no values, for what else is wrong with the edge.
    fn without_value(
        &mut self,
        ident: Ident,
        path: &[&Edge],
        at: usize,
        done: &mut Selected,
        out: &mut Out,
    ) -> Option<()> {
        done.names += 1;
        self.nested(|cx| {
            cx.declare(ident, Symbol::Broken);
            cx.selected(path, at, done, out)
        });
        done.names -= 1;
        None
    }
    /// Whether a process has too many edges with those for all values selected so far. A guard on what is selected may
    /// leave few of them, so these are counted as they are made.
    fn too_many(&self, path: &[&Edge], done: &mut Selected, out: &Out) -> bool {
        let guarded = *done.guarded.get_or_insert_with(|| self.guards_selected(path));
        let made = out.edges.len() as u64 - out.refused;
        let before = *done.before.get_or_insert(made);
        let all = if guarded {
            made.saturating_add(done.selected.last().map_or(1, |(_, size)| *size))
        } else {
            before.saturating_add(done.combinations())
        };
        all > WIDEST
    }
    /// Whether the guard of the edge that is selecting fails, whatever else it selects. The first combination for which a
    /// guard fails is looked at as a whole all the same, for what is wrong with it and for explanations.
    fn hopeless(&mut self, path: &[&Edge], at: usize, done: &Selected, out: &Out) -> bool {
        let edge = path[done.points.len()];
        let told = |(process, _, wording): &(ProcessId, _, Wording)| {
            *process == out.process && wording.labels.number == at
        };
        let joins = path.iter().any(|edge| edge.sync.is_some_and(|sync| sync.role == Role::Join));
        if done.names == edge.select.len()
            || done.guarded != Some(true)
            || joins
            || !self.impossible.last().is_some_and(told)
            || self.calls_in(&edge.guard)
        {
            return false;
        }
        let (mark, silent) = (self.mark(), std::mem::replace(&mut self.silent, true));
        let fails = self.nested(|cx| {
            for (ident, ty) in &edge.select[done.names..] {
                let span = cx.ast.types[*ty].span;
                let Some(ty) = cx.resolve(*ty) else { return false };
                let Some(bounds) = cx.finite(&ty, span).filter(|(low, high)| low <= high) else {
                    return false;
                };
                let kind = if ty == Ty::Bool { Type::Bool } else { Type::Int };
                let any = cx.hidden("$selected", kind, Some(bounds), span);
                let any = cx.system.terms.var(any);
                cx.declare(*ident, Symbol::Place(Place::value(any, ty)));
            }
            let guard = cx.conditions(&edge.guard, "guard");
            let ranges = Ranges::default();
            let fails = |condition| ranges.truth(&cx.system.terms, &cx.declared, condition) == Some(false);
            guard.faults.iter().all(|(condition, _)| fails(*condition)) && fails(guard.term)
        });
        self.silent = silent;
        self.release(mark);
        fails
    }
    /// Whether expressions call functions.
    fn calls_in(&self, exprs: &[ExprId]) -> bool {
        let mut stack = exprs.to_vec();
        while let Some(expr) = stack.pop() {
            match &self.ast.exprs[expr].kind {
                ExprKind::Call(..) => return true,
                kind => for_each_child(kind, |child| stack.push(child)),
            }
        }
        false
    }
    /// Whether a guard reads what is selected.
    fn guards_selected(&self, path: &[&Edge]) -> bool {
        let selected: Vec<Name> =
            path.iter().flat_map(|edge| &edge.select).map(|(ident, _)| ident.name).collect();
        let mut stack: Vec<ExprId> = path.iter().flat_map(|edge| edge.guard.iter().copied()).collect();
        while let Some(expr) = stack.pop() {
            match &self.ast.exprs[expr].kind {
                ExprKind::Name(name) if selected.contains(name) => return true,
                kind => for_each_child(kind, |child| stack.push(child)),
            }
        }
        false
    }
}
