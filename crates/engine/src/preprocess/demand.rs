//! Which variables are needed at the beginning of updates, given which are needed behind them.
//!
//! Every place where an update sets a variable is a *definition*, and so is the value that each variable has when
//! the update begins. A definition *asks* for those that its value is made of, where branches meet for those of
//! either side, and within a branch for what its condition reads, since that decides whether it happens. What
//! assumptions read is needed; so is what the branches around these, and around delays, read. The value that a
//! variable has at the end of an update is needed if it is needed at the beginning of another.
//!
//! So the needed definitions are those that can be reached from the needed ones, and each is looked at once: the
//! work grows with the length of the updates, and not with the number of variables that are live at a time. A loop
//! needs whatever it mentions.
//!
//! This may call more needed than liveness does, never less: sides of a branch that do the same once dead values are
//! left out are taken for different.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Stmt, StmtNode, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::stop::Stop;

/// Those of `candidates` that no update needs at its beginning if nothing but the others is needed behind all of
/// them; none if there is not the time to find out.
pub(super) fn unneeded(
    terms: &Terms,
    updates: &[Stmt],
    mut candidates: FxHashSet<VarId>,
    stop: &Stop,
) -> FxHashSet<VarId> {
    let mut graph = Graph::new(terms, stop);
    for stmt in updates {
        graph.walk(*stmt, None);
        for (var, last) in graph.now.drain() {
            graph.ends.entry(var).or_default().push(last);
        }
        graph.trail.clear();
    }
    let mut waiting = std::mem::take(&mut graph.needed);
    for (var, ends) in &graph.ends {
        if !candidates.contains(var) {
            waiting.extend(ends);
        }
    }
    let mut seen = vec![false; graph.asks.len()];
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        waiting.extend(&graph.asks[at as usize]);
        if let Some(var) = graph.begins.get(&at)
            && candidates.remove(var)
        {
            waiting.extend(graph.ends.get(var).into_iter().flatten());
        }
    }
    if stop.requested() { FxHashSet::default() } else { candidates }
}

/// The definitions of updates.
struct Graph<'a> {
    terms: &'a Terms,
    stop: &'a Stop,
    /// What each definition asks for.
    asks: Vec<Vec<u32>>,
    /// The values that variables have when an update begins.
    first: FxHashMap<VarId, u32>,
    begins: FxHashMap<u32, VarId>,
    /// The definitions that hold now, of variables that have been set, and what has been changed in that.
    now: FxHashMap<VarId, u32>,
    trail: Vec<(VarId, Option<u32>)>,
    /// The definitions that hold at the ends of updates which set a variable.
    ends: FxHashMap<VarId, Vec<u32>>,
    needed: Vec<u32>,
}

impl<'a> Graph<'a> {
    fn new(terms: &'a Terms, stop: &'a Stop) -> Self {
        Graph {
            terms,
            stop,
            asks: vec![],
            first: FxHashMap::default(),
            begins: FxHashMap::default(),
            now: FxHashMap::default(),
            trail: vec![],
            ends: FxHashMap::default(),
            needed: vec![],
        }
    }
    fn define(&mut self, asks: Vec<u32>) -> u32 {
        self.asks.push(asks);
        (self.asks.len() - 1) as u32
    }
    /// The definition of a variable that holds now.
    fn current(&mut self, var: VarId) -> u32 {
        if let Some(known) = self.now.get(&var).or_else(|| self.first.get(&var)) {
            return *known;
        }
        let at = self.define(vec![]);
        self.first.insert(var, at);
        self.begins.insert(at, var);
        at
    }
    fn read(&mut self, term: Term, around: Option<u32>) -> Vec<u32> {
        let vars = self.terms.vars_of(term);
        vars.into_iter().map(|var| self.current(var)).chain(around).collect()
    }
    fn set(&mut self, var: VarId, asks: Vec<u32>) {
        let at = self.define(asks);
        self.trail.push((var, self.now.insert(var, at)));
    }
    /// Executes a statement within a branch.
    fn walk(&mut self, stmt: Stmt, around: Option<u32>) {
        if self.stop.requested() {
            return;
        }
        let terms = self.terms;
        match terms.stmt(stmt) {
            StmtNode::Skip => {}
            StmtNode::Delay => self.needed.extend(around),
            StmtNode::Assume(condition) => {
                let asks = self.read(*condition, around);
                self.needed.extend(asks);
            }
            StmtNode::Assign(var, value) => {
                let asks = self.read(*value, around);
                self.set(*var, asks);
            }
            StmtNode::Havoc(var) => self.set(*var, around.into_iter().collect()),
            StmtNode::Seq(parts) => parts.iter().for_each(|part| ir::deep(|| self.walk(*part, around))),
            StmtNode::Choice(parts) => self.either(parts, around),
            StmtNode::If(condition, then, otherwise) => {
                let asks = self.read(*condition, around);
                let branch = self.define(asks);
                self.either(&[*then, *otherwise], Some(branch));
            }
            StmtNode::For { .. } | StmtNode::While(..) => {
                for var in mentioned(terms, stmt) {
                    let at = self.current(var);
                    self.needed.push(at);
                }
                self.needed.extend(around);
            }
        }
    }
    /// Executes one of several statements.
    fn either(&mut self, parts: &[Stmt], around: Option<u32>) {
        let mut sides: BTreeMap<VarId, Vec<u32>> = BTreeMap::new();
        for part in parts {
            let start = self.trail.len();
            ir::deep(|| self.walk(*part, around));
            let written: BTreeSet<VarId> = self.trail[start..].iter().map(|(var, _)| *var).collect();
            for var in written {
                sides.entry(var).or_default().push(self.now[&var]);
            }
            for (var, before) in self.trail.drain(start..).rev() {
                match before {
                    Some(before) => self.now.insert(var, before),
                    None => self.now.remove(&var),
                };
            }
        }
        for (var, mut asks) in sides {
            // Not all of them set it.
            if asks.len() < parts.len() {
                let before = self.current(var);
                asks.push(before);
            }
            self.set(var, asks);
        }
    }
}

/// The variables that a statement has anything to do with.
pub(super) fn mentioned(terms: &Terms, stmt: Stmt) -> FxHashSet<VarId> {
    let mut result = FxHashSet::default();
    terms.for_each_substmt(stmt, |part| {
        let node = terms.stmt(part);
        result.extend(node.written());
        node.for_each_term(|term| result.extend(terms.vars_of(term)));
    });
    result
}
