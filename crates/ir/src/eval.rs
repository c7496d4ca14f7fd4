//! Evaluation of terms, exact and three-valued.
//!
//! A variable may be *open*: its value has not been chosen yet. Evaluation then still succeeds where
//! the other operands decide (`open && false` is false) and otherwise names the open variable.
//!
//! Terms share their parts, and written out a term may be exponentially larger than it is. Where it is large
//! ([`Terms::is_large`]), so are its parts that are shared often; each of these is evaluated once. A small term is
//! evaluated as it is written, without a memory of what has been done.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::system::{LocationId, ProcessId};
use crate::term::{
    Bitwise, Node, Term, Terms, VarId, bitwise, compare, modulo, plus, quotient, remainder, times,
};
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
    let mut done = Done::default();
    if terms.is_large(term) {
        // Nobody asks for the whole a second time.
        return eval_node::<true>(terms, env, &mut done, term, terms.node(term)).map(Cow::Owned);
    }
    part::<false>(terms, env, &mut done, term)
}

/// The values of large parts.
type Done<'a> = FxHashMap<Term, Result<Cow<'a, Value>, Open>>;

/// The value of a part of a term, which is `LARGE` or has no large parts.
fn part<'a, const LARGE: bool>(
    terms: &'a Terms,
    env: &'a impl Env,
    done: &mut Done<'a>,
    term: Term,
) -> Result<Cow<'a, Value>, Open> {
    match terms.node(term) {
        Node::Const(value) => Ok(Cow::Borrowed(value)),
        Node::Var(var, step) => env.var(*var, *step).map(Cow::Borrowed).ok_or(Open(*var)),
        Node::At(process, location) => Ok(Cow::Owned(Value::Bool(env.at(*process, *location)))),
        node if LARGE && terms.is_large(term) => {
            if let Some(value) = done.get(&term) {
                return value.clone();
            }
            let value = crate::deep(|| eval_node::<true>(terms, env, done, term, node)).map(Cow::Owned);
            done.insert(term, value.clone());
            value
        }
        node => crate::deep(|| eval_node::<false>(terms, env, done, term, node)).map(Cow::Owned),
    }
}

/// The truth value of a boolean `term`.
pub fn holds(terms: &Terms, env: &impl Env, term: Term) -> Result<bool, Open> {
    Ok(eval(terms, env, term)?.as_bool())
}

fn eval_node<'a, const LARGE: bool>(
    terms: &'a Terms,
    env: &'a impl Env,
    done: &mut Done<'a>,
    term: Term,
    node: &Node,
) -> Result<Value, Open> {
    let mut value = |term: Term| part::<LARGE>(terms, env, done, term);
    Ok(match node {
        Node::Const(_) | Node::Var(..) | Node::At(..) => unreachable!("leaves are evaluated by the caller"),
        Node::Deadlock => unreachable!("targets are specialised to locations before evaluation"),
        Node::Not(a) => Value::Bool(!value(*a)?.as_bool()),
        Node::And(list) => junction(list, false, value)?,
        Node::Or(list) => junction(list, true, value)?,
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
        Node::Add(list) => fold(list, plus, value)?,
        Node::Mul(list) => product(list, value)?.held_as(terms.type_of(term)),
        Node::Div(a, b) => quotient(&*value(*a)?, &*value(*b)?),
        Node::Mod(a, b) => modulo(&*value(*a)?, &*value(*b)?),
        Node::Rem(a, b) => remainder(&*value(*a)?, &*value(*b)?),
        Node::BitAnd(a, b) => bits(Bitwise::And, [*a, *b], 0, value)?,
        Node::BitOr(a, b) => bits(Bitwise::Or, [*a, *b], -1, value)?,
        Node::BitXor(a, b) => bitwise(Bitwise::Xor, &*value(*a)?, &*value(*b)?),
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

/// A product, which is decided by 0, whatever is open: so do the constructors of terms.
fn product<'a>(
    list: &[Term],
    mut value: impl FnMut(Term) -> Result<Cow<'a, Value>, Open>,
) -> Result<Value, Open> {
    let zero = Value::int(0);
    let (mut result, mut open) = (Value::int(1), None);
    for term in list {
        match value(*term) {
            Ok(factor) if compare(&factor, &zero).is_eq() => return Ok(zero),
            Ok(factor) => result = times(&result, &factor),
            Err(unknown) => open = open.or(Some(unknown)),
        }
    }
    open.map_or(Ok(result), Err)
}

/// A bit operation that one operand decides, whatever is open.
fn bits<'a>(
    op: Bitwise,
    operands: [Term; 2],
    decided_by: i64,
    value: impl FnMut(Term) -> Result<Cow<'a, Value>, Open>,
) -> Result<Value, Open> {
    let decided_by = Value::int(decided_by);
    let [a, b] = operands.map(value);
    match (a, b) {
        (Ok(one), _) | (_, Ok(one)) if *one == decided_by => Ok(decided_by),
        (a, b) => Ok(bitwise(op, &*a?, &*b?)),
    }
}

/// A sum.
fn fold<'a>(
    list: &[Term],
    combine: fn(&Value, &Value) -> Value,
    mut value: impl FnMut(Term) -> Result<Cow<'a, Value>, Open>,
) -> Result<Value, Open> {
    let mut result = value(list[0])?.into_owned();
    for term in &list[1..] {
        result = combine(&result, &*value(*term)?);
    }
    Ok(result)
}

/// An `and`, which is decided by false, or an `or`, which is by true, whatever is open.
fn junction<'a>(
    list: &[Term],
    decided_by: bool,
    mut value: impl FnMut(Term) -> Result<Cow<'a, Value>, Open>,
) -> Result<Value, Open> {
    let mut open = None;
    for term in list {
        match value(*term) {
            Ok(part) if part.as_bool() == decided_by => return Ok(Value::Bool(decided_by)),
            Ok(_) => {}
            Err(unknown) => open = open.or(Some(unknown)),
        }
    }
    open.map_or(Ok(Value::Bool(!decided_by)), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::value::Type;

    struct Values(Vec<Option<Value>>);

    impl Env for Values {
        fn var(&self, var: VarId, _: u32) -> Option<&Value> {
            self.0[var.index()].as_ref()
        }
        fn at(&self, _: ProcessId, _: LocationId) -> bool {
            false
        }
    }

    /// What the constructors of terms make a constant of is known, although a variable in it is not.
    #[test]
    fn one_factor_or_operand_may_decide() {
        let mut terms = Terms::default();
        let [known, open] = [(); 2].map(|()| {
            let var = terms.declare(Type::Int);
            terms.var(var)
        });
        let product = terms.mul([open, known]);
        let and = terms.bitwise(Bitwise::And, open, known);
        let or = terms.bitwise(Bitwise::Or, open, known);
        let at = |value: i64| Values(vec![Some(Value::int(value)), None]);
        for term in [product, and] {
            assert_eq!(eval(&terms, &at(0), term).map(Cow::into_owned), Ok(Value::int(0)));
            assert!(eval(&terms, &at(1), term).is_err());
        }
        assert_eq!(eval(&terms, &at(-1), or).map(Cow::into_owned), Ok(Value::int(-1)));
        assert!(eval(&terms, &at(0), or).is_err());
    }

    /// `k' = ite(v > 0, k + 1, k)` for each of 60 variables, and the variables: the `k` of each round occurs twice
    /// in the next one, so that the last one has more than 2^60 nodes when written out.
    fn count(terms: &mut Terms) -> (Vec<VarId>, Term) {
        let vars: Vec<VarId> = (0..60).map(|_| terms.declare(Type::Int)).collect();
        let [zero, one] = [0, 1].map(|value| terms.int(value));
        let mut count = zero;
        for var in &vars {
            let value = terms.var(*var);
            let positive = terms.gt(value, zero);
            let more = terms.add([count, one]);
            count = terms.ite(positive, more, count);
        }
        (vars, count)
    }

    #[test]
    fn shared_parts_are_evaluated_once() {
        let mut terms = Terms::new();
        let (vars, count) = count(&mut terms);
        assert_eq!(terms.written_size(count), u32::MAX);
        // Every third of 60 variables, from the first on, is positive.
        let env = Values((0..vars.len()).map(|at| Some(Value::int(i64::from(at % 3 == 0)))).collect());
        assert_eq!(eval(&terms, &env, count).map(Cow::into_owned), Ok(Value::int(20)));
        assert!(terms.len() < 500);
    }
    #[test]
    fn an_open_variable_in_a_shared_part_is_named() {
        let mut terms = Terms::new();
        let (vars, count) = count(&mut terms);
        let mut env = Values(vec![Some(Value::int(1)); vars.len()]);
        env.0[7] = None;
        assert_eq!(eval(&terms, &env, count), Err(Open(vars[7])));
        // Of `count < 0 || true or open`, only a part that is known decides.
        let zero = terms.int(0);
        let never = terms.lt(count, zero);
        let first = terms.var(vars[0]);
        let positive = terms.gt(first, zero);
        let either = terms.or([never, positive]);
        assert_eq!(holds(&terms, &env, either), Ok(true));
    }
}
