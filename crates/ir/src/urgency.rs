//! Urgency: time stands still while a synchronisation over an urgent channel is possible.
//!
//! A synchronisation is possible where the guards of its edges hold; for a broadcast, that of its emitter. Where these
//! are about data, time may pass or it may not. Where they are about clocks, time passes up to and including the
//! first instant at which they hold. A guard is a disjunction of conjunctions ([`crate::cubes`]), each of lower bounds
//! `x >= c`, upper bounds, and conditions that no delay changes: data and differences of clocks. Such a conjunction
//! holds from the instant at which the last of its lower bounds is met, if it ever holds; and it ever holds if its
//! upper bounds hold now, the rest holds, and every difference that follows from a lower and an upper bound does
//! (Fourier and Motzkin). So after a delay one of the lower bounds must be met just now or not yet, unless the
//! conjunction never holds; and without lower bounds there is no delay at all while it can hold. Thus [`passing`] is a
//! statement without quantifiers.
//!
//! A strict lower bound has no first instant; front-ends refuse it ([`first_instants`]). The statement grows
//! exponentially with the upper bounds that are looked at before a delay, so they also refuse very many
//! ([`upper_bounds`]).

use crate::action::{Outgoing, edge, synchronisations};
use crate::clock::{ClockAtom, Cube, NoCubes, cubes};
use crate::stmt::Stmt;
use crate::system::{ChannelKind, LocationId, LocationKind, System};
use crate::term::{Term, Terms};
use crate::uneven::stopping;

/// When time stands still at some locations.
#[derive(Clone, Debug)]
pub struct Urgency {
    /// It does not pass at all where this holds.
    pub now: Term,
    /// It passes only so far.
    pub later: Vec<Wait>,
}

/// A bound on delays: where both conditions hold before a delay, `until` does after it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// That the upper bounds hold still, which only a look before the delay can tell.
    pub starts: Term,
    /// That a lower bound is met just now or not yet; or that the rest does not hold, which no delay changes.
    pub until: Term,
}

impl Urgency {
    /// Whether clocks have a say in it.
    pub fn is_timed(&self, terms: &Terms) -> bool {
        !self.later.is_empty() || terms.has_clock(self.now)
    }
}

/// Why time does not simply pass once it may, in a guard over an urgent channel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoInstant {
    /// A lower bound is strict, so that there is no first instant at which it holds.
    Strict,
    /// The guard uses clocks in too complex a way.
    Complex,
}

/// Whether there is a first instant at which a guard holds.
pub fn first_instants(terms: &mut Terms, guard: Term) -> Result<(), NoInstant> {
    let cubes = cubes(terms, guard).map_err(|_: NoCubes| NoInstant::Complex)?;
    let strict = |atom: &ClockAtom| atom.plus.is_none() && atom.strict;
    match cubes.iter().flat_map(|cube| &cube.clocks).any(strict) {
        true => Err(NoInstant::Strict),
        false => Ok(()),
    }
}

/// The upper bounds on clocks in a guard, one condition for each of its conjunctions; `true` for one without any.
pub fn upper_bounds(terms: &mut Terms, guard: Term) -> Vec<Term> {
    let mut bounds = vec![];
    for cube in cubes(terms, guard).unwrap_or_default() {
        let upper: Vec<ClockAtom> = cube.clocks.into_iter().filter(|atom| atom.minus.is_none()).collect();
        bounds.push(conjunction(terms, &upper));
    }
    bounds
}

/// When time stands still at these locations.
///
/// # Panics
/// If the guard of an edge over an urgent channel has no first instant, which front-ends exclude.
pub fn urgency(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Urgency {
    let mut kinds = system.processes.iter().zip(locations).map(|(process, at)| process.locations[*at].kind);
    if kinds.any(|kind| kind != LocationKind::Normal) || system.clocks().next().is_none() {
        return Urgency { now: system.terms.bool(true), later: vec![] };
    }
    if !system.channels.iter().any(|channel| channel.urgent) {
        return Urgency { now: system.terms.bool(false), later: vec![] };
    }
    let (mut now, mut later) = (vec![], vec![]);
    for guard in urgent_guards(system, outgoing, locations) {
        match system.terms.has_clock(guard) {
            true => wait_for(&mut system.terms, guard, &mut now, &mut later),
            false => now.push(guard),
        }
    }
    Urgency { now: system.terms.or(now), later }
}

/// The conditions under which synchronisations over urgent channels are possible.
fn urgent_guards(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Vec<Term> {
    let mut guards = vec![];
    for joint in synchronisations(system, outgoing, locations) {
        let first = edge(system, joint.edges[0]);
        let Some(sync) = first.sync.filter(|sync| system.channels[sync.channel].urgent) else { continue };
        // A broadcast is possible whoever receives it.
        let guard = if system.channels[sync.channel].kind == ChannelKind::Broadcast {
            first.guard
        } else {
            let all: Vec<Term> = joint.edges.iter().map(|at| edge(system, *at).guard).collect();
            system.terms.and(all.into_iter().chain([joint.condition]))
        };
        if !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    guards
}

/// What a guard over clocks has to say about delays.
fn wait_for(terms: &mut Terms, guard: Term, now: &mut Vec<Term>, later: &mut Vec<Wait>) {
    for cube in cubes(terms, guard).expect("front-ends see to it that there is a first instant") {
        let lower: Vec<ClockAtom> = cube.clocks.iter().copied().filter(|atom| atom.plus.is_none()).collect();
        let upper: Vec<ClockAtom> = cube.clocks.iter().copied().filter(|atom| atom.minus.is_none()).collect();
        let starts = conjunction(terms, &upper);
        let fixed = fixed(terms, &cube, &lower, &upper);
        // Beyond all lower bounds, or without any, it holds now.
        let beyond: Vec<ClockAtom> = lower.iter().map(|atom| ClockAtom { strict: true, ..*atom }).collect();
        let beyond = conjunction(terms, &beyond);
        now.push(terms.and([fixed, starts, beyond]));
        if lower.is_empty() {
            continue;
        }
        let not_fixed = terms.not(fixed);
        let mut until = vec![not_fixed];
        for atom in lower {
            let bound = terms.neg(atom.bound);
            let met = ClockAtom { plus: atom.minus, minus: None, bound, strict: false };
            until.push(met.term(terms));
        }
        let until = terms.or(until);
        match later.iter_mut().find(|wait| wait.starts == starts) {
            Some(wait) => wait.until = terms.and([wait.until, until]),
            None => later.push(Wait { starts, until }),
        }
    }
}

fn conjunction(terms: &mut Terms, atoms: &[ClockAtom]) -> Term {
    let atoms: Vec<Term> = atoms.iter().map(|atom| atom.term(terms)).collect();
    terms.and(atoms)
}

/// What a conjunction asks of data and of differences of clocks, those included that follow from its bounds.
fn fixed(terms: &mut Terms, cube: &Cube, lower: &[ClockAtom], upper: &[ClockAtom]) -> Term {
    let mut parts = cube.data.clone();
    for atom in cube.clocks.iter().filter(|atom| atom.plus.is_some() && atom.minus.is_some()) {
        parts.push(atom.term(terms));
    }
    for up in upper {
        for low in lower {
            let bound = terms.add([up.bound, low.bound]);
            let clocks = if up.plus == low.minus { (None, None) } else { (up.plus, low.minus) };
            let atom = ClockAtom { plus: clocks.0, minus: clocks.1, bound, strict: up.strict };
            parts.push(atom.term(terms));
        }
    }
    terms.and(parts)
}

/// The ways in which time passes at some locations, unless it stands still now: each where its first condition holds
/// before the delay and its second one after it.
pub(crate) fn delays(terms: &mut Terms, urgency: &Urgency) -> Vec<(Term, Term)> {
    let always = terms.bool(true);
    let mut ways = vec![(always, always)];
    for Wait { starts, until } in &urgency.later {
        let over = terms.not(*starts);
        let mut more = vec![];
        for (before, after) in ways {
            let with = terms.and([before, *starts]);
            more.push((with, terms.and([after, *until])));
            more.push((terms.and([before, over]), after));
        }
        more.retain(|(before, _)| terms.as_const(*before) != Some(&false.into()));
        ways = more;
    }
    ways
}

/// How time passes at these locations.
pub fn passing(system: &mut System, outgoing: &Outgoing, locations: &[LocationId]) -> Stmt {
    let urgency = urgency(system, outgoing, locations);
    let (skip, delay) = (system.terms.skip(), system.delay.unwrap_or_else(|| system.terms.delay()));
    let delay = stopping(system, locations, delay);
    let always = system.terms.bool(true);
    let passes = bounded(&mut system.terms, delay, &urgency.later, always);
    system.terms.branch(urgency.now, skip, passes)
}

/// A delay within bounds, after which `until` holds.
fn bounded(terms: &mut Terms, delay: Stmt, bounds: &[Wait], until: Term) -> Stmt {
    let Some((first, rest)) = bounds.split_first() else {
        let until = terms.assume(until);
        return terms.seq([delay, until]);
    };
    let within = terms.and([until, first.until]);
    let within = bounded(terms, delay, rest, within);
    let free = bounded(terms, delay, rest, until);
    terms.branch(first.starts, within, free)
}
