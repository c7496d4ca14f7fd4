//! What several test programs share.

pub mod agreement;
pub mod naive;

use engine::{Observer, Progress, Reason, Stop};

/// Ends searches that ask the solver too often, so that they end alike on every machine.
#[allow(dead_code, reason = "not every test is about searches with a solver")]
pub struct Patience<'a>(pub &'a Stop);

/// Questions to the solver after which a search is given up.
#[allow(dead_code, reason = "not every test is about searches with a solver")]
const QUESTIONS: u64 = 20_000;

impl Observer for Patience<'_> {
    fn progress(&mut self, progress: &Progress) {
        if progress.solver_calls > QUESTIONS {
            self.0.request(Reason::Interrupted);
        }
    }
}
