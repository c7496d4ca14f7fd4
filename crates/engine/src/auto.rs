//! The default: a schedule of the other engines, so that nobody has to choose.
//!
//! No engine is good at everything. So several take turns, each with a budget that is counted in states and
//! questions to the solver, never in time: the same model gets the same answer from the same engine on any
//! machine. Whoever uses its budget up comes again in the next round with [`GROWTH`] times as much, which
//! makes the repeated work a small part of the whole. Whoever says that more would not help is out.
//!
//! States are listed first, which is cheap while budgets are small and ends deep and narrow models at once.
//! The order of the others follows what the model contains, and each finds what the others cannot: linear
//! invariants end nets with any number of markings, predicates end counters that grow for ever, runs of
//! growing length find what lies near behind many values, and induction shows what follows from a few steps.
//!
//! With two threads, two configurations run side by side, and the first answer stops the other.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ir::{System, Term};

use crate::answer::{Answer, Reason};
use crate::config::{AutoExpl, Cegar, Config, Domain, Engine, InitialPrecision, Search};
use crate::linear;
use crate::observer::{Attempt, Observer, Progress, Statistics};
use crate::preprocess::{Preprocessed, Rewritings};
use crate::stop::Stop;

/// How much more the next round may use.
const GROWTH: u64 = 8;
/// Rounds after which budgets end: what is left then runs as long as it may.
const ROUNDS: u32 = 5;

// What may be used in the first round: states, and successors on the way to them; markings of a net, fewer,
// because linear invariants are sooner checked than a long list; nodes of an abstraction; steps of a run;
// questions to a solver, those of linear arithmetic, and the work of each. Most of it is a fraction of a
// second.
const STATES: u64 = 20_000;
const STEPS: u64 = 200_000;
const MARKINGS: u64 = 2_000;
const NODES: u64 = 2_000;
const DEPTH: u32 = 6;
const CALLS: u64 = 400;
const INVARIANTS: u64 = 40_000;
const WORK: u32 = 4_000_000;

/// Searches by whatever answers first.
pub fn search(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    if system.clocks().next().is_some() {
        return timed(system, target, config, stop, observer);
    }
    let question = Question::new(system, target, config, stop);
    let turns = Turns::new(system, target, config);
    match config.threads {
        0 | 1 => turns.alone(&question, stop, observer),
        _ => turns.side_by_side(&question, stop, observer),
    }
}

/// Zones breadth first, which gives short runs, as long as there are few; then larger zones first, which on
/// large models needs hardly more zones than breadth first, and on some far fewer.
fn timed(
    system: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    // A zone is a square of clocks.
    let few = (2_500_000 / (system.clocks().count() as u64 + 1).pow(2)).clamp(100, 10_000);
    let mut first = Config { engine: Engine::Zone, ..config.clone() };
    let more = config.search == Search::Bfs && config.state_limit.is_none_or(|limit| limit > few);
    if more {
        first.state_limit = Some(few);
    }
    let (answer, mut statistics) = crate::run(system, target, &first, stop, observer);
    statistics.answered_by = Some(first.to_string());
    let reason = match answer {
        Answer::Unknown(reason @ Reason::States(_)) if more => reason,
        answer => return (answer, statistics),
    };
    let attempt = Attempt { configuration: first.to_string(), reason, states: statistics.states };
    let second = Config { search: Search::Priority, state_limit: config.state_limit, ..first };
    let (answer, mut statistics) = crate::run(system, target, &second, stop, observer);
    statistics.answered_by = Some(second.to_string());
    statistics.attempts = vec![attempt];
    (answer, statistics)
}

/// A system and a target, and what preprocessing makes of them.
#[derive(Clone)]
struct Question {
    system: System,
    target: Term,
    /// For most engines.
    smaller: Option<Preprocessed>,
    /// For induction.
    one_to_one: Option<Preprocessed>,
}

impl Question {
    fn new(system: &System, target: Term, config: &Config, stop: &Stop) -> Self {
        let prepare = |engine| crate::prepare(system, target, &Config { engine, ..config.clone() }, stop);
        let (smaller, one_to_one) = (prepare(Engine::Explicit), prepare(Engine::Kind));
        Question { system: system.clone(), target, smaller, one_to_one }
    }
    fn ask(&self, config: &Config, stop: &Stop, observer: &mut dyn Observer) -> (Answer, Statistics) {
        let work = match Rewritings::welcome(config.engine) {
            Rewritings::All => &self.smaller,
            Rewritings::OneToOne => &self.one_to_one,
        };
        crate::attempt(&self.system, self.target, work.as_ref(), config, stop, observer)
    }
}

/// Who is to come, and what became of those who were.
struct Turns {
    /// Configurations that may still answer, with their round.
    waiting: VecDeque<(Config, u32)>,
    attempts: Vec<Attempt>,
    /// What the last one of them did.
    last: Statistics,
    /// Whether the system is a Petri net, or as simple.
    net: bool,
    /// What the user allows.
    limits: Config,
}

impl Turns {
    fn new(system: &System, target: Term, limits: &Config) -> Self {
        let list = schedule(system, target, limits);
        let net = list.iter().any(|config| config.engine == Engine::Linear);
        let waiting = list.into_iter().map(|config| (config, 0)).collect();
        Turns { waiting, attempts: vec![], last: Statistics::default(), net, limits: limits.clone() }
    }
    /// The next configuration, with its budget.
    fn next(&mut self) -> Option<(Config, u32)> {
        let (config, round) = self.waiting.pop_front()?;
        Some((budgeted(&config, round, self.net, &self.limits), round))
    }
    /// Notes that a configuration did not answer; it comes again if that may help.
    fn failed(&mut self, config: Config, round: u32, reason: &Reason, statistics: &Statistics) {
        let limits = &self.limits;
        let again = match reason {
            Reason::States(limit) => limits.state_limit.is_none_or(|most| *limit < most),
            Reason::Steps(limit) => limits.step_limit.is_none_or(|most| *limit < most),
            Reason::Calls(limit) => limits.call_limit.is_none_or(|most| *limit < most),
            Reason::Bound(bound) => limits.bound.is_none_or(|most| *bound < most),
            Reason::Work => limits.work_limit.is_none_or(|most| config.work_limit < Some(most)),
            _ => false,
        };
        let name = config.to_string();
        let attempt = Attempt { states: statistics.states, reason: reason.clone(), configuration: name };
        // Only the last word of each counts.
        self.attempts.retain(|other| other.configuration != attempt.configuration);
        self.attempts.push(attempt);
        self.last = statistics.clone();
        if again && round < ROUNDS {
            self.waiting.push_back((config, round + 1));
        }
    }
    /// What is left to say when nobody answered.
    fn exhausted(&self) -> Reason {
        match &self.attempts[..] {
            // All of them would need something else of the model.
            list if list.iter().all(|attempt| matches!(attempt.reason, Reason::Unsupported(_))) => {
                list.first().map_or(Reason::Interrupted, |attempt| attempt.reason.clone())
            }
            list if list.iter().all(|attempt| attempt.reason == list[0].reason) => list[0].reason.clone(),
            list => Reason::Exhausted(list.len()),
        }
    }

    fn alone(
        mut self,
        question: &Question,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> (Answer, Statistics) {
        while let Some((config, round)) = self.next() {
            let (answer, mut statistics) = question.ask(&config, stop, observer);
            match answer {
                Answer::Unknown(reason) => {
                    self.failed(config, round, &reason, &statistics);
                    if stop.requested() {
                        statistics.attempts = self.attempts;
                        return (Answer::Unknown(stop.reason()), statistics);
                    }
                }
                answer => {
                    statistics.answered_by = Some(config.to_string());
                    statistics.attempts = self.attempts;
                    return (answer, statistics);
                }
            }
        }
        let reason = self.exhausted();
        (Answer::Unknown(reason), Statistics { attempts: self.attempts, ..self.last })
    }

    /// Two at a time, in threads of their own; the first answer ends the other.
    fn side_by_side(
        self,
        question: &Question,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> (Answer, Statistics) {
        let inner = Arc::new(Stop::new());
        let relayed = inner.clone();
        // The reason is asked of `stop` itself in the end.
        let _listening = stop.listen(move || relayed.request(Reason::Interrupted));
        let turns = Mutex::new(self);
        let (send, receive) = channel();
        let winner = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (turns, winner, inner) = (&turns, &winner, &inner);
                let mut observer = Relay(send.clone());
                let question = question.clone();
                let work = move || {
                    let _fuse = Fuse(inner);
                    while !inner.requested() {
                        let next = lock(turns).next();
                        let Some((config, round)) = next else { return };
                        let (answer, mut statistics) = question.ask(&config, inner, &mut observer);
                        match answer {
                            Answer::Unknown(reason) => {
                                // Whoever is stopped did not fail by itself.
                                let reason = if inner.requested() { inner.reason() } else { reason };
                                lock(turns).failed(config, round, &reason, &statistics);
                            }
                            answer => {
                                statistics.answered_by = Some(config.to_string());
                                lock(winner).get_or_insert((answer, statistics));
                                inner.request(Reason::Overtaken);
                            }
                        }
                    }
                };
                let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                if let Err(error) = spawned {
                    lock(turns).attempts.push(Attempt {
                        configuration: "a thread".into(),
                        reason: Reason::Internal(error.to_string()),
                        states: 0,
                    });
                }
            }
            drop(send);
            // Ends when both threads have.
            for progress in receive {
                observer.progress(&progress);
            }
        });
        let mut turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        if stop.requested() {
            // The threads were told only that they are to stop.
            let told = turns.attempts.iter_mut().filter(|attempt| attempt.reason == Reason::Interrupted);
            told.for_each(|attempt| attempt.reason = stop.reason());
        }
        let won = winner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (answer, mut statistics) = won.unwrap_or_else(|| {
            let reason = if stop.requested() { stop.reason() } else { turns.exhausted() };
            (Answer::Unknown(reason), std::mem::take(&mut turns.last))
        });
        statistics.attempts = turns.attempts;
        (answer, statistics)
    }
}

/// The stack of a thread that searches.
const STACK: usize = 64 << 20;

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the other thread if this one panics; the scope of both then passes the panic on.
struct Fuse<'a>(&'a Stop);

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.request(Reason::Overtaken);
        }
    }
}

/// Hands progress to the thread that shows it.
struct Relay(Sender<Progress>);

impl Observer for Relay {
    fn progress(&mut self, progress: &Progress) {
        // Nobody listens any more only when everything is over.
        let _ = self.0.send(progress.clone());
    }
}

/// The configurations that fit a model, in order.
fn schedule(system: &System, target: Term, limits: &Config) -> Vec<Config> {
    let engine = |engine: Engine| Config { engine, ..limits.clone() };
    let order = if limits.search == Search::Priority { Search::Bfs } else { limits.search };
    let cegar = |cegar: Cegar| Config { cegar, search: order, ..engine(Engine::Cegar) };
    let explicit = engine(Engine::Explicit);
    let predicates = cegar(Cegar::default());
    let combined = cegar(Cegar {
        domain: Domain::ExplPredCombined,
        auto_expl: Some(AutoExpl::NewOperands),
        initial_precision: Some(InitialPrecision::PropCtrl),
        ..Cegar::default()
    });
    let values = cegar(Cegar { domain: Domain::Expl, ..Cegar::default() });
    let (bounded, induction) = (engine(Engine::Bmc), engine(Engine::Kind));
    let mut list = if linear::applies(system) {
        vec![explicit, engine(Engine::Linear), bounded, predicates, induction]
    } else {
        vec![explicit, predicates, bounded, induction, values, combined]
    };
    if ir::mentions_deadlock(system, target) {
        // Decides deadlocks by running actions, whatever these do to data.
        list.push(engine(Engine::Zone));
    }
    list
}

/// A configuration with what it may use in a round.
fn budgeted(config: &Config, round: u32, net: bool, limits: &Config) -> Config {
    let Config { state_limit, step_limit, call_limit, work_limit, bound, .. } = *limits;
    let mut config = Config { state_limit, step_limit, call_limit, work_limit, bound, ..config.clone() };
    if round == ROUNDS {
        return config;
    }
    let factor = GROWTH.pow(round);
    let least = |budget: u64, limit: Option<u64>| {
        let budget = budget.saturating_mul(factor);
        Some(limit.map_or(budget, |limit| limit.min(budget)))
    };
    match config.engine {
        Engine::Explicit | Engine::Zone => {
            config.state_limit = least(if net { MARKINGS } else { STATES }, state_limit);
            config.step_limit = least(STEPS, step_limit);
            return config;
        }
        Engine::Bmc | Engine::Kind => {
            let depth = DEPTH << round;
            config.bound = Some(bound.map_or(depth, |limit| limit.min(depth)));
        }
        // Whoever is interrupted begins anew, and few of these questions are hard.
        Engine::Linear => {
            config.call_limit = least(INVARIANTS, call_limit);
            return config;
        }
        _ => config.state_limit = least(NODES, state_limit),
    }
    config.call_limit = least(CALLS, call_limit);
    let work = u32::try_from(u64::from(WORK).saturating_mul(factor)).unwrap_or(u32::MAX);
    config.work_limit = Some(work_limit.map_or(work, |limit| limit.min(work)));
    config
}

#[cfg(test)]
mod tests;
