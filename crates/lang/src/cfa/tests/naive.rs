//! What statements and expressions mean, straight from their syntax trees, on machine words. It shares nothing with the
//! lowering but the trees.

use std::collections::BTreeMap;

use crate::cfa::ast::Stmt;
use crate::theta::ast::*;

/// A value; a bit-vector has its width first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum V {
    Bool(bool),
    Int(i128),
    Bits(u32, u128),
}

/// The values of variables.
pub(super) type Env = BTreeMap<String, V>;

/// A division by zero.
#[derive(Debug)]
pub(super) struct Fault;

impl V {
    fn bool(self) -> bool {
        let V::Bool(value) = self else { panic!("{self:?} is no truth value") };
        value
    }
    fn int(self) -> i128 {
        let V::Int(value) = self else { panic!("{self:?} is no integer") };
        value
    }
    fn bits(self) -> (u32, u128) {
        let V::Bits(width, value) = self else { panic!("{self:?} is no bit-vector") };
        (width, value)
    }
    /// The number, as the system keeps it.
    pub(super) fn number(self) -> Option<i128> {
        match self {
            V::Bool(_) => None,
            V::Int(value) => Some(value),
            V::Bits(_, value) => Some(value as i128),
        }
    }
}

fn mask(width: u32) -> u128 {
    (1 << width) - 1
}
fn vector(width: u32, value: u128) -> V {
    V::Bits(width, value & mask(width))
}
/// With the sign that its highest bit is.
fn signed((width, value): (u32, u128)) -> i128 {
    ((value as i128) << (128 - width)) >> (128 - width)
}

pub(super) fn eval(tree: &Tree, env: &Env, expr: ExprId) -> Result<V, Fault> {
    let of = |part: ExprId| eval(tree, env, part);
    Ok(match &tree.exprs[expr].kind {
        ExprKind::Bool(value) => V::Bool(*value),
        ExprKind::Int(value) => V::Int(value.to_i128().unwrap()),
        ExprKind::Bits(value, width) => V::Bits(*width, value.to_i128().unwrap() as u128),
        ExprKind::Name(name) => env[name],
        ExprKind::Unary(op, a) => {
            let a = of(*a)?;
            match op {
                Unary::Not => V::Bool(!a.bool()),
                Unary::Plus | Unary::BvPos => a,
                Unary::Minus => V::Int(-a.int()),
                Unary::BvNeg => vector(a.bits().0, a.bits().1.wrapping_neg()),
                Unary::BvNot => vector(a.bits().0, !a.bits().1),
            }
        }
        ExprKind::All(list) => {
            for part in list {
                if !of(*part)?.bool() {
                    return Ok(V::Bool(false));
                }
            }
            V::Bool(true)
        }
        ExprKind::Any(list) => {
            for part in list {
                if of(*part)?.bool() {
                    return Ok(V::Bool(true));
                }
            }
            V::Bool(false)
        }
        ExprKind::Ite(condition, then, otherwise) => {
            if of(*condition)?.bool() {
                of(*then)?
            } else {
                of(*otherwise)?
            }
        }
        ExprKind::Binary(Binary::Imply, a, b) => V::Bool(!of(*a)?.bool() || of(*b)?.bool()),
        ExprKind::Binary(op, a, b) => binary(*op, of(*a)?, of(*b)?)?,
        ExprKind::Extract { of: a, until, from } => vector(until - from, of(*a)?.bits().1 >> from),
        ExprKind::Extend { of: a, width, signed: false } => V::Bits(*width, of(*a)?.bits().1),
        ExprKind::Extend { of: a, width, signed: true } => vector(*width, signed(of(*a)?.bits()) as u128),
        ExprKind::Quantified(quantifier, params, body) => {
            let mut envs = vec![env.clone()];
            for param in params {
                let values = values(&tree.types[param.ty].0);
                let name = &param.ident.text;
                envs = envs
                    .iter()
                    .flat_map(|env| {
                        values.iter().map(|value| {
                            let mut env = env.clone();
                            env.insert(name.clone(), *value);
                            env
                        })
                    })
                    .collect();
            }
            let decides = *quantifier == Quantifier::Exists;
            for env in envs {
                if eval(tree, &env, *body)?.bool() == decides {
                    return Ok(V::Bool(decides));
                }
            }
            V::Bool(!decides)
        }
        other => panic!("{other:?} does not occur"),
    })
}

fn binary(op: Binary, a: V, b: V) -> Result<V, Fault> {
    use Binary::*;
    let (x, y) = (a, b);
    Ok(match op {
        Iff | Eq => V::Bool(a == b),
        Xor | Ne => V::Bool(a != b),
        Imply => unreachable!("not strict"),
        Lt => V::Bool(a.int() < b.int()),
        Le => V::Bool(a.int() <= b.int()),
        Gt => V::Bool(a.int() > b.int()),
        Ge => V::Bool(a.int() >= b.int()),
        Add => V::Int(a.int() + b.int()),
        Sub => V::Int(a.int() - b.int()),
        Mul => V::Int(a.int() * b.int()),
        Div => V::Int(a.int().checked_div_euclid(b.int()).ok_or(Fault)?),
        Mod => V::Int(a.int().checked_rem_euclid(b.int()).ok_or(Fault)?),
        Rem => {
            let rest = a.int().checked_rem_euclid(b.int()).ok_or(Fault)?;
            V::Int(if b.int() < 0 { -rest } else { rest })
        }
        Concat => {
            let ((high, a), (low, b)) = (a.bits(), b.bits());
            V::Bits(high + low, a << low | b)
        }
        _ => {
            let ((width, a), (_, b)) = (a.bits(), b.bits());
            let (s, t) = (signed(x.bits()), signed(y.bits()));
            let places = b.min(u128::from(width)) as u32;
            let turned = (b % u128::from(width)) as u32;
            let rotated = |left: u32| (a << left) | (a >> (width - left));
            match op {
                BvUlt => V::Bool(a < b),
                BvUle => V::Bool(a <= b),
                BvUgt => V::Bool(a > b),
                BvUge => V::Bool(a >= b),
                BvSlt => V::Bool(s < t),
                BvSle => V::Bool(s <= t),
                BvSgt => V::Bool(s > t),
                BvSge => V::Bool(s >= t),
                BvOr => vector(width, a | b),
                BvXor => vector(width, a ^ b),
                BvAnd => vector(width, a & b),
                BvShl => vector(width, a << places),
                BvLshr => vector(width, a >> places),
                BvAshr => vector(width, (s >> places) as u128),
                BvRol => vector(width, rotated(turned)),
                BvRor => vector(width, rotated((width - turned) % width)),
                BvAdd => vector(width, a + b),
                BvSub => vector(width, a.wrapping_sub(b)),
                BvMul => vector(width, a * b),
                BvUdiv => vector(width, a.checked_div(b).unwrap_or(u128::MAX)),
                BvUrem => vector(width, a.checked_rem(b).unwrap_or(a)),
                // Rounded to zero, as machines do it.
                BvSdiv => {
                    let by_zero = if s < 0 { 1 } else { -1 };
                    vector(width, s.checked_div(t).unwrap_or(by_zero) as u128)
                }
                BvSrem => vector(width, s.checked_rem(t).unwrap_or(s) as u128),
                BvSmod => {
                    // The remainder that is 0 or has the sign of the divisor: the one of the quotient rounded down.
                    let rest = s.checked_rem(t).unwrap_or(s);
                    let other_sign = t != 0 && rest != 0 && (rest < 0) != (t < 0);
                    vector(width, (if other_sign { rest + t } else { rest }) as u128)
                }
                other => panic!("{other:?} is no operator of bit-vectors"),
            }
        }
    })
}

/// All values of a type.
pub(super) fn values(ty: &TypeKind) -> Vec<V> {
    match ty {
        TypeKind::Bool => vec![V::Bool(false), V::Bool(true)],
        TypeKind::Bits(width) => (0..1 << width).map(|value| V::Bits(*width, value)).collect(),
        other => panic!("{other:?} has too many values"),
    }
}

/// Where statements lead from a state, and whether they can go wrong.
pub(super) fn run(
    tree: &Tree,
    types: &BTreeMap<String, TypeKind>,
    stmts: &[Stmt],
    from: &Env,
) -> (Vec<Env>, bool) {
    let (mut envs, mut fault) = (vec![from.clone()], false);
    for stmt in stmts {
        let mut after = vec![];
        for mut env in envs {
            match stmt {
                Stmt::Assume(condition) => match eval(tree, &env, *condition) {
                    Ok(value) if value.bool() => after.push(env),
                    Ok(_) => {}
                    Err(Fault) => fault = true,
                },
                Stmt::Assign(name, value) => match eval(tree, &env, *value) {
                    Ok(value) => {
                        env.insert(name.text.clone(), value);
                        after.push(env);
                    }
                    Err(Fault) => fault = true,
                },
                Stmt::Havoc(name) => after.extend(values(&types[&name.text]).into_iter().map(|value| {
                    let mut env = env.clone();
                    env.insert(name.text.clone(), value);
                    env
                })),
            }
        }
        envs = after;
    }
    envs.sort();
    envs.dedup();
    (envs, fault)
}
