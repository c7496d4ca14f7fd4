//! Evaluation of terms, exact and three-valued.
//!
//! A variable may be *open*: its value has not been chosen yet. Evaluation then still succeeds where
//! the other operands decide (`open && false` is false) and otherwise names the open variable.

use std::borrow::Cow;

use crate::system::{LocationId, ProcessId};
use crate::term::{Node, Term, Terms, VarId, compare, modulo, plus, quotient, remainder, times};
use crate::value::Value;

/// Where evaluation finds values.
pub trait Env {
    /// The value of a variable at a step; `None` if it is open.
    fn var(&self, var: VarId, step: u32) -> Option<&Value>;
    /// Whether a process is at a location.
    fn at(&self, process: ProcessId, location: LocationId) -> bool;
}

/// Evaluation needs the value of this open variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Open(pub VarId);

/// The value of `term`.
pub fn eval<'a>(terms: &'a Terms, env: &'a impl Env, term: Term) -> Result<Cow<'a, Value>, Open> {
    match terms.node(term) {
        Node::Const(value) => Ok(Cow::Borrowed(value)),
        Node::Var(var, step) => env.var(*var, *step).map(Cow::Borrowed).ok_or(Open(*var)),
        Node::At(process, location) => Ok(Cow::Owned(Value::Bool(env.at(*process, *location)))),
        node => crate::deep(|| eval_node(terms, env, term, node)).map(Cow::Owned),
    }
}

/// The truth value of a boolean `term`.
pub fn holds(terms: &Terms, env: &impl Env, term: Term) -> Result<bool, Open> {
    Ok(eval(terms, env, term)?.as_bool())
}

fn eval_node(terms: &Terms, env: &impl Env, term: Term, node: &Node) -> Result<Value, Open> {
    let value = |term: Term| eval(terms, env, term);
    let fold = |list: &[Term], combine: fn(&Value, &Value) -> Value| -> Result<Value, Open> {
        let mut result = value(list[0])?.into_owned();
        for term in &list[1..] {
            result = combine(&result, &*value(*term)?);
        }
        Ok(result)
    };
    // `decided_by` ends an `and` (false) or an `or` (true), whatever is open.
    let junction = |list: &[Term], decided_by: bool| -> Result<Value, Open> {
        let mut open = None;
        for term in list {
            match value(*term) {
                Ok(part) if part.as_bool() == decided_by => return Ok(Value::Bool(decided_by)),
                Ok(_) => {}
                Err(unknown) => open = open.or(Some(unknown)),
            }
        }
        open.map_or(Ok(Value::Bool(!decided_by)), Err)
    };
    Ok(match node {
        Node::Const(_) | Node::Var(..) | Node::At(..) => unreachable!("leaves are evaluated by the caller"),
        Node::Deadlock => unreachable!("targets are specialised to locations before evaluation"),
        Node::Not(a) => Value::Bool(!value(*a)?.as_bool()),
        Node::And(list) => junction(list, false)?,
        Node::Or(list) => junction(list, true)?,
        Node::Eq(a, b) => {
            let (a, b) = (value(*a)?, value(*b)?);
            Value::Bool(match (&*a, &*b) {
                (Value::Rat(_), Value::Int(_)) | (Value::Int(_), Value::Rat(_)) => compare(&a, &b).is_eq(),
                _ => a == b,
            })
        }
        Node::Le(a, b) => Value::Bool(compare(&*value(*a)?, &*value(*b)?).is_le()),
        Node::Lt(a, b) => Value::Bool(compare(&*value(*a)?, &*value(*b)?).is_lt()),
        Node::Ite(condition, then, otherwise) => {
            let branch = if value(*condition)?.as_bool() { then } else { otherwise };
            // One of several kinds of numbers is of the kind of all of them.
            value(*branch)?.into_owned().held_as(terms.type_of(term))
        }
        Node::Add(list) => fold(list, plus)?,
        Node::Mul(list) => fold(list, times)?,
        Node::Div(a, b) => quotient(&*value(*a)?, &*value(*b)?),
        Node::Mod(a, b) => modulo(&*value(*a)?, &*value(*b)?),
        Node::Rem(a, b) => remainder(&*value(*a)?, &*value(*b)?),
        Node::Read(array, index) => match &*value(*array)? {
            Value::Array(array) => array.read(&*value(*index)?).clone(),
            other => panic!("expected an array, found {other:?}"),
        },
        Node::Write(array, index, entry) => match &*value(*array)? {
            Value::Array(array) => {
                let (index, entry) = (value(*index)?.into_owned(), value(*entry)?.into_owned());
                Value::Array(terms.types.write(array, index, entry).into())
            }
            other => panic!("expected an array, found {other:?}"),
        },
        Node::Fill(array, entry) => {
            Value::Array(terms.types.fill(*array, value(*entry)?.into_owned()).into())
        }
    })
}
