//! Types and concrete values.
//!
//! An array is a total map: a default with exceptions. Arrays over finitely many positions have many
//! spellings, so they are kept in normal form: no exception equals the default, and over finitely many
//! positions the default is the value at the first one. Equal maps are then equal values.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::id::IdVec;
use crate::number::{Int, Rat};

crate::id!(
    /// An enumeration type.
    EnumId
);
crate::id!(
    /// An array type.
    ArrayId
);

/// The type of a term, a variable or a value.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Rational numbers.
    Rat,
    /// A clock: a non-negative real that grows with time. Its values are rationals.
    Clock,
    /// One of finitely many named literals.
    Enum(EnumId),
    /// A total map.
    Array(ArrayId),
}

/// A named enumeration with its literals in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumType {
    /// The name the user gave it.
    pub name: String,
    /// Literal names; a literal is known by its position.
    pub literals: Vec<String>,
}

/// A total map from `index` to `element`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// The type of positions.
    pub index: Type,
    /// The type of entries.
    pub element: Type,
    /// For integer positions, the first and last legal one; reading outside is a fault.
    pub range: Option<(i64, i64)>,
}

/// The enumeration and array types of one system.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Types {
    enums: IdVec<EnumId, EnumType>,
    arrays: IdVec<ArrayId, ArrayType>,
}

impl Types {
    /// Adds an enumeration; every call makes a new type.
    pub fn add_enum(&mut self, name: impl Into<String>, literals: Vec<String>) -> EnumId {
        self.enums.push(EnumType { name: name.into(), literals })
    }
    /// The array type with these parts; equal parts give the same type.
    pub fn array(&mut self, array: ArrayType) -> ArrayId {
        self.find_array(&array).unwrap_or_else(|| self.arrays.push(array))
    }
    /// The array type with these parts, if it has been declared.
    pub fn find_array(&self, array: &ArrayType) -> Option<ArrayId> {
        self.arrays.entries().find(|(_, known)| *known == array).map(|(id, _)| id)
    }
    /// The enumeration behind `id`.
    pub fn enum_type(&self, id: EnumId) -> &EnumType {
        &self.enums[id]
    }
    /// All enumerations in order of declaration.
    pub fn enums(&self) -> impl Iterator<Item = (EnumId, &EnumType)> {
        self.enums.entries()
    }
    /// The array type behind `id`.
    pub fn array_type(&self, id: ArrayId) -> ArrayType {
        self.arrays[id]
    }
    /// Whether `ty` is the same type in both tables.
    pub fn agree(&self, other: &Types, ty: Type) -> bool {
        match ty {
            Type::Enum(id) => self.enums.get(id).is_some_and(|own| other.enums.get(id) == Some(own)),
            Type::Array(id) => self.arrays.get(id).is_some_and(|own| {
                other.arrays.get(id) == Some(own)
                    && self.agree(other, own.index)
                    && self.agree(other, own.element)
            }),
            Type::Bool | Type::Int | Type::Rat | Type::Clock => true,
        }
    }
    /// Whether `value` is one of this table: its literals and its entries exist and are of their types.
    pub fn contain(&self, value: &Value) -> bool {
        match value {
            Value::Bool(_) | Value::Int(_) | Value::Rat(_) => true,
            Value::Enum(id, literal) => {
                self.enums.get(*id).is_some_and(|ty| (*literal as usize) < ty.literals.len())
            }
            Value::Array(array) => self.arrays.get(array.ty).is_some_and(|ty| {
                let fits = |value: &Value, ty: Type| self.contain(value) && self.type_of(value) == ty;
                fits(&array.default, ty.element)
                    && array.entries.iter().all(|(at, entry)| fits(at, ty.index) && fits(entry, ty.element))
            }),
        }
    }
    /// How many values `ty` has, if finitely many and few enough to count.
    pub fn cardinality(&self, ty: Type) -> Option<u64> {
        match ty {
            Type::Bool => Some(2),
            Type::Enum(id) => Some(self.enums[id].literals.len() as u64),
            Type::Int | Type::Rat | Type::Clock => None,
            Type::Array(id) => {
                let positions = u32::try_from(self.position_count(id)?).ok()?;
                self.cardinality(self.arrays[id].element)?.checked_pow(positions)
            }
        }
    }
    /// Value number `ordinal` of a finite type: `false`, `true`; literals in order; arrays like numbers
    /// whose digits are their entries, the first position the least digit.
    pub fn nth(&self, ty: Type, ordinal: u64) -> Option<Value> {
        if ordinal >= self.cardinality(ty)? {
            return None;
        }
        Some(match ty {
            Type::Bool => Value::Bool(ordinal == 1),
            Type::Enum(id) => Value::Enum(id, ordinal as u32),
            Type::Int | Type::Rat | Type::Clock => return None,
            Type::Array(id) => {
                let element = self.arrays[id].element;
                let base = self.cardinality(element)?;
                let mut rest = ordinal;
                let mut entries = vec![];
                for position in self.positions(id)? {
                    entries.push((position, self.nth(element, rest % base)?));
                    rest /= base;
                }
                let default =
                    entries.first().map_or_else(|| self.default_value(element), |entry| entry.1.clone());
                Value::Array(Arc::new(self.array_value(id, default, entries)))
            }
        })
    }
    /// A fixed value of the type: `false`, `0`, the first literal, a constant array of those.
    pub fn default_value(&self, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(Int::ZERO),
            Type::Rat | Type::Clock => Value::rat(Rat::ZERO),
            Type::Enum(id) => Value::Enum(id, 0),
            Type::Array(id) => {
                Value::Array(Arc::new(self.fill(id, self.default_value(self.arrays[id].element))))
            }
        }
    }
    /// The array that is `value` everywhere.
    pub fn fill(&self, id: ArrayId, value: Value) -> ArrayValue {
        ArrayValue { ty: id, default: value, entries: BTreeMap::new() }
    }
    /// The type of a value.
    pub fn type_of(&self, value: &Value) -> Type {
        match value {
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Rat(_) => Type::Rat,
            Value::Enum(id, _) => Type::Enum(*id),
            Value::Array(array) => Type::Array(array.ty),
        }
    }
    /// How many positions an array type has, if finitely many.
    fn position_count(&self, id: ArrayId) -> Option<u64> {
        let ArrayType { index, range, .. } = self.arrays[id];
        match range {
            Some((first, last)) => u64::try_from(last.checked_sub(first)?.checked_add(1)?).ok(),
            None => self.cardinality(index),
        }
    }
    /// Whether an index is one of an array type's positions.
    fn is_position(&self, id: ArrayId, index: &Value) -> bool {
        match (self.arrays[id].range, index) {
            (Some((first, last)), Value::Int(at)) => at.to_i64().is_some_and(|at| first <= at && at <= last),
            _ => true,
        }
    }
    /// The positions of an array type in order, if there are finitely many.
    fn positions(&self, id: ArrayId) -> Option<impl Iterator<Item = Value> + '_> {
        let count = self.position_count(id)?;
        let ArrayType { index, range, .. } = self.arrays[id];
        Some((0..count).map(move |ordinal| match range {
            Some((first, _)) => Value::int(first + ordinal as i64),
            None => self.nth(index, ordinal).expect("an ordinal below the number of positions"),
        }))
    }
    /// The array with these entries and `default` elsewhere; of two entries at a position, the later
    /// counts.
    pub fn array_value(
        &self,
        id: ArrayId,
        default: Value,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> ArrayValue {
        let mut entries: BTreeMap<Value, Value> = entries.into_iter().collect();
        entries.retain(|at, value| *value != default && self.is_position(id, at));
        let mut result = ArrayValue { ty: id, default, entries };
        self.normalise(&mut result);
        result
    }
    /// `array` with `value` at `index`, in normal form. What is written beside all positions is lost: arrays are
    /// equal if they agree at their positions.
    pub fn write(&self, array: &ArrayValue, index: Value, value: Value) -> ArrayValue {
        let mut result = array.clone();
        if !self.is_position(array.ty, &index) {
            return result;
        }
        if value == result.default {
            result.entries.remove(&index);
        } else {
            result.entries.insert(index, value);
        }
        self.normalise(&mut result);
        result
    }
    /// Makes the value at the first position the default, where positions are finite.
    fn normalise(&self, array: &mut ArrayValue) {
        let Some(first) = self.positions(array.ty).and_then(|mut positions| positions.next()) else { return };
        let Some(default) = array.entries.get(&first).cloned() else { return };
        let old = std::mem::replace(&mut array.default, default);
        let mut entries = BTreeMap::new();
        for at in self.positions(array.ty).expect("just counted") {
            let value = array.entries.get(&at).unwrap_or(&old);
            if *value != array.default {
                entries.insert(at, value.clone());
            }
        }
        array.entries = entries;
    }
}

/// A concrete value. Clocks have rational values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A rational; boxed to keep values small.
    Rat(Box<Rat>),
    /// A literal of an enumeration, by position.
    Enum(EnumId, u32),
    /// A total map.
    Array(Arc<ArrayValue>),
}

/// A total map with finitely many exceptions, in the normal form of this module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    ty: ArrayId,
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The entry at `index`.
    pub fn read(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }
    /// The type of the array.
    pub fn ty(&self) -> ArrayId {
        self.ty
    }
    /// The value at every position that is not an exception.
    pub fn default(&self) -> &Value {
        &self.default
    }
    /// The exceptions, in order of position.
    pub fn entries(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }
}

impl Value {
    /// A rational value.
    pub fn rat(value: Rat) -> Value {
        Value::Rat(Box::new(value))
    }
    /// An integer value.
    pub fn int(value: i64) -> Value {
        Value::Int(Int::from(value))
    }
    /// The value as a variable of type `ty` holds it: clocks and rationals never hold integers.
    #[must_use]
    pub fn held_as(self, ty: Type) -> Value {
        match (self, ty) {
            (Value::Int(value), Type::Rat | Type::Clock) => Value::rat(Rat::from(&value)),
            (value, _) => value,
        }
    }
    /// The truth value.
    ///
    /// # Panics
    /// If the value is not a truth value, which typing excludes.
    pub fn as_bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("expected a truth value, found {other:?}"),
        }
    }
    /// The integer.
    ///
    /// # Panics
    /// If the value is not an integer, which typing excludes.
    pub fn as_int(&self) -> &Int {
        match self {
            Value::Int(value) => value,
            other => panic!("expected an integer, found {other:?}"),
        }
    }
    /// The number as a rational; integers are promoted.
    ///
    /// # Panics
    /// If the value is not a number, which typing excludes.
    pub fn as_rat(&self) -> Rat {
        match self {
            Value::Rat(value) => (**value).clone(),
            Value::Int(value) => Rat::from(value),
            other => panic!("expected a number, found {other:?}"),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}
