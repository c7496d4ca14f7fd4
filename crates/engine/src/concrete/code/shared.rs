//! Shared parts of large terms, computed once.
//!
//! Terms share their parts, and written out a term may be exponentially larger than it is: a loop that counts is
//! `ite(c, k + 1, k)` for the `k` of the round before. Before such a term is computed, its parts that are large and
//! occur more than once are put into temporaries, the innermost first, and the term is made of these.
//!
//! Not every part is computed whenever the term is, and one that is not may have no value the machine knows (a
//! position outside an array, an open variable). So a part goes first only if it is *certain* to be computed, as
//! what is in both branches of an `ite` is, or if it is *harmless*: whatever its variables are, it has a value.
//! Others are computed where they stand, as often as they occur.

use ir::{Node, Term, Terms, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Compiler;
use crate::concrete::op::Slot;

impl Compiler<'_> {
    /// Where the value of a shared part is that has been computed.
    pub(super) fn computed(&self, term: Term) -> Option<Slot> {
        self.shared.as_ref()?.get(&term).copied()
    }
    /// Makes the code for `term` by `make`, after that for its shared parts unless there is code around which has
    /// done this.
    pub(super) fn after_shared(
        &mut self,
        term: Term,
        make: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if self.shared.is_some() || !self.system.terms.is_large(term) {
            return make(self);
        }
        self.shared = Some(FxHashMap::default());
        for part in self.beforehand(term) {
            let to = self.fresh();
            self.value(part, to)?;
            self.shared.get_or_insert_default().insert(part, to);
        }
        let made = make(self);
        self.shared = None;
        made
    }
    /// The parts of `term` to compute before it, children first.
    fn beforehand(&self, term: Term) -> Vec<Term> {
        let terms = &self.system.terms;
        let (large, shared) = large_parts(terms, term);
        if shared.is_empty() {
            return vec![];
        }
        let certain = certain(terms, term, &large, &shared);
        let harmless = self.harmless(term);
        let simple = |part: Term| matches!(terms.type_of(part), Type::Bool | Type::Int | Type::Enum(_));
        let goes_first = |part: &Term| {
            shared.contains(part) && simple(*part) && (certain.contains(part) || harmless.contains(part))
        };
        large.into_iter().rev().filter(goes_first).collect()
    }
    /// The parts of `term` that have a value the machine knows, whatever their variables are.
    fn harmless(&self, term: Term) -> FxHashSet<Term> {
        let terms = &self.system.terms;
        let mut harmless = FxHashSet::default();
        terms.for_each_subterm(term, |part| {
            let mut fine = match terms.node(part) {
                Node::Const(Value::Int(number)) => number.to_i64().is_some_and(|n| i32::try_from(n).is_ok()),
                Node::Var(var, step) => *step == 0 && !self.slots.openness.may_be_open(*var),
                Node::Read(_, index) => terms.as_const(*index).is_some(),
                Node::Div(..) | Node::Mod(..) | Node::Rem(..) | Node::Mul(_) => false,
                _ => true,
            };
            terms.node(part).for_each_child(|child| fine &= harmless.contains(&child));
            if fine {
                harmless.insert(part);
            }
        });
        harmless
    }
}

/// The large parts of `term`, parents first, and those of them that occur more than once.
fn large_parts(terms: &Terms, term: Term) -> (Vec<Term>, FxHashSet<Term>) {
    let (mut seen, mut shared) = (FxHashSet::default(), FxHashSet::default());
    let mut open = vec![term];
    while let Some(next) = open.pop() {
        if !terms.is_large(next) {
            continue;
        }
        if seen.insert(next) {
            terms.node(next).for_each_child(|child| open.push(child));
        } else {
            shared.insert(next);
        }
    }
    let mut large: Vec<Term> = seen.into_iter().collect();
    large.sort_unstable_by(|a, b| b.cmp(a));
    (large, shared)
}

/// Parts that are computed whenever `term` is; `large` are its parts, parents first.
fn certain(terms: &Terms, term: Term, large: &[Term], shared: &FxHashSet<Term>) -> FxHashSet<Term> {
    let mut certain = FxHashSet::from_iter([term]);
    for part in large {
        if certain.contains(part) {
            if let Node::Ite(_, then, otherwise) = *terms.node(*part) {
                certain.extend(common(terms, then, otherwise, shared));
            }
            for_each_certain_child(terms, *part, |child| {
                certain.insert(child);
            });
        }
    }
    certain
}

/// The shared parts that are computed in both of two branches.
fn common(terms: &Terms, then: Term, otherwise: Term, shared: &FxHashSet<Term>) -> FxHashSet<Term> {
    let [mut one, other] = [then, otherwise].map(|branch| nearest(terms, branch, shared));
    one.retain(|part| other.contains(part));
    one
}

/// The shared parts that are computed whenever `term` is, but for those within others of them.
fn nearest(terms: &Terms, term: Term, shared: &FxHashSet<Term>) -> FxHashSet<Term> {
    if !terms.is_large(term) {
        return FxHashSet::default();
    }
    if shared.contains(&term) {
        return FxHashSet::from_iter([term]);
    }
    ir::deep(|| {
        let mut found = match *terms.node(term) {
            Node::Ite(_, then, otherwise) => common(terms, then, otherwise, shared),
            _ => FxHashSet::default(),
        };
        for_each_certain_child(terms, term, |child| found.extend(nearest(terms, child, shared)));
        found
    })
}

/// The children that are computed before it is known what else is: conditions of `ite`, and the first part of `and`
/// and `or`; of other terms, all.
fn for_each_certain_child(terms: &Terms, term: Term, mut visit: impl FnMut(Term)) {
    match terms.node(term) {
        Node::Ite(condition, ..) => visit(*condition),
        Node::And(list) | Node::Or(list) => visit(list[0]),
        node => node.for_each_child(visit),
    }
}
