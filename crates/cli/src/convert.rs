//! `thetis convert`: from one format to another, or into normal form.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use thetis::lang::{Conversion, Reading};
use thetis::{Error, Languages, file};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load;

/// Runs the command; `-` as `to` is stdout, where the first form of a language is meant.
pub fn run(from: &Path, to: &Path, reading: &Reading, console: &Console) -> Result<Exit, Failure> {
    let failed = |error: Error| load::failure(&error, console.colour);
    let languages = Languages::default().reading(reading.clone());
    let language = languages.of_file(from).map_err(failed)?;
    let stdout = to.as_os_str() == "-";
    let picture = to.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    let conversion = match to.extension() {
        _ if picture => language.conversion("dot"),
        _ if stdout => language.conversions.first(),
        Some(extension) => language.conversion(&extension.to_string_lossy()),
        None => None,
    };
    let conversion = conversion.ok_or_else(|| impossible(&languages, from, to))?;
    let text = languages.convert(from, conversion).map_err(failed)?;
    let text = if picture { drawn(&text)? } else { text };
    if stdout {
        console.print(text);
    } else {
        file::create(to, |out| out.write_all(text.as_bytes())).map_err(|error| failed(error.into()))?;
        console.note(format!("written to {}", to.display()));
    }
    Ok(Exit::Holds)
}

/// What Graphviz makes of a picture.
fn drawn(text: &str) -> Result<String, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::Input(format!(
            "the program `dot` of Graphviz, which draws SVG, did not do so: {why}; install it, or convert to `.dot`"
        ))
    };
    let mut command = Command::new("dot");
    command.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = text.to_owned();
    // It may write before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failed(&String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// That this cannot be converted to that, and what can.
fn impossible(languages: &Languages, from: &Path, to: &Path) -> Failure {
    let possible = languages.iter().flat_map(|language| {
        let form = |Conversion { extension, title, .. }: &Conversion| {
            format!("`.{}` to `.{extension}` ({title})", language.extensions.join("`, `."))
        };
        language.conversions.iter().map(form)
    });
    Failure::Input(format!(
        "`{}` cannot be converted to `{}`; what is possible: {}, or to `-` for stdout",
        from.display(),
        to.display(),
        possible.collect::<Vec<_>>().join("; ")
    ))
}
