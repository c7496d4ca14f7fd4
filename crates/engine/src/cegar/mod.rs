//! Counterexample-guided abstraction refinement, as in the thesis of 2020 that made the XSTS language, and in
//! chapter 2 of Cziborová, *Abstraction-based timed model checking for software-intensive system models*, 2023.
//!
//! An abstract state says something about the data at a vector of locations; the graph of abstract states
//! contains every run, and maybe more. If it shows no target, there is none, and its nodes are an
//! [`ir::Invariant`]. If it does, the path to it is either executed, which gives a run, or refuted, which
//! says what must be tracked so that it is gone: the precision grows, and the part of the graph that was
//! too coarse is built again.
//!
//! Several questions share the graph and the precision: the graph is built for the disjunction of their
//! targets, and when a run answers some of them, the others are searched for in the same graph.
//!
//! Whether the precision has grown is looked at after every refutation. If it has not, and the nodes of
//! the trace were made with it already, another way of refuting is tried, and then whole formulas instead of
//! their pieces; when none helps, the answer is that there is no progress. So the loop never runs in place.

mod affine;
mod arg;
pub(crate) mod cx;
mod domain;
mod explore;
pub(crate) mod lasso;
mod moments;
mod paths;
pub(crate) mod run;
mod time;
mod trace;
mod waitlist;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use ir::{Certificate, Invariant, InvariantEntry, NamedVar, Scope, System, Term, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Solver, Strategy};

use crate::answer::Reason;
use crate::cause::{NoProgress, Unsupported};
use crate::cegar::arg::{Arg, Dot, NodeId, Status};
use crate::cegar::cx::Cx;
use crate::cegar::domain::{Domain, Expl, Pred, Preferred, Product, Refutation, Shape, pieces};
use crate::cegar::explore::Exploration;
use crate::cegar::run::{Tools, concretise};
use crate::cegar::time::Time;
use crate::cegar::trace::{AbstractTrace, Infeasible, Replay};
use crate::config::{
    self, Cegar, ClockStrategy, Config, Covering, Engine, InitialPrecision, PredicateSplit, Prune, Refinement,
};
use crate::description::{Description, Procedure, Timing};
use crate::observer::{CegarStatistics, Observer, Phase, Progress, Statistics};
use crate::preprocess::Rewritings;
use crate::several::{Hunt, Rest};
use crate::split::Splitter;
use crate::stop::Stop;
use crate::zone::{check_even, check_size};

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "cegar",
    title: "counterexample-guided abstraction refinement (CEGAR)",
    good_for: "infinitely many states, large data",
    paper: "Clarke, Grumberg, Jha, Lu and Veith 2000",
    timing: Timing::Data,
    refines: true,
    bounded: false,
    blocks: true,
    bits: false,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::several(search_all),
};

/// What there is to say of it.
pub static COMBINED: Description = Description {
    name: "combined",
    title: "CEGAR for data with lazily abstracted zones for clocks",
    good_for: "timed models with much data",
    paper: "Cziborová 2023",
    timing: Timing::Own,
    refines: true,
    bounded: false,
    blocks: false,
    bits: false,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::several(search_all),
};

/// Searches by abstraction refinement for what several questions ask for.
pub(crate) fn search_all(
    system: &System,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    hunt: &mut Hunt<'_>,
) -> (Rest, Statistics) {
    let mut statistics = CegarStatistics::default();
    let rest = match prepared(system, config, stop, observer, &mut statistics, hunt) {
        Ok(rest) => rest,
        Err(Reason::Interrupted) => Rest::Unknown(stop.reason()),
        Err(reason) => Rest::Unknown(reason),
    };
    (rest, counted(statistics))
}

/// What refinement counted, as part of what every search counts.
fn counted(statistics: CegarStatistics) -> Statistics {
    Statistics {
        states: statistics.nodes,
        expanded: statistics.nodes.saturating_sub(statistics.covered),
        covered: statistics.covered,
        cegar: Some(statistics),
        ..Statistics::default()
    }
}

fn prepared(
    system: &System,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    statistics: &mut CegarStatistics,
    hunt: &mut Hunt<'_>,
) -> Result<Rest, Reason> {
    config.check().map_err(Unsupported::Choices)?;
    let mut time = None;
    if let (Some(_), Engine::Combined) = (system.timed(), config.engine) {
        let filter = config.clock_strategy != Some(ClockStrategy::CfSplitAll);
        check_even(system)?;
        let splitter = Splitter::new(system);
        check_size(splitter.dim())?;
        time = Some(Time::new(splitter, config.zone_strategy, filter));
    } else if let Some(clock) = system.timed() {
        let engine = config.engine;
        return Err(Unsupported::Clock { clock: NamedVar::of(system, clock), engine }.into());
    }
    let mut cx = Cx::new(system.clone(), config.cegar.interpolation.clone(), config.work_limit, stop)?;
    cx.call_limit = config.call_limit;
    let interrupter = cx.solver.interrupter();
    let _listening = stop.listen(move || interrupter.interrupt());
    let target = hunt.target(&mut cx.system);
    let mut initial = Initial::new(&mut cx, vec![target], config.cegar.initial_precision());
    if time.is_some() {
        initial.bounds = compared_with_clocks(&cx.system, target);
    }
    let goal = Goal { target, time, original: system, config, observer, statistics, hunt };
    in_domain(&mut cx, &config.cegar, target, &initial, goal)
}

/// A loop of abstraction and refinement, whatever the domain is.
trait Refines {
    /// What comes of it.
    type End;
    /// Goes on until there is an answer.
    fn refine<D: Domain>(self, cx: &mut Cx, domain: D, precision: D::Precision) -> Result<Self::End, Reason>;
}

/// Runs a loop in the domain that was chosen.
fn in_domain<L: Refines>(
    cx: &mut Cx,
    choices: &Cegar,
    target: Term,
    initial: &Initial,
    goal: L,
) -> Result<L::End, Reason> {
    let max_enum = choices.max_enum.unwrap_or(DEFAULT_MAX_ENUM);
    let split = choices.predicate_split.unwrap_or_default();
    use config::Domain as Choice;
    match choices.domain {
        Choice::Expl => {
            let precision = initial.values(None);
            goal.refine(cx, Expl::new(max_enum, Preferred::all()), precision)
        }
        Choice::PredCart | Choice::PredBool | Choice::PredSplit => {
            let precision = initial.predicates(cx, split, &FxHashSet::default());
            goal.refine(cx, Pred::new(shape(choices.domain), split), precision)
        }
        Choice::ExplPredCart | Choice::ExplPredBool | Choice::ExplPredSplit | Choice::ExplPredCombined => {
            let conditions = conditions(&cx.system, target);
            let preferred = Preferred::control(cx, choices.auto_expl.unwrap_or_default(), &conditions);
            // Whoever asks for all variables gets them, control or not.
            let all = choices.initial_precision() == InitialPrecision::AllVars;
            let values = initial.values(preferred.vars().filter(|_| !all));
            let predicates = initial.predicates(cx, split, &values);
            let domain = Product(Expl::new(max_enum, preferred), Pred::new(shape(choices.domain), split));
            goal.refine(cx, domain, (values, predicates))
        }
    }
}

/// Successors that one statement may have in the explicit domain if nobody says otherwise.
const DEFAULT_MAX_ENUM: u32 = 250;

fn shape(domain: config::Domain) -> Shape {
    match domain {
        config::Domain::PredBool | config::Domain::ExplPredBool => Shape::Boolean,
        config::Domain::PredSplit | config::Domain::ExplPredSplit | config::Domain::ExplPredCombined => {
            Shape::Split
        }
        _ => Shape::Cartesian,
    }
}

/// The strategy that a way of refinement asks for; the others take the one that was chosen.
///
/// Without `IT` in the name the whole statements are executed, with it only what the core needs of them;
/// with `LV` formulas speak of live variables only.
pub(crate) fn strategy(refinement: Refinement) -> Option<Strategy> {
    use smt::Direction::{Backwards, Forwards};
    let (direction, core, live) = match refinement {
        Refinement::NwtSp => (Forwards, false, false),
        Refinement::NwtWp => (Backwards, false, false),
        Refinement::NwtSpLv => (Forwards, false, true),
        Refinement::NwtWpLv => (Backwards, false, true),
        Refinement::NwtItSp => (Forwards, true, false),
        Refinement::NwtItWp => (Backwards, true, false),
        _ => return None,
    };
    Some(Strategy::Newton(smt::Newton { direction, core, live }))
}

/// The conditions of the model and the question, those of going wrong included.
fn conditions(system: &System, target: Term) -> Vec<Term> {
    let mut list = vec![target];
    for process in system.processes.iter() {
        list.extend(process.locations.iter().map(|location| location.invariant));
        for edge in process.edges.iter() {
            list.push(edge.guard);
            for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                system.terms.for_each_substmt(stmt, |part| {
                    system.terms.stmt(part).for_each_term(|term| list.push(term));
                });
            }
        }
    }
    list
}

/// The variables that clocks are compared with or set to: the operations of an alternative are known only if
/// they are.
fn compared_with_clocks(system: &System, target: Term) -> FxHashSet<VarId> {
    let terms = &system.terms;
    let mut atoms = vec![];
    for condition in conditions(system, target) {
        terms.for_each_subterm(condition, |t| {
            let atom = matches!(terms.node(t), ir::Node::Le(..) | ir::Node::Lt(..) | ir::Node::Eq(..));
            if atom && terms.has_clock(t) {
                atoms.push(t);
            }
        });
    }
    for process in system.processes.iter() {
        for edge in process.edges.iter() {
            terms.for_each_substmt(edge.update.stmt, |part| match *terms.stmt(part) {
                ir::StmtNode::Assign(var, value) if terms.var_type(var) == Type::Clock => atoms.push(value),
                _ => {}
            });
        }
    }
    let vars = atoms.into_iter().flat_map(|atom| terms.vars_of(atom));
    let is_data =
        |var: &VarId| terms.var_type(*var) != Type::Clock && system.vars[*var].scope == Scope::State;
    vars.filter(is_data).collect()
}

/// What is tracked from the start.
struct Initial {
    /// What the property says, in parts.
    property: Vec<Term>,
    values: FxHashSet<VarId>,
    /// What is tracked by value wherever anything is.
    bounds: FxHashSet<VarId>,
}

impl Initial {
    fn new(cx: &mut Cx, property: Vec<Term>, choice: InitialPrecision) -> Self {
        use InitialPrecision::{AllVars, Ctrl, Empty, Prop, PropCtrl};
        let property = match choice {
            Prop | PropCtrl => property,
            Empty | Ctrl | AllVars => vec![],
        };
        let mut values: FxHashSet<VarId> =
            property.iter().flat_map(|part| cx.system.terms.vars_of(*part)).collect();
        if cx.system.timed().is_some() {
            // Zones know of clocks.
            values.retain(|var| cx.system.terms.var_type(*var) != Type::Clock);
        }
        let timed = cx.system.timed().is_some();
        for (var, variable) in cx.system.vars.entries() {
            let wanted = match choice {
                Ctrl | PropCtrl => variable.control,
                AllVars => true,
                Empty | Prop => false,
            };
            let by_zones = timed && cx.system.terms.var_type(var) == Type::Clock;
            if wanted && variable.scope == Scope::State && !by_zones {
                values.insert(var);
            }
        }
        Initial { property, values, bounds: FxHashSet::default() }
    }
    /// The variables tracked by their values, of those that may be.
    fn values(&self, preferred: Option<&FxHashSet<VarId>>) -> FxHashSet<VarId> {
        let takes = |var: &&VarId| preferred.is_none_or(|vars| vars.contains(var));
        self.values.iter().filter(takes).chain(&self.bounds).copied().collect()
    }
    /// The predicates, but for those over variables whose values are tracked.
    fn predicates(
        &self,
        cx: &mut Cx,
        split: PredicateSplit,
        tracked: &FxHashSet<VarId>,
    ) -> indexmap::IndexSet<Term, rustc_hash::FxBuildHasher> {
        let list: Vec<Term> = self.property.iter().flat_map(|part| pieces(cx, *part, split)).collect();
        let terms = &cx.system.terms;
        let timed = cx.system.timed().is_some();
        let data = |term: &Term| {
            // `deadlock` and locations are none, and zones know of clocks.
            let mut data = !(timed && terms.has_clock(*term));
            terms.for_each_subterm(*term, |t| {
                data &= !matches!(terms.node(t), ir::Node::At(..) | ir::Node::Deadlock);
            });
            data && !terms.vars_of(*term).iter().all(|var| tracked.contains(var))
        };
        list.into_iter().filter(data).collect()
    }
}

/// What is searched for, how, and who is told.
struct Goal<'a, 'h> {
    target: Term,
    time: Option<Time>,
    /// The system as it came.
    original: &'a System,
    config: &'a Config,
    observer: &'a mut dyn Observer,
    statistics: &'a mut CegarStatistics,
    hunt: &'a mut Hunt<'h>,
}

/// Larger graphs are not checked for simulation while debugging.
const CHECKED: usize = 400;

/// How often progress is reported at most.
pub(crate) const REPORT: Duration = Duration::from_millis(100);

impl Refines for Goal<'_, '_> {
    type End = Rest;
    fn refine<D: Domain>(
        self,
        cx: &mut Cx,
        mut domain: D,
        mut precision: D::Precision,
    ) -> Result<Rest, Reason> {
        let Goal { target, time, original, config, observer, statistics, hunt } = self;
        let Cegar { refinement, prune, .. } = config.cegar.clone();
        let multiple = refinement == Refinement::MultiSeq;
        let mut exploration: Exploration<D> =
            Exploration::new(target, time, config.search, multiple, Covering::Inclusion, config.state_limit);
        let mut reported = Instant::now();
        let result = loop {
            statistics.iterations += 1;
            let start = Instant::now();
            let size = domain.size(&precision);
            let iterations = statistics.iterations;
            let targets = exploration.run(cx, &mut domain, &precision, &mut |arg, cx| {
                if reported.elapsed() >= REPORT {
                    reported = Instant::now();
                    observer.progress(&progress(Phase::Exploring, arg, cx, iterations, size));
                }
            });
            statistics.explore_time += start.elapsed();
            let targets = match targets {
                Ok(targets) => targets,
                Err(reason) => break Err(reason),
            };
            if cfg!(debug_assertions) {
                let complete = targets.is_empty() && exploration.arg.len() < CHECKED;
                if let Err(reason) = exploration.assert_well_formed(cx, &domain, complete) {
                    break Err(reason);
                }
            }
            if targets.is_empty() {
                break Ok(Rest::Excluded(Certificate::Invariant(invariant(cx, &domain, &mut exploration))));
            }
            let (start, calls) = (Instant::now(), cx.solver_work().0);
            let mut report = |arg: &Arg<D::State>, cx: &Cx| {
                reported = Instant::now();
                observer.progress(&progress(Phase::Refuting, arg, cx, iterations, size));
            };
            let refined = round(
                cx,
                original,
                &mut domain,
                &mut precision,
                &mut exploration,
                &targets,
                (refinement, prune),
                &mut report,
            );
            statistics.refine_time += start.elapsed();
            statistics.refine_calls += cx.solver_work().0 - calls;
            match refined {
                Ok(None) => {}
                Ok(Some(run)) => {
                    count(statistics, cx, &exploration, domain.size(&precision));
                    match hunt.found(&mut cx.system, run, counted(statistics.clone())) {
                        Ok(None) => break Ok(Rest::Nothing),
                        Ok(Some(left)) => match exploration.look_for(cx, &domain, left) {
                            Ok(()) => {}
                            Err(reason) => break Err(reason),
                        },
                        Err(reason) => break Err(reason),
                    }
                }
                Err(reason) => break Err(reason),
            }
        };
        count(statistics, cx, &exploration, domain.size(&precision));
        if config.graph && !cx.stop.requested() {
            let labels = node_texts(cx, &domain, &mut exploration);
            let (system, actions, arg) = (&cx.system, &exploration.actions, &exploration.arg);
            observer.graph(&Dot { arg, system, actions, labels: &labels });
        }
        result
    }
}

/// Notes how far the search is.
fn count<D: Domain>(
    statistics: &mut CegarStatistics,
    cx: &Cx,
    exploration: &Exploration<D>,
    (variables, predicates): (usize, usize),
) {
    let arg = &exploration.arg;
    statistics.combined = exploration.time.as_ref().map(Time::statistics);
    (statistics.nodes, statistics.nodes_made) = (arg.len() as u64, arg.made);
    statistics.covered = covered(arg);
    (statistics.variables, statistics.predicates) = (variables as u64, predicates as u64);
    (statistics.solver_calls, statistics.solver_time) = cx.solver_work();
    statistics.replaced = cx.replaced;
}

/// Executes the first trace that can be, or refutes all and removes what was too coarse.
#[expect(clippy::too_many_arguments, reason = "all of it is one round")]
fn round<D: Domain>(
    cx: &mut Cx,
    original: &System,
    domain: &mut D,
    precision: &mut D::Precision,
    exploration: &mut Exploration<D>,
    targets: &[NodeId],
    (refinement, prune): (Refinement, Prune),
    report: &mut dyn FnMut(&Arg<D::State>, &Cx),
) -> Result<Option<ir::Run>, Reason> {
    let mut cuts = vec![];
    for target in targets {
        cx.go_on()?;
        report(&exploration.arg, cx);
        let trace = AbstractTrace::of(cx, domain, exploration, *target)?;
        match trace.replay(cx)? {
            Replay::Feasible(states) if exploration.time.is_some() => {
                return moments::concretise(original, &trace, states, cx.stop).map(Some);
            }
            Replay::Feasible(states) => {
                let tools = Tools { system: &mut cx.system, solver: &cx.solver, stop: cx.stop };
                return concretise(tools, &trace.actions, &states).map(Some);
            }
            Replay::Infeasible(why) => {
                let arg = &exploration.arg;
                cuts.push(refute(cx, domain, precision, arg, &trace.nodes, &why, refinement)?);
            }
        }
    }
    match prune {
        Prune::Lazy => cuts.into_iter().for_each(|node| exploration.prune(node)),
        Prune::Full => {
            if let Some(root) = exploration.arg.roots().first().copied() {
                exploration.prune(root);
            }
        }
    }
    Ok(None)
}

/// Grows the precision so that `trace` is gone; the first node that has to be made again.
fn refute<D: Domain>(
    cx: &mut Cx,
    domain: &mut D,
    precision: &mut D::Precision,
    arg: &Arg<D::State>,
    nodes: &[NodeId],
    trace: &Infeasible,
    refinement: Refinement,
) -> Result<NodeId, Reason> {
    let mut ways = vec![refinement];
    ways.extend([Refinement::SeqItp, Refinement::BwBinItp, Refinement::FwBinItp]);
    let (mut failed, mut first) = (None, None);
    for (attempt, way) in ways.into_iter().enumerate() {
        if attempt > 0 && way == refinement {
            continue;
        }
        // What was asked for by name may not be able to explain this trace; the others take any strategy.
        match trace.refute(cx, way) {
            Ok(refutation) => {
                if let Some(node) = tracked(cx, domain, precision, arg, nodes, &refutation) {
                    cx.replaced += u64::from(attempt > 0);
                    return Ok(node);
                }
                first = first.or(Some(refutation));
            }
            Err(reason @ Reason::Solver(_)) => failed = failed.or(Some(reason)),
            Err(reason) => return Err(reason),
        }
    }
    // Pieces of formulas may say less than the formulas themselves.
    let Some(refutation) = first else {
        return Err(failed.expect("a way that gives no refutation says why"));
    };
    cx.replaced += 1;
    let whole = Refutation { whole: true, ..refutation };
    tracked(cx, domain, precision, arg, nodes, &whole).ok_or(NoProgress::Tracked.into())
}

/// Grows the precision by a refutation; the first node that has to be made again, if that makes any finer.
fn tracked<D: Domain>(
    cx: &mut Cx,
    domain: &mut D,
    precision: &mut D::Precision,
    arg: &Arg<D::State>,
    nodes: &[NodeId],
    refutation: &Refutation,
) -> Option<NodeId> {
    let grown = domain.refine(cx, precision, refutation);
    let holds = |term: Term| cx.system.terms.as_const(term).is_some_and(|value| value.as_bool());
    let first = refutation.formulas.iter().position(|formula| !holds(*formula)).unwrap_or(0);
    let (variables, predicates) = domain.size(precision);
    // Without new predicates, nodes that were made without some of them still get finer.
    let coarse = |node: &NodeId| arg[*node].revision < variables + predicates;
    if grown || nodes[first..].iter().any(coarse) {
        return Some(nodes[first]);
    }
    nodes.iter().any(coarse).then(|| nodes[0])
}

/// The expanded nodes as an invariant.
fn invariant<D: Domain>(cx: &mut Cx, domain: &D, exploration: &mut Exploration<D>) -> Invariant {
    let labels = labels(cx, domain, exploration);
    let arg = &exploration.arg;
    let mut number: FxHashMap<NodeId, u32> = FxHashMap::default();
    for (id, _) in arg.nodes().filter(|(_, node)| node.status == Status::Expanded) {
        number.insert(id, number.len() as u32);
    }
    let numbers = |list: &[NodeId]| {
        let mut list: Vec<u32> = list.iter().map(|id| number[&arg.representative(*id)]).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let entries = arg
        .nodes()
        .filter(|(_, node)| node.status == Status::Expanded)
        .map(|(id, node)| InvariantEntry {
            locations: exploration.actions.locations(node.vector).into(),
            formula: labels[&id],
            successors: numbers(&node.children),
        })
        .collect();
    let initial = numbers(arg.roots());
    Invariant { terms: cx.system.terms.clone(), initial, entries }
}

/// What every node says, of data and of time.
fn labels<D: Domain>(cx: &mut Cx, domain: &D, exploration: &mut Exploration<D>) -> FxHashMap<NodeId, Term> {
    let mut facts = vec![];
    let mut labels = FxHashMap::default();
    for (id, node) in exploration.arg.nodes() {
        facts.clear();
        domain.facts(cx, &node.state, &mut facts);
        if let Some(time) = &mut exploration.time {
            time.facts(cx, id, &mut facts);
        }
        labels.insert(id, cx.terms().and(facts.iter().copied()));
    }
    labels
}

/// What each node says of data, and below that of clocks, in words for people.
fn node_texts<D: Domain>(
    cx: &mut Cx,
    domain: &D,
    exploration: &mut Exploration<D>,
) -> FxHashMap<NodeId, String> {
    let mut facts = vec![];
    let mut texts = FxHashMap::default();
    for (id, node) in exploration.arg.nodes() {
        facts.clear();
        domain.facts(cx, &node.state, &mut facts);
        let data = cx.terms().and(facts.drain(..));
        let mut text = cx.system.show(data).to_string();
        if let Some(time) = &mut exploration.time {
            let mut shown = time.texts(&cx.system, id);
            if shown.len() > CONSTRAINTS {
                let more = shown.split_off(CONSTRAINTS).len();
                shown.push(format!("and {more} more"));
            }
            text += "\nclocks: ";
            text += &if shown.is_empty() { "any values".to_owned() } else { shown.join(", ") };
        }
        texts.insert(id, text);
    }
    texts
}

/// The most constraints of clocks in a picture of a node.
const CONSTRAINTS: usize = 12;

fn covered<S>(arg: &Arg<S>) -> u64 {
    arg.nodes().filter(|(_, node)| matches!(node.status, Status::Covered(_))).count() as u64
}

fn progress<S>(phase: Phase, arg: &Arg<S>, cx: &Cx, iterations: u64, size: (usize, usize)) -> Progress {
    Progress {
        phase,
        states: arg.len() as u64,
        iterations,
        covered: covered(arg),
        precision: (size.0 + size.1) as u64,
        solver_calls: cx.solver_work().0,
        ..Progress::default()
    }
}
