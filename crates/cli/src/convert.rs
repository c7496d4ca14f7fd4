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
    let readable = matches!(format, Format::Xsts | Format::Pnml);
    if !readable || to.as_os_str() != "-" && extension.as_deref() != Some("xsts") {
        return Err(Failure::Input(format!(
            "`{}` cannot be converted to `{}`; what is possible: `.xsts` to `.xsts` (normal form), `.pnml` to \
             `.xsts`, or either to `-` for stdout",
            from.display(),
            to.display()
        )));
    }
    let source = load::source(from)?;
    // A text with errors beyond its syntax would be printed, but nobody could use it.
    let text = if format == Format::Pnml {
        lang::pnml::load(&source.text).map(|net| lang::pnml::to_xsts(&net))
    } else {
        lang::xsts::load(&source.text).map(|_| lang::xsts::print(&lang::xsts::parse(&source.text).0))
    };
    let text = text.map_err(|diagnostics| render::failure(&source, &diagnostics, console.colour))?;
    if to.as_os_str() == "-" {
        console.print(text);
    } else {
        trace::create(to, |out| out.write_all(text.as_bytes()))?;
        console.note(format!("written to {}", to.display()));
    }
    Ok(Exit::Holds)
}
