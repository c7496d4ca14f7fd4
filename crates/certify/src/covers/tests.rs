use ir::automaton::Guard;
use ir::ltl::{Lasso, Node};
use proptest::prelude::*;
use sampling::runs;

use super::*;
use crate::tableau::tests::{accepts, automaton, formula, formulas, joined, lassos, shown};

fn is_covered(formula: &Formula, automaton: &Automaton) -> bool {
    covers(formula, automaton, &AtomicBool::new(false)).expect("it is small")
}

/// A short word that satisfies the formula and is not accepted.
fn counterexample(formula: &Formula, automaton: &Automaton, words: &[Lasso<u64>]) -> Option<Lasso<u64>> {
    words.iter().find(|word| formula.holds_on(word) && !accepts(automaton, word)).cloned()
}

/// What `covers` says, and whether that is as it must be: there is no counterexample where it says yes.
fn check(formula: &Formula, automaton: &Automaton, expected: bool) {
    let found = counterexample(formula, automaton, &lassos(3));
    assert_eq!(found.is_none(), expected, "{} on {found:?}", shown(formula));
    assert_eq!(is_covered(formula, automaton), expected, "{}", shown(formula));
}

const P: &[(u32, bool)] = &[(0, true)];
const Q: &[(u32, bool)] = &[(1, true)];
const NOT_P: &[(u32, bool)] = &[(0, false)];
const ANY: &[(u32, bool)] = &[];

fn transition(source: u32, cube: &[(u32, bool)], target: u32, marks: u64) -> Transition {
    Transition { source, target, guard: Guard { cubes: vec![cube.to_vec()] }, marks }
}

/// Waits for a letter without `p`, and then accepts.
fn until_not_p() -> Automaton {
    Automaton {
        sinks: vec![false, true],
        initial: 0,
        sets: 1,
        transitions: vec![transition(0, ANY, 0, 0), transition(0, NOT_P, 1, 0), transition(1, ANY, 1, 1)],
    }
}

/// Sees `p` and `q` again and again, by two acceptance sets.
fn again_and_again() -> Automaton {
    Automaton {
        sinks: vec![false],
        initial: 0,
        sets: 2,
        transitions: vec![
            transition(0, ANY, 0, 0),
            transition(0, P, 0, 1),
            transition(0, Q, 0, 2),
            transition(0, &[(0, true), (1, true)], 0, 3),
        ],
    }
}

#[test]
fn the_negation_of_an_invariant_is_covered_by_what_waits_for_its_violation() {
    let negated = formula(|to, p, _| {
        let always = to.add(Node::Globally(p));
        to.add(Node::Not(always))
    });
    check(&negated, &until_not_p(), true);
    // What accepts more still covers it.
    let mut generous = until_not_p();
    generous.transitions[0].marks = 1;
    check(&negated, &generous, true);
    for removed in 0..2 {
        let mut damaged = until_not_p();
        damaged.transitions.remove(removed);
        check(&negated, &damaged, false);
    }
    let mut strengthened = until_not_p();
    strengthened.transitions[1].guard.cubes[0].push((1, true));
    check(&negated, &strengthened, false);
    let mut barren = until_not_p();
    barren.sinks[1] = false;
    barren.transitions[2].marks = 0;
    check(&negated, &barren, false);
    // The formula itself is another matter.
    check(&formula(|to, p, _| to.add(Node::Globally(p))), &until_not_p(), false);
}

#[test]
fn every_acceptance_set_counts() {
    let both = formula(|to, p, q| {
        let [p, q] = [p, q].map(|atom| {
            let eventually = to.add(Node::Finally(atom));
            to.add(Node::Globally(eventually))
        });
        to.add(Node::And(p, q))
    });
    check(&both, &again_and_again(), true);
    let one = formula(|to, p, _| {
        let eventually = to.add(Node::Finally(p));
        to.add(Node::Globally(eventually))
    });
    check(&one, &again_and_again(), false);
    let always_both = formula(|to, p, q| {
        let both = to.add(Node::And(p, q));
        to.add(Node::Globally(both))
    });
    check(&always_both, &again_and_again(), true);
    // Without the last transition a word with `p` and `q` at the same positions is still read, by turns.
    for (removed, covered) in [(0, false), (1, false), (2, false), (3, true)] {
        let mut damaged = again_and_again();
        damaged.transitions.remove(removed);
        check(&both, &damaged, covered);
    }
    let mut unmarked = again_and_again();
    unmarked.transitions[2].marks = 0;
    check(&both, &unmarked, false);
}

/// An automaton that guesses whether `p` comes next accepts all words, but Duplicator has to guess, too. That nothing is
/// shown is what is promised.
#[test]
fn a_guess_that_the_tableau_does_not_make_is_not_covered() {
    let guesses = Automaton {
        sinks: vec![false, false, false, true],
        initial: 0,
        sets: 0,
        transitions: vec![
            transition(0, ANY, 1, 0),
            transition(0, ANY, 2, 0),
            transition(1, P, 3, 0),
            transition(2, NOT_P, 3, 0),
            transition(3, ANY, 3, 0),
        ],
    };
    let always = formula(|to, _, _| to.constant(true));
    assert_eq!(counterexample(&always, &guesses, &lassos(3)), None);
    assert!(!is_covered(&always, &guesses));
    // A formula that makes the same guess is covered.
    let guessed = formula(|to, p, _| {
        let other = to.add(Node::Not(p));
        let [first, second] = [p, other].map(|f| to.add(Node::Next(f)));
        to.add(Node::Or(first, second))
    });
    assert!(is_covered(&guessed, &guesses));
}

/// `p | (G q & F !q)` is `p`, which the tableau does not see at once; nobody has to answer where it tries the other half.
#[test]
fn states_that_accept_nothing_need_no_answer() {
    let vain = formula(|to, p, q| {
        let never = to.add(Node::Not(q));
        let (always, eventually) = (to.add(Node::Globally(q)), to.add(Node::Finally(never)));
        let both = to.add(Node::And(always, eventually));
        to.add(Node::Or(p, both))
    });
    let transitions = vec![transition(0, P, 1, 0), transition(1, ANY, 1, 1)];
    check(&vain, &Automaton { sinks: vec![false, true], initial: 0, sets: 1, transitions }, true);
}

#[test]
fn what_is_not_well_formed_covers_nothing() {
    let never = formula(|to, _, _| to.constant(false));
    assert!(is_covered(&never, &until_not_p()));
    let mut nowhere = until_not_p();
    nowhere.initial = 2;
    assert!(!is_covered(&never, &nowhere));
    let mut pretended = until_not_p();
    pretended.sinks[0] = true;
    assert!(!is_covered(&never, &pretended));
}

#[test]
fn a_request_to_stop_is_heard() {
    let eventually = formula(|to, p, _| to.add(Node::Finally(p)));
    let stopped = covers(&eventually, &until_not_p(), &AtomicBool::new(true));
    assert_eq!(stopped, Err(Hindrance::Interrupted));
}

/// A formula is covered by its own tableau, a conjunction by that of each part, and each part by that of a disjunction.
#[test]
fn tableaux_cover_what_implies_their_formulas() {
    let cases = (formulas(2, 6), formulas(2, 6));
    let show = |(f, g): &(Formula, Formula)| format!("{}\n{}", shown(f), shown(g));
    sampling::check(runs(300, 1), &cases, show, |(f, g)| {
        let (both, either) = (joined(Node::And, &f, &g), joined(Node::Or, &f, &g));
        for (smaller, larger) in [(&f, &f), (&both, &f), (&both, &g), (&f, &either), (&g, &either)] {
            let Some(automaton) = automaton(larger) else { continue };
            if !is_covered(smaller, &automaton) {
                return Err(format!("{} is not covered by {}", shown(smaller), shown(larger)));
            }
        }
        Ok(())
    });
}

/// A way to damage an automaton, or perhaps to do it no harm.
#[derive(Clone, Debug)]
enum Damage {
    Remove,
    Mark(u64),
    Unmark(u64),
    Strengthen(u32, bool),
    Redirect(usize),
}

fn damages() -> impl Strategy<Value = Damage> {
    prop_oneof![
        Just(Damage::Remove),
        any::<u64>().prop_map(Damage::Mark),
        any::<u64>().prop_map(Damage::Unmark),
        (0..2_u32, any::<bool>()).prop_map(|(atom, value)| Damage::Strengthen(atom, value)),
        (0..60_usize).prop_map(Damage::Redirect),
    ]
}

fn damaged(automaton: &Automaton, at: usize, damage: &Damage) -> Automaton {
    let mut automaton = automaton.clone();
    let (all, states) = (automaton.all_marks(), automaton.sinks.len());
    let at = at % automaton.transitions.len();
    let it = &mut automaton.transitions[at];
    match damage {
        Damage::Remove => drop(automaton.transitions.remove(at)),
        Damage::Mark(marks) => it.marks |= marks & all,
        Damage::Unmark(marks) => it.marks &= marks,
        Damage::Strengthen(atom, value) => it.guard.cubes[0].push((*atom, *value)),
        Damage::Redirect(target) => it.target = (target % states) as u32,
    }
    automaton
}

/// Damaged automata, and those of other formulas: where `covers` says yes, no short word is a counterexample.
#[test]
fn nothing_is_covered_that_a_word_refutes() {
    let words = lassos(3);
    let cases = (formulas(2, 5), formulas(2, 5), any::<usize>(), damages());
    let show = |(f, g, at, damage): &(Formula, Formula, usize, Damage)| {
        format!("{}\n{}\n{damage:?} at {at}", shown(f), shown(g))
    };
    sampling::check(runs(1_000, 2), &cases, show, |(f, g, at, damage)| {
        let own = automaton(&f).filter(|it| !it.transitions.is_empty()).map(|it| damaged(&it, at, &damage));
        for automaton in [own, automaton(&g)].into_iter().flatten() {
            if let Some(word) = counterexample(&f, &automaton, &words)
                && is_covered(&f, &automaton)
            {
                return Err(format!("{word:?} is not accepted by {automaton:?}"));
            }
        }
        Ok(())
    });
}
