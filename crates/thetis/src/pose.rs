//! Posing: from questions to the problem that engines and the judge are given.
//!
//! A question may look at a part of the runs only: at stable states, at the first so many units of time, at those that
//! never get stuck, or at those that are fair. That changes the system it is about. [`pose`] is the one place that does so; whoever checks, validates, replays or
//! simulates poses the question first, and all evidence is about the posed system. A posed system has the processes,
//! edges and variables of the model, and perhaps one more clock or other hidden variables behind them, so that the view of the model is
//! also one of it.

use std::fmt;
use std::str::FromStr;

use ir::fairness::{self, FairnessError, Item, Strength};
use ir::within::{self, WithinError};
use ir::{Claim, EdgeId, Property, Stuck, System, Term, Zeno};
use lang::Question;
use serde::{Deserialize, Serialize};

use crate::load::Model;

/// Which part of the runs questions look at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Which states.
    pub check_states: CheckStates,
    /// How much time since the start, in the units of clocks; `None` for all.
    pub within: Option<u64>,
    /// What becomes of runs that get stuck, for questions about whole runs; `None` for what the language says.
    pub stuck: Option<Stuck>,
    /// What runs are fair to, for questions about whole runs; others are not looked at.
    pub fair: Vec<Fair>,
    /// Whether infinite runs that take a bounded time count, for questions about whole runs.
    pub zeno: Zeno,
}

/// Fairness to something, as files and options call it: `weak:t1`, `strong:trans 2`, `weak:all`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fair {
    /// How fair.
    pub strength: Strength,
    /// To which edge or transition, as traces name it; to which process; or to `all` edges, each by itself.
    pub item: String,
}

impl fmt::Display for Fair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strength = match self.strength {
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        };
        write!(f, "{strength}:{}", self.item)
    }
}

impl FromStr for Fair {
    type Err = NoFair;

    fn from_str(text: &str) -> Result<Self, NoFair> {
        let (strength, item) = text.split_once(':').ok_or(NoFair)?;
        let strength = match strength.trim() {
            "weak" => Strength::Weak,
            "strong" => Strength::Strong,
            _ => return Err(NoFair),
        };
        let item = item.trim().to_owned();
        if item.is_empty() { Err(NoFair) } else { Ok(Fair { strength, item }) }
    }
}

/// A text that does not say what runs are fair to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NoFair;

impl fmt::Display for NoFair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write `weak:ITEM` or `strong:ITEM`, where ITEM is an edge as traces name it, a process, or `all`")
    }
}

impl std::error::Error for NoFair {}

impl Fair {
    /// The edges that are meant, in one item or in several.
    fn items(&self, system: &System) -> Result<Vec<Item>, CannotPose> {
        let cannot = |why| CannotPose::Fair(self.item.clone(), why);
        let process = fairness::mover(system).ok_or(cannot(FairnessError::Processes))?;
        let process = &system.processes[process];
        let mut labels: Vec<&str> = vec![];
        for edge in process.edges.iter() {
            if !edge.label.is_empty() && !labels.contains(&edge.label.as_str()) {
                labels.push(&edge.label);
            }
        }
        let labelled = |label: &str| -> Vec<EdgeId> {
            let edges = process.edges.entries().filter(|(_, edge)| edge.label == label);
            edges.map(|(id, _)| id).collect()
        };
        let item = |name: &str, edges| Item { name: name.to_owned(), strength: self.strength, edges };
        match self.item.as_str() {
            known if labels.contains(&known) => Ok(vec![item(known, labelled(known))]),
            name if name == process.name => Ok(vec![item(name, process.edges.ids().collect())]),
            "all" => Ok(labels.into_iter().map(|label| item(label, labelled(label))).collect()),
            unknown => Err(CannotPose::NoItem {
                item: unknown.to_owned(),
                nearest: lang::nearest::nearest(unknown, labels.into_iter()).map(str::to_owned),
            }),
        }
    }
}

/// What becomes of runs that get stuck, as files and options call it; see [`Stuck`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StuckRuns {
    /// They do not count.
    Ignore,
    /// They repeat their last state for ever.
    Repeat,
    /// They repeat their last state for ever, as do those that let time pass for ever where nothing has to happen.
    Idle,
}

impl From<Stuck> for StuckRuns {
    fn from(stuck: Stuck) -> Self {
        match stuck {
            Stuck::Ignored => StuckRuns::Ignore,
            Stuck::Repeat => StuckRuns::Repeat,
            Stuck::Idle => StuckRuns::Idle,
        }
    }
}

impl From<StuckRuns> for Stuck {
    fn from(stuck: StuckRuns) -> Self {
        match stuck {
            StuckRuns::Ignore => Stuck::Ignored,
            StuckRuns::Repeat => Stuck::Repeat,
            StuckRuns::Idle => Stuck::Idle,
        }
    }
}

/// Whether infinite runs that take a bounded time count, as files and options call it; see [`Zeno`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ZenoRuns {
    /// They do.
    #[default]
    Allow,
    /// They do not.
    Forbid,
}

impl ZenoRuns {
    /// Whether this is what goes without saying.
    pub fn is_usual(&self) -> bool {
        *self == ZenoRuns::Allow
    }
}

impl From<Zeno> for ZenoRuns {
    fn from(zeno: Zeno) -> Self {
        match zeno {
            Zeno::Allowed => ZenoRuns::Allow,
            Zeno::Forbidden => ZenoRuns::Forbid,
        }
    }
}

impl From<ZenoRuns> for Zeno {
    fn from(zeno: ZenoRuns) -> Self {
        match zeno {
            ZenoRuns::Allow => Zeno::Allowed,
            ZenoRuns::Forbid => Zeno::Forbidden,
        }
    }
}

impl Scope {
    /// Whether infinite runs that take a bounded time count, if a claim is about whole runs.
    pub fn zeno_runs(&self, claim: Claim) -> ZenoRuns {
        if claim.path().is_some() { self.zeno.into() } else { ZenoRuns::Allow }
    }
    /// What becomes of stuck runs, if that was chosen and a claim is about whole runs.
    pub fn stuck_runs(&self, claim: Claim) -> Option<StuckRuns> {
        self.stuck.filter(|_| claim.path().is_some()).map(StuckRuns::from)
    }
    /// What runs are fair to, if a claim is about whole runs.
    pub fn fairness(&self, claim: Claim) -> Vec<Fair> {
        let about_runs = claim.path().is_some();
        self.fair.iter().filter(|_| about_runs).cloned().collect()
    }
}

/// The states a question looks at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStates {
    /// Every state.
    #[default]
    All,
    /// Only those where a step of the user's has ended: in an XSTS, after `init` and after `trans`.
    Stable,
}

/// Questions about a system.
#[derive(Clone, Debug)]
pub struct Posed {
    /// The system that they are about, and all evidence with them.
    pub system: System,
    /// What they claim of it, in order.
    pub properties: Vec<Property>,
}

/// Why a question cannot be posed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotPose {
    /// It is about the first so many units of time, and not so for this reason.
    Within(u64, WithinError),
    /// It is about runs that are fair to something of this name, and not so for this reason.
    Fair(String, FairnessError),
    /// Nothing that runs could be fair to has this name.
    NoItem {
        /// The name.
        item: String,
        /// A name that may have been meant.
        nearest: Option<String>,
    },
    /// It was asked of another model than this one: the names in it mean something else there.
    OtherModel {
        /// How the user knows the question.
        question: String,
        /// The model that it was to be about.
        model: String,
    },
}

ir::codes! {
    CannotPose {
        CannotPose::Within(..) => "question.within",
        CannotPose::Fair(..) => "question.fair",
        CannotPose::NoItem { .. } => "question.no-item",
        CannotPose::OtherModel { .. } => "question.model",
    }
}

impl fmt::Display for CannotPose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotPose::Within(most, why) => {
                write!(f, "the question cannot be asked about {} only: {why}", first_units(*most))
            }
            CannotPose::Fair(item, why) => {
                write!(f, "the question cannot be asked about runs that are fair to `{item}` only: {why}")
            }
            CannotPose::NoItem { item, nearest } => {
                write!(f, "there is no edge or transition `{item}` that runs could be fair to")?;
                nearest.as_ref().map_or(Ok(()), |nearest| write!(f, "; did you mean `{nearest}`?"))
            }
            CannotPose::OtherModel { question, model } => {
                write!(f, "`{question}` was asked of another model than `{model}`; ask this one")
            }
        }
    }
}

impl std::error::Error for CannotPose {}

/// Poses questions about a model.
///
/// # Errors
/// If they cannot be asked about that part of its runs.
pub fn pose(model: &Model, questions: &[&Question], scope: &Scope) -> Result<Posed, CannotPose> {
    if let Some(foreign) = questions.iter().find(|question| !model.is_asked(question)) {
        let (question, model) = (foreign.name.clone(), model.name().to_owned());
        return Err(CannotPose::OtherModel { question, model });
    }
    let mut system = model.lowered.system.clone();
    let mut properties: Vec<Property> = questions.iter().map(|question| question.property.clone()).collect();
    if let Some(most) = scope.within {
        within::limit(&mut system, &mut properties, most).map_err(|why| CannotPose::Within(most, why))?;
    }
    if scope.check_states == CheckStates::Stable {
        system.observe_stable();
    }
    system.stuck = scope.stuck.unwrap_or(system.stuck);
    system.zeno = scope.zeno;
    // Where the model counts the time of its steps itself, time diverges if a step takes some again and again.
    if scope.zeno == Zeno::Forbidden && system.timed().is_none() && !model.lowered.view.elapsed.is_empty() {
        let elapsed = model.lowered.view.elapsed.iter();
        let mut amounts: Vec<(_, Term)> = elapsed.map(|(edge, elapsed)| (*edge, elapsed.amount)).collect();
        amounts.sort_unstable();
        let terms = &mut system.terms;
        let zero = terms.int(0);
        let positive: Vec<Term> = amounts.into_iter().map(|(_, amount)| terms.lt(zero, amount)).collect();
        let passes = terms.or(positive);
        let why = |why| CannotPose::Fair("the passing of time".to_owned(), why);
        fairness::recurring(&mut system, &mut properties, passes).map_err(why)?;
    }
    if !scope.fair.is_empty() && properties.iter().any(|property| property.claim.path().is_some()) {
        let mut items = vec![];
        for fair in &scope.fair {
            items.extend(fair.items(&system)?);
        }
        let names = scope.fair.iter().map(|fair| fair.item.as_str()).collect::<Vec<_>>().join("`, `");
        fairness::assume(&mut system, &mut properties, &items).map_err(|why| CannotPose::Fair(names, why))?;
    }
    Ok(Posed { system, properties })
}

/// The first so many units of time, in words.
pub fn first_units(most: u64) -> String {
    match most {
        1 => "the first time unit".to_owned(),
        _ => format!("the first {most} time units"),
    }
}
