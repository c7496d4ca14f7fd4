//! Least and greatest values of timed automata and nets, each with an argument.

use std::sync::Arc;

use thetis::engine::{Quiet, Stop};
use thetis::extremes::{Extremum, Found, GivenUp, Measured};
use thetis::{Check, Model, Source};

const MODEL: &str = "
    clock x, y;
    int[0,20] n;
    process P() {
      clock z;
      state A { x <= 7 }, B { y < 5 }, C, D { z <= 3 };
      init A;
      trans A -> B { guard x >= 2; assign y = 0, n = n + 3; },
            B -> A { guard y > 1, n < 15; assign x = 0; },
            B -> C { guard x > 9; },
            C -> D { assign z = 0; },
            D -> D { guard z == 3 && n < 20; assign z = 0, n = n + 1; };
    }
    system P;
";

fn measured(query: &str) -> Vec<Measured> {
    measured_in(MODEL, query)
}

fn measured_in(model: &str, query: &str) -> Vec<Measured> {
    let mut model = Model::from_text("m.xta", model).unwrap();
    let question = model.ask(query).unwrap();
    let stop = Arc::new(Stop::new());
    model.extremes(&question, &Check::default(), &stop, &mut Quiet).unwrap()
}

/// The extremes that a query asks for, in order, all of them certified.
fn extremes(query: &str) -> Vec<Extremum> {
    let found = measured(query);
    let all = found.iter().flat_map(|measured| [&measured.least, &measured.greatest]).flatten();
    all.map(|found| {
        assert!(found.is_certified(), "{query}");
        found.extremum
    })
    .collect()
}

#[test]
fn whole_numbers() {
    // `n` grows by three from 0 to 15, where `B -> A` is closed, and then by one to 20 in `D`.
    assert_eq!(extremes("bounds: n"), [Extremum::Attained(0), Extremum::Attained(20)]);
    assert_eq!(extremes("sup{P.C}: n, -n"), [Extremum::Attained(15), Extremum::Attained(-3)]);
    assert_eq!(extremes("sup{P.A && n > 12}: n"), [Extremum::Nowhere]);
}

/// How much time an answer takes, which is asked for in less than 2 and then given in 3, or never.
#[test]
fn response_times() {
    let times = |query: &str| {
        let model = "clock x;
            process P() {
                state Idle { x <= 3 }, Ask { x < 2 }, Work { x <= 3 }, Done;
                init Idle;
                trans Idle -> Ask { assign x = 0; }, Ask -> Work { assign x = 0; }, Work -> Done { };
            }
            system P;";
        let found = measured_in(model, query);
        let [Measured { greatest: Some(found), .. }] = &found[..] else { panic!("one is asked for") };
        assert!(found.is_certified(), "{query}");
        found.extremum
    };
    assert_eq!(times("sup: P.Idle --> P.Ask"), Extremum::Attained(3));
    // Ask must be left before 2 have passed.
    assert_eq!(times("sup: P.Ask --> P.Work"), Extremum::Approached(2));
    assert_eq!(times("sup: P.Ask --> P.Done"), Extremum::Approached(5));
    assert_eq!(times("sup: P.Work --> P.Done"), Extremum::Attained(3));
    // Nothing is left to happen in Done.
    assert_eq!(times("sup: P.Done --> P.Idle"), Extremum::Unbounded);
    assert_eq!(times("sup: P.Ask --> P.Ask"), Extremum::Nowhere);
}

/// Integers are bounded by their types, however large; only clocks are not followed beyond 2^28.
#[test]
fn large_whole_numbers() {
    let model = "const int BIG = 2000000000; int64_t l = -1099511627776; int32_t n = 7;
                 process P() { state A, B; init A; trans A -> B { assign l = 1099511627777, n = INT32_MAX; }; }
                 system P;";
    for (query, expected) in [
        ("sup: BIG", vec![2_000_000_000]),
        ("bounds: n", vec![7, 2_147_483_647]),
        ("bounds: l", vec![-1_099_511_627_776, 1_099_511_627_777]),
    ] {
        let found = measured_in(model, query);
        let all = found.iter().flat_map(|measured| [&measured.least, &measured.greatest]).flatten();
        let all: Vec<Extremum> = all.map(|found| found.extremum).collect();
        let expected: Vec<Extremum> = expected.into_iter().map(Extremum::Attained).collect();
        assert_eq!(all, expected, "{query}");
    }
}

#[test]
fn clocks_attain_or_approach_them() {
    // `B` is entered at 2 at the earliest and at 7 at the latest, and left before five units are over.
    assert_eq!(extremes("bounds{P.B}: x"), [Extremum::Attained(2), Extremum::Approached(12)]);
    assert_eq!(extremes("sup{P.B}: y"), [Extremum::Approached(5)]);
    // `C` is entered after 9, and nothing makes anybody leave it; in `D`, `x` is what it was in `C` and more.
    assert_eq!(extremes("bounds{P.C}: x"), [Extremum::Approached(9), Extremum::Unbounded]);
    assert_eq!(extremes("sup{P.D}: x, P.z"), [Extremum::Unbounded, Extremum::Attained(3)]);
    // `y` is never younger than `x` in `A`: both start together, and only `x` is reset on the way back.
    assert_eq!(extremes("sup{P.A}: x - y"), [Extremum::Attained(0)]);
}

#[test]
fn runs_lead_to_them() {
    let found = measured("sup{P.D}: n");
    let run = found[0].greatest.as_ref().unwrap().shown.as_ref().unwrap().trace.clone().unwrap();
    let n = run.signature.variables.iter().position(|variable| variable.name == "n").unwrap();
    assert_eq!(run.states().last().unwrap().values[n].as_ref().unwrap().to_string(), "20");
}

#[test]
fn what_is_large_is_not_unbounded() {
    // The offset is larger than any delay that zones can count, and `x` is at most 2 in `B`.
    let model = "clock x, y; int64_t l = 1099511627776;
                 process P() { state A, B { x <= 2 }, C; init A; trans A -> B { assign x = 0; }, A -> C { assign y = 0; }; }
                 system P;";
    let least_and_greatest = |query: &str| {
        let found = measured_in(model, query).pop().unwrap();
        [found.least, found.greatest].map(|found| found.map(|found| found.extremum))
    };
    let [None, Some(Extremum::Open(_))] = least_and_greatest("sup{P.B}: x + l") else { panic!("not known") };
    // `y` is reset on the way to `C`, and nothing else is: `x` may be older by any amount, and so may both.
    assert_eq!(least_and_greatest("sup{P.C}: x - y"), [None, Some(Extremum::Unbounded)]);
    assert_eq!(least_and_greatest("inf{P.C}: y - x"), [Some(Extremum::Unbounded), None]);
    assert_eq!(least_and_greatest("inf: -x"), [Some(Extremum::Unbounded), None]);
    // The greatest number there is, and the least.
    let model = "int64_t i; process P() { state A, B; init A; trans A -> B { assign i = INT64_MAX; },
                 A -> B { assign i = INT64_MIN; }; } system P;";
    let found = measured_in(model, "bounds: i").pop().unwrap();
    assert!(matches!(found.least.unwrap().extremum, Extremum::Open(_)));
    assert!(matches!(found.greatest.unwrap().extremum, Extremum::Open(_)));
}

#[test]
fn what_grows_around_a_loop_has_no_bound() {
    let least_and_greatest = |model: &str, query: &str| {
        let found = measured_in(model, query).pop().unwrap();
        [found.least, found.greatest]
            .map(|found| found.map(|found| (found.extremum, found.repeats.is_some())))
    };
    let unbounded = Some((Extremum::Unbounded, true));
    // No delay is longer than 2, and nobody resets `g`, nor looks at it before it is 20.
    let model = "clock g; process P() { clock x; state A { x <= 2 }; init A;
                 trans A -> A { guard x >= 1 && g <= 20; assign x = 0; }, A -> A { guard x >= 1 && g > 20; assign x = 0; }; }
                 system P;";
    assert_eq!(least_and_greatest(model, "sup: g"), [None, unbounded]);
    assert_eq!(least_and_greatest(model, "sup: g - P.x"), [None, unbounded]);
    assert_eq!(least_and_greatest(model, "inf: P.x - g"), [unbounded, None]);
    // The first edge is closed from 20 on, and the state before is at most 2 units old.
    let closed = model.replace("g > 20", "false");
    assert_eq!(least_and_greatest(&closed, "sup: g"), [None, Some((Extremum::Attained(22), false))]);
    // Every eleventh step resets it: each takes two units at most, and the state after the last of them as long.
    let reset = "clock g; int[0,10] n; process P() { clock x; state A { x <= 2 }; init A;
                 trans A -> A { guard x >= 1 && n < 10; assign x = 0, n++; },
                       A -> A { guard x >= 1 && n == 10; assign x = 0, n = 0, g = 0; }; } system P;";
    assert_eq!(least_and_greatest(reset, "sup: g"), [None, Some((Extremum::Attained(22), false))]);
    // A difference of clocks that both grow does not.
    let both = "clock g, h; process P() { clock x; state A { x <= 2 }; init A; trans A -> A { guard x >= 1; assign x = 0; }; }
                system P;";
    assert_eq!(least_and_greatest(both, "sup: g - h"), [None, Some((Extremum::Attained(0), false))]);
}

#[test]
fn stopwatches_and_copies() {
    let greatest = |model: &str, query: &str| {
        let found = measured_in(model, query).pop().unwrap().greatest.unwrap();
        (found.extremum, found.given_up)
    };
    // `s` stands still in `A`, and nobody reads it: `x` is at most 3 there, and less than 5 in `B`, where `s` runs as long.
    let unread = "clock x, s; process P() { state A { x <= 3 && s' == 0 }, B { x < 5 }; init A;
                  trans A -> B { guard x >= 1; assign x = 0; }; } system P;";
    assert_eq!(greatest(unread, "sup{P.A}: x"), (Extremum::Attained(3), None));
    assert_eq!(greatest(unread, "sup{P.B}: x"), (Extremum::Approached(5), None));
    assert_eq!(greatest(unread, "sup: s"), (Extremum::Approached(5), None));
    // `s` is the time in `A`, and `B` takes as long, since `s` stands still there. At 3, both take half of that.
    let read = "clock x, s; process P() { clock y; state A, B { s' == 0 }, C { x <= 3 }; init A;
                trans A -> B { assign y = 0; }, B -> C { guard y == s && x == 3; }; } system P;";
    assert_eq!(greatest(read, "sup{P.C}: x"), (Extremum::Attained(3), None));
    assert_eq!(greatest(read, "sup{P.C}: s"), (Extremum::Open(Some(1)), Some(GivenUp::Between(1, 2))));
    // A copy is as whole as what it is a copy of.
    let copied = "clock x, y; process P() { state A { x <= 3 }, B { y <= 9 }; init A;
                  trans A -> B { guard x >= 1; assign y = x + 2; }; } system P;";
    assert_eq!(greatest(copied, "sup{P.B}: x"), (Extremum::Attained(7), None));
    assert_eq!(greatest(copied, "sup{P.B}: y - x"), (Extremum::Attained(2), None));
}

#[test]
fn comments_are_no_part_of_what_is_asked() {
    let query = "sup{n <= 12 // less\n}: n // in all\n + 2 /* more */";
    assert_eq!(extremes(query), [Extremum::Attained(14)]);
}

#[test]
fn sums_of_clocks_are_refused() {
    let mut model = Model::from_text("m.xta", MODEL).unwrap();
    let refused = model.ask("sup: x + y").unwrap_err().to_string();
    assert!(refused.contains("only clocks and differences of two clocks"), "{refused}");
}

#[test]
fn several_questions_share_a_list_of_states() {
    // No clock: `n` counts to 7 by ones, and `m` is what it was one step before, except that it begins with 9.
    let text = "int[0,7] n; int[0,9] m = 9;
                process P() { state A, B; init A;
                  trans A -> A { guard n < 7; assign m = n, n = n + 1; }, A -> B { guard n > 5; assign n = 0; }; }
                system P;";
    let mut model = Model::from_text("m.xta", text).unwrap();
    let asked = ["bounds: n", "sup{P.B}: m, n", "inf{P.A && n > 2}: m", "sup{n > 7}: m"];
    let questions: Vec<_> = asked.iter().map(|text| model.ask(text).unwrap()).collect();
    let (list, stop) = (questions.iter().collect::<Vec<_>>(), Arc::new(Stop::new()));
    let mut told: Vec<Vec<Extremum>> = vec![vec![]; asked.len()];
    model
        .extremes_all(&list, &Check::default(), &stop, &mut Quiet, &mut |_, at, measured: Vec<Measured>| {
            let all = measured.iter().flat_map(|measured| [&measured.least, &measured.greatest]).flatten();
            assert!(told[at].is_empty(), "{at} is told twice");
            let extremum = |found: &Found| {
                assert!(found.is_certified(), "{}", asked[at]);
                found.extremum
            };
            told[at] = all.map(extremum).collect();
        })
        .unwrap();
    let attained = |list: &[i64]| list.iter().map(|value| Extremum::Attained(*value)).collect::<Vec<_>>();
    assert_eq!(told, [attained(&[0, 7]), attained(&[6, 0]), attained(&[2]), vec![Extremum::Nowhere]]);
}

#[test]
fn markings_without_a_list_are_bounded_by_invariants() {
    // Eight cycles of three places, each with four tokens: 15^8 markings. Tokens are only moved.
    let mut net = String::new();
    for cycle in 0..8 {
        for place in 0..3 {
            let tokens = if place == 0 { "<initialMarking><text>4</text></initialMarking>" } else { "" };
            net += &format!("<place id='p{cycle}{place}'>{tokens}</place><transition id='t{cycle}{place}'/>");
            net += &format!("<arc id='a{cycle}{place}' source='p{cycle}{place}' target='t{cycle}{place}'/>");
            let next = (place + 1) % 3;
            net += &format!("<arc id='b{cycle}{place}' source='t{cycle}{place}' target='p{cycle}{next}'/>");
        }
    }
    let text = format!(
        "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='n' \
         type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>{net}</page></net></pnml>"
    );
    let mut model = Model::from_text("m.pnml", &text).unwrap();
    let sums = [&["p00"][..], &["p10", "p11", "p12"], &["p20", "p30"], &["p41"], &["p50", "p51", "p60"]];
    let mut file = "<property-set xmlns='http://mcc.lip6.fr/'>".to_owned();
    for (number, places) in sums.iter().enumerate() {
        let list: String = places.iter().map(|place| format!("<place>{place}</place>")).collect();
        file += &format!(
            "<property><id>b{number}</id><formula><place-bound>{list}</place-bound></formula></property>"
        );
    }
    file += "</property-set>";
    let asked = model.ask_file(&Source::new("bounds", file)).unwrap().unwrap();
    let asked: Vec<_> = asked.into_iter().map(Result::unwrap).collect();
    let (questions, stop) = (asked.iter().collect::<Vec<_>>(), Arc::new(Stop::new()));
    let mut told = vec![None; sums.len()];
    model
        .extremes_all(&questions, &Check::default(), &stop, &mut Quiet, &mut |_, at, measured| {
            let found = measured[0].greatest.as_ref().unwrap();
            told[at] = found.is_certified().then_some(found.extremum);
        })
        .unwrap();
    assert_eq!(told, [4, 4, 8, 4, 8].map(|value| Some(Extremum::Attained(value))));
}
