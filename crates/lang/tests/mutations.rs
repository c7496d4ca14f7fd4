//! All mistakes of a model are told at once: names in models that are right are changed into unknown ones, several
//! together. A mistake is hidden by the others if nothing else is told once it alone is mended; none is.

extern crate thetis_lang as lang;

use std::collections::BTreeSet;
use std::path::Path;

use lang::xta::{Format, load};

/// How many models are changed.
const MODELS: usize = 200;

/// How many names of each.
const CHANGES: usize = 4;

/// A sequence of numbers that look arbitrary and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// The models of our cases that are right.
fn models() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/xta");
    let mut list = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "xta") {
            let text = std::fs::read_to_string(&path).unwrap();
            if load(&text, Format::Xta).is_ok() {
                list.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
            }
        }
    }
    list.sort();
    list
}

/// The places of words in a text, outside of comments.
fn words(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut list, mut at) = (vec![], 0);
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if bytes[at].is_ascii_alphabetic() || bytes[at] == b'_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            list.push((at, at + end));
            at += end;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    list
}

/// The text with other words at these places; places do not move.
fn changed(text: &str, places: &[(usize, usize)]) -> Option<String> {
    let mut text = text.to_owned();
    let mut known: BTreeSet<String> =
        words(&text).iter().map(|(from, to)| text[*from..*to].to_owned()).collect();
    for (from, to) in places {
        // A place has the same name whatever else is changed.
        let letters = ('a'..='z').chain('A'..='Z').cycle().skip(from % 52).take(52);
        let mut names = letters.map(|letter| letter.to_string().repeat(to - from));
        let name = names.find(|name| !known.contains(name))?;
        text.replace_range(from..to, &name);
        known.insert(name);
    }
    Some(text)
}

/// What is wrong with a text, and where.
fn wrong(text: &str) -> BTreeSet<(usize, String)> {
    let errors = load(text, Format::Xta).err().unwrap_or_default();
    let mut list = BTreeSet::new();
    for error in &errors {
        let places = error.notes.iter().filter_map(|note| note.span);
        for span in places.chain([error.span]) {
            list.insert((span.start as usize, error.message.clone()));
        }
    }
    list
}

/// Words of the language: what becomes of a text without one of them is another matter.
const KEYWORDS: [&str; 61] = [
    "IO",
    "process",
    "state",
    "init",
    "trans",
    "guard",
    "sync",
    "assign",
    "select",
    "system",
    "clock",
    "chan",
    "int",
    "bool",
    "const",
    "broadcast",
    "urgent",
    "commit",
    "typedef",
    "struct",
    "void",
    "return",
    "if",
    "else",
    "for",
    "while",
    "do",
    "true",
    "false",
    "and",
    "or",
    "not",
    "imply",
    "forall",
    "exists",
    "sum",
    "scalar",
    "meta",
    "query",
    "priority",
    "default",
    "hybrid",
    "double",
    "string",
    "A",
    "E",
    "deadlock",
    "progress",
    "branchpoint",
    "probability",
    "import",
    "break",
    "continue",
    "switch",
    "case",
    "sup",
    "inf",
    "bounds",
    "assert",
    "min",
    "max",
];

#[test]
fn mistakes_do_not_hide_each_other() {
    let models = models();
    let mut chance = Chance(20_261_116);
    let (mut tried, mut missed) = (0, vec![]);
    while tried < MODELS {
        let (name, text) = &models[chance.below(models.len())];
        // Nobody knows the fields of something unknown, where they are declared no more than where they are used.
        let field =
            |from: usize| text[..from].rfind("struct").is_some_and(|start| !text[start..from].contains('}'));
        let dotted = |from: usize, to: usize| {
            let named = text[to..].starts_with(['.', ':']);
            text[..from].ends_with('.') || named || field(from)
        };
        let places: Vec<(usize, usize)> = words(text)
            .into_iter()
            .filter(|(from, to)| !KEYWORDS.contains(&&text[*from..*to]) && !dotted(*from, *to))
            .collect();
        let mut chosen = BTreeSet::new();
        for _ in 0..CHANGES {
            chosen.insert(places[chance.below(places.len())]);
        }
        // A change of a name that nobody uses is no mistake.
        let is_wrong =
            |place: &(usize, usize)| changed(text, &[*place]).is_some_and(|text| !wrong(&text).is_empty());
        chosen.retain(is_wrong);
        // A declaration and a use of the same name are one mistake, whichever is mended.
        let mut names = BTreeSet::new();
        chosen.retain(|(from, to)| names.insert(&text[*from..*to]));
        let together: Vec<(usize, usize)> = chosen.into_iter().collect();
        let Some(all) = changed(text, &together).filter(|_| together.len() > 1) else { continue };
        tried += 1;
        let found = wrong(&all);
        for place in &together {
            let others: Vec<(usize, usize)> =
                together.iter().copied().filter(|other| other != place).collect();
            let mended = changed(text, &others).map(|text| wrong(&text));
            if mended.as_ref() == Some(&found) {
                let line = all[..place.0].matches('\n').count() + 1;
                missed.push(format!("{name}: `{}` in line {line} of\n{all}", &all[place.0..place.1]));
            }
        }
    }
    assert!(missed.is_empty(), "{} of {MODELS}:\n{}", missed.len(), missed[..missed.len().min(3)].join("\n"));
}
