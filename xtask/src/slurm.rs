//! A campaign on Slurm, on a cluster of one node that is started for it on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::shell::{build_thetis, root, step, target_directory};

pub const HELP: &str = "\
usage: cargo xtask slurm [--program FILE]

Runs a campaign of 500 small jobs on this machine, and the same on a cluster of one node under Slurm, which
integrations/slurm/loopback starts here; kills the node in the middle and starts it again; and fails if the results
differ in anything but times. Says how many jobs a second both get done. Needs root, and Debian's slurm-wlm and munge;
without them it says so and does nothing.

  --program FILE  the program to run, instead of one that is built as users get it
";

/// How many jobs there are.
pub const JOBS: usize = 500;
/// When the node is killed: once so many have a result.
const KILLED_AT: usize = 120;

pub fn run(arguments: &[String]) -> Result<(), String> {
    let program = match arguments {
        [] => None,
        [option, path] if option == "--program" => Some(PathBuf::from(path)),
        _ => return Err("unexpected arguments; see --help".to_owned()),
    };
    let folder = fresh("slurm")?;
    let cluster = Cluster { folder: folder.join("cluster") };
    match cluster.call("start")?.code() {
        Some(0) => {}
        Some(3) => {
            eprintln!("skipped: Slurm is not installed (Debian: slurm-wlm and munge)");
            return Ok(());
        }
        _ => return Err("the cluster does not start".to_owned()),
    }
    let program = program.map_or_else(build_thetis, Ok)?;
    write(&folder)?;
    let began = Instant::now();
    step("the campaign on this machine", campaign(&program, &folder, "local").arg("--jobs=2"))?;
    let local = began.elapsed();
    let began = Instant::now();
    on_cluster(&program, &folder, &cluster)?;
    println!("{JOBS} jobs: {:.1} a second here, {:.1} under Slurm", rate(local), rate(began.elapsed()));
    same(&folder, "slurm")
}

/// How many jobs a second were done in this time.
pub fn rate(time: Duration) -> f64 {
    JOBS as f64 / time.as_secs_f64()
}

/// Makes sure that a back end came to the same results as this machine.
pub fn same(folder: &Path, on: &str) -> Result<(), String> {
    if essence(&folder.join("local"))? != essence(&folder.join(on))? {
        return Err(format!("the results in {} differ", folder.display()));
    }
    println!("the results are the same");
    Ok(())
}

/// An empty folder for what is tried.
pub fn fresh(name: &str) -> Result<PathBuf, String> {
    let folder = target_directory()?.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// A cluster that ends with this.
struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    fn call(&self, word: &str) -> Result<std::process::ExitStatus, String> {
        let script = root().join("integrations").join("slurm").join("loopback");
        let mut command = Command::new(script);
        command.arg(word).arg(&self.folder).stdin(Stdio::null());
        command.status().map_err(|error| format!("loopback {word}: {error}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.call("stop");
    }
}

/// Five models with ten questions each, under ten configurations.
pub fn write(folder: &Path) -> Result<(), String> {
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    for top in 4..9 {
        let model =
            format!("var n : integer = 0 trans {{ assume n < {top}; n := n + 1; }} prop {{ n <= {top} }}");
        write(&format!("c{top}.xsts"), model)?;
    }
    let properties: Vec<String> = (3..13).map(|bound| format!("\"n != {bound}\"")).collect();
    let product =
        "{ engine = [\"explicit\", \"auto\"], search = [\"bfs\", \"dfs\"], no-preprocess = [true, false] }";
    write(
        "many.toml",
        format!(
            "name = \"many\"\nseed = 3\n[limits]\ncpu-seconds = 20\nwall-seconds = 60\n[[tasks]]\nmodels = [\"c*.xsts\"]\n\
             property = [{}]\n[[configurations]]\nproduct = {product}\n[[configurations]]\nproduct = {{ engine = [\"bmc\", \
             \"kind\"] }}\n",
            properties.join(", ")
        ),
    )
}

pub fn campaign(program: &Path, folder: &Path, into: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["campaign", "run", "many.toml", "--into", into]).current_dir(folder).stdin(Stdio::null());
    command
}

fn on_cluster(program: &Path, folder: &Path, cluster: &Cluster) -> Result<(), String> {
    eprintln!("\n==> the campaign under Slurm");
    let mut command = campaign(program, folder, "slurm");
    command
        .args(["--on=slurm", "--jobs=2", "--batch=25"])
        .env("SLURM_CONF", cluster.folder.join("slurm.conf"));
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let results = folder.join("slurm");
    let mut killed = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if !killed && files(&results).len() >= KILLED_AT {
            killed = true;
            eprintln!("==> the node dies, with {} results, and comes back", files(&results).len());
            cluster.call("kill-node")?;
            std::thread::sleep(Duration::from_secs(2));
            cluster.call("start-node")?;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    match (status.success(), killed) {
        (true, true) => Ok(()),
        (true, false) => Err("the node was not killed in time".to_owned()),
        (false, _) => Err(format!("the campaign failed: {status}")),
    }
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let parts = std::fs::read_dir(folder.join("results")).into_iter().flatten().flatten();
    let files = parts.flat_map(|part| std::fs::read_dir(part.path()).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|it| it == "json")).collect()
}

/// What does not depend on the moment.
fn essence(folder: &Path) -> Result<BTreeMap<String, Value>, String> {
    let mut all = BTreeMap::new();
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let record: Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let answer = &record["answer"];
        let parts =
            [&record["end"], &answer["verdicts"], &answer["certified"], &answer["code"], &answer["by"]];
        let counts = ["states", "transitions", "stored"].map(|name| &answer["counts"][name]);
        let value = Value::from(parts.into_iter().chain(counts).cloned().collect::<Vec<_>>());
        all.insert(record["id"].as_str().unwrap_or_default().to_owned(), value);
    }
    match all.len() {
        JOBS => Ok(all),
        count => Err(format!("{}: {count} results", folder.display())),
    }
}
