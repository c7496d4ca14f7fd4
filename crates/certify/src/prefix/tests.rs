use ir::automaton::Guard;
use ir::ltl::{Builder, Lasso, Node};
use sampling::runs;

use super::*;
use crate::tableau::tests::{finite_words, formula, formulas, lassos, shown};

fn good(formula: &Formula, word: &[u64]) -> Result<bool, TooLarge> {
    is_good_prefix(formula, word.len(), |position, atom| word[position] >> atom & 1 == 1)
}

/// A prefix of a formula this small that is not good goes on to a word of few letters that does not satisfy the formula.
#[test]
fn a_prefix_is_good_if_every_word_that_begins_with_it_satisfies_the_formula() {
    let prefixes: Vec<Vec<u64>> = (0..=2).flat_map(finite_words).collect();
    let rests = lassos(3);
    sampling::check(runs(200, 1), &formulas(2, 5), shown, |formula| {
        for prefix in &prefixes {
            let satisfied = |rest: &Lasso<u64>| {
                let letters = [&prefix[..], rest.letters()].concat();
                formula.holds_on(&Lasso::new(letters, prefix.len() + rest.back()))
            };
            let expected = rests.iter().all(satisfied);
            if good(&formula, prefix) != Ok(expected) {
                return Err(format!("{prefix:?} should be good: {expected}"));
            }
        }
        Ok(())
    });
}

/// `F p` is sure once `p` has come; nothing makes `G p` sure; `X (q & !q)` is false before the letter that would show it.
#[test]
fn promises_that_cannot_be_kept_are_seen_early() {
    let eventually = formula(|to, p, _| to.add(Node::Finally(p)));
    assert_eq!(good(&eventually, &[0, 2]), Ok(false));
    assert_eq!(good(&eventually, &[0, 2, 1]), Ok(true));
    let always = formula(|to, p, _| to.add(Node::Globally(p)));
    assert_eq!(good(&always, &[1; 100]), Ok(false));
    let once = formula(|to, p, q| {
        let other = to.add(Node::Not(q));
        let never = to.add(Node::And(q, other));
        let next = to.add(Node::Next(never));
        let implied = to.add(Node::Implies(p, next));
        let each = to.add(Node::Globally(implied));
        to.add(Node::Not(each))
    });
    assert_eq!(good(&once, &[0]), Ok(false));
    assert_eq!(good(&once, &[0, 1]), Ok(true));
}

/// The tableau of the claim `G (p -> X X … X q)` has 2^20 states, a run meets few of them: of the sets in which it might
/// be, all ask for more than the one that follows from what has been read.
#[test]
fn a_long_run_needs_few_states_of_a_large_tableau() {
    let claim = formula(|to: &mut Builder, p, q| {
        let later = (0..20).fold(q, |later, _| to.add(Node::Next(later)));
        let each = to.add(Node::Implies(p, later));
        to.add(Node::Globally(each))
    });
    // `p` at every third position, and `q` 20 positions later up to the last time, where it is missing.
    let letters = 3_000;
    let read = |position: usize, atom: u32| match atom {
        0 => position.is_multiple_of(3),
        _ => position >= 20 && (position - 20).is_multiple_of(3) && position + 3 < letters,
    };
    assert_eq!(is_good_prefix(&claim.negated(), letters, read), Ok(true));
}

/// The cubes of a guard.
type Cubes<'a> = &'a [&'a [(u32, bool)]];

const ANY: Cubes<'_> = &[&[]];
const P: Cubes<'_> = &[&[(0, true)]];
const NOT_P: Cubes<'_> = &[&[(0, false)]];
const NOT_Q: Cubes<'_> = &[&[(1, false)]];

/// An automaton with one acceptance set, from transitions with their guards and marks; the last state may be a sink.
fn automaton(states: u32, sink: bool, list: &[(u32, u32, Cubes<'_>, u64)]) -> Automaton {
    let mut sinks = vec![false; states as usize];
    sinks[states as usize - 1] = sink;
    let transition = |&(source, target, cubes, marks): &(u32, u32, Cubes<'_>, u64)| {
        let guard = Guard { cubes: cubes.iter().map(|cube| cube.to_vec()).collect() };
        Transition { source, target, guard, marks }
    };
    Automaton { sinks, initial: 0, sets: 1, transitions: list.iter().map(transition).collect() }
}

fn shows(formula: &Formula, automaton: &Automaton) -> Result<bool, Hindrance> {
    shows_good_prefixes(formula, automaton, &AtomicBool::new(false))
}

/// `F !p | G !q`, which is what violates `G p & F q`: once `p` does not hold, nothing else matters. The first automaton
/// accepts all these words and goes around an accepting cycle of two states then, where it should be in a sink.
#[test]
fn cycles_do_not_show_good_prefixes() {
    let violated = formula(|to, p, q| {
        let (not_p, not_q) = (to.add(Node::Not(p)), to.add(Node::Not(q)));
        let (eventually, never) = (to.add(Node::Finally(not_p)), to.add(Node::Globally(not_q)));
        to.add(Node::Or(eventually, never))
    });
    let first = [(0, 1, P, 0), (0, 3, NOT_P, 0), (0, 2, NOT_Q, 1)];
    let begins = [&first[..], &[(1, 1, P, 0), (1, 3, NOT_P, 0), (2, 2, NOT_Q, 1)]].concat();
    let cycle = automaton(5, false, &[&begins[..], &[(3, 4, ANY, 1), (4, 3, ANY, 1)]].concat());
    assert_eq!(crate::covers::covers(&violated, &cycle, &AtomicBool::new(false)), Ok(true));
    assert_eq!(shows(&violated, &cycle), Ok(false));
    let sink = automaton(4, true, &[&begins[..], &[(3, 3, ANY, 1)]].concat());
    assert_eq!(shows(&violated, &sink), Ok(true));
}

/// Of a run of which nothing has been read, nothing is said; every word with a letter is enough for `true`.
#[test]
fn a_prefix_has_a_letter() {
    let anything = formula(|to, _, _| to.constant(true));
    assert_eq!(shows(&anything, &automaton(2, true, &[(0, 1, ANY, 1), (1, 1, ANY, 1)])), Ok(true));
    assert_eq!(shows(&anything, &automaton(1, true, &[(0, 0, ANY, 1)])), Ok(true));
    assert_eq!(shows(&anything, &automaton(2, true, &[(0, 0, ANY, 1), (1, 1, ANY, 1)])), Ok(false));
}

/// `F (!b0 & … & !b29)`: of 2^30 letters, those with the same first atom that holds are alike.
#[test]
fn letters_are_not_enumerated() {
    let mut builder = Builder::default();
    let negated: Vec<_> = (0..30)
        .map(|number| {
            let atom = builder.atom(number);
            builder.add(Node::Not(atom))
        })
        .collect();
    let none = negated.into_iter().reduce(|all, next| builder.add(Node::And(all, next))).unwrap();
    let root = builder.add(Node::Finally(none));
    let violated = builder.finish(root);
    let none: Vec<(u32, bool)> = (0..30).map(|number| (number, false)).collect();
    let shown = automaton(2, true, &[(0, 0, ANY, 0), (0, 1, &[&none[..]], 1), (1, 1, ANY, 1)]);
    assert_eq!(shows(&violated, &shown), Ok(true));
    // It waits for one atom too few.
    let fewer = automaton(2, true, &[(0, 0, ANY, 0), (0, 1, &[&none[1..]], 1), (1, 1, ANY, 1)]);
    assert_eq!(shows(&violated, &fewer), Ok(true));
    let more = [&none[..], &[(30, false)]].concat();
    let later = automaton(2, true, &[(0, 0, ANY, 0), (0, 1, &[&more[..]], 1), (1, 1, ANY, 1)]);
    assert_eq!(shows(&violated, &later), Ok(false));
}

/// `F (p & X … X !p)`: what was read of `p` in the last so many states has to be remembered.
#[test]
fn many_prefixes_are_told_apart_up_to_a_limit() {
    let check = |later: u32| {
        let violated = formula(|to, p, _| {
            let not = to.add(Node::Not(p));
            let then = (0..later).fold(not, |then, _| to.add(Node::Next(then)));
            let both = to.add(Node::And(p, then));
            to.add(Node::Finally(both))
        });
        let waits: Vec<_> = (1..later).map(|state| (state, state + 1, ANY, 0)).collect();
        let ends = [(later, later + 1, NOT_P, 1), (later + 1, later + 1, ANY, 1)];
        let list = [&[(0, 0, ANY, 0), (0, 1, P, 0)][..], &waits, &ends].concat();
        shows(&violated, &automaton(later + 2, true, &list))
    };
    assert_eq!(check(10), Ok(true));
    assert_eq!(check(13), Ok(true));
    assert_eq!(check(20), Err(Hindrance::TooLarge));
}
