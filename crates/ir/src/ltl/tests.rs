#[path = "../../testing/formulas.rs"]
mod formulas;

use proptest::prelude::*;

use super::*;
use formulas::formulas;

fn words() -> impl Strategy<Value = Lasso<u64>> {
    (proptest::collection::vec(0..8_u64, 1..7), any::<usize>()).prop_map(|(letters, back)| {
        let back = back % letters.len();
        Lasso::new(letters, back)
    })
}

/// `operator` on the atoms 0 and 1.
fn over_atoms(operator: impl Fn(Sub, Sub) -> Node) -> Formula {
    let mut builder = Builder::default();
    let (p, q) = (builder.atom(0), builder.atom(1));
    let root = builder.add(operator(p, q));
    builder.finish(root)
}

fn shown(formula: &Formula) -> String {
    formula.display(|atom| ["p", "q", "r"][atom as usize]).to_string()
}

/// The definition, position by position, looking as far ahead as positions can differ.
fn by_definition(formula: &Formula, sub: Sub, word: &Lasso<u64>, at: usize) -> bool {
    use Node::*;
    let here = |sub: Sub| by_definition(formula, sub, word, at);
    let mut ahead = vec![at];
    for _ in 0..word.letters().len() {
        ahead.push(word.after(ahead[ahead.len() - 1]));
    }
    let some = |sub: Sub| ahead.iter().any(|&at| by_definition(formula, sub, word, at));
    let every = |sub: Sub| ahead.iter().all(|&at| by_definition(formula, sub, word, at));
    let until = |f: Sub, g: Sub| {
        let first = ahead.iter().position(|&at| by_definition(formula, g, word, at));
        first.is_some_and(|end| ahead[..end].iter().all(|&at| by_definition(formula, f, word, at)))
    };
    match formula.nodes()[sub] {
        True => true,
        False => false,
        Atom(number) => word.letters()[at].has(number),
        Not(f) => !here(f),
        And(f, g) => here(f) && here(g),
        Or(f, g) => here(f) || here(g),
        Implies(f, g) => !here(f) || here(g),
        Iff(f, g) => here(f) == here(g),
        Next(f) => by_definition(formula, f, word, word.after(at)),
        Finally(f) => some(f),
        Globally(f) => every(f),
        Until(f, g) => until(f, g),
        WeakUntil(f, g) => until(f, g) || every(f),
        // The second holds up to and including the first position of the first, or everywhere.
        Release(f, g) => {
            let first = ahead.iter().position(|&at| by_definition(formula, f, word, at));
            let end = first.map_or(ahead.len(), |first| first + 1);
            ahead[..end].iter().all(|&at| by_definition(formula, g, word, at))
        }
        StrongRelease(f, g) => {
            let first = ahead.iter().position(|&at| by_definition(formula, f, word, at));
            first.is_some_and(|first| ahead[..=first].iter().all(|&at| by_definition(formula, g, word, at)))
        }
    }
}

/// In `p p q (p)^ω` and `p (p)^ω`, where `q` comes alone: an until needs its end, a weak one does not.
#[test]
fn until_needs_its_end_and_release_does_not() {
    let ended = Lasso::new(vec![0b01_u64, 0b01, 0b10, 0b01], 3);
    let endless = Lasso::new(vec![0b01_u64, 0b01], 1);
    let check = |operator: fn(Sub, Sub) -> Node, first, second| {
        let formula = over_atoms(operator);
        let text = shown(&formula);
        assert_eq!(formula.holds_on(&ended), first, "{text} on the word with an end");
        assert_eq!(formula.holds_on(&endless), second, "{text} on the word without one");
    };
    check(Node::Until, true, false);
    check(Node::WeakUntil, true, true);
    // `q R p`: p up to and including q; but where q comes, p is not.
    check(|p, q| Node::Release(q, p), false, true);
    check(|p, q| Node::StrongRelease(q, p), false, false);
    check(|p, _| Node::Globally(p), false, true);
    check(|_, q| Node::Finally(q), true, false);
    check(|p, _| Node::Next(p), true, true);
}

/// `F q` at the last position of a cycle is answered by the first: the second round backwards is needed.
#[test]
fn what_is_waited_for_may_come_in_the_next_round() {
    let mut builder = Builder::default();
    let q = builder.atom(1);
    let wait = builder.add(Node::Finally(q));
    let always = builder.add(Node::Globally(wait));
    assert!(builder.finish(always).holds_on(&Lasso::new(vec![0b01_u64, 0b10, 0b01, 0b01], 1)));
}

/// Precedence, loosest first: `<->`, `->`, `|`, `&`, `U`, prefix; `->` groups to the right, `&` and `|` to the left.
#[test]
fn parentheses_stand_where_they_are_needed() {
    let mut builder = Builder::default();
    let (p, q) = (builder.atom(0), builder.atom(1));
    let text = |builder: &Builder, root| shown(&builder.finish(root));
    let and = builder.add(Node::And(p, q));
    let left = builder.add(Node::And(and, p));
    let right = builder.add(Node::And(p, and));
    assert_eq!(text(&builder, left), "p & q & p");
    assert_eq!(text(&builder, right), "p & (p & q)");
    let or = builder.add(Node::Or(and, q));
    assert_eq!(text(&builder, or), "p & q | q");
    let until = builder.add(Node::Until(or, and));
    assert_eq!(text(&builder, until), "(p & q | q) U (p & q)");
    let implies = builder.add(Node::Implies(p, q));
    let (first, second) = (builder.add(Node::Implies(implies, p)), builder.add(Node::Implies(p, implies)));
    assert_eq!(text(&builder, first), "(p -> q) -> p");
    assert_eq!(text(&builder, second), "p -> p -> q");
    let not = builder.add(Node::Not(until));
    let next = builder.add(Node::Next(not));
    assert_eq!(text(&builder, next), "X !((p & q | q) U (p & q))");
    let inner = builder.add(Node::WeakUntil(p, q));
    let chain = builder.add(Node::Release(p, inner));
    assert_eq!(text(&builder, chain), "p R (p W q)");
}

/// A formula is what its tree is, however it was built.
#[test]
fn equal_trees_are_equal_formulas() {
    let mut other = Builder::default();
    let (unused, q, p) = (other.atom(7), other.atom(1), other.atom(0));
    other.add(Node::Next(unused));
    let root = other.add(Node::Until(p, q));
    assert_eq!(other.finish(root), over_atoms(Node::Until));
    assert_ne!(other.finish(root), over_atoms(|p, q| Node::Until(q, p)));
    assert_eq!(other.finish(root).atoms(), 2);
}

/// 200,000 operators deep, with every second copy shared: nothing recurs, nothing is copied.
#[test]
fn deep_formulas_need_no_deep_stack() {
    let mut builder = Builder::default();
    let mut top = builder.atom(0);
    for _ in 0..100_000 {
        let not = builder.add(Node::Not(top));
        top = builder.add(Node::Iff(not, top));
    }
    let formula = builder.finish(top);
    assert_eq!(formula.nodes().len(), 200_001);
    // `!f <-> f` is false, whatever f is.
    assert!(!formula.holds_on(&Lasso::new(vec![0_u64], 0)));
    assert!(formula.negated().nnf().holds_on(&Lasso::new(vec![1_u64], 0)));
    let mut chain = builder.atom(0);
    for _ in 0..200_000 {
        chain = builder.add(Node::Next(chain));
    }
    assert_eq!(shown(&builder.finish(chain)).len(), 400_001);
}

proptest! {
    #![proptest_config(sampling::runs(2_000, 1))]

    #[test]
    fn fixpoints_are_what_the_definition_says(formula in formulas(3, 6), word in words()) {
        prop_assume!(formula.nodes().len() < 9);
        let expected = by_definition(&formula, formula.root(), &word, 0);
        prop_assert_eq!(formula.holds_on(&word), expected, "{} on {:?}", shown(&formula), word);
    }

    #[test]
    fn the_normal_form_means_the_same(formula in formulas(3, 24), word in words()) {
        let nnf = formula.nnf();
        for &node in nnf.nodes().iter() {
            let normal = match node {
                Node::Not(f) => matches!(nnf.nodes()[f], Node::Atom(_)),
                Node::Implies(..) | Node::Iff(..) | Node::Finally(_) | Node::Globally(_) => false,
                Node::WeakUntil(..) | Node::StrongRelease(..) => false,
                _ => true,
            };
            prop_assert!(normal, "{:?}", node);
        }
        prop_assert!(nnf.nodes().len() <= 6 * formula.nodes().len());
        prop_assert_eq!(nnf.holds_on(&word), formula.holds_on(&word));
        prop_assert_eq!(formula.negated().nnf().holds_on(&word), !formula.holds_on(&word));
    }
}
