//! Lists of zones: discrete states, each with a set of clock valuations.
//!
//! What is shown is what is shown of a list of states ([`super::closed_set`]): initial states, successors, targets and
//! faults. Where all data of all entries are known and entries stand for their zones alone, statements are executed here on
//! values and matrices: a condition on clocks cuts a zone into those that satisfy it, a delay lets time pass, and what comes
//! out must lie in the listed zones of its state together.
//!
//! Otherwise, where entries have open data or stand for all that their zones simulate, and where an execution cannot be
//! followed like that, entries are formulas by their definition, and a solver is asked, as for any invariant. With constants
//! `L` and `U`, an entry stands for a≼LU(Z) of its zone `Z`: all `v` such that for all clocks `x` and `y`, zero included
//! with `L = U = 0`, and the bound `y - x ≺ c` of `Z`: if `v(x) <= U(x)`, then `v(y) - v(x) ≺ c` where `v(y) <= L(y)`, and
//! `L(y) - v(x) < c` elsewhere (Herbreteau, Srivathsan and Walukiewicz 2012). A deadlock is looked for among the states
//! of an entry where the invariants of its locations hold, because no other is one of the system.

use ir::eval::{Env, Open, eval, holds};
use ir::{
    Action, Actions, ClockRange, Id, LocationId, Node, ProcessId, State, Stmt, StmtNode, System, Term, Type,
    Value, VarId, ZoneSet,
};
use rustc_hash::FxHashMap;

use super::invariant::{self, Entry};
use super::zone::{Zone, opposite};
use super::{Cx, well_formed};
use crate::{Flaw, Place, Rejection, Undecided};

/// Which entries a step from an entry may lead to.
pub(super) type Allows<'a> = dyn Fn(usize, &Action, usize) -> bool + 'a;

/// Checks that a list is closed and excludes the target and every fault; if only some steps between entries are allowed,
/// that successors lie in the entries that their steps may lead to.
pub(super) fn check(
    cx: &Cx<'_>,
    system: &System,
    target: Term,
    set: &dyn ZoneSet,
    allows: Option<&Allows<'_>>,
) -> Result<(), Rejection> {
    let entries = read(system, set)?;
    // A solver says nothing of single steps, so that then all values are looked at that open data may have.
    let most = if allows.is_some() { MOST_ENTRIES } else { entries.len() };
    if let Some(known) = spelled_out(system, &entries, most) {
        match by_matrices(cx, system, target, &known, allows) {
            Err(Rejection::Undecided(_)) if allows.is_none() => {}
            decided => return decided,
        }
    }
    if allows.is_some() {
        return Err(Undecided::Property.into());
    }
    by_solver(cx, system, target, &entries)
}

/// The most entries with all data known that entries with open data are spelled out as.
const MOST_ENTRIES: usize = 1 << 17;

/// An entry as it is listed.
#[derive(Clone)]
struct Listed {
    number: usize,
    state: State,
    /// Nothing if it is empty.
    zone: Option<Zone>,
    constants: Option<Vec<ClockRange>>,
}

/// All entries, which have states and zones of the system, and no faults.
fn read(system: &System, set: &dyn ZoneSet) -> Result<Vec<Listed>, Rejection> {
    let clocks = system.clocks().count();
    let mut entries = vec![];
    for number in 0..set.len() {
        let place = Place::Zone(number);
        let (mut state, mut zone, mut constants) = (State::default(), ir::Zone::default(), vec![]);
        set.state(number, &mut state);
        set.zone(number, &mut zone);
        let simulates = set.simulation(number, &mut constants);
        well_formed(system, &state, place)?;
        let is_clock = |var: VarId| system.terms.var_type(var) == Type::Clock;
        if system.state_vars().zip(&state.values).any(|(var, value)| is_clock(var) && value.is_some()) {
            return Err(place.wrong(Flaw::ClockValues));
        }
        if system.is_fault(&state.locations) {
            return Err(place.wrong(Flaw::Fault));
        }
        if zone.dim != clocks + 1 || zone.limits.len() != zone.dim * zone.dim {
            return Err(place.wrong(Flaw::NoZone));
        }
        if simulates && constants.len() != clocks {
            return Err(place.wrong(Flaw::Constants));
        }
        let closed = Zone::of(clocks, &zone.limits);
        if simulates && !closed.as_ref().is_some_and(|closed| closed.is_written(&zone.limits)) {
            return Err(place.wrong(Flaw::NotClosed));
        }
        entries.push(Listed { number, state, zone: closed, constants: simulates.then_some(constants) });
    }
    Ok(entries)
}

fn has_open(system: &System, state: &State) -> bool {
    let mut pairs = system.state_vars().zip(&state.values);
    pairs.any(|(var, value)| system.terms.var_type(var) != Type::Clock && value.is_none())
}

/// The entries with every value that open data may have, if they are zones alone and no more than so many.
fn spelled_out(system: &System, entries: &[Listed], most: usize) -> Option<Vec<Listed>> {
    let mut known: Vec<Listed> = vec![];
    for entry in entries {
        if entry.constants.is_some() {
            return None;
        }
        let mut list = vec![entry.clone()];
        for (slot, var) in system.state_vars().enumerate() {
            if entry.state.values[slot].is_some() || system.terms.var_type(var) == Type::Clock {
                continue;
            }
            let values = values_of(system, var, most)?;
            if known.len() + list.len() * values.len() > most {
                return None;
            }
            let with = |entry: &Listed, value: &Value| {
                let mut entry = entry.clone();
                entry.state.values[slot] = Some(value.clone());
                entry
            };
            list = list.iter().flat_map(|entry| values.iter().map(|value| with(entry, value))).collect();
        }
        known.extend(list);
    }
    Some(known)
}

/// All values of a variable, if they are no more than so many.
fn values_of(system: &System, var: VarId, most: usize) -> Option<Vec<Value>> {
    match system.terms.var_type(var) {
        Type::Int => {
            let (least, greatest) = system.vars[var].range.as_ref()?;
            let (least, greatest) = (least.to_i64()?, greatest.to_i64()?);
            let few = greatest.checked_sub(least).is_some_and(|span| span < most as i64);
            few.then(|| (least..=greatest).map(|value| Value::Int(value.into())).collect())
        }
        ty => {
            let (types, most) = (system.types(), u64::try_from(most).ok()?);
            let count = types.cardinality(ty).filter(|count| *count <= most)?;
            (0..count).map(|ordinal| types.nth(ty, ordinal)).collect()
        }
    }
}

/// Checks a list by executing statements on values and matrices.
fn by_matrices(
    cx: &Cx<'_>,
    system: &System,
    target: Term,
    entries: &[Listed],
    allows: Option<&Allows<'_>>,
) -> Result<(), Rejection> {
    let mut system = system.clone();
    let clocks: Vec<VarId> = system.clocks().collect();
    let mut listed: FxHashMap<&State, Vec<(usize, Zone)>> = FxHashMap::default();
    for Listed { number, state, zone, .. } in entries {
        listed.entry(state).or_default().extend(zone.clone().map(|zone| (*number, zone)));
    }
    let is_among = |state: &State, zone: &Zone, may: &dyn Fn(usize) -> bool| {
        let entries = listed.get(state).into_iter().flatten().filter(|(number, _)| may(*number));
        let zones: Vec<Zone> = entries.map(|(_, zone)| zone.clone()).collect();
        !zones.is_empty() && zone.is_within(&zones)
    };
    let is_listed = |state: &State, zone: &Zone| is_among(state, zone, &|_| true);
    let (stmt, start) = (ir::initial(&mut system), system.arbitrary_state());
    let machine = Machine { cx, system: &system, clocks: &clocks, locations: &start.locations };
    for (after, zone) in machine.ends(stmt, &start, Zone::all(clocks.len()), &start.locations)? {
        if !is_listed(&after, &zone) {
            return Err(Place::Whole.wrong(Flaw::InitialState));
        }
    }
    let mut actions = Actions::new();
    for Listed { number, state, zone, .. } in entries {
        let Some(zone) = zone else { continue };
        let (number, place) = (*number, Place::Zone(*number));
        if system.is_observed(&state.locations) {
            let bad = ir::at_state(&mut system, target, state).map_err(|_| Undecided::NoCondition)?;
            let here = reachable_part(&mut system, target, &state.locations);
            let bad = system.terms.and([here, bad]);
            let machine = Machine { cx, system: &system, clocks: &clocks, locations: &state.locations };
            if !machine.ways(bad, true, &machine.begin(state, zone.clone()))?.is_empty() {
                return Err(place.wrong(Flaw::Target));
            }
        }
        let vector = actions.vector(&state.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let machine = Machine { cx, system: &system, clocks: &clocks, locations: &state.locations };
            for (after, zone) in machine.ends(action.stmt, state, zone.clone(), &action.target)? {
                if !is_listed(&after, &zone) {
                    return Err(place.wrong(Flaw::Successor { action: None, loose: false }));
                }
                if let Some(allows) = allows
                    && !is_among(&after, &zone, &|to| allows(number, &action, to))
                {
                    return Err(place.wrong(Flaw::Ascent));
                }
            }
        }
    }
    Ok(())
}

/// What is true of every reachable state at these locations that matters to a target: the invariants, if it asks for
/// deadlocks, unless one of them may be undefined.
fn reachable_part(system: &mut System, target: Term, locations: &[LocationId]) -> Term {
    match ir::mentions_deadlock(system, target) && !ir::has_undefined(system, locations) {
        true => ir::invariant(system, locations),
        false => system.terms.bool(true),
    }
}

/// Executes statements at known locations.
struct Machine<'a> {
    cx: &'a Cx<'a>,
    system: &'a System,
    clocks: &'a [VarId],
    locations: &'a [LocationId],
}

/// An execution: the values of data, by the number of the variable, and the valuations of clocks.
#[derive(Clone)]
struct Branch {
    values: Vec<Option<Value>>,
    zone: Zone,
}

struct Values<'a> {
    values: &'a [Option<Value>],
    locations: &'a [LocationId],
}

impl Env for Values<'_> {
    fn var(&self, var: VarId, _step: u32) -> Option<&Value> {
        self.values[var.index()].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.locations[process.index()] == location
    }
}

/// A sum of clocks, each with a factor, and a number.
type Sum = (Vec<i128>, i128);

impl Machine<'_> {
    /// The branch that begins in a state.
    fn begin(&self, state: &State, zone: Zone) -> Branch {
        let mut values = vec![None; self.system.vars.len()];
        for (var, value) in self.system.state_vars().zip(&state.values) {
            values[var.index()] = value.clone();
        }
        Branch { values, zone }
    }
    /// Where a statement leads.
    fn ends(
        &self,
        stmt: Stmt,
        state: &State,
        zone: Zone,
        locations: &[LocationId],
    ) -> Result<Vec<(State, Zone)>, Rejection> {
        self.cx.go_on()?;
        let mut ends = vec![];
        for branch in self.run(stmt, vec![self.begin(state, zone)])? {
            let value = |var: VarId| branch.values[var.index()].clone();
            let state =
                State { locations: locations.into(), values: self.system.state_vars().map(value).collect() };
            if has_open(self.system, &state) {
                return Err(Undecided::OpenLoop.into());
            }
            ends.push((state, branch.zone));
        }
        Ok(ends)
    }
    /// What becomes of branches by a statement.
    fn run(&self, stmt: Stmt, branches: Vec<Branch>) -> Result<Vec<Branch>, Rejection> {
        let mut ends = vec![];
        for branch in branches {
            ends.extend(ir::deep(|| self.one(stmt, branch))?);
        }
        Ok(ends)
    }
    fn one(&self, stmt: Stmt, mut branch: Branch) -> Result<Vec<Branch>, Rejection> {
        self.cx.go_on()?;
        match self.system.terms.stmt(stmt) {
            StmtNode::Skip => Ok(vec![branch]),
            StmtNode::Assume(condition) => self.those(*condition, true, &branch),
            StmtNode::Delay => Ok(vec![Branch { zone: branch.zone.later(), ..branch }]),
            StmtNode::Seq(list) => {
                list.iter().try_fold(vec![branch], |branches, part| self.run(*part, branches))
            }
            StmtNode::Choice(list) => {
                let ways: Result<Vec<_>, _> =
                    list.iter().map(|part| self.one(*part, branch.clone())).collect();
                Ok(ways?.concat())
            }
            StmtNode::If(condition, then, otherwise) => {
                let mut ends = self.run(*then, self.those(*condition, true, &branch)?)?;
                ends.extend(self.run(*otherwise, self.those(*condition, false, &branch)?)?);
                Ok(ends)
            }
            StmtNode::While(condition, body) => {
                let mut ends = self.those(*condition, false, &branch)?;
                let again = self.run(*body, self.those(*condition, true, &branch)?)?;
                ends.extend(self.run(stmt, again)?);
                Ok(ends)
            }
            StmtNode::For { var, from, to, body } => {
                let (from, to) = (self.value(*from, &branch)?, self.value(*to, &branch)?);
                let (mut at, end) = (from.as_int().clone(), to.as_int().clone());
                let mut branches = vec![branch];
                while at < end {
                    branches.iter_mut().for_each(|it| it.values[var.index()] = Some(Value::Int(at.clone())));
                    branches = self.run(*body, branches)?;
                    at = &at + &ir::Int::ONE;
                }
                Ok(branches)
            }
            StmtNode::Havoc(var) if self.number(*var).is_some() => Err(Undecided::ClockHavoc.into()),
            StmtNode::Havoc(var) => Ok(self.any(*var, branch)),
            StmtNode::Assign(var, term) => match self.number(*var) {
                None => {
                    branch.values[var.index()] = Some(self.value(*term, &branch)?);
                    Ok(vec![branch])
                }
                Some(clock) => match self.sum(*term, &branch)? {
                    (factors, value) if factors.iter().all(|factor| *factor == 0) => {
                        let zone = branch.zone.set(clock, value);
                        Ok(zone.map(|zone| Branch { zone, ..branch }).into_iter().collect())
                    }
                    (factors, 0)
                        if factors.iter().sum::<i128>() == 1 && factors.iter().all(|it| *it >= 0) =>
                    {
                        let from =
                            factors.iter().position(|factor| *factor == 1).expect("their sum is 1") + 1;
                        let zone = branch.zone.copy(clock, from);
                        Ok(vec![Branch { zone, ..branch }])
                    }
                    _ => Err(Undecided::ClockHavoc.into()),
                },
            },
        }
    }
    /// A branch for each value of a variable; one that leaves it open if these are too many.
    fn any(&self, var: VarId, mut branch: Branch) -> Vec<Branch> {
        branch.values[var.index()] = None;
        let values: Vec<Value> = match &self.system.vars[var].range {
            Some((least, greatest)) => {
                let (Some(least), Some(greatest)) = (least.to_i64(), greatest.to_i64()) else {
                    return vec![branch];
                };
                if i128::from(greatest) - i128::from(least) > i128::from(u16::MAX) {
                    return vec![branch];
                }
                (least..=greatest).map(Value::int).collect()
            }
            None => {
                let ty = self.system.terms.var_type(var);
                match self.system.types().cardinality(ty) {
                    Some(count) if count <= u64::from(u16::MAX) + 1 => {
                        (0..count).filter_map(|at| self.system.types().nth(ty, at)).collect()
                    }
                    _ => return vec![branch],
                }
            }
        };
        let with = |value| {
            let mut branch = branch.clone();
            branch.values[var.index()] = Some(value);
            branch
        };
        values.into_iter().map(with).collect()
    }
    /// The branches in which a condition holds, or does not.
    fn those(&self, condition: Term, wanted: bool, branch: &Branch) -> Result<Vec<Branch>, Rejection> {
        let zones = self.ways(condition, wanted, branch)?;
        Ok(zones.into_iter().map(|zone| Branch { zone, ..branch.clone() }).collect())
    }
    /// Zones that together are the valuations for which a condition holds, or does not.
    fn ways(&self, condition: Term, wanted: bool, branch: &Branch) -> Result<Vec<Zone>, Rejection> {
        let env = Values { values: &branch.values, locations: self.locations };
        if let Ok(known) = holds(&self.system.terms, &env, condition) {
            return Ok(if known == wanted { vec![branch.zone.clone()] } else { vec![] });
        }
        let both = |parts: &[(Term, bool)]| {
            let mut zones = vec![branch.zone.clone()];
            for (part, wanted) in parts {
                let mut next = vec![];
                for zone in zones {
                    let branch = Branch { zone, ..branch.clone() };
                    next.extend(ir::deep(|| self.ways(*part, *wanted, &branch))?);
                }
                zones = next;
            }
            Ok::<_, Rejection>(zones)
        };
        let any = |ways: &[&[(Term, bool)]]| {
            let zones: Result<Vec<_>, Rejection> = ways.iter().map(|way| both(way)).collect();
            Ok(zones?.concat())
        };
        let each = |list: &[Term], all: bool| {
            let parts: Vec<(Term, bool)> = list.iter().map(|part| (*part, wanted)).collect();
            if all { both(&parts) } else { any(&parts.chunks(1).collect::<Vec<_>>()) }
        };
        match self.system.terms.node(condition) {
            Node::Not(inner) => self.ways(*inner, !wanted, branch),
            Node::And(list) => each(list, wanted),
            Node::Or(list) => each(list, !wanted),
            Node::Ite(c, a, b) => any(&[&[(*c, true), (*a, wanted)], &[(*c, false), (*b, wanted)]]),
            Node::Eq(a, b) if self.system.terms.type_of(*a) == Type::Bool => {
                any(&[&[(*a, true), (*b, wanted)], &[(*a, false), (*b, !wanted)]])
            }
            Node::Le(a, b) => self.compare(*a, *b, false, wanted, branch),
            Node::Lt(a, b) => self.compare(*a, *b, true, wanted, branch),
            // Not equal is less or greater.
            Node::Eq(a, b) if !wanted => {
                let mut zones = self.compare(*a, *b, true, true, branch)?;
                zones.extend(self.compare(*b, *a, true, true, branch)?);
                Ok(zones)
            }
            Node::Eq(a, b) => {
                let mut zones = vec![];
                for zone in self.compare(*a, *b, false, true, branch)? {
                    let branch = Branch { zone, ..branch.clone() };
                    zones.extend(self.compare(*b, *a, false, true, &branch)?);
                }
                Ok(zones)
            }
            _ => Err(Undecided::OpenLoop.into()),
        }
    }
    /// The valuations with `a < b` or `a <= b`, or those without.
    fn compare(
        &self,
        a: Term,
        b: Term,
        strict: bool,
        wanted: bool,
        branch: &Branch,
    ) -> Result<Vec<Zone>, Rejection> {
        let ((mut factors, a), (others, b)) = (self.sum(a, branch)?, self.sum(b, branch)?);
        factors.iter_mut().zip(&others).for_each(|(factor, other)| *factor -= other);
        let of = |factor: i128| -> Vec<usize> {
            (0..factors.len()).filter(|at| factors[*at] == factor).map(|at| at + 1).collect()
        };
        // What is left is `plus - minus < b - a`.
        let (plus, minus) = match (&of(1)[..], &of(-1)[..], of(0).len() + 2) {
            ([plus], [minus], count) if count == factors.len() => (*plus, *minus),
            ([plus], [], count) if count == factors.len() + 1 => (*plus, 0),
            ([], [minus], count) if count == factors.len() + 1 => (0, *minus),
            ([], [], count) if count == factors.len() + 2 => (0, 0),
            _ => return Err(Undecided::Property.into()),
        };
        let bound = (b - a, strict);
        Ok(match wanted {
            true => branch.zone.with(plus, minus, Some(bound)),
            false => branch.zone.with(minus, plus, opposite(bound)),
        }
        .into_iter()
        .collect())
    }
    /// The sum of clocks and a whole number that a term is.
    fn sum(&self, term: Term, branch: &Branch) -> Result<Sum, Rejection> {
        let none = vec![0; self.clocks.len()];
        let env = Values { values: &branch.values, locations: self.locations };
        if let Ok(value) = eval(&self.system.terms, &env, term) {
            let value = value.as_rat();
            let whole = value.numerator().to_i64().filter(|_| value.denominator() == ir::Int::ONE);
            return whole
                .map(|value| (none, i128::from(value)))
                .ok_or_else(|| Undecided::LargeConstants.into());
        }
        match self.system.terms.node(term) {
            Node::Var(var, _) => {
                let mut factors = none;
                factors[self.number(*var).ok_or(Undecided::OpenLoop)? - 1] = 1;
                Ok((factors, 0))
            }
            Node::Add(list) => {
                let mut sum = (none, 0);
                for part in list.iter() {
                    let (factors, number) = ir::deep(|| self.sum(*part, branch))?;
                    sum.0.iter_mut().zip(factors).for_each(|(factor, more)| *factor += more);
                    sum.1 += number;
                }
                Ok(sum)
            }
            Node::Mul(list) if list.len() == 2 => {
                let ((none, by), (factors, number)) =
                    (self.sum(list[0], branch)?, self.sum(list[1], branch)?);
                match none.iter().all(|factor| *factor == 0) {
                    true => Ok((factors.iter().map(|factor| factor * by).collect(), number * by)),
                    false => Err(Undecided::Property.into()),
                }
            }
            Node::Ite(condition, a, b) => match holds(&self.system.terms, &env, *condition) {
                Ok(true) => self.sum(*a, branch),
                Ok(false) => self.sum(*b, branch),
                Err(_) => Err(Undecided::Property.into()),
            },
            _ => Err(Undecided::Property.into()),
        }
    }
    fn value(&self, term: Term, branch: &Branch) -> Result<Value, Rejection> {
        let env = Values { values: &branch.values, locations: self.locations };
        let value = eval(&self.system.terms, &env, term).map(|value| value.into_owned());
        value.map_err(|Open(_)| Undecided::OpenLoop.into())
    }
    /// The number of a clock, from 1 on.
    fn number(&self, var: VarId) -> Option<usize> {
        self.clocks.iter().position(|clock| *clock == var).map(|at| at + 1)
    }
}

/// Checks a list by asking a solver, as an invariant each entry of which points at all that there are.
fn by_solver(cx: &Cx<'_>, system: &System, target: Term, listed: &[Listed]) -> Result<(), Rejection> {
    let clocks: Vec<VarId> = system.clocks().collect();
    let mut system = invariant::without_delays(system);
    let mut entries = vec![];
    for Listed { state, zone, constants, .. } in listed {
        let formula = formula(&mut system, &clocks, state, zone.as_ref(), constants.as_deref());
        entries.push(Entry { locations: state.locations.clone(), formula });
    }
    let all: Vec<u32> = (0..entries.len() as u32).collect();
    invariant::initiation(cx, &mut system, &entries, &all)?;
    let mut actions = Actions::new();
    for (number, entry) in entries.iter().enumerate() {
        let place = Place::Zone(number);
        let here = reachable_part(&mut system, target, &entry.locations);
        let formula = system.terms.and([entry.formula, here]);
        let reachable = Entry { locations: entry.locations.clone(), formula };
        invariant::exclusion(cx, &mut system, target, &reachable, place)?;
        let vector = actions.vector(&entry.locations);
        for action in actions.of(&mut system, vector).to_vec() {
            let goal = invariant::one_of(&mut system, &entries, &all, &action.target);
            let flaw = Flaw::Successor { action: None, loose: false };
            cx.ends_in(&mut system, (&[entry.formula], action.stmt, goal), place, flaw)?;
        }
    }
    Ok(())
}

/// What an entry stands for.
fn formula(
    system: &mut System,
    clocks: &[VarId],
    state: &State,
    zone: Option<&Zone>,
    constants: Option<&[ClockRange]>,
) -> Term {
    let Some(zone) = zone else { return system.terms.bool(false) };
    let mut parts = vec![];
    let vars: Vec<VarId> = system.state_vars().collect();
    for (var, value) in vars.into_iter().zip(&state.values) {
        if let Some(value) = value {
            let (var, value) = (system.terms.var(var), system.terms.constant(value.clone()));
            parts.push(system.terms.eq(var, value));
        }
    }
    let zero = system.terms.int(0);
    let times: Vec<Term> =
        [zero].into_iter().chain(clocks.iter().map(|clock| system.terms.var(*clock))).collect();
    let range = |clock: usize| match constants {
        Some(constants) if clock > 0 => constants[clock - 1],
        _ => (Some(0), Some(0)),
    };
    for (y, x, (c, strict)) in zone.bounds() {
        let terms = &mut system.terms;
        let below = |terms: &mut ir::Terms, left: Term, right: i128, strict: bool| {
            let right = terms.constant(Value::Int(ir::Int::from_i128(right)));
            if strict { terms.lt(left, right) } else { terms.le(left, right) }
        };
        let difference = terms.sub(times[y], times[x]);
        let near = below(terms, difference, c, strict);
        if constants.is_none() {
            parts.push(near);
            continue;
        }
        // A constant below all numbers is below every value of a clock.
        let (Some(upper), Some(lower)) = (range(x).1, range(y).0) else { continue };
        let counts = below(terms, times[x], upper.into(), false);
        let close = below(terms, times[y], lower.into(), false);
        let lower = terms.int(lower);
        let far = terms.sub(lower, times[x]);
        let far = below(terms, far, c, true);
        let bound = terms.ite(close, near, far);
        parts.push(terms.implies(counts, bound));
    }
    system.terms.and(parts)
}
