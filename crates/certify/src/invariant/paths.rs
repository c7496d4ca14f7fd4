//! Proofs without a solver: every path of an action, over partly known values.
//!
//! A path starts with the values that an entry fixes and the zone of its clocks, and leaves everything
//! else open. Assignments of known values are carried out, clocks are set and time passes in the zone,
//! assumptions that fail end the path, and what is open stays open: more paths may be followed than there
//! are executions, never fewer. If every path ends where one of the goals holds, the obligation is shown.
//! If not, nothing is known.
//!
//! Why that is right: after each statement, every state that an execution along the path can have got to
//! is one of those that [`Known`] stands for. That is so at the start, where only what the entry says has
//! been learnt; each statement keeps it; and a case distinction leaves out no state, be it by the values of
//! a variable or by a bound and its opposite. So a path that ends because nothing is left has no execution,
//! and a goal that holds in all of these states holds where every execution ends.
//!
//! An open value is a case distinction where that helps and its type is small: at the end of a path,
//! and, when looking [`Care::Fine`], wherever a condition or an assignment reads it, or an assumption that lets few
//! of its values pass. A bound that some
//! valuations meet and others do not is one everywhere, which makes the zones of each path exact, and cuts
//! what several goals contain together along their bounds.

use std::borrow::Cow;

use ir::{Int, Interval, Stmt, StmtNode, System, Term, Terms, Type, Value, VarId};

use super::known::{Doubt, Known, Mark};

/// How closely to look.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Care {
    /// Distinguishes cases only at the end of a path.
    Coarse,
    /// Distinguishes cases wherever something open is read.
    Fine,
}

/// Formulas of one arena, of which one should hold at the end of every path.
#[derive(Copy, Clone)]
pub struct Goals<'a> {
    /// Their arena.
    pub terms: &'a Terms,
    /// The formulas.
    pub list: &'a [Term],
}

/// Memory for following paths of one system.
pub struct Paths<'a> {
    system: &'a System,
    known: Known,
    frames: Vec<Frame>,
    /// The goal that held last: the next path probably ends in it or in the one after it.
    last: usize,
    fuel: u32,
    care: Care,
}

/// What to do, and the number of the frame to go on with.
struct Frame {
    job: Job,
    then: usize,
}

#[derive(Clone)]
enum Job {
    Run(Stmt),
    For { var: VarId, next: Int, end: Int, body: Stmt },
}

const END: usize = usize::MAX;

/// A variable with more values than this stays open.
const CASES: u64 = 64;
/// If there are more goals than this, the first open value is a case distinction before the others are
/// looked at.
const MOST_GOALS_WITHOUT_CASES: usize = 8;

/// Nothing was shown.
struct Lost;

impl<'a> Paths<'a> {
    /// Nothing is known of any variable.
    pub fn new(system: &'a System) -> Self {
        Paths { system, known: Known::new(system), frames: vec![], last: 0, fuel: 0, care: Care::Coarse }
    }
    /// Forgets everything, then learns these conditions; false if they exclude each other.
    pub fn start(&mut self, terms: &Terms, conditions: impl Iterator<Item = Term>) -> bool {
        self.known.clear();
        conditions.into_iter().all(|condition| self.known.learn(terms, condition, true))
    }
    /// Whether every path of `stmt` from what is known at the start ends in one of `goals`; `false` if that
    /// could not be shown within about `fuel` steps. What is known is that of the start again.
    pub fn end_in(&mut self, stmt: Stmt, goals: Goals<'_>, care: Care, fuel: u32) -> bool {
        (self.fuel, self.care) = (fuel, care);
        let (mark, frame) = self.mark();
        self.frames.push(Frame { job: Job::Run(stmt), then: END });
        let shown = self.go(frame, goals).is_ok();
        self.back((mark, frame));
        shown
    }

    fn mark(&self) -> (Mark, usize) {
        (self.known.mark(), self.frames.len())
    }
    fn back(&mut self, (mark, frame): (Mark, usize)) {
        self.known.back(mark);
        self.frames.truncate(frame);
    }
    fn push(&mut self, job: Job, then: usize) -> usize {
        self.frames.push(Frame { job, then });
        self.frames.len() - 1
    }
    fn burn(&mut self) -> Result<(), Lost> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Lost)?;
        Ok(())
    }

    /// Follows the path from a frame to its end, and every path that branches off.
    fn go(&mut self, mut at: usize, goals: Goals<'_>) -> Result<(), Lost> {
        let terms = &self.system.terms;
        while at != END {
            self.burn()?;
            let Frame { job, then } = &self.frames[at];
            let (here, then) = (at, *then);
            at = then;
            let stmt = match job {
                Job::Run(stmt) => *stmt,
                Job::For { var, next, end, body } => {
                    if next < end {
                        let (var, now, end, body) = (*var, next.clone(), end.clone(), *body);
                        let next = &now + &Int::ONE;
                        let again = self.push(Job::For { var, next, end, body }, then);
                        at = self.push(Job::Run(body), again);
                        self.known.set(var, Some(Value::Int(now)));
                    }
                    continue;
                }
            };
            match terms.stmt(stmt) {
                StmtNode::Skip => {}
                StmtNode::Assume(condition) => match self.known.truth(terms, *condition) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(doubt) => match (self.cases(doubt), doubt) {
                        (Some(count), _) => return self.each(doubt, count, here, goals),
                        (None, Doubt::Value(var)) if let Some((least, greatest)) = self.limits(var, here) => {
                            return self.each_between(var, least, greatest, here, goals);
                        }
                        _ if self.known.learn(terms, *condition, true) => {}
                        _ => return Ok(()),
                    },
                },
                StmtNode::Assign(var, value) => match self.value(*value) {
                    Ok(value) => self.set(*var, Some(value))?,
                    Err(doubt) => match self.cases(doubt) {
                        Some(count) => return self.each(doubt, count, here, goals),
                        None => self.set(*var, None)?,
                    },
                },
                StmtNode::Havoc(var) => self.set(*var, None)?,
                StmtNode::Delay => self.known.delay(),
                StmtNode::Seq(list) => {
                    for part in list.iter().rev() {
                        at = self.push(Job::Run(*part), at);
                    }
                }
                StmtNode::Choice(list) => {
                    for part in list {
                        self.branch(*part, then, goals, |_| true)?;
                    }
                    return Ok(());
                }
                StmtNode::If(condition, yes, no) => match self.known.truth(terms, *condition) {
                    Ok(holds) => at = self.push(Job::Run(if holds { *yes } else { *no }), then),
                    Err(doubt) => match self.cases(doubt) {
                        Some(count) => return self.each(doubt, count, here, goals),
                        None => {
                            self.branch(*yes, then, goals, |known| known.learn(terms, *condition, true))?;
                            return self
                                .branch(*no, then, goals, |known| known.learn(terms, *condition, false));
                        }
                    },
                },
                StmtNode::For { var, from, to, body } => {
                    let known = &self.known;
                    let bounds =
                        known.eval(terms, *from).and_then(|from| Ok((from, known.eval(terms, *to)?)));
                    match bounds {
                        Ok((from, to)) => {
                            let (next, end) = (from.as_int().clone(), to.as_int().clone());
                            at = self.push(Job::For { var: *var, next, end, body: *body }, then);
                        }
                        Err(doubt) => match self.cases(doubt) {
                            Some(count) => return self.each(doubt, count, here, goals),
                            None => return Err(Lost),
                        },
                    }
                }
                StmtNode::While(condition, body) => match self.known.truth(terms, *condition) {
                    Ok(true) => at = self.push(Job::Run(*body), here),
                    Ok(false) => {}
                    Err(doubt) => match self.cases(doubt) {
                        Some(count) => return self.each(doubt, count, here, goals),
                        None => return Err(Lost),
                    },
                },
            }
        }
        self.arrive(goals)
    }
    /// Follows one branch, if there is anything left, then takes it back.
    fn branch(
        &mut self,
        stmt: Stmt,
        then: usize,
        goals: Goals<'_>,
        learn: impl FnOnce(&mut Known) -> bool,
    ) -> Result<(), Lost> {
        let mark = self.mark();
        let mut result = Ok(());
        if learn(&mut self.known) {
            let at = self.push(Job::Run(stmt), then);
            result = ir::deep(|| self.go(at, goals));
        }
        self.back(mark);
        result
    }
    /// Goes on from a frame with every case.
    fn each(&mut self, doubt: Doubt, count: u64, at: usize, goals: Goals<'_>) -> Result<(), Lost> {
        for case in 0..count {
            self.burn()?;
            let mark = self.mark();
            let result = if self.suppose(doubt, case) { ir::deep(|| self.go(at, goals)) } else { Ok(()) };
            self.back(mark);
            result?;
        }
        Ok(())
    }
    /// Goes on from a frame with every value of a variable between two.
    fn each_between(
        &mut self,
        var: VarId,
        least: i64,
        greatest: i64,
        at: usize,
        goals: Goals<'_>,
    ) -> Result<(), Lost> {
        for value in least..=greatest {
            self.burn()?;
            let mark = self.mark();
            self.known.set(var, Some(Value::int(value)));
            let result = ir::deep(|| self.go(at, goals));
            self.back(mark);
            result?;
        }
        Ok(())
    }
    /// The least and the greatest value of an open number with which a frame and the assumptions that follow it can
    /// be passed, if there are few between them.
    fn limits(&self, var: VarId, mut at: usize) -> Option<(i64, i64)> {
        let terms = &self.system.terms;
        if self.care == Care::Coarse || terms.var_type(var) != Type::Int {
            return None;
        }
        let (mut all, mut goes_on) = (Interval::ALL, true);
        while goes_on && at != END {
            let Frame { job: Job::Run(stmt), then } = &self.frames[at] else { break };
            let here;
            (here, goes_on) = self.known.passable(terms, var, *stmt);
            all = all.meet(here);
            at = *then;
        }
        let (least, greatest) = match all {
            Interval { empty: true, .. } => (1, 0),
            Interval { least, greatest, .. } => (least?.to_i64()?, greatest?.to_i64()?),
        };
        (greatest.checked_sub(least)? < CASES as i64).then_some((least, greatest))
    }
    /// What is assigned.
    fn value(&self, term: Term) -> Result<Value, Doubt> {
        let terms = &self.system.terms;
        match terms.type_of(term) {
            Type::Bool => self.known.truth(terms, term).map(Value::Bool),
            _ => self.known.eval(terms, term).map(Cow::into_owned),
        }
    }
    /// Gives a variable a value, or any.
    fn set(&mut self, var: VarId, value: Option<Value>) -> Result<(), Lost> {
        if self.known.is_clock(var) {
            return self.known.set_clock(var, value.as_ref()).ok_or(Lost);
        }
        self.known.set(var, value);
        Ok(())
    }

    /// Whether at the end of a path, whatever is still open, one goal or another holds.
    fn arrive(&mut self, goals: Goals<'_>) -> Result<(), Lost> {
        let mut first = None;
        let count = goals.list.len();
        for shift in 0..count {
            self.burn()?;
            let at = (self.last + shift) % count;
            match self.known.truth(goals.terms, goals.list[at]) {
                Ok(true) => {
                    self.last = at;
                    return Ok(());
                }
                Ok(false) => {}
                Err(doubt) => {
                    first = first.or_else(|| Some((doubt, self.count(doubt)?)));
                    if first.is_some() && count > MOST_GOALS_WITHOUT_CASES {
                        break;
                    }
                }
            }
        }
        let (doubt, cases) = first.ok_or(Lost)?;
        for case in 0..cases {
            let mark = self.mark();
            let result = if self.suppose(doubt, case) { ir::deep(|| self.arrive(goals)) } else { Ok(()) };
            self.back(mark);
            result?;
        }
        Ok(())
    }

    /// How many cases to distinguish where something is read, if at all.
    fn cases(&self, doubt: Doubt) -> Option<u64> {
        match doubt {
            Doubt::Value(_) if self.care == Care::Coarse => None,
            _ => self.count(doubt),
        }
    }
    /// How many cases there are, if few.
    fn count(&self, doubt: Doubt) -> Option<u64> {
        let var = match doubt {
            Doubt::Value(var) => var,
            Doubt::Bound(_) => return Some(2),
            Doubt::Unread => return None,
        };
        let count = match (&self.system.vars[var].range, self.system.terms.var_type(var)) {
            (Some((least, greatest)), Type::Int) => {
                u64::try_from((greatest - least).to_i64()?.checked_add(1)?).ok()?
            }
            (_, ty) => self.system.types().cardinality(ty)?,
        };
        (count <= CASES).then_some(count)
    }
    /// Takes one of these cases for granted; false if there is none such.
    fn suppose(&mut self, doubt: Doubt, case: u64) -> bool {
        match doubt {
            Doubt::Value(var) => {
                let value = match (&self.system.vars[var].range, self.system.terms.var_type(var)) {
                    (Some((least, _)), Type::Int) => Value::Int(least + &Int::from(case as i64)),
                    (_, ty) => self.system.types().nth(ty, case).expect("an ordinal below their number"),
                };
                self.known.set(var, Some(value));
                true
            }
            Doubt::Bound(bound) => self.known.keep(if case == 0 { bound } else { bound.opposite() }),
            Doubt::Unread => unreachable!("has no cases"),
        }
    }
}
