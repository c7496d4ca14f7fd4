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
//! Two things make zones slow that states do not tell. A zone is a square of clocks, and an update goes through it for
//! every clock that it compares or sets, so there are fewer steps the larger that is; and where clocks are *many*,
//! those who ask solvers come before zones. And a single step may have more ways than anybody can follow,
//! where it asks about clocks again and again: solvers follow all of them at once, so where zones have used up what
//! they may for steps, those who ask solvers are next.
//!
//! Each stage has a budget of states and of successors or questions, and never of time; the last one may use what
//! the user allows. Options that only some engines know are for these: the others are asked all the same.
//!
//! Several questions are asked together first. Where that fails, the budget is for each by itself: a hard question
//! need not make an easy one wait. Only the list of all zones is the same for all of them, unless there is less to
//! be listed for one.

use std::collections::VecDeque;

use ir::{Question, System};

use super::contents::{Contents, Order};
use super::{CALLS, DEPTH, Failed, GROWTH, LOOK, NODES, Questions, ROUNDS, WORK, exhausted};
use crate::answer::{Answer, Reason};
use crate::config::{Cegar, Config, Covering, Domain, Engine, Search, ZoneStrategy};
use crate::observer::{Attempt, Observer, Statistics};
use crate::several::Answered;
use crate::stop::Stop;

/// Answers questions about a timed system by [`stages`], one after the other.
pub(super) fn search(
    system: &System,
    questions: &[Question],
    limits: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    let mut open: Vec<usize> = (0..questions.len()).collect();
    let mut asking = Questions::new(system, questions, limits);
    let contents = contents(&mut asking, &open, stop);
    let mut stages = stages(contents, (system, questions), limits);
    let (mut attempts, mut last, mut asked): (Vec<Attempt>, Statistics, Vec<Engine>) = Default::default();
    while !open.is_empty()
        && !stop.requested()
        && let Some(Stage { config, .. }) = stages.pop_front()
    {
        asked.push(config.engine);
        let to_come = stages.iter().map(|stage| stage.config.engine);
        let order = order(contents, system, asked.iter().copied().chain(to_come));
        observer.turn(&attempts, std::slice::from_ref(&config));
        let failed = ask(&mut asking, &config, &mut open, stop, observer, &mut |mut found| {
            found.statistics.answered_by = Some(config.clone());
            found.statistics.order = Some(order.clone());
            found.statistics.attempts.clone_from(&attempts);
            tell(found);
        });
        let met =
            |statistics: &Statistics| statistics.zone_cegar.as_ref().is_some_and(|counts| counts.paths > 0);
        if failed.iter().all(|(.., statistics)| met(statistics)) {
            stages.retain(|stage| !stage.pathless);
        }
        let spent = |(_, reason, _): &(_, Reason, _)| matches!(reason, Reason::Steps(_));
        if contents.inputs == 0 && failed.iter().any(spent) {
            // The order stays as it is otherwise, so that the zone graph still has the last word.
            stages.make_contiguous().sort_by_key(|stage| !asks_solvers(stage.config.engine));
        }
        // Whoever has no more than before, or has used up what the user allows, would do the same again.
        stages.retain(|stage| stage.config != config);
        let is_final = |(_, reason, _): &(_, Reason, _)| match reason {
            Reason::States(most) => limits.state_limit.is_some_and(|limit| limit <= *most),
            Reason::Steps(most) => limits.step_limit.is_some_and(|limit| limit <= *most),
            _ => false,
        };
        if failed.iter().all(is_final) {
            stages.retain(|stage| stage.config.without_limits() != config.without_limits());
        }
        let Some((_, reason, mut statistics)) = failed.into_iter().next() else { continue };
        // Only the last word of each counts.
        attempts.retain(|other| !other.is_of(&config));
        attempts.push(Attempt { configuration: config, reason, states: statistics.states });
        statistics.order = Some(order);
        last = statistics;
    }
    if !open.is_empty() {
        let reason = if stop.requested() { stop.reason() } else { exhausted(&attempts) };
        let statistics = Statistics { attempts, ..last };
        tell(Answered { questions: open, answer: Answer::Unknown(reason), statistics });
    }
}

/// Asks one configuration about all that is open, and then about each where that is another search.
fn ask(
    questions: &mut Questions,
    config: &Config,
    open: &mut Vec<usize>,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) -> Failed {
    let before = open.len();
    let call_limit = Some(config.call_limit.map_or(LOOK, |limit| limit.min(LOOK)));
    let brief = Config { call_limit, ..config.clone() };
    // What is easy by itself does not wait for what is not, unless they are so many that this takes longer.
    let looks = asks_solvers(config.engine) && before > 1;
    let looks_first = looks && config.call_limit.is_none_or(|limit| before as u64 * LOOK <= limit);
    if looks_first {
        questions.ask_about(&brief, open, stop, observer, tell);
        questions.ask_each(&brief, open, stop, observer, tell);
    }
    if open.is_empty() {
        return vec![];
    }
    if stop.requested() {
        return vec![(open.clone(), stop.reason(), Statistics::default())];
    }
    let mut failed = questions.ask_about(config, open, stop, observer, tell);
    let apart = failed.iter().all(|(questions, ..)| questions.len() == 1);
    let alone = before == 1 || config.engine == Engine::Kind || (apart && open.len() > 1);
    if alone || open.is_empty() || stop.requested() {
        return failed;
    }
    match config.engine {
        Engine::Zone => {
            let size = |questions: &mut Questions, open: &[usize]| {
                let (system, _) = questions.prepared(config.engine, open, stop);
                system.state_vars().count()
            };
            let whole = size(questions, open);
            for at in open.clone() {
                let mut one = vec![at];
                if stop.requested() || size(questions, &one) >= whole {
                    continue;
                }
                failed.iter_mut().for_each(|(questions, ..)| questions.retain(|other| *other != at));
                failed.extend(questions.ask_about(config, &mut one, stop, observer, tell));
                open.retain(|other| *other != at || !one.is_empty());
            }
            failed.retain(|(questions, ..)| !questions.is_empty());
            failed
        }
        _ => {
            if looks && !looks_first {
                questions.ask_each(&brief, open, stop, observer, tell);
            }
            questions.ask_each(config, open, stop, observer, tell)
        }
    }
}

/// What the system contains that zones search for what is open.
pub(super) fn contents(questions: &mut Questions, open: &[usize], stop: &Stop) -> Contents {
    let (system, asked) = questions.prepared(Engine::Zone, open, stop);
    Contents::of(system, asked)
}

/// Who is asked about a system, in order, and what that depends on.
pub(super) fn plan(system: &System, questions: &[Question]) -> Order {
    let (limits, all) = (Config::default(), (0..questions.len()).collect::<Vec<_>>());
    let contents = contents(&mut Questions::new(system, questions, &limits), &all, &Stop::new());
    let stages = stages(contents, (system, questions), &limits);
    order(contents, system, stages.iter().map(|stage| stage.config.engine))
}

fn order(contents: Contents, system: &System, engines: impl Iterator<Item = Engine>) -> Order {
    let mut engines: Vec<Engine> = engines.collect();
    engines.dedup();
    let declared = system.clocks().filter(|clock| system.vars[*clock].shown).count();
    Order { contents, declared, engines }
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
const MANY_CLOCKS: usize = 70;

/// How many successors there may be at first in a model of data, and how often an update may go back to a choice.
const FIRST: u64 = 1_000_000;

/// How many bounds of zones may be looked at in the first steps.
const BOUNDS: u64 = 500_000_000;

/// How many times as many states the second round has as the first search: that ends nearly everything.
const SECOND: u64 = 50;

/// How many states there are to be listed at first; a zone is a square of clocks.
fn few(clocks: usize) -> u64 {
    (2_500_000 / (clocks as u64 + 1).pow(2)).clamp(100, 10_000)
}

/// How many of so many steps there may be: an operation on clocks may change a whole zone.
fn affordable(contents: Contents, steps: u64) -> u64 {
    let bounds = (contents.clocks as u64 + 1).pow(2).saturating_mul(contents.operations.max(1) as u64);
    let first = FIRST_EACH * few(contents.clocks);
    let most = u128::from((BOUNDS / bounds).clamp(1, first));
    u64::try_from(u128::from(steps) * most / u128::from(first)).unwrap_or(u64::MAX).max(1)
}

/// Whether an engine follows all ways of a step at once.
fn asks_solvers(engine: Engine) -> bool {
    matches!(engine, Engine::Cegar | Engine::Combined | Engine::Kind)
}

/// Who is asked about a timed system, in order, and with how many states.
///
/// Zones breadth first, which gives short runs, as long as there are few. Then, while that is cheap, for a network
/// a look at the paths without clocks, which show what data or locations exclude by themselves, for a little longer
/// if no path is met; and at lazy abstraction, which ends where few variables or bounds decide; for a model of data,
/// abstraction of these. Then larger zones first, which on large models needs hardly more zones than breadth first,
/// and on some far fewer; and between many and very many of these, zones by interpolation, which are few where
/// hardly any bound matters. Where clocks are many, those who ask solvers have a look before all this. After that
/// everybody else may use as much, and the zone graph has the last word. Lazy abstraction chooses by itself what is
/// sound with differences of clocks and `deadlock`; of a `deadlock`, paths without clocks say little, since it is
/// clocks that make it.
///
/// Zones do not know clocks that stand still or get the values of others; then all are asked who ask solvers, with time
/// as data.
///
/// An order of search that the user wants is that of all who have it, and a covering that of all who know it.
pub(super) fn stages(
    contents: Contents,
    (system, questions): (&System, &[Question]),
    config: &Config,
) -> VecDeque<Stage> {
    let few = few(contents.clocks);
    let least = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |limit| limit.min(most)));
    let stage = |engine: Engine, search, most: u64| {
        let search = match config.search {
            Search::Bfs => search,
            Search::Priority if engine.refines() => Search::Bfs,
            wanted => wanted,
        };
        let covering = match engine {
            Engine::Zone | Engine::ZoneCegar => config.covering,
            _ => Covering::default(),
        };
        let mut config = Config { engine, search, covering, ..config.clone() };
        if most < u64::MAX {
            config.state_limit = least(config.state_limit, most);
            // Updates may run for ever where no clock forbids them.
            config.step_limit =
                least(config.step_limit, affordable(contents, most.saturating_mul(STEPS_EACH)));
        }
        Stage { config, pathless: false }
    };
    // Whoever stores no states has no more rounds than those who do.
    let rounds = config.state_limit.map(|most| {
        let enough = |round: &u32| NODES.saturating_mul(GROWTH.pow(*round)) >= most;
        (0..ROUNDS).find(enough).unwrap_or(ROUNDS)
    });
    let most_calls = rounds.map_or(u64::MAX, |round| CALLS * GROWTH.pow(round));
    let zones = |most: u64, steps: u64| {
        let mut stage = stage(Engine::Zone, Search::Bfs, most);
        stage.config.step_limit = least(config.step_limit, affordable(contents, steps));
        stage
    };
    let data = |engine, nodes: u64, calls: u64| {
        let mut stage = stage(engine, Search::Bfs, nodes);
        stage.config.call_limit = least(config.call_limit, calls.min(most_calls));
        stage.config.work_limit = Some(config.work_limit.unwrap_or(u32::MAX).min(WORK));
        if matches!(engine, Engine::Kind | Engine::Bmc) {
            stage.config.bound = rounds.map(|round| DEPTH << round);
        }
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
    let Contents { clocks, inputs, differences, uneven, alone, .. } = contents;
    if uneven {
        return VecDeque::from([
            data(Engine::Cegar, NODES, CALLS),
            data(Engine::Kind, NODES, CALLS),
            cubes(nodes, calls),
            data(Engine::Bmc, nodes, calls),
            data(Engine::Cegar, nodes, calls),
            data(Engine::Kind, nodes, calls),
            cubes(u64::MAX, u64::MAX),
            data(Engine::Cegar, u64::MAX, u64::MAX),
        ]);
    }
    let mut list: VecDeque<Stage> = match (clocks >= MANY_CLOCKS, inputs) {
        (true, _) => VecDeque::from([
            data(Engine::Cegar, NODES, 2 * CALLS),
            data(Engine::Kind, NODES, 2 * CALLS),
            zones(few, FIRST_EACH * few),
        ]),
        // Zones are many because abstraction is coarse with differences, or few facts about data may decide.
        (false, 0) if differences || alone => {
            VecDeque::from([zones(few, FIRST_EACH * few), data(Engine::Cegar, NODES, CALLS)])
        }
        (false, 0) => VecDeque::from([zones(few, FIRST_EACH * few)]),
        (false, _) => VecDeque::from([zones(few, FIRST), data(Engine::Cegar, NODES, 2 * CALLS)]),
    };
    match inputs {
        0 => list.extend([
            paths(look),
            lazy(look),
            Stage { pathless: true, ..paths((2 * few).max(2_000)) },
            larger(GROWTH * few),
            interpolating(2 * GROWTH * few),
            larger(SECOND * few),
            data(Engine::Cegar, nodes, calls),
            beside(nodes, calls),
            data(Engine::Kind, nodes, calls),
        ]),
        _ => list.extend([
            beside(nodes, 2 * CALLS),
            cubes(nodes, calls),
            zones(few, GROWTH * FIRST),
            lazy(look),
            data(Engine::Cegar, nodes, calls),
            beside(SECOND * few, calls),
            larger(SECOND * few),
            data(Engine::Kind, nodes, calls),
        ]),
    }
    list.extend([paths(SECOND * few), lazy(SECOND * few)]);
    if questions.len() > 1 {
        // The last word on all of them may have no end.
        list.push_back(larger(GROWTH * SECOND * few));
    }
    list.push_back(larger(u64::MAX));
    if differences {
        // That is what lazy abstraction chooses by itself then.
        list.retain(|stage| stage.config.zone_strategy != ZoneStrategy::BwItp);
    }
    if !questions.is_empty() && questions.iter().all(|question| question.mentions_deadlock(system)) {
        list.retain(|stage| stage.config.engine != Engine::ZoneCegar);
    }
    list
}
