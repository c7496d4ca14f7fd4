//! Interpolants of disjoint zones.
//!
//! For disjoint zones A and B, an interpolant is a zone I with A ⊆ I and I ∩ B = ∅. It should have few
//! and weak constraints. The bound-wise minimum of A and B has a negative cycle; one with the fewest
//! edges alternates between A and B, since neighbouring edges of a closed matrix are no better than one
//! edge. I consists of the A-edges of the cycle, weakened as long as the whole cycle stays negative.
//!
//! Matrices are never empty here: if B is empty, the interpolant is the universe, without constraints.
//! The half-spaces of ¬I are the [negations](Constraint::negated) of what is pushed, and their pre-images
//! along an edge are [`crate::pre`] of the universe with one of them.

use crate::bound::{Bound, Constraint};
use crate::dbm::at;

/// Pushes the constraints of an interpolant of `a` and `b`; false if they are not disjoint.
///
/// Among shortest cycles, those through the constant zero are preferred, so that bounds on single
/// clocks win over bounds on differences.
pub fn interpolate(a: &[Bound], b: &[Bound], dim: usize, out: &mut Vec<Constraint>) -> bool {
    match pair(a, b, dim).or_else(|| cycle(a, b, dim)) {
        Some(cycle) => {
            weaken(&cycle, out);
            true
        }
        None => false,
    }
}

/// A directed edge with its bound, and whether it comes from A rather than from B.
#[derive(Copy, Clone, Debug)]
struct Edge {
    constraint: Constraint,
    from_a: bool,
}

/// A negative cycle of one edge of each.
fn pair(a: &[Bound], b: &[Bound], dim: usize) -> Option<Vec<Edge>> {
    let edge = |zone: &[Bound], i, j, from_a| {
        let constraint = Constraint::new(i, j, zone[at(dim, i, j)]);
        Edge { constraint, from_a }
    };
    let negative = |i: usize, j: usize| a[at(dim, i, j)].plus(b[at(dim, j, i)]) < Bound::LE_ZERO;
    let single = (1..dim).flat_map(|i| [(i, 0), (0, i)]);
    let diagonal = (1..dim).flat_map(|i| (1..dim).map(move |j| (i, j)));
    let (i, j) = single.chain(diagonal).find(|(i, j)| negative(*i, *j))?;
    Some(vec![edge(a, i, j, true), edge(b, j, i, false)])
}

/// A path: its weight, a bound whose integer is wide enough for any sum, and the last clock but one.
type Path = (i64, usize);

const NO_PATH: Path = (i64::MAX, 0);

/// A negative cycle with the fewest edges.
fn cycle(a: &[Bound], b: &[Bound], dim: usize) -> Option<Vec<Edge>> {
    let edge = |i: usize, j: usize| {
        let (of_a, of_b) = (a[at(dim, i, j)], b[at(dim, i, j)]);
        Edge { constraint: Constraint::new(i, j, of_a.min(of_b)), from_a: of_a < of_b }
    };
    let weight = |i: usize, j: usize| match edge(i, j).constraint.bound {
        _ if i == j => i64::MAX,
        Bound::INFINITY => i64::MAX,
        bound => i64::from(bound.0),
    };
    // `paths[k][i * dim + j]` is the best path from i to j with k + 1 edges.
    let cells = |f: &dyn Fn(usize, usize) -> Path| -> Vec<Path> {
        (0..dim * dim).map(|cell| f(cell / dim, cell % dim)).collect()
    };
    let mut paths = vec![cells(&|i, j| (weight(i, j), i))];
    while paths.len() < 2 * dim {
        let last = paths.last().expect("never empty");
        let next = cells(&|i, j| {
            let via = |k: usize| (plus(last[i * dim + k].0, weight(k, j)), k);
            (0..dim).map(via).min().unwrap_or(NO_PATH)
        });
        paths.push(next);
        let next = paths.last().expect("never empty");
        if let Some(start) = (0..dim).find(|i| next[i * dim + i].0 < i64::from(Bound::LE_ZERO.0)) {
            let mut end = start;
            let mut edges = Vec::with_capacity(paths.len());
            for layer in paths.iter().rev() {
                let before = layer[start * dim + end].1;
                edges.push(edge(before, end));
                end = before;
            }
            return Some(edges);
        }
    }
    None
}

/// Addition of bounds as in [`Bound::plus`], wide.
fn plus(a: i64, b: i64) -> i64 {
    if a == i64::MAX || b == i64::MAX { i64::MAX } else { a + b - ((a | b) & 1) }
}

/// Pushes the A-edges of a negative cycle, weakened.
///
/// None of them can be left out: B would give a bound at least as weak, and a shorter cycle.
fn weaken(cycle: &[Edge], out: &mut Vec<Constraint>) {
    let constant = |edge: &Edge| i64::from(edge.constraint.bound.constant().expect("on a cycle"));
    let strict = |edge: &Edge| edge.constraint.bound.is_strict();
    let strict_b = cycle.iter().any(|edge| !edge.from_a && strict(edge));
    let of_a: Vec<&Edge> = cycle.iter().filter(|edge| edge.from_a).collect();
    // What the constants may grow by; then they sum to zero, and one bound must be strict. All of it goes
    // to one edge, which is also the strict one if B has none.
    let slack = -cycle.iter().map(constant).sum::<i64>();
    let heir = if slack > 0 { Some(0) } else { of_a.iter().position(|edge| strict(edge)) };
    out.extend(of_a.iter().enumerate().map(|(index, edge)| {
        let heir = heir == Some(index);
        let grown = constant(edge) + if heir { slack } else { 0 };
        // Where the weaker bound would be out of range, the bound of A itself will do.
        let bound = Bound::new(grown, heir && !strict_b).unwrap_or(edge.constraint.bound);
        Constraint { bound, ..edge.constraint }
    }));
}
