//! Functions and their statements.

use lang::xta::ast::*;

use super::value::{Ty, Val, one, values};
use super::{Env, Network, Row, Trouble, What, bind, lookup, unable};

/// How many rounds a loop may take.
const ROUNDS: usize = 1_000;

/// What follows a statement.
enum Flow {
    Next,
    Return(Val),
}

impl Network<'_> {
    pub(super) fn call(
        &self,
        function: ExprId,
        args: &[ExprId],
        env: &Env,
        row: &mut Row,
    ) -> Result<Val, Trouble> {
        let ExprKind::Name(name) = self.ast.exprs[function].kind else { return unable("no function") };
        let Some(What::Function(id, around)) = lookup(env, name) else {
            return unable(format!("`{}` is no function", self.text(name)));
        };
        let function = &self.ast.functions[*id];
        let height = row.len();
        let mut inner = around.clone();
        let mut given = vec![];
        for (param, arg) in function.params.iter().zip(args) {
            let value = self.eval(*arg, env, row)?;
            // What is given by value is what it is now.
            given.push(match value {
                Val::Cell(at, Ty::Bool | Ty::Int(..)) if !param.by_reference => Val::Num(row[at]),
                Val::Cell(at, ty) if !param.by_reference => Val::Data(row[at..at + ty.size()].to_vec()),
                value => value,
            });
        }
        for (param, value) in function.params.iter().zip(given) {
            let bound = self.bound(param, value, around, row)?;
            inner = bind(&inner, param.var.ident.name, bound);
        }
        let result = self.resolve(function.result, around, row)?;
        let value = match self.stmt(function.body, &inner, row)? {
            Flow::Return(Val::Void) => Val::Void,
            Flow::Return(value) => one(self.converted(value, &result, row)?, &result),
            Flow::Next => one(result.default(), &result),
        };
        row.truncate(height);
        Ok(value)
    }
    fn stmt(&self, stmt: StmtId, env: &Env, row: &mut Row) -> Result<Flow, Trouble> {
        match &self.ast.stmts[stmt].kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => drop(self.eval(*expr, env, row)?),
            StmtKind::Block(decls, list) => return self.block(decls, list, env.clone(), row),
            StmtKind::If(condition, then, otherwise) => {
                if self.truth(*condition, env, row)? {
                    return self.stmt(*then, env, row);
                } else if let Some(otherwise) = otherwise {
                    return self.stmt(*otherwise, env, row);
                }
            }
            StmtKind::While(condition, body) => {
                return self.rounds(Some(*condition), *body, &[], env, row);
            }
            StmtKind::DoWhile(body, condition) => match self.stmt(*body, env, row)? {
                Flow::Next => return self.rounds(Some(*condition), *body, &[], env, row),
                flow => return Ok(flow),
            },
            StmtKind::For([init, condition, step], body) => {
                for expr in init {
                    self.eval(*expr, env, row)?;
                }
                return self.rounds(condition.last().copied(), *body, step, env, row);
            }
            StmtKind::Iterate(ident, ty, body) => {
                let (low, high) = values(&self.resolve(*ty, env, row)?)?;
                for value in low..=high {
                    row.push(value);
                    let what = What::Cell(row.len() - 1, Ty::Int(low, high));
                    if let Flow::Return(value) = self.stmt(*body, &bind(env, ident.name, what), row)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            StmtKind::Return(None) => return Ok(Flow::Return(Val::Void)),
            StmtKind::Return(Some(value)) => return Ok(Flow::Return(self.eval(*value, env, row)?)),
        }
        Ok(Flow::Next)
    }
    fn block(&self, decls: &[Decl], list: &[StmtId], mut env: Env, row: &mut Row) -> Result<Flow, Trouble> {
        for decl in decls {
            let (name, what) = match decl {
                Decl::Var(var) => {
                    let ty = self.declared(var, &env, row)?;
                    (var.ident.name, self.place(var, ty, &env, row)?)
                }
                Decl::Typedef(var) => (var.ident.name, What::Type(self.declared(var, &env, row)?)),
                _ => return unable("this declaration"),
            };
            env = bind(&env, name, what);
        }
        for stmt in list {
            if let Flow::Return(value) = self.stmt(*stmt, &env, row)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }
    fn rounds(
        &self,
        condition: Option<ExprId>,
        body: StmtId,
        step: &[ExprId],
        env: &Env,
        row: &mut Row,
    ) -> Result<Flow, Trouble> {
        for _ in 0..ROUNDS {
            if let Some(condition) = condition
                && !self.truth(condition, env, row)?
            {
                return Ok(Flow::Next);
            }
            if let Flow::Return(value) = self.stmt(body, env, row)? {
                return Ok(Flow::Return(value));
            }
            for expr in step {
                self.eval(*expr, env, row)?;
            }
        }
        unable("a long loop")
    }
}
