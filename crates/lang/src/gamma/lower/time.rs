//! Timeouts and clocks of adapters: timers that are integers if a period is given, and clocks if not.

use std::fmt;
use std::str::FromStr;

use ir::Int;

use super::super::ast::*;
use super::super::instance::PartId;
use super::types::Slot;
use super::{Entry, Lowering, Role, x};

/// How much time passes in each step, in milliseconds; any value between two ends, which belong to it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Period {
    /// At least so much.
    pub least: u64,
    /// At most so much.
    pub most: u64,
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.least == self.most {
            true => write!(f, "{}ms", self.least),
            false => write!(f, "{}ms..{}ms", self.least, self.most),
        }
    }
}

/// Why a text is no period; its words are a clause.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoPeriod {
    /// It is neither a time nor two.
    Text,
    /// The first time is greater than the second.
    Empty,
}

impl fmt::Display for NoPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoPeriod::Text => "a period is a time such as `500ms` or `2s`, or a range such as `400ms..600ms`",
            NoPeriod::Empty => "the range is empty; write the smaller time first",
        })
    }
}

impl std::error::Error for NoPeriod {}

impl FromStr for Period {
    type Err = NoPeriod;

    fn from_str(text: &str) -> Result<Period, NoPeriod> {
        let time = |text: &str| {
            let text = text.trim();
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let unit = match text[digits..].trim() {
                "" | "ms" => 1,
                "s" => 1000,
                "h" => 3_600_000,
                _ => return Err(NoPeriod::Text),
            };
            let number: u64 = text[..digits].parse().map_err(|_| NoPeriod::Text)?;
            number.checked_mul(unit).filter(|time| *time < 1 << 53).ok_or(NoPeriod::Text)
        };
        let period = match text.split_once("..") {
            Some((least, most)) => Period { least: time(least)?, most: time(most)? },
            None => {
                let only = time(text)?;
                Period { least: only, most: only }
            }
        };
        if period.least > period.most { Err(NoPeriod::Empty) } else { Ok(period) }
    }
}

impl Period {
    /// A single time, in milliseconds.
    ///
    /// # Errors
    /// If the text is none.
    pub fn time(text: &str) -> Result<u64, NoPeriod> {
        let period: Period = text.parse()?;
        if period.least == period.most && !text.contains("..") {
            Ok(period.most)
        } else {
            Err(NoPeriod::Text)
        }
    }
}

impl Lowering<'_> {
    /// The time at which a timeout is over; `None` if it is never set.
    pub(super) fn timeout_value(&mut self, timeout: TimeoutId) -> Option<Int> {
        let set = *self.project.timeout_sets[timeout].first()?;
        let ActionKind::Set { time, .. } = self.project.ast.actions[set].kind else { return None };
        self.milliseconds(time, "the time of a timeout")
    }
    pub(super) fn milliseconds(&mut self, time: Duration, what: &str) -> Option<Int> {
        let value = self.known_integer(time.value, what)?;
        Some(&value * &Int::from(i64::from(time.unit.milliseconds())))
    }
    /// Declares a timer that need not grow beyond `most`.
    pub(super) fn declare_timer(&mut self, wanted: &str, part: PartId, role: Role, most: &Int) -> x::Name {
        let name = match self.settings.period {
            Some(_) => self.declare(wanted, &Slot::Int, Some(part), role),
            None => {
                let name = self.x.fresh(wanted);
                let clock = self.x.named("clock");
                self.x.variable(name, clock, None, false);
                self.table.push(Entry { part: Some(part), role });
                name
            }
        };
        self.timers.push((name, most.clone()));
        name
    }
    /// Whether a timeout is over.
    pub(super) fn timeout_holds(&mut self, timeout: TimeoutId) -> x::ExprId {
        let leaf = self.leaves[self.part].as_ref();
        match leaf.and_then(|leaf| leaf.timeouts.get(&timeout).cloned()) {
            Some((name, value)) => self.is_over(name, &value),
            None => self.x.bool(true),
        }
    }
    pub(super) fn is_over(&mut self, timer: x::Name, value: &Int) -> x::ExprId {
        let (value, timer) = (self.x.int(value.clone()), self.x.name(timer));
        self.x.compare(x::CompareOp::Le, value, timer)
    }
    /// Time passes.
    pub(super) fn pass_time(&mut self, out: &mut Vec<x::StmtId>) {
        let timers = self.timers.clone();
        let Some(period) = self.settings.period else {
            if timers.is_empty() {
                return;
            }
            let Some(most) = self.settings.cycle_within else {
                out.push(self.x.delay());
                return;
            };
            // A clock that every cycle begins at zero tells how long it takes.
            let (name, clock) = (self.x.fresh("__Cycle__"), self.x.named("clock"));
            self.x.variable(name, clock, None, false);
            self.table.push(Entry { part: None, role: Role::Hidden });
            let (zero, most) = (self.x.int(0_i64), self.x.int(most as i64));
            let begin = self.x.assign(name, zero);
            let now = self.x.name(name);
            let within = self.x.compare(x::CompareOp::Le, now, most);
            out.push(begin);
            out.push(self.x.delay());
            out.push(self.x.assume(within));
            return;
        };
        if timers.is_empty() {
            return;
        }
        let passed = match period.least == period.most {
            true => self.x.int(period.least as i64),
            false => {
                let delay = self.declare("__Delay__", &Slot::Int, None, Role::Passed);
                out.push(self.x.havoc(delay));
                let value = self.x.name(delay);
                let (least, most) = (self.x.int(period.least as i64), self.x.int(period.most as i64));
                let from = self.x.compare(x::CompareOp::Le, least, value);
                let to = self.x.compare(x::CompareOp::Le, value, most);
                let within = self.x.and(&[from, to]);
                out.push(self.x.assume(within));
                value
            }
        };
        for (timer, most) in timers {
            let (now, most) = (self.x.name(timer), self.x.int(most));
            let later = self.x.arithmetic(x::ChainOp::Add, now, passed);
            let short = self.x.compare(x::CompareOp::Lt, later, most);
            let value = self.x.ite(short, later, most);
            out.push(self.x.assign(timer, value));
        }
    }
}
