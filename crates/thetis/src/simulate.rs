//! Simulation: one step after the other, by somebody's choice, by chance, or along a trace.
//!
//! Simulation keeps a concrete run: every state has a value for every variable. Where the model
//! leaves a value or an amount of time open that cannot be enumerated, somebody is asked, see
//! [`Chooser`]. Where time passes after steps ([`lang::Time`]), these are taken without delay, and time passes after
//! them as long as is wanted, see [`Simulator::wait`].

mod chance;
pub(crate) mod given;

use std::fmt;
use std::sync::Arc;

use certify::Reached;
use engine::Stop;
use ir::interp::{Interp, Need, Outcome, Stuck};
use ir::replay::{self, NoStep};
use ir::{
    Actions, Decision, Edges, Head, LocationId, Rat, Run, State, Step, Stmt, System, Term, Value, VarId,
};
use lang::{Question, Time};

use crate::deadlock::Doom;
use crate::load::Model;
use crate::pose::{CannotPose, Posed, Scope, pose};
use crate::trace::lift::{Lift, Lower, Places};
use crate::trace::{
    Ends, FaultKindRecord, Misfit, Mismatch, OccurrenceRecord, Place, PropertyRef, Signature, StateRecord,
    Trace, table,
};

pub use chance::{Chance, Stepped, TRIES};

/// Somebody who decides what the model leaves open.
pub trait Chooser {
    /// An answer to `question` while `stmt` runs from `state`; `None` to give up the step.
    fn choose(&mut self, system: &System, state: &State, stmt: Stmt, question: &Need) -> Option<Decision>;
}

/// A step that may be possible.
#[derive(Clone, Debug)]
pub struct Move {
    /// The edges that move together.
    pub edges: Edges,
    target: Box<[LocationId]>,
    stmt: Stmt,
    /// The decisions that are made already.
    script: Vec<Decision>,
    /// Where it leads, if no more decisions are needed.
    pub state: Option<State>,
}

/// Steps that may be possible.
#[derive(Clone, Debug)]
pub struct Listed {
    /// They.
    pub moves: Vec<Move>,
    /// Whether there are no others; else there are too many executions to try them all.
    pub all: bool,
}

/// The run so far of one model.
pub struct Simulator<'m> {
    model: &'m Model,
    system: System,
    signature: Signature,
    actions: Actions,
    run: Option<Run>,
    /// What was before time was let pass, with the number of steps then, to be undone.
    waits: Vec<(usize, Vec<Decision>, Values)>,
    /// What decides the property in question, and which one that is.
    watched: Option<(ir::Question, PropertyRef)>,
    /// The number of the state that the last step leads back to, if a lasso was followed and nothing done since, and the
    /// states that every round begins in, if these are not always the same.
    cycle: Option<(usize, Option<Head>)>,
    /// Where evaluating it goes wrong.
    faults: Vec<(Term, ir::Fault)>,
    stop: Arc<Stop>,
}

/// The values of a state.
type Values = Box<[Option<Value>]>;

/// Why a simulation does not start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoStart {
    /// The initial values depend on this variable, which has none.
    Depends(String),
    /// Somebody asked to stop.
    Interrupted,
    /// The model has no initial state.
    Nowhere,
}

impl NoStart {
    /// The codes that are not those of something else.
    pub const CODES: &'static [&'static str] = &["start.depends", "start.nowhere"];

    /// The stable code of this one, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            NoStart::Depends(_) => "start.depends",
            NoStart::Interrupted => "interrupted",
            NoStart::Nowhere => "start.nowhere",
        }
    }
}

impl fmt::Display for NoStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoStart::Depends(name) => {
                write!(f, "the initial values depend on `{name}`, which has none; give it one")
            }
            NoStart::Interrupted => f.write_str("interrupted before the first state"),
            NoStart::Nowhere => f.write_str("the model has no initial state"),
        }
    }
}

impl std::error::Error for NoStart {}

/// How much time may pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Room {
    /// None.
    None,
    /// Any amount.
    Any,
    /// At most so much.
    AtMost(Rat),
    /// Less than so much.
    Below(Rat),
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Room::None => f.write_str("no time can pass here"),
            Room::Any => f.write_str("any amount of time can pass here"),
            Room::AtMost(most) => write!(f, "at most {} can pass here", table::amount(&most.to_string())),
            Room::Below(limit) => write!(f, "less than {} can pass here", table::amount(&limit.to_string())),
        }
    }
}

/// What comes of waiting for a step.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Patience {
    /// A step is possible now.
    Rewarded,
    /// None will ever be.
    Deadlock,
    /// That cannot be found out.
    Unknown,
}

/// The most steps that are listed from one state.
const MOST: usize = 1000;

impl<'m> Simulator<'m> {
    /// A simulation that has not started. It says of states whether they decide `question`, if there is one; `stop`
    /// ends a step that takes long.
    ///
    /// # Errors
    /// If the question cannot be posed.
    pub fn new(
        model: &'m Model,
        question: Option<&Question>,
        scope: Scope,
        stop: Arc<Stop>,
    ) -> Result<Self, CannotPose> {
        let asked: Vec<&Question> = question.into_iter().collect();
        let Posed { mut system, mut properties } = pose(model, &asked, &scope)?;
        let watched = question.zip(properties.pop());
        let (watched, faults) = match watched {
            Some((question, property)) => {
                let searched = system.question(property.claim);
                (Some((searched, PropertyRef::new(question, &scope))), property.faults)
            }
            None => (None, vec![]),
        };
        let signature = Lift::new(model, &system).signature();
        let (actions, run, waits, cycle) = (Actions::new(), None, vec![], None);
        Ok(Simulator { model, system, signature, actions, run, waits, watched, cycle, faults, stop })
    }
    /// The system that is simulated.
    pub fn system(&self) -> &System {
        &self.system
    }
    /// The names in its states.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
    /// Whether time passes after steps, and is let pass by [`Simulator::wait`].
    pub fn waits(&self) -> bool {
        self.model.lowered.view.time == Time::AfterStep
    }
    fn lift(&self) -> Lift<'_> {
        Lift::new(self.model, &self.system)
    }
    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.requested()
    }
    /// Starts; open initial values are asked for.
    ///
    /// # Errors
    /// If there is no initial state.
    pub fn start(&mut self, chooser: &mut dyn Chooser) -> Result<(), NoStart> {
        let stmt = ir::initial(&mut self.system);
        let locations = self.system.initial_locations();
        let open =
            State { locations: locations.clone(), values: self.system.state_vars().map(|_| None).collect() };
        let mut first = None;
        let mut keep = |outcome| {
            first = Some(outcome);
            false
        };
        let mut interp = Interp::new(&self.system, Some(self.stop.flag()));
        let result = match self.waits() {
            true => interp.successors_after(stmt, &open, &[Rat::ZERO], &mut keep),
            false => interp.successors(stmt, &open, &mut keep),
        };
        let outcome = match (first, result) {
            (Some(outcome), _) => outcome,
            (None, Err(Stuck::NotEnumerable(var))) => {
                return Err(NoStart::Depends(self.system.vars[var].name.clone()));
            }
            (None, Err(Stuck::Interrupted)) => return Err(NoStart::Interrupted),
            (None, _) => return Err(NoStart::Nowhere),
        };
        let mut initial = State { locations, values: outcome.values };
        let vars: Vec<VarId> = self.system.state_vars().collect();
        for (slot, var) in vars.into_iter().enumerate() {
            if initial.values[slot].is_none() {
                let default = || self.system.types().default_value(self.system.terms.var_type(var));
                let value = self.open_value(chooser, &initial, stmt, var);
                initial.values[slot] = Some(value.unwrap_or_else(default));
            }
        }
        self.run = Some(Run::begin(outcome.decisions, initial));
        Ok(())
    }
    /// A value for a variable that may have any; `None` if the step is given up.
    fn open_value(&self, chooser: &mut dyn Chooser, state: &State, stmt: Stmt, var: VarId) -> Option<Value> {
        let default = || self.system.types().default_value(self.system.terms.var_type(var));
        if !self.system.vars[var].shown {
            return Some(default());
        }
        match chooser.choose(&self.system, state, stmt, &Need::Value(var))? {
            Decision::Value(Some(value)) => Some(value),
            _ => Some(default()),
        }
    }
    /// The state the run has come to.
    ///
    /// # Panics
    /// Before [`Simulator::start`].
    pub fn state(&self) -> &State {
        self.run.as_ref().expect("a started simulation").last()
    }
    /// How many steps have been taken.
    pub fn steps(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.steps.len())
    }
    /// The steps from here in a fixed order; at most a thousand.
    pub fn moves(&mut self) -> Vec<Move> {
        let state = self.state().clone();
        let vector = self.actions.vector(&state.locations);
        let actions = self.actions.of(&mut self.system, vector).to_vec();
        let mut interp = Interp::new(&self.system, Some(self.stop.flag()));
        let mut moves = vec![];
        for action in actions {
            let base = Move {
                edges: action.edges,
                target: action.target,
                stmt: action.stmt,
                script: vec![],
                state: None,
            };
            let before = moves.len();
            let mut found = |outcome: Outcome| {
                let known = outcome.values.iter().all(Option::is_some);
                let target = State { locations: base.target.clone(), values: outcome.values };
                moves.push(Move {
                    script: outcome.decisions,
                    state: known.then_some(target),
                    ..base.clone()
                });
                moves.len() < MOST
            };
            let result = match self.waits() {
                true => interp.successors_after(base.stmt, &state, &[Rat::ZERO], &mut found),
                false => interp.successors(base.stmt, &state, &mut found),
            };
            if result.is_err() {
                // Something cannot be enumerated: decide what can, and leave the rest to be asked.
                moves.truncate(before);
                expand(&mut interp, &state, &base, &mut moves);
            }
        }
        moves.truncate(MOST);
        moves
    }
    /// What somebody outside decides before each step.
    pub fn inputs(&self) -> &'m [lang::Input] {
        &self.model.view().inputs
    }
    /// The steps from here that are as is said.
    pub fn moves_given(&mut self, given: &lang::Given) -> Listed {
        let state = self.state().clone();
        let vector = self.actions.vector(&state.locations);
        let actions = self.actions.of(&mut self.system, vector).to_vec();
        let found = given::steps(&self.system, self.model.view(), &actions, &state, given, &self.stop);
        let all = found.all && found.list.len() <= MOST;
        let chosen = |(action, step): (ir::Action, Step)| Move {
            edges: step.edges,
            target: action.target,
            stmt: action.stmt,
            script: step.decisions,
            state: step.state.values.iter().all(Option::is_some).then_some(step.state),
        };
        Listed { moves: found.list.into_iter().take(MOST).map(chosen).collect(), all }
    }
    /// What happens in a step to a state, as people read it.
    pub fn happened(&self, edges: &Edges, state: &State) -> Vec<OccurrenceRecord> {
        self.lift().happened(edges, state)
    }
    /// Takes a step, asking for what is open; `false` if it turns out to be impossible.
    pub fn take(&mut self, chosen: &Move, chooser: &mut dyn Chooser) -> bool {
        let Some((decisions, state)) = self.complete(chosen, chooser) else { return false };
        let run = self.run.as_mut().expect("a started simulation");
        run.steps.push(Step { edges: chosen.edges.clone(), decisions, state });
        self.cycle = None;
        true
    }
    /// Lets more time pass in the last state; `false` if that is not possible.
    pub fn wait(&mut self, amount: &Rat) -> bool {
        let Some((decisions, values)) = self.after(amount) else { return false };
        let steps = self.steps();
        let run = self.run.as_mut().expect("a started simulation");
        let last = match run.steps.last_mut() {
            Some(last) => (&mut last.decisions, &mut last.state.values),
            None => (&mut run.decisions, &mut run.initial.values),
        };
        let before = (std::mem::replace(last.0, decisions), std::mem::replace(last.1, values));
        self.waits.push((steps, before.0, before.1));
        self.cycle = None;
        true
    }
    /// The choices and values of the last state if more time passes, if that is possible.
    fn after(&mut self, amount: &Rat) -> Option<(Vec<Decision>, Values)> {
        let run = self.run.as_ref()?;
        let (stmt, before, decisions) = match run.steps.split_last() {
            None => (ir::initial(&mut self.system), &run.initial, &run.decisions),
            Some((last, earlier)) => {
                let before = earlier.last().map_or(&run.initial, |step| &step.state);
                let vector = self.actions.vector(&before.locations);
                let actions = self.actions.of(&mut self.system, vector);
                let same = |action: &&ir::Action| action.takes(&last.edges, &last.state.locations);
                (actions.iter().find(same)?.stmt, before, &last.decisions)
            }
        };
        let mut decisions = decisions.clone();
        let delay = decisions.iter_mut().rev().find_map(|decision| match decision {
            Decision::Delay(delay) => Some(delay),
            _ => None,
        })?;
        *delay = &*delay + amount;
        let outcome = Interp::new(&self.system, Some(self.stop.flag())).follow(stmt, before, &decisions);
        let outcome = outcome.ok()??;
        outcome.values.iter().all(Option::is_some).then_some((decisions, outcome.values))
    }
    /// How much time may pass in the last state.
    pub fn room(&mut self) -> Room {
        self.farthest(|simulator, amount| simulator.after(amount).is_some())
            .map_or(Room::None, |(room, _)| room)
    }
    /// The amounts of time that may pass and are as `fits` wants them, with the longest that was tried, in halves of a
    /// grain; `None` if there is none but 0 at most.
    ///
    /// They are an interval from 0 on. Constraints compare clocks with integers, so that it ends at a multiple of a grain
    /// of which the values of all clocks are multiples. So it is enough to try these and what lies in the middle between
    /// them.
    fn farthest(&mut self, mut fits: impl FnMut(&mut Self, &Rat) -> bool) -> Option<(Room, i64)> {
        let grains = self.grains();
        let part = |halves| fraction(halves, 2 * grains);
        if !fits(self, &part(1)) {
            return None;
        }
        let (mut within, mut beyond) = (0, 1);
        while fits(self, &part(2 * beyond)) {
            (within, beyond) = (beyond, beyond * 2);
            if beyond > grains.saturating_mul(1 << 29) || self.stopped() {
                return Some((Room::Any, 2 * within));
            }
        }
        while beyond - within > 1 {
            let middle = within + (beyond - within) / 2;
            match fits(self, &part(2 * middle)) {
                true => within = middle,
                false => beyond = middle,
            }
        }
        Some(match fits(self, &part(2 * within + 1)) {
            true => (Room::Below(part(2 * beyond)), 2 * within + 1),
            false => (Room::AtMost(part(2 * within)), 2 * within),
        })
    }
    /// How many grains a unit of time has, so that the values of all clocks are multiples of a grain.
    fn grains(&self) -> i64 {
        let clocks: Vec<VarId> = self.system.clocks().collect();
        let mut grains = 1i64;
        for (var, value) in self.system.state_vars().zip(&self.state().values) {
            if let Some(Value::Rat(value)) = value
                && clocks.contains(&var)
                && let Some(denominator) = value.denominator().to_i64()
            {
                grains = grains.saturating_mul(denominator / gcd(grains, denominator)).min(1 << 30);
            }
        }
        grains
    }
    /// Lets time pass until a step is possible. Nothing changes if none will ever be.
    ///
    /// The states from which something can happen, now or later, are those up to the last moment at which a step is
    /// possible, and whether a state is one of them is a condition over its clocks ([`ir::at_state`]).
    fn wait_for_step(&mut self) -> Patience {
        let Some(doom) = Doom::of(&self.system, self.state()) else { return Patience::Unknown };
        if doom.is_at(self.state()) {
            return Patience::Deadlock;
        }
        let locations = self.state().locations.clone();
        let last = self.farthest(|simulator, amount| {
            let after = simulator.after(amount);
            after.is_some_and(|(_, values)| !doom.is_at(&State { locations: locations.clone(), values }))
        });
        let passed = last.is_none_or(|(_, halves)| {
            let amount = self.earlier(halves);
            self.wait(&amount)
        });
        if passed && !self.moves().is_empty() { Patience::Rewarded } else { Patience::Unknown }
    }
    /// When a time begins in which a step is possible, as one is after so many halves of a grain.
    fn earlier(&mut self, halves: i64) -> Rat {
        let grains = self.grains();
        let (mut before, mut possible) = (-1, halves);
        while possible - before > 1 {
            let middle = before + (possible - before) / 2;
            let waited = self.wait(&fraction(middle, 2 * grains));
            let steps = waited && !self.moves().is_empty();
            if waited {
                self.back();
            }
            if steps { possible = middle } else { before = middle }
        }
        fraction(possible, 2 * grains)
    }
    /// Undoes the last step, or the last time that was let pass since; `false` if there is none.
    pub fn back(&mut self) -> bool {
        let steps = self.steps();
        self.cycle = None;
        let Some(run) = self.run.as_mut() else { return false };
        match self.waits.pop_if(|(at, ..)| *at == steps) {
            None => run.steps.pop().is_some(),
            Some((_, decisions, values)) => {
                match run.steps.last_mut() {
                    Some(last) => (last.state.values, last.decisions) = (values, decisions),
                    None => (run.initial.values, run.decisions) = (values, decisions),
                }
                true
            }
        }
    }
    fn complete(&self, chosen: &Move, chooser: &mut dyn Chooser) -> Option<(Vec<Decision>, State)> {
        let state = self.state();
        let mut interp = Interp::new(&self.system, Some(self.stop.flag()));
        let mut script = chosen.script.clone();
        loop {
            match interp.follow(chosen.stmt, state, &script) {
                Ok(Some(outcome)) => {
                    let open =
                        self.system.state_vars().zip(&outcome.values).find(|(_, value)| value.is_none());
                    let Some((var, _)) = open else {
                        return Some((
                            script,
                            State { locations: chosen.target.clone(), values: outcome.values },
                        ));
                    };
                    // The last havoc of the variable left it open; give that one a value.
                    let asks = Stuck::Needs(Need::Value(var));
                    let at = (0..script.len()).rev().filter(|at| script[*at] == Decision::Value(None)).find(
                        |at| interp.follow(chosen.stmt, state, &script[..*at]).err() == Some(asks.clone()),
                    )?;
                    script[at] = Decision::Value(Some(self.open_value(chooser, state, chosen.stmt, var)?));
                }
                Ok(None) => return None,
                Err(Stuck::Needs(question)) => {
                    script.push(chooser.choose(&self.system, state, chosen.stmt, &question)?);
                }
                Err(_) => return None,
            }
        }
    }
    /// Replays a trace from the start, once around its loop if it has one; `show` is called after every step. Whether
    /// what the trace shows besides is what the model shows.
    ///
    /// # Errors
    /// Where the trace does not fit.
    pub fn follow(&mut self, trace: &Trace, show: impl FnMut(&Self)) -> Result<bool, Misfit> {
        self.retrace(trace, show).map_err(|misfit| trace.late().unwrap_or(misfit))
    }
    fn retrace(&mut self, trace: &Trace, mut show: impl FnMut(&Self)) -> Result<bool, Misfit> {
        let run = Lower::new(&self.system, &trace.signature)?.run(trace)?;
        self.lift().agrees(trace, &run, Places::Ignored)?;
        let same_places = self.lift().agrees(trace, &run, Places::Compared).is_ok();
        if trace.cycle.is_some() && trace.property.as_ref().is_some_and(|asked| !asked.is_about_runs()) {
            return Err(Mismatch::Endless.into());
        }
        if run.initial.locations != self.system.initial_locations() {
            return Err(Mismatch::Start.into());
        }
        let mut system = self.system.clone();
        let replayed = replay::run(&mut system, &run, |system, leg, (decisions, after)| {
            let place = if leg.number == 0 { Place::Initial } else { Place::Step(leg.number) };
            let before = leg.source(after);
            self.replay(system, leg.stmt, before, decisions, after).map_err(|what| what.at(place))?;
            match leg.number.checked_sub(1).and_then(|at| run.all_steps().nth(at)) {
                None => self.run = Some(Run::begin(decisions.to_vec(), after.clone())),
                Some(step) => self.run.as_mut().expect("a started simulation").steps.push(step.clone()),
            }
            show(self);
            let (values, decisions) = (after.values.clone(), decisions.to_vec());
            Ok(Some(Outcome { values, decisions, fixed: vec![] }))
        });
        replayed.map_err(|astray| match astray {
            Astray::Misfit(misfit) => misfit,
            Astray::NoStep(number) => {
                let title = run.all_steps().nth(number - 1).map(|step| self.title(&step.edges));
                Mismatch::Impossible(title.unwrap_or_default()).at(Place::Step(number))
            }
        })?;
        self.cycle =
            trace.cycle.map(|start| (start, run.cycle.and_then(|cycle| cycle.head).map(|head| *head)));
        match (&trace.ends, self.fault()) {
            (Ends::Fault(_), None) => Err(Mismatch::NoFault.into()),
            (Ends::Target | Ends::Undefined(_) | Ends::Anywhere, Some(_)) => Err(Mismatch::Fault.into()),
            _ => Ok(same_places),
        }
    }
    fn replay(
        &self,
        system: &System,
        stmt: Stmt,
        before: &State,
        script: &[Decision],
        after: &State,
    ) -> Result<(), Mismatch> {
        let differs = |values: &[Option<Value>]| {
            let mut pairs = system.state_vars().zip(values.iter().zip(&after.values));
            pairs.find(|(_, (computed, said))| computed.is_some() && computed != said).map(|(var, _)| var)
        };
        let mut interp = Interp::new(system, Some(self.stop.flag()));
        match interp.follow(stmt, before, script) {
            Ok(Some(outcome)) => match differs(&outcome.values) {
                None => Ok(()),
                Some(var) => Err(Mismatch::Differs(system.vars[var].name.clone())),
            },
            Ok(None) => Err(Mismatch::Blocked),
            Err(Stuck::Needs(_)) if script.is_empty() => {
                let mut found = false;
                let search = interp.successors(stmt, before, &mut |outcome| {
                    found = differs(&outcome.values).is_none();
                    !found
                });
                if found && search.is_ok() { Ok(()) } else { Err(Mismatch::NoExecution) }
            }
            Err(_) => Err(Mismatch::Choices),
        }
    }
    /// What goes wrong in the last state, if anything, with its place.
    pub fn fault(&self) -> Option<String> {
        self.fault_in(self.state())
    }
    /// What goes wrong in a state, if anything, with its place.
    pub fn fault_in(&self, state: &State) -> Option<String> {
        let fault = &self.system.faults[self.system.fault_of(state)?];
        Some(format!("{} at {}", fault.kind, self.model.sources.place(fault.span)))
    }
    /// The property that the last state decides, if it does: where it is false, or asked for.
    pub fn violation(&self) -> Option<&PropertyRef> {
        self.violation_in(self.state())
    }
    /// The property that a state decides, if it does; none decides a claim about runs.
    pub fn violation_in(&self, state: &State) -> Option<&PropertyRef> {
        let (question, property) = self.watched.as_ref()?;
        let target = question.target()?;
        (self.undefined_in(state).is_none() && self.found_in(state, target)).then_some(property)
    }
    /// The property that the run decides, if it does: by its last state, or as a whole, with the loop that was followed.
    pub fn decided(&self) -> Option<&PropertyRef> {
        let (question, property) = self.watched.as_ref()?;
        if question.target().is_some() {
            return self.violation();
        }
        let shown = certify::check_run(&self.system, question, &self.whole_run()?, self.stop.flag());
        (self.undefined_in(self.state()).is_none() && matches!(shown, Ok(Reached::Target)))
            .then_some(property)
    }
    /// The run so far, with the loop that was followed.
    fn whole_run(&self) -> Option<Run> {
        let run = self.run.clone()?;
        Some(match &self.cycle {
            Some((start, head)) => run.around(*start).within(head.clone()),
            None => run,
        })
    }
    /// How evaluating the property goes wrong in a state, if it does.
    fn undefined_in(&self, state: &State) -> Option<FaultKindRecord> {
        let fault = self.faults.iter().find(|(condition, _)| self.found_in(state, *condition));
        fault.map(|(_, fault)| FaultKindRecord(fault.kind))
    }
    fn found_in(&self, state: &State, condition: Term) -> bool {
        if !self.system.is_observed(&state.locations) {
            return false;
        }
        let find = |system: &System, condition: Term| {
            matches!(Interp::new(system, Some(self.stop.flag())).find(state, condition), Ok(Some(_)))
        };
        if !ir::mentions_deadlock(&self.system, condition) {
            return find(&self.system, condition);
        }
        let mut system = self.system.clone();
        ir::at_state(&mut system, condition, state).is_ok_and(|here| find(&system, here))
    }
    /// The run so far as a trace.
    pub fn trace(&self) -> Trace {
        let run = &self.whole_run().expect("a started simulation");
        let lift = self.lift();
        if let Some(fault) = self.system.fault_of(self.state()) {
            return lift.trace(run, None, lift.fault(fault));
        }
        if let Some(kind) = self.undefined_in(self.state()) {
            let property = self.watched.as_ref().map(|(_, property)| property.clone());
            return lift.trace(run, property, Ends::Undefined(kind));
        }
        match self.decided() {
            Some(property) => lift.trace(run, Some(property.clone()), Ends::Target),
            None => lift.trace(run, None, Ends::Anywhere),
        }
    }
    /// A state by names.
    pub fn record(&self, state: &State) -> StateRecord {
        self.lift().state(state)
    }
    /// What a step is called, and where it is written.
    pub fn title(&self, edges: &Edges) -> String {
        let Simulator { model, system, .. } = self;
        let one = |edge: &(ir::ProcessId, ir::EdgeId)| {
            let title = model.lowered.view.title(system, *edge);
            let span = system.processes[edge.0].edges[edge.1].span;
            match (model.sources.of(span).written_at(span), model.sources.other_file(span)) {
                (Some((line, _)), Some(file)) => format!("{title} ({file}, line {line})"),
                (Some((line, _)), None) => format!("{title} (line {line})"),
                (None, _) => title,
            }
        };
        edges.iter().map(one).collect::<Vec<_>>().join(", ")
    }
    /// What is special about the last state, as people read it.
    fn remark(&self) -> String {
        let fault = self.fault().map(|fault| format!("here the model goes wrong: {fault}"));
        let undefined = || Some(format!("here the query goes wrong: {}", self.undefined_in(self.state())?.0));
        let violation = || Some(format!("here {}", self.violation()?.decided()));
        table::remark(fault.or_else(undefined).or_else(violation))
    }
    /// The last step as people read it; the initial state before the first.
    pub fn last_step(&self) -> String {
        let run = self.run.as_ref().expect("a started simulation");
        let Some((last, earlier)) = run.steps.split_last() else {
            return table::initial(&self.signature, &self.lift().start(run)) + &self.remark();
        };
        let before = self.record(earlier.last().map_or(&run.initial, |step| &step.state));
        let step = self.lift().step(last);
        table::step(&self.signature, run.steps.len(), &before, &[step], false) + &self.remark()
    }
}

/// Why a trace cannot be followed further.
enum Astray {
    /// Nothing does this step.
    NoStep(usize),
    /// The model does something else.
    Misfit(Misfit),
}

impl From<NoStep> for Astray {
    fn from(NoStep(number): NoStep) -> Self {
        Astray::NoStep(number)
    }
}

impl From<Misfit> for Astray {
    fn from(misfit: Misfit) -> Self {
        Astray::Misfit(misfit)
    }
}

/// Decides branches as long as the next decision can be listed; the moves that remain ask.
fn expand(interp: &mut Interp<'_>, state: &State, base: &Move, moves: &mut Vec<Move>) {
    let mut open = vec![vec![]];
    while let Some(script) = open.pop() {
        if moves.len() >= MOST {
            return;
        }
        match interp.follow(base.stmt, state, &script) {
            Ok(Some(outcome)) => {
                let target = State { locations: base.target.clone(), values: outcome.values };
                moves.push(Move { script, state: Some(target), ..base.clone() });
            }
            Err(Stuck::Needs(Need::Branch(count))) => {
                let longer = |branch| script.iter().cloned().chain([Decision::Branch(branch)]).collect();
                open.extend((0..count).rev().map(longer));
            }
            Err(Stuck::Needs(_)) => moves.push(Move { script, state: None, ..base.clone() }),
            Ok(None) | Err(_) => {}
        }
    }
}

fn fraction(numerator: i64, denominator: i64) -> Rat {
    Rat::new(&ir::Int::from(numerator), &ir::Int::from(denominator)).expect("not divided by zero")
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
