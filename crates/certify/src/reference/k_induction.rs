//! k-induction: no state of the first k of any run is bad, and no bad state comes after k that are not.
//!
//! Bad are faults, and targets where properties look. The *lemma* is an invariant that need exclude nothing, so the system
//! is only ever where the lemma has entries. A step of the system is then one statement: a choice among the actions of
//! these vectors of locations, each between an assumption about a variable that says where the system is, and an
//! assignment to it. Rows of states are this statement, executed again and again, as a formula.
//!
//! - *base*: initial states, `j` steps and a bad state exclude each other, for every `j < k`;
//! - *step*: the lemma in `k + 1` states one step apart, the first `k` not bad and the last one bad, exclude each other;
//!   by [`Argument::SimplePath`], if all states are different;
//! - by [`Argument::Exhaustion`] instead: initial states and `k` steps exclude each other.
//!
//! Take a shortest run to a bad state. By the base it has at least `k + 1` states, all different, since it is shortest,
//! and none but the last is bad; its last `k + 1` states are a row that the step excludes, and its first `k + 1` are a run
//! that exhaustion excludes.

use ir::{
    Action, Actions, Argument, KInductive, LocationId, Scope, Span, Steps, Stmt, System, Term, Type,
    Valuation, VarId, Variable,
};

use super::invariant::{self, Entry};
use super::{Cx, formula};
use crate::{Flaw, Place, Rejection, Undecided, Wrong};

/// Checks that a proof excludes the target and every fault.
pub(super) fn check(cx: &Cx<'_>, system: &System, target: Term, proof: &KInductive) -> Result<(), Rejection> {
    invariant::check(cx, system, None, &proof.lemma).map_err(|why| match why {
        Rejection::Wrong(why) => Rejection::Wrong(Wrong { of_lemma: true, ..why }),
        Rejection::Undecided(why) => Undecided::Lemma(why.into()).into(),
        Rejection::Interrupted => Rejection::Interrupted,
    })?;
    if proof.k == 0 {
        return Err(Place::Whole.wrong(Flaw::NoStates));
    }
    let mut rows = Rows::new(system, target, proof)?;
    let initial = rows.initial()?;
    let mut row = Row { parts: vec![initial.0], ends: vec![initial.1] };
    for steps in 0..proof.k {
        let bad = rows.at(rows.bad, row.end());
        rows.exclude(cx, &row.parts, bad, Flaw::BadRun { steps })?;
        rows.step(cx, &mut row)?;
    }
    let always = rows.system.terms.bool(true);
    match proof.argument {
        Argument::Exhaustion => rows.exclude(cx, &row.parts, always, Flaw::LongerRun { steps: proof.k }),
        Argument::Induction | Argument::SimplePath => {
            let different = proof.argument == Argument::SimplePath;
            let mut row = Row { parts: vec![], ends: vec![Steps::start()] };
            for _ in 0..proof.k {
                let (lemma, bad) = (rows.at(rows.lemma, row.end()), rows.at(rows.bad, row.end()));
                let good = rows.system.terms.not(bad);
                row.parts.extend([lemma, good]);
                rows.step(cx, &mut row)?;
            }
            let (lemma, bad) = (rows.at(rows.lemma, row.end()), rows.at(rows.bad, row.end()));
            row.parts.push(lemma);
            if different {
                rows.all_different(&mut row);
            }
            rows.exclude(cx, &row.parts, bad, Flaw::BadStep { states: proof.k, different })
        }
    }
}

/// States one step apart.
struct Row {
    /// What is true of them.
    parts: Vec<Term>,
    /// The steps of variables at each state.
    ends: Vec<Steps>,
}

impl Row {
    fn end(&self) -> &Steps {
        self.ends.last().expect("there is a first state")
    }
}

/// What rows are made of.
struct Rows {
    system: System,
    /// Where the system is, as the number of a vector.
    place: VarId,
    /// The vectors of locations where the lemma has entries.
    vectors: Vec<Box<[LocationId]>>,
    /// A step from any of these vectors.
    step: Stmt,
    /// What is true of every state, and what is true of bad ones.
    lemma: Term,
    bad: Term,
}

impl Rows {
    fn new(system: &System, target: Term, proof: &KInductive) -> Result<Self, Rejection> {
        let mut system = invariant::without_delays(system);
        let place = Variable { shown: false, ..Variable::local("place", Span::default()) };
        let place = system.declare(Type::Int, place);
        let entries = invariant::entries(&mut system, &proof.lemma)?;
        let mut vectors: Vec<Box<[LocationId]>> = vec![];
        for Entry { locations, .. } in &entries {
            if !vectors.contains(locations) {
                vectors.push(locations.clone());
            }
        }
        let never = system.terms.bool(false);
        let step = system.terms.skip();
        let mut rows = Rows { system, place, vectors, step, lemma: never, bad: never };
        rows.step = rows.one_step();
        let all: Vec<u32> = (0..entries.len() as u32).collect();
        let (mut lemma, mut bad) = (vec![], vec![]);
        for (number, locations) in rows.vectors.clone().iter().enumerate() {
            let here = rows.is_at(number);
            let known = invariant::one_of(&mut rows.system, &entries, &all, locations);
            lemma.push(rows.system.terms.and([here, known]));
            let wrong = rows.bad_at(target, locations)?;
            bad.push(rows.system.terms.and([here, wrong]));
        }
        rows.lemma = rows.system.terms.or(lemma);
        rows.bad = rows.system.terms.or(bad);
        Ok(rows)
    }
    fn is_at(&mut self, vector: usize) -> Term {
        let (place, number) = (self.system.terms.var(self.place), self.system.terms.int(vector as i64));
        self.system.terms.eq(place, number)
    }
    fn arrive(&mut self, vector: usize) -> Stmt {
        let number = self.system.terms.int(vector as i64);
        self.system.terms.assign(self.place, number)
    }
    /// Where the state is bad, at these locations.
    fn bad_at(&mut self, target: Term, locations: &[LocationId]) -> Result<Term, Rejection> {
        if self.system.is_fault(locations) || !self.system.is_observed(locations) {
            return Ok(self.system.terms.bool(self.system.is_fault(locations)));
        }
        Ok(ir::at_locations(&mut self.system, target, locations).map_err(|_| Undecided::NoCondition)?)
    }
    /// Any action from any vector. One that leads where the lemma has no entry is impossible, or it would be no invariant.
    fn one_step(&mut self) -> Stmt {
        let mut actions = Actions::new();
        let mut ways = vec![];
        for (from, locations) in self.vectors.clone().iter().enumerate() {
            let vector = actions.vector(locations);
            for Action { target, stmt, .. } in actions.of(&mut self.system, vector).to_vec() {
                let Some(to) = self.vectors.iter().position(|other| *other == target) else { continue };
                let (here, there) = (self.is_at(from), self.arrive(to));
                let here = self.system.terms.assume(here);
                ways.push(self.system.terms.seq([here, stmt, there]));
            }
        }
        // Locals have any value at the beginning of a step.
        let vars = self.system.vars.entries();
        let locals: Vec<VarId> = vars
            .filter(|(var, it)| it.scope == Scope::Local && *var != self.place)
            .map(|(var, _)| var)
            .collect();
        let forget: Vec<Stmt> = locals.into_iter().map(|var| self.system.terms.havoc(var)).collect();
        let any = self.system.terms.choice(ways);
        self.system.terms.seq(forget.into_iter().chain([any]))
    }
    /// The initial states, and the steps of variables there.
    fn initial(&mut self) -> Result<(Term, Steps), Rejection> {
        let (stmt, start) = (ir::initial(&mut self.system), self.system.initial_locations());
        let stmt = match self.vectors.iter().position(|vector| *vector == start) {
            Some(number) => {
                let there = self.arrive(number);
                self.system.terms.seq([stmt, there])
            }
            None => self.system.terms.block(),
        };
        let mut steps = Steps::start();
        let formula = formula::execution(
            &mut self.system,
            stmt,
            &Valuation::default(),
            &mut steps,
            Place::InitialStates,
        )?;
        Ok((formula, steps))
    }
    /// One more state in a row.
    fn step(&mut self, cx: &Cx<'_>, row: &mut Row) -> Result<(), Rejection> {
        cx.go_on()?;
        let mut steps = row.end().clone();
        let known = Valuation::default();
        row.parts.push(formula::execution(&mut self.system, self.step, &known, &mut steps, Place::Whole)?);
        row.ends.push(steps);
        Ok(())
    }
    fn at(&mut self, formula: Term, steps: &Steps) -> Term {
        steps.apply(&mut self.system.terms, formula)
    }
    /// Adds that no two states of a row are the same.
    fn all_different(&mut self, row: &mut Row) {
        let vars: Vec<VarId> = self.system.state_vars().chain([self.place]).collect();
        for later in 1..row.ends.len() {
            for earlier in 0..later {
                let mut ways = vec![];
                for var in &vars {
                    let [a, b] = [earlier, later].map(|at| row.ends[at].of(*var));
                    let (a, b) = (self.system.terms.var_at(*var, a), self.system.terms.var_at(*var, b));
                    let same = self.system.terms.eq(a, b);
                    ways.push(self.system.terms.not(same));
                }
                row.parts.push(self.system.terms.or(ways));
            }
        }
    }
    /// Checks that a row does not end like this.
    fn exclude(&self, cx: &Cx<'_>, parts: &[Term], end: Term, flaw: Flaw) -> Result<(), Rejection> {
        let parts: Vec<Term> = parts.iter().copied().chain([end]).collect();
        match cx.satisfiable(&self.system, &parts, Place::Whole)? {
            true => Err(Place::Whole.wrong(flaw)),
            false => Ok(()),
        }
    }
}
