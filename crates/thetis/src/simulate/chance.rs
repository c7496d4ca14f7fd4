//! Simulation by chance, the same for the same seed on every machine.

use ir::interp::Need;
use ir::{Decision, Int, Rat, State, Stmt, System, Term, Type, Value, VarId};

use super::{Chooser, NoStart, Patience, Simulator};

/// Whether a random step was taken.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// It was.
    Yes,
    /// There is none.
    Deadlock,
    /// There may be some, but none was found.
    NotFound,
}

/// How often a step with open values is tried, and how often an amount of time before all are looked at.
pub const TRIES: usize = 200;

impl Simulator<'_> {
    /// Starts, and lets a random amount of time pass where that is not part of steps.
    ///
    /// # Errors
    /// If there is no initial state.
    pub fn start_by_chance(&mut self, chance: &mut Chance) -> Result<(), NoStart> {
        self.start(chance)?;
        linger(self, chance);
        Ok(())
    }
    /// Takes one random step. If none is possible now, time passes before.
    pub fn step_by_chance(&mut self, chance: &mut Chance) -> Stepped {
        let mut moves = self.moves();
        if moves.is_empty() && self.waits() {
            match linger(self, chance) {
                Patience::Rewarded => moves = self.moves(),
                Patience::Deadlock => return Stepped::Deadlock,
                Patience::Unknown => return Stepped::NotFound,
            }
        }
        if moves.is_empty() {
            return Stepped::Deadlock;
        }
        while !moves.is_empty() {
            let chosen = moves.swap_remove(chance.below(moves.len() as u64) as usize);
            let tries = if chosen.state.is_some() { 1 } else { TRIES };
            if (0..tries).any(|_| self.take(&chosen, chance)) {
                linger(self, chance);
                return Stepped::Yes;
            }
        }
        Stepped::NotFound
    }
    /// Lets a random amount of time pass if no step is possible before; whether it did.
    pub fn wait_by_chance(&mut self, chance: &mut Chance) -> bool {
        let before = self.state().clone();
        if self.waits() && self.moves().is_empty() {
            linger(self, chance);
        }
        *self.state() != before
    }
}

/// Lets a random amount of time pass where that is not part of steps, one after which a step is possible if there is
/// one.
fn linger(simulator: &mut Simulator<'_>, chance: &mut Chance) -> Patience {
    if !simulator.waits() || simulator.fault().is_some() {
        return Patience::Unknown;
    }
    let constants = constants_of(&simulator.system);
    for _ in 0..TRIES {
        if simulator.stopped() {
            return Patience::Unknown;
        }
        let amount = chance.delay(&simulator.system, simulator.state(), &constants);
        if !simulator.wait(&amount) {
            continue;
        }
        if !simulator.moves().is_empty() {
            return Patience::Rewarded;
        }
        simulator.back();
    }
    simulator.wait_for_step()
}

/// The integers that occur in guards and invariants, sorted.
fn constants_of(system: &System) -> Vec<Int> {
    let mut list = vec![];
    for process in system.processes.iter() {
        let invariants = process.locations.iter().map(|location| location.invariant);
        for term in invariants.chain(process.edges.iter().map(|edge| edge.guard)) {
            collect(system, term, &mut list);
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// A small generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Chance { state: seed }
    }
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `bound`, which is positive.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
    fn small(&mut self) -> i64 {
        self.below(21) as i64 - 10
    }
    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len() as u64) as usize) }
    }
    fn value(&mut self, system: &System, constants: &[Int], var: VarId) -> Value {
        let ty = system.terms.var_type(var);
        let range = system.vars[var].range.as_ref().and_then(|(a, b)| Some((a.to_i64()?, b.to_i64()?)));
        match (ty, range) {
            (Type::Int, Some((least, greatest))) => {
                let width = greatest.abs_diff(least).saturating_add(1);
                Value::int(least.saturating_add_unsigned(self.below(width)))
            }
            (Type::Int, None) => match self.below(2) {
                0 => {
                    let near = self.pick(constants).cloned().unwrap_or(Int::ZERO);
                    Value::Int(&near + &Int::from(self.below(3) as i64 - 1))
                }
                _ => Value::int(self.small()),
            },
            (Type::Rat | Type::Clock, _) => Value::rat(self.rational()),
            _ => {
                let count = system.types().cardinality(ty).filter(|count| *count > 0);
                let value = count.map(|count| self.below(count)).and_then(|nth| system.types().nth(ty, nth));
                value.unwrap_or_else(|| system.types().default_value(ty))
            }
        }
    }
    /// Not negative, small, mostly whole.
    fn rational(&mut self) -> Rat {
        let denominator = [1, 1, 1, 2, 4][self.below(5) as usize];
        Rat::new(&Int::from(self.below(10 * denominator as u64 + 1) as i64), &Int::from(denominator))
            .expect("a positive denominator")
    }
    /// Half the time just as long as some clock needs to reach a constant of the statement.
    fn delay(&mut self, system: &System, state: &State, constants: &[Int]) -> Rat {
        let clocks = system
            .state_vars()
            .zip(&state.values)
            .filter(|(var, _)| system.terms.var_type(*var) == Type::Clock);
        let now: Vec<Rat> = clocks.filter_map(|(_, value)| value.as_ref().map(Value::as_rat)).collect();
        let exact = self.pick(&now).cloned().zip(self.pick(constants).cloned());
        let exact = exact.map(|(now, goal)| &Rat::from(&goal) - &now).filter(|amount| !amount.is_negative());
        match exact {
            Some(exact) if self.below(2) == 0 => exact,
            _ => self.rational(),
        }
    }
}

impl Chooser for Chance {
    fn choose(&mut self, system: &System, state: &State, stmt: Stmt, question: &Need) -> Option<Decision> {
        Some(match question {
            Need::Branch(count) => Decision::Branch(self.below(u64::from(*count)) as u32),
            Need::Value(var) => Decision::Value(Some(self.value(system, &constants(system, stmt), *var))),
            Need::Delay => Decision::Delay(self.delay(system, state, &constants(system, stmt))),
        })
    }
}

/// The integers that occur in a statement, sorted.
fn constants(system: &System, stmt: Stmt) -> Vec<Int> {
    let mut list = vec![];
    system.terms.for_each_substmt(stmt, |part| {
        system.terms.stmt(part).for_each_term(|term| collect(system, term, &mut list));
    });
    list.sort_unstable();
    list.dedup();
    list
}

fn collect(system: &System, term: Term, list: &mut Vec<Int>) {
    system.terms.for_each_subterm(term, |term| match system.terms.as_const(term) {
        Some(Value::Int(value)) => list.push(value.clone()),
        Some(Value::Rat(value)) if value.denominator() == Int::ONE => list.push(value.numerator()),
        _ => {}
    });
}
