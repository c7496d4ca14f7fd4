//! Solvers against exhaustive evaluation of random formulas over small domains.

extern crate thetis_smt as smt;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use ir::eval::holds;
use ir::{ArrayType, Bitwise, Int, Node, Steps, Term, Terms, Type, Value, VarId};
use proptest::prelude::*;
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{Answer, Limits, Model, Solver, services};

/// Two booleans, two integers from -2 to 2, an enumeration of three, an array from it to integers
/// whose entries are in the same range.
struct Lab {
    terms: Terms,
    bools: [VarId; 2],
    ints: [VarId; 2],
    literal: VarId,
    array: VarId,
    enum_id: ir::EnumId,
}

const RANGE: std::ops::RangeInclusive<i64> = -2..=2;

#[derive(Clone, Debug)]
enum Num {
    Const(i64),
    Var(usize),
    Bin(&'static str, Box<Num>, Box<Num>),
    Ite(Box<Cond>, Box<Num>, Box<Num>),
    Read(Option<u32>),
    /// Reading at the first index after writing at the second.
    ReadWritten(Option<u32>, Option<u32>, Box<Num>),
}

#[derive(Clone, Debug)]
enum Cond {
    Const(bool),
    Var(usize),
    IsLiteral(u32),
    Not(Box<Cond>),
    Bin(&'static str, Box<Cond>, Box<Cond>),
    Rel(&'static str, Box<Num>, Box<Num>),
    /// The quotient by two of the first, as a rational, is less than the second.
    Half(Box<Num>, Box<Num>),
}

impl Lab {
    fn new() -> Self {
        let mut terms = Terms::new();
        let enum_id = terms.types.add_enum("E", vec!["A".into(), "B".into(), "C".into()]);
        let array =
            terms.types.array(ArrayType { index: Type::Enum(enum_id), element: Type::Int, range: None });
        Lab {
            bools: std::array::from_fn(|_| terms.declare(Type::Bool)),
            ints: std::array::from_fn(|_| terms.declare(Type::Int)),
            literal: terms.declare(Type::Enum(enum_id)),
            array: terms.declare(Type::Array(array)),
            enum_id,
            terms,
        }
    }
    fn index(&mut self, literal: Option<u32>) -> Term {
        match literal {
            Some(literal) => self.terms.constant(Value::Enum(self.enum_id, literal)),
            None => self.terms.var(self.literal),
        }
    }
    fn num(&mut self, num: &Num) -> Term {
        match num {
            Num::Const(value) => self.terms.int(*value),
            Num::Var(var) => self.terms.var(self.ints[*var]),
            Num::Ite(cond, a, b) => {
                let (cond, a, b) = (self.cond(cond), self.num(a), self.num(b));
                self.terms.ite(cond, a, b)
            }
            Num::Read(index) => {
                let (array, index) = (self.terms.var(self.array), self.index(*index));
                self.terms.read(array, index)
            }
            Num::ReadWritten(read, write, value) => {
                let (array, read, write) =
                    (self.terms.var(self.array), self.index(*read), self.index(*write));
                let value = self.num(value);
                let array = self.terms.write(array, write, value);
                self.terms.read(array, read)
            }
            Num::Bin(op, a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                match *op {
                    "+" => self.terms.add([a, b]),
                    "-" => self.terms.sub(a, b),
                    "*" => self.terms.mul([a, b]),
                    "/" => self.terms.div(a, b),
                    "%" => self.terms.modulo(a, b),
                    "rem" => self.terms.rem(a, b),
                    // Operands of bit operations say how many bits they have.
                    "&" | "|" | "^" => {
                        let [a, b] = [a, b].map(|operand| self.terms.wrap(operand, 4, true));
                        let op = match *op {
                            "&" => Bitwise::And,
                            "|" => Bitwise::Or,
                            _ => Bitwise::Xor,
                        };
                        self.terms.bitwise(op, a, b)
                    }
                    // Constants need not.
                    "mask" => self.terms.bitwise(Bitwise::And, a, b),
                    "u2" | "s2" => {
                        let sum = self.terms.add([a, b]);
                        self.terms.wrap(sum, 2, *op == "s2")
                    }
                    _ => unreachable!(),
                }
            }
        }
    }
    fn cond(&mut self, cond: &Cond) -> Term {
        match cond {
            Cond::Const(value) => self.terms.bool(*value),
            Cond::Var(var) => self.terms.var(self.bools[*var]),
            Cond::IsLiteral(literal) => {
                let (e, literal) = (self.terms.var(self.literal), self.index(Some(*literal)));
                self.terms.eq(e, literal)
            }
            Cond::Not(a) => {
                let a = self.cond(a);
                self.terms.not(a)
            }
            Cond::Bin(op, a, b) => {
                let (a, b) = (self.cond(a), self.cond(b));
                match *op {
                    "and" => self.terms.and([a, b]),
                    "or" => self.terms.or([a, b]),
                    "iff" => self.terms.eq(a, b),
                    _ => unreachable!(),
                }
            }
            Cond::Rel(op, a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                match *op {
                    "==" => self.terms.eq(a, b),
                    "<" => self.terms.lt(a, b),
                    "<=" => self.terms.le(a, b),
                    _ => unreachable!(),
                }
            }
            Cond::Half(a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                let half = self.terms.constant(Value::rat("1/2".parse().unwrap()));
                let a = self.terms.mul([half, a]);
                self.terms.lt(a, b)
            }
        }
    }
    /// Every assignment at step `step`.
    fn assignments(&self, step: u32) -> Vec<Model> {
        let mut all = vec![Model::default()];
        let mut split = |var: VarId, values: Vec<Value>| {
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
        for var in self.bools {
            split(var, vec![Value::Bool(false), Value::Bool(true)]);
        }
        for var in self.ints {
            split(var, RANGE.map(Value::int).collect());
        }
        split(self.literal, (0..3).map(|at| Value::Enum(self.enum_id, at)).collect());
        let Type::Array(id) = self.terms.var_type(self.array) else { unreachable!() };
        let types = &self.terms.types;
        let arrays = RANGE.flat_map(|a| RANGE.map(move |b| (a, b))).map(|(a, b)| {
            let array = types.fill(id, Value::int(a));
            Value::Array(types.write(&array, Value::Enum(self.enum_id, 1), Value::int(b)).into())
        });
        split(self.array, arrays.collect());
        all
    }
    fn vars(&self) -> Vec<VarId> {
        self.bools.into_iter().chain(self.ints).chain([self.literal, self.array]).collect()
    }
    /// A solver that knows the small domains.
    fn solver(&mut self, at: &Steps) -> Z3Solver {
        let mut solver = Z3Solver::new().unwrap();
        for var in self.ints {
            solver.declare(var, Some((Int::from(*RANGE.start()), Int::from(*RANGE.end()))));
        }
        let entry = |terms: &mut Terms, lab: (VarId, ir::EnumId), at: u32| {
            let (array, index) = (terms.var(lab.0), terms.constant(Value::Enum(lab.1, at)));
            terms.read(array, index)
        };
        let lab = (self.array, self.enum_id);
        let entries = [0, 1, 2].map(|at| entry(&mut self.terms, lab, at));
        for read in entries {
            let (least, greatest) = (self.terms.int(*RANGE.start()), self.terms.int(*RANGE.end()));
            let (low, high) = (self.terms.le(least, read), self.terms.le(read, greatest));
            solver.assert(&self.terms, low, at).unwrap();
            solver.assert(&self.terms, high, at).unwrap();
        }
        let same = self.terms.eq(entries[0], entries[2]);
        solver.assert(&self.terms, same, at).unwrap();
        // Products of variables may take for ever.
        solver.limit(Limits { deadline: None, work: Some(2_000_000) });
        solver
    }
}

fn conds() -> BoxedStrategy<Cond> {
    let index = || prop::option::of(0u32..3);
    let number = prop_oneof![
        (-3i64..=3).prop_map(Num::Const),
        (0usize..2).prop_map(Num::Var),
        index().prop_map(Num::Read),
    ];
    let numbers = number.prop_recursive(2, 8, 2, move |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "rem", "&", "|", "^", "u2", "s2"]);
        let by_constant = prop::sample::select(vec!["/", "%", "rem", "mask"]);
        prop_oneof![
            3 => (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Num::Bin(op, Box::new(a), Box::new(b))),
            3 => (by_constant, inner.clone(), -3i64..=3)
                .prop_map(|(op, a, b)| Num::Bin(op, Box::new(a), Box::new(Num::Const(b)))),
            1 => (any::<bool>(), inner.clone(), inner.clone()).prop_map(|(v, a, b)| {
                Num::Ite(Box::new(Cond::Var(usize::from(v))), Box::new(a), Box::new(b))
            }),
            1 => (prop::option::of(0u32..3), prop::option::of(0u32..3), inner)
                .prop_map(|(r, w, v)| Num::ReadWritten(r, w, Box::new(v))),
        ]
    });
    let relation = prop::sample::select(vec!["==", "<", "<="]);
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Cond::Const),
        2 => (0usize..2).prop_map(Cond::Var),
        2 => (0u32..3).prop_map(Cond::IsLiteral),
        6 => (relation, numbers.clone(), numbers.clone())
            .prop_map(|(op, a, b)| Cond::Rel(op, Box::new(a), Box::new(b))),
        1 => (numbers.clone(), numbers).prop_map(|(a, b)| Cond::Half(Box::new(a), Box::new(b))),
    ];
    leaf.prop_recursive(3, 10, 2, |inner| {
        let op = prop::sample::select(vec!["and", "or", "iff"]);
        prop_oneof![
            inner.clone().prop_map(|a| Cond::Not(Box::new(a))),
            (op, inner.clone(), inner).prop_map(|(op, a, b)| Cond::Bin(op, Box::new(a), Box::new(b))),
        ]
    })
    .boxed()
}

/// For each property, how many questions there were and how many of them had no answer.
static UNANSWERED: [(AtomicUsize, AtomicUsize); 3] =
    [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; 3];

/// Products of variables may be too hard, but only one question in ten.
fn given_up((asked, unanswered): &(AtomicUsize, AtomicUsize), interrupt: smt::Interrupt) {
    assert!(matches!(interrupt, smt::Interrupt::Unknown(_) | smt::Interrupt::Budget), "{interrupt}");
    let (asked, unanswered) = (asked.load(Relaxed), unanswered.fetch_add(1, Relaxed) + 1);
    assert!(unanswered * 10 <= asked + 20, "{unanswered} of {asked} have no answer: {interrupt}");
}

fn counted((asked, _): &(AtomicUsize, AtomicUsize)) {
    asked.fetch_add(1, Relaxed);
}

proptest! {
    #![proptest_config(sampling::runs(192, 2026))]

    /// Satisfiability, the model, the core and its minimisation, at a step that is not 0.
    #[test]
    fn answers_agree_with_evaluation(list in prop::collection::vec(conds(), 1..5)) {
        let mut lab = Lab::new();
        let bump: Vec<_> = lab.vars().into_iter().map(|var| lab.terms.havoc(var)).collect();
        let bump = lab.terms.seq(bump);
        let mut at = Steps::start();
        ir::unfold(&mut lab.terms, bump, &mut at).unwrap();
        let list: Vec<Term> = list.iter().map(|cond| lab.cond(cond)).collect();
        let mut solver = lab.solver(&at);
        let lits: Vec<_> = list.iter().map(|term| solver.lit(&lab.terms, *term, &at).unwrap()).collect();
        let possible = |chosen: &[Term]| {
            lab.assignments(0).iter().any(|model| {
                chosen.iter().all(|term| holds(&lab.terms, model, *term).unwrap())
            })
        };
        match solver.check(&lits) {
            Ok(Answer::Sat) => {
                let instances: Vec<_> = lab.vars().into_iter().map(|var| (var, 1)).collect();
                let found = Model::of(&mut solver, &mut lab.terms, instances).unwrap();
                let mut now = Model::default();
                for var in lab.vars() {
                    now.set(var, 0, found.get(var, 1).unwrap().clone());
                }
                for term in &list {
                    prop_assert_eq!(holds(&lab.terms, &now, *term), Ok(true));
                }
            }
            Ok(Answer::Unsat) => {
                prop_assert!(!possible(&list));
                let core = solver.core().unwrap();
                let minimal = services::minimise(&mut solver, &[], core.clone(), 100).unwrap();
                let chosen = |core: &[smt::Lit]| -> Vec<Term> {
                    lits.iter().zip(&list).filter(|(lit, _)| core.contains(lit)).map(|(_, term)| *term).collect()
                };
                prop_assert!(!possible(&chosen(&core)));
                prop_assert!(!possible(&chosen(&minimal)));
                for left_out in &minimal {
                    let rest: Vec<_> = minimal.iter().copied().filter(|lit| lit != left_out).collect();
                    prop_assert!(possible(&chosen(&rest)), "the core is minimal");
                }
            }
            Err(interrupt) => given_up(&UNANSWERED[0], interrupt),
        }
        counted(&UNANSWERED[0]);
    }

    /// All cubes over some formulas are exactly the assignments that exist, and none comes twice.
    #[test]
    fn all_cubes_are_all_assignments(list in prop::collection::vec(conds(), 1..4), under in conds()) {
        let mut lab = Lab::new();
        let at = Steps::start();
        let list: Vec<Term> = list.iter().map(|cond| lab.cond(cond)).collect();
        let under = lab.cond(&under);
        let mut solver = lab.solver(&at);
        let lits: Vec<_> = list.iter().map(|term| solver.lit(&lab.terms, *term, &at).unwrap()).collect();
        let under_lit = solver.lit(&lab.terms, under, &at).unwrap();
        let mut found = vec![];
        let done = services::all_cubes(&mut solver, &[under_lit], &lits, &mut |cube| {
            let mut all = vec![vec![]];
            for value in cube {
                let values = value.map_or(vec![false, true], |value| vec![value]);
                all = all.iter().flat_map(|prefix: &Vec<bool>| values.iter().map(move |value| {
                    let mut next = prefix.clone();
                    next.push(*value);
                    next
                })).collect();
            }
            found.extend(all);
            true
        });
        counted(&UNANSWERED[1]);
        if let Err(interrupt) = done {
            given_up(&UNANSWERED[1], interrupt);
            return Ok(());
        }
        let mut expected: Vec<Vec<bool>> = lab.assignments(0).iter()
            .filter(|model| holds(&lab.terms, *model, under).unwrap())
            .map(|model| list.iter().map(|term| holds(&lab.terms, model, *term).unwrap()).collect())
            .collect();
        expected.sort();
        expected.dedup();
        found.sort();
        prop_assert_eq!(found, expected);
    }

    /// Batched implications, and literals after scopes.
    #[test]
    fn implications_agree_with_evaluation(list in prop::collection::vec(conds(), 1..6), under in conds()) {
        let mut lab = Lab::new();
        let at = Steps::start();
        let list: Vec<Term> = list.iter().map(|cond| lab.cond(cond)).collect();
        let under = lab.cond(&under);
        let mut solver = lab.solver(&at);
        solver.push().unwrap();
        let lits: Vec<_> = list.iter().map(|term| solver.lit(&lab.terms, *term, &at).unwrap()).collect();
        let nothing = lab.terms.bool(false);
        solver.assert(&lab.terms, nothing, &at).unwrap();
        prop_assert_eq!(solver.check(&[]), Ok(Answer::Unsat));
        solver.pop().unwrap();
        let under_lit = solver.lit(&lab.terms, under, &at).unwrap();
        match services::implied(&mut solver, &[under_lit], &lits) {
            Ok(implied) => for (term, implied) in list.iter().zip(implied) {
                let expected = lab.assignments(0).iter()
                    .filter(|model| holds(&lab.terms, *model, under).unwrap())
                    .all(|model| holds(&lab.terms, model, *term).unwrap());
                prop_assert_eq!(implied.is_some(), expected);
            },
            Err(interrupt) => given_up(&UNANSWERED[2], interrupt),
        }
        counted(&UNANSWERED[2]);
    }

    /// The text for other solvers means the same, and so do the values they answer with.
    #[test]
    fn text_agrees_with_evaluation(list in prop::collection::vec(conds(), 4), pick in any::<prop::sample::Index>()) {
        let program = smt::z3::library_info().unwrap().program.clone();
        let Some(program) = program else { return Ok(()) };
        let mut lab = Lab::new();
        let mut solver = SmtlibSolver::start(&format!("{} -in", program.display())).unwrap();
        let all = lab.assignments(0);
        let model = pick.get(&all);
        let at = Steps::start();
        for var in lab.vars() {
            let value = lab.terms.constant(model.get(var, 0).unwrap().clone());
            let var = lab.terms.var(var);
            let fixed = lab.terms.eq(var, value);
            solver.assert(&lab.terms, fixed, &at).unwrap();
        }
        let list: Vec<Term> = list.iter().map(|cond| lab.cond(cond)).collect();
        let lits: Vec<_> = list.iter().map(|term| solver.lit(&lab.terms, *term, &at).unwrap()).collect();
        prop_assert_eq!(solver.check(&[]), Ok(Answer::Sat));
        for (term, lit) in list.iter().zip(&lits) {
            let expected = holds(&lab.terms, model, *term).unwrap();
            prop_assert_eq!(solver.truth(*lit), Ok(Some(expected)));
            prop_assert_eq!(solver.value(&lab.terms, *term, &at), Ok(Value::Bool(expected)));
        }
        for var in lab.vars() {
            let expected = model.get(var, 0).unwrap().clone();
            let var = lab.terms.var(var);
            prop_assert_eq!(solver.value(&lab.terms, var, &at), Ok(expected));
        }
        // Assuming the opposite of one that holds is a contradiction with a core.
        let (term, lit) = (list[0], lits[0]);
        let wrong = if holds(&lab.terms, model, term).unwrap() { !lit } else { lit };
        prop_assert_eq!(solver.check(&[wrong]), Ok(Answer::Unsat));
        prop_assert_eq!(solver.core(), Ok(vec![wrong]));
    }

    /// A term has the value that evaluation gives it, in a model that is fixed to an assignment.
    #[test]
    fn translation_agrees_with_evaluation(cond in conds(), pick in any::<prop::sample::Index>()) {
        let mut lab = Lab::new();
        let cond = lab.cond(&cond);
        let all = lab.assignments(0);
        let model = pick.get(&all);
        let mut solver = Z3Solver::new().unwrap();
        for var in lab.vars() {
            let value = lab.terms.constant(model.get(var, 0).unwrap().clone());
            let var = lab.terms.var(var);
            let fixed = lab.terms.eq(var, value);
            solver.assert(&lab.terms, fixed, &Steps::start()).unwrap();
        }
        prop_assert_eq!(solver.check(&[]), Ok(Answer::Sat));
        let mut checked = vec![];
        lab.terms.for_each_subterm(cond, |term| checked.push(term));
        for term in checked {
            if matches!(lab.terms.node(term), Node::Const(_)) { continue }
            let expected = ir::eval::eval(&lab.terms, model, term).unwrap().into_owned();
            // A sum of mixed kinds may come back as either kind of number.
            match (solver.value(&lab.terms, term, &Steps::start()), expected) {
                (Ok(found), expected @ (Value::Int(_) | Value::Rat(_))) => {
                    prop_assert_eq!(found.as_rat(), expected.as_rat());
                }
                (Ok(found), expected) => prop_assert_eq!(found, expected),
                (Err(smt::Interrupt::Unsupported(_)), Value::Rat(_)) => {}
                (Err(other), _) => panic!("{other}"),
            }
        }
    }
}
