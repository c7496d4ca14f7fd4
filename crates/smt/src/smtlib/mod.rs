//! Any other solver: a process that speaks SMT-LIB 2 over a pipe.
//!
//! Useful as an independent judge and for what Z3 lacks. A call costs about 100 µs. A process that
//! answers nonsense, ends or does not end in time is killed with everything it started, and every later
//! question fails too; a wrong answer is never made up.

mod print;
mod process;
pub(crate) mod read;
mod sexpr;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ir::{Int, Node, Steps, Term, Terms, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupt::{Interrupt, Interrupter};
use crate::smtlib::process::Process;
use crate::solver::{Answer, Limits, Lit, Solver, least_value, value_by_parts};

pub use print::script;
pub(crate) use print::variable;
pub use process::end_all;
pub use sexpr::Sexpr;

/// A solver behind a pipe.
pub struct SmtlibSolver {
    process: Process,
    ranges: FxHashMap<VarId, (Int, Int)>,
    declared: FxHashSet<String>,
    /// Commands that hold in every scope, with the scope they were last given in.
    lasting: Vec<(String, usize)>,
    scopes: usize,
    lits: usize,
    lit_of_term: FxHashMap<String, Lit>,
    questions: usize,
    limits: Limits,
    stopped: Arc<AtomicBool>,
}

impl SmtlibSolver {
    /// Starts a command, a program and its arguments separated by spaces.
    pub fn start(command: &str) -> Result<Self, Interrupt> {
        Self::start_with(command, &["(set-option :produce-unsat-assumptions true)"])
    }
    /// Starts a command with these options instead of the one for cores.
    pub fn start_with(command: &str, options: &[&str]) -> Result<Self, Interrupt> {
        let mut solver = SmtlibSolver {
            process: Process::start(command)?,
            ranges: FxHashMap::default(),
            declared: FxHashSet::default(),
            lasting: vec![],
            scopes: 0,
            lits: 0,
            lit_of_term: FxHashMap::default(),
            questions: 0,
            limits: Limits::default(),
            stopped: Arc::default(),
        };
        solver.send("(set-option :print-success false)")?;
        solver.send("(set-option :produce-models true)")?;
        for option in options {
            solver.send(option)?;
        }
        solver.send("(set-logic ALL)")?;
        Ok(solver)
    }

    /// Sends a command that has no answer.
    pub fn send(&mut self, command: &str) -> Result<(), Interrupt> {
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Interrupt::Stopped);
        }
        self.process.send(command).map_err(|error| self.why(error))
    }
    /// Sends a command and reads its answer.
    ///
    /// An answer must come together with the number of its question: a solver that says more or less
    /// than it was asked would otherwise answer the next question with what it said to this one.
    pub fn ask(&mut self, command: &str) -> Result<Sexpr, Interrupt> {
        self.questions += 1;
        let number = format!("question-{}", self.questions);
        self.send(&format!("{command}\n(echo \"{number}\")"))?;
        let answer = self.receive()?;
        if let Some([Sexpr::Atom(error), message]) = answer.list()
            && error == "error"
        {
            return Err(self.process.broken(&format!("answered with the error {message}")));
        }
        // Some solvers print the text without its quotes.
        let end = self.receive()?.to_string();
        if end.trim_matches('"') != number {
            let (answer, end) = (brief(&answer.to_string()), brief(&end));
            return Err(self
                .process
                .broken(&format!("answered `{answer}` and then `{end}` to one question")));
        }
        Ok(answer)
    }
    fn receive(&mut self) -> Result<Sexpr, Interrupt> {
        let text = self.process.receive(self.limits.deadline).map_err(|error| self.why(error))?;
        Sexpr::parse(&text).ok_or_else(|| {
            self.process.broken(&format!("answered `{}`, which is not an expression", brief(&text)))
        })
    }
    /// Ends the process while it is waited for, as soon as `unwanted` says so.
    pub(crate) fn end_when(&mut self, unwanted: impl Fn() -> bool + 'static) {
        self.process.unwanted = Some(Box::new(unwanted));
    }
    fn why(&self, error: Interrupt) -> Interrupt {
        if self.stopped.load(Ordering::SeqCst) { Interrupt::Stopped } else { error }
    }
    fn send_lasting(&mut self, command: String) -> Result<(), Interrupt> {
        self.send(&command)?;
        self.lasting.push((command, self.scopes));
        Ok(())
    }
    /// The text of `term`; its variables and their types are declared.
    pub fn text(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<String, Interrupt> {
        let mut leaves = vec![];
        terms.for_each_subterm(term, |t| {
            if let Node::Var(..) | Node::At(..) | Node::Const(_) | Node::Fill(..) = terms.node(t) {
                leaves.push(t);
            }
        });
        for leaf in leaves {
            self.declare_types(terms, terms.type_of(leaf))?;
            match *terms.node(leaf) {
                Node::Var(var, step) => self.declare_variable(terms, var, step + at.of(var))?,
                Node::At(process, location) => {
                    let name = format!("{process:?}.{location:?}");
                    if self.declared.insert(name.clone()) {
                        self.send_lasting(format!("(declare-fun {name} () Bool)"))?;
                    }
                }
                _ => {}
            }
        }
        print::term(terms, &self.ranges, term, at)
    }
    fn declare_types(&mut self, terms: &Terms, ty: Type) -> Result<(), Interrupt> {
        match ty {
            Type::Enum(id) => {
                if self.declared.insert(format!("{id:?}")) {
                    self.send_lasting(print::declare_enum(terms, id))?;
                }
                Ok(())
            }
            Type::Array(id) => {
                let parts = terms.types.array_type(id);
                self.declare_types(terms, parts.index)?;
                self.declare_types(terms, parts.element)
            }
            _ => Ok(()),
        }
    }
    fn declare_variable(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<(), Interrupt> {
        let name = print::variable(var, step);
        if !self.declared.insert(name.clone()) {
            return Ok(());
        }
        let ty = terms.var_type(var);
        self.send_lasting(format!("(declare-fun {name} () {})", print::sort(terms, ty)))?;
        if let Some((least, greatest)) = self.ranges.get(&var).cloned() {
            let number = |number: Int| print::value(terms, &Value::Int(number));
            let (least, greatest) = (number(least), number(greatest));
            self.send_lasting(format!("(assert (<= {least} {name} {greatest}))"))?;
        }
        if ty == Type::Clock {
            self.send_lasting(format!("(assert (<= 0.0 {name}))"))?;
        }
        Ok(())
    }
    fn spell(lit: Lit) -> String {
        match lit.parts() {
            (index, false) => format!("l!{index}"),
            (index, true) => format!("(not l!{index})"),
        }
    }
}

impl Solver for SmtlibSolver {
    fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        match range {
            Some(range) => self.ranges.insert(var, range),
            None => self.ranges.remove(&var),
        };
    }
    fn assert(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<(), Interrupt> {
        let text = self.text(terms, term, at)?;
        self.send(&format!("(assert {text})"))
    }
    fn assert_if(&mut self, terms: &Terms, condition: Lit, term: Term, at: &Steps) -> Result<(), Interrupt> {
        let text = self.text(terms, term, at)?;
        self.send(&format!("(assert (=> {} {text}))", Self::spell(condition)))
    }
    fn clause(&mut self, clause: &[Lit]) -> Result<(), Interrupt> {
        let list: Vec<String> = clause.iter().map(|lit| Self::spell(*lit)).collect();
        self.send(&format!("(assert (or false {}))", list.join(" ")))
    }
    fn lit(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Lit, Interrupt> {
        if let Node::Not(inner) = terms.node(term) {
            return Ok(!self.lit(terms, *inner, at)?);
        }
        let text = self.text(terms, term, at)?;
        if let Some(known) = self.lit_of_term.get(&text) {
            return Ok(*known);
        }
        let lit = self.activation()?;
        self.send_lasting(format!("(assert (= {} {text}))", Self::spell(lit)))?;
        self.lit_of_term.insert(text, lit);
        Ok(lit)
    }
    fn activation(&mut self) -> Result<Lit, Interrupt> {
        let lit = Lit::new(self.lits);
        self.lits += 1;
        self.send_lasting(format!("(declare-fun {} () Bool)", Self::spell(lit)))?;
        Ok(lit)
    }
    fn push(&mut self) -> Result<(), Interrupt> {
        self.send("(push 1)")?;
        self.scopes += 1;
        Ok(())
    }
    fn pop(&mut self) -> Result<(), Interrupt> {
        assert!(self.scopes > 0, "no scope is open");
        self.send("(pop 1)")?;
        self.scopes -= 1;
        let lost = self.lasting.partition_point(|(_, scope)| *scope <= self.scopes);
        for at in lost..self.lasting.len() {
            let command = self.lasting[at].0.clone();
            self.send(&command)?;
            self.lasting[at].1 = self.scopes;
        }
        Ok(())
    }
    fn check(&mut self, assumptions: &[Lit]) -> Result<Answer, Interrupt> {
        let list: Vec<String> = assumptions.iter().map(|lit| Self::spell(*lit)).collect();
        let command = match list.len() {
            0 => "(check-sat)".to_owned(),
            _ => format!("(check-sat-assuming ({}))", list.join(" ")),
        };
        let answer = self.ask(&command)?;
        match answer.atom() {
            Some("sat") => Ok(Answer::Sat),
            Some("unsat") => Ok(Answer::Unsat),
            Some("unknown") => Err(Interrupt::Unknown("it answered `unknown`".into())),
            _ => Err(self.process.broken(&format!("answered `{}` to a check", brief(&answer.to_string())))),
        }
    }
    fn core(&mut self) -> Result<Vec<Lit>, Interrupt> {
        let answer = self.ask("(get-unsat-assumptions)")?;
        let read = |part: &Sexpr| -> Option<Lit> {
            let (name, negated) = match part {
                Sexpr::Atom(name) => (name.as_str(), false),
                Sexpr::List(list) => (list.get(1)?.atom()?, true),
            };
            let index: usize = name.strip_prefix("l!")?.parse().ok()?;
            let lit = (index < self.lits).then(|| Lit::new(index))?;
            Some(if negated { !lit } else { lit })
        };
        let core = answer.list().and_then(|list| list.iter().map(read).collect());
        core.ok_or_else(|| {
            self.process.broken(&format!("answered `{}` for a core", brief(&answer.to_string())))
        })
    }
    fn truth(&mut self, lit: Lit) -> Result<Option<bool>, Interrupt> {
        let answer = self.ask(&format!("(get-value ({}))", Self::spell(lit)))?;
        match entry(&answer).and_then(Sexpr::atom) {
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            _ => Err(self
                .process
                .broken(&format!("answered `{}` for a truth value", brief(&answer.to_string())))),
        }
    }
    fn value(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Value, Interrupt> {
        // What is new to the solver may be anything it may be, and declaring it now would end the model.
        let mut unknown = false;
        terms.for_each_subterm(term, |t| {
            if let Node::Var(var, step) = *terms.node(t) {
                unknown |= !self.declared.contains(&print::variable(var, step + at.of(var)));
            }
        });
        if unknown {
            if let Node::Var(var, _) = *terms.node(term) {
                return Ok(least_value(terms, var, self.ranges.get(&var)));
            }
            return value_by_parts(self, terms, term, at);
        }
        let text = print::term(terms, &self.ranges, term, at)?;
        let answer = self.ask(&format!("(get-value ({text}))"))?;
        let found = entry(&answer).and_then(|entry| read::value(&terms.types, entry, terms.type_of(term)));
        found.ok_or_else(|| Interrupt::Unsupported(format!("the value {}", brief(&answer.to_string()))))
    }
    fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }
    fn interrupter(&self) -> Interrupter {
        let killer = self.process.killer();
        Interrupter::new(self.stopped.clone(), move || killer.kill())
    }
}

/// The value in an answer of the form `((term value))`.
fn entry(answer: &Sexpr) -> Option<&Sexpr> {
    match answer.list()? {
        [pair] => pair.list()?.get(1),
        _ => None,
    }
}

fn brief(text: &str) -> String {
    text.chars().take(80).collect()
}
