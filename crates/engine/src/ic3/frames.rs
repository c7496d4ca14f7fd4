//! Frames, and what solvers are asked about them.
//!
//! Two solvers: one knows the initial states and the step after them, the other any step from a state of the lemma to one
//! of the lemma. In both, the truth of every predicate has a literal before and after the step. What a step does is
//! behind a literal of its own, for not every state has one. Clauses of a frame are behind the literal of the frame, and
//! count for all earlier ones: frame `i` is the clauses of frames `i` and later.
//!
//! Invariant: no clause excludes an initial state, and from a state of a frame every step leads to one of the next.

use std::time::Duration;

use ir::{Frame, Invariant, Monolithic, Node, Steps, Term, Type, VectorId};
use rustc_hash::FxHashMap;
use smt::z3::Z3Solver;
use smt::{Answer, Interrupter, Limits, Lit, Solver};

use super::trace::Chain;
use crate::answer::Reason;
use crate::bmc::unrolling::{refused, solver};
use crate::config::Config;
use crate::kind::lemma;

/// States at a vector of locations in which some predicates hold and others do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cube {
    /// The vector.
    pub at: VectorId,
    /// Predicates by number, and whether they hold; sorted.
    pub lits: Vec<(usize, bool)>,
}

/// Whether a step leads into a cube.
pub enum Way {
    /// From an initial state, at this vector.
    Initial(VectorId),
    /// From such states.
    From(Cube),
    /// None does, nor into this part of it, which no initial state is in.
    None(Cube),
}

/// The frames of one search.
pub struct Frames {
    pub view: Monolithic,
    pub lemma: Invariant,
    start: VectorId,
    vectors: Vec<VectorId>,
    predicates: Vec<Term>,
    known: FxHashMap<Term, usize>,
    base: Side,
    step: Side,
    /// The literal of each frame in the second solver; frame 0 has none.
    levels: Vec<Lit>,
    /// The clauses of each frame, as what they exclude.
    clauses: Vec<Vec<Cube>>,
}

/// A solver with the states before and after a step.
struct Side {
    solver: Z3Solver,
    before: Steps,
    after: Steps,
    /// That there is a step.
    steps: Lit,
    /// Literals of predicates, before and after.
    predicates: Vec<[Lit; 2]>,
    at: FxHashMap<VectorId, [Lit; 2]>,
}

impl Side {
    fn track(&mut self, view: &Monolithic, predicate: Term) -> Result<(), Reason> {
        let terms = &view.system.terms;
        let before = self.solver.lit(terms, predicate, &self.before)?;
        let after = self.solver.lit(terms, predicate, &self.after)?;
        self.predicates.push([before, after]);
        Ok(())
    }
    fn lits(&self, cube: &Cube, when: usize) -> Vec<Lit> {
        let lit = |(number, holds): &(usize, bool)| {
            let lit = self.predicates[*number][when];
            if *holds { lit } else { !lit }
        };
        std::iter::once(self.at[&cube.at][when]).chain(cube.lits.iter().map(lit)).collect()
    }
    /// Where the state before the step is in the last model.
    fn vector(&mut self, vectors: &[VectorId]) -> Result<VectorId, Reason> {
        for vector in vectors {
            if self.solver.truth(self.at[vector][BEFORE])? == Some(true) {
                return Ok(*vector);
            }
        }
        Err(crate::cause::Contradiction::NoSuchLocation.into())
    }
    /// The cube of that state: all that predicates tell of it.
    fn cube(&mut self, vectors: &[VectorId]) -> Result<Cube, Reason> {
        let at = self.vector(vectors)?;
        let mut lits = vec![];
        for number in 0..self.predicates.len() {
            let lit = self.predicates[number][BEFORE];
            lits.extend(self.solver.truth(lit)?.map(|holds| (number, holds)));
        }
        Ok(Cube { at, lits })
    }
    /// The part of a cube that the last core speaks of.
    fn core(&mut self, cube: &Cube, when: usize) -> Result<Cube, Reason> {
        let core = self.solver.core()?;
        let all = self.lits(cube, when);
        let needed = cube.lits.iter().zip(&all[1..]).filter(|(_, lit)| core.contains(lit));
        Ok(Cube { at: cube.at, lits: needed.map(|(part, _)| *part).collect() })
    }
}

const BEFORE: usize = 0;
const AFTER: usize = 1;
/// The number of the predicate that a state is bad.
const BAD: usize = 0;
/// Literals of a cube that may be needed after all before no more are tried.
const PATIENCE: u32 = 6;

impl Frames {
    /// Frame 0.
    pub fn new(mut view: Monolithic, lemma: Invariant, config: &Config) -> Result<Self, Reason> {
        let (frame, holds) = lemma::read(&mut view, &lemma);
        let initial = view.initial().map_err(|why| refused(&view, why))?;
        let transition = view.step(&frame).map_err(|why| refused(&view, why))?;
        let bad = view.bad(&frame).map_err(|why| refused(&view, why))?;
        let vectors: Vec<VectorId> = frame.keys().copied().collect();
        let locations: Vec<(VectorId, Term)> = vectors.iter().map(|at| (*at, view.is_at(*at))).collect();
        let start = view.system.initial_locations();
        let start = view.vector(&start);
        let side = |base: bool| -> Result<Side, Reason> {
            let mut solver = solver(&view, config.theory)?;
            solver.limit(Limits { deadline: None, work: config.work_limit });
            let terms = &view.system.terms;
            let before = if base { initial.after.clone() } else { Steps::start() };
            let after = before.then(&transition.after);
            if base {
                solver.assert(terms, initial.formula, &Steps::start())?;
            }
            solver.assert(terms, holds, &before)?;
            let steps = solver.activation()?;
            solver.assert_if(terms, steps, transition.formula, &before)?;
            solver.assert_if(terms, steps, holds, &after)?;
            let mut at = FxHashMap::default();
            for (vector, here) in &locations {
                let lits = [solver.lit(terms, *here, &before)?, solver.lit(terms, *here, &after)?];
                at.insert(*vector, lits);
            }
            Ok(Side { solver, before, after, steps, predicates: vec![], at })
        };
        let (base, step) = (side(true)?, side(false)?);
        let mut frames = Frames {
            view,
            lemma,
            start,
            vectors,
            predicates: vec![],
            known: FxHashMap::default(),
            base,
            step,
            levels: vec![],
            clauses: vec![vec![]],
        };
        frames.track(bad)?;
        let level = frames.step.solver.activation()?;
        frames.levels.push(level);
        frames.begin(&frame)?;
        Ok(frames)
    }
    /// Tracks what bad states are told from others by.
    fn begin(&mut self, frame: &Frame) -> Result<(), Reason> {
        let mut atoms = vec![];
        for (vector, known) in frame {
            let here = Frame::from([(*vector, known.clone())]);
            let bad = self.view.bad(&here).map_err(|why| refused(&self.view, why))?;
            let bad = self.without_location(bad, *vector);
            super::trace::atoms(&mut self.view.system.terms, bad, &mut atoms);
        }
        atoms.into_iter().try_for_each(|atom| self.track(atom).map(drop))
    }
    /// A formula at a vector, where it is known to be.
    fn without_location(&mut self, formula: Term, vector: VectorId) -> Term {
        let number = self.view.system.terms.int(ir::Id::index(vector) as i64);
        let known = FxHashMap::from_iter([(self.view.location, number)]);
        self.view.system.terms.substitute(formula, &known)
    }
    /// How other threads stop the solvers.
    pub fn interrupters(&self) -> [Interrupter; 2] {
        [self.base.solver.interrupter(), self.step.solver.interrupter()]
    }
    /// Questions so far, and the time they took.
    pub fn work(&self) -> (u64, Duration) {
        let ((a, b), (c, d)) = (self.base.solver.work(), self.step.solver.work());
        (a + c, b + d)
    }
    /// The number of the last frame.
    pub fn last(&self) -> usize {
        self.clauses.len() - 1
    }
    /// One more predicate; whether it is new.
    pub fn track(&mut self, predicate: Term) -> Result<bool, Reason> {
        let opposite = self.view.system.terms.not(predicate);
        let constant = self.view.system.terms.as_const(predicate).is_some();
        if constant && !self.predicates.is_empty() || self.known.contains_key(&predicate) {
            return Ok(false);
        }
        let number = self.predicates.len();
        self.predicates.push(predicate);
        self.known.extend([(predicate, number), (opposite, number)]);
        self.base.track(&self.view, predicate)?;
        self.step.track(&self.view, predicate)?;
        Ok(true)
    }
    /// One more frame, without clauses.
    pub fn grow(&mut self) -> Result<(), Reason> {
        self.levels.push(self.step.solver.activation()?);
        self.clauses.push(vec![]);
        Ok(())
    }
    /// The vector of an initial state that is bad.
    pub fn bad_initial(&mut self) -> Result<Option<Chain>, Reason> {
        let bad = self.base.predicates[BAD][BEFORE];
        Ok(match self.base.solver.check(&[bad])? {
            Answer::Sat => Some(vec![self.start]),
            Answer::Unsat => None,
        })
    }
    /// A bad cube of the last frame.
    pub fn bad(&mut self) -> Result<Option<Cube>, Reason> {
        let assumed = [self.step.predicates[BAD][BEFORE], *self.levels.last().expect("there is frame 0")];
        Ok(match self.step.solver.check(&assumed)? {
            Answer::Sat => Some(self.step.cube(&self.vectors)?),
            Answer::Unsat => None,
        })
    }
    /// Whether the clauses of a frame exclude a cube.
    pub fn is_excluded(&mut self, cube: &Cube, level: usize) -> Result<bool, Reason> {
        let within =
            |other: &Cube| other.at == cube.at && other.lits.iter().all(|lit| cube.lits.contains(lit));
        if self.clauses[level..].iter().flatten().any(within) {
            return Ok(true);
        }
        let mut assumed = self.step.lits(cube, BEFORE);
        assumed.extend(&self.levels[level..]);
        Ok(self.step.solver.check(&assumed)? == Answer::Unsat)
    }
    /// Whether an initial state may be in a cube.
    pub fn is_initial(&mut self, cube: &Cube) -> Result<bool, Reason> {
        if cube.at != self.start {
            return Ok(false);
        }
        let assumed = self.base.lits(cube, BEFORE);
        Ok(self.base.solver.check(&assumed)? == Answer::Sat)
    }
    /// Whether a step from the frame before leads into a cube, from outside it.
    pub fn way_into(&mut self, cube: &Cube, level: usize) -> Result<Way, Reason> {
        if level <= 1 {
            let mut assumed = self.base.lits(cube, AFTER);
            assumed.push(self.base.steps);
            return match self.base.solver.check(&assumed)? {
                Answer::Sat => Ok(Way::Initial(self.start)),
                Answer::Unsat => {
                    let core = self.base.core(cube, AFTER)?;
                    self.apart(cube, core).map(Way::None)
                }
            };
        }
        let outside = self.step.solver.activation()?;
        let mut clause: Vec<Lit> = self.step.lits(cube, BEFORE).into_iter().map(|lit| !lit).collect();
        clause.push(!outside);
        self.step.solver.clause(&clause)?;
        let mut assumed = self.step.lits(cube, AFTER);
        assumed.extend([self.step.steps, outside]);
        assumed.extend(&self.levels[level - 1..]);
        let answer = self.step.solver.check(&assumed)?;
        let way = match answer {
            Answer::Sat => Way::From(self.step.cube(&self.vectors)?),
            Answer::Unsat => {
                let core = self.step.core(cube, AFTER)?;
                Way::None(self.apart(cube, core)?)
            }
        };
        self.step.solver.clause(&[!outside])?;
        Ok(way)
    }
    /// A part of a cube with more of its literals, if it needs them to be without initial states.
    fn apart(&mut self, cube: &Cube, mut part: Cube) -> Result<Cube, Reason> {
        if !self.is_initial(&part)? {
            return Ok(part);
        }
        let assumed = self.base.lits(cube, BEFORE);
        if self.base.solver.check(&assumed)? == Answer::Sat {
            return Ok(cube.clone());
        }
        part.lits.extend(self.base.core(cube, BEFORE)?.lits);
        part.lits.sort_unstable();
        part.lits.dedup();
        Ok(part)
    }
    /// A small part of a cube into which no step leads from the frame before, and the last frame of which that is true.
    pub fn generalise(&mut self, mut cube: Cube, mut level: usize) -> Result<(Cube, usize), Reason> {
        let mut patience = PATIENCE;
        for lit in cube.lits.clone() {
            if patience == 0 || cube.lits.len() < 2 {
                break;
            }
            if !cube.lits.contains(&lit) {
                continue;
            }
            let mut less = cube.clone();
            less.lits.retain(|other| *other != lit);
            if self.is_initial(&less)? {
                continue;
            }
            match self.way_into(&less, level)? {
                Way::None(core) => cube = core,
                _ => patience -= 1,
            }
        }
        while level < self.last()
            && let Way::None(core) = self.way_into(&cube, level + 1)?
        {
            (cube, level) = (core, level + 1);
        }
        Ok((cube, level))
    }
    /// Adds a clause to a frame.
    pub fn exclude(&mut self, cube: Cube, level: usize) -> Result<(), Reason> {
        let mut clause: Vec<Lit> = self.step.lits(&cube, BEFORE).into_iter().map(|lit| !lit).collect();
        clause.push(!self.levels[level]);
        self.step.solver.clause(&clause)?;
        // What says less in a frame that is no later is not needed any more.
        let within =
            |other: &Cube| other.at == cube.at && cube.lits.iter().all(|lit| other.lits.contains(lit));
        self.clauses[..=level].iter_mut().for_each(|list| list.retain(|other| !within(other)));
        self.clauses[level].push(cube);
        Ok(())
    }
    /// The clauses of a frame that are in no later one.
    pub fn exactly_at(&self, level: usize) -> Vec<Cube> {
        self.clauses[level].clone()
    }
    /// What the clauses of frames from a level on say at a vector.
    pub fn formula(&mut self, vector: VectorId, level: usize) -> Term {
        let list: Vec<Cube> =
            self.clauses[level..].iter().flatten().filter(|cube| cube.at == vector).cloned().collect();
        let mut clauses = vec![];
        for cube in list {
            let mut parts = vec![];
            for (number, holds) in cube.lits {
                let predicate = self.without_location(self.predicates[number], vector);
                parts.push(if holds { self.view.system.terms.not(predicate) } else { predicate });
            }
            clauses.push(self.view.system.terms.or(parts));
        }
        self.view.system.terms.and(clauses)
    }
}

/// Whether a term is a predicate by itself: nothing but comparisons and truth values of data.
pub fn is_atom(terms: &ir::Terms, term: Term) -> bool {
    match *terms.node(term) {
        Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Const(_) => false,
        Node::Eq(a, _) => terms.type_of(a) != Type::Bool,
        Node::Ite(..) => false,
        _ => terms.type_of(term) == Type::Bool,
    }
}
