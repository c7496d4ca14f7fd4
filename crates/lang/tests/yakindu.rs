//! Yakindu statecharts: what is read and what is refused, and all of the shared corpus.

extern crate thetis_lang as lang;

#[path = "../testing/folder.rs"]
mod folder;

use std::path::{Path, PathBuf};

use lang::code::Code;
use lang::{NoFiles, Reading, gamma, yakindu};

/// A document with a region of these vertices.
fn document(specification: &str, vertices: &str) -> String {
    format!(
        "<xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:sgraph=\"http://www.yakindu.org/sct/sgraph/2.0.0\"><sgraph:Statechart specification=\"{specification}\" \
         name=\"C\"><regions name=\"r\"><vertices xsi:type=\"sgraph:Entry\" xmi:id=\"e\"><outgoingTransitions \
         target=\"a\"/></vertices>{vertices}</regions></sgraph:Statechart></xmi:XMI>"
    )
}

fn state(id: &str, specification: &str, inner: &str) -> String {
    format!(
        "<vertices xsi:type=\"sgraph:State\" xmi:id=\"{id}\" name=\"{id}\" specification=\"{specification}\">{inner}</vertices>"
    )
}

fn arrow(specification: &str, target: &str) -> String {
    format!("<outgoingTransitions specification=\"{specification}\" target=\"{target}\"/>")
}

fn converted(text: &str) -> Result<String, Vec<Code>> {
    let to_gamma = yakindu::FRONT_END.conversion("gcd").unwrap();
    (to_gamma.convert)(text, &mut NoFiles, &Reading::default())
        .map_err(|said| said.iter().map(|diagnostic| diagnostic.code).collect())
}

/// What a transition from `a` to itself becomes.
fn transition(definitions: &str, specification: &str) -> String {
    let text = document(definitions, &state("a", "", &arrow(specification, "a")));
    let package = converted(&text).unwrap_or_else(|codes| panic!("{specification}: {codes:?}"));
    let (_, said) = gamma::parse(&package);
    assert!(said.is_empty(), "{package}");
    let start = package.find("transition from a to a").expect("a transition");
    package[start..].split_whitespace().skip(5).take_while(|word| *word != "}").collect::<Vec<_>>().join(" ")
}

#[test]
fn reactions_become_transitions() {
    let definitions = "interface Io: in event e : integer in event f out event g : integer var n : integer = 3 \
                       interface: var b : boolean internal: event l var n : integer";
    let check = |specification: &str, expected: &str| {
        assert_eq!(transition(definitions, specification), expected, "{specification}");
    };
    check("Io.e", "when Io.e");
    check("Io.e, Io.f [b]", "when Io.e || Io.f [b]");
    check("[b] / b = !b", "when cycle [b] / b := not b;");
    check("Io.e [valueof(Io.e) == 2 &amp;&amp; n &lt;= 3]", "when Io.e [Io.e::eValue = 2 and n_2 <= 3]");
    check("l / Io.n += 2; n++", "when cycle [l] / n := n + 2; n_2 := n_2 + 1;");
    check("always / raise Io.g : Io.n * 2; raise l", "when cycle / raise Io.g(n * 2); l := true;");
    check("after 500 ms", "when timeout aTimeout0");
    check("after 2000us / ", "when timeout aTimeout0");
    check("Io.e / n = n / 2", "when Io.e / n_2 := n_2 >= 0 ? n_2 div 2 : -(-n_2 div 2);");
    check("Io.f [active(r.a)]", "when Io.f [in-state(r.a)]");
    check("Io.f [b ? n &gt; 1 : Io.e]", "when Io.f [b ? n_2 > 1 : Io.e::]");
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let check = |definitions: &str, reaction: &str, transition: &str, expected: Code| {
        let text = document(definitions, &state("a", reaction, &arrow(transition, "a")));
        assert_eq!(converted(&text), Err(vec![expected]), "{definitions} {reaction} {transition}");
    };
    check("interface X: operation f() : boolean", "", "[X.f()]", Code::UnsupportedExternalFunction);
    check("interface X: operation f()", "entry / X.f()", "[true]", Code::UnsupportedExternalFunction);
    check("@SuperSteps(yes) interface: in event e", "", "e", Code::UnsupportedPart);
    check("@EventDriven interface: in event e internal: event l", "", "e", Code::UnsupportedPart);
    check("@ChildFirstExecution interface: in event e", "e / ", "e", Code::UnsupportedPart);
    check("interface: var n : integer", "", "[(n &amp; 1) == 1]", Code::UnsupportedOperator);
    check("interface: var n : complex", "", "[true]", Code::UnsupportedType);
    check("interface: in event e", "", "ee", Code::UnknownName);
    check("interface: in event e", "", "e [", Code::Syntax);
    check("interface: in event e", "", "e #&gt; x", Code::UnsupportedPart);
    check("interface: in event e", "", "after 1us", Code::UnsupportedPart);
    let exit = document("interface: in event e", "<vertices xsi:type=\"sgraph:Exit\" xmi:id=\"a\"/>");
    assert!(converted(&exit).unwrap_err().contains(&Code::UnsupportedPart));
    assert_eq!(converted("<a/>"), Err(vec![Code::WrongDocument]));
    assert_eq!(converted("<a"), Err(vec![Code::NotXml]));
}

/// Whatever is in a text, nothing panics, and depth is limited.
#[test]
fn deep_and_broken_texts_are_survived() {
    let deep = format!("[{}true{}]", "(".repeat(100_000), ")".repeat(100_000));
    let text = document("interface: in event e", &state("a", "", &arrow(&deep, "a")));
    assert_eq!(converted(&text), Err(vec![Code::TooDeep]));
    let not = format!("[{}true]", "!".repeat(100_000));
    let text = document("interface: in event e", &state("a", "", &arrow(&not, "a")));
    assert_eq!(converted(&text), Err(vec![Code::TooDeep]));
    let whole = document(
        "interface X: in event e var n : integer",
        &state("a", "entry / X.n = 1", &arrow("X.e", "a")),
    );
    for (at, _) in whole.char_indices() {
        let _ = converted(&whole[..at]);
        let mut without = whole.clone();
        without.remove(at);
        let _ = converted(&without);
    }
    let nested = (0..2_000).fold(state("a", "", ""), |inner, n| {
        state(&format!("s{n}"), "", &format!("<regions name=\"r{n}\">{inner}</regions>"))
    });
    assert!(converted(&document("", &nested)).unwrap_err().contains(&Code::TooDeep));
}

#[test]
fn every_statechart_of_the_corpus_is_read() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gamma");
    let Ok(corpus) = corpus.canonicalize() else {
        eprintln!("skipped: {} is absent", corpus.display());
        return;
    };
    let files: Vec<PathBuf> = folder::files_below(&corpus, "sct");
    assert!(files.len() >= 19, "{}", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let package = converted(&text).unwrap_or_else(|codes| panic!("{}: {codes:?}", path.display()));
        // What is written means what was built.
        let (_, said) = gamma::parse(&package);
        assert!(said.is_empty(), "{}: {said:?}", path.display());
        if package.contains("statechart ") {
            yakindu::load(&text, &mut folder::Folder::of(&path, &corpus), &Reading::default())
                .unwrap_or_else(|said| panic!("{}: {said:?}", path.display()));
        }
    }
}
