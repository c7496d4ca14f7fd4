//! Questions about timed statecharts, under many configurations.
//!
//! `cargo xtask bench timed` runs this; its help says what it does. Questions are asked one at a time, each in a
//! process of its own.

extern crate thetis_engine as engine;

mod establish;
mod report;

#[path = "../../testing/apart.rs"]
mod apart;
#[expect(dead_code, reason = "the covering array and short names are for others")]
#[path = "../../testing/choices.rs"]
mod choices;
#[path = "../../testing/meter.rs"]
mod meter;
#[path = "../../testing/outcome.rs"]
mod outcome;
#[expect(dead_code, reason = "what headers expect is for the test of the list")]
#[path = "../../testing/questions.rs"]
mod questions;
#[path = "../../testing/wish.rs"]
mod wish;

use std::process::ExitCode;

use engine::{Domain, Prune};
use outcome::Outcome;
use questions::{Listed, Question};
use wish::Wish;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wish = |rest| Wish::read(rest, choices::read);
    let result = match arguments.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("task", rest)) => child(rest),
        Some(("list", rest)) => wish(rest).and_then(|wish| establish::list(&wish)),
        Some(("table", rest)) => wish(rest).and_then(table),
        Some(("all", rest)) => wish(rest).and_then(all),
        _ => Err("expected `list`, `table` or `all`".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// A question with its answer, and what every configuration made of it.
pub struct Row {
    /// The question.
    pub listed: Listed,
    /// Of each configuration.
    pub outcomes: Vec<Outcome>,
}

/// The configurations of the literature: what is done with clocks, values alone or with predicates, and how much of
/// the graph is kept.
fn table(mut wish: Wish) -> Result<(), String> {
    if wish.configs.is_empty() {
        wish.configs = report::PAPER.iter().map(report::Known::config).collect();
    }
    let rows = ask(&wish)?;
    let text = report::table(wish.seconds, &wish.configs, &rows);
    match &wish.output {
        Some(path) => {
            std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        None => print!("{text}"),
    }
    report::mistakes(&wish.configs, &rows)?;
    if wish.filter.is_empty() { report::shortfalls(&wish.configs, &rows) } else { Ok(()) }
}

/// Everything that can be chosen about time and the abstraction of data: all must agree.
fn all(mut wish: Wish) -> Result<(), String> {
    if wish.configs.is_empty() {
        wish.configs = every();
    }
    let rows = ask(&wish)?;
    print!("{}", report::summary(&wish.configs, &rows));
    report::mistakes(&wish.configs, &rows)
}

/// All configurations for timed models: engines on zones, and every strategy for clocks with every domain.
fn every() -> Vec<String> {
    let plain = ["auto", "zone", "zone-cegar", "bmc", "kind"].map(|engine| format!("engine={engine}"));
    let lazy = ["LU", "BW_ITP", "FW_ITP"].map(|zones| format!("engine=lazy zonestrategy={zones}"));
    let mut list: Vec<String> = plain.into_iter().chain(lazy).collect();
    for domain in Domain::ALL {
        for prune in Prune::ALL {
            let data = format!("domain={domain} prunestrategy={prune}");
            list.push(format!("clockstrategy=RAT_ENCODE {data}"));
            for clocks in ["CF_SPLIT_ALL", "CF_SPLIT_FILTERCF"] {
                for zones in ["BW_ITP", "FW_ITP", "LU"] {
                    list.push(format!("engine=combined clockstrategy={clocks} zonestrategy={zones} {data}"));
                }
            }
        }
    }
    list
}

/// Asks the questions that are wanted under every configuration.
fn ask(wish: &Wish) -> Result<Vec<Row>, String> {
    let corpus = questions::has_corpus();
    let mut list = questions::list()?;
    list.retain(|listed| (corpus || listed.question.is_own()) && listed.question.id().contains(&wish.filter));
    let count = list.len();
    let mut rows = vec![];
    for (number, listed) in list.into_iter().enumerate() {
        let outcomes = run(&listed.question, &wish.configs, wish.seconds)?;
        let solved = outcomes.iter().filter(|outcome| outcome.is_decided()).count();
        eprintln!(
            "{:>3} of {count}  {:80} {solved} of {}",
            number + 1,
            listed.question.id(),
            wish.configs.len()
        );
        rows.push(Row { listed, outcomes });
    }
    Ok(rows)
}

/// Runs configurations on a question, in one process as long as that lives.
fn run(question: &Question, configs: &[String], seconds: f64) -> Result<Vec<Outcome>, String> {
    let Question { model, kind, text, within } = question;
    let (within, seconds) = (within.map_or(String::new(), |most| most.to_string()), seconds.to_string());
    let task = [model, kind, text, &within, &seconds].map(|argument| argument.as_ref());
    apart::run(&task, configs, false)
}

/// Runs configurations on one question and prints a line for each.
fn child(arguments: &[String]) -> Result<(), String> {
    let [model, kind, text, within, seconds, configs @ ..] = arguments else {
        return Err("usage: task MODEL KIND QUESTION WITHIN SECONDS CONFIG…".to_owned());
    };
    let (model, kind, text) = (model.clone(), kind.clone(), text.clone());
    let question = Question { model, kind, text, within: within.parse().ok() };
    let seconds: f64 = seconds.parse().map_err(|_| "no number of seconds".to_owned())?;
    let (system, claim) = question.load()?;
    apart::answer(configs, |config| Ok(outcome::measure(&system, claim, &choices::read(config)?, seconds)))
}
