//! Source files without tests and comments, with the texts taken out of them.
//!
//! This is no parser of Rust: it knows comments, texts, characters and lifetimes, and where the tests of a file begin.
//! That is enough to see where code looks at a text, as long as it is written the way `rustfmt` writes it.

use std::path::Path;

/// The code of a file that is not a test.
pub struct Production {
    /// The code, line by line, with every text and every character emptied: `""` and `''`.
    plain: String,
    /// The texts in it, as they are written.
    pub texts: Vec<String>,
}

/// Methods by which code looks into a text.
const METHODS: &[&str] = &[
    "starts_with",
    "ends_with",
    "contains",
    "replace",
    "replacen",
    "strip_prefix",
    "strip_suffix",
    "eq_ignore_ascii_case",
    "trim_start_matches",
    "trim_end_matches",
    "split_once",
    "rsplit_once",
    "split",
    "rsplit",
    "find",
    "rfind",
];

impl Production {
    /// Every file of every crate, by its path from there.
    pub fn of_all_crates() -> impl Iterator<Item = (String, Production)> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let mut files = vec![];
        for entry in std::fs::read_dir(&crates).expect("crates") {
            super::sources(&entry.expect("a readable folder").path().join("src"), &mut files);
        }
        files.retain(|file| !file.components().any(|part| part.as_os_str() == "tests"));
        files.retain(|file| file.file_stem().is_some_and(|stem| stem != "tests"));
        files.sort();
        files.into_iter().map(move |file| {
            let name = file.strip_prefix(&crates).expect("a file of a crate").display().to_string();
            let text = std::fs::read_to_string(&file).expect("a readable file");
            (name, Production::of(&text))
        })
    }
    /// The code of one file.
    pub fn of(text: &str) -> Production {
        let text = text.find("#[cfg(test)]\nmod tests {").map_or(text, |tests| &text[..tests]);
        let mut code = Production { plain: String::new(), texts: vec![] };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = code.take(first, rest);
            rest = &rest[length..];
        }
        code
    }
    /// Takes what `rest` begins with; how long that is.
    fn take(&mut self, first: char, rest: &str) -> usize {
        let within_name = self.plain.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let raw = rest.strip_prefix('r').filter(|_| !within_name || self.plain.ends_with('b'));
        let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
            self.blank(&rest[..length]);
            length
        } else if raw.is_some_and(|raw| raw[hashes..].starts_with('"')) {
            let start = hashes + 2;
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[start..].find(&end).expect("a text that ends");
            self.text(&rest[start..start + length]);
            start + length + end.len()
        } else if first == '"' {
            let length = until(&rest[1..], '"');
            self.text(&rest[1..=length]);
            length + 2
        } else if first == '\'' && is_character(&rest[1..]) {
            self.plain.push_str("''");
            until(&rest[1..], '\'') + 2
        } else {
            self.plain.push(first);
            first.len_utf8()
        }
    }
    fn text(&mut self, text: &str) {
        self.plain.push_str("\"\"");
        self.blank(text);
        self.texts.push(text.to_owned());
    }
    /// Keeps the lines of what is left out.
    fn blank(&mut self, text: &str) {
        text.matches('\n').for_each(|line| self.plain.push_str(line));
    }
    /// The lines that compare a text with one that is written there, look into it, or match it.
    pub fn decisions_by_text(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.plain.lines().enumerate().filter(|(_, line)| decides_by_text(line));
        lines.map(|(at, line)| (at + 1, line.trim()))
    }
}

/// How far it is to the end of a text, or a character, that has begun.
fn until(rest: &str, end: char) -> usize {
    let mut escaped = false;
    let ends = |(_, c): &(usize, char)| {
        let over = *c == end && !escaped;
        escaped = *c == '\\' && !escaped;
        over
    };
    rest.char_indices().find(ends).expect("a text that ends").0
}

/// Whether a character follows, and not a lifetime.
fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

fn decides_by_text(line: &str) -> bool {
    let compared = ["== \"\"", "!= \"\"", "\"\" ==", "\"\" !=", "== Some(\"\")", "!= Some(\"\")"];
    let matched = ["\"\" | \"\"", "Some(\"\") ="];
    let looked = METHODS.iter().any(|method| {
        let arguments = ["\"\"", "b\"\"", "&\"\"", "&format!(\"\""];
        arguments.iter().any(|argument| line.contains(&format!(".{method}({argument}")))
    });
    // Prefixes and suffixes may be single characters.
    let marked = ["starts_with", "ends_with", "strip_prefix", "strip_suffix"];
    let marked = marked.iter().any(|method| line.contains(&format!(".{method}('')")));
    let arm = line.split_once("=>").is_some_and(|(pattern, _)| has_text(pattern));
    let within = line.split_once("matches!(").is_some_and(|(_, inside)| has_text(inside_parentheses(inside)));
    compared.iter().chain(&matched).any(|part| line.contains(part))
        || looked
        || marked
        || arm
        || within
        || compares_with_constant(line)
}

/// What texts are usually called.
const TEXTS: &[&str] = &["name", "label", "title", "text", "message"];

/// Whether something that is called like a text is compared with a constant: `variable.name == CASE`.
fn compares_with_constant(line: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '.';
    let last = |path: &str| path.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
    let is_text = |path: &str| TEXTS.contains(&last(path).as_str());
    let is_constant = |path: &str| {
        let name = last(path);
        name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    ["==", "!="].iter().flat_map(|operator| line.match_indices(operator)).any(|(at, operator)| {
        let left = line[..at].trim_end().trim_end_matches("()").trim_end_matches(".as_str");
        let left = &left[left.rfind(|c| !word(c)).map_or(0, |end| end + 1)..];
        let right = line[at + operator.len()..].trim_start_matches([' ', '*', '&']);
        let right = &right[..right.find(|c| !word(c)).unwrap_or(right.len())];
        is_text(left) && is_constant(right) || is_constant(left) && is_text(right)
    })
}

/// Whether there is a text that is not made by a macro.
fn has_text(part: &str) -> bool {
    part.replace("!(\"\"", "").contains("\"\"")
}

/// What comes before the parenthesis that closes an open one.
fn inside_parentheses(text: &str) -> &str {
    let mut depth = 1;
    let closes = |(_, c): &(usize, char)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    };
    let end = text.char_indices().find(closes).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// Whether a text names an option or a sub-command of the program.
pub fn names_a_command(text: &str) -> bool {
    let lower = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    let follows = |mark: &str| text.match_indices(mark).any(|(at, _)| lower(&text[at + mark.len()..]));
    let short = matches!(text.as_bytes(), [b'-', letter] if letter.is_ascii_lowercase());
    short || follows("--") || follows("thetis ")
}

#[test]
fn what_looks_at_a_text_is_seen() {
    let seen = |code: &str| Production::of(code).decisions_by_text().count();
    for code in [
        "if name == \"xsts\" {",
        "message.starts_with(\"there is no\")",
        "name.starts_with('$')",
        "match name { \"init\" => 1 }",
        "matches!(name.as_str(), \"init\" | \"trans\")",
        "why.replace(\"is a target\", \"violates\")",
        "x == Some(\"a\")",
        "text.contains(&format!(\"`{name}`\"))",
        "a.strip_prefix(r#\"\"b\"#)",
        "!variable.shown && variable.name == CASE",
        "if system.vars[var].name.as_str() != names::ELAPSED {",
        "XSTS == process.name",
    ] {
        assert_eq!(seen(code), 1, "{code}");
    }
    for code in [
        "Node::Eq(a, b) => list(f, &[*a, *b], \" == \"),",
        "// if name == \"xsts\"",
        "format!(\"{} == {}\", a, b)",
        "fn of<'a>(name: &'a str) -> &'a str { \"'\" }",
        "Flaw::Target if matches!(place, Place::Listed(_)) => format!(\"x\"),",
        "Some(input) if input.send(format!(\"x\")).is_ok() => Ok(()),",
        "variable.name == other.name && at == END && index != MOST",
        "let quote = '\"'; let other = '\\''; list.contains(&quote)",
        "#[cfg(test)]\nmod tests {\n    fn f() { x == \"\" }\n}",
    ] {
        assert_eq!(seen(code), 0, "{code}");
    }
    assert!(names_a_command("try `--engine zone`") && names_a_command("`thetis simulate` stops"));
    assert!(names_a_command("-p") && !names_a_command("-") && !names_a_command("-pedantic"));
    assert!(!names_a_command("a -- b, a-b, e-- and thetis"));
}
