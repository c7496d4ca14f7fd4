//! What updates and functions do, before faults are split off.
//!
//! Code is turned into statements of the system, with run-time errors that cannot happen left out
//! (see [`ir::range`]), or executed where only the result of a function matters (see
//! [`crate::xta::execution`]).

use ir::range::Ranges;
use ir::{Checked, FaultId, Faults, Guarded, Id, Span, Stmt, Term, Terms, Type, VarId, Variable};

use crate::xta::elaborate::{Elaborator, Hazard};

/// How many rounds of a loop are written out in statements.
const MOST_UNROLLED: usize = 32;

/// One piece of code.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Assign(VarId, Checked),
    /// An evaluation that only matters if it goes wrong.
    Check(Faults),
    If(Checked, Vec<Code>, Vec<Code>),
    /// As long as the condition holds.
    While(Checked, Vec<Code>, Span),
    /// For every value from the first to the second, both included.
    For(VarId, i64, i64, Vec<Code>),
}

impl Elaborator {
    /// The statement of the system for `code`, where `ranges` hold before it.
    pub(crate) fn statement(&mut self, code: &[Code], ranges: &mut Ranges) -> Guarded {
        let parts: Vec<Guarded> = code.iter().map(|part| ir::deep(|| self.part(part, ranges))).collect();
        Guarded::seq(&mut self.system.terms, &parts)
    }
    fn part(&mut self, code: &Code, ranges: &mut Ranges) -> Guarded {
        match code {
            Code::Assign(var, value) => {
                let value = self.remaining(value, ranges);
                let is_int = self.system.terms.type_of(value.term) == Type::Int
                    && self.system.terms.var_type(*var) == Type::Int;
                let range = is_int.then(|| ranges.of(&self.system.terms, &self.declared, value.term));
                ranges.assign(&mut self.system.terms, &self.declared, *var, range);
                self.using(value, |terms, term| terms.assign(*var, term))
            }
            Code::Check(faults) => {
                let always = self.system.terms.bool(true);
                let value = self.remaining(&Checked { term: always, faults: faults.clone() }, ranges);
                self.using(value, |terms, _| terms.skip())
            }
            Code::If(condition, then, otherwise) => {
                let condition = self.remaining(condition, ranges);
                match ranges.truth(&self.system.terms, &self.declared, condition.term) {
                    Some(side) if condition.faults.is_empty() => {
                        return self.statement(if side { then } else { otherwise }, ranges);
                    }
                    _ => {}
                }
                let mut other = ranges.clone();
                ranges.learn(&self.system.terms, &self.declared, condition.term, true);
                let then = self.statement(then, ranges);
                other.learn(&self.system.terms, &self.declared, condition.term, false);
                let otherwise = self.statement(otherwise, &mut other);
                ranges.join(&self.system.terms, &self.declared, &other);
                match self.which_for(&condition.faults) {
                    Some(which) => Guarded::branch(&mut self.system.terms, which, condition, then, otherwise),
                    None => {
                        let stmt = self.system.terms.branch(condition.term, then.stmt, otherwise.stmt);
                        Guarded::safe(stmt)
                    }
                }
            }
            Code::While(condition, body, _) => self.while_loop(condition, body, ranges),
            Code::For(var, low, high, body) => {
                let written = self.written(body, Some(*var));
                ranges.forget(&self.system.terms, &self.declared, &written);
                let mut inside = ranges.clone();
                let terms = &mut self.system.terms;
                let (from, to) = (terms.int(*low), terms.int(high + 1));
                let (counter, last) = (terms.var(*var), terms.int(*high));
                let (above, below) = (terms.le(from, counter), terms.le(counter, last));
                for bound in [above, below] {
                    inside.learn(&self.system.terms, &self.declared, bound, true);
                }
                let body = self.statement(body, &mut inside);
                let stmt = self.system.terms.for_loop(*var, from, to, body.stmt);
                match (body.fault, self.which) {
                    (Some(_), Some(which)) => {
                        let both = self.system.guarded_for(which, *var, [from.into(), to.into()], body);
                        self.sync_declared();
                        both
                    }
                    _ => Guarded::safe(stmt),
                }
            }
        }
    }
    /// After how many rounds a loop without loops in it certainly ends, if that is soon.
    fn rounds(&mut self, condition: &Checked, body: &[Code], ranges: &Ranges) -> Option<usize> {
        if loops(body) {
            return None;
        }
        let probing = std::mem::replace(&mut self.probing, true);
        let mut ranges = ranges.clone();
        let mut found = None;
        for round in 0..=MOST_UNROLLED {
            self.remaining(condition, &mut ranges);
            if ranges.truth(&self.system.terms, &self.declared, condition.term) == Some(false) {
                found = Some(round);
                break;
            }
            ranges.learn(&self.system.terms, &self.declared, condition.term, true);
            self.statement(body, &mut ranges);
        }
        self.probing = probing;
        found
    }
    fn while_loop(&mut self, condition: &Checked, body: &[Code], ranges: &mut Ranges) -> Guarded {
        // What ends soon is written out: searches can look through it, and values are known.
        if let Some(rounds) = self.rounds(condition, body, ranges) {
            let round = |rest: Option<Code>| {
                Some(Code::If(condition.clone(), body.iter().cloned().chain(rest).collect(), vec![]))
            };
            let written = (0..rounds).fold(None, |rest, _| round(rest));
            return self.statement(written.as_slice(), ranges);
        }
        // What holds in every round: start from what holds before, and give up what a round changes.
        let written = self.written(body, None);
        let probing = std::mem::replace(&mut self.probing, true);
        for round in 0.. {
            let mut inside = ranges.clone();
            inside.learn(&self.system.terms, &self.declared, condition.term, true);
            self.statement(body, &mut inside);
            let mut joined = ranges.clone();
            joined.join(&self.system.terms, &self.declared, &inside);
            let changed = joined.widen(ranges);
            *ranges = joined;
            if !changed {
                break;
            }
            if round == 4 {
                ranges.forget(&self.system.terms, &self.declared, &written);
                break;
            }
        }
        self.probing = probing;
        let condition = self.remaining(condition, ranges);
        let mut inside = ranges.clone();
        inside.learn(&self.system.terms, &self.declared, condition.term, true);
        let body = self.statement(body, &mut inside);
        ranges.learn(&self.system.terms, &self.declared, condition.term, false);
        let which = self.which_for(&condition.faults);
        if condition.faults.is_empty() && body.fault.is_none() {
            return Guarded::safe(self.system.terms.while_loop(condition.term, body.stmt));
        }
        let flag = self.hidden("$faulted", Type::Bool, None, Span::default());
        let terms = &mut self.system.terms;
        // A condition that goes wrong blocks the good half, whichever way it is decided.
        let wrong = terms.or(condition.faults.iter().map(|(when, _)| *when));
        let right = terms.not(wrong);
        let passes = terms.assume(right);
        let round = terms.seq([passes, body.stmt]);
        let good = terms.while_loop(condition.term, round);
        let good = terms.seq([good, passes]);
        // The faulty half runs rounds until one goes wrong.
        let (yes, no, faulted) = (terms.bool(true), terms.bool(false), terms.var(flag));
        let (set, clear) = (terms.assign(flag, yes), terms.assign(flag, no));
        let mut ways = vec![terms.seq([passes, body.stmt])];
        if let Some(fault) = body.fault {
            ways.push(terms.seq([passes, fault, set]));
        }
        for (when, fault) in &condition.faults {
            let which = which.expect("the condition has faults");
            let number = terms.int(fault.index() as i64);
            let (assume, record) = (terms.assume(*when), terms.assign(which, number));
            ways.push(terms.seq([assume, record, set]));
        }
        let round = terms.choice(ways);
        let go_on = terms.or([condition.term, wrong]);
        let not_yet = terms.not(faulted);
        let go_on = terms.and([not_yet, go_on]);
        let faulty = terms.while_loop(go_on, round);
        let happened = terms.assume(faulted);
        let fault = terms.seq([clear, faulty, happened]);
        Guarded { stmt: good, fault: Some(fault) }
    }
    fn using(&mut self, value: Checked, build: impl FnOnce(&mut Terms, Term) -> Stmt) -> Guarded {
        match self.which_for(&value.faults) {
            Some(which) => Guarded::using(&mut self.system.terms, which, value, build),
            None => Guarded::safe(build(&mut self.system.terms, value.term)),
        }
    }
    /// `value` with the faults that can happen, under their numbers in the system; ranges then know
    /// that none has happened.
    pub(crate) fn remaining(&mut self, value: &Checked, ranges: &mut Ranges) -> Checked {
        let mut faults = Faults::new();
        for (condition, hazard) in &value.faults {
            if !self.probing && ranges.truth(&self.system.terms, &self.declared, *condition) != Some(false) {
                faults.push((*condition, self.fault(*hazard)));
            }
        }
        for (condition, _) in &value.faults {
            ranges.learn(&self.system.terms, &self.declared, *condition, false);
        }
        Checked { term: value.term, faults }
    }
    /// The number in the system of a fault that may happen.
    fn fault(&mut self, hazard: FaultId) -> FaultId {
        if let Some(known) = self.faults.get(&hazard) {
            return *known;
        }
        let Hazard { kind, span, limit } = *self.hazards.get_index(hazard.index()).expect("a known hazard");
        let fault = self.system.faults.push(ir::Fault { kind, span, limit });
        self.faults.insert(hazard, fault);
        fault
    }
    /// The variable that records faults, if there are any here.
    pub(crate) fn which_for(&mut self, faults: &Faults) -> Option<VarId> {
        if faults.is_empty() {
            return self.which;
        }
        if self.which.is_none() {
            let hidden = Variable { shown: false, ..Variable::state("$fault", Span::default()) };
            let which = self.new_var(Type::Int, hidden, None);
            let none = self.system.terms.int(-1);
            self.system.initial.push((which, none));
            self.which = Some(which);
        }
        self.which
    }
    /// The variables that code may change, sorted.
    fn written(&self, code: &[Code], also: Option<VarId>) -> Vec<VarId> {
        let mut vars: Vec<VarId> = also.into_iter().collect();
        collect_written(code, &mut vars);
        vars.sort_unstable();
        vars.dedup();
        vars
    }
    /// Keeps the table of declared ranges as long as that of variables.
    fn sync_declared(&mut self) {
        self.declared.resize(self.system.vars.len());
    }
}

/// Whether there is a loop in code.
fn loops(code: &[Code]) -> bool {
    code.iter().any(|part| match part {
        Code::While(..) | Code::For(..) => true,
        Code::If(_, then, otherwise) => ir::deep(|| loops(then) || loops(otherwise)),
        Code::Assign(..) | Code::Check(_) => false,
    })
}

fn collect_written(code: &[Code], vars: &mut Vec<VarId>) {
    for part in code {
        match part {
            Code::Assign(var, _) => vars.push(*var),
            Code::Check(_) => {}
            Code::If(_, then, otherwise) => ir::deep(|| {
                collect_written(then, vars);
                collect_written(otherwise, vars);
            }),
            Code::While(_, body, _) => ir::deep(|| collect_written(body, vars)),
            Code::For(var, _, _, body) => {
                vars.push(*var);
                ir::deep(|| collect_written(body, vars));
            }
        }
    }
}
