//! `thetis convert`: from one format to another, or into normal form.

use std::io::Write;
use std::path::Path;

use lang::FRONT_ENDS;
use thetis::{Error, Languages, Sources, TextError, file};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load;

/// Runs the command; `-` as `to` is stdout.
pub fn run(from: &Path, to: &Path, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: Error| load::failure(&error, console.colour);
    let language = Languages::default().of_file(from).map_err(failed)?;
    let extension = to.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let written = to.as_os_str() == "-" || extension.as_deref() == Some("xsts");
    let Some(to_xsts) = language.to_xsts.filter(|_| written) else {
        let possible = FRONT_ENDS.iter().filter(|language| language.to_xsts.is_some());
        let possible: Vec<String> =
            possible.map(|language| format!("`.{}`", language.extensions.join("`, `."))).collect();
        return Err(Failure::Input(format!(
            "`{}` cannot be converted to `{}`; what is possible: {} to `.xsts` (in normal form), or to `-` for stdout",
            from.display(),
            to.display(),
            possible.join(" and ")
        )));
    };
    let (language, source) = Languages::default().source(from).map_err(failed)?;
    if source.text.trim().is_empty() {
        return Err(failed(Error::Empty { name: source.name, language }));
    }
    let text = to_xsts(&source.text).map_err(|diagnostics| {
        failed(Error::Text(TextError { sources: Sources::new(source.clone()), diagnostics, about: None }))
    })?;
    if to.as_os_str() == "-" {
        console.print(text);
    } else {
        file::create(to, |out| out.write_all(text.as_bytes())).map_err(|error| failed(error.into()))?;
        console.note(format!("written to {}", to.display()));
    }
    Ok(Exit::Holds)
}
