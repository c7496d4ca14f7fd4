//! The campaign file: what is asked, under which configurations, and within which limits, in TOML.
//!
//! Names in it are written with dashes; what it does not know it refuses. Paths are seen from the folder of the file.
//! `docs/campaigns.md` describes it, and `docs/schema/campaign.schema.json` is for editors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::options::{Options, Setting, Table};
use crate::plan::Limits;
use crate::tasks::Expected;

/// A campaign, as it is written.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// What it is called.
    pub name: String,
    /// What it is about, for its report.
    #[serde(default)]
    pub about: String,
    /// How often everything is asked.
    #[serde(default = "one")]
    pub repetitions: u32,
    /// Where the order of jobs and the choice of a sample start.
    #[serde(default)]
    pub seed: u64,
    /// How many questions are asked at most, chosen by chance.
    pub sample: Option<usize>,
    /// Whether traces and certificates are kept, so that they can be checked again.
    #[serde(default = "yes")]
    pub evidence: bool,
    /// What every job may use.
    #[serde(default)]
    pub limits: Limits,
    /// What is asked.
    pub tasks: Vec<Tasks>,
    /// How.
    pub configurations: Vec<Configurations>,
}

/// Questions that come from one place.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Tasks {
    /// What they are called together; else the folder of each model.
    pub set: Option<String>,
    /// Models, by patterns of their names.
    pub models: Vec<String>,
    /// Whether the comments of models say what is asked and expected (`// property:`, `// query:`, `// expect:`).
    pub comments: bool,
    /// A list of tasks: comma-separated values whose first line has the names of columns.
    pub list: Option<PathBuf>,
    /// What the columns `name`, `model`, `property`, `expected`, `set` and options are called in it.
    pub columns: BTreeMap<String, String>,
    /// The lines that count: a value, or one of several, for each of these columns.
    pub r#where: BTreeMap<String, OneOrMany>,
    /// The lines that do not, in the same way.
    pub except: BTreeMap<String, OneOrMany>,
    /// The folder that paths of the list are seen from; else that of the list.
    pub root: Option<PathBuf>,
    /// Other folders for paths that begin so.
    pub roots: BTreeMap<String, PathBuf>,
    /// A property of the list that ends so is a file.
    pub property_files: Vec<String>,
    /// Task definitions of the software verification competition (`.yml`), by patterns of their names.
    pub sv_comp: Vec<String>,
    /// What is asked of each model; else what the list says, or the model itself.
    pub property: Option<OneOrMany>,
    /// The same, about temporal formulas.
    pub formula: Option<OneOrMany>,
    /// Whether all questions of a model are asked together.
    pub all: bool,
    /// What is expected of all of them.
    pub expected: Option<Expected>,
    /// Options that belong to the questions.
    pub options: Options,
    /// Whether files that are not there are left out, and not an error.
    pub skip_missing: bool,
}

/// Configurations that are made together.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Configurations {
    /// What each is called: `{option}` stands for the value of an option, shortened as `short` says.
    pub name: Option<String>,
    /// What values are called in names.
    pub short: BTreeMap<String, BTreeMap<String, String>>,
    /// The options that all of them have.
    pub options: Options,
    /// Every combination of these values that the program takes.
    pub product: Table<Vec<Setting>>,
    /// So many of these combinations that every two values of two options meet.
    pub pairwise: Table<Vec<Setting>>,
    /// Where the covering array is kept.
    pub array: Option<PathBuf>,
}

/// A text, or several.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them.
    pub fn list(&self) -> &[String] {
        match self {
            OneOrMany::One(text) => std::slice::from_ref(text),
            OneOrMany::Many(list) => list,
        }
    }
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

impl File {
    /// Reads a campaign file.
    ///
    /// # Errors
    /// If it cannot be read, or what is in it is not understood; the line is named.
    pub fn read(path: &Path) -> Result<File, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::unreadable(path))?;
        File::parse(path, &text)
    }
    /// Reads a campaign from a text, which is said to be in this file.
    ///
    /// # Errors
    /// As [`File::read`].
    pub fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map(|span| line(span.start));
            Error::syntax(path, at, error.message().trim().replace('\n', "; "))
        })?;
        let wrong = |why: &str| Err(Error::syntax(path, None, why));
        if file.name.is_empty() || file.name.contains(|c: char| matches!(c, '/' | '\\') || c.is_control()) {
            return wrong("`name` is a word that a folder can be called by");
        }
        if file.repetitions == 0 || file.sample == Some(0) {
            return wrong("`repetitions` and `sample` are at least 1");
        }
        if let Err(why) = file.limits.check() {
            return wrong(&why);
        }
        if file.tasks.is_empty() || file.configurations.is_empty() {
            return wrong("a campaign has `[[tasks]]` and `[[configurations]]`");
        }
        for (number, group) in file.configurations.iter().enumerate() {
            let tables = [("product", &group.product), ("pairwise", &group.pairwise)];
            for (table, Table(list)) in tables {
                if let Some((option, _)) = list.iter().find(|(_, values)| values.is_empty()) {
                    return wrong(&format!("`{option}` of `{table}` in {} has no value", group.said(number)));
                }
            }
        }
        Ok(file)
    }
}

impl Configurations {
    /// How a group is called in messages: by its name, or by where it is in the file, counted from 0 here.
    pub fn said(&self, number: usize) -> String {
        match &self.name {
            Some(name) => format!("`{name}`"),
            None => format!("number {} of `[[configurations]]`", number + 1),
        }
    }
}

impl Limits {
    /// Says why these are no limits.
    fn check(&self) -> Result<(), String> {
        /// Beyond that, nobody waits, and sums of seconds would not be exact.
        const MOST: f64 = 1e9;
        let seconds = [("cpu-seconds", self.cpu_seconds), ("wall-seconds", self.wall_seconds)];
        let memory = [("memory-mb", self.memory_mb.map(|most| most as f64))];
        for (name, given) in seconds.into_iter().chain(memory) {
            if given.is_some_and(|number| !(number > 0.0 && number <= MOST)) {
                return Err(format!("`{name}` is a number above 0 and at most {MOST}"));
            }
        }
        Ok(())
    }
}

/// A first campaign file, about these models.
pub fn template(name: &str, models: &str) -> String {
    format!(
        r#"# A campaign: configurations on models. `docs/campaigns.md` says what can be written here.
name = "{name}"
about = "What is compared, and why."
repetitions = 1

[limits]
cpu-seconds = 10
wall-seconds = 30
memory-mb = 2000

# What is asked: models by patterns, each with its own property. Others are listed in a file (`list = "tasks.csv"`),
# or defined as in competitions (`sv-comp = ["*.yml"]`).
[[tasks]]
models = ["{models}"]

# The program as it comes.
[[configurations]]
name = "default"

# Every combination of values; `pairwise` instead of `product` for so many that every two values meet.
[[configurations]]
name = "{{domain}}-{{search}}"
options = {{ engine = "cegar" }}
product = {{ domain = ["EXPL", "PRED_CART"], search = ["bfs", "dfs"] }}
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<File, String> {
        File::parse(Path::new("c.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_file_is_one() {
        let file = parse(&template("first", "*.xsts")).expect("a campaign");
        assert_eq!((file.name.as_str(), file.repetitions), ("first", 1));
        assert_eq!(file.limits.cpu_seconds, Some(10.0));
        let domains = &file.configurations[1].product.0[0];
        assert_eq!((domains.0.as_str(), domains.1.len()), ("domain", 2));
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        let why = parse("name = \"a\"\ntasks = []\nconfigurations = []\nlimit = 3\n").unwrap_err();
        assert!(why.starts_with("c.toml:4: unknown field `limit`"), "{why}");
        let why = parse("name = \"a\"\n[[tasks]]\nmodels = 3\n").unwrap_err();
        assert!(why.starts_with("c.toml:3: invalid type: integer `3`"), "{why}");
        let whole = |head: &str, group: &str| {
            parse(&format!(
                "name = \"a\"\n{head}\n[[tasks]]\nmodels = [\"*\"]\n[[configurations]]\n{group}\n"
            ))
        };
        assert!(whole("", "").is_ok());
        for limit in [
            "cpu-seconds = -3",
            "cpu-seconds = 0",
            "wall-seconds = nan",
            "wall-seconds = inf",
            "memory-mb = 0",
        ] {
            let name = limit.split(' ').next().unwrap_or_default();
            let why = whole(&format!("[limits]\n{limit}"), "").unwrap_err();
            assert_eq!(why, format!("c.toml: `{name}` is a number above 0 and at most 1000000000"));
        }
        let why = whole("", "[[configurations]]\nproduct = { engine = [] }").unwrap_err();
        assert_eq!(why, "c.toml: `engine` of `product` in number 2 of `[[configurations]]` has no value");
        assert!(
            parse("name = \"a\\nb\"\ntasks = []\nconfigurations = []\n")
                .unwrap_err()
                .contains("`name` is a word")
        );
        let why = parse("name = \"a\"\ntasks = []\nconfigurations = []\n").unwrap_err();
        assert_eq!(why, "c.toml: a campaign has `[[tasks]]` and `[[configurations]]`");
    }
}
