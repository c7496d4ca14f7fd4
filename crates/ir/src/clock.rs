//! Clock constraints: the atoms `x - y ≺ e` that zones are made of.
//!
//! A clock constraint is an ordinary boolean term. [`clock_atom`] reads one as a conjunction of
//! differences, [`cubes`] brings any condition into a disjunction of such conjunctions, each with the
//! data conditions that go with it, where a comparison of what depends on conditions over clocks is told
//! apart by these, and [`eventually`] removes a delay from a condition exactly, by
//! elimination (Fourier and Motzkin): v satisfies it iff some v + d with d >= 0 satisfies the
//! condition, where d is added to all clocks but those that stand still.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::stmt::Stmt;
use crate::system::{Span, System, Variable};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::{Type, Value};

/// `plus - minus < bound` or `<=`; a missing clock is 0, the bound is free of clocks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockAtom {
    /// The clock that is bounded from above.
    pub plus: Option<VarId>,
    /// The clock that is bounded from below.
    pub minus: Option<VarId>,
    /// The bound, an integer term over data.
    pub bound: Term,
    /// Whether the bound itself is excluded.
    pub strict: bool,
}

/// A conjunction of clock atoms and data conditions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    /// The differences of clocks.
    pub clocks: Vec<ClockAtom>,
    /// What is required of data.
    pub data: Vec<Term>,
}

/// Why a condition has no such form.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoCubes {
    /// This term uses clocks in another way than in differences.
    Term(Term),
    /// More conjunctions than the limit.
    TooMany,
}

/// How many conjunctions a condition may have.
const CUBE_LIMIT: usize = 4096;

impl Terms {
    /// `term` where it is known whether a condition within it holds.
    pub fn given(&mut self, term: Term, condition: Term, holds: bool) -> Term {
        let value = self.bool(holds);
        self.rewrite(term, &mut |_, t| (t == condition).then_some(value))
    }
    /// An outermost condition over clocks within `term`, which it is not itself.
    pub fn clock_condition_below(&self, term: Term) -> Option<Term> {
        let mut found = None;
        self.node(term).for_each_child(|child| found = found.or_else(|| self.clock_condition(child)));
        found
    }
    /// An outermost condition over clocks in `value`.
    fn clock_condition(&self, value: Term) -> Option<Term> {
        let mut stack = vec![value];
        while let Some(next) = stack.pop() {
            match self.type_of(next) {
                _ if !self.has_clock(next) => {}
                Type::Bool => return Some(next),
                _ => self.node(next).for_each_child(|child| stack.push(child)),
            }
        }
        None
    }
    /// The outermost conditions over clocks in `value`, each once, in the order of their numbers.
    fn clock_conditions(&self, value: Term) -> Vec<Term> {
        // Children come before their parents.
        let mut timed = FxHashSet::default();
        self.for_each_subterm(value, |t| {
            let mut clocks = matches!(self.node(t), Node::Var(var, _) if self.var_type(*var) == Type::Clock);
            self.node(t).for_each_child(|child| clocks |= timed.contains(&child));
            if clocks {
                timed.insert(t);
            }
        });
        let (mut found, mut stack) = (vec![], vec![value]);
        while let Some(next) = stack.pop() {
            if timed.remove(&next) {
                match self.type_of(next) {
                    Type::Bool => found.push(next),
                    _ => self.node(next).for_each_child(|child| stack.push(child)),
                }
            }
        }
        found.sort_unstable();
        found
    }
    /// `var := value` by branches, one for each combination of what conditions over clocks can be.
    fn assign_in_branches(&mut self, var: VarId, value: Term) -> Stmt {
        let Some(condition) = self.clock_condition(value) else { return self.assign(var, value) };
        let [yes, no] = [true, false].map(|holds| {
            let value = self.given(value, condition, holds);
            self.assign_in_branches(var, value)
        });
        self.branch(condition, yes, no)
    }
}

/// An assignment with more conditions over clocks than this gives each of them a name.
const MOST_BRANCHED: usize = 3;

impl System {
    /// `var := value`, with conditions over clocks in the value as conditions of branches: `b := x > 3` is
    /// `if (x > 3) b := true else b := false`. What is assigned then is free of clocks. Many conditions would have
    /// exponentially many combinations, so each is kept in a hidden local variable first,
    /// `if (x > 3) t := true else t := false`, and the value is made from these.
    pub fn assign_by_cases(&mut self, var: VarId, value: Term) -> Stmt {
        let terms = &mut self.terms;
        if terms.var_type(var) == Type::Clock || !terms.has_clock(value) {
            return terms.assign(var, value);
        }
        let conditions = terms.clock_conditions(value);
        if conditions.len() <= MOST_BRANCHED {
            return terms.assign_in_branches(var, value);
        }
        let names = self.case_variables(conditions.len());
        let terms = &mut self.terms;
        let [yes, no] = [true, false].map(|holds| terms.bool(holds));
        let mut parts = vec![];
        let mut named = FxHashMap::default();
        for (condition, name) in conditions.into_iter().zip(names) {
            let (set, clear) = (terms.assign(name, yes), terms.assign(name, no));
            parts.push(terms.branch(condition, set, clear));
            named.insert(condition, terms.var(name));
        }
        let value = terms.rewrite(value, &mut |_, t| named.get(&t).copied());
        parts.push(terms.assign(var, value));
        terms.seq(parts)
    }
    /// So many hidden local variables; every assignment uses the same ones, for each writes before it reads.
    fn case_variables(&mut self, count: usize) -> Vec<VarId> {
        while self.cases.len() < count {
            let variable = Variable { shown: false, ..Variable::local("$case", Span::default()) };
            let case = self.declare(Type::Bool, variable);
            self.cases.push(case);
        }
        self.cases[..count].to_vec()
    }
}

/// The differences that an atom over clocks stands for: one, or two for an equality.
pub fn clock_atom(terms: &mut Terms, term: Term) -> Option<SmallVec<[ClockAtom; 2]>> {
    let (a, b, strict, both) = match *terms.node(term) {
        Node::Le(a, b) => (a, b, false, false),
        Node::Lt(a, b) => (a, b, true, false),
        Node::Eq(a, b) if matches!(terms.type_of(a), Type::Int | Type::Rat | Type::Clock) => {
            (a, b, false, true)
        }
        _ => return None,
    };
    if !matches!(terms.type_of(a), Type::Int | Type::Rat | Type::Clock) {
        return None;
    }
    // a - b ≺ 0, with the clocks apart from the rest.
    let difference = terms.sub(a, b);
    let parts: Vec<Term> = match terms.node(difference) {
        Node::Add(list) => list.to_vec(),
        _ => vec![difference],
    };
    let (mut plus, mut minus, mut rest) = (None, None, vec![]);
    for part in parts {
        if let Some(clock) = as_clock(terms, part) {
            plus.replace(clock).map_or(Some(()), |_| None)?;
        } else if let Some(clock) = as_negated_clock(terms, part) {
            minus.replace(clock).map_or(Some(()), |_| None)?;
        } else if terms.has_clock(part) {
            return None;
        } else {
            rest.push(part);
        }
    }
    if plus.is_none() && minus.is_none() {
        return None;
    }
    let rest = terms.add(rest);
    let bound = terms.neg(rest);
    let mut atoms = smallvec![ClockAtom { plus, minus, bound, strict }];
    if both {
        atoms.push(ClockAtom { plus: minus, minus: plus, bound: rest, strict });
    }
    Some(atoms)
}

fn as_clock(terms: &Terms, term: Term) -> Option<VarId> {
    match *terms.node(term) {
        Node::Var(var, 0) if terms.var_type(var) == Type::Clock => Some(var),
        _ => None,
    }
}

fn as_negated_clock(terms: &Terms, term: Term) -> Option<VarId> {
    match terms.node(term) {
        Node::Mul(list) if list.len() == 2 && terms.as_const(list[0]) == Some(&Value::int(-1)) => {
            as_clock(terms, list[1])
        }
        _ => None,
    }
}

impl ClockAtom {
    /// The constraint as a term.
    pub fn term(&self, terms: &mut Terms) -> Term {
        let plus = self.plus.map(|clock| terms.var(clock));
        let minus = self.minus.map(|clock| terms.var(clock));
        // `-y <= c` is written `-c <= y`.
        let (left, right) = match (plus, minus) {
            (Some(plus), Some(minus)) => (terms.sub(plus, minus), self.bound),
            (Some(plus), None) => (plus, self.bound),
            (None, Some(minus)) => (terms.neg(self.bound), minus),
            (None, None) => (terms.int(0), self.bound),
        };
        if self.strict { terms.lt(left, right) } else { terms.le(left, right) }
    }
}

/// `condition` as a disjunction of cubes.
pub fn cubes(terms: &mut Terms, condition: Term) -> Result<Vec<Cube>, NoCubes> {
    let mut lifted = 0;
    crate::deep(|| cubes_of(terms, condition, true, &mut lifted))
}

/// The cubes of a condition or its negation; `lifted` counts the comparisons that were told apart by cases.
fn cubes_of(terms: &mut Terms, term: Term, positive: bool, lifted: &mut usize) -> Result<Vec<Cube>, NoCubes> {
    if !terms.has_clock(term) {
        let data = if positive { term } else { terms.not(term) };
        return Ok(match terms.as_const(data) {
            Some(Value::Bool(true)) => vec![Cube::default()],
            Some(_) => vec![],
            None => vec![Cube { clocks: vec![], data: vec![data] }],
        });
    }
    let mut next =
        |terms: &mut Terms, t: Term, positive: bool| crate::deep(|| cubes_of(terms, t, positive, lifted));
    match (terms.node(term).clone(), positive) {
        (Node::Not(inner), _) => next(terms, inner, !positive),
        (Node::And(list), true) | (Node::Or(list), false) => {
            let mut all = vec![Cube::default()];
            for part in list {
                let part = next(terms, part, positive)?;
                all = conjoin(&all, &part)?;
            }
            Ok(all)
        }
        (Node::Or(list), true) | (Node::And(list), false) => {
            let mut all = vec![];
            for part in list {
                all.extend(next(terms, part, positive)?);
                if all.len() > CUBE_LIMIT {
                    return Err(NoCubes::TooMany);
                }
            }
            Ok(all)
        }
        (Node::Ite(condition, then, otherwise), _) => {
            let (yes, no) = (next(terms, condition, true)?, next(terms, condition, false)?);
            let (then, otherwise) = (next(terms, then, positive)?, next(terms, otherwise, positive)?);
            let mut all = conjoin(&yes, &then)?;
            all.extend(conjoin(&no, &otherwise)?);
            Ok(all)
        }
        (Node::Eq(a, b), _) if terms.type_of(a) == Type::Bool => {
            let (a_yes, a_no) = (next(terms, a, true)?, next(terms, a, false)?);
            let (b_same, b_other) = (next(terms, b, positive)?, next(terms, b, !positive)?);
            let mut all = conjoin(&a_yes, &b_same)?;
            all.extend(conjoin(&a_no, &b_other)?);
            Ok(all)
        }
        _ => {
            let Some(atoms) = clock_atom(terms, term) else {
                return cubes_by_cases(terms, term, positive, lifted);
            };
            if positive {
                return Ok(vec![Cube { clocks: atoms.to_vec(), data: vec![] }]);
            }
            // The negation of a conjunction of differences: one of them is reversed.
            let reversed = atoms.iter().map(|atom| {
                let bound = terms.neg(atom.bound);
                ClockAtom { plus: atom.minus, minus: atom.plus, bound, strict: !atom.strict }
            });
            Ok(reversed.map(|atom| Cube { clocks: vec![atom], data: vec![] }).collect())
        }
    }
}

/// The cubes of what is asked of a value that depends on a condition over clocks, as in
/// `(if x < 1 then n else 1) == 0`: those where the condition holds, and those where it does not.
fn cubes_by_cases(
    terms: &mut Terms,
    term: Term,
    positive: bool,
    lifted: &mut usize,
) -> Result<Vec<Cube>, NoCubes> {
    let condition = terms.clock_condition_below(term).ok_or(NoCubes::Term(term))?;
    // The cases of many conditions may be too many even if hardly any of them leads to a cube.
    *lifted += 1;
    if *lifted > CUBE_LIMIT {
        return Err(NoCubes::TooMany);
    }
    let mut all = vec![];
    for holds in [true, false] {
        let rest = terms.given(term, condition, holds);
        let rest = crate::deep(|| cubes_of(terms, rest, positive, lifted))?;
        if !rest.is_empty() {
            let here = crate::deep(|| cubes_of(terms, condition, holds, lifted))?;
            all.extend(conjoin(&here, &rest)?);
        }
    }
    Ok(all)
}

fn conjoin(a: &[Cube], b: &[Cube]) -> Result<Vec<Cube>, NoCubes> {
    if a.len().saturating_mul(b.len()) > CUBE_LIMIT {
        return Err(NoCubes::TooMany);
    }
    let join = |a: &Cube, b: &Cube| Cube {
        clocks: [a.clocks.as_slice(), &b.clocks].concat(),
        data: [a.data.as_slice(), &b.data].concat(),
    };
    Ok(a.iter().flat_map(|a| b.iter().map(move |b| join(a, b))).collect())
}

/// The condition that `condition` holds after some delay, now included, during which the clocks in `still` stand still.
pub fn eventually(terms: &mut Terms, condition: Term, still: &[VarId]) -> Result<Term, NoCubes> {
    let runs = |clock: Option<VarId>| clock.is_some_and(|clock| !still.contains(&clock));
    let mut ways = vec![];
    for cube in cubes(terms, condition)? {
        let mut parts = cube.data;
        let (mut upper, mut lower) = (vec![], vec![]);
        for atom in &cube.clocks {
            // With d added to every clock that runs, `x - y ≺ c` becomes `d ≺ c + y - x` if only x does,
            // `x - y - c ≺ d` if only y does, and stays as it is otherwise.
            match (runs(atom.plus), runs(atom.minus)) {
                (true, false) => upper.push(atom),
                (false, true) => lower.push(atom),
                _ => {}
            }
            if runs(atom.plus) || !runs(atom.minus) {
                parts.push(atom.term(terms));
            }
        }
        for up in &upper {
            for low in &lower {
                parts.push(between(terms, low, up));
            }
        }
        ways.push(terms.and(parts));
    }
    Ok(terms.or(ways))
}

/// That there is a delay beyond a lower bound on it and within an upper one, which is the sum of the two constraints.
fn between(terms: &mut Terms, low: &ClockAtom, up: &ClockAtom) -> Term {
    let bound = terms.add([up.bound, low.bound]);
    let [plus, minus] = [[up.plus, low.plus], [up.minus, low.minus]].map(|clocks| {
        let clocks: Vec<Term> = clocks.into_iter().flatten().map(|clock| terms.var(clock)).collect();
        terms.add(clocks)
    });
    let difference = terms.sub(plus, minus);
    if up.strict || low.strict { terms.lt(difference, bound) } else { terms.le(difference, bound) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::State;
    use crate::interp::Interp;
    use crate::number::Rat;
    use crate::system::Scope;

    /// `n := (if c < 1 then 1 else 0) + (if c < 2 then 2 else 0) + …`
    fn assign(system: &mut System, [n, c]: [VarId; 2], count: i64) -> Stmt {
        let mut parts = vec![];
        for at in 1..=count {
            let (clock, bound, zero) = (system.terms.var(c), system.terms.int(at), system.terms.int(0));
            let early = system.terms.lt(clock, bound);
            parts.push(system.terms.ite(early, bound, zero));
        }
        let value = system.terms.add(parts);
        system.assign_by_cases(n, value)
    }
    fn variables() -> (System, [VarId; 2]) {
        let mut system = System::default();
        let n = system.declare(Type::Int, Variable::state("n", Span::default()));
        let c = system.declare(Type::Clock, Variable::state("c", Span::default()));
        (system, [n, c])
    }
    fn sum(count: i64) -> (System, Stmt) {
        let (mut system, vars) = variables();
        let stmt = assign(&mut system, vars, count);
        (system, stmt)
    }
    fn statements(count: i64) -> usize {
        let (system, stmt) = sum(count);
        let mut found = 0;
        system.terms.for_each_substmt(stmt, |_| found += 1);
        found
    }

    #[test]
    fn variables_are_shared_by_assignments_and_not_by_names() {
        let (mut system, vars) = variables();
        // Hidden and of that name, and all the same somebody else's.
        let variable = Variable { shown: false, ..Variable::local("$case", Span::default()) };
        let other = system.declare(Type::Bool, variable);
        let first = assign(&mut system, vars, 5);
        let count = system.vars.len();
        let second = assign(&mut system, vars, 4);
        assert_eq!((system.vars.len(), system.cases.len()), (count, 5));
        for stmt in [first, second] {
            system.terms.for_each_substmt(stmt, |part| {
                let node = system.terms.stmt(part);
                assert!(!matches!(node, crate::StmtNode::Assign(var, _) if *var == other));
            });
        }
    }

    #[test]
    fn cases_of_an_assignment_are_exact_and_few() {
        for count in [1, 3, 4, 30] {
            let (system, stmt) = sum(count);
            for time in 0..=count {
                let values = [Some(Value::int(0)), Some(Value::rat(Rat::from(time)))];
                let state = State { locations: Box::new([]), values: values.into() };
                let mut found = vec![];
                let result = Interp::new(&system, None).successors(stmt, &state, &mut |outcome| {
                    found.push(outcome.values[0].clone());
                    true
                });
                assert_eq!(result, Ok(()));
                // All bounds that are still to come.
                let expected = (time + 1..=count).sum();
                assert_eq!(found, [Some(Value::int(expected))], "{time} of {count}");
            }
        }
        // Every condition adds a branching of two assignments.
        assert_eq!(statements(200) - statements(100), statements(300) - statements(200));
        assert!(statements(200) - statements(100) <= 300);
    }
    #[test]
    fn variables_for_cases_are_hidden_and_used_again() {
        let (mut system, vars) = variables();
        assign(&mut system, vars, 10);
        assign(&mut system, vars, 8);
        assert_eq!(system.vars.len(), 12);
        let hidden = |variable: &Variable| !variable.shown && variable.scope == Scope::Local;
        assert!(system.vars.iter().skip(2).all(hidden));
    }

    /// The values of three clocks, in quarters of a unit.
    struct Clocks(Vec<Value>);

    impl crate::eval::Env for Clocks {
        fn var(&self, var: VarId, _: u32) -> Option<&Value> {
            self.0.get(crate::id::Id::index(var))
        }
        fn at(&self, _: crate::ProcessId, _: crate::LocationId) -> bool {
            false
        }
    }

    fn holds(terms: &Terms, condition: Term, quarters: [i64; 3]) -> bool {
        let value = |quarters: i64| Value::rat(Rat::new(&quarters.into(), &4.into()).unwrap());
        let clocks = Clocks(quarters.map(value).into());
        crate::eval::eval(terms, &clocks, condition).unwrap().as_bool()
    }

    /// With clocks at halves and whole bounds, the delays that are possible begin and end at halves, so that trying all
    /// quarters tells whether there is one.
    #[test]
    fn delays_are_eliminated_exactly_whoever_stands_still() {
        use proptest::prelude::*;
        let atom = (0..4usize, 0..4usize, -4..5i64, any::<bool>());
        let condition = prop::collection::vec(prop::collection::vec(atom, 1..4), 1..3);
        let values = [0..8i64, 0..8i64, 0..8i64];
        let cases = (condition, values, prop::collection::vec(any::<bool>(), 3));
        type Case = (Vec<Vec<(usize, usize, i64, bool)>>, [i64; 3], Vec<bool>);
        let show = |case: &Case| format!("{case:?}");
        sampling::check(sampling::runs(2_000, 1_652), &cases, show, |(condition, halves, stands)| {
            let mut system = System::default();
            let clocks = ["a", "b", "c"]
                .map(|name| system.declare(Type::Clock, Variable::state(name, Span::default())));
            let terms = &mut system.terms;
            let mut ways = vec![];
            for cube in condition {
                let mut parts = vec![];
                for (plus, minus, bound, strict) in cube.into_iter().filter(|atom| atom.0 != atom.1) {
                    let clock = |at: usize| at.checked_sub(1).map(|at| clocks[at]);
                    let bound = terms.int(bound);
                    let atom = ClockAtom { plus: clock(plus), minus: clock(minus), bound, strict };
                    parts.push(atom.term(terms));
                }
                ways.push(terms.and(parts));
            }
            let condition = terms.or(ways);
            let still: Vec<VarId> = (0..3).filter(|at| stands[*at]).map(|at| clocks[at]).collect();
            let found = eventually(terms, condition, &still).map_err(|why| format!("{why:?}"))?;
            let now = halves.map(|half| 2 * half);
            let after = |delay: i64| [0, 1, 2].map(|at| now[at] + if stands[at] { 0 } else { delay });
            // Beyond all bounds, nothing changes any more.
            let expected = (0..100).any(|delay| holds(terms, condition, after(delay)));
            match holds(terms, found, now) == expected {
                true => Ok(()),
                false => Err(format!("{}, not {expected}", system.show(found))),
            }
        });
    }
}
