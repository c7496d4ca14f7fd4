//! Depth-first searches for accepting cycles of concrete states, as alternatives to components.
//!
//! The searches are those of [`crate::cegar::lasso::search`], which know nothing of what nodes are. They take states in
//! another order than the one in which these are listed, so states are expanded on demand ([`OnDemand`]). If there is no
//! accepting cycle, they leave no order by which that could be shown: then all states are listed, as if nobody had searched.

use ir::{System, Term};

use super::cycles::Unfolding;
use super::graph::{Graph, Transition};
use super::{End, Explorer};
use crate::cegar::lasso::search::{Edge, Space, guided, nested};
use crate::concrete::store::NO_PARENT;
use crate::config::LassoSearch;
use crate::{Config, Reason, Stop};

/// A graph of concrete states that grows while it is searched; the initial states have the first numbers.
pub(super) trait Unfolded {
    /// How many states are initial.
    fn roots(&mut self) -> Result<u32, End>;
    /// The transitions of a state.
    fn transitions_of(&mut self, state: u32) -> Result<Vec<Transition>, End>;
}

/// A way from an initial state that ends where its cycle begins.
pub(super) struct Cycle {
    /// The states on it, the first and the last one included.
    pub(super) path: Vec<u32>,
    /// Where on it the cycle begins.
    pub(super) start: usize,
}

/// Searches depth first for an accepting cycle, if that is wanted.
pub(super) fn depth_first(
    unfolded: &mut impl Unfolded,
    all: u32,
    config: &Config,
) -> Result<Option<Cycle>, End> {
    let mut states = States(unfolded);
    let found = match config.cegar.lasso_search {
        LassoSearch::Gdfs => guided(&mut states, all)?,
        LassoSearch::Ndfs => nested(&mut states, all)?,
        LassoSearch::Scc | LassoSearch::Full => None,
    };
    Ok(found.map(|lasso| {
        let path = std::iter::once(lasso.first).chain(lasso.edges.iter().map(|edge| edge.target)).collect();
        Cycle { path, start: lasso.stem }
    }))
}

/// Concrete states as the searches see them.
struct States<'a, U>(&'a mut U);

impl<U: Unfolded> Space for States<'_, U> {
    type End = End;
    fn roots(&mut self) -> Result<Vec<u32>, End> {
        Ok((0..self.0.roots()?).collect())
    }
    fn from(&mut self, node: u32) -> Result<Vec<Edge>, End> {
        let edge =
            |Transition { target, marks }| Edge { source: node, action: 0, made: target, target, marks };
        Ok(self.0.transitions_of(node)?.into_iter().map(edge).collect())
    }
}

/// The states of a system, expanded when somebody asks for their successors.
pub(super) struct OnDemand<'a> {
    pub(super) explorer: Explorer<'a>,
    /// The place of each state among the expanded ones; [`NO_PARENT`] for those that are not.
    places: Vec<u32>,
    /// How many states are initial.
    pub(super) initial: u32,
    stop: &'a Stop,
}

impl<'a> OnDemand<'a> {
    /// No state yet.
    pub(super) fn new(system: System, target: Term, config: &Config, stop: &'a Stop) -> Self {
        let mut explorer = Explorer::new(system, target, config, stop);
        explorer.visited.graph = Some(Graph::default());
        OnDemand { explorer, places: vec![], initial: 0, stop }
    }
    /// Lets the search store and do as much as it may from now on.
    pub(super) fn allow(&mut self, config: &Config) {
        let Explorer { visited, vm, .. } = &mut self.explorer;
        let more = config.step_limit.unwrap_or(u64::MAX);
        visited.limit = config.state_limit.map_or(NO_PARENT, |limit| limit.try_into().unwrap_or(NO_PARENT));
        visited.most = visited.transitions.saturating_add(more);
        vm.most = vm.ticks.saturating_add(more);
    }
    /// Makes sure that the initial states are listed.
    pub(super) fn begin(&mut self) -> Result<(), Reason> {
        if std::mem::replace(&mut self.explorer.begun, true) {
            return Ok(());
        }
        match self.explorer.begin() {
            Err(End::Unknown(reason)) => {
                // Nothing is known if not everything is.
                self.explorer.begun = false;
                return Err(reason);
            }
            _ => self.initial = self.explorer.visited.store.len() as u32,
        }
        Ok(())
    }
    /// Makes sure that the successors of a state are listed.
    pub(super) fn expand(&mut self, state: u32) -> Result<(), End> {
        if self.place(state).is_some() {
            return Ok(());
        }
        let next = self.explorer.graph().expanded();
        let end = self.explorer.expand(state);
        if end.is_err() {
            self.explorer.vm.reset();
            self.explorer.visited.graph.iter_mut().for_each(Graph::take_back);
            return end;
        }
        self.places.resize(self.explorer.visited.store.len(), NO_PARENT);
        self.places[state as usize] = next as u32;
        Ok(())
    }
    fn place(&self, state: u32) -> Option<u32> {
        self.places.get(state as usize).copied().filter(|place| *place != NO_PARENT)
    }
    /// How many transitions an expanded state has.
    pub(super) fn degree(&self, state: u32) -> usize {
        self.place(state).map_or(0, |place| self.explorer.graph().from(place).len())
    }
    /// The target of one of them.
    pub(super) fn successor(&self, state: u32, number: usize) -> u32 {
        let place = self.place(state).expect("expanded before");
        self.explorer.graph().from(place)[number].target
    }
}

impl Unfolded for OnDemand<'_> {
    fn roots(&mut self) -> Result<u32, End> {
        self.begin()?;
        if self.explorer.hits.is_empty() { Ok(self.initial) } else { Err(End::Found) }
    }
    fn transitions_of(&mut self, state: u32) -> Result<Vec<Transition>, End> {
        if self.stop.requested() {
            return Err(End::Unknown(self.stop.reason()));
        }
        self.expand(state)?;
        let place = self.place(state).expect("just expanded");
        Ok(self.explorer.graph().from(place).to_vec())
    }
}
