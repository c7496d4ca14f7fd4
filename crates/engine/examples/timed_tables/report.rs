//! Tables of outcomes, for people.

use std::fmt::Write;

use crate::choice;
use crate::outcome::Outcome;
use crate::task::Task;

/// A task, and what every configuration made of it.
pub struct Measured {
    pub task: Task,
    pub outcomes: Vec<Outcome>,
}

impl Measured {
    /// The outcome of a configuration, if it decided the task.
    fn decided(&self, configs: &[String], name: &str) -> Option<&Outcome> {
        let at = configs.iter().position(|config| config == name)?;
        Some(&self.outcomes[at]).filter(|outcome| outcome.is_decided())
    }
    /// The quickest of the configurations that decided the task.
    fn quickest<'a>(&'a self, configs: &'a [String], lazy: bool) -> Option<(&'a str, &'a Outcome)> {
        let both = configs.iter().map(String::as_str).zip(&self.outcomes);
        both.filter(|(config, outcome)| choice::is_lazy(config) == lazy && outcome.is_decided())
            .min_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds))
    }
    fn was_read(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.word != "unread")
    }
    fn data(&self) -> usize {
        self.outcomes.first().map_or(0, |outcome| outcome.data)
    }
    /// Whether two configurations have different verdicts.
    fn is_split(&self) -> bool {
        let mut words = self.outcomes.iter().filter(|outcome| outcome.is_decided());
        let first = words.next().map(|outcome| &outcome.word);
        words.any(|outcome| Some(&outcome.word) != first)
    }
}

/// What is wrong, a line each.
pub fn mistakes(configs: &[String], rows: &[Measured]) -> Vec<String> {
    let mut list = vec![];
    for row in rows {
        for (config, outcome) in configs.iter().zip(&row.outcomes) {
            if outcome.is_wrong(&row.task.expected) {
                let Outcome { word, reason, .. } = outcome;
                list.push(format!("{} by {config}: {word} {reason}", row.task.id));
            }
        }
        if row.is_split() {
            list.push(format!("{}: different verdicts", row.task.id));
        }
    }
    list
}

/// Everything as a document.
pub fn document(seconds: f64, configs: &[String], rows: &[Measured]) -> String {
    let count = |wanted: &dyn Fn(&Measured, &Outcome) -> bool| -> usize {
        rows.iter().map(|row| row.outcomes.iter().filter(|outcome| wanted(row, outcome)).count()).sum()
    };
    let mut text = format!(
        "# Timed automata: configurations compared\n\n<!-- Made by `cargo xtask tables`. -->\n\n\
         {} configurations on {} tasks, one at a time, {seconds} s each for search and certification. A verdict \
         counts only if\nits evidence was certified. Seconds are those of the processor, of the search alone; of \
         searches below 0.05 s the quickest of\nthree. The best of each row is bold, `–` is undecided. *Wrong* is another verdict than \
         the listed one, evidence that was refused,\na panic, or a search that does not listen to its time \
         limit.\n\n\
         `auto` is the default. `Z` is the zone graph (`--engine zone`), `ZS` the same with covering by simulation (`--covering alu`), `C` its refinement along paths (`--engine zone-cegar`, whose \
         nodes are those with and\nthose without zones). Other names are those of lazy abstraction: data explicit \
         (`E`) or abstracted to visible variables (`A`);\nzones by bounds that grow (`L`) or by interpolants, \
         backwards (`I`) or forwards (`F`). The last letter is the order: breadth\nfirst (`B`), depth first \
         (`D`), or priority (`P`).\n\n\
         | measurements | decided | unknown | wrong |\n|---|---|---|---|\n| {} | {} | {} | {} |\n\n\
         ![Tasks decided within a time, by configuration](timed-tables.svg)\n\n",
        configs.len(),
        rows.len(),
        configs.len() * rows.len(),
        count(&|_, outcome| outcome.is_decided()),
        count(&|_, outcome| matches!(outcome.word.as_str(), "unknown" | "unread")),
        mistakes(configs, rows).len(),
    );
    for mistake in mistakes(configs, rows) {
        let _ = writeln!(text, "- wrong: {mistake}");
    }
    findings(configs, rows, &mut text);
    for (title, listed) in [("Corpus", true), ("Own models", false)] {
        let part: Vec<&Measured> = rows.iter().filter(|row| row.task.listed == listed).collect();
        let nodes = |outcome: &Outcome| (outcome.nodes as f64, outcome.nodes.to_string());
        table(&format!("{title}: nodes"), configs, &part, &nodes, &mut text);
        // Below a tenth of a millisecond, times say nothing.
        let times = |outcome: &Outcome| {
            let tenths = (outcome.seconds * 1e4).round().max(1.0);
            (tenths, format!("{:.4}", tenths * 1e-4))
        };
        table(&format!("{title}: seconds"), configs, &part, &times, &mut text);
    }
    text
}

/// One table; `value` gives what is compared and how it is written.
fn table(
    title: &str,
    configs: &[String],
    rows: &[&Measured],
    value: &dyn Fn(&Outcome) -> (f64, String),
    text: &mut String,
) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {title}\n\n| task | verdict | {} |", configs.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---:|".repeat(configs.len()));
    for row in rows.iter().filter(|row| row.was_read()) {
        let good = row.outcomes.iter().filter(|outcome| outcome.is_decided());
        let best = good.clone().map(|outcome| value(outcome).0).fold(f64::INFINITY, f64::min);
        let cell = |outcome: &Outcome| match value(outcome) {
            _ if !outcome.is_decided() => "–".to_owned(),
            (number, shown) if number <= best => format!("**{shown}**"),
            (_, shown) => shown,
        };
        let cells: Vec<String> = row.outcomes.iter().map(cell).collect();
        let verdict = good.clone().next().map_or("–", |outcome| &outcome.word);
        let _ = writeln!(text, "| {} | {verdict} | {} |", row.task.id, cells.join(" | "));
    }
}

/// What is asked of the numbers.
fn findings(configs: &[String], rows: &[Measured], text: &mut String) {
    let unread: Vec<&str> =
        rows.iter().filter(|row| !row.was_read()).map(|row| row.task.id.as_str()).collect();
    if !unread.is_empty() {
        let _ = writeln!(text, "Not read, since they use what is not supported: {}.\n", unread.join(", "));
    }
    by_configuration(configs, rows, text);
    visible(configs, rows, text);
    ratios(configs, rows, text);
    literature(configs, rows, text);
}

fn by_configuration(configs: &[String], rows: &[Measured], text: &mut String) {
    text.push_str(
        "## By configuration\n\n| configuration | decided | unknown | wrong | fewest nodes | quickest |\n",
    );
    text.push_str("|---|---|---|---|---|---|\n");
    for (at, config) in configs.iter().enumerate() {
        let count = |wanted: &dyn Fn(&Measured, &Outcome) -> bool| {
            rows.iter().filter(|row| wanted(row, &row.outcomes[at])).count()
        };
        let least = |row: &Measured, value: &dyn Fn(&Outcome) -> f64| {
            let good = row.outcomes.iter().filter(|outcome| outcome.is_decided());
            good.map(value).fold(f64::INFINITY, f64::min)
        };
        let best = |value: &dyn Fn(&Outcome) -> f64| {
            count(&|row, outcome| outcome.is_decided() && value(outcome) <= least(row, value))
        };
        let _ = writeln!(
            text,
            "| {config} | {} | {} | {} | {} | {} |",
            count(&|_, outcome| outcome.is_decided()),
            count(&|_, outcome| outcome.word == "unknown"),
            count(&|row, outcome| outcome.is_wrong(&row.task.expected)),
            best(&|outcome| outcome.nodes as f64),
            best(&|outcome| (outcome.seconds * 1e4).round()),
        );
    }
}

/// Where abstracting data costs nodes.
fn visible(configs: &[String], rows: &[Measured], text: &mut String) {
    let pairs: Vec<(&String, String)> = configs
        .iter()
        .filter(|config| config.starts_with('E'))
        .map(|config| (config, config.replacen('E', "A", 1)))
        .collect();
    let (mut compared, mut models, mut good_models, mut exceptions) = (0, 0, 0, vec![]);
    for row in rows.iter().filter(|row| row.task.listed && row.data() >= 2) {
        let (mut here, mut more) = (0, vec![]);
        for (explicit, abstracted) in &pairs {
            let both = (row.decided(configs, explicit), row.decided(configs, abstracted));
            if let (Some(explicit_one), Some(abstract_one)) = both {
                here += 1;
                if abstract_one.nodes > explicit_one.nodes {
                    more.push(format!(
                        "{abstracted} {} > {explicit} {}",
                        abstract_one.nodes, explicit_one.nodes
                    ));
                }
            }
        }
        compared += here;
        models += usize::from(here > 0);
        good_models += usize::from(here > 0 && more.is_empty());
        if !more.is_empty() {
            exceptions.push((row.task.id.as_str(), more));
        }
    }
    if compared == 0 {
        return;
    }
    let count: usize = exceptions.iter().map(|(_, more)| more.len()).sum();
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    let _ = writeln!(
        text,
        "\n## Visible and explicit data\n\nOf the corpus, tasks with two or more data variables: with visible \
         variables a configuration has at most the nodes of the\nsame one with explicit data in {} of {compared} \
         pairs ({:.1} %), and in all pairs of {good_models} of {models} tasks ({:.1} %){}\n",
        compared - count,
        percent(compared - count, compared),
        percent(good_models, models),
        if exceptions.is_empty() { "." } else { ". It has more in:" },
    );
    for (id, more) in exceptions {
        let _ = writeln!(text, "- {id}: {}", more.join(", "));
    }
}

/// The least time of a search that is worth comparing.
const WORTH: f64 = 0.005;

/// Lazy abstraction against the zone graph.
fn ratios(configs: &[String], rows: &[Measured], text: &mut String) {
    let mut list = vec![];
    for row in rows.iter().filter(|row| row.task.listed) {
        let (zone, lazy) = (row.decided(configs, "ZB"), row.quickest(configs, true));
        let times = [zone.map(|zone| zone.seconds), lazy.map(|(_, lazy)| lazy.seconds)];
        if times.iter().flatten().any(|seconds| *seconds >= WORTH) {
            list.push((row.task.id.as_str(), zone, lazy));
        }
    }
    if list.is_empty() || !configs.iter().any(|config| choice::is_lazy(config)) {
        return;
    }
    let named = |wanted: &dyn Fn(Option<f64>, Option<f64>) -> bool| {
        let names: Vec<&str> = list
            .iter()
            .filter(|(_, zone, lazy)| wanted(zone.map(|o| o.seconds), lazy.map(|(_, o)| o.seconds)))
            .map(|(id, ..)| *id)
            .collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    let _ = writeln!(
        text,
        "\n## Lazy abstraction and the zone graph\n\nThe quickest lazy configuration against `ZB`, where one of \
         them takes {WORTH} s or more.\n\nLazy is quicker: {}.\n\nLazy takes more than 3 times as long, or does \
         not decide what `ZB` does: {}.\n\n| task | ZB s | best lazy | its s | lazy / ZB |\n|---|---:|---|---:|---:|",
        named(&|zone, lazy| lazy.is_some_and(|lazy| zone.is_none_or(|zone| lazy < zone))),
        named(&|zone, lazy| zone.is_some_and(|zone| lazy.is_none_or(|lazy| lazy > 3.0 * zone))),
    );
    for (id, zone, lazy) in &list {
        let dash = || "–".to_owned();
        let ratio = zone.zip(*lazy).map(|(zone, (_, lazy))| format!("{:.2}", lazy.seconds / zone.seconds));
        let _ = writeln!(
            text,
            "| {id} | {} | {} | {} | {} |",
            zone.map_or_else(dash, |zone| format!("{:.4}", zone.seconds)),
            lazy.map_or("–", |(config, _)| config),
            lazy.map_or_else(dash, |(_, lazy)| format!("{:.4}", lazy.seconds)),
            ratio.unwrap_or_else(dash),
        );
    }
}

/// Nodes of `AID` in the literature.
const LITERATURE: [(&str, u64); 2] = [("bocdp", 29_846), ("bocdpFIXED", 26_544)];

/// Against the figures of the literature.
fn literature(configs: &[String], rows: &[Measured], text: &mut String) {
    let lazy: Vec<&String> = configs.iter().filter(|config| choice::is_lazy(config)).collect();
    let known = |id: &str| LITERATURE.iter().find(|(name, _)| *name == id).map(|(_, nodes)| *nodes);
    let rows: Vec<(&Measured, u64)> =
        rows.iter().filter_map(|row| Some((row, known(&row.task.id)?))).collect();
    if lazy.is_empty() || rows.is_empty() {
        return;
    }
    text.push_str(
        "\n## Against the literature\n\nNodes of `AID` in table 2 of Tóth and Majzik, *Lazy reachability checking \
         for timed automata with discrete variables*, 2018,\nand here. Here it \
         is also shown that no variable leaves its range, which needs more variables to be seen and is most of the\n\
         difference. Where the question is violated, the search ends with the run.\n\n| task | literature | AID | s | fewest \
         lazy | by |\n|---|---:|---:|---:|---:|---|\n",
    );
    for (row, nodes) in rows {
        let here = row.decided(configs, "AID");
        let fewest = lazy
            .iter()
            .filter_map(|config| Some((row.decided(configs, config)?.nodes, config.as_str())))
            .min();
        let _ = writeln!(
            text,
            "| {} | {nodes} | {} | {} | {} | {} |",
            row.task.id,
            here.map_or("–".to_owned(), |outcome| outcome.nodes.to_string()),
            here.map_or("–".to_owned(), |outcome| format!("{:.3}", outcome.seconds)),
            fewest.map_or("–".to_owned(), |(nodes, _)| nodes.to_string()),
            fewest.map_or("–", |(_, config)| config),
        );
    }
}
