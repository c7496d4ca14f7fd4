//! IC3 with implicit predicate abstraction, after Cimatti, Griggio, Mover and Tonetta, *IC3 modulo theories via implicit
//! predicate abstraction*, 2014; IC3 itself is Bradley's, *SAT-based model checking without unrolling*, 2011.
//!
//! Frame `i` contains at least all states that can be reached in `i` steps: frame 0 is the initial states, the others are
//! clauses over predicates, each at a vector of locations ([`frames`]). A *cube* is a vector and the truth of some
//! predicates. A bad cube in the last frame is an *obligation*: either no step from the frame before leads into it, then a
//! part of it that is as small as that allows is excluded by a clause; or one does, and where it comes from is an obligation
//! one frame earlier. When every bad cube is excluded, clauses are pushed to later frames, as far as steps from their own
//! frame keep them. If two frames in a row have the same clauses, they are an invariant.
//!
//! Cubes are all that is ever known of a state, so a chain of them from an initial to a bad one need not be a run. It names
//! the locations of one, though. Bounded search along these finds the run, or [`trace`] explains why there is none, and
//! the atoms of the explanation are new predicates. No clause is lost by that.
//!
//! A cheap invariant, that of induction over several steps ([`crate::kind`]), is taken for granted everywhere; it is part of
//! the certificate.

mod frames;
mod trace;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ir::{Certificate, Invariant, InvariantEntry, Question, System};
use smt::Interrupter;

use crate::answer::{Answer, Reason};
use crate::bmc::{Reporter, answer, view, within};
use crate::cause::NoProgress;
use crate::config::{Config, Engine};
use crate::description::{Description, Procedure, Timing};
use crate::kind::lemma;
use crate::observer::{BoundedStatistics, Observer, Phase, Statistics};
use crate::preprocess::Rewritings;
use crate::stop::Stop;
use frames::{Cube, Frames, Way};
use trace::{Chain, explain};

/// What there is to say of it.
pub static ENGINE: Description = Description {
    name: "ic3",
    title: "IC3 with implicit predicate abstraction",
    good_for: "invariants that need many small facts",
    paper: "Cimatti, Griggio, Mover and Tonetta 2014",
    timing: Timing::Data,
    refines: false,
    bounded: true,
    blocks: true,
    bits: true,
    solver: true,
    passes: Rewritings::All,
    procedure: Procedure::one(search),
};

/// Searches for runs to bad states, and for an invariant without any.
pub fn search(
    system: &System,
    question: &Question,
    config: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> (Answer, Statistics) {
    answer(stop, |counted| {
        let view = view(system, question, Engine::Ic3)?;
        let lemma = lemma::find(system, stop)?;
        let frames = Frames::new(view, lemma, config)?;
        let interrupters = frames.interrupters();
        let _listening = stop.listen(move || interrupters.iter().for_each(Interrupter::interrupt));
        let mut search =
            Search { frames, config, stop, counted, reporter: Reporter::new(Phase::Bounded, stop), observer };
        let result = search.run();
        search.count();
        result
    })
}

struct Search<'a> {
    frames: Frames,
    config: &'a Config,
    stop: &'a Stop,
    counted: &'a mut BoundedStatistics,
    reporter: Reporter<'a>,
    observer: &'a mut dyn Observer,
}

/// Cubes that are still to be excluded, the earliest frame first.
#[derive(Default)]
struct Obligations {
    list: Vec<Obligation>,
    open: BinaryHeap<Reverse<(usize, usize)>>,
}

struct Obligation {
    cube: Cube,
    /// The obligation that a step leads to from here; a bad one has none.
    next: Option<usize>,
}

impl Obligations {
    fn push(&mut self, level: usize, cube: Cube, next: Option<usize>) {
        self.open.push(Reverse((level, self.list.len())));
        self.list.push(Obligation { cube, next });
    }
    /// The vectors from an obligation to the bad one.
    fn chain(&self, first: usize) -> Chain {
        let next = |at: &usize| self.list[*at].next;
        std::iter::successors(Some(first), next).map(|at| self.list[at].cube.at).collect()
    }
}

impl Search<'_> {
    fn run(&mut self) -> Result<Answer, Reason> {
        // Initial states may be bad already.
        if let Some(chain) = self.frames.bad_initial()?
            && let Some(answer) = self.refine(&chain)?
        {
            return Ok(answer);
        }
        loop {
            self.frames.grow()?;
            while let Some(cube) = self.frames.bad()? {
                if let Some(chain) = self.block(cube)?
                    && let Some(answer) = self.refine(&chain)?
                {
                    return Ok(answer);
                }
            }
            if let Some(level) = self.push()? {
                return Ok(Answer::Excluded(Certificate::Invariant(self.invariant(level))));
            }
            if self.config.bound.is_some_and(|bound| bound as usize <= self.frames.last()) {
                return Err(Reason::Bound(self.frames.last() as u32));
            }
        }
    }
    /// Excludes a bad cube of the last frame; the vectors of a chain to it if it cannot be excluded.
    fn block(&mut self, cube: Cube) -> Result<Option<Chain>, Reason> {
        let mut obligations = Obligations::default();
        obligations.push(self.frames.last(), cube, None);
        while let Some(Reverse((level, at))) = obligations.open.pop() {
            self.go_on()?;
            let cube = obligations.list[at].cube.clone();
            if self.frames.is_excluded(&cube, level)? {
                continue;
            }
            match self.frames.way_into(&cube, level)? {
                Way::Initial(from) => {
                    let mut chain = vec![from];
                    chain.extend(obligations.chain(at));
                    return Ok(Some(chain));
                }
                Way::From(before) => {
                    let initial = self.frames.is_initial(&before)?;
                    obligations.push(level - 1, before, Some(at));
                    if initial {
                        return Ok(Some(obligations.chain(obligations.list.len() - 1)));
                    }
                    obligations.open.push(Reverse((level, at)));
                }
                Way::None(core) => {
                    let (clause, level) = self.frames.generalise(core, level)?;
                    self.frames.exclude(clause, level)?;
                    if level < self.frames.last() {
                        obligations.open.push(Reverse((level + 1, at)));
                    }
                }
            }
        }
        Ok(None)
    }
    /// Pushes clauses to later frames; the frame whose clauses are an invariant, if one is.
    fn push(&mut self) -> Result<Option<usize>, Reason> {
        for level in 1..self.frames.last() {
            for cube in self.frames.exactly_at(level) {
                self.go_on()?;
                if let Way::None(_) = self.frames.way_into(&cube, level + 1)? {
                    self.frames.exclude(cube, level + 1)?;
                }
            }
            if self.frames.exactly_at(level).is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
    /// What becomes of a chain: a run, or more predicates.
    fn refine(&mut self, chain: &Chain) -> Result<Option<Answer>, Reason> {
        self.go_on()?;
        let atoms = match explain(&mut self.frames.view, chain, self.config, self.stop)? {
            trace::Explained::Run(run) => return Ok(Some(Answer::Found(run))),
            trace::Explained::Atoms(atoms) => atoms,
        };
        let mut grown = false;
        for atom in atoms {
            grown |= self.frames.track(atom)?;
        }
        if grown { Ok(None) } else { Err(NoProgress::Tracked.into()) }
    }
    /// The lemma, and the clauses from a frame on.
    fn invariant(&mut self, level: usize) -> Invariant {
        let lemma = self.frames.lemma.clone();
        let mut entries = vec![];
        for entry in lemma.entries {
            let vector = self.frames.view.vector(&entry.locations);
            let clauses = self.frames.formula(vector, level);
            let terms = &mut self.frames.view.system.terms;
            let known = terms.import(&lemma.terms, entry.formula, &mut |terms, var| terms.var(var));
            entries.push(InvariantEntry { formula: terms.and([known, clauses]), ..entry });
        }
        let terms = self.frames.view.system.terms.clone();
        Invariant { terms, initial: lemma.initial, entries }
    }
    fn count(&mut self) {
        self.counted.depth = self.frames.last() as u64;
        (self.counted.solver_calls, self.counted.solver_time) = self.frames.work();
    }
    fn go_on(&mut self) -> Result<(), Reason> {
        if self.stop.requested() {
            return Err(self.stop.reason());
        }
        self.count();
        within(self.config, self.counted)?;
        self.reporter.tell(self.observer, self.counted);
        Ok(())
    }
}
