//! Integers, rationals and clocks in one term mean the same to evaluation and to solvers.

extern crate thetis_smt as smt;

use ir::eval::eval;
use ir::{Steps, Term, Terms, Type, Value, VarId};
use proptest::prelude::*;
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{Answer, Model, Solver};

/// A number over an integer `n`, a rational `r` and a clock `x`.
#[derive(Clone, Debug)]
enum Num {
    Var(usize),
    Int(i64),
    /// So many halves.
    Halves(i64),
    Add(Box<Num>, Box<Num>),
    Mul(Box<Num>, Box<Num>),
    Div(Box<Num>, Box<Num>),
    /// The second if the first is at most 1, else the third.
    Ite(Box<Num>, Box<Num>, Box<Num>),
}

fn nums() -> impl Strategy<Value = Num> {
    let leaf = prop_oneof![
        3 => (0usize..3).prop_map(Num::Var),
        1 => (-2i64..=2).prop_map(Num::Int),
        1 => (-3i64..=3).prop_map(Num::Halves),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let two = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            two().prop_map(|(a, b)| Num::Add(a, b)),
            two().prop_map(|(a, b)| Num::Mul(a, b)),
            two().prop_map(|(a, b)| Num::Div(a, b)),
            (two(), inner.clone()).prop_map(|((a, b), c)| Num::Ite(a, b, Box::new(c))),
        ]
    })
}

fn halves(count: i64) -> Value {
    Value::rat(ir::Rat::new(&count.into(), &2.into()).expect("not by zero"))
}

fn build(terms: &mut Terms, vars: &[VarId; 3], num: &Num) -> Term {
    let mut part = |num: &Num| build(terms, vars, num);
    match num {
        Num::Var(at) => terms.var(vars[*at]),
        Num::Int(value) => terms.int(*value),
        Num::Halves(count) => terms.constant(halves(*count)),
        Num::Add(a, b) => {
            let (a, b) = (part(a), part(b));
            terms.add([a, b])
        }
        Num::Mul(a, b) => {
            let (a, b) = (part(a), part(b));
            terms.mul([a, b])
        }
        Num::Div(a, b) => {
            let (a, b) = (part(a), part(b));
            terms.div(a, b)
        }
        Num::Ite(of, a, b) => {
            let (of, a, b) = (part(of), part(a), part(b));
            let one = terms.int(1);
            let small = terms.le(of, one);
            terms.ite(small, a, b)
        }
    }
}

/// Asserts that variables have these values, and that a term has another than its own.
fn differs(
    terms: &mut Terms,
    model: &Model,
    vars: &[VarId; 3],
    term: Term,
    solver: &mut dyn Solver,
) -> Answer {
    let value = eval(terms, model, term).expect("nothing is open").into_owned();
    let value = terms.constant(value);
    let same = terms.eq(term, value);
    let mut list = vec![terms.not(same)];
    for var in vars {
        let (value, var) = (terms.constant(model.get(*var, 0).unwrap().clone()), terms.var(*var));
        list.push(terms.eq(var, value));
    }
    for fact in list {
        solver.assert(terms, fact, &Steps::start()).unwrap();
    }
    solver.check(&[]).unwrap()
}

proptest! {
    #![proptest_config(sampling::runs(400, 2026))]

    #[test]
    fn mixed_numbers_mean_the_same_to_all(
        num in nums(), n in -2i64..=3, r in -3i64..=3, x in 0i64..=5, by_text in prop::bool::weighted(0.1),
    ) {
        let mut terms = Terms::new();
        let vars = [Type::Int, Type::Rat, Type::Clock].map(|ty| terms.declare(ty));
        let mut model = Model::default();
        for (var, value) in vars.into_iter().zip([Value::int(n), halves(r), halves(x)]) {
            model.set(var, 0, value);
        }
        let term = build(&mut terms, &vars, &num);
        // The type says what the value is, whatever was mixed.
        let value = eval(&terms, &model, term).unwrap().into_owned();
        prop_assert_eq!(matches!(value, Value::Int(_)), terms.type_of(term) == Type::Int, "{:?}", terms.node(term));
        let mut solver = Z3Solver::new().unwrap();
        prop_assert_eq!(differs(&mut terms, &model, &vars, term, &mut solver), Answer::Unsat);
        let program = smt::z3::library_info().unwrap().program.clone();
        if let Some(program) = program.filter(|_| by_text) {
            let mut solver = SmtlibSolver::start(&format!("{} -in", program.display())).unwrap();
            prop_assert_eq!(differs(&mut terms, &model, &vars, term, &mut solver), Answer::Unsat);
        }
    }
}
