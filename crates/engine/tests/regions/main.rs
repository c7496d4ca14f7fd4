//! Random small networks of timed automata, against a search of the region graph.
//!
//! The networks are plain data here. One function turns a network into a [`System`]; the oracle reads the
//! network itself and knows neither actions nor zones, so it checks how they are composed as well. Its
//! states carry a clock valuation that stands for its region (Alur and Dill, *A theory of timed
//! automata*, 1994), in whole units of 1/(2n+2) for n clocks.
//!
//! The engines on zone graphs must agree with it in every search order and covering, and every answer must be
//! accepted by `certify`. A disagreement is made smaller before it is shown. `REGIONS_CASES` sets the
//! number of networks, `REGIONS_SEED` the first one.
//!
//! What the networks have: up to three processes and clocks; urgent and committed locations; strict,
//! closed, exact and diagonal constraints, and guards where one of several fails; clocks set to
//! constants; binary and broadcast channels, urgent ones included; bounded integers in guards, updates
//! and targets; targets over locations, data, clocks and `deadlock`.
//!
//! A second test writes networks down as UPPAAL text and reads them by the front-end, so that it is
//! checked as well. These also have channels of CSP kind, arrays of channels with positions that depend
//! on data, clock bounds that depend on data in guards, invariants and targets, and updates that leave
//! the range of a variable, which must be found as faults. They have no guards where one of several
//! clock constraints fails, since the language has none.

extern crate thetis_engine as engine;

mod generalised;
mod listed;
mod oracle;
mod runs;
mod text;

use std::sync::atomic::AtomicBool;

use engine::{
    Answer, Cegar, ClockStrategy, Config, Covering, DataStrategy, Domain, Engine, Quiet, Reason, Search,
    Stop, Unsupported, ZoneStrategy,
};
use ir::{
    Channel, ChannelId, ChannelKind, Edge, Guarded, Id, Int, Location, LocationId, LocationKind, Process,
    ProcessId, Question, Role, Span, Sync, System, Term, Type, VarId, Variable,
};

use oracle::Expected;
use text::{read, written};

/// The greatest constant in constraints and resets.
const MOST: i64 = 3;
/// Integers go from 0 to here.
const DATA: i64 = 2;
/// Networks with more regions than this are left out.
const REGIONS: usize = 20_000;

#[derive(Clone, Debug)]
struct Net {
    clocks: usize,
    ints: usize,
    /// The kind of a channel, and whether it is urgent.
    channels: Vec<(ChannelKind, bool)>,
    processes: Vec<Automaton>,
    target: Goal,
}

#[derive(Clone, Debug)]
struct Automaton {
    locations: Vec<Spot>,
    edges: Vec<Arrow>,
}

#[derive(Clone, Debug)]
struct Spot {
    kind: LocationKind,
    invariant: Vec<Limit>,
}

#[derive(Clone, Debug)]
struct Arrow {
    from: usize,
    to: usize,
    clocks: Vec<Limit>,
    /// Whether it is enabled where one of `clocks` fails, rather than where all hold.
    negated: bool,
    data: Vec<(usize, Op, i64)>,
    resets: Vec<(usize, i64)>,
    updates: Vec<(usize, Update)>,
    sync: Option<Offer>,
}

/// Taking part in a channel.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Offer {
    channel: usize,
    /// Without meaning for channels of CSP kind.
    emits: bool,
    part: Part,
}

/// Which channel of an array of two.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Part {
    At(i64),
    /// An integer modulo two.
    Of(usize),
}

/// `clock - other` compared with a constant.
#[derive(Clone, Debug)]
struct Limit {
    clock: usize,
    other: Option<usize>,
    op: Op,
    constant: i64,
    /// An integer that is added to the constant.
    plus: Option<usize>,
}

#[derive(Copy, Clone, Debug)]
enum Op {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
}

#[derive(Clone, Debug)]
enum Update {
    Set(i64),
    /// Plus one, modulo the range.
    Next,
    /// Plus one, which is a fault beyond the range.
    More,
}

#[derive(Clone, Debug)]
struct Goal {
    location: Option<usize>,
    clocks: Vec<Limit>,
    /// Whether one of `clocks` must fail, rather than all hold.
    negated: bool,
    data: Option<(usize, i64)>,
    deadlock: bool,
}

// Making networks.

struct Dice {
    state: u64,
    /// Whether networks are for the front-end.
    text: bool,
}

impl Dice {
    fn new(seed: u64, text: bool) -> Self {
        let mut dice = Dice { state: seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15), text };
        for _ in 0..4 {
            dice.roll(2);
        }
        dice
    }
    fn roll(&mut self, sides: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 8) % sides as u64) as usize
    }
    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }
    fn op(&mut self) -> Op {
        [Op::Lt, Op::Le, Op::Eq, Op::Ge, Op::Gt][self.roll(5)]
    }
    fn limit(&mut self, clocks: usize, ints: usize, diagonals: bool) -> Limit {
        let clock = self.roll(clocks);
        let other = self.roll(clocks);
        if diagonals && other != clock && self.once_in(3) {
            let constant = self.roll(2 * MOST as usize + 1) as i64 - MOST;
            return Limit { clock, other: Some(other), op: self.op(), constant, plus: None };
        }
        let (plus, room) = self.plus(ints);
        Limit { clock, other: None, op: self.op(), constant: self.roll(room as usize + 1) as i64, plus }
    }
    /// An integer to add, and how large the constant beside it may be.
    fn plus(&mut self, ints: usize) -> (Option<usize>, i64) {
        match self.text && ints > 0 && self.once_in(3) {
            true => (Some(self.roll(ints)), MOST - DATA),
            false => (None, MOST),
        }
    }
    fn net(&mut self) -> Net {
        let clocks = 1 + self.roll(3);
        let ints = self.roll(3);
        let diagonals = clocks == 2 && self.once_in(2) || clocks == 3 && self.once_in(6);
        let kind = |dice: &mut Self| match dice.roll(if dice.text { 3 } else { 2 }) {
            0 => ChannelKind::Broadcast,
            1 => ChannelKind::Binary,
            _ => ChannelKind::Csp,
        };
        let channels = (0..self.roll(3)).map(|_| (kind(self), self.once_in(4))).collect::<Vec<_>>();
        let count = 1 + self.roll(3);
        let processes =
            (0..count).map(|_| self.automaton(clocks, ints, diagonals, &channels)).collect::<Vec<_>>();
        let deadlock = self.once_in(5);
        let target = Goal {
            location: (!deadlock || self.once_in(2)).then(|| processes[0].locations.len() - 1),
            clocks: (0..self.roll(4) / 2 * 2).map(|_| self.limit(clocks, ints, diagonals)).collect(),
            negated: self.once_in(2),
            data: (ints > 0 && self.once_in(4))
                .then(|| (self.roll(ints), self.roll(DATA as usize + 1) as i64)),
            deadlock,
        };
        Net { clocks, ints, channels, processes, target }
    }
    fn automaton(
        &mut self,
        clocks: usize,
        ints: usize,
        diagonals: bool,
        channels: &[(ChannelKind, bool)],
    ) -> Automaton {
        let count = 2 + self.roll(3);
        let locations = (0..count)
            .map(|_| Spot {
                kind: match self.roll(10) {
                    0 => LocationKind::Urgent,
                    1 => LocationKind::Committed,
                    _ => LocationKind::Normal,
                },
                invariant: (0..self.roll(2))
                    .map(|_| {
                        let (plus, room) = self.plus(ints);
                        Limit {
                            clock: self.roll(clocks),
                            other: None,
                            op: if self.once_in(3) { Op::Lt } else { Op::Le },
                            constant: 1 + self.roll(room as usize) as i64,
                            plus,
                        }
                    })
                    .collect(),
            })
            .collect();
        let edges = (0..count + self.roll(3))
            .map(|number| {
                let sync = (!channels.is_empty() && self.once_in(2)).then(|| {
                    let (channel, emits) = (self.roll(channels.len()), self.once_in(2));
                    let part = if !self.text {
                        Part::At(0)
                    } else if ints > 0 && self.once_in(2) {
                        Part::Of(self.roll(ints))
                    } else {
                        Part::At(i64::from(self.once_in(4)))
                    };
                    Offer { channel, emits, part }
                });
                let urgent = sync.is_some_and(|offer| channels[offer.channel].1);
                Arrow {
                    from: if number < count { number } else { self.roll(count) },
                    to: self.roll(count),
                    clocks: (0..if urgent { 0 } else { self.roll(3) })
                        .map(|_| self.limit(clocks, ints, diagonals))
                        .collect(),
                    negated: !urgent && !self.text && self.once_in(8),
                    data: (0..if ints > 0 { self.roll(2) } else { 0 })
                        .map(|_| (self.roll(ints), self.op(), self.roll(DATA as usize + 1) as i64))
                        .collect(),
                    resets: (0..self.roll(3))
                        .map(|_| {
                            let value = if self.once_in(4) { self.roll(MOST as usize + 1) as i64 } else { 0 };
                            (self.roll(clocks), value)
                        })
                        .collect(),
                    updates: (0..if ints > 0 { self.roll(2) } else { 0 })
                        .map(|_| {
                            let next = self.once_in(2);
                            let value = self.roll(DATA as usize + 1) as i64;
                            let more = self.text && self.once_in(4);
                            let update = match next {
                                _ if more => Update::More,
                                true => Update::Next,
                                false => Update::Set(value),
                            };
                            (self.roll(ints), update)
                        })
                        .collect(),
                    sync,
                }
            })
            .collect();
        Automaton { locations, edges }
    }
}

// Networks as systems.

fn build(net: &Net) -> (System, Question) {
    let mut system = System::default();
    let always = system.terms.bool(true);
    let name = |kind: &str, number: usize| Variable::state(format!("{kind}{number}"), Span::default());
    let clocks: Vec<VarId> =
        (0..net.clocks).map(|number| system.declare(Type::Clock, name("x", number))).collect();
    let range = Some((Int::from(0), Int::from(DATA)));
    let ints: Vec<VarId> = (0..net.ints)
        .map(|number| system.declare(Type::Int, Variable { range: range.clone(), ..name("n", number) }))
        .collect();
    for var in &ints {
        let zero = system.terms.int(0);
        system.initial.push((*var, zero));
    }
    for (number, (kind, urgent)) in net.channels.iter().enumerate() {
        system.channels.push(Channel { name: format!("c{number}"), kind: *kind, urgent: *urgent });
    }
    for (number, automaton) in net.processes.iter().enumerate() {
        let mut process = Process { name: format!("p{number}"), ..Process::default() };
        process.initial = Some(LocationId::at(0));
        for (number, spot) in automaton.locations.iter().enumerate() {
            let parts: Vec<Term> =
                spot.invariant.iter().map(|limit| limit_term(&mut system, &clocks, limit)).collect();
            let invariant = system.terms.and(parts);
            process.locations.push(Location::new(format!("l{number}"), invariant, spot.kind));
        }
        for arrow in &automaton.edges {
            let mut guard = vec![always];
            guard.push(limits_term(&mut system, &clocks, &arrow.clocks, arrow.negated));
            for (var, op, constant) in &arrow.data {
                let var = system.terms.var(ints[*var]);
                guard.push(compare_term(&mut system, var, *op, *constant));
            }
            let guard = system.terms.and(guard);
            let mut parts = vec![];
            for (clock, value) in &arrow.resets {
                let value = system.terms.int(*value);
                parts.push(system.terms.assign(clocks[*clock], value));
            }
            for (var, update) in &arrow.updates {
                let terms = &mut system.terms;
                let value = match update {
                    Update::Set(value) => terms.int(*value),
                    Update::Next => {
                        let (old, one, modulus) = (terms.var(ints[*var]), terms.int(1), terms.int(DATA + 1));
                        let sum = terms.add([old, one]);
                        terms.modulo(sum, modulus)
                    }
                    Update::More => unreachable!("only in text"),
                };
                parts.push(terms.assign(ints[*var], value));
            }
            let update = Guarded::safe(system.terms.seq(parts));
            let sync = arrow.sync.map(|offer| Sync {
                channel: ChannelId::at(offer.channel),
                index: None,
                role: if offer.emits { Role::Emit } else { Role::Receive },
            });
            let (source, target) = (LocationId::at(arrow.from), LocationId::at(arrow.to));
            let label = format!("{} to {}", arrow.from, arrow.to);
            process.edges.push(Edge { source, target, guard, update, sync, label, span: Span::default() });
        }
        system.processes.push(process);
    }
    let goal = &net.target;
    let mut parts = vec![always];
    parts.extend(goal.location.map(|at| system.terms.at(ProcessId::at(0), LocationId::at(at))));
    parts.push(limits_term(&mut system, &clocks, &goal.clocks, goal.negated));
    parts.extend(goal.data.map(|(var, constant)| {
        let var = system.terms.var(ints[var]);
        compare_term(&mut system, var, Op::Eq, constant)
    }));
    parts.extend(goal.deadlock.then(|| system.terms.deadlock()));
    let question = Question::Reach(system.terms.and(parts));
    (system, question)
}

/// All limits; or, if `negated`, that one of them fails.
fn limits_term(system: &mut System, clocks: &[VarId], limits: &[Limit], negated: bool) -> Term {
    let parts: Vec<Term> = limits.iter().map(|limit| limit_term(system, clocks, limit)).collect();
    let all = system.terms.and(parts);
    if negated && !limits.is_empty() { system.terms.not(all) } else { all }
}

fn limit_term(system: &mut System, clocks: &[VarId], limit: &Limit) -> Term {
    let clock = system.terms.var(clocks[limit.clock]);
    let left = match limit.other {
        None => clock,
        Some(other) => {
            let other = system.terms.var(clocks[other]);
            system.terms.sub(clock, other)
        }
    };
    compare_term(system, left, limit.op, limit.constant)
}

fn compare_term(system: &mut System, left: Term, op: Op, constant: i64) -> Term {
    let right = system.terms.int(constant);
    match op {
        Op::Lt => system.terms.lt(left, right),
        Op::Le => system.terms.le(left, right),
        Op::Eq => system.terms.eq(left, right),
        Op::Ge => system.terms.ge(left, right),
        Op::Gt => system.terms.gt(left, right),
    }
}

fn compare(left: i64, op: Op, right: i64) -> bool {
    match op {
        Op::Lt => left < right,
        Op::Le => left <= right,
        Op::Eq => left == right,
        Op::Ge => left >= right,
        Op::Gt => left > right,
    }
}

// The comparison.

/// What is wrong with the engines' answers, if anything.
fn disagreement(net: &Net, text: bool, expected: Expected) -> Option<String> {
    let (system, question) = match text {
        true => match read(net) {
            Ok(read) => read,
            Err(why) => return Some(why),
        },
        false => build(net),
    };
    // Simulation keeps neither differences of clocks nor what is impossible.
    let unsound = net.has_diagonals() || net.target.deadlock;
    for (config, simulates) in configurations() {
        // What makes it unsound may be folded away; here it is to be noticed.
        let config = Config { preprocess: !simulates, ..config };
        let wrong = |what: String| Some(format!("{config}, covering {}: {what}", config.covering));
        let search = || engine::search(&system, &question, &config, &Stop::new(), &mut Quiet);
        let Ok((answer, _)) = std::panic::catch_unwind(search) else {
            return wrong("panicked".to_owned());
        };
        let go_on = AtomicBool::new(false);
        if simulates && unsound && !matches!(answer, Answer::Unknown(_)) {
            return wrong("answered where it is not sound".to_owned());
        }
        match answer {
            Answer::Found(run) => match certify::check_run(&system, &question, &run, &go_on) {
                Ok(certify::Reached::Target) if expected.target => {}
                Ok(certify::Reached::Fault(_)) if expected.fault => {}
                Ok(_) => return wrong("reached what cannot be, and certified that".to_owned()),
                other => return wrong(format!("run: {other:?}")),
            },
            Answer::Excluded(certificate) => {
                let checked = certify::check_certificate(&system, &question, &certificate, &go_on);
                match (expected != Expected::default(), checked) {
                    (false, Ok(())) => {}
                    (true, Ok(())) => return wrong("missed the target, and certified that".to_owned()),
                    (true, _) => return wrong("missed the target".to_owned()),
                    (false, Err(why)) => return wrong(format!("certificate: {why}")),
                }
            }
            Answer::Unknown(Reason::Unsupported(_)) if simulates && unsound => {}
            // Local time does not go with whatever is about all processes at once.
            Answer::Unknown(Reason::Unsupported(Unsupported::Unsound { .. }))
                if config.engine == Engine::Local => {}
            // Splitting refuses simulation where it meets a difference of clocks, and that may be nowhere.
            Answer::Unknown(Reason::Unsupported(Unsupported::Unsound { .. }))
                if config.engine == Engine::Combined
                    && config.zone_strategy == ZoneStrategy::Lu
                    && unsound => {}
            // A question may touch clocks in very many ways, which splitting refuses by name.
            Answer::Unknown(Reason::Unsupported(Unsupported::ManyWays { .. }))
                if config.engine == Engine::Combined => {}
            Answer::Unknown(reason) => return wrong(format!("unknown: {reason}")),
        }
    }
    None
}

/// All configurations, with whether each keeps zones up to simulation only.
fn configurations() -> Vec<(Config, bool)> {
    let mut list = vec![];
    for search in Search::ALL.iter().copied() {
        for covering in Covering::ALL.iter().copied() {
            for engine in [Engine::Zone, Engine::ZoneCegar] {
                let config = Config { engine, search, covering, ..Config::default() };
                list.push((config, covering == Covering::Alu));
            }
        }
        list.push((Config { engine: Engine::Local, search, ..Config::default() }, true));
        for zone_strategy in ZoneStrategy::ALL.iter().copied() {
            for data in DataStrategy::ALL.iter().copied() {
                let config =
                    Config { engine: Engine::Lazy, search, zone_strategy, data, ..Config::default() };
                list.push((config, zone_strategy == ZoneStrategy::Lu));
            }
        }
    }
    for (domain, clock_strategy, zone_strategy) in [
        (Domain::Expl, ClockStrategy::CfSplitFilter, ZoneStrategy::BwItp),
        (Domain::PredCart, ClockStrategy::CfSplitAll, ZoneStrategy::FwItp),
        (Domain::Expl, ClockStrategy::CfSplitAll, ZoneStrategy::Lu),
        (Domain::PredCart, ClockStrategy::CfSplitFilter, ZoneStrategy::Lu),
    ] {
        let cegar = Cegar { domain, ..Cegar::default() };
        let (engine, clock_strategy) = (Engine::Combined, Some(clock_strategy));
        let config = Config { engine, cegar, clock_strategy, zone_strategy, ..Config::default() };
        list.push((config, false));
    }
    list
}

/// All networks that lack one thing of `net`.
fn smaller(net: &Net) -> Vec<Net> {
    let mut result = vec![];
    let mut without = |change: &dyn Fn(&mut Net)| {
        let mut copy = net.clone();
        change(&mut copy);
        result.push(copy);
    };
    for p in 1..net.processes.len() {
        without(&|net| drop(net.processes.remove(p)));
    }
    for (p, process) in net.processes.iter().enumerate() {
        for (e, edge) in process.edges.iter().enumerate() {
            without(&|net| drop(net.processes[p].edges.remove(e)));
            for at in 0..edge.clocks.len() {
                without(&|net| _ = net.processes[p].edges[e].clocks.remove(at));
            }
            for at in 0..edge.data.len() {
                without(&|net| _ = net.processes[p].edges[e].data.remove(at));
            }
            for at in 0..edge.resets.len() {
                without(&|net| _ = net.processes[p].edges[e].resets.remove(at));
            }
            for at in 0..edge.updates.len() {
                without(&|net| _ = net.processes[p].edges[e].updates.remove(at));
            }
            if edge.sync.is_some() {
                without(&|net| net.processes[p].edges[e].sync = None);
            }
        }
        for (l, location) in process.locations.iter().enumerate() {
            for at in 0..location.invariant.len() {
                without(&|net| _ = net.processes[p].locations[l].invariant.remove(at));
            }
            if location.kind != LocationKind::Normal {
                without(&|net| net.processes[p].locations[l].kind = LocationKind::Normal);
            }
        }
    }
    for at in 0..net.target.clocks.len() {
        without(&|net| _ = net.target.clocks.remove(at));
    }
    if net.target.data.is_some() {
        without(&|net| net.target.data = None);
    }
    result
}

fn shrink(mut net: Net, text: bool, mut what: String) -> (Net, String) {
    'again: loop {
        for candidate in smaller(&net) {
            if let Some(expected) = candidate.reaches()
                && let Some(still) = disagreement(&candidate, text, expected)
            {
                (net, what) = (candidate, still);
                continue 'again;
            }
        }
        return (net, what);
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn zones_agree_with_regions() {
    compare_with_regions(false);
}

#[test]
fn zones_agree_with_regions_on_networks_in_text() {
    compare_with_regions(true);
}

/// Abstraction refinement, for which time is encoded as data, and the same by bounded search.
#[test]
fn encoded_time_agrees_with_the_region_graph() {
    let limits = Config {
        state_limit: Some(500),
        call_limit: Some(300),
        work_limit: Some(1_000_000),
        ..Config::default()
    };
    let refinement = Config { engine: Engine::Cegar, ..limits.clone() };
    let bounded = Config { engine: Engine::Bmc, bound: Some(4), ..limits };
    let (mut asked, mut answered) = (0, 0);
    for seed in 0..number("REGIONS_CASES", 60) {
        let net = Dice::new(seed, true).net();
        let Some(expected) = net.reaches() else { continue };
        let (system, question) = read(&net).unwrap();
        let some = expected != Expected::default();
        for config in [&refinement, &bounded] {
            let go_on = AtomicBool::new(false);
            let wrong = |what: &str| format!("seed {seed}, {config}: {what}\n{}", written(&net));
            asked += usize::from(config.engine == Engine::Cegar);
            match engine::search(&system, &question, config, &Stop::new(), &mut Quiet).0 {
                Answer::Found(run) => {
                    let reached = certify::check_run(&system, &question, &run, &go_on);
                    assert!(reached.is_ok() && some, "{}", wrong(&format!("{reached:?}")));
                }
                Answer::Excluded(certificate) => {
                    let checked = certify::check_certificate(&system, &question, &certificate, &go_on);
                    assert!(checked.is_ok() && !some, "{}", wrong(&format!("{checked:?}")));
                }
                Answer::Unknown(Reason::Internal(why)) => panic!("{}", wrong(&why.to_string())),
                Answer::Unknown(_) => continue,
            }
            answered += usize::from(config.engine == Engine::Cegar);
        }
    }
    println!("{answered} of {asked} answered by abstraction refinement");
    assert!(answered * 4 > asked * 3, "only {answered} of {asked} are answered");
}

fn compare_with_regions(text: bool) {
    let first = number("REGIONS_SEED", 0);
    let (mut target, mut fault, mut neither) = (0, 0, 0);
    for seed in first..first + number("REGIONS_CASES", 300) {
        let net = Dice::new(seed, text).net();
        let Some(expected) = net.reaches() else { continue };
        target += u32::from(expected.target);
        fault += u32::from(expected.fault);
        neither += u32::from(expected == Expected::default());
        if let Some(what) = disagreement(&net, text, expected) {
            let (net, what) = shrink(net, text, what);
            let written = if text { written(&net) } else { format!("{net:#?}") };
            panic!("seed {seed}: {what}\nexpected: {:?}\n{written}", net.reaches());
        }
    }
    println!("{target} with the target, {fault} with a fault, {neither} with neither");
    assert!(target > 0 && neither > 0 && (fault > 0) == text, "all answers occur");
}
