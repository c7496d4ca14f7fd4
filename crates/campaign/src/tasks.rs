//! Tasks: which models are asked what, and what should come out.
//!
//! They come from patterns of file names, from lists (comma-separated values), from the comments of models, and from
//! task definitions of the software verification competition.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::file::{File, Tasks};
use crate::options::{Options, Setting};
use crate::plan::Question;
use crate::{csv, pattern, svcomp};

/// What is asked of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Its own question.
    Own,
    /// All of its own questions.
    All,
    /// A property, in the language of the model.
    Property(String),
    /// A formula of temporal logic.
    Formula(String),
    /// What a file says.
    File(PathBuf),
}

/// What should come out.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum Expected {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// The model goes wrong.
    Fault,
}

/// The words for what is expected, whether small or large, and for that nobody knows it.
const WORDS: &[(&str, Option<Expected>)] = &[
    ("holds", Some(Expected::Holds)),
    ("safe", Some(Expected::Holds)),
    ("true", Some(Expected::Holds)),
    ("violated", Some(Expected::Violated)),
    ("unsafe", Some(Expected::Violated)),
    ("false", Some(Expected::Violated)),
    ("fault", Some(Expected::Fault)),
    ("unknown", None),
];

impl Expected {
    /// Reads a word, of which some say that nobody knows.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(word: &str) -> Result<Option<Expected>, String> {
        match WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.trim())) {
            Some((_, expected)) => Ok(*expected),
            None => {
                let known: Vec<&str> = WORDS.iter().map(|(known, _)| *known).collect();
                Err(format!("`{word}` is no verdict; there are {}", known.join(", ")))
            }
        }
    }
    /// The word.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(_, expected)| *expected == Some(self)).map_or("", |(word, _)| word)
    }
}

impl TryFrom<String> for Expected {
    type Error = String;

    fn try_from(word: String) -> Result<Expected, String> {
        Expected::read(&word)?.ok_or_else(|| format!("`{word}` expects nothing; leave it out"))
    }
}

/// The questions of a campaign, and what was left out because it is not there.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// The questions, each with a name of its own.
    pub questions: Vec<Question>,
    /// Lists, patterns and models that are not there.
    pub missing: Vec<String>,
}

/// Finds all tasks of a campaign; paths are seen from `base`.
///
/// # Errors
/// If one is not there, unless that is allowed, or a list is not understood.
pub fn find(file: &File, base: &Path) -> Result<Found, Error> {
    let mut found = Found::default();
    for tasks in &file.tasks {
        let before = found.questions.len();
        let source = Source { tasks, base };
        source.models(&mut found)?;
        source.listed(&mut found)?;
        source.defined(&mut found)?;
        if found.questions.len() == before && !tasks.skip_missing {
            return Err(Error::NoTasks(format!("`[[tasks]]` with {}", source.said())));
        }
    }
    number(&mut found.questions);
    match found.questions.is_empty() {
        true => Err(Error::NoTasks("the campaign".to_owned())),
        false => Ok(found),
    }
}

/// Makes the names of questions differ.
fn number(questions: &mut [Question]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for question in questions {
        let count = seen.entry(question.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            question.name = format!("{} ({count})", question.name);
        }
    }
}

/// One place that tasks come from.
struct Source<'a> {
    tasks: &'a Tasks,
    base: &'a Path,
}

impl Source<'_> {
    fn said(&self) -> String {
        let Tasks { models, list, sv_comp, .. } = self.tasks;
        let list = list.iter().map(|path| path.display().to_string());
        let all: Vec<String> = models.iter().chain(sv_comp).map(String::from).chain(list).collect();
        match all.is_empty() {
            true => "neither `models` nor `list` nor `sv-comp`".to_owned(),
            false => format!("`{}`", all.join("`, `")),
        }
    }
    fn files(&self, patterns: &[String], found: &mut Found) -> Result<Vec<PathBuf>, Error> {
        let mut all = vec![];
        for given in patterns {
            let files = pattern::files(self.base, given).map_err(Error::unreadable(self.base))?;
            match (files.is_empty(), self.tasks.skip_missing) {
                (true, false) => return Err(Error::NoTasks(format!("the pattern `{given}`"))),
                (true, true) => found.missing.push(given.clone()),
                (false, _) => all.extend(files),
            }
        }
        Ok(all)
    }
    /// What the campaign file itself asks of each model.
    fn asked(&self) -> Vec<Asked> {
        let Tasks { property, formula, all, .. } = self.tasks;
        let properties = property.iter().flat_map(|it| it.list()).cloned().map(Asked::Property);
        let formulas = formula.iter().flat_map(|it| it.list()).cloned().map(Asked::Formula);
        properties.chain(formulas).chain(all.then_some(Asked::All)).collect()
    }
    fn question(&self, name: String, model: &Path, asked: Asked, expected: Option<Expected>) -> Question {
        let folder = || model.parent()?.file_name()?.to_str();
        Question {
            name,
            set: self.tasks.set.clone().or_else(|| folder().map(str::to_owned)).unwrap_or_default(),
            model: model.to_owned(),
            asked,
            options: self.tasks.options.clone(),
            expected: expected.or(self.tasks.expected),
            digest: String::new(),
        }
    }
    fn models(&self, found: &mut Found) -> Result<(), Error> {
        for model in self.files(&self.tasks.models, found)? {
            let stem = stem(&model);
            for Said { asked, options, expected } in self.asked_of(&model)? {
                let name = named(&stem, &asked);
                let mut question = self.question(name, &model, asked, expected);
                question.options = question.options.and(&options);
                found.questions.push(question);
            }
        }
        Ok(())
    }
    fn asked_of(&self, model: &Path) -> Result<Vec<Said>, Error> {
        let given = self.asked();
        if !given.is_empty() {
            return Ok(given.into_iter().map(Said::plain).collect());
        }
        if !self.tasks.comments {
            return Ok(vec![Said::plain(Asked::Own)]);
        }
        let text = std::fs::read(model).map_err(Error::unreadable(model))?;
        Ok(in_comments(&String::from_utf8_lossy(&text)))
    }
    /// The lines of a list.
    fn listed(&self, found: &mut Found) -> Result<(), Error> {
        let Some(list) = &self.tasks.list else { return Ok(()) };
        let path = self.base.join(list);
        if !path.exists() && self.tasks.skip_missing {
            found.missing.push(list.display().to_string());
            return Ok(());
        }
        let text = std::fs::read_to_string(&path).map_err(Error::unreadable(&path))?;
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let head = lines.next().map(|(_, line)| csv::fields(line)).unwrap_or_default();
        self.known_columns(&path, &head)?;
        for (number, line) in lines {
            let values = csv::fields(line);
            let row: BTreeMap<&str, &str> =
                head.iter().map(String::as_str).zip(values.iter().map(String::as_str)).collect();
            let wanted = |(column, allowed): (&String, &crate::file::OneOrMany)| {
                allowed.list().iter().any(|it| Some(it.as_str()) == row.get(column.as_str()).copied())
            };
            if self.tasks.r#where.iter().all(wanted) && !self.tasks.except.iter().any(wanted) {
                self.row(&path, number + 1, &row, found)?;
            }
        }
        Ok(())
    }
    fn known_columns(&self, path: &Path, head: &[String]) -> Result<(), Error> {
        let known = |column: &&String| head.contains(column);
        let used =
            self.tasks.columns.values().chain(self.tasks.r#where.keys()).chain(self.tasks.except.keys());
        match used.into_iter().find(|column| !known(column)) {
            None => Ok(()),
            Some(column) => {
                let why = format!("there is no column `{column}`; there are {}", head.join(", "));
                Err(Error::syntax(path, Some(1), why))
            }
        }
    }
    fn row(
        &self,
        path: &Path,
        line: usize,
        row: &BTreeMap<&str, &str>,
        found: &mut Found,
    ) -> Result<(), Error> {
        let column = |name: &'static str| self.tasks.columns.get(name).map_or(name, String::as_str);
        let value = |name: &'static str| row.get(column(name)).copied().filter(|text| !text.is_empty());
        let Some(model) = value("model") else {
            return Err(Error::syntax(path, Some(line), "a task has a model"));
        };
        let model = self.place(path, model);
        if !model.is_file() {
            if self.tasks.skip_missing {
                found.missing.push(model.display().to_string());
                return Ok(());
            }
            return Err(Error::syntax(path, Some(line), format!("there is no {}", model.display())));
        }
        let property = value("property");
        let is_file =
            |text: &str| self.tasks.property_files.iter().any(|ending| text.ends_with(ending.as_str()));
        let mut asked = self.asked();
        if asked.is_empty() {
            asked.push(match property {
                None => Asked::Own,
                Some(text) if is_file(text) => Asked::File(self.place(path, text)),
                Some(text) => Asked::Property(text.to_owned()),
            });
        }
        let expected = value("expected").map_or(Ok(None), Expected::read);
        let expected = expected.map_err(|why| Error::syntax(path, Some(line), why))?;
        for asked in asked {
            let name = value("name").map_or_else(|| named(&stem(&model), &asked), str::to_owned);
            let mut question = self.question(name, &model, asked, expected);
            if let Some(set) = value("set") {
                question.set = set.to_owned();
            }
            // Other columns that were given a name are options.
            let own = ["name", "model", "property", "expected", "set"];
            for (option, column) in
                self.tasks.columns.iter().filter(|(name, _)| !own.contains(&name.as_str()))
            {
                if let Some(text) = row.get(column.as_str()).filter(|text| !text.is_empty()) {
                    question.options.set(option, Setting::Text((*text).to_owned()));
                    question.name = format!("{} {option} {text}", question.name);
                }
            }
            found.questions.push(question);
        }
        Ok(())
    }
    /// Where a path of a list is.
    fn place(&self, list: &Path, path: &str) -> PathBuf {
        let roots = self.tasks.roots.iter();
        let longest =
            roots.filter(|(prefix, _)| path.starts_with(prefix.as_str())).max_by_key(|(it, _)| it.len());
        if let Some((prefix, root)) = longest {
            return self.base.join(root).join(&path[prefix.len()..]);
        }
        match &self.tasks.root {
            Some(root) => self.base.join(root).join(path),
            None => list.parent().unwrap_or(Path::new("")).join(path),
        }
    }
    /// Task definitions of the competition.
    fn defined(&self, found: &mut Found) -> Result<(), Error> {
        for path in self.files(&self.tasks.sv_comp, found)? {
            let text = std::fs::read_to_string(&path).map_err(Error::unreadable(&path))?;
            let definition =
                svcomp::read(&text).map_err(|(line, why)| Error::syntax(&path, Some(line), why))?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let [input] = &definition.inputs[..] else {
                let why = format!("a program of several files is not read: {}", definition.inputs.join(", "));
                return Err(Error::syntax(&path, None, why));
            };
            let model = folder.join(input);
            let mut options = Options::default();
            if let Some(width) = definition.data_model {
                options.set("data-model", Setting::Text(width));
            }
            for property in &definition.properties {
                let file = folder.join(&property.file);
                let wanted = self.tasks.property_files.is_empty()
                    || self
                        .tasks
                        .property_files
                        .iter()
                        .any(|ending| property.file.ends_with(ending.as_str()));
                if !wanted {
                    continue;
                }
                let expected =
                    property.holds.map(|holds| if holds { Expected::Holds } else { Expected::Violated });
                let name = format!("{} {}", stem(&path), stem(&file));
                let mut question = self.question(name, &model, Asked::File(file), expected);
                question.options = question.options.and(&options);
                found.questions.push(question);
            }
        }
        Ok(())
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a question is called.
fn named(stem: &str, asked: &Asked) -> String {
    match asked {
        Asked::Own => stem.to_owned(),
        Asked::All => format!("{stem}, all"),
        Asked::Property(text) | Asked::Formula(text) => format!("{stem} {text}"),
        Asked::File(file) => format!("{stem} {}", self::stem(file)),
    }
}

/// What comments ask.
#[derive(Clone, PartialEq, Debug)]
struct Said {
    asked: Asked,
    options: Options,
    expected: Option<Expected>,
}

impl Said {
    /// A question of which nobody says what is expected.
    fn plain(asked: Asked) -> Said {
        Said { asked, options: Options::default(), expected: None }
    }
}

/// The questions in the comments of a model, each with what is expected; without one, its own.
fn in_comments(text: &str) -> Vec<Said> {
    let (mut now, mut list) = (Said::plain(Asked::Own), vec![]);
    let mut expects = false;
    for line in text.lines() {
        let line = line.trim().trim_start_matches("<!--").trim_end_matches("-->").trim();
        let said = |key: &str| line.trim_start_matches("//").trim_start().strip_prefix(key).map(str::trim);
        let option = |text: &str| Setting::Text(text.to_owned());
        if let Some(text) = said("property:").or_else(|| said("query:")) {
            now.asked = Asked::Property(text.to_owned());
            now.options.remove(STATES);
        } else if let Some(text) = said("states:") {
            now.options.set(STATES, option(text));
        } else if let Some(text) = said("component:") {
            now.options.set("component", option(text));
        } else if let Some(text) = said("period:") {
            now.options.set("period", option(text));
        } else if let Some(text) = said("expect:") {
            // What is not a verdict is no task: texts that are refused, and what nobody knows.
            expects = true;
            let verdict = text.split_whitespace().next().and_then(|word| Expected::read(word).ok()?);
            list.extend(verdict.map(|verdict| Said { expected: Some(verdict), ..now.clone() }));
        }
    }
    if !expects && now.asked == Asked::Own { vec![now] } else { list }
}

/// The option that says which states a question looks at.
const STATES: &str = "check-states";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_ask_and_expect() {
        let text = "// property: x < 3\n// states: stable\n// expect: holds\n<!-- query: A[] y -->\n\
                    <!-- expect: violated steps=3 -->\n// expect: error\n";
        let said = in_comments(text);
        let shown: Vec<String> =
            said.iter().map(|it| format!("{:?} {} {:?}", it.asked, it.options, it.expected)).collect();
        assert_eq!(
            shown,
            ["Property(\"x < 3\") check-states=stable Some(Holds)", "Property(\"A[] y\")  Some(Violated)"]
        );
        assert_eq!(in_comments("var x : integer"), [Said::plain(Asked::Own)]);
        // A model that is refused is no task.
        assert_eq!(in_comments("// expect: error \"has no property\"\nvar x : integer"), []);
    }

    #[test]
    fn words_of_lists_are_verdicts() {
        assert_eq!(Expected::read("safe"), Ok(Some(Expected::Holds)));
        assert_eq!(Expected::read("SAFE"), Ok(Some(Expected::Holds)));
        assert_eq!(Expected::read(" Holds"), Ok(Some(Expected::Holds)));
        assert_eq!(Expected::read("false"), Ok(Some(Expected::Violated)));
        assert_eq!(Expected::read("unknown"), Ok(None));
        assert!(
            Expected::read("maybe").unwrap_err().starts_with("`maybe` is no verdict; there are holds, safe")
        );
        assert!(Expected::try_from("unknown".to_owned()).is_err());
        for expected in [Expected::Holds, Expected::Violated, Expected::Fault] {
            assert_eq!(Expected::read(expected.word()), Ok(Some(expected)));
        }
    }
}
