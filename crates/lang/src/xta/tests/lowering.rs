//! What models become.

use insta::assert_snapshot;

use super::*;

#[test]
fn templates_are_instantiated_for_every_value_of_their_parameters() {
    let source = "
        typedef int[1,2] id_t;
        int[0,2] turn;
        process P(const id_t i, bool b) {
            clock x;
            const int limit = 2 * i;
            state A, B { x <= limit };
            init A;
            trans A -> B { guard turn == 0 && b; assign x = 0, turn = i; };
        }
        process Q() { state S; init S; }
        Two = Q();
        system P, Two;";
    assert_snapshot!(lowered(source), @r#"
    var turn: integer[0, 2] = 0
    var P(1,0).x: clock
    var P(1,1).x: clock
    var P(2,0).x: clock
    var P(2,1).x: clock
    process P(1,0)
      location A initial observed
      location B observed { P(1,0).x <= 2 }
    process P(1,1)
      location A initial observed
      location B observed { P(1,1).x <= 2 }
      trans 1: A -> B when turn == 0
        P(1,1).x := 0
        turn := 1
    process P(2,0)
      location A initial observed
      location B observed { P(2,0).x <= 4 }
    process P(2,1)
      location A initial observed
      location B observed { P(2,1).x <= 4 }
      trans 1: A -> B when turn == 0
        P(2,1).x := 0
        turn := 2
    process Two
      location S initial observed
    "#);
    let model = loaded(source);
    let families: Vec<_> = model.system.processes.iter().map(|p| format!("{:?}", p.family)).collect();
    assert_snapshot!(families.join("\n"), @r#"
    Some(("P", [1, 0]))
    Some(("P", [1, 1]))
    Some(("P", [2, 0]))
    Some(("P", [2, 1]))
    Some(("Q", []))
    "#);
}

#[test]
fn partial_instances_pass_their_parameters_on() {
    let source = "
        int x; int[0,9] y;
        process P(int &v, const int[0,9] i, int[0,9] k) {
            state A; init A; trans A -> A { guard k < i; assign v = i + k, k++; };
        }
        Q(const int[0,1] i) = P(x, i, 3);
        R = P(y, 7, 2);
        system Q, R;";
    assert_snapshot!(lowered(source), @r#"
    var x: integer[-32768, 32767] = 0
    var y: integer[0, 9] = 0
    var Q(0).k: integer[0, 9] = 3
    var Q(1).k: integer[0, 9] = 3
    var R.k: integer[0, 9] = 2
    var $fault: integer = -1
    process Q(0)
      location A initial observed
      trans 1: A -> A when Q(0).k < 0
        x := Q(0).k
        Q(0).k := Q(0).k + 1
    process Q(1)
      location A initial observed
      trans 1: A -> A when Q(1).k < 1
        x := Q(1).k + 1
        Q(1).k := Q(1).k + 1
    process R
      location A initial observed
      trans 1: A -> A when R.k < 7
        assume R.k <= 2
        y := R.k + 7
        R.k := R.k + 1
    process $fault
      location ok initial observed
      location fault
    fault 0: value out of range
    "#);
}

#[test]
fn structures_and_arrays_are_taken_apart() {
    let source = "
        typedef struct { int[0,3] n; bool b[2]; } item;
        item one = { 2, { true, false } };
        item many[2] = { { 1, { 0, 1 } }, { b: { 1, 1 }, n: 3 } };
        const item fixed[2] = { { 1, { 0, 1 } }, { 2, { 1, 1 } } };
        int[-1,1] grid[2][2] = { { 0, 1 }, { -1, 0 } };
        int[5,6] low;
        process P() {
            int[0,1] i;
            state A; init A;
            trans A -> A { guard one == many[i] && fixed[i].b[1]; assign many[i] = one, many[1].n = fixed[1].n, grid[i][1 - i] = 1, one.b = many[0].b; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var one.n: integer[0, 3] = 2
    var one.b: [integer] -> boolean = [1 <- false, default <- true]
    var many[].n: [integer] -> integer = [1 <- 3, default <- 1]
    var many[].b: [integer] -> [integer] -> boolean = [1 <- [default <- true], default <- [1 <- true, default <- false]]
    var grid: [integer] -> [integer] -> integer = [1 <- [1 <- 0, default <- -1], default <- [1 <- 1, default <- 0]]
    var low: integer[5, 6] = 5
    var P.i: integer[0, 1] = 0
    process P
      location A initial observed
      trans 1: A -> A when one.n == many[].n[P.i] && one.b[0] == many[].b[P.i][0] && one.b[1] == many[].b[P.i][1]
        many[].n := many[].n[P.i <- one.n]
        many[].b := many[].b[P.i <- many[].b[P.i][0 <- one.b[0]]]
        many[].b := many[].b[P.i <- many[].b[P.i][1 <- one.b[1]]]
        many[].n := many[].n[1 <- 2]
        grid := grid[P.i <- grid[P.i][-1 * P.i + 1 <- 1]]
        one.b := one.b[0 <- many[].b[0][0]]
        one.b := one.b[1 <- many[].b[0][1]]
    "#);
}

#[test]
fn channels_become_channels_with_positions() {
    let source = "
        chan a, m[2][3]; broadcast chan b; urgent chan u;
        process P(chan &c, broadcast chan &d, chan row[3]) {
            int[0,2] i;
            state A, B; init A;
            trans A -> B { sync c!; }, A -> B { sync d?; }, A -> B { sync m[1][i]!; }, B -> A { sync row[2]?; }, B -> A { sync u!; };
        }
        X = P(a, b, m[1]);
        system X;";
    let model = loaded(source);
    assert_snapshot!(model.system, @r#"
    var X.i: integer[0, 2] = 0
    process X
      location A initial observed
      location B observed
      trans 1 a!: A -> B sync a
        skip
      trans 2 b?: A -> B sync b
        skip
      trans 3 m[…]!: A -> B sync m
        skip
      trans 4 m[1][2]?: B -> A sync m
        skip
      trans 5 u!: B -> A sync u
        skip
    "#);
    let mut shown = String::new();
    for channel in model.system.channels.iter() {
        let _ = writeln!(shown, "{} {:?} urgent={}", channel.name, channel.kind, channel.urgent);
    }
    for edge in model.system.processes.iter().flat_map(|process| process.edges.iter()) {
        if let Some(sync) = edge.sync {
            let index = sync.index.map(|index| model.system.show(index).to_string());
            let _ = writeln!(shown, "{} {:?} {index:?}", edge.label, sync.role);
        }
    }
    assert_snapshot!(shown, @r#"
    a Binary urgent=false
    m Binary urgent=false
    b Broadcast urgent=false
    u Binary urgent=true
    trans 1 a! Emit None
    trans 2 b? Receive None
    trans 3 m[…]! Emit Some("X.i + 3")
    trans 4 m[1][2]? Receive Some("5")
    trans 5 u! Emit None
    "#);
}

#[test]
fn csp_channels_of_an_array_are_apart() {
    let source = "
        typedef int[1,2] id_t;
        chan go[id_t];
        process P() { id_t i; state A; init A; trans A -> A { sync go[i]; }; }
        process Q(const id_t i) { state A; init A; trans A -> A { sync go[i]; }; }
        process R() { state A; init A; }
        system P, Q, R;
        IO R { go[2] }";
    assert_snapshot!(lowered(source), @r#"
    var P.i: integer[1, 2] = 1
    process P
      location A initial observed
      trans 1 go[1]: A -> A when P.i == 1 sync go[1]
        skip
      trans 1 go[2]: A -> A when P.i == 2 sync go[2]
        skip
    process Q(1)
      location A initial observed
      trans 1 go[1]: A -> A sync go[1]
        skip
    process Q(2)
      location A initial observed
      trans 1 go[2]: A -> A sync go[2]
        skip
    process R
      location A initial observed
      IO: A -> A sync go[2]
        skip
    "#);
}

#[test]
fn selections_and_quantifiers_expand() {
    let source = "
        typedef scalar[3] id_t;
        bool done[id_t]; int[0,20] n;
        process P() {
            state A; init A;
            trans A -> A { select i : id_t, b : bool; guard !done[i] && (exists (j : id_t) j != i && done[j]); assign done[i] = b, n = sum (j : int[0,2]) j * 2; },
            A -> A { guard forall (j : id_t) done[j]; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var done: [integer] -> boolean = [default <- false]
    var n: integer[0, 20] = 0
    process P
      location A initial observed
      trans 1 (i = 0, b = 0): A -> A when !done[0] && (done[1] || done[2])
        done := done[0 <- false]
        n := 6
      trans 1 (i = 0, b = 1): A -> A when !done[0] && (done[1] || done[2])
        done := done[0 <- true]
        n := 6
      trans 1 (i = 1, b = 0): A -> A when !done[1] && (done[0] || done[2])
        done := done[1 <- false]
        n := 6
      trans 1 (i = 1, b = 1): A -> A when !done[1] && (done[0] || done[2])
        done := done[1 <- true]
        n := 6
      trans 1 (i = 2, b = 0): A -> A when !done[2] && (done[0] || done[1])
        done := done[2 <- false]
        n := 6
      trans 1 (i = 2, b = 1): A -> A when !done[2] && (done[0] || done[1])
        done := done[2 <- true]
        n := 6
      trans 2: A -> A when done[0] && done[1] && done[2]
        skip
    "#);
}

#[test]
fn clocks_selected_by_data_are_spelled_out() {
    let source = "
        clock x[3]; int[0,2] i; int[0,5] k;
        process P() {
            state A { x[i] <= k }; init A;
            trans A -> A { guard x[i] > 2 && x[0] - x[1] <= k + 1 && k == i; assign x[i] = 0, x[2] = k; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var x[0]: clock
    var x[1]: clock
    var x[2]: clock
    var i: integer[0, 2] = 0
    var k: integer[0, 5] = 0
    process P
      location A initial observed { i == 0 && x[0] <= k || i == 1 && x[1] <= k || i == 2 && x[2] <= k }
      trans 1: A -> A when (i == 0 && 2 < x[0] || i == 1 && 2 < x[1] || i == 2 && 2 < x[2]) && (k == 0 && x[0] + -1 * x[1] <= 1 || k == 1 && x[0] + -1 * x[1] <= 2 || k == 2 && x[0] + -1 * x[1] <= 3 || k == 3 && x[0] + -1 * x[1] <= 4 || k == 4 && x[0] + -1 * x[1] <= 5 || k == 5 && x[0] + -1 * x[1] <= 6) && i == k
        if i == 0 {
            x[0] := 0
        }
        if i == 1 {
            x[1] := 0
        }
        if i == 2 {
            x[2] := 0
        }
        x[2] := k
    "#);
}

#[test]
fn impossible_faults_are_left_out() {
    // In order: guarded, by range, after an assignment, within a disjunction, and one that can happen.
    let source = "
        int[0,5] n; int[0,3] i; int a[4]; int[1,3] d;
        process P() {
            state A; init A;
            trans A -> A { guard n < 5; assign n++; },
            A -> A { assign a[i] = n / d; },
            A -> A { assign n = 0, n += 4, n--; },
            A -> A { guard n == 0 || 10 / n > 2; },
            A -> A { guard i > 0 && a[i - 1] == 0; assign i = i > 2 ? 0 : i + 1; },
            A -> A { assign n++; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var n: integer[0, 5] = 0
    var i: integer[0, 3] = 0
    var a: [integer] -> integer = [default <- 0]
    var d: integer[1, 3] = 1
    var $fault: integer = -1
    process P
      location A initial observed
      trans 1: A -> A when n < 5
        n := n + 1
      trans 2: A -> A
        a := a[i <- n / d]
      trans 3: A -> A
        n := 0
        n := n + 4
        n := n + -1
      trans 4: A -> A when n == 0 || 2 < 10 / n
        skip
      trans 5: A -> A when 0 < i && a[i + -1] == 0
        i := if 2 < i then 0 else i + 1
      trans 6: A -> A
        assume n <= 4
        n := n + 1
    process $fault
      location ok initial observed
      location fault
    fault 0: value out of range
    "#);
}

#[test]
fn a_partner_may_change_what_the_guard_tested() {
    let source = "
        int[0,5] n; chan c;
        process P() { state A; init A; trans A -> A { guard n < 5; sync c!; assign n++; }; }
        process Q() { int[0,5] m; state A; init A; trans A -> A { guard n < 5 && m < 5; sync c?; assign n++, m++; }; }
        system P, Q;";
    let model = loaded(source);
    let faults: Vec<&str> =
        model.system.faults.iter().map(|f| &source[f.span.start as usize..f.span.end as usize]).collect();
    assert_eq!(faults, ["n++"]);
    assert_eq!(model.system.faults.len(), 1);
}

#[test]
fn guards_that_go_wrong_have_edges_of_their_own() {
    let source = "
        int[0,9] i; int a[4]; chan c[3];
        process P() {
            state A { a[i] >= 0 }, B; init A;
            trans A -> B { guard i > 0 && a[i] == 1; sync c[i]!; };
        }
        system P;";
    let model = loaded(source);
    let mut shown = model.system.to_string();
    for edge in model.system.processes.iter().flat_map(|process| process.edges.iter()) {
        if let Some(fault) = edge.update.fault {
            let _ = write!(shown, "{} goes wrong:\n{}", edge.label, model.system.show_stmt(fault));
        }
    }
    assert_snapshot!(shown, @r#"
    var i: integer[0, 9] = 0
    var a: [integer] -> integer = [default <- 0]
    var $fault: integer = -1
    process P
      location A initial observed { i <= 3 && 0 <= a[if 0 <= i && i <= 3 then i else 0] }
      location B observed
      evaluation: A -> A
        assume false
      evaluation: A -> A
        assume false
      trans 1 c[…]!: A -> B when !(0 < i && 3 < i || !(0 < i && 3 < i) && 0 < i && a[if 0 <= i && i <= 3 then i else 0] == 1 && 2 < i) && 0 < i && a[if 0 <= i && i <= 3 then i else 0] == 1 sync c
        skip
    process $fault
      location ok initial observed
      location fault
    fault 0: index out of range
    fault 1: index out of range
    fault 2: index out of range
    evaluation goes wrong:
    assume 3 < i
    $fault := 0
    evaluation goes wrong:
    if 0 < i && 3 < i {
        $fault := 1
    }
    else {
        assume !(0 < i && 3 < i) && 0 < i && a[if 0 <= i && i <= 3 then i else 0] == 1 && 2 < i
        $fault := 2
    }
    "#);
}

#[test]
fn functions_become_terms_where_they_have_no_effects() {
    let source = "
        const int N = 3;
        int[0,10] a[N];
        int max(int x, int y) { if (x > y) return x; return y; }
        bool any(int[0,10] v) { int i; for (i = 0; i < N; i++) { if (a[i] == v) return true; } return false; }
        int total() { int t = 0; for (i : int[0,N-1]) t += a[i]; return t; }
        process P() {
            state A; init A;
            trans A -> A { guard any(2) && max(a[0], a[1]) < 5; assign a[2] = max(a[0], 3); },
            A -> A { guard total() > 4; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var a: [integer] -> integer = [default <- 0]
    local var any.v: integer[0, 10]
    local var any.return: boolean
    local var any.i: integer[-32768, 32767]
    local var $returned: boolean
    local var max.x: integer[-32768, 32767]
    local var max.y: integer[-32768, 32767]
    local var max.return: integer[-32768, 32767]
    local var total.return: integer[-32768, 32767]
    local var total.t: integer[-32768, 32767]
    local var total.i: integer[0, 2]
    process P
      location A initial observed
      trans 1: A -> A when (a[0] == 2 || a[1] == 2 || a[2] == 2) && (if a[1] < a[0] then a[0] else a[1]) < 5
        a := a[2 <- if 3 < a[0] then a[0] else 3]
      trans 2: A -> A when 4 < a[0] + a[1] + a[2]
        skip
    "#);
}

#[test]
fn functions_with_effects_become_statements() {
    let source = "
        int[0,9] n; int[0,9] a[3];
        void swap(int &x, int &y) { int t = x; x = y; y = t; }
        void fill(int[0,9] v) { int i = 0; while (i < 3) { a[i] = v; i++; } }
        bool take() { if (n == 0) return false; n--; return true; }
        process P() {
            state A; init A;
            trans A -> A { assign swap(a[0], a[1]); }, A -> A { assign fill(4); }, A -> A { assign n = take() ? 1 : 2; };
        }
        system P;";
    assert_snapshot!(lowered(source), @r#"
    var n: integer[0, 9] = 0
    var a: [integer] -> integer = [default <- 0]
    local var swap.t: integer[-32768, 32767]
    local var fill.v: integer[0, 9]
    local var fill.i: integer[-32768, 32767]
    local var take.return: boolean
    process P
      location A initial observed
      trans 1: A -> A
        swap.t := a[0]
        a := a[0 <- a[1]]
        a := a[1 <- swap.t]
      trans 2: A -> A
        fill.v := 4
        fill.i := 0
        a := a[fill.i <- fill.v]
        fill.i := fill.i + 1
        a := a[fill.i <- fill.v]
        fill.i := fill.i + 1
        a := a[fill.i <- fill.v]
        fill.i := fill.i + 1
      trans 3: A -> A
        if n == 0 {
            take.return := false
        }
        else {
            n := n + -1
            take.return := true
        }
        n := if take.return then 1 else 2
    "#);
}

#[test]
fn a_hybrid_clock_that_nobody_reads_may_have_any_rate() {
    for rate in ["2*x", "n*x", "(x > 2 ? 1 : 0)", "x", "2.5*cost + 1"] {
        let source = format!(
            "hybrid clock cost; clock x; int[0,3] n;
             process P() {{ state A {{ cost' == {rate} && x <= 3 }}; init A; }} system P;"
        );
        assert!(lowered(&source).contains("{ x <= 3 }"), "{rate}");
    }
    let unknown = "hybrid clock cost; process P() { state A { cost' == 2*y }; init A; } system P;";
    assert_eq!(errors(unknown), "1:55 [y]: there is no variable `y`\n");
}
