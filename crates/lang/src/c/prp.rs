//! Property files of the software-verification competition: `CHECK( init(main()), LTL(G ! call(f())) )`.
//!
//! A file is read by what it says, whatever it is called.

use std::ops::Range;

/// What a `CHECK` asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// This function is never called.
    NoCall(String),
    /// Signed arithmetic never overflows.
    NoOverflow,
    /// The program ends.
    Termination,
    /// Something that is right and not answered, by its text.
    Unsupported(String),
}

/// All checks of a text, with their places; nothing if there are none.
pub(super) fn checks(text: &str) -> Vec<(Asked, Range<usize>)> {
    let mut list = vec![];
    let mut from = 0;
    while let Some(start) = text[from..].find("CHECK").map(|at| from + at) {
        let end = closing(text, start).unwrap_or(text.len());
        list.push((asked(&text[start..end]), start..end));
        from = end;
    }
    if list.is_empty() && text.contains("COVER") {
        list.push((Asked::Unsupported("COVER".to_owned()), 0..text.len()));
    }
    list
}

/// Where the bracket closes that opens behind a place.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn asked(check: &str) -> Asked {
    let plain: String = check.chars().filter(|c| !c.is_whitespace()).collect();
    let inside = plain.strip_prefix("CHECK(init(main()),LTL(").and_then(|rest| rest.strip_suffix("))"));
    let claim = match inside {
        Some(claim) => claim,
        None => return Asked::Unsupported(check.to_owned()),
    };
    let call = claim.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix(')'));
    match (call, claim) {
        (Some(function), _) => Asked::NoCall(function.trim_end_matches("()").to_owned()),
        (_, "G!overflow") => Asked::NoOverflow,
        (_, "Fend") => Asked::Termination,
        _ => Asked::Unsupported(claim.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let one = |text: &str| checks(text).into_iter().map(|(asked, _)| asked).next();
        let call = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
        assert_eq!(one(call), Some(Asked::NoCall("reach_error".to_owned())));
        assert_eq!(one("CHECK(init(main()), LTL(G ! overflow))"), Some(Asked::NoOverflow));
        assert_eq!(one(" CHECK( init(main()), LTL(F end) )\n"), Some(Asked::Termination));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )";
        assert_eq!(checks(memory).len(), 2);
        assert!(matches!(one(memory), Some(Asked::Unsupported(_))));
        assert_eq!(one("x < 5"), None);
    }
}
