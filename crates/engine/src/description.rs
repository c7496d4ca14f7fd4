//! What there is to say of an engine, in one place.
//!
//! Help, manual, preprocessing and the portfolio go by the description. A new engine of this crate is a folder with its
//! `ENGINE` and a line in the list of [`Engine`]s; one of another crate is a [`Description`] of its own, which is asked as
//! [`Engine::Other`]. What it answers is evidence like any other, and certified before it counts.

use std::fmt;
use std::hash::{Hash, Hasher};

use ir::{Question, System};

use crate::answer::Answer;
use crate::config::{Config, Engine};
use crate::observer::{Observer, Statistics};
use crate::preprocess::Rewritings;
use crate::several::{self, Hunt, Rest};
use crate::stop::Stop;

/// An engine, described.
pub struct Description {
    /// What it is called in options and results; no two engines have the same name.
    pub name: &'static str,
    /// What the field calls it.
    pub title: &'static str,
    /// What it is good for.
    pub good_for: &'static str,
    /// Where to read about it: authors and year.
    pub paper: &'static str,
    /// What it makes of clocks.
    pub timing: Timing,
    /// Whether it refines an abstraction of data, so that the choices of abstraction refinement are its own.
    pub refines: bool,
    /// Whether it looks ahead by a number of steps that can be limited.
    pub bounded: bool,
    /// Whether it looks at the steps of a program as formulas, or at all executions of a step at once, so that large
    /// steps pay.
    pub blocks: bool,
    /// Whether it can ask about integers as vectors of bits.
    pub bits: bool,
    /// Whether it needs a solver.
    pub solver: bool,
    /// Which passes its systems go through before the search.
    pub passes: Rewritings,
    /// How it is asked.
    pub procedure: Procedure,
}

/// What an engine makes of clocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Timing {
    /// It knows none.
    None,
    /// They are zones, or whatever it makes of them itself.
    Own,
    /// They are data: time is spelled out before the search.
    Data,
}

/// How an engine is asked.
#[derive(Copy, Clone)]
pub struct Procedure(Way);

/// Answers one question about reachability.
pub type SearchOne = fn(&System, &Question, &Config, &Stop, &mut dyn Observer) -> (Answer, Statistics);

/// Answers several questions about reachability in one search.
pub(crate) type SearchSeveral =
    fn(&System, &Config, &Stop, &mut dyn Observer, &mut Hunt<'_>) -> (Rest, Statistics);

#[derive(Copy, Clone)]
enum Way {
    One(SearchOne),
    Several(SearchSeveral),
    /// By asking the others.
    Others,
}

impl Procedure {
    /// By one question after the other.
    pub const fn one(search: SearchOne) -> Self {
        Procedure(Way::One(search))
    }
    pub(crate) const fn several(search: SearchSeveral) -> Self {
        Procedure(Way::Several(search))
    }
    pub(crate) const fn others() -> Self {
        Procedure(Way::Others)
    }
    /// Searches for what is open.
    pub(crate) fn run(
        self,
        system: &System,
        config: &Config,
        observer: &mut dyn Observer,
        hunt: &mut Hunt<'_>,
    ) -> (Rest, Statistics) {
        let stop = hunt.stop();
        match self.0 {
            Way::One(search) => several::again(system, hunt, |system, question| {
                search(system, question, config, stop, observer)
            }),
            Way::Several(search) => search(system, config, stop, observer, hunt),
            Way::Others => unreachable!("it is asked before, and asks the others"),
        }
    }
}

impl Description {
    /// An engine of another crate, of which nothing is known but how it is asked: it knows no clocks, and gets systems as
    /// small as they can be made.
    pub const fn new(name: &'static str, title: &'static str, search: SearchOne) -> Self {
        Description {
            name,
            title,
            good_for: "",
            paper: "",
            timing: Timing::None,
            refines: false,
            bounded: false,
            blocks: false,
            bits: false,
            solver: false,
            passes: Rewritings::All,
            procedure: Procedure::one(search),
        }
    }
}

/// Engines are told apart by their names.
impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Description {}

impl Hash for Description {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Description({})", self.name)
    }
}

impl Engine {
    /// Whether it refines an abstraction of data, so that the choices of abstraction refinement are its own.
    pub fn refines(self) -> bool {
        self.description().refines
    }
    /// Whether it can ask about integers as vectors of bits.
    pub fn knows_bits(self) -> bool {
        self.description().bits
    }
    /// Whether large steps pay.
    pub fn takes_blocks(self) -> bool {
        self.description().blocks
    }
    /// Whether time has to be made data first.
    pub fn encodes_time(self) -> bool {
        self.description().timing == Timing::Data
    }
}
