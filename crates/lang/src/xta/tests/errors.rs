//! What is refused, and how.

use insta::assert_snapshot;

use super::*;

#[test]
fn unknown_names_are_told_with_near_ones() {
    let source = one_edge(
        "int count; chan go; void reset() { count = 0; }",
        "guard cuont > 0; assign rest(), cnt = 1;",
    );
    let other = one_edge("chan go;", "sync gow!;");
    assert_snapshot!(errors(&source), @r#"
    2:53 [cuont]: there is no variable `cuont`; did you mean `count`?
    2:71 [rest]: there is no function `rest`; did you mean `reset`?
    2:79 [cnt]: there is no variable `cnt`
    "#);
    assert_snapshot!(errors(&other), @"2:52 [gow]: there is no variable `gow`; did you mean `go`?");
}

#[test]
fn names_are_declared_before_they_are_used() {
    let source = "int[0, high] n;
        const int high = 3;
        int f(const int m, int a[m]) { int i = 1; return other(i) + a[0]; }
        int other(int i) { int other() { return 1; } return i; }
        process P() { int f; state A, f; init A; trans A -> A { guard A == 1; }; }
        system P;";
    assert_snapshot!(errors(source), @r#"
    1:8 [high]: `high` is used before it is declared
        2:19 [high]: it is declared here
    3:34 [m]: parameters do not see each other, and `m` is one
        3:25 [m]: it is declared here
    3:58 [other]: `other` is used before it is declared
        4:13 [other]: it is declared here
    4:32 [other]: `other` cannot be declared in a function
    5:39 [f]: `f` is declared twice; rename one
        5:27 [f]: the first one is here
    5:71 [A]: `A` is a location, not a value
    "#);
}

#[test]
fn types_do_not_fit() {
    let source = one_edge(
        "clock x, y; int n, a[3]; chan c; struct { int f; } s;",
        "guard x + n; assign n = x, x = y, a = n, s.g = 1, n.f = 2, n[1] = 2, 3 = n, c = 1, x = -1, a[0] = s;",
    );
    assert_snapshot!(errors(&source), @r#"
    2:53 [x + n]: a clock is used as an integer; clocks are only compared, with integers or each other
        2:71 [x]: and here
    2:85 [n]: this is no value of an array
    2:90 [g]: the structure has no field `g`
    2:97 [n]: this is an integer, not a structure
    2:106 [n]: this is an integer, not an array
    2:116 [3]: this is no variable and cannot be assigned
    2:127 [1]: a channel cannot be assigned
    2:134 [-1]: a clock cannot be set to a negative value
    2:145 [s]: this is a structure, not an integer
    "#);
    assert_snapshot!(errors(&one_edge("int n;", "sync n!;")), @"2:52 [n]: this is an integer, not a channel");
}

#[test]
fn clock_conditions_must_be_convex() {
    for (guard, fits) in [
        ("x < 3 && x - y >= n", true),
        ("n > 0 || x < 3", true),
        ("n > 0 imply x < 3", true),
        ("forall (i : int[0,1]) x > i", true),
        ("x == n", true),
        ("n > 0 ? x < 3 : y > 2", true),
        ("x < 3 || y < 3", false),
        ("!(x < 3)", false),
        ("x != 3", false),
        ("exists (i : int[0,1]) x > i", false),
        ("x < 3 imply n > 0", false),
        ("x + y < 3", false),
        ("2 * x < 3", false),
    ] {
        let source = one_edge("clock x, y; int[0,5] n;", &format!("guard {guard};"));
        assert_eq!(load(&source, Format::Xta).is_ok(), fits, "{guard}\n{}", errors(&source));
    }
    let source = one_edge("clock x;", "guard x < 3 || x > 5;");
    assert_snapshot!(errors(&source), @"2:53 [x < 3 || x > 5]: clocks may stand in this guard only in conjunctions, not under `||`, `!` or `!=`");
}

/// Each of these decides whether the edge can be taken, or where it leads; or it is refused wherever it stands.
#[test]
fn what_is_outside_the_language_is_named() {
    let mut shown = String::new();
    for (globals, edge) in [
        ("double d;", "guard d > 1;"),
        ("hybrid clock h;", "guard h > 1;"),
        ("int n = 1.5;", ""),
        ("int n; before_update { n = 1 }", "guard n == 1;"),
        ("dynamic T();", "assign spawn T();"),
        ("chan a[2]; int n; chan priority a[n] < default;", ""),
        ("import \"lib\" { int f(); };", "guard f() > 0;"),
        ("import \"lib\" { void f(int &n); }; int n;", "assign f(n);"),
        ("string s;", "guard s == 1;"),
        ("int n;", "assign n = fint(random(3));"),
        ("int n; void f() { if (M_PI > 3) n = 1; }", "assign f();"),
        ("int f() { if (M_PI > 3) return 1; return 2; }", "guard f() > 0;"),
        ("int a[2];", "guard a[1.0] > 0;"),
        ("clock x;", "assign x = 0.5;"),
        ("int f(int n) { return n > 0 ? f(n - 1) : 0; } int k = f(3);", ""),
        ("void f() { break; }", ""),
    ] {
        let source = one_edge(globals, edge);
        let _ = write!(shown, "{}", errors(&source).lines().next().unwrap_or_default().to_owned() + "\n");
    }
    let process = "process P() { clock x; state A { x' == 0 }, B { x <= 3 && (x' == 1 || true) }; init A; }";
    let _ = write!(shown, "{}", errors(&format!("{process} system P;")));
    let process = "process P() { state A; branchpoint b; init A; trans A -> b { }; }";
    let _ = write!(shown, "{}", errors(&format!("{process} system P;")));
    assert_snapshot!(shown, @r#"
    2:53 [d > 1]: this depends on a floating-point number (`double`), which is not supported
    2:53 [h > 1]: this depends on a hybrid clock, which is not supported
    1:9 [1.5]: this depends on a floating-point number (`double`), which is not supported
    2:53 [n == 1]: this depends on what `before_update` or `after_update` sets, which is not supported
    2:54 [spawn T()]: dynamic templates (`spawn`) are not supported
    1:33 [a[n]]: the position of a channel must be a constant here, and within its array
    2:53 [f() > 0]: this depends on the external function `f`, which is not supported
    2:54 [f(n)]: this depends on the external function `f`, which is not supported
    2:53 [s == 1]: this depends on a text (`string`), which is not supported
    2:58 [fint(random(3))]: this depends on the function `fint`, which is not supported
    1:23 [M_PI > 3]: this depends on a floating-point number (`double`), which is not supported
    1:15 [M_PI > 3]: this depends on a floating-point number (`double`), which is not supported
    2:55 [1.0]: this depends on a floating-point number (`double`), which is not supported
    2:58 [0.5]: this depends on a floating-point number (`double`), which is not supported
    1:31 [f(n - 1)]: `f` calls itself; recursion is not supported
    1:12 [break]: the statement `break` is not supported
    1:60 [x']: the rate of a clock stands in an invariant, as one of its conditions `x' == e`, or last behind conditions on data (`b imply x' == e`)
    1:36 [b]: no edge leaves this branch point
    "#);
}

/// What is wrong behind something else that is wrong is told, too, and what follows from it is not.
#[test]
fn mistakes_do_not_hide_those_behind_them() {
    let told = |source: &str, names: &[&str]| {
        let all = errors(source);
        let count = all.lines().filter(|line| !line.starts_with(' ')).count();
        assert_eq!(count, names.len(), "{all}");
        names.iter().for_each(|name| assert!(all.contains(&format!("`{name}`")), "{name}: {all}"));
    };
    told(&one_edge("int n;", "assign n = a ? b : c;"), &["a", "b", "c"]);
    let unreached = "process P() { state A; branchpoint b; init A;
        trans A -> nowhere { select i : int[0,1]; guard i < m; }, b -> A { guard i > u; sync s!; assign v = 1; }; }
        system P;";
    told(unreached, &["nowhere", "m", "u", "s", "v"]);
    told("process P() { state A; init A; } P = P(); system P;", &["P"]);
}

/// A clock with a rate is refused where it is read, once for each place, whatever processes there are.
#[test]
fn rates_are_refused_where_they_matter() {
    let process = |rate: &str, guard: &str| {
        format!(
            "bool b; clock y; process P(const int[0,1] i) {{ clock x[2]; state A {{ y <= 9 && {rate} }}; init A;
             trans A -> A {{ guard {guard}; assign x[0] = 0; }}; }} system P;"
        )
    };
    for (rate, guard, fits) in [
        ("x[i]' == 0", "y > 3", true),
        ("x[0]' == b", "x[1] > 3", true),
        ("1 == x[0]'", "x[0] > 3", true),
        ("x[0]' == true", "x[0] > 3", true),
        ("x[0]' == 2", "x[0] > 3", false),
        ("x[0]' == b", "x[0] > 3", true),
        ("x[0]' == b", "x[0] - y > 3", true),
        ("x[0]' == b && x[0]' == 1", "x[0] > 3", false),
        ("forall (j : int[0,1]) x[j]' == 0", "x[1] > 3", true),
        ("forall (j : int[0,1]) x[j]' == 2 * j", "x[1] > 3", false),
        ("(b imply x[0]' == 0)", "x[0] > 3", true),
        ("(b || i == 1 || x[0]' == 0)", "x[0] > 3", true),
        ("(b imply x[0]' == 0) && (!b imply x[0]' == 1)", "x[0] > 3", true),
        ("(b imply x[0]' == 0) && (b imply x[0]' == 1)", "x[0] > 3", false),
        ("(b imply x[0]' == 2)", "x[0] > 3", false),
        ("(b imply x[0]' == 2)", "y > 3", true),
        ("(x[0]' == 0 || b)", "y > 3", false),
        ("(y > 3 imply x[0]' == 0)", "y > 3", false),
        ("x[0]' == 2 * y - x[1]", "y > 3", true),
        ("x[0]' == 2 * y - x[1]", "x[0] > 3", false),
        ("y' == 0", "b", false),
    ] {
        let source = process(rate, guard);
        assert_eq!(load(&source, Format::Xta).is_ok(), fits, "{rate}, {guard}\n{}", errors(&source));
    }
    let mut model = loaded(&process("x[0]' == 2", "y > 3"));
    assert!(model.question("q", "E<> P(0).x[1] > 3").is_ok());
    let refused = model.question("q", "E<> P(0).x[0] > 3").unwrap_err();
    assert_eq!(refused.len(), 1);
    assert_snapshot!(errors(&process("x[0]' == 2", "x[0] > 3")), @r#"
    2:20 [A -> A { guard x[0] > 3; assign x[0] = 0; }]: this reads the clock `P(0).x[0]`, whose rate is not known to be 0 or 1, or given by several; that is not supported
        1:80 [x[0]' == 2]: its rate is given here
        : the same in 1 more process
    "#);
}

#[test]
fn declarations_are_checked() {
    let source = "
        const int N = 3;
        int[0,2] n = N;
        int a[N] = { 1, 2 };
        int b[0];
        int[3,1] c;
        const int d;
        const int e = n;
        int n;
        urgent int f;
        clock x = -3;
        struct { int f; int f; } s;
        type_t g;
        int h = 1 / 0;
        int k[2] = { 1, true };
        process P() { state A; init A; }
        system P;";
    assert_snapshot!(errors(source), @r#"
    3:22 [N]: the value 3 is outside the range from 0 to 2
    4:20 [{ 1, 2 }]: 2 values for 3 entries
    5:15 [0]: an array needs a positive size, not 0
    6:18 [c]: `c` has no value: there is no integer from 3 to 1
    7:19 [d]: the constant `d` needs a value
    9:13 [n]: `n` is declared twice; rename one
        3:18 [n]: the first one is here
    10:9 [urgent int]: only channels are `urgent` or `broadcast`
    11:19 [-3]: a clock cannot start at a negative value
    12:29 [f]: there are two fields `f`
    13:9 [type_t]: there is no type `type_t`
    14:21 [0]: division by zero in a constant expression
    "#);
}

#[test]
fn processes_are_checked() {
    let source = "
        chan c; urgent chan u; broadcast chan b; clock x; int n; chan m[2];
        process P(int i) { state A; init A; }
        process Q(int &r, const int[0,1] k) { state A; init A; trans A -> A { guard x > 1; sync u!; }, A -> A { sync c; }, A -> A { sync c!; }, A -> A { sync b; }, A -> A { sync m?; }; }
        R = Q(n, 2);
        S = Q(n, n);
        T = Q(1, 1);
        U = Q(n);
        V = Q(n, 1);
        system P, R, S, T, U, V, V, W;";
    assert_snapshot!(errors(source), @r#"
    4:85 [x > 1]: `u` is urgent, but there is no first instant at which this guard holds; use `>=` instead of `>` or `!=`
    4:118 [c]: `c` is also used with `!` or `?`; `sync c;` needs a channel of its own
    4:159 [b]: `b` is a broadcast channel; write `b!` or `b?`
    4:179 [m]: this is an array of channels; select one
    5:18 [2]: the argument 2 is outside the range from 0 to 1
    6:18 [n]: an argument by value must be a constant
    7:15 [1]: `r` is given by reference and needs a variable
    8:9 [U = Q(n);]: the template has 2 parameters, but is given 1
    10:16 [P]: `P` needs arguments: its parameter `i` is no bounded integer
        3:23 [i]: the parameter is here
    10:34 [V]: `V` is listed twice
        10:31 [V]: the first one is here
    10:37 [W]: there is no process `W`
    "#);
}

#[test]
fn effects_have_their_place() {
    let source = "
        int n; int a[2];
        int next() { n++; return n; }
        int forever() { int i = n; while (i > 0) { i = n; } return i; }
        process P() {
            state A { next() > 0 }; init A;
            trans A -> A { guard n = 1; }, A -> A { guard next() > 0; }, A -> A { guard n++ > 0; }, A -> A { guard forever() == 0; }, A -> A { assign n = forall (i : int[0,1]) next() > 0; };
        }
        system P;";
    assert_snapshot!(errors(source), @r#"
    6:23 [next()]: `next` changes `n`; only updates may have effects
        7:59 [next()]: and here
        7:177 [next()]: and here
    7:34 [n = 1]: an assignment is only possible in updates; did you mean `==`?
    7:89 [n++]: `++` and `--` are only possible in updates
    7:116 [forever()]: a loop in `forever` never ends where `n` is 1
        4:36 [while (i > 0) { i = n; }]: this loop
    "#);
}

#[test]
fn syntax_errors_are_found_all_at_once() {
    let source = "
        int = 3;
        int ok;
        process P() {
            int x y;
            state A, B { x < }, C;
            init D;
            trans A -> B { guard ; assign x := ; }, B -> E { }, A -> C { sync c!! };
        }
        process Q() { state A; }
        void f() { if x > 0 return; while (true) { ok = ; } }
        system P, ;";
    assert_snapshot!(errors(source), @r#"
    2:13 [=]: expected the name of a variable, found `=`
    5:19 [y]: expected `;`, found `y`
    6:30 [}]: expected an expression, found `}`
    7:18 [D]: there is no location `D`
    8:34 [;]: expected an expression, found `;`
        8:48 [;]: and here
        11:57 [;]: and here
    8:58 [E]: there is no location `E`
    8:81 [!]: expected `;`, found `!`
    10:17 [Q]: the process has no initial location; write `init` with its name
    11:23 [x]: expected `(`, found `x`
    12:19 [;]: expected the name of a process, found `;`
    "#);
}

#[test]
fn errors_in_several_instances_are_told_once() {
    let source = "
        process P(const int[0,9] i) { state A; init A; trans A -> A { guard missing > i; }; }
        system P;";
    assert_snapshot!(errors(source), @"2:77 [missing]: there is no variable `missing`");
}

/// What cannot be read does not hide what is wrong elsewhere, and what it may declare is not missed there: `a`
/// and `g` are in declarations with mistakes, `b` and `u` are nowhere.
#[test]
fn all_mistakes_are_found_at_once() {
    let source = "
        int a[3;
        void g() { int v = ; v = b; }
        process P() {
            int w = 1 +;
            state A { u > 0 }, B;
            init A;
            trans A -> B { guard a[0] > w; sync c+; assign g(); }, B -> A { guard b > 0; };
        }
        system P;";
    assert_snapshot!(errors(source), @r#"
    2:16 [;]: expected `]`, found `;`
    3:28 [;]: expected an expression, found `;`
        5:24 [;]: and here
    3:34 [b]: there is no variable `b`
        8:83 [b]: and here
    6:23 [u]: there is no variable `u`
    8:50 [+]: expected `;`, found `+`
    "#);
}

/// Mistakes do not hide each other: those of a model with several are those of the models with one each.
#[test]
fn mistakes_do_not_hide_each_other() {
    let source = "
        const int N = 3;
        typedef int[0, N] id_t;
        int n; bool b; int a[N];
        clock x; chan c[N];
        int twice(int k) { int i = 0; while (i < k) { i++; } return 2 * k; }
        void reset() { n = 0; b = false; }
        process P(const id_t i) {
            int own;
            state A { x <= 5 }, B, C;
            urgent B;
            init A;
            trans
                A -> B { select j : id_t; guard j > i && a[0] > 0; sync c[0]!; assign own = twice(j); },
                B -> C { guard b; assign reset(); },
                C -> A { sync c[1]?; assign x = 0; };
        }
        Q = P(1);
        system Q;";
    assert_eq!(errors(source), "no errors");
    // Each is wrong in a way of its own: a token too many or too few, a name, a type, a place.
    let mistakes = [
        ("bool b; int a", "bool b; int z z; int a"),
        ("int i = 0;", "int i = 0 +;"),
        ("n = 0; b = false;", "n = 0; b = fals;"),
        ("x <= 5", "x <= 5 || x >= 7"),
        ("B, C;", "B { b && }, C;"),
        ("urgent B", "urgent D"),
        ("select j : id_t", "select j : id"),
        ("a[0] > 0", "a > 0"),
        ("c[0]!", "c!"),
        ("guard b;", "guard b = true;"),
        ("sync c[1]?", "sync c[1] c[2]?"),
        ("assign x = 0", "assign x = -1"),
        ("Q = P(1)", "R = P(9); Q = P(1)"),
    ];
    let messages = |edits: &[(&str, &str)]| {
        let text = edits.iter().fold(source.to_owned(), |text, (right, wrong)| {
            assert!(text.contains(right), "{right}");
            text.replacen(right, wrong, 1)
        });
        let text =
            text.replace("system Q;", if text.contains("R = ") { "system Q, R;" } else { "system Q;" });
        let found = load(&text, Format::Xta).err().unwrap_or_default();
        found.into_iter().map(|error| error.message).collect::<std::collections::BTreeSet<_>>()
    };
    let alone: Vec<_> = mistakes.iter().map(|edit| messages(&[*edit])).collect();
    for (edit, found) in mistakes.iter().zip(&alone) {
        assert!(!found.is_empty(), "{edit:?} is no mistake");
    }
    for first in 0..mistakes.len() {
        for second in first + 1..mistakes.len() {
            let both = messages(&[mistakes[first], mistakes[second]]);
            let union: std::collections::BTreeSet<_> = alone[first].union(&alone[second]).cloned().collect();
            assert_eq!(both, union, "{:?} and {:?}", mistakes[first], mistakes[second]);
        }
    }
    assert_eq!(messages(&mistakes), alone.into_iter().flatten().collect());
}

/// Mistakes in queries are told beside those of templates and of the system line; what is not supported is no mistake.
#[test]
fn queries_are_looked_at_beside_templates() {
    let model = |guard: &str, system: &str| {
        format!(
            "chan c; int n;
process P() {{ state A; init A; trans A -> A {{ guard {guard}; }}; }}
{system}
query {{ E<> deadlok; E<> c == 1; A<> P.A; E<> P.B; E<> (; E<> n == 0; }}"
        )
    };
    assert_snapshot!(errors(&model("m > 0", "system P;")), @r#"
    2:53 [m]: there is no variable `m`
    4:13 [deadlok]: there is no variable `deadlok`; did you mean `deadlock`?
    4:26 [c]: `c` is a channel, not a variable
    4:49 [B]: `P` has no location or variable `B`
    4:57 [;]: expected an expression, found `;`
    "#);
    assert_snapshot!(errors(&model("n > 0", "system P, Q;")), @r#"
    3:11 [Q]: there is no process `Q`
    4:13 [deadlok]: there is no variable `deadlok`; did you mean `deadlock`?
    4:26 [c]: `c` is a channel, not a variable
    4:49 [B]: `P` has no location or variable `B`
    4:57 [;]: expected an expression, found `;`
    "#);
}

#[test]
fn priorities_name_each_channel_once_and_after_its_declaration() {
    let mut shown = String::new();
    for globals in [
        "chan a, b; chan priority a < b, a;",
        "chan a[3]; chan priority a[1] < default < a;",
        "chan a; chan priority default < a < default;",
        "chan priority a < default; chan a;",
        "chan a[3]; chan priority a[0], a[2] < default;",
    ] {
        let _ = write!(shown, "{}", errors(&one_edge(globals, "")) + "\n");
    }
    assert_snapshot!(shown, @r#"
    1:33 [a]: `a` is listed twice
        1:26 [a]: the first one is here

    1:43 [a]: `a[1]` is listed twice
        1:26 [a[1]]: the first one is here

    1:9 [chan priority default < a < default;]: `default` is listed twice

    1:15 [a]: `a` is used before it is declared
        1:33 [a]: it is declared here

    no errors
    "#);
}

/// A million edges are not made to find that they are too many; a guard on what is selected may leave few.
#[test]
fn selections_are_counted_before_edges_are_made() {
    let edge = |guard: &str| {
        one_edge("int[0,999] n;", &format!("select i : int[0,999], j : int[0,999]; {guard} assign n = i;"))
    };
    assert_snapshot!(errors(&edge("")), @"2:74 [int[0,999]]: 1000 * 1000 = 1000000 values are selected here, each for an edge of its own, and a process may have 100000; select from narrower types, or one after the other on edges between committed locations");
    let wide = errors(&one_edge("", "select i : int[0,200000];"));
    assert!(wide.contains("200001"), "{wide}");
    let few = edge("guard i == 3 && j == 4;").replace("999", "400");
    assert_eq!(errors(&few).trim(), "no errors");
    // Those that are made are not counted again.
    let enough = one_edge("", "select i : int[0,299], j : int[0,199];");
    assert_eq!(errors(&enough).trim(), "no errors");
}

#[test]
fn a_process_that_is_not_there_hides_no_other() {
    let process = "process P() { state A, B; init A; }";
    let source =
        format!("{process} system P, Z; query {{ E<> P.BB; E<> Z.A and nn == 1; E<> Z_A; E<> Z(1).A; }}");
    let found = errors(&source);
    let messages: Vec<&str> = found.lines().map(|line| line.split_once("]: ").unwrap().1).collect();
    // `Z` may be anything, so nothing is said of its parts.
    let expected = [
        "there is no process `Z`",
        "`P` has no location or variable `BB`; did you mean `B`?",
        "there is no variable `nn`",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn a_process_whose_parameters_are_wrong_is_there_all_the_same() {
    let source = "process P(const id_t i) { state A; init A; } system P; query { E<> P(0).A; A[] P(1).A; }";
    assert_eq!(errors(source), "1:11 [const id_t]: there is no type `id_t`\n");
}

#[test]
fn a_return_with_a_typing_error_is_recognised() {
    for (body, what) in [("retrun a;", "type"), ("retrun (a);", "function")] {
        let found = errors(&one_edge(&format!("int f(int a) {{ {body} }}"), "guard f(1) == 1;"));
        let expected = format!("1:16 [retrun]: there is no {what} `retrun`; did you mean `return`?");
        assert_eq!(found.matches(&expected).count(), 1, "{found}");
    }
}

#[test]
fn what_an_urgent_channel_cannot_wait_for_is_said_as_it_is_written() {
    let model = |guard: &str| {
        errors(&format!(
            "urgent chan u; clock y; process P() {{ state A; init A; trans A -> A {{ guard {guard}; sync u!; }}; }}
             process Q() {{ state A; init A; trans A -> A {{ sync u?; }}; }} system P, Q;"
        ))
    };
    assert!(model("y != 4").contains("instead of `>` or `!=`"));
    assert_eq!(model("y >= 4"), "no errors");
}

#[test]
fn assignments_after_a_broken_one_are_looked_at() {
    let found = |update: &str| {
        let found = errors(&one_edge("int x, y, a[2];", &format!("assign {update};")));
        let messages = found.lines().map(|line| line.split_once("]: ").unwrap().1.to_owned());
        messages.collect::<Vec<String>>()
    };
    let unknown = |name: &str| format!("there is no variable `{name}`");
    let nothing = |found: &str| format!("expected an expression, found `{found}`");
    assert_eq!(found("m = 1, x = , k = 2, y = q"), [unknown("m"), nothing(","), unknown("k"), unknown("q")]);
    assert_eq!(found("x = (1 + ), k++"), [nothing(")"), unknown("k")]);
    // What is left of the broken one may look like anything.
    assert_eq!(found("a[x, p] = 1, y = 1"), ["expected `]`, found `,`"]);
    assert_eq!(found("x = , y = "), [nothing(",")]);
}

/// Where a branch point joins edges, the guard without a first instant is marked, whichever of them has it.
#[test]
fn guards_without_a_first_instant_are_marked() {
    let source = "
        urgent chan u; clock x; int n;
        process P() {
            state A, B;
            branchpoint b;
            init A;
            trans A -> b { guard n == 0 && x <= 9; sync u!; }, b -> B { guard x >= 1 && x > 3; },
                A -> B { guard n < 5 && x >= 2 && x > 7 && n > -1; sync u!; };
        }
        process Q() { state A; init A; trans A -> A { sync u?; }; }
        system P, Q;";
    assert_snapshot!(errors(source), @"
    8:51 [x > 7]: `u` is urgent, but there is no first instant at which this guard holds; use `>=` instead of `>` or `!=`
        7:89 [x > 3]: and here
    ");
}

/// A function that may end without a value is read, with a warning.
#[test]
fn functions_that_may_end_without_a_value() {
    let source = "
        int f(int x) { if (x > 0) return 1; }
        int g(int x) { if (x > 0) return 1; else { return 2; } }
        int h(int x) { while (true) { x++; if (x > 9) return x; } }
        int i(int x) { do { return x; } while (x > 0); }
        int j(int x) { for (k : int[0,3]) return k; }
        int k(int x) { for (;;) { x++; if (x > 9) return x; } }
        void l() { }
        process P() { state A; init A; }
        system P;";
    let model = loaded(source);
    assert_snapshot!(rendered(source, &model.warnings), @"
    2:13 [f]: `f` may end without a `return`, and then gives the value that a variable of its type starts with; UPPAAL refuses such a function
    6:13 [j]: `j` may end without a `return`, and then gives the value that a variable of its type starts with; UPPAAL refuses such a function
    ");
}
