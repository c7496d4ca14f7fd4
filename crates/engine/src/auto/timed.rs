//! The order in which engines are asked about a timed system.
//!
//! Which engine is quick depends on what a model consists of. In a *network*, control is in the locations, data
//! are few, and zones tell nearly everything; what helps beyond them are paths without clocks, where locations or
//! data exclude the target by themselves, and lazy abstraction, where few variables or bounds decide. In a model
//! *of data*, a step is a long statement that makes variables arbitrary and asks for their values: there are many
//! successors of each state, and most of what they say is of no interest. So abstraction of data comes early there,
//! with time as data like any other, which needs few questions where few facts decide, and with zones for time,
//! which is better where many moments of time matter.
//!
//! Two things make zones slow that states do not tell. A zone is a square of clocks, so where these are *many*,
//! abstraction comes after few zones in a network, too. And a single step may have more ways than anybody can follow,
//! where it asks about clocks again and again: solvers follow all of them at once, so where zones have used up what
//! they may for steps, those who ask solvers are next.
//!
//! Each stage has a budget of states and of successors or questions, and never of time; the last one may use what
//! the user allows.

use std::collections::VecDeque;

use ir::{Id, Node, Scope, StmtNode, System, Term, Type, VarId};
use rustc_hash::FxHashSet;

use super::{CALLS, GROWTH, NODES, WORK};
use crate::answer::{Answer, Reason};
use crate::config::{Cegar, Config, Covering, Domain, Engine, Search, ZoneStrategy};
use crate::observer::{Attempt, Observer};
use crate::several::Found;
use crate::stop::Stop;

/// Answers questions about a timed system by [`stages`], one after the other.
pub(super) fn search(
    system: &System,
    targets: &[Term],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Found),
) {
    let why = why(system, config);
    let is_network = Contents::of(system).inputs == 0;
    let mut stages = stages(system, targets, config);
    let mut open: Vec<usize> = (0..targets.len()).collect();
    let mut attempts: Vec<Attempt> = vec![];
    while let Some(Stage { config, .. }) = stages.pop_front() {
        let left: Vec<Term> = open.iter().map(|at| targets[*at]).collect();
        let (mut still, mut failed) = (vec![], None);
        observer.turn(&attempts, &[config.to_string()]);
        crate::search_all(system, &left, &config, stop, observer, &mut |mut found| {
            found.questions.iter_mut().for_each(|at| *at = open[*at]);
            match found.answer {
                Answer::Unknown(reason) if !stages.is_empty() && !stop.requested() => {
                    still.append(&mut found.questions);
                    failed = Some((reason, found.statistics));
                }
                _ => {
                    found.statistics.answered_by = Some(config.to_string());
                    found.statistics.order = Some(why.clone());
                    found.statistics.attempts.clone_from(&attempts);
                    tell(found);
                }
            }
        });
        let Some((reason, statistics)) = failed else { return };
        if statistics.zone_cegar.is_some_and(|counts| counts.paths > 0) {
            stages.retain(|stage| !stage.pathless);
        }
        if is_network && matches!(reason, Reason::Steps(_)) {
            // The order stays as it is otherwise, so that the zone graph still has the last word.
            stages.make_contiguous().sort_by_key(|stage| !asks_solvers(stage.config.engine));
        }
        let configuration = config.to_string();
        // Only the last word of each counts.
        attempts.retain(|other| other.configuration != configuration);
        attempts.push(Attempt { configuration, reason, states: statistics.states });
        still.sort_unstable();
        open = still;
    }
}

/// What of a timed system decides who is asked first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Contents {
    clocks: usize,
    /// Variables that statements make arbitrary.
    inputs: usize,
    /// Whether differences of clocks are compared.
    differences: bool,
    /// Whether there is one process only, so that much of control may be in data.
    alone: bool,
}

impl Contents {
    fn of(system: &System) -> Self {
        let mut inputs: FxHashSet<VarId> = FxHashSet::default();
        let updates =
            system.processes.iter().flat_map(|process| process.edges.iter()).map(|edge| edge.update);
        for stmt in updates.flat_map(|update| [Some(update.stmt), update.fault]).flatten() {
            system.terms.for_each_substmt(stmt, |part| {
                if let StmtNode::Havoc(var) = *system.terms.stmt(part)
                    && system.vars[var].scope == Scope::State
                {
                    inputs.insert(var);
                }
            });
        }
        let is_clock = |var: &VarId| system.terms.var_type(*var) == Type::Clock;
        let compares = |at: usize| match system.terms.node(Term::at(at)) {
            Node::Lt(..) | Node::Le(..) | Node::Eq(..) => {
                system.terms.vars_of(Term::at(at)).iter().filter(|var| is_clock(var)).count() > 1
            }
            _ => false,
        };
        Contents {
            clocks: system.clocks().count(),
            inputs: inputs.len(),
            differences: (0..system.terms.len()).any(compares),
            alone: system.processes.len() == 1,
        }
    }
    /// Whether a short look at data comes right after few zones: where zones are large, or many because
    /// abstraction is coarse with differences, or where few facts about data may decide.
    fn looks_at_data(self) -> bool {
        self.inputs == 0 && (self.clocks >= MANY || self.differences || self.alone)
    }
}

/// Why engines are asked in the order in which they are, in a line.
pub(super) fn why(system: &System, config: &Config) -> String {
    let contents = Contents::of(system);
    let Contents { clocks, inputs, differences, .. } = contents;
    let shown = system.clocks().filter(|clock| system.vars[*clock].shown).count();
    let count = |count: usize, what: &str| match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let differences = if differences { " with differences" } else { "" };
    let has = format!("{}{differences} and {}", count(shown, "clock"), count(inputs, "input"));
    match inputs {
        _ if wants_zones(config, clocks) => "zones only, by the options that were given".to_owned(),
        _ if clocks >= MANY => {
            format!("{has}: few zones first, which are large with many clocks, then abstraction of data")
        }
        0 if contents.looks_at_data() => {
            format!(
                "{has}: few zones first, then a short look at data, then zones, paths and lazy abstraction"
            )
        }
        0 => format!("{has}: zones first, then paths without clocks and lazy abstraction"),
        _ => format!("{has}: few zones first, then abstraction of data"),
    }
}

/// Somebody who is asked about a timed system.
pub(super) struct Stage {
    pub(super) config: Config,
    /// Whether it is asked only as long as no path without clocks to a target has been met.
    pathless: bool,
}

/// How many successors there may be for each state, and how many steps of updates; and at first in a network.
const STEPS_EACH: u64 = 1_000;
const FIRST_EACH: u64 = 100;

/// How many clocks are many: a zone of these has some thousand bounds.
const MANY: usize = 70;

/// How many successors there may be at first in a model of data, and how often an update may go back to a choice.
const FIRST: u64 = 1_000_000;

/// How many times as many states the second round has as the first search: that ends nearly everything.
const SECOND: u64 = 50;

/// How many states there are to be listed at first; a zone is a square of clocks.
fn few(clocks: usize) -> u64 {
    (2_500_000 / (clocks as u64 + 1).pow(2)).clamp(100, 10_000)
}

/// Whether an engine follows all ways of a step at once.
fn asks_solvers(engine: Engine) -> bool {
    matches!(engine, Engine::Cegar | Engine::Combined | Engine::Kind)
}

/// Whoever wants an order, a covering or few states wants zones.
fn wants_zones(config: &Config, clocks: usize) -> bool {
    config.search != Search::Bfs
        || config.covering != Covering::Inclusion
        || config.state_limit.is_some_and(|limit| limit <= few(clocks))
}

/// Who is asked about a timed system, in order, and with how many states.
///
/// Zones breadth first, which gives short runs, as long as there are few. Then, while that is cheap, for a network
/// a look at the paths without clocks, which show what data or locations exclude by themselves, for a little longer
/// if no path is met; and at lazy abstraction, which ends where few variables or bounds decide; for a model of data,
/// abstraction of these. Then larger zones first, which on large models needs hardly more zones than breadth first,
/// and on some far fewer; and between many and very many of these, zones by interpolation, which are few where
/// hardly any bound matters. Where clocks are many, those who ask solvers have a look before all this. After that everybody else may use as much, and the zone graph has the last
/// word. Lazy abstraction chooses by itself what is sound with differences of clocks and `deadlock`; of a
/// `deadlock`, paths without clocks say little, since it is clocks that make it.
pub(super) fn stages(system: &System, targets: &[Term], config: &Config) -> VecDeque<Stage> {
    let contents = Contents::of(system);
    let few = few(contents.clocks);
    let least = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |limit| limit.min(most)));
    let stage = |engine, search, most: u64| {
        let mut config = Config { engine, search, ..config.clone() };
        if most < u64::MAX {
            config.state_limit = least(config.state_limit, most);
            // Updates may run for ever where no clock forbids them.
            config.step_limit = least(config.step_limit, most.saturating_mul(STEPS_EACH));
        }
        Stage { config, pathless: false }
    };
    if wants_zones(config, contents.clocks) {
        return VecDeque::from([stage(Engine::Zone, config.search, u64::MAX)]);
    }
    let zones = |most: u64, steps: u64| {
        let mut stage = stage(Engine::Zone, Search::Bfs, most);
        stage.config.step_limit = least(config.step_limit, steps);
        stage
    };
    let data = |engine, nodes: u64, calls: u64| {
        let mut stage = stage(engine, Search::Bfs, nodes);
        stage.config.call_limit = least(config.call_limit, calls);
        stage.config.work_limit = Some(config.work_limit.unwrap_or(u32::MAX).min(WORK));
        stage
    };
    // Values are what control consists of.
    let beside = |nodes: u64, calls: u64| {
        let mut stage = data(Engine::Combined, nodes, calls);
        stage.config.cegar = Cegar { domain: Domain::Expl, ..Cegar::default() };
        stage
    };
    let cubes = |nodes: u64, calls: u64| {
        let mut stage = data(Engine::Cegar, nodes, calls);
        stage.config.cegar = Cegar { domain: Domain::PredSplit, ..Cegar::default() };
        stage
    };
    let paths = |most| stage(Engine::ZoneCegar, Search::Bfs, most);
    let lazy = |most| stage(Engine::Lazy, Search::Dfs, most);
    let interpolating = |most| {
        let mut stage = stage(Engine::Lazy, Search::Bfs, most);
        stage.config.zone_strategy = ZoneStrategy::BwItp;
        stage
    };
    let larger = |most| stage(Engine::Zone, Search::Priority, most);
    let (look, nodes, calls) = ((few / 4).max(500), NODES * GROWTH, CALLS * GROWTH);
    let many = contents.clocks >= MANY;
    let mut list: VecDeque<Stage> = match contents.inputs {
        0 => VecDeque::from([
            zones(few, FIRST_EACH * few),
            paths(look),
            lazy(look),
            Stage { pathless: true, ..paths((2 * few).max(2_000)) },
            larger(GROWTH * few),
            interpolating(2 * GROWTH * few),
            larger(SECOND * few),
            data(Engine::Cegar, nodes, calls),
            beside(nodes, calls),
            data(Engine::Kind, nodes, calls),
            paths(SECOND * few),
            lazy(SECOND * few),
            larger(u64::MAX),
        ]),
        _ => VecDeque::from([
            zones(few, if many { FIRST_EACH * few } else { FIRST }),
            data(Engine::Cegar, NODES, 2 * CALLS),
            beside(nodes, 2 * CALLS),
            cubes(nodes, calls),
            zones(few, GROWTH * FIRST),
            lazy(look),
            data(Engine::Cegar, nodes, calls),
            beside(SECOND * few, calls),
            larger(SECOND * few),
            data(Engine::Kind, nodes, calls),
            paths(SECOND * few),
            lazy(SECOND * few),
            larger(u64::MAX),
        ]),
    };
    if contents.looks_at_data() {
        list.insert(1, data(Engine::Cegar, NODES, if many { 2 * CALLS } else { CALLS }));
        if many {
            list.insert(2, data(Engine::Kind, NODES, 2 * CALLS));
        }
    }
    if contents.differences {
        // That is what lazy abstraction chooses by itself then.
        list.retain(|stage| stage.config.zone_strategy != ZoneStrategy::BwItp);
    }
    if targets.iter().all(|target| ir::mentions_deadlock(system, *target)) {
        list.retain(|stage| stage.config.engine != Engine::ZoneCegar);
    }
    list
}
