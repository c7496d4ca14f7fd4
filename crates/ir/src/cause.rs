//! What causes are made of: stable codes, and variables that are named.
//!
//! Why something is unknown, unsupported or refused is an enumeration wherever it is found out, and each of its
//! variants has a code that programs may rely on. Words are made of it at the edge.

use std::fmt;

use crate::system::System;
use crate::term::VarId;

/// Gives the variants of an enumeration their stable codes, and lists these.
///
/// ```
/// enum Weather {
///     Rain { millimetres: u32 },
///     Sun,
/// }
/// thetis_ir::codes! { Weather { Weather::Rain { .. } => "weather.rain", Weather::Sun => "weather.sun" } }
///
/// assert_eq!(Weather::Rain { millimetres: 3 }.code(), "weather.rain");
/// assert_eq!(Weather::CODES, ["weather.rain", "weather.sun"]);
/// ```
#[macro_export]
macro_rules! codes {
    ($name:ident { $($variant:pat => $code:literal),+ $(,)? }) => {
        impl $name {
            /// The codes of all variants.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// The stable code of this one, for programs.
            pub fn code(&self) -> &'static str {
                match self { $($variant => $code),+ }
            }
        }
    };
}

/// A variable that a cause is about, with its name.
///
/// Rewritings keep the numbers of variables, so this is one of the system that was asked about, unless it was
/// added on the way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NamedVar {
    /// Which.
    pub var: VarId,
    /// How the user knows it.
    pub name: String,
}

impl NamedVar {
    /// A variable of `system`.
    pub fn of(system: &System, var: VarId) -> Self {
        NamedVar { var, name: system.vars[var].name.clone() }
    }
    /// Those of `vars` that the user wrote, each once and in order.
    pub fn shown(system: &System, mut vars: Vec<VarId>) -> Vec<Self> {
        vars.retain(|var| system.vars[*var].shown);
        vars.sort_unstable();
        vars.dedup();
        vars.into_iter().map(|var| NamedVar::of(system, var)).collect()
    }
}

impl fmt::Display for NamedVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)
    }
}
