//! The edges of the theories: signs and zeros of divisions, large numbers, small types, ranges.

extern crate thetis_smt as smt;

use ir::{ArrayType, Int, Rat, Steps, Term, Terms, Type, Value};
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{Answer, Solver};

/// The library, and a process of the same version if there is one.
fn solvers() -> Vec<Box<dyn Solver>> {
    let mut list: Vec<Box<dyn Solver>> = vec![Box::new(Z3Solver::new().unwrap())];
    if let Some(program) = &smt::z3::library_info().unwrap().program {
        list.push(Box::new(SmtlibSolver::start(&format!("{} -in", program.display())).unwrap()));
    }
    list
}

/// Whether `term` can hold.
fn possible(terms: &Terms, term: Term) -> bool {
    let answers: Vec<bool> = solvers()
        .into_iter()
        .map(|mut solver| {
            solver.assert(terms, term, &Steps::start()).unwrap();
            solver.check(&[]).unwrap() == Answer::Sat
        })
        .collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    answers[0]
}

#[test]
fn divisions_of_all_signs_and_by_zero() {
    let mut terms = Terms::new();
    let [x, y, r, s] = [Type::Int, Type::Int, Type::Rat, Type::Rat].map(|ty| terms.declare(ty));
    let [x, y, r, s] = [x, y, r, s].map(|var| terms.var(var));
    let operations = [terms.div(x, y), terms.modulo(x, y), terms.rem(x, y), terms.div(r, s)];
    let now = Steps::start();
    for mut solver in solvers() {
        for (a, b) in (-5i64..=5).flat_map(|a| (-3i64..=3).map(move |b| (a, b))) {
            solver.push().unwrap();
            for (var, value) in [(x, a), (y, b), (r, a), (s, b)] {
                let value = terms.int(value);
                let fixed = terms.eq(var, value);
                solver.assert(&terms, fixed, &now).unwrap();
            }
            assert_eq!(solver.check(&[]), Ok(Answer::Sat));
            let (big_a, big_b) = (Value::int(a), Value::int(b));
            let (quotient, rest) = if b == 0 { (0, a) } else { (a.div_euclid(b), a.rem_euclid(b)) };
            let signed = if b < 0 { -rest } else { rest };
            assert_eq!(ir::quotient(&big_a, &big_b), Value::int(quotient), "{a} / {b}");
            assert_eq!(ir::modulo(&big_a, &big_b), Value::int(rest), "{a} % {b}");
            assert_eq!(ir::remainder(&big_a, &big_b), Value::int(signed), "{a} rem {b}");
            let exact = Rat::from(a).div(&Rat::from(b)).unwrap_or(Rat::ZERO);
            let expected = [Rat::from(quotient), Rat::from(rest), Rat::from(signed), exact];
            for (term, expected) in operations.iter().zip(expected) {
                let found = solver.value(&terms, *term, &now).unwrap();
                assert_eq!(found.as_rat(), expected, "{a} and {b}");
            }
            solver.pop().unwrap();
        }
    }
}

#[test]
fn remainders_of_products() {
    let mut terms = Terms::new();
    let [x, y] = [terms.declare(Type::Int), terms.declare(Type::Int)].map(|var| terms.var(var));
    // Small divisors, whose cases are told apart, large ones, and negative ones.
    let divisors = [-7i64, -1, 1, 2, 5, 16, 17, 40];
    let product = terms.mul([x, y, x]);
    let (two, square) = (terms.int(2), terms.mul([y, y]));
    let sum = [terms.mul([two, x]), square];
    let sum = terms.add(sum);
    let asked: Vec<[Term; 2]> = divisors
        .map(|divisor| {
            let divisor = terms.int(divisor);
            [terms.modulo(product, divisor), terms.modulo(sum, divisor)]
        })
        .into();
    let now = Steps::start();
    for mut solver in solvers() {
        for (a, b) in (-6i64..=6).flat_map(|a| [-9i64, -1, 0, 2, 8].map(|b| (a, b))) {
            solver.push().unwrap();
            for (var, value) in [(x, a), (y, b)] {
                let value = terms.int(value);
                let fixed = terms.eq(var, value);
                solver.assert(&terms, fixed, &now).unwrap();
            }
            assert_eq!(solver.check(&[]), Ok(Answer::Sat));
            for (divisor, [product, sum]) in divisors.iter().zip(&asked) {
                for (term, expected) in [(product, a * b * a), (sum, 2 * a + b * b)] {
                    let found = solver.value(&terms, *term, &now).unwrap();
                    assert_eq!(found, Value::int(expected.rem_euclid(*divisor)), "{expected} % {divisor}");
                }
            }
            solver.pop().unwrap();
        }
    }
}

/// The fourth power of a number that 5 does not divide is 1 more than a multiple of 5.
#[test]
fn remainders_of_nested_products_are_decided() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let (x, five) = (terms.var(x), terms.int(5));
    let mut power = x;
    for _ in 0..2 {
        let square = terms.mul([power, power]);
        power = terms.modulo(square, five);
    }
    let zero = terms.int(0);
    let rest = terms.modulo(x, five);
    let (divided, one) = (terms.eq(rest, zero), terms.int(1));
    let is_one = terms.eq(power, one);
    let neither = terms.or([divided, is_one]);
    let neither = terms.not(neither);
    let mut solver = Z3Solver::new().unwrap();
    solver.assert(&terms, neither, &Steps::start()).unwrap();
    assert_eq!(solver.check(&[]), Ok(Answer::Unsat));
    assert!(possible(&terms, is_one));
}

#[test]
fn numbers_have_no_bounds() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let x = terms.var(x);
    let large: Int = "123456789012345678901234567890".parse().unwrap();
    for large in [large.clone(), -&large] {
        let constant = terms.constant(Value::Int(large.clone()));
        let equal = terms.eq(x, constant);
        for mut solver in solvers() {
            solver.assert(&terms, equal, &Steps::start()).unwrap();
            assert_eq!(solver.check(&[]), Ok(Answer::Sat));
            assert_eq!(solver.value(&terms, x, &Steps::start()), Ok(Value::Int(large.clone())));
        }
    }
    // i64::MIN has no opposite among its kind.
    let least = terms.int(i64::MIN);
    let opposite = terms.neg(least);
    let zero = terms.int(0);
    let wrapped = terms.lt(opposite, zero);
    assert_eq!(terms.as_const(wrapped), Some(&Value::Bool(false)));
    let (below, above) = (terms.lt(x, least), terms.lt(opposite, x));
    assert!(possible(&terms, below) && possible(&terms, above));
}

#[test]
fn a_type_of_one_literal_has_one_value() {
    let mut terms = Terms::new();
    let id = terms.types.add_enum("Only", vec!["One".into()]);
    let array = terms.types.array(ArrayType { index: Type::Enum(id), element: Type::Enum(id), range: None });
    let [e, a, b] = [Type::Enum(id), Type::Array(array), Type::Array(array)].map(|ty| terms.declare(ty));
    let [e, a, b] = [e, a, b].map(|var| terms.var(var));
    let one = terms.constant(Value::Enum(id, 0));
    for (left, right) in [(e, one), (a, b)] {
        let same = terms.eq(left, right);
        let different = terms.not(same);
        assert!(!possible(&terms, different));
    }
    // Three different values do not fit into a type of two.
    let id = terms.types.add_enum("Two", vec!["A".into(), "B".into()]);
    let vars = [(); 3].map(|()| terms.declare(Type::Enum(id))).map(|var| terms.var(var));
    let mut all = vec![];
    for (left, right) in [(0, 1), (0, 2), (1, 2)] {
        let same = terms.eq(vars[left], vars[right]);
        all.push(terms.not(same));
    }
    let two = terms.and(all[..2].iter().copied());
    let three = terms.and(all);
    assert!(possible(&terms, two) && !possible(&terms, three));
}

#[test]
fn arrays_over_a_range_are_equal_if_they_agree_there() {
    let mut terms = Terms::new();
    let id = terms.types.array(ArrayType { index: Type::Int, element: Type::Int, range: Some((-1, 1)) });
    let [a, b] = [(); 2].map(|()| terms.declare(Type::Array(id)));
    let [a, b] = [a, b].map(|var| terms.var(var));
    let mut agree = |positions: &[i64]| {
        let parts: Vec<Term> = positions
            .iter()
            .map(|at| {
                let at = terms.int(*at);
                let (left, right) = (terms.read(a, at), terms.read(b, at));
                terms.eq(left, right)
            })
            .collect();
        let all = terms.and(parts);
        let same = terms.eq(a, b);
        let different = terms.not(same);
        (terms.and([all, different]), terms.and([all, same]))
    };
    let (all, some) = (agree(&[-1, 0, 1]), agree(&[0, 1]));
    let check = |term: Term, expected: bool| {
        for mut solver in solvers() {
            solver.assert(&terms, term, &Steps::start()).unwrap();
            let found = solver.check(&[]).unwrap() == Answer::Sat;
            assert_eq!(found, expected);
            if found {
                // The values say the same.
                let values = [a, b].map(|array| solver.value(&terms, array, &Steps::start()).unwrap());
                let Ok(Value::Bool(holds)) = solver.value(&terms, term, &Steps::start()) else {
                    panic!("a truth value")
                };
                assert!(holds);
                (term == all.1).then(|| assert_eq!(values[0], values[1]));
                (term == some.0).then(|| assert_ne!(values[0], values[1]));
            }
        }
    };
    check(all.0, false);
    check(all.1, true);
    check(some.0, true);
    check(some.1, true);
}

/// A step of an array that differs from the one before does so within the range.
#[test]
fn steps_of_an_array_differ_within_its_range() {
    let mut terms = Terms::new();
    let id = terms.types.array(ArrayType { index: Type::Int, element: Type::Int, range: Some((0, 1)) });
    let array = terms.declare(Type::Array(id));
    let (before, after) = (terms.var(array), terms.var_at(array, 1));
    let one = terms.int(1);
    let written = terms.write(before, one, one);
    for other in [before, written] {
        let same = terms.eq(after, other);
        let mut parts = vec![terms.not(same)];
        for at in [0, 1] {
            let at = terms.int(at);
            let (left, right) = (terms.read(after, at), terms.read(other, at));
            parts.push(terms.eq(left, right));
        }
        let contradiction = terms.and(parts.iter().copied());
        assert!(!possible(&terms, contradiction));
        let apart = terms.and(parts[..2].iter().copied());
        assert!(possible(&terms, apart) && possible(&terms, same));
        // A literal is as good in both directions.
        for mut solver in solvers() {
            let lits: Vec<_> =
                parts.iter().map(|part| solver.lit(&terms, *part, &Steps::start()).unwrap()).collect();
            assert_eq!(solver.check(&lits), Ok(Answer::Unsat));
            assert_eq!(solver.check(&lits[..2]), Ok(Answer::Sat));
            assert_eq!(solver.check(&[!lits[0], lits[1], lits[2]]), Ok(Answer::Sat));
        }
    }
}

#[test]
fn integers_become_entries_of_arrays_of_rationals() {
    let mut terms = Terms::new();
    let id = terms.types.array(ArrayType { index: Type::Int, element: Type::Rat, range: None });
    let [a, i] = [Type::Array(id), Type::Int].map(|ty| terms.declare(ty));
    let [a, i] = [a, i].map(|var| terms.var(var));
    let (zero, three) = (terms.int(0), terms.int(3));
    let half = terms.constant(Value::rat("1/2".parse().unwrap()));
    let halved = terms.mul([half, i]);
    let constant = terms.fill(id, three);
    let arrays = [terms.write(a, zero, i), terms.write(a, zero, three), terms.fill(id, i), constant];
    let is_three = terms.eq(i, three);
    for array in arrays {
        let entry = terms.read(array, zero);
        let same = terms.eq(entry, three);
        let different = terms.not(same);
        let wrong = terms.and([is_three, different]);
        let right = terms.and([is_three, same]);
        assert!(!possible(&terms, wrong) && possible(&terms, right));
        // As a whole, too.
        let same = terms.eq(array, a);
        assert!(possible(&terms, same));
    }
    // What is called an integer may be a fraction.
    let (written, half_of_three) = (terms.write(a, zero, halved), terms.div(three, three));
    let same = terms.eq(written, a);
    let entry = terms.read(a, zero);
    let above = terms.lt(half_of_three, entry);
    let all = terms.and([is_three, same, above]);
    assert!(possible(&terms, all));
}

#[test]
fn what_a_solver_has_not_seen_has_a_value_within_its_range() {
    let mut terms = Terms::new();
    let [seen, high, low, free] = [(); 4].map(|()| terms.declare(Type::Int));
    let clock = terms.declare(Type::Clock);
    let (now, range) = (Steps::start(), |least: i64, greatest: i64| Some((least.into(), greatest.into())));
    let [x, h, l, f, c] = [seen, high, low, free, clock].map(|var| terms.var(var));
    let later = terms.var_at(high, 3);
    let sum = terms.add([h, l, x]);
    let two = terms.int(2);
    let is = terms.eq(x, two);
    for mut solver in solvers() {
        solver.declare(high, range(5, 9));
        solver.declare(low, range(-9, -5));
        solver.assert(&terms, is, &now).unwrap();
        assert_eq!(solver.check(&[]), Ok(Answer::Sat));
        for (term, expected) in [(h, 5), (later, 5), (l, -5), (f, 0), (x, 2), (sum, 2), (h, 5)] {
            assert_eq!(solver.value(&terms, term, &now), Ok(Value::int(expected)));
        }
        assert_eq!(solver.value(&terms, c, &now).unwrap().as_rat(), Rat::ZERO);
        let mut found = vec![];
        let mut emit = |values: &[Value]| {
            found.push(values.to_vec());
            true
        };
        smt::services::all_values(&mut *solver, &mut terms, &[], &[h, l], &now, &mut emit).unwrap();
        found.sort();
        let expected: Vec<Vec<Value>> =
            (5..=9).flat_map(|h| (-9..=-5).map(move |l| vec![Value::int(h), Value::int(l)])).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn ranges_hold_at_every_step_and_in_every_scope() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let now = terms.var(x);
    let later = terms.var_at(x, 3);
    for mut solver in solvers() {
        solver.declare(x, Some((Int::from(-2), Int::from(4))));
        for term in [now, later] {
            let (least, greatest) = (terms.int(-2), terms.int(4));
            let (below, above) = (terms.lt(term, least), terms.lt(greatest, term));
            let edges = [terms.eq(term, least), terms.eq(term, greatest)];
            solver.push().unwrap();
            let lits = [below, above].map(|term| solver.lit(&terms, term, &Steps::start()).unwrap());
            for lit in lits {
                assert_eq!(solver.check(&[lit]), Ok(Answer::Unsat));
            }
            solver.pop().unwrap();
            for lit in lits {
                assert_eq!(
                    solver.check(&[lit]),
                    Ok(Answer::Unsat),
                    "after the scope in which it was declared"
                );
            }
            for edge in edges {
                let edge = solver.lit(&terms, edge, &Steps::start()).unwrap();
                assert_eq!(solver.check(&[edge]), Ok(Answer::Sat));
            }
        }
    }
}

/// Entries of arrays of arrays count only within the ranges of both, in either direction.
#[test]
fn arrays_of_arrays_over_ranges_are_equal_if_they_agree_there() {
    let mut terms = Terms::new();
    let row = terms.types.array(ArrayType { index: Type::Int, element: Type::Int, range: Some((0, 1)) });
    let table =
        terms.types.array(ArrayType { index: Type::Int, element: Type::Array(row), range: Some((0, 1)) });
    let [a, b] = [0; 2].map(|_| terms.declare(Type::Array(table)));
    let (a, b) = (terms.var(a), terms.var(b));
    let mut same = vec![];
    for i in 0..2 {
        for j in 0..2 {
            let (i, j) = (terms.int(i), terms.int(j));
            let (left, right) = (terms.read(a, i), terms.read(b, i));
            let (left, right) = (terms.read(left, j), terms.read(right, j));
            same.push(terms.eq(left, right));
        }
    }
    let (same, equal) = (terms.and(same), terms.eq(a, b));
    for (term, expected) in [(terms.implies(same, equal), true), (terms.implies(equal, same), true)] {
        let mut solver = Z3Solver::new().unwrap();
        let negation = terms.not(term);
        solver.assert(&terms, negation, &Steps::start()).unwrap();
        assert_eq!(solver.check(&[]).unwrap() == Answer::Unsat, expected);
    }
}

/// A literal that stands twice in a list has the same truth in both places.
#[test]
fn cubes_agree_on_literals_that_stand_twice() {
    let mut terms = Terms::new();
    let var = terms.declare(Type::Bool);
    let term = terms.var(var);
    let mut solver = Z3Solver::new().unwrap();
    let lit = solver.lit(&terms, term, &Steps::start()).unwrap();
    let mut rows = vec![];
    smt::services::all_cubes(&mut solver, &[], &[lit, !lit, lit], &mut |row| {
        rows.push(row.to_vec());
        true
    })
    .unwrap();
    rows.sort_unstable();
    let row = |value: bool| vec![Some(value), Some(!value), Some(value)];
    assert_eq!(rows, [row(false), row(true)]);
}
