//! Rankings of the entries of invariants: right ones show that no run is accepting, and forged ones show nothing.

extern crate thetis_certify as certify;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use certify::{Exported, Flaw, FormulaFlaw, Rejection, check_certificate, export_obligations};
use ir::automaton::{Automaton, Guard, Transition};
use ir::ltl::{Builder, Node};
use ir::{
    Actions, Certificate, Claim, Descent, Id, Invariant, InvariantEntry, LocationId, PathQuestion, Progress,
    Question, Ranking, System, Term, Terms, Type, VarId, Words,
};
use proptest::prelude::*;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Whenever `y` is used up, `x` is decreased and `y` is anything.
const NESTED: &str = "var x : integer var y : integer
    trans { assume y > 0; y := y - 1; } or { assume y <= 0 && x > 0; x := x - 1; havoc y; }
        or { assume x <= 0 && y <= 0; }
    init { } env { } prop { x <= 0 && y <= 0 }";

/// `y` can be decreased for ever, for it has no limit; so `x` need not be.
const BOTTOMLESS: &str = "var x : integer var y : integer
    trans { y := y - 1; } or { x := x - 1; } init { } env { } prop { x <= 0 && y <= 0 }";

/// A model, and the question whether a run never makes its property true.
fn asked(text: &str) -> (System, PathQuestion) {
    let mut model = lang::xsts::load(text).unwrap();
    let Claim::Always(condition) = model.property().unwrap().claim else { panic!("a condition") };
    let mut builder = Builder::default();
    let atom = builder.atom(0);
    let not = builder.add(Node::Not(atom));
    let never = builder.add(Node::Globally(not));
    let formula = Arc::new(builder.finish(never));
    let undefined = model.system.terms.bool(false);
    (model.system, PathQuestion { words: Words::Satisfying(formula), atoms: vec![condition], undefined })
}

/// The automaton of these words: it stays where it is as long as the atom is false.
fn automaton() -> Automaton {
    let guard = Guard { cubes: vec![vec![(0, false)]] };
    let transitions = vec![Transition { source: 0, target: 0, guard, marks: 0 }];
    Automaton { sinks: vec![false], initial: 0, sets: 0, transitions }
}

/// A ranking for an entry, given its arena and its locations.
type Rank<'a> = &'a dyn Fn(&mut Terms, &[LocationId]) -> Ranking;

/// A proof whose invariant says nothing at any locations that can be come to, with these rankings.
fn proof(system: &System, question: &PathQuestion, rank: Rank<'_>) -> Progress {
    let automaton = automaton();
    let (mut product, _) = ir::monitor::product(system, question, &automaton).unwrap();
    let mut actions = Actions::new();
    actions.vector(&product.initial_locations());
    let mut successors: Vec<Vec<u32>> = vec![];
    while successors.len() < actions.len() {
        let steps = actions.of(&mut product, ir::VectorId::at(successors.len())).to_vec();
        successors.push(steps.iter().map(|step| actions.vector(&step.target).index() as u32).collect());
    }
    let mut terms = product.terms.clone();
    let always = terms.bool(true);
    let (mut entries, mut ranks) = (vec![], vec![]);
    for (at, successors) in successors.into_iter().enumerate() {
        let locations = actions.locations(ir::VectorId::at(at)).to_vec();
        ranks.push(rank(&mut terms, &locations));
        entries.push(InvariantEntry { locations: locations.into(), formula: always, successors });
    }
    let base = Certificate::Invariant(Invariant { terms, initial: vec![0], entries });
    Progress { automaton, base, descent: Descent::Ranks(ranks) }
}

fn judged(text: &str, rank: Rank<'_>) -> Result<(), Rejection> {
    let (system, question) = asked(text);
    let proof = proof(&system, &question, rank);
    let certificate = Certificate::Progress(Box::new(proof));
    check_certificate(&system, &Question::Path(question), &certificate, &GO_ON)
}

/// What a refusal is about.
fn flaw(result: Result<(), Rejection>) -> Flaw {
    match result {
        Err(Rejection::Wrong(wrong)) => wrong.flaw,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// The variables of these models, in their order.
fn var(terms: &mut Terms, number: usize) -> Term {
    terms.var(VarId::at(number))
}

/// First `x`, then `y`, then how far the turn of the model is; `init` comes before all turns.
fn lexicographic(terms: &mut Terms, locations: &[LocationId]) -> Ranking {
    let place = locations[0].index();
    let components = match place {
        0 => vec![],
        _ => vec![var(terms, 0), var(terms, 1), terms.int(3 - place as i64)],
    };
    Ranking { rank: u32::from(place == 0), components, missing: 0 }
}

#[test]
fn a_lexicographic_ranking_is_accepted() {
    assert_eq!(judged(NESTED, &lexicographic), Ok(()));
}

/// Components that are less after every step show nothing if there is no least one.
#[test]
fn a_component_without_limit_is_refused() {
    assert_eq!(flaw(judged(BOTTOMLESS, &lexicographic)), Flaw::Ascent);
}

/// `y` is anything after `x` was decreased, so it does not come first.
#[test]
fn the_order_of_components_matters() {
    let swapped = |terms: &mut Terms, locations: &[LocationId]| {
        let mut ranking = lexicographic(terms, locations);
        if let [x, y, _] = &mut ranking.components[..] {
            std::mem::swap(x, y);
        }
        ranking
    };
    assert_eq!(flaw(judged(NESTED, &swapped)), Flaw::Ascent);
}

/// All transitions of the automaton are in its only set, so nothing may stay the same.
#[test]
fn steps_of_the_missing_set_must_decrease_something() {
    let without_turns = |terms: &mut Terms, locations: &[LocationId]| {
        let mut ranking = lexicographic(terms, locations);
        ranking.components.truncate(2);
        ranking
    };
    assert_eq!(flaw(judged(NESTED, &without_turns)), Flaw::Ascent);
    // There is no second set that would be missing.
    let another = |terms: &mut Terms, locations: &[LocationId]| Ranking {
        missing: 1,
        ..without_turns(terms, locations)
    };
    assert_eq!(flaw(judged(NESTED, &another)), Flaw::Ascent);
}

#[test]
fn rankings_that_do_not_fit_are_refused() {
    let uneven =
        |terms: &mut Terms, locations: &[LocationId]| Ranking { rank: 0, ..lexicographic(terms, locations) };
    assert_eq!(flaw(judged(NESTED, &uneven)), Flaw::Measures);
    let boolean = |terms: &mut Terms, _: &[LocationId]| {
        let truth = terms.bool(true);
        Ranking { rank: 0, components: vec![truth], missing: 0 }
    };
    assert_eq!(flaw(judged(NESTED, &boolean)), Flaw::Formula(FormulaFlaw::NotAnInteger));
    let rational = |terms: &mut Terms, _: &[LocationId]| {
        let half = terms.constant(ir::Value::rat("1/2".parse().unwrap()));
        let x = var(terms, 0);
        let component = terms.mul([half, x]);
        assert_eq!(terms.type_of(component), Type::Rat);
        Ranking { rank: 0, components: vec![component], missing: 0 }
    };
    assert_eq!(flaw(judged(NESTED, &rational)), Flaw::Formula(FormulaFlaw::NotAnInteger));
    // The judge's own variables are not for others.
    let hidden = |terms: &mut Terms, _: &[LocationId]| {
        let more = terms.declare(Type::Int);
        Ranking { rank: 0, components: vec![terms.var(more)], missing: 0 }
    };
    let refused = flaw(judged(NESTED, &hidden));
    assert!(matches!(refused, Flaw::Formula(FormulaFlaw::NoSuchVariable(_))), "{refused:?}");
    let (system, question) = asked(NESTED);
    let mut few = proof(&system, &question, &lexicographic);
    if let Descent::Ranks(list) = &mut few.descent {
        list.pop();
    }
    let certificate = Certificate::Progress(Box::new(few));
    let question = Question::Path(question);
    assert_eq!(flaw(check_certificate(&system, &question, &certificate, &GO_ON)), Flaw::Measures);
}

/// An obligation about the initial states, and one for each action of each entry; the target is `false`, but has to be
/// excluded wherever states are read.
#[test]
fn obligations_speak_of_ranks() {
    let (system, question) = asked(NESTED);
    let certificate = Certificate::Progress(Box::new(proof(&system, &question, &lexicographic)));
    let (mut all, mut ranked) = (0, 0);
    let exported =
        export_obligations(&system, &Question::Path(question), &certificate, &GO_ON, &mut |script| {
            all += 1;
            ranked += usize::from(script.text.contains("component 0 before"));
            true
        });
    assert_eq!(exported, Ok(Exported::Base));
    // `init` and `env` are one action each and `trans` has three; the states before the last two are read. From `init`,
    // nothing is compared.
    assert_eq!((all, ranked), (1 + 1 + 1 + 3 + 2, 1 + 3));
}

/// A random ranking for the places before `init`, `env` and `trans`, from its parts.
fn random(parts: &[(u32, Vec<u8>, u8)], terms: &mut Terms, place: usize) -> Ranking {
    let (rank, components, missing) = &parts[place];
    let (x, y) = (var(terms, 0), var(terms, 1));
    let mut component = |code: &u8| {
        let constant = terms.int(i64::from(code / 8) % 5 - 2);
        let minus = terms.int(-1);
        match code % 8 {
            0 => x,
            1 => y,
            2 => terms.add([x, y]),
            3 => terms.mul([minus, x]),
            4 => terms.mul([minus, y]),
            5 => terms.add([x, constant]),
            6 => terms.add([y, constant]),
            _ => constant,
        }
    };
    let components = components.iter().map(&mut component).collect();
    Ranking { rank: *rank, components, missing: *missing }
}

proptest! {
    #![proptest_config(sampling::runs(3_000, 1_936))]

    /// A run of this model decreases `y` for ever while `x` stays above 0, so whatever is said about it is wrong.
    #[test]
    fn forged_rankings_are_refused(
        parts in prop::collection::vec((0..3_u32, prop::collection::vec(any::<u8>(), 2), 0..3_u8), 3),
    ) {
        let forged = |terms: &mut Terms, locations: &[LocationId]| random(&parts, terms, locations[0].index());
        prop_assert!(judged(BOTTOMLESS, &forged).is_err(), "{parts:?}");
    }
}
