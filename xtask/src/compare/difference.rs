//! In what two answers to the same task differ.
//!
//! Of each question only the worst counts, for the rest follows from it: another verdict comes with other numbers.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Number;

use super::answer::{Answer, Question};

/// How two answers differ, worst first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// In a verdict, or in how many there are.
    Verdict,
    /// In the exit code alone.
    Exit,
    /// In whether a verdict is certified.
    Certified,
    /// In the length of a run.
    Trace,
    /// In a number of the statistics.
    Counts,
    /// One of them ran out of time.
    Time,
}

impl Kind {
    pub const ALL: [Kind; 6] =
        [Kind::Verdict, Kind::Exit, Kind::Certified, Kind::Trace, Kind::Counts, Kind::Time];

    /// Its word in a list of expectations.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Verdict => "verdict",
            Kind::Exit => "exit",
            Kind::Certified => "certified",
            Kind::Trace => "trace",
            Kind::Counts => "counts",
            Kind::Time => "time",
        }
    }
}

/// A difference in one question, or in the run as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub kind: Kind,
    /// What was asked; empty for the run as a whole.
    pub question: String,
    /// `holds -> violated`, for example.
    pub change: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.word(), self.change)
    }
}

/// The names of counts that each of two builds uses somewhere.
///
/// A count that an answer lacks is a difference only if its build knows the name; otherwise it is called something
/// else there, or is new.
#[derive(Clone, Default, Debug)]
pub struct Names {
    old: BTreeSet<String>,
    new: BTreeSet<String>,
}

impl Names {
    /// Learns the names of two answers, but for what is open: how far it came is a matter of luck.
    pub fn learn(&mut self, old: &Answer, new: &Answer) {
        for (names, answer) in [(&mut self.old, old), (&mut self.new, new)] {
            let settled = (0..answer.questions.len()).filter_map(|at| answer.settled(at));
            for name in settled.flat_map(|question| question.counts.keys()) {
                if !names.contains(name) {
                    names.insert(name.clone());
                }
            }
        }
    }

    /// What only the old build counts, and what only the new one does.
    pub fn unshared(&self) -> [Vec<&str>; 2] {
        [
            self.old.difference(&self.new).map(String::as_str).collect(),
            self.new.difference(&self.old).map(String::as_str).collect(),
        ]
    }
}

/// The differences between two answers, as far as both builds speak of the same.
pub fn between(old: &Answer, new: &Answer, names: &Names) -> Vec<Difference> {
    let whole = |kind, change| Difference { kind, question: String::new(), change };
    let exit = (old.exit != new.exit).then(|| change(&old.exit, &new.exit));
    // Who is out of time may not have come to all questions; they are open then.
    let length = old.questions.len().max(new.questions.len());
    if [old, new].iter().any(|answer| answer.questions.len() < length && !answer.late) {
        let number = |answer: &Answer| format!("{} answers", answer.questions.len());
        // Unless one of them had no time to find out how many there are.
        let unheard = |answer: &&Answer| answer.late && (0..length).all(|at| answer.settled(at).is_none());
        let kind = |kind| if [old, new].iter().any(unheard) { Kind::Time } else { kind };
        return vec![match exit {
            Some(exit) => whole(kind(Kind::Exit), exit),
            None => whole(kind(Kind::Verdict), change(number(old), number(new))),
        }];
    }
    let questions = (0..length).filter_map(|at| of_question(old.settled(at), new.settled(at), names));
    let mut differences: Vec<Difference> = questions.collect();
    let follows = differences.iter().any(|one| matches!(one.kind, Kind::Verdict | Kind::Time));
    if let Some(exit) = exit.filter(|_| !follows) {
        let kind = if old.late || new.late { Kind::Time } else { Kind::Exit };
        differences.push(whole(kind, exit));
    }
    differences
}

/// Whether a question is open after both answers.
pub fn both_open(old: &Answer, new: &Answer) -> bool {
    // Who says nothing at all was asked at least one.
    let length = old.questions.len().max(new.questions.len()).max(1);
    let open = |answer: &Answer, at: usize| answer.late && answer.settled(at).is_none();
    (0..length).any(|at| open(old, at) && open(new, at))
}

/// The worst difference in a question, which is open where there is no answer.
fn of_question(old: Option<&Question>, new: Option<&Question>, names: &Names) -> Option<Difference> {
    let name = &old.or(new)?.name;
    let found = |kind, change| Some(Difference { kind, question: name.clone(), change });
    let (Some(old), Some(new)) = (old, new) else {
        let state = |answer: Option<&Question>| answer.map_or("open".to_owned(), |one| one.verdict.clone());
        return found(Kind::Time, change(state(old), state(new)));
    };
    if old.verdict != new.verdict {
        return found(Kind::Verdict, change(&old.verdict, &new.verdict));
    }
    if old.certified != new.certified {
        return found(Kind::Certified, change(old.certified, new.certified));
    }
    if old.trace != new.trace {
        let steps = |trace: Option<usize>| trace.map_or("none".to_owned(), |steps| steps.to_string());
        return found(Kind::Trace, change(steps(old.trace), steps(new.trace)));
    }
    let counts = counts(old, new, names);
    if counts.is_empty() { None } else { found(Kind::Counts, counts.join(", ")) }
}

/// The counts that differ, of those that both builds know.
fn counts(old: &Question, new: &Question, names: &Names) -> Vec<String> {
    let shown = |numbers: Option<&Vec<Number>>| match numbers {
        None => "none".to_owned(),
        Some(list) => list.iter().map(Number::to_string).collect::<Vec<_>>().join("/"),
    };
    let known = names.old.intersection(&names.new);
    let differ = known.filter(|name| old.counts.get(*name) != new.counts.get(*name));
    differ
        .map(|name| format!("{name} {}", change(shown(old.counts.get(name)), shown(new.counts.get(name)))))
        .collect()
}

fn change(old: impl fmt::Display, new: impl fmt::Display) -> String {
    format!("{old} -> {new}")
}

#[cfg(test)]
mod tests {
    use super::super::answer::Exit;
    use super::*;

    /// An answer with one question, `verdict [certified|open] [steps=N] [NAME=N…]`.
    fn answer(exit: &str, text: &str) -> Answer {
        let mut words = text.split_whitespace();
        let verdict = words.next().unwrap_or_default().to_owned();
        let mut question = Question { name: "q".to_owned(), verdict, ..Question::default() };
        let mut late = false;
        for word in words {
            match word.split_once('=') {
                None if word == "late" => late = true,
                None => question.certified = word == "certified",
                Some(("steps", number)) => question.trace = number.parse().ok(),
                Some((name, number)) => {
                    let number: u32 = number.parse().expect("a number");
                    question.counts.entry(name.to_owned()).or_default().push(number.into());
                }
            }
        }
        let questions = if text.is_empty() { vec![] } else { vec![question] };
        let exit = exit.parse().map_or(Exit::Killed, Exit::Code);
        Answer { exit, used: 1.0, late, questions }
    }

    /// The differences of two answers by builds that know the names of both.
    fn differ(old: (&str, &str), new: (&str, &str)) -> String {
        let (old, new) = (answer(old.0, old.1), answer(new.0, new.1));
        let mut names = Names::default();
        names.learn(&old, &new);
        names.learn(&new, &old);
        between(&old, &new, &names).iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_worst_difference_of_a_question_is_told() {
        let check = |old: &str, new: &str, expected: &str| {
            assert_eq!(differ(("0", old), ("0", new)), expected, "{old} / {new}");
        };
        check("holds certified states=4", "holds certified states=4", "");
        check("holds certified", "violated certified steps=3 states=4", "verdict holds -> violated");
        check("holds certified states=4", "holds not states=5", "certified true -> false");
        check("violated certified steps=3 states=4", "violated certified steps=4 states=9", "trace 3 -> 4");
        check("violated certified steps=3", "violated certified", "trace 3 -> none");
        check(
            "holds certified states=4 depth=2 n=1 n=2 m=1",
            "holds certified states=5 depth=2 n=1 n=3",
            "counts m 1 -> none, n 1/2 -> 1/3, states 4 -> 5",
        );
    }

    #[test]
    fn the_exit_code_counts_unless_it_follows_from_a_verdict() {
        assert_eq!(differ(("2", ""), ("3", "unknown")), "exit 2 -> 3");
        assert_eq!(differ(("2", ""), ("101", "")), "exit 2 -> 101");
        assert_eq!(differ(("2", ""), ("2", "")), "");
        assert_eq!(differ(("3", "unknown"), ("0", "holds certified")), "verdict unknown -> holds");
        assert_eq!(
            differ(("0", "holds certified n=1"), ("1", "holds certified n=2")),
            "counts n 1 -> 2; exit 0 -> 1"
        );
        assert_eq!(differ(("2", ""), ("2", "unknown")), "verdict 0 answers -> 1 answers");
    }

    #[test]
    fn what_is_open_on_both_sides_is_equal_and_on_one_side_a_matter_of_time() {
        let late = ("3", "unknown late states=7");
        assert_eq!(differ(late, ("3", "unknown late states=9")), "");
        assert_eq!(differ(late, ("0", "holds certified")), "time open -> holds");
        assert_eq!(differ(("3", "unknown states=7"), late), "time unknown -> open");
        assert_eq!(differ(("0", "holds certified"), ("0", "holds late")), "time holds -> open");
        // Who had to be killed printed nothing, and did not stop when it was told to.
        let killed = Answer { late: true, ..answer("killed", "") };
        let (names, open) = (Names::default(), answer(late.0, late.1));
        let one = |old: &Answer, new: &Answer| between(old, new, &names)[0].to_string();
        assert_eq!(one(&killed, &open), "time killed -> 3");
        assert_eq!(one(&answer("0", "holds certified"), &killed), "time holds -> open");
        // A model may be refused that the other had no time to read.
        assert_eq!(one(&open, &answer("2", "")), "time 3 -> 2");
        assert_eq!(one(&answer("0", "holds certified late"), &answer("2", "")), "exit 0 -> 2");
        assert!(both_open(&killed, &killed) && both_open(&open, &open));
        assert!(!both_open(&open, &answer("0", "holds certified late")));
        // In spite of the time, verdicts are verdicts.
        let decided = ("1", "violated certified late");
        assert_eq!(differ(("0", "holds certified late"), decided), "verdict holds -> violated");
    }

    #[test]
    fn counts_with_other_names_are_not_compared() {
        let old = answer("0", "holds certified states=4 visited=2");
        let new = answer("0", "holds certified states=4 expanded=2 waiting=0");
        let mut names = Names::default();
        names.learn(&old, &new);
        assert!(between(&old, &new, &names).is_empty());
        assert_eq!(names.unshared(), [vec!["visited"], vec!["expanded", "waiting"]]);
        names.learn(&answer("3", "unknown late expanded=1"), &answer("3", "unknown late visited=1"));
        assert_eq!(names.unshared(), [vec!["visited"], vec!["expanded", "waiting"]]);
        // A build that knows a name and does not say it here counts something else here.
        names.learn(&new, &old);
        assert_eq!(
            between(&old, &new, &names)[0].change,
            "expanded none -> 2, visited 2 -> none, waiting none -> 0"
        );
    }
}
