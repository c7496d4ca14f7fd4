//! What models do: all reachable states of small models without clocks.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use ir::interp::Interp;
use ir::{Actions, State};

use super::*;

fn shown(system: &System, state: &State) -> String {
    let mut parts: Vec<String> = vec![];
    for (process, at) in system.processes.iter().zip(&state.locations) {
        if process.locations.len() > 1 && !(process.name == "$fault" && process.locations[*at].observed) {
            parts.push(format!("{}.{}", process.name, process.locations[*at].name));
        }
    }
    for (var, value) in system.state_vars().zip(&state.values) {
        let name = &system.vars[var].name;
        if let Some(value) = value
            && name != "$fault"
        {
            parts.push(format!("{name}={}", system.types().show(value)));
        }
    }
    parts.join(" ")
}

/// All reachable states, sorted by their text.
fn reachable(source: &str) -> String {
    let mut system = loaded(source).system;
    let mut actions = Actions::new();
    let first = ir::initial(&mut system);
    let locations = system.initial_locations();
    let blank = State { locations: locations.clone(), values: system.state_vars().map(|_| None).collect() };
    let run = |system: &System, stmt, from: &State, to: &[ir::LocationId]| {
        let mut found = vec![];
        Interp::new(system, None)
            .successors(stmt, from, &mut |outcome| {
                found.push(State { locations: to.into(), values: outcome.values });
                true
            })
            .expect("no clocks");
        found
    };
    let mut waiting = run(&system, first, &blank, &locations);
    let mut seen = BTreeSet::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(shown(&system, &state)) {
            continue;
        }
        let vector = actions.vector(&state.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            waiting.extend(run(&system, action.stmt, &state, &action.target));
        }
    }
    seen.into_iter().collect::<Vec<_>>().join("\n")
}

/// The value of `r` after one update, over all reachable states.
fn result(globals: &str, update: &str) -> String {
    let source = format!(
        "{globals} int r; process P() {{ state A, B; init A; trans A -> B {{ assign {update}; }}; }} system P;"
    );
    let states = reachable(&source);
    let last = states
        .lines()
        .find(|line| line.starts_with("P.B") || line.contains("$fault.fault"))
        .unwrap_or("blocked");
    match last.split(' ').find_map(|part| part.strip_prefix("r=")) {
        Some(value) if !last.contains("$fault.fault") => value.to_owned(),
        _ => "fault".to_owned(),
    }
}

#[test]
fn division_truncates_as_in_c() {
    for (a, b) in [(7i64, 2i64), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5)] {
        let globals = format!("int a = {a}, b = {b};");
        assert_eq!(result(&globals, "r = a / b"), (a / b).to_string(), "{a} / {b}");
        assert_eq!(result(&globals, "r = a % b"), (a % b).to_string(), "{a} % {b}");
        assert_eq!(result("", &format!("r = {a} / ({b})")), (a / b).to_string(), "{a} / {b}");
        assert_eq!(result(&globals, &format!("r = a / ({b})")), (a / b).to_string(), "{a} / {b}");
    }
    assert_eq!(result("int a = 1, b;", "r = a / b"), "fault");
}

#[test]
fn integers_wrap_at_32_bits() {
    for (a, b) in [(1i32, 31i32), (i32::MAX, 31), (i32::MAX, 1), (-5, 30), (i32::MIN, 1), (7, 2), (3, 0)] {
        let globals = format!("int32_t a = {a}; int[0,31] b = {b};");
        for (text, value) in [
            ("a << b", a.wrapping_shl(b as u32)),
            ("a >> b", a >> b),
            ("a + a", a.wrapping_add(a)),
            ("a * a", a.wrapping_mul(a)),
            ("-a", a.wrapping_neg()),
        ] {
            assert_eq!(result(&globals, &format!("r = {text} == {value}")), "1", "{text}, {a}, {b}");
        }
        assert_eq!(result("", &format!("r = ({a} << {b}) == {}", a.wrapping_shl(b as u32))), "1");
    }
}

#[test]
fn operators_are_those_of_c() {
    for (text, value) in [
        ("r = 1 + 2 * 3", 7),
        ("r = (a << 2) + (a >> 1)", 22),
        ("r = a & 6 | 8", 12),
        ("r = a ^ 1", 4),
        ("r = a <? 3", 3),
        ("r = a >? 3", 5),
        ("r = !a + !b", 1),
        ("r = a > 3 ? b - 1 : 100", -1),
        ("r = t + t", 2),
        ("r = a == 5 imply b", 0),
        ("r = t xor a > 3", 0),
        ("r = a++ + a", 11),
        ("r = ++a + a", 12),
        ("r = a + a++", 10),
        ("r = a, r += 3, r *= 2, r -= 1, r /= 2, r %= 4", 3),
        ("r = a = 4", 4),
        ("r = -a", -5),
        ("t = a, r = t", 1),
        ("r = not t or a < 6", 1),
    ] {
        assert_eq!(result("int[0,100] a = 5; int b; bool t = true;", text), value.to_string(), "{text}");
    }
}

#[test]
fn functions_run_as_written() {
    let globals = "
        int a[4] = { 4, 1, 3, 2 };
        int calls;
        int find(int v) { int i; for (i = 0; i < 4; i++) { if (a[i] == v) return i; } return -1; }
        int count() { calls++; return calls; }
        void sort() {
            int i, j;
            for (i = 0; i < 4; i++)
                for (j = 0; j < 3; j++)
                    if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
        }
        int gcd(int x, int y) { while (y != 0) { int t = x % y; x = y; y = t; } return x; }
        int last(int n) { int k = 0; do { k += n; n--; if (k > 7) return k; } while (n > 0); return k; }
        void twice(int &x) { x = 2 * x; }
        int firsts(int b[4]) { b[0] = b[0] + 10; return b[0] + b[1]; }
        bool odd(int n) { int k = n; for (i : int[1,3]) { if (k == 1) return true; k -= 2; } return false; }
        ";
    for (text, value) in [
        ("r = find(3)", 2),
        ("r = find(9)", -1),
        ("r = count() * 10 + count()", 12),
        ("r = false && count() > 0, r = calls", 0),
        ("r = true || count() > 0, r = calls", 0),
        ("r = true && count() > 0, r = r * 10 + calls", 11),
        ("r = calls > 0 ? count() : 7, r = r * 10 + calls", 70),
        ("sort(), r = 1000 * a[0] + 100 * a[1] + 10 * a[2] + a[3]", 1234),
        ("r = gcd(12, 18)", 6),
        ("r = last(4)", 9),
        ("r = last(3)", 6),
        ("r = 4, twice(r), twice(a[1]), r += a[1]", 10),
        ("r = firsts(a) * 10 + a[0]", 154),
        ("r = odd(3) * 10 + odd(4)", 10),
    ] {
        assert_eq!(result(globals, text), value.to_string(), "{text}");
    }
}

/// Euclid's loop never ends where one of the two is 0, and these values are excluded before it is called.
#[test]
fn conditions_before_a_call_exclude_values() {
    let ways = [
        "x > 0 && y > 0 && g(x, y) == 2",
        "x * y > 0 && g(x, y) == 2",
        "!(x == 0 || y == 0 || g(x, y) != 2)",
    ];
    for guard in ways {
        let source = format!(
            "int[0,4] x, y; int g(int a, int b) {{ while (a != b) {{ if (a > b) a -= b; else b -= a; }} return a; }}
             process P() {{ state A, B, C; init A;
               trans A -> B {{ select i : int[0,4], j : int[0,4]; assign x = i, y = j; }}, B -> C {{ guard {guard}; }}; }}
             system P;"
        );
        let both: Vec<String> =
            reachable(&source).lines().filter(|line| line.contains("P.C")).map(str::to_owned).collect();
        assert_eq!(both, ["P.C x=2 y=2", "P.C x=2 y=4", "P.C x=4 y=2"], "{guard}");
    }
}

/// The type of the operands decides with how many bits a product is computed, not that of what chooses them.
#[test]
fn what_is_wide_is_computed_with_more_than_32_bits() {
    let globals = "int64_t w = 5; const int k = 2000000000; int m = 1; int[0,1] a[2];";
    // 4000000000 is -294967296 with 32 bits.
    assert_eq!(result(globals, "r = (w > 3 ? k : 1) * (m + m) < 0"), "1");
    assert_eq!(result(globals, "r = (k + a[w > 3]) * 2 < 0"), "1");
    assert_eq!(result(globals, "r = (w - 5 + k) * 2 > 0"), "1");
    assert_eq!(result(globals, "r = (m + 5000000000) * 2 == 10000000002"), "1");
}

#[test]
fn leaving_a_range_is_a_fault() {
    assert_eq!(result("int[0,3] n = 3;", "n++"), "fault");
    assert_eq!(result("int[0,3] n = 3;", "n = n - 4"), "fault");
    assert_eq!(result("int a[3]; int i = 3;", "r = a[i]"), "fault");
    assert_eq!(result("int a[3]; int i = 3;", "a[i] = 1"), "fault");
    assert_eq!(result("int a[3]; int i = 3;", "r = i < 3 && a[i] == 1"), "0");
    assert_eq!(result("void f(int[0,3] v) { v = 0; }", "f(4)"), "fault");
    assert_eq!(result("int a[3]; void f() { int i; for (i = 0; i <= 3; i++) a[i] = i; }", "f()"), "fault");
    assert_eq!(result("int a[3]; void f() { for (i : int[0,3]) a[i] = i; }", "f()"), "fault");
    assert_eq!(result("int a[3]; void f() { int i; while (a[i] == 0) i++; }", "f()"), "fault");
    assert_eq!(
        result("int a[3]; void f() { int i; for (i = 0; i < 3; i++) a[i] = i; }", "f(), r = a[2]"),
        "2"
    );
}

#[test]
fn updates_run_emitter_first_then_receivers_in_order() {
    let source = "
        broadcast chan c; int[0,999] n;
        process S() { state A, B; init A; trans A -> B { sync c!; assign n = 1; }; }
        process R(const int[2,3] k) { state A, B; init A; trans A -> B { guard k == 2 || n == 0; sync c?; assign n = n * 10 + k; }; }
        system R, S;";
    assert_snapshot!(reachable(source), @r#"
    R(2).A R(3).A S.A n=0
    R(2).B R(3).B S.B n=123
    "#);
}

#[test]
fn binary_csp_and_committed_steps() {
    let source = "
        chan a, b[2]; int[0,2] n;
        process P() { state A, B, C; commit B; init A; trans A -> B { sync a!; }, B -> C { sync b[1]; }; }
        process Q() { state A, B; init A; trans A -> A { sync a?; assign n = 1; }, A -> B { sync b[1]; assign n = 2; }; }
        process Idle() { state A, B; init A; trans A -> B { guard n < 2; }; }
        system P, Q, Idle;";
    assert_snapshot!(reachable(source), @r#"
    P.A Q.A Idle.A n=0
    P.A Q.A Idle.B n=0
    P.B Q.A Idle.A n=1
    P.B Q.A Idle.B n=1
    P.C Q.B Idle.A n=2
    P.C Q.B Idle.B n=2
    "#);
}
