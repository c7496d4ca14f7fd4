//! The algorithms: each reads a [`ir::System`] and a [`Question`] and answers with evidence.
//!
//! An engine answers [`Answer::Found`] with a run or [`Answer::Excluded`] with a certificate,
//! or says why it does not know. It never decides what that means for the user's property, and what
//! it says is believed only after `certify` has checked it.
//!
//! ```
//! use thetis_engine::{Answer, Config, Quiet, Stop, search};
//!
//! let text = "var n : integer = 0 trans { assume n < 3; n := n + 1; } prop { n <= 2 }";
//! let mut model = lang::xsts::load(text).unwrap();
//! let property = model.property().unwrap();
//! let question = model.system.question(property.claim);
//! let (answer, _) = search(&model.system, &question, &Config::default(), &Stop::new(), &mut Quiet);
//! assert!(matches!(answer, Answer::Found(run) if run.steps.len() == 7));
//! ```

mod choice;
mod config;
mod description;
mod cause;
mod answer;
mod remedy;
mod observer;
mod stop;
mod pass;
mod concrete;
mod preprocess;
mod several;
mod temporal;
mod recurrence;
pub mod auto;
pub mod bmc;
pub mod cegar;
pub mod explicit;
pub mod ic3;
pub mod kind;
pub mod lazy;
pub mod linear;
pub mod local;
pub mod spacer;
pub mod split;
pub mod zone;
pub mod zone_cegar;

pub use answer::{Answer, Reason, codes};
pub use auto::{Contents, Order};
pub use cause::{Contradiction, Feature, InternalError, NoProgress, Outgrown, SolverFailure, Unsupported};
pub use choice::{Choice, ConfigError, Needs};
pub use config::{
    AutoExpl, Cegar, ClockStrategy, Config, Covering, DataStrategy, Domain, Encoding, Engine,
    InitialPrecision, LassoRefinement, LassoSearch, PredicateSplit, Prune, Refinement, Search, Theory,
    UnknownChoice, ZoneStrategy,
};
pub use description::{Description, Procedure, SearchOne, Timing};
pub use observer::{
    Attempt, BoundedStatistics, CegarStatistics, CombinedStatistics, LazyStatistics, Observer, Phase,
    Progress, Quiet, Statistics, ZoneCegarStatistics,
};
pub use pass::{Lift, Pass, Pipeline, Preserves, Problem};
pub use preprocess::{RewriteKind, Rewriting, Rewritings, preprocess};
pub use remedy::Remedy;
pub use several::Answered;
pub use stop::Stop;

use ir::{Question, System};

use several::{Hunt, Rest};

/// Searches `system` for a run that answers a question, or that leads to a fault.
///
/// Systems are preprocessed, if that is wanted; time becomes data for engines that know nothing else. What is
/// answered is about the system as it was.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let mut answer = None;
    search_all(system, std::slice::from_ref(question), config, stop, observer, &mut |found| {
        answer = Some((found.answer, found.statistics));
    });
    answer.expect("every question is answered")
}

/// Answers several questions at once: for each, whether there is a run that answers it, or one that leads to a fault.
/// Every question is told of once, when its answer is known.
pub fn search_all(
    system: &System,
    questions: &[Question],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    let about_states = |at: &usize| matches!(questions[*at], Question::Reach(_));
    let (states, runs): (Vec<usize>, Vec<usize>) = (0..questions.len()).partition(about_states);
    if !states.is_empty() {
        let list: Vec<Question> = states.iter().map(|at| questions[*at].clone()).collect();
        let mut tell = |found: Answered| {
            let questions = found.questions.iter().map(|at| states[*at]).collect();
            tell(Answered { questions, ..found });
        };
        reach_all(system, &list, config, stop, observer, &mut tell);
    }
    let mut asked = temporal::Runs::new(system, stop);
    for at in runs {
        let (answer, statistics) = asked.search(&questions[at], config, observer);
        tell(Answered { questions: vec![at], answer, statistics });
    }
}

/// Answers several questions about reachability.
fn reach_all(
    system: &System,
    questions: &[Question],
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    if config.engine == Engine::Auto {
        return auto::search_all(system, questions, config, stop, observer, tell);
    }
    let work = preprocess::prepare(system, questions, config, stop);
    let mut open = (0..questions.len()).collect();
    let asked = (system, questions);
    let failed = several::shared(asked, work.as_ref(), &mut open, config, stop, observer, tell);
    for (questions, reason, statistics) in failed {
        tell(Answered { questions, answer: Answer::Unknown(reason), statistics });
    }
}

/// Searches by one engine for what is open.
fn run(
    system: &System,
    config: &Config,
    observer: &mut dyn Observer,
    hunt: &mut Hunt<'_>,
) -> (Rest, Statistics) {
    config.engine.description().procedure.run(system, config, observer, hunt)
}
