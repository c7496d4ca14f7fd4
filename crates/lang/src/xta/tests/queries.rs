//! Queries, alone and in files.

use insta::assert_snapshot;
use ir::{Claim, PathClaim, PathWords, Response};

use super::*;

const MODEL: &str = "
    typedef int[0,1] id_t;
    int n, a[2]; clock z; bool P_flag;
    struct { int f; } s;
    process P(const id_t i) { clock x; int v; state idle, cs; init idle; trans idle -> cs { }; }
    process Q() { int w[2]; state S_1, T; init S_1; }
    system P, Q;";

fn property(text: &str) -> String {
    let mut model = loaded(MODEL);
    match model.parse_property("q", text) {
        Ok(property) => match property.claim {
            Claim::Always(term) => format!("always {}", model.system.show(term)),
            Claim::Possibly(term) => format!("possibly {}", model.system.show(term)),
            Claim::Every(path) => format!("every run {}", shown_path(&model, path)),
            Claim::Some(path) => format!("some run {}", shown_path(&model, path)),
            Claim::AlwaysPossibly(_) => unreachable!("no query is like this"),
        },
        Err(errors) => rendered(text, &errors).trim_end().to_owned(),
    }
}

fn shown_path(model: &crate::Model, path: ir::PathId) -> String {
    let PathClaim { words, atoms, undefined } = &model.system.paths[path];
    let name = |atom: u32| format!("({})", model.system.show(atoms[atom as usize]));
    let words = match words {
        PathWords::Satisfy(formula) => formula.display(name).to_string(),
        PathWords::Respond(Response { from, to, within, .. }) => {
            format!("{} within {within} of {}", name(*to), from.map_or("the start".to_owned(), name))
        }
        PathWords::Avoid(_) => unreachable!("no query is an automaton"),
    };
    let fine = model.system.terms.as_const(*undefined) == Some(&false.into());
    if fine { words } else { format!("{words}, where not {}", model.system.show(*undefined)) }
}

#[test]
fn queries_about_runs_are_formulas() {
    let shown: Vec<String> = [
        "A<> Q.T",
        "E[] Q.T",
        "Q.T --> P(0).cs",
        "A[] (Q.T imply A<> P(0).cs)",
        "A[] ((Q.T or n == 1) imply A<> (P(0).cs and n == 2))",
        "A[] Q.T imply A<> P(0).cs",
        "A<> a[n] == 1",
        "A<>[<=2 * 5] Q.T",
        "Q.T -->[<=7] n == 2",
        "ltl: G (Q.T -> F P(0).cs)",
        "ltl: Q.T U (n == 2 and not Q.S_1)",
    ]
    .iter()
    .map(|query| format!("{query} => {}", property(query)))
    .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    A<> Q.T => every run F (Q.T)
    E[] Q.T => some run G (Q.T)
    Q.T --> P(0).cs => every run G ((Q.T) -> F (P(0).cs))
    A[] (Q.T imply A<> P(0).cs) => every run G ((Q.T) -> F (P(0).cs))
    A[] ((Q.T or n == 1) imply A<> (P(0).cs and n == 2)) => every run G ((Q.T || n == 1) -> F (P(0).cs && n == 2))
    A[] Q.T imply A<> P(0).cs => every run G ((Q.T) -> F (P(0).cs))
    A<> a[n] == 1 => every run F (a[if 0 <= n && n <= 1 then n else 0] == 1), where not n < 0 || 1 < n
    A<>[<=2 * 5] Q.T => every run (Q.T) within 10 of the start
    Q.T -->[<=7] n == 2 => every run (n == 2) within 7 of (Q.T)
    ltl: G (Q.T -> F P(0).cs) => every run G ((Q.T) -> F (P(0).cs))
    ltl: Q.T U (n == 2 and not Q.S_1) => every run (Q.T) U (n == 2 && !Q.S_1)
    "#);
}

#[test]
fn names_of_processes_locations_and_variables() {
    let mut shown = String::new();
    for query in [
        "A[] not (P(0).cs and P(1).cs)",
        "E<> P(0).x > 3 && z - P(0).x <= n",
        "A[] forall (i : id_t) P(i).cs imply P(i).v == a[i]",
        "E<> Q_S_1 || Q.T",
        "A[] not deadlock",
        "E<> Q.w[1] == s.f && P_flag",
        "A[] z != 3",
        "A[] a[n] == 0",
    ] {
        let _ = writeln!(shown, "{query}\n    {}", property(query));
    }
    assert_snapshot!(shown, @r#"
    A[] not (P(0).cs and P(1).cs)
        always !(P(0).cs && P(1).cs)
    E<> P(0).x > 3 && z - P(0).x <= n
        1:19 [z - P(0).x <= n]: a difference of clocks is compared with data that may have more than 1000 values; give its variables narrower ranges
    A[] forall (i : id_t) P(i).cs imply P(i).v == a[i]
        always (!P(0).cs || P(0).v == a[0]) && (!P(1).cs || P(1).v == a[1])
    E<> Q_S_1 || Q.T
        possibly Q.S_1 || Q.T
    A[] not deadlock
        always !deadlock
    E<> Q.w[1] == s.f && P_flag
        possibly Q.w[1] == s.f && P_flag
    A[] z != 3
        always !(z == 3)
    A[] a[n] == 0
        always !(n < 0 || 1 < n) && a[if 0 <= n && n <= 1 then n else 0] == 0
    "#);
}

#[test]
fn other_kinds_and_errors_are_refused_by_name() {
    let mut shown = String::new();
    for query in [
        "A[] Q.T --> P(0).cs",
        "A<>[<=n] Q.T",
        "ltl: F a[n] == 1",
        "sup{Q.T}: n +",
        "Pr[<=10] (<> Q.T)",
        "Q.T",
        "E<> Q.U",
        "E<> P(2).cs",
        "E<> P.cs",
        "E<> m == 1",
        "E<> n = 1",
        "E<> (n == 1",
        "E<> P(0)",
        "E<>",
        "A[ n",
        "A[] true; A[] false",
    ] {
        let _ = writeln!(shown, "{query}\n    {}", property(query));
    }
    assert_snapshot!(shown, @r#"
    A[] Q.T --> P(0).cs
        1:1 [A[] Q.T]: `-->` stands between two conditions, without `A[]` or another operator before them
    A<>[<=n] Q.T
        1:7 [n]: an amount of time must be a constant
    ltl: F a[n] == 1
        1:10 [n]: a condition of a formula must not go wrong anywhere, and this can: index out of range
    sup{Q.T}: n +
        1:14 []: expected an expression, found the end of the text
    Pr[<=10] (<> Q.T)
        1:1 [Pr]: probability queries are not supported
    Q.T
        1:1 [Q.T]: a query begins with `A[]`, `E<>`, `A<>`, `E[]`, `sup`, `inf` or `bounds`, or is `p --> q`
    E<> Q.U
        1:7 [U]: `Q` has no location or variable `U`
    E<> P(2).cs
        1:5 [P(2)]: there is no process `P(2)`; did you mean `P(0)`?
    E<> P.cs
        1:5 [P]: there is no process `P`; did you mean `P(0)`?
    E<> m == 1
        1:5 [m]: there is no variable `m`
    E<> n = 1
        1:5 [n = 1]: an assignment is only possible in updates; did you mean `==`?
    E<> (n == 1
        1:12 []: expected an operator or `)`
        1:5 [(]: opened here
    E<> P(0)
        1:5 [P(0)]: `P(0)` is a process; write where it is, such as `P(0).idle`
    E<>
        1:4 []: expected an expression, found the end of the text
    A[ n
        1:4 [n]: expected `]`, found `n`
    A[] true; A[] false
        1:11 [A]: expected the end of the query; queries are given one by one, found `A`
    "#);
}

/// Queries of UPPAAL that are not decided, as its manual and its users write them.
const UNDECIDED: [&str; 31] = [
    "E<> Q.T under S",
    "A[] not Q.T under S",
    "sup: n under S",
    "E[<=10;5](max: n)",
    "E [ z <= 10 ; 5 ] ( min : n )",
    "E[#<=10; 5] (max: n)",
    "A[ Q.S_1 U Q.T ]",
    "A[Q.S_1 W Q.T]",
    "simulate 1 [<=10] {n}",
    "simulate [<=10;2] {n, a[0]} : 1 : Q.T",
    "simulate n [#<=10] {n}",
    "strategy S = control: A<> Q.T",
    "strategy S = loadStrategy{n}->{z}(\"x\")",
    "strategy S = minE(n) [<=10] {n} -> {z} : <> Q.T",
    "saveStrategy(\"x\", S)",
    "loadStrategy(\"x\")",
    "control: A[] not Q.T",
    "control[]: A<> Q.T",
    "control_t*(2,1): A<> Q.T",
    "control_t*: A<> Q.T",
    "E<> control: A<> Q.T",
    "acontrol: A[] Q.T {n >= 0, n <= 1}",
    "{n==0, z < 3} control: A<> Q.T",
    "sat: Chart",
    "scenario: Chart",
    "refinement: P <= Q",
    "consistency: Q",
    "minE(n)[<=10]: <> Q.T",
    "maxE(n) [#<=5] : <> Q.T",
    "Pr(<>[0,5] Q.T)",
    "Pr[<=10; 5] ([] n < 3) >= 0.5",
];

#[test]
fn undecided_kinds_are_no_mistakes() {
    let refused = |asked: &crate::Asked| {
        let misread = asked.as_ref().expect_err("the query is not decided");
        let codes: Vec<Cause> = misread.diagnostics.iter().map(|wrong| wrong.code).collect();
        assert_eq!(codes, [Cause::UnsupportedQuery], "{}", misread.text);
    };
    let mut model = loaded(MODEL);
    for query in UNDECIDED {
        let [wrong] = &model.question("q", query).unwrap_err()[..] else { panic!("{query}") };
        assert_eq!(wrong.code, Cause::UnsupportedQuery, "{query}");
    }
    // One after the other, in a file and in a model, between queries that are decided.
    let between: Vec<String> = UNDECIDED.iter().map(|query| format!("{query}\nE<> Q.T")).collect();
    let asked = model.question_file(&between.join("\n")).unwrap().unwrap();
    let block = loaded(&format!("{MODEL} query {{ {}; }}", between.join("\n").replace('\n', ";\n")));
    for asked in [asked, block.questions] {
        assert_eq!(asked.len(), 2 * UNDECIDED.len());
        for pair in asked.chunks(2) {
            refused(&pair[0]);
            assert!(pair[1].is_ok(), "{}", text(&pair[1]));
        }
    }
}

#[test]
fn names_may_look_like_kinds() {
    let source = "int U, W, A[2], min, control, simulate, under, Process, information;
        process P() { state A, U; init A; } system P;";
    let mut model = loaded(source);
    let file = "A[] U == 0 and\n  A[U] == U and\n  Process == 0 and\n information == under\n\
        E<> P.U\nE<> control + simulate\n  + min > W\n";
    let asked = model.question_file(file).unwrap().unwrap();
    assert!(asked.iter().all(Result::is_ok));
    assert_eq!(asked.len(), 3);
}

#[test]
fn a_bad_line_leaves_the_next_one_alone() {
    let file = "E<> (n == 1\nE<> n == 2\nE[<=10\nA[] n == 3 and\nE<> n == 4\n\
        strategy S = control:\n  A[] n == 5\nE<> n == 6";
    let asked = loaded(MODEL).question_file(file).unwrap().unwrap();
    let texts: Vec<(&str, bool)> = asked.iter().map(|asked| (text(asked), asked.is_ok())).collect();
    let expected = [
        ("E<> (n == 1", false),
        ("E<> n == 2", true),
        ("E[<=10", false),
        ("A[] n == 3 and", false),
        ("E<> n == 4", true),
        ("strategy S = control: A[] n == 5", false),
        ("E<> n == 6", true),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn query_files_are_cut_into_queries() {
    let file = "// safety\nA[] not (P(0).cs and \\\n    P(1).cs) /* both */\n\n/* a comment\nover lines */\nE<> (n == 1 &&\n  n == 2) // open\nA<> Q.T\nE<> n == 3\n    && a[0] == missing\n";
    let mut model = loaded(MODEL);
    let mut shown = String::new();
    for asked in model.question_file(file).unwrap().unwrap() {
        let (text, result) = match asked {
            Ok(question) => {
                assert_eq!(question.name, question.text);
                (question.text, "ok".to_owned())
            }
            Err(misread) => (misread.text, rendered(file, &misread.diagnostics)),
        };
        let _ = writeln!(shown, "{text} => {}", result.trim_end());
    }
    assert_snapshot!(shown, @r#"
    A[] not (P(0).cs and P(1).cs) => ok
    E<> (n == 1 && n == 2) => ok
    A<> Q.T => ok
    E<> n == 3 && a[0] == missing => 11:16 [missing]: there is no variable `missing`
    "#);
}

/// A question as it was written.
fn text(asked: &crate::Asked) -> &str {
    asked.as_ref().map_or_else(|misread| &*misread.text, |question| &*question.text)
}

#[test]
fn a_model_may_bring_its_queries() {
    let source = format!("{MODEL}\nquery {{ A[] not Q.T; E<> P(1).cs; A<> Q.T; }}");
    let model = loaded(&source);
    let shown: Vec<String> =
        model.questions.iter().map(|asked| format!("{}: {}", text(asked), asked.is_ok())).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    A[] not Q.T: true
    E<> P(1).cs: true
    A<> Q.T: true
    "#);
}
