//! Specifications against what their formulas say.

use super::*;

#[test]
fn functional_conjuncts_become_assignments() {
    let check = |lines: &str, expected: &str| {
        let text = format!("specification S {{ property p : {{ {lines} }} models G(true) }}");
        let model = load(&text).unwrap();
        let process = model.system.processes.iter().next().unwrap();
        let edge = process.edges.iter().find(|edge| edge.label == "transition").unwrap();
        assert_eq!(model.system.show_stmt(edge.update.stmt).to_string(), expected, "{lines}");
    };
    check("var x : int transition x' = x + 1", "x := x + 1\n");
    // A value that is not needed any more makes room at once.
    check("var x : int var y : int transition x' = y transition y' = y + 1", "x := y\ny := y + 1\n");
    check("var x : int var y : int transition x' = y and y' = x", "x' := y\ny := x\nx := x'\n");
    check(
        "var x : bool var y : int transition not x' transition y' = 0 or y' = 1",
        "choice {\n    x := false\n    y := 0\n}\nor {\n    x := false\n    y := 1\n}\n",
    );
    check(
        "var x : int transition if x < 3 then x' = x + 1 else x' = 0",
        "if x < 3 {\n    x := x + 1\n}\nelse {\n    x := 0\n}\n",
    );
    // An invariant restricts what comes next; what is free may be anything.
    check("var x : int invariant x >= 0", "havoc x\nassume 0 <= x\n");
    check("var x : int transition x' > x", "havoc x'\nassume x < x'\nx := x'\n");
}

#[test]
fn mistakes_come_all_at_once() {
    let text = "specification S {
        system T(n : int) := { var x : int initial x' = 0 transition x' = n + true }
        property p : T(1) models G(y > 0)
        property q : T models G(true)
        property r : U(2) models G(true)
        var w : int := 5
    }";
    let errors = load(text).unwrap_err();
    let messages: Vec<&str> = errors.iter().map(|error| &*error.message).collect();
    assert_eq!(
        messages,
        [
            "only transitions speak of the next state; remove the `'`",
            "`+` is for numbers, and this is of type `bool`",
            "there is no variable `y`",
            "system `T` has 1 parameters, and is given 0",
            "there is no system `U`",
        ]
    );
}

#[test]
fn several_systems_are_asked_about_one_by_one() {
    let text = "specification S {
        const limit : int
        system T(n : int) := { var x : int initial x = n transition x' = x }
        property one : T(1) models G(x = 1)
        property two : T(limit) models G(x = limit)
    }";
    let model = load(text).unwrap();
    assert_eq!(model.questions.len(), 2);
    let process = model.system.processes.iter().next().unwrap();
    // The start, and one location for each.
    assert_eq!(process.locations.len(), 3);
    let names: Vec<&str> = model.system.state_vars().map(|var| &*model.system.vars[var].name).collect();
    assert_eq!(names, ["limit", "x", "T.x"]);
}
