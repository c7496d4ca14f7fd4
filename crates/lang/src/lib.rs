//! Front-ends: text in a modelling language becomes a [`ir::System`], a [`View`] of it, and questions.
//!
//! A front-end reports everything wrong with its input at once, as [`diagnostic::Diagnostic`]s that
//! name the user's thing and the fix; shells render them. [`FRONT_ENDS`] lists the languages that there are.
//!
//! ```
//! use thetis_lang::{FRONT_ENDS, NoFiles, Reading};
//!
//! let text = "var x : integer = 0 trans { x := x + 1; } prop { x >= 0 }";
//! let language = FRONT_ENDS.iter().find(|language| (language.recognises)(text)).unwrap();
//! let mut model = (language.load)(text, &mut NoFiles, &Reading::default()).unwrap();
//! assert_eq!((language.name, model.questions.len()), ("xsts", 1));
//! assert!(model.question("few", "x <= 10").is_ok());
//! ```

pub mod code;
pub mod diagnostic;
mod front_end;
mod model;
pub mod nearest;
mod question;
mod script;
mod temporal;
mod view;
mod text;
pub mod xml;
pub mod gamma;
pub mod aiger;
pub mod c;
pub mod cfa;
pub mod pnml;
pub mod sts;
mod theta;
pub mod xsts;
pub mod xta;
pub mod yakindu;

pub use front_end::{
    Conversion, Converter, Example, FRONT_ENDS, Files, FrontEnd, ImportError, Invariants, Loader, NoFiles,
    QuestionFiles, Reading, ScriptFiles, TaskLister,
};
pub use model::{Contents, Language, Model, Outline, Part};
pub use question::{
    About, Asked, Extreme, Grain, Measure, Misread, ModelId, Question, Recorded, Relation, one_line,
};
pub use script::{Given, Script, ScriptStep};
pub use view::{
    Configuration, Elapsed, Group, GroupId, Input, Labels, LocationView, Occurrence, OccurrenceKind,
    ProcessView, Section, Time, VariableView, View,
};
