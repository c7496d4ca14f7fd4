//! The Newton family: what each kind says of a trace, and what it does not.

extern crate thetis_smt as smt;

use ir::{Steps, Stmt, Term, Terms, Type, VarId};
use smt::z3::Z3Solver;
use smt::{
    Answer, Direction, Flaw, Interpolation, Interpolator, Newton, Solver, Strategy, Trace, Vocabulary,
    verify, verify_over,
};

/// `x := 0; n := 5; y := n; x := x + 1; assume x > 1`: `n` is dead after the third statement, and `y` does
/// not matter at all.
struct Lab {
    terms: Terms,
    x: VarId,
    y: VarId,
    n: VarId,
    trace: Trace,
}

impl Lab {
    fn new() -> Lab {
        let mut terms = Terms::new();
        let [x, y, n] = std::array::from_fn(|_| terms.declare(Type::Int));
        let (zero, one, five) = (terms.int(0), terms.int(1), terms.int(5));
        let (now, other) = (terms.var(x), terms.var(n));
        let more = terms.add([now, one]);
        let above = terms.lt(one, now);
        let stmts: [Stmt; 5] = [
            terms.assign(x, zero),
            terms.assign(n, five),
            terms.assign(y, other),
            terms.assign(x, more),
            terms.assume(above),
        ];
        let trace = Trace::of(&mut terms, &stmts).unwrap();
        Lab { terms, x, y, n, trace }
    }
    fn run(&mut self, direction: Direction, core: bool, live: bool) -> Vec<Term> {
        let strategy = Strategy::Newton(Newton { direction, core, live });
        let solver = Z3Solver::new().unwrap();
        let mut interpolation = Interpolation::new(&solver, strategy.clone()).unwrap();
        let found = interpolation.sequence(&mut self.terms, &self.trace).unwrap();
        assert_eq!(found.by, strategy);
        let sequence = found.sequence;
        verify_over(&solver, &mut self.terms, &self.trace, &sequence, strategy.vocabulary()).unwrap();
        sequence
    }
    fn is(&mut self, var: VarId, value: i64) -> Term {
        let (var, value) = (self.terms.var(var), self.terms.int(value));
        self.terms.eq(var, value)
    }
    fn speaks_of(&self, sequence: &[Term]) -> Vec<VarId> {
        let mut vars: Vec<VarId> = sequence.iter().flat_map(|term| self.terms.vars_of(*term)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

#[test]
fn plain_postconditions_say_everything() {
    let mut lab = Lab::new();
    let sequence = lab.run(Direction::Forwards, false, false);
    let all = [lab.is(lab.x, 0), lab.is(lab.y, 5), lab.is(lab.n, 5)];
    let all = lab.terms.and(all);
    assert_same(&mut lab.terms, sequence[3], all);
    // They are no interpolants, and the check for those says so.
    let solver = Z3Solver::new().unwrap();
    let flaw = verify(&solver, &mut lab.terms, &lab.trace, &sequence);
    assert!(matches!(flaw, Err(Flaw::NotShared(..))), "{flaw:?}");
}

#[test]
fn live_variables_are_all_that_is_left_with_lv() {
    let mut lab = Lab::new();
    let sequence = lab.run(Direction::Forwards, false, true);
    // Between the second and the third statement `n` lives; `y` never does.
    let both = [lab.is(lab.x, 0), lab.is(lab.n, 5)];
    let both = lab.terms.and(both);
    assert_same(&mut lab.terms, sequence[2], both);
    assert_eq!(lab.speaks_of(&sequence), [lab.x, lab.n]);
    assert_eq!(lab.speaks_of(&sequence[3..]), [lab.x]);
}

#[test]
fn only_the_core_is_executed_with_it() {
    let mut lab = Lab::new();
    let sequence = lab.run(Direction::Forwards, true, false);
    assert_eq!(lab.speaks_of(&sequence), [lab.x]);
    let start = lab.is(lab.x, 0);
    assert_same(&mut lab.terms, sequence[1], start);
}

/// Forwards and backwards, a variable that dies but is in the core is said by what keeps dead ones only.
#[test]
fn dead_variables_of_the_core_are_kept_without_lv() {
    let mut terms = Terms::new();
    let [x, y] = std::array::from_fn(|_| terms.declare(Type::Int));
    let (zero, now, other) = (terms.int(0), terms.var(x), terms.var(y));
    let above = terms.lt(zero, now);
    // `y := 0; x := y; skip; assume x > 0`: `y` is dead after the second statement.
    let stmts = [terms.assign(y, zero), terms.assign(x, other), terms.skip(), terms.assume(above)];
    let trace = Trace::of(&mut terms, &stmts).unwrap();
    let mut lab = Lab { terms, x, y, n: y, trace };
    let dead = lab.run(Direction::Forwards, true, false);
    assert_eq!(lab.speaks_of(&dead[2..]), [x, y]);
    let live = lab.run(Direction::Forwards, true, true);
    assert_eq!(lab.speaks_of(&live[2..]), [x]);
    assert_eq!(lab.speaks_of(&live[..2]), [y]);
}

/// Backwards, whole statements leave conditions that the core does not need.
#[test]
fn preconditions_differ_in_what_they_execute() {
    let mut terms = Terms::new();
    let [x, y] = std::array::from_fn(|_| terms.declare(Type::Int));
    let (zero, now, other) = (terms.int(0), terms.var(x), terms.var(y));
    let (above, positive) = (terms.lt(zero, now), terms.lt(zero, other));
    // `x := 0; havoc y; assume y > 0; assume x > 0`: what is assumed of `y` is in no core.
    let stmts = [terms.assign(x, zero), terms.havoc(y), terms.assume(positive), terms.assume(above)];
    let trace = Trace::of(&mut terms, &stmts).unwrap();
    let mut lab = Lab { terms, x, y, n: y, trace };
    let whole = lab.run(Direction::Backwards, false, false);
    assert_eq!(lab.speaks_of(&whole[..3]), [x, y]);
    let core = lab.run(Direction::Backwards, true, false);
    assert_eq!(lab.speaks_of(&core), [x]);
    let most = lab.terms.le(now, zero);
    assert_same(&mut lab.terms, core[2], most);
}

/// Without LV a cut speaks of what is written before it and never read after; with it, it does not.
#[test]
fn preconditions_differ_in_what_they_speak_of() {
    let mut terms = Terms::new();
    let [x, y] = std::array::from_fn(|_| terms.declare(Type::Int));
    let (zero, now, other) = (terms.int(0), terms.var(x), terms.var(y));
    let (above, positive) = (terms.lt(zero, now), terms.lt(zero, other));
    // Nothing before the assumption says anything of `y`, so it is not shared.
    let stmts = [terms.assign(x, zero), terms.assume(positive), terms.assume(above)];
    let trace = Trace::of(&mut terms, &stmts).unwrap();
    let mut lab = Lab { terms, x, y, n: y, trace };
    let all = lab.run(Direction::Backwards, false, false);
    assert_eq!(lab.speaks_of(&all), [x, y]);
    let live = lab.run(Direction::Backwards, false, true);
    assert_eq!(lab.speaks_of(&live), [x]);
}

/// Variables that do not live between the parts are not spoken of, whatever the kind.
#[test]
fn what_is_no_state_is_not_spoken_of() {
    for newton in Newton::ALL {
        let mut lab = Lab::new();
        let solver = Z3Solver::new().unwrap();
        let mut interpolation = Interpolation::new(&solver, Strategy::Newton(newton)).unwrap();
        interpolation.set_state([lab.x, lab.y]);
        let found = interpolation.sequence(&mut lab.terms, &lab.trace).unwrap();
        verify_over(&solver, &mut lab.terms, &lab.trace, &found.sequence, Vocabulary::All).unwrap();
        if !newton.live {
            assert!(!lab.speaks_of(&found.sequence).contains(&lab.n), "{newton}");
        }
    }
}

#[test]
fn every_kind_has_a_name() {
    let mut names = vec![];
    for newton in Newton::ALL {
        let name = newton.to_string();
        assert_eq!(name.parse(), Ok(Strategy::Newton(newton)));
        names.push(name);
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 8);
    assert_eq!("newton-sp".parse(), Ok(Strategy::NewtonSp));
    assert_eq!("newton-wp".parse(), Ok(Strategy::NewtonWp));
    assert!("newton-lv".parse::<Strategy>().unwrap_err().to_string().contains("newton-it-wp-lv"));
}

fn assert_same(terms: &mut Terms, a: Term, b: Term) {
    let same = terms.eq(a, b);
    let different = terms.not(same);
    let mut solver = Z3Solver::new().unwrap();
    solver.assert(terms, different, &Steps::start()).unwrap();
    assert_eq!(solver.check(&[]), Ok(Answer::Unsat));
}
