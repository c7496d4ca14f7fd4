//! The search on random systems against a naive search, and its code against the interpreter.

use ir::Bitwise;
use proptest::prelude::*;

use super::*;
use crate::concrete::code::{self, Slots};
use crate::concrete::vm::{Halt, Untimed, Vm};
use crate::concrete::word::{OPEN, Values};

/// A random statement over the variables of [`playground`].
#[derive(Clone, Debug)]
enum Toy {
    Assume(ToyBool),
    SetBool(u8, ToyBool),
    SetInt(u8, ToyInt),
    SetEnum(u32),
    Havoc(u8),
    Seq(Vec<Toy>),
    Choice(Vec<Toy>),
    If(ToyBool, Box<Toy>, Box<Toy>),
    For(i64, ToyInt, Box<Toy>),
    Repeat(i64, Box<Toy>),
}

#[derive(Clone, Debug)]
enum ToyBool {
    Const(bool),
    Var(u8),
    Not(Box<ToyBool>),
    And(Vec<ToyBool>),
    Or(Vec<ToyBool>),
    Same(Box<ToyBool>, Box<ToyBool>),
    Ite(Box<ToyBool>, Box<ToyBool>, Box<ToyBool>),
    Colour(u32),
    Eq(ToyInt, ToyInt),
    Lt(ToyInt, ToyInt),
    Le(ToyInt, ToyInt),
}

#[derive(Clone, Debug)]
enum ToyInt {
    Const(i64),
    Var(u8),
    Add(Box<ToyInt>, Box<ToyInt>),
    Mul(Box<ToyInt>, Box<ToyInt>),
    Div(Box<ToyInt>, Box<ToyInt>),
    Mod(Box<ToyInt>, Box<ToyInt>),
    Rem(Box<ToyInt>, Box<ToyInt>),
    Bits(Bitwise, Box<ToyInt>, Box<ToyInt>),
    Ite(Box<ToyBool>, Box<ToyInt>, Box<ToyInt>),
}

/// Which constants occur: small ones only, where their values are to be enumerated.
fn numbers(large: bool) -> BoxedStrategy<i64> {
    if large {
        prop_oneof![4 => -4i64..5, 1 => any::<i64>(), 1 => Just(3_000_000_000)].boxed()
    } else {
        (-4i64..5).boxed()
    }
}

fn toy_int(large: bool) -> BoxedStrategy<ToyInt> {
    let number = numbers(large);
    let leaf = prop_oneof![number.prop_map(ToyInt::Const), (0u8..4).prop_map(ToyInt::Var)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let pair = (inner.clone().prop_map(Box::new), inner.prop_map(Box::new));
        let condition = (0u8..3).prop_map(|var| Box::new(ToyBool::Var(var)));
        prop_oneof![
            3 => pair.clone().prop_map(|(a, b)| ToyInt::Add(a, b)),
            1 => pair.clone().prop_map(|(a, b)| ToyInt::Mul(a, b)),
            1 => pair.clone().prop_map(|(a, b)| ToyInt::Div(a, b)),
            1 => pair.clone().prop_map(|(a, b)| ToyInt::Mod(a, b)),
            1 => pair.clone().prop_map(|(a, b)| ToyInt::Rem(a, b)),
            1 => (prop::sample::select(vec![Bitwise::And, Bitwise::Or, Bitwise::Xor]), pair.clone())
                .prop_map(|(op, (a, b))| ToyInt::Bits(op, a, b)),
            1 => (condition, pair).prop_map(|(c, (a, b))| ToyInt::Ite(c, a, b)),
        ]
    })
    .boxed()
}

fn toy_bool(large: bool) -> BoxedStrategy<ToyBool> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(ToyBool::Const),
        4 => (0u8..3).prop_map(ToyBool::Var),
        2 => (0u32..3).prop_map(ToyBool::Colour),
        2 => (toy_int(large), toy_int(large)).prop_map(|(a, b)| ToyBool::Eq(a, b)),
        2 => (toy_int(large), toy_int(large)).prop_map(|(a, b)| ToyBool::Lt(a, b)),
        2 => (toy_int(large), toy_int(large)).prop_map(|(a, b)| ToyBool::Le(a, b)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(ToyBool::Not),
            prop::collection::vec(inner.clone(), 2..4).prop_map(ToyBool::And),
            prop::collection::vec(inner, 2..4).prop_map(ToyBool::Or),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| ToyBool::Same(a, b)),
            (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| ToyBool::Ite(a, b, c)),
        ]
    })
    .boxed()
}

fn toy(large: bool) -> BoxedStrategy<Toy> {
    let leaf = prop_oneof![
        2 => toy_bool(large).prop_map(Toy::Assume),
        2 => (0u8..3, toy_bool(large)).prop_map(|(var, term)| Toy::SetBool(var, term)),
        3 => (0u8..4, toy_int(large)).prop_map(|(var, term)| Toy::SetInt(var, term)),
        1 => (0u32..3).prop_map(Toy::SetEnum),
        3 => (0u8..8).prop_map(Toy::Havoc),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..5).prop_map(Toy::Seq),
            3 => prop::collection::vec(inner, 2..4).prop_map(Toy::Choice),
            2 => (toy_bool(large), boxed.clone(), boxed.clone()).prop_map(|(c, a, b)| Toy::If(c, a, b)),
            1 => (-2i64..3, toy_int(large), boxed.clone()).prop_map(|(from, to, body)| Toy::For(from, to, body)),
            1 => (0i64..4, boxed).prop_map(|(times, body)| Toy::Repeat(times, body)),
        ]
    })
    .boxed()
}

/// Two booleans, a literal, two integers and a ranged one as state; a boolean and an integer as locals.
struct Playground {
    model: Model,
    colours: EnumId,
    bools: [VarId; 3],
    colour: VarId,
    ints: [VarId; 4],
}

fn playground() -> Playground {
    let mut model = Model::new();
    let colours =
        model.system.terms.types.add_enum("Colour", ["red", "green", "blue"].map(str::to_owned).to_vec());
    let (p, q) = (model.var("p", Type::Bool, None), model.var("q", Type::Bool, None));
    let local_flag = model.local("f", Type::Bool);
    let colour = model.var("c", Type::Enum(colours), None);
    let (x, y) = (model.var("x", Type::Int, None), model.var("y", Type::Int, None));
    let local = model.local("l", Type::Int);
    let r = model.ranged("r", -1, 2);
    Playground { model, colours, bools: [p, q, local_flag], colour, ints: [x, y, r, local] }
}

impl Playground {
    fn int(&mut self, toy: &ToyInt) -> Term {
        let mut pair = |a: &ToyInt, b: &ToyInt| (self.int(a), self.int(b));
        match toy {
            ToyInt::Const(value) => self.model.system.terms.int(*value),
            ToyInt::Var(var) => self.model.v(self.ints[*var as usize]),
            ToyInt::Add(a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.add([a, b])
            }
            ToyInt::Mul(a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.mul([a, b])
            }
            ToyInt::Div(a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.div(a, b)
            }
            ToyInt::Mod(a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.modulo(a, b)
            }
            ToyInt::Rem(a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.rem(a, b)
            }
            ToyInt::Bits(op, a, b) => {
                let (a, b) = pair(a, b);
                self.model.system.terms.bitwise(*op, a, b)
            }
            ToyInt::Ite(c, a, b) => {
                let (a, b) = pair(a, b);
                let c = self.bool(c);
                self.model.system.terms.ite(c, a, b)
            }
        }
    }
    fn bool(&mut self, toy: &ToyBool) -> Term {
        match toy {
            ToyBool::Const(value) => self.model.system.terms.bool(*value),
            ToyBool::Var(var) => self.model.v(self.bools[*var as usize]),
            ToyBool::Not(a) => {
                let a = self.bool(a);
                self.model.system.terms.not(a)
            }
            ToyBool::And(list) => {
                let list: Vec<Term> = list.iter().map(|part| self.bool(part)).collect();
                self.model.system.terms.and(list)
            }
            ToyBool::Or(list) => {
                let list: Vec<Term> = list.iter().map(|part| self.bool(part)).collect();
                self.model.system.terms.or(list)
            }
            ToyBool::Same(a, b) => {
                let (a, b) = (self.bool(a), self.bool(b));
                self.model.system.terms.eq(a, b)
            }
            ToyBool::Ite(a, b, c) => {
                let (a, b, c) = (self.bool(a), self.bool(b), self.bool(c));
                self.model.system.terms.ite(a, b, c)
            }
            ToyBool::Colour(literal) => {
                let literal = self.model.system.terms.constant(Value::Enum(self.colours, *literal));
                let colour = self.model.v(self.colour);
                self.model.system.terms.eq(colour, literal)
            }
            ToyBool::Eq(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                self.model.system.terms.eq(a, b)
            }
            ToyBool::Lt(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                self.model.system.terms.lt(a, b)
            }
            ToyBool::Le(a, b) => {
                let (a, b) = (self.int(a), self.int(b));
                self.model.system.terms.le(a, b)
            }
        }
    }
    fn stmt(&mut self, toy: &Toy) -> Stmt {
        match toy {
            Toy::Assume(condition) => {
                let condition = self.bool(condition);
                self.model.assume(condition)
            }
            Toy::SetBool(var, term) => {
                let term = self.bool(term);
                self.model.assign(self.bools[*var as usize], term)
            }
            Toy::SetInt(var, term) => {
                let term = self.int(term);
                self.model.assign(self.ints[*var as usize], term)
            }
            Toy::SetEnum(literal) => {
                let literal = self.model.system.terms.constant(Value::Enum(self.colours, *literal));
                self.model.assign(self.colour, literal)
            }
            Toy::Havoc(var) => {
                let [p, q, f] = self.bools;
                let [x, y, r, l] = self.ints;
                self.model.havoc([p, q, f, self.colour, x, y, r, l][*var as usize])
            }
            Toy::Seq(list) => {
                let list: Vec<Stmt> = list.iter().map(|part| self.stmt(part)).collect();
                self.model.system.terms.seq(list)
            }
            Toy::Choice(list) => {
                let list: Vec<Stmt> = list.iter().map(|part| self.stmt(part)).collect();
                self.model.system.terms.choice(list)
            }
            Toy::If(condition, a, b) => {
                let (condition, a, b) = (self.bool(condition), self.stmt(a), self.stmt(b));
                self.model.system.terms.branch(condition, a, b)
            }
            Toy::For(from, to, body) => {
                let i = self.model.local("i", Type::Int);
                let (body, to, four) = (self.stmt(body), self.int(to), self.model.system.terms.int(4));
                let (from, to) =
                    (self.model.system.terms.int(*from), self.model.system.terms.modulo(to, four));
                let i_term = self.model.v(i);
                let take = self.model.assign(self.ints[3], i_term);
                let body = self.model.system.terms.seq([take, body]);
                self.model.system.terms.for_loop(i, from, to, body)
            }
            Toy::Repeat(times, body) => {
                let count = self.model.local("n", Type::Int);
                let (zero, more) = (self.model.set(count, 0), self.model.lt(count, *times));
                let (body, next) = (self.stmt(body), self.model.add(count, 1));
                let body = self.model.system.terms.seq([body, next]);
                let repeat = self.model.system.terms.while_loop(more, body);
                self.model.system.terms.seq([zero, repeat])
            }
        }
    }
}

type ToyState = (Option<bool>, Option<bool>, Option<u32>, Option<i64>, Option<i64>, Option<i64>);

fn toy_state() -> impl Strategy<Value = ToyState> {
    let number =
        || prop_oneof![6 => (-4i64..5).prop_map(Some), 1 => any::<i64>().prop_map(Some), 1 => Just(None)];
    let flag = || prop_oneof![6 => any::<bool>().prop_map(Some), 1 => Just(None)];
    let colour = prop_oneof![6 => (0u32..3).prop_map(Some), 1 => Just(None)];
    let ranged = prop_oneof![6 => (-1i64..3).prop_map(Some), 1 => Just(None)];
    (flag(), flag(), colour, number(), number(), ranged)
}

/// Enough executions to compare.
const ENOUGH_EXECUTIONS: usize = 300;

proptest! {
    #![proptest_config(sampling::runs(1500, 0x7e715))]

    /// The code finds the executions of the plain interpreter, in order, until it bails out.
    #[test]
    fn code_does_what_the_interpreter_does(toy in toy(true), start in toy_state()) {
        let mut ground = playground();
        let stmt = ground.stmt(&toy);
        let system = &ground.model.system;
        let (p, q, c, x, y, r) = start;
        let values = [
            p.map(Value::Bool), q.map(Value::Bool), c.map(|c| Value::Enum(ground.colours, c)),
            x.map(Value::int), y.map(Value::int), r.map(Value::int),
        ];
        let state = State { values: values.into(), ..system.arbitrary_state() };
        let mut plain = vec![];
        let end = Interp::new(system, None).successors(stmt, &state, &mut |outcome| {
            plain.push(outcome.values);
            plain.len() < ENOUGH_EXECUTIONS
        });

        let mut words = Values::default();
        let types: Vec<Type> = system.state_vars().map(|var| system.terms.var_type(var)).collect();
        let code = code::action(system, &Slots::new(system), &Default::default(), &mut words, &state.locations, stmt, Some(0));
        let code = code.expect("nothing but integers, booleans and literals");
        let stop = Stop::new();
        let mut vm = Vm::new(Untimed, &stop);
        vm.slots.push(0);
        vm.slots.extend(state.values.iter().map(|value| value.as_ref().map_or(OPEN, |value| words.word(value))));
        vm.reserve(&code);
        let before = vm.slots[..=types.len()].to_vec();
        let mut compiled = vec![];
        let mut more = vm.first(&code);
        while more == Ok(true) {
            let values = types.iter().zip(&vm.slots[1..]).map(|(ty, word)| words.value(*ty, *word));
            compiled.push(values.collect::<Box<[_]>>());
            if compiled.len() == ENOUGH_EXECUTIONS {
                vm.reset();
                break;
            }
            more = vm.next(&code);
        }
        prop_assert_eq!(&vm.slots[..=types.len()], &before[..], "the source is as before");
        if more == Err(Halt::Bail) {
            prop_assert_eq!(&compiled[..], &plain[..compiled.len().min(plain.len())]);
        } else {
            prop_assert_eq!(end, Ok(()));
            prop_assert_eq!(compiled, plain);
        }
    }

    /// Both orders agree with the naive search, and all evidence is good.
    #[test]
    fn search_agrees_with_the_naive_one(toys in prop::collection::vec(toy(false), 1..4), goal in toy_bool(false)) {
        let mut ground = playground();
        let [p, q, _] = ground.bools;
        let zero = ground.model.system.terms.int(0);
        let no = ground.model.system.terms.bool(false);
        let red = ground.model.system.terms.constant(Value::Enum(ground.colours, 0));
        let [x, y, r, local] = ground.ints;
        let locals = [ground.bools[2], local].map(|var| ground.model.havoc(var));
        ground.model.system.initial = vec![(p, no), (q, no), (ground.colour, red), (x, zero), (y, zero), (r, zero)];
        for toy in &toys {
            let stmt = ground.stmt(toy);
            // Keeps the numbers small, so that the state space is.
            let mut parts = vec![locals[0], locals[1], stmt];
            for (var, count) in [(x, 5), (y, 5), (r, 3)] {
                let (term, count) = (ground.model.v(var), ground.model.system.terms.int(count));
                let small = ground.model.system.terms.modulo(term, count);
                parts.push(ground.model.assign(var, small));
            }
            ground.model.edge(parts);
        }
        // Goals are about states, so they have no locals.
        (ground.bools[2], ground.ints[3]) = (p, x);
        let goal = ground.bool(&goal);
        let config = Config { state_limit: Some(200), ..Config::default() };
        let (answer, _) = ground.model.search_with(goal, &config);
        if !matches!(answer, Answer::Unknown(_)) {
            let dfs = Config { search: Search::Dfs, ..Config::default() };
            if !matches!(ground.model.search_with(goal, &dfs).0, Answer::Unknown(_)) {
                ground.model.check(goal);
            }
        }
    }
}
