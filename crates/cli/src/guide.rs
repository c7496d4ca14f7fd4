//! Texts that come with the program: the languages and models to start from.

use std::fmt::Write;

use lang::{Example, FRONT_ENDS};

use crate::exit::Failure;

/// The example of this name; all of them in a few words if there is no name.
pub fn example(name: Option<&str>) -> Result<String, Failure> {
    let all = || FRONT_ENDS.iter().flat_map(|language| language.examples);
    let Some(name) = name else {
        let mut text = String::new();
        for Example { name, about, .. } in all() {
            let _ = writeln!(text, "{name:13}  {about}");
        }
        return Ok(text);
    };
    let extensions = FRONT_ENDS.iter().flat_map(|language| language.extensions);
    let plain = extensions.fold(name, |name, extension| match name.strip_suffix(extension) {
        Some(stem) => stem.strip_suffix('.').unwrap_or(name),
        None => name,
    });
    let found = all().find(|example| example.name == plain);
    found.map(|example| example.text.to_owned()).ok_or_else(|| {
        let known: Vec<String> = all().map(|example| format!("`{}`", example.name)).collect();
        Failure::Input(format!("there is no example `{name}`; there are {}", known.join(", ")))
    })
}

/// The reference of a language.
pub fn language(name: &str) -> Result<&'static str, Failure> {
    let found = FRONT_ENDS.iter().find(|language| language.name == name);
    found.map(|language| language.guide).ok_or_else(|| {
        let known: Vec<String> = FRONT_ENDS.iter().map(|language| format!("`{}`", language.name)).collect();
        Failure::Input(format!("there is no language `{name}`; there are {}", known.join(", ")))
    })
}
