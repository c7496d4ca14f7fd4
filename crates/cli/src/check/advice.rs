//! What to do about a question without an answer: why each configuration stopped, and what would help there.

use engine::{Attempt, Config, Engine, Reason};

/// What was asked for, as far as it decides what else there is to try.
pub(super) struct Asked<'a> {
    pub(super) config: &'a Config,
    /// Options that are about some engines, so that there is no choice among all.
    pub(super) narrowing: &'a [&'static str],
    /// Whether two configurations can run side by side.
    pub(super) side_by_side: bool,
}

/// Why each of several configurations stopped, and what to do about it.
pub(super) fn notes(asked: &Asked<'_>, reason: &Reason, attempts: &[Attempt]) -> Vec<String> {
    let Asked { config, narrowing, side_by_side } = *asked;
    let tried = |attempt: &Attempt| format!("tried `{}`: {}", attempt.configuration, attempt.reason);
    let mut notes: Vec<String> = attempts.iter().map(tried).collect();
    let causes: Vec<&Reason> = match reason {
        Reason::Exhausted(_) => attempts.iter().map(|attempt| &attempt.reason).collect(),
        one => vec![one],
    };
    let mut ways: Vec<String> = vec![];
    for way in causes.iter().filter_map(|cause| remedy(config, cause)) {
        if !ways.iter().any(|known| known == way) {
            ways.push(way.to_owned());
        }
    }
    let stopped = matches!(reason, Reason::Time | Reason::Interrupted);
    if config.engine != Engine::Auto && *reason != Reason::Memory {
        // With these, `auto` would be one of them again.
        let without = match narrowing {
            [] => String::new(),
            [one] => format!(" without `{one}`"),
            [most @ .., last] => format!(" without `{}` and `{last}`", most.join("`, `")),
        };
        ways.push(format!("`--engine auto`{without}, which tries several configurations"));
    } else if stopped && config.engine == Engine::Auto && config.threads < 2 && side_by_side {
        ways.push("`--threads 2`, which tries two at a time".to_owned());
    }
    if !ways.is_empty() {
        notes.push(format!("to go on: {}", ways.join("; or ")));
    }
    notes
}

/// What lets a search go on that ended for this reason.
fn remedy(config: &Config, reason: &Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::Time => "a higher `--timeout`",
        Reason::Memory => {
            "a higher `--memory-limit`, or a smaller model: ranges for its variables, fewer values, fewer parts"
        }
        Reason::States(limit) if config.state_limit.is_some_and(|most| most <= *limit) => {
            "a higher `--state-limit`"
        }
        // Whoever stores no states stops with those who do.
        Reason::Calls(_) | Reason::Work | Reason::Bound(_) if config.state_limit.is_some() => {
            "a higher `--state-limit`"
        }
        Reason::Bound(_) if config.bound.is_some() => "a higher `--bound`, or none",
        Reason::Outgrown(why) if why.contains("`--within`") && config.engine != Engine::Cegar => {
            "`--engine cegar`, whose numbers have no limits, or a smaller `--within`"
        }
        Reason::Outgrown(_) if config.engine != Engine::Cegar => {
            "`--engine cegar`, whose numbers have no limits, or smaller constants in the model"
        }
        Reason::NoProgress(_) if matches!(config.engine, Engine::Lazy | Engine::Linear) => return None,
        Reason::NoProgress(_) | Reason::Outgrown(_) => {
            "other options of abstraction refinement (`--domain`, `--refinement`, `--interpolation`), or a model \
             that says more, such as ranges of its variables"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(config: &Config, reason: &Reason, attempts: &[Attempt]) -> Vec<String> {
        super::notes(&Asked { config, narrowing: &[], side_by_side: true }, reason, attempts)
    }

    #[test]
    fn nothing_is_advised_that_does_nothing() {
        let said = |engine: Engine, narrowing: &[&'static str]| {
            let config = Config { engine, ..Config::default() };
            super::notes(&Asked { config: &config, narrowing, side_by_side: false }, &Reason::Time, &[])
                .join("\n")
        };
        assert_eq!(said(Engine::Auto, &[]), "to go on: a higher `--timeout`");
        let one = "to go on: a higher `--timeout`; or `--engine auto` without `--domain`, which tries several \
                   configurations";
        assert_eq!(said(Engine::Cegar, &["--domain"]), one);
        let two = "to go on: a higher `--timeout`; or `--engine auto` without `--clockstrategy` and `--domain`, \
                   which tries several configurations";
        assert_eq!(said(Engine::Combined, &["--clockstrategy", "--domain"]), two);
    }

    #[test]
    fn advice_fits_the_cause() {
        let limits = Config { state_limit: Some(9), bound: Some(3), ..Config::default() };
        let check = |engine: Engine, reason: Reason, expected: &str| {
            let config = Config { engine, ..limits.clone() };
            assert_eq!(notes(&config, &reason, &[]).join("\n"), expected, "{reason}");
        };
        let auto = "`--engine auto`, which tries several configurations";
        check(
            Engine::Auto,
            Reason::Time,
            "to go on: a higher `--timeout`; or `--threads 2`, which tries two at a time",
        );
        check(Engine::Explicit, Reason::Time, &format!("to go on: a higher `--timeout`; or {auto}"));
        check(
            Engine::Explicit,
            Reason::Memory,
            "to go on: a higher `--memory-limit`, or a smaller model: ranges for its variables, fewer values, fewer \
             parts",
        );
        check(Engine::Explicit, Reason::States(9), &format!("to go on: a higher `--state-limit`; or {auto}"));
        let config = Config { engine: Engine::Bmc, bound: Some(3), ..Config::default() };
        let said = notes(&config, &Reason::Bound(3), &[]);
        assert_eq!(said, [format!("to go on: a higher `--bound`, or none; or {auto}")]);
    }

    #[test]
    fn what_nobody_decides_has_a_line_for_each_and_a_remedy_for_all() {
        let attempt = |name: &str, reason| Attempt { configuration: name.to_owned(), reason, states: 0 };
        let attempts = [
            attempt("--engine explicit", Reason::States(9)),
            attempt("--engine bmc", Reason::Bound(6)),
            attempt("--engine kind", Reason::Unsupported("arrays".to_owned())),
        ];
        let config = Config { state_limit: Some(9), ..Config::default() };
        let said = notes(&config, &Reason::Exhausted(3), &attempts);
        assert_eq!(
            said,
            [
                "tried `--engine explicit`: state limit of 9 reached",
                "tried `--engine bmc`: bound of 6 steps reached",
                "tried `--engine kind`: unsupported: arrays",
                "to go on: a higher `--state-limit`",
            ]
        );
    }
}
