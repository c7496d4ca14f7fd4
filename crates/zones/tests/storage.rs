//! The pool: what goes in comes out, equal zones are one, and inclusion is exact at every width.

extern crate thetis_zones as zones;

mod support;

use proptest::prelude::*;
use support::*;
use zones::{Bound, LuBounds, Pool, Probe, Zone, dbm, lu_covers};

const DIM: usize = 5;

/// Zones whose bounds need 8, 16 and 32 bits.
fn any_zone() -> impl Strategy<Value = Zone> {
    prop_oneof![zone(DIM, 4), zone(DIM, 70), zone(DIM, 20_000), zone(DIM, 1_000_000)]
}

fn loaded(zone: &Zone, keep: &[u32]) -> Probe {
    let mut probe = Probe::new();
    probe.load(zone.bounds(), zone.dim(), keep);
    probe
}

fn projected(zone: &Zone, keep: &[u32]) -> Zone {
    let mut small = vec![Bound::INFINITY; dbm::len(keep.len())];
    dbm::project(zone.bounds(), zone.dim(), keep, &mut small);
    Zone::from_closed(&small, keep.len())
}

proptest! {
    #![proptest_config(sampling::runs(512, 2026))]

    #[test]
    fn zones_come_back_and_equal_ones_are_shared(
        zones in prop::collection::vec(any_zone(), 1..40), kept in prop::collection::vec(any::<bool>(), DIM - 1),
    ) {
        let keep: Vec<u32> = (0..DIM as u32).filter(|c| *c == 0 || kept[*c as usize - 1]).collect();
        let mut pool = Pool::new();
        let mut ids = Vec::new();
        for (index, zone) in zones.iter().enumerate() {
            let mut probe = loaded(zone, &keep);
            let known = zones[..index].iter().position(|other| projected(other, &keep) == projected(zone, &keep));
            prop_assert_eq!(pool.get(&mut probe), known.map(|index| ids[index]));
            let (id, new) = pool.insert(&mut probe);
            prop_assert_eq!(new, known.is_none());
            if let Some(known) = known {
                prop_assert_eq!(id, ids[known]);
            }
            ids.push(id);
        }
        let (mut scratch, mut out) = (Vec::new(), Zone::universe(DIM));
        for (zone, id) in zones.iter().zip(&ids) {
            let mut small = Zone::universe(keep.len());
            pool.load(*id, small.bounds_mut());
            prop_assert_eq!(small, projected(zone, &keep));
            pool.load_into(*id, &keep, DIM, &mut scratch, out.bounds_mut());
            let mut expected = zone.clone();
            for clock in (1..DIM as u32).filter(|clock| !keep.contains(clock)) {
                dbm::free(expected.bounds_mut(), DIM, clock as usize);
            }
            prop_assert_eq!(&out, &expected);
        }
    }

    #[test]
    fn stored_zones_compare_as_they_are(a in any_zone(), b in any_zone(), bounds in bounds(DIM, 90)) {
        let keep: Vec<u32> = (0..DIM as u32).collect();
        // The hull is related to both, at any width.
        let mut hull = a.clone();
        dbm::hull(hull.bounds_mut(), b.bounds(), DIM);
        for (stored, asked) in [(&a, &b), (&b, &a), (&a, &a), (&hull, &a), (&a, &hull), (&b, &hull)] {
            let mut pool = Pool::new();
            let (id, _) = pool.insert(&mut loaded(stored, &keep));
            let mut probe = Probe::new();
            probe.load_all(asked.bounds(), DIM);
            prop_assert_eq!(pool.covers(id, &mut probe), stored.includes(asked));
            prop_assert_eq!(pool.is_covered(id, &mut probe), asked.includes(stored));
            let expected = lu_covers(stored.bounds(), asked.bounds(), DIM, &bounds);
            prop_assert_eq!(pool.lu_covers(id, &probe, &bounds), expected);
        }
    }
}

#[test]
fn small_constants_take_one_byte_each() {
    let (mut pool, mut probe) = (Pool::new(), Probe::new());
    probe.load_all(Zone::zero(11).bounds(), 11);
    pool.insert(&mut probe);
    assert!(pool.bytes() < 400, "{} bytes", pool.bytes());
    assert_eq!((pool.len(), pool.insert(&mut probe).1), (1, false));
    // Another number of clocks is another zone.
    probe.load_all(Zone::zero(3).bounds(), 3);
    let (id, new) = pool.insert(&mut probe);
    assert!(new && pool.covers(id, &mut probe) && pool.lu_covers(id, &probe, &LuBounds::new(3)));
}

proptest! {
    #![proptest_config(sampling::runs(2000, 2026))]

    #[test]
    fn signs_grow_with_what_zones_cover(
        small in any_zone(), big in any_zone(), constants in prop::collection::vec((-1i64..80, -1i64..80), DIM - 1),
    ) {
        let mut bounds = LuBounds::new(DIM);
        for (clock, (lower, upper)) in constants.iter().enumerate() {
            if *lower >= 0 {
                bounds.raise_lower(clock + 1, *lower).unwrap();
            }
            if *upper >= 0 {
                bounds.raise_upper(clock + 1, *upper).unwrap();
            }
        }
        let keep: Vec<u32> = (0..DIM as u32).collect();
        let mut pool = Pool::new();
        for zone in [&small, &big] {
            pool.insert(&mut loaded(zone, &keep));
        }
        for simulation in [false, true] {
            let sign = |zone: &Zone| {
                let mut probe = loaded(zone, &keep);
                let sign = probe.sign(&bounds, simulation);
                let id = pool.get(&mut probe).expect("stored before");
                assert_eq!(sign, pool.sign(id, &bounds, simulation));
                sign
            };
            let covers = match simulation {
                false => big.includes(&small),
                true => lu_covers(big.bounds(), small.bounds(), DIM, &bounds),
            };
            prop_assert!(!covers || sign(&big).may_cover(&sign(&small)));
        }
    }
}
