//! Models in several files: a language whose models only name another file, in which their step is written.

use std::sync::Arc;

use ir::{Edge, Guarded, Location, LocationId, LocationKind, Process, Span, System};
use lang::code::Code;
use lang::diagnostic::Diagnostic;
use lang::{Contents, Conversion, Files, FrontEnd, ImportError, Language, Question, Reading, View};
use thetis::engine::Stop;
use thetis::file::{FileError, FileProblem};
use thetis::simulate::{Chance, Simulator};
use thetis::{Alone, Disk, Error, Languages, Resolver, Scope, Source, ir, lang};

static POINTER: FrontEnd = FrontEnd {
    name: "pointer",
    title: "models that are elsewhere",
    extensions: &["pointer"],
    binary: &[],
    recognises: |_| false,
    load,
    question_files: &[],
    script_files: None,
    tasks: None,
    conversions: &[Conversion::to_xsts(|text, files, _| {
        Ok(files.import(ir::FileId::default(), text.trim()).map_err(wrong)?.1.to_string())
    })],
    guide: "",
    examples: &[],
    smallest: "a model names a file",
    questions: &[],
    own_question: None,
};

struct Nothing;

impl Language for Nothing {
    fn question(&mut self, _: &mut System, _: &str, _: &str) -> Result<Question, Vec<Diagnostic>> {
        Err(vec![])
    }
}

fn wrong(why: ImportError) -> Vec<Diagnostic> {
    vec![Diagnostic::error(Code::Syntax, Span::default(), why.to_string())]
}

/// A step that leads nowhere, for ever; it is written in the file that `text` names.
fn load(text: &str, files: &mut dyn Files, _: &Reading) -> Result<lang::Model, Vec<Diagnostic>> {
    let (file, written) = files.import(ir::FileId::default(), text.trim()).map_err(wrong)?;
    let mut system = System::default();
    let (always, skip) = (system.terms.bool(true), system.terms.skip());
    let mut process = Process { name: "p".into(), ..Process::default() };
    let at: LocationId = process.locations.push(Location::new("at", always, LocationKind::Urgent));
    process.initial = Some(at);
    process.edges.push(Edge {
        source: at,
        target: at,
        guard: always,
        update: Guarded::safe(skip),
        sync: None,
        label: "step".into(),
        span: Span::new(1, written.len()).in_file(file),
    });
    system.processes.push(process);
    Ok(lang::Model {
        system,
        view: View::default(),
        questions: vec![],
        contents: Contents::default(),
        warnings: vec![],
        language: Box::new(Nothing),
    })
}

/// Every file has this text: a step, on its second line.
struct Everywhere;

impl Resolver for Everywhere {
    fn resolve(&mut self, _: &str, name: &str) -> Result<Source, ImportError> {
        Ok(Source::new(name, "\nstep"))
    }
}

#[test]
fn a_step_of_another_file_is_told_with_it() {
    let source = Source::new("main.pointer", "steps.txt");
    let model = Languages::default().read(source, &POINTER, &mut Everywhere).unwrap();
    let mut simulator = Simulator::new(&model, None, Scope::default(), Arc::new(Stop::new())).unwrap();
    simulator.start_by_chance(&mut Chance::new(1)).unwrap();
    let edges = simulator.moves()[0].edges.clone();
    assert_eq!(simulator.title(&edges), "p step (steps.txt, line 2)");
}

#[test]
fn why_a_file_cannot_be_had_is_data() {
    assert!(matches!(Alone.resolve("a", "b"), Err(ImportError::Alone(name)) if name == "b"));
    let Err(ImportError::Unreadable(why)) = Disk.resolve("nowhere/a", "b") else {
        panic!("there is no such file")
    };
    let why = why.downcast_ref::<FileError>().expect("what is wrong with the file");
    assert_eq!(why.problem, FileProblem::Missing);
}

#[test]
fn what_is_converted_may_import() {
    let folder = std::env::temp_dir().join(format!("thetis-imports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let languages = Languages::default().with(&POINTER);
    file("other.xsts", "trans { }");
    let to_xsts = POINTER.conversion("xsts").expect("a form of its models");
    let converted = |name, text| languages.convert(&file(name, text), to_xsts);
    assert_eq!(converted("m.pointer", "other.xsts").unwrap(), "trans { }");
    assert!(matches!(converted("n.pointer", "none.xsts"), Err(Error::Text(_))));
    assert!(matches!(converted("e.pointer", " \n"), Err(Error::Empty { .. })));
    assert!(lang::xta::FRONT_END.conversion("xsts").is_none());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_has_one_name_however_it_is_found() {
    let folder = std::env::temp_dir().join(format!("thetis-around-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a/b")).unwrap();
    std::fs::create_dir_all(folder.join("c")).unwrap();
    for (name, text) in
        [("a/b/main.gcd", "main"), ("a/near.gcd", "wanted"), ("c/far.gcd", "wanted"), ("c/x.txt", "wanted")]
    {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let main = folder.join("a/b/main.gcd").display().to_string();
    let near = folder.join("a/near.gcd").display().to_string();
    assert_eq!(Disk.resolve(&main, "../near.gcd").unwrap().name, near);
    assert_eq!(Disk.resolve(&main, "./../../a/near.gcd").unwrap().name, near);
    // Beyond the root there is the root.
    let above = "../".repeat(60);
    assert_eq!(Disk.resolve(&main, &format!("{above}{near}", near = &near[1..])).unwrap().name, near);
    // The nearest folder comes first, and files of other kinds are not looked at.
    let found = Disk.resolve_where(&main, "gcd", &mut |text| text == "wanted").unwrap();
    assert_eq!(found.name, near);
    let found = Disk.resolve_where(&main, "txt", &mut |text| text == "wanted").unwrap();
    assert_eq!(found.name, folder.join("c/x.txt").display().to_string());
    assert!(Disk.resolve_where(&main, "gcd", &mut |text| text == "nobody").is_err());
    assert!(matches!(Alone.resolve_where("a", "gcd", &mut |_| true), Err(ImportError::Alone(_))));
    std::fs::remove_dir_all(&folder).unwrap();
}
