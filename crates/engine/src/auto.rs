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
//! Several questions are asked together ([`crate::several`]), and what is left after two rounds of
//! abstraction is asked one by one.
//!
//! With two threads, two configurations run side by side, and the first answer to the last question stops
//! the other.

use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ir::{System, Term};

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

// What may be used in the first round: states, and successors on the way to them; markings of a net, fewer,
// because linear invariants are sooner checked than a long list; nodes of an abstraction; steps of a run;
// questions to a solver, those of linear arithmetic, and the work of each. Most of it is a fraction of a
// second.
const STATES: u64 = 20_000;
const STEPS: u64 = 200_000;
const MARKINGS: u64 = 10_000;
const NODES: u64 = 2_000;
const DEPTH: u32 = 6;
const CALLS: u64 = 400;
const INVARIANTS: u64 = 40_000;
const WORK: u32 = 4_000_000;

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
        return timed(system, targets, config, stop, observer, tell);
    }
    let questions = Questions::new(system, targets, config);
    let turns = Turns::new(system, targets, config);
    match config.threads {
        0 | 1 => turns.alone(questions, stop, observer, tell),
        _ => turns.side_by_side(&questions, stop, observer, tell),
    }
}

/// Zones breadth first, which gives short runs, as long as there are few; then larger zones first, which on
/// large models needs hardly more zones than breadth first, and on some far fewer.
fn timed(
    system: &System,
    targets: &[Term],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Found),
) {
    // A zone is a square of clocks.
    let few = (2_500_000 / (system.clocks().count() as u64 + 1).pow(2)).clamp(100, 10_000);
    let mut first = Config { engine: Engine::Zone, ..config.clone() };
    let more = config.search == Search::Bfs && config.state_limit.is_none_or(|limit| limit > few);
    if more {
        first.state_limit = Some(few);
    }
    let (mut open, mut attempts) = (vec![], vec![]);
    crate::search_all(system, targets, &first, stop, observer, &mut |mut found| match found.answer {
        Answer::Unknown(reason @ Reason::States(_)) if more => {
            open.append(&mut found.questions);
            let configuration = first.to_string();
            attempts = vec![Attempt { configuration, reason, states: found.statistics.states }];
        }
        _ => {
            found.statistics.answered_by = Some(first.to_string());
            tell(found);
        }
    });
    if open.is_empty() {
        return;
    }
    let left: Vec<Term> = open.iter().map(|at| targets[*at]).collect();
    let second = Config { search: Search::Priority, state_limit: config.state_limit, ..first };
    crate::search_all(system, &left, &second, stop, observer, &mut |mut found| {
        found.questions.iter_mut().for_each(|at| *at = open[*at]);
        found.statistics.answered_by = Some(second.to_string());
        found.statistics.attempts.clone_from(&attempts);
        tell(found);
    });
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
    /// What the last one of them did.
    last: Statistics,
    /// The questions that nobody has answered, in order.
    open: Vec<usize>,
    /// Whether the system is a Petri net, or as simple.
    net: bool,
    /// What the user allows.
    limits: Config,
}

impl Turns {
    fn new(system: &System, targets: &[Term], limits: &Config) -> Self {
        let list = schedule(system, targets, limits);
        let net = list.iter().any(|config| config.engine == Engine::Linear);
        let waiting = list.into_iter().map(|config| (config, 0)).collect();
        let (open, last) = ((0..targets.len()).collect(), Statistics::default());
        Turns { waiting, attempts: vec![], last, open, net, limits: limits.clone() }
    }
    /// The next configuration, with its budget.
    fn next(&mut self) -> Option<(Config, u32)> {
        let (config, round) = self.waiting.pop_front()?;
        Some((budgeted(&config, round, self.net, &self.limits), round))
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
        let again = |reason: &Reason| {
            round < ROUNDS
                && match reason {
                    Reason::States(limit) => limits.state_limit.is_none_or(|most| *limit < most),
                    Reason::Steps(limit) => limits.step_limit.is_none_or(|most| *limit < most),
                    Reason::Calls(limit) => limits.call_limit.is_none_or(|most| *limit < most),
                    Reason::Bound(bound) => limits.bound.is_none_or(|most| *bound < most),
                    Reason::Work => limits.work_limit.is_none_or(|most| config.work_limit < Some(most)),
                    _ => false,
                }
        };
        let helps = failed.iter().position(|(_, reason, _)| again(reason));
        let Some((_, reason, statistics)) = failed.into_iter().nth(helps.unwrap_or(0)) else { return };
        let configuration = config.to_string();
        let attempt = Attempt { states: statistics.states, reason, configuration };
        // Only the last word of each counts.
        self.attempts.retain(|other| other.configuration != attempt.configuration);
        self.attempts.push(attempt);
        self.last = statistics;
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
        let statistics = Statistics { attempts: self.attempts, ..self.last };
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
                    let _fuse = Fuse(inner);
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
                        let mut failed =
                            questions.ask((&config, round), &mut open, inner, &mut observer, &mut tell);
                        if inner.requested() {
                            // Whoever is stopped did not fail by itself.
                            failed.iter_mut().for_each(|(_, reason, _)| *reason = inner.reason());
                        }
                        lock(turns).failed(config, round, failed);
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
        let mut turns = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
        if stop.requested() {
            // The threads were told only that they are to stop.
            let told = turns.attempts.iter_mut().filter(|attempt| attempt.reason == Reason::Interrupted);
            told.for_each(|attempt| attempt.reason = stop.reason());
        }
        turns.left(stop).into_iter().for_each(tell);
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
        // A deadlock of a net may be far away, and on most ways.
        let deep = Config { search: Search::Dfs, ..explicit.clone() };
        vec![explicit, deep, engine(Engine::Linear), bounded, predicates, induction]
    } else {
        vec![explicit, predicates, bounded, induction, values, combined]
    };
    if targets.iter().any(|target| ir::mentions_deadlock(system, *target)) {
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
        Engine::Explicit | Engine::Zone | Engine::Lazy => {
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
