//! The cases of Gamma packages: those in `cases/gamma` are right, and those in `bad` say in their comments
//! everything that is wrong with them.

extern crate thetis_lang as lang;

#[path = "../testing/folder.rs"]
mod folder;

use std::path::{Path, PathBuf};

use folder::{Folder, files_below};
use lang::diagnostic::{Diagnostic, Severity};
use lang::gamma;
use lang::gamma::project::{Def, Project};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/gamma").canonicalize().expect("cases/gamma")
}

fn load(path: &Path) -> Result<Project, Vec<Diagnostic>> {
    let mut files = Folder::of(path, &cases());
    gamma::load_project(&std::fs::read_to_string(path).unwrap(), &mut files)
}

fn is_bad(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("bad"))
}

#[test]
fn right_ones_are_read() {
    let right: Vec<PathBuf> = files_below(&cases(), "gcd").into_iter().filter(|path| !is_bad(path)).collect();
    assert!(right.len() >= 5);
    for path in right {
        if let Err(said) = load(&path) {
            let said: Vec<&str> = said.iter().map(|said| said.message.as_str()).collect();
            panic!("{}: {said:#?}", path.display());
        }
    }
}

#[test]
fn everything_that_is_wrong_is_told() {
    let mut wrong = String::new();
    for path in files_below(&cases().join("bad"), "gcd") {
        let text = std::fs::read_to_string(&path).unwrap();
        let said = match load(&path) {
            Ok(project) => project.warnings,
            Err(said) => said,
        };
        let found = said.iter().map(|said| {
            let line = text[..said.span.start as usize].matches('\n').count() + 1;
            (said.severity, line, said.message.as_str())
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        let expected = text.lines().filter_map(|line| {
            let (severity, rest) = match line.strip_prefix("// ")?.split_once(": ")? {
                ("error", rest) => (Severity::Error, rest),
                ("warning", rest) => (Severity::Warning, rest),
                _ => return None,
            };
            let (line, message) = rest.split_once(": ")?;
            Some((severity, line.parse::<usize>().ok()?, message))
        });
        let mut expected: Vec<_> = expected.collect();
        expected.sort();
        let same = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(found, expected)| {
                found.0 == expected.0 && found.1 == expected.1 && found.2.contains(expected.2)
            });
        if !same {
            wrong += &format!("{}\nexpected {expected:#?}\nfound {found:#?}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A tree as text, without places.
fn without_places(ast: &gamma::ast::Ast) -> String {
    let text = format!("{ast:?}");
    let mut parts = text.split("Span {");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown += part.split_once('}').map_or(part, |(_, rest)| rest);
    }
    shown
}

#[test]
fn printing_keeps_the_tree() {
    for path in files_below(&cases(), "gcd").into_iter().filter(|path| !is_bad(path)) {
        let (ast, said) = gamma::parse(&std::fs::read_to_string(&path).unwrap());
        assert!(said.is_empty(), "{}: {said:?}", path.display());
        let printed = gamma::print::package(&ast, ast.packages.ids().next().unwrap());
        let (again, said) = gamma::parse(&printed);
        assert!(said.is_empty(), "{}: {said:?}\n{printed}", path.display());
        assert_eq!(without_places(&again), without_places(&ast), "{}\n{printed}", path.display());
    }
}

#[test]
fn files_of_a_circle_are_read_once() {
    let project = load(&cases().join("imports_in_a_circle.gcd")).unwrap();
    assert_eq!(project.ast.packages.len(), 3);
    let outermost: Vec<&str> =
        project.outermost().iter().map(|id| project.ast.text(project.ast.components[*id].ident)).collect();
    assert_eq!(outermost, ["System"]);
}

/// Every reference is known, but for those of contracts and phases.
#[test]
fn every_name_is_resolved() {
    let project = load(&cases().join("every_construct.gcd")).unwrap();
    let unresolved: Vec<&str> = project
        .defs
        .entries()
        .filter(|(_, def)| def.is_none())
        .map(|(id, _)| project.ast.ref_text(id))
        .collect();
    // Arguments of a contract and of a phase, `bind p -> phase.p`, and `tie x -> phase.x`.
    let expected = ["Colour", "RED", "Colour", "RED", "p", "phase", "p", "x", "phase", "x"];
    assert_eq!(unresolved, expected);
    let nodes = project.defs.iter().flatten().filter(|def| matches!(def, Def::Node(_))).count();
    assert!(nodes > 30);
}
