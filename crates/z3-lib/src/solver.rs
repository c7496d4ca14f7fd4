//! Solvers and models.

use std::ffi::{CString, c_uint};

use crate::ast::{Ast, Decl, Kind};
use crate::context::{Context, Failure, call};
use crate::ffi::Ptr;

/// The answer of a solver that has one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
}

/// Options of a solver or fixedpoint engine.
#[derive(Clone, Default, Debug)]
pub struct Params {
    bools: Vec<(&'static str, bool)>,
    numbers: Vec<(&'static str, u32)>,
    symbols: Vec<(&'static str, &'static str)>,
}

impl Params {
    /// No options.
    pub fn new() -> Self {
        Self::default()
    }
    /// With a switch set.
    pub fn bool(mut self, name: &'static str, value: bool) -> Self {
        self.bools.push((name, value));
        self
    }
    /// With a number set.
    pub fn number(mut self, name: &'static str, value: u32) -> Self {
        self.numbers.push((name, value));
        self
    }
    /// With a name set.
    pub fn symbol(mut self, name: &'static str, value: &'static str) -> Self {
        self.symbols.push((name, value));
        self
    }
    /// Hands the options to `set`, as the library represents them.
    pub(crate) fn with(&self, context: &Context, set: impl FnOnce(Ptr)) -> Result<(), Failure> {
        let symbol = |name: &str| {
            let name = CString::new(name).expect("names of options have no zeros");
            call!(context, mk_string_symbol, name.as_ptr())
        };
        let params = call!(context, mk_params);
        if params.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no options".into())));
        }
        call!(context, params_inc_ref, params);
        for (name, value) in &self.bools {
            call!(context, params_set_bool, params, symbol(name), *value);
        }
        for (name, value) in &self.numbers {
            call!(context, params_set_uint, params, symbol(name), *value);
        }
        for (name, value) in &self.symbols {
            call!(context, params_set_symbol, params, symbol(name), symbol(value));
        }
        set(params);
        let failure = context.failure();
        call!(context, params_dec_ref, params);
        failure.map_or(Ok(()), Err)
    }
}

/// An incremental solver.
pub struct Solver {
    context: Context,
    raw: Ptr,
}

impl Solver {
    /// A solver without assertions.
    pub fn new(context: &Context) -> Result<Solver, Failure> {
        let raw = call!(context, mk_simple_solver);
        if raw.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no solver".into())));
        }
        call!(context, solver_inc_ref, raw);
        Ok(Solver { context: context.clone(), raw })
    }
    /// Sets options.
    pub fn set(&self, params: &Params) -> Result<(), Failure> {
        params.with(&self.context, |params| call!(&self.context, solver_set_params, self.raw, params))
    }
    /// Adds an assertion.
    pub fn assert(&self, ast: &Ast) -> Result<(), Failure> {
        self.context.own([ast.context()]);
        call!(&self.context, solver_assert, self.raw, ast.raw());
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Opens a scope.
    pub fn push(&self) -> Result<(), Failure> {
        call!(&self.context, solver_push, self.raw);
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Closes so many scopes.
    pub fn pop(&self, scopes: u32) -> Result<(), Failure> {
        call!(&self.context, solver_pop, self.raw, scopes);
        self.context.failure().map_or(Ok(()), Err)
    }
    /// Whether the assertions and assumptions can hold together. Assumptions are constants or their
    /// negations.
    pub fn check(&self, assumptions: &[&Ast]) -> Result<Check, Failure> {
        let context = &self.context;
        context.own(assumptions.iter().map(|ast| ast.context()));
        let raw: Vec<Ptr> = assumptions.iter().map(|ast| ast.raw()).collect();
        let answer = context.stoppable(|| {
            call!(context, solver_check_assumptions, self.raw, raw.len() as c_uint, raw.as_ptr())
        })?;
        match answer {
            1 => Ok(Check::Sat),
            -1 => Ok(Check::Unsat),
            _ => Err(context.failure().unwrap_or_else(|| {
                let reason = context.text(call!(context, solver_get_reason_unknown, self.raw));
                context.explain(&reason)
            })),
        }
    }
    /// The assumptions that the last answer `Unsat` needed.
    pub fn core(&self) -> Result<Vec<Ast>, Failure> {
        let context = &self.context;
        let vector = call!(context, solver_get_unsat_core, self.raw);
        if vector.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no core".into())));
        }
        call!(context, ast_vector_inc_ref, vector);
        let count = call!(context, ast_vector_size, vector);
        let core =
            (0..count).map(|at| Ast::new(context, call!(context, ast_vector_get, vector, at))).collect();
        call!(context, ast_vector_dec_ref, vector);
        core
    }
    /// The model of the last answer `Sat`.
    pub fn model(&self) -> Result<Model, Failure> {
        let context = &self.context;
        let raw = call!(context, solver_get_model, self.raw);
        if raw.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no model".into())));
        }
        call!(context, model_inc_ref, raw);
        Ok(Model { context: context.clone(), raw })
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        call!(&self.context, solver_dec_ref, self.raw);
    }
}

/// A model.
pub struct Model {
    context: Context,
    raw: Ptr,
}

impl Model {
    /// The value of an expression; with `complete`, constants that do not matter get one too.
    pub fn eval(&self, ast: &Ast, complete: bool) -> Result<Ast, Failure> {
        let context = &self.context;
        context.own([ast.context()]);
        let mut result = std::ptr::null_mut();
        if call!(context, model_eval, self.raw, ast.raw(), complete, &raw mut result) {
            Ast::new(context, result)
        } else {
            Err(context.failure().unwrap_or(Failure::Other("no value".into())))
        }
    }
    /// The truth value of an expression, if the model says one.
    pub fn truth(&self, ast: &Ast) -> Result<Option<bool>, Failure> {
        Ok(match self.eval(ast, false)?.kind() {
            Kind::Bool(value) => Some(value),
            _ => None,
        })
    }
    /// The entries of a function of one argument, and its value elsewhere.
    pub fn function(&self, function: &Decl) -> Result<(Vec<(Ast, Ast)>, Ast), Failure> {
        let context = &self.context;
        context.own([function.context()]);
        let interp = call!(context, model_get_func_interp, self.raw, function.raw());
        if interp.is_null() {
            return Err(context.failure().unwrap_or(Failure::Other("no function".into())));
        }
        call!(context, func_interp_inc_ref, interp);
        let count = call!(context, func_interp_get_num_entries, interp);
        let entries = (0..count).map(|at| {
            let entry = call!(context, func_interp_get_entry, interp, at);
            call!(context, func_entry_inc_ref, entry);
            let index = Ast::new(context, call!(context, func_entry_get_arg, entry, 0));
            let value = Ast::new(context, call!(context, func_entry_get_value, entry));
            call!(context, func_entry_dec_ref, entry);
            Ok::<_, Failure>((index?, value?))
        });
        let entries: Result<Vec<_>, _> = entries.collect();
        let otherwise = Ast::new(context, call!(context, func_interp_get_else, interp));
        call!(context, func_interp_dec_ref, interp);
        Ok((entries?, otherwise?))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        call!(&self.context, model_dec_ref, self.raw);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Pigeons in too few holes: short to say, long to refute.
    fn hard(context: &Context) -> Solver {
        let solver = Solver::new(context).unwrap();
        let sort = context.bool_sort().unwrap();
        let holes = 12;
        let at = |pigeon: u32, hole: u32| context.constant(&format!("{pigeon}@{hole}"), &sort).unwrap();
        for pigeon in 0..=holes {
            let any: Vec<Ast> = (0..holes).map(|hole| at(pigeon, hole)).collect();
            solver.assert(&context.or(&any).unwrap()).unwrap();
            for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
                let both = context.and(&[at(pigeon, hole), at(other, hole)]).unwrap();
                solver.assert(&context.not(&both).unwrap()).unwrap();
            }
        }
        solver
    }

    #[test]
    fn another_thread_stops_a_check_and_the_context_goes_on() {
        let context = Context::new().unwrap();
        let solver = hard(&context);
        let stop = context.stop();
        let started = Instant::now();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            stop.stop();
        });
        assert_eq!(solver.check(&[]), Err(Failure::Stopped));
        assert!(started.elapsed() < Duration::from_secs(2));
        thread.join().unwrap();
        assert_eq!(solver.check(&[]), Err(Failure::Stopped), "until cleared");
        context.stop().clear();
        let other = Solver::new(&context).unwrap();
        assert_eq!(other.check(&[]), Ok(Check::Sat));
        solver.set(&Params::new().number("rlimit", 1000)).unwrap();
        assert_eq!(solver.check(&[]), Err(Failure::Budget));
    }

    #[test]
    #[should_panic(expected = "operands of one context")]
    fn operands_of_another_context_are_refused_in_lists() {
        let (here, there) = (Context::new().unwrap(), Context::new().unwrap());
        let _ = here.and(&[here.bool(true).unwrap(), there.bool(true).unwrap()]);
    }

    #[test]
    #[should_panic(expected = "operands of one context")]
    fn assertions_of_another_context_are_refused() {
        let (here, there) = (Context::new().unwrap(), Context::new().unwrap());
        let _ = Solver::new(&here).unwrap().assert(&there.bool(false).unwrap());
    }

    #[test]
    fn only_arrays_by_function_and_tests_have_a_function() {
        let context = Context::new().unwrap();
        let sort = context.int_sort().unwrap();
        for ast in [context.small(3, &sort), context.constant("x", &sort), context.bool(true)] {
            assert!(matches!(ast.unwrap().function(), Err(Failure::Other(_))));
        }
    }

    #[test]
    fn stopping_an_idle_or_dead_context_is_harmless() {
        let context = Context::new().unwrap();
        let stop = context.stop();
        stop.stop();
        stop.clear();
        let solver = Solver::new(&context).unwrap();
        assert_eq!(solver.check(&[]), Ok(Check::Sat));
        drop((solver, context));
        stop.stop();
    }
}
