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
//! Several questions are asked together ([`crate::several`]), and what is left after two rounds of
//! abstraction is asked one by one.
//!
//! With two threads, two configurations run side by side, and the first answer to the last question stops the other.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ir::{Scope, System, Term};

use crate::answer::{Answer, Reason};
use crate::config::{AutoExpl, Cegar, Config, Domain, Engine, InitialPrecision, Search};
use crate::linear;
use crate::observer::{Attempt, Observer, Progress, Statistics};
use crate::preprocess::{Preprocessed, Rewritings};
use crate::several::{self, Found};
use crate::stop::Stop;

/// How much more the next round may use.
const GROWTH: u64 = 8;
/// Rounds after which budgets end: what is left then runs as long as it may.
const ROUNDS: u32 = 5;

/// Solver calls of a short look at a question that was left open by a search for several.
const LOOK: u64 = 32;
/// Rounds in which questions share abstractions; those that are open then get their own.
const SHARED: u32 = 2;

/// Answers several questions, each by whatever answers it first.
pub(crate) fn search_all(
    system: &System,
    targets: &[Term],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Found),
) {
    if system.clocks().next().is_some() {
        let config = Config { engine: Engine::Zone, ..config.clone() };
        return crate::search_all(system, targets, &config, stop, observer, &mut |mut found| {
            found.statistics.answered_by = Some(config.to_string());
            tell(found);
        });
    }
    let questions = Questions::new(system, targets, config);
    let turns = Turns::new(system, targets, config);
    match config.threads {
        0 | 1 => turns.alone(questions, stop, observer, tell),
        _ => turns.side_by_side(&questions, stop, observer, tell),
    }
}

/// A system and what is asked of it, and what preprocessing makes of both.
#[derive(Clone)]
struct Questions {
    system: System,
    targets: Vec<Term>,
    config: Config,
    /// The questions that were open when the system was prepared for them, for most engines and for
    /// induction. The fewer they are, the smaller the system gets.
    prepared: [Option<Prepared>; 2],
}

/// What preprocessing makes of a system for some questions.
#[derive(Clone)]
struct Prepared {
    open: Vec<usize>,
    work: Option<Preprocessed>,
}

/// Questions that are still open, why, and what was done.
type Failed = Vec<(Vec<usize>, Reason, Statistics)>;

impl Questions {
    fn new(system: &System, targets: &[Term], config: &Config) -> Self {
        let (system, targets, config) = (system.clone(), targets.to_vec(), config.clone());
        Questions { system, targets, config, prepared: [None, None] }
    }
    /// Asks one configuration about what is open.
    fn ask(
        &mut self,
        (config, round): (&Config, u32),
        open: &mut Vec<usize>,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Found),
    ) -> Failed {
        let together = round < SHARED || matches!(config.engine, Engine::Explicit | Engine::Linear);
        if !together {
            return self.ask_each(config, open, stop, observer, tell);
        }
        let several = open.len() > 1;
        let failed = self.ask_about(config, open, stop, observer, tell);
        if several && round == 0 && config.engine == Engine::Cegar && !stop.requested() {
            // What the others need may have hidden what is easy by itself.
            let call_limit = Some(config.call_limit.map_or(LOOK, |limit| limit.min(LOOK)));
            let brief = Config { call_limit, ..config.clone() };
            self.ask_each(&brief, open, stop, observer, tell);
        }
        failed
    }
    /// Asks one configuration about each open question by itself.
    fn ask_each(
        &mut self,
        config: &Config,
        open: &mut Vec<usize>,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Found),
    ) -> Failed {
        let mut failed = vec![];
        for at in std::mem::take(open) {
            let mut one = vec![at];
            failed.extend(self.ask_about(config, &mut one, stop, observer, tell));
            open.append(&mut one);
        }
        failed
    }
    fn ask_about(
        &mut self,
        config: &Config,
        open: &mut Vec<usize>,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Found),
    ) -> Failed {
        let kind = usize::from(Rewritings::welcome(config.engine) == Rewritings::OneToOne);
        if self.prepared[kind].as_ref().is_none_or(|prepared| prepared.open != *open) {
            // What nobody asks about any more is not searched for, so nothing has to be kept for it.
            let never = self.system.terms.bool(false);
            let asked = |(at, target): (usize, &Term)| if open.contains(&at) { *target } else { never };
            let targets: Vec<Term> = self.targets.iter().enumerate().map(asked).collect();
            let config = Config { engine: config.engine, ..self.config.clone() };
            let work = crate::prepare(&self.system, &targets, &config, stop);
            self.prepared[kind] = Some(Prepared { open: open.clone(), work });
        }
        let work = self.prepared[kind].as_ref().and_then(|prepared| prepared.work.as_ref());
        several::shared((&self.system, &self.targets), work, open, config, stop, observer, tell)
    }
}

/// Who is to come, and what became of those who were.
struct Turns {
    /// Configurations that may still answer, with their round.
    waiting: VecDeque<(Config, u32)>,
    attempts: Vec<Attempt>,
    /// The questions that nobody has answered, in order.
    open: Vec<usize>,
    /// What the user allows.
    limits: Config,
}

impl Turns {
    fn new(system: &System, targets: &[Term], limits: &Config) -> Self {
        let waiting = schedule(system, targets, limits).into_iter().map(|config| (config, 0)).collect();
        Turns { waiting, attempts: vec![], open: (0..targets.len()).collect(), limits: limits.clone() }
    }
    /// The next configuration, with its budget.
    fn next(&mut self) -> Option<(Config, u32)> {
        let (config, round) = self.waiting.pop_front()?;
        Some((budgeted(&config, round, &self.limits), round))
    }
    /// Takes in an answer by a configuration; `None` if somebody else was quicker.
    fn answered(&mut self, config: &Config, mut found: Found) -> Option<Found> {
        found.questions.retain(|at| self.open.contains(at));
        self.open.retain(|at| !found.questions.contains(at));
        found.statistics.answered_by = Some(config.to_string());
        found.statistics.attempts.clone_from(&self.attempts);
        (!found.questions.is_empty()).then_some(found)
    }
    /// Notes that a configuration has left questions open; it comes again if that may help.
    fn failed(&mut self, config: Config, round: u32, failed: Failed) {
        let limits = &self.limits;
        let again = |reason: &Reason| match reason {
            Reason::States(limit) => round < ROUNDS && limits.state_limit.is_none_or(|most| *limit < most),
            Reason::Calls(limit) => round < ROUNDS && limits.call_limit.is_none_or(|most| *limit < most),
            Reason::Bound(bound) => round < ROUNDS && limits.bound.is_none_or(|most| *bound < most),
            _ => false,
        };
        let helps = failed.iter().position(|(_, reason, _)| again(reason));
        let Some((_, reason, statistics)) = failed.into_iter().nth(helps.unwrap_or(0)) else { return };
        let configuration = config.to_string();
        let attempt = Attempt { states: statistics.states, reason, configuration };
        // Only the last word of each counts.
        self.attempts.retain(|other| other.configuration != attempt.configuration);
        self.attempts.push(attempt);
        if helps.is_some() {
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

    /// What there is to say of the questions that nobody answered, if there are any.
    fn left(self, stop: &Stop) -> Option<Found> {
        let reason = if stop.requested() { stop.reason() } else { self.exhausted() };
        let statistics = Statistics { attempts: self.attempts, ..Statistics::default() };
        let answer = Answer::Unknown(reason);
        (!self.open.is_empty()).then_some(Found { questions: self.open, answer, statistics })
    }

    fn alone(
        mut self,
        mut questions: Questions,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Found),
    ) {
        while !self.open.is_empty()
            && !stop.requested()
            && let Some((config, round)) = self.next()
        {
            let mut open = self.open.clone();
            let failed = questions.ask((&config, round), &mut open, stop, observer, &mut |found| {
                self.answered(&config, found).into_iter().for_each(&mut *tell);
            });
            self.failed(config, round, failed);
        }
        self.left(stop).into_iter().for_each(tell);
    }

    /// Two at a time, in threads of their own; when all is answered, both end.
    fn side_by_side(
        self,
        questions: &Questions,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Found),
    ) {
        let inner = Arc::new(Stop::new());
        let relayed = inner.clone();
        // The reason is asked of `stop` itself in the end.
        let _listening = stop.listen(move || relayed.request(Reason::Interrupted));
        let turns = Mutex::new(self);
        let (send, receive) = channel();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (turns, inner) = (&turns, &inner);
                let answers = send.clone();
                let mut observer = Relay(send.clone());
                let mut questions = questions.clone();
                let work = move || {
                    while !inner.requested() {
                        let (next, mut open) = {
                            let mut turns = lock(turns);
                            (turns.next(), turns.open.clone())
                        };
                        let Some((config, round)) = next else { return };
                        let mut tell = |found: Found| {
                            let mut turns = lock(turns);
                            if let Some(found) = turns.answered(&config, found) {
                                // Nobody listens any more only when everything is over.
                                let _ = answers.send(Message::Found(Box::new(found)));
                            }
                            if turns.open.is_empty() {
                                inner.request(Reason::Overtaken);
                            }
                        };
                        let failed =
                            questions.ask((&config, round), &mut open, inner, &mut observer, &mut tell);
                        if !inner.requested() {
                            lock(turns).failed(config, round, failed);
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
            for message in receive {
                match message {
                    Message::Progress(progress) => observer.progress(&progress),
                    Message::Found(found) => tell(*found),
                }
            }
        });
        let turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        turns.left(stop).into_iter().for_each(tell);
    }
}

/// The stack of a thread that searches.
const STACK: usize = 64 << 20;

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread that searches has to say.
enum Message {
    Progress(Progress),
    Found(Box<Found>),
}

/// Hands progress to the thread that shows it.
struct Relay(Sender<Message>);

impl Observer for Relay {
    fn progress(&mut self, progress: &Progress) {
        // Nobody listens any more only when everything is over.
        let _ = self.0.send(Message::Progress(progress.clone()));
    }
}

/// The configurations that fit a model, in order.
fn schedule(system: &System, targets: &[Term], limits: &Config) -> Vec<Config> {
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
    if targets.iter().any(|target| ir::mentions_deadlock(system, *target)) {
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
