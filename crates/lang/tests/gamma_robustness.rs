//! Texts that nobody means: cut off, nested without end, or very large. Nothing panics, overflows the stack or hangs.

extern crate thetis_lang as lang;

use std::fmt::Write;
use std::path::Path;

use lang::code::Code;
use lang::gamma::{self, execution_trace, property, task};
use lang::{Files, ImportError, NoFiles};

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/gamma").join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_text_may_end_anywhere() {
    for name in ["every_construct.gcd", "keywords_as_names.gcd"] {
        let text = case(name);
        for (end, _) in text.char_indices() {
            let _ = gamma::load_project(&text[..end], &mut NoFiles);
        }
    }
    let trace = "import \"a\" @AllowedWaiting 0 .. 1 trace t of C(1) step { act { reset raise p.e(1) elapse 5 schedule \
                 component schedule a -> b } assert { state a.r.S; variable a.x = 1; not raise p.e(1); } } cycle { step { \
                 assert { states { a.S, b.T } } } }";
    let formulas = "import \"a\" component C @(\"x\") A G ([ { state a -> b.r.S } ] -> F [ { variable a.x = T::L } ]) E F \
                    ! ([ { event a.p.e and parameter a.p.e::q > 1 } ] U [ { true } ] && X [ { false } ])";
    let tasks = "import \"a\" import external \"b\" include \"c\" analysis { component : C(1) language : XSTS-UPPAAL, Theta \
                 file : \"a\" constraint : { top : { minimum-orchestrating-period : 1 ms } } transition-coverage { include \
                 : [ a -> b ] } state-coverage optimize : true } verification { property-file : \"a\" } code { a { b } }";
    for (end, _) in trace.char_indices() {
        drop(execution_trace::parse(&trace[..end]));
    }
    for (end, _) in formulas.char_indices() {
        drop(property::parse(&formulas[..end]));
        drop(property::parse_formula(&formulas[..end]));
    }
    for (end, _) in tasks.char_indices() {
        drop(task::parse(&tasks[..end]));
    }
    assert!(execution_trace::parse(trace).1.is_empty(), "{:?}", execution_trace::parse(trace).1);
    assert!(property::parse(formulas).1.is_empty(), "{:?}", property::parse(formulas).1);
    assert!(task::parse(tasks).1.is_empty(), "{:?}", task::parse(tasks).1);
}

#[test]
fn nesting_without_end_is_refused() {
    let many = 100_000;
    let chart = |body: String| format!("package p statechart C {{ var x : integer {body} }}");
    let texts = [
        format!("package p const c : integer := {}1", "(".repeat(many)),
        format!("package p const c : integer := {}1", "- ".repeat(many)),
        format!("package p const c : boolean := {}true", "not ".repeat(many)),
        format!("package p const c : boolean := {}", "true ? ".repeat(many)),
        format!("package p const c : integer := a{}", ".b".repeat(many)),
        format!("package p const c : integer := a{}", "[0]".repeat(many)),
        format!("package p const c : boolean := 1{}", " < 1".repeat(many)),
        format!("package p const c : {}integer", "[1] ".repeat(many)),
        format!("package p type t : {}", "record { a : ".repeat(many)),
        format!("package p procedure f : void {}", "{".repeat(many)),
        format!("package p procedure f : void {{ {}", "if (true) ".repeat(many)),
        chart(format!("transition from a to b when {}", "!(".repeat(many))),
        chart("region r { state s { ".repeat(many)),
    ];
    for text in texts {
        let said = gamma::load_project(&text, &mut NoFiles).unwrap_err();
        assert!(said.iter().any(|said| said.code == Code::TooDeep), "{}: {said:?}", &text[..40]);
    }
    let deep = property::parse_formula(&format!("A {}", "(".repeat(many))).1;
    assert!(deep.iter().any(|said| said.code == Code::TooDeep), "{deep:?}");
    let deep = property::parse_formula(&format!("A {}", "G ".repeat(many))).1;
    assert!(deep.iter().any(|said| said.code == Code::TooDeep), "{deep:?}");
}

/// What is nested as deep as is read can also be resolved, checked and printed.
#[test]
fn nesting_below_the_limit_is_read() {
    let deep = 400;
    let text = format!("package p const c : integer := {}1{}", "-(".repeat(deep), ")".repeat(deep));
    let project = gamma::load_project(&text, &mut NoFiles).unwrap();
    let printed = gamma::print::package(&project.ast, project.ast.packages.ids().next().unwrap());
    assert!(gamma::load_project(&printed, &mut NoFiles).is_ok());
    let mut text = "package p statechart C { ".to_owned();
    for at in 0..deep {
        write!(text, "region r{at} {{ initial i{at} state s{at} {{ ").unwrap();
    }
    text += &"} } ".repeat(deep);
    for at in 0..deep {
        write!(text, "transition from i{at} to s{at} ").unwrap();
    }
    text += "}";
    let project = gamma::load_project(&text, &mut NoFiles).unwrap();
    assert_eq!(project.ast.regions.len(), deep);
}

/// Long lists are no nesting: each of these is flat in the tree.
#[test]
fn long_chains_are_read() {
    let many = 100_000;
    let sum = format!("package p const c : integer := 1{}", " + 1".repeat(many));
    let all = format!("package p const c : boolean := true{}", " and true".repeat(many));
    let some = format!(
        "package p interface I {{ in event e }} statechart C [ port p : provides I ] {{ region r {{ initial i state s }} \
         transition from i to s transition from s to s when p.e{} }}",
        " || p.e".repeat(many)
    );
    for text in [sum, all, some] {
        assert!(gamma::load_project(&text, &mut NoFiles).is_ok());
    }
}

#[test]
fn ten_thousand_states_and_transitions_are_read() {
    let many = 10_000;
    let mut text =
        "package p interface I { in event go out event gone } statechart C [ port p : provides I ] { \
                    var x : integer := 0\n"
            .to_owned();
    for at in 0..many {
        writeln!(text, "timeout t{at}").unwrap();
    }
    text += "region r { initial start\n";
    for at in 0..many {
        writeln!(text, "state s{at} {{ entry / set t{at} := {at} ms; }} choice c{at}").unwrap();
    }
    text += "} transition from start to s0\n";
    for at in 0..many {
        let next = (at + 1) % many;
        writeln!(
            text,
            "transition from s{at} to c{at} when p.go || timeout t{at} [in-state(r.s{at})] / x := x + 1;"
        )
        .unwrap();
        writeln!(text, "transition from c{at} to s{next} [x > {at}] / raise p.gone;").unwrap();
        writeln!(text, "transition from c{at} to s{at} [else]").unwrap();
    }
    text += "}";
    let project = gamma::load_project(&text, &mut NoFiles).unwrap();
    assert_eq!(project.ast.transitions.len(), 3 * many + 1);
    assert!(project.warnings.is_empty(), "{:?}", project.warnings[0]);
}

/// What comes behind a place where the run may end is guarded, which nests as deep as there are such places.
#[test]
fn many_places_where_a_run_may_end_are_lowered() {
    let mut text = "package p interface I { in event go } statechart C [ port p : provides I ] { \
                    var x : integer := 0 region r { initial i state s } transition from i to s \
                    transition from s to s when p.go / "
        .to_owned();
    for at in 0..5_000 {
        writeln!(text, "assert(x /= {at}); x := x + 1;").unwrap();
    }
    assert!(gamma::load(&(text + "}"), &mut NoFiles, &lang::Reading::default()).is_ok());
}

/// Ten thousand mistakes are told up to the limit.
#[test]
fn many_mistakes_are_cut() {
    let mut text =
        "package p statechart C { region r { initial i state s } transition from i to s\n".to_owned();
    for at in 0..10_000 {
        writeln!(text, "transition from s to nowhere{at} when cycle").unwrap();
    }
    let said = gamma::load_project(&(text + "}"), &mut NoFiles).unwrap_err();
    assert!(said.len() < 200);
    assert!(said.iter().any(|said| said.code == Code::TooManyErrors));
}

/// Every file imports the next one, for ever.
struct Endless;

impl Files for Endless {
    fn import(
        &mut self,
        from: ir::FileId,
        name: &str,
    ) -> Result<(ir::FileId, std::sync::Arc<str>), ImportError> {
        if name.starts_with("../") {
            return Err(ImportError::Alone(name.to_owned()));
        }
        let Some(next) = from.0.checked_add(1) else { return Err(ImportError::TooMany) };
        Ok((ir::FileId(next), "package p import \"next\"".into()))
    }
}

#[test]
fn imports_without_end_are_refused() {
    let said = gamma::load_project("package p import \"next\"", &mut Endless).unwrap_err();
    assert_eq!(said.iter().map(|said| said.code).collect::<Vec<_>>(), [Code::TooLarge]);
}
