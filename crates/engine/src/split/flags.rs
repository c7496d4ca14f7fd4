//! The transformation F: every branching that matters to clocks asks a Boolean flag.
//!
//! `F(s, p)` is a statement for the *parent flag* `p`, which tells whether `s` is executed at all, and a
//! constraint on flags:
//! - what touches no clock stays as it is;
//! - a choice of `s_i` is the sequence of `if (b_i) F(s_i, b_i)` with new flags, of which exactly one holds if `p`
//!   does, and none otherwise; branches that touch no clock stay together as one;
//! - a conditional is the choice between `assume c; s` and `assume !c; t`;
//! - `assume` takes its condition apart: a conjunction is a sequence, a disjunction a choice, negations move
//!   inwards, an equality of a clock is two bounds and an inequality a choice of two, a conditional expression
//!   over clocks and an equivalence are choices between their cases; where data suffice for a disjunction, its
//!   parts over clocks are not looked at, or every such disjunction would double the ways;
//! - an assignment of a condition over clocks is a conditional;
//! - resets and delays stay as they are. Loops over clocks must have been unrolled.
//!
//! Under values for the flags that satisfy the constraint, what is left is one way through the statement, and
//! every way is left under some.

use ir::{Node, Span, Stmt, StmtNode, System, Term, Terms, Type, VarId, Variable, clock_atom};

use super::Touching;
use super::ways::{No, endless, not_a_difference};

/// A statement that asks flags where it matters to clocks.
#[derive(Debug)]
pub(super) struct Flagged {
    pub(super) stmt: Stmt,
    /// The flags that it asks.
    pub(super) flags: Vec<VarId>,
    /// How they go together.
    pub(super) constraint: Term,
}

/// A statement that needs more flags than this is given up; equivalences within others double them each time.
const MOST_FLAGS: usize = 1 << 14;

/// Rewrites a statement; flags are taken from `pool`, which grows as needed.
pub(super) fn flag(
    system: &mut System,
    touching: &mut Touching,
    stmt: Stmt,
    pool: &mut Vec<VarId>,
) -> Result<Flagged, No> {
    let root = system.terms.bool(true);
    let mut making = Making { system, pool, used: 0, constraints: vec![], touching };
    let stmt = making.stmt(stmt, root)?;
    let Making { system, pool, used, constraints, .. } = making;
    let constraint = system.terms.and(constraints);
    Ok(Flagged { stmt, flags: pool[..used].to_vec(), constraint })
}

/// A condition, or its negation.
type Literal = (Term, bool);

struct Making<'a> {
    system: &'a mut System,
    pool: &'a mut Vec<VarId>,
    used: usize,
    constraints: Vec<Term>,
    touching: &'a mut Touching,
}

impl Making<'_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.system.terms
    }
    fn touches(&mut self, stmt: Stmt) -> bool {
        self.touching.clocks(&self.system.terms, stmt)
    }
    /// A flag that nobody asks yet.
    fn fresh(&mut self) -> Term {
        if self.used == self.pool.len() {
            let variable = Variable { shown: false, ..Variable::local("flag", Span::default()) };
            let flag = self.system.declare(Type::Bool, variable);
            self.pool.push(flag);
        }
        self.used += 1;
        let flag = self.pool[self.used - 1];
        self.terms().var(flag)
    }

    fn stmt(&mut self, stmt: Stmt, parent: Term) -> Result<Stmt, No> {
        if !self.touches(stmt) {
            return Ok(stmt);
        }
        ir::deep(|| match self.system.terms.stmt(stmt).clone() {
            StmtNode::Skip | StmtNode::Delay | StmtNode::Havoc(_) => Ok(stmt),
            StmtNode::Assume(condition) => self.assume((condition, true), parent),
            StmtNode::Assign(var, value) => {
                let cases = self.system.assign_by_cases(var, value);
                if cases == stmt { Ok(stmt) } else { self.stmt(cases, parent) }
            }
            StmtNode::Seq(list) => {
                let parts: Result<Vec<Stmt>, No> = list.iter().map(|part| self.stmt(*part, parent)).collect();
                let parts = parts?;
                Ok(self.terms().seq(parts))
            }
            StmtNode::Choice(list) => {
                let (timed, data): (Vec<Stmt>, Vec<Stmt>) =
                    list.iter().partition(|part| self.touches(**part));
                let mut ways: Vec<(Vec<Literal>, Stmt)> =
                    timed.into_iter().map(|way| (vec![], way)).collect();
                if !data.is_empty() {
                    ways.push((vec![], self.terms().choice(data)));
                }
                self.one_of(ways, parent)
            }
            StmtNode::If(condition, then, otherwise) => self
                .one_of(vec![(vec![(condition, true)], then), (vec![(condition, false)], otherwise)], parent),
            StmtNode::For { .. } | StmtNode::While(..) => Err(endless(self.system, stmt).into()),
        })
    }
    /// Exactly one of some ways, each of which begins with conditions.
    fn one_of(&mut self, ways: Vec<(Vec<Literal>, Stmt)>, parent: Term) -> Result<Stmt, No> {
        let alone = ways.len() == 1;
        if self.used > MOST_FLAGS {
            return Err(No::TooMany);
        }
        let (mut parts, mut flags) = (vec![], vec![]);
        for (conditions, stmt) in ways {
            let flag = if alone { parent } else { self.fresh() };
            let mut way = vec![];
            for condition in conditions {
                way.push(self.assume(condition, flag)?);
            }
            way.push(self.stmt(stmt, flag)?);
            let way = self.terms().seq(way);
            let skip = self.terms().skip();
            parts.push(if alone { way } else { self.terms().branch(flag, way, skip) });
            flags.push(flag);
        }
        if !alone {
            self.exactly_one(&flags, parent);
        }
        Ok(self.terms().seq(parts))
    }
    /// If the parent holds, exactly one of these does, and else none. Many are told apart in groups, each of
    /// which is the parent of its own, so that there are not as many constraints as pairs.
    fn exactly_one(&mut self, flags: &[Term], parent: Term) {
        const GROUP: usize = 4;
        if flags.len() > GROUP {
            let groups = flags.chunks(GROUP).map(|group| {
                let flag = self.fresh();
                self.exactly_one(group, flag);
                flag
            });
            let groups: Vec<Term> = groups.collect();
            return self.exactly_one(&groups, parent);
        }
        let terms = &mut self.system.terms;
        let some = terms.or(flags.iter().copied());
        let same = terms.eq(parent, some);
        self.constraints.push(same);
        for (at, first) in flags.iter().enumerate() {
            for second in &flags[at + 1..] {
                let both = terms.and([*first, *second]);
                self.constraints.push(terms.not(both));
            }
        }
    }

    /// `assume` of a literal, its condition taken apart.
    fn assume(&mut self, (condition, positive): Literal, parent: Term) -> Result<Stmt, No> {
        if !self.system.terms.has_clock(condition) {
            let condition = if positive { condition } else { self.terms().not(condition) };
            return Ok(self.terms().assume(condition));
        }
        let node = self.system.terms.node(condition).clone();
        ir::deep(|| match (node, positive) {
            (Node::Not(inner), _) => self.assume((inner, !positive), parent),
            (Node::And(list), true) | (Node::Or(list), false) => {
                let parts: Result<Vec<Stmt>, No> =
                    list.iter().map(|part| self.assume((*part, positive), parent)).collect();
                let parts = parts?;
                Ok(self.terms().seq(parts))
            }
            (Node::Or(list), true) | (Node::And(list), false) => {
                let terms = &self.system.terms;
                let (timed, data): (Vec<Term>, Vec<Term>) =
                    list.iter().partition(|part| terms.has_clock(**part));
                let mut ways: Vec<Vec<Literal>> =
                    timed.into_iter().map(|part| vec![(part, positive)]).collect();
                if !data.is_empty() {
                    let data = if positive { self.terms().or(data) } else { self.terms().and(data) };
                    ways.iter_mut().for_each(|way| way.insert(0, (data, !positive)));
                    ways.push(vec![(data, positive)]);
                }
                self.either(ways, parent)
            }
            (Node::Ite(test, then, otherwise), _) => self.either(
                vec![vec![(test, true), (then, positive)], vec![(test, false), (otherwise, positive)]],
                parent,
            ),
            (Node::Eq(a, b), _) if self.system.terms.type_of(a) == Type::Bool => {
                self.either(vec![vec![(a, true), (b, positive)], vec![(a, false), (b, !positive)]], parent)
            }
            _ => self.atom(condition, positive, parent),
        })
    }
    /// One of some conjunctions.
    fn either(&mut self, ways: Vec<Vec<Literal>>, parent: Term) -> Result<Stmt, No> {
        let skip = self.terms().skip();
        self.one_of(ways.into_iter().map(|way| (way, skip)).collect(), parent)
    }
    fn atom(&mut self, condition: Term, positive: bool, parent: Term) -> Result<Stmt, No> {
        if let Some(atoms) = clock_atom(self.terms(), condition) {
            let terms = &mut self.system.terms;
            let bounds: Vec<Term> = atoms.iter().map(|atom| atom.term(terms)).collect();
            return match (positive, &bounds[..]) {
                (true, _) => {
                    let parts: Vec<Stmt> = bounds.iter().map(|bound| terms.assume(*bound)).collect();
                    Ok(terms.seq(parts))
                }
                (false, [only]) => {
                    let beyond = terms.not(*only);
                    Ok(terms.assume(beyond))
                }
                (false, _) => {
                    self.either(bounds.into_iter().map(|bound| vec![(bound, false)]).collect(), parent)
                }
            };
        }
        // A conditional expression over clocks, deep in what is compared.
        let Some(test) = self.system.terms.clock_condition_below(condition) else {
            return Err(not_a_difference(self.system, condition).into());
        };
        let mut ways = vec![];
        for holds in [true, false] {
            let rest = self.terms().given(condition, test, holds);
            ways.push(vec![(test, holds), (rest, positive)]);
        }
        self.either(ways, parent)
    }
}
