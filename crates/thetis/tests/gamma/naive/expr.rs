//! Expressions and calls (1).

use std::collections::BTreeMap;

use lang::gamma::ast::*;

use super::action::Flow;
use super::names::Kind;
use super::value::gcd;
use super::{Machine, Maybe, Model, Side, Slot, Stop, Value, unable};

/// Where an expression is evaluated.
#[derive(Clone, Debug)]
pub struct Frame {
    pub part: usize,
    /// Locals and parameters, the innermost last.
    pub locals: Vec<(String, Value)>,
    /// What `this` is.
    pub this: Option<PortId>,
    /// What calls have returned that happened first.
    results: BTreeMap<ExprId, Value>,
}

impl Frame {
    pub fn of(part: usize) -> Self {
        Frame { part, locals: vec![], this: None, results: BTreeMap::new() }
    }
}

impl Machine<'_, '_> {
    /// Calls that change something happen first; then the expression is evaluated.
    pub fn eval(&mut self, frame: &mut Frame, expr: ExprId) -> Maybe<Value> {
        let before = frame.results.clone();
        self.call_first(frame, expr)?;
        let value = self.value(frame, expr);
        frame.results = before;
        value
    }
    pub fn holds(&mut self, frame: &mut Frame, expr: ExprId) -> Maybe<bool> {
        self.eval(frame, expr)?.bool()
    }

    /// The operands of an expression where calls may change something, from left to right, and the others.
    fn operands(&self, expr: ExprId) -> (Vec<ExprId>, Vec<ExprId>) {
        match &self.model.ast.exprs[expr].kind {
            ExprKind::Time(e, _)
            | ExprKind::Field(e, _)
            | ExprKind::Select(e)
            | ExprKind::Negate(e)
            | ExprKind::Plus(e)
            | ExprKind::Not(e) => (vec![*e], vec![]),
            ExprKind::Array(entries) => (entries.clone(), vec![]),
            ExprKind::Record { fields, .. } => (fields.iter().map(|(_, e)| *e).collect(), vec![]),
            ExprKind::Range { from, to, .. } => (vec![*from, *to], vec![]),
            ExprKind::Index(a, b) | ExprKind::Compare(_, a, b) => (vec![*a, *b], vec![]),
            ExprKind::Call(_, arguments) => (arguments.clone(), vec![]),
            ExprKind::Product(first, rest) => {
                ([vec![*first], rest.iter().map(|(_, e)| *e).collect()].concat(), vec![])
            }
            ExprKind::Sum(first, rest) => {
                ([vec![*first], rest.iter().map(|(_, e)| *e).collect()].concat(), vec![])
            }
            ExprKind::Logic(LogicOp::Xor, operands) => (operands.clone(), vec![]),
            ExprKind::Logic(_, operands) => (operands[..1].to_vec(), operands[1..].to_vec()),
            ExprKind::Conditional(a, b, c) => (vec![], vec![*a, *b, *c]),
            ExprKind::Quantified(_, _, e) => (vec![], vec![*e]),
            _ => (vec![], vec![]),
        }
    }
    fn call_first(&mut self, frame: &mut Frame, expr: ExprId) -> Maybe<()> {
        let (operands, others) = self.operands(expr);
        for operand in operands {
            self.call_first(frame, operand)?;
        }
        for other in others {
            if self.calls_change(frame.part, other)? {
                return unable("a call that changes something where it may not");
            }
        }
        if let ExprKind::Call(function, arguments) = &self.model.ast.exprs[expr].kind {
            let id = self.called(frame.part, *function)?;
            if self.changes(frame.part, id, 0)? {
                let value = self.call(frame, id, arguments)?;
                frame.results.insert(expr, value);
            }
        }
        Ok(())
    }
    /// Whether a call in an expression changes something.
    pub(super) fn calls_change(&self, part: usize, expr: ExprId) -> Maybe<bool> {
        self.calls_change_within(part, expr, 0)
    }
    pub(super) fn calls_change_within(&self, part: usize, expr: ExprId, depth: usize) -> Maybe<bool> {
        if let ExprKind::Call(function, _) = &self.model.ast.exprs[expr].kind
            && self.changes(part, self.called(part, *function)?, depth + 1)?
        {
            return Ok(true);
        }
        let (operands, others) = self.operands(expr);
        for operand in operands.into_iter().chain(others) {
            if self.calls_change_within(part, operand, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether a function changes something that is not its own.
    fn changes(&self, part: usize, function: FunctionId, depth: usize) -> Maybe<bool> {
        if depth > 50 {
            return unable("recursion");
        }
        match self.model.ast.functions[function].body {
            FunctionBody::Lambda(None) => unable("a lambda without value"),
            FunctionBody::Lambda(Some(expr)) => self.calls_change_within(part, expr, depth),
            FunctionBody::Procedure(block) => {
                let ast = &self.model.ast;
                let params = ast.functions[function].params.clone().unwrap_or_default();
                let mut locals = params.iter().map(|it| ast.text(ast.params[*it].ident).to_owned()).collect();
                self.action_changes(part, block, &mut locals, depth)
            }
        }
    }
    fn called(&self, part: usize, function: ExprId) -> Maybe<FunctionId> {
        let ExprKind::Name(name) = self.model.ast.exprs[function].kind else {
            return unable("a call of something without a name");
        };
        let name = self.model.ast.ref_text(name);
        let found = self.model.function(self.model.parts[part].component, name);
        found.map_or_else(|| unable(format!("no function {name}")), Ok)
    }
    /// Calls a function; arguments are values.
    fn call(&mut self, frame: &mut Frame, function: FunctionId, arguments: &[ExprId]) -> Maybe<Value> {
        let model = self.model;
        let it = &model.ast.functions[function];
        let mut inner = Frame::of(frame.part);
        let params = it.params.clone().unwrap_or_default();
        if params.len() != arguments.len() {
            return unable("another number of arguments");
        }
        for (param, argument) in params.iter().zip(arguments) {
            let param = &model.ast.params[*param];
            let value = self.value(frame, *argument)?.like(&model.default(param.ty)?);
            inner.locals.push((model.ast.text(param.ident).to_owned(), value));
        }
        let default = model.default(it.result)?;
        match it.body {
            FunctionBody::Lambda(None) => unable("a lambda without value"),
            FunctionBody::Lambda(Some(expr)) => Ok(self.eval(&mut inner, expr)?.like(&default)),
            FunctionBody::Procedure(block) => match self.act(&mut inner, block)? {
                Flow::Return(Some(value)) => Ok(value.like(&default)),
                _ => Ok(default),
            },
        }
    }

    /// The value of a name: a local, an argument of the component, a variable, or a constant.
    fn named(&mut self, frame: &mut Frame, name: &str) -> Maybe<Value> {
        let model = self.model;
        if let Some((_, value)) = frame.locals.iter().rev().find(|(local, _)| local == name) {
            return Ok(value.clone());
        }
        if let Some(value) = model.parts[frame.part].arguments.get(name) {
            return Ok(value.clone());
        }
        if let Some(variable) = self.variable(frame.part, name) {
            let value = self.state.get(&Slot::Variable(frame.part, variable));
            return value
                .map_or_else(|| unable(format!("{name} has no value yet")), |value| Ok(value.clone()));
        }
        let Some(constant) = model.constant(name) else { return unable(format!("no name {name}")) };
        self.initial(frame.part, constant)
    }
    /// A variable of a statechart.
    pub(super) fn variable(&self, part: usize, name: &str) -> Option<VariableId> {
        if self.model.parts[part].kind != Kind::Leaf {
            return None;
        }
        let ast = &self.model.ast;
        let ComponentKind::Statechart(chart) = &ast.components[self.model.parts[part].component].kind else {
            return None;
        };
        chart.variables.iter().copied().find(|it| ast.text(ast.variables[*it].ident) == name)
    }
    /// The initial value of a variable or constant.
    pub fn initial(&mut self, part: usize, variable: VariableId) -> Maybe<Value> {
        let it = &self.model.ast.variables[variable];
        let default = self.model.default(it.ty)?;
        match it.initial {
            Some(expr) => Ok(self.eval(&mut Frame::of(part), expr)?.like(&default)),
            None => Ok(default),
        }
    }

    /// A port and an event of it, as a leaf names them.
    pub(super) fn event(
        &self,
        frame: &Frame,
        port: Option<RefId>,
        event: RefId,
    ) -> Maybe<(PortId, EventId, Side)> {
        let model = self.model;
        let named = port.map(|port| model.ast.ref_text(port)).filter(|port| *port != "this");
        let port = match (named, frame.this) {
            (Some(name), _) => model.port(model.parts[frame.part].component, name)?,
            (None, Some(this)) => this,
            (None, None) => return unable("`this` outside of a port"),
        };
        let (event, direction) = model.event(port, model.ast.ref_text(event))?;
        let side = if Model::comes_in(direction) { Side::In } else { Side::Out };
        Ok((port, event, side))
    }

    fn value(&mut self, frame: &mut Frame, expr: ExprId) -> Maybe<Value> {
        if let Some(value) = frame.results.get(&expr) {
            return Ok(value.clone());
        }
        let model = self.model;
        let ast = &model.ast;
        let int = |int: &ir::Int| match int.to_i64() {
            Some(value) => Ok(i128::from(value)),
            None => unable("a huge number"),
        };
        Ok(match &ast.exprs[expr].kind {
            ExprKind::Else => return unable("else"),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Integer(value) => Value::Int(int(value)?),
            ExprKind::Rational(n, d) => Value::fraction(int(n)?, int(d)?)?,
            ExprKind::Decimal(text) => decimal(ast.names.text(*text))?,
            ExprKind::Name(name) => self.named(frame, ast.ref_text(*name))?,
            ExprKind::Literal { ty, literal } => {
                let ty = model.plain(model.type_named(ast.ref_text(*ty))?)?;
                Value::Literal(ty, ast.ref_text(*literal).to_owned())
            }
            ExprKind::EventParameter { port, event, param } => {
                let (port, event, side) = self.event(frame, *port, *event)?;
                let mut params = ast.events[event].params.iter();
                let name = ast.ref_text(*param);
                let Some(at) = params.position(|it| ast.text(ast.params[*it].ident) == name) else {
                    return unable(format!("no parameter {name}"));
                };
                let value = self.state.get(&Slot::Parameter(side, frame.part, port, event, at));
                value.cloned().map_or_else(|| unable("a parameter without value"), Ok)?
            }
            ExprKind::Raised(event) => match ast.event_refs[*event].kind {
                EventRefKind::PortEvent(port, event) => {
                    let (port, event, side) = self.event(frame, Some(port), event)?;
                    Value::Bool(self.flag(side, frame.part, port, event))
                }
                _ => Value::Bool(self.happens(frame.part, *event)?),
            },
            ExprKind::InState { region, state } => {
                let (region, state) = (ast.ref_text(*region), ast.ref_text(*state));
                let regions = model.regions(model.chart(frame.part));
                let named = regions.into_iter().find(|it| ast.text(ast.regions[*it].ident) == region);
                let Some(region) = named else { return unable(format!("no region {region}")) };
                let active = self.active(frame.part, region);
                Value::Bool(active.is_some_and(|node| ast.text(ast.nodes[node].ident) == state))
            }
            ExprKind::Array(entries) => {
                let mut values = BTreeMap::new();
                for (at, entry) in entries.iter().enumerate() {
                    values.insert(at as i128, self.value(frame, *entry)?);
                }
                Value::Array(None, values)
            }
            ExprKind::Record { ty, fields } => {
                let default = model.default(model.type_named(ast.ref_text(*ty))?)?;
                let Value::Record(mut values) = default.clone() else { return unable("no record type") };
                for (field, value) in fields {
                    values.insert(ast.ref_text(*field).to_owned(), self.value(frame, *value)?);
                }
                Value::Record(values).like(&default)
            }
            ExprKind::Index(array, index) => {
                let array = self.value(frame, *array)?;
                array.at(self.value(frame, *index)?.int()?)?
            }
            ExprKind::Field(record, field) => self.value(frame, *record)?.field(ast.ref_text(*field))?,
            ExprKind::Call(function, arguments) => {
                let function = self.called(frame.part, *function)?;
                self.call(frame, function, arguments)?
            }
            ExprKind::Negate(e) => match self.value(frame, *e)? {
                Value::Int(value) => Value::Int(-value),
                Value::Ratio(n, d) => Value::Ratio(-n, d),
                other => return unable(format!("-{other:?}")),
            },
            ExprKind::Plus(e) => self.value(frame, *e)?,
            ExprKind::Product(first, rest) => {
                let mut value = self.value(frame, *first)?;
                for (op, operand) in rest {
                    let operand = self.value(frame, *operand)?;
                    value = product(*op, &value, &operand)?;
                }
                value
            }
            ExprKind::Sum(first, rest) => {
                let mut value = self.value(frame, *first)?;
                for (op, operand) in rest {
                    let operand = self.value(frame, *operand)?;
                    let sign = if *op == AddOp::Plus { 1 } else { -1 };
                    value = match (&value, &operand) {
                        (Value::Int(a), Value::Int(b)) => Value::Int(checked(a.checked_add(sign * b))?),
                        _ => {
                            let ((a, b), (c, d)) = (value.ratio()?, operand.ratio()?);
                            Value::fraction(a * d + sign * c * b, b * d)?
                        }
                    };
                }
                value
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.value(frame, *a)?, self.value(frame, *b)?);
                let less = |a: &Value, b: &Value| -> Maybe<bool> {
                    let ((a, b), (c, d)) = (a.ratio()?, b.ratio()?);
                    Ok(a * d < c * b)
                };
                Value::Bool(match op {
                    CompareOp::Equal => a.same(&b)?,
                    CompareOp::NotEqual => !a.same(&b)?,
                    CompareOp::Less => less(&a, &b)?,
                    CompareOp::LessEqual => !less(&b, &a)?,
                    CompareOp::Greater => less(&b, &a)?,
                    CompareOp::GreaterEqual => !less(&a, &b)?,
                })
            }
            ExprKind::Not(e) => Value::Bool(!self.value(frame, *e)?.bool()?),
            ExprKind::Quantified(quantifier, params, e) => {
                Value::Bool(self.quantified(frame, *quantifier, params, *e)?)
            }
            ExprKind::Logic(op, operands) => Value::Bool(self.logic(frame, *op, operands)?),
            ExprKind::Conditional(condition, yes, no) => {
                let decided = if self.value(frame, *condition)?.bool()? { *yes } else { *no };
                self.value(frame, decided)?
            }
            ExprKind::Range { .. } => return unable("a range as a value"),
            ExprKind::Opaque(_) | ExprKind::Infinity | ExprKind::Time(..) | ExprKind::Elapsed(_) => {
                return unable("strings, infinity and times");
            }
            ExprKind::Select(_) | ExprKind::Observed(_) => return unable("select"),
        })
    }
    fn quantified(
        &mut self,
        frame: &mut Frame,
        quantifier: Quantifier,
        params: &[ParamId],
        expr: ExprId,
    ) -> Maybe<bool> {
        let Some((first, rest)) = params.split_first() else { return self.value(frame, expr)?.bool() };
        let param = &self.model.ast.params[*first];
        let mut found = quantifier == Quantifier::Forall;
        for value in self.model.values(param.ty)? {
            frame.locals.push((self.model.ast.text(param.ident).to_owned(), value));
            let holds = self.quantified(frame, quantifier, rest, expr);
            frame.locals.pop();
            match quantifier {
                Quantifier::Forall => found &= holds?,
                Quantifier::Exists => found |= holds?,
            }
        }
        Ok(found)
    }
    /// Later operands are not looked at where the earlier ones decide; `imply` is from the right.
    fn logic(&mut self, frame: &mut Frame, op: LogicOp, operands: &[ExprId]) -> Maybe<bool> {
        let (first, rest) = operands.split_first().expect("operands");
        let first = self.value(frame, *first)?.bool()?;
        if rest.is_empty() {
            return Ok(first);
        }
        match op {
            LogicOp::And => Ok(first && self.logic(frame, op, rest)?),
            LogicOp::Or => Ok(first || self.logic(frame, op, rest)?),
            LogicOp::Imply => Ok(!first || self.logic(frame, op, rest)?),
            LogicOp::Xor => Ok(first ^ self.logic(frame, op, rest)?),
        }
    }
}

fn checked(value: Option<i128>) -> Maybe<i128> {
    value.map_or_else(|| unable("a huge number"), Ok)
}

fn product(op: MulOp, a: &Value, b: &Value) -> Maybe<Value> {
    match (op, a, b) {
        (MulOp::Times, Value::Int(a), Value::Int(b)) => Ok(Value::Int(checked(a.checked_mul(*b))?)),
        (_, Value::Int(_), Value::Int(0)) => Err(Stop::Division),
        // `0 <= a mod b < |b|`.
        (MulOp::Divide | MulOp::Div, Value::Int(a), Value::Int(b)) => Ok(Value::Int(a.div_euclid(*b))),
        (MulOp::Mod, Value::Int(a), Value::Int(b)) => Ok(Value::Int(a.rem_euclid(*b))),
        (MulOp::Times, ..) => {
            let ((a, b), (c, d)) = (a.ratio()?, b.ratio()?);
            Value::fraction(a * c, b * d)
        }
        (MulOp::Divide, ..) => {
            let ((a, b), (c, d)) = (a.ratio()?, b.ratio()?);
            Value::fraction(a * d, b * c)
        }
        _ => unable("div and mod of fractions"),
    }
}

fn decimal(text: &str) -> Maybe<Value> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let Ok(digits) = format!("{whole}{places}").parse::<i128>() else { return unable("a decimal") };
    let scale = 10_i128.pow(u32::try_from(places.len()).unwrap_or(30).min(30));
    let common = gcd(digits, scale).max(1);
    Ok(Value::Ratio(digits / common, scale / common))
}
