//! Configurations: by name, as products of values, or pairwise.
//!
//! Options that do not go together are not put together, because the program says so: an option is left out where none
//! of its values is taken beside the others, and only there. What remains are the *legal* combinations, and a
//! product is all of them, a covering array ([`crate::pairwise`]) enough of them for every two values to meet.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::file::{Configurations, File};
use crate::options::{Options, Setting, Table};
use crate::pairwise::{self, Row, Space};
use crate::program::Program;

/// Options with a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Configuration {
    /// What it is called; no two configurations of a campaign are called the same.
    pub name: String,
    /// Its options.
    pub options: Options,
}

/// All configurations of a campaign.
///
/// # Errors
/// If the program does not take one, or two are called the same.
pub fn all(file: &File, base: &Path, program: &dyn Program) -> Result<Vec<Configuration>, Error> {
    let mut list: Vec<Configuration> = vec![];
    for (number, group) in file.configurations.iter().enumerate() {
        let made = Group { group, number, base, program };
        for options in made.members()? {
            let member = Configuration { name: made.name(&options), options };
            match list.iter().find(|known| known.name == member.name) {
                // Groups may share members.
                Some(known) if known.options.same(&member.options) => {}
                Some(_) => return Err(Error::Twice(format!("the configuration `{}`", member.name))),
                None => list.push(member),
            }
        }
    }
    Ok(list)
}

/// A covering array, and what there is to say about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// Where it is kept, if the campaign says so.
    pub path: Option<PathBuf>,
    /// How many combinations are legal.
    pub legal: usize,
    /// How many configurations every array needs at least.
    pub lower_bound: usize,
    /// The options of each configuration.
    pub rows: Vec<Options>,
}

impl Array {
    /// As it is kept: a configuration on each line.
    pub fn text(&self) -> String {
        let (count, legal, bound) = (self.rows.len(), self.legal, self.lower_bound);
        let mut text = format!(
            "# A pairwise covering array: {count} of {legal} configurations; every two values of two options that can meet \
             do.\n# No array has fewer than {bound}.\n"
        );
        self.rows.iter().for_each(|row| text += &format!("{row}\n"));
        text
    }
}

/// The covering arrays of a campaign, made anew.
///
/// # Errors
/// If the program does not take a value, or there are too many combinations.
pub fn arrays(file: &File, base: &Path, program: &dyn Program) -> Result<Vec<Array>, Error> {
    let groups = file.configurations.iter().enumerate().filter(|(_, group)| !group.pairwise.0.is_empty());
    let made = groups.map(|(number, group)| {
        let made = Group { group, number, base, program };
        let space = made.space(&group.pairwise)?;
        let rows = pairwise::cover(&space).iter().map(|row| made.spelt(&group.pairwise, row)).collect();
        let path = group.array.as_ref().map(|path| base.join(path));
        Ok(Array { path, legal: space.rows.len(), lower_bound: pairwise::lower_bound(&space), rows })
    });
    made.collect()
}

/// Configurations that are made together.
struct Group<'a> {
    group: &'a Configurations,
    /// Where it is in the file, from 0.
    number: usize,
    base: &'a Path,
    program: &'a dyn Program,
}

impl Group<'_> {
    /// The options of every member.
    fn members(&self) -> Result<Vec<Options>, Error> {
        let Configurations { options, product, pairwise, array, .. } = self.group;
        for (name, setting) in options.iter() {
            self.known(name, setting)?;
        }
        let list: Vec<Options> = match (product.0.is_empty(), pairwise.0.is_empty()) {
            (true, true) => vec![Options::default()],
            (false, true) => {
                let space = self.space(product)?;
                space.rows.iter().map(|row| self.spelt(product, row)).collect()
            }
            (true, false) => {
                match array.as_ref().map(|path| self.base.join(path)).filter(|path| path.exists()) {
                    Some(path) => self.kept(&path)?,
                    None => {
                        let space = self.space(pairwise)?;
                        pairwise::cover(&space).iter().map(|row| self.spelt(pairwise, row)).collect()
                    }
                }
            }
            (false, false) => {
                let why = "`product` and `pairwise` do not go together; write two groups".to_owned();
                return Err(self.refused(why));
            }
        };
        let list: Vec<Options> = list.into_iter().map(|more| options.and(&more)).collect();
        for options in &list {
            let all: Vec<(&str, &Setting)> = options.iter().collect();
            self.program
                .takes(&all)
                .map_err(|why| Error::Options { configuration: format!("`{}`", self.name(options)), why })?;
        }
        Ok(list)
    }
    fn refused(&self, why: String) -> Error {
        Error::Options { configuration: self.group.said(self.number), why }
    }
    fn known(&self, name: &str, setting: &Setting) -> Result<(), Error> {
        self.program.knows(name, setting).map_err(|why| self.refused(why))
    }
    /// The legal combinations of these values.
    fn space(&self, table: &Table<Vec<Setting>>) -> Result<Space, Error> {
        for (name, values) in &table.0 {
            values.iter().try_for_each(|value| self.known(name, value))?;
        }
        let sizes: Vec<usize> = table.0.iter().map(|(_, values)| values.len()).collect();
        let fixed: Vec<(&str, &Setting)> = self.group.options.iter().collect();
        let mut given: Vec<(&str, &Setting)> = vec![];
        Space::new(&sizes, |row: &Row| {
            given.clear();
            given.extend(&fixed);
            given.extend(settings(table, row));
            self.program.takes(&given).is_ok()
        })
    }
    fn spelt(&self, table: &Table<Vec<Setting>>, row: &Row) -> Options {
        settings(table, row).map(|(name, setting)| (name.to_owned(), setting.clone())).collect()
    }
    /// The array that is kept, once it is known to cover all pairs.
    fn kept(&self, path: &Path) -> Result<Vec<Options>, Error> {
        let table = &self.group.pairwise;
        let text = std::fs::read_to_string(path).map_err(Error::unreadable(path))?;
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        let rows: Vec<Row> = lines
            .map(|(at, line)| {
                row(table, line).ok_or_else(|| {
                    let why = format!("`{line}` has an option or a value that the campaign does not have");
                    Error::syntax(path, Some(at + 1), why)
                })
            })
            .collect::<Result<_, _>>()?;
        let space = self.space(table)?;
        if let Some(pair) = pairwise::uncovered(&space, &rows) {
            let named = |(option, value): (usize, usize)| {
                format!("{}={}", table.0[option].0, table.0[option].1[value])
            };
            return Err(Error::Uncovered { path: path.to_owned(), pair: pair.map(named) });
        }
        Ok(rows.iter().map(|row| self.spelt(table, row)).collect())
    }
    /// What a configuration of this group is called.
    fn name(&self, options: &Options) -> String {
        let Some(pattern) = &self.group.name else {
            return if options.is_empty() { "default".to_owned() } else { options.to_string() };
        };
        let (mut name, mut rest) = (String::new(), pattern.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let (option, behind) = after.split_once('}').unwrap_or((after, ""));
            name += before;
            name += &self.short(option, options);
            rest = behind;
        }
        name + rest
    }
    fn short(&self, option: &str, options: &Options) -> String {
        let value = options.get(option).map(ToString::to_string).unwrap_or_default();
        self.group.short.get(option).and_then(|short| short.get(&value)).cloned().unwrap_or(value)
    }
}

/// The values of a row.
fn settings<'a, 'b>(
    table: &'a Table<Vec<Setting>>,
    row: &'b Row,
) -> impl Iterator<Item = (&'a str, &'a Setting)> + use<'a, 'b> {
    let given = row.iter().enumerate().filter_map(|(option, value)| Some((option, usize::from((*value)?))));
    given.map(|(option, value)| (table.0[option].0.as_str(), &table.0[option].1[value]))
}

/// The row that a line spells.
fn row(table: &Table<Vec<Setting>>, line: &str) -> Option<Row> {
    let mut row = vec![None; table.0.len()];
    for word in line.split_whitespace() {
        let (name, value) = word.split_once('=')?;
        let option = table.0.iter().position(|(known, _)| known == name)?;
        let value = table.0[option].1.iter().position(|known| known.to_string() == value)?;
        row[option] = Some(u8::try_from(value).ok()?);
    }
    Some(row)
}
