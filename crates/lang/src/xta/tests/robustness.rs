//! Broken, huge and hostile texts: an answer, no panic, no overflow, in reasonable time.

use super::*;

const MODEL: &str = "
    typedef struct { int[0,3] n; bool b[2]; } item;
    item one = { 2, { true, false } }; const int N = 3; clock x[2]; chan c[N]; int[0,9] k;
    int f(int a, int &b) { int i; for (i = 0; i < N; i++) { if (a > i) return b; b += i; } return a ? 1 : 2; }
    process P(const int[0,1] i) {
        state A { x[i] <= 5 }, B; commit B; urgent A; init A;
        trans A -> B { select j : int[0,1]; guard k < 5 && x[j] > 2; sync c[j]!; assign k = f(k, k), one.b[0] = !one.b[1]; }, B -> A { };
    }
    Q = P(1);
    system P, Q; query { A[] k < 3; }";

#[test]
fn every_prefix_gets_an_answer() {
    assert_eq!(errors(MODEL), "no errors");
    for end in 0..MODEL.len() {
        let _ = load(&MODEL[..end], Format::Xta);
        let _ = load(&MODEL[end..], Format::Xta);
    }
}

#[test]
fn every_text_with_a_piece_missing_or_doubled_gets_an_answer() {
    let words: Vec<&str> = MODEL.split_inclusive([' ', ';', '(', ')', '{', '}']).collect();
    for at in 0..words.len() {
        let _ = load(&[&words[..at], &words[at + 1..]].concat().concat(), Format::Xta);
        let _ =
            load(&[&words[..at], &[words[at], words[at]], &words[at + 1..]].concat().concat(), Format::Xta);
    }
}

#[test]
fn garbage_gets_an_answer() {
    for source in [
        "",
        " ",
        "\u{0}",
        "}",
        "system",
        "system ;",
        "process",
        "process P {",
        "\u{feff}",
        "é",
        "/*",
        "((((",
        "int a[a];",
        "typedef t t; t x; system P;",
    ] {
        assert!(load(source, Format::Xta).is_err(), "{source:?}");
    }
}

#[test]
fn deep_nesting_is_handled_or_refused() {
    for depth in [1_000, 9_000, 100_000, 1_000_000] {
        let texts = [
            format!("int a = {}1{};", "(".repeat(depth), ")".repeat(depth)),
            format!("int a = {}1;", "-".repeat(depth)),
            format!("bool a = {}true;", "!".repeat(depth)),
            format!("int a = {}1{};", "1 ? ".repeat(depth), " : 2".repeat(depth)),
            format!("void f() {}{}", "{".repeat(depth), "}".repeat(depth)),
            format!("void f() {{ {} ; }}", "if (true) ".repeat(depth)),
            format!("int a {};", "[1]".repeat(depth)),
            format!("int b; int a = b{};", "[1]".repeat(depth)),
            format!("{} int a; {}", "struct { ".repeat(depth), " } a;".repeat(depth)),
        ];
        for text in texts {
            let _ = load(&one_edge(&text, "guard true;"), Format::Xta);
        }
    }
}

#[test]
fn long_texts_take_linear_time() {
    let start = std::time::Instant::now();
    let sum = vec!["n"; 50_000].join(" + ");
    let all = vec!["b"; 50_000].join(" && ");
    let some: Vec<String> = (0..20_000).map(|value| format!("n == {value}")).collect();
    let source =
        one_edge("int[0,1] n; bool b;", &format!("guard {sum} > 3 && {all} && ({});", some.join(" || ")));
    assert_eq!(errors(&source), "no errors");
    let updates = vec!["n = 1 - n"; 20_000].join(", ");
    assert_eq!(errors(&one_edge("int[0,1] n;", &format!("assign {updates};"))), "no errors");
    let steps = "if (n > 0) return 1;".repeat(2_000);
    let source =
        one_edge(&format!("int n; int f() {{ {steps} return 2; }}"), "guard f() == 1; assign n = f();");
    assert_eq!(errors(&source), "no errors");
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
