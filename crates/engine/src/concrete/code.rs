//! Statements compiled to flat code for the machine of [`super::vm`].
//!
//! Control is inlined: an `assume` jumps to the failing instruction, a `choice` names the addresses of
//! its branches, loops are jumps. Conditions become *jumping code* (Aho, Lam, Sethi, Ullman: Compilers,
//! 6.6): every atom of a condition is one conditional jump, and `and`, `or` and `not` cost nothing.
//! Numbers are computed in temporaries behind the variables.
//!
//! Slots: 0 is the number of the location vector, which code for an action begins by setting, then come the
//! state variables in order, the locals, the temporaries of the target, two for each loop of the code at
//! hand, and its temporaries. All but temporaries are trailed.
//!
//! Invariant: code does exactly what the plain interpreter does, in the same order, or bails out. Terms
//! the machine does not know (rationals) are not compiled at all. A condition on clocks goes on in
//! every way it can hold, each a choice; what is asked of data in it is asked first.

mod limits;
mod shared;

use ir::{
    ArrayType, ClockAtom, Id, LocationId, Node, Scope, Stmt, StmtNode, System, Term, Type, Value, VarId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::op::{Amount, Atom, Code, Op, Role, Slot, VECTOR};
use super::word::{Values, Word, in_parts, is_small, width};
use limits::Openness;
pub(super) use limits::{hull, meet};

/// Code longer than this is not worth its memory; shared parts of statements, and small ones of terms, are inlined.
const LONGEST: usize = 1 << 20;

/// Where the variables of a system are kept.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    of: Vec<Slot>,
    /// The number of each clock, from 1 on; 0 for data.
    clocks: Vec<u32>,
    openness: Openness,
    /// The first slot that is no variable's.
    scratch: Slot,
    /// The first slot that no condition uses.
    free: Slot,
}

impl Slots {
    /// State variables first, in the order of states.
    pub(crate) fn new(system: &System) -> Self {
        let locals = system.vars.entries().filter(|(_, var)| var.scope == Scope::Local).map(|(id, _)| id);
        let order: Vec<VarId> = system.state_vars().chain(locals).collect();
        let mut of = vec![VECTOR; order.len()];
        let mut next = VECTOR + 1;
        for var in &order {
            of[var.index()] = next;
            next += width(system.types(), system.terms.var_type(*var)) as Slot;
        }
        let mut clocks = vec![0; order.len()];
        for (clock, number) in system.clocks().zip(1..) {
            clocks[clock.index()] = number;
        }
        Slots { of, clocks, openness: Openness::new(system), scratch: next, free: next }
    }
    /// Keeps the temporaries of a condition apart from the slots of actions, because it is tested in
    /// the middle of them.
    pub(crate) fn set_apart(&mut self, condition: &Code) {
        self.free = self.free.max(condition.slots as Slot);
    }
    /// Whether the slots of a condition are kept apart.
    pub(crate) fn has_apart(&self, condition: &Code) -> bool {
        condition.slots <= self.free as usize
    }
    /// The variable that a slot belongs to.
    pub(crate) fn variable(&self, slot: Slot) -> Option<VarId> {
        let before = self.of.iter().enumerate().filter(|(_, first)| **first <= slot && slot < self.scratch);
        before.max_by_key(|(_, first)| **first).map(|(at, _)| VarId::at(at))
    }
    fn of(&self, var: VarId) -> Slot {
        self.of[var.index()]
    }
    /// The number of a clock; 0 for the constant zero.
    fn clock(&self, clock: Option<VarId>) -> u32 {
        clock.map_or(0, |clock| self.clocks[clock.index()])
    }
}

/// What is asked of clocks.
#[derive(Default)]
pub(crate) struct ClockAtoms {
    /// Comparisons with clocks, as differences.
    pub(crate) differences: FxHashMap<Term, SmallVec<[ClockAtom; 2]>>,
    /// Comparisons of what depends on a condition over clocks: this condition, and what is left where it holds
    /// and where it does not.
    cases: FxHashMap<Term, [Term; 3]>,
}

/// No more comparisons than this are told apart by cases, in one system and in one piece of code.
const MOST_CASES: usize = 4096;

/// Notes the clock constraints in `term`.
pub(crate) fn note_atoms(system: &mut System, term: Term, atoms: &mut ClockAtoms) {
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        let mut found = vec![];
        let terms = &mut system.terms;
        if !terms.has_clock(term) {
            continue;
        }
        terms.for_each_subterm(term, |t| {
            let asks = match *terms.node(t) {
                Node::Eq(a, _) => terms.type_of(a) != Type::Bool,
                Node::Le(..) | Node::Lt(..) => true,
                Node::Read(..) => terms.type_of(t) == Type::Bool,
                _ => false,
            };
            let known = atoms.differences.contains_key(&t) || atoms.cases.contains_key(&t);
            if asks && !known && terms.has_clock(t) {
                found.push(t);
            }
        });
        for t in found {
            if let Some(list) = ir::clock_atom(terms, t) {
                atoms.differences.insert(t, list);
            } else if atoms.cases.len() < MOST_CASES
                && let Some(condition) = terms.clock_condition_below(t)
            {
                let [yes, no] = [true, false].map(|holds| terms.given(t, condition, holds));
                atoms.cases.insert(t, [condition, yes, no]);
                open.extend([yes, no]);
            }
        }
    }
}

/// Code for `stmt` from `locations`, leading to the vector number `target` if one is given, if it can be
/// compiled.
pub(crate) fn action(
    system: &System,
    slots: &Slots,
    atoms: &ClockAtoms,
    values: &mut Values,
    locations: &[LocationId],
    stmt: Stmt,
    target: Option<u32>,
) -> Option<Code> {
    let mut compiler = Compiler::new(system, slots, atoms, values, locations, slots.free);
    compiler.announce(stmt);
    if let Some(target) = target {
        compiler.emit(Op::Set { slot: VECTOR, value: i32::try_from(target).ok()? });
    }
    compiler.stmt(stmt)?;
    compiler.finish(Op::Fail)
}

/// Code that is executed in every way in which `term` can hold at `locations`, if it can be compiled. Values of what
/// is open are not tried: a state with one of them would be what is asked for, and the others not.
pub(crate) fn question(
    system: &System,
    slots: &Slots,
    atoms: &ClockAtoms,
    values: &mut Values,
    locations: &[LocationId],
    term: Term,
) -> Option<Code> {
    let mut compiler = Compiler::new(system, slots, atoms, values, locations, slots.free);
    compiler.require(term, true)?;
    compiler.finish(Op::Fail)
}

/// The instruction for a clock constraint whose bound is a constant or a variable.
pub(crate) fn atom(system: &System, slots: &Slots, atom: ClockAtom) -> Option<Atom> {
    let bound = match system.terms.node(atom.bound) {
        Node::Const(Value::Int(value)) => Amount::Const(i32::try_from(value.to_i64()?).ok()?),
        Node::Var(var, 0) => Amount::Slot(slots.of(*var)),
        _ => return None,
    };
    Some(Atom { plus: slots.clock(atom.plus), minus: slots.clock(atom.minus), bound, strict: atom.strict })
}

/// Code that tells whether `term` holds at `locations`, if it can be compiled.
pub(crate) fn condition(
    system: &System,
    slots: &Slots,
    atoms: &ClockAtoms,
    values: &mut Values,
    locations: &[LocationId],
    term: Term,
) -> Option<Code> {
    let mut compiler = Compiler::new(system, slots, atoms, values, locations, slots.scratch);
    // A condition on clocks may hold in several ways and leaves choice points; one on data does not.
    let timed = system.terms.has_clock(term);
    compiler.require(term, true)?;
    compiler.finish(if timed { Op::Fail } else { Op::No })
}

/// Where a variable, or a part of one, is kept: at `base`, or the number in `offset` behind it.
#[derive(Copy, Clone)]
struct Place {
    base: Slot,
    offset: Option<Slot>,
    ty: Type,
}

/// An address that is known later.
#[derive(Copy, Clone)]
struct Label(u32);

/// Where blocked executions go.
const FAIL: Label = Label(0);

struct Compiler<'a> {
    system: &'a System,
    slots: &'a Slots,
    atoms: &'a ClockAtoms,
    values: &'a mut Values,
    locations: &'a [LocationId],
    code: Code,
    labels: Vec<u32>,
    /// Where each loop keeps its position and its end.
    loops: FxHashMap<Stmt, (Slot, Slot)>,
    /// The first slot that is not in use.
    free: Slot,
    /// What the code being made is for.
    role: Role,
    /// How many comparisons have been told apart by cases.
    cases: usize,
    /// What comes after the statement being compiled, the nearest last; nothing where a loop may come back.
    after: Vec<Option<&'a [Stmt]>>,
    /// Within a large term: where its shared parts are that have been computed.
    shared: Option<FxHashMap<Term, Slot>>,
}

impl<'a> Compiler<'a> {
    fn new(
        system: &'a System,
        slots: &'a Slots,
        atoms: &'a ClockAtoms,
        values: &'a mut Values,
        locations: &'a [LocationId],
        free: Slot,
    ) -> Self {
        let code = Code {
            ops: vec![],
            roles: vec![],
            filters: vec![],
            atoms: vec![],
            branches: vec![],
            domains: vec![],
            positions: vec![],
            constants: vec![],
            locals: vec![],
            slots: free as usize,
        };
        Compiler {
            system,
            slots,
            atoms,
            values,
            locations,
            code,
            labels: vec![u32::MAX],
            loops: FxHashMap::default(),
            free,
            role: Role::Flow,
            cases: 0,
            after: vec![],
            shared: None,
        }
    }
    /// Ends the code, with what becomes of blocked executions, and puts addresses in the place of labels.
    fn finish(mut self, blocked: Op) -> Option<Code> {
        self.emit(Op::Done);
        self.bind(FAIL);
        self.emit(blocked);
        for op in &mut self.code.ops {
            if let Some(to) = op.address() {
                *to = self.labels[*to as usize];
            }
        }
        for address in self.code.branches.iter_mut().chain(&mut self.code.filters) {
            *address = self.labels[*address as usize];
        }
        self.code.locals.sort_unstable();
        self.code.locals.dedup();
        (self.code.ops.len() <= LONGEST).then_some(self.code)
    }
    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.roles.push(self.role);
    }
    /// Makes code for a purpose, unless it is part of code for another one.
    fn within(&mut self, role: Role, make: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.role != Role::Flow {
            return make(self);
        }
        self.role = role;
        let made = make(self);
        self.role = Role::Flow;
        made
    }
    fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }
    fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.code.ops.len() as u32;
    }
    fn jump(&mut self, to: Label) {
        self.emit(Op::Jump { to: to.0 });
    }
    fn fresh(&mut self) -> Slot {
        self.free += 1;
        self.code.slots = self.code.slots.max(self.free as usize);
        self.free - 1
    }
    /// Notes the locals of a statement, and gives each loop in it slots for its position and its end. Unlike
    /// temporaries, these must survive whatever happens until an execution comes back into the loop.
    fn announce(&mut self, stmt: Stmt) {
        let terms = &self.system.terms;
        let (mut written, mut read) = (vec![], vec![]);
        terms.for_each_substmt(stmt, |part| {
            let node = terms.stmt(part);
            written.extend(node.written());
            node.for_each_term(|term| read.push(term));
            if matches!(node, StmtNode::For { .. }) {
                let pair = (self.fresh(), self.fresh());
                self.loops.insert(part, pair);
            }
        });
        written.extend(terms.vars_of_all(read));
        written.retain(|var| self.system.vars[*var].scope == Scope::Local);
        for var in written {
            let first = self.slots.of(var);
            let count = width(self.system.types(), terms.var_type(var)) as Slot;
            self.code.locals.extend(first..first + count);
        }
    }

    /// Temporaries live within one statement.
    fn stmt(&mut self, stmt: Stmt) -> Option<()> {
        let free = self.free;
        ir::deep(|| self.stmt_node(stmt))?;
        self.free = free;
        (self.code.ops.len() <= LONGEST).then_some(())
    }
    fn stmt_node(&mut self, stmt: Stmt) -> Option<()> {
        let system = self.system;
        match system.terms.stmt(stmt) {
            StmtNode::Skip => {}
            StmtNode::Assume(condition) => {
                self.limit(stmt, *condition)?;
                self.require(*condition, true)?;
            }
            StmtNode::Assign(var, term) => self.assign(*var, *term)?,
            StmtNode::Havoc(var) => self.havoc(*var)?,
            StmtNode::Delay => self.emit(Op::Delay),
            StmtNode::Seq(list) => {
                for (at, part) in list.iter().enumerate() {
                    self.before(Some(&list[at + 1..]), *part)?;
                }
            }
            StmtNode::Choice(list) => {
                self.fork(list.len(), &mut |compiler, branch| compiler.stmt(list[branch]))?;
            }
            StmtNode::If(condition, then, otherwise) if system.terms.has_clock(*condition) => {
                self.limit(stmt, *condition)?;
                self.choose(&[(*condition, true), (*condition, false)], &mut |compiler, branch| {
                    compiler.stmt(if branch == 0 { *then } else { *otherwise })
                })?;
            }
            StmtNode::If(condition, then, otherwise) => {
                self.limit(stmt, *condition)?;
                let (other, end) = (self.label(), self.label());
                self.jump_if(*condition, false, other)?;
                self.stmt(*then)?;
                self.jump(end);
                self.bind(other);
                self.stmt(*otherwise)?;
                self.bind(end);
            }
            StmtNode::For { var, from, to, body } => {
                let (current, end) = self.loops[&stmt];
                let (from, to) = (self.number(*from)?, self.number(*to)?);
                self.emit(Op::Store { slot: current, from });
                self.emit(Op::Store { slot: end, from: to });
                let (again, exit) = (self.label(), self.label());
                self.bind(again);
                self.emit(Op::JumpNotLess { a: current, b: end, to: exit.0 });
                self.emit(Op::Store { slot: self.slots.of(*var), from: current });
                let next = self.fresh();
                self.emit(Op::AddConst { to: next, a: current, value: 1 });
                self.emit(Op::Store { slot: current, from: next });
                self.before(None, *body)?;
                self.emit(Op::Loop { to: again.0 });
                self.bind(exit);
            }
            StmtNode::While(condition, body) => {
                let (again, exit) = (self.label(), self.label());
                self.bind(again);
                self.jump_if(*condition, false, exit)?;
                self.before(None, *body)?;
                self.emit(Op::Loop { to: again.0 });
                self.bind(exit);
            }
        }
        Some(())
    }
    /// A statement with what comes after it.
    fn before(&mut self, after: Option<&'a [Stmt]>, stmt: Stmt) -> Option<()> {
        self.after.push(after);
        let made = self.stmt(stmt);
        self.after.pop();
        made
    }
    fn assign(&mut self, var: VarId, term: Term) -> Option<()> {
        let terms = &self.system.terms;
        if terms.var_type(var) == Type::Clock {
            if let Node::Var(from, 0) = *terms.node(term)
                && terms.var_type(from) == Type::Clock
            {
                let [clock, from] = [var, from].map(|clock| self.slots.clock(Some(clock)));
                self.emit(Op::Copy { clock, from });
                return Some(());
            }
            let value = self.amount(term)?;
            self.emit(Op::Reset { clock: self.slots.clock(Some(var)), value });
            return Some(());
        }
        if terms.has_clock(term) {
            let slot = self.slots.of(var);
            return self.choose(&[(term, true), (term, false)], &mut |compiler, branch| {
                compiler.emit(Op::Set { slot, value: i32::from(branch == 0) });
                Some(())
            });
        }
        if terms.type_of(term) != terms.var_type(var) {
            return None;
        }
        let slot = self.slots.of(var);
        if in_parts(&terms.types, terms.var_type(var)).is_some() {
            return self.assign_array(var, term);
        }
        if let Some(value) = self.constant(term) {
            self.emit(Op::Set { slot, value });
            return Some(());
        }
        let from = self.operand(term)?;
        self.emit(Op::Store { slot, from });
        Some(())
    }
    /// Assigns an array in parts: some of its own parts replaced, another such array, or a constant.
    fn assign_array(&mut self, var: VarId, term: Term) -> Option<()> {
        let system = self.system;
        let ty = system.terms.var_type(var);
        let (slot, count) = (self.slots.of(var), width(system.types(), ty) as Slot);
        match system.terms.node(term) {
            Node::Var(other, 0) => {
                let from = self.slots.of(*other);
                (0..count).for_each(|at| self.emit(Op::Store { slot: slot + at, from: from + at }));
            }
            Node::Const(value) => {
                let mut words = vec![];
                self.values.words(system.types(), ty, Some(value), &mut words);
                for (at, word) in (0..).zip(words) {
                    let from = self.fresh();
                    self.load(from, word);
                    self.emit(Op::Store { slot: slot + at, from });
                }
            }
            Node::Write(..) => {
                // All values are computed before any part is written.
                let mut writes = vec![];
                let place = Place { base: slot, offset: None, ty };
                self.collect(system.terms.var_term(var)?, place, term, &mut writes)?;
                for (place, from) in writes {
                    match place.offset {
                        Some(offset) => self.emit(Op::StoreAt { base: place.base, offset, from }),
                        None => self.emit(Op::Store { slot: place.base, from }),
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }
    /// Collects the parts of `place`, which holds `old`, that `new` replaces, with their new values.
    fn collect(&mut self, old: Term, place: Place, new: Term, writes: &mut Vec<(Place, Slot)>) -> Option<()> {
        if new == old {
            return Some(());
        }
        let system = self.system;
        let Some(array) = in_parts(system.types(), place.ty) else {
            let from = self.operand(new)?;
            let kept = self.fresh();
            self.emit(Op::Move { to: kept, from });
            writes.push((place, kept));
            return Some(());
        };
        let Node::Write(inner, index, value) = *system.terms.node(new) else { return None };
        ir::deep(|| {
            self.collect(old, place, inner, writes)?;
            let part = self.part(place, array, index)?;
            let was = system.terms.find_read(old, index);
            self.collect(was.unwrap_or(new), part, value, writes)
        })
    }
    /// The place of a term that is a variable or a part of one.
    fn place(&mut self, term: Term) -> Option<Place> {
        let system = self.system;
        match *system.terms.node(term) {
            Node::Var(var, 0) => {
                Some(Place { base: self.slots.of(var), offset: None, ty: system.terms.var_type(var) })
            }
            Node::Read(array, index) => {
                let place = ir::deep(|| self.place(array))?;
                let parts = in_parts(system.types(), place.ty)?;
                self.part(place, parts, index)
            }
            _ => None,
        }
    }
    /// The part of an array at `index`.
    fn part(&mut self, place: Place, array: ArrayType, index: Term) -> Option<Place> {
        let (first, last) = array.range?;
        let step = width(self.system.types(), array.element);
        if let (Some(at), None) = (self.constant(index), place.offset) {
            let at = Word::from(at);
            if at < first || at > last {
                return None;
            }
            let base = place.base + ((at - first) as usize * step) as Slot;
            return Some(Place { base, ty: array.element, offset: None });
        }
        let index = self.number(index)?;
        let to = self.fresh();
        self.code.positions.push((first, last - first + 1, step as Word));
        let positions = self.code.positions.len() as u32 - 1;
        self.emit(Op::Index { to, from: place.offset, index, positions });
        Some(Place { base: place.base, offset: Some(to), ty: array.element })
    }
    /// An integer that instructions on clocks use.
    fn amount(&mut self, term: Term) -> Option<Amount> {
        if let Some(value) = self.constant(term) {
            return Some(Amount::Const(value));
        }
        if let Node::Mul(list) = self.system.terms.node(term)
            && let [minus, rest] = **list
            && self.system.terms.as_const(minus) == Some(&Value::int(-1))
        {
            return self.number(rest).map(Amount::Minus);
        }
        self.number(term).map(Amount::Slot)
    }
    /// Goes on only where `term` is `when`; where clocks decide, in every way it can be.
    fn require(&mut self, term: Term, when: bool) -> Option<()> {
        if self.code.ops.len() > LONGEST {
            return None;
        }
        if self.system.terms.has_clock(term) {
            return ir::deep(|| self.require_node(term, when));
        }
        match (self.system.terms.node(term), when) {
            (Node::And(list), true) | (Node::Or(list), false) => {
                list.iter().try_for_each(|part| ir::deep(|| self.require(*part, when)))
            }
            _ => {
                let end = self.label();
                self.code.filters.push(end.0);
                let filter = Role::Filter(self.code.filters.len() as u32 - 1);
                self.within(filter, |compiler| compiler.jump_if(term, !when, FAIL))?;
                self.bind(end);
                Some(())
            }
        }
    }
    fn require_node(&mut self, term: Term, when: bool) -> Option<()> {
        let system = self.system;
        let done = &mut |_: &mut Self, _| Some(());
        match (system.terms.node(term), when) {
            (Node::Not(inner), _) => self.require(*inner, !when),
            (Node::And(list), true) | (Node::Or(list), false) => {
                // Data first: it is cheaper to look at.
                let (timed, data): (Vec<Term>, Vec<Term>) =
                    list.iter().copied().partition(|part| system.terms.has_clock(*part));
                data.into_iter().chain(timed).try_for_each(|part| self.require(part, when))
            }
            (Node::And(list), false) | (Node::Or(list), true) => {
                // Where data suffice, clocks are not looked at: a chain of such conditions would be followed in
                // as many ways as it has subsets.
                let (timed, data): (Vec<Term>, Vec<Term>) =
                    list.iter().copied().partition(|part| system.terms.has_clock(*part));
                let end = self.label();
                data.into_iter().try_for_each(|part| self.jump_if(part, when, end))?;
                let ways: Vec<(Term, bool)> = timed.into_iter().map(|part| (part, when)).collect();
                self.choose(&ways, done)?;
                self.bind(end);
                Some(())
            }
            (Node::Ite(condition, then, otherwise), _) => {
                let (then, otherwise) = (*then, *otherwise);
                self.choose(&[(*condition, true), (*condition, false)], &mut |compiler, branch| {
                    compiler.require(if branch == 0 { then } else { otherwise }, when)
                })
            }
            (Node::Eq(a, b), _) if system.terms.type_of(*a) == Type::Bool => {
                let b = *b;
                self.choose(&[(*a, true), (*a, false)], &mut |compiler, branch| {
                    compiler.require(b, (branch == 0) == when)
                })
            }
            _ => {
                if let Some([condition, yes, no]) = self.atoms.cases.get(&term).copied() {
                    self.cases += 1;
                    if self.cases > MOST_CASES {
                        return None;
                    }
                    return self.choose(&[(condition, true), (condition, false)], &mut |compiler, branch| {
                        compiler.require(if branch == 0 { yes } else { no }, when)
                    });
                }
                let list = self.atoms.differences.get(&term)?.clone();
                if when {
                    return list.iter().try_for_each(|atom| self.constrain(*atom, false));
                }
                // One of the differences fails.
                self.fork(list.len(), &mut |compiler, branch| compiler.constrain(list[branch], true))
            }
        }
    }
    /// Keeps the valuations that satisfy a difference, or those that do not.
    fn constrain(&mut self, atom: ClockAtom, negated: bool) -> Option<()> {
        let (plus, minus) = (self.slots.clock(atom.plus), self.slots.clock(atom.minus));
        let bound = self.amount(atom.bound)?;
        let atom = if negated {
            let bound = match bound {
                Amount::Const(value) => Amount::Const(value.checked_neg()?),
                Amount::Slot(slot) => Amount::Minus(slot),
                Amount::Minus(slot) => Amount::Slot(slot),
            };
            Atom { plus: minus, minus: plus, bound, strict: !atom.strict }
        } else {
            Atom { plus, minus, bound, strict: atom.strict }
        };
        self.code.atoms.push(atom);
        self.emit(Op::Constrain { atom: self.code.atoms.len() as u32 - 1 });
        Some(())
    }
    /// Tries each way in turn, and does in it what `then` says.
    fn choose(
        &mut self,
        ways: &[(Term, bool)],
        then: &mut dyn FnMut(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        self.fork(ways.len(), &mut |compiler, branch| {
            let (term, when) = ways[branch];
            compiler.require(term, when)?;
            then(compiler, branch)
        })
    }
    /// A choice between branches.
    fn fork(&mut self, count: usize, branch: &mut dyn FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        if count == 1 {
            return branch(self, 0);
        }
        let first = self.code.branches.len() as u32;
        let labels: Vec<Label> = (0..count).map(|_| self.label()).collect();
        self.code.branches.extend(labels.iter().map(|label| label.0));
        self.emit(Op::Choose { first, count: count as u32 });
        let end = self.label();
        for (number, label) in labels.into_iter().enumerate() {
            self.bind(label);
            branch(self, number)?;
            self.jump(end);
        }
        self.bind(end);
        Some(())
    }
    /// A state variable of finite type takes all its values at once, and with clocks any of finite type does, since
    /// nobody takes over when it is read; any other stays open.
    fn havoc(&mut self, var: VarId) -> Option<()> {
        let slot = self.slots.of(var);
        let variable = &self.system.vars[var];
        let ty = self.system.terms.var_type(var);
        if in_parts(self.system.types(), ty).is_some() {
            let count = width(self.system.types(), ty) as Slot;
            (0..count).for_each(|at| self.emit(Op::Open { slot: slot + at }));
            return Some(());
        }
        let domain = match (&variable.range, ty) {
            (Some((least, greatest)), _) => {
                let word = |bound: &ir::Int| bound.to_i64().filter(|word| is_small(*word));
                Some((word(least)?, word(greatest)?))
            }
            (None, Type::Bool | Type::Enum(_)) => {
                let count = self.system.types().cardinality(ty)?;
                Some((0, count as Word - 1))
            }
            // The interpreter enumerates small arrays.
            (None, Type::Array(_)) if self.system.types().cardinality(ty).is_some() => return None,
            _ => None,
        };
        match domain.filter(|_| variable.scope == Scope::State || self.slots.openness.is_timed()) {
            Some(domain) => {
                self.code.domains.push(domain);
                self.emit(Op::Havoc { slot, domain: self.code.domains.len() as u32 - 1 });
            }
            None => self.emit(Op::Open { slot }),
        }
        Some(())
    }

    /// Jumps to `to` if the value of `term` is `when`, and goes on otherwise.
    fn jump_if(&mut self, term: Term, when: bool, to: Label) -> Option<()> {
        if self.code.ops.len() > LONGEST {
            return None;
        }
        if let Some(slot) = self.computed(term) {
            self.emit(Op::JumpEq { slot, value: i32::from(when), to: to.0 });
            return Some(());
        }
        ir::deep(|| self.after_shared(term, |compiler| compiler.jump_if_node(term, when, to)))
    }
    fn jump_if_node(&mut self, term: Term, when: bool, to: Label) -> Option<()> {
        let system = self.system;
        match system.terms.node(term) {
            Node::Const(value) => {
                if value.as_bool() == when {
                    self.jump(to);
                }
            }
            Node::At(process, location) => {
                if (self.locations[process.index()] == *location) == when {
                    self.jump(to);
                }
            }
            Node::Var(var, 0) => {
                self.emit(Op::JumpEq { slot: self.slots.of(*var), value: i32::from(when), to: to.0 });
            }
            Node::Not(inner) => self.jump_if(*inner, !when, to)?,
            Node::And(list) => self.junction(list, false, when, to)?,
            Node::Or(list) => self.junction(list, true, when, to)?,
            Node::Ite(condition, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                self.jump_if(*condition, false, other)?;
                self.jump_if(*then, when, to)?;
                self.jump(end);
                self.bind(other);
                self.jump_if(*otherwise, when, to)?;
                self.bind(end);
            }
            Node::Read(..) => {
                let slot = self.operand(term)?;
                self.emit(Op::JumpEq { slot, value: i32::from(when), to: to.0 });
            }
            Node::Eq(a, b) => self.equal(*a, *b, when, to)?,
            Node::Lt(a, b) => self.less(*a, *b, when, to)?,
            Node::Le(a, b) => self.less(*b, *a, !when, to)?,
            _ => return None,
        }
        Some(())
    }
    /// An `and` (`decided_by` = false) or an `or` (true), short-circuit.
    fn junction(&mut self, list: &[Term], decided_by: bool, when: bool, to: Label) -> Option<()> {
        if when == decided_by {
            return list.iter().try_for_each(|part| self.jump_if(*part, when, to));
        }
        let (last, rest) = list.split_last()?;
        let end = self.label();
        rest.iter().try_for_each(|part| self.jump_if(*part, decided_by, end))?;
        self.jump_if(*last, when, to)?;
        self.bind(end);
        Some(())
    }
    fn equal(&mut self, a: Term, b: Term, when: bool, to: Label) -> Option<()> {
        let terms = &self.system.terms;
        let ty = terms.type_of(a);
        let parts = in_parts(&terms.types, ty).is_some();
        if ty != terms.type_of(b) || parts || matches!(ty, Type::Rat | Type::Clock) {
            return None;
        }
        if let Some(value) = self.constant(b) {
            let (slot, to) = (self.operand(a)?, to.0);
            self.emit(if when { Op::JumpEq { slot, value, to } } else { Op::JumpNe { slot, value, to } });
        } else {
            let (a, b, to) = (self.operand(a)?, self.operand(b)?, to.0);
            self.emit(if when { Op::JumpSame { a, b, to } } else { Op::JumpDiffer { a, b, to } });
        }
        Some(())
    }
    fn less(&mut self, a: Term, b: Term, when: bool, to: Label) -> Option<()> {
        if let Some(value) = self.constant(b) {
            let (slot, to) = (self.number(a)?, to.0);
            self.emit(if when { Op::JumpLt { slot, value, to } } else { Op::JumpGe { slot, value, to } });
        } else if let Some(value) = self.constant(a).and_then(|value| value.checked_add(1)) {
            let (slot, to) = (self.number(b)?, to.0);
            self.emit(if when { Op::JumpGe { slot, value, to } } else { Op::JumpLt { slot, value, to } });
        } else {
            let (a, b, to) = (self.number(a)?, self.number(b)?, to.0);
            self.emit(if when { Op::JumpLess { a, b, to } } else { Op::JumpNotLess { a, b, to } });
        }
        Some(())
    }

    /// The word of a constant that fits an instruction.
    fn constant(&mut self, term: Term) -> Option<i32> {
        let value = self.system.terms.as_const(term)?;
        if matches!(value, Value::Rat(_)) {
            return None;
        }
        i32::try_from(self.values.word(value)).ok()
    }
    /// A slot with the value of an integer term.
    fn number(&mut self, term: Term) -> Option<Slot> {
        if self.system.terms.type_of(term) == Type::Int { self.operand(term) } else { None }
    }
    /// A slot with the value of a term: that of the variable, or a temporary.
    fn operand(&mut self, term: Term) -> Option<Slot> {
        if width(self.system.types(), self.system.terms.type_of(term)) != 1 {
            return None;
        }
        if let Node::Var(var, 0) = self.system.terms.node(term) {
            return Some(self.slots.of(*var));
        }
        if let Some(slot) = self.computed(term) {
            return Some(slot);
        }
        let to = self.fresh();
        self.value(term, to)?;
        Some(to)
    }
    /// Puts the value of `term` into the temporary `to`.
    fn value(&mut self, term: Term, to: Slot) -> Option<()> {
        if self.code.ops.len() > LONGEST {
            return None;
        }
        if let Some(from) = self.computed(term) {
            self.emit(Op::Move { to, from });
            return Some(());
        }
        ir::deep(|| self.after_shared(term, |compiler| compiler.value_node(term, to)))
    }
    fn value_node(&mut self, term: Term, to: Slot) -> Option<()> {
        let system = self.system;
        match system.terms.node(term) {
            Node::Const(Value::Rat(_)) => return None,
            Node::Const(value) => {
                let word = self.values.word(value);
                self.load(to, word);
            }
            Node::Var(var, 0) => self.emit(Op::Move { to, from: self.slots.of(*var) }),
            Node::Read(..) => {
                let place = self.place(term)?;
                if width(system.types(), place.ty) != 1 {
                    return None;
                }
                match place.offset {
                    Some(offset) => self.emit(Op::Load { to, base: place.base, offset }),
                    None => self.emit(Op::Move { to, from: place.base }),
                }
            }
            Node::Ite(condition, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                self.within(Role::Value(other.0), |compiler| {
                    compiler.jump_if(*condition, false, other)?;
                    compiler.value(*then, to)?;
                    compiler.jump(end);
                    compiler.bind(other);
                    compiler.value(*otherwise, to)
                })?;
                self.bind(end);
            }
            _ if system.terms.type_of(term) == Type::Bool => {
                let (no, end) = (self.label(), self.label());
                self.within(Role::Value(no.0), |compiler| {
                    compiler.jump_if(term, false, no)?;
                    compiler.load(to, 1);
                    compiler.jump(end);
                    compiler.bind(no);
                    compiler.load(to, 0);
                    Some(())
                })?;
                self.bind(end);
            }
            Node::Add(list) => {
                let mut a = self.number(list[0])?;
                for part in &list[1..] {
                    match self.constant(*part) {
                        Some(value) => self.emit(Op::AddConst { to, a, value }),
                        None => {
                            let b = self.number(*part)?;
                            self.emit(Op::Add { to, a, b });
                        }
                    }
                    a = to;
                }
            }
            Node::Mul(list) => {
                let mut a = self.number(list[0])?;
                for part in &list[1..] {
                    let b = self.number(*part)?;
                    self.emit(Op::Mul { to, a, b });
                    a = to;
                }
            }
            Node::Div(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::Div { to, a, b });
            }
            Node::Mod(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::Mod { to, a, b });
            }
            Node::Rem(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::Rem { to, a, b });
            }
            Node::BitAnd(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::BitAnd { to, a, b });
            }
            Node::BitOr(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::BitOr { to, a, b });
            }
            Node::BitXor(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                self.emit(Op::BitXor { to, a, b });
            }
            _ => return None,
        }
        Some(())
    }
    fn load(&mut self, to: Slot, word: Word) {
        self.code.constants.push(word);
        self.emit(Op::Const { to, constant: self.code.constants.len() as u32 - 1 });
    }
}
