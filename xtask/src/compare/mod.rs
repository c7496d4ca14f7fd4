//! Two builds of the program, put to the same tasks: they are to answer alike.
//!
//! A change that is to change no answer is judged by this: every verdict, exit code, length of a run and number of the
//! statistics is the same before and after. The engines count their work instead of looking at a clock, so the same
//! task gives the same numbers each time, on any machine, unless time runs out. What is open on both sides is
//! equal; what is open on one side is asked again with more time, and is a difference only if it stays so though that
//! side has worked longer.

pub mod tasks;
mod answer;
mod difference;
mod expected;
mod report;
mod startup;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::shell::root;
use answer::{Answer, Exit, Limits};
use difference::{Difference, Kind, Names};
use report::Report;
use tasks::Task;

pub const HELP: &str = "\
usage: cargo xtask compare OLD NEW [--cases] [--corpus] [--only PATTERN] [--seconds N] [--states N] [--jobs N]
                                   [--expected FILE] [--json FILE]
       cargo xtask compare OLD NEW --startup

Puts the same tasks to two builds of the program and compares what `thetis check --json` says: exit codes, verdicts
and whether they are certified, lengths of runs, and all counts of the statistics. Prints what differs, worst first,
and fails unless all of it is expected. Counts that only one of the builds knows are named and not compared.

  OLD, NEW         programs, for example target/release/thetis
  --cases          only the models of cases/, each question under the default and under every other engine
  --corpus         only the models of a corpus beside the workspace, under the default engine; without either, both
  --only PATTERN   only the tasks whose line, as it is printed, contains the parts of PATTERN between its stars
  --seconds N      the time limit of each run (5). What is open on both sides is equal; what is open on one side is
                   asked again with four times as much, and differs if it is still open on that side only and
                   has taken twice the processor time of the other, or did not stop
  --states N       the limit of stored states (20000), 0 for none: unlike time, it stops both at the same point
  --jobs N         tasks at a time, 1 or 2 (2)
  --expected FILE  differences that are meant to be (benches/compare-expected.txt, which says how to write them)
  --json FILE      write all differences, and each task with its times
  --startup        start-up instead, if no tasks are chosen: the median of 50 runs of `thetis --version` and of a check
                   of a tiny model, without judgement
";

/// The differences that are meant to be.
const EXPECTED: &str = "benches/compare-expected.txt";

/// How much more time a task gets that was open on one side.
const PATIENCE: f64 = 4.0;

/// How much more processor time makes a task that is open on one side a difference.
const SLOWER: f64 = 2.0;

/// Tasks between two lines that say how far it is.
const PROGRESS: usize = 200;

pub fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::read(arguments)?;
    if options.startup {
        print!("{}", startup::table(&options.old, &options.new)?);
    }
    if options.sets.is_empty() {
        return Ok(());
    }
    let expected = expected::read(&options.expected)?;
    let tasks = options.tasks()?;
    let results = compare(&tasks, &options)?;
    let report = Report::new(&tasks, &results, &expected);
    print!("{report}");
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&report.json(&options)).map_err(|error| error.to_string())?;
        std::fs::write(file, text + "\n").map_err(|error| format!("{}: {error}", file.display()))?;
    }
    match report.unexpected() {
        0 => Ok(()),
        number => Err(format!("{number} tasks differ as they are not expected to")),
    }
}

/// Which models.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Set {
    Cases,
    Corpus,
}

#[derive(Debug)]
struct Options {
    old: PathBuf,
    new: PathBuf,
    sets: Vec<Set>,
    only: String,
    limits: Limits,
    jobs: usize,
    expected: PathBuf,
    json: Option<PathBuf>,
    startup: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            old: PathBuf::new(),
            new: PathBuf::new(),
            sets: vec![],
            only: String::new(),
            limits: Limits { seconds: 5.0, states: 20_000 },
            jobs: 2,
            expected: root().join(EXPECTED),
            json: None,
            startup: false,
        }
    }
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let mut programs: Vec<PathBuf> = vec![];
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("`{argument}` needs a value; see --help"));
            match argument.as_str() {
                "--cases" => options.sets.push(Set::Cases),
                "--corpus" => options.sets.push(Set::Corpus),
                "--startup" => options.startup = true,
                "--only" => options.only.clone_from(value()?),
                "--seconds" => {
                    options.limits.seconds = number(value()?, |seconds| *seconds > 0.0 && *seconds < 1e6)?
                }
                "--states" => options.limits.states = number(value()?, |_| true)?,
                "--jobs" => options.jobs = number(value()?, |jobs| matches!(jobs, 1 | 2))?,
                "--expected" => options.expected = value()?.into(),
                "--json" => options.json = Some(value()?.into()),
                option if option.starts_with('-') => {
                    return Err(format!("unexpected option `{option}`; see --help"));
                }
                program => programs.push(program.into()),
            }
        }
        let [old, new] = &programs[..] else {
            return Err("two programs are needed, the old one and the new one; see --help".to_owned());
        };
        // They run at the root, wherever they were named.
        let place =
            |path: &PathBuf| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
        (options.old, options.new) = (place(old)?, place(new)?);
        if options.sets.is_empty() && !options.startup {
            options.sets = vec![Set::Cases, Set::Corpus];
        }
        Ok(options)
    }

    /// What is asked; the corpus only if there is one.
    fn tasks(&self) -> Result<Vec<Task>, String> {
        let mut tasks = vec![];
        if self.sets.contains(&Set::Cases) {
            tasks.extend(tasks::cases()?);
        }
        let corpus = tasks::corpus_folder();
        match self.sets.contains(&Set::Corpus) {
            true if corpus.is_dir() => tasks.extend(tasks::corpus(&corpus)?),
            true => eprintln!("there is no corpus at {}", corpus.display()),
            false => {}
        }
        tasks.retain(|task| expected::matches(&self.only, &task.line()));
        if tasks.is_empty() { Err(format!("no task is like `{}`", self.only)) } else { Ok(tasks) }
    }
}

/// A number that is as it must be.
fn number<T: std::str::FromStr>(text: &str, legal: impl Fn(&T) -> bool) -> Result<T, String> {
    let number = text.parse().ok().filter(legal);
    number.ok_or_else(|| format!("`{text}` is not a number that is possible here; see --help"))
}

/// What came of a task: one pair of answers, and another with more time if it was open on one side.
struct Asked {
    first: [Answer; 2],
    again: Option<[Answer; 2]>,
}

impl Asked {
    fn ask(task: &Task, options: &Options) -> Result<Asked, String> {
        let pair = |limits: Limits| -> Result<[Answer; 2], String> {
            Ok([answer::ask(&options.old, task, limits)?, answer::ask(&options.new, task, limits)?])
        };
        let first = pair(options.limits)?;
        let one_sided = !in_time(&difference::between(&first[0], &first[1], &Names::default()));
        let more = Limits { seconds: PATIENCE * options.limits.seconds, ..options.limits };
        let again = if one_sided { Some(pair(more)?) } else { None };
        Ok(Asked { first, again })
    }

    /// The answers that count.
    fn last(&self) -> &[Answer; 2] {
        self.again.as_ref().unwrap_or(&self.first)
    }

    /// What differs, and what is open on one side by accident.
    fn differences(&self, names: &Names) -> [Vec<Difference>; 2] {
        let between = |pair: &[Answer; 2]| difference::between(&pair[0], &pair[1], names);
        let first = between(&self.first);
        let Some(again) = &self.again else { return [first, vec![]] };
        let (mut counted, mut accidents) = (between(again), first);
        counted.retain(|one| one.kind != Kind::Time || slower(again) && accidents.contains(one));
        accidents.retain(|one| one.kind == Kind::Time && !counted.contains(one));
        [counted, accidents]
    }
}

/// Whether the one that is out of time has worked so much longer, or did not stop at all, that others at work on the
/// machine are not to blame.
fn slower([old, new]: &[Answer; 2]) -> bool {
    let killed = |answer: &Answer| answer.exit == Exit::Killed;
    let longer = |late: &Answer, other: &Answer| late.used >= SLOWER * other.used;
    match (old.late, new.late) {
        _ if killed(old) != killed(new) => true,
        (true, false) => longer(old, new),
        (false, true) => longer(new, old),
        // Of several questions, each has come to others in its time.
        _ => false,
    }
}

fn in_time(differences: &[Difference]) -> bool {
    differences.iter().all(|one| one.kind != Kind::Time)
}

/// Puts all tasks to both programs, some at a time; results are in the order of the tasks.
fn compare(tasks: &[Task], options: &Options) -> Result<Vec<Asked>, String> {
    eprintln!("{} tasks for {} and {}", tasks.len(), options.old.display(), options.new.display());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || -> Result<(), String> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(number) else { return Ok(()) };
            let asked =
                Asked::ask(task, options).inspect_err(|_| next.store(tasks.len(), Ordering::Relaxed))?;
            let mut results = results.lock().map_err(|_| "another thread failed")?;
            results.push((number, asked));
            if results.len() % PROGRESS == 0 {
                eprintln!("{} of {}", results.len(), tasks.len());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread failed".to_owned())?)
    })?;
    let mut results = results.into_inner().map_err(|_| "a thread failed")?;
    results.sort_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, asked)| asked).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_strictly() {
        // Any two files will do.
        let programs = format!("{0}/Cargo.toml {0}/README.md", root().display());
        let options =
            read(&format!("{programs} --seconds 0.5 --states 0 --jobs 1 --cases --only xta/")).unwrap();
        assert_eq!(options.limits, Limits { seconds: 0.5, states: 0 });
        assert_eq!((options.jobs, options.sets, options.only.as_str()), (1, vec![Set::Cases], "xta/"));
        assert_eq!(read(&programs).unwrap().sets, [Set::Cases, Set::Corpus]);
        assert_eq!(read(&format!("{programs} --startup")).unwrap().sets, []);
        assert_eq!(read(&format!("{programs} --startup --corpus")).unwrap().sets, [Set::Corpus]);
        let refused = |line: &str, words: &str| {
            let message = read(line).unwrap_err();
            assert!(message.contains(words), "{message}");
        };
        refused("", "two programs are needed");
        refused("one", "two programs are needed");
        refused("/nowhere/old /nowhere/new", "/nowhere/old: ");
        refused(&format!("{programs} --seconds 0"), "`0` is not a number");
        refused(&format!("{programs} --jobs 3"), "`3` is not a number");
        refused(&format!("{programs} --only"), "`--only` needs a value");
        refused(&format!("{programs} --fast"), "unexpected option `--fast`");
    }

    /// An answer to one question.
    fn answer(late: bool, verdict: &str) -> Answer {
        let question = answer::Question {
            name: "q".to_owned(),
            verdict: verdict.to_owned(),
            certified: verdict != "unknown",
            ..answer::Question::default()
        };
        Answer { exit: Exit::Code(0), used: if late { 4.0 } else { 1.0 }, late, questions: vec![question] }
    }

    #[test]
    fn only_what_stays_open_on_one_side_differs_in_time() {
        let (open, holds) = (|| answer(true, "unknown"), || answer(false, "holds"));
        let check = |first: [Answer; 2], again: Option<[Answer; 2]>, counted: &str, once: &str| {
            let asked = Asked { first, again };
            let shown = asked
                .differences(&Names::default())
                .map(|list| list.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "));
            assert_eq!(shown, [counted, once]);
        };
        check([holds(), holds()], None, "", "");
        check([open(), holds()], Some([holds(), holds()]), "", "time open -> holds");
        check([open(), holds()], Some([open(), open()]), "", "time open -> holds");
        check([open(), holds()], Some([open(), holds()]), "time open -> holds", "");
        check([open(), holds()], Some([holds(), open()]), "", "time open -> holds");
        let starved = || Answer { used: 1.5, ..open() };
        check([starved(), holds()], Some([starved(), holds()]), "", "time open -> holds");
        let killed = || Answer { exit: Exit::Killed, used: 0.0, late: true, questions: vec![] };
        check([holds(), killed()], Some([holds(), killed()]), "time holds -> open", "");
        let violated = || answer(false, "violated");
        check(
            [open(), holds()],
            Some([violated(), holds()]),
            "verdict violated -> holds",
            "time open -> holds",
        );
    }
}
