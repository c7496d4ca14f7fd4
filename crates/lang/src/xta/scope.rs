//! Names and what they stand for; scopes within scopes.

use ir::Span;
use rustc_hash::FxHashMap;

use crate::xta::ast::{FunctionId, Name, TemplateId};
use crate::xta::types::{Place, Ty};

ir::id!(
    /// A scope.
    ScopeId
);

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A variable, constant, clock or channel.
    Place(Place),
    Type(Ty),
    /// A function and the scope it is declared in.
    Function(FunctionId, ScopeId),
    Template(TemplateId),
    /// An instance, by its number among the declarations.
    Instance(usize),
    /// Declared, but wrong; reported already.
    Broken,
}

/// The names declared together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) parent: Option<ScopeId>,
    names: FxHashMap<Name, (Symbol, Span)>,
}

impl Scope {
    /// An empty scope within another.
    pub(crate) fn within(parent: ScopeId) -> Self {
        Scope { parent: Some(parent), names: FxHashMap::default() }
    }
    /// Declares a name; the place of an earlier declaration if there is one.
    pub(crate) fn declare(&mut self, name: Name, symbol: Symbol, span: Span) -> Option<Span> {
        self.names.insert(name, (symbol, span)).map(|(_, span)| span)
    }
    /// What a name stands for here, without the scopes around.
    pub(crate) fn own(&self, name: Name) -> Option<&Symbol> {
        self.names.get(&name).map(|(symbol, _)| symbol)
    }
    /// All names declared here.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> + '_ {
        self.names.keys().copied()
    }
}

/// The name closest to `wanted`, if one is close enough to be meant; of equally close ones the first
/// by alphabet.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (wanted.chars().count() + 1) / 3;
    names
        .filter(|name| name.len().abs_diff(wanted.len()) <= 4 * allowed)
        .filter_map(|name| Some((distance(wanted, name, allowed)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be inserted, removed or replaced, if at most `most`; upper and lower case
/// count as the same.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let [a, b] =
        [a, b].map(|text| text.chars().take(100).map(|c| c.to_ascii_lowercase()).collect::<Vec<_>>());
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row.push(replace.min(above[j] + 1).min(row[j - 1] + 1));
        }
        above = row;
    }
    above.last().copied().filter(|distance| *distance <= most)
}
