use ir::{System, Value};

use super::*;

/// A model, and the alternatives of its last edge from states with these values.
fn split(system: &System, known: &[(&str, Value)], which: bool) -> Result<Vec<Alternative>, Reason> {
    let mut system = system.clone();
    let mut splitter = Splitter::new(&mut system);
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
    let state = system.terms.and(facts);
    let (values, which) = match which {
        true => (Valuation::default(), Which::Feasible(state)),
        false => (values, Which::All),
    };
    Ok(splitter.split((&mut system, &solver), stmt, &values, which)?.to_vec())
}

fn xsts(text: &str) -> System {
    lang::xsts::load(text).unwrap_or_else(|errors| panic!("{errors:?}")).system
}

/// Example 1 of the thesis.
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
    // Not a; past the timeout in Q2, or in Q3; before it, or not in Q2, and then not in Q3.
    assert_eq!(split(&system, &[], false).unwrap().len(), 5);
    assert_eq!(split(&system, &[], true).unwrap().len(), 5);
    // In Q3, time decides nothing. The state being put in, what is said of Q2 is gone.
    assert_eq!(split(&system, &[at(2)], true).unwrap().len(), 2);
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
        Op::Constrain(Constraint::new(1, 0, bound(3))),
        Op::Constrain(Constraint::new(0, 1, bound(-3))),
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
    assert!(why.contains("`c`") && why.contains("`n`"), "{why}");
    assert_eq!(split(&system, &[("n", Value::int(2))], false).unwrap().len(), 1);
    let system =
        xsts("var c : clock; var n : integer = 0; trans { for i from 0 to n do { __delay; c := 0; } }");
    let Err(Reason::Unsupported(why)) = split(&system, &[], false) else { panic!("a loop without end") };
    assert!(why.contains("loop") && why.contains("`n`"), "{why}");
    let [only] = &split(&system, &[("n", Value::int(2))], false).unwrap()[..] else {
        panic!("one alternative")
    };
    assert_eq!(*only.ops, [Op::Delay, Op::Reset(1, 0), Op::Delay, Op::Reset(1, 0)]);
}

#[test]
fn splitting_is_done_once() {
    let mut system = priority();
    let mut splitter = Splitter::new(&mut system);
    let solver = Z3Solver::new().unwrap();
    let edge = system.processes.iter().next().and_then(|process| process.edges.iter().last()).unwrap();
    let stmt = edge.update.stmt;
    let mut ask = || splitter.split((&mut system, &solver), stmt, &Valuation::default(), Which::All).unwrap();
    let first = ask();
    assert!(Rc::ptr_eq(&first, &ask()));
}
