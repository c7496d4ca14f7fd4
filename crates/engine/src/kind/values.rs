//! Which values variables can have, variable by variable.
//!
//! Integers lie in an interval, truth values and literals of enumerations in a set; nothing is said of
//! other types, nor of how variables depend on each other. What is computed may contain more than there
//! is, never less. An interval that grows often grows to the next constant of the model, and then without
//! end.

use std::collections::BTreeMap;

use ir::range::{ALL, Interval};
use ir::{Id, Node, Scope, Stmt, StmtNode, System, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

/// Values of one variable or term.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Abs {
    /// Anything.
    Any,
    /// Integers from the first to the second, where there are such limits.
    Ints(Option<i64>, Option<i64>),
    /// Truth values or literals, by bit.
    Set(u64),
}

/// What is known of variables; nothing of those that are missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Env(BTreeMap<VarId, Abs>);

impl Env {
    /// Whether a variable has a greatest value, as far as is known.
    pub fn is_bounded_above(&self, var: VarId) -> bool {
        matches!(self.0.get(&var), Some(Abs::Ints(_, Some(_))))
    }
    /// What is known, as a formula.
    pub fn formula(&self, terms: &mut Terms) -> Term {
        let mut parts = vec![];
        for (id, values) in &self.0 {
            let var = terms.var(*id);
            match *values {
                Abs::Any => {}
                Abs::Ints(Some(least), Some(most)) if least == most => {
                    let value = terms.int(least);
                    parts.push(terms.eq(var, value));
                }
                Abs::Ints(least, most) => {
                    let limits = [least, most].map(|limit| limit.map(|limit| terms.int(limit)));
                    parts.extend(limits[0].map(|least| terms.le(least, var)));
                    parts.extend(limits[1].map(|most| terms.le(var, most)));
                }
                Abs::Set(bits) => match terms.var_type(*id) {
                    Type::Bool if bits == TRUE => parts.push(var),
                    Type::Bool if bits == FALSE => parts.push(terms.not(var)),
                    Type::Enum(ty) => {
                        let literals = (0..64).filter(|at| bits >> at & 1 == 1);
                        let literals: Vec<Term> =
                            literals.map(|at| terms.constant(Value::Enum(ty, at))).collect();
                        let ways: Vec<Term> =
                            literals.into_iter().map(|literal| terms.eq(var, literal)).collect();
                        parts.push(terms.or(ways));
                    }
                    _ => {}
                },
            }
        }
        terms.and(parts)
    }
}

const FALSE: u64 = 1;
const TRUE: u64 = 2;
const EITHER: Abs = Abs::Set(FALSE | TRUE);

fn truth(value: bool) -> Abs {
    Abs::Set(if value { TRUE } else { FALSE })
}

/// The rules of one system.
pub struct Values<'a> {
    system: &'a System,
    /// The integers near those in the model, sorted.
    thresholds: Vec<i64>,
}

/// Rounds of a loop before intervals are opened, and before they are opened without end.
const ROUNDS: (u32, u32) = (3, 12);
/// A disjunction with more parts than this tells nothing about single variables.
const WAYS: usize = 32;
/// A disjunction that has more nodes than this, written out, neither: its ways may be that many.
const FOLLOWED: u32 = 1 << 12;

impl<'a> Values<'a> {
    /// The rules of `system`.
    pub fn new(system: &'a System) -> Self {
        let mut thresholds = vec![];
        for at in 0..system.terms.len() {
            if let Node::Const(Value::Int(value)) = system.terms.node(Term::at(at))
                && let Some(value) = value.to_i64()
            {
                thresholds.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
            }
        }
        thresholds.sort_unstable();
        thresholds.dedup();
        Values { system, thresholds }
    }
    /// What is known after an action or the initial statement; `None` if it cannot be executed.
    pub fn after(&mut self, stmt: Stmt, before: Option<Env>) -> Option<Env> {
        let mut env = self.stmt(stmt, before?)?;
        env.0.retain(|var, _| self.system.vars[*var].scope == Scope::State);
        Some(env)
    }
    /// What holds on either side; `wide` opens intervals that have grown, `endless` without end.
    pub fn join(&self, old: &Env, new: &Env, wide: bool, endless: bool) -> Env {
        let mut env = Env::default();
        for (var, a) in &old.0 {
            let Some(b) = new.0.get(var) else { continue };
            let mut joined = union(*a, *b);
            if let (true, Abs::Ints(least, most), Abs::Ints(old_least, old_most)) = (wide, joined, *a) {
                let down = |limit: i64| {
                    let at = self.thresholds.partition_point(|next| *next <= limit);
                    at.checked_sub(1).map(|at| self.thresholds[at]).filter(|_| !endless)
                };
                let up = |limit: i64| {
                    let at = self.thresholds.partition_point(|next| *next < limit);
                    self.thresholds.get(at).copied().filter(|_| !endless)
                };
                let least = if least == old_least { least } else { least.and_then(down) };
                let most = if most == old_most { most } else { most.and_then(up) };
                joined = Abs::Ints(least, most);
            }
            self.set(&mut env, *var, joined);
        }
        env
    }

    fn stmt(&mut self, stmt: Stmt, mut env: Env) -> Option<Env> {
        ir::deep(|| match self.system.terms.stmt(stmt).clone() {
            StmtNode::Skip | StmtNode::Delay => Some(env),
            StmtNode::Assume(condition) => self.refine(env, condition, true),
            StmtNode::Assign(var, value) => {
                let value = self.eval(value, &env);
                let value = meet(value, self.top(var))?;
                self.set(&mut env, var, value);
                Some(env)
            }
            StmtNode::Havoc(var) => {
                env.0.remove(&var);
                Some(env)
            }
            StmtNode::Seq(list) => list.iter().try_fold(env, |env, part| self.stmt(*part, env)),
            StmtNode::Choice(list) => {
                let ends: Vec<Option<Env>> = list.iter().map(|part| self.stmt(*part, env.clone())).collect();
                self.either(ends)
            }
            StmtNode::If(condition, then, otherwise) => {
                let sides = [(true, then), (false, otherwise)].map(|(holds, side)| {
                    let env = self.refine(env.clone(), condition, holds)?;
                    self.stmt(side, env)
                });
                self.either(sides)
            }
            StmtNode::For { var, from, to, body } => {
                let (least, most) = match (self.eval(from, &env), self.eval(to, &env)) {
                    (Abs::Ints(least, _), Abs::Ints(_, most)) => {
                        (least, most.map(|most| most.saturating_sub(1)))
                    }
                    _ => (None, None),
                };
                if let (Some(least), Some(most)) = (least, most)
                    && least > most
                {
                    return Some(env);
                }
                let mut env = self.repeat(env, &mut |values, mut env| {
                    values.set(&mut env, var, Abs::Ints(least, most));
                    values.stmt(body, env)
                });
                env.0.remove(&var);
                Some(env)
            }
            StmtNode::While(condition, body) => {
                let env = self.repeat(env, &mut |values, env| {
                    let env = values.refine(env, condition, true)?;
                    values.stmt(body, env)
                });
                self.refine(env, condition, false)
            }
        })
    }
    /// What is known after any number of rounds.
    fn repeat(&mut self, mut env: Env, round: &mut dyn FnMut(&mut Self, Env) -> Option<Env>) -> Env {
        for count in 0.. {
            let Some(after) = round(self, env.clone()) else { break };
            let joined = self.join(&env, &after, count >= ROUNDS.0, count >= ROUNDS.1);
            if joined == env {
                break;
            }
            env = joined;
        }
        env
    }
    fn either(&self, ends: impl IntoIterator<Item = Option<Env>>) -> Option<Env> {
        let mut ends = ends.into_iter().flatten();
        let first = ends.next()?;
        Some(ends.fold(first, |env, end| self.join(&env, &end, false, false)))
    }
    /// What is known where `condition` holds, or does not.
    fn refine(&mut self, mut env: Env, condition: Term, holds: bool) -> Option<Env> {
        ir::deep(|| match self.system.terms.node(condition).clone() {
            Node::Not(inner) => self.refine(env, inner, !holds),
            Node::And(list) if holds => list.iter().try_fold(env, |env, part| self.refine(env, *part, true)),
            Node::Or(list) if !holds => list.iter().try_fold(env, |env, part| self.refine(env, *part, false)),
            Node::And(list) | Node::Or(list)
                if list.len() <= WAYS && self.system.terms.written_size(condition) <= FOLLOWED =>
            {
                let ways: Vec<Option<Env>> =
                    list.iter().map(|part| self.refine(env.clone(), *part, holds)).collect();
                self.either(ways)
            }
            Node::Var(var, 0) => {
                let value = meet(self.eval(condition, &env), truth(holds))?;
                self.set(&mut env, var, value);
                Some(env)
            }
            Node::Eq(a, b) | Node::Le(a, b) | Node::Lt(a, b) => {
                meet(self.eval(condition, &env), truth(holds))?;
                let (left, right) = (self.eval(a, &env), self.eval(b, &env));
                let node = self.system.terms.node(condition).clone();
                for (term, own, other, mirrored) in [(a, left, right, false), (b, right, left, true)] {
                    if let Node::Var(var, 0) = *self.system.terms.node(term) {
                        let value = meet(own, compared(&node, other, holds, mirrored))?;
                        let value = if node_is_eq(&node) && !holds { without(value, other)? } else { value };
                        self.set(&mut env, var, value);
                    }
                }
                Some(env)
            }
            _ => meet(self.eval(condition, &env), truth(holds)).map(|_| env),
        })
    }
    /// The values of `term`.
    fn eval(&self, term: Term, env: &Env) -> Abs {
        let terms = &self.system.terms;
        match terms.node(term) {
            Node::Const(_) | Node::Var(..) => return self.leaf(term, env),
            _ => {}
        }
        let mut done: FxHashMap<Term, Abs> = FxHashMap::default();
        terms.for_each_subterm(term, |t| {
            let get = |t: &Term| done[t];
            let values = match terms.node(t) {
                Node::Const(_) | Node::Var(..) => self.leaf(t, env),
                Node::Not(a) => match get(a) {
                    Abs::Set(bits) => Abs::Set((bits & FALSE) << 1 | (bits & TRUE) >> 1),
                    other => other,
                },
                Node::And(list) => all(list.iter().map(get), TRUE, FALSE),
                Node::Or(list) => all(list.iter().map(get), FALSE, TRUE),
                Node::Eq(a, b) => equal(get(a), get(b)),
                Node::Le(a, b) => less(get(a), get(b), 0),
                Node::Lt(a, b) => less(get(a), get(b), 1),
                Node::Ite(c, a, b) => match get(c) {
                    Abs::Set(TRUE) => get(a),
                    Abs::Set(FALSE) => get(b),
                    _ => union(get(a), get(b)),
                },
                Node::Add(list) if terms.type_of(t) == Type::Int => {
                    list.iter().map(get).fold(Abs::Ints(Some(0), Some(0)), |a, b| match (a, b) {
                        (Abs::Ints(a, b), Abs::Ints(c, d)) => Abs::Ints(sum(a, c), sum(b, d)),
                        _ => Abs::Any,
                    })
                }
                Node::Mul(list) if terms.type_of(t) == Type::Int => {
                    list.iter().map(get).fold(Abs::Ints(Some(1), Some(1)), product)
                }
                Node::Mod(_, b) => match get(b) {
                    // The remainder is less than the divisor and not negative.
                    Abs::Ints(Some(least), Some(most)) if least > 0 => Abs::Ints(Some(0), Some(most - 1)),
                    _ => Abs::Ints(None, None),
                },
                node @ (Node::BitAnd(..) | Node::BitOr(..) | Node::BitXor(..)) => {
                    let range = Interval::of_node(node, |part| match get(&part) {
                        Abs::Ints(least, most) => Interval {
                            low: least.map_or(i128::MIN, i128::from),
                            high: most.map_or(i128::MAX, i128::from),
                        },
                        _ => ALL,
                    });
                    Abs::Ints(i64::try_from(range.low).ok(), i64::try_from(range.high).ok())
                }
                _ => self.any(terms.type_of(t)),
            };
            done.insert(t, values);
        });
        done[&term]
    }
    fn leaf(&self, term: Term, env: &Env) -> Abs {
        match self.system.terms.node(term) {
            Node::Var(var, 0) => env.0.get(var).copied().unwrap_or_else(|| self.top(*var)),
            Node::Const(Value::Bool(value)) => truth(*value),
            Node::Const(Value::Int(value)) => {
                let value = value.to_i64();
                Abs::Ints(value, value)
            }
            Node::Const(Value::Enum(_, at)) if *at < 64 => Abs::Set(1 << at),
            _ => Abs::Any,
        }
    }
    /// What is known of a variable of which nothing is known.
    fn top(&self, var: VarId) -> Abs {
        match &self.system.vars[var].range {
            Some((least, most)) => Abs::Ints(least.to_i64(), most.to_i64()),
            None => self.any(self.system.terms.var_type(var)),
        }
    }
    fn any(&self, ty: Type) -> Abs {
        match ty {
            Type::Bool => EITHER,
            Type::Int => Abs::Ints(None, None),
            Type::Enum(id) => match self.system.types().enum_type(id).literals.len() {
                64 => Abs::Set(u64::MAX),
                count if count < 64 => Abs::Set((1 << count) - 1),
                _ => Abs::Any,
            },
            Type::Rat | Type::Clock | Type::Array(_) => Abs::Any,
        }
    }
    /// Notes the values of a variable, unless that says nothing. Intervals are of integers, and what is less
    /// than an integer need not be less by 1 elsewhere.
    fn set(&self, env: &mut Env, var: VarId, values: Abs) {
        let between = matches!(self.system.terms.var_type(var), Type::Rat | Type::Clock);
        if between || values == self.top(var) || values == Abs::Any {
            env.0.remove(&var);
        } else {
            env.0.insert(var, values);
        }
    }
}

fn node_is_eq(node: &Node) -> bool {
    matches!(node, Node::Eq(..))
}

/// The values on one side of a comparison that holds or not; `mirrored` is the right side.
fn compared(node: &Node, other: Abs, holds: bool, mirrored: bool) -> Abs {
    let strict = match node {
        Node::Eq(..) if holds => return other,
        Node::Le(..) => !holds,
        Node::Lt(..) => holds,
        _ => return Abs::Any,
    };
    let Abs::Ints(least, most) = other else { return Abs::Any };
    let gap = i64::from(strict);
    // At most the other one, if either both or none of these is so.
    if holds != mirrored {
        Abs::Ints(None, most.and_then(|most| most.checked_sub(gap)))
    } else {
        Abs::Ints(least.and_then(|least| least.checked_add(gap)), None)
    }
}

/// `values` without the only value of `other`; `None` if nothing is left.
fn without(values: Abs, other: Abs) -> Option<Abs> {
    match (values, other) {
        (Abs::Set(bits), Abs::Set(one)) if one.is_power_of_two() => meet(Abs::Set(bits & !one), Abs::Any),
        (Abs::Ints(least, most), Abs::Ints(Some(a), Some(b))) if a == b => {
            let least = if least == Some(a) { least.and_then(|least| least.checked_add(1)) } else { least };
            let most = if most == Some(a) { most.and_then(|most| most.checked_sub(1)) } else { most };
            meet(Abs::Ints(least, most), Abs::Any)
        }
        _ => Some(values),
    }
}

/// The values in both; `None` if there are none.
fn meet(a: Abs, b: Abs) -> Option<Abs> {
    match (a, b) {
        (Abs::Ints(a, b), Abs::Ints(c, d)) => {
            let (least, most) = (a.max(c), [b, d].into_iter().flatten().min());
            let empty = matches!((least, most), (Some(least), Some(most)) if least > most);
            (!empty).then_some(Abs::Ints(least, most))
        }
        (Abs::Set(a), Abs::Set(b)) => (a & b != 0).then_some(Abs::Set(a & b)),
        (Abs::Any, one) | (one, Abs::Any) => match one {
            Abs::Set(0) => None,
            Abs::Ints(Some(least), Some(most)) if least > most => None,
            one => Some(one),
        },
        // Numbers of different types are compared by value.
        _ => Some(a),
    }
}

fn union(a: Abs, b: Abs) -> Abs {
    match (a, b) {
        (Abs::Ints(a, b), Abs::Ints(c, d)) => {
            let least = a.zip(c).map(|(a, c)| a.min(c));
            Abs::Ints(least, b.zip(d).map(|(b, d)| b.max(d)))
        }
        (Abs::Set(a), Abs::Set(b)) => Abs::Set(a | b),
        _ => Abs::Any,
    }
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}

fn product(a: Abs, b: Abs) -> Abs {
    let (Abs::Ints(Some(a), Some(b)), Abs::Ints(Some(c), Some(d))) = (a, b) else {
        return Abs::Ints(None, None);
    };
    let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
    let Some(corners) = corners.into_iter().collect::<Option<Vec<i64>>>() else {
        return Abs::Ints(None, None);
    };
    Abs::Ints(corners.iter().min().copied(), corners.iter().max().copied())
}

/// Whether all are `one`; one that is `other` decides.
fn all(list: impl Iterator<Item = Abs>, one: u64, other: u64) -> Abs {
    let mut all = true;
    for values in list {
        match values {
            Abs::Set(bits) if bits == other => return Abs::Set(other),
            Abs::Set(bits) if bits == one => {}
            _ => all = false,
        }
    }
    if all { Abs::Set(one) } else { EITHER }
}

fn equal(a: Abs, b: Abs) -> Abs {
    match (a, b) {
        (Abs::Ints(Some(a), Some(b)), Abs::Ints(Some(c), Some(d))) if a == b && c == d => truth(a == c),
        (Abs::Set(a), Abs::Set(b)) if a == b && a.is_power_of_two() => truth(true),
        _ if meet(a, b).is_none() => truth(false),
        _ => EITHER,
    }
}

/// Whether `a + gap <= b`.
fn less(a: Abs, b: Abs, gap: i64) -> Abs {
    let (Abs::Ints(a, b), Abs::Ints(c, d)) = (a, b) else { return EITHER };
    match (b, c) {
        (Some(b), Some(c)) if b.checked_add(gap).is_some_and(|b| b <= c) => return truth(true),
        _ => {}
    }
    match (a, d) {
        (Some(a), Some(d)) if a.checked_add(gap).is_none_or(|a| a > d) => truth(false),
        _ => EITHER,
    }
}
