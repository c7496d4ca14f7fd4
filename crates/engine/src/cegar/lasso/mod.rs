//! Abstraction refinement for accepting runs of a product, after chapter 3 of the report of 2019 that this extends: there
//! the abstraction is by predicates, and what excludes a lasso is an interpolant against its closing.
//!
//! The abstract reachability graph of the product is built as for reachability; coverings are transitions like others. It
//! contains every run, so that a product whose graph has no accepting cycle has no accepting run. A node is covered only by
//! one that says the same: then what a path of the graph says at its nodes is what following its actions says, and a path
//! that has been refuted is gone.
//!
//! 1. An accepting cycle is [searched for](search), in one of several ways. If there is none, the number of a node's
//!    strongly connected component is its rank ([`ir::Ranking`]).
//! 2. An accepting component may still have no infinite run through all its acceptance sets: linear functions of its
//!    states that decrease along some of its transitions and never increase [show that](rank), lexicographically.
//! 3. Otherwise a shortest lasso of what is left is [looked at](refine), along the executions that are left: it cannot be executed, and says what to track; it
//!    is a lasso of the system, because it comes back to a state or to a [recurrent set](crate::recurrence) of them; or it can be
//!    executed, but not for ever.
//!
//! Whatever shows that the lasso is none grows the precision, or the answer is that there is no progress.

mod rank;
mod refine;
pub(crate) mod search;

use std::time::Instant;

use ir::{Certificate, Descent, Id, Ranking, System, Term};
use smt::Solver;

use crate::answer::{Answer, Reason};
use crate::cause::Unsupported;
use crate::cegar::arg::{Arg, NodeId, Status};
use crate::cegar::cx::Cx;
use crate::cegar::domain::Domain;
use crate::cegar::explore::Exploration;
use crate::cegar::{Initial, REPORT, Refines, count, counted, in_domain, invariant, progress, round};
use crate::config::{Config, Covering, LassoRefinement, LassoSearch, Refinement};
use crate::observer::{CegarStatistics, Observer, Phase, Statistics};
use crate::stop::Stop;

use self::rank::{Levels, Unranked};
use self::refine::look;
use self::search::{Edge, Snapshot, Space, guided, nested};

/// Nodes that there are before components are looked at for the first time.
const FIRST_LOOK: usize = 64;

/// Searches a product for an accepting run, one to a target, or one to a fault; also says why there is none.
pub(crate) fn search(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Descent, Statistics) {
    let mut statistics = CegarStatistics::default();
    let (answer, descent) = match prepared(product, target, config, stop, observer, &mut statistics) {
        Ok(found) => found,
        Err(Reason::Interrupted) => (Answer::Unknown(stop.reason()), Descent::Terminal),
        Err(reason) => (Answer::Unknown(reason), Descent::Terminal),
    };
    (answer, descent, counted(statistics))
}

fn prepared(
    product: &System,
    target: Term,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    statistics: &mut CegarStatistics,
) -> Result<(Answer, Descent), Reason> {
    config.check().map_err(Unsupported::Choices)?;
    let mut cx = Cx::new(product.clone(), config.cegar.interpolation.clone(), config.work_limit, stop)?;
    cx.call_limit = config.call_limit;
    // The guards of a cycle are what a ranking needs, and weakest preconditions speak of them; what a lasso begins with is
    // a value of a counter, and each refinement would tell one more of them apart.
    cx.from_the_end = config.cegar.lasso_refinement.ranks();
    let interrupter = cx.solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    // What the automaton reads is the property.
    let atoms = product.monitor.iter().flat_map(|monitor| monitor.atoms.iter().copied());
    let property = std::iter::once(target).chain(atoms).collect();
    let initial = Initial::new(&mut cx, property, config.cegar.initial_precision());
    let goal = Lassos { target, product, config, observer, statistics };
    in_domain(&mut cx, &config.cegar, target, &initial, goal)
}

/// What is searched for, how, and who is told.
struct Lassos<'a> {
    target: Term,
    product: &'a System,
    config: &'a Config,
    observer: &'a mut dyn Observer,
    statistics: &'a mut CegarStatistics,
}

/// What a look at the graph shows.
enum Seen {
    /// Nodes that may be targets.
    Targets(Vec<NodeId>),
    /// An accepting cycle that no ranking excludes.
    Lasso(Unranked),
    /// All runs, none of which is accepting: rankings of the expanded nodes, in order.
    Nothing(Vec<Ranking>),
}

impl Refines for Lassos<'_> {
    type End = (Answer, Descent);
    fn refine<D: Domain>(
        self,
        cx: &mut Cx,
        mut domain: D,
        mut precision: D::Precision,
    ) -> Result<Self::End, Reason> {
        let Lassos { target, product, config, observer, statistics } = self;
        let choices = &config.cegar;
        let multiple = choices.refinement == Refinement::MultiSeq;
        let limit = config.state_limit;
        let mut exploration: Exploration<D> =
            Exploration::new(target, None, config.search, multiple, Covering::Equality, limit);
        let mut reported = Instant::now();
        let result = loop {
            statistics.iterations += 1;
            let (iterations, size) = (statistics.iterations, domain.size(&precision));
            let mut report = |phase: Phase, arg: &Arg<D::State>, cx: &Cx| {
                if reported.elapsed() >= REPORT {
                    reported = Instant::now();
                    observer.progress(&progress(phase, arg, cx, iterations, size));
                }
            };
            let start = Instant::now();
            let mut view =
                View { cx, domain: &mut domain, precision: &precision, exploration: &mut exploration };
            let seen = view.see(config, &mut report);
            statistics.explore_time += start.elapsed();
            let (start, calls) = (Instant::now(), cx.solver_work().0);
            let refined = match seen {
                Err(reason) => break Err(reason),
                Ok(Seen::Nothing(rankings)) => {
                    let base = Certificate::Invariant(invariant(cx, &domain, &mut exploration));
                    break Ok((Answer::Excluded(base), Descent::Ranks(rankings)));
                }
                Ok(Seen::Targets(targets)) => round(
                    cx,
                    product,
                    &mut domain,
                    &mut precision,
                    &mut exploration,
                    &targets,
                    (choices.refinement, choices.prune),
                    &mut |arg, cx| report(Phase::Refuting, arg, cx),
                ),
                Ok(Seen::Lasso(lasso)) => {
                    look(cx, &mut domain, &mut precision, &mut exploration, &lasso, (product, config))
                }
            };
            statistics.refine_time += start.elapsed();
            statistics.refine_calls += cx.solver_work().0 - calls;
            match refined {
                Ok(None) => {}
                Ok(Some(run)) => break Ok((Answer::Found(run), Descent::Terminal)),
                Err(reason) => break Err(reason),
            }
        };
        count(statistics, cx, &exploration, domain.size(&precision));
        result
    }
}

/// The graph and what it is made with.
struct View<'v, 'c, D: Domain> {
    cx: &'v mut Cx<'c>,
    domain: &'v mut D,
    precision: &'v D::Precision,
    exploration: &'v mut Exploration<D>,
}

/// Why a search while the graph grows ends early.
enum End {
    Targets(Vec<NodeId>),
    Reason(Reason),
}

impl From<Reason> for End {
    fn from(reason: Reason) -> Self {
        End::Reason(reason)
    }
}

/// Tells what is being done, with the graph it is done on.
type Report<'a, D> = dyn FnMut(Phase, &Arg<<D as Domain>::State>, &Cx) + 'a;

impl<D: Domain> View<'_, '_, D> {
    /// Looks for targets and accepting cycles in the way that was chosen.
    fn see(&mut self, config: &Config, report: &mut Report<'_, D>) -> Result<Seen, Reason> {
        let choices = &config.cegar;
        let all = self.all();
        let on_the_fly = match choices.lasso_search {
            LassoSearch::Gdfs => guided(self, all),
            LassoSearch::Ndfs => nested(self, all),
            LassoSearch::Scc | LassoSearch::Full => Ok(None),
        };
        match on_the_fly {
            Ok(None) => {}
            Ok(Some(lasso)) if !choices.lasso_refinement.ranks() => {
                return Ok(Seen::Lasso(Unranked { lasso, needs: vec![] }));
            }
            // The component that it is in may have a ranking, or a lasso for which there is none.
            Ok(Some(_)) => {
                if let Err(lasso) = self.descent(choices.lasso_refinement, report)? {
                    return Ok(Seen::Lasso(lasso));
                }
            }
            Err(End::Targets(targets)) => return Ok(Seen::Targets(targets)),
            Err(End::Reason(reason)) => return Err(reason),
        }
        let mut most = if choices.lasso_search == LassoSearch::Scc { FIRST_LOOK } else { usize::MAX };
        loop {
            let exploring = &mut |arg: &Arg<D::State>, cx: &Cx| report(Phase::Exploring, arg, cx);
            let targets =
                self.exploration.run_up_to(self.cx, self.domain, self.precision, most, exploring)?;
            if !targets.is_empty() {
                return Ok(Seen::Targets(targets));
            }
            let descent = self.descent(choices.lasso_refinement, report)?;
            match descent {
                Err(lasso) => return Ok(Seen::Lasso(lasso)),
                Ok(rankings) if self.exploration.is_complete() => return Ok(Seen::Nothing(rankings)),
                Ok(_) => most = (2 * self.exploration.arg.len()).max(FIRST_LOOK),
            }
        }
    }
    /// All acceptance sets.
    fn all(&self) -> u32 {
        self.cx.system.monitor.as_ref().map_or(0, ir::monitor::Monitor::all_marks) as u32
    }
    /// Rankings of the nodes that are expanded, in order, or a lasso for which there is none.
    fn descent(
        &mut self,
        refinement: LassoRefinement,
        report: &mut Report<'_, D>,
    ) -> Result<Result<Vec<Ranking>, Unranked>, Reason> {
        let snapshot = self.snapshot();
        let mut ranking = |arg: &Arg<D::State>, cx: &Cx| report(Phase::Ranking, arg, cx);
        let mut levels = Levels::new(self.cx, self.domain, self.exploration, &snapshot, &mut ranking);
        levels.descent(refinement.ranks())
    }
    /// The transitions between the nodes that are expanded.
    fn snapshot(&mut self) -> Snapshot {
        let expanded = |(id, node): (NodeId, &crate::cegar::arg::Node<D::State>)| {
            (node.status == Status::Expanded).then_some(id)
        };
        let nodes: Vec<NodeId> = self.exploration.arg.nodes().filter_map(expanded).collect();
        let edges = nodes.iter().flat_map(|node| self.edges(*node, *node)).collect();
        let arg = &self.exploration.arg;
        let roots = arg.roots().iter().map(|root| arg.representative(*root).index() as u32).collect();
        let nodes = nodes.into_iter().map(|node| node.index() as u32).collect();
        Snapshot::new(nodes, edges, roots, self.all())
    }
    /// The transitions of an expanded node, as those of one that says the same.
    fn edges(&mut self, node: NodeId, source: NodeId) -> Vec<Edge> {
        let children = self.exploration.arg[node].children.clone();
        let vector = self.exploration.arg[node].vector;
        let mut list = vec![];
        for made in children {
            let arg = &self.exploration.arg;
            let target = arg.representative(made).index() as u32;
            let Some((_, action)) = arg[made].parent else { continue };
            let edges = &self.exploration.actions.of(&mut self.cx.system, vector)[action as usize].edges;
            let marks = self.cx.system.monitor.as_ref().map_or(0, |monitor| monitor.marks_of(edges)) as u32;
            list.push(Edge {
                source: source.index() as u32,
                action,
                made: made.index() as u32,
                target,
                marks,
            });
        }
        list
    }
}

impl<D: Domain> Space for View<'_, '_, D> {
    type End = End;
    fn roots(&mut self) -> Result<Vec<u32>, End> {
        let targets = self.exploration.begin(self.cx, self.domain, self.precision)?;
        if !targets.is_empty() {
            return Err(End::Targets(targets));
        }
        let arg = &self.exploration.arg;
        Ok(arg.roots().iter().map(|root| arg.representative(*root).index() as u32).collect())
    }
    fn from(&mut self, node: u32) -> Result<Vec<Edge>, End> {
        let source = NodeId::at(node as usize);
        let mut targets = vec![];
        // What waits may turn out to be covered, by a node that waits itself.
        let mut at = source;
        while self.exploration.arg[at].status == Status::Waiting {
            self.exploration.look_at(self.cx, self.domain, self.precision, at, &mut targets)?;
            if !targets.is_empty() {
                return Err(End::Targets(targets));
            }
            at = self.exploration.arg.representative(at);
        }
        Ok(self.edges(at, source))
    }
}
