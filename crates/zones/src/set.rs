//! Zones as sets: minimal constraints, complement and difference.

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm::{at, constrain, meets};
use crate::zone::Zone;

/// Pushes a minimal list of constraints that describes the zone among the non-negative valuations.
///
/// Clocks at a fixed distance form classes; a class is held together by one cycle, and between the
/// first clocks of two classes stays what no third one implies. See Larsen, Larsson, Pettersson and Yi,
/// *Efficient verification of real-time systems: compact data structure and state-space reduction*,
/// 1997. O(n³).
pub fn minimal(zone: &[Bound], dim: usize, out: &mut Vec<Constraint>) {
    let bound = |i: usize, j: usize| zone[at(dim, i, j)];
    let together = |i: usize, j: usize| bound(i, j).plus(bound(j, i)) == Bound::LE_ZERO;
    let first = |i: usize| (0..i).find(|j| together(i, *j)).unwrap_or(i);
    let firsts: Vec<usize> = (0..dim).filter(|i| first(*i) == *i).collect();
    let mut push = |i: usize, j: usize| {
        let constraint = Constraint::new(i, j, bound(i, j));
        if !constraint.is_trivial() {
            out.push(constraint);
        }
    };
    for &head in &firsts {
        let mut last = head;
        for member in (head + 1..dim).filter(|i| together(head, *i)) {
            push(last, member);
            last = member;
        }
        if last != head {
            push(last, head);
        }
    }
    for &i in &firsts {
        for &j in firsts.iter().filter(|j| **j != i) {
            let implied = |k: usize| k != i && k != j && bound(i, k).plus(bound(k, j)) <= bound(i, j);
            // A lower bound may say no more than that another clock of the class is not negative.
            let natural = |k: usize| i == 0 && bound(0, k) == Bound::LE_ZERO && together(k, j);
            if !firsts.iter().any(|k| implied(*k)) && !(j..dim).any(natural) {
                push(i, j);
            }
        }
    }
}

/// Pushes half-spaces whose union is exactly the complement among the non-negative valuations.
pub fn complement(zone: &[Bound], dim: usize, out: &mut Vec<Constraint>) {
    let start = out.len();
    minimal(zone, dim, out);
    for constraint in &mut out[start..] {
        *constraint = constraint.negated();
    }
}

/// Pushes disjoint zones whose union is exactly `zone` without `other`.
pub fn subtract(zone: &[Bound], other: &[Bound], dim: usize, out: &mut Vec<Zone>) -> Result<(), Overflow> {
    let mut rest = Zone::from_closed(zone, dim);
    let mut constraints = Vec::new();
    minimal(other, dim, &mut constraints);
    for constraint in constraints {
        if meets(rest.bounds(), dim, constraint.negated()) {
            out.extend(rest.and(constraint.negated())?);
        }
        if !constrain(rest.bounds_mut(), dim, constraint)? {
            break;
        }
    }
    Ok(())
}
