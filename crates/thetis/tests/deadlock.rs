//! Every way that an edge can be barred in a deadlock.

use thetis::deadlock::{Bar, explain};
use thetis::{Check, Model, Outcome};

/// Why each edge from the only deadlock of `text` cannot be taken, by process, and how the time that is left is told.
fn barred(text: &str) -> (Vec<(String, Vec<Bar>)>, Option<String>) {
    let mut model = Model::from_text("m.xta", text).unwrap();
    let question = model.ask("E<> deadlock").unwrap();
    let answered = model.check(&question, &Check::default()).unwrap();
    assert_eq!(answered.outcome, Outcome::Holds);
    let found = explain(&answered.system, model.view(), answered.run().unwrap().last()).unwrap();
    let process = |stopped: &thetis::deadlock::Stopped| {
        let bars = stopped.edges.iter().map(|(_, bar)| bar.clone()).collect();
        (stopped.process.clone(), bars)
    };
    (found.processes.iter().map(process).collect(), found.time.map(|left| left.to_string()))
}

#[test]
fn every_edge_has_a_reason() {
    let (processes, time) = barred(
        "clock x; chan go, never; int n;
         process P() {
             state A { x <= 3 }, B, C { x <= 1 };
             init A;
             trans A -> B { guard x >= 5; }, A -> B { guard n == 1; }, A -> B { sync go!; },
                   A -> B { sync never!; }, A -> C { guard x >= 2; };
         }
         process Q() { state A, B; init A; trans A -> B { guard n >= 1; sync go?; }; }
         process R() { state Z; init Z; }
         system P, Q, R;",
    );
    let text = |text: &str| text.to_owned();
    let own = [
        Bar::Time(text("5 <= x"), None),
        Bar::Guard(text("n == 1"), None),
        Bar::Guard(text("1 <= n"), Some(text("Q"))),
        Bar::Partner(text("never")),
        Bar::Target(text("P.C")),
    ];
    let partner = [Bar::Guard(text("1 <= n"), None)];
    assert_eq!(processes, [(text("P"), own.to_vec()), (text("Q"), partner.to_vec()), (text("R"), vec![])]);
    assert_eq!(time.as_deref(), Some("at most 3 time units can pass: `P` must leave `A`"));
}

#[test]
fn committed_processes_keep_others_back_and_strict_bounds_count() {
    // `P` is committed and waits for somebody to receive; `Q` could move if it were not for that.
    let (processes, time) = barred(
        "chan c; process P() { state A, B; commit A; init A; trans A -> B { sync c!; }; }
         process Q() { state A, B; init A; trans A -> B { }; } system P, Q;",
    );
    assert_eq!(processes[0].1, [Bar::Partner("c".to_owned())]);
    assert_eq!(processes[1].1, [Bar::Committed]);
    assert_eq!(time.as_deref(), Some("no time can pass: `P` must leave `A`"));
    // At 3 the guard would hold, but `A` must have been left before.
    let (processes, time) = barred(
        "clock x; process P() { state A { x < 3 }, B; init A; trans A -> B { guard x >= 3; }; } system P;",
    );
    assert_eq!(processes[0].1, [Bar::Time("3 <= x".to_owned(), None)]);
    assert_eq!(time.as_deref(), Some("less than 3 time units can pass: `P` must leave `A`"));
}

/// `x` stands still at `A`, so that its invariant does not end time, and `x >= 2` never holds; `y - x` grows.
#[test]
fn what_stands_still_neither_ends_time_nor_comes() {
    let (processes, time) = barred(
        "clock x, y; process P() { state A { x' == 0 && x <= 1 }, B, C { y <= 1 };
             init A; trans A -> B { guard x >= 2; }, A -> C { guard y - x >= 2; }; } system P;",
    );
    let text = |text: &str| text.to_owned();
    assert_eq!(processes[0].1, [Bar::Time(text("2 <= x"), None), Bar::Target(text("P.C"))]);
    assert_eq!(time, None);
}
