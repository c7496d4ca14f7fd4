//! What happens to clocks while an action runs: a zone under construction.
//!
//! The machine tells guards, resets and delays in order; the zone follows. It starts as the zone of the
//! source, which is copied only when something changes it: most actions fail before.

use zones::{Bound, Constraint, Op, dbm};

use crate::concrete::vm::{Halt, Time};
use crate::concrete::word::Word;

/// The clocks of an execution.
#[derive(Debug)]
pub(crate) struct Clocks {
    dim: usize,
    /// The zone of the source.
    pub(crate) source: Vec<Bound>,
    /// The zone now, unless it is still that of the source.
    zone: Vec<Bound>,
    untouched: bool,
    /// The notes of choice points; those beyond `notes` are spare memory.
    saved: Vec<(Vec<Bound>, bool, usize)>,
    notes: usize,
    /// What has been done, if somebody wants to know.
    log: Option<Vec<Op>>,
    /// Whether a bound outgrew its integers.
    pub(crate) overflow: bool,
}

impl Clocks {
    /// No zone yet, over `dim - 1` clocks.
    pub(crate) fn new(dim: usize) -> Self {
        let zone = || vec![Bound::INFINITY; dbm::len(dim)];
        Clocks {
            dim,
            source: zone(),
            zone: zone(),
            untouched: true,
            saved: vec![],
            notes: 0,
            log: None,
            overflow: false,
        }
    }
    /// Begins an execution from the source.
    pub(crate) fn start(&mut self) {
        self.untouched = true;
        if let Some(log) = &mut self.log {
            log.clear();
        }
    }
    /// From now on, keeps a list of what is done.
    pub(crate) fn keep_log(&mut self) {
        self.log = Some(vec![]);
    }
    /// Does not keep it any more.
    pub(crate) fn end_log(&mut self) {
        self.log = None;
    }
    /// What has been done since the start.
    pub(crate) fn log(&self) -> &[Op] {
        self.log.as_deref().unwrap_or_default()
    }
    /// The zone now.
    pub(crate) fn zone(&mut self) -> &mut [Bound] {
        self.touch();
        &mut self.zone
    }
    fn touch(&mut self) {
        if self.untouched {
            self.zone.copy_from_slice(&self.source);
            self.untouched = false;
        }
    }
    fn note(&mut self, op: Op) {
        if let Some(log) = &mut self.log {
            log.push(op);
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
        let constraint = Constraint::new(plus as usize, minus as usize, bound);
        if self.untouched {
            if !dbm::meets(&self.source, self.dim, constraint) {
                return Ok(false);
            }
            if self.log.is_none() && dbm::satisfies(&self.source, self.dim, constraint) {
                return Ok(true);
            }
        }
        self.touch();
        self.note(Op::Constrain(constraint));
        let result = dbm::constrain(&mut self.zone, self.dim, constraint);
        self.check(result)
    }
    fn reset(&mut self, clock: u32, value: Word) -> Result<(), Halt> {
        if value < 0 {
            return Err(Halt::Bail);
        }
        self.touch();
        self.note(Op::Reset(clock, value));
        let result = dbm::reset(&mut self.zone, self.dim, clock as usize, value);
        self.check(result)
    }
    fn copy(&mut self, clock: u32, from: u32) -> Result<(), Halt> {
        self.touch();
        self.note(Op::Copy(clock, from));
        dbm::copy(&mut self.zone, self.dim, clock as usize, from as usize);
        Ok(())
    }
    fn delay(&mut self) -> Result<(), Halt> {
        self.touch();
        self.note(Op::Delay);
        dbm::up(&mut self.zone, self.dim);
        Ok(())
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
