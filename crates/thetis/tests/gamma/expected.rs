//! Models, and what the page says about them by hand.

use std::collections::BTreeSet;

use lang::NoFiles;
use lang::gamma;

use super::naive::{Input, Model, State, Value};

/// The naive reading of a text.
pub fn naive(text: &str, component: &str) -> Model {
    let (ast, said) = gamma::parse_project(text, &mut NoFiles);
    assert!(said.is_empty(), "{said:?}");
    Model::new(ast, component, &[]).unwrap_or_else(|why| panic!("{why:?}"))
}

/// What is seen of states in these places, one row for each.
fn seen(model: &Model, states: &BTreeSet<State>, places: &str) -> BTreeSet<String> {
    let row = |state: &State| {
        let all = model.observe(state);
        let place = |place: &str| {
            let found = all.iter().find(|(key, _)| key.rsplit_once(' ').is_some_and(|(_, it)| it == place));
            found.unwrap_or_else(|| panic!("{place} is not among {all:#?}")).1.clone()
        };
        places.split_whitespace().map(place).collect::<Vec<_>>().join(" ")
    };
    states.iter().map(row).collect()
}

/// Runs a model at a period of 500 ms: in each step the events that come in, and the rows that are possible then.
fn expect(text: &str, component: &str, places: &str, steps: &[(&str, &[&str])]) {
    let model = naive(text, component);
    let mut states = model.start().unwrap().states;
    for (number, (events, rows)) in steps.iter().enumerate() {
        if number > 0 {
            let event = |event: &str| {
                let (name, values) = event.split_once('=').unwrap_or((event, ""));
                let (port, event) = name.split_once('.').unwrap();
                let values = values.split(',').filter(|it| !it.is_empty());
                let values = values.map(|it| match it {
                    "true" | "false" => Value::Bool(it == "true"),
                    number => Value::Int(number.parse().unwrap()),
                });
                (port.to_owned(), event.to_owned(), values.collect())
            };
            let input = Input::Given(events.split_whitespace().map(event).collect());
            let mut next = BTreeSet::new();
            for state in &states {
                next.extend(model.step(state, &input, 500).unwrap().states);
            }
            states = next;
        }
        let rows: BTreeSet<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        assert_eq!(seen(&model, &states, places), rows, "after step {number} ({events})");
    }
}

const EVENTS: &str = "package p
    interface I { in event a in event b in event n(x : integer) out event o(x : integer) internal event i }";

/// Order of exit actions, effects and entry actions; they write digits.
#[test]
fn transitions_leave_then_act_then_enter() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            var w : integer := 0
            region main {{
                initial i
                state A {{ exit / w := w * 10 + 2;
                    region r {{ initial ri state B {{ exit / w := w * 10 + 1; }} }} }}
                state C {{ entry / w := w * 10 + 4;
                    region r1 {{ initial r1i state D {{ entry / w := w * 10 + 6; }} }}
                    region r2 {{ initial r2i state E {{ entry / w := w * 10 + 7; }} }} }}
            }}
            transition from i to A
            transition from ri to B
            transition from r1i to D / w := w * 10 + 5;
            transition from r2i to E
            transition from A to C when p.a / w := w * 10 + 3;
        }}"
    );
    let places = "S.main S.r S.r1 S.r2 S.w";
    expect(
        &text,
        "S",
        places,
        &[("", &["A B - - 0"]), ("p.b", &["A B - - 0"]), ("p.a", &["C - D E 1234567"])],
    );
}

/// Outer transitions come first, unless inner ones do.
#[test]
fn schedules_of_regions_differ() {
    for (annotation, first) in [("", "B"), ("@RegionSchedule = bottom-up", "A")] {
        let text = format!(
            "{EVENTS} {annotation} statechart S [port p : provides I] {{
                region main {{ initial i state A {{ region r {{ initial ri state C state D }} }} state B }}
                transition from i to A
                transition from ri to C
                transition from C to D when p.a
                transition from A to B when p.a
            }}"
        );
        expect(&text, "S", "S.main", &[("", &["A"]), ("p.a", &[first]), ("p.a", &["B"])]);
    }
}

/// Two regions that write and read the same variable: one after the other, in any order, on copies.
#[test]
fn schedules_of_orthogonal_regions_differ() {
    let rows: [(&str, &[&str]); 3] =
        [("sequential", &["1 1"]), ("unordered", &["1 1", "1 0"]), ("parallel", &["1 0"])];
    for (schedule, rows) in rows {
        let text = format!(
            "{EVENTS} @OrthogonalRegionSchedule = {schedule} statechart S [port p : provides I] {{
                var x : integer := 0 var y : integer := 0
                region r {{ initial ri state A }}
                region s {{ initial si state B }}
                transition from ri to A transition from si to B
                transition from A to A when p.a / x := 1;
                transition from B to B when p.a / y := x;
            }}"
        );
        expect(&text, "S", "S.x S.y", &[("", &["0 0"]), ("p.a", rows)]);
    }
}

/// Which of three enabled transitions fires.
#[test]
fn priorities_differ() {
    let rows: [(&str, &[&str]); 3] = [
        ("@TransitionPriority = order-based", &["B"]),
        ("@TransitionPriority = value-based", &["C", "D"]),
        ("", &["B", "C", "D"]),
    ];
    for (annotation, rows) in rows {
        let text = format!(
            "{EVENTS} {annotation} statechart S [port p : provides I] {{
                region main {{ initial i state A state B state C state D state E }}
                transition from i to A
                transition(1) from A to B when p.a
                transition(2) from A to C when p.a
                transition(2) from A to D when cycle [true]
                transition(5) from A to E when p.a [else]
            }}"
        );
        expect(&text, "S", "S.main", &[("", &["A"]), ("p.a", rows)]);
    }
}

/// Deep history brings all back, shallow history only the direct state.
#[test]
fn histories_differ() {
    for (kind, row) in [("deep", "A B D"), ("shallow", "A B C")] {
        let text = format!(
            "{EVENTS} statechart S [port p : provides I] {{
                region main {{ initial i state A {{
                    region r {{ {kind} history h state Z state B {{ region q {{ initial qi state C state D }} }} }} }}
                    state X }}
                transition from i to A
                transition from h to Z
                transition from qi to C
                transition from Z to B when p.b
                transition from C to D when p.b
                transition from A to X when p.a
                transition from X to A when p.a
            }}"
        );
        let steps: &[(&str, &[&str])] = &[
            ("", &["A Z -"]),
            ("p.b", &["A B C"]),
            ("p.b", &["A B D"]),
            ("p.a", &["X - -"]),
            ("p.a", &[row]),
        ];
        expect(&text, "S", "S.main S.r S.q", steps);
    }
}

/// A fork enters two regions by their targets; a join leaves when both are there.
#[test]
fn forks_and_joins_are_one_transition() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            var x : integer := 0
            region main {{ initial i fork f join j state A state E
                state C {{ region r {{ initial ri state R1 state R2 }} region s {{ initial si state S1 state S2 }} }} }}
            transition from i to A
            transition from ri to R1 transition from si to S1
            transition from A to f when p.a
            transition from f to R2 / x := x * 10 + 1;
            transition from f to S1 / x := x * 10 + 2;
            transition from S1 to S2 when p.b
            transition from R2 to j when p.a / x := x * 10 + 3;
            transition from S2 to j / x := x * 10 + 4;
            transition from j to E / x := x * 10 + 5;
        }}"
    );
    let steps: &[(&str, &[&str])] = &[
        ("", &["A - - 0"]),
        ("p.a", &["C R2 S1 12"]),
        ("p.a", &["C R2 S1 12"]),
        ("p.b", &["C R2 S2 12"]),
        ("p.a", &["E - - 12345"]),
    ];
    expect(&text, "S", "S.main S.r S.s S.x", steps);
}

/// The same two senders: what travels through a channel arrives in the next cycle or in this one.
#[test]
fn compositions_differ() {
    for (kind, rows) in [("sync", ["0 0", "1 0", "1 1"]), ("cascade", ["0 0", "1 1", "1 1"])] {
        let text = format!(
            "{EVENTS} statechart S [port p : provides I, port q : requires I] {{
                var x : integer := 0
                region main {{ initial i state A }}
                transition from i to A
                transition from A to A when p.n / x := p.n::x; raise q.n(p.n::x);
            }}
            {kind} C [port p : provides I] {{
                component a : S component b : S
                bind p -> a.p
                channel [b.p] -o)- [a.q]
            }}"
        );
        let steps: Vec<(&str, &[&str])> = vec![("", &rows[0..1]), ("p.n=1", &rows[1..2]), ("", &rows[2..3])];
        expect(&text, "C", "a.x b.x", &steps);
    }
}

/// A timeout holds at the beginning, and again when as much time has passed.
#[test]
fn timeouts_are_levels() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            timeout t
            region main {{ initial i state A state B {{ entry / set t := 1 s; }} }}
            transition from i to A
            transition from A to B when timeout t
            transition from B to A when timeout t
        }}"
    );
    let steps: &[(&str, &[&str])] =
        &[("", &["A"]), ("", &["B"]), ("", &["B"]), ("", &["A"]), ("", &["B"]), ("", &["B"]), ("", &["A"])];
    expect(&text, "S", "S.main", steps);
}

/// Messages of the more important queue come first; a full queue drops what comes.
#[test]
fn queues_have_priorities_and_capacities() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            var w : integer := 0
            region main {{ initial i state A }}
            transition from i to A
            transition from A to A when p.a / w := w * 10 + 1;
            transition from A to A when p.b / w := w * 10 + 2;
            transition from A to A when p.n / w := w * 10 + p.n::x;
        }}
        adapter D of component s : S {{
            when any / run
            queue low(priority = 1, capacity = 1) {{ p.a, p.n }}
            queue high(priority = 2, capacity = 2) {{ p.b }}
        }}"
    );
    let steps: &[(&str, &[&str])] =
        &[("", &["0"]), ("p.n=3 p.b p.a", &["2"]), ("p.n=4", &["23"]), ("", &["23"]), ("p.n=5", &["235"])];
    expect(&text, "D", "s.w", steps);
}

/// Internal events come in the next cycle; transient and resettable variables start again.
#[test]
fn internal_events_and_variables_that_start_again() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            @Transient var t : integer := 1 @Resettable var r : integer := 1 var x : integer := 0
            region main {{ initial i state A }}
            transition from i to A
            transition from A to A when p.a / raise p.i; t := 7; r := 8; x := x + t;
            transition from A to A when p.i / x := x + 10 * r;
        }}"
    );
    let steps: &[(&str, &[&str])] =
        &[("", &["1 1 0"]), ("p.a", &["1 8 7"]), ("", &["1 1 17"]), ("", &["1 1 17"])];
    expect(&text, "S", "S.t S.r S.x", steps);
}

/// A choice looks at what the effect before it has done, and may get stuck.
#[test]
fn choices_look_at_the_moment() {
    let text = format!(
        "{EVENTS} statechart S [port p : provides I] {{
            var x : integer := 0
            region main {{ initial i state A choice c state B state C }}
            transition from i to A
            transition from A to c when p.n / x := p.n::x;
            transition from c to B [x > 1]
            transition from c to C [x < 1]
        }}"
    );
    expect(&text, "S", "S.main", &[("", &["A"]), ("p.n=2", &["B"])]);
    expect(&text, "S", "S.main", &[("", &["A"]), ("p.n=0", &["C"])]);
    let model = naive(&text, "S");
    let start = model.start().unwrap().states.pop_first().unwrap();
    let input = Input::Given(vec![("p".to_owned(), "n".to_owned(), vec![Value::Int(1)])]);
    let ends = model.step(&start, &input, 500).unwrap();
    assert!(ends.states.is_empty() && ends.stops.len() == 1, "{ends:?}");
}
