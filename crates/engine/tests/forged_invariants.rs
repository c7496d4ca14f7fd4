//! Invariants with clocks, as they are found and as they are forged: the judge that follows difference bounds
//! says what a solver alone says, and neither accepts one for a target that is reached.

extern crate thetis_engine as engine;

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use certify::{Rejection, check_invariant, check_invariant_by_solver};
use engine::{Answer, Cegar, ClockStrategy, Config, Domain, Engine, Quiet, Stop};
use ir::{Certificate, Id, Invariant, Node, Question, System, Term, Terms, Type};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// An engine that proves with zones, or with predicates over clocks as numbers.
fn config(which: u32) -> Config {
    let (engine, domain) = match which % 4 {
        0 => (Engine::Combined, Domain::Expl),
        1 => (Engine::Combined, Domain::PredCart),
        2 => (Engine::Combined, Domain::ExplPredSplit),
        _ => (Engine::Cegar, Domain::PredSplit),
    };
    Config {
        engine,
        cegar: Cegar { domain, ..Cegar::default() },
        clock_strategy: (engine == Engine::Cegar).then_some(ClockStrategy::RatEncode),
        state_limit: Some(300),
        call_limit: Some(300),
        work_limit: Some(500_000),
        ..Config::default()
    }
}

fn search(system: &System, question: &Question, which: u32) -> Answer {
    engine::search(system, question, &config(which), &Stop::new(), &mut Quiet).0
}

/// What somebody does to an invariant that is right.
#[derive(Copy, Clone, Debug)]
struct Forgery {
    what: u32,
    entry: usize,
    place: usize,
    by: i64,
}

fn forgery() -> impl Strategy<Value = Forgery> {
    (0..8_u32, any::<usize>(), any::<usize>(), -2..=2_i64).prop_map(|(what, entry, place, by)| Forgery {
        what,
        entry,
        place,
        by,
    })
}

impl Forgery {
    fn apply(self, invariant: &mut Invariant) {
        let count = invariant.entries.len();
        let Some(entry) = self.entry.checked_rem(count) else { return };
        let formula = invariant.entries[entry].formula;
        match self.what {
            0 => drop_one(&mut invariant.entries[entry].successors, self.place),
            1 => invariant.entries[entry].successors.iter_mut().for_each(|to| *to = (*to + 1) % count as u32),
            2 => {
                let other = self.place % count;
                invariant.entries[entry].formula = invariant.entries[other].formula;
            }
            what => {
                let bounds = clock_bounds(&invariant.terms, formula);
                let Some(place) = self.place.checked_rem(bounds.len()) else { return };
                let (bound, by) = (bounds[place], self.by);
                let changed = |terms: &mut Terms, term: Term| {
                    (term == bound).then(|| match *terms.node(bound) {
                        // Looser, tighter, strict or not, the other way round, or not at all.
                        Node::Le(a, b) if what < 6 => {
                            let by = terms.int(by);
                            let b = terms.add([b, by]);
                            if what == 3 { terms.lt(a, b) } else { terms.le(a, b) }
                        }
                        Node::Lt(a, b) if what < 6 => {
                            let by = terms.int(by);
                            let b = terms.add([b, by]);
                            if what == 3 { terms.le(a, b) } else { terms.lt(a, b) }
                        }
                        _ if what == 6 => terms.not(bound),
                        _ => terms.bool(true),
                    })
                };
                invariant.entries[entry].formula =
                    invariant.terms.rewrite(formula, &mut |terms, term| changed(terms, term));
            }
        }
    }
}

fn drop_one(list: &mut Vec<u32>, place: usize) {
    if let Some(at) = place.checked_rem(list.len()) {
        list.remove(at);
    }
}

/// The comparisons of clocks in a formula.
fn clock_bounds(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = vec![];
    terms.for_each_subterm(formula, |term| {
        if let Node::Le(a, b) | Node::Lt(a, b) = *terms.node(term)
            && [a, b].iter().any(|side| terms.type_of(*side) == Type::Clock)
        {
            found.push(term);
        }
    });
    found.sort_unstable_by_key(|term| term.index());
    found
}

/// What was seen: invariants as they were found, forged ones that are still right, and others.
#[derive(Default, Debug)]
struct Tally {
    found: u32,
    harmless: u32,
    refused: u32,
    for_reached: u32,
}

/// Whether both judges accept an invariant; `None` if one of them cannot say.
fn accepted(system: &System, question: &Question, invariant: &Invariant) -> Option<bool> {
    let followed = check_invariant(system, question, invariant, &GO_ON).map(drop);
    let solved = check_invariant_by_solver(system, question, invariant, &GO_ON).map(drop);
    match (&followed, &solved) {
        (Ok(()), Ok(())) => Some(true),
        (Err(Rejection::Wrong(_)), Err(Rejection::Wrong(_))) => Some(false),
        (Err(Rejection::Undecided(_)), _) | (_, Err(Rejection::Undecided(_))) => None,
        _ => panic!("by following paths: {followed:?}; by the solver: {solved:?}"),
    }
}

#[test]
fn forged_invariants_are_refused_or_right() {
    let tally = RefCell::new(Tally::default());
    let runs = sampling::runs(250, 2026);
    let forgeries = proptest::collection::vec(forgery(), 6);
    let inputs = (arbitrary::timed_model(), any::<u32>(), forgeries);
    let result = TestRunner::new(runs).run(&inputs, |(model, which, forgeries)| {
        let Ok(mut model) = xsts::load(&xsts::print(&model)) else { return Ok(()) };
        let never = Question::never(&mut model.system.terms);
        let question = match model.property().map(|property| property.claim) {
            Some(claim @ ir::Claim::Always(_)) => model.system.question(claim),
            _ => never.clone(),
        };
        let system = &model.system;
        let mut tally = tally.borrow_mut();
        let answer = search(system, &question, which);
        // An invariant that excludes less, if this is reached.
        let reached = matches!(answer, Answer::Found(_));
        let answer = if reached { search(system, &never, which) } else { answer };
        let Answer::Excluded(Certificate::Invariant(invariant)) = answer else { return Ok(()) };
        if reached {
            prop_assert_ne!(accepted(system, &question, &invariant), Some(true));
            prop_assert_ne!(accepted(system, &never, &invariant), Some(false));
            tally.for_reached += 1;
        } else {
            prop_assert_ne!(accepted(system, &question, &invariant), Some(false));
            tally.found += 1;
        }
        for forgery in forgeries {
            let mut forged = invariant.clone();
            forgery.apply(&mut forged);
            let accepted = accepted(system, &question, &forged);
            prop_assert!(!(reached && accepted == Some(true)), "{forgery:?}");
            match accepted {
                Some(true) => tally.harmless += 1,
                Some(false) => tally.refused += 1,
                None => {}
            }
        }
        Ok(())
    });
    result.unwrap();
    let tally = tally.into_inner();
    // Otherwise this tests nothing.
    assert!(tally.found > 50 && tally.harmless > 50 && tally.refused > 100, "{tally:?}");
    assert!(tally.for_reached > 20, "{tally:?}");
}
