//! What a comparison came to, as a text and as JSON.

use std::fmt;

use serde_json::{Value, json};

use super::difference::{Difference, Kind, Names, both_open};
use super::expected::Expectation;
use super::tasks::Task;
use super::{Asked, Options};

/// The differences of a kind that are printed; JSON has all of them.
const SHOWN: usize = 100;

/// All tasks with what differs.
pub struct Report<'a> {
    rows: Vec<Row>,
    expectations: &'a [Expectation],
    names: Names,
}

/// What came of one task.
struct Row {
    task: String,
    /// Each with the expectation that covers it.
    differences: Vec<(Difference, Option<usize>)>,
    /// What is open on one side by accident.
    accidents: Vec<Difference>,
    /// Whether something is open on both sides.
    open: bool,
    /// Of both builds, in seconds of processor time.
    used: [f64; 2],
}

impl Row {
    fn is_expected(&self) -> bool {
        self.differences.iter().all(|(_, by)| by.is_some())
    }
}

impl Report<'_> {
    pub fn new<'a>(tasks: &[Task], results: &[Asked], expectations: &'a [Expectation]) -> Report<'a> {
        let mut names = Names::default();
        for asked in results {
            let [old, new] = asked.last();
            names.learn(old, new);
        }
        let rows = tasks.iter().zip(results).map(|(task, asked)| {
            let (task, [old, new]) = (task.line(), asked.last());
            let [differences, accidents] = asked.differences(&names);
            let by = |one: &Difference| expectations.iter().position(|line| line.covers(&task, one));
            let differences = differences.into_iter().map(|one| (by(&one), one)).map(|(by, one)| (one, by));
            Row {
                differences: differences.collect(),
                accidents,
                open: both_open(old, new),
                used: [old.used, new.used],
                task,
            }
        });
        let rows = rows.collect();
        Report { rows, expectations, names }
    }

    /// How many tasks differ as they are not expected to.
    pub fn unexpected(&self) -> usize {
        self.rows.iter().filter(|row| !row.is_expected()).count()
    }

    /// Every difference, with the expectation that covers it.
    fn differences(&self) -> impl Iterator<Item = (&Row, &Difference, Option<usize>)> {
        self.rows.iter().flat_map(|row| row.differences.iter().map(move |(one, by)| (row, one, *by)))
    }

    fn summary(&self) -> String {
        let number = |which: &dyn Fn(&Row) -> bool| self.rows.iter().filter(|row| which(row)).count();
        let equal = |row: &Row| row.differences.is_empty();
        // What is open takes as much as it gets.
        let settled = || self.rows.iter().filter(|row| equal(row) && !row.open);
        let [old, new] = [0, 1].map(|side| settled().map(|row| row.used[side]).sum::<f64>());
        format!(
            "{} compared, {} equal ({} of them open on both sides), {} differ ({} of them as expected), {} are open on one \
             side by accident; processor time of what is equal and settled: old {old:.1} s, new {new:.1} s",
            self.rows.len(),
            number(&equal),
            number(&|row| equal(row) && row.open),
            number(&|row| !equal(row)),
            number(&|row| !equal(row) && row.is_expected()),
            number(&|row| !row.accidents.is_empty()),
        )
    }

    /// The report for other programs, with what was compared and how.
    pub fn json(&self, options: &Options) -> Value {
        let shown = |one: &Difference| json!({ "kind": one.kind.word(), "question": one.question, "change": one.change });
        let row = |row: &Row| {
            let differences = row.differences.iter().map(|(one, by)| {
                let mut record = shown(one);
                record["expected"] = by.map_or(Value::Null, |by| self.expectations[by].reason.clone().into());
                record
            });
            json!({
                "task": row.task,
                "differences": differences.collect::<Vec<_>>(),
                "accidents": row.accidents.iter().map(shown).collect::<Vec<_>>(),
                "open": row.open,
                "used": row.used,
            })
        };
        let [old, new] = self.names.unshared();
        json!({
            "old": options.old.display().to_string(),
            "new": options.new.display().to_string(),
            "seconds": options.limits.seconds,
            "states": options.limits.states,
            "summary": self.summary(),
            "unexpected": self.unexpected(),
            "counts_of_old_only": old,
            "counts_of_new_only": new,
            "tasks": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            let of_kind = self.differences().filter(|(_, one, by)| one.kind == kind && by.is_none());
            table(f, kind.word(), of_kind.map(|(row, one, _)| (row, one)).collect())?;
        }
        let accidents = self.rows.iter().flat_map(|row| row.accidents.iter().map(move |one| (row, one)));
        table(f, "open on one side by accident", accidents.collect())?;
        for (number, line) in self.expectations.iter().enumerate() {
            let met = self.differences().filter(|(.., by)| *by == Some(number)).count();
            if met > 0 || self.rows.iter().any(|row| line.is_about(&row.task, "")) {
                writeln!(f, "expected, and met {met} times: {line}")?;
            }
        }
        for (side, names) in ["old", "new"].iter().zip(self.names.unshared()) {
            if !names.is_empty() {
                writeln!(f, "counts that only the {side} build has: {}", names.join(", "))?;
            }
        }
        writeln!(f, "{}", self.summary())
    }
}

/// Differences under a title, if there are any.
fn table(f: &mut fmt::Formatter<'_>, title: &str, list: Vec<(&Row, &Difference)>) -> fmt::Result {
    if list.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}: {}", list.len())?;
    for (row, one) in list.iter().take(SHOWN) {
        // A question that was given is in the line of the task.
        let question = if row.task.contains(&one.question) { "" } else { one.question.as_str() };
        let colon = if question.is_empty() { "" } else { ": " };
        let line = format!("{}{colon}{question}", row.task).replace('\n', " ");
        writeln!(f, "  {:<22}  {line}", one.change)?;
    }
    if list.len() > SHOWN {
        writeln!(f, "  and {} more, which --json lists", list.len() - SHOWN)?;
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, differences: Vec<(Difference, Option<usize>)>) -> Row {
        Row { task: task.to_owned(), differences, accidents: vec![], open: false, used: [1.0, 2.0] }
    }

    fn difference(kind: Kind, question: &str, change: &str) -> Difference {
        Difference { kind, question: question.to_owned(), change: change.to_owned() }
    }

    #[test]
    fn the_worst_comes_first_and_the_expected_in_one_line() {
        let expectations =
            ["b.xsts  exit  Meant.", "c.xsts  verdict  Not met.", "none.xsts  verdict  Not asked."]
                .map(|line| super::super::expected::expectation(line).expect("a line"));
        let rows = vec![
            row("a.xsts", vec![(difference(Kind::Counts, "x > 0", "states 4 -> 5"), None)]),
            row("b.xsts", vec![(difference(Kind::Exit, "", "2 -> 3"), Some(0))]),
            row("c.xsts -p q", vec![(difference(Kind::Verdict, "q", "holds -> violated"), None)]),
            Row { open: true, ..row("d.xsts", vec![]) },
            Row { accidents: vec![difference(Kind::Time, "", "open -> holds")], ..row("e.xsts", vec![]) },
        ];
        let report = Report { rows, expectations: &expectations, names: Names::default() };
        let expected = "\
verdict: 1
  holds -> violated       c.xsts -p q

counts: 1
  states 4 -> 5           a.xsts: x > 0

open on one side by accident: 1
  open -> holds           e.xsts

expected, and met 1 times: b.xsts  exit  Meant.
expected, and met 0 times: c.xsts  verdict  Not met.
5 compared, 2 equal (1 of them open on both sides), 3 differ (1 of them as expected), 1 are open on one side \
by accident; processor time of what is equal and settled: old 1.0 s, new 2.0 s
";
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.unexpected(), 2);
        let json = report.json(&Options::default());
        assert_eq!(json["tasks"][1]["differences"][0]["expected"], "Meant.");
        assert_eq!(json["tasks"][0]["differences"][0]["expected"], Value::Null);
    }
}
