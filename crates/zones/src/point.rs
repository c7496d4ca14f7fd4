//! Rational points of zones, and delays.

use crate::bound::{Bound, Constraint};
use crate::dbm::at;

/// A valuation with rational values.
///
/// Points are equal if their numbers are; those from this crate are in lowest terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// The numerators; that of the constant zero comes first.
    pub numerators: Vec<i64>,
    /// The common positive denominator.
    pub denominator: i64,
}

/// The delays from a point into a zone: an interval, in multiples of `1 / denominator`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Delays {
    /// The least delay, or the infimum.
    pub least: i64,
    /// Whether the least delay itself is excluded.
    pub after: bool,
    /// The greatest delay, or the supremum; `None` if there is none.
    pub most: Option<i64>,
    /// Whether the greatest delay itself is excluded.
    pub before: bool,
    /// The denominator of the point.
    pub denominator: i64,
}

/// The least valuation of a list of constraints, up to strictness, or `None` if they contradict.
///
/// Also solves a symbolic trace: number the steps, and a clock is the difference of two of them.
/// Takes O(n·m) time for n numbers and m constraints.
pub fn earliest(dim: usize, constraints: &[Constraint]) -> Option<Point> {
    // A cycle has at most `dim` strict bounds, and if it is consistent and has one, its constants sum
    // to 1 or more. So `x - y < c` may be replaced by `x - y <= c - 1 / dim`.
    let strict = constraints.iter().any(|constraint| constraint.bound.is_strict());
    let sure = if strict { dim as i64 } else { 1 };
    // People read 5/2 more easily than 29/12: larger steps beyond strict bounds may do as well.
    let short = dim * constraints.len() < 1_000_000;
    let readable = [1, 2, 4, 5, 10, 20, 50, 100].into_iter().filter(|steps| short && *steps < sure);
    readable.chain([sure]).find_map(|denominator| beyond(dim, constraints, denominator))
}

/// The least valuation that is `1 / denominator` or more beyond every strict bound.
fn beyond(dim: usize, constraints: &[Constraint], denominator: i64) -> Option<Point> {
    let mut numerators = vec![0; dim];
    let mut changed = true;
    for _ in 0..=dim {
        if !changed {
            return Some(Point { numerators, denominator }.reduced());
        }
        changed = false;
        for constraint in constraints {
            let Some(constant) = constraint.bound.constant() else { continue };
            let (left, right) = constraint.cell();
            let strict = i64::from(constraint.bound.is_strict());
            let least = numerators[left] - (i64::from(constant) * denominator - strict);
            if least > numerators[right] {
                if right == 0 || right == left {
                    return None;
                }
                numerators[right] = least;
                changed = true;
            }
        }
    }
    None
}

/// The delays after which the point lies in the zone, if any.
pub fn delays(zone: &[Bound], dim: usize, point: &Point) -> Option<Delays> {
    let (value, scale) = (|i: usize| point.numerators[i], point.denominator);
    let aligned = |i, j| zone[at(dim, i, j)].admits(value(i) - value(j), scale);
    if !(1..dim).all(|i| (1..dim).all(|j| aligned(i, j))) {
        return None;
    }
    // Intervals in units of half a multiple, so that excluded ends are just beside included ones.
    let (mut least, mut most) = (0, i64::MAX);
    for i in 1..dim {
        if let Some(constant) = zone[i].constant() {
            let end = -i64::from(constant) * scale - value(i);
            least = least.max(2 * end + i64::from(zone[i].is_strict()));
        }
        let upper = zone[at(dim, i, 0)];
        if let Some(constant) = upper.constant() {
            let end = i64::from(constant) * scale - value(i);
            most = most.min(2 * end - i64::from(upper.is_strict()));
        }
    }
    // Excluded on both sides at distance one still leaves the middle; at distance zero, nothing.
    let (after, before) = (least & 1 == 1, most != i64::MAX && most & 1 == 1);
    let (low, high) = (least >> 1, if before { (most + 1) >> 1 } else { most >> 1 });
    let nonempty = most == i64::MAX || low < high || low == high && !after && !before;
    nonempty.then_some(Delays {
        least: low,
        after,
        most: (most != i64::MAX).then_some(high),
        before,
        denominator: scale,
    })
}

impl Delays {
    /// A delay of the interval as numerator and denominator: the least one, or one early in between.
    pub fn pick(&self) -> (i64, i64) {
        match self.most {
            _ if !self.after => (self.least, self.denominator),
            None => (self.least + self.denominator, self.denominator),
            Some(most) => (self.least + most, 2 * self.denominator),
        }
    }
}

impl Point {
    /// A point of a closed zone, with small values and a small denominator.
    pub fn of(zone: &[Bound], dim: usize) -> Point {
        let cells = (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j)));
        let constraints = cells.map(|(i, j)| Constraint::new(i, j, zone[at(dim, i, j)]));
        let finite: Vec<_> = constraints.filter(|constraint| !constraint.bound.is_infinite()).collect();
        earliest(dim, &finite).expect("a closed zone is not empty")
    }
    /// The point after a delay of `numerator / denominator`.
    #[must_use]
    pub fn after(&self, numerator: i64, denominator: i64) -> Point {
        let delay = numerator * self.denominator;
        let moved = self.numerators.iter().map(|value| value * denominator + delay);
        let mut point = Point { numerators: moved.collect(), denominator: self.denominator * denominator };
        point.numerators[0] = 0;
        point.reduced()
    }
    fn reduced(mut self) -> Point {
        let divisor = self.numerators.iter().fold(self.denominator, |a, b| gcd(a, *b));
        self.numerators.iter_mut().for_each(|value| *value /= divisor);
        self.denominator /= divisor;
        self
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
