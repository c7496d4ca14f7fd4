//! The engine for Horn clauses.

use crate::ast::{Ast, Decl};
use crate::context::{Context, Failure, call};
use crate::ffi::Ptr;
use crate::solver::{Check, Params};

/// A set of Horn clauses with the engine that solves them.
pub struct Fixedpoint {
    context: Context,
    raw: Ptr,
}

impl Fixedpoint {
    /// No clauses yet.
    pub fn new(context: &Context, params: &Params) -> Result<Fixedpoint, Failure> {
        let raw = call!(context, mk_fixedpoint);
        if raw.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no engine".into())));
        }
        call!(context, fixedpoint_inc_ref, raw);
        let engine = Fixedpoint { context: context.clone(), raw };
        params.with(context, |params| call!(context, fixedpoint_set_params, raw, params))?;
        Ok(engine)
    }
    /// Declares a predicate whose meaning is sought.
    pub fn register(&self, predicate: &Decl) -> Result<(), Failure> {
        call!(&self.context, fixedpoint_register_relation, self.raw, predicate.raw());
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Adds a clause: a quantified implication with an application of a predicate as its head.
    pub fn rule(&self, rule: &Ast) -> Result<(), Failure> {
        call!(&self.context, fixedpoint_add_rule, self.raw, rule.raw(), std::ptr::null_mut());
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Whether `query` can be derived.
    pub fn query(&self, query: &Ast) -> Result<Check, Failure> {
        let context = &self.context;
        match context.stoppable(|| call!(context, fixedpoint_query, self.raw, query.raw()))? {
            1 => Ok(Check::Sat),
            -1 => Ok(Check::Unsat),
            _ => Err(context.failure().unwrap_or_else(|| {
                let reason = context.text(call!(context, fixedpoint_get_reason_unknown, self.raw));
                context.explain(&reason)
            })),
        }
    }
    /// What holds of the arguments of `predicate`, as bound variables, after the answer `Unsat`.
    pub fn cover(&self, predicate: &Decl) -> Result<Ast, Failure> {
        Ast::new(
            &self.context,
            call!(&self.context, fixedpoint_get_cover_delta, self.raw, -1, predicate.raw()),
        )
    }
}

impl Drop for Fixedpoint {
    fn drop(&mut self) {
        call!(&self.context, fixedpoint_dec_ref, self.raw);
    }
}
