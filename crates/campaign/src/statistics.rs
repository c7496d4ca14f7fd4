//! What the results of a campaign say.
//!
//! A *cell* is a question under a configuration, over all repetitions: it is solved if every repetition is, with the same
//! verdict, and its time is the median of theirs. A configuration has the number of cells that it solved, the time it took
//! for them, and its *PAR-2 score*: the mean over all questions of the time of the processor, where what is not solved, or
//! wrongly, counts as twice the limit. A solve is *unique* if no other configuration solves the question. The *virtual
//! best* takes the quickest configuration of each question.
//!
//! An answer is *wrong* if another one is expected, if its evidence was refused, or if two configurations disagree: then
//! both are listed, since nobody knows which. That a model goes wrong is an answer, too; it disagrees with that it holds.
//!
//! Jobs that come to the same, such as two configurations with the same options, have one result between them.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::id::Id;
use crate::plan::{Job, Plan};
use crate::record::{Record, Status, Verdict};

/// A question under a configuration.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cell {
    /// What all repetitions came to; the worst of them if they differ.
    pub status: Status,
    /// Seconds of the processor: the median, the least and the most.
    pub cpu: [f64; 3],
    /// Seconds on the wall, the median.
    pub wall: f64,
    /// The most memory, in bytes.
    pub memory: u64,
    /// Whether another answer is expected, or the evidence was refused.
    pub wrong: bool,
    /// Why it is not solved, as a code.
    pub code: Option<String>,
    /// States, nodes or whatever the engine stores; of the first repetition.
    pub stored: f64,
}

/// What a configuration came to.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// How many questions it solved.
    pub solved: usize,
    /// Solved: holds.
    pub holds: usize,
    /// Solved: violated.
    pub violated: usize,
    /// Solved: the model goes wrong.
    pub faults: usize,
    /// Wrong answers.
    pub wrong: usize,
    /// Limits of time reached.
    pub time: usize,
    /// Limits of memory reached.
    pub memory: usize,
    /// Not decided for another reason.
    pub unknown: usize,
    /// Models or questions that cannot be used, ends without an answer.
    pub failed: usize,
    /// Without a result so far.
    pub open: usize,
    /// Seconds of the processor of all that it solved.
    pub cpu_sum: f64,
    /// The median of these.
    pub cpu_median: f64,
    /// The most of these.
    pub cpu_max: f64,
    /// The most memory of anything, in bytes.
    pub memory_max: u64,
    /// The score, if there is a limit of time.
    pub par2: Option<f64>,
    /// On how many questions nobody was quicker.
    pub fastest: usize,
    /// How many questions only it solved.
    pub unique: usize,
}

/// Two configurations that say different things about a question, or one that says what is not expected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Disagreement {
    /// The question.
    pub question: String,
    /// What is expected.
    pub expected: Option<&'static str>,
    /// The configurations that say that it holds.
    pub holds: Vec<String>,
    /// Those that say that it is violated.
    pub violated: Vec<String>,
    /// Those that say that the model goes wrong.
    pub fault: Vec<String>,
    /// Those whose evidence was refused.
    pub refused: Vec<String>,
}

/// Everything.
#[derive(Clone, PartialEq, Debug)]
pub struct Statistics {
    /// How many configurations there are.
    width: usize,
    /// Question by question, the cells of all configurations.
    cells: Vec<Option<Cell>>,
    /// Each configuration.
    pub summaries: Vec<Summary>,
    /// The quickest configuration of each question.
    pub virtual_best: Summary,
    /// Answers that cannot be right.
    pub disagreements: Vec<Disagreement>,
    /// How many jobs have a result.
    pub done: usize,
    /// How many of these are no answer: the model cannot be used, or the program fell.
    pub failed: usize,
    /// How many there are.
    pub jobs: usize,
}

impl Statistics {
    /// Works out what the results of a plan say.
    pub fn new(plan: &Plan, results: &HashMap<Id, Record>) -> Statistics {
        let width = plan.configurations.len();
        let mut groups: Vec<Vec<&Record>> = vec![vec![]; plan.questions.len() * width];
        let mut jobs: Vec<&Job> = plan.jobs.iter().collect();
        jobs.sort_by_key(|job| job.repetition);
        for job in jobs {
            groups[job.question * width + job.configuration].extend(results.get(&job.id));
        }
        let expected = |at: usize| plan.questions[at / width].expected;
        let cells: Vec<Option<Cell>> = groups
            .iter()
            .enumerate()
            .map(|(at, records)| {
                let wrong = records.iter().any(|record| record.contradicts(expected(at)));
                (!records.is_empty()).then(|| cell(records, wrong))
            })
            .collect();
        let mut statistics = Statistics {
            width,
            cells,
            summaries: vec![],
            virtual_best: Summary::default(),
            disagreements: disagreements(plan, &groups),
            done: groups.iter().map(Vec::len).sum(),
            failed: groups.iter().flatten().filter(|record| record.status().is_failure()).count(),
            jobs: plan.jobs.len(),
        };
        statistics.summaries = statistics.all_summaries(plan);
        statistics.virtual_best = statistics.best(plan);
        statistics
    }
    /// The cell of a question under a configuration, if there is a result.
    pub fn cell(&self, question: usize, configuration: usize) -> Option<&Cell> {
        self.cells[question * self.width + configuration].as_ref()
    }
    /// Whether an answer cannot be right.
    pub fn is_wrong(&self) -> bool {
        !self.disagreements.is_empty()
    }
    fn solved(&self, question: usize) -> impl Iterator<Item = (usize, &Cell)> {
        let cells = &self.cells[question * self.width..(question + 1) * self.width];
        let given = cells.iter().enumerate().filter_map(|(at, cell)| Some((at, cell.as_ref()?)));
        given.filter(|(_, cell)| cell.status.is_solved() && !cell.wrong)
    }
    fn all_summaries(&self, plan: &Plan) -> Vec<Summary> {
        let mut list: Vec<Summary> = plan
            .configurations
            .iter()
            .enumerate()
            .map(|(at, configuration)| {
                let cells: Vec<Option<&Cell>> =
                    (0..plan.questions.len()).map(|it| self.cell(it, at)).collect();
                summary(&configuration.name, &cells, penalty(plan))
            })
            .collect();
        for question in 0..plan.questions.len() {
            let least = self.solved(question).map(|(_, cell)| cell.cpu[0]).fold(f64::INFINITY, f64::min);
            let fastest = self.solved(question).filter(|(_, cell)| cell.cpu[0] <= least);
            fastest.for_each(|(at, _)| list[at].fastest += 1);
            if let (Some((only, _)), None) = {
                let mut all = self.solved(question);
                (all.next(), all.next())
            } {
                list[only].unique += 1;
            }
        }
        list
    }
    fn best(&self, plan: &Plan) -> Summary {
        let best = |question: usize| {
            let least =
                self.solved(question).map(|(_, cell)| cell).min_by(|a, b| a.cpu[0].total_cmp(&b.cpu[0]));
            least.or_else(|| (0..self.width).find_map(|at| self.cell(question, at)))
        };
        let cells: Vec<Option<&Cell>> = (0..plan.questions.len()).map(best).collect();
        summary("virtual best", &cells, penalty(plan))
    }
}

/// About how many seconds are left, at the pace of the last results; nothing if everything is done, or nothing yet. What
/// several jobs share counts once.
pub fn seconds_left(plan: &Plan, results: &HashMap<Id, Record>) -> Option<f64> {
    /// So many tell of the pace, so that a break long ago does not count.
    const LAST: usize = 200;
    let jobs: HashSet<&Id> = plan.jobs.iter().map(|job| &job.id).collect();
    let left = jobs.len() - jobs.iter().filter(|id| results.contains_key(**id)).count();
    let mut ends: Vec<f64> = results.values().map(|it| it.began as f64 + it.wall_seconds).collect();
    if left == 0 || ends.is_empty() {
        return None;
    }
    ends.sort_by(f64::total_cmp);
    let last = &ends[ends.len().saturating_sub(LAST)..];
    // Starts are known to the second only; of one result, what it took is all there is to go by.
    let mean = results.values().map(|it| it.wall_seconds).sum::<f64>() / ends.len() as f64;
    let each = match last.len() {
        1 => mean,
        count => (last[count - 1] - last[0]) / (count - 1) as f64,
    };
    Some(each * left as f64)
}

/// What an unsolved question counts in the score.
fn penalty(plan: &Plan) -> Option<f64> {
    plan.limits.cpu_seconds.or(plan.limits.wall_seconds).map(|limit| 2.0 * limit)
}

/// The middle of a list of numbers; the mean of the two in the middle if there are two.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match (numbers.len(), numbers.len() / 2) {
        (0, _) => 0.0,
        (count, half) if count % 2 == 1 => numbers[half],
        (_, half) => f64::midpoint(numbers[half - 1], numbers[half]),
    }
}

fn cell(records: &[&Record], wrong: bool) -> Cell {
    let cpu: Vec<f64> = records.iter().map(|record| record.cpu_seconds).collect();
    let least = cpu.iter().copied().fold(f64::INFINITY, f64::min);
    let most = cpu.iter().copied().fold(0.0, f64::max);
    let worst = records.iter().max_by_key(|record| record.status()).expect("there is one");
    let stored = records[0].answer.as_ref().and_then(|answer| answer.counts.get("stored").copied());
    Cell {
        status: worst.status(),
        cpu: [median(cpu), least, most],
        wall: median(records.iter().map(|record| record.wall_seconds).collect()),
        memory: records.iter().map(|record| record.memory_bytes).max().unwrap_or(0),
        wrong,
        code: worst.answer.as_ref().and_then(|answer| answer.code.clone()),
        stored: stored.unwrap_or(0.0),
    }
}

fn summary(name: &str, cells: &[Option<&Cell>], penalty: Option<f64>) -> Summary {
    let mut summary = Summary { name: name.to_owned(), ..Summary::default() };
    let mut times = vec![];
    for cell in cells {
        let Some(cell) = cell else {
            summary.open += 1;
            continue;
        };
        summary.memory_max = summary.memory_max.max(cell.memory);
        if cell.wrong {
            summary.wrong += 1;
            continue;
        }
        match cell.status {
            Status::Holds => summary.holds += 1,
            Status::Violated => summary.violated += 1,
            Status::Fault => summary.faults += 1,
            Status::Time => summary.time += 1,
            Status::Memory => summary.memory += 1,
            Status::Unknown => summary.unknown += 1,
            Status::Error | Status::Crash | Status::Refused => summary.failed += 1,
        }
        if cell.status.is_solved() {
            times.push(cell.cpu[0]);
        }
    }
    summary.solved = times.len();
    // The sum of nothing would be a negative zero.
    summary.cpu_sum = times.iter().fold(0.0, |sum, time| sum + time);
    summary.cpu_max = times.iter().copied().fold(0.0, f64::max);
    let judged = cells.len() - summary.open;
    summary.par2 = penalty
        .filter(|_| judged > 0)
        .map(|penalty| (summary.cpu_sum + penalty * (judged - summary.solved) as f64) / judged as f64);
    summary.cpu_median = median(times);
    summary
}

/// Every question with answers that cannot all be right.
fn disagreements(plan: &Plan, groups: &[Vec<&Record>]) -> Vec<Disagreement> {
    let width = plan.configurations.len();
    let mut list = vec![];
    for (at, question) in plan.questions.iter().enumerate() {
        let (mut holds, mut violated, mut fault, mut refused) = (vec![], vec![], vec![], vec![]);
        // Of several questions in one, each is compared by itself: whether somebody says that it holds, or something else.
        let mut said: Vec<[bool; 2]> = vec![];
        let mut unexpected = false;
        for (configuration, records) in groups[at * width..(at + 1) * width].iter().enumerate() {
            let name = &plan.configurations[configuration].name;
            for record in records {
                unexpected |= record.contradicts(question.expected);
                let list = match record.status() {
                    Status::Holds => &mut holds,
                    Status::Violated => &mut violated,
                    Status::Fault => &mut fault,
                    Status::Refused => &mut refused,
                    _ => continue,
                };
                if list.last() != Some(name) {
                    list.push(name.clone());
                }
                for (number, verdict) in record.answer.iter().flat_map(|it| &it.verdicts).enumerate() {
                    said.resize(said.len().max(number + 1), [false; 2]);
                    said[number][0] |= *verdict == Verdict::Holds;
                    said[number][1] |= matches!(verdict, Verdict::Violated | Verdict::Fault);
                }
            }
        }
        if unexpected || said.contains(&[true, true]) {
            let (question, expected) =
                (question.name.clone(), question.expected.map(crate::tasks::Expected::word));
            list.push(Disagreement { question, expected, holds, violated, fault, refused });
        }
    }
    list
}

/// What one option does: two of its values, everything else being equal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Effect {
    /// The option.
    pub option: String,
    /// Its two values; empty where it is left out.
    pub values: [String; 2],
    /// How many pairs of cells were compared.
    pub pairs: usize,
    /// Where only the first value solves the question, or only the second one.
    pub only: [usize; 2],
    /// Where both solve it, and one is clearly quicker.
    pub quicker: [usize; 2],
    /// Seconds of the processor where both solve it.
    pub cpu: [f64; 2],
}

/// Differences below this are no difference: seconds, and as a factor.
pub const NOTICEABLE: (f64, f64) = (0.01, 1.1);

/// Whether one time is clearly shorter than another.
pub fn is_quicker(one: f64, other: f64) -> bool {
    other - one > NOTICEABLE.0 && other > one * NOTICEABLE.1
}

/// The effects of all options in which two configurations alone differ.
pub fn effects(plan: &Plan, statistics: &Statistics) -> Vec<Effect> {
    let mut list: Vec<Effect> = vec![];
    let configurations = &plan.configurations;
    for (one, first) in configurations.iter().enumerate() {
        for (other, second) in configurations.iter().enumerate().skip(one + 1) {
            let Some((option, values, turned)) = only_difference(&first.options, &second.options) else {
                continue;
            };
            let (a, b) = if turned { (other, one) } else { (one, other) };
            let at =
                list.iter().position(|it| it.option == option && it.values == values).unwrap_or_else(|| {
                    list.push(Effect {
                        option,
                        values,
                        pairs: 0,
                        only: [0; 2],
                        quicker: [0; 2],
                        cpu: [0.0; 2],
                    });
                    list.len() - 1
                });
            for question in 0..plan.questions.len() {
                let (Some(a), Some(b)) = (statistics.cell(question, a), statistics.cell(question, b)) else {
                    continue;
                };
                list[at].count(a, b);
            }
        }
    }
    list
}

impl Effect {
    fn count(&mut self, a: &Cell, b: &Cell) {
        self.pairs += 1;
        let solved = |cell: &Cell| cell.status.is_solved() && !cell.wrong;
        match (solved(a), solved(b)) {
            (true, false) => self.only[0] += 1,
            (false, true) => self.only[1] += 1,
            (false, false) => {}
            (true, true) => {
                self.cpu[0] += a.cpu[0];
                self.cpu[1] += b.cpu[0];
                self.quicker[0] += usize::from(is_quicker(a.cpu[0], b.cpu[0]));
                self.quicker[1] += usize::from(is_quicker(b.cpu[0], a.cpu[0]));
            }
        }
    }
}

/// The one option in which two configurations differ, its values in order, and whether they had to be turned around.
fn only_difference(
    one: &crate::options::Options,
    other: &crate::options::Options,
) -> Option<(String, [String; 2], bool)> {
    let names = || one.iter().chain(other.iter()).map(|(name, _)| name);
    let mut differing = names().filter(|name| one.get(name) != other.get(name));
    let option = differing.next()?;
    if differing.any(|name| name != option) {
        return None;
    }
    let value = |of: &crate::options::Options| of.get(option).map(ToString::to_string).unwrap_or_default();
    let (a, b) = (value(one), value(other));
    let turned = b < a;
    Some((option.to_owned(), if turned { [b, a] } else { [a, b] }, turned))
}
