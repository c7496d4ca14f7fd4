//! Tables of outcomes, for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::outcome::Outcome;
use crate::task::Task;

/// The columns of [`line`].
pub const HEAD: &str =
    "task                                         verdict   seconds    calls    nodes iterations  MB";

/// One outcome.
pub fn line(task: &Task, outcome: &Outcome) -> String {
    let Outcome { word, reason, seconds, calls, nodes, iterations, megabytes, .. } = outcome;
    let note = if outcome.is_wrong(&task.expected) { " WRONG" } else { "" };
    format!(
        "{:44} {word:8} {seconds:>8.3} {calls:>8} {nodes:>8} {iterations:>10} {megabytes:>4.0} {reason}{note}",
        task.id
    )
}

/// What a configuration did on all tasks.
pub fn summary(config: &str, outcomes: &[&Outcome]) -> String {
    let decided: Vec<&&Outcome> = outcomes.iter().filter(|outcome| outcome.is_decided()).collect();
    let times = sorted(decided.iter().map(|outcome| outcome.seconds));
    let memory = outcomes.iter().map(|outcome| outcome.megabytes).fold(0.0, f64::max);
    let calls = sorted(decided.iter().map(|outcome| outcome.calls as f64));
    format!(
        "{config:20} {:>3} of {}, median {:.3} s, worst {:.3} s, median of solver calls {:.0}, at most {memory:.0} MB",
        decided.len(),
        outcomes.len(),
        median(&times),
        times.last().copied().unwrap_or_default(),
        median(&calls)
    )
}

/// The tasks for which there are different verdicts.
pub fn disagreements(tasks: &[Task], table: &[Vec<Outcome>]) -> Vec<String> {
    let several = |row: &[Outcome]| {
        let mut words = row.iter().filter(|outcome| outcome.is_decided()).map(|outcome| &outcome.word);
        let first = words.next();
        words.any(|word| Some(word) != first)
    };
    tasks.iter().zip(table).filter(|(_, row)| several(row)).map(|(task, _)| task.id.clone()).collect()
}

/// The whole matrix as a document.
pub fn matrix(
    origin: &str,
    seconds: f64,
    configs: &[String],
    tasks: &[Task],
    table: &[Vec<Outcome>],
) -> String {
    let count = |wanted: &dyn Fn(&Task, &Outcome) -> bool| -> usize {
        let rows = tasks.iter().zip(table);
        rows.map(|(task, row)| row.iter().filter(|outcome| wanted(task, outcome)).count()).sum()
    };
    let decided = count(&|_, outcome| outcome.is_decided());
    let wrong = count(&|task, outcome| outcome.is_wrong(&task.expected));
    let mut text = format!(
        "# The configuration matrix\n\n<!-- Made by `cargo xtask matrix`. -->\n\n\
         {} configurations, a pairwise covering array of the options of abstraction refinement\n\
         (`benches/cegar_pairwise.txt`), on {origin}: {} tasks, {seconds} s each for search and certification, one at a time. A verdict\n\
         counts only if its evidence was certified. Seconds are those of the processor. *Wrong* is another verdict than the listed one, evidence\n\
         that was refused, a failing solver, a panic, or a search that does not listen to its time limit.\n\n\
         | measurements | decided | unknown | wrong |\n|---|---|---|---|\n| {} | {decided} | {} | {wrong} |\n\n",
        configs.len(),
        tasks.len(),
        configs.len() * tasks.len(),
        count(&|_, outcome| outcome.word == "unknown"),
    );
    let _ = writeln!(
        text,
        "Tasks that no configuration decided: {}. Tasks with different verdicts: {}.\n",
        names(tasks.iter().zip(table).filter(|(_, row)| !row.iter().any(Outcome::is_decided))),
        match disagreements(tasks, table) {
            list if list.is_empty() => "none".to_owned(),
            list => list.join(", "),
        }
    );
    for (task, row) in tasks.iter().zip(table) {
        for (outcome, config) in
            row.iter().zip(configs).filter(|(outcome, _)| outcome.is_wrong(&task.expected))
        {
            let Outcome { word, reason, .. } = outcome;
            let _ = writeln!(text, "- wrong: {} by {config}: {word} {reason}\n", task.id);
        }
    }
    text += "## By configuration\n\nTimes and solver calls are those of decided tasks. *Replaced* are traces that \
        were refuted\nin another way than the one asked for, which failed or told nothing new.\n\n\
        | configuration | decided | unknown | wrong | median s | worst s | median calls | replaced |\n\
        |---|---|---|---|---|---|---|---|\n";
    for (at, config) in configs.iter().enumerate() {
        let column: Vec<&Outcome> = table.iter().map(|row| &row[at]).collect();
        let good: Vec<&&Outcome> = column.iter().filter(|outcome| outcome.is_decided()).collect();
        let times = sorted(good.iter().map(|outcome| outcome.seconds));
        let calls = sorted(good.iter().map(|outcome| outcome.calls as f64));
        let wrong =
            tasks.iter().zip(&column).filter(|(task, outcome)| outcome.is_wrong(&task.expected)).count();
        let _ = writeln!(
            text,
            "| {config} | {} | {} | {wrong} | {:.3} | {:.3} | {:.0} | {} |",
            good.len(),
            reasons(&column),
            median(&times),
            times.last().copied().unwrap_or_default(),
            median(&calls),
            column.iter().map(|outcome| outcome.replaced).sum::<u64>()
        );
    }
    text += "\n## By task\n\n| task | listed | decided by | best s | its configuration | fewest calls |\n\
        |---|---|---|---|---|---|\n";
    for (task, row) in tasks.iter().zip(table) {
        let good = row.iter().zip(configs).filter(|(outcome, _)| outcome.is_decided());
        let best = good.clone().min_by(|(a, _), (b, _)| a.seconds.total_cmp(&b.seconds));
        let fewest = good.clone().map(|(outcome, _)| outcome.calls).min();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            task.id,
            if task.expected.is_empty() { "–" } else { &task.expected },
            good.count(),
            best.map_or("–".to_owned(), |(outcome, _)| format!("{:.3}", outcome.seconds)),
            best.map_or("–", |(_, config)| config),
            fewest.map_or("–".to_owned(), |calls| calls.to_string()),
        );
    }
    text
}

fn names<'a>(tasks: impl Iterator<Item = (&'a Task, &'a Vec<Outcome>)>) -> String {
    let list: Vec<&str> = tasks.map(|(task, _)| task.id.as_str()).collect();
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

/// Why tasks are unknown, in a few words each, with how many there are.
fn reasons(column: &[&Outcome]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in column.iter().filter(|outcome| outcome.word == "unknown") {
        let short = outcome.reason.split([':', ' ']).next().unwrap_or_default();
        *counts.entry(short).or_default() += 1;
    }
    let list: Vec<String> = counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if list.is_empty() { "0".to_owned() } else { list.join(", ") }
}

fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut list: Vec<f64> = numbers.collect();
    list.sort_by(f64::total_cmp);
    list
}

fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
