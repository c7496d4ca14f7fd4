//! What is said about a question without an answer: why each configuration stopped, and what would help.

use engine::Attempt;
use thetis::Limits;

use crate::words::{self, Advice};

/// Why each of several configurations stopped, and what to do about it.
pub(super) fn notes(attempts: &[Attempt], remedies: &[Advice], limits: &Limits) -> Vec<String> {
    let tried = |attempt: &Attempt| {
        let told = words::reason(&attempt.reason, limits);
        format!("tried `{}`: {}", words::options(&attempt.configuration), told.text)
    };
    let mut notes: Vec<String> = attempts.iter().map(tried).collect();
    let ways: Vec<&str> = remedies.iter().map(|advice| advice.text.as_str()).collect();
    if !ways.is_empty() {
        notes.push(format!("to go on: {}", ways.join("; or ")));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Config, Engine, Reason, Unsupported};

    #[test]
    fn what_nobody_decides_has_a_line_for_each_and_a_remedy_for_all() {
        let config = Config { state_limit: Some(9), ..Config::default() };
        let attempt =
            |engine, reason| Attempt { configuration: config.for_engine(engine), reason, states: 0 };
        let attempts = [
            attempt(Engine::Explicit, Reason::States(9)),
            attempt(Engine::Bmc, Reason::Bound(6)),
            attempt(Engine::Kind, Unsupported::ManyLocations.into()),
        ];
        let remedies = words::advice(&Reason::Exhausted(3), &attempts, &config, &[], (false, "m.xsts"));
        let said = notes(&attempts, &remedies, &Limits::default());
        assert_eq!(
            said,
            [
                "tried `--engine explicit`: state limit of 9 reached",
                "tried `--engine bmc`: bound of 6 steps reached",
                "tried `--engine kind`: unsupported: too many combinations of locations, or too many actions, for \
                 formulas",
                "to go on: a higher `--state-limit`",
            ]
        );
    }
}
