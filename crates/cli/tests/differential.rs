//! The product against a naive reading of the same text, on random models.
//!
//! Verdicts, shortest lengths and the very sets of reachable states must agree, breadth first and
//! depth first, with all evidence certified. Several questions at once get the answers that each has by
//! itself. `PROPTEST_CASES` sets the number of models.

mod common;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use engine::{Config, Engine, Quiet, Search, Stop};
use ir::{Property, System};
use lang::xsts::ast::{self, Chain, ChainOp, Expr, ExprId, ExprKind, Level};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use proptest::test_runner::Config as Runs;
use thetis::decide::{self, Judged};
use thetis::verdict::{Decided, Evidence, NoVerdict};

use common::{agreement, naive};

/// How many states the naive search may visit.
const NAIVE_STATES: usize = 3_000;

/// How many executions of branches the product may list, roughly.
const MOST_EXECUTIONS: usize = 100_000;

/// What the models turned out to be.
#[derive(Debug, Default)]
struct Seen {
    holds: usize,
    violated: usize,
    fault: usize,
    skipped: usize,
    states: usize,
    longest: usize,
}

#[test]
fn random_models_mean_what_the_naive_reading_says() {
    let runs = Runs { max_shrink_iters: 20_000, ..sampling::runs(1_000, 20_240_229) };
    let cases = runs.cases;
    let seen = RefCell::new(Seen::default());
    let models = (arbitrary::model(), any::<[u64; 6]>()).prop_map(|(model, [a, b, c, d, e, f])| {
        // Few of the bits are set.
        with_risky_divisions(model, a & b & c & d, e & f)
    });
    sampling::check(runs, &models, xsts::print, |model| {
        let mut now = Seen::default();
        agree(&model, &mut now)?;
        seen.borrow_mut().add(now);
        Ok(())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases < 100 {
        return;
    }
    let few = cases as usize / 20;
    assert!(
        seen.holds > few && seen.violated > few && seen.fault > few && seen.skipped < 2 * few,
        "the models are not varied enough: {seen:?}"
    );
}

#[test]
fn several_questions_at_once_get_the_answer_of_each() {
    let runs = Runs { max_shrink_iters: 2_000, ..sampling::runs(100, 60_606) };
    let cases = runs.cases;
    let seen = RefCell::new(Several::default());
    sampling::check(runs, &arbitrary::model(), xsts::print, |model| together(&model, &mut seen.borrow_mut()));
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:?}");
    if cases >= 100 {
        let many = cases as usize;
        assert!(seen.holds > many && seen.violated > many, "the questions are not varied enough: {seen:?}");
        assert!(seen.open < (seen.holds + seen.violated) / 12, "too much is left open: {seen:?}");
    }
}

/// What several questions at once were answered.
#[derive(Debug, Default)]
struct Several {
    models: usize,
    holds: usize,
    violated: usize,
    fault: usize,
    open: usize,
}

/// Asks several questions about a model at once, by several engines; the naive reading knows the answers.
fn together(ast: &ast::Model, seen: &mut Several) -> Result<(), String> {
    let Ok(expected) = naive::explore(ast, false, 100) else { return Ok(()) };
    if executions(ast).saturating_mul(expected.states.len()) > MOST_EXECUTIONS {
        return Ok(());
    }
    let text = xsts::print(ast);
    let mut model = xsts::load(&text).map_err(|errors| format!("does not load: {errors:?}\n{text}"))?;
    let own = model.property().ok_or("has no property")?;
    let mut asked = vec![(own, expected.violated.is_some())];
    let step = expected.states.len().div_ceil(4);
    for (_, state) in expected.states.iter().step_by(step) {
        let mut other = state.clone();
        for value in other.values_mut() {
            match value {
                naive::Value::Bool(value) => *value = !*value,
                naive::Value::Int(value) => *value += 1,
                _ => {}
            }
        }
        for state in [state, &other] {
            let claim = never_at(state);
            let property = model.parse_property("p", &claim).map_err(|why| format!("{why:?}: {claim}"))?;
            // States that differ in arrays only look the same.
            asked.push((property, expected.states.iter().any(|(_, known)| never_at(known) == claim)));
        }
    }
    let properties: Vec<&Property> = asked.iter().map(|(property, _)| property).collect();
    let by = |engine, threads| Config {
        engine,
        threads,
        bound: Some(6),
        state_limit: Some(1_000),
        call_limit: Some(500),
        ..Config::default()
    };
    // The others take turns.
    seen.models += 1;
    let other = [by(Engine::Auto, 1), by(Engine::Cegar, 1), by(Engine::Auto, 2), by(Engine::Bmc, 1)];
    for config in [by(Engine::Explicit, 1), other[seen.models % other.len()].clone()] {
        let mut answers: Vec<Vec<Judged>> = asked.iter().map(|_| vec![]).collect();
        let system = &mut model.system;
        decide::decide_all(
            system,
            &properties,
            &config,
            true,
            &Stop::new(),
            &mut Quiet,
            &mut |at, judged| {
                answers[at].push(judged);
            },
        );
        for ((property, violated), list) in asked.iter().zip(&answers) {
            let [judged] = &list[..] else { return Err(format!("{} answers", list.len())) };
            fits(system, property, *violated, expected.fault.is_some(), judged, seen)
                .map_err(|why| format!("{config}: {property:?}: {why}\n{text}"))?;
        }
    }
    Ok(())
}

/// Whether an answer is right for a question, and its evidence for that question alone.
fn fits(
    system: &mut System,
    property: &Property,
    violated: bool,
    faulty: bool,
    judged: &Judged,
    seen: &mut Several,
) -> Result<(), String> {
    match &judged.result {
        Ok(verdict) => match (&verdict.answer, &verdict.evidence) {
            (Decided::Unknown(_), _) => seen.open += 1,
            (Decided::Violated, Evidence::Run(_)) if violated => seen.violated += 1,
            (Decided::Holds, Evidence::Certificate(certificate)) if !violated && !faulty => {
                let question = system.question(property.claim);
                certify::check_certificate(system, &question, certificate, Stop::new().flag())
                    .map_err(|why| format!("the certificate is none for this question: {why}"))?;
                seen.holds += 1;
            }
            (answer, evidence) => return Err(format!("{answer:?} by {evidence:?}")),
        },
        Err(NoVerdict::Fault(..)) if faulty => seen.fault += 1,
        Err(other) => return Err(format!("{other:?}")),
    }
    Ok(())
}

/// The model with more that can go wrong in its branches: some divisions `x % 3` become `x % x`, and some
/// comparisons `x < y` become `y / x < y`. Each set bit of a mask takes one.
fn with_risky_divisions(mut model: ast::Model, divisions: u64, comparisons: u64) -> ast::Model {
    // Initial values and properties must not go wrong.
    let mut spared = BTreeSet::new();
    let mut left: Vec<ExprId> = model.vars.iter().filter_map(|var| var.initial).collect();
    left.extend(model.prop.map(|prop| prop.expr));
    while let Some(expr) = left.pop() {
        spared.insert(expr);
        model.exprs[expr].kind.for_each_child(|part| left.push(part));
    }
    let (mut divided, mut compared) = (0, 0);
    let takes = |mask: u64, count: &mut u32| {
        *count += 1;
        mask >> ((*count - 1) % 64) & 1 == 1
    };
    for expr in model.exprs.ids().filter(|expr| !spared.contains(expr)).collect::<Vec<_>>() {
        let Expr { kind, span } = model.exprs[expr].clone();
        match kind {
            ExprKind::Chain(mut chain)
                if matches!(chain.rest[0].0, ChainOp::Div | ChainOp::Mod | ChainOp::Rem)
                    && takes(divisions, &mut divided) =>
            {
                chain.rest[0].1 = chain.first;
                model.exprs[expr].kind = ExprKind::Chain(chain);
            }
            ExprKind::Compare(op, a, b)
                if op.level() == Level::Relation
                    // What bounds an arbitrary value stays as it is.
                    && ![a, b].iter().any(|side| matches!(model.exprs[*side].kind, ExprKind::Int(_)))
                    && takes(comparisons, &mut compared) =>
            {
                let chain = Chain { first: b, rest: vec![(ChainOp::Div, a)] };
                let quotient = model.exprs.push(Expr { kind: ExprKind::Chain(Box::new(chain)), span });
                model.exprs[expr].kind = ExprKind::Compare(op, quotient, b);
            }
            _ => {}
        }
    }
    model
}

/// Whether the product and the naive reading agree on a model, whatever is claimed of it.
///
/// First nothing is claimed, so that everything reachable is compared; then what the model claims; then
/// that the state found last is never reached, whose run is as long as the model has any.
fn agree(ast: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let everything = compare(&claiming(ast, "true")?, seen)?;
    compare(ast, seen)?;
    match everything {
        Some(everything) => compare(&claiming(ast, &never(&everything))?, seen).map(drop),
        None => Ok(()),
    }
}

/// The model with another property.
fn claiming(ast: &ast::Model, claim: &str) -> Result<ast::Model, String> {
    let silent = ast::Model { prop: None, ..ast.clone() };
    let text = format!("{}\nprop {{ {claim} }}\n", xsts::print(&silent));
    match xsts::parse(&text) {
        (model, errors) if errors.is_empty() => Ok(model),
        (_, errors) => Err(format!("{errors:?}\n{text}")),
    }
}

/// That the last state in order is never reached, arrays left aside.
fn never(reachable: &naive::Reachable) -> String {
    let (_, state) = reachable.last.as_ref().expect("there is an initial state");
    never_at(state)
}

/// That a state is never reached, arrays left aside.
fn never_at(state: &BTreeMap<String, naive::Value>) -> String {
    let equations: Vec<String> = state
        .iter()
        .filter_map(|(name, value)| match value {
            naive::Value::Bool(true) => Some(name.clone()),
            naive::Value::Bool(false) => Some(format!("!{name}")),
            naive::Value::Int(value) => Some(format!("{name} == {value}")),
            naive::Value::Literal(value) => Some(format!("{name} == {value}")),
            naive::Value::Array(..) => None,
        })
        .collect();
    match &equations[..] {
        [] => "false".to_owned(),
        list => format!("!({})", list.join(" && ")),
    }
}

/// Compares the product with the naive reading, breadth first and depth first.
fn compare(ast: &ast::Model, seen: &mut Seen) -> Result<Option<naive::Reachable>, String> {
    let expected = match naive::explore(ast, false, NAIVE_STATES) {
        Ok(expected) => expected,
        Err(naive::Unable(why)) if why == naive::TOO_MANY => {
            seen.skipped += 1;
            return Ok(None);
        }
        Err(naive::Unable(why)) => return Err(format!("the naive reading is not able: {why}")),
    };
    // The product lists executions, of which there may be many more than states.
    if executions(ast).saturating_mul(expected.states.len()) > MOST_EXECUTIONS {
        seen.skipped += 1;
        return Ok(None);
    }
    seen.count(&expected);
    let text = xsts::print(ast);
    let mut model = xsts::load(&text).map_err(|errors| format!("does not load: {errors:?}\n{text}"))?;
    let property = model.property().ok_or("has no property")?;
    for search in Search::ALL {
        // As it is: the very states are compared.
        let config = Config {
            engine: Engine::Explicit,
            search: *search,
            preprocess: false,
            state_limit: Some(100_000),
            ..Config::default()
        };
        let judged = decide::decide(&mut model.system, &property, &config, true, &Stop::new(), &mut Quiet);
        agreement::check(ast, &model.system, *search, &judged, &expected)
            .map_err(|why| format!("{search}: {why}\n{text}"))?;
    }
    Ok(Some(expected))
}

/// About how many executions the branches of a model have together.
fn executions(ast: &ast::Model) -> usize {
    let sections = [&ast.init, &ast.env, &ast.trans].into_iter().flatten();
    sections.flat_map(|section| &section.branches).map(|branch| ways(ast, *branch)).sum()
}

/// About how many executions a statement has; generated loops have constant bounds.
fn ways(ast: &ast::Model, stmt: ast::StmtId) -> usize {
    let all = |list: &[ast::StmtId]| list.iter().fold(1usize, |n, stmt| n.saturating_mul(ways(ast, *stmt)));
    let constant = |expr: ast::ExprId| match &ast.exprs[expr].kind {
        ast::ExprKind::Int(value) => value.to_i64().unwrap_or(0),
        _ => 0,
    };
    match &ast.stmts[stmt].kind {
        ast::StmtKind::Block(list) | ast::StmtKind::Ort(list) => all(list),
        ast::StmtKind::Havoc(_) | ast::StmtKind::Local(_, _, None) => 3,
        ast::StmtKind::Choice(list) => list.iter().map(|stmt| ways(ast, *stmt)).sum(),
        ast::StmtKind::If(_, a, b) => ways(ast, *a).max(b.map_or(1, |b| ways(ast, b))),
        ast::StmtKind::For(_, from, to, body) => {
            let rounds = (constant(*to) - constant(*from)).max(0);
            (0..rounds).fold(1, |n: usize, _| n.saturating_mul(ways(ast, *body)))
        }
        _ => 1,
    }
}

impl Seen {
    fn count(&mut self, found: &naive::Reachable) {
        match (found.violated, found.fault) {
            (None, None) => self.holds += 1,
            (None, Some(_)) => self.fault += 1,
            _ => self.violated += 1,
        }
        self.states += found.states.len();
        let nearest = found.violated.into_iter().chain(found.fault).min();
        self.longest = self.longest.max(nearest.unwrap_or(0));
    }
    fn add(&mut self, other: Seen) {
        self.holds += other.holds;
        self.violated += other.violated;
        self.fault += other.fault;
        self.skipped += other.skipped;
        self.states += other.states;
        self.longest = self.longest.max(other.longest);
    }
}
