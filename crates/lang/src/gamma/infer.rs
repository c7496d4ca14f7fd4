//! Types of expressions.
//!
//! Integers and integers within bounds are one type here; nothing else is converted: a decimal number is no integer,
//! and an integer no decimal number. Arithmetic mixes numbers; the result is of the wider type.

use super::ast::*;
use super::project::Def;
use super::resolve::Resolver;
use super::scope::{Scope, Space};
use super::types::{Ty, TyKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;

impl Resolver<'_> {
    /// The type of an expression.
    pub(super) fn expr(&mut self, id: ExprId, scope: &mut Scope) -> Ty {
        let ty = ir::deep(|| self.infer(id, scope));
        self.typed[id] = Some(ty);
        ty
    }
    /// The type of an expression that was looked at.
    pub(super) fn ty_of(&self, id: ExprId) -> Ty {
        self.typed[id].unwrap_or(self.types.unknown)
    }
    /// Complains unless a value fits a type.
    pub(super) fn expect(&mut self, id: ExprId, wanted: Ty, what: &str) {
        let found = self.ty_of(id);
        if !self.types.fit(found, wanted) {
            let (wanted, found) = (self.types.shown(self.ast, wanted), self.types.shown(self.ast, found));
            let message = format!("{what} is {wanted}, but this value is {found}");
            self.error(Code::TypeMismatch, self.ast.exprs[id].span, message);
        }
    }
    pub(super) fn expect_integer(&mut self, id: ExprId, what: &str) {
        self.expect(id, self.types.integer, what);
    }
    fn expect_boolean(&mut self, id: ExprId, what: &str) {
        self.expect(id, self.types.boolean, what);
    }
    fn expect_number(&mut self, id: ExprId, what: &str) {
        let found = self.ty_of(id);
        if !self.types.kind(found).is_number() {
            let message =
                format!("{what} is a number, but this value is {}", self.types.shown(self.ast, found));
            self.error(Code::TypeMismatch, self.ast.exprs[id].span, message);
        }
    }
    /// A truth value; `else` is none here.
    pub(super) fn condition(&mut self, id: ExprId, scope: &mut Scope, what: &str) {
        self.expr(id, scope);
        self.expect_boolean(id, what);
    }
    /// The guard of a transition or of a branch, which may be `else`.
    pub(super) fn guard(&mut self, id: ExprId, scope: &mut Scope) {
        if self.ast.exprs[id].kind == ExprKind::Else {
            self.typed[id] = Some(self.types.boolean);
            return;
        }
        self.condition(id, scope, "a guard");
    }

    fn infer(&mut self, id: ExprId, scope: &mut Scope) -> Ty {
        let ast = self.ast;
        let span = ast.exprs[id].span;
        match &ast.exprs[id].kind {
            ExprKind::Else => {
                let message = "`else` is a guard of its own, `[else]`; it cannot be part of an expression";
                self.error(Code::Misplaced, span, message);
                self.types.unknown
            }
            ExprKind::Bool(_) => self.types.boolean,
            ExprKind::Integer(_) => self.types.integer,
            ExprKind::Rational(_, denominator) => {
                if denominator.is_zero() {
                    self.error(Code::Undefined, span, "the denominator of this number is 0");
                }
                self.types.rational
            }
            ExprKind::Decimal(_) => self.types.decimal,
            ExprKind::Opaque(_) => self.types.opaque,
            ExprKind::Infinity => self.types.unknown,
            ExprKind::Time(value, _) => {
                self.expr(*value, scope);
                self.expect_integer(*value, "a time");
                self.types.integer
            }
            ExprKind::Name(used) => self.value_name(*used, scope),
            ExprKind::Literal { ty, literal } => self.enum_literal(*ty, *literal, scope),
            ExprKind::EventParameter { port, event, param } => {
                self.event_parameter(*port, *event, *param, scope)
            }
            ExprKind::Raised(event) => {
                self.event_ref(*event, scope);
                self.types.boolean
            }
            ExprKind::InState { region, state } => {
                if let Some(Def::Node(node)) = self.own(&scope.nodes, "state", *state) {
                    self.region_of_state(*region, node);
                }
                self.types.boolean
            }
            ExprKind::Elapsed(timeout) => {
                self.own(&scope.timeouts, "timeout", *timeout);
                self.types.unknown
            }
            ExprKind::Array(entries) => {
                let mut element = self.types.unknown;
                for &entry in entries {
                    let ty = self.expr(entry, scope);
                    if self.types.kind(element).is_unknown() {
                        element = ty;
                    }
                    self.expect(entry, element, "an entry of this array");
                }
                let size = u32::try_from(entries.len()).ok();
                self.types.intern(TyKind::Array { element, size })
            }
            ExprKind::Record { ty, fields } => self.record(*ty, fields, id, scope),
            ExprKind::Range { from, to, .. } => {
                for end in [*from, *to] {
                    self.expr(end, scope);
                    self.expect_integer(end, "the end of a range");
                }
                if let (Some(from), Some(to)) = (self.integer_value(*from), self.integer_value(*to))
                    && from > to
                {
                    let message = format!("the range from {from} to {to} is empty; swap its ends");
                    self.error(Code::OutOfRange, span, message);
                }
                self.types.integer_range
            }
            ExprKind::Index(array, index) => self.indexed(*array, *index, scope),
            ExprKind::Field(record, field) => {
                let ty = self.expr(*record, scope);
                self.field(ty, *field)
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, id, scope),
            ExprKind::Select(values) => {
                let ty = self.expr(*values, scope);
                match *self.types.kind(ty) {
                    TyKind::IntegerRange => self.types.integer,
                    TyKind::Array { element, .. } => element,
                    ref kind if kind.is_unknown() => ty,
                    _ => {
                        let found = self.types.shown(ast, ty);
                        let message =
                            format!("`select` takes a value of a range or an array, but this is {found}");
                        self.error(Code::TypeMismatch, ast.exprs[*values].span, message);
                        self.types.unknown
                    }
                }
            }
            ExprKind::Negate(operand) | ExprKind::Plus(operand) => {
                let ty = self.expr(*operand, scope);
                self.expect_number(*operand, "the operand of a sign");
                self.plain(ty)
            }
            ExprKind::Product(first, rest) => self.product(*first, rest, scope),
            ExprKind::Sum(first, rest) => {
                let mut ty = self.expr(*first, scope);
                self.expect_number(*first, "an operand of `+` and `-`");
                for &(_, operand) in rest {
                    let other = self.expr(operand, scope);
                    self.expect_number(operand, "an operand of `+` and `-`");
                    ty = self.wider(ty, other);
                }
                self.plain(ty)
            }
            ExprKind::Compare(op, left, right) => {
                self.compared(*op, *left, *right, id, scope);
                self.types.boolean
            }
            ExprKind::Not(operand) => {
                self.condition(*operand, scope, "the operand of `not`");
                self.types.boolean
            }
            ExprKind::Quantified(_, params, body) => {
                let before = scope.locals.len();
                for &param in params {
                    let Param { ident, ty } = ast.params[param];
                    self.ty(ty, scope);
                    scope.locals.push((ident.name, Def::Param(param)));
                }
                self.condition(*body, scope, "what is claimed of all or some values");
                scope.locals.truncate(before);
                self.types.boolean
            }
            ExprKind::Logic(_, operands) => {
                for &operand in operands {
                    self.condition(operand, scope, "an operand of `and`, `or`, `xor` and `imply`");
                }
                self.types.boolean
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.condition(*condition, scope, "the condition before `?`");
                let ty = self.expr(*yes, scope);
                let other = self.expr(*no, scope);
                self.expect(*no, ty, "the value before `:`");
                if self.types.kind(ty).is_unknown() { other } else { ty }
            }
            ExprKind::Observed(_) => {
                self.error(Code::Misplaced, span, "only properties and traces look into instances");
                self.types.unknown
            }
        }
    }

    // Names.

    fn value_name(&mut self, used: RefId, scope: &Scope) -> Ty {
        let name = self.ast.refs[used].name;
        let local = scope.locals.iter().rev().find(|(local, _)| *local == name).map(|(_, def)| *def);
        let def = local
            .or_else(|| scope.values.get(name))
            .or_else(|| self.globals.find(scope.package, Space::Value, name));
        let Some(def) = def else {
            let ast = self.ast;
            let locals = scope.locals.iter().map(|(name, _)| ast.names.text(*name));
            let globals = self.globals.names(ast, scope.package, Space::Value);
            let all = locals.chain(scope.values.texts(ast)).chain(globals);
            let near = nearest(ast.names.text(name), all).map(str::to_owned);
            self.unknown_value(used, near, scope);
            return self.types.unknown;
        };
        self.define(used, def);
        match def {
            Def::Variable(id) => self.variable_ty(id),
            Def::Param(id) => self.param_ty(id),
            Def::Function(id) => self.function_ty(id),
            _ => self.types.unknown,
        }
    }
    /// An unknown value may be a literal without its type, or a port, and then there is something better to say.
    fn unknown_value(&mut self, used: RefId, near: Option<String>, scope: &Scope) {
        let ast = self.ast;
        let (name, span) = (ast.refs[used].name, ast.refs[used].span);
        let text = ast.names.text(name);
        let mut literal_of = None;
        for decl in ast.type_decls.iter() {
            if let TypeKind::Enum(literals) = &ast.types[decl.ty].kind
                && literals.iter().any(|literal| literal.name == name)
            {
                literal_of = Some(ast.text(decl.ident));
            }
        }
        if let Some(ty) = literal_of {
            let message = format!("`{text}` is a literal of `{ty}`; write `{ty}::{text}`");
            let near = format!("{ty}::{text}");
            self.diagnostics
                .push(Diagnostic::error(Code::UnknownName, span, message).about(text).meaning(Some(&near)));
        } else if scope.ports.get(name).is_some() {
            let message =
                format!("`{text}` is a port; a parameter of its event is written `{text}.event::parameter`");
            self.diagnostics.push(Diagnostic::error(Code::WrongKind, span, message).about(text));
        } else {
            self.unknown(used, "variable, constant or parameter", near.as_deref());
        }
    }
    fn function_ty(&mut self, id: FunctionId) -> Ty {
        let ast = self.ast;
        let function = &ast.functions[id];
        let params = function.params.iter().flatten().map(|param| self.param_ty(*param)).collect();
        let result = self.written[function.result].unwrap_or(self.types.unknown);
        self.types.intern(TyKind::Function { params, result })
    }
    fn enum_literal(&mut self, ty: RefId, literal: RefId, scope: &Scope) -> Ty {
        let Some(Def::Type(decl)) = self.global(scope.package, Space::Type, "type", ty) else {
            return self.types.unknown;
        };
        let ast = self.ast;
        let meant = self.written[ast.type_decls[decl].ty].unwrap_or(self.types.unknown);
        let TyKind::Enum(id) = *self.types.kind(meant) else {
            if !self.types.kind(meant).is_unknown() {
                let message = format!("`{}` is no enumeration; it has no literals", ast.ref_text(ty));
                self.error(Code::WrongKind, ast.refs[ty].span, message);
            }
            return self.types.unknown;
        };
        let TypeKind::Enum(literals) = &ast.types[id].kind else { return self.types.unknown };
        let wanted = ast.refs[literal].name;
        match literals.iter().position(|literal| literal.name == wanted) {
            Some(at) => {
                self.define(literal, Def::Literal(id, at as u32));
            }
            None => {
                let names = literals.iter().map(|literal| ast.text(*literal));
                let near = nearest(ast.names.text(wanted), names).map(str::to_owned);
                let what = format!("literal of `{}` called", ast.ref_text(ty));
                self.unknown(literal, &what, near.as_deref());
            }
        }
        meant
    }
    fn event_parameter(&mut self, port: Option<RefId>, event: RefId, param: RefId, scope: &Scope) -> Ty {
        let ast = self.ast;
        let interface = match port {
            Some(port) => match self.own(&scope.ports, "port", port) {
                Some(Def::Port(port)) => self.interface_of(port),
                _ => None,
            },
            None if scope.this.is_some() => scope.this,
            None => {
                let message = "`this` is the port of an invariant; elsewhere name the port";
                self.error(Code::Misplaced, ast.refs[event].span, message);
                None
            }
        };
        let Some(event) = interface.and_then(|interface| self.event_of(interface, event)) else {
            return self.types.unknown;
        };
        let params = &ast.events[event].params;
        let wanted = ast.refs[param].name;
        if let Some(&found) = params.iter().find(|id| ast.params[**id].ident.name == wanted) {
            self.define(param, Def::Param(found));
            return self.param_ty(found);
        }
        let names = params.iter().map(|id| ast.text(ast.params[*id].ident));
        let near = nearest(ast.names.text(wanted), names).map(str::to_owned);
        let what = format!("parameter of event `{}` called", ast.text(ast.events[event].ident));
        self.unknown(param, &what, near.as_deref());
        self.types.unknown
    }
    /// The region in `in-state(Region.State)` is that of the state.
    fn region_of_state(&mut self, region: RefId, state: NodeId) {
        let ast = self.ast;
        let Some(&id) = self.node_region.get(&state) else { return };
        let owner = &ast.regions[id];
        if owner.ident.name == ast.refs[region].name {
            self.define(region, Def::Region(id));
            return;
        }
        let (state, owner) = (ast.text(ast.nodes[state].ident), ast.text(owner.ident));
        let message = format!("state `{state}` is in region `{owner}`, not in `{}`", ast.ref_text(region));
        self.diagnostics.push(
            Diagnostic::error(Code::UnknownName, ast.refs[region].span, message)
                .about(ast.ref_text(region))
                .meaning(Some(owner)),
        );
    }

    // Composed values.

    fn record(&mut self, ty: RefId, fields: &[(RefId, ExprId)], id: ExprId, scope: &mut Scope) -> Ty {
        let ast = self.ast;
        let meant = match self.global(scope.package, Space::Type, "type", ty) {
            Some(Def::Type(decl)) => self.written[ast.type_decls[decl].ty].unwrap_or(self.types.unknown),
            _ => self.types.unknown,
        };
        let mut given = vec![];
        for &(field, value) in fields {
            self.expr(value, scope);
            let wanted = self.field(meant, field);
            self.expect(value, wanted, &format!("field `{}`", ast.ref_text(field)));
            let Some(Def::Field(_, at)) = self.defs[field] else { continue };
            if given.contains(&at) {
                let message = format!("field `{}` has a value already; remove one", ast.ref_text(field));
                self.error(Code::RepeatedPart, ast.refs[field].span, message);
            }
            given.push(at);
        }
        if let TyKind::Record(record) = *self.types.kind(meant)
            && let TypeKind::Record(all) = &ast.types[record].kind
        {
            let missing = (0u32..).zip(all).filter(|(at, _)| !given.contains(at));
            let missing: Vec<String> =
                missing.map(|(_, field)| format!("`{}`", ast.text(field.ident))).collect();
            if !missing.is_empty() {
                let message = format!("this record gives no value to {}", missing.join(", "));
                self.error(Code::MissingPart, ast.exprs[id].span, message);
            }
        }
        meant
    }
    /// The type of a field of a record.
    fn field(&mut self, record: Ty, field: RefId) -> Ty {
        let ast = self.ast;
        let kind = self.types.kind(record).clone();
        let TyKind::Record(id) = kind else {
            if !kind.is_unknown() {
                let found = self.types.shown(ast, record);
                let message = format!("`{}` is a field, but this is {found}, no record", ast.ref_text(field));
                self.error(Code::TypeMismatch, ast.refs[field].span, message);
            }
            return self.types.unknown;
        };
        let TypeKind::Record(fields) = &ast.types[id].kind else { return self.types.unknown };
        let wanted = ast.refs[field].name;
        if let Some(at) = fields.iter().position(|field| field.ident.name == wanted) {
            self.define(field, Def::Field(id, at as u32));
            return self.written[fields[at].ty].unwrap_or(self.types.unknown);
        }
        let near = nearest(ast.names.text(wanted), fields.iter().map(|field| ast.text(field.ident)));
        let near = near.map(str::to_owned);
        let what = format!("field of {} called", self.types.shown(ast, record));
        self.unknown(field, &what, near.as_deref());
        self.types.unknown
    }
    fn indexed(&mut self, array: ExprId, index: ExprId, scope: &mut Scope) -> Ty {
        let ty = self.expr(array, scope);
        self.expr(index, scope);
        self.expect_integer(index, "the position in an array");
        match *self.types.kind(ty) {
            TyKind::Array { element, size } => {
                if let (Some(index_value), Some(size)) = (self.integer_value(index), size)
                    && (index_value.is_negative() || index_value >= ir::Int::from(i64::from(size)))
                {
                    let message = format!(
                        "this array has positions 0 to {}, and none {index_value}",
                        size.saturating_sub(1)
                    );
                    self.error(Code::OutOfRange, self.ast.exprs[index].span, message);
                }
                element
            }
            ref kind if kind.is_unknown() => self.types.unknown,
            _ => {
                let message = format!("this is {}, no array", self.types.shown(self.ast, ty));
                self.error(Code::TypeMismatch, self.ast.exprs[array].span, message);
                self.types.unknown
            }
        }
    }
    fn call(&mut self, function: ExprId, arguments: &[ExprId], id: ExprId, scope: &mut Scope) -> Ty {
        let ty = self.expr(function, scope);
        for &argument in arguments {
            self.expr(argument, scope);
        }
        let TyKind::Function { params, result } = self.types.kind(ty).clone() else {
            if !self.types.kind(ty).is_unknown() {
                let message = format!("this is {}, no function", self.types.shown(self.ast, ty));
                self.error(Code::WrongKind, self.ast.exprs[function].span, message);
            }
            return self.types.unknown;
        };
        let of = match self.ast.exprs[function].kind {
            ExprKind::Name(used) => format!("function `{}`", self.ast.ref_text(used)),
            _ => "this function".to_owned(),
        };
        self.arguments(arguments, &params, self.ast.exprs[id].span, &of);
        result
    }
    /// As many arguments as parameters, of their types; the arguments were looked at.
    pub(super) fn arguments(&mut self, arguments: &[ExprId], params: &[Ty], span: ir::Span, of: &str) {
        if arguments.len() != params.len() {
            let plural = if params.len() == 1 { "" } else { "s" };
            let message =
                format!("{of} has {} parameter{plural}, but {} are given", params.len(), arguments.len());
            self.error(Code::WrongCount, span, message);
        }
        for (&argument, &param) in arguments.iter().zip(params) {
            self.expect(argument, param, "the parameter");
        }
    }

    // Operators.

    fn product(&mut self, first: ExprId, rest: &[(MulOp, ExprId)], scope: &mut Scope) -> Ty {
        let mut ty = self.expr(first, scope);
        let integer = |op: MulOp| matches!(op, MulOp::Div | MulOp::Mod);
        let first_op = rest.first().map(|(op, _)| *op);
        if first_op.is_some_and(integer) {
            self.expect_integer(first, "an operand of `div` and `mod`");
        } else {
            self.expect_number(first, "an operand of `*` and `/`");
        }
        for &(op, operand) in rest {
            let other = self.expr(operand, scope);
            if integer(op) {
                self.expect_integer(operand, "an operand of `div` and `mod`");
            } else {
                self.expect_number(operand, "an operand of `*` and `/`");
            }
            let zero = self.integer_value(operand).is_some_and(|value| value.is_zero());
            if zero && op != MulOp::Times {
                self.error(Code::Undefined, self.ast.exprs[operand].span, "this divides by zero");
            }
            ty = self.wider(ty, other);
        }
        self.plain(ty)
    }
    fn compared(&mut self, op: CompareOp, left: ExprId, right: ExprId, id: ExprId, scope: &mut Scope) {
        let ty = self.expr(left, scope);
        let other = self.expr(right, scope);
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            if !self.types.fit(ty, other) {
                let (one, other) = (self.types.shown(self.ast, ty), self.types.shown(self.ast, other));
                let message = format!("{one} is compared with {other}; they are never equal");
                self.error(Code::TypeMismatch, self.ast.exprs[id].span, message);
            }
        } else {
            self.expect_number(left, "an operand of a comparison");
            self.expect_number(right, "an operand of a comparison");
        }
        if self.same(left, right) {
            let message = "both sides of this comparison are the same; its value is always the same";
            self.warn(Code::IgnoredPart, self.ast.exprs[id].span, message);
        }
    }
    /// Whether two expressions are written alike and mean the same; only for small ones.
    pub(super) fn same(&self, one: ExprId, other: ExprId) -> bool {
        match (&self.ast.exprs[one].kind, &self.ast.exprs[other].kind) {
            (ExprKind::Name(one), ExprKind::Name(other)) => {
                self.defs[*one].is_some() && self.defs[*one] == self.defs[*other]
            }
            (ExprKind::Literal { literal: one, .. }, ExprKind::Literal { literal: other, .. }) => {
                self.defs[*one].is_some() && self.defs[*one] == self.defs[*other]
            }
            (ExprKind::Bool(one), ExprKind::Bool(other)) => one == other,
            (ExprKind::Integer(one), ExprKind::Integer(other)) => one == other,
            _ => false,
        }
    }
    /// The type of arithmetic with both.
    fn wider(&self, one: Ty, other: Ty) -> Ty {
        let rank = |ty: Ty| match self.types.kind(ty) {
            TyKind::Decimal => 2,
            TyKind::Rational => 1,
            _ => 0,
        };
        if rank(other) > rank(one) { other } else { one }
    }
    /// The type of a number that was computed: bounds are lost, and what is no number is unknown.
    fn plain(&self, ty: Ty) -> Ty {
        match self.types.kind(ty) {
            TyKind::Subrange { .. } | TyKind::Integer => self.types.integer,
            TyKind::Decimal | TyKind::Rational => ty,
            _ => self.types.unknown,
        }
    }
}
