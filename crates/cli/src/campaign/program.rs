//! What a campaign is told about this program: which options there are, how a question is asked, where evidence goes.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use campaign::id::{Contents, Hash};
use campaign::plan::Limits;
use campaign::tasks::Asked;
use campaign::{Options, Plan, Program, Question, Setting};
use engine::Choice;
use smt::z3::library_info;
use thetis::lang::ImportError;
use thetis::{Disk, Languages, Resolver, Source};

use crate::exit::Failure;
use crate::words;
use crate::{check, cli, configuration};

/// The options of `thetis check` that a campaign gives by itself.
const OWN: &[&str] = &[
    "json",
    "trace",
    "certificate",
    "obligations",
    "arg",
    "timeout",
    "memory-limit",
    "property",
    "property-file",
    "ltl",
    "never",
    "errorloc",
    "all",
    "expect",
    "no-certify",
];

/// The options that say how a model or a question is meant, which evidence is checked with, too.
const MEANING: &[&str] = &[
    "component",
    "cycle-within",
    "period",
    "check-invariants",
    "data-model",
    "task",
    "within",
    "check-states",
    "stuck-runs",
    "zeno",
    "fair",
    "assume-ltl",
];

/// Options with values that were looked up, and what they choose.
type Known = HashMap<(String, Setting), Result<Vec<Choice>, String>>;

/// This program.
pub struct Thetis {
    executable: PathBuf,
    known: Mutex<Known>,
    /// The files of models that have been read.
    files: Mutex<HashMap<PathBuf, Vec<PathBuf>>>,
}

/// Files of a disk, and which have been asked for.
#[derive(Default)]
struct Recorder(Vec<PathBuf>);

impl Recorder {
    fn note(&mut self, found: Result<Source, ImportError>) -> Result<Source, ImportError> {
        self.0.extend(found.as_ref().ok().map(|source| PathBuf::from(&source.name)));
        found
    }
}

impl Resolver for Recorder {
    fn resolve(&mut self, from: &str, name: &str) -> Result<Source, ImportError> {
        let found = Disk.resolve(from, name);
        self.note(found)
    }
    fn resolve_where(
        &mut self,
        from: &str,
        extension: &str,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Source, ImportError> {
        let found = Disk.resolve_where(from, extension, wanted);
        self.note(found)
    }
}

/// The files that a model consists of, whatever its language is, and even if something is wrong with it: reading it says.
fn parts(model: &Path) -> Vec<PathBuf> {
    let mut recorder = Recorder(vec![model.to_owned()]);
    let languages = Languages::default();
    if let Ok((language, source)) = languages.source(model) {
        // What is wrong with it is said where it is asked about.
        let _ = languages.read(source, language, &mut recorder);
        let _ = languages.tasks_by(model, &mut recorder);
    }
    let mut seen = HashSet::new();
    recorder.0.retain(|path| seen.insert(path.clone()));
    recorder.0
}

impl Thetis {
    /// The program that runs now.
    pub fn new() -> Result<Thetis, Failure> {
        let executable = std::env::current_exe().map_err(|error| {
            Failure::Input(format!("this system does not tell where the program is: {error}"))
        })?;
        Ok(Thetis { executable, known: Mutex::default(), files: Mutex::default() })
    }
    /// Refuses a plan that was made by another build, whose results would be mixed with ours.
    pub fn is_build(&self, plan: &Plan) -> Result<(), Failure> {
        let mut build = Hash::default();
        build.add(Contents::default().of(&self.executable)?);
        match build.id() == plan.build {
            true => Ok(()),
            false => Err(Failure::Input(
                "the campaign was planned by another build of this program, and results of two builds are not mixed; \
                 `thetis campaign run FILE` plans it anew"
                    .to_owned(),
            )),
        }
    }
    fn choices(&self, name: &str, setting: &Setting) -> Result<Vec<Choice>, String> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found =
            known.entry((name.to_owned(), setting.clone())).or_insert_with(|| match spelt(name, setting) {
                _ if OWN.contains(&name) => Err(format!("`{name}` is given by the campaign itself")),
                Some(option) => cli::choices_of(&option),
                None => Ok(vec![]),
            });
        found.clone()
    }
}

/// An option as a word; nothing for one that is not given.
fn spelt(name: &str, setting: &Setting) -> Option<String> {
    match setting {
        Setting::Flag(false) => None,
        Setting::Flag(true) => Some(format!("--{name}")),
        setting => Some(format!("--{name}={setting}")),
    }
}

fn words(options: &Options) -> impl Iterator<Item = OsString> {
    options.iter().filter_map(|(name, setting)| spelt(name, setting)).map(OsString::from)
}

impl Thetis {
    /// What is asked, as a word; nothing for what a model asks itself.
    fn said(asked: &Asked) -> Option<OsString> {
        match asked {
            Asked::Own => None,
            Asked::All => Some("--all".into()),
            Asked::Property(text) => Some(format!("--property={text}").into()),
            Asked::Formula(text) => Some(format!("--ltl={text}").into()),
            Asked::File(path) => {
                let mut word = OsString::from("--property-file=");
                word.push(path);
                Some(word)
            }
        }
    }
}

impl Program for Thetis {
    fn executable(&self) -> &Path {
        &self.executable
    }
    fn version(&self) -> String {
        format!("thetis {}, {}", env!("CARGO_PKG_VERSION"), self.solver())
    }
    fn solver(&self) -> String {
        let Ok(library) = library_info() else { return "no solver".to_owned() };
        let [major, minor, build] = library.version;
        format!("Z3 {major}.{minor}.{build}")
    }
    fn knows(&self, name: &str, setting: &Setting) -> Result<(), String> {
        self.choices(name, setting).map(drop)
    }
    fn takes(&self, options: &[(&str, &Setting)]) -> Result<(), String> {
        let mut all = vec![];
        for (name, setting) in options {
            all.extend(self.choices(name, setting)?);
        }
        let (engine, by) = configuration::engine(&all);
        configuration::config(engine, &all).map(drop).map_err(|error| words::clash(&error, by.as_ref()))
    }
    fn files(&self, model: &Path) -> Vec<PathBuf> {
        let mut files = self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        files.entry(model.to_owned()).or_insert_with(|| parts(model)).clone()
    }
    fn asked(&self, question: &Question) -> Vec<OsString> {
        Thetis::said(&question.asked).into_iter().chain(words(&question.options)).collect()
    }
    fn chosen(&self, options: &Options) -> Vec<OsString> {
        words(options).collect()
    }
    fn ask(
        &self,
        question: &Question,
        options: &Options,
        limits: &Limits,
        evidence: Option<&Path>,
    ) -> Vec<OsString> {
        let mut list: Vec<OsString> = vec!["check".into(), question.model.clone().into(), "--json".into()];
        list.extend(self.asked(question));
        list.extend(self.chosen(options));
        // Told of them, the program can still say what it knows when they are reached.
        list.extend(
            limits.wall_seconds.map(|seconds| format!("--timeout={}ms", (seconds * 1000.0).ceil()).into()),
        );
        list.extend(limits.memory_mb.map(|most| format!("--memory-limit={}kB", most * 950).into()));
        if let Some([trace, proof]) = evidence.map(|stem| self.evidence(stem, None)) {
            list.extend(["--trace".into(), trace.into(), "--certificate".into(), proof.into()]);
        }
        list
    }
    fn evidence(&self, stem: &Path, number: Option<usize>) -> [PathBuf; 2] {
        ["trace.json", "proof.json"].map(|ending| check::numbered(&stem.with_extension(ending), number))
    }
    fn validate(
        &self,
        question: &Question,
        options: &Options,
        number: Option<usize>,
        evidence: &Path,
    ) -> Vec<OsString> {
        let mut list: Vec<OsString> = vec!["validate".into(), question.model.clone().into(), evidence.into()];
        // Not the checker that has accepted it already, and not the file says what it is about.
        list.extend(["--certify=reference".into(), "--json".into()]);
        match &question.asked {
            Asked::Own | Asked::All => list.push("--own".into()),
            Asked::Property(_) | Asked::Formula(_) | Asked::File(_) => {
                list.extend(Thetis::said(&question.asked))
            }
        }
        list.extend(number.map(|number| format!("--number={number}").into()));
        let all = question.options.and(options);
        let meaning = all.iter().filter(|(name, _)| MEANING.contains(name));
        list.extend(meaning.filter_map(|(name, setting)| spelt(name, setting)).map(OsString::from));
        list
    }
    fn work(&self, folder: &Path, batch: &str) -> Vec<OsString> {
        vec!["campaign".into(), "work".into(), folder.into(), batch.into()]
    }
}
