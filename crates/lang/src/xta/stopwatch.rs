//! Stopwatches: `x' == 0`, `x' == 1` or `x' == b` in invariants, also behind conditions (`b imply x' == 0`).
//!
//! A clock whose rate is 0 or 1 stands still or runs; which of the two is a condition on data. Where the conditions before
//! a rate exclude it, the clock runs. Other rates are refused
//! where somebody reads the clock ([`super::opaque`]), and so are those of a clock that several processes give rates,
//! or one location several at once: what UPPAAL makes of rates that contradict each other is not said anywhere.
//!
//! A hidden clock that always runs is there to tell the time where nobody reads any other.

use ir::range::{Interval, Ranges};
use ir::{Id, ProcessId, Span, Stopped, Term, Type, VarId, Variable};
use rustc_hash::FxHashMap;

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::{Class, Val};

/// The rates of clocks that stand still or run.
const BIT: Interval = Interval { low: 0, high: 1 };

/// What is known of clocks with a rate of 0 or 1.
#[derive(Debug, Default)]
pub(crate) struct Stopwatches {
    /// Those of the location that is being read.
    here: Vec<Given>,
    /// Whose locations give a clock rates.
    owners: FxHashMap<VarId, ProcessId>,
    /// The variables that have the values of clocks while these stand still.
    kept: FxHashMap<VarId, VarId>,
    /// Clocks with a rate whose range goes beyond 0 and 1, each with the rate and where it is given.
    pub(crate) doubtful: Vec<(VarId, Term, Span)>,
    /// Whether a clock is set to a sum or a difference of several clocks, or to one turned around.
    pub(crate) sums: bool,
}

/// What a location says of a clock.
#[derive(Debug)]
struct Given {
    clock: VarId,
    /// Where it gets a rate; elsewhere it runs.
    given: Term,
    /// Where it stands still.
    when: Term,
}

impl Elaborator {
    /// Where a clock of this rate stands still, if it runs otherwise; and the rate, if it remains to be shown that it is
    /// 0 or 1.
    pub(crate) fn stands_still(&mut self, rate: &Val) -> Option<(Term, Option<Term>)> {
        let terms = &mut self.system.terms;
        match *rate {
            Val::Bool(runs, Class::Data) => Some((terms.not(runs), None)),
            Val::Int(speed) => {
                let range = Ranges::default().of(terms, &self.declared, speed);
                if range.high < 0 || 1 < range.low {
                    return None;
                }
                let zero = terms.int(0);
                Some((terms.eq(speed, zero), (!BIT.contains(range)).then_some(speed)))
            }
            _ => None,
        }
    }
    /// Shows that rates are 0 or 1 although the declared ranges of what they read go beyond, as in `int run; … x' == run`,
    /// and counts the others among those that nobody may read.
    pub(crate) fn check_speeds(&mut self) {
        let doubtful = std::mem::take(&mut self.stopwatches.doubtful);
        if doubtful.is_empty() {
            return;
        }
        let mut read: Vec<VarId> = vec![];
        for (_, speed, _) in &doubtful {
            read.extend(self.system.terms.vars_of(*speed));
        }
        read.sort_unstable();
        read.dedup();
        let effort = self.declared.thorough(true);
        let declared: Vec<_> = read.iter().map(|var| (*var, self.declared.of(*var))).collect();
        self.narrow_to_bits(read);
        for (clock, speed, span) in doubtful {
            if !self.is_bit(speed) {
                self.rates.entry(clock).or_insert(span);
                self.stopwatches.kept.remove(&clock);
                for process in self.system.processes.iter_mut() {
                    process.locations.iter_mut().for_each(|it| it.stopped.retain(|it| it.clock != clock));
                }
            }
        }
        declared.into_iter().for_each(|(var, bounds)| self.declared.set(var, bounds));
        self.declared.thorough(effort);
    }
    fn is_bit(&self, term: Term) -> bool {
        BIT.contains(Ranges::default().of(&self.system.terms, &self.declared, term))
    }
    /// Narrows the ranges of those variables that are always 0 or 1. That is shown by induction: they start so, and are only
    /// ever set to values that are 0 or 1 as long as these variables are.
    fn narrow_to_bits(&mut self, mut vars: Vec<VarId>) {
        let starts = |var: &VarId| self.system.initial.iter().any(|(other, _)| other == var);
        let may_be = |var: &VarId| {
            self.declared.of(*var).is_some_and(|range| range.low <= BIT.high && BIT.low <= range.high)
        };
        vars.retain(|var| starts(var) && may_be(var));
        let declared: Vec<_> = vars.iter().map(|var| (*var, self.declared.of(*var))).collect();
        for (var, bounds) in &declared {
            let narrow =
                bounds.map(|range| Interval { low: range.low.max(BIT.low), high: range.high.min(BIT.high) });
            self.declared.set(*var, narrow);
        }
        let mut set = self.set_to(&vars);
        // A variable that is set to something else is not among them, and others that are set to it may not be either.
        while let Some((other, _)) = set.iter().find(|(_, value)| !self.is_bit(*value)).copied() {
            set.retain(|(var, _)| *var != other);
            let before = declared.iter().find(|(var, _)| *var == other).and_then(|(_, bounds)| *bounds);
            self.declared.set(other, before);
        }
    }
    /// What these variables are ever set to, at the start and by edges.
    fn set_to(&self, vars: &[VarId]) -> Vec<(VarId, Term)> {
        let mut set: Vec<(VarId, Term)> =
            self.system.initial.iter().filter(|(var, _)| vars.contains(var)).copied().collect();
        for edge in self.system.processes.iter().flat_map(|process| process.edges.iter()) {
            self.system.terms.for_each_substmt(edge.update.stmt, |part| {
                if let ir::StmtNode::Assign(var, value) = self.system.terms.stmt(part)
                    && vars.contains(var)
                {
                    set.push((*var, *value));
                }
            });
        }
        set
    }
    /// Takes down that a clock gets a rate where `given` holds, at the location that is being read, and stands still there
    /// where `still` holds; false if it may have one there already, or gets one by somebody else.
    pub(crate) fn stop_clock(&mut self, clock: VarId, given: Term, still: Term) -> bool {
        let process = ProcessId::at(self.system.processes.len());
        let owner = *self.stopwatches.owners.entry(clock).or_insert(process);
        let terms = &mut self.system.terms;
        let when = terms.and([given, still]);
        let here = &mut self.stopwatches.here;
        let Some(at) = here.iter().position(|it| it.clock == clock) else {
            here.push(Given { clock, given, when });
            return owner == process;
        };
        let before = &mut here[at];
        let both = terms.and([before.given, given]);
        before.given = terms.or([before.given, given]);
        before.when = terms.or([before.when, when]);
        owner == process && terms.as_const(both) == Some(&false.into())
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
        for Given { clock, when, .. } in std::mem::take(&mut self.stopwatches.here) {
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
