//! Which states of a tableau accept some word: those that lead to a component with a cycle through every acceptance set.
//!
//! The strongly connected components are found by a search in depth (Couvreur 1999, after Gabow). The states that have been
//! entered and are not known to be in a complete component are *open*, in the order in which they were entered, and cut into
//! components as far as is known: the open components are a path, each entered from the one before it. An edge back to an
//! open state closes a cycle, and all components from there on become one. A component whose first state has no edge left
//! is complete; everything that it leads to is.

use ir::Id;

use super::{StateId, Tableau, TooLarge};

impl Tableau {
    /// For each state that can be reached from these, whether it accepts some word; `false` for others.
    ///
    /// # Errors
    /// If there are too many.
    pub fn live(&mut self, from: &[StateId]) -> Result<Vec<bool>, TooLarge> {
        let all_marks = self.all_marks();
        let mut live = live(from, all_marks, |state, number| {
            Ok(self.edges(state)?.get(number).map(|edge| (edge.target, edge.marks)))
        })?;
        live.resize(self.states.len(), false);
        Ok(live)
    }
}

/// For each state, whether it can be reached from these and leads to a cycle with all marks; states after the last one
/// reached are missing. The edges of a state have numbers from 0; `edges` gives the target and the marks of one.
fn live(
    from: &[StateId],
    all_marks: u64,
    mut edges: impl FnMut(StateId, usize) -> Result<Option<(StateId, u64)>, TooLarge>,
) -> Result<Vec<bool>, TooLarge> {
    let mut search = Search { all_marks, ..Search::default() };
    for &root in from {
        if search.status(root) == Status::New {
            search.enter(root, 0);
        }
        while let Some(&(state, number)) = search.path.last() {
            let Some((target, marks)) = edges(state, number)? else {
                search.leave(state);
                continue;
            };
            search.path.last_mut().expect("it has just been seen").1 += 1;
            match search.status(target) {
                Status::New => search.enter(target, marks),
                Status::Open(place) => search.close(place, marks),
                Status::Complete { live } => search.component().live |= live,
            }
        }
    }
    Ok(search.statuses.into_iter().map(|status| status == Status::Complete { live: true }).collect())
}

#[derive(Default)]
struct Search {
    all_marks: u64,
    statuses: Vec<Status>,
    /// The states from the root to the present one, each with the number of its next edge.
    path: Vec<(StateId, usize)>,
    open: Vec<StateId>,
    components: Vec<Component>,
}

#[derive(Copy, Clone, PartialEq, Eq, Default)]
enum Status {
    #[default]
    New,
    /// Its number among the open states.
    Open(usize),
    Complete {
        live: bool,
    },
}

struct Component {
    /// The number of its first open state; it goes on to where the next one begins.
    first: usize,
    /// The marks of the edge by which it was entered.
    entered: u64,
    /// The marks on its inner edges, if there are any.
    inner: Option<u64>,
    /// Whether it leads to another component that is live.
    live: bool,
}

impl Search {
    fn status(&self, state: StateId) -> Status {
        self.statuses.get(state.index()).copied().unwrap_or_default()
    }

    fn set(&mut self, state: StateId, status: Status) {
        if self.statuses.len() <= state.index() {
            self.statuses.resize(state.index() + 1, Status::New);
        }
        self.statuses[state.index()] = status;
    }

    /// The component of the present state.
    fn component(&mut self) -> &mut Component {
        self.components.last_mut().expect("the present state is in one")
    }

    /// Enters a new state by an edge with these marks.
    fn enter(&mut self, state: StateId, marks: u64) {
        let first = self.open.len();
        self.set(state, Status::Open(first));
        self.open.push(state);
        self.path.push((state, 0));
        self.components.push(Component { first, entered: marks, inner: None, live: false });
    }

    /// Sees an edge with these marks from the present state to the open one with this number.
    fn close(&mut self, number: usize, mut marks: u64) {
        let mut live = false;
        while self.component().first > number {
            let part = self.components.pop().expect("there is one");
            marks |= part.entered | part.inner.unwrap_or(0);
            live |= part.live;
        }
        let whole = self.component();
        whole.inner = Some(whole.inner.unwrap_or(0) | marks);
        whole.live |= live;
    }

    /// Leaves the present state, all of whose edges have been seen.
    fn leave(&mut self, state: StateId) {
        self.path.pop();
        let Component { first, inner, live, .. } = *self.component();
        if self.status(state) != Status::Open(first) {
            return;
        }
        self.components.pop();
        let live = live || inner == Some(self.all_marks);
        for state in self.open.split_off(first) {
            self.set(state, Status::Complete { live });
        }
        if let Some(before) = self.components.last_mut() {
            before.live |= live;
        }
    }
}

#[cfg(test)]
mod tests;
