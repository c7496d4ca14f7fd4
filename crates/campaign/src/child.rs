//! One command in a process of its own, with limits that hold whether it listens or not, and what it cost.
//!
//! The process is the leader of a group, so that whatever it starts ends with it, and dies with the thread that started
//! it, so that nothing is left behind when the campaign is killed. A limit is enforced three times over: the program may be
//! told of it; when it is reached, the group is asked to end, so that it can still say what it knows; and after
//! [`GRACE`] it is killed. Where the processor is concerned the kernel does so by itself (`RLIMIT_CPU`).
//!
//! What it cost comes from the kernel (`wait4`): time of the processor of the process and of all its descendants that were
//! waited for, and the most memory that one of them had resident.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::plan::Limits;
use crate::record::{End, Limit};

/// How long a process that was asked to end may take to do so.
pub const GRACE: Duration = Duration::from_millis(1000);

/// The longest time between two looks at a process.
const POLL: Duration = Duration::from_millis(20);

/// How much of what a process prints is kept.
const MAX_OUTPUT: u64 = 64 << 20;

/// What became of a process.
#[derive(Clone, PartialEq, Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it printed.
    pub output: Vec<u8>,
    /// The last that it said to its error output.
    pub said: String,
    /// Seconds of the processor.
    pub cpu_seconds: f64,
    /// Seconds on the wall.
    pub wall_seconds: f64,
    /// The most memory, in bytes.
    pub memory_bytes: u64,
}

/// Runs a command to its end; `None` if `stop` was set before that.
///
/// # Errors
/// If it cannot be started or waited for.
pub fn run(
    executable: &Path,
    arguments: &[OsString],
    limits: &Limits,
    stop: &AtomicBool,
) -> std::io::Result<Option<Ran>> {
    let mut command = Command::new(executable);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    kernel::restrict(&mut command, hard_limits(limits));
    let began = Instant::now();
    let mut child = command.spawn()?;
    let output = reader(child.stdout.take(), MAX_OUTPUT);
    let said = reader(child.stderr.take(), MAX_OUTPUT);
    let mut watch = Watch::new(&child, *limits, began);
    let ended = loop {
        if let Some(ended) = kernel::reap(watch.process)? {
            break ended;
        }
        if stop.load(Ordering::Relaxed) {
            watch.kill();
            while kernel::reap(watch.process)?.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            return Ok(None);
        }
        watch.look();
        std::thread::sleep(watch.pause());
    };
    let wall_seconds = began.elapsed().as_secs_f64();
    // What it started and did not wait for ends with it; only then is nobody left who could hold its output open.
    watch.kill();
    let output = output.join().unwrap_or_default();
    let said = tail(&said.join().unwrap_or_default());
    let end = watch.over.map_or(ended.end, |(limit, _)| End::Limit(limit));
    // The kernel ends what ignores the limit of its processor.
    let end = match (end, limits.cpu_seconds) {
        (End::Signal(signal), Some(most)) if signal == Signal::XCPU.as_raw() || ended.cpu_seconds > most => {
            End::Limit(Limit::Cpu)
        }
        (end, _) => end,
    };
    let (cpu_seconds, memory_bytes) = (ended.cpu_seconds, ended.memory_bytes);
    Ok(Some(Ran { end, output, said, cpu_seconds, wall_seconds, memory_bytes }))
}

/// A thread that reads all there is, and keeps so much of it.
fn reader(pipe: Option<impl Read + Send + 'static>, most: u64) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = vec![];
        let Some(mut pipe) = pipe else { return bytes };
        let _ = pipe.by_ref().take(most).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        bytes
    })
}

/// The last lines of a text, short enough to be kept with a result.
fn tail(bytes: &[u8]) -> String {
    const MOST: usize = 2000;
    let text = String::from_utf8_lossy(bytes);
    let from = text.char_indices().map(|(at, _)| at).find(|at| text.len() - at <= MOST).unwrap_or(text.len());
    text[from..].trim().to_owned()
}

/// What the kernel is asked to enforce. Memory is watched instead: a program may reserve much more than it uses.
fn hard_limits(limits: &Limits) -> Vec<(Resource, Rlimit)> {
    let mut list = vec![(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })];
    if let Some(seconds) = limits.cpu_seconds {
        let seconds = seconds.ceil() as u64 + GRACE.as_secs();
        list.push((Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) }));
    }
    list
}

/// Somebody who looks at a process from time to time.
struct Watch {
    process: Pid,
    limits: Limits,
    began: Instant,
    /// The limit that was reached, and when.
    over: Option<(Limit, Instant)>,
}

impl Watch {
    fn new(child: &Child, limits: Limits, began: Instant) -> Watch {
        Watch { process: Pid::from_child(child), limits, began, over: None }
    }
    /// Soon after the start, every moment counts; later a look may cost what it costs.
    fn pause(&self) -> Duration {
        (self.began.elapsed() / 20).clamp(Duration::from_micros(200), POLL)
    }
    fn look(&mut self) {
        if let Some((_, since)) = self.over {
            if since.elapsed() >= GRACE {
                self.kill();
            }
            return;
        }
        if let Some(limit) = self.reached() {
            self.over = Some((limit, Instant::now()));
            match limit {
                // There may be no room left to end in good order.
                Limit::Memory => self.kill(),
                Limit::Cpu | Limit::Wall => self.signal(Signal::TERM),
            }
        }
    }
    fn reached(&self) -> Option<Limit> {
        let elapsed = self.began.elapsed();
        let Limits { cpu_seconds, wall_seconds, memory_mb } = self.limits;
        if wall_seconds.is_some_and(|most| elapsed.as_secs_f64() > most) {
            return Some(Limit::Wall);
        }
        // A look at all processes costs more than one at the clock.
        if elapsed < Duration::from_millis(20) || cpu_seconds.is_none() && memory_mb.is_none() {
            return None;
        }
        let used = usage(self.process.as_raw_nonzero().get());
        match () {
            () if cpu_seconds.is_some_and(|most| used.cpu_seconds > most) => Some(Limit::Cpu),
            () if memory_mb.is_some_and(|most| used.memory_bytes > most.saturating_mul(1_000_000)) => {
                Some(Limit::Memory)
            }
            () => None,
        }
    }
    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.process, signal);
    }
    fn kill(&self) {
        self.signal(Signal::KILL);
    }
}

/// What a process and its descendants use now.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
struct Usage {
    cpu_seconds: f64,
    memory_bytes: u64,
}

/// How many ticks of the clock are a second, in what the kernel tells of processes; so for all programs on Linux.
const TICKS: f64 = 100.0;

fn usage(process: i32) -> Usage {
    let page = rustix::param::page_size() as u64;
    let mut total = Usage::default();
    let mut open = vec![process];
    while let Some(process) = open.pop() {
        let folder = format!("/proc/{process}");
        let Ok(stat) = std::fs::read_to_string(format!("{folder}/stat")) else { continue };
        // The name of the program comes second, in parentheses, and may contain anything.
        let fields: Vec<u64> = stat[stat.rfind(')').map_or(0, |at| at + 1)..]
            .split_whitespace()
            .map(|word| word.parse().unwrap_or(0))
            .collect();
        // Own time and that of children which were waited for.
        let ticks: u64 = fields.get(11..15).map_or(0, |list| list.iter().sum());
        total.cpu_seconds += ticks as f64 / TICKS;
        total.memory_bytes += fields.get(21).copied().unwrap_or(0) * page;
        for thread in std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            open.extend(children.split_whitespace().filter_map(|word| word.parse::<i32>().ok()));
        }
    }
    total
}

/// The two things that need the C interface of the kernel.
#[expect(unsafe_code, reason = "nothing safe sets up a process between fork and exec, or tells what it cost")]
mod kernel {
    use super::{Command, CommandExt, End, Pid, Resource, Rlimit, Signal};

    /// A process that has ended.
    pub struct Ended {
        pub end: End,
        pub cpu_seconds: f64,
        pub memory_bytes: u64,
    }

    /// Has limits set in the new process, and its death asked for when the thread that starts it is gone.
    pub fn restrict(command: &mut Command, limits: Vec<(Resource, Rlimit)>) {
        let before = move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            for (resource, limit) in &limits {
                // Lower limits than these may be in force already.
                let _ = rustix::process::setrlimit(*resource, *limit);
            }
            Ok(())
        };
        // SAFETY: between fork and exec only what is safe in a signal handler may be done. The closure makes system
        // calls, allocates nothing and takes no lock; its list was made before.
        unsafe { command.pre_exec(before) };
    }

    /// Takes leave of a process that has ended; `None` while it runs.
    pub fn reap(process: Pid) -> std::io::Result<Option<Ended>> {
        let (mut status, id) = (0, process.as_raw_nonzero().get());
        // SAFETY: all parts of the structure are numbers, for which zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to values that live through the call, and the kernel writes only there.
        let reaped = unsafe { libc::wait4(id, &raw mut status, libc::WNOHANG, &raw mut usage) };
        if reaped < 0 {
            let error = std::io::Error::last_os_error();
            return if error.kind() == std::io::ErrorKind::Interrupted { Ok(None) } else { Err(error) };
        }
        if reaped == 0 {
            return Ok(None);
        }
        let end = match libc::WIFSIGNALED(status) {
            true => End::Signal(libc::WTERMSIG(status)),
            false => End::Exit(libc::WEXITSTATUS(status)),
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        let cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        let memory_bytes = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
        Ok(Some(Ended { end, cpu_seconds, memory_bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limits: Limits) -> Ran {
        let arguments = ["-c", script].map(OsString::from);
        run(Path::new("/bin/sh"), &arguments, &limits, &AtomicBool::new(false))
            .expect("a shell")
            .expect("an end")
    }

    #[test]
    fn what_a_process_says_and_how_it_ends_is_told() {
        let ran = shell("echo out; echo err >&2; exit 3", Limits::default());
        assert_eq!((ran.end, ran.output.as_slice(), ran.said.as_str()), (End::Exit(3), &b"out\n"[..], "err"));
        assert!(ran.memory_bytes > 0);
        assert_eq!(shell("kill -9 $$", Limits::default()).end, End::Signal(9));
    }

    #[test]
    fn a_process_that_ignores_its_limits_is_ended_with_all_that_it_started() {
        let stubborn = "trap '' TERM XCPU; sleep 1000 & echo $!; while :; do :; done";
        let cpu = shell(stubborn, Limits { cpu_seconds: Some(0.2), ..Limits::default() });
        assert_eq!(cpu.end, End::Limit(Limit::Cpu));
        let left = String::from_utf8(cpu.output).unwrap().trim().to_owned();
        // Whoever inherits it may take a moment to take leave of it.
        let gone = || match std::fs::read_to_string(format!("/proc/{left}/stat")) {
            Err(_) => true,
            Ok(stat) => stat.contains(") Z "),
        };
        assert!((0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            gone()
        }));
        let wall = shell("sleep 1000", Limits { wall_seconds: Some(0.1), ..Limits::default() });
        assert_eq!(wall.end, End::Limit(Limit::Wall));
        assert!(wall.cpu_seconds < 1.0);
    }

    #[test]
    fn memory_is_that_of_all_processes() {
        // Two processes with 40 MB each.
        let fill = "x=$(head -c 40000000 /dev/zero | tr '\\0' a); sleep 1000";
        let script = format!("sh -c \"{fill}\" & {fill}");
        let ran =
            shell(&script, Limits { memory_mb: Some(60), wall_seconds: Some(60.0), ..Limits::default() });
        assert_eq!(ran.end, End::Limit(Limit::Memory));
    }

    #[test]
    fn a_request_to_stop_ends_it() {
        let stop = AtomicBool::new(true);
        let arguments = ["1000"].map(OsString::from);
        assert_eq!(run(Path::new("/bin/sleep"), &arguments, &Limits::default(), &stop).unwrap(), None);
    }
}
