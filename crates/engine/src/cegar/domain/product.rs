//! Products: a state of each of two domains.
//!
//! The first domain makes its successors by itself. For each of them, the second is asked about the
//! successors that agree with it, knowing what the first knew before (pre-strengthening) and knows
//! afterwards. Pairs that contradict each other never arise, so nothing has to be removed from a Cartesian
//! product afterwards. What the second domain knows of single values reaches the first as well, since
//! statements are simplified under all that a state knows before any domain sees them.

use ir::{Stmt, Term, VarId};
use rustc_hash::FxHashSet;

use crate::answer::Reason;
use crate::cegar::cx::Cx;
use crate::cegar::domain::{Context, Domain, Refutation};

/// Two domains at once.
pub struct Product<A, B>(pub A, pub B);

impl<A: Domain, B: Domain> Domain for Product<A, B> {
    type State = (A::State, B::State);
    type Precision = (A::Precision, B::Precision);

    fn top(&self) -> Self::State {
        (self.0.top(), self.1.top())
    }
    fn post(
        &mut self,
        cx: &mut Cx,
        state: &Self::State,
        context: &Context,
        stmt: Stmt,
        precision: &Self::Precision,
        out: &mut Vec<Self::State>,
    ) -> Result<(), Reason> {
        let mut firsts = vec![];
        self.0.post(cx, &state.0, context, stmt, &precision.0, &mut firsts)?;
        let mut inner = context.clone();
        self.0.facts(cx, &state.0, &mut inner.before);
        let mut seconds = vec![];
        for first in firsts {
            inner.after.truncate(context.after.len());
            self.0.facts(cx, &first, &mut inner.after);
            self.1.post(cx, &state.1, &inner, stmt, &precision.1, &mut seconds)?;
            out.extend(seconds.drain(..).map(|second| (first.clone(), second)));
        }
        Ok(())
    }
    fn facts(&self, cx: &mut Cx, state: &Self::State, out: &mut Vec<Term>) {
        self.0.facts(cx, &state.0, out);
        self.1.facts(cx, &state.1, out);
    }
    fn known(&self, cx: &mut Cx, state: &Self::State, out: &mut Vec<(VarId, Term)>) {
        self.0.known(cx, &state.0, out);
        self.1.known(cx, &state.1, out);
    }
    fn key(&self, state: &Self::State, out: &mut Vec<(u32, u32)>) {
        self.0.key(&state.0, out);
        self.1.key(&state.1, out);
    }
    fn covers(&mut self, cx: &mut Cx, big: &Self::State, small: &Self::State) -> Result<bool, Reason> {
        Ok(self.0.covers(cx, &big.0, &small.0)? && self.1.covers(cx, &big.1, &small.1)?)
    }
    fn refine(&mut self, cx: &mut Cx, precision: &mut Self::Precision, refutation: &Refutation) -> bool {
        let mut grown = self.0.refine(cx, &mut precision.0, refutation);
        let mut rest = refutation.clone();
        if grown && let Some(vars) = self.0.by_value(&precision.0) {
            rest.tracked.extend(vars);
        }
        grown |= self.1.refine(cx, &mut precision.1, &rest);
        grown
    }
    fn size(&self, precision: &Self::Precision) -> (usize, usize) {
        let (a, b) = (self.0.size(&precision.0), self.1.size(&precision.1));
        (a.0 + b.0, a.1 + b.1)
    }
    fn by_value<'p>(&self, precision: &'p Self::Precision) -> Option<&'p FxHashSet<VarId>> {
        self.0.by_value(&precision.0)
    }
}
