//! The machine that runs compiled code.
//!
//! Variables and temporaries are words in slots. Writes to variables are trailed, and a choice point is
//! the address of the instruction that chose, its next alternative, and the length of the trail;
//! backtracking undoes the trail up to there. When all executions are done, the slots are as before.
//!
//! Wherever the result would not be exact (a word that is open or a large integer is read, a product
//! leaves 64 bits, a division by zero) the machine *bails out*; the plain interpreter then runs the
//! statement from the start.
//!
//! Invariant: every word an instruction computes with is small, so sums need no check of their own.

use std::sync::atomic::{AtomicBool, Ordering};

use super::code::{Code, Op, Slot};
use super::word::{OPEN, Word, is_small};

/// Why the machine stops in the middle.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// The plain interpreter has to do this.
    Bail,
    /// Asked to stop.
    Interrupted,
}

/// The machine.
#[derive(Debug)]
pub(super) struct Vm<'a> {
    /// The values of variables; what they mean is up to [`super::code::Slots`].
    pub(super) slots: Vec<Word>,
    trail: Vec<(Slot, Word)>,
    choices: Vec<ChoicePoint>,
    ticks: u32,
    stop: &'a AtomicBool,
}

#[derive(Copy, Clone, Debug)]
struct ChoicePoint {
    /// The instruction that chose.
    at: u32,
    trail: u32,
    /// The next branch or value.
    next: Word,
}

impl<'a> Vm<'a> {
    /// A machine that `stop` interrupts.
    pub(super) fn new(stop: &'a AtomicBool) -> Self {
        Vm { slots: vec![], trail: vec![], choices: vec![], ticks: 0, stop }
    }
    /// Makes room for the slots of `code`.
    pub(super) fn reserve(&mut self, code: &Code) {
        if self.slots.len() < code.slots {
            self.slots.resize(code.slots, OPEN);
        }
    }
    /// Runs `code` to the end of its first execution; `false` if there is none.
    pub(super) fn first(&mut self, code: &Code) -> Result<bool, Halt> {
        debug_assert!(self.trail.is_empty() && self.choices.is_empty(), "the last run was not finished");
        for local in &code.locals {
            self.slots[*local as usize] = OPEN;
        }
        self.run(code, 0)
    }
    /// Runs `code` to the end of its next execution; `false` if there is none left.
    pub(super) fn next(&mut self, code: &Code) -> Result<bool, Halt> {
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
    pub(super) fn test(&mut self, code: &Code) -> Result<bool, Halt> {
        self.execute(code, 0)
    }
    /// Undoes everything since [`Vm::first`].
    pub(super) fn reset(&mut self) {
        self.choices.clear();
        self.undo(0);
    }

    fn run(&mut self, code: &Code, at: usize) -> Result<bool, Halt> {
        let result = self.execute(code, at);
        if result.is_err() {
            self.reset();
        }
        result
    }
    fn execute(&mut self, code: &Code, mut at: usize) -> Result<bool, Halt> {
        let ops = code.ops.as_slice();
        // One arm per conditional jump: its operands, checked, and the condition.
        macro_rules! jump_if {
            ($condition:expr, $to:expr) => {
                if $condition {
                    at = $to as usize;
                    continue;
                }
            };
        }
        loop {
            match ops[at] {
                Op::Done => return Ok(true),
                Op::No => return Ok(false),
                Op::Fail => match self.backtrack(code)? {
                    Some(next) => {
                        at = next;
                        continue;
                    }
                    None => return Ok(false),
                },
                Op::Jump { to } => jump_if!(true, to),
                Op::Loop { to } => {
                    self.tick()?;
                    jump_if!(true, to);
                }
                Op::JumpEq { slot, value, to } => jump_if!(self.read(slot)? == Word::from(value), to),
                Op::JumpNe { slot, value, to } => jump_if!(self.read(slot)? != Word::from(value), to),
                Op::JumpLt { slot, value, to } => jump_if!(self.read(slot)? < Word::from(value), to),
                Op::JumpGe { slot, value, to } => jump_if!(self.read(slot)? >= Word::from(value), to),
                Op::JumpSame { a, b, to } => jump_if!(self.read(a)? == self.read(b)?, to),
                Op::JumpDiffer { a, b, to } => jump_if!(self.read(a)? != self.read(b)?, to),
                Op::JumpLess { a, b, to } => jump_if!(self.read(a)? < self.read(b)?, to),
                Op::JumpNotLess { a, b, to } => jump_if!(self.read(a)? >= self.read(b)?, to),
                Op::Choose { first, .. } => {
                    self.choose(at, 1);
                    jump_if!(true, code.branches[first as usize]);
                }
                Op::Havoc { slot, domain } => {
                    let (first, last) = code.domains[domain as usize];
                    if first < last {
                        self.choose(at, first + 1);
                    }
                    if first <= last {
                        self.write(slot, first);
                    } else {
                        match self.backtrack(code)? {
                            Some(next) => {
                                at = next;
                                continue;
                            }
                            None => return Ok(false),
                        }
                    }
                }
                Op::Open { slot } => self.write(slot, OPEN),
                Op::Set { slot, value } => self.write(slot, Word::from(value)),
                Op::Store { slot, from } => {
                    let word = self.read(from)?;
                    self.write(slot, word);
                }
                Op::Const { to, constant } => self.slots[to as usize] = code.constants[constant as usize],
                Op::Move { to, from } => self.slots[to as usize] = self.read(from)?,
                Op::AddConst { to, a, value } => self.slots[to as usize] = self.read(a)? + Word::from(value),
                Op::Add { to, a, b } => self.slots[to as usize] = self.read(a)? + self.read(b)?,
                Op::Mul { to, a, b } => {
                    self.slots[to as usize] = self.read(a)?.checked_mul(self.read(b)?).ok_or(Halt::Bail)?;
                }
                Op::Div { to, a, b } => {
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    self.slots[to as usize] = a.checked_div_euclid(b).ok_or(Halt::Bail)?;
                }
                Op::Mod { to, a, b } => {
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    self.slots[to as usize] = a.checked_rem_euclid(b).ok_or(Halt::Bail)?;
                }
                Op::Rem { to, a, b } => {
                    let (a, b) = (self.read(a)?, self.read(b)?);
                    let modulo = a.checked_rem_euclid(b).ok_or(Halt::Bail)?;
                    self.slots[to as usize] = if b < 0 { -modulo } else { modulo };
                }
            }
            at += 1;
        }
    }
    #[inline(always)]
    fn read(&self, slot: Slot) -> Result<Word, Halt> {
        let word = self.slots[slot as usize];
        if is_small(word) { Ok(word) } else { Err(Halt::Bail) }
    }
    #[inline(always)]
    fn write(&mut self, slot: Slot, word: Word) {
        let old = std::mem::replace(&mut self.slots[slot as usize], word);
        if old != word {
            self.trail.push((slot, old));
        }
    }
    fn choose(&mut self, at: usize, next: Word) {
        self.choices.push(ChoicePoint { at: at as u32, trail: self.trail.len() as u32, next });
    }
    /// Goes back to the latest choice point and takes its next alternative.
    fn backtrack(&mut self, code: &Code) -> Result<Option<usize>, Halt> {
        let Some(choice) = self.choices.last_mut() else {
            self.undo(0);
            return Ok(None);
        };
        let ChoicePoint { at, trail, next } = *choice;
        choice.next += 1;
        let op = code.ops[at as usize];
        let (last, to) = match op {
            Op::Choose { first, count } => {
                (Word::from(count) - 1, code.branches[first as usize + next as usize] as usize)
            }
            Op::Havoc { domain, .. } => (code.domains[domain as usize].1, at as usize + 1),
            other => unreachable!("{other:?} leaves no choice point"),
        };
        if next == last {
            self.choices.pop();
        }
        self.undo(trail as usize);
        if let Op::Havoc { slot, .. } = op {
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
        self.ticks = self.ticks.wrapping_add(1);
        let stop = self.ticks.is_multiple_of(1024) && self.stop.load(Ordering::Relaxed);
        if stop { Err(Halt::Interrupted) } else { Ok(()) }
    }
}
