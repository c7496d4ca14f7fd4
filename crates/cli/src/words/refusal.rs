//! What is wrong with evidence, in the words of those who know properties and certificates, not targets and sets.

use certify::{Flaw, Place, Undecided, Wrong};
use ir::Claim;

use super::Told;
use super::cause::interrupt;

/// What is wrong with evidence about a claim.
pub fn wrong(wrong: &Wrong, claim: &Claim) -> Told {
    let decisive = match claim {
        Claim::Always(_) | Claim::Every(_) | Claim::AlwaysPossibly(_) => "violates the property",
        Claim::Possibly(_) | Claim::Some(_) => "is what the property asks for",
    };
    let place = place(wrong.place);
    let text = match &wrong.flaw {
        Flaw::Target if matches!(wrong.place, Place::Listed(_)) => format!("{place} {decisive}"),
        Flaw::Target => format!("{place} contains a state that {decisive}"),
        Flaw::NotATarget => match claim {
            Claim::Always(_) | Claim::Every(_) | Claim::AlwaysPossibly(_) => {
                "the last state of the run does not violate the property".to_owned()
            }
            Claim::Possibly(_) | Claim::Some(_) => {
                "the last state of the run is not what the property asks for".to_owned()
            }
        },
        Flaw::Fault if matches!(wrong.place, Place::Listed(_)) => format!("{place} is a fault"),
        Flaw::Fault => format!("{place} contains a fault"),
        Flaw::InitialState => "an initial state is not listed".to_owned(),
        Flaw::Successor { action, loose } => {
            let by = action.as_ref().map_or(String::new(), |action| format!(" by `{action}`"));
            let why = if *loose { ", with constants that do not keep all conditions" } else { "" };
            format!("a successor of {place}{by} is not listed{why}")
        }
        Flaw::NoCondition => "the property cannot be written as a condition there".to_owned(),
        flaw if matches!(wrong.place, Place::Whole) => flaw.to_string(),
        flaw @ (Flaw::UnknownFault | Flaw::Unobserved) => flaw.to_string(),
        flaw => format!("{place}: {flaw}"),
    };
    let lemma = if wrong.of_lemma { "the lemma: " } else { "" };
    Told::new(wrong.flaw.code(), format!("{lemma}{text}"))
}

fn place(place: Place) -> String {
    match place {
        Place::Listed(number) => format!("state {number}"),
        Place::Zone(number) => format!("entry {number}"),
        other => other.to_string(),
    }
}

/// What kept the judge from deciding.
pub fn uncertified(why: &Undecided) -> Told {
    match why {
        Undecided::Lemma(inner) => uncertified(inner).map(|text| format!("the lemma: {text}")),
        Undecided::NoCondition => {
            Told::new(why.code(), "the property cannot be written as a condition at some locations")
        }
        Undecided::Solver(at, cause) => {
            let what = match at {
                Place::Whole => "induction".to_owned(),
                other => place(*other),
            };
            interrupt(why.code(), cause).map(|text| format!("{what} cannot be checked: {text}"))
        }
        other => Told::new(other.code(), other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Id, Term};

    #[test]
    fn the_claim_says_what_a_target_is() {
        let said = |place, flaw, claim: fn(Term) -> Claim| {
            wrong(&Wrong { place, flaw, of_lemma: false }, &claim(Term::at(0))).text
        };
        assert_eq!(said(Place::Listed(3), Flaw::Target, Claim::Always), "state 3 violates the property");
        let contained = "entry 3 contains a state that is what the property asks for";
        assert_eq!(said(Place::Zone(3), Flaw::Target, Claim::Possibly), contained);
        let last = "the last state of the run does not violate the property";
        assert_eq!(said(Place::LastState, Flaw::NotATarget, Claim::Always), last);
        let missing = Flaw::Successor { action: Some("go".to_owned()), loose: false };
        assert_eq!(
            said(Place::Entry(1), missing, Claim::Always),
            "a successor of entry 1 by `go` is not listed"
        );
        assert_eq!(said(Place::Step(2), Flaw::AssumptionFails, Claim::Always), "step 2: an assumption fails");
    }
}
