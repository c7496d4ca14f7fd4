//! What of a timed system decides who is asked first.
//!
//! Looked at is what preprocessing leaves for zones: a clock, an input or a difference that decides nothing makes
//! no search slow. What stands in statements, guards, invariants and the questions counts, and nothing else
//! of the arena.
//!
//! That clocks are only compared in guards, set to nothing but 0 and not asked about is not looked for: zones are as
//! large and as many then, and paths without clocks show after few states where clocks do not matter.

use std::fmt;

use ir::{Id, Node, Question, Scope, Stmt, StmtNode, System, Term, Type, VarId};
use rustc_hash::FxHashSet;

use crate::config::Engine;

/// What a timed system contains, and what is asked of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Clocks that somebody reads.
    pub clocks: usize,
    /// Of these, those that the user wrote; others are made for limits of time.
    pub shown: usize,
    /// Variables that statements make arbitrary.
    pub inputs: usize,
    /// Whether differences of clocks are compared.
    pub differences: bool,
    /// Whether there are clocks that zones cannot follow.
    pub uneven: bool,
    /// The most comparisons and changes of clocks in one update.
    pub operations: usize,
    /// Whether there is one process only, so that much of control may be in data.
    pub alone: bool,
}

/// In which order engines are asked about a timed system, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// What is left of the system for zones, which decides the order.
    pub contents: Contents,
    /// How many clocks the user declared.
    pub declared: usize,
    /// The engines in order; one that comes again is named again.
    pub engines: Vec<Engine>,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: usize, what: &str| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let Contents { shown, inputs, differences, .. } = self.contents;
        let clocks = match self.declared {
            all if all > shown => format!("{shown} of {}", count(all, "clock")),
            all => count(all, "clock"),
        };
        let differences = if differences { " with differences" } else { "" };
        let names: Vec<String> = self.engines.iter().map(Engine::to_string).collect();
        write!(f, "{clocks}{differences} and {}: {}", count(inputs, "input"), names.join(", "))
    }
}

impl Contents {
    pub(super) fn of(system: &System, questions: &[Question]) -> Self {
        let terms = &system.terms;
        let mut inputs: FxHashSet<VarId> = FxHashSet::default();
        let mut looked_at: Vec<Term> = questions.iter().flat_map(Question::conditions).collect();
        let mut operations = 0;
        let clocks = Clocks::of_all(system);
        for process in system.processes.iter() {
            looked_at.extend(process.locations.iter().map(|location| location.invariant));
            for edge in process.edges.iter() {
                let mut here = vec![edge.guard];
                let mut changes = 0;
                for stmt in [Some(edge.update.stmt), edge.update.fault].into_iter().flatten() {
                    terms.for_each_substmt(stmt, |part| {
                        match terms.stmt(part) {
                            StmtNode::Havoc(var) if system.vars[*var].scope == Scope::State => {
                                inputs.insert(*var);
                            }
                            _ => changes += usize::from(changes_clocks(system, part)),
                        }
                        terms.stmt(part).for_each_term(|term| here.push(term));
                    });
                }
                let compared =
                    comparisons(system, &clocks, &here).filter(|about| *about != Clocks::None).count();
                operations = operations.max(changes + compared);
                looked_at.append(&mut here);
            }
        }
        // The last clock stays where time passes, even if nobody reads it.
        let read = read_clocks(system, &looked_at);
        Contents {
            clocks: read.len(),
            shown: read.iter().filter(|clock| system.vars[**clock].shown).count(),
            inputs: inputs.len(),
            differences: comparisons(system, &clocks, &looked_at).any(|about| about == Clocks::Several),
            uneven: ir::uneven_clock(system).is_some(),
            operations,
            alone: system.processes.len() == 1,
        }
    }
}

fn is_clock(system: &System, var: VarId) -> bool {
    system.terms.var_type(var) == Type::Clock
}

fn changes_clocks(system: &System, stmt: Stmt) -> bool {
    match system.terms.stmt(stmt) {
        StmtNode::Delay => true,
        StmtNode::Assign(var, _) | StmtNode::Havoc(var) => is_clock(system, *var),
        _ => false,
    }
}

/// The clocks that terms are about.
fn read_clocks(system: &System, roots: &[Term]) -> FxHashSet<VarId> {
    let mut clocks = FxHashSet::default();
    let everything = subterms(system, roots);
    clocks.extend(everything.filter_map(|term| match system.terms.node(term) {
        Node::Var(var, _) if is_clock(system, *var) => Some(*var),
        _ => None,
    }));
    clocks
}

/// The clocks that the value of a term depends on, as far as anybody wants to know.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Clocks {
    None,
    One(VarId),
    Several,
}

impl Clocks {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Clocks::None, clocks) | (clocks, Clocks::None) => clocks,
            (a, b) if a == b => a,
            _ => Clocks::Several,
        }
    }
    /// For every term, the clocks that it depends on by values, and not by conditions only. Children come before parents.
    fn of_all(system: &System) -> Vec<Clocks> {
        let terms = &system.terms;
        let mut list: Vec<Clocks> = Vec::with_capacity(terms.len());
        for term in (0..terms.len()).map(Term::at) {
            let mut clocks = Clocks::None;
            match terms.node(term) {
                Node::Var(var, _) if is_clock(system, *var) => clocks = Clocks::One(*var),
                node => node.for_each_child(|child| {
                    if terms.type_of(child) != Type::Bool {
                        clocks = clocks.and(list[child.index()]);
                    }
                }),
            }
            list.push(clocks);
        }
        list
    }
}

/// For every comparison of numbers in `roots`, once: which clocks it is about.
fn comparisons(system: &System, clocks: &[Clocks], roots: &[Term]) -> impl Iterator<Item = Clocks> {
    let terms = &system.terms;
    subterms(system, roots).filter_map(|term| match terms.node(term) {
        Node::Lt(a, b) | Node::Le(a, b) | Node::Eq(a, b) if terms.type_of(*a) != Type::Bool => {
            Some(clocks[a.index()].and(clocks[b.index()]))
        }
        _ => None,
    })
}

/// Everything that terms consist of, once.
fn subterms(system: &System, roots: &[Term]) -> impl Iterator<Item = Term> {
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    std::iter::from_fn(move || {
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                system.terms.node(term).for_each_child(|child| stack.push(child));
                return Some(term);
            }
        }
        None
    })
}
