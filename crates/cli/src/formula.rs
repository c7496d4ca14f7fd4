//! `thetis ltl`: what a formula of linear temporal logic says, without any model.
//!
//! Atoms are plain names here. A formula is shown by its automaton, or by that of its negation, which is the one that a
//! search looks for; by whether every violation shows after finitely many states; and by a word for it and one against it.
//! Words are written as `p; !q; cycle{p & q}`: a letter for each state, and the last ones for ever.

use std::fmt::Display;
use std::sync::Arc;

use engine::Stop;
use ir::ltl::{Formula, Lasso};
use ir::{Id, Span};
use lang::code::Code;
use lang::diagnostic::Diagnostic;
use ltl::hoa::Hoa;
use ltl::parse::{Error, Names, NoName, Parsed, Warning, WarningKind, parse};
use ltl::{Automaton, Cube, TooLarge, classify, dot, translate, word};
use serde::Serialize;
use serde_json::{Map, Value};
use thetis::certificate::TransitionRecord;
use thetis::{Limits, Source, Sources, TextError};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::limits;
use crate::render::{self, Message};
use crate::words::{self, Told};

/// How a formula is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    /// What it says, and its automaton as lines
    #[default]
    Text,
    /// The automaton in the Hanoi omega-automata format
    Hoa,
    /// The automaton as a picture for Graphviz
    Dot,
    /// Everything as JSON
    Json,
}

/// What `--format json` says; see `docs/schema/formula.schema.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Record {
    format: &'static str,
    version: u32,
    /// The formula, with patterns and other spellings written out.
    formula: String,
    /// Whether it was negated before.
    negated: bool,
    /// Whether every violation shows after finitely many states.
    safety: bool,
    /// The names of the atoms, in the order of their numbers.
    atoms: Vec<String>,
    automaton: AutomatonRecord,
    /// A word for it.
    satisfied_by: Option<WordRecord>,
    /// A word against it.
    violated_by: Option<WordRecord>,
}

/// An automaton, with a number for each state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct AutomatonRecord {
    states: usize,
    initial: u32,
    sets: u32,
    transitions: Vec<TransitionRecord>,
}

/// A word: letters as what is said of atoms, and where the last ones begin, which are repeated for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct WordRecord {
    letters: Vec<Map<String, Value>>,
    #[serde(rename = "loop")]
    back: usize,
}

/// Runs the command.
pub fn run(
    text: &str,
    format: Format,
    negate: bool,
    limits: Limits,
    console: &Console,
) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new());
    let _watch = limits::give_up(limits, &stop, console)?;
    let mut names = Names::default();
    let sources = Sources::new(Source::new("formula", text));
    let Parsed { formula, warnings } =
        parse(text, &mut names).map_err(|error| misread(&sources, error, console))?;
    for warning in warnings {
        console.note(render::message(&sources, &read_so(warning), console.colour).trim_end());
    }
    let formula = if negate { formula.negated() } else { formula };
    let shown = Shown::new(formula, names).map_err(|_| {
        let text = "unsupported: the formula has an automaton that is too large";
        Failure::Unknown(Told::new("unsupported.large-formula", text))
    })?;
    if stop.requested() {
        return Err(Failure::Unknown(words::reason(&stop.reason(), &limits)));
    }
    match format {
        Format::Text => console.print(shown.text()),
        Format::Hoa => console.print(shown.hoa().to_string()),
        Format::Dot => console.print(dot::dot(&shown.automaton, |atom| shown.name(atom)).to_string()),
        Format::Json => console.json(&shown.record(negate)),
    }
    Ok(Exit::Holds)
}

/// What is wrong with the text of a formula.
fn misread(sources: &Sources, error: Error<NoName>, console: &Console) -> Failure {
    let (at, message) = match error {
        Error::Syntax(at, problem) => (at, problem.to_string()),
        Error::Atom(at, NoName) => {
            let text = sources.main().text[at.clone()].trim();
            (at, format!("`{text}` is no name; propositions are names here, or any text in double quotes"))
        }
    };
    let diagnostics = vec![Diagnostic::error(Code::Syntax, Span::new(at.start, at.end), message)];
    render::failure(&TextError { sources: sources.clone(), diagnostics, about: None }, console.colour)
}

/// What is said where other readers may read something else.
fn read_so(warning: Warning) -> Message {
    let (title, label) = match warning.kind {
        WarningKind::Chain => {
            ("a chain of operators is read from the right: `a U b U c` is `a U (b U c)`", "put brackets here")
        }
        WarningKind::Negation => ("a negation binds tighter: `!a U b` is `(!a) U b`", "put brackets here"),
    };
    Message::note(title).at(Span::new(warning.at.start, warning.at.end), label)
}

/// A formula with what is known of it.
struct Shown {
    formula: Formula,
    names: Names,
    automaton: Automaton,
    safety: bool,
    satisfied_by: Option<Lasso<Cube>>,
    violated_by: Option<Lasso<Cube>>,
}

impl Shown {
    fn new(formula: Formula, names: Names) -> Result<Self, TooLarge> {
        let automaton = translate(&formula)?;
        let against = translate(&formula.negated())?;
        let safety = classify::is_safety(&automaton, &against)?;
        let (satisfied_by, violated_by) = (word::example(&automaton), word::example(&against));
        Ok(Shown { formula, names, automaton, safety, satisfied_by, violated_by })
    }
    /// The name of an atom, in quotes unless it is one that can be written without.
    fn name(&self, atom: u32) -> String {
        let name = self.names.name(atom);
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
        if plain { name.to_owned() } else { format!("\"{name}\"") }
    }
    fn formula(&self) -> String {
        self.formula.display(|atom| self.name(atom)).to_string()
    }
    fn text(&self) -> String {
        let Shown { automaton, .. } = self;
        let kind = match self.safety {
            true => "a safety property: every violation shows after finitely many states",
            false => "no safety property: some violation shows on an infinite run only",
        };
        let word = |word: &Option<Lasso<Cube>>, none: &str| match word {
            Some(word) => self.word(word),
            None => format!("no run; {none}"),
        };
        let states = many(automaton.len(), "state");
        let edges = many(automaton.edges().len(), "transition");
        let sets = many(automaton.sets() as usize, "acceptance set");
        format!(
            "{}\n{kind}\nsatisfied by: {}\nviolated by: {}\nautomaton: {states}, {edges}, {sets}\n{}",
            self.formula(),
            word(&self.satisfied_by, "it cannot be satisfied"),
            word(&self.violated_by, "it always holds"),
            automaton.display(|atom| self.name(atom))
        )
    }
    /// A word as people read it.
    fn word(&self, word: &Lasso<Cube>) -> String {
        let letter = |letter: &Cube| {
            let literal = |(atom, holds): &(u32, bool)| {
                format!("{}{}", if *holds { "" } else { "!" }, self.name(*atom))
            };
            let list: Vec<String> = letter.iter().map(literal).collect();
            if list.is_empty() { "true".to_owned() } else { list.join(" & ") }
        };
        let join = |letters: &[Cube]| letters.iter().map(letter).collect::<Vec<_>>().join("; ");
        let stem = if word.stem().is_empty() { String::new() } else { join(word.stem()) + "; " };
        format!("{stem}cycle{{{}}}", join(word.cycle()))
    }
    fn hoa(&self) -> impl Display {
        let names = self.names.iter().map(str::to_owned).collect();
        Hoa { automaton: self.automaton.clone(), names, places: vec![], name: Some(self.formula()) }
    }
    fn record(&self, negated: bool) -> Record {
        let Shown { automaton, .. } = self;
        let transition = |edge: &ltl::Edge| TransitionRecord {
            source: edge.source.index() as u32,
            target: edge.target.index() as u32,
            guard: automaton.guards().cubes(edge.guard),
            sets: edge.marks.iter().collect(),
        };
        let word = |word: &Lasso<Cube>| WordRecord {
            letters: word.letters().iter().map(|letter| self.letter(letter)).collect(),
            back: word.stem().len(),
        };
        Record {
            format: "thetis-formula",
            version: 1,
            formula: self.formula(),
            negated,
            safety: self.safety,
            atoms: self.names.iter().map(str::to_owned).collect(),
            automaton: AutomatonRecord {
                states: automaton.len(),
                initial: automaton.initial().index() as u32,
                sets: automaton.sets(),
                transitions: automaton.edges().iter().map(transition).collect(),
            },
            satisfied_by: self.satisfied_by.as_ref().map(word),
            violated_by: self.violated_by.as_ref().map(word),
        }
    }
    fn letter(&self, letter: &Cube) -> Map<String, Value> {
        letter.iter().map(|(atom, holds)| (self.names.name(*atom).to_owned(), Value::Bool(*holds))).collect()
    }
}

fn many(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
