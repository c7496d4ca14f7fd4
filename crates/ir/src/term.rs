//! Hash-consed terms with normalising constructors.
//!
//! Equal terms have equal ids, so equality, hashing and caching are integer work. Only the
//! constructors below build nodes, and they keep this normal form:
//! - constants are folded; `and`, `or`, `+` and `*` are flat (but for very long parts), without neutral
//!   elements or repeats;
//! - `+` is linear: constant factors are multiplied out, equal summands collected, the constant last;
//! - a number is an integer if all of its parts are, and only then;
//! - `<` and `<=` are the only orders, `not` stands only before atoms that have no dual,
//!   constants stand on the right of `==`;
//! - in a sum under a remainder by a power of two, no summand is a remainder by a power of two that divides it in
//!   vain, so machine integers wrap around once per sum; bit operations have their constant on the right, and are
//!   remainders where they keep the lowest bits;
//! - children are older than parents, so ids of sub-terms are smaller.
//!
//! Terms are **total**: `x / 0` is 0, `x % 0` and `x rem 0` are x. A front-end guards every use by
//! the condition of [`crate::Checked`], so no run of a system ever meets these values.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::id::{Id, IdVec};
use crate::memo::Memos;
use crate::number::{Int, Rat};
use crate::stmt::Stmts;
use crate::system::{LocationId, ProcessId};
use crate::value::{ArrayId, Type, Types, Value};

crate::id!(
    /// A term.
    Term
);
crate::id!(
    /// A variable.
    VarId
);

/// Lists longer than this are not copied into the list around them, so that deep nesting costs no more
/// than its text.
pub(crate) const FLAT: usize = 64;

/// Terms of more nodes than this, written out, are large: see [`Terms::is_large`].
const LARGE: u32 = 256;

/// What a term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant of any type.
    Const(Value),
    /// A variable at a step: 0 is now; unfolded formulas use others.
    Var(VarId, u32),
    /// Whether a process is at a location.
    At(ProcessId, LocationId),
    /// Whether no action is possible now or after any delay; see [`crate::at_locations`].
    Deadlock,
    /// Negation.
    Not(Term),
    /// Conjunction of two or more.
    And(Box<[Term]>),
    /// Disjunction of two or more.
    Or(Box<[Term]>),
    /// Equality of two terms of one type (or of two numbers).
    Eq(Term, Term),
    /// Less or equal, on numbers.
    Le(Term, Term),
    /// Less, on numbers.
    Lt(Term, Term),
    /// If-then-else.
    Ite(Term, Term, Term),
    /// Sum of two or more.
    Add(Box<[Term]>),
    /// Product of two or more; a constant factor comes first.
    Mul(Box<[Term]>),
    /// Quotient: Euclidean on integers, exact on rationals.
    Div(Term, Term),
    /// Euclidean remainder.
    Mod(Term, Term),
    /// Remainder with the sign of the divisor.
    Rem(Term, Term),
    /// The bits that two integers both have, in two's complement with infinitely many bits.
    BitAnd(Term, Term),
    /// The bits that one of them has.
    BitOr(Term, Term),
    /// The bits in which they differ.
    BitXor(Term, Term),
    /// The entry of an array at a position.
    Read(Term, Term),
    /// The array with one entry replaced.
    Write(Term, Term, Term),
    /// The array that has one value everywhere.
    Fill(ArrayId, Term),
}

impl Node {
    /// Calls `visit` on every direct sub-term, left to right.
    pub fn for_each_child(&self, mut visit: impl FnMut(Term)) {
        match self {
            Node::Const(_) | Node::Var(..) | Node::At(..) | Node::Deadlock => {}
            Node::Not(a) | Node::Fill(_, a) => visit(*a),
            Node::And(list) | Node::Or(list) | Node::Add(list) | Node::Mul(list) => {
                list.iter().copied().for_each(visit);
            }
            Node::Eq(a, b)
            | Node::Le(a, b)
            | Node::Lt(a, b)
            | Node::Div(a, b)
            | Node::Mod(a, b)
            | Node::Rem(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Read(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Ite(a, b, c) | Node::Write(a, b, c) => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
        }
    }
}

/// What is known of a term from its parts.
#[derive(Copy, Clone, Debug)]
struct Facts {
    ty: Type,
    /// How many nodes it has when written out, where shared parts count as often as they occur; no more than
    /// [`u32::MAX`].
    size: u32,
    /// Whether a clock occurs in it.
    clock: bool,
}

/// The arena of types, variables, terms and statements of one system.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Enumeration and array types.
    pub types: Types,
    /// The type of every variable.
    vars: IdVec<VarId, Type>,
    nodes: IndexSet<Node, FxBuildHasher>,
    /// What is known of every term from its parts.
    facts: Vec<Facts>,
    /// Statements live in the same arena, so that rewriting one needs a single borrow.
    pub(crate) stmts: Stmts,
    /// Where rewriting keeps what it did.
    memos: Memos,
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }
    /// A new variable. Systems declare variables through [`crate::System::declare`].
    pub fn declare(&mut self, ty: Type) -> VarId {
        self.vars.push(ty)
    }
    /// The type of a variable.
    pub fn var_type(&self, var: VarId) -> Type {
        self.vars[var]
    }
    /// How many variables there are.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }
    /// What `term` is made of.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }
    /// The type of `term`.
    pub fn type_of(&self, term: Term) -> Type {
        self.facts[term.index()].ty
    }
    /// How many nodes `term` has when written out, where shared parts count as often as they occur; no more than
    /// [`u32::MAX`]. A merge after every branching doubles it, so this may be exponential in the number of distinct
    /// sub-terms.
    pub fn written_size(&self, term: Term) -> u32 {
        self.facts[term.index()].size
    }
    /// Whether whoever goes through `term` has to do so part by distinct part, since it may be too large when
    /// written out. Smaller ones are not worth remembering what has been done.
    pub fn is_large(&self, term: Term) -> bool {
        self.written_size(term) > LARGE
    }
    /// Whether a clock occurs in `term`.
    pub fn has_clock(&self, term: Term) -> bool {
        self.facts[term.index()].clock
    }
    /// The value of a constant term.
    pub fn as_const(&self, term: Term) -> Option<&Value> {
        match self.node(term) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }
    /// How many distinct terms exist.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether no term exists yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, node: Node, ty: Type) -> Term {
        let (index, new) = self.nodes.insert_full(node);
        if new {
            let facts = self.facts_of(&self.nodes[index], ty);
            self.facts.push(facts);
        }
        Term::at(index)
    }
    fn facts_of(&self, node: &Node, ty: Type) -> Facts {
        let clock = matches!(node, Node::Var(var, _) if self.vars[*var] == Type::Clock);
        let mut facts = Facts { ty, size: 1, clock };
        node.for_each_child(|child| {
            // Whoever forges terms is told elsewhere.
            let Some(child) = self.facts.get(child.index()) else { return };
            facts.size = facts.size.saturating_add(child.size);
            facts.clock |= child.clock;
        });
        facts
    }
    fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Const(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> Term {
        let ty = self.types.type_of(&value);
        self.intern(Node::Const(value), ty)
    }
    /// What `var` holds after it is set to `value`: of constants, those of its type.
    pub fn held_by(&mut self, var: VarId, value: Term) -> Term {
        let ty = self.vars[var];
        match self.as_const(value) {
            Some(constant) => {
                let held = constant.clone().held_as(ty);
                self.constant(held)
            }
            None => value,
        }
    }
    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.constant(Value::Bool(value))
    }
    /// An integer constant.
    pub fn int(&mut self, value: i64) -> Term {
        self.constant(Value::int(value))
    }
    /// A variable now.
    pub fn var(&mut self, var: VarId) -> Term {
        self.var_at(var, 0)
    }
    /// A variable at a step of an unfolding.
    pub fn var_at(&mut self, var: VarId, step: u32) -> Term {
        let ty = self.vars[var];
        self.intern(Node::Var(var, step), ty)
    }
    /// The term of a variable now, if it exists already.
    pub fn var_term(&self, var: VarId) -> Option<Term> {
        self.nodes.get_index_of(&Node::Var(var, 0)).map(Term::at)
    }
    /// The term that reads `array` at `index`, if it exists already.
    pub fn find_read(&self, array: Term, index: Term) -> Option<Term> {
        self.nodes.get_index_of(&Node::Read(array, index)).map(Term::at)
    }
    /// Whether `process` is at `location`.
    pub fn at(&mut self, process: ProcessId, location: LocationId) -> Term {
        self.intern(Node::At(process, location), Type::Bool)
    }

    /// Whether no action is possible now or after any delay.
    pub fn deadlock(&mut self) -> Term {
        self.intern(Node::Deadlock, Type::Bool)
    }

    /// Negation.
    pub fn not(&mut self, term: Term) -> Term {
        match *self.node(term) {
            Node::Const(Value::Bool(value)) => self.bool(!value),
            Node::Not(inner) => inner,
            Node::Le(a, b) => self.lt(b, a),
            Node::Lt(a, b) => self.le(b, a),
            _ => self.intern(Node::Not(term), Type::Bool),
        }
    }
    /// Conjunction of any number of terms.
    pub fn and(&mut self, list: impl IntoIterator<Item = Term>) -> Term {
        self.junction(list, true)
    }
    /// Disjunction of any number of terms.
    pub fn or(&mut self, list: impl IntoIterator<Item = Term>) -> Term {
        self.junction(list, false)
    }
    /// `and` (neutral = true) and `or` (neutral = false) are dual.
    fn junction(&mut self, list: impl IntoIterator<Item = Term>, neutral: bool) -> Term {
        let mut parts: Vec<Term> = Vec::new();
        for term in list {
            match (self.node(term), neutral) {
                (Node::Const(Value::Bool(value)), _) if *value == neutral => {}
                (Node::Const(_), _) => return self.bool(!neutral),
                (Node::And(inner), true) | (Node::Or(inner), false) if inner.len() <= FLAT => {
                    parts.extend_from_slice(inner);
                }
                _ => parts.push(term),
            }
        }
        let mut seen = FxHashSet::default();
        parts.retain(|part| seen.insert(*part));
        for part in &parts {
            if let Node::Not(inner) = self.node(*part)
                && seen.contains(inner)
            {
                return self.bool(!neutral);
            }
        }
        match (parts.len(), neutral) {
            (0, _) => self.bool(neutral),
            (1, _) => parts[0],
            (_, true) => self.intern(Node::And(parts.into()), Type::Bool),
            (_, false) => self.intern(Node::Or(parts.into()), Type::Bool),
        }
    }
    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or([not_a, b])
    }
    /// Exactly one of `a` and `b`.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Equality; numbers of different kinds may be compared.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        if self.type_of(a) == Type::Bool {
            for (one, other) in [(a, b), (b, a)] {
                match self.as_bool(one) {
                    Some(true) => return other,
                    Some(false) => return self.not(other),
                    None => {}
                }
                if *self.node(one) == Node::Not(other) {
                    return self.bool(false);
                }
            }
            // Negations move outwards, so that `!a == b` and `a == !b` are one term.
            if let Node::Not(inner) = *self.node(a) {
                let same = self.eq(inner, b);
                return self.not(same);
            }
            if let Node::Not(inner) = *self.node(b) {
                let same = self.eq(a, inner);
                return self.not(same);
            }
        }
        let (a, b) = self.constants_right(a, b);
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => {
                let same = if is_number(x) { compare(x, y).is_eq() } else { x == y };
                self.bool(same)
            }
            (None, None) if a > b => self.intern(Node::Eq(b, a), Type::Bool),
            _ => self.intern(Node::Eq(a, b), Type::Bool),
        }
    }
    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.order(a, b, false)
    }
    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.order(a, b, true)
    }
    /// `a >= b`.
    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }
    /// `a > b`.
    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }
    fn order(&mut self, a: Term, b: Term, strict: bool) -> Term {
        if a == b {
            return self.bool(!strict);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let order = compare(x, y);
            return self.bool(order.is_lt() || (!strict && order.is_eq()));
        }
        let (a, b) = self.constant_summands_to_constant_side(a, b);
        let node = if strict { Node::Lt(a, b) } else { Node::Le(a, b) };
        self.intern(node, Type::Bool)
    }
    fn constants_right(&mut self, a: Term, b: Term) -> (Term, Term) {
        let (a, b) = if self.as_const(a).is_some() { (b, a) } else { (a, b) };
        self.constant_summands_to_constant_side(a, b)
    }
    /// `x + 2 ~ 5` becomes `x ~ 3`, on either side.
    fn constant_summands_to_constant_side(&mut self, a: Term, b: Term) -> (Term, Term) {
        if let Some((rest, constant)) = self.split_constant(a).filter(|_| self.as_const(b).is_some()) {
            let b = self.sub(b, constant);
            return (rest, b);
        }
        if let Some((rest, constant)) = self.split_constant(b).filter(|_| self.as_const(a).is_some()) {
            let a = self.sub(a, constant);
            return (a, rest);
        }
        (a, b)
    }
    /// Splits `rest + constant`; the constant of a sum is its last summand.
    fn split_constant(&mut self, term: Term) -> Option<(Term, Term)> {
        let Node::Add(list) = self.node(term) else { return None };
        let (last, rest) = list.split_last()?;
        self.as_const(*last)?;
        let (last, rest) = (*last, rest.to_vec());
        Some((self.add(rest), last))
    }

    /// If-then-else; of two numbers of different kinds, the one that is chosen is a rational.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        match *self.node(condition) {
            Node::Const(Value::Bool(true)) => return then,
            Node::Const(Value::Bool(false)) => return otherwise,
            _ if then == otherwise => return then,
            Node::Not(inner) => return self.ite(inner, otherwise, then),
            _ => {}
        }
        let ty = self.type_of(then);
        if ty != Type::Bool {
            let ty = if is_number_type(ty) { self.number_type(&[then, otherwise]) } else { ty };
            return self.intern(Node::Ite(condition, then, otherwise), ty);
        }
        match (self.as_bool(then), self.as_bool(otherwise)) {
            (Some(true), _) => self.or([condition, otherwise]),
            (Some(false), _) => {
                let not = self.not(condition);
                self.and([not, otherwise])
            }
            (_, Some(true)) => {
                let not = self.not(condition);
                self.or([not, then])
            }
            (_, Some(false)) => self.and([condition, then]),
            _ => self.intern(Node::Ite(condition, then, otherwise), ty),
        }
    }

    /// Sum of any number of terms; an empty sum is the integer 0.
    pub fn add(&mut self, list: impl IntoIterator<Item = Term>) -> Term {
        let mut sum = Sum::new();
        let mut ty = Type::Int;
        for term in list {
            ty = mixed(ty, self.type_of(term));
            self.add_to(&mut sum, term, &Value::int(1));
        }
        self.build_sum(sum, ty)
    }
    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let minus_b = self.neg(b);
        self.add([a, minus_b])
    }
    /// `-a`.
    pub fn neg(&mut self, a: Term) -> Term {
        self.scale(a, &Value::int(-1))
    }
    fn scale(&mut self, term: Term, factor: &Value) -> Term {
        let mut sum = Sum::new();
        self.add_to(&mut sum, term, factor);
        let ty = self.type_of(term);
        self.build_sum(sum, ty)
    }
    fn add_to(&mut self, sum: &mut Sum, term: Term, factor: &Value) {
        match self.node(term) {
            Node::Const(value) => sum.constant = plus(&sum.constant, &times(value, factor)),
            Node::Add(list) => {
                for part in list.clone() {
                    self.add_to(sum, part, factor);
                }
            }
            Node::Mul(list) if self.as_const(list[0]).is_some() => {
                let factor = times(self.as_const(list[0]).expect("just tested"), factor);
                let rest = list[1..].to_vec();
                let rest = self.product(&rest);
                sum.push(rest, factor);
            }
            _ => sum.push(term, factor.clone()),
        }
    }
    fn build_sum(&mut self, sum: Sum, ty: Type) -> Term {
        let mut parts = Vec::with_capacity(sum.parts.len() + 1);
        for (term, factor) in sum.parts {
            if is_zero(&factor) {
                continue;
            }
            parts.push(if is_one(&factor) {
                term
            } else {
                // The order of factors must not matter to the type of this one.
                let ty = match (self.type_of(term), self.node(term)) {
                    (Type::Clock, Node::Mul(_)) => Type::Rat,
                    (Type::Clock, _) => Type::Int,
                    (ty, _) => ty,
                };
                let mut factors = vec![self.constant(factor.held_as(ty))];
                match self.node(term) {
                    Node::Mul(list) => factors.extend_from_slice(list),
                    _ => factors.push(term),
                }
                let ty = self.number_type(&factors);
                self.intern(Node::Mul(factors.into()), ty)
            });
        }
        let constant = if ty == Type::Rat { Value::rat(sum.constant.as_rat()) } else { sum.constant };
        if parts.is_empty() {
            return self.constant(constant);
        }
        if !is_zero(&constant) {
            parts.push(self.constant(constant));
        }
        if let [only] = parts[..] {
            return only;
        }
        let ty = self.number_type(&parts);
        self.intern(Node::Add(parts.into()), ty)
    }
    /// Product of any number of terms; an empty product is the integer 1.
    pub fn mul(&mut self, list: impl IntoIterator<Item = Term>) -> Term {
        let mut factor: Option<Value> = None;
        let mut rest = Vec::new();
        for term in list {
            match self.node(term) {
                Node::Const(value) => factor = Some(factor.map_or(value.clone(), |f| times(&f, value))),
                Node::Mul(inner) => {
                    let inner = inner.clone();
                    let skip = match self.as_const(inner[0]) {
                        Some(value) => {
                            factor = Some(factor.map_or(value.clone(), |f| times(&f, value)));
                            1
                        }
                        None => 0,
                    };
                    rest.extend_from_slice(&inner[skip..]);
                }
                _ => rest.push(term),
            }
        }
        match (factor, rest.is_empty()) {
            (None, true) => self.int(1),
            (Some(factor), true) => self.constant(factor),
            (None, false) => self.product(&rest),
            (Some(factor), false) => {
                let rest = self.product(&rest);
                self.scale(rest, &factor)
            }
        }
    }
    /// A product without constant factors.
    fn product(&mut self, factors: &[Term]) -> Term {
        if let [only] = factors {
            return *only;
        }
        let mut sorted = factors.to_vec();
        sorted.sort_unstable();
        let ty = self.number_type(&sorted);
        self.intern(Node::Mul(sorted.into()), ty)
    }
    /// The type of a number made of these.
    fn number_type(&self, parts: &[Term]) -> Type {
        parts.iter().fold(Type::Int, |ty, part| mixed(ty, self.type_of(*part)))
    }
    /// Quotient: Euclidean on integers, exact on rationals; by zero it is 0.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        if self.as_const(b).is_some_and(is_one) {
            return a;
        }
        self.binary(Node::Div(a, b), a, b, quotient)
    }
    /// Euclidean remainder; by zero it is the dividend.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        if let Some(Value::Int(divisor)) = self.as_const(b)
            && let Some(width) = divisor.log2()
        {
            let a = self.congruent(a, width);
            if let Node::Mod(_, inner) = self.node(a)
                && let Some(Value::Int(inner)) = self.as_const(*inner)
                && inner.log2().is_some_and(|inner| inner <= width)
            {
                return a;
            }
            return self.binary(Node::Mod(a, b), a, b, modulo);
        }
        self.binary(Node::Mod(a, b), a, b, modulo)
    }
    /// Remainder with the sign of the divisor; by zero it is the dividend.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Node::Rem(a, b), a, b, remainder)
    }
    /// Something that has the same remainder by a power of two: summands that are remainders by this or a greater one
    /// are what they are remainders of, and the constant is less than it. So a sum wraps around once, however many of
    /// its parts did.
    fn congruent(&mut self, term: Term, width: u32) -> Term {
        if self.type_of(term) != Type::Int {
            return term;
        }
        let power = Int::power_of_two(width);
        let mut term = term;
        loop {
            let mut sum = Sum::new();
            self.add_to(&mut sum, term, &Value::int(1));
            let mut changed = false;
            let mut parts = Sum::new();
            for (part, factor) in sum.parts {
                let (Node::Mod(inner, by), Value::Int(times)) = (self.node(part), &factor) else {
                    parts.push(part, factor);
                    continue;
                };
                let (inner, by) = (*inner, *by);
                let vanishes = match self.as_const(by) {
                    Some(Value::Int(by)) if by.log2().is_some() => {
                        (by * times).modulo(&power).is_some_and(|rest| rest.is_zero())
                    }
                    _ => false,
                };
                match vanishes {
                    true => self.add_to(&mut parts, inner, &factor),
                    false => parts.push(part, factor),
                }
                changed |= vanishes;
            }
            let mut constant = parts.constant.as_int() + sum.constant.as_int();
            if constant >= power || -&constant >= power {
                constant = constant.modulo(&power).expect("a power of two is not zero");
                changed = true;
            }
            if !changed {
                return term;
            }
            parts.constant = Value::Int(constant);
            term = self.build_sum(parts, Type::Int);
        }
    }
    /// The number of `width` bits that `term` is congruent to modulo 2^`width`: from 0 on, or with a sign. This is
    /// how machine integers wrap around; whoever knows that `term` is such a number leaves it as it is
    /// ([`crate::range::Ranges::wrap`]).
    pub fn wrap(&mut self, term: Term, width: u32, signed: bool) -> Term {
        let all = self.constant(Value::Int(Int::power_of_two(width)));
        if !signed || width == 0 {
            return self.modulo(term, all);
        }
        let half = self.constant(Value::Int(Int::power_of_two(width - 1)));
        let above = self.add([term, half]);
        let above = self.modulo(above, all);
        self.sub(above, half)
    }
    /// What wraps around in `term`, to how many bits, and whether one of them is a sign, if [`Terms::wrap`] made it.
    pub fn as_wrap(&mut self, term: Term) -> Option<(Term, u32, bool)> {
        let width = |terms: &Terms, by: Term| match terms.as_const(by) {
            Some(Value::Int(by)) => by.log2(),
            _ => None,
        };
        match *self.node(term) {
            Node::Mod(inner, by) => Some((inner, width(self, by)?, false)),
            Node::Add(ref list) => {
                let [part, minus] = **list else { return None };
                let Node::Mod(inner, by) = *self.node(part) else { return None };
                let width = width(self, by)?.max(1);
                let Some(Value::Int(minus)) = self.as_const(minus) else { return None };
                let half = Int::power_of_two(width - 1);
                if -minus != half {
                    return None;
                }
                let half = self.constant(Value::Int(half));
                Some((self.sub(inner, half), width, true))
            }
            _ => None,
        }
    }
    /// A bit operation on integers, in two's complement with infinitely many bits.
    ///
    /// Solvers spell it out as far as they see how many bits operands have, so front-ends wrap operands first.
    pub fn bitwise(&mut self, op: Bitwise, a: Term, b: Term) -> Term {
        if a == b {
            return match op {
                Bitwise::And | Bitwise::Or => a,
                Bitwise::Xor => self.int(0),
            };
        }
        let (a, b) =
            if self.as_const(a).is_some() || (self.as_const(b).is_none() && a > b) { (b, a) } else { (a, b) };
        if let Some(Value::Int(mask)) = self.as_const(b)
            && self.as_const(a).is_none()
        {
            let (zero, ones) = (mask.is_zero(), *mask == Int::from(-1));
            let low = (mask + &Int::ONE).log2();
            match op {
                Bitwise::And if zero => return b,
                Bitwise::And if ones => return a,
                // The lowest bits are a remainder.
                Bitwise::And if low.is_some() => {
                    let power = self.constant(Value::Int(Int::power_of_two(low.expect("just tested"))));
                    return self.modulo(a, power);
                }
                Bitwise::Or if ones => return b,
                Bitwise::Or | Bitwise::Xor if zero => return a,
                Bitwise::Xor if ones => {
                    let (minus, one) = (self.neg(a), self.int(1));
                    return self.sub(minus, one);
                }
                _ => {}
            }
        }
        match op {
            Bitwise::And => self.binary(Node::BitAnd(a, b), a, b, |a, b| bitwise(Bitwise::And, a, b)),
            Bitwise::Or => self.binary(Node::BitOr(a, b), a, b, |a, b| bitwise(Bitwise::Or, a, b)),
            Bitwise::Xor => self.binary(Node::BitXor(a, b), a, b, |a, b| bitwise(Bitwise::Xor, a, b)),
        }
    }
    fn binary(&mut self, node: Node, a: Term, b: Term, fold: fn(&Value, &Value) -> Value) -> Term {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let value = fold(x, y);
            return self.constant(value);
        }
        let ty = self.number_type(&[a, b]);
        self.intern(node, ty)
    }

    /// The entry of `array` at `index`.
    pub fn read(&mut self, array: Term, index: Term) -> Term {
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::Write(_, at, value) if at == index => return value,
                Node::Write(inner, at, _)
                    if self.as_const(at).is_some() && self.as_const(index).is_some() =>
                {
                    array = inner;
                }
                Node::Fill(_, value) => return value,
                _ => break,
            }
        }
        if let (Some(Value::Array(values)), Some(at)) = (self.as_const(array), self.as_const(index)) {
            let value = values.read(at).clone();
            return self.constant(value);
        }
        let ty = self.array_parts(array).1;
        self.intern(Node::Read(array, index), ty)
    }
    /// `array` with `value` at `index`.
    pub fn write(&mut self, array: Term, index: Term, value: Term) -> Term {
        let array = match *self.node(array) {
            Node::Write(inner, at, _) if at == index => inner,
            _ => array,
        };
        if let (Some(Value::Array(values)), Some(at), Some(new)) =
            (self.as_const(array), self.as_const(index), self.as_const(value))
        {
            let result = self.types.write(values, at.clone(), new.clone());
            return self.constant(Value::Array(result.into()));
        }
        let ty = self.type_of(array);
        self.intern(Node::Write(array, index, value), ty)
    }
    /// The array of type `array` that is `value` everywhere.
    pub fn fill(&mut self, array: ArrayId, value: Term) -> Term {
        if let Some(constant) = self.as_const(value) {
            let filled = self.types.fill(array, constant.clone());
            return self.constant(Value::Array(filled.into()));
        }
        self.intern(Node::Fill(array, value), Type::Array(array))
    }
    /// The array of type `array` with these entries, in order, and `default` elsewhere.
    pub fn array(&mut self, array: ArrayId, default: Term, entries: &[(Term, Term)]) -> Term {
        let constants = entries
            .iter()
            .map(|(index, value)| Some((self.as_const(*index)?.clone(), self.as_const(*value)?.clone())))
            .collect::<Option<Vec<_>>>();
        if let (Some(constants), Some(default)) = (constants, self.as_const(default)) {
            let value = self.types.array_value(array, default.clone(), constants);
            return self.constant(Value::Array(value.into()));
        }
        let filled = self.fill(array, default);
        entries.iter().fold(filled, |array, (index, value)| self.write(array, *index, *value))
    }
    fn array_parts(&self, array: Term) -> (Type, Type) {
        match self.type_of(array) {
            Type::Array(id) => {
                let parts = self.types.array_type(id);
                (parts.index, parts.element)
            }
            other => panic!("expected an array, found {other:?}"),
        }
    }

    /// Rebuilds `term`, asking `leaf` first at every sub-term: `Some` replaces it as it stands,
    /// `None` goes on into its children. Shared sub-terms are visited once.
    pub fn rewrite(&mut self, term: Term, leaf: &mut dyn FnMut(&mut Terms, Term) -> Option<Term>) -> Term {
        let mut done = self.memos.take();
        let mut stack = vec![term];
        while let Some(&next) = stack.last() {
            if done.get(next).is_some() {
                stack.pop();
                continue;
            }
            if let Some(result) = leaf(self, next) {
                done.insert(next, result);
                continue;
            }
            let (open, mut same) = (stack.len(), true);
            self.node(next).for_each_child(|child| match done.get(child) {
                Some(result) => same &= result == child,
                None => stack.push(child),
            });
            if stack.len() == open {
                let result = if same {
                    next
                } else {
                    let node = self.node(next).clone();
                    self.rebuild(&node, &mut |child| done.get(child).expect("children come first"))
                };
                done.insert(next, result);
            }
        }
        let result = done.get(term).expect("the last one that is done");
        self.memos.give_back(done);
        result
    }
    /// The term like `node` with its children replaced by `f`, in normal form.
    pub(crate) fn rebuild(&mut self, node: &Node, f: &mut dyn FnMut(Term) -> Term) -> Term {
        match *node {
            Node::Const(ref value) => self.constant(value.clone()),
            Node::Var(var, step) => self.var_at(var, step),
            Node::At(process, location) => self.at(process, location),
            Node::Deadlock => self.deadlock(),
            Node::Not(a) => self.not(f(a)),
            Node::And(ref list) => self.and(list.iter().map(|t| f(*t))),
            Node::Or(ref list) => self.or(list.iter().map(|t| f(*t))),
            Node::Add(ref list) => self.add(list.iter().map(|t| f(*t))),
            Node::Mul(ref list) => self.mul(list.iter().map(|t| f(*t))),
            Node::Eq(a, b) => self.eq(f(a), f(b)),
            Node::Le(a, b) => self.le(f(a), f(b)),
            Node::Lt(a, b) => self.lt(f(a), f(b)),
            Node::Ite(a, b, c) => self.ite(f(a), f(b), f(c)),
            Node::Div(a, b) => self.div(f(a), f(b)),
            Node::Mod(a, b) => self.modulo(f(a), f(b)),
            Node::Rem(a, b) => self.rem(f(a), f(b)),
            Node::BitAnd(a, b) => self.bitwise(Bitwise::And, f(a), f(b)),
            Node::BitOr(a, b) => self.bitwise(Bitwise::Or, f(a), f(b)),
            Node::BitXor(a, b) => self.bitwise(Bitwise::Xor, f(a), f(b)),
            Node::Read(a, b) => self.read(f(a), f(b)),
            Node::Write(a, b, c) => self.write(f(a), f(b), f(c)),
            Node::Fill(array, a) => self.fill(array, f(a)),
        }
    }
    /// `term` with every variable at step 0 replaced where `with` says so.
    pub fn substitute(&mut self, term: Term, with: &FxHashMap<VarId, Term>) -> Term {
        // Most terms are plain.
        match self.node(term) {
            Node::Var(var, 0) => return with.get(var).copied().unwrap_or(term),
            Node::Var(..) | Node::Const(_) => return term,
            _ if with.is_empty() => return term,
            _ => {}
        }
        self.rewrite(term, &mut |terms, t| match terms.node(t) {
            Node::Var(var, 0) => with.get(var).copied(),
            _ => None,
        })
    }
    /// Calls `visit` once on every distinct sub-term of `term`, children first.
    pub fn for_each_subterm(&self, term: Term, visit: impl FnMut(Term)) {
        self.for_each_subterm_of([term], visit);
    }
    /// Calls `visit` once on every distinct sub-term of these terms, children first.
    pub fn for_each_subterm_of(&self, list: impl IntoIterator<Item = Term>, mut visit: impl FnMut(Term)) {
        let mut seen = FxHashSet::default();
        let mut order = vec![];
        let mut stack = Vec::from_iter(list);
        while let Some(next) = stack.pop() {
            if seen.insert(next) {
                order.push(next);
                self.node(next).for_each_child(|child| stack.push(child));
            }
        }
        order.sort_unstable();
        order.into_iter().for_each(&mut visit);
    }
    /// The variables that occur in `term` at any step, sorted.
    pub fn vars_of(&self, term: Term) -> Vec<VarId> {
        self.vars_of_all([term])
    }
    /// The variables that occur in these terms at any step, sorted.
    pub fn vars_of_all(&self, list: impl IntoIterator<Item = Term>) -> Vec<VarId> {
        let mut vars = vec![];
        self.for_each_subterm_of(list, |t| {
            if let Node::Var(var, _) = self.node(t) {
                vars.push(*var);
            }
        });
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

/// An operation on the bits of two integers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Bitwise {
    /// Bits that both have.
    And,
    /// Bits that one of them has.
    Or,
    /// Bits in which they differ.
    Xor,
}

/// A linear combination under construction.
struct Sum {
    parts: Vec<(Term, Value)>,
    at: FxHashMap<Term, usize>,
    constant: Value,
}

impl Sum {
    fn new() -> Self {
        Sum { parts: vec![], at: FxHashMap::default(), constant: Value::int(0) }
    }
    fn push(&mut self, term: Term, factor: Value) {
        match self.at.get(&term) {
            Some(&at) => self.parts[at].1 = plus(&self.parts[at].1, &factor),
            None => {
                self.at.insert(term, self.parts.len());
                self.parts.push((term, factor));
            }
        }
    }
}

/// The type of numbers made of two types of them: integers only of integers; a clock makes a sum a difference
/// of clocks, whatever else is in it.
fn mixed(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Clock, _) | (_, Type::Clock) => Type::Clock,
        (Type::Rat, _) | (_, Type::Rat) => Type::Rat,
        _ => Type::Int,
    }
}
fn is_number_type(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Rat | Type::Clock)
}
fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Rat(_))
}
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(value) => value.is_zero(),
        Value::Rat(value) => value.is_zero(),
        _ => false,
    }
}
fn is_one(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value == Int::ONE,
        Value::Rat(value) => **value == Rat::from(1),
        _ => false,
    }
}

/// The order of two numbers; an integer and a rational may be mixed.
pub fn compare(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        _ => a.as_rat().cmp(&b.as_rat()),
    }
}
/// The sum of two numbers.
pub fn plus(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a + b),
        _ => Value::rat(&a.as_rat() + &b.as_rat()),
    }
}
/// The product of two numbers.
pub fn times(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a * b),
        _ => Value::rat(&a.as_rat() * &b.as_rat()),
    }
}
/// The total quotient: by zero it is 0.
pub fn quotient(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.div(b).unwrap_or(Int::ZERO)),
        _ => Value::rat(a.as_rat().div(&b.as_rat()).unwrap_or(Rat::ZERO)),
    }
}
/// The total Euclidean remainder: by zero it is the dividend.
pub fn modulo(a: &Value, b: &Value) -> Value {
    Value::Int(a.as_int().modulo(b.as_int()).unwrap_or_else(|| a.as_int().clone()))
}
/// The total signed remainder: by zero it is the dividend.
pub fn remainder(a: &Value, b: &Value) -> Value {
    Value::Int(a.as_int().rem(b.as_int()).unwrap_or_else(|| a.as_int().clone()))
}
/// A bit operation, in two's complement with infinitely many bits.
pub fn bitwise(op: Bitwise, a: &Value, b: &Value) -> Value {
    let (a, b) = (a.as_int(), b.as_int());
    Value::Int(match op {
        Bitwise::And => a.bit_and(b),
        Bitwise::Or => a.bit_or(b),
        Bitwise::Xor => a.bit_xor(b),
    })
}
