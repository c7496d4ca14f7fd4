use super::*;

/// Propositions of a small language: comparisons of sums of the variables `x`, `y`, `F` and `c`, `P.loc`, and `a && b`
/// with its own connectives; the texts are kept as they are written.
#[derive(Default)]
struct Model(Vec<String>);

impl Atoms for Model {
    type Error = &'static str;

    fn is_name(&self, word: &str) -> bool {
        ["x", "y", "z", "p", "F", "U", "P", "c", "Color", "next"].contains(&word)
    }

    fn atom(&mut self, text: &str, at: Range<usize>) -> Result<u32, &'static str> {
        let text = &text[at];
        if text.contains("/\\") || text.contains("∧") {
            return Err("a connective of another language");
        }
        if text.contains("nothing") {
            return Err("not declared");
        }
        let known = self.0.iter().position(|other| other == text);
        self.0.extend(known.is_none().then(|| text.to_owned()));
        Ok(known.unwrap_or(self.0.len() - 1) as u32)
    }
}

fn in_model(text: &str) -> Result<String, Error<&'static str>> {
    let mut model = Model::default();
    let formula = parse(text, &mut model)?.formula;
    Ok(formula.display(|atom| format!("‹{}›", model.0[atom as usize])).to_string())
}

fn plain(text: &str) -> String {
    let mut names = Names::default();
    let parsed = parse(text, &mut names).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    parsed.formula.display(|atom| names.name(atom).to_owned()).to_string()
}

#[test]
fn all_spellings_are_the_same() {
    for (text, expected) in [
        ("[] <> p", "G F p"),
        ("always eventually p", "G F p"),
        ("□◇p", "G F p"),
        ("GFp", "G F p"),
        ("GF p", "G F p"),
        ("globally finally next p", "G F X p"),
        ("a until b", "a U b"),
        ("a V b", "a R b"),
        ("a unless b", "a W b"),
        ("a M b", "a M b"),
        ("~a /\\ not b && ¬c", "!a & !b & !c"),
        ("a \\/ b || c or d ∨ e", "a | b | c | d | e"),
        ("a => b imply c -> d", "a -> b -> c -> d"),
        ("a <=> b", "a <-> b"),
        ("a iff b", "a <-> b"),
        ("p --> q", "G (p -> F q)"),
        ("p ~> q", "G (p -> F q)"),
        ("true U \"a > b\"", "true U a > b"),
    ] {
        assert_eq!(plain(text), expected, "{text}");
    }
}

/// Loosest first: `-->`, `<->`, `->`, `|`, `&`, `U`, prefix.
#[test]
fn precedence_is_as_documented() {
    for (text, grouped) in [
        ("a <-> b -> c | d & e U !f", "a <-> (b -> (c | (d & (e U (!f)))))"),
        ("G a U b", "(G a) U b"),
        ("a U b U c", "a U (b U c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a & b | c & d", "(a & b) | (c & d)"),
        ("a -> b --> c", "(a -> b) --> c"),
        ("! X G a & b", "(!(X (G a))) & b"),
    ] {
        assert_eq!(plain(text), plain(grouped), "{text}");
    }
}

/// What has no temporal operator goes to the model as it is written, with its brackets and connectives.
#[test]
fn maximal_parts_without_time_are_propositions() {
    for (text, expected) in [
        ("G((x > 0 and F y = 2) -> X (z))", "G (‹x > 0› & F ‹y = 2› -> X ‹(z)›)"),
        ("G (x + 1 > 3 && !(y < 2))", "G ‹(x + 1 > 3 && !(y < 2))›"),
        ("F P.loc & Color.red == c", "F ‹P.loc› & ‹Color.red == c›"),
        ("(x > 0) U (y)", "‹(x > 0)› U ‹(y)›"),
        ("G (x) > 3", "G ‹(x) > 3›"),
        ("F a[x + 1] == 2", "F ‹a[x + 1] == 2›"),
        ("G forall (i : int[0,3]) a[i] && p", "G ‹forall (i : int[0,3]) a[i]› & ‹p›"),
        ("G (forall (i : int[0,3]) a[i] && p)", "G ‹(forall (i : int[0,3]) a[i] && p)›"),
        ("X max(x, y) >= 2 or G p", "X ‹max(x, y) >= 2› | G ‹p›"),
        ("F -x > 2", "‹F -x > 2›"),
        ("G -x > 2", "G ‹-x > 2›"),
        ("G true & F false", "G true & F false"),
        // Connectives that the model does not know are the parser's.
        ("G (x = 1 /\\ y = 2)", "G (‹x = 1› & ‹y = 2›)"),
    ] {
        assert_eq!(in_model(text).as_deref(), Ok(expected), "{text}");
    }
}

/// Letters are operators only where one can stand.
#[test]
fn operator_letters_can_be_names() {
    for (text, expected) in [
        ("F F", "F ‹F›"),
        ("F & G F", "‹F› & G ‹F›"),
        ("F = 1 U U", "‹F = 1› U ‹U›"),
        ("F U U", "‹F› U ‹U›"),
        ("G (F)", "G ‹(F)›"),
        ("F.x U y", "‹F.x› U ‹y›"),
        ("F[0] > 1", "‹F[0] > 1›"),
        ("next = 1 & X p", "‹next = 1› & X ‹p›"),
        ("next p", "X ‹p›"),
        ("GFx", "G F ‹x›"),
    ] {
        assert_eq!(in_model(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn errors_tell_where_they_are() {
    let check = |text: &str, place: &str, problem: Problem| {
        let start = text.find(place).unwrap_or(text.len());
        let at = if place.is_empty() { text.len()..text.len() } else { start..start + place.len() };
        assert_eq!(in_model(text), Err(Error::Syntax(at, problem)), "{text}");
    };
    check("", "", Problem::ExpectedOperand);
    check("x U", "", Problem::ExpectedOperand);
    check("x > 1 & | y", "|", Problem::ExpectedOperand);
    check("G (x > 1", "(", Problem::NotClosed);
    check("G (x > 1]", "(", Problem::NotClosed);
    check("x) & G p", ")", Problem::Unexpected);
    check("(G p) > 5", "(G p)", Problem::TemporalInside);
    check("5 > (x U y)", "(x U y)", Problem::TemporalInside);
    check("a[F p] = 1", "[F p]", Problem::TemporalInside);
    check("[F p]", "[F p]", Problem::TemporalInside);
    check("response(x)", "response", Problem::Arguments { expected: 2 });
    check("absence(x) between y", "", Problem::Between);
    assert_eq!(in_model("F (x = nothing) & G p"), Err(Error::Atom(2..15, "not declared")));
    assert_eq!(in_model("x = 1 ∧ nothing"), Err(Error::Atom(10..17, "not declared")));
}

#[test]
fn what_readers_group_differently_is_warned_about() {
    let warnings = |text: &str| {
        let warnings = parse(text, &mut Names::default()).expect("a formula").warnings;
        warnings.into_iter().map(|warning| (warning.at.start, warning.kind)).collect::<Vec<_>>()
    };
    assert_eq!(warnings("a U b U c"), [(2, WarningKind::Chain)]);
    assert_eq!(warnings("a U b R c W d"), [(6, WarningKind::Chain), (2, WarningKind::Chain)]);
    assert_eq!(warnings("a U (b) U (c)"), [(2, WarningKind::Chain)]);
    assert_eq!(warnings("!a U b"), [(3, WarningKind::Negation)]);
    for clear in ["a U (b U c)", "(a U b) U c", "(!a) U b", "a U !b", "G a & b U c"] {
        assert_eq!(warnings(clear), [], "{clear}");
    }
}

/// Deep nesting is refused rather than a reason to overflow the stack, and long rows are no nesting.
#[test]
fn nesting_is_bounded() {
    for text in ["!".repeat(100_000) + "a", "(".repeat(100_000) + "a", "a U ".repeat(100_000) + "a"] {
        let result = parse(&text, &mut Names::default());
        assert!(matches!(result, Err(Error::Syntax(_, Problem::TooDeep))));
    }
    let row = vec!["a"; 2_000].join(" & ");
    assert_eq!(plain(&row), row);
}

/// What is displayed reads back as the same formula.
#[test]
fn displayed_formulas_read_back() {
    for text in [
        "a & (b & c)",
        "(a -> b) -> c",
        "(a U b) W (c R !d)",
        "X !(a | G b) <-> (F c M d)",
        "(a <-> b) <-> c",
        "a <-> (b <-> c)",
        "!(a & X b)",
    ] {
        let mut names = Names::default();
        let formula = parse(text, &mut names).expect("a formula").formula;
        let shown = formula.display(|atom| names.name(atom)).to_string();
        assert_eq!(parse(&shown, &mut names).expect("a formula").formula, formula, "{text}: {shown}");
    }
}

proptest::proptest! {
    #![proptest_config(sampling::runs(3_000, 8))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "([GFXUWRM!&|()\\[\\]{},<>=~ ap.0-]|-->|<->|after|between|until|response\\(|é){0,24}") {
        let _ = parse(&text, &mut Names::default());
        let _ = in_model(&text);
    }
}
