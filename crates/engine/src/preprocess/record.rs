//! What preprocessing did, for reports.

use std::fmt;

use ir::NamedVar;

/// What was done to some variables before the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewriting {
    /// What.
    pub what: RewriteKind,
    /// To which of the variables that the user wrote.
    pub variables: Vec<NamedVar>,
    /// To how many others; of locations, to how many of them.
    pub hidden: usize,
}

/// A way to make a system smaller, or plainer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RewriteKind {
    /// Clocks became rational numbers.
    Encoded,
    /// Variables that never change became constants.
    Folded,
    /// Variables that decide nothing are gone.
    Dropped,
    /// Counters stop above what they are compared with.
    CutOff,
    /// Variables that every step sets before it reads them have no values between steps.
    Forgot,
    /// Values that are overwritten before anybody reads them are not computed.
    LeftOut,
    /// Locations of a program between which nothing is asked are only passed; they are counted as hidden things.
    Passed,
}

ir::codes! {
    RewriteKind {
        RewriteKind::Encoded => "encoded",
        RewriteKind::Folded => "folded",
        RewriteKind::Dropped => "dropped",
        RewriteKind::CutOff => "cut-off",
        RewriteKind::Forgot => "forgot",
        RewriteKind::LeftOut => "left-out",
        RewriteKind::Passed => "passed",
    }
}

impl fmt::Display for Rewriting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single = self.variables.len() + self.hidden == 1;
        if self.what == RewriteKind::Passed {
            let ending = if single { "" } else { "s" };
            return write!(f, "passed {} location{ending} within blocks", self.hidden);
        }
        let (verb, one, several) = match self.what {
            RewriteKind::Encoded => ("encoded", " as a rational", " as rationals"),
            RewriteKind::Folded => ("folded", ", which never changes", ", which never change"),
            RewriteKind::Dropped => ("dropped", ", which decides nothing", ", which decide nothing"),
            RewriteKind::CutOff => {
                ("cut off", " above what it is compared with", " above what they are compared with")
            }
            RewriteKind::Forgot => (
                "forgot",
                " between steps, which is set before it is read",
                " between steps, which are set before they are read",
            ),
            RewriteKind::LeftOut => ("left out values of", " that are overwritten", " that are overwritten"),
            RewriteKind::Passed => unreachable!("said above"),
        };
        let mut list: String = self.variables.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if self.hidden > 0 {
            let joint = if list.is_empty() { "" } else { " and " };
            let ending = if self.hidden == 1 { "" } else { "s" };
            list = format!("{list}{joint}{} hidden variable{ending}", self.hidden);
        }
        write!(f, "{verb} {list}{}", if single { one } else { several })
    }
}
