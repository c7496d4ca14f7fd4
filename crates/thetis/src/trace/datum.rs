//! Values in files, exact and readable.
//!
//! Integers that every JSON reader keeps exactly are numbers; larger ones, rationals and clock values
//! are strings (`"12345678901234567890"`, `"3/4"`), literals are `"Type.Literal"`.

use std::fmt;

use ir::{Rat, Type, Types, Value};
use serde::{Deserialize, Serialize};

/// A value of a variable in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Datum {
    /// A truth value.
    Bool(bool),
    /// A small integer.
    Number(i64),
    /// A large integer, a rational or a literal.
    Text(String),
    /// A total map.
    Array {
        /// The positions that differ from the default, with their values.
        entries: Vec<(Datum, Datum)>,
        /// The value everywhere else.
        default: Box<Datum>,
    },
}

/// The integers that doubles hold exactly.
const EXACT: i64 = 1 << 53;

impl Datum {
    /// `value` for a file.
    pub fn new(types: &Types, value: &Value) -> Datum {
        match value {
            Value::Bool(value) => Datum::Bool(*value),
            Value::Int(value) => match value.to_i64() {
                Some(small) if (-EXACT..=EXACT).contains(&small) => Datum::Number(small),
                _ => Datum::Text(value.to_string()),
            },
            Value::Rat(value) => Datum::Text(value.to_string()),
            Value::Enum(id, ordinal) => {
                let ty = types.enum_type(*id);
                Datum::Text(format!("{}.{}", ty.name, ty.literals[*ordinal as usize]))
            }
            Value::Array(array) => Datum::Array {
                entries: array
                    .entries()
                    .map(|(at, entry)| (Datum::new(types, at), Datum::new(types, entry)))
                    .collect(),
                default: Box::new(Datum::new(types, array.default())),
            },
        }
    }
    /// The value of type `ty` that this stands for, if it does for one.
    pub fn value(&self, types: &Types, ty: Type) -> Option<Value> {
        match (ty, self) {
            (Type::Bool, Datum::Bool(value)) => Some(Value::Bool(*value)),
            (Type::Int, Datum::Number(value)) => Some(Value::int(*value)),
            (Type::Int, Datum::Text(text)) => text.parse().ok().map(Value::Int),
            (Type::Rat | Type::Clock, Datum::Number(value)) => Some(Value::rat(Rat::from(*value))),
            (Type::Rat | Type::Clock, Datum::Text(text)) => text.parse().ok().map(Value::rat),
            (Type::Enum(id), Datum::Text(text)) => {
                let ty = types.enum_type(id);
                let short =
                    text.strip_prefix(&ty.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(text);
                let ordinal = ty.literals.iter().position(|literal| literal == short)?;
                Some(Value::Enum(id, ordinal as u32))
            }
            (Type::Array(id), Datum::Array { entries, default }) => {
                let array = types.array_type(id);
                let entry = |(at, entry): &(Datum, Datum)| {
                    Some((at.value(types, array.index)?, entry.value(types, array.element)?))
                };
                let entries: Option<Vec<(Value, Value)>> = entries.iter().map(entry).collect();
                let default = default.value(types, array.element)?;
                Some(Value::Array(types.array_value(id, default, entries?).into()))
            }
            _ => None,
        }
    }
}

/// As the user would write it.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Bool(value) => write!(f, "{value}"),
            Datum::Number(value) => write!(f, "{value}"),
            Datum::Text(text) => f.write_str(text),
            Datum::Array { entries, default } => {
                f.write_str("[")?;
                for (at, entry) in entries {
                    write!(f, "{at} <- {entry}, ")?;
                }
                write!(f, "default <- {default}]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copying the array for every entry would be some thousand million steps.
    #[test]
    fn large_arrays_are_read_at_once() {
        let mut types = Types::default();
        let id = types.array(ir::ArrayType { index: Type::Int, range: None, element: Type::Int });
        let (number, count) = (Datum::Number, 100_000);
        let mut entries: Vec<(Datum, Datum)> = (0..count).map(|at| (number(at), number(at + 1))).collect();
        // Of two entries at a position the later one counts, and one of the default is none.
        entries.extend([(number(5), number(7)), (number(6), number(0))]);
        let datum = Datum::Array { entries, default: Box::new(number(0)) };
        let Some(Value::Array(read)) = datum.value(&types, Type::Array(id)) else { panic!("an array") };
        assert_eq!(read.entries().count(), count as usize - 1);
        assert_eq!(*read.read(&Value::int(5)), Value::int(7));
        assert_eq!(*read.read(&Value::int(9)), Value::int(10));
    }
}
