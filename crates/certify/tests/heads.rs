//! Recurrent sets of cycles: right ones show that a run has no end, and forged ones show nothing.

extern crate thetis_certify as certify;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use certify::{Flaw, FormulaFlaw, Reached, Rejection, check_run};
use ir::interp::Interp;
use ir::ltl::{Builder, Node};
use ir::{
    Claim, Cycle, Decision, Head, PathQuestion, Question, Run, State, Step, System, Term, Type, Value, Words,
};
use lang::Model;
use proptest::prelude::*;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// `x` grows for ever.
const GROWING: &str = "var x : integer = 0 trans { x := x + 1; } init { } env { } prop { x < 0 }";
/// `x` shrinks for ever.
const SHRINKING: &str = "var x : integer = 4 var y : integer = 0
    trans { x := x - 1; y := y + 1; } init { } env { } prop { x < 0 }";

/// A model, and the question whether a run never makes its property true.
fn asked(text: &str) -> (Model, Question) {
    let mut model = lang::xsts::load(text).unwrap();
    let condition = condition(&mut model, None);
    let mut builder = Builder::default();
    let atom = builder.atom(0);
    let not = builder.add(Node::Not(atom));
    let never = builder.add(Node::Globally(not));
    let formula = Arc::new(builder.finish(never));
    let undefined = model.system.terms.bool(false);
    (
        model,
        Question::Path(PathQuestion { words: Words::Satisfying(formula), atoms: vec![condition], undefined }),
    )
}

/// A condition over the variables of a model; without a text, its property.
fn condition(model: &mut Model, text: Option<&str>) -> Term {
    let property = text.map(|text| model.parse_property("p", text).unwrap());
    match property.unwrap_or_else(|| model.property().unwrap().clone()).claim {
        Claim::Always(condition) => condition,
        other => panic!("{other:?} is no condition"),
    }
}

/// So many steps, each by the first execution that fits.
fn steps(system: &System, count: usize, fits: impl Fn(&State) -> bool) -> Run {
    let mut system = system.clone();
    let open = system.arbitrary_state();
    let initial = ir::initial(&mut system);
    let first = Interp::new(&system, None).first(initial, &open, None, |_| true).unwrap().unwrap();
    let mut run = Run::begin(first.decisions, State { values: first.values, ..open });
    for _ in 0..count {
        let before = run.last().clone();
        let step = ir::actions(&mut system, &before.locations).into_iter().find_map(|action| {
            let state = |values| State { locations: action.target.clone(), values };
            let found = Interp::new(&system, None)
                .first(action.stmt, &before, None, |outcome| fits(&state(outcome.values.clone())))
                .unwrap()?;
            let (edges, decisions) = (action.edges.clone(), found.decisions);
            Some(Step { edges, decisions, state: state(found.values) })
        });
        run.steps.push(step.expect("a step"));
    }
    run
}

/// What the judge says of a run of `count` steps whose cycle begins after `start` of them, with this head.
fn judged(text: &str, count: usize, start: usize, head: &str) -> Result<Reached, Rejection> {
    let (mut model, question) = asked(text);
    let formula = condition(&mut model, Some(head));
    let head = Head { terms: model.system.terms.clone(), formula };
    let run = steps(&model.system, count, |_| true).around(start).within(Some(head));
    check_run(&model.system, &question, &run, &GO_ON)
}

fn flaw(result: Result<Reached, Rejection>) -> Flaw {
    match result {
        Err(Rejection::Wrong(wrong)) => wrong.flaw,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// `init` is the first step; then `env` and `trans` take turns.
#[test]
fn what_grows_for_ever_never_comes_again() {
    assert_eq!(judged(GROWING, 3, 1, "x >= 0"), Ok(Reached::Target));
    assert_eq!(judged(GROWING, 3, 1, "x >= 0 && x >= -7"), Ok(Reached::Target));
    // Several rounds are one that is longer.
    assert_eq!(judged(GROWING, 7, 3, "x >= 1"), Ok(Reached::Target));
    // A cycle may begin anywhere.
    assert_eq!(judged(GROWING, 4, 2, "x >= 0"), Ok(Reached::Target));
}

#[test]
fn heads_that_do_not_recur_are_refused() {
    // Some day it is 101.
    assert_eq!(flaw(judged(GROWING, 3, 1, "x >= 0 && x <= 100")), Flaw::NotRecurrent);
    // From -5, it is below 0 before the round is over.
    assert_eq!(flaw(judged(GROWING, 3, 1, "x >= -5")), Flaw::NotRecurrent);
    assert_eq!(flaw(judged(GROWING, 3, 1, "true")), Flaw::NotRecurrent);
    // The recorded round begins in 0 and ends in 1.
    assert_eq!(flaw(judged(GROWING, 3, 1, "x == 0")), Flaw::OutsideHead);
    assert_eq!(flaw(judged(GROWING, 3, 1, "x >= 1")), Flaw::OutsideHead);
    // A turn is two steps long.
    assert_eq!(flaw(judged(GROWING, 2, 1, "x >= 0")), Flaw::NoReturn);
    // It shrinks, and is below 0 after four turns.
    assert_eq!(flaw(judged(SHRINKING, 3, 1, "x >= 0")), Flaw::NotRecurrent);
    assert_eq!(flaw(judged(SHRINKING, 3, 1, "y >= 0")), Flaw::NotRecurrent);
}

/// A head is looked at also where none is needed.
#[test]
fn heads_of_exact_cycles_are_checked() {
    let still = "var x : integer = 3 trans { } init { } env { } prop { x < 0 }";
    assert_eq!(judged(still, 3, 1, "x == 3"), Ok(Reached::Target));
    assert_eq!(judged(still, 3, 1, "x >= 0"), Ok(Reached::Target));
    assert_eq!(flaw(judged(still, 3, 1, "x >= -1")), Flaw::NotRecurrent);
    assert_eq!(flaw(judged(still, 3, 1, "x > 3")), Flaw::OutsideHead);
}

/// What was chosen in the recorded round is chosen in every round.
#[test]
fn choices_are_those_of_the_recorded_round() {
    let chosen = "var x : integer = 0 var y : integer = 0
        trans { choice { x := x - 1; } or { assume y > 2; x := x + y; } } init { } env { havoc y; assume y > 2 && y < 5; }
        prop { x < 0 }";
    let (mut model, question) = asked(chosen);
    let formula = condition(&mut model, Some("x >= 0"));
    let head = Head { terms: model.system.terms.clone(), formula };
    let up = |state: &State| !matches!(&state.values[0], Some(Value::Int(x)) if x.is_negative());
    let run = steps(&model.system, 3, up).around(1).within(Some(head.clone()));
    assert_eq!(check_run(&model.system, &question, &run, &GO_ON), Ok(Reached::Target));
    // The other branch shrinks `x`.
    let down = steps(&model.system, 5, |_| true);
    let up_then_down = Run { steps: down.steps[..3].to_vec(), ..down }.around(1).within(Some(head.clone()));
    assert!(check_run(&model.system, &question, &up_then_down, &GO_ON).is_err());
    // Without what was chosen, there is no round to repeat.
    let mut forgotten = run.clone();
    let cycle = forgotten.cycle.as_mut().unwrap();
    cycle.steps.iter_mut().for_each(|step| step.decisions.clear());
    assert_eq!(flaw(check_run(&model.system, &question, &forgotten, &GO_ON)), Flaw::Choices);
    // With another value, it is another round.
    let mut other = run;
    let decisions = other.cycle.as_mut().unwrap().steps.iter_mut().flat_map(|step| &mut step.decisions);
    for decision in decisions {
        if let Decision::Value(value) = decision {
            *value = Some(Value::int(4));
        }
    }
    assert!(matches!(flaw(check_run(&model.system, &question, &other, &GO_ON)), Flaw::AnotherValue(_)));
}

/// Either way through an `if` is taken in some round, and the iterations of a loop are those of the recorded round.
#[test]
fn branches_and_loops_are_followed() {
    let two_ways = "var x : integer = 0 var most : integer = 0
        trans { if (x > 2) { x := x + 2; } else { x := x + 1; } most := x; for n from 0 to 2 do { x := x + n; } }
        init { } env { } prop { x < 0 }";
    assert_eq!(judged(two_ways, 3, 1, "x >= 0"), Ok(Reached::Target));
    let down = two_ways.replace("x := x + 2", "x := x - 20");
    assert_eq!(flaw(judged(&down, 3, 1, "x >= 0")), Flaw::NotRecurrent);
    // Here the number of iterations grows.
    let more = two_ways.replace("0 to 2", "0 to most");
    assert_eq!(flaw(judged(&more, 3, 1, "x >= 0")), Flaw::NotRecurrent);
}

#[test]
fn formulas_that_cannot_be_relied_on_are_refused() {
    let (mut model, question) = asked(GROWING);
    let run = steps(&model.system, 3, |_| true).around(1);
    let refused = |formula: &dyn Fn(&mut ir::Terms) -> Term| {
        let mut terms = model.system.terms.clone();
        let formula = formula(&mut terms);
        let run = run.clone().within(Some(Head { terms, formula }));
        flaw(check_run(&model.system, &question, &run, &GO_ON))
    };
    assert_eq!(refused(&|terms| terms.int(1)), Flaw::Formula(FormulaFlaw::NotATruthValue));
    assert_eq!(refused(&|terms| terms.deadlock()), Flaw::Formula(FormulaFlaw::NotOnlyValues));
    let unknown = refused(&|terms| {
        let more = terms.declare(Type::Bool);
        terms.var(more)
    });
    assert!(matches!(unknown, Flaw::Formula(FormulaFlaw::NoSuchVariable(_))), "{unknown:?}");
    // What is repeated because nothing can happen has no head.
    let formula = model.system.terms.bool(true);
    let head = Some(Box::new(Head { terms: model.system.terms.clone(), formula }));
    let stuck = Run { cycle: Some(Cycle { steps: vec![], head }), ..run };
    assert_eq!(flaw(check_run(&model.system, &question, &stuck, &GO_ON)), Flaw::NotStuck);
}

proptest! {
    #![proptest_config(sampling::runs(3_000, 1_789))]

    /// Every run of this model makes `x` negative. So there is no lasso, wherever it is said to begin and end, and whatever
    /// is said of its states.
    #[test]
    fn forged_heads_are_refused(
        count in 1..12_usize,
        start in 0..12_usize,
        parts in prop::collection::vec((0..6_u8, -3..8_i64), 1..4),
        all in any::<bool>(),
    ) {
        let part = |(kind, number): &(u8, i64)| match kind {
            0 => format!("x >= {number}"),
            1 => format!("x <= {number}"),
            2 => format!("y >= {number}"),
            3 => format!("y <= {number}"),
            4 => format!("x + y == {number}"),
            _ => format!("x - y != {number}"),
        };
        let parts: Vec<String> = parts.iter().map(part).collect();
        let head = parts.join(if all { " && " } else { " || " });
        prop_assert!(judged(SHRINKING, count, start.min(count), &head).is_err(), "{head}");
    }
}
