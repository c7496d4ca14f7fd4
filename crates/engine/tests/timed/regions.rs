//! The region graph of a timed XSTS, statement by statement.
//!
//! A state has the values of all data and a clock valuation that stands for its region (Alur and Dill, *A
//! theory of timed automata*, 1994), in whole units of 1/(2n+2) for n clocks. Statements are executed as they
//! stand, all executions at once; where time passes, one moment of every region on the way is taken. This
//! knows neither actions nor zones nor solvers, only how terms are evaluated.

use std::collections::HashSet;

use ir::eval::{Env, eval};
use ir::{
    Id, Int, LocationId, LocationKind, ProcessId, Rat, Scope, Stmt, StmtNode, System, Term, Type, Value,
    VarId,
};
use zones::{Constraint, Op};

/// The greatest constant in constraints and resets of random models.
const MOST: i64 = 3;

/// The values of all variables, and the clocks in units.
#[derive(Clone, Debug)]
pub struct Point {
    values: Vec<Option<Value>>,
    clocks: Vec<i64>,
}

impl Env for Point {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    fn at(&self, _: ProcessId, _: LocationId) -> bool {
        false
    }
}

impl Point {
    /// The value of a variable, if it has one.
    pub fn value_of(&self, var: VarId) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    /// The same in a system with so many variables.
    pub fn widened(&self, count: usize) -> Point {
        let mut values = self.values.clone();
        values.resize(count, None);
        Point { values, clocks: self.clocks.clone() }
    }
    /// The same in the system of `like`.
    pub fn narrowed(&self, like: &Point) -> Point {
        Point { values: self.values[..like.values.len()].to_vec(), clocks: self.clocks.clone() }
    }
}

/// What is the same for two points exactly if they behave alike.
pub type Region = (Vec<Option<Value>>, Vec<i64>, Vec<i64>);

/// Too many regions or executions.
#[derive(Debug)]
pub struct TooMany;

/// A system, its clocks and how much may still be done.
pub struct Regions<'a> {
    system: &'a System,
    clocks: Vec<VarId>,
    fuel: usize,
}

impl<'a> Regions<'a> {
    pub fn new(system: &'a System, fuel: usize) -> Self {
        Regions { system, clocks: system.clocks().collect(), fuel }
    }
    /// The same for a system that extends this one, with as much left to do.
    pub fn within<'b>(&self, system: &'b System) -> Regions<'b> {
        Regions { system, clocks: self.clocks.clone(), fuel: self.fuel }
    }
    /// Whether an observed state where `target` holds, or a fault, is reachable.
    pub fn reaches(&mut self, target: Term) -> Result<bool, TooMany> {
        let process = self.system.processes.iter().next().expect("an XSTS has a process");
        self.explore(&mut |regions, at, point| {
            if process.locations[at].observed && regions.holds(target, point) {
                return Ok(true);
            }
            for edge in process.edges.iter().filter(|edge| edge.source == at) {
                if let Some(fault) = edge.update.fault
                    && regions.holds(edge.guard, point)
                    && !regions.executions(fault, point.clone())?.is_empty()
                {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
    /// Calls `visit` on a point of every reachable region, until it answers `true`; whether it did.
    pub fn explore(
        &mut self,
        visit: &mut dyn FnMut(&mut Self, LocationId, &Point) -> Result<bool, TooMany>,
    ) -> Result<bool, TooMany> {
        let process = self.system.processes.iter().next().expect("an XSTS has a process");
        assert!(process.locations.iter().all(|location| location.kind != LocationKind::Normal));
        let start = process.initial.expect("an initial location");
        let mut seen = HashSet::new();
        let mut waiting: Vec<(LocationId, Point)> =
            self.initial()?.into_iter().map(|point| (start, point)).collect();
        while let Some((at, point)) = waiting.pop() {
            if !seen.insert((at, self.region(&point))) {
                continue;
            }
            if visit(self, at, &point)? {
                return Ok(true);
            }
            for edge in process.edges.iter().filter(|edge| edge.source == at) {
                if self.holds(edge.guard, &point) {
                    let ends = self.run(edge.update.stmt, point.clone())?;
                    waiting.extend(ends.into_iter().map(|next| (edge.target, next)));
                }
            }
        }
        Ok(false)
    }
    /// Where operations on clocks lead, one point for each region.
    pub fn operations(&mut self, ops: &[Op], point: Point) -> Result<Vec<Point>, TooMany> {
        let mut points = vec![point];
        for op in ops {
            self.spend(points.len())?;
            points = points.into_iter().flat_map(|point| self.operation(*op, point)).collect();
        }
        Ok(points)
    }
    fn operation(&self, op: Op, mut point: Point) -> Vec<Point> {
        let value = |clock: u32| if clock == 0 { 0 } else { point.clocks[clock as usize - 1] };
        match op {
            Op::Constrain(Constraint { left, right, bound }) => {
                let holds = bound.admits(value(left) - value(right), self.unit());
                if holds { vec![point] } else { vec![] }
            }
            Op::Reset(clock, value) => {
                point.clocks[clock as usize - 1] = value * self.unit();
                vec![self.with_clocks(point)]
            }
            Op::Delay => self.later(&point),
            Op::Copy(..) | Op::Free(_) => unreachable!("no such thing can be done with a clock here"),
        }
    }
    /// The data of one point with the clocks of another.
    pub fn combined(&self, data: &Point, time: &Point) -> Point {
        self.with_clocks(Point { values: data.values.clone(), clocks: time.clocks.clone() })
    }
    /// The initial states: clocks at 0, given values in order, all values of what is not given.
    fn initial(&mut self) -> Result<Vec<Point>, TooMany> {
        let open = Point { values: vec![None; self.system.vars.len()], clocks: vec![0; self.clocks.len()] };
        let mut points = vec![self.with_clocks(open)];
        let given = |var: VarId| self.system.initial.iter().any(|(other, _)| *other == var);
        let data = self.system.state_vars().filter(|var| !self.clocks.contains(var) && !given(*var));
        for var in data.collect::<Vec<_>>() {
            points = points.into_iter().flat_map(|point| self.any(var, point)).collect();
            self.spend(points.len())?;
        }
        for (var, value) in &self.system.initial {
            for point in &mut points {
                let value = self.value(*value, point);
                point.values[var.index()] = Some(value);
            }
        }
        Ok(points)
    }
    fn spend(&mut self, amount: usize) -> Result<(), TooMany> {
        self.fuel = self.fuel.checked_sub(amount).ok_or(TooMany)?;
        Ok(())
    }
    fn unit(&self) -> i64 {
        2 * (self.clocks.len() as i64 + 1)
    }
    fn value(&self, term: Term, point: &Point) -> Value {
        eval(&self.system.terms, point, term).expect("nothing is read before it has a value").into_owned()
    }
    fn holds(&self, condition: Term, point: &Point) -> bool {
        self.value(condition, point).as_bool()
    }
    /// The values of the clocks from their units.
    fn with_clocks(&self, mut point: Point) -> Point {
        let unit = Int::from(self.unit());
        for (clock, units) in self.clocks.iter().zip(&point.clocks) {
            let value = Rat::new(&Int::from(*units), &unit).expect("a unit is not zero");
            point.values[clock.index()] = Some(Value::rat(value));
        }
        point
    }
    /// Every value of a variable; integers are bounded by 0 and 2 right after that.
    fn any(&self, var: VarId, point: Point) -> Vec<Point> {
        let ty = self.system.terms.var_type(var);
        let types = self.system.types();
        let values: Vec<Value> = match ty {
            Type::Int => (0..3).map(Value::int).collect(),
            _ => (0..types.cardinality(ty).expect("a finite type"))
                .filter_map(|at| types.nth(ty, at))
                .collect(),
        };
        let with = |value: Value| {
            let mut point = point.clone();
            point.values[var.index()] = Some(value);
            point
        };
        values.into_iter().map(with).collect()
    }
    /// All executions of a statement; what locals are afterwards is forgotten.
    pub fn run(&mut self, stmt: Stmt, point: Point) -> Result<Vec<Point>, TooMany> {
        let mut ends = self.executions(stmt, point)?;
        for (var, _) in self.system.vars.entries().filter(|(_, variable)| variable.scope == Scope::Local) {
            ends.iter_mut().for_each(|end| end.values[var.index()] = None);
        }
        Ok(ends)
    }
    /// Where executions of a statement end, one point for each region.
    fn executions(&mut self, stmt: Stmt, point: Point) -> Result<Vec<Point>, TooMany> {
        self.spend(1)?;
        let terms = &self.system.terms;
        Ok(match terms.stmt(stmt).clone() {
            StmtNode::Skip => vec![point],
            StmtNode::Assume(condition) => {
                if self.holds(condition, &point) {
                    vec![point]
                } else {
                    vec![]
                }
            }
            StmtNode::Assign(var, value) => {
                let value = self.value(value, &point);
                let mut point = point;
                match self.clocks.iter().position(|clock| *clock == var) {
                    Some(clock) => {
                        point.clocks[clock] =
                            value.as_int().to_i64().expect("a small constant") * self.unit();
                        point = self.with_clocks(point);
                    }
                    None => point.values[var.index()] = Some(value),
                }
                vec![point]
            }
            StmtNode::Havoc(var) => self.any(var, point),
            StmtNode::Delay => self.later(&point),
            StmtNode::Seq(list) => {
                let mut points = vec![point];
                for part in list {
                    let mut next = vec![];
                    for point in points {
                        next.extend(self.executions(part, point)?);
                    }
                    points = next;
                }
                points
            }
            StmtNode::Choice(list) => {
                let mut ends = vec![];
                for part in list {
                    ends.extend(self.executions(part, point.clone())?);
                }
                ends
            }
            StmtNode::If(condition, then, otherwise) => {
                let side = if self.holds(condition, &point) { then } else { otherwise };
                self.executions(side, point)?
            }
            StmtNode::For { var, from, to, body } => {
                let bound = |term| self.value(term, &point).as_int().to_i64().expect("a small bound");
                let (from, to) = (bound(from), bound(to));
                let mut points = vec![point];
                for round in from..to {
                    let mut next = vec![];
                    for mut point in points {
                        point.values[var.index()] = Some(Value::int(round));
                        next.extend(self.executions(body, point)?);
                    }
                    points = next;
                }
                points
            }
            StmtNode::While(..) => unreachable!("no such loops in this language"),
        })
    }
    /// A point of every region on the way when time passes, this one included.
    fn later(&self, point: &Point) -> Vec<Point> {
        let unit = self.unit();
        let mut moments = vec![0];
        for value in &point.clocks {
            moments.extend((0..=2 * MOST).map(|k| k * unit - value).filter(|wait| *wait > 0));
        }
        moments.sort_unstable();
        moments.dedup();
        let mut ends = vec![];
        for (number, moment) in moments.iter().enumerate() {
            let next = moments.get(number + 1).copied().unwrap_or(moment + unit);
            assert!(next - moment >= 2, "there is a moment in between");
            for wait in [*moment, moment + (next - moment) / 2] {
                let mut later = point.clone();
                later.clocks.iter_mut().for_each(|clock| *clock += wait);
                later.clocks = self.respaced(&later.clocks);
                ends.push(self.with_clocks(later));
            }
        }
        ends
    }
    /// The same region with even fractions, so that there is always a moment in between.
    fn respaced(&self, clocks: &[i64]) -> Vec<i64> {
        let unit = self.unit();
        let mut fractions: Vec<i64> = clocks.iter().map(|clock| clock % unit).chain([0]).collect();
        fractions.sort_unstable();
        fractions.dedup();
        let rank = |clock: &i64| fractions.binary_search(&(clock % unit)).expect("listed above") as i64;
        clocks.iter().map(|clock| clock / unit * unit + 2 * rank(clock)).collect()
    }
    /// What is the same for two points exactly if they behave alike: differences matter up to the greatest
    /// constant, and so a clock does up to twice that, where it is apart from any that is set.
    pub fn region(&self, point: &Point) -> Region {
        let unit = self.unit();
        let most = 2 * MOST * unit;
        let known: Vec<i64> =
            point.clocks.iter().map(|clock| if *clock > most { most + unit } else { *clock }).collect();
        let mut differences = vec![];
        for a in &point.clocks {
            for b in &point.clocks {
                let (whole, rest) = ((a - b).div_euclid(unit), (a - b).rem_euclid(unit));
                differences.push((2 * whole + i64::from(rest > 0)).clamp(-2 * MOST - 1, 2 * MOST + 1));
            }
        }
        let mut data = point.values.clone();
        self.clocks.iter().for_each(|clock| data[clock.index()] = None);
        (data, self.respaced(&known), differences)
    }
}
