//! `thetis campaign`: configurations on many models, as one experiment.
//!
//! A shell over the library `campaign`: options, progress and words are here, and what the library has to know about
//! this program ([`program`]).

mod program;
mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use campaign::file::{self, File};
use campaign::folder::{self, Folder};
use campaign::report::{self, svg, table};
use campaign::statistics::{Statistics, seconds_left};
use campaign::{Error, Plan, compare, configuration};
use clap::{Args, Subcommand, ValueEnum};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::words::Told;
use program::Thetis;

/// Below the list of commands.
pub const HELP: &str = "\
Exit codes: 0 done, and no answer is wrong; 1 an answer is wrong or lost; 2 bad input or usage, or jobs ended without an
answer; 3 not everything has a result.

Examples:
  thetis example traffic_light > traffic_light.xsts
  thetis campaign new first.toml 'traffic*.xsts'
  thetis campaign run first.toml
  thetis campaign report first.results";

/// What is done with campaigns.
#[derive(Subcommand, Debug)]
pub enum CampaignCommand {
    /// Write a first campaign file
    #[command(after_help = "Examples:\n  thetis campaign new second.toml '*.xsts'")]
    New {
        /// The file
        file: PathBuf,
        /// The models, by a pattern such as `models/**/*.xsts`, seen from the folder of the file
        #[arg(default_value = "*.xsts")]
        models: String,
    },
    /// Say what a campaign would do: questions, configurations, covering arrays
    #[command(after_help = "Examples:\n  thetis campaign plan first.toml")]
    Plan {
        /// The campaign file
        file: PathBuf,
        /// Write covering arrays to the files that the campaign names for them
        #[arg(long)]
        write_arrays: bool,
        /// Print the plan as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a campaign: whatever has no result yet
    #[command(after_help = RUN)]
    Run {
        /// The campaign file
        file: PathBuf,
        /// The folder of results [default: the name of the file with `.results` instead of `.toml`]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// How it is run
        #[command(flatten)]
        how: RunArgs,
    },
    /// Go on with a campaign that was stopped, as it was planned
    #[command(after_help = "Examples:\n  thetis campaign resume first.results")]
    Resume {
        /// The folder of results
        folder: PathBuf,
        /// How it is run
        #[command(flatten)]
        how: RunArgs,
    },
    /// Say how far a campaign is
    #[command(after_help = "Examples:\n  thetis campaign status first.results")]
    Status {
        /// The folder of results
        folder: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write the report: an HTML file, comma-separated values, and plots
    #[command(after_help = "Examples:\n  thetis campaign report first.results -o report")]
    Report {
        /// The folder of results
        folder: PathBuf,
        /// Where to [default: the folder of results]
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
        /// The two configurations of the scatter plot [default: the best two]
        #[arg(long, value_name = "NAME", num_args = 2)]
        scatter: Vec<String>,
        /// Print the summary as JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare two runs of a campaign, the older first: what got slower, what is lost, what is won
    #[command(after_help = "Examples:\n  thetis campaign compare first.results first.results")]
    Compare {
        /// The folder of the older results
        before: PathBuf,
        /// The folder of the newer results
        after: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check every trace and every certificate of a campaign again, by the reference checker
    #[command(after_help = "Examples:\n  thetis campaign verify first.results")]
    Verify {
        /// The folder of results
        folder: PathBuf,
        /// How many are checked at a time [default: one for each core]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        jobs: Option<u32>,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a batch of a campaign, wherever a back end has put it
    #[command(hide = true)]
    Work {
        /// The folder of results
        folder: PathBuf,
        /// Which batch
        batch: String,
    },
}

const RUN: &str = "\
Each job is one `thetis check` with limits that hold whether it listens or not, and its result is a file that is there as
a whole or not at all. So a campaign may be killed at any time and run again: what has a result is not repeated.

On a cluster, `--on slurm --jobs 64 --with=--partition=short` submits an array of batches, 64 at a time, and watches it;
`--on hyperqueue` leaves them to the workers of HyperQueue.

Examples:
  thetis campaign run first.toml --jobs 2";

/// How a campaign is run.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Who runs it
    #[arg(long, value_enum, default_value_t, value_name = "BACKEND")]
    on: Backend,
    /// How many jobs run at a time: cores of this machine, elements of an array [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// How many jobs go into one batch of a cluster [default: about a minute of work]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// Another option for the program that the back end submits with, such as `--with=--partition=short`
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    with: Vec<String>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// Who runs jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Backend {
    /// This machine, with a core for each job
    #[default]
    Local,
    /// HyperQueue: its workers, wherever they are
    Hyperqueue,
    /// BenchExec, which measures by control groups
    Benchexec,
    /// A cluster under Slurm, by a job array
    Slurm,
}

impl CampaignCommand {
    /// Whether stdout gets JSON.
    pub fn json(&self) -> bool {
        match self {
            CampaignCommand::New { .. } | CampaignCommand::Work { .. } => false,
            CampaignCommand::Plan { json, .. }
            | CampaignCommand::Status { json, .. }
            | CampaignCommand::Report { json, .. }
            | CampaignCommand::Compare { json, .. }
            | CampaignCommand::Verify { json, .. } => *json,
            CampaignCommand::Run { how, .. } | CampaignCommand::Resume { how, .. } => how.json,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(Told::new(error.code(), show::error(&error)))
    }
}

/// Runs the command.
pub fn run(command: CampaignCommand, console: &Console) -> Result<Exit, Failure> {
    match command {
        CampaignCommand::New { file, models } => new(&file, &models, console),
        CampaignCommand::Plan { file, write_arrays, json } => plan(&file, write_arrays, json, console),
        CampaignCommand::Run { file, into, how } => {
            let folder = Folder::new(into.unwrap_or_else(|| file.with_extension("results")));
            let plan = planned(&file)?;
            folder.prepare(&plan)?;
            go_on(&plan, &folder, &how, console)
        }
        CampaignCommand::Resume { folder, how } => {
            let folder = Folder::new(folder);
            let plan = folder.plan()?;
            go_on(&plan, &folder, &how, console)
        }
        CampaignCommand::Status { folder, json } => {
            let (plan, statistics, left) = evaluated(&Folder::new(folder))?;
            if json {
                console.json(&show::summary(&plan, &statistics, left));
            } else {
                console.line(show::status(&statistics, left));
                console.print(show::wrong(&statistics));
            }
            Ok(show::exit(&statistics))
        }
        CampaignCommand::Report { folder, output, scatter, json } => {
            write_report(&Folder::new(folder), output.as_deref(), &scatter, json, console)
        }
        CampaignCommand::Compare { before, after, json } => {
            let (before, after) = (evaluated(&Folder::new(before))?, evaluated(&Folder::new(after))?);
            let found = compare::compare((&before.0, &before.1), (&after.0, &after.1));
            if json {
                console.json(&found);
            } else {
                console.print(show::comparison(&found));
            }
            Ok(if found.contradicted.is_empty() && found.lost.is_empty() {
                Exit::Holds
            } else {
                Exit::Violated
            })
        }
        CampaignCommand::Verify { folder, jobs, json } => verify(&Folder::new(folder), jobs, json, console),
        CampaignCommand::Work { folder, batch } => work(&Folder::new(folder), &batch),
    }
}

fn new(path: &Path, models: &str, console: &Console) -> Result<Exit, Failure> {
    if path.exists() {
        let why = format!("{} is there already; choose another name, or remove it", path.display());
        return Err(Failure::Input(why));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    folder::write(path, file::template(&name, models).as_bytes())?;
    console.line(format!("{} written; `thetis campaign run {0}` runs it", path.display()));
    Ok(Exit::Holds)
}

/// The folder that paths of a campaign file are seen from.
fn base(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn planned(path: &Path) -> Result<Plan, Failure> {
    let file = File::read(path)?;
    Ok(Plan::new(&file, base(path), &Thetis::new()?)?)
}

fn plan(path: &Path, write: bool, json: bool, console: &Console) -> Result<Exit, Failure> {
    let (file, program) = (File::read(path)?, Thetis::new()?);
    let arrays = configuration::arrays(&file, base(path), &program)?;
    for array in arrays.iter().filter(|_| write) {
        let Some(place) = &array.path else {
            return Err(Failure::Input(
                "`array` of `pairwise` names the file that it is written to".to_owned(),
            ));
        };
        folder::write(place, array.text().as_bytes())?;
        console.note(format!("{} written", place.display()));
    }
    let plan = Plan::new(&file, base(path), &program)?;
    if json {
        console.json(&plan);
    } else {
        console.print(show::plan(&plan, &arrays));
    }
    Ok(Exit::Holds)
}

/// The plan of a folder, what its results say, and about how many seconds are left.
fn evaluated(folder: &Folder) -> Result<(Plan, Statistics, Option<f64>), Failure> {
    let plan = folder.plan()?;
    let results = folder.results(&plan);
    let (statistics, left) = (Statistics::new(&plan, &results), seconds_left(&plan, &results));
    Ok((plan, statistics, left))
}

fn write_report(
    folder: &Folder,
    output: Option<&Path>,
    scatter: &[String],
    json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let plan = folder.plan()?;
    let results = folder.results(&plan);
    let statistics = Statistics::new(&plan, &results);
    let into = output.unwrap_or(folder.path());
    let write = |name: &str, text: String| folder::write(&into.join(name), text.as_bytes());
    write("report.html", report::html(&plan, &results, &statistics, &folder.machines()))?;
    write("results.csv", table::results(&plan, &results))?;
    write("summary.csv", table::summaries(&statistics))?;
    write("quantiles.svg", svg::quantiles(&plan, &statistics))?;
    write("heat.svg", svg::heat(&plan, &statistics))?;
    let [one, other] = against(&plan, &statistics, scatter)?;
    write("scatter.svg", svg::scatter(&plan, &statistics, one, other))?;
    let left = seconds_left(&plan, &results);
    if json {
        console.json(&show::summary(&plan, &statistics, left));
    } else {
        console.line(show::status(&statistics, left));
        console.print(table::text(&statistics));
    }
    console.note(format!("report written to {}", into.join("report.html").display()));
    Ok(show::exit(&statistics))
}

/// The two configurations of the scatter plot, by names or the best.
fn against(plan: &Plan, statistics: &Statistics, names: &[String]) -> Result<[usize; 2], Failure> {
    let named = |name: &String| {
        let at = plan.configurations.iter().position(|it| it.name == *name);
        at.ok_or_else(|| Failure::Input(format!("no configuration is called `{name}`")))
    };
    if let [one, other] = names {
        return Ok([named(one)?, named(other)?]);
    }
    let mut order: Vec<usize> = (0..plan.configurations.len()).collect();
    let key = |at: usize| &statistics.summaries[at];
    order.sort_by(|a, b| {
        key(*b).solved.cmp(&key(*a).solved).then(key(*a).cpu_sum.total_cmp(&key(*b).cpu_sum))
    });
    Ok([order[0], order[usize::from(order.len() > 1)]])
}

/// Set by Ctrl-C and by a request to end.
fn listening() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let _ = ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed));
    stop
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;

    use super::*;
    use crate::progress::Bar;
    use campaign::backend::{Campaign, Observer, batch, benchexec, hyperqueue, local, slurm};
    use campaign::id::Id;
    use campaign::record::Record;

    /// Follows a campaign on the terminal.
    struct Follower<'a> {
        bar: Bar,
        /// How many jobs come to the same as this one.
        copies: HashMap<&'a Id, usize>,
    }

    impl Observer for Follower<'_> {
        fn finished(&self, record: &Record) {
            self.bar.finished(self.copies.get(&record.id).copied().unwrap_or(1), record.status().word());
        }
        fn progress(&self, done: usize, all: usize, said: &str) {
            self.bar.at(done, all, said);
        }
    }

    /// Says nothing.
    struct Quiet;

    impl Observer for Quiet {
        fn finished(&self, _: &Record) {}
        fn progress(&self, _: usize, _: usize, _: &str) {}
    }

    fn slots(jobs: Option<u32>) -> usize {
        jobs.map_or_else(|| local::cores().len().max(1), |jobs| jobs as usize)
    }

    /// Runs what has no result.
    pub fn go_on(plan: &Plan, folder: &Folder, how: &RunArgs, console: &Console) -> Result<Exit, Failure> {
        let program = Thetis::new()?;
        program.is_build(plan)?;
        let _lock = folder.lock()?;
        let path = std::path::absolute(folder.path()).unwrap_or_else(|_| folder.path().to_owned());
        let folder = Folder::new(path);
        for missing in &plan.missing {
            console.note(format!("left out, since it is not there: {missing}"));
        }
        plan.assert_unchanged(&program)?;
        let open = folder.open(plan);
        let mut copies = HashMap::new();
        plan.jobs.iter().for_each(|job| *copies.entry(&job.id).or_default() += 1);
        let left: usize = open.iter().map(|job| copies[&job.id]).sum();
        let bar = Bar::new(&plan.name, plan.jobs.len() - left, plan.jobs.len());
        let follower = Follower { bar, copies };
        let stop = listening();
        let campaign = Campaign {
            plan,
            folder: &folder,
            program: &program,
            slots: slots(how.jobs),
            pinned: true,
            per_batch: how.batch.map(|size| size as usize),
            more: &how.with,
            stop: &stop,
            observer: &follower,
        };
        let ran = match how.on {
            Backend::Local => local::run(&campaign, &open),
            Backend::Benchexec => benchexec::run(&campaign),
            Backend::Slurm => slurm::run(&campaign).map(drop),
            Backend::Hyperqueue => hyperqueue::run(&campaign).map(drop),
        };
        follower.bar.clear();
        ran?;
        let (plan, statistics, left) = evaluated(&folder)?;
        if how.json {
            console.json(&show::summary(&plan, &statistics, left));
        } else {
            console.line(show::status(&statistics, left));
            console.print(show::wrong(&statistics));
            console.print(table::text(&statistics));
        }
        Ok(show::exit(&statistics))
    }

    /// Runs a batch.
    pub fn work(folder: &Folder, batch: &str) -> Result<Exit, Failure> {
        let (plan, program, stop) = (folder.plan()?, Thetis::new()?, listening());
        program.is_build(&plan)?;
        let campaign = Campaign {
            plan: &plan,
            folder,
            program: &program,
            slots: 1,
            // Whoever put the batch here says on which cores.
            pinned: false,
            per_batch: None,
            more: &[],
            stop: &stop,
            observer: &Quiet,
        };
        batch::run(&campaign, batch)?;
        Ok(if stop.load(Ordering::Relaxed) { Exit::Unknown } else { Exit::Holds })
    }

    /// Checks evidence again.
    pub fn verify(
        folder: &Folder,
        jobs: Option<u32>,
        json: bool,
        console: &Console,
    ) -> Result<Exit, Failure> {
        let (plan, program, stop) = (folder.plan()?, Thetis::new()?, listening());
        let bar = Bar::new(&plan.name, 0, 0);
        let told = |done: usize, all: usize| bar.at(done, all, "");
        let tally = campaign::verify::verify(&plan, folder, &program, slots(jobs), &stop, &told)?;
        bar.clear();
        let Some(tally) = tally else { return Err(Failure::interrupted("")) };
        if json {
            console.json(&tally);
        } else {
            console.print(show::tally(&tally));
        }
        Ok(match (tally.refused.is_empty(), tally.open.is_empty() && tally.missing == 0) {
            (false, _) => Exit::Violated,
            (true, false) => Exit::Unknown,
            (true, true) => Exit::Holds,
        })
    }
}

#[cfg(target_os = "linux")]
use linux::{go_on, verify, work};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::*;

    fn refused() -> Failure {
        Failure::Input(
            "campaigns run on Linux only, where limits can be enforced; reports are written anywhere"
                .to_owned(),
        )
    }
    pub fn go_on(_: &Plan, _: &Folder, _: &RunArgs, _: &Console) -> Result<Exit, Failure> {
        Err(refused())
    }
    pub fn work(_: &Folder, _: &str) -> Result<Exit, Failure> {
        Err(refused())
    }
    pub fn verify(_: &Folder, _: Option<u32>, _: bool, _: &Console) -> Result<Exit, Failure> {
        Err(refused())
    }
}

#[cfg(not(target_os = "linux"))]
use elsewhere::{go_on, verify, work};
