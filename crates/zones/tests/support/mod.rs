//! Random operations, zones and points for the property tests.

#![allow(dead_code, reason = "each test file uses its own part")]

use proptest::prelude::*;
use zones::{Bound, Constraint, LuBounds, Op, Point, Zone, post};

pub fn constraint(dim: usize, limit: i64, diagonals: bool) -> impl Strategy<Value = Constraint> {
    let bound = (-limit..=limit, any::<bool>()).prop_map(|(c, strict)| Bound::new(c, strict).unwrap());
    (0..dim, 0..dim, bound)
        .prop_map(move |(i, j, bound)| match (i, j) {
            _ if dim == 1 => Constraint::new(0, 0, Bound::LE_ZERO),
            (i, j) if i == j => {
                Constraint::new((i + 1) % dim, if diagonals && i != 0 { i } else { 0 }, bound)
            }
            (i, j) if diagonals || i == 0 || j == 0 => Constraint::new(i, j, bound),
            (i, j) if i < j => Constraint::new(0, j, bound),
            (i, _) => Constraint::new(i, 0, bound),
        })
        .prop_map(move |constraint| {
            // A single clock has bounds from both sides; the constant zero alone has none.
            if constraint.left == constraint.right {
                Constraint::new(1 % dim, 0, Bound::INFINITY)
            } else {
                constraint
            }
        })
}

pub fn op(dim: usize, limit: i64, diagonals: bool) -> BoxedStrategy<Op> {
    let constrain = constraint(dim, limit, diagonals).prop_map(Op::Constrain);
    if dim == 1 {
        return prop_oneof![constrain, Just(Op::Delay)].boxed();
    }
    let clock = 1..dim as u32;
    let pair = (clock.clone(), 1..dim as u32);
    let other = prop_oneof![
        3 => (clock.clone(), prop_oneof![2 => Just(0), 1 => 0..=limit]).prop_map(|(x, v)| Op::Reset(x, v)),
        1 => pair.prop_map(|(x, y)| Op::Copy(x, y)),
        1 => clock.prop_map(Op::Free),
        3 => Just(Op::Delay),
    ];
    // Copies would carry bounds from clock to clock, which LU bounds of a word must follow.
    let other = other.prop_filter("copies need diagonals", move |op| {
        diagonals || !matches!(op, Op::Copy(..) | Op::Free(_))
    });
    prop_oneof![1 => constrain, 1 => other].boxed()
}

/// A zone by random operations; those that would empty it are left out.
pub fn zone(dim: usize, limit: i64) -> impl Strategy<Value = Zone> {
    (any::<bool>(), prop::collection::vec(op(dim, limit, true), 0..12)).prop_map(move |(all, ops)| {
        let mut zone = if all { Zone::universe(dim) } else { Zone::zero(dim) };
        for op in ops {
            let mut next = zone.clone();
            if post(next.bounds_mut(), dim, &[op]).unwrap() {
                zone = next;
            }
        }
        zone
    })
}

/// Quarters from 0 to `limit`, whole numbers more often.
pub fn point(dim: usize, limit: i64) -> impl Strategy<Value = Point> {
    let value = prop_oneof![2 => (0..=limit).prop_map(|v| 4 * v), 1 => 0..=4 * limit];
    prop::collection::vec(value, dim).prop_map(|mut numerators| {
        numerators[0] = 0;
        Point { numerators, denominator: 4 }
    })
}

pub fn bounds(dim: usize, limit: i64) -> impl Strategy<Value = LuBounds> {
    let constant = || prop::option::weighted(0.8, 0..=limit);
    prop::collection::vec((constant(), constant()), dim).prop_map(move |constants| {
        let mut bounds = LuBounds::new(dim);
        for (clock, (lower, upper)) in constants.into_iter().enumerate().skip(1) {
            lower.map(|lower| bounds.raise_lower(clock, lower).unwrap());
            upper.map(|upper| bounds.raise_upper(clock, upper).unwrap());
        }
        bounds
    })
}

/// Random points, and some that lie in the zones for sure.
pub fn samples(points: &[Point], zones: &[&Zone]) -> Vec<Point> {
    let mut samples = points.to_vec();
    for zone in zones {
        samples.push(zone.point());
        for clock in 1..zone.dim() {
            for value in [1, 3] {
                let lower = Constraint::lower(clock, value, value == 1).unwrap();
                samples.extend(zone.and(lower).unwrap().map(|zone| zone.point()));
            }
        }
    }
    samples
}

/// The point with one clock changed to `numerator / (2 * denominator)` of the old denominator.
pub fn with(point: &Point, clock: usize, halves: i64) -> Point {
    let mut point = doubled(point);
    point.numerators[clock] = halves;
    point
}

pub fn doubled(point: &Point) -> Point {
    Point {
        numerators: point.numerators.iter().map(|value| 2 * value).collect(),
        denominator: 2 * point.denominator,
    }
}

/// All points in steps of half the grid whose clocks are all moved by the same amount.
pub fn moved(point: &Point, steps: impl Iterator<Item = i64>) -> impl Iterator<Item = Point> {
    let base = doubled(point);
    steps.filter_map(move |step| {
        let mut point = base.clone();
        point.numerators[1..].iter_mut().for_each(|value| *value += step);
        point.numerators.iter().all(|value| *value >= 0).then_some(point)
    })
}
