//! Slots: the scalars that a value is made of, and the types that they have in XSTS.

use super::super::ast::{TypeId, TypeKind};
use super::super::types::{Ty, TyKind};
use super::{Lowering, Value, x};
use crate::code::Code;

/// The type of a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    Bool,
    Int,
    Rat,
    /// An enumeration of the user's.
    Enum(TypeId),
    /// The type of a region, or another that the lowering has declared.
    Own(x::Name, x::Name),
    Array(Box<Slot>),
}

impl Lowering<'_> {
    /// The slots of a type, each with what its name ends with.
    pub(super) fn slots(&mut self, ty: Ty) -> Vec<(String, Slot)> {
        let slot = match self.project.kind(ty).clone() {
            TyKind::Boolean => Slot::Bool,
            TyKind::Integer | TyKind::Subrange { .. } | TyKind::IntegerRange => Slot::Int,
            TyKind::Decimal | TyKind::Rational => Slot::Rat,
            TyKind::Enum(id) => Slot::Enum(id),
            TyKind::Record(id) => {
                let mut slots = vec![];
                for (name, ty) in self.fields(id) {
                    for (suffix, slot) in ir::deep(|| self.slots(ty)) {
                        slots.push((format!("_{name}{suffix}"), slot));
                    }
                }
                return slots;
            }
            TyKind::Array { element, .. } => {
                let element = ir::deep(|| self.slots(element));
                return element
                    .into_iter()
                    .map(|(suffix, slot)| (suffix, Slot::Array(Box::new(slot))))
                    .collect();
            }
            TyKind::Void | TyKind::Unknown => return vec![],
            TyKind::Opaque | TyKind::Function { .. } => {
                let message = "values of function types and texts of other languages are not supported";
                let span = self.x.span;
                self.error(Code::UnsupportedType, span, message);
                return vec![];
            }
        };
        vec![(String::new(), slot)]
    }
    /// The fields of a record with their types.
    pub(super) fn fields(&self, id: TypeId) -> Vec<(String, Ty)> {
        let TypeKind::Record(fields) = &self.project.ast.types[id].kind else { return vec![] };
        let field = |field: &super::Param| {
            (self.project.ast.text(field.ident).to_owned(), self.project.written[field.ty])
        };
        fields.iter().map(field).collect()
    }
    /// The name of an enumeration and those of its literals.
    pub(super) fn enumeration(&mut self, id: TypeId) -> (x::Name, Vec<x::Name>) {
        if let Some(known) = self.enums.get(&id) {
            return known.clone();
        }
        let ast = &self.project.ast;
        let TypeKind::Enum(literals) = &ast.types[id].kind else { panic!("{id:?} is no enumeration") };
        let literals: Vec<&str> = literals.iter().map(|literal| ast.text(*literal)).collect();
        let literals = self.x.literals(literals.into_iter());
        let decl = ast.type_decls.iter().find(|decl| decl.ty == id);
        let name = decl.map_or("Enumeration", |decl| ast.text(decl.ident));
        let name = self.x.enumeration(name, &literals);
        self.enums.insert(id, (name, literals.clone()));
        (name, literals)
    }
    pub(super) fn slot_type(&mut self, slot: &Slot) -> x::TypeId {
        match slot {
            Slot::Bool => self.x.named("boolean"),
            Slot::Int => self.x.named("integer"),
            Slot::Rat => self.x.named("rational"),
            Slot::Enum(id) => {
                let (name, _) = self.enumeration(*id);
                self.x.type_name(name)
            }
            Slot::Own(name, _) => self.x.type_name(*name),
            Slot::Array(element) => {
                let element = ir::deep(|| self.slot_type(element));
                self.x.array_type(element)
            }
        }
    }
    pub(super) fn slot_default(&mut self, slot: &Slot) -> x::ExprId {
        match slot {
            Slot::Bool => self.x.bool(false),
            Slot::Int | Slot::Rat => self.x.int(0),
            Slot::Enum(id) => {
                let (_, literals) = self.enumeration(*id);
                self.x.name(literals[0])
            }
            Slot::Own(_, first) => self.x.name(*first),
            Slot::Array(element) => {
                let element = ir::deep(|| self.slot_default(element));
                self.x.array(vec![], element)
            }
        }
    }
    /// The default of a type.
    pub(super) fn default_of(&mut self, ty: Ty) -> Value {
        let slots = self.slots(ty);
        slots.iter().map(|(_, slot)| self.slot_default(slot)).collect()
    }
}
