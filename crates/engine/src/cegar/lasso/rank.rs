//! Ranking functions of accepting components, by linear arithmetic.
//!
//! A *level* of a component gives each of its nodes an affine function of the integer variables such that no transition of
//! the component increases it, and some transitions decrease it by at least 1 and find it at least 0. Those are taken
//! finitely often, so they are removed, and what is left has smaller components; those that still accept get another level.
//! So the functions are lexicographic (Bradley, Manna and Sipma 2005; Alias, Darte, Feautrier and Gonnord 2010), with the
//! numbers of components between them: see [`ir::Ranking`].
//!
//! An execution of a transition satisfies a conjunction of linear inequalities `c_k(z) >= 0` over the values `z` before it
//! and those it chooses: what its nodes say and what its statement needs, as far as that is linear; whatever is not is
//! left out, which makes more executions. By the lemma of Farkas an affine `f` is at least 0 wherever they all hold if `f`
//! is `Σ λ_k c_k` plus a constant for some `λ >= 0` and a constant that are not negative. With the coefficients of the
//! ranking functions unknown as well, that is a question of linear arithmetic over the rationals. Which transitions
//! decrease is found out by asking for one more as long as there is one.
//!
//! A transition has several executions where its statement branches. Where no transition decreases as a whole, single
//! executions may: those are *spent*, and later levels are about the others. A transition is removed with its last
//! execution. If no level spends any more, only cycles of the executions that are left can be gone around for ever, and
//! whoever looks at a lasso follows those.
//!
//! How long all this takes is counted: questions of linear arithmetic count with those of the search, and a look at the graph
//! may ask so many of them. Where they run out, what has been found so far is a level like others, or there is none; then a
//! lasso is looked at instead.

use std::collections::BTreeMap;

use ir::{Id, Int, Node, Ranking, Rat, Steps, Term, Terms, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::z3::Z3Solver;
use smt::{Answer, Interrupt, Limits, Lit, Solver};

use crate::answer::Reason;
use crate::cegar::affine::Affine;
use crate::cegar::arg::{Arg, NodeId};
use crate::cegar::cx::{Cx, is};
use crate::cegar::domain::Domain;
use crate::cegar::explore::{Exploration, facts, known};
use crate::cegar::paths::End;

use super::search::{Lasso, Snapshot};

/// A component in which more integers matter is left alone.
const MOST_VARIABLES: usize = 12;
/// A condition with more alternatives than this is left out, and so is what makes the executions of a transition more.
const MOST_CUBES: usize = 16;
/// A component with more executions than this is left alone.
const MOST_EXECUTIONS: usize = 512;
/// What one question of linear arithmetic may be to the solver, in its own unit.
const WORK: u32 = 4_000_000;
/// Questions of linear arithmetic during one look at the graph.
const MOST_QUESTIONS: usize = 200;

/// The search for rankings of a graph.
pub struct Levels<'l, 'c, D: Domain> {
    cx: &'l mut Cx<'c>,
    domain: &'l D,
    exploration: &'l mut Exploration<D>,
    snapshot: &'l Snapshot,
    /// Questions of linear arithmetic that may still be asked.
    questions: usize,
    report: &'l mut Report<'l, D>,
}

/// Told about the graph now and then.
pub type Report<'r, D> = dyn FnMut(&Arg<<D as Domain>::State>, &Cx) + 'r;

impl<'l, 'c, D: Domain> Levels<'l, 'c, D> {
    /// A search in this graph.
    pub fn new(
        cx: &'l mut Cx<'c>,
        domain: &'l D,
        exploration: &'l mut Exploration<D>,
        snapshot: &'l Snapshot,
        report: &'l mut Report<'l, D>,
    ) -> Self {
        Levels { cx, domain, exploration, snapshot, questions: MOST_QUESTIONS, report }
    }
    /// Rankings of all nodes, or a lasso that comes through every acceptance set. Without levels only the numbers of
    /// components rank.
    pub fn descent(&mut self, levels: bool) -> Result<Result<Vec<Ranking>, Unranked>, Reason> {
        let snapshot = self.snapshot;
        let count = snapshot.nodes.len() as u32;
        let mut left = Left { kept: vec![true; snapshot.edges.len()], spent: FxHashSet::default() };
        let mut parts = snapshot.components(|_| true);
        let ranks = parts.components.of.clone();
        let mut functions: Vec<Vec<Term>> = vec![vec![]; count as usize];
        let zero = self.cx.terms().int(0);
        loop {
            let mut accepting: Vec<u32> =
                (0..count).filter(|node| parts.accepts(*node, snapshot.all)).collect();
            if accepting.is_empty() {
                break;
            }
            let component = |node: &u32| parts.components.of[*node as usize];
            accepting.sort_by_key(component);
            functions.iter_mut().for_each(|list| list.push(zero));
            for nodes in accepting.chunk_by(|a, b| component(a) == component(b)) {
                let level = if levels { self.level(nodes, &left)? } else { None };
                let Some(Level { values, decreasing, spent }) = level else {
                    let lasso = snapshot.lasso(&parts, |node| nodes.contains(&node));
                    let lasso = lasso.expect("every node can be reached");
                    return Ok(Err(self.unranked(lasso, &left)?));
                };
                for (node, value) in values {
                    *functions[node as usize].last_mut().expect("just pushed") = value;
                }
                decreasing.into_iter().for_each(|edge| left.kept[edge] = false);
                left.spent.extend(spent);
            }
            parts = snapshot.components(|edge| left.kept[edge]);
            for (list, component) in functions.iter_mut().zip(&parts.components.of) {
                list.push(self.cx.terms().int(i64::from(*component)));
            }
        }
        let ranking = |(node, components): (u32, Vec<Term>)| Ranking {
            rank: ranks[node as usize],
            components,
            missing: parts.missing(node),
        };
        Ok(Ok((0..count).zip(functions).map(ranking).collect()))
    }
    /// A lasso with what its executions need that are left.
    fn unranked(&mut self, lasso: Lasso, left: &Left) -> Result<Unranked, Reason> {
        let mut needs = vec![];
        for edge in &lasso.edges[lasso.stem..] {
            let at = self.snapshot.edges.iter().position(|other| other == edge);
            let spent = |at: usize| left.spent.iter().any(|(edge, _)| *edge == at);
            let list = match at.filter(|at| spent(*at)) {
                Some(at) => self.executions(at)?.map(|list| (at, list)),
                None => None,
            };
            needs.push(match list {
                Some((at, list)) => {
                    let is_left = |(number, _): &(usize, Step)| !left.spent.contains(&(at, *number));
                    let rest = list.into_iter().enumerate().filter(is_left);
                    let rest: Vec<Term> = rest.map(|(_, step)| step.needs).collect();
                    self.cx.terms().or(rest)
                }
                None => self.cx.terms().bool(true),
            });
        }
        Ok(Unranked { lasso, needs })
    }
    /// A level of the component of these nodes, if there is one in which some transition or execution decreases.
    fn level(&mut self, nodes: &[u32], left: &Left) -> Result<Option<Level>, Reason> {
        let snapshot = self.snapshot;
        let mut executions = vec![];
        let mut branching = false;
        for (at, edge) in snapshot.edges.iter().enumerate().filter(|(at, _)| left.kept[*at]) {
            let ends = [edge.source, edge.target].map(|node| snapshot.number(node));
            let [Some(source), Some(target)] = ends else { continue };
            if !nodes.contains(&source) || !nodes.contains(&target) {
                continue;
            }
            (self.report)(&self.exploration.arg, self.cx);
            let Some(list) = self.executions(at)? else { return Ok(None) };
            let before = executions.len();
            let numbered = list.into_iter().enumerate();
            executions.extend(
                numbered
                    .filter(|(number, _)| !left.spent.contains(&(at, *number)))
                    .map(|(number, step)| Execution { edge: at, number, source, target, step }),
            );
            branching |= executions.len() > before + 1;
            if executions.len() > MOST_EXECUTIONS {
                return Ok(None);
            }
        }
        // Once around any cycle they would be what they were.
        if !executions.iter().any(Execution::changes) {
            return Ok(None);
        }
        let mut vars: Vec<VarId> =
            executions.iter().flat_map(|execution| execution.vars(&self.cx.system.terms)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|var| self.cx.is_state_var(*var));
        if vars.is_empty() || vars.len() > MOST_VARIABLES {
            return Ok(None);
        }
        for single in [false, true] {
            if single && !branching {
                break;
            }
            let solver = self.cx.solver.stranger()?;
            let mut program = Program::new(solver, nodes, vars.clone());
            let interrupter = program.solver.interrupter();
            let _listening = self.cx.stop.listen(move || interrupter.interrupt());
            let Levels { exploration, questions, report, .. } = self;
            let mut may_ask = |cx: &Cx| {
                report(&exploration.arg, cx);
                *questions = questions.saturating_sub(1);
                cx.go_on().map(|()| *questions > 0)
            };
            match program.level(self.cx, &executions, single, &mut may_ask) {
                Ok(None) => {}
                Err(Reason::Work) => return Ok(None),
                other => return other,
            }
        }
        Ok(None)
    }
    /// The executions of a transition, each alternative of its conditions by itself; `None` if they cannot be listed.
    fn executions(&mut self, edge: usize) -> Result<Option<Vec<Step>>, Reason> {
        let edge = self.snapshot.edges[edge];
        let [source, target] = [edge.source, edge.target].map(|node| NodeId::at(node as usize));
        let (vector, state) =
            (self.exploration.arg[source].vector, self.exploration.arg[source].state.clone());
        let before = facts(self.cx, self.domain, &state);
        let after = facts(self.cx, self.domain, &self.exploration.arg[target].state);
        let known = known(self.cx, self.domain, &state);
        let action = self.exploration.action(self.cx, vector, edge.action);
        let stmt = self.cx.simplify_within(action.stmt, &known);
        let statement = self.cx.statement(stmt)?;
        let Some(ends) = &statement.ends else { return Ok(None) };
        let mut list = vec![];
        for end in ends {
            let values: FxHashMap<VarId, Term> = end.values.iter().copied().collect();
            let mut own: Vec<Term> = end.condition.to_vec();
            own.extend(end.fixed.iter().map(|(var, value)| is(self.cx.terms(), *var, *value)));
            let conditions = before.iter().chain(&own).copied();
            let mut conditions: Vec<Term> = conditions.collect();
            // What is chosen on the way cannot be asked for before it.
            own.retain(|condition| self.is_about_the_state(*condition));
            let needs = self.cx.terms().and(own);
            conditions.extend(after.iter().map(|fact| self.cx.terms().substitute(*fact, &values)));
            let all = self.cx.terms().and(conditions);
            if !self.cx.is_possible(all)? {
                continue;
            }
            let mut cubes = cubes(&self.cx.system.terms, all, true);
            cubes.iter_mut().for_each(|cube| self.within_ranges(cube));
            let after = self.after(end);
            list.extend(cubes.into_iter().map(|conditions| Step { conditions, needs, after: after.clone() }));
        }
        Ok(Some(list))
    }
    /// Whether a term reads nothing but the values before an execution.
    fn is_about_the_state(&self, term: Term) -> bool {
        let mut all = true;
        self.cx.system.terms.for_each_subterm(term, |part| {
            if let Node::Var(var, step) = *self.cx.system.terms.node(part) {
                all &= step == 0 && self.cx.is_state_var(var);
            }
        });
        all
    }
    /// Adds the ranges of the variables in a conjunction.
    fn within_ranges(&mut self, cube: &mut Vec<Affine>) {
        let mut symbols: Vec<Term> = cube.iter().flat_map(|part| part.factors.keys().copied()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        for symbol in symbols {
            let Node::Var(var, _) = *self.cx.system.terms.node(symbol) else { continue };
            if let Some((least, greatest)) = &self.cx.system.vars[var].range {
                cube.push(Affine::symbol(symbol, 1).plus(&Int::from(-1), least));
                cube.push(Affine::symbol(symbol, -1).plus(&Int::from(1), greatest));
            }
        }
    }
    /// The integers that have another value after an execution; any, where that is not linear.
    fn after(&mut self, end: &End) -> FxHashMap<VarId, Affine> {
        let mut map = FxHashMap::default();
        for (var, value) in &end.values {
            if self.cx.is_state_var(*var) && self.cx.system.terms.var_type(*var) == Type::Int {
                // No execution uses this step.
                let any = self.cx.terms().var_at(*var, u32::MAX);
                let value =
                    Affine::of(&self.cx.system.terms, *value).unwrap_or_else(|| Affine::symbol(any, 1));
                map.insert(*var, value);
            }
        }
        map
    }
}

/// A lasso that no ranking excludes.
pub struct Unranked {
    /// The lasso.
    pub lasso: Lasso,
    /// What the executions of each transition of its cycle need that no ranking excludes, as far as it is about the state
    /// before.
    pub needs: Vec<Term>,
}

/// What no level has excluded so far.
struct Left {
    /// For each transition, whether it is there.
    kept: Vec<bool>,
    /// Executions that are excluded, by the number of the transition and their own in it.
    spent: FxHashSet<(usize, usize)>,
}

/// What a level gives to the nodes of a component, and which transitions and executions of the graph it decreases.
struct Level {
    values: Vec<(u32, Term)>,
    /// Transitions all of whose executions decrease that are left.
    decreasing: FxHashSet<usize>,
    /// Executions that decrease where not all of their transition do.
    spent: Vec<(usize, usize)>,
}

/// An execution of a transition of the graph between two nodes of it.
struct Execution {
    edge: usize,
    /// Its number among those of the transition.
    number: usize,
    source: u32,
    target: u32,
    step: Step,
}

impl Execution {
    /// The variables that it speaks of.
    fn vars(&self, terms: &Terms) -> Vec<VarId> {
        let symbols = self.step.conditions.iter().flat_map(|condition| condition.factors.keys());
        let read = symbols.filter_map(|symbol| match *terms.node(*symbol) {
            Node::Var(var, _) => Some(var),
            _ => None,
        });
        read.chain(self.step.after.keys().copied()).collect()
    }
    /// Whether it may change an integer.
    fn changes(&self) -> bool {
        !self.step.after.is_empty()
    }
}

/// What an execution needs, and what the variables are after it that it changes.
#[derive(Clone)]
struct Step {
    /// None of these is negative.
    conditions: Vec<Affine>,
    /// What its statement needs, as far as it is about the state before.
    needs: Term,
    after: FxHashMap<VarId, Affine>,
}

/// Conjunctions of linear inequalities of which one holds wherever a condition, or its negation, does.
fn cubes(terms: &Terms, condition: Term, holds: bool) -> Vec<Vec<Affine>> {
    let anything = || vec![vec![]];
    let either = |list: Vec<Vec<Vec<Affine>>>| {
        let all = list.concat();
        if all.len() > MOST_CUBES { anything() } else { all }
    };
    let both = |list: Vec<Vec<Vec<Affine>>>| {
        list.into_iter().fold(anything(), |done, next| {
            if done.len() * next.len() > MOST_CUBES {
                return done;
            }
            let joined = |a: &Vec<Affine>| next.iter().map(|b| [&a[..], &b[..]].concat()).collect::<Vec<_>>();
            done.iter().flat_map(joined).collect()
        })
    };
    let least = |a: Term, b: Term, less: i64| {
        Affine::difference(terms, a, b, less).map_or_else(anything, |part| vec![vec![part]])
    };
    match terms.node(condition) {
        Node::Const(Value::Bool(value)) if *value != holds => vec![],
        Node::Not(inner) => cubes(terms, *inner, !holds),
        Node::And(parts) | Node::Or(parts) => {
            let list = parts.iter().map(|part| cubes(terms, *part, holds)).collect();
            if matches!(terms.node(condition), Node::And(_)) == holds { both(list) } else { either(list) }
        }
        Node::Le(a, b) if holds => least(*b, *a, 0),
        Node::Le(a, b) => least(*a, *b, 1),
        Node::Lt(a, b) if holds => least(*b, *a, 1),
        Node::Lt(a, b) => least(*a, *b, 0),
        Node::Eq(a, b) if terms.type_of(*a) == Type::Int => match holds {
            true => both(vec![least(*a, *b, 0), least(*b, *a, 0)]),
            false => either(vec![least(*a, *b, 1), least(*b, *a, 1)]),
        },
        _ => anything(),
    }
}

/// The question for a level, with unknown coefficients.
struct Program {
    terms: Terms,
    solver: Z3Solver,
    vars: Vec<VarId>,
    /// For each node, the factor of each variable and last the constant.
    unknown: Vec<(u32, Vec<Term>)>,
    zero: Term,
}

impl Program {
    fn new(mut solver: Z3Solver, nodes: &[u32], vars: Vec<VarId>) -> Self {
        let mut terms = Terms::new();
        solver.limit(Limits { deadline: None, work: Some(WORK) });
        let zero = terms.constant(Value::rat(Rat::ZERO));
        let mut program = Program { terms, solver, vars, unknown: vec![], zero };
        for node in nodes {
            let list = (0..=program.vars.len()).map(|_| program.any()).collect();
            program.unknown.push((*node, list));
        }
        program
    }
    /// One more unknown number.
    fn any(&mut self) -> Term {
        let var = self.terms.declare(Type::Rat);
        self.solver.declare(var, None);
        self.terms.var(var)
    }
    fn scaled(&mut self, term: Term, by: &Int) -> Term {
        let factor = self.terms.constant(Value::rat(Rat::from(by)));
        self.terms.mul([factor, term])
    }
    fn of(&self, node: u32) -> Vec<Term> {
        self.unknown.iter().find(|(other, _)| *other == node).expect("a node of the component").1.clone()
    }
    /// The function of the source of an execution as factors of symbols, less that of its target where `decrease` is to
    /// be left.
    fn function(
        &mut self,
        model: &mut Terms,
        execution: &Execution,
        decrease: Option<Term>,
    ) -> (BTreeMap<Term, Vec<Term>>, Vec<Term>) {
        let mut factors: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
        let source = self.of(execution.source);
        let mut constant = vec![source[self.vars.len()]];
        for (var, factor) in self.vars.clone().into_iter().zip(&source) {
            factors.entry(model.var(var)).or_default().push(*factor);
        }
        if let Some(decrease) = decrease {
            let target = self.of(execution.target);
            for (var, factor) in self.vars.clone().into_iter().zip(&target) {
                let same = Affine::symbol(model.var(var), 1);
                let after = execution.step.after.get(&var).unwrap_or(&same);
                for (symbol, times) in &after.factors {
                    let less = self.scaled(*factor, &-times);
                    factors.entry(*symbol).or_default().push(less);
                }
                constant.push(self.scaled(*factor, &-&after.constant));
            }
            for less in [target[self.vars.len()], decrease] {
                constant.push(self.scaled(less, &Int::from(-1)));
            }
        }
        (factors, constant)
    }
    /// That a function is never negative where the conditions of an execution hold.
    fn never_negative(
        &mut self,
        execution: &Execution,
        (mut factors, mut constant): (BTreeMap<Term, Vec<Term>>, Vec<Term>),
    ) -> Term {
        let mut parts = vec![];
        for condition in &execution.step.conditions {
            let multiplier = self.any();
            parts.push(self.terms.ge(multiplier, self.zero));
            for (symbol, factor) in &condition.factors {
                let less = self.scaled(multiplier, &-factor);
                factors.entry(*symbol).or_default().push(less);
            }
            constant.push(self.scaled(multiplier, &-&condition.constant));
        }
        for sum in factors.into_values() {
            let sum = self.terms.add(sum);
            parts.push(self.terms.eq(sum, self.zero));
        }
        let constant = self.terms.add(constant);
        parts.push(self.terms.ge(constant, self.zero));
        self.terms.and(parts)
    }
    /// A level in which as many transitions decrease as can be, or as many `single` executions, if any does and as long as
    /// questions may be asked.
    fn level(
        &mut self,
        cx: &mut Cx,
        executions: &[Execution],
        single: bool,
        may_ask: &mut dyn FnMut(&Cx) -> Result<bool, Reason>,
    ) -> Result<Option<Level>, Reason> {
        let start = Steps::start();
        // What decreases together.
        type Unit = (usize, Option<usize>);
        let unit = |execution: &Execution| (execution.edge, single.then_some(execution.number));
        let mut decreases: BTreeMap<Unit, (Term, Lit)> = BTreeMap::new();
        let one = self.terms.constant(Value::rat(Rat::from(1)));
        for execution in executions {
            let (amount, lit) = match decreases.get(&unit(execution)) {
                Some(known) => *known,
                None => {
                    let amount = self.any();
                    let (least, enough) = (self.terms.ge(amount, self.zero), self.terms.ge(amount, one));
                    self.solver.assert(&self.terms, least, &start)?;
                    let lit = self.solver.lit(&self.terms, enough, &start)?;
                    decreases.insert(unit(execution), (amount, lit));
                    (amount, lit)
                }
            };
            let difference = self.function(cx.terms(), execution, Some(amount));
            let never_more = self.never_negative(execution, difference);
            self.solver.assert(&self.terms, never_more, &start)?;
            let function = self.function(cx.terms(), execution, None);
            let bounded = self.never_negative(execution, function);
            self.solver.assert_if(&self.terms, lit, bounded, &start)?;
        }
        let mut found: FxHashSet<Unit> = FxHashSet::default();
        let mut values = vec![];
        while may_ask(cx)? {
            let (old, new): (Vec<_>, Vec<_>) = decreases
                .iter()
                .map(|(edge, (_, lit))| (*edge, *lit))
                .partition(|(edge, _)| found.contains(edge));
            let another = self.solver.activation()?;
            let clause: Vec<Lit> = new.iter().map(|(_, lit)| *lit).chain([!another]).collect();
            self.solver.clause(&clause)?;
            let assumed: Vec<Lit> = old.iter().map(|(_, lit)| *lit).chain([another]).collect();
            match self.solver.check(&assumed) {
                Ok(Answer::Sat) => {}
                Ok(Answer::Unsat) => break,
                // What has been found is enough.
                Err(Interrupt::Budget) if !found.is_empty() => break,
                Err(why) => return Err(why.into()),
            }
            for (edge, lit) in new {
                if self.solver.truth(lit)? == Some(true) {
                    found.insert(edge);
                }
            }
            values = self.values()?;
        }
        if found.is_empty() {
            return Ok(None);
        }
        let common = values.iter().flat_map(|(_, list)| list).fold(Int::from(1), |common, value| {
            let denominator = value.denominator();
            let shared = greatest_common_divisor(&common, &denominator);
            &common * &denominator.div(&shared).expect("a divisor is not zero")
        });
        let values =
            values.into_iter().map(|(node, list)| (node, whole(cx.terms(), &self.vars, &list, &common)));
        let decreases = |execution: &&Execution| found.contains(&unit(execution));
        let mut decreasing: FxHashSet<usize> = executions.iter().map(|execution| execution.edge).collect();
        for other in executions.iter().filter(|execution| !decreases(execution)) {
            decreasing.remove(&other.edge);
        }
        let partly = executions.iter().filter(decreases).filter(|one| !decreasing.contains(&one.edge));
        let spent = partly.map(|execution| (execution.edge, execution.number)).collect();
        Ok(Some(Level { values: values.collect(), decreasing, spent }))
    }
    /// What the model says of the coefficients.
    fn values(&mut self) -> Result<Vec<(u32, Vec<Rat>)>, Interrupt> {
        let mut all = vec![];
        for (node, unknown) in &self.unknown {
            let mut list = vec![];
            for term in unknown {
                list.push(match self.solver.value(&self.terms, *term, &Steps::start())? {
                    Value::Rat(value) => *value,
                    Value::Int(value) => Rat::from(&value),
                    _ => Rat::ZERO,
                });
            }
            all.push((*node, list));
        }
        Ok(all)
    }
}

/// The function with these coefficients times a number that makes all of them whole.
fn whole(terms: &mut Terms, vars: &[VarId], coefficients: &[Rat], common: &Int) -> Term {
    let common = Rat::from(common);
    let whole = |value: &Rat| Value::Int((value * &common).floor());
    let mut sum = vec![];
    for (var, factor) in vars.iter().zip(coefficients) {
        let (factor, var) = (terms.constant(whole(factor)), terms.var(*var));
        sum.push(terms.mul([factor, var]));
    }
    sum.extend(coefficients.last().map(|constant| terms.constant(whole(constant))));
    terms.add(sum)
}

fn greatest_common_divisor(a: &Int, b: &Int) -> Int {
    let (mut a, mut b) = (a.clone(), b.clone());
    while let Some(rest) = a.modulo(&b) {
        (a, b) = (b, rest);
    }
    a
}
