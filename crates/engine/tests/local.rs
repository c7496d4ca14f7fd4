//! Local time: the numbers of nodes that another tool has, what is refused, and random networks of processes that meet
//! now and then, on which it agrees with ordinary zones.

extern crate thetis_engine as engine;

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use certify::{Checker, Evidence, Judge, Shown, SolverChoice};
use engine::{
    Answer, Choice, Config, Engine, Feature, Quiet, Reason, Search, Statistics, Stop, Unsupported, local,
};
use ir::{Question, System};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn read(text: &str, query: &str) -> (System, Question) {
    let model = lang::xta::load(text, lang::xta::Format::Xta);
    let mut model = model.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let property = model.parse_property("query", query).expect("a query");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn config(engine: Engine) -> Config {
    Config { engine, ..Config::default() }
}

fn search(system: &System, question: &Question, config: &Config) -> (Answer, Statistics) {
    engine::search(system, question, config, &Stop::new(), &mut Quiet)
}

/// What is shown by an answer, according to a checker, or why nothing is.
fn judged(system: &System, question: &Question, answer: &Answer, checker: Checker) -> Result<Shown, String> {
    let evidence = match answer {
        Answer::Found(run) => Evidence::Run(run),
        Answer::Excluded(certificate) => Evidence::Certificate(certificate),
        Answer::Unknown(reason) => return Err(format!("unknown: {reason}")),
    };
    Judge::by(checker, system).check(question, evidence, &GO_ON).map_err(|why| why.to_string())
}

fn shown(system: &System, question: &Question, answer: &Answer) -> Shown {
    judged(system, question, answer, Checker::Fast).unwrap_or_else(|why| panic!("{why}"))
}

// Numbers of nodes.

/// Philosophers who eat ten units long; the first one errs if it does not put down both forks at once, which it does.
fn dining(n: usize) -> String {
    let mut text = String::new();
    let clocks: Vec<String> = (1..=n).map(|i| format!("x{i}")).collect();
    let names: Vec<String> = (1..=n).map(|i| format!("P{i}, F{i}")).collect();
    let _ = writeln!(text, "clock {};\nchan s[{}];", clocks.join(", "), 4 * n);
    for i in 1..=n {
        let (x, b) = (format!("x{i}"), 4 * (i - 1));
        let (err, to_err) = match i {
            1 => (", err", format!(", rel -> err {{ guard {x} > 0; }}")),
            _ => ("", String::new()),
        };
        let _ = writeln!(
            text,
            "process P{i}() {{ state idle, acq {{ {x} <= 3 }}, eat {{ {x} <= 10 }}, rel {{ {x} <= 0 }}{err}; init idle;
               trans idle -> acq {{ sync s[{b}]!; assign {x} = 0; }},
                 acq -> idle {{ guard {x} >= 3; sync s[{}]!; }},
                 acq -> eat {{ guard {x} <= 3; sync s[{}]!; assign {x} = 0; }},
                 eat -> rel {{ guard {x} >= 10; sync s[{}]!; assign {x} = 0; }},
                 rel -> idle {{ sync s[{}]!; }}{to_err}; }}",
            b + 2,
            b + 1,
            b + 3,
            b + 2
        );
        let (right, left) = (b, 4 * (i % n));
        let _ = writeln!(
            text,
            "process F{i}() {{ state free, taken; init free;
               trans free -> taken {{ sync s[{}]?; }}, free -> taken {{ sync s[{left}]?; }},
                 taken -> free {{ sync s[{}]?; }}, taken -> free {{ sync s[{}]?; }}; }}",
            right + 1,
            right + 3,
            left + 2
        );
    }
    let _ = writeln!(text, "system {};", names.join(", "));
    text
}

/// Processes that do something on their own and ask for a lock, which errs if it is held for less than a unit.
fn parallel(n: usize) -> String {
    let mut text = String::new();
    let clocks: Vec<String> = (1..=n).map(|i| format!("x{i}")).collect();
    let names: Vec<String> = (1..=n).map(|i| format!("P{i}")).collect();
    let _ = writeln!(text, "clock {}, y;\nchan take[{n}], give[{n}];", clocks.join(", "));
    let mut lock = vec![];
    for i in 1..=n {
        let (x, c) = (format!("x{i}"), i - 1);
        let _ = writeln!(
            text,
            "process P{i}() {{ state A, B, C {{ {x} <= 3 }}; init A;
               trans A -> B {{ assign {x} = 0; }}, B -> A {{ guard {x} >= 1; }},
                 B -> C {{ guard {x} < 1; sync take[{c}]!; assign {x} = 0; }},
                 C -> A {{ guard {x} >= 1; sync give[{c}]!; }}; }}"
        );
        lock.push(format!("U -> L {{ guard y >= 1; sync take[{c}]?; }}"));
        lock.push(format!("L -> U {{ sync give[{c}]?; assign y = 0; }}"));
    }
    let _ = writeln!(
        text,
        "process Lock() {{ state U, L, err; init U; trans {}, L -> err {{ guard y < 1; }}; }}",
        lock.join(", ")
    );
    let _ = writeln!(text, "system {}, Lock;", names.join(", "));
    text
}

/// How many nodes local time keeps where the query holds; both checkers accept why.
fn nodes(text: &str, query: &str) -> u64 {
    let (system, question) = read(text, query);
    assert_eq!(local::applies(&system, &question), Ok(()));
    let (answer, statistics) = search(&system, &question, &config(Engine::Local));
    assert_eq!(shown(&system, &question, &answer), Shown::Excluded);
    statistics.states
}

/// The other tool's algorithm `concur19`, breadth first, keeps as many (TChecker d711ace, of its own models of these
/// networks).
#[test]
fn as_many_nodes_as_another_tool_has() {
    assert_eq!(nodes(&dining(6), "A[] not P1.err"), 853);
    for (processes, expected) in [(6, 261), (8, 1287)] {
        assert_eq!(nodes(&parallel(processes), "A[] not Lock.err"), expected, "{processes} processes");
    }
}

/// The same of the other tool's own models.
fn models_of_another_tool_have_as_many_nodes_as_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/xta/families");
    for (name, query, expected) in [
        ("dining-err-6", "A[] not P1.L_err", 853),
        ("parallel-c-err-6", "A[] not lock.L_err", 261),
        ("parallel-c-err-8", "A[] not lock.L_err", 1287),
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.xta"))).expect("a model");
        assert_eq!(nodes(&text, query), expected, "{name}");
    }
}

sampling::with_corpus!(models_of_another_tool_have_as_many_nodes_as_there);

/// Steps that have nothing to do with each other are in any order at one node: a location of each, whichever order
/// they were come to in. Ordinary zones keep the orders of the resets apart.
#[test]
fn orders_of_independent_steps_are_one_node() {
    let process = |i: usize| {
        format!(
            "process P{i}() {{ clock x; state A {{ x <= 5 }}, B {{ x <= 7 }}, C; init A;
            trans A -> B {{ guard x >= 3; assign x = 0; }}, B -> C {{ guard x >= 4; }}; }}"
        )
    };
    let text = format!("{} {} {} system P1, P2, P3;", process(1), process(2), process(3));
    let (system, question) = read(&text, "E<> P1.C and P2.C and P3.A");
    let (answer, ordinary) = search(&system, &question, &config(Engine::Zone));
    assert_eq!(shown(&system, &question, &answer), Shown::Excluded);
    // A lasts for 3 to 5 units and B for 4 to 7 more: nobody is at C while another one is at A, so that the vectors are
    // those of A and B, and those of B and C, in which BBB is counted twice.
    let local = nodes(&text, "E<> P1.C and P2.C and P3.A");
    assert_eq!(local, 8 + 8 - 1);
    assert!(ordinary.states > local, "{} ordinary zones", ordinary.states);
}

// What is refused.

#[test]
fn what_local_time_does_not_go_with_is_refused_by_name() {
    let two = |head: &str, left: &str, right: &str| {
        format!(
            "clock x, y; {head} process P() {{ state A, Bad; init A; trans A -> Bad {{ {left} }}; }}
             process Q() {{ state A, B; init A; trans A -> B {{ {right} }}; }} system P, Q;"
        )
    };
    let kind = |kind: &str| {
        format!(
            "clock x; process P() {{ state A, B, Bad; {kind} B; init A; trans A -> B {{ guard x >= 1; }}, B -> Bad {{ }}; }}
             system P;"
        )
    };
    let cases = [
        (two("urgent chan c;", "sync c!;", "sync c?;"), "E<> P.Bad", Some(Feature::UrgentChannels)),
        (two("broadcast chan c;", "sync c!;", "sync c?;"), "E<> P.Bad", None),
        (
            two("chan c; chan priority c < default;", "sync c!;", "sync c?;"),
            "E<> P.Bad",
            Some(Feature::Priorities),
        ),
        (two("", "guard x - y > 1;", ""), "E<> P.Bad", Some(Feature::Differences)),
        (two("", "", ""), "E<> deadlock", Some(Feature::Deadlock)),
        // Time stands still for one process, and the others wait for it when they agree on a time.
        (kind("commit"), "E<> P.Bad and P.x < 2", None),
        (kind("urgent"), "E<> P.Bad and P.x < 2", None),
        (two("chan c;", "guard x > 1; sync c!;", "guard y < 2; sync c?;"), "E<> P.Bad", None),
    ];
    for (text, query, refused) in cases {
        let query = query.replace("P.x", "x");
        let (system, question) = read(&text, &query);
        let (answer, _) = search(&system, &question, &config(Engine::Local));
        match refused {
            None => {
                assert_eq!(local::applies(&system, &question), Ok(()));
                let shown = shown(&system, &question, &answer);
                assert!(matches!(shown, Shown::Reached(_)), "{text}");
            }
            Some(with) => {
                let choice = Choice::Engine(Engine::Local);
                let expected = Unsupported::Unsound { choice, with };
                match answer {
                    Answer::Unknown(Reason::Unsupported(why)) => assert_eq!(why, expected, "{text}"),
                    other => panic!("{other:?}: {text}"),
                }
            }
        }
    }
}

/// One process sets what the other one reads, and it matters when: the read is one unit after the start, and the write
/// two or four. Whoever took them for independent would find the bad state.
#[test]
fn what_several_use_keeps_its_order() {
    let model = |write: u32| {
        format!(
            "int[0,1] v; process W() {{ clock x; state A {{ x <= 4 }}, B; init A;
               trans A -> B {{ guard x >= {write}; assign v = 1; }}; }}
             process R() {{ clock x; state A {{ x <= 3 }}, Seen, Not; init A;
               trans A -> Seen {{ guard v == 1; }}, A -> Not {{ guard v == 0; }}; }} system W, R;"
        )
    };
    for (write, seen) in [(2, true), (4, false)] {
        let (system, question) = read(&model(write), "E<> R.Seen");
        let (answer, _) = search(&system, &question, &config(Engine::Local));
        let reached = matches!(shown(&system, &question, &answer), Shown::Reached(_));
        assert_eq!(reached, seen, "written at {write}");
    }
}

/// A model of a single process says itself where time passes.
#[test]
fn delays_within_steps_are_refused() {
    let text = "var x : clock trans { __delay; assume x >= 1; x := 0; } prop { x < 5 }";
    let mut model = lang::xsts::load(text).expect("a model");
    let property = model.property().expect("a property");
    let question = model.system.question(property.claim);
    let refused = Unsupported::Unsound { choice: Choice::Engine(Engine::Local), with: Feature::Delays };
    assert_eq!(local::applies(&model.system, &question), Err(Reason::Unsupported(refused)));
}

/// What the question asks of clocks decides in which order the steps can be taken: P has to wait for R, which comes back
/// two units before the end at most.
#[test]
fn the_question_about_clocks_sorts_the_steps() {
    let text = "process P() { clock x; state A, B; init A; trans A -> B { assign x = 0; }; }
        process R() { clock x; state A, Away, Back { x <= 2 }; init A;
          trans A -> Away { guard x < 1; }, Away -> Back { assign x = 0; }; } system P, R;";
    let (system, question) = read(text, "E<> P.B and P.x > 3 and R.Back");
    let (answer, _) = search(&system, &question, &config(Engine::Local));
    assert!(matches!(shown(&system, &question, &answer), Shown::Reached(_)));
}

// Random networks.

/// A source of random numbers (Steele, Lea and Flood 2014).
struct Dice(u64);

impl Dice {
    /// One of so many.
    fn of(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }
    fn one_in(&mut self, sides: u64) -> bool {
        self.of(sides) == 0
    }
}

/// A network of two to four processes with a clock each, and a question. They meet over channels, and one network in two
/// has a number that several may use, one in three such a clock, which invariants may read.
fn network(seed: u64) -> (String, String) {
    let mut dice = Dice(seed);
    let processes = 2 + dice.of(3);
    let (number, clock) = (dice.one_in(2), dice.one_in(3));
    let kind = if dice.one_in(3) { "broadcast chan" } else { "chan" };
    let mut text = format!("clock z; int[0,2] v = 0; chan c; {kind} d; clock t;\n");
    for process in 0..processes {
        let mut locations = vec![];
        let (mut urgent, mut committed) = (vec![], vec![]);
        for location in 0..3 {
            let mut parts = vec![];
            if dice.one_in(3) {
                let strict = if dice.one_in(4) { "<" } else { "<=" };
                parts.push(format!("x {strict} {}", 1 + dice.of(4)));
            }
            if clock && dice.one_in(5) {
                parts.push(format!("z <= {}", 2 + dice.of(4)));
            }
            if number && dice.one_in(12) {
                parts.push(["v < 2", "x <= v"][dice.of(2) as usize].to_owned());
            }
            let invariant =
                if parts.is_empty() { String::new() } else { format!(" {{ {} }}", parts.join(" && ")) };
            locations.push(format!("L{location}{invariant}"));
            match dice.of(12) {
                0 => urgent.push(format!("L{location}")),
                1 => committed.push(format!("L{location}")),
                _ => {}
            }
        }
        let mut edges = vec![];
        for _ in 0..3 + dice.of(3) {
            let (from, to) = (dice.of(3), dice.of(3));
            let (mut guards, mut updates) = (vec![], vec![]);
            if dice.one_in(2) {
                let op = ["<", "<=", ">=", ">", "=="][dice.of(5) as usize];
                guards.push(format!("x {op} {}", dice.of(4)));
            }
            if clock && dice.one_in(3) {
                let op = ["<=", ">=", ">"][dice.of(3) as usize];
                guards.push(format!("z {op} {}", dice.of(4)));
            }
            if number && dice.one_in(3) {
                guards.push(format!("v {} {}", ["==", "<=", "!="][dice.of(3) as usize], dice.of(3)));
            }
            if dice.one_in(2) {
                updates.push(if dice.one_in(5) { "x = 1".to_owned() } else { "x = 0".to_owned() });
            }
            if clock && dice.one_in(4) {
                updates.push("z = 0".to_owned());
            }
            if number && dice.one_in(3) {
                // It may leave its range, which is a fault.
                let value = ["0", "1", "2", "(v + 1) % 3", "2 - v", "v + 1"][dice.of(6) as usize];
                updates.push(format!("v = {value}"));
            }
            let sync = match dice.of(5) {
                0 => "sync c!; ",
                1 => "sync c?; ",
                2 => ["sync d!; ", "sync d?; "][dice.of(2) as usize],
                _ => "",
            };
            let list = |word: &str, parts: &[String], by: &str| match parts {
                [] => String::new(),
                parts => format!("{word} {}; ", parts.join(by)),
            };
            let (guard, assign) = (list("guard", &guards, " && "), list("assign", &updates, ", "));
            edges.push(format!("L{from} -> L{to} {{ {guard}{sync}{assign}}}"));
        }
        let named = |word: &str, list: &[String]| match list {
            [] => String::new(),
            list => format!("{word} {};", list.join(", ")),
        };
        let (urgent, committed) = (named("urgent", &urgent), named("commit", &committed));
        let _ = writeln!(
            text,
            "process P{process}() {{ clock x; state {}; {committed} {urgent} init L0; trans {}; }}",
            locations.join(", "),
            edges.join(", ")
        );
    }
    let names: Vec<String> = (0..processes).map(|process| format!("P{process}")).collect();
    let _ = writeln!(text, "system {};", names.join(", "));
    let mut parts: Vec<String> = names.iter().map(|name| format!("{name}.L{}", dice.of(3))).collect();
    parts.truncate(1 + dice.of(processes) as usize);
    match dice.of(6) {
        0 if number => parts.push(format!("v == {}", dice.of(3))),
        1 => parts.push(format!("P0.x {} {}", [">", "<="][dice.of(2) as usize], dice.of(4))),
        2 => parts.push(format!("t {} {}", [">=", "<"][dice.of(2) as usize], dice.of(6))),
        _ => {}
    }
    (text, format!("E<> {}", parts.join(" and ")))
}

/// Ordinary zones are held to the region graph elsewhere (`regions/`, where local time is, too).
#[test]
fn local_time_agrees_with_ordinary_zones() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let first: u64 = number("LOCAL_SEED", 0);
    let (mut reached, mut excluded, mut faults) = (0, 0, 0);
    for seed in first..first + number("LOCAL_CASES", 1_500) {
        let (text, query) = network(seed);
        let (system, question) = read(&text, &query);
        let orders = Search::ALL;
        let config = Config {
            search: orders[seed as usize % orders.len()],
            preprocess: seed % 3 != 0,
            ..config(Engine::Local)
        };
        let place = || format!("seed {seed}, {config}: {query}\n{text}");
        let ordinary = search(&system, &question, &self::config(Engine::Zone)).0;
        let local = search(&system, &question, &config).0;
        // The reference checker is slow.
        let checker = match seed % 16 {
            0 => Checker::Reference(SolverChoice::Z3),
            _ => Checker::Fast,
        };
        match (ordinary, judged(&system, &question, &local, checker)) {
            (Answer::Excluded(_), Ok(Shown::Excluded)) => excluded += 1,
            (Answer::Found(_), Ok(Shown::Reached(certify::Reached::Fault(_)))) => faults += 1,
            (Answer::Found(_), Ok(Shown::Reached(_))) => reached += 1,
            (ordinary, judged) => panic!("{ordinary:?}, {judged:?}: {}", place()),
        }
    }
    println!("{reached} reached, {excluded} excluded, {faults} faults");
    assert!(reached > 0 && excluded > 0 && faults > 0, "all answers occur");
}
