//! Evidence about whole runs, and about what can always be reached again: as it was found, forged, and put to questions whose
//! answer is another one.
//!
//! Not every forgery is wrong: a rank may well be another one. But whatever is done to it, no evidence may show that a
//! property holds of which a run shows the contrary, nor the other way round.

use std::cell::RefCell;

use proptest::prelude::*;
use thetis::certify::{Checker, Judge, SolverChoice};
use thetis::engine::{self, Answer, Config, Engine, Quiet, Stop};
use thetis::ir::ltl::{Builder, Formula, Node};
use thetis::ir::{Claim, PathClaim, PathWords, Question, Stuck, System, Term, Type};
use thetis::lang::xsts::{self, arbitrary};

use super::forge::{Forgery, forgery};
use super::{GO_ON, Tally, evidence};

#[path = "../../../ir/testing/formulas.rs"]
mod formulas;

/// Two conditions on the variables of a model.
fn atoms(system: &mut System) -> Vec<Term> {
    let vars: Vec<_> = system.state_vars().filter(|var| system.vars[*var].shown).collect();
    let terms = &mut system.terms;
    let mut atoms = vec![];
    for var in vars {
        let now = terms.var(var);
        match terms.var_type(var) {
            Type::Bool => atoms.push(now),
            Type::Int => {
                let one = terms.int(1);
                atoms.push(terms.lt(now, one));
            }
            _ => {}
        }
    }
    atoms.resize(2, terms.bool(true));
    atoms
}

fn about_runs(system: &mut System, atoms: &[Term], formula: Formula) -> Question {
    let undefined = system.terms.bool(false);
    let path = PathClaim { words: PathWords::Satisfy(formula), atoms: atoms.to_vec(), undefined };
    let path = system.paths.push(path);
    system.question(Claim::Every(path))
}

/// An answer of an engine, one of several.
fn answer(system: &System, question: &Question, which: usize) -> Answer {
    let engines = [Engine::Explicit, Engine::Cegar, Engine::Kind, Engine::Bmc, Engine::Auto];
    let config = Config {
        engine: engines[which % engines.len()],
        preprocess: which.is_multiple_of(2),
        state_limit: Some(200),
        call_limit: Some(100),
        work_limit: Some(300_000),
        bound: Some(8),
        ..Config::default()
    };
    engine::search(system, question, &config, &Stop::new(), &mut Quiet).0
}

/// What became of evidence for several questions about a system.
#[derive(Default, Debug)]
struct Seen {
    found: Tally,
    forged: Tally,
    /// Refused as evidence for the opposite of what is so.
    opposite: u32,
}

impl Seen {
    /// Puts the answers to these questions, and forgeries of them, to the questions themselves, and to those whose answer is
    /// the opposite.
    fn put(
        &mut self,
        system: &System,
        questions: &[Question],
        which: usize,
        forgeries: &[Forgery],
    ) -> Result<(), String> {
        let answers: Vec<Answer> = questions.iter().map(|question| answer(system, question, which)).collect();
        for (question, answer) in questions.iter().zip(&answers) {
            let Some(found) = evidence(answer) else { continue };
            self.found.compare(system, question, found)?;
            let others = questions.iter().zip(&answers).filter(|(_, other)| {
                matches!(
                    (answer, other),
                    (Answer::Found(_), Answer::Excluded(_)) | (Answer::Excluded(_), Answer::Found(_))
                )
            });
            let others: Vec<&Question> = others.map(|(other, _)| other).collect();
            for other in &others {
                self.refuse(system, other, answer)?;
            }
            for forgery in forgeries {
                let Some(changed) = forgery.apply(answer) else { continue };
                let forged = evidence(&changed).expect("a change of evidence");
                self.forged.compare(system, question, forged).map_err(|why| format!("{forgery:?}: {why}"))?;
                for other in &others {
                    self.refuse(system, other, &changed).map_err(|why| format!("{forgery:?}: {why}"))?;
                }
            }
        }
        Ok(())
    }
    /// Neither checker accepts an answer, which is wrong.
    fn refuse(&mut self, system: &System, question: &Question, answer: &Answer) -> Result<(), String> {
        let wrong = evidence(answer).expect("an answer with evidence");
        for mut judge in [Judge::new(system), Judge::by(Checker::Reference(SolverChoice::Z3), system)] {
            if judge.check(question, wrong, &GO_ON).is_ok() {
                return Err(format!("{:?} is accepted as an answer to {question:?}", judge.checker()));
            }
            self.opposite += 1;
        }
        Ok(())
    }
}

#[test]
fn checkers_agree_about_runs_and_forgeries() {
    let seen = RefCell::new(Seen::default());
    let pair = || (formulas::formulas(2, 5), formulas::formulas(2, 5));
    let forgeries = proptest::collection::vec(forgery(), 12);
    let inputs = (arbitrary::model(), pair(), 0..10_usize, any::<bool>(), forgeries);
    let runs = sampling::runs(150, 25);
    sampling::check(
        runs,
        &inputs,
        |(model, ..)| xsts::print(model),
        |case| {
            let (model, (one, two), which, repeats, forgeries) = case;
            let Ok(mut model) = xsts::load(&xsts::print(&model)) else { return Ok(()) };
            let system = &mut model.system;
            system.stuck = if repeats { Stuck::Repeat } else { Stuck::Ignored };
            let atoms = atoms(system);
            let negated = one.negated();
            let questions = [one, negated, two].map(|formula| about_runs(system, &atoms, formula));
            let judged = seen.borrow_mut().put(system, &questions, which, &forgeries);
            judged.map_err(|why| format!("engine {which}: {why}"))
        },
    );
    let seen = seen.into_inner();
    println!("{seen:?}");
    let Seen { found, forged, opposite } = seen;
    assert!(found.accepted > 100 && found.refused == 0, "{found:?}");
    assert!(forged.refused > 1_000 && forged.accepted > 0 && opposite > 4_000, "{forged:?}, {opposite}");
}

#[test]
fn checkers_agree_about_what_comes_again_and_forgeries() {
    let seen = RefCell::new(Seen::default());
    let inputs = (arbitrary::model(), 0..2_usize, proptest::collection::vec(forgery(), 12));
    let runs = sampling::runs(100, 26);
    sampling::check(
        runs,
        &inputs,
        |(model, ..)| xsts::print(model),
        |(model, which, forgeries)| {
            let Ok(mut model) = xsts::load(&xsts::print(&model)) else { return Ok(()) };
            let system = &mut model.system;
            let atoms = atoms(system);
            let goals = [atoms[0], system.terms.not(atoms[0]), atoms[1]];
            let questions = goals.map(|goal| system.question(Claim::AlwaysPossibly(goal)));
            seen.borrow_mut().put(system, &questions, 5 * which, &forgeries)
        },
    );
    let seen = seen.into_inner();
    println!("{seen:?}");
    let Seen { found, forged, opposite } = seen;
    assert!(found.accepted > 50 && found.refused == 0, "{found:?}");
    assert!(forged.refused > 300 && opposite > 1_500, "{forged:?}, {opposite}");
}
