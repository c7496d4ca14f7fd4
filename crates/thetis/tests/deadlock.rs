//! Every way that an edge can be barred in a deadlock.

use thetis::deadlock::{Bar, Barred, Deadlock, Stopped, explain};
use thetis::{Check, Model, Outcome};

/// Why each edge from the only deadlock of `text` cannot be taken, by process, and how the time that is left is told.
fn barred(text: &str) -> (Vec<(String, Vec<Bar>)>, Option<String>) {
    let found = explained(text);
    let process = |stopped: &Stopped| {
        let bars = stopped.edges.iter().flat_map(|edge| edge.bars.iter().map(|(bar, _)| bar.clone()));
        (stopped.process.clone(), bars.collect())
    };
    (found.processes.iter().map(process).collect(), found.time.map(|left| left.to_string()))
}

fn explained(text: &str) -> Deadlock {
    let mut model = Model::from_text("m.xta", text).unwrap();
    let question = model.ask("E<> deadlock").unwrap();
    let answered = model.check(&question, &Check::default()).unwrap();
    assert_eq!(answered.outcome, Outcome::Holds);
    explain(&model, &answered.system, answered.run().unwrap().last()).unwrap()
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
        Bar::Time(text("x >= 5"), None),
        Bar::Guard(text("n == 1"), None),
        Bar::Guard(text("n >= 1"), Some(text("Q"))),
        Bar::Partner(text("never")),
        Bar::Target(text("P.C")),
    ];
    let partner = [Bar::Guard(text("n >= 1"), None)];
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
    assert_eq!(processes[0].1, [Bar::Time("x >= 3".to_owned(), None)]);
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
    assert_eq!(processes[0].1, [Bar::Time(text("x >= 2"), None), Bar::Target(text("P.C"))]);
    assert_eq!(time, None);
}

/// An edge is told once, whatever is selected, by the part of its guard that the user wrote. `cost(i)` is at most 4, so
/// that `cost(i) > 7` holds for no value, and the system has no such edge at all; `open[i]` is true for 2 only.
#[test]
fn edges_are_told_as_they_are_written() {
    let found = explained(
        "chan go[5]; bool open[5] = { false, false, true, false, false };
         int cost(int[0,4] i) { int sum = 0; int k; for (k = 0; k < i; k++) { sum++; } return sum; }
         bool all() { return forall (k : int[0,4]) open[k]; }
         process P() {
             state A, B; init A;
             trans A -> B { select i : int[0,4]; guard cost(i) >= 0 && open[i]; sync go[i]!; },
                   A -> B { select i : int[0,4]; guard cost(i) > 7; },
                   A -> B { guard cost(2) == 2 && all(); };
         }
         system P;",
    );
    let [Stopped { edges, .. }] = &found.processes[..] else { panic!("one process") };
    let text = |text: &str| text.to_owned();
    let i = vec![text("i")];
    let expected = [
        Barred {
            title: text("P: A -> B [cost(i) >= 0 && open[i]] go[i]!"),
            selected: i.clone(),
            bars: vec![(Bar::Guard(text("open[i]"), None), 4), (Bar::Partner(text("go[i]")), 1)],
        },
        Barred {
            title: text("P: A -> B [cost(i) > 7]"),
            selected: i,
            bars: vec![(Bar::Guard(text("cost(i) > 7"), None), 5)],
        },
        Barred {
            title: text("P: A -> B [cost(2) == 2 && all()]"),
            selected: vec![],
            bars: vec![(Bar::Guard(text("all()"), None), 1)],
        },
    ];
    assert_eq!(edges, &expected);
}
