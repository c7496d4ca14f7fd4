//! Types: what a type means, whatever it is called.
//!
//! Types are interned, so equal types have equal numbers. Enumerations and records are equal if they are the same
//! declaration; a name for a type is the type.

use indexmap::IndexSet;
use ir::{Id, Int};
use rustc_hash::FxBuildHasher;

use super::ast::{Ast, TypeId};

ir::id!(
    /// A type.
    Ty
);

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    /// Nothing is known, as something is wrong; fits everything.
    Unknown,
    /// No value.
    Void,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// An integer within bounds.
    Subrange {
        /// The least value, if it is known and there is one.
        from: Option<Int>,
        /// The greatest value, if it is known and there is one.
        to: Option<Int>,
    },
    /// `decimal`
    Decimal,
    /// `rational`
    Rational,
    /// `integer range`
    IntegerRange,
    /// A text whose meaning is that of another language.
    Opaque,
    /// An enumeration, by its `enum { … }`.
    Enum(TypeId),
    /// A record, by its `record { … }`.
    Record(TypeId),
    /// An array.
    Array {
        /// The type of its entries.
        element: Ty,
        /// How many there are; `None` if that depends on parameters of a component.
        size: Option<u32>,
    },
    /// A function.
    Function {
        /// Types of its arguments.
        params: Vec<Ty>,
        /// The type of its result.
        result: Ty,
    },
}

/// All types of a project.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: IndexSet<TyKind, FxBuildHasher>,
    /// Fits everything.
    pub unknown: Ty,
    /// No value.
    pub void: Ty,
    /// `boolean`
    pub boolean: Ty,
    /// `integer`
    pub integer: Ty,
    /// `decimal`
    pub decimal: Ty,
    /// `rational`
    pub rational: Ty,
    /// `integer range`
    pub integer_range: Ty,
    /// A text of another language.
    pub opaque: Ty,
}

impl Default for Types {
    fn default() -> Self {
        let mut kinds = IndexSet::default();
        let mut add = |kind| Ty::at(kinds.insert_full(kind).0);
        Types {
            unknown: add(TyKind::Unknown),
            void: add(TyKind::Void),
            boolean: add(TyKind::Boolean),
            integer: add(TyKind::Integer),
            decimal: add(TyKind::Decimal),
            rational: add(TyKind::Rational),
            integer_range: add(TyKind::IntegerRange),
            opaque: add(TyKind::Opaque),
            kinds,
        }
    }
}

impl Types {
    /// The number of a type.
    pub fn intern(&mut self, kind: TyKind) -> Ty {
        Ty::at(self.kinds.insert_full(kind).0)
    }
    /// What a type is.
    pub fn kind(&self, ty: Ty) -> &TyKind {
        &self.kinds[ty.index()]
    }
}

impl TyKind {
    /// Whether its values are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, TyKind::Decimal | TyKind::Rational) || self.is_integer()
    }
    /// Whether its values are integers.
    pub fn is_integer(&self) -> bool {
        matches!(self, TyKind::Integer | TyKind::Subrange { .. } | TyKind::Unknown | TyKind::Opaque)
    }
    /// Whether its values are truth values.
    pub fn is_boolean(&self) -> bool {
        matches!(self, TyKind::Boolean | TyKind::Unknown | TyKind::Opaque)
    }
    /// Whether anything fits.
    pub fn is_unknown(&self) -> bool {
        matches!(self, TyKind::Unknown | TyKind::Opaque)
    }
}

impl Types {
    /// Whether a value of one type can stand where the other is needed; integers need not be within bounds.
    pub fn fit(&self, one: Ty, other: Ty) -> bool {
        if one == other {
            return true;
        }
        match (self.kind(one), self.kind(other)) {
            (one, other) if one.is_unknown() || other.is_unknown() => true,
            (one, other) if one.is_integer() && other.is_integer() => true,
            (TyKind::Array { element: one, size: n }, TyKind::Array { element: other, size: m }) => {
                (n.is_none() || m.is_none() || n == m) && self.fit(*one, *other)
            }
            _ => false,
        }
    }
    /// What a type is called in messages.
    pub fn shown(&self, ast: &Ast, ty: Ty) -> String {
        let declared = |id: TypeId| {
            ast.type_decls.iter().find(|decl| decl.ty == id).map(|decl| ast.text(decl.ident).to_owned())
        };
        match self.kind(ty) {
            TyKind::Unknown | TyKind::Opaque => "an unknown type".to_owned(),
            TyKind::Void => "`void`".to_owned(),
            TyKind::Boolean => "`boolean`".to_owned(),
            TyKind::Integer | TyKind::Subrange { .. } => "`integer`".to_owned(),
            TyKind::Decimal => "`decimal`".to_owned(),
            TyKind::Rational => "`rational`".to_owned(),
            TyKind::IntegerRange => "`integer range`".to_owned(),
            TyKind::Enum(id) => declared(*id).map_or("an enumeration".to_owned(), |name| format!("`{name}`")),
            TyKind::Record(id) => declared(*id).map_or("a record".to_owned(), |name| format!("`{name}`")),
            TyKind::Array { element, size } => {
                let element = self.shown(ast, *element);
                match size {
                    Some(size) => format!("an array of {size} {element}"),
                    None => format!("an array of {element}"),
                }
            }
            TyKind::Function { .. } => "a function".to_owned(),
        }
    }
}
