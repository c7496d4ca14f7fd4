//! The interpreter, the simplifier, weakest preconditions and unfoldings against a deliberately naive
//! meaning of random statements: sets of states, no normal forms, no sharing, no laziness.

extern crate thetis_ir as ir;

use std::collections::BTreeSet;

use ir::interp::Interp;
use ir::{
    ArrayType, Bitwise, Id, LocationId, Node, Process, State, Steps, Stmt, System, Term, Type, Valuation,
    Value, VarId, Variable,
};
use proptest::prelude::*;

/// A naive state: the booleans `a` and `b`, the integers `x` and `y`, the enumeration `e`, the local
/// `l`; the local counts as 0 between steps.
type Naive = [i128; 6];
const LOCAL: usize = 5;
const LITERALS: i128 = 3;

#[derive(Clone, Debug)]
enum Num {
    Const(i8),
    Var(usize),
    Bin(&'static str, Box<Num>, Box<Num>),
    Ite(Box<Cond>, Box<Num>, Box<Num>),
}

#[derive(Clone, Debug)]
enum Cond {
    Const(bool),
    Var(usize),
    IsLiteral(i128),
    Not(Box<Cond>),
    Bin(&'static str, Box<Cond>, Box<Cond>),
    Rel(&'static str, Box<Num>, Box<Num>),
}

#[derive(Clone, Debug)]
enum Prog {
    Skip,
    Assume(Cond),
    SetNum(usize, Num),
    SetBool(usize, Cond),
    SetLiteral(i128),
    HavocFinite(usize),
    /// `havoc v; assume least <= v; assume v <= greatest`.
    HavocBetween(usize, i8, i8),
    /// A havoc that is overwritten before it is read.
    HavocUnread(usize, i8),
    Seq(Vec<Prog>),
    Choice(Vec<Prog>),
    If(Cond, Box<Prog>, Box<Prog>),
    For(Num, i8, Box<Prog>),
    /// `l := n; while l > 0 { body; l := l - 1 }`
    Countdown(i8, Box<Prog>),
}

fn number(state: &Naive, num: &Num) -> i128 {
    match num {
        Num::Const(value) => i128::from(*value),
        Num::Var(var) => state[*var],
        Num::Ite(cond, a, b) => number(state, if truth(state, cond) { a } else { b }),
        Num::Bin(op, a, b) => {
            let (a, b) = (number(state, a), number(state, b));
            match *op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" if b == 0 => 0,
                "/" => a.div_euclid(b),
                "%" if b == 0 => a,
                "%" => a.rem_euclid(b),
                "rem" if b == 0 => a,
                "rem" if b < 0 => -a.rem_euclid(b),
                "rem" => a.rem_euclid(b),
                "&" => a & b,
                "|" => a | b,
                "^" => a ^ b,
                // What three bits hold of the sum, without and with a sign.
                "u3" => (a + b).rem_euclid(8),
                "s3" => (a + b + 4).rem_euclid(8) - 4,
                _ => unreachable!(),
            }
        }
    }
}

fn truth(state: &Naive, cond: &Cond) -> bool {
    match cond {
        Cond::Const(value) => *value,
        Cond::Var(var) => state[*var] == 1,
        Cond::IsLiteral(literal) => state[4] == *literal,
        Cond::Not(a) => !truth(state, a),
        Cond::Bin(op, a, b) => {
            let (a, b) = (truth(state, a), truth(state, b));
            match *op {
                "and" => a && b,
                "or" => a || b,
                "imply" => !a || b,
                "iff" => a == b,
                "xor" => a != b,
                _ => unreachable!(),
            }
        }
        Cond::Rel(op, a, b) => {
            let (a, b) = (number(state, a), number(state, b));
            match *op {
                "==" => a == b,
                "<" => a < b,
                "<=" => a <= b,
                ">" => a > b,
                ">=" => a >= b,
                _ => unreachable!(),
            }
        }
    }
}

fn run(prog: &Prog, from: &BTreeSet<Naive>) -> BTreeSet<Naive> {
    let each = |f: &dyn Fn(&Naive) -> Vec<Naive>| from.iter().flat_map(f).collect::<BTreeSet<_>>();
    let set = |state: &Naive, var: usize, value: i128| {
        let mut next = *state;
        next[var] = value;
        next
    };
    match prog {
        Prog::Skip => from.clone(),
        Prog::Assume(cond) => each(&|s| if truth(s, cond) { vec![*s] } else { vec![] }),
        Prog::SetNum(var, num) => each(&|s| vec![set(s, *var, number(s, num))]),
        Prog::SetBool(var, cond) => each(&|s| vec![set(s, *var, i128::from(truth(s, cond)))]),
        Prog::SetLiteral(literal) => each(&|s| vec![set(s, 4, *literal)]),
        Prog::HavocFinite(var) => {
            let count = if *var == 4 { LITERALS } else { 2 };
            each(&|s| (0..count).map(|value| set(s, *var, value)).collect())
        }
        Prog::HavocBetween(var, least, greatest) => {
            each(&|s| (*least..=*greatest).map(|value| set(s, *var, i128::from(value))).collect())
        }
        Prog::HavocUnread(var, value) => each(&|s| vec![set(s, *var, i128::from(*value))]),
        Prog::Seq(list) => list.iter().fold(from.clone(), |states, part| run(part, &states)),
        Prog::Choice(list) => list.iter().flat_map(|part| run(part, from)).collect(),
        Prog::If(cond, a, b) => {
            from.iter().flat_map(|s| run(if truth(s, cond) { a } else { b }, &BTreeSet::from([*s]))).collect()
        }
        Prog::For(first, count, body) => from
            .iter()
            .flat_map(|s| {
                let first = number(s, first);
                let mut states = BTreeSet::from([*s]);
                for value in first..first + i128::from(*count) {
                    states = states.iter().map(|s| set(s, LOCAL, value)).collect();
                    states = run(body, &states);
                }
                states
            })
            .collect(),
        Prog::Countdown(count, body) => {
            let mut states: BTreeSet<Naive> =
                from.iter().map(|s| set(s, LOCAL, i128::from(*count))).collect();
            let mut done = BTreeSet::new();
            while !states.is_empty() {
                done.extend(states.iter().filter(|s| s[LOCAL] <= 0));
                states.retain(|s| s[LOCAL] > 0);
                states = run(body, &states).iter().map(|s| set(s, LOCAL, s[LOCAL] - 1)).collect();
            }
            done
        }
    }
}

/// Whether a body leaves the loop counter alone, so that loops end.
fn writes_local(prog: &Prog) -> bool {
    match prog {
        Prog::SetNum(var, _) | Prog::HavocBetween(var, ..) | Prog::HavocUnread(var, _) => *var == LOCAL,
        Prog::Seq(list) | Prog::Choice(list) => list.iter().any(writes_local),
        Prog::If(_, a, b) => writes_local(a) || writes_local(b),
        Prog::For(..) | Prog::Countdown(..) => true,
        _ => false,
    }
}

struct Lab {
    system: System,
    vars: [VarId; 6],
}

impl Lab {
    fn new() -> Self {
        let mut system = System::default();
        let letters = system.terms.types.add_enum("E", vec!["A".into(), "B".into(), "C".into()]);
        let span = ir::Span::default();
        let types = [Type::Bool, Type::Bool, Type::Int, Type::Int, Type::Enum(letters)];
        let names = ["a", "b", "x", "y", "e"];
        let mut vars: Vec<VarId> = types
            .iter()
            .zip(names)
            .map(|(ty, name)| system.declare(*ty, Variable::state(name, span)))
            .collect();
        vars.push(system.declare(Type::Int, Variable::local("l", span)));
        let mut process = Process { name: "p".into(), ..Process::default() };
        let always = system.terms.bool(true);
        process.initial =
            Some(process.locations.push(ir::Location::new("only", always, ir::LocationKind::Urgent)));
        system.processes.push(process);
        Lab { system, vars: vars.try_into().unwrap() }
    }
    fn literal(&mut self, literal: i128) -> Term {
        let Type::Enum(id) = self.system.terms.var_type(self.vars[4]) else { unreachable!() };
        self.system.terms.constant(Value::Enum(id, literal as u32))
    }
    fn num(&mut self, num: &Num) -> Term {
        match num {
            Num::Const(value) => self.system.terms.int(i64::from(*value)),
            Num::Var(var) => self.system.terms.var(self.vars[*var]),
            Num::Ite(cond, a, b) => {
                let (cond, a, b) = (self.cond(cond), self.num(a), self.num(b));
                self.system.terms.ite(cond, a, b)
            }
            Num::Bin(op, a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                let terms = &mut self.system.terms;
                match *op {
                    "+" => terms.add([a, b]),
                    "-" => terms.sub(a, b),
                    "*" => terms.mul([a, b]),
                    "/" => terms.div(a, b),
                    "%" => terms.modulo(a, b),
                    "rem" => terms.rem(a, b),
                    "&" => terms.bitwise(Bitwise::And, a, b),
                    "|" => terms.bitwise(Bitwise::Or, a, b),
                    "^" => terms.bitwise(Bitwise::Xor, a, b),
                    "u3" | "s3" => {
                        let sum = terms.add([a, b]);
                        terms.wrap(sum, 3, *op == "s3")
                    }
                    _ => unreachable!(),
                }
            }
        }
    }
    fn cond(&mut self, cond: &Cond) -> Term {
        match cond {
            Cond::Const(value) => self.system.terms.bool(*value),
            Cond::Var(var) => self.system.terms.var(self.vars[*var]),
            Cond::IsLiteral(literal) => {
                let (e, literal) = (self.system.terms.var(self.vars[4]), self.literal(*literal));
                self.system.terms.eq(literal, e)
            }
            Cond::Not(a) => {
                let a = self.cond(a);
                self.system.terms.not(a)
            }
            Cond::Bin(op, a, b) => {
                let (a, b) = (self.cond(a), self.cond(b));
                let terms = &mut self.system.terms;
                match *op {
                    "and" => terms.and([a, b]),
                    "or" => terms.or([a, b]),
                    "imply" => terms.implies(a, b),
                    "iff" => terms.eq(a, b),
                    "xor" => terms.xor(a, b),
                    _ => unreachable!(),
                }
            }
            Cond::Rel(op, a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                let terms = &mut self.system.terms;
                match *op {
                    "==" => terms.eq(a, b),
                    "<" => terms.lt(a, b),
                    "<=" => terms.le(a, b),
                    ">" => terms.gt(a, b),
                    ">=" => terms.ge(a, b),
                    _ => unreachable!(),
                }
            }
        }
    }
    fn prog(&mut self, prog: &Prog) -> Stmt {
        match prog {
            Prog::Skip => self.system.terms.skip(),
            Prog::Assume(cond) => {
                let cond = self.cond(cond);
                self.system.terms.assume(cond)
            }
            Prog::SetNum(var, num) => {
                let num = self.num(num);
                self.system.terms.assign(self.vars[*var], num)
            }
            Prog::SetBool(var, cond) => {
                let cond = self.cond(cond);
                self.system.terms.assign(self.vars[*var], cond)
            }
            Prog::SetLiteral(literal) => {
                let literal = self.literal(*literal);
                self.system.terms.assign(self.vars[4], literal)
            }
            Prog::HavocFinite(var) => self.system.terms.havoc(self.vars[*var]),
            Prog::HavocBetween(var, least, greatest) => {
                let terms = &mut self.system.terms;
                let havoc = terms.havoc(self.vars[*var]);
                let value = terms.var(self.vars[*var]);
                let (least, greatest) = (terms.int(i64::from(*least)), terms.int(i64::from(*greatest)));
                let (low, high) = (terms.ge(value, least), terms.le(value, greatest));
                let (low, high) = (terms.assume(low), terms.assume(high));
                terms.seq([havoc, low, high])
            }
            Prog::HavocUnread(var, value) => {
                let terms = &mut self.system.terms;
                let havoc = terms.havoc(self.vars[*var]);
                let value = terms.int(i64::from(*value));
                let set = terms.assign(self.vars[*var], value);
                terms.seq([havoc, set])
            }
            Prog::Seq(list) => {
                let list: Vec<_> = list.iter().map(|part| self.prog(part)).collect();
                self.system.terms.seq(list)
            }
            Prog::Choice(list) => {
                let list: Vec<_> = list.iter().map(|part| self.prog(part)).collect();
                self.system.terms.choice(list)
            }
            Prog::If(cond, a, b) => {
                let (cond, a, b) = (self.cond(cond), self.prog(a), self.prog(b));
                self.system.terms.branch(cond, a, b)
            }
            Prog::For(first, count, body) => {
                let (first, body) = (self.num(first), self.prog(body));
                let terms = &mut self.system.terms;
                let count = terms.int(i64::from(*count));
                let end = terms.add([first, count]);
                terms.for_loop(self.vars[LOCAL], first, end, body)
            }
            Prog::Countdown(count, body) => {
                let body = self.prog(body);
                let terms = &mut self.system.terms;
                let (count, zero, minus) = (terms.int(i64::from(*count)), terms.int(0), terms.int(-1));
                let left = terms.var(self.vars[LOCAL]);
                let start = terms.assign(self.vars[LOCAL], count);
                let less = terms.add([left, minus]);
                let down = terms.assign(self.vars[LOCAL], less);
                let more = terms.gt(left, zero);
                let body = terms.seq([body, down]);
                let repeat = terms.while_loop(more, body);
                terms.seq([start, repeat])
            }
        }
    }

    fn state(&self, naive: &Naive) -> State {
        let Type::Enum(id) = self.system.terms.var_type(self.vars[4]) else { unreachable!() };
        let values = [
            Value::Bool(naive[0] == 1),
            Value::Bool(naive[1] == 1),
            Value::int(naive[2] as i64),
            Value::int(naive[3] as i64),
            Value::Enum(id, naive[4] as u32),
        ];
        State { locations: Box::new([LocationId::at(0)]), values: values.map(Some).into() }
    }
    /// The naive form of values; integers that left 128 bits do not occur.
    fn naive(values: &[Option<Value>]) -> Naive {
        let mut naive = [0; 6];
        for (slot, value) in naive.iter_mut().zip(values) {
            *slot = match value.as_ref().expect("every havoc is bounded or overwritten") {
                Value::Bool(value) => i128::from(*value),
                Value::Int(value) => value.to_string().parse().unwrap(),
                Value::Enum(_, literal) => i128::from(*literal),
                other => unreachable!("{other:?}"),
            };
        }
        naive
    }
    fn successors(&self, stmt: Stmt, from: &Naive) -> BTreeSet<Naive> {
        let mut result = BTreeSet::new();
        let state = self.state(from);
        let mut scripts = vec![];
        let mut interp = Interp::new(&self.system, None);
        interp
            .successors(stmt, &state, &mut |outcome| {
                result.insert(Lab::naive(&outcome.values));
                scripts.push((outcome.decisions, outcome.values));
                true
            })
            .unwrap();
        for (script, values) in scripts {
            let again = interp.follow(stmt, &state, &script).unwrap().expect("a script does not block");
            assert_eq!(again.values, values, "following the recorded decisions");
        }
        result
    }
}

/// Successors as the naive meaning has them; the local is not part of them.
fn expected(prog: &Prog, from: &Naive) -> BTreeSet<Naive> {
    let forget = |mut state: Naive| {
        state[LOCAL] = 0;
        state
    };
    run(prog, &BTreeSet::from([*from])).into_iter().map(forget).collect()
}

fn nums(depth: u32) -> BoxedStrategy<Num> {
    let leaf = prop_oneof![(-3i8..=3).prop_map(Num::Const), (2usize..=3).prop_map(Num::Var)];
    leaf.prop_recursive(depth, 12, 2, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "rem", "&", "|", "^", "u3", "s3"]);
        let small = prop_oneof![(0usize..=1).prop_map(Cond::Var), Just(Cond::IsLiteral(1))];
        prop_oneof![
            4 => (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Num::Bin(op, Box::new(a), Box::new(b))),
            1 => (small, inner.clone(), inner).prop_map(|(c, a, b)| Num::Ite(Box::new(c), Box::new(a), Box::new(b))),
        ]
    })
    .boxed()
}

fn conds() -> BoxedStrategy<Cond> {
    let relation = prop::sample::select(vec!["==", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Cond::Const),
        2 => (0usize..=1).prop_map(Cond::Var),
        2 => (0..LITERALS).prop_map(Cond::IsLiteral),
        4 => (relation, nums(2), nums(2)).prop_map(|(op, a, b)| Cond::Rel(op, Box::new(a), Box::new(b))),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let op = prop::sample::select(vec!["and", "or", "imply", "iff", "xor"]);
        prop_oneof![
            inner.clone().prop_map(|a| Cond::Not(Box::new(a))),
            (op, inner.clone(), inner).prop_map(|(op, a, b)| Cond::Bin(op, Box::new(a), Box::new(b))),
        ]
    })
    .boxed()
}

fn progs() -> BoxedStrategy<Prog> {
    let leaf = prop_oneof![
        1 => Just(Prog::Skip),
        3 => conds().prop_map(Prog::Assume),
        4 => (2usize..=3, nums(2)).prop_map(|(var, num)| Prog::SetNum(var, num)),
        2 => (0usize..=1, conds()).prop_map(|(var, cond)| Prog::SetBool(var, cond)),
        1 => (0..LITERALS).prop_map(Prog::SetLiteral),
        2 => prop::sample::select(vec![0usize, 1, 4]).prop_map(Prog::HavocFinite),
        1 => (2usize..=3, -2i8..=1, 0i8..=2).prop_map(|(var, least, more)| Prog::HavocBetween(var, least, least + more)),
        1 => (2usize..=3, -2i8..=2).prop_map(|(var, value)| Prog::HavocUnread(var, value)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let body = inner.clone().prop_filter("loop bodies leave the counter alone", |body| !writes_local(body));
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(Prog::Seq),
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(Prog::Choice),
            2 => (conds(), inner.clone(), inner).prop_map(|(c, a, b)| Prog::If(c, Box::new(a), Box::new(b))),
            1 => (nums(1), 0i8..=2, body.clone()).prop_map(|(first, count, body)| Prog::For(first, count, Box::new(body))),
            1 => (0i8..=2, body).prop_map(|(count, body)| Prog::Countdown(count, Box::new(body))),
        ]
    })
    .boxed()
}

fn states() -> impl Strategy<Value = Naive> {
    (0i128..2, 0i128..2, -3i128..=3, -3i128..=3, 0..LITERALS).prop_map(|(a, b, x, y, e)| [a, b, x, y, e, 0])
}

proptest! {
    #![proptest_config(sampling::runs(1024, 2026))]

    #[test]
    fn terms_mean_what_they_were_built_from(num in nums(4), cond in conds(), from in states()) {
        let mut lab = Lab::new();
        let (num_term, cond_term) = (lab.num(&num), lab.cond(&cond));
        let env = Fixed(lab.state(&from));
        let value = ir::eval::eval(&lab.system.terms, &env, num_term).unwrap();
        prop_assert_eq!(value.as_int().to_string(), number(&from, &num).to_string());
        prop_assert_eq!(ir::eval::holds(&lab.system.terms, &env, cond_term), Ok(truth(&from, &cond)));
    }

    #[test]
    fn interpreter_agrees_with_the_naive_meaning(prog in progs(), from in states()) {
        let mut lab = Lab::new();
        let stmt = lab.prog(&prog);
        prop_assert_eq!(lab.successors(stmt, &from), expected(&prog, &from));
    }

    #[test]
    fn simplification_keeps_the_meaning(prog in progs(), from in states(), known in prop::bits::u8::masked(0b11111)) {
        let mut lab = Lab::new();
        let stmt = lab.prog(&prog);
        let state = lab.state(&from);
        let mut valuation = Valuation::default();
        for (slot, value) in state.values.iter().enumerate().filter(|(slot, _)| known & (1 << slot) != 0) {
            let value = lab.system.terms.constant(value.clone().unwrap());
            valuation.insert(lab.vars[slot], value);
        }
        let simple = ir::simplify(&mut lab.system.terms, stmt, &mut valuation);
        let successors = lab.successors(simple, &from);
        prop_assert_eq!(&successors, &expected(&prog, &from));
        // What is known afterwards is true of every successor.
        for successor in &successors {
            let after = lab.state(successor);
            for (slot, value) in after.values.iter().enumerate() {
                if let Some(term) = valuation.get(&lab.vars[slot]) {
                    prop_assert_eq!(lab.system.terms.as_const(*term), value.as_ref());
                }
            }
        }
    }

    #[test]
    fn weakest_preconditions_are_exact(prog in progs(), cond in conds(), from in states()) {
        let mut lab = Lab::new();
        let stmt = lab.prog(&prog);
        // Unrolls the loops; nothing is known.
        let stmt = ir::simplify(&mut lab.system.terms, stmt, &mut Valuation::default());
        let post = lab.cond(&cond);
        if let Ok(pre) = ir::wp(&mut lab.system.terms, stmt, post) {
            let all = expected(&prog, &from).iter().all(|state| truth(state, &cond));
            let env = Fixed(lab.state(&from));
            prop_assert_eq!(ir::eval::holds(&lab.system.terms, &env, pre), Ok(all));
        }
    }

    /// From where it was recorded, the straight line of an execution leads where that led; from anywhere else, only where
    /// the statement can lead, and where that is can be said.
    #[test]
    fn straight_lines_are_executions(prog in progs(), cond in conds(), from in states(), other in states()) {
        let mut lab = Lab::new();
        let stmt = lab.prog(&prog);
        let post = lab.cond(&cond);
        let before = lab.state(&from);
        let mut executions = vec![];
        Interp::new(&lab.system, None)
            .successors(stmt, &before, &mut |outcome| {
                executions.push(outcome);
                true
            })
            .unwrap();
        for outcome in executions {
            let after = State { values: outcome.values, ..before.clone() };
            let line = ir::straight(&mut lab.system, stmt, &before, &outcome.decisions, &after);
            let line = line.expect("the choices of an execution");
            prop_assert_eq!(lab.successors(line, &from), BTreeSet::from([Lab::naive(&after.values)]));
            let elsewhere = lab.successors(line, &other);
            prop_assert!(elsewhere.len() <= 1 && elsewhere.is_subset(&expected(&prog, &other)));
            let leads = ir::leads_to(&mut lab.system.terms, line, post).expect("nothing is open");
            let env = Fixed(lab.state(&other));
            let there = elsewhere.iter().any(|state| truth(state, &cond));
            prop_assert_eq!(ir::eval::holds(&lab.system.terms, &env, leads), Ok(there));
        }
    }

    #[test]
    fn unfolding_has_exactly_the_executions(prog in bool_progs(), from in 0i128..4) {
        let mut lab = Lab::new();
        let stmt = lab.prog(&prog);
        let mut steps = Steps::start();
        let formula = ir::unfold(&mut lab.system.terms, stmt, &mut steps).unwrap();
        let mut vars = vec![];
        lab.system.terms.for_each_subterm(formula, |t| {
            if let Node::Var(var, step) = *lab.system.terms.node(t) {
                vars.push((var, step));
            }
        });
        for var in &lab.vars[..2] {
            vars.extend([(*var, 0), (*var, steps.of(*var))]);
        }
        vars.sort_unstable();
        vars.dedup();
        prop_assume!(vars.len() <= 12);
        let from: Naive = [from & 1, from >> 1, 0, 0, 0, 0];
        let mut found = BTreeSet::new();
        for bits in 0u32..1 << vars.len() {
            let values = vars.iter().enumerate().map(|(at, var)| (*var, Value::Bool(bits >> at & 1 == 1)));
            let env = Indexed(values.collect());
            let at = |slot: usize, step: u32| i128::from(env.0[&(lab.vars[slot], step)].as_bool());
            if at(0, 0) == from[0] && at(1, 0) == from[1]
                && ir::eval::holds(&lab.system.terms, &env, formula).unwrap()
            {
                found.insert([at(0, steps.of(lab.vars[0])), at(1, steps.of(lab.vars[1])), 0, 0, 0, 0]);
            }
        }
        prop_assert_eq!(found, expected(&prog, &from));
    }
}

/// Statements over the two booleans only, for exhaustive evaluation of their formulas.
fn bool_progs() -> BoxedStrategy<Prog> {
    let leaf = (0usize..=1).prop_map(Cond::Var);
    let conds = leaf.prop_recursive(2, 6, 2, |inner| {
        let op = prop::sample::select(vec!["and", "or", "iff", "xor"]);
        prop_oneof![
            inner.clone().prop_map(|a| Cond::Not(Box::new(a))),
            (op, inner.clone(), inner).prop_map(|(op, a, b)| Cond::Bin(op, Box::new(a), Box::new(b))),
        ]
    });
    let leaf = prop_oneof![
        conds.clone().prop_map(Prog::Assume),
        (0usize..=1, conds.clone()).prop_map(|(var, cond)| Prog::SetBool(var, cond)),
        (0usize..=1).prop_map(Prog::HavocFinite),
    ];
    leaf.prop_recursive(3, 8, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Prog::Seq),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Prog::Choice),
            (conds.clone(), inner.clone(), inner).prop_map(|(c, a, b)| Prog::If(c, Box::new(a), Box::new(b))),
        ]
    })
    .boxed()
}

/// The values of a state, for evaluation.
struct Fixed(State);

impl ir::eval::Env for Fixed {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        self.0.values[var.index()].as_ref()
    }
    fn at(&self, _: ir::ProcessId, _: LocationId) -> bool {
        false
    }
}

/// Values at steps.
struct Indexed(std::collections::BTreeMap<(VarId, u32), Value>);

impl ir::eval::Env for Indexed {
    fn var(&self, var: VarId, step: u32) -> Option<&Value> {
        self.0.get(&(var, step))
    }
    fn at(&self, _: ir::ProcessId, _: LocationId) -> bool {
        false
    }
}

/// A value written over another leaves no trace of it.
#[test]
fn what_is_written_last_stays() {
    let mut terms = ir::Terms::new();
    let id = terms.types.array(ArrayType { index: Type::Int, element: Type::Int, range: None });
    let [two, three, four] = [2, 3, 4].map(|value| terms.int(value));
    let unknown = terms.declare(Type::Int);
    let unknown = terms.var(unknown);
    let threes = terms.fill(id, three);
    let first = terms.write(threes, two, unknown);
    let (over, at_once) = (terms.write(first, two, four), terms.write(threes, two, four));
    assert_eq!(over, at_once);
    assert!(terms.as_const(over).is_some());
}

/// Arrays are equal if they agree at their positions, however they were made.
#[test]
fn what_is_written_beside_all_positions_is_lost() {
    let mut terms = ir::Terms::new();
    let ranged = ArrayType { index: Type::Int, element: Type::Int, range: Some((0, 1)) };
    let id = terms.types.array(ranged);
    let [zero, one, two] = [0, 1, 2].map(|value| terms.int(value));
    let before = terms.int(-1);
    let zeros = terms.fill(id, zero);
    assert_eq!(terms.write(zeros, before, one), zeros);
    assert_eq!(terms.array(id, zero, &[(two, one)]), zeros);
    let (first, second) = (terms.write(zeros, zero, one), terms.write(zeros, one, one));
    assert!(first != zeros && second != zeros && first != second);
    // The same at an index that is not known yet.
    let index = terms.declare(Type::Int);
    let at = terms.var(index);
    let written = terms.write(zeros, at, one);
    let equal = terms.eq(written, zeros);
    for (value, expected) in [(-1, true), (0, false), (1, false), (2, true)] {
        let value = terms.int(value);
        let known: Valuation = [(index, value)].into_iter().collect();
        let expected = terms.bool(expected);
        assert_eq!(terms.substitute(equal, &known), expected);
    }
}
