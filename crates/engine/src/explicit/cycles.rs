//! Accepting cycles of a product.
//!
//! A product has an accepting run if and only if an accepting component of its graph can be reached, where all states are
//! listed. They are listed breadth first, as for reachability, together with the transitions between them; whenever
//! there are several times as many as the last time, the components of what has been expanded are looked at, so that a cycle is
//! found early and looking takes little longer than looking once. Listing first and looking then needs no nested search: actions
//! are executed once, one after the other.
//!
//! A run is short: it begins with a shortest way to an accepting component, and goes around by shortest ways from one
//! acceptance set to the next. If there is none, the list is a closed set, and the number of a state's component is its
//! rank: see [`ir::Progress`].

use ir::{Measure, Run, System, Term};

use super::depth_first::{Cycle, OnDemand, depth_first};
use super::graph::{Components, Graph};
use super::{End, Explorer};
use crate::config::LassoSearch;
use crate::{Answer, Config, Observer, Reason, Search, Statistics, Stop};

/// States that are expanded before components are looked at for the first time.
const FIRST_LOOK: u64 = 256;
/// How many times as many there are at the next look.
const NEXT_LOOK: u64 = 4;

/// Something whose states are listed one after the other, with the transitions between them.
pub(super) trait Unfolding {
    /// Goes on until so many states are expanded, or there is nothing left to expand.
    fn unfold(&mut self, expanded: u64, observer: &mut dyn Observer) -> Result<(), End>;
    /// What is known so far.
    fn graph(&self) -> &Graph;
}

/// Lists states until some of them form an accepting component or all are listed: the components, and the first state of an
/// accepting one, if there is one.
pub(super) fn seek(
    unfolding: &mut impl Unfolding,
    all: u32,
    config: &Config,
    observer: &mut dyn Observer,
) -> Result<(Components, Option<u32>), End> {
    let mut look = if config.cegar.lasso_search == LassoSearch::Full { u64::MAX } else { FIRST_LOOK };
    loop {
        let complete = match unfolding.unfold(look, observer) {
            Ok(()) => true,
            Err(End::Pause) => false,
            Err(end) => return Err(end),
        };
        let components = unfolding.graph().components();
        let head = accepting(&components, all);
        if complete || head.is_some() {
            return Ok((components, head));
        }
        look = look.saturating_mul(NEXT_LOOK);
    }
}

/// Searches a product for an accepting run, one to a target, or one to a fault; also says what the list of states means for
/// cycles if there is none.
pub(crate) fn search(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Result<Answer, Reason>, Vec<Measure>, Statistics) {
    let all = system.monitor.as_ref().map_or(0, ir::monitor::Monitor::all_marks) as u32;
    let config = Config { search: Search::Bfs, ..config.clone() };
    let mut on_demand = OnDemand::new(system.clone(), target, &config, stop);
    match depth_first(&mut on_demand, all, &config) {
        Ok(None) => {}
        end => {
            let explorer = &mut on_demand.explorer;
            let run = match end {
                Ok(Some(Cycle { path, start })) => explorer.run_around(&path, start),
                Err(End::Unknown(reason)) => Err(reason),
                _ => explorer.run_to_first_hit(),
            };
            return (run.map(Answer::Found), vec![], explorer.statistics());
        }
    }
    let mut explorer = Explorer::new(system.clone(), target, &config, stop);
    explorer.visited.graph = Some(Graph::default());
    let run = match seek(&mut explorer, all, &config, observer) {
        Err(End::Unknown(reason)) => Err(reason),
        Err(End::Found) => explorer.run_to_first_hit(),
        Err(End::Pause | End::Open) => unreachable!("it is gone on then, and the product reads for itself"),
        Ok((components, Some(head))) => {
            let mut path = explorer.visited.store.path_to(head);
            let start = path.len() - 1;
            path.extend(explorer.graph().states_around(head, &components, all));
            explorer.run_around(&path, start)
        }
        Ok((components, None)) => {
            let statistics = explorer.statistics();
            return (Ok(Answer::Excluded(explorer.into_certificate())), measures(&components), statistics);
        }
    };
    (run.map(Answer::Found), vec![], explorer.statistics())
}

/// The first state that is in an accepting component.
fn accepting(components: &Components, all: u32) -> Option<u32> {
    let accepts = |component: &u32| components.marks[*component as usize] == Some(all);
    components.of.iter().position(accepts).map(|state| state as u32)
}

/// The measures of states, none of which is in an accepting component.
pub(super) fn measures(components: &Components) -> Vec<Measure> {
    let missing = |component: u32| components.marks[component as usize].unwrap_or(0).trailing_ones() as u8;
    components.of.iter().map(|&rank| Measure { rank, missing: missing(rank) }).collect()
}

impl Unfolding for Explorer<'_> {
    fn unfold(&mut self, expanded: u64, observer: &mut dyn Observer) -> Result<(), End> {
        self.pause = expanded;
        self.explore(observer)
    }
    fn graph(&self) -> &Graph {
        self.visited.graph.as_ref().expect("transitions are kept where cycles are searched for")
    }
}

impl Explorer<'_> {
    /// The run along stored states whose cycle begins after so many steps.
    pub(super) fn run_around(&mut self, path: &[u32], start: usize) -> Result<Run, Reason> {
        let path = self.replayed(path)?;
        // What is open in the last state is to be what it is in the first of the cycle, which does not depend on it
        // but where it is the same all the way.
        let any = path.clone().closed(&self.places.system, path.last().clone());
        let last = any.states().nth(start).expect("the cycle begins on the path").clone();
        Ok(path.closed(&self.places.system, last).around(start))
    }
}
