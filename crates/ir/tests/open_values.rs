//! Open variables: given a value when first read, free of charge when overwritten.

extern crate thetis_ir as ir;

use ir::interp::{Interp, Need, Stuck};
use ir::{Decision, Id, Rat, Span, State, Stmt, System, Term, Type, Value, VarId, Variable};

struct Lab {
    system: System,
    n: VarId,
    m: VarId,
    b: VarId,
}

fn lab() -> Lab {
    let mut system = System::default();
    let span = Span::default();
    let n = system.declare(Type::Int, Variable::state("n", span));
    let m = system.declare(Type::Int, Variable::state("m", span));
    let b = system.declare(Type::Bool, Variable::state("b", span));
    Lab { system, n, m, b }
}

impl Lab {
    fn cmp(&mut self, var: VarId, op: &str, bound: i64) -> Term {
        let (var, bound) = (self.system.terms.var(var), self.system.terms.int(bound));
        match op {
            "<" => self.system.terms.lt(var, bound),
            ">" => self.system.terms.gt(var, bound),
            "==" => self.system.terms.eq(var, bound),
            _ => unreachable!(),
        }
    }
    fn assume(&mut self, var: VarId, op: &str, bound: i64) -> Stmt {
        let condition = self.cmp(var, op, bound);
        self.system.terms.assume(condition)
    }
    fn from(&self, values: [Option<Value>; 3]) -> State {
        State { locations: Box::new([]), values: values.into() }
    }
    /// The successors of `n = 7, m = 1, b = false`.
    fn check(&self, stmt: Stmt, expected: Result<&[&str], Stuck>) {
        self.check_from(stmt, [Some(Value::int(7)), Some(Value::int(1)), Some(false.into())], expected);
    }
    fn check_from(&self, stmt: Stmt, values: [Option<Value>; 3], expected: Result<&[&str], Stuck>) {
        let mut found = vec![];
        let result = Interp::new(&self.system, None).successors(stmt, &self.from(values), &mut |outcome| {
            let shown = outcome.values.iter().map(|value| match value {
                Some(value) => self.system.types().show(value).to_string(),
                None => "*".to_owned(),
            });
            found.push(shown.collect::<Vec<_>>().join(" "));
            true
        });
        match expected {
            Ok(expected) => {
                assert_eq!(result, Ok(()));
                assert_eq!(found, expected);
            }
            Err(stuck) => assert_eq!(result, Err(stuck)),
        }
    }
}

#[test]
fn finite_state_variables_branch_at_once() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.b);
    lab.check(havoc, Ok(&["7 1 false", "7 1 true"]));
}

#[test]
fn an_integer_stays_open_until_it_is_read() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    lab.check(havoc, Ok(&["* 1 false"]));
    let five = lab.system.terms.int(5);
    let overwrite = lab.system.terms.assign(lab.n, five);
    let both = lab.system.terms.seq([havoc, overwrite]);
    lab.check(both, Ok(&["5 1 false"]));
}

#[test]
fn bounds_may_be_spread_over_following_assumptions() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let (low, high) = (lab.assume(lab.n, ">", 2), lab.assume(lab.n, "<", 5));
    let stmt = lab.system.terms.seq([havoc, low, high]);
    lab.check(stmt, Ok(&["3 1 false", "4 1 false"]));
}

#[test]
fn one_bound_is_not_enough() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let low = lab.assume(lab.n, ">", 2);
    let stmt = lab.system.terms.seq([havoc, low]);
    lab.check(stmt, Err(Stuck::NotEnumerable(lab.n)));
}

#[test]
fn alternatives_bound_by_their_hull() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let (one, three) = (lab.cmp(lab.n, "==", 1), lab.cmp(lab.n, "==", 3));
    let either = lab.system.terms.or([one, three]);
    let either = lab.system.terms.assume(either);
    let stmt = lab.system.terms.seq([havoc, either]);
    lab.check(stmt, Ok(&["1 1 false", "3 1 false"]));
}

#[test]
fn contradictory_bounds_block() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let (low, high) = (lab.assume(lab.n, ">", 5), lab.assume(lab.n, "<", 3));
    let stmt = lab.system.terms.seq([havoc, low, high]);
    lab.check(stmt, Ok(&[]));
}

#[test]
fn a_decided_condition_does_not_read() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let (open, closed) = (lab.cmp(lab.n, ">", 5), lab.cmp(lab.m, "==", 0));
    let both = lab.system.terms.and([open, closed]);
    let assume = lab.system.terms.assume(both);
    let stmt = lab.system.terms.seq([havoc, assume]);
    lab.check(stmt, Ok(&[]));
}

#[test]
fn copying_an_open_variable_reads_it() {
    let mut lab = lab();
    let n = lab.system.terms.var(lab.n);
    let copy = lab.system.terms.assign(lab.m, n);
    lab.check_from(copy, [None, None, None], Err(Stuck::NotEnumerable(lab.n)));
    let b = lab.system.terms.var(lab.b);
    let assume = lab.system.terms.assume(b);
    lab.check_from(assume, [None, None, None], Ok(&["* * true"]));
}

#[test]
fn what_was_open_before_is_reported_as_fixed() {
    let mut lab = lab();
    let b = lab.system.terms.var(lab.b);
    let assume = lab.system.terms.assume(b);
    let mut fixed = vec![];
    let from = lab.from([None, None, None]);
    Interp::new(&lab.system, None)
        .successors(assume, &from, &mut |outcome| {
            fixed.push(outcome.fixed);
            true
        })
        .unwrap();
    assert_eq!(fixed, [[(lab.b, Value::Bool(true))]]);
}

#[test]
fn a_witness_is_found_within_an_open_state() {
    let mut lab = lab();
    let from = lab.from([None, Some(Value::int(1)), None]);
    let big = lab.cmp(lab.n, ">", 100);
    let mut interp = Interp::new(&lab.system, None);
    let found = interp.find(&from, big).unwrap().expect("101 is a witness");
    assert_eq!(found.values[0], Some(Value::int(101)));
    let mut lab = self::lab();
    let (low, high) = (lab.cmp(lab.n, "<", 0), lab.cmp(lab.n, ">", 0));
    let none = lab.system.terms.and([low, high]);
    let from = lab.from([None, Some(Value::int(1)), None]);
    assert_eq!(Interp::new(&lab.system, None).find(&from, none), Ok(None));
}

#[test]
fn scripts_are_asked_for_what_they_lack() {
    let mut lab = lab();
    let clock = lab.system.declare(Type::Clock, Variable::state("c", Span::default()));
    let havoc = lab.system.terms.havoc(lab.n);
    let delay = lab.system.terms.delay();
    let skip = lab.system.terms.skip();
    let choice = lab.system.terms.choice([skip, delay]);
    let stmt = lab.system.terms.seq([havoc, choice, delay]);
    let from = State {
        locations: Box::new([]),
        values: [Value::int(7), Value::int(1), false.into(), Value::rat(Rat::from(2))].map(Some).into(),
    };
    let mut interp = Interp::new(&lab.system, None);
    let mut script = vec![];
    let mut ask = |script: &[Decision]| interp.follow(stmt, &from, script);
    assert_eq!(ask(&script).unwrap_err(), Stuck::Needs(Need::Value(lab.n)));
    script.push(Decision::Value(Some(Value::int(-4))));
    assert_eq!(ask(&script).unwrap_err(), Stuck::Needs(Need::Branch(2)));
    script.push(Decision::Branch(0));
    assert_eq!(ask(&script).unwrap_err(), Stuck::Needs(Need::Delay));
    script.push(Decision::Delay("1/2".parse().unwrap()));
    let outcome = ask(&script).unwrap().expect("nothing blocks");
    assert_eq!(outcome.values[0], Some(Value::int(-4)));
    assert_eq!(outcome.values[clock.index()], Some(Value::rat("5/2".parse().unwrap())));
    script.push(Decision::Branch(0));
    assert_eq!(ask(&script).unwrap_err(), Stuck::Misfit, "a script that is too long");
    script[2] = Decision::Delay(Rat::from(-1));
    assert_eq!(ask(&script).unwrap_err(), Stuck::Misfit, "time does not run backwards");
}

#[test]
fn delays_cannot_be_enumerated() {
    let mut lab = lab();
    let delay = lab.system.terms.delay();
    lab.check(delay, Err(Stuck::Delay));
}

/// Arrays over finite positions are one value however they are written, arrays as positions included.
#[test]
fn equal_maps_are_equal_values() {
    let mut types = ir::Types::default();
    let array = |index, element| ir::ArrayType { index, element, range: None };
    let bits = types.array(array(Type::Bool, Type::Bool));
    let table = types.array(array(Type::Array(bits), Type::Int));
    assert_eq!(types.cardinality(Type::Array(bits)), Some(4));
    let positions: Vec<Value> = (0..4).map(|at| types.nth(Type::Array(bits), at).unwrap()).collect();
    assert_eq!(types.nth(Type::Array(bits), 4), None);
    let mut distinct = positions.clone();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
    let ones = types.fill(table, Value::int(1));
    let mut written = types.fill(table, Value::int(0));
    for position in positions {
        assert_ne!(written, ones);
        written = types.write(&written, position, Value::int(1));
    }
    assert_eq!(written, ones);
}

#[test]
fn small_arrays_are_enumerated() {
    let mut lab = lab();
    let bits =
        lab.system.terms.types.array(ir::ArrayType { index: Type::Bool, element: Type::Bool, range: None });
    let flags = lab.system.declare(Type::Array(bits), Variable::state("flags", Span::default()));
    let havoc = lab.system.terms.havoc(flags);
    let from = State { locations: Box::new([]), values: Box::new([None, None, None, None]) };
    let mut found = vec![];
    Interp::new(&lab.system, None)
        .successors(havoc, &from, &mut |outcome| {
            found.push(outcome.values[3].clone());
            true
        })
        .unwrap();
    found.dedup();
    assert_eq!(found.len(), 4);
}

/// Bounds that stand in the branches of what follows bound as well.
#[test]
fn branches_bound_by_their_hull() {
    let mut lab = lab();
    let havoc = lab.system.terms.havoc(lab.n);
    let one = lab.cmp(lab.n, "==", 1);
    let (low, high) = (lab.assume(lab.n, ">", 2), lab.assume(lab.n, "<", 5));
    let between = lab.system.terms.seq([low, high]);
    let mark = lab.system.terms.bool(true);
    let mark = lab.system.terms.assign(lab.b, mark);
    let stmt = lab.system.terms.branch(one, mark, between);
    let stmt = lab.system.terms.seq([havoc, stmt]);
    lab.check(stmt, Ok(&["1 1 true", "3 1 false", "4 1 false"]));
}

/// n is bounded by m, which is open as well, and bounded by numbers.
#[test]
fn what_bounds_a_value_gets_its_own_first() {
    let mut lab = lab();
    let (n, m) = (lab.system.terms.var(lab.n), lab.system.terms.var(lab.m));
    let below = lab.system.terms.lt(n, m);
    let limits = [lab.cmp(lab.n, ">", 0), below, lab.cmp(lab.m, ">", 1), lab.cmp(lab.m, "<", 4)];
    let condition = lab.system.terms.and(limits);
    let (any, other) = (lab.system.terms.havoc(lab.n), lab.system.terms.havoc(lab.m));
    let assume = lab.system.terms.assume(condition);
    let stmt = lab.system.terms.seq([any, other, assume]);
    lab.check(stmt, Ok(&["1 2 false", "1 3 false", "2 3 false"]));
}
