//! Every component of the shared corpus becomes a system, in all ways of time, and an XSTS that is read again. Skipped
//! where the corpus is absent.

extern crate thetis_lang as lang;

#[path = "../testing/folder.rs"]
mod folder;

use std::path::{Path, PathBuf};

use folder::{Folder, files_below};
use lang::code::Code;
use lang::diagnostic::Diagnostic;
use lang::{Reading, gamma};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gamma");
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    eprintln!("skipped: {} is absent", path.display());
    None
}

fn shown(said: &[Diagnostic]) -> String {
    said.iter().map(|diagnostic| format!("  {}: {}\n", diagnostic.code, diagnostic.message)).collect()
}

fn every_component_becomes_a_system_and_an_xsts() {
    let Some(corpus) = corpus() else { return };
    let to_xsts = gamma::FRONT_END.conversion("xsts").unwrap().convert;
    let (mut wrong, mut count, mut refused) = (String::new(), 0, 0);
    for path in files_below(&corpus, "gcd") {
        let text = std::fs::read_to_string(&path).unwrap();
        // The point of these is that something is wrong with them; three files import what has to be made first.
        let deliberate = path.display().to_string().contains("validation.test")
            || path.display().to_string().contains("tutorial.start");
        let Ok(project) = gamma::load_project(&text, &mut Folder::of(&path, &corpus)) else { continue };
        let Some(component) = project.outermost().last().copied() else { continue };
        if deliberate || !project.ast.components[component].params.is_empty() {
            continue;
        }
        for period in [None, Some("500ms"), Some("400ms..600ms")] {
            let period = period.map(|period| period.parse().unwrap());
            let reading = Reading { period, ..Reading::default() };
            count += 1;
            if let Err(said) = gamma::load(&text, &mut Folder::of(&path, &corpus), &reading) {
                // Phases are refused by name.
                if said
                    .iter()
                    .all(|said| said.code == Code::UnsupportedPart && said.message.contains("@Phase"))
                {
                    refused += 1;
                    continue;
                }
                wrong += &format!("{}\n{}", path.display(), shown(&said));
                continue;
            }
            let xsts = to_xsts(&text, &mut Folder::of(&path, &corpus), &reading).unwrap();
            if let Err(said) = lang::xsts::load(&xsts) {
                wrong += &format!("{} as XSTS\n{}", path.display(), shown(&said));
            }
        }
    }
    assert!(count > 100, "{count}");
    assert_eq!(refused, 3, "one component has phases");
    assert!(wrong.is_empty(), "{wrong}");
}

sampling::with_corpus!(every_component_becomes_a_system_and_an_xsts);
