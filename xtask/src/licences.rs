//! Licences of everything that is built.
//!
//! All packages of the lock file are checked, those for tests and for other platforms included. Each
//! states an SPDX expression; it is fine if some choice among its `OR`s consists of permissive
//! licences only. Older manifests write `/` for `OR`.
//!
//! `fuzz/` is a workspace of its own and is left out: `libfuzzer-sys` contains libFuzzer, which is
//! under NCSA as well. It is a tool for development, and nothing of it is in what users get.

use serde_json::Value;

use crate::shell::{metadata, no_arguments};

pub const HELP: &str = "\
usage: cargo xtask licences

Checks that every dependency in Cargo.lock may be used under permissive licences only, and names
those that may not. Reads `cargo metadata`; needs no network once the dependencies are fetched.
";

const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub fn run(arguments: &[String]) -> Result<(), String> {
    no_arguments(arguments)?;
    let metadata = metadata(&["--locked"])?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let offenders: Vec<String> = packages.iter().filter_map(offence).collect();
    if offenders.is_empty() {
        eprintln!("\n==> licences: {} packages, all permissive", packages.len());
        Ok(())
    } else {
        Err(format!("not known to be permissive:\n  {}", offenders.join("\n  ")))
    }
}

fn offence(package: &Value) -> Option<String> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let licence = text("license");
    let what = if licence.is_empty() { "states no licence" } else { licence };
    (!is_permissive(licence)).then(|| format!("{} {}: {what}", text("name"), text("version")))
}

/// Whether an SPDX expression leaves a permissive choice; `false` when it cannot be read.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any(&mut rest) == Some(true) && rest.is_empty()
}

fn any(rest: &mut &[&str]) -> Option<bool> {
    let mut fine = all(rest)?;
    while eat(rest, "OR") {
        fine |= all(rest)?;
    }
    Some(fine)
}

fn all(rest: &mut &[&str]) -> Option<bool> {
    let mut fine = one(rest)?;
    while eat(rest, "AND") {
        fine &= one(rest)?;
    }
    Some(fine)
}

fn one(rest: &mut &[&str]) -> Option<bool> {
    if eat(rest, "(") {
        let fine = any(rest)?;
        return eat(rest, ")").then_some(fine);
    }
    let (licence, after) = rest.split_first()?;
    *rest = after;
    if eat(rest, "WITH") {
        let (exception, after) = rest.split_first()?;
        *rest = after;
        return Some(PERMISSIVE.contains(&format!("{licence} WITH {exception}").as_str()));
    }
    Some(PERMISSIVE.contains(licence))
}

fn eat(rest: &mut &[&str], word: &str) -> bool {
    let found = rest.first() == Some(&word);
    if found {
        *rest = &rest[1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: bool) {
        assert_eq!(is_permissive(expression), expected, "{expression}");
    }

    #[test]
    fn one_permissive_choice_is_enough() {
        check("MIT", true);
        check("GPL-3.0-only OR MIT", true);
        check("MIT/Apache-2.0", true);
        check("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only", true);
    }

    #[test]
    fn all_parts_of_a_choice_count() {
        check("MIT AND GPL-3.0-only", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("(MIT OR Apache-2.0) AND NCSA", false);
        check("MIT OR Apache-2.0 AND GPL-3.0-only", true);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for expression in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "MIT)", "SomethingElse", "MIT WITH"] {
            check(expression, false);
        }
    }
}
