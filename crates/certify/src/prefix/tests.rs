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
