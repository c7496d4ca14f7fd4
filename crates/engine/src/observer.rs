//! Progress: a search reports what it does and knows neither logger nor terminal.

/// Somebody who watches a search.
pub trait Observer {
    /// Called every now and then, many times a second at most.
    fn progress(&mut self, progress: &Progress);
}

/// Where a search is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// What is being done.
    pub phase: &'static str,
    /// States stored so far.
    pub states: u64,
    /// States whose successors are known.
    pub expanded: u64,
    /// Successors computed, repeated ones included.
    pub transitions: u64,
    /// Steps from the initial states, breadth first.
    pub depth: u64,
    /// Bytes held by the search.
    pub bytes: u64,
}

/// What a search did, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// States stored.
    pub states: u64,
    /// States whose successors were computed.
    pub expanded: u64,
    /// Successors computed, repeated ones included.
    pub transitions: u64,
    /// Successors that were covered on arrival, in a zone graph.
    pub covered: u64,
    /// Greatest distance from an initial state, breadth first.
    pub depth: u64,
    /// Bytes held by stored states and their index at the end.
    pub bytes: u64,
    /// Expansions that the plain interpreter had to do because the compiled code could not.
    pub plain_expansions: u64,
}

/// Nobody watches.
pub struct Quiet;

impl Observer for Quiet {
    fn progress(&mut self, _: &Progress) {}
}
