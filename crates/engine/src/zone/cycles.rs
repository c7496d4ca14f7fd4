//! Accepting cycles of a timed product, among its zones.
//!
//! The zone graph is explored as for reachability, with the transitions between nodes, and whenever there are several
//! times as many nodes as the last time, and at the end, its components are looked at. Coverings count as transitions
//! ([`super::edges`]), so if no component is accepting, no run is, and the number of a node's component is its rank.
//! That is how most questions that hold are answered, on no more nodes than reachability takes.
//!
//! If some component is accepting, one of its cycles may be one that no run follows, since coverings add what others can
//! do. Whether a run does is exact ([`super::recurrent`]), and if one does, it is found. If not, the graph is explored once
//! more, with nodes that are covered only by equal ones; there every accepting component has a run. Where it has none of
//! those, the question is answered too, and the graph, which has more nodes, is the proof (Laarman, Olesen, Dalsgaard,
//! Larsen and van de Pol, *Multi-core emptiness checking of timed Büchi automata using inclusion abstraction*, 2013).
//!
//! Both graphs are extrapolated by ExtraLU+, which is exact for accepting cycles (Li 2009), and by ExtraM where the clocks
//! of differences are compared. What is *stuck* is a target ([`ir::monitor`]) that asks for deadlocks, of which ExtraLU+
//! may make some up; if a run to one is not found among the exact valuations, the search begins again by ExtraM, as for any
//! other deadlock ([`super::deadlock`]).

use ir::{Descent, Measure, Question, Run, System, Term};

use super::edges::{Live, Transitions};
use super::places::Precision;
use super::recurrent::Round;
use super::run::lost;
use super::{End, Explorer};
use crate::config::Covering;
use crate::explicit::graph::Components;
use crate::{Answer, Config, Observer, Reason, Statistics, Stop};

/// Nodes that are expanded before components are looked at for the first time, and how many times as many at the next
/// look.
const FIRST_LOOK: u64 = 256;
const NEXT_LOOK: u64 = 4;

/// How many accepting components are tried at each look, and how often the pre-image of a cycle is taken while coverings
/// may have made it up.
const TRIES: usize = 8;
const FEW_ROUNDS: usize = 64;
/// The same where every cycle is one of a run.
const MANY_ROUNDS: usize = 1 << 20;

/// Searches a product for an accepting run, one to a target, or one to a fault; if there is none, also says why.
pub(crate) fn search(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Descent, Statistics) {
    let question = Question::Reach(target);
    let asks_for_deadlocks = ir::mentions_deadlock(product, target);
    let mut config = config.clone();
    // Simulation does not keep what is impossible.
    if config.covering == Covering::Alu && asks_for_deadlocks {
        config.covering = Covering::Inclusion;
    }
    let mut precision = Precision::Simulation;
    loop {
        let mut explorer = match Explorer::new(product.clone(), &question, precision, &config, stop) {
            Ok(explorer) => explorer,
            Err(reason) => return (Answer::Unknown(reason), Descent::Terminal, Statistics::default()),
        };
        explorer.graph.keep_heirs();
        explorer.transitions_kept = Some(Transitions::default());
        let end = explorer.seek(observer);
        let statistics = explorer.statistics();
        let unknown = |reason| (Answer::Unknown(reason), Descent::Terminal, Statistics::default());
        let answer = match end {
            Ok(Sought::Nothing(measures)) => {
                return (
                    Answer::Excluded(explorer.into_certificate()),
                    Descent::Measures(measures),
                    statistics,
                );
            }
            Ok(Sought::Lasso(run)) => Answer::Found(run),
            Ok(Sought::Perhaps) if config.covering == Covering::Equality => return unknown(lost(None)),
            Ok(Sought::Perhaps) => {
                config.covering = Covering::Equality;
                continue;
            }
            Err(End::Found(node)) => {
                let exact = explorer.places.symmetric() || !asks_for_deadlocks;
                match explorer.run_to(node) {
                    Ok(Some(run)) => Answer::Found(run),
                    Ok(None) if exact => Answer::Unknown(lost(None)),
                    Ok(None) => {
                        precision = Precision::Bisimulation;
                        continue;
                    }
                    Err(reason) => Answer::Unknown(reason),
                }
            }
            Err(End::Unknown(reason)) => Answer::Unknown(reason),
        };
        return (answer, Descent::Terminal, statistics);
    }
}

/// What a search for cycles ends with.
enum Sought {
    /// There is no accepting component; a measure for each live node, in the order of certificates.
    Nothing(Vec<Measure>),
    Lasso(Run),
    /// There is one, and no run has been found that follows a cycle of it.
    Perhaps,
}

impl Explorer<'_> {
    /// Visits nodes until there is a lasso, or nothing is left.
    fn seek(&mut self, observer: &mut dyn Observer) -> Result<Sought, End> {
        self.begin()?;
        self.pause = FIRST_LOOK;
        loop {
            self.go_on(observer)?;
            let complete = self.waitlist.is_empty();
            let live = self.transitions_kept.as_ref().expect("they are kept").among(&self.graph);
            let components = live.graph.components();
            let heads = self.accepting(&components);
            if complete && heads.is_empty() {
                return Ok(Sought::Nothing(self.measures(&live, &components)));
            }
            if let Some(run) = self.first_lasso(&live, &components, &heads)? {
                return Ok(Sought::Lasso(run));
            }
            if complete {
                return Ok(Sought::Perhaps);
            }
            self.pause = self.pause.saturating_mul(NEXT_LOOK);
        }
    }
    fn all_marks(&self) -> u32 {
        self.places.system.monitor.as_ref().map_or(0, ir::monitor::Monitor::all_marks) as u32
    }
    /// The first node of each accepting component, by its number among those that are live.
    fn accepting(&self, components: &Components) -> Vec<u32> {
        let all = self.all_marks();
        let mut seen = vec![false; components.marks.len()];
        let mut heads = vec![];
        for (node, component) in (0..).zip(&components.of) {
            let at = *component as usize;
            if components.marks[at] == Some(all) && !std::mem::replace(&mut seen[at], true) {
                heads.push(node);
            }
        }
        heads
    }
    fn first_lasso(
        &mut self,
        live: &Live,
        components: &Components,
        heads: &[u32],
    ) -> Result<Option<Run>, Reason> {
        let (all, exact) = (self.all_marks(), self.covering == Covering::Equality);
        let (tries, rounds) = if exact { (usize::MAX, MANY_ROUNDS) } else { (TRIES, FEW_ROUNDS) };
        for head in heads.iter().take(tries) {
            let way = live.graph.around(*head, components, all);
            let transition = |position: &usize| {
                let it = live.graph.transition(*position);
                (live.nodes[it.target as usize], it.marks)
            };
            let head = live.nodes[*head as usize];
            let round = Round { head, transitions: way.iter().map(transition).collect() };
            let run = self.lasso(&round, rounds)?;
            self.end_log();
            if run.is_some() {
                return Ok(run);
            }
        }
        Ok(None)
    }
    /// The measures of the live nodes, none of which is in an accepting component, in the order of certificates.
    fn measures(&self, live: &Live, components: &Components) -> Vec<Measure> {
        let mut measures = vec![];
        for discrete in 0..self.store.len() as u32 {
            for node in self.graph.at(discrete) {
                let rank = components.of[live.positions[node] as usize];
                let missing = components.marks[rank as usize].unwrap_or(0).trailing_ones() as u8;
                measures.push(Measure { rank, missing });
            }
        }
        measures
    }
}
