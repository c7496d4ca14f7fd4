//! Printing in the notation of XSTS, with the user's names.
//!
//! Terms share their parts, and text does not: where a part would be very long, only a mark is printed.

use std::fmt::{self, Display, Formatter};

use crate::id::Id;
use crate::stmt::{Stmt, StmtNode};
use crate::system::{LocationKind, Scope, System};
use crate::term::{Node, Term, VarId};
use crate::value::{Type, Types, Value};

/// How many nodes a part of a term may have, written out, to be printed.
const LONGEST_PART: u32 = 1 << 16;

/// A text within the quotes of a DOT file.
pub fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Types {
    /// `value` as the user would write it; enumeration literals are qualified.
    pub fn show<'a>(&'a self, value: &'a Value) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| self.write_value(f, value))
    }
    /// The name of a type.
    pub fn show_type(&self, ty: Type) -> impl Display + '_ {
        Show(move |f: &mut Formatter<'_>| match ty {
            Type::Bool => f.write_str("boolean"),
            Type::Int => f.write_str("integer"),
            Type::Rat => f.write_str("rational"),
            Type::Clock => f.write_str("clock"),
            Type::Enum(id) => f.write_str(&self.enum_type(id).name),
            Type::Array(id) => {
                let array = self.array_type(id);
                write!(f, "[{}] -> {}", self.show_type(array.index), self.show_type(array.element))
            }
        })
    }
    fn write_value(&self, f: &mut Formatter<'_>, value: &Value) -> fmt::Result {
        match value {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Rat(value) => write!(f, "{value}"),
            Value::Enum(id, literal) => {
                let ty = self.enum_type(*id);
                write!(f, "{}.{}", ty.name, ty.literals[*literal as usize])
            }
            Value::Array(array) => {
                f.write_str("[")?;
                for (index, entry) in array.entries() {
                    write!(f, "{} <- {}, ", self.show(index), self.show(entry))?;
                }
                write!(f, "default <- {}]", self.show(array.default()))
            }
        }
    }
}

impl System {
    /// A term in the user's names.
    pub fn show(&self, term: Term) -> impl Display + '_ {
        Show(move |f: &mut Formatter<'_>| self.write_term(f, term, 0))
    }
    /// A statement in the user's names, one per line.
    pub fn show_stmt(&self, stmt: Stmt) -> impl Display + '_ {
        Show(move |f: &mut Formatter<'_>| self.write_stmt(f, stmt, 0))
    }

    /// Precedence levels, loosest first: 0 if-then-else, 1 or, 2 and, 3 not, 4 equality, 5 order,
    /// 6 sum, 7 product, 8 unary, 9 postfix.
    fn write_term(&self, f: &mut Formatter<'_>, term: Term, around: u8) -> fmt::Result {
        let level = match self.terms.node(term) {
            Node::Ite(..) => 0,
            Node::Or(_) => 1,
            Node::And(_) => 2,
            Node::Not(_) => 3,
            Node::Eq(..) => 4,
            Node::Le(..) | Node::Lt(..) => 5,
            Node::Add(_) => 6,
            Node::Mul(_) | Node::Div(..) | Node::Mod(..) | Node::Rem(..) => 7,
            // In parentheses within anything else, as are their operands.
            Node::BitAnd(..) | Node::BitOr(..) | Node::BitXor(..) => 0,
            _ => 9,
        };
        crate::deep(|| {
            if level < around {
                f.write_str("(")?;
            }
            self.write_node(f, self.terms.node(term), level)?;
            if level < around { f.write_str(")") } else { Ok(()) }
        })
    }
    /// A part of a term, or that there is one: nobody reads what is that long, and writing it may never end.
    fn write_part(&self, f: &mut Formatter<'_>, part: Term, around: u8) -> fmt::Result {
        if self.terms.written_size(part) > LONGEST_PART {
            return f.write_str("…");
        }
        self.write_term(f, part, around)
    }
    fn write_node(&self, f: &mut Formatter<'_>, node: &Node, level: u8) -> fmt::Result {
        let list = |f: &mut Formatter<'_>, list: &[Term], separator: &str| -> fmt::Result {
            for (index, part) in list.iter().enumerate() {
                if index > 0 {
                    f.write_str(separator)?;
                }
                self.write_part(f, *part, level + 1)?;
            }
            Ok(())
        };
        // Languages differ in how tightly these bind, so operands are in parentheses.
        let bits = |f: &mut Formatter<'_>, a: Term, b: Term, op: &str| -> fmt::Result {
            self.write_part(f, a, 8)?;
            f.write_str(op)?;
            self.write_part(f, b, 8)
        };
        match node {
            Node::Const(value) => self.types().write_value(f, value),
            Node::Var(var, 0) => f.write_str(&self.vars[*var].name),
            Node::Var(var, step) => write!(f, "{}@{step}", self.vars[*var].name),
            Node::At(process, location) => {
                let process = &self.processes[*process];
                write!(f, "{}.{}", process.name, process.locations[*location].name)
            }
            Node::Deadlock => f.write_str("deadlock"),
            Node::Not(a) => {
                f.write_str("!")?;
                self.write_part(f, *a, 9)
            }
            Node::And(parts) => list(f, parts, " && "),
            Node::Or(parts) => list(f, parts, " || "),
            Node::Add(parts) => list(f, parts, " + "),
            Node::Mul(parts) => list(f, parts, " * "),
            Node::Eq(a, b) => list(f, &[*a, *b], " == "),
            Node::Le(a, b) => list(f, &[*a, *b], " <= "),
            Node::Lt(a, b) => list(f, &[*a, *b], " < "),
            Node::Div(a, b) => list(f, &[*a, *b], " / "),
            Node::Mod(a, b) => list(f, &[*a, *b], " % "),
            Node::Rem(a, b) => list(f, &[*a, *b], " rem "),
            Node::BitAnd(a, b) => bits(f, *a, *b, " & "),
            Node::BitOr(a, b) => bits(f, *a, *b, " | "),
            Node::BitXor(a, b) => bits(f, *a, *b, " ^ "),
            Node::Ite(c, a, b) => {
                f.write_str("if ")?;
                self.write_part(f, *c, 1)?;
                f.write_str(" then ")?;
                self.write_part(f, *a, 1)?;
                f.write_str(" else ")?;
                self.write_part(f, *b, 0)
            }
            Node::Read(array, index) => {
                self.write_part(f, *array, 9)?;
                f.write_str("[")?;
                self.write_part(f, *index, 0)?;
                f.write_str("]")
            }
            Node::Write(array, index, value) => {
                self.write_part(f, *array, 9)?;
                f.write_str("[")?;
                self.write_part(f, *index, 0)?;
                f.write_str(" <- ")?;
                self.write_part(f, *value, 0)?;
                f.write_str("]")
            }
            Node::Fill(array, value) => {
                write!(
                    f,
                    "[<{}> default <- ",
                    self.types().show_type(self.types().array_type(*array).index)
                )?;
                self.write_part(f, *value, 0)?;
                f.write_str("]")
            }
        }
    }

    fn write_stmt(&self, f: &mut Formatter<'_>, stmt: Stmt, depth: usize) -> fmt::Result {
        crate::deep(|| self.write_stmt_node(f, self.terms.stmt(stmt), depth))
    }
    fn write_stmt_node(&self, f: &mut Formatter<'_>, node: &StmtNode, depth: usize) -> fmt::Result {
        let indent = "    ".repeat(depth);
        let name = |var: VarId| &self.vars[var].name;
        let block = |f: &mut Formatter<'_>, head: &str, body: Stmt| -> fmt::Result {
            writeln!(f, "{indent}{head} {{")?;
            self.write_stmt(f, body, depth + 1)?;
            writeln!(f, "{indent}}}")
        };
        match node {
            StmtNode::Skip => writeln!(f, "{indent}skip"),
            StmtNode::Assume(condition) => writeln!(f, "{indent}assume {}", self.show(*condition)),
            StmtNode::Assign(var, value) => writeln!(f, "{indent}{} := {}", name(*var), self.show(*value)),
            StmtNode::Havoc(var) => writeln!(f, "{indent}havoc {}", name(*var)),
            StmtNode::Delay => writeln!(f, "{indent}delay"),
            StmtNode::Seq(list) => list.iter().try_for_each(|part| self.write_stmt(f, *part, depth)),
            StmtNode::Choice(list) => {
                for (index, part) in list.iter().enumerate() {
                    block(f, if index == 0 { "choice" } else { "or" }, *part)?;
                }
                Ok(())
            }
            StmtNode::If(condition, then, otherwise) => {
                block(f, &format!("if {}", self.show(*condition)), *then)?;
                match self.terms.stmt(*otherwise) {
                    StmtNode::Skip => Ok(()),
                    _ => block(f, "else", *otherwise),
                }
            }
            StmtNode::For { var, from, to, body } => {
                let head = format!("for {} from {} to {}", name(*var), self.show(*from), self.show(*to));
                block(f, &head, *body)
            }
            StmtNode::While(condition, body) => block(f, &format!("while {}", self.show(*condition)), *body),
        }
    }
}

/// The whole system: variables, initial values, processes with locations and edges.
impl Display for System {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, var) in self.vars.entries() {
            let kind = match var.scope {
                Scope::State if var.control => "ctrl var",
                Scope::State => "var",
                Scope::Local => "local var",
            };
            write!(f, "{kind} {}: {}", var.name, self.types().show_type(self.terms.var_type(id)))?;
            if let Some((least, greatest)) = &var.range {
                write!(f, "[{least}, {greatest}]")?;
            }
            match self.initial.iter().find(|(initialised, _)| *initialised == id) {
                Some((_, value)) => writeln!(f, " = {}", self.show(*value))?,
                None => writeln!(f)?,
            }
        }
        for process in self.processes.iter() {
            writeln!(f, "process {}", process.name)?;
            for (id, location) in process.locations.entries() {
                write!(f, "  location {}", location.name)?;
                match location.kind {
                    LocationKind::Normal => {}
                    LocationKind::Urgent => write!(f, " urgent")?,
                    LocationKind::Committed => write!(f, " committed")?,
                }
                if process.initial == Some(id) {
                    write!(f, " initial")?;
                }
                if location.observed {
                    write!(f, " observed")?;
                }
                match self.terms.as_const(location.invariant) {
                    Some(Value::Bool(true)) => writeln!(f)?,
                    _ => writeln!(f, " {{ {} }}", self.show(location.invariant))?,
                }
            }
            for edge in process.edges.iter() {
                let (source, target) = (&process.locations[edge.source], &process.locations[edge.target]);
                write!(f, "  {}: {} -> {}", edge.label, source.name, target.name)?;
                if self.terms.as_const(edge.guard).is_none() {
                    write!(f, " when {}", self.show(edge.guard))?;
                }
                if let Some(sync) = edge.sync {
                    write!(f, " sync {}", self.channels[sync.channel].name)?;
                }
                writeln!(f)?;
                self.write_stmt(f, edge.update.stmt, 1)?;
            }
        }
        for (id, fault) in self.faults.entries() {
            writeln!(f, "fault {}: {}", id.index(), fault.kind)?;
        }
        Ok(())
    }
}

/// Displays by a closure.
struct Show<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Show<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}
