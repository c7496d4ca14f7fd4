//! Everything against its definition, on a grid of points fine enough for two clocks.

use super::*;

/// Points on a grid of eighths, beyond all constants used here.
const STEP: i64 = 8;
const END: i64 = 9 * STEP;

/// A small generator (xorshift); tests give the same result each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as i64
    }
    /// A zone of two clocks; empty ones come out as `None`.
    fn zone(&mut self) -> Option<Dbm> {
        let mut zone = Dbm::all(3);
        for _ in 0..self.roll(5) {
            let (plus, minus) = (self.roll(3) as usize, self.roll(3) as usize);
            let limit = bound(self.roll(9) - 4, self.roll(2) == 0);
            if plus != minus && !zone.constrain(plus, minus, limit) {
                return None;
            }
        }
        Some(zone)
    }
    fn constants(&mut self) -> Vec<ClockRange> {
        let mut some = || Some(self.roll(5) - 1).filter(|constant| *constant >= 0);
        (0..2).map(|_| (some(), some())).collect()
    }
}

type Point = [i64; 3];

fn points(step: i64) -> impl Iterator<Item = Point> {
    let line = move || (0..=END / step).map(move |k| k * step);
    line().flat_map(move |x| line().map(move |y| [0, x, y]))
}

fn listed(zone: &Dbm) -> Zone {
    let mut list = Zone::default();
    zone.write(&mut list);
    list
}

fn contains(zone: &Dbm, point: Point) -> bool {
    (0..3).all(|i| {
        (0..3).all(|j| {
            let (cell, difference) = (i64::from(zone.cells[i * 3 + j]), point[i] - point[j]);
            cell == i64::from(NONE)
                || difference < (cell >> 1) * STEP
                || difference == (cell >> 1) * STEP && cell & 1 == 1
        })
    })
}

/// `v ≼LU w`, by definition.
fn simulates(v: Point, w: Point, constants: &[ClockRange]) -> bool {
    (1..3).all(|clock| {
        let (lower, upper) = constants[clock - 1];
        let above =
            |constant: Option<i64>, value: i64| constant.is_none_or(|constant| value > constant * STEP);
        let (v, w) = (v[clock], w[clock]);
        v == w || above(lower, w) && w < v || above(upper, v) && v < w
    })
}

#[test]
fn operations_follow_their_definitions() {
    let mut dice = Dice(7);
    for _ in 0..400 {
        let Some(zone) = dice.zone() else { continue };
        let mut again = zone.clone();
        assert_eq!(again.close(), Some(false), "constrain keeps closed: {zone:?}");
        let clock = 1 + dice.roll(2) as usize;
        let value = dice.roll(4);
        let mut reset = zone.clone();
        reset.reset(clock, value);
        let mut later = zone.clone();
        later.delay();
        let mut copied = zone.clone();
        copied.copy_clock(clock, 3 - clock);
        // Near enough that what comes before lies on the grid.
        for point in points(4).filter(|point| point[1].max(point[2]) <= 4 * STEP) {
            if point[clock] == value * STEP {
                let mut before = (0..=END).map(|k| {
                    let mut before = point;
                    before[clock] = k;
                    before
                });
                assert_eq!(contains(&reset, point), before.any(|before| contains(&zone, before)));
            }
            if point[1] == point[2] {
                let mut before = (0..=END).map(|k| {
                    let mut before = point;
                    before[clock] = k;
                    before
                });
                assert_eq!(contains(&copied, point), before.any(|before| contains(&zone, before)));
            } else {
                assert!(!contains(&copied, point));
            }
            let mut before = (0..=point[1].min(point[2])).map(|d| [0, point[1] - d, point[2] - d]);
            assert_eq!(contains(&later, point), before.any(|before| contains(&zone, before)));
        }
        for zone in [reset, later, copied] {
            assert_eq!(zone.clone().close(), Some(false), "stays closed: {zone:?}");
        }
    }
}

#[test]
fn operations_backwards_follow_their_definitions() {
    let mut dice = Dice(13);
    for _ in 0..400 {
        let Some(zone) = dice.zone() else { continue };
        let clock = 1 + dice.roll(2) as usize;
        let value = dice.roll(4);
        let mut earlier = zone.clone();
        earlier.before_delay();
        let mut unset = zone.clone();
        let can_be_set = unset.before_reset(clock, value);
        let mut uncopied = zone.clone();
        let can_be_copied = uncopied.before_copy(clock, 3 - clock);
        for point in points(4).filter(|point| point[1].max(point[2]) <= 4 * STEP) {
            let mut after = (0..=END).map(|d| [0, point[1] + d, point[2] + d]);
            assert_eq!(contains(&earlier, point), after.any(|after| contains(&zone, after)), "{zone:?}");
            let mut set = point;
            set[clock] = value * STEP;
            assert_eq!(can_be_set && contains(&unset, point), contains(&zone, set), "{zone:?}");
            let mut copied = point;
            copied[clock] = point[3 - clock];
            assert_eq!(can_be_copied && contains(&uncopied, point), contains(&zone, copied), "{zone:?}");
        }
        let mut results = vec![earlier];
        results.extend(can_be_copied.then_some(uncopied));
        results.extend(can_be_set.then_some(unset));
        for zone in results {
            assert_eq!(zone.clone().close(), Some(false), "stays closed: {zone:?}");
        }
    }
}

#[test]
fn differences_and_intersections_follow_their_definitions() {
    let mut dice = Dice(17);
    for _ in 0..1000 {
        let (Some(zone), Some(other)) = (dice.zone(), dice.zone()) else { continue };
        let mut parts = vec![];
        zone.without(&other, &mut parts);
        let mut common = zone.clone();
        let meet = common.intersect(&other);
        for point in points(4) {
            let (here, there) = (contains(&zone, point), contains(&other, point));
            let count = parts.iter().filter(|part| contains(part, point)).count();
            assert_eq!(count, usize::from(here && !there), "{zone:?} {other:?}");
            assert_eq!(meet && contains(&common, point), here && there, "{zone:?} {other:?}");
        }
        for zone in parts {
            assert_eq!(zone.clone().close(), Some(false), "closed: {zone:?}");
        }
    }
}

#[test]
fn inclusion_follows_its_definition() {
    let mut dice = Dice(11);
    for _ in 0..4000 {
        let (Some(small), Some(big)) = (dice.zone(), dice.zone()) else { continue };
        let expected = points(4).filter(|point| contains(&small, *point)).all(|point| contains(&big, point));
        assert_eq!(small.is_within(&listed(&big)), expected, "{small:?} {big:?}");
    }
}

#[test]
fn simulation_follows_its_definition() {
    let mut dice = Dice(13);
    let mut answers = [0; 2];
    for _ in 0..300 {
        let (Some(small), Some(big)) = (dice.zone(), dice.zone()) else { continue };
        let constants = dice.constants();
        let inside: Vec<Point> = points(2).filter(|point| contains(&big, *point)).collect();
        let expected = points(4)
            .filter(|point| point[1].max(point[2]) <= 6 * STEP && contains(&small, *point))
            .all(|v| inside.iter().any(|w| simulates(v, *w, &constants)));
        assert_eq!(
            small.is_simulated_within(&listed(&big), &constants),
            expected,
            "{small:?} {big:?} {constants:?}"
        );
        answers[usize::from(expected)] += 1;
    }
    assert!(answers[0] > 20 && answers[1] > 20, "{answers:?}");
}
