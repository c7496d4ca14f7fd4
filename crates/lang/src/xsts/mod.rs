//! XSTS and timed XSTS.
//!
//! An XSTS has state variables and three sections of alternative branches: after the initial values,
//! one branch of `init` runs once, then one of `env` and one of `trans` in turn, for ever. A branch is
//! one atomic step. Timed XSTS adds clocks, which grow together and only in `__delay`.
//!
//! The system has one process, `xsts`, with the locations `init`, `env` and `trans`, named after the
//! section that runs next; each branch is an edge. All states between branches are observed, and claims about runs read
//! all but the one before `init`. Runs that get stuck do not count for them.

#[cfg(any(test, feature = "arbitrary"))]
pub mod arbitrary;
pub mod ast;
mod clock;
mod expr;
mod formula;
mod lexer;
pub(crate) mod lower;
mod ort;
pub(crate) mod parser;
mod print;
mod symbols;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ir::{Claim, Span, System};

pub use print::print;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::question::{Question, one_line};
use crate::temporal::{self, Kind, Path, Propositions};
use crate::view::{LocationView, Section, Time, View};
use crate::{Contents, Conversion, Example, FrontEnd, Language, Model, Part};
use expr::Elaborator;
use formula::Formulas;
use lower::Lowered;
use symbols::Symbols;

/// XSTS and timed XSTS.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "xsts",
    title: "XSTS and timed XSTS",
    extensions: &["xsts"],
    binary: &[],
    recognises: |text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        !text.trim_start().starts_with('<') && words.all(|word| word != "process") && text.contains("tran")
    },
    load: |text, _, _| load(text),
    question_files: &[],
    script_files: None,
    tasks: None,
    conversions: &[Conversion::to_xsts(|text, _, _| load(text).map(|_| print(&parse(text).0)))],
    guide: include_str!("guide.md"),
    examples: &[
        Example {
            name: "traffic_light",
            about: "a pedestrian crossing; its property holds",
            text: include_str!("examples/traffic_light.xsts"),
        },
        Example {
            name: "queue",
            about: "a queue in an array, with a mistake in it",
            text: include_str!("examples/queue.xsts"),
        },
        Example {
            name: "thermostat",
            about: "a timed model",
            text: include_str!("examples/thermostat.xsts"),
        },
        Example {
            name: "watchdog",
            about: "a timed model with an input; its property holds",
            text: include_str!("examples/watchdog.xsts"),
        },
    ],
    smallest: "a model needs at least a `trans` section, for example `trans { }`",
    questions: &["x >= 0", "G (x > 0 -> F x == 0)"],
    own_question: Some("prop { x >= 0 }"),
};

/// What the names of later properties mean.
struct Scope {
    names: ast::Names,
    symbols: Symbols,
}

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the text, by place.
///
/// ```
/// let model = thetis_lang::xsts::load("var x : integer = 0 trans { x := x + 1; } prop { x >= 0 }").unwrap();
/// assert!(model.property().is_some());
/// let errors = thetis_lang::xsts::load("var count : integer trans { cuont := 1; }").unwrap_err();
/// assert_eq!(errors[0].message, "there is no variable `cuont`; did you mean `count`?");
/// ```
pub fn load(source: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let parsed = parser::model(source, &mut diagnostics);
    if parsed.empty {
        if diagnostics.is_empty() {
            let message = "the file is empty; an XSTS model needs at least a `trans` section";
            diagnostics.push(Diagnostic::error(Code::Empty, Span::default(), message));
        }
        return Err(diagnostics.finish());
    }
    let lowered = lower::lower(source, &parsed, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let Lowered { mut system, claim, paths, symbols, mut warnings } = lowered;
    let tree = parsed.model;
    warnings.extend(clocks_that_stand_still(&system, &tree));
    let prop = tree.prop.zip(claim).map(|(prop, claim)| {
        let Span { start, end, .. } = tree.exprs[prop.expr].span;
        let text = &source[start as usize..end as usize];
        Question::new("prop", text, one_line(text), Claim::Always(claim))
    });
    let mut questions: Vec<Question> = prop.into_iter().collect();
    for (number, (ltl, mut path)) in tree.ltl.iter().zip(paths).enumerate() {
        // What is said about the model includes what is said about its questions.
        warnings.append(&mut path.warnings);
        let name = if tree.ltl.len() > 1 { format!("ltl {}", number + 1) } else { "ltl".to_owned() };
        let text = format!("ltl: {}", ltl.text);
        questions.push(Question::new(name, text, &*ltl.text, path.claim(&mut system)));
    }
    warnings.sort_by_key(|warning| warning.span);
    Ok(Model {
        view: view(&system),
        system,
        questions: questions.into_iter().map(Ok).collect(),
        contents: contents(&tree),
        warnings,
        language: Box::new(Scope { names: tree.names, symbols }),
    })
}

/// One process that goes without saying, with sections that run in turn.
fn view(system: &System) -> View {
    let sections = [Section::Init, Section::Env, Section::Trans].map(Some);
    let process = system.processes.ids().next();
    let locations = process.into_iter().flat_map(|process| system.processes[process].locations.ids());
    let locations =
        locations.zip(sections).map(|(at, next)| (at, LocationView { next, ..Default::default() }));
    View::of_one_process(Time::InStep, locations.collect())
}

/// The sections with what is in them.
fn contents(tree: &ast::Model) -> Contents {
    let (mut parts, mut features) = (vec![], vec![]);
    let mut uses = |feature| {
        if !features.contains(&feature) {
            features.push(feature);
        }
    };
    for (name, section) in [("init", &tree.init), ("env", &tree.env), ("trans", &tree.trans)] {
        let Some(section) = section else { continue };
        let (mut statements, mut locals, mut loops) = (0, 0, 0);
        let mut open = section.branches.clone();
        while let Some(stmt) = open.pop() {
            statements += 1;
            match &tree.stmts[stmt].kind {
                ast::StmtKind::Block(list) => {
                    statements -= 1;
                    open.extend_from_slice(list);
                }
                ast::StmtKind::Choice(list) => {
                    uses("choice");
                    open.extend_from_slice(list);
                }
                ast::StmtKind::Ort(list) => {
                    uses("orthogonal blocks (ort)");
                    open.extend_from_slice(list);
                }
                ast::StmtKind::If(_, then, otherwise) => {
                    open.push(*then);
                    open.extend(*otherwise);
                }
                ast::StmtKind::For(.., body) => {
                    uses("loops");
                    loops += 1;
                    open.push(*body);
                }
                ast::StmtKind::Local(..) => {
                    uses("locals");
                    locals += 1;
                }
                ast::StmtKind::Havoc(_) => uses("havoc"),
                ast::StmtKind::Assign(..) | ast::StmtKind::Assume(_) | ast::StmtKind::Delay => {}
            }
        }
        let mut counts = vec![("branch", section.branches.len()), ("statement", statements)];
        counts.extend([("local variable", locals), ("loop", loops)].into_iter().filter(|(_, n)| *n > 0));
        parts.push(Part { kind: "section", name: Some(name.to_owned()), counts, locations: vec![] });
    }
    Contents { parts, features, outline: vec![] }
}

/// Whoever declares a clock means it to grow.
fn clocks_that_stand_still(system: &System, model: &ast::Model) -> Option<Diagnostic> {
    let clock = &system.vars[system.clocks().next()?];
    if model.stmts.iter().any(|stmt| matches!(stmt.kind, ast::StmtKind::Delay)) {
        return None;
    }
    let message = format!("time never passes, so clock `{}` stays as it is", clock.name);
    Some(
        Diagnostic::warning(Code::TimeNeverPasses, clock.span, message)
            .help("let time pass with `__delay;`, usually in `env` or `trans`"),
    )
}

impl Language for Scope {
    /// `prop { e }` or `e` alone, or in the words of queries `A[] e`, which is the same, or `E<> e`, which claims that
    /// `e` holds in some state; or a formula, `ltl: f`, `ltl { f }` or `f` alone; or an automaton, `never: a`; or that
    /// something can always be reached again, `AG EF e`.
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        if let Some((kind, at)) = temporal::announced(text) {
            let path = match kind {
                Kind::Formula => self.formula(system, text, at.clone())?,
                Kind::Automaton => temporal::automaton(text, at.clone(), |atom| {
                    self.formulas(system, atom).condition(0..atom.len())
                })?,
            };
            return Ok(path.question(system, name, text, at));
        }
        if let Some(at) = temporal::returning(text) {
            let condition = self.formulas(system, text).condition(at.clone())?;
            return temporal::return_to(name, text, at, condition);
        }
        let section =
            text.trim_start().strip_prefix("prop").is_some_and(|rest| rest.trim_start().starts_with('{'));
        let errors = match self.property(system, name, text) {
            Err(errors) if !section => errors,
            result => return result,
        };
        if let Some(error) = temporal::branching(text, |word| self.formulas(system, text).is_name(word)) {
            return Err(vec![error]);
        }
        let path = self.formula(system, text, 0..text.len());
        let path = temporal::instead(text, errors, path)?;
        Ok(path.question(system, name, text, 0..text.len()))
    }
}

impl Scope {
    /// A text with formulas.
    fn formulas<'a>(&'a mut self, system: &'a mut System, text: &'a str) -> Formulas<'a> {
        Formulas::new(text, &mut self.names, &mut self.symbols, system)
    }
    /// The formula in a part of a text.
    fn formula(
        &mut self,
        system: &mut System,
        text: &str,
        at: Range<usize>,
    ) -> Result<Path, Vec<Diagnostic>> {
        self.formulas(system, text).read(at)
    }
    /// A claim about states.
    fn property(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::default();
        let parsed = parser::property(text, std::mem::take(&mut self.names), &mut diagnostics);
        if parsed.empty && diagnostics.is_empty() {
            let message = "the property is empty; write an expression that is to hold in every state";
            diagnostics.push(Diagnostic::error(Code::Empty, Span::default(), message));
        }
        let claim = parsed.model.prop.and_then(|prop| {
            self.symbols.grow(parsed.model.names.len());
            let claim = Elaborator::new(text, &parsed.model, system, &mut self.symbols, &mut diagnostics)
                .claim(prop.expr)?;
            Some((claim, parsed.model.exprs[prop.expr].span))
        });
        self.names = parsed.model.names;
        match claim {
            Some((term, Span { start, end, .. })) if diagnostics.is_empty() => {
                let claim = if parsed.possibly { Claim::Possibly(term) } else { Claim::Always(term) };
                let expression = one_line(&text[start as usize..end as usize]);
                Ok(Question::new(name, text.trim(), expression, claim))
            }
            _ => Err(diagnostics.finish()),
        }
    }
}

/// Reads the syntax of a model only, as far as it is intact; diagnostics are sorted by place.
pub fn parse(source: &str) -> (ast::Model, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let parsed = parser::model(source, &mut diagnostics);
    (parsed.model, diagnostics.finish())
}
