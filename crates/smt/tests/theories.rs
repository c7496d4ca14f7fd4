//! Integers as integers and as vectors of bits: random formulas over variables with ranges have models in both theories
//! or in neither, and what is said to be one makes the formula true.

extern crate thetis_smt as smt;

use std::cell::RefCell;

use ir::eval::eval;
use ir::{Bitwise, Int, Steps, Term, Terms, Type, Value, VarId};
use proptest::prelude::*;
use smt::z3::Z3Solver;
use smt::{Answer, Interrupt, Limits, Model, Solver, Theory};

/// An integer.
#[derive(Clone, Debug)]
enum Number {
    Constant(i64),
    Var(usize),
    Sum(Box<Number>, Box<Number>),
    Product(Box<Number>, Box<Number>),
    Quotient(Box<Number>, Box<Number>),
    Remainder(Box<Number>, Box<Number>),
    Bits(u8, Box<Number>, Box<Number>),
    Wrapped(Box<Number>, u32, bool),
    Choice(Box<Formula>, Box<Number>, Box<Number>),
}

/// A truth value.
#[derive(Clone, Debug)]
enum Formula {
    Equal(Number, Number),
    Less(Number, Number),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
}

const RANGES: [(i64, i64); 5] = [(0, 15), (-8, 7), (3, 20), (-100, -90), (0, 0)];

fn number() -> impl Strategy<Value = Number> {
    let leaf =
        prop_oneof![(-20..=20_i64).prop_map(Number::Constant), (0..RANGES.len()).prop_map(Number::Var)];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let two = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            two().prop_map(|(a, b)| Number::Sum(a, b)),
            two().prop_map(|(a, b)| Number::Product(a, b)),
            two().prop_map(|(a, b)| Number::Quotient(a, b)),
            two().prop_map(|(a, b)| Number::Remainder(a, b)),
            (two(), 0..3_u8).prop_map(|((a, b), op)| Number::Bits(op, a, b)),
            (inner.clone(), 1..6_u32, any::<bool>()).prop_map(|(a, w, s)| Number::Wrapped(Box::new(a), w, s)),
            (two(), inner.clone(), inner.clone())
                .prop_map(|((a, b), c, d)| { Number::Choice(Box::new(Formula::Less(c, d)), a, b) }),
        ]
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        (number(), number()).prop_map(|(a, b)| Formula::Equal(a, b)),
        (number(), number()).prop_map(|(a, b)| Formula::Less(a, b)),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            (inner.clone(), inner).prop_map(|(a, b)| Formula::And(Box::new(a), Box::new(b))),
        ]
    })
}

fn term(terms: &mut Terms, vars: &[VarId], number: &Number) -> Term {
    let both = |terms: &mut Terms, a: &Number, b: &Number| (term(terms, vars, a), term(terms, vars, b));
    match number {
        Number::Constant(value) => terms.int(*value),
        Number::Var(at) => terms.var(vars[*at]),
        Number::Sum(a, b) => {
            let (a, b) = both(terms, a, b);
            terms.add([a, b])
        }
        Number::Product(a, b) => {
            let (a, b) = both(terms, a, b);
            terms.mul([a, b])
        }
        Number::Quotient(a, b) => {
            let (a, b) = both(terms, a, b);
            terms.div(a, b)
        }
        Number::Remainder(a, b) => {
            let (a, b) = both(terms, a, b);
            terms.modulo(a, b)
        }
        Number::Bits(op, a, b) => {
            let (a, b) = both(terms, a, b);
            let op = [Bitwise::And, Bitwise::Or, Bitwise::Xor][usize::from(*op)];
            terms.bitwise(op, a, b)
        }
        Number::Wrapped(a, width, signed) => {
            let a = term(terms, vars, a);
            terms.wrap(a, *width, *signed)
        }
        Number::Choice(condition, a, b) => {
            let condition = truth(terms, vars, condition);
            let (a, b) = both(terms, a, b);
            terms.ite(condition, a, b)
        }
    }
}

fn truth(terms: &mut Terms, vars: &[VarId], formula: &Formula) -> Term {
    match formula {
        Formula::Equal(a, b) => {
            let (a, b) = (term(terms, vars, a), term(terms, vars, b));
            terms.eq(a, b)
        }
        Formula::Less(a, b) => {
            let (a, b) = (term(terms, vars, a), term(terms, vars, b));
            terms.lt(a, b)
        }
        Formula::Not(a) => {
            let a = truth(terms, vars, a);
            terms.not(a)
        }
        Formula::And(a, b) => {
            let (a, b) = (truth(terms, vars, a), truth(terms, vars, b));
            terms.and([a, b])
        }
    }
}

/// The answer of a theory, whose model is evaluated; `None` if it has none.
fn ask(theory: Theory, terms: &mut Terms, vars: &[VarId], formula: Term) -> Result<Option<Answer>, String> {
    let failed = |why: Interrupt| format!("{theory:?}: {why}");
    let mut solver = Z3Solver::of(theory).map_err(failed)?;
    for (var, (least, greatest)) in vars.iter().zip(RANGES) {
        solver.declare(*var, Some((Int::from(least), Int::from(greatest))));
    }
    solver.limit(Limits { deadline: None, work: Some(3_000_000) });
    solver.assert(terms, formula, &Steps::start()).map_err(failed)?;
    let answer = match solver.check(&[]) {
        Ok(answer) => answer,
        Err(Interrupt::Budget | Interrupt::Unknown(_)) => return Ok(None),
        Err(why) => return Err(failed(why)),
    };
    if answer == Answer::Sat {
        let model = Model::of(&mut solver, terms, vars.iter().map(|var| (*var, 0))).map_err(failed)?;
        for (var, (least, greatest)) in vars.iter().zip(RANGES) {
            let Some(Value::Int(value)) = model.get(*var, 0) else { return Err("no value".to_owned()) };
            if *value < Int::from(least) || *value > Int::from(greatest) {
                return Err(format!("{theory:?}: {value} is out of range"));
            }
        }
        let value = eval(terms, &model, formula).map(|value| value.into_owned());
        if value != Ok(Value::Bool(true)) {
            return Err(format!("{theory:?}: {model:?} is no model: {value:?}"));
        }
    }
    Ok(Some(answer))
}

#[test]
fn both_theories_have_the_same_models() {
    let seen = RefCell::new([0; 3]);
    sampling::check(
        sampling::runs(600, 881),
        &formula(),
        |formula| format!("{formula:?}"),
        |formula| {
            let mut terms = Terms::new();
            let vars: Vec<VarId> = RANGES.iter().map(|_| terms.declare(Type::Int)).collect();
            let formula = truth(&mut terms, &vars, &formula);
            let bits = ask(Theory::Bits, &mut terms, &vars, formula)?;
            let int = ask(Theory::Int, &mut terms, &vars, formula)?;
            let mut seen = seen.borrow_mut();
            match (bits, int) {
                (Some(bits), Some(int)) if bits != int => {
                    return Err(format!("{bits:?} as bits, {int:?} as integers"));
                }
                (Some(Answer::Sat), _) => seen[0] += 1,
                (Some(Answer::Unsat), _) => seen[1] += 1,
                (None, _) => seen[2] += 1,
            }
            Ok(())
        },
    );
    let [sat, unsat, unknown] = seen.into_inner();
    assert!(
        sat > 200 && unsat > 60 && unknown < 60,
        "{sat} have models, {unsat} have none, {unknown} unknown"
    );
}
