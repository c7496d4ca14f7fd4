//! The back ends of campaigns, tried and measured: 500 small jobs on each, whose results must be the same, and a report of
//! 20,000 results in a browser. What is not installed is said to be skipped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell::{build_thetis, root, step};
use crate::slurm::{self, JOBS, campaign, files, fresh, rate, same};

pub const HELP: &str = "\
usage: cargo xtask backends [--program FILE]

Runs a campaign of 500 small jobs on this machine, one at a time, and says what a job costs beside what its process
takes; then the same under Slurm (`cargo xtask slurm`), HyperQueue (`hq` on the path) and BenchExec (`benchexec` on the
path), each compared with the first, with the jobs a second that it gets done; and opens a report of 20,000 results in
Chromium (`chromium`, or what CHROMIUM names, and `node`). What is not installed is said to be skipped.

  --program FILE  the program to run, instead of one that is built as users get it
";

pub fn run(arguments: &[String]) -> Result<(), String> {
    let program = match arguments {
        [] => build_thetis()?,
        [option, path] if option == "--program" => {
            std::path::absolute(path).map_err(|error| error.to_string())?
        }
        _ => return Err("unexpected arguments; see --help".to_owned()),
    };
    let folder = fresh("backends")?;
    slurm::write(&folder)?;
    local(&program, &folder)?;
    slurm::run(&["--program".to_owned(), program.display().to_string()])?;
    hyperqueue(&program, &folder)?;
    benchexec(&program, &folder)?;
    report(&program, &folder)
}

/// The program of this name on the path.
fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn skipped(what: &str, needed: &str) -> Result<(), String> {
    eprintln!("\n==> {what}\nskipped: {needed} not found");
    Ok(())
}

fn local(program: &Path, folder: &Path) -> Result<(), String> {
    let (began, before) = (Instant::now(), processor());
    step("the campaign on this machine", campaign(program, folder, "local").arg("--jobs=1"))?;
    let (whole, all) = (began.elapsed(), processor() - before);
    let (mut jobs, mut work) = (0.0, 0.0);
    for path in files(&folder.join("local")) {
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let record: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        jobs += record["wall_seconds"].as_f64().unwrap_or(0.0);
        work += record["cpu_seconds"].as_f64().unwrap_or(0.0);
    }
    let each = |seconds: f64| 1000.0 * seconds / JOBS as f64;
    println!(
        "{JOBS} jobs, one at a time: {:.1} a second; {:.2} ms each, and {:.2} ms beside, of which {:.2} ms of the processor",
        rate(whole),
        each(jobs),
        each(whole.as_secs_f64() - jobs),
        each(all - work)
    );
    Ok(())
}

/// Seconds of the processor of all processes that this one has waited for, as Linux tells in hundredths.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = stat.rsplit(") ").next().unwrap_or_default();
    // The first of these fields is the third of all: the state.
    let ticks = behind.split_whitespace().skip(13).take(2).map(|field| field.parse::<f64>().unwrap_or(0.0));
    ticks.sum::<f64>() / 100.0
}

/// A process that ends with this.
struct Daemon(Child);

impl Daemon {
    fn start(command: &mut Command) -> Result<Daemon, String> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Daemon).map_err(|error| format!("{command:?}: {error}"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn hyperqueue(program: &Path, folder: &Path) -> Result<(), String> {
    let Some(hq) = installed("hq") else { return skipped("the campaign under HyperQueue", "`hq`") };
    let server = folder.join("hq");
    let call = |arguments: &[&str]| {
        let mut command = Command::new(&hq);
        command.args(arguments).env("HQ_SERVER_DIR", &server).stdin(Stdio::null());
        command
    };
    let _server = Daemon::start(&mut call(&["server", "start"]))?;
    let up = || call(&["server", "info"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let mut tries = 0;
    while !up().is_ok_and(|status| status.success()) {
        tries += 1;
        if tries > 100 {
            return Err("the server of HyperQueue does not start".to_owned());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _worker = Daemon::start(&mut call(&["worker", "start"]))?;
    let mut command = campaign(program, folder, "hyperqueue");
    command.args(["--on=hyperqueue", "--batch=25"]).env("HQ_SERVER_DIR", &server);
    timed("HyperQueue", &mut command)?;
    same(folder, "hyperqueue")
}

/// Runs a campaign elsewhere and says how quickly it was done.
fn timed(name: &str, command: &mut Command) -> Result<(), String> {
    let began = Instant::now();
    step(&format!("the campaign under {name}"), command)?;
    println!("{JOBS} jobs: {:.1} a second under {name}", rate(began.elapsed()));
    Ok(())
}

fn benchexec(program: &Path, folder: &Path) -> Result<(), String> {
    let (Some(_), Some(tables)) = (installed("benchexec"), installed("table-generator")) else {
        return skipped("the campaign under BenchExec", "`benchexec`");
    };
    let mut command = campaign(program, folder, "benchexec");
    command.args(["--on=benchexec", "--with=--no-container", "--jobs=2"]);
    // Where the program is may be far from the module that knows it.
    command.env("PYTHONPATH", root().join("integrations"));
    timed("BenchExec", &mut command)?;
    same(folder, "benchexec")?;
    let output = folder.join("benchexec").join("benchexec").join("1").join("output");
    let entries = std::fs::read_dir(&output).map_err(|error| format!("{}: {error}", output.display()))?;
    let results: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".questions.xml"))
        .collect();
    let mut command = Command::new(tables);
    command.args(["--name", "tables", "--no-diff", "--outputpath"]).arg(&output).args(&results);
    step("its tables", command.stdout(Stdio::null()))?;
    let page = output.join("tables.table.html");
    match std::fs::metadata(&page) {
        Ok(found) => {
            println!("{} result files, {} with {} bytes", results.len(), page.display(), found.len())
        }
        Err(error) => return Err(format!("{}: {error}", page.display())),
    }
    Ok(())
}

/// As many results as a large campaign has: 200 questions under 100 configurations.
const LARGE: &str = "\
name = \"large\"
[limits]
cpu-seconds = 10
[[tasks]]
models = [\"c*.xsts\"]
property = [PROPERTIES]
[[configurations]]
product = { engine = [\"bmc\", \"kind\"], bound = [BOUNDS] }
";

fn report(program: &Path, folder: &Path) -> Result<(), String> {
    let chromium =
        std::env::var_os("CHROMIUM").map_or_else(|| installed("chromium"), |path| Some(path.into()));
    let (Some(node), Some(chromium)) = (installed("node"), chromium) else {
        return skipped("the report in a browser", "`node` or `chromium`");
    };
    let list = |count: u32, each: fn(u32) -> String| (1..=count).map(each).collect::<Vec<_>>().join(", ");
    let text = LARGE
        .replace("PROPERTIES", &list(40, |number| format!("\"n != {number}\"")))
        .replace("BOUNDS", &list(50, |number| number.to_string()));
    let write = |path: &Path, text: &str| {
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(path, text)).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(&folder.join("large.toml"), &text)?;
    let mut command = Command::new(program);
    command.args(["campaign", "plan", "large.toml", "--json"]).current_dir(folder);
    let planned = crate::shell::output(&mut command)?;
    let plan: Value = serde_json::from_str(&planned).map_err(|error| error.to_string())?;
    let results = folder.join("large");
    write(&results.join("plan.json"), &planned)?;
    for (number, job) in plan["jobs"].as_array().into_iter().flatten().enumerate() {
        let id = job["id"].as_str().unwrap_or_default();
        let path = results.join("results").join(&id[..2]).join(id).with_extension("json");
        write(&path, &made_up(id, number).to_string())?;
    }
    let began = Instant::now();
    let mut command = Command::new(program);
    // Made-up results disagree; the exit code says so.
    command.args(["campaign", "report"]).arg(&results).stdout(Stdio::null());
    let status = command.status().map_err(|error| error.to_string())?;
    let page = results.join("report.html");
    if !page.is_file() {
        return Err(format!("no report: {status}"));
    }
    println!("a report of 20,000 results is written in {:.2} s", began.elapsed().as_secs_f64());
    let mut command = Command::new(node);
    command.arg(root().join("integrations").join("browser").join("report.mjs")).arg(&page);
    step("the report in a browser", command.arg(folder).env("CHROMIUM", chromium))
}

/// A result that nobody came to, of one kind or another.
fn made_up(id: &str, number: usize) -> Value {
    let verdict = ["holds", "holds", "holds", "violated", "unknown"][number % 7 % 5];
    let seconds = 0.01 * (1 + number * 7919 % 1000) as f64;
    json!({
        "format": "thetis-campaign-result", "version": 1, "id": id, "end": {"exit": 0},
        "answer": {"verdicts": [verdict], "certified": true, "code": null, "by": null, "counts": {"stored": number % 100}},
        "cpu_seconds": seconds, "wall_seconds": seconds, "memory_bytes": 1_000_000 + number, "host": "here", "began": number,
        "said": "",
    })
}
