//! Infeasible traces recorded from XSTS models: those of the project, and those of a corpus beside the
//! workspace if there is one.
//!
//! A path is recorded as abstraction would walk it: from the initial states, one action after the
//! other as long as they can be executed together, and in the end states that cannot be reached along
//! it. These are the states that violate the property of the model or, where the path can reach one,
//! those where some conditions of the model hold that never do here.

use std::path::{Path, PathBuf};

use ir::{Id, Int, Node, Steps, Stmt, Term, Terms, Type, VarId};
use smt::z3::Z3Solver;
use smt::{Answer, Limits, Solver};

use crate::traces::Random;

/// A model by its name, and its text.
pub struct Source {
    pub name: String,
    pub text: String,
}

/// An infeasible trace with the arena it lives in.
pub struct Recorded {
    pub terms: Terms,
    pub ranges: Vec<(VarId, (Int, Int))>,
    pub stmts: Vec<Stmt>,
}

/// How many ends are tried for a path.
const ENDS: usize = 24;
/// The work for one question while recording; harder steps are not taken.
const WORK: u32 = 500_000;

/// All models, in a fixed order.
pub fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for folder in ["cases/xsts", "examples", "../shared/corpus/xsts"] {
        let before = files.len();
        if let Ok(entries) = std::fs::read_dir(root.join(folder)) {
            files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        }
        files[before..].sort();
    }
    let is_model = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "xsts");
    let read = |path: PathBuf| {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        Some(Source { name, text: std::fs::read_to_string(path).ok()? })
    };
    files.into_iter().filter(is_model).filter_map(read).collect()
}

/// A trace of 5 to 40 steps along a random path, if the model has one that ends in an impossible state
/// and needs neither delays nor loops of unknown length.
pub fn record(source: &Source, seed: u64) -> Option<Recorded> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let model = lang::xsts::load(&source.text).ok()?;
    let own = model.property();
    let mut system = model.system;
    let length = random.between(5, 40) as usize;
    let mut walk = Walk::new(&system);
    let start = ir::initial(&mut system);
    walk.extend(&mut system.terms, start)?.then_some(())?;
    let mut locations = system.initial_locations();
    // Steps that do nothing are not recorded, and a model may have no others.
    for _ in 0..2 * length {
        if walk.stmts.len() + 1 >= length {
            break;
        }
        let mut actions = ir::actions(&mut system, &locations);
        let mut taken = None;
        while !actions.is_empty() && taken.is_none() {
            let action = actions.swap_remove(random.between(0, actions.len() as u64 - 1) as usize);
            if !system.is_fault(&action.target) && walk.extend(&mut system.terms, action.stmt)? {
                taken = Some(action.target);
            }
        }
        match taken {
            Some(target) => locations = target,
            None => break,
        }
    }
    if walk.stmts.len() < 4 {
        return None;
    }
    let mut ends = vec![];
    if let Some(property) = own
        && system.is_observed(&locations)
    {
        let target = system.question(property.claim).target().expect("about reachability");
        ends.extend(ir::at_locations(&mut system, target, &locations));
    }
    let atoms = atoms(&system);
    for _ in 0..ENDS.min(atoms.len() * 4) {
        let mut pick = || {
            let atom = atoms[random.between(0, atoms.len() as u64 - 1) as usize];
            if random.between(0, 1) == 0 { atom } else { system.terms.not(atom) }
        };
        let pair = [pick(), pick()];
        ends.push(system.terms.and(pair));
    }
    for end in ends {
        if system.terms.as_const(end).is_none() && walk.excludes(&system.terms, end)? {
            walk.stmts.push(system.terms.assume(end));
            return Some(Recorded { stmts: walk.stmts, ranges: walk.ranges, terms: system.terms });
        }
    }
    None
}

/// The part of a path that has been walked.
struct Walk {
    stmts: Vec<Stmt>,
    ranges: Vec<(VarId, (Int, Int))>,
    steps: Steps,
    solver: Z3Solver,
}

impl Walk {
    fn new(system: &ir::System) -> Self {
        let mut solver = Z3Solver::new().expect("a solver");
        solver.limit(Limits { deadline: None, work: Some(WORK) });
        let mut ranges = vec![];
        for var in system.vars.ids() {
            if let Some(range) = &system.vars[var].range {
                solver.declare(var, Some(range.clone()));
                ranges.push((var, range.clone()));
            }
        }
        Walk { stmts: vec![], ranges, steps: Steps::start(), solver }
    }
    /// Walks on if that is possible; `None` if the statement has no formula.
    fn extend(&mut self, terms: &mut Terms, stmt: Stmt) -> Option<bool> {
        let stmt = ir::simplify(terms, stmt, &mut ir::Valuation::default());
        let mut next = self.steps.clone();
        let formula = ir::unfold(terms, stmt, &mut next).ok()?;
        self.solver.push().ok()?;
        self.solver.assert(terms, formula, &Steps::start()).ok()?;
        if self.solver.check(&[]) != Ok(Answer::Sat) {
            self.solver.pop().ok()?;
            return Some(false);
        }
        self.steps = next;
        if stmt != terms.skip() {
            self.stmts.push(stmt);
        }
        Some(true)
    }
    /// Whether the path cannot end in such a state.
    fn excludes(&mut self, terms: &Terms, end: Term) -> Option<bool> {
        let end = self.solver.lit(terms, end, &self.steps).ok()?;
        Some(self.solver.check(&[end]) == Ok(Answer::Unsat))
    }
}

/// Conditions over the state that occur somewhere in the model.
fn atoms(system: &ir::System) -> Vec<Term> {
    let terms = &system.terms;
    let state: Vec<VarId> = system.state_vars().collect();
    let over_state = |term: Term| {
        let vars = terms.vars_of(term);
        !vars.is_empty() && vars.iter().all(|var| state.contains(var))
    };
    let is_atom = |term: &Term| match *terms.node(*term) {
        Node::Eq(a, _) => terms.type_of(a) != Type::Bool,
        Node::Le(..) | Node::Lt(..) => true,
        Node::Var(_, 0) => terms.type_of(*term) == Type::Bool,
        _ => false,
    };
    let now = |term: Term| {
        let mut now = true;
        terms.for_each_subterm(term, |t| now &= !matches!(terms.node(t), Node::Var(_, step) if *step != 0));
        now
    };
    (0..terms.len()).map(Term::at).filter(|term| is_atom(term) && over_state(*term) && now(*term)).collect()
}
