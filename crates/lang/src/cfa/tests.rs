//! Control-flow automata against a naive interpreter of their syntax trees.

mod naive;
mod random;

use super::*;

fn messages(text: &str) -> Vec<String> {
    load(text).unwrap_err().into_iter().map(|error| error.message).collect()
}

#[test]
fn mistakes_come_all_at_once() {
    let text = "var x : int
        main process p {
            var y : bv[4] var y : bool
            init loc A loc B error loc E
            A -> B { x := true z := 1 assume x }
            B -> C { y := 4'd16 x := 1; }
            E -> A
            A -> B { assume x < }
        }";
    assert_eq!(
        messages(text),
        [
            "variable `y` is declared twice; rename or remove one",
            "this is of type `bool`, and `int` is needed",
            "there is no variable `z`",
            "this is of type `int`, and `bool` is needed",
            "there is no location `C`",
            "this number does not fit 4 bits",
            "expected a statement: `x := e`, `havoc x` or `assume e`; nothing separates statements here, remove the `;`",
            "an edge starts at `E`, which is a `final` or `error` location and has no way out",
            "expected a value, found `}`",
        ]
    );
}

#[test]
fn a_truncated_file_is_no_model() {
    let text = include_str!("examples/counter.cfa");
    let end = text.trim_end().len();
    for cut in 0..end {
        assert!(load(&text[..cut]).is_err(), "{cut}");
    }
    assert!(load(&text[..end]).is_ok());
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let check = |declaration: &str, expr: &str, code: Code| {
        let text = format!("main process p {{ {declaration} init loc A loc B A -> B {{ assume {expr} }} }}");
        let errors = load(&text).unwrap_err();
        assert!(errors.iter().all(|error| error.code.is_unsupported()), "{errors:?}");
        assert!(errors.iter().any(|error| error.code == code), "{errors:?}");
    };
    check("var x : fp[8,24]", "x = x", Code::UnsupportedType);
    check("var x : fp[8:24]", "x < 8'b10000001.23'b01000000000000000000000", Code::UnsupportedType);
    check("var x : bv[8]", "(fpadd[RNE] x) = x", Code::UnsupportedOperator);
    check("", "forall (i : int) i < i", Code::UnsupportedOperator);
    check("var f : (int) -> int", "f(3) = 2", Code::UnsupportedType);
    check("var a : [int] -> bv[2] var b : [int] -> bv[2]", "a = b", Code::UnsupportedOperator);
}

#[test]
fn traps_of_the_original_reader_are_none() {
    let text = "main process p { var u : int var s : int var a : [int] -> int var I : int init loc A loc B
        A -> B { u := s a := a[I <- u] assume a[I] = 1 } }";
    assert!(load(text).is_ok());
}

#[test]
fn questions_speak_of_places() {
    let text = "main process p { var x : int init loc A loc B error loc E A -> B { x := 1 } B -> A }";
    let mut model = load(text).unwrap();
    let text = |model: &Model, question: &Question| match question.property.claim {
        Claim::Always(term) => model.system.show(term).to_string(),
        ref other => format!("{other:?}"),
    };
    let question = model.question("q", "unreachable B").unwrap();
    assert_eq!(text(&model, &question), "!p.B");
    // The initial location is two: claims about runs read the second one only.
    let question = model.question("q", "A imply x = 1").unwrap();
    assert_eq!(text(&model, &question), "!(p.A || p.A (start)) || x == 1");
    let process = model.system.processes.iter().next().unwrap();
    assert!(!process.locations[process.initial.unwrap()].read);
    assert!(model.question("q", "G F B").is_ok());
    assert_eq!(model.question("q", "unreachable D").unwrap_err()[0].code, Code::UnknownName);
    assert_eq!(model.question("q", "x > > 0").unwrap_err()[0].code, Code::Syntax);
    assert_eq!(model.question("q", "").unwrap_err()[0].code, Code::Empty);
}
