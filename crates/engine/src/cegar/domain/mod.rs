//! Abstract domains: what an abstract state says, and which successors it has.
//!
//! A state is a set of concrete ones, given by facts that all of them satisfy. Successors together
//! contain every concrete successor ("may contain more, never less"). The precision says what is tracked;
//! it only grows.

mod expl;
mod pred;
mod product;

use std::fmt::Debug;
use std::hash::Hash;

use ir::{Stmt, Term, VarId};
use rustc_hash::FxHashSet;

use crate::answer::Reason;
use crate::cegar::cx::Cx;

pub use expl::{Expl, Preferred};
pub use pred::{Pred, Shape, pieces};
pub use product::Product;

/// An abstraction of data.
pub trait Domain {
    /// An abstract state.
    type State: Clone + Eq + Hash + Debug;
    /// What is tracked.
    type Precision: Clone + Debug;

    /// The state that says nothing.
    fn top(&self) -> Self::State;
    /// Pushes states that together contain every successor of `state` by `stmt`, which has been simplified
    /// under what `state`, or the state of the product that it belongs to, knows of single variables.
    fn post(
        &mut self,
        cx: &mut Cx,
        state: &Self::State,
        context: &Context,
        stmt: Stmt,
        precision: &Self::Precision,
        out: &mut Vec<Self::State>,
    ) -> Result<(), Reason>;
    /// Pushes what `state` means: all of it holds.
    fn facts(&self, cx: &mut Cx, state: &Self::State, out: &mut Vec<Term>);
    /// Pushes what `state` knows of single variables.
    fn known(&self, cx: &mut Cx, state: &Self::State, out: &mut Vec<(VarId, Term)>);
    /// Pushes pairs that every state covered by `state` has too.
    fn key(&self, state: &Self::State, out: &mut Vec<(u32, u32)>);
    /// Whether `big` contains `small`; `false` when unsure.
    fn covers(&mut self, cx: &mut Cx, big: &Self::State, small: &Self::State) -> Result<bool, Reason>;
    /// Grows `precision` so that the refuted trace is gone; `false` when it did not grow.
    fn refine(&mut self, cx: &mut Cx, precision: &mut Self::Precision, refutation: &Refutation) -> bool;
    /// How many variables and predicates are tracked. Grows with the precision.
    fn size(&self, precision: &Self::Precision) -> (usize, usize);
    /// The variables that are tracked by their values.
    fn by_value<'p>(&self, precision: &'p Self::Precision) -> Option<&'p FxHashSet<VarId>>;
}

/// What the other domains of a product know.
#[derive(Clone, Default, Debug)]
pub struct Context {
    /// Holds before the statement.
    pub before: Vec<Term>,
    /// Holds after it, in the successors that are asked for.
    pub after: Vec<Term>,
}

/// Why a trace cannot be executed.
#[derive(Clone, Default, Debug)]
pub struct Refutation {
    /// For every state of the trace, what is enough to know of it; `true` if nothing. Empty if only variables
    /// are known.
    pub formulas: Vec<Term>,
    /// Variables whose values explain it, if that is all that is known.
    pub variables: Vec<VarId>,
    /// Variables that another domain tracks by their values.
    pub tracked: FxHashSet<VarId>,
    /// Whether the formulas are to be tracked as they are, however they would be split otherwise.
    pub whole: bool,
}
