//! Zone sets: discrete states with zones that contain the initial states and are closed under every
//! action.
//!
//! An entry `(s, Z)` stands for the states with discrete part `s` and clocks in `Z`. What is checked:
//! the initial states lie in entries; for every entry and every action, all successors lie in entries;
//! no entry is a fault or meets the target at observed locations. By induction along a run, every
//! reachable state lies in an entry, so none is a fault or an observed target. Successors are computed
//! here, from the statements, with exact zones; the entry that should contain one is only a hint, and
//! compared with it. What a state's data make of its actions is worked out once, as operations on clocks,
//! and then each of its zones is taken through these. Where differences of clocks are compared, a successor
//! may lie in several entries together; it is then cut along these differences, and each piece must lie in
//! one.
//!
//! Where the set is about a product, and entries have measures, a successor must lie in an entry that its step may lead to,
//! so that no run comes through all acceptance sets for ever ([`ir::Measure`]). A covering is a step like any other then.
//!
//! Entries may stand for more than their zones, up to simulation, and for more than one discrete state, if
//! data are open; see [`simulation`] and [`open`].

mod condition;
mod deadlock;
mod execution;
mod formula;
mod live;
mod model;
mod open;
mod path;
mod pieces;
mod simulation;
mod states;

use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{ClockRange, Measure, State, System, Term, VectorId, Zone, ZoneSet};

use crate::dbm::{Dbm, reversed};
use crate::progress::descends;
use crate::{Flaw, Place, Rejection, Undecided};
use deadlock::Questions;
use execution::Outcome;
use model::{Action, Constraint, Model, Program};
use open::Reading;
use path::{End, Op, follow};
use simulation::Touched;
use states::States;

pub use formula::{MOST_ENTRIES_AS_FORMULAS, as_invariant};
pub use simulation::{are_at_most, is_simulated};

/// A single zone of more clocks would take more than 64 MB.
const MOST_CLOCKS: usize = 4_095;

/// Checks that `set` is closed and excludes the target and every fault, and that its steps descend if entries have
/// measures.
pub fn check(
    system: &System,
    target: Term,
    set: &dyn ZoneSet,
    measures: Option<&[Measure]>,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    follow_all(system, target, set, measures, stop, None)
}

/// The same; if asked to, pushes the entries that contain the initial states, and for each entry those that
/// contain its successors.
fn follow_all(
    system: &System,
    target: Term,
    set: &dyn ZoneSet,
    measures: Option<&[Measure]>,
    stop: &AtomicBool,
    mut hints: Option<&mut Vec<Vec<u32>>>,
) -> Result<(), Rejection> {
    if system.clocks().nth(MOST_CLOCKS).is_some() {
        return Err(Undecided::ManyClocks(MOST_CLOCKS).into());
    }
    let mut model = Model::new(system.clone(), target);
    let states = read_states(&mut model, set, stop)?;
    let sets = model.system.monitor.as_ref().map_or(0, |monitor| monitor.sets);
    let descent = measures.map(|measures| Descending { measures, sets, alike: states.entries() });
    let mut check = Check {
        set,
        states,
        stop,
        ops: vec![],
        words: vec![],
        paths: vec![],
        candidates: vec![],
        zone: Dbm::default(),
        touched: Touched::default(),
        questions: Questions::default(),
        listed: Zone::default(),
        entry: Zone::default(),
        most: vec![],
        found: vec![],
        used: hints.is_some().then(Vec::new),
        descent,
        taken: None,
        ascends: false,
    };
    check.initial(&mut model)?;
    let mut current = None;
    let mut constants = vec![];
    let mut source = Dbm::default();
    for index in 0..set.len() {
        if index % 64 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        if let (Some(hints), Some(used)) = (&mut hints, &mut check.used) {
            hints.push(std::mem::take(used));
        }
        let place = Place::Zone(index);
        check.taken = measures.map(|measures| (measures[index], 0));
        set.zone(index, &mut check.entry);
        if !source.read(&check.entry, model.dim()) {
            return Err(place.wrong(Flaw::NoZone));
        }
        let number = check.states.number(index);
        let vector = Model::vector_of(check.states.words(number));
        model.furnish(vector)?;
        let changed = source.drop_negative();
        let constants = simulation::read(set, index, model.clocks.len(), &mut constants)?;
        if constants.is_some() && (changed || source.close() != Some(false)) {
            return Err(place.wrong(Flaw::NotClosed));
        }
        if current != Some(number) {
            model.reading = Reading::Coarse;
        }
        // What follows from bounds that are not closed can only be too large. If it is, they are closed.
        let mut result = check.examine(&mut model, &mut current, number, &source, constants);
        if fails(&result) {
            match source.close() {
                // An entry without valuations claims nothing, and contains nothing.
                None => continue,
                Some(false) => {}
                Some(true) => {
                    current = None;
                    result = check.examine(&mut model, &mut current, number, &source, constants);
                }
            }
        }
        if fails(&result) && model.reading == Reading::Coarse && check.is_open(&model, number) {
            (model.reading, current) = (Reading::Exact, None);
            result = check.examine(&mut model, &mut current, number, &source, constants);
        }
        match result? {
            None => {}
            Some(Trouble::Target) => return Err(place.wrong(Flaw::Target)),
            Some(Trouble::Ascent) => return Err(place.wrong(Flaw::Ascent)),
            Some(Trouble::Successor { loose }) => {
                return Err(place.wrong(Flaw::Successor { action: None, loose }));
            }
            Some(Trouble::Refused(why)) => return Err(model.refusals[why as usize].clone().into()),
        }
    }
    if let (Some(hints), Some(used)) = (hints, check.used) {
        hints.push(used);
    }
    Ok(())
}

/// The states of all entries; none is a fault.
fn read_states(model: &mut Model, set: &dyn ZoneSet, stop: &AtomicBool) -> Result<States, Rejection> {
    let mut states = States::default();
    let (mut state, mut words, mut mask) = (State::default(), vec![], vec![]);
    for index in 0..set.len() {
        if index % 64 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        set.state(index, &mut state);
        model.read(index, &state, &mut words)?;
        if model.system.is_fault(&state.locations) {
            return Err(Place::Zone(index).wrong(Flaw::Fault));
        }
        if states.push(&words) {
            mask.clear();
            mask.extend(model.open_positions(&words));
            if !mask.is_empty() {
                states.note_mask(Model::vector_of(&words), &mask);
            }
        }
    }
    Ok(states)
}

/// What is wrong with an entry.
enum Trouble {
    Target,
    /// A successor lies in no entry; maybe only because constraints had to be left out.
    Successor {
        loose: bool,
    },
    /// A successor lies only in entries that its step may not lead to.
    Ascent,
    Refused(u32),
}

fn fails(result: &Result<Option<Trouble>, Rejection>) -> bool {
    !matches!(result, Ok(None) | Err(Rejection::Interrupted))
}

/// A check in progress.
struct Check<'a> {
    set: &'a dyn ZoneSet,
    states: States,
    stop: &'a AtomicBool,
    /// What can happen from the state at hand, in `ops` and `words`.
    paths: Vec<Path>,
    ops: Vec<Op>,
    words: Vec<u32>,
    /// The states that contain what these lead to, by number and first entry.
    candidates: Vec<(u32, usize)>,
    /// Memory for a successor, and for the entry that should contain it.
    zone: Dbm,
    touched: Touched,
    /// What is asked about the state at hand.
    questions: Questions,
    listed: Zone,
    entry: Zone,
    /// Up to simulation, the constants which that entry may have, and those it has.
    most: Vec<ClockRange>,
    found: Vec<ClockRange>,
    /// If that is of interest, the entries that contained successors since somebody looked.
    used: Option<Vec<u32>>,
    /// What measures allow, if there are any.
    descent: Option<Descending<'a>>,
    /// The measure of the entry at hand, and the acceptance sets of the step from it.
    taken: Option<(Measure, u64)>,
    /// Whether a successor was found to lie only where its step may not lead.
    ascends: bool,
}

/// The measures of entries.
struct Descending<'a> {
    measures: &'a [Measure],
    /// How many acceptance sets there are.
    sets: u32,
    /// For each state, the entries that have it.
    alike: Vec<Vec<u32>>,
}

/// Something that can happen from a state.
struct Path {
    ops: Range<usize>,
    /// Where the words of the next state begin.
    words: usize,
    /// Whether it depends on open data.
    guessed: bool,
    /// The acceptance sets that it is in.
    marks: u64,
    /// Where the candidates for the next state are, once looked for.
    next: Option<Range<usize>>,
}

impl Check<'_> {
    /// Checks that every initial state is listed.
    fn initial(&mut self, model: &mut Model) -> Result<(), Rejection> {
        let initial = ir::initial(&mut model.system);
        let locations = model.system.initial_locations();
        let vector = model.vectors.vector(&locations);
        model.arrive(vector)?;
        let step = model.step_for(initial)?;
        let mut open = vec![model.number(&locations)];
        open.extend(model.columns.iter_mut().map(|column| column.word(&None)));
        let all = Dbm::all(model.dim());
        let mut flaw = None;
        for reading in [Reading::Coarse, Reading::Exact] {
            model.reading = reading;
            self.clear();
            self.add(model, Action { step, vector, fault: true, marks: 0 }, &open, (&all, None))?;
            flaw = self.bad_successor(model, None, &all)?;
            if flaw.is_none() {
                break;
            }
        }
        match flaw {
            None => Ok(()),
            Some(Trouble::Refused(why)) => Err(model.refusals[why as usize].clone().into()),
            Some(_) => Err(Place::Whole.wrong(Flaw::InitialState)),
        }
    }
    fn clear(&mut self) {
        self.paths.clear();
        self.ops.clear();
        self.words.clear();
        self.candidates.clear();
    }
    /// Whether a state has open data.
    fn is_open(&self, model: &Model, state: u32) -> bool {
        model.open_positions(self.states.words(state)).next().is_some()
    }
    /// Lists what can happen from a state; the state again, unless that is for this zone with these
    /// constants only.
    fn prepare(
        &mut self,
        model: &mut Model,
        state: u32,
        zone: &Dbm,
        constants: Option<&[ClockRange]>,
    ) -> Result<Option<u32>, Rejection> {
        self.clear();
        model.by_zone = false;
        let words = self.states.words(state).to_vec();
        let vector = Model::vector_of(&words);
        let constants: Option<Rc<[ClockRange]>> = constants.map(Rc::from);
        let target = model.place(vector).target;
        let asks_for_deadlocks = target.dead != target.alive;
        let mut later = None;
        if asks_for_deadlocks {
            // What becomes possible after a delay counts, too.
            later.insert(zone.clone()).delay();
        }
        let zone = later.as_ref().unwrap_or(zone);
        for at in 0..model.place(vector).actions.len() {
            let action = model.place(vector).actions[at];
            self.add(model, action, &words, (zone, constants.as_ref()))?;
        }
        self.questions.dead = model.question(target.dead, &words);
        self.questions.alive = model.question(target.alive, &words);
        self.questions.moments = match asks_for_deadlocks {
            true => Some(self.moments(model, vector, &words)?),
            false => None,
        };
        Ok((!model.by_zone).then_some(state))
    }
    /// Lists what an action does.
    fn add(
        &mut self,
        model: &mut Model,
        action: Action,
        words: &[u32],
        zone: (&Dbm, Option<&Rc<[ClockRange]>>),
    ) -> Result<(), Rejection> {
        let Action { step, vector, fault, marks } = action;
        model.arrive(vector)?;
        for outcome in model.outcomes(step, words, Some(zone), self.stop)?.iter() {
            let mut next = words.to_vec();
            write(&mut next, &outcome.writes);
            for (at, entry) in &outcome.entries {
                let word = &mut next[*at as usize];
                let column = &mut model.columns[*at as usize - 1];
                // An array of which only some entries are known is open.
                let written = entry.and_then(|entry| column.write(model.system.types(), *word, entry));
                *word = written.unwrap_or_else(|| column.word(&None));
            }
            if fault {
                self.add_path((vector, marks), outcome, &Program::default(), &next);
                continue;
            }
            for arrival in model.programs(vector, &next, self.stop)?.iter() {
                self.add_path((vector, marks), outcome, arrival, &next);
            }
        }
        Ok(())
    }
    fn add_path(
        &mut self,
        (vector, marks): (VectorId, u64),
        outcome: &Outcome,
        arrival: &Program,
        words: &[u32],
    ) {
        let (first_op, first_word) = (self.ops.len(), self.words.len());
        self.ops.extend_from_slice(&outcome.ops);
        self.ops.extend_from_slice(&arrival.ops);
        self.words.extend_from_slice(words);
        self.words[first_word] = ir::Id::index(vector) as u32;
        write(&mut self.words[first_word..], &arrival.writes);
        let guessed = outcome.guessed || arrival.guessed;
        let ops = first_op..self.ops.len();
        self.paths.push(Path { ops, words: first_word, guessed, marks, next: None });
    }
    /// What is wrong with a zone at a state, whose paths are listed if it is `current`.
    fn examine(
        &mut self,
        model: &mut Model,
        current: &mut Option<u32>,
        state: u32,
        source: &Dbm,
        constants: Option<&[ClockRange]>,
    ) -> Result<Option<Trouble>, Rejection> {
        if *current != Some(state) {
            *current = None;
            *current = self.prepare(model, state, source, constants)?;
        }
        let vector = Model::vector_of(self.states.words(state));
        if self.questions.are_met(model, vector, source, constants)? {
            return Ok(Some(Trouble::Target));
        }
        self.bad_successor(model, constants, source)
    }
    /// Follows every path from a zone; up to simulation, with the constants of the source.
    fn bad_successor(
        &mut self,
        model: &Model,
        constants: Option<&[ClockRange]>,
        source: &Dbm,
    ) -> Result<Option<Trouble>, Rejection> {
        for at in 0..self.paths.len() {
            let Path { ops, words, next, marks, .. } = &mut self.paths[at];
            if let Some((_, taken)) = &mut self.taken {
                *taken = *marks;
            }
            let ops = &self.ops[ops.clone()];
            let loose = match follow(ops, source, constants, &mut self.zone, &mut self.touched) {
                End::Nowhere => continue,
                End::Refused(why) => return Ok(Some(Trouble::Refused(why))),
                End::There { loose } => loose,
            };
            let candidates = next.get_or_insert_with(|| {
                let (width, first) = (model.columns.len() + 1, self.candidates.len());
                model.candidates(&self.states, &self.words[*words..][..width], &mut self.candidates);
                first..self.candidates.len()
            });
            let candidates = candidates.clone();
            if let Some(constants) = constants {
                self.touched.most(constants, &mut self.most);
            }
            self.ascends = false;
            if !self.is_listed(candidates, constants.is_some(), &model.diagonals)? {
                let trouble = if self.ascends { Trouble::Ascent } else { Trouble::Successor { loose } };
                return Ok(Some(trouble));
            }
        }
        Ok(None)
    }
    /// Whether the entries that the set points at have one of these states and contain the zone at hand, or
    /// all pieces of it along the `diagonals`; if it `simulates`, with constants that are not too great.
    fn is_listed(
        &mut self,
        candidates: Range<usize>,
        simulates: bool,
        diagonals: &[Constraint],
    ) -> Result<bool, Rejection> {
        for at in candidates.clone() {
            let (state, first) = self.candidates[at];
            if self.is_within_one(state, first, simulates)? {
                return Ok(true);
            }
        }
        let cuts = |(plus, minus, bound): &Constraint| {
            self.zone.meets(*plus, *minus, *bound) && self.zone.meets(*minus, *plus, reversed(*bound))
        };
        let Some(cut) = diagonals.iter().position(cuts) else { return Ok(false) };
        let (plus, minus, bound) = diagonals[cut];
        let whole = self.zone.clone();
        for (plus, minus, bound) in [(plus, minus, bound), (minus, plus, reversed(bound))] {
            self.zone.copy(&whole);
            self.zone.constrain(plus, minus, bound);
            if !self.is_listed(candidates.clone(), simulates, &diagonals[cut + 1..])? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn is_within_one(&mut self, state: u32, first: usize, simulates: bool) -> Result<bool, Rejection> {
        self.zone.write(&mut self.listed);
        let found = {
            let most = simulates.then_some(self.most.as_slice());
            self.set.find(first, &self.listed, most).filter(|entry| *entry < self.set.len())
        };
        if let Some(entry) = found.filter(|entry| self.states.number(*entry) == state)
            && self.contains(entry, simulates)?
            && self.may_lead_to(entry)
        {
            return Ok(true);
        }
        // Where others have the zone, too, the hint need not be one that the step may lead to.
        let Some(others) = self.descent.as_ref().filter(|_| self.ascends) else { return Ok(false) };
        for entry in others.alike[state as usize].clone() {
            if self.contains(entry as usize, simulates)? && self.may_lead_to(entry as usize) {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether measures allow the step at hand to lead to an entry.
    fn may_lead_to(&mut self, entry: usize) -> bool {
        let (Some((from, marks)), Some(descent)) = (self.taken, &self.descent) else { return true };
        let allowed = descends(from, marks, descent.sets, descent.measures[entry]);
        self.ascends |= !allowed;
        allowed
    }
    /// Whether an entry contains the zone at hand; if it `simulates`, with constants that are not too great.
    fn contains(&mut self, entry: usize, simulates: bool) -> Result<bool, Rejection> {
        self.set.zone(entry, &mut self.entry);
        let constants = simulation::read(self.set, entry, self.zone.dim() - 1, &mut self.found)?;
        if simulates && !are_at_most(constants, &self.most) {
            return Ok(false);
        }
        let contains = match constants {
            None => self.zone.is_within(&self.entry),
            // Closed, or refused where the check comes by that entry.
            Some(constants) => self.zone.is_simulated_within(&self.entry, constants),
        };
        if contains
            && let Some(used) = &mut self.used
            && !used.contains(&(entry as u32))
        {
            used.push(entry as u32);
        }
        Ok(contains)
    }
}

fn write(words: &mut [u32], writes: &[(u32, u32)]) {
    for (at, word) in writes {
        words[*at as usize] = *word;
    }
}
