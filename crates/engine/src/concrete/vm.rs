//! The machine that runs compiled code.
//!
//! Variables and temporaries are words in slots. Writes to variables are trailed, and a choice point is
//! the address of the instruction that chose, its next alternative, and the length of the trail;
//! backtracking undoes the trail up to there. When all executions are done, the slots are as before.
//! What happens to clocks is up to a [`Time`], which can go back to choice points as well; a [`Flow`] may
//! watch which values come from which.
//!
//! Wherever the result would not be exact (a word that is open or a large integer is read, a product
//! leaves 64 bits, a division by zero) the machine *bails out*; the plain interpreter then runs the
//! statement from the start.
//!
//! Invariant: every word an instruction computes with is small, so sums need no check of their own.

use std::cell::Cell;

use super::code::{hull, meet};
use super::op::{Amount, Atom, Code, Op, Slot};
use super::word::{OPEN, Word, is_small};
use crate::stop::{Stop, TICK};

/// Why the machine stops in the middle.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The plain interpreter has to do this.
    Bail,
    /// Asked to stop.
    Interrupted,
    /// As many choices were gone back to and rounds of loops begun as are allowed.
    Spent,
}

/// What clocks do while code runs. A missing clock, number 0, is the constant zero.
pub(crate) trait Time {
    /// Keeps the valuations with `plus - minus` below `bound`, or at it unless `strict`; `false` if
    /// there are none.
    fn constrain(&mut self, plus: u32, minus: u32, bound: Word, strict: bool) -> Result<bool, Halt>;
    /// Gives a clock a value.
    fn reset(&mut self, clock: u32, value: Word) -> Result<(), Halt>;
    /// Gives a clock the value of another.
    fn copy(&mut self, clock: u32, from: u32) -> Result<(), Halt>;
    /// Lets any time pass.
    fn delay(&mut self) -> Result<(), Halt>;
    /// Notes how things are, on top of earlier notes.
    fn mark(&mut self);
    /// Makes things as they were at the latest note, and forgets that if it is the `last` time.
    fn back(&mut self, last: bool);
    /// Forgets all notes.
    fn forget(&mut self);
}

/// Somebody who watches where values come from while code runs.
pub(crate) trait Flow {
    /// Whether executions go on after the machine has bailed out of one.
    const GOES_ON: bool;
    /// A run of `code` begins.
    fn start(&mut self, code: &Code);
    /// The value of `to` is made of those of `from`, by the instruction at `at`.
    fn make(&mut self, code: &Code, at: usize, to: Slot, from: &[Slot]);
    /// What the instruction at `at` does next depends on these.
    fn test(&mut self, code: &Code, at: usize, on: &[Slot]);
    /// What happens depends on this: a number that a clock is compared with or set to, a position that is written.
    fn need(&mut self, on: Slot);
    /// This execution is blocked by a condition on data; where to go on nevertheless, to look for other
    /// conditions that block it.
    fn fail(&mut self, code: &Code) -> Option<u32>;
    /// This execution is blocked by what it asks of clocks.
    fn impossible(&mut self);
    /// Whether this execution has been blocked before; it is then given up.
    fn blocked(&mut self) -> bool;
    /// Notes how things are, on top of earlier notes.
    fn mark(&mut self);
    /// Makes things as they were at the latest note, and forgets that if it is the `last` time.
    fn back(&mut self, last: bool);
    /// Forgets all notes.
    fn forget(&mut self);
}

/// Nobody watches.
#[derive(Debug, Default)]
pub(crate) struct Unwatched;

impl Flow for Unwatched {
    const GOES_ON: bool = false;
    #[inline(always)]
    fn start(&mut self, _: &Code) {}
    #[inline(always)]
    fn make(&mut self, _: &Code, _: usize, _: Slot, _: &[Slot]) {}
    #[inline(always)]
    fn test(&mut self, _: &Code, _: usize, _: &[Slot]) {}
    #[inline(always)]
    fn need(&mut self, _: Slot) {}
    #[inline(always)]
    fn fail(&mut self, _: &Code) -> Option<u32> {
        None
    }
    #[inline(always)]
    fn impossible(&mut self) {}
    #[inline(always)]
    fn blocked(&mut self) -> bool {
        false
    }
    #[inline(always)]
    fn mark(&mut self) {}
    #[inline(always)]
    fn back(&mut self, _: bool) {}
    #[inline(always)]
    fn forget(&mut self) {}
}

/// No clocks: code that touches time is left to others.
#[derive(Debug, Default)]
pub(crate) struct Untimed;

impl Time for Untimed {
    fn constrain(&mut self, _: u32, _: u32, _: Word, _: bool) -> Result<bool, Halt> {
        Err(Halt::Bail)
    }
    fn reset(&mut self, _: u32, _: Word) -> Result<(), Halt> {
        Err(Halt::Bail)
    }
    fn copy(&mut self, _: u32, _: u32) -> Result<(), Halt> {
        Err(Halt::Bail)
    }
    fn delay(&mut self) -> Result<(), Halt> {
        Err(Halt::Bail)
    }
    fn mark(&mut self) {}
    fn back(&mut self, _: bool) {}
    fn forget(&mut self) {}
}

/// The machine.
pub(crate) struct Vm<'a, T = Untimed, F = Unwatched> {
    /// What clocks do.
    pub(crate) time: T,
    /// Who watches.
    pub(crate) flow: F,
    /// The values of variables; what they mean is up to [`super::code::Slots`].
    pub(crate) slots: Vec<Word>,
    trail: Vec<(Slot, Word)>,
    /// When each slot was last trailed; once between two choice points is enough.
    trailed: Vec<u64>,
    /// Grows with every run, and with every choice point made or gone back to.
    epoch: u64,
    choices: Vec<ChoicePoint>,
    pub(crate) ticks: u64,
    /// How many ticks are allowed; looked at every now and then.
    pub(crate) most: u64,
    /// How much work a tick is, roughly.
    pub(crate) tick_work: u64,
    stop: &'a Stop,
    /// What was open when the machine last bailed out because of that.
    pub(crate) open: Cell<Option<Slot>>,
}

#[derive(Copy, Clone, Debug)]
struct ChoicePoint {
    /// The instruction that chose.
    at: u32,
    trail: u32,
    /// The next branch or value, and the last one.
    next: Word,
    last: Word,
}

impl<'a, T: Time> Vm<'a, T> {
    /// A machine that `stop` interrupts.
    pub(crate) fn new(time: T, stop: &'a Stop) -> Self {
        Vm::watched(time, Unwatched, stop)
    }
}

impl<'a, T: Time, F: Flow> Vm<'a, T, F> {
    /// A machine that `stop` interrupts, and somebody watches.
    pub(crate) fn watched(time: T, flow: F, stop: &'a Stop) -> Self {
        let (trail, trailed, choices) = (vec![], vec![], vec![]);
        Vm {
            time,
            flow,
            slots: vec![],
            trail,
            trailed,
            epoch: 0,
            choices,
            ticks: 0,
            most: u64::MAX,
            tick_work: TICK,
            stop,
            open: Cell::new(None),
        }
    }
    /// Makes room for the slots of `code`.
    pub(crate) fn reserve(&mut self, code: &Code) {
        if self.slots.len() < code.slots {
            self.slots.resize(code.slots, OPEN);
        }
    }
    /// Runs `code` to the end of its first execution; `false` if there is none.
    pub(crate) fn first(&mut self, code: &Code) -> Result<bool, Halt> {
        debug_assert!(self.trail.is_empty() && self.choices.is_empty(), "the last run was not finished");
        self.trailed.resize(self.slots.len(), 0);
        self.epoch += 1;
        for local in &code.locals {
            self.slots[*local as usize] = OPEN;
        }
        self.flow.start(code);
        self.run(code, 0)
    }
    /// Runs `code` to the end of its next execution; `false` if there is none left.
    pub(crate) fn next(&mut self, code: &Code) -> Result<bool, Halt> {
        match self.backtrack(code) {
            Ok(Some(at)) => self.run(code, at),
            Ok(None) => Ok(false),
            Err(halt) => {
                self.reset();
                Err(halt)
            }
        }
    }
    /// Whether the condition `code` holds now.
    pub(crate) fn test(&mut self, code: &Code) -> Result<bool, Halt> {
        self.execute(code, 0)
    }
    /// Keeps the valuations that satisfy a clock constraint; `false` if there are none.
    #[inline(always)]
    pub(crate) fn constrain(&mut self, atom: Atom) -> Result<bool, Halt> {
        let bound = self.clock_amount(atom.bound)?;
        self.time.constrain(atom.plus, atom.minus, bound, atom.strict)
    }
    /// Undoes everything since [`Vm::first`].
    pub(crate) fn reset(&mut self) {
        self.choices.clear();
        self.time.forget();
        self.flow.forget();
        self.undo(0);
    }

    fn run(&mut self, code: &Code, at: usize) -> Result<bool, Halt> {
        let mut result = self.execute(code, at);
        if F::GOES_ON {
            // What comes after a condition that does not hold may make no sense.
            while result == Err(Halt::Bail) && self.flow.blocked() {
                result = match self.backtrack(code)? {
                    Some(at) => self.execute(code, at),
                    None => Ok(false),
                };
            }
        }
        if result.is_err() && !(F::GOES_ON && result == Err(Halt::Bail)) {
            self.reset();
        }
        result
    }
    fn execute(&mut self, code: &Code, mut at: usize) -> Result<bool, Halt> {
        let ops = code.ops.as_slice();
        // One arm per conditional jump: its operands, checked, and the condition.
        macro_rules! jump_if {
            ($condition:expr, $to:expr, $($on:expr),*) => {
                self.flow.test(code, at, &[$($on),*]);
                if $condition {
                    at = $to as usize;
                    continue;
                }
            };
        }
        macro_rules! backtrack {
            () => {
                match self.backtrack(code)? {
                    Some(next) => {
                        at = next;
                        continue;
                    }
                    None => return Ok(false),
                }
            };
        }
        loop {
            match ops[at] {
                Op::Done if self.flow.blocked() => backtrack!(),
                Op::Done => return Ok(true),
                Op::No => return Ok(false),
                Op::Fail => match self.flow.fail(code) {
                    Some(next) => {
                        at = next as usize;
                        continue;
                    }
                    None => backtrack!(),
                },
                Op::Jump { to } => {
                    jump_if!(true, to,);
                }
                Op::Loop { to } => {
                    self.tick()?;
                    at = to as usize;
                    continue;
                }
                Op::JumpEq { slot, value, to } => {
                    jump_if!(self.read(slot)? == Word::from(value), to, slot);
                }
                Op::JumpNe { slot, value, to } => {
                    jump_if!(self.read(slot)? != Word::from(value), to, slot);
                }
                Op::JumpLt { slot, value, to } => {
                    jump_if!(self.read(slot)? < Word::from(value), to, slot);
                }
                Op::JumpGe { slot, value, to } => {
                    jump_if!(self.read(slot)? >= Word::from(value), to, slot);
                }
                Op::JumpSame { a, b, to } => {
                    jump_if!(self.read(a)? == self.read(b)?, to, a, b);
                }
                Op::JumpDiffer { a, b, to } => {
                    jump_if!(self.read(a)? != self.read(b)?, to, a, b);
                }
                Op::JumpLess { a, b, to } => {
                    jump_if!(self.read(a)? < self.read(b)?, to, a, b);
                }
                Op::JumpNotLess { a, b, to } => {
                    jump_if!(self.read(a)? >= self.read(b)?, to, a, b);
                }
                Op::Choose { .. } | Op::Havoc { .. } if self.flow.blocked() => backtrack!(),
                Op::Choose { first, count } => {
                    self.choose(at, 1, Word::from(count) - 1);
                    at = code.branches[first as usize] as usize;
                    continue;
                }
                Op::Havoc { slot, domain } => {
                    let (first, last) = code.domains[domain as usize];
                    if first < last {
                        self.choose(at, first + 1, last);
                    }
                    if first > last {
                        backtrack!();
                    }
                    self.flow.make(code, at, slot, &[]);
                    self.write(slot, first);
                }
                Op::JumpOpen { slot, when, to } => {
                    let open = self.slots[slot as usize] == OPEN;
                    if open {
                        self.flow.test(code, at, &[slot]);
                    }
                    if open == when {
                        at = to as usize;
                        continue;
                    }
                }
                Op::All { to } => self.set_interval(code, at, to, to, [OPEN, OPEN, 0]),
                Op::Meet { to, with } => {
                    let both = meet(self.interval(to), self.interval(with));
                    self.set_interval(code, at, to, with, both);
                }
                Op::Hull { to, with } => {
                    let both = hull(self.interval(to), self.interval(with));
                    self.set_interval(code, at, to, with, both);
                }
                Op::Between { slot, interval } => {
                    let [least, greatest, empty] = self.interval(interval);
                    let ends = least != OPEN && greatest != OPEN;
                    let empty = empty != 0 || ends && least > greatest;
                    if empty || ends {
                        if self.flow.blocked() {
                            backtrack!();
                        }
                        (interval..interval + 3).for_each(|part| self.flow.need(part));
                        // Whatever value there is does not pass what follows.
                        let first = if empty { 0 } else { least };
                        if !empty && least < greatest {
                            self.choose(at, least + 1, greatest);
                        }
                        self.flow.make(code, at, slot, &[]);
                        self.write(slot, first);
                    }
                }
                Op::Constrain { atom } => {
                    if !self.constrain(code.atoms[atom as usize])? {
                        self.flow.impossible();
                        backtrack!();
                    }
                }
                Op::Reset { clock, value } => {
                    let value = self.clock_amount(value)?;
                    self.time.reset(clock, value)?;
                }
                Op::Copy { clock, from } => self.time.copy(clock, from)?,
                Op::Delay => self.time.delay()?,
                Op::Open { slot } => {
                    self.flow.make(code, at, slot, &[]);
                    self.write(slot, OPEN);
                }
                Op::Set { slot, value } => {
                    self.flow.make(code, at, slot, &[]);
                    self.write(slot, Word::from(value));
                }
                Op::Store { slot, from } => {
                    let word = self.read(from)?;
                    self.flow.make(code, at, slot, &[from]);
                    self.write(slot, word);
                }
                Op::Index { to, from, index, positions } => {
                    let (first, count, step) = code.positions[positions as usize];
                    let position = self.read(index)? - first;
                    if position < 0 || position >= count {
                        return Err(Halt::Bail);
                    }
                    let start = from.map_or(0, |from| self.slots[from as usize]);
                    self.flow.make(code, at, to, &[index, from.unwrap_or(index)]);
                    self.slots[to as usize] = start + position * step;
                }
                Op::Load { to, base, offset } => {
                    let from = base + self.slots[offset as usize] as Slot;
                    self.slots[to as usize] = self.read(from)?;
                    self.flow.make(code, at, to, &[from, offset]);
                }
                Op::StoreAt { base, offset, from } => {
                    let (slot, word) = (base + self.slots[offset as usize] as Slot, self.read(from)?);
                    // Where nothing is written depends on the position as well.
                    self.flow.need(offset);
                    self.flow.make(code, at, slot, &[from, offset]);
                    self.write(slot, word);
                }
                Op::Const { to, constant } => {
                    self.flow.make(code, at, to, &[]);
                    self.slots[to as usize] = code.constants[constant as usize];
                }
                Op::Move { to, from } => {
                    self.slots[to as usize] = self.read(from)?;
                    self.flow.make(code, at, to, &[from]);
                }
                Op::AddConst { to, a, value } => {
                    self.slots[to as usize] = self.read(a)? + Word::from(value);
                    self.flow.make(code, at, to, &[a]);
                }
                Op::Add { to, a, b } => {
                    self.slots[to as usize] = self.read(a)? + self.read(b)?;
                    self.flow.make(code, at, to, &[a, b]);
                }
                Op::Mul { to, a, b } => {
                    self.slots[to as usize] = self.read(a)?.checked_mul(self.read(b)?).ok_or(Halt::Bail)?;
                    self.flow.make(code, at, to, &[a, b]);
                }
                Op::Div { to, a, b } => {
                    self.flow.make(code, at, to, &[a, b]);
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    self.slots[to as usize] = a.checked_div_euclid(b).ok_or(Halt::Bail)?;
                }
                Op::Mod { to, a, b } => {
                    self.flow.make(code, at, to, &[a, b]);
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    self.slots[to as usize] = a.checked_rem_euclid(b).ok_or(Halt::Bail)?;
                }
                Op::Rem { to, a, b } => {
                    self.flow.make(code, at, to, &[a, b]);
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    let modulo = a.checked_rem_euclid(b).ok_or(Halt::Bail)?;
                    self.slots[to as usize] = if b < 0 { -modulo } else { modulo };
                }
                // Bit operations on small words give small ones.
                Op::BitAnd { to, a, b } => {
                    self.slots[to as usize] = self.read(a)? & self.read(b)?;
                    self.flow.make(code, at, to, &[a, b]);
                }
                Op::BitOr { to, a, b } => {
                    self.slots[to as usize] = self.read(a)? | self.read(b)?;
                    self.flow.make(code, at, to, &[a, b]);
                }
                Op::BitXor { to, a, b } => {
                    self.slots[to as usize] = self.read(a)? ^ self.read(b)?;
                    self.flow.make(code, at, to, &[a, b]);
                }
            }
            at += 1;
        }
    }
    #[inline(always)]
    fn read(&self, slot: Slot) -> Result<Word, Halt> {
        let word = self.slots[slot as usize];
        if is_small(word) {
            return Ok(word);
        }
        if word == OPEN {
            self.open.set(Some(slot));
        }
        Err(Halt::Bail)
    }
    /// A number that clocks are compared with or set to.
    #[inline(always)]
    fn clock_amount(&mut self, amount: Amount) -> Result<Word, Halt> {
        if let Amount::Slot(slot) | Amount::Minus(slot) = amount {
            self.flow.need(slot);
        }
        self.amount(amount)
    }
    #[inline(always)]
    fn amount(&self, amount: Amount) -> Result<Word, Halt> {
        match amount {
            Amount::Const(value) => Ok(Word::from(value)),
            Amount::Slot(slot) => self.read(slot),
            Amount::Minus(slot) => self.read(slot).map(|word| -word),
        }
    }
    #[inline(always)]
    fn write(&mut self, slot: Slot, word: Word) {
        let old = std::mem::replace(&mut self.slots[slot as usize], word);
        if old != word && std::mem::replace(&mut self.trailed[slot as usize], self.epoch) != self.epoch {
            self.trail.push((slot, old));
        }
    }
    fn interval(&self, at: Slot) -> [Word; 3] {
        [0, 1, 2].map(|part| self.slots[at as usize + part])
    }
    /// Writes an interval that is made of what was there and another one.
    fn set_interval(&mut self, code: &Code, at: usize, to: Slot, with: Slot, words: [Word; 3]) {
        for (part, word) in (0..).zip(words) {
            match words {
                [OPEN, OPEN, 0] if to == with => self.flow.make(code, at, to + part, &[]),
                _ => self.flow.make(code, at, to + part, &[to, to + 1, to + 2, with, with + 1, with + 2]),
            }
            self.slots[(to + part) as usize] = word;
        }
    }
    fn choose(&mut self, at: usize, next: Word, last: Word) {
        self.epoch += 1;
        self.choices.push(ChoicePoint { at: at as u32, trail: self.trail.len() as u32, next, last });
        self.time.mark();
        self.flow.mark();
    }
    /// Goes back to the latest choice point and takes its next alternative.
    fn backtrack(&mut self, code: &Code) -> Result<Option<usize>, Halt> {
        let Some(choice) = self.choices.last_mut() else {
            self.undo(0);
            return Ok(None);
        };
        let ChoicePoint { at, trail, next, last } = *choice;
        choice.next += 1;
        self.epoch += 1;
        let op = code.ops[at as usize];
        let to = match op {
            Op::Choose { first, .. } => code.branches[first as usize + next as usize] as usize,
            Op::Havoc { .. } | Op::Between { .. } => at as usize + 1,
            other => unreachable!("{other:?} leaves no choice point"),
        };
        if next == last {
            self.choices.pop();
        }
        self.time.back(next == last);
        self.flow.back(next == last);
        self.undo(trail as usize);
        if let Op::Havoc { slot, .. } | Op::Between { slot, .. } = op {
            self.flow.make(code, at as usize, slot, &[]);
            self.write(slot, next);
        }
        self.tick()?;
        Ok(Some(to))
    }
    #[inline(always)]
    fn undo(&mut self, length: usize) {
        while self.trail.len() > length {
            let (slot, word) = self.trail.pop().expect("longer than some length");
            self.slots[slot as usize] = word;
        }
    }
    #[inline(always)]
    fn tick(&mut self) -> Result<(), Halt> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(1024) {
            self.stop.spend(1024 * self.tick_work);
            if self.stop.requested() {
                return Err(Halt::Interrupted);
            }
            if self.ticks > self.most {
                return Err(Halt::Spent);
            }
        }
        Ok(())
    }
}
