//! `thetis simulate`: one step after the other, by hand, by chance, or along a trace.

mod dialogue;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Stop;
use lang::Question;
use thetis::lang::Reading;
use thetis::simulate::{Chance, NoStart, Simulator, Stepped, TRIES};
use thetis::trace::{PropertyRef, table};
use thetis::{Limits, Scope, Source, file};

use crate::console::Console;
use crate::exit::{Exit, Failure, leave};
use crate::limits;
use crate::load;
use crate::trace;
use crate::words::Told;

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the model is meant.
    pub reading: Reading,
    /// By chance, so many steps with this seed; else by hand.
    pub random: Option<(u64, usize)>,
    /// Along this trace first.
    pub follow: Option<PathBuf>,
    /// The property to watch instead of the model's own.
    pub property: Option<String>,
    /// Where to write the run.
    pub trace: Option<PathBuf>,
    /// Whether stdout gets the trace as JSON instead of text.
    pub json: bool,
    /// Whether somebody may be asked after a trace has been followed.
    pub interactive: bool,
    /// How much it may use.
    pub limits: Limits,
}

/// Runs the command.
pub fn run(model: &Path, options: &Options, console: &Console) -> Result<Exit, Failure> {
    let given = |error: thetis::Error| load::failure(&error, console.colour);
    let stop = Arc::new(Stop::new());
    let (late, limits) = (console.clone(), options.limits);
    let watch = limits::watch(limits, stop.clone(), move |reason| {
        late.note(format!("{} in the middle of a step; the run is lost", limits::explain(&limits, &reason)));
        leave(Exit::Unknown);
    })?;
    let mut model = load::load(model, &options.reading, console)?;
    if let Some(path) = &options.trace {
        if crate::apart::real(path) == crate::apart::real(Path::new(model.name())) {
            return Err(Failure::Input(format!(
                "`--trace {}` would write over the model `{}`; name another file",
                path.display(),
                model.name()
            )));
        }
        file::writable(path).map_err(|error| given(error.into()))?;
    }
    let question: Option<Question> = match &options.property {
        Some(text) => {
            let (name, source) = (lang::one_line(text), Source::new("-p", text.as_str()));
            let asked = model.ask_named(&name, &source);
            Some(asked.map_err(|error| load::misread(&error, console.colour))?)
        }
        // Of the questions that a model asks itself, an only one is watched.
        None => match model.questions() {
            [Ok(own)] => Some(own.clone()),
            _ => None,
        },
    };
    options.trace.as_deref().map_or(Ok(()), |file| trace::writable(file, &model))?;
    let read = |path| Ok::<_, Failure>((path, trace::read(path, &model, &stop, console)?));
    let trace = options.follow.as_deref().map(read).transpose()?;
    // The states of a trace about some time only have one more clock.
    let recorded = trace.as_ref().and_then(|(_, trace)| trace.property.as_ref());
    let scope = recorded.map_or(Scope::default(), PropertyRef::scope);
    let mut simulator = Simulator::new(&model, question.as_ref(), scope, stop.clone())
        .map_err(|why| Failure::Input(why.to_string()))?;
    if let Some((path, trace)) = &trace {
        let show = |simulator: &Simulator<'_>| {
            if !options.json {
                console.print(simulator.last_step())
            }
        };
        let same_places = simulator.follow(trace, show).map_err(|why| {
            Failure::Input(format!("`{}` does not fit `{}`: {why}", path.display(), model.name()))
        })?;
        if !options.json {
            console.print(table::remark(trace.repetition()));
        }
        if !same_places {
            console.note(moved(&path.display()));
        }
    }
    let followed = trace.is_some();
    let exit = match options.random {
        Some((seed, steps)) => walk(&mut simulator, seed, steps, followed, options.json, console)?,
        None if followed && !options.interactive => Exit::Holds,
        None => dialogue::talk(&mut simulator, &stop, followed, options.json, console)?,
    };
    drop(watch);
    let exit = if stop.requested() {
        let why = limits::explain(&options.limits, &stop.reason());
        let words = format!("{why} after {}", steps(simulator.steps()));
        if options.json {
            console.note(words)
        } else {
            console.line(words)
        }
        Exit::Unknown
    } else {
        exit
    };
    let trace = simulator.trace();
    if options.json {
        console.json(&trace);
    }
    if let Some(path) = &options.trace {
        trace::write(path, &model, &trace, console)?;
        console.note(format!("trace written to {}", path.display()));
    }
    Ok(exit)
}

/// The failure of a simulation that does not start.
fn no_start(why: NoStart) -> Failure {
    match why {
        NoStart::Interrupted => Failure::interrupted(" before the first state"),
        NoStart::Depends(_) | NoStart::Nowhere => Failure::Refused(Told::new(why.code(), why.to_string())),
    }
}

/// So many steps, in words.
pub fn steps(count: usize) -> String {
    format!("{count} step{}", if count == 1 { "" } else { "s" })
}

/// What to say of a trace whose places are not those of the model.
pub fn moved(path: &impl std::fmt::Display) -> String {
    format!("note: the model was edited since `{path}` was written; lines are shown as they are now")
}

/// Takes up to `most` random steps, showing each.
fn walk(
    simulator: &mut Simulator<'_>,
    seed: u64,
    most: usize,
    started: bool,
    json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut chance = Chance::new(seed);
    let show = |simulator: &Simulator<'_>| {
        if !json {
            console.print(simulator.last_step());
        }
    };
    let say = |text: String| if json { console.note(text) } else { console.line(text) };
    if !started {
        simulator.start_by_chance(&mut chance).map_err(no_start)?;
        show(simulator);
    } else if most > 0 && simulator.wait_by_chance(&mut chance) {
        say("more time passes before the next step:".to_owned());
        show(simulator);
    }
    for _ in 0..most {
        if simulator.stopped() || simulator.fault().is_some() {
            break;
        }
        match simulator.step_by_chance(&mut chance) {
            Stepped::Yes => show(simulator),
            // What looks like the end may be the interruption.
            _ if simulator.stopped() => break,
            Stepped::Deadlock => {
                let when = if simulator.waits() { ", now or after any delay" } else { "" };
                let steps = self::steps(simulator.steps());
                say(format!("deadlock after {steps}: no step is possible{when}"));
                return Ok(Exit::Holds);
            }
            Stepped::NotFound => {
                say(format!(
                    "stopped after {}: no possible step was found by {TRIES} random choices of values and delays",
                    self::steps(simulator.steps())
                ));
                return Ok(Exit::Holds);
            }
        }
    }
    match simulator.fault() {
        Some(fault) => {
            console.note(format!("the model goes wrong: {fault}"));
            Ok(Exit::Input)
        }
        None => Ok(Exit::Holds),
    }
}
