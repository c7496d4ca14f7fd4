//! Expressions.

use lang::xta::ast::*;

use super::value::{Ty, Val, entry, number, values};
use super::{CAP, Env, Network, Row, Trouble, What, bind, lookup, unable};

/// The number as 32 bits hold it.
fn word(number: i64) -> i64 {
    i64::from(number as i32)
}

impl Network<'_> {
    pub(super) fn num(&self, expr: ExprId, env: &Env, row: &mut Row) -> Result<i64, Trouble> {
        let value = self.eval(expr, env, row)?;
        number(&value, row)
    }
    pub(super) fn truth(&self, expr: ExprId, env: &Env, row: &mut Row) -> Result<bool, Trouble> {
        Ok(self.num(expr, env, row)? != 0)
    }
    pub(super) fn eval(&self, expr: ExprId, env: &Env, row: &mut Row) -> Result<Val, Trouble> {
        Ok(match &self.ast.exprs[expr].kind {
            ExprKind::Int(value) => Val::Num(*value),
            ExprKind::Bool(value) => Val::Num(i64::from(*value)),
            ExprKind::Double => Val::Opaque,
            ExprKind::Name(name) => match lookup(env, *name) {
                Some(What::Cell(at, ty)) => Val::Cell(*at, ty.clone()),
                Some(What::Channel(at, ty)) => Val::Channel(*at, ty.clone()),
                _ => return unable(format!("`{}` is no variable", self.text(*name))),
            },
            ExprKind::Not(inner) => Val::Num(i64::from(!self.truth(*inner, env, row)?)),
            ExprKind::Minus(inner) => Val::Num(word(-self.num(*inner, env, row)?)),
            ExprKind::Plus(inner) => Val::Num(self.num(*inner, env, row)?),
            // The rate of a clock may go wrong, but is never false.
            ExprKind::Chain(first, rest) if matches!(self.ast.exprs[*first].kind, ExprKind::Rate(_)) => {
                for (_, speed) in rest {
                    self.eval(*speed, env, row)?;
                }
                Val::Num(1)
            }
            ExprKind::Chain(first, rest) => {
                let mut left = self.eval(*first, env, row)?;
                for (op, right) in rest {
                    left = self.binary(left, *op, *right, env, row)?;
                }
                left
            }
            ExprKind::Choose(condition, a, b) => {
                let side = if self.truth(*condition, env, row)? { *a } else { *b };
                match self.eval(side, env, row)? {
                    clock @ Val::Cell(_, Ty::Clock) => clock,
                    other => Val::Num(number(&other, row)?),
                }
            }
            ExprKind::Assign(op, place, value) => {
                let Val::Cell(at, ty) = self.eval(*place, env, row)? else { return unable("no place") };
                let value = match op {
                    None => self.eval(*value, env, row)?,
                    Some(_) if ty == Ty::Opaque => self.eval(*value, env, row)?,
                    Some(op) => {
                        let before = Val::Num(row[at]);
                        self.binary(before, *op, *value, env, row)?
                    }
                };
                self.store(at, &ty, value, row)?;
                Val::Cell(at, ty)
            }
            ExprKind::Step { place, up, prefix } => {
                let Val::Cell(at, ty) = self.eval(*place, env, row)? else { return unable("no place") };
                let before = row[at];
                self.store(at, &ty, Val::Num(if *up { before + 1 } else { before - 1 }), row)?;
                if *prefix { Val::Cell(at, ty) } else { Val::Num(before) }
            }
            ExprKind::Index(array, index) => {
                let base = self.eval(*array, env, row)?;
                let index = self.num(*index, env, row)?;
                entry(base, index)?
            }
            ExprKind::Field(base, field) => match self.part(*base, field.name, env, row)? {
                Some(part) => part,
                None => {
                    let base = self.eval(*base, env, row)?;
                    match self.field(base, field.name)? {
                        Val::Cell(at, ty @ Ty::Chan { .. }) => Val::Channel(row[at] as usize, ty),
                        part => part,
                    }
                }
            },
            ExprKind::Call(function, args) => self.call(*function, args, env, row)?,
            ExprKind::Quantified(what, ident, ty, body) => {
                let (low, high) = values(&self.resolve(*ty, env, row)?)?;
                let height = row.len();
                let mut result = i64::from(*what == Quantification::Forall);
                for value in low..=high {
                    row.push(value);
                    let inner = bind(env, ident.name, What::Cell(height, Ty::Int(low, high)));
                    let part = self.num(*body, &inner, row)?;
                    row.truncate(height);
                    match what {
                        Quantification::Sum => result = word(result + part),
                        Quantification::Forall if part == 0 => return Ok(Val::Num(0)),
                        Quantification::Exists if part != 0 => return Ok(Val::Num(1)),
                        _ => {}
                    }
                }
                Val::Num(result)
            }
            ExprKind::Deadlock
            | ExprKind::Rate(_)
            | ExprKind::List(_)
            | ExprKind::Text
            | ExprKind::Spawn(_) => return unable("this expression"),
        })
    }
    /// `left op right`, where `right` is not evaluated if `left` decides.
    pub(super) fn binary(
        &self,
        left: Val,
        op: Binary,
        right: ExprId,
        env: &Env,
        row: &mut Row,
    ) -> Result<Val, Trouble> {
        if let (Binary::Eq | Binary::Ne, Val::Cell(at, ty @ (Ty::Array(..) | Ty::Struct(_)))) = (op, &left) {
            let right = self.eval(right, env, row)?;
            let same = row[*at..at + ty.size()] == self.converted(right, ty, row)?[..];
            return Ok(Val::Num(i64::from(same == (op == Binary::Eq))));
        }
        if left.is_opaque() {
            self.eval(right, env, row)?;
            return Ok(Val::Opaque);
        }
        let timed = matches!(left, Val::Cell(_, Ty::Clock));
        let mut a = number(&left, row)?;
        match (op, a != 0) {
            (Binary::And, false) => return Ok(Val::Num(0)),
            (Binary::Or, true) | (Binary::Imply, false) => return Ok(Val::Num(1)),
            _ => {}
        }
        let right = self.eval(right, env, row)?;
        if right.is_opaque() {
            return Ok(Val::Opaque);
        }
        let mut b = number(&right, row)?;
        match (timed, matches!(right, Val::Cell(_, Ty::Clock))) {
            (true, false) => b = self.comparable(op, b)?,
            (false, true) => a = self.comparable(op, a)?,
            (true, true) => return unable("two clocks"),
            (false, false) => {}
        }
        let truth = |value: bool| Ok(i64::from(value));
        Ok(Val::Num(match op {
            Binary::And | Binary::Or | Binary::Imply => truth(b != 0),
            Binary::Xor => truth((a != 0) != (b != 0)),
            Binary::Eq => truth(a == b),
            Binary::Ne => truth(a != b),
            Binary::Lt => truth(a < b),
            Binary::Le => truth(a <= b),
            Binary::Gt => truth(a > b),
            Binary::Ge => truth(a >= b),
            Binary::BitOr => Ok(a | b),
            Binary::BitXor => Ok(a ^ b),
            Binary::BitAnd => Ok(a & b),
            Binary::Min => Ok(a.min(b)),
            Binary::Max => Ok(a.max(b)),
            Binary::Add => Ok(word(a + b)),
            Binary::Sub => Ok(word(a - b)),
            Binary::Mul => Ok(word(a * b)),
            Binary::Power if !(0..32).contains(&b) => Err(Trouble::Fault),
            Binary::Power => Ok((0..b).fold(1, |product, _| word(product * a))),
            Binary::Div => a.checked_div(b).ok_or(Trouble::Fault),
            Binary::Mod => a.checked_rem(b).ok_or(Trouble::Fault),
            Binary::ShiftLeft | Binary::ShiftRight if !(0..32).contains(&b) => Err(Trouble::Fault),
            Binary::ShiftLeft => Ok(word(a << b)),
            Binary::ShiftRight => Ok(a >> b),
        }?))
    }
    /// What a clock is compared with, if it is as the count of time allows, and with less than [`CAP`].
    fn comparable(&self, op: Binary, with: i64) -> Result<i64, Trouble> {
        let closed = matches!(op, Binary::Le | Binary::Ge | Binary::Eq);
        let strict = matches!(op, Binary::Lt | Binary::Gt);
        if with < CAP && (closed || strict && (self.asking.get() || self.unit > 1)) {
            return Ok(with * self.unit);
        }
        unable(format!("a clock {} {with}", op.text()))
    }
    fn field(&self, base: Val, name: Name) -> Result<Val, Trouble> {
        let Val::Cell(mut at, Ty::Struct(fields)) = base else { return unable("no structure") };
        for (field, ty) in fields.iter() {
            if *field == name {
                return Ok(Val::Cell(at, ty.clone()));
            }
            at += ty.size();
        }
        unable("no such field")
    }
    /// The numbers that a place of this type gets; an integer must be within its range.
    pub(super) fn converted(&self, value: Val, ty: &Ty, row: &Row) -> Result<Vec<i64>, Trouble> {
        Ok(match ty {
            Ty::Bool => vec![i64::from(number(&value, row)? != 0)],
            Ty::Int(low, high) => match number(&value, row)? {
                value if (*low..=*high).contains(&value) => vec![value],
                _ => return Err(Trouble::Fault),
            },
            Ty::Opaque => vec![],
            Ty::Clock if matches!(value, Val::Cell(_, Ty::Clock)) => vec![number(&value, row)?],
            Ty::Clock => match number(&value, row)? {
                value if value >= 0 => vec![value.min(CAP) * self.unit],
                _ => return Err(Trouble::Fault),
            },
            _ => match value {
                Val::Cell(at, _) => row[at..at + ty.size()].to_vec(),
                Val::Data(list) => list,
                _ => return unable("no value of this type"),
            },
        })
    }
    fn store(&self, at: usize, ty: &Ty, value: Val, row: &mut Row) -> Result<(), Trouble> {
        let value = self.converted(value, ty, row)?;
        row[at..at + ty.size()].copy_from_slice(&value);
        Ok(())
    }
}
