//! Types, and where the values of a declared name live.
//!
//! Structures are taken apart: every field that is no structure itself becomes one variable of the
//! system, a *leaf*, and an array of structures becomes one array for each leaf. A [`Place`] is a leaf
//! or a group of leaves together with the positions selected so far, in all array dimensions around.

use std::sync::Arc;

use ir::range::Interval;
use ir::{ArrayType, Node, Term, Terms, Type, VarId};
use rustc_hash::FxHashMap;

use crate::xta::ast::Name;
use crate::xta::opaque::Opaque;

/// The bounds of plain `int`.
pub(crate) const INT: (i64, i64) = (-32768, 32767);
/// The range of a constant that is declared without one: clocks may be compared with it.
pub(crate) const CONSTANT: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// The least and the greatest value or position.
pub(crate) type Bounds = (i64, i64);

/// What lies within bounds.
pub(crate) fn interval((low, high): Bounds) -> Interval {
    Interval { low: low.into(), high: high.into() }
}

/// A type with all sizes known.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    Bool,
    /// Bounded integers and scalars.
    Int(Bounds),
    Clock,
    Chan {
        urgent: bool,
        broadcast: bool,
    },
    Void,
    Array(Bounds, Arc<Ty>),
    Struct(Arc<[(Name, Ty)]>),
    /// What is not computed.
    Opaque(Opaque),
}

impl Ty {
    /// Whether values are single booleans or integers.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_))
    }
    /// The innermost element of an array, or the type itself.
    pub(crate) fn element(&self) -> &Ty {
        match self {
            Ty::Array(_, element) => element.element(),
            _ => self,
        }
    }
    /// Whether a clock or a channel is part of it.
    pub(crate) fn is_data(&self) -> bool {
        match self {
            Ty::Bool | Ty::Int(_) | Ty::Opaque(_) => true,
            Ty::Clock | Ty::Chan { .. } | Ty::Void => false,
            Ty::Array(_, element) => element.is_data(),
            Ty::Struct(fields) => fields.iter().all(|(_, ty)| ty.is_data()),
        }
    }
    /// Why a part of it is not computed, if one is not.
    pub(crate) fn opaque(&self) -> Option<Opaque> {
        match self {
            Ty::Opaque(why) => Some(*why),
            Ty::Array(_, element) => element.opaque(),
            Ty::Struct(fields) => fields.iter().find_map(|(_, ty)| ty.opaque()),
            _ => None,
        }
    }
    /// The same type, none of whose parts are computed.
    pub(crate) fn made_opaque(&self, why: Opaque) -> Ty {
        match self {
            Ty::Bool | Ty::Int(_) | Ty::Clock => Ty::Opaque(why),
            Ty::Array(bounds, element) => Ty::Array(*bounds, element.made_opaque(why).into()),
            Ty::Struct(fields) => {
                Ty::Struct(fields.iter().map(|(name, ty)| (*name, ty.made_opaque(why))).collect())
            }
            _ => self.clone(),
        }
    }
    /// Bounds within it that nothing lies between.
    pub(crate) fn empty(&self) -> Option<Bounds> {
        match self {
            Ty::Int(bounds) if count(*bounds) == 0 => Some(*bounds),
            Ty::Array(_, element) => element.empty(),
            Ty::Struct(fields) => fields.iter().find_map(|(_, ty)| ty.empty()),
            _ => None,
        }
    }
    /// How many single values it holds.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Ty::Array(bounds, element) => element.size().saturating_mul(count(*bounds)),
            Ty::Struct(fields) => fields.iter().fold(0, |sum, (_, ty)| sum.saturating_add(ty.size())),
            _ => 1,
        }
    }
    /// How many arrays and structures are nested in it.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Ty::Array(_, element) => 1 + element.depth(),
            Ty::Struct(fields) => 1 + fields.iter().map(|(_, ty)| ty.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
    /// What the user calls it.
    pub(crate) fn show(&self) -> String {
        match self {
            Ty::Bool => "a boolean".to_owned(),
            Ty::Int(bounds) if *bounds == INT || *bounds == CONSTANT => "an integer".to_owned(),
            Ty::Int((low, high)) => format!("an integer from {low} to {high}"),
            Ty::Clock => "a clock".to_owned(),
            Ty::Chan { broadcast: true, .. } => "a broadcast channel".to_owned(),
            Ty::Chan { .. } => "a channel".to_owned(),
            Ty::Void => "nothing".to_owned(),
            Ty::Array(..) => "an array".to_owned(),
            Ty::Struct(_) => "a structure".to_owned(),
            Ty::Opaque(why) => why.show().to_owned(),
        }
    }
}

/// How many integers lie within bounds.
pub(crate) fn count((low, high): Bounds) -> u64 {
    if high < low { 0 } else { (high as i128 - low as i128 + 1).min(i128::from(u64::MAX)) as u64 }
}

/// The name of an entry of an array: the position goes where a structure around it has left a place.
pub fn entry_name(name: &str, position: &str) -> String {
    match name.contains("[]") {
        true => name.replacen("[]", &format!("[{position}]"), 1),
        false => format!("{name}[{position}]"),
    }
}

/// What a declared name stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Object {
    /// A variable or a constant of the system; an array if the declaration has dimensions.
    Var(VarId),
    /// A known value, or a term.
    Value(Term),
    /// Clocks, in order of their positions.
    Clocks(Arc<[VarId]>),
    /// A channel or an array of them, by number.
    Channel(usize),
    /// The fields of a structure, in order.
    Fields(Arc<[Object]>),
    /// Something whose value is not computed.
    Opaque,
}

impl Object {
    /// The variable that it is, if it is one.
    pub(crate) fn var(&self) -> Option<VarId> {
        if let Object::Var(var) = self { Some(*var) } else { None }
    }
}

/// An object or a part of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place {
    pub(crate) object: Object,
    /// The type of this part.
    pub(crate) ty: Ty,
    /// Selected positions, outermost first, each with the bounds of its dimension.
    pub(crate) indices: Vec<(Term, Bounds)>,
    /// Whether it must not be changed.
    pub(crate) constant: bool,
}

impl Place {
    /// A whole object.
    pub(crate) fn new(object: Object, ty: Ty, constant: bool) -> Self {
        Place { object, ty, indices: vec![], constant }
    }
    /// A single value.
    pub(crate) fn value(term: Term, ty: Ty) -> Self {
        Place::new(Object::Value(term), ty, true)
    }
    /// The field at a position of a structure.
    pub(crate) fn field(&self, at: usize) -> Place {
        let (Object::Fields(objects), Ty::Struct(types)) = (&self.object, &self.ty) else {
            panic!("a structure has fields")
        };
        Place { object: objects[at].clone(), ty: types[at].1.clone(), ..self.clone() }
    }
    /// The entry of an array at a position.
    pub(crate) fn entry(&self, index: Term) -> Place {
        let Ty::Array(bounds, element) = &self.ty else { panic!("an array has entries") };
        let mut place = Place { ty: (**element).clone(), ..self.clone() };
        place.indices.push((index, *bounds));
        place
    }
    /// Its parts that are variables of their own, in order.
    pub(crate) fn leaves(&self) -> Vec<Place> {
        let mut leaves = vec![];
        self.leaves_into(&mut leaves);
        leaves
    }
    fn leaves_into(&self, leaves: &mut Vec<Place>) {
        match &self.object {
            Object::Fields(objects) => {
                // The fields of an array of structures are arrays.
                for (at, object) in objects.iter().enumerate() {
                    let ty = field_type(&self.ty, at);
                    Place { object: object.clone(), ty, ..self.clone() }.leaves_into(leaves);
                }
            }
            _ => leaves.push(self.clone()),
        }
    }
    /// Its single values, in order; of data.
    pub(crate) fn elements(&self, terms: &mut Terms) -> Vec<Place> {
        let mut open = self.leaves();
        open.reverse();
        let mut elements = vec![];
        while let Some(place) = open.pop() {
            match place.ty {
                Ty::Array((low, high), _) => {
                    open.extend((low..=high).rev().map(|at| place.entry(terms.int(at))));
                }
                _ => elements.push(place),
            }
        }
        elements
    }
    /// The number of the selected position among all, counted row by row; for clocks and channels.
    pub(crate) fn flat_index(&self, terms: &mut Terms) -> Option<Term> {
        let mut flat: Option<Term> = None;
        for (index, bounds) in &self.indices {
            let low = terms.int(bounds.0);
            let here = terms.sub(*index, low);
            flat = Some(match flat {
                None => here,
                Some(before) => {
                    let size = terms.int(count(*bounds) as i64);
                    let before = terms.mul([before, size]);
                    terms.add([before, here])
                }
            });
        }
        flat
    }
    /// The value as a term; of a leaf that is data.
    pub(crate) fn term(&self, terms: &mut Terms) -> Term {
        let whole = match self.object {
            Object::Var(var) => terms.var(var),
            Object::Value(term) => term,
            _ => panic!("only data has a value"),
        };
        self.indices.iter().fold(whole, |array, (index, bounds)| select(terms, array, *index, *bounds))
    }
    /// The whole variable after `value` is stored here.
    pub(crate) fn stored(&self, terms: &mut Terms, var: VarId, value: Term) -> Term {
        let mut arrays = vec![terms.var(var)];
        for (index, _) in self.indices.iter().take(self.indices.len().saturating_sub(1)) {
            let next = terms.read(*arrays.last().expect("not empty"), *index);
            arrays.push(next);
        }
        let pairs = arrays.into_iter().zip(&self.indices).rev();
        pairs.fold(value, |value, (array, (index, _))| terms.write(array, *index, value))
    }
}

/// The largest constant array that is looked up by comparisons.
const MOST_ENTRIES: u64 = 4096;

/// The entry of an array at a position within `bounds`, as a choice among values where the array is no
/// variable or a part of one: what was written where, the sides of a case, the entries of a constant.
/// Searches read only from variables. What a position outside gives does not matter: it is a fault.
pub(crate) fn select(terms: &mut Terms, array: Term, index: Term, bounds: Bounds) -> Term {
    select_once(terms, array, index, bounds, &mut FxHashMap::default())
}

/// The same; `done` has the entries of arrays that were come across: both sides of a case may have the same one.
fn select_once(
    terms: &mut Terms,
    array: Term,
    index: Term,
    bounds: Bounds,
    done: &mut FxHashMap<Term, Term>,
) -> Term {
    if let Some(entry) = done.get(&array) {
        return *entry;
    }
    let mut within =
        |terms: &mut Terms, part: Term| ir::deep(|| select_once(terms, part, index, bounds, done));
    let entry = match *terms.node(array) {
        Node::Write(inner, at, value) => {
            let here = terms.eq(at, index);
            let other = within(terms, inner);
            terms.ite(here, value, other)
        }
        Node::Ite(condition, then, otherwise) => {
            let (then, otherwise) = (within(terms, then), within(terms, otherwise));
            terms.ite(condition, then, otherwise)
        }
        Node::Const(_) if terms.as_const(index).is_none() && count(bounds) <= MOST_ENTRIES => {
            return between(terms, array, index, bounds);
        }
        _ => return terms.read(array, index),
    };
    done.insert(array, entry);
    entry
}

/// An entry of a constant array: positions are halved until one is left.
fn between(terms: &mut Terms, array: Term, index: Term, (low, high): Bounds) -> Term {
    if low == high {
        let at = terms.int(low);
        return terms.read(array, at);
    }
    let middle = low + (high - low) / 2;
    let last = terms.int(middle);
    let below = between(terms, array, index, (low, middle));
    let above = between(terms, array, index, (middle + 1, high));
    let lower = terms.le(index, last);
    terms.ite(lower, below, above)
}

/// The type of a field, seen through the array dimensions around the structure.
pub(crate) fn field_type(ty: &Ty, at: usize) -> Ty {
    match ty {
        Ty::Array(bounds, element) => Ty::Array(*bounds, field_type(element, at).into()),
        Ty::Struct(fields) => fields[at].1.clone(),
        _ => panic!("only structures have fields"),
    }
}

/// The type of the system's variable for a leaf.
pub(crate) fn leaf_type(terms: &mut Terms, ty: &Ty) -> Type {
    match ty {
        Ty::Bool => Type::Bool,
        Ty::Int(_) => Type::Int,
        Ty::Array(bounds, element) => {
            let element = leaf_type(terms, element);
            Type::Array(terms.types.array(ArrayType { index: Type::Int, element, range: Some(*bounds) }))
        }
        _ => panic!("only data becomes a variable"),
    }
}

/// The value that a leaf has if nothing else is said.
pub(crate) fn default_term(terms: &mut Terms, ty: &Ty) -> Term {
    match ty {
        Ty::Bool => terms.bool(false),
        Ty::Int((low, high)) => terms.int(if *low <= 0 && 0 <= *high { 0 } else { *low }),
        Ty::Array(_, element) => {
            let Type::Array(id) = leaf_type(terms, ty) else { panic!("an array type") };
            let value = default_term(terms, element);
            terms.fill(id, value)
        }
        _ => panic!("only data has a value"),
    }
}
