//! Abstraction refinement of the zone graph: zones only where the target seems to be near.
//!
//! The abstraction is a graph of nodes `(s, Z)` with a discrete state each. It begins with `Z = z∞`, all
//! valuations, everywhere ([`untimed`]), and is built as far as paths are searched in it. A path from
//! the initial node to a target is analysed with exact zones, from its last *refined* node on, and replaced
//! by what they show: its nodes become refined ones, with extrapolated zones, until an action turns out to be
//! impossible; that edge is removed. The other edges of a new node are those of the node it replaces, and
//! lead to nodes with `z∞` until a path comes by. A path that stays possible to its end is a run. After
//! Farkas, *CEGAR-based analysis of timed systems*, 2016.
//!
//! **What is different.** Three things are left open there, or said in a way that would not be sound.
//! - A node with `z∞` is never changed, not even the initial one, since edges from others may lead to it: a
//!   refined node is a new one, and only the edge of the path is redirected. So edges lead from refined
//!   nodes to refined ones or `z∞`, and from `z∞` to `z∞` only: a path begins with refined nodes and never
//!   comes back to them. An edge from `z∞` to a refined node would claim that its zone contains whatever
//!   the action does to any valuation.
//! - Only refined nodes cover: `z∞` contains every zone, and would undo the refinement.
//! - Paths are not searched anew. Since `z∞` is never left again, whether a path goes on to a target depends on the
//!   discrete state alone, and is remembered; refined nodes wait until each of their edges has been looked
//!   at. Where a move of a node may lead to several discrete states or zones, all are analysed together.
//!
//! **Why the graph is closed in the end.** Let `n` be a refined node that is not covered and `e` an action.
//! All discrete states that `e` leads to from `z∞` are known and decided, and contain those that it leads
//! to from `n`. If all of them are hopeless, the edge still leads to `z∞`. Otherwise `e` has been
//! analysed, and every exact successor lies in a refined node or, where that is covered now, in what
//! covers it, or in `z∞` at a hopeless state. Hopeless states are closed by themselves. So all exact
//! successors of a node lie in nodes; no refined node meets the target, or the search would have ended, and
//! no hopeless state does at any valuation. That is a [`ir::ZoneSet`].
//!
//! **Why it ends.** If there are finitely many discrete states with `z∞`, there are finitely many
//! extrapolated zones for each, and every move of a node is analysed once. Extrapolation follows the rules
//! of [`crate::zone`], for differences of clocks and for `deadlock` too.

mod untimed;

use std::time::Instant;

use ir::{Question, System};

use crate::description::{Description, Procedure, Timing};
use crate::observer::ZoneCegarStatistics;
use crate::preprocess::Rewritings;
use crate::zone::graph::NO_PARENT;
use crate::zone::{End, Explorer, REPORT_EVERY, search_by};
use crate::{Answer, Config, Observer, Phase, Progress, Statistics, Stop};
use untimed::{Fate, Untimed};

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "zone-cegar",
    title: "abstraction refinement of the zone graph",
    good_for: "timed models whose data exclude the target",
    paper: "Dierks, Kupferschmid and Larsen 2007",
    timing: Timing::Own,
    refines: false,
    bounded: false,
    blocks: false,
    bits: false,
    solver: false,
    passes: Rewritings::Zones,
    procedure: Procedure::one(search),
};

/// Searches for a run that answers the question, or to a fault.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    search_by(system, question, config, stop, |explorer| {
        let untimed = Untimed::new(explorer.dim);
        let mut refiner = Refiner { explorer, untimed, followed: vec![], paths: 0, reported: Instant::now() };
        let end = refiner.refine(observer);
        let statistics = refiner.statistics();
        (end.and_then(|()| refiner.keep_hopeless()), statistics)
    })
}

/// The abstraction, and how far it has been refined.
struct Refiner<'e, 'a> {
    /// Has the refined nodes.
    explorer: &'e mut Explorer<'a>,
    /// The nodes with all valuations.
    untimed: Untimed,
    /// For each refined node, the move that was analysed when it was made, or `NONE`.
    followed: Vec<u32>,
    /// How many paths were analysed.
    paths: u64,
    reported: Instant,
}

const NONE: u32 = u32::MAX;

impl Refiner<'_, '_> {
    /// Refines until there is no path to a target; or ends with one that is possible.
    fn refine(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        let mut initial = vec![];
        let untimed = &mut self.untimed;
        self.explorer.initial(&mut |explorer, vector| {
            initial.push(untimed.meet(explorer, vector)?);
            Ok(())
        })?;
        let mut hopeful = false;
        for state in initial {
            hopeful |= self.untimed.is_hopeful(self.explorer, state)?;
        }
        if hopeful {
            self.paths += 1;
            let untimed = &self.untimed;
            self.explorer.initial(&mut |explorer, vector| untimed.refine(explorer, vector, NO_PARENT))?;
            self.follow(0)?;
        }
        while let Some(node) = self.explorer.waitlist.take() {
            self.expand(node)?;
            self.report(observer)?;
        }
        Ok(())
    }
    fn is_live(&self, node: u32) -> bool {
        self.explorer.graph.nodes[node as usize].live
    }
    /// Analyses the paths that leave refined nodes from `node`.
    fn expand(&mut self, node: u32) -> Result<(), End> {
        if !self.is_live(node) {
            return Ok(());
        }
        self.explorer.visited += 1;
        let discrete = self.explorer.graph.nodes[node as usize].discrete;
        self.untimed.expand(self.explorer, discrete)?;
        let mut edges = self.untimed.edges(discrete);
        while let Some(at) = self.untimed.move_of(&edges)
            && self.is_live(node)
        {
            edges.start = self.untimed.edges_of(discrete, at).end;
            if self.followed[node as usize] != at {
                let first = self.explorer.graph.nodes.len();
                self.paths += u64::from(self.analyse(node, discrete, at)?);
                self.follow(first)?;
            }
        }
        Ok(())
    }
    /// Replaces what a move leads to from a refined node by refined nodes; `false` if it is hopeless.
    fn analyse(&mut self, node: u32, discrete: u32, at: u32) -> Result<bool, End> {
        if !self.untimed.decide(self.explorer, discrete, at)? {
            return Ok(false);
        }
        let untimed = &self.untimed;
        let source = self.explorer.load(node)?;
        self.explorer.take(source, at as usize, |explorer, vector| untimed.refine(explorer, vector, node))?;
        Ok(true)
    }
    /// Goes on along paths to a target from all nodes since number `first`, and from those this makes.
    fn follow(&mut self, first: usize) -> Result<(), End> {
        let mut node = first;
        while node < self.explorer.graph.nodes.len() {
            self.followed.push(NONE);
            let discrete = self.explorer.graph.nodes[node].discrete;
            // Where the target is possible at other valuations, the path ends.
            if let Fate::Hopeful(at) = self.untimed.fate(discrete)
                && self.is_live(node as u32)
            {
                self.untimed.expand(self.explorer, discrete)?;
                self.followed[node] = at;
                self.analyse(node as u32, discrete, at)?;
            }
            node += 1;
        }
        Ok(())
    }
    /// Makes nodes with all valuations of the hopeless states, so that the graph is complete.
    fn keep_hopeless(&mut self) -> Result<(), End> {
        for state in 0..self.untimed.len() as u32 {
            if self.untimed.fate(state) == Fate::Hopeless {
                let vector = self.explorer.load_discrete(state)?;
                let Explorer { graph, places, dim, .. } = &mut *self.explorer;
                places.look_at(vector);
                let (keep, bounds) = (places.keep_at(vector), places.bounds(vector));
                graph.add(state, &self.untimed.all, *dim, keep, bounds, NO_PARENT)?;
            }
        }
        Ok(())
    }

    /// Looks up from time to time.
    fn report(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        if self.explorer.visited.is_multiple_of(64) {
            if self.explorer.stop.requested() {
                return Err(self.explorer.stop.reason().into());
            }
            if self.reported.elapsed() >= REPORT_EVERY {
                self.reported = Instant::now();
                let Statistics { states, expanded, transitions, bytes, .. } = self.statistics();
                let phase = Phase::RefiningZones;
                observer.progress(&Progress {
                    phase,
                    states,
                    expanded,
                    transitions,
                    bytes,
                    ..Progress::default()
                });
            }
        }
        Ok(())
    }
    fn statistics(&self) -> Statistics {
        let refined = self.explorer.statistics();
        let unbounded = self.untimed.len() as u64;
        Statistics {
            states: refined.states + unbounded,
            expanded: refined.expanded + self.untimed.expanded,
            bytes: refined.bytes + self.untimed.bytes() as u64,
            zone_cegar: Some(ZoneCegarStatistics { paths: self.paths, refined: refined.states, unbounded }),
            ..refined
        }
    }
}
