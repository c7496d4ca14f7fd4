//! From files and texts to models.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ir::{FileId, Span, System};
use lang::code::Code;
use lang::diagnostic::Diagnostic;
use lang::{
    Asked, Contents, Conversion, FRONT_ENDS, Files, FrontEnd, ImportError, Language, Misread, ModelId,
    Question, Reading, Script, View,
};

use crate::error::{Error, TextError, UnknownLanguage};
use crate::file;
use crate::source::{Source, Sources};

/// A model with the texts it came from.
#[derive(Debug)]
pub struct Model {
    /// The texts, for places.
    pub sources: Sources,
    /// The language they are written in.
    pub language: &'static FrontEnd,
    /// What they mean.
    pub lowered: lang::Model,
    /// What its questions know it by.
    id: ModelId,
}

/// The languages that models are read in.
#[derive(Clone, Debug)]
pub struct Languages {
    list: Vec<&'static FrontEnd>,
    reading: Reading,
}

/// Where the files come from that a model imports.
pub trait Resolver {
    /// The name and the text of the file that is called `name` in the file `from`.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn resolve(&mut self, from: &str, name: &str) -> Result<Source, ImportError>;
    /// The nearest file around the file `from` whose name ends so, and whose text is what is looked for.
    ///
    /// # Errors
    /// Why there is none; unless somebody knows how to look around, there are no files beside a text.
    fn resolve_where(
        &mut self,
        _from: &str,
        extension: &str,
        _wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Source, ImportError> {
        Err(ImportError::Alone(format!("*.{extension}")))
    }
}

/// Files of a disk: what a file imports lies beside it.
#[derive(Copy, Clone, Debug, Default)]
pub struct Disk;

/// In how many folders around a file others are looked for by what is in them.
const MAX_FOLDERS_AROUND: usize = 4;
/// How many entries of folders are looked at for that.
const MAX_ENTRIES_AROUND: usize = 20_000;

impl Resolver for Disk {
    fn resolve(&mut self, from: &str, name: &str) -> Result<Source, ImportError> {
        let path = direct(&Path::new(from).parent().unwrap_or(Path::new("")).join(name));
        let text = file::read(&path).map_err(|error| ImportError::Unreadable(Arc::new(error)))?;
        Ok(Source::new(path.display().to_string(), text))
    }
    fn resolve_where(
        &mut self,
        from: &str,
        extension: &str,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Source, ImportError> {
        let mut entries = 0;
        let mut seen = None;
        for up in 0..=MAX_FOLDERS_AROUND {
            let mut folder = Path::new(from).parent().unwrap_or(Path::new("")).to_owned();
            folder.extend(std::iter::repeat_n("..", up));
            let folder = direct(&folder);
            let mut found = vec![];
            below(&folder, extension, seen.as_deref(), &mut entries, &mut found);
            for path in found {
                if let Ok(text) = file::read(&path)
                    && wanted(&text)
                {
                    return Ok(Source::new(path.display().to_string(), text));
                }
            }
            seen = Some(folder);
        }
        Err(ImportError::Alone(format!("*.{extension}")))
    }
}

/// The files below a folder whose names end so, by name; without those of a folder that was looked at already.
fn below(folder: &Path, extension: &str, seen: Option<&Path>, entries: &mut usize, found: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        for entry in std::fs::read_dir(shown).into_iter().flatten().flatten() {
            *entries += 1;
            if *entries > MAX_ENTRIES_AROUND {
                break;
            }
            let path = folder.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            // Links are not followed, so that there is an end.
            if kind.is_dir() && seen.is_none_or(|seen| seen != path) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|ending| ending == extension) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
}

/// The same path without detours, `a/../b` as `b`, so that a file has one name however it was found.
fn direct(path: &Path) -> PathBuf {
    let short = without_detours(path);
    match (short.components().next(), std::env::current_dir()) {
        // What goes up may come down again where it was.
        (Some(Component::ParentDir), Ok(here)) => seen_from(&here, &without_detours(&here.join(&short))),
        _ => short,
    }
}

/// A path as seen from a folder; both begin at the root and have no detours.
fn seen_from(folder: &Path, path: &Path) -> PathBuf {
    let pairs = folder.components().zip(path.components());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match short.components().next_back() {
                Some(Component::Normal(_)) => {
                    short.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => short.push(".."),
            },
            part => short.push(part),
        }
    }
    short
}

/// There is nothing beside a text.
#[derive(Copy, Clone, Debug, Default)]
pub struct Alone;

impl Resolver for Alone {
    fn resolve(&mut self, _: &str, name: &str) -> Result<Source, ImportError> {
        Err(ImportError::Alone(name.to_owned()))
    }
}

impl Default for Languages {
    /// Those that come with Thetis.
    fn default() -> Self {
        Languages { list: FRONT_ENDS.to_vec(), reading: Reading::default() }
    }
}

impl Languages {
    /// These languages and another one, which is asked first.
    pub fn with(mut self, language: &'static FrontEnd) -> Self {
        self.list.insert(0, language);
        self
    }
    /// The same, for models that are meant so.
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static FrontEnd> {
        self.list.iter().copied()
    }
    /// The language that the extension of a file stands for.
    ///
    /// # Errors
    /// If it is none, or the file cannot be read, which is then the more useful thing to say.
    pub fn of_file(&self, path: &Path) -> Result<&'static FrontEnd, Error> {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
        let speaks = |language: &&FrontEnd| {
            language.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        };
        let Some(language) = self.iter().find(speaks) else {
            file::readable(path)?;
            let path = Some(path.to_owned());
            return Err(Error::Language(UnknownLanguage { path, known: self.list.clone() }));
        };
        Ok(language)
    }
    /// Reads a model from a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(&self, path: &Path) -> Result<Model, Error> {
        let (language, source) = self.source(path)?;
        self.read(source, language, &mut Disk)
    }
    /// The text of a model and its language.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn source(&self, path: &Path) -> Result<(&'static FrontEnd, Source), Error> {
        let language = self.of_file(path)?;
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
        let binary = language.binary.iter().any(|known| known.eq_ignore_ascii_case(extension));
        let text = if binary { file::read_bytes(path)? } else { file::read(path)? };
        Ok((language, Source::new(path.display().to_string(), text)))
    }
    /// Reads a model from a text; the ending of its name, or else the text itself, tells the language.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_text(&self, name: &str, text: &str) -> Result<Model, Error> {
        let by_name = self.of_file(Path::new(name)).ok();
        let by_text = || self.iter().find(|language| (language.recognises)(text));
        let Some(language) = by_name.or_else(by_text) else {
            let path = Path::new(name).extension().map(|_| PathBuf::from(name));
            return Err(Error::Language(UnknownLanguage { path, known: self.list.clone() }));
        };
        self.read(Source::new(name, text), language, &mut Alone)
    }
    /// Reads a model from a text in a known language.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(
        &self,
        source: Source,
        language: &'static FrontEnd,
        resolver: &mut dyn Resolver,
    ) -> Result<Model, Error> {
        let (lowered, sources) = with_imports(source, language, resolver, |text, files| {
            (language.load)(text, files, &self.reading)
        })?;
        Ok(Model::new(sources, language, lowered))
    }
    /// What each of the models of a file is about, in languages whose files have several; `Reading::task` says which is
    /// meant.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn tasks(&self, path: &Path) -> Result<Option<Vec<String>>, Error> {
        self.tasks_by(path, &mut Disk)
    }
    /// The same, where imported files come from elsewhere.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn tasks_by(&self, path: &Path, resolver: &mut dyn Resolver) -> Result<Option<Vec<String>>, Error> {
        let language = self.of_file(path)?;
        let Some(list) = language.tasks else { return Ok(None) };
        let (_, source) = self.source(path)?;
        let (tasks, _) = with_imports(source, language, resolver, list)?;
        Ok(Some(tasks))
    }
    /// Writes the model of a file in another form of its language.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn convert(&self, path: &Path, to: &Conversion) -> Result<String, Error> {
        let (language, source) = self.source(path)?;
        let converted = with_imports(source, language, &mut Disk, |text, files| {
            (to.convert)(text, files, &self.reading)
        })?;
        Ok(converted.0)
    }
}

/// What `reader` makes of a text, with all texts that it has read.
fn with_imports<T>(
    source: Source,
    language: &'static FrontEnd,
    resolver: &mut dyn Resolver,
    reader: impl FnOnce(&str, &mut dyn Files) -> Result<T, Vec<Diagnostic>>,
) -> Result<(T, Sources), Error> {
    if source.text.trim().is_empty() {
        return Err(Error::Empty { name: source.name, language });
    }
    let text = source.text.clone();
    let mut files = Imports { sources: Sources::new(source), resolver };
    match reader(&text, &mut files) {
        Ok(read) => Ok((read, files.sources)),
        Err(diagnostics) => Err(Error::Text(TextError { sources: files.sources, diagnostics, about: None })),
    }
}

/// The language of models that were built by programs: none.
static BUILT: FrontEnd = FrontEnd {
    name: "built",
    title: "built by a program",
    extensions: &[],
    binary: &[],
    recognises: |_| false,
    load: |_, _, _| Err(vec![Diagnostic::error(Code::Misplaced, Span::default(), NO_TEXT)]),
    question_files: &[],
    script_files: None,
    tasks: None,
    conversions: &[],
    guide: "",
    examples: &[],
    smallest: NO_TEXT,
    questions: &[],
    own_question: None,
};

const NO_TEXT: &str = "a model that was built by a program has no text";

struct Built;

impl Language for Built {
    fn question(&mut self, _: &mut System, _: &str, text: &str) -> Result<Question, Vec<Diagnostic>> {
        let message = "a model that was built by a program is asked questions that were built as well";
        Err(vec![Diagnostic::error(Code::Misplaced, Span::new(0, text.len()), message)])
    }
}

/// The files that a model has imported so far.
struct Imports<'a> {
    sources: Sources,
    resolver: &'a mut dyn Resolver,
}

impl Files for Imports<'_> {
    fn import(&mut self, from: FileId, name: &str) -> Result<(FileId, Arc<str>), ImportError> {
        let source = self.resolver.resolve(&self.sources.file(from).name, name)?;
        let text = source.text.clone();
        Ok((self.sources.add(source)?, text))
    }
    fn import_where(
        &mut self,
        from: FileId,
        extension: &str,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(FileId, Arc<str>), ImportError> {
        let source = self.resolver.resolve_where(&self.sources.file(from).name, extension, wanted)?;
        let text = source.text.clone();
        Ok((self.sources.add(source)?, text))
    }
}

impl Model {
    /// Reads a model from a file, in one of the languages that come with Thetis.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, Error> {
        Languages::default().load(path.as_ref())
    }
    /// Reads a model from a text, in one of the languages that come with Thetis. The name is for messages; if it ends
    /// like that of a file, this tells the language.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_text(name: &str, text: &str) -> Result<Model, Error> {
        Languages::default().from_text(name, text)
    }
    /// A model that was built by a program; `name` is what messages call it. It has no text, and is asked questions that
    /// a program has built as well.
    pub fn built(name: &str, system: System, view: View) -> Model {
        let lowered = lang::Model {
            system,
            view,
            questions: vec![],
            contents: Contents::default(),
            warnings: vec![],
            language: Box::new(Built),
        };
        Model::new(Sources::new(Source::new(name, "")), &BUILT, lowered)
    }
    fn new(sources: Sources, language: &'static FrontEnd, mut lowered: lang::Model) -> Model {
        let id = ModelId::fresh();
        lowered.questions.iter_mut().flatten().for_each(|question| question.model = Some(id));
        Model { id, sources, language, lowered }
    }
    /// What the model is called: its file, as it was given.
    pub fn name(&self) -> &str {
        &self.sources.main().name
    }
    /// What it does.
    pub fn system(&self) -> &System {
        &self.lowered.system
    }
    /// How that is shown.
    pub fn view(&self) -> &View {
        &self.lowered.view
    }
    /// The questions that are part of the model.
    pub fn questions(&self) -> &[Asked] {
        &self.lowered.questions
    }
    /// Reads a question in the language of the model; its name is its text on one line.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn ask(&mut self, text: &str) -> Result<Question, Error> {
        self.ask_named(&lang::one_line(text), &Source::new("question", text))
    }
    /// Reads a question from a source in the language of the model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn ask_named(&mut self, name: &str, source: &Source) -> Result<Question, Error> {
        let asked = self.lowered.question(name, &source.text);
        let model = Some(self.id);
        asked
            .map(|question| Question { model, ..question })
            .map_err(|diagnostics| Error::Text(self.misread(source, diagnostics)))
    }
    /// Reads a file of questions in the language of the model; `None` if that language has no such files.
    ///
    /// # Errors
    /// Why it is no such file at all.
    pub fn ask_file(&mut self, source: &Source) -> Option<Result<Vec<Asked>, Error>> {
        let mut asked = self.lowered.question_file(&source.text)?;
        for question in asked.iter_mut().flatten().flatten() {
            question.model = Some(self.id);
        }
        Some(asked.map_err(|diagnostics| Error::Text(self.misread(source, diagnostics))))
    }
    /// Reads a run that is prescribed, in the language of the model; `None` if that has no such files.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn script(&mut self, source: &Source) -> Option<Result<Script, Error>> {
        let read = self.lowered.language.script(&mut self.lowered.system, &source.text)?;
        Some(read.map_err(|diagnostics| Error::Text(self.misread(source, diagnostics))))
    }
    /// Whether a question may be about this model: it is, or nobody knows.
    pub(crate) fn is_asked(&self, question: &Question) -> bool {
        question.model.is_none_or(|model| model == self.id)
    }
    /// What is wrong with a question of a source.
    pub fn misread(&self, source: &Source, diagnostics: Vec<Diagnostic>) -> TextError {
        let (sources, about) = (Sources::new(source.clone()), Some(self.name().to_owned()));
        TextError { sources, diagnostics, about }
    }
    /// What is wrong with a question that is part of the model.
    pub fn own_misread(&self, misread: &Misread) -> TextError {
        TextError { sources: self.sources.clone(), diagnostics: misread.diagnostics.clone(), about: None }
    }
}
