//! What every solver can do.
//!
//! Variables need no ceremony: a term is given together with [`Steps`], and its variable `v` at step
//! `s` then means the solver's variable `v` at step `s + steps.of(v)`. So a formula over *now* is
//! asserted at any point of an unfolding without building another term.
//!
//! Questions are asked under assumptions, which are literals. A literal stands for a term and is as
//! good in both directions; it is made once and stays valid over `push` and `pop`. Changing
//! assumptions is several times cheaper than opening scopes.
//!
//! # What a solver relies on
//! - **One arena.** All terms given to one solver, and to its siblings, are of one [`Terms`]; the ids of
//!   another mean something else.
//! - **Order.** `declare` comes before the first use of a variable; `core`, `truth` and `value` follow a
//!   check with the answer they are about, before anything else is asserted. A variable that the solver
//!   has not heard of has a value all the same, within its range and the same each time.
//! - **Limits** hold for every check until they are set again. Setting them forgets interruptions.
//!   A deadline that is over fails every further check.
//! - **Interruption** comes from any thread and lasts. [`Z3Solver`](crate::z3::Z3Solver)s that are
//!   siblings share it, and the deadline: stopping one stops all, and lifting the limits of one lifts
//!   them for all. The limit of work is each solver's own.
//! - **Failures.** A check that failed may be asked again. After an assertion or a scope that failed, it
//!   is unclear what holds; a solver then fails further checks rather than answer them wrongly.
//!
//! [`SmtlibSolver`](crate::smtlib::SmtlibSolver) knows no limit of work, ends for good when it is
//! interrupted or runs out of time (its process is killed), and always knows the truth of a literal.

use std::time::Instant;

use ir::eval::Env;
use ir::{Int, LocationId, Node, ProcessId, Steps, Term, Terms, Value, VarId};
use rustc_hash::FxHashMap;

use crate::interrupt::{Interrupt, Interrupter};

/// An incremental solver.
pub trait Solver {
    /// Says that `var` lies within `range` at every step. Before its first use.
    fn declare(&mut self, var: VarId, range: Option<(Int, Int)>);
    /// From now on, `term` at `at` holds, until the scope is closed.
    fn assert(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<(), Interrupt>;
    /// From now on, `condition` implies `term` at `at`, until the scope is closed.
    fn assert_if(&mut self, terms: &Terms, condition: Lit, term: Term, at: &Steps) -> Result<(), Interrupt>;
    /// From now on, one of these literals holds, until the scope is closed.
    fn clause(&mut self, clause: &[Lit]) -> Result<(), Interrupt>;
    /// The literal that is equivalent to `term` at `at`.
    fn lit(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Lit, Interrupt>;
    /// A literal that stands for nothing yet.
    fn activation(&mut self) -> Result<Lit, Interrupt>;
    /// Opens a scope.
    fn push(&mut self) -> Result<(), Interrupt>;
    /// Closes the innermost scope and forgets what was asserted in it.
    fn pop(&mut self) -> Result<(), Interrupt>;
    /// Whether everything asserted and assumed can hold together.
    fn check(&mut self, assumptions: &[Lit]) -> Result<Answer, Interrupt>;
    /// Some of the assumptions of the last check, which was `Unsat`, that are enough for that.
    fn core(&mut self) -> Result<Vec<Lit>, Interrupt>;
    /// What the model of the last check, which was `Sat`, says of a literal; `None` if it can be
    /// either.
    fn truth(&mut self, lit: Lit) -> Result<Option<bool>, Interrupt>;
    /// The value of `term` at `at` in the model of the last check, which was `Sat`.
    fn value(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Value, Interrupt>;
    /// Sets the limits for what follows, and forgets earlier interruptions.
    fn limit(&mut self, limits: Limits);
    /// How other threads stop this solver.
    fn interrupter(&self) -> Interrupter;
}

/// The answer to a question.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
}

/// A literal of one solver.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// Literal number `index` of a solver.
    pub(crate) fn new(index: usize) -> Self {
        Lit(u32::try_from(index * 2).expect("fewer than 2^31 literals"))
    }
    /// The number of the literal, and whether it is negated.
    pub(crate) fn parts(self) -> (usize, bool) {
        ((self.0 >> 1) as usize, self.0 & 1 == 1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// How much a solver may do.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Limits {
    /// No check goes on after this.
    pub deadline: Option<Instant>,
    /// How much work one check may be, in a unit of the solver; the same each time, unlike time. Solvers
    /// behind a pipe have no such limit and ignore it.
    pub work: Option<u32>,
}

/// The values of variables at steps, for evaluation.
#[derive(Clone, Default, Debug)]
pub struct Model {
    values: FxHashMap<(VarId, u32), Value>,
}

impl Model {
    /// The values that `solver`'s model gives to the variables of `list`.
    pub fn of(
        solver: &mut dyn Solver,
        terms: &mut Terms,
        list: impl IntoIterator<Item = (VarId, u32)>,
    ) -> Result<Model, Interrupt> {
        let mut model = Model::default();
        for (var, step) in list {
            let term = terms.var_at(var, step);
            model.values.insert((var, step), solver.value(terms, term, &Steps::start())?);
        }
        Ok(model)
    }
    /// Sets a value.
    pub fn set(&mut self, var: VarId, step: u32, value: Value) {
        self.values.insert((var, step), value);
    }
    /// The value of a variable at a step.
    pub fn get(&self, var: VarId, step: u32) -> Option<&Value> {
        self.values.get(&(var, step))
    }
}

/// The value of a variable of which a solver knows nothing: the one nearest to zero within its range.
pub(crate) fn least_value(terms: &Terms, var: VarId, range: Option<&(Int, Int)>) -> Value {
    match range {
        Some((least, greatest)) => Value::Int(Int::ZERO.min(greatest.clone()).max(least.clone())),
        None => terms.types.default_value(terms.var_type(var)),
    }
}

/// The value of `term` at `at` from the values of its variables, one by one.
pub(crate) fn value_by_parts(
    solver: &mut dyn Solver,
    terms: &Terms,
    term: Term,
    at: &Steps,
) -> Result<Value, Interrupt> {
    let (mut vars, mut is_data) = (vec![], true);
    terms.for_each_subterm(term, |t| match *terms.node(t) {
        Node::Var(var, step) => vars.push((t, var, step)),
        Node::At(..) | Node::Deadlock => is_data = false,
        _ => {}
    });
    if !is_data {
        return Err(Interrupt::Unsupported("the value of a location with that of a new variable".into()));
    }
    let mut model = Model::default();
    for (t, var, step) in vars {
        model.set(var, step, solver.value(terms, t, at)?);
    }
    let value = ir::eval::eval(terms, &model, term);
    value.map(|value| value.into_owned()).map_err(|_| Interrupt::Unsupported("this value".into()))
}

impl Env for Model {
    fn var(&self, var: VarId, step: u32) -> Option<&Value> {
        self.get(var, step)
    }
    /// A model says nothing of locations: whoever evaluates in one refuses them before.
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        false
    }
}
