//! The run to a node: exact zones are what the steps on the way lead to, so the steps can be taken.

use ir::{Edges, Run};
use zones::Op;

use super::Explorer;
use super::graph::NONE;
use crate::Reason;
use crate::zone::End;
use crate::zone::run::{Leg, lost, moments};

impl Explorer<'_> {
    /// A run to `node`, where what was searched for happens.
    pub(super) fn run_to(mut self, node: u32) -> Result<Run, Reason> {
        let mut path = vec![node];
        while let Some(parent) = path.last().map(|at| self.graph.nodes[*at as usize].parent)
            && parent != NONE
        {
            path.push(parent);
        }
        path.reverse();
        let (mut legs, mut states) = (vec![], vec![]);
        for node in &path {
            let known = self.graph.nodes[*node as usize];
            let edges = match known.parent {
                NONE => Edges::new(),
                _ => self.base.places.edges_of(known.code).clone(),
            };
            legs.push(Leg { edges, ops: self.steps.ops(known.ops).to_vec() });
            self.vector(*node);
            states.push(self.base.places.unpack(&self.words[0]));
        }
        let times = self.times(node, &legs)?.ok_or_else(|| lost(None))?;
        self.base.walk(&states, &legs, &times)
    }
    /// Moments for the legs to `node`, so that what was searched for happens there.
    fn times(&mut self, node: u32, legs: &[Leg]) -> Result<Option<zones::Point>, Reason> {
        let dim = self.graph.dim;
        let on_the_way: Vec<Op> = legs.iter().flat_map(|leg| &leg.ops).copied().collect();
        let vector = self.vector(node);
        if self.base.places.faulty(vector) {
            return Ok(moments(dim, on_the_way.iter()));
        }
        let known = self.steps.of(&mut self.base, self.graph.nodes[node as usize].discrete);
        for at in known.map_err(End::reason)?.steps {
            let step = self.steps.step(at);
            if step.target == super::BAD {
                let times = moments(dim, on_the_way.iter().chain(self.steps.ops(step.ops)));
                if times.is_some() {
                    return Ok(times);
                }
            }
        }
        Ok(None)
    }
}
