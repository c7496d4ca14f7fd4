//! Guards with clocks over urgent channels: those that have no first instant are refused, and those that are too many.
//!
//! Delays are told apart by the upper bounds on clocks that hold before them, two ways for each ([`ir::passing`]). The
//! guard of a synchronisation is the conjunction of those of its edges, so their bounds combine: two emitters and three
//! receivers with bounds of their own are six. For each process, the location where it has most is counted, whatever
//! the others have there; so at any combination of locations there are no more. A guard that asks nothing of clocks but
//! one upper bound holds now or never again, so that no delay is told apart by it, and it does not count.

use ir::{ChannelId, ChannelKind, NoInstant, ProcessId, Role, Span, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Code as Cause;
use crate::xta::elaborate::Elaborator;

/// How many guards over urgent channels may bound clocks from above at the same time.
const MOST_URGENT: usize = 8;
/// How many conjunctions the guard of a synchronisation may have.
const MOST_CUBES: usize = 1024;

/// The guards of a process over a channel, in one role, at the location with most of them.
#[derive(Copy, Clone, Default)]
struct Side {
    /// How many different upper bounds they have, counting none at all as one.
    different: usize,
    /// Whether each of them has one.
    bounded: bool,
    /// How many conjunctions the longest guard has, at any location.
    cubes: usize,
    /// How many conditions on clocks a conjunction has at most, at any location, if all of them are upper bounds.
    upper: Option<usize>,
}

/// The sides of a channel, by role, each with its process.
type Sides = FxHashMap<(ChannelId, Role), Vec<(ProcessId, Side)>>;

impl Elaborator {
    /// Refuses a guard over an urgent channel that has no first instant at which it holds, at the first of its parts that
    /// has none by itself.
    pub(crate) fn check_urgent(&mut self, channel: usize, guard: Term, parts: &[(Span, Term)], place: Span) {
        let terms = &mut self.system.terms;
        let culprit = parts.iter().find(|(_, part)| ir::first_instants(terms, *part).is_err());
        let place = culprit.map_or(place, |(span, _)| *span);
        let name = self.channels[channel].name.clone();
        let message = match ir::first_instants(&mut self.system.terms, guard) {
            Ok(()) => return,
            Err(NoInstant::Strict) => format!(
                "`{name}` is urgent, but there is no first instant at which this guard holds; use `>=` instead of `>` or `!=`"
            ),
            Err(NoInstant::Complex) => {
                format!("`{name}` is urgent; its guard uses clocks in too complex a way")
            }
        };
        self.error(Cause::ClockMisuse, place, message);
    }
    /// Refuses more upper bounds of clocks in guards over urgent channels than delays are told apart by, and guards that
    /// have too many conjunctions when they are taken together.
    pub(crate) fn check_many_urgent(&mut self) {
        let (sides, place) = self.sides();
        let joints = self.joints(&sides);
        let message = if joints
            .iter()
            .map(|joint| product(joint, |side| side.cubes))
            .any(|all| all > MOST_CUBES)
        {
            "the guards over urgent channels use clocks in too complex a way when they are taken together"
                .to_owned()
        } else if joints
            .iter()
            .filter(|joint| !now_or_never(joint))
            .map(|joint| combined(joint))
            .fold(0, usize::saturating_add)
            > MOST_URGENT
        {
            format!(
                "more than {MOST_URGENT} guards over urgent channels bound clocks from above at the same time"
            )
        } else {
            return;
        };
        self.error(Cause::TooLarge, place, message);
    }
    /// The sides that synchronise, all together for each way. A broadcast is possible whoever receives it.
    fn joints(&self, sides: &Sides) -> Vec<Vec<Side>> {
        let mut joints = vec![];
        for (id, channel) in self.system.channels.entries() {
            let of = |role| sides.get(&(id, role)).map_or(&[][..], Vec::as_slice);
            match channel.kind {
                ChannelKind::Binary => {
                    for (emitter, emits) in of(Role::Emit) {
                        let others = of(Role::Receive).iter().filter(|(other, _)| other != emitter);
                        joints.extend(others.map(|(_, receives)| vec![*emits, *receives]));
                    }
                }
                ChannelKind::Broadcast => joints.extend(of(Role::Emit).iter().map(|(_, side)| vec![*side])),
                ChannelKind::Csp => joints.push(of(Role::Join).iter().map(|(_, side)| *side).collect()),
            }
        }
        joints
    }
    /// The sides of urgent channels, and an edge with an upper bound.
    fn sides(&mut self) -> (Sides, Span) {
        let (mut sides, mut place) = (Sides::default(), Span::default());
        let (processes, always) = (self.system.processes.clone(), self.system.terms.bool(true));
        for (id, process) in processes.entries() {
            let mut bounds: FxHashMap<_, (FxHashSet<Term>, usize)> = FxHashMap::default();
            let mut only_upper: FxHashMap<(ChannelId, Role), Option<usize>> = FxHashMap::default();
            for edge in process.edges.iter() {
                let Some(sync) = edge.sync.filter(|sync| self.system.channels[sync.channel].urgent) else {
                    continue;
                };
                let upper = ir::upper_bounds(&mut self.system.terms, edge.guard);
                place = if upper.iter().all(|bound| *bound == always) { place } else { edge.span };
                let all = only_upper.entry((sync.channel, sync.role)).or_insert(Some(0));
                *all = all.zip(only_upper_bounds(&mut self.system.terms, edge.guard)).map(|(a, b)| a.max(b));
                let (here, cubes) = bounds.entry((sync.channel, sync.role, edge.source)).or_default();
                *cubes = upper.len().max(*cubes);
                here.extend(upper);
            }
            let mut worst: FxHashMap<(ChannelId, Role), Side> = FxHashMap::default();
            for ((channel, role, _), (bounds, cubes)) in bounds {
                let most = worst.entry((channel, role)).or_default();
                let here = (bounds.len(), !bounds.contains(&always));
                let (different, bounded) = here.max((most.different, most.bounded));
                let upper = only_upper[&(channel, role)];
                *most = Side { different, bounded, cubes: cubes.max(most.cubes), upper };
            }
            for (key, side) in worst {
                sides.entry(key).or_default().push((id, side));
            }
        }
        (sides, place)
    }
}

/// How many upper bounds the guards of edges have together that synchronise, one from each of these sides.
fn combined(sides: &[Side]) -> usize {
    let unbounded = sides.iter().all(|side| !side.bounded);
    product(sides, |side| side.different).saturating_sub(usize::from(unbounded))
}

/// Whether guards that are taken together ask for one upper bound on a clock at most, and for nothing else of clocks.
fn now_or_never(sides: &[Side]) -> bool {
    sides.iter().map(|side| side.upper).sum::<Option<usize>>().is_some_and(|bounds| bounds <= 1)
}

/// How many upper bounds on clocks a conjunction of a guard has at most, if it asks for nothing else of clocks.
fn only_upper_bounds(terms: &mut Terms, guard: Term) -> Option<usize> {
    let cubes = ir::cubes(terms, guard).ok()?;
    let only = |cube: &ir::Cube| cube.clocks.iter().all(|atom| atom.minus.is_none());
    cubes.iter().all(only).then(|| cubes.iter().map(|cube| cube.clocks.len()).max().unwrap_or(0))
}

fn product(sides: &[Side], number: impl Fn(&Side) -> usize) -> usize {
    sides.iter().map(number).fold(1, usize::saturating_mul)
}
