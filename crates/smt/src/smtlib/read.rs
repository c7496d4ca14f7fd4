//! Values and formulas from what a solver answers.

use ir::{Int, Rat, Term, Terms, Type, Types, Value};
use rustc_hash::FxHashMap;

use crate::smtlib::sexpr::Sexpr;
use crate::z3::apply;

/// The value of a type that an expression denotes.
pub fn value(types: &Types, expression: &Sexpr, ty: Type) -> Option<Value> {
    match ty {
        Type::Bool => match expression.atom()? {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Int => {
            let number = rational(expression)?;
            (number.denominator() == Int::ONE).then(|| Value::Int(number.numerator()))
        }
        Type::Rat | Type::Clock => rational(expression).map(Value::rat),
        Type::Enum(id) => {
            let name = match expression {
                Sexpr::Atom(name) => name,
                // (as literal sort)
                Sexpr::List(list) => list.get(1)?.atom()?,
            };
            let digits = name.strip_prefix(&format!("{id:?}!")).unwrap_or(name);
            let literal: u32 = digits.parse().ok()?;
            ((literal as usize) < types.enum_type(id).literals.len()).then_some(Value::Enum(id, literal))
        }
        Type::Array(id) => {
            let parts = types.array_type(id);
            let array = match expression.list()? {
                [Sexpr::Atom(op), array, index, entry] if op == "store" => {
                    let Value::Array(array) = value(types, array, ty)? else { return None };
                    types.write(
                        &array,
                        value(types, index, parts.index)?,
                        value(types, entry, parts.element)?,
                    )
                }
                // ((as const sort) value)
                [Sexpr::List(_), entry] => types.fill(id, value(types, entry, parts.element)?),
                _ => return None,
            };
            Some(Value::Array(array.into()))
        }
    }
}

/// A number such as `7`, `7.5`, `(- 7)` or `(/ 3.0 4.0)`.
fn rational(expression: &Sexpr) -> Option<Rat> {
    match expression {
        Sexpr::Atom(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok(),
        Sexpr::Atom(_) => None,
        Sexpr::List(list) => match &list[..] {
            [Sexpr::Atom(op), a] if op == "-" => Some(&Rat::ZERO - &rational(a)?),
            [Sexpr::Atom(op), a, b] if op == "/" => rational(a)?.div(&rational(b)?),
            _ => None,
        },
    }
}

/// The term that an expression over known names means.
pub fn term(terms: &mut Terms, expression: &Sexpr, names: &mut FxHashMap<String, Term>) -> Option<Term> {
    ir::deep(|| match expression {
        Sexpr::Atom(name) => match (names.get(name), name.as_str()) {
            (Some(known), _) => Some(*known),
            (None, "true") => Some(terms.bool(true)),
            (None, "false") => Some(terms.bool(false)),
            (None, digits) if digits.contains('.') => {
                let value = rational(expression)?;
                Some(terms.constant(Value::rat(value)))
            }
            _ => {
                let value = rational(expression)?;
                Some(terms.constant(Value::Int(value.numerator())))
            }
        },
        Sexpr::List(list) => match &list[..] {
            [Sexpr::Atom(op), Sexpr::List(bindings), body] if op == "let" => {
                let mut bound = vec![];
                for binding in bindings {
                    let [Sexpr::Atom(name), value] = binding.list()? else { return None };
                    bound.push((name.clone(), term(terms, value, names)?));
                }
                let hidden: Vec<_> = bound
                    .into_iter()
                    .map(|(name, value)| (name.clone(), names.insert(name, value)))
                    .collect();
                let body = term(terms, body, names);
                for (name, value) in hidden {
                    match value {
                        Some(value) => names.insert(name, value),
                        None => names.remove(&name),
                    };
                }
                body
            }
            [Sexpr::Atom(op), rest @ ..] => {
                let parts =
                    rest.iter().map(|part| term(terms, part, names)).collect::<Option<Vec<Term>>>()?;
                apply(terms, op, &parts)
            }
            _ => None,
        },
    })
}
