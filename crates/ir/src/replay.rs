//! Replay: a sequence of steps, executed again one after the other.
//!
//! Engines know a path by the edges and locations of its steps and by some of the values on the way; a run of another
//! system, or something that is claimed to be a run, says more. What has to be found, or checked, is how the
//! non-determinism of every step was resolved. [`along`] is the loop that all of these have in common: it begins with
//! the initial statement, finds the action of each step, leaves it to the caller to execute its statement, and goes on
//! from the state that this gives.
//!
//! # Open values
//! A state on the way may have open values, which stand for all values of a variable until a later step reads it.
//! [`Path::closed`] makes such a path a run, going backwards. A variable that is open before a step has
//! 1. the value the step found it to have, if it was read;
//! 2. else its value afterwards, if it is still open there;
//! 3. else any value, for it was never looked at.
//!
//! Invariant: following the decisions of a step from its concrete source gives its concrete target.

use crate::action::{Action, Actions, initial};
use crate::evidence::{Decision, Edges, Run, State, Step};
use crate::interp::{Interp, Need, Outcome, Stuck};
use crate::stmt::Stmt;
use crate::system::{LocationId, System};
use crate::term::VarId;
use crate::value::Value;

/// What is known of a step before it is executed.
#[derive(Copy, Clone, Debug)]
pub struct Wanted<'a> {
    /// The edges that move; any, if they are not known.
    pub edges: Option<&'a Edges>,
    /// Where the processes are afterwards.
    pub target: &'a [LocationId],
}

impl Wanted<'_> {
    fn is(&self, action: &Action) -> bool {
        match self.edges {
            Some(edges) => action.takes(edges, self.target),
            None => *action.target == *self.target,
        }
    }
}

impl<'a> From<&'a Action> for Wanted<'a> {
    fn from(action: &'a Action) -> Self {
        Wanted { edges: Some(&action.edges), target: &action.target }
    }
}

impl<'a> From<&'a Step> for Wanted<'a> {
    fn from(step: &'a Step) -> Self {
        Wanted { edges: Some(&step.edges), target: &step.state.locations }
    }
}

/// A step that is to be executed.
#[derive(Copy, Clone, Debug)]
pub struct Leg<'a> {
    /// 0 for the initial statement, 1 for the first step.
    pub number: usize,
    /// What happens.
    pub stmt: Stmt,
    /// Where it starts; everything is open before the initial statement.
    pub before: &'a State,
    /// Where the processes are afterwards.
    pub target: &'a [LocationId],
}

impl Leg<'_> {
    /// A state to start from where nothing is open: the initial statement starts from arbitrary values, those that it
    /// leads to for example.
    pub fn source<'a>(&'a self, after: &'a State) -> &'a State {
        if self.number == 0 { after } else { self.before }
    }
}

/// No action takes this step as it is wanted; 0 is the initial statement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NoStep(pub usize);

/// Goes along `steps`. The statement of each is executed by `execute`, which answers `None` if it cannot be executed as
/// it is wanted; then the next action that fits is tried.
pub fn along<'a, E: From<NoStep>>(
    system: &mut System,
    actions: &mut Actions,
    steps: impl IntoIterator<Item = Wanted<'a>>,
    mut execute: impl FnMut(&mut System, &Leg<'_>) -> Result<Option<Outcome>, E>,
) -> Result<Path, E> {
    let stmt = initial(system);
    let before = system.arbitrary_state();
    let leg = Leg { number: 0, stmt, before: &before, target: &before.locations };
    let outcome = execute(system, &leg)?.ok_or(NoStep(0))?;
    let mut path = Path { legs: vec![Executed::new(Edges::new(), &leg, outcome)] };
    for (number, wanted) in (1..).zip(steps) {
        let before = path.last();
        let vector = actions.vector(&before.locations);
        let mut taken = None;
        for action in actions.of(system, vector).iter().filter(|action| wanted.is(action)) {
            let leg = Leg { number, stmt: action.stmt, before, target: &action.target };
            if let Some(outcome) = execute(system, &leg)? {
                taken = Some(Executed::new(action.edges.clone(), &leg, outcome));
                break;
            }
        }
        path.legs.push(taken.ok_or(NoStep(number))?);
    }
    Ok(path)
}

/// Goes along the steps of a run, those of its cycle included. `execute` also gets what the run says of each: its
/// decisions, and the state it leads to.
pub fn run<E: From<NoStep>>(
    system: &mut System,
    run: &Run,
    mut execute: impl FnMut(&mut System, &Leg<'_>, (&[Decision], &State)) -> Result<Option<Outcome>, E>,
) -> Result<Run, E> {
    let mut said = vec![(&run.decisions[..], &run.initial)];
    said.extend(run.all_steps().map(|step| (&step.decisions[..], &step.state)));
    let steps = run.all_steps().map(Wanted::from);
    let path =
        along(system, &mut Actions::new(), steps, |system, leg| execute(system, leg, said[leg.number]))?;
    let result = Run::from(path);
    let Some(cycle) = &run.cycle else { return Ok(result) };
    Ok(result.around(run.steps.len()).within(cycle.head.as_deref().cloned()))
}

/// The initial statement and the steps after it, executed; the values of states may be open.
#[derive(Clone, Debug)]
pub struct Path {
    /// The initial statement is the first.
    legs: Vec<Executed>,
}

#[derive(Clone, Debug)]
struct Executed {
    edges: Edges,
    stmt: Stmt,
    decisions: Vec<Decision>,
    /// The values that variables, open before, turned out to have had.
    fixed: Vec<(VarId, Value)>,
    state: State,
}

impl Path {
    /// The state it ends in.
    pub fn last(&self) -> &State {
        &self.legs.last().expect("the initial statement was executed").state
    }
    /// The run along this path to `last`, which is the state it ends in with some of its open values given.
    pub fn closed(mut self, system: &System, last: State) -> Run {
        let open: Vec<State> = self.legs.iter().map(|leg| leg.state.clone()).collect();
        let end = open.len() - 1;
        self.legs[end].state = last;
        close(system, &mut self.legs[end].state.values, |_, _| None);
        for at in (0..end).rev() {
            let (earlier, later) = self.legs.split_at_mut(at + 1);
            let next = &later[0];
            close(system, &mut earlier[at].state.values, |slot, var| {
                let read = next.fixed.iter().find(|(fixed, _)| *fixed == var).map(|(_, value)| value.clone());
                let kept = open[at + 1].values[slot].is_none();
                read.or_else(|| next.state.values[slot].clone().filter(|_| kept))
            });
        }
        for (at, open) in open.iter().enumerate() {
            // The initial statement starts from arbitrary values, those it leads to for example.
            let source = self.legs[at.saturating_sub(1)].state.clone();
            self.legs[at].decide(system, &source, open);
        }
        self.into()
    }
}

/// The run along a path on which nothing is open.
impl From<Path> for Run {
    fn from(path: Path) -> Self {
        let mut legs = path.legs.into_iter();
        let first = legs.next().expect("the initial statement was executed");
        let steps = legs.map(|Executed { edges, decisions, state, .. }| Step { edges, decisions, state });
        Run { steps: steps.collect(), ..Run::begin(first.decisions, first.state) }
    }
}

impl Executed {
    fn new(edges: Edges, leg: &Leg<'_>, outcome: Outcome) -> Self {
        let Outcome { values, decisions, fixed } = outcome;
        let state = State { locations: leg.target.into(), values };
        Executed { edges, stmt: leg.stmt, decisions, fixed, state }
    }
    /// Decides which value each variable got that is still open after its havoc: the one it has in the concrete
    /// target. `open` is the target before it became concrete.
    fn decide(&mut self, system: &System, source: &State, open: &State) {
        let state_vars: Vec<VarId> = system.state_vars().collect();
        let mut interp = Interp::new(system, None);
        let mut done: Vec<VarId> = vec![];
        // Only the last havoc of a variable counts, so this goes backwards.
        for at in (0..self.decisions.len()).rev() {
            if self.decisions[at] != Decision::Value(None) {
                continue;
            }
            // The interpreter asks for what a shortened script leaves out, and so names the variable.
            let asked = interp.follow(self.stmt, source, &self.decisions[..at]);
            let Err(Stuck::Needs(Need::Value(var))) = asked else { continue };
            if done.contains(&var) {
                continue;
            }
            done.push(var);
            if let Ok(slot) = state_vars.binary_search(&var)
                && open.values[slot].is_none()
            {
                self.decisions[at] = Decision::Value(self.state.values[slot].clone());
            }
        }
    }
}

/// Gives every open variable of a state the value that `known` says, by its place in the state, or any.
pub fn close(system: &System, values: &mut [Option<Value>], known: impl Fn(usize, VarId) -> Option<Value>) {
    for (slot, var) in system.state_vars().enumerate() {
        if values[slot].is_none() {
            values[slot] = Some(known(slot, var).unwrap_or_else(|| system.any_value(var)));
        }
    }
}
