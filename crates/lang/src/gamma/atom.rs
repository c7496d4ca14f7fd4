//! What questions are made of: expressions whose names are paths of instances become terms over the system.
//!
//! A path is an instance and something in it. The longest beginning that is an instance counts; its names are those of the
//! user or the flattened one. Where no instance is named, whatever only one statechart has is meant.

use ir::{Id, Rat, System, Term, Type, Value, VarId};

use super::ast::*;
use super::instance::{PartId, PartKind};
use super::lower::{Entry, Role};
use super::question::Scope;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;

/// Expressions of one question become terms.
pub(super) struct Elaborate<'a> {
    pub(super) ast: &'a Ast,
    pub(super) scope: &'a Scope,
    pub(super) system: &'a mut System,
}

pub(super) type Slots = Result<Vec<Term>, Diagnostic>;

impl Elaborate<'_> {
    pub(super) fn expr(&mut self, expr: ExprId) -> Slots {
        ir::deep(|| self.expr_kind(expr))
    }
    fn one(&mut self, expr: ExprId) -> Result<Term, Diagnostic> {
        match self.expr(expr)?.as_slice() {
            [only] => Ok(*only),
            _ => Err(self.wrong(Code::TypeMismatch, expr, "a record can only be compared as a whole")),
        }
    }
    fn wrong(&self, code: Code, expr: ExprId, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.ast.exprs[expr].span, message)
    }
    pub(super) fn truth(&mut self, expr: ExprId) -> Result<Term, Diagnostic> {
        let term = self.one(expr)?;
        match self.system.terms.type_of(term) {
            Type::Bool => Ok(term),
            _ => Err(self.wrong(Code::TypeMismatch, expr, "this is no truth value")),
        }
    }
    fn number(&mut self, expr: ExprId) -> Result<Term, Diagnostic> {
        let term = self.one(expr)?;
        match self.system.terms.type_of(term) {
            Type::Int | Type::Rat | Type::Clock => Ok(term),
            _ => Err(self.wrong(Code::TypeMismatch, expr, "this is no number")),
        }
    }
    fn expr_kind(&mut self, expr: ExprId) -> Slots {
        let one = match &self.ast.exprs[expr].kind {
            ExprKind::Bool(value) => self.system.terms.bool(*value),
            ExprKind::Integer(value) => self.system.terms.constant(Value::Int(value.clone())),
            ExprKind::Rational(a, b) => match Rat::new(a, b) {
                Some(value) => self.system.terms.constant(Value::rat(value)),
                None => return Err(self.wrong(Code::Undefined, expr, "this divides by zero")),
            },
            ExprKind::Name(reference) => return self.name(expr, *reference),
            ExprKind::Observed(observed) if observed.arguments.is_empty() => {
                return self.observed(expr, observed);
            }
            ExprKind::Observed(observed) => self.raised(expr, observed)?,
            ExprKind::Literal { ty, literal } => self.literal(expr, *ty, *literal)?,
            ExprKind::Record { ty, fields } => return self.record(expr, *ty, fields),
            ExprKind::Index(array, position) => {
                let position = self.number(*position)?;
                let arrays = self.expr(*array)?;
                let mut value = vec![];
                for array in arrays {
                    if !matches!(self.system.terms.type_of(array), Type::Array(_)) {
                        return Err(self.wrong(Code::TypeMismatch, expr, "only arrays have positions"));
                    }
                    value.push(self.system.terms.read(array, position));
                }
                return Ok(value);
            }
            ExprKind::Negate(inner) => {
                let inner = self.number(*inner)?;
                self.system.terms.neg(inner)
            }
            ExprKind::Plus(inner) => self.number(*inner)?,
            ExprKind::Not(inner) => {
                let inner = self.truth(*inner)?;
                self.system.terms.not(inner)
            }
            ExprKind::Sum(first, rest) => {
                let mut value = self.number(*first)?;
                for (op, operand) in rest {
                    let operand = self.number(*operand)?;
                    let (a, b) = self.same_kind(value, operand, expr)?;
                    value = match op {
                        AddOp::Plus => self.system.terms.add([a, b]),
                        AddOp::Minus => self.system.terms.sub(a, b),
                    };
                }
                value
            }
            ExprKind::Product(first, rest) => {
                let mut value = self.number(*first)?;
                for (op, operand) in rest {
                    let operand_term = self.number(*operand)?;
                    let (a, b) = self.same_kind(value, operand_term, expr)?;
                    let divides = !matches!(op, MulOp::Times);
                    let by_constant = self.system.terms.as_const(b).is_some_and(|by| *by != Value::int(0));
                    if divides && !by_constant {
                        return Err(self.wrong(
                            Code::Undefined,
                            *operand,
                            "a question may divide by constants only",
                        ));
                    }
                    value = match op {
                        MulOp::Times => self.system.terms.mul([a, b]),
                        MulOp::Divide | MulOp::Div => self.system.terms.div(a, b),
                        MulOp::Mod => self.system.terms.modulo(a, b),
                    };
                }
                value
            }
            ExprKind::Logic(op, operands) => {
                let mut list = vec![];
                for operand in operands {
                    list.push(self.truth(*operand)?);
                }
                let terms = &mut self.system.terms;
                match op {
                    LogicOp::And => terms.and(list),
                    LogicOp::Or => terms.or(list),
                    LogicOp::Xor => {
                        let first = list.remove(0);
                        list.into_iter().fold(first, |a, b| terms.xor(a, b))
                    }
                    LogicOp::Imply => {
                        let last = list.pop().expect("an operator has operands");
                        list.into_iter().rev().fold(last, |b, a| terms.implies(a, b))
                    }
                }
            }
            ExprKind::Conditional(condition, a, b) => {
                let condition = self.truth(*condition)?;
                let (a, b) = (self.expr(*a)?, self.expr(*b)?);
                let pairs: Vec<(Term, Term)> = a.into_iter().zip(b).collect();
                let mut value = vec![];
                for (a, b) in pairs {
                    let (a, b) = self.same_kind(a, b, expr)?;
                    value.push(self.system.terms.ite(condition, a, b));
                }
                return Ok(value);
            }
            ExprKind::Compare(op, a, b) => self.comparison(expr, *op, *a, *b)?,
            _ => {
                return Err(self.wrong(
                    Code::UnsupportedOperator,
                    expr,
                    "this is not supported in questions",
                ));
            }
        };
        Ok(vec![one])
    }
    /// A record: its fields in the order of its declaration, however they are written.
    fn record(&mut self, expr: ExprId, ty: RefId, fields: &[(RefId, ExprId)]) -> Slots {
        let (name, project) = (self.ast.ref_text(ty), &self.scope.project);
        let mut decls = project.ast.type_decls.iter().filter(|decl| project.ast.text(decl.ident) == name);
        let declared = decls.find_map(|decl| match &project.ast.types[decl.ty].kind {
            TypeKind::Record(fields) => Some(fields),
            _ => None,
        });
        let Some(declared) = declared else {
            return Err(self.wrong(
                Code::UnknownName,
                expr,
                format!("there is no record `{name}` in this model"),
            ));
        };
        let mut value = vec![];
        for field in declared {
            let field = project.ast.text(field.ident);
            let Some((_, given)) = fields.iter().find(|(name, _)| self.ast.ref_text(*name) == field) else {
                return Err(self.wrong(
                    Code::WrongCount,
                    expr,
                    format!("`{name}` has a field `{field}`, which has no value here"),
                ));
            };
            value.extend(self.expr(*given)?);
        }
        Ok(value)
    }
    /// Two terms of one type; a whole number beside a fraction is one.
    fn same_kind(&mut self, a: Term, b: Term, at: ExprId) -> Result<(Term, Term), Diagnostic> {
        let terms = &mut self.system.terms;
        let (of_a, of_b) = (terms.type_of(a), terms.type_of(b));
        if of_a == of_b {
            return Ok((a, b));
        }
        let mut as_fraction = |term: Term| match terms.as_const(term) {
            Some(Value::Int(value)) => {
                let value = Rat::from(value);
                Some(terms.constant(Value::rat(value)))
            }
            _ => None,
        };
        match (of_a, of_b) {
            (Type::Int, Type::Rat) => as_fraction(a).map(|a| (a, b)),
            (Type::Rat, Type::Int) => as_fraction(b).map(|b| (a, b)),
            (Type::Int, Type::Clock) | (Type::Clock, Type::Int) => Some((a, b)),
            _ => None,
        }
        .ok_or_else(|| self.wrong(Code::TypeMismatch, at, "these are values of different types"))
    }
    fn comparison(&mut self, expr: ExprId, op: CompareOp, a: ExprId, b: ExprId) -> Result<Term, Diagnostic> {
        let (left, right) = match (self.expr(a), self.expr(b)) {
            (Ok(left), Ok(right)) => (left, right),
            // A literal may be written without its type.
            (Ok(left), Err(error)) => {
                let right = self.short_literal(&left, b).ok_or(error)?;
                (left, right)
            }
            (Err(error), Ok(right)) => {
                let left = self.short_literal(&right, a).ok_or(error)?;
                (left, right)
            }
            (Err(error), Err(_)) => return Err(error),
        };
        if left.len() != right.len() {
            return Err(self.wrong(Code::TypeMismatch, expr, "these are values of different types"));
        }
        let mut equal = vec![];
        for (a, b) in left.into_iter().zip(right) {
            let (a, b) = self.same_kind(a, b, expr)?;
            let numbers = matches!(self.system.terms.type_of(a), Type::Int | Type::Rat | Type::Clock);
            let terms = &mut self.system.terms;
            equal.push(match op {
                CompareOp::Equal | CompareOp::NotEqual => terms.eq(a, b),
                _ if !numbers => {
                    return Err(self.wrong(Code::TypeMismatch, expr, "only numbers can be less or greater"));
                }
                CompareOp::Less => terms.lt(a, b),
                CompareOp::LessEqual => terms.le(a, b),
                CompareOp::Greater => terms.gt(a, b),
                CompareOp::GreaterEqual => terms.ge(a, b),
            });
        }
        let all = self.system.terms.and(equal);
        Ok(if op == CompareOp::NotEqual { self.system.terms.not(all) } else { all })
    }
    fn short_literal(&mut self, other: &[Term], expr: ExprId) -> Option<Vec<Term>> {
        let ExprKind::Name(reference) = self.ast.exprs[expr].kind else { return None };
        let [other] = other else { return None };
        let Type::Enum(id) = self.system.terms.type_of(*other) else { return None };
        let text = self.ast.ref_text(reference);
        let position =
            self.system.types().enum_type(id).literals.iter().position(|literal| literal == text)?;
        Some(vec![self.system.terms.constant(Value::Enum(id, position as u32))])
    }
    fn literal(&mut self, expr: ExprId, ty: RefId, literal: RefId) -> Result<Term, Diagnostic> {
        let (ty, literal) = (self.ast.ref_text(ty), self.ast.ref_text(literal));
        let project = &self.scope.project;
        for decl in project.ast.type_decls.iter().filter(|decl| project.ast.text(decl.ident) == ty) {
            let TypeKind::Enum(literals) = &project.ast.types[decl.ty].kind else { continue };
            let position = literals.iter().position(|known| project.ast.text(*known) == literal);
            if let (Some(position), Some(id)) = (position, self.scope.enums.get(&decl.ty)) {
                return Ok(self.system.terms.constant(Value::Enum(*id, position as u32)));
            }
        }
        Err(self.wrong(
            Code::UnknownName,
            expr,
            format!("there is no literal `{ty}::{literal}` in this model"),
        ))
    }
    fn name(&mut self, expr: ExprId, reference: RefId) -> Slots {
        let text = self.ast.ref_text(reference);
        if text == "deadlock" {
            return Ok(vec![self.system.terms.deadlock()]);
        }
        let ident = self.ast.refs[reference];
        let observed = Observed {
            kind: ObservedKind::Element,
            instances: vec![ident],
            rest: vec![],
            parameter: None,
            arguments: vec![],
        };
        self.observed(expr, &observed)
    }
    /// A path: an instance, and something in it.
    fn observed(&mut self, expr: ExprId, observed: &Observed) -> Slots {
        let names: Vec<&str> =
            observed.instances.iter().chain(&observed.rest).map(|ident| self.ast.text(*ident)).collect();
        let parameter = observed.parameter.map(|ident| self.ast.text(ident).to_owned());
        // The longest path of an instance that is meant by the first names.
        for split in (0..names.len()).rev() {
            for part in self.parts(&names[..split]) {
                if let Some(found) = self.inside(part, &names[split..], observed.kind, parameter.as_deref()) {
                    return Ok(found);
                }
            }
        }
        // Without an instance, what only one of them has.
        let leaves = self.scope.tree.leaves(self.scope.tree.root());
        let mut found: Vec<Vec<Term>> = vec![];
        for leaf in leaves {
            found.extend(self.inside(leaf, &names, observed.kind, parameter.as_deref()));
        }
        if found.len() > 1 {
            let message =
                format!("`{}` may be of several instances; write the instance before it", names.join("."));
            return Err(self.wrong(Code::UnknownName, expr, message));
        }
        found.pop().ok_or_else(|| self.unknown(expr, &names, observed.kind))
    }
    /// An event that goes out of the system with these values.
    fn raised(&mut self, expr: ExprId, observed: &Observed) -> Result<Term, Diagnostic> {
        let names: Vec<&str> =
            observed.instances.iter().chain(&observed.rest).map(|ident| self.ast.text(*ident)).collect();
        let mut all = self.observed(expr, observed)?;
        let (project, root) = (&self.scope.project, self.scope.tree.root());
        let ports = project.component_ports[self.scope.tree.parts[root].component].iter();
        let mut ports =
            ports.filter(|port| names.first() == Some(&project.ast.text(project.ast.ports[**port].ident)));
        let event = ports.find_map(|port| {
            let mut events = project.port_events(*port).map(|(event, _)| event);
            events.find(|event| names.get(1) == Some(&project.ast.text(project.ast.events[*event].ident)))
        });
        let params = event.map_or(vec![], |event| project.ast.events[event].params.clone());
        if params.len() != observed.arguments.len() {
            let message = format!("`{}` has {} parameters", names.join("."), params.len());
            return Err(self.wrong(Code::WrongCount, expr, message));
        }
        for (param, argument) in params.into_iter().zip(&observed.arguments) {
            let name = project.ast.text(project.ast.params[param].ident);
            let said = self.inside(root, &names, ObservedKind::Parameter, Some(name));
            let value = self.expr(*argument)?;
            let said = said.filter(|said| said.len() == value.len());
            let said = said.ok_or_else(|| {
                self.wrong(Code::TypeMismatch, *argument, "this is no value of that parameter")
            })?;
            for (a, b) in said.into_iter().zip(value) {
                let (a, b) = self.same_kind(a, b, *argument)?;
                all.push(self.system.terms.eq(a, b));
            }
        }
        Ok(self.system.terms.and(all))
    }
    /// The parts that a path of names may mean, with the leaf inside if there is only one.
    fn parts(&self, names: &[&str]) -> Vec<PartId> {
        let tree = &self.scope.tree;
        let mut parts = vec![];
        for part in tree.parts.ids() {
            let path = tree.path(part);
            let flat = tree.flat(part);
            let whole = names.is_empty() && part == tree.root();
            let own_name =
                part == tree.root() && names.len() == 1 && same_but_first(names[0], &tree.parts[part].name);
            if whole
                || own_name
                || (!path.is_empty() && (path == names || (names.len() == 1 && names[0] == flat)))
            {
                parts.push(part);
                if let [leaf] = tree.leaves(part).as_slice()
                    && *leaf != part
                {
                    parts.push(*leaf);
                }
            }
        }
        parts
    }
    fn var(&self, part: PartId, is: impl Fn(&Role) -> bool) -> Vec<VarId> {
        let table = self.scope.table.iter().enumerate();
        table
            .filter(|(_, entry)| entry.part == Some(part) && is(&entry.role))
            .map(|(at, _)| VarId::at(at))
            .collect()
    }
    /// Something in a part.
    pub(super) fn inside(
        &mut self,
        part: PartId,
        names: &[&str],
        kind: ObservedKind,
        parameter: Option<&str>,
    ) -> Option<Vec<Term>> {
        let any = kind == ObservedKind::Element;
        if parameter.is_none()
            && (any || kind == ObservedKind::State)
            && let Some(state) = self.state(part, names)
        {
            return Some(vec![state]);
        }
        if parameter.is_none()
            && (any || kind == ObservedKind::Variable)
            && let Some(value) = self.variable(part, names)
        {
            return Some(value);
        }
        if parameter.is_none()
            && any
            && let [id] = names
        {
            // Transitions that are called so, `@(id)`: whether one of them fired in the cycle that has just finished.
            let ast = &self.scope.project.ast;
            let fired = self.var(part, |role| {
                matches!(role, Role::Fired(transition)
                    if ast.transitions[*transition].ids.iter().any(|known| ast.text(*known) == *id))
            });
            if !fired.is_empty() {
                let fired: Vec<Term> = fired.into_iter().map(|var| self.system.terms.var(var)).collect();
                return Some(vec![self.system.terms.or(fired)]);
            }
        }
        if any || matches!(kind, ObservedKind::Event | ObservedKind::Parameter | ObservedKind::Raise) {
            return self.event(part, names, parameter);
        }
        None
    }
    fn state(&mut self, part: PartId, names: &[&str]) -> Option<Term> {
        let (region, state) = match names {
            [state] => (None, *state),
            [region, state] => (Some(*region), *state),
            _ => return None,
        };
        let ast = &self.scope.project.ast;
        let mut found = None;
        for (at, entry) in self.scope.table.iter().enumerate() {
            let Role::Region(id, states) = &entry.role else { continue };
            let right = region.is_none_or(|region| ast.text(ast.regions[*id].ident) == region);
            if entry.part != Some(part) || !right {
                continue;
            }
            if let Some(position) = states.iter().position(|node| ast.text(ast.nodes[*node].ident) == state) {
                found = Some((VarId::at(at), position));
            }
        }
        let (var, position) = found?;
        let Type::Enum(id) = self.system.terms.var_type(var) else { return None };
        let (value, literal) =
            (self.system.terms.var(var), self.system.terms.constant(Value::Enum(id, position as u32 + 1)));
        Some(self.system.terms.eq(value, literal))
    }
    fn variable(&mut self, part: PartId, names: &[&str]) -> Option<Vec<Term>> {
        let (name, fields) = names.split_first()?;
        let ast = &self.scope.project.ast;
        let wanted: String = fields.iter().map(|field| format!("_{field}")).collect();
        let slots = self.var(part, |role| {
            matches!(role, Role::Variable(variable, suffix)
                if ast.text(ast.variables[*variable].ident) == *name
                    && (suffix == &wanted || suffix.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('_'))))
        });
        let timers = self.var(part, |role| {
            matches!(role, Role::Timeout(timeout) if ast.text(ast.timeouts[*timeout].ident) == *name && fields.is_empty())
        });
        let all: Vec<VarId> = slots.into_iter().chain(timers).collect();
        (!all.is_empty()).then(|| all.into_iter().map(|var| self.system.terms.var(var)).collect())
    }
    fn event(&mut self, part: PartId, names: &[&str], parameter: Option<&str>) -> Option<Vec<Term>> {
        let [port, event] = names else { return None };
        let ast = &self.scope.project.ast;
        let is = |at: &PortId, of: &EventId| {
            ast.text(ast.ports[*at].ident) == *port && ast.text(ast.events[*of].ident) == *event
        };
        let number = |of: &EventId| {
            let parameter = parameter?;
            ast.events[*of].params.iter().position(|param| ast.text(ast.params[*param].ident) == parameter)
        };
        let wanted = |role: &Role| match (role, parameter) {
            (Role::Given(at, of) | Role::Seen(at, of) | Role::Out(at, of), None) => is(at, of),
            (
                Role::GivenParameter(at, of, param, _)
                | Role::SeenParameter(at, of, param, _)
                | Role::OutParameter(at, of, param, _),
                Some(_),
            ) => is(at, of) && number(of) == Some(*param),
            _ => false,
        };
        let is_given = |role: &Role| matches!(role, Role::Given(..) | Role::GivenParameter(..));
        // What the environment gave is meant for the system, what came in for an instance.
        let of_system =
            self.scope.tree.root() == part && !matches!(self.scope.tree.parts[part].kind, PartKind::Leaf);
        let mut vars = self.var(part, |role| wanted(role) && (is_given(role) || !of_system));
        if vars.iter().any(|var| is_given(&self.scope.table[var.index()].role)) {
            vars.retain(|var| is_given(&self.scope.table[var.index()].role));
        }
        if vars.is_empty() && self.scope.tree.root() == part {
            // What goes out of the system is raised somewhere inside.
            let sources: Vec<(PartId, PortId, EventId)> = {
                let outs = self.scope.system_outs.iter().filter(|((at, of), _)| is(at, of));
                outs.map(|(_, source)| *source).collect()
            };
            let mut flags = vec![];
            let mut value: Option<Vec<Term>> = None;
            for (leaf, port, event) in sources {
                let flag =
                    self.var(leaf, |role| matches!(role, Role::Out(at, of) if (*at, *of) == (port, event)));
                let flag = self.system.terms.var(*flag.first()?);
                flags.push(flag);
                if let Some(parameter) = parameter {
                    let position = ast.events[event]
                        .params
                        .iter()
                        .position(|param| ast.text(ast.params[*param].ident) == parameter)?;
                    let slots = self.var(leaf, |role| {
                        matches!(role, Role::OutParameter(at, of, number, _) if (*at, *of, *number) == (port, event, position))
                    });
                    let slots: Vec<Term> = slots.into_iter().map(|var| self.system.terms.var(var)).collect();
                    value = Some(match value {
                        None => slots,
                        Some(other) => slots
                            .into_iter()
                            .zip(other)
                            .map(|(a, b)| self.system.terms.ite(flag, a, b))
                            .collect(),
                    });
                }
            }
            if flags.is_empty() {
                return None;
            }
            return match parameter {
                Some(_) => value,
                None => Some(vec![self.system.terms.or(flags)]),
            };
        }
        (!vars.is_empty()).then(|| vars.into_iter().map(|var| self.system.terms.var(var)).collect())
    }
    fn unknown(&self, expr: ExprId, names: &[&str], kind: ObservedKind) -> Diagnostic {
        let what = match kind {
            ObservedKind::State => "state",
            ObservedKind::Variable => "variable",
            ObservedKind::Event | ObservedKind::Raise => "event",
            ObservedKind::Parameter => "parameter",
            ObservedKind::Element => "state, variable or event",
        };
        let ast = &self.scope.project.ast;
        let mut known: Vec<String> = vec![];
        for Entry { part, role } in &self.scope.table {
            let Some(part) = part else { continue };
            let path: String = self.scope.tree.path(*part).iter().map(|name| format!("{name}.")).collect();
            match role {
                Role::Region(region, states) => {
                    let region = ast.text(ast.regions[*region].ident);
                    for state in states {
                        let state = ast.text(ast.nodes[*state].ident);
                        known.push(format!("{path}{region}.{state}"));
                        known.push(format!("{path}{state}"));
                    }
                }
                Role::Variable(variable, _) => {
                    known.push(format!("{path}{}", ast.text(ast.variables[*variable].ident)))
                }
                Role::Out(port, event) | Role::Seen(port, event) | Role::Given(port, event) => {
                    known.push(format!(
                        "{path}{}.{}",
                        ast.text(ast.ports[*port].ident),
                        ast.text(ast.events[*event].ident)
                    ))
                }
                _ => {}
            }
        }
        let text = names.join(".");
        let mut message = format!("there is no {what} `{text}`");
        if let Some(near) = nearest(&text, known.iter().map(String::as_str)) {
            message = format!("{message}; did you mean `{near}`?");
        }
        self.wrong(Code::UnknownName, expr, message)
    }
}

/// Whether names are equal but for the case of the first letter.
fn same_but_first(a: &str, b: &str) -> bool {
    let rest = |text: &str| text.chars().skip(1).collect::<String>();
    let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    first(a) == first(b) && rest(a) == rest(b)
}
