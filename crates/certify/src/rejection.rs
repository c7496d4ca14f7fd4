//! Why evidence is refused, as data: what is wrong with it and where, or what kept the judge from deciding.
//!
//! The words here are those of a judge, who knows states, targets and entries. A shell that speaks of properties
//! makes its own of the data.

use std::fmt;

use ir::NamedVar;
use smt::Interrupt;

/// Why evidence is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The evidence is wrong.
    Wrong(Wrong),
    /// Neither right nor wrong could be shown.
    Undecided(Undecided),
    /// The check was interrupted.
    Interrupted,
}

impl Rejection {
    /// The stable code of the rejection, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Rejection::Wrong(wrong) => wrong.flaw.code(),
            Rejection::Undecided(why) => why.code(),
            Rejection::Interrupted => "interrupted",
        }
    }
}

/// The codes of everything that can be wrong or undecided.
pub fn codes() -> impl Iterator<Item = &'static str> {
    [Flaw::CODES, Undecided::CODES].into_iter().flatten().copied()
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Wrong(wrong) => wrong.fmt(f),
            Rejection::Undecided(why) => why.fmt(f),
            Rejection::Interrupted => f.write_str("the check was interrupted"),
        }
    }
}

impl std::error::Error for Rejection {}

impl From<Undecided> for Rejection {
    fn from(why: Undecided) -> Self {
        Rejection::Undecided(why)
    }
}

/// What is wrong with evidence, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// Where.
    pub place: Place,
    /// What.
    pub flaw: Flaw,
    /// Whether it is the lemma of a proof by induction that is wrong.
    pub of_lemma: bool,
}

/// A part of evidence, by its number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// No single part.
    Whole,
    /// The initial states.
    InitialStates,
    /// A state of a run, the initial one being number 0.
    State(usize),
    /// A step of a run; the first is number 1.
    Step(usize),
    /// The last state of a run.
    LastState,
    /// The set of states that every round of a cycle begins in.
    Head,
    /// A state of a list of states.
    Listed(usize),
    /// An entry of a list of zones.
    Zone(usize),
    /// An entry of an invariant.
    Entry(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => f.write_str("the evidence"),
            Place::InitialStates => f.write_str("the initial states"),
            Place::State(number) => write!(f, "state {number}"),
            Place::Step(number) => write!(f, "step {number}"),
            Place::LastState => f.write_str("the last state"),
            Place::Head => f.write_str("the head of the cycle"),
            Place::Listed(number) => write!(f, "state {number} of the set"),
            Place::Zone(number) => write!(f, "entry {number} of the set"),
            Place::Entry(number) => write!(f, "entry {number}"),
        }
    }
}

impl Place {
    /// The refusal that this is wrong here.
    pub(crate) fn wrong(self, flaw: Flaw) -> Rejection {
        Rejection::Wrong(Wrong { place: self, flaw, of_lemma: false })
    }
}

/// What is wrong with evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A state does not have the locations and values that the model's states have.
    Shape,
    /// A value is not of its variable's type or range.
    Value(NamedVar),
    /// A variable has no value in a run.
    NoValue(NamedVar),
    /// The values of a variable cannot be enumerated, so a list cannot show anything.
    NotEnumerable(NamedVar),
    /// Time passes, and a list of states cannot show that.
    Delay,
    /// The recorded choices are none that the model has.
    Choices,

    /// A run does not start at the initial locations.
    NotInitial,
    /// A step is none of the model's.
    NoSuchStep,
    /// A run goes on for ever, and what is searched for is a state at its end.
    Endless,
    /// A step gives a variable another value than the run says.
    AnotherValue(NamedVar),
    /// An assumption fails on the way.
    AssumptionFails,
    /// No execution leads to the state that the run says.
    NoExecution,
    /// The fault that a run ends in is none of the model's.
    UnknownFault,
    /// A run ends where properties do not look.
    Unobserved,
    /// A run does not end in a target.
    NotATarget,

    /// A cycle does not lead back to the state that it begins in.
    NoReturn,
    /// A cycle begins or ends in a state that its head does not contain.
    OutsideHead,
    /// From a state of its head, a cycle cannot be gone around as it was recorded, or does not lead back to the head, or
    /// reads something else.
    NotRecurrent,
    /// A cycle takes no time, and only runs count in which time diverges.
    NoTime,
    /// A run is said to repeat its last state, and does not: something can happen there, or such runs do not count.
    NotStuck,
    /// No state is read again and again.
    NothingRead,
    /// An atom cannot be evaluated, and the run goes on.
    Undefined,
    /// The word of a run is not one that is searched for.
    OtherWord,
    /// A run ends, and whether its word is searched for depends on how it would go on.
    Undetermined,
    /// Evidence is for another kind of question.
    OtherQuestion,
    /// The automaton is none over the atoms of the question.
    Automaton,
    /// The automaton is not the one that is asked about.
    OtherAutomaton,
    /// The measures are not one for each entry.
    Measures,
    /// A step does not decrease a measure where it has to.
    Ascent,

    /// The distances are not one for each entry.
    Distances,
    /// No step leads to a smaller distance, or the goal does not hold at distance 0.
    Distance,
    /// From the last state of a run, the goal can be reached.
    WayOut,

    /// What is searched for cannot be spelled out as a condition.
    NoCondition,
    /// An initial state is not contained.
    InitialState,
    /// A successor is not contained.
    Successor {
        /// By which action, where that is known.
        action: Option<String>,
        /// Whether constants that do not keep all conditions may be the reason.
        loose: bool,
    },
    /// A target is contained.
    Target,
    /// A fault is contained.
    Fault,

    /// The bounds are no zone of the model's clocks.
    NoZone,
    /// A zone is not in closed form.
    NotClosed,
    /// The constants for simulation do not fit the model's clocks.
    Constants,
    /// Clocks have values beside their zone.
    ClockValues,
    /// Simulation is used for a question about deadlocks, which it does not keep.
    SimulatedDeadlock,

    /// Between these locations the model has no blocks.
    Blocks,
    /// The locations are none of the model's.
    Locations,
    /// An entry points at another that does not exist.
    NoSuchEntry(u32),
    /// A formula is not one that can be relied on.
    Formula(FormulaFlaw),

    /// A proof by induction looks at no state of any run.
    NoStates,
    /// A short run ends in a target or a fault.
    BadRun {
        /// How many steps it has.
        steps: u32,
    },
    /// There are runs that are longer than the proof says.
    LongerRun {
        /// How many steps they have.
        steps: u32,
    },
    /// A target or a fault follows a row of states without one.
    BadStep {
        /// How many states are in the row.
        states: u32,
        /// Whether they are pairwise different.
        different: bool,
    },
}

/// What is wrong with a formula; terms are those of the certificate's arena, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaFlaw {
    /// There is no such term.
    NoSuchTerm(usize),
    /// A term is made of terms that do not exist.
    Ahead(usize),
    /// A term has a type that the model does not have.
    UnknownType(usize),
    /// A term is a value that the model does not have.
    UnknownValue(usize),
    /// There is no variable of this number.
    NoSuchVariable(usize),
    /// A variable is meant at another time than now.
    AnotherTime(NamedVar),
    /// A variable is no part of a state.
    NotOfState(NamedVar),
    /// A variable has another type.
    AnotherType(NamedVar),
    /// The formula speaks of locations or deadlocks.
    NotOnlyValues,
    /// The types within a term do not fit together.
    Types(usize),
    /// A quotient may become one of integers.
    Quotient(usize),
    /// The formula is not a truth value.
    NotATruthValue,
    /// The component of a ranking is not an integer.
    NotAnInteger,
}

ir::codes! {
    Flaw {
        Flaw::Shape => "evidence.shape",
        Flaw::Value(_) => "evidence.value",
        Flaw::NoValue(_) => "evidence.no-value",
        Flaw::NotEnumerable(_) => "evidence.not-enumerable",
        Flaw::Delay => "evidence.delay",
        Flaw::Choices => "evidence.choices",
        Flaw::NotInitial => "evidence.not-initial",
        Flaw::NoSuchStep => "evidence.no-such-step",
        Flaw::Endless => "evidence.endless",
        Flaw::AnotherValue(_) => "evidence.another-value",
        Flaw::AssumptionFails => "evidence.assumption-fails",
        Flaw::NoExecution => "evidence.no-execution",
        Flaw::UnknownFault => "evidence.unknown-fault",
        Flaw::Unobserved => "evidence.unobserved",
        Flaw::NotATarget => "evidence.not-a-target",
        Flaw::NoReturn => "evidence.no-return",
        Flaw::OutsideHead => "evidence.outside-head",
        Flaw::NotRecurrent => "evidence.not-recurrent",
        Flaw::NoTime => "evidence.no-time",
        Flaw::NotStuck => "evidence.not-stuck",
        Flaw::NothingRead => "evidence.nothing-read",
        Flaw::Undefined => "evidence.undefined",
        Flaw::OtherWord => "evidence.other-word",
        Flaw::Undetermined => "evidence.undetermined",
        Flaw::OtherQuestion => "evidence.other-question",
        Flaw::Automaton => "evidence.automaton",
        Flaw::OtherAutomaton => "evidence.other-automaton",
        Flaw::Measures => "evidence.measures",
        Flaw::Ascent => "evidence.ascent",
        Flaw::Distances => "evidence.distances",
        Flaw::Distance => "evidence.distance",
        Flaw::WayOut => "evidence.way-out",
        Flaw::NoCondition => "evidence.no-condition",
        Flaw::InitialState => "evidence.initial-state",
        Flaw::Successor { .. } => "evidence.successor",
        Flaw::Target => "evidence.target",
        Flaw::Fault => "evidence.fault",
        Flaw::NoZone => "evidence.no-zone",
        Flaw::NotClosed => "evidence.not-closed",
        Flaw::Constants => "evidence.constants",
        Flaw::ClockValues => "evidence.clock-values",
        Flaw::SimulatedDeadlock => "evidence.simulated-deadlock",
        Flaw::Blocks => "evidence.blocks",
        Flaw::Locations => "evidence.locations",
        Flaw::NoSuchEntry(_) => "evidence.no-such-entry",
        Flaw::Formula(_) => "evidence.formula",
        Flaw::NoStates => "evidence.no-states",
        Flaw::BadRun { .. } => "evidence.bad-run",
        Flaw::LongerRun { .. } => "evidence.longer-run",
        Flaw::BadStep { .. } => "evidence.bad-step",
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { place, flaw, of_lemma } = self;
        if *of_lemma {
            f.write_str("the lemma: ")?;
        }
        match (flaw, place) {
            (Flaw::Target, Place::Listed(_)) => write!(f, "{place} is a target"),
            (Flaw::Target, Place::Zone(_)) => write!(f, "{place} meets the target"),
            (Flaw::Target, _) => write!(f, "{place} contains a target"),
            (Flaw::Fault, Place::Listed(_) | Place::Zone(_)) => write!(f, "{place} is a fault"),
            (Flaw::Fault, _) => write!(f, "{place} contains a fault"),
            (Flaw::InitialState, Place::Entry(_) | Place::InitialStates) => {
                f.write_str("an initial state is in none of the entries that should contain it")
            }
            (Flaw::InitialState, _) => f.write_str("an initial state is not in the set"),
            (Flaw::Successor { action: Some(action), .. }, _) => {
                write!(f, "a successor of {place} by `{action}` is in none of the entries it points at")
            }
            (Flaw::Successor { action: None, loose }, _) => {
                let why = if *loose { ", with constants that do not keep all conditions" } else { "" };
                write!(f, "a successor of {place} is not in the set{why}")
            }
            (Flaw::UnknownFault | Flaw::Unobserved | Flaw::NotATarget | Flaw::NoCondition, _)
            | (_, Place::Whole) => flaw.fmt(f),
            (flaw, place) => write!(f, "{place}: {flaw}"),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Shape => f.write_str("does not have the shape of the model's states"),
            Flaw::Value(var) => write!(f, "the value of {var} is not of its type or range"),
            Flaw::NoValue(var) => write!(f, "{var} has no value"),
            Flaw::NotEnumerable(var) => write!(f, "the values of {var} cannot be enumerated"),
            Flaw::Delay => f.write_str("time passes, and a list of states cannot show that"),
            Flaw::Choices => f.write_str("the recorded choices do not fit"),
            Flaw::NotInitial => f.write_str("not at the initial locations"),
            Flaw::NoSuchStep => f.write_str("these edges do not lead from here to there"),
            Flaw::Endless => {
                f.write_str("the run goes on for ever, and what is searched for is a state at its end")
            }
            Flaw::AnotherValue(var) => write!(f, "{var} gets another value than the run says"),
            Flaw::AssumptionFails => f.write_str("an assumption fails"),
            Flaw::NoExecution => f.write_str("no execution leads to the state the run says"),
            Flaw::UnknownFault => f.write_str("the fault is none of the model's"),
            Flaw::Unobserved => f.write_str("the run ends where properties do not look"),
            Flaw::NotATarget => f.write_str("the last state of the run is not what was searched for"),
            Flaw::NoReturn => f.write_str("the cycle does not lead back to the state it begins in"),
            Flaw::OutsideHead => f.write_str("does not contain the states in which the cycle begins and ends"),
            Flaw::NotRecurrent => f.write_str(
                "from some state of it, the cycle cannot be gone around as it was recorded, or leads elsewhere",
            ),
            Flaw::NoTime => f.write_str("the cycle takes no time, and only runs count in which time diverges"),
            Flaw::NotStuck => f.write_str("the run does not repeat its last state for ever"),
            Flaw::NothingRead => f.write_str("no state is read again and again"),
            Flaw::Undefined => f.write_str("an atom of the formula cannot be evaluated"),
            Flaw::OtherWord => f.write_str("the states of the run do not satisfy what was searched for"),
            Flaw::Undetermined => {
                f.write_str("the run ends, and is what was searched for or not by how it goes on")
            }
            Flaw::OtherQuestion => f.write_str("this is evidence for another kind of question"),
            Flaw::Automaton => f.write_str("the automaton is none over the atoms of the formula"),
            Flaw::OtherAutomaton => f.write_str("the automaton is not the one that is asked about"),
            Flaw::Measures => f.write_str("there is not one measure for each state"),
            Flaw::Ascent => f.write_str("a step does not decrease the measure where it has to"),
            Flaw::Distances => f.write_str("the distances are not one for each entry"),
            Flaw::Distance => f.write_str("no step leads from here to a smaller distance from the goal"),
            Flaw::WayOut => f.write_str("from there, the goal can be reached"),
            Flaw::NoCondition => f.write_str("the target cannot be spelled out"),
            Flaw::InitialState => f.write_str("an initial state is missing"),
            Flaw::Successor { .. } => f.write_str("a successor is missing"),
            Flaw::Target => f.write_str("there is a target"),
            Flaw::Fault => f.write_str("there is a fault"),
            Flaw::NoZone => f.write_str("this is no zone of the model's clocks"),
            Flaw::NotClosed => f.write_str("the zone is not in closed form"),
            Flaw::Constants => f.write_str("the constants do not fit the model's clocks"),
            Flaw::ClockValues => f.write_str("clocks have values of their own"),
            Flaw::SimulatedDeadlock => f.write_str("simulation does not keep deadlocks"),
            Flaw::Blocks => f.write_str("the model has no blocks between these locations"),
            Flaw::Locations => f.write_str("these are no locations of the model"),
            Flaw::NoSuchEntry(entry) => write!(f, "there is no entry {entry}"),
            Flaw::Formula(flaw) => flaw.fmt(f),
            Flaw::NoStates => f.write_str("it looks at no state of any run"),
            Flaw::BadRun { steps } => write!(f, "a run of {steps} steps ends in a target or a fault"),
            Flaw::LongerRun { steps } => write!(f, "there are runs of {steps} steps"),
            Flaw::BadStep { states, different } => {
                let different = if *different { " and different" } else { "" };
                write!(
                    f,
                    "after {states} states in a row that are no targets{different} comes a target or a fault"
                )
            }
        }
    }
}

impl fmt::Display for FormulaFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormulaFlaw::NoSuchTerm(term) => write!(f, "there is no term {term}"),
            FormulaFlaw::Ahead(term) => write!(f, "term {term} is made of terms that do not exist"),
            FormulaFlaw::UnknownType(term) => {
                write!(f, "term {term} has a type that the model does not have")
            }
            FormulaFlaw::UnknownValue(term) => {
                write!(f, "term {term} is a value that the model does not have")
            }
            FormulaFlaw::NoSuchVariable(var) => write!(f, "there is no variable {var}"),
            FormulaFlaw::AnotherTime(var) => write!(f, "{var} is meant at another time than now"),
            FormulaFlaw::NotOfState(var) => write!(f, "{var} is not part of a state"),
            FormulaFlaw::AnotherType(var) => write!(f, "{var} has another type"),
            FormulaFlaw::NotOnlyValues => {
                f.write_str("the formula speaks of more than the values of variables")
            }
            FormulaFlaw::Types(term) => write!(f, "the types in term {term} do not fit together"),
            FormulaFlaw::Quotient(term) => {
                write!(f, "the quotient in term {term} may become one of integers")
            }
            FormulaFlaw::NotATruthValue => f.write_str("the formula is not a truth value"),
            FormulaFlaw::NotAnInteger => f.write_str("a component of its ranking is not an integer"),
        }
    }
}

/// What kept the judge from deciding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undecided {
    /// The same of the lemma of a proof by induction.
    Lemma(Box<Undecided>),
    /// The formula of an entry is nested too deeply.
    DeepFormula(Place),
    /// What is searched for cannot be spelled out at some locations.
    NoCondition,
    /// A loop has no bounds that are known, so what it does is no formula.
    Loop(Place),
    /// There are too many actions for one formula.
    ManyActions,
    /// A proof is about runs of so many states, which are too long to be looked at.
    LongRuns(u32),
    /// The solver could not be asked, or did not answer.
    Solver(Place, Interrupt),
    /// Something that is to be shown cannot be written down for another solver.
    Unwritable {
        /// What is to be shown.
        about: String,
        /// Why; a loop whose bounds are not known, if nothing else.
        why: Option<Interrupt>,
    },
    /// There are more clocks than lists of zones are checked for.
    ManyClocks(usize),
    /// A comparison of clocks that no zone can show.
    Comparison(String),
    /// A condition over clocks that is too complex.
    Condition(String),
    /// An invariant over clocks that is too complex.
    Invariant,
    /// A property over clocks that is too complex.
    Property,
    /// A loop depends on data that are open.
    OpenLoop,
    /// A loop depends on clocks.
    ClockLoop,
    /// A clock is set to a value that no zone can show.
    ClockValue(NamedVar),
    /// A clock gets an arbitrary value.
    ClockHavoc,
    /// A clock is compared with what depends on a variable that is open.
    OpenBound(NamedVar),
    /// A clock is compared with a number that no zone can show.
    WideBound,
    /// The values of a variable cannot be enumerated.
    NotEnumerable(NamedVar),
    /// The constants of clocks are too large to look for deadlocks.
    LargeConstants,
    /// The tableau of the formula is too large to be compared with an automaton.
    LargeFormula,
    /// There are too many beginnings of words to tell which of them are enough for the formula.
    ManyPrefixes,
    /// There are too many states behind a run to follow them all.
    LargeTrap,
    /// The automaton could not be shown to accept every word that satisfies the formula.
    NotCovered,
}

ir::codes! {
    Undecided {
        Undecided::Lemma(_) => "uncertified.lemma",
        Undecided::DeepFormula(_) => "uncertified.deep-formula",
        Undecided::NoCondition => "uncertified.no-condition",
        Undecided::Loop(_) => "uncertified.loop",
        Undecided::ManyActions => "uncertified.many-actions",
        Undecided::LongRuns(_) => "uncertified.long-runs",
        Undecided::Solver(..) => "uncertified.solver",
        Undecided::Unwritable { .. } => "uncertified.unwritable",
        Undecided::ManyClocks(_) => "uncertified.many-clocks",
        Undecided::Comparison(_) => "uncertified.comparison",
        Undecided::Condition(_) => "uncertified.condition",
        Undecided::Invariant => "uncertified.invariant",
        Undecided::Property => "uncertified.property",
        Undecided::OpenLoop => "uncertified.open-loop",
        Undecided::ClockLoop => "uncertified.clock-loop",
        Undecided::ClockValue(_) => "uncertified.clock-value",
        Undecided::ClockHavoc => "uncertified.clock-havoc",
        Undecided::OpenBound(_) => "uncertified.open-bound",
        Undecided::WideBound => "uncertified.wide-bound",
        Undecided::NotEnumerable(_) => "uncertified.not-enumerable",
        Undecided::LargeConstants => "uncertified.large-constants",
        Undecided::LargeFormula => "uncertified.large-formula",
        Undecided::ManyPrefixes => "uncertified.many-prefixes",
        Undecided::LargeTrap => "uncertified.large-trap",
        Undecided::NotCovered => "uncertified.not-covered",
    }
}

impl Undecided {
    /// What the solver said, if it was about that.
    pub fn solver(&self) -> Option<&Interrupt> {
        match self {
            Undecided::Lemma(inner) => inner.solver(),
            Undecided::Solver(_, why) | Undecided::Unwritable { why: Some(why), .. } => Some(why),
            _ => None,
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LOOP: &str = "a loop has no bounds that are known";
        match self {
            Undecided::Lemma(inner) => write!(f, "the lemma: {inner}"),
            Undecided::DeepFormula(place) => write!(f, "{place}: the formula is nested too deeply"),
            Undecided::NoCondition => f.write_str("the target cannot be spelled out at some locations"),
            Undecided::Loop(Place::Whole) => f.write_str(LOOP),
            Undecided::Loop(place) => write!(f, "{place} cannot be checked: {LOOP}"),
            Undecided::ManyActions => f.write_str("there are too many actions for one formula"),
            Undecided::LongRuns(states) => {
                write!(f, "runs of {states} states are too long to be looked at")
            }
            Undecided::Solver(Place::Whole, why) => write!(f, "induction cannot be checked: {why}"),
            Undecided::Solver(place, why) => write!(f, "{place} cannot be checked: {why}"),
            Undecided::Unwritable { about, why } => match why {
                Some(why) => write!(f, "{about} cannot be written down: {why}"),
                None => write!(f, "{about} cannot be written down: {LOOP}"),
            },
            Undecided::ManyClocks(most) => {
                write!(f, "sets of zones over more than {most} clocks are not checked")
            }
            Undecided::Comparison(term) => {
                write!(f, "`{term}` compares clocks in a way that no zone can show")
            }
            Undecided::Condition(term) => write!(f, "the condition `{term}` is too complex on clocks"),
            Undecided::Invariant => f.write_str("an invariant is too complex on clocks"),
            Undecided::Property => f.write_str("the property is too complex on clocks"),
            Undecided::OpenLoop => f.write_str("a loop on open data cannot be followed"),
            Undecided::ClockLoop => f.write_str("a loop on clocks cannot be followed"),
            Undecided::ClockValue(var) => write!(f, "{var} is set to what no zone can show"),
            Undecided::ClockHavoc => f.write_str("a clock gets an arbitrary value"),
            Undecided::OpenBound(var) => {
                write!(f, "a clock is compared with what depends on {var}, which is open")
            }
            Undecided::WideBound => f.write_str("a clock is compared with what no zone can show"),
            Undecided::NotEnumerable(var) => write!(f, "the values of {var} cannot be enumerated"),
            Undecided::LargeConstants => {
                f.write_str("the constants of clocks are too large to look for deadlocks")
            }
            Undecided::LargeFormula => f.write_str("the tableau of the formula is too large"),
            Undecided::ManyPrefixes => f.write_str(
                "there are too many beginnings of runs to tell which of them decide the formula although they end",
            ),
            Undecided::LargeTrap => {
                f.write_str("there are too many states behind the run to follow them all")
            }
            Undecided::NotCovered => f.write_str(
                "the automaton could not be shown to accept every word that satisfies the formula",
            ),
        }
    }
}
