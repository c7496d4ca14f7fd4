//! A formula over values before and after a step, as a statement.
//!
//! Conjuncts such as `x' = x + 1` become assignments. What else a transition says is assumed of values that are chosen
//! at will, each as soon as all values it speaks of are there. A disjunction or a conditional each part of which gives a
//! variable a value becomes a choice or a branching, so that nobody has to guess that value.
//!
//! The next value of a variable is a local variable of its own, unless the value before is not needed any more when the
//! next one is there.

use ir::{Node, Stmt, System, Term, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most statements that one formula is split into.
const MOST_CASES: usize = 64;

/// A variable and its next value.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) now: VarId,
    pub(crate) next: VarId,
}

/// The statement whose executions are the steps that satisfy all of `conjuncts`.
pub(crate) fn step(system: &mut System, pairs: &[Pair], conjuncts: Vec<Term>) -> Stmt {
    let mut cases = MOST_CASES;
    case(system, pairs, conjuncts, &mut cases)
}

fn case(system: &mut System, pairs: &[Pair], conjuncts: Vec<Term>, cases: &mut usize) -> Stmt {
    let conjuncts = flat(system, conjuncts);
    let split = conjuncts.iter().position(|conjunct| splits(system, pairs, *conjunct));
    let Some(at) = split.filter(|_| *cases > 1) else {
        return sequence(system, pairs, conjuncts);
    };
    let with = |part: Term| -> Vec<Term> {
        conjuncts.iter().enumerate().map(|(other, term)| if other == at { part } else { *term }).collect()
    };
    match *system.terms.node(conjuncts[at]) {
        Node::Or(ref list) if list.len() <= *cases => {
            let list = list.to_vec();
            *cases /= list.len();
            let parts: Vec<Stmt> = list.iter().map(|part| case(system, pairs, with(*part), cases)).collect();
            system.terms.choice(parts)
        }
        Node::Ite(condition, then, otherwise) => {
            *cases /= 2;
            let then = case(system, pairs, with(then), cases);
            let otherwise = case(system, pairs, with(otherwise), cases);
            system.terms.branch(condition, then, otherwise)
        }
        _ => sequence(system, pairs, conjuncts),
    }
}

/// The conjuncts of a list of formulas.
fn flat(system: &System, list: Vec<Term>) -> Vec<Term> {
    let mut flat = vec![];
    for term in list {
        match system.terms.node(term) {
            Node::And(parts) => flat.extend_from_slice(parts),
            Node::Const(value) if value.as_bool() => {}
            _ => flat.push(term),
        }
    }
    flat
}

/// Whether each way in which a formula can hold gives one number or array its next value.
fn splits(system: &System, pairs: &[Pair], formula: Term) -> bool {
    let ways: Vec<Term> = match *system.terms.node(formula) {
        Node::Or(ref list) => list.to_vec(),
        Node::Ite(condition, then, otherwise) if !mentions_next(system, pairs, condition) => {
            vec![then, otherwise]
        }
        _ => return false,
    };
    let mut common: Option<FxHashSet<VarId>> = None;
    for way in ways {
        let given = given(system, pairs, way);
        common = Some(match common {
            Some(common) => common.intersection(&given).copied().collect(),
            None => given,
        });
    }
    common.is_some_and(|common| !common.is_empty())
}

/// The numbers and arrays that a formula gives a next value, wherever it holds.
fn given(system: &System, pairs: &[Pair], formula: Term) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for conjunct in flat(system, vec![formula]) {
        match definition(system, pairs, conjunct) {
            Some((var, _)) if system.terms.var_type(var) != Type::Bool => {
                found.insert(var);
            }
            _ => {}
        }
        let parts = match *system.terms.node(conjunct) {
            Node::Or(ref list) => list.to_vec(),
            Node::Ite(_, then, otherwise) => vec![then, otherwise],
            _ => continue,
        };
        let mut sets = parts.iter().map(|part| ir::deep(|| given(system, pairs, *part)));
        let first = sets.next().unwrap_or_default();
        found.extend(sets.fold(first, |all, set| all.intersection(&set).copied().collect()));
    }
    found
}

fn mentions_next(system: &System, pairs: &[Pair], term: Term) -> bool {
    system.terms.vars_of(term).iter().any(|var| pairs.iter().any(|pair| pair.next == *var))
}

/// The variable that a conjunct gives its next value.
fn definition(system: &System, pairs: &[Pair], conjunct: Term) -> Option<(VarId, Given)> {
    let terms = &system.terms;
    let next = |term: Term| match *terms.node(term) {
        Node::Var(var, 0) if pairs.iter().any(|pair| pair.next == var) => Some(var),
        _ => None,
    };
    if let Some(var) = next(conjunct) {
        return Some((var, Given::Truth(true)));
    }
    match *terms.node(conjunct) {
        Node::Not(inner) => match (next(inner), terms.node(inner)) {
            (Some(var), _) => Some((var, Given::Truth(false))),
            // `x' /= e` of truth values.
            (None, Node::Eq(a, b)) if terms.type_of(*a) == Type::Bool => {
                let (var, other) = next(*a).map(|var| (var, *b)).or_else(|| Some((next(*b)?, *a)))?;
                (!terms.vars_of(other).contains(&var)).then_some((var, Given::Opposite(other)))
            }
            _ => None,
        },
        Node::Eq(a, b) => [(a, b), (b, a)].into_iter().find_map(|(one, other)| {
            let var = next(one)?;
            let fits = terms.type_of(other) == terms.var_type(var) && !terms.vars_of(other).contains(&var);
            fits.then_some((var, Given::Value(other)))
        }),
        _ => None,
    }
}

/// A next value.
#[derive(Copy, Clone, Debug)]
enum Given {
    Truth(bool),
    Value(Term),
    Opposite(Term),
}

/// Assignments, choices and assumptions one after the other.
fn sequence(system: &mut System, pairs: &[Pair], conjuncts: Vec<Term>) -> Stmt {
    let nexts: FxHashMap<VarId, usize> = pairs.iter().enumerate().map(|(at, pair)| (pair.next, at)).collect();
    let nows: FxHashMap<VarId, usize> = pairs.iter().enumerate().map(|(at, pair)| (pair.now, at)).collect();
    let needs = |system: &System, term: Term, of: &FxHashMap<VarId, usize>| -> Vec<usize> {
        system.terms.vars_of(term).iter().filter_map(|var| of.get(var).copied()).collect()
    };
    // The first definition of a variable counts; others are assumptions.
    let mut defined: Vec<Option<Term>> = vec![None; pairs.len()];
    let mut assumptions = vec![];
    for conjunct in conjuncts {
        match definition(system, pairs, conjunct) {
            Some((var, given)) if defined[nexts[&var]].is_none() => {
                let value = match given {
                    Given::Truth(value) => system.terms.bool(value),
                    Given::Value(value) => value,
                    Given::Opposite(value) => system.terms.not(value),
                };
                defined[nexts[&var]] = Some(value);
            }
            _ => assumptions.push(conjunct),
        }
    }
    // In which order: what depends on values that are there, if possible such that the value before is not needed any
    // more; then what is chosen at will.
    let reads = |of: &FxHashMap<VarId, usize>| -> Vec<Vec<usize>> {
        defined.iter().map(|value| value.map_or(vec![], |value| needs(system, value, of))).collect()
    };
    let (reads_now, reads_next) = (reads(&nows), reads(&nexts));
    let mut readers = vec![0_usize; pairs.len()];
    for (at, list) in reads_now.iter().enumerate() {
        list.iter().filter(|now| **now != at).for_each(|now| readers[*now] += 1);
    }
    let mut order: Vec<usize> = vec![];
    let mut there = vec![false; pairs.len()];
    while order.len() < pairs.len() {
        let open = || (0..pairs.len()).filter(|at| !there[*at]);
        let ready = |at: &usize| defined[*at].is_some() && reads_next[*at].iter().all(|other| there[*other]);
        let at = open()
            .filter(ready)
            .min_by_key(|at| readers[*at].min(1))
            .or_else(|| open().find(|at| defined[*at].is_none()))
            .or_else(|| open().next())
            .expect("some are open");
        if defined[at].is_some() && !ready(&at) {
            // Definitions in a circle: one of them is an assumption about a value that is chosen at will.
            let (value, next) = (defined[at].take().expect("defined"), system.terms.var(pairs[at].next));
            assumptions.push(system.terms.eq(next, value));
        }
        there[at] = true;
        reads_now[at].iter().filter(|now| **now != at).for_each(|now| readers[*now] -= 1);
        order.push(at);
    }
    // When each value before the step is looked at for the last time.
    let place: FxHashMap<usize, usize> = order.iter().enumerate().map(|(place, at)| (*at, place)).collect();
    let mut last_read = vec![None; pairs.len()];
    for (position, at) in order.iter().enumerate() {
        if let Some(value) = defined[*at] {
            needs(system, value, &nows).iter().for_each(|now| last_read[*now] = Some(position));
        }
    }
    let mut due: Vec<Vec<Term>> = vec![vec![]; order.len() + 1];
    for assumption in assumptions {
        let after = needs(system, assumption, &nexts).iter().map(|at| place[at] + 1).max().unwrap_or(0);
        for now in needs(system, assumption, &nows) {
            // It is looked at behind what is set at the position before.
            last_read[now] = last_read[now].max(after.checked_sub(1));
            if after > place[&now] {
                last_read[now] = Some(order.len());
            }
        }
        due[after].push(assumption);
    }
    let direct: Vec<bool> =
        (0..pairs.len()).map(|at| last_read[at].is_none_or(|read| read <= place[&at])).collect();
    let terms = &mut system.terms;
    let mut known = FxHashMap::default();
    let mut list = vec![];
    for position in 0..=order.len() {
        if position > 0 {
            let at = order[position - 1];
            let var = if direct[at] { pairs[at].now } else { pairs[at].next };
            list.push(match defined[at] {
                Some(value) => {
                    let value = terms.substitute(value, &known);
                    terms.assign(var, value)
                }
                None => terms.havoc(var),
            });
            if direct[at] {
                let now = terms.var(var);
                known.insert(pairs[at].next, now);
            }
        }
        for assumption in &due[position] {
            let assumption = terms.substitute(*assumption, &known);
            list.push(terms.assume(assumption));
        }
    }
    for (_, pair) in pairs.iter().enumerate().filter(|(at, _)| !direct[*at]) {
        let next = terms.var(pair.next);
        list.push(terms.assign(pair.now, next));
    }
    terms.seq(list)
}
