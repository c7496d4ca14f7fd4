//! UPPAAL's own files: traces as its verifier writes them, and models as XML documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lang::xta::{Format, load, to_document};
use thetis::engine::Stop;
use thetis::ir::System;
use thetis::simulate::Simulator;
use thetis::trace::uppaal::{UppaalError, parse, render};
use thetis::trace::{Ends, StateRecord, Trace, TypeRecord};
use thetis::{Check, Model, Outcome, Scope, lang};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models of our own cases, by name and text.
fn cases() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("cases/xta")).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(paths.len() >= 90, "cases are missing");
    let read = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).unwrap());
    paths.iter().map(read).collect()
}

/// What the comments of a case say under a key.
fn said(text: &str, key: &str) -> Vec<String> {
    let comment = |line: &str| {
        let line = line.trim();
        let inside = line.strip_prefix("<!--").and_then(|line| line.strip_suffix("-->"));
        let words = inside.or_else(|| line.strip_prefix("//"))?.trim();
        Some(words.strip_prefix(key)?.strip_prefix(": ")?.to_owned())
    };
    text.lines().filter_map(comment).collect()
}

/// The queries in the comments of a case.
fn queries(text: &str) -> Vec<String> {
    said(text, "query")
}

/// A run of a model that reaches something.
fn run(model: &mut Model, query: &str) -> Trace {
    let question = model.ask(query).unwrap();
    model.check(&question, &Check::default()).unwrap().trace.expect("a run")
}

/// Where processes are, the values of what is shown and no clock, and the edges that lead there.
type Discrete = Vec<(Vec<String>, Vec<Option<String>>, Vec<(String, u32)>)>;

/// The discrete part of a trace without the step that goes wrong.
fn discrete(trace: &Trace) -> Discrete {
    let variables = &trace.signature.variables;
    let is_data = |at: &usize| variables[*at].shown && variables[*at].ty != TypeRecord::Clock;
    let data: Vec<usize> = (0..variables.len()).filter(is_data).collect();
    let shown = |state: &StateRecord| {
        let value = |at: &usize| state.values[*at].as_ref().map(ToString::to_string);
        (state.locations.clone(), data.iter().map(value).collect::<Vec<_>>())
    };
    let whole = trace.steps.len() - usize::from(matches!(trace.ends, Ends::Fault(_)));
    let steps = std::iter::once(vec![]).chain(
        trace
            .steps
            .iter()
            .map(|step| step.edges.iter().map(|edge| (edge.process.clone(), edge.edge)).collect::<Vec<_>>()),
    );
    let states = trace.states().map(shown).zip(steps);
    states.take(whole + 1).map(|((locations, values), edges)| (locations, values, edges)).collect()
}

/// Every run of the cases is written, read and replayed: it has the same states and edges. Where zones do not know a
/// clock of a case, as its comments say, that is why it is not written.
#[test]
fn runs_survive_as_traces_of_uppaal() {
    let (mut runs, mut refused) = (0, 0);
    for (name, text) in cases() {
        let mut model = Model::from_text(&name, &text).unwrap();
        let refusals = [said(&text, "zones"), said(&text, "traces")].concat();
        let uneven = refusals.contains(&"unsupported.uneven-clock".to_owned());
        for query in queries(&text) {
            let Ok(question) = model.ask(&query) else { continue };
            let Some(trace) = model.check(&question, &Check::default()).unwrap().trace else { continue };
            if uneven {
                let why = render(&model, &trace, &Stop::new()).unwrap_err();
                assert!(
                    matches!(&why, UppaalError::NoZones(reason) if reason.code() == "unsupported.uneven-clock"),
                    "{name}: {query}: {why}"
                );
                assert!(
                    why.to_string().contains("the clock `") && why.to_string().contains("`.json`"),
                    "{why}"
                );
                refused += 1;
                continue;
            }
            if trace.cycle.is_some() {
                // UPPAAL's traces end.
                let written = render(&model, &trace, &Stop::new());
                assert!(matches!(written, Err(UppaalError::Endless)), "{name}: {query}");
                continue;
            }
            let written =
                render(&model, &trace, &Stop::new()).unwrap_or_else(|why| panic!("{name}: {query}: {why}"));
            let read =
                parse(&model, &written, &Stop::new()).unwrap_or_else(|why| panic!("{name}: {query}: {why}"));
            assert_eq!(discrete(&read), discrete(&trace), "{name}: {query}");
            let stop = Arc::new(Stop::new());
            let mut simulator = Simulator::new(&model, None, Scope::default(), stop).unwrap();
            assert_eq!(simulator.follow(&read, |_| {}), Ok(true), "{name}: {query}");
            assert_eq!(render(&model, &read, &Stop::new()).unwrap(), written, "{name}: {query}");
            runs += 1;
        }
    }
    assert!(runs >= 100 && refused >= 5, "only {runs} runs, and {refused} refused");
}

const TIMED: &str = "clock x, y; int[0,9] n; bool b[2];
    process P(const int k) {
        state A { x <= 3 }, B { y <= 5 }, C;
        init A;
        trans A -> B { guard x >= 2; assign y = 0, n = k, b[1] = true; }, B -> C { guard y > 1 && x < 6; };
    }
    Q = P(7);
    system Q;";

/// In A, x = y <= 3. Then 2 <= x <= 3 when y is set to 0, so 2 <= x - y <= 3 for good, and in B y <= 5. To C lead
/// y > 1 and x < 6, so x > 3; afterwards time passes without end.
#[test]
fn zones_are_those_of_all_runs_along_the_edges() {
    let mut model = Model::from_text("m.xta", TIMED).unwrap();
    let trace = run(&mut model, "E<> Q.C");
    let text = render(&model, &trace, &Stop::new()).unwrap();
    let bound = |zone: usize, left: &str, right: &str| {
        let list = text.split(&format!("<dbm_instance id=\"DBM{zone}\">")).nth(1).unwrap();
        let found = list.split(&format!("clock1=\"{left}\" clock2=\"{right}\" ")).nth(1).unwrap();
        found.split("/>").next().unwrap().replace("&lt;", "<")
    };
    let (zero, x, y) = ("sys.t(0)", "sys.x", "sys.y");
    let known = [
        (1, [(x, zero, "3", "<="), (zero, x, "0", "<="), (x, y, "0", "<="), (y, x, "0", "<=")]),
        (2, [(x, zero, "8", "<="), (zero, x, "-2", "<="), (x, y, "3", "<="), (y, x, "-2", "<=")]),
        (3, [(x, zero, "inf", "<"), (zero, x, "-3", "<"), (zero, y, "-1", "<"), (y, x, "-2", "<=")]),
    ];
    for (zone, bounds) in known {
        for (left, right, constant, comp) in bounds {
            let expected = format!("bound=\"{constant}\" comp=\"{comp}\"");
            assert_eq!(bound(zone, left, right), expected, "{left} - {right} in state {zone}");
        }
    }
    for part in [
        "<variable_state variable=\"sys.n\" value=\"7\"/>",
        "<variable_state variable=\"sys.b[0]\" value=\"0\"/>\n<variable_state variable=\"sys.b[1]\" value=\"1\"/>",
        "<location id=\"Q.A\" name=\"A\">x &lt;= 3</location>",
        "<edge id=\"Q.Edge1\" from=\"Q.A\" to=\"Q.B\"><guard>x &gt;= 2</guard><sync>tau</sync>\
         <update>y = 0, n = k, b[1] = true</update></edge>",
        "<transition from=\"State2\" to=\"State3\" edges=\"Q.Edge2 \"/>",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

/// As UPPAAL writes it: on one line, in another order, labels in its own spelling, ids in lists with a blank behind
/// them, and a parameter among the variables.
#[test]
fn a_trace_in_another_spelling_is_read() {
    let model = Model::from_text("m.xta", TIMED).unwrap();
    let text = "<?xml version=\"1.0\"?><trace initial_node=\"State1\" trace_options=\"symbolic\"><system><process \
        id=\"Q\" name=\"Q\"><variable name=\"k\" id=\"Q.k\"/><location id=\"Q.A\" name=\"A\"><![CDATA[1 && x <= 3]]>\
        </location><edge id=\"Q.Edge1\" from=\"Q.A\" to=\"Q.B\"><guard>x &gt;= 2</guard><sync>tau</sync>\
        <update>y := 0</update></edge></process></system><location_vector id=\"LocVec2\" locations=\"Q.B \"/>\
        <location_vector id=\"LocVec1\" locations=\"Q.A \"/><variable_vector id=\"varvec.2\"><variable_state \
        variable=\"sys.n\" value=\"7\"/><variable_state variable=\"Q.k\" value=\"7\"/></variable_vector>\
        <variable_vector id=\"varvec.1\"/><node id=\"State2\" location_vector=\"LocVec2\" dbm_instance=\"DBM2 \" \
        variable_vector=\"varvec.2\"/><node id=\"State1\" location_vector=\"LocVec1\" dbm_instance=\"DBM1 \" \
        variable_vector=\"varvec.1\"/><transition from=\"State1\" to=\"State2\" edges=\"Q.Edge1 \"/></trace>";
    let trace = parse(&model, text, &Stop::new()).unwrap();
    // The earliest time at which `x >= 2` holds.
    assert_eq!((trace.steps.len(), trace.initial.delay().as_deref()), (1, Some("2")));
    let wrong = parse(&model, &text.replace("value=\"7\"", "value=\"6\""), &Stop::new()).unwrap_err();
    assert_eq!(wrong.to_string(), "step 1: `Q: A -> B [x >= 2]` is not possible there");
}

/// Of two edges with the same ends, both of which lead to the state that follows, the one with the labels is taken.
#[test]
fn edges_with_the_same_ends_are_told_apart_by_their_labels() {
    let text = "clock x; process P() { state A, B; init A;
        trans A -> B { guard x >= 0; }, A -> B { guard x >= 4; }; } system P;";
    let model = Model::from_text("m.xta", text).unwrap();
    let document = |guard: &str| {
        format!(
            "<trace initial_node=\"a\"><system><process id=\"P\" name=\"P\"><edge id=\"e\" from=\"P.A\" to=\"P.B\">\
             <guard>{guard}</guard><sync>tau</sync><update>1</update></edge></process></system>\
             <location_vector id=\"v\" locations=\"P.A\"/><location_vector id=\"w\" locations=\"P.B\"/>\
             <variable_vector id=\"n\"/><node id=\"a\" location_vector=\"v\" variable_vector=\"n\"/>\
             <node id=\"b\" location_vector=\"w\" variable_vector=\"n\"/>\
             <transition from=\"a\" to=\"b\" edges=\"e\"/></trace>"
        )
    };
    for (guard, edge) in [("x &gt;= 0", 0), ("x &gt;= 4", 1), ("something", 0)] {
        let trace = parse(&model, &document(guard), &Stop::new()).unwrap();
        assert_eq!(trace.steps[0].edges[0].edge, edge, "{guard}");
    }
}

/// Every line is left out, every line is the last one, and every attribute and text says something else: that is a run
/// all the same, or it is refused.
#[test]
fn what_is_wrong_with_a_trace_is_said() {
    let mut model = Model::from_text("m.xta", TIMED).unwrap();
    let trace = run(&mut model, "E<> Q.C");
    let text = render(&model, &trace, &Stop::new()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut tried = vec![];
    for at in 0..lines.len() {
        tried.push([&lines[..at], &lines[at + 1..]].concat().join("\n"));
        tried.push(lines[..at].join("\n"));
    }
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    for pair in quotes.chunks_exact(2) {
        for other in ["", "x", "State1", "Q.C ", "-1", "99999999999999999999"] {
            tried.push(format!("{}{other}{}", &text[..=pair[0]], &text[pair[1]..]));
        }
    }
    tried.extend(["".to_owned(), "<nta/>".to_owned(), "<trace/>".to_owned(), "{}".to_owned()]);
    let refused = tried.iter().filter(|text| parse(&model, text, &Stop::new()).is_err()).count();
    assert!(refused > tried.len() / 8, "{refused} of {}", tried.len());
    let why = |text: &str| parse(&model, text, &Stop::new()).unwrap_err().to_string();
    assert!(why("<nta/>").contains("a `trace` is expected, not a `nta`"));
    assert!(
        why(&text.replace("LocVec2\" dbm", "LocVec9\" dbm")).contains("`location_vector` called `LocVec9`")
    );
    assert!(
        why(&text.replace("to=\"State2\"", "to=\"State3\"")).contains("transition 2 does not start where")
    );
}

#[test]
fn only_runs_of_uppaal_models_have_this_form() {
    let text = "var n : integer = 0 trans { n := n + 1; } prop { n < 2 }";
    let mut model = Model::from_text("m.xsts", text).unwrap();
    let trace = run(&mut model, "n < 2");
    let why = render(&model, &trace, &Stop::new()).unwrap_err();
    assert!(matches!(why, UppaalError::Language(language) if language.name == "xsts"));
    assert!(why.to_string().contains("XSTS") && why.to_string().contains("json, dot, itf"), "{why}");
}

fn verdict(model: &mut Model, query: &str) -> Option<String> {
    let question = model.ask(query).ok()?;
    let answered = model.check(&question, &Check::default()).unwrap();
    Some(match answered.outcome {
        Outcome::Unknown(_) => "unknown".to_owned(),
        outcome => format!("{outcome:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
    })
}

/// Every model of the cases as a document means the same: it becomes the same system, and has the same answers.
#[test]
fn models_mean_the_same_as_documents() {
    for (name, text) in cases() {
        let document = to_document(&text).unwrap();
        let mut first = Model::from_text(&name, &text).unwrap();
        let mut second = Model::from_text("m.xml", &document).unwrap();
        assert_eq!(second.system().to_string(), first.system().to_string(), "{name}");
        assert_eq!(to_document(&document).unwrap(), document, "{name}: what has positions keeps them");
        assert!(overlapping(&document).is_empty(), "{name}: {:?}\n{document}", overlapping(&document));
        for query in queries(&text) {
            assert_eq!(verdict(&mut second, &query), verdict(&mut first, &query), "{name}: {query}");
        }
    }
}

/// The positions at which a template has two locations.
fn overlapping(document: &str) -> Vec<String> {
    let mut twice = vec![];
    for template in document.split("<template>").skip(1) {
        let tags = template.split("<location ").skip(1).filter_map(|rest| rest.split('>').next());
        let places: Vec<&str> = tags.filter_map(|tag| tag.split_once("x=").map(|(_, place)| place)).collect();
        let again = |(at, place): &(usize, &&str)| places[..*at].contains(*place);
        twice.extend(places.iter().enumerate().filter(again).map(|(_, place)| (*place).to_owned()));
    }
    twice
}

#[test]
fn a_document_keeps_what_the_user_wrote() {
    let text = "// A counter.\nconst int N = 3; /* so far */ int n;
        // It counts.\nprocess P(int &v, const int k[2]) { int m; // its own\n
          state A { m < 3 ; 2 }, U; branchpoint D; urgent U; init A;
          trans A -> A { guard v < N, m >= 0; assign v = v + k[0], m++; }, A -> D { probability 3; }, D -> U { }; };
        // Two of them.\nconst int K[2] = { 1, 2 }; Q = P(n, K); system Q; // The end.\nquery { A[] n < 4; }";
    let document = to_document(text).unwrap();
    for part in [
        "<declaration>// A counter.\nconst int N = 3; /* so far */ int n;",
        "const int K[2] = { 1, 2 };</declaration>",
        "<parameter>int &amp;v, const int k[2]</parameter>",
        "<declaration>// It counts.\nint m; // its own</declaration>",
        "kind=\"invariant\" x=\"12\" y=\"14\">m &lt; 3</label>",
        "kind=\"exponentialrate\" x=\"12\" y=\"31\">2</label>",
        ">(v &lt; N) &amp;&amp; (m &gt;= 0)</label>",
        ">v = v + k[0], m++</label>",
        ">3</label>",
        "<urgent/>",
        "<system>Q = P(n, K); system Q;",
        "<formula>A[] n &lt; 4</formula>",
    ] {
        assert!(document.contains(part), "{part} is missing in\n{document}");
    }
    assert!(to_document("process P() { state A; init A; } system R;").is_err());
    // Positions that are there stay, and only what has none gets one.
    let given = "<nta><template><name>P</name><location id=\"a\" x=\"5\" y=\"-3\"/><location id=\"b\"/>\
                 <init ref=\"a\"/><transition><source ref=\"a\"/><target ref=\"b\"/></transition></template>\
                 <system>system P;</system></nta>";
    let laid = to_document(given).unwrap();
    assert_eq!(laid, given.replace("<location id=\"b\"/>", "<location id=\"b\" x=\"0\" y=\"136\"/>"));
}

/// What a system consists of, without terms.
fn shape(system: &System) -> Vec<String> {
    let process = |process: &thetis::ir::Process| {
        let locations: Vec<_> = process.locations.iter().map(|at| (&at.name, at.kind)).collect();
        let edges: Vec<_> =
            process.edges.iter().map(|edge| (edge.source, edge.target, &edge.label)).collect();
        format!("{} {:?} {locations:?} {edges:?}", process.name, process.initial)
    };
    system.vars.iter().map(|var| var.name.clone()).chain(system.processes.iter().map(process)).collect()
}

/// A document without positions.
fn bare(document: &str) -> String {
    let mut text = document.to_owned();
    for attribute in [" x=\"", " y=\""] {
        let mut parts = text.split(attribute);
        let first = parts.next().unwrap_or_default().to_owned();
        text = parts.fold(first, |text, part| text + part.split_once('"').map_or(part, |(_, rest)| rest));
    }
    text
}

/// Published documents stay as they are if they have positions, and without these they get others and mean the same.
#[test]
fn published_documents_mean_the_same() {
    let folder = root().join("../shared/corpus/wild");
    if !folder.is_dir() {
        return eprintln!("skipped: no corpus beside the workspace");
    }
    let (mut open, mut tried, mut same) = (vec![folder], 0, 0);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let is_model = path.extension().is_some_and(|end| end == "xml" || end == "xta" || end == "ta");
            // Larger ones take as long as all others.
            let Some(text) = fs::read_to_string(&path).ok().filter(|text| is_model && text.len() < 20_000)
            else {
                continue;
            };
            let Ok(document) = to_document(&text) else { continue };
            let given = document == text;
            let laid = if given { to_document(&bare(&text)).unwrap() } else { document };
            let read = |text: &str| load(text, Format::of(text)).map(|model| shape(&model.system));
            assert_eq!(read(&laid).unwrap(), read(&text).unwrap(), "{}", path.display());
            (tried, same) = (tried + 1, same + usize::from(given));
        }
    }
    assert!(tried >= 100 && same >= tried / 2, "{tried} models, {same} of them documents with positions");
}

/// Large cases are for the default alone: not every engine has to be quick about them.
#[test]
fn large_cases_are_as_their_headers_say() {
    let entries = fs::read_dir(root().join("cases/xta/large")).expect("the cases");
    let mut count = 0;
    for path in entries.map(|entry| entry.expect("a case").path()) {
        let text = fs::read_to_string(&path).expect("a text");
        let mut model = Model::load(&path).expect("a model");
        for (query, expected) in said(&text, "query").into_iter().zip(said(&text, "expect")) {
            let question = model.ask(&query).expect("a query");
            let answered = model.check(&question, &Check::default()).expect("it can be asked");
            let found = match answered.outcome {
                Outcome::Holds => "holds",
                Outcome::Violated => "violated",
                _ => "open",
            };
            assert_eq!(found, expected, "{} in {}", query, path.display());
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} queries");
}
