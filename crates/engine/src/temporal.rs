//! Questions about whole runs: is there a run whose word satisfies a formula, or is accepted by an automaton?
//!
//! A formula becomes an automaton, and its product with the system ([`ir::monitor`]) an ordinary system, so that all
//! engines can be asked. If the automaton is terminal, the question is one of reachability, and they are asked it as they
//! are; the rest is a search for accepting cycles. What is found in the product is a run of the system with the moves of
//! the monitor left out; that there is nothing is shown by the automaton together with a certificate about the product.
//!
//! Accepting cycles are searched for by listing all states ([`cycles`]), by formulas for lassos of growing length
//! ([`lasso`]), which shows nothing if there is none, by abstraction refinement ([`crate::cegar::lasso`]), and by counting
//! how often a run comes through all acceptance sets ([`counting`]), which shows that there is none where that has a limit.
//! Where time passes, they are searched for among zones ([`crate::zone::cycles`]). If nobody chooses, they take turns.
//!
//! Products are preprocessed like other systems, for a monitor is a process and what it reads is kept. A lasso need not
//! close where variables are that were left out; then it has a recurrent set, which says what the smaller product has in
//! common with the one it was made of.
//!
//! Questions about runs are answered one by one, for each has a product of its own. What they share is the list of the
//! states of the system, over which their automata walk ([`pairs`](crate::explicit::pairs)) where that can be done.

use ir::automaton::Automaton;
use ir::interp::Interp;
use ir::monitor::{NoProduct, counting, product, some_clock};
use ir::{
    Certificate, Cycle, Descent, Id, NamedVar, NoIdling, PathQuestion, ProcessId, Progress, Question, Run,
    State, Step, System, Term, Type, VarId, Words,
};
use ltl::classify::{Violations, violations};

use crate::answer::{Answer, Reason};
use crate::auto::Turns;
use crate::bmc::lasso;
use crate::cause::{NoProgress, Unsupported};
use crate::config::{Config, Engine};
use crate::explicit::pairs::Listing;
use crate::explicit::{cycles, returns};
use crate::observer::{Observer, Statistics};
use crate::pass::{Pipeline, Problem};
use crate::preprocess::{ClockEncoding, Rewritings, preprocess};
use crate::recurrence::{is_recurrent, recurrent};
use crate::stop::Stop;
use crate::zone::returning::{returning, returns};

/// The states that a question is about, for an engine that answers those about reachability only.
pub(crate) fn target(question: &Question, engine: Engine) -> Result<Term, Unsupported> {
    question.target().ok_or(Unsupported::Endless { engine })
}

/// Questions about the runs of a system, which may be several.
pub(crate) struct Runs<'a> {
    system: &'a System,
    stop: &'a Stop,
    /// The states that have been listed, for the next question.
    listing: Option<Listing<'a>>,
}

impl<'a> Runs<'a> {
    /// Nothing asked yet.
    pub(crate) fn new(system: &'a System, stop: &'a Stop) -> Self {
        Runs { system, stop, listing: None }
    }
    /// Searches for a run that answers a question, or that leads to a fault.
    pub(crate) fn search(
        &mut self,
        question: &Question,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> (Answer, Statistics) {
        match question {
            Question::Reach(_) => crate::search(self.system, question, config, self.stop, observer),
            Question::Path(question) => self.path(question, config, observer),
            Question::Trap(goal) => trap(self.system, *goal, config, self.stop, observer),
            // Evidence is about words, and only whoever made the product knows which.
            Question::Cycle(_) => {
                let cause = Unsupported::Endless { engine: config.engine };
                (Answer::Unknown(cause.into()), Statistics::default())
            }
        }
    }
    /// Searches for a run whose word satisfies a formula, or that leads to a fault.
    fn path(
        &mut self,
        question: &PathQuestion,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> (Answer, Statistics) {
        let system = self.system;
        let unknown = |cause: Unsupported| (Answer::Unknown(cause.into()), Statistics::default());
        if let Some(clock) = read_clock(system, question) {
            return unknown(Unsupported::EndlessTime { clock: NamedVar::of(system, clock) });
        }
        let Some(automaton) = translated(question) else { return unknown(Unsupported::LargeFormula) };
        let (answer, descent, statistics) = match self.answer(question, &automaton, config, observer) {
            Ok(answered) => answered,
            Err(NoProduct::Idling(NoIdling::Stopwatch(clock))) => {
                return unknown(Unsupported::UnevenClock { clock: NamedVar::of(system, clock) });
            }
            Err(NoProduct::DeadlockInTime(clock)) => {
                return unknown(Unsupported::EndlessTime { clock: NamedVar::of(system, clock) });
            }
            Err(NoProduct::Letters) => return unknown(Unsupported::LargeFormula),
            Err(NoProduct::Deadlock(_) | NoProduct::Processes | NoProduct::Unread | NoProduct::Idling(_)) => {
                return unknown(Unsupported::StuckCondition);
            }
        };
        let answer = match answer {
            Answer::Excluded(base) => {
                Answer::Excluded(Certificate::Progress(Box::new(Progress { automaton, base, descent })))
            }
            other => other,
        };
        (answer, statistics)
    }
    /// Searches for a run whose word the automaton accepts.
    fn answer(
        &mut self,
        question: &PathQuestion,
        automaton: &Automaton,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> Result<Cyclic, NoProduct> {
        let (system, stop) = (self.system, self.stop);
        let mut walk = Walk { question, automaton, listing: None };
        if matches!(config.engine, Engine::Auto | Engine::Explicit) && Listing::applies(system, question) {
            walk.listing = Some(self.listing.get_or_insert_with(|| Listing::new(system, stop)));
        }
        // Where others would be asked about reachability, listing comes first.
        if automaton.is_terminal() {
            let first = || Turns::endless(config).next().map(|(turn, _)| turn);
            let turn = if config.engine == Engine::Auto { first() } else { None };
            let found = walk.search(turn.as_ref().unwrap_or(config), observer);
            if let Some((answer @ (Answer::Found(_) | Answer::Excluded(_)), descent, mut statistics)) = found
            {
                statistics.answered_by = turn;
                return Ok((answer, descent, statistics));
            }
        }
        let (inner, asked) = product(system, question, automaton)?;
        Ok(match asked {
            Question::Cycle(target) => {
                let cycles = Cycles { product: &inner, target, stop };
                match config.engine {
                    Engine::Auto => cycles.by_turns(&mut walk, config, observer),
                    Engine::Explicit => cycles.by_listing(walk, config, observer),
                    _ => cycles.turn(&mut walk, true, config, observer),
                }
            }
            reach => {
                let (answer, statistics) = crate::search(&inner, &reach, config, stop, observer);
                (without_monitor(&inner, answer, stop), Descent::Terminal, statistics)
            }
        })
    }
}

/// Searches for a run into a trap, or that leads to a fault: by listing all states, for nobody else can.
fn trap(
    system: &System,
    goal: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    match config.engine {
        Engine::Explicit => returns::search(system, goal, config, stop, observer),
        Engine::Auto => {
            let config = Config { engine: Engine::Explicit, ..config.clone() };
            let (answer, mut statistics) = returns::search(system, goal, &config, stop, observer);
            statistics.answered_by = Some(config);
            (answer, statistics)
        }
        engine => (Answer::Unknown(Unsupported::Branching { engine }.into()), Statistics::default()),
    }
}

/// A walk over listed states, if they can be listed.
struct Walk<'w, 'a> {
    question: &'w PathQuestion,
    automaton: &'w Automaton,
    listing: Option<&'w mut Listing<'a>>,
}

impl Walk<'_, '_> {
    /// Searches for a run whose word the automaton accepts, unless that takes the product itself.
    fn search(&mut self, config: &Config, observer: &mut dyn Observer) -> Option<Cyclic> {
        let found = self.listing.as_mut()?.search(self.question, self.automaton, config, observer);
        if found.is_none() {
            self.listing = None;
        }
        found
    }
}

/// A search for accepting runs of a product.
struct Cycles<'a> {
    product: &'a System,
    target: Term,
    stop: &'a Stop,
}

/// An answer about accepting runs; if there are none, also why.
type Cyclic = (Answer, Descent, Statistics);

/// A way to search a product.
type Search = fn(&Cycles<'_>, &Config, &mut dyn Observer) -> Cyclic;

/// Rounds through the acceptance sets that are tried as a limit, before the next larger one.
const ROUNDS: [u32; 4] = [0, 1, 3, 7];

impl Cycles<'_> {
    /// Lets one engine search for an accepting run, for the first time or once more, and leaves the monitor out of it.
    fn turn(
        &self,
        walk: &mut Walk<'_, '_>,
        first: bool,
        config: &Config,
        observer: &mut dyn Observer,
    ) -> Cyclic {
        if config.engine == Engine::Explicit
            && let Some(found) = walk.search(config, observer)
            && (first || !matches!(found.0, Answer::Unknown(_)))
        {
            return found;
        }
        let timed = self.product.timed().is_some();
        let (answer, descent, statistics) = match config.engine {
            Engine::Bmc if timed => self
                .encoded(config, observer, |product, config, observer| product.unrolling(config, observer)),
            Engine::Explicit | Engine::Cegar if timed => {
                let clock = self.product.clocks().next().expect("time passes");
                let clock = NamedVar::of(self.product, clock);
                let reason: Reason = Unsupported::Clock { clock, engine: config.engine }.into();
                (Answer::Unknown(reason), Descent::Terminal, Statistics::default())
            }
            Engine::Explicit if first => self.list_among(Rewritings::OneToOne, config, observer),
            Engine::Explicit => self.list_among(Rewritings::All, config, observer),
            Engine::Bmc => self.prepared(Rewritings::All, config, observer, |product, config, observer| {
                product.unrolling(config, observer)
            }),
            Engine::Cegar => self.prepared(Rewritings::All, config, observer, |product, config, observer| {
                product.refining(config, observer)
            }),
            Engine::Kind => self.counting(config, observer),
            Engine::Zone => {
                self.prepared(Rewritings::Zones, config, observer, |product, config, observer| {
                    product.among_zones(config, observer)
                })
            }
            engine => {
                let reason: Reason = Unsupported::Endless { engine }.into();
                (Answer::Unknown(reason), Descent::Terminal, Statistics::default())
            }
        };
        (without_monitor(self.product, answer, self.stop), descent, statistics)
    }
    /// By listing states, and if there are too many, those of a smaller product.
    fn by_listing(&self, mut walk: Walk<'_, '_>, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let found = self.turn(&mut walk, true, config, observer);
        if !config.preprocess || !matches!(found.0, Answer::Unknown(_)) {
            return found;
        }
        walk.listing = None;
        self.turn(&mut walk, false, config, observer)
    }
    /// In a product that has become smaller, if that is wanted and something can be done; what is found is about the
    /// product as it was. If that has no such evidence, it is searched itself.
    fn prepared(
        &self,
        which: Rewritings,
        config: &Config,
        observer: &mut dyn Observer,
        search: Search,
    ) -> Cyclic {
        let work = config
            .preprocess
            .then(|| preprocess(self.product, &[Question::Cycle(self.target)], which, self.stop));
        let smaller = work.as_ref().filter(|work| !work.is_identity());
        if let Some(work) = smaller
            && let [Question::Cycle(target)] = work.problem.questions[..]
        {
            let smaller = Cycles { product: &work.problem.system, target, stop: self.stop };
            let (answer, descent, mut statistics) = search(&smaller, config, observer);
            statistics.preprocessing.clone_from(&work.summary);
            if let Some((answer, descent)) = work.lift_endless(answer, descent, self.stop)
                && let Some(answer) = self.settled(answer, &work.problem.system, config)
            {
                return (answer, descent, statistics);
            }
        }
        search(self, config, observer)
    }
    /// In the product with time as data; what is found comes back to the very state that it began in.
    fn encoded(&self, config: &Config, observer: &mut dyn Observer, search: Search) -> Cyclic {
        let questions = vec![Question::Cycle(self.target)];
        let mut work = Pipeline::new(Problem { system: self.product.clone(), questions });
        work.apply(&ClockEncoding, self.stop);
        let inner = Cycles { product: &work.problem.system, target: self.target, stop: self.stop };
        let (answer, descent, statistics) = search(&inner, config, observer);
        let recurs = |run: &Run| run.cycle.as_ref().is_some_and(|cycle| cycle.head.is_some());
        let answer = match work.lift(answer, self.stop) {
            Some(Answer::Found(run)) if recurs(&run) => None,
            answer => answer,
        };
        let answer = answer.unwrap_or(Answer::Unknown(Unsupported::UnlistedRun.into()));
        (answer, descent, statistics)
    }
    /// An answer about a smaller product that was lifted, with a recurrent set for its cycle if that does not close: one of
    /// which people can make something, or else what was lifted; `None` if that is none. Where time passes, all data must
    /// come back, for which it may take several rounds.
    fn settled(&self, answer: Answer, smaller: &System, config: &Config) -> Option<Answer> {
        let Answer::Found(run) = answer else { return Some(answer) };
        if self.product.timed().is_some() {
            if returns(self.product, &run) {
                return Some(Answer::Found(run));
            }
            let kept: Vec<VarId> = smaller.state_vars().collect();
            let run = returning(self.product, &run, &kept, self.stop).ok().flatten();
            return run.map(Answer::Found);
        }
        let Some(head) = run.cycle.as_ref().and_then(|cycle| cycle.head.clone()) else {
            return Some(Answer::Found(run));
        };
        if let Ok(Some(plain)) = recurrent(self.product, &run, config, self.stop) {
            return Some(Answer::Found(run.within(Some(plain))));
        }
        let recurs = is_recurrent(self.product, &run, &head, config, self.stop) == Ok(true);
        recurs.then_some(Answer::Found(run))
    }
    /// By listing all states of a product made smaller in some ways. Different states may be the same then, so that there
    /// may be few enough of them; but a lasso may be longer than it has to be.
    fn list_among(&self, which: Rewritings, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        self.prepared(which, config, observer, |product, config, observer| product.listing(config, observer))
    }
    /// By formulas for lassos of growing length.
    fn unrolling(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let (answer, statistics) = lasso::search(self.product, self.target, config, self.stop, observer);
        (answer, Descent::Terminal, statistics)
    }
    /// By abstraction refinement.
    fn refining(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        crate::cegar::lasso::search(self.product, self.target, config, self.stop, observer)
    }
    /// By listing all states.
    fn listing(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let (answer, measures, statistics) =
            cycles::search(self.product, self.target, config, self.stop, observer);
        (answer.unwrap_or_else(Answer::Unknown), Descent::Measures(measures), statistics)
    }
    /// By zones, where time passes.
    fn among_zones(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        crate::zone::cycles::search(self.product, self.target, config, self.stop, observer)
    }
    /// By counting rounds: if there is a limit to them, no run is accepting; otherwise nothing is known.
    fn counting(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let mut last = None;
        for most in ROUNDS {
            if self.stop.requested() {
                break;
            }
            let (counting, asked) = counting(self.product, self.target, most);
            let (answer, statistics) = crate::search(&counting, &asked, config, self.stop, observer);
            match answer {
                Answer::Excluded(base) => {
                    return (Answer::Excluded(base), Descent::Rounds(most), statistics);
                }
                Answer::Found(run) => {
                    let run = self.without_counters(run);
                    if self.is_target(&run) {
                        return (Answer::Found(run), Descent::Terminal, statistics);
                    }
                    last = Some((NoProgress::Rounds { most }.into(), statistics));
                }
                Answer::Unknown(reason) => last = Some((reason, statistics)),
            }
        }
        let (reason, statistics) = last.unwrap_or_else(|| (self.stop.reason(), Statistics::default()));
        (Answer::Unknown(reason), Descent::Terminal, statistics)
    }
    /// The run of the product that a run of the product that counts is; the counters are the last variables.
    fn without_counters(&self, mut run: Run) -> Run {
        let count = self.product.state_vars().count();
        let states =
            std::iter::once(&mut run.initial).chain(run.steps.iter_mut().map(|step| &mut step.state));
        states.for_each(|state| state.values = state.values[..count].into());
        run
    }
    /// Whether a run of the product ends in its target, or at a fault.
    fn is_target(&self, run: &Run) -> bool {
        let mut system = self.product.clone();
        let last = run.last();
        if system.is_fault(&last.locations) {
            return true;
        }
        let Ok(here) = ir::at_state(&mut system, self.target, last) else { return false };
        matches!(Interp::new(&system, Some(self.stop.flag())).find(last, here), Ok(Some(_)))
    }
    /// By whoever answers first, each with a budget that grows from round to round.
    fn by_turns(&self, walk: &mut Walk<'_, '_>, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let mut turns = match self.product.timed() {
            Some(_) => Turns::endless_in_time(config),
            None => Turns::endless(config),
        };
        while !self.stop.requested()
            && let Some((turn, round)) = turns.next()
        {
            observer.turn(&turns.attempts, std::slice::from_ref(&turn));
            // States are merged only after others have looked for lassos, which are short then.
            let first = turns.attempts.is_empty();
            let (answer, descent, mut statistics) = self.turn(walk, first, &turn, observer);
            match answer {
                Answer::Unknown(reason) => {
                    turns.failed(turn.clone(), round, vec![(vec![0], reason, statistics)]);
                    if first && turn.engine == Engine::Explicit && config.preprocess {
                        turns.again(turn, round);
                    }
                }
                answer => {
                    statistics.answered_by = Some(turn);
                    statistics.attempts = turns.attempts;
                    return (answer, descent, statistics);
                }
            }
        }
        let left = turns.left(self.stop).expect("nobody has answered");
        (left.answer, Descent::Terminal, left.statistics)
    }
}

/// The automaton of the words that are searched for; `None` if it is too large. It shows by its sinks which beginnings of
/// words are enough.
fn translated(question: &PathQuestion) -> Option<Automaton> {
    match &question.words {
        // What is searched for is what violates the negated formula.
        Words::Satisfying(formula) => {
            let Violations { automaton, universal, .. } = violations(&formula.negated()).ok()?;
            automaton.plain(&universal)
        }
        Words::Accepted(automaton) => Some(Automaton::clone(automaton)),
        Words::Late(response) => Some(response.automaton()),
    }
}

/// A clock that an atom of a question looks at. Between two steps its value changes, and what is read is a state.
fn read_clock(system: &System, question: &PathQuestion) -> Option<VarId> {
    let conditions = question.atoms.iter().chain([&question.undefined]);
    conditions.into_iter().find_map(|condition| some_clock(&system.terms, *condition))
}

/// The answer with the run of the system that a run of its product is: the moves of the monitor are left out. Steps in which
/// it moves alone repeat a state in which nothing happens, and does for ever after; so does the last state of a run that
/// is accepted because it may stay there.
fn without_monitor(product: &System, answer: Answer, stop: &Stop) -> Answer {
    let Answer::Found(run) = answer else { return answer };
    let monitor = product.monitor.as_ref().map_or(product.processes.len(), |monitor| monitor.process.index());
    let own = product.monitor.iter().flat_map(ir::monitor::Monitor::clocks).count();
    let count = product.state_vars().count() - own;
    let mut stuck = run.cycle.is_none() && ends(product, &run, stop);
    let state = |state: State| State {
        locations: state.locations[..monitor].into(),
        values: state.values[..count].into(),
    };
    let mut step = |step: Step| {
        let mut edges = step.edges;
        edges.retain(|(process, _): &mut (ProcessId, _)| process.index() != monitor);
        stuck |= edges.is_empty();
        let step = Step { edges, decisions: step.decisions, state: state(step.state) };
        (!step.edges.is_empty()).then_some(step)
    };
    let steps = run.steps.into_iter().filter_map(&mut step).collect();
    let cycle = run.cycle.map(|Cycle { steps, head }| {
        let steps: Vec<Step> = steps.into_iter().filter_map(&mut step).collect();
        // The head speaks of the variables of the system; what is stuck has none.
        Cycle { head: head.filter(|_| !steps.is_empty()), steps }
    });
    let cycle = cycle.or(stuck.then_some(Cycle { steps: vec![], head: None }));
    let run = Run { decisions: run.decisions, initial: state(run.initial), steps, cycle };
    Answer::Found(closed(product, run))
}

/// Whether a run of a product is accepted because it may stay for ever in the state that it ends in.
fn ends(product: &System, run: &Run, stop: &Stop) -> bool {
    let Some(ends) = product.monitor.as_ref().map(|monitor| monitor.ends) else { return false };
    let mut system = product.clone();
    let last = run.last();
    if !system.is_observed(&last.locations) {
        return false;
    }
    let Ok(here) = ir::at_state(&mut system, ends, last) else { return false };
    matches!(Interp::new(&system, Some(stop.flag())).find(last, here), Ok(Some(_)))
}

/// A lasso without a head if it comes back to the very state that its cycle begins in, be it a round earlier; and else
/// one whose stem does not end with a round, if that can be the one that is repeated.
fn closed(system: &System, run: Run) -> Run {
    let Some(Cycle { steps, head }) = &run.cycle else { return run };
    let length = steps.len();
    let states: Vec<&State> = run.states().collect();
    let start = run.steps.len();
    let same_edges = |stem: &[Step]| stem.iter().zip(steps).all(|(a, b)| a.edges == b.edges);
    let repeats = length > 0 && start >= length && same_edges(&run.steps[start - length..]);
    let exact = |at: usize| states[at] == states[at + length];
    let clocks: Vec<bool> =
        system.state_vars().map(|var| system.terms.var_type(var) == Type::Clock).collect();
    let alike = |at: usize| {
        let mut values = states[at].values.iter().zip(&states[at + length].values).zip(&clocks);
        values.all(|((a, b), clock)| *clock || a == b)
    };
    let earlier = |run: Run| {
        let mut run = run.once_around();
        run.steps.truncate(start);
        run.around(start - length)
    };
    if length == 0 || head.is_none() {
        run
    } else if repeats && exact(start - length) {
        earlier(run)
    } else if exact(start) {
        run.within(None)
    } else if repeats && alike(start - length) {
        let head = head.as_deref().cloned();
        earlier(run).within(head)
    } else {
        run
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ltl::parse::{Names, parse};

    use super::*;

    /// Whether the judge can follow the automaton of the words that violate a formula.
    fn is_covered(text: &str) -> bool {
        let mut names = Names::default();
        let formula = parse(text, &mut names).unwrap().formula;
        let mut terms = ir::Terms::default();
        let undefined = terms.bool(false);
        let formula = Arc::new(formula.negated());
        let words = Words::Satisfying(formula.clone());
        let question = PathQuestion { words, atoms: vec![undefined; names.iter().len()], undefined };
        let automaton = translated(&question).expect("not too large");
        assert!(automaton.is_well_formed(question.atoms.len()), "{text}");
        certify::covers(&formula, &automaton, &AtomicBool::new(false)) == Ok(true)
    }

    #[test]
    fn the_judge_can_follow_every_automaton() {
        for formula in
            ["G p", "F G p", "G (p -> F q)", "p U (q U r)", "G F p -> G F q", "F (p & X (q | F r))"]
        {
            assert!(is_covered(formula), "{formula}");
        }
        let list =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl/known-formulas.csv");
        let Ok(text) = std::fs::read_to_string(&list) else {
            println!("skipped: {} is not there", list.display());
            return;
        };
        let missed: Vec<&str> = text
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').nth(2))
            .filter(|formula| !is_covered(formula) || !is_covered(&format!("!({formula})")))
            .collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
