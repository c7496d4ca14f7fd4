//! The reference checker and the fast one say the same of the same evidence: of what engines find for every case, of what
//! they find for random models and formulas, and of forgeries of it.
//!
//! Either may be unable to decide. The fast one may refuse what is right, in a few ways that are listed; it may never
//! accept what the reference refuses, nor the reference what the fast one has reason to refuse.

mod forge;
mod runs;

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use thetis::certify::{Checker, Evidence, Flaw, FormulaFlaw, Judge, Rejection, Shown, SolverChoice};
use thetis::engine::{self, Answer, Config, Domain, Engine, Quiet, Stop};
use thetis::ir::{Certificate, Question, System};
use thetis::lang::xsts::{self, arbitrary};
use thetis::{Model, Scope, pose};

use forge::forgery;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Lists with more entries than this are left to the fast checker here: each of them is several questions to a solver.
fn most_entries() -> usize {
    if is_thorough() { 150 } else { 25 }
}

/// Whether more is asked for than a change can wait for.
fn is_thorough() -> bool {
    std::env::var_os("PROPTEST_CASES").is_some()
}

/// What became of evidence.
#[derive(Default, Debug)]
struct Tally {
    accepted: u32,
    refused: u32,
    /// Refused by the fast checker alone, for a reason that is known.
    stricter: u32,
    /// One of them could not decide.
    undecided_by_fast: u32,
    undecided_by_reference: u32,
    /// Not asked.
    large: u32,
}

impl Tally {
    /// Has both checkers judge evidence; what they disagree about is an error.
    fn compare(
        &mut self,
        system: &System,
        question: &Question,
        evidence: Evidence<'_>,
    ) -> Result<(), String> {
        if size(evidence) > most_entries() {
            self.large += 1;
            return Ok(());
        }
        let fast = Judge::new(system).check(question, evidence, &GO_ON);
        let plain = Judge::by(Checker::Reference(SolverChoice::Z3), system).check(question, evidence, &GO_ON);
        let count = match (&fast, &plain) {
            (Ok(one), Ok(other)) if one == other => &mut self.accepted,
            (Err(Rejection::Wrong(_)), Err(Rejection::Wrong(_))) => &mut self.refused,
            (Err(Rejection::Undecided(_)), _) => &mut self.undecided_by_fast,
            (_, Err(Rejection::Undecided(_))) => &mut self.undecided_by_reference,
            (Err(Rejection::Wrong(why)), Ok(_)) if is_strict(&why.flaw, evidence) => &mut self.stricter,
            _ => return Err(format!("fast: {}; reference: {}", Said(&fast), Said(&plain))),
        };
        *count += 1;
        Ok(())
    }
}

struct Said<'a>(&'a Result<Shown, Rejection>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(shown) => write!(f, "{shown:?}"),
            Err(why) => write!(f, "{why} ({})", why.code()),
        }
    }
}

/// Reasons of the fast checker that are no reasons for the reference: it looks for one listed zone, or for pieces along
/// differences of clocks, where the zones together will do; it refuses constants that it does not calculate with; and it
/// refuses quotients that substitution could change.
fn is_strict(flaw: &Flaw, evidence: Evidence<'_>) -> bool {
    let zones = matches!(evidence, Evidence::Certificate(Certificate::Zones(_)));
    match flaw {
        Flaw::Successor { .. } | Flaw::InitialState | Flaw::Constants => zones,
        Flaw::Formula(FormulaFlaw::Quotient(_)) => true,
        _ => false,
    }
}

fn size(evidence: Evidence<'_>) -> usize {
    match evidence {
        Evidence::Run(_) => 0,
        // No solver is asked.
        Evidence::Certificate(Certificate::ClosedSet(set)) => set.len() / 100,
        Evidence::Certificate(Certificate::Zones(set)) => set.len(),
        Evidence::Certificate(Certificate::Invariant(list)) => list.entries.len(),
        Evidence::Certificate(Certificate::KInductive(proof)) => {
            proof.lemma.entries.len() + proof.k as usize * proof.k as usize
        }
        Evidence::Certificate(Certificate::Progress(proof)) => size(Evidence::Certificate(&proof.base)),
        Evidence::Certificate(Certificate::Returns(proof)) => proof.set.len() / 100,
        Evidence::Certificate(Certificate::Blocks(proof)) => size(Evidence::Certificate(&proof.base)),
    }
}

/// Engines whose evidence is of different kinds.
fn config(which: usize) -> Config {
    let limits = Config {
        state_limit: Some(600),
        step_limit: Some(20_000),
        call_limit: Some(200),
        work_limit: Some(300_000),
        bound: Some(8),
        preprocess: which.is_multiple_of(2),
        ..Config::default()
    };
    let engine = [
        Engine::Auto,
        Engine::Explicit,
        Engine::Zone,
        Engine::Lazy,
        Engine::Cegar,
        Engine::Kind,
        Engine::Combined,
        Engine::Cegar,
    ];
    let mut config = Config { engine: engine[which % engine.len()], ..limits };
    if which % engine.len() == 7 {
        config.cegar.domain = Domain::Expl;
    }
    config
}

fn search(system: &System, question: &Question, which: usize) -> Answer {
    engine::search(system, question, &config(which), &Stop::new(), &mut Quiet).0
}

fn evidence(answer: &Answer) -> Option<Evidence<'_>> {
    match answer {
        Answer::Found(run) => Some(Evidence::Run(run)),
        Answer::Excluded(certificate) => Some(Evidence::Certificate(certificate)),
        Answer::Unknown(_) => None,
    }
}

/// All models with expectations.
fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let list = |folder: &Path| {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let folders = list(&folder).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|folder| list(&folder)).filter(|path| path.is_file()).collect()
}

/// The questions that the comments of a model ask.
fn asked(text: &str) -> Vec<String> {
    let question = |line: &str| {
        let comment = ["//", "<!--", "--"].iter().find_map(|sign| line.trim().strip_prefix(sign))?;
        let (key, value) = comment.trim().split_once(": ")?;
        matches!(key, "property" | "query" | "ltl").then(|| value.trim_end_matches("-->").trim().to_owned())
    };
    text.lines().filter_map(question).collect()
}

/// Every question of every case, by one engine of several in turn; by all of them if more is asked for.
#[test]
fn checkers_agree_about_every_case() {
    let (mut tally, mut failures) = (Tally::default(), vec![]);
    let mut turn = 0;
    for path in cases() {
        let Ok(mut model) = Model::load(&path) else { continue };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut questions: Vec<_> = model.questions().iter().flatten().cloned().collect();
        questions.extend(asked(&text).iter().filter_map(|text| model.ask(text).ok()));
        for question in questions {
            let Ok(posed) = pose(&model, &[&question], &Scope::default()) else { continue };
            let mut system = posed.system;
            let question = system.question(posed.properties[0].claim);
            turn += 1;
            let configs = if is_thorough() { 0..8 } else { turn % 8..turn % 8 + 1 };
            for which in configs {
                let answer = search(&system, &question, which);
                let Some(evidence) = evidence(&answer) else { continue };
                if let Err(why) = tally.compare(&system, &question, evidence) {
                    failures.push(format!("{}: {}: {why}", path.display(), config(which)));
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(failures.is_empty(), "{tally:?}\n{}", failures.join("\n"));
    assert!(tally.accepted > 200, "{tally:?}");
    assert!(tally.undecided_by_reference * 20 < tally.accepted, "{tally:?}");
}

/// A proof about runs whose list of zones leaves `m` open, which decides nothing.
#[test]
fn open_data_of_a_proof_about_runs_are_spelled_out() {
    let case = "../../cases/xta/rounds_that_a_variable_counts.xta";
    let mut model = Model::load(Path::new(env!("CARGO_MANIFEST_DIR")).join(case)).unwrap();
    let question = model.ask("A<> n == 3 or P.B").unwrap();
    let posed = pose(&model, &[&question], &Scope::default()).unwrap();
    let mut system = posed.system;
    let question = system.question(posed.properties[0].claim);
    let answer = search(&system, &question, 2);
    let Answer::Excluded(Certificate::Progress(proof)) = &answer else { panic!("it holds") };
    let Certificate::Zones(zones) = &proof.base else { panic!("it is shown by zones") };
    let mut state = thetis::ir::State::default();
    zones.state(0, &mut state);
    let clocks = system.clocks().count();
    assert!(state.values.iter().filter(|value| value.is_none()).count() > clocks, "nothing is left out");
    let evidence = evidence(&answer).expect("an answer");
    for checker in [Checker::Fast, Checker::Reference(SolverChoice::Z3)] {
        assert!(Judge::by(checker, &system).check(&question, evidence, &GO_ON).is_ok());
    }
}

/// What engines find for random models, as it is and forged.
fn random(models: impl Strategy<Value = xsts::ast::Model>, seed: u64, cases: u32) -> (Tally, Tally) {
    let (found, forged) = (RefCell::new(Tally::default()), RefCell::new(Tally::default()));
    let inputs = (models, any::<usize>(), proptest::collection::vec(forgery(), 2));
    let result = TestRunner::new(sampling::runs(cases, seed)).run(&inputs, |(model, which, forgeries)| {
        let Ok(mut model) = xsts::load(&xsts::print(&model)) else { return Ok(()) };
        let Some(property) = model.property() else { return Ok(()) };
        let question = model.system.question(property.claim);
        let answer = search(&model.system, &question, which);
        let Some(evidence) = evidence(&answer) else { return Ok(()) };
        let judged = found.borrow_mut().compare(&model.system, &question, evidence);
        prop_assert!(judged.is_ok(), "{}: {}", config(which), judged.unwrap_err());
        for forgery in forgeries {
            let Some(other) = forgery.apply(&answer) else { continue };
            let Some(evidence) = self::evidence(&other) else { continue };
            let judged = forged.borrow_mut().compare(&model.system, &question, evidence);
            prop_assert!(judged.is_ok(), "{}: {forgery:?}: {}", config(which), judged.unwrap_err());
        }
        Ok(())
    });
    if let Err(why) = result {
        panic!("{why}");
    }
    (found.into_inner(), forged.into_inner())
}

#[test]
fn checkers_agree_about_random_models_and_forgeries() {
    let (found, forged) = random(arbitrary::model(), 23, 120);
    println!("found {found:?}\nforged {forged:?}");
    assert!(found.accepted > 60 && found.refused == 0, "{found:?}");
    assert!(forged.refused > 40 && forged.accepted > 0, "{forged:?}");
}

#[test]
fn checkers_agree_about_random_timed_models_and_forgeries() {
    let (found, forged) = random(arbitrary::timed_model(), 24, 120);
    println!("found {found:?}\nforged {forged:?}");
    assert!(found.accepted > 40 && found.refused == 0, "{found:?}");
    assert!(forged.refused > 30 && forged.accepted > 0, "{forged:?}");
}
