//! What the user can choose: plain data, named once.

use std::fmt;
use std::str::FromStr;

/// The choices of one search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Which algorithm.
    pub engine: Engine,
    /// In which order.
    pub search: Search,
    /// When a node of a zone graph is covered.
    pub covering: Covering,
    /// How many states may be stored; `None` for as many as fit.
    pub state_limit: Option<u64>,
}

/// Declares an enumeration whose values have names on the command line. Names are read without
/// regard to case, and `-` equals `_`.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident: $what:literal { $($(#[$vdoc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
        pub enum $name { $($(#[$vdoc])* $value),+ }

        impl $name {
            /// All values, the default first.
            pub const ALL: &[$name] = &[$($name::$value),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$value => $text),+ })
            }
        }

        impl FromStr for $name {
            type Err = UnknownChoice;
            fn from_str(text: &str) -> Result<Self, UnknownChoice> {
                let plain = |text: &str| text.to_lowercase().replace('_', "-");
                $name::ALL.iter().copied().find(|value| plain(&value.to_string()) == plain(text)).ok_or_else(|| {
                    let known = $name::ALL.iter().map(ToString::to_string).collect();
                    UnknownChoice { what: $what, given: text.to_owned(), known }
                })
            }
        }
    };
}

choices!(
    /// The algorithm that answers.
    Engine: "engine" {
        /// By what the model contains: zones if it has clocks, else concrete states.
        #[default]
        Auto = "auto",
        /// Exhaustive search over concrete states.
        Explicit = "explicit",
        /// The zone graph of a timed model.
        Zone = "zone",
    }
);

choices!(
    /// The order in which states are visited.
    Search: "search order" {
        /// Breadth first: runs are as short as possible.
        #[default]
        Bfs = "bfs",
        /// Depth first.
        Dfs = "dfs",
        /// What covers more first: larger zones. Explicit search has no such order and goes breadth
        /// first.
        Priority = "priority",
    }
);

choices!(
    /// When a node of a zone graph needs no look of its own.
    Covering: "covering" {
        /// Another node of the same discrete state has a zone that includes its zone.
        #[default]
        Inclusion = "inclusion",
        /// Another node is the same.
        Equality = "equality",
        /// Another node has a zone whose valuations simulate all of its zone (a≼LU).
        Alu = "alu",
    }
);

/// A name that stands for none of the choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was given.
    pub given: String,
    /// What could have been.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`; choose {}", self.what, self.given, self.known.join(" or "))
    }
}

impl std::error::Error for UnknownChoice {}
