//! Counter machines: the front-end.

use ir::{Claim, Edge, Guarded, IdVec, Location, LocationId, LocationKind, Process, ProcessId, Span};
use ir::{Id, System, Terms, Type, VarId, Variable};
use lang::code::Code;
use lang::diagnostic::Diagnostic;
use lang::{Configuration, Contents, FrontEnd, Language, LocationView, Model, ProcessView, Question, View};
use thetis::{ir, lang};

/// Counter machines.
pub static COUNTER_MACHINE: FrontEnd = FrontEnd {
    name: "machine",
    title: "counter machines",
    extensions: &["machine"],
    binary: &[],
    recognises: |text| text.starts_with("counter "),
    load: |text, _, _| load(text),
    question_files: &[],
    script_files: None,
    tasks: None,
    conversions: &[],
    guide: "A counter machine has counters and labelled instructions.",
    examples: &[],
    smallest: "a machine needs an instruction, for example `start: halt`",
    questions: &["never end"],
    own_question: None,
};

/// What the names of later questions mean.
struct Scope {
    counters: Vec<(String, VarId)>,
    labels: Vec<String>,
}

/// A word with its place.
type Word<'a> = (&'a str, Span);

fn load(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let mut system = System::default();
    let mut scope = Scope { counters: vec![], labels: vec![] };
    let mut instructions = vec![];
    for line in lines(text) {
        match &line[..] {
            [("counter", _), (name, span), rest @ ..] => {
                let start = match rest {
                    [] => 0,
                    [("=", _), number] => int(*number).map_err(|error| vec![error])?,
                    [(_, span), ..] => {
                        return Err(vec![Diagnostic::error(Code::Syntax, *span, "expected `= NUMBER`")]);
                    }
                };
                let var = system.declare(Type::Int, Variable::state(*name, *span));
                let start = system.terms.int(start);
                system.initial.push((var, start));
                scope.counters.push(((*name).to_owned(), var));
            }
            [(label, _), instruction @ ..] => {
                scope.labels.push(label.trim_end_matches(':').to_owned());
                instructions.push(instruction.to_vec());
            }
            [] => {}
        }
    }
    let view = process(&mut system, &scope, &instructions).map_err(|error| vec![error])?;
    let (contents, questions, warnings) = (Contents::default(), vec![], vec![]);
    Ok(Model { system, view, questions, contents, warnings, language: Box::new(scope) })
}

/// The words of each line, without comments.
fn lines<'a>(text: &'a str) -> Vec<Vec<Word<'a>>> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = |line: &'a str| {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        code.split_whitespace().map(|word| (word, Span::new(place(word), place(word) + word.len()))).collect()
    };
    text.lines().map(words).collect()
}

/// A location for each instruction, and one in the middle of each swap.
fn process(system: &mut System, scope: &Scope, instructions: &[Vec<Word<'_>>]) -> Result<View, Diagnostic> {
    let always = system.terms.bool(true);
    let place = |name: &String| Location::new(name.clone(), always, LocationKind::Urgent);
    let mut locations: IdVec<LocationId, Location> = scope.labels.iter().map(place).collect();
    let mut process =
        Process { name: "machine".into(), initial: Some(LocationId::at(0)), ..Process::default() };
    let mut inner = ProcessView { located: false, named: false, ..ProcessView::default() };
    let saved = Variable { shown: false, ..Variable::state("$saved", Span::default()) };
    let (saved, zero, one) = (system.declare(Type::Int, saved), system.terms.int(0), system.terms.int(1));
    system.initial.push((saved, zero));
    let mut halts = vec![];
    for (at, words) in instructions.iter().enumerate() {
        let source = LocationId::at(at);
        let label: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let span = words.first().map_or(Span::default(), |(_, first)| first.to(words[words.len() - 1].1));
        let terms = &mut system.terms;
        let mut step = |source, target, guard, update, label: String| {
            let update = Guarded::safe(update);
            process.edges.push(Edge { source, target, guard, update, sync: None, label, span });
        };
        match &words[..] {
            [("inc", _), counter, next] => {
                let (var, n) = scope.counter(terms, *counter)?;
                let more = terms.add([n, one]);
                step(source, scope.label(*next)?, always, terms.assign(var, more), label[..2].join(" "));
            }
            [("dec", _), counter, next, other] => {
                let (var, n) = scope.counter(terms, *counter)?;
                let (some, none, less) = (terms.gt(n, zero), terms.eq(n, zero), terms.sub(n, one));
                step(source, scope.label(*next)?, some, terms.assign(var, less), label[..2].join(" "));
                step(source, scope.label(*other)?, none, terms.skip(), format!("{} is 0", label[1]));
            }
            [("swap", _), first, second, next] => {
                let ((a, x), (b, y)) = (scope.counter(terms, *first)?, scope.counter(terms, *second)?);
                let between =
                    Location { stable: false, ..Location::new("between", always, LocationKind::Urgent) };
                let between = locations.push(between);
                inner
                    .locations
                    .insert(between, LocationView { within_step: true, ..LocationView::default() });
                let (save, set) = (terms.assign(saved, x), terms.assign(a, y));
                step(source, between, always, terms.seq([save, set]), label[..3].join(" "));
                let kept = terms.var(saved);
                step(between, scope.label(*next)?, always, terms.assign(b, kept), "and so on".to_owned());
            }
            [("halt", _)] => halts.push(terms.at(ProcessId::at(0), source)),
            _ => {
                return Err(Diagnostic::error(Code::Syntax, span, "expected `inc`, `dec`, `swap` or `halt`"));
            }
        }
    }
    process.locations = locations;
    system.processes.push(process);
    let halted = system.terms.or(halts);
    let cases = vec![(halted, "halted".to_owned()), (system.terms.not(halted), "running".to_owned())];
    let state = Configuration { name: "state".to_owned(), group: None, cases };
    Ok(View { processes: [inner].into_iter().collect(), configurations: vec![state], ..View::default() })
}

impl Scope {
    fn counter(&self, terms: &mut Terms, (name, span): Word<'_>) -> Result<(VarId, ir::Term), Diagnostic> {
        let found = self.counters.iter().find(|(known, _)| known == name);
        let missing = || Diagnostic::error(Code::UnknownName, span, format!("there is no counter `{name}`"));
        found.map(|(_, var)| (*var, terms.var(*var))).ok_or_else(missing)
    }
    fn label(&self, (name, span): Word<'_>) -> Result<LocationId, Diagnostic> {
        let found = self.labels.iter().position(|known| known == name);
        found
            .map(LocationId::at)
            .ok_or_else(|| Diagnostic::error(Code::UnknownName, span, format!("there is no label `{name}`")))
    }
}

impl Language for Scope {
    fn question(&mut self, system: &mut System, name: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let claim = |system: &mut System| match &lines(text).concat()[..] {
            [("never", _), label] => {
                let there = system.terms.at(ProcessId::at(0), self.label(*label)?);
                Ok((Claim::Always(system.terms.not(there)), format!("not {}", label.0)))
            }
            [("reach", _), label] => {
                let there = system.terms.at(ProcessId::at(0), self.label(*label)?);
                Ok((Claim::Possibly(there), label.0.to_owned()))
            }
            [counter, ("<=", _), most] => {
                let (_, n) = self.counter(&mut system.terms, *counter)?;
                let most = system.terms.int(int(*most)?);
                Ok((Claim::Always(system.terms.le(n, most)), text.trim().to_owned()))
            }
            _ => Err(Diagnostic::error(
                Code::Syntax,
                Span::new(0, text.len()),
                "expected `never L`, `reach L` or `c <= n`",
            )),
        };
        let (claim, expression) = claim(system).map_err(|error| vec![error])?;
        Ok(Question::new(name, text, expression, claim))
    }
}

fn int((word, span): Word<'_>) -> Result<i64, Diagnostic> {
    word.parse().map_err(|_| Diagnostic::error(Code::Syntax, span, "expected a number"))
}
