//! From a circuit to a [`System`]: one location, a truth value for each input and latch, and one edge.
//!
//! A state is that of the latches together with the inputs at that time, so that bad states, which may look at inputs, are
//! conditions on states. A step needs the constraints to hold; latches get their next values, and inputs any. Where
//! constraints do not hold, nothing is bad.

use ir::ltl::{Builder, Node};
use ir::{
    Claim, Edge, Guarded, Location, LocationKind, Process, Span, Stmt, System, Term, Type, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::{Circuit, Literal};
use crate::question::Question;
use crate::temporal::{Conditions, Path};
use crate::theta::{Binding, Scope, Ty};

/// The most latches and gates, multiplied, for which an order of assignments is looked for.
const PATIENCE: usize = 50_000_000;

/// The system of a circuit, its questions, and what names mean.
pub(crate) fn lower(circuit: &Circuit) -> (System, Vec<Question>, Scope) {
    let mut lowering = Lowering {
        circuit,
        system: System::default(),
        scope: Scope::default(),
        terms: vec![None; circuit.most as usize + 1],
    };
    let (inputs, latches) = lowering.variables();
    lowering.gates();
    let step = lowering.step(&inputs, &latches);
    let system = &mut lowering.system;
    let mut process = Process { name: "circuit".to_owned(), ..Process::default() };
    let always = system.terms.bool(true);
    let here = process.locations.push(Location::new("circuit", always, LocationKind::Urgent));
    process.initial = Some(here);
    let (update, span) = (Guarded::safe(step), Span::default());
    process.edges.push(Edge {
        source: here,
        target: here,
        guard: always,
        update,
        sync: None,
        label: "step".to_owned(),
        span,
    });
    system.processes.push(process);
    let questions = lowering.questions();
    (lowering.system, questions, lowering.scope)
}

struct Lowering<'a> {
    circuit: &'a Circuit,
    system: System,
    scope: Scope,
    /// What variables of the circuit are, as terms.
    terms: Vec<Option<Term>>,
}

impl Lowering<'_> {
    /// What something is called.
    fn name(&self, kind: char, number: usize) -> String {
        let named = self.circuit.names.iter().find(|(letter, at, _)| (*letter, *at) == (kind, number));
        named.map_or_else(|| format!("{kind}{number}"), |(.., name)| name.clone())
    }
    /// The names of all of a kind, told apart.
    fn all_names(&self, kind: char, count: usize, taken: &mut FxHashSet<String>) -> Vec<String> {
        let mut given: FxHashMap<usize, &str> = FxHashMap::default();
        for (letter, at, name) in &self.circuit.names {
            if *letter == kind {
                given.entry(*at).or_insert(name);
            }
        }
        let unique = |at: usize| {
            let plain = format!("{kind}{at}");
            let name = given.get(&at).map_or_else(|| plain.clone(), |name| (*name).to_owned());
            if taken.insert(name.clone()) {
                return name;
            }
            let longer = format!("{name} ({plain})");
            taken.insert(longer.clone());
            longer
        };
        (0..count).map(unique).collect()
    }
    fn bind(&mut self, name: &str, term: Term) {
        let binding = Binding { ty: Some(Ty::Bool), now: term, next: None, span: Span::default() };
        self.scope.names.entry(name.to_owned()).or_insert(binding);
    }
    fn variables(&mut self) -> (Vec<VarId>, Vec<VarId>) {
        let circuit = self.circuit;
        let mut taken = FxHashSet::default();
        let inputs = self.all_names('i', circuit.inputs.len(), &mut taken);
        let latches = self.all_names('l', circuit.latches.len(), &mut taken);
        let declare = |this: &mut Self, kind: char, number: usize, name: &str, literal: Literal| {
            let var = this.system.declare(Type::Bool, Variable::state(name, Span::default()));
            let term = this.system.terms.var(var);
            this.terms[literal as usize / 2] = Some(term);
            this.bind(name, term);
            this.bind(&format!("{kind}{number}"), term);
            var
        };
        let mut lists = (vec![], vec![]);
        for (number, (name, literal)) in inputs.iter().zip(&circuit.inputs).enumerate() {
            lists.0.push(declare(self, 'i', number, name, *literal));
        }
        for (number, (name, latch)) in latches.iter().zip(&circuit.latches).enumerate() {
            let var = declare(self, 'l', number, name, latch.literal);
            if let Some(reset) = latch.reset {
                let reset = self.system.terms.bool(reset);
                self.system.initial.push((var, reset));
            }
            lists.1.push(var);
        }
        lists
    }
    fn literal(&mut self, literal: Literal) -> Term {
        let terms = &mut self.system.terms;
        let term = match literal / 2 {
            0 => terms.bool(false),
            variable => self.terms[variable as usize].expect("operands come first"),
        };
        if literal % 2 == 1 { terms.not(term) } else { term }
    }
    fn gates(&mut self) {
        for [result, a, b] in &self.circuit.gates {
            let (a, b) = (self.literal(*a), self.literal(*b));
            self.terms[*result as usize / 2] = Some(self.system.terms.and([a, b]));
        }
    }
    fn constraints(&mut self) -> Term {
        let list: Vec<Term> = self.circuit.constraints.iter().map(|literal| self.literal(*literal)).collect();
        self.system.terms.and(list)
    }
    fn step(&mut self, inputs: &[VarId], latches: &[VarId]) -> Stmt {
        let constraints = self.constraints();
        let next: Vec<Term> = self.circuit.latches.iter().map(|latch| self.literal(latch.next)).collect();
        let mut list = vec![self.system.terms.assume(constraints)];
        // A latch that no other one has to look at any more gets its value at once; the others by way of a copy.
        let at: FxHashMap<VarId, usize> = latches.iter().enumerate().map(|(at, var)| (*var, at)).collect();
        let mut rest: Vec<usize> = (0..latches.len()).collect();
        if latches.len().saturating_mul(self.circuit.gates.len()) <= PATIENCE {
            let terms = &self.system.terms;
            let reads: Vec<Vec<usize>> = next
                .iter()
                .enumerate()
                .map(|(own, term)| {
                    let vars = terms.vars_of(*term);
                    vars.iter().filter_map(|var| at.get(var).copied()).filter(|other| *other != own).collect()
                })
                .collect();
            let mut readers = vec![0_usize; latches.len()];
            reads.iter().flatten().for_each(|read| readers[*read] += 1);
            let mut open: Vec<usize> = (0..latches.len()).rev().filter(|at| readers[*at] == 0).collect();
            let mut done = vec![false; latches.len()];
            while let Some(latch) = open.pop() {
                done[latch] = true;
                list.push(self.system.terms.assign(latches[latch], next[latch]));
                for read in &reads[latch] {
                    readers[*read] -= 1;
                    if readers[*read] == 0 {
                        open.push(*read);
                    }
                }
            }
            rest.retain(|latch| !done[*latch]);
        }
        let mut copies = vec![];
        for latch in rest {
            let name = format!("{}'", self.system.vars[latches[latch]].name);
            let variable = Variable { shown: false, ..Variable::local(name, Span::default()) };
            let copy = self.system.declare(Type::Bool, variable);
            list.push(self.system.terms.assign(copy, next[latch]));
            copies.push((latches[latch], copy));
        }
        for (latch, copy) in copies {
            let value = self.system.terms.var(copy);
            list.push(self.system.terms.assign(latch, value));
        }
        for input in inputs {
            list.push(self.system.terms.havoc(*input));
        }
        self.system.terms.seq(list)
    }
    /// That no bad state is reached; of circuits that name none, no output is ever on. That no run is just.
    fn questions(&mut self) -> Vec<Question> {
        let circuit = self.circuit;
        let constraints = self.constraints();
        let (kind, list) = match circuit.bad.is_empty() && circuit.justice.is_empty() {
            true => ('o', &circuit.outputs),
            false => ('b', &circuit.bad),
        };
        for (number, literal) in circuit.outputs.iter().enumerate() {
            let (name, term) = (self.name('o', number), self.literal(*literal));
            self.bind(&name, term);
            self.bind(&format!("o{number}"), term);
        }
        let mut questions = vec![];
        for (number, literal) in list.iter().enumerate() {
            let (name, bad) = (self.name(kind, number), self.literal(*literal));
            self.bind(&name, bad);
            self.bind(&format!("{kind}{number}"), bad);
            let good = self.system.terms.not(bad);
            let claim = self.system.terms.implies(constraints, good);
            let text = format!("not {name}");
            questions.push(Question::new(name, &*text, &*text, Claim::Always(claim)));
        }
        for (number, list) in circuit.justice.iter().enumerate() {
            let name = self.name('j', number);
            let mut builder = Builder::default();
            let mut atoms = Conditions::default();
            let mut all = vec![];
            for literal in list.iter().chain(&circuit.fairness) {
                let term = self.literal(*literal);
                let atom = builder.atom(atoms.number(term));
                let eventually = builder.add(Node::Finally(atom));
                all.push(builder.add(Node::Globally(eventually)));
            }
            let always = builder.constant(true);
            let just = all.into_iter().fold(always, |just, part| builder.add(Node::And(just, part)));
            let never = builder.add(Node::Not(just));
            let path = Path::new(builder.finish(never), atoms);
            let claim = path.claim(&mut self.system);
            let text = format!("no run is just: {name}");
            questions.push(Question::new(name, &*text, &*text, claim));
        }
        questions
    }
}
