//! `thetis validate`: is a trace or a certificate right? No engine is asked.

use std::path::Path;
use std::sync::Arc;

use certify::{Reached, Rejection};
use engine::Stop;
use ir::{Argument, Certificate, Property, within};
use serde::Serialize;

use crate::certificate;
use crate::check::{observe, own_text};
use crate::console::Console;
use crate::exit::{Exit, Failure, leave};
use crate::limits::{self, Limits};
use crate::load::{self, Loaded};
use crate::obligations;
use crate::render;
use crate::source::Source;
use crate::trace::lift::{Lift, Lower};
use crate::trace::{self, CheckStates, Ends, PropertyRef, one_line};
use crate::verdict;

/// What `--json` says; see `docs/schema/validation.schema.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Validation {
    /// Always `thetis-validation`.
    pub format: &'static str,
    /// Always 1.
    pub version: u32,
    /// The file of the model, as it was given.
    pub model: String,
    /// The file that was checked.
    pub file: String,
    /// Whether it is right.
    pub valid: bool,
    /// What it shows, if it is right.
    pub checked: Option<String>,
    /// Why it is not.
    pub reason: Option<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// Why a file is not accepted.
enum Refusal {
    /// It is wrong, and this is why.
    Wrong(String),
    /// It could not be looked at.
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Refusal::Failed(failure)
    }
}

/// What the file itself says is its own mistake.
fn its_own(failure: Failure) -> Refusal {
    Refusal::Wrong(failure.summary())
}

/// What to check, and what else to do.
#[derive(Copy, Clone, Debug, Default)]
pub struct Options<'a> {
    /// The property, instead of the one the file names.
    pub property: Option<&'a str>,
    /// Where to write the obligations of an invariant.
    pub obligations: Option<&'a Path>,
    /// Whether stdout gets JSON instead of text.
    pub json: bool,
}

/// Runs the command.
pub fn run(
    mut loaded: Loaded,
    path: &Path,
    options: Options<'_>,
    console: &Console,
) -> Result<Exit, Failure> {
    let Options { property, obligations, json: as_json } = options;
    if let Some(dir) = obligations {
        obligations::prepare(dir)?;
    }
    let stop = Arc::new(Stop::new());
    let say = console.clone();
    let _watch = limits::watch(Limits::default(), stop.clone(), move |reason| {
        say.line(Failure::Unknown(reason.to_string()));
        leave(say.finish(Exit::Unknown));
    })?;
    let text = load::text(path)?;
    let mut notes = vec![];
    let mut judge =
        Judge { loaded: &mut loaded, path, property, obligations, stop: &stop, console, notes: &mut notes };
    let result = match trace::header(path, &text).map_err(its_own).map(|header| header.format) {
        Ok(format) if format == trace::FORMAT => judge.trace(&text),
        Ok(format) if format == certificate::FORMAT => judge.certificate(text),
        Ok(format) => Err(Refusal::Wrong(format!(
            "`{}` is a `{format}` file; a trace or a certificate is needed",
            path.display()
        ))),
        Err(refusal) => Err(refusal),
    };
    let (checked, reason) = match result {
        Ok(checked) => (Some(checked), None),
        Err(Refusal::Wrong(reason)) => (None, Some(reason)),
        Err(Refusal::Failed(failure)) => return Err(failure),
    };
    for note in &notes {
        console.note(format!("note: {note}"));
    }
    if as_json {
        console.json(&Validation {
            format: "thetis-validation",
            version: 1,
            model: loaded.source.name,
            file: path.display().to_string(),
            valid: reason.is_none(),
            checked: checked.clone(),
            reason: reason.clone(),
            notes,
        });
    }
    match (checked, reason) {
        (_, Some(reason)) => {
            console.note(Failure::Input(reason));
            Ok(Exit::Input)
        }
        (checked, None) => {
            if !as_json {
                console.line(format!("valid: {}", checked.unwrap_or_default()));
            }
            Ok(Exit::Holds)
        }
    }
}

/// Everything that a check needs.
struct Judge<'a> {
    loaded: &'a mut Loaded,
    path: &'a Path,
    property: Option<&'a str>,
    obligations: Option<&'a Path>,
    stop: &'a Stop,
    console: &'a Console,
    notes: &'a mut Vec<String>,
}

impl Judge<'_> {
    fn trace(&mut self, text: &str) -> Result<String, Refusal> {
        let trace = trace::parse(self.path, text).map_err(its_own)?;
        let most = trace.property.as_ref().and_then(|property| property.within);
        self.tell_time(most)?;
        let system = &self.loaded.model.system;
        let lift = Lift { system, source: &self.loaded.source };
        let run = Lower::new(system, &trace.signature).and_then(|reader| reader.run(&trace));
        let run = run.and_then(|run| lift.agrees(&trace, &run, true).map(|()| run));
        let run = run.map_err(|why| self.wrong(&why))?;
        let question = match (self.property, &trace.property) {
            (Some(text), recorded) => {
                let check_states =
                    recorded.as_ref().map_or(CheckStates::All, |recorded| recorded.check_states);
                Some(PropertyRef { name: "-p".to_owned(), text: text.to_owned(), check_states, within: most })
            }
            (None, recorded) => recorded.clone(),
        };
        let (searched, meaning) = match question {
            None => {
                let anywhere = ir::Question::Reach(self.loaded.model.system.terms.bool(true));
                (anywhere, "a run of the model".to_owned())
            }
            Some(question) => {
                let (property, states) = self.target(&question)?;
                let searched = self.loaded.model.system.question(property.claim);
                let undefined = verdict::undefined(&self.loaded.model.system, &property, &run, self.stop);
                let goes_wrong = undefined.map(|fault| Ends::Undefined(fault.kind.to_string()));
                let meaning = match (&trace.ends, goes_wrong) {
                    (Ends::Undefined(kind), found) if found.as_ref() != Some(&trace.ends) => {
                        return Err(self.wrong(&format!(
                            "it claims that the query goes wrong, {kind}, and it does not"
                        )));
                    }
                    (Ends::Target, Some(_)) => {
                        return Err(self.wrong("the query goes wrong at its end, and it does not say so"));
                    }
                    (Ends::Undefined(kind), _) => format!("where the query goes wrong, {kind}"),
                    _ => format!("where {}", question.decided()),
                };
                (searched, format!("a run of the model to a state {meaning}{states}"))
            }
        };
        let reached = certify::check_run(&self.loaded.model.system, &searched, &run, self.stop.flag());
        let steps = run.steps.len();
        let rejected = |why| match (why, trace.late()) {
            (Rejection::Wrong(_), Some(late)) => self.wrong(&late),
            (why, _) => self.rejected(why),
        };
        match reached.map_err(rejected)? {
            Reached::Target if matches!(trace.ends, Ends::Fault(_)) => {
                Err(self.wrong("it claims to end in a fault, and does not"))
            }
            Reached::Fault(_) if !matches!(trace.ends, Ends::Fault(_)) => {
                Err(self.wrong("it ends in a fault, and does not say so"))
            }
            Reached::Target => Ok(format!("{meaning}, {steps} steps, every step re-executed")),
            Reached::Fault(fault) => {
                let Loaded { source, model } = &*self.loaded;
                if trace.ends != (Lift { system: &model.system, source }).fault(fault) {
                    return Err(self.wrong("it ends in another fault than it says"));
                }
                let fault = &model.system.faults[fault];
                let (line, column) = source.start(fault.span);
                Ok(format!(
                    "a run of the model to a fault, {} at {}:{line}:{column}, {steps} steps, every step re-executed",
                    fault.kind, source.name
                ))
            }
        }
    }
    fn certificate(&mut self, text: String) -> Result<String, Refusal> {
        let file = certificate::parse(self.path, &text).map_err(its_own)?;
        drop(text);
        let mut question = file.preamble.property.clone();
        if let Some(text) = self.property {
            text.clone_into(&mut question.text);
        }
        self.tell_time(question.within)?;
        let (property, states) = self.target(&question)?;
        let searched = self.loaded.model.system.question(property.claim);
        let kind = file.preamble.kind;
        let count = file.states.len().max(file.entries.len());
        let system = &self.loaded.model.system;
        let certificate = certificate::lower(system, file).map_err(|why| self.wrong(&why))?;
        // Written first: another solver may know what this one does not.
        if let Some(dir) = self.obligations {
            let name = &self.loaded.source.name;
            let note = obligations::write(dir, name, system, &searched, &certificate, self.stop.flag())?;
            self.notes.push(note);
        }
        certify::check_certificate(system, &searched, &certificate, self.stop.flag())
            .map_err(|why| self.rejected(why))?;
        if kind == certificate::Kind::Invariant {
            return Ok(format!(
                "an invariant of {count} formulas that contain every initial state and every successor, without \
                 faults, and {} of their states{states}",
                question.everywhere()
            ));
        }
        if let Certificate::KInductive(proof) = &certificate {
            let why = match proof.argument {
                Argument::Induction => "no target or fault follows so many states in a row without one",
                Argument::SimplePath => {
                    "no target or fault follows so many different states in a row without one"
                }
                Argument::Exhaustion => "no run is longer",
            };
            return Ok(format!(
                "the first {} of every run looked at, without faults, `{}` holds in all of them{states}, and {why}; \
                 with a lemma of {count} formulas",
                if proof.k == 1 { "state".to_owned() } else { format!("{} states", proof.k) },
                one_line(&question.text)
            ));
        }
        Ok(format!(
            "a closed set of {count} states with every initial state and every successor in it, without faults, \
             and {} of them{states}",
            question.everywhere()
        ))
    }
    /// Gives the model the clock that states of the file have, if the file is about some time only.
    fn tell_time(&mut self, within: Option<u64>) -> Result<(), Refusal> {
        match within.map(|_| within::clock(&mut self.loaded.model.system)) {
            Some(Err(why)) => Err(self.wrong(why)),
            _ => Ok(()),
        }
    }
    /// What the evidence is about, and a remark on which states.
    fn target(&mut self, question: &PropertyRef) -> Result<(Property, String), Refusal> {
        let mut property = self.parse(question)?;
        if let Some(most) = question.within {
            let limited = within::limit(&mut self.loaded.model.system, [&mut property], most);
            limited.map_err(|why| self.wrong(&why))?;
        }
        if let Some(own) = own_text(&self.loaded.source)
            && self.property.is_none()
            && question.name == "prop"
            && one_line(&own) != one_line(&question.text)
        {
            self.notes.push(format!(
                "the file is about `{}`, but the model's own `prop` is `{}`",
                one_line(&question.text),
                one_line(&own)
            ));
        }
        observe(&mut self.loaded.model.system, question.check_states);
        let remark = match question.check_states {
            CheckStates::All => "",
            CheckStates::Stable => " (looking only after init and after trans)",
        };
        let time = question.within.map(|most| format!(" (looking only at {})", trace::first_units(most)));
        Ok((property, format!("{remark}{}", time.unwrap_or_default())))
    }
    fn parse(&mut self, question: &PropertyRef) -> Result<Property, Refusal> {
        let parsed = self.loaded.model.parse_property(&question.name, &question.text);
        parsed.map_err(|diagnostics| {
            let source = Source::new(format!("property for {}", self.path.display()), question.text.as_str());
            let model = &self.loaded.source.name;
            let failure = render::property(&source, diagnostics, model, self.console.colour);
            match self.property {
                Some(_) => Refusal::Failed(failure),
                None => {
                    let why = format!("its property `{}` is wrong: {}", question.text, failure.summary());
                    self.wrong(&why)
                }
            }
        })
    }
    fn rejected(&self, why: Rejection) -> Refusal {
        match why {
            Rejection::Wrong(why) => self.wrong(&plain(&why)),
            Rejection::Undecided(why) => Refusal::Failed(Failure::Unknown(plain(&why))),
            Rejection::Interrupted => Refusal::Failed(Failure::Unknown("interrupted".to_owned())),
        }
    }
    fn wrong(&self, why: &str) -> Refusal {
        let (path, model) = (self.path.display(), &self.loaded.source.name);
        Refusal::Wrong(format!("`{path}` is not valid for `{model}`: {why}"))
    }
}

/// What the judge says in the words of those who only know properties.
fn plain(why: &str) -> String {
    why.replace("is a target", "violates the property")
        .replace("contains a target", "contains a state that violates the property")
        .replace("is not what was searched for", "does not violate the property")
        .replace("is not in the set", "is not listed")
        .replace(" of the set", " of the certificate")
}
