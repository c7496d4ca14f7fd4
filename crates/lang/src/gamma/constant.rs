//! Values that are known before a model runs: sizes of arrays, capacities, times.

use ir::Int;

use super::ast::*;
use super::project::Def;
use super::resolve::Resolver;

/// How deep constants may refer to each other.
const MAX_DEPTH: usize = 1_000;

impl Resolver<'_> {
    /// The value of an integer expression whose names are resolved, if it does not depend on anything that changes.
    pub(super) fn integer_value(&self, expr: ExprId) -> Option<Int> {
        self.integer_within(expr, MAX_DEPTH)
    }
    fn integer_within(&self, expr: ExprId, depth: usize) -> Option<Int> {
        let depth = depth.checked_sub(1)?;
        let of = |expr: ExprId| ir::deep(|| self.integer_within(expr, depth));
        match &self.ast.exprs[expr].kind {
            ExprKind::Integer(value) => Some(value.clone()),
            ExprKind::Name(name) => match self.defs[*name] {
                Some(Def::Variable(id)) if self.ast.variables[id].constant => {
                    of(self.ast.variables[id].initial?)
                }
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
                    product = match op {
                        MulOp::Times => &product * &operand,
                        // Only what every reading agrees on.
                        MulOp::Divide | MulOp::Div if !product.is_negative() && !operand.is_negative() => {
                            product.div(&operand)?
                        }
                        MulOp::Mod if !product.is_negative() && !operand.is_negative() => {
                            product.modulo(&operand)?
                        }
                        _ => return None,
                    };
                }
                Some(product)
            }
            _ => None,
        }
    }
}
