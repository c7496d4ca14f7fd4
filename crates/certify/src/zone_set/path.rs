//! What an execution does to clocks, once data have decided everything else: a list of operations that
//! takes any zone along.

use ir::ClockRange;

use crate::dbm::{Dbm, bound};
use crate::{Rejection, wrong};

/// One thing that happens to clocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// `plus - minus ≺ constant`, over clock numbers.
    Constrain { plus: u32, minus: u32, constant: i32, strict: bool },
    /// A clock gets a value.
    Set { clock: u32, value: i32 },
    /// Any time passes.
    Delay,
    /// Something that cannot be followed; the reason by its number.
    Refuse(u32),
}

/// How an execution ends for one zone.
pub(super) enum End {
    /// No valuation gets to the end.
    Nowhere,
    /// The zone is what gets there.
    There,
    /// The execution cannot be followed; the reason by its number.
    Refused(u32),
}

/// The clocks that have been set so far, by number; only noted up to simulation.
#[derive(Clone, Default)]
pub(super) struct Touched(Vec<bool>);

impl Touched {
    fn clear(&mut self, dim: usize) {
        self.0.clear();
        self.0.resize(dim, false);
    }
    /// Notes that a clock is set.
    pub(super) fn set(&mut self, clock: usize) {
        self.0[clock] = true;
    }
    /// Whether a clock has been set.
    pub(super) fn has(&self, clock: usize) -> bool {
        self.0[clock]
    }
}

/// Takes a zone along `ops`. Up to simulation there are `constants`, which must keep every constraint.
pub(super) fn follow(
    ops: &[Op],
    source: &Dbm,
    constants: Option<&[ClockRange]>,
    zone: &mut Dbm,
    touched: &mut Touched,
) -> Result<End, Rejection> {
    if constants.is_some() {
        touched.clear(source.dim());
    } else {
        // Most executions block at their first conditions; then nothing need be copied.
        for op in ops {
            let Op::Constrain { plus, minus, constant, strict } = *op else { break };
            if !source.meets(plus as usize, minus as usize, bound(constant.into(), strict)) {
                return Ok(End::Nowhere);
            }
        }
    }
    zone.copy(source);
    for op in ops {
        match *op {
            Op::Constrain { plus, minus, constant, strict } => {
                let (plus, minus) = (plus as usize, minus as usize);
                if let Some(constants) = constants {
                    preserved((plus, minus), constant.into(), strict, constants, touched)?;
                }
                if !zone.constrain(plus, minus, bound(constant.into(), strict)) {
                    return Ok(End::Nowhere);
                }
            }
            Op::Set { clock, value } => {
                zone.reset(clock as usize, value.into());
                if constants.is_some() {
                    touched.set(clock as usize);
                }
            }
            Op::Delay => zone.delay(),
            Op::Refuse(why) => return Ok(End::Refused(why)),
        }
    }
    Ok(End::There)
}

/// Whether whatever simulates a valuation that passes a constraint passes it too.
pub(super) fn preserved(
    (plus, minus): (usize, usize),
    constant: i64,
    strict: bool,
    constants: &[ClockRange],
    touched: &Touched,
) -> Result<(), Rejection> {
    let free = |clock: usize| clock > 0 && !touched.has(clock);
    let fine = match (plus, minus) {
        _ if !free(plus) && !free(minus) => true,
        // `x ≺ c`, which nothing passes if `c` is below zero,
        (_, 0) => constant < 0 || constant == 0 && strict || Some(constant) <= constants[plus - 1].1,
        // `-x ≺ c`, which everything passes if `-c` is.
        (0, _) => constant > 0 || constant == 0 && !strict || Some(-constant) <= constants[minus - 1].0,
        _ => return Err(wrong("simulation does not keep differences of clocks")),
    };
    if fine { Ok(()) } else { Err(wrong("simulation: a clock is compared with more than its constants")) }
}

/// No clock set yet.
pub(super) fn untouched(dim: usize) -> Touched {
    let mut touched = Touched::default();
    touched.clear(dim);
    touched
}
