//! Published formulas and automata of other tools, where they are at hand.

extern crate thetis_ltl as ltl;

use std::path::{Path, PathBuf};

use ir::ltl::{Formula, Lasso};
use ltl::parse::{Names, parse};
use ltl::patterns::Pattern;
use ltl::product::product;
use ltl::word::{accepts, is_empty};
use ltl::{classify, hoa};

fn corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl").join(name);
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    }
    Some(path)
}

/// A formula of the literature, and how many states Spot's automata have for it and for its negation, where it is known.
struct Known {
    place: String,
    text: String,
    formula: Formula,
    positive: Option<usize>,
    negated: Option<usize>,
}

fn known() -> Vec<Known> {
    let Some(path) = corpus("known-formulas.csv") else { return vec![] };
    let text = std::fs::read_to_string(path).expect("a readable table");
    let formulas = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let parsed = parse(fields[2], &mut Names::default());
        Known {
            place: format!("{} {}", fields[0], fields[1]),
            text: fields[2].to_owned(),
            formula: parsed.unwrap_or_else(|error| panic!("{line}: {error:?}")).formula,
            positive: fields[3].parse().ok(),
            negated: fields[4].parse().ok(),
        }
    });
    formulas.collect()
}

/// The bounds are a few states above what a prototype of this construction needed, which is not Spot's: 606 for
/// the negated formulas, where Spot needs 581, and 1,243 for both.
#[test]
fn automata_of_known_formulas_are_small() {
    let (mut negated, mut positive) = (0, 0);
    for Known { place, text, formula, positive: spots, negated: spots_negated } in known() {
        let size = |formula: &Formula| ltl::translate(formula).expect("a small automaton").len();
        if spots.is_some() {
            positive += size(&formula);
        }
        if let Some(least) = spots_negated {
            let states = size(&formula.negated());
            assert!(
                states <= least + 3,
                "{place}: {states} states for the negation of {text}, Spot has {least}"
            );
            negated += states;
        }
    }
    println!("{negated} states for negated formulas, {} for both", negated + positive);
    assert!(negated <= 610, "{negated} states for negated formulas");
    assert!(negated + positive <= 1_260, "{} states for both", negated + positive);
}

/// No word is accepted by the automata of a formula and of its negation; and the first is no larger because of what
/// bad prefixes need than it was.
#[test]
fn known_formulas_and_their_negations_exclude_each_other() {
    for Known { place, formula, .. } in known() {
        let positive = ltl::translate(&formula).expect("a small automaton");
        let negative = ltl::translate(&formula.negated()).expect("a small automaton");
        assert!(is_empty(&product(&positive, &negative).expect("few sets")), "{place}");
    }
}

/// The first family of the table is the catalogue of specification patterns, each with its scopes: absence, existence,
/// bounded existence, universality, precedence, response, and their chains. Pattern and formula exclude each other's
/// negation.
#[test]
fn patterns_are_the_published_formulas() {
    let scopes = ["globally", "before p2", "after p1", "between p1 and p2", "after p1 until p2"];
    // p, q, r, s, t, z of the catalogue.
    let numbered = |letter: &str| ["p", "q", "r", "s", "t", "z"].iter().position(|other| *other == letter);
    let patterns = Pattern::all().flat_map(|pattern| scopes.map(|scope| (pattern, scope)));
    for (known, (pattern, scope)) in known().into_iter().zip(patterns) {
        let arguments =
            pattern.arguments().iter().map(|letter| format!("p{}", numbered(letter).expect("a letter")));
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let written = format!("{}({arguments}) {scope}", pattern.name());
        for text in [format!("({written}) & !({})", known.text), format!("({}) & !({written})", known.text)] {
            let formula = parse(&text, &mut Names::default()).expect("a formula").formula;
            assert!(
                is_empty(&ltl::translate(&formula).expect("a small automaton")),
                "{}: {written}",
                known.place
            );
        }
    }
}

/// Whether a formula is a safety property is known for patterns: absence, universality, and all until a state that need
/// not come are; existence and response are not.
#[test]
fn safety_patterns_are_recognised() {
    let safety = [1, 2, 3, 4, 5, 7, 9, 16, 17, 18, 19, 20, 21, 22, 24, 25];
    let other = [6, 8, 10, 26, 28, 30];
    for Known { place, formula, .. } in known() {
        let Some(number) = place.strip_prefix("dac ").and_then(|number| number.parse::<u32>().ok()) else {
            continue;
        };
        let violations = classify::violations(&formula).expect("a small automaton");
        if safety.contains(&number) || other.contains(&number) {
            assert_eq!(violations.safety, safety.contains(&number), "{place}");
        }
        assert!(!violations.safety || classify::is_terminal(&violations.automaton), "{place}");
    }
}

/// Each file names the formula that its automaton was made from. Nothing that it accepts satisfies the negation, and of
/// the words with at most three letters it accepts all that satisfy it.
fn automata_of_other_tools_are_read() {
    let Some(folder) = corpus("hoa") else { return };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert_eq!(files.len(), 8);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let read = hoa::read(&text).unwrap_or_else(|error| panic!("{}:{error}", file.display()));
        let formula =
            text.split("\"-f\" \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a formula");
        let mut names = Names::default();
        read.names.iter().for_each(|name| {
            names.number(name);
        });
        let formula = parse(formula, &mut names).expect("a formula").formula;
        let negated = ltl::translate(&formula.negated()).expect("a small automaton");
        assert!(is_empty(&product(&read.automaton, &negated).expect("few sets")), "{}", file.display());
        // With six atoms, only letters that have all of the first four or none are of interest.
        let letters: Vec<u64> = match read.names.len() {
            6 => vec![0, 0b1111, 0b01_1111, 0b11_1111, 0b10_0000, 0b01_0000],
            atoms => (0..1 << atoms).collect(),
        };
        for &a in &letters {
            for &b in &letters {
                for &c in &letters {
                    for back in 0..3 {
                        let word = Lasso::new(vec![a, b, c], back);
                        let expected = formula.holds_on(&word);
                        assert_eq!(accepts(&read.automaton, &word), expected, "{} {word:?}", file.display());
                    }
                }
            }
        }
    }
}

sampling::with_corpus!(automata_of_other_tools_are_read);
