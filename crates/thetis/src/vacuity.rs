//! Vacuity: a temporal property that holds because what it is about never happens.
//!
//! A formula holds *vacuously* if it still holds with a part that should matter replaced by `false` (Beer, Ben-David, Eisner and
//! Rodeh 1997; Kupferman and Vardi 2003). The parts that are looked at are the consequents of implications, and what a weak
//! until waits for. Where they stand decides what follows:
//! - `G (p -> q)`, alone or in a conjunction: that `p` never holds, which is what is told; of `p W q` also without the `G`;
//! - below `X`, or where something else must be so first, as in `G (r -> X (p -> q))`: only that `q` does not matter;
//! - elsewhere nothing is looked at. `F (p -> q)` holds if there is a state without `p`, as whoever writes that may mean,
//!   and what occurs under a negation would make the formula weaker.

use std::fmt;

use engine::{Config, Quiet, Stop};
use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{Claim, IdVec, PathClaim, PathWords, Property, System, Term};

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
    /// This, a formula over the states of the system, never holds.
    Never(String),
    /// With `false` for this, it would hold as well.
    Needless(String),
    /// No run is fair.
    Unfair,
}

impl fmt::Display for Vacuous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vacuous::Never(what) => write!(f, "{what} never holds"),
            Vacuous::Needless(what) => write!(f, "it would hold as well with `false` for `{what}`"),
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
    // Fairness is the antecedent of all that is claimed, and reads what nobody else does.
    let hidden = |atom: &Term| {
        let mut found = false;
        system.terms.for_each_subterm(*atom, |part| {
            found |= matches!(system.terms.node(part), ir::Node::Var(var, _) if !system.vars[*var].shown);
        });
        found
    };
    let about_fairness = |antecedent: &Formula| {
        let read = |node: &Node| matches!(node, Node::Atom(atom) if hidden(&atoms[*atom as usize]));
        !scope.fair.is_empty() && antecedent.nodes().iter().any(read)
    };
    let shown = |formula: &Formula| {
        let name = |atom: u32| format!("({})", system.show(atoms[atom as usize]));
        match formula.nodes()[formula.root()] {
            Node::Atom(atom) => system.show(atoms[atom as usize]).to_string(),
            _ => formula.display(name).to_string(),
        }
    };
    for Part { found, outermost, stronger } in parts(formula, &about_fairness).into_iter().take(MOST_PARTS) {
        let mut system = system.clone();
        let words = PathWords::Satisfy(stronger);
        let path = system.paths.push(PathClaim { words, atoms: atoms.clone(), undefined: *undefined });
        let property = Property { claim: Claim::Every(path), ..property.clone() };
        let judged = decide(&mut system, &property, &config, true, stop, &mut Quiet);
        if let Ok(Verdict { answer: Decided::Holds, .. }) = judged.result {
            return Some(match found {
                Finding::Needless(antecedent, _) if outermost && about_fairness(&antecedent) => {
                    Vacuous::Unfair
                }
                Finding::Never(antecedent) => Vacuous::Never(shown(&antecedent)),
                Finding::Needless(_, part) => Vacuous::Needless(shown(&part)),
            });
        }
    }
    None
}

/// A part of a formula that should matter.
struct Part {
    /// What is found out if it does not.
    found: Finding,
    /// Whether it is a part of the formula itself, and of no other part.
    outermost: bool,
    /// The formula with `false` in its place.
    stronger: Formula,
}

/// What follows if a formula holds with `false` for a part of it.
enum Finding {
    /// This never holds.
    Never(Formula),
    /// If this holds, where it is looked at, then not because of the second.
    Needless(Formula, Formula),
}

/// Where a part of a formula is looked at.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Context {
    /// Where it need not hold, or under a negation.
    Elsewhere,
    /// In some states of a run.
    Sometimes,
    /// In its first state.
    First,
    /// In every state.
    Always,
}

/// The parts of a formula that should matter, the outermost first.
fn parts(formula: &Formula, about_fairness: &dyn Fn(&Formula) -> bool) -> Vec<Part> {
    let contexts = contexts(formula, about_fairness);
    let part = |sub: Sub, negated: bool| {
        let mut builder = Builder::default();
        let copies = copied(&mut builder, formula, None);
        let root = match (negated, builder.node(copies[sub])) {
            (false, _) => copies[sub],
            (true, Node::Not(inner)) => inner,
            (true, _) => builder.add(Node::Not(copies[sub])),
        };
        builder.finish(root)
    };
    let mut list = vec![];
    for (sub, node) in formula.nodes().entries() {
        let (when, then, found) = match (*node, contexts[sub]) {
            (_, Context::Elsewhere) => continue,
            (Node::Implies(f, g), Context::Always) => (f, g, Finding::Never(part(f, false))),
            (Node::WeakUntil(f, g), Context::Always | Context::First) => {
                (f, g, Finding::Never(part(f, true)))
            }
            (Node::Implies(f, g) | Node::WeakUntil(f, g), _) => {
                (f, g, Finding::Needless(part(f, false), part(g, false)))
            }
            _ => continue,
        };
        // Where both operands are the same, it is not the antecedent alone that matters.
        if when == then || formula.nodes()[then] == Node::False {
            continue;
        }
        let mut builder = Builder::default();
        let copies = copied(&mut builder, formula, Some((sub, then)));
        let stronger = builder.finish(copies[formula.root()]);
        list.push(Part { found, outermost: sub == formula.root(), stronger });
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

/// Where each sub-formula is looked at: of its occurrences, the one of which least is known decides. What is claimed of fair
/// runs is looked at where the whole is, for no others count.
fn contexts(formula: &Formula, about_fairness: &dyn Fn(&Formula) -> bool) -> IdVec<Sub, Context> {
    let mut contexts: IdVec<Sub, Context> = formula.nodes().iter().map(|_| Context::Always).collect();
    let root = formula.root();
    contexts[root] = Context::First;
    let is_fair = |antecedent: Sub| {
        let mut builder = Builder::default();
        let copies = copied(&mut builder, formula, None);
        about_fairness(&builder.finish(copies[antecedent]))
    };
    // Parents come after their children.
    for (sub, node) in formula.nodes().entries().collect::<Vec<_>>().into_iter().rev() {
        let here = contexts[sub];
        let mut looked_at = |child: Sub, context: Context| contexts[child] = contexts[child].min(context);
        match *node {
            Node::And(f, g) => [f, g].into_iter().for_each(|child| looked_at(child, here)),
            Node::Globally(f) => looked_at(f, if here == Context::First { Context::Always } else { here }),
            Node::Next(f) => looked_at(f, here.min(Context::Sometimes)),
            Node::Implies(f, g) => {
                looked_at(f, Context::Elsewhere);
                let fair = sub == root && is_fair(f);
                looked_at(g, if fair { here } else { here.min(Context::Sometimes) });
            }
            Node::WeakUntil(f, g) => {
                looked_at(f, here.min(Context::Sometimes));
                looked_at(g, Context::Elsewhere);
            }
            other => other.children().for_each(|child| looked_at(child, Context::Elsewhere)),
        }
    }
    contexts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    /// What is said of `n`, which goes from 0 to 2 and back for ever, and of `q`, which is true and false in turn.
    fn found(text: &str) -> Option<String> {
        let source = "var n : integer = 0 var q : boolean = false \
                      trans { n := (n + 1) % 3; q := !q; } init { } env { }";
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
        // In a conjunction, and without what is said of other states.
        assert_eq!(found("G F q & G (n == 5 -> X q)").as_deref(), Some("n == 5 never holds"));
        // Nothing is conditional here.
        assert_eq!(found("G F (n == 0)"), None);
        // The implication is negated: its consequent makes the formula weaker.
        assert_eq!(found("!G (n == 1 -> n == 2)"), None);
    }

    /// In all of these, what the implication depends on does hold some time.
    #[test]
    fn what_holds_elsewhere_is_not_said_never_to() {
        let needless = |part: &str| Some(format!("it would hold as well with `false` for `{part}`"));
        // `n` is 1 in the fourth state that is read, and 0 in others.
        assert_eq!(found("X X X (n == 0 -> F q)"), needless("F (q)"));
        assert_eq!(found("q -> F (n == 1)"), needless("F (n == 1)"));
        assert_eq!(found("G (n == 1 -> G (n == 7 -> F (n == 0)))"), needless("F (n == 0)"));
        assert_eq!(found("G (n == 1 -> (n < 5 W q))"), needless("q"));
        // Some state without the antecedent is enough, and may be meant.
        assert_eq!(found("F (q -> G (n == 1))"), None);
        assert_eq!(found("F (n == 1 -> F (n == 9))"), None);
        assert_eq!(found("F G (n == 5 -> F q) | q"), None);
        assert_eq!(found("n < 2 U (q -> F (n == 9))"), None);
    }
}
