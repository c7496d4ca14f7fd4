//! The ways through a statement, followed one by one.
//!
//! A statement is followed where clocks are touched; everything else stays as it is. A condition over clocks
//! and data is brought into disjunctive form, `b := x > 3` becomes a branching, a bound that depends on data,
//! of a clock or of a loop, is told apart by the values it has, and what a path has learnt of single values
//! cuts other conditions. Wherever branches join, those with the same operations become one, whose data
//! branch: there are never more paths than sequences of operations.

use indexmap::IndexMap;
use indexmap::map::Entry;
use ir::{
    ClockAtom, Cube, Int, NamedVar, NoCubes, Node, Steps, Stmt, StmtNode, System, Term, Terms, Type,
    Valuation, Value, VarId, cubes,
};
use rustc_hash::FxBuildHasher;
use smt::Solver;
use smt::services::all_values;
use smt::z3::Z3Solver;
use zones::{Bound, Constraint, Op, Overflow, dbm};

use super::{Alternative, Clocks, MOST, Touching};
use crate::answer::Reason;
use crate::cause::Unsupported;
use crate::cegar::cx::is;
use crate::stop::Stop;
use crate::zone::outgrown;

/// A bound that depends on a variable with more values than this is not split by them.
const MOST_VALUES: i64 = 256;

/// Why there are no alternatives.
pub(super) enum No {
    /// There are more than [`MOST`].
    TooMany,
    Other(Reason),
}

impl From<Reason> for No {
    fn from(reason: Reason) -> Self {
        No::Other(reason)
    }
}

/// The alternatives of some statements together, one for each sequence of operations.
pub(super) fn alternatives(
    (clocks, touching): (&Clocks, &mut Touching),
    system: &mut System,
    stmts: &[Stmt],
    (solver, stop): (&Z3Solver, &Stop),
) -> Result<Vec<Alternative>, No> {
    let mut zone = vec![Bound::INFINITY; dbm::len(clocks.dim())];
    dbm::init_universe(&mut zone, clocks.dim());
    let data = system.terms.skip();
    let start = Path { ops: vec![], before: data, data, known: Valuation::default(), zone };
    let mut work = Work { clocks, touching, system, solver, stop };
    let mut paths = vec![];
    for stmt in stmts {
        paths.extend(work.after(start.clone(), *stmt)?);
    }
    let paths = work.merged(paths)?;
    Ok(paths.into_iter().map(|path| Alternative { ops: path.ops.into(), data: path.data }).collect())
}

/// One statement being split.
struct Work<'a> {
    clocks: &'a Clocks,
    touching: &'a mut Touching,
    system: &'a mut System,
    solver: &'a Z3Solver,
    stop: &'a Stop,
}

impl Work<'_> {
    /// What becomes of a path by a statement; no two have the same operations.
    fn after(&mut self, path: Path, stmt: Stmt) -> Result<Vec<Path>, No> {
        if self.stop.requested() {
            return Err(self.stop.reason().into());
        }
        // What a branch does is kept apart from what was done before it.
        let terms = &mut self.system.terms;
        let (start, before) = (path.before, path.data);
        let inner = Path { before: terms.seq([start, before]), data: terms.skip(), ..path };
        let paths = ir::deep(|| self.step(inner, stmt))?;
        let mut paths = self.merged(paths)?;
        for path in &mut paths {
            path.before = start;
            path.data = self.system.terms.seq([before, path.data]);
        }
        Ok(paths)
    }
    /// The same paths, with one for each sequence of operations.
    fn merged(&mut self, paths: Vec<Path>) -> Result<Vec<Path>, No> {
        let terms = &mut self.system.terms;
        if paths.len() < 2 {
            return Ok(paths);
        }
        let mut list: IndexMap<Vec<Op>, (Path, Vec<Stmt>), FxBuildHasher> = IndexMap::default();
        for path in paths.into_iter().filter(|path| !terms.is_block(path.data)) {
            match list.entry(path.ops.clone()) {
                Entry::Vacant(place) => {
                    let data = vec![path.data];
                    place.insert((path, data));
                }
                Entry::Occupied(mut place) => {
                    let (first, data) = place.get_mut();
                    first.known.retain(|var, value| path.known.get(var) == Some(value));
                    data.push(path.data);
                }
            }
        }
        if list.len() > MOST {
            return Err(No::TooMany);
        }
        let whole = |(path, data): (Path, Vec<Stmt>)| Path { data: terms.choice(data), ..path };
        Ok(list.into_values().map(whole).collect())
    }
    /// As [`Work::after`], but with repetitions.
    fn step(&mut self, mut path: Path, stmt: Stmt) -> Result<Vec<Path>, No> {
        let dim = self.clocks.dim();
        let terms = &mut self.system.terms;
        if !self.touching.clocks(terms, stmt) {
            let data = ir::simplify(terms, stmt, &mut path.known);
            path.data = terms.seq([path.data, data]);
            return Ok(if terms.is_block(data) { vec![] } else { vec![path] });
        }
        match terms.stmt(stmt).clone() {
            StmtNode::Seq(list) => {
                let mut paths = vec![path];
                for part in list {
                    let mut next = vec![];
                    for path in paths {
                        next.extend(self.after(path, part)?);
                    }
                    paths = self.merged(next)?;
                }
                Ok(paths)
            }
            StmtNode::Choice(list) => {
                let (timed, rest): (Vec<Stmt>, Vec<Stmt>) =
                    list.iter().partition(|branch| self.touching.clocks(terms, **branch));
                let rest = (!rest.is_empty()).then(|| terms.choice(rest));
                let mut paths = vec![];
                for branch in rest.into_iter().chain(timed) {
                    paths.extend(self.after(path.clone(), branch)?);
                }
                Ok(paths)
            }
            StmtNode::If(condition, yes, no) => self.branch(path, condition, yes, no),
            StmtNode::Assume(condition) => self.assume(path, condition),
            StmtNode::Assign(var, value) => self.assign(path, (stmt, var, value)),
            StmtNode::Delay => {
                // Also behind another one, which does the same: a run has a moment for each.
                path.operate(dim, Op::Delay)?;
                Ok(vec![path])
            }
            StmtNode::For { .. } | StmtNode::While(..) => {
                let unrolled = ir::simplify(terms, stmt, &mut path.known.clone());
                match *terms.stmt(unrolled) {
                    StmtNode::For { var, from, to, body } => {
                        self.rounds(path, unrolled, (var, from, to, body))
                    }
                    StmtNode::While(..) => Err(endless(self.system, unrolled).into()),
                    _ => self.after(path, unrolled),
                }
            }
            StmtNode::Havoc(var) => {
                let clock = NamedVar::of(self.system, var);
                Err(Reason::from(Unsupported::ClockHavoc { clock }).into())
            }
            StmtNode::Skip => Ok(vec![path]),
        }
    }
    /// A loop whose bounds depend on data, for each value that these have.
    fn rounds(
        &mut self,
        path: Path,
        stmt: Stmt,
        (var, from, to, body): (VarId, Term, Term, Stmt),
    ) -> Result<Vec<Path>, No> {
        let is_known = |term: Term| self.system.terms.as_const(term).is_some();
        if is_known(from) && is_known(to) {
            // With so many rounds that it was not unrolled.
            return Err(endless(self.system, stmt).into());
        }
        let mut ways = vec![];
        for (path, first) in self.by_value(path, from).map_err(|no| self.unless_few(no, stmt))? {
            for (path, end) in self.by_value(path, to).map_err(|no| self.unless_few(no, stmt))? {
                ways.push((path, first, end));
            }
        }
        let mut paths = vec![];
        for (path, first, end) in ways {
            let terms = &mut self.system.terms;
            let (first, end) = (terms.int(first), terms.int(end));
            let counted = terms.for_loop(var, first, end, body);
            paths.extend(self.after(path, counted)?);
        }
        Ok(paths)
    }
    /// What stands in the way of a loop that has too many numbers of rounds.
    fn unless_few(&self, no: No, stmt: Stmt) -> No {
        match no {
            No::Other(Reason::Unsupported(_)) => endless(self.system, stmt).into(),
            no => no,
        }
    }
    fn branch(&mut self, path: Path, condition: Term, yes: Stmt, no: Stmt) -> Result<Vec<Path>, No> {
        let condition = self.system.terms.substitute(condition, &path.known);
        let negation = self.system.terms.not(condition);
        if self.system.terms.has_clock(condition) {
            let mut paths = vec![];
            for (condition, side) in [(condition, yes), (negation, no)] {
                for path in self.assume(path.clone(), condition)? {
                    paths.extend(self.after(path, side)?);
                }
            }
            return Ok(paths);
        }
        // Sides with the same operations stay a branching.
        let mut sides: IndexMap<Vec<Op>, [Option<Path>; 2], FxBuildHasher> = IndexMap::default();
        for (at, (condition, side)) in [(condition, yes), (negation, no)].into_iter().enumerate() {
            let mut here = path.clone();
            if here.data(&mut self.system.terms, &[condition]) {
                here.data = path.data;
                for path in self.after(here, side)? {
                    let side = &mut sides.entry(path.ops.clone()).or_default()[at];
                    *side = Some(path);
                }
            }
        }
        let terms = &mut self.system.terms;
        let join = |sides: [Option<Path>; 2]| {
            let block = terms.block();
            let data = sides.each_ref().map(|side| side.as_ref().map_or(block, |path| path.data));
            let data = terms.branch(condition, data[0], data[1]);
            let both = sides[0].is_some() && sides[1].is_some();
            let mut found = sides.into_iter().flatten();
            let mut path = found.next().expect("one of them");
            if both && let Some(other) = found.next() {
                path.known.retain(|var, value| other.known.get(var) == Some(value));
            }
            Path { data, ..path }
        };
        Ok(sides.into_values().map(join).collect())
    }
    /// One condition after the other, so that what cannot hold together is found early.
    fn assume(&mut self, path: Path, condition: Term) -> Result<Vec<Path>, No> {
        let (mut open, mut list) = (vec![condition], vec![]);
        let terms = &mut self.system.terms;
        while let Some(next) = open.pop() {
            match terms.node(next).clone() {
                Node::And(parts) => open.extend(parts.iter().rev()),
                Node::Not(inner) => match terms.node(inner).clone() {
                    Node::Or(parts) => open.extend(parts.iter().rev().map(|part| terms.not(*part))),
                    _ => list.push(next),
                },
                _ => list.push(next),
            }
        }
        list.sort_by_key(|part| terms.has_clock(*part));
        let mut paths = vec![path];
        for condition in list {
            let mut next = vec![];
            for path in paths {
                next.extend(self.assume_one(path, condition)?);
            }
            paths = self.merged(next)?;
        }
        Ok(paths)
    }
    fn assume_one(&mut self, path: Path, condition: Term) -> Result<Vec<Path>, No> {
        let terms = &mut self.system.terms;
        let condition = terms.substitute(condition, &path.known);
        let list = cubes(terms, condition).map_err(|why| match why {
            NoCubes::TooMany => No::TooMany,
            NoCubes::Term(term) => not_a_difference(self.system, term).into(),
        })?;
        // Where data suffice, clocks need not be looked at.
        let terms = &mut self.system.terms;
        let (mut clocks, data): (Vec<Cube>, Vec<Cube>) =
            list.into_iter().partition(|cube| !cube.clocks.is_empty());
        let data: Vec<Term> = data.into_iter().map(|cube| terms.and(cube.data)).collect();
        let suffices = terms.or(data);
        let otherwise = terms.not(suffices);
        clocks.iter_mut().for_each(|cube| cube.data.push(otherwise));
        let mut paths = self.cube(path.clone(), Cube { clocks: vec![], data: vec![suffices] })?;
        for cube in clocks {
            paths.extend(self.cube(path.clone(), cube)?);
        }
        Ok(paths)
    }
    fn cube(&mut self, mut path: Path, cube: Cube) -> Result<Vec<Path>, No> {
        let dim = self.clocks.dim();
        if !path.data(&mut self.system.terms, &cube.data) {
            return Ok(vec![]);
        }
        let mut paths = vec![path];
        for atom in &cube.clocks {
            let mut next = vec![];
            for path in paths {
                for (mut path, constant) in self.by_value(path, atom.bound)? {
                    let constraint =
                        constraint(self.clocks, *atom, constant).map_err(|Overflow| outgrown())?;
                    if path.constrain(dim, constraint)? {
                        next.push(path);
                    }
                }
            }
            paths = next;
        }
        Ok(paths)
    }
    fn assign(&mut self, mut path: Path, (stmt, var, value): (Stmt, VarId, Term)) -> Result<Vec<Path>, No> {
        let dim = self.clocks.dim();
        let clocks = self.clocks;
        let terms = &mut self.system.terms;
        let value = terms.substitute(value, &path.known);
        let Some(clock) = clocks.number(var) else {
            let cases = self.system.assign_by_cases(var, value);
            return match cases == stmt {
                true => Err(not_a_difference(self.system, value).into()),
                false => self.after(path, cases),
            };
        };
        if let Node::Var(other, 0) = *terms.node(value)
            && let Some(other) = clocks.number(other)
        {
            path.operate(dim, Op::Copy(clock, other))?;
            return Ok(vec![path]);
        }
        if terms.has_clock(value) {
            return Err(not_a_difference(self.system, value).into());
        }
        let mut paths = vec![];
        for (mut path, constant) in self.by_value(path, value)? {
            if constant < 0 {
                return Err(not_a_difference(self.system, value).into());
            }
            path.operate(dim, Op::Reset(clock, constant))?;
            paths.push(path);
        }
        Ok(paths)
    }
    /// The path for each value of a term over data: as it stands, by the values of a variable, or by those that
    /// a solver finds it to have after what was done before.
    fn by_value(&mut self, path: Path, term: Term) -> Result<Vec<(Path, i64)>, No> {
        let term = self.system.terms.substitute(term, &path.known);
        if let Some(constant) = integer(&self.system.terms, term)? {
            return Ok(vec![(path, constant)]);
        }
        let vars = self.system.terms.vars_of(term);
        let mut ways = vec![];
        let few = vars.iter().find_map(|var| Some((*var, values(self.system, *var)?)));
        if let Some((var, list)) = few {
            for value in list {
                let mut way = path.clone();
                let value = self.system.terms.constant(value);
                let fact = is(&mut self.system.terms, var, value);
                if way.data(&mut self.system.terms, &[fact]) {
                    ways.extend(self.by_value(way, term)?);
                }
            }
            return Ok(ways);
        }
        for value in self.values_after(&path, term)? {
            let mut way = path.clone();
            let value = self.system.terms.constant(value);
            let fact = self.system.terms.eq(term, value);
            let constant = integer(&self.system.terms, value)?.expect("a constant");
            if way.data(&mut self.system.terms, &[fact]) {
                ways.push((way, constant));
            }
        }
        Ok(ways)
    }
    /// The values that a term can have at the end of a path, if they are few.
    fn values_after(&mut self, path: &Path, term: Term) -> Result<Vec<Value>, No> {
        let terms = &mut self.system.terms;
        let (data, mut after) = (terms.seq([path.before, path.data]), Steps::start());
        let mut list = vec![];
        if let Ok(formula) = ir::unfold(terms, data, &mut after) {
            let mut solver = self.solver.sibling().map_err(Reason::from)?;
            solver.assert(terms, formula, &Steps::start()).map_err(Reason::from)?;
            all_values(&mut solver, terms, &[], &[term], &after, &mut |row| {
                list.extend(row.iter().cloned());
                list.len() as i64 <= MOST_VALUES && !self.stop.requested()
            })
            .map_err(Reason::from)?;
            if self.stop.requested() {
                return Err(self.stop.reason().into());
            }
            if list.len() as i64 <= MOST_VALUES {
                list.sort_unstable();
                return Ok(list);
            }
        }
        let vars = self.system.terms.vars_of(term);
        let depends_on = vars.iter().map(|var| NamedVar::of(self.system, *var)).collect();
        Err(Reason::from(Unsupported::ManyBounds { depends_on, most: MOST_VALUES as u64 }).into())
    }
}

/// A path under way.
#[derive(Clone)]
struct Path {
    ops: Vec<Op>,
    /// What was done to data before the part that is being followed,
    before: Stmt,
    /// and what that has done so far.
    data: Stmt,
    /// What is known of single variables.
    known: Valuation,
    /// What the operations lead to from anywhere.
    zone: Vec<Bound>,
}

impl Path {
    /// Adds an operation; `false` if nothing is left.
    fn operate(&mut self, dim: usize, op: Op) -> Result<bool, Reason> {
        self.ops.push(op);
        zones::post(&mut self.zone, dim, &[op]).map_err(|Overflow| outgrown())
    }
    /// Adds a constraint, unless it is implied; `false` if nothing is left. Constraints in a row are in order,
    /// and the strictest of a kind stands for all of them.
    fn constrain(&mut self, dim: usize, constraint: Constraint) -> Result<bool, Reason> {
        if dbm::satisfies(&self.zone, dim, constraint) {
            return Ok(true);
        }
        let after = self.ops.iter().rposition(|op| !matches!(op, Op::Constrain(_))).map_or(0, |at| at + 1);
        let possible = self.operate(dim, Op::Constrain(constraint))?;
        let cell = |op: &Op| match op {
            Op::Constrain(constraint) => (constraint.left, constraint.right),
            _ => unreachable!("only constraints come after the last other operation"),
        };
        let weaker = self.ops[after..self.ops.len() - 1]
            .iter()
            .position(|op| cell(op) == cell(&Op::Constrain(constraint)));
        if let Some(weaker) = weaker {
            self.ops.remove(after + weaker);
        }
        self.ops[after..].sort_by_key(cell);
        Ok(possible)
    }
    /// Adds conditions on data; `false` if they cannot hold.
    fn data(&mut self, terms: &mut Terms, conditions: &[Term]) -> bool {
        conditions.iter().all(|condition| {
            let stmt = terms.assume(*condition);
            let stmt = ir::simplify(terms, stmt, &mut self.known);
            self.data = terms.seq([self.data, stmt]);
            !terms.is_block(stmt)
        })
    }
}

/// A constant of whole numbers.
fn integer(terms: &Terms, term: Term) -> Result<Option<i64>, Reason> {
    match terms.as_const(term) {
        None => Ok(None),
        Some(value) => {
            let value = value.as_rat();
            let whole = (value.denominator() == Int::ONE).then(|| value.numerator().to_i64()).flatten();
            whole.map(Some).ok_or_else(outgrown)
        }
    }
}

/// All values of a variable, if they are few.
fn values(system: &System, var: VarId) -> Option<Vec<Value>> {
    match system.terms.var_type(var) {
        Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Int => {
            let (low, high) = system.vars[var].range.as_ref()?;
            let (low, high) = (low.to_i64()?, high.to_i64()?);
            (high.checked_sub(low)? < MOST_VALUES).then(|| (low..=high).map(Value::int).collect())
        }
        _ => None,
    }
}

fn constraint(clocks: &Clocks, atom: ClockAtom, constant: i64) -> Result<Constraint, Overflow> {
    let number = |clock: Option<VarId>| clock.and_then(|clock| clocks.number(clock)).unwrap_or(0) as usize;
    Ok(Constraint::new(number(atom.plus), number(atom.minus), Bound::new(constant, atom.strict)?))
}

pub(super) fn endless(system: &System, stmt: Stmt) -> Reason {
    let terms = &system.terms;
    let mut vars = vec![];
    terms.stmt(stmt).for_each_term(|term| vars.extend(terms.vars_of(term)));
    Unsupported::ClockLoop { depends_on: NamedVar::shown(system, vars) }.into()
}

pub(super) fn not_a_difference(system: &System, term: Term) -> Reason {
    Unsupported::NotADifference { term: system.show(term).to_string() }.into()
}
