//! What kind of property a formula is, and which finite prefixes of words decide it.
//!
//! A finite word is a *bad prefix* of a formula if no infinite word that begins with it satisfies the formula. Read by
//! the trimmed automaton of the formula, in which something is accepted from every state, it is one that no state is
//! left for. A formula is a *safety property* if every word that violates it has a bad prefix (Alpern, Schneider 1985):
//! if no word violates it that all prefixes of can be read, that is, if the automaton of the negated formula and the
//! one of the formula, with all infinite runs accepted, have no word in common.
//!
//! An automaton is *terminal* if all that is accepted is accepted in states that accept everything: whether a run is
//! accepted is whether it gets there. For a safety property, the deterministic automaton of its bad prefixes is such
//! an automaton for the negated formula.
//!
//! A state is *universal* if it accepts every word. To tell this exactly takes as much as complementing the automaton;
//! here a state counts if whatever is read, some run gets to the *core*: the largest set of states in which every letter
//! is read by an edge that stays in the set and has all marks, or leaves its component and so is never taken again. So
//! what is called universal is; some others may be, too.

use indexmap::IndexSet;
use ir::ltl::Formula;
use ir::{Id, IdVec};

use crate::automaton::{Automaton, Edge, Marks, State};
use crate::guard::{Guard, Guards};
use crate::product::product;
use crate::reduce::{reduce, trim};
use crate::scc::Components;
use crate::tableau::TooLarge;
use crate::word;

/// Whether each state is known to accept every word.
#[must_use]
pub fn universal(automaton: &Automaton) -> IdVec<State, bool> {
    let mut guards = automaton.guards().clone();
    let mut known = core(automaton, &mut guards);
    loop {
        let more = |state: &State| {
            !known[*state] && covers(&mut guards, automaton, *state, |edge| known[edge.target])
        };
        let more: Vec<State> = automaton.states().filter(more).collect();
        if more.is_empty() {
            return known;
        }
        more.into_iter().for_each(|state| known[state] = true);
    }
}

/// The largest set of states in which every letter is read by an edge that stays in the set, and that has all marks or
/// leaves its component.
fn core(automaton: &Automaton, guards: &mut Guards) -> IdVec<State, bool> {
    let all = Marks::all(automaton.sets());
    let components = Components::new(automaton, |_| true);
    let mut core: IdVec<State, bool> = automaton.states().map(|_| true).collect();
    loop {
        let full = |edge: &Edge| edge.marks == all || !components.inside(edge);
        let stays = |edge: &Edge| full(edge) && core[edge.target];
        let leaves = |state: &State| core[*state] && !covers(guards, automaton, *state, stays);
        let fewer: Vec<State> = automaton.states().filter(leaves).collect();
        if fewer.is_empty() {
            return core;
        }
        fewer.into_iter().for_each(|state| core[state] = false);
    }
}

/// Whether such edges of a state read every letter between them.
fn covers(guards: &mut Guards, automaton: &Automaton, state: State, kept: impl Fn(&Edge) -> bool) -> bool {
    let edges = automaton.outgoing(state).iter().filter(|edge| kept(edge));
    edges.fold(Guard::FALSE, |sum, edge| guards.or(sum, edge.guard)) == Guard::TRUE
}

/// Whether all that is accepted is accepted in states that are known to be universal.
#[must_use]
pub fn is_terminal(automaton: &Automaton) -> bool {
    let components = Components::new(automaton, |_| true);
    let universal = universal(automaton);
    automaton.states().all(|state| universal[state] || !components.accepting(state))
}

/// Whether every word that violates a formula has a bad prefix, by the automata of the formula and of its negation.
///
/// # Errors
/// If they have too many acceptance sets between them.
pub fn is_safety(positive: &Automaton, negative: &Automaton) -> Result<bool, TooLarge> {
    Ok(word::is_empty(&product(&closure(positive), negative)?))
}

/// The words that have no bad prefix: those that the trimmed automaton can read.
fn closure(positive: &Automaton) -> Automaton {
    trim(positive.clone()).remarked(0, |_| Marks::default())
}

/// The most sets of states that are told apart while bad prefixes are looked for, and the most letters of one.
const MOST_SUBSETS: usize = 10_000;

/// The deterministic automaton that accepts the words with a bad prefix, by the automaton of the formula: its states are
/// the sets of states that a prefix can lead to (Rabin, Scott 1959), and a universal one for the empty set. It has
/// one acceptance set.
///
/// # Errors
/// If there are too many such sets.
pub fn bad_prefixes(positive: &Automaton) -> Result<Automaton, TooLarge> {
    let trimmed = trim(positive.clone());
    let first = if word::is_empty(&trimmed) { vec![] } else { vec![trimmed.initial()] };
    let mut guards = trimmed.guards().clone();
    let mut subsets: IndexSet<Vec<State>> = [first].into_iter().collect();
    let mut edges = vec![];
    let mut next = 0;
    while let Some(subset) = subsets.get_index(next).cloned() {
        let marks = Marks(u64::from(subset.is_empty()));
        for (guard, [targets]) in letters(&mut guards, [(&trimmed, &subset)])? {
            let target = State::at(subsets.insert_full(targets).0);
            edges.push(Edge { source: State::at(next), target, guard, marks });
        }
        if subsets.len() > MOST_SUBSETS {
            return Err(TooLarge::States(MOST_SUBSETS));
        }
        next += 1;
    }
    Ok(Automaton::new(guards, trimmed.atoms(), 1, subsets.len(), State::at(0), edges))
}

/// The states of an automaton that a word leads to.
type Subset<'a> = (&'a Automaton, &'a [State]);

/// Letters that lead subsets of states of several automata to the same subsets, and those subsets.
type Letters<const N: usize> = (Guard, [Vec<State>; N]);

/// The letters that lead subsets of states to different ones, and those ones. All guards are of one table.
fn letters<const N: usize>(
    guards: &mut Guards,
    subsets: [Subset<'_>; N],
) -> Result<Vec<Letters<N>>, TooLarge> {
    let mut parts = vec![(Guard::TRUE, [const { vec![] }; N])];
    for (index, (automaton, states)) in subsets.into_iter().enumerate() {
        for edge in states.iter().flat_map(|&state| automaton.outgoing(state)) {
            let mut finer: Vec<Letters<N>> = vec![];
            for (guard, targets) in parts {
                let (inside, outside) = (guards.and(guard, edge.guard), guards.minus(guard, edge.guard));
                if inside != Guard::FALSE {
                    let mut more = targets.clone();
                    more[index].push(edge.target);
                    finer.push((inside, more));
                }
                if outside != Guard::FALSE {
                    finer.push((outside, targets));
                }
            }
            parts = finer;
            if parts.len() > MOST_SUBSETS {
                return Err(TooLarge::Edges(MOST_SUBSETS));
            }
        }
    }
    for targets in parts.iter_mut().flat_map(|(_, targets)| targets) {
        targets.sort_unstable();
        targets.dedup();
    }
    Ok(parts)
}

/// The violations of a formula, as an automaton.
#[derive(Clone, Debug)]
pub struct Violations {
    /// It accepts the words that violate the formula.
    pub automaton: Automaton,
    /// Which states of the automaton are universal. Whatever leads to one is a bad prefix.
    pub universal: IdVec<State, bool>,
    /// Whether the formula is a safety property. If so, the automaton is terminal.
    pub safety: bool,
    /// Whether every bad prefix leads to a universal state. If not, automata were too large to see to it, and then
    /// a formula that is not called a safety property may be one.
    pub exact: bool,
}

/// The automaton of the negated formula, with bad prefixes shown by its states.
///
/// The reduced automaton mostly does so by itself. If not, that of the bad prefixes stands beside it, and instead of it
/// if the formula is a safety property.
///
/// # Errors
/// If the automaton of the negated formula is too large.
pub fn violations(formula: &Formula) -> Result<Violations, TooLarge> {
    let negative = crate::translate(&formula.negated())?;
    let (automaton, safety, exact) = match with_bad_prefixes(formula, &negative) {
        Ok((automaton, safety)) => (automaton, safety, true),
        Err(_) => (negative.clone(), is_terminal(&negative), false),
    };
    let universal = universal(&automaton);
    Ok(Violations { automaton, universal, safety, exact })
}

/// The automaton that shows all bad prefixes, and whether the formula is a safety property.
fn with_bad_prefixes(formula: &Formula, negative: &Automaton) -> Result<(Automaton, bool), TooLarge> {
    let positive = crate::translate(formula)?;
    let safety = is_safety(&positive, negative)?;
    let suffices = !safety || is_terminal(negative);
    let automaton = if suffices && shows_bad_prefixes(&positive, negative)? {
        negative.clone()
    } else if safety {
        reduce(bad_prefixes(&positive)?)
    } else {
        union(negative, &bad_prefixes(&positive)?)
    };
    Ok((automaton, safety))
}

/// The states from which every word can be read for ever: the largest set in which every letter is read by an edge that
/// stays in the set. What leads to one is no bad prefix, nor is what comes after it, if every state accepts some word.
fn lasting(automaton: &Automaton, guards: &mut Guards) -> IdVec<State, bool> {
    let mut lasting: IdVec<State, bool> = automaton.states().map(|_| true).collect();
    loop {
        let ends = |state: &State| {
            lasting[*state] && !covers(guards, automaton, *state, |edge| lasting[edge.target])
        };
        let fewer: Vec<State> = automaton.states().filter(ends).collect();
        if fewer.is_empty() {
            return lasting;
        }
        fewer.into_iter().for_each(|state| lasting[state] = false);
    }
}

/// Whether every bad prefix leads to a state of the second automaton that is known to be universal.
fn shows_bad_prefixes(positive: &Automaton, negative: &Automaton) -> Result<bool, TooLarge> {
    let universal = universal(negative);
    let trimmed = trim(positive.clone());
    let lasting = lasting(&trimmed, &mut trimmed.guards().clone());
    let first = if word::is_empty(&trimmed) { vec![] } else { vec![trimmed.initial()] };
    // One table of guards for both: that of the second extends that of the first.
    let negative = with_guards_of(negative, &trimmed);
    let mut guards = negative.guards().clone();
    let mut pairs: IndexSet<(Vec<State>, Vec<State>)> =
        [(first, vec![negative.initial()])].into_iter().collect();
    let mut next = 0;
    while let Some((left, violating)) = pairs.get_index(next).cloned() {
        if violating.iter().any(|&state| universal[state]) || left.iter().any(|&state| lasting[state]) {
            // Nor is there anything to see further on.
        } else if left.is_empty() {
            return Ok(false);
        } else {
            let steps = letters(&mut guards, [(&trimmed, &left), (&negative, &violating)])?;
            pairs.extend(steps.into_iter().map(|(_, [left, violating])| (left, violating)));
        }
        if pairs.len() > MOST_SUBSETS {
            return Err(TooLarge::States(MOST_SUBSETS));
        }
        next += 1;
    }
    Ok(true)
}

/// The same automaton with guards in a table that extends another's.
fn with_guards_of(automaton: &Automaton, other: &Automaton) -> Automaton {
    let mut guards = other.guards().clone();
    let edge = |edge: &Edge| Edge { guard: guards.import(automaton.guards(), edge.guard), ..*edge };
    let edges = automaton.edges().iter().map(edge).collect();
    let (sets, states) = (automaton.sets(), automaton.len());
    Automaton::new(guards, automaton.atoms(), sets, states, automaton.initial(), edges)
}

/// The automaton that accepts what one of the two accepts; the second has one acceptance set, and only edges to its
/// universal state are in it.
fn union(first: &Automaton, second: &Automaton) -> Automaton {
    let second = with_guards_of(second, first);
    let sets = first.sets().max(1);
    let shift = |state: State| State::at(first.len() + 1 + state.index());
    let initial = State::at(first.len());
    let all = |marked: bool| if marked { Marks::all(sets) } else { Marks::default() };
    let mut edges: Vec<Edge> = first.edges().to_vec();
    if first.sets() == 0 {
        edges.iter_mut().for_each(|edge| edge.marks = Marks::all(sets));
    }
    let from_first = edges.iter().filter(|edge| edge.source == first.initial());
    let mut starts: Vec<Edge> = from_first.map(|edge| Edge { source: initial, ..*edge }).collect();
    for edge in second.edges() {
        let marks = all(edge.marks.has(0));
        let moved = Edge { source: shift(edge.source), target: shift(edge.target), marks, ..*edge };
        if edge.source == second.initial() {
            starts.push(Edge { source: initial, ..moved });
        }
        edges.push(moved);
    }
    edges.extend(starts);
    let states = first.len() + 1 + second.len();
    let atoms = first.atoms().max(second.atoms());
    reduce(Automaton::new(second.guards().clone(), atoms, sets, states, initial, edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Names, parse};

    fn of(text: &str) -> Violations {
        let mut names = Names::default();
        assert_eq!((names.number("p"), names.number("q")), (0, 1));
        let formula = parse(text, &mut names).expect("a formula").formula;
        violations(&formula).expect("a small automaton")
    }

    /// The states that a prefix leads to, by letters with a bit for each atom.
    fn after(automaton: &Automaton, prefix: &[u64]) -> Vec<State> {
        prefix.iter().fold(vec![automaton.initial()], |states, letter| {
            let edges = states.iter().flat_map(|&state| automaton.outgoing(state));
            edges
                .filter(|edge| automaton.guards().holds(edge.guard, letter))
                .map(|edge| edge.target)
                .collect()
        })
    }

    /// The sets of states that words lead to are as many as there are letters, but none of them is a bad prefix.
    #[test]
    fn premises_about_infinite_runs_have_no_bad_prefixes() {
        let premise = |number: u32| format!("(G F e{number} -> G F t{number})");
        let premises: Vec<String> = (0..6).map(premise).collect();
        let found = of(&format!("({}) -> F p", premises.join(" & ")));
        assert!(found.exact && !found.safety);
        assert!(found.universal.iter().all(|universal| !universal));
    }

    #[test]
    fn safety_is_what_finite_prefixes_refute() {
        for (text, safety) in [
            ("G p", true),
            ("p W q", true),
            ("X p & G (q -> X p)", true),
            ("G p & F q", false),
            ("F p", false),
            ("G F p", false),
            ("p U q", false),
            ("true", true),
            ("false", true),
            // Once p is gone it must not come back: it does at some position, if at all.
            ("G (F p -> p)", true),
            ("G (p | F false)", true),
            ("G (p -> F q)", false),
            ("(p U q) | G p", true),
            ("X p | X !p", true),
            ("F p & G !p", true),
        ] {
            let found = of(text);
            assert_eq!(found.safety, safety, "{text}");
            assert!(!safety || is_terminal(&found.automaton), "{text}\n{}", found.automaton);
        }
    }

    /// The formula's own automaton has 2^20 states, that of its negation a chain of 22.
    #[test]
    fn what_is_too_large_is_said_to_be_inexact() {
        let found = of(&format!("G (p -> {}q)", "X ".repeat(20)));
        assert!(!found.exact && found.safety);
        assert_eq!(found.automaton.len(), 22);
        assert!(of("G (p -> X q)").exact);
    }

    /// Atoms: p is 1, q is 2. Whatever else is asked, a prefix without p is bad for `G p & …`.
    #[test]
    fn bad_prefixes_lead_to_universal_states() {
        let check = |text: &str, prefix: &[u64], bad: bool| {
            let found = of(text);
            let states = after(&found.automaton, prefix);
            let shown = states.iter().any(|&state| found.universal[state]);
            assert_eq!(shown, bad, "{text} after {prefix:?}\n{}", found.automaton);
        };
        for text in ["G p", "G p & F q", "G p & G F q", "G p & (F q | F !q)"] {
            check(text, &[], false);
            check(text, &[1, 1, 3], false);
            check(text, &[1, 0], true);
        }
        check("F p", &[0, 0, 0], false);
        check("F p & G !p", &[], true);
        check("!(X p | X !p)", &[], true);
        // After p no state of the tableau is universal by itself: one wants p now, another !p, the last never q.
        for (prefix, bad) in
            [(&[][..], false), (&[0], false), (&[1], true), (&[0, 1], false), (&[1, 2], true)]
        {
            check("G F q & (p -> !(X p | X !p))", prefix, bad);
        }
    }
}
