//! Every operation against sampled rational points: results contain exactly the right ones.

extern crate thetis_zones as zones;

mod support;

use proptest::prelude::*;
use support::*;
use zones::dbm::{self, Relation};
use zones::{Bound, Constraint, Op, Point, Zone, delays, earliest, interpolate, post, pre, set, split};

const DIM: usize = 4;
const LIMIT: i64 = 4;
/// Beyond every constant that an operation on these zones can produce.
const FAR: i64 = 40;

fn points() -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec(point(DIM, 6), 40)
}

/// Whether some value of the clock, in half steps of the grid, takes the point into the zone.
fn exists(zone: &Zone, point: &Point, clock: usize) -> bool {
    (0..=FAR * 2 * point.denominator).any(|halves| zone.contains(&with(point, clock, halves)))
}

fn changed(zone: &Zone, change: impl FnOnce(&mut [Bound])) -> Zone {
    let mut zone = zone.clone();
    change(zone.bounds_mut());
    Zone::from_closed(zone.bounds(), zone.dim())
}

/// Compares an operation that may empty the zone with a condition on points.
fn check(points: &[Point], result: Option<&Zone>, expected: impl Fn(&Point) -> bool) {
    for point in points {
        let found = result.is_some_and(|zone| zone.contains(point));
        assert_eq!(found, expected(point), "{point:?} in {result:?}");
    }
}

proptest! {
    #![proptest_config(sampling::runs(192, 2026))]

    #[test]
    fn points_of_zones_are_in_them(zone in zone(7, 9)) {
        let point = zone.point();
        prop_assert!(zone.contains(&point), "{point:?} in {zone:?}");
        prop_assert!(point.denominator <= 7);
    }

    #[test]
    fn constraining_keeps_exactly_what_satisfies(
        zone in zone(DIM, LIMIT), constraint in constraint(DIM, LIMIT, true), points in points(),
    ) {
        let result = zone.and(constraint).unwrap();
        let samples = samples(&points, &[&zone]);
        let holds = |p: &Point| {
            let (i, j) = (constraint.left as usize, constraint.right as usize);
            constraint.bound.admits(p.numerators[i] - p.numerators[j], p.denominator)
        };
        check(&samples, result.as_ref(), |p| zone.contains(p) && holds(p));
        prop_assert_eq!(dbm::meets(zone.bounds(), DIM, constraint), result.is_some());
        prop_assert_eq!(dbm::satisfies(zone.bounds(), DIM, constraint), result.as_ref() == Some(&zone));
        if let Some(point) = result.map(|zone| zone.point()) {
            prop_assert!(zone.contains(&point) && holds(&point));
        }
    }

    #[test]
    fn delays_go_up_and_down(zone in zone(DIM, LIMIT), points in points()) {
        let samples = samples(&points, &[&zone]);
        let up = changed(&zone, |z| dbm::up(z, DIM));
        let down = changed(&zone, |z| dbm::down(z, DIM));
        let before = |p: &Point| moved(p, 0..=FAR * 2 * p.denominator).any(|p| zone.contains(&p));
        let after = |p: &Point| moved(p, -FAR * 2 * p.denominator..=0).any(|p| zone.contains(&p));
        check(&samples, Some(&up), after);
        check(&samples, Some(&down), before);
        prop_assert!(dbm::is_elapsed(up.bounds(), DIM));
        for point in &samples {
            let interval = delays(zone.bounds(), DIM, point);
            prop_assert_eq!(interval.is_some(), before(point));
            if let Some(interval) = interval {
                let (numerator, denominator) = interval.pick();
                prop_assert!(zone.contains(&point.after(numerator, denominator)));
                for (p, step) in moved(point, 0..=FAR).zip(0..) {
                    let low = if interval.after { step > 2 * interval.least } else { step >= 2 * interval.least };
                    let high = interval.most.is_none_or(|most| {
                        if interval.before { step < 2 * most } else { step <= 2 * most }
                    });
                    prop_assert_eq!(zone.contains(&p), low && high);
                }
            }
        }
    }

    #[test]
    fn assignments_and_their_inverses(
        zone in zone(DIM, LIMIT), clock in 1..DIM, source in 0..DIM, value in 0..=LIMIT, points in points(),
    ) {
        let samples = samples(&points, &[&zone]);
        let reset = changed(&zone, |z| dbm::reset(z, DIM, clock, value).unwrap());
        check(&samples, Some(&reset), |p| {
            p.numerators[clock] == value * p.denominator && exists(&zone, p, clock)
        });
        let copy = changed(&zone, |z| dbm::copy(z, DIM, clock, source));
        check(&samples, Some(&copy), |p| {
            p.numerators[clock] == p.numerators[source]
                && (if clock == source { zone.contains(p) } else { exists(&zone, p, clock) })
        });
        let free = changed(&zone, |z| dbm::free(z, DIM, clock));
        check(&samples, Some(&free), |p| exists(&zone, p, clock));
        let mut undone = zone.clone();
        let nonempty = dbm::undo_reset(undone.bounds_mut(), DIM, clock, value).unwrap();
        check(&samples, nonempty.then_some(&undone), |p| {
            zone.contains(&with(p, clock, 2 * value * p.denominator))
        });
        let mut undone = zone.clone();
        let nonempty = dbm::undo_copy(undone.bounds_mut(), DIM, clock, source).unwrap();
        check(&samples, nonempty.then_some(&undone), |p| {
            zone.contains(&with(p, clock, 2 * p.numerators[source]))
        });
    }

    #[test]
    fn sets_of_two_zones(a in zone(DIM, LIMIT), b in zone(DIM, LIMIT), points in points()) {
        let samples = samples(&points, &[&a, &b]);
        let both = a.intersection(&b).unwrap();
        check(&samples, both.as_ref(), |p| a.contains(p) && b.contains(p));

        let pieces = a.minus(&b).unwrap();
        for point in &samples {
            let count = pieces.iter().filter(|piece| piece.contains(point)).count();
            prop_assert_eq!(count, usize::from(a.contains(point) && !b.contains(point)));
        }
        for (index, piece) in pieces.iter().enumerate() {
            prop_assert!(a.includes(piece) && piece.intersection(&b).unwrap().is_none());
            prop_assert!(pieces[..index].iter().all(|other| other.intersection(piece).unwrap().is_none()));
        }
        prop_assert_eq!(pieces.is_empty(), b.includes(&a));

        let mut complement = Vec::new();
        set::complement(b.bounds(), DIM, &mut complement);
        let holds = |c: &Constraint, p: &Point| {
            let difference = p.numerators[c.left as usize] - p.numerators[c.right as usize];
            c.bound.admits(difference, p.denominator)
        };
        for point in &samples {
            prop_assert_eq!(complement.iter().any(|c| holds(c, point)), !b.contains(point));
        }

        let hull = changed(&a, |z| dbm::hull(z, b.bounds(), DIM));
        prop_assert!(hull.includes(&a) && hull.includes(&b));
        for i in 0..DIM {
            for j in 0..DIM {
                prop_assert_eq!(hull.bound(i, j), a.bound(i, j).max(b.bound(i, j)));
            }
        }
        let relation = match (both.as_ref() == Some(&a), both.as_ref() == Some(&b)) {
            (true, true) => Relation::Equal,
            (true, false) => Relation::Subset,
            (false, true) => Relation::Superset,
            (false, false) => Relation::Incomparable,
        };
        prop_assert_eq!(a.relation(&b), relation);
    }

    #[test]
    fn minimal_constraints_are_enough_and_all_needed(zone in zone(6, LIMIT)) {
        let constraints = zone.constraints();
        prop_assert_eq!(Zone::new(6, &constraints).unwrap(), Some(zone.clone()));
        for index in 0..constraints.len() {
            let mut fewer = constraints.clone();
            fewer.remove(index);
            prop_assert_ne!(Zone::new(6, &fewer).unwrap(), Some(zone.clone()));
        }
    }

    #[test]
    fn steps_lead_forwards_and_backwards(
        zone in zone(DIM, LIMIT), target in zone(DIM, LIMIT), ops in prop::collection::vec(op(DIM, LIMIT, true), 0..6),
    ) {
        let (mut forwards, mut backwards) = (zone.clone(), target.clone());
        let leads = post(forwards.bounds_mut(), DIM, &ops).unwrap()
            && forwards.intersection(&target).unwrap().is_some();
        let comes = pre(backwards.bounds_mut(), DIM, &ops).unwrap()
            && backwards.intersection(&zone).unwrap().is_some();
        prop_assert_eq!(leads, comes);
    }

    #[test]
    fn interpolants_separate(a in zone(DIM, LIMIT), b in zone(DIM, LIMIT)) {
        let mut constraints = Vec::new();
        let disjoint = interpolate::interpolate(a.bounds(), b.bounds(), DIM, &mut constraints);
        prop_assert_eq!(disjoint, a.intersection(&b).unwrap().is_none());
        if disjoint {
            let separates = |constraints: &[Constraint]| {
                let zone = Zone::new(DIM, constraints).unwrap().unwrap();
                zone.intersection(&b).unwrap().is_none()
            };
            prop_assert!(Zone::new(DIM, &constraints).unwrap().unwrap().includes(&a));
            prop_assert!(separates(&constraints));
            // Nothing can be left out, and nothing be weaker.
            for index in 0..constraints.len() {
                let mut weaker = constraints.clone();
                let bound = weaker[index].bound;
                let constant = i64::from(bound.constant().unwrap());
                weaker[index].bound = Bound::new(constant + i64::from(!bound.is_strict()), !bound.is_strict()).unwrap();
                prop_assert!(!separates(&weaker), "{:?} of {:?}, {:?}", constraints, a, b);
                weaker.remove(index);
                prop_assert!(!separates(&weaker));
            }
        }
    }

    /// Zones that only a cycle through several bounds of each tells apart, and some that are not apart.
    #[test]
    fn interpolants_separate_by_longer_cycles(
        order in Just((0..7usize).collect::<Vec<_>>()).prop_shuffle(),
        edges in prop::collection::vec((-3..=4i64, any::<bool>()), 4..=6),
        others in prop::collection::vec((any::<bool>(), constraint(7, 9, true)), 0..3),
    ) {
        let dim = 7;
        let (mut a, mut b) = (Zone::universe(dim), Zone::universe(dim));
        let cycle = edges.iter().enumerate().map(|(index, (constant, strict))| {
            let (from, to) = (order[index], order[(index + 1) % edges.len()]);
            (index % 2 == 0, Constraint::new(from, to, Bound::new(*constant, *strict).unwrap()))
        });
        for (for_a, constraint) in cycle.chain(others) {
            let zone = if for_a { &mut a } else { &mut b };
            if let Some(smaller) = zone.and(constraint).unwrap() {
                *zone = smaller;
            }
        }
        let mut constraints = Vec::new();
        let disjoint = interpolate::interpolate(a.bounds(), b.bounds(), dim, &mut constraints);
        prop_assert_eq!(disjoint, a.intersection(&b).unwrap().is_none());
        if disjoint {
            let itp = Zone::new(dim, &constraints).unwrap().unwrap();
            prop_assert!(itp.includes(&a) && itp.intersection(&b).unwrap().is_none());
            prop_assert!((1..=3).contains(&constraints.len()));
        }
    }

    #[test]
    fn projection_forgets_and_embedding_frees(zone in zone(5, LIMIT), kept in prop::collection::vec(any::<bool>(), 4)) {
        let keep: Vec<u32> = (0..5).filter(|clock| *clock == 0 || kept[*clock as usize - 1]).collect();
        let mut small = vec![Bound::INFINITY; dbm::len(keep.len())];
        dbm::project(zone.bounds(), 5, &keep, &mut small);
        dbm::assert_well_formed(&small, keep.len());
        let mut back = Zone::universe(5);
        dbm::embed(&small, &keep, 5, back.bounds_mut());
        let mut expected = zone.clone();
        for clock in (1..5).filter(|clock| !keep.contains(clock)) {
            dbm::free(expected.bounds_mut(), 5, clock as usize);
        }
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn pieces_of_a_split_decide_the_diagonals(
        zone in zone(DIM, LIMIT), diagonals in prop::collection::vec(constraint(DIM, LIMIT, true), 0..4), points in points(),
    ) {
        let diagonals: Vec<_> = diagonals.into_iter().filter(|c| !c.bound.is_infinite()).collect();
        let mut pieces = Vec::new();
        split::split(zone.bounds(), DIM, &diagonals, &mut pieces).unwrap();
        for point in samples(&points, &[&zone]) {
            let count = pieces.iter().filter(|piece| piece.contains(&point)).count();
            prop_assert_eq!(count, usize::from(zone.contains(&point)));
        }
        for piece in &pieces {
            for diagonal in &diagonals {
                let decided = |c| dbm::satisfies(piece.bounds(), DIM, c);
                prop_assert!(decided(*diagonal) || decided(diagonal.negated()));
            }
        }
    }

    #[test]
    fn the_earliest_solution_is_one(constraints in prop::collection::vec(constraint(6, 6, true), 0..20)) {
        let zone = Zone::new(6, &constraints).unwrap();
        let point = earliest(6, &constraints);
        prop_assert_eq!(zone.is_some(), point.is_some());
        if let (Some(zone), Some(point)) = (zone, point) {
            prop_assert!(zone.contains(&point));
        }
    }
}

/// Whole numbers where they do, else halves, and so on.
#[test]
fn the_earliest_solution_is_readable() {
    let above = |clock, constant| Constraint::lower(clock, constant, true).unwrap();
    let below = |clock, constant| Constraint::upper(clock, constant, true).unwrap();
    let mut list: Vec<Constraint> = (1..=6).map(|clock| above(clock, 2)).collect();
    assert_eq!(earliest(7, &list), Some(Point { numerators: vec![0, 3, 3, 3, 3, 3, 3], denominator: 1 }));
    list.push(below(1, 3));
    let halves = Point { numerators: vec![0, 5, 5, 5, 5, 5, 5], denominator: 2 };
    assert_eq!(earliest(7, &list), Some(halves));
    // Three different moments between 2 and 3, for the first three clocks.
    let bound = Bound::new(0, true).unwrap();
    list.extend([Constraint::new(2, 1, bound), Constraint::new(3, 2, bound)]);
    let quarters = Point { numerators: vec![0, 11, 10, 9, 9, 9, 9], denominator: 4 };
    assert_eq!(earliest(7, &list), Some(quarters));
}

#[test]
fn zones_read_as_conjunctions() {
    let names = ["x", "y", "z"];
    assert_eq!(Zone::universe(4).show(&names).to_string(), "true");
    assert_eq!(Zone::zero(2).show(&names).to_string(), "x == 0");
    let mut zone = Zone::zero(3);
    let ops = [Op::Delay, Op::Constrain(Constraint::at_most(1, 5).unwrap()), Op::Reset(2, 0), Op::Delay];
    assert!(post(zone.bounds_mut(), 3, &ops).unwrap());
    assert_eq!(zone.show(&names).to_string(), "x - y <= 5 && y - x <= 0");
    let strict = Constraint::lower(1, 7, true).unwrap();
    assert_eq!(
        zone.and(strict).unwrap().unwrap().show(&names).to_string(),
        "x > 7 && x - y <= 5 && y - x <= 0"
    );
}

#[test]
fn an_interpolant_keeps_one_side_of_a_cycle() {
    let le = |i, j, c| Constraint::new(i, j, Bound::le(c).unwrap());
    let zone = |constraints: &[Constraint]| Zone::new(5, constraints).unwrap().unwrap();
    let itp = |a: &Zone, b: &Zone| {
        let mut out = Vec::new();
        assert!(interpolate::interpolate(a.bounds(), b.bounds(), 5, &mut out));
        zone(&out).show(&["w", "x", "y", "z"]).to_string()
    };
    // w <= x and y <= z - 5 on one side; x <= y and z <= w + 2 on the other: 3 too many.
    let (a, b) = (zone(&[le(1, 2, 0), le(3, 4, -5)]), zone(&[le(2, 3, 0), le(4, 1, 2)]));
    assert_eq!(itp(&a, &b), "w - x <= 0 && z - y > 2");
    assert_eq!(itp(&b, &a), "x - y <= 0 && z - w < 5");
    // A bound on a single clock is enough: y is at least 5 here and at most 2 there.
    let (a, b) = (zone(&[le(0, 1, -1), le(2, 3, -5)]), zone(&[le(1, 2, 0), le(3, 0, 2)]));
    assert_eq!(itp(&a, &b), "y > 2");
    assert_eq!(itp(&zone(&[le(1, 0, 3)]), &zone(&[le(0, 1, -7)])), "w < 7");
}
