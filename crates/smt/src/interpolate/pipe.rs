//! Interpolants from another program, by the command `get-interpolants` of OpenSMT and SMTInterpol.

use std::time::Instant;

use ir::{Steps, Term, Terms, Type};
use rustc_hash::FxHashMap;

use crate::interrupt::Interrupt;
use crate::smtlib::{SmtlibSolver, read, variable};
use crate::solver::{Answer, Limits, Solver};
use crate::trace::instances;

/// Interpolants over variables at steps, unless the work becomes `unwanted`.
pub fn pipe(
    command: &str,
    terms: &mut Terms,
    formulas: &[Term],
    deadline: Option<Instant>,
    unwanted: impl Fn() -> bool + 'static,
) -> Result<Vec<Term>, Interrupt> {
    let mut names = FxHashMap::default();
    for formula in formulas {
        for (var, step) in instances(terms, *formula) {
            if !matches!(terms.var_type(var), Type::Bool | Type::Int | Type::Rat | Type::Clock) {
                return Err(Interrupt::Unsupported("enumerations and arrays over a pipe".into()));
            }
            names.insert(variable(var, step), terms.var_at(var, step));
        }
    }
    let options = ["(set-option :produce-interpolants true)"];
    let mut solver = SmtlibSolver::start_with(command, &options)?;
    solver.limit(Limits { deadline, work: None });
    solver.end_when(unwanted);
    let mut ask = String::from("(get-interpolants");
    for (at, formula) in formulas.iter().enumerate() {
        let text = solver.text(terms, *formula, &Steps::start())?;
        solver.send(&format!("(assert (! {text} :named part!{at}))"))?;
        ask += &format!(" part!{at}");
    }
    if solver.check(&[])? == Answer::Sat {
        return Err(Interrupt::Unknown("the trace can be executed".into()));
    }
    let answer = solver.ask(&(ask + ")"))?;
    let odd = || {
        Interrupt::Unsupported(format!(
            "reading back {}",
            answer.to_string().chars().take(80).collect::<String>()
        ))
    };
    let list = answer.list().filter(|list| list.len() + 1 == formulas.len()).ok_or_else(odd)?;
    let mut sequence = vec![terms.bool(true)];
    for formula in list {
        let term = read::term(terms, formula, &mut names).ok_or_else(odd)?;
        if terms.type_of(term) != Type::Bool {
            return Err(odd());
        }
        sequence.push(term);
    }
    sequence.push(terms.bool(false));
    Ok(sequence)
}
