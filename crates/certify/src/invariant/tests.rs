//! Following paths against the solver, one obligation after the other, on invariants that are made up.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use ir::{InvariantEntry, LocationId, ProcessId, Value};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Numbers that decide everything, the first and simplest once they are used up.
struct Choices(std::vec::IntoIter<u32>);

impl Choices {
    /// A number below `count`.
    fn pick(&mut self, count: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % count
    }
    fn one<T: Clone>(&mut self, list: &[T]) -> T {
        let at = self.pick(list.len());
        list[at].clone()
    }
    /// A number that clocks are compared with: mostly small, sometimes no integer, or at the limits of a
    /// matrix and beyond.
    fn constant(&mut self, terms: &mut Terms) -> Term {
        let half = |numerator: i64| Value::rat(Rat::new(&numerator.into(), &2.into()).expect("not by zero"));
        let largest = crate::dbm::LARGEST;
        let value = match self.pick(16) {
            0 => half(3),
            1 => half(4),
            2 => Value::int(largest),
            3 => Value::int(largest + 1),
            4 => Value::int(-largest - 1),
            5 => Value::int(i64::MIN),
            6 => Value::int(-1),
            small => Value::int(small as i64 % 5),
        };
        terms.constant(value)
    }
    fn clock(&mut self, system: &System, terms: &mut Terms) -> Term {
        let clocks: Vec<VarId> = system.clocks().collect();
        terms.var(self.one(&clocks))
    }
    /// A comparison of clocks, most of them such as a zone has.
    fn comparison(&mut self, system: &System, terms: &mut Terms) -> Term {
        let clock = self.clock(system, terms);
        let left = match self.pick(8) {
            0 | 1 => {
                let other = self.clock(system, terms);
                terms.sub(clock, other)
            }
            2 if self.pick(4) == 0 => {
                let two = terms.int(2);
                terms.mul([two, clock])
            }
            3 if self.pick(4) == 0 => {
                let other = self.clock(system, terms);
                terms.add([clock, other])
            }
            _ => clock,
        };
        let right = match self.pick(10) {
            0 => self.number(system, terms),
            _ => self.constant(terms),
        };
        match self.pick(6) {
            0 => terms.le(left, right),
            1 => terms.lt(left, right),
            2 => terms.le(right, left),
            3 => terms.lt(right, left),
            4 => terms.eq(left, right),
            _ => {
                let same = terms.eq(left, right);
                terms.not(same)
            }
        }
    }
    /// An integer variable, and maybe more.
    fn number(&mut self, system: &System, terms: &mut Terms) -> Term {
        let is_int = |var: &VarId| terms.var_type(*var) == Type::Int;
        let numbers: Vec<VarId> = system.state_vars().filter(is_int).collect();
        let number = terms.var(self.one(&numbers));
        let more = terms.int(self.pick(2) as i64);
        terms.add([number, more])
    }
    /// A condition on one variable of data.
    fn datum(&mut self, system: &System, terms: &mut Terms) -> Term {
        let is_small =
            |var: &VarId| matches!(system.terms.var_type(*var), Type::Bool | Type::Int | Type::Enum(_));
        let vars: Vec<VarId> = system.state_vars().filter(is_small).collect();
        let var = self.one(&vars);
        let value = match system.terms.var_type(var) {
            Type::Int => Value::int(self.pick(3) as i64),
            ty => system.types().nth(ty, self.pick(2) as u64).expect("a small type"),
        };
        let (var, value) = (terms.var(var), terms.constant(value));
        terms.eq(var, value)
    }
    fn literal(&mut self, system: &System, terms: &mut Terms) -> Term {
        let literal =
            if self.pick(3) == 0 { self.datum(system, terms) } else { self.comparison(system, terms) };
        if self.pick(4) == 0 { terms.not(literal) } else { literal }
    }
    /// A conjunction of few conditions, of which some have more structure.
    fn formula(&mut self, system: &System, terms: &mut Terms) -> Term {
        let mut parts = vec![];
        for _ in 0..self.pick(4) {
            let part = self.literal(system, terms);
            parts.push(match self.pick(10) {
                0 => {
                    let other = self.literal(system, terms);
                    terms.or([part, other])
                }
                1 => {
                    let (condition, other) = (self.datum(system, terms), self.literal(system, terms));
                    terms.ite(condition, part, other)
                }
                2 => {
                    let other = self.datum(system, terms);
                    terms.eq(part, other)
                }
                _ => part,
            });
        }
        terms.and(parts)
    }
    /// Lets some steps begin by giving a clock a value, not always one that a zone can say.
    fn set_clocks(&mut self, system: &mut System) {
        let process = ProcessId::at(0);
        let clocks: Vec<VarId> = system.clocks().collect();
        for edge in system.processes[process].edges.ids().collect::<Vec<_>>() {
            let clock = self.one(&clocks);
            let mut terms = std::mem::take(&mut system.terms);
            let value = match self.pick(8) {
                0 => Some(self.constant(&mut terms)),
                1 => Some(self.number(system, &mut terms)),
                _ => None,
            };
            let set = match value {
                Some(value) => terms.assign(clock, value),
                None if self.pick(4) == 1 => terms.havoc(clock),
                None => terms.skip(),
            };
            let update = &mut system.processes[process].edges[edge].update;
            update.stmt = terms.seq([set, update.stmt]);
            system.terms = terms;
        }
    }
    /// Some entries at each location, each pointing at some of all.
    fn invariant(&mut self, system: &System) -> Invariant {
        let mut terms = system.terms.clone();
        let process = ProcessId::at(0);
        let mut entries = vec![];
        for location in 0..system.processes[process].locations.len() {
            for _ in 0..1 + self.pick(4) {
                let formula = self.formula(system, &mut terms);
                let locations = [LocationId::at(location)].into();
                entries.push(InvariantEntry { locations, formula, successors: vec![] });
            }
        }
        let count = entries.len() as u32;
        for entry in &mut entries {
            entry.successors = (0..count).filter(|_| self.pick(4) > 0).collect();
        }
        Invariant { terms, initial: (0..count).collect(), entries }
    }
}

/// How many obligations were shown by both, by the solver alone, and by neither.
#[derive(Default, Debug)]
struct Tally {
    both: u32,
    solver: u32,
    neither: u32,
}

/// Puts every obligation to both.
fn compare(system: &System, target: Term, invariant: &Invariant, tally: &mut Tally) {
    let speaker = System { terms: invariant.terms.clone(), ..system.clone() };
    let show = |list: &[Term]| {
        let list: Vec<String> = list.iter().map(|term| speaker.show(*term).to_string()).collect();
        format!("{list:?}")
    };
    let result = judge(Subject::new(system, invariant).without(target), &GO_ON, |mut judge| {
        let plan = judge.plan;
        plan.for_each(|obligation| {
            let cubes = match obligation.entry {
                Some(entry) => cubes(&invariant.terms, plan.formula(entry as u32)),
                None => vec![vec![]],
            };
            let goals: Vec<Term> = obligation.goals.iter().map(|goal| plan.formula(*goal)).collect();
            for cube in cubes {
                judge.fruitless.fill(0);
                let followed = judge.follow(obligation.duty, &cube, &goals);
                match judge.proof.holds(&cube, obligation.duty.stmt, &goals) {
                    Ok(_) if followed => tally.both += 1,
                    Ok(_) => tally.solver += 1,
                    Err(Trouble::Wrong) => {
                        let stmt = plan.system.show_stmt(obligation.duty.stmt);
                        assert!(!followed, "from {}:\n{stmt}\nto {}", show(&cube), show(&goals));
                        tally.neither += 1;
                    }
                    Err(_) => {}
                }
            }
            Ok(())
        })
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn paths_show_nothing_that_the_solver_refutes() {
    let tally = RefCell::new(Tally::default());
    let models = (arbitrary::timed_model(), proptest::collection::vec(any::<u32>(), 0..400));
    let result = TestRunner::new(sampling::runs(500, 2026)).run(&models, |(model, numbers)| {
        let Ok(mut model) = xsts::load(&xsts::print(&model)) else { return Ok(()) };
        let mut choices = Choices(numbers.into_iter());
        choices.set_clocks(&mut model.system);
        let system = model.system.clone();
        let target = choices.formula(&system, &mut model.system.terms);
        let invariant = choices.invariant(&model.system);
        compare(&model.system, target, &invariant, &mut tally.borrow_mut());
        Ok(())
    });
    result.unwrap();
    let tally = tally.into_inner();
    // Otherwise this compares nothing.
    assert!(tally.both > 2000 && tally.neither > 2000, "{tally:?}");
}
