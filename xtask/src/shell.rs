//! Running other programs from the root of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Between two looks at a process.
const POLL: Duration = Duration::from_millis(1);

/// The root of the workspace, as it is now: Cargo says where it runs us, and a workspace that was
/// moved together with what it had built is found all the same.
pub fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest).parent().expect("xtask lies in the workspace").to_owned()
}

/// The text of a file under the root.
pub fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// Cargo with these arguments.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    command
}

/// A line of a shell.
pub fn line(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(root()).args(["-c", line]);
    command
}

/// Announces `what`, runs `command` and demands success.
pub fn step(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("\n==> {what}");
    let status = command.status().map_err(|error| format!("{what}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{what}` failed: {status}")) }
}

/// What `command` prints.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

/// Runs `command` to its end, lets `look` look at it every millisecond, and says how it ended and what it printed.
pub fn watch(
    command: &mut Command,
    mut look: impl FnMut(&mut Child),
) -> Result<(ExitStatus, String), String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let failed = |error: std::io::Error| format!("{command:?}: {error}");
    let mut stdout = child.stdout.take().ok_or("no output")?;
    // A long answer would otherwise fill the pipe and wait for its reader for ever.
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut stdout));
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None => look(&mut child),
        }
        std::thread::sleep(POLL);
    };
    let text = reader.join().map_err(|_| "the reader failed")?.map_err(failed)?;
    Ok((status, text))
}

/// What Cargo knows of the workspace.
pub fn metadata(arguments: &[&str]) -> Result<serde_json::Value, String> {
    let text = output(cargo(&["metadata", "--format-version", "1"]).args(arguments))?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// Where Cargo builds.
pub fn target_directory() -> Result<PathBuf, String> {
    let metadata = metadata(&["--no-deps"])?;
    metadata["target_directory"].as_str().map(PathBuf::from).ok_or("no target directory".to_owned())
}

/// Builds the `thetis` program as users get it, and says where it is.
pub fn build_thetis() -> Result<PathBuf, String> {
    step("cargo build --release -p thetis-cli", &mut cargo(&["build", "--release", "-p", "thetis-cli"]))?;
    Ok(target_directory()?.join("release").join(format!("thetis{}", std::env::consts::EXE_SUFFIX)))
}

/// Refuses arguments to a command that takes none.
pub fn no_arguments(arguments: &[String]) -> Result<(), String> {
    match arguments.first() {
        None => Ok(()),
        Some(argument) => Err(format!("unexpected argument `{argument}`; see --help")),
    }
}
