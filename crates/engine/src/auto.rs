//! The default: a schedule of the other engines, so that nobody has to choose.
//!
//! No engine is good at everything. So several take turns, each with a budget that is counted in states and
//! questions to the solver, never in time: the same model gets the same answer from the same engine on any
//! machine. Whoever uses its budget up comes again in the next round with [`GROWTH`] times as much, which
//! makes the repeated work a small part of the whole. Whoever says that more would not help is out.
//!
//! The order follows what the model contains: few combinations of values are listed first, anything else is
//! abstracted first. Both are cheap while budgets are small, and each finds what the other cannot: listing
//! ends deep and narrow models, predicates end counters that grow for ever, runs of growing length find
//! what lies near behind many values, and induction shows what follows from a few steps.
//!
//! With two threads, two configurations run side by side, and the first answer stops the other.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ir::{Scope, System, Term};

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
    /// What the user allows.
    limits: Config,
}

impl Turns {
    fn new(system: &System, target: Term, limits: &Config) -> Self {
        let waiting = schedule(system, target, limits).into_iter().map(|config| (config, 0)).collect();
        Turns { waiting, attempts: vec![], limits: limits.clone() }
    }
    /// The next configuration, with its budget.
    fn next(&mut self) -> Option<(Config, u32)> {
        let (config, round) = self.waiting.pop_front()?;
        Some((budgeted(&config, round, &self.limits), round))
    }
    /// Notes that a configuration did not answer; it comes again if that may help.
    fn failed(&mut self, config: Config, round: u32, reason: &Reason, statistics: &Statistics) {
        let limits = &self.limits;
        let again = match reason {
            Reason::States(limit) => round < ROUNDS && limits.state_limit.is_none_or(|most| *limit < most),
            Reason::Calls(limit) => round < ROUNDS && limits.call_limit.is_none_or(|most| *limit < most),
            Reason::Bound(bound) => round < ROUNDS && limits.bound.is_none_or(|most| *bound < most),
            _ => false,
        };
        let name = config.to_string();
        let attempt = Attempt { states: statistics.states, reason: reason.clone(), configuration: name };
        // Only the last word of each counts.
        self.attempts.retain(|other| other.configuration != attempt.configuration);
        self.attempts.push(attempt);
        if again {
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
        (Answer::Unknown(reason), Statistics { attempts: self.attempts, ..Statistics::default() })
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
                    while !inner.requested() {
                        let next = lock(turns).next();
                        let Some((config, round)) = next else { return };
                        let (answer, mut statistics) = question.ask(&config, inner, &mut observer);
                        match answer {
                            Answer::Unknown(_) if inner.requested() => {}
                            Answer::Unknown(reason) => {
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
        let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        let won = winner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (answer, mut statistics) = won.unwrap_or_else(|| {
            let reason = if stop.requested() { stop.reason() } else { turns.exhausted() };
            (Answer::Unknown(reason), Statistics::default())
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
    } else if few_values(system) {
        vec![explicit, predicates, bounded, induction, values, combined]
    } else {
        vec![predicates, bounded, explicit, induction, combined, values]
    };
    if ir::mentions_deadlock(system, target) {
        // Decides deadlocks by running actions, whatever these do to data.
        list.push(engine(Engine::Zone));
    }
    list
}

/// Whether listing all combinations of values is likely to be quick.
fn few_values(system: &System) -> bool {
    const MOST_BITS: f64 = 14.0;
    let mut bits = 0.0;
    for (var, variable) in system.vars.entries().filter(|(_, variable)| variable.scope == Scope::State) {
        bits += match (&variable.range, system.types().cardinality(system.terms.var_type(var))) {
            (Some((least, most)), _) => match (least.to_i64(), most.to_i64()) {
                (Some(least), Some(most)) => (most as f64 - least as f64 + 1.0).log2(),
                _ => f64::INFINITY,
            },
            (None, Some(count)) => (count as f64).log2(),
            // Many counters are small in fact.
            (None, None) => 4.0,
        };
    }
    bits <= MOST_BITS
}

/// A configuration with what it may use in a round.
fn budgeted(config: &Config, round: u32, limits: &Config) -> Config {
    let least = |budget: u64, limit: Option<u64>| Some(limit.map_or(budget, |limit| limit.min(budget)));
    let mut config = config.clone();
    if round == ROUNDS {
        (config.state_limit, config.call_limit) = (limits.state_limit, limits.call_limit);
        config.bound = limits.bound;
        return config;
    }
    let factor = GROWTH.pow(round);
    match config.engine {
        Engine::Explicit | Engine::Zone => {
            config.state_limit = least(10_000 * factor, limits.state_limit);
        }
        Engine::Bmc | Engine::Kind => {
            let bound = 6 << round;
            config.bound = Some(limits.bound.map_or(bound, |limit| limit.min(bound)));
            config.call_limit = least(400 * factor, limits.call_limit);
        }
        _ => {
            config.state_limit = least(2_000 * factor, limits.state_limit);
            config.call_limit = least(400 * factor, limits.call_limit);
        }
    }
    config
}
