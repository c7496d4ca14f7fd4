//! Interpolants by executing what the core needs, forwards or backwards.
//!
//! Forwards, I_{i+1} is the strongest postcondition of I_i with the variables that die at the cut
//! projected away; backwards, I_i is the weakest precondition of I_{i+1}. Both are exact on the slice.

use ir::{Term, Terms};

use crate::interpolate::Problem;
use crate::interpolate::eliminate::eliminate;
use crate::interrupt::Interrupt;

/// Terms larger than this are no explanation.
const SIZE: usize = 600;

/// Strongest postconditions.
pub fn forwards(terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(true)];
    let mut reached = sequence[0];
    for (part, formula) in problem.formulas.iter().enumerate() {
        let after = terms.and([reached, *formula]);
        reached = eliminate(terms, after, &|instance| problem.shared[part + 1].contains(&instance))?;
        limit(terms, reached)?;
        sequence.push(reached);
    }
    // Nothing is shared at the end, and nothing reaches it.
    *sequence.last_mut().expect("not empty") = terms.bool(false);
    Ok(sequence)
}

/// Weakest preconditions.
pub fn backwards(terms: &mut Terms, problem: &Problem) -> Result<Vec<Term>, Interrupt> {
    let mut sequence = vec![terms.bool(false)];
    // What can still run to the end; the interpolant is its negation.
    let mut able = terms.bool(true);
    for (part, formula) in problem.formulas.iter().enumerate().rev() {
        let before = terms.and([*formula, able]);
        able = eliminate(terms, before, &|instance| problem.shared[part].contains(&instance))?;
        limit(terms, able)?;
        sequence.push(terms.not(able));
    }
    *sequence.last_mut().expect("not empty") = terms.bool(true);
    sequence.reverse();
    Ok(sequence)
}

fn limit(terms: &Terms, term: Term) -> Result<(), Interrupt> {
    let mut size = 0;
    terms.for_each_subterm(term, |_| size += 1);
    if size <= SIZE { Ok(()) } else { Err(Interrupt::Budget) }
}
