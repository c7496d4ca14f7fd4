//! What several test programs share.

pub mod agreement;
pub mod naive;

use engine::{Observer, Progress, Reason, Stop};

/// Ends searches that ask the solver too often, so that they end alike on every machine.
#[allow(dead_code, reason = "not every test is about searches with a solver")]
pub struct Patience<'a>(pub &'a Stop);

impl Observer for Patience<'_> {
    fn progress(&mut self, progress: &Progress) {
        // Questions after which a search is given up.
        if progress.solver_calls > 3_000 {
            self.0.request(Reason::Interrupted);
        }
    }
}
