//! Why a trace or a certificate does not fit a model.

use std::fmt;

use ir::FaultKind;

use super::TypeRecord;
use crate::pose::Scope;

/// Why evidence does not fit a model, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Where in the file.
    pub place: Place,
    /// What does not fit.
    pub what: Mismatch,
}

/// A part of a file of evidence.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file as a whole.
    File,
    /// The initial state of a trace.
    Initial,
    /// This step of a trace, from 1.
    Step(usize),
    /// This state of a certificate, from 0.
    State(usize),
    /// This zone of a certificate, from 0.
    Zone(usize),
    /// This formula of a certificate, from 0.
    Entry(usize),
}

/// What a trace says about how it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Whether time passes in steps or after them.
    Time,
    /// This process: whether its location is news, and which section runs next.
    Process(String),
    /// This variable: what it belongs to, and what its values are called.
    Variable(String),
    /// What several variables are together.
    Configurations,
    /// What the property claims, and of what.
    Property,
    /// This title of an edge.
    Title(String),
    /// The file that the edge of this title is written in.
    File(String),
    /// Whether the step of the user's goes on after this one.
    GoesOn,
    /// An amount of time as a decimal.
    Decimal,
    /// What several variables are together in a state.
    Cases,
    /// What happens in a step.
    Happened,
    /// The states that every round of a loop begins in.
    Head,
}

/// What does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// It has a variable of this name, and the model has none.
    Variable(String),
    /// Its enumerations are others.
    Enumerations,
    /// Its variables or locations are others.
    Names,
    /// A state has another number of locations or values.
    Shape,
    /// There is no location of this name.
    Location(String),
    /// It has fewer locations than the model has processes, or tells where one of them is more than once.
    Locations,
    /// There is no process of this name.
    Process(String),
    /// There is no edge that the user knows as this, or not at its number.
    Edge(String),
    /// This is no value of a variable.
    Value {
        /// What it says.
        value: String,
        /// The variable, if it is one of a state.
        variable: Option<String>,
        /// The type that the value should have, if it says so.
        ty: Option<TypeRecord>,
    },
    /// This is no amount of time.
    Time(String),
    /// It says that so much time passes, and its choices make another amount; `None` where time cannot pass.
    Delay(Option<String>, Option<String>),
    /// It says that an edge is written at a line and column where it is not; `None` where it is not written.
    Written {
        /// How the user knows the edge.
        title: String,
        /// What it says.
        said: Option<(usize, usize)>,
        /// What is so.
        known: Option<(usize, usize)>,
    },
    /// It shows this otherwise than the model does.
    Shown(Shown),
    /// It does not start at the initial locations.
    Start,
    /// These edges cannot be taken there.
    Impossible(String),
    /// This variable gets another value.
    Differs(String),
    /// An assumption fails.
    Blocked,
    /// No execution leads to its state.
    NoExecution,
    /// The recorded choices are not those of the model.
    Choices,
    /// Its loop begins in the state of this number, and its last state is another one.
    Open(usize),
    /// It repeats for ever, and is about a property of a state that a run ends in.
    Endless,
    /// It claims to end in a fault, and does not.
    NoFault,
    /// It ends in a fault, and does not say so.
    Fault,
    /// It ends in another fault than it says.
    OtherFault,
    /// It claims that evaluating the property goes wrong at its end in this way, and that does not.
    NotUndefined(FaultKind),
    /// Evaluating the property goes wrong at its end, and it does not say so.
    Undefined,
    /// This step ends at this time, and it is only about so many units of time.
    Late(String, u64),
    /// It looks at this part of the runs, and the property that it is compared with at another.
    Scope(Box<Scope>),
    /// Its last state does not decide this property.
    Undecided(String),
    /// It does not decide this property of whole runs.
    OtherRun(String),
    /// There is no clock of this number.
    Clock(usize),
    /// This bound of a clock is too large.
    Bound(i64),
    /// There are so many states and so many of these, which should go with them.
    Count(usize, usize, &'static str),
    /// It does not say how many states an induction looks at.
    Induction,
    /// A formula cannot be read, for this reason.
    Formula(String),
    /// It is a proof about whole runs, and the question is about states.
    NotAboutRuns,
    /// Its automaton is none over the atoms of the question.
    Automaton,
    /// It counts so many rounds through acceptance sets, which are too many.
    Rounds(u32),
    /// It has ranks of entries, and there are no entries.
    Ranks,
    /// The model has no product with an automaton, because it cannot be said when a run is stuck.
    Product,
}

ir::codes! {
    Mismatch {
        Mismatch::Variable(_) => "misfit.variable",
        Mismatch::Enumerations => "misfit.enumerations",
        Mismatch::Names => "misfit.names",
        Mismatch::Shape => "misfit.shape",
        Mismatch::Location(_) => "misfit.location",
        Mismatch::Locations => "misfit.locations",
        Mismatch::Process(_) => "misfit.process",
        Mismatch::Edge(..) => "misfit.edge",
        Mismatch::Value { .. } => "misfit.value",
        Mismatch::Time(_) => "misfit.time",
        Mismatch::Delay(..) => "misfit.delay",
        Mismatch::Written { .. } => "misfit.written",
        Mismatch::Shown(_) => "misfit.shown",
        Mismatch::Start => "misfit.start",
        Mismatch::Impossible(_) => "misfit.impossible",
        Mismatch::Differs(_) => "misfit.differs",
        Mismatch::Blocked => "misfit.blocked",
        Mismatch::NoExecution => "misfit.no-execution",
        Mismatch::Choices => "misfit.choices",
        Mismatch::Open(_) => "misfit.open-loop",
        Mismatch::Endless => "misfit.endless",
        Mismatch::NoFault => "misfit.no-fault",
        Mismatch::Fault => "misfit.fault",
        Mismatch::OtherFault => "misfit.other-fault",
        Mismatch::NotUndefined(_) => "misfit.not-undefined",
        Mismatch::Undefined => "misfit.undefined",
        Mismatch::Late(..) => "misfit.late",
        Mismatch::Scope(_) => "misfit.scope",
        Mismatch::Undecided(_) => "misfit.undecided",
        Mismatch::OtherRun(_) => "misfit.other-run",
        Mismatch::Clock(_) => "misfit.clock",
        Mismatch::Bound(_) => "misfit.bound",
        Mismatch::Count(..) => "misfit.count",
        Mismatch::Induction => "misfit.induction",
        Mismatch::Formula(_) => "misfit.formula",
        Mismatch::NotAboutRuns => "misfit.not-about-runs",
        Mismatch::Automaton => "misfit.automaton",
        Mismatch::Rounds(_) => "misfit.rounds",
        Mismatch::Ranks => "misfit.ranks",
        Mismatch::Product => "misfit.product",
    }
}

impl Mismatch {
    /// This, at a place.
    pub fn at(self, place: Place) -> Misfit {
        Misfit { place, what: self }
    }
}

impl From<Mismatch> for Misfit {
    fn from(what: Mismatch) -> Self {
        what.at(Place::File)
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::File => {}
            Place::Initial => f.write_str("initial state: ")?,
            Place::Step(number) => write!(f, "step {number}: ")?,
            Place::State(number) => write!(f, "state {number}: ")?,
            Place::Zone(number) => write!(f, "zone {number}: ")?,
            Place::Entry(number) => write!(f, "entry {number}: ")?,
        }
        self.what.fmt(f)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Variable(name) => {
                write!(f, "it speaks of a variable `{name}`, which the model does not have")
            }
            Mismatch::Enumerations => f.write_str("its enumerations are not those of the model"),
            Mismatch::Names => f.write_str("its variables or locations are not those of the model"),
            Mismatch::Shape => {
                f.write_str("the state has another number of locations or values than the model")
            }
            Mismatch::Location(name) => write!(f, "there is no location `{name}`"),
            Mismatch::Locations => f.write_str("there is not one location for each process of the model"),
            Mismatch::Process(name) => write!(f, "there is no process `{name}`"),
            Mismatch::Edge(title) => write!(f, "the model has no edge `{title}` where it had one"),
            Mismatch::Value { value, variable, ty } => match (variable, ty) {
                (Some(variable), Some(ty)) => {
                    write!(f, "`{value}` is no value of `{variable}`, which is of type {ty}")
                }
                (_, Some(ty)) => write!(f, "`{value}` is no value of type `{ty}`"),
                (_, None) => write!(f, "the value `{value}` has no type"),
            },
            Mismatch::Time(text) => write!(f, "`{text}` is no amount of time"),
            Mismatch::Delay(said, known) => {
                let words = |delay: &Option<String>| match delay {
                    Some(delay) => format!("a delay of {delay}"),
                    None => "no delay".to_owned(),
                };
                write!(f, "it shows {}, but its choices make {}", words(said), words(known))
            }
            Mismatch::Written { title, said, known } => {
                let words = |place: &Option<(usize, usize)>| match place {
                    Some((line, column)) => format!("at line {line}, column {column}"),
                    None => "nowhere".to_owned(),
                };
                write!(f, "it shows `{title}` {}, but in the model that is {}", words(said), words(known))
            }
            Mismatch::Shown(what) => write!(f, "it shows {what} otherwise than the model does"),
            Mismatch::Start => f.write_str("it does not start at the initial locations"),
            Mismatch::Impossible(title) => write!(f, "`{title}` is not possible there"),
            Mismatch::Differs(name) => write!(f, "`{name}` gets another value"),
            Mismatch::Blocked => f.write_str("an assumption fails"),
            Mismatch::NoExecution => f.write_str("no execution leads to its state"),
            Mismatch::Choices => f.write_str("the recorded choices do not fit"),
            Mismatch::Open(start) => {
                write!(f, "its loop begins in state {start}, and its last state is another one")
            }
            Mismatch::Endless => {
                f.write_str("it repeats for ever, and the property is about a state that a run ends in")
            }
            Mismatch::NoFault => f.write_str("it claims to end in a fault, and does not"),
            Mismatch::Fault => f.write_str("it ends in a fault, and does not say so"),
            Mismatch::OtherFault => f.write_str("it ends in another fault than it says"),
            Mismatch::NotUndefined(kind) => {
                write!(f, "it claims that the query goes wrong, {kind}, and it does not")
            }
            Mismatch::Undefined => f.write_str("the query goes wrong at its end, and it does not say so"),
            Mismatch::Late(time, most) => {
                let units = crate::pose::first_units(*most);
                write!(f, "it ends at time {time}, and it is only about {units}")
            }
            Mismatch::Scope(_) => f.write_str("it looks at other states or runs than are asked about"),
            Mismatch::Undecided(property) => write!(f, "`{property}` is not false in its last state"),
            Mismatch::OtherRun(property) => write!(f, "it does not decide `{property}`"),
            Mismatch::Clock(number) => write!(f, "there is no clock number {number}"),
            Mismatch::Bound(bound) => write!(f, "the bound {bound} is too large"),
            Mismatch::Count(states, others, what) => {
                write!(f, "there are {states} states and {others} {what}")
            }
            Mismatch::Induction => f.write_str("it does not say how many states it looks at"),
            Mismatch::Formula(why) => f.write_str(why),
            Mismatch::NotAboutRuns => {
                f.write_str("it is a proof about whole runs, and the property is about states")
            }
            Mismatch::Automaton => {
                f.write_str("its automaton is none: a state, an acceptance set or an atom does not exist")
            }
            Mismatch::Rounds(most) => write!(f, "{most} rounds are too many to be counted"),
            Mismatch::Ranks => {
                f.write_str("it has ranks for the entries of an invariant, and its base is none")
            }
            Mismatch::Product => f.write_str(
                "whether a run is stuck cannot be written as a condition, so no automaton reads its runs",
            ),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Time => f.write_str("when time passes"),
            Shown::Process(name) => write!(f, "the process `{name}`"),
            Shown::Variable(name) => write!(f, "the variable `{name}`"),
            Shown::Configurations => f.write_str("the configurations"),
            Shown::Property => f.write_str("what the property claims"),
            Shown::Title(title) => write!(f, "the title `{title}`"),
            Shown::File(title) => write!(f, "the file of `{title}`"),
            Shown::GoesOn => f.write_str("where a step ends"),
            Shown::Decimal => f.write_str("a decimal"),
            Shown::Cases => f.write_str("the configurations of the state"),
            Shown::Happened => f.write_str("what happens in the step"),
            Shown::Head => f.write_str("what every round of the loop begins in"),
        }
    }
}

impl std::error::Error for Misfit {}
