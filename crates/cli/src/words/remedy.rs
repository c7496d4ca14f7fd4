//! What to do without an answer, in words.

use engine::{Attempt, Choice, Config, Engine, Reason, Remedy};
use serde::Serialize;

use super::{flag, option};

/// A remedy for people and for programs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Advice {
    /// The stable code of the remedy.
    pub code: &'static str,
    /// What to do, in words.
    pub text: String,
    /// The options to be given, if it is a matter of options; an engine comes without those that it does not know.
    pub options: Vec<Setting>,
}

/// An option with its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Setting {
    /// The option, as on the command line.
    pub option: &'static str,
    /// Its value.
    pub value: String,
}

/// What would help where a search ended for this reason. Options that are about some engines only are `narrowing`;
/// `timed` is whether the model has clocks, and `model` its file.
pub fn advice(
    reason: &Reason,
    attempts: &[Attempt],
    config: &Config,
    narrowing: &[Choice],
    (timed, model): (bool, &str),
) -> Vec<Advice> {
    let outgrown = |reason: &Reason| matches!(reason, Reason::Outgrown(_));
    let unlimited = outgrown(reason) || attempts.iter().any(|attempt| outgrown(&attempt.reason));
    let told = |remedy: Remedy| Advice {
        code: remedy.code(),
        text: text(&remedy, narrowing, unlimited, model),
        options: match &remedy {
            Remedy::Choose(list) => list.iter().map(setting).collect(),
            _ => vec![],
        },
    };
    reason.remedies(attempts, config, timed).into_iter().map(told).collect()
}

fn setting(choice: &Choice) -> Setting {
    Setting { option: flag(choice), value: choice.value() }
}

fn text(remedy: &Remedy, narrowing: &[Choice], unlimited: bool, model: &str) -> String {
    match remedy {
        Remedy::Choose(list) => chosen(list, narrowing, unlimited),
        Remedy::OtherRefinement => {
            "other options of abstraction refinement (`--domain`, `--refinement`, `--interpolation`)"
                .to_owned()
        }
        Remedy::RaiseTimeLimit => "a higher `--timeout`".to_owned(),
        Remedy::RaiseMemoryLimit => "a higher `--memory-limit`".to_owned(),
        Remedy::RaiseStateLimit => "a higher `--state-limit`".to_owned(),
        Remedy::RaiseBound => "a higher `--bound`, or none".to_owned(),
        Remedy::InstallSolver => "a solver: `thetis doctor` says what is missing".to_owned(),
        Remedy::ShorterTime => "a smaller `--within`".to_owned(),
        Remedy::Simulate => format!("`thetis simulate {model}`, which steps through a timed model"),
        other => other.to_string(),
    }
}

/// Options to be given at once, and those to be left out because they are about other engines.
fn chosen(list: &[Choice], narrowing: &[Choice], unlimited: bool) -> String {
    let given: Vec<String> = list.iter().map(option).collect();
    let engine = list.iter().find_map(|choice| match choice {
        Choice::Engine(engine) => Some(*engine),
        _ => None,
    });
    let replaced = |choice: &&Choice| list.iter().any(|other| flag(other) == flag(choice));
    let foreign = |choice: &&Choice| engine.is_some_and(|engine| !choice.goes_with(engine));
    let without: Vec<&str> = narrowing.iter().filter(|it| foreign(it) && !replaced(it)).map(flag).collect();
    let without = match &without[..] {
        [] => String::new(),
        [one] => format!(" without `{one}`"),
        [most @ .., last] => format!(" without `{}` and `{last}`", most.join("`, `")),
    };
    let why = match list {
        [Choice::Engine(Engine::Auto)] => ", which tries several configurations",
        [Choice::Engine(Engine::Cegar)] if unlimited => ", whose numbers have no limits",
        [Choice::Threads(_)] => ", which tries two at a time",
        _ => "",
    };
    format!("`{}`{without}{why}", given.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{ClockStrategy, Domain, NoProgress, Outgrown, Unsupported};

    fn said(config: &Config, reason: &Reason, narrowing: &[Choice], timed: bool) -> String {
        let list = advice(reason, &[], config, narrowing, (timed, "m.xsts"));
        list.into_iter().map(|advice| advice.text).collect::<Vec<_>>().join("; or ")
    }

    #[test]
    fn nothing_is_advised_that_does_nothing() {
        let said = |engine: Engine, narrowing: &[Choice]| {
            said(&Config::default().for_engine(engine), &Reason::Time, narrowing, true)
        };
        assert_eq!(said(Engine::Auto, &[]), "a higher `--timeout`");
        let domain = Choice::Domain(Domain::Expl);
        let one =
            "a higher `--timeout`; or `--engine auto` without `--domain`, which tries several configurations";
        assert_eq!(said(Engine::Cegar, std::slice::from_ref(&domain)), one);
        let clocks = Choice::ClockStrategy(ClockStrategy::CfSplitAll);
        let two = "a higher `--timeout`; or `--engine auto` without `--clockstrategy` and `--domain`, which tries \
                   several configurations";
        assert_eq!(said(Engine::Combined, &[clocks, domain]), two);
    }

    #[test]
    fn advice_fits_the_cause() {
        let check = |engine: Engine, reason: Reason, timed: bool, expected: &str| {
            let config = Config { state_limit: Some(9), bound: Some(3), ..Config::default() };
            let config = Config { state_limit: config.state_limit, ..config.for_engine(engine) };
            assert_eq!(said(&config, &reason, &[], timed), expected, "{reason}");
        };
        let auto = "`--engine auto`, which tries several configurations";
        let twice = "a higher `--timeout`; or `--threads 2`, which tries two at a time";
        check(Engine::Auto, Reason::Time, false, twice);
        check(Engine::Explicit, Reason::Time, false, &format!("a higher `--timeout`; or {auto}"));
        let smaller = "a higher `--memory-limit`; or a smaller model: ranges for its variables, fewer values, fewer \
                       parts";
        check(Engine::Explicit, Reason::Memory, false, smaller);
        check(Engine::Explicit, Reason::States(9), false, &format!("a higher `--state-limit`; or {auto}"));
        let unlimited = format!(
            "`--engine cegar`, whose numbers have no limits; or smaller constants in the model; or {auto}"
        );
        check(Engine::Zone, Outgrown::Constant.into(), true, &unlimited);
        let domains = format!(
            "`--domain EXPL_PRED_COMBINED`; or `--engine combined --clockstrategy CF_SPLIT_FILTERCF`; or other \
             options of abstraction refinement (`--domain`, `--refinement`, `--interpolation`); or a model that says \
             more, such as ranges of its variables; or {auto}"
        );
        check(Engine::Cegar, NoProgress::Tracked.into(), true, &domains);
        let wide = format!(
            "`--engine cegar`; or {auto}; or `thetis simulate m.xsts`, which steps through a timed model"
        );
        check(Engine::Zone, Unsupported::WideValue.into(), true, &wide);
    }
}
