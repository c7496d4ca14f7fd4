//! Options of the program, as data: names and values, in the order in which they are given.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The value of an option.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// An option without a value, given or not.
    Flag(bool),
    /// A number.
    Number(i64),
    /// Anything else.
    Text(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Flag(value) => write!(f, "{value}"),
            Setting::Number(value) => write!(f, "{value}"),
            Setting::Text(value) => f.write_str(value),
        }
    }
}

/// A table as it is written: names with values, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table<T>(pub Vec<(String, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(vec![])
    }
}

impl<T: Serialize> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Table<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<T>, A::Error> {
                let mut list = vec![];
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Ok(Table(list))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Options with their values; no name is there twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Options {
    table: Table<Setting>,
}

impl Options {
    /// Gives an option a value, instead of the one that it has.
    pub fn set(&mut self, name: &str, setting: Setting) {
        match self.table.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = setting,
            None => self.table.0.push((name.to_owned(), setting)),
        }
    }
    /// Takes an option away.
    pub fn remove(&mut self, name: &str) {
        self.table.0.retain(|(known, _)| known != name);
    }
    /// The value of an option.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.table.0.iter().find(|(known, _)| known == name).map(|(_, setting)| setting)
    }
    /// These, and those of another one, which wins.
    pub fn and(&self, other: &Options) -> Options {
        let mut both = self.clone();
        other.iter().for_each(|(name, setting)| both.set(name, setting.clone()));
        both
    }
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.table.0.iter().map(|(name, setting)| (name.as_str(), setting))
    }
    /// Whether the same options have the same values, in whatever order.
    pub fn same(&self, other: &Options) -> bool {
        let within =
            |one: &Options, other: &Options| one.iter().all(|(name, value)| other.get(name) == Some(value));
        within(self, other) && within(other, self)
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.0.is_empty()
    }
}

impl FromIterator<(String, Setting)> for Options {
    fn from_iter<I: IntoIterator<Item = (String, Setting)>>(list: I) -> Self {
        let mut options = Options::default();
        list.into_iter().for_each(|(name, setting)| options.set(&name, setting));
        options
    }
}

impl fmt::Display for Options {
    /// `name=value`, one after the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, setting)) in self.table.0.iter().enumerate() {
            let gap = if at == 0 { "" } else { " " };
            write!(f, "{gap}{name}={setting}")?;
        }
        Ok(())
    }
}
