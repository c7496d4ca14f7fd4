//! The summary of several questions: a table with a line for each.

use thetis::record::{Counts, OutcomeRecord};

use crate::report::Record;

/// The most characters of a name in the table.
const NAME: usize = 40;

/// A line for each answer: what was asked, what came out, whether it was certified, what shows it, who found
/// it, and how long that took.
pub(super) fn table(records: &[Record]) -> String {
    let head = ["property", "verdict", "certified", "evidence", "time", "answered by"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(records.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn row(record: &Record) -> [String; 6] {
    let verdict = match record.verdict {
        OutcomeRecord::Holds => "holds",
        OutcomeRecord::Violated => "violated",
        OutcomeRecord::Value => "value",
        OutcomeRecord::Unknown => "unknown",
        OutcomeRecord::Error => "error",
        OutcomeRecord::Internal => "internal error",
    };
    let certified = match record.certified {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    let many = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let excluded = matches!(record.verdict, OutcomeRecord::Holds | OutcomeRecord::Violated);
    let evidence = match (&record.trace, &record.statistics) {
        (Some(trace), _) => many(trace.steps.len(), "step"),
        (None, Some(numbers)) if excluded => size(&numbers.counts),
        _ => String::new(),
    };
    let (time, by) = match &record.statistics {
        Some(numbers) => {
            let micros = numbers.counts.search_microseconds + numbers.counts.certify_microseconds;
            let by = if excluded || record.trace.is_some() {
                numbers.configuration.clone()
            } else {
                String::new()
            };
            (format!("{}.{:03} s", micros / 1_000_000, micros / 1000 % 1000), by)
        }
        None => (String::new(), String::new()),
    };
    [shortened(&lang::one_line(&record.name)), verdict.into(), certified.into(), evidence, time, by]
}

/// How much shows that nothing is reachable.
fn size(counts: &Counts) -> String {
    let many = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    match (&counts.cegar, &counts.bounded) {
        (Some(cegar), _) => many(cegar.nodes, "node"),
        (_, Some(depths)) if depths.induction > 0 => {
            format!("induction over {}", many(depths.induction, "state"))
        }
        (_, Some(depths)) => format!("depth {}", depths.depth),
        _ => many(counts.stored, "state"),
    }
}

fn shortened(name: &str) -> String {
    match name.chars().count() > NAME {
        true => name.chars().take(NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Told;

    #[test]
    fn every_answer_has_a_line() {
        let record = |name: &str| {
            let told = Told::new("time-limit", "time limit reached");
            Record::unanswered(name.to_owned(), None, OutcomeRecord::Unknown, &told)
        };
        let long = "a".repeat(50);
        let text = table(&[record("p"), record(&long)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("p "), "{text}");
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            [&*format!("{}…", "a".repeat(39)), "unknown"]
        );
    }
}
