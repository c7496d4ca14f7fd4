//! The instructions of the machine in [`super::vm`].
//!
//! Slots: 0 is the number of the location vector, then come the variables, then temporaries; see
//! [`super::code`], which makes code.

use super::word::Word;

/// A slot of the machine.
pub(crate) type Slot = u32;

/// The slot of the location vector's number.
pub(crate) const VECTOR: Slot = 0;

/// Compiled code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// What each instruction is for.
    pub(crate) roles: Vec<Role>,
    /// For each filter, the address behind it.
    pub(crate) filters: Vec<u32>,
    /// The clock constraints.
    pub(crate) atoms: Vec<Atom>,
    /// The addresses of the branches of choices.
    pub(crate) branches: Vec<u32>,
    /// First and last value of enumerated havocs.
    pub(crate) domains: Vec<(Word, Word)>,
    /// First position, number of positions and slots for each, of array parts.
    pub(crate) positions: Vec<(Word, Word, Word)>,
    pub(crate) constants: Vec<Word>,
    /// The locals that occur; they start open.
    pub(crate) locals: Vec<Slot>,
    /// How many slots the machine needs.
    pub(crate) slots: usize,
}

/// What an instruction is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It decides what happens next, or is part of what happens.
    Flow,
    /// It is part of a condition without which an execution is blocked; filters have numbers.
    Filter(u32),
    /// It is part of computing a value by cases; such values have numbers.
    Value(u32),
}

/// A clock constraint: `plus - minus` is below `bound`, or at it unless `strict`.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) plus: u32,
    pub(crate) minus: u32,
    pub(crate) bound: Amount,
    pub(crate) strict: bool,
}

/// A number that is known, or found when the code runs.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Amount {
    Const(i32),
    Slot(Slot),
    Minus(Slot),
}

/// One instruction. `to` is an address, or the temporary that gets the result.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Op {
    /// The statement has been executed.
    Done,
    /// This execution is blocked: go back to the latest choice.
    Fail,
    /// The condition does not hold.
    No,
    Jump {
        to: u32,
    },
    /// A jump back, where a long execution can be interrupted.
    Loop {
        to: u32,
    },
    JumpEq {
        slot: Slot,
        value: i32,
        to: u32,
    },
    JumpNe {
        slot: Slot,
        value: i32,
        to: u32,
    },
    JumpLt {
        slot: Slot,
        value: i32,
        to: u32,
    },
    JumpGe {
        slot: Slot,
        value: i32,
        to: u32,
    },
    JumpSame {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpDiffer {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpLess {
        a: Slot,
        b: Slot,
        to: u32,
    },
    JumpNotLess {
        a: Slot,
        b: Slot,
        to: u32,
    },
    /// Jumps if it is `when` that a variable is open.
    JumpOpen {
        slot: Slot,
        when: bool,
        to: u32,
    },
    /// Makes an interval of everything: its least and its greatest value, each open if there is none, and whether it
    /// is empty.
    All {
        to: Slot,
    },
    /// Keeps what is in another interval, too.
    Meet {
        to: Slot,
        with: Slot,
    },
    /// Adds what is in another interval, and what is between.
    Hull {
        to: Slot,
        with: Slot,
    },
    /// Tries the values of an interval for an open variable, upwards, if it has two ends; any one if it is empty.
    Between {
        slot: Slot,
        interval: Slot,
    },
    /// Tries `count` branches from `first` on, in order.
    Choose {
        first: u32,
        count: u32,
    },
    /// Tries the values of a domain, upwards.
    Havoc {
        slot: Slot,
        domain: u32,
    },
    /// Only valuations that satisfy a clock constraint go on.
    Constrain {
        atom: u32,
    },
    /// Gives a clock a value.
    Reset {
        clock: u32,
        value: Amount,
    },
    /// Gives a clock the value of another.
    Copy {
        clock: u32,
        from: u32,
    },
    /// Time passes.
    Delay,
    /// Leaves a variable open.
    Open {
        slot: Slot,
    },
    /// Gives a variable a constant.
    Set {
        slot: Slot,
        value: i32,
    },
    /// The part of an array: `from` plus `index` less `first`, times `width`. Bails out where `index`
    /// is none of `count` positions.
    Index {
        to: Slot,
        from: Option<Slot>,
        index: Slot,
        positions: u32,
    },
    /// Reads the slot that lies `offset` behind `base`.
    Load {
        to: Slot,
        base: Slot,
        offset: Slot,
    },
    /// Writes the slot that lies `offset` behind `base`.
    StoreAt {
        base: Slot,
        offset: Slot,
        from: Slot,
    },
    /// Gives a variable the value of a slot.
    Store {
        slot: Slot,
        from: Slot,
    },
    Const {
        to: Slot,
        constant: u32,
    },
    Move {
        to: Slot,
        from: Slot,
    },
    AddConst {
        to: Slot,
        a: Slot,
        value: i32,
    },
    Add {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Div {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Mod {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Rem {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    BitAnd {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    BitOr {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    BitXor {
        to: Slot,
        a: Slot,
        b: Slot,
    },
}

impl Op {
    /// The address it may jump to.
    pub(crate) fn address(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { to }
            | Op::Loop { to }
            | Op::JumpEq { to, .. }
            | Op::JumpNe { to, .. }
            | Op::JumpLt { to, .. }
            | Op::JumpGe { to, .. }
            | Op::JumpSame { to, .. }
            | Op::JumpDiffer { to, .. }
            | Op::JumpLess { to, .. }
            | Op::JumpNotLess { to, .. }
            | Op::JumpOpen { to, .. } => Some(to),
            _ => None,
        }
    }
}
