//! Lazy abstraction: the zone graph with labels that are only as strong as what cannot happen demands.
//!
//! The search unwinds the system into a tree of nodes ([`graph`]). A node has exact data ν and an exact
//! zone Z, and two weaker labels: ν̂, which is ν restricted to the variables that are visible ([`data`]),
//! and Ẑ ⊇ Z, which is a zone found by interpolation ([`interpolating`]) or a≼LU(Z) ([`lu`]). A node n is
//! *covered* by an expanded node n' of the same locations if ν̂ and Ẑ of n are within those of n'; then it
//! need not be expanded. The graph is an *adaptive simulation graph* if every node is well-labelled:
//!
//! - **initiation**: a root has the initial data and zone; a label contains what it labels;
//! - **consecution**: a node has exactly the data and the zone that its step leads to from those of its
//!   parent, and its labels contain what the step leads to from the labels of the parent;
//! - **coverage**: the labels of a covered node are within those of the node that covers it, which is
//!   expanded;
//! - **simulation**: what is impossible from ν and Z at an expanded node is impossible from ν̂ and Ẑ.
//!
//! Then the expanded nodes contain all reachable states by their labels, and every node is reachable by
//! its exact part. A label that is too weak for simulation or coverage is strengthened, with those of its
//! ancestors, and nodes that it covered may have to be looked at again. The target is an edge to an error
//! location: at every expanded node it is disabled. See Tóth and Majzik, *Lazy reachability checking for
//! timed automata with discrete variables*, 2018, definitions 5 to 7 and algorithms 1 and 2.

mod reads;
mod steps;
mod data;
mod graph;
mod index;
pub(crate) mod tree;
pub(crate) mod interpolating;
pub(crate) mod lu;
mod certificate;
mod run;
mod well_formed;

use std::time::{Duration, Instant};

use ir::{Id, Question, System, VectorId};
use zones::{Bound, Op, Overflow, ZoneId, dbm};

use crate::cause::{Feature, NoProgress, Unsupported};
use crate::choice::Choice;
use crate::concrete::op::VECTOR;
use crate::concrete::word::Word;
use crate::config::{DataStrategy, ZoneStrategy};
use crate::description::{Description, Procedure, Timing};
use crate::preprocess::Rewritings;
use crate::stop::{SUCCESSOR, zone_work};
use crate::zone::places::Precision;
use crate::zone::{self, End, Waitlist, outgrown};
use crate::{Answer, Config, LazyStatistics, Observer, Phase, Progress, Reason, Statistics, Stop};
use graph::{Graph, NONE, Node, State};
use index::{Index, Key};
use interpolating::Hulls;
use lu::Growth;
use reads::{ALL, Mask};
use steps::{BAD, STUCK, Step, Steps};
use tree::{MOST_NODES, STRENGTHENED};

/// How long an observer waits between two reports at least.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "lazy",
    title: "lazy abstraction of the zone graph",
    good_for: "timed models where few bounds or variables matter",
    paper: "Tóth and Majzik 2017",
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
    let mut explorer = match Explorer::new(system, question, config, stop) {
        Ok(explorer) => explorer,
        Err(reason) => return (Answer::Unknown(reason), Statistics::default()),
    };
    let end = explorer.explore(observer);
    let statistics = explorer.statistics();
    let answer = match end {
        Ok(()) => Answer::Excluded(explorer.into_certificate()),
        Err(End::Found(node)) => explorer.run_to(node).map_or_else(Answer::Unknown, Answer::Found),
        Err(End::Unknown(reason)) => Answer::Unknown(reason),
    };
    (answer, statistics)
}

/// Everything a search keeps.
struct Explorer<'a> {
    /// Places, machines and discrete states, as the eager search has them.
    base: zone::Explorer<'a>,
    steps: Steps<'a>,
    graph: Graph,
    index: Index,
    waitlist: Waitlist,
    strategy: ZoneStrategy,
    /// What a new node sees.
    sight: Mask,
    hulls: Hulls,
    growth: Growth,
    /// The zone of the node being expanded, and that of a successor.
    source: Vec<Bound>,
    successor: Vec<Bound>,
    /// Memory for data, for nodes to make see more, and for nodes that may cover.
    words: [Vec<Word>; 2],
    hashes: Vec<u64>,
    sights: Vec<(u32, Mask)>,
    candidates: Vec<u32>,
    /// The node that is being expanded, which is not in the index yet.
    expanding: u32,
    /// Operations that are being disabled.
    disabled: Vec<Op>,
    limit: u64,
    /// How many nodes interpolation may make.
    budget: usize,
    expanded: u64,
    covered: u64,
    uncovered: u64,
    refinements: u64,
    transitions: u64,
    stop: &'a Stop,
}

impl<'a> Explorer<'a> {
    fn new(system: &System, question: &Question, config: &Config, stop: &'a Stop) -> Result<Self, Reason> {
        let base = zone::Explorer::new(system.clone(), question, Precision::Simulation, config, stop)?;
        let deadlock = question.mentions_deadlock(system);
        let diagonal = !base.places.diagonals().is_empty();
        let strategy = match config.zone_strategy {
            ZoneStrategy::Auto if deadlock || diagonal => ZoneStrategy::BwItp,
            ZoneStrategy::Auto => ZoneStrategy::Lu,
            ZoneStrategy::Lu if deadlock => {
                return Err(unsound(Feature::Deadlock));
            }
            ZoneStrategy::Lu if diagonal => return Err(unsound(Feature::Differences)),
            given => given,
        };
        let explicit = deadlock || config.data == DataStrategy::Explicit;
        let dim = base.dim;
        let components = base.store.components();
        let steps = Steps::new(&base, strategy == ZoneStrategy::Lu, stop);
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        let words = || vec![0; components];
        Ok(Explorer {
            base,
            steps,
            graph: Graph::new(dim),
            index: Index::default(),
            waitlist: Waitlist::new(config.search),
            strategy,
            sight: if explicit { ALL } else { 0 },
            hulls: Hulls::new(strategy == ZoneStrategy::FwItp, dim),
            growth: Growth::new(dim),
            source: zone(),
            successor: zone(),
            words: [words(), words()],
            hashes: vec![],
            sights: vec![],
            candidates: vec![],
            expanding: NONE,
            disabled: vec![],
            limit: config.state_limit.unwrap_or(u64::MAX),
            budget: MOST_NODES,
            expanded: 0,
            covered: 0,
            uncovered: 0,
            refinements: 0,
            transitions: 0,
            stop,
        })
    }
    /// Builds the whole graph, or ends with what it found.
    fn explore(&mut self, observer: &mut dyn Observer) -> Result<(), End> {
        self.begin()?;
        let mut reported = Instant::now();
        let mut rounds = 0u64;
        while let Some(node) = self.waitlist.take() {
            if self.graph.nodes[node as usize].state != State::Waiting {
                continue;
            }
            self.close(node)?;
            if self.graph.nodes[node as usize].state == State::Waiting {
                self.expand(node)?;
            }
            if self.refinements > self.limit.saturating_mul(STRENGTHENED) {
                return Err(End::Unknown(NoProgress::Strengthening.into()));
            }
            rounds += 1;
            if cfg!(debug_assertions) && self.graph.nodes.len() < 100 && rounds.is_multiple_of(8) {
                self.assert_well_formed(false);
            }
            if rounds.is_multiple_of(64) {
                if self.stop.requested() {
                    return Err(End::Unknown(self.stop.reason()));
                }
                if reported.elapsed() >= REPORT_EVERY {
                    reported = Instant::now();
                    observer.progress(&self.progress());
                }
            }
        }
        if cfg!(debug_assertions) {
            self.assert_well_formed(true);
        }
        Ok(())
    }
    /// Adds the roots.
    fn begin(&mut self) -> Result<(), End> {
        let mut roots = vec![];
        self.base.vm.time.keep_log();
        self.base.initial(&mut |base, _| {
            let words = base.vm.slots[..base.store.components()].to_vec();
            roots.push((words, base.vm.time.zone().to_vec(), base.vm.time.log().to_vec()));
            Ok(())
        })?;
        for (words, zone, ops) in roots {
            let inserted = self.base.store.insert(&words, zone::NO_PARENT, zone::NO_PARENT);
            let (discrete, _) = inserted.ok_or(Reason::States(u64::from(STUCK)))?;
            self.successor.copy_from_slice(&zone);
            let ops = self.steps.list(&ops);
            self.add(Step { target: discrete, ops, effect: 0, code: u32::MAX }, NONE)?;
        }
        Ok(())
    }
    /// Adds a node with the zone in `successor`.
    fn add(&mut self, step: Step, parent: u32) -> Result<(), End> {
        let number = self.graph.nodes.len() as u32;
        if u64::from(number) >= self.limit {
            return Err(Reason::States(self.limit).into());
        }
        if self.graph.nodes.len() >= self.budget && self.strategy != ZoneStrategy::Lu {
            return Err(no_progress(self.budget).into());
        }
        let zone = self.graph.intern(&self.successor);
        let label = if self.strategy == ZoneStrategy::Lu { 0 } else { self.graph.universe.index() as u32 };
        self.graph.nodes.push(Node {
            mask: self.sight,
            discrete: step.target,
            zone,
            label,
            parent,
            ops: step.ops,
            effect: step.effect,
            code: step.code,
            coverer: NONE,
            covers: NONE,
            next: NONE,
            state: State::Waiting,
        });
        let vector = self.vector(number);
        if self.base.places.faulty(vector) {
            return Err(End::Found(number));
        }
        self.wait(number, zone);
        Ok(())
    }
    fn wait(&mut self, node: u32, zone: ZoneId) {
        let mut weight = 0;
        if self.waitlist.weighs() {
            self.graph.pool.load(zone, &mut self.successor);
            weight = zone::volume(&self.successor);
        }
        self.waitlist.put(node, weight);
    }
    /// The vector of locations of a node.
    fn vector(&mut self, node: u32) -> VectorId {
        self.base.store.get(self.graph.nodes[node as usize].discrete, &mut self.words[0]);
        VectorId::at(self.words[0][VECTOR as usize] as usize)
    }
    /// Calls `act` with the index and what that sees of a node.
    fn with_key<R>(&mut self, node: u32, act: impl FnOnce(&mut Index, &Key<'_>) -> R) -> R {
        let vector = self.vector(node);
        let Explorer { index, hashes, steps, words, graph, sight, .. } = self;
        if *sight != ALL {
            steps.variables.hashes(&words[0], hashes);
        }
        let discrete = graph.nodes[node as usize].discrete;
        act(index, &Key { vector, discrete, hashes })
    }
    /// Tells the index that an expanded node sees `mask` from now on.
    fn reindex(&mut self, node: u32, mask: Mask) {
        let old = self.graph.nodes[node as usize].mask;
        self.with_key(node, |index, key| {
            index.remove(key, old, node);
            index.insert(key, mask, node);
        });
    }
    /// Tries to cover a node.
    fn close(&mut self, node: u32) -> Result<(), End> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        self.with_key(node, |index, key| index.candidates(key, &mut candidates));
        let zone = self.graph.nodes[node as usize].zone;
        self.graph.pool.load(zone, &mut self.source);
        self.graph.probe.load_all(&self.source, self.graph.dim);
        self.stop.spend(SUCCESSOR + candidates.len() as u64 * zone_work(self.graph.dim) / 2);
        let mut found = Ok(());
        // The latest first.
        for by in candidates.iter().rev() {
            if !self.may_cover(*by) {
                continue;
            }
            let mask = self.graph.nodes[*by as usize].mask;
            if !self.agree(node, *by, mask) {
                continue;
            }
            found = self.try_cover(node, *by);
            if found.is_err() || self.graph.nodes[node as usize].state == State::Covered {
                break;
            }
            self.graph.probe.load_all(&self.source, self.graph.dim);
        }
        self.candidates = candidates;
        found
    }
    /// Whether the abstract zone of a node contains the zone in the probe.
    fn may_cover(&mut self, by: u32) -> bool {
        let Node { zone, label, .. } = self.graph.nodes[by as usize];
        let Graph { pool, probe, bounds, .. } = &mut self.graph;
        match self.strategy {
            ZoneStrategy::Lu => pool.lu_covers(zone, probe, &bounds[label as usize]),
            _ => pool.covers(ZoneId::at(label as usize), probe),
        }
    }
    /// Covers a node, unless that makes the other one too strong.
    fn try_cover(&mut self, node: u32, by: u32) -> Result<(), End> {
        let fits = match self.strategy {
            ZoneStrategy::Lu => self.cover_by_bounds(node, by)?,
            _ => self.cover_by_zone(node, by)?,
        };
        if fits {
            // From now on, what the other one sees is passed on.
            self.graph.cover(node, by);
            self.covered += 1;
            self.see(node, self.graph.nodes[by as usize].mask);
        }
        Ok(())
    }
    /// Takes a covering back.
    fn uncover(&mut self, node: u32) {
        self.graph.uncover(node);
        self.uncovered += 1;
        let zone = self.graph.nodes[node as usize].zone;
        self.wait(node, zone);
    }
    /// Adds the successors of a node, and disables what is impossible.
    fn expand(&mut self, node: u32) -> Result<(), End> {
        self.expanded += 1;
        let Node { discrete, zone, .. } = self.graph.nodes[node as usize];
        let known = self.steps.of(&mut self.base, discrete)?;
        self.graph.nodes[node as usize].state = State::Expanded;
        self.expanding = node;
        if self.sight != ALL {
            known.blocks.clone().for_each(|block| self.see_one(node, block));
        }
        self.graph.pool.load(zone, &mut self.source);
        for at in known.steps {
            let step = self.steps.step(at);
            if self.transitions >= self.base.vm.most {
                return Err(Reason::Steps(self.base.vm.most).into());
            }
            self.transitions += 1;
            self.stop.spend(SUCCESSOR + 4 * zone_work(self.graph.dim));
            if self.transitions.is_multiple_of(1024) && self.stop.requested() {
                return Err(self.stop.reason().into());
            }
            self.see(node, self.steps.effect(step.effect).needed);
            match self.follow(step.ops)? {
                Some(blocked) => self.disable(node, step.ops, blocked)?,
                None if step.target == BAD => return Err(End::Found(node)),
                None if step.target == STUCK => return Err(self.steps.stuck(&self.base)),
                None => self.add(step, node)?,
            }
        }
        // Only now is it known what it sees, for a while.
        self.expanding = NONE;
        let mask = self.graph.nodes[node as usize].mask;
        self.with_key(node, |index, key| index.insert(key, mask, node));
        Ok(())
    }
    /// Runs operations from the zone in `source` into `successor`; the operation that is impossible, if one
    /// is.
    fn follow(&mut self, ops: u32) -> Result<Option<usize>, End> {
        let (ops, dim) = (self.steps.ops(ops), self.graph.dim);
        // Most of what is impossible is so at once.
        for (at, op) in ops.iter().enumerate() {
            let Op::Constrain(constraint) = op else { break };
            if !dbm::meets(&self.source, dim, *constraint) {
                return Ok(Some(at));
            }
        }
        self.successor.copy_from_slice(&self.source);
        for (at, op) in ops.iter().enumerate() {
            let possible = zones::post(&mut self.successor, dim, std::slice::from_ref(op));
            if !possible.map_err(|Overflow| outgrown())? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
    /// Disables operations of which number `blocked` is impossible from the exact zone of a node.
    fn disable(&mut self, node: u32, ops: u32, blocked: usize) -> Result<(), End> {
        let mut list = std::mem::take(&mut self.disabled);
        list.clear();
        list.extend_from_slice(&self.steps.ops(ops)[..=blocked]);
        let result = match self.strategy {
            ZoneStrategy::Lu => self.disable_by_bounds(node, &list),
            _ => self.disable_by_zone(node, &list),
        };
        self.disabled = list;
        result
    }

    fn progress(&self) -> Progress {
        let Statistics { states, expanded, transitions, bytes, covered, .. } = self.statistics();
        Progress {
            phase: Phase::Lazy,
            states,
            expanded,
            transitions,
            bytes,
            covered,
            iterations: self.refinements,
            ..Progress::default()
        }
    }
    fn statistics(&self) -> Statistics {
        let bytes = self.base.store.bytes()
            + self.base.places.bytes()
            + self.graph.bytes()
            + self.steps.bytes()
            + self.index.bytes();
        let seen = self.graph.nodes.iter().fold(0, |all, node| all | node.mask);
        let all = self.steps.variables.len() as u64;
        Statistics {
            states: self.graph.nodes.len() as u64,
            expanded: self.expanded,
            transitions: self.transitions,
            covered: self.covered - self.uncovered,
            bytes: bytes as u64,
            lazy: Some(LazyStatistics {
                zone_strategy: self.strategy,
                data: if self.sight == ALL { DataStrategy::Explicit } else { DataStrategy::Visible },
                uncovered: self.uncovered,
                refinements: self.refinements,
                visible: u64::from(seen.count_ones()).min(all),
                variables: all,
            }),
            ..Statistics::default()
        }
    }
}

/// Why simulation by bounds is refused.
pub(crate) fn unsound(with: Feature) -> Reason {
    Unsupported::Unsound { choice: Choice::ZoneStrategy(ZoneStrategy::Lu), with }.into()
}

fn no_progress(nodes: usize) -> Reason {
    NoProgress::Interpolation { nodes: nodes as u64 }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clocks of which one is reset ever again: many zones, however they are abstracted.
    #[test]
    fn interpolation_is_given_up_when_the_budget_is_spent() {
        let text = "clock x, y; int[0,99] n; process P() { state A { y <= 1 }, Bad; init A;
            trans A -> A { guard y >= 1 && n < 99; assign y := 0, n := n + 1; }, A -> Bad { guard n == 99 && x < 99; }; }
            system P;";
        let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
        let property = model.parse_property("bad", "E<> P.Bad").expect("a query");
        let question = model.system.question(property.claim);
        for (zone_strategy, ends) in
            [(ZoneStrategy::BwItp, false), (ZoneStrategy::FwItp, false), (ZoneStrategy::Lu, true)]
        {
            let config = Config { engine: crate::Engine::Lazy, zone_strategy, ..Config::default() };
            let stop = Stop::new();
            let mut explorer = Explorer::new(&model.system, &question, &config, &stop).expect("an explorer");
            explorer.budget = 50;
            match explorer.explore(&mut crate::Quiet) {
                Err(End::Unknown(Reason::NoProgress(NoProgress::Interpolation { nodes: 50 }))) => {
                    assert!(!ends, "{zone_strategy}");
                }
                Ok(()) => assert!(ends, "{zone_strategy} has 100 nodes at least"),
                Err(_) => panic!("{zone_strategy} finds something"),
            }
        }
    }
}
