//! Place invariants and the state equation: linear invariants of systems that only add constants, such as Petri nets.
//!
//! In such a system every step adds one of finitely many vectors `c` to the vector `m` of variables, which
//! are never negative. If `y · c <= 0` for every step, then `y · m <= y · m0` in every reachable state, from
//! the initial state `m0` on: a *place invariant*, or rather one half of it (Murata, *Petri Nets: Properties,
//! Analysis and Applications*, 1989). Which of the many `y` matter is found by refinement: a state that the
//! invariants so far allow satisfies the target, and with it a conjunction of inequalities `a_i · m >= b_i`.
//! By the lemma of Farkas, some `y` excludes every `m >= 0` with these inequalities if there are `λ >= 0` with
//! `y >= Σ λ_i a_i` and `Σ λ_i b_i > y · m0`, a question of linear arithmetic. If there is no such `y`, this
//! method does not know; it looks at no states one by one, so it does not care how many there are.
//!
//! What is found becomes a certificate like any other, so that nothing here needs to be believed.

use std::collections::BTreeMap;

use ir::{
    Certificate, Int, Invariant, InvariantEntry, Node, Question, Rat, Scope, Steps, StmtNode, System, Term,
    Terms, Type, Value, VarId, at_locations,
};
use rustc_hash::FxHashMap;
use smt::z3::Z3Solver;
use smt::{Answer as Found, Interrupt, Limits, Lit, Solver};

use crate::answer::{Answer, Reason};
use crate::cause::{NoProgress, Unsupported};
use crate::config::Config;
use crate::description::{Description, Procedure, Timing};
use crate::observer::Statistics;
use crate::preprocess::Rewritings;
use crate::stop::Stop;

/// How many invariants are looked for, for each variable.
const ROUNDS: usize = 4;

/// How many questions are asked in the hope for short invariants.
const QUESTIONS: usize = 20_000;

/// Larger systems are left to others: every question is about all of them at once.
const LARGEST: usize = 4_000;

/// Whether a system is of the kind that this is about, and small enough.
pub fn applies(system: &System) -> bool {
    Shape::of(system).is_some_and(|shape| shape.vars.len() + shape.steps.len() <= LARGEST)
        && system.is_observed(&system.initial_locations())
}

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "linear",
    title: "place invariants, state equation",
    good_for: "Petri nets with any number of markings",
    paper: "Esparza and Melzer 2000",
    timing: Timing::None,
    refines: false,
    bounded: false,
    blocks: false,
    bits: false,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::one(|system, question, config, stop, _| search(system, question, config, stop)),
};

/// Shows that nothing answers the question, if linear invariants do.
pub fn search(system: &System, question: &Question, config: &Config, stop: &Stop) -> (Answer, Statistics) {
    if !applies(system) {
        return (Answer::Unknown(Unsupported::NotCounting.into()), Statistics::default());
    }
    let why = match excluded(system, question, config, stop) {
        Ok(Some(answer)) => return answer,
        Ok(None) => NoProgress::NoInvariant.into(),
        Err(why) => why,
    };
    let reason = if stop.requested() { stop.reason() } else { why };
    (Answer::Unknown(reason), Statistics::default())
}

fn excluded(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
) -> Result<Option<(Answer, Statistics)>, Reason> {
    let target = crate::temporal::target(question, config.engine)?;
    let Some(shape) = Shape::of(system) else { return Ok(None) };
    let locations = system.initial_locations();
    let mut fork = system.clone();
    let Ok(target) = at_locations(&mut fork, target, &locations) else { return Ok(None) };
    let Some(formula) = exclude(&mut fork.terms, &shape, target, config, stop)? else { return Ok(None) };
    let entry = InvariantEntry { locations, formula, successors: vec![0] };
    let invariant = Invariant { terms: fork.terms, initial: vec![0], entries: vec![entry] };
    // One abstract state, which every step leads back to.
    let transitions = shape.steps.len() as u64;
    let statistics = Statistics { states: 1, expanded: 1, transitions, ..Statistics::default() };
    Ok(Some((Answer::Excluded(Certificate::Invariant(invariant)), statistics)))
}

/// A sum of variables with factors, and a constant.
#[derive(Clone, Debug)]
struct Linear {
    factors: BTreeMap<VarId, Int>,
    constant: Int,
}

impl Linear {
    /// The linear form of a term over integers, if it has one.
    fn of(terms: &Terms, term: Term) -> Option<Linear> {
        let mut sum = Linear { factors: BTreeMap::new(), constant: Int::ZERO };
        sum.add(terms, term, &Int::from(1))?;
        Some(sum)
    }
    fn add(&mut self, terms: &Terms, term: Term, times: &Int) -> Option<()> {
        match terms.node(term) {
            Node::Const(Value::Int(value)) => self.constant = &self.constant + &(value * times),
            Node::Var(var, 0) if terms.var_type(*var) == Type::Int => {
                let factor = self.factors.entry(*var).or_insert(Int::ZERO);
                *factor = &*factor + times;
            }
            Node::Add(parts) => parts.iter().try_for_each(|part| self.add(terms, *part, times))?,
            Node::Mul(parts) => {
                let [factor, rest] = parts[..] else { return None };
                let Some(Value::Int(factor)) = terms.as_const(factor) else { return None };
                self.add(terms, rest, &(factor * times))?;
            }
            _ => return None,
        }
        Some(())
    }
    /// `a - b - less`, which is at least 0 where `a >= b + less`.
    fn difference(terms: &Terms, a: Term, b: Term, less: i64) -> Option<Linear> {
        let mut sum = Linear::of(terms, a)?;
        sum.add(terms, b, &Int::from(-1))?;
        sum.constant = &sum.constant - &Int::from(less);
        sum.factors.retain(|_, factor| !factor.is_zero());
        Some(sum)
    }
    fn value(&self, at: &FxHashMap<VarId, Int>) -> Int {
        self.factors.iter().fold(self.constant.clone(), |sum, (var, factor)| &sum + &(factor * &at[var]))
    }
}

/// A system that adds constants to variables that are never negative.
struct Shape {
    vars: Vec<VarId>,
    start: FxHashMap<VarId, Int>,
    /// What each step adds.
    steps: Vec<BTreeMap<VarId, Int>>,
}

impl Shape {
    fn of(system: &System) -> Option<Shape> {
        let process = system.processes.iter().next().filter(|_| system.processes.len() == 1)?;
        if process.locations.len() != 1 || system.fault.is_some() {
            return None;
        }
        let terms = &system.terms;
        let location = process.locations.iter().next()?;
        let plain = location.undefined.is_none() && terms.as_const(location.invariant) == Some(&true.into());
        let is_count =
            |var: VarId| system.vars[var].scope == Scope::State && terms.var_type(var) == Type::Int;
        if !plain || !system.vars.ids().all(is_count) {
            return None;
        }
        let mut start = FxHashMap::default();
        for (var, value) in &system.initial {
            let Some(Value::Int(value)) = terms.as_const(*value) else { return None };
            start.insert(*var, value.clone());
        }
        let vars: Vec<VarId> = system.vars.ids().collect();
        if vars.iter().any(|var| start.get(var).is_none_or(Int::is_negative)) {
            return None;
        }
        let mut steps = vec![];
        for edge in process.edges.iter() {
            if edge.sync.is_some() || edge.update.fault.is_some() {
                return None;
            }
            let change = changes(terms, edge.update.stmt)?;
            let least = least(terms, edge.guard);
            let enough = |(var, amount): (&VarId, &Int)| {
                !amount.is_negative() || least.get(var).is_some_and(|least| !(least + amount).is_negative())
            };
            if !change.iter().all(enough) {
                return None;
            }
            steps.push(change);
        }
        Some(Shape { vars, start, steps })
    }
}

/// What a statement adds to which variable, if that is all it does.
fn changes(terms: &Terms, stmt: ir::Stmt) -> Option<BTreeMap<VarId, Int>> {
    let single = [stmt];
    let parts = match terms.stmt(stmt) {
        StmtNode::Skip => return Some(BTreeMap::new()),
        StmtNode::Seq(parts) => &parts[..],
        _ => &single[..],
    };
    let mut list = BTreeMap::new();
    for part in parts {
        let StmtNode::Assign(var, value) = terms.stmt(*part) else { return None };
        let mut sum = Linear::of(terms, *value)?;
        let itself = sum.factors.remove(var).is_some_and(|factor| factor == Int::from(1));
        if !itself || !sum.factors.is_empty() || list.insert(*var, sum.constant).is_some() {
            return None;
        }
    }
    Some(list)
}

/// The lower bounds of variables that a condition asks for by its conjuncts.
fn least(terms: &Terms, guard: Term) -> FxHashMap<VarId, Int> {
    let mut bounds = FxHashMap::default();
    let single = [guard];
    let parts = match terms.node(guard) {
        Node::And(parts) => &parts[..],
        _ => &single[..],
    };
    for part in parts {
        let atom = match terms.node(*part) {
            Node::Le(a, b) => Linear::difference(terms, *b, *a, 0),
            Node::Lt(a, b) => Linear::difference(terms, *b, *a, 1),
            _ => None,
        };
        let Some(Linear { factors, constant }) = atom else { continue };
        if let Some((var, factor)) = factors.first_key_value()
            && factors.len() == 1
            && *factor == Int::from(1)
        {
            bounds.insert(*var, -&constant);
        }
    }
    bounds
}

/// An inductive formula that excludes `target`, over the terms of the system.
fn exclude(
    terms: &mut Terms,
    shape: &Shape,
    target: Term,
    config: &Config,
    stop: &Stop,
) -> Result<Option<Term>, Reason> {
    let (at, zero) = (Steps::start(), terms.int(0));
    let mut states = Z3Solver::new()?;
    let mut invariants = vec![];
    for var in &shape.vars {
        states.declare(*var, None);
        let term = terms.var(*var);
        invariants.push(terms.ge(term, zero));
    }
    for invariant in &invariants {
        states.assert(terms, *invariant, &at)?;
    }
    states.assert(terms, target, &at)?;
    let mut separation = Separation::new(shape)?;
    for solver in [&mut states, &mut separation.solver] {
        solver.limit(Limits { deadline: None, work: config.work_limit });
    }
    let interrupters = [states.interrupter(), separation.solver.interrupter()];
    let _listening = stop.listen(move || interrupters.iter().for_each(smt::Interrupter::interrupt));
    for _ in 0..ROUNDS * shape.vars.len() + 1 {
        let calls = states.work().0 + separation.solver.work().0;
        if let Some(limit) = config.call_limit
            && calls >= limit
        {
            return Err(Reason::Calls(limit));
        }
        if stop.requested() {
            return Err(stop.reason());
        }
        if states.check(&[])? == Found::Unsat {
            return Ok(Some(terms.and(invariants)));
        }
        let mut state = FxHashMap::default();
        for var in &shape.vars {
            let term = terms.var(*var);
            let Value::Int(value) = states.value(terms, term, &at)? else { return Ok(None) };
            state.insert(*var, value);
        }
        let mut cube = vec![];
        if !implicant(terms, target, true, &state, &mut cube) {
            return Ok(None);
        }
        let Some((factors, most)) = separation.excluding(&cube)? else { return Ok(None) };
        let mut sum = vec![];
        for (var, factor) in factors {
            let (var, factor) = (terms.var(var), terms.constant(Value::Int(factor)));
            sum.push(terms.mul([factor, var]));
        }
        let (sum, most) = (terms.add(sum), terms.constant(Value::Int(most)));
        let invariant = terms.le(sum, most);
        states.assert(terms, invariant, &at)?;
        invariants.push(invariant);
    }
    Ok(None)
}

/// Collects inequalities `linear >= 0` that hold in `state` and together imply `term` (or its negation);
/// `false` if there are none, because `term` does not hold or is not made of such inequalities.
fn implicant(
    terms: &Terms,
    term: Term,
    positive: bool,
    state: &FxHashMap<VarId, Int>,
    cube: &mut Vec<Linear>,
) -> bool {
    let mut add = |linear: Option<Linear>| match linear {
        Some(linear) if !linear.value(state).is_negative() => {
            cube.push(linear);
            true
        }
        _ => false,
    };
    match (terms.node(term), positive) {
        (Node::Const(value), _) => *value == Value::Bool(positive),
        (Node::Not(inner), _) => ir::deep(|| implicant(terms, *inner, !positive, state, cube)),
        (Node::Le(a, b), true) => add(Linear::difference(terms, *b, *a, 0)),
        (Node::Le(a, b), false) => add(Linear::difference(terms, *a, *b, 1)),
        (Node::Lt(a, b), true) => add(Linear::difference(terms, *b, *a, 1)),
        (Node::Lt(a, b), false) => add(Linear::difference(terms, *a, *b, 0)),
        (Node::Eq(a, b), true) => {
            add(Linear::difference(terms, *a, *b, 0)) && add(Linear::difference(terms, *b, *a, 0))
        }
        (Node::Eq(a, b), false) => {
            add(Linear::difference(terms, *a, *b, 1)) || add(Linear::difference(terms, *b, *a, 1))
        }
        (Node::And(parts), true) | (Node::Or(parts), false) => {
            parts.iter().all(|part| ir::deep(|| implicant(terms, *part, positive, state, cube)))
        }
        (Node::Or(parts), true) | (Node::And(parts), false) => parts.iter().any(|part| {
            let before = cube.len();
            let found = ir::deep(|| implicant(terms, *part, positive, state, cube));
            if !found {
                cube.truncate(before);
            }
            found
        }),
        _ => false,
    }
}

/// Variables with factors, and what their sum never exceeds.
type Bounded = (Vec<(VarId, Int)>, Int);

/// Looks for the `y` of an invariant; rational variables in an arena of their own.
struct Separation<'a> {
    shape: &'a Shape,
    terms: Terms,
    solver: Z3Solver,
    /// `y`, by variable of the system, and `y · m0`.
    factors: FxHashMap<VarId, Term>,
    start: Term,
    /// That a factor is 0, for each of them.
    absent: Vec<Lit>,
    /// How many more questions may be asked for short invariants.
    questions: usize,
}

impl<'a> Separation<'a> {
    fn new(shape: &'a Shape) -> Result<Self, Interrupt> {
        let (mut terms, mut solver) = (Terms::new(), Z3Solver::new()?);
        let zero = terms.constant(Value::rat(Rat::ZERO));
        let mut factors = FxHashMap::default();
        let mut start = vec![zero];
        for var in &shape.vars {
            let factor = unknown(&mut terms, &mut solver);
            factors.insert(*var, factor);
            start.push(scaled(&mut terms, factor, &shape.start[var]));
        }
        for step in &shape.steps {
            let mut sum = vec![zero];
            for (var, amount) in step {
                sum.push(scaled(&mut terms, factors[var], amount));
            }
            let sum = terms.add(sum);
            let falls = terms.le(sum, zero);
            solver.assert(&terms, falls, &Steps::start())?;
        }
        let start = terms.add(start);
        let mut absent = vec![];
        for var in &shape.vars {
            let none = terms.eq(factors[var], zero);
            absent.push(solver.lit(&terms, none, &Steps::start())?);
        }
        Ok(Separation { shape, terms, solver, factors, start, absent, questions: QUESTIONS })
    }
    /// Whole factors and what their sum never exceeds, such that no state has all these inequalities.
    fn excluding(&mut self, cube: &[Linear]) -> Result<Option<Bounded>, Interrupt> {
        let at = Steps::start();
        let (terms, solver) = (&mut self.terms, &mut self.solver);
        solver.push()?;
        let zero = terms.constant(Value::rat(Rat::ZERO));
        let mut needed: FxHashMap<VarId, Vec<Term>> = FxHashMap::default();
        let mut bound = vec![zero];
        for linear in cube {
            let weight = unknown(terms, solver);
            let positive = terms.ge(weight, zero);
            solver.assert(terms, positive, &at)?;
            for (var, factor) in &linear.factors {
                needed.entry(*var).or_default().push(scaled(terms, weight, factor));
            }
            bound.push(scaled(terms, weight, &-&linear.constant));
        }
        for var in &self.shape.vars {
            let sum = terms.add(needed.remove(var).unwrap_or_default().into_iter().chain([zero]));
            let dominates = terms.ge(self.factors[var], sum);
            solver.assert(terms, dominates, &at)?;
        }
        let bound = terms.add(bound);
        let excluded = terms.gt(bound, self.start);
        solver.assert(terms, excluded, &at)?;
        // Short invariants are quicker to check: factors are 0 as long as that is possible.
        let mut absent = self.absent.clone();
        while self.questions > 0 && !absent.is_empty() && solver.check(&absent)? == Found::Unsat {
            self.questions -= 1;
            let core = solver.core()?;
            match core.is_empty() {
                true => absent.clear(),
                false => absent.retain(|other| !core.contains(other)),
            }
        }
        if self.questions == 0 {
            absent.clear();
        }
        let found = match solver.check(&absent)? {
            Found::Unsat => None,
            Found::Sat => {
                let mut values = vec![];
                for var in &self.shape.vars {
                    let Value::Rat(value) = solver.value(terms, self.factors[var], &at)? else {
                        return Ok(None);
                    };
                    values.push((*var, Rat::clone(&value)));
                }
                Some(whole(&values, &self.shape.start))
            }
        };
        solver.pop()?;
        Ok(found)
    }
}

fn unknown(terms: &mut Terms, solver: &mut Z3Solver) -> Term {
    let var = terms.declare(Type::Rat);
    solver.declare(var, None);
    terms.var(var)
}

fn scaled(terms: &mut Terms, term: Term, by: &Int) -> Term {
    let factor = terms.constant(Value::rat(Rat::new(by, &Int::from(1)).expect("not divided by zero")));
    terms.mul([factor, term])
}

/// Rational factors multiplied until they are whole, and the sum that the start has.
fn whole(values: &[(VarId, Rat)], start: &FxHashMap<VarId, Int>) -> Bounded {
    let mut common = Int::from(1);
    for (_, value) in values {
        let denominator = value.denominator();
        let shared = gcd(&common, &denominator);
        common = &common * &denominator.div(&shared).expect("not zero");
    }
    let mut most = Int::ZERO;
    let mut factors = vec![];
    for (var, value) in values.iter().filter(|(_, value)| !value.is_zero()) {
        let factor = (&value.numerator() * &common).div(&value.denominator()).expect("not zero");
        most = &most + &(&factor * &start[var]);
        factors.push((*var, factor));
    }
    (factors, most)
}

fn gcd(a: &Int, b: &Int) -> Int {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        let rest = a.modulo(&b).expect("not zero");
        (a, b) = (b, rest);
    }
    a
}
