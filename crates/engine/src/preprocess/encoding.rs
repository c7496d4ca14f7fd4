//! Clock encoding: time as data, for engines that know nothing else.
//!
//! The encoding is that of [`ir::spell_out`], which also says why it is exact: a delay of the one system is an
//! arbitrary non-negative number in the other, and all states are the same. So is every certificate; of a run, only the
//! decisions are others.

use ir::{Certificate, Elapsed, Run, System, VarId};

use super::{RewriteKind, Rewriting, rewriting};
use crate::pass::{Lift, Pass, Preserves, Problem};
use crate::stop::Stop;

/// Makes time data, where time passes.
pub struct ClockEncoding;

impl Pass for ClockEncoding {
    fn preserves(&self) -> Preserves {
        Preserves::ObservedRuns
    }
    fn apply(&self, problem: &mut Problem, _: &Stop) -> Option<Box<dyn Lift>> {
        problem.system.timed()?;
        let (system, elapsed) = ir::spell_out(&problem.system);
        problem.system = system;
        Some(Box::new(elapsed))
    }
}

impl Lift for Elapsed {
    fn summary(&self) -> Vec<Rewriting> {
        let clocks: Vec<VarId> = self.original.clocks().collect();
        vec![rewriting(&self.original, RewriteKind::Encoded, &clocks)]
    }
    fn before(&self) -> &System {
        &self.original
    }
    fn run(&self, _: &System, run: &Run, _: &Stop) -> Option<Run> {
        Elapsed::run(self, run)
    }
    fn certificate(&self, _: &System, certificate: Certificate, _: &Stop) -> Option<Certificate> {
        Some(certificate)
    }
}
