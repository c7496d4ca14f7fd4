//! What a model records about a question, compared with the answer.
//!
//! A verdict is compared with a verdict, and a value with a value: `6`, or as UPPAAL writes it `≤ 6` for a greatest value
//! that a state has and `< 6` for one that is only approached, `≥ 2` and `> 2` for a least one. What else is recorded, such
//! as an estimate, cannot be compared, and that is said.

use lang::Recorded;
use thetis::record::{ExtremumKind, ExtremumRecord, OutcomeRecord};

use crate::report::{Record, RecordedRecord};

/// Notes in the answer to a question what is recorded about it, and in which way it differs.
pub(super) fn compare(record: &mut Record, recorded: &Recorded) {
    let Recorded { holds, outcome, value, when } = recorded.clone();
    let agrees = match record.verdict {
        OutcomeRecord::Holds => holds,
        OutcomeRecord::Violated => holds.map(|holds| !holds),
        OutcomeRecord::Value => value.as_deref().and_then(bound).and_then(|bound| bound.agrees(record)),
        _ => None,
    };
    let when_shown = when.as_ref().map_or(String::new(), |when| format!(" ({when})"));
    let shown = |holds: bool| if holds { "satisfied" } else { "not satisfied" };
    match (agrees, record.verdict) {
        (Some(false), OutcomeRecord::Value) => {
            let (value, now) = (value.clone().unwrap_or_default(), record.line());
            record.notes.push(format!("recorded: {value}{when_shown}, now: {now}"));
        }
        (Some(false), verdict) => {
            let now = verdict == OutcomeRecord::Holds;
            record.notes.push(format!("recorded: {}{when_shown}, now: {}", shown(!now), shown(now)));
        }
        (None, OutcomeRecord::Holds | OutcomeRecord::Violated | OutcomeRecord::Value) => {
            let what = value.as_ref().or(outcome.as_ref()).map(|text| format!(", `{}`,", text.trim()));
            let what = what.unwrap_or_default();
            record.notes.push(format!("what the model records about it{what} cannot be compared"));
        }
        _ => {}
    }
    record.recorded = Some(RecordedRecord { holds, value, when, agrees });
}

/// How many questions have a record, how many of those could be compared, and what came out.
pub(super) fn tally(records: &[Record]) -> String {
    let recorded: Vec<&RecordedRecord> =
        records.iter().filter_map(|record| record.recorded.as_ref()).collect();
    let count = |agrees| recorded.iter().filter(|record| record.agrees == agrees).count();
    let (same, different) = (count(Some(true)), count(Some(false)));
    let queries = if records.len() == 1 { "query has" } else { "queries have" };
    format!(
        "{} of {} {queries} a recorded result; {} compared: {same} as recorded, {different} different",
        recorded.len(),
        records.len(),
        same + different,
    )
}

/// A value as it is recorded.
struct Bound {
    /// On which side of the number values lie, and whether the number is left out, if that is recorded.
    side: Option<(Side, bool)>,
    number: i64,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

impl Bound {
    /// Whether the only value that was asked for is this; `None` if several were.
    fn agrees(&self, record: &Record) -> Option<bool> {
        let values = record.values.iter();
        let ends = values.flat_map(|it| [(Side::Above, &it.least), (Side::Below, &it.greatest)]);
        let mut ends = ends.filter_map(|(side, found)| Some((side, found.as_ref()?)));
        let (Some((side, found)), None) = (ends.next(), ends.next()) else { return None };
        Some(
            found.value == Some(self.number)
                && self.side.is_none_or(|expected| expected == (side, strict(found))),
        )
    }
}

/// Whether no state has the value.
fn strict(found: &ExtremumRecord) -> bool {
    found.kind == ExtremumKind::Approached
}

/// The value that a text says: a whole number, maybe after an order.
fn bound(text: &str) -> Option<Bound> {
    let orders = [
        ("≤", Some((Side::Below, false))),
        ("<=", Some((Side::Below, false))),
        ("<", Some((Side::Below, true))),
        ("≥", Some((Side::Above, false))),
        (">=", Some((Side::Above, false))),
        (">", Some((Side::Above, true))),
        ("=", None),
    ];
    let text = text.trim();
    let order = orders.iter().find_map(|(order, side)| Some((text.strip_prefix(order)?, *side)));
    let (number, side) = order.unwrap_or((text, None));
    Some(Bound { side, number: number.trim().parse().ok()? })
}
