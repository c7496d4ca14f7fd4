//! Choices as the options that make them.

use engine::{Choice, ClockStrategy, Config, ConfigError, Engine, Needs};

/// The option of a choice.
pub fn flag(choice: &Choice) -> &'static str {
    match choice {
        Choice::Engine(_) => "--engine",
        Choice::Encoding(_) => "--encoding",
        Choice::Theory(_) => "--theory",
        Choice::Search(_) => "--search",
        Choice::Covering(_) => "--covering",
        Choice::ZoneStrategy(_) => "--zonestrategy",
        Choice::Data(_) => "--data",
        Choice::ClockStrategy(_) => "--clockstrategy",
        Choice::Bound(_) => "--bound",
        Choice::Threads(_) => "--threads",
        Choice::Domain(_) => "--domain",
        Choice::Refinement(_) => "--refinement",
        Choice::Interpolation(_) => "--interpolation",
        Choice::Prune(_) => "--prunestrategy",
        Choice::InitialPrecision(_) => "--initprec",
        Choice::PredicateSplit(_) => "--predsplit",
        Choice::MaxEnum(_) => "--maxenum",
        Choice::AutoExpl(_) => "--autoexpl",
        Choice::LassoSearch(_) => "--lasso-search",
        Choice::LassoRefinement(_) => "--lasso-refinement",
        Choice::Unroll(_) => "--unroll",
        Choice::Graph => "--arg",
    }
}

/// The option of a choice with its value.
pub fn option(choice: &Choice) -> String {
    match choice {
        Choice::Graph => flag(choice).to_owned(),
        _ => format!("{} {}", flag(choice), choice.value()),
    }
}

/// The options that choose a configuration.
pub fn options(config: &Config) -> String {
    config.choices().iter().map(option).collect::<Vec<_>>().join(" ")
}

fn engines(list: &[Engine]) -> String {
    let names: Vec<String> = list.iter().map(|engine| format!("`--engine {engine}`")).collect();
    match &names[..] {
        [most @ .., before, last] => {
            let most: String = most.iter().map(|name| format!("{name}, ")).collect();
            format!("{most}{before} and {last}")
        }
        list => list.concat(),
    }
}

/// Why two options do not go together. Whoever did not name the engine is told what chose it.
pub fn clash(error: &ConfigError, chosen_by: Option<&Choice>) -> String {
    let [given, other] = error.choices();
    if let (ConfigError::Engine { engine: Engine::Auto, .. }, None) = (error, chosen_by) {
        let about = engines(given.engines());
        return format!("`{}` needs an engine: it is about {about}", option(&given));
    }
    let with = match (&other, chosen_by) {
        (Choice::Engine(_), Some(by)) => format!("`{}`, which chooses `{}`", option(by), option(&other)),
        _ => format!("`{}`", option(&other)),
    };
    let why = match error {
        ConfigError::Engine { given: Choice::ClockStrategy(ClockStrategy::RatEncode), .. } => {
            format!(": it is for engines that know data only, {}", engines(given.engines()))
        }
        ConfigError::Engine { .. } => format!(": it is about {}", engines(given.engines())),
        ConfigError::Order { .. } => ", which searches breadth first or depth first".to_owned(),
        ConfigError::Covering { engine: Engine::Lazy, .. } => {
            ", where `--zonestrategy` says what covers".to_owned()
        }
        ConfigError::Covering { .. } => ", which covers by simulation".to_owned(),
        ConfigError::Domain { needs: Needs::Values, .. } => {
            ": it needs a domain with explicit values".to_owned()
        }
        ConfigError::Domain { needs: Needs::Predicates, .. } => {
            ": it needs a domain with predicates".to_owned()
        }
        ConfigError::Domain { given: Choice::Refinement(_), needs: Needs::Domain(domain), .. } => {
            format!(": it needs `--domain {domain}`: a core names variables only")
        }
        ConfigError::Domain { needs: Needs::Domain(domain), .. } => {
            format!(": it needs `--domain {domain}`")
        }
        ConfigError::Interpolation { .. } => ": it says by itself how traces are explained".to_owned(),
    };
    format!("`{}` does not go with {with}{why}", option(&given))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Domain, Search, ZoneStrategy};

    #[test]
    fn both_options_are_named() {
        let error = ConfigError::Order { search: Search::Priority, engine: Engine::Cegar };
        let said = "`--search priority` does not go with `--engine cegar`, which searches breadth first or depth first";
        assert_eq!(clash(&error, None), said);
        let by = Choice::Domain(Domain::Expl);
        let said = "`--search priority` does not go with `--domain EXPL`, which chooses `--engine cegar`, which \
                    searches breadth first or depth first";
        assert_eq!(clash(&error, Some(&by)), said);
        let given = Choice::ZoneStrategy(ZoneStrategy::Lu);
        let error = ConfigError::Engine { given, engine: Engine::Zone };
        let said = "`--zonestrategy LU` does not go with `--engine zone`: it is about `--engine lazy` and `--engine \
                    combined`";
        assert_eq!(clash(&error, None), said);
    }

    #[test]
    fn a_configuration_is_the_options_that_choose_it() {
        let shown = |engine| options(&Config::default().for_engine(engine));
        assert_eq!(shown(Engine::Explicit), "--engine explicit");
        assert_eq!(shown(Engine::Lazy), "--engine lazy --zonestrategy auto --data VISIBLE");
        let cegar = "--engine cegar --domain PRED_CART --refinement SEQ_ITP --interpolation auto --prunestrategy LAZY";
        assert_eq!(shown(Engine::Cegar), cegar);
        let deep = Config { search: Search::Dfs, ..Config::default().for_engine(Engine::Explicit) };
        assert_eq!(options(&deep), "--engine explicit --search dfs");
    }
}
