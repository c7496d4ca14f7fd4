//! Tables of outcomes, for people.

use std::fmt::Write;

use crate::Row;
use crate::outcome::Outcome;

/// A configuration of the literature, and how many of its 30 questions without and with a time limit it solved.
pub struct Known {
    clocks: &'static str,
    domain: &'static str,
    prune: &'static str,
    solved: [u32; 2],
}

/// How many questions of each kind there are in the literature.
const ASKED: f64 = 30.0;

/// Table 6.1 of Cziborová, *Abstraction-based timed model checking for software-intensive system models*, 2023. The
/// product there tracks values beside predicates whose successors are split into cubes, which is `EXPL_PRED_SPLIT`.
pub const PAPER: [Known; 12] = {
    const fn known(
        clocks: &'static str,
        domain: &'static str,
        prune: &'static str,
        solved: [u32; 2],
    ) -> Known {
        Known { clocks, domain, prune, solved }
    }
    const VALUES: &str = "EXPL";
    const PRODUCT: &str = "EXPL_PRED_SPLIT";
    [
        known("RAT_ENCODE", VALUES, "LAZY", [26, 12]),
        known("RAT_ENCODE", VALUES, "FULL", [27, 12]),
        known("RAT_ENCODE", PRODUCT, "LAZY", [29, 10]),
        known("RAT_ENCODE", PRODUCT, "FULL", [30, 10]),
        known("CF_SPLIT_ALL", VALUES, "LAZY", [27, 16]),
        known("CF_SPLIT_ALL", VALUES, "FULL", [29, 17]),
        known("CF_SPLIT_ALL", PRODUCT, "LAZY", [30, 17]),
        known("CF_SPLIT_ALL", PRODUCT, "FULL", [30, 18]),
        known("CF_SPLIT_FILTERCF", VALUES, "LAZY", [29, 13]),
        known("CF_SPLIT_FILTERCF", VALUES, "FULL", [29, 13]),
        known("CF_SPLIT_FILTERCF", PRODUCT, "LAZY", [30, 14]),
        known("CF_SPLIT_FILTERCF", PRODUCT, "FULL", [30, 15]),
    ]
};

impl Known {
    /// The configuration, as it is read.
    pub fn config(&self) -> String {
        let engine = if self.clocks == "RAT_ENCODE" { "cegar" } else { "combined" };
        let Known { clocks, domain, prune, .. } = self;
        format!("engine={engine} clockstrategy={clocks} domain={domain} maxenum=250 prunestrategy={prune}")
    }
}

/// Everything that is wrong. Whoever gives up everywhere is never wrong otherwise, so half of many questions must be
/// decided.
pub fn mistakes(configs: &[String], rows: &[Row]) -> Result<(), String> {
    let mut list = vec![];
    for Row { listed, outcomes } in rows {
        let id = listed.question.id();
        let expected = if listed.verdict == "unknown" { "" } else { &listed.verdict };
        for (config, outcome) in configs.iter().zip(outcomes).filter(|(_, one)| one.is_wrong(expected)) {
            list.push(format!("{id} by {config}: {} {}", outcome.word, outcome.reason));
        }
        let mut words = outcomes.iter().filter(|one| one.is_decided()).map(|one| &one.word);
        let first = words.next();
        if words.any(|word| Some(word) != first) {
            list.push(format!("{id}: different verdicts"));
        }
    }
    for (at, config) in configs.iter().enumerate().filter(|_| rows.len() >= MANY) {
        let solved = decided(rows, at).count();
        if 2 * solved < rows.len() {
            list.push(format!("{config} decides only {solved} of {}", rows.len()));
        }
    }
    if list.is_empty() { Ok(()) } else { Err(format!("{} wrong:\n{}", list.len(), list.join("\n"))) }
}

/// With so many questions, several models are asked about, and some are easy for everybody.
const MANY: usize = 100;

/// Configurations that solve less of the corpus than they did of the questions of the literature.
pub fn shortfalls(configs: &[String], rows: &[Row]) -> Result<(), String> {
    let mut list = vec![];
    for (at, config) in configs.iter().enumerate() {
        let Some(known) = PAPER.iter().find(|known| known.config() == *config) else { continue };
        for limited in [false, true] {
            let kind =
                |row: &&Row| !row.listed.question.is_own() && row.listed.question.within.is_some() == limited;
            let asked = rows.iter().filter(kind).count();
            let solved = decided(rows, at).filter(|(row, _)| kind(row)).count();
            if (solved as f64) * ASKED < f64::from(known.solved[usize::from(limited)]) * asked as f64 {
                list.push(format!("{config} solves only {solved} of {asked}"));
            }
        }
    }
    if list.is_empty() { Ok(()) } else { Err(format!("less than in the literature:\n{}", list.join("\n"))) }
}

/// What each configuration did on all questions.
pub fn summary(configs: &[String], rows: &[Row]) -> String {
    let mut text = String::new();
    for (at, config) in configs.iter().enumerate() {
        let mut times: Vec<f64> = decided(rows, at).map(|(_, one)| one.seconds + one.certify).collect();
        times.sort_by(f64::total_cmp);
        let _ = writeln!(
            text,
            "{:>4} of {}, median {:>7.3} s, worst {:>7.3} s  {config}",
            times.len(),
            rows.len(),
            times.get(times.len() / 2).copied().unwrap_or_default(),
            times.last().copied().unwrap_or_default()
        );
    }
    text
}

fn decided(rows: &[Row], at: usize) -> impl Iterator<Item = (&Row, &Outcome)> {
    rows.iter().map(move |row| (row, &row.outcomes[at])).filter(|(_, outcome)| outcome.is_decided())
}

/// The table of the literature, measured here.
pub fn table(seconds: f64, configs: &[String], rows: &[Row]) -> String {
    let parts: Vec<(&str, Vec<&Row>)> = [("Models of the corpus", false), ("Our own models", true)]
        .map(|(title, own)| (title, rows.iter().filter(|row| row.listed.question.is_own() == own).collect()))
        .into();
    let mut text = format!(
        "# Timed statecharts: configurations compared\n\n<!-- Made by `cargo xtask bench timed --table`. -->\n\n\
         The configurations of table 6.1 of Cziborová, *Abstraction-based timed model checking for \
         software-intensive system\nmodels*, 2023, on the questions of `benches/timed-questions.csv`: whether \
         states and transitions are reached, and whether\nwhat is claimed holds, without and with a time limit. \
         Each question has {seconds} s of the processor, for search and\ncertification; in the literature it was \
         20 minutes, for 30 questions without and 30 with a limit, on two models. *Paper* is the\nshare that was \
         solved there. *Quickest* says on how many questions no other configuration was quicker. `EXPL_PRED` \
         is\n`EXPL_PRED_SPLIT`; both domains have `--maxenum 250`. Ways through a statement are listed once here, with \
         either\nkind of splitting; `CF_SPLIT_FILTERCF` asks before following one whether the data allow it, and only \
         where there\nare more than 2048 asks for all that they allow, as in the literature.\n"
    );
    for (title, rows) in parts.iter().filter(|(_, rows)| !rows.is_empty()) {
        let _ = writeln!(
            text,
            "\n## {title}\n\n| clocks | domain | prune | reachability | share | paper | timed reachability | share \
             | paper | quickest |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|"
        );
        for (at, config) in configs.iter().enumerate() {
            let known = PAPER.iter().find(|known| known.config() == *config);
            let mut cells = match known {
                Some(Known { clocks, domain, prune, .. }) => {
                    format!("| {clocks} | {} | {prune}", domain.replace("_SPLIT", ""))
                }
                None => format!("| {config} | |"),
            };
            for limited in [false, true] {
                let asked: Vec<&&Row> =
                    rows.iter().filter(|row| row.listed.question.within.is_some() == limited).collect();
                let solved = asked.iter().filter(|row| row.outcomes[at].is_decided()).count();
                let share = |part: f64, whole: f64| format!("{:.0} %", 100.0 * part / whole.max(1.0));
                let paper = known.map_or("–".to_owned(), |known| {
                    share(f64::from(known.solved[usize::from(limited)]), ASKED)
                });
                let _ = write!(
                    cells,
                    " | {solved} of {} | {} | {paper}",
                    asked.len(),
                    share(solved as f64, asked.len() as f64)
                );
            }
            let quickest = rows.iter().filter(|row| is_quickest(row, at)).count();
            let _ = writeln!(text, "{cells} | {quickest} |");
        }
        let open: Vec<String> = rows
            .iter()
            .filter(|row| !row.outcomes.iter().any(Outcome::is_decided))
            .map(|row| format!("`{}`", row.listed.question.id()))
            .collect();
        let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
        let _ = writeln!(text, "\nQuestions that none of them decided: {open}.");
    }
    text
}

fn is_quickest(row: &Row, at: usize) -> bool {
    let cost = |outcome: &Outcome| outcome.seconds + outcome.certify;
    let good = row.outcomes.iter().filter(|outcome| outcome.is_decided());
    let best = good.map(cost).fold(f64::INFINITY, f64::min);
    row.outcomes[at].is_decided() && cost(&row.outcomes[at]) <= best
}
