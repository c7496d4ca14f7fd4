//! Questions about timed statecharts, as section 6.2 of Cziborová, *Abstraction-based timed model checking for
//! software-intensive system models*, 2023, asks them: whether every state of every region and every transition is
//! reached, whether what is claimed of the model holds, and all of that again within a time limit.
//!
//! A region is a control variable of an enumeration; values that stand for a region at rest, with or without a
//! memory of where it was, are no states. A transition has a flag, a Boolean that is true after it was taken; by
//! their names these are told from other Booleans. The limit is one for each model: the largest constant that
//! it compares clocks with, in which most models reach much of what they can reach, but not all of it.
//!
//! [`LIST`] has them all with their verdicts, so that whoever asks need not make them; a test compares the two.

#[path = "../../lang/testing/fields.rs"]
mod fields;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ir::{Claim, Id, Node, System, Term, Terms, Type, within};
use lang::xsts;

/// Where the list is, from the root of the workspace.
pub const LIST: &str = "benches/timed-questions.csv";

/// Our own models, from the root of the workspace.
const OWN: &str = "cases/xsts/timed";
/// How the list calls the corpus, which lies beside the workspace.
const CORPUS: &str = "corpus";

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The file of the model, from the root of the workspace or in the corpus.
    pub model: String,
    /// `state`, `transition` or `safety`.
    pub kind: String,
    /// What is to hold in every state, or the file in the corpus that says so. That a state or transition is never
    /// reached is violated where it is.
    pub text: String,
    /// The time in which it is to hold; `None` for ever.
    pub within: Option<u64>,
}

/// A question with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    pub question: Question,
    /// `holds`, `violated`, or `unknown` if nobody knows.
    pub verdict: String,
    /// Who says so.
    pub by: String,
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where a file of the list is.
fn place(name: &str) -> PathBuf {
    match name.strip_prefix(CORPUS) {
        Some(rest) => root().join("../shared/corpus").join(rest.trim_start_matches('/')),
        None => root().join(name),
    }
}

/// Whether there is a corpus.
pub fn has_corpus() -> bool {
    place(CORPUS).join("manifest.csv").exists()
}

/// All questions, those about our own models first.
pub fn all() -> Result<Vec<Question>, String> {
    let mut list = vec![];
    for model in models()? {
        list.extend(about(&model)?);
    }
    Ok(list)
}

/// The models at hand: our own, and those of the corpus.
pub fn models() -> Result<Vec<String>, String> {
    let mut list = timed(OWN)?;
    if has_corpus() {
        list.extend(timed("corpus/xsts/timed")?);
    }
    Ok(list)
}

/// The timed models of a folder, in order.
fn timed(folder: &str) -> Result<Vec<String>, String> {
    let why = |error: std::io::Error| format!("{folder}: {error}");
    let mut list = vec![];
    for entry in std::fs::read_dir(place(folder)).map_err(why)? {
        let name = entry.map_err(why)?.file_name().to_string_lossy().into_owned();
        let model = format!("{folder}/{name}");
        if name.ends_with(".xsts") && load(&model)?.system.clocks().next().is_some() {
            list.push(model);
        }
    }
    list.sort();
    Ok(list)
}

/// What is claimed of a model, in its header or by the corpus, as an expression or the file that has one; and the
/// verdict, or nothing if nobody knows.
fn claims(name: &str) -> Result<Vec<(String, String)>, String> {
    if name.starts_with(OWN) {
        let text = read(name)?;
        let said = |key: &'static str| text.lines().filter_map(move |line| line.strip_prefix(key));
        let both = said("// property: ").zip(said("// expect: "));
        return Ok(both.map(|(claim, verdict)| (claim.to_owned(), verdict.to_owned())).collect());
    }
    let mut list = vec![];
    for line in read("corpus/manifest.csv")?.lines().skip(1) {
        let fields = fields::fields(line);
        let [_, _, model, claim, kind, verdict, ..] = &fields[..] else { continue };
        if format!("{CORPUS}/{model}") == name && kind == "safety" {
            let file = claim.ends_with(".prop");
            let claim = if file { format!("{CORPUS}/{claim}") } else { claim.clone() };
            let verdict = match verdict.as_str() {
                "safe" => "holds",
                "unsafe" => "violated",
                _ => "",
            };
            list.push((claim, verdict.to_owned()));
        }
    }
    Ok(list)
}

/// The questions about a model for which its header, or the corpus, says what is right.
pub fn expectations(name: &str) -> Result<Vec<(Question, String)>, String> {
    let (list, mut model) = (about(name)?, load(name)?);
    let mut known = vec![];
    for (text, verdict) in claims(name)?.into_iter().filter(|(_, verdict)| !verdict.is_empty()) {
        let wanted = claim(&mut model, name, &text)?;
        for question in list.iter().filter(|question| question.within.is_none()) {
            if claim(&mut model, name, &question.text)? == wanted {
                known.push((question.clone(), verdict.clone()));
            }
        }
    }
    Ok(known)
}

/// The questions about a model.
fn about(name: &str) -> Result<Vec<Question>, String> {
    let mut model = load(name)?;
    let limit = limit(&mut model.system);
    let ask = |kind: &str, text: String| Question {
        model: name.to_owned(),
        kind: kind.to_owned(),
        text,
        within: None,
    };
    let system = &model.system;
    let mut list = vec![];
    for var in system.state_vars() {
        let variable = &system.vars[var];
        match system.terms.var_type(var) {
            Type::Enum(id) if variable.control => {
                let states = system.types().enum_type(id).literals.iter();
                let states = states.filter(|literal| !literal.contains("_Inactive_"));
                list.extend(states.map(|literal| ask("state", format!("{} != {literal}", variable.name))));
            }
            Type::Bool if is_flag(&variable.name) => {
                list.push(ask("transition", format!("!{}", variable.name)));
            }
            _ => {}
        }
    }
    // Claims that say what is asked already are not asked again.
    let asked = list.iter().map(|question| claim(&mut model, name, &question.text));
    let mut known: BTreeSet<Term> = asked.collect::<Result<_, _>>()?;
    for (text, _) in claims(name)? {
        if known.insert(claim(&mut model, name, &text)?) {
            list.push(ask("safety", text));
        }
    }
    let again: Vec<Question> =
        list.iter().map(|question| Question { within: Some(limit), ..question.clone() }).collect();
    list.extend(again);
    Ok(list)
}

/// Whether a Boolean of this name is true after a transition was taken: by the rule of Gamma, or by ours.
fn is_flag(name: &str) -> bool {
    name.starts_with("__id_") || name.ends_with("_taken")
}

/// The largest constant that clocks are compared with.
fn limit(system: &mut System) -> u64 {
    let mut largest = 0;
    for term in (0..system.terms.len()).map(Term::at) {
        if !is_comparison(&system.terms, term) {
            continue;
        }
        for atom in ir::clock_atom(&mut system.terms, term).into_iter().flatten() {
            let bound = system.terms.as_const(atom.bound).map(|value| value.as_int().to_string());
            let size = bound.and_then(|text| text.trim_start_matches('-').parse().ok());
            largest = largest.max(size.unwrap_or(0));
        }
    }
    largest
}

/// Whether a term compares something with a clock.
fn is_comparison(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Le(..) | Node::Lt(..) | Node::Eq(..)) && terms.has_clock(term)
}

fn read(name: &str) -> Result<String, String> {
    std::fs::read_to_string(place(name)).map_err(|error| format!("{name}: {error}"))
}

fn load(name: &str) -> Result<lang::Model, String> {
    xsts::load(&read(name)?).map_err(|errors| format!("{name}: {}", errors[0].message))
}

/// What a text claims of a model.
fn claim(model: &mut lang::Model, name: &str, text: &str) -> Result<Term, String> {
    match property(model, name, text)?.claim {
        Claim::Always(term) | Claim::Possibly(term) => Ok(term),
        Claim::Every(_) | Claim::Some(_) | Claim::AlwaysPossibly(_) => {
            Err(format!("{text} of {name} is about runs"))
        }
    }
}

fn property(model: &mut lang::Model, name: &str, text: &str) -> Result<ir::Property, String> {
    let said = if text.ends_with(".prop") { read(text)? } else { text.to_owned() };
    let parsed = model.parse_property("p", &said);
    parsed.map_err(|errors| format!("{text} of {name}: {}", errors[0].message))
}

impl Question {
    /// A name for people, which is the only one of its kind.
    pub fn id(&self) -> String {
        let (_, file) = self.model.rsplit_once('/').unwrap_or(("", &self.model));
        let limit = self.within.map_or(String::new(), |most| format!(" within {most}"));
        let text = self
            .text
            .rsplit_once('/')
            .filter(|_| self.text.ends_with(".prop"))
            .map_or(&*self.text, |(_, file)| file);
        format!("{} {text}{limit}", file.trim_end_matches(".xsts"))
    }
    /// Whether it is about one of our own models.
    pub fn is_own(&self) -> bool {
        self.model.starts_with(OWN)
    }
    /// The system, and what is claimed of it.
    pub fn load(&self) -> Result<(System, Claim), String> {
        let mut model = load(&self.model)?;
        let mut property = property(&mut model, &self.model, &self.text)?;
        if let Some(most) = self.within {
            within::limit(&mut model.system, [&mut property], most).map_err(|why| why.to_string())?;
        }
        Ok((model.system, property.claim))
    }
}

/// What the first line of the list says.
pub const HEAD: &str = "model,kind,question,within,verdict,by";

/// The list.
pub fn list() -> Result<Vec<Listed>, String> {
    let line = |line: &str| {
        let [model, kind, text, within, verdict, by] =
            <[String; 6]>::try_from(fields::fields(line)).map_err(|_| format!("{LIST}: `{line}`"))?;
        let within = match within.as_str() {
            "" => None,
            most => Some(most.parse().map_err(|_| format!("{LIST}: `{line}`"))?),
        };
        Ok(Listed { question: Question { model, kind, text, within }, verdict, by })
    };
    read(LIST)?.lines().skip(1).map(line).collect()
}

impl Listed {
    /// Its line of the list.
    pub fn line(&self) -> String {
        let Listed { question: Question { model, kind, text, within }, verdict, by } = self;
        let within = within.map_or(String::new(), |most| most.to_string());
        format!("{model},{kind},\"{text}\",{within},{verdict},\"{by}\"")
    }
}
