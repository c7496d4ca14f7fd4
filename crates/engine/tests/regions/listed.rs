//! Zone sets as plain lists, to be changed by hand.

use std::sync::atomic::AtomicBool;

use ir::{Certificate, ClockRange, Question, State, System, Zone, ZoneSet};

#[derive(Clone, Debug)]
pub struct Entry {
    pub state: State,
    pub zone: Zone,
    /// If it stands for all that its zone simulates.
    pub constants: Option<Vec<ClockRange>>,
}

/// A set that looks through all its entries.
#[derive(Clone, Debug)]
pub struct Listed(pub Vec<Entry>);

impl Listed {
    /// What a set lists.
    pub fn of(set: &dyn ZoneSet) -> Listed {
        let entry = |index: usize| {
            let (mut state, mut zone, mut constants) = (State::default(), Zone::default(), vec![]);
            set.state(index, &mut state);
            set.zone(index, &mut zone);
            let simulates = set.simulation(index, &mut constants);
            Entry { state, zone, constants: simulates.then_some(constants) }
        };
        Listed((0..set.len()).map(entry).collect())
    }
    /// The same set after a change.
    pub fn with(&self, change: impl FnOnce(&mut Vec<Entry>)) -> Listed {
        let mut copy = self.clone();
        change(&mut copy.0);
        copy
    }
    /// The judgement of the set itself.
    pub fn check(&self, system: &System, question: &Question) -> Result<(), String> {
        let certificate = Certificate::Zones(Box::new(self.clone()));
        certify::check_certificate(system, question, &certificate, &AtomicBool::new(false))
            .map_err(|why| why.to_string())
    }
    /// The judgement of a solver on the formulas that the set stands for.
    pub fn check_formulas(&self, system: &System, question: &Question) -> Result<(), String> {
        let go_on = AtomicBool::new(false);
        certify::as_invariant(system, question, self, &go_on)
            .and_then(|invariant| certify::check_invariant_by_solver(system, question, &invariant, &go_on))
            .map(drop)
            .map_err(|why| why.to_string())
    }
}

impl ZoneSet for Listed {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        out.clone_from(&self.0[index].state);
    }
    fn zone(&self, index: usize, out: &mut Zone) {
        out.clone_from(&self.0[index].zone);
    }
    /// What contains a zone but has greater constants than it may is pointed at rather than nothing, so
    /// that a judge who believes that is found out.
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        let contains = |entry: &Entry| {
            entry.state == self.0[like].state
                && match &entry.constants {
                    Some(constants) => certify::is_simulated(zone, &entry.zone, constants),
                    None => zone.limits.iter().zip(&entry.zone.limits).all(|(a, b)| a <= b),
                }
        };
        let is_allowed =
            |entry: &Entry| most.is_none_or(|most| certify::are_at_most(entry.constants.as_deref(), most));
        let allowed = self.0.iter().position(|entry| is_allowed(entry) && contains(entry));
        allowed.or_else(|| self.0.iter().position(contains))
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        out.clone_from(self.0[index].constants.as_ref().unwrap_or(&vec![]));
        self.0[index].constants.is_some()
    }
}
