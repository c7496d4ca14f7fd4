//! A zone that owns its matrix, for tests, for code that is not hot, and for reading.

use std::fmt;

use crate::bound::{Bound, Constraint, Overflow};
use crate::dbm::{self, Relation};
use crate::point::Point;
use crate::set;

/// A non-empty closed zone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Zone {
    dim: usize,
    bounds: Box<[Bound]>,
}

impl Zone {
    /// All non-negative valuations.
    pub fn universe(dim: usize) -> Zone {
        let mut bounds = vec![Bound::INFINITY; dbm::len(dim)];
        dbm::init_universe(&mut bounds, dim);
        Zone { dim, bounds: bounds.into() }
    }
    /// The valuation where all clocks are zero.
    pub fn zero(dim: usize) -> Zone {
        let mut bounds = vec![Bound::INFINITY; dbm::len(dim)];
        dbm::init_zero(&mut bounds, dim);
        Zone { dim, bounds: bounds.into() }
    }
    /// A copy of a closed matrix.
    pub fn from_closed(bounds: &[Bound], dim: usize) -> Zone {
        dbm::assert_well_formed(bounds, dim);
        Zone { dim, bounds: bounds.into() }
    }
    /// All non-negative valuations that satisfy the constraints; `None` if there are none.
    pub fn new(dim: usize, constraints: &[Constraint]) -> Result<Option<Zone>, Overflow> {
        let mut zone = Zone::universe(dim);
        Ok(dbm::constrain_all(&mut zone.bounds, dim, constraints)?.then_some(zone))
    }
    /// Clocks plus one.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The matrix, in the layout of [`dbm`].
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }
    /// The matrix, for the functions of [`dbm`]; whoever empties the zone must not use it again.
    pub fn bounds_mut(&mut self) -> &mut [Bound] {
        &mut self.bounds
    }
    /// The bound on `x_i - x_j`.
    pub fn bound(&self, i: usize, j: usize) -> Bound {
        self.bounds[dbm::at(self.dim, i, j)]
    }
    /// The part that satisfies a constraint; `None` if it is empty.
    pub fn and(&self, constraint: Constraint) -> Result<Option<Zone>, Overflow> {
        if !dbm::meets(&self.bounds, self.dim, constraint) {
            return Ok(None);
        }
        let mut zone = self.clone();
        Ok(dbm::constrain(&mut zone.bounds, self.dim, constraint)?.then_some(zone))
    }
    /// The common part; `None` if it is empty.
    pub fn intersection(&self, other: &Zone) -> Result<Option<Zone>, Overflow> {
        let mut zone = self.clone();
        Ok(dbm::intersect(&mut zone.bounds, &other.bounds, self.dim)?.then_some(zone))
    }
    /// Disjoint zones that together are exactly this zone without `other`.
    pub fn minus(&self, other: &Zone) -> Result<Vec<Zone>, Overflow> {
        let mut out = Vec::new();
        set::subtract(&self.bounds, &other.bounds, self.dim, &mut out)?;
        Ok(out)
    }
    /// Whether this zone contains `other`.
    pub fn includes(&self, other: &Zone) -> bool {
        dbm::includes(&self.bounds, &other.bounds)
    }
    /// How this zone relates to `other`.
    pub fn relation(&self, other: &Zone) -> Relation {
        dbm::relation(&self.bounds, &other.bounds)
    }
    /// Whether the point lies in the zone.
    pub fn contains(&self, point: &Point) -> bool {
        dbm::contains(&self.bounds, self.dim, point)
    }
    /// A point of the zone.
    pub fn point(&self) -> Point {
        Point::of(&self.bounds, self.dim)
    }
    /// A minimal list of constraints that describes the zone.
    pub fn constraints(&self) -> Vec<Constraint> {
        let mut out = Vec::new();
        set::minimal(&self.bounds, self.dim, &mut out);
        out
    }
    /// The zone as a readable conjunction; `names` has one name per clock, without the constant zero.
    pub fn show<'a, S: AsRef<str>>(&'a self, names: &'a [S]) -> Shown<'a, S> {
        Shown { zone: self, names }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (1..self.dim).map(|clock| format!("x{clock}")).collect();
        fmt::Display::fmt(&self.show(&names), f)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// A zone with the names of its clocks.
#[derive(Copy, Clone, Debug)]
pub struct Shown<'a, S> {
    zone: &'a Zone,
    names: &'a [S],
}

impl<S: AsRef<str>> fmt::Display for Shown<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |clock: usize| self.names[clock - 1].as_ref();
        let mut separator = "";
        for constraint in self.zone.constraints() {
            let (i, j) = constraint.cell();
            let constant = constraint.bound.constant().expect("minimal constraints are finite");
            let opposite = self.zone.bound(j, i);
            let equation = opposite.plus(constraint.bound) == Bound::LE_ZERO;
            // An equation is two constraints, of which the minimal list may have one or both.
            if equation && i < j && self.zone.constraints().contains(&Constraint::new(j, i, opposite)) {
                continue;
            }
            f.write_str(separator)?;
            separator = " && ";
            let weak = if constraint.bound.is_strict() { "" } else { "=" };
            match (i, j) {
                _ if equation && j == 0 => write!(f, "{} == {constant}", name(i))?,
                _ if equation && i == 0 => write!(f, "{} == {}", name(j), -constant)?,
                _ if equation => write!(f, "{} - {} == {constant}", name(i), name(j))?,
                (i, 0) => write!(f, "{} <{weak} {constant}", name(i))?,
                (0, j) => write!(f, "{} >{weak} {}", name(j), -constant)?,
                // The form with a constant that is not negative reads best.
                (i, j) if constant < 0 => write!(f, "{} - {} >{weak} {}", name(j), name(i), -constant)?,
                (i, j) => write!(f, "{} - {} <{weak} {constant}", name(i), name(j))?,
            }
        }
        if separator.is_empty() { f.write_str("true") } else { Ok(()) }
    }
}
