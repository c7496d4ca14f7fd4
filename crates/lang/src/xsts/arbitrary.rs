//! Random well-typed models, for tests.
//!
//! A list of numbers decides every choice, one after the other; when it is used up, every choice is
//! the first and simplest one. So a shorter list with smaller numbers gives a simpler model, and
//! proptest shrinks models by shrinking lists.
//!
//! All models have few states: integers are taken modulo a small number whenever they are stored or
//! left arbitrary, and loops have small constant bounds.

use ir::{Int, Span};
use proptest::prelude::*;

use super::ast::*;

/// Models without clocks.
pub fn model() -> impl Strategy<Value = Model> {
    numbers().prop_map(|numbers| Generator::new(numbers, false).model())
}

/// Models with clocks, constraints on them, resets and delays.
pub fn timed_model() -> impl Strategy<Value = Model> {
    numbers().prop_map(|numbers| Generator::new(numbers, true).model())
}

fn numbers() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), 0..400)
}

/// The types variables have here; `Array` maps integers to integers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Ty {
    Bool,
    Int,
    Enum(usize),
    Array,
    Clock,
}

#[derive(Copy, Clone)]
struct Var {
    name: Name,
    ty: Ty,
    /// Loop variables may not change, nor clocks that a later block of an `ort` may use.
    fixed: bool,
}

struct Generator {
    numbers: std::vec::IntoIter<u32>,
    timed: bool,
    model: Model,
    /// What can be used here, innermost last; a later one hides an earlier one of the same name.
    scope: Vec<Var>,
    loops: usize,
    /// Whether this is a block of an `ort`, where no time passes.
    at_once: bool,
}

const ENUMS: [(&str, &[&str]); 2] = [("Color", &["Red", "Green", "Blue"]), ("Mode", &["Off", "On", "Red"])];

impl Generator {
    fn new(numbers: Vec<u32>, timed: bool) -> Self {
        let numbers = numbers.into_iter();
        Generator { numbers, timed, model: Model::default(), scope: vec![], loops: 0, at_once: false }
    }
    /// A number below `count`.
    fn pick(&mut self, count: usize) -> usize {
        self.numbers.next().unwrap_or(0) as usize % count
    }
    fn name(&mut self, text: &str) -> Name {
        self.model.names.intern(text)
    }
    fn ident(&mut self, name: Name) -> Ident {
        Ident { name, span: Span::default() }
    }
    fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.model.exprs.push(Expr { kind, span: Span::default() })
    }
    fn stmt(&mut self, kind: StmtKind) -> StmtId {
        self.model.stmts.push(Stmt { kind, span: Span::default() })
    }

    fn model(mut self) -> Model {
        for (name, literals) in ENUMS {
            let name = self.name(name);
            let ident = self.ident(name);
            let literals = literals
                .iter()
                .map(|literal| {
                    let name = self.name(literal);
                    self.ident(name)
                })
                .collect();
            self.model.types.push(TypeDecl { ident, literals });
        }
        let mut types = vec![Ty::Bool, Ty::Int];
        types.extend([Ty::Enum(0), Ty::Int, Ty::Array, Ty::Enum(1), Ty::Bool].into_iter().take(self.pick(6)));
        if self.timed {
            types.extend([Ty::Clock, Ty::Clock].into_iter().take(1 + self.pick(2)));
        }
        let names = ["b", "n", "color", "m", "cells", "mode", "flag", "c", "d"];
        let clock_names = ["c", "d"];
        let mut clocks = 0;
        for (at, ty) in types.into_iter().enumerate() {
            let text = if ty == Ty::Clock {
                clocks += 1;
                clock_names[clocks - 1]
            } else {
                names[at]
            };
            let name = self.name(text);
            // Integers always start somewhere, so that there are finitely many initial states.
            let initial = match ty {
                Ty::Clock => None,
                Ty::Int | Ty::Array => Some(self.small(ty, 0)),
                _ if self.pick(3) == 2 => None,
                _ => Some(self.small(ty, 0)),
            };
            let control = ty != Ty::Clock && self.pick(3) == 1;
            let (ident, ty_expr) = (self.ident(name), self.type_expr(ty));
            self.model.vars.push(VarDecl { control, ident, ty: ty_expr, initial });
            self.scope.push(Var { name, ty, fixed: false });
        }
        self.model.trans = Some(self.section());
        self.model.init = if self.pick(2) == 1 { Some(self.section()) } else { None };
        self.model.env = if self.pick(2) == 1 { Some(self.section()) } else { None };
        // A property may not divide by what may be zero; generated divisors are constants there.
        let expr = self.safe_condition(2);
        self.model.prop = Some(Prop { span: Span::default(), expr });
        self.model
    }
    fn type_expr(&mut self, ty: Ty) -> TypeId {
        let kind = match ty {
            Ty::Bool => TypeKind::Named(self.name("boolean")),
            Ty::Int => TypeKind::Named(self.name("integer")),
            Ty::Clock => TypeKind::Named(self.name("clock")),
            Ty::Enum(at) => TypeKind::Named(self.name(ENUMS[at].0)),
            Ty::Array => TypeKind::Array(self.type_expr(Ty::Int), self.type_expr(Ty::Int)),
        };
        self.model.type_exprs.push(TypeExpr { kind, span: Span::default() })
    }
    fn section(&mut self) -> Section {
        let branches = (0..=self.pick(3)).map(|_| self.block(3)).collect();
        Section { span: Span::default(), branches }
    }

    // Statements.

    fn block(&mut self, depth: usize) -> StmtId {
        let outer = self.scope.len();
        let mut list = vec![];
        let mut locals: Vec<Name> = vec![];
        for _ in 0..self.pick(4) {
            self.some_stmt(depth, &mut locals, &mut list);
        }
        self.scope.truncate(outer);
        self.stmt(StmtKind::Block(list.into()))
    }
    /// A body that is a block or a single statement.
    fn body(&mut self, depth: usize) -> StmtId {
        if self.pick(3) == 1 { self.assign() } else { self.block(depth) }
    }
    fn some_stmt(&mut self, depth: usize, locals: &mut Vec<Name>, list: &mut Vec<StmtId>) {
        let deeper = depth.saturating_sub(1);
        let stmt = match self.pick(if depth == 0 { 4 } else { 10 }) {
            0 | 1 => self.assign(),
            2 => {
                let condition = self.condition(2);
                self.stmt(StmtKind::Assume(condition))
            }
            3 if self.timed && !self.at_once => self.stmt(StmtKind::Delay),
            3 | 4 => return self.havoc(list),
            5 => return self.local(locals, list),
            6 => {
                let branches = (0..=self.pick(3)).map(|_| self.block(deeper)).collect();
                self.stmt(StmtKind::Choice(branches))
            }
            7 => {
                let condition = self.condition(2);
                let then = self.block(deeper);
                let otherwise = if self.pick(2) == 1 { Some(self.body(deeper)) } else { None };
                self.stmt(StmtKind::If(condition, then, otherwise))
            }
            8 => self.for_loop(deeper),
            _ => self.ort(deeper),
        };
        list.push(stmt);
    }
    /// Blocks at the same time, of which only the last one resets clocks.
    fn ort(&mut self, depth: usize) -> StmtId {
        let (outer, scope) = (self.at_once, self.scope.clone());
        self.at_once = true;
        self.scope.iter_mut().filter(|var| var.ty == Ty::Clock).for_each(|clock| clock.fixed = true);
        let mut blocks: Vec<StmtId> = (0..=self.pick(2)).map(|_| self.block(depth)).collect();
        self.scope = scope;
        blocks.push(self.block(depth));
        self.at_once = outer;
        self.stmt(StmtKind::Ort(blocks.into()))
    }
    /// The variables of a kind that are not hidden.
    fn visible(&self, wanted: impl Fn(&Var) -> bool) -> Vec<Var> {
        let shown = |at: usize| !self.scope[at + 1..].iter().any(|later| later.name == self.scope[at].name);
        (0..self.scope.len()).filter(|at| shown(*at)).map(|at| self.scope[at]).filter(wanted).collect()
    }
    fn assign(&mut self) -> StmtId {
        let vars = self.visible(|var| !var.fixed);
        // Everything may be fixed inside loops; then nothing changes.
        if vars.is_empty() {
            return self.stmt(StmtKind::Block(Box::new([])));
        }
        let var = vars[self.pick(vars.len())];
        let target = self.ident(var.name);
        if var.ty == Ty::Array && self.pick(2) == 0 {
            let position = self.small(Ty::Int, 1);
            let value = self.small(Ty::Int, 1);
            return self.stmt(StmtKind::Assign(target, Box::new([position]), value));
        }
        let value = self.small(var.ty, 2);
        self.stmt(StmtKind::Assign(target, Box::new([]), value))
    }
    fn havoc(&mut self, list: &mut Vec<StmtId>) {
        let vars = self.visible(|var| !var.fixed && !matches!(var.ty, Ty::Array | Ty::Clock));
        if vars.is_empty() {
            return;
        }
        let var = vars[self.pick(vars.len())];
        let target = self.ident(var.name);
        list.push(self.stmt(StmtKind::Havoc(target)));
        if var.ty == Ty::Int {
            list.push(self.bound(var.name));
        }
    }
    /// `assume 0 <= name && name < 3;`
    fn bound(&mut self, name: Name) -> StmtId {
        let (zero, three) = (self.int(0), self.int(3));
        let (a, b) = (self.expr(ExprKind::Name(name)), self.expr(ExprKind::Name(name)));
        let low = self.expr(ExprKind::Compare(CompareOp::Le, zero, a));
        let high = self.expr(ExprKind::Compare(CompareOp::Lt, b, three));
        let both = self.chain(low, vec![(ChainOp::And, high)]);
        self.stmt(StmtKind::Assume(both))
    }
    fn local(&mut self, locals: &mut Vec<Name>, list: &mut Vec<StmtId>) {
        let texts = ["b", "n", "k", "l"];
        let text = texts[self.pick(texts.len())];
        let name = self.name(text);
        if locals.contains(&name) {
            return;
        }
        let ty = [Ty::Int, Ty::Bool, Ty::Enum(0)][self.pick(3)];
        let initial = if self.pick(2) == 0 { Some(self.small(ty, 1)) } else { None };
        let (ident, ty_expr) = (self.ident(name), self.type_expr(ty));
        list.push(self.stmt(StmtKind::Local(ident, ty_expr, initial)));
        if initial.is_none() && ty == Ty::Int {
            list.push(self.bound(name));
        }
        locals.push(name);
        self.scope.push(Var { name, ty, fixed: false });
    }
    fn for_loop(&mut self, depth: usize) -> StmtId {
        let (first, last) = (self.pick(2), self.pick(4));
        let (from, to) = (self.int(first), self.int(last));
        // Loop variables are new, so they are numbered by nesting.
        let name = self.name(&format!("i{}", self.loops));
        self.loops += 1;
        let outer = self.scope.len();
        self.scope.push(Var { name, ty: Ty::Int, fixed: true });
        let body = self.body(depth);
        self.scope.truncate(outer);
        self.loops -= 1;
        let ident = self.ident(name);
        self.stmt(StmtKind::For(ident, from, to, body))
    }

    // Expressions.

    fn int(&mut self, value: usize) -> ExprId {
        self.expr(ExprKind::Int(Int::from(value as i64)))
    }
    fn chain(&mut self, first: ExprId, rest: Vec<(ChainOp, ExprId)>) -> ExprId {
        self.expr(ExprKind::Chain(Box::new(Chain { first, rest })))
    }
    /// A value that may be stored: integers are between 0 and 4.
    fn small(&mut self, ty: Ty, depth: usize) -> ExprId {
        match ty {
            Ty::Bool => self.condition(depth),
            Ty::Int => match self.pick(3) {
                0 => {
                    let value = self.pick(4);
                    self.int(value)
                }
                _ => {
                    let value = self.number(depth);
                    let modulus = self.pick(4) + 2;
                    let modulus = self.int(modulus);
                    self.chain(value, vec![(ChainOp::Mod, modulus)])
                }
            },
            Ty::Enum(at) => self.literal_or_var(at, depth),
            Ty::Array => self.array(depth),
            Ty::Clock => {
                let value = self.pick(3);
                self.int(value)
            }
        }
    }
    fn var_of(&mut self, ty: Ty) -> Option<ExprId> {
        let vars = self.visible(|var| var.ty == ty);
        if vars.is_empty() {
            return None;
        }
        let name = vars[self.pick(vars.len())].name;
        Some(self.expr(ExprKind::Name(name)))
    }
    fn literal(&mut self, at: usize) -> ExprId {
        let (ty, literals) = ENUMS[at];
        let literal = literals[self.pick(literals.len())];
        let name = if self.pick(2) == 0 { self.name(literal) } else { self.name(&format!("{ty}.{literal}")) };
        self.expr(ExprKind::Name(name))
    }
    fn literal_or_var(&mut self, at: usize, depth: usize) -> ExprId {
        match self.pick(if depth == 0 { 2 } else { 3 }) {
            0 => self.literal(at),
            1 => match self.var_of(Ty::Enum(at)) {
                Some(var) => var,
                None => self.literal(at),
            },
            _ => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.literal_or_var(at, depth - 1), self.literal_or_var(at, depth - 1));
                self.expr(ExprKind::Ite(condition, a, b))
            }
        }
    }
    fn array(&mut self, depth: usize) -> ExprId {
        let base = match self.pick(2) {
            1 => self.var_of(Ty::Array),
            _ => None,
        };
        let base = base.unwrap_or_else(|| {
            let entries = (0..self.pick(3)).map(|at| (self.int(at), self.small(Ty::Int, 0))).collect();
            let index = if self.pick(2) == 1 { Some(self.type_expr(Ty::Int)) } else { None };
            let default = self.small(Ty::Int, 0);
            self.expr(ExprKind::Array(Box::new(ArrayLiteral { entries, index, default })))
        });
        if depth == 0 || self.pick(2) == 0 {
            return base;
        }
        let writes = (0..=self.pick(2))
            .map(|_| Postfix::Write(self.small(Ty::Int, 0), self.small(Ty::Int, 0)))
            .collect();
        self.expr(ExprKind::Postfix(base, writes))
    }
    fn number(&mut self, depth: usize) -> ExprId {
        if depth == 0 {
            let value = self.pick(4);
            return match self.var_of(Ty::Int) {
                Some(var) if self.pick(3) != 0 => var,
                _ => self.int(value),
            };
        }
        let deeper = depth - 1;
        match self.pick(9) {
            0 => self.number(0),
            1 | 2 => {
                let first = self.number(deeper);
                let rest = (0..=self.pick(2)).map(|_| {
                    let op = [ChainOp::Add, ChainOp::Sub][self.pick(2)];
                    (op, self.number(deeper))
                });
                let rest = rest.collect();
                self.chain(first, rest)
            }
            3 => {
                let (a, b) = (self.number(deeper), self.number(0));
                self.chain(a, vec![(ChainOp::Mul, b)])
            }
            4 => {
                // Mostly harmless; at times a division by zero.
                let op = [ChainOp::Div, ChainOp::Mod, ChainOp::Rem][self.pick(3)];
                let a = self.number(deeper);
                let b = if self.pick(4) == 3 { self.number(0) } else { self.divisor() };
                self.chain(a, vec![(op, b)])
            }
            5 => {
                let operand = self.number(deeper);
                let op = [UnaryOp::Minus, UnaryOp::Plus][self.pick(2)];
                self.expr(ExprKind::Unary(op, operand))
            }
            6 | 7 => match self.var_of(Ty::Array) {
                Some(array) => {
                    let position = self.number(deeper);
                    self.expr(ExprKind::Postfix(array, Box::new([Postfix::Read(position)])))
                }
                None => self.number(0),
            },
            _ => {
                let condition = self.condition(deeper);
                let (a, b) = (self.number(deeper), self.number(deeper));
                self.expr(ExprKind::Ite(condition, a, b))
            }
        }
    }
    /// A constant other than 0, at times negative.
    fn divisor(&mut self) -> ExprId {
        let value = self.pick(3) + 1;
        let value = self.int(value);
        if self.pick(3) == 2 { self.expr(ExprKind::Unary(UnaryOp::Minus, value)) } else { value }
    }
    /// A condition that never divides.
    fn safe_condition(&mut self, depth: usize) -> ExprId {
        let first = self.atom(0);
        let rest = (0..self.pick(depth + 1)).map(|_| {
            let atom = self.atom(0);
            (
                ChainOp::Or,
                if self.pick(2) == 1 { self.expr(ExprKind::Unary(UnaryOp::Not, atom)) } else { atom },
            )
        });
        let rest: Vec<_> = rest.collect();
        if rest.is_empty() { first } else { self.chain(first, rest) }
    }
    fn condition(&mut self, depth: usize) -> ExprId {
        if depth == 0 {
            return self.atom(0);
        }
        let deeper = depth - 1;
        match self.pick(6) {
            0 | 1 => self.atom(deeper),
            2 => {
                let operand = self.condition(deeper);
                self.expr(ExprKind::Unary(UnaryOp::Not, operand))
            }
            3 | 4 => {
                let op =
                    [ChainOp::And, ChainOp::Or, ChainOp::Implies, ChainOp::Iff, ChainOp::Xor][self.pick(5)];
                let first = self.condition(deeper);
                let rest = (0..=self.pick(2)).map(|_| (op, self.condition(deeper))).collect();
                self.chain(first, rest)
            }
            _ => {
                let (c, a, b) = (self.condition(deeper), self.condition(deeper), self.condition(deeper));
                self.expr(ExprKind::Ite(c, a, b))
            }
        }
    }
    fn atom(&mut self, depth: usize) -> ExprId {
        use CompareOp::*;
        match self.pick(if self.timed { 7 } else { 5 }) {
            0 => {
                let value = self.pick(2) == 0;
                self.var_of(Ty::Bool).unwrap_or_else(|| self.expr(ExprKind::Bool(value)))
            }
            1 | 2 => {
                let op = [Eq, Lt, Le, Ne, Gt, Ge][self.pick(6)];
                let (a, b) = (self.number(depth), self.number(depth));
                self.expr(ExprKind::Compare(op, a, b))
            }
            3 => {
                let at = self.pick(2);
                let Some(var) = self.var_of(Ty::Enum(at)) else { return self.atom(depth) };
                let literal = self.literal(at);
                let op = [Eq, Ne][self.pick(2)];
                let (a, b) = if self.pick(2) == 0 { (var, literal) } else { (literal, var) };
                self.expr(ExprKind::Compare(op, a, b))
            }
            4 => {
                let value = self.pick(2) == 0;
                self.expr(ExprKind::Bool(value))
            }
            _ => self.constraint([Lt, Le, Eq, Ge, Gt, Ne]),
        }
    }
    fn constraint(&mut self, ops: [CompareOp; 6]) -> ExprId {
        let op = ops[self.pick(6)];
        // Initial values stand before the clocks.
        let Some(clock) = self.var_of(Ty::Clock) else { return self.expr(ExprKind::Bool(true)) };
        let constant = self.pick(4);
        let constant = self.int(constant);
        let side = match self.pick(3) {
            1 => {
                let other = self.var_of(Ty::Clock).expect("there is a clock");
                self.chain(clock, vec![(ChainOp::Sub, other)])
            }
            _ => clock,
        };
        let (a, b) = if self.pick(2) == 0 { (side, constant) } else { (constant, side) };
        self.expr(ExprKind::Compare(op, a, b))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::{load, parse, print};
    use super::*;

    fn check(model: &Model) -> Result<(), TestCaseError> {
        let text = print(model);
        let (parsed, errors) = parse(&text);
        prop_assert!(errors.is_empty(), "{errors:?}\n{text}");
        prop_assert!(parsed == *model, "{text}");
        prop_assert_eq!(print(&parsed), text.clone());
        let loaded = load(&text);
        prop_assert!(loaded.is_ok(), "{:?}\n{text}", loaded.err());
        Ok(())
    }

    proptest! {
        #![proptest_config(sampling::runs(256, 2026))]

        #[test]
        fn models_survive_printing_and_load(model in model()) {
            check(&model)?;
        }

        #[test]
        fn timed_models_survive_printing_and_load(model in timed_model()) {
            check(&model)?;
        }
    }

    /// What stands in a statement: names that are written, names that are read, and kinds of statements.
    #[derive(Default)]
    struct Content {
        written: BTreeSet<Name>,
        read: BTreeSet<Name>,
        kinds: BTreeSet<&'static str>,
    }

    impl Content {
        fn of(model: &Model, stmt: StmtId) -> Self {
            let mut content = Content::default();
            let (mut stmts, mut exprs) = (vec![stmt], vec![]);
            while let Some(stmt) = stmts.pop() {
                let kind = match &model.stmts[stmt].kind {
                    StmtKind::Block(list) => {
                        stmts.extend(list);
                        "block"
                    }
                    StmtKind::Choice(list) => {
                        stmts.extend(list);
                        "choice"
                    }
                    StmtKind::Ort(list) => {
                        stmts.extend(list);
                        "ort"
                    }
                    StmtKind::For(_, _, _, body) => {
                        stmts.push(*body);
                        "loop"
                    }
                    StmtKind::If(condition, then, otherwise) => {
                        exprs.push(*condition);
                        stmts.extend(otherwise.iter().chain([then]));
                        "if"
                    }
                    StmtKind::Local(_, _, initial) => {
                        exprs.extend(initial);
                        "local"
                    }
                    StmtKind::Assign(target, positions, value) => {
                        content.written.insert(target.name);
                        exprs.extend(positions.iter().chain([value]));
                        "assignment"
                    }
                    StmtKind::Havoc(ident) => {
                        content.written.insert(ident.name);
                        "havoc"
                    }
                    StmtKind::Assume(condition) => {
                        exprs.push(*condition);
                        "assumption"
                    }
                    StmtKind::Delay => "delay",
                };
                content.kinds.insert(kind);
            }
            while let Some(expr) = exprs.pop() {
                let kind = &model.exprs[expr].kind;
                if let ExprKind::Name(name) = kind {
                    content.read.insert(*name);
                }
                kind.for_each_child(|child| exprs.push(child));
            }
            content
        }
    }

    /// Blocks of an `ort` write the same, read what others write, reset clocks, and contain statements of
    /// every kind but delays.
    #[test]
    fn blocks_at_the_same_time_are_varied() {
        let seen = RefCell::new(BTreeMap::<&str, usize>::new());
        let runs = sampling::runs(1_000, 7);
        for models in [model().boxed(), timed_model().boxed()] {
            sampling::check(runs.clone(), &models, print, |model| {
                let orts = model.stmts.iter().filter_map(|stmt| match &stmt.kind {
                    StmtKind::Ort(blocks) => Some(blocks),
                    _ => None,
                });
                for blocks in orts {
                    let parts: Vec<Content> =
                        blocks.iter().map(|block| Content::of(&model, *block)).collect();
                    let is_clock = |name: &Name| matches!(model.names.text(*name), "c" | "d");
                    let mut found: BTreeSet<&str> =
                        parts.iter().flat_map(|part| part.kinds.clone()).collect();
                    for (at, part) in parts.iter().enumerate() {
                        let later = || parts[at + 1..].iter();
                        let shared = |names: &BTreeSet<Name>| !part.written.is_disjoint(names);
                        let marks = [
                            ("conflict", later().any(|other| shared(&other.written))),
                            ("read behind a write", later().any(|other| shared(&other.read))),
                            ("reset", part.written.iter().any(is_clock)),
                        ];
                        found.extend(marks.iter().filter(|(_, is)| *is).map(|(mark, _)| mark));
                    }
                    let mut seen = seen.borrow_mut();
                    found.into_iter().for_each(|mark| *seen.entry(mark).or_default() += 1);
                }
                Ok(())
            });
        }
        let seen = seen.into_inner();
        assert_eq!(seen.get("delay"), None, "{seen:?}");
        let wanted =
            ["conflict", "read behind a write", "reset", "choice", "ort", "loop", "local", "havoc", "if"];
        for mark in wanted.iter().filter(|_| runs.cases >= 1_000) {
            assert!(seen.get(mark).is_some_and(|count| *count >= 50), "{mark}: {seen:?}");
        }
    }
}
