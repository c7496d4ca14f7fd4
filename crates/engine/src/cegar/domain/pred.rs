//! Predicate abstraction: a state is a Boolean combination of the tracked predicates, as a list of cubes.
//!
//! Cartesian states are one cube, the strongest that contains all successors. Boolean states are the
//! strongest combination. Split states are single cubes as well, but every successor cube is a state of its
//! own.
//!
//! A successor asks about few predicates: those whose variables a statement does not reach, directly or
//! through what is known, keep their truth. What the others say after an execution of the statement
//! ([`crate::cegar::paths`]) is a term over the values before; it is often plain, or else a small question
//! that has been asked before. Where there are too many executions, predicates are literals under
//! assumptions in the solver of the statement, and every model settles several of them.

use std::rc::Rc;

use indexmap::IndexSet;
use ir::{Node, Steps, Stmt, Term, Value, VarId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smt::services::all_cubes;
use smt::{Answer, Lit, Solver};

use crate::answer::Reason;
use crate::cegar::cx::{Cx, Statement, relevant, remember};
use crate::cegar::domain::{Context, Domain, Refutation};
use crate::cegar::paths::{End, fixes};
use crate::config::PredicateSplit;

/// The domain of predicates.
pub struct Pred {
    shape: Shape,
    split: PredicateSplit,
    posts: FxHashMap<Question, Rc<[Cube]>>,
    implied: FxHashMap<(State, State), bool>,
    /// What predicates say after executions of statements, over the values before.
    said: FxHashMap<(Stmt, u32, u32), Term>,
    list: Vec<Predicate>,
}

/// What states look like.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One cube.
    Cartesian,
    /// Any number of cubes.
    Boolean,
    /// Cubes one by one.
    Split,
}

/// A statement with more executions than this is one question rather than one for each.
const FEW_PATHS: usize = 256;

/// How much is kept of what predicates say after executions.
const MOST_SAID: usize = 1 << 19;

/// Literals that hold together: twice the number of a predicate, one more if it is negated; sorted.
pub type Cube = Box<[u32]>;

/// Cubes of which one holds, sorted.
pub type State = Rc<[Cube]>;

/// The tracked predicates, in order of their discovery.
pub type Precision = IndexSet<Term, FxBuildHasher>;

struct Predicate {
    term: Term,
    negation: Term,
    vars: Rc<[VarId]>,
}

/// Everything that the relevant part of the successors depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    stmt: Stmt,
    before: Vec<Term>,
    after: Vec<Term>,
    candidates: Vec<u32>,
}

impl Pred {
    /// States of this shape; interpolants are split like that.
    pub fn new(shape: Shape, split: PredicateSplit) -> Self {
        let (posts, implied, said) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Pred { shape, split, posts, implied, said, list: vec![] }
    }
    /// Lists the predicates that are new in `precision`.
    fn catch_up(&mut self, cx: &mut Cx, precision: &Precision) {
        for term in precision.iter().skip(self.list.len()).copied() {
            let negation = cx.terms().not(term);
            let vars = cx.system.terms.vars_of(term).into();
            self.list.push(Predicate { term, negation, vars });
        }
    }
    fn term(&self, lit: u32) -> Term {
        let predicate = &self.list[lit as usize / 2];
        if lit & 1 == 0 { predicate.term } else { predicate.negation }
    }
    /// The formula of a state.
    fn formula(&self, cx: &mut Cx, state: &State) -> Term {
        let cubes: Vec<Term> = state
            .iter()
            .map(|cube| {
                let facts: Vec<Term> = cube.iter().map(|lit| self.term(*lit)).collect();
                cx.terms().and(facts)
            })
            .collect();
        cx.terms().or(cubes)
    }

    /// The successors over `candidates`: cubes of which one holds after the statement.
    fn answer(
        &mut self,
        cx: &mut Cx,
        question: &Question,
        statement: &Statement,
    ) -> Result<Rc<[Cube]>, Reason> {
        if let Some(known) = self.posts.get(question) {
            return Ok(known.clone());
        }
        let cubes = match &statement.ends {
            Some(ends) if ends.len() <= FEW_PATHS => self.follow(cx, question, ends)?,
            _ => self.solve(cx, question, statement)?,
        };
        let cubes: Rc<[Cube]> = cubes.into();
        remember(&mut self.posts, question.clone(), cubes.clone());
        Ok(cubes)
    }
    /// The successors, execution by execution. What a predicate says afterwards is a term over the values
    /// before, so questions are small, and the same ones come again and again.
    fn follow(&mut self, cx: &mut Cx, question: &Question, ends: &[End]) -> Result<Vec<Cube>, Reason> {
        if self.said.len() > MOST_SAID {
            self.said.clear();
        }
        let mut known: FxHashMap<VarId, Term> = FxHashMap::default();
        let mut facts = vec![];
        for fact in &question.before {
            match fixes(cx.terms(), *fact) {
                Some((var, _, value)) => drop(known.insert(var, value)),
                None => facts.push(*fact),
            }
        }
        facts.iter_mut().for_each(|fact| *fact = cx.terms().substitute(*fact, &known));
        let facts: Vec<(Term, Vec<VarId>)> =
            facts.into_iter().map(|fact| (fact, cx.system.terms.vars_of(fact))).collect();
        // What the candidates say if nothing happens to their variables.
        let mut unchanged = vec![];
        for at in &question.candidates {
            unchanged.push(cx.terms().substitute(self.list[*at as usize].term, &known));
        }
        let mut list: Vec<Reached> = vec![];
        for (number, end) in ends.iter().enumerate() {
            if end.fixed.iter().any(|(var, value)| known.get(var).is_some_and(|other| other != value)) {
                continue;
            }
            let values: FxHashMap<VarId, Term> = end.values.iter().copied().collect();
            let fixed: FxHashMap<VarId, Term> = end.fixed.iter().copied().collect();
            // Facts about values that the execution needs are conditions on the others.
            let mut conditions = end.condition.to_vec();
            let mut before = vec![];
            for (fact, vars) in &facts {
                match vars.iter().any(|var| fixed.contains_key(var)) {
                    true => conditions.push(cx.terms().substitute(*fact, &fixed)),
                    false => before.push(*fact),
                }
            }
            let holding: FxHashSet<Term> = before.iter().copied().collect();
            for fact in &question.after {
                conditions.push(cx.terms().substitute(*fact, &values));
            }
            let mut open = vec![];
            let barred = conditions.into_iter().any(|condition| {
                let condition = cx.terms().substitute(condition, &known);
                let truth = truth(cx, &holding, condition);
                if truth.is_none() {
                    open.push(condition);
                }
                truth == Some(false)
            });
            if barred {
                continue;
            }
            let bounds = cx.bounds(before.iter().chain(&open));
            let mut after = vec![];
            for (at, unchanged) in question.candidates.iter().zip(&unchanged) {
                let Predicate { term, vars, .. } = &self.list[*at as usize];
                let term = match vars.iter().any(|var| values.contains_key(var)) {
                    true => {
                        let said = self.said.entry((question.stmt, number as u32, *at));
                        let term = *said.or_insert_with(|| cx.terms().substitute(*term, &values));
                        cx.terms().substitute(term, &known)
                    }
                    false => *unchanged,
                };
                let plain = truth(cx, &holding, term);
                let said = plain.or_else(|| bounds.says(cx.bound(term)?));
                after.push((term, said));
            }
            list.push(Reached { before, open, after });
        }
        let mut cubes: Vec<Cube> = vec![];
        if self.shape == Shape::Cartesian {
            let truths = common_truths(cx, list, question.candidates.len())?;
            cubes.extend(truths.map(|truths| cube(&question.candidates, &truths)));
        } else {
            for Reached { before, open, after } in list {
                if open.is_empty() || possible(cx, &before, &open)? {
                    enumerate(cx, question, &before, &open, &after, &mut cubes)?;
                }
            }
        }
        cubes.sort_unstable();
        cubes.dedup();
        Ok(cubes)
    }
    /// The successors of a statement with too many executions, by its formula.
    fn solve(&self, cx: &mut Cx, question: &Question, statement: &Statement) -> Result<Vec<Cube>, Reason> {
        let mut left = cx.calls_left();
        let (start, after) = (Steps::start(), &statement.after);
        let (solver, active, terms) = cx.frame(question.stmt)?;
        let mut under = vec![active];
        for fact in &question.before {
            under.push(solver.lit(terms, *fact, &start)?);
        }
        for fact in &question.after {
            under.push(solver.lit(terms, *fact, after)?);
        }
        let mut lits = Vec::with_capacity(question.candidates.len());
        for at in &question.candidates {
            lits.push(solver.lit(terms, self.list[*at as usize].term, after)?);
        }
        let mut cubes = vec![];
        match self.shape {
            Shape::Cartesian => {
                if let Some(truths) = common(solver, &under, &lits)? {
                    cubes.push(cube(&question.candidates, &truths));
                }
            }
            Shape::Boolean | Shape::Split => {
                all_cubes(solver, &under, &lits, &mut |truths| {
                    cubes.push(cube(&question.candidates, truths));
                    left = left.saturating_sub(1);
                    left > 0
                })?;
                cx.go_on()?;
                cubes.sort_unstable();
            }
        }
        Ok(cubes)
    }
}

/// Whether these conditions can hold together with the facts that say something of them.
fn possible(cx: &mut Cx, before: &[Term], conditions: &[Term]) -> Result<bool, Reason> {
    let all = cx.terms().and(conditions.iter().copied());
    let facts = relevant(&cx.system.terms, &cx.system.terms.vars_of(all), before);
    let all = cx.terms().and(facts.into_iter().chain([all]));
    cx.is_possible(all)
}

/// The end of an execution.
struct Reached {
    /// What holds before it,
    before: Vec<Term>,
    /// what it needs besides,
    open: Vec<Term>,
    /// and what the candidates say after it, with their truth where that is plain.
    after: Vec<(Term, Option<bool>)>,
}

/// The truth of each candidate, if it is the same at all ends that are possible; `None` if there is none.
///
/// Which truths have been seen of a candidate is all that matters, so nothing is asked that could only show
/// one of them once more. Ends that need nothing, and truths that are plain, come first.
fn common_truths(
    cx: &mut Cx,
    mut list: Vec<Reached>,
    candidates: usize,
) -> Result<Option<Vec<Option<bool>>>, Reason> {
    let mut seen = vec![[false; 2]; candidates];
    let mut reached: Vec<Reached> = vec![];
    list.sort_by_key(|end| !end.open.is_empty());
    for end in list {
        let nothing_new = |(seen, (_, truth)): (&[bool; 2], &(Term, Option<bool>))| match truth {
            Some(truth) => seen[usize::from(*truth)],
            None => *seen == [true; 2],
        };
        if !reached.is_empty() && seen.iter().zip(&end.after).all(nothing_new) {
            continue;
        }
        if !end.open.is_empty() && !possible(cx, &end.before, &end.open)? {
            continue;
        }
        for (seen, (_, truth)) in seen.iter_mut().zip(&end.after) {
            truth.iter().for_each(|truth| seen[usize::from(*truth)] = true);
        }
        reached.push(end);
    }
    for (at, seen) in seen.iter_mut().enumerate() {
        for Reached { before, open, after } in &reached {
            let (term, None) = after[at] else { continue };
            for value in [false, true] {
                if seen[usize::from(value)] {
                    continue;
                }
                let condition = if value { term } else { cx.terms().not(term) };
                // An end has one of the two.
                let certain = value && !seen[0];
                if certain || possible(cx, before, &[&open[..], &[condition]].concat())? {
                    seen[usize::from(value)] = true;
                }
            }
        }
    }
    let truth = |seen: [bool; 2]| match seen {
        [false, true] => Some(true),
        [true, false] => Some(false),
        _ => None,
    };
    Ok((!reached.is_empty()).then(|| seen.into_iter().map(truth).collect()))
}

/// Pushes the cubes of the candidates at the end of one execution.
fn enumerate(
    cx: &mut Cx,
    question: &Question,
    before: &[Term],
    conditions: &[Term],
    after: &[(Term, Option<bool>)],
    out: &mut Vec<Cube>,
) -> Result<(), Reason> {
    let mut truths: Vec<Option<bool>> = after.iter().map(|(_, truth)| *truth).collect();
    let open: Vec<usize> = (0..after.len()).filter(|at| truths[*at].is_none()).collect();
    if open.is_empty() {
        out.push(cube(&question.candidates, &truths));
        return Ok(());
    }
    let asked = open.iter().map(|at| after[*at].0).chain(conditions.iter().copied());
    let vars: Vec<VarId> = asked.flat_map(|term| cx.system.terms.vars_of(term)).collect();
    let facts = relevant(&cx.system.terms, &vars, before);
    let mut left = cx.calls_left();
    let Cx { solver, system, .. } = cx;
    let mut lits = |list: &mut dyn Iterator<Item = Term>| -> Result<Vec<Lit>, Reason> {
        list.map(|term| Ok(solver.lit(&system.terms, term, &Steps::start())?)).collect()
    };
    let under = lits(&mut facts.iter().chain(conditions).copied())?;
    let open_lits = lits(&mut open.iter().map(|at| after[*at].0))?;
    all_cubes(solver, &under, &open_lits, &mut |values| {
        for (at, value) in open.iter().zip(values) {
            truths[*at] = *value;
        }
        out.push(cube(&question.candidates, &truths));
        left = left.saturating_sub(1);
        left > 0
    })?;
    cx.go_on()
}

/// The cube of these predicates that have a truth.
fn cube(predicates: &[u32], truths: &[Option<bool>]) -> Cube {
    let literal = |(at, value): (&u32, &Option<bool>)| value.map(|value| at * 2 + u32::from(!value));
    predicates.iter().zip(truths).filter_map(literal).collect()
}

/// The truth of a literal, if it is plain from what holds.
fn truth(cx: &mut Cx, holding: &FxHashSet<Term>, term: Term) -> Option<bool> {
    if let Some(value) = cx.system.terms.as_const(term) {
        return Some(value.as_bool());
    }
    if holding.contains(&term) {
        return Some(true);
    }
    let negation = cx.terms().not(term);
    holding.contains(&negation).then_some(false)
}

/// What all models agree on: the truth of each literal, `None` if it varies; `None` if there is no model.
fn common(
    solver: &mut dyn Solver,
    assumptions: &[Lit],
    lits: &[Lit],
) -> Result<Option<Vec<Option<bool>>>, Reason> {
    if solver.check(assumptions)? == Answer::Unsat {
        return Ok(None);
    }
    let mut truths: Vec<Option<bool>> =
        lits.iter().map(|lit| solver.truth(*lit)).collect::<Result<_, _>>()?;
    let mut under = assumptions.to_vec();
    loop {
        // Is there a model that differs from all others in one of them?
        let open = lits.iter().zip(&truths).filter_map(|(lit, truth)| truth.map(|value| (*lit, value)));
        let mut clause: Vec<Lit> = open.map(|(lit, value)| if value { !lit } else { lit }).collect();
        if clause.is_empty() {
            return Ok(Some(truths));
        }
        let asked = match clause[..] {
            [one] => one,
            _ => {
                let asked = solver.activation()?;
                clause.push(!asked);
                solver.clause(&clause)?;
                asked
            }
        };
        under.push(asked);
        let answer = solver.check(&under)?;
        under.pop();
        if answer == Answer::Sat {
            for (truth, lit) in truths.iter_mut().zip(lits) {
                if truth.is_some() && solver.truth(*lit)? != *truth {
                    *truth = None;
                }
            }
        }
        if clause.len() > 1 {
            solver.clause(&[!asked])?;
        }
        if answer == Answer::Unsat {
            return Ok(Some(truths));
        }
    }
}

impl Domain for Pred {
    type State = State;
    type Precision = Precision;

    fn top(&self) -> State {
        Rc::new([Cube::default()])
    }
    fn post(
        &mut self,
        cx: &mut Cx,
        state: &State,
        context: &Context,
        stmt: Stmt,
        precision: &Precision,
        out: &mut Vec<State>,
    ) -> Result<(), Reason> {
        let statement = cx.statement(stmt)?;
        self.catch_up(cx, precision);
        let single: &[u32] = if let [cube] = &state[..] { cube } else { &[] };
        // The facts before the statement, with their variables.
        let mut facts: Vec<(Term, Rc<[VarId]>)> =
            single.iter().map(|lit| (self.term(*lit), self.list[*lit as usize / 2].vars.clone())).collect();
        let mut reached: FxHashSet<VarId> = statement.vars.iter().copied().collect();
        if state.len() != 1 {
            let formula = self.formula(cx, state);
            facts.push((formula, cx.system.terms.vars_of(formula).into()));
        }
        for fact in &context.before {
            facts.push((*fact, cx.system.terms.vars_of(*fact).into()));
        }
        // What the statement reaches, through facts and predicates.
        let mut fact_in = vec![false; facts.len()];
        let mut pred_in = vec![false; precision.len()];
        loop {
            let mut grown = false;
            let touches =
                |reached: &FxHashSet<VarId>, vars: &[VarId]| vars.iter().any(|v| reached.contains(v));
            for (at, (_, vars)) in facts.iter().enumerate() {
                if !fact_in[at] && touches(&reached, vars) {
                    fact_in[at] = true;
                    grown = true;
                    reached.extend(vars.iter());
                }
            }
            for (at, predicate) in self.list[..precision.len()].iter().enumerate() {
                if !pred_in[at] && touches(&reached, &predicate.vars) {
                    pred_in[at] = true;
                    grown = true;
                    reached.extend(predicate.vars.iter());
                }
            }
            if !grown {
                break;
            }
        }
        // Predicates that are known and not written keep their truth.
        let mut kept: Vec<u32> = vec![];
        let mut candidates = vec![];
        for (at, reached) in pred_in.iter().enumerate() {
            let written = self.list[at].vars.iter().any(|var| statement.written.binary_search(var).is_ok());
            let before = single.iter().find(|lit| **lit as usize / 2 == at).copied();
            match before {
                Some(lit) if !written => kept.push(lit),
                _ if *reached => candidates.push(at as u32),
                _ => {}
            }
        }
        let mut before: Vec<Term> = facts
            .iter()
            .zip(&fact_in)
            .filter(|(_, relevant)| **relevant)
            .map(|((fact, _), _)| *fact)
            .collect();
        before.sort_unstable();
        before.dedup();
        let mut after = vec![];
        for fact in &context.after {
            let vars = cx.system.terms.vars_of(*fact);
            if vars.iter().any(|var| statement.vars.binary_search(var).is_ok()) {
                after.push(*fact);
            }
        }
        after.sort_unstable();
        let question = Question { stmt, before, after, candidates };
        let cubes = self.answer(cx, &question, &statement)?;
        // A combination of cubes, which is the first of the facts, stays as it is if it is not reached.
        let apart: &[Cube] = if state.len() != 1 && !fact_in[0] { state } else { &[Cube::default()] };
        let mut whole: Vec<Cube> = vec![];
        for cube in cubes.iter() {
            for rest in apart {
                let mut all: Vec<u32> = cube.iter().chain(&kept).chain(rest).copied().collect();
                all.sort_unstable();
                whole.push(all.into());
            }
        }
        match self.shape {
            _ if whole.is_empty() => {}
            Shape::Cartesian => out.push(whole.into()),
            Shape::Boolean => {
                whole.sort_unstable();
                out.push(whole.into());
            }
            Shape::Split => out.extend(whole.into_iter().map(|cube| -> State { Rc::new([cube]) })),
        }
        Ok(())
    }
    fn facts(&self, cx: &mut Cx, state: &State, out: &mut Vec<Term>) {
        match &state[..] {
            [cube] => out.extend(cube.iter().map(|lit| self.term(*lit))),
            _ => {
                let formula = self.formula(cx, state);
                out.push(formula);
            }
        }
    }
    fn known(&self, cx: &mut Cx, state: &State, out: &mut Vec<(VarId, Term)>) {
        let [cube] = &state[..] else { return };
        for lit in cube.iter() {
            out.extend(fixes(cx.terms(), self.term(*lit)).map(|(var, _, value)| (var, value)));
        }
    }
    fn key(&self, state: &State, out: &mut Vec<(u32, u32)>) {
        if let [cube] = &state[..]
            && self.shape != Shape::Boolean
        {
            // Variables come first.
            out.extend(cube.iter().map(|lit| (u32::MAX / 2 + lit / 2, lit & 1)));
        }
    }
    fn covers(&mut self, cx: &mut Cx, big: &State, small: &State) -> Result<bool, Reason> {
        let within = |small: &Cube, big: &Cube| big.iter().all(|lit| small.binary_search(lit).is_ok());
        if small.iter().all(|cube| big.iter().any(|other| within(cube, other))) {
            return Ok(true);
        }
        if self.shape != Shape::Boolean {
            return Ok(false);
        }
        let key = (big.clone(), small.clone());
        if let Some(known) = self.implied.get(&key) {
            return Ok(*known);
        }
        let (a, b) = (self.formula(cx, small), self.formula(cx, big));
        let outside = cx.terms().not(b);
        let difference = cx.terms().and([a, outside]);
        let answer = !cx.is_possible(difference)?;
        remember(&mut self.implied, key, answer);
        Ok(answer)
    }
    fn refine(&mut self, cx: &mut Cx, precision: &mut Precision, refutation: &Refutation) -> bool {
        let size = precision.len();
        let split = if refutation.whole { PredicateSplit::Whole } else { self.split };
        for formula in &refutation.formulas {
            for predicate in pieces(cx, *formula, split) {
                let vars = cx.system.terms.vars_of(predicate);
                let known_otherwise = vars.iter().all(|var| refutation.tracked.contains(var));
                if !known_otherwise && vars.iter().all(|var| cx.is_state_var(*var)) {
                    precision.insert(predicate);
                }
            }
        }
        precision.len() > size
    }
    fn size(&self, precision: &Precision) -> (usize, usize) {
        (0, precision.len())
    }
    fn by_value<'p>(&self, _: &'p Precision) -> Option<&'p FxHashSet<VarId>> {
        None
    }
}

/// The predicates of a formula, none of them negated.
pub fn pieces(cx: &mut Cx, formula: Term, split: PredicateSplit) -> Vec<Term> {
    let mut list = vec![];
    let mut open = vec![formula];
    let mut seen = FxHashSet::default();
    while let Some(next) = open.pop() {
        if !seen.insert(next) {
            continue;
        }
        let terms = &cx.system.terms;
        match terms.node(next) {
            Node::Const(Value::Bool(_)) => {}
            Node::Not(inner) => open.push(*inner),
            Node::And(parts) if split != PredicateSplit::Whole => open.extend(parts.iter().rev()),
            Node::Or(parts) if split == PredicateSplit::Atoms => open.extend(parts.iter().rev()),
            Node::Ite(condition, then, otherwise) if split == PredicateSplit::Atoms => {
                open.extend([*otherwise, *then, *condition]);
            }
            Node::Eq(a, b) if split == PredicateSplit::Atoms && terms.type_of(*a) == ir::Type::Bool => {
                open.extend([*b, *a]);
            }
            _ => {
                // Of a predicate and its negation, the older one.
                let negation = cx.terms().not(next);
                list.push(next.min(negation));
            }
        }
    }
    list
}
