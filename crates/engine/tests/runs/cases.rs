//! The models with temporal formulas in `cases/xsts/temporal`, by every engine that answers them and every way to refine.

use std::fs;
use std::path::Path;

use lang::xsts;
use thetis_engine::{Cegar, Config, Engine, LassoSearch};

use super::answered;
use super::lassos::{refining, ways};

/// What the comments of a model ask, and what is expected.
fn questions(text: &str) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = vec![];
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        if let Some(formula) = line.strip_prefix("property: ") {
            list.push((formula.to_owned(), String::new()));
        } else if let Some(expected) = line.strip_prefix("expect: ") {
            let last = list.last_mut().expect("something is asked first");
            assert!(last.1.is_empty() && ["holds", "violated"].contains(&expected), "{line}");
            last.1 = expected.to_owned();
        }
    }
    assert!(!list.is_empty() && list.iter().all(|(_, expected)| !expected.is_empty()));
    list
}

/// The default and refinement by default answer everything. The others, which have limits here, may leave something open;
/// of the ways to refine, each formula is asked in a quarter.
#[test]
fn cases_get_the_verdict_in_their_comments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/xsts/temporal");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 4);
    let mut round = 0;
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for (formula, expected) in questions(&text) {
            let mut model = xsts::load(&text).unwrap();
            let claim = model.parse_property("p", &format!("ltl: {formula}")).unwrap().claim;
            let question = model.system.question(claim);
            let found = |config: &Config| answered(&model.system, &question, config).0;
            let at = format!("{}: {formula}", path.display());
            for preprocess in [true, false] {
                let config = Config { preprocess, ..refining(Cegar::default()) };
                assert_eq!(found(&config), expected, "{at} by {config}");
            }
            assert_eq!(found(&Config::default()), expected, "{at}");
            let limited = |config: Config| Config {
                call_limit: Some(100),
                state_limit: Some(5_000),
                bound: Some(4),
                ..config
            };
            let searches = LassoSearch::ALL.iter().map(|search| {
                let cegar = Cegar { lasso_search: *search, ..Cegar::default() };
                Config { engine: Engine::Explicit, cegar, ..Config::default() }
            });
            let others = [Engine::Bmc, Engine::Kind].map(|engine| Config { engine, ..Config::default() });
            let some =
                ways().skip(round % 4).step_by(4).map(|cegar| refining(Cegar { unroll: Some(8), ..cegar }));
            for config in searches.chain(others).chain(some).map(limited) {
                let found = found(&config);
                assert!(found == expected || found == "unknown", "{at} by {config}: {found}");
            }
            round += 1;
        }
    }
}
