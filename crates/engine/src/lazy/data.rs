//! Visible variables.
//!
//! A node knows its data ν, and sees some of its variables: ν̂ is ν restricted to these, and stands for
//! all data that agree with it there. What must be seen is kept small, since a node covers all nodes
//! whose data agree with what it sees. Three things make a variable visible (compare algorithm 2 of
//! Tóth and Majzik, *Lazy reachability checking for timed automata with discrete variables*, 2018):
//!
//! - It blocks an execution. Of several conditions that block it, one with the fewest new variables is
//!   taken; this is interpolation between ν and the condition, with whole conjuncts at a time.
//! - It decides about a step, other than by allowing it ([`super::steps::Effect`]).
//! - A node that covers this one sees it, or a child sees something that is made from it.
//!
//! Invariant: with ν̂ alone known, three-valued execution does what it does with all of ν known, and
//! leaves known what the children see. What the coverer of a node sees, the node sees and agrees with.

use ir::Type;

use super::Explorer;
use super::graph::{NONE, State};
use super::reads::{Mask, Reads, bit};
use crate::concrete::op::VECTOR;
use crate::concrete::word::{Word, in_parts, width};
use crate::zone::places::Places;

/// The state variables that hold data, and where they lie in a state.
pub(super) struct Variables {
    list: Vec<Variable>,
    home: Vec<Mask>,
}

struct Variable {
    slots: std::ops::Range<usize>,
    /// Whether it is written in parts.
    array: bool,
}

impl Variables {
    pub(super) fn new(places: &Places, components: usize) -> Self {
        let mut list: Vec<Variable> = vec![];
        let mut home = vec![0; components];
        let mut next = 1;
        let types = places.system.types();
        for ty in &places.types {
            let slots = next..next + width(types, *ty);
            next = slots.end;
            if *ty != Type::Clock {
                home[slots.clone()].fill(bit(list.len()));
                list.push(Variable { slots, array: in_parts(types, *ty).is_some() });
            }
        }
        Variables { list, home }
    }
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
    /// The variable of each slot of a state.
    pub(super) fn home(&self) -> &[Mask] {
        &self.home
    }
    /// Notes what the value of a variable comes from, unless it is still its own.
    pub(super) fn write(&self, var: usize, reads: &Reads, out: &mut Vec<(u8, Mask)>) {
        let Variable { slots, array } = &self.list[var];
        let mut from = reads.from(slots.clone());
        let own = bit(var);
        // Parts that were not written are known only if the array was. Where variables share a bit,
        // writing one leaves the others.
        if *array || var >= 127 {
            from |= own;
        }
        if from == own {
            return;
        }
        let number = var.min(127) as u8;
        match out.last_mut() {
            Some((last, known)) if *last == number => *known |= from,
            _ => out.push((number, from)),
        }
    }
    /// A number for each variable that tells different values apart, most of the time.
    pub(super) fn hashes(&self, words: &[Word], out: &mut Vec<u64>) {
        out.clear();
        out.resize(self.list.len().min(128), 0);
        for (var, Variable { slots, .. }) in self.list.iter().enumerate() {
            let hash = words[slots.clone()].iter().fold(var as u64 + 1, |hash, word| {
                let product = u128::from(hash ^ *word as u64 ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
                product as u64 ^ (product >> 64) as u64
            });
            out[var.min(127)] ^= hash;
        }
    }
    /// Whether two states agree on some variables.
    pub(super) fn agree(&self, a: &[Word], b: &[Word], on: Mask) -> bool {
        a[VECTOR as usize] == b[VECTOR as usize]
            && self.home.iter().zip(a.iter().zip(b)).all(|(home, (a, b))| a == b || home & on == 0)
    }
    /// Leaves all variables open but some.
    pub(super) fn restrict(&self, words: &mut [Word], to: Mask) {
        for (word, home) in words.iter_mut().zip(&self.home) {
            if *home != 0 && home & to == 0 {
                *word = crate::concrete::word::OPEN;
            }
        }
    }
}

impl Explorer<'_> {
    /// Makes one of the sets visible that are enough each, if none is so far.
    pub(super) fn see_one(&mut self, node: u32, block: u32) {
        let seen = self.graph.nodes[node as usize].mask;
        let sets = self.steps.block(block);
        let least = sets.iter().copied().min_by_key(|set| (set & !seen).count_ones());
        self.see(node, least.unwrap_or(0));
    }
    /// Makes variables visible at a node, and what that asks for elsewhere.
    pub(super) fn see(&mut self, node: u32, mask: Mask) {
        let mut work = std::mem::take(&mut self.sights);
        work.push((node, mask));
        while let Some((node, mask)) = work.pop() {
            let known = self.graph.nodes[node as usize];
            let mask = known.mask | mask;
            if mask == known.mask {
                continue;
            }
            self.refinements += 1;
            if known.state == State::Expanded && node != self.expanding {
                self.reindex(node, mask);
            }
            self.graph.nodes[node as usize].mask = mask;
            let mut covered = known.covers;
            while covered != NONE {
                let next = self.graph.nodes[covered as usize].next;
                match self.agree(covered, node, mask) {
                    true => work.push((covered, mask)),
                    false => self.uncover(covered),
                }
                covered = next;
            }
            if known.parent != NONE {
                work.push((known.parent, self.steps.effect(known.effect).before(mask)));
            }
        }
        self.sights = work;
    }
    /// Whether the data of two nodes agree on some variables.
    pub(super) fn agree(&mut self, a: u32, b: u32, on: Mask) -> bool {
        let [a, b] = [a, b].map(|node| self.graph.nodes[node as usize].discrete);
        if a == b {
            return true;
        }
        let (store, [left, right]) = (&self.base.store, &mut self.words);
        store.get(a, left);
        store.get(b, right);
        self.steps.variables.agree(left, right, on)
    }
}
