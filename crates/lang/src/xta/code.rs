//! What updates and functions do, before faults are split off.
//!
//! Code is turned into statements of the system, with run-time errors that cannot happen left out
//! (see [`crate::xta::range`]), or, where only the result of a function matters, executed
//! symbolically: both sides of a branching are run and merged by if-then-else, loops are unrolled.

use ir::{
    Checked, FaultId, Faults, Guarded, Id, Node, Span, Stmt, Term, Terms, Type, Value, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::xta::elaborate::{Elaborator, Hazard};
use crate::xta::expr::then;
use crate::xta::range::{Declared, Ranges};
use crate::xta::types::select;

/// How many iterations of loops one symbolic execution may unroll where there is no other way, and
/// where the loop could stay.
const UNROLL: [usize; 2] = [10_000, 256];
/// How many rounds of a loop are written out in statements.
const MOST_UNROLLED: usize = 32;
/// How many of them may depend on data: each makes the values of all that follow longer.
pub(crate) const MOST_ROUNDS: usize = 512;

/// How many cases the condition of a loop may be split into.
const MOST_CASES: usize = 64;
/// How many sub-terms it may have then.
const MOST_PARTS: usize = 100;

/// One piece of code.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Assign(VarId, Checked),
    /// An evaluation that only matters if it goes wrong.
    Check(Faults),
    If(Checked, Vec<Code>, Vec<Code>),
    /// As long as the condition holds.
    While(Checked, Vec<Code>, Span),
    /// For every value from the first to the second, both included.
    For(VarId, i64, i64, Vec<Code>),
}

/// Why code has no value as a term.
#[derive(Copy, Clone, Debug)]
pub(crate) enum NotPure {
    /// It changes this variable.
    Writes(VarId),
    /// This loop runs too long, or for ever.
    Loop(Span),
}

/// Values of local variables as terms over what was before.
type Env = FxHashMap<VarId, Term>;

impl Elaborator {
    // Symbolic execution.

    /// Executes code that changes nothing but `own` variables; their values afterwards, and how it
    /// goes wrong.
    pub(crate) fn execute(
        &mut self,
        code: &[Code],
        own: &FxHashSet<VarId>,
    ) -> Result<(Env, Faults), NotPure> {
        let only_way = self.code.is_none();
        let left = UNROLL[usize::from(!only_way)];
        let reads = FxHashMap::default();
        let mut run = Execution {
            terms: &mut self.system.terms,
            declared: &self.declared,
            ranges: self.context.clone(),
            own,
            faults: Faults::new(),
            left,
            open: MOST_ROUNDS.min(left),
            reads,
        };
        let mut env = Env::default();
        // Whether loops end depends on what is known.
        let before = run.declared.thorough(only_way);
        let result = run.list(code, &mut env, None);
        run.declared.thorough(before);
        result.map(|()| (env, run.faults))
    }

    // Statements.

    /// The statement of the system for `code`, where `ranges` hold before it.
    pub(crate) fn statement(&mut self, code: &[Code], ranges: &mut Ranges) -> Guarded {
        let parts: Vec<Guarded> = code.iter().map(|part| ir::deep(|| self.part(part, ranges))).collect();
        Guarded::seq(&mut self.system.terms, &parts)
    }
    fn part(&mut self, code: &Code, ranges: &mut Ranges) -> Guarded {
        match code {
            Code::Assign(var, value) => {
                let value = self.remaining(value, ranges);
                let is_int = self.system.terms.type_of(value.term) == Type::Int
                    && self.system.terms.var_type(*var) == Type::Int;
                let range = is_int.then(|| ranges.of(&self.system.terms, &self.declared, value.term));
                ranges.assign(&mut self.system.terms, &self.declared, *var, range);
                self.using(value, |terms, term| terms.assign(*var, term))
            }
            Code::Check(faults) => {
                let always = self.system.terms.bool(true);
                let value = self.remaining(&Checked { term: always, faults: faults.clone() }, ranges);
                self.using(value, |terms, _| terms.skip())
            }
            Code::If(condition, then, otherwise) => {
                let condition = self.remaining(condition, ranges);
                match ranges.truth(&self.system.terms, &self.declared, condition.term) {
                    Some(side) if condition.faults.is_empty() => {
                        return self.statement(if side { then } else { otherwise }, ranges);
                    }
                    _ => {}
                }
                let mut other = ranges.clone();
                ranges.learn(&self.system.terms, &self.declared, condition.term, true);
                let then = self.statement(then, ranges);
                other.learn(&self.system.terms, &self.declared, condition.term, false);
                let otherwise = self.statement(otherwise, &mut other);
                ranges.join(&self.system.terms, &self.declared, &other);
                match self.which_for(&condition.faults) {
                    Some(which) => Guarded::branch(&mut self.system.terms, which, condition, then, otherwise),
                    None => {
                        let stmt = self.system.terms.branch(condition.term, then.stmt, otherwise.stmt);
                        Guarded::safe(stmt)
                    }
                }
            }
            Code::While(condition, body, _) => self.while_loop(condition, body, ranges),
            Code::For(var, low, high, body) => {
                let written = self.written(body, Some(*var));
                ranges.forget(&self.system.terms, &self.declared, &written);
                let mut inside = ranges.clone();
                let terms = &mut self.system.terms;
                let (from, to) = (terms.int(*low), terms.int(high + 1));
                let (counter, last) = (terms.var(*var), terms.int(*high));
                let (above, below) = (terms.le(from, counter), terms.le(counter, last));
                for bound in [above, below] {
                    inside.learn(&self.system.terms, &self.declared, bound, true);
                }
                let body = self.statement(body, &mut inside);
                let stmt = self.system.terms.for_loop(*var, from, to, body.stmt);
                match (body.fault, self.which) {
                    (Some(_), Some(which)) => {
                        let both = self.system.guarded_for(which, *var, [from.into(), to.into()], body);
                        self.sync_declared();
                        both
                    }
                    _ => Guarded::safe(stmt),
                }
            }
        }
    }
    /// After how many rounds a loop without loops in it certainly ends, if that is soon.
    fn rounds(&mut self, condition: &Checked, body: &[Code], ranges: &Ranges) -> Option<usize> {
        if loops(body) {
            return None;
        }
        let probing = std::mem::replace(&mut self.probing, true);
        let mut ranges = ranges.clone();
        let mut found = None;
        for round in 0..=MOST_UNROLLED {
            self.remaining(condition, &mut ranges);
            if ranges.truth(&self.system.terms, &self.declared, condition.term) == Some(false) {
                found = Some(round);
                break;
            }
            ranges.learn(&self.system.terms, &self.declared, condition.term, true);
            self.statement(body, &mut ranges);
        }
        self.probing = probing;
        found
    }
    fn while_loop(&mut self, condition: &Checked, body: &[Code], ranges: &mut Ranges) -> Guarded {
        // What ends soon is written out: searches can look through it, and values are known.
        if let Some(rounds) = self.rounds(condition, body, ranges) {
            let round = |rest: Option<Code>| {
                Some(Code::If(condition.clone(), body.iter().cloned().chain(rest).collect(), vec![]))
            };
            let written = (0..rounds).fold(None, |rest, _| round(rest));
            return self.statement(written.as_slice(), ranges);
        }
        // What holds in every round: start from what holds before, and give up what a round changes.
        let written = self.written(body, None);
        let probing = std::mem::replace(&mut self.probing, true);
        for round in 0.. {
            let mut inside = ranges.clone();
            inside.learn(&self.system.terms, &self.declared, condition.term, true);
            self.statement(body, &mut inside);
            let mut joined = ranges.clone();
            joined.join(&self.system.terms, &self.declared, &inside);
            let changed = joined.widen(ranges);
            *ranges = joined;
            if !changed {
                break;
            }
            if round == 4 {
                ranges.forget(&self.system.terms, &self.declared, &written);
                break;
            }
        }
        self.probing = probing;
        let condition = self.remaining(condition, ranges);
        let mut inside = ranges.clone();
        inside.learn(&self.system.terms, &self.declared, condition.term, true);
        let body = self.statement(body, &mut inside);
        ranges.learn(&self.system.terms, &self.declared, condition.term, false);
        let which = self.which_for(&condition.faults);
        if condition.faults.is_empty() && body.fault.is_none() {
            return Guarded::safe(self.system.terms.while_loop(condition.term, body.stmt));
        }
        let flag = self.hidden("$faulted", Type::Bool, None, Span::default());
        let terms = &mut self.system.terms;
        // A condition that goes wrong blocks the good half, whichever way it is decided.
        let wrong = terms.or(condition.faults.iter().map(|(when, _)| *when));
        let right = terms.not(wrong);
        let passes = terms.assume(right);
        let round = terms.seq([passes, body.stmt]);
        let good = terms.while_loop(condition.term, round);
        let good = terms.seq([good, passes]);
        // The faulty half runs rounds until one goes wrong.
        let (yes, no, faulted) = (terms.bool(true), terms.bool(false), terms.var(flag));
        let (set, clear) = (terms.assign(flag, yes), terms.assign(flag, no));
        let mut ways = vec![terms.seq([passes, body.stmt])];
        if let Some(fault) = body.fault {
            ways.push(terms.seq([passes, fault, set]));
        }
        for (when, fault) in &condition.faults {
            let which = which.expect("the condition has faults");
            let number = terms.int(fault.index() as i64);
            let (assume, record) = (terms.assume(*when), terms.assign(which, number));
            ways.push(terms.seq([assume, record, set]));
        }
        let round = terms.choice(ways);
        let go_on = terms.or([condition.term, wrong]);
        let not_yet = terms.not(faulted);
        let go_on = terms.and([not_yet, go_on]);
        let faulty = terms.while_loop(go_on, round);
        let happened = terms.assume(faulted);
        let fault = terms.seq([clear, faulty, happened]);
        Guarded { stmt: good, fault: Some(fault) }
    }
    fn using(&mut self, value: Checked, build: impl FnOnce(&mut Terms, Term) -> Stmt) -> Guarded {
        match self.which_for(&value.faults) {
            Some(which) => Guarded::using(&mut self.system.terms, which, value, build),
            None => Guarded::safe(build(&mut self.system.terms, value.term)),
        }
    }
    /// `value` with the faults that can happen, under their numbers in the system; ranges then know
    /// that none has happened.
    pub(crate) fn remaining(&mut self, value: &Checked, ranges: &mut Ranges) -> Checked {
        let mut faults = Faults::new();
        for (condition, hazard) in &value.faults {
            if !self.probing && ranges.truth(&self.system.terms, &self.declared, *condition) != Some(false) {
                faults.push((*condition, self.fault(*hazard)));
            }
        }
        for (condition, _) in &value.faults {
            ranges.learn(&self.system.terms, &self.declared, *condition, false);
        }
        Checked { term: value.term, faults }
    }
    /// The number in the system of a fault that may happen.
    fn fault(&mut self, hazard: FaultId) -> FaultId {
        if let Some(known) = self.faults.get(&hazard) {
            return *known;
        }
        let Hazard { kind, span, limit } = *self.hazards.get_index(hazard.index()).expect("a known hazard");
        let fault = self.system.faults.push(ir::Fault { kind, span, limit });
        self.faults.insert(hazard, fault);
        fault
    }
    /// The variable that records faults, if there are any here.
    pub(crate) fn which_for(&mut self, faults: &Faults) -> Option<VarId> {
        if faults.is_empty() {
            return self.which;
        }
        if self.which.is_none() {
            let hidden = Variable { shown: false, ..Variable::state("$fault", Span::default()) };
            let which = self.new_var(Type::Int, hidden, None);
            let none = self.system.terms.int(-1);
            self.system.initial.push((which, none));
            self.which = Some(which);
        }
        self.which
    }
    /// The variables that code may change, sorted.
    fn written(&self, code: &[Code], also: Option<VarId>) -> Vec<VarId> {
        let mut vars: Vec<VarId> = also.into_iter().collect();
        collect_written(code, &mut vars);
        vars.sort_unstable();
        vars.dedup();
        vars
    }
    /// Keeps the table of declared ranges as long as that of variables.
    fn sync_declared(&mut self) {
        self.declared.resize(self.system.vars.len());
    }
}

/// Whether there is a loop in code.
fn loops(code: &[Code]) -> bool {
    code.iter().any(|part| match part {
        Code::While(..) | Code::For(..) => true,
        Code::If(_, then, otherwise) => ir::deep(|| loops(then) || loops(otherwise)),
        Code::Assign(..) | Code::Check(_) => false,
    })
}

fn collect_written(code: &[Code], vars: &mut Vec<VarId>) {
    for part in code {
        match part {
            Code::Assign(var, _) => vars.push(*var),
            Code::Check(_) => {}
            Code::If(_, then, otherwise) => ir::deep(|| {
                collect_written(then, vars);
                collect_written(otherwise, vars);
            }),
            Code::While(_, body, _) => ir::deep(|| collect_written(body, vars)),
            Code::For(var, _, _, body) => {
                vars.push(*var);
                ir::deep(|| collect_written(body, vars));
            }
        }
    }
}

struct Execution<'a> {
    terms: &'a mut Terms,
    declared: &'a Declared,
    /// What is known of values from before, where execution is.
    ranges: Ranges,
    own: &'a FxHashSet<VarId>,
    faults: Faults,
    /// How many iterations may still be unrolled.
    left: usize,
    /// How many of them may depend on data.
    open: usize,
    /// Terms with all entries read from variables.
    reads: FxHashMap<Term, Term>,
}

impl Execution<'_> {
    fn list(&mut self, code: &[Code], env: &mut Env, reached: Option<Term>) -> Result<(), NotPure> {
        code.iter().try_for_each(|part| ir::deep(|| self.part(part, env, reached)))
    }
    fn checked(&mut self, value: &Checked, env: &Env, reached: Option<Term>) -> Term {
        self.meet(&value.faults, env, reached);
        self.put(value.term, env)
    }
    /// A term with the values of variables put in; entries are read from variables only.
    fn put(&mut self, term: Term, env: &Env) -> Term {
        let term = self.terms.substitute(term, env);
        self.entries(term)
    }
    fn entries(&mut self, term: Term) -> Term {
        if let Some(known) = self.reads.get(&term) {
            return *known;
        }
        let mut terms = std::mem::take(self.terms);
        let result = terms.rewrite(term, &mut |terms, part| {
            let Node::Read(array, index) = *terms.node(part) else { return None };
            if let Some(known) = self.reads.get(&part) {
                return Some(*known);
            }
            std::mem::swap(self.terms, terms);
            let (array, index) = ir::deep(|| (self.entries(array), self.entries(index)));
            std::mem::swap(self.terms, terms);
            let Type::Array(id) = terms.type_of(array) else { return None };
            let bounds = terms.types.array_type(id).range?;
            let entry = select(terms, array, index, bounds);
            self.reads.insert(part, entry);
            Some(entry)
        });
        *self.terms = terms;
        self.reads.insert(term, result);
        result
    }
    fn meet(&mut self, faults: &Faults, env: &Env, reached: Option<Term>) {
        let more: Faults = faults.iter().map(|(when, fault)| (self.put(*when, env), *fault)).collect();
        then(self.terms, &mut self.faults, reached, more);
    }
    fn part(&mut self, code: &Code, env: &mut Env, reached: Option<Term>) -> Result<(), NotPure> {
        match code {
            Code::Assign(var, value) => {
                if !self.own.contains(var) {
                    return Err(NotPure::Writes(*var));
                }
                let value = self.checked(value, env, reached);
                env.insert(*var, value);
                Ok(())
            }
            Code::Check(faults) => {
                self.meet(faults, env, reached);
                Ok(())
            }
            Code::If(condition, then, otherwise) => {
                let condition = self.checked(condition, env, reached);
                match self.truth(condition) {
                    Some(true) => self.list(then, env, reached),
                    Some(false) => self.list(otherwise, env, reached),
                    None => {
                        let mut other = env.clone();
                        let reach = self.reach(reached, condition);
                        self.knowing(condition, |run| run.list(then, env, Some(reach)))?;
                        let not = self.terms.not(condition);
                        let reach = self.reach(reached, not);
                        self.knowing(not, |run| run.list(otherwise, &mut other, Some(reach)))?;
                        self.merge(condition, env, other);
                        Ok(())
                    }
                }
            }
            Code::While(condition, body, span) => self.while_loop(condition, body, *span, env, reached),
            Code::For(var, low, high, body) => {
                for value in *low..=*high {
                    self.count(Span::default())?;
                    let value = self.terms.int(value);
                    env.insert(*var, value);
                    self.list(body, env, reached)?;
                }
                Ok(())
            }
        }
    }
    fn while_loop(
        &mut self,
        condition: &Checked,
        body: &[Code],
        span: Span,
        env: &mut Env,
        reached: Option<Term>,
    ) -> Result<(), NotPure> {
        loop {
            let now = self.checked(condition, env, reached);
            let (now, facts) = self.facts(now);
            match self.truth(now).or_else(|| self.truth_by_cases(now, MOST_CASES)) {
                Some(false) => return Ok(()),
                Some(true) => {
                    self.count(span)?;
                    self.list(body, env, reached)?;
                }
                None => {
                    self.count(span)?;
                    self.open = self.open.checked_sub(1).ok_or(NotPure::Loop(span))?;
                    let mut inside = env.clone();
                    for value in inside.values_mut().filter(|_| !facts.is_empty()) {
                        *value = self
                            .terms
                            .rewrite(*value, &mut |terms, t| facts.get(&t).map(|holds| terms.bool(*holds)));
                    }
                    let reach = Some(self.reach(reached, now));
                    self.knowing(now, |run| {
                        run.list(body, &mut inside, reach)?;
                        ir::deep(|| run.while_loop(condition, body, span, &mut inside, reach))
                    })?;
                    let other = std::mem::replace(env, inside);
                    self.merge(now, env, other);
                    return Ok(());
                }
            }
        }
    }
    /// A conjunction with each part simplified by what the others say, and what they say: a loop that
    /// may return tests a flag and a counter, and the counter is known only where the flag is down.
    fn facts(&mut self, condition: Term) -> (Term, FxHashMap<Term, bool>) {
        let mut facts = FxHashMap::default();
        let Node::And(parts) = self.terms.node(condition) else { return (condition, facts) };
        let parts = parts.to_vec();
        for part in &parts {
            match *self.terms.node(*part) {
                Node::Not(inner) => facts.insert(inner, false),
                _ => facts.insert(*part, true),
            };
        }
        let mut simpler = vec![];
        for part in parts {
            let own = match *self.terms.node(part) {
                Node::Not(inner) => inner,
                _ => part,
            };
            simpler.push(self.terms.rewrite(part, &mut |terms, t| {
                facts.get(&t).filter(|_| t != own).map(|holds| terms.bool(*holds))
            }));
        }
        (self.terms.and(simpler), facts)
    }
    /// Whether a condition on what was before is decided here, by what is known.
    fn truth(&self, condition: Term) -> Option<bool> {
        match self.terms.as_const(condition) {
            Some(value) => Some(*value == Value::Bool(true)),
            None => self.ranges.truth(self.terms, self.declared, condition),
        }
    }
    /// Whether the condition of a loop is decided in each of the cases that its values are made of: a loop from
    /// `x > 0 ? x - 1 : x` to `x + 1` ends after three rounds, whatever `x` is.
    fn truth_by_cases(&mut self, condition: Term, cases: usize) -> Option<bool> {
        if let Some(known) = self.truth_by_difference(condition) {
            return Some(known);
        }
        match self.terms.node(condition) {
            Node::Const(value) => return Some(*value == Value::Bool(true)),
            Node::Not(inner) => {
                let inner = *inner;
                return self.truth_by_cases(inner, cases).map(|holds| !holds);
            }
            Node::And(parts) => {
                let parts = parts.to_vec();
                let mut all = true;
                for part in parts {
                    match self.truth_by_cases(part, cases) {
                        Some(false) => return Some(false),
                        known => all &= known == Some(true),
                    }
                }
                return all.then_some(true);
            }
            Node::Le(..) | Node::Lt(..) | Node::Eq(..) if cases > 0 => {}
            _ => return None,
        }
        let (mut first, mut size) = (None, 0);
        self.terms.for_each_subterm(condition, |part| {
            size += 1;
            if let Node::Ite(case, ..) = *self.terms.node(part) {
                first.get_or_insert(case);
            }
        });
        let case = first.filter(|_| size <= MOST_PARTS)?;
        let mut known = None;
        for holds in [true, false] {
            let here = self.terms.rewrite(condition, &mut |terms, part| match *terms.node(part) {
                Node::Ite(inner, then, otherwise) if inner == case => {
                    Some(if holds { then } else { otherwise })
                }
                _ => None,
            });
            let here = self.truth_by_cases(here, cases / 2)?;
            if known.is_some_and(|known| known != here) {
                return None;
            }
            known = Some(here);
        }
        known
    }
    /// Whether an order of two sums is decided by their difference.
    fn truth_by_difference(&mut self, condition: Term) -> Option<bool> {
        let (a, b, gap) = match *self.terms.node(condition) {
            Node::Le(a, b) => (a, b, 0),
            Node::Lt(a, b) => (a, b, 1),
            _ => return None,
        };
        if self.terms.type_of(a) != Type::Int {
            return None;
        }
        let difference = self.terms.sub(b, a);
        let range = self.ranges.glance(self.terms, self.declared, difference);
        if range.low >= gap { Some(true) } else { (range.high < gap).then_some(false) }
    }
    /// Runs `f` where a condition on what was before holds. Values from before do not change, so that
    /// what is known stays known.
    fn knowing<T>(&mut self, condition: Term, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.ranges.clone();
        self.ranges.learn(self.terms, self.declared, condition, true);
        let result = f(self);
        self.ranges = before;
        result
    }
    fn count(&mut self, span: Span) -> Result<(), NotPure> {
        self.left = self.left.checked_sub(1).ok_or(NotPure::Loop(span))?;
        Ok(())
    }
    fn reach(&mut self, reached: Option<Term>, condition: Term) -> Term {
        self.terms.and(reached.into_iter().chain([condition]))
    }
    /// If-then-else, simpler where a side is the condition itself, as for flags.
    fn either(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let not = self.terms.not(condition);
        if then == condition {
            self.terms.or([condition, otherwise])
        } else if then == not {
            self.terms.and([not, otherwise])
        } else if otherwise == condition {
            self.terms.and([condition, then])
        } else if otherwise == not {
            self.terms.or([not, then])
        } else {
            self.terms.ite(condition, then, otherwise)
        }
    }
    /// `env` where the condition holds, `other` elsewhere.
    fn merge(&mut self, condition: Term, env: &mut Env, other: Env) {
        let mut vars: Vec<VarId> = other.keys().copied().collect();
        vars.sort_unstable();
        for var in vars {
            let otherwise = other[&var];
            // A variable that one side has not set is not read after this.
            let then = *env.entry(var).or_insert(otherwise);
            env.insert(var, self.either(condition, then, otherwise));
        }
    }
}
