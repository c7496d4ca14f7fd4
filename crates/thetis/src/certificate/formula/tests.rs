use ir::{Span, Variable};
use lang::xsts::arbitrary;
use proptest::prelude::*;

use super::*;

/// Terms of a system that could stand in a certificate.
fn sayable(system: &System) -> Vec<Term> {
    let terms = &system.terms;
    let state: Vec<VarId> = system.state_vars().collect();
    let fits = |term: &Term| {
        let mut fits = true;
        terms.for_each_subterm(*term, |part| {
            fits &= match terms.node(part) {
                Node::Var(var, step) => *step == 0 && state.contains(var),
                Node::At(..) | Node::Deadlock => false,
                _ => true,
            };
        });
        fits
    };
    (0..terms.len()).map(Term::at).filter(fits).collect()
}

#[track_caller]
fn round_trip(system: &mut System, term: Term) -> String {
    let text = Writer::new(system).text(&system.terms, term);
    let read = Reader::new(system).formula(&mut system.terms, &text);
    assert_eq!(read, Ok(term), "{text}\n{}", system.show(term));
    text
}

fn small() -> System {
    let source = "
        type Colour : { Red, Green }
        var c : Colour = Red  var n : integer = 0  var b : boolean = false  var r : rational = 1%2
        var a : [integer] -> boolean = [0 <- true, default <- false]  var x : clock
        trans { } init { } env { }
    ";
    lang::xsts::load(source).unwrap().system
}

proptest! {
    #![proptest_config(sampling::runs(256, 2026))]

    #[test]
    fn what_is_written_is_read(model in prop_oneof![arbitrary::model(), arbitrary::timed_model()]) {
        let (model, _) = lang::xsts::parse(&lang::xsts::print(&model));
        let loaded = lang::xsts::load(&lang::xsts::print(&model));
        if let Ok(loaded) = loaded {
            let mut system = loaded.system;
            for term in sayable(&system) {
                round_trip(&mut system, term);
            }
        }
    }

    #[test]
    fn soup_is_survived(words in proptest::collection::vec(
        prop_oneof![
            Just("("), Just("("), Just(")"), Just(")"), Just("and"), Just("="), Just("|n|"), Just("|b|"),
            Just("|a|"), Just("|r|"), Just("|x|"), Just("|c|"), Just("let"), Just("?0"), Just("as"),
            Just("const"), Just("|Red|"), Just("|Colour|"), Just("Array"), Just("Int"), Just("5"), Just("0.0"),
            Just("-"), Just("*"), Just("div"), Just("mod"), Just("/"), Just("select"), Just("store"), Just("|"),
            Just("ite"), Just("not"), Just("é"),
        ],
        0..24,
    )) {
        let mut system = small();
        let reader = Reader::new(&system);
        let _ = reader.formula(&mut system.terms, &words.join(" "));
    }

    #[test]
    fn every_operator_checks_its_operands(op in 0..18_usize, operands in proptest::collection::vec(0..9_usize, 0..4)) {
        const OPS: [&str; 18] = [
            "not", "and", "or", "=", "<=", "<", "ite", "+", "*", "-", "div", "/", "mod", "rem", "select",
            "store", "(as const (Array Int Bool))", "nonsense",
        ];
        const OPERANDS: [&str; 9] =
            ["|n|", "|b|", "|a|", "|r|", "|x|", "|c|", "7", "(/ 1.0 2.0)", "(as |Green| |Colour|)"];
        let list: Vec<&str> = operands.iter().map(|at| OPERANDS[*at]).collect();
        let text = format!("({} {})", OPS[op], list.join(" "));
        let mut system = small();
        if let Ok(term) = Reader::new(&system).formula(&mut system.terms, &text) {
            round_trip(&mut system, term);
        }
    }
}

#[test]
fn formulas_are_spelt_as_in_smt_lib() {
    let mut model = lang::xsts::load(
        "
        type Colour : { Red, Green }
        var c : Colour = Red  var n : integer = 0  var b : boolean = false  var r : rational = 1%2
        var a : [integer] -> boolean = [0 <- true, default <- false]
        trans { } init { } env { }
    ",
    )
    .unwrap();
    let mut check = |property: &str, expected: &str| {
        let ir::Claim::Always(term) = model.parse_property("p", property).unwrap().claim else { panic!() };
        assert_eq!(round_trip(&mut model.system, term), expected);
    };
    check("n == 3 && !b", "(and (= |n| 3) (not |b|))");
    check("n >= -3", "(<= (- 3) |n|)");
    check("c == Green", "(= |c| (as |Green| |Colour|))");
    check("r < 3%2 || a[n]", "(or (< |r| (/ 3.0 2.0)) (select |a| |n|))");
    check("a == [1 <- true, default <- false]", "(= |a| (store ((as const (Array Int Bool)) false) 1 true))");
    check("n * n + 1 < n * n + n", "(let ((?0 (* |n| |n|))) (< (+ ?0 1) (+ ?0 |n|)))");
}

#[test]
fn kinds_of_numbers_are_mixed() {
    let mut system = small();
    let reader = Reader::new(&system);
    let texts = [
        "(<= 0.0 (+ |x| (* (- 1.0) |n|)))",
        "(< (ite |b| |n| |r|) (+ |n| |r| |x|))",
        "(= (/ |n| 2.0) (* (/ 1.0 2.0) |x|))",
        "(< (* 7.0 |x| |r|) (* 7.0 |x| |n|))",
    ];
    for text in texts {
        let term = reader.formula(&mut system.terms, text).unwrap();
        assert_eq!(round_trip(&mut system, term), text);
    }
    // In whatever order they were.
    let [one, other] = ["(= (* 7 |r| |x|) |x|)", "(= (* 7 |x| |r|) |x|)"]
        .map(|text| reader.formula(&mut system.terms, text).unwrap());
    assert_eq!(one, other);
    // Quotients of integers are called by another name.
    assert!(reader.formula(&mut system.terms, "(= 0 (/ |n| 2))").is_err());
}

#[test]
fn odd_names_are_numbers() {
    let mut system = System::default();
    for name in ["x", "x", "a|b", "#1", "a b", "", "\\"] {
        let var = system.declare(Type::Bool, Variable::state(name, Span::default()));
        let term = system.terms.var(var);
        round_trip(&mut system, term);
    }
    let writer = Writer::new(&system);
    assert_eq!(writer.variables, ["|#0|", "|#1|", "|#2|", "|#3|", "|a b|", "||", "|#6|"]);
}

#[test]
fn mistakes_are_named() {
    let system = small();
    let reader = Reader::new(&system);
    let check = |text: &str, expected: &str| {
        assert_eq!(reader.formula(&mut system.terms.clone(), text), Err(expected.to_owned()), "{text}");
    };
    check("", "the formula ends too early");
    check("(and |b|", "the formula ends too early");
    check("|b| |b|", "`|b|` comes after the end of the formula");
    check(")", "there is a `)` too many");
    check("()", "there is nothing between `(` and `)`");
    check("|m|", "there is no variable |m|");
    check("|m", "a `|` is missing");
    check("(and |n| |b|)", "`and` cannot be applied to these 2 operands");
    check("(= |n| |b|)", "`=` cannot be applied to these 2 operands");
    check("(xor |b| |b|)", "`xor` cannot be applied to these 2 operands");
    check("(= |c| (as |Blue| |Colour|))", "|Colour| has no literal |Blue|");
    check("(= |c| (as |Red| |Color|))", "there is no type |Color|");
    check("?1", "nothing is called `?1`");
    check("(let ((?1 |b|)) (let ((?1 |b|)) ?1))", "`?1` is defined twice");
    check("(let ((y |b|)) y)", "`y` is no name for a part of a formula");
    check("(let ((?1 |b|)) ?1 ?1)", "a `)` is missing");
    check("(let ((?1 |b|)))", "`?1` is used nowhere");
    check("1.5", "`1.5` is unknown here");
    check(&"9".repeat(20_000), "a number is too long");
    // Squares of squares: a short text for a long number.
    let squares = (0..60).fold("(let ((?0 12345678901234567890)) ".to_owned(), |text, at| {
        format!("{text}(let ((?{} (* ?{at} ?{at}))) ", at + 1)
    });
    check(&squares, "a number is too long");
    let products = squares.replace("12345678901234567890", "|n|");
    check(&products, "a product is too long");
    // An array whose positions would all have to be written out.
    check(
        "(store ((as const (Array Int Bool 0 9223372036854775806)) true) 0 false)",
        "the model has no such type of arrays",
    );
}

#[test]
fn deep_nesting_is_survived() {
    let mut system = small();
    let depth = 200_000;
    let text = format!("{}|b|{}", "(= |b| (ite |b| true ".repeat(depth), "))".repeat(depth));
    let reader = Reader::new(&system);
    let _ = reader.formula(&mut system.terms, &text);
    let text = format!("(< {}|n|{} 5)", "(div 7 ".repeat(depth), ")".repeat(depth));
    let term = reader.formula(&mut system.terms, &text).unwrap();
    assert!(Writer::new(&system).text(&system.terms, term) == text, "another text");
}
