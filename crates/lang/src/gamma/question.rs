//! Questions: properties of Gamma with the instances as the user wrote them, in short and long spellings.
//!
//! A claim is about stable states: `E F { e }` and `A G { e }`, or a formula of linear time behind `A` or `E`
//! ([`formula`](super::formula)), or in the spellings of all languages. What stands inside
//! the braces is an expression of the language whose names are paths: `state a -> b.region.State`, `variable a.x`,
//! `event a.port.event`, `parameter a.port.event::p`; without the word before it, a path means whatever is called so, and
//! the region may be left out. Braces and brackets of formulas are read as parentheses.

use std::ops::Range;

use ir::{Claim, EnumId, FileId, Run, Span, System, Term, Type, VarId};
use rustc_hash::FxHashMap;

use super::ast::*;
use super::atom::Elaborate;
use super::instance::Tree;
use super::lexer::Token;
use super::lower::{Entry, PartEvent, Period, PortEvent, Role};
use super::parser::Parser;
use super::project::Project;
use super::property;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::model::Language;
use crate::question::{Asked, Misread, Question, one_line};
use crate::script::Script;
use crate::temporal::{self, Kind, Propositions};

/// What the names of questions mean.
pub(super) struct Scope {
    pub(super) project: Project,
    pub(super) tree: Tree,
    /// What each state variable is.
    pub(super) table: Vec<Entry>,
    /// The variable that tells that a run has ended inside a step.
    pub(super) stuck: Option<VarId>,
    /// For each event that goes out of the system, where it is raised.
    pub(super) system_outs: Vec<(PortEvent, PartEvent)>,
    /// Enumerations of the user's.
    pub(super) enums: FxHashMap<TypeId, EnumId>,
    /// How much time passes in each step, if that is said.
    pub(super) period: Option<Period>,
}

impl Language for Scope {
    fn script(&mut self, system: &mut System, text: &str) -> Option<Result<Script, Vec<Diagnostic>>> {
        Some(self.read_script(system, text))
    }
    fn write_script(&self, file: &str, run: &Run) -> Option<String> {
        Some(self.written(file, run))
    }
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        if let Some((kind, at)) = temporal::announced(text) {
            let path = match kind {
                Kind::Formula => self.formula(system, text, at.clone())?,
                Kind::Automaton => temporal::automaton(text, at.clone(), |atom| {
                    Reader { scope: self, system, text: atom.to_owned() }.condition(0..atom.len())
                })?,
            };
            let path = self.until_ended(system, path);
            return Ok(path.question(system, name, text, at));
        }
        if let Some(at) = temporal::returning(text) {
            let condition = self.condition(system, text, at.clone())?;
            let condition = self.or_stuck(system, condition);
            return temporal::return_to(name, text, at, condition);
        }
        if let Some(asked) = self.quantified_formula(system, name, text) {
            return asked;
        }
        match quantified(text) {
            Some((Quantifier::Some, at)) => {
                let at = inner(text, at);
                let condition = self.condition(system, text, at.clone())?;
                let stuck = self.is_stuck(system);
                let going = system.terms.not(stuck);
                let condition = system.terms.and([condition, going]);
                let expression = one_line(&text[at]);
                Ok(Question::new(name, text.trim(), expression, Claim::Possibly(condition)))
            }
            Some((Quantifier::All, at)) => {
                let within = inner(text, at.clone());
                match self.condition(system, text, within.clone()) {
                    Ok(condition) => {
                        let condition = self.or_stuck(system, condition);
                        let expression = one_line(&text[within]);
                        Ok(Question::new(name, text.trim(), expression, Claim::Always(condition)))
                    }
                    Err(errors) => {
                        // What `A G` is said of may be a formula itself.
                        let whole = after_quantifier(text).unwrap_or(at);
                        let path = self.formula(system, text, whole.clone());
                        let path = temporal::instead(text, errors, path)?;
                        let path = self.until_ended(system, path);
                        Ok(path.question(system, name, text, whole))
                    }
                }
            }
            Some((Quantifier::Path, at)) => {
                let path = self.formula(system, text, at.clone())?;
                let path = self.until_ended(system, path);
                Ok(path.question(system, name, text, at))
            }
            Some((Quantifier::SomePath, at)) => {
                let path = self.formula(system, text, at.clone())?.of_some_run();
                let path = self.until_ended(system, path);
                Ok(path.question(system, name, text, at))
            }
            None => {
                let at = inner(text, 0..text.len());
                let errors = match self.condition(system, text, at.clone()) {
                    Ok(condition) => {
                        let condition = self.or_stuck(system, condition);
                        let expression = one_line(&text[at]);
                        return Ok(Question::new(name, text.trim(), expression, Claim::Always(condition)));
                    }
                    Err(errors) => errors,
                };
                let path = self.formula(system, text, 0..text.len());
                let path = temporal::instead(text, errors, path)?;
                let path = self.until_ended(system, path);
                Ok(path.question(system, name, text, 0..text.len()))
            }
        }
    }
    /// The formulas of a `.gpd` file; which component they are about is the user's business.
    fn question_file(
        &mut self,
        system: &mut System,
        text: &str,
    ) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        let (file, said) = property::parse(text);
        if said.iter().any(|said| said.severity == Severity::Error) {
            return Some(Err(said));
        }
        let mut list = vec![];
        for (number, property) in file.properties.iter().enumerate() {
            let Span { start, end, .. } = property.span;
            let (start, end) = (start as usize, end as usize);
            let name = match property.comments.first() {
                Some(comment) => comment.to_string(),
                None => format!("property {}", number + 1),
            };
            // Blanks before it, so that places are those of the file.
            let padded = format!("{}{}", " ".repeat(start), &text[start..end]);
            list.push(self.question(system, &name, &padded).map_err(|diagnostics| Misread {
                name,
                text: text[start..end].to_owned(),
                diagnostics,
            }));
        }
        Some(Ok(list))
    }
}

/// What a claim is about.
enum Quantifier {
    /// Some state.
    Some,
    /// All states.
    All,
    /// All runs.
    Path,
    /// Some run.
    SomePath,
}

/// The quantifiers that a text begins with, and what they are about.
fn quantified(text: &str) -> Option<(Quantifier, Range<usize>)> {
    let end = text.trim_end().len();
    let start = text.len() - text.trim_start().len();
    let (every, rest) = match text[start..end].chars().next()? {
        'A' => (true, start + 1),
        'E' => (false, start + 1),
        _ => return None,
    };
    let tail = &text[rest..end];
    let at = rest + (tail.len() - tail.trim_start().len());
    let operators: [&str; 2] = if every { ["G", "[]"] } else { ["F", "<>"] };
    for operator in operators {
        if let Some(about) = text[at..end].strip_prefix(operator)
            && !about.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
        {
            let kind = if every { Quantifier::All } else { Quantifier::Some };
            return Some((kind, at + operator.len()..end));
        }
    }
    // A quantifier stands alone; a name goes on.
    let alone = tail.starts_with(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '!'));
    let path = tail.trim_start();
    let goes_on = path.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '[' | '{' | '!'));
    let word = path.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let is_operator = matches!(word, "G" | "F" | "X" | "") || path.starts_with(['(', '[', '!']);
    (alone && goes_on && is_operator)
        .then_some((if every { Quantifier::Path } else { Quantifier::SomePath }, at..end))
}

/// What is behind the first letter.
fn after_quantifier(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    Some(start + 1..text.trim_end().len())
}

/// Without the brackets around it.
fn inner(text: &str, at: Range<usize>) -> Range<usize> {
    let mut at = at;
    loop {
        let part = &text[at.clone()];
        let trimmed = part.trim_start();
        at.start += part.len() - trimmed.len();
        let trimmed = trimmed.trim_end();
        at.end = at.start + trimmed.len();
        let closing = match trimmed.chars().next() {
            Some('[') => ']',
            Some('{') => '}',
            _ => return at,
        };
        let open = trimmed.chars().next().expect("it has a first character");
        let mut depth = 0_usize;
        for (place, c) in trimmed.char_indices() {
            if c == open {
                depth += 1;
            } else if c == closing {
                depth -= 1;
                if depth == 0 {
                    if place + 1 != trimmed.len() {
                        return at;
                    }
                    break;
                }
            }
        }
        if depth != 0 {
            return at;
        }
        at = at.start + 1..at.end - 1;
    }
}

/// A text with parentheses for the braces and brackets of formulas; positions stay.
fn parenthesised(text: &str) -> String {
    let mut depth = 0_usize;
    let mut before = ' ';
    // Which brackets are positions of arrays.
    let mut brackets = vec![];
    text.chars()
        .map(|c| {
            let is_position = before.is_alphanumeric() && depth > 0;
            if !c.is_whitespace() {
                before = c;
            }
            match c {
                '{' => {
                    depth += 1;
                    '('
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    ')'
                }
                '[' => {
                    brackets.push(is_position);
                    if is_position { c } else { '(' }
                }
                ']' => {
                    if brackets.pop() == Some(true) {
                        c
                    } else {
                        ')'
                    }
                }
                _ => c,
            }
        })
        .collect()
}

impl Scope {
    fn formula(
        &mut self,
        system: &mut System,
        text: &str,
        at: Range<usize>,
    ) -> Result<temporal::Path, Vec<Diagnostic>> {
        // `[]` and `<>` are operators.
        let text = match text.contains("[]") {
            true => text.to_owned(),
            false => parenthesised(text),
        };
        let mut reader = Reader { scope: self, system, text: text.clone() };
        temporal::read(&text, at, &mut reader)
    }
    fn condition(
        &mut self,
        system: &mut System,
        text: &str,
        at: Range<usize>,
    ) -> Result<Term, Vec<Diagnostic>> {
        Reader { scope: self, system, text: text.to_owned() }.condition(at)
    }
    pub(super) fn is_stuck(&self, system: &mut System) -> Term {
        match self.stuck {
            None => system.terms.bool(false),
            Some(stuck) => {
                let (stuck, none) = (system.terms.var(stuck), system.terms.int(0));
                let going = system.terms.eq(stuck, none);
                system.terms.not(going)
            }
        }
    }
    fn or_stuck(&self, system: &mut System, condition: Term) -> Term {
        let stuck = self.is_stuck(system);
        system.terms.or([condition, stuck])
    }
}

/// Reads expressions in a text.
struct Reader<'a> {
    scope: &'a Scope,
    system: &'a mut System,
    text: String,
}

impl Propositions for Reader<'_> {
    fn is_name(&self, word: &str) -> bool {
        let scope = self.scope;
        scope.tree.parts.iter().any(|part| part.name == word)
            || scope.table.iter().any(|entry| match &entry.role {
                Role::Variable(variable, _) => {
                    scope.project.ast.text(scope.project.ast.variables[*variable].ident) == word
                }
                Role::Region(region, _) => {
                    scope.project.ast.text(scope.project.ast.regions[*region].ident) == word
                }
                _ => false,
            })
    }
    fn condition(&mut self, at: Range<usize>) -> Result<Term, Vec<Diagnostic>> {
        let mut ast = Ast::default();
        let mut diagnostics = Diagnostics::default();
        let padded = format!("{}{}", " ".repeat(at.start), &self.text[at.clone()]);
        let mut parser = Parser::new(&padded, FileId::default(), &mut ast, &mut diagnostics);
        parser.observing = true;
        let expr = parser.expr();
        if expr.is_ok() && parser.token() != Token::End {
            let _ = parser.unexpected::<()>("the end of the condition");
        }
        let expr = match expr {
            Ok(expr) if diagnostics.is_empty() => expr,
            _ => return Err(diagnostics.finish()),
        };
        let value = Elaborate { ast: &ast, scope: self.scope, system: self.system }.expr(expr);
        match value {
            Ok(value) if value.len() == 1 && self.system.terms.type_of(value[0]) == Type::Bool => {
                Ok(value[0])
            }
            Ok(_) => {
                let message = "this is no condition; compare it with something";
                Err(vec![Diagnostic::error(Code::TypeMismatch, ast.exprs[expr].span, message)])
            }
            Err(error) => Err(vec![error]),
        }
    }
}
