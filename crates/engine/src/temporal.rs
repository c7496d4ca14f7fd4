//! Questions about whole runs: is there a run whose word satisfies a formula?
//!
//! The formula becomes an automaton, and its product with the system ([`ir::monitor`]) an ordinary system, so that all
//! engines can be asked. If the automaton is terminal, the question is one of reachability, and they are asked it as they
//! are; the rest is a search for accepting cycles. What is found in the product is a run of the system with the moves of
//! the monitor left out; that there is nothing is shown by the automaton together with a certificate about the product.
//!
//! Questions about runs are answered one by one, for each has a product of its own.

use ir::automaton::Automaton;
use ir::monitor::{NoProduct, product};
use ir::{
    Certificate, Cycle, Id, NamedVar, PathQuestion, ProcessId, Progress, Question, Run, State, Step, System,
    Term,
};

use crate::answer::{Answer, Reason};
use crate::cause::Unsupported;
use crate::config::{Config, Engine};
use crate::explicit::cycles;
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
        // Evidence is about words, and only whoever made the product knows which.
        Question::Cycle(_) => {
            let cause = Unsupported::Endless { engine: config.engine };
            (Answer::Unknown(cause.into()), Statistics::default())
        }
    }
}

/// Searches for a run whose word satisfies a formula, or that leads to a fault.
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
    let (answer, measures, statistics) = match asked {
        Question::Cycle(target) => cycle(&inner, target, config, stop, observer),
        reach => {
            let (answer, statistics) = crate::search(&inner, &reach, config, stop, observer);
            (answer, vec![], statistics)
        }
    };
    let answer = match answer {
        Answer::Found(run) => Answer::Found(without_monitor(&inner, run)),
        Answer::Excluded(base) => {
            Answer::Excluded(Certificate::Progress(Box::new(Progress { automaton, base, measures })))
        }
        unknown => unknown,
    };
    (answer, statistics)
}

/// Searches a product for an accepting run.
fn cycle(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Vec<ir::Measure>, Statistics) {
    match config.engine {
        Engine::Auto | Engine::Explicit => {
            let (answer, measures, statistics) = cycles::search(product, target, config, stop, observer);
            (answer.unwrap_or_else(Answer::Unknown), measures, statistics)
        }
        engine => {
            let reason: Reason = Unsupported::Endless { engine }.into();
            (Answer::Unknown(reason), vec![], Statistics::default())
        }
    }
}

/// The automaton of the words that are searched for.
fn translated(question: &PathQuestion) -> Option<Automaton> {
    let _ = question;
    None
}

/// The run of the system that a run of its product is, with the moves of the monitor left out. Steps in which it moves
/// alone repeat a state in which nothing happens.
fn without_monitor(product: &System, run: Run) -> Run {
    let monitor = product.monitor.as_ref().map_or(product.processes.len(), |monitor| monitor.process.index());
    let state = |state: State| State { locations: state.locations[..monitor].into(), ..state };
    let step = |step: Step| {
        let mut edges = step.edges;
        edges.retain(|(process, _): &mut (ProcessId, _)| process.index() != monitor);
        let step = Step { edges, decisions: step.decisions, state: state(step.state) };
        (!step.edges.is_empty()).then_some(step)
    };
    Run {
        decisions: run.decisions,
        initial: state(run.initial),
        steps: run.steps.into_iter().filter_map(step).collect(),
        cycle: run.cycle.map(|cycle| Cycle { steps: cycle.steps.into_iter().filter_map(step).collect() }),
    }
}
