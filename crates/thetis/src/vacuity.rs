//! Vacuity: a temporal property that holds because what it is about never happens.
//!
//! A formula holds *vacuously* if it still holds with a part that should matter replaced by `false` (Beer, Ben-David, Eisner and
//! Rodeh 1997; Kupferman and Vardi 2003). The parts that are looked at are the consequents of implications, and what a weak
//! until waits for, where they occur positively, so that replacing them makes the formula stronger: if `G (p -> F q)` holds,
//! and `G (p -> false)` does, then `p` never happens and nothing has been said about `q`. The antecedent is what is told.

use std::fmt;

use engine::{Config, Quiet, Stop};
use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{Claim, Id, IdVec, PathClaim, PathWords, Property, System, Term};

use crate::decide::decide;
use crate::pose::Scope;
use crate::verdict::{Decided, Verdict};

/// States that a search may store to find out.
const MOST_STATES: u64 = 20_000;
/// Successors that it may compute.
const MOST_STEPS: u64 = 200_000;
/// Questions that it may put to a solver.
const MOST_CALLS: u64 = 50;
/// Parts of a formula that are looked at.
const MOST_PARTS: usize = 4;

/// Why a property holds vacuously.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vacuous {
    /// This, a formula over the states of the system, never holds where it is looked at.
    Never(String),
    /// No run is fair.
    Unfair,
}

impl fmt::Display for Vacuous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vacuous::Never(what) => write!(f, "{what} never holds"),
            Vacuous::Unfair => f.write_str("no run is fair"),
        }
    }
}

/// Why a property that holds does so vacuously, if that is found out with little effort; it was posed in this scope.
pub fn vacuous(
    system: &System,
    property: &Property,
    scope: &Scope,
    config: &Config,
    stop: &Stop,
) -> Option<Vacuous> {
    let Claim::Every(path) = property.claim else { return None };
    let PathClaim { words: PathWords::Satisfy(formula), atoms, undefined } = &system.paths[path] else {
        return None;
    };
    let config = Config {
        state_limit: Some(config.state_limit.map_or(MOST_STATES, |limit| limit.min(MOST_STATES))),
        step_limit: Some(config.step_limit.map_or(MOST_STEPS, |limit| limit.min(MOST_STEPS))),
        call_limit: Some(config.call_limit.map_or(MOST_CALLS, |limit| limit.min(MOST_CALLS))),
        ..config.clone()
    };
    for (at, Part { antecedent, stronger }) in parts(formula).into_iter().take(MOST_PARTS).enumerate() {
        let mut system = system.clone();
        let words = PathWords::Satisfy(stronger);
        let path = system.paths.push(PathClaim { words, atoms: atoms.clone(), undefined: *undefined });
        let property = Property { claim: Claim::Every(path), ..property.clone() };
        let judged = decide(&mut system, &property, &config, true, stop, &mut Quiet);
        if let Ok(Verdict { answer: Decided::Holds, .. }) = judged.result {
            // Fairness is the antecedent of all that is claimed, and reads what nobody else does.
            let hidden = |atom: &Term| {
                let mut found = false;
                system.terms.for_each_subterm(*atom, |part| {
                    found |= matches!(system.terms.node(part), ir::Node::Var(var, _) if !system.vars[*var].shown);
                });
                found
            };
            let read = |node: &Node| matches!(node, Node::Atom(atom) if hidden(&atoms[*atom as usize]));
            if at == 0 && !scope.fair.is_empty() && antecedent.nodes().iter().any(read) {
                return Some(Vacuous::Unfair);
            }
            let name = |atom: u32| format!("({})", system.show(atoms[atom as usize]));
            let shown = match antecedent.nodes()[antecedent.root()] {
                Node::Atom(atom) => system.show(atoms[atom as usize]).to_string(),
                _ => antecedent.display(name).to_string(),
            };
            return Some(Vacuous::Never(shown));
        }
    }
    None
}

/// A part of a formula that should matter.
struct Part {
    /// When it does.
    antecedent: Formula,
    /// The formula with `false` in its place.
    stronger: Formula,
}

/// The parts of a formula that should matter, the outermost first.
fn parts(formula: &Formula) -> Vec<Part> {
    let positive = positive(formula);
    let mut list = vec![];
    for (sub, node) in formula.nodes().entries() {
        let (when, then, negated) = match *node {
            Node::Implies(f, g) => (f, g, false),
            Node::WeakUntil(f, g) => (f, g, true),
            _ => continue,
        };
        // Where both operands are the same, it is not the antecedent alone that matters.
        if !positive[sub] || when == then || formula.nodes()[then] == Node::False {
            continue;
        }
        let mut builder = Builder::default();
        let copies = copied(&mut builder, formula, Some((sub, then)));
        let stronger = builder.finish(copies[formula.root()]);
        let mut builder = Builder::default();
        let copies = copied(&mut builder, formula, None);
        let antecedent = match (negated, builder.node(copies[when])) {
            (false, _) => copies[when],
            (true, Node::Not(inner)) => inner,
            (true, _) => builder.add(Node::Not(copies[when])),
        };
        list.push(Part { antecedent: builder.finish(antecedent), stronger });
    }
    list.reverse();
    list
}

/// The sub-formulas in a builder, with `false` for one operand of one of them.
fn copied(builder: &mut Builder, formula: &Formula, without: Option<(Sub, Sub)>) -> IdVec<Sub, Sub> {
    let never = builder.constant(false);
    let mut copies: IdVec<Sub, Sub> = IdVec::new();
    for (sub, node) in formula.nodes().entries() {
        let dropped = |child: Sub| without.is_some_and(|(at, operand)| at == sub && operand == child);
        let copy = builder.add(node.map(|child| if dropped(child) { never } else { copies[child] }));
        copies.push(copy);
    }
    copies
}

/// Whether each sub-formula occurs under an even number of negations only.
fn positive(formula: &Formula) -> IdVec<Sub, bool> {
    let count = formula.nodes().len();
    let (mut yes, mut no) = (vec![false; count], vec![false; count]);
    yes[count - 1] = true;
    // Parents come after their children.
    for (sub, node) in formula.nodes().entries().collect::<Vec<_>>().into_iter().rev() {
        let (up, down) = (yes[sub.index()], no[sub.index()]);
        let mut occurs = |child: Sub, up: bool, down: bool| {
            yes[child.index()] |= up;
            no[child.index()] |= down;
        };
        match *node {
            Node::Not(f) => occurs(f, down, up),
            Node::Implies(f, g) => {
                occurs(f, down, up);
                occurs(g, up, down);
            }
            Node::Iff(f, g) => [f, g].into_iter().for_each(|child| occurs(child, true, true)),
            other => other.children().for_each(|child| occurs(child, up, down)),
        }
    }
    yes.into_iter().zip(no).map(|(yes, no)| yes && !no).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    fn found(text: &str) -> Option<String> {
        // `n` goes from 0 to 2 and back for ever.
        let source = "var n : integer = 0 trans { n := (n + 1) % 3; } init { } env { }";
        let mut model = Model::from_text("m.xsts", source).unwrap();
        let question = model.ask(&format!("ltl: {text}")).unwrap();
        let system = &model.lowered.system;
        let found = vacuous(system, &question.property, &Scope::default(), &Config::default(), &Stop::new());
        found.map(|why| why.to_string())
    }

    #[test]
    fn what_never_happens_is_told() {
        assert_eq!(found("G (n == 5 -> F (n == 0))").as_deref(), Some("n == 5 never holds"));
        // `n == 5` never holds, so it need not come after `n == 1`.
        assert_eq!(found("n != 5 W n == 1").as_deref(), Some("n == 5 never holds"));
        // After every 1 there is a 2.
        assert_eq!(found("G (n == 1 -> F (n == 2))"), None);
        // The inner antecedent never holds after the outer one, which does.
        assert!(found("G (n == 1 -> G (n == 7 -> F (n == 0)))").is_some());
        // Nothing is conditional here.
        assert_eq!(found("G F (n == 0)"), None);
        // The implication is negated: its consequent makes the formula weaker.
        assert_eq!(found("!G (n == 1 -> n == 2)"), None);
    }
}
