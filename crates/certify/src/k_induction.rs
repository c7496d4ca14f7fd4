//! k-induction: nothing bad is near the beginning, and nothing bad comes later.
//!
//! Bad are faults, and targets at observed locations. What is checked of a certificate for `k`:
//! - the *lemma* is an invariant, shown as any other but for what it excludes: it need exclude nothing;
//! - the *base*: no state of the first `k` of any run is bad;
//! - for [`Argument::Induction`], the *step*: in no row of `k + 1` states, one step apart and the lemma in
//!   all of them, are the first `k` not bad and the last one is;
//! - for [`Argument::SimplePath`], the same of rows of states that are pairwise different;
//! - for [`Argument::Exhaustion`], that no run has more than `k` states.
//!
//! Why that is enough: assume a bad state can be reached, and take a shortest run to one, of `n + 1` states.
//! By the base, `n >= k`, so the run has a last row of `k + 1` states, all of them reachable, so that the
//! lemma holds in them. The first `k` of the row are not bad, and all of the row are different, because
//! otherwise there would be a shorter run: to the earlier bad state, or past the cycle. So the row is what
//! the step excludes, whether it asks for different states or not; and the run has more than `k` states.
//! Nothing of this needs finitely many states. A state is the vector of locations and all state variables.
//!
//! The formulas are made here, from actions composed anew ([`Monolithic`]), all variables at steps of their
//! own; locals are arbitrary at the start of every step.

use std::sync::atomic::{AtomicBool, Ordering};

use ir::{
    Argument, Frame, Int, KInductive, Known, Monolithic, NoView, Node, Steps, System, Term, Transition, VarId,
};
use smt::z3::Z3Solver;
use smt::{Answer, Interrupt, Limits, Solver, Theory, smtlib};

use crate::invariant::watch::Watch;
use crate::invariant::{self, Script, Subject, flatten, literal};
use crate::{Flaw, Place, Rejection, Undecided, Wrong};

/// The work of one question in the first theory that is tried, in the unit of the solver: some seconds.
const WORK: u32 = 50_000_000;
/// Longer runs are not looked at.
const LONGEST: u32 = 100_000;

/// Checks that `proof` excludes the target and every fault.
pub fn check(system: &System, target: Term, proof: &KInductive, stop: &AtomicBool) -> Result<(), Rejection> {
    invariant::check(Subject::new(system, &proof.lemma), stop).map_err(|why| match why {
        Rejection::Wrong(why) => Rejection::Wrong(Wrong { of_lemma: true, ..why }),
        Rejection::Undecided(why) => Undecided::Lemma(why.into()).into(),
        Rejection::Interrupted => Rejection::Interrupted,
    })?;
    let watch = Watch::new(stop);
    std::thread::scope(|scope| {
        let _end = watch.start(scope);
        for mut chain in chains(system, target, proof, stop)? {
            chain.check(&watch)?;
        }
        Ok(())
    })
}

/// Calls `emit` with every obligation of `proof`, until it answers `false`.
pub fn export(
    system: &System,
    target: Term,
    proof: &KInductive,
    stop: &AtomicBool,
    emit: &mut dyn FnMut(&Script) -> bool,
) -> Result<(), Rejection> {
    let mut wanted = true;
    invariant::export(Subject::new(system, &proof.lemma), stop, &mut |script| {
        wanted = emit(&Script { about: format!("lemma: {}", script.about), text: script.text.clone() });
        wanted
    })?;
    for chain in chains(system, target, proof, stop)? {
        let view = &chain.view.system;
        let ranges = view.vars.entries();
        let ranges = ranges.filter_map(|(var, variable)| Some((var, variable.range.clone()?))).collect();
        for claim in &chain.claims {
            if stop.load(Ordering::Relaxed) {
                return Err(Rejection::Interrupted);
            }
            if !wanted {
                return Ok(());
            }
            let mut parts = chain.parts[..claim.after].to_vec();
            parts.push(("what should not be so", claim.never));
            let text = smtlib::script(&view.terms, &ranges, |var| view.vars[var].name.clone(), &parts)
                .map_err(|why| Undecided::Unwritable { about: claim.about.clone(), why: Some(why) })?;
            wanted = emit(&Script { about: claim.about.clone(), text });
        }
    }
    Ok(())
}

/// The base, and the step if there is one.
fn chains(
    system: &System,
    target: Term,
    proof: &KInductive,
    stop: &AtomicBool,
) -> Result<Vec<Chain>, Rejection> {
    if proof.k == 0 {
        return Err(Place::Whole.wrong(Flaw::NoStates));
    }
    if proof.k > LONGEST {
        return Err(Undecided::LongRuns(proof.k).into());
    }
    // Clocks are part of a state, and formulas know no delays.
    let system = &match system.clocks().next() {
        Some(_) => ir::spell_out(system).0,
        None => system.clone(),
    };
    let base = Chain::base(Monolithic::new(system, target), proof, stop)?;
    if proof.argument == Argument::Exhaustion {
        return Ok(vec![base]);
    }
    Ok(vec![base, Chain::step(Monolithic::new(system, target), proof, stop)?])
}

/// States in a row.
struct Chain {
    view: Monolithic,
    /// What is so, with what it is, in the order of the states.
    parts: Vec<(&'static str, Term)>,
    claims: Vec<Claim>,
}

/// Something that is never so.
struct Claim {
    /// Where so many parts are.
    after: usize,
    never: Term,
    about: String,
    /// What is wrong if it is.
    flaw: Flaw,
}

impl Chain {
    /// Runs from the initial states.
    fn base(mut view: Monolithic, proof: &KInductive, stop: &AtomicBool) -> Result<Self, Rejection> {
        let Transition { formula, after, to } = view.initial().map_err(no_view)?;
        let mut chain = Chain { view, parts: vec![("the initial states", formula)], claims: vec![] };
        let (mut at, mut frame) = (after, to);
        for depth in 0..proof.k {
            let bad = chain.view.bad(&frame).map_err(no_view)?;
            let bad = chain.at(bad, &at);
            chain.claim(
                bad,
                format!("no run of {depth} steps ends in a target or a fault"),
                Flaw::BadRun { steps: depth },
            );
            let good = chain.view.system.terms.not(bad);
            chain.parts.push(("a state that is no target and no fault", good));
            if depth + 1 < proof.k || proof.argument == Argument::Exhaustion {
                let step = chain.view.step(&frame).map_err(no_view)?;
                chain.step_on(&step, &mut at, stop)?;
                frame = step.to;
            }
        }
        if proof.argument == Argument::Exhaustion {
            let always = chain.view.system.terms.bool(true);
            let k = proof.k;
            chain.claim(always, format!("no run has {k} steps"), Flaw::LongerRun { steps: k });
        }
        Ok(chain)
    }
    /// Rows of states in which the lemma holds.
    fn step(view: Monolithic, proof: &KInductive, stop: &AtomicBool) -> Result<Self, Rejection> {
        let mut chain = Chain { view, parts: vec![], claims: vec![] };
        let (frame, lemma) = chain.lemma(proof);
        let step = chain.view.step(&frame).map_err(no_view)?;
        let bad = chain.view.bad(&frame).map_err(no_view)?;
        let mut cuts = vec![Steps::start()];
        for _ in 0..proof.k {
            let mut at = cuts.last().expect("there is a first state").clone();
            let holds = chain.at(lemma, &at);
            chain.parts.push(("the lemma", holds));
            let bad = chain.at(bad, &at);
            let good = chain.view.system.terms.not(bad);
            chain.parts.push(("a state that is no target and no fault", good));
            chain.step_on(&step, &mut at, stop)?;
            cuts.push(at);
        }
        let last = cuts.last().expect("there is a last state").clone();
        let holds = chain.at(lemma, &last);
        chain.parts.push(("the lemma", holds));
        if proof.argument == Argument::SimplePath {
            for second in 1..cuts.len() {
                for first in 0..second {
                    let differ = chain.differ(&cuts[first], &cuts[second]);
                    chain.parts.push(("two states are different", differ));
                }
            }
        }
        let bad = chain.at(bad, &last);
        let k = proof.k;
        let different = proof.argument == Argument::SimplePath;
        let apart = if different { " and different" } else { "" };
        chain.claim(
            bad,
            format!("after {k} states in a row that are no targets{apart} comes no target and no fault"),
            Flaw::BadStep { states: k, different },
        );
        Ok(chain)
    }
    /// Where the lemma says the system can be with which values, and all that it says.
    fn lemma(&mut self, proof: &KInductive) -> (Frame, Term) {
        let from = &proof.lemma.terms;
        let mut entries: Vec<(ir::VectorId, Vec<Term>, Known)> = vec![];
        for entry in &proof.lemma.entries {
            let vector = self.view.vector(&entry.locations);
            let terms = &mut self.view.system.terms;
            let formula = terms.import(from, entry.formula, &mut |terms, var| terms.var(var));
            match entries.iter_mut().find(|(other, ..)| *other == vector) {
                // What is known of a place where several entries are is left to the solver.
                Some((_, ways, known)) => {
                    ways.push(formula);
                    known.clear();
                }
                None => {
                    let mut conjuncts = vec![];
                    flatten(terms, formula, &mut conjuncts);
                    let known = conjuncts.iter().filter_map(|part| literal(terms, *part, true));
                    let known: Vec<_> = known.collect();
                    let known = known.into_iter().map(|(var, value)| (var, terms.constant(value))).collect();
                    entries.push((vector, vec![formula], known));
                }
            }
        }
        let mut frame = Frame::new();
        let mut ways = vec![];
        for (vector, formulas, known) in entries {
            let here = self.view.is_at(vector);
            let formula = self.view.system.terms.or(formulas);
            ways.push(self.view.system.terms.and([here, formula]));
            frame.insert(vector, known);
        }
        (frame, self.view.system.terms.or(ways))
    }
    /// One more step from `at`, which then is where it ends.
    fn step_on(&mut self, step: &Transition, at: &mut Steps, stop: &AtomicBool) -> Result<(), Rejection> {
        if stop.load(Ordering::Relaxed) {
            return Err(Rejection::Interrupted);
        }
        let formula = self.at(step.formula, at);
        self.parts.push(("a step", formula));
        *at = at.then(&step.after);
        Ok(())
    }
    /// That the states at two cuts are not the same.
    fn differ(&mut self, first: &Steps, second: &Steps) -> Term {
        let vars: Vec<VarId> = self.view.system.state_vars().chain([self.view.location]).collect();
        let terms = &mut self.view.system.terms;
        let mut ways = vec![];
        for var in vars {
            let (a, b) = (terms.var_at(var, first.of(var)), terms.var_at(var, second.of(var)));
            let same = terms.eq(a, b);
            ways.push(terms.not(same));
        }
        terms.or(ways)
    }
    /// `formula`, which begins at step 0, begun at `at`.
    fn at(&mut self, formula: Term, at: &Steps) -> Term {
        self.view.system.terms.rewrite(formula, &mut |terms, t| match *terms.node(t) {
            Node::Var(var, step) => Some(terms.var_at(var, step + at.of(var))),
            _ => None,
        })
    }
    fn claim(&mut self, never: Term, about: String, flaw: Flaw) {
        self.claims.push(Claim { after: self.parts.len(), never, about, flaw });
    }

    /// Shows every claim, in whichever theory that can be done.
    fn check(&mut self, watch: &Watch<'_>) -> Result<(), Rejection> {
        for (theory, work) in [(Theory::Int, Some(WORK)), (Theory::Bits, Some(4 * WORK))] {
            match self.check_in(theory, work, watch) {
                Err(Rejection::Undecided(Undecided::Solver(..))) => {}
                decided => return decided,
            }
        }
        self.check_in(Theory::Int, None, watch)
    }
    /// The same in one theory, with so much work for each.
    fn check_in(&self, theory: Theory, work: Option<u32>, watch: &Watch<'_>) -> Result<(), Rejection> {
        let why = |why: Interrupt| match watch.stopped() {
            true => Rejection::Interrupted,
            false => Undecided::Solver(Place::Whole, why).into(),
        };
        let mut solver = Z3Solver::of(theory).map_err(why)?;
        solver.limit(Limits { deadline: None, work });
        watch.solver(solver.interrupter());
        for (var, variable) in self.view.system.vars.entries() {
            solver.declare(var, variable.range.clone());
        }
        if theory == Theory::Bits {
            // The numbers of locations and actions are small.
            for var in [self.view.location, self.view.chosen] {
                solver.declare(var, Some((Int::ZERO, Int::from(i64::from(u32::MAX)))));
            }
        }
        let (terms, start) = (&self.view.system.terms, Steps::start());
        let mut done = 0;
        for claim in &self.claims {
            for (_, part) in &self.parts[done..claim.after] {
                solver.assert(terms, *part, &start).map_err(why)?;
            }
            done = claim.after;
            let never = solver.lit(terms, claim.never, &start).map_err(why)?;
            if watch.stopped() {
                return Err(Rejection::Interrupted);
            }
            if solver.check(&[never]).map_err(why)? == Answer::Sat {
                return Err(Place::Whole.wrong(claim.flaw.clone()));
            }
        }
        Ok(())
    }
}

fn no_view(why: NoView) -> Rejection {
    Rejection::Undecided(match why {
        NoView::Stmt(_) => Undecided::Loop(Place::Whole),
        NoView::Target(_) => Undecided::NoCondition,
        NoView::TooLarge => Undecided::ManyActions,
    })
}
