//! `thetis simulate`: one step after the other, by hand, by chance, or along a trace.
//!
//! Simulation keeps a concrete run: every state has a value for every variable. Where the model
//! leaves a value or an amount of time open that cannot be enumerated, somebody is asked, see
//! [`Chooser`]. In a network of timed automata, steps are taken without delay, and time passes after
//! them as long as is wanted, see [`Simulator::wait`].

mod chance;
mod dialogue;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Stop;
use ir::interp::{Interp, Need, Outcome, Stuck};
use ir::{
    Actions, Decision, Edges, LocationId, Property, Rat, Run, State, Step, Stmt, System, Term, Value, VarId,
    within,
};

use crate::check::own_text;
use crate::console::Console;
use crate::exit::{Exit, Failure, leave};
use crate::limits::{self, Limits};
use crate::load::Loaded;
use crate::render;
use crate::source::Source;
use crate::trace::lift::{Lift, Lower, signature};
use crate::trace::{self, CheckStates, Ends, PropertyRef, Signature, Trace, one_line, table};

pub use chance::Chance;

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// By chance, so many steps with this seed; else by hand.
    pub random: Option<(u64, usize)>,
    /// Along this trace first.
    pub follow: Option<PathBuf>,
    /// The property to watch instead of the model's own.
    pub property: Option<String>,
    /// Where to write the run.
    pub trace: Option<PathBuf>,
    /// Whether stdout gets the trace as JSON instead of text.
    pub json: bool,
    /// Whether somebody may be asked after a trace has been followed.
    pub interactive: bool,
}

/// Runs the command.
pub fn run(mut loaded: Loaded, options: &Options, console: &Console) -> Result<Exit, Failure> {
    if let Some(path) = &options.trace {
        if crate::check::real(path) == crate::check::real(Path::new(&loaded.source.name)) {
            let shown = path.display();
            return Err(Failure::Input(format!(
                "`--trace {shown}` would write over the model `{}`; name another file",
                loaded.source.name
            )));
        }
        trace::writable(path)?;
    }
    let stop = Arc::new(Stop::new());
    let late = console.clone();
    let watch = limits::watch(Limits::default(), stop.clone(), move |_| {
        late.note("interrupted in the middle of a step; the run is lost");
        leave(Exit::Unknown);
    })?;
    let property = match &options.property {
        Some(text) => {
            let parsed = loaded.model.parse_property(&one_line(text), text);
            let property = parsed.map_err(|diagnostics| {
                let (source, model) = (Source::new("-p", text.as_str()), &loaded.source.name);
                render::property(&source, diagnostics, model, console.colour)
            })?;
            Some((property, text.trim().to_owned()))
        }
        None => loaded.model.property.clone().zip(own_text(&loaded.source)),
    };
    let trace = options.follow.as_ref().map(|path| Ok((path, trace::read(path)?))).transpose()?;
    if let Some((path, trace)) = &trace
        && trace.property.as_ref().is_some_and(|asked| asked.within.is_some())
    {
        // Its states have one more clock.
        within::clock(&mut loaded.model.system).map_err(|why| {
            Failure::Input(format!("`{}` does not fit `{}`: {why}", path.display(), loaded.source.name))
        })?;
    }
    let mut simulator = Simulator::new(loaded, stop.clone());
    if let Some((property, text)) = property {
        let name = property.name.clone();
        simulator.watch(&property, PropertyRef { name, text, check_states: CheckStates::All, within: None });
    }
    let followed = match &trace {
        Some((path, trace)) => {
            let shown = |text: String| {
                if !options.json {
                    console.print(text)
                }
            };
            let same_places = simulator.follow(trace, shown).map_err(|why| {
                let model = &simulator.source.name;
                let why = trace.late().unwrap_or(why);
                Failure::Input(format!("`{}` does not fit `{model}`: {why}", path.display()))
            })?;
            if !same_places {
                console.note(moved(&path.display()));
            }
            true
        }
        None => false,
    };
    let exit = match options.random {
        Some((seed, steps)) => chance::walk(&mut simulator, seed, steps, followed, options.json, console)?,
        None if followed && !options.interactive => Exit::Holds,
        None => dialogue::talk(&mut simulator, followed, options.json, console)?,
    };
    drop(watch);
    let exit = if stop.requested() {
        let words = format!("interrupted after {}", steps(simulator.steps()));
        if options.json {
            console.note(words)
        } else {
            console.line(words)
        }
        Exit::Unknown
    } else {
        exit
    };
    let trace = simulator.trace();
    if options.json {
        console.json(&trace);
    }
    if let Some(path) = &options.trace {
        trace::write(path, &trace)?;
        console.note(format!("trace written to {}", path.display()));
    }
    Ok(exit)
}

/// So many steps, in words.
pub fn steps(count: usize) -> String {
    format!("{count} step{}", if count == 1 { "" } else { "s" })
}

/// What to say of a trace whose places are not those of the model.
pub fn moved(path: &impl std::fmt::Display) -> String {
    format!("note: the model was edited since `{path}` was written; lines are shown as they are now")
}

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

/// The run so far of one system.
pub struct Simulator {
    system: System,
    source: Source,
    signature: Signature,
    actions: Actions,
    /// Whether the model is a network, where delays are not part of statements that the user wrote.
    network: bool,
    run: Option<Run>,
    /// What was before time was let pass, with the number of steps then, to be undone.
    waits: Vec<(usize, Vec<Decision>, Values)>,
    /// Where the property in question is false, and which one that is.
    watched: Option<(Term, PropertyRef)>,
    /// Where evaluating it goes wrong.
    faults: Vec<(Term, ir::Fault)>,
    stop: Arc<Stop>,
}

/// The values of a state.
type Values = Box<[Option<Value>]>;

/// The most steps that are listed from one state.
const MOST: usize = 1000;

impl Simulator {
    /// A simulation that has not started; `stop` ends a step that takes long.
    pub fn new(loaded: Loaded, stop: Arc<Stop>) -> Self {
        let Loaded { source, model } = loaded;
        let signature = signature(&model.system);
        let (actions, network) = (Actions::new(), !model.is_xsts());
        Simulator {
            system: model.system,
            source,
            signature,
            actions,
            network,
            run: None,
            waits: vec![],
            watched: None,
            faults: vec![],
            stop,
        }
    }
    /// Says of states that follow whether `property`, which is written `text`, is false in them.
    pub fn watch(&mut self, property: &Property, asked: PropertyRef) {
        crate::check::observe(&mut self.system, asked.check_states);
        let ir::Question::Reach(target) = self.system.question(property.claim);
        self.watched = Some((target, asked));
        self.faults.clone_from(&property.faults);
    }
    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.requested()
    }
    /// Starts; open initial values are asked for.
    pub fn start(&mut self, chooser: &mut dyn Chooser) -> Result<(), Failure> {
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
        let result = match self.network {
            true => interp.successors_after(stmt, &open, &[Rat::ZERO], &mut keep),
            false => interp.successors(stmt, &open, &mut keep),
        };
        let outcome = match (first, result) {
            (Some(outcome), _) => outcome,
            (None, Err(Stuck::NotEnumerable(var))) => {
                let name = &self.system.vars[var].name;
                let message = format!("the initial values depend on `{name}`, which has none; give it one");
                return Err(Failure::Input(message));
            }
            (None, Err(Stuck::Interrupted)) => {
                return Err(Failure::Unknown("interrupted before the first state".to_owned()));
            }
            (None, _) => return Err(Failure::Input("the model has no initial state".to_owned())),
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
            let result = match self.network {
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
    /// Takes a step, asking for what is open; `false` if it turns out to be impossible.
    pub fn take(&mut self, chosen: &Move, chooser: &mut dyn Chooser) -> bool {
        let Some((decisions, state)) = self.complete(chosen, chooser) else { return false };
        let run = self.run.as_mut().expect("a started simulation");
        run.steps.push(Step { edges: chosen.edges.clone(), decisions, state });
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
    /// How much time may pass in the last state, in words.
    ///
    /// What may pass is an interval from 0 on. Constraints compare clocks with integers, so that it ends at
    /// a multiple of 1/d if the values of all clocks are such multiples.
    pub fn room(&mut self) -> String {
        let clocks: Vec<VarId> = self.system.clocks().collect();
        let mut grain = 1i64;
        for (var, value) in self.system.state_vars().zip(&self.state().values) {
            if let Some(Value::Rat(value)) = value
                && clocks.contains(&var)
                && let Some(denominator) = value.denominator().to_i64()
            {
                grain = grain.saturating_mul(denominator / gcd(grain, denominator)).min(1 << 30);
            }
        }
        let part = |halves: i64| {
            Rat::new(&ir::Int::from(halves), &ir::Int::from(2 * grain)).expect("not divided by zero")
        };
        if self.after(&part(1)).is_none() {
            return "no time can pass here".to_owned();
        }
        let (mut fits, mut not) = (0, 1);
        while self.after(&part(2 * not)).is_some() {
            (fits, not) = (not, not * 2);
            if not > grain.saturating_mul(1 << 29) || self.stopped() {
                return "any amount of time can pass here".to_owned();
            }
        }
        while not - fits > 1 {
            let middle = fits + (not - fits) / 2;
            match self.after(&part(2 * middle)) {
                Some(_) => fits = middle,
                None => not = middle,
            }
        }
        let amount = |halves: i64| table::amount(&part(halves).to_string());
        match self.after(&part(2 * fits + 1)) {
            Some(_) => format!("less than {} can pass here", amount(2 * not)),
            None => format!("at most {} can pass here", amount(2 * fits)),
        }
    }
    /// Undoes the last step, or the last time that was let pass since; `false` if there is none.
    pub fn back(&mut self) -> bool {
        let steps = self.steps();
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
    /// Replays a trace from the start, showing each state as the model has it; says where it does not
    /// fit. Whether the places in the trace are those of the model.
    pub fn follow(&mut self, trace: &Trace, mut show: impl FnMut(String)) -> Result<bool, String> {
        let run = Lower::new(&self.system, &trace.signature)?.run(trace)?;
        let lift = Lift { system: &self.system, source: &self.source };
        lift.agrees(trace, &run, false)?;
        let same_places = lift.agrees(trace, &run, true).is_ok();
        let locations = self.system.initial_locations();
        if run.initial.locations != locations {
            return Err("it does not start at the initial locations".to_owned());
        }
        let initial = ir::initial(&mut self.system);
        // The initial statement starts from arbitrary values, these for example.
        self.replay("initial state", initial, &run.initial, &run.decisions, &run.initial)?;
        let mut before = run.initial.clone();
        self.run = Some(Run::begin(run.decisions, run.initial));
        show(self.last_step());
        for (number, step) in run.steps.into_iter().enumerate() {
            let place = format!("step {}", number + 1);
            let vector = self.actions.vector(&before.locations);
            let actions = self.actions.of(&mut self.system, vector);
            let action = actions.iter().find(|action| action.takes(&step.edges, &step.state.locations));
            let stmt = action.map(|action| action.stmt);
            let stmt = stmt
                .ok_or_else(|| format!("{place}: `{}` is not possible there", heading(self, &step.edges)))?;
            self.replay(&place, stmt, &before, &step.decisions, &step.state)?;
            before = step.state.clone();
            self.run.as_mut().expect("a started simulation").steps.push(step);
            show(self.last_step());
        }
        match (&trace.ends, self.fault()) {
            (Ends::Fault(_), None) => Err("it claims to end in a fault, and does not".to_owned()),
            (Ends::Target | Ends::Undefined(_) | Ends::Anywhere, Some(_)) => {
                Err("it ends in a fault, and does not say so".to_owned())
            }
            _ => Ok(same_places),
        }
    }
    fn replay(
        &self,
        place: &str,
        stmt: Stmt,
        before: &State,
        script: &[Decision],
        after: &State,
    ) -> Result<(), String> {
        let differs = |values: &[Option<Value>]| {
            let mut pairs = self.system.state_vars().zip(values.iter().zip(&after.values));
            pairs.find(|(_, (computed, said))| computed.is_some() && computed != said).map(|(var, _)| var)
        };
        let mut interp = Interp::new(&self.system, Some(self.stop.flag()));
        match interp.follow(stmt, before, script) {
            Ok(Some(outcome)) => match differs(&outcome.values) {
                None => Ok(()),
                Some(var) => Err(format!("{place}: `{}` gets another value", self.system.vars[var].name)),
            },
            Ok(None) => Err(format!("{place}: an assumption fails")),
            Err(Stuck::Needs(_)) if script.is_empty() => {
                let mut found = false;
                let search = interp.successors(stmt, before, &mut |outcome| {
                    found = differs(&outcome.values).is_none();
                    !found
                });
                if found && search.is_ok() {
                    Ok(())
                } else {
                    Err(format!("{place}: no execution leads to its state"))
                }
            }
            Err(_) => Err(format!("{place}: the recorded choices do not fit")),
        }
    }
    /// What goes wrong in the last state, if anything, with its place.
    pub fn fault(&self) -> Option<String> {
        self.fault_in(self.state())
    }
    fn fault_in(&self, state: &State) -> Option<String> {
        let fault = &self.system.faults[self.system.fault_of(state)?];
        let (line, column) = self.source.start(fault.span);
        Some(format!("{} at {}:{line}:{column}", fault.kind, self.source.name))
    }
    /// The property that the last state decides, if it does: where it is false, or asked for.
    pub fn violation(&self) -> Option<&PropertyRef> {
        self.violation_in(self.state())
    }
    fn violation_in(&self, state: &State) -> Option<&PropertyRef> {
        let (target, property) = self.watched.as_ref()?;
        (self.undefined_in(state).is_none() && self.found_in(state, *target)).then_some(property)
    }
    /// How evaluating the property goes wrong in a state, if it does.
    fn undefined_in(&self, state: &State) -> Option<String> {
        let fault = self.faults.iter().find(|(condition, _)| self.found_in(state, *condition));
        fault.map(|(_, fault)| fault.kind.to_string())
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
        let run = self.run.as_ref().expect("a started simulation");
        let lift = Lift { system: &self.system, source: &self.source };
        let fault = self.system.fault_of(self.state());
        match (fault, self.violation()) {
            (Some(fault), _) => lift.trace(run, None, lift.fault(fault)),
            _ if self.undefined_in(self.state()).is_some() => {
                let kind = self.undefined_in(self.state()).unwrap_or_default();
                let property = self.watched.as_ref().map(|(_, property)| property.clone());
                lift.trace(run, property, Ends::Undefined(kind))
            }
            (None, Some(property)) => lift.trace(run, Some(property.clone()), Ends::Target),
            (None, None) => lift.trace(run, None, Ends::Anywhere),
        }
    }
    /// What is special about the last state, as people read it.
    fn remark(&self) -> String {
        let fault = self.fault().map(|fault| format!("here the model goes wrong: {fault}"));
        let undefined = || Some(format!("here the query goes wrong: {}", self.undefined_in(self.state())?));
        let violation = || Some(format!("here {}", self.violation()?.decided()));
        table::remark(fault.or_else(undefined).or_else(violation))
    }
    /// The last step as people read it; the initial state before the first.
    fn last_step(&self) -> String {
        let run = self.run.as_ref().expect("a started simulation");
        let record = |state: &State| trace::lift::state(&self.system, state);
        let Some((last, earlier)) = run.steps.split_last() else {
            let lift = Lift { system: &self.system, source: &self.source };
            let start = lift.start(run);
            return table::initial(&self.signature, &start) + &self.remark();
        };
        let before = record(earlier.last().map_or(&run.initial, |step| &step.state));
        let step = Lift { system: &self.system, source: &self.source }.step(last);
        table::step(&self.signature, run.steps.len(), &before, &step, false) + &self.remark()
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

/// The label and the line of the edges of a move.
fn heading(simulator: &Simulator, edges: &Edges) -> String {
    let one = |(process, edge): &(ir::ProcessId, ir::EdgeId)| {
        let process = &simulator.system.processes[*process];
        let edge = &process.edges[*edge];
        let label = if process.name == "xsts" {
            edge.label.clone()
        } else {
            format!("{} {}", process.name, edge.label)
        };
        match simulator.source.written_at(edge.span) {
            Some((line, _)) => format!("{label} (line {line})"),
            None => label,
        }
    };
    edges.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Where the processes are.
fn place(simulator: &Simulator) -> String {
    trace::lift::locations(&simulator.system, &simulator.state().locations).join(", ")
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
