//! What is said about campaigns.

use campaign::compare::{Change, Comparison};
use campaign::configuration::Array;
use campaign::error::Outside;
use campaign::statistics::{Disagreement, Statistics, Summary};
use campaign::verify::Tally;
use campaign::{Error, Plan};
use serde::Serialize;

use crate::exit::Exit;

/// What `--json` says of a campaign; see `docs/schema/campaign-summary.schema.json`.
#[derive(Serialize)]
pub struct Told<'a> {
    format: &'static str,
    version: u32,
    name: &'a str,
    program: &'a str,
    build: &'a str,
    jobs: usize,
    done: usize,
    failed: usize,
    /// About how long the rest takes, at the pace of the last results.
    seconds_left: Option<f64>,
    disagreements: &'a [Disagreement],
    configurations: &'a [Summary],
    virtual_best: &'a Summary,
}

/// The summary of a campaign.
pub fn summary<'a>(plan: &'a Plan, statistics: &'a Statistics, left: Option<f64>) -> Told<'a> {
    Told {
        format: "thetis-campaign-summary",
        version: 1,
        name: &plan.name,
        program: &plan.program,
        build: plan.build.as_str(),
        jobs: statistics.jobs,
        done: statistics.done,
        failed: statistics.failed,
        seconds_left: left,
        disagreements: &statistics.disagreements,
        configurations: &statistics.summaries,
        virtual_best: &statistics.virtual_best,
    }
}

/// An error with what to do about it.
pub fn error(error: &Error) -> String {
    let help = match error {
        Error::NoProgram(Outside::Hq) => {
            "; HyperQueue is a single file from its releases: put `hq` on the path"
        }
        Error::NoProgram(Outside::Benchexec) => "; `pip install benchexec` installs it",
        Error::NoProgram(Outside::Sbatch | Outside::Squeue) => "; run it where Slurm is, or `--on local`",
        Error::NoCampaign(_) => "; `thetis campaign run FILE` makes one",
        Error::Uncovered { .. } => "; `thetis campaign plan FILE --write-arrays` makes it anew",
        Error::Stuck { .. } => "; `thetis campaign resume DIR` tries again",
        Error::Changed(_) => "; `thetis campaign run FILE` plans it anew",
        _ => "",
    };
    format!("{error}{help}")
}

/// How a campaign stands, as an exit code: wrong answers before missing ones, and these before ends without an answer.
pub fn exit(statistics: &Statistics) -> Exit {
    match (statistics.is_wrong(), statistics.done == statistics.jobs, statistics.failed) {
        (true, ..) => Exit::Violated,
        (false, false, _) => Exit::Unknown,
        (false, true, 0) => Exit::Holds,
        (false, true, _) => Exit::Input,
    }
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How a campaign stands, in a line; about so many seconds are left.
pub fn status(statistics: &Statistics, left: Option<f64>) -> String {
    let Statistics { done, failed, jobs, .. } = statistics;
    let errors = match failed {
        0 => String::new(),
        count => format!(", {} without an answer (see `failed`)", many(*count, "job")),
    };
    let left = left.map_or_else(String::new, |seconds| format!("; about {} left", duration(seconds)));
    if statistics.is_wrong() {
        let count = statistics.disagreements.len();
        return format!(
            "WRONG ANSWERS to {}; {done} of {jobs} results{errors}{left}",
            many(count, "question")
        );
    }
    match done == jobs {
        true => format!("finished: {}, no wrong answer{errors}", many(*jobs, "result")),
        false => format!("unfinished: {done} of {jobs} results, no wrong answer so far{errors}{left}"),
    }
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    let whole = seconds.ceil().clamp(0.0, 1e15) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The answers that cannot be right.
pub fn wrong(statistics: &Statistics) -> String {
    let line = |it: &Disagreement| {
        let part = |what: &str, names: &[String]| match names {
            [] => String::new(),
            [one] => format!(", {what} says {one}"),
            [one, rest @ ..] => format!(", {what} say {one} and {} more", rest.len()),
        };
        let expected = it.expected.map_or_else(String::new, |expected| format!(": expected {expected}"));
        let (holds, violated) = (part("`holds`", &it.holds), part("`violated`", &it.violated));
        let (fault, refused) = (part("`fault`", &it.fault), part("evidence refused", &it.refused));
        format!("  {}{expected}{holds}{violated}{fault}{refused}\n", it.question)
    };
    statistics.disagreements.iter().map(line).collect()
}

/// What a campaign would do.
pub fn plan(plan: &Plan, arrays: &[Array]) -> String {
    let mut text = format!(
        "{}: {} under {}, {}\n",
        plan.name,
        many(plan.questions.len(), "question"),
        many(plan.configurations.len(), "configuration"),
        many(plan.jobs.len(), "job"),
    );
    for missing in &plan.missing {
        text += &format!("left out, since it is not there: {missing}\n");
    }
    text += "\nconfigurations\n";
    for configuration in &plan.configurations {
        text += &format!("  {:<24} {}\n", configuration.name, configuration.options);
    }
    for array in arrays {
        text += "\n";
        text += &array.text();
    }
    text
}

/// What differs between two runs of a campaign.
pub fn comparison(found: &Comparison) -> String {
    let Comparison { compared, both, cpu, contradicted, lost, won, slower, quicker, alone } = found;
    let first = match (contradicted.len(), lost.len()) {
        (0, 0) => format!("nothing lost: {}", many(*compared, "cell")),
        (0, count) => format!("{} lost", many(count, "answer")),
        (count, _) => format!("CONTRADICTIONS in {}", many(count, "answer")),
    };
    let mut text = format!(
        "{first}\n{both} solved by both in {:.3} s before and {:.3} s after; {} won, {} lost, {} slower, {} quicker\n",
        cpu[0],
        cpu[1],
        won.len(),
        lost.len(),
        slower.len(),
        quicker.len()
    );
    if alone.iter().any(|count| *count > 0) {
        text += &format!("not in both: {} before, {} after\n", alone[0], alone[1]);
    }
    let parts = [
        ("contradicted", contradicted),
        ("lost", lost),
        ("won", won),
        ("slower", slower),
        ("quicker", quicker),
    ];
    for (title, list) in parts.into_iter().filter(|(_, list)| !list.is_empty()) {
        text += &format!("\n{title}\n");
        let shown = 20;
        for Change { question, configuration, status, cpu } in list.iter().take(shown) {
            text += &format!(
                "  {:>9.3} s {:<9} {:>9.3} s {:<9} {question}, {configuration}\n",
                cpu[0], status[0], cpu[1], status[1]
            );
        }
        if list.len() > shown {
            text += &format!("  and {} more\n", list.len() - shown);
        }
    }
    text
}

/// What became of the evidence.
pub fn tally(tally: &Tally) -> String {
    let Tally { accepted, refused, open, missing } = tally;
    let mut text = match (refused.len(), open.len() + missing) {
        (0, 0) => format!("verified: the evidence of all {} is right\n", many(*accepted, "answer")),
        (0, _) => format!("verified in part: the evidence of {} is right\n", many(*accepted, "answer")),
        (count, _) => format!("REFUSED: the evidence of {} is not right\n", many(count, "answer")),
    };
    if *missing > 0 {
        text += &format!("{} without evidence\n", many(*missing, "answer"));
    }
    for (what, list) in [("refused", refused), ("not decided", open)] {
        for [question, configuration] in list {
            text += &format!("  {what}: {question}, {configuration}\n");
        }
    }
    text
}
