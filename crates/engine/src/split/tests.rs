//! Statements and their alternatives, written out.

use ir::{System, Value};
use zones::{Bound, Constraint};

use super::*;

/// The last edge of a model, split for states with these values: all ways, or those that flags and a solver find.
fn split(system: &System, known: &[(&str, Value)], which: bool) -> Result<Vec<Alternative>, Reason> {
    let mut system = system.clone();
    let mut splitter = Splitter::new(&system).asking_beyond(0);
    let solver = Z3Solver::new()?;
    let process = system.processes.iter().next().expect("a process");
    let source = process.edges.iter().last().expect("an edge").source;
    let actions = ir::actions(&mut system, &[source]);
    let stmt = actions.last().expect("an action").stmt;
    let mut values = Valuation::default();
    let mut facts = vec![];
    for (name, value) in known {
        let var = system.vars.ids().find(|var| system.vars[*var].name == *name).expect("a variable");
        let (now, value) = (system.terms.var(var), system.terms.constant(value.clone()));
        values.insert(var, value);
        facts.push(system.terms.eq(now, value));
    }
    // Either the values are put in, or they are what is said of the state.
    let (mut values, which) = match which {
        true => (Valuation::default(), Which::Feasible(&facts)),
        false => (values, Which::All),
    };
    let stmt = ir::simplify(&mut system.terms, stmt, &mut values);
    let list = splitter.split(&mut system, stmt, which, (&solver, &Stop::new()))?;
    Ok(list.iter().map(|alternative| (**alternative).clone()).collect())
}

fn xsts(text: &str) -> System {
    lang::xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}")).system
}

/// Example 1 of Cziborová, 2023: a transition inside with a timeout has priority.
fn priority() -> System {
    xsts("type State : { Q1, Q2, Q3, Q4 } var state : State = Q2; var a : boolean = false; var timeout : clock;
        trans { __delay; if (a) {
            if ((timeout >= 500 && state == Q2) || state == Q3) { state := Q1; }
            else if (state == Q1 || state == Q2) { state := Q4; }
        } }")
}

#[test]
fn conditions_over_data_and_time_are_told_apart() {
    let system = priority();
    let (id, _) = system.types().enums().next().expect("an enumeration");
    let at = |ordinal| ("state", Value::Enum(id, ordinal));
    // Past the timeout in Q2; before it; and what does not ask for the time: not a, in Q3, in another state.
    assert_eq!(split(&system, &[], false).unwrap().len(), 3);
    assert_eq!(split(&system, &[], true).unwrap().len(), 3);
    // In Q3, time decides nothing, whether that is put in or said of the state.
    assert_eq!(split(&system, &[at(2)], true).unwrap().len(), 1);
    assert_eq!(split(&system, &[at(2)], false).unwrap().len(), 1);
    // In Q2, it does, whether a is known or not.
    assert_eq!(split(&system, &[at(1)], true).unwrap().len(), 3);
    let timed = split(&system, &[at(1), ("a", Value::Bool(true))], true).unwrap();
    let bound = |value, strict| Bound::new(value, strict).unwrap();
    let past = Op::Constrain(Constraint::new(0, 1, bound(-500, false)));
    let before = Op::Constrain(Constraint::new(1, 0, bound(500, true)));
    let mut ops: Vec<&[Op]> = timed.iter().map(|alternative| &*alternative.ops).collect();
    ops.sort_by_key(|ops| format!("{ops:?}"));
    assert_eq!(ops, [[Op::Delay, past], [Op::Delay, before]]);
}

#[test]
fn equalities_are_bounds_and_inequalities_choices() {
    let system = xsts("var c : clock; trans { __delay; assume c == 3; c := 1; }");
    let bound = |value| Bound::new(value, false).unwrap();
    let [only] = &split(&system, &[], false).unwrap()[..] else { panic!("one alternative") };
    let expected = [
        Op::Delay,
        Op::Constrain(Constraint::new(0, 1, bound(-3))),
        Op::Constrain(Constraint::new(1, 0, bound(3))),
        Op::Reset(1, 1),
    ];
    assert_eq!(*only.ops, expected);
    let system = xsts("var c : clock; trans { __delay; assume c != 3; }");
    assert_eq!(split(&system, &[], false).unwrap().len(), 2);
    let system = xsts("var c : clock; var n : integer = 0; trans { n := if c > 2 then 1 else 0; }");
    assert_eq!(split(&system, &[], false).unwrap().len(), 2);
}

#[test]
fn what_data_does_alone_stays_together() {
    let system = xsts(
        "var c : clock; var n : integer = 0;
         trans { choice { n := 1; } or { n := 2; } or { c := 0; } or { if (n > 1) { n := 0; } } }",
    );
    let list = split(&system, &[], false).unwrap();
    assert_eq!(list.len(), 2);
    assert!(list.iter().any(|alternative| alternative.ops.is_empty()));
}

#[test]
fn bounds_and_loops_must_be_known() {
    let text = "clock c; int n; process P() { state A; init A; trans A -> A { guard c <= n; }; } system P;";
    let system = lang::xta::load(text, lang::xta::Format::Xta).unwrap().system;
    let Err(Reason::Unsupported(why)) = split(&system, &[], false) else {
        panic!("a bound that is not known")
    };
    assert!(matches!(why, Unsupported::ManyBounds { .. }) && why.variables()[0].name == "n", "{why:?}");
    assert_eq!(split(&system, &[("n", Value::int(2))], false).unwrap().len(), 1);
    let system =
        xsts("var c : clock; var n : integer = 0; trans { for i from 0 to n do { __delay; c := 0; } }");
    let Err(Reason::Unsupported(why)) = split(&system, &[], false) else { panic!("a loop without end") };
    assert!(matches!(why, Unsupported::ClockLoop { .. }) && why.variables()[0].name == "n", "{why:?}");
    let [only] = &split(&system, &[("n", Value::int(2))], false).unwrap()[..] else {
        panic!("one alternative")
    };
    assert_eq!(*only.ops, [Op::Delay, Op::Reset(1, 0), Op::Delay, Op::Reset(1, 0)]);
}

#[test]
fn splitting_is_done_once() {
    let mut system = priority();
    let (mut splitter, solver) = (Splitter::new(&system), Z3Solver::new().unwrap());
    let edge = system.processes.iter().next().and_then(|process| process.edges.iter().last()).unwrap();
    let stmt = edge.update.stmt;
    let mut ask = || splitter.split(&mut system, stmt, Which::All, (&solver, &Stop::new())).unwrap();
    let first = ask();
    assert!(Rc::ptr_eq(&first, &ask()));
}

/// The alternatives of the last step of a model, with names.
fn alternatives(declarations: &str, body: &str) -> Vec<String> {
    let text = format!("{declarations} trans {{ {body} }} prop {{ true }}");
    let model = lang::xsts::load(&text).expect("a model");
    let mut system = model.system;
    let trans = system.processes.iter().next().expect("one process");
    let edge = trans.edges.iter().find(|edge| edge.label.starts_with("trans")).expect("its step");
    let stmt = edge.update.stmt;
    let (mut splitter, solver) = (Splitter::new(&system), Z3Solver::new().expect("a solver"));
    let list = splitter.split(&mut system, stmt, Which::All, (&solver, &Stop::new())).expect("alternatives");
    list.iter()
        .map(|alternative| {
            let Alternative { ops, data } = &**alternative;
            let ops: Vec<String> = ops.iter().map(op).collect();
            let data = system.show_stmt(*data).to_string();
            format!("{} | {}", ops.join(" "), data.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect()
}

fn op(op: &Op) -> String {
    match op {
        Op::Constrain(constraint) => {
            let name = |clock: u32| if clock == 0 { "0".to_owned() } else { format!("c{clock}") };
            format!("{}-{}{:?}", name(constraint.left), name(constraint.right), constraint.bound)
        }
        Op::Reset(clock, value) => format!("c{clock}:={value}"),
        Op::Copy(clock, other) => format!("c{clock}:=c{other}"),
        Op::Free(clock) => format!("c{clock}:=?"),
        Op::Delay => "delay".to_owned(),
    }
}

const DECLARATIONS: &str = "var c : clock var d : clock var a : integer = 0 var b : boolean = false";

#[test]
fn data_stay_as_they_are() {
    let list = alternatives(DECLARATIONS, "choice { a := 1; } or { if (b) { a := 2; } else { a := 3; } }");
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(list[0].starts_with(" | "), "{list:?}");
}
/// Where data suffice, clocks are not looked at; the two cases of a disequality are told apart.
#[test]
fn mixed_conditions_are_split() {
    let list = alternatives(DECLARATIONS, "assume b || c <= 5;");
    assert_eq!(list.len(), 2, "{list:?}");
    assert!(list[0].starts_with(" | assume b"), "{list:?}");
    assert!(list[1].starts_with("c1-0<= 5 | assume !b"), "{list:?}");
    assert_eq!(alternatives(DECLARATIONS, "assume c != 5;").len(), 2);
    assert_eq!(alternatives(DECLARATIONS, "assume c == 5;").len(), 1);
    // Both conditions are one and the same, so that two of four ways are left.
    let list = alternatives(DECLARATIONS, "if (c > 6) { b := true; } b := c > 6;");
    assert_eq!(list.len(), 2, "{list:?}");
}
/// Branches with the same operations are one alternative, and what comes after them is not repeated.
#[test]
fn branches_with_the_same_operations_are_one() {
    let body =
        "if (b) { c := 0; a := 1; } else { c := 0; a := 2; } choice { d := 0; a := 3; } or { d := 0; }";
    let list = alternatives(DECLARATIONS, body);
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(list[0].starts_with("c1:=0 c2:=0 | if"), "{list:?}");
}
/// What cannot be is left out, and what is implied is not repeated.
#[test]
fn operations_are_told_apart_from_anywhere() {
    let body = "assume c <= 5; assume c <= 7; if (c > 6) { a := 1; } else { a := 2; }";
    let list = alternatives(DECLARATIONS, body);
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(list[0].ends_with("a := 2;") || list[0].ends_with("a := 2"), "{list:?}");
    // After the delay, the clock may be anything again.
    assert_eq!(alternatives(DECLARATIONS, "assume c <= 5; __delay; b := c > 6;").len(), 2);
}
/// What is compared depends on a clock: its cases are told apart, and what cannot hold is left out.
#[test]
fn conditions_within_compared_values_are_told_apart() {
    let list = alternatives(DECLARATIONS, "assume (if c < 1 then a else 1) == 0;");
    let [only] = &list[..] else { panic!("{list:?}") };
    assert!(only.starts_with("c1-0< 1 | assume a"), "{list:?}");
    let list = alternatives(DECLARATIONS, "b := (if c < 1 then a else 1) == 0;");
    assert_eq!(list.len(), 2, "{list:?}");
    // Below 1, whatever `d` is, and later on where it is above 2; that `d` may be told apart in the former is fine.
    let list = alternatives(DECLARATIONS, "assume (if c < 1 then a else if d > 2 then 0 else 3) == 0;");
    let late = |way: &&String| way.starts_with("0-c1<= -1 0-c2< -2 | skip");
    assert_eq!(list.iter().filter(late).count(), 1, "{list:?}");
    let early = list.iter().filter(|way| !late(way));
    assert!(early.clone().count() > 0, "{list:?}");
    assert!(
        early.into_iter().all(|way| way.contains("c1-0< 1") && way.ends_with("assume a == 0")),
        "{list:?}"
    );
}
/// No way through so many cases is possible, which is not found out by trying them all.
#[test]
fn cases_that_are_too_many_are_given_up() {
    let sum: Vec<String> = (0..40).map(|at| format!("(if c < {at} then {at} else 0)")).collect();
    let system = xsts(&format!("var c : clock; trans {{ assume {} == -1; }}", sum.join(" + ")));
    let Err(Reason::Unsupported(why)) = split(&system, &[], false) else { panic!("many cases") };
    assert!(matches!(why, Unsupported::ManyWays { .. }), "{why:?}");
}
/// Each equivalence needs what is below it both ways, so 40 of them would need 2^40 flags.
#[test]
fn flags_that_are_too_many_are_given_up() {
    let parts: Vec<String> = (1..=40).map(|at| format!("(c < {at})")).collect();
    let system = xsts(&format!("var c : clock; trans {{ assume {}; }}", parts.join(" iff ")));
    for which in [false, true] {
        let Err(Reason::Unsupported(why)) = split(&system, &[], which) else { panic!("many flags") };
        assert!(matches!(why, Unsupported::ManyWays { .. }), "{why:?}");
    }
}
/// Flags are for statements whose ways cannot be listed.
#[test]
fn what_can_be_listed_is_not_asked_for() {
    let branches: Vec<String> = (0..300).map(|at| format!("{{ assume c >= {at}; a := {at}; }}")).collect();
    let mut system = xsts(&format!("{DECLARATIONS} trans {{ choice {} }}", branches.join(" or ")));
    let (mut splitter, solver) = (Splitter::new(&system), Z3Solver::new().unwrap());
    let edge = system.processes.iter().next().and_then(|process| process.edges.iter().last()).unwrap();
    let stmt = edge.update.stmt;
    let mut ask = |which| splitter.split(&mut system, stmt, which, (&solver, &Stop::new())).unwrap();
    let all = ask(Which::All);
    assert_eq!(all.len(), 300);
    assert!(Rc::ptr_eq(&all, &ask(Which::Feasible(&[]))));
}
/// With flags, one of many branches is taken as well.
#[test]
fn one_of_many_branches_is_taken() {
    let branches: Vec<String> =
        (0..23).map(|at| format!("{{ assume c >= {at} && a != {at}; c := {at}; }}")).collect();
    let system = xsts(&format!("{DECLARATIONS} trans {{ choice {} }}", branches.join(" or ")));
    assert_eq!(split(&system, &[], true).unwrap().len(), 23);
    assert_eq!(split(&system, &[("a", Value::int(5))], true).unwrap().len(), 22);
}
/// A value by many conditions over one clock has as many ways as the clock has places between their bounds.
#[test]
fn conditions_that_exclude_each_other_make_few_ways() {
    let sum: Vec<String> = (1..=40).map(|at| format!("(if c < {at} then {at} else 0)")).collect();
    let system = xsts(&format!("var c : clock; var n : integer; trans {{ n := {}; }}", sum.join(" + ")));
    assert_eq!(split(&system, &[], false).unwrap().len(), 41);
    assert_eq!(split(&system, &[], true).unwrap().len(), 41);
}
/// A loop over clocks runs as often as its bounds say, for each of the few values these have; else it is refused.
#[test]
fn rounds_that_depend_on_data_are_told_apart() {
    let ways = |condition: &str| {
        let system = xsts(&format!(
            "var c : clock; var k : integer; trans {{ havoc k; assume {condition}; __delay;
             for i from 1 to k do {{ assume c > 2; c := 0; __delay; }} }}"
        ));
        split(&system, &[], false)
    };
    // No round for 0 and 1, one for 2, two for 3.
    assert_eq!(ways("0 <= k && k <= 3").unwrap().len(), 3);
    let Err(Reason::Unsupported(why)) = ways("0 <= k") else { panic!("any number of rounds") };
    assert!(matches!(why, Unsupported::ClockLoop { .. }) && why.variables()[0].name == "k", "{why:?}");
}
