//! The list of questions with their verdicts, each found in two independent ways.
//!
//! One way lists zones, with data as they are; the other abstracts data and refines the abstraction, with a solver,
//! and has zones or rational numbers for time. What they share is the front-end, most of preprocessing, and the
//! judge, which has certified both against the model as it is. A verdict of one way alone is marked as such.

use crate::outcome::Outcome;
use crate::questions::{self, Listed, Question};
use crate::run;
use crate::wish::Wish;

/// The two ways, each with those who are asked in turn, and how the list calls them.
const WAYS: [&[(&str, &str)]; 2] = [
    &[("engine=zone", "zone"), ("engine=lazy", "lazy"), ("engine=zone-cegar", "zone-cegar")],
    &[
        ("clockstrategy=RAT_ENCODE domain=EXPL_PRED_SPLIT", "RAT_ENCODE"),
        ("engine=combined clockstrategy=CF_SPLIT_ALL domain=EXPL", "CF_SPLIT_ALL"),
        ("engine=combined clockstrategy=CF_SPLIT_ALL domain=EXPL_PRED_SPLIT", "CF_SPLIT_ALL"),
        ("clockstrategy=RAT_ENCODE domain=EXPL_PRED_SPLIT prunestrategy=FULL", "RAT_ENCODE"),
        ("engine=kind", "induction"),
    ],
];

/// Writes the list anew; lines about models that are not at hand, or not wanted, stay as they are.
pub fn list(wish: &Wish) -> Result<(), String> {
    let old = questions::list().unwrap_or_default();
    let all = questions::all()?;
    let known = |question: &Question| old.iter().find(|listed| listed.question == *question);
    let corpus = questions::has_corpus();
    let mut list = vec![];
    for (number, question) in all.iter().enumerate() {
        let listed = match known(question) {
            Some(listed) if !question.id().contains(&wish.filter) => listed.clone(),
            _ => establish(question, wish.seconds)?,
        };
        eprintln!(
            "{:>3} of {}  {:80} {} by {}",
            number + 1,
            all.len(),
            question.id(),
            listed.verdict,
            listed.by
        );
        list.push(listed);
    }
    list.extend(old.iter().filter(|listed| !corpus && !listed.question.is_own()).cloned());
    let mut text = questions::HEAD.to_owned();
    list.iter().for_each(|listed| text += &format!("\n{}", listed.line()));
    let path = questions::root().join(questions::LIST);
    std::fs::write(&path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))
}

/// What both ways say.
fn establish(question: &Question, seconds: f64) -> Result<Listed, String> {
    let mut said: Vec<(Outcome, &str)> = vec![];
    for way in WAYS {
        said.extend(ask(question, way, seconds)?);
    }
    if let [(one, _), (other, _)] = &said[..]
        && one.word != other.word
    {
        return Err(format!("{}: {} and {}", question.id(), one.word, other.word));
    }
    let by = match &said[..] {
        [] => "nobody".to_owned(),
        [(_, name)] => format!("{name} alone"),
        [(_, name), (_, other), ..] => format!("{name} and {other}"),
    };
    let verdict = said.first().map_or("unknown", |(outcome, _)| &outcome.word).to_owned();
    Ok(Listed { question: question.clone(), verdict, by })
}

/// Who in a way knows first: after a short look at each of them, they have all the time.
fn ask(
    question: &Question,
    way: &[(&str, &'static str)],
    seconds: f64,
) -> Result<Option<(Outcome, &'static str)>, String> {
    for limit in [seconds / 10.0, seconds] {
        for (config, name) in way {
            let outcome = run(question, &[(*config).to_owned()], limit)?.remove(0);
            if outcome.is_wrong("") {
                let Outcome { word, reason, .. } = outcome;
                return Err(format!("{}: {config}: {word} {reason}", question.id()));
            }
            if outcome.is_decided() {
                return Ok(Some((outcome, name)));
            }
        }
    }
    Ok(None)
}
