//! `thetis convert`: from one format to another, or into normal form.

use std::io::Write;
use std::path::Path;

use lang::xsts;
use thetis::{Error, Languages, file};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load;

/// Runs the command; `-` as `to` is stdout.
pub fn run(from: &Path, to: &Path, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: Error| load::failure(&error, console.colour);
    let languages = Languages::default();
    let language = languages.of_file(from).map_err(failed)?;
    let extension = to.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let written = |extension: &String| xsts::FRONT_END.extensions.contains(&extension.as_str());
    let possible = to.as_os_str() == "-" || extension.as_ref().is_some_and(written);
    let text = match possible && language.to_xsts.is_some() {
        true => languages.to_xsts(from).map_err(failed)?,
        false => None,
    };
    let text = text.ok_or_else(|| impossible(&languages, from, to))?;
    if to.as_os_str() == "-" {
        console.print(text);
    } else {
        file::create(to, |out| out.write_all(text.as_bytes())).map_err(|error| failed(error.into()))?;
        console.note(format!("written to {}", to.display()));
    }
    Ok(Exit::Holds)
}

/// That this cannot be converted to that, and what can.
fn impossible(languages: &Languages, from: &Path, to: &Path) -> Failure {
    let possible = languages.iter().filter(|language| language.to_xsts.is_some());
    let possible: Vec<String> =
        possible.map(|language| format!("`.{}`", language.extensions.join("`, `."))).collect();
    Failure::Input(format!(
        "`{}` cannot be converted to `{}`; what is possible: {} to `.xsts` (in normal form), or to `-` for stdout",
        from.display(),
        to.display(),
        possible.join(" and ")
    ))
}
