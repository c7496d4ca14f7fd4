//! A deliberately naive reading of UPPAAL networks, straight from the syntax tree.
//!
//! It shares nothing with the product but the parser: no terms, no statements, no systems, no zones. Names are
//! looked up in a list of declarations, the last one first; a function or a template keeps the list as it was
//! where it is declared, so that it sees nothing that comes later. All values lie in one row of numbers, clocks
//! and constants among them, locals behind them. It is slow and short, and says [`Unable`] rather than guess.
//!
//! Time is counted in whole units. If no constraint on clocks is strict, and no clock is compared with another,
//! that is exact for locations and data: every run has a run with the same steps at integer times (T. A.
//! Henzinger, Z. Manna, A. Pnueli, *What good are digital clocks?*, ICALP 1992, by digitization: a timed run
//! rounded at any fraction still meets every closed constraint with integer bounds). Strict constraints are
//! refused in models; in queries, whoever asks must see to it that what is searched for is closed. A clock stops
//! at [`CAP`], beyond everything it may be compared with.
//!
//! Priorities and urgent channels ask for the negation of constraints, which is strict. There time is *dense*: a clock is a whole number
//! and the rank of its fraction among those of the other clocks, 0 for none, which is all that constraints without
//! differences can tell and all that happens later depends on (the regions of R. Alur and D. L. Dill, *A theory of
//! timed automata*, 1994). Both lie in one number, so that clocks are compared as numbers are.
//!
//! Floating-point numbers and hybrid clocks have no value here: whoever reads one is not covered. A clock with a rate that
//! nobody reads does not count time, so that it does not tell states apart either. One that is read is a *stopwatch*,
//! with rates of 0 and 1. Regions are too coarse for these, and whole units do not tell all that happens, but nothing
//! else: what is found to be reachable with them is, and what is reachable in whole units is found.
//!
//! Where UPPAAL does not say whether something is evaluated at all, nothing is expected: a guard that goes wrong
//! without partners to synchronise with, a channel that cannot be told, or one invariant that goes wrong beside
//! another that is false *may* be a fault, and is none that must be found.

mod build;
mod eval;
mod function;
mod search;
mod step;
mod value;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use lang::xta::ast::*;

pub use search::{Answer, End, Extent, Reachable};
use value::Ty;

/// The value at which clocks stop: larger than everything a clock may be compared with.
pub const CAP: i64 = 7;

/// How many numbers lie between two whole values of a clock where time is dense: one for each rank of a fraction.
const RANKS: i64 = 16;

/// Why a reading with too many states or steps is given up.
pub const TOO_MANY: &str = "more states than allowed";

/// What this reading does not cover.
#[derive(Debug)]
pub struct Unable(pub String);

/// Why an expression has no value.
enum Trouble {
    Fault,
    Unable(String),
}

fn unable<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Unable(why.into()))
}

/// What a name stands for.
#[derive(Clone)]
enum What {
    /// A variable, clock, constant or parameter, from this number of the row on.
    Cell(usize, Ty),
    /// A channel or an array of them, from this number on.
    Channel(usize, Ty),
    Type(Ty),
    Function(FunctionId, Env),
    Template(TemplateId, Env),
    Instance(usize, Env),
}

/// Declarations, the last one first.
type Env = Option<Rc<Link>>;

struct Link {
    name: Name,
    what: What,
    before: Env,
}

fn bind(env: &Env, name: Name, what: What) -> Env {
    Some(Rc::new(Link { name, what, before: env.clone() }))
}

fn lookup(mut env: &Env, name: Name) -> Option<&What> {
    while let Some(link) = env {
        if link.name == name {
            return Some(&link.what);
        }
        env = &link.before;
    }
    None
}

/// The numbers of a state, and behind them those of functions that run.
type Row = Vec<i64>;

/// Where the processes are, and all numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    at: Vec<usize>,
    row: Row,
}

struct Process {
    name: String,
    template: TemplateId,
    /// Its priority.
    level: u32,
    env: Env,
    /// Its own declarations, by name.
    members: BTreeMap<Name, What>,
}

/// A model, ready to run.
pub struct Network<'a> {
    ast: &'a Ast,
    processes: Vec<Process>,
    /// For each template, the edges of every step.
    paths: Vec<Vec<Vec<&'a Edge>>>,
    /// For each channel, whether it is urgent and whether it is a broadcast.
    channels: Vec<(bool, bool)>,
    /// The priorities of channels, as far as they are not that of edges without one.
    channel_levels: BTreeMap<usize, u32>,
    default_level: u32,
    clocks: Vec<usize>,
    /// What 1 is for a clock.
    unit: i64,
    /// How to ask for a number of the row, and where it is.
    asked: Vec<(String, usize, Ty)>,
    /// How to ask for a clock, and where it is.
    timed: Vec<(String, usize)>,
    global: Env,
    initial: State,
    /// Whether a query is evaluated, where clocks may be compared strictly.
    asking: Cell<bool>,
}

impl<'a> Network<'a> {
    /// Makes the processes of a model; time is counted in whole units unless it is dense.
    pub fn new(ast: &'a Ast, dense: bool) -> Result<Self, Unable> {
        let mut network = Network {
            ast,
            processes: vec![],
            paths: ast.templates.iter().map(Network::paths_of).collect(),
            channels: vec![],
            channel_levels: BTreeMap::new(),
            default_level: 0,
            clocks: vec![],
            unit: if dense { RANKS } else { 1 },
            asked: vec![],
            timed: vec![],
            global: None,
            initial: State { at: vec![], row: vec![] },
            asking: Cell::new(false),
        };
        match network.build() {
            Ok(()) => Ok(network),
            Err(Trouble::Fault) => Err(Unable("a fault before anything runs".to_owned())),
            Err(Trouble::Unable(why)) => Err(Unable(why)),
        }
    }
    fn text(&self, name: Name) -> &'a str {
        self.ast.names.text(name)
    }
}
