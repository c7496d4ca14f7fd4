//! Values (1).

use std::collections::BTreeMap;
use std::fmt;

use lang::gamma::ast::*;

use super::{Maybe, Stop, unable};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    /// Numerator and positive denominator without common divisors; also whole fractions.
    Ratio(i128, i128),
    /// A literal of an `enum`: its type and its name.
    Literal(TypeId, String),
    Record(BTreeMap<String, Value>),
    /// The value at most positions (none is known of a literal), and the others.
    Array(Option<Box<Value>>, BTreeMap<i128, Value>),
    /// The active or remembered state of a region.
    Node(Option<NodeId>),
    Queue(Vec<Message>),
    /// What a procedure without result returns.
    Void,
}

/// What waits in a queue.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Message {
    Event(PortId, EventId, Vec<Value>),
    Tick(ClockId),
}

pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Value {
    pub fn bool(&self) -> Maybe<bool> {
        match self {
            Value::Bool(value) => Ok(*value),
            other => unable(format!("{other:?} is no truth value")),
        }
    }
    pub fn int(&self) -> Maybe<i128> {
        match self {
            Value::Int(value) => Ok(*value),
            other => unable(format!("{other:?} is no integer")),
        }
    }
    /// A number as a fraction.
    pub fn ratio(&self) -> Maybe<(i128, i128)> {
        match self {
            Value::Int(value) => Ok((*value, 1)),
            Value::Ratio(n, d) => Ok((*n, *d)),
            other => unable(format!("{other:?} is no number")),
        }
    }
    pub fn fraction(n: i128, d: i128) -> Maybe<Value> {
        if d == 0 {
            return Err(Stop::Division);
        }
        let common = gcd(n, d) * d.signum();
        Ok(Value::Ratio(n / common, d / common))
    }
    /// Whether two values are equal, numbers as numbers.
    pub fn same(&self, other: &Value) -> Maybe<bool> {
        match (self, other) {
            (Value::Int(_) | Value::Ratio(..), Value::Int(_) | Value::Ratio(..)) => {
                Ok(self.ratio()? == other.ratio()?)
            }
            (Value::Array(..), _) | (_, Value::Array(..)) => unable("arrays are not compared"),
            (Value::Record(a), Value::Record(b)) => {
                for (field, value) in a {
                    let Some(other) = b.get(field) else { return unable("records of two types") };
                    if !value.same(other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(self == other),
        }
    }
    /// This value where one like `like` belongs: fractions stay fractions, arrays know what is elsewhere.
    pub fn like(self, like: &Value) -> Value {
        match (self, like) {
            (Value::Int(value), Value::Ratio(..)) => Value::Ratio(value, 1),
            (Value::Record(fields), Value::Record(old)) => Value::Record(
                fields
                    .into_iter()
                    .map(|(name, value)| {
                        let value = value.like(&old[&name]);
                        (name, value)
                    })
                    .collect(),
            ),
            (Value::Array(elsewhere, entries), Value::Array(Some(old), _)) => {
                let elsewhere = elsewhere.unwrap_or_else(|| old.clone());
                let entries = entries.into_iter().map(|(at, value)| (at, value.like(old)));
                let entries = entries.filter(|(_, value)| *value != *elsewhere).collect();
                Value::Array(Some(elsewhere), entries)
            }
            (value, _) => value,
        }
    }
    pub fn at(&self, index: i128) -> Maybe<Value> {
        match self {
            Value::Array(elsewhere, entries) => match (entries.get(&index), elsewhere) {
                (Some(value), _) => Ok(value.clone()),
                (None, Some(value)) => Ok((**value).clone()),
                (None, None) => unable("a position outside of a literal"),
            },
            other => unable(format!("{other:?} is no array")),
        }
    }
    pub fn field(&self, name: &str) -> Maybe<Value> {
        match self {
            Value::Record(fields) if fields.contains_key(name) => Ok(fields[name].clone()),
            other => unable(format!("{other:?} has no field {name}")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Ratio(n, d) => write!(f, "{n}/{d}"),
            Value::Literal(_, name) => write!(f, "{name}"),
            Value::Record(fields) => {
                write!(f, "{{")?;
                for (name, value) in fields {
                    write!(f, " {name}={value}")?;
                }
                write!(f, " }}")
            }
            Value::Array(elsewhere, entries) => {
                write!(f, "[")?;
                for (at, value) in entries {
                    write!(f, "{at}:{value} ")?;
                }
                match elsewhere {
                    Some(value) => write!(f, "_:{value}]"),
                    None => write!(f, "]"),
                }
            }
            other => write!(f, "{other:?}"),
        }
    }
}
