//! What happens to clocks in local time while an action runs: a local zone under construction.
//!
//! The machine tells guards and resets in order, as it does for ordinary zones. A clock `x` is `t - x̃` at the time `t`
//! of whoever looks at it: `x <= 3` is `t - x̃ <= 3`, and `x := 2` makes `x̃ := t - 2`. The step begins with the reference
//! clocks of those who meet being equal, so that `t` may be any of them.

use zones::{Bound, Constraint, Op, dbm};

use super::zone;
use crate::concrete::vm::{Halt, Time};
use crate::concrete::word::Word;

/// The clocks of an execution.
#[derive(Debug)]
pub(super) struct Clocks {
    references: usize,
    dim: usize,
    /// The reference clock of whoever looks at clocks now.
    pub(super) now: u32,
    /// The local zone of the source.
    pub(super) source: Vec<Bound>,
    /// The zone now, unless it is still that of the source.
    zone: Vec<Bound>,
    untouched: bool,
    /// Two reference clocks that are equal from the start.
    equal: Option<[u32; 2]>,
    /// The notes of choice points; those beyond `notes` are spare memory.
    saved: Vec<(Vec<Bound>, bool, usize)>,
    notes: usize,
    /// What has been done and at whose time, if somebody wants to know.
    log: Option<Vec<(u32, Op)>>,
    /// Whether a bound outgrew its integers.
    pub(super) overflow: bool,
}

impl Clocks {
    /// No zone yet; there are `dim` reference clocks and stamps.
    pub(super) fn new(references: usize, dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Clocks {
            references,
            dim,
            now: 0,
            source: zone(),
            zone: zone(),
            untouched: true,
            equal: None,
            saved: vec![],
            notes: 0,
            log: None,
            overflow: false,
        }
    }
    /// Begins with all reference clocks and stamps at the same time, and then does this to the clocks.
    pub(super) fn begin(&mut self, resets: &[Op]) -> Result<(), Halt> {
        dbm::init_zero(&mut self.source, self.dim);
        self.restart(&[0]);
        for op in resets {
            match *op {
                Op::Reset(clock, value) => self.reset(clock, value)?,
                Op::Copy(clock, from) => self.copy(clock, from)?,
                // The arrival looks at the invariants.
                Op::Constrain(_) | Op::Free(_) | Op::Delay => {}
            }
        }
        Ok(())
    }
    /// Begins an execution from the source, in which these reference clocks are equal; `false` if they cannot be.
    pub(super) fn start(&mut self, meeting: &[u32]) -> Result<bool, Halt> {
        self.restart(meeting);
        let equal = |a: u32, b: u32| Constraint::new(a as usize, b as usize, Bound::LE_ZERO);
        match *meeting {
            [_] => Ok(true),
            [a, b] => {
                self.equal = Some([a, b]);
                let meets = |constraint| dbm::meets(&self.source, self.dim, constraint);
                Ok(meets(equal(a, b)) && meets(equal(b, a)))
            }
            _ => {
                self.touch()?;
                let pairs = meeting.windows(2).flat_map(|pair| [[pair[0], pair[1]], [pair[1], pair[0]]]);
                for [a, b] in pairs {
                    if !self.tighten(equal(a, b))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
    fn restart(&mut self, meeting: &[u32]) {
        (self.untouched, self.equal, self.now) = (true, None, meeting[0]);
        if let Some(log) = &mut self.log {
            log.clear();
        }
    }
    /// From now on, keeps a list of what is done.
    pub(super) fn keep_log(&mut self) {
        self.log = Some(vec![]);
    }
    /// What has been done since the start, each at the time of a reference clock.
    pub(super) fn log(&self) -> &[(u32, Op)] {
        self.log.as_deref().unwrap_or_default()
    }
    /// The zone now.
    pub(super) fn zone(&mut self) -> Result<&mut [Bound], Halt> {
        self.touch()?;
        Ok(&mut self.zone)
    }
    /// Lets any time pass for one reference clock.
    pub(super) fn elapse(&mut self, reference: u32) -> Result<(), Halt> {
        self.touch()?;
        self.note(reference, Op::Delay);
        zone::elapse(&mut self.zone, self.dim, reference as usize);
        Ok(())
    }
    fn touch(&mut self) -> Result<(), Halt> {
        if self.untouched {
            self.zone.copy_from_slice(&self.source);
            self.untouched = false;
            if let Some([a, b]) = self.equal {
                for (a, b) in [(a, b), (b, a)] {
                    let possible = self.tighten(Constraint::new(a as usize, b as usize, Bound::LE_ZERO))?;
                    debug_assert!(possible, "two can be equal if neither is always ahead");
                }
            }
        }
        Ok(())
    }
    fn tighten(&mut self, constraint: Constraint) -> Result<bool, Halt> {
        let result = dbm::constrain_differences(&mut self.zone, self.dim, constraint);
        self.check(result)
    }
    /// The row of a clock's stamp; that of 0 is the time now.
    fn row(&self, clock: u32) -> usize {
        match clock {
            0 => self.now as usize,
            clock => self.references + clock as usize - 1,
        }
    }
    fn note(&mut self, reference: u32, op: Op) {
        if let Some(log) = &mut self.log {
            log.push((reference, op));
        }
    }
    fn check<R>(&mut self, result: Result<R, zones::Overflow>) -> Result<R, Halt> {
        result.map_err(|_| {
            self.overflow = true;
            Halt::Bail
        })
    }
}

impl Time for Clocks {
    fn constrain(&mut self, plus: u32, minus: u32, bound: Word, strict: bool) -> Result<bool, Halt> {
        let bound = self.check(Bound::new(bound, strict))?;
        self.note(self.now, Op::Constrain(Constraint::new(plus as usize, minus as usize, bound)));
        // (t - plus) - (t - minus)
        let constraint = Constraint::new(self.row(minus), self.row(plus), bound);
        if self.untouched {
            if !dbm::meets(&self.source, self.dim, constraint) {
                return Ok(false);
            }
            if dbm::satisfies(&self.source, self.dim, constraint) {
                return Ok(true);
            }
        }
        self.touch()?;
        self.tighten(constraint)
    }
    fn reset(&mut self, clock: u32, value: Word) -> Result<(), Halt> {
        if value < 0 {
            return Err(Halt::Bail);
        }
        self.touch()?;
        self.note(self.now, Op::Reset(clock, value));
        let stamp = self.row(clock);
        let result = zone::set(&mut self.zone, self.dim, stamp, self.now as usize, value);
        self.check(result)
    }
    fn copy(&mut self, clock: u32, from: u32) -> Result<(), Halt> {
        self.touch()?;
        self.note(self.now, Op::Copy(clock, from));
        let (stamp, from) = (self.row(clock), self.row(from));
        let result = zone::set(&mut self.zone, self.dim, stamp, from, 0);
        self.check(result)
    }
    fn delay(&mut self) -> Result<(), Halt> {
        // Only whole actions have one, with arrivals that are refused.
        Err(Halt::Bail)
    }
    fn mark(&mut self) {
        if self.notes == self.saved.len() {
            self.saved.push((vec![], false, 0));
        }
        let (zone, untouched, log) = &mut self.saved[self.notes];
        *untouched = self.untouched;
        *log = self.log.as_ref().map_or(0, Vec::len);
        if !self.untouched {
            zone.clone_from(&self.zone);
        }
        self.notes += 1;
    }
    fn back(&mut self, last: bool) {
        let (zone, untouched, log) = &self.saved[self.notes - 1];
        self.untouched = *untouched;
        if !untouched {
            self.zone.copy_from_slice(zone);
        }
        if let Some(list) = &mut self.log {
            list.truncate(*log);
        }
        self.notes -= usize::from(last);
    }
    fn forget(&mut self) {
        self.notes = 0;
    }
}
