//! Temporal questions: what is read as a formula, in which words, and with what over which states.

extern crate thetis_lang as lang;

#[path = "../testing/fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use ir::{Claim, PathClaim, PathWords, Stuck};
use lang::code::Code;
use lang::{Extreme, Model, Question, Relation, pnml, xsts, xta};
use proptest::prelude::*;

const LAMP: &str = "type Lamp : { Off, On } type F : { U, G }
var x : integer = 0 var y : integer = 0 var p : boolean = false var q : boolean = false var r : boolean = false
var lamp : Lamp = Off var f : F = U var cells : [integer] -> integer = [default <- 0]
trans { x := x + 1; }";

const NET: &str = r#"<pnml><net id="n" type="ptnet">
  <place id="p"><initialMarking><text>1</text></initialMarking></place>
  <place id="q"/>
  <place id="a.b"/>
  <place id="odd"><name><text>-&gt; G x &amp;&amp; "y"</text></name></place>
  <transition id="t"/>
  <arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</net></pnml>"#;

fn lamp() -> Model {
    xsts::load(LAMP).unwrap()
}
fn net() -> Model {
    pnml::load(NET).unwrap()
}
fn ask(model: &mut Model, text: &str) -> Question {
    model.question("asked", text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}
/// The formula that a question claims of every run.
fn path<'a>(model: &'a Model, question: &Question) -> &'a PathClaim {
    match question.property.claim {
        Claim::Every(path) => &model.system.paths[path],
        other => panic!("{}: {other:?} is no claim about runs", question.text),
    }
}
/// The formula of a question, with its propositions in braces.
fn formula(model: &mut Model, text: &str) -> String {
    let question = ask(model, text);
    let PathClaim { words: PathWords::Satisfy(formula), atoms, .. } = path(model, &question) else {
        panic!("{text} is no formula")
    };
    let name = |atom: u32| format!("{{{}}}", model.system.show(atoms[atom as usize]));
    formula.display(name).to_string()
}
/// That a text is this formula, where what is in braces is read as a property of its own.
fn check(model: &mut Model, text: &str, expected: &str) {
    let mut pieces = expected.split(['{', '}']);
    let mut written = pieces.next().unwrap_or_default().to_owned();
    while let Some(condition) = pieces.next() {
        let Claim::Always(term) = ask(model, condition).property.claim else { panic!("{condition}") };
        written += &format!("{{{}}}{}", model.system.show(term), pieces.next().unwrap_or_default());
    }
    assert_eq!(formula(model, text), written, "{text}");
}
/// The code of the first error, and the piece of text that it points at.
fn error<'a>(model: &mut Model, text: &'a str) -> (Code, &'a str) {
    let errors = model.question("asked", text).unwrap_err();
    let span = errors[0].span;
    (errors[0].code, &text[span.start as usize..span.end as usize])
}

#[test]
fn all_spellings_are_read_alike() {
    let same = [
        ("G (p -> F q)", "[](p => <> q) ; □(p → ◇ q) ; always (p imply eventually q) ; p --> q ; p ~> q"),
        ("G (p -> F q)", "globally(p implies finally q) ; p leadsto q ; ltl: response(p, q) globally"),
        ("!p U (q && r)", "not p until (q /\\ r) ; ~p U (q & r) ; ¬p U (q ∧ r) ; (not p) U (q and r)"),
        ("p W q", "p unless q"),
        ("p R q", "p V q ; p releases q"),
        ("X p || F (q || r)", "next p or <> (q or r) ; ○ p ∨ ◇(q ∨ r) ; X p \\/ F(q | r)"),
        ("F p <-> G q", "F p <=> G q ; F p iff [] q ; F p ⇔ G q"),
        ("GF p", "G F p ; []<>p ; GFp"),
        ("F (x == 1 && lamp != On)", "F(x = 1 and not (lamp = Lamp.On)) ; F (x = 1 && lamp /= On)"),
    ];
    for (first, others) in same {
        let mut model = lamp();
        let expected = formula(&mut model, &format!("ltl: {first}"));
        for other in others.split(" ; ") {
            // Connectives may be taken apart or not: the words are the same.
            let found = formula(&mut model, other);
            let flat = |text: &str| {
                let joined = text.replace("} & {", " && ").replace("} | {", " || ").replace("!{", "{!");
                joined.replace("({", "{").replace("})", "}")
            };
            assert_eq!(flat(&found), flat(&expected), "{other}");
        }
    }
}

#[test]
fn propositions_are_as_large_as_can_be() {
    let mut model = lamp();
    let mut check = |text, expected| check(&mut model, text, expected);
    check("G (x > 0 -> F y == 2)", "G ({x > 0} -> F {y == 2})");
    check("F G (lamp == On && cells[x + 1] >= 2 * y or p)", "F G {lamp == On && cells[x + 1] >= 2 * y || p}");
    // Equal ones are one.
    check("G (p -> X p) U (p)", "G ({p} -> X {p}) U {p}");
    check("F (if p then q else r)", "F {if p then q else r}");
    // What is a negation is one of the formula, so that `p` and `!p` are opposites.
    check("(p xor q) U (r)", "!{p == q} U {r}");
    // Words of formulas are names where no operator can stand.
    check("G (f == U) && F (f == G)", "G {f == U} & F {f == G}");
    check("(f = F.U) U (f = F.G)", "{f == U} U {f == G}");
    check("true U p && F false", "true U {p} & F false");
    let question = ask(&mut model, "G (p -> X p) U (p)");
    assert_eq!(path(&model, &question).atoms.len(), 1);
}

#[test]
fn patterns_are_known_by_name() {
    let mut model = lamp();
    // The formula that Dwyer, Avrunin and Corbett publish for the response pattern between two events, the second of
    // which may stay away.
    let expected = "G ({q} & !{r} -> ({p} -> !{r} U ({y == 1} & !{r})) W {r})";
    check(&mut model, "ltl: response(p, y == 1) after q until r", expected);
    check(&mut model, "absence(x < 0)", "G !{x < 0}");
    assert_eq!(error(&mut model, "ltl: response(p)"), (Code::WrongCount, "response"));
    assert_eq!(error(&mut model, "ltl: absence(p) between q"), (Code::Syntax, ""));
}

#[test]
fn what_is_a_property_stays_one() {
    let mut model = lamp();
    for text in ["x >= 0", "prop { x >= 0 }", "A[] x >= 0", "p -> q", "f == U"] {
        assert!(matches!(ask(&mut model, text).property.claim, Claim::Always(_)), "{text}");
    }
    assert!(matches!(ask(&mut model, "E<> x >= 0").property.claim, Claim::Possibly(_)));
    for text in ["G x >= 0", "ltl { x >= 0 }", "ltl:x >= 0", "p U q", "  [] p  ", "F p -> G q"] {
        assert!(matches!(ask(&mut model, text).property.claim, Claim::Every(_)), "{text}");
    }
    // A variable may be called so.
    let source = "var G : integer = 0 var F : boolean = false var ltl : integer = 0 var proper : boolean = false \
                  trans { ltl := G; }";
    let mut model = xsts::load(source).unwrap();
    for text in ["G > 0", "F", "F && G == 1", "ltl >= 0"] {
        assert!(matches!(ask(&mut model, text).property.claim, Claim::Always(_)), "{text}");
    }
    check(&mut model, "F U G > 0", "{F} U {G > 0}");
    check(&mut model, "F F", "F {F}");
    check(&mut model, "proper U F", "{proper} U {F}");
}

#[test]
fn questions_are_kept_as_they_were_asked() {
    let mut model = lamp();
    for text in [
        "ltl: G /* always */ (p -> F q)",
        "/* first */ ltl: G (p -> F q)",
        "G (p -> F q) // answered",
        "ltl { G (p -> F q) }",
    ] {
        let question = ask(&mut model, text);
        assert_eq!(question.text, text);
        assert_eq!(question.about, lang::About::Expression("G (p -> F q)".into()));
        assert_eq!(question.property.claim, ask(&mut model, &question.text).property.claim);
    }
    assert_eq!(model.system.paths.len(), 1, "equal formulas are one");
}

#[test]
fn types_are_told_apart() {
    let mut model = lamp();
    let mut check = |text, code, place| assert_eq!(error(&mut model, text), (code, place), "{text}");
    check("G(x > 0) > 5", Code::TypeMismatch, "5");
    check("ltl: G (F p) > 5", Code::TypeMismatch, "(F p)");
    check("F x", Code::TypeMismatch, "x");
    check("G (p -> F x + 1)", Code::TypeMismatch, "x + 1");
    check("p U lamp", Code::TypeMismatch, "lamp");
    check("G cells[F p] == 1", Code::TypeMismatch, "[F p]");
    check("F (p == G q)", Code::TypeMismatch, "G");
    check("G (if p then q else F r)", Code::TypeMismatch, "F");
}

#[test]
fn mistakes_have_their_places() {
    let mut model = lamp();
    let mut check = |text, code, place| assert_eq!(error(&mut model, text), (code, place), "{text}");
    check("G (p -> F zz)", Code::UnknownName, "zz");
    check("x == 1 U zz == 2", Code::UnknownName, "zz");
    check("x == 1 --> zz", Code::UnknownName, "zz");
    check("□ (p -> zz)", Code::UnknownName, "zz");
    check("ltl: G (p", Code::Unclosed, "(");
    check("ltl: p U", Code::Syntax, "");
    check("ltl: G p) q", Code::Syntax, ")");
    check("ltl:", Code::Empty, "");
    check("ltl { /* nothing */ }", Code::Empty, " /* nothing */ ");
    check("ltl: G p /* q", Code::Unclosed, "/*");
    check("ltl: G (p # q)", Code::UnexpectedCharacter, "#");
    check("ltl: F 10 / x > 1", Code::Undefined, "10 / x");
    // What formulas do not know binds less than what they do, and they would group it otherwise.
    check("ltl: p xor q && F r", Code::Syntax, "p xor q");
    check("F p xor q", Code::Syntax, "p xor q");
    check("prop { G p }", Code::Misplaced, "G");
    for text in ["AG p", "A[] A[] p", "E[] p", "A<> p", "G (p -> EF q)", "never p", "AG (p -> EF q)"] {
        assert_eq!(
            model.question("p", text).unwrap_err()[0].code,
            Code::UnsupportedTemporalFormula,
            "{text}"
        );
    }
    // What is a property by itself is named where it stands in a formula.
    let error = model.question("p", "ltl: AG EF p").unwrap_err().remove(0);
    assert_eq!(error.code, Code::UnsupportedTemporalFormula);
    assert!(error.message.contains("`AG EF p`") && error.message.contains("without `ltl`"), "{error:?}");
}

/// Whatever becomes of an automaton on its way here, it is read or refused with places in the text, and what is read is an
/// automaton.
#[test]
fn damaged_automata_are_read_safely() {
    const PIECES: [&str; 12] =
        ["[", "]", "{0}", "0", "4294967296", "!", "|", "\"p\"", "\"x <", "State:", "--BODY--", "Fin"];
    let inputs = (any::<bool>(), 0..400_usize, 0..20_usize, 0..PIECES.len());
    sampling::check(
        sampling::runs(2_000, 27),
        &inputs,
        |case| format!("{case:?}"),
        |(of_net, from, less, piece)| {
            let (mut model, atom) = if of_net { (net(), "p > 0") } else { (lamp(), "x < 3") };
            let whole = format!(
                "never: HOA: v1 name: \"some\" States: 2 Start: 0 AP: 2 \"{atom}\" \"{atom}\" acc-name: Buchi \
             Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 0 [!0 & 1] 1 State: 1 {{0}} [!0 | 1] 1 --END--"
            );
            let from = from % whole.len();
            let text =
                format!("{}{}{}", &whole[..from], PIECES[piece], &whole[(from + less).min(whole.len())..]);
            match model.question("asked", &text) {
                Ok(question) => {
                    let Claim::Every(path) = question.property.claim else { return Ok(()) };
                    let PathClaim { words, atoms, .. } = &model.system.paths[path];
                    match words {
                        PathWords::Avoid(automaton) if !automaton.is_well_formed(atoms.len()) => {
                            Err(format!("{text}: {automaton:?}"))
                        }
                        _ => Ok(()),
                    }
                }
                Err(errors) => {
                    let inside = |span: ir::Span| text.get(span.start as usize..span.end as usize).is_some();
                    let all = !errors.is_empty() && errors.iter().all(|error| inside(error.span));
                    if all { Ok(()) } else { Err(format!("{text}: {errors:?}")) }
                }
            }
        },
    );
}

#[test]
fn what_can_always_be_reached_again_is_a_claim_of_its_own() {
    for mut model in [lamp(), net()] {
        let goal = if model.system.vars.iter().any(|var| var.name == "lamp") { "x == 1" } else { "p > 0" };
        let Claim::Always(term) = ask(&mut model, goal).property.claim else { panic!("{goal}") };
        for text in ["AG EF {}", "A G E F { {} }", "A[] E<> {}", "ag ef: {}", "AG EF ({})"] {
            let text = text.replace("{}", goal);
            assert_eq!(ask(&mut model, &text).property.claim, Claim::AlwaysPossibly(term), "{text}");
        }
        // `AG` and `EF` bind tightly elsewhere, so that this may be meant in two ways.
        let loose = format!("AG EF {goal} && {goal}");
        assert_eq!(error(&mut model, &loose).0, Code::Syntax, "{loose}");
        let whole = ask(&mut model, &format!("A[] E<> {goal} && {goal}")).property.claim;
        assert_eq!(whole, Claim::AlwaysPossibly(term));
    }
}

#[test]
fn doubts_are_warnings_of_the_question() {
    let mut model = lamp();
    let mut said = |text: &str| {
        let warnings = ask(&mut model, text).warnings;
        let shown = |span: ir::Span| text[span.start as usize..span.end as usize].to_owned();
        warnings.into_iter().map(|warning| (warning.code, shown(warning.span))).collect::<Vec<_>>()
    };
    assert_eq!(said("p U q U r"), [(Code::DoubtfulGrouping, "U".to_owned())]);
    assert_eq!(said("!p U q"), [(Code::DoubtfulGrouping, "U".to_owned())]);
    assert_eq!(said("ltl: x == 1 "), [(Code::NoTemporalOperator, "x == 1".to_owned())]);
    assert_eq!(said("p U (q U r)"), []);
    assert_eq!(said("x == 1"), []);
}

#[test]
fn sections_are_questions_of_the_model() {
    let source = format!(
        "{LAMP}\nprop {{ x >= 0 }}\nltl {{ G (p => // first\n F q) }} ltl {{ p U q U r }}\nvar ltl : integer"
    );
    let mut model = xsts::load(&source).unwrap();
    let questions: Vec<Question> = model.questions.iter().flatten().cloned().collect();
    let names: Vec<&str> = questions.iter().map(|question| question.name.as_str()).collect();
    assert_eq!(names, ["prop", "ltl 1", "ltl 2"]);
    assert_eq!(questions[1].text, "ltl: G (p => F q)");
    for question in &questions[1..] {
        assert_eq!(ask(&mut model, &question.text).property.claim, question.property.claim);
    }
    let warned: Vec<Code> = model.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(warned, [Code::DoubtfulGrouping]);
    assert_eq!(&source[model.warnings[0].span.start as usize..][..7], "U q U r");

    let (tree, errors) = xsts::parse(&source);
    assert_eq!(errors, []);
    let printed = xsts::print(&tree);
    assert!(printed.ends_with("\nltl {\n    G (p => F q)\n}\n\nltl {\n    p U q U r\n}\n"), "{printed}");
    assert!(xsts::parse(&printed).0 == tree);
    assert!(xsts::parse(&printed.replace("p U q", "q U q")).0 != tree);

    let alone = xsts::load("var x : integer = 0 trans {} ltl { F x = 1 }").unwrap();
    assert_eq!(alone.questions[0].as_ref().unwrap().name, "ltl");
}

#[test]
fn all_mistakes_of_a_model_are_told_at_once() {
    let source =
        "var x : integer = 0 trans { y := 1; } ltl { G z == 1 } ltl { F x } ltl { } ltl { G (x == 1 }";
    let errors = xsts::load(source).unwrap_err();
    let found: Vec<(Code, &str)> = errors
        .iter()
        .map(|error| (error.code, &source[error.span.start as usize..error.span.end as usize]))
        .collect();
    let expected = [
        (Code::UnknownName, "y"),
        (Code::UnknownName, "z"),
        (Code::TypeMismatch, "x"),
        (Code::Empty, " "),
        (Code::Unclosed, "("),
    ];
    assert_eq!(found, expected);
    let errors = xsts::load("var x : integer = 0 trans {} ltl { G x == 1").unwrap_err();
    assert_eq!((errors.len(), errors[0].code, errors[0].span.start), (1, Code::Unclosed, 33));
}

/// XSTS: from the state after `init` on, and stuck runs do not count. Nets: from the initial marking on, and a deadlock
/// repeats. Both as the verdicts that others publish have it.
#[test]
fn languages_say_which_states_and_runs_count() {
    let model = xsts::load("var x : integer = 0 trans { x := 1 / x; }").unwrap();
    let process = model.system.processes.iter().next().unwrap();
    let read: Vec<(&str, bool)> =
        process.locations.iter().map(|location| (location.name.as_str(), location.read)).collect();
    assert_eq!(read, [("init", false), ("env", true), ("trans", true), ("fault", false)]);
    assert_eq!(model.system.stuck, Stuck::Ignored);
    let model = net();
    assert!(model.system.processes.iter().all(|process| process.locations.iter().all(|at| at.read)));
    assert_eq!(model.system.stuck, Stuck::Repeat);
}

#[test]
fn nets_are_asked_over_markings_and_transitions() {
    let mut model = net();
    let mut check = |text, expected| check(&mut model, text, expected);
    check("ltl: G (p + 2 * q <= 3 -> F q = 1)", "G (!{3 < p + 2 * q} -> F {q == 1})");
    check("[] <> p > 0", "G F {p > 0}");
    check("F deadlock;", "F {A[] deadlock}");
    check("a.b > 0 U marking(p = 1, q = 0)", "{a.b > 0} U {p == 1 && q == 0}");
    check("G !fireable(t)", "G {p < 1}");
    // Quoted names may look like anything.
    let odd = ask(&mut model, "G ('-> G x && \"y\"' > 0 -> F q > 0)").property.claim;
    assert_eq!(odd, ask(&mut model, "ltl: G (odd > 0 -> F q > 0)").property.claim);
    let mut check = |text, code, place| assert_eq!(error(&mut model, text), (code, place), "{text}");
    check("G (p -> F q > 0)", Code::TypeMismatch, "p");
    check("G (p > 0 -> F u > 0)", Code::UnknownName, "u");
    check("p > 0 until u > 0", Code::UnknownName, "u");
    check("G (p > 0) > 5", Code::TypeMismatch, "(");
    check("ltl: F 'p", Code::Unclosed, "'");
    check("AG(EF(p > 0))", Code::UnsupportedTemporalFormula, "EF");
    check("AF(p > 0)", Code::UnsupportedTemporalFormula, "AF");
}

fn contest(formula: &str) -> String {
    format!("<property-set><property><id>f</id><formula>{formula}</formula></property></property-set>")
}

#[test]
fn formulas_of_the_contest_about_runs_are_claims() {
    let mut model = net();
    let p = "<integer-le><integer-constant>1</integer-constant><tokens-count><place>p</place></tokens-count></integer-le>";
    let t = "<is-fireable><transition>t</transition></is-fireable>";
    let of = |name: &str, inside: &str| format!("<{name}>{inside}</{name}>");
    let until = |a: &str, b: &str| of("until", &(of("before", a) + &of("reach", b)));
    let cases = [
        (of("globally", &of("finally", p)), "G F 1 <= p"),
        (of("next", &of("negation", &until(p, t))), "X (!(1 <= p U fireable(t)))"),
        (of("conjunction", &(of("finally", p) + p + t)), "F 1 <= p & 1 <= p & fireable(t)"),
        (
            of("disjunction", &(of("conjunction", &(p.to_owned() + t)) + &of("finally", p))),
            "(1 <= p && fireable(t)) | F 1 <= p",
        ),
        (of("implication", &(p.to_owned() + &of("finally", t))), "1 <= p -> F fireable(t)"),
        (
            of("exclusive-disjunction", &(of("finally", p) + &of("globally", t))),
            "!((F 1 <= p) <-> G fireable(t))",
        ),
        (until("<true/>", p), "(true) U 1 <= p"),
    ];
    for (xml, text) in cases {
        let xml = contest(&of("all-paths", &xml));
        let asked = model.question_file(&xml).unwrap().unwrap().remove(0).unwrap();
        let expected = formula(&mut model, &format!("ltl: {text}"));
        assert_eq!(formula(&mut model, &asked.text), expected, "{xml}");
    }
    // An invariant is one, in whatever examination.
    let invariant = ask(&mut model, &contest(&of("all-paths", &of("globally", p))));
    assert!(matches!(invariant.property.claim, Claim::Always(_)));
    for branching in [
        of("all-paths", &of("globally", &of("exists-path", &of("finally", p)))),
        of("exists-path", &of("globally", p)),
        of("negation", &of("all-paths", &of("finally", p))),
        of("conjunction", &(of("all-paths", &of("finally", p)) + p)),
    ] {
        let error = model.question("p", &contest(&branching)).unwrap_err().remove(0);
        assert_eq!(error.code, Code::UnsupportedTemporalFormula, "{branching}");
    }
}

#[test]
fn the_contest_asks_for_bounds() {
    let mut model = net();
    let question = ask(
        &mut model,
        &contest("<place-bound><place>p</place><place>-> G x &amp;&amp; \"y\"</place></place-bound>"),
    );
    let [measure] = &question.values[..] else { panic!("{question:?}") };
    assert_eq!((measure.extreme, measure.text.as_str()), (Extreme::Greatest, "p + '-> G x && \"y\"'"));
    let text = model.language.threshold(measure, Relation::AtLeast, 2).unwrap();
    let claim = ask(&mut model, &text).property.claim;
    assert_eq!(claim, ask(&mut model, "E<> p + odd >= 2").property.claim);
    assert!(model.question("p", &contest("<place-bound/>")).is_err());
}

#[test]
fn every_language_refuses_what_it_lacks_by_the_same_code() {
    let network = "int x; process P() { state s; init s; } system P;";
    let mut model = xta::load(network, xta::Format::Xta).unwrap();
    for text in ["ltl: G x > 0", "A<> x > 0", "x > 0 --> x > 1"] {
        assert!(matches!(ask(&mut model, text).property.claim, Claim::Every(_)), "{text}");
    }
    assert!(matches!(ask(&mut model, "E[] x > 0").property.claim, Claim::Some(_)));
    let error = model.question("p", "A[x > 0 U x > 1]").unwrap_err().remove(0);
    assert_eq!(error.code, Code::UnsupportedQuery);
}

/// Every beginning of a formula, and every formula with a piece missing, is read or refused with places in it.
#[test]
fn damaged_formulas_are_survived() {
    let texts = [
        "ltl: G ((p -> F !(x == 1 && cells[y] /= 2)) U [] (lamp = Lamp.On /\\ ¬q)) ∨ response(p, q) between r and p",
        "ltl { p U q /* c */ W (r M p) <=> X X (if p then q else r) // end\n }",
        "<> [] (p and not q or x + 1 > -y) --> □◇(r)",
        "ltl: G (p + q > 0 -> F fireable(t, \"t\") U 'odd' <= 2) & existence(deadlock) after marking(p = 1, q = 2)",
    ];
    let mut models = [lamp(), net()];
    let mut survives = |text: &str| {
        for model in &mut models {
            for error in model.question("p", text).err().into_iter().flatten() {
                let (start, end) = (error.span.start as usize, error.span.end as usize);
                assert!(text.get(start..end).is_some(), "{start}..{end} in {text:?}: {}", error.message);
            }
        }
        let section = format!("var x : integer = 0 trans {{}} ltl {{ {text} }}");
        if xsts::load(&section).is_ok() {
            let tree = xsts::parse(&section).0;
            assert!(xsts::parse(&xsts::print(&tree)).0 == tree, "{section}");
        }
    };
    for text in texts {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (number, at) in places.iter().enumerate() {
            survives(&text[..*at]);
            survives(&text[*at..]);
            for gap in [1, 2, 5] {
                let after = places.get(number + gap).copied().unwrap_or(text.len());
                survives(&format!("{}{}", &text[..*at], &text[after..]));
            }
        }
    }
    let deep = format!("ltl: {}p{}", "G (".repeat(100_000), ")".repeat(100_000));
    assert_eq!(models[0].question("p", &deep).unwrap_err()[0].code, Code::TooDeep);
}

fn corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    if !path.exists() {
        eprintln!("skipped: no corpus at {}", path.display());
        return None;
    }
    Some(path)
}

fn published_tasks_are_read() {
    let Some(manifest) = corpus("manifest.csv") else { return };
    let mut seen = 0;
    for line in fs::read_to_string(&manifest).unwrap().lines().skip(1) {
        let row = fields::fields(line);
        let [id, formalism, model, text, kind, ..] = &row[..] else { panic!("{line}") };
        if formalism != "xsts" || kind != "ltl" {
            continue;
        }
        seen += 1;
        let source = fs::read_to_string(manifest.with_file_name(model)).unwrap();
        let mut model = xsts::load(&source).unwrap();
        for text in [text.clone(), format!("ltl: {text}")] {
            let question = ask(&mut model, &text);
            assert!(matches!(question.property.claim, Claim::Every(_)), "{id}");
        }
    }
    assert!(seen >= 19, "only {seen} tasks found");
}

fn all_formulas_of_the_contest_are_read() {
    let Some(folder) = corpus("mcc") else { return };
    let mut seen = [0, 0];
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(source) = fs::read_to_string(folder.join("model.pnml")) else { continue };
        let mut model = pnml::load(&source).unwrap();
        for file in ["LTLCardinality.xml", "LTLFireability.xml", "UpperBounds.xml"] {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            for asked in model.question_file(&text).unwrap().unwrap() {
                let question = asked.unwrap_or_else(|misread| panic!("{}: {misread:#?}", folder.display()));
                match question.values.len() {
                    // Some formulas are invariants, `A G` of a condition.
                    0 => assert!(!matches!(question.property.claim, Claim::Possibly(_)), "{}", question.name),
                    _ => assert!(matches!(question.property.claim, Claim::Possibly(_)), "{}", question.name),
                }
                seen[question.values.len()] += 1;
            }
        }
    }
    assert_eq!(seen, [1152, 576]);
}

sampling::with_corpus!(published_tasks_are_read, all_formulas_of_the_contest_are_read);
