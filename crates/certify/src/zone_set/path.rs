//! What an execution does to clocks, once data have decided everything else: a list of operations that
//! takes any zone along.

use ir::ClockRange;

use super::simulation::{Touched, keep};
use crate::dbm::{Dbm, bound};

/// One thing that happens to clocks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Op {
    /// `plus - minus ≺ constant`, over clock numbers.
    Constrain { plus: u32, minus: u32, constant: i32, strict: bool },
    /// A clock gets a value.
    Set { clock: u32, value: i32 },
    /// A clock gets the value of another.
    Copy { clock: u32, from: u32 },
    /// A clock gets a sum of others, or a value that it had before a delay: any value, as far as zones tell. That
    /// is more than what happens, so whatever is closed under it is closed under what happens.
    Free { clock: u32 },
    /// Any time passes.
    Delay,
    /// Something that cannot be followed; the reason by its number.
    Refuse(u32),
}

/// How an execution ends for one zone.
pub(super) enum End {
    /// No valuation gets to the end.
    Nowhere,
    /// The zone is what gets there, or more if constraints had to be left out.
    There { loose: bool },
    /// The execution cannot be followed; the reason by its number.
    Refused(u32),
}

/// Takes a zone along `ops`. Up to simulation there are `constants`, and constraints that these do not keep
/// are left out.
pub(super) fn follow(
    ops: &[Op],
    source: &Dbm,
    constants: Option<&[ClockRange]>,
    zone: &mut Dbm,
    touched: &mut Touched,
) -> End {
    if constants.is_some() {
        touched.clear(source.dim());
    } else {
        // Most executions block at their first conditions; then nothing need be copied.
        for op in ops {
            let Op::Constrain { plus, minus, constant, strict } = *op else { break };
            if !source.meets(plus as usize, minus as usize, bound(constant.into(), strict)) {
                return End::Nowhere;
            }
        }
    }
    let mut loose = false;
    zone.copy(source);
    for op in ops {
        match *op {
            Op::Constrain { plus, minus, constant, strict } => {
                let (plus, minus) = (plus as usize, minus as usize);
                if let Some(constants) = constants
                    && !keep(constants, (plus, minus), constant.into(), strict, touched)
                {
                    loose = true;
                } else if !zone.constrain(plus, minus, bound(constant.into(), strict)) {
                    return End::Nowhere;
                }
            }
            Op::Set { clock, value } => {
                zone.reset(clock as usize, value.into());
                if constants.is_some() {
                    touched.set(clock as usize);
                }
            }
            Op::Copy { clock, from } => {
                zone.copy_clock(clock as usize, from as usize);
                if constants.is_some() {
                    touched.copy(clock as usize, from as usize);
                }
            }
            Op::Free { clock } => {
                zone.free(clock as usize);
                if constants.is_some() {
                    touched.set(clock as usize);
                }
            }
            Op::Delay => zone.delay(),
            Op::Refuse(why) => return End::Refused(why),
        }
    }
    End::There { loose }
}
