//! Control flow splitting: a statement as alternatives that treat time and data apart.
//!
//! An alternative is a sequence of operations on clocks and a statement over data; it stands for the
//! executions that do both. A statement is followed path by path where clocks are touched; everything else
//! stays as it is. A condition over clocks and data is brought into disjunctive form, `b := x > 3` becomes a
//! branching, and what a path has learnt of single values cuts other conditions. In the end, alternatives with
//! the same operations become one, whose data is a choice.
//!
//! The executions of the alternatives together are those of the statement: from every state, some execution
//! of the statement leads to another one iff for some alternative the operations lead from its clocks to
//! those of the other, and the statement from its data to that of the other. See section 5.2 of Cziborová,
//! *Abstraction-based timed model checking for software-intensive system models*, 2023, where flags and a
//! solver enumerate the same.

use indexmap::IndexMap;
use ir::{
    ClockAtom, Cube, Int, NoCubes, Stmt, StmtNode, System, Term, Terms, Type, Valuation, Value, VarId, cubes,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use zones::{Bound, Constraint, Op, Overflow, dbm};

use crate::answer::Reason;
use crate::stop::Stop;
use crate::zone::outgrown;

/// Executions of a statement: what they do to clocks, and what they do to data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// On clocks, numbered from 1 in the order of the system.
    pub ops: Box<[Op]>,
    /// Without clocks and delays.
    pub data: Stmt,
}

/// Splits the statements of one system.
pub struct Splitter {
    /// The number of every clock.
    clocks: FxHashMap<VarId, u32>,
    /// Whether statements touch clocks.
    timed: FxHashMap<Stmt, bool>,
}

/// Paths of one statement, ended or not, before it is given up.
const MOST_PATHS: usize = 1 << 14;
/// A bound that depends on a variable with more values than this is not split by them.
const MOST_VALUES: i64 = 256;

impl Splitter {
    /// For the clocks of `system`.
    pub fn new(system: &System) -> Self {
        let clocks = system.clocks().zip(1..).collect();
        Splitter { clocks, timed: FxHashMap::default() }
    }
    /// Clocks plus one.
    pub fn dim(&self) -> usize {
        self.clocks.len() + 1
    }
    /// The alternatives of a statement.
    pub fn split(&mut self, system: &mut System, stmt: Stmt, stop: &Stop) -> Result<Vec<Alternative>, Reason> {
        let mut zone = vec![Bound::INFINITY; dbm::len(self.dim())];
        dbm::init_universe(&mut zone, self.dim());
        let start = Path { todo: vec![stmt], ops: vec![], data: vec![], known: Valuation::default(), zone };
        let mut open = vec![start];
        let mut done: IndexMap<Box<[Op]>, Vec<Stmt>, FxBuildHasher> = IndexMap::default();
        let mut count = 0;
        while let Some(mut path) = open.pop() {
            if stop.requested() {
                return Err(stop.reason());
            }
            while let Some(next) = path.todo.pop() {
                let mut ways = self.step(system, path, next)?;
                let Some(first) = ways.pop() else {
                    path = Path::default();
                    break;
                };
                path = first;
                count += ways.len();
                open.append(&mut ways);
                if count > MOST_PATHS {
                    return Err(too_many());
                }
            }
            if !path.zone.is_empty() {
                let data = system.terms.seq(path.data);
                done.entry(path.ops.into()).or_default().push(data);
            }
        }
        let merged = done.into_iter().map(|(ops, data)| Alternative { ops, data: system.terms.choice(data) });
        let alternatives: Vec<Alternative> = merged.collect();
        if cfg!(debug_assertions) {
            alternatives.iter().for_each(|one| assert!(!self.is_timed(&system.terms, one.data), "data only"));
        }
        Ok(alternatives)
    }
    /// Whether a statement touches clocks.
    fn is_timed(&mut self, terms: &Terms, stmt: Stmt) -> bool {
        if let Some(known) = self.timed.get(&stmt) {
            return *known;
        }
        let mut list = vec![];
        terms.for_each_substmt(stmt, |part| list.push(part));
        for part in list {
            let node = terms.stmt(part);
            let mut timed = *node == StmtNode::Delay;
            timed |= node.written().is_some_and(|var| terms.var_type(var) == Type::Clock);
            node.for_each_term(|term| timed |= terms.has_clock(term));
            node.for_each_child(|child| timed |= self.timed[&child]);
            self.timed.insert(part, timed);
        }
        self.timed[&stmt]
    }

    /// The path with one statement more; several where it branches, the first one last.
    fn step(&mut self, system: &mut System, mut path: Path, stmt: Stmt) -> Result<Vec<Path>, Reason> {
        let terms = &mut system.terms;
        if !self.is_timed(terms, stmt) {
            let data = ir::simplify(terms, stmt, &mut path.known);
            if terms.is_block(data) {
                return Ok(vec![]);
            }
            path.data.push(data);
            return Ok(vec![path]);
        }
        match terms.stmt(stmt).clone() {
            StmtNode::Seq(list) => {
                path.todo.extend(list.iter().rev());
                Ok(vec![path])
            }
            StmtNode::Choice(list) => {
                let (timed, rest): (Vec<Stmt>, Vec<Stmt>) =
                    list.iter().partition(|branch| self.is_timed(terms, **branch));
                let rest = (!rest.is_empty()).then(|| terms.choice(rest));
                let branches = timed.into_iter().chain(rest).rev();
                Ok(branches.map(|branch| path.clone().with(branch)).collect())
            }
            StmtNode::If(condition, yes, no) => {
                let negation = terms.not(condition);
                let (yes, no) = (path.clone().with(yes), path.with(no));
                let mut ways = self.assume(system, no, negation)?;
                ways.extend(self.assume(system, yes, condition)?);
                Ok(ways)
            }
            StmtNode::Assume(condition) => self.assume(system, path, condition),
            StmtNode::Assign(var, value) => self.assign(system, path, (stmt, var, value)),
            StmtNode::Delay => {
                // Two in a row are like one.
                if path.ops.last() != Some(&Op::Delay) {
                    path.operate(self.dim(), Op::Delay)?;
                }
                Ok(vec![path])
            }
            StmtNode::For { .. } | StmtNode::While(..) => {
                let unrolled = ir::simplify(terms, stmt, &mut path.known.clone());
                match terms.stmt(unrolled) {
                    StmtNode::For { .. } | StmtNode::While(..) => Err(endless()),
                    _ => Ok(vec![path.with(unrolled)]),
                }
            }
            StmtNode::Havoc(var) => Err(Reason::Unsupported(format!(
                "any value for clock `{}` with `--engine combined`; `--clockstrategy RAT_ENCODE` handles it",
                system.vars[var].name
            ))),
            StmtNode::Skip => Ok(vec![path]),
        }
    }
    fn assume(&mut self, system: &mut System, path: Path, condition: Term) -> Result<Vec<Path>, Reason> {
        let terms = &mut system.terms;
        let condition = terms.substitute(condition, &path.known);
        let list = cubes(terms, condition).map_err(|why| match why {
            NoCubes::TooMany => too_many(),
            NoCubes::Term(term) => not_a_difference(system, term),
        })?;
        let mut ways = vec![];
        for cube in list.into_iter().rev() {
            ways.extend(self.cube(system, path.clone(), cube)?);
        }
        Ok(ways)
    }
    fn cube(&mut self, system: &mut System, mut path: Path, cube: Cube) -> Result<Vec<Path>, Reason> {
        if !path.data(&mut system.terms, &cube.data) {
            return Ok(vec![]);
        }
        for (at, atom) in cube.clocks.iter().enumerate() {
            let bound = system.terms.substitute(atom.bound, &path.known);
            let Some(constant) = integer(&system.terms, bound)? else {
                let rest = Cube { clocks: cube.clocks[at..].to_vec(), data: vec![] };
                let mut ways = vec![];
                for way in by_value(system, &path, bound)? {
                    ways.extend(self.cube(system, way, rest.clone())?);
                }
                return Ok(ways);
            };
            let constraint = self.constraint(*atom, constant).map_err(|Overflow| outgrown())?;
            if !dbm::satisfies(&path.zone, self.dim(), constraint)
                && !path.operate(self.dim(), Op::Constrain(constraint))?
            {
                return Ok(vec![]);
            }
        }
        Ok(vec![path])
    }
    fn constraint(&self, atom: ClockAtom, constant: i64) -> Result<Constraint, Overflow> {
        let number = |clock: Option<VarId>| clock.map_or(0, |clock| self.clocks[&clock] as usize);
        Ok(Constraint::new(number(atom.plus), number(atom.minus), Bound::new(constant, atom.strict)?))
    }
    fn assign(
        &mut self,
        system: &mut System,
        mut path: Path,
        (stmt, var, value): (Stmt, VarId, Term),
    ) -> Result<Vec<Path>, Reason> {
        let terms = &mut system.terms;
        let value = terms.substitute(value, &path.known);
        let Some(clock) = self.clocks.get(&var).copied() else {
            let cases = terms.assign_by_cases(var, value);
            return match cases == stmt {
                true => Err(not_a_difference(system, value)),
                false => Ok(vec![path.with(cases)]),
            };
        };
        if let ir::Node::Var(other, 0) = *terms.node(value)
            && let Some(other) = self.clocks.get(&other).copied()
        {
            path.operate(self.dim(), Op::Copy(clock, other))?;
            return Ok(vec![path]);
        }
        if terms.has_clock(value) {
            return Err(not_a_difference(system, value));
        }
        match integer(terms, value)? {
            Some(constant) if constant < 0 => Err(not_a_difference(system, value)),
            Some(constant) => {
                path.operate(self.dim(), Op::Reset(clock, constant))?;
                Ok(vec![path])
            }
            None => {
                let ways = by_value(system, &path, value)?;
                Ok(ways.into_iter().map(|way| way.with(stmt)).collect())
            }
        }
    }
}

/// A path under way.
#[derive(Clone, Default)]
struct Path {
    /// What is still to come, the next one last.
    todo: Vec<Stmt>,
    ops: Vec<Op>,
    data: Vec<Stmt>,
    known: Valuation,
    /// What the operations lead to from anywhere; no bounds once that is nothing.
    zone: Vec<Bound>,
}

impl Path {
    fn with(mut self, next: Stmt) -> Self {
        self.todo.push(next);
        self
    }
    /// Adds an operation; `false` if nothing is left.
    fn operate(&mut self, dim: usize, op: Op) -> Result<bool, Reason> {
        self.ops.push(op);
        zones::post(&mut self.zone, dim, &[op]).map_err(|Overflow| outgrown())
    }
    /// Adds conditions on data; `false` if they cannot hold.
    fn data(&mut self, terms: &mut Terms, conditions: &[Term]) -> bool {
        for condition in conditions {
            let stmt = terms.assume(*condition);
            let stmt = ir::simplify(terms, stmt, &mut self.known);
            if terms.is_block(stmt) {
                return false;
            }
            self.data.push(stmt);
        }
        true
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

/// The path for each value of a variable that `term` depends on.
fn by_value(system: &mut System, path: &Path, term: Term) -> Result<Vec<Path>, Reason> {
    let vars = system.terms.vars_of(term);
    let mut found = vars.iter().find_map(|var| Some((*var, values(system, *var)?)));
    let Some((var, list)) = found.take() else {
        let var = vars.first().map_or("data", |var| &system.vars[*var].name);
        return Err(Reason::Unsupported(format!(
            "a clock compared with what depends on `{var}`, which has too many values, with `--engine \
             combined`; try `--domain EXPL --initprec ALLVARS` or `--clockstrategy RAT_ENCODE`"
        )));
    };
    let mut ways = vec![];
    for value in list {
        let mut way = path.clone();
        let value = system.terms.constant(value);
        let fact = crate::cegar::cx::is(&mut system.terms, var, value);
        if way.data(&mut system.terms, &[fact]) {
            ways.push(way);
        }
    }
    Ok(ways)
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

fn too_many() -> Reason {
    Reason::Unsupported(format!(
        "a statement that touches clocks on more than {MOST_PATHS} paths, with `--engine combined`; try \
         `--clockstrategy RAT_ENCODE` or `--engine zone`"
    ))
}

fn endless() -> Reason {
    Reason::Unsupported(
        "a loop that touches clocks and whose number of rounds is not known from the tracked values, with \
         `--engine combined`; try `--domain EXPL --initprec ALLVARS` or `--engine zone`"
            .to_owned(),
    )
}

fn not_a_difference(system: &System, term: Term) -> Reason {
    Reason::Unsupported(format!(
        "`{}`, which uses clocks in another way than in differences, with `--engine combined`; try \
         `--clockstrategy RAT_ENCODE`",
        system.show(term)
    ))
}
