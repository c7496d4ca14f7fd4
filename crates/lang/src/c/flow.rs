//! Statements: the graph of points that the program goes through.
//!
//! A point stands before every statement that does something. An edge carries the instructions of one statement, or the
//! condition on which it is taken.

use ir::{FaultKind, Span};

use super::ast::*;
use super::code::{Edge, Instr, ObjectKind, PointId, ValueNode};
use super::elaborate::{Elaborator, Here, Purpose, Scope, Switch, Symbol};
use super::expr::has_effects;
use super::types::{Length, Ty, TyId};
use crate::code::Code as Cause;

impl<'a> Elaborator<'a> {
    /// The program does something, wherever it is.
    pub fn emit(&mut self, instr: Instr) {
        if let Some(here) = &mut self.here {
            here.instrs.push(instr);
        }
    }
    /// The program goes to a point.
    pub fn jump(&mut self, to: PointId) {
        if let Some(Here { from, instrs, span }) = self.here.take() {
            self.code.link(Edge { from, to, instrs, span, branch: None, silent: false });
        }
    }
    /// The program goes on at a point.
    pub fn go_on(&mut self, at: PointId) {
        let span = self.here.as_ref().map_or(Span::default(), |here| here.span);
        self.here = (!self.too_large).then_some(Here { from: at, instrs: vec![], span });
    }
    /// Nothing has happened since the last point.
    fn settle(&mut self) {
        let busy = self.here.as_ref().is_some_and(|here| !here.instrs.is_empty());
        if busy {
            let span = self.here.as_ref().map_or(Span::default(), |here| here.span);
            let point = self.new_point();
            self.jump(point);
            self.go_on(point);
            self.look_at(span);
        }
    }
    fn look_at(&mut self, span: Span) {
        if let Some(here) = &mut self.here {
            here.span = span;
        }
    }
    /// A statement begins that does something.
    fn begin(&mut self, span: Span) {
        self.settle();
        if let Some(here) = &mut self.here {
            here.span = span;
            self.code.points[here.from].starts.push(span);
        }
        self.log.truncate(self.log_floor());
    }
    /// What calls around the one under evaluation have logged is theirs.
    fn log_floor(&self) -> usize {
        if self.frames.len() <= 1 { 0 } else { self.log.len() }
    }
    /// Goes one way where a condition holds, and the other way elsewhere.
    pub fn branch(&mut self, condition: &Expr, yes: PointId, no: PointId) -> Option<()> {
        ir::deep(|| self.branch_on(condition, yes, no))
    }
    fn branch_on(&mut self, condition: &Expr, yes: PointId, no: PointId) -> Option<()> {
        match &condition.kind {
            ExprKind::Unary(Unary::Not, inner) => return self.branch(inner, no, yes),
            ExprKind::And(a, b) | ExprKind::Or(a, b) if has_effects(condition) => {
                let from = self.log.len();
                let between = self.new_point();
                match &condition.kind {
                    ExprKind::And(..) => self.branch(a, between, no)?,
                    _ => self.branch(a, yes, between)?,
                }
                self.sequence(from);
                self.go_on(between);
                self.look_at(b.span);
                return self.branch(b, yes, no);
            }
            ExprKind::Comma(list) => {
                if let Some((last, before)) = list.split_last() {
                    let from = self.log.len();
                    for part in before {
                        self.effect(part);
                        self.sequence(from);
                    }
                    return self.branch(last, yes, no);
                }
            }
            _ => {}
        }
        let value = self.value(condition)?;
        let value = self.scalar(value)?;
        if let Some(known) = self.fold(value) {
            self.jump(if known != 0 { yes } else { no });
            return Some(());
        }
        self.settle();
        if let Some(Here { from, span, .. }) = self.here.take() {
            for (to, holds) in [(yes, true), (no, false)] {
                let instrs = vec![Instr::Assume(value, holds)];
                self.code.link(Edge { from, to, instrs, span, branch: Some(holds), silent: !holds });
            }
        }
        Some(())
    }

    /// A statement.
    pub fn statement(&mut self, stmt: &'a Stmt) {
        ir::deep(|| self.statement_of(stmt));
    }
    fn statement_of(&mut self, stmt: &'a Stmt) {
        if self.too_large || self.diagnostics.is_full() {
            return;
        }
        // Where nobody comes, only labels are looked for.
        let reached = self.here.is_some();
        match &stmt.kind {
            StmtKind::Labelled(name, inner) => {
                let targeted = self.frames.last().is_some_and(|frame| frame.targets.contains(&*name.text));
                if targeted {
                    let point = self.label(name);
                    self.jump(point);
                    self.go_on(point);
                } else if reached {
                    self.settle();
                }
                if let Some(here) = &self.here {
                    self.code.points[here.from].labels.push(name.text.clone());
                }
                self.statement(inner);
            }
            StmtKind::Case(low, high, inner) => {
                self.case(low, high.as_ref());
                self.statement(inner);
            }
            StmtKind::Default(inner) => {
                let point = self.new_point();
                self.jump(point);
                let switch = self.frames.last_mut().and_then(|frame| frame.switches.last_mut());
                match switch {
                    Some(switch) => {
                        switch.default = Some(point);
                        self.go_on(point);
                    }
                    None => self.error(Cause::Misplaced, stmt.span, "`default` stands in no `switch`"),
                }
                self.statement(inner);
            }
            StmtKind::Block(items) => {
                self.scopes.push(Scope::default());
                for item in items {
                    match item {
                        BlockItem::Stmt(stmt) => self.statement(stmt),
                        BlockItem::Declaration(declaration) => self.declaration(declaration),
                    }
                }
                self.scopes.pop();
            }
            StmtKind::Expr(None) => {
                if reached {
                    self.begin(stmt.span);
                }
            }
            StmtKind::Expr(Some(expr)) => {
                if reached {
                    self.begin(stmt.span);
                    self.effect(expr);
                }
            }
            StmtKind::If(condition, then, other) => {
                let [yes, no, after] = [self.new_point(), self.new_point(), self.new_point()];
                if reached {
                    self.begin(condition.span);
                    self.branch(condition, yes, no);
                    self.go_on(yes);
                }
                self.statement(then);
                self.jump(after);
                if reached {
                    self.go_on(no);
                }
                if let Some(other) = other {
                    self.statement(other);
                }
                self.jump(after);
                self.continue_at(after);
            }
            StmtKind::While(condition, body) => {
                let [head, inside, after] = [self.new_point(), self.new_point(), self.new_point()];
                self.jump(head);
                if reached {
                    self.go_on(head);
                    self.code.points[head].head = true;
                    self.begin(condition.span);
                    self.branch(condition, inside, after);
                    self.go_on(inside);
                }
                self.body(body, after, head);
                self.jump(head);
                if !reached && self.is_reached(head) {
                    self.go_on(head);
                    self.code.points[head].head = true;
                    self.begin(condition.span);
                    self.branch(condition, inside, after);
                }
                self.continue_at(after);
            }
            StmtKind::Do(body, condition) => {
                let [inside, check, after] = [self.new_point(), self.new_point(), self.new_point()];
                self.jump(inside);
                if reached {
                    self.go_on(inside);
                }
                self.code.points[inside].head = true;
                self.body(body, after, check);
                self.jump(check);
                if self.is_reached(check) {
                    self.go_on(check);
                    self.begin(condition.span);
                    self.branch(condition, inside, after);
                }
                self.continue_at(after);
            }
            StmtKind::For(init, condition, step, body) => {
                self.for_loop(init, condition.as_ref(), step.as_ref(), body, stmt.span, reached);
            }
            StmtKind::Switch(value, body) => self.switch(value, body, stmt.span, reached),
            StmtKind::Goto(name) => {
                if reached {
                    self.begin(stmt.span);
                    let known = self.frames.last().is_some_and(|frame| {
                        let unit: &'a Unit = self.unit;
                        has_label(&unit.functions[frame.function].body, &name.text)
                    });
                    if !known {
                        let message = format!("there is no label `{}` in this function", name.text);
                        return self.error(Cause::UnknownName, name.span, message);
                    }
                    let point = self.label(name);
                    self.jump(point);
                }
            }
            StmtKind::Continue | StmtKind::Break => {
                if !reached {
                    return;
                }
                self.begin(stmt.span);
                let is_break = matches!(stmt.kind, StmtKind::Break);
                let target = self.frames.last().and_then(|frame| match is_break {
                    true => frame.breaks.last(),
                    false => frame.continues.last(),
                });
                match target.copied() {
                    Some(target) => self.jump(target),
                    None => self.error(Cause::Misplaced, stmt.span, "this stands in no loop"),
                }
            }
            StmtKind::Return(value) => {
                if !reached {
                    return;
                }
                self.begin(stmt.span);
                let Some((exit, result)) = self.frames.last().map(|frame| (frame.exit, frame.result)) else {
                    return;
                };
                if let Some(value) = value {
                    match result {
                        Some(result) => {
                            if let Some(value) = self.value(value) {
                                self.store(result, value, stmt.span);
                            }
                        }
                        None => drop(self.effect(value)),
                    }
                }
                self.jump(exit);
            }
            StmtKind::Unsupported(what) => {
                if reached {
                    let _: Option<()> = self.unsupported(Cause::UnsupportedStatement, stmt.span, what);
                }
            }
        }
    }
    /// The program goes on at a point if anything leads there.
    fn continue_at(&mut self, point: PointId) {
        match self.is_reached(point) {
            true => self.go_on(point),
            false => self.here = None,
        }
    }
    fn is_reached(&self, point: PointId) -> bool {
        self.code.points[point].reached
    }
    fn body(&mut self, body: &'a Stmt, after: PointId, next: PointId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.push(after);
            frame.continues.push(next);
        }
        self.statement(body);
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.pop();
            frame.continues.pop();
        }
    }
    fn for_loop(
        &mut self,
        init: &'a ForInit,
        condition: Option<&'a Expr>,
        step: Option<&'a Expr>,
        body: &'a Stmt,
        span: Span,
        reached: bool,
    ) {
        let [head, inside, next, after] =
            [self.new_point(), self.new_point(), self.new_point(), self.new_point()];
        self.scopes.push(Scope::default());
        match init {
            ForInit::Nothing => {}
            ForInit::Expr(expr) => {
                if reached {
                    self.begin(expr.span);
                    self.effect(expr);
                }
            }
            ForInit::Declaration(declaration) => self.declaration(declaration),
        }
        self.jump(head);
        self.code.points[head].head = true;
        if reached {
            self.check_head(head, condition, inside, after, span);
            self.go_on(inside);
        }
        self.body(body, after, next);
        self.jump(next);
        if self.is_reached(next) {
            self.go_on(next);
            if let Some(step) = step {
                self.begin(step.span);
                self.effect(step);
            }
            self.jump(head);
            if !reached {
                self.check_head(head, condition, inside, after, span);
            }
        }
        self.scopes.pop();
        self.continue_at(after);
    }
    fn check_head(
        &mut self,
        head: PointId,
        condition: Option<&'a Expr>,
        inside: PointId,
        after: PointId,
        span: Span,
    ) {
        self.go_on(head);
        match condition {
            Some(condition) => {
                self.begin(condition.span);
                self.branch(condition, inside, after);
            }
            None => {
                self.begin(Span::new(span.start as usize, (span.start as usize + 3).min(span.end as usize)));
                self.jump(inside);
            }
        }
    }
    fn label(&mut self, name: &'a Name) -> PointId {
        let known = self.frames.last().and_then(|frame| frame.labels.get(&*name.text)).copied();
        known.unwrap_or_else(|| {
            let point = self.new_point();
            if let Some(frame) = self.frames.last_mut() {
                frame.labels.insert(&name.text, point);
            }
            point
        })
    }
    fn switch(&mut self, value: &'a Expr, body: &'a Stmt, span: Span, reached: bool) {
        let after = self.new_point();
        let mut dispatch = None;
        let mut word = IntWord::Int;
        if reached {
            self.begin(value.span);
            if let Some(value) = self.value(value) {
                match self.types.as_int(self.code.values[value].ty) {
                    Some(found) => {
                        word = found.promoted();
                        let ty = self.types.int(word);
                        let value = self.convert(value, ty, span);
                        self.settle();
                        dispatch = value.zip(self.here.take());
                    }
                    None => self.error(Cause::TypeMismatch, span, "`switch` is about an integer"),
                }
            }
            self.here = None;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.switches.push(Switch { ty: word, cases: vec![], default: None });
            frame.breaks.push(after);
        }
        self.statement(body);
        self.jump(after);
        let switch = self.frames.last_mut().and_then(|frame| {
            frame.breaks.pop();
            frame.switches.pop()
        });
        if let (Some((value, Here { from, span, .. })), Some(switch)) = (dispatch, switch) {
            let int = self.int_type();
            let ty = self.types.int(word);
            let mut others = vec![];
            for (low, high, to) in &switch.cases {
                let (low, high) = (*low, *high);
                let mut number = |at: i128| self.code.value(ValueNode::Int(at), ty, span);
                let (first, last) = (number(low), number(high));
                let node = if low == high {
                    ValueNode::Compare(Binary::Eq, value, first)
                } else {
                    let above = self.code.value(ValueNode::Compare(Binary::Le, first, value), int, span);
                    let below = self.code.value(ValueNode::Compare(Binary::Le, value, last), int, span);
                    ValueNode::And(above, below)
                };
                let is = self.code.value(node, int, span);
                others.push(Instr::Assume(is, false));
                let instrs = vec![Instr::Assume(is, true)];
                self.code.link(Edge { from, to: *to, instrs, span, branch: None, silent: true });
            }
            let to = switch.default.unwrap_or(after);
            self.code.link(Edge { from, to, instrs: others, span, branch: None, silent: false });
        }
        self.continue_at(after);
    }
    fn case(&mut self, low: &'a Expr, high: Option<&'a Expr>) {
        let point = self.new_point();
        self.jump(point);
        let bounds = (self.constant(low), high.map(|high| self.constant(high)));
        let (Some(from), Some(to)) = (bounds.0, bounds.1.unwrap_or(bounds.0)) else {
            return self.error(Cause::NotConstant, low.span, "a `case` is a constant");
        };
        let model = self.types.model;
        let switch = self.frames.last_mut().and_then(|frame| frame.switches.last_mut());
        match switch {
            Some(switch) => {
                let (from, to) = (model.converted(from, switch.ty), model.converted(to, switch.ty));
                let twice = switch.cases.iter().any(|(low, high, _)| *low <= to && from <= *high);
                if twice {
                    self.error(Cause::DuplicateName, low.span, "this value has a `case` already");
                } else if let Some(frame) = self.frames.last_mut()
                    && let Some(switch) = frame.switches.last_mut()
                    && from <= to
                {
                    switch.cases.push((from, to, point));
                }
                self.go_on(point);
            }
            None => self.error(Cause::Misplaced, low.span, "`case` stands in no `switch`"),
        }
    }

    // Declarations within functions.

    fn declaration(&mut self, declaration: &'a Declaration) {
        let base = self.base(&declaration.base);
        for declarator in &declaration.declarators {
            let Some(name) = &declarator.name else { continue };
            match declaration.storage {
                Storage::Typedef => {
                    let ty = self.derive(base, &declarator.derived);
                    self.bind(&name.text, Symbol::Type(ty));
                }
                Storage::Extern => {
                    // What file scope says of the name, or nothing.
                    if let Some(symbol) = self.scopes[0].symbols.get(&name.text).copied() {
                        self.bind(&name.text, symbol);
                    } else {
                        self.extern_local(declarator, name, base);
                    }
                }
                Storage::Static => self.static_local(declarator, name, base),
                Storage::Plain | Storage::ThreadLocal => {
                    self.local_variable(declaration, declarator, name, base);
                }
            }
        }
    }
    fn extern_local(&mut self, declarator: &'a Declarator, name: &'a Name, base: TyId) {
        let ty = self.derive(base, &declarator.derived);
        if matches!(self.types.get(ty), Ty::Function(..)) {
            self.prototypes.entry(name.text.clone()).or_insert(ty);
            self.bind(&name.text, Symbol::Function);
        } else {
            let object = self.local(name, ty, false);
            self.code.objects[object].kind = ObjectKind::External;
            self.bind(&name.text, Symbol::Object(object));
        }
    }
    fn static_local(&mut self, declarator: &'a Declarator, name: &'a Name, base: TyId) {
        if let Some(known) = self.known_local(name) {
            self.bind(&name.text, Symbol::Object(known));
            return;
        }
        let ty = self.derive(base, &declarator.derived);
        let ty = match &declarator.init {
            Some(init) => self.completed(ty, init).unwrap_or(ty),
            None => ty,
        };
        let object = self.local(name, ty, false);
        self.code.objects[object].kind = ObjectKind::Static(vec![]);
        if let Some(init) = &declarator.init {
            self.static_init(object, init);
        }
        self.bind(&name.text, Symbol::Object(object));
    }
    fn local_variable(
        &mut self,
        declaration: &'a Declaration,
        declarator: &'a Declarator,
        name: &'a Name,
        base: TyId,
    ) {
        let is_function =
            matches!(declarator.derived.last(), Some(Derived::Function(..) | Derived::OldFunction(_)));
        if is_function {
            return self.extern_local(declarator, name, base);
        }
        if self.here.is_none() {
            // Nobody comes here, but labels may follow whose code uses the name.
            let ty = self.derive(base, &declarator.derived);
            let ty = match &declarator.init {
                Some(init) => self.completed(ty, init).unwrap_or(ty),
                None => ty,
            };
            let object = self.local(name, ty, declaration.base.volatile);
            return self.bind(&name.text, Symbol::Object(object));
        }
        if declarator.init.is_some() {
            self.begin(declarator.span);
        }
        let Some(ty) = self.sized(base, &declarator.derived, name) else { return };
        let ty = match &declarator.init {
            Some(init) => self.completed(ty, init).unwrap_or(ty),
            None => ty,
        };
        let object = self.local(name, ty, declaration.base.volatile);
        // The name is known in its own initialiser.
        self.bind(&name.text, Symbol::Object(object));
        match &declarator.init {
            Some(init) => drop(self.init_object(object, init, declarator.span)),
            None => self.emit(Instr::Undefine(object)),
        }
    }
    /// The type of a variable, where the length of an array may be known only now.
    fn sized(&mut self, base: TyId, derived: &'a [Derived], name: &'a Name) -> Option<TyId> {
        let Some((Derived::Array(Some(size)), inner)) = derived.split_last() else {
            return Some(self.derive(base, derived));
        };
        self.quiet += 1;
        let constant = self.constant(size);
        self.quiet -= 1;
        if constant.is_some() {
            return Some(self.derive(base, derived));
        }
        let of = self.derive(base, inner);
        if matches!(self.types.get(of), Ty::Array(_, Length::Unknown)) {
            return self.unsupported(
                Cause::UnsupportedType,
                name.span,
                "an array of arrays of variable length",
            );
        }
        let value = self.value(size)?;
        let span = size.span;
        let zero = self.number(0, IntWord::Int, span);
        let positive = self.binary(Binary::Gt, value, zero, span)?;
        self.emit(Instr::Demand(positive, FaultKind::IndexOutOfRange, span));
        let word = self.types.model.size_type();
        let length_type = self.types.int(word);
        let length = self.hidden(length_type, name.span, Purpose::Length, format!("length of {}", name.text));
        let place = self.whole(length, span);
        self.store(place, value, span)?;
        Some(self.types.add(Ty::Array(of, Length::Variable(length))))
    }

    // Statements in expressions.

    /// `({ … })` without its value.
    pub fn statement_expression(&mut self, stmt: &Stmt) {
        let _: Option<()> =
            self.unsupported(Cause::UnsupportedOperator, stmt.span, "a statement in an expression");
    }
    /// `({ … })` with the value of its last expression.
    pub fn block_value(&mut self, stmt: &Stmt, _: Span) -> Option<super::code::ValueId> {
        self.unsupported(Cause::UnsupportedOperator, stmt.span, "a statement in an expression")
    }
}

fn has_label(stmt: &Stmt, label: &str) -> bool {
    let inside = |stmt: &Stmt| ir::deep(|| has_label(stmt, label));
    match &stmt.kind {
        StmtKind::Labelled(name, body) => name.text == label || inside(body),
        StmtKind::Case(_, _, body)
        | StmtKind::Default(body)
        | StmtKind::Switch(_, body)
        | StmtKind::While(_, body)
        | StmtKind::Do(body, _)
        | StmtKind::For(_, _, _, body) => inside(body),
        StmtKind::If(_, then, other) => inside(then) || other.as_deref().is_some_and(inside),
        StmtKind::Block(items) => {
            items.iter().any(|item| matches!(item, BlockItem::Stmt(stmt) if inside(stmt)))
        }
        _ => false,
    }
}
