//! Proofs that list the product as pairs, damaged, against the product itself.
//!
//! The judge walks over pairs by numbers, and over any other list by composing the product and executing its actions. So
//! the latter is an oracle for the former: whatever is accepted as pairs must be accepted as a list. The judge remembers
//! what it found out about states that come again under the same numbers in another list, so that lists change, too.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use certify::Rejection;
use ir::{
    Certificate, Claim, ClosedSet, Descent, Id, LocationId, Measure, Pairs, PathClaim, PathWords, Progress,
};
use ir::{Question, State, Stuck, System};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use thetis_engine::{Answer, Config, Engine, Quiet, Stop, search};

use super::{atoms, random_formula};

/// Pairs as somebody gives them, who may hide that they are.
struct Given {
    base: Arc<dyn ClosedSet>,
    list: Vec<(u32, u32)>,
    hidden: bool,
}

impl ClosedSet for Given {
    fn len(&self) -> usize {
        self.list.len()
    }
    fn state(&self, index: usize) -> State {
        let (state, place) = self.list[index];
        let State { locations, values } = self.base.state(state as usize);
        State { locations: locations.into_iter().chain([LocationId::at(place as usize)]).collect(), values }
    }
    fn find(&self, state: &State) -> Option<usize> {
        (0..self.list.len()).find(|at| self.state(*at) == *state)
    }
    fn pairs(&self) -> Option<Pairs<'_>> {
        (!self.hidden).then(|| Pairs { base: self.base.clone(), list: &self.list })
    }
}

/// States as somebody lists them.
struct States(Vec<State>);

impl States {
    /// Those of a list, of which one is in the place of another, and the last one is there twice.
    fn moved(list: &dyn ClosedSet, (from, to): (usize, usize)) -> Arc<dyn ClosedSet> {
        let mut states: Vec<State> = (0..list.len()).map(|at| list.state(at)).collect();
        states.extend(states.last().cloned());
        states[to] = states[from].clone();
        Arc::new(States(states))
    }
}

impl ClosedSet for States {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn state(&self, index: usize) -> State {
        self.0[index].clone()
    }
    fn find(&self, state: &State) -> Option<usize> {
        self.0.iter().position(|listed| listed == state)
    }
}

/// What a proof lists, and how it descends.
type Listed = (Vec<(u32, u32)>, Option<Vec<Measure>>);

/// A proof to be damaged.
struct Proof<'a> {
    system: &'a System,
    question: &'a Question,
    proof: &'a Progress,
    base: Arc<dyn ClosedSet>,
}

impl Proof<'_> {
    /// What a judge says of other pairs and measures in the place of those of the proof.
    fn judged(
        &self,
        judge: &mut certify::Judge<'_>,
        base: &Arc<dyn ClosedSet>,
        (list, measures): &Listed,
        hidden: bool,
    ) -> Result<(), Rejection> {
        let base = Certificate::ClosedSet(Box::new(Given { base: base.clone(), list: list.clone(), hidden }));
        let descent = measures.clone().map_or(Descent::Terminal, Descent::Measures);
        let progress = Progress { automaton: self.proof.automaton.clone(), base, descent };
        let certificate = Certificate::Progress(Box::new(progress));
        let evidence = certify::Evidence::Certificate(&certificate);
        judge.check(self.question, evidence, &AtomicBool::new(false)).map(drop)
    }
    /// Damages the proof in as many ways as there are choices; how many damaged ones were refused.
    fn damage(&self, choices: &[(u8, u8, u8)]) -> Result<usize, String> {
        let Certificate::ClosedSet(set) = &self.proof.base else { return Err("no list".to_owned()) };
        let Some(pairs) = set.pairs() else { return Ok(0) };
        let measures = match &self.proof.descent {
            Descent::Measures(list) => Some(list.clone()),
            _ => None,
        };
        let whole = (pairs.list.to_vec(), measures);
        let (mut judge, mut other) = (certify::Judge::new(self.system), certify::Judge::new(self.system));
        // The same states in another list that goes on are as good.
        let longer = States::moved(&*self.base, (0, 0));
        for base in [&self.base, &longer, &self.base] {
            let said = self.judged(&mut judge, base, &whole, false);
            said.map_err(|why| format!("refused as pairs: {why:?}"))?;
        }
        match self.judged(&mut other, &self.base, &whole, true) {
            // Being stuck is not always a condition that a product can be made with.
            Err(Rejection::Undecided(_)) => return Ok(0),
            said => said.map_err(|why| format!("refused as a list: {why:?}"))?,
        }
        let mut refused = 0;
        for (number, choice) in choices.iter().enumerate() {
            let states = self.base.len();
            let place = |byte: u8| byte as usize % states;
            // Every few times, the pairs are right and the states are not.
            let (base, listed) = match number % 4 {
                0 if place(choice.1) != place(choice.2) => {
                    let moved = States::moved(&*self.base, (place(choice.1), place(choice.2)));
                    (moved, Some(whole.clone()))
                }
                1 => (longer.clone(), damaged(&whole, *choice)),
                _ => (self.base.clone(), damaged(&whole, *choice)),
            };
            let Some(listed) = listed else { continue };
            let accepted = self.judged(&mut judge, &base, &listed, false).is_ok();
            if accepted && self.judged(&mut other, &base, &listed, true).is_err() {
                return Err(format!("accepted as pairs, refused as a list: {listed:?}"));
            }
            refused += usize::from(!accepted);
        }
        Ok(refused)
    }
}

/// Changes pairs or measures; `None` if nothing or something else than sets of pairs would come of it.
fn damaged(whole: &Listed, (how, at, what): (u8, u8, u8)) -> Option<Listed> {
    let (mut list, mut measures) = whole.clone();
    let at = at as usize % list.len();
    let what = u32::from(what);
    match (how % 4, &mut measures) {
        (0, measures) => {
            list.remove(at);
            if let Some(measures) = measures {
                measures.remove(at);
            }
        }
        (1, _) => list[at].0 = what % (list.len() as u32 + 1),
        (2, _) => list[at].1 = what % 5,
        (_, Some(measures)) if what.is_multiple_of(2) => measures[at].rank = what / 2 % (list.len() as u32),
        (_, Some(measures)) => measures[at].missing = (what / 2 % 3) as u8,
        (_, None) => return None,
    }
    let mut sorted = list.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (sorted.len() == list.len() && (&list, &measures) != (&whole.0, &whole.1)).then_some((list, measures))
}

#[test]
fn damaged_pairs_are_refused() {
    let runs = sampling::runs(2_000, 3_141);
    let cases = runs.cases;
    let refused = RefCell::new(0);
    let damages = proptest::collection::vec(any::<(u8, u8, u8)>(), 40);
    let inputs = (arbitrary::model(), proptest::collection::vec(any::<u8>(), 12), damages, any::<bool>());
    sampling::check(
        runs,
        &inputs,
        |(model, ..)| xsts::print(model),
        |(model, choices, damages, repeats)| {
            let mut system = xsts::load(&xsts::print(&model)).unwrap().system;
            system.stuck = if repeats { Stuck::Repeat } else { Stuck::Ignored };
            let atoms = atoms(&mut system);
            let undefined = system.terms.bool(false);
            let path = PathClaim { words: PathWords::Satisfy(random_formula(&choices)), atoms, undefined };
            let path = system.paths.push(path);
            let question = system.question(Claim::Every(path));
            let config = Config { engine: Engine::Explicit, state_limit: Some(60), ..Config::default() };
            let (answer, _) = search(&system, &question, &config, &Stop::new(), &mut Quiet);
            let Answer::Excluded(Certificate::Progress(proof)) = &answer else { return Ok(()) };
            let Certificate::ClosedSet(set) = &proof.base else { return Ok(()) };
            let Some(Pairs { base, .. }) = set.pairs() else { return Ok(()) };
            let proof = Proof { system: &system, question: &question, proof, base };
            *refused.borrow_mut() += proof.damage(&damages)?;
            Ok(())
        },
    );
    let refused = refused.into_inner();
    eprintln!("{cases} random models: {refused} damaged proofs refused");
    assert!(cases < 100 || refused > 3 * cases as usize, "not varied enough: {refused}");
}
