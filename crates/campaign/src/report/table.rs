//! Results and summaries as comma-separated values, for other programs.

use std::collections::HashMap;

use crate::csv;
use crate::id::Id;
use crate::plan::Plan;
use crate::record::{End, Record};
use crate::statistics::{Statistics, Summary};

/// Every result on a line.
pub fn results(plan: &Plan, results: &HashMap<Id, Record>) -> String {
    let head = [
        "id",
        "set",
        "question",
        "configuration",
        "repetition",
        "expected",
        "status",
        "certified",
        "code",
        "cpu_seconds",
        "wall_seconds",
        "memory_bytes",
        "exit",
        "by",
        "stored",
        "search_microseconds",
        "certify_microseconds",
        "host",
    ];
    let mut text = csv::line(&head) + "\n";
    let mut jobs: Vec<_> = plan.jobs.iter().collect();
    jobs.sort_by_key(|job| (job.question, job.configuration, job.repetition));
    for job in jobs {
        let Some(record) = results.get(&job.id) else { continue };
        let question = plan.question(job);
        let answer = record.answer.as_ref();
        let count = |name: &str| {
            let count = answer.and_then(|answer| answer.counts.get(name));
            count.map(ToString::to_string).unwrap_or_default()
        };
        let line = [
            job.id.to_string(),
            question.set.clone(),
            question.name.clone(),
            plan.configuration(job).name.clone(),
            job.repetition.to_string(),
            question.expected.map(crate::tasks::Expected::word).unwrap_or_default().to_owned(),
            record.status().word().to_owned(),
            answer.map(|answer| answer.certified.to_string()).unwrap_or_default(),
            answer.and_then(|answer| answer.code.clone()).unwrap_or_default(),
            format!("{:.6}", record.cpu_seconds),
            format!("{:.6}", record.wall_seconds),
            record.memory_bytes.to_string(),
            match record.end {
                End::Exit(code) => code.to_string(),
                End::Signal(number) => format!("signal {number}"),
                End::Limit(limit) => format!("limit {limit:?}").to_lowercase(),
            },
            answer.and_then(|answer| answer.by.clone()).unwrap_or_default(),
            count("stored"),
            count("search_microseconds"),
            count("certify_microseconds"),
            record.host.clone(),
        ];
        text += &(csv::line(&line) + "\n");
    }
    text
}

/// Every configuration on a line, and the virtual best.
pub fn summaries(statistics: &Statistics) -> String {
    let head = [
        "configuration",
        "solved",
        "holds",
        "violated",
        "faults",
        "wrong",
        "time",
        "memory",
        "unknown",
        "failed",
        "open",
        "cpu_sum",
        "cpu_median",
        "cpu_max",
        "memory_max",
        "par2",
        "fastest",
        "unique",
    ];
    let mut text = csv::line(&head) + "\n";
    for summary in statistics.summaries.iter().chain([&statistics.virtual_best]) {
        let Summary { solved, holds, violated, faults, wrong, time, memory, unknown, failed, open, .. } =
            summary;
        let counts = [solved, holds, violated, faults, wrong, time, memory, unknown, failed, open]
            .map(usize::to_string);
        let seconds = [summary.cpu_sum, summary.cpu_median, summary.cpu_max].map(|it| format!("{it:.4}"));
        let par2 = summary.par2.map(|score| format!("{score:.4}")).unwrap_or_default();
        let rest =
            [summary.memory_max.to_string(), par2, summary.fastest.to_string(), summary.unique.to_string()];
        let line: Vec<String> =
            std::iter::once(summary.name.clone()).chain(counts).chain(seconds).chain(rest).collect();
        text += &(csv::line(&line) + "\n");
    }
    text
}

/// The summary for a terminal or a text: a table with the best configurations first.
pub fn text(statistics: &Statistics) -> String {
    let mut order: Vec<&Summary> = statistics.summaries.iter().collect();
    order.sort_by(|a, b| b.solved.cmp(&a.solved).then(a.cpu_sum.total_cmp(&b.cpu_sum)));
    order.push(&statistics.virtual_best);
    let width = order.iter().map(|summary| summary.name.chars().count()).max().unwrap_or(0).clamp(13, 60);
    let mut text = format!(
        "{:<width$} {:>7} {:>6} {:>6} {:>6} {:>8} {:>7} {:>10} {:>9} {:>9} {:>8} {:>7}\n",
        "configuration",
        "solved",
        "wrong",
        "time",
        "memory",
        "unknown",
        "failed",
        "cpu sum s",
        "median s",
        "PAR-2 s",
        "fastest",
        "unique"
    );
    for summary in order {
        let name: String = summary.name.chars().take(width).collect();
        let par2 = summary.par2.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
        text += &format!(
            "{name:<width$} {:>7} {:>6} {:>6} {:>6} {:>8} {:>7} {:>10.3} {:>9.3} {par2:>9} {:>8} {:>7}\n",
            summary.solved,
            summary.wrong,
            summary.time,
            summary.memory,
            summary.unknown,
            summary.failed,
            summary.cpu_sum,
            summary.cpu_median,
            summary.fastest,
            summary.unique,
        );
    }
    text
}
