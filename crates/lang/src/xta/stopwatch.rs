//! Stopwatches: `x' == 0`, `x' == 1` or `x' == b` in invariants.
//!
//! A clock whose rate is 0 or 1 stands still or runs; which of the two is a condition on data. Other rates are refused
//! where somebody reads the clock ([`super::opaque`]), and so are those of a clock that several processes give rates,
//! or one location several: what UPPAAL makes of rates that contradict each other is not said anywhere.
//!
//! A hidden clock that always runs is there to tell the time where nobody reads any other.

use ir::range::Ranges;
use ir::{Id, ProcessId, Span, Stopped, Term, Type, VarId, Variable};
use rustc_hash::FxHashMap;

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::{Class, Val};

/// What is known of clocks with a rate of 0 or 1.
#[derive(Debug, Default)]
pub(crate) struct Stopwatches {
    /// Those of the location that is being read, each with where it stands still.
    here: Vec<(VarId, Term)>,
    /// Whose locations give a clock rates.
    owners: FxHashMap<VarId, ProcessId>,
    /// The variables that have the values of clocks while these stand still.
    kept: FxHashMap<VarId, VarId>,
    /// Whether a clock is set to a sum or a difference of several clocks, or to one turned around.
    pub(crate) sums: bool,
}

impl Elaborator {
    /// Where a clock of this rate stands still, if it runs otherwise.
    pub(crate) fn stands_still(&mut self, rate: &Val) -> Option<Term> {
        let terms = &mut self.system.terms;
        match *rate {
            Val::Bool(runs, Class::Data) => Some(terms.not(runs)),
            Val::Int(speed) => {
                let range = Ranges::default().of(terms, &self.declared, speed);
                if range.low < 0 || range.high > 1 {
                    return None;
                }
                let zero = terms.int(0);
                Some(terms.eq(speed, zero))
            }
            _ => None,
        }
    }
    /// Takes down where a clock stands still at the location that is being read; false if that has been said already,
    /// or by somebody else.
    pub(crate) fn stop_clock(&mut self, clock: VarId, when: Term) -> bool {
        let process = ProcessId::at(self.system.processes.len());
        let owner = *self.stopwatches.owners.entry(clock).or_insert(process);
        let again = self.stopwatches.here.iter().any(|(other, _)| *other == clock);
        self.stopwatches.here.push((clock, when));
        owner == process && !again
    }
    /// Whether the least and the greatest values of clocks may be fractions in the states where a condition holds: a
    /// clock that stands still at times is compared, or clocks are added up. A stopwatch that nobody reads is only
    /// measured. On a path it is a sum of delays that are bounded by differences of points in time, so its extremes
    /// are at corners, which are whole (P. Bouyer et al., *On the optimal reachability problem of weighted timed
    /// automata*, 2007).
    pub(crate) fn has_uneven_clocks(&self, condition: Term) -> bool {
        let reads = |term: Term| {
            let stopwatch = |var: &VarId| self.stopwatches.kept.contains_key(var);
            self.system.terms.vars_of(term).iter().any(stopwatch)
        };
        let read = || self.read_by_processes().into_iter().any(|(_, term, _)| reads(term));
        self.stopwatches.sums || !self.stopwatches.kept.is_empty() && (reads(condition) || read())
    }
    /// The clocks that stand still at the location that has been read.
    pub(crate) fn stopped(&mut self) -> Vec<Stopped> {
        let mut stopped = vec![];
        for (clock, when) in std::mem::take(&mut self.stopwatches.here) {
            if self.rates.contains_key(&clock) || self.system.terms.as_const(when) == Some(&false.into()) {
                continue;
            }
            let kept = match self.stopwatches.kept.get(&clock) {
                Some(kept) => *kept,
                None => {
                    let local = Variable { shown: false, ..Variable::local("$kept", Span::default()) };
                    let kept = self.new_var(Type::Rat, local, None);
                    if self.stopwatches.kept.is_empty() {
                        let time = Variable { shown: false, ..Variable::state("$time", Span::default()) };
                        self.new_var(Type::Clock, time, None);
                    }
                    self.stopwatches.kept.insert(clock, kept);
                    kept
                }
            };
            stopped.push(Stopped { clock, when, kept });
        }
        stopped
    }
    /// Refuses guards over urgent channels that read stopwatches: when they begin to hold depends on more than time.
    pub(crate) fn check_stopwatches(&mut self) {
        let mut wrong = vec![];
        let processes = self.system.processes.entries();
        for (process, edge) in
            processes.flat_map(|(id, process)| process.edges.iter().map(move |edge| (id, edge)))
        {
            let urgent = edge.sync.is_some_and(|sync| self.system.channels[sync.channel].urgent);
            let reads = || self.system.terms.vars_of(edge.guard);
            if urgent && reads().iter().any(|var| self.stopwatches.kept.contains_key(var)) {
                wrong.push((process, edge.span));
            }
        }
        for (process, span) in wrong {
            let message = "a guard over an urgent channel reads a stopwatch here, which is not supported";
            let diagnostic = Diagnostic::error(Cause::UnsupportedClockRate, span, message);
            self.report_about(Some(process), diagnostic);
        }
    }
}
