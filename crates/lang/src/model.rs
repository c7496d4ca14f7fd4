//! Models, whatever their language.

use ir::{Property, Run, System};

use crate::diagnostic::Diagnostic;
use crate::question::{Asked, Measure, Question, Relation};
use crate::script::Script;
use crate::view::View;

/// A model that can be checked.
pub struct Model {
    /// What it does.
    pub system: System,
    /// How that is shown.
    pub view: View,
    /// The questions that are part of it.
    pub questions: Vec<Asked>,
    /// What is in it, as its language counts.
    pub contents: Contents,
    /// What may not be as intended.
    pub warnings: Vec<Diagnostic>,
    /// What the names of later questions mean.
    pub language: Box<dyn Language>,
}

/// What a language must know of a model to read questions about it.
pub trait Language: Send {
    /// Reads a question given from outside; what it needs is added to `system`.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>>;
    /// The question, as the user would write it, whether something that is asked for compares so with a number; `None`
    /// in languages that ask for no values.
    fn threshold(&self, _: &Measure, _: Relation, _: i64) -> Option<String> {
        None
    }
    /// Reads a file of questions, if the language has such files ([`crate::FrontEnd::question_files`]).
    ///
    /// # Errors
    /// Why the text is no such file at all; places point into `text`.
    fn question_file(&mut self, _: &mut System, _: &str) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        None
    }
    /// Reads a run that is prescribed, if the language has such files ([`crate::FrontEnd::script_files`]); what it needs is
    /// added to `system`.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    fn script(&mut self, _: &mut System, _: &str) -> Option<Result<Script, Vec<Diagnostic>>> {
        None
    }
    /// A run of the system as such a text, for the model that is called so.
    fn write_script(&self, _: &str, _: &Run) -> Option<String> {
        None
    }
}

/// What is in a model, as its language counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    /// What the model is made of.
    pub parts: Vec<Part>,
    /// The features of the language that are used.
    pub features: Vec<&'static str>,
    /// What is in what, in languages where that is deep.
    pub outline: Vec<Outline>,
}

/// Something with what is in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// What it is: a `region`, a `state`.
    pub kind: &'static str,
    /// What the user calls it.
    pub name: String,
    /// What else there is to say in a few words.
    pub about: String,
    /// What is in it, in order.
    pub parts: Vec<Outline>,
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What it is: a `section`, a `process`, a `net`.
    pub kind: &'static str,
    /// What the user calls it, if it has a name.
    pub name: Option<String>,
    /// What it has how many of: `("branch", 2)`.
    pub counts: Vec<(&'static str, usize)>,
    /// The names of its locations, if the user gave them.
    pub locations: Vec<String>,
}

impl Model {
    /// Reads a question given from outside, in the language of the model.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    pub fn question(&mut self, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        self.language.question(&mut self.system, name, text)
    }
    /// Reads a file of questions, if the language of the model has such files.
    ///
    /// # Errors
    /// Why the text is no such file at all; places point into `text`.
    pub fn question_file(&mut self, text: &str) -> Option<Result<Vec<Asked>, Vec<Diagnostic>>> {
        self.language.question_file(&mut self.system, text)
    }
    /// What [`Model::question`] claims.
    ///
    /// # Errors
    /// Everything that is wrong with it; places point into `text`.
    pub fn parse_property(&mut self, name: &str, text: &str) -> Result<Property, Vec<Diagnostic>> {
        self.question(name, text).map(|question| question.property)
    }
    /// What the first question of its own claims.
    pub fn property(&self) -> Option<Property> {
        self.questions.iter().flatten().next().map(|question| question.property.clone())
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("questions", &self.questions).finish_non_exhaustive()
    }
}
