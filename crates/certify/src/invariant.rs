//! Inductive invariants: formulas at vectors of locations that contain the initial states and are closed under
//! every action.
//!
//! What is checked, with `F` the formula of an entry:
//! - *initiation*: every initial state lies in one of the entries named for that;
//! - *consecution*: for every entry and every action from its locations, every execution from a state of
//!   `F` ends in one of the entries it points at, among those at the action's target;
//! - *exclusion*: no state of an entry at observed locations is a target, and no entry at the fault
//!   location has a state at all, so that an action that leads there must be impossible.
//!
//! By induction along a run, no reachable state is a fault or an observed target. Each of these is an
//! [`Obligation`]: from a formula, every execution of a statement ends in one of some goals. Exclusion is
//! of that form too: `assume target` has no goals. If the entries have rankings, that a step is allowed by them is part
//! of what should hold after it ([`ranks`]).
//!
//! Cheap before dear: the formula is taken apart into cubes; for each, the paths of the statement are
//! followed over the values it fixes and the zone of its clocks ([`paths`]), and only what that cannot show
//! is a formula for the solver ([`proof`]). The certificate is trusted for nothing: its arena is looked at
//! first ([`shape`]), actions are composed anew, and what an entry points at is only a set of goals.

mod export;
mod known;
mod paths;
mod proof;
mod ranks;
mod shape;
pub(crate) mod watch;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{
    Actions, Id, Invariant, Node, Ranking, Rat, Span, Stmt, StmtNode, System, Term, Terms, Type, Value,
    VarId, Variable, VectorId,
};
use rustc_hash::FxHashMap;

use crate::{Flaw, Place, Rejection, Undecided};
pub use export::{Script, export};
use known::Known;
use paths::{Care, Goals, Paths};
use proof::{Proof, Trouble};
use ranks::Ranks;
pub(crate) use shape::formula_of;
use watch::Watch;

/// What a check of an invariant took.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// What had to be shown.
    pub obligations: u64,
    /// Cubes of obligations that were shown by following paths.
    pub by_paths: u64,
    /// Cubes that were shown because their formula became `false` when it was made.
    pub by_folding: u64,
    /// Cubes whose formula had been shown before.
    pub by_memory: u64,
    /// Cubes that a solver was asked about.
    pub by_solver: u64,
}

/// What is to be checked.
#[derive(Copy, Clone)]
pub struct Subject<'a> {
    /// The system.
    pub system: &'a System,
    /// What is to be an invariant of it.
    pub invariant: &'a Invariant,
    /// What the invariant is to exclude, as it then excludes every fault; nothing has to be excluded without it.
    pub target: Option<Term>,
    /// What steps between entries are to be allowed by, if the system is a product.
    pub ranks: Option<&'a [Ranking]>,
}

impl<'a> Subject<'a> {
    /// That an invariant is one of a system.
    pub fn new(system: &'a System, invariant: &'a Invariant) -> Self {
        Subject { system, invariant, target: None, ranks: None }
    }
    /// The same, and that it excludes this and every fault.
    pub fn without(self, target: Term) -> Self {
        Subject { target: Some(target), ..self }
    }
    /// The same, and that the steps of the system are allowed by these rankings of the entries.
    pub fn ranked(self, ranks: &'a [Ranking]) -> Self {
        Subject { ranks: Some(ranks), ..self }
    }
}

/// Checks an invariant.
pub fn check(subject: Subject<'_>, stop: &AtomicBool) -> Result<Effort, Rejection> {
    judge(subject, stop, |judge| judge.all())
}

/// The same by the solver alone.
pub fn check_by_solver(subject: Subject<'_>, stop: &AtomicBool) -> Result<Effort, Rejection> {
    judge(subject, stop, |mut judge| {
        judge.paths = None;
        judge.all()
    })
}

fn judge<R>(
    subject: Subject<'_>,
    stop: &AtomicBool,
    run: impl FnOnce(Judge<'_>) -> Result<R, Rejection>,
) -> Result<R, Rejection> {
    let plan = Plan::new(subject, stop)?;
    let watch = Watch::new(stop);
    std::thread::scope(|scope| {
        let _end = watch.start(scope);
        run(Judge::new(&plan, &watch))
    })
}

/// One thing to show: from every state of an entry, every execution of a statement ends in a goal.
#[derive(Clone, Debug)]
pub(crate) struct Obligation<'a> {
    /// The entry; none for the initial states, which come from anywhere.
    pub entry: Option<usize>,
    /// What is executed.
    pub duty: &'a Duty,
    /// The entries of which one should hold afterwards.
    pub goals: Vec<u32>,
}

impl Obligation<'_> {
    /// What it is to be shown of.
    fn place(&self) -> Place {
        self.entry.map_or(Place::InitialStates, Place::Entry)
    }
}

/// What is to be shown of every entry at a vector of locations, or of the initial states.
#[derive(Clone, Debug)]
pub(crate) struct Duty {
    number: usize,
    pub stmt: Stmt,
    pub kind: Kind,
    /// How many statements it is made of, as a measure of work.
    size: u32,
    /// Whether its terms are small enough to be evaluated again and again.
    light: bool,
}

/// Why something is to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The initial states are contained.
    Initial,
    /// An action stays inside.
    Action {
        /// Where it leads.
        to: VectorId,
        /// How the user knows it.
        name: String,
        /// The acceptance sets that it is in.
        marks: u64,
    },
    /// The target is excluded.
    Target,
    /// Nothing is at the fault location.
    Fault,
}

impl Kind {
    /// What is wrong if it cannot be shown of an entry.
    fn complaint(&self, place: Place) -> Rejection {
        place.wrong(match self {
            Kind::Initial => Flaw::InitialState,
            Kind::Action { name, .. } => Flaw::Successor { action: Some(name.clone()), loose: false },
            Kind::Target => Flaw::Target,
            Kind::Fault => Flaw::Fault,
        })
    }
}

/// Everything that is to be shown, against the system as the front-end produced it.
pub(crate) struct Plan<'a> {
    pub system: System,
    pub invariant: Cow<'a, Invariant>,
    initial: Duty,
    /// The vector of the initial locations.
    start: VectorId,
    /// The vector of every entry.
    vectors: Vec<VectorId>,
    /// By vector; empty where there is no entry.
    duties: Vec<Vec<Duty>>,
    /// What the rankings of entries ask of steps, if there are any.
    ranks: Option<Ranks>,
    /// How large every formula of the certificate's arena is when written out.
    weights: Vec<u32>,
    /// A variable of the judge's own for the length of a delay, if there are clocks.
    elapsed: Option<VarId>,
}

/// Terms that are larger than this when written out are left to the solver.
const HEAVY: u32 = 20_000;
/// Formulas nested more deeply than this are refused: solvers recurse over them.
const DEEP: u32 = 2_000;

impl<'a> Plan<'a> {
    pub fn new(subject: Subject<'a>, stop: &AtomicBool) -> Result<Self, Rejection> {
        let Subject { system, invariant, target, ranks } = subject;
        let reached = shape::check(system, invariant, ranks)?;
        let depths =
            weigh(&invariant.terms, |at| reached[at], |most, child| most.max(child.saturating_add(1)));
        let deep = |entry: &usize| {
            let components = ranks.iter().flat_map(|ranks| &ranks[*entry].components);
            let mut terms = components.chain([&invariant.entries[*entry].formula]);
            terms.any(|term| depths[term.index()] > DEEP)
        };
        if let Some(entry) = (0..invariant.entries.len()).find(deep) {
            return Err(Undecided::DeepFormula(Place::Entry(entry)).into());
        }
        let mut system = system.clone();
        let timed = system.clocks().next().is_some();
        let elapsed = timed.then(|| system.declare(Type::Rat, Variable::local("elapsed", Span::default())));
        let (ranks, invariant, reached) = match ranks {
            None => (None, Cow::Borrowed(invariant), reached),
            Some(ranks) => {
                let (ranks, invariant) = Ranks::new(&mut system, invariant, ranks);
                let reached = vec![true; invariant.terms.len()];
                (Some(ranks), Cow::Owned(invariant), reached)
            }
        };
        let weights = weigh(&invariant.terms, |at| reached[at], |sum, child| sum.saturating_add(child));
        let mut actions = Actions::new();
        let start = actions.vector(&system.initial_locations());
        let vectors: Vec<VectorId> =
            invariant.entries.iter().map(|entry| actions.vector(&entry.locations)).collect();
        let stmt = ir::initial(&mut system);
        let mut list = vec![(start, stmt, Kind::Initial)];
        for at in 0..actions.len() {
            if stop.load(Ordering::Relaxed) {
                return Err(Rejection::Interrupted);
            }
            if let Some(target) = target {
                exclusion(&mut system, target, &actions, VectorId::at(at), &mut list)?;
            }
            for action in actions.of(&mut system, VectorId::at(at)).to_vec() {
                let labels: Vec<&str> = action
                    .edges
                    .iter()
                    .map(|(process, edge)| system.processes[*process].edges[*edge].label.as_str())
                    .collect();
                let (to, name) = (actions.vector(&action.target), labels.join(", "));
                let marks = system.monitor.as_ref().map_or(0, |monitor| monitor.marks_of(&action.edges));
                list.push((VectorId::at(at), action.stmt, Kind::Action { to, name, marks }));
            }
        }
        let heavy = weigh(&system.terms, |_| true, |sum, child| sum.saturating_add(child));
        let mut made = list.into_iter().enumerate().map(|(number, (vector, stmt, kind))| {
            let (mut size, mut light) = (0, true);
            system.terms.for_each_substmt(stmt, |part| {
                size += 1;
                system.terms.stmt(part).for_each_term(|term| light &= heavy[term.index()] <= HEAVY);
            });
            (vector, Duty { number, stmt, kind, size, light })
        });
        let initial = made.next().expect("the first one").1;
        let mut duties = vec![vec![]; actions.len()];
        for (vector, duty) in made {
            duties[vector.index()].push(duty);
        }
        Ok(Plan { invariant, initial, start, vectors, duties, ranks, weights, elapsed, system })
    }
    /// The initial obligation and those of every entry, in order.
    pub fn for_each<E>(&self, mut visit: impl FnMut(&Obligation<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut obligation = Obligation { entry: None, duty: &self.initial, goals: vec![] };
        self.goals(&self.invariant.initial, self.start, &mut obligation.goals);
        visit(&obligation)?;
        for (number, entry) in self.invariant.entries.iter().enumerate() {
            for duty in &self.duties[self.vectors[number].index()] {
                (obligation.entry, obligation.duty) = (Some(number), duty);
                match &duty.kind {
                    Kind::Action { to, .. } => self.goals(&entry.successors, *to, &mut obligation.goals),
                    _ => obligation.goals.clear(),
                }
                visit(&obligation)?;
            }
        }
        Ok(())
    }
    /// Those of the entries pointed at that are at `vector`.
    fn goals(&self, hints: &[u32], vector: VectorId, goals: &mut Vec<u32>) {
        goals.clear();
        goals.extend(hints.iter().filter(|hint| self.vectors[**hint as usize] == vector));
    }
    /// `stmt` with every delay spelled out: all clocks grow by the same amount, which is not negative.
    pub fn without_delays(&self, terms: &mut Terms, stmt: Stmt) -> Stmt {
        let Some(elapsed) = self.elapsed else { return stmt };
        let length = terms.var(elapsed);
        let zero = terms.constant(Value::rat(Rat::ZERO));
        let positive = terms.le(zero, length);
        let mut parts = vec![terms.havoc(elapsed), terms.assume(positive)];
        for clock in self.system.clocks() {
            let now = terms.var(clock);
            let later = terms.add([now, length]);
            parts.push(terms.assign(clock, later));
        }
        let delay = terms.seq(parts);
        let mut list = vec![];
        terms.for_each_substmt(stmt, |part| list.push(part));
        let mut done: FxHashMap<Stmt, Stmt> = FxHashMap::default();
        for part in list {
            let new = match terms.stmt(part).clone() {
                StmtNode::Delay => delay,
                StmtNode::Seq(parts) => terms.seq(parts.iter().map(|part| done[part])),
                StmtNode::Choice(parts) => terms.choice(parts.iter().map(|part| done[part])),
                StmtNode::If(condition, yes, no) => terms.branch(condition, done[&yes], done[&no]),
                StmtNode::For { var, from, to, body } => terms.for_loop(var, from, to, done[&body]),
                StmtNode::While(condition, body) => terms.while_loop(condition, done[&body]),
                _ => part,
            };
            done.insert(part, new);
        }
        done[&stmt]
    }
    pub fn formula(&self, entry: u32) -> Term {
        self.invariant.entries[entry as usize].formula
    }
    /// Whether steps have to be allowed by rankings.
    pub fn is_ranked(&self) -> bool {
        self.ranks.is_some()
    }
    /// What is known before an obligation besides the formula of its entry.
    pub fn memory(&self, obligation: &Obligation<'_>) -> &[Term] {
        match (&self.ranks, obligation.entry, &obligation.duty.kind) {
            (Some(ranks), Some(entry), Kind::Action { .. }) => ranks.premise(entry),
            _ => &[],
        }
    }
    /// What one of the goals of an obligation says.
    pub fn goal(&self, obligation: &Obligation<'_>, goal: u32) -> Term {
        match (&self.ranks, obligation.entry, &obligation.duty.kind) {
            (Some(ranks), Some(entry), Kind::Action { marks, .. }) => ranks.goal(entry, *marks, goal),
            _ => self.formula(goal),
        }
    }
}

/// What entries at these locations must not contain.
fn exclusion(
    system: &mut System,
    target: Term,
    actions: &Actions,
    vector: VectorId,
    list: &mut Vec<(VectorId, Stmt, Kind)>,
) -> Result<(), Rejection> {
    let locations = actions.locations(vector);
    if system.is_fault(locations) {
        list.push((vector, system.terms.skip(), Kind::Fault));
    } else if system.is_observed(locations) {
        let here = ir::at_locations(system, target, locations).map_err(|_| Undecided::NoCondition)?;
        list.push((vector, system.terms.assume(here), Kind::Target));
    }
    Ok(())
}

/// Whether a formula is nested too deeply for a solver.
pub(crate) fn is_deep(terms: &Terms, formula: Term) -> bool {
    let depths = weigh(terms, |at| at <= formula.index(), |most, child| most.max(child.saturating_add(1)));
    depths[formula.index()] > DEEP
}

/// A measure of each of these terms: 1 for a leaf, else 1 joined with that of each child. Children are
/// older than parents.
fn weigh(terms: &Terms, which: impl Fn(usize) -> bool, join: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    let mut weights = vec![0_u32; terms.len()];
    for at in (0..terms.len()).filter(|at| which(*at)) {
        let mut weight = match terms.node(Term::at(at)) {
            // Values do not tell; no statement of a front-end asks this.
            Node::At(..) | Node::Deadlock => u32::MAX,
            _ => 1,
        };
        terms.node(Term::at(at)).for_each_child(|child| weight = join(weight, weights[child.index()]));
        weights[at] = weight;
    }
    weights
}

/// The check itself.
struct Judge<'a> {
    plan: &'a Plan<'a>,
    watch: &'a Watch<'a>,
    /// If paths are followed at all.
    paths: Option<Paths<'a>>,
    proof: Proof<'a>,
    effort: Effort,
    /// For each duty: how closely paths were looked at when that helped last.
    care: Vec<Care>,
    /// For each duty: how often in a row following paths has shown nothing.
    fruitless: Vec<u32>,
    cubes: Vec<Cube>,
    goals: Vec<Term>,
}

/// The parts of a conjunction.
type Cube = Vec<Term>;

/// A disjunction with more parts than this is not taken apart.
const CUBES: usize = 256;
/// After so many vain attempts to follow paths, they are only tried now and then.
const PATIENCE: u32 = 6;

impl<'a> Judge<'a> {
    fn new(plan: &'a Plan<'a>, watch: &'a Watch<'a>) -> Self {
        let duties = plan.duties.iter().map(Vec::len).sum::<usize>() + 1;
        Judge {
            plan,
            watch,
            paths: Known::fits(&plan.system).then(|| Paths::new(&plan.system)),
            proof: Proof::new(plan, watch),
            effort: Effort::default(),
            care: vec![Care::Coarse; duties],
            fruitless: vec![0; duties],
            cubes: vec![],
            goals: vec![],
        }
    }
    fn all(mut self) -> Result<Effort, Rejection> {
        let plan = self.plan;
        let mut current = None;
        self.cubes = vec![Cube::default()];
        plan.for_each(|obligation| {
            if self.watch.stopped() {
                return Err(Rejection::Interrupted);
            }
            if obligation.entry != current {
                current = obligation.entry;
                if let Some(entry) = current {
                    self.cubes = cubes(&plan.invariant.terms, plan.formula(entry as u32));
                }
            }
            self.effort.obligations += 1;
            self.one(obligation)
        })?;
        Ok(self.effort)
    }
    fn one(&mut self, obligation: &Obligation<'_>) -> Result<(), Rejection> {
        let mut goals = std::mem::take(&mut self.goals);
        goals.clear();
        goals.extend(obligation.goals.iter().map(|goal| self.plan.goal(obligation, *goal)));
        let cubes = std::mem::take(&mut self.cubes);
        let memory = self.plan.memory(obligation);
        let result = cubes.iter().try_for_each(|cube| match memory {
            [] => self.cube(obligation, cube, &goals),
            _ => self.cube(obligation, &[cube, memory].concat(), &goals),
        });
        (self.goals, self.cubes) = (goals, cubes);
        result
    }
    fn cube(&mut self, obligation: &Obligation<'_>, cube: &[Term], goals: &[Term]) -> Result<(), Rejection> {
        if self.follow(obligation.duty, cube, goals) {
            self.effort.by_paths += 1;
            return Ok(());
        }
        let counter = match self.proof.holds(cube, obligation.duty.stmt, goals) {
            Ok(proof::Shown::Folded) => &mut self.effort.by_folding,
            Ok(proof::Shown::Remembered) => &mut self.effort.by_memory,
            Ok(proof::Shown::Solved) => &mut self.effort.by_solver,
            Err(Trouble::Wrong) => return Err(self.complaint(obligation, cube)),
            Err(Trouble::Stopped) => return Err(Rejection::Interrupted),
            Err(Trouble::NoFormula) => return Err(Undecided::Loop(obligation.place()).into()),
            Err(Trouble::Solver(why)) => return Err(Undecided::Solver(obligation.place(), why).into()),
        };
        *counter += 1;
        Ok(())
    }
    /// What is wrong with an obligation that does not hold: if it does without ranks, the step is not allowed by them.
    fn complaint(&mut self, obligation: &Obligation<'_>, cube: &[Term]) -> Rejection {
        let goals: Vec<Term> = obligation.goals.iter().map(|goal| self.plan.formula(*goal)).collect();
        if self.plan.is_ranked() && self.proof.holds(cube, obligation.duty.stmt, &goals).is_ok() {
            return obligation.place().wrong(Flaw::Ascent);
        }
        obligation.duty.kind.complaint(obligation.place())
    }
    /// Whether following paths shows it.
    fn follow(&mut self, duty: &Duty, cube: &[Term], goals: &[Term]) -> bool {
        let fruitless = &mut self.fruitless[duty.number];
        let vain = *fruitless >= PATIENCE && !fruitless.is_multiple_of(64);
        let light = |goal: &Term| self.plan.weights[goal.index()] <= HEAVY;
        *fruitless += 1;
        let Some(paths) = &mut self.paths else { return false };
        if vain || !duty.light || !goals.iter().all(light) {
            return false;
        }
        let small = |part: &Term| self.plan.weights[part.index()] <= HEAVY;
        let terms = &self.plan.invariant.terms;
        if !paths.start(terms, cube.iter().copied().filter(small)) {
            return true;
        }
        let goals = Goals { terms, list: goals };
        let first = self.care[duty.number];
        let second = if first == Care::Coarse { Care::Fine } else { Care::Coarse };
        for care in [first, second] {
            let fuel = match care {
                Care::Coarse => 500 + 4 * duty.size + 2 * goals.list.len() as u32,
                Care::Fine => 8_000 + 16 * duty.size + 16 * goals.list.len() as u32,
            };
            if paths.end_in(duty.stmt, goals, care, fuel) {
                (self.care[duty.number], self.fruitless[duty.number]) = (care, 0);
                return true;
            }
        }
        false
    }
}

/// What `formula` says as a list of conjunctions, of which it is the disjunction.
fn cubes(terms: &Terms, formula: Term) -> Vec<Cube> {
    let mut parts = vec![];
    flatten(terms, formula, &mut parts);
    let disjunction = parts.iter().position(|part| match terms.node(*part) {
        Node::Or(list) => list.len() <= CUBES,
        _ => false,
    });
    let mut lists = vec![];
    match disjunction {
        None => lists.push(parts),
        Some(at) => {
            let Node::Or(ways) = terms.node(parts.swap_remove(at)) else { unreachable!("just found") };
            for way in ways {
                let mut list = parts.clone();
                flatten(terms, *way, &mut list);
                lists.push(list);
            }
        }
    }
    lists
}

/// Pushes the conjuncts of `formula`.
pub(crate) fn flatten(terms: &Terms, formula: Term, out: &mut Vec<Term>) {
    let mut stack = vec![formula];
    while let Some(next) = stack.pop() {
        match terms.node(next) {
            Node::And(list) => stack.extend(list.iter().rev()),
            _ => out.push(next),
        }
    }
}

/// The value that a variable must have for `term` to hold, or not to hold.
pub(crate) fn literal(terms: &Terms, term: Term, holds: bool) -> Option<(VarId, Value)> {
    match *terms.node(term) {
        Node::Var(var, 0) if terms.type_of(term) == Type::Bool => Some((var, Value::Bool(holds))),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Var(var, 0) => Some((var, Value::Bool(!holds))),
            _ => None,
        },
        Node::Eq(a, b) if holds => match *terms.node(a) {
            // The number that a clock is compared with may be an integer, its values never are.
            Node::Var(var, 0) if terms.type_of(a) == terms.type_of(b) => {
                Some((var, terms.as_const(b)?.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
