//! Products that are listed as pairs of a state of the system and a state of the automaton.
//!
//! What can happen in the system is the same for every automaton, and finding it out is nearly all of the work. So the
//! successors of listed states are computed once and remembered, with whatever is asked about the same list afterwards
//! ([`Memory`]); each automaton then takes a walk over numbers. The list is trusted for what it lists alone, as in
//! [`closed_set`](crate::closed_set), and the automaton moves as in [`ir::monitor`]: on leaving a state that is read, along
//! a transition whose guard holds there; alone, if nothing can happen and runs repeat their last state. In that case
//! every listed state must be one: of several, some might be stuck and others not.
//!
//! States are asked for once and kept, as far as they are few enough, because looking at them takes longer than what is done
//! with them. If the next list begins with the same states, as one does that has grown, what was found out about them
//! remains.
//!
//! What is checked: the pairs of initial states with the initial state of the automaton are listed, and with each pair all
//! that follow it; from no pair whose state is read can the automaton move to a sink; and every step descends, if it has
//! to.
//!
//! **Words that never end.** Where all states that can be reached are listed, something can happen in each, and there is no
//! cycle of states that are not read, every run goes on to one whose word is infinite ([`never_end`]): who covers
//! infinite words has covered all.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::automaton::Automaton;
use ir::eval::holds;
use ir::interp::Interp;
use ir::{Action, ClosedSet, LocationId, Measure, Pairs, PathQuestion, State, Stuck, System, Term, VectorId};
use rustc_hash::FxHashMap;

use crate::closed_set::{Listed, Visited, Visitor, Walk};
use crate::progress::descends;
use crate::{Flaw, Place, Rejection, Undecided, check_shape};

/// What the judge has found out itself about the states in a list, for the next question about the same system.
#[derive(Default)]
pub(crate) struct Memory {
    known: Option<Known>,
}

/// The most values of states that are kept.
const MOST_KEPT: usize = 1 << 22;

/// A list of states, and what can happen in them.
struct Known {
    set: Arc<dyn ClosedSet>,
    /// The states that are kept: those under these numbers, in the shape of the system's.
    states: Vec<Option<State>>,
    /// How many values they have.
    kept: usize,
    /// The initial states, once they have been looked for.
    initial: Option<Vec<u32>>,
    /// The successors of each state, where they have been looked for.
    successors: Vec<Option<Box<[u32]>>>,
}

impl Memory {
    /// What is known about a list.
    fn of(&mut self, set: &Arc<dyn ClosedSet>) -> &mut Known {
        let known = match self.known.take() {
            Some(known) if Arc::ptr_eq(&known.set, set) => known,
            Some(known) if known.begins(set) => known.grown(set),
            _ => Known::new(set),
        };
        self.known.insert(known)
    }
}

/// Whether pairs are all there is to a product: nothing can go wrong in the system or in an atom, so that it does not
/// matter what happens where the automaton has lost interest.
pub(crate) fn applies(system: &System, question: &PathQuestion) -> bool {
    system.fault.is_none()
        && system.terms.as_const(question.undefined) == Some(&false.into())
        && system.stuck != Stuck::Idle
        && ir::monitor::reads_what_is_repeated(system)
}

/// Checks that the pairs are closed, that none of them is a target, and that steps descend, if they have to.
pub(crate) fn check(
    system: &System,
    question: &PathQuestion,
    automaton: &Automaton,
    pairs: &Pairs<'_>,
    measures: Option<&[Measure]>,
    memory: &mut Memory,
    stop: &AtomicBool,
) -> Result<(), Rejection> {
    let states = automaton.sinks.len() as u32;
    let in_range = |(state, place): &(u32, u32)| (*state as usize) < pairs.base.len() && *place < states;
    if !pairs.list.iter().all(in_range) {
        return Err(Place::Whole.wrong(Flaw::Shape));
    }
    let known = memory.of(&pairs.base);
    let letters = letters(system, question, pairs, known, stop)?;
    let product = Product { automaton, letters: &letters };
    let matters = |(state, place): &&(u32, u32)| product.moves(*state, *place).next().is_some();
    known.find_out(system, pairs.list.iter().filter(matters).map(|(state, _)| *state as usize), stop)?;
    let index: FxHashMap<(u32, u32), u32> = pairs.list.iter().copied().zip(0..).collect();
    let begins = |state: &u32| index.contains_key(&(*state, automaton.initial));
    if !known.initial.iter().flatten().all(begins) {
        return Err(Place::Whole.wrong(Flaw::InitialState));
    }
    let sets = automaton.sets.max(1);
    for (number, (state, place)) in pairs.list.iter().copied().enumerate() {
        if number % 4096 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let wrong = |flaw: Flaw| Err(Place::Listed(number).wrong(flaw));
        let read = letters[&state].is_some();
        if read && automaton.sinks[place as usize] {
            return wrong(Flaw::Target);
        }
        for (next, marks) in product.moves(state, place) {
            if read && automaton.sinks[next as usize] {
                return wrong(Flaw::Target);
            }
            let successors = known.successors[state as usize].as_deref().expect("they were looked for");
            // Where nothing can happen, the automaton moves alone.
            let alone = successors.is_empty() && read && system.stuck == Stuck::Repeat;
            for after in successors.iter().copied().chain(alone.then_some(state)) {
                let Some(to) = index.get(&(after, next)) else {
                    return wrong(Flaw::Successor { action: None, loose: false });
                };
                let to = *to as usize;
                if measures.is_some_and(|list| !descends(list[number], marks, sets, list[to])) {
                    return wrong(Flaw::Ascent);
                }
            }
        }
    }
    Ok(())
}

/// Whether all states that can be reached are listed, and every run goes on so that its word never ends.
pub(crate) fn never_end(
    system: &System,
    pairs: &Pairs<'_>,
    memory: &mut Memory,
    stop: &AtomicBool,
) -> Result<bool, Rejection> {
    let count = pairs.base.len();
    let mut read = vec![false; count];
    for (number, read) in read.iter_mut().enumerate() {
        if number % 1024 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let state = pairs.base.state(number);
        check_shape(system, Place::Listed(number), &state)?;
        // What stands for many states may have some among them that are stuck.
        if state.values.iter().any(Option::is_none) {
            return Ok(false);
        }
        *read = system.is_read(&state.locations);
    }
    let known = memory.of(&pairs.base);
    match known.find_out(system, 0..count, stop) {
        // Something leads out of the list.
        Err(Rejection::Wrong(_)) => return Ok(false),
        found => found?,
    }
    let after = |state: usize| known.successors[state].as_deref().unwrap_or_default();
    if (0..count).any(|state| after(state).is_empty()) {
        return Ok(false);
    }
    // States are taken away that are read, and then those from which nothing is left to go to: only a cycle stays.
    let unread = |state: &&u32| !read[**state as usize];
    let mut left: Vec<usize> = (0..count).map(|state| after(state).iter().filter(unread).count()).collect();
    let mut before: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for state in (0..count).filter(|state| !read[*state]) {
        after(state).iter().filter(unread).for_each(|to| before.entry(*to).or_default().push(state as u32));
    }
    let mut done: Vec<u32> =
        (0..count as u32).filter(|state| !read[*state as usize] && left[*state as usize] == 0).collect();
    let mut taken = 0;
    while let Some(state) = done.pop() {
        taken += 1;
        for source in before.remove(&state).unwrap_or_default() {
            left[source as usize] -= 1;
            if left[source as usize] == 0 {
                done.push(source);
            }
        }
    }
    Ok(taken == read.iter().filter(|read| !**read).count())
}

/// The atoms that hold in a state; nothing where states are not read.
type Letter = Option<Vec<bool>>;

/// An automaton, and what it reads in each state.
struct Product<'a> {
    automaton: &'a Automaton,
    letters: &'a FxHashMap<u32, Letter>,
}

impl Product<'_> {
    /// Where the automaton can move when a state is left, and the acceptance sets of that.
    fn moves(&self, state: u32, place: u32) -> impl Iterator<Item = (u32, u64)> {
        let letter = self.letters[&state].as_ref();
        let stays = letter.is_none().then_some((place, 0));
        let moves = letter.into_iter().flat_map(move |letter| {
            let fits = self.automaton.from(place).filter(|it| it.guard.admits(|atom| letter[atom as usize]));
            // Without acceptance sets, every transition is in the only one.
            fits.map(|it| (it.target, if self.automaton.sets == 0 { 1 } else { it.marks }))
        });
        stays.into_iter().chain(moves)
    }
}

/// What is read of each state of a pair.
fn letters(
    system: &System,
    question: &PathQuestion,
    pairs: &Pairs<'_>,
    known: &mut Known,
    stop: &AtomicBool,
) -> Result<FxHashMap<u32, Letter>, Rejection> {
    let mut system = system.clone();
    let slots = Listed::slots(&system);
    let mut atoms: FxHashMap<Box<[LocationId]>, Vec<Term>> = FxHashMap::default();
    let mut letters = FxHashMap::default();
    for (number, (at, _)) in pairs.list.iter().enumerate() {
        if letters.contains_key(at) {
            continue;
        }
        if letters.len() % 1024 == 0 && stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let place = Place::Listed(number);
        let state = known.state(&system, place, *at as usize)?;
        if system.stuck == Stuck::Repeat && state.values.iter().any(Option::is_none) {
            // It stands for many states, of which some may be stuck and others not.
            return Err(Undecided::NoCondition.into());
        }
        if !system.is_read(&state.locations) {
            letters.insert(*at, None);
            continue;
        }
        if !atoms.contains_key(&state.locations) {
            let here = |atom: &Term| ir::at_locations(&mut system, *atom, &state.locations);
            let here: Result<Vec<Term>, _> = question.atoms.iter().map(here).collect();
            atoms.insert(state.locations.clone(), here.map_err(|_| place.wrong(Flaw::NoCondition))?);
        }
        let env = Listed { slots: &slots, state: &state };
        let value = |atom: &Term| holds(&system.terms, &env, *atom);
        let letter: Result<Vec<bool>, _> = atoms[&state.locations].iter().map(value).collect();
        letters.insert(*at, Some(letter.map_err(|_| place.wrong(Flaw::NoCondition))?));
    }
    Ok(letters)
}

impl Known {
    /// Nothing is known yet.
    fn new(set: &Arc<dyn ClosedSet>) -> Self {
        let (states, successors) = (vec![None; set.len()], vec![None; set.len()]);
        Known { set: set.clone(), states, kept: 0, initial: None, successors }
    }
    /// Whether all that is known is about states that are kept, and another list has them under the same numbers.
    fn begins(&self, set: &Arc<dyn ClosedSet>) -> bool {
        let kept = |at: usize| self.states[at].is_some();
        let listed = |(at, state): (usize, &State)| at < set.len() && set.state(at) == *state;
        let about = self.successors.iter().enumerate().filter_map(|(at, to)| Some((at, to.as_deref()?)));
        self.initial.iter().flatten().all(|at| kept(*at as usize))
            && about.into_iter().all(|(at, to)| kept(at) && to.iter().all(|to| kept(*to as usize)))
            && self
                .states
                .iter()
                .enumerate()
                .filter_map(|(at, state)| Some((at, state.as_ref()?)))
                .all(listed)
    }
    /// What is known about another list that has the states that are kept under the same numbers.
    fn grown(mut self, set: &Arc<dyn ClosedSet>) -> Self {
        self.states.resize(set.len(), None);
        self.successors.resize(set.len(), None);
        Known { set: set.clone(), ..self }
    }
    /// A listed state, which has the shape of the system's.
    fn state(&mut self, system: &System, place: Place, at: usize) -> Result<Cow<'_, State>, Rejection> {
        if self.states[at].is_none() {
            let state = self.set.state(at);
            check_shape(system, place, &state)?;
            if self.kept + state.values.len() > MOST_KEPT {
                return Ok(Cow::Owned(state));
            }
            self.kept += state.values.len();
            self.states[at] = Some(state);
        }
        Ok(Cow::Borrowed(self.states[at].as_ref().expect("it is kept")))
    }
    /// Finds out what can happen in some states, and which are initial.
    fn find_out(
        &mut self,
        system: &System,
        states: impl Iterator<Item = usize>,
        stop: &AtomicBool,
    ) -> Result<(), Rejection> {
        let mut wanted: Vec<usize> = states.filter(|state| self.successors[*state].is_none()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let set = self.set.clone();
        let mut walk = Walk::new(system, &*set, stop).with(&self.states);
        if self.initial.is_none() {
            let mut initial = vec![];
            walk.initial(&mut |number| initial.push(number as u32))?;
            self.initial = Some(initial);
        }
        let mut steps = Steps::default();
        walk.steps(wanted.into_iter(), &mut steps)?;
        for (state, mut successors) in steps.lists {
            successors.sort_unstable();
            successors.dedup();
            self.successors[state] = Some(successors.into());
        }
        Ok(())
    }
}

/// The states that have been visited, each with its successors.
#[derive(Default)]
struct Steps {
    lists: Vec<(usize, Vec<u32>)>,
}

impl Visitor for Steps {
    fn vector(&mut self, _: &mut System, _: VectorId, _: &[LocationId]) -> Result<(), Flaw> {
        Ok(())
    }
    fn state(&mut self, _: &mut Interp<'_>, _: VectorId, at: &Visited<'_>) -> Result<(), Rejection> {
        self.lists.push((at.number, vec![]));
        Ok(())
    }
    fn step(&mut self, _: usize, _: &Action, to: usize) -> Result<(), Flaw> {
        self.lists.last_mut().expect("the state is visited first").1.push(to as u32);
        Ok(())
    }
}
