//! Functions that only look: their code is executed, on terms over what was before, and their result is a term.
//!
//! Both sides of a branching are run and merged by if-then-else. A loop is run round by round. While its condition
//! is decided, by constants or by ranges, there is one way to go; where it is open, one way leaves the loop and the
//! other runs one more round knowing the condition. That narrows the range of what the loop counts up to, so that
//! `while (i < n)` ends with the range of `n`. A way on which something certainly goes wrong ends there.
//!
//! Where no range shows the end of a loop (`while (a != b) …`), the loop is executed on values: everything is run
//! again for each value of one variable that its open condition depends on, with this variable as a constant, and
//! so on until nothing is open, and what comes out is merged by the value. Values that what is known of the state
//! excludes, by the conditions before a call in `x > 0 && f(x)`, are left out. What is read has finitely many values,
//! so this ends, unless a loop does not: one that comes to where it has been never ends, and is refused together
//! with the values that keep it going. What would take too long is refused, too, by a count of rounds.

use ir::range::{Declared, Interval, Ranges};
use ir::{Checked, Faults, Node, Span, Term, Terms, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::xta::code::Code;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::then;
use crate::xta::types::select;

/// How many rounds one execution may take, with all values that it is repeated for, where there is no other way.
pub(crate) const MOST_ROUNDS: usize = 100_000;
/// How many it may take where the loop could stay.
const FEW_ROUNDS: usize = 256;
/// How many of them may begin with an open condition that narrows no range, for any values and for known ones: each
/// makes the values of all that follow longer.
const MOST_OPEN: [usize; 2] = [512, 64];
/// How many of these, in a row, may change no counter that the loop depends on.
const MOST_IDLE: usize = 3;
/// So many parts of one value count like a round.
const A_ROUND: usize = 16;
/// How many cases the condition of a loop may be split into.
const MOST_CASES: usize = 64;
/// How many sub-terms it may have then.
const MOST_PARTS: usize = 100;

/// Why code has no value as a term.
#[derive(Clone, Debug)]
pub(crate) enum NotPure {
    /// It changes this variable.
    Writes(VarId),
    /// This loop never ends where parts of the state have these values.
    Endless(Span, Vec<(Term, Term)>),
    /// This loop takes too many rounds.
    Long(Span),
    /// This loop would have to be executed for each value of this part of the state, and it has too many.
    Many(Span, Term),
}

/// Values of variables as terms over what was before.
type Env = FxHashMap<VarId, Term>;

impl Elaborator {
    /// Executes code that changes nothing but `own` variables; their values afterwards, and how it
    /// goes wrong.
    pub(crate) fn execute(
        &mut self,
        code: &[Code],
        own: &FxHashSet<VarId>,
    ) -> Result<(Env, Faults), NotPure> {
        let only_way = self.code.is_none();
        let mut run = Execution {
            terms: &mut self.system.terms,
            declared: &self.declared,
            ranges: self.context.clone(),
            own,
            faults: Faults::new(),
            left: if only_way { MOST_ROUNDS } else { FEW_ROUNDS },
            open: FEW_ROUNDS,
            values: vec![],
            way: vec![],
            reads: FxHashMap::default(),
        };
        // Whether loops end depends on what is known.
        let before = run.declared.thorough(only_way);
        let start = Env::default();
        let result = if only_way { run.by_values(code, &start) } else { run.attempt(code, &start) };
        run.declared.thorough(before);
        result.map_err(|halt| match halt {
            Halt::Writes(var) => NotPure::Writes(var),
            Halt::Endless(span) => NotPure::Endless(span, run.values),
            Halt::Open(span, _) | Halt::Long(span) => NotPure::Long(span),
            Halt::Many(span, part) => NotPure::Many(span, part),
            Halt::Wrong => unreachable!("a way that goes wrong is the end of an attempt"),
        })
    }
}

/// Why an execution ends before its code does.
#[derive(Copy, Clone, Debug)]
enum Halt {
    /// It changes this variable, which is not its own.
    Writes(VarId),
    /// Something goes wrong for certain.
    Wrong,
    /// Whether this loop goes on depends on what this term reads.
    Open(Span, Term),
    /// This loop comes back to where it was.
    Endless(Span),
    /// This loop takes too many rounds.
    Long(Span),
    /// This loop depends on this part of the state, which has more values than there are rounds left.
    Many(Span, Term),
}

struct Execution<'a> {
    terms: &'a mut Terms,
    declared: &'a Declared,
    /// What is known of values from before, where execution is.
    ranges: Ranges,
    own: &'a FxHashSet<VarId>,
    faults: Faults,
    /// How many rounds are left.
    left: usize,
    /// How many of them may begin with an open condition that narrows no range.
    open: usize,
    /// The parts of the state that the execution is repeated for, with their values now.
    values: Vec<(Term, Term)>,
    /// The open conditions that lead to where execution is.
    way: Vec<Term>,
    /// Terms with all entries read from variables.
    reads: FxHashMap<Term, Term>,
}

impl Execution<'_> {
    /// Executes code from the beginning, where variables have `known` values. What is learned on the way, where
    /// nothing has gone wrong yet, is forgotten at the end: the next attempt begins before all of it.
    fn attempt(&mut self, code: &[Code], known: &Env) -> Result<(Env, Faults), Halt> {
        self.faults.clear();
        self.way.clear();
        let mut env = known.clone();
        let before = self.ranges.clone();
        let end = self.list(code, &mut env);
        self.ranges = before;
        match end {
            Ok(()) => {}
            Err(Halt::Wrong) => self.fill(&mut env),
            Err(other) => return Err(other),
        }
        env.retain(|var, _| self.own.contains(var));
        Ok((env, std::mem::take(&mut self.faults)))
    }
    /// Nobody looks at what comes out of a way that is never gone to its end, but something must.
    fn fill(&mut self, env: &mut Env) {
        for var in self.own {
            let ty = self.terms.var_type(*var);
            env.entry(*var).or_insert_with(|| anything(self.terms, ty));
        }
    }
    /// Executes code from the beginning; for each value of what keeps a loop open, if necessary.
    fn by_values(&mut self, code: &[Code], known: &Env) -> Result<(Env, Faults), Halt> {
        self.open = MOST_OPEN[usize::from(!known.is_empty())];
        match self.attempt(code, known) {
            Err(Halt::Open(span, depends)) => match self.part_of_state(depends) {
                Some((part, range)) => self.for_each_value(code, known, part, range, span),
                None => Err(Halt::Long(span)),
            },
            other => other,
        }
    }
    /// Executes code for each value of a part of the state. Values in a row that make no difference are one case.
    fn for_each_value(
        &mut self,
        code: &[Code],
        known: &Env,
        part: Term,
        range: Interval,
        span: Span,
    ) -> Result<(Env, Faults), Halt> {
        let (low, high) = range.words();
        if high.abs_diff(low) >= self.left as u64 {
            return Err(Halt::Many(span, part));
        }
        let mut cases: Vec<(Term, Env, Faults)> = vec![];
        for value in low..=high {
            self.count(1, span)?;
            let (value, up_to) = self.value_of(part, value);
            let mut known = known.clone();
            self.fix(part, value, &mut known);
            self.values.push((part, value));
            let here = self.terms.eq(part, value);
            let result = self.knowing(here, |run| {
                let possible = !run.ranges.impossible(run.terms, run.declared);
                possible.then(|| run.by_values(code, &known)).transpose()
            })?;
            self.values.pop();
            let Some((env, faults)) = result else { continue };
            match cases.last_mut() {
                Some(last) if (&last.1, &last.2) == (&env, &faults) => last.0 = up_to,
                _ => cases.push((up_to, env, faults)),
            }
        }
        let mut all = Faults::new();
        let mut below = self.terms.bool(false);
        for (up_to, _, faults) in &cases {
            let above = self.terms.not(below);
            for (when, fault) in faults {
                all.push((self.terms.and([above, *up_to, *when]), *fault));
            }
            below = *up_to;
        }
        let Some((_, mut result, _)) = cases.pop() else {
            let mut result = Env::default();
            self.fill(&mut result);
            return Ok((result, all));
        };
        while let Some((up_to, env, _)) = cases.pop() {
            let later = std::mem::replace(&mut result, env);
            self.merge(up_to, &mut result, later);
        }
        Ok((result, all))
    }
    /// A value of a part of the state, and the condition that the part is not above it.
    fn value_of(&mut self, part: Term, value: i64) -> (Term, Term) {
        if self.terms.type_of(part) == Type::Bool {
            let not = self.terms.not(part);
            let holds = self.terms.bool(value != 0);
            return (holds, if value == 0 { not } else { self.terms.bool(true) });
        }
        let value = self.terms.int(value);
        (value, self.terms.le(part, value))
    }
    /// Makes a part of the state a constant.
    fn fix(&mut self, part: Term, value: Term, known: &mut Env) {
        match *self.terms.node(part) {
            Node::Var(var, _) => drop(known.insert(var, value)),
            Node::Read(array, index) => {
                let before = self.terms.substitute(array, known);
                let after = self.terms.write(before, index, value);
                self.fix(array, after, known);
            }
            _ => unreachable!("variables and entries are parts of the state"),
        }
    }
    /// The variable or entry with the fewest values that a term depends on.
    fn part_of_state(&self, term: Term) -> Option<(Term, Interval)> {
        let mut best: Option<(u64, Term, Interval)> = None;
        self.terms.for_each_subterm(term, |part| {
            let Some(var) = root(self.terms, part) else { return };
            let range = match self.terms.type_of(part) {
                Type::Bool => Interval { low: 0, high: 1 },
                Type::Int if self.declared.of(var).is_some() => {
                    self.ranges.of(self.terms, self.declared, part)
                }
                _ => return,
            };
            let (low, high) = range.words();
            let size = high.abs_diff(low);
            if range.low <= range.high && best.is_none_or(|(least, known, _)| (size, part) < (least, known)) {
                best = Some((size, part, range));
            }
        });
        best.map(|(_, part, range)| (part, range))
    }
    fn list(&mut self, code: &[Code], env: &mut Env) -> Result<(), Halt> {
        code.iter().try_for_each(|part| ir::deep(|| self.part(part, env)))
    }
    fn checked(&mut self, value: &Checked, env: &Env) -> Result<Term, Halt> {
        self.meet(&value.faults, env)?;
        Ok(self.put(value.term, env))
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
            // Most parts are values from before.
            if let Some(known) = self.reads.get(&part) {
                return Some(*known);
            }
            let Node::Read(array, index) = *terms.node(part) else { return None };
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
        self.reads.extend([(term, result), (result, result)]);
        result
    }
    /// Takes down how an evaluation goes wrong here.
    fn meet(&mut self, faults: &Faults, env: &Env) -> Result<(), Halt> {
        let mut more: Faults = faults.iter().map(|(when, fault)| (self.put(*when, env), *fault)).collect();
        let known = |run: &Self, when: Term| run.ranges.truth_at_a_glance(run.terms, run.declared, when);
        more.retain(|(when, _)| known(self, *when) != Some(false));
        if more.is_empty() {
            return Ok(());
        }
        let certain = more.iter().any(|(when, _)| known(self, *when) == Some(true));
        let reached = self.way();
        // Whoever goes on has not gone wrong.
        for (when, _) in &more {
            self.ranges.learn_at_a_glance(self.terms, self.declared, *when, false);
        }
        then(self.terms, &mut self.faults, reached, more);
        if certain { Err(Halt::Wrong) } else { Ok(()) }
    }
    /// The condition that execution gets here, if that is not certain.
    fn way(&mut self) -> Option<Term> {
        let conditions = self.way.clone();
        (!conditions.is_empty()).then(|| self.terms.and(conditions))
    }
    fn part(&mut self, code: &Code, env: &mut Env) -> Result<(), Halt> {
        match code {
            Code::Assign(var, value) => {
                if !self.own.contains(var) {
                    return Err(Halt::Writes(*var));
                }
                let value = self.checked(value, env)?;
                self.count(width(self.terms, value) / A_ROUND, Span::default())?;
                env.insert(*var, value);
                Ok(())
            }
            Code::Check(faults) => self.meet(faults, env),
            Code::If(condition, then, otherwise) => {
                let condition = self.checked(condition, env)?;
                match self.truth(condition) {
                    Some(true) => self.list(then, env),
                    Some(false) => self.list(otherwise, env),
                    None => {
                        let mut other = env.clone();
                        let first = self.on_the_way(condition, |run| run.list(then, env));
                        let not = self.terms.not(condition);
                        let second = self.on_the_way(not, |run| run.list(otherwise, &mut other));
                        self.either_way(condition, env, first, other, second)
                    }
                }
            }
            Code::While(condition, body, span) => self.while_loop(condition, body, *span, env),
            Code::For(var, low, high, body) => {
                for value in *low..=*high {
                    self.count(1, Span::default())?;
                    let value = self.terms.int(value);
                    env.insert(*var, value);
                    self.list(body, env)?;
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
    ) -> Result<(), Halt> {
        let (ranges, depth) = (self.ranges.clone(), self.way.len());
        let mut exits = vec![];
        let mut end = self.rounds(condition, body, span, env, &mut exits);
        self.ranges = ranges;
        self.way.truncate(depth);
        while let Some((stayed, left)) = exits.pop() {
            end = self.either_way(stayed, env, end, left, Ok(()));
        }
        end
    }
    /// Runs a loop to its last round; `exits` are the conditions under which it was not left before, each with what
    /// it was left with otherwise.
    fn rounds(
        &mut self,
        condition: &Checked,
        body: &[Code],
        span: Span,
        env: &mut Env,
        exits: &mut Vec<(Term, Env)>,
    ) -> Result<(), Halt> {
        // Where the loop was at the last power of two.
        let mut been: Option<Env> = None;
        let mut round: usize = 0;
        let mut counters = Counters::default();
        loop {
            let now = self.checked(condition, env)?;
            let (now, facts) = self.facts(now);
            match self.truth(now).or_else(|| self.truth_by_cases(now, MOST_CASES)) {
                Some(false) => return Ok(()),
                Some(true) if been.as_ref() == Some(env) => {
                    // Whether it gets here at all may be open.
                    return Err(self.way().map_or(Halt::Endless(span), |way| Halt::Open(span, way)));
                }
                Some(true) => {}
                None => {
                    exits.push((now, env.clone()));
                    for value in env.values_mut().filter(|_| !facts.is_empty()) {
                        *value = self
                            .terms
                            .rewrite(*value, &mut |terms, t| facts.get(&t).map(|holds| terms.bool(*holds)));
                    }
                    if !self.narrowed_by(now) {
                        let count = counters.idle(self.terms, condition, body, env) <= MOST_IDLE;
                        let left = self.open.checked_sub(1).filter(|_| count);
                        self.open = left.ok_or(Halt::Open(span, now))?;
                    }
                    self.way.push(now);
                }
            }
            round += 1;
            if round.is_power_of_two() {
                been = Some(env.clone());
            }
            self.count(1, span)?;
            self.list(body, env)?;
        }
    }
    /// Takes down that a condition holds; whether that leaves fewer values for a part of the state that it compares.
    fn narrowed_by(&mut self, condition: Term) -> bool {
        let conjuncts = match self.terms.node(condition) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![condition],
        };
        let mut compared = vec![];
        for part in conjuncts {
            let atom = match *self.terms.node(part) {
                Node::Not(inner) => inner,
                _ => part,
            };
            if let Node::Le(a, b) | Node::Lt(a, b) | Node::Eq(a, b) = *self.terms.node(atom) {
                compared.extend([a, b].into_iter().filter(|side| root(self.terms, *side).is_some()));
            }
        }
        let range = |run: &Self, part: &Term| run.ranges.of(run.terms, run.declared, *part);
        let before: Vec<Interval> = compared.iter().map(|part| range(self, part)).collect();
        self.ranges.learn(self.terms, self.declared, condition, true);
        compared.iter().zip(before).any(|(part, before)| range(self, part) != before)
    }
    /// After one of two ways, of which one may have ended early: `env` where the condition holds, else `other`.
    fn either_way(
        &mut self,
        condition: Term,
        env: &mut Env,
        first: Result<(), Halt>,
        other: Env,
        second: Result<(), Halt>,
    ) -> Result<(), Halt> {
        match (first, second) {
            (Ok(()), Ok(())) => self.merge(condition, env, other),
            (Err(Halt::Wrong), Ok(())) => *env = other,
            (Ok(()), Err(Halt::Wrong)) => {}
            (Err(Halt::Wrong), second) => return second,
            (first, _) if first.is_err() => return first,
            (_, second) => return second,
        }
        Ok(())
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
    /// Runs `f` on the way that a condition leads to.
    fn on_the_way<T>(&mut self, condition: Term, f: impl FnOnce(&mut Self) -> T) -> T {
        self.way.push(condition);
        let result = self.knowing(condition, f);
        self.way.pop();
        result
    }
    fn count(&mut self, rounds: usize, span: Span) -> Result<(), Halt> {
        self.left = self.left.checked_sub(rounds).ok_or(Halt::Long(span))?;
        Ok(())
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

/// The variables with known values that a loop depends on.
#[derive(Default)]
struct Counters {
    /// All variables that decide whether it goes on, once they are needed.
    deciding: Option<FxHashSet<VarId>>,
    /// Those with known values, and these, when it was open last.
    last: Vec<(VarId, Term)>,
    /// For how many rounds they have been the same.
    idle: usize,
}

impl Counters {
    /// For how many open rounds in a row no counter has changed.
    fn idle(&mut self, terms: &Terms, condition: &Checked, body: &[Code], env: &Env) -> usize {
        let deciding = self.deciding.get_or_insert_with(|| {
            let mut vars: FxHashSet<VarId> = terms.vars_of(condition.term).into_iter().collect();
            while flows(terms, body, &mut vec![], &mut vars) {}
            vars
        });
        let known = |term: Term| terms.as_const(term).is_some();
        let mut now: Vec<(VarId, Term)> = deciding
            .iter()
            .filter_map(|var| Some((*var, *env.get(var)?)))
            .filter(|(_, term)| known(*term))
            .collect();
        now.sort_unstable();
        self.idle = if now == self.last { self.idle + 1 } else { 0 };
        self.last = now;
        self.idle
    }
}

/// Adds the variables that the values of others depend on, under conditions on `tested` variables; whether there were any.
fn flows(terms: &Terms, code: &[Code], tested: &mut Vec<VarId>, vars: &mut FxHashSet<VarId>) -> bool {
    let before = vars.len();
    for part in code {
        let depth = tested.len();
        match part {
            Code::Assign(var, value) if vars.contains(var) => {
                vars.extend(terms.vars_of(value.term));
                vars.extend(tested.iter());
            }
            Code::Assign(..) | Code::Check(_) => {}
            Code::If(condition, then, otherwise) => {
                tested.extend(terms.vars_of(condition.term));
                flows(terms, then, tested, vars);
                flows(terms, otherwise, tested, vars);
            }
            Code::While(condition, body, _) => {
                tested.extend(terms.vars_of(condition.term));
                flows(terms, body, tested, vars);
            }
            Code::For(_, _, _, body) => drop(flows(terms, body, tested, vars)),
        }
        tested.truncate(depth);
    }
    vars.len() > before
}

/// The variable that a variable or an entry at a known position is part of.
fn root(terms: &Terms, part: Term) -> Option<VarId> {
    match *terms.node(part) {
        Node::Var(var, 0) => Some(var),
        Node::Read(array, index) if terms.as_const(index).is_some() => root(terms, array),
        _ => None,
    }
}

/// How many parts a term is directly made of.
fn width(terms: &Terms, term: Term) -> usize {
    match terms.node(term) {
        Node::Add(parts) | Node::Mul(parts) | Node::And(parts) | Node::Or(parts) => parts.len(),
        _ => 1,
    }
}

/// Some value of a type.
fn anything(terms: &mut Terms, ty: Type) -> Term {
    match ty {
        Type::Bool => terms.bool(false),
        Type::Array(id) => {
            let element = terms.types.array_type(id).element;
            let element = anything(terms, element);
            terms.fill(id, element)
        }
        _ => terms.int(0),
    }
}
