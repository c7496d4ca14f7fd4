//! Formulas: those of certificates, taken into the arena of the system, and statements as formulas.
//!
//! What a certificate says is a claim, and is shown as it is read here, so it does not matter what its author meant: only
//! that what is read is a formula over the variables of the system. Its arena has not been looked at by anybody, so each
//! node is looked at before its copy is made, children first.

use ir::{Bitwise, Id, NamedVar, Node, Scope, Steps, Stmt, System, Term, Terms, Type, Valuation};

use super::Cx;
use crate::{Flaw, FormulaFlaw, Place, Rejection, Undecided};

/// The formula that a term of another arena is, in the arena of the system.
pub(super) fn import(
    system: &mut System,
    from: &Terms,
    formula: Term,
    place: Place,
) -> Result<Term, Rejection> {
    let term = copy(system, from, formula).map_err(|flaw| place.wrong(Flaw::Formula(flaw)))?;
    match system.terms.type_of(term) {
        Type::Bool => Ok(term),
        _ => Err(place.wrong(Flaw::Formula(FormulaFlaw::NotATruthValue))),
    }
}

/// The term of another arena, in the arena of the system.
pub(super) fn copy(system: &mut System, from: &Terms, term: Term) -> Result<Term, FormulaFlaw> {
    if term.index() >= from.len() {
        return Err(FormulaFlaw::NoSuchTerm(term.index()));
    }
    // Which nodes are needed: children are older than their parents.
    let mut needed = vec![false; term.index() + 1];
    needed[term.index()] = true;
    for at in (0..=term.index()).rev() {
        if !needed[at] {
            continue;
        }
        let mut older = true;
        from.node(Term::at(at)).for_each_child(|child| match child.index() < at {
            true => needed[child.index()] = true,
            false => older = false,
        });
        if !older {
            return Err(FormulaFlaw::Ahead(at));
        }
    }
    let mut copies: Vec<Option<Term>> = vec![None; term.index() + 1];
    for at in 0..=term.index() {
        if needed[at] {
            copies[at] = Some(node(system, from, at, &|child| copies[child.index()].expect("it is older"))?);
        }
    }
    Ok(copies[term.index()].expect("it is needed"))
}

/// One node, given the copies of its children.
fn node(
    system: &mut System,
    from: &Terms,
    at: usize,
    child: &dyn Fn(&Term) -> Term,
) -> Result<Term, FormulaFlaw> {
    let wrong = || FormulaFlaw::Types(at);
    let has =
        |system: &System, term: &Term, types: &[Type]| types.contains(&system.terms.type_of(child(term)));
    const NUMBERS: &[Type] = &[Type::Int, Type::Rat, Type::Clock];
    let all =
        |system: &System, list: &[Term], types: &[Type]| list.iter().all(|term| has(system, term, types));
    let array = |system: &System, term: &Term| match system.terms.type_of(child(term)) {
        Type::Array(id) => Ok(system.types().array_type(id)),
        _ => Err(wrong()),
    };
    let fits = |fit: bool| if fit { Ok(()) } else { Err(wrong()) };
    let ty = |system: &System, term: &Term| system.terms.type_of(child(term));
    Ok(match from.node(Term::at(at)) {
        Node::Const(value) if !system.types().contain(value) => return Err(FormulaFlaw::UnknownValue(at)),
        Node::Const(value) => system.terms.constant(value.clone()),
        Node::Var(var, step) => {
            let Some(variable) = system.vars.get(*var) else {
                return Err(FormulaFlaw::NoSuchVariable(var.index()));
            };
            if variable.scope != Scope::State {
                return Err(FormulaFlaw::NotOfState(NamedVar::of(system, *var)));
            }
            if *step != 0 {
                return Err(FormulaFlaw::AnotherTime(NamedVar::of(system, *var)));
            }
            system.terms.var(*var)
        }
        Node::At(..) | Node::Deadlock => return Err(FormulaFlaw::NotOnlyValues),
        Node::Not(a) => {
            fits(has(system, a, &[Type::Bool]))?;
            system.terms.not(child(a))
        }
        Node::And(list) | Node::Or(list) => {
            fits(all(system, list, &[Type::Bool]))?;
            let parts: Vec<Term> = list.iter().map(child).collect();
            let is_and = matches!(from.node(Term::at(at)), Node::And(_));
            if is_and { system.terms.and(parts) } else { system.terms.or(parts) }
        }
        Node::Eq(a, b) => {
            fits(ty(system, a) == ty(system, b) || all(system, &[*a, *b], NUMBERS))?;
            system.terms.eq(child(a), child(b))
        }
        Node::Le(a, b) | Node::Lt(a, b) => {
            fits(all(system, &[*a, *b], NUMBERS))?;
            let strict = matches!(from.node(Term::at(at)), Node::Lt(..));
            if strict { system.terms.lt(child(a), child(b)) } else { system.terms.le(child(a), child(b)) }
        }
        Node::Ite(c, a, b) => {
            let alike = ty(system, a) == ty(system, b) || all(system, &[*a, *b], NUMBERS);
            fits(has(system, c, &[Type::Bool]) && alike)?;
            system.terms.ite(child(c), child(a), child(b))
        }
        Node::Add(list) => {
            fits(all(system, list, NUMBERS))?;
            system.terms.add(list.iter().map(child).collect::<Vec<_>>())
        }
        Node::Mul(list) => {
            fits(all(system, list, NUMBERS))?;
            system.terms.mul(list.iter().map(child).collect::<Vec<_>>())
        }
        Node::Div(a, b) => {
            fits(all(system, &[*a, *b], NUMBERS))?;
            system.terms.div(child(a), child(b))
        }
        Node::Mod(a, b) | Node::Rem(a, b) => {
            fits(all(system, &[*a, *b], &[Type::Int]))?;
            let euclidean = matches!(from.node(Term::at(at)), Node::Mod(..));
            if euclidean {
                system.terms.modulo(child(a), child(b))
            } else {
                system.terms.rem(child(a), child(b))
            }
        }
        Node::BitAnd(a, b) | Node::BitOr(a, b) | Node::BitXor(a, b) => {
            fits(all(system, &[*a, *b], &[Type::Int]))?;
            let op = match from.node(Term::at(at)) {
                Node::BitAnd(..) => Bitwise::And,
                Node::BitOr(..) => Bitwise::Or,
                _ => Bitwise::Xor,
            };
            system.terms.bitwise(op, child(a), child(b))
        }
        Node::Read(a, i) => {
            fits(array(system, a)?.index == ty(system, i))?;
            system.terms.read(child(a), child(i))
        }
        Node::Write(a, i, v) => {
            let parts = array(system, a)?;
            fits(parts.index == ty(system, i) && parts.element == ty(system, v))?;
            system.terms.write(child(a), child(i), child(v))
        }
        Node::Fill(id, v) => {
            if !system.types().agree(&from.types, Type::Array(*id)) {
                return Err(FormulaFlaw::UnknownType(at));
            }
            fits(system.types().array_type(*id).element == ty(system, v))?;
            system.terms.fill(*id, child(v))
        }
    })
}

impl Cx<'_> {
    /// Checks that from every state where all of `premise` holds, every execution of `stmt` ends where `goal` holds, and
    /// refuses with `flaw` if not.
    pub(super) fn ends_in(
        &self,
        system: &mut System,
        (premise, stmt, goal): (&[Term], Stmt, Term),
        place: Place,
        flaw: Flaw,
    ) -> Result<(), Rejection> {
        let mut steps = Steps::start();
        let known = known(&system.terms, premise);
        let execution = execution(system, stmt, &known, &mut steps, place)?;
        let missed = system.terms.not(goal);
        let missed = steps.apply(&mut system.terms, missed);
        let parts: Vec<Term> = premise.iter().copied().chain([execution, missed]).collect();
        match self.satisfiable(system, &parts, place)? {
            true => Err(place.wrong(flaw)),
            false => Ok(()),
        }
    }
}

/// A statement as a formula, from `steps` to `steps`. A loop is unrolled, which takes values that are known before it.
pub(super) fn execution(
    system: &mut System,
    stmt: Stmt,
    known: &Valuation,
    steps: &mut Steps,
    place: Place,
) -> Result<Term, Rejection> {
    let mut after = steps.clone();
    if let Ok(formula) = ir::unfold(&mut system.terms, stmt, &mut after) {
        *steps = after;
        return Ok(formula);
    }
    let unrolled = ir::simplify(&mut system.terms, stmt, &mut known.clone());
    ir::unfold(&mut system.terms, unrolled, steps).map_err(|_| Undecided::Loop(place).into())
}

/// The values that variables must have where all of `premise` holds, as far as it says so in plain words.
fn known(terms: &Terms, premise: &[Term]) -> Valuation {
    let (mut known, mut open) = (Valuation::default(), premise.to_vec());
    while let Some(part) = open.pop() {
        match terms.node(part) {
            Node::And(list) => open.extend(list.iter().copied()),
            Node::Eq(a, b) if terms.as_const(*b).is_some() && terms.type_of(*a) == terms.type_of(*b) => {
                if let Node::Var(var, 0) = terms.node(*a) {
                    known.insert(*var, *b);
                }
            }
            _ => {}
        }
    }
    known
}
