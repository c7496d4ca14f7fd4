//! The loops with special instructions against the same loops without.

use super::*;
use crate::dbm;
use crate::lu::LuBounds;

/// Zones by a few random constraints and delays, the same in each run; with bounds that differ from
/// small ones by `far`.
fn zone(dim: usize, far: i64, random: &mut impl FnMut(usize) -> usize) -> Vec<Bound> {
    let mut zone = vec![Bound::INFINITY; dbm::len(dim)];
    dbm::init_universe(&mut zone, dim);
    for _ in 0..2 * dim {
        let (i, j) = (random(dim), random(dim));
        // Far above zero, or far below for lower bounds: closing then comes near the largest constants.
        let far = if far > 0 && i == 0 { 24 - far } else { far };
        let bound = Bound::new(random(40) as i64 - 12 + far, random(2) == 0).unwrap();
        let before = zone.clone();
        if i != j && dbm::constrain(&mut zone, dim, crate::Constraint::new(i, j, bound)).is_err() {
            zone = before;
        }
        if i != 0 && random(6) == 0 {
            dbm::reset(&mut zone, dim, i, 0).unwrap();
        }
    }
    zone
}

type Plain = [i32; LANES];

#[test]
fn all_instruction_sets_give_the_same() {
    let mut state = 7u64;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    for (dim, round) in (1..=33).flat_map(|dim| (0..12).map(move |round| (dim, round))) {
        // The last rounds come near the largest constants, 2^28.
        let far = if round < 10 { 0 } else { (1 << 28) - 40 };
        let (a, b) = (zone(dim, far, &mut random), zone(dim, far, &mut random));
        let mut bounds = LuBounds::new(dim);
        for clock in (1..dim).filter(|clock| clock % 5 != 0) {
            bounds.raise_lower(clock, random(20) as i64).unwrap();
            bounds.raise_upper(clock, random(20) as i64).unwrap();
        }
        let (lower, upper) = bounds.limits();
        macro_rules! check {
            ($name:ident, |$zone:ident| ($($arg:expr),*)) => {{
                let (mut fast, mut plain) = (a.clone(), a.clone());
                let $zone = &mut fast;
                let fast_result = $name($($arg),*);
                let $zone = &mut plain;
                let plain_result = loops::$name::<Plain>($($arg),*);
                assert!(fast_result == plain_result && fast == plain, "dimension {dim}");
            }};
        }
        if dim > 1 {
            let (i, j) = (1 + random(dim - 1), 0);
            let bound = Bound(a[dbm::at(dim, i, j)].0.min(80) - 1);
            check!(tighten, |zone| (zone, dim, i, j, bound));
        }
        let mut both = a.clone();
        minimum(&mut both, &b);
        check!(minimum, |zone| (zone, &b));
        check!(maximum, |zone| (zone, &b));
        check!(down, |zone| (zone, dim));
        check!(extra_lu, |zone| (zone, dim, lower, upper));
        check!(extra_lu_plus, |zone| (zone, dim, lower, upper));
        check!(close, |zone| (
            {
                zone.copy_from_slice(&both);
                zone
            },
            dim
        ));
        check!(includes, |zone| (zone, &b));
        check!(lu_covers, |zone| (zone, &b, dim, lower, upper));
        check!(hash, |zone| (zone));
        check!(extremes, |zone| (zone));
        let mut rows = RowSet::none();
        (0..dim).filter(|_| random(3) == 0).for_each(|row| rows.insert(row));
        check!(close_rows, |zone| (
            {
                zone.copy_from_slice(&both);
                zone
            },
            dim,
            rows
        ));
        macro_rules! check_packed {
            ($type:ty, $most:expr, $narrow:ident, $widen:ident, $at_most:ident) => {{
                let narrowed = |zone: &[Bound]| {
                    let (mut fast, mut plain) = (vec![0 as $type; zone.len()], vec![0 as $type; zone.len()]);
                    $narrow(zone, $most, &mut fast);
                    loops::$narrow::<Plain>(zone, $most, &mut plain);
                    assert_eq!(fast, plain, "dimension {dim}");
                    fast
                };
                let (small, big) = (narrowed(&a), narrowed(&b));
                let (mut fast, mut plain) = (a.clone(), a.clone());
                $widen(&small, &mut fast);
                loops::$widen::<Plain>(&small, &mut plain);
                assert!(fast == plain, "dimension {dim}");
                for (one, other) in [(&small, &big), (&big, &small), (&small, &small)] {
                    assert_eq!($at_most(one, other), loops::$at_most::<Plain>(one, other), "dimension {dim}");
                }
            }};
        }
        check_packed!(i8, 126, narrow_i8, widen_i8, at_most_i8);
        check_packed!(i16, 32_766, narrow_i16, widen_i16, at_most_i16);
    }
}
