//! What somebody does to evidence that is right.

use proptest::prelude::*;
use thetis::engine::Answer;
use thetis::ir::{
    Argument, Certificate, ClockRange, ClosedSet, Invariant, KInductive, Limit, Run, State, Terms, Value,
    Zone, ZoneSet,
};

/// A change, by numbers that are taken modulo what there is.
#[derive(Copy, Clone, Debug)]
pub struct Forgery {
    what: usize,
    entry: usize,
    place: usize,
    by: i64,
}

pub fn forgery() -> impl Strategy<Value = Forgery> {
    (any::<usize>(), any::<usize>(), any::<usize>(), -2..=2_i64)
        .prop_map(|(what, entry, place, by)| Forgery { what, entry, place, by })
}

impl Forgery {
    /// The same answer with changed evidence; nothing if there is nothing to change.
    pub fn apply(self, answer: &Answer) -> Option<Answer> {
        Some(match answer {
            Answer::Found(run) => Answer::Found(self.run(run.clone())?),
            Answer::Excluded(Certificate::ClosedSet(set)) => {
                let mut states: Vec<State> = (0..set.len()).map(|at| set.state(at)).collect();
                self.states(&mut states)?;
                Answer::Excluded(Certificate::ClosedSet(Box::new(Listed(states))))
            }
            Answer::Excluded(Certificate::Zones(set)) => {
                let mut entries: Vec<Entry> = (0..set.len()).map(|at| Entry::of(&**set, at)).collect();
                self.zones(&mut entries)?;
                Answer::Excluded(Certificate::Zones(Box::new(Zones(entries))))
            }
            Answer::Excluded(Certificate::Invariant(list)) => {
                let mut list = list.clone();
                self.invariant(&mut list)?;
                Answer::Excluded(Certificate::Invariant(list))
            }
            Answer::Excluded(Certificate::KInductive(proof)) => {
                Answer::Excluded(Certificate::KInductive(self.induction(proof.clone())?))
            }
            Answer::Excluded(_) | Answer::Unknown(_) => return None,
        })
    }
    fn run(self, mut run: Run) -> Option<Run> {
        let step = self.entry.checked_rem(run.steps.len())?;
        match self.what % 5 {
            0 => drop(run.steps.pop()),
            1 => drop(run.steps.remove(step)),
            2 => self.value(&mut run.steps[step].state)?,
            3 => run.steps[step].decisions.clear(),
            _ => drop(run.steps[step].decisions.pop()?),
        }
        Some(run)
    }
    /// Changes a value of a state.
    fn value(self, state: &mut State) -> Option<()> {
        let place = self.place.checked_rem(state.values.len())?;
        let value = &mut state.values[place];
        *value = match value.take() {
            Some(Value::Bool(value)) => Some(Value::Bool(!value)),
            Some(Value::Int(value)) => Some(Value::int(value.to_i64()? + self.by)),
            Some(_) => None,
            None => Some(Value::int(self.by)),
        };
        Some(())
    }
    fn states(self, states: &mut Vec<State>) -> Option<()> {
        let entry = self.entry.checked_rem(states.len())?;
        match self.what % 3 {
            0 => drop(states.remove(entry)),
            1 => self.value(&mut states[entry])?,
            _ => {
                let mut more = states[entry].clone();
                self.value(&mut more)?;
                states.push(more);
            }
        }
        Some(())
    }
    fn zones(self, entries: &mut Vec<Entry>) -> Option<()> {
        let entry = self.entry.checked_rem(entries.len())?;
        let Entry { state, zone, constants } = &mut entries[entry];
        match self.what % 6 {
            0 => drop(entries.remove(entry)),
            1 => self.value(state)?,
            2 => {
                let place = self.place.checked_rem(constants.as_ref()?.len())?;
                let (lower, upper) = &mut constants.as_mut()?[place];
                *(if self.by < 0 { lower } else { upper }) = (self.by != 0).then_some(self.by.abs());
            }
            3 => *constants = None,
            _ => {
                let place = self.place % zone.limits.len();
                zone.limits[place] = match zone.limits[place].get() {
                    Some((c, strict)) if self.by != 0 => Limit::new(c + self.by, strict)?,
                    Some((c, strict)) => Limit::new(c, !strict)?,
                    None => Limit::new(self.by + 2, false)?,
                };
            }
        }
        Some(())
    }
    fn invariant(self, list: &mut Invariant) -> Option<()> {
        let count = list.entries.len();
        let entry = self.entry.checked_rem(count)?;
        match self.what % 5 {
            0 => {
                let successors = &mut list.entries[entry].successors;
                let place = self.place.checked_rem(successors.len())?;
                successors.remove(place);
            }
            1 => list.entries[entry].formula = list.entries[self.place % count].formula,
            2 => list.entries[entry].formula = list.terms.bool(self.by > 0),
            3 => {
                let Invariant { terms, entries, .. } = list;
                entries[entry].formula = terms.not(entries[entry].formula);
            }
            _ => {
                let Invariant { terms, entries, .. } = list;
                entries[entry].formula = shifted(terms, entries[entry].formula, self.place, self.by)?;
            }
        }
        Some(())
    }
    fn induction(self, mut proof: KInductive) -> Option<KInductive> {
        match self.what % 4 {
            0 => proof.k = proof.k.saturating_sub(1),
            1 => proof.k += 1,
            2 => {
                let all = [Argument::Induction, Argument::SimplePath, Argument::Exhaustion];
                proof.argument = all[self.place % all.len()];
            }
            _ => Forgery { what: self.what / 4, ..self }.invariant(&mut proof.lemma)?,
        }
        Some(proof)
    }
}

/// A formula one of whose numbers is another one.
fn shifted(terms: &mut Terms, formula: thetis::ir::Term, place: usize, by: i64) -> Option<thetis::ir::Term> {
    let mut numbers = vec![];
    terms.for_each_subterm(formula, |term| {
        if let Some(Value::Int(value)) = terms.as_const(term) {
            numbers.push((term, value.clone()));
        }
    });
    let (chosen, value) = numbers.get(place.checked_rem(numbers.len())?)?.clone();
    let other = terms.int(value.to_i64()?.checked_add(by)?);
    Some(terms.rewrite(formula, &mut |_, term| (term == chosen).then_some(other)))
}

struct Listed(Vec<State>);

impl ClosedSet for Listed {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize) -> State {
        self.0[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.0.iter().position(|other| other == state)
    }
}

struct Entry {
    state: State,
    zone: Zone,
    constants: Option<Vec<ClockRange>>,
}

impl Entry {
    fn of(set: &dyn ZoneSet, at: usize) -> Self {
        let mut entry = Entry { state: State::default(), zone: Zone::default(), constants: None };
        let mut constants = vec![];
        set.state(at, &mut entry.state);
        set.zone(at, &mut entry.zone);
        entry.constants = set.simulation(at, &mut constants).then_some(constants);
        entry
    }
}

struct Zones(Vec<Entry>);

impl ZoneSet for Zones {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        out.clone_from(&self.0[index].state);
    }
    fn zone(&self, index: usize, out: &mut Zone) {
        out.clone_from(&self.0[index].zone);
    }
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        let contains = |entry: &Entry| {
            let constants = entry.constants.as_deref();
            let within = || zone.limits.iter().zip(&entry.zone.limits).all(|(small, big)| small <= big);
            let simulated = |constants| thetis::certify::is_simulated(zone, &entry.zone, constants);
            entry.state == self.0[like].state
                && entry.zone.dim == zone.dim
                && most.is_none_or(|most| thetis::certify::are_at_most(constants, most))
                && (within() || constants.is_some_and(simulated))
        };
        self.0.iter().position(contains)
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        let Some(constants) = &self.0[index].constants else { return false };
        out.clone_from(constants);
        true
    }
}
