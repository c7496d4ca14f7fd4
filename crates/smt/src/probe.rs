//! Whether limits can be enforced here: tried, not believed.
//!
//! Each probe asks for more than its limit allows and looks at what happens. The question is the
//! pigeonhole principle, which takes a few lines to say and exponentially many to refute by
//! resolution; so a solver is busy with it for as long as anybody likes. Every probe ends by itself,
//! because the work of the question is limited as well.

use std::time::{Duration, Instant};

use ir::{Steps, Term, Terms, Type};

use crate::interrupt::Interrupt;
use crate::smtlib::{Sexpr, SmtlibSolver};
use crate::solver::{Answer, Limits, Solver};
use crate::z3::{LoadError, Z3Solver, memory_limit};

/// When a limit stopped a solver, or what happened instead.
pub type Tried = Result<Duration, Failed>;

/// Why a limit is not known to be enforced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// The solver went beyond the limit; how it ended.
    Ignored(String),
    /// It did not come to that, for this reason.
    Untried(String),
}

impl From<Interrupt> for Failed {
    fn from(interrupt: Interrupt) -> Self {
        Failed::Untried(interrupt.to_string())
    }
}

impl From<LoadError> for Failed {
    fn from(error: LoadError) -> Self {
        Failed::Untried(error.to_string())
    }
}

/// Pigeons that are one more than the holes they go to.
const HOLES: u32 = 12;
/// Some seconds of work, in Z3's unit: the end of a probe whose limit does nothing.
const WORK: u32 = 100_000_000;
/// How many formulas are stored at most to reach a memory limit.
const FORMULAS: i64 = 2_000_000;

/// Whether a deadline so far away ends a question; the time it took.
pub fn time(limit: Duration) -> Tried {
    let mut solver = busy()?;
    let started = Instant::now();
    solver.limit(Limits { deadline: Some(started + limit), work: Some(WORK) });
    ended(solver.check(&[]), &Interrupt::Time, started)
}

/// Whether another thread ends a question after this time; the time it took.
pub fn interruption(after: Duration) -> Tried {
    let mut solver = busy()?;
    solver.limit(Limits { deadline: None, work: Some(WORK) });
    let interrupter = solver.interrupter();
    let started = Instant::now();
    let thread = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(after);
        interrupter.interrupt();
    });
    let thread =
        thread.map_err(|error| Failed::Untried(format!("there is no thread to stop it: {error}")))?;
    let answer = solver.check(&[]);
    let result = ended(answer, &Interrupt::Stopped, started);
    thread.join().map_err(|_| Failed::Untried("the other thread failed".into()))?;
    result
}

/// Whether a solver stops at this memory limit; the time until it did.
///
/// The limit is that of the whole program, so other solvers suffer too until this returns; it is
/// lifted then.
pub fn memory(megabytes: u32) -> Tried {
    memory_limit(megabytes)?;
    let started = Instant::now();
    let answer = fill_memory();
    memory_limit(0)?;
    ended(answer, &Interrupt::Memory, started)
}

/// The version that the solver behind a command states, once it has answered a question within this
/// time. As soon as `unwanted` says so, its process is ended.
pub fn command(
    command: &str,
    limit: Duration,
    unwanted: impl Fn() -> bool + 'static,
) -> Result<String, Interrupt> {
    let mut solver = SmtlibSolver::start(command)?;
    solver.end_when(unwanted);
    solver.limit(Limits { deadline: Some(Instant::now() + limit), work: None });
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let (x, zero) = (terms.var(x), terms.int(0));
    let (above, below) = (terms.lt(zero, x), terms.lt(x, zero));
    for (term, expected) in [(above, Answer::Sat), (below, Answer::Unsat)] {
        solver.assert(&terms, term, &Steps::start())?;
        if solver.check(&[])? != expected {
            return Err(Interrupt::Broken {
                solver: command.to_owned(),
                problem: "answers a simple question wrongly".into(),
                output: String::new(),
            });
        }
    }
    let answer = solver.ask("(get-info :version)")?;
    let version = answer.list().and_then(|list| list.get(1)).map(Sexpr::to_string);
    Ok(version.unwrap_or_default().trim_matches('"').to_owned())
}

fn ended(answer: Result<Answer, Interrupt>, expected: &Interrupt, started: Instant) -> Tried {
    match answer {
        Err(interrupt) if interrupt == *expected => Ok(started.elapsed()),
        // The work of the question is limited too, for exactly this case.
        Err(Interrupt::Budget) => Err(Failed::Ignored("it went on until another limit ended it".into())),
        Err(other) => Err(other.into()),
        Ok(_) => Err(Failed::Ignored("the question was answered".into())),
    }
}

/// A solver with a question that it does not answer soon.
fn busy() -> Result<Z3Solver, Interrupt> {
    let mut solver = Z3Solver::new()?;
    let mut terms = Terms::new();
    let mut placed: Vec<Vec<Term>> = vec![];
    for _ in 0..=HOLES {
        let vars: Vec<_> = (0..HOLES).map(|_| terms.declare(Type::Bool)).collect();
        placed.push(vars.into_iter().map(|var| terms.var(var)).collect());
    }
    for (pigeon, holes) in placed.iter().enumerate() {
        let somewhere = terms.or(holes.iter().copied());
        solver.assert(&terms, somewhere, &Steps::start())?;
        for other in &placed[..pigeon] {
            for (here, there) in holes.iter().zip(other) {
                let both = terms.and([*here, *there]);
                let alone = terms.not(both);
                solver.assert(&terms, alone, &Steps::start())?;
            }
        }
    }
    Ok(solver)
}

/// Asserts one formula after the other until there is no room for more.
fn fill_memory() -> Result<Answer, Interrupt> {
    let mut solver = Z3Solver::new()?;
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    for at in 0..FORMULAS {
        let (now, bound) = (terms.var(x), terms.int(at));
        let low = terms.le(bound, now);
        solver.assert(&terms, low, &Steps::start())?;
    }
    Ok(Answer::Sat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_interruption_are_enforced() {
        let limit = Duration::from_millis(100);
        for tried in [time(limit), interruption(limit)] {
            let took = tried.unwrap();
            assert!(took >= limit && took < Duration::from_secs(3), "{took:?}");
        }
    }

    #[test]
    fn what_ended_otherwise_is_told() {
        let now = Instant::now();
        assert!(matches!(ended(Ok(Answer::Sat), &Interrupt::Time, now), Err(Failed::Ignored(_))));
        assert!(matches!(ended(Err(Interrupt::Budget), &Interrupt::Time, now), Err(Failed::Ignored(_))));
        let lack = ended(Err(Interrupt::Memory), &Interrupt::Time, now);
        assert_eq!(lack, Err(Failed::Untried("out of memory".into())));
        assert!(ended(Err(Interrupt::Memory), &Interrupt::Memory, now).is_ok());
    }
}
