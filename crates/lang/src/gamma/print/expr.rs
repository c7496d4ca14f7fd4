//! Expressions as text, with as few parentheses as the grammar allows.

use super::Printer;
use crate::gamma::ast::*;

/// How tightly an expression binds; an operand that binds less tightly than its place needs is put in parentheses.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Whole,
    Imply,
    Or,
    Xor,
    And,
    Unary,
    Equal,
    Compare,
    Sum,
    Product,
    Signed,
    Access,
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Else | ExprKind::Conditional(..) => Level::Whole,
        ExprKind::Logic(LogicOp::Imply, _) => Level::Imply,
        ExprKind::Logic(LogicOp::Or, _) => Level::Or,
        ExprKind::Logic(LogicOp::Xor, _) => Level::Xor,
        ExprKind::Logic(LogicOp::And, _) => Level::And,
        ExprKind::Not(_) | ExprKind::Quantified(..) => Level::Unary,
        ExprKind::Compare(CompareOp::Equal | CompareOp::NotEqual, ..) => Level::Equal,
        ExprKind::Compare(..) => Level::Compare,
        ExprKind::Sum(..) => Level::Sum,
        ExprKind::Product(..) => Level::Product,
        ExprKind::Negate(_) | ExprKind::Plus(_) => Level::Signed,
        // A unit would take what follows, and `port.event::` a name behind it.
        ExprKind::Time(..) | ExprKind::Raised(_) => Level::Whole,
        _ => Level::Access,
    }
}

impl Printer<'_> {
    pub(in crate::gamma) fn expr(&self, id: ExprId) -> String {
        self.operand(id, Level::Whole)
    }
    /// What is assigned to; never with a word at its beginning that belongs to a statement.
    pub(super) fn target(&self, id: ExprId) -> String {
        self.operand(id, Level::Imply)
    }
    pub(in crate::gamma) fn exprs(&self, list: &[ExprId]) -> String {
        let list: Vec<String> = list.iter().map(|id| self.expr(*id)).collect();
        list.join(", ")
    }
    pub(in crate::gamma) fn duration(&self, time: &Duration) -> String {
        format!("{} {}", self.operand(time.value, Level::Sum), unit(time.unit))
    }
    fn operand(&self, id: ExprId, needed: Level) -> String {
        let kind = &self.ast.exprs[id].kind;
        let text = ir::deep(|| self.plain(kind));
        if level(kind) < needed { format!("({text})") } else { text }
    }
    fn plain(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Else => "else".to_owned(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Integer(value) => value.to_string(),
            ExprKind::Rational(numerator, denominator) => format!("{numerator} % {denominator}"),
            ExprKind::Decimal(text) => self.ast.names.text(*text).to_owned(),
            ExprKind::Opaque(text) => Self::quoted(self.ast.names.text(*text)),
            ExprKind::Infinity => "infinity".to_owned(),
            ExprKind::Time(value, of) => format!("time {} {}", self.operand(*value, Level::Sum), unit(*of)),
            ExprKind::Name(used) => self.used(*used),
            ExprKind::Literal { ty, literal } => format!("{}::{}", self.used(*ty), self.used(*literal)),
            ExprKind::EventParameter { port, event, param } => {
                let port = port.map_or("this".to_owned(), |port| self.used(port));
                format!("{port}.{}::{}", self.used(*event), self.used(*param))
            }
            ExprKind::Raised(event) => format!("{}::", self.event_ref(*event)),
            ExprKind::InState { region, state } => {
                format!("in-state({}.{})", self.used(*region), self.used(*state))
            }
            ExprKind::Elapsed(timeout) => format!("time-elapsed({})", self.used(*timeout)),
            ExprKind::Array(entries) => format!("#[{}]", self.exprs(entries)),
            ExprKind::Record { ty, fields } => {
                let list = fields
                    .iter()
                    .map(|(field, value)| format!("{} := {}", self.used(*field), self.expr(*value)));
                format!("#{} {{ {} }}", self.used(*ty), list.collect::<Vec<_>>().join(", "))
            }
            ExprKind::Range { from, from_included, to, to_included } => {
                let open = if *from_included { "<+" } else { "<-" };
                let close = if *to_included { "+>" } else { "->" };
                // An end in parentheses cannot be taken for more than it is.
                format!(
                    "{open} {} .. {} {close}",
                    self.operand(*from, Level::Sum),
                    self.operand(*to, Level::Sum)
                )
            }
            ExprKind::Index(array, index) => {
                format!("{}[{}]", self.operand(*array, Level::Access), self.expr(*index))
            }
            ExprKind::Field(record, field) => {
                format!("{}.{}", self.operand(*record, Level::Access), self.used(*field))
            }
            ExprKind::Call(function, arguments) => {
                format!("{}({})", self.operand(*function, Level::Access), self.exprs(arguments))
            }
            ExprKind::Select(values) => format!("{} -> select", self.operand(*values, Level::Access)),
            ExprKind::Negate(value) => format!("-{}", self.operand(*value, Level::Signed)),
            ExprKind::Plus(value) => format!("+{}", self.operand(*value, Level::Signed)),
            ExprKind::Product(first, rest) => {
                let mut text = self.operand(*first, Level::Signed);
                for (op, operand) in rest {
                    let op = match op {
                        MulOp::Times => "*",
                        MulOp::Divide => "/",
                        MulOp::Div => "div",
                        MulOp::Mod => "mod",
                    };
                    text += &format!(" {op} {}", self.operand(*operand, Level::Signed));
                }
                text
            }
            ExprKind::Sum(first, rest) => {
                let mut text = self.operand(*first, Level::Product);
                for (op, operand) in rest {
                    let op = match op {
                        AddOp::Plus => '+',
                        AddOp::Minus => '-',
                    };
                    text += &format!(" {op} {}", self.operand(*operand, Level::Product));
                }
                text
            }
            ExprKind::Compare(op, left, right) => {
                let (op, left_needed, right_needed) = match op {
                    CompareOp::Equal => ("=", Level::Compare, Level::Compare),
                    CompareOp::NotEqual => ("/=", Level::Compare, Level::Compare),
                    CompareOp::Less => ("<", Level::Compare, Level::Sum),
                    CompareOp::LessEqual => ("<=", Level::Compare, Level::Sum),
                    CompareOp::Greater => (">", Level::Compare, Level::Sum),
                    CompareOp::GreaterEqual => (">=", Level::Compare, Level::Sum),
                };
                format!("{} {op} {}", self.operand(*left, left_needed), self.operand(*right, right_needed))
            }
            ExprKind::Not(value) => format!("not {}", self.operand(*value, Level::Unary)),
            ExprKind::Quantified(quantifier, params, value) => {
                let word = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                };
                format!("{word} {} : {}", self.params(params), self.operand(*value, Level::Unary))
            }
            ExprKind::Logic(op, operands) => {
                let (word, needed) = match op {
                    LogicOp::Imply => (" imply ", Level::Or),
                    LogicOp::Or => (" or ", Level::Xor),
                    LogicOp::Xor => (" xor ", Level::And),
                    LogicOp::And => (" and ", Level::Unary),
                };
                let list: Vec<String> = operands.iter().map(|id| self.operand(*id, needed)).collect();
                list.join(word)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.operand(*condition, Level::Imply);
                format!("{condition} ? {} : {}", self.expr(*yes), self.expr(*no))
            }
            ExprKind::Observed(observed) => self.observed(observed),
        }
    }
    fn observed(&self, observed: &Observed) -> String {
        let mut text = match observed.kind {
            ObservedKind::State => "state ",
            ObservedKind::Variable => "variable ",
            ObservedKind::Event => "event ",
            ObservedKind::Parameter => "parameter ",
            ObservedKind::Raise => "raise ",
            ObservedKind::Element => "element ",
        }
        .to_owned();
        let instances: Vec<String> = observed.instances.iter().map(|ident| self.ident(*ident)).collect();
        text += &instances.join(" -> ");
        for name in &observed.rest {
            text += &format!(".{}", self.ident(*name));
        }
        if let Some(parameter) = observed.parameter {
            text += &format!("::{}", self.ident(parameter));
        }
        text + &self.arguments(&observed.arguments)
    }
}

/// How a unit is written.
pub(super) fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Millisecond => "ms",
        Unit::Second => "s",
        Unit::Hour => "h",
    }
}
