//! What must be true of a certificate before anything can be asked about it.
//!
//! A certificate comes with an arena of its own, which nobody has looked at yet. Every node that its
//! formulas reach is checked once: its children exist and are older, types fit, variables are state
//! variables of the system, constants are values of its types.
//!
//! Numbers may be mixed. What is made of integers only is an integer, everything else is a rational, and
//! evaluation and solvers agree on it. It matters to quotients alone, which are Euclidean for integers and exact for
//! rationals. A clock may be set to an integer, though, and `x / 2` would become another quotient by it: so those are
//! refused that do not stay exact whatever is put in place of variables.

use ir::{Head, Id, Invariant, LocationId, NamedVar, Node, Ranking, Scope, System, Term, Terms, Type};
use rustc_hash::FxHashMap;

use crate::{Flaw, FormulaFlaw, Place, Rejection};

/// Checks that every entry has known locations, a well-formed formula and hints that exist, and a ranking that fits if
/// there are any; tells which nodes of the arena the formulas and the components of rankings reach.
pub fn check(
    system: &System,
    invariant: &Invariant,
    ranks: Option<&[Ranking]>,
) -> Result<Vec<bool>, Rejection> {
    let Invariant { terms, initial, entries } = invariant;
    if ranks.is_some_and(|ranks| ranks.len() != entries.len()) {
        return Err(Place::Whole.wrong(Flaw::Measures));
    }
    let known = |hint: &u32| (*hint as usize) < entries.len();
    if let Some(hint) = initial.iter().find(|hint| !known(hint)) {
        return Err(Place::InitialStates.wrong(Flaw::NoSuchEntry(*hint)));
    }
    let mut nodes = Nodes { system, terms, seen: vec![false; terms.len()] };
    for (number, entry) in entries.iter().enumerate() {
        let place = Place::Entry(number);
        if !is_vector(system, &entry.locations) {
            return Err(place.wrong(Flaw::Locations));
        }
        if let Some(hint) = entry.successors.iter().find(|hint| !known(hint)) {
            return Err(place.wrong(Flaw::NoSuchEntry(*hint)));
        }
        nodes.check(entry.formula).map_err(|flaw| place.wrong(Flaw::Formula(flaw)))?;
        if terms.type_of(entry.formula) != Type::Bool {
            return Err(place.wrong(Flaw::Formula(FormulaFlaw::NotATruthValue)));
        }
    }
    let mut counts = FxHashMap::default();
    for (number, ranking) in ranks.into_iter().flatten().enumerate() {
        let place = Place::Entry(number);
        for component in &ranking.components {
            nodes.check(*component).map_err(|flaw| place.wrong(Flaw::Formula(flaw)))?;
            if terms.type_of(*component) != Type::Int {
                return Err(place.wrong(Flaw::Formula(FormulaFlaw::NotAnInteger)));
            }
        }
        let count = ranking.components.len();
        if *counts.entry(ranking.rank).or_insert(count) != count {
            return Err(place.wrong(Flaw::Measures));
        }
    }
    nodes.check_quotients().map_err(|flaw| Place::Whole.wrong(Flaw::Formula(flaw)))?;
    Ok(nodes.seen)
}

/// The formula of a recurrent set in the arena of the system, if it can be relied on.
pub fn formula_of(system: &mut System, head: &Head) -> Result<Term, FormulaFlaw> {
    let Head { terms, formula } = head;
    let mut nodes = Nodes { system, terms, seen: vec![false; terms.len()] };
    nodes.check(*formula)?;
    nodes.check_quotients()?;
    if terms.type_of(*formula) != Type::Bool {
        return Err(FormulaFlaw::NotATruthValue);
    }
    Ok(system.terms.import(terms, *formula, &mut |terms, var| terms.var(var)))
}

/// Whether every process of the model has one of these locations.
fn is_vector(system: &System, locations: &[LocationId]) -> bool {
    locations.len() == system.processes.len()
        && system.processes.iter().zip(locations).all(|(process, at)| process.locations.get(*at).is_some())
}

struct Nodes<'a> {
    system: &'a System,
    terms: &'a Terms,
    /// Nodes that have been checked, or will be before anybody relies on them.
    seen: Vec<bool>,
}

impl Nodes<'_> {
    fn check(&mut self, formula: Term) -> Result<(), FormulaFlaw> {
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            if term.index() >= self.seen.len() {
                return Err(FormulaFlaw::NoSuchTerm(term.index()));
            }
            if std::mem::replace(&mut self.seen[term.index()], true) {
                continue;
            }
            let mut older = true;
            self.terms.node(term).for_each_child(|child| {
                older &= child < term;
                stack.push(child);
            });
            if !older {
                return Err(FormulaFlaw::Ahead(term.index()));
            }
            self.node(term)?;
        }
        Ok(())
    }
    fn node(&self, term: Term) -> Result<(), FormulaFlaw> {
        let (system, terms) = (self.system, self.terms);
        let ty = terms.type_of(term);
        if !system.types().agree(&terms.types, ty) {
            return Err(FormulaFlaw::UnknownType(term.index()));
        }
        match terms.node(term) {
            Node::Const(value) if !system.types().contain(value) => {
                return Err(FormulaFlaw::UnknownValue(term.index()));
            }
            Node::Const(_) => return Ok(()),
            Node::Var(var, step) => {
                let Some(variable) = system.vars.get(*var) else {
                    return Err(FormulaFlaw::NoSuchVariable(var.index()));
                };
                let named = || NamedVar::of(system, *var);
                return match () {
                    () if *step != 0 => Err(FormulaFlaw::AnotherTime(named())),
                    () if variable.scope != Scope::State => Err(FormulaFlaw::NotOfState(named())),
                    () if system.terms.var_type(*var) != ty => Err(FormulaFlaw::AnotherType(named())),
                    () => Ok(()),
                };
            }
            Node::At(..) | Node::Deadlock => {
                return Err(FormulaFlaw::NotOnlyValues);
            }
            _ => {}
        }
        match self.well_typed(term) {
            true => Ok(()),
            false => Err(FormulaFlaw::Types(term.index())),
        }
    }
    /// Checks, after all else, that quotients mean the same whatever is put in place of variables.
    fn check_quotients(&self) -> Result<(), FormulaFlaw> {
        let terms = self.terms;
        // What is a rational and stays one: models set rational variables to rationals only.
        let mut stays = vec![false; self.seen.len()];
        for term in (0..self.seen.len()).filter(|at| self.seen[*at]).map(Term::at) {
            let part_stays = |part: &Term| stays[part.index()];
            let node = terms.node(term);
            let is_rational = terms.type_of(term) == Type::Rat;
            let all = match node {
                Node::Add(list) | Node::Mul(list) => list.iter().all(part_stays),
                Node::Ite(_, a, b) => part_stays(a) && part_stays(b),
                // By 1, it is the dividend itself.
                Node::Div(a, _) => part_stays(a),
                _ => true,
            };
            if let Node::Div(a, b) = node
                && terms.type_of(term) != Type::Int
                && !part_stays(a)
                && !part_stays(b)
            {
                return Err(FormulaFlaw::Quotient(term.index()));
            }
            stays[term.index()] = is_rational && all;
        }
        Ok(())
    }
    /// Whether an operator has operands of its types, and a result of its type.
    fn well_typed(&self, term: Term) -> bool {
        let terms = self.terms;
        let ty = |term: &Term| terms.type_of(*term);
        let is_bool = |term: &Term| ty(term) == Type::Bool;
        let is_int = |term: &Term| ty(term) == Type::Int;
        let is_number = |term: &Term| matches!(ty(term), Type::Int | Type::Rat | Type::Clock);
        let array = |term: &Term| match ty(term) {
            // The operand itself may not have been looked at yet.
            Type::Array(id) if self.system.types().agree(&terms.types, ty(term)) => {
                Some(terms.types.array_type(id))
            }
            _ => None,
        };
        let own = ty(&term);
        // An integer is made of integers only, and what is made of them is one.
        let fit = |list: &[Term]| list.iter().all(is_number) && (own == Type::Int) == list.iter().all(is_int);
        match terms.node(term) {
            Node::Const(_) | Node::Var(..) | Node::At(..) | Node::Deadlock => true,
            Node::Not(a) => is_bool(a),
            Node::And(list) | Node::Or(list) => list.iter().all(is_bool),
            Node::Eq(a, b) => ty(a) == ty(b) || (is_number(a) && is_number(b)),
            Node::Le(a, b) | Node::Lt(a, b) => is_number(a) && is_number(b),
            Node::Ite(c, a, b) => is_bool(c) && (own == ty(a) && own == ty(b) || fit(&[*a, *b])),
            Node::Add(list) | Node::Mul(list) => fit(list),
            Node::Div(a, b) => fit(&[*a, *b]),
            Node::Mod(a, b)
            | Node::Rem(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b) => is_int(a) && is_int(b),
            Node::Read(a, i) => array(a).is_some_and(|parts| parts.index == ty(i)),
            Node::Write(a, i, v) => {
                array(a).is_some_and(|parts| parts.index == ty(i) && parts.element == ty(v))
            }
            Node::Fill(id, v) => terms.types.array_type(*id).element == ty(v),
        }
    }
}
