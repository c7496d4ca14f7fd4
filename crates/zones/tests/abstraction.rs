//! Extrapolation and a≼LU: they contain the zone, and add nothing that a guarded word could tell.

extern crate thetis_zones as zones;

mod support;

use proptest::prelude::*;
use support::*;
use zones::dbm;
use zones::{
    Bound, Constraint, LuBounds, Op, Overflow, Point, Zone, extra, lu_constraints, lu_contains, lu_covers,
    post, pre, split,
};

const DIM: usize = 4;
const LIMIT: i64 = 4;

type Extra = fn(&mut [Bound], usize, &LuBounds) -> Result<(), Overflow>;
const EXTRAS: [(Extra, bool); 4] = [
    (extra::extra_m, true),
    (extra::extra_m_plus, true),
    (extra::extra_lu, false),
    (extra::extra_lu_plus, false),
];

fn word() -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(DIM, LIMIT, false), 0..10)
}

/// What is compared in a word before the clock is reset; `bounds[k]` is about the rest from `k` on.
fn needed(word: &[Op]) -> Vec<LuBounds> {
    let mut bounds = vec![LuBounds::new(DIM)];
    for op in word.iter().rev() {
        let mut before = bounds.last().unwrap().clone();
        match op {
            Op::Reset(clock, _) => {
                let rest = before;
                before = LuBounds::new(DIM);
                for other in (1..DIM).filter(|other| *other != *clock as usize) {
                    before.merge_clock(other, &rest);
                }
            }
            Op::Constrain(Constraint { left, right, bound }) => {
                let constant = i64::from(bound.constant().unwrap_or(0));
                if *right == 0 && *left != 0 {
                    before.raise_upper(*left as usize, constant).unwrap();
                }
                if *left == 0 && *right != 0 {
                    before.raise_lower(*right as usize, -constant).unwrap();
                }
            }
            _ => {}
        }
        bounds.push(before);
    }
    bounds.reverse();
    bounds
}

fn symmetric(bounds: &LuBounds) -> LuBounds {
    let mut bounds = bounds.clone();
    bounds.make_symmetric();
    bounds
}

/// By definition: some valuation of the zone LU-simulates the point.
fn simulated(zone: &Zone, bounds: &LuBounds, point: &Point) -> bool {
    let scale = point.denominator;
    let scaled = |bound: Bound| {
        let constant = |c| Bound::new(i64::from(c) * scale, bound.is_strict()).unwrap();
        bound.constant().map_or(Bound::INFINITY, constant)
    };
    let mut constraints = Vec::new();
    for i in 0..DIM {
        for j in (0..DIM).filter(|j| *j != i) {
            constraints.push(Constraint::new(i, j, scaled(zone.bound(i, j))));
        }
    }
    for clock in 1..DIM {
        let value = point.numerators[clock];
        let times = |constant: i32| i64::from(constant) * scale;
        match bounds.lower(clock) {
            None => {}
            Some(lower) if value > times(lower) => {
                constraints.push(Constraint::lower(clock, times(lower), true).unwrap());
            }
            Some(_) => constraints.push(Constraint::at_least(clock, value).unwrap()),
        }
        if bounds.upper(clock).is_some_and(|upper| value <= times(upper)) {
            constraints.push(Constraint::at_most(clock, value).unwrap());
        }
    }
    Zone::new(DIM, &constraints).unwrap().is_some()
}

/// By the formula for points: whether some valuation of `small` violates it, each case being a zone.
fn outside(big: &Zone, small: &Zone, bounds: &LuBounds) -> bool {
    let meets = |constraints: &[Constraint]| {
        let mut zone = small.clone();
        dbm::constrain_all(zone.bounds_mut(), DIM, constraints).unwrap()
    };
    (0..DIM).any(|x| {
        (0..DIM).any(|y| {
            let bound = big.bound(y, x);
            let (Some(upper), false) = (bounds.upper(x), bound.is_infinite()) else { return false };
            let Some(lower) = bounds.lower(y).map(i64::from) else { return false };
            let relevant = Constraint::at_most(x, upper.into()).unwrap();
            let constant = i64::from(bound.constant().unwrap());
            let violated = Constraint::new(y, x, bound).negated();
            let near = meets(&[relevant, Constraint::at_most(y, lower).unwrap(), violated]);
            let too_far = Constraint::at_most(x, lower - constant).unwrap();
            near || meets(&[relevant, Constraint::lower(y, lower, true).unwrap(), too_far])
        })
    })
}

proptest! {
    #![proptest_config(sampling::runs(512, 2026))]

    #[test]
    fn extrapolation_contains_the_zone_and_is_ordered(zone in zone(DIM, 9), bounds in bounds(DIM, 6)) {
        let results: Vec<Zone> = EXTRAS.iter().map(|(extra, _)| {
            let mut result = zone.clone();
            extra(result.bounds_mut(), DIM, &symmetric(&bounds)).unwrap();
            result
        }).collect();
        prop_assert!(results.iter().all(|result| result.includes(&zone)));
        prop_assert!(results[1].includes(&results[0]));
        prop_assert_eq!((&results[0], &results[1]), (&results[2], &results[3]));
        let (mut lu, mut plus) = (zone.clone(), zone.clone());
        extra::extra_lu(lu.bounds_mut(), DIM, &bounds).unwrap();
        extra::extra_lu_plus(plus.bounds_mut(), DIM, &bounds).unwrap();
        prop_assert!(lu.includes(&results[0]) && plus.includes(&lu) && plus.includes(&results[1]));
        // The coarsest one is still within the abstraction that is never built.
        prop_assert!(lu_covers(zone.bounds(), plus.bounds(), DIM, &bounds));
    }

    #[test]
    fn extrapolation_preserves_every_word(word in word(), start in zone(DIM, LIMIT)) {
        let needed = needed(&word);
        for (extra, is_symmetric) in EXTRAS {
            let (mut exact, mut coarse) = (start.clone(), start.clone());
            for (op, bounds) in word.iter().zip(&needed) {
                let bounds = if is_symmetric { symmetric(bounds) } else { bounds.clone() };
                extra(coarse.bounds_mut(), DIM, &bounds).unwrap();
                let goes_on = post(exact.bounds_mut(), DIM, &[*op]).unwrap();
                prop_assert_eq!(post(coarse.bounds_mut(), DIM, &[*op]).unwrap(), goes_on);
                if !goes_on {
                    break;
                }
            }
        }
    }

    #[test]
    fn points_of_the_lu_abstraction_can_do_no_more(
        word in word(), zone in zone(DIM, 8), points in prop::collection::vec(point(DIM, 9), 40),
    ) {
        let bounds = &needed(&word)[0];
        let mut before = Zone::universe(DIM);
        let possible = pre(before.bounds_mut(), DIM, &word).unwrap();
        let zone_can = possible && before.intersection(&zone).unwrap().is_some();
        for point in samples(&points, &[&zone]) {
            let contained = lu_contains(zone.bounds(), DIM, bounds, &point);
            prop_assert!(contained || !zone.contains(&point));
            prop_assert!(!contained || zone_can || !(possible && before.contains(&point)), "{:?}", point);
        }
    }

    #[test]
    fn bounds_that_are_pulled_back_keep_simulation(
        word in prop::collection::vec(op(DIM, LIMIT, true), 0..8), later in bounds(DIM, 4),
        big in zone(DIM, 5), small in zone(DIM, 5),
    ) {
        let is_difference =
            |op: &Op| matches!(op, Op::Constrain(Constraint { left, right, .. }) if *left > 0 && *right > 0);
        let word: Vec<Op> = word.into_iter().filter(|op| !is_difference(op)).collect();
        let mut before = later.clone();
        before.pull_back(&word).unwrap();
        for (mut big, mut small) in [(big.clone(), small.clone()), (small, big)] {
            if lu_covers(big.bounds(), small.bounds(), DIM, &before)
                && post(small.bounds_mut(), DIM, &word).unwrap()
            {
                prop_assert!(post(big.bounds_mut(), DIM, &word).unwrap());
                prop_assert!(lu_covers(big.bounds(), small.bounds(), DIM, &later));
            }
        }
    }

    #[test]
    fn the_formula_for_points_is_the_definition(
        zone in zone(DIM, 8), bounds in bounds(DIM, 6), points in prop::collection::vec(point(DIM, 9), 40),
    ) {
        for point in samples(&points, &[&zone]) {
            let expected = simulated(&zone, &bounds, &point);
            prop_assert_eq!(lu_contains(zone.bounds(), DIM, &bounds, &point), expected, "{:?}", point);
        }
    }

    #[test]
    fn pairs_of_constraints_are_the_formula_for_points(
        zone in zone(DIM, 8), bounds in bounds(DIM, 6), points in prop::collection::vec(point(DIM, 9), 40),
    ) {
        let mut pairs = vec![];
        lu_constraints(zone.bounds(), DIM, &bounds, &mut pairs);
        for point in samples(&points, &[&zone]) {
            let value = |clock: u32| point.numerators[clock as usize];
            let holds = |constraint: Constraint| {
                let Constraint { left, right, bound } = constraint;
                bound.admits(value(left) - value(right), point.denominator)
            };
            let described = pairs.iter().all(|(one, other)| holds(*one) || other.is_some_and(holds));
            prop_assert_eq!(lu_contains(zone.bounds(), DIM, &bounds, &point), described, "{:?}", point);
        }
    }

    #[test]
    fn the_test_for_zones_is_the_formula_for_points(
        big in zone(DIM, 6), small in zone(DIM, 6), bounds in bounds(DIM, 5),
    ) {
        for (big, small) in [(&big, &small), (&small, &big), (&big, &big)] {
            let covered = lu_covers(big.bounds(), small.bounds(), DIM, &bounds);
            prop_assert_eq!(covered, !outside(big, small, &bounds));
            prop_assert!(covered || !big.includes(small));
            if covered {
                for point in samples(&[], &[small]) {
                    prop_assert!(lu_contains(big.bounds(), DIM, &bounds, &point));
                }
            }
        }
    }
}

/// Farkas, *CEGAR-based analysis of timed systems*, 2016, example 2.4: z is reset, then y if `y > 2`, so that `x - y > 2`; but x is only compared
/// with 1, and extrapolation lets the guard `x - z < 1 && z - y < 1` seem possible.
#[test]
fn splitting_saves_what_extrapolation_loses() {
    let (dim, x, y, z) = (4, 1, 2, 3);
    let less = |i, j| Constraint::new(i, j, Bound::lt(1).unwrap());
    let guard = [less(x, z), less(z, y)];
    let mut bounds = LuBounds::new(dim);
    for (clock, constant) in [(x, 1), (y, 2), (z, 1)] {
        bounds.raise(clock, constant).unwrap();
    }
    let first = vec![Op::Reset(z as u32, 0), Op::Delay];
    let second =
        vec![Op::Constrain(Constraint::lower(y, 2, true).unwrap()), Op::Reset(y as u32, 0), Op::Delay];
    let run = |abstraction: &dyn Fn(&Zone, &mut Vec<Zone>)| {
        let mut zones = vec![Zone::zero(dim)];
        for ops in [&vec![Op::Delay], &first, &second] {
            let mut next = Vec::new();
            for mut zone in zones {
                if post(zone.bounds_mut(), dim, ops).unwrap() {
                    abstraction(&zone, &mut next);
                }
            }
            zones = next;
        }
        let reached = zones.iter().any(|z| dbm::constrain_all(z.clone().bounds_mut(), dim, &guard).unwrap());
        (zones.len(), reached)
    };
    assert_eq!(run(&|zone, out| out.push(zone.clone())), (1, false));
    let normalised = run(&|zone, out| {
        let mut zone = zone.clone();
        extra::extra_m(zone.bounds_mut(), dim, &bounds).unwrap();
        out.push(zone);
    });
    assert_eq!(normalised, (1, true));
    let split = run(&|zone, out| {
        split::extra_m_split(zone.bounds(), dim, &bounds, &guard, out).unwrap();
    });
    assert!(split.0 > 1 && !split.1);
}

/// Example 2.3 of the same thesis: `x <= 10 && y - x == 30` with 10 and 20 as constants.
#[test]
fn normalisation_forgets_large_values() {
    let constraint = |i, j, c| Constraint::new(i, j, Bound::le(c).unwrap());
    let mut zone =
        Zone::new(3, &[constraint(1, 0, 10), constraint(2, 1, 30), constraint(1, 2, -30)]).unwrap().unwrap();
    let mut bounds = LuBounds::new(3);
    bounds.raise(1, 10).unwrap();
    bounds.raise(2, 20).unwrap();
    extra::extra_m(zone.bounds_mut(), 3, &bounds).unwrap();
    assert_eq!(zone.show(&["x", "y"]).to_string(), "x <= 10 && y - x > 20");
}
