//! Types and values.

use std::rc::Rc;

use lang::xta::ast::Name;

use super::{Row, Trouble, unable};

/// A type with all sizes known.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    Bool,
    Int(i64, i64),
    Clock,
    Chan {
        urgent: bool,
        broadcast: bool,
    },
    Void,
    Array(i64, i64, Rc<Ty>),
    Struct(Rc<[(Name, Ty)]>),
    /// A floating-point number or a hybrid clock.
    Opaque,
}

impl Ty {
    /// How many numbers a value has.
    pub(super) fn size(&self) -> usize {
        match self {
            Ty::Void | Ty::Opaque => 0,
            Ty::Array(low, high, element) => (high - low + 1) as usize * element.size(),
            Ty::Struct(fields) => fields.iter().map(|(_, ty)| ty.size()).sum(),
            _ => 1,
        }
    }
    /// The value of a variable that is not given one.
    pub(super) fn default(&self) -> Vec<i64> {
        match self {
            Ty::Int(low, high) if *low > 0 || *high < 0 => vec![*low],
            Ty::Array(low, high, element) => (*low..=*high).flat_map(|_| element.default()).collect(),
            Ty::Struct(fields) => fields.iter().flat_map(|(_, ty)| ty.default()).collect(),
            _ => vec![0; self.size()],
        }
    }
    pub(super) fn channels(&self) -> Option<(bool, bool)> {
        match self {
            Ty::Chan { urgent, broadcast } => Some((*urgent, *broadcast)),
            Ty::Array(_, _, element) => element.channels(),
            _ => None,
        }
    }
}

/// What an expression gives.
pub(super) enum Val {
    Num(i64),
    Cell(usize, Ty),
    Channel(usize, Ty),
    /// An array or a structure that lies nowhere.
    Data(Vec<i64>),
    /// Something that has no value here.
    Opaque,
    Void,
}

impl Val {
    pub(super) fn is_opaque(&self) -> bool {
        matches!(self, Val::Opaque | Val::Cell(_, Ty::Opaque))
    }
}

/// The values of a finite type.
pub(super) fn values(ty: &Ty) -> Result<(i64, i64), Trouble> {
    match ty {
        Ty::Bool => Ok((0, 1)),
        Ty::Int(low, high) => Ok((*low, *high)),
        _ => unable("no finite type"),
    }
}

pub(super) fn number(value: &Val, row: &Row) -> Result<i64, Trouble> {
    match value {
        Val::Num(value) => Ok(*value),
        Val::Cell(at, Ty::Bool | Ty::Int(..) | Ty::Clock) => Ok(row[*at]),
        _ => unable("no number"),
    }
}

/// A result that lies nowhere.
pub(super) fn one(value: Vec<i64>, ty: &Ty) -> Val {
    match (ty, &value[..]) {
        (Ty::Void, _) => Val::Void,
        (Ty::Bool | Ty::Int(..), [number]) => Val::Num(*number),
        _ => Val::Data(value),
    }
}

pub(super) fn entry(base: Val, index: i64) -> Result<Val, Trouble> {
    let (Val::Cell(at, ty) | Val::Channel(at, ty)) = &base else { return unable("no array") };
    let Ty::Array(low, high, element) = ty else { return unable("no array") };
    if !(*low..=*high).contains(&index) {
        return Err(Trouble::Fault);
    }
    let at = at + (index - low) as usize * element.size();
    Ok(match base {
        Val::Channel(..) => Val::Channel(at, (**element).clone()),
        _ => Val::Cell(at, (**element).clone()),
    })
}
