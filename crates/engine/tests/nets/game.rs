//! The token game, played by its rules: a deliberately naive reading of a net.
//!
//! It shares nothing with the product: markings are maps from ids of places to numbers, every arc is looked at by
//! itself, and all reachable markings are listed, level by level.

use std::collections::{BTreeMap, BTreeSet};

use super::net::{Kind, Net};

/// How many tokens each place has, by id.
pub type Marking = BTreeMap<String, u64>;

/// How many steps each reachable marking is away.
pub type Reachable = BTreeMap<Marking, usize>;

impl Net {
    pub fn initial(&self) -> Marking {
        self.places.iter().map(|place| place.id.clone()).zip(self.tokens.iter().copied()).collect()
    }
    /// The tokens that the normal arcs of one direction move, by place.
    fn moved(&self, transition: usize, kind: Kind) -> Marking {
        let mut sum = Marking::new();
        for arc in self.arcs.iter().filter(|arc| arc.transition == transition && arc.kind == kind) {
            *sum.entry(self.places[arc.place].id.clone()).or_default() += arc.weight;
        }
        sum
    }
    pub fn enabled(&self, transition: usize, marking: &Marking) -> bool {
        let taken = self.moved(transition, Kind::Take);
        let asked =
            |kind| self.arcs.iter().filter(move |arc| arc.transition == transition && arc.kind == kind);
        taken.iter().all(|(place, taken)| marking[place] >= *taken)
            && asked(Kind::Read).all(|arc| marking[&self.places[arc.place].id] >= arc.weight)
            && asked(Kind::Inhibit).all(|arc| marking[&self.places[arc.place].id] < arc.weight)
    }
    /// What an enabled transition makes of a marking.
    pub fn fire(&self, transition: usize, marking: &Marking) -> Marking {
        let mut after = marking.clone();
        for (place, taken) in self.moved(transition, Kind::Take) {
            *after.get_mut(&place).expect("a place") -= taken;
        }
        for (place, given) in self.moved(transition, Kind::Give) {
            *after.get_mut(&place).expect("a place") += given;
        }
        after
    }
    pub fn is_deadlock(&self, marking: &Marking) -> bool {
        !(0..self.transitions.len()).any(|transition| self.enabled(transition, marking))
    }
    /// All reachable markings, unless there are more than `limit`.
    pub fn reachable(&self, limit: usize) -> Option<Reachable> {
        let mut reachable = Reachable::new();
        let mut level = BTreeSet::from([self.initial()]);
        for depth in 0.. {
            level.retain(|marking| !reachable.contains_key(marking));
            if level.is_empty() {
                break;
            }
            reachable.extend(level.iter().map(|marking| (marking.clone(), depth)));
            if reachable.len() > limit {
                return None;
            }
            let step = |marking: &Marking| -> Vec<Marking> {
                let enabled = (0..self.transitions.len()).filter(|at| self.enabled(*at, marking));
                enabled.map(|at| self.fire(at, marking)).collect()
            };
            level = level.iter().flat_map(step).collect();
        }
        Some(reachable)
    }
}
