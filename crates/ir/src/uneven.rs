//! Clocks that do not run like the others: they stand still at some locations, or get the values of others.
//!
//! At a location with a stopwatch, a delay is `kept := x; delay; x := kept`, with the assignment behind it only where
//! the clock stands still: a condition on data, which no delay changes. The clock is between two values of the same
//! then, so the invariants are still convex in the length of a delay, and hold all along it if they hold at both ends.
//!
//! Differences of clocks that stand still are no bounds of zones any more: a stopwatch needs any linear constraint
//! (F. Cassez and K. G. Larsen, *The impressive power of stopwatches*, 2000), and what zones leave out of that is no run.
//! Copies, `y := x`, are followed in zones, with constants that flow through them; those with an offset, `y := x + 2`, and
//! sums of clocks are not. Time as rational numbers is exact ([`crate::spell_out`]), and a single delay is still eliminated exactly
//! ([`crate::eventually`]): what is left compares sums of several clocks.

use crate::clock::{NoCubes, eventually};
use crate::stmt::{Stmt, StmtNode};
use crate::system::{LocationId, Scope, Stopped, System};
use crate::term::{Node, Term, Terms, VarId};
use crate::value::Type;

/// How many stopwatches a condition after a delay may read whose standing still depends on open data.
const MOST_UNDECIDED: usize = 8;

/// `delay` with clocks that stand still at these locations.
pub(crate) fn stopping(system: &mut System, locations: &[LocationId], delay: Stmt) -> Stmt {
    let stopped = stopped(system, locations);
    if stopped.is_empty() {
        return delay;
    }
    let terms = &mut system.terms;
    let (mut before, mut after, skip) = (vec![], vec![], terms.skip());
    for Stopped { clock, when, kept } in stopped {
        let (now, then) = (terms.var(clock), terms.var(kept));
        before.push(terms.assign(kept, now));
        let back = terms.assign(clock, then);
        after.push(terms.branch(when, back, skip));
    }
    terms.seq(before.into_iter().chain([delay]).chain(after))
}

/// The clocks that may stand still at these locations, unless a rewriting has dropped them.
pub(crate) fn stopped(system: &System, locations: &[LocationId]) -> Vec<Stopped> {
    let here = system.processes.iter().zip(locations).map(|(process, at)| &process.locations[*at]);
    let mut found: Vec<Stopped> = vec![];
    for stopped in here.flat_map(|location| &location.stopped) {
        if system.vars[stopped.clock].scope == Scope::State {
            found.push(*stopped);
        }
    }
    found
}

/// The condition that `condition` holds after some delay, now included, during which some clocks may stand still: told
/// apart by which of those do that it reads.
pub(crate) fn eventually_with(
    terms: &mut Terms,
    condition: Term,
    stopped: &[Stopped],
) -> Result<Term, NoCubes> {
    let read = terms.vars_of(condition);
    let always = terms.bool(true);
    let mut cases = vec![(always, vec![])];
    for Stopped { clock, when, .. } in stopped.iter().filter(|stopped| read.contains(&stopped.clock)) {
        let runs = terms.not(*when);
        let mut more = vec![];
        for (case, still) in cases {
            let with: Vec<VarId> = still.iter().copied().chain([*clock]).collect();
            more.extend([(terms.and([case, *when]), with), (terms.and([case, runs]), still)]);
        }
        more.retain(|(case, _)| terms.as_const(*case) != Some(&false.into()));
        if more.len() > 1 << MOST_UNDECIDED {
            return Err(NoCubes::TooMany);
        }
        cases = more;
    }
    let mut ways = vec![];
    for (case, still) in cases {
        let later = eventually(terms, condition, &still)?;
        ways.push(terms.and([case, later]));
    }
    Ok(terms.or(ways))
}

/// The clocks that stand still at some location.
pub fn stopwatches(system: &System) -> Vec<VarId> {
    let locations = system.processes.iter().flat_map(|process| process.locations.iter());
    let mut clocks: Vec<VarId> =
        locations.flat_map(|location| &location.stopped).map(|stopped| stopped.clock).collect();
    clocks.sort_unstable();
    clocks.dedup();
    clocks
}

/// The clocks of a state that get the values of others of it, each with the other.
pub fn copies(system: &System) -> Vec<(VarId, VarId)> {
    let mut copies = vec![];
    for_each_transfer(system, |clock, value| copies.extend(copied(system, value).map(|from| (clock, from))));
    copies.sort_unstable();
    copies.dedup();
    copies
}

/// A clock that zones do not follow, if there is one: a stopwatch, or one that is set to more than the value of another.
pub fn uneven_clock(system: &System) -> Option<VarId> {
    let is_there = |clock: &VarId| system.vars[*clock].scope == Scope::State;
    let mut uneven = stopwatches(system).into_iter().find(is_there);
    for_each_transfer(system, |clock, value| {
        uneven = uneven.or(Some(clock).filter(|_| copied(system, value).is_none()));
    });
    uneven
}

/// Calls `visit` on the clocks of a state that are set to something that reads clocks, and on that.
fn for_each_transfer(system: &System, mut visit: impl FnMut(VarId, Term)) {
    let terms = &system.terms;
    for edge in system.processes.iter().flat_map(|process| process.edges.iter()) {
        for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
            terms.for_each_substmt(stmt, |part| {
                if let StmtNode::Assign(var, value) = *terms.stmt(part)
                    && terms.var_type(var) == Type::Clock
                    && terms.has_clock(value)
                    && system.vars[var].scope == Scope::State
                {
                    visit(var, value);
                }
            });
        }
    }
}

/// The clock of a state that a term is, if it is one.
fn copied(system: &System, value: Term) -> Option<VarId> {
    match *system.terms.node(value) {
        Node::Var(from, 0) if system.vars[from].scope == Scope::State => Some(from),
        _ => None,
    }
}
