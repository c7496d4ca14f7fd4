//! Rankings of entries: obligations that also say how far a step comes; see [`ir::Ranking`] for why that is enough.
//!
//! What the components of an entry are before a step is *remembered* in variables of the judge's own, which no statement
//! knows. That they are equal joins the premise, and how the components of another entry compare with them joins the
//! formula of that entry as a goal. So an obligation about ranks is one like any other, and is shown in the same way.
//!
//! All terms are copied into an arena of the judge's own, where there are such variables.

use ir::{Invariant, InvariantEntry, Ranking, Span, System, Term, Terms, Type, VarId, Variable};
use rustc_hash::FxHashMap;

/// The rankings of the entries of an invariant, and what they ask of steps.
pub(crate) struct Ranks {
    list: Vec<Ranking>,
    /// How many acceptance sets there are.
    sets: u32,
    /// By entry: what its components are remembered as, and the equations that say so.
    memory: Vec<(Vec<Term>, Vec<Term>)>,
    /// By the entries that a step comes from and leads to, and by whether it is in the set that the first is without.
    goals: FxHashMap<(u32, u32, bool), Term>,
}

impl Ranks {
    /// Declares what is needed for `list`, one ranking for each entry; the same invariant with that in its arena.
    pub fn new(system: &mut System, invariant: &Invariant, list: &[Ranking]) -> (Self, Invariant) {
        let most = list.iter().map(|it| it.components.len()).max().unwrap_or(0);
        let old: Vec<VarId> = (0..most)
            .map(|number| {
                system.declare(
                    Type::Int,
                    Variable::local(format!("component {number} before"), Span::default()),
                )
            })
            .collect();
        let mut terms = system.terms.clone();
        let mut copy = |term: Term| terms.import(&invariant.terms, term, &mut |terms, var| terms.var(var));
        let entries = invariant
            .entries
            .iter()
            .map(|entry| InvariantEntry { formula: copy(entry.formula), ..entry.clone() })
            .collect();
        let list: Vec<Ranking> = list
            .iter()
            .map(|it| Ranking {
                components: it.components.iter().map(|it| copy(*it)).collect(),
                ..it.clone()
            })
            .collect();
        let memory = list.iter().map(|it| remember(&mut terms, &it.components, &old)).collect();
        let sets = system.monitor.as_ref().map_or(0, |monitor| monitor.sets);
        let mut ranks = Ranks { list, sets, memory, goals: FxHashMap::default() };
        let mut invariant = Invariant { terms, initial: invariant.initial.clone(), entries };
        ranks.compare(&mut invariant);
        (ranks, invariant)
    }
    /// What is remembered of an entry before a step.
    pub fn premise(&self, entry: usize) -> &[Term] {
        &self.memory[entry].1
    }
    /// What should hold of `to` after a step from `from` that is in these acceptance sets.
    pub fn goal(&self, from: usize, marks: u64, to: u32) -> Term {
        let missed = marks.checked_shr(self.list[from].missing.into()).unwrap_or(0) & 1 == 0;
        self.goals[&(from as u32, to, !missed)]
    }
    /// Makes the goals of all steps between entries.
    fn compare(&mut self, invariant: &mut Invariant) {
        for (from, entry) in (0..).zip(&invariant.entries) {
            for to in &entry.successors {
                for marked in [false, true] {
                    let allowed = self.allowed(&mut invariant.terms, from, *to, marked);
                    let formula = invariant.entries[*to as usize].formula;
                    self.goals.insert((from, *to, marked), invariant.terms.and([formula, allowed]));
                }
            }
        }
    }
    /// That a step is allowed, said after it; `marked` if it is in the set that the entry it comes from is without.
    fn allowed(&self, terms: &mut Terms, from: u32, to: u32, marked: bool) -> Term {
        let (before, after) = (&self.list[from as usize], &self.list[to as usize]);
        if before.rank != after.rank {
            return terms.bool(after.rank < before.rank);
        }
        let (mut ways, mut none_grows) = (vec![], vec![]);
        for (old, new) in self.memory[from as usize].0.iter().zip(&after.components) {
            let zero = terms.int(0);
            let (bounded, less) = (terms.le(zero, *old), terms.lt(*new, *old));
            ways.push(terms.and(none_grows.iter().copied().chain([bounded, less])));
            none_grows.push(terms.le(*new, *old));
        }
        if before.missing == after.missing && u32::from(before.missing) < self.sets && !marked {
            ways.push(terms.and(none_grows));
        }
        terms.or(ways)
    }
}

/// What components are remembered as, and the equations that say so; a constant needs none.
fn remember(terms: &mut Terms, components: &[Term], old: &[VarId]) -> (Vec<Term>, Vec<Term>) {
    let (mut names, mut equations) = (vec![], vec![]);
    for (component, old) in components.iter().zip(old) {
        if terms.as_const(*component).is_some() {
            names.push(*component);
            continue;
        }
        let old = terms.var(*old);
        names.push(old);
        equations.push(terms.eq(old, *component));
    }
    (names, equations)
}
