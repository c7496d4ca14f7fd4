//! Speed of the zone engine and of its certificates on networks of timed automata.
//!
//! Each case is a process of its own, so that its peak memory is its own and one core does all of it.
//! Where the system tells, time is the processor time of that process; the search and the check of its
//! certificate are measured apart. `peer` lines are ratios to figures of the best open tool on the same
//! network, recorded once on a machine of this kind; an `aim` line is the most that the number of the same
//! name should be.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Answer, Config, Engine, Quiet, Reason, Search, Stop};
use ir::Claim;
use lang::xta;
use serde_json::{Map, Value, json};

use crate::{Numbers, networks};

/// The argument that makes this program measure one case and print its numbers.
pub const CHILD: &str = "--zone-case";

/// A search that takes longer is given up.
const LIMIT: Duration = Duration::from_secs(180);

/// What is measured: a network, a question or the whole space, and an order.
pub struct Case {
    /// Begins with `zone`, so that it can be asked for.
    pub name: &'static str,
    source: Source,
    query: Option<&'static str>,
    search: Search,
    peer: Option<Peer>,
}

enum Source {
    Made(fn(usize) -> String, usize),
    /// A model beside the workspace.
    Corpus(&'static str),
}

/// Figures of the best open tool.
struct Peer {
    seconds: f64,
    visited: f64,
    stored: f64,
}

const COLLISIONS: &str = "A[] ((A_eof == 1 imply (A_diff == 0 and B_res == 0)) and \
                          (B_eof == 1 imply (B_diff == 0 and A_res == 0)))";
const CROSSING: &str = "A[] not (controller.controller3 && cnt > 0)";

/// All cases, quick ones first.
pub fn cases() -> Vec<Case> {
    use Source::{Corpus, Made};
    let case = |name, source, query, search, peer: Option<(f64, f64, f64)>| {
        let peer = peer.map(|(seconds, visited, stored)| Peer { seconds, visited, stored });
        Case { name, source, query, search, peer }
    };
    let (bfs, dfs) = (Search::Bfs, Search::Dfs);
    vec![
        case(
            "zone critical-region 4",
            Made(networks::critical_region, 4),
            None,
            bfs,
            Some((2.3, 76_130.0, 53_697.0)),
        ),
        case(
            "zone bocdpFIXED",
            Corpus("bocdpFIXED"),
            Some(COLLISIONS),
            bfs,
            Some((1.0, 136_662.0, 136_662.0)),
        ),
        case(
            "zone train_gate 5",
            Made(networks::train_gate, 5),
            None,
            bfs,
            Some((3.2, 215_375.0, 215_375.0)),
        ),
        case("zone fddi 30", Made(networks::fddi, 30), None, dfs, Some((52.0, 4_565.0, 4_565.0))),
        case("zone fddi 60", Made(networks::fddi, 60), None, dfs, None),
        case("zone csmacd 11", Made(networks::csmacd, 11), None, bfs, Some((28.0, 369_666.0, 369_666.0))),
        case("zone fischer 10", Made(networks::fischer, 10), None, bfs, Some((33.0, 447_598.0, 260_998.0))),
        case("zone fischer 12", Made(networks::fischer, 12), None, bfs, None),
        case("zone TrainAHV93-6", Corpus("TrainAHV93-6"), Some(CROSSING), bfs, None),
        case("zone TrainAHV93-7", Corpus("TrainAHV93-7"), Some(CROSSING), bfs, None),
    ]
}

impl Case {
    /// Measures in a process of its own; `None` if the model is not at hand.
    pub fn measure(&self, root: &Path) -> Option<Numbers> {
        if let Source::Corpus(_) = self.source {
            self.text(root)?;
        }
        let program = std::env::current_exe().expect("a program knows where it is");
        let output = Command::new(program).args([CHILD, self.name]).env("THETIS_ROOT", root).output();
        let output = output.expect("a program can be run again");
        let said = String::from_utf8_lossy(&output.stdout);
        let Ok(Value::Object(found)) = serde_json::from_str(&said) else {
            println!("  (ended by {}: {})", output.status, String::from_utf8_lossy(&output.stderr).trim());
            return Some(vec![]);
        };
        if let Some(Value::String(note)) = found.get("note") {
            println!("  ({note})");
        }
        Some(self.numbers(&found))
    }
    fn numbers(&self, found: &Map<String, Value>) -> Numbers {
        let number = |what: &str| found.get(what).and_then(Value::as_f64);
        let mut numbers = vec![];
        let names = [
            "clocks",
            "load s",
            "search s",
            "certify s",
            "search MB",
            "certify MB",
            "visited",
            "stored",
            "transitions",
            "covered",
            "us/transition",
            "bytes/stored",
        ];
        numbers.extend(names.into_iter().filter_map(|name| Some((name, number(name)?))));
        numbers.extend(self.aims(&number));
        if let Some(peer) = &self.peer {
            let seconds = number("load s").unwrap_or(0.0) + number("search s").unwrap_or(0.0);
            numbers.push(("peer/ours time", peer.seconds / seconds));
            for (name, what, theirs) in
                [("ours/peer visited", "visited", peer.visited), ("ours/peer stored", "stored", peer.stored)]
            {
                numbers.extend(number(what).map(|ours| (name, ours / theirs)));
            }
        }
        numbers
    }
    /// The most that some of the numbers should be.
    fn aims(&self, number: &dyn Fn(&str) -> Option<f64>) -> Numbers {
        let mut aims = vec![];
        if number("clocks").is_some_and(|clocks| clocks <= 16.0) {
            aims.push(("aim us/transition", 1.0));
        }
        if number("stored").is_some_and(|stored| stored >= 100_000.0) {
            aims.push(("aim bytes/stored", 400.0));
        }
        match self.name {
            "zone fddi 60" => aims.extend([("aim search s", 10.0), ("aim search MB", 1000.0)]),
            "zone TrainAHV93-6" => aims.push(("aim search s", 60.0)),
            _ => {}
        }
        aims
    }
    fn text(&self, root: &Path) -> Option<String> {
        match self.source {
            Source::Made(make, n) => Some(make(n)),
            Source::Corpus(name) => {
                let file = root.join("../shared/corpus/xta").join(format!("{name}.xta"));
                std::fs::read_to_string(file).ok()
            }
        }
    }
}

/// Measures the case of this name and prints what it found as JSON.
pub fn child(name: &str, root: &Path) {
    let case = cases().into_iter().find(|case| case.name == name).expect("a case of this name");
    let text = case.text(root).expect("the model is at hand");
    let mut found = Map::new();
    let mut put = |what: &str, value: f64| found.insert(what.to_owned(), json!(value));

    let start = Clock::now();
    let mut model =
        xta::load(&text, xta::Format::Xta).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    let claim = match case.query {
        Some(query) => model.parse_property("query", query).expect("a query of the model").claim,
        None => Claim::Always(model.system.terms.bool(true)),
    };
    let question = model.system.question(claim);
    put("load s", start.elapsed());
    put("clocks", model.system.clocks().count() as f64);

    let stop = Arc::new(Stop::new());
    let over = Arc::new(AtomicBool::new(false));
    let (watched, ended) = (stop.clone(), over.clone());
    let watcher = std::thread::spawn(move || {
        let begin = Instant::now();
        while !ended.load(Ordering::Acquire) {
            if begin.elapsed() > LIMIT {
                return watched.request(Reason::Time);
            }
            std::thread::park_timeout(Duration::from_millis(200));
        }
    });
    let config = Config { engine: Engine::Zone, search: case.search, ..Config::default() };
    let start = Clock::now();
    let (answer, statistics) = engine::search(&model.system, &question, &config, &stop, &mut Quiet);
    let seconds = start.elapsed();
    over.store(true, Ordering::Release);
    watcher.thread().unpark();
    let _ = watcher.join();

    put("search s", seconds);
    put("visited", statistics.expanded as f64);
    put("stored", statistics.states as f64);
    put("transitions", statistics.transitions as f64);
    put("covered", statistics.covered as f64);
    put("us/transition", seconds * 1e6 / statistics.transitions.max(1) as f64);
    put("bytes/stored", statistics.bytes as f64 / statistics.states.max(1) as f64);
    if let Some(bytes) = peak() {
        put("search MB", bytes / 1e6);
    }
    let start = Clock::now();
    let note = match &answer {
        Answer::Excluded(certificate) => {
            let checked =
                certify::check_certificate(&model.system, &question, certificate, &AtomicBool::new(false));
            checked.map_or_else(
                |error| format!("unreachable, REFUSED: {error:?}"),
                |()| "unreachable, certified".to_owned(),
            )
        }
        Answer::Found(_) => "reachable".to_owned(),
        Answer::Unknown(reason) => format!("unknown: {reason}"),
    };
    if matches!(answer, Answer::Excluded(_)) {
        put("certify s", start.elapsed());
        if let Some(bytes) = peak() {
            put("certify MB", bytes / 1e6);
        }
    }
    found.insert("note".to_owned(), json!(note));
    println!("{}", Value::Object(found));
}

/// Processor time of this thread where the system tells, else time.
struct Clock {
    begin: Instant,
    used: Option<f64>,
}

impl Clock {
    fn now() -> Self {
        Clock { begin: Instant::now(), used: used() }
    }
    /// Seconds since then.
    fn elapsed(&self) -> f64 {
        match (self.used, used()) {
            (Some(before), Some(after)) => after - before,
            _ => self.begin.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds this thread, which is the only one that works, has run on a processor.
fn used() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
}

/// The most memory this process has had resident, in bytes.
fn peak() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    Some(kilobytes * 1024.0)
}
