//! Invariants by Horn clauses: a predicate for each vector of locations, a clause for each action, and Z3's engine for
//! such clauses, Spacer, which is a member of the IC3 family ([`smt::horn`]).
//!
//! A solution is an invariant like any other. That what must not be can be derived says that there is a run to it, but not
//! which; bounded search finds it.

use indexmap::IndexSet;
use ir::{Certificate, Invariant, InvariantEntry, Monolithic, Question, Steps, System, VectorId};
use smt::horn::{Clause, Horn, Solved, solve};
use smt::{Limits, Solver};

use crate::answer::{Answer, Reason};
use crate::bmc::unrolling::{refused, solver};
use crate::bmc::{self, answer, view};
use crate::cause::Unsupported;
use crate::config::{Config, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::observer::{Observer, Statistics};
use crate::preprocess::Rewritings;
use crate::stop::Stop;

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "spacer",
    title: "constrained Horn clauses (Spacer)",
    good_for: "linear arithmetic over many steps",
    paper: "Komuravelli, Gurfinkel and Chaki 2014",
    timing: Timing::Data,
    refines: false,
    bounded: false,
    blocks: true,
    bits: true,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::one(search),
};

/// Searches for an invariant without bad states, and for a run to one where there is none.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    let mut derived = false;
    let found = answer(stop, |counted| {
        let mut view = view(system, question, Engine::Spacer)?;
        let clauses = clauses(&mut view, stop)?;
        let mut solver = solver(&view, config.theory)?;
        // All that is done is one question.
        let work = config.work_limit.map(|work| work.saturating_mul(CHECKS));
        solver.limit(Limits { deadline: None, work });
        let interrupter = solver.interrupter();
        let _listening = stop.listen(move || interrupter.interrupt());
        let solved = solve(&mut solver, &mut view.system.terms, &clauses.horn, work);
        (counted.solver_calls, counted.solver_time) = solver.work();
        Ok(match solved? {
            Solved::Derived => {
                derived = true;
                Answer::Unknown(Reason::Interrupted)
            }
            Solved::Solution(formulas) => {
                let entries = clauses.vectors.iter().zip(formulas).zip(clauses.successors);
                let entries = entries.map(|((vector, formula), successors)| InvariantEntry {
                    locations: view.locations(*vector).into(),
                    formula,
                    successors,
                });
                let entries = entries.collect();
                let terms = view.system.terms.clone();
                Answer::Excluded(Certificate::Invariant(Invariant { terms, initial: vec![0], entries }))
            }
        })
    });
    if derived {
        let config = Config { bound: None, ..config.for_engine(Engine::Bmc) };
        return bmc::search(system, question, &config, stop, observer);
    }
    found
}

/// The work of the engine, in checks.
const CHECKS: u32 = 4;
/// Vectors of locations that get a predicate.
const VECTORS: usize = 2_000;

struct Clauses {
    horn: Horn,
    /// The vector of each predicate, the initial one first.
    vectors: IndexSet<VectorId>,
    successors: Vec<Vec<u32>>,
}

fn clauses(view: &mut Monolithic, stop: &Stop) -> Result<Clauses, Reason> {
    let start = view.system.initial_locations();
    let mut vectors: IndexSet<VectorId> = IndexSet::from([view.vector(&start)]);
    let mut list = vec![];
    let stmt = ir::initial(&mut view.system);
    let (formula, after) = unfolded(view, stmt)?;
    list.push(Clause { from: None, formula, after, to: Some(0) });
    let mut successors = vec![];
    while let Some(vector) = vectors.get_index(successors.len()).copied() {
        if stop.requested() {
            return Err(stop.reason());
        }
        if vectors.len() > VECTORS {
            return Err(Unsupported::ManyLocations.into());
        }
        let from = Some(successors.len());
        let here = ir::Frame::from([(vector, ir::Known::default())]);
        let bad = view.bad(&here).map_err(|why| refused(view, why))?;
        let number = view.system.terms.int(ir::Id::index(vector) as i64);
        let bad = view.system.terms.substitute(bad, &[(view.location, number)].into_iter().collect());
        if view.system.terms.as_const(bad).is_none_or(ir::Value::as_bool) {
            list.push(Clause { from, formula: bad, after: Steps::start(), to: None });
        }
        let mut targets = vec![];
        for action in view.actions(vector).to_vec() {
            let to = vectors.insert_full(view.vector(&action.target)).0;
            let forgotten = ir::blocks::locals(&view.system, action.stmt);
            let forgotten: Vec<ir::Stmt> =
                forgotten.into_iter().map(|var| view.system.terms.havoc(var)).collect();
            let stmt = view.system.terms.seq(forgotten.into_iter().chain([action.stmt]));
            let (formula, after) = unfolded(view, stmt)?;
            list.push(Clause { from, formula, after, to: Some(to) });
            targets.push(to as u32);
        }
        targets.sort_unstable();
        targets.dedup();
        successors.push(targets);
    }
    let vars = view.system.state_vars().collect();
    let horn = Horn { vars, predicates: vectors.len(), clauses: list };
    Ok(Clauses { horn, vectors, successors })
}

/// The formula of a statement, and where it ends.
fn unfolded(view: &mut Monolithic, stmt: ir::Stmt) -> Result<(ir::Term, Steps), Reason> {
    let terms = &mut view.system.terms;
    let stmt = ir::simplify(terms, stmt, &mut ir::Valuation::default());
    let mut after = Steps::start();
    match ir::unfold(terms, stmt, &mut after) {
        Ok(formula) => Ok((formula, after)),
        Err(stmt) => Err(refused(view, ir::NoView::Stmt(stmt))),
    }
}
