//! The front-end on programs small enough to argue about.

use super::*;
use crate::code::Code;

fn errors(text: &str) -> Vec<(Code, String)> {
    match load(text, &Reading::default()) {
        Ok(_) => vec![],
        Err(errors) => errors.into_iter().map(|error| (error.code, error.message)).collect(),
    }
}

fn body(statements: &str) -> String {
    format!(
        "int g, h, a[3]; int f(void) {{ return ++g; }} int main(void) {{ int x = 0, y = 0; {statements} return 0; }}"
    )
}

#[test]
fn the_order_of_evaluation_is_checked() {
    let refused = [
        "x = x++;",
        "x = x++ + 1;",
        "y = x++ + x;",
        "a[x] = x++;",
        "y = f() + g;",
        "y = f() + f();",
        "y = (x = 1) + (x = 2);",
        "int *p = &x; y = *p + x++;",
        "y = a[x] + (a[1] = 2);",
        "x += x++;",
    ];
    for text in refused {
        let found = errors(&body(text));
        assert!(found.iter().any(|(code, _)| *code == Code::ConflictingWrites), "{text}: {found:?}");
    }
    let fine = [
        "x = x + 1;",
        "x = y++ + 1;",
        "x = (y = 1, y + 1);",
        "x = x++ && x;",
        "x = f() + y;",
        "g = f();",
        "a[0] = a[1] = 2;",
        "y = a[0]++ + a[1];",
        "a[x++] = y++;",
    ];
    for text in fine {
        let found = errors(&body(text));
        assert!(found.iter().all(|(code, _)| *code != Code::ConflictingWrites), "{text}: {found:?}");
    }
    // The increment is not sequenced before the assignment, whatever selects it (6.5.16).
    for text in ["int *p = &y; x = *p + x++ * 0 + 1;", "x = y ? x++ : 2;"] {
        let found = errors(&body(text));
        assert!(found.iter().any(|(code, _)| *code == Code::ConflictingWrites), "{text}: {found:?}");
    }
}

#[test]
fn what_is_nested_too_deep_is_refused_and_nothing_overflows() {
    let deep = |open: &str, close: &str, times: usize| {
        body(&format!("x = {}1{};", open.repeat(times), close.repeat(times)))
    };
    assert_eq!(errors(&deep("(", ")", 500)), []);
    assert_eq!(errors(&deep("(", ")", 2_000))[0].0, Code::TooDeep);
    assert_eq!(errors(&deep("1 + ", "", 5_000)), []);
    assert_eq!(errors(&deep("-~", "", 5_000)), []);
    assert_eq!(errors(&deep("1 + ", "", 50_000))[0].0, Code::TooDeep);
    assert_eq!(errors(&body(&format!("{}{}", "{".repeat(900), "}".repeat(900)))), []);
    assert_eq!(errors(&body(&format!("{}{}", "{".repeat(20_000), "}".repeat(20_000))))[0].0, Code::TooDeep);
    assert_eq!(errors(&body(&format!("if (x) ; {}", "else if (y) ; ".repeat(3_000)))), []);
}

#[test]
fn a_truncated_program_is_no_program() {
    let text = include_str!("examples/bounded_buffer.c");
    let main = text.find("int main").unwrap();
    let end = text.trim_end().len();
    for cut in (0..end).filter(|cut| text.is_char_boundary(*cut)) {
        assert!(load(&text[..cut], &Reading::default()).is_err(), "{cut} of {end}, main at {main}");
    }
    assert!(load(text, &Reading::default()).is_ok());
}

#[test]
fn questions_speak_of_places() {
    let text = "int x;\nvoid f(void) { x = 1; }\nint main(void) {\n  int i = 2;\n  f();\nL: x = i;\n  return 0;\n}\n";
    let mut model = load(text, &Reading::default()).unwrap();
    assert!(model.questions.is_empty(), "nothing calls an error");
    let mut ask = |text: &str| model.question("q", text).map_err(|errors| errors[0].code);
    for fine in [
        "line 6",
        "unreachable line 6",
        "label L",
        "call f",
        "line 6: x == 1 && i == 2",
        "A[] main.i == 2 || x == 0",
        "E<> x == 2",
        "x <= 2",
        "ltl: F (label(L) && x == 1)",
        "G (call(f) -> F end)",
        "termination",
        "no-overflow",
        "no-faults",
        "CHECK( init(main()), LTL(G ! call(f())) )",
    ] {
        assert!(ask(fine).is_ok(), "{fine}: {:?}", ask(fine).err());
    }
    assert_eq!(ask("line 99").err(), Some(Code::UnknownName));
    assert_eq!(ask("label M").err(), Some(Code::UnknownName));
    assert_eq!(ask("y > 0").err(), Some(Code::UnknownName));
    assert_eq!(ask("x = 3").err(), Some(Code::SideEffect));
    assert_eq!(ask("x > > 0").err(), Some(Code::Syntax));
    assert_eq!(ask("").err(), Some(Code::Empty));
    assert_eq!(ask("CHECK( init(main()), LTL(G valid-free) )").err(), Some(Code::UnsupportedQuery));
}

#[test]
fn widths_follow_the_data_model() {
    let text = "int main(void) { if (sizeof(long) != 8) reach_error(); return 0; }";
    let edges = |data_model| {
        let model = load(text, &Reading { data_model, ..Reading::default() }).unwrap();
        let error = model.system.processes.iter().flat_map(|process| process.locations.iter());
        error.filter(|location| location.name == "reach_error()").count()
    };
    // What a constant decides is not part of the program.
    assert_eq!(edges(DataModel::Lp64), 0);
    assert_eq!(edges(DataModel::Ilp32), 1);
}
