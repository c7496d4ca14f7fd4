//! `ort`: blocks that happen at the same time.
//!
//! Every block starts from the values before the statement and works on copies of its own. A block
//! *writes* a variable if it contains an assignment or a `havoc` of it, executed or not. Afterwards a
//! variable has the value that it has at the end of the block that writes it; where several blocks write
//! it, these values must be equal, or else the step is blocked. A blocked block blocks the whole. There is
//! no order, so a block that goes wrong does so whatever the others do.
//!
//! Lowered, the blocks run one after the other, and each of them writes a hidden local instead of every
//! variable that a later block uses. What no later block uses is written in place. So when a block
//! begins, all that it or a later one uses is as before the statement. In the end, what is written several
//! times must be equal, and copies become values. A variable has at most one copy for each block that
//! mentions it, so the lowered statement is linear in the text.
//!
//! Clocks cannot be copied; who resets one must come last among those who use it. Nor can time pass in a
//! block, for it passes for all clocks at once.

use std::collections::BTreeMap;

use ir::{Guarded, Span, Stmt, Type, VarId, Variable};

use super::ast::*;
use super::expr::Elaborator;
use super::symbols::{Binding, Symbols};
use crate::code::Code;
use crate::diagnostic::Diagnostic;

/// How a block uses a variable that is declared outside of it.
#[derive(Copy, Clone)]
struct Use {
    /// A place where it is mentioned.
    place: Span,
    /// The first place where it is written.
    written: Option<Span>,
}

type Uses = BTreeMap<Name, Use>;

/// For every name that some block writes, the variables that hold the values at the ends of these blocks.
type Ends = BTreeMap<Name, Vec<VarId>>;

impl Elaborator<'_> {
    pub(crate) fn ort(&mut self, blocks: &[StmtId]) -> Guarded {
        let uses: Vec<Uses> = blocks.iter().map(|block| uses(self.ast, self.symbols, *block)).collect();
        self.warn_of_conflicts(&uses);
        let outer = std::mem::replace(&mut self.at_once, true);
        let mut ends = Ends::new();
        let mut parts = vec![];
        for (at, block) in blocks.iter().enumerate() {
            let (own, later) = uses[at..].split_first().expect("every block has its uses");
            parts.push(self.apart(*block, own, later, &mut ends));
        }
        self.at_once = outer;
        let mut stmts: Vec<Stmt> = parts.iter().map(|part| part.stmt).collect();
        stmts.extend(self.merge(&ends));
        let faults: Vec<Stmt> = parts.iter().filter_map(|part| part.fault).collect();
        let terms = &mut self.system.terms;
        let fault = (!faults.is_empty()).then(|| terms.choice(faults));
        Guarded { stmt: terms.seq(stmts), fault }
    }
    /// Who writes the same in several blocks may expect one of them to win.
    fn warn_of_conflicts(&mut self, uses: &[Uses]) {
        let mut places: BTreeMap<Name, Vec<Span>> = BTreeMap::new();
        for (name, found) in uses.iter().flatten() {
            places.entry(*name).or_default().extend(found.written);
        }
        for (name, places) in places {
            let [first, others @ ..] = &places[..] else { continue };
            if others.is_empty() {
                continue;
            }
            let message = format!(
                "several blocks of an `ort` write `{}`; where they give it different values, the step is blocked",
                self.text(name)
            );
            let warning = Diagnostic::warning(Code::ConflictingWrites, *first, message);
            let warning =
                others.iter().fold(warning, |warning, other| warning.note(*other, "also written here"));
            self.warnings.push(warning);
        }
    }
    /// A block that leaves alone what `later` blocks use.
    fn apart(&mut self, block: StmtId, own: &Uses, later: &[Uses], ends: &mut Ends) -> Guarded {
        let scope = self.symbols.enter();
        let mut parts = vec![];
        for (name, found) in own {
            let Some(written) = found.written else { continue };
            let binding = *self.symbols.get(*name).expect("only variables are used");
            let end = match later.iter().find_map(|uses| uses.get(name)) {
                None => binding.var,
                Some(other) if binding.ty == Some(Type::Clock) => {
                    self.no_copy(*name, written, other.place);
                    continue;
                }
                Some(_) => {
                    let copy = self.copy(*name, binding);
                    let value = self.system.terms.var(binding.var);
                    parts.push(Guarded::safe(self.system.terms.assign(copy, value)));
                    copy
                }
            };
            ends.entry(*name).or_default().push(end);
        }
        parts.push(self.scoped(block));
        self.symbols.leave(scope);
        self.seq(&parts)
    }
    fn no_copy(&mut self, name: Name, written: Span, used: Span) {
        let text = self.text(name);
        let message = format!(
            "clock `{text}` is reset here, and a later block of the `ort` uses it as it was before; as clocks cannot be \
             copied, put this block behind that one, or the reset behind the `ort`"
        );
        self.diagnostics.push(Diagnostic::error(Code::ClockMisuse, written, message).note(used, "used here"));
    }
    /// A hidden variable that `name` stands for until the scope ends.
    fn copy(&mut self, name: Name, binding: Binding) -> VarId {
        let title = format!("{}'", self.system.vars[binding.var].name);
        let variable = Variable { shown: false, ..Variable::local(title, binding.span) };
        let copy = self.system.declare(binding.ty.unwrap_or(Type::Bool), variable);
        if let Some(bound) = self.frozen.get(&binding.var).copied() {
            self.frozen.insert(copy, bound);
        }
        self.symbols.bind(name, Binding { var: copy, ..binding });
        copy
    }
    /// Whoever writes a variable agrees with the last one who does, whose value it gets.
    fn merge(&mut self, ends: &Ends) -> Vec<Stmt> {
        let mut list = vec![];
        for (name, ends) in ends {
            let (last, others) = ends.split_last().expect("somebody writes it");
            let var = self.symbols.get(*name).expect("only variables are used").var;
            let terms = &mut self.system.terms;
            let value = terms.var(*last);
            for other in others {
                let other = terms.var(*other);
                let equal = terms.eq(other, value);
                list.push(terms.assume(equal));
            }
            if *last != var {
                list.push(terms.assign(var, value));
            }
        }
        list
    }
}

/// How a block uses variables that are declared outside of it.
fn uses(ast: &Model, symbols: &Symbols, block: StmtId) -> Uses {
    let mut walk = Walk { ast, symbols, hidden: vec![], uses: Uses::new() };
    walk.stmt(block);
    walk.uses
}

struct Walk<'a> {
    ast: &'a Model,
    symbols: &'a Symbols,
    /// Names that stand for variables of the block itself.
    hidden: Vec<Name>,
    uses: Uses,
}

impl Walk<'_> {
    fn stmt(&mut self, stmt: StmtId) {
        let ast = self.ast;
        match &ast.stmts[stmt].kind {
            StmtKind::Block(list) => self.scoped(|walk| list.iter().for_each(|stmt| walk.stmt(*stmt))),
            StmtKind::Choice(list) | StmtKind::Ort(list) => {
                list.iter().for_each(|stmt| self.scoped(|walk| walk.stmt(*stmt)));
            }
            StmtKind::If(condition, then, otherwise) => {
                self.expr(*condition);
                self.scoped(|walk| walk.stmt(*then));
                otherwise.iter().for_each(|stmt| self.scoped(|walk| walk.stmt(*stmt)));
            }
            StmtKind::For(ident, from, to, body) => {
                self.expr(*from);
                self.expr(*to);
                self.scoped(|walk| {
                    walk.hidden.push(ident.name);
                    walk.stmt(*body);
                });
            }
            StmtKind::Local(ident, _, initial) => {
                initial.iter().for_each(|initial| self.expr(*initial));
                self.hidden.push(ident.name);
            }
            StmtKind::Assign(target, positions, value) => {
                positions.iter().for_each(|position| self.expr(*position));
                self.expr(*value);
                self.name(target.name, target.span, true);
            }
            StmtKind::Havoc(ident) => self.name(ident.name, ident.span, true),
            StmtKind::Assume(condition) => self.expr(*condition),
            StmtKind::Delay => {}
        }
    }
    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let outer = self.hidden.len();
        ir::deep(|| inner(self));
        self.hidden.truncate(outer);
    }
    fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        let mut open = vec![expr];
        while let Some(next) = open.pop() {
            let Expr { kind, span } = &ast.exprs[next];
            if let ExprKind::Name(name) = kind {
                self.name(*name, *span, false);
            }
            kind.for_each_child(|child| open.push(child));
        }
    }
    fn name(&mut self, name: Name, place: Span, written: bool) {
        if self.symbols.get(name).is_some() && !self.hidden.contains(&name) {
            let found = self.uses.entry(name).or_insert(Use { place, written: None });
            if written {
                found.written.get_or_insert(place);
            }
        }
    }
}
