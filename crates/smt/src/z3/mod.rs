//! Z3, in process.
//!
//! A [`Z3Solver`] is meant to live long: it keeps what it translated, and literals change faster than
//! scopes. Siblings share a context and translations. Answers depend only on what was asked, in which
//! order, and on the seed; the engine for Horn clauses is the exception.

mod bits;
mod translate;
mod watchdog;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ir::{Int, Node, Steps, Term, Terms, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use z3_lib::{Ast, Check, Context, Failure, Params};

use crate::interrupt::{Interrupt, Interrupter};
use crate::solver::{Answer, Limits, Lit, Solver, least_value, value_by_parts};
use crate::z3::watchdog::Watchdog;

pub use bits::Theory;
pub(crate) use translate::{Instance, Translator, apply};
pub use z3_lib::{LibraryInfo, LoadError, library_info};

/// Limits the memory of all solvers of this program together, in megabytes; 0 lifts the limit.
pub fn memory_limit(megabytes: u32) -> Result<(), LoadError> {
    z3_lib::memory_limit(megabytes)
}

/// What Z3 answers to the commands of a script in SMT-LIB 2.
pub fn script(script: &str) -> Result<String, Interrupt> {
    let context = Context::new().map_err(interrupt_of)?;
    context.script(script).map_err(interrupt_of)
}

/// An incremental solver of the Z3 library.
pub struct Z3Solver {
    pub(crate) translator: Rc<RefCell<Translator>>,
    solver: z3_lib::Solver,
    seed: u32,
    model: Option<z3_lib::Model>,
    /// By address, so it must go before `lits`: who lets go of an expression last says in which order their
    /// numbers are free again, and by these numbers the solver decides.
    lit_of: FxHashMap<Ast, Lit>,
    /// Each literal with its negation.
    lits: Vec<[Ast; 2]>,
    lit_of_term: FxHashMap<(Term, u32), Lit>,
    /// Whether variables keep to what was declared for them.
    limited: bool,
    bounded: FxHashSet<Instance>,
    /// What holds in every scope, with the scope it was last asserted in; scopes never decrease.
    lasting: Vec<(Ast, u32)>,
    scopes: u32,
    /// Why it is unclear what is asserted, if something could not be; there are no answers then.
    unclear: Option<Interrupt>,
    /// The limit of work of one check.
    work_limit: Option<u32>,
    stopped: Arc<AtomicBool>,
    watchdog: Option<Watchdog>,
    /// Checks of this solver, its siblings and strangers, and their time.
    work: Rc<Cell<(u64, Duration)>>,
}

impl Z3Solver {
    /// A solver with nothing asserted.
    pub fn new() -> Result<Self, Interrupt> {
        Self::with_seed(0)
    }
    /// A solver with nothing asserted, whose random choices follow `seed`.
    pub fn with_seed(seed: u32) -> Result<Self, Interrupt> {
        Self::in_theory(Theory::Int, seed)
    }
    /// A solver with nothing asserted to which numbers are what a theory says.
    pub fn of(theory: Theory) -> Result<Self, Interrupt> {
        Self::in_theory(theory, 0)
    }
    fn in_theory(theory: Theory, seed: u32) -> Result<Self, Interrupt> {
        let context = Context::new().map_err(interrupt_of)?;
        let translator = Translator::new(context, theory).map_err(interrupt_of)?;
        Self::in_context(Rc::new(RefCell::new(translator)), seed)
    }
    /// Another solver with nothing asserted, which shares translations with this one. Interrupting
    /// either stops both.
    pub fn sibling(&self) -> Result<Self, Interrupt> {
        let mut sibling = Self::in_context(self.translator.clone(), self.seed)?;
        sibling.stopped = self.stopped.clone();
        sibling.work = self.work.clone();
        if self.work_limit.is_some() {
            sibling.bound_work(self.work_limit);
        }
        Ok(sibling)
    }
    /// A solver that shares nothing with this one but the count of checks.
    pub fn stranger(&self) -> Result<Self, Interrupt> {
        Ok(Z3Solver { work: self.work.clone(), ..Self::with_seed(self.seed)? })
    }
    /// A sibling to which variables are as unlimited as their sorts, whatever was declared.
    pub(crate) fn unlimited_sibling(&self) -> Result<Self, Interrupt> {
        let mut sibling = self.sibling()?;
        sibling.limited = false;
        Ok(sibling)
    }
    fn in_context(translator: Rc<RefCell<Translator>>, seed: u32) -> Result<Self, Interrupt> {
        let context = translator.borrow().context.clone();
        let solver = z3_lib::Solver::new(&context).map_err(interrupt_of)?;
        if seed != 0 {
            solver.set(&Params::new().number("random_seed", seed)).map_err(interrupt_of)?;
        }
        Ok(Z3Solver {
            translator,
            solver,
            seed,
            model: None,
            lits: vec![],
            lit_of: FxHashMap::default(),
            lit_of_term: FxHashMap::default(),
            limited: true,
            bounded: FxHashSet::default(),
            lasting: vec![],
            scopes: 0,
            unclear: None,
            work_limit: None,
            stopped: Arc::default(),
            watchdog: None,
            work: Rc::default(),
        })
    }
    /// How many checks this solver and its siblings have made, and the time they took.
    pub fn work(&self) -> (u64, Duration) {
        self.work.get()
    }

    pub(crate) fn context(&self) -> Context {
        self.translator.borrow().context.clone()
    }
    /// How many literals there are.
    pub(crate) fn lit_count(&self) -> usize {
        self.lits.len()
    }
    /// The expression of a literal.
    pub(crate) fn ast(&self, lit: Lit) -> &Ast {
        let (index, negated) = lit.parts();
        &self.lits[index][usize::from(negated)]
    }
    pub(crate) fn assert_ast(&mut self, ast: &Ast) -> Result<(), Interrupt> {
        self.model = None;
        let result = self.solver.assert(ast);
        self.kept(result)
    }
    /// Remembers a change that was not made: what is asserted is then unclear, and so is every answer.
    fn kept(&mut self, change: Result<(), Failure>) -> Result<(), Interrupt> {
        change.map_err(|failure| {
            let reason = self.why(failure);
            self.unclear = Some(reason.clone());
            reason
        })
    }
    /// Asserts something that outlives the scope.
    fn assert_lasting(&mut self, ast: Ast) -> Result<(), Interrupt> {
        self.assert_ast(&ast)?;
        self.lasting.push((ast, self.scopes));
        Ok(())
    }
    /// The translation of `term`; the bounds of its variables are asserted.
    fn translate(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Ast, Interrupt> {
        let ast = self.translator.borrow_mut().term(terms, term, at)?;
        self.bound(terms, term, at)?;
        Ok(ast)
    }
    /// The translation of `term` for where it is asserted as it is; the bounds of its variables are.
    pub(crate) fn asserted(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Ast, Interrupt> {
        let ast = self.translator.borrow_mut().asserted(terms, term, at)?;
        self.bound(terms, term, at)?;
        Ok(ast)
    }
    /// Asserts the bounds of the variables of `term`.
    fn bound(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<(), Interrupt> {
        if !self.limited {
            return Ok(());
        }
        let bounded = self.translator.borrow_mut().bounded(terms, term);
        for (var, step) in bounded.iter() {
            let instance = (*var, step + at.of(*var));
            if !self.bounded.contains(&instance) {
                let bounds = self.translator.borrow_mut().bounds(terms, instance.0, instance.1)?;
                bounds.into_iter().try_for_each(|bound| self.assert_lasting(bound))?;
                // Only now: a bound that could not be made is tried again.
                self.bounded.insert(instance);
            }
        }
        Ok(())
    }
    /// Whether a variable of `term` has bounds that this solver has never been told.
    fn has_unseen(&mut self, terms: &Terms, term: Term, at: &Steps) -> bool {
        if !self.limited {
            return false;
        }
        let bounded = self.translator.borrow_mut().bounded(terms, term);
        bounded.iter().any(|(var, step)| !self.bounded.contains(&(*var, step + at.of(*var))))
    }
    /// Limits the work of one check from now on; no limit is spelt as 0.
    pub(crate) fn bound_work(&mut self, work: Option<u32>) {
        self.work_limit = work;
        let result = self.solver.set(&Params::new().number("rlimit", work.unwrap_or(0)));
        // A solver that does not keep its limit must not be asked.
        let _ = self.kept(result);
    }
    fn new_lit(&mut self, ast: Ast) -> Result<Lit, Interrupt> {
        let lit = Lit::new(self.lits.len());
        let negation = self.context().not(&ast).map_err(interrupt_of)?;
        self.lit_of.insert(ast.clone(), lit);
        self.lit_of.insert(negation.clone(), !lit);
        self.lits.push([ast, negation]);
        Ok(lit)
    }
    pub(crate) fn last_model(&mut self) -> Result<&z3_lib::Model, Interrupt> {
        if self.model.is_none() {
            self.model = Some(self.solver.model().map_err(|failure| self.why(failure))?);
        }
        Ok(self.model.as_ref().expect("just set"))
    }
    /// The reason behind a failure: a deadline looks like a stop.
    pub(crate) fn why(&self, failure: Failure) -> Interrupt {
        match failure {
            Failure::Stopped if !self.stopped.load(Ordering::SeqCst) => Interrupt::Time,
            other => interrupt_of(other),
        }
    }
}

impl Solver for Z3Solver {
    fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        self.translator.borrow_mut().declare(var, range);
    }
    fn assert(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<(), Interrupt> {
        let ast = self.asserted(terms, term, at)?;
        self.assert_ast(&ast)
    }
    fn assert_if(&mut self, terms: &Terms, condition: Lit, term: Term, at: &Steps) -> Result<(), Interrupt> {
        let ast = self.asserted(terms, term, at)?;
        let ast = self.context().implies(self.ast(condition), &ast).map_err(interrupt_of)?;
        self.assert_ast(&ast)
    }
    fn clause(&mut self, clause: &[Lit]) -> Result<(), Interrupt> {
        let list: Vec<Ast> = clause.iter().map(|lit| self.ast(*lit).clone()).collect();
        let ast = self.context().or(&list).map_err(interrupt_of)?;
        self.assert_ast(&ast)
    }
    fn lit(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Lit, Interrupt> {
        let shift = self.translator.borrow_mut().shift(at);
        if let Some(known) = self.lit_of_term.get(&(term, shift)) {
            return Ok(*known);
        }
        let lit = match terms.node(term) {
            Node::Not(inner) => !self.lit(terms, *inner, at)?,
            node => {
                let ast = self.translate(terms, term, at)?;
                if let Some(known) = self.lit_of.get(&ast) {
                    *known
                } else if matches!(node, Node::Var(..) | Node::At(..)) {
                    self.new_lit(ast)?
                } else {
                    let lit = self.activation()?;
                    let equal = self.context().eq(self.ast(lit), &ast).map_err(interrupt_of)?;
                    self.assert_lasting(equal)?;
                    self.lit_of.insert(ast, lit);
                    lit
                }
            }
        };
        self.lit_of_term.insert((term, shift), lit);
        Ok(lit)
    }
    fn activation(&mut self) -> Result<Lit, Interrupt> {
        let context = self.context();
        let fresh = context.bool_sort().and_then(|sort| context.fresh(&sort)).map_err(interrupt_of)?;
        self.new_lit(fresh)
    }
    fn push(&mut self) -> Result<(), Interrupt> {
        let result = self.solver.push();
        self.kept(result)?;
        self.scopes += 1;
        Ok(())
    }
    fn pop(&mut self) -> Result<(), Interrupt> {
        assert!(self.scopes > 0, "no scope is open");
        self.model = None;
        let result = self.solver.pop(1);
        self.kept(result)?;
        self.scopes -= 1;
        let lost = self.lasting.partition_point(|(_, scope)| *scope <= self.scopes);
        for at in lost..self.lasting.len() {
            let ast = self.lasting[at].0.clone();
            self.assert_ast(&ast)?;
            self.lasting[at].1 = self.scopes;
        }
        Ok(())
    }
    fn check(&mut self, assumptions: &[Lit]) -> Result<Answer, Interrupt> {
        self.model = None;
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Interrupt::Stopped);
        }
        if let Some(reason) = &self.unclear {
            return Err(reason.clone());
        }
        let assumptions: Vec<&Ast> = assumptions.iter().map(|lit| self.ast(*lit)).collect();
        let start = Instant::now();
        let result = self.solver.check(&assumptions);
        let (count, time) = self.work.get();
        self.work.set((count + 1, time + start.elapsed()));
        match result {
            Ok(Check::Sat) => Ok(Answer::Sat),
            Ok(Check::Unsat) => Ok(Answer::Unsat),
            Err(failure) => Err(self.why(failure)),
        }
    }
    fn core(&mut self) -> Result<Vec<Lit>, Interrupt> {
        let core = self.solver.core().map_err(|failure| self.why(failure))?;
        Ok(core.iter().map(|ast| self.lit_of[ast]).collect())
    }
    fn truth(&mut self, lit: Lit) -> Result<Option<bool>, Interrupt> {
        let ast = self.ast(lit).clone();
        self.last_model()?.truth(&ast).map_err(interrupt_of)
    }
    fn value(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Value, Interrupt> {
        // The model knows nothing of bounds that were never asserted, and would choose beyond them.
        if self.has_unseen(terms, term, at) {
            if let Node::Var(var, _) = *terms.node(term) {
                let translator = self.translator.borrow();
                return Ok(least_value(terms, var, translator.range(var)));
            }
            return value_by_parts(self, terms, term, at);
        }
        let ast = self.translator.borrow_mut().term(terms, term, at)?;
        let ty = terms.type_of(term);
        let translator = self.translator.clone();
        let model = self.last_model()?;
        let value = model.eval(&ast, true).map_err(interrupt_of)?;
        translator.borrow().read(&terms.types, model, &value, ty)
    }
    fn limit(&mut self, limits: Limits) {
        self.watchdog = None;
        self.stopped.store(false, Ordering::SeqCst);
        let stop = self.context().stop();
        stop.clear();
        if limits.work != self.work_limit {
            self.bound_work(limits.work);
        }
        self.watchdog = limits.deadline.map(|deadline| Watchdog::new(deadline, move || stop.stop()));
    }
    fn interrupter(&self) -> Interrupter {
        let stop = self.context().stop();
        Interrupter::new(self.stopped.clone(), move || stop.stop())
    }
}

pub(crate) fn interrupt_of(failure: Failure) -> Interrupt {
    match failure {
        Failure::Stopped => Interrupt::Stopped,
        Failure::Budget => Interrupt::Budget,
        Failure::Memory => Interrupt::Memory,
        Failure::Library(error) => Interrupt::Library(error),
        Failure::Other(message) => Interrupt::Unknown(message),
    }
}

#[cfg(test)]
mod tests {
    use ir::Type;

    use super::*;

    /// However the limit of work was set, setting the limits sets it.
    #[test]
    fn limits_are_what_was_set_last() {
        let mut terms = Terms::new();
        let mut solver = Z3Solver::new().unwrap();
        let vars: Vec<Term> = (0..40)
            .map(|_| {
                let var = terms.declare(Type::Int);
                terms.var(var)
            })
            .collect();
        for pair in vars.windows(2) {
            let less = terms.lt(pair[0], pair[1]);
            solver.assert(&terms, less, &Steps::start()).unwrap();
        }
        let cycle = terms.lt(vars[39], vars[0]);
        let cycle = solver.lit(&terms, cycle, &Steps::start()).unwrap();
        solver.bound_work(Some(1));
        assert_eq!(solver.check(&[cycle]), Err(Interrupt::Budget));
        solver.limit(Limits::default());
        assert_eq!(solver.check(&[cycle]), Ok(Answer::Unsat));
        solver.limit(Limits { deadline: None, work: Some(1) });
        assert_eq!(solver.check(&[!cycle]), Err(Interrupt::Budget));
        solver.bound_work(None);
        assert_eq!(solver.check(&[!cycle]), Ok(Answer::Sat));
    }
}
