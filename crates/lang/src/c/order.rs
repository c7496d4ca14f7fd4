//! The order of evaluation: C11 6.5, paragraph 2, and 5.1.2.3.
//!
//! Operands of most operators are evaluated in no particular order. An expression whose value depends on that order, since
//! one operand writes what another one reads or writes, is undefined, or (where functions do it) left open; either way no
//! verdict about it is right, and it is refused. What has no such conflict is evaluated from left to right.
//!
//! While an expression is evaluated, its reads and writes are logged; the accesses of an operand are a piece of the log. A
//! write is *pending* until a sequence point: an assignment must not meet a pending write to what it writes itself.

use std::ops::Range;

use ir::Span;
use rustc_hash::FxHashSet;

use super::code::{Base, ObjectKind, PlaceId, Step};
use super::elaborate::Elaborator;
use crate::code::Code as Cause;

/// A read or a write.
#[derive(Copy, Clone, Debug)]
pub(super) struct Access {
    pub place: PlaceId,
    pub writes: bool,
    pub pending: bool,
}

impl Elaborator<'_> {
    pub fn read(&mut self, place: PlaceId) {
        self.log.push(Access { place, writes: false, pending: false });
    }
    pub fn wrote(&mut self, place: PlaceId) {
        self.log.push(Access { place, writes: true, pending: true });
    }
    /// A sequence point: what was written since `from` is done.
    pub fn sequence(&mut self, from: usize) {
        for access in &mut self.log[from..] {
            access.pending = false;
        }
    }
    /// Two operands are evaluated in any order.
    pub fn unordered(&mut self, a: Range<usize>, b: Range<usize>, span: Span) {
        let writes = |list: &[Access]| list.iter().any(|access| access.writes);
        if !writes(&self.log[a.clone()]) && !writes(&self.log[b.clone()]) {
            return;
        }
        for first in a {
            for second in b.clone() {
                let (x, y) = (self.log[first], self.log[second]);
                if (x.writes || y.writes) && !self.meet(x.place, y.place, span) {
                    return;
                }
            }
        }
    }
    /// Something is written while writes of its operands may still be pending.
    pub fn against_pending(&mut self, from: usize, place: PlaceId, span: Span) {
        for at in from..self.log.len() {
            let access = self.log[at];
            if access.writes && access.pending && !self.meet(access.place, place, span) {
                return;
            }
        }
    }
    /// Two accesses in no order; false if they are in conflict for sure.
    fn meet(&mut self, a: PlaceId, b: PlaceId, span: Span) -> bool {
        let (x, y) = (&self.code.places[a], &self.code.places[b]);
        match (x.base, y.base) {
            (Base::Object(one), Base::Object(other)) => {
                if one != other || apart(self, &x.steps, &y.steps) {
                    return true;
                }
                let name = self.code.objects[one].name.clone();
                self.error(
                    Cause::ConflictingWrites,
                    span,
                    format!(
                        "`{name}` is written and used in one expression in an order that C leaves open; \
                         write it as several statements"
                    ),
                );
                false
            }
            _ => {
                self.code.conflicts.push((a, b, span));
                true
            }
        }
    }
    /// What a call did becomes one access for each object that is still there.
    pub fn summarise(&mut self, from: usize) {
        let calls: Vec<Access> = self.log.drain(from..).collect();
        let mut seen = FxHashSet::default();
        for access in calls {
            let pending = false;
            match self.code.places[access.place].base {
                Base::Object(object) => {
                    let kept = match self.code.objects[object].kind {
                        ObjectKind::Static(_) | ObjectKind::External => true,
                        ObjectKind::Local | ObjectKind::Hidden => self.is_at_home(object),
                    };
                    if kept && seen.insert((object, access.writes)) {
                        let place = self.whole(object, self.code.places[access.place].span);
                        self.log.push(Access { place, pending, ..access });
                    }
                }
                Base::Deref(_) => self.log.push(Access { pending, ..access }),
            }
        }
    }
}

/// Whether two ways into one object lead to different parts of it.
fn apart(cx: &Elaborator<'_>, a: &[Step], b: &[Step]) -> bool {
    a.iter().zip(b).any(|(a, b)| match (a, b) {
        (Step::Field(a), Step::Field(b)) => a != b,
        (Step::Index(a, _), Step::Index(b, _)) => cx.fold(*a).zip(cx.fold(*b)).is_some_and(|(a, b)| a != b),
        _ => false,
    })
}
