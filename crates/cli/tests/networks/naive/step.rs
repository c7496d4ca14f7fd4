//! Steps of the whole network: edges that move together, and time.

use std::collections::BTreeSet;

use ir::{LocationKind, Role};
use lang::xta::ast::*;

use super::search::Reachable;
use super::value::{Ty, Val, number, values};
use super::{CAP, Env, Network, Process, Row, State, TOO_MANY, Trouble, What, bind, unable};

/// How many ways there may be for several processes to go together.
const MOST_JOINTS: usize = 1_000;

/// An edge with the values of its selections, and the channel it uses if it is enabled.
#[derive(Clone, Debug)]
struct Candidate {
    process: usize,
    /// Which path of the template it is: an edge, or two that a branch point joins.
    path: usize,
    /// What the edges of the path select, in order.
    selected: Vec<i64>,
    /// Where the guard or the position of the channel goes wrong, nothing is known but the channel, if that.
    fault: bool,
    channel: Option<usize>,
}

impl<'a> Network<'a> {
    pub(super) fn location(&self, state: &State, process: usize) -> &'a Location {
        &self.ast.templates[self.processes[process].template].locations[state.at[process]]
    }
    fn committed(&self, state: &State, process: usize) -> bool {
        self.location(state, process).kind == LocationKind::Committed
    }
    /// The ways from location to location in one step.
    pub(super) fn paths_of(template: &'a Template) -> Vec<Vec<&'a Edge>> {
        let mut paths: Vec<Vec<&Edge>> = template.edges.iter().map(|edge| vec![edge]).collect();
        for branch in &template.branches {
            for first in &branch.incoming {
                paths.extend(branch.outgoing.iter().map(|second| vec![first, second]));
            }
        }
        paths
    }
    fn path(&self, candidate: &Candidate) -> &[&'a Edge] {
        let template = self.processes[candidate.process].template;
        &self.paths[ir::Id::index(template)][candidate.path]
    }
    fn sync(&self, candidate: &Candidate) -> Option<Sync> {
        self.path(candidate).iter().find_map(|edge| edge.sync)
    }
    /// The declarations that each edge of a path sees, selected values put behind the row. The second edge sees
    /// what the first selects, unless it hides that.
    fn selected(&self, candidate: &Candidate, row: &mut Row) -> Vec<Env> {
        let mut env = self.processes[candidate.process].env.clone();
        let mut values = candidate.selected.iter();
        let mut envs = vec![];
        for edge in self.path(candidate) {
            for ((ident, _), value) in edge.select.iter().zip(values.by_ref()) {
                row.push(*value);
                env = bind(&env, ident.name, What::Cell(row.len() - 1, Ty::Int(*value, *value)));
            }
            envs.push(env.clone());
        }
        envs
    }
    /// The edges that are enabled or go wrong, with every choice of selected values.
    fn candidates(&self, state: &State) -> Result<Vec<Candidate>, Trouble> {
        let mut found = vec![];
        for process in 0..self.processes.len() {
            let paths = &self.paths[ir::Id::index(self.processes[process].template)];
            for path in (0..paths.len()).filter(|path| paths[*path][0].source == state.at[process]) {
                let nothing = Candidate { process, path, selected: vec![], fault: false, channel: None };
                self.select(nothing, state, &mut found)?;
            }
        }
        Ok(found)
    }
    fn select(&self, candidate: Candidate, state: &State, found: &mut Vec<Candidate>) -> Result<(), Trouble> {
        let mut row = state.row.clone();
        let envs = self.selected(&candidate, &mut row);
        let path = self.path(&candidate);
        let mut names =
            path.iter().zip(&envs).flat_map(|(edge, env)| edge.select.iter().map(move |it| (it, env)));
        if let Some(((_, ty), env)) = names.nth(candidate.selected.len()) {
            let (low, high) = values(&self.resolve(*ty, env, &mut row)?)?;
            for value in low..=high {
                let selected = [candidate.selected.clone(), vec![value]].concat();
                self.select(Candidate { selected, ..candidate.clone() }, state, found)?;
            }
            return Ok(());
        }
        let mut enabled = Ok(true);
        for (edge, env) in path.iter().zip(&envs) {
            enabled = self.all(&edge.guard, env, &mut row);
            if !matches!(enabled, Ok(true)) {
                break;
            }
        }
        if matches!(enabled, Ok(false)) {
            return Ok(());
        }
        let tied = path.iter().zip(&envs).find_map(|(edge, env)| Some((edge.sync?, env)));
        let channel = tied.map(|(sync, env)| self.eval(sync.channel, env, &mut row));
        let (channel, lost) = match channel {
            None => (None, false),
            Some(Ok(Val::Channel(at, _))) => (Some(at), false),
            Some(Err(Trouble::Fault)) => (None, true),
            Some(Err(trouble)) => return Err(trouble),
            Some(Ok(_)) => return unable("no channel"),
        };
        match enabled {
            Err(Trouble::Unable(why)) => unable(why),
            other => {
                found.push(Candidate { fault: other.is_err() || lost, channel, ..candidate });
                Ok(())
            }
        }
    }
    /// Whether all conditions hold, looked at one after the other.
    fn all(&self, list: &[ExprId], env: &Env, row: &mut Row) -> Result<bool, Trouble> {
        for expr in list {
            if !self.truth(*expr, env, row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// The sets of candidates that move together, in order of their updates.
    fn joints(&self, state: &State, candidates: &[Candidate]) -> Result<Vec<Vec<Candidate>>, Trouble> {
        let mut joints = vec![];
        let mut joined = BTreeSet::new();
        for first in candidates {
            let Some(sync) = self.sync(first) else {
                joints.push(vec![first.clone()]);
                continue;
            };
            let Some(channel) = first.channel else { continue };
            let others = |process: usize, role: Role| {
                let fits = move |other: &&Candidate| {
                    let its = self.sync(other).map(|sync| sync.role);
                    other.process == process && other.channel == Some(channel) && its == Some(role)
                };
                candidates.iter().filter(fits).cloned().collect::<Vec<_>>()
            };
            let elsewhere = (0..self.processes.len()).filter(|process| *process != first.process);
            match (sync.role, self.channels[channel].1) {
                (Role::Emit, false) => {
                    for other in elsewhere.flat_map(|process| others(process, Role::Receive)) {
                        joints.push(vec![first.clone(), other]);
                    }
                }
                (Role::Emit, true) => {
                    let mut choices: Vec<_> = elsewhere.map(|at| others(at, Role::Receive)).collect();
                    choices.retain(|list| !list.is_empty());
                    joints.extend(combined(vec![first.clone()], &choices)?);
                }
                (Role::Join, _) if joined.insert(channel) => {
                    let mut members = vec![];
                    for process in 0..self.processes.len() {
                        if self.knows(process, channel, &state.row)? {
                            members.push(others(process, Role::Join));
                        }
                    }
                    joints.extend(combined(vec![], &members)?);
                }
                _ => {}
            }
        }
        Ok(joints)
    }
    /// Whether a process has an edge that joins a channel.
    fn knows(&self, process: usize, channel: usize, row: &Row) -> Result<bool, Trouble> {
        let Process { template, env, .. } = &self.processes[process];
        for edge in self.paths[ir::Id::index(*template)].iter().flatten() {
            let Some(sync) = edge.sync.filter(|sync| sync.role == Role::Join) else { continue };
            if !matches!(self.ast.exprs[sync.channel].kind, ExprKind::Name(_)) {
                return unable("one of several channels to join");
            }
            if matches!(self.eval(sync.channel, env, &mut row.clone())?, Val::Channel(at, _) if at == channel)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Where a step leads: nowhere if an invariant is false there.
    fn step(
        &self,
        state: &State,
        joint: &[Candidate],
        out: &mut Reachable,
    ) -> Result<Option<State>, Trouble> {
        let mut next = state.clone();
        let height = next.row.len();
        for candidate in joint {
            let envs = self.selected(candidate, &mut next.row);
            let path = self.path(candidate);
            let updates =
                path.iter().zip(&envs).flat_map(|(edge, env)| edge.update.iter().map(move |it| (it, env)));
            for (expr, env) in updates {
                match self.eval(*expr, env, &mut next.row) {
                    Err(Trouble::Fault) => {
                        (out.fault, out.may_fault) = (true, true);
                        return Ok(None);
                    }
                    other => drop(other?),
                }
            }
            next.row.truncate(height);
            next.at[candidate.process] = path[path.len() - 1].target;
        }
        self.rank(&mut next);
        Ok(self.invariants(&next, out)?.then_some(next))
    }
    /// Whether all invariants hold.
    pub(super) fn invariants(&self, state: &State, out: &mut Reachable) -> Result<bool, Trouble> {
        let (mut fails, mut wrong) = (false, false);
        for (at, process) in self.processes.iter().enumerate() {
            let invariant = &self.location(state, at).invariant;
            match self.all(invariant, &process.env, &mut state.row.clone()) {
                Ok(holds) => fails |= !holds,
                Err(Trouble::Fault) => wrong = true,
                Err(trouble) => return Err(trouble),
            }
        }
        out.may_fault |= wrong;
        out.fault |= wrong && !fails;
        Ok(!fails && !wrong)
    }
    /// The state one unit of time later, or as soon as a clock is or has been whole where time is dense.
    fn later(&self, state: &State, out: &mut Reachable) -> Result<Option<State>, Trouble> {
        let mut next = state.clone();
        let still = self.still(state)?;
        let runs = |clock: &usize| state.row[*clock] < CAP * self.unit && !still.contains(clock);
        let running: Vec<usize> = self.clocks.iter().copied().filter(runs).collect();
        let rank = |row: &Row, clock: usize| row[clock] % self.unit;
        let highest = running.iter().map(|clock| rank(&next.row, *clock)).max().unwrap_or_default();
        let whole = running.iter().any(|clock| rank(&next.row, *clock) == 0);
        for clock in running {
            let rank = rank(&next.row, clock);
            if self.unit == 1 || whole {
                next.row[clock] += 1;
            } else if rank == highest {
                next.row[clock] += self.unit - rank;
            }
        }
        self.rank(&mut next);
        Ok(self.invariants(&next, out)?.then_some(next))
    }
    /// The clocks that stand still in a state.
    fn still(&self, state: &State) -> Result<BTreeSet<usize>, Trouble> {
        let mut found = BTreeSet::new();
        for (at, process) in self.processes.iter().enumerate() {
            let mut parts = self.location(state, at).invariant.clone();
            while let Some(part) = parts.pop() {
                let ExprKind::Chain(first, rest) = &self.ast.exprs[part].kind else { continue };
                if let [before @ .., (op @ (Binary::Or | Binary::Imply), last)] = &rest[..] {
                    // What stands last counts where the conditions before have not decided.
                    let row = &mut state.row.clone();
                    let mut value = self.eval(*first, &process.env, row)?;
                    for (op, next) in before {
                        value = self.binary(value, *op, *next, &process.env, row)?;
                    }
                    if (number(&value, row)? != 0) == (*op == Binary::Imply) {
                        parts.push(*last);
                    }
                    continue;
                }
                let ExprKind::Rate(clock) = self.ast.exprs[*first].kind else {
                    let others = rest.iter().filter(|(op, _)| *op == Binary::And).map(|(_, part)| *part);
                    parts.extend(others.chain([*first]));
                    continue;
                };
                let row = &mut state.row.clone();
                let speed = self.num(rest[0].1, &process.env, row)?;
                if let (Val::Cell(clock, Ty::Clock), 0) = (self.eval(clock, &process.env, row)?, speed) {
                    found.insert(clock);
                }
            }
        }
        Ok(found)
    }
    /// Makes the ranks of fractions follow each other.
    fn rank(&self, state: &mut State) {
        let cap = CAP * self.unit;
        self.clocks.iter().for_each(|clock| state.row[*clock] = state.row[*clock].min(cap));
        let ranks: BTreeSet<i64> = self.clocks.iter().map(|clock| state.row[*clock] % self.unit).collect();
        let ranks: Vec<i64> = ranks.into_iter().filter(|rank| *rank > 0).collect();
        for clock in &self.clocks {
            let rank = state.row[*clock] % self.unit;
            let place = ranks.iter().position(|other| *other == rank).map_or(0, |at| at as i64 + 1);
            state.row[*clock] += place - rank;
        }
    }
    /// The priority of edges that move together: that of their channel, then the highest of the processes.
    fn level(&self, joint: &[Candidate]) -> (u32, u32) {
        let channel = joint[0].channel.and_then(|channel| self.channel_levels.get(&channel));
        let process = joint.iter().map(|candidate| self.processes[candidate.process].level).max();
        (*channel.unwrap_or(&self.default_level), process.unwrap_or_default())
    }
    pub(super) fn successors(&self, state: &State, out: &mut Reachable) -> Result<Vec<State>, Trouble> {
        let all = 0..self.processes.len();
        let hurried = all.clone().any(|process| self.committed(state, process));
        let candidates = self.candidates(state)?;
        let mut stands = all.into_iter().any(|at| self.location(state, at).kind != LocationKind::Normal);
        // What is enabled: its priority, where it leads, and whether something must or may go wrong on the way.
        let mut enabled = vec![];
        for joint in self.joints(state, &candidates)? {
            if hurried && !joint.iter().any(|candidate| self.committed(state, candidate.process)) {
                continue;
            }
            if joint.iter().any(|candidate| candidate.fault) {
                (out.fault, out.may_fault) = (true, true);
                continue;
            }
            stands |= joint[0].channel.is_some_and(|channel| self.channels[channel].0);
            if joint.len() > 1 {
                out.together += 1
            } else {
                out.alone += 1
            }
            let mut wrong = Reachable::default();
            let target = self.step(state, &joint, &mut wrong)?;
            if target.is_some() || wrong.may_fault {
                enabled.push((self.level(&joint), target, wrong.fault, wrong.may_fault));
            }
        }
        let highest = enabled.iter().map(|(level, ..)| *level).max();
        let mut next = vec![];
        for (level, target, fault, may_fault) in enabled {
            if Some(level) == highest {
                next.extend(target);
                out.fault |= fault;
                out.may_fault |= may_fault;
            } else {
                out.blocked += 1;
            }
        }
        let asked = |candidate: &Candidate| {
            let lost = candidate.channel.is_none() && self.sync(candidate).is_some();
            !hurried || lost || self.committed(state, candidate.process)
        };
        out.may_fault |= candidates.iter().any(|candidate| candidate.fault && asked(candidate));
        if !stands {
            next.extend(self.later(state, out)?);
        }
        Ok(next)
    }
}

/// Every way to go on with one of each list, if there are not too many.
fn combined(first: Vec<Candidate>, choices: &[Vec<Candidate>]) -> Result<Vec<Vec<Candidate>>, Trouble> {
    if choices.iter().fold(1, |ways: usize, list| ways.saturating_mul(list.len())) > MOST_JOINTS {
        return unable(TOO_MANY);
    }
    Ok(choices.iter().fold(vec![first], |joints, list| {
        let with = |joint: &Vec<Candidate>, one: &Candidate| [joint.clone(), vec![one.clone()]].concat();
        joints.iter().flat_map(|joint| list.iter().map(move |one| with(joint, one))).collect()
    }))
}
