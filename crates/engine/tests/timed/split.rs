//! Control flow splitting: the alternatives of a statement are together the statement.
//!
//! Steps of random timed models are executed from states of their region graph, once as they stand and once
//! alternative by alternative, data and clocks apart; the regions they lead to must be the same. So it must be
//! whether all ways are followed or flags and a solver list those that are feasible from the state, and whether
//! the values of the state are put into the statement before or not.

use std::cell::RefCell;
use std::collections::HashSet;

use engine::split::{Splitter, Which};
use engine::{Reason, Stop};
use ir::{Stmt, System, Type, Valuation};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::Config as Runs;
use smt::z3::Z3Solver;

use crate::regions::{Point, Region, Regions, TooMany};

/// How much may be done for one model.
const FUEL: usize = 30_000;
/// States of one model whose steps are looked at.
const STATES: usize = 6;

#[derive(Debug, Default)]
struct Seen {
    compared: usize,
    several: usize,
    filtered: usize,
    skipped: usize,
}

#[test]
fn alternatives_are_together_the_statement() {
    let runs = Runs { max_shrink_iters: 2_000, ..sampling::runs(100, 1_414) };
    let cases = runs.cases;
    let seen = RefCell::new(Seen::default());
    sampling::check(runs, &arbitrary::timed_model(), xsts::print, |model| {
        compare(&model, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases >= 100 {
        let cases = cases as usize;
        assert!(seen.compared > 4 * cases && seen.several > cases, "too little was split: {seen:?}");
        assert!(seen.filtered > cases / 4, "too little was left out: {seen:?}");
        assert!(seen.skipped < cases / 4, "too little was compared: {seen:?}");
    }
}

fn compare(model: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let text = xsts::print(model);
    let model = xsts::load(&text).map_err(|errors| format!("{errors:?}"))?;
    let mut system = model.system.clone();
    let solver = Z3Solver::new().map_err(|why| why.to_string())?;
    // Few statements of small models have many alternatives, so this one asks about all of them.
    let mut splitter = Splitter::new(&system).asking_beyond(0);
    // The splitter adds variables, the region graph is that of the model.
    let process = model.system.processes.iter().next().ok_or("no process")?;
    let (mut wrong, mut states) = (None, 0);
    let result = Regions::new(&model.system, FUEL).explore(&mut |regions, at, point| {
        states += 1;
        for edge in process.edges.iter().filter(|edge| edge.source == at) {
            for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                let mut both = (&mut system, &mut splitter);
                match same(regions, &mut both, &solver, stmt, point, seen) {
                    Ok(Ok(())) => {}
                    Ok(Err(why)) => wrong = Some(format!("{}: {why}", edge.label)),
                    Err(too_many) => return Err(too_many),
                }
            }
        }
        Ok(wrong.is_some() || states == STATES)
    });
    seen.skipped += usize::from(result.is_err());
    wrong.map_or(Ok(()), Err)
}

/// Whether a statement leads from a point to the same regions in all ways.
fn same(
    regions: &mut Regions<'_>,
    (system, splitter): &mut (&mut System, &mut Splitter),
    solver: &Z3Solver,
    stmt: Stmt,
    point: &Point,
    seen: &mut Seen,
) -> Result<Result<(), String>, TooMany> {
    let ends = regions.run(stmt, point.clone())?;
    let expected: HashSet<Region> = ends.iter().map(|end| regions.region(end)).collect();
    let mut known = Valuation::default();
    let data: Vec<_> = system.state_vars().filter(|var| system.terms.var_type(*var) != Type::Clock).collect();
    for var in data {
        let Some(value) = point.value_of(var) else { continue };
        known.insert(var, system.terms.constant(value.clone()));
    }
    let mut facts: Vec<_> = known.iter().map(|(var, value)| (*var, *value)).collect();
    facts.sort_unstable();
    let mut said = vec![];
    for (var, value) in facts {
        let now = system.terms.var(var);
        said.push(system.terms.eq(now, value));
    }
    let nothing = Valuation::default();
    let feasible = Which::Feasible(&said);
    let mut counts = vec![];
    for (name, known, which) in [
        ("all", &nothing, Which::All),
        ("all, values put in", &known, Which::All),
        ("feasible", &nothing, feasible),
        ("feasible, values put in", &known, feasible),
    ] {
        let simplified = ir::simplify(&mut system.terms, stmt, &mut known.clone());
        let list = match splitter.split(system, simplified, which, (solver, &Stop::new())) {
            Ok(list) => list,
            Err(Reason::Unsupported(_)) => return Err(TooMany),
            Err(why) => return Ok(Err(why.to_string())),
        };
        let mut found = HashSet::new();
        for alternative in list.iter() {
            let times = regions.operations(&alternative.ops, point.clone())?;
            // Statements are of the larger arena.
            let ends = regions.within(system).run(alternative.data, point.widened(system.vars.len()))?;
            for data in &ends {
                for time in &times {
                    let end = regions.combined(&data.narrowed(point), time);
                    found.insert(regions.region(&end));
                }
            }
        }
        if found != expected {
            let (left, right) = (expected.len(), found.len());
            return Ok(Err(format!("{name}: {left} regions expected, {right} found, by {list:?}")));
        }
        counts.push(list.len());
    }
    seen.compared += 1;
    seen.several += usize::from(counts[0] > 1);
    seen.filtered += usize::from(counts[2] < counts[0]);
    Ok(Ok(()))
}
