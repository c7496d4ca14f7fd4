//! Two runs of a campaign compared: what got slower, what is lost, what is won.
//!
//! Questions and configurations are known by their names, since another version of the program has other ids.

use std::collections::HashMap;

use serde::Serialize;

use crate::plan::Plan;
use crate::statistics::{Cell, Statistics, is_quicker};

/// A question under a configuration, before and after.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// The question.
    pub question: String,
    /// The configuration.
    pub configuration: String,
    /// What it came to, before and after.
    pub status: [&'static str; 2],
    /// Seconds of the processor, before and after.
    pub cpu: [f64; 2],
}

/// What differs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Comparison {
    /// How many cells both have.
    pub compared: usize,
    /// Cells that only one has.
    pub alone: [usize; 2],
    /// How many both solve.
    pub both: usize,
    /// Seconds of the processor of these.
    pub cpu: [f64; 2],
    /// Another verdict than before.
    pub contradicted: Vec<Change>,
    /// Solved before, and no more.
    pub lost: Vec<Change>,
    /// Solved now, and not before.
    pub won: Vec<Change>,
    /// Clearly slower than before, the worst first.
    pub slower: Vec<Change>,
    /// Clearly quicker than before, the best first.
    pub quicker: Vec<Change>,
}

/// Compares two campaigns, the older first.
pub fn compare(before: (&Plan, &Statistics), after: (&Plan, &Statistics)) -> Comparison {
    let (old, new) = (cells(before.0, before.1), cells(after.0, after.1));
    let mut found = Comparison { alone: [old.len(), new.len()], ..Comparison::default() };
    let mut keys: Vec<&(&str, &str)> = old.keys().filter(|key| new.contains_key(*key)).collect();
    keys.sort_unstable();
    for key in keys {
        let (a, b) = (old[key], new[key]);
        found.compared += 1;
        found.alone = found.alone.map(|count| count - 1);
        let change = || Change {
            question: key.0.to_owned(),
            configuration: key.1.to_owned(),
            status: [a.status.word(), b.status.word()],
            cpu: [a.cpu[0], b.cpu[0]],
        };
        match (a.status.is_solved(), b.status.is_solved()) {
            (true, true) if a.status.excludes(b.status) => found.contradicted.push(change()),
            (true, true) => {
                found.both += 1;
                found.cpu[0] += a.cpu[0];
                found.cpu[1] += b.cpu[0];
                if is_quicker(a.cpu[0], b.cpu[0]) {
                    found.slower.push(change());
                } else if is_quicker(b.cpu[0], a.cpu[0]) {
                    found.quicker.push(change());
                }
            }
            (true, false) => found.lost.push(change()),
            (false, true) => found.won.push(change()),
            (false, false) => {}
        }
    }
    let ratio = |change: &Change| change.cpu[1] / change.cpu[0].max(1e-6);
    found.slower.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    found.quicker.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    found
}

fn cells<'a>(plan: &'a Plan, statistics: &'a Statistics) -> HashMap<(&'a str, &'a str), &'a Cell> {
    let mut cells = HashMap::new();
    for (at, question) in plan.questions.iter().enumerate() {
        for (number, configuration) in plan.configurations.iter().enumerate() {
            if let Some(cell) = statistics.cell(at, number) {
                cells.insert((question.name.as_str(), configuration.name.as_str()), cell);
            }
        }
    }
    cells
}
