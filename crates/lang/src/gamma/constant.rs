//! Values that are known before a model runs: sizes of arrays, capacities, times.

use ir::{IdVec, Int};

use super::ast::*;
use super::project::{Def, Project};
use super::resolve::Resolver;

/// How deep constants may refer to each other.
const MAX_DEPTH: usize = 10_000;

impl Resolver<'_> {
    /// The value of an integer expression whose names are resolved, if it does not depend on anything that changes.
    pub(super) fn integer_value(&self, expr: ExprId) -> Option<Int> {
        integer(self.ast, &self.defs, expr, MAX_DEPTH)
    }
}

impl Project {
    /// The value of an integer expression, if it depends on constants only.
    pub fn integer_value(&self, expr: ExprId) -> Option<Int> {
        integer(&self.ast, &self.defs, expr, MAX_DEPTH)
    }
}

fn integer(ast: &Ast, defs: &IdVec<RefId, Option<Def>>, expr: ExprId, depth: usize) -> Option<Int> {
    let depth = depth.checked_sub(1)?;
    let of = |expr: ExprId| ir::deep(|| integer(ast, defs, expr, depth));
    match &ast.exprs[expr].kind {
        ExprKind::Integer(value) => Some(value.clone()),
        ExprKind::Name(name) => match defs[*name] {
            Some(Def::Variable(id)) if ast.variables[id].constant => of(ast.variables[id].initial?),
            _ => None,
        },
        ExprKind::Negate(inner) => Some(-&of(*inner)?),
        ExprKind::Plus(inner) => of(*inner),
        ExprKind::Time(inner, unit) => Some(&of(*inner)? * &Int::from(i64::from(unit.milliseconds()))),
        ExprKind::Sum(first, rest) => {
            let mut sum = of(*first)?;
            for (op, operand) in rest {
                let operand = of(*operand)?;
                sum = match op {
                    AddOp::Plus => &sum + &operand,
                    AddOp::Minus => &sum - &operand,
                };
            }
            Some(sum)
        }
        ExprKind::Product(first, rest) => {
            let mut product = of(*first)?;
            for (op, operand) in rest {
                let operand = of(*operand)?;
                let positive = !product.is_negative() && !operand.is_negative();
                product = match op {
                    MulOp::Times => &product * &operand,
                    // Only what every reading agrees on.
                    MulOp::Divide | MulOp::Div if positive => product.div(&operand)?,
                    MulOp::Mod if positive => product.modulo(&operand)?,
                    _ => return None,
                };
            }
            Some(product)
        }
        _ => None,
    }
}
