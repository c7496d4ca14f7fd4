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
        self.context.own([predicate.context()]);
        call!(&self.context, fixedpoint_register_relation, self.raw, predicate.raw());
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Adds a clause: a quantified implication with an application of a predicate as its head.
    pub fn rule(&self, rule: &Ast) -> Result<(), Failure> {
        self.context.own([rule.context()]);
        call!(&self.context, fixedpoint_add_rule, self.raw, rule.raw(), std::ptr::null_mut());
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Whether `query` can be derived.
    pub fn query(&self, query: &Ast) -> Result<Check, Failure> {
        let context = &self.context;
        context.own([query.context()]);
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
        self.context.own([predicate.context()]);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Whether a counter reaches a billion: as many steps as that, so nobody waits for the end.
    fn endless(context: &Context, params: &Params) -> Result<Check, Failure> {
        let engine = Fixedpoint::new(context, params)?;
        let sort = context.int_sort()?;
        let counter = context.predicate("counter", std::slice::from_ref(&sort))?;
        engine.register(&counter)?;
        let (x, one) = (context.constant("x", &sort)?, context.small(1, &sort)?);
        let number = |value: i64| context.small(value, &sort);
        engine.rule(&counter.apply(&[number(0)?])?)?;
        let more = context.add(&[x.clone(), one])?;
        let body = context
            .and(&[counter.apply(std::slice::from_ref(&x))?, context.lt(&x, &number(1_000_000_000)?)?])?;
        let step = context.implies(&body, &counter.apply(&[more])?)?;
        engine.rule(&context.forall(&[x], &step)?)?;
        engine.query(&counter.apply(&[number(1_000_000_000)?])?)
    }

    fn params() -> Params {
        Params::new().symbol("engine", "spacer")
    }

    #[test]
    fn another_thread_stops_the_engine() {
        let context = Context::new().unwrap();
        let stop = context.stop();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            stop.stop();
        });
        assert_eq!(endless(&context, &params()), Err(Failure::Stopped));
        thread.join().unwrap();
    }

    #[test]
    fn a_limit_of_work_ends_the_engine() {
        let context = Context::new().unwrap();
        let limited = params().number("rlimit", 500_000);
        assert_eq!(endless(&context, &limited), Err(Failure::Budget));
        // The context goes on.
        let solver = crate::Solver::new(&context).unwrap();
        assert_eq!(solver.check(&[]), Ok(Check::Sat));
    }
}
