use ir::automaton::{Guard, Transition};
use ir::ltl::Lasso;
use sampling::runs;

use super::*;
use crate::tableau::tests::{automaton, formulas, lassos, shown};

fn is_accepted(automaton: &Automaton, word: &Lasso<u64>) -> bool {
    let read = |position: usize, atom: u32| word.letters()[position] >> atom & 1 == 1;
    accepts(automaton, word.letters().len(), word.after(word.letters().len() - 1), read)
}

#[test]
fn a_tableau_accepts_what_satisfies_its_formula() {
    let words = lassos(3);
    sampling::check(runs(300, 3), &formulas(2, 5), shown, |formula| {
        let Some(automaton) = automaton(&formula) else { return Ok(()) };
        match words.iter().find(|word| formula.holds_on(*word) != is_accepted(&automaton, word)) {
            None => Ok(()),
            Some(word) => Err(format!("{word:?}")),
        }
    });
}

/// Waits for a letter without atom 0, and then accepts.
fn until_missing() -> Automaton {
    let transition =
        |source, cubes, target, marks| Transition { source, target, guard: Guard { cubes }, marks };
    Automaton {
        sinks: vec![false, true],
        initial: 0,
        sets: 1,
        transitions: vec![
            transition(0, vec![vec![]], 0, 0),
            transition(0, vec![vec![(0, false)]], 1, 0),
            transition(1, vec![vec![]], 1, 1),
        ],
    }
}

#[test]
fn beginnings_are_enough_only_where_they_lead_to_a_sink() {
    let leads = |letters: &[u64]| {
        leads_to_sink(&until_missing(), letters.len(), |position, atom| letters[position] >> atom & 1 == 1)
    };
    assert!(!leads(&[]) && !leads(&[1, 1]));
    assert!(leads(&[0]) && leads(&[1, 0, 1]));
}

#[test]
fn without_acceptance_sets_every_run_that_goes_on_accepts() {
    let stays = |cubes| Transition { source: 0, target: 0, guard: Guard { cubes }, marks: 0 };
    let always = Automaton {
        sinks: vec![false],
        initial: 0,
        sets: 0,
        transitions: vec![stays(vec![vec![(0, true)]])],
    };
    assert!(is_accepted(&always, &Lasso::new(vec![1], 0)));
    // The second letter cannot be read.
    assert!(!is_accepted(&always, &Lasso::new(vec![1, 0], 0)));
}
