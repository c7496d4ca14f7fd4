//! Monitors: an automaton that reads the runs of a system, as one more process of it.
//!
//! The *word* of a run has a letter for each of its observed states that are [read](crate::Location::read): the atoms that
//! hold there. The [`product`] of a system with an automaton has a process whose locations are the automaton's states.
//! Whenever the system leaves a state that is read, the monitor moves along a transition whose guard holds in that state,
//! before the step; elsewhere it stays where it is. So runs of the product are runs of the system together with runs of
//! the automaton over their words, and every engine sees an ordinary system.
//!
//! **What is searched for.** A run whose word the automaton accepts: one that never ends and comes through every
//! acceptance set again and again, or one whose beginning leads to a sink. The second is the *target* of the product: a
//! state that is read, where the monitor has a transition to a sink. The product does not take such transitions; where the
//! automaton is terminal, reachability of the target is all that is asked.
//!
//! **Runs that get stuck** do not count, unless the system says that they repeat their last state ([`Stuck::Repeat`]):
//! then a deadlocked state has steps in which only the monitor moves. That state must be one that is read; a system where
//! others may be the last has no product.
//!
//! **Maximal runs of timed automata** ([`Stuck::Idle`]) may also let time pass for ever where they are ([`crate::idle`]).
//! Nothing has to happen then, and something else still could, so that there are no steps for it: a step could be followed
//! by another. Instead, a state from which the automaton accepts the letter of that state again and again is one more
//! *target*, where the state is deadlocked or may idle. So cycles are those of infinite runs, and what is stuck is a matter
//! of reachability.
//!
//! **Time divergence** ([`Zeno::Forbidden`]): a clock of the monitor tells whether a unit of time has passed. Steps in the
//! first acceptance set are in it only if one has, and then the clock starts again. A run in which time diverges comes
//! through the set infinitely often after a unit of time, and one in which it does not, does not (Tripakis, Yovine and
//! Bouajjani 2005).
//!
//! **Bounded response** ([`crate::Response`]): a clock of the monitor tells for how long something has been waited for, and
//! where that is too long is a target.
//!
//! **Rounds.** A run is accepting if it comes through all acceptance sets, in their order, infinitely many times. So there
//! is none if no run does so more than `k` times, for some `k` (k-liveness; Claessen and Sörensson 2012), which is
//! reachability in a product that counts ([`counting`]).
//!
//! **Faults.** If the system can go wrong, or an atom can, the product has to see every run although the automaton may
//! have lost interest in it. So the monitor gets one more state that accepts nothing and is entered wherever no transition
//! fits.

use crate::action::Joint;
use crate::automaton::{Automaton, Transition};
use crate::evidence::Edges;
use crate::fault::Guarded;
use crate::id::{Id, IdVec};
use crate::idle::{NoIdling, idle};
use crate::number::Int;
use crate::question::{PathQuestion, Question, Words};
use crate::response::Response;
use crate::stmt::Stmt;
use crate::system::Variable;
use crate::system::{
    Edge, EdgeId, Location, LocationId, LocationKind, Process, ProcessId, Span, Stuck, System, Zeno,
};
use crate::target::{NoTarget, at_locations, mentions_deadlock};
use crate::term::{Term, Terms, VarId};
use crate::value::{Type, Value};

/// The process of a product that reads the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    /// Which process it is: the last.
    pub process: ProcessId,
    /// A bit for each acceptance set that an edge of it is in.
    pub marks: IdVec<EdgeId, u64>,
    /// How many acceptance sets there are, at least one.
    pub sets: u32,
    /// What letters are made of: the atoms of the question, and when one of them cannot be evaluated.
    pub atoms: Vec<Term>,
    /// The part of the target where a run may end and is accepted because it repeats its last state.
    pub ends: Term,
    /// The clock that tells whether a unit of time has passed, if time has to diverge.
    pub timer: Option<VarId>,
    /// The clock that tells for how long something has been waited for, if that must not take long.
    pub deadline: Option<VarId>,
}

impl Monitor {
    /// The acceptance sets that a step is in.
    pub fn marks_of(&self, edges: &[(ProcessId, EdgeId)]) -> u64 {
        edges.last().filter(|(process, _)| *process == self.process).map_or(0, |(_, edge)| self.marks[*edge])
    }
    /// The bits of all acceptance sets.
    pub fn all_marks(&self) -> u64 {
        (1 << self.sets) - 1
    }
    /// The clocks of its own, which are the last variables of a product.
    pub fn clocks(&self) -> impl Iterator<Item = VarId> {
        self.deadline.into_iter().chain(self.timer)
    }
}

/// Why a system has no product.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NoProduct {
    /// Stuck runs are repeated or asked for, and being stuck cannot be said as a condition.
    Deadlock(NoTarget),
    /// Stuck runs are asked for, and whether a run is stuck depends on this clock, although it may idle.
    DeadlockInTime(VarId),
    /// Stuck runs are repeated or asked for, and there are several processes.
    Processes,
    /// Stuck runs are repeated, and may get stuck in a state that is not read.
    Unread,
    /// It cannot be said where runs may let time pass for ever.
    Idling(NoIdling),
    /// The automaton looks at so many atoms that nobody can say which letters it accepts again and again.
    Letters,
}

/// The product of a system with an automaton, and what is searched for there: runs whose words the automaton accepts, or
/// that show where an atom cannot be evaluated.
///
/// # Errors
/// If stuck runs are repeated or asked for, and it cannot be said when a run is stuck.
pub fn product(
    system: &System,
    question: &PathQuestion,
    automaton: &Automaton,
) -> Result<(System, Question), NoProduct> {
    let mut product = system.clone();
    for location in product.processes.iter_mut().flat_map(|process| process.locations.iter_mut()) {
        location.observed &= location.read;
    }
    let conditions = question.atoms.iter().chain([&question.undefined]);
    let asked = conditions.into_iter().any(|condition| mentions_deadlock(&product, *condition));
    if asked || product.stuck == Stuck::Repeat {
        let clock = can_tell_deadlocks(&mut product)?;
        // Who idles may become deadlocked by that, and no letter tells.
        if let (true, Stuck::Idle, Some(clock)) = (asked, product.stuck, clock) {
            return Err(NoProduct::DeadlockInTime(clock));
        }
    }
    if !reads_what_is_repeated(system) {
        return Err(NoProduct::Unread);
    }
    let mut moves: Vec<Move> = automaton
        .transitions
        .iter()
        .map(|transition| Move::new(&mut product, question, transition))
        .collect();
    if automaton.sets == 0 {
        moves.iter_mut().for_each(|it| it.marks = 1);
    }
    let mut sinks = automaton.sinks.clone();
    let never = product.terms.bool(false);
    if product.fault.is_some() || question.undefined != never {
        complete(&mut product, &mut moves, sinks.len());
        sinks.push(false);
    }
    let ends = ends(&mut product, question, automaton)?;
    let response = if let Words::Late(response) = &question.words { Some(response) } else { None };
    let deadline = response.map(|_| hidden_clock(&mut product, "$deadline"));
    let timer = timer(&mut product);
    if let Some(timer) = timer {
        moves = diverging(&mut product, moves, timer);
    }
    let monitor = ProcessId::at(product.processes.len());
    let first = LocationId::at(automaton.initial as usize);
    let mut process = process(&mut product, sinks.len(), first);
    let mut targets = vec![question.undefined];
    let mut marks = IdVec::new();
    for Move { source, target, guard, marks: its, restarts, starts } in moves {
        if sinks[source.index()] {
            continue;
        }
        if sinks[target.index()] {
            let here = product.terms.at(monitor, source);
            targets.push(product.terms.and([here, guard]));
            continue;
        }
        let zero = product.terms.int(0);
        let starting = [timer.filter(|_| restarts), deadline.filter(|_| starts)].into_iter().flatten();
        let parts: Vec<Stmt> = starting.map(|clock| product.terms.assign(clock, zero)).collect();
        let update = Guarded::safe(product.terms.seq(parts));
        let (label, span) = (String::new(), Span::default());
        process.edges.push(Edge { source, target, guard, update, sync: None, label, span });
        marks.push(its);
    }
    if sinks[first.index()] {
        targets.push(product.terms.at(monitor, first));
    }
    product.processes.push(process);
    let ends: Vec<Term> = ends
        .into_iter()
        .enumerate()
        .filter(|(state, _)| !sinks[*state])
        .map(|(state, ends)| {
            let here = product.terms.at(monitor, LocationId::at(state));
            product.terms.and([here, ends])
        })
        .collect();
    let ends = product.terms.or(ends);
    targets.push(ends);
    if let (Some(response), Some(deadline)) = (response, deadline) {
        targets.push(late(&mut product, question, monitor, *response, deadline));
    }
    let atoms = question.atoms.iter().chain([&question.undefined]).copied().collect();
    product.monitor =
        Some(Monitor { process: monitor, marks, sets: automaton.sets.max(1), atoms, ends, timer, deadline });
    let target = product.terms.or(targets);
    let asked = if automaton.is_terminal() && response.is_none() {
        Question::Reach(target)
    } else {
        Question::Cycle(target)
    };
    Ok((product, asked))
}

/// A product that counts how often all acceptance sets were come through one after the other, and what is searched for
/// there: the target of the product, or more than `most` rounds.
pub fn counting(product: &System, target: Term, most: u32) -> (System, Question) {
    let mut system = product.clone();
    let Some(monitor) = system.monitor.take() else { return (system, Question::Reach(target)) };
    let mut hidden = |name: &str, greatest: i64| {
        let range = Some((Int::ZERO, Int::from(greatest)));
        let variable = Variable { shown: false, range, ..Variable::state(name, Span::default()) };
        let var = system.declare(Type::Int, variable);
        let zero = system.terms.int(0);
        system.initial.push((var, zero));
        var
    };
    let rounds = hidden("rounds", i64::from(most) + 1);
    let awaited = hidden("awaited", i64::from(monitor.sets) - 1);
    for (id, marks) in monitor.marks.entries() {
        let count = advance(&mut system, &monitor, *marks, rounds, awaited);
        // Clocks of the monitor start again as they did.
        let starts = system.processes[monitor.process].edges[id].update.stmt;
        let update = Guarded::safe(system.terms.seq([starts, count]));
        system.processes[monitor.process].edges[id].update = update;
    }
    system.monitor = Some(monitor);
    let (count, limit) = (system.terms.var(rounds), system.terms.int(i64::from(most)));
    let over = system.terms.lt(limit, count);
    let target = system.terms.or([target, over]);
    (system, Question::Reach(target))
}

/// Goes on to the first set that is awaited and not among `marks`; a round is complete when the last one was awaited.
/// Whoever has completed too many rounds is a target, so that nothing has to be said about more.
fn advance(system: &mut System, monitor: &Monitor, marks: u64, rounds: VarId, awaited: VarId) -> Stmt {
    let (all, sets) = (monitor.all_marks(), u64::from(monitor.sets));
    let terms = &mut system.terms;
    let mut stmt = terms.skip();
    for set in (0..sets).filter(|set| marks >> set & 1 == 1) {
        let passed = if marks == all { sets } else { u64::from((!(marks >> set)).trailing_zeros()) };
        let next = set + passed;
        let mut updates = vec![];
        if next >= sets {
            let (count, one) = (terms.var(rounds), terms.int(1));
            let more = terms.add([count, one]);
            updates.push(terms.assign(rounds, more));
        }
        // Behind the last set, the first is awaited, and may be among the marks as well.
        let next = if marks == all {
            set
        } else if next < sets {
            next
        } else {
            u64::from((!marks).trailing_zeros())
        };
        let number = terms.int(next as i64);
        updates.push(terms.assign(awaited, number));
        let (now, number) = (terms.var(awaited), terms.int(set as i64));
        let here = terms.eq(now, number);
        let then = terms.seq(updates);
        stmt = terms.branch(here, then, stmt);
    }
    stmt
}

/// For each state of the automaton, where a run may end that it accepts then.
fn ends(
    product: &mut System,
    question: &PathQuestion,
    automaton: &Automaton,
) -> Result<Vec<Term>, NoProduct> {
    if product.stuck != Stuck::Idle {
        return Ok(vec![]);
    }
    let idle = idle(product).map_err(NoProduct::Idling)?;
    let terms = &mut product.terms;
    let stuck = terms.deadlock();
    let stays = terms.or([idle, stuck]);
    let atoms = automaton.atoms();
    if atoms.len() > MOST_ATOMS {
        return Err(NoProduct::Letters);
    }
    // Bit number `n` of a letter is what the atom at position `n` is.
    let letters: Vec<Vec<bool>> = (0..1_usize << atoms.len())
        .map(|letter| {
            automaton.accepts_for_ever(|atom| {
                atoms.binary_search(&atom).is_ok_and(|position| letter >> position & 1 == 1)
            })
        })
        .collect();
    let conditions: Vec<Term> = atoms.iter().map(|atom| question.atoms[*atom as usize]).collect();
    let mut ends = vec![];
    for state in 0..automaton.sinks.len() {
        let accepted: Vec<bool> = letters.iter().map(|letter| letter[state]).collect();
        let accepted = table(terms, &conditions, &accepted);
        ends.push(terms.and([accepted, stays]));
    }
    Ok(ends)
}

/// The most atoms whose letters are listed.
const MOST_ATOMS: usize = 12;

/// The condition with a truth table, the last atom being the most significant bit of its positions.
fn table(terms: &mut Terms, atoms: &[Term], values: &[bool]) -> Term {
    if values.iter().all(|value| *value == values[0]) {
        return terms.bool(values[0]);
    }
    let (last, rest) = atoms.split_last().expect("two values need an atom");
    let (no, yes) = values.split_at(values.len() / 2);
    let [no, yes] = [no, yes].map(|half| table(terms, rest, half));
    let not = terms.not(*last);
    let [yes, no] = [terms.and([*last, yes]), terms.and([not, no])];
    terms.or([yes, no])
}

/// The clock that tells whether a unit of time has passed, if time has to diverge and can.
fn timer(product: &mut System) -> Option<VarId> {
    let timed = product.stuck == Stuck::Idle || product.clocks().next().is_some();
    if product.zeno == Zeno::Allowed || !timed {
        return None;
    }
    Some(hidden_clock(product, "$timer"))
}

/// A clock of the monitor's own.
fn hidden_clock(product: &mut System, name: &str) -> VarId {
    let variable = Variable { shown: false, ..Variable::state(name, Span::default()) };
    product.declare(Type::Clock, variable)
}

/// Where something has been waited for longer than it may.
fn late(
    product: &mut System,
    question: &PathQuestion,
    monitor: ProcessId,
    response: Response,
    deadline: VarId,
) -> Term {
    let terms = &mut product.terms;
    let (now, most) = (terms.var(deadline), Value::Int(Int::from(response.within)));
    let most = terms.constant(most);
    let over = if response.strict { terms.le(most, now) } else { terms.lt(most, now) };
    let mut waits = vec![];
    for (state, guard) in response.waiting() {
        let here = terms.at(monitor, LocationId::at(state as usize));
        let reads = guard.condition(terms, &question.atoms);
        waits.push(terms.and([here, reads, over]));
    }
    terms.or(waits)
}

/// Moves that are in the first acceptance set only if a unit of time has passed since the last one was.
fn diverging(product: &mut System, moves: Vec<Move>, timer: VarId) -> Vec<Move> {
    let (now, one) = (product.terms.var(timer), product.terms.int(1));
    let early = product.terms.lt(now, one);
    let late = product.terms.not(early);
    let mut timed = vec![];
    for it in moves {
        if it.marks & 1 == 0 {
            timed.push(it);
            continue;
        }
        let [early, late] = [early, late].map(|when| product.terms.and([it.guard, when]));
        timed.push(Move { guard: early, marks: it.marks & !1, ..it });
        timed.push(Move { guard: late, restarts: true, ..it });
    }
    timed
}

/// A transition of the automaton, about the system.
#[derive(Copy, Clone)]
struct Move {
    source: LocationId,
    target: LocationId,
    guard: Term,
    marks: u64,
    /// Whether the clock that tells units of time starts again.
    restarts: bool,
    /// Whether the clock of what is waited for starts.
    starts: bool,
}

impl Move {
    fn new(product: &mut System, question: &PathQuestion, transition: &Transition) -> Self {
        let Transition { source, target, guard, marks } = transition;
        let [source, target] = [source, target].map(|state| LocationId::at(*state as usize));
        let guard = guard.condition(&mut product.terms, &question.atoms);
        let starts = matches!(&question.words, Words::Late(response) if response.starts(transition));
        Move { source, target, guard, marks: *marks, restarts: false, starts }
    }
}

/// Adds moves to one more state wherever there is none, so that nothing is lost sight of; it accepts nothing.
fn complete(product: &mut System, moves: &mut Vec<Move>, states: usize) {
    let lost = LocationId::at(states);
    for source in (0..states).map(LocationId::at) {
        let guards = moves.iter().filter(|it| it.source == source).map(|it| it.guard);
        let some = product.terms.or(guards.collect::<Vec<_>>());
        let guard = product.terms.not(some);
        moves.push(Move { source, target: lost, guard, marks: 0, restarts: false, starts: false });
    }
    let guard = product.terms.bool(true);
    moves.push(Move { source: lost, target: lost, guard, marks: 0, restarts: false, starts: false });
}

/// The process of the monitor, without its edges.
fn process(product: &mut System, states: usize, initial: LocationId) -> Process {
    let always = product.terms.bool(true);
    let mut process = Process { name: "monitor".to_owned(), shown: false, ..Process::default() };
    for state in 0..states {
        process.locations.push(Location::new(state.to_string(), always, LocationKind::Normal));
    }
    process.initial = Some(initial);
    process
}

/// Whether every state that may be repeated because a run is stuck there is read: else its word would end. States at
/// initial locations are exempt where no edge leads back to them, for words begin after them, and so are those after a
/// fault.
pub fn reads_what_is_repeated(system: &System) -> bool {
    let repeated = |(id, process): (ProcessId, &Process)| {
        process.locations.entries().all(|(at, location)| {
            let fault = system.fault.is_some_and(|fault| (fault.process, fault.location) == (id, at));
            let only_first =
                || process.initial == Some(at) && process.edges.iter().all(|edge| edge.target != at);
            location.observed && location.read || fault || only_first()
        })
    };
    system.stuck == Stuck::Ignored || system.processes.entries().all(repeated)
}

/// Makes sure that it can be said when a run is stuck, wherever the only process is; a clock that this depends on.
fn can_tell_deadlocks(system: &mut System) -> Result<Option<VarId>, NoProduct> {
    let mut processes = system.processes.iter();
    let (Some(process), None) = (processes.next(), processes.next()) else {
        return Err(NoProduct::Processes);
    };
    let locations: Vec<LocationId> = process.locations.ids().collect();
    let stuck = system.terms.deadlock();
    let mut clock = None;
    for location in locations {
        let here = at_locations(system, stuck, &[location]).map_err(NoProduct::Deadlock)?;
        clock = clock.or_else(|| some_clock(&system.terms, here));
    }
    Ok(clock)
}

/// A clock that a condition compares.
pub fn some_clock(terms: &Terms, condition: Term) -> Option<VarId> {
    terms.vars_of(condition).into_iter().find(|var| terms.var_type(*var) == Type::Clock)
}

/// The moves of the whole product from these locations, given those of the system without its monitor.
///
/// What guards say about locations is known here. When a run is stuck can be told wherever a product was made, but not
/// wherever one was changed afterwards: then a move counts as possible. So none is lost, and whoever executes one that
/// does not exist finds that.
pub(crate) fn joined(system: &mut System, moves: Vec<Joint>, locations: &[LocationId]) -> Vec<Joint> {
    let Some(process) = system.monitor.as_ref().map(|monitor| monitor.process) else { return moves };
    if !system.is_observed(locations) {
        return moves;
    }
    let body = &system.processes[process];
    let here = locations[process.index()];
    let edges: Vec<(EdgeId, Term)> = body
        .edges
        .entries()
        .filter(|(_, edge)| edge.source == here)
        .map(|(id, edge)| (id, edge.guard))
        .collect();
    let stuck = match system.stuck {
        // That of what may idle is part of the target.
        Stuck::Ignored | Stuck::Idle => None,
        Stuck::Repeat => {
            let stuck = system.terms.deadlock();
            Some(possibly(system, stuck, locations))
        }
    };
    let mut list = vec![];
    for (id, guard) in edges {
        let guard = possibly(system, guard, locations);
        let mut add = |edges: Edges, condition: Term| {
            let condition = system.terms.and([guard, condition]);
            if system.terms.as_const(condition) != Some(&false.into()) {
                let edges = edges.into_iter().chain([(process, id)]).collect();
                list.push(Joint { edges, condition });
            }
        };
        moves.iter().for_each(|joint| add(joint.edges.clone(), joint.condition));
        stuck.iter().for_each(|stuck| add(Edges::new(), *stuck));
    }
    list
}

/// Where a condition holds at these locations, or everywhere if that cannot be said.
fn possibly(system: &mut System, condition: Term, locations: &[LocationId]) -> Term {
    at_locations(system, condition, locations).unwrap_or_else(|_| system.terms.bool(true))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::automaton::Guard;
    use crate::ltl::Builder;

    /// So many processes with one location each and nothing to do, whether a run is stuck as the only atom, and an automaton
    /// that accepts the words in which it is not, for ever.
    fn asked(processes: usize) -> (System, PathQuestion, Automaton) {
        let mut system = System::default();
        let always = system.terms.bool(true);
        for _ in 0..processes {
            let mut process = Process::default();
            let only = process.locations.push(Location::new("l", always, LocationKind::Normal));
            process.initial = Some(only);
            system.processes.push(process);
        }
        let mut builder = Builder::default();
        let atom = builder.atom(0);
        let formula = Arc::new(builder.finish(atom));
        let (atoms, undefined) = (vec![system.terms.deadlock()], system.terms.bool(false));
        let guard = Guard { cubes: vec![vec![(0, false)]] };
        let transitions = vec![Transition { source: 0, target: 0, guard, marks: 0 }];
        let automaton = Automaton { sinks: vec![false], initial: 0, sets: 0, transitions };
        (system, PathQuestion { words: Words::Satisfying(formula), atoms, undefined }, automaton)
    }

    #[test]
    fn whoever_reads_deadlocks_must_be_able_to_tell_them() {
        let (system, question, automaton) = asked(1);
        assert!(product(&system, &question, &automaton).is_ok());
        // Here a guard about them could not be decided, and the runs that pass it would be lost.
        let (system, question, automaton) = asked(2);
        assert_eq!(product(&system, &question, &automaton).unwrap_err(), NoProduct::Processes);
    }

    #[test]
    fn moves_are_kept_where_it_cannot_be_said_whether_a_run_is_stuck() {
        let (mut system, question, automaton) = asked(1);
        system.stuck = Stuck::Repeat;
        let (mut product, _) = product(&system, &question, &automaton).unwrap();
        let range = Some((Int::ZERO, Int::ONE));
        let var = product.declare(Type::Int, Variable { range, ..Variable::state("x", Span::default()) });
        // Something arbitrary must not be 0, so that quantifiers would be needed to say when the step is possible.
        let (value, zero) = (product.terms.var(var), product.terms.int(0));
        let positive = product.terms.lt(zero, value);
        let (choose, succeed) = (product.terms.havoc(var), product.terms.assume(positive));
        let update = Guarded::safe(product.terms.seq([choose, succeed]));
        let only = LocationId::at(0);
        let (guard, label) = (product.terms.bool(true), String::new());
        let span = Span::default();
        let process = &mut product.processes[ProcessId::at(0)];
        process.edges.push(Edge { source: only, target: only, guard, update, sync: None, label, span });
        let stuck = product.terms.deadlock();
        assert!(at_locations(&mut product, stuck, &[only, only]).is_err());
        let outgoing = crate::action::Outgoing::new(&mut product);
        let moves = crate::action::joints(&mut product, &outgoing, &[only, only]);
        // The step with the monitor, and the monitor alone.
        assert_eq!(moves.iter().map(|joint| joint.edges.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn an_initial_location_that_is_entered_again_must_be_read() {
        let (mut system, ..) = asked(1);
        system.stuck = Stuck::Repeat;
        let process = &mut system.processes[ProcessId::at(0)];
        let first = process.initial.unwrap();
        process.locations[first].read = false;
        assert!(reads_what_is_repeated(&system));
        let update = Guarded::safe(system.terms.skip());
        let (guard, label, span) = (system.terms.bool(true), String::new(), Span::default());
        let back = Edge { source: first, target: first, guard, update, sync: None, label, span };
        system.processes[ProcessId::at(0)].edges.push(back);
        assert!(!reads_what_is_repeated(&system));
    }

    #[test]
    fn any_number_of_rounds_can_be_counted() {
        let (system, question, automaton) = asked(1);
        let (product, asked) = product(&system, &question, &automaton).unwrap();
        let Question::Cycle(target) = asked else { panic!("the automaton is not terminal") };
        let (counting, _) = counting(&product, target, u32::MAX);
        assert_eq!(counting.state_vars().count(), 2);
    }
}
