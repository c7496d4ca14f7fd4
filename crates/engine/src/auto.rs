//! The default: a deterministic *portfolio*, a schedule of the other engines, so that nobody has to choose.
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
//! With two threads, two configurations run [side by side](side_by_side). Timed systems have members of
//! [their own](timed), which are paused and resumed instead of asked again ([rotation]).

mod contents;
mod rotation;
mod side_by_side;
mod timed;

use std::collections::VecDeque;
use std::sync::Arc;

use ir::{Question, System};

pub use contents::{Contents, Order};

use crate::answer::{Answer, Reason};
use crate::config::{AutoExpl, Cegar, Config, Domain, Engine, InitialPrecision, Search, Theory};
use crate::description::{Description, Procedure, Timing};
use crate::linear;
use crate::observer::{Attempt, Observer, Statistics};
use crate::pass::Pipeline;
use crate::preprocess;
use crate::preprocess::Rewritings;
use crate::several::{self, Answered};
use crate::stop::Stop;

/// How much more the next round may use.
const GROWTH: u64 = 8;
/// Rounds after which budgets end: what is left then runs as long as it may, unless states are limited. Runs of
/// growing length and linear invariants store none, and would make a limit of states mean nothing.
const ROUNDS: u32 = 5;

/// Explicit-state search is done again for what is open if that is at most this part of several questions: one of so many.
const REMAINING_FRACTION: usize = 4;

/// Solver calls of a short look at a question that was left open by a search for several.
const LOOK: u64 = 32;

// What may be used in the first round: states, and successors on the way to them; markings of a net, fewer,
// because linear invariants are sooner checked than a long list, but more of them depth first; nodes of an
// abstraction; steps of a run; questions to a solver, and the work of each; those of linear arithmetic, which
// are many and most of them easy. Most of it is a fraction of a second.
const STATES: u64 = 20_000;
const STEPS: u64 = 200_000;
const MARKINGS: u64 = 10_000;
const DEEP_MARKINGS: u64 = 20_000;
const NODES: u64 = 2_000;
const DEPTH: u32 = 6;
const CALLS: u64 = 400;
const WORK: u32 = 4_000_000;
const INVARIANTS: u64 = 4_000;

/// Rounds in which questions share abstractions; those that are open then get their own.
const SHARED: u32 = 2;

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "auto",
    title: "portfolio",
    good_for: "the default: whoever answers first, the same each time",
    paper: "Beyer, Dangl and Wendler 2018",
    timing: Timing::Own,
    refines: false,
    bounded: false,
    blocks: false,
    bits: true,
    solver: false,
    passes: Rewritings::All,
    procedure: Procedure::others(),
};

/// What a timed system contains, and in which order engines are asked what can be reached in it; `None` where no
/// time passes.
pub fn order(system: &System, questions: &[Question]) -> Option<Order> {
    system.timed().map(|_| timed::plan(system, questions))
}

/// Answers several questions, each by whatever answers it first.
pub(crate) fn search_all(
    system: &System,
    questions: &[Question],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    if system.clocks().next().is_some() {
        return timed::search(system, questions, config, stop, observer, tell);
    }
    let turns = Turns::new(system, questions, config);
    let questions = Questions::new(system, questions, config);
    match config.threads {
        0 | 1 => turns.alone(questions, stop, observer, tell),
        _ => side_by_side::search(turns, &questions, stop, observer, tell),
    }
}

/// A system and what is asked of it, and what preprocessing makes of both.
#[derive(Clone)]
struct Questions {
    system: System,
    list: Vec<Question>,
    config: Config,
    /// The questions that were open when the system was prepared for them, for most engines, for induction, and
    /// where time passes for zones and for abstraction beside zones, and for those who get programs in blocks. The fewer they are, the smaller the system gets.
    prepared: [Option<Prepared>; 5],
}

/// What preprocessing makes of a system for some questions.
#[derive(Clone)]
struct Prepared {
    open: Vec<usize>,
    work: Option<Arc<Pipeline>>,
}

/// Questions that are still open, why, and what was done.
pub(crate) type Failed = Vec<(Vec<usize>, Reason, Statistics)>;

impl Questions {
    fn new(system: &System, list: &[Question], config: &Config) -> Self {
        let (system, list, config) = (system.clone(), list.to_vec(), config.clone());
        Questions { system, list, config, prepared: [const { None }; 5] }
    }
    /// Asks one configuration about what is open.
    fn ask(
        &mut self,
        (config, round): (&Config, u32),
        open: &mut Vec<usize>,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Answered),
    ) -> Failed {
        let together = round < SHARED || matches!(config.engine, Engine::Explicit | Engine::Linear);
        if !together {
            return self.ask_each(config, open, stop, observer, tell);
        }
        let (several, asked) = (open.len() > 1, open.len());
        let mut failed = self.ask_about(config, open, stop, observer, tell);
        if round == 0
            && config.engine == Engine::Explicit
            && open.len() * REMAINING_FRACTION <= asked
            && !stop.requested()
        {
            // States are worth listing here, and the model gets smaller with fewer questions.
            failed = self.ask_each(config, open, stop, observer, tell);
        }
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
        tell: &mut dyn FnMut(Answered),
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
        tell: &mut dyn FnMut(Answered),
    ) -> Failed {
        let kind = self.prepare(config.engine, open, stop);
        let work = self.prepared[kind].as_ref().and_then(|prepared| prepared.work.as_deref());
        several::shared((&self.system, &self.list), work, open, config, stop, observer, tell)
    }
    /// What an engine searches for what is open, and the questions there.
    fn prepared(&mut self, engine: Engine, open: &[usize], stop: &Stop) -> (&System, &[Question]) {
        let kind = self.prepare(engine, open, stop);
        match self.prepared[kind].as_ref().and_then(|prepared| prepared.work.as_ref()) {
            Some(work) => (&work.problem.system, &work.problem.questions),
            None => (&self.system, &self.list),
        }
    }
    /// Prepares the system for an engine and what is open, and says where the result is.
    fn prepare(&mut self, engine: Engine, open: &[usize], stop: &Stop) -> usize {
        let timed = self.system.timed().is_some();
        let kind = match engine {
            Engine::Kind => 1,
            Engine::Zone | Engine::Lazy | Engine::ZoneCegar | Engine::Local if timed => 2,
            Engine::Combined if timed => 3,
            engine if self.system.program && engine.takes_blocks() => 4,
            _ => 0,
        };
        if self.prepared[kind].as_ref().is_none_or(|prepared| prepared.open != *open) {
            // What nobody asks about any more is not searched for, so nothing has to be kept for it.
            let never = Question::never(&mut self.system.terms);
            let asked = |(at, question)| if open.contains(&at) { question } else { &never };
            let questions: Vec<Question> = self.list.iter().enumerate().map(asked).cloned().collect();
            let config = Config { engine, ..self.config.clone() };
            let work = preprocess::prepare(&self.system, &questions, &config, stop).map(Arc::new);
            self.prepared[kind] = Some(Prepared { open: open.to_vec(), work });
        }
        kind
    }
}

/// Who is to come, and what became of those who were.
pub(crate) struct Turns {
    /// Configurations that may still answer, with their round.
    waiting: VecDeque<(Config, u32)>,
    pub(crate) attempts: Vec<Attempt>,
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
    fn new(system: &System, questions: &[Question], limits: &Config) -> Self {
        Turns::of(schedule(system, questions, limits), questions.len(), limits)
    }
    /// Those who are asked for an accepting run of a product. Cycles are found and excluded by listing states more often
    /// than by formulas, so that the first round of that is a large one.
    pub(crate) fn endless(limits: &Config) -> Self {
        // Rankings are found for single executions rather than for what several have in common.
        let cegar = Cegar { domain: Domain::PredSplit, ..limits.cegar.clone() };
        let engine = |engine: Engine| Config { engine, cegar: cegar.clone(), ..limits.clone() };
        let list = [Engine::Explicit, Engine::Bmc, Engine::Cegar, Engine::Kind];
        let mut turns = Turns::of(list.map(engine).to_vec(), 1, limits);
        turns.waiting[0].1 = 1;
        turns
    }
    /// The same where time passes.
    pub(crate) fn endless_in_time(limits: &Config) -> Self {
        Turns::of(vec![Config { engine: Engine::Zone, ..limits.clone() }], 1, limits)
    }
    fn of(list: Vec<Config>, questions: usize, limits: &Config) -> Self {
        let net = list.iter().any(|config| config.engine == Engine::Linear);
        let waiting = list.into_iter().map(|config| (config, 0)).collect();
        let (open, last) = ((0..questions).collect(), Statistics::default());
        Turns { waiting, attempts: vec![], last, open, net, limits: limits.clone() }
    }
    /// The next configuration, with its budget.
    pub(crate) fn next(&mut self) -> Option<(Config, u32)> {
        let (config, round) = self.waiting.pop_front()?;
        Some((budgeted(&config, round, self.net, &self.limits), round))
    }
    /// Takes in an answer by a configuration; `None` if somebody else was quicker.
    fn answered(&mut self, config: &Config, mut found: Answered) -> Option<Answered> {
        found.questions.retain(|at| self.open.contains(at));
        self.open.retain(|at| !found.questions.contains(at));
        found.statistics.answered_by = Some(config.clone());
        found.statistics.attempts.clone_from(&self.attempts);
        (!found.questions.is_empty()).then_some(found)
    }
    /// Notes that a configuration has left questions open; it comes again if that may help.
    pub(crate) fn failed(&mut self, config: Config, round: u32, failed: Failed) {
        let limits = &self.limits;
        // Whoever stores no states goes on for as many rounds as those who do.
        let more = limits.state_limit.is_none_or(|most| NODES * GROWTH.pow(round) < most);
        let again = |reason: &Reason| {
            round < ROUNDS
                && match reason {
                    Reason::States(limit) => limits.state_limit.is_none_or(|most| *limit < most),
                    Reason::Steps(limit) => limits.step_limit.is_none_or(|most| *limit < most),
                    Reason::Calls(limit) => more && limits.call_limit.is_none_or(|most| *limit < most),
                    Reason::Bound(bound) => more && limits.bound.is_none_or(|most| *bound < most),
                    Reason::Work => {
                        more && limits.work_limit.is_none_or(|most| config.work_limit < Some(most))
                    }
                    _ => false,
                }
        };
        let helps = failed.iter().position(|(_, reason, _)| again(reason));
        let Some((_, reason, statistics)) = failed.into_iter().nth(helps.unwrap_or(0)) else { return };
        // Only the last word of each counts.
        self.attempts.retain(|other| !other.is_of(&config));
        self.attempts.push(Attempt { states: statistics.states, reason, configuration: config.clone() });
        self.last = statistics;
        if helps.is_some() {
            self.waiting.push_back((config, round + 1));
        }
    }
    /// Lets a configuration that has failed come again after the others, if it does not anyway.
    pub(crate) fn again(&mut self, config: Config, round: u32) {
        if !self.waiting.iter().any(|(other, _)| other.engine == config.engine) {
            self.waiting.push_back((config, round));
        }
    }
    /// What there is to say of the questions that nobody answered, if there are any.
    pub(crate) fn left(&self, stop: &Stop) -> Option<Answered> {
        let reason = if stop.requested() { stop.reason() } else { exhausted(&self.attempts) };
        let statistics = Statistics { attempts: self.attempts.clone(), ..self.last.clone() };
        let answer = Answer::Unknown(reason);
        (!self.open.is_empty()).then_some(Answered { questions: self.open.clone(), answer, statistics })
    }

    fn alone(
        mut self,
        mut questions: Questions,
        stop: &Stop,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(Answered),
    ) {
        while !self.open.is_empty()
            && !stop.requested()
            && let Some((config, round)) = self.next()
        {
            let mut open = self.open.clone();
            observer.turn(&self.attempts, std::slice::from_ref(&config));
            let failed = questions.ask((&config, round), &mut open, stop, observer, &mut |found| {
                self.answered(&config, found).into_iter().for_each(&mut *tell);
            });
            self.failed(config, round, failed);
        }
        self.left(stop).into_iter().for_each(tell);
    }
}

/// What is left to say when nobody answered.
fn exhausted(attempts: &[Attempt]) -> Reason {
    match attempts {
        // All of them would need something else of the model.
        list if list.iter().all(|attempt| matches!(attempt.reason, Reason::Unsupported(_))) => {
            list.first().map_or(Reason::Interrupted, |attempt| attempt.reason.clone())
        }
        list if list.iter().all(|attempt| attempt.reason == list[0].reason) => list[0].reason.clone(),
        list => Reason::Exhausted(list.len()),
    }
}

/// The configurations that fit a model, in order.
fn schedule(system: &System, questions: &[Question], limits: &Config) -> Vec<Config> {
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
        let mut list = vec![explicit, predicates, bounded, induction, values, combined];
        if system.program {
            list.splice(4..4, [engine(Engine::Spacer), engine(Engine::Ic3)]);
            if is_of_bits(system) {
                let bits = |engine: Engine| Config { engine, theory: Theory::Bits, ..limits.clone() };
                list.splice(5..5, [bits(Engine::Spacer), bits(Engine::Kind)]);
            }
        }
        list
    };
    if questions.iter().any(|question| question.mentions_deadlock(system)) {
        // Decides deadlocks by running actions, whatever these do to data.
        list.push(engine(Engine::Zone));
    }
    list
}

/// Whether all integers of a system have ranges, and some of them wrap around or are told apart by bits.
fn is_of_bits(system: &System) -> bool {
    let ranged = |var: ir::VarId| {
        let ty = system.terms.var_type(var);
        !matches!(ty, ir::Type::Array(_)) && (ty != ir::Type::Int || system.vars[var].range.is_some())
    };
    let wraps = |at: usize| {
        matches!(
            system.terms.node(ir::Id::at(at)),
            ir::Node::Mod(..) | ir::Node::BitAnd(..) | ir::Node::BitOr(..) | ir::Node::BitXor(..)
        )
    };
    system.vars.ids().all(ranged) && (0..system.terms.len()).any(wraps)
}

/// A configuration with what it may use in a round.
fn budgeted(config: &Config, round: u32, net: bool, limits: &Config) -> Config {
    let Config { state_limit, step_limit, call_limit, work_limit, bound, .. } = *limits;
    let mut config = Config { state_limit, step_limit, call_limit, work_limit, bound, ..config.clone() };
    if round == ROUNDS && state_limit.is_none() {
        return config;
    }
    let factor = GROWTH.pow(round);
    let least = |budget: u64, limit: Option<u64>| {
        let budget = budget.saturating_mul(factor);
        Some(limit.map_or(budget, |limit| limit.min(budget)))
    };
    match config.engine {
        Engine::Explicit | Engine::Zone | Engine::Lazy | Engine::ZoneCegar => {
            let states = match (net, config.search) {
                (false, _) => STATES,
                (true, Search::Dfs) => DEEP_MARKINGS,
                (true, _) => MARKINGS,
            };
            config.state_limit = least(states, state_limit);
            config.step_limit = least(STEPS, step_limit);
            return config;
        }
        Engine::Bmc | Engine::Kind => {
            let depth = DEPTH << round;
            config.bound = Some(bound.map_or(depth, |limit| limit.min(depth)));
        }
        // Most questions are small.
        Engine::Ic3 => {
            config.call_limit = least(8 * CALLS, call_limit);
            let work = least(u64::from(WORK), work_limit.map(u64::from)).unwrap_or_default();
            config.work_limit = Some(u32::try_from(work).unwrap_or(u32::MAX));
            return config;
        }
        // The first question may be hard, and those after it are easy.
        Engine::Linear => {
            config.call_limit = least(INVARIANTS, call_limit);
            return config;
        }
        _ => config.state_limit = least(NODES, state_limit),
    }
    config.call_limit = least(CALLS, call_limit);
    let work = least(u64::from(WORK), work_limit.map(u64::from)).unwrap_or_default();
    config.work_limit = Some(u32::try_from(work).unwrap_or(u32::MAX));
    config
}

#[cfg(test)]
mod tests;
