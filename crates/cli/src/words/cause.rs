//! Why there is no answer, in words.

use engine::{Outgrown, Reason, SolverFailure, Unsupported};
use lang::diagnostic::Diagnostic;
use smt::Interrupt;
use thetis::verdict::{Cause, Claimed};
use thetis::{CannotCheck, CannotPose, Limits};

use super::{Told, clash, option};
use crate::console::printable;

/// Why a search ended, with the limit that was reached.
pub fn reason(reason: &Reason, limits: &Limits) -> Told {
    let text = match reason {
        Reason::Time | Reason::Memory => crate::limits::explain(limits, reason),
        Reason::Unsupported(cause) => format!("unsupported: {}", unsupported(cause)),
        Reason::Outgrown(Outgrown::Within) => {
            "`--within` asks about more than 2^28 time units, which zones cannot count".to_owned()
        }
        Reason::Solver(SolverFailure::Interrupt(why)) => {
            return interrupt(reason.code(), why).map(|text| format!("solver: {text}"));
        }
        // The verdict is a line, whatever a solver has to say.
        other => printable(&other.to_string()),
    };
    Told::new(reason.code(), text)
}

fn unsupported(cause: &Unsupported) -> String {
    match cause {
        Unsupported::Choices(error) => clash(error, None),
        Unsupported::Unsound { choice, with } => format!("`{}` is not sound with {with}", option(choice)),
        Unsupported::NotCounting => {
            "`--engine linear` on a model that does more than counting; it is for Petri nets that are not too large"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// What a text needs and Thetis lacks.
pub fn lacking(found: &Diagnostic) -> Told {
    Told::new(found.code.code(), format!("unsupported: {}", found.message))
}

/// What a solver has to say: the cause in a line, and what it wrote, or what to do.
pub(super) fn interrupt(code: &'static str, why: &Interrupt) -> Told {
    let (text, details) = match why {
        Interrupt::Library(error) => (format!("Z3: {}", error.cause()), Some(error.advice().join("\n"))),
        Interrupt::Broken { solver, problem, output } => {
            let last = (!output.is_empty()).then(|| format!("its last lines were:\n{}", output.trim_end()));
            (format!("{solver}: {problem}"), last)
        }
        other => (other.to_string(), None),
    };
    let details = details.map(|details| printable(&details));
    Told { code, text: one_line(&printable(&text)), details }
}

/// A text of another program on one line.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// What to say where evidence could not be checked for want of a solver.
pub fn hint(cause: &Cause) -> Option<&'static str> {
    let Cause::Uncertified(why) = cause else { return None };
    let missing = matches!(why.solver(), Some(Interrupt::Library(_)));
    missing.then_some("`thetis doctor` says what is missing; `--engine explicit` needs no solver")
}

/// Why a question cannot be checked.
pub fn unchecked(why: &CannotCheck) -> Told {
    match why {
        CannotCheck::Pose(why) => unposed(why),
        CannotCheck::Limits(why) => Told::new(why.code(), why.to_string()),
    }
}

/// Why a question cannot be posed.
pub fn unposed(why: &CannotPose) -> Told {
    match why {
        CannotPose::Within(most, reason) => Told::new(why.code(), format!("`--within {most}`: {reason}")),
        CannotPose::Fair(item, reason) => Told::new(why.code(), format!("`--fair` of `{item}`: {reason}")),
        CannotPose::NoItem { .. } | CannotPose::OtherModel { .. } => Told::new(why.code(), why.to_string()),
    }
}

/// An answer that was not accepted, as engines give it.
pub fn claimed(answer: Claimed) -> &'static str {
    match answer {
        Claimed::Found | Claimed::Fault => "reachable",
        Claimed::Excluded => "unreachable",
    }
}

/// Why a question is open although a search may have ended, and what that had found.
pub fn unconfirmed(cause: &Cause, found: Option<Claimed>, limits: &Limits) -> Told {
    let found = found.map(|found| match found {
        Claimed::Excluded => "the search found no violation",
        Claimed::Fault => "the search found that the model goes wrong",
        Claimed::Found => "the search found a violation",
    });
    match (cause, found) {
        (Cause::Search(why), None) => reason(why, limits),
        (Cause::Search(why), Some(found)) => {
            reason(why, limits).map(|text| format!("{text} while certifying; {found}"))
        }
        (Cause::Uncertified(why), found) => {
            let found = found.map_or(String::new(), |found| format!("; {found}"));
            super::uncertified(why).map(|text| format!("not certified: {text}{found}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::z3::LoadError;

    #[test]
    fn a_solver_is_heard_on_one_line_and_then_in_full() {
        let said = |why: Interrupt| {
            let told = reason(&Reason::Solver(SolverFailure::Interrupt(why)), &Limits::default());
            (told.text, told.details)
        };
        assert_eq!(
            said(Interrupt::Unknown("gave up\nnow".into())).0,
            "solver: the solver gave up: gave up now"
        );
        let broken = Interrupt::Broken {
            solver: "cvc5".into(),
            problem: "has ended".into(),
            output: "help\u{1b}\n".into(),
        };
        let details = "its last lines were:\nhelp\\u{1b}".to_owned();
        assert_eq!(said(broken), ("solver: cvc5: has ended".to_owned(), Some(details)));
        let (text, details) = said(Interrupt::Library(LoadError { variable: None, places: vec![] }));
        assert_eq!(text, "solver: Z3: the Z3 library was not found");
        assert!(details.unwrap().starts_with("set Z3_LIB_DIR "));
    }
}
