//! Deadlines: conditions that only a beginning of every run can satisfy.
//!
//! A clock that nothing sets, and that never stands still, tells how much time has passed since the start. So `A<> (p and
//! t <= 10)`, where `p` is about locations and data, says that `p` holds within 10 time units, which is a bounded response
//! ([`ir::Response`]); its answer is exact, although `t` changes between two steps.

use ir::{Rat, System, Term, Value, VarId, cubes, stopwatches};

/// What must hold at some time before a clock that tells the time gets too far, if a condition says no more than that: the
/// rest of the condition, how far, and whether it must be less.
pub(crate) fn deadline(system: &mut System, condition: Term) -> Option<(Term, i64, bool)> {
    let mut cubes = cubes(&mut system.terms, condition).ok()?;
    let cube = cubes.pop().filter(|_| cubes.is_empty())?;
    let [atom] = &cube.clocks[..] else { return None };
    let (Some(clock), None) = (atom.plus, atom.minus) else { return None };
    let Some(Value::Int(most)) = system.terms.as_const(atom.bound) else { return None };
    let most = most.to_i64().filter(|most| *most >= 0)?;
    tells_the_time(system, clock).then(|| (system.terms.and(cube.data), most, atom.strict))
}

/// Whether a clock is zero at the start and nothing but time changes it.
fn tells_the_time(system: &System, clock: VarId) -> bool {
    let starts = |(var, value): &(VarId, Term)| {
        let value = system.terms.as_const(*value);
        *var != clock
            || value.is_some_and(|value| {
                matches!(value, Value::Int(_) | Value::Rat(_)) && value.as_rat() == Rat::ZERO
            })
    };
    let mut edges = system.processes.iter().flat_map(|process| process.edges.iter());
    let sets = |stmt| system.terms.written_by(stmt).contains(&clock);
    system.initial.iter().all(starts)
        && !stopwatches(system).contains(&clock)
        && !edges.any(|edge| sets(edge.update.stmt) || edge.update.fault.is_some_and(sets))
}
