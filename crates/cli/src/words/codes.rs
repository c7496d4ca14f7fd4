//! What every code means: `thetis explain` and `docs/codes.md` are made of this table.

mod table;

use lang::nearest::nearest;

use crate::console::wrapped;
use crate::exit::Failure;
use table::PARTS;

/// A code and what there is to say about it.
struct Entry {
    code: &'static str,
    /// What it means, and how it comes about.
    means: &'static str,
    /// What to do about it.
    help: &'static str,
}

/// Codes that belong together.
struct Part {
    title: &'static str,
    /// What they have in common.
    about: &'static str,
    entries: &'static [Entry],
}

/// All codes, in the order in which they are listed.
fn entries() -> impl Iterator<Item = &'static Entry> {
    PARTS.iter().flat_map(|part| part.entries)
}

/// What there is to say about a code.
pub fn explain(code: &str) -> Result<String, Failure> {
    let known = PARTS.iter().find_map(|part| Some((part, part.entries.iter().find(|it| it.code == code)?)));
    match known {
        Some((part, Entry { code, means, help })) => {
            let about = [*means, *help, part.about].map(paragraph).join("\n");
            Ok(format!("{code}\n\n{about}"))
        }
        None => {
            let near = nearest(code, entries().map(|entry| entry.code));
            let near = near.map_or_else(
                || "`thetis explain` lists all".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Err(Failure::Input(format!("there is no code `{code}`; {near}")))
        }
    }
}

/// All codes, each with its meaning in a line.
pub fn list() -> String {
    let mut text = String::new();
    for part in PARTS {
        text += &format!("{}\n", part.title);
        for Entry { code, means, .. } in part.entries {
            let first = means.split_inclusive(". ").next().unwrap_or_default();
            text += &format!("  {code:<34} {}\n", first.trim().trim_end_matches('.'));
        }
        text += "\n";
    }
    text + "`thetis explain CODE` says more about one of them.\n"
}

/// The page `docs/codes.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Codes\n\n<!-- Made by `thetis manual codes`; a test compares the two. -->\n\n\
         Why something is unknown, unsupported, refused or wrong in a text has a code. Sentences may change, codes do \
         not. JSON carries them as `code`, and `thetis explain CODE` says what is written here.\n",
    );
    for Part { title, about, entries } in PARTS {
        text += &format!("\n## {title}\n\n{about}\n\n| code | meaning | what to do |\n|---|---|---|\n");
        for Entry { code, means, help } in *entries {
            let cell = |text: &str| text.replace('|', "\\|");
            text += &format!("| `{code}` | {} | {} |\n", cell(means), cell(help));
        }
    }
    text
}

/// How many characters a line of an explanation has.
const WIDTH: usize = 96;

fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_explained_once() {
        let mut all: Vec<&str> = lang::code::Code::ALL.iter().map(|code| code.code()).collect();
        all.extend(engine::codes());
        all.extend(certify::codes());
        all.extend(thetis::codes());
        all.extend(ir::FaultKind::CODES);
        all.extend(campaign::Error::CODES);
        all.extend(["usage", "input", "internal"]);
        let explained: Vec<&str> = entries().map(|entry| entry.code).collect();
        let (known, listed): (BTreeSet<&str>, BTreeSet<&str>) =
            (all.iter().copied().collect(), explained.iter().copied().collect());
        assert_eq!(listed.len(), explained.len(), "twice in the table");
        assert_eq!(known.len(), all.len(), "one code for two things");
        assert_eq!(known.difference(&listed).collect::<Vec<_>>(), Vec::<&&str>::new(), "not explained");
        assert_eq!(listed.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "nobody says so");
    }

    #[test]
    fn an_unknown_code_is_told_its_neighbour() {
        let Err(Failure::Input(why)) = explain("time-limt") else { panic!("there is no such code") };
        assert_eq!(why, "there is no code `time-limt`; did you mean `time-limit`?");
        assert!(
            explain("time-limit")
                .unwrap()
                .starts_with("time-limit\n\nThe time that `--timeout` allows is up.")
        );
    }
}
