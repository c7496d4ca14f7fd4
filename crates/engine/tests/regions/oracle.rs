//! The search of the region graph, on networks as they are.

use std::collections::HashSet;

use super::*;

/// A state with a valuation that stands for its region; clocks in units of 1/[`Net::unit`].
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) locations: Vec<usize>,
    pub(super) data: Vec<i64>,
    pub(super) clocks: Vec<i64>,
}

impl Net {
    /// Fractions of representatives are even, so that there is a moment between any two of them.
    pub(super) fn unit(&self) -> i64 {
        2 * (self.clocks as i64 + 1)
    }
    pub(super) fn has_diagonals(&self) -> bool {
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let spots = self.processes.iter().flat_map(|process| &process.locations);
        let limits = edges.flat_map(|edge| &edge.clocks).chain(spots.flat_map(|spot| &spot.invariant));
        let mut limits = limits.chain(&self.target.clocks);
        limits.any(|limit| limit.other.is_some())
    }
    /// Beyond this, the value of a clock no longer matters. With diagonals, differences matter up to
    /// `MOST`, and a clock that is set to `MOST` differs by more than that from one beyond twice that.
    fn ceiling(&self) -> i64 {
        if self.has_diagonals() { 2 * MOST } else { MOST }
    }
    fn holds(&self, limit: &Limit, point: &Point) -> bool {
        let other = limit.other.map_or(0, |other| point.clocks[other]);
        let bound = limit.constant + limit.plus.map_or(0, |var| point.data[var]);
        compare(point.clocks[limit.clock] - other, limit.op, bound * self.unit())
    }
    /// All limits; or, if `negated`, one of them fails.
    fn hold(&self, limits: &[Limit], negated: bool, point: &Point) -> bool {
        limits.iter().all(|limit| self.holds(limit, point)) != (negated && !limits.is_empty())
    }
    pub(super) fn within_invariants(&self, point: &Point) -> bool {
        self.processes.iter().zip(&point.locations).all(|(process, at)| {
            process.locations[*at].invariant.iter().all(|limit| self.holds(limit, point))
        })
    }
    fn enabled(&self, arrow: &Arrow, process: usize, point: &Point) -> bool {
        arrow.from == point.locations[process]
            && self.hold(&arrow.clocks, arrow.negated, point)
            && arrow.data.iter().all(|(var, op, constant)| compare(point.data[*var], *op, *constant))
    }
    /// The sets of edges that can be taken together, before invariants and committed locations.
    fn moves(&self, point: &Point) -> Vec<Vec<(usize, &Arrow)>> {
        let enabled: Vec<(usize, &Arrow)> = self
            .processes
            .iter()
            .enumerate()
            .flat_map(|(process, body)| body.edges.iter().map(move |edge| (process, edge)))
            .filter(|(process, edge)| self.enabled(edge, *process, point))
            .collect();
        let mut moves = vec![];
        for first in &enabled {
            match first.1.sync {
                None => moves.push(vec![*first]),
                Some(Offer { channel, .. }) if self.channels[channel].0 == ChannelKind::Csp => {}
                Some(Offer { emits: false, .. }) => {}
                Some(Offer { channel, emits: true, part }) => {
                    let part = point.part(part);
                    let receivers = |process: usize| {
                        let receives = move |edge: &&(usize, &Arrow)| {
                            edge.0 == process
                                && edge.1.sync.is_some_and(|offer| {
                                    offer.channel == channel && !offer.emits && point.part(offer.part) == part
                                })
                        };
                        enabled.iter().filter(receives).copied().collect::<Vec<_>>()
                    };
                    let others = (0..self.processes.len()).filter(|process| *process != first.0);
                    if self.channels[channel].0 == ChannelKind::Broadcast {
                        // Everybody who can receive does, by one of the edges that can.
                        let mut ways = vec![vec![*first]];
                        for choices in others.map(receivers).filter(|choices| !choices.is_empty()) {
                            let mut longer = vec![];
                            for way in &ways {
                                longer.extend(choices.iter().map(|edge| [way.as_slice(), &[*edge]].concat()));
                            }
                            ways = longer;
                        }
                        moves.extend(ways);
                    } else {
                        moves.extend(others.flat_map(receivers).map(|second| vec![*first, second]));
                    }
                }
            }
        }
        for (channel, _) in
            self.channels.iter().enumerate().filter(|(_, (kind, _))| *kind == ChannelKind::Csp)
        {
            for part in 0..2 {
                self.join(channel, part, point, &enabled, &mut moves);
            }
        }
        moves
    }
    /// All who know a channel of CSP kind move, each by one of the edges that can.
    fn join<'a>(
        &self,
        channel: usize,
        part: i64,
        point: &Point,
        enabled: &[(usize, &'a Arrow)],
        moves: &mut Vec<Vec<(usize, &'a Arrow)>>,
    ) {
        let knows = |body: &Automaton| {
            body.edges.iter().filter_map(|edge| edge.sync).any(|offer| {
                offer.channel == channel
                    && match offer.part {
                        Part::At(at) => at == part,
                        Part::Of(_) => true,
                    }
            })
        };
        let mut ways: Vec<Vec<(usize, &Arrow)>> = vec![vec![]];
        for process in (0..self.processes.len()).filter(|process| knows(&self.processes[*process])) {
            let here = |edge: &&(usize, &Arrow)| {
                edge.0 == process
                    && edge
                        .1
                        .sync
                        .is_some_and(|offer| offer.channel == channel && point.part(offer.part) == part)
            };
            let mut longer = vec![];
            for edge in enabled.iter().filter(here) {
                longer.extend(ways.iter().map(|way| [way.as_slice(), &[*edge]].concat()));
            }
            ways = longer;
        }
        moves.extend(ways.into_iter().filter(|way| !way.is_empty()));
    }
    fn kind(&self, process: usize, point: &Point) -> LocationKind {
        self.processes[process].locations[point.locations[process]].kind
    }
    /// Where the system can be right after a step; `None` if the step goes wrong.
    pub(super) fn successors(&self, point: &Point) -> Vec<Option<Point>> {
        let committed = |process: usize| self.kind(process, point) == LocationKind::Committed;
        let hurry = (0..self.processes.len()).any(committed);
        let mut result = vec![];
        for edges in self.moves(point) {
            if hurry && !edges.iter().any(|(process, _)| committed(*process)) {
                continue;
            }
            let mut next = point.clone();
            let mut wrong = false;
            for (process, edge) in edges {
                next.locations[process] = edge.to;
                for (clock, value) in &edge.resets {
                    next.clocks[*clock] = value * self.unit();
                }
                for (var, update) in &edge.updates {
                    next.data[*var] = match update {
                        Update::Set(value) => *value,
                        Update::Next => (next.data[*var] + 1) % (DATA + 1),
                        Update::More => next.data[*var] + 1,
                    };
                    wrong |= next.data[*var] > DATA;
                }
            }
            if wrong {
                result.push(None);
            } else if self.within_invariants(&next) {
                result.push(Some(next));
            }
        }
        result
    }
    /// Whether time stands still. Guards over urgent channels do not look at clocks, so that it stays like this.
    fn is_still(&self, point: &Point) -> bool {
        let urgent = |edges: &Vec<(usize, &Arrow)>| {
            edges[0].1.sync.is_some_and(|offer| self.channels[offer.channel].1)
        };
        (0..self.processes.len()).any(|process| self.kind(process, point) != LocationKind::Normal)
            || self.moves(point).iter().any(urgent)
    }
    /// Whether time can pass for ever: invariants are convex, so that only now and late matters.
    pub(super) fn idles(&self, point: &Point) -> bool {
        let mut late = point.clone();
        late.clocks.iter_mut().for_each(|clock| *clock += 1_000 * self.unit());
        !self.is_still(point) && self.within_invariants(point) && self.within_invariants(&late)
    }
    /// Where the system can be after waiting, not at all included: one point for each region on the way.
    pub(super) fn delays(&self, point: &Point) -> Vec<Point> {
        if self.is_still(point) {
            return vec![point.clone()];
        }
        // Regions change only when a clock that matters becomes or leaves an integer.
        let mut moments = vec![0];
        for value in &point.clocks {
            moments.extend((0..=self.ceiling()).map(|k| k * self.unit() - value).filter(|wait| *wait > 0));
        }
        moments.sort_unstable();
        moments.dedup();
        let mut waits = vec![];
        for (number, moment) in moments.iter().enumerate() {
            let next = moments.get(number + 1).copied().unwrap_or(moment + self.unit());
            assert!(next - moment >= 2, "there is a moment in between");
            waits.extend([*moment, moment + (next - moment) / 2]);
        }
        let mut result = vec![];
        for wait in waits {
            let mut later = point.clone();
            later.clocks.iter_mut().for_each(|clock| *clock += wait);
            self.respace(&mut later.clocks);
            if self.within_invariants(&later) {
                result.push(later);
            }
        }
        result
    }
    /// Gives all clocks even fractions, in the same order and with the same integer parts: whatever is
    /// compared with integers, differences included, stays as it is.
    fn respace(&self, clocks: &mut [i64]) {
        let unit = self.unit();
        let mut fractions: Vec<i64> = clocks.iter().map(|clock| clock % unit).chain([0]).collect();
        fractions.sort_unstable();
        fractions.dedup();
        for clock in clocks {
            let rank = fractions.binary_search(&(*clock % unit)).expect("listed above") as i64;
            *clock = *clock / unit * unit + 2 * rank;
        }
    }
    /// What is the same for two points exactly if they behave alike.
    pub(super) fn region(&self, point: &Point) -> Region {
        let unit = self.unit();
        let ceiling = self.ceiling() * unit;
        let mut known = point.clocks.clone();
        known.iter_mut().filter(|clock| **clock > ceiling).for_each(|clock| *clock = ceiling + unit);
        self.respace(&mut known);
        let mut differences = vec![];
        if self.has_diagonals() {
            for a in &point.clocks {
                for b in &point.clocks {
                    // Twice the integer part, plus one between integers.
                    let (whole, rest) = ((a - b).div_euclid(unit), (a - b).rem_euclid(unit));
                    differences.push((2 * whole + i64::from(rest > 0)).clamp(-2 * MOST - 1, 2 * MOST + 1));
                }
            }
        }
        (point.locations.clone(), point.data.clone(), known, differences)
    }
    fn is_target(&self, point: &Point) -> bool {
        let goal = &self.target;
        goal.location.is_none_or(|at| point.locations[0] == at)
            && self.hold(&goal.clocks, goal.negated, point)
            && goal.data.is_none_or(|(var, value)| point.data[var] == value)
            && (!goal.deadlock || self.delays(point).iter().all(|later| self.successors(later).is_empty()))
    }
    /// What is reached; `None` if there are too many regions.
    pub(super) fn reaches(&self) -> Option<Expected> {
        let start = Point {
            locations: vec![0; self.processes.len()],
            data: vec![0; self.ints],
            clocks: vec![0; self.clocks],
        };
        let mut seen: HashSet<Region> = HashSet::new();
        let mut found = Expected::default();
        let mut waiting: Vec<Point> = if self.within_invariants(&start) { vec![start] } else { vec![] };
        while let Some(arrived) = waiting.pop() {
            for point in self.delays(&arrived) {
                if seen.insert(self.region(&point)) {
                    found.target |= self.is_target(&point);
                    for next in self.successors(&point) {
                        found.fault |= next.is_none();
                        waiting.extend(next);
                    }
                }
            }
            if seen.len() > REGIONS {
                return None;
            }
        }
        Some(found)
    }
}

impl Point {
    fn part(&self, part: Part) -> i64 {
        match part {
            Part::At(at) => at,
            Part::Of(var) => self.data[var] % 2,
        }
    }
}

/// What a search must find: one of these if there are any.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Expected {
    pub(super) target: bool,
    pub(super) fault: bool,
}

/// Locations, data, clocks up to what matters, differences of clocks where they do.
pub(super) type Region = (Vec<usize>, Vec<i64>, Vec<i64>, Vec<i64>);
