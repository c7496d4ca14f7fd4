//! Random UPPAAL networks: the product against a naive reading of the same text.
//!
//! Certificates and runs are about the system that the front-end makes, so they cannot tell whether it is the
//! one the text means. The naive reading can: it shares nothing with the product but the parser. Verdicts and
//! reachable faults must agree, for the queries of a model, for the state found last and for one beside it, with
//! all evidence certified. `PROPTEST_CASES` sets the number of models.

mod arbitrary;
mod naive;
mod values;

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::{Config, Engine, Quiet, Stop};
use ir::{Decision, Property, Run};
use lang::code::Code;
use lang::xta::ast::Quantifier;
use lang::xta::{self, Format};
use proptest::prelude::*;
use proptest::test_runner::Config as Runs;
use thetis::verdict::{Decided, Evidence, NoVerdict, Verdict};
use thetis::{Check, decide};

use naive::{Answer, Network, Reachable, Unable};

/// How many states the naive search may visit.
const NAIVE_STATES: usize = 4_000;

/// How many calls of solvers an answer about stopwatches may take.
const STOPWATCH_CALLS: u64 = 300;

/// How many calls of solvers each question for a value may take.
const VALUE_CALLS: u64 = 300;

/// What the models turned out to be.
#[derive(Debug, Default)]
struct Seen {
    holds: usize,
    violated: usize,
    fault: usize,
    undefined: usize,
    open: usize,
    /// What only runs find that the naive reading does not know.
    beyond: usize,
    /// Models with too many states or more than is supported, and without an initial one.
    large: usize,
    stuck: usize,
    states: usize,
    alone: usize,
    together: usize,
    blocked: usize,
    extremes: values::Compared,
    features: BTreeMap<&'static str, usize>,
}

#[test]
fn random_networks_mean_what_the_naive_reading_says() {
    let runs = Runs { max_shrink_iters: 20_000, ..sampling::runs(600, 5_121_992) };
    let cases = runs.cases as usize;
    let seen = RefCell::new(Seen::default());
    let decisions = |range| prop::collection::vec(any::<u16>(), range);
    let models = (decisions(100..1_200), decisions(0..100));
    let show = |(network, queries): &(Vec<u16>, Vec<u16>)| arbitrary::model(network, queries).text;
    sampling::check(runs, &models, show, |(network, queries)| {
        let model = arbitrary::model(&network, &queries);
        agree(&model, &mut seen.borrow_mut()).map_err(|why| format!("{why}\n{}", model.text))
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random networks: {seen:#?}");
    if cases < 100 {
        return;
    }
    assert!(
        seen.holds > cases && seen.violated > cases && seen.fault > cases / 2 && seen.undefined > cases / 200,
        "the answers are not varied enough"
    );
    let left_out = [seen.open, seen.beyond];
    assert!(
        seen.large + seen.stuck < cases / 5 && left_out.iter().all(|count| *count < cases / 20),
        "too little is compared"
    );
    assert!(
        seen.alone > 10 * cases && seen.together > cases && seen.blocked > cases / 2,
        "too little happens"
    );
    let extremes = &seen.extremes;
    assert!(
        extremes.values > cases / 2
            && extremes.far.min(extremes.nowhere) > cases / 20
            && extremes.approached > 0,
        "too few values are compared"
    );
    assert!(extremes.open < cases / 20, "too many values are left open");
    let rare: Vec<_> = arbitrary::FEATURES
        .iter()
        .filter(|feature| seen.features.get(*feature).is_none_or(|times| *times < cases / 50))
        .collect();
    assert!(rare.is_empty(), "rare: {rare:?}");
}

/// Whether the product and the naive reading agree on a model.
fn agree(model: &arbitrary::Model, seen: &mut Seen) -> Result<(), String> {
    let (ast, errors) = xta::parse(&model.text, Format::Xta);
    if !errors.is_empty() {
        return Err(format!("does not parse: {errors:?}"));
    }
    let network = able(Network::new(&ast, model.dense))?;
    let loaded = xta::load(&model.text, Format::Xta);
    if !able(network.starts())? {
        seen.stuck += 1;
        return match loaded {
            Err(errors) if errors.iter().all(|error| error.message.contains("at the start")) => Ok(()),
            other => Err(format!("has no initial state, but: {:?}", other.map(|model| model.system))),
        };
    }
    // Priorities are refused where the end of a loop depends on data, of which the generator knows nothing.
    let refusals = [Code::TooLarge, Code::UnsupportedPriority];
    if matches!(&loaded, Err(errors) if errors.iter().all(|error| refusals.contains(&error.code))) {
        seen.large += 1;
        return Ok(());
    }
    let mut loaded = loaded.map_err(|errors| format!("does not load: {errors:?}"))?;
    let reachable = match network.explore(NAIVE_STATES) {
        Err(Unable(why)) if why == naive::TOO_MANY => {
            seen.large += 1;
            return Ok(());
        }
        other => able(other)?,
    };
    seen.count(model, &reachable);
    let mut questions = vec![];
    for ((asked, its), answer) in loaded.questions.iter().zip(&ast.queries).zip(&reachable.answers) {
        let query = asked.as_ref().map_err(|why| format!("{why:?}"))?;
        let property = query.property.clone();
        let quantifier = its.body.as_ref().map_err(|why| format!("{why:?}"))?.quantifier;
        questions.push(Question { text: query.text.clone(), property, quantifier, answer: *answer });
    }
    for (text, yes) in network.about_the_last(&reachable, model.text.len()) {
        let property = loaded.parse_property("state", &text).map_err(|why| format!("{text}: {why:?}"))?;
        let answer = Answer { yes, no: true, wrong: false };
        questions.push(Question { text, property, quantifier: Quantifier::Possibly, answer });
    }
    // Zones do not know stopwatches; about these, those who know them need not come to an end. Copies of clocks concern
    // all who extrapolate or abstract zones.
    let zones = Some(Engine::Zone).filter(|_| !model.stopwatches);
    let lazy = Some(Engine::Lazy).filter(|_| zones.is_some() && model.features.contains("clock copy"));
    let call_limit = Some(STOPWATCH_CALLS).filter(|_| model.stopwatches);
    let fractions = if model.stopwatches { Fractions::Unknown } else { Fractions::Never };
    for engine in [Engine::Auto].into_iter().chain(zones).chain(lazy) {
        let config = Config { engine, state_limit: Some(100_000), call_limit, ..Config::default() };
        for question in &questions {
            compare(&mut loaded, question, &reachable, fractions, &config, seen)
                .map_err(|why| format!("{config}: {}: {why}", question.text))?;
        }
    }
    // A value may only be asked for where nothing goes wrong, and whole units tell what stopwatches show only in part.
    if !reachable.may_fault && !reachable.fault && !model.stopwatches {
        let config = Config { state_limit: Some(20_000), call_limit: Some(VALUE_CALLS), ..Config::default() };
        let check = Check { config, ..Check::default() };
        for extent in network.extents(&reachable, model.text.len()) {
            values::agree(&model.text, &extent, &check, &mut seen.extremes)?;
        }
    }
    Ok(())
}

/// A query, and what the naive reading found out about it.
struct Question {
    text: String,
    property: Property,
    quantifier: Quantifier,
    answer: Answer,
}

fn able<T>(result: Result<T, Unable>) -> Result<T, String> {
    result.map_err(|Unable(why)| format!("the naive reading is not able: {why}"))
}

/// What the naive reading knows of runs in which time does not pass in whole units.
#[derive(Copy, Clone, PartialEq)]
enum Fractions {
    /// They find nothing else than the others.
    Never,
    /// They may.
    Unknown,
}

/// Whether time passes in whole units.
fn is_whole(run: &Run) -> bool {
    let decisions = run.decisions.iter().chain(run.steps.iter().flat_map(|step| &step.decisions));
    decisions.into_iter().all(|decision| match decision {
        Decision::Delay(amount) => amount.denominator() == 1.into(),
        _ => true,
    })
}

/// Whether the product may answer what it does.
fn compare(
    model: &mut lang::Model,
    question: &Question,
    reachable: &Reachable,
    fractions: Fractions,
    config: &Config,
    seen: &mut Seen,
) -> Result<(), String> {
    let Question { property, quantifier, answer, .. } = question;
    let judged = decide::decide(&mut model.system, property, config, true, &Stop::new(), &mut Quiet);
    let target = match quantifier {
        Quantifier::Possibly => answer.yes,
        Quantifier::Always => answer.no,
        Quantifier::Inevitably | Quantifier::Invariably | Quantifier::LeadsTo | Quantifier::Unanswered => {
            return Err("the generator asks about states only".to_owned());
        }
    };
    let run = match &judged.result {
        Ok(Verdict { evidence: Evidence::Run(run), .. }) => Some(run),
        Err(NoVerdict::Fault(_, run) | NoVerdict::Undefined(_, run)) => Some(run),
        _ => None,
    };
    let beyond = fractions == Fractions::Unknown && run.is_some_and(|run| !is_whole(run));
    let (found, right) = match judged.result {
        Ok(verdict) => match verdict.answer {
            Decided::Unknown(reason) => {
                seen.open += 1;
                (format!("unknown, {reason}"), true)
            }
            _ if !verdict.certified => return Err(format!("not certified: {verdict}")),
            decided => {
                let holds = matches!(decided, Decided::Holds);
                *if holds { &mut seen.holds } else { &mut seen.violated } += 1;
                match holds == (*quantifier == Quantifier::Possibly) {
                    true => ("a run".to_owned(), target),
                    false => ("a certificate".to_owned(), !target && !answer.wrong && !reachable.fault),
                }
            }
        },
        Err(NoVerdict::Fault(fault, _)) => {
            seen.fault += 1;
            (format!("{:?}", model.system.faults[fault]), reachable.may_fault)
        }
        Err(NoVerdict::Undefined(fault, _)) => {
            seen.undefined += 1;
            (format!("{fault:?} in the query"), answer.wrong)
        }
        Err(refused) => return Err(format!("{refused:?}")),
    };
    if right {
        return Ok(());
    }
    if beyond {
        seen.beyond += 1;
        return Ok(());
    }
    Err(format!(
        "found {found}, but the target is reachable: {target}, goes wrong: {}, and a fault must be found: {}, or \
         may be: {}",
        answer.wrong, reachable.fault, reachable.may_fault
    ))
}

impl Seen {
    fn count(&mut self, model: &arbitrary::Model, reachable: &Reachable) {
        self.states += reachable.states;
        self.alone += reachable.alone;
        self.together += reachable.together;
        self.blocked += reachable.blocked;
        for feature in &model.features {
            *self.features.entry(feature).or_default() += 1;
        }
    }
}
