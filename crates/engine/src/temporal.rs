//! Questions about whole runs: is there a run whose word satisfies a formula, or is accepted by an automaton?
//!
//! A formula becomes an automaton, and its product with the system ([`ir::monitor`]) an ordinary system, so that all
//! engines can be asked. If the automaton is terminal, the question is one of reachability, and they are asked it as they
//! are; the rest is a search for accepting cycles. What is found in the product is a run of the system with the moves of
//! the monitor left out; that there is nothing is shown by the automaton together with a certificate about the product.
//!
//! Accepting cycles are searched for by listing all states ([`cycles`]), by formulas for lassos of growing length
//! ([`lasso`]), which shows nothing if there is none, and by counting how often a run comes through all acceptance sets
//! ([`counting`]), which shows that there is none where that has a limit. If nobody chooses, they take turns.
//!
//! Questions about runs are answered one by one, for each has a product of its own.

use ir::automaton::Automaton;
use ir::interp::Interp;
use ir::monitor::{NoProduct, counting, product};
use ir::{
    Certificate, Cycle, Descent, Id, NamedVar, PathQuestion, ProcessId, Progress, Question, Run, State, Step,
    System, Term, Words,
};
use ltl::classify::{Violations, violations};

use crate::answer::{Answer, Reason};
use crate::auto::Turns;
use crate::bmc::lasso;
use crate::cause::{NoProgress, Unsupported};
use crate::config::{Config, Engine};
use crate::explicit::{cycles, returns};
use crate::observer::{Observer, Statistics};
use crate::stop::Stop;

/// The states that a question is about, for an engine that answers those about reachability only.
pub(crate) fn target(question: &Question, engine: Engine) -> Result<Term, Unsupported> {
    question.target().ok_or(Unsupported::Endless { engine })
}

/// Searches for a run that answers a question, or that leads to a fault.
pub(crate) fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    match question {
        Question::Reach(_) => crate::search(system, question, config, stop, observer),
        Question::Path(question) => path(system, question, config, stop, observer),
        Question::Trap(goal) => trap(system, *goal, config, stop, observer),
        // Evidence is about words, and only whoever made the product knows which.
        Question::Cycle(_) => {
            let cause = Unsupported::Endless { engine: config.engine };
            (Answer::Unknown(cause.into()), Statistics::default())
        }
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

/// Searches for a run whose word is one of those that are asked for, or that leads to a fault.
fn path(
    system: &System,
    question: &PathQuestion,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let unknown = |cause: Unsupported| (Answer::Unknown(cause.into()), Statistics::default());
    if let Some(clock) = system.clocks().next() {
        return unknown(Unsupported::EndlessTime { clock: NamedVar::of(system, clock) });
    }
    let Some(automaton) = translated(question) else { return unknown(Unsupported::LargeFormula) };
    let (inner, asked) = match product(system, question, &automaton) {
        Ok(product) => product,
        Err(NoProduct::Deadlock(_) | NoProduct::Processes) => return unknown(Unsupported::StuckCondition),
    };
    let (answer, descent, statistics) = match asked {
        Question::Cycle(target) => Cycles { product: &inner, target, stop }.search(config, observer),
        reach => {
            let (answer, statistics) = crate::search(&inner, &reach, config, stop, observer);
            (answer, Descent::Terminal, statistics)
        }
    };
    let answer = match answer {
        Answer::Found(run) => Answer::Found(without_monitor(&inner, run)),
        Answer::Excluded(base) => {
            Answer::Excluded(Certificate::Progress(Box::new(Progress { automaton, base, descent })))
        }
        unknown => unknown,
    };
    (answer, statistics)
}

/// A search for accepting runs of a product.
struct Cycles<'a> {
    product: &'a System,
    target: Term,
    stop: &'a Stop,
}

/// An answer about accepting runs; if there are none, also why.
type Cyclic = (Answer, Descent, Statistics);

/// Rounds through the acceptance sets that are tried as a limit, before the next larger one.
const ROUNDS: [u32; 4] = [0, 1, 3, 7];

impl Cycles<'_> {
    fn search(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        match config.engine {
            Engine::Auto => self.by_turns(config, observer),
            Engine::Explicit => self.listing(config, observer),
            Engine::Bmc => {
                let (answer, statistics) =
                    lasso::search(self.product, self.target, config, self.stop, observer);
                (answer, Descent::Terminal, statistics)
            }
            Engine::Kind | Engine::Cegar => self.counting(config, observer),
            engine => {
                let reason: Reason = Unsupported::Endless { engine }.into();
                (Answer::Unknown(reason), Descent::Terminal, Statistics::default())
            }
        }
    }
    /// By listing all states.
    fn listing(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let (answer, measures, statistics) =
            cycles::search(self.product, self.target, config, self.stop, observer);
        (answer.unwrap_or_else(Answer::Unknown), Descent::Measures(measures), statistics)
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
    fn by_turns(&self, config: &Config, observer: &mut dyn Observer) -> Cyclic {
        let mut turns = Turns::endless(config);
        while !self.stop.requested()
            && let Some((turn, round)) = turns.next()
        {
            observer.turn(&turns.attempts, std::slice::from_ref(&turn));
            let (answer, descent, mut statistics) = self.search(&turn, observer);
            match answer {
                Answer::Unknown(reason) => turns.failed(turn, round, vec![(vec![0], reason, statistics)]),
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
    }
}

/// The run of the system that a run of its product is, with the moves of the monitor left out. Steps in which it moves
/// alone repeat a state in which nothing happens, and does for ever after.
fn without_monitor(product: &System, run: Run) -> Run {
    let monitor = product.monitor.as_ref().map_or(product.processes.len(), |monitor| monitor.process.index());
    let state = |state: State| State { locations: state.locations[..monitor].into(), ..state };
    let mut stuck = false;
    let mut step = |step: Step| {
        let mut edges = step.edges;
        edges.retain(|(process, _): &mut (ProcessId, _)| process.index() != monitor);
        stuck |= edges.is_empty();
        let step = Step { edges, decisions: step.decisions, state: state(step.state) };
        (!step.edges.is_empty()).then_some(step)
    };
    let steps = run.steps.into_iter().filter_map(&mut step).collect();
    let cycle =
        run.cycle.map(|cycle| Cycle { steps: cycle.steps.into_iter().filter_map(&mut step).collect() });
    let cycle = cycle.or(stuck.then_some(Cycle { steps: vec![] }));
    Run { decisions: run.decisions, initial: state(run.initial), steps, cycle }
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
