//! `thetis convert`: from one format to another, or into normal form.

use std::io::Write;
use std::path::Path;

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load::{self, Format};
use crate::render;
use crate::trace;

/// Runs the command; `-` as `to` is stdout.
pub fn run(from: &Path, to: &Path, console: &Console) -> Result<Exit, Failure> {
    let format = load::format(from)?;
    let extension = to.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if format != Format::Xsts || to.as_os_str() != "-" && extension.as_deref() != Some("xsts") {
        return Err(Failure::Input(format!(
            "`{}` cannot be converted to `{}`; what is possible: `.xsts` to `.xsts` (normal form), or to `-` for stdout",
            from.display(),
            to.display()
        )));
    }
    let source = load::source(from)?;
    // A text with errors beyond its syntax would be printed, but nobody could use it.
    if let Err(diagnostics) = lang::xsts::load(&source.text) {
        return Err(render::failure(&source, &diagnostics, console.colour));
    }
    let (model, _) = lang::xsts::parse(&source.text);
    let text = lang::xsts::print(&model);
    if to.as_os_str() == "-" {
        console.print(text);
    } else {
        trace::create(to, |out| out.write_all(text.as_bytes()))?;
        console.note(format!("written to {}", to.display()));
    }
    Ok(Exit::Holds)
}
