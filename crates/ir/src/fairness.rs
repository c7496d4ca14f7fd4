//! Fairness: claims about those runs only that do not neglect some of their edges for ever.
//!
//! A run is *weakly fair* to an item, which is a set of edges, if it takes one of them again and again or comes again and
//! again to where none is enabled; so it is not enabled for ever and never taken. It is *strongly fair* if it takes one again
//! and again, or one is enabled only finitely often. A claim about the fair runs says that fairness implies what is
//! claimed, `(G F c -> φ)` for weak fairness with `c = taken or not enabled`, and `((G F enabled -> G F taken) -> φ)`
//! for strong: an ordinary claim about all runs ([`assume`]), so that whoever answers or judges it needs to know nothing
//! of fairness.
//!
//! **Enabled** is a condition on states: at the location that an edge starts from, its statement has an execution.
//!
//! **Taken** is a matter of steps, and formulas are about states. So each item gets a hidden variable that says whether a
//! step has taken it since the last state that was read: a step that leaves such a state sets it anew, and steps that leave
//! others only make it true. Every step counts, also one that changes nothing.
//!
//! **Several weak items** are awaited in turn, so that they cost no more than one acceptance set together: a hidden variable
//! says which is awaited, and goes on to the next when a state is left where that one's condition holds. All conditions
//! hold again and again if and only if the last one is come to again and again where its condition holds, or all hold at
//! once again and again, as they do in a state that is repeated because nothing can happen.
//!
//! There must be one process with edges, as in a Petri net or an XSTS, so that a step takes one edge, and the location where
//! it starts tells whether a state is read.

use std::fmt;

use crate::fault::Guarded;
use crate::id::Id;
use crate::ltl::{Builder, Node, Sub};
use crate::number::Int;
use crate::stmt::Stmt;
use crate::system::{
    Claim, EdgeId, LocationId, PathClaim, PathWords, ProcessId, Property, Span, System, Variable,
};
use crate::target::{NoTarget, enabled};
use crate::term::{Term, VarId};
use crate::value::Type;

/// How fair runs are to an item.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Strength {
    /// It is not enabled for ever and never taken.
    Weak,
    /// It is not enabled again and again and never taken.
    Strong,
}

/// Edges that runs are fair to, together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is called.
    pub name: String,
    /// How fair runs are to it.
    pub strength: Strength,
    /// The edges of the only process that has any.
    pub edges: Vec<EdgeId>,
}

/// Why fairness cannot be assumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FairnessError {
    /// Several processes have edges, or they synchronise.
    Processes,
    /// When this item is enabled cannot be said as a condition.
    Condition(String),
    /// This item starts where states are not read.
    Unread(String),
    /// What is claimed is no formula.
    Automaton,
}

impl fmt::Display for FairnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FairnessError::Processes => f.write_str(
                "fairness is supported where one process moves by itself, as in a Petri net or an XSTS",
            ),
            FairnessError::Condition(item) => write!(
                f,
                "whether `{item}` is enabled cannot be written as a condition, because of a loop or of values that it \
                 chooses"
            ),
            FairnessError::Unread(item) => {
                write!(f, "`{item}` starts in states that the property does not look at")
            }
            FairnessError::Automaton => {
                f.write_str("fairness is supported for formulas, and the property is an automaton")
            }
        }
    }
}

impl std::error::Error for FairnessError {}

/// The process that has edges, if there is one that moves by itself.
pub fn mover(system: &System) -> Option<ProcessId> {
    let mut movers = system.processes.entries().filter(|(_, process)| !process.edges.is_empty());
    let (Some((id, process)), None) = (movers.next(), movers.next()) else { return None };
    process.edges.iter().all(|edge| edge.sync.is_none()).then_some(id)
}

/// Makes those properties that are about runs ones about the fair runs.
///
/// # Errors
/// If fairness cannot be assumed.
pub fn assume<'a>(
    system: &mut System,
    properties: impl IntoIterator<Item = &'a mut Property>,
    items: &[Item],
) -> Result<(), FairnessError> {
    let process = mover(system).ok_or(FairnessError::Processes)?;
    let mut ghosts = Ghosts { process, taken: vec![] };
    let (mut weak, mut premises) = (vec![], vec![]);
    for item in items {
        let edges = ghosts.edges(system, item)?;
        // Nothing that happens once is neglected for ever.
        if edges.is_empty() {
            continue;
        }
        let taken = ghosts.declare(system, item, &edges);
        let enabled = ghosts.enabled(system, item, &edges)?;
        match item.strength {
            Strength::Weak => {
                let disabled = system.terms.not(enabled);
                weak.push(system.terms.or([taken, disabled]));
            }
            Strength::Strong => premises.push(Premise::Strong { enabled, taken }),
        }
    }
    let turn = (weak.len() > 1).then(|| Turn::new(system, &weak));
    match (&turn, &weak[..]) {
        (Some(turn), _) => premises.push(Premise::Often(turn.last(system, &weak))),
        (None, [only]) => premises.push(Premise::Often(*only)),
        (None, _) => {}
    }
    ghosts.write(system, turn.as_ref(), &weak);
    imply(system, properties, &premises)
}

/// Makes those properties that are about runs ones about the runs in which a condition holds again and again.
///
/// # Errors
/// If what is claimed is no formula.
pub fn recurring<'a>(
    system: &mut System,
    properties: impl IntoIterator<Item = &'a mut Property>,
    condition: Term,
) -> Result<(), FairnessError> {
    imply(system, properties, &[Premise::Often(condition)])
}

/// Makes those properties that are about runs ones about the runs of which the premises are true.
fn imply<'a>(
    system: &mut System,
    properties: impl IntoIterator<Item = &'a mut Property>,
    premises: &[Premise],
) -> Result<(), FairnessError> {
    for property in properties {
        match property.claim {
            Claim::Every(path) => {
                let claim = implied(&system.paths[path], premises)?;
                property.claim = Claim::Every(system.paths.push(claim));
            }
            Claim::Some(path) => {
                let every = implied(&negated(&system.paths[path])?, premises)?;
                property.claim = Claim::Some(system.paths.push(negated(&every)?));
            }
            Claim::Always(_) | Claim::Possibly(_) | Claim::AlwaysPossibly(_) => {}
        }
    }
    Ok(())
}

/// What fair runs do.
enum Premise {
    /// This holds again and again.
    Often(Term),
    /// If the first holds again and again, then the second does.
    Strong { enabled: Term, taken: Term },
}

/// The opposite of what is claimed.
fn negated(claim: &PathClaim) -> Result<PathClaim, FairnessError> {
    match &claim.words {
        PathWords::Satisfy(formula) => {
            Ok(PathClaim { words: PathWords::Satisfy(formula.negated()), ..claim.clone() })
        }
        PathWords::Avoid(_) | PathWords::Respond(_) => Err(FairnessError::Automaton),
    }
}

/// What is claimed, of the runs of which the premises are true.
fn implied(claim: &PathClaim, premises: &[Premise]) -> Result<PathClaim, FairnessError> {
    let PathClaim { words: PathWords::Satisfy(formula), atoms, undefined } = claim else {
        return Err(FairnessError::Automaton);
    };
    let mut atoms = atoms.clone();
    let mut builder = Builder::default();
    let mut often = |builder: &mut Builder, condition: Term| -> Sub {
        let known = atoms.iter().position(|atom| *atom == condition);
        let number = known.unwrap_or_else(|| {
            atoms.push(condition);
            atoms.len() - 1
        });
        let atom = builder.atom(number as u32);
        let finally = builder.add(Node::Finally(atom));
        builder.add(Node::Globally(finally))
    };
    let mut all: Option<Sub> = None;
    for premise in premises {
        let next = match premise {
            Premise::Often(condition) => often(&mut builder, *condition),
            Premise::Strong { enabled, taken } => {
                let (enabled, taken) = (often(&mut builder, *enabled), often(&mut builder, *taken));
                builder.add(Node::Implies(enabled, taken))
            }
        };
        all = Some(all.map_or(next, |all| builder.add(Node::And(all, next))));
    }
    let claimed = builder.graft(formula, |builder, atom| builder.atom(atom));
    let root = all.map_or(claimed, |all| builder.add(Node::Implies(all, claimed)));
    Ok(PathClaim { words: PathWords::Satisfy(builder.finish(root)), atoms, undefined: *undefined })
}

/// The variables that say what has been taken.
struct Ghosts {
    process: ProcessId,
    /// For each item, its variable and its edges.
    taken: Vec<(VarId, Vec<EdgeId>)>,
}

impl Ghosts {
    /// The edges of an item that can be taken more than once; they must start where states are read.
    fn edges(&self, system: &System, item: &Item) -> Result<Vec<EdgeId>, FairnessError> {
        let process = &system.processes[self.process];
        let comes_again = |at: LocationId| process.edges.iter().any(|edge| edge.target == at);
        let again = |id: &&EdgeId| comes_again(process.edges[**id].source);
        let edges: Vec<EdgeId> = item.edges.iter().filter(again).copied().collect();
        match edges.iter().all(|id| is_read(system, self.process, process.edges[*id].source)) {
            true => Ok(edges),
            false => Err(FairnessError::Unread(item.name.clone())),
        }
    }
    /// Whether the item has been taken, as a new variable.
    fn declare(&mut self, system: &mut System, item: &Item, edges: &[EdgeId]) -> Term {
        // No name that a user could give.
        let name = format!("$taken {}", item.name);
        let variable = Variable { shown: false, ..Variable::state(&name, Span::default()) };
        let var = system.declare(Type::Bool, variable);
        let not_yet = system.terms.bool(false);
        system.initial.push((var, not_yet));
        self.taken.push((var, edges.to_vec()));
        system.terms.var(var)
    }
    /// Whether one of the edges is enabled.
    fn enabled(&self, system: &mut System, item: &Item, edges: &[EdgeId]) -> Result<Term, FairnessError> {
        let mut any = vec![];
        for id in edges {
            let mut locations = system.initial_locations();
            let source = system.processes[self.process].edges[*id].source;
            locations[self.process.index()] = source;
            let here = system.terms.at(self.process, source);
            let possible = enabled(system, (self.process, *id), &locations)
                .map_err(|_: NoTarget| FairnessError::Condition(item.name.clone()))?;
            any.push(system.terms.and([here, possible]));
        }
        Ok(system.terms.or(any))
    }
    /// Lets every edge say what it takes, before anything else that it does.
    fn write(&self, system: &mut System, turn: Option<&Turn>, weak: &[Term]) {
        let ids: Vec<EdgeId> = system.processes[self.process].edges.ids().collect();
        for id in ids {
            let edge = &system.processes[self.process].edges[id];
            let (source, update) = (edge.source, edge.update);
            let read = is_read(system, self.process, source);
            let mut list: Vec<Stmt> = vec![];
            if let Some(turn) = turn.filter(|_| read) {
                list.push(turn.goes_on(system, weak, (self.process, source)));
            }
            for (var, edges) in &self.taken {
                let taken = edges.contains(&id);
                if read || taken {
                    let value = system.terms.bool(taken);
                    list.push(system.terms.assign(*var, value));
                }
            }
            let ghost = Guarded::safe(system.terms.seq(list));
            let update = Guarded::seq(&mut system.terms, &[ghost, update]);
            system.processes[self.process].edges[id].update = update;
        }
    }
}

/// Which of several conditions is awaited.
struct Turn {
    var: VarId,
}

impl Turn {
    fn new(system: &mut System, conditions: &[Term]) -> Self {
        let range = Some((Int::ZERO, Int::from(conditions.len() as i64 - 1)));
        let variable = Variable { shown: false, range, ..Variable::state("$turn", Span::default()) };
        let var = system.declare(Type::Int, variable);
        let first = system.terms.int(0);
        system.initial.push((var, first));
        Turn { var }
    }
    /// The last one is awaited and holds, or all hold.
    fn last(&self, system: &mut System, conditions: &[Term]) -> Term {
        let is_last = self.is(system, conditions.len() - 1);
        let terms = &mut system.terms;
        let last = terms.and([is_last, conditions[conditions.len() - 1]]);
        let all = terms.and(conditions.iter().copied());
        terms.or([last, all])
    }
    /// Goes on where the condition that is awaited holds, at the location of a process.
    fn goes_on(
        &self,
        system: &mut System,
        conditions: &[Term],
        (process, at): (ProcessId, LocationId),
    ) -> Stmt {
        let mut locations = system.initial_locations();
        locations[process.index()] = at;
        let mut stmt = system.terms.skip();
        for (number, condition) in conditions.iter().enumerate() {
            let here = crate::given_deadlock(system, *condition, &locations, false);
            let awaited = self.is(system, number);
            let terms = &mut system.terms;
            let next = terms.int(((number + 1) % conditions.len()) as i64);
            let (now, then) = (terms.and([awaited, here]), terms.assign(self.var, next));
            stmt = terms.branch(now, then, stmt);
        }
        stmt
    }
    fn is(&self, system: &mut System, number: usize) -> Term {
        let terms = &mut system.terms;
        let (now, number) = (terms.var(self.var), terms.int(number as i64));
        terms.eq(now, number)
    }
}

/// Whether states are read where the process is here.
fn is_read(system: &System, process: ProcessId, at: LocationId) -> bool {
    let location = &system.processes[process].locations[at];
    location.observed && location.read
}
