//! The fast loops against their obvious twins, at every width of rows.

extern crate thetis_zones as zones;

mod support;

use proptest::prelude::*;
use support::*;
use zones::{Bound, Constraint, LuBounds, Overflow, Zone, dbm, extra, lu_covers, slow};

fn pair() -> impl Strategy<Value = (Zone, Zone, Constraint, LuBounds)> {
    (1usize..=33).prop_flat_map(|dim| {
        let limit = prop_oneof![Just(8), Just(100_000)];
        limit.prop_flat_map(move |limit| {
            (zone(dim, limit), zone(dim, limit), constraint(dim, limit, true), bounds(dim, limit))
        })
    })
}

/// Any matrix, neither closed nor consistent; constants may be near the end of the range.
fn matrix() -> impl Strategy<Value = (usize, Vec<Bound>)> {
    let limit = prop_oneof![3 => Just(20), 1 => Just(i64::from(Bound::MAX_CONSTANT))];
    (1usize..=20, limit, 0..4i64).prop_flat_map(|(dim, limit, negative)| {
        let finite = (-limit * negative / 8..=limit, any::<bool>());
        let bound = prop_oneof![
            3 => Just(Bound::INFINITY),
            2 => finite.prop_map(|(c, strict)| Bound::new(c, strict).unwrap()),
        ];
        prop::collection::vec(bound, dim * dim).prop_map(move |cells| {
            let mut zone = Zone::universe(dim);
            for (cell, bound) in cells.into_iter().enumerate() {
                let (i, j) = (cell / dim, cell % dim);
                if i != 0 && i != j {
                    zone.bounds_mut()[dbm::at(dim, i, j)] = bound;
                }
            }
            (dim, zone.bounds().to_vec())
        })
    })
}

proptest! {
    #![proptest_config(sampling::runs(256, 2026))]

    #[test]
    fn fast_equals_slow((a, b, constraint, bounds) in pair()) {
        let dim = a.dim();
        let both = |fast: &dyn Fn(&mut [Bound]) -> Result<bool, Overflow>,
                    slow: &dyn Fn(&mut [Bound]) -> Result<bool, Overflow>| {
            let (mut f, mut s) = (a.clone(), a.clone());
            let results = (fast(f.bounds_mut()), slow(s.bounds_mut()));
            assert_eq!(results.0, results.1);
            if results.0 == Ok(true) {
                assert_eq!(f, s);
                dbm::assert_well_formed(f.bounds(), dim);
            }
        };
        both(&|z| dbm::constrain(z, dim, constraint), &|z| slow::constrain(z, dim, constraint));
        both(&|z| slow::constrain_by_entry(z, dim, constraint), &|z| slow::constrain(z, dim, constraint));
        both(&|z| { dbm::down(z, dim); Ok(true) }, &|z| { slow::down(z, dim); Ok(true) });
        both(
            &|z| extra::extra_lu(z, dim, &bounds).map(|()| true),
            &|z| slow::extra_lu(z, dim, &bounds).map(|()| true),
        );
        both(
            &|z| extra::extra_lu_plus(z, dim, &bounds).map(|()| true),
            &|z| slow::extra_lu_plus(z, dim, &bounds).map(|()| true),
        );
        both(
            &|z| dbm::intersect(z, b.bounds(), dim),
            &|z| { z.iter_mut().zip(b.bounds()).for_each(|(a, b)| *a = (*a).min(*b)); slow::close(z, dim) },
        );
        let mut hull = a.clone();
        dbm::hull(hull.bounds_mut(), b.bounds(), dim);
        for (big, small) in [(&a, &b), (&b, &a), (&hull, &a), (&a, &hull), (&a, &a)] {
            prop_assert_eq!(big.includes(small), slow::includes(big.bounds(), small.bounds()));
            prop_assert_eq!(
                lu_covers(big.bounds(), small.bounds(), dim, &bounds),
                slow::lu_covers(big.bounds(), small.bounds(), dim, &bounds)
            );
        }
        prop_assert_eq!(dbm::hash(a.bounds()) == dbm::hash(b.bounds()), a == b);
    }

    #[test]
    fn closing_equals_its_twin((dim, matrix) in matrix()) {
        let (mut fast, mut slow) = (matrix.clone(), matrix);
        let results = (dbm::close(&mut fast, dim), slow::close(&mut slow, dim));
        prop_assert_eq!(results.0, results.1);
        if results.0 == Ok(true) {
            prop_assert_eq!(&fast, &slow);
            dbm::assert_well_formed(&fast, dim);
        }
    }

    #[test]
    fn values_in_range_do_not_overflow(
        values in prop::collection::vec((1usize..9, 0..=i64::from(Bound::MAX_CONSTANT)), 1..30), dim in 2usize..9,
    ) {
        let mut zone = Zone::zero(dim);
        for (clock, value) in values {
            let clock = 1 + clock % (dim - 1);
            prop_assert_eq!(dbm::reset(zone.bounds_mut(), dim, clock, value), Ok(()));
            dbm::copy(zone.bounds_mut(), dim, 1 + clock % (dim - 1), clock);
            dbm::assert_well_formed(zone.bounds(), dim);
        }
    }
}

#[test]
fn growing_differences_overflow_loudly() {
    // x waits for the greatest constant again and again, y counts; `y - x` outgrows the range.
    let most = i64::from(Bound::MAX_CONSTANT);
    let mut zone = Zone::zero(9);
    let mut result = Ok(true);
    for round in 0..3 {
        dbm::up(zone.bounds_mut(), 9);
        result = dbm::constrain(zone.bounds_mut(), 9, Constraint::at_least(1, most).unwrap());
        if result.is_err() {
            assert!(round > 0);
            break;
        }
        dbm::reset(zone.bounds_mut(), 9, 1, 0).unwrap();
    }
    assert_eq!(result, Err(Overflow));
}

/// More rows than a set of rows can name.
#[test]
fn large_matrices_extrapolate_alike() {
    let dim = 131;
    let mut zone = Zone::zero(dim);
    let mut bounds = LuBounds::new(dim);
    for clock in 1..dim {
        bounds.raise_lower(clock, (clock * 7 % 11) as i64).unwrap();
        bounds.raise_upper(clock, (clock * 5 % 13) as i64).unwrap();
    }
    for (clock, least) in [(3, 4), (129, 6), (40, 3), (100, 5), (130, 2)] {
        dbm::up(zone.bounds_mut(), dim);
        assert!(dbm::constrain(zone.bounds_mut(), dim, Constraint::at_least(clock, least).unwrap()).unwrap());
        assert!(
            dbm::constrain(zone.bounds_mut(), dim, Constraint::at_most(clock, least + 9).unwrap()).unwrap()
        );
        dbm::reset(zone.bounds_mut(), dim, clock, 0).unwrap();
    }
    for (fast, slow) in [
        (
            extra::extra_lu as fn(&mut [Bound], usize, &LuBounds) -> _,
            slow::extra_lu as fn(&mut [Bound], usize, &LuBounds) -> _,
        ),
        (extra::extra_lu_plus, slow::extra_lu_plus),
    ] {
        let (mut one, mut other) = (zone.clone(), zone.clone());
        fast(one.bounds_mut(), dim, &bounds).unwrap();
        slow(other.bounds_mut(), dim, &bounds).unwrap();
        assert!(one == other && one != zone);
    }
}
