//! Scripts executed: whether some run of a model does what is prescribed, and what is false if not.
//!
//! All states that the script may have come to are kept, so that what a model leaves open need not be said.

use engine::Stop;
use ir::interp::Interp;
use ir::{Actions, Run, Span, State, Step, System, Term};
use lang::{Script, ScriptStep};

use crate::load::Model;
use crate::simulate::given;
use crate::verdict::At;

/// So many states are followed at once.
const MOST_STATES: usize = 1000;

/// What came of a script.
#[derive(Clone, Debug)]
pub struct Followed {
    /// A run that does what is said, as far as that is possible; with the step that fails, if that can be taken.
    pub run: Option<Run>,
    /// How many steps of the script fit.
    pub steps: usize,
    /// How many claims were compared and true.
    pub claims: usize,
    /// Why no more do.
    pub failure: Option<ScriptFailure>,
}

/// Why a step of a script does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptFailure {
    /// The model can do no such step.
    Impossible,
    /// These claims are false after it.
    False(Vec<Span>),
    /// None was found, but there are too many executions to compare all of them.
    TooMany,
    /// Somebody asked to stop.
    Interrupted,
}

impl ScriptFailure {
    /// The code of what is not known, for programs.
    pub const TOO_MANY: &'static str = "script.too-many";
}

/// A state that was come to.
struct Node {
    /// The one before.
    parent: Option<usize>,
    /// How it was come to; of an initial state only the decisions count.
    step: Step,
}

/// Executes a script.
pub fn follow(model: &Model, script: &Script, stop: &Stop) -> Followed {
    let mut follower = Follower {
        model,
        system: model.system().clone(),
        actions: Actions::new(),
        nodes: vec![],
        all: true,
        stop,
    };
    let mut alive = follower.start();
    let mut claims = 0;
    for (number, step) in script.steps.iter().enumerate() {
        let end = |run, failure| Followed { run, steps: number, claims, failure: Some(failure) };
        let mut reached = alive.clone();
        for given in &step.moves {
            reached = follower.go(&reached, given, script.going);
        }
        if stop.requested() {
            return end(None, ScriptFailure::Interrupted);
        }
        if reached.is_empty() {
            let run = alive.first().map(|node| follower.run(*node));
            return end(run, follower.unless_untried(ScriptFailure::Impossible));
        }
        let mut best: Option<(usize, Vec<Span>)> = None;
        alive = vec![];
        for node in reached {
            let wrong = follower.wrong(step, &follower.nodes[node].step.state);
            if wrong.is_empty() {
                alive.push(node);
            } else if best.as_ref().is_none_or(|(_, known)| wrong.len() < known.len()) {
                best = Some((node, wrong));
            }
        }
        if let (true, Some((node, wrong))) = (alive.is_empty(), best) {
            let failure = follower.unless_untried(ScriptFailure::False(wrong));
            return end(Some(follower.run(node)), failure);
        }
        claims += step.claims.len();
    }
    let run = follower.finish(&alive, script);
    Followed { run, steps: script.steps.len(), claims, failure: None }
}

struct Follower<'a> {
    model: &'a Model,
    system: System,
    actions: Actions,
    nodes: Vec<Node>,
    /// Whether everything that the model can do was followed.
    all: bool,
    stop: &'a Stop,
}

impl Follower<'_> {
    /// The initial states.
    fn start(&mut self) -> Vec<usize> {
        let stmt = ir::initial(&mut self.system);
        let locations = self.system.initial_locations();
        let open =
            State { locations: locations.clone(), values: self.system.state_vars().map(|_| None).collect() };
        let nodes = &mut self.nodes;
        let mut interp = Interp::new(&self.system, Some(self.stop.flag()));
        let listed = interp.successors(stmt, &open, &mut |outcome| {
            let state = State { locations: locations.clone(), values: outcome.values };
            let step = Step { edges: Default::default(), decisions: outcome.decisions, state };
            nodes.push(Node { parent: None, step });
            nodes.len() < MOST_STATES
        });
        self.all &= listed.is_ok() && self.nodes.len() < MOST_STATES;
        (0..self.nodes.len()).collect()
    }
    /// The states after one step of the model.
    fn go(&mut self, from: &[usize], given: &lang::Given, going: Option<Term>) -> Vec<usize> {
        let mut reached: Vec<usize> = vec![];
        for parent in from {
            let state = self.nodes[*parent].step.state.clone();
            let vector = self.actions.vector(&state.locations);
            let actions = self.actions.of(&mut self.system, vector).to_vec();
            let found = given::steps(&self.system, self.model.view(), &actions, &state, given, self.stop);
            self.all &= found.all;
            for (_, step) in found.list {
                let ends = self.system.fault_of(&step.state).is_some();
                let goes_on = !ends && going.is_none_or(|term| self.holds(term, &step.state));
                let is_known = reached.iter().any(|node| self.nodes[*node].step.state == step.state);
                if !goes_on || is_known {
                    continue;
                }
                if reached.len() == MOST_STATES {
                    self.all = false;
                } else {
                    self.nodes.push(Node { parent: Some(*parent), step });
                    reached.push(self.nodes.len() - 1);
                }
            }
        }
        reached
    }
    /// A failure, if nothing else was left to try.
    fn unless_untried(&self, failure: ScriptFailure) -> ScriptFailure {
        if self.all { failure } else { ScriptFailure::TooMany }
    }
    fn holds(&self, term: Term, state: &State) -> bool {
        let at = At { system: &self.system, state };
        ir::eval::holds(&self.system.terms, &at, term).unwrap_or(false)
    }
    /// The claims that are false in a state.
    fn wrong(&self, step: &ScriptStep, state: &State) -> Vec<Span> {
        step.claims.iter().filter(|(term, _)| !self.holds(*term, state)).map(|(_, span)| *span).collect()
    }
    /// The run that leads to a state.
    fn run(&self, node: usize) -> Run {
        let mut steps = vec![];
        let mut at = node;
        while let Some(parent) = self.nodes[at].parent {
            steps.push(self.nodes[at].step.clone());
            at = parent;
        }
        steps.reverse();
        let first = &self.nodes[at].step;
        Run { steps, ..Run::begin(first.decisions.clone(), first.state.clone()) }
    }
    /// A run of the whole script, with its loop if it comes back to where that begins.
    fn finish(&self, alive: &[usize], script: &Script) -> Option<Run> {
        let runs = alive.iter().map(|node| self.run(*node));
        let Some(cycle) = script.cycle else { return runs.into_iter().next() };
        let start: usize = script.steps[..cycle].iter().map(|step| step.moves.len()).sum();
        let closed = |run: &Run| run.states().nth(start) == Some(run.last());
        match runs.clone().find(closed) {
            Some(run) => Some(run.around(start)),
            None => runs.into_iter().next(),
        }
    }
}
