//! Traces: paths of the graph as statements, executed or refuted.
//!
//! The trace of a path is the initial statement, then for every step what its source node says and the
//! statement of its action, simplified under that, and in the end what the last node says and what is
//! searched for. It can be executed exactly if some concrete run follows the path. With time, it is made of the
//! data of alternatives: time on the path is exact, so it needs no question.
//!
//! Most of what the nodes say is not needed to refute a trace: the simplified statements are enough. Only
//! the facts of a core are left in a refuted trace, so that its explanation speaks of little else.
//!
//! A refutation says for every node what is enough to know there. Sequences do so for all nodes; binary
//! interpolants for one, as the two-part case of a sequence: after the longest beginning that can be
//! executed, or before the longest end. Everything before the cut stands against everything after it, so the
//! interpolant refutes the trace by itself.

use std::rc::Rc;

use ir::{Action, Node, Steps, Stmt, Term, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::services::minimise;
use smt::z3::Z3Solver;
use smt::{Answer, Interpolator, Lit, Model, NoInterpolants, Solver, Strategy, Trace};

use crate::answer::Reason;
use crate::cause::{Contradiction, SolverFailure};
use crate::cegar::arg::NodeId;
use crate::cegar::cx::{Cx, no_formula};
use crate::cegar::domain::{Domain, Refutation};
use crate::cegar::explore::Exploration;
use crate::config::Refinement;
use crate::split::Alternative;

/// A path with its statements.
pub struct AbstractTrace {
    /// The nodes, an initial one first.
    pub nodes: Vec<NodeId>,
    /// The actions between them, as the system has them.
    pub actions: Vec<Action>,
    /// With time: how each node was arrived at, and how the last one is a target.
    pub ways: Vec<Rc<Alternative>>,
    /// One more than there are nodes: the first one is the initial statement.
    stmts: Vec<Stmt>,
    /// What each node says.
    facts: Vec<Vec<Term>>,
}

/// What became of a trace.
pub enum Replay {
    /// It can be executed; these are the values of the state variables at its nodes.
    Feasible(Vec<Vec<(VarId, Value)>>),
    /// It cannot, and these statements show why.
    Infeasible(Infeasible),
}

/// Statements that cannot be executed one after the other.
pub struct Infeasible {
    stmts: Vec<Stmt>,
}

impl AbstractTrace {
    /// The trace to `last`.
    pub fn of<D: Domain>(
        cx: &mut Cx,
        domain: &D,
        exploration: &mut Exploration<D>,
        last: NodeId,
    ) -> Result<Self, Reason> {
        let vector = exploration.arg[last].vector;
        let bad = exploration.bad(cx, vector)?.expect("a target is where one is searched for");
        let bad = cx.terms().assume(bad);
        Self::along(cx, domain, exploration, exploration.arg.path(last), bad)
    }
    /// The trace along these nodes by these actions, with what happens in the end.
    pub fn along<D: Domain>(
        cx: &mut Cx,
        domain: &D,
        exploration: &mut Exploration<D>,
        (nodes, numbers): (Vec<NodeId>, Vec<u32>),
        end: Stmt,
    ) -> Result<Self, Reason> {
        let last = *nodes.last().expect("a path has a node");
        let initial = ir::initial(&mut cx.system);
        let mut stmts = vec![cx.simplify(initial, &[])];
        let mut ways = vec![];
        if let Some(time) = &exploration.time {
            ways.extend(nodes.iter().map(|node| time.way(*node).clone()));
            ways.extend(time.target(last).cloned());
            stmts[0] = ways[0].data;
        }
        let (mut actions, mut all) = (vec![], vec![]);
        for (at, node) in nodes.iter().enumerate() {
            let vector = exploration.arg[*node].vector;
            let state = exploration.arg[*node].state.clone();
            let (mut facts, mut known) = (vec![], vec![]);
            domain.facts(cx, &state, &mut facts);
            cx.tighten(&mut facts);
            domain.known(cx, &state, &mut known);
            known.sort_unstable();
            known.dedup_by_key(|(var, _)| *var);
            stmts.push(match numbers.get(at) {
                Some(number) => {
                    let action = exploration.action(cx, vector, *number);
                    let stmt = match ways.get(at + 1) {
                        Some(way) => way.data,
                        None => cx.simplify_within(action.stmt, &known),
                    };
                    actions.push(action);
                    stmt
                }
                None => ways.get(at + 1).map_or(end, |way| way.data),
            });
            all.push(facts);
        }
        Ok(AbstractTrace { nodes, actions, ways, stmts, facts: all })
    }

    /// Whether it can be executed.
    pub fn replay(&self, cx: &mut Cx) -> Result<Replay, Reason> {
        let mut asked = self.asked(cx)?;
        self.replay_by(cx, &mut asked)
    }
    /// The same by a solver that knows it, and can be asked more afterwards.
    pub fn replay_by(&self, cx: &mut Cx, asked: &mut Asked) -> Result<Replay, Reason> {
        let Asked { solver, lits, .. } = asked;
        let all: Vec<Lit> = lits.iter().map(|(.., lit)| *lit).collect();
        if solver.check(&all)? == Answer::Unsat {
            let core = solver.core()?;
            let core = minimise(solver, &[], core, FACTS)?;
            let mut stmts = self.stmts.clone();
            for (at, stmt) in stmts[1..].iter_mut().enumerate() {
                let needed = lits.iter().filter(|(node, _, lit)| *node == at && core.contains(lit));
                let facts: Vec<Term> = needed.map(|(_, fact, _)| *fact).collect();
                let facts = cx.terms().and(facts);
                let facts = cx.terms().assume(facts);
                *stmt = cx.terms().seq([facts, *stmt]);
            }
            return Ok(Replay::Infeasible(Infeasible { stmts }));
        }
        self.states(cx, asked, FxHashSet::default()).map(Replay::Feasible)
    }
    /// The values of the state variables at its nodes in an execution whose last state is also the one at an earlier
    /// node, which is one of these, and at which; `None` if there is none.
    #[expect(clippy::type_complexity, reason = "the values are those of a replay")]
    pub fn closes(
        &self,
        cx: &mut Cx,
        asked: &mut Asked,
        earlier: &[usize],
    ) -> Result<Option<(usize, Vec<Vec<(VarId, Value)>>)>, Reason> {
        let last = self.nodes.len();
        let ways: Vec<Term> = earlier.iter().map(|at| same(cx, &asked.trace, at + 1, last)).collect();
        let closed = cx.terms().or(ways);
        let closed = asked.solver.lit(&cx.system.terms, closed, &Steps::start())?;
        let all: Vec<Lit> = asked.lits.iter().map(|(.., lit)| *lit).chain([closed]).collect();
        if asked.solver.check(&all)? == Answer::Unsat {
            return Ok(None);
        }
        let compared = earlier.iter().map(|at| at + 1).chain([last]);
        let cuts: Vec<Steps> = compared.map(|cut| asked.trace.cuts()[cut].clone()).collect();
        let vars: Vec<VarId> = cx.system.state_vars().collect();
        let used = cuts.iter().flat_map(|cut| vars.iter().map(|var| (*var, cut.of(*var)))).collect();
        let states = self.states(cx, asked, used)?;
        let at = earlier.iter().copied().find(|at| Some(&states[*at]) == states.last());
        Ok(at.map(|at| (at, states)))
    }
    /// Why its last state is not the one at an earlier node: what follows from the execution, with the values that the
    /// state there has in one.
    pub fn difference(
        &self,
        cx: &mut Cx,
        asked: &mut Asked,
        earlier: usize,
        values: &[(VarId, Value)],
    ) -> Result<Term, Reason> {
        let ordered = self.ordered(cx, asked, earlier)?;
        let trace = &asked.trace;
        let reason = match ordered {
            Some(ordered) => ordered,
            None => {
                let path: Vec<Term> = trace.parts().iter().map(|part| part.formula).collect();
                let path = cx.terms().and(path);
                let closed = same(cx, trace, earlier + 1, self.nodes.len());
                cx.interpolation.binary(&mut cx.system.terms, path, closed).map_err(unexplained)?
            }
        };
        let (start, end) = (trace.cuts()[earlier + 1].clone(), trace.cuts()[self.nodes.len()].clone());
        let values: FxHashMap<VarId, &Value> = values.iter().map(|(var, value)| (*var, value)).collect();
        Ok(cx.system.terms.rewrite(reason, &mut |terms, term| match *terms.node(term) {
            Node::Var(var, step) if step == end.of(var) => Some(terms.var(var)),
            Node::Var(var, step) if step == start.of(var) => {
                values.get(&var).map(|value| terms.constant((*value).clone()))
            }
            _ => None,
        }))
    }
    /// That an integer is always greater, or always less, in the last state than at an earlier node, if one is: the plainest
    /// of all reasons.
    fn ordered(&self, cx: &mut Cx, asked: &mut Asked, earlier: usize) -> Result<Option<Term>, Reason> {
        let Asked { trace, solver, .. } = asked;
        let (start, end) = (&trace.cuts()[earlier + 1], &trace.cuts()[self.nodes.len()]);
        let vars: Vec<VarId> = cx.system.state_vars().collect();
        for var in vars.into_iter().filter(|var| start.of(*var) != end.of(*var)) {
            if cx.system.terms.var_type(var) != Type::Int {
                continue;
            }
            let [then, now] = [start, end].map(|steps| cx.terms().var_at(var, steps.of(var)));
            for (less, more) in [(then, now), (now, then)] {
                let ordered = cx.terms().lt(less, more);
                let lit = solver.lit(&cx.system.terms, ordered, &Steps::start())?;
                if solver.check(&[!lit])? == Answer::Unsat {
                    return Ok(Some(ordered));
                }
            }
        }
        Ok(None)
    }
    /// A solver that knows the statements, with literals for what the nodes say.
    pub fn asked(&self, cx: &mut Cx) -> Result<Asked, Reason> {
        let trace = unfolded(cx, &self.stmts)?;
        let mut solver = cx.solver.sibling()?;
        for part in trace.parts() {
            solver.assert(&cx.system.terms, part.formula, &Steps::start())?;
        }
        let mut lits: Vec<(usize, Term, Lit)> = vec![];
        for (at, facts) in self.facts.iter().enumerate() {
            for fact in facts {
                lits.push((at, *fact, solver.lit(&cx.system.terms, *fact, &trace.cuts()[at + 1])?));
            }
        }
        Ok(Asked { trace, solver, lits })
    }
    /// The values of the state variables at its nodes, from the model of a solver, which also knows of `used`.
    fn states(
        &self,
        cx: &mut Cx,
        asked: &mut Asked,
        mut used: FxHashSet<(VarId, u32)>,
    ) -> Result<Vec<Vec<(VarId, Value)>>, Reason> {
        let Asked { trace, solver, lits } = asked;
        for part in trace.parts() {
            cx.system.terms.for_each_subterm(part.formula, |t| {
                if let Node::Var(var, step) = *cx.system.terms.node(t) {
                    used.insert((var, step));
                }
            });
        }
        for (at, fact, _) in lits.iter() {
            let cut = &trace.cuts()[at + 1];
            used.extend(cx.system.terms.vars_of(*fact).into_iter().map(|var| (var, cut.of(var))));
        }
        let mut list: Vec<(VarId, u32)> = used.into_iter().collect();
        list.sort_unstable();
        let model = Model::of(solver, &mut cx.system.terms, list)?;
        let system = &cx.system;
        let value = |cut: &Steps, var: VarId| {
            model.get(var, cut.of(var)).cloned().unwrap_or_else(|| system.any_value(var))
        };
        let states = trace.cuts()[1..=self.nodes.len()]
            .iter()
            .map(|cut| system.state_vars().map(|var| (var, value(cut, var))).collect())
            .collect();
        Ok(states)
    }
}

/// A trace that a solver is asked about.
pub struct Asked {
    trace: Trace,
    /// Knows the parts of the trace.
    solver: Z3Solver,
    /// What each node says.
    lits: Vec<(usize, Term, Lit)>,
}

/// That the states at two cuts are the same.
fn same(cx: &mut Cx, trace: &Trace, a: usize, b: usize) -> Term {
    let vars: Vec<VarId> = cx.system.state_vars().collect();
    let terms = cx.terms();
    let mut equal = |var: VarId| {
        let [a, b] = [a, b].map(|cut| terms.var_at(var, trace.cuts()[cut].of(var)));
        terms.eq(a, b)
    };
    let list: Vec<Term> = vars.into_iter().map(&mut equal).collect();
    terms.and(list)
}

/// How many checks may go into leaving out facts.
const FACTS: usize = 48;

impl Infeasible {
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
                let trace = unfolded(cx, &self.stmts)?;
                let sequence = interpolate(cx, &trace, refinement)?;
                // The first and the last cut are before the first node and after the last.
                Ok(Refutation { formulas: sequence[1..=self.nodes()].to_vec(), ..Refutation::default() })
            }
        }
    }

    /// The nodes between the statements.
    fn nodes(&self) -> usize {
        self.stmts.len() - 1
    }
    /// The cut after the longest beginning that can be executed, or before the longest end.
    fn feasible(&self, cx: &mut Cx, forwards: bool) -> Result<usize, Reason> {
        let trace = unfolded(cx, &self.stmts)?;
        let mut solver = cx.solver.sibling()?;
        let count = trace.parts().len();
        let order: Vec<usize> = if forwards { (0..count).collect() } else { (0..count).rev().collect() };
        for at in order {
            solver.assert(&cx.system.terms, trace.parts()[at].formula, &Steps::start())?;
            if solver.check(&[])? == Answer::Unsat {
                let cut = if forwards { at } else { at + 1 };
                return Ok(cut.clamp(1, self.nodes()));
            }
        }
        Err(Contradiction::InfeasibleInNoPart.into())
    }
    /// One interpolant at a cut.
    fn binary(&self, cx: &mut Cx, cut: usize) -> Result<Refutation, Reason> {
        let before = cx.terms().seq(self.stmts[..cut].iter().copied());
        let after = cx.terms().seq(self.stmts[cut..].iter().copied());
        let trace = unfolded(cx, &[before, after])?;
        let sequence = interpolate(cx, &trace, Refinement::SeqItp)?;
        let mut formulas = vec![cx.terms().bool(true); self.nodes()];
        formulas[cut - 1] = sequence[1];
        Ok(Refutation { formulas, ..Refutation::default() })
    }
    /// The variables of a small core, where they are read and written again.
    fn core(&self, cx: &mut Cx) -> Result<Refutation, Reason> {
        let trace = unfolded(cx, &self.stmts)?;
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
            return Err(Contradiction::InfeasibleWithModel.into());
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
        // Nothing is said of single nodes, so all of them are made again.
        Ok(Refutation { variables, ..Refutation::default() })
    }
}

fn unfolded(cx: &mut Cx, stmts: &[Stmt]) -> Result<Trace, Reason> {
    Trace::of(cx.terms(), stmts).map_err(|stmt| no_formula(&cx.system, stmt))
}

/// A sequence that refutes `trace`, by the strategy that `refinement` asks for, else by the chosen one.
/// Where the former fails, other ways of refinement are tried, and they do not ask for it again.
///
/// If none was chosen, models find short explanations quickly, and Horn clauses find ones that hold for
/// every round of a loop. So every few refutations begin with these. Explanations from the end
/// ([`Cx::from_the_end`]) take turns with the others.
fn interpolate(cx: &mut Cx, trace: &Trace, refinement: Refinement) -> Result<Vec<Term>, Reason> {
    use Strategy::{Atoms, MbiForward, NewtonSp, NewtonWp, Spacer};
    cx.refutations += 1;
    let forced = super::strategy(refinement).unwrap_or_else(|| cx.interpolation.strategy().clone());
    let order: &[Strategy] = match forced {
        Strategy::Auto if cx.from_the_end && !cx.refutations.is_multiple_of(2) => {
            &[NewtonWp, MbiForward, NewtonSp, Spacer, Atoms]
        }
        Strategy::Auto if cx.refutations.is_multiple_of(4) => &[Spacer, MbiForward, NewtonSp, NewtonWp],
        Strategy::Auto => &[MbiForward, NewtonSp, Spacer, Atoms, NewtonWp],
        one => &[one],
    };
    match cx.interpolation.in_order(&mut cx.system.terms, trace, order) {
        Ok(found) => Ok(found.sequence),
        Err(failed) => Err(unexplained(failed)),
    }
}

/// Why there are no interpolants of what cannot be executed.
fn unexplained(failed: NoInterpolants) -> Reason {
    match failed {
        NoInterpolants::Interrupt(interrupt) => interrupt.into(),
        NoInterpolants::Failed(attempts) => SolverFailure::NoInterpolants(attempts).into(),
        NoInterpolants::Feasible => Contradiction::InfeasibleWithModel.into(),
    }
}
