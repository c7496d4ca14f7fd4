//! Automata in files, why they accept no run, and their products with the systems that certificates are about.
//!
//! A file lists for each state whether it is a sink, and for each transition the letters it reads, as cubes of numbered
//! atoms, and the numbers of its acceptance sets. Atoms are numbered in the order in which the formula of the question
//! first mentions them. Whether the automaton accepts what it has to is for the judge to say; here it only has to
//! be one, so that there is a product.

use std::io::Write;

use ir::automaton::{Automaton, Guard, Transition};
use ir::{Certificate, Descent, Measure, Question, Ranking, System, Term, monitor};
use serde::{Deserialize, Serialize};

use super::formula;
use crate::trace::{Misfit, Mismatch, Place};

/// An automaton; see [`Automaton`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutomatonRecord {
    /// For each state, whether it accepts whatever comes.
    pub sinks: Vec<bool>,
    /// Where it starts.
    pub initial: u32,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// How it moves.
    pub transitions: Vec<TransitionRecord>,
}

/// A transition of an automaton; see [`Transition`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionRecord {
    /// From this state
    pub source: u32,
    /// to this one,
    pub target: u32,
    /// on letters that satisfy all literals of one of these cubes: atoms with what they are to be;
    pub guard: Vec<Vec<(u32, bool)>>,
    /// the acceptance sets that it is in, in ascending order.
    pub sets: Vec<u32>,
}

/// Why no run of a product is accepting; see [`Descent`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DescentRecord {
    /// The automaton accepts in sinks only.
    Terminal,
    /// For each state that is listed, its rank and the acceptance set that is missing there.
    Measures(Vec<(u32, u8)>),
    /// No run comes through all acceptance sets more often than so many times.
    Rounds(u32),
    /// For each entry of the invariant, its rank, the components of its ranking as terms (see [`formula`]), and the
    /// acceptance set that is missing there.
    Ranks(Vec<(u32, Vec<String>, u8)>),
}

impl DescentRecord {
    /// The record of a reason for what a base is about.
    pub fn new(product: &System, base: &Certificate, descent: &Descent) -> Self {
        match descent {
            Descent::Terminal => DescentRecord::Terminal,
            Descent::Rounds(most) => DescentRecord::Rounds(*most),
            Descent::Measures(list) => {
                DescentRecord::Measures(list.iter().map(|it| (it.rank, it.missing)).collect())
            }
            Descent::Ranks(list) => {
                let writer = formula::Writer::new(product);
                let text = |component: &Term| match base {
                    Certificate::Invariant(invariant) => writer.text(&invariant.terms, *component),
                    // The judge accepts no other base, and there are no terms to write.
                    _ => String::new(),
                };
                let record = |it: &Ranking| (it.rank, it.components.iter().map(text).collect(), it.missing);
                DescentRecord::Ranks(list.iter().map(record).collect())
            }
        }
    }
    /// The reason; the terms of rankings are put into the arena of the base.
    ///
    /// # Errors
    /// If there is no such arena, or something is no term.
    pub fn descent(self, product: &System, base: &mut Certificate) -> Result<Descent, Misfit> {
        Ok(match self {
            DescentRecord::Terminal => Descent::Terminal,
            DescentRecord::Rounds(most) => Descent::Rounds(most),
            DescentRecord::Measures(list) => {
                Descent::Measures(list.into_iter().map(|(rank, missing)| Measure { rank, missing }).collect())
            }
            DescentRecord::Ranks(list) => {
                let Certificate::Invariant(invariant) = base else { return Err(Mismatch::Ranks.into()) };
                let reader = formula::Reader::new(product);
                let mut rankings = Vec::with_capacity(list.len());
                for (number, (rank, texts, missing)) in list.into_iter().enumerate() {
                    let read = texts.iter().map(|text| reader.formula(&mut invariant.terms, text));
                    let components = read.collect::<Result<_, _>>();
                    let components =
                        components.map_err(|why| Mismatch::Formula(why).at(Place::Entry(number)))?;
                    rankings.push(Ranking { rank, components, missing });
                }
                Descent::Ranks(rankings)
            }
        })
    }
    /// How many rounds are counted, if the base is about a product that counts.
    pub fn rounds(&self) -> Option<u32> {
        if let DescentRecord::Rounds(most) = self { Some(*most) } else { None }
    }
}

impl AutomatonRecord {
    /// The record of an automaton.
    pub fn new(automaton: &Automaton) -> Self {
        let Automaton { sinks, initial, sets, transitions } = automaton;
        let transition = |it: &Transition| TransitionRecord {
            source: it.source,
            target: it.target,
            guard: it.guard.cubes.clone(),
            sets: (0..u64::BITS).filter(|set| it.marks >> set & 1 == 1).collect(),
        };
        AutomatonRecord {
            sinks: sinks.clone(),
            initial: *initial,
            sets: *sets,
            transitions: transitions.iter().map(transition).collect(),
        }
    }
    /// The automaton, if its sets are told in order.
    pub fn automaton(self) -> Option<Automaton> {
        let AutomatonRecord { sinks, initial, sets, transitions } = self;
        let transition = |it: TransitionRecord| {
            let ascending = it.sets.is_sorted_by(|a, b| a < b);
            let known = it.sets.iter().all(|set| *set < Automaton::MOST_SETS);
            let marks = it.sets.iter().fold(0, |marks, set| marks | 1 << (set % u64::BITS));
            let guard = Guard { cubes: it.guard };
            let transition = Transition { source: it.source, target: it.target, guard, marks };
            (ascending && known).then_some(transition)
        };
        let transitions = transitions.into_iter().map(transition).collect::<Option<_>>()?;
        Some(Automaton { sinks, initial, sets, transitions })
    }
    /// Writes it with a line for each transition.
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let AutomatonRecord { sinks, initial, sets, transitions } = self;
        let sinks = serde_json::to_string(sinks)?;
        write!(out, "{{\n    \"sinks\": {sinks},\n    \"initial\": {initial},\n    \"sets\": {sets},")?;
        write!(out, "\n    \"transitions\": [")?;
        for (index, transition) in transitions.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(out, "{comma}\n      {}", serde_json::to_string(transition)?)?;
        }
        write!(out, "\n    ]\n  }}")
    }
}

/// The most rounds through acceptance sets that are counted.
const MOST_ROUNDS: u32 = 1 << 30;

/// The product of a system with an automaton that the base of a certificate is about, and what must not be found there;
/// one that counts up to so many rounds, if it has to.
///
/// # Errors
/// If the question is not about runs, the automaton is none over its atoms, or there is no product.
pub fn product(
    system: &System,
    question: &Question,
    automaton: &Automaton,
    rounds: Option<u32>,
) -> Result<(System, Question), Mismatch> {
    let Question::Path(question) = question else { return Err(Mismatch::NotAboutRuns) };
    if !automaton.is_well_formed(question.atoms.len()) {
        return Err(Mismatch::Automaton);
    }
    let product = monitor::product(system, question, automaton).map_err(|_| Mismatch::Product)?;
    match (product, rounds) {
        (_, Some(most)) if most > MOST_ROUNDS => Err(Mismatch::Rounds(most)),
        ((product, Question::Cycle(target)), Some(most)) => Ok(monitor::counting(&product, target, most)),
        ((product, Question::Cycle(target)), _) => Ok((product, Question::Reach(target))),
        (product, _) => Ok(product),
    }
}
