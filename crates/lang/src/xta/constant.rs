//! Values known before the model runs: constants, initial values, sizes and arguments.

use ir::{Id, Span, Term, Type, Value};

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::ast::*;
use crate::xta::elaborate::{Elaborator, Hazard};
use crate::xta::types::*;

impl Elaborator {
    /// The value of an expression that must be known now.
    pub(crate) fn constant(&mut self, expr: ExprId, what: &str) -> Option<i64> {
        let value = self.pure(|cx| cx.int(expr))?;
        let span = self.ast.exprs[expr].span;
        if let Some((_, fault)) = value.faults.first()
            && let Some(Hazard { kind, span: place, .. }) = self.hazards.get_index(fault.index()).copied()
        {
            return self.fail(Cause::Undefined, place, format!("{kind} in a constant expression"));
        }
        match self.system.terms.as_const(value.term) {
            Some(Value::Int(value)) => match value.to_i64() {
                Some(value) => Some(value),
                None => self.fail(Cause::OutOfRange, span, "the value is too large"),
            },
            _ => self.fail(Cause::NotConstant, span, format!("{what} must be a constant")),
        }
    }
    /// The constant value of an initialiser.
    pub(crate) fn tree(&mut self, ty: &Ty, expr: ExprId) -> Option<Tree> {
        ir::deep(|| self.tree_here(ty, expr))
    }
    fn tree_here(&mut self, ty: &Ty, expr: ExprId) -> Option<Tree> {
        let ast = self.ast.clone();
        let Expr { kind, span } = &ast.exprs[expr];
        match (ty, kind) {
            (Ty::Array(bounds, element), ExprKind::List(items)) => {
                if items.len() as u64 != count(*bounds) {
                    let message = format!("{} values for {} entries", items.len(), count(*bounds));
                    return self.fail(Cause::WrongCount, *span, message);
                }
                let list: Vec<_> = items.iter().map(|(_, item)| self.tree(element, *item)).collect();
                Some(Tree::List(list.into_iter().collect::<Option<_>>()?))
            }
            (Ty::Struct(fields), ExprKind::List(items)) => {
                let order = self.field_order(fields, items, *span)?;
                let list: Vec<_> =
                    order.iter().zip(fields.iter()).map(|(item, (_, ty))| self.tree(ty, *item)).collect();
                Some(Tree::List(list.into_iter().collect::<Option<_>>()?))
            }
            (Ty::Opaque(_), _) if !matches!(kind, ExprKind::List(_)) => {
                let value = self.pure(|cx| cx.value(expr))?;
                self.as_opaque(value, *span)?;
                Some(Tree::Value(self.system.terms.int(0)))
            }
            (_, ExprKind::List(_)) => {
                self.fail(Cause::TypeMismatch, *span, format!("a list is no value of {}", ty.show()))
            }
            (Ty::Array(..) | Ty::Struct(_), _) => {
                let place = self.pure(|cx| cx.place(expr))?;
                if place.ty != *ty {
                    return self.fail(
                        Cause::TypeMismatch,
                        *span,
                        format!("this is {}, not {}", place.ty.show(), ty.show()),
                    );
                }
                self.tree_of(&place, *span)
            }
            (Ty::Bool, _) => {
                let value = self.pure(|cx| cx.data_truth(expr))?;
                if self.system.terms.as_const(value.term).is_none() || !value.faults.is_empty() {
                    return self.fail(Cause::NotConstant, *span, "an initial value must be a constant");
                }
                Some(Tree::Value(value.term))
            }
            (Ty::Chan { .. } | Ty::Void, _) => {
                self.fail(Cause::Misplaced, *span, format!("{} has no initial value", ty.show()))
            }
            (Ty::Clock, _) => {
                let value = self.constant(expr, "an initial value")?;
                if value < 0 {
                    return self.fail(Cause::OutOfRange, *span, "a clock cannot start at a negative value");
                }
                Some(Tree::Value(self.system.terms.int(value)))
            }
            _ => {
                let value = self.constant(expr, "an initial value")?;
                if let Ty::Int((low, high)) = ty
                    && !(*low..=*high).contains(&value)
                {
                    let message = format!("the value {value} is outside the range from {low} to {high}");
                    return self.fail(Cause::OutOfRange, *span, message);
                }
                Some(Tree::Value(self.system.terms.int(value)))
            }
        }
    }
    /// The values of a list by field.
    pub(crate) fn field_order(
        &mut self,
        fields: &[(Name, Ty)],
        items: &[(Option<Ident>, ExprId)],
        span: Span,
    ) -> Option<Vec<ExprId>> {
        if items.len() != fields.len() {
            return self.fail(
                Cause::WrongCount,
                span,
                format!("{} values for {} fields", items.len(), fields.len()),
            );
        }
        let mut order = vec![None; fields.len()];
        for (position, (field, item)) in items.iter().enumerate() {
            let at = match field {
                None => position,
                Some(ident) => match fields.iter().position(|(name, _)| *name == ident.name) {
                    Some(at) => at,
                    None => {
                        self.report(Diagnostic::unknown(ident.span, "field", self.text(ident.name), None));
                        return None;
                    }
                },
            };
            order[at] = Some(*item);
        }
        match order.into_iter().collect::<Option<_>>() {
            Some(order) => Some(order),
            None => self.fail(Cause::RepeatedPart, span, "a field is given twice"),
        }
    }
    /// The constant value of a place.
    pub(crate) fn tree_of(&mut self, place: &Place, span: Span) -> Option<Tree> {
        match &place.ty {
            Ty::Array((low, high), _) => {
                let mut list = vec![];
                for at in *low..=*high {
                    let at = self.system.terms.int(at);
                    list.push(self.tree_of(&place.entry(at), span)?);
                }
                Some(Tree::List(list))
            }
            Ty::Struct(fields) => (0..fields.len())
                .map(|at| self.tree_of(&place.field(at), span))
                .collect::<Option<_>>()
                .map(Tree::List),
            Ty::Opaque(_) => Some(Tree::Value(self.system.terms.int(0))),
            Ty::Bool | Ty::Int(_) => {
                let term = place.term(&mut self.system.terms);
                if self.system.terms.as_const(term).is_none() {
                    return self.fail(Cause::NotConstant, span, "an initial value must be a constant");
                }
                Some(Tree::Value(term))
            }
            _ => self.fail(Cause::TypeMismatch, span, format!("{} is no value", place.ty.show())),
        }
    }
    /// A constant with the shape of a type; `path` leads to the current field.
    pub(crate) fn constant_object(
        &mut self,
        whole: &Ty,
        ty: &Ty,
        tree: &Tree,
        path: &mut Vec<usize>,
    ) -> Object {
        match ty {
            Ty::Array(_, element) => self.constant_object(whole, element, tree, path),
            Ty::Struct(fields) => {
                let mut objects = vec![];
                for (at, (_, ty)) in fields.iter().enumerate() {
                    path.push(at);
                    objects.push(self.constant_object(whole, ty, tree, path));
                    path.pop();
                }
                Object::Fields(objects.into())
            }
            Ty::Opaque(_) => Object::Opaque,
            _ => Object::Value(self.project(whole, tree, path)),
        }
    }
    /// The values of one leaf within a constant, as one term.
    pub(crate) fn project(&mut self, ty: &Ty, tree: &Tree, path: &[usize]) -> Term {
        match (ty, tree) {
            (Ty::Array((low, _), element), Tree::List(list)) => {
                let entries: Vec<Term> = list.iter().map(|tree| self.project(element, tree, path)).collect();
                let mut leaf = ty.clone();
                for at in path {
                    leaf = field_type(&leaf, *at);
                }
                let terms = &mut self.system.terms;
                let Type::Array(id) = leaf_type(terms, &leaf) else { panic!("an array type") };
                let first = terms.fill(id, entries[0]);
                entries.iter().enumerate().skip(1).fold(first, |array, (at, entry)| {
                    let at = terms.int(low + at as i64);
                    terms.write(array, at, *entry)
                })
            }
            (Ty::Struct(fields), Tree::List(list)) => {
                let (at, rest) = path.split_first().expect("a path leads to a leaf");
                self.project(&fields[*at].1, &list[*at], rest)
            }
            (_, Tree::Value(term)) => *term,
            _ => panic!("a constant has the shape of its type"),
        }
    }
}

/// A constant value with the shape of its type.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Value(Term),
    List(Vec<Tree>),
}

impl Tree {
    /// The single values of one leaf of a value of this type, row by row; fields lead to it.
    pub(crate) fn along(&self, ty: &Ty, path: &[usize], values: &mut Vec<Term>) {
        match (self, ty) {
            (Tree::Value(term), _) => values.push(*term),
            (Tree::List(list), Ty::Array(_, element)) => {
                list.iter().for_each(|tree| tree.along(element, path, values));
            }
            (Tree::List(list), Ty::Struct(fields)) => {
                let (at, rest) = path.split_first().expect("a path leads to a leaf");
                list[*at].along(&fields[*at].1, rest, values);
            }
            _ => panic!("a constant has the shape of its type"),
        }
    }
}
