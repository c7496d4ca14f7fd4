//! Automata against the meaning of formulas on lassos.

extern crate thetis_ltl as ltl;

#[path = "../../ir/testing/formulas.rs"]
mod formulas;

use ir::ltl::{Builder, Formula, Lasso, Node};
use ltl::hoa::{self, Hoa};
use ltl::parse::{Names, parse};
use ltl::tableau::{Limits, tableau};
use ltl::word::{accepts, example, is_empty};
use ltl::{Automaton, TooLarge};
use proptest::prelude::*;
use sampling::{check, runs};

use formulas::formulas;

fn words() -> impl Strategy<Value = Vec<Lasso<u64>>> {
    let word = (proptest::collection::vec(0..8_u64, 1..6), any::<usize>()).prop_map(|(letters, back)| {
        let back = back % letters.len();
        Lasso::new(letters, back)
    });
    proptest::collection::vec(word, 6)
}

fn shown(formula: &Formula) -> String {
    formula.display(|atom| format!("p{atom}")).to_string()
}

/// The reduced automaton, one with a single acceptance set, and the tableau itself.
fn automata(formula: &Formula) -> Result<[Automaton; 3], TooLarge> {
    let plain = tableau(formula, Limits { states: 300, edges: 300 })?;
    let reduced = ltl::reduce::reduce(plain.clone());
    let one = ltl::degeneralise::degeneralise(&reduced);
    assert_eq!(one.sets(), 1);
    Ok([plain, reduced, one])
}

/// A word is accepted by the automata of the formula if it satisfies it, and by those of its negation if not; what they
/// give as examples is accepted by the right one; and no word is accepted by both.
fn agrees(formula: &Formula, words: &[Lasso<u64>]) -> Result<(), String> {
    let negated = formula.negated();
    // Formulas that are too large are left to the nightly campaign's larger number of others.
    let (Ok(yes), Ok(no)) = (automata(formula), automata(&negated)) else { return Ok(()) };
    for word in words {
        let holds = formula.holds_on(word);
        for (positive, negative) in yes.iter().zip(&no) {
            if accepts(positive, word) != holds || accepts(negative, word) == holds {
                return Err(format!("{}: {holds} on {word:?}\n{positive}\n{negative}", shown(formula)));
            }
        }
    }
    for (automaton, expected) in yes.iter().map(|one| (one, true)).chain(no.iter().map(|one| (one, false))) {
        match example(automaton) {
            Some(word) if formula.holds_on(&word) != expected => {
                return Err(format!("{}: {expected} is not so on {word:?}", shown(formula)));
            }
            Some(_) => {}
            None => assert!(is_empty(automaton)),
        }
    }
    // What is written in the Hanoi format reads back.
    for automaton in yes.iter().chain(&no) {
        let names = (0..automaton.atoms()).map(|atom| format!("p{atom}")).collect();
        let written = Hoa { automaton: automaton.clone(), names, places: vec![], name: None }.to_string();
        let back = hoa::read(&written).map_err(|error| error.to_string())?;
        if back.to_string() != written {
            return Err(format!("{written}\nis read as\n{back}"));
        }
    }
    let both = ltl::product::product(&yes[1], &no[1]).map_err(|error| error.to_string())?;
    if !is_empty(&both) {
        return Err(format!("{} and its negation: {:?}", shown(formula), example(&both)));
    }
    Ok(())
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let cases = (formulas(3, 9), words());
    let show = |(formula, words): &(Formula, Vec<Lasso<u64>>)| format!("{}\n{words:?}", shown(formula));
    let mut runs = runs(2_000, 17);
    // Formulas are cheap, so that a campaign can ask for more of them than of other cases.
    if let Some(formulas) = std::env::var("LTL_FORMULAS").ok().and_then(|number| number.parse().ok()) {
        runs.cases = formulas;
    }
    check(runs, &cases, show, |(formula, words)| agrees(&formula, &words));
}

/// Whether no word with this prefix satisfies the formula: whether nothing satisfies it together with the prefix, written
/// as a formula.
fn is_bad(formula: &Formula, prefix: &[u64]) -> bool {
    let mut builder = Builder::default();
    let mut all = builder.graft(formula, Builder::atom);
    for (position, letter) in prefix.iter().enumerate() {
        for atom in 0..3 {
            let mut literal = builder.atom(atom);
            if letter >> atom & 1 == 0 {
                literal = builder.add(Node::Not(literal));
            }
            let there = (0..position).fold(literal, |inner, _| builder.add(Node::Next(inner)));
            all = builder.add(Node::And(all, there));
        }
    }
    is_empty(&tableau(&builder.finish(all), Limits::default()).expect("a small automaton"))
}

/// The automaton of violations accepts what violates the formula, and shows exactly the bad prefixes.
fn shows_bad_prefixes(formula: &Formula, words: &[Lasso<u64>]) -> Result<(), String> {
    let Ok(violations) = ltl::classify::violations(formula) else { return Ok(()) };
    let automaton = &violations.automaton;
    let complain = |what: &str, word: &[u64]| Err(format!("{} {what} {word:?}\n{automaton}", shown(formula)));
    for word in words {
        if accepts(automaton, word) == formula.holds_on(word) {
            return complain("is wrong on", word.letters());
        }
        let mut states = vec![automaton.initial()];
        for (position, letter) in word.letters().iter().enumerate() {
            let universal = states.iter().any(|&state| violations.universal[state]);
            if violations.exact && universal != is_bad(formula, &word.letters()[..position]) {
                return complain("after", &word.letters()[..position]);
            }
            let edges = states.iter().flat_map(|&state| automaton.outgoing(state));
            let next = edges.filter(|edge| automaton.guards().holds(edge.guard, letter));
            states = next.map(|edge| edge.target).collect();
            states.sort_unstable();
            states.dedup();
        }
    }
    let terminal = ltl::classify::is_terminal(automaton);
    if violations.safety && !terminal { complain("is a safety property", &[]) } else { Ok(()) }
}

#[test]
fn violations_show_bad_prefixes() {
    let cases = (formulas(3, 9), words());
    let show = |(formula, words): &(Formula, Vec<Lasso<u64>>)| format!("{}\n{words:?}", shown(formula));
    let small = |formula: &Formula| automata(formula).is_ok() && automata(&formula.negated()).is_ok();
    check(runs(500, 23), &cases, show, |(formula, words)| match small(&formula) {
        true => shows_bad_prefixes(&formula, &words),
        false => Ok(()),
    });
}

fn read(text: &str) -> Formula {
    parse(text, &mut Names::default()).unwrap_or_else(|error| panic!("{text}: {error:?}")).formula
}

/// An obligation is not left out because another implies it: `F (p3 & X F p4)` implies `F p4`, but does not make
/// its promise. The word makes both promises for ever.
#[test]
fn an_implied_eventuality_keeps_its_promise() {
    for text in [
        "G (p0 -> F (p3 & X F p4))",
        "[] (p3 & X<> p4 -> X(<>(p4 & <> p0)))",
        "[] (p1 -> [] (p3 & X<> p4 -> X(!p4 U (p4 & <> p0))))",
        "[] (p0 -> <>(p3 & X<>p4))",
        "G(p0 & X(F(p1 & X(F(p2 & X(F(p3)))))))",
        "F p & F (q & F p)",
        "G F p & F (q & F p)",
    ] {
        let formula = read(text);
        let atoms = formula.atoms();
        let [plain, reduced, _] = automata(&formula).expect("small automata");
        // All words u·v^ω with |u| and |v| at most two, over letters with at most one atom.
        let letters: Vec<u64> = std::iter::once(0).chain((0..atoms).map(|atom| 1 << atom)).collect();
        for &a in &letters {
            for &b in &letters {
                for &c in &letters {
                    for back in 0..3 {
                        let word = Lasso::new(vec![a, b, c], back);
                        let holds = formula.holds_on(&word);
                        assert_eq!(accepts(&plain, &word), holds, "{text} on {word:?}");
                        assert_eq!(accepts(&reduced, &word), holds, "{text} on {word:?}");
                    }
                }
            }
        }
    }
}

/// `F p & F (q & F p)` has two promises in its first state, and `F (q & F p)` alone has one: edges are computed from
/// the set as it is.
#[test]
fn a_set_of_obligations_is_not_its_simplest_conjunction() {
    let both = tableau(&read("F p & F (q & F p)"), Limits::default()).expect("a small automaton");
    let promises = both.outgoing(both.initial()).iter().map(|edge| 2 - edge.marks.0.count_ones());
    assert_eq!(promises.max(), Some(2));
}

#[test]
fn what_is_too_large_is_refused() {
    let many: Vec<String> = (0..70).map(|atom| format!("F q{atom}")).collect();
    assert_eq!(ltl::translate(&read(&many.join(" | "))).err(), Some(TooLarge::Untils(70)));
    let wide: Vec<String> = (0..20).map(|atom| format!("G F q{atom}")).collect();
    assert!(matches!(ltl::translate(&read(&wide.join(" & "))), Err(TooLarge::Edges(_))));
}

/// Twenty atoms, each waited for in its turn: guards over few of them each.
#[test]
fn many_atoms_are_no_obstacle() {
    let chain = (0..20).rev().fold("true".to_owned(), |rest, atom| format!("F (q{atom} & X {rest})"));
    let automaton = ltl::translate(&read(&chain)).expect("an automaton with few states");
    assert_eq!(automaton.len(), 21);
    let all: Vec<String> = (0..30).map(|atom| format!("q{atom}")).collect();
    assert_eq!(ltl::translate(&read(&format!("G ({})", all.join(" | ")))).expect("one state").len(), 1);
}
