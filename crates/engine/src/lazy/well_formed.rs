//! The invariants of an adaptive simulation graph, checked node by node (see [`super`]).
//!
//! This computes again what the search has computed, so it is for tests: all of it runs where debug
//! assertions do, on finished graphs and, while they are small, now and then on the way.

use zones::{Bound, dbm};

use super::Explorer;
use super::graph::{NONE, Node, State};
use super::lu::is_possible;
use super::reads::ALL;
use crate::config::ZoneStrategy;

impl Explorer<'_> {
    /// Panics unless every node is well-labelled and, in a `finished` graph, complete.
    pub(super) fn assert_well_formed(&mut self, finished: bool) {
        let mut children = vec![0; self.graph.nodes.len()];
        for number in 0..self.graph.nodes.len() as u32 {
            let node = self.graph.nodes[number as usize];
            assert!(!finished || node.state != State::Waiting, "node {number} is not complete");
            if node.parent != NONE {
                children[node.parent as usize] += 1;
                self.assert_consecution(number, node);
            }
            match node.state {
                State::Covered => self.assert_coverage(number, node),
                State::Waiting | State::Expanded => assert_eq!(node.coverer, NONE, "node {number}"),
            }
        }
        for number in 0..self.graph.nodes.len() as u32 {
            if self.graph.nodes[number as usize].state == State::Expanded {
                self.assert_simulation(number, children[number as usize]);
            } else {
                assert_eq!(children[number as usize], 0, "node {number} is not expanded");
            }
        }
    }
    fn exact(&self, node: u32) -> Vec<Bound> {
        let mut zone = vec![Bound::INFINITY; dbm::len(self.graph.dim)];
        self.graph.load_zone(node, &mut zone);
        zone
    }
    fn hull(&self, node: u32) -> Vec<Bound> {
        let mut zone = vec![Bound::INFINITY; dbm::len(self.graph.dim)];
        self.graph.load_hull(node, &mut zone);
        zone
    }
    /// The exact part is what the step leads to, and the labels contain what it leads to from labels.
    fn assert_consecution(&self, number: u32, node: Node) {
        let (dim, ops) = (self.graph.dim, self.steps.ops(node.ops));
        let mut zone = self.exact(node.parent);
        assert_eq!(zones::post(&mut zone, dim, ops), Ok(true), "node {number} has a step");
        assert_eq!(zone, self.exact(number), "node {number} has the exact zone");
        let seen = self.graph.nodes[node.parent as usize].mask;
        let before = self.steps.effect(node.effect).before(node.mask);
        assert!(seen == ALL || before & !seen == 0, "node {number} sees what its parent does not");
        if self.strategy != ZoneStrategy::Lu {
            let mut zone = self.hull(node.parent);
            // Bounds of a wider zone may be beyond what a matrix holds, where those of the exact one are not.
            if let Ok(possible) = zones::post(&mut zone, dim, ops) {
                assert!(possible, "node {number} has a step from a wider zone");
                assert!(
                    dbm::includes(&self.hull(number), &zone),
                    "node {number} has a zone that is too small"
                );
            }
            return;
        }
        let bounds = self.graph.bounds(number);
        if bounds.is_empty() {
            return;
        }
        let mut before = bounds.clone();
        before.pull_back(ops).expect("they were pulled back before");
        let mut parent = self.graph.bounds(node.parent).clone();
        assert!(!parent.merge(&before), "node {number} has greater bounds than its parent");
    }
    fn assert_coverage(&mut self, number: u32, node: Node) {
        let by = self.graph.nodes[node.coverer as usize];
        assert_eq!(by.state, State::Expanded, "node {number} is covered by one that is expanded");
        assert!(self.agree(number, node.coverer, by.mask), "node {number} has other data than its coverer");
        assert_eq!(by.mask & !node.mask, 0, "node {number} sees less than its coverer");
        if self.strategy != ZoneStrategy::Lu {
            let (big, small) = (self.hull(node.coverer), self.hull(number));
            assert!(dbm::includes(&big, &small), "node {number} is not within its coverer");
            return;
        }
        let mut bounds = self.graph.bounds(number).clone();
        let others = self.graph.bounds(node.coverer);
        assert!(!bounds.merge(others), "node {number} has smaller bounds than its coverer");
        let (big, small) = (self.exact(node.coverer), self.exact(number));
        assert!(zones::lu_covers(&big, &small, self.graph.dim, others), "node {number} is not simulated");
    }
    /// What is impossible is impossible by the labels; what is possible has a child.
    fn assert_simulation(&mut self, number: u32, children: usize) {
        let Node { discrete, mask, .. } = self.graph.nodes[number as usize];
        let known = match self.steps.of(&mut self.base, discrete) {
            Ok(known) => known,
            Err(_) => unreachable!("it has been expanded"),
        };
        if mask != ALL {
            for block in known.blocks {
                let sets = self.steps.block(block);
                assert!(sets.iter().any(|set| set & !mask == 0), "node {number}: data block nothing");
            }
        }
        let (dim, zone) = (self.graph.dim, self.exact(number));
        let mut possible = 0;
        for at in known.steps {
            let step = self.steps.step(at);
            let needed = self.steps.effect(step.effect).needed;
            assert!(mask == ALL || needed & !mask == 0, "node {number} does not see what decides");
            let ops = self.steps.ops(step.ops);
            if zones::post(&mut zone.clone(), dim, ops) == Ok(true) {
                possible += 1;
                continue;
            }
            let by_label = match self.strategy {
                ZoneStrategy::Lu => is_possible(ops, &mut zone.clone(), dim, self.graph.bounds(number)),
                _ => zones::post(&mut self.hull(number), dim, ops),
            };
            assert_eq!(by_label, Ok(false), "node {number}: its label does not disable a step");
        }
        assert_eq!(children, possible, "node {number} has a child for each step");
    }
}
