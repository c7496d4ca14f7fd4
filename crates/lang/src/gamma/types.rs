//! Types: what a type means, whatever it is called.
//!
//! Types are interned, so equal types have equal numbers. Enumerations and records are equal if they are the same
//! declaration; a name for a type is the type.

use indexmap::IndexSet;
use ir::{Id, Int};
use rustc_hash::FxBuildHasher;

use super::ast::TypeId;

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
