//! What becomes of an abstract lasso.
//!
//! A lasso is *straightened*: its stem, and its cycle so many times. That is a trace like any other, and the precision
//! grows as for any other if it cannot be executed. The stem is never forgotten: a cycle that can be gone around from
//! elsewhere shows nothing. If the trace can be executed, the lasso is one of the system if an execution comes back to a
//! state in which an earlier round began, or if it begins in a [recurrent set](crate::recurrence).
//!
//! Where rankings exclude some of the executions of its cycle, only the others can be gone around for ever. So those are
//! followed first: usually they cannot be executed, and that says where the cycle ends, however long it takes to get there.
//!
//! Otherwise it is said why the last state differs from the one in which the cycle began: an interpolant of the
//! trace against their being the same, over the values at both, with the values filled in that the first has in an
//! execution. As a predicate it tells the two apart; it also speaks of single values, so that a counter takes as many
//! refinements as it has values. To go around more often finds out sooner where a counter ends, as interpolants of a
//! longer trace speak of all its states.

use ir::{Id, NamedVar, Run, System, Term, Value, VarId};

use crate::answer::Reason;
use crate::cause::NoProgress;
use crate::cegar::arg::NodeId;
use crate::cegar::cx::Cx;
use crate::cegar::domain::{Domain, Refutation};
use crate::cegar::explore::Exploration;
use crate::cegar::run::{Tools, concretise};
use crate::cegar::trace::{AbstractTrace, Asked, Replay};
use crate::cegar::{refute, tracked};
use crate::config::{Config, LassoRefinement, Prune};
use crate::recurrence::recurrent;

use super::rank::Unranked;
use super::search::{Edge, Lasso};

/// Rounds that are gone around at most if nobody says otherwise.
const UNROLL: u32 = 100;

/// The run that a lasso is, or a larger precision with which it is gone.
pub fn look<D: Domain>(
    cx: &mut Cx,
    domain: &mut D,
    precision: &mut D::Precision,
    exploration: &mut Exploration<D>,
    Unranked { lasso, needs }: &Unranked,
    (product, config): (&System, &Config),
) -> Result<Option<Run>, Reason> {
    let choices = &config.cegar;
    let refinement = choices.lasso_refinement;
    let nothing = cx.terms().bool(true);
    if needs.iter().any(|need| *need != nothing) {
        let mut straight = Straight::new(cx, domain, exploration, lasso, needs, 1)?;
        match straight.trace.replay_by(cx, &mut straight.asked)? {
            Replay::Infeasible(why) => {
                let nodes = &straight.trace.nodes;
                match refute(cx, domain, precision, &exploration.arg, nodes, &why, choices.refinement) {
                    Ok(cut) => {
                        straight.prune(exploration, cut, choices.prune);
                        return Ok(None);
                    }
                    // All executions together may say more.
                    Err(Reason::NoProgress(_) | Reason::Solver(_)) => {}
                    Err(reason) => return Err(reason),
                }
            }
            Replay::Feasible(_) => {
                if let Some(run) = straight.closed(cx)? {
                    return Ok(Some(run));
                }
            }
        }
    }
    let rounds = if refinement.unrolls() { choices.unroll.unwrap_or(UNROLL).max(1) } else { 1 };
    let mut first = None;
    for count in counts(rounds as usize) {
        cx.go_on()?;
        let mut straight = Straight::new(cx, domain, exploration, lasso, &[], count)?;
        let states = match straight.trace.replay_by(cx, &mut straight.asked)? {
            Replay::Feasible(states) => states,
            Replay::Infeasible(why) => {
                let nodes = &straight.trace.nodes;
                let cut = refute(cx, domain, precision, &exploration.arg, nodes, &why, choices.refinement)?;
                straight.prune(exploration, cut, choices.prune);
                return Ok(None);
            }
        };
        if let Some(run) = straight.closed(cx)? {
            return Ok(Some(run));
        }
        if count == 1 {
            if refinement.ranks() {
                let run = straight.run(cx, &states)?.around(lasso.stem);
                if let Some(head) = recurrent(product, &run, config, cx.stop)? {
                    return Ok(Some(run.within(Some(head))));
                }
            }
            first = Some((straight, states));
        }
    }
    if refinement.folds()
        && let Some((mut straight, states)) = first
        && let Some(cut) = straight.fold(cx, domain, precision, exploration, &states)?
    {
        straight.prune(exploration, cut, choices.prune);
        return Ok(None);
    }
    Err(NoProgress::Lasso { variables: changed(cx, exploration, lasso) }.into())
}

/// How often a cycle is gone around: what cannot be done so often cannot be done more often, so that larger numbers need
/// not come one by one.
fn counts(most: usize) -> impl Iterator<Item = usize> {
    let next = move |count: &usize| (*count < most).then(|| (count + (count / 2).max(1)).min(most));
    std::iter::successors(Some(1), next)
}

/// A lasso that is gone along so many times around.
struct Straight {
    /// The path.
    trace: AbstractTrace,
    /// The solver that is asked about it.
    asked: Asked,
    /// The nodes that actions led to, where others stand for them in the trace.
    made: Vec<NodeId>,
    /// Where rounds begin, and the last one ends.
    rounds: Vec<usize>,
}

impl Straight {
    /// The path that goes around `count` times, where each transition of the first time needs something.
    fn new<D: Domain>(
        cx: &mut Cx,
        domain: &D,
        exploration: &mut Exploration<D>,
        lasso: &Lasso,
        needs: &[Term],
        count: usize,
    ) -> Result<Self, Reason> {
        let (stem, cycle) = lasso.edges.split_at(lasso.stem);
        let edges: Vec<&Edge> = stem.iter().chain((0..count).flat_map(|_| cycle)).collect();
        let node = |number: u32| NodeId::at(number as usize);
        let first = node(lasso.first);
        let nodes = std::iter::once(first).chain(edges.iter().map(|edge| node(edge.target))).collect();
        let made = std::iter::once(first).chain(edges.iter().map(|edge| node(edge.made))).collect();
        let actions = edges.iter().map(|edge| edge.action).collect();
        let end = cx.terms().skip();
        let mut trace = AbstractTrace::along(cx, domain, exploration, (nodes, actions), end)?;
        for (at, need) in needs.iter().enumerate() {
            trace.assume(cx, lasso.stem + at, *need);
        }
        let asked = trace.asked(cx)?;
        let rounds = (0..=count).map(|round| lasso.stem + round * cycle.len()).collect();
        Ok(Straight { trace, asked, made, rounds })
    }
    /// The run through states with these values.
    fn run(&self, cx: &mut Cx, states: &[Vec<(VarId, Value)>]) -> Result<Run, Reason> {
        let tools = Tools { system: &mut cx.system, solver: &cx.solver, stop: cx.stop };
        concretise(tools, &self.trace.actions, states)
    }
    /// A run whose last state is one in which an earlier round began.
    fn closed(&mut self, cx: &mut Cx) -> Result<Option<Run>, Reason> {
        let earlier = &self.rounds[..self.rounds.len() - 1];
        let Some((start, states)) = self.trace.closes(cx, &mut self.asked, earlier)? else { return Ok(None) };
        Ok(Some(self.run(cx, &states)?.around(start)))
    }
    /// Grows the precision by what tells the end of the cycle from its beginning; where the path has to be made again.
    fn fold<D: Domain>(
        &mut self,
        cx: &mut Cx,
        domain: &mut D,
        precision: &mut D::Precision,
        exploration: &Exploration<D>,
        states: &[Vec<(VarId, Value)>],
    ) -> Result<Option<NodeId>, Reason> {
        let start = self.rounds[0];
        let difference = self.trace.difference(cx, &mut self.asked, start, &states[start])?;
        let mut formulas = vec![cx.terms().bool(true); self.trace.nodes.len()];
        *formulas.last_mut().expect("a path has a node") = difference;
        let nodes = &self.trace.nodes;
        let refutation = Refutation { formulas, ..Refutation::default() };
        if let Some(cut) = tracked(cx, domain, precision, &exploration.arg, nodes, &refutation) {
            return Ok(Some(cut));
        }
        let whole = Refutation { whole: true, ..refutation };
        Ok(tracked(cx, domain, precision, &exploration.arg, nodes, &whole))
    }
    /// Removes what is too coarse: the nodes of the path from where it is cut, and those that they stand for.
    fn prune<D: Domain>(&self, exploration: &mut Exploration<D>, cut: NodeId, prune: Prune) {
        if prune == Prune::Full {
            if let Some(root) = exploration.arg.roots().first().copied() {
                exploration.prune(root);
            }
            return;
        }
        let first = self.trace.nodes.iter().position(|node| *node == cut).unwrap_or(0);
        for node in self.trace.nodes[first..].iter().chain(&self.made[first..]) {
            exploration.prune(*node);
        }
    }
}

/// The variables that the cycle of a lasso changes, with their names.
fn changed<D: Domain>(cx: &mut Cx, exploration: &mut Exploration<D>, lasso: &Lasso) -> Vec<NamedVar> {
    let mut vars = vec![];
    for edge in &lasso.edges[lasso.stem..] {
        let vector = exploration.arg[NodeId::at(edge.source as usize)].vector;
        let action = exploration.action(cx, vector, edge.action);
        vars.extend(cx.system.terms.written_by(action.stmt));
    }
    vars.retain(|var| cx.is_state_var(*var));
    vars.sort_unstable();
    vars.dedup();
    NamedVar::shown(&cx.system, vars)
}

impl LassoRefinement {
    /// Whether ranking functions and recurrent sets are looked for.
    pub(crate) fn ranks(self) -> bool {
        matches!(self, LassoRefinement::Auto | LassoRefinement::Rank)
    }
    /// Whether cycles are gone around more than once.
    fn unrolls(self) -> bool {
        matches!(self, LassoRefinement::Auto | LassoRefinement::Unroll)
    }
    /// Whether the end of a cycle is told from its beginning.
    fn folds(self) -> bool {
        self != LassoRefinement::Unroll
    }
}
