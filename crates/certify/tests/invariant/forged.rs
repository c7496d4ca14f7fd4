//! Certificates that no honest engine makes: damaged, trivial, or not even well-formed.

use ir::{ArrayId, ArrayType, EnumId, Type, Value};

use super::*;

/// The counter with a good invariant.
fn good() -> (System, Question, Invariant) {
    let (system, question) = load(COUNTER, "n <= 3");
    (system, question, by_location(COUNTER, &RANGE))
}

/// Why an invariant of the counter is refused.
#[track_caller]
fn why(damage: impl FnOnce(&mut Invariant)) -> String {
    let (system, question, mut invariant) = good();
    damage(&mut invariant);
    match check(&system, &question, invariant) {
        Err(Rejection::Wrong(why)) => why.to_string(),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Why a formula is refused at `env`.
#[track_caller]
fn why_formula(formula: impl FnOnce(&mut Terms) -> Term) -> String {
    why(|invariant| invariant.entries[1].formula = formula(&mut invariant.terms))
}

#[test]
fn no_entry_can_be_missing() {
    let (system, question) = load(COUNTER, "n <= 3");
    let whole = state_by_state(&system);
    for missing in 0..whole.entries.len() {
        let mut fewer = whole.clone();
        fewer.entries.remove(missing);
        // With hints that point at the same entries as before, and with hints as they were.
        for renumber in [true, false] {
            let mut fewer = fewer.clone();
            let hints = fewer.entries.iter_mut().flat_map(|entry| &mut entry.successors);
            for hint in hints.chain(&mut fewer.initial).filter(|hint| renumber && **hint > missing as u32) {
                *hint -= 1;
            }
            assert!(
                matches!(check(&system, &question, fewer), Err(Rejection::Wrong(_))),
                "without entry {missing}"
            );
        }
    }
}

#[test]
fn no_state_can_be_missing_or_another() {
    let (system, question) = load(COUNTER, "n <= 3");
    let whole = state_by_state(&system);
    for at in 0..whole.entries.len() {
        let mut other = whole.clone();
        other.entries[at].formula = other.terms.bool(false);
        assert!(matches!(check(&system, &question, other), Err(Rejection::Wrong(_))), "{at} is false");
        let mut other = whole.clone();
        other.entries[at].formula = other.terms.bool(true);
        assert!(matches!(check(&system, &question, other), Err(Rejection::Wrong(_))), "{at} is true");
        let mut other = whole.clone();
        other.entries[at].formula = other.terms.not(whole.entries[at].formula);
        assert!(matches!(check(&system, &question, other), Err(Rejection::Wrong(_))), "{at} is negated");
    }
}

#[test]
fn trivial_invariants_are_refused() {
    let constant = |value: bool| {
        move |invariant: &mut Invariant| {
            let formula = invariant.terms.bool(value);
            invariant.entries.iter_mut().for_each(|entry| entry.formula = formula);
        }
    };
    let start = "an initial state is in none of the entries that should contain it";
    assert_eq!(why(constant(false)), start);
    assert_eq!(why(constant(true)), "entry 0 contains a target");
    assert_eq!(why(|invariant| invariant.initial.clear()), start);
    assert_eq!(why(|invariant| invariant.initial = vec![1, 2]), start);
    assert_eq!(
        why(|invariant| {
            invariant.initial.clear();
            invariant.entries.clear();
        }),
        start
    );
}

#[test]
fn hints_are_not_believed() {
    let outside = "entry 1: there is no entry 3";
    assert_eq!(why(|invariant| invariant.entries[1].successors.push(3)), outside);
    assert_eq!(why(|invariant| invariant.entries[1].successors = vec![u32::MAX, 3]), {
        "entry 1: there is no entry 4294967295"
    });
    assert_eq!(why(|invariant| invariant.initial.push(7)), "the initial states: there is no entry 7");
    let missing = "a successor of entry 1 by `env` is in none of the entries it points at";
    assert_eq!(why(|invariant| invariant.entries[1].successors = vec![0, 1]), missing);
    assert_eq!(why(|invariant| invariant.entries[1].successors.clear()), missing);
}

#[test]
fn locations_are_looked_at() {
    let none = "entry 1: these are no locations of the model";
    assert_eq!(why(|invariant| invariant.entries[1].locations = [LocationId::at(99)].into()), none);
    assert_eq!(why(|invariant| invariant.entries[1].locations = Box::default()), none);
    assert_eq!(
        why(|invariant| invariant.entries[1].locations = [LocationId::at(0), LocationId::at(0)].into()),
        none
    );
    let (system, ..) = good();
    let missing = "a successor of entry 0 by `init` is in none of the entries it points at";
    assert_eq!(why(|invariant| invariant.entries[1].locations = location(&system, "trans")), missing);
}

#[test]
fn invariants_of_other_models_are_refused() {
    let (system, question, _) = good();
    let others = [
        // Other types, other names only, fewer variables, more of them.
        "var n : boolean = false var coin : boolean = false trans { } init { } env { }",
        "var n : integer = 7 var coin : boolean = false trans { } init { } env { }",
        "var n : integer = 7 trans { } init { } env { }",
        "var n : integer = 0 var coin : boolean = true var z : integer = 5 trans { } init { } env { }",
    ];
    for source in others {
        let (other, _) = load(source, "true");
        let invariant = state_by_state(&other);
        assert!(matches!(check(&system, &question, invariant), Err(Rejection::Wrong(_))), "{source}");
    }
}

#[test]
fn terms_must_exist() {
    assert_eq!(why(|invariant| invariant.entries[1].formula = Term::at(999_999)), {
        "entry 1: there is no term 999999"
    });
    // An operand of another arena.
    let why = why_formula(|terms| {
        let condition = terms.var(VarId::at(1));
        let id = terms.types.add_enum("E", vec!["A".into()]);
        let literal = terms.constant(Value::Enum(id, 0));
        let [a, b] = [999_998, 999_999].map(|wild| terms.ite(condition, literal, Term::at(wild)));
        terms.eq(a, b)
    });
    assert!(why.contains("is made of terms that do not exist"), "{why}");
}

#[test]
fn variables_are_those_of_states() {
    assert_eq!(
        why_formula(|terms| {
            let wild = terms.declare(Type::Bool);
            terms.var(wild)
        }),
        "entry 1: there is no variable 2"
    );
    assert_eq!(
        why_formula(|terms| terms.var_at(VarId::at(1), 1)),
        "entry 1: `coin` is meant at another time than now"
    );
    let source = "var n : integer = 0 trans { local var k : boolean; havoc k; } init { } env { }";
    let (system, question) = load(source, "true");
    let mut invariant = by_location(source, &[("init", "true"), ("env", "true"), ("trans", "true")]);
    let local = system.vars.ids().find(|var| system.vars[*var].scope == ir::Scope::Local);
    invariant.entries[1].formula = invariant.terms.var(local.expect("a local variable"));
    let Err(Rejection::Wrong(why)) = check(&system, &question, invariant) else { panic!("accepted") };
    assert_eq!(why.to_string(), "entry 1: `k` is not part of a state");
}

#[test]
fn formulas_speak_of_values_only() {
    let more = "entry 1: the formula speaks of more than the values of variables";
    assert_eq!(why_formula(|terms| terms.at(ir::ProcessId::at(0), LocationId::at(0))), more);
    assert_eq!(why_formula(Terms::deadlock), more);
    assert_eq!(why_formula(|terms| terms.var(VarId::at(0))), "entry 1: the formula is not a truth value");
}

#[test]
fn types_must_fit() {
    let misfit = |formula: fn(&mut Terms, Term, Term) -> Term| {
        let why = why_formula(|terms| {
            let (n, coin) = (terms.var(VarId::at(0)), terms.var(VarId::at(1)));
            formula(terms, n, coin)
        });
        assert!(why.contains("do not fit together") || why.contains("does not have"), "{why}");
    };
    misfit(|terms, n, coin| terms.and([n, coin]));
    misfit(|terms, n, coin| terms.le(n, coin));
    misfit(|terms, n, coin| terms.eq(n, coin));
    misfit(|terms, n, _| terms.not(n));
    misfit(|terms, n, coin| {
        let sum = terms.rem(n, coin);
        terms.lt(sum, n)
    });
    misfit(|terms, n, coin| {
        let either = terms.ite(coin, n, coin);
        terms.lt(either, n)
    });
    misfit(|terms, n, _| {
        let half = terms.constant(Value::rat(ir::Rat::new(&1.into(), &2.into()).unwrap()));
        let remainder = terms.modulo(n, half);
        terms.lt(remainder, n)
    });
    // Types and values that the model does not have.
    misfit(|terms, _, _| {
        let id = terms.types.add_enum("Wild", vec!["A".into()]);
        let (a, b) = (terms.constant(Value::Enum(id, 7)), terms.declare(Type::Enum(id)));
        let b = terms.var(b);
        terms.eq(a, b)
    });
    misfit(|terms, n, _| {
        let wild = ArrayType { index: Type::Int, element: Type::Array(ArrayId::at(0)), range: None };
        let id = terms.types.array(wild);
        let wild = terms.fill(id, n);
        terms.eq(wild, n)
    });
    misfit(|terms, n, _| {
        let wild = terms.declare(Type::Array(ArrayId::at(77)));
        let wild = terms.var(wild);
        let written = terms.write(wild, n, n);
        terms.eq(written, wild)
    });
    let source = "type E : { A, B } var e : E = A trans { } init { } env { }";
    let (system, question) = load(source, "true");
    let mut invariant = state_by_state(&system);
    let (e, wild) = (invariant.terms.var(VarId::at(0)), Value::Enum(EnumId::at(0), 9));
    let wild = invariant.terms.constant(wild);
    invariant.entries[0].formula = invariant.terms.eq(e, wild);
    let Err(Rejection::Wrong(why)) = check(&system, &question, invariant) else { panic!("accepted") };
    assert!(matches!(why.flaw, Flaw::Formula(FormulaFlaw::UnknownValue(_))), "{why}");
}

/// A clock may be set to an integer, and sums of numbers may turn into one; an exact quotient of them must not turn
/// into a rounded one.
#[test]
fn quotients_stay_what_they_are() {
    let source = "var x : clock var y : clock var n : integer = 0 var r : rational = 1%2
        trans { __delay; n := 1; x := 0; } init { } env { }";
    let refused = |divide: fn(&mut Terms, [Term; 4]) -> Term| {
        let (system, question) = load(source, "true");
        let locations = system.initial_locations();
        let mut terms = system.terms.clone();
        let vars = ["x", "y", "n", "r"].map(|name| {
            let var = system.vars.ids().find(|var| system.vars[*var].name == name).expect("a variable");
            terms.var(var)
        });
        let quotient = divide(&mut terms, vars);
        let formula = terms.le(quotient, vars[0]);
        let entries = vec![ir::InvariantEntry { locations, formula, successors: vec![] }];
        match check(&system, &question, Invariant { terms, initial: vec![0], entries }) {
            // Whatever the quotient is, this is no invariant.
            Err(Rejection::Wrong(why)) => matches!(why.flaw, Flaw::Formula(FormulaFlaw::Quotient(_))),
            other => panic!("expected a refusal, got {other:?}"),
        }
    };
    assert!(!refused(|terms, [_, _, n, _]| terms.div(n, n)));
    assert!(!refused(|terms, [_, _, _, r]| terms.div(r, r)));
    assert!(!refused(|terms, [_, _, n, r]| terms.div(n, r)));
    assert!(!refused(|terms, [x, ..]| {
        let two = terms.constant(Value::rat(ir::Rat::from(2)));
        terms.div(x, two)
    }));
    assert!(refused(|terms, [x, y, ..]| terms.div(x, y)));
    assert!(refused(|terms, [x, ..]| {
        let two = terms.int(2);
        terms.div(x, two)
    }));
    assert!(refused(|terms, [_, _, n, r]| {
        let sum = terms.add([n, r]);
        let two = terms.int(2);
        terms.div(sum, two)
    }));
}

#[test]
fn huge_formulas_are_survived() {
    // Nested so deeply that nothing should recurse over it.
    let nested = |depth: usize| {
        move |terms: &mut Terms| {
            let (n, coin) = (terms.var(VarId::at(0)), terms.var(VarId::at(1)));
            let mut sum = n;
            for step in 0..depth {
                let more = terms.int(step as i64);
                let more = terms.mul([sum, n, more]);
                sum = terms.ite(coin, more, n);
            }
            terms.le(n, sum)
        }
    };
    let (system, question, mut invariant) = good();
    invariant.entries[1].formula = nested(200_000)(&mut invariant.terms);
    let Err(Rejection::Undecided(why)) = check(&system, &question, invariant) else { panic!("decided") };
    assert_eq!(why, Undecided::DeepFormula(Place::Entry(1)));
    // Small as a graph, huge as a tree.
    let (system, question, mut invariant) = good();
    let mut whole = invariant.entries[1].formula;
    for _ in 0..60 {
        let (terms, coin) = (&mut invariant.terms, VarId::at(1));
        let coin = terms.var(coin);
        let other = terms.eq(whole, coin);
        let both = terms.or([other, whole]);
        whole = terms.and([both, whole]);
    }
    invariant.entries[1].formula = whole;
    let _ = check(&system, &question, invariant);
}
