//! What must be true of the readers of temporal formulas and of automata for every input.
//!
//! They never panic, never overflow the stack and never hang; places of errors are in the text, and what is written reads
//! back. The ordinary tests check the same on the seeds.

use ltl::hoa;
use ltl::parse::{Error, Names, Problem, parse};

/// Panics if a reader misbehaves on `data`, be it a formula or an automaton.
pub fn check_ltl(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    check_formula(&text);
    if let Ok(read) = hoa::read(&text) {
        let written = read.to_string();
        let again = hoa::read(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.to_string(), written);
    }
}

fn check_formula(text: &str) {
    let mut names = Names::default();
    let formula = match parse(text, &mut names) {
        Ok(parsed) => parsed.formula,
        Err(Error::Syntax(at, _) | Error::Atom(at, _)) => return assert!(text.get(at).is_some(), "{text}"),
    };
    let written = formula.display(|atom| format!("\"{}\"", names.name(atom))).to_string();
    match parse(&written, &mut names) {
        Ok(again) => assert_eq!(again.formula, formula, "{written}"),
        // Parentheses that the text did without are nested, too.
        Err(error) => assert!(matches!(error, Error::Syntax(_, Problem::TooDeep)), "{error:?}\n{written}"),
    }
}
