//! Path formulas: `A f` and `E f` in the form of property files, as claims about runs.
//!
//! `A f` claims that every run satisfies `f`, and `E f` that some run does; `A G { e }`, `E F { e }` and `A G [ E F [ { e } ] ]`
//! are claims about states. No other quantifier may stand inside.
//!
//! A finding ends a run inside a step ([`lower::ending`](super::lower)), and of the state that is left then nothing is
//! known. There every atom counts as whatever is in favour of a claim about every run, and against one about some run:
//! the weak and the strong view of truncated paths (Eisner et al. 2003). So a run that ends like this violates nothing by its
//! last state, and shows nothing by it.

use ir::ltl::{Builder, Formula as Ltl, Node, Sub};
use ir::{Claim, IdVec, Span, System, Term};

use super::ast::{ExprId, LogicOp};
use super::atom::Elaborate;
use super::property::{self, BinaryOp, FormulaId, FormulaKind, PathQuantifier, PropertyFile, UnaryOp};
use super::question::Scope;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::question::{Question, one_line};
use crate::temporal::{Conditions, Path};

impl Scope {
    /// What a text asks that is a quantified formula in the form of property files, if it is one.
    pub(super) fn quantified_formula(
        &self,
        system: &mut System,
        name: &str,
        text: &str,
    ) -> Option<Result<Question, Vec<Diagnostic>>> {
        let (file, said) = property::parse_formula(text);
        if said.iter().any(|said| said.severity == Severity::Error) {
            return None;
        }
        let [property] = &file.properties[..] else { return None };
        let FormulaKind::Quantified(quantifier, path) = file.formulas[property.formula].kind else {
            return None;
        };
        let mut reader = Reader { scope: self, system, file: &file };
        Some(reader.question(quantifier, path, name, text).map_err(|error| vec![error]))
    }
    /// The same claim, of runs that may end inside a step.
    pub(super) fn until_ended(&self, system: &mut System, path: Path) -> Path {
        if self.stuck.is_none() {
            return path;
        }
        let stuck = self.is_stuck(system);
        let favours = !path.is_about_some_run();
        path.rewritten(|formula, conditions| ended(formula, conditions.number(stuck), favours))
    }
}

/// What is claimed of states that satisfy a condition.
type ClaimOf = fn(Term) -> Claim;

/// Reads the formulas of a file.
struct Reader<'a> {
    scope: &'a Scope,
    system: &'a mut System,
    file: &'a PropertyFile,
}

impl Reader<'_> {
    fn question(
        &mut self,
        quantifier: PathQuantifier,
        path: FormulaId,
        name: &str,
        text: &str,
    ) -> Result<Question, Diagnostic> {
        if let Some((claim, atom)) = self.of_states(quantifier, path) {
            let condition = self.condition(atom)?;
            let stuck = self.scope.is_stuck(self.system);
            let terms = &mut self.system.terms;
            let condition = match quantifier {
                PathQuantifier::All => terms.or([condition, stuck]),
                PathQuantifier::Some => {
                    let going = terms.not(stuck);
                    terms.and([condition, going])
                }
            };
            let expression = one_line(piece(text, self.file.ast.exprs[atom].span));
            return Ok(Question::new(name, text.trim(), expression, claim(condition)));
        }
        let (mut builder, mut conditions) = (Builder::default(), Conditions::default());
        let root = self.path(&mut builder, &mut conditions, path)?;
        let read = Path::new(builder.finish(root), conditions);
        let read = match quantifier {
            PathQuantifier::All => read,
            PathQuantifier::Some => read.of_some_run(),
        };
        let read = self.scope.until_ended(self.system, read);
        let Span { start, end, .. } = self.file.formulas[path].span;
        Ok(read.question(self.system, name, text, start as usize..end as usize))
    }
    /// What is claimed of states, and by which expression, if the formula is about them.
    fn of_states(&self, quantifier: PathQuantifier, path: FormulaId) -> Option<(ClaimOf, ExprId)> {
        use PathQuantifier as Runs;
        let (op, inner) = self.operand(path)?;
        match (quantifier, op, &self.file.formulas[inner].kind) {
            (Runs::All, UnaryOp::Globally, FormulaKind::Atom(atom)) => Some((Claim::Always, *atom)),
            (Runs::Some, UnaryOp::Finally, FormulaKind::Atom(atom)) => Some((Claim::Possibly, *atom)),
            (Runs::All, UnaryOp::Globally, FormulaKind::Quantified(Runs::Some, again)) => {
                let (op, goal) = self.operand(*again)?;
                match (op, &self.file.formulas[goal].kind) {
                    (UnaryOp::Finally, FormulaKind::Atom(atom)) => Some((Claim::AlwaysPossibly, *atom)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
    /// The operator of one operand on top of a formula, and the operand.
    fn operand(&self, formula: FormulaId) -> Option<(UnaryOp, FormulaId)> {
        match self.file.formulas[formula].kind {
            FormulaKind::Unary(op, inner) => Some((op, inner)),
            _ => None,
        }
    }
    fn condition(&mut self, atom: ExprId) -> Result<Term, Diagnostic> {
        Elaborate { ast: &self.file.ast, scope: self.scope, system: self.system }.truth(atom)
    }
    fn path(
        &mut self,
        to: &mut Builder,
        conditions: &mut Conditions,
        formula: FormulaId,
    ) -> Result<Sub, Diagnostic> {
        let formula = &self.file.formulas[formula];
        let unsupported =
            |message: &str| Err(Diagnostic::error(Code::UnsupportedTemporalFormula, formula.span, message));
        let mut sub = |formula: FormulaId| ir::deep(|| self.path(to, conditions, formula));
        let node = match &formula.kind {
            FormulaKind::Atom(atom) => {
                let condition = self.condition(*atom)?;
                Node::Atom(conditions.number(condition))
            }
            FormulaKind::Quantified(..) => {
                return unsupported(
                    "a quantifier inside a formula is branching time (CTL); of that only `A G [ E F [ { … } ] ]` is \
                     supported",
                );
            }
            FormulaKind::Not(inner) => Node::Not(sub(*inner)?),
            FormulaKind::Unary(op, inner) => {
                let inner = sub(*inner)?;
                match op {
                    UnaryOp::Globally => Node::Globally(inner),
                    UnaryOp::Finally => Node::Finally(inner),
                    UnaryOp::Next => Node::Next(inner),
                }
            }
            FormulaKind::Binary(op, first, second) => {
                let (first, second) = (sub(*first)?, sub(*second)?);
                match op {
                    BinaryOp::Until => Node::Until(first, second),
                    BinaryOp::Release => Node::Release(first, second),
                    BinaryOp::WeakUntil => Node::WeakUntil(first, second),
                    BinaryOp::Before | BinaryOp::WeakBefore => {
                        return unsupported(
                            "`B` and `WB` are not supported, for not everyone means the same by them; say it with \
                             `U`, `WU` or `R`",
                        );
                    }
                }
            }
            FormulaKind::Logic(op, operands) => {
                let operands = operands.iter().map(|operand| sub(*operand)).collect::<Result<Vec<_>, _>>()?;
                return Ok(connected(to, *op, &operands));
            }
        };
        Ok(to.add(node))
    }
}

/// Operands of one connective; implications group to the right.
fn connected(to: &mut Builder, op: LogicOp, operands: &[Sub]) -> Sub {
    let (last, rest) = operands.split_last().expect("a connective has operands");
    rest.iter().rev().fold(*last, |right, left| {
        let node = match op {
            LogicOp::And => Node::And(*left, right),
            LogicOp::Or => Node::Or(*left, right),
            LogicOp::Imply => Node::Implies(*left, right),
            LogicOp::Xor => Node::Not(to.add(Node::Iff(*left, right))),
        };
        to.add(node)
    })
}

fn piece(text: &str, Span { start, end, .. }: Span) -> &str {
    &text[start as usize..end as usize]
}

/// A formula whose atoms are in favour of it, or against it, wherever the atom `end` holds. Those under a negation are the
/// other way round.
fn ended(formula: &Ltl, end: u32, favours: bool) -> Ltl {
    let mut to = Builder::default();
    let is_end = to.atom(end);
    let goes_on = to.add(Node::Not(is_end));
    // Each sub-formula where it is asserted, and where it is denied.
    let mut copies: IdVec<Sub, [Sub; 2]> = IdVec::new();
    for node in formula.nodes().iter() {
        let pair = [0, 1].map(|denied| match *node {
            Node::Atom(number) => {
                let atom = to.atom(number);
                to.add(match favours == (denied == 0) {
                    true => Node::Or(atom, is_end),
                    false => Node::And(atom, goes_on),
                })
            }
            Node::Not(inner) => to.add(Node::Not(copies[inner][1 - denied])),
            Node::Implies(a, b) => to.add(Node::Implies(copies[a][1 - denied], copies[b][denied])),
            Node::Iff(a, b) => {
                let there = to.add(Node::Implies(copies[a][1 - denied], copies[b][denied]));
                let back = to.add(Node::Implies(copies[b][1 - denied], copies[a][denied]));
                to.add(Node::And(there, back))
            }
            node => to.add(node.map(|child| copies[child][denied])),
        });
        copies.push(pair);
    }
    to.finish(copies[formula.root()][0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Atom 0 is `p`, 1 is `q`, and 2 the end.
    fn shown(build: impl FnOnce(&mut Builder, Sub, Sub) -> Sub, favours: bool) -> String {
        let mut builder = Builder::default();
        let (p, q) = (builder.atom(0), builder.atom(1));
        let root = build(&mut builder, p, q);
        let formula = ended(&builder.finish(root), 2, favours);
        formula.display(|atom| ["p", "q", "end"][atom as usize]).to_string()
    }

    #[test]
    fn atoms_are_in_favour_of_what_is_claimed_of_all_runs() {
        let answered = |to: &mut Builder, p: Sub, q: Sub| {
            let later = to.add(Node::Finally(q));
            let each = to.add(Node::Implies(p, later));
            to.add(Node::Globally(each))
        };
        assert_eq!(shown(answered, true), "G (p & !end -> F (q | end))");
        assert_eq!(shown(answered, false), "G (p | end -> F (q & !end))");
        let never = |to: &mut Builder, p: Sub, _: Sub| {
            let once = to.add(Node::Finally(p));
            to.add(Node::Not(once))
        };
        assert_eq!(shown(never, true), "!F (p & !end)");
        let alike = |to: &mut Builder, p: Sub, q: Sub| to.add(Node::Iff(p, q));
        assert_eq!(shown(alike, true), "(p & !end -> q | end) & (q & !end -> p | end)");
    }
}
