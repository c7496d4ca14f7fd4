//! Proofs without a solver: every path of an action, over partly known values.
//!
//! A path starts with the values that an entry fixes and leaves everything else open. Assignments of
//! known values are carried out, assumptions that fail end the path, and what is open stays open: more
//! paths may be followed than there are executions, never fewer. If every path ends where one of the
//! goals holds, the obligation is shown. If not, nothing is known.
//!
//! An open value is a case distinction where that helps and its type is small: at the end of a path,
//! and, when looking [`Care::Fine`], wherever a condition or an assignment reads it.

use ir::eval::{Env, Open, eval};
use ir::{Id, Int, LocationId, ProcessId, Stmt, StmtNode, System, Term, Terms, Type, Value, VarId};

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
    clocks: Vec<VarId>,
    values: Values,
    /// Values that were replaced, to be put back.
    trail: Vec<(VarId, Option<Value>)>,
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
const FEW: usize = 8;

/// Nothing was shown.
struct Lost;

#[derive(Default)]
struct Values(Vec<Option<Value>>);

impl Env for Values {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        self.0[var.index()].as_ref()
    }
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        false
    }
}

impl<'a> Paths<'a> {
    /// Nothing is known of any variable.
    pub fn new(system: &'a System) -> Self {
        Paths {
            system,
            clocks: system.clocks().collect(),
            values: Values(vec![None; system.vars.len()]),
            trail: vec![],
            frames: vec![],
            last: 0,
            fuel: 0,
            care: Care::Coarse,
        }
    }
    /// Forgets all values, then learns these.
    pub fn start<'v>(&mut self, known: impl Iterator<Item = (VarId, &'v Value)>) {
        for (var, _) in self.trail.drain(..) {
            self.values.0[var.index()] = None;
        }
        for (var, value) in known {
            self.set(var, Some(value.clone()));
        }
    }
    /// Whether every path of `stmt` from the values at the start ends in one of `goals`; `false` if that
    /// could not be shown within about `fuel` steps. The values are those of the start again.
    pub fn end_in(&mut self, stmt: Stmt, goals: Goals<'_>, care: Care, fuel: u32) -> bool {
        (self.fuel, self.care) = (fuel, care);
        let (mark, frame) = (self.trail.len(), self.frames.len());
        self.frames.push(Frame { job: Job::Run(stmt), then: END });
        let shown = self.go(frame, goals).is_ok();
        self.undo(mark, frame);
        shown
    }

    fn set(&mut self, var: VarId, value: Option<Value>) {
        let old = std::mem::replace(&mut self.values.0[var.index()], value);
        self.trail.push((var, old));
    }
    fn undo(&mut self, mark: usize, frame: usize) {
        for (var, old) in self.trail.drain(mark..).rev() {
            self.values.0[var.index()] = old;
        }
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
    fn truth(&self, condition: Term) -> Result<bool, Open> {
        eval(&self.system.terms, &self.values, condition).map(|value| *value == Value::Bool(true))
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
                        self.set(var, Some(Value::Int(now)));
                    }
                    continue;
                }
            };
            match terms.stmt(stmt) {
                StmtNode::Skip => {}
                StmtNode::Assume(condition) => match self.truth(*condition) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(open) => match self.cases(open) {
                        Some(count) => return self.each(open.0, count, here, goals),
                        None => self.learn(*condition, true),
                    },
                },
                StmtNode::Assign(var, value) => match eval(terms, &self.values, *value) {
                    Ok(value) => {
                        let value = match terms.var_type(*var) {
                            Type::Clock => Value::rat(value.as_rat()),
                            _ => value.into_owned(),
                        };
                        self.set(*var, Some(value));
                    }
                    Err(open) => match self.cases(open) {
                        Some(count) => return self.each(open.0, count, here, goals),
                        None => self.set(*var, None),
                    },
                },
                StmtNode::Havoc(var) => self.set(*var, None),
                StmtNode::Delay => {
                    for clock in 0..self.clocks.len() {
                        self.set(self.clocks[clock], None);
                    }
                }
                StmtNode::Seq(list) => {
                    for part in list.iter().rev() {
                        at = self.push(Job::Run(*part), at);
                    }
                }
                StmtNode::Choice(list) => {
                    for part in list {
                        self.branch(*part, then, goals, |_| {})?;
                    }
                    return Ok(());
                }
                StmtNode::If(condition, yes, no) => match self.truth(*condition) {
                    Ok(holds) => at = self.push(Job::Run(if holds { *yes } else { *no }), then),
                    Err(open) => match self.cases(open) {
                        Some(count) => return self.each(open.0, count, here, goals),
                        None => {
                            self.branch(*yes, then, goals, |paths| paths.learn(*condition, true))?;
                            return self.branch(*no, then, goals, |paths| paths.learn(*condition, false));
                        }
                    },
                },
                StmtNode::For { var, from, to, body } => {
                    let bounds = eval(terms, &self.values, *from)
                        .and_then(|from| Ok((from, eval(terms, &self.values, *to)?)));
                    match bounds {
                        Ok((from, to)) => {
                            let (next, end) = (from.as_int().clone(), to.as_int().clone());
                            at = self.push(Job::For { var: *var, next, end, body: *body }, then);
                        }
                        Err(open) => match self.cases(open) {
                            Some(count) => return self.each(open.0, count, here, goals),
                            None => return Err(Lost),
                        },
                    }
                }
                StmtNode::While(condition, body) => match self.truth(*condition) {
                    Ok(true) => at = self.push(Job::Run(*body), here),
                    Ok(false) => {}
                    Err(open) => match self.cases(open) {
                        Some(count) => return self.each(open.0, count, here, goals),
                        None => return Err(Lost),
                    },
                },
            }
        }
        self.arrive(goals)
    }
    /// Follows one branch, then takes it back.
    fn branch(
        &mut self,
        stmt: Stmt,
        then: usize,
        goals: Goals<'_>,
        learn: impl FnOnce(&mut Self),
    ) -> Result<(), Lost> {
        let (mark, frame) = (self.trail.len(), self.frames.len());
        learn(self);
        let at = self.push(Job::Run(stmt), then);
        let result = ir::deep(|| self.go(at, goals));
        self.undo(mark, frame);
        result
    }
    /// How many cases to distinguish where a value is read, if at all.
    fn cases(&self, open: Open) -> Option<u64> {
        if self.care == Care::Coarse { None } else { self.count(open.0) }
    }
    /// Goes on from a frame with every value of an open variable.
    fn each(&mut self, var: VarId, count: u64, at: usize, goals: Goals<'_>) -> Result<(), Lost> {
        for case in 0..count {
            self.burn()?;
            let (mark, frame) = (self.trail.len(), self.frames.len());
            let value = self.case(var, case);
            self.set(var, Some(value));
            let result = ir::deep(|| self.go(at, goals));
            self.undo(mark, frame);
            result?;
        }
        Ok(())
    }

    /// Whether the values at the end of a path, whatever is still open, satisfy a goal.
    fn arrive(&mut self, goals: Goals<'_>) -> Result<(), Lost> {
        let mut first = None;
        let count = goals.list.len();
        for shift in 0..count {
            self.burn()?;
            let at = (self.last + shift) % count;
            match eval(goals.terms, &self.values, goals.list[at]) {
                Ok(value) if *value == Value::Bool(true) => {
                    self.last = at;
                    return Ok(());
                }
                Ok(_) => {}
                Err(open) => {
                    first = first.or_else(|| Some((open.0, self.count(open.0)?)));
                    if first.is_some() && count > FEW {
                        break;
                    }
                }
            }
        }
        let (var, cases) = first.ok_or(Lost)?;
        for case in 0..cases {
            let (mark, frame) = (self.trail.len(), self.frames.len());
            let value = self.case(var, case);
            self.set(var, Some(value));
            let result = ir::deep(|| self.arrive(goals));
            self.undo(mark, frame);
            result?;
        }
        Ok(())
    }

    /// How many values a variable can have, if few.
    fn count(&self, var: VarId) -> Option<u64> {
        let count = match (&self.system.vars[var].range, self.system.terms.var_type(var)) {
            (Some((least, greatest)), Type::Int) => {
                u64::try_from((greatest - least).to_i64()?.checked_add(1)?).ok()?
            }
            (_, ty) => self.system.types().cardinality(ty)?,
        };
        (count <= CASES).then_some(count)
    }
    /// One of these values.
    fn case(&self, var: VarId, case: u64) -> Value {
        match (&self.system.vars[var].range, self.system.terms.var_type(var)) {
            (Some((least, _)), Type::Int) => Value::Int(least + &Int::from(case as i64)),
            (_, ty) => self.system.types().nth(ty, case).expect("an ordinal below the number of values"),
        }
    }
    /// Takes over what a condition says of single variables if it holds, or if it does not.
    fn learn(&mut self, condition: Term, holds: bool) {
        let terms = &self.system.terms;
        match (terms.node(condition), holds) {
            (ir::Node::And(list), true) | (ir::Node::Or(list), false) => {
                for part in list {
                    self.learn_literal(*part, holds);
                }
            }
            _ => self.learn_literal(condition, holds),
        }
    }
    fn learn_literal(&mut self, part: Term, holds: bool) {
        if let Some((var, value)) = super::literal(&self.system.terms, part, holds)
            && self.values.0[var.index()].is_none()
        {
            self.set(var, Some(value));
        }
    }
}
