//! Runs are stopped at random moments, by Ctrl-C, a time limit or a memory limit: soon, with a partial result
//! that says so, and without leaving a process behind.
//!
//! `STOPPING_TRIES` says how many, `STOPPING_SEED` where to begin. "Soon" is a second of the processor for each
//! thread at work, because tests share their machine; by the clock it may then take a while.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Dir, Ran};

/// What the processor may still do after the request, for each thread, in hundredths of a second.
const SOON: u64 = 100;
/// By the clock; more than that hangs, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers that grow so fast that single operations on them take long, also inside the solver.
const GROWTH: &str = "
    var x : integer = 2 var y : integer = 3
    trans { x := x * x * x + y; y := y * y * x; }
    init { } env { } prop { x % 1000003 != 17 + y % 1000 }";
/// Products that no solver decides.
const PRODUCTS: &str = "
    var x : integer = 3 var y : integer = 5 var z : integer = 7
    trans { choice { x := x * y + z; } or { y := y * z + x; } or { z := z * x + y; } }
    init { } env { } prop { x * x * x + y * y * y + z * z * z != 42 }";
/// A million states that are soon found; listing them again to certify it takes longer.
const CERTIFIED: &str = "
    var a : integer = 0 var b : integer = 0 var c : integer = 0
    trans { choice { assume a < 120; a := a + 1; } or { assume b < 120; b := b + 1; }
            or { assume c < 120; c := c + 1; } }
    init { } env { } prop { a + b + c <= 360 }";
/// As many states as fit.
const ENDLESS: &str = "
    var a : integer = 0 var b : integer = 0
    trans { choice { a := a + 1 + b % 2; } or { b := b + 1 + a % 3; } }
    init { } env { } prop { a * b != 0 - 1 }";

/// Forty tokens that go from one place to the next: more markings than anybody can list.
fn net() -> String {
    let mut text = String::from("<pnml><net id='n' type='ptnet'>");
    for i in 0..8 {
        let tokens = if i == 0 { 40 } else { 0 };
        text += &format!(
            "<place id='p{i}'><initialMarking><text>{tokens}</text></initialMarking></place>\
             <transition id='t{i}'/><arc id='a{i}' source='p{i}' target='t{i}'/>\
             <arc id='b{i}' source='t{i}' target='p{}'/>",
            (i + 1) % 8
        );
    }
    text + "</net></pnml>"
}

/// What runs long enough to be stopped: a file, how it is checked, and whether its memory grows steadily.
const RUNS: &[(&str, &[&str], bool)] = &[
    ("growth.xsts", &[], false),
    ("growth.xsts", &["--engine", "cegar"], false),
    ("growth.xsts", &["--engine", "bmc"], false),
    ("products.xsts", &["--threads", "2"], false),
    ("products.xsts", &["--engine", "kind"], false),
    ("endless.xsts", &["--engine", "explicit"], true),
    ("endless.xsts", &["--domain", "EXPL", "--initprec", "PROP"], false),
    ("certified.xsts", &["--engine", "explicit"], true),
    ("net.pnml", &["--engine", "explicit", "-p", "p0 + p1 < 41"], true),
];

#[test]
fn at_random_moments() {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    };
    let (tries, seed) = (number("STOPPING_TRIES", 12), number("STOPPING_SEED", 1));
    let dir = Dir::new("stopping");
    dir.file("growth.xsts", GROWTH).file("products.xsts", PRODUCTS).file("certified.xsts", CERTIFIED);
    dir.file("endless.xsts", ENDLESS).file("net.pnml", net());
    for number in seed..seed + tries {
        let mut random = Random(number);
        // Every run has its turn; how and when it is stopped is up to chance.
        let (model, options, grows) = RUNS[(number - seed) as usize % RUNS.len()];
        let how = match random.below(if grows { 3 } else { 2 }) {
            0 => How::Signal(Duration::from_millis(20 + random.below(900))),
            1 => How::Time(20 + random.below(900)),
            _ => How::Memory(12 + random.below(40)),
        };
        stopped(&dir, model, options, how, number);
    }
}

/// How a run is stopped.
#[derive(Copy, Clone, Debug)]
enum How {
    Signal(Duration),
    /// In milliseconds.
    Time(u64),
    /// In megabytes.
    Memory(u64),
}

fn stopped(dir: &Dir, model: &str, options: &[&str], how: How, number: u64) {
    let about = format!("try {number}: {model} {options:?}, {how:?}");
    let (limit, why) = match how {
        How::Signal(_) => (vec![], "interrupted".to_owned()),
        How::Time(ms) => {
            (vec!["--timeout".to_owned(), format!("{ms}ms")], format!("time limit of {ms}ms reached"))
        }
        How::Memory(mb) => {
            (vec!["--memory-limit".to_owned(), format!("{mb}MB")], format!("memory limit of {mb}MB reached"))
        }
    };
    let mut command = dir.command(&["check", model]);
    command.args(options).args(limit).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let reached = |id: u32| match how {
        // On a busy machine, it may take a while until anything runs at all.
        How::Signal(after) => start.elapsed() >= after && listens(id),
        How::Time(ms) => start.elapsed() >= Duration::from_millis(ms),
        How::Memory(mb) => resident(id) > mb * 1_000_000,
    };
    wait(&mut child, &about, reached);
    let (before, id) = (used(child.id()), child.id());
    if let How::Signal(_) = how {
        // It cannot have ended by itself.
        assert!(Command::new("kill").args(["-INT", &id.to_string()]).status().unwrap().success(), "{about}");
    }
    let mut after = before;
    wait(&mut child, &about, |id| {
        after = after.max(used(id));
        false
    });
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code().is_some(), "{about}: {}, {output:?}", output.status);
    let ran = Ran::new(output);
    assert_eq!(ran.code, 3, "{about}: {ran:?}");
    assert!(ran.first().starts_with(&format!("unknown ({why}")), "{about}: {ran:?}");
    assert!(!ran.err.contains("panicked"), "{about}: {ran:?}");
    let threads = if options.contains(&"--threads") { 2 } else { 1 };
    assert!(after - before <= threads * SOON, "{about}: {} ticks after the request", after - before);
    assert!(!group_lives(id), "{about}: a process is left");
}

/// Looks at a process until it ends, or there is nothing more to wait for.
fn wait(child: &mut Child, about: &str, mut enough: impl FnMut(u32) -> bool) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && !enough(child.id()) {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{about}: it does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Hundredths of a second that a process has used of the processor; 0 if it is gone.
fn used(id: u32) -> u64 {
    let fields = stat(id);
    [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum()
}

/// Bytes of memory that a process has.
fn resident(id: u32) -> u64 {
    status(id, "VmRSS:").and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Whether a process handles Ctrl-C itself.
fn listens(id: u32) -> bool {
    const INTERRUPT: u64 = 1 << (2 - 1);
    let caught = status(id, "SigCgt:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    caught.is_some_and(|mask| mask & INTERRUPT != 0)
}

/// The first word of what the system tells of a process under a heading.
fn status(id: u32, heading: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(heading))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// What the system tells of a process, from its state on.
fn stat(id: u32) -> Vec<String> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let rest = text.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split_whitespace().map(str::to_owned).collect()
}

/// Whether a process of this group is still there.
fn group_lives(group: u32) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let group = group.to_string();
    ids.into_iter().any(|id| stat(id).get(2) == Some(&group))
}

/// Numbers that are the same each time (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
