//! C programs: `.c` and `.i` files after preprocessing, and the task definitions (`.yml`) that name them.
//!
//! A program becomes one process with a location for each point between statements; functions are inlined. Integers have
//! the width of their types and wrap around, signed ones too, as `gcc -fwrapv` has it; that signed arithmetic never
//! overflows is a question of its own. What C leaves undefined otherwise (division by zero, shifts, indices, pointers) is a
//! fault. The passes, in order: [`desk`] and [`parse`] make a tree of the text; [`elaborate`] with [`expr`], [`assign`],
//! [`call`], [`flow`] and [`order`] make a graph of it ([`code`]); [`points_to`] says what pointers point to; [`memory`],
//! [`value`] and [`lower`] make a system of the graph.

mod assign;
mod ast;
mod call;
mod code;
mod convert;
mod desk;
mod elaborate;
mod expr;
mod flow;
mod lower;
mod memory;
mod order;
mod parse;
mod points_to;
mod prp;
mod question;
mod task;
#[cfg(test)]
mod tests;
mod types;
mod value;

use std::fmt;
use std::str::FromStr;

use ir::{Id, LocationId, ProcessId};

use self::code::ObjectKind;
use self::elaborate::{Elaborator, Symbol};
use self::lower::Lowered;
use self::question::Asking;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::view::{LocationView, ProcessView, Time, View};
use crate::{Contents, Example, FrontEnd, Model, Part, QuestionFiles, Reading};

/// C programs.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "c",
    title: "C programs",
    extensions: &["c", "i", "yml", "yaml"],
    binary: &[],
    recognises: |text| {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.windows(2).any(|pair| matches!(pair, ["int" | "void", "main"]))
    },
    load: |text, files, reading| match task::is_task(text) {
        true => task::load(text, files, reading),
        false => load(text, reading),
    },
    script_files: None,
    tasks: None,
    question_files: &[QuestionFiles { extension: "prp", title: "properties of programs" }],
    conversions: &[],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "bounded_buffer",
        about: "a C program with an array, a loop and an assertion",
        text: include_str!("examples/bounded_buffer.c"),
    }],
    smallest: "a program needs a function `main`",
    questions: &["unreach-call", "no-overflow", "line 12", "A[] x < 5"],
    own_question: Some("reach_error();"),
};

/// How wide the integer types of C are.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[default]
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    Lp64,
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        })
    }
}

impl FromStr for DataModel {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match &*text.to_ascii_uppercase() {
            "ILP32" => Ok(DataModel::Ilp32),
            "LP64" => Ok(DataModel::Lp64),
            _ => Err(format!("`{text}` is no data model; there are ILP32 and LP64")),
        }
    }
}

/// How much stack reading a program may use; what the front desk admits needs less.
const STACK: usize = 256 << 20;

/// Does something with a stack on which even long chains of operators can be descended.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result = None;
    let spawned = std::thread::scope(|scope| {
        let (work, result) = (&mut work, &mut result);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            *result = work.take().map(|work| work());
        });
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            other => other.is_ok(),
        }
    });
    match (result, work) {
        (Some(result), _) => result,
        (None, Some(work)) if !spawned => work(),
        _ => unreachable!("the work was done"),
    }
}

/// Reads a program.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// use thetis_lang::{Reading, c};
/// let text = "int main() { int x = 2; if (x * x != 4) reach_error(); return 0; }";
/// assert!(c::load(text, &Reading::default()).unwrap().property().is_some());
/// let errors = c::load(&text.replace("int x", "double x"), &Reading::default()).unwrap_err();
/// assert_eq!(errors[0].message, "double is not supported in what `main` reaches");
/// ```
pub fn load(source: &str, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    if u32::try_from(source.len()).is_err() {
        let message = "the text is longer than can be read";
        return Err(vec![Diagnostic::error(crate::code::Code::TooLong, ir::Span::default(), message)]);
    }
    with_stack(|| read(source, reading))
}

fn read(source: &str, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::once_each();
    let Some(unit) = parse::unit(source, &mut diagnostics) else { return Err(diagnostics.finish()) };
    let mut elaborator = Elaborator::new(&unit, reading.data_model, &mut diagnostics);
    elaborator.run();
    let Elaborator { types, code, scopes, .. } = elaborator;
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let symbols = scopes.into_iter().next().unwrap_or_default().symbols;
    let names = symbols
        .into_iter()
        .filter(|(_, symbol)| matches!(symbol, Symbol::Constant(_) | Symbol::Type(_)))
        .collect();
    let Some(lowered) = lower::lower(code, types, &unit, source, &mut diagnostics) else {
        return Err(diagnostics.finish());
    };
    Ok(model(lowered, names, &unit, reading))
}

fn model(
    lowered: Lowered,
    names: rustc_hash::FxHashMap<String, Symbol>,
    unit: &ast::Unit,
    reading: &Reading,
) -> Model {
    let Lowered { mut system, memory, locations, overflow, overflows, edges } = lowered;
    let mut process = ProcessView { named: false, ..ProcessView::default() };
    for (point, location) in locations.entries() {
        let made = &memory.code.points[point];
        let between = !made.is_place() && memory.code.entry != Some(point);
        if let (Some(location), true) = (*location, between) {
            process.locations.insert(location, LocationView { within_step: true, ..LocationView::default() });
        }
    }
    let mut view =
        View { time: Time::AfterStep, processes: [process].into_iter().collect(), ..View::default() };
    view.variables = memory.views.clone();
    for (id, edge) in system.processes.iter().flat_map(|process| process.edges.entries()) {
        let title = format!("{}: {}", memory.line(edge.span), edge.label);
        view.titles.insert((ProcessId::at(0), id), title);
    }
    let written =
        memory.code.objects.iter().filter(|object| !matches!(object.kind, ObjectKind::Hidden)).count();
    let counts = vec![
        ("variable", written),
        ("function", unit.functions.len()),
        ("location", system.processes.iter().map(|process| process.locations.len()).sum()),
        ("edge", edges.len()),
    ];
    let part = Part { kind: "program", name: None, counts, locations: vec![] };
    let features = vec![match reading.data_model {
        DataModel::Ilp32 => "data model ILP32",
        DataModel::Lp64 => "data model LP64",
    }];
    let contents = Contents { parts: vec![part], features, outline: vec![] };
    let mut asking = Asking::new(memory, locations, overflow, overflows, names);
    let questions = asking.own(&mut system).into_iter().map(Ok).collect();
    Model { system, view, questions, contents, warnings: vec![], language: Box::new(asking) }
}

/// The place of the program, as a condition.
fn at(system: &mut ir::System, places: &[LocationId]) -> ir::Term {
    let ways: Vec<ir::Term> =
        places.iter().map(|location| system.terms.at(ProcessId::at(0), *location)).collect();
    system.terms.or(ways)
}
