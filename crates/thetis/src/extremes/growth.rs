//! Runs that show that a clock, or a difference of clocks, has no bound.
//!
//! **Stretching.** A delay of a run is made larger than all numbers of the model. If that delay grows still more, all
//! comparisons on the way come out as before, and what is measured grows with it.
//!
//! **Pumping.** A part of a run leads from a state to one that the rest of the run cannot tell from it: locations, data
//! and clocks are the same, except for clocks that are greater than every constant they are compared with in both, or
//! are never looked at. Then the part can be taken again and again with the same decisions. It changes nothing but those
//! clocks, and each time by as much: a clock that is set on the way gets the same value, any other grows by the same
//! time. So if what is measured in the end grows when the part is taken twice, it grows as much with every time more.
//!
//! Both runs are executed and checked like any other.

use std::collections::{HashMap, HashSet};

use certify::Reached;
use ir::interp::Interp;
use ir::replay::{self, NoStep};
use ir::{
    Claim, ClockAtom, Decision, LocationId, Node, Rat, Run, State, Stmt, System, Term, Terms, Type, Value,
    VarId, clock_atom,
};

use lang::Grain;

use super::ascent::{Ascent, Way};
use super::measured;
use crate::check::Answered;

/// A run with which what is measured can be made as large as one likes.
pub(super) struct Growing {
    /// The run.
    pub(super) run: Run,
    /// The steps of it, from the first to the last, that can be repeated for ever; none if a delay can be longer.
    pub(super) repeats: Option<(usize, usize)>,
}

/// A delay after which every clock is greater than any number that a model computes: 2^1024. Its variables and constants
/// have at most 64 bits.
fn long() -> Rat {
    (0..5).fold(Rat::from(1 << 32), |number, _| &number * &number)
}

/// In so many of the last steps of a run, more time is tried to pass.
const MOST_STRETCHED: usize = 64;

/// So many parts of a run are tried to be repeated.
const MOST_PUMPED: usize = 8;

impl Ascent<'_> {
    /// A run like that of an answer with which there is no bound, if one is found.
    pub(super) fn growing(&self, answered: &Answered) -> Option<Growing> {
        let way = self.way;
        let run = answered.run().filter(|_| self.is_clock() && self.measure.grain != Grain::Response)?;
        let mut system = System::clone(&answered.system);
        let question = system.question(answered.property.claim);
        let reaches = |system: &System, longer: &Run| {
            certify::check_run(system, &question, longer, self.stop.flag()) == Ok(Reached::Target)
        };
        for at in (0..=run.steps.len()).rev().take(MOST_STRETCHED) {
            let Some(longer) = self.stretched_at(&mut system, run, at) else { continue };
            if self.growth(&system, run, &longer, way) >= Some(long()) && reaches(&system, &longer) {
                return Some(Growing { run: longer, repeats: None });
            }
        }
        for (from, to) in self.repetitions(&mut system, run, way).into_iter().take(MOST_PUMPED) {
            let Some(longer) = self.pumped(&mut system, run, from, to) else { continue };
            if self.growth(&system, run, &longer, way) > Some(Rat::from(0)) && reaches(&system, &longer) {
                return Some(Growing { run: longer, repeats: Some((from + 1, to)) });
            }
        }
        None
    }
    /// The run with more time in this step, where 0 is before the first, if its statements can be executed so.
    fn stretched_at(&self, system: &mut System, run: &Run, at: usize) -> Option<Run> {
        let mut longer = run.clone();
        let decisions = match at.checked_sub(1) {
            None => &mut longer.decisions,
            Some(step) => &mut longer.steps[step].decisions,
        };
        let delay = decisions.iter_mut().rev().find_map(|decision| match decision {
            Decision::Delay(amount) => Some(amount),
            _ => None,
        })?;
        *delay = &*delay + &long();
        self.executed(system, &longer, |_| {})
    }
    /// The run that takes the steps between two of its states twice, if its statements can be executed so.
    fn pumped(&self, system: &mut System, run: &Run, from: usize, to: usize) -> Option<Run> {
        let steps = [&run.steps[..to], &run.steps[from..]].concat();
        self.executed(system, &Run { steps, ..run.clone() }, |_| {})
    }
    /// The run with these decisions, if there is one; `look` gets its statements.
    fn executed(&self, system: &mut System, run: &Run, mut look: impl FnMut(Stmt)) -> Option<Run> {
        let executed = replay::run(system, run, |system, leg, (decisions, after)| {
            look(leg.stmt);
            let mut interp = Interp::new(system, Some(self.stop.flag()));
            Ok::<_, NoStep>(interp.follow(leg.stmt, leg.source(after), decisions).ok().flatten())
        });
        executed.ok()
    }
    /// How much farther what is measured is at the end of another run.
    fn growth(&self, system: &System, run: &Run, longer: &Run, way: Way) -> Option<Rat> {
        self.farther(system, run.last(), longer.last(), way)
    }
    fn farther(&self, system: &System, near: &State, far: &State, way: Way) -> Option<Rat> {
        let value = |state: &State| match measured(system, state, self.measure)? {
            Value::Rat(value) => Some(*value),
            _ => None,
        };
        let (near, far) = (value(near)?, value(far)?);
        Some(match way {
            Way::Up => &far - &near,
            Way::Down => &near - &far,
        })
    }
    /// Pairs of states, by their numbers, that nothing on the run tells apart, and of which the later one is farther.
    fn repetitions(&self, system: &mut System, run: &Run, way: Way) -> Vec<(usize, usize)> {
        // A question about limited time has another condition than the user's, and there is a bound then.
        let Claim::Possibly(target) = self.question.property.claim else { return vec![] };
        if self.limited {
            return vec![];
        }
        let mut statements = HashSet::new();
        if self.executed(system, run, |stmt| _ = statements.insert(stmt)).is_none() {
            return vec![];
        }
        let mut looks = Looks::default();
        looks.at_term(system, target);
        for (when, _) in &self.measure.ways {
            looks.at_term(system, *when);
        }
        statements.into_iter().for_each(|stmt| looks.at_stmt(system, stmt));
        let states: Vec<&State> = run.states().collect();
        let (mut before, mut pairs) = (HashMap::new(), vec![]);
        for (to, state) in states.iter().enumerate() {
            let Some(from) = before.insert(looks.of(system, state), to) else { continue };
            if self.farther(system, states[from], state, way) > Some(Rat::from(0)) {
                pairs.push((from, to));
            }
        }
        pairs
    }
}

/// How statements and conditions look at clocks.
#[derive(Default)]
struct Looks {
    /// The greatest constant that a clock is compared with; none if more than such comparisons read it.
    greatest: HashMap<VarId, Option<Rat>>,
    seen: HashSet<Term>,
}

/// What can be seen of a state: its locations and values, except for those of clocks that are greater than what they are
/// compared with.
#[derive(PartialEq, Eq, Hash)]
struct Seen<'a> {
    locations: &'a [LocationId],
    values: Vec<Option<&'a Value>>,
}

impl Looks {
    fn at_stmt(&mut self, system: &mut System, stmt: Stmt) {
        let (mut terms, arena) = (vec![], &system.terms);
        arena.for_each_substmt(stmt, |part| arena.stmt(part).for_each_term(|term| terms.push(term)));
        terms.into_iter().for_each(|term| self.at_term(system, term));
    }
    fn at_term(&mut self, system: &mut System, term: Term) {
        let terms = &mut system.terms;
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !self.seen.insert(term) || !terms.has_clock(term) {
                continue;
            }
            match clock_atom(terms, term) {
                Some(atoms) => atoms.iter().for_each(|atom| self.at_atom(terms, atom)),
                None => match terms.node(term) {
                    Node::Var(clock, _) => _ = self.greatest.insert(*clock, None),
                    node => node.for_each_child(|child| stack.push(child)),
                },
            }
        }
    }
    fn at_atom(&mut self, terms: &Terms, atom: &ClockAtom) {
        let size = |bound: Rat| bound.clone().max(&Rat::from(0) - &bound);
        let with = match (terms.as_const(atom.bound), atom.plus, atom.minus) {
            (_, Some(_), Some(_)) => None,
            (Some(Value::Int(bound)), ..) => Some(size(Rat::from(bound))),
            (Some(Value::Rat(bound)), ..) => Some(size((**bound).clone())),
            _ => None,
        };
        for clock in [atom.plus, atom.minus].into_iter().flatten() {
            self.compared(clock, with.clone());
        }
    }
    fn compared(&mut self, clock: VarId, with: Option<Rat>) {
        let greatest = self.greatest.entry(clock).or_insert_with(|| with.clone());
        *greatest = match (greatest.take(), with) {
            (Some(one), Some(other)) => Some(one.max(other)),
            _ => None,
        };
    }
    fn of<'a>(&self, system: &System, state: &'a State) -> Seen<'a> {
        let visible = |(var, value): (VarId, &'a Option<Value>)| match (self.greatest.get(&var), value) {
            _ if system.terms.var_type(var) != Type::Clock => value.as_ref(),
            (None, _) => None,
            (Some(Some(greatest)), Some(Value::Rat(now))) if &**now > greatest => None,
            _ => value.as_ref(),
        };
        let values = system.state_vars().zip(state.values.iter()).map(visible).collect();
        Seen { locations: &state.locations, values }
    }
}
