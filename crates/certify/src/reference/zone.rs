//! Zones as difference bound matrices, as in any textbook: `bounds[x][y]` is an upper bound on `x - y`, clock 0 is the
//! constant zero, and after every operation the matrix is closed by the algorithm of Floyd and Warshall, so that every
//! bound that follows from others is written down, and an empty zone has a negative bound on its diagonal.
//!
//! Constants are wide enough that sums of them do not overflow.

/// An upper bound on a difference, or none; `< c` if it is strict, else `<= c`.
pub(super) type Bound = Option<(i128, bool)>;

/// The bound `<= c`.
pub(super) fn at_most(constant: i128) -> Bound {
    Some((constant, false))
}

/// The bound on `y - x` that says the opposite of one on `x - y`: not `x - y < c` is `y - x <= -c`.
pub(super) fn opposite((constant, strict): (i128, bool)) -> Bound {
    Some((-constant, !strict))
}

/// Whether the first bound says as least as much as the second.
fn is_tighter(first: Bound, second: Bound) -> bool {
    match (first, second) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some((c, strict)), Some((d, other))) => c < d || c == d && (strict || !other),
    }
}

/// A set of valuations of clocks, which are never negative.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    bounds: Vec<Vec<Bound>>,
}

impl Zone {
    /// All valuations of so many clocks.
    pub(super) fn all(clocks: usize) -> Zone {
        let mut zone = Zone { bounds: vec![vec![None; clocks + 1]; clocks + 1] };
        zone.bounds[0] = vec![at_most(0); clocks + 1];
        for clock in 0..=clocks {
            zone.bounds[clock][clock] = at_most(0);
        }
        zone
    }
    /// The valuations with all of these bounds, row by row.
    pub(super) fn of(clocks: usize, limits: &[ir::Limit]) -> Option<Zone> {
        let mut zone = Zone::all(clocks);
        for (at, limit) in limits.iter().enumerate() {
            let bound = limit.get().map(|(constant, strict)| (i128::from(constant), strict));
            let old = &mut zone.bounds[at / (clocks + 1)][at % (clocks + 1)];
            if is_tighter(bound, *old) {
                *old = bound;
            }
        }
        zone.closed()
    }
    /// All bounds that there are, with the clocks of the difference.
    pub(super) fn bounds(&self) -> impl Iterator<Item = (usize, usize, (i128, bool))> {
        let rows = self.bounds.iter().enumerate();
        let row = |(plus, row): (usize, &'_ Vec<Bound>)| {
            let bounds: Vec<_> = row.iter().enumerate().map(|(minus, bound)| (plus, minus, *bound)).collect();
            bounds
        };
        rows.flat_map(row).filter_map(|(plus, minus, bound)| Some((plus, minus, bound?)))
    }
    /// Whether these are its bounds, row by row.
    pub(super) fn is_written(&self, limits: &[ir::Limit]) -> bool {
        let written = limits.iter().map(|limit| limit.get().map(|(c, strict)| (i128::from(c), strict)));
        self.bounds.iter().flatten().copied().eq(written)
    }
    /// The same zone with every bound that follows; none if it is empty.
    fn closed(mut self) -> Option<Zone> {
        let all = 0..self.bounds.len();
        for via in all.clone() {
            for from in all.clone() {
                for to in all.clone() {
                    let (Some((c, strict)), Some((d, other))) =
                        (self.bounds[from][via], self.bounds[via][to])
                    else {
                        continue;
                    };
                    let sum = Some((c + d, strict || other));
                    if is_tighter(sum, self.bounds[from][to]) {
                        self.bounds[from][to] = sum;
                    }
                }
            }
        }
        all.into_iter().all(|clock| is_tighter(at_most(0), self.bounds[clock][clock])).then_some(self)
    }
    /// The valuations with a bound on `plus - minus`; none if there are none.
    pub(super) fn with(&self, plus: usize, minus: usize, bound: Bound) -> Option<Zone> {
        let mut zone = self.clone();
        if is_tighter(bound, zone.bounds[plus][minus]) {
            zone.bounds[plus][minus] = bound;
        }
        zone.closed()
    }
    /// What these valuations become when time passes.
    pub(super) fn later(&self) -> Zone {
        let mut zone = self.clone();
        for clock in 1..zone.bounds.len() {
            zone.bounds[clock][0] = None;
        }
        zone
    }
    /// The same valuations, with a clock at any value.
    fn free(&self, clock: usize) -> Zone {
        let mut zone = self.clone();
        for other in (0..zone.bounds.len()).filter(|other| *other != clock) {
            zone.bounds[clock][other] = None;
            zone.bounds[other][clock] = if other == 0 { at_most(0) } else { None };
        }
        zone.closed().expect("no clock is bounded by one that may be anything")
    }
    /// The same valuations, with a clock set to a number.
    pub(super) fn set(&self, clock: usize, value: i128) -> Option<Zone> {
        self.free(clock).with(clock, 0, at_most(value))?.with(0, clock, at_most(-value))
    }
    /// The same valuations, with a clock set to another.
    pub(super) fn copy(&self, clock: usize, from: usize) -> Zone {
        if clock == from {
            return self.clone();
        }
        let equal = self.free(clock).with(clock, from, at_most(0));
        equal.and_then(|zone| zone.with(from, clock, at_most(0))).expect("it may be anything, the other too")
    }
    /// Zones that together are this one without another.
    pub(super) fn without(&self, other: &Zone) -> Vec<Zone> {
        let mut parts = vec![];
        for plus in 0..self.bounds.len() {
            for minus in 0..self.bounds.len() {
                parts.extend(
                    other.bounds[plus][minus].and_then(|bound| self.with(minus, plus, opposite(bound))),
                );
            }
        }
        parts
    }
    /// Whether every valuation is in one of some zones.
    pub(super) fn is_within(&self, others: &[Zone]) -> bool {
        match others.split_first() {
            None => false,
            Some((first, rest)) => self.without(first).iter().all(|part| ir::deep(|| part.is_within(rest))),
        }
    }
}
