//! Infeasible traces of 5 to 40 steps, by family and seed; shared by tests and the benchmark.

use ir::{ArrayType, Stmt, Term, Terms, Type, Value, VarId};

/// The families that are made by chance, in the order of the benchmark.
pub const FAMILIES: [&str; 5] = ["counters", "controllers", "mutex", "mixes", "statecharts"];

/// The arena and the statements of a trace of a family; by chance it can be executed.
pub fn trace(family: &str, seed: u64) -> (Terms, Vec<Stmt>) {
    let mut lab = Lab { terms: Terms::new(), random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1) };
    let length = lab.random.between(5, 40);
    let stmts = match family {
        "counters" => lab.counters(length),
        "controllers" => lab.controllers(length),
        "mutex" => lab.mutex(length),
        "mixes" => lab.mixes(length),
        "statecharts" => lab.statecharts(length),
        other => panic!("no family {other}"),
    };
    (lab.terms, stmts)
}

/// A small generator of numbers that is the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    /// A number from `least` to `greatest`.
    pub fn between(&mut self, least: u64, greatest: u64) -> u64 {
        least + self.next() % (greatest - least + 1)
    }
    fn chance(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }
}

struct Lab {
    terms: Terms,
    random: Random,
}

impl Lab {
    fn set(&mut self, var: VarId, value: i64) -> Stmt {
        let value = self.terms.int(value);
        self.terms.assign(var, value)
    }
    fn add(&mut self, var: VarId, by: i64) -> Stmt {
        let (now, by) = (self.terms.var(var), self.terms.int(by));
        let sum = self.terms.add([now, by]);
        self.terms.assign(var, sum)
    }
    fn literal(&mut self, var: VarId, literal: u32) -> Term {
        let Type::Enum(id) = self.terms.var_type(var) else { panic!("an enumeration") };
        self.terms.constant(Value::Enum(id, literal))
    }
    fn is(&mut self, var: VarId, literal: u32) -> Term {
        let (now, literal) = (self.terms.var(var), self.literal(var, literal));
        self.terms.eq(now, literal)
    }
    fn go(&mut self, var: VarId, literal: u32) -> Stmt {
        let literal = self.literal(var, literal);
        self.terms.assign(var, literal)
    }
    fn enumeration(&mut self, count: usize) -> VarId {
        let id = self.terms.types.add_enum("E", (0..count).map(|at| format!("L{at}")).collect());
        self.terms.declare(Type::Enum(id))
    }

    /// A counter that is bounded in the end, among variables that do not matter.
    fn counters(&mut self, length: u64) -> Vec<Stmt> {
        let x = self.terms.declare(Type::Int);
        let noise: Vec<VarId> =
            (0..self.random.between(2, 6)).map(|_| self.terms.declare(Type::Int)).collect();
        let mut stmts = vec![self.set(x, 0)];
        let mut greatest = 0;
        for _ in 2..length {
            let mut parts = vec![];
            for var in noise.clone() {
                if self.random.chance(40) {
                    let other = noise[self.random.between(0, noise.len() as u64 - 1) as usize];
                    parts.push(match self.random.between(0, 3) {
                        0 => self.terms.havoc(var),
                        1 => {
                            let (a, b) = (self.terms.var(var), self.terms.var(other));
                            let sum = self.terms.add([a, b]);
                            self.terms.assign(var, sum)
                        }
                        2 => {
                            let (a, b) = (self.terms.var(var), self.terms.var(other));
                            let (less, bump) = (self.terms.lt(a, b), self.add(var, 3));
                            let skip = self.terms.skip();
                            self.terms.branch(less, bump, skip)
                        }
                        _ => self.add(var, 1),
                    });
                }
            }
            let by = self.random.between(0, 3) as i64;
            let step = if self.random.chance(30) {
                let (one, other) = (self.add(x, by), self.add(x, by + 1));
                greatest += by + 1;
                self.terms.choice([one, other])
            } else {
                greatest += by;
                self.add(x, by)
            };
            let at = self.random.between(0, parts.len() as u64) as usize;
            parts.insert(at, step);
            stmts.push(self.terms.seq(parts));
        }
        let (x, bound) = (self.terms.var(x), self.terms.int(greatest));
        let above = self.terms.gt(x, bound);
        stmts.push(self.terms.assume(above));
        stmts
    }

    /// A controller with many states that follows random edges and cannot be where the end says.
    fn controllers(&mut self, length: u64) -> Vec<Stmt> {
        let count = self.random.between(6, 14) as u32;
        let state = self.enumeration(count as usize);
        let event = self.enumeration(4);
        let flag = self.terms.declare(Type::Bool);
        let work = self.terms.declare(Type::Int);
        // No edge leads to the last state; the flag is set on edges into the first half.
        let edges: Vec<(u32, u32, u32)> = (0..count * 3)
            .map(|at| {
                let to = self.random.between(0, u64::from(count) - 2) as u32;
                (at % count, self.random.between(0, 3) as u32, to)
            })
            .collect();
        let start = self.go(state, 0);
        let (down, zero) = (self.terms.bool(false), self.set(work, 0));
        let down = self.terms.assign(flag, down);
        let mut stmts = vec![self.terms.seq([start, down, zero])];
        for _ in 2..length {
            let input = self.terms.havoc(event);
            let mut ways = vec![];
            for (from, on, to) in edges.clone() {
                let (here, given) = (self.is(state, from), self.is(event, on));
                let guard = self.terms.and([here, given]);
                let (guard, step) = (self.terms.assume(guard), self.go(state, to));
                let up = self.terms.bool(to < count / 2);
                let (up, more) = (self.terms.assign(flag, up), self.add(work, i64::from(to)));
                ways.push(self.terms.seq([guard, step, up, more]));
            }
            let step = self.terms.choice(ways);
            stmts.push(self.terms.seq([input, step]));
        }
        let last = self.is(state, count - 1);
        let flag = self.terms.var(flag);
        let end = if self.random.chance(50) {
            last
        } else {
            // The flag cannot be set in the second half.
            let late = self.is(state, count - 2);
            self.terms.and([late, flag])
        };
        stmts.push(self.terms.assume(end));
        stmts
    }

    /// Processes that ask for a lock in any order, all of them inside at the end.
    fn mutex(&mut self, length: u64) -> Vec<Stmt> {
        let processes: Vec<VarId> = (0..self.random.between(2, 3)).map(|_| self.enumeration(3)).collect();
        let lock = self.terms.declare(Type::Int);
        let rounds = self.terms.declare(Type::Int);
        let mut start = vec![self.set(lock, 0), self.set(rounds, 0)];
        for process in &processes {
            start.push(self.go(*process, 0));
        }
        let mut stmts = vec![self.terms.seq(start)];
        for _ in 2..length {
            let mut ways = vec![];
            for (number, process) in processes.clone().into_iter().enumerate() {
                let me = number as i64 + 1;
                let (idle, waiting, inside) = (self.is(process, 0), self.is(process, 1), self.is(process, 2));
                let now = self.terms.var(lock);
                let zero = self.terms.int(0);
                let free = self.terms.eq(now, zero);
                let enter = self.terms.and([waiting, free]);
                let ask = (self.terms.assume(idle), self.go(process, 1));
                let enter = (self.terms.assume(enter), self.set(lock, me), self.go(process, 2));
                let leave = (self.terms.assume(inside), self.set(lock, 0), self.go(process, 0));
                let count = self.add(rounds, 1);
                ways.push(self.terms.seq([ask.0, ask.1]));
                ways.push(self.terms.seq([enter.0, enter.1, enter.2]));
                ways.push(self.terms.seq([leave.0, leave.1, leave.2, count]));
            }
            stmts.push(self.terms.choice(ways));
        }
        let both = [self.is(processes[0], 2), self.is(processes[1], 2)];
        let both = self.terms.and(both);
        stmts.push(self.terms.assume(both));
        stmts
    }

    /// Random statements over all types; the last one makes it infeasible where the seed is lucky.
    fn mixes(&mut self, length: u64) -> Vec<Stmt> {
        let bools: Vec<VarId> = (0..2).map(|_| self.terms.declare(Type::Bool)).collect();
        let ints: Vec<VarId> = (0..3).map(|_| self.terms.declare(Type::Int)).collect();
        let rational = self.terms.declare(Type::Rat);
        let state = self.enumeration(4);
        let array = self.terms.types.array(ArrayType { index: Type::Int, element: Type::Int, range: None });
        let array = self.terms.declare(Type::Array(array));
        let mut start = vec![self.go(state, 0)];
        for var in &ints {
            start.push(self.set(*var, 0));
        }
        let zero = self.terms.constant(Value::rat("0".parse().expect("a number")));
        start.push(self.terms.assign(rational, zero));
        let Type::Array(id) = self.terms.var_type(array) else { unreachable!() };
        let nothing = self.terms.int(0);
        let nothing = self.terms.fill(id, nothing);
        start.push(self.terms.assign(array, nothing));
        let mut stmts = vec![self.terms.seq(start)];
        for _ in 2..length {
            let parts: Vec<Stmt> = (0..self.random.between(1, 3))
                .map(|_| self.mixed(&bools, &ints, rational, state, array, 2))
                .collect();
            stmts.push(self.terms.seq(parts));
        }
        let bound = self.terms.int(4 * length as i64);
        let x = self.terms.var(ints[0]);
        let far = self.terms.gt(x, bound);
        let rational = self.terms.var(rational);
        let zero = self.terms.constant(Value::rat("0".parse().expect("a number")));
        let below = self.terms.lt(rational, zero);
        let index = self.terms.int(1);
        let array = self.terms.var(array);
        let entry = self.terms.read(array, index);
        let minus = self.terms.int(0);
        let negative = self.terms.lt(entry, minus);
        let last = self.is(state, 3);
        let end = match self.random.between(0, 3) {
            0 => far,
            1 => below,
            2 => negative,
            _ => last,
        };
        stmts.push(self.terms.assume(end));
        stmts
    }
    fn mixed(
        &mut self,
        bools: &[VarId],
        ints: &[VarId],
        rational: VarId,
        state: VarId,
        array: VarId,
        depth: u32,
    ) -> Stmt {
        let b = bools[self.random.between(0, 1) as usize];
        let i = ints[self.random.between(0, 2) as usize];
        let j = ints[self.random.between(0, 2) as usize];
        match self.random.between(0, if depth == 0 { 6 } else { 9 }) {
            0 => self.terms.havoc(b),
            1 => self.add(i, 1),
            2 => {
                let by = self.random.between(0, 2) as i64;
                self.add(ints[0], by)
            }
            3 => {
                let (now, half) = (
                    self.terms.var(rational),
                    self.terms.constant(Value::rat("1/2".parse().expect("a number"))),
                );
                let sum = self.terms.add([now, half]);
                self.terms.assign(rational, sum)
            }
            4 => {
                let to = self.random.between(0, 2) as u32;
                self.go(state, to)
            }
            5 => {
                let (all, index) = (self.terms.var(array), self.terms.int(self.random.between(0, 2) as i64));
                let entry = self.terms.read(all, index);
                let one = self.terms.int(1);
                let more = self.terms.add([entry, one]);
                let written = self.terms.write(all, index, more);
                self.terms.assign(array, written)
            }
            6 => {
                let (x, y) = (self.terms.var(i), self.terms.var(j));
                let order = self.terms.le(x, y);
                self.terms.assign(b, order)
            }
            7 => {
                let (one, other) = (
                    self.mixed(bools, ints, rational, state, array, depth - 1),
                    self.mixed(bools, ints, rational, state, array, depth - 1),
                );
                self.terms.choice([one, other])
            }
            8 => {
                let condition = self.terms.var(b);
                let (one, other) = (
                    self.mixed(bools, ints, rational, state, array, depth - 1),
                    self.mixed(bools, ints, rational, state, array, depth - 1),
                );
                self.terms.branch(condition, one, other)
            }
            _ => {
                let at = self.random.between(0, 3) as u32;
                let here = self.is(state, at);
                let then = self.mixed(bools, ints, rational, state, array, depth - 1);
                let skip = self.terms.skip();
                self.terms.branch(here, then, skip)
            }
        }
    }

    /// Environment and transition in turn, as a statechart is lowered: a lamp per region that follows
    /// a timer, and two regions that are never both on because the second waits for the first.
    fn statecharts(&mut self, length: u64) -> Vec<Stmt> {
        let regions: Vec<VarId> = (0..self.random.between(2, 4)).map(|_| self.enumeration(4)).collect();
        let timers: Vec<VarId> = regions.iter().map(|_| self.terms.declare(Type::Int)).collect();
        let ticks: Vec<VarId> = regions.iter().map(|_| self.terms.declare(Type::Bool)).collect();
        let busy = self.terms.declare(Type::Bool);
        let limit = self.random.between(2, 5) as i64;
        let mut start = vec![];
        for (region, timer) in regions.clone().into_iter().zip(timers.clone()) {
            start.extend([self.go(region, 0), self.set(timer, 0)]);
        }
        let off = self.terms.bool(false);
        start.push(self.terms.assign(busy, off));
        let mut stmts = vec![self.terms.seq(start)];
        for step in 2..length {
            if step % 2 == 0 {
                let inputs: Vec<Stmt> = ticks.iter().map(|tick| self.terms.havoc(*tick)).collect();
                stmts.push(self.terms.seq(inputs));
                continue;
            }
            let mut parts = vec![];
            for ((region, timer), tick) in regions.clone().into_iter().zip(timers.clone()).zip(ticks.clone())
            {
                parts.push(self.region(region, timer, tick, busy, limit));
            }
            stmts.push(self.terms.seq(parts));
        }
        let end = if self.random.chance(50) {
            let both = [self.is(regions[0], 2), self.is(regions[1], 2)];
            self.terms.and(both)
        } else {
            let (timer, bound) = (self.terms.var(timers[0]), self.terms.int(limit));
            self.terms.gt(timer, bound)
        };
        stmts.push(self.terms.assume(end));
        stmts
    }
    fn region(&mut self, region: VarId, timer: VarId, tick: VarId, busy: VarId, limit: i64) -> Stmt {
        let (off, on) = (self.terms.bool(false), self.terms.bool(true));
        let (ticked, taken) = (self.terms.var(tick), self.terms.var(busy));
        let (now, bound) = (self.terms.var(timer), self.terms.int(limit));
        let (idle, waiting, lit) = (self.is(region, 0), self.is(region, 1), self.is(region, 2));
        let free = self.terms.not(taken);
        let (asks, enters) = (self.terms.and([idle, ticked]), self.terms.and([waiting, free]));
        let late = self.terms.ge(now, bound);
        let leaves = self.terms.and([lit, late]);
        let counts = self.terms.and([lit, ticked]);
        let ask = self.go(region, 1);
        let enter = [self.go(region, 2), self.set(timer, 0), self.terms.assign(busy, on)];
        let enter = self.terms.seq(enter);
        let leave = [self.go(region, 0), self.set(timer, 0), self.terms.assign(busy, off)];
        let leave = self.terms.seq(leave);
        let count = self.add(timer, 1);
        let skip = self.terms.skip();
        let stmt = self.terms.branch(counts, count, skip);
        let stmt = self.terms.branch(leaves, leave, stmt);
        let stmt = self.terms.branch(enters, enter, stmt);
        self.terms.branch(asks, ask, stmt)
    }
}
