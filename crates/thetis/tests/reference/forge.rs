//! What somebody does to evidence that is right.

use std::sync::Arc;

use proptest::prelude::*;
use thetis::engine::Answer;
use thetis::ir::automaton::Automaton;
use thetis::ir::{
    Argument, Certificate, ClockRange, ClosedSet, Cycle, Descent, Head, Invariant, KInductive, Limit,
    Measure, Pairs, Progress, Returns, Run, State, Terms, Value, Zone, ZoneSet,
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
            Answer::Found(run) if run.cycle.is_some() && !self.what.is_multiple_of(3) => {
                Answer::Found(self.lasso(run.clone())?)
            }
            Answer::Found(run) => Answer::Found(self.run(run.clone())?),
            Answer::Excluded(certificate) => Answer::Excluded(self.certificate(certificate)?),
            Answer::Unknown(_) => return None,
        })
    }
    fn certificate(self, certificate: &Certificate) -> Option<Certificate> {
        let mut copy = copy(certificate)?;
        match &mut copy {
            Certificate::ClosedSet(set) => {
                let mut states: Vec<State> = (0..set.len()).map(|at| set.state(at)).collect();
                self.states(&mut states)?;
                *set = Box::new(Listed(states));
            }
            Certificate::Zones(set) => {
                let mut entries: Vec<Entry> = (0..set.len()).map(|at| Entry::of(&**set, at)).collect();
                self.zones(&mut entries)?;
                *set = Box::new(Zones(entries));
            }
            Certificate::Invariant(list) => self.invariant(list)?,
            Certificate::KInductive(proof) => *proof = self.induction(proof.clone())?,
            Certificate::Progress(proof) => self.progress(proof)?,
            Certificate::Returns(proof) => self.returns(proof)?,
            Certificate::Blocks(_) => return None,
        }
        Some(copy)
    }
    fn progress(self, proof: &mut Progress) -> Option<()> {
        let inner = Forgery { what: self.what / 4, ..self };
        match self.what % 4 {
            0 => proof.base = inner.certificate(&proof.base)?,
            1 => inner.automaton(&mut proof.automaton)?,
            _ => inner.descent(proof)?,
        }
        Some(())
    }
    fn automaton(self, automaton: &mut Automaton) -> Option<()> {
        let at = self.entry.checked_rem(automaton.transitions.len())?;
        let states = automaton.sinks.len();
        let transition = &mut automaton.transitions[at];
        match self.what % 6 {
            0 => drop(automaton.transitions.remove(at)),
            1 => transition.marks ^= 1 << (self.place % automaton.sets.max(1) as usize),
            2 => transition.target = (self.place % states) as u32,
            3 => {
                let cubes = &mut transition.guard.cubes;
                let cube = self.place.checked_rem(cubes.len())?;
                match self.by < 0 {
                    true => drop(cubes.remove(cube)),
                    false => cubes[cube].first_mut()?.1 ^= true,
                }
            }
            4 => automaton.sinks[self.place % states] ^= true,
            _ => automaton.initial = (self.place % states) as u32,
        }
        Some(())
    }
    fn descent(self, proof: &mut Progress) -> Option<()> {
        if self.what.is_multiple_of(8) {
            let entries = listed(&proof.base)?;
            proof.descent = match proof.descent {
                Descent::Terminal => Descent::Measures(vec![Measure { rank: 0, missing: 0 }; entries]),
                _ => Descent::Terminal,
            };
            return Some(());
        }
        match &mut proof.descent {
            Descent::Terminal => return None,
            Descent::Rounds(most) => *most = most.checked_add_signed(self.by as i32)?,
            Descent::Measures(list) => {
                let at = self.entry.checked_rem(list.len())?;
                match self.what % 3 {
                    0 => list[at] = list[self.place % list.len()],
                    1 => list[at].rank = list[at].rank.checked_add_signed(self.by as i32)?,
                    _ => list[at].missing ^= 1 << (self.place % 2),
                }
            }
            Descent::Ranks(list) => {
                let Certificate::Invariant(Invariant { terms, .. }) = &mut proof.base else { return None };
                let at = self.entry.checked_rem(list.len())?;
                let number = list[at].components.len();
                match self.what % 7 {
                    0 => list[at].rank = list[at].rank.checked_add_signed(self.by as i32)?,
                    1 => list[at].missing ^= 1 << (self.place % 2),
                    2 => list[at] = list[self.place % list.len()].clone(),
                    // Of all, so that there are as many everywhere.
                    3 => list.iter_mut().for_each(|it| it.components.truncate(self.place % (number + 1))),
                    4 => {
                        let all = list.iter_mut().flat_map(|it| &mut it.components);
                        all.for_each(|it| *it = terms.neg(*it));
                    }
                    5 => {
                        let component = list[at].components.get_mut(self.place.checked_rem(number)?)?;
                        *component = shifted(terms, *component, self.place / 8, self.by)?;
                    }
                    _ => {
                        let component = list[at].components.get_mut(self.place.checked_rem(number)?)?;
                        let more = terms.int(self.by);
                        *component = terms.add([*component, more]);
                    }
                }
            }
        }
        Some(())
    }
    fn returns(self, proof: &mut Returns) -> Option<()> {
        let at = self.entry.checked_rem(proof.distances.len())?;
        proof.distances[at] = match proof.distances[at] {
            Some(_) if self.by == 0 => None,
            Some(distance) => Some(distance.checked_add_signed(self.by as i32)?),
            None => Some(self.by.unsigned_abs() as u32),
        };
        Some(())
    }
    /// Changes where a run begins to repeat itself, what it repeats, or what every round begins in.
    fn lasso(self, mut run: Run) -> Option<Run> {
        let Cycle { steps, head } = run.cycle.as_mut()?;
        match self.entry % 9 {
            // Shifted.
            0 => run.steps.push(steps.first()?.clone()),
            1 => steps.insert(0, run.steps.pop()?),
            2 if steps.len() > 1 => steps.rotate_left(1),
            3 => drop(steps.pop()?),
            4 => steps.clear(),
            5 => {
                let at = self.place.checked_rem(steps.len())?;
                Forgery { place: self.place / 4, ..self }.value(&mut steps[at].state)?;
            }
            6 if head.is_some() => *head = None,
            6 => run.cycle = None,
            _ => {
                let Head { terms, formula } = &mut **head.as_mut()?;
                *formula = match self.what % 3 {
                    0 => terms.bool(true),
                    1 => terms.not(*formula),
                    _ => shifted(terms, *formula, self.place, self.by)?,
                };
            }
        }
        Some(run)
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

/// The same certificate.
fn copy(certificate: &Certificate) -> Option<Certificate> {
    Some(match certificate {
        Certificate::ClosedSet(set) => Certificate::ClosedSet(relisted(&**set)),
        Certificate::Zones(set) => {
            let entries = (0..set.len()).map(|at| Entry::of(&**set, at)).collect();
            Certificate::Zones(Box::new(Zones(entries)))
        }
        Certificate::Invariant(list) => Certificate::Invariant(list.clone()),
        Certificate::KInductive(proof) => Certificate::KInductive(proof.clone()),
        Certificate::Progress(proof) => Certificate::Progress(Box::new(Progress {
            automaton: proof.automaton.clone(),
            base: copy(&proof.base)?,
            descent: proof.descent.clone(),
        })),
        Certificate::Returns(proof) => {
            let (set, distances) = (relisted(&*proof.set), proof.distances.clone());
            Certificate::Returns(Returns { set, distances })
        }
        Certificate::Blocks(_) => return None,
    })
}

/// The same states, as pairs if they are those.
fn relisted(set: &dyn ClosedSet) -> Box<dyn ClosedSet> {
    let states: Vec<State> = (0..set.len()).map(|at| set.state(at)).collect();
    match set.pairs() {
        Some(Pairs { base, list }) => Box::new(Paired { base, list: list.to_vec(), states }),
        None => Box::new(Listed(states)),
    }
}

/// How many states or zones a certificate lists.
fn listed(certificate: &Certificate) -> Option<usize> {
    match certificate {
        Certificate::ClosedSet(set) => Some(set.len()),
        Certificate::Zones(set) => Some(set.len()),
        _ => None,
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

/// States of a product, also as pairs.
struct Paired {
    base: Arc<dyn ClosedSet>,
    list: Vec<(u32, u32)>,
    states: Vec<State>,
}

impl ClosedSet for Paired {
    fn len(&self) -> usize {
        self.states.len()
    }
    fn state(&self, index: usize) -> State {
        self.states[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.states.iter().position(|other| other == state)
    }
    fn pairs(&self) -> Option<Pairs<'_>> {
        Some(Pairs { base: self.base.clone(), list: &self.list })
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
