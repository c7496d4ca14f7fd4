//! Which variables an execution depends on.
//!
//! The machine runs an action on known data, and beside every slot goes the set of state variables that its
//! value was made from. An execution *needs* the variables that decided what it did (conditions of `if`,
//! bounds of loops, data in constraints on clocks) but not those of conditions that only had to hold: with
//! fewer variables known, such a condition may hold as well, and the execution is the same. A condition that
//! does not hold blocks an execution as long as the variables in it are known. To have a choice among several
//! such conditions, the machine goes on behind the first one.
//!
//! Three-valued execution from a state where only some variables are known hence does the same as
//! execution from the whole state if the needed variables are known, and what it writes is known where
//! the variables that it was made from are.

use smallvec::SmallVec;
use zones::{Bound, Constraint, Op, dbm};

use crate::concrete::op::{Code, Role, Slot};
use crate::concrete::vm::{Flow, Halt, Time};
use crate::concrete::word::Word;

/// A set of state variables that hold data. Where there are many, the last bit stands for several.
pub(super) type Mask = u128;

/// All variables.
pub(super) const ALL: Mask = Mask::MAX;

/// The set with the variable number `at`.
pub(super) fn bit(at: usize) -> Mask {
    1 << at.min(127)
}

/// Sets of variables each of which blocks an execution, none containing another.
pub(super) type Alternatives = SmallVec<[Mask; 2]>;

/// More alternatives than this are not looked for.
const ENOUGH: usize = 8;

/// Where values come from.
#[derive(Debug, Default)]
pub(super) struct Reads {
    /// The variable that each slot of a state belongs to; none for the vector and for clocks.
    home: Vec<Mask>,
    /// What the value of each slot was made from.
    from: Vec<Mask>,
    /// What decided about the execution so far.
    pub(super) needed: Mask,
    /// What has been tested since somebody asked.
    asked: Mask,
    /// How many slots there are.
    pub(super) slots: usize,
    /// What was tested in the filter and in the value that were computed last, and which these are.
    tested: (u32, Mask),
    selected: (u32, Mask),
    /// What blocks this execution; empty if nothing has so far.
    alternatives: Alternatives,
    /// The executions that were blocked since the start.
    pub(super) blocks: Vec<Alternatives>,
    notes: Vec<(Vec<Mask>, Mask)>,
}

const NONE: u32 = u32::MAX;

impl Reads {
    /// For states whose slots belong to these variables.
    pub(super) fn new(home: Vec<Mask>) -> Self {
        Reads { home, ..Reads::default() }
    }
    /// What the values of these slots were made from.
    pub(super) fn from(&self, slots: std::ops::Range<usize>) -> Mask {
        self.from[slots].iter().fold(0, |all, one| all | one)
    }
    /// The slots of the variable that a slot belongs to; of slots that are not part of a state, each by itself.
    fn parts(&self, slot: usize) -> std::ops::Range<usize> {
        let Some(home) = self.home.get(slot).filter(|home| **home != 0) else { return slot..slot + 1 };
        let first = self.home[..slot].iter().rposition(|other| other != home).map_or(0, |at| at + 1);
        let end = self.home[slot..].iter().position(|other| other != home);
        first..end.map_or(self.home.len(), |count| slot + count)
    }
    /// Begins a condition on data that is asked about the state the machine is in.
    pub(super) fn ask(&mut self) {
        self.asked = 0;
    }
    /// What the answer depends on.
    pub(super) fn answer(&self) -> Mask {
        self.asked
    }
    /// Takes over where values come from, for a condition on the same state.
    pub(super) fn copy(&mut self, other: &Reads) {
        self.from.clone_from(&other.from);
    }
    /// Notes that the execution is blocked by what these variables say.
    pub(super) fn block(&mut self, by: Mask) {
        self.blocks.push(SmallVec::from_slice(&[self.needed | by]));
    }
    fn add(&mut self, by: Mask) {
        let by = self.needed | by;
        if self.alternatives.iter().all(|other| by & other != *other) {
            self.alternatives.retain(|other| *other & by != by);
            self.alternatives.push(by);
        }
    }
}

impl Flow for Reads {
    const GOES_ON: bool = true;

    fn start(&mut self, _: &Code) {
        self.from.clear();
        self.from.extend_from_slice(&self.home);
        self.from.resize(self.slots, 0);
        self.needed = 0;
        self.tested = (NONE, 0);
        self.selected = (NONE, 0);
        self.blocks.clear();
        self.alternatives.clear();
    }
    fn make(&mut self, code: &Code, at: usize, to: Slot, from: &[Slot]) {
        let mut mask = from.iter().fold(0, |all, one| all | self.from[*one as usize]);
        if let Role::Value(number) = code.roles[at]
            && self.selected.0 == number
        {
            mask |= self.selected.1;
        }
        let parts = self.parts(to as usize);
        if parts.len() > 1 {
            // An array is known as a whole or not at all.
            mask |= self.from(parts.clone());
            self.from[parts].fill(mask);
        } else {
            self.from[to as usize] = mask;
        }
    }
    fn test(&mut self, code: &Code, at: usize, on: &[Slot]) {
        let mask = on.iter().fold(0, |all, one| all | self.from[*one as usize]);
        self.asked |= mask;
        match code.roles[at] {
            Role::Flow => self.needed |= mask,
            Role::Filter(number) => join(&mut self.tested, number, mask),
            Role::Value(number) => join(&mut self.selected, number, mask),
        }
    }
    fn need(&mut self, on: Slot) {
        self.needed |= self.from[on as usize];
    }
    fn fail(&mut self, code: &Code) -> Option<u32> {
        let (filter, by) = self.tested;
        if filter == NONE {
            self.impossible();
            return None;
        }
        self.add(by);
        if self.alternatives.len() >= ENOUGH || self.alternatives[0] == 0 {
            let _ = self.blocked();
            return None;
        }
        self.tested = (NONE, 0);
        Some(code.filters[filter as usize])
    }
    fn impossible(&mut self) {
        self.add(0);
        let _ = self.blocked();
    }
    fn blocked(&mut self) -> bool {
        if self.alternatives.is_empty() {
            return false;
        }
        self.blocks.push(std::mem::take(&mut self.alternatives));
        true
    }
    fn mark(&mut self) {
        self.notes.push((self.from.clone(), self.needed));
    }
    fn back(&mut self, last: bool) {
        let (from, needed) = self.notes.last().expect("as many notes as choice points");
        self.from.clone_from(from);
        self.needed = *needed;
        if last {
            self.notes.pop();
        }
    }
    fn forget(&mut self) {
        self.notes.clear();
        self.alternatives.clear();
    }
}

/// Adds to what was tested by `number`, or begins anew if that is another one than before.
fn join(tested: &mut (u32, Mask), number: u32, mask: Mask) {
    if tested.0 != number {
        *tested = (number, 0);
    }
    tested.1 |= mask;
}

/// What an execution asks of clocks: a list of operations, all of which are possible so far. Whether they are
/// possible together, from any zone at all, is looked at where executions are many: most combinations of conditions
/// over the same clocks contradict each other. Whoever abstracts by simulation must know them nevertheless: a
/// constraint beyond its bounds is none to it.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) ops: Vec<Op>,
    notes: Vec<usize>,
    /// Whether a bound outgrew its integers.
    pub(super) overflow: bool,
    /// The number of clocks and zero.
    dim: usize,
    /// How often there was a choice since the start.
    choices: usize,
    zone: Vec<Bound>,
    /// Operations that contradict each other, since the start.
    pub(super) contradictions: Vec<Box<[Op]>>,
}

/// After so many choices, executions are many.
const MOST_CHOICES_FOLLOWED: usize = 64;

impl Record {
    /// For so many clocks and zero.
    pub(super) fn new(dim: usize) -> Self {
        Record { dim, zone: vec![Bound::INFINITY; dbm::len(dim)], ..Record::default() }
    }
    /// Begins with no operation.
    pub(super) fn start(&mut self) {
        self.ops.clear();
        self.choices = 0;
        self.contradictions.clear();
    }
    /// Whether some valuation can be taken through the operations; also if that is not known.
    fn is_possible(&mut self) -> bool {
        dbm::init_universe(&mut self.zone, self.dim);
        zones::post(&mut self.zone, self.dim, &self.ops).unwrap_or(true)
    }
}

impl Time for Record {
    fn constrain(&mut self, plus: u32, minus: u32, bound: Word, strict: bool) -> Result<bool, Halt> {
        let Ok(bound) = Bound::new(bound, strict) else {
            self.overflow = true;
            return Err(Halt::Bail);
        };
        self.ops.push(Op::Constrain(Constraint::new(plus as usize, minus as usize, bound)));
        let possible = self.choices <= MOST_CHOICES_FOLLOWED || self.is_possible();
        if !possible {
            self.contradictions.push(self.ops.as_slice().into());
        }
        Ok(possible)
    }
    fn reset(&mut self, clock: u32, value: Word) -> Result<(), Halt> {
        if value < 0 {
            return Err(Halt::Bail);
        }
        self.ops.push(Op::Reset(clock, value));
        Ok(())
    }
    fn copy(&mut self, clock: u32, from: u32) -> Result<(), Halt> {
        self.ops.push(Op::Copy(clock, from));
        Ok(())
    }
    fn delay(&mut self) -> Result<(), Halt> {
        self.ops.push(Op::Delay);
        Ok(())
    }
    fn mark(&mut self) {
        self.choices += 1;
        self.notes.push(self.ops.len());
    }
    fn back(&mut self, last: bool) {
        let length = *self.notes.last().expect("as many notes as choice points");
        self.ops.truncate(length);
        if last {
            self.notes.pop();
        }
    }
    fn forget(&mut self) {
        self.notes.clear();
    }
}
