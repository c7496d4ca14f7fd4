//! Types of values in files.

use std::fmt;

use ir::{Type, Types};
use serde::{Deserialize, Serialize};

/// A type in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeRecord {
    /// Truth values.
    Boolean,
    /// Integers.
    Integer,
    /// Rational numbers.
    Rational,
    /// Clocks.
    Clock,
    /// The enumeration of this name.
    Enum(String),
    /// Total maps.
    Array(Box<ArrayRecord>),
}

/// An array type in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayRecord {
    /// The type of positions.
    pub index: TypeRecord,
    /// The first and the last position, if there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(i64, i64)>,
    /// The type of elements.
    pub element: TypeRecord,
}

impl TypeRecord {
    /// `ty` for a file.
    pub fn new(types: &Types, ty: Type) -> TypeRecord {
        match ty {
            Type::Bool => TypeRecord::Boolean,
            Type::Int => TypeRecord::Integer,
            Type::Rat => TypeRecord::Rational,
            Type::Clock => TypeRecord::Clock,
            Type::Enum(id) => TypeRecord::Enum(types.enum_type(id).name.clone()),
            Type::Array(id) => {
                let array = types.array_type(id);
                TypeRecord::Array(Box::new(ArrayRecord {
                    index: TypeRecord::new(types, array.index),
                    range: array.range,
                    element: TypeRecord::new(types, array.element),
                }))
            }
        }
    }
    /// The positions and the elements of an array type whose positions are known.
    pub fn listed(&self) -> Option<(i64, i64, &TypeRecord)> {
        let TypeRecord::Array(array) = self else { return None };
        array.range.map(|(first, last)| (first, last, &array.element))
    }
}

/// As the user would write it.
impl fmt::Display for TypeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeRecord::Boolean => f.write_str("boolean"),
            TypeRecord::Integer => f.write_str("integer"),
            TypeRecord::Rational => f.write_str("rational"),
            TypeRecord::Clock => f.write_str("clock"),
            TypeRecord::Enum(name) => f.write_str(name),
            TypeRecord::Array(array) => match array.range {
                Some((first, last)) => write!(f, "[{first}..{last}] -> {}", array.element),
                None => write!(f, "[{}] -> {}", array.index, array.element),
            },
        }
    }
}
