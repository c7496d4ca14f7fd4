//! Proofs that no run has a word that is asked for; see [`ir::Progress`].
//!
//! The automaton accepts every word that is asked for: this is the one argument that is shared with the fast checker
//! ([`crate::covers`], [`crate::prefix`]). In its product with the system ([`ir::monitor`]), the base excludes the target,
//! as for any system; and no run of the product is accepting, because
//! - a *measure* of every listed state decreases along a step, or stays the same and the step is not in the acceptance
//!   set that it names;
//! - a *ranking* of every entry of an invariant allows every step ([`ir::Ranking`]), which a solver is asked about;
//! - so many *rounds* through all acceptance sets are impossible, which is reachability in a product that counts.

use ir::automaton::Automaton;
use ir::monitor::{counting, product};
use ir::{
    Action, Actions, Certificate, Descent, Invariant, Measure, PathQuestion, Progress, Question, Ranking,
    Steps, Stuck, System, Term, Type, Valuation, Words, Zeno,
};

use super::invariant::{self, Entry};
use super::{Cx, closed_set, excludes, formula, zone_set};
use crate::covers::{Hindrance, covers};
use crate::prefix::shows_good_prefixes;
use crate::{Flaw, FormulaFlaw, Place, Rejection, Undecided};

/// Checks that no run has such a word.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &System,
    question: &PathQuestion,
    proof: &Progress,
) -> Result<(), Rejection> {
    let Progress { automaton, base, descent } = proof;
    if !automaton.is_well_formed(question.atoms.len()) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    is_for(cx, system, &question.words, automaton)?;
    let (product, asked) = product(system, question, automaton).map_err(|_| Undecided::NoCondition)?;
    match (asked, descent, base) {
        (Question::Reach(target), Descent::Terminal, base) => excludes(cx, &product, target, base),
        (Question::Cycle(target), Descent::Rounds(most), base) => {
            let (counting, asked) = counting(&product, target, *most);
            let target = asked.target().ok_or_else(|| Place::Whole.wrong(Flaw::Measures))?;
            excludes(cx, &counting, target, base)
        }
        (Question::Cycle(target), Descent::Measures(measures), Certificate::ClosedSet(set)) => {
            if measures.len() != set.len() {
                return Err(Place::Whole.wrong(Flaw::Measures));
            }
            let Some(monitor) = &product.monitor else { return Err(Place::Whole.wrong(Flaw::Measures)) };
            closed_set::check(cx, &product, target, &**set, &mut |from, action, to| {
                let marks = monitor.marks_of(&action.edges);
                let (from, to): (Measure, Measure) = (measures[from], measures[to]);
                let stays = to == from && is_missed(from.missing, monitor.sets, marks);
                if to.rank < from.rank || stays { Ok(()) } else { Err(Flaw::Ascent) }
            })
        }
        (Question::Cycle(target), Descent::Measures(measures), Certificate::Zones(set)) => {
            let Some(monitor) = product.monitor.as_ref().filter(|_| measures.len() == set.len()) else {
                return Err(Place::Whole.wrong(Flaw::Measures));
            };
            let allows = |from: usize, action: &Action, to: usize| {
                let (from, to): (Measure, Measure) = (measures[from], measures[to]);
                let missed = is_missed(from.missing, monitor.sets, monitor.marks_of(&action.edges));
                to.rank < from.rank || to == from && missed
            };
            zone_set::check(cx, &product, target, &**set, Some(&allows))
        }
        (Question::Cycle(target), Descent::Ranks(ranks), Certificate::Invariant(list)) => {
            invariant::check(cx, &product, Some(target), list)?;
            ranked(cx, &product, list, ranks)
        }
        _ => Err(Place::Whole.wrong(Flaw::Measures)),
    }
}

/// Whether a step with these marks is not in an acceptance set.
fn is_missed(set: u8, sets: u32, marks: u64) -> bool {
    u32::from(set) < sets && marks >> set & 1 == 0
}

/// Checks that an automaton accepts every word that is asked for, and is in a sink after every beginning that is enough,
/// where words can end.
fn is_for(cx: &Cx<'_>, system: &System, words: &Words, automaton: &Automaton) -> Result<(), Rejection> {
    let formula = match words {
        Words::Satisfying(formula) => formula,
        Words::Accepted(asked) if **asked == *automaton => return Ok(()),
        Words::Late(response) if response.automaton() == *automaton => return Ok(()),
        Words::Accepted(_) | Words::Late(_) => return Err(Place::Whole.wrong(Flaw::OtherAutomaton)),
    };
    if !automaton.is_well_formed(formula.atoms() as usize) {
        return Err(Place::Whole.wrong(Flaw::Automaton));
    }
    if !covers(formula, automaton, cx.stop)? {
        return Err(Undecided::NotCovered.into());
    }
    let mut locations = system.processes.iter().flat_map(|process| process.locations.iter());
    let ends = system.stuck == Stuck::Ignored || system.zeno == Zeno::Forbidden;
    if !ends && locations.all(|location| location.observed && location.read) {
        return Ok(());
    }
    match shows_good_prefixes(formula, automaton, cx.stop) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Undecided::NotCovered.into()),
        Err(Hindrance::TooLarge) => Err(Undecided::ManyPrefixes.into()),
        Err(Hindrance::Interrupted) => Err(Rejection::Interrupted),
    }
}

/// Checks that every step between the entries of an invariant is allowed by their rankings.
fn ranked(cx: &Cx<'_>, product: &System, list: &Invariant, ranks: &[Ranking]) -> Result<(), Rejection> {
    let mut system = product.clone();
    let entries = invariant::entries(&mut system, list)?;
    let components = components(&mut system, list, ranks)?;
    let Some(monitor) = system.monitor.clone() else { return Err(Place::Whole.wrong(Flaw::Measures)) };
    let mut actions = Actions::new();
    for (from, entry) in entries.iter().enumerate() {
        let vector = actions.vector(&entry.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let mut steps = Steps::start();
            let place = Place::Entry(from);
            let execution =
                formula::execution(&mut system, action.stmt, &Valuation::default(), &mut steps, place)?;
            let missed = is_missed(ranks[from].missing, monitor.sets, monitor.marks_of(&action.edges));
            let mut goals = vec![];
            for to in &list.entries[from].successors {
                let Entry { locations, formula } = &entries[*to as usize];
                if *locations != action.target {
                    continue;
                }
                let there = steps.apply(&mut system.terms, *formula);
                let after: Vec<Term> =
                    components[*to as usize].iter().map(|it| steps.apply(&mut system.terms, *it)).collect();
                let (before, ranks) = (&components[from], [&ranks[from], &ranks[*to as usize]]);
                let allowed = allowed(&mut system, ranks, (before, &after), missed);
                goals.push(system.terms.and([there, allowed]));
            }
            let goal = system.terms.or(goals);
            let escape = system.terms.not(goal);
            if cx.satisfiable(&system, &[entry.formula, execution, escape], place)? {
                return Err(place.wrong(Flaw::Ascent));
            }
        }
    }
    Ok(())
}

/// The components of rankings, one ranking for each entry, integers all of them, and as many for each rank.
fn components(system: &mut System, list: &Invariant, ranks: &[Ranking]) -> Result<Vec<Vec<Term>>, Rejection> {
    let alike = |a: &Ranking, b: &Ranking| a.rank != b.rank || a.components.len() == b.components.len();
    if ranks.len() != list.entries.len() || ranks.iter().any(|a| ranks.iter().any(|b| !alike(a, b))) {
        return Err(Place::Whole.wrong(Flaw::Measures));
    }
    let mut components = vec![];
    for (number, ranking) in ranks.iter().enumerate() {
        let mut its = vec![];
        for component in &ranking.components {
            let copy = formula::copy(system, &list.terms, *component);
            let copy = copy.and_then(|term| match system.terms.type_of(term) {
                Type::Int => Ok(term),
                _ => Err(FormulaFlaw::NotAnInteger),
            });
            its.push(copy.map_err(|flaw| Place::Entry(number).wrong(Flaw::Formula(flaw)))?);
        }
        components.push(its);
    }
    Ok(components)
}

/// That a step is allowed: the rank decreases; or a component does, that is at least 0 before it, and none before that one
/// grows; or none grows, and the step is not in the set that is missing on both sides.
fn allowed(
    system: &mut System,
    [from, to]: [&Ranking; 2],
    (before, after): (&[Term], &[Term]),
    missed: bool,
) -> Term {
    let terms = &mut system.terms;
    if from.rank != to.rank {
        return terms.bool(to.rank < from.rank);
    }
    let (mut ways, mut none_grows, zero) = (vec![], vec![], terms.int(0));
    for (old, new) in before.iter().zip(after) {
        let (bounded, less) = (terms.le(zero, *old), terms.lt(*new, *old));
        ways.push(terms.and(none_grows.iter().copied().chain([bounded, less])));
        none_grows.push(terms.le(*new, *old));
    }
    if from.missing == to.missing && missed {
        ways.push(terms.and(none_grows));
    }
    terms.or(ways)
}
