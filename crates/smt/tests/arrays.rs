//! Random formulas over arrays and rationals against exhaustive evaluation: arrays over a range, arrays of
//! rationals into which integers are written, and rational variables beside integers.

extern crate thetis_smt as smt;

#[path = "../testing/traces.rs"]
#[expect(dead_code, reason = "only its random numbers are needed")]
mod traces;

use ir::eval::holds;
use ir::{ArrayId, ArrayType, Int, Steps, Term, Terms, Type, Value, VarId};
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{Answer, Model, Solver};
use traces::Random;

/// An integer from 0 to 1, a rational out of 0, 1/2 and 1, two steps of an array of integers from 0 to 1
/// over the positions 0 and 1, another such array, and an array from truth values to 0 and 1/2.
struct Lab {
    terms: Terms,
    random: Random,
    int: VarId,
    rational: VarId,
    arrays: [VarId; 2],
    ranged: ArrayId,
    halves: VarId,
    of_rationals: ArrayId,
}

impl Lab {
    fn new(seed: u64) -> Lab {
        let mut terms = Terms::new();
        let ranged = ArrayType { index: Type::Int, element: Type::Int, range: Some((0, 1)) };
        let of_rationals = ArrayType { index: Type::Bool, element: Type::Rat, range: None };
        let (ranged, of_rationals) = (terms.types.array(ranged), terms.types.array(of_rationals));
        Lab {
            int: terms.declare(Type::Int),
            rational: terms.declare(Type::Rat),
            arrays: std::array::from_fn(|_| terms.declare(Type::Array(ranged))),
            halves: terms.declare(Type::Array(of_rationals)),
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            terms,
            ranged,
            of_rationals,
        }
    }
    fn pick(&mut self, count: u64) -> u64 {
        self.random.between(0, count - 1)
    }
    fn rat(&mut self, text: &str) -> Term {
        self.terms.constant(Value::rat(text.parse().unwrap()))
    }
    /// A position: legal, so that nothing outside matters.
    fn position(&mut self) -> Term {
        match self.pick(3) {
            0 => self.terms.var(self.int),
            at => self.terms.int(at as i64 - 1),
        }
    }
    fn integer(&mut self, depth: u32) -> Term {
        match self.pick(if depth == 0 { 2 } else { 4 }) {
            0 => self.terms.var(self.int),
            1 => {
                let value = self.pick(3) as i64 - 1;
                self.terms.int(value)
            }
            2 => {
                let (array, at) = (self.array(depth - 1), self.position());
                self.terms.read(array, at)
            }
            _ => {
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.terms.add([a, b])
            }
        }
    }
    fn number(&mut self, depth: u32) -> Term {
        match self.pick(if depth == 0 { 3 } else { 6 }) {
            0 => self.terms.var(self.rational),
            1 => self.rat("1/2"),
            2 => self.integer(0),
            3 => {
                let (half, of) = (self.rat("1/2"), self.integer(depth - 1));
                self.terms.mul([half, of])
            }
            4 => {
                let (array, at) = (self.map(depth - 1), self.condition(0));
                self.terms.read(array, at)
            }
            _ => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.add([a, b])
            }
        }
    }
    fn array(&mut self, depth: u32) -> Term {
        match self.pick(if depth == 0 { 3 } else { 5 }) {
            0 => self.terms.var(self.arrays[0]),
            1 => self.terms.var_at(self.arrays[0], 1),
            2 => self.terms.var(self.arrays[1]),
            3 => {
                let value = self.integer(depth - 1);
                self.terms.fill(self.ranged, value)
            }
            _ => {
                let (array, at, value) = (self.array(depth - 1), self.position(), self.integer(depth - 1));
                self.terms.write(array, at, value)
            }
        }
    }
    /// A map to rationals; what is written into it may be an integer.
    fn map(&mut self, depth: u32) -> Term {
        match self.pick(if depth == 0 { 1 } else { 3 }) {
            0 => self.terms.var(self.halves),
            1 => {
                let value = self.number(depth - 1);
                self.terms.fill(self.of_rationals, value)
            }
            _ => {
                let (array, at, value) = (self.map(depth - 1), self.condition(0), self.number(depth - 1));
                self.terms.write(array, at, value)
            }
        }
    }
    fn condition(&mut self, depth: u32) -> Term {
        match self.pick(if depth == 0 { 2 } else { 8 }) {
            0 => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                self.terms.le(a, b)
            }
            1 => {
                let value = self.pick(2) == 0;
                self.terms.bool(value)
            }
            2 => {
                let (a, b) = (self.number(depth), self.number(depth));
                self.terms.lt(a, b)
            }
            3 => {
                let (a, b) = (self.number(depth), self.number(depth));
                self.terms.eq(a, b)
            }
            4 | 5 => {
                let (a, b) = (self.array(depth), self.array(depth));
                self.terms.eq(a, b)
            }
            6 => {
                let a = self.condition(depth - 1);
                self.terms.not(a)
            }
            _ => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                if self.pick(2) == 0 { self.terms.and([a, b]) } else { self.terms.or([a, b]) }
            }
        }
    }
    /// Every assignment.
    fn assignments(&self) -> Vec<Model> {
        let types = &self.terms.types;
        let ints = [0, 1].map(Value::int);
        let rationals = ["0", "1/2", "1"].map(|text| Value::rat(text.parse().unwrap()));
        let mut all = vec![Model::default()];
        let mut split = |var: VarId, step: u32, values: &[Value]| {
            all = std::mem::take(&mut all)
                .into_iter()
                .flat_map(|model| {
                    values.iter().map(move |value| {
                        let mut model = model.clone();
                        model.set(var, step, value.clone());
                        model
                    })
                })
                .collect();
        };
        split(self.int, 0, &ints);
        split(self.rational, 0, &rationals);
        let pairs = |id: ArrayId, positions: [Value; 2], entries: &[Value]| -> Vec<Value> {
            let mut list = vec![];
            for (a, b) in entries.iter().flat_map(|a| entries.iter().map(move |b| (a, b))) {
                let array = types.fill(id, a.clone());
                let array = types.write(&array, positions[1].clone(), b.clone());
                list.push(Value::Array(array.into()));
            }
            list
        };
        let arrays = pairs(self.ranged, ints.clone(), &ints);
        for (var, step) in [(self.arrays[0], 0), (self.arrays[0], 1), (self.arrays[1], 0)] {
            split(var, step, &arrays);
        }
        let truth = [false, true].map(Value::Bool);
        split(self.halves, 0, &pairs(self.of_rationals, truth, &rationals[..2]));
        all
    }
    /// What confines a solver to these assignments.
    fn domain(&mut self) -> Vec<Term> {
        let (zero, one, half) = (self.terms.int(0), self.terms.int(1), self.rat("1/2"));
        let mut list = vec![];
        for (var, step) in [(self.arrays[0], 0), (self.arrays[0], 1), (self.arrays[1], 0)] {
            for at in [zero, one] {
                let array = self.terms.var_at(var, step);
                let entry = self.terms.read(array, at);
                list.extend([self.terms.le(zero, entry), self.terms.le(entry, one)]);
            }
        }
        let mut either = |terms: &mut Terms, term: Term, values: &[Term]| {
            let any: Vec<Term> = values.iter().map(|value| terms.eq(term, *value)).collect();
            list.push(terms.or(any));
        };
        let rational = self.terms.var(self.rational);
        either(&mut self.terms, rational, &[zero, half, one]);
        for at in [false, true] {
            let (array, at) = (self.terms.var(self.halves), self.terms.bool(at));
            let entry = self.terms.read(array, at);
            either(&mut self.terms, entry, &[zero, half]);
        }
        list
    }
}

/// Whether a solver agrees on the formulas of a seed: satisfiable, and then by a model that evaluates so.
fn agrees(solver: &mut dyn Solver, seed: u64) -> bool {
    let mut lab = Lab::new(seed);
    let list: Vec<Term> = (0..3).map(|_| lab.condition(3)).collect();
    let all = lab.assignments();
    let expected = all.iter().any(|model| list.iter().all(|term| holds(&lab.terms, model, *term).unwrap()));
    solver.declare(lab.int, Some((Int::from(0), Int::from(1))));
    for term in lab.domain().into_iter().chain(list.iter().copied()) {
        solver.assert(&lab.terms, term, &Steps::start()).unwrap();
    }
    let answer = solver.check(&[]).unwrap_or_else(|interrupt| panic!("{seed}: {interrupt}"));
    assert_eq!(answer == Answer::Sat, expected, "{seed}");
    if expected {
        let now = [lab.int, lab.rational, lab.arrays[0], lab.arrays[1], lab.halves].map(|var| (var, 0));
        let vars = now.into_iter().chain([(lab.arrays[0], 1)]);
        let model = Model::of(solver, &mut lab.terms, vars).unwrap();
        for term in &list {
            assert_eq!(holds(&lab.terms, &model, *term), Ok(true), "{seed}");
        }
    }
    expected
}

#[test]
fn the_library_agrees_with_evaluation() {
    let sat = (0..300).filter(|seed| agrees(&mut Z3Solver::new().unwrap(), *seed)).count();
    assert!((50..250).contains(&sat), "{sat} of 300 are satisfiable");
}

#[test]
fn the_text_agrees_with_evaluation() {
    let Some(program) = &smt::z3::library_info().unwrap().program else { return };
    let command = format!("{} -in", program.display());
    let sat = (0..100).filter(|seed| agrees(&mut SmtlibSolver::start(&command).unwrap(), *seed)).count();
    assert!((15..85).contains(&sat), "{sat} of 100 are satisfiable");
}
