//! Between runs of a model and traces in files.

use std::collections::HashMap;
use std::path::Path;

use ir::interp::Interp;
use ir::{
    Decision, Edges, FaultId, Head, Id, IdVec, LocationId, Process, ProcessId, Rat, Run, State, Stuck,
    System, Term, Type,
};
use lang::{OccurrenceKind, Section, Time, View};
use serde_json::Number;

use super::{
    Choice, ConfigurationRecord, Datum, EdgeRecord, Ends, EnumRecord, FaultKindRecord, FaultRecord,
    HeadRecord, Misfit, Mismatch, OccurrenceKindRecord, OccurrenceRecord, Place, ProcessRecord, PropertyRef,
    Repeats, SectionRecord, Shown, Signature, Start, StateRecord, Step, TimeRecord, Trace, TypeRecord,
    VariableRecord, decimal,
};
use crate::certificate::formula;
use crate::load::Model;
use crate::source::{Source, Sources};

/// Formulas with more parts than this when written out are not shown to people.
const MOST_TOLD: usize = 200;

/// Whether what a trace shows, the places of edges above all, must be what the model shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Places {
    /// They must.
    Compared,
    /// They need not: the model may have been edited.
    Ignored,
}

/// A system with its view and the texts it came from: what gives runs their names and places.
#[derive(Copy, Clone)]
pub struct Lift<'a> {
    /// The system: that of a model, or one that was posed.
    pub system: &'a System,
    /// How it is shown.
    pub view: &'a View,
    /// Its texts.
    pub sources: &'a Sources,
}

impl<'a> Lift<'a> {
    /// What lifts runs of `system`, a posed one, into traces of `model`.
    pub fn new(model: &'a Model, system: &'a System) -> Self {
        Lift { system, view: &model.lowered.view, sources: &model.sources }
    }
    /// The run as a trace.
    pub fn trace(&self, run: &Run, property: Option<PropertyRef>, ends: Ends) -> Trace {
        Trace {
            format: super::FORMAT.to_owned(),
            version: super::VERSION,
            model: self.sources.main().name.clone(),
            property,
            ends,
            signature: self.signature(),
            initial: self.start(run),
            steps: run.all_steps().map(|step| self.step(step)).collect(),
            cycle: run.cycle.as_ref().map(|_| run.steps.len()),
            repeats: self.repeats(run),
            upgraded: false,
        }
    }
    /// How the cycle of a run comes again.
    fn repeats(&self, run: &Run) -> Repeats {
        let Some(head) = run.cycle.as_ref().and_then(|cycle| cycle.head.as_ref()) else {
            let rests = run.cycle.as_ref().is_some_and(|cycle| cycle.steps.is_empty());
            return if rests && self.idles(run.last()) { Repeats::Idle } else { Repeats::Exact };
        };
        let formula = formula::Writer::new(self.system).text(&head.terms, head.formula);
        Repeats::Recurrent(HeadRecord { formula, text: self.told(head) })
    }
    /// Whether time may pass for ever in a state.
    fn idles(&self, state: &State) -> bool {
        if self.system.stuck != Stuck::Idle {
            return false;
        }
        let mut system = self.system.clone();
        let Ok(idle) = ir::idle(&mut system) else { return false };
        let Ok(here) = ir::at_state(&mut system, idle, state) else { return false };
        matches!(Interp::new(&system, None).find(state, here), Ok(Some(_)))
    }
    /// What a head says, for people, unless it is too large for them.
    fn told(&self, head: &Head) -> String {
        let mut sizes: HashMap<Term, usize> = HashMap::new();
        head.terms.for_each_subterm(head.formula, |term| {
            let mut size = 1_usize;
            head.terms.node(term).for_each_child(|child| size = size.saturating_add(sizes[&child]));
            sizes.insert(term, size);
        });
        if sizes[&head.formula] > MOST_TOLD {
            return "(a long formula)".to_owned();
        }
        System { terms: head.terms.clone(), ..self.system.clone() }.show(head.formula).to_string()
    }
    /// The beginning of a run.
    pub fn start(&self, run: &Run) -> Start {
        Start { decisions: self.decisions(&run.decisions), state: self.state(&run.initial) }
    }
    /// One step of a run.
    pub fn step(&self, step: &ir::Step) -> Step {
        let edge = |(process, id): &(ProcessId, ir::EdgeId)| {
            let body = &self.system.processes[*process];
            let edge = &body.edges[*id];
            let (line, column) = self.sources.of(edge.span).written_at(edge.span).unzip();
            EdgeRecord {
                process: body.name.clone(),
                edge: id.index() as u32,
                label: edge.label.clone(),
                title: self.view.title(self.system, (*process, *id)),
                file: self.sources.other_file(edge.span).map(str::to_owned),
                line,
                column,
            }
        };
        let delays: Vec<&Rat> = step
            .decisions
            .iter()
            .filter_map(|d| if let Decision::Delay(amount) = d { Some(amount) } else { None })
            .collect();
        let total = delays.iter().fold(Rat::ZERO, |sum, amount| &sum + amount);
        Step {
            edges: step.edges.iter().map(edge).collect(),
            decisions: self.decisions(&step.decisions),
            delay: (!delays.is_empty()).then(|| total.to_string()),
            delay_decimal: (!delays.is_empty()).then(|| decimal(&total)).flatten(),
            goes_on: self.view.within_step(&step.state.locations),
            happened: self.happened(&step.edges, &step.state),
            state: self.state(&step.state),
        }
    }
    /// What happened in the step of these edges that led to a state.
    pub fn happened(&self, edges: &Edges, state: &State) -> Vec<OccurrenceRecord> {
        let at = crate::verdict::At { system: self.system, state };
        let value = |term: Term| ir::eval::eval(&self.system.terms, &at, term).ok();
        let happened = |occurrence: &&lang::Occurrence| {
            matches!(value(occurrence.happened).as_deref(), Some(ir::Value::Bool(true)))
        };
        let record = |occurrence: &lang::Occurrence| {
            let (line, column) = self.sources.of(occurrence.span).written_at(occurrence.span).unzip();
            let datum = |term: Term| value(term).map(|value| Datum::new(self.system.types(), &value));
            OccurrenceRecord {
                kind: match occurrence.kind {
                    OccurrenceKind::Input => OccurrenceKindRecord::Input,
                    OccurrenceKind::Run => OccurrenceKindRecord::Run,
                    OccurrenceKind::Transition => OccurrenceKindRecord::Transition,
                    OccurrenceKind::Output => OccurrenceKindRecord::Output,
                },
                name: occurrence.name.clone(),
                values: occurrence.values.iter().map(|(name, term)| (name.clone(), datum(*term))).collect(),
                file: self.sources.other_file(occurrence.span).map(str::to_owned),
                line,
                column,
            }
        };
        let time = edges.iter().filter_map(|edge| self.view.elapsed.get(edge)).map(|elapsed| {
            let amount = value(elapsed.amount).map(|value| Datum::new(self.system.types(), &value));
            OccurrenceRecord {
                kind: OccurrenceKindRecord::Time,
                name: "time".to_owned(),
                values: vec![(elapsed.unit.to_owned(), amount)],
                file: None,
                line: None,
                column: None,
            }
        });
        time.chain(self.view.occurrences.iter().filter(happened).map(record)).collect()
    }
    /// A run that ends in this fault.
    pub fn fault(&self, fault: FaultId) -> Ends {
        let fault = &self.system.faults[fault];
        let (line, column) = self.sources.of(fault.span).start(fault.span);
        let (kind, file) =
            (FaultKindRecord(fault.kind), self.sources.other_file(fault.span).map(str::to_owned));
        Ends::Fault(FaultRecord { kind, file, line, column })
    }
    /// Whether what `trace` shows is what the model shows of `run`, which was read from it. Unless `places` are
    /// compared, only what is computed from the choices counts: the rest changes when a model is edited.
    ///
    /// # Errors
    /// Where it is not.
    pub fn agrees(&self, trace: &Trace, run: &Run, places: Places) -> Result<(), Misfit> {
        let compared = places == Places::Compared;
        // What a file of version 1 says of these was made up when it was read.
        let whole = compared && !trace.upgraded;
        if whole {
            same_signature(&trace.signature, &self.signature())?;
            same_choices(&trace.initial.decisions, &self.decisions(&run.decisions))
                .and_then(|()| same_cases(&trace.initial.state, &self.state(&run.initial)))
                .map_err(|what| what.at(Place::Initial))?;
            let known = self.repeats(run);
            let idles = |repeats: &Repeats| *repeats == Repeats::Idle;
            let agree = trace.repeats.head() == known.head() && idles(&trace.repeats) == idles(&known);
            same(agree, || Shown::Head)?;
        }
        for (number, (said, step)) in trace.steps.iter().zip(run.all_steps()).enumerate() {
            let known = self.step(step);
            same_delay(said, &known)
                .and_then(|()| if compared { same_places(said, &known) } else { Ok(()) })
                .and_then(|()| if whole { same_step(said, &known) } else { Ok(()) })
                .map_err(|what| what.at(Place::Step(number + 1)))?;
        }
        Ok(())
    }
    /// Whether the names of a file, as far as they are those of the model, are shown as the model shows them.
    ///
    /// # Errors
    /// Which are not.
    pub fn shows(&self, said: &Signature) -> Result<(), Mismatch> {
        same_signature(said, &self.signature())
    }
    fn decisions(&self, list: &[Decision]) -> Vec<Choice> {
        let types = self.system.types();
        let choice = |decision: &Decision| match decision {
            Decision::Branch(branch) => Choice::Branch { branch: *branch },
            Decision::Delay(amount) => Choice::Delay { delay: amount.to_string(), decimal: decimal(amount) },
            Decision::Value(value) => Choice::Value {
                value: value.as_ref().map(|value| Datum::new(types, value)),
                ty: value.as_ref().map(|value| TypeRecord::new(types, types.type_of(value))),
            },
        };
        list.iter().map(choice).collect()
    }
    /// The names of the system, and how they are shown.
    pub fn signature(&self) -> Signature {
        let Lift { system, view, .. } = *self;
        let types = system.types();
        let stopwatches = ir::stopwatches(system);
        let variable = |var| {
            let known = view.variables.get(&var).cloned().unwrap_or_default();
            VariableRecord {
                name: system.vars[var].name.clone(),
                ty: TypeRecord::new(types, system.terms.var_type(var)),
                shown: system.vars[var].shown,
                stopwatch: stopwatches.contains(&var),
                group: view.path(known.group),
                values: known.values,
            }
        };
        let configuration = |configuration: &lang::Configuration| ConfigurationRecord {
            name: configuration.name.clone(),
            group: view.path(configuration.group),
        };
        Signature {
            time: match view.time {
                Time::AfterStep => TimeRecord::AfterStep,
                Time::InStep => TimeRecord::InStep,
            },
            types: types
                .enums()
                .map(|(_, ty)| EnumRecord { name: ty.name.clone(), literals: ty.literals.clone() })
                .collect(),
            processes: shown(system).map(|(id, process)| self.process(id, process)).collect(),
            variables: system.state_vars().map(variable).collect(),
            configurations: view.configurations.iter().map(configuration).collect(),
        }
    }
    fn process(&self, id: ProcessId, process: &Process) -> ProcessRecord {
        let section = |at| {
            self.view.location(id, at).next.map(|section| match section {
                Section::Init => SectionRecord::Init,
                Section::Env => SectionRecord::Env,
                Section::Trans => SectionRecord::Trans,
                Section::Whole => SectionRecord::Whole,
            })
        };
        let sections: Vec<Option<SectionRecord>> = process.locations.ids().map(section).collect();
        ProcessRecord {
            name: process.name.clone(),
            locations: process.locations.iter().map(|location| location.name.clone()).collect(),
            located: self.view.process(id).located,
            sections: if sections.iter().any(Option::is_some) { sections } else { vec![] },
        }
    }
    /// A state by names.
    pub fn state(&self, state: &State) -> StateRecord {
        let types = self.system.types();
        let values = state.values.iter();
        StateRecord {
            locations: locations(self.system, &state.locations),
            values: values.map(|value| value.as_ref().map(|value| Datum::new(types, value))).collect(),
            configurations: self.view.configurations.iter().map(|which| self.cases(which, state)).collect(),
        }
    }
    /// A state by names, with the locations of hidden processes that are not where they started.
    pub fn whole_state(&self, state: &State) -> StateRecord {
        StateRecord { locations: all_locations(self.system, &state.locations), ..self.state(state) }
    }
    /// The cases of a configuration in a state.
    fn cases(&self, configuration: &lang::Configuration, state: &State) -> Vec<String> {
        let at = crate::verdict::At { system: self.system, state };
        let holds = |term| {
            let value = ir::eval::eval(&self.system.terms, &at, term);
            matches!(value.as_deref(), Ok(ir::Value::Bool(true)))
        };
        let cases = configuration.cases.iter();
        cases.filter(|(term, _)| holds(*term)).map(|(_, name)| name.clone()).collect()
    }
}

fn same_delay(said: &Step, known: &Step) -> Result<(), Mismatch> {
    let amount = |delay: &Option<String>| delay.as_ref().map(|delay| delay.parse::<Rat>().ok());
    match amount(&said.delay) == amount(&known.delay) {
        true => Ok(()),
        false => Err(Mismatch::Delay(said.delay.clone(), known.delay.clone())),
    }
}

fn same_places(said: &Step, known: &Step) -> Result<(), Mismatch> {
    let written = |edge: &EdgeRecord| edge.line.zip(edge.column);
    let mut edges = said.edges.iter().zip(&known.edges);
    match edges.find(|(said, known)| written(said) != written(known)) {
        None => Ok(()),
        Some((said, known)) => {
            let (title, said, known) = (said.title.clone(), written(said), written(known));
            Err(Mismatch::Written { title, said, known })
        }
    }
}

/// Whether a step is shown as the model shows it; its delay and its places are compared elsewhere.
fn same_step(said: &Step, known: &Step) -> Result<(), Mismatch> {
    // Files are named from where somebody works, who may be elsewhere now.
    let file =
        |edge: &EdgeRecord| edge.file.as_ref().and_then(|file| Some(Path::new(file).file_name()?.to_owned()));
    for (said, known) in said.edges.iter().zip(&known.edges) {
        same(said.title == known.title, || Shown::Title(said.title.clone()))?;
        same(file(said) == file(known), || Shown::File(said.title.clone()))?;
    }
    same(said.goes_on == known.goes_on, || Shown::GoesOn)?;
    // Where it is written is told by a file whose name may be another one now.
    let told = |step: &Step| -> Vec<OccurrenceRecord> {
        step.happened.iter().map(|it| OccurrenceRecord { file: None, ..it.clone() }).collect()
    };
    same(told(said) == told(known), || Shown::Happened)?;
    same(is_near(&said.delay_decimal, &known.delay_decimal), || Shown::Decimal)?;
    same_choices(&said.decisions, &known.decisions)?;
    same_cases(&said.state, &known.state)
}

fn same_choices(said: &[Choice], known: &[Choice]) -> Result<(), Mismatch> {
    let decimal = |choice: &Choice| match choice {
        Choice::Delay { decimal, .. } => decimal.clone(),
        _ => None,
    };
    let mut pairs = said.iter().zip(known);
    same(pairs.all(|(said, known)| is_near(&decimal(said), &decimal(known))), || Shown::Decimal)
}

fn same_cases(said: &StateRecord, known: &StateRecord) -> Result<(), Mismatch> {
    same(said.configurations == known.configurations, || Shown::Cases)
}

/// Whether a decimal, if there is one, is the one that is expected, or nearly: readers of JSON round.
fn is_near(said: &Option<Number>, known: &Option<Number>) -> bool {
    let value = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    match (value(said), value(known)) {
        (Some(said), Some(known)) => (said - known).abs() <= 1e-9 * known.abs(),
        (said, _) => said.is_none(),
    }
}

/// Whether names are shown as the model shows them; that they are those of the model is known.
fn same_signature(said: &Signature, known: &Signature) -> Result<(), Mismatch> {
    same(said.time == known.time, || Shown::Time)?;
    for (said, known) in said.processes.iter().zip(&known.processes) {
        same(said == known, || Shown::Process(said.name.clone()))?;
    }
    for (said, known) in said.variables.iter().zip(&known.variables) {
        same(said == known, || Shown::Variable(said.name.clone()))?;
    }
    same(said.configurations == known.configurations, || Shown::Configurations)
}

fn same(same: bool, what: impl FnOnce() -> Shown) -> Result<(), Mismatch> {
    if same { Ok(()) } else { Err(Mismatch::Shown(what())) }
}

/// Locations by names.
pub fn locations(system: &System, locations: &[LocationId]) -> Vec<String> {
    let name = |(id, process): (ProcessId, &Process)| process.locations[locations[id.index()]].name.clone();
    shown(system).map(name).collect()
}

/// Locations by names, and behind them those of hidden processes that are not where they started.
pub fn all_locations(system: &System, at: &[LocationId]) -> Vec<String> {
    let mut names = locations(system, at);
    names.extend(hidden(system).filter(|(id, _, place)| at[id.index()] == *place).map(|(_, name, _)| name));
    names
}

/// The locations that hidden processes can go to, with the names they have in files.
fn hidden(system: &System) -> impl Iterator<Item = (ProcessId, String, LocationId)> {
    let start = system.initial_locations();
    let unseen = system.processes.entries().filter(|(_, process)| !process.shown);
    unseen.flat_map(move |(id, process)| {
        let name = move |(at, location): (LocationId, &ir::Location)| {
            (id, format!("{}.{}", process.name, location.name), at)
        };
        let start = start[id.index()];
        process.locations.entries().filter(move |(at, _)| *at != start).map(name)
    })
}

/// The processes that the user wrote. The one that tells of faults is elsewhere only at the end of a run to
/// a fault, and then the run says so.
fn shown(system: &System) -> impl Iterator<Item = (ProcessId, &Process)> {
    system.processes.entries().filter(|(_, process)| process.shown)
}

/// A reader of files about one system; it refuses what the system does not have.
pub struct Lower<'a> {
    system: &'a System,
    types: Vec<Type>,
}

impl<'a> Lower<'a> {
    /// A reader, if the names of a file are those of `system`.
    ///
    /// # Errors
    /// If they are not.
    pub fn new(system: &'a System, found: &Signature) -> Result<Self, Misfit> {
        let view = View::default();
        let sources = Sources::new(Source::new("", ""));
        let expected = Lift { system, view: &view, sources: &sources }.signature();
        if !expected.names_what(found) {
            let known = |name: &str| expected.variables.iter().any(|variable| variable.name == name);
            let stranger = found.variables.iter().find(|variable| !known(&variable.name));
            return Err(match stranger {
                Some(stranger) => Mismatch::Variable(stranger.name.clone()).into(),
                None if expected.types != found.types => Mismatch::Enumerations.into(),
                None => Mismatch::Names.into(),
            });
        }
        Ok(Lower { system, types: system.state_vars().map(|var| system.terms.var_type(var)).collect() })
    }
    /// The run a trace tells of.
    ///
    /// # Errors
    /// Where it tells of something that the system does not have.
    pub fn run(&self, trace: &Trace) -> Result<Run, Misfit> {
        let mut steps = vec![];
        for (number, step) in trace.steps.iter().enumerate() {
            let here = |what: Mismatch| what.at(Place::Step(number + 1));
            let edges = step.edges.iter().map(|edge| self.edge(edge)).collect::<Result<_, _>>();
            steps.push(ir::Step {
                edges: edges.map_err(here)?,
                decisions: self.decisions(&step.decisions).map_err(here)?,
                state: self.state(&step.state).map_err(here)?,
            });
        }
        if let (Ends::Fault(_), Some(fault), Some(last)) = (&trace.ends, self.system.fault, steps.last_mut())
        {
            last.state.locations[fault.process.index()] = fault.location;
        }
        let here = |what: Mismatch| what.at(Place::Initial);
        let decisions = self.decisions(&trace.initial.decisions).map_err(here)?;
        let run = Run { steps, ..Run::begin(decisions, self.state(&trace.initial.state).map_err(here)?) };
        let Some(start) = trace.cycle else { return Ok(run) };
        if let Repeats::Recurrent(record) = &trace.repeats {
            let mut terms = self.system.terms.clone();
            let formula = formula::Reader::new(self.system).formula(&mut terms, &record.formula);
            let formula = formula.map_err(Mismatch::Formula)?;
            return Ok(run.around(start).within(Some(Head { terms, formula })));
        }
        if run.states().nth(start) != Some(run.last()) {
            return Err(Mismatch::Open(start).into());
        }
        Ok(run.around(start))
    }
    /// The state a record tells of.
    ///
    /// # Errors
    /// If it tells of something that the system does not have.
    pub fn state(&self, record: &StateRecord) -> Result<State, Mismatch> {
        if record.values.len() != self.types.len() {
            return Err(Mismatch::Shape);
        }
        let locations = self.locations(&record.locations);
        let mut values = Vec::with_capacity(self.types.len());
        for ((datum, ty), var) in record.values.iter().zip(&self.types).zip(self.system.state_vars()) {
            let wrong = |datum: &Datum| Mismatch::Value {
                value: datum.to_string(),
                variable: Some(self.system.vars[var].name.clone()),
                ty: Some(TypeRecord::new(self.system.types(), *ty)),
            };
            let value =
                datum.as_ref().map(|datum| datum.value(self.system.types(), *ty).ok_or_else(|| wrong(datum)));
            values.push(value.transpose()?);
        }
        Ok(State { locations: locations?, values: values.into() })
    }
    /// The locations that these names tell of: one for each process of the user's, then those of hidden ones that are
    /// not where they started.
    ///
    /// # Errors
    /// If the system has no such locations.
    pub fn locations(&self, names: &[String]) -> Result<Box<[LocationId]>, Mismatch> {
        let Some((own, others)) = names.split_at_checked(shown(self.system).count()) else {
            return Err(Mismatch::Locations);
        };
        let no = |name: &String| Mismatch::Location(name.clone());
        let mut locations = self.system.initial_locations();
        for ((id, process), name) in shown(self.system).zip(own) {
            let at = position(&process.locations, |location| location.name == *name);
            locations[id.index()] = at.ok_or_else(|| no(name))?;
        }
        for name in others {
            let found = hidden(self.system).find(|(_, known, _)| known == name);
            let (id, _, at) = found.ok_or_else(|| no(name))?;
            locations[id.index()] = at;
        }
        // Nothing is told twice.
        if !others.is_empty() && all_locations(self.system, &locations) != names {
            return Err(Mismatch::Locations);
        }
        Ok(locations)
    }
    fn edge(&self, record: &EdgeRecord) -> Result<(ProcessId, ir::EdgeId), Mismatch> {
        let process = shown(self.system).find(|(_, process)| process.name == record.process);
        let (process, body) = process.ok_or_else(|| Mismatch::Process(record.process.clone()))?;
        let edge = body.edges.entries().nth(record.edge as usize);
        let edge = edge.filter(|(_, edge)| edge.label == record.label).map(|(id, _)| id);
        let edge = edge.ok_or_else(|| Mismatch::Edge(record.title.clone()))?;
        Ok((process, edge))
    }
    fn decisions(&self, list: &[Choice]) -> Result<Vec<Decision>, Mismatch> {
        let types = self.system.types();
        let decision = |choice: &Choice| match choice {
            Choice::Branch { branch } => Ok(Decision::Branch(*branch)),
            Choice::Delay { delay, .. } => {
                delay.parse().map(Decision::Delay).map_err(|_| Mismatch::Time(delay.clone()))
            }
            Choice::Value { value: None, .. } => Ok(Decision::Value(None)),
            Choice::Value { value: Some(datum), ty } => {
                let mut known = self.system.vars.ids().map(|var| self.system.terms.var_type(var));
                let known = known.find(|known| ty.as_ref() == Some(&TypeRecord::new(types, *known)));
                let value = known.and_then(|ty| datum.value(types, ty));
                value.map(|value| Decision::Value(Some(value))).ok_or_else(|| Mismatch::Value {
                    value: datum.to_string(),
                    variable: None,
                    ty: ty.clone(),
                })
            }
        };
        list.iter().map(decision).collect()
    }
}

fn position<I: Id, T>(items: &IdVec<I, T>, is: impl Fn(&T) -> bool) -> Option<I> {
    items.entries().find(|(_, item)| is(item)).map(|(id, _)| id)
}
