//! `thetis validate`: is a trace or a certificate right? No engine is asked.

use std::path::Path;
use std::sync::Arc;

use certify::{Checker, Rejection};
use engine::Stop;
use ir::{Argument, Claim};
use serde::Serialize;
use thetis::lang::Reading;
use thetis::obligations::{self, Unwritten, Written};
use thetis::trace::{ClaimRecord, Ends, FairRecord, Mismatch, PropertyRef, Trace, uppaal};
use thetis::validate::{Asked, Descended, End, Invalid, Shown, Submission, Valid};
use thetis::{CheckStates, Limits, Model, Scope, StuckRuns, ZenoRuns, file, first_units};

use crate::check;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits;
use crate::load;
use crate::trace;
use crate::words::{self, Told};

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
    /// Which verdict that is of what it is about.
    pub verdict: Option<VerdictRecord>,
    /// Why it is not.
    pub reason: Option<String>,
    /// The stable code of that.
    pub code: Option<&'static str>,
    /// What it is about, with the part of the runs that is looked at, if it is right.
    pub property: Option<PropertyRef>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// Which verdict evidence shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictRecord {
    /// The property holds.
    Holds,
    /// It is violated.
    Violated,
    /// The model goes wrong, or the property does.
    Fault,
}

/// The property that evidence is to be about, instead of the one that the file names.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// What would be asked, if it were a search; only what says what is asked matters.
    pub questions: check::Options,
    /// Which of several, from 1.
    pub number: Option<usize>,
    /// Which part of the runs it looks at.
    pub scope: Scope,
}

/// What to check, and what else to do.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// What it is to be about.
    pub about: Option<&'a Asking>,
    /// Where to write the obligations of an invariant.
    pub obligations: Option<&'a Path>,
    /// Who checks.
    pub checker: Checker,
    /// How the model is meant.
    pub reading: Reading,
    /// How much it may use.
    pub limits: Limits,
    /// Whether stdout gets JSON instead of text.
    pub json: bool,
}

/// Runs the command.
pub fn run(model: &Path, path: &Path, options: Options<'_>, console: &Console) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let _watch = limits::give_up(options.limits, &stop, console)?;
    let mut model = load::load(model, &options.reading, console)?;
    if let Some(dir) = options.obligations {
        obligations::prepare(dir).map_err(unwritten)?;
    }
    let text = file::read(path).map_err(|error| load::failure(&error.into(), console.colour))?;
    let (name, shown) = (model.name().to_owned(), path.display().to_string());
    let mut notes = vec![];
    let about = options.about.map(|about| about.text(&mut model, console.colour)).transpose()?;
    let asked = options.about.zip(about.as_deref()).map(|(about, text)| Asked { text, scope: &about.scope });
    let judged = judge(&mut model, &shown, &text, asked, options.clone(), &stop, &mut notes);
    if stop.requested() && !matches!(judged, Ok(Ok(_))) {
        return Err(Failure::Unknown(words::reason(&stop.reason(), &options.limits)));
    }
    let (mut property, mut verdict) = (None, None);
    let checked = match judged? {
        Ok(valid) => {
            property.clone_from(&valid.question);
            verdict = shows(&valid);
            Ok(said(&valid))
        }
        Err(refused) => Err(refused.told(&shown, &name, options.about.is_some(), console.colour)?),
    };
    for note in &notes {
        console.note(format!("note: {note}"));
    }
    if options.json {
        console.json(&Validation {
            format: "thetis-validation",
            version: 1,
            model: name,
            file: shown,
            valid: checked.is_ok(),
            checked: checked.as_ref().ok().cloned(),
            verdict,
            reason: checked.as_ref().err().map(|told| told.text.clone()),
            code: checked.as_ref().err().map(|told| told.code),
            property,
            notes,
        });
    }
    match checked {
        Err(reason) => {
            console.note(Failure::Refused(reason));
            Ok(Exit::Input)
        }
        Ok(checked) => {
            if !options.json {
                console.line(format!("valid: {checked}"));
            }
            Ok(Exit::Holds)
        }
    }
}

/// What the judge says; fails if something else could not be done.
fn judge(
    model: &mut Model,
    file: &str,
    text: &str,
    about: Option<Asked<'_>>,
    options: Options<'_>,
    stop: &Stop,
    notes: &mut Vec<String>,
) -> Result<Result<Valid, Refused>, Failure> {
    let name = model.name().to_owned();
    let read = match uppaal::recognises(text) {
        true => {
            // What is wrong with the question is told below.
            let asked = about.and_then(|asked| model.ask(asked.text).ok());
            let trace = trace::of_uppaal(file, text, model, asked.as_ref(), stop)?;
            notes.push(
                "a trace of UPPAAL is validated by its edges and values, with exact times that fit them; its zones are \
                 not compared"
                    .to_owned(),
            );
            // Who asks about a run claims that it decides what is asked.
            let ends = if about.is_some() { Ends::Target } else { trace.ends };
            Submission::trace(model, Trace { ends, ..trace }, about)
        }
        false => Submission::read(model, file, text, about),
    };
    let submission = match read {
        Ok(submission) => submission,
        Err(invalid) => return Ok(Err(Refused { invalid, claim: None })),
    };
    if let (Some(own), Some(asked)) = (submission.outdated(), &submission.question) {
        notes.push(format!(
            "the file is about `{}`, but the model's own `{}` is `{}`",
            lang::one_line(&asked.text),
            own.name,
            lang::one_line(&own.text)
        ));
    }
    // Written first: another solver may know what this one does not.
    if let (Some(dir), Some((system, searched, certificate))) = (options.obligations, submission.claimed()) {
        let written = obligations::write(dir, &name, system, searched, certificate, stop.flag());
        notes.push(said_of(&written.map_err(unwritten)?, dir));
    }
    let claim = submission.claim();
    Ok(submission.check_by(&options.checker, stop).map_err(|invalid| Refused { invalid, claim }))
}

impl Asking {
    /// Whether anything is asked.
    pub fn is_given(&self) -> bool {
        let check::Options { properties, formulas, property_files, all, .. } = &self.questions;
        *all || !(properties.is_empty() && formulas.is_empty() && property_files.is_empty())
    }
    /// The text of the property, in the language of the model.
    fn text(&self, model: &mut Model, colour: bool) -> Result<String, Failure> {
        let list = check::questions(model, &self.questions, colour)?;
        let count = list.len();
        let question = match self.number {
            None if count > 1 => {
                return Err(Failure::Input(format!(
                    "there are {count} properties, and a file is about one of them; choose it by `--number N`"
                )));
            }
            number => list.into_iter().nth(number.unwrap_or(1) - 1),
        };
        let Some(question) = question else {
            return Err(Failure::Input(format!("there is no property with this number; there are {count}")));
        };
        match (question.asked, question.unsupported) {
            (Ok(asked), _) => Ok(asked.text),
            // What only needs what Thetis lacks is unknown, for every command.
            (Err(_), Some(lacking)) => Err(Failure::Unknown(lacking)),
            (Err(failure), None) => Err(failure),
        }
    }
}

/// Which verdict right evidence shows of what it is about; none if it is about nothing.
fn shows(valid: &Valid) -> Option<VerdictRecord> {
    let claim = valid.question.as_ref()?.claim;
    let found = match &valid.shown {
        Shown::Run(_, End::Undefined(_) | End::Fault(..)) => return Some(VerdictRecord::Fault),
        Shown::Run(_, End::Anywhere) => return None,
        Shown::Run(..) => true,
        _ => false,
    };
    let holds = match claim {
        ClaimRecord::Always | ClaimRecord::Every | ClaimRecord::AlwaysPossibly => !found,
        ClaimRecord::Possibly | ClaimRecord::Some => found,
    };
    Some(if holds { VerdictRecord::Holds } else { VerdictRecord::Violated })
}

/// A file that is not accepted, and what it claims.
struct Refused {
    invalid: Box<Invalid>,
    claim: Option<Claim>,
}

/// What became of obligations, in words.
pub fn said_of(written: &Written, dir: &Path) -> String {
    match written {
        Written::All(count) => format!("{count} obligations written to {}", dir.display()),
        Written::Base(count) => format!(
            "{count} obligations written to {}; that the automaton accepts every run that would violate the \
             property is not among them",
            dir.display()
        ),
        Written::States => {
            "no obligations were written: the certificate lists states, which are checked by execution"
                .to_owned()
        }
        Written::ManyZones(count) => format!(
            "no obligations were written: the certificate has {count} zones, too many to be put to a solver"
        ),
    }
}

/// The failure of a command that could not write obligations.
pub fn unwritten(why: Unwritten) -> Failure {
    match why {
        Unwritten::File(error) => Failure::Refused(Told::new(error.problem.code(), error.to_string())),
        Unwritten::Occupied(dir) => Failure::Input(format!(
            "`{}` holds other files than obligations; --obligations needs a directory of its own",
            dir.display()
        )),
        Unwritten::Rejected(Rejection::Interrupted) => Failure::interrupted(""),
        Unwritten::Rejected(Rejection::Undecided(why)) => {
            let told = words::uncertified(&why);
            Failure::Unknown(Told { text: format!("obligations: {}", told.text), ..told })
        }
        Unwritten::Rejected(why @ Rejection::Wrong(_)) => {
            Failure::Unknown(Told::new(why.code(), format!("obligations: {why}")))
        }
    }
}

/// What right evidence shows, in words.
fn said(valid: &Valid) -> String {
    let scope = valid.question.as_ref().map_or(String::new(), scope);
    let everywhere = || valid.question.as_ref().map_or(String::new(), PropertyRef::everywhere);
    let about_runs = valid.question.as_ref().is_some_and(PropertyRef::is_about_runs);
    let decided = || valid.question.as_ref().map_or(String::new(), PropertyRef::decided);
    match &valid.shown {
        Shown::Run(steps, end @ (End::Repeats(start) | End::Recurs(start, _))) => {
            let round = match end {
                End::Recurs(_, head) => {
                    format!(
                        "those after state {start} repeated for ever, every round from a state where {head}"
                    )
                }
                _ if start == steps => {
                    "its last state repeated for ever because nothing can happen there".to_owned()
                }
                _ => format!("those after state {start} repeated for ever"),
            };
            let expression = valid.question.as_ref().map_or(String::new(), PropertyRef::expression);
            let verb = valid.question.as_ref().map_or("", PropertyRef::verb);
            format!(
                "a run of the model that {verb} `{expression}`{scope}, {}, {round}, every step re-executed",
                crate::simulate::steps(*steps)
            )
        }
        Shown::Run(steps, End::Decided) if about_runs => {
            let steps = crate::simulate::steps(*steps);
            format!("a run of the model, {steps}, every step re-executed; {}{scope}", decided())
        }
        Shown::Progress { states, base, descent } => {
            let within = match &**base {
                Shown::Invariant(count) | Shown::Induction(_, _, count) => format!("{count} formulas about"),
                Shown::ClosedSet(count) => format!("{count} states of"),
                Shown::Run(..) | Shown::Progress { .. } | Shown::Returns(_) => String::new(),
            };
            let why = match descent {
                Descended::Measures => "along whose steps a measure shows that no run is accepted".to_owned(),
                Descended::Ranks => "along whose steps a ranking shows that no run is accepted".to_owned(),
                Descended::Rounds(most) => {
                    let often = match most {
                        0 => "even once".to_owned(),
                        1 => "twice".to_owned(),
                        most => format!("more than {most} times"),
                    };
                    format!("in which no run comes through all acceptance sets {often}")
                }
                Descended::Terminal => "in which no run leads to an accepting state".to_owned(),
            };
            let it = match valid.question.as_ref().map(|question| question.claim) {
                Some(ClaimRecord::Some) => "satisfy it",
                _ => "violate it",
            };
            let states = if *states == 1 { "1 state".to_owned() } else { format!("{states} states") };
            format!(
                "an automaton of {states} that accepts every run that would {it}, and {within} its \
                 product with the model, without faults, {why}; {}{scope}",
                everywhere()
            )
        }
        Shown::Run(steps, end) => {
            let to = match end {
                End::Anywhere | End::Repeats(_) | End::Recurs(..) => String::new(),
                End::Decided => format!(" to a state where {}{scope}", decided()),
                End::Undefined(kind) => format!(" to a state where the query goes wrong, {kind}{scope}"),
                End::Fault(kind, place) => format!(" to a fault, {kind} at {place}"),
            };
            format!("a run of the model{to}, {}, every step re-executed", crate::simulate::steps(*steps))
        }
        Shown::Invariant(count) => format!(
            "an invariant of {count} formulas that contain every initial state and every successor, without faults, \
             and {} of their states{scope}",
            everywhere()
        ),
        Shown::Induction(k, argument, count) => {
            let why = match argument {
                Argument::Induction => "no target or fault follows so many states in a row without one",
                Argument::SimplePath => {
                    "no target or fault follows so many different states in a row without one"
                }
                Argument::Exhaustion => "no run is longer",
            };
            let states = if *k == 1 { "state".to_owned() } else { format!("{k} states") };
            format!(
                "the first {states} of every run looked at, without faults, {} of them{scope}, and {why}; with a \
                 lemma of {count} formulas",
                everywhere()
            )
        }
        Shown::Returns(count) => format!(
            "a closed set of {count} states with every initial state and every successor in it, without faults, and with \
             distances along which {} of them{scope}",
            everywhere()
        ),
        Shown::ClosedSet(count) => format!(
            "a closed set of {count} states with every initial state and every successor in it, without faults, and \
             {} of them{scope}",
            everywhere()
        ),
    }
}

/// A remark on which part of the runs a question looks at.
fn scope(question: &PropertyRef) -> String {
    let states = match question.check_states {
        CheckStates::All => "",
        CheckStates::Stable => " (looking only at stable states)",
    };
    let time = question.within.map(|most| format!(" (looking only at {})", first_units(most)));
    let stuck = question.stuck_runs.map_or("", |stuck| match stuck {
        StuckRuns::Ignore => " (runs that get stuck do not count)",
        StuckRuns::Repeat => " (runs that get stuck repeat their last state)",
        StuckRuns::Idle => " (runs that get stuck repeat their last state, and time may pass for ever)",
    });
    let zeno = match question.zeno {
        ZenoRuns::Allow => "",
        ZenoRuns::Forbid => " (infinite runs that take a bounded time do not count)",
    };
    let fair: Vec<String> = question.fair.iter().map(|FairRecord(fair)| fair.to_string()).collect();
    let fair = if fair.is_empty() { String::new() } else { format!(" (fairness: {})", fair.join(", ")) };
    format!("{states}{}{stuck}{zeno}{fair}", time.unwrap_or_default())
}

/// The options that choose a part of the runs.
fn options(scope: &Scope) -> String {
    let states = match scope.check_states {
        CheckStates::All => None,
        CheckStates::Stable => Some("--check-states stable".to_owned()),
    };
    let time = scope.within.map(|most| format!("--within {most}"));
    let stuck = scope.stuck.map(|stuck| match StuckRuns::from(stuck) {
        StuckRuns::Ignore => "--stuck-runs ignore".to_owned(),
        StuckRuns::Repeat => "--stuck-runs repeat".to_owned(),
        StuckRuns::Idle => "--stuck-runs idle".to_owned(),
    });
    let zeno = match ZenoRuns::from(scope.zeno) {
        ZenoRuns::Allow => None,
        ZenoRuns::Forbid => Some("--zeno forbid".to_owned()),
    };
    let fair = scope.fair.iter().map(|fair| format!("--fair '{fair}'"));
    [states, time, stuck, zeno].into_iter().flatten().chain(fair).collect::<Vec<_>>().join(" ")
}

impl Refused {
    /// Why a file is not right, in words; fails if that could not be found out.
    fn told(&self, file: &str, model: &str, asked: bool, colour: bool) -> Result<Told, Failure> {
        let wrong = |told: Told| {
            Ok(Told { text: format!("`{file}` is not valid for `{model}`: {}", told.text), ..told })
        };
        match &*self.invalid {
            Invalid::File(error) => Ok(Told::new(error.problem.code(), error.to_string())),
            Invalid::Misfit(misfit) => {
                let edited = match &misfit.what {
                    Mismatch::Written { .. } | Mismatch::Shown(_) => {
                        "; if the model was edited, `thetis trace replay` shows the run as it is now"
                            .to_owned()
                    }
                    Mismatch::Scope(scope) => match options(scope) {
                        given if given.is_empty() => "; leave the options out that choose them".to_owned(),
                        given => format!("; to ask about the same, give `{given}`"),
                    },
                    _ => String::new(),
                };
                wrong(Told::new(misfit.what.code(), format!("{misfit}{edited}")))
            }
            Invalid::Question(error) if asked || error.unsupported().is_some() => {
                Err(load::misread(&thetis::Error::Text(error.clone()), colour))
            }
            Invalid::Question(error) => {
                let said = error.diagnostics.first().map_or("", |first| first.message.as_str());
                let code = error.diagnostics.first().map_or("input", |first| first.code.code());
                let text = lang::one_line(&error.sources.main().text);
                wrong(Told::new(code, format!("its property `{text}` is wrong: {said}")))
            }
            Invalid::Pose(why) => wrong(Told::new(why.code(), why.to_string())),
            Invalid::Rejected(Rejection::Wrong(why)) => wrong(match &self.claim {
                Some(claim) => words::wrong(why, claim),
                None => Told::new(why.flaw.code(), why.to_string()),
            }),
            Invalid::Rejected(Rejection::Undecided(why)) => Err(Failure::Unknown(words::uncertified(why))),
            Invalid::Rejected(Rejection::Interrupted) => Err(Failure::interrupted("")),
        }
    }
}
