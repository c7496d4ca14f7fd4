//! Certificates in files: versioned JSON, written and checked state by state.
//!
//! A closed set lists every reachable state, one on each line (`docs/schema/certificate.schema.json`);
//! for timed models, states without clocks and the zones these lie in, each with the constants of the
//! clocks if it also stands for what it simulates. An invariant lists formulas at
//! locations, in the syntax of [`formula`], with the numbers of those that contain their successors; so
//! does the lemma of an induction over several steps. A proof about whole runs has the automaton that accepts all that
//! is searched for, a certificate of one of these kinds about its product with the model, where the location of
//! the process `monitor` tells the state of the automaton, and why no run of that is accepting: a measure for each
//! state, or how often a run comes through all acceptance sets at most, which two more variables of the product count.
//! A proof about the blocks of a program names the locations between which they are.
//! That something can always be reached again is shown by all reachable states with their distances from it.
//! Reading one gives back an [`ir::Certificate`] whose hints come from an index built anew, so a file
//! is trusted for nothing but its list.
//!
//! A file that says more than older programs know, a new kind or a new key, is damaged for them; none takes it for
//! something else. So [`VERSION`] stays what it is until something is to be read in another way.

pub mod automaton;
pub mod formula;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use ir::{
    Argument, Blocks, Certificate, ClockRange, ClosedSet, Invariant, InvariantEntry, KInductive, Limit,
    Progress, Question, Returns, State, System, Zone, ZoneSet,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evidence::{self, EvidenceError, EvidenceProblem};
use crate::file::{self, FileError};
use crate::trace::lift::{self, Lift};
use crate::trace::{Misfit, Mismatch, Place, PropertyRef, Signature, StateRecord, upgrade};
pub use automaton::{AutomatonRecord, DescentRecord, TransitionRecord, product};

/// The `format` of a certificate file.
pub const FORMAT: &str = "thetis-certificate";
/// The newest `version` of a certificate file.
pub const VERSION: u32 = 3;

/// Everything in a certificate file but its states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Preamble {
    /// Always [`FORMAT`].
    pub format: String,
    /// At most [`VERSION`].
    pub version: u32,
    /// What the states are.
    pub kind: Kind,
    /// The file of the model, as it was given.
    pub model: String,
    /// What is certified.
    pub property: PropertyRef,
    /// The names in the states.
    #[serde(flatten)]
    pub signature: Signature,
}

/// The kinds of certificates.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All reachable states, listed.
    ClosedSet,
    /// All reachable states, listed as states without clocks and a zone for each.
    Zones,
    /// Formulas at locations that contain all reachable states.
    Invariant,
    /// How many states of every run are not bad, why nothing bad follows, and such formulas to show it.
    KInductive,
    /// An automaton that accepts all that is searched for, and why no run is accepted by it.
    Progress,
    /// All reachable states, listed, each with how far it is from what can always be reached.
    Returns,
    /// A certificate about the blocks of a program between some of its locations.
    Blocks,
}

impl Kind {
    /// The kind of a certificate.
    fn of(certificate: &Certificate) -> Self {
        match certificate {
            Certificate::ClosedSet(_) => Kind::ClosedSet,
            Certificate::Zones(_) => Kind::Zones,
            Certificate::Invariant(_) => Kind::Invariant,
            Certificate::KInductive(_) => Kind::KInductive,
            Certificate::Progress(_) => Kind::Progress,
            Certificate::Returns(_) => Kind::Returns,
            Certificate::Blocks(_) => Kind::Blocks,
        }
    }
    /// The keys of the lists of this kind.
    fn keys(self, body: &Body) -> Vec<&'static str> {
        match self {
            Kind::ClosedSet => vec!["states"],
            Kind::Zones if body.simulation.is_some() => vec!["states", "zones", "simulation"],
            Kind::Zones => vec!["states", "zones"],
            Kind::Invariant => vec!["initial", "entries"],
            Kind::KInductive => vec!["induction", "initial", "entries"],
            Kind::Progress => vec!["automaton", "descent", "base"],
            Kind::Returns => vec!["distances", "states"],
            Kind::Blocks => vec!["kept", "base"],
        }
    }
}

/// Why nothing bad follows the first states of a run, as in files.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Argument")]
pub enum ArgumentRecord {
    /// See [`Argument::Induction`].
    Induction,
    /// See [`Argument::SimplePath`].
    SimplePath,
    /// See [`Argument::Exhaustion`].
    Exhaustion,
}

/// What a file says of an induction, besides its lemma.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InductionRecord {
    /// How many states.
    pub k: u32,
    /// Why that is enough.
    #[serde(with = "ArgumentRecord")]
    pub argument: Argument,
}

/// A formula of an invariant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryRecord {
    /// Where every process is.
    pub locations: Vec<String>,
    /// What holds there; see [`formula`].
    pub formula: String,
    /// The numbers of entries that should contain its successors.
    pub successors: Vec<u32>,
}

/// A bound on the difference of two clocks: their numbers (0 is the constant zero, then the model's
/// clocks in order), the bound, and whether it is excluded itself.
type BoundRecord = (u32, u32, i64, bool);

/// The constants of clocks: the greatest each is compared with from below and from above, in the order of
/// the model's clocks, and `null` where a clock is not compared.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum SimulationRecord {
    /// Those of one entry, if it has any.
    Entry(Option<Vec<ClockRange>>),
    /// As in files of version 1: those of all entries at some locations.
    Locations {
        /// Where every process is.
        locations: Vec<String>,
        /// The constants.
        constants: Vec<ClockRange>,
    },
}

/// A certificate file.
pub struct File {
    /// What it is about.
    pub preamble: Preamble,
    /// What shows it.
    pub body: Body,
}

/// What a certificate file lists.
#[derive(Deserialize)]
pub struct Body {
    /// The states.
    #[serde(default)]
    pub states: Vec<StateRecord>,
    /// The zones that go with the states.
    #[serde(default)]
    pub zones: Vec<Vec<BoundRecord>>,
    /// For each zone, the constants if it also stands for what it simulates.
    pub simulation: Option<Vec<SimulationRecord>>,
    /// What an induction says besides its lemma.
    pub induction: Option<InductionRecord>,
    /// The numbers of entries that should contain the initial states.
    #[serde(default)]
    pub initial: Vec<u32>,
    /// The formulas of an invariant.
    #[serde(default)]
    pub entries: Vec<EntryRecord>,
    /// For each state, its distance from what can always be reached, if it has one.
    #[serde(default)]
    pub distances: Vec<Option<u32>>,
    /// What reads the runs.
    pub automaton: Option<AutomatonRecord>,
    /// Why it accepts none of them.
    pub descent: Option<DescentRecord>,
    /// The locations of a program between which there are blocks.
    #[serde(default)]
    pub kept: Vec<String>,
    /// What the lists are about the product of the automaton with the model, or about its blocks.
    pub base: Option<Kind>,
}

/// Writes a certificate for `property`, one state at a time; `lift` is about the system that it was posed for, and
/// `question` is what was searched for there.
///
/// # Errors
/// What is wrong with the file.
///
/// # Panics
/// If it is about runs, and no certificate of that question.
pub fn write(
    path: &Path,
    lift: Lift<'_>,
    property: PropertyRef,
    question: &Question,
    certificate: &Certificate,
) -> Result<(), FileError> {
    let product = match certificate {
        Certificate::Progress(proof) => {
            let product = product(lift.system, question, &proof.automaton, proof.descent.rounds());
            Some(product.expect("a certificate about the product of the system with its automaton").0)
        }
        _ => None,
    };
    let lift = Lift { system: product.as_ref().unwrap_or(lift.system), ..lift };
    let preamble = Preamble {
        format: FORMAT.to_owned(),
        version: VERSION,
        kind: Kind::of(certificate),
        model: lift.sources.main().name.clone(),
        property,
        signature: lift.signature(),
    };
    let text = serde_json::to_string_pretty(&preamble).expect("plain data");
    let open = text.trim_end().trim_end_matches('}').trim_end();
    file::create(path, |out| {
        write!(out, "{open},")?;
        match certificate {
            Certificate::Progress(proof) => write_progress(out, lift, proof)?,
            Certificate::Blocks(proof) => write_blocks(out, lift, proof)?,
            other => write_lists(out, lift, other)?,
        }
        writeln!(out, "\n  ]\n}}")
    })
}

/// The automaton, and why it accepts no run, then the lists about the product.
fn write_progress(out: &mut dyn Write, lift: Lift<'_>, proof: &Progress) -> std::io::Result<()> {
    let Progress { automaton, base, descent } = proof;
    let kind = serde_json::to_string(&Kind::of(base))?;
    let descent = serde_json::to_string(&DescentRecord::new(lift.system, base, descent))?;
    write!(out, "\n  \"automaton\": ")?;
    AutomatonRecord::new(automaton).write(out)?;
    write!(out, ",\n  \"descent\": {descent},\n  \"base\": {kind},")?;
    write_lists(out, lift, base)
}

/// The locations between which there are blocks, then the lists about these.
fn write_blocks(out: &mut dyn Write, lift: Lift<'_>, proof: &Blocks) -> std::io::Result<()> {
    let kept = proof.kept.iter().flat_map(|at| lift::all_locations(lift.system, &[*at]));
    let kept = serde_json::to_string(&kept.collect::<Vec<String>>())?;
    let kind = serde_json::to_string(&Kind::of(&proof.base))?;
    write!(out, "\n  \"kept\": {kept},\n  \"base\": {kind},")?;
    write_lists(out, lift, &proof.base)
}

/// The lists of a certificate about states, the last one without its end.
fn write_lists(out: &mut dyn Write, lift: Lift<'_>, certificate: &Certificate) -> std::io::Result<()> {
    match certificate {
        Certificate::ClosedSet(set) => write_states(out, lift, &**set),
        Certificate::Returns(proof) => {
            let distances = serde_json::to_string(&proof.distances)?;
            write!(out, "\n  \"distances\": {distances},")?;
            write_states(out, lift, &*proof.set)
        }
        Certificate::Zones(set) => write_zones(out, lift, &**set),
        Certificate::Invariant(invariant) => write_invariant(out, lift.system, invariant),
        Certificate::KInductive(proof) => {
            let KInductive { k, argument, ref lemma } = *proof;
            let record = serde_json::to_string(&InductionRecord { k, argument })?;
            write!(out, "\n  \"induction\": {record},")?;
            write_invariant(out, lift.system, lemma)
        }
        Certificate::Progress(_) | Certificate::Blocks(_) => {
            Err(std::io::Error::other("only lists of states are the base of another"))
        }
    }
}

fn write_states(out: &mut dyn Write, lift: Lift<'_>, set: &dyn ClosedSet) -> std::io::Result<()> {
    write!(out, "\n  \"states\": [")?;
    for index in 0..set.len() {
        line(out, index)?;
        serde_json::to_writer(&mut *out, &lift.whole_state(&set.state(index)))?;
    }
    Ok(())
}

fn write_zones(out: &mut dyn Write, lift: Lift<'_>, set: &dyn ZoneSet) -> std::io::Result<()> {
    write!(out, "\n  \"states\": [")?;
    let (mut state, mut zone) = (State::default(), Zone::default());
    for index in 0..set.len() {
        line(out, index)?;
        set.state(index, &mut state);
        serde_json::to_writer(&mut *out, &lift.whole_state(&state))?;
    }
    write!(out, "\n  ],\n  \"zones\": [")?;
    for index in 0..set.len() {
        line(out, index)?;
        set.zone(index, &mut zone);
        serde_json::to_writer(&mut *out, &zone_record(&zone))?;
    }
    let mut constants = vec![];
    if (0..set.len()).any(|index| set.simulation(index, &mut constants)) {
        write!(out, "\n  ],\n  \"simulation\": [")?;
        for index in 0..set.len() {
            line(out, index)?;
            let record = set.simulation(index, &mut constants).then_some(&constants);
            serde_json::to_writer(&mut *out, &record)?;
        }
    }
    Ok(())
}

/// Begins line number `index` of a list.
fn line(out: &mut dyn Write, index: usize) -> std::io::Result<()> {
    out.write_all(if index == 0 { b"\n    " } else { b",\n    " })
}

fn write_invariant(out: &mut dyn Write, system: &System, invariant: &Invariant) -> std::io::Result<()> {
    let initial = serde_json::to_string(&invariant.initial)?;
    write!(out, "\n  \"initial\": {initial},\n  \"entries\": [")?;
    let writer = formula::Writer::new(system);
    for (index, entry) in invariant.entries.iter().enumerate() {
        line(out, index)?;
        let record = EntryRecord {
            locations: lift::all_locations(system, &entry.locations),
            formula: writer.text(&invariant.terms, entry.formula),
            successors: entry.successors.clone(),
        };
        serde_json::to_writer(&mut *out, &record)?;
    }
    Ok(())
}

fn zone_record(zone: &Zone) -> Vec<BoundRecord> {
    let cells = zone.limits.iter().enumerate();
    let bound = |(at, limit): (usize, &Limit)| {
        let (left, right) = ((at / zone.dim) as u32, (at % zone.dim) as u32);
        limit.get().filter(|_| left != right).map(|(bound, strict)| (left, right, bound, strict))
    };
    cells.filter_map(bound).collect()
}

fn lower_zone(dim: usize, record: &[BoundRecord]) -> Result<Zone, Mismatch> {
    let mut limits = vec![Limit::NONE; dim * dim];
    for at in 0..dim {
        limits[at * dim + at] = Limit::LE_ZERO;
    }
    for (left, right, bound, strict) in record {
        let (left, right) = (*left as usize, *right as usize);
        if left >= dim || right >= dim {
            return Err(Mismatch::Clock(left.max(right)));
        }
        limits[left * dim + right] = Limit::new(*bound, *strict).ok_or(Mismatch::Bound(*bound))?;
    }
    Ok(Zone { dim, limits })
}

/// Reads the text of a certificate file.
///
/// # Errors
/// What is wrong with it.
pub fn parse(name: &str, text: &str) -> Result<File, EvidenceError> {
    let version = evidence::version(name, text, FORMAT, VERSION)?;
    let damaged = |why: String| EvidenceProblem::Damaged { format: FORMAT, why }.of(name);
    let failed = |error: serde_json::Error| damaged(error.to_string());
    let preamble: Preamble = match version {
        1 | 2 => serde_json::from_value(upgrade(head(text).map_err(failed)?)).map_err(failed)?,
        _ => serde_json::from_str(text).map_err(failed)?,
    };
    let body: Body = serde_json::from_str(text).map_err(failed)?;
    let mut own = preamble.kind.keys(&body);
    if matches!(preamble.kind, Kind::Progress | Kind::Blocks) {
        let base = body.base.filter(|base| !matches!(base, Kind::Progress | Kind::Returns | Kind::Blocks));
        own.extend(base.ok_or_else(|| damaged("its `base` is no list of states".to_owned()))?.keys(&body));
    }
    let mut common = KEYS.to_vec();
    common.extend((version > 2).then_some("time"));
    common.extend((!preamble.signature.configurations.is_empty()).then_some("configurations"));
    evidence::exactly_keys(text, &common, &own).map_err(damaged)?;
    Ok(File { preamble, body })
}

/// The keys of every certificate.
const KEYS: &[&str] = &["format", "version", "kind", "model", "property", "types", "processes", "variables"];

/// Everything in a file but its lists, which may be long.
fn head(text: &str) -> Result<Value, serde_json::Error> {
    #[derive(Deserialize, Serialize)]
    struct Head {
        format: Value,
        version: Value,
        kind: Value,
        model: Value,
        property: Value,
        types: Value,
        processes: Value,
        variables: Value,
    }
    serde_json::to_value(serde_json::from_str::<Head>(text)?)
}

/// The certificate for a question about `system` that a file tells of.
///
/// # Errors
/// Where it tells of something that the system does not have.
pub fn lower(system: &System, question: &Question, file: File) -> Result<Certificate, Misfit> {
    let File { preamble: Preamble { kind, signature, .. }, mut body } = file;
    if kind == Kind::Blocks {
        return lower_blocks(system, &signature, body);
    }
    if kind != Kind::Progress {
        return lower_lists(system, &signature, kind, body);
    }
    let parts = (body.automaton.take(), body.descent.take(), body.base);
    let (Some(automaton), Some(descent), Some(base)) = parts else { return Err(Mismatch::Automaton.into()) };
    let automaton = automaton.automaton().ok_or(Mismatch::Automaton)?;
    let (product, _) = product(system, question, &automaton, descent.rounds())?;
    let mut base = lower_lists(&product, &signature, base, body)?;
    let descent = descent.descent(&product, &mut base)?;
    Ok(Certificate::Progress(Box::new(Progress { automaton, base, descent })))
}

/// A certificate about the blocks of a program, whose states are states of the program.
fn lower_blocks(system: &System, signature: &Signature, body: Body) -> Result<Certificate, Misfit> {
    let reader = lift::Lower::new(system, signature)?;
    let mut kept = vec![];
    for name in &body.kept {
        kept.extend(reader.locations(std::slice::from_ref(name))?);
    }
    let base = body.base.ok_or(Mismatch::Automaton)?;
    let base = lower_lists(system, signature, base, body)?;
    Ok(Certificate::Blocks(Box::new(Blocks { kept, base })))
}

/// A certificate about the states of a system.
fn lower_lists(
    system: &System,
    signature: &Signature,
    kind: Kind,
    body: Body,
) -> Result<Certificate, Misfit> {
    let reader = lift::Lower::new(system, signature)?;
    match (kind, body.induction) {
        (Kind::Invariant, _) => Ok(Certificate::Invariant(lower_invariant(system, &reader, body)?)),
        (Kind::KInductive, None) => Err(Mismatch::Induction.into()),
        (Kind::KInductive, Some(InductionRecord { k, argument })) => {
            let lemma = lower_invariant(system, &reader, body)?;
            Ok(Certificate::KInductive(KInductive { k, argument, lemma }))
        }
        (Kind::ClosedSet, _) => Ok(Certificate::ClosedSet(Box::new(lower_states(&reader, body.states)?))),
        (Kind::Returns, _) => {
            let distances = body.distances;
            let set = Box::new(lower_states(&reader, body.states)?);
            Ok(Certificate::Returns(Returns { set, distances }))
        }
        (Kind::Zones, _) => Ok(Certificate::Zones(Box::new(lower_zones(system, &reader, body)?))),
        (Kind::Progress | Kind::Blocks, _) => Err(Mismatch::Automaton.into()),
    }
}

fn lower_states(reader: &lift::Lower<'_>, records: Vec<StateRecord>) -> Result<Listed, Misfit> {
    let mut list = Listed::default();
    for (number, record) in records.into_iter().enumerate() {
        let state = reader.state(&record).map_err(|what| what.at(Place::State(number)))?;
        list.index.entry(state.clone()).or_insert(number);
        list.states.push(state);
    }
    Ok(list)
}

fn lower_zones(system: &System, reader: &lift::Lower<'_>, body: Body) -> Result<ListedZones, Misfit> {
    let states = lower_states(reader, body.states)?.states;
    if body.zones.len() != states.len() {
        return Err(Mismatch::Count(states.len(), body.zones.len(), "zones").into());
    }
    let dim = system.clocks().count() + 1;
    let zone = |(number, record): (usize, &Vec<BoundRecord>)| {
        lower_zone(dim, record).map_err(|what| what.at(Place::Zone(number)))
    };
    let zones = body.zones.iter().enumerate().map(zone).collect::<Result<Vec<Zone>, Misfit>>()?;
    let mut at: HashMap<State, Vec<usize>> = HashMap::new();
    for (number, state) in states.iter().enumerate() {
        at.entry(state.clone()).or_default().push(number);
    }
    let simulation = lower_simulation(reader, &states, body.simulation.unwrap_or_default())?;
    Ok(ListedZones { states, zones, at, simulation })
}

/// The constants of each entry, if it has any.
fn lower_simulation(
    reader: &lift::Lower<'_>,
    states: &[State],
    records: Vec<SimulationRecord>,
) -> Result<Vec<Option<Vec<ClockRange>>>, Misfit> {
    let count = records.len();
    let (mut of_entries, mut of_locations) = (vec![], HashMap::new());
    for record in records {
        match record {
            SimulationRecord::Entry(constants) => of_entries.push(constants),
            SimulationRecord::Locations { locations, constants } => {
                of_locations.insert(reader.locations(&locations)?, constants);
            }
        }
    }
    if of_entries.is_empty() {
        return Ok(states.iter().map(|state| of_locations.get(&state.locations).cloned()).collect());
    }
    if of_entries.len() != states.len() || count != states.len() {
        return Err(Mismatch::Count(states.len(), count, "lists of constants").into());
    }
    Ok(of_entries)
}

fn lower_invariant(system: &System, reader: &lift::Lower<'_>, body: Body) -> Result<Invariant, Misfit> {
    let formulas = formula::Reader::new(system);
    let mut terms = system.terms.clone();
    let mut entries = Vec::with_capacity(body.entries.len());
    for (number, record) in body.entries.into_iter().enumerate() {
        let here = |what: Mismatch| what.at(Place::Entry(number));
        let formula = formulas.formula(&mut terms, &record.formula);
        entries.push(InvariantEntry {
            locations: reader.locations(&record.locations).map_err(here)?,
            formula: formula.map_err(|why| here(Mismatch::Formula(why)))?,
            successors: record.successors,
        });
    }
    Ok(Invariant { terms, initial: body.initial, entries })
}

struct ListedZones {
    states: Vec<State>,
    zones: Vec<Zone>,
    at: HashMap<State, Vec<usize>>,
    simulation: Vec<Option<Vec<ClockRange>>>,
}

impl ZoneSet for ListedZones {
    fn len(&self) -> usize {
        self.states.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        out.clone_from(&self.states[index]);
    }
    fn zone(&self, index: usize, out: &mut Zone) {
        out.clone_from(&self.zones[index]);
    }
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        let covers = |at: &&usize| {
            let (entry, constants) = (&self.zones[**at], self.simulation[**at].as_deref());
            most.is_none_or(|most| certify::are_at_most(constants, most))
                && (zone.limits.iter().zip(&entry.limits).all(|(a, b)| a <= b)
                    || constants.is_some_and(|constants| certify::is_simulated(zone, entry, constants)))
        };
        self.at.get(&self.states[like])?.iter().find(covers).copied()
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        let Some(constants) = &self.simulation[index] else { return false };
        out.clone_from(constants);
        true
    }
}

#[derive(Default)]
struct Listed {
    states: Vec<State>,
    index: HashMap<State, usize>,
}

impl ClosedSet for Listed {
    fn len(&self) -> usize {
        self.states.len()
    }
    fn state(&self, index: usize) -> State {
        self.states[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.index.get(state).copied()
    }
}
