//! Traces: paths of the graph as statements, executed or refuted.
//!
//! The trace of a path is the initial statement, then for every step what its source node says and the
//! statement of its action, simplified under that, and in the end what the last node says and what is
//! searched for. It can be executed exactly if some concrete run follows the path.
//!
//! A refutation says for every node what is enough to know there. Sequences do so for all nodes; binary
//! interpolants for one, as the two-part case of a sequence: after the longest beginning that can be
//! executed, or before the longest end.

use ir::{Action, Node, Steps, Stmt, Term, Value, VarId};
use rustc_hash::FxHashSet;
use smt::services::minimise;
use smt::{Answer, Interpolator, Lit, Model, NoInterpolants, Solver, Trace};

use crate::answer::Reason;
use crate::cegar::arg::NodeId;
use crate::cegar::cx::Cx;
use crate::cegar::domain::{Domain, Refutation};
use crate::cegar::explore::Exploration;
use crate::config::Refinement;

/// A path with its statements.
pub struct AbstractTrace {
    /// The nodes, an initial one first.
    pub nodes: Vec<NodeId>,
    /// The actions between them, as the system has them.
    pub actions: Vec<Action>,
    stmts: Vec<Stmt>,
}

/// What became of a trace.
pub enum Replay {
    /// It can be executed; these are the values of the state variables at its nodes.
    Feasible(Vec<Vec<(VarId, Value)>>),
    /// It cannot.
    Infeasible,
}

impl AbstractTrace {
    /// The trace to `last`.
    pub fn of<D: Domain>(
        cx: &mut Cx,
        domain: &D,
        exploration: &mut Exploration<D>,
        last: NodeId,
    ) -> Result<Self, Reason> {
        let (nodes, numbers) = exploration.arg.path(last);
        let initial = ir::initial(&mut cx.system);
        let mut stmts = vec![cx.simplify(initial, &[])];
        let mut actions = vec![];
        for (at, node) in nodes.iter().enumerate() {
            let vector = exploration.arg[*node].vector;
            let state = exploration.arg[*node].state.clone();
            let (mut facts, mut known) = (vec![], vec![]);
            domain.facts(cx, &state, &mut facts);
            domain.known(cx, &state, &mut known);
            known.sort_unstable();
            known.dedup_by_key(|(var, _)| *var);
            let next = match numbers.get(at) {
                Some(number) => {
                    let action = exploration.action(cx, vector, *number);
                    let stmt = cx.simplify(action.stmt, &known);
                    actions.push(action);
                    stmt
                }
                None => {
                    let bad = exploration.bad(cx, vector)?.expect("a target is where one is searched for");
                    cx.terms().assume(bad)
                }
            };
            let facts = cx.terms().and(facts);
            let here = cx.terms().assume(facts);
            stmts.push(cx.terms().seq([here, next]));
        }
        Ok(AbstractTrace { nodes, actions, stmts })
    }

    /// Whether it can be executed.
    pub fn replay(&self, cx: &mut Cx) -> Result<Replay, Reason> {
        let trace = self.formulas(cx)?;
        let mut solver = cx.solver.sibling()?;
        let start = Steps::start();
        for part in trace.parts() {
            solver.assert(&cx.system.terms, part.formula, &start)?;
        }
        if solver.check(&[])? == Answer::Unsat {
            return Ok(Replay::Infeasible);
        }
        let mut used = FxHashSet::default();
        for part in trace.parts() {
            cx.system.terms.for_each_subterm(part.formula, |t| {
                if let Node::Var(var, step) = *cx.system.terms.node(t) {
                    used.insert((var, step));
                }
            });
        }
        let mut list: Vec<(VarId, u32)> = used.into_iter().collect();
        list.sort_unstable();
        let model = Model::of(&mut solver, &mut cx.system.terms, list)?;
        let system = &cx.system;
        let value = |cut: &Steps, var: VarId| {
            model.get(var, cut.of(var)).cloned().unwrap_or_else(|| system.any_value(var))
        };
        let states = trace.cuts()[1..=self.nodes.len()]
            .iter()
            .map(|cut| system.state_vars().map(|var| (var, value(cut, var))).collect())
            .collect();
        Ok(Replay::Feasible(states))
    }

    /// Why it cannot be executed.
    pub fn refute(&self, cx: &mut Cx, refinement: Refinement) -> Result<Refutation, Reason> {
        match refinement {
            Refinement::UnsatCore => self.core(cx),
            Refinement::FwBinItp => {
                // The beginning without this part can be executed, with it not.
                let cut = self.feasible(cx, true)?;
                self.binary(cx, cut)
            }
            Refinement::BwBinItp => {
                let cut = self.feasible(cx, false)?;
                self.binary(cx, cut)
            }
            _ => {
                let trace = self.formulas(cx)?;
                let sequence = interpolate(cx, &trace)?;
                // The first and the last cut are before the first node and after the last.
                Ok(Refutation { formulas: sequence[1..=self.nodes.len()].to_vec(), ..Refutation::default() })
            }
        }
    }

    fn formulas(&self, cx: &mut Cx) -> Result<Trace, Reason> {
        Trace::of(cx.terms(), &self.stmts)
            .map_err(|_| Reason::Unsupported("a loop whose number of rounds is not known".into()))
    }
    /// The cut after the longest beginning that can be executed, or before the longest end.
    fn feasible(&self, cx: &mut Cx, forwards: bool) -> Result<usize, Reason> {
        let trace = self.formulas(cx)?;
        let mut solver = cx.solver.sibling()?;
        let count = trace.parts().len();
        let order: Vec<usize> = if forwards { (0..count).collect() } else { (0..count).rev().collect() };
        for at in order {
            solver.assert(&cx.system.terms, trace.parts()[at].formula, &Steps::start())?;
            if solver.check(&[])? == Answer::Unsat {
                let cut = if forwards { at } else { at + 1 };
                return Ok(cut.clamp(1, self.nodes.len()));
            }
        }
        Err(Reason::Solver("a trace was infeasible as a whole and feasible in parts".into()))
    }
    /// One interpolant at a cut.
    fn binary(&self, cx: &mut Cx, cut: usize) -> Result<Refutation, Reason> {
        let before = cx.terms().seq(self.stmts[..cut].iter().copied());
        let after = cx.terms().seq(self.stmts[cut..].iter().copied());
        let trace = Trace::of(cx.terms(), &[before, after])
            .map_err(|_| Reason::Unsupported("a loop whose number of rounds is not known".into()))?;
        let sequence = interpolate(cx, &trace)?;
        let mut formulas = vec![cx.terms().bool(true); self.nodes.len()];
        formulas[cut - 1] = sequence[1];
        Ok(Refutation { formulas, ..Refutation::default() })
    }
    /// The variables of a small core, where they are read and written again.
    fn core(&self, cx: &mut Cx) -> Result<Refutation, Reason> {
        let trace = self.formulas(cx)?;
        let mut solver = cx.solver.sibling()?;
        let mut conjuncts: Vec<(Lit, Term)> = vec![];
        for part in trace.parts() {
            let list = match cx.system.terms.node(part.formula) {
                Node::And(list) => list.to_vec(),
                _ => vec![part.formula],
            };
            for conjunct in list {
                let lit = solver.activation()?;
                solver.assert_if(&cx.system.terms, lit, conjunct, &Steps::start())?;
                conjuncts.push((lit, conjunct));
            }
        }
        let all: Vec<Lit> = conjuncts.iter().map(|(lit, _)| *lit).collect();
        if solver.check(&all)? == Answer::Sat {
            return Err(Reason::Solver("an infeasible trace has a model".into()));
        }
        let core = solver.core()?;
        let core = minimise(&mut solver, &[], core, 64)?;
        let mut variables: Vec<VarId> = conjuncts
            .iter()
            .filter(|(lit, _)| core.contains(lit))
            .flat_map(|(_, conjunct)| cx.system.terms.vars_of(*conjunct))
            .collect();
        variables.sort_unstable();
        variables.dedup();
        // Nothing is said of single nodes, so everything is built again.
        let formulas = vec![cx.terms().bool(false); self.nodes.len()];
        Ok(Refutation { formulas, variables, ..Refutation::default() })
    }
}

fn interpolate(cx: &mut Cx, trace: &Trace) -> Result<Vec<Term>, Reason> {
    match cx.interpolation.sequence(&mut cx.system.terms, trace) {
        Ok(found) => Ok(found.sequence),
        Err(NoInterpolants::Interrupt(interrupt)) => Err(interrupt.into()),
        Err(other) => Err(Reason::Solver(other.to_string())),
    }
}
