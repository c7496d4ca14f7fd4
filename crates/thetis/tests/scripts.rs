//! Prescribed runs of Gamma compositions: executed, compared, written and read again; what steps tell.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Stop;
use ir::Value;
use thetis::lang::{Given, Reading, gamma};
use thetis::script::{Followed, ScriptFailure, follow};
use thetis::simulate::{Chance, Simulator};
use thetis::trace::lift::Lift;
use thetis::trace::{Ends, table};
use thetis::{Languages, Model, Scope, Source};

/// Two adapters: the first passes on what is greater than 3, one more; the second answers with the double.
const BOTH: &str = "package both
interface In { in event go(n : integer) }
interface Msg { out event msg(n : integer) }
interface Out { out event done(n : integer) }
@Asynchronous
statechart First [ port i : provides In  port j : provides Msg ] {
    var last : integer := 0
    region r { initial s state A state B }
    transition from s to A
    transition from A to B when i.go [i.go::n > 3] / last := i.go::n; raise j.msg(i.go::n + 1);
}
@Asynchronous
statechart Second [ port j : requires Msg  port o : provides Out ] {
    region r { initial s state C state D }
    transition from s to C
    transition from C to D when j.msg / raise o.done(j.msg::n * 2);
}
async Both [ port i : provides In  port o : provides Out ] {
    component first : First
    component second : Second
    bind i -> first.i
    bind o -> second.o
    channel [first.j] -o)- [second.j]
}
";

/// What it does by the text above: 4 is greater than 3, so 5 is passed on, whose double is 10.
const RUN: &str = "import \"both\"
trace T of Both
step { act { reset } assert { state first -> first.r.^A; state second -> second.r.C; } }
step { act { raise i.go(4) schedule first } assert { state first -> first.r.^B; variable first -> first.last = 4; } }
step { act { schedule second } assert { raise o.done(10); state second -> second.r.D; } }
";

fn both() -> Model {
    Model::from_text("both.gcd", BOTH).expect("a model")
}

fn executed(model: &mut Model, text: &str) -> (Followed, Source) {
    let source = Source::new("run.get", text);
    let script =
        model.script(&source).expect("Gamma has traces").unwrap_or_else(|error| panic!("{error}\n{text}"));
    (follow(model, &script, &Stop::new()), source)
}

#[test]
fn a_prescribed_run_is_executed_and_every_assertion_compared() {
    let (followed, _) = executed(&mut both(), RUN);
    assert_eq!((followed.failure, followed.steps, followed.claims), (None, 3, 6));
}

#[test]
fn the_assertion_that_is_false_is_named_with_its_step() {
    for (wrong, steps) in [
        ("raise o.done(11)", 2),
        ("not (raise o.done(10))", 2),
        ("state second -> second.r.C", 2),
        ("variable first -> first.last = 5", 2),
    ] {
        let text = RUN.replace("raise o.done(10)", wrong);
        let (followed, source) = executed(&mut both(), &text);
        let Some(ScriptFailure::False(spans)) = &followed.failure else {
            panic!("{wrong}: {:?}", followed.failure)
        };
        let texts: Vec<&str> = spans.iter().map(|span| source.slice(*span)).collect();
        assert_eq!((texts, followed.steps), (vec![wrong], steps));
    }
}

#[test]
fn a_step_that_the_model_cannot_do_is_told() {
    // An adapter that is not activated does not run, and 3 is not greater than 3.
    let other = RUN.replace("schedule second", "schedule first");
    assert!(matches!(executed(&mut both(), &other).0.failure, Some(ScriptFailure::False(_))));
    let small = RUN.replace("i.go(4)", "i.go(3)");
    let (followed, _) = executed(&mut both(), &small);
    assert!(matches!(followed.failure, Some(ScriptFailure::False(_))));
    assert_eq!(followed.steps, 1);
    // An adapter that is the system itself gets exactly one event in each step.
    let reading = Reading { component: Some("First".to_owned()), ..Reading::default() };
    let mut alone = Languages::default().reading(reading).from_text("both.gcd", BOTH).expect("a model");
    let step = |acts: &str| format!("step {{ act {{ {acts} }} assert {{ }} }}\n");
    let begin = "import \"both\"\ntrace T of First\n".to_owned() + &step("reset");
    let (followed, _) = executed(&mut alone, &(begin.clone() + &step("schedule component")));
    assert_eq!((followed.failure, followed.steps), (Some(ScriptFailure::Impossible), 1));
    let (followed, _) = executed(&mut alone, &(begin + &step("raise i.go(9) schedule component")));
    assert_eq!((followed.failure, followed.steps), (None, 2));
}

#[test]
fn old_syntax_means_the_same() {
    let old = RUN.replace(';', " ").replace("state first -> first.r.^A", "states { first.r.^A }");
    let (followed, _) = executed(&mut both(), &old);
    assert_eq!((followed.failure, followed.steps), (None, 3));
}

#[test]
fn mistakes_in_traces_are_named() {
    for (from, to, message) in [
        ("i.go(4)", "i.og(4)", "did you mean `i.go`?"),
        ("i.go(4)", "i.go(true)", "no value of that parameter"),
        ("i.go(4)", "i.go", "1 parameters"),
        ("raise i.go(4)", "raise i.go(4) raise i.go(5)", "was raised already"),
        ("r.^B", "r.X", "there is no state"),
        ("of Both", "of First", "read it as `First`"),
        ("schedule second", "reset", "only the first step"),
        ("schedule second", "schedule third", "no instance `third`"),
    ] {
        let source = Source::new("run.get", RUN.replace(from, to));
        let error = both().script(&source).expect("Gamma has traces").expect_err(to).to_string();
        assert!(error.contains(message), "{to}: {error}");
    }
}

#[test]
fn what_is_written_is_read_and_replayed() {
    let mut model = both();
    let run = executed(&mut model, RUN).0.run.expect("it fits");
    let text = model.lowered.language.write_script("both.gcd", &run).expect("Gamma has traces");
    for part in ["raise i.go(4)", "schedule first", "raise o.done(10);", "state second -> second.r.D;"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let (followed, _) = executed(&mut model, &text);
    assert_eq!((followed.failure, followed.steps), (None, 3));
    assert_eq!(followed.run.map(|run| run.last().clone()), Some(run.last().clone()));
}

#[test]
fn a_run_is_a_table_of_cycles() {
    let mut model = both();
    let run = executed(&mut model, RUN).0.run.expect("it fits");
    let trace = Lift::new(&model, model.system()).trace(&run, None, Ends::Anywhere);
    let text = table::render(&trace, false);
    for line in [
        "in    i.go(n = 4)",
        "runs  first",
        "fires first.first: A -> B (line 10)",
        "first.first.r ",
        "runs  second",
        "fires second.second: C -> D (line 16)",
        "out   o.done(n = 10)",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let last = trace.steps.last().expect("three steps");
    assert_eq!(last.happened.len(), 3, "nothing else happens: {:?}", last.happened);
    let json = serde_json::to_value(&trace).expect("plain data");
    assert_eq!(json["steps"][1]["happened"][0]["kind"], "input");
    assert_eq!(json["steps"][1]["happened"][0]["values"][0][1], 4);
}

#[test]
fn events_are_offered_by_name_in_a_simulation() {
    let model = both();
    let mut simulator =
        Simulator::new(&model, None, Scope::default(), Arc::new(Stop::new())).expect("nothing is asked");
    simulator.start_by_chance(&mut Chance::new(1)).expect("it starts");
    let names: Vec<&str> = simulator.inputs().iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["i.go"]);
    let begin = simulator.moves_given(&Given::default()).moves;
    assert_eq!(begin.len(), 1);
    struct Nobody;
    impl thetis::simulate::Chooser for Nobody {
        fn choose(
            &mut self,
            _: &ir::System,
            _: &ir::State,
            _: ir::Stmt,
            _: &ir::interp::Need,
        ) -> Option<ir::Decision> {
            None
        }
    }
    assert!(simulator.take(&begin[0], &mut Nobody));
    let input = &simulator.inputs()[0];
    let mut given = Given::default();
    given.values.insert(input.flag, Value::Bool(true));
    given.values.insert(input.values[0].1, Value::int(7));
    // The message arrives, and either adapter is activated.
    let steps = simulator.moves_given(&given).moves;
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| {
        let state = step.state.as_ref().expect("nothing is open");
        table::happenings(&simulator.happened(&step.edges, state)).contains("in    i.go(n = 7)")
    }));
}

#[test]
fn a_period_is_told_as_time_that_passes() {
    let text = "package p\nstatechart Timed [ ] {
        timeout t
        region r { initial s state A { entry / set t := 1 s; } state B }
        transition from s to A
        transition from A to B when timeout t
    }\n";
    let period = |text: &str| Reading { period: Some(text.parse().expect("a period")), ..Reading::default() };
    let run = |acts: [&str; 2]| {
        format!(
            "import \"p\"\ntrace T of Timed\nstep {{ act {{ reset }} assert {{ state r.A; }} }}
            step {{ act {{ {} schedule component }} assert {{ state r.A; }} }}
            step {{ act {{ {} schedule component }} assert {{ state r.B; }} }}\n",
            acts[0], acts[1]
        )
    };
    // After 500 ms the second is not over, after 1000 ms it is; nothing is said of the time where it is fixed.
    for (said, acts, told) in [
        ("500ms", ["", ""], ["500 ms", "500 ms"]),
        ("300ms..700ms", ["elapse(300)", "elapse(700)"], ["300 ms", "700 ms"]),
    ] {
        let mut model = Languages::default().reading(period(said)).from_text("p.gcd", text).expect("a model");
        let (followed, _) = executed(&mut model, &run(acts));
        assert_eq!((&followed.failure, followed.steps), (&None, 3), "{said}");
        let run = followed.run.expect("it fits");
        let trace = Lift::new(&model, model.system()).trace(&run, None, Ends::Anywhere);
        let table = table::render(&trace, false);
        let times: Vec<&str> =
            table.lines().filter_map(|line| line.trim().strip_prefix("time")).map(str::trim).collect();
        assert_eq!(times, told, "{said}, none in the initialisation:\n{table}");
    }
}

#[test]
fn waiting_that_a_trace_allows_is_not_passed_over_in_silence() {
    for (waiting, warnings) in [("", 0), ("@AllowedWaiting 0 .. 0\n", 0), ("@AllowedWaiting 0 .. 2\n", 1)] {
        let source = Source::new("run.get", RUN.replace("trace T", &format!("{waiting}trace T")));
        let script = both().script(&source).expect("Gamma has traces").expect(waiting);
        assert_eq!(script.warnings.len(), warnings, "{waiting}");
    }
}

#[test]
fn more_executions_than_can_be_compared_are_a_failure_of_their_own() {
    // Seven regions with three ways each are 2187 states, more than are followed; that no state has another value of
    // `x` is true, but not found out by comparing some.
    let region = |at: usize| {
        format!("region r{at} {{ initial s{at} state A{at} state B{at} state C{at} state D{at} }}\n")
    };
    let ways = |at: usize| {
        let way = |to: char| format!("transition from A{at} to {to}{at} when i.go\n");
        format!("transition from s{at} to A{at}\n{}{}{}", way('B'), way('C'), way('D'))
    };
    let regions: String = (0..7).map(region).collect();
    let ways: String = (0..7).map(ways).collect();
    let text = format!(
        "package p\ninterface In {{ in event go }}
        statechart Wide [ port i : provides In ] {{ var x : integer := 0\n{regions}{ways} }}\n"
    );
    let mut model = Model::from_text("p.gcd", &text).expect("a model");
    let trace = |claim: &str| {
        format!(
            "import \"p\"\ntrace T of Wide\nstep {{ act {{ reset }} assert {{ }} }}
            step {{ act {{ raise i.go schedule component }} assert {{ {claim}; }} }}\n"
        )
    };
    assert_eq!(executed(&mut model, &trace("variable x = 0")).0.failure, None);
    assert_eq!(executed(&mut model, &trace("variable x = 1")).0.failure, Some(ScriptFailure::TooMany));
}

#[test]
fn a_model_is_outlined_and_drawn() {
    let outline = both().lowered.contents.outline;
    let first = &outline[0].parts[0];
    assert_eq!((outline[0].kind, outline[0].name.as_str(), first.kind), ("async", "Both", "adapter"));
    let states: Vec<&str> = first.parts[0].parts[0].parts.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(states, ["A", "B"]);
    let to_dot = gamma::FRONT_END.conversion("dot").expect("a picture").convert;
    let dot = to_dot(BOTH, &mut thetis::lang::NoFiles, &Reading::default()).expect("a model");
    assert_eq!(
        dot.matches("subgraph cluster_").count(),
        7,
        "a composition, 2 adapters, 2 statecharts, 2 regions:\n{dot}"
    );
    assert!(dot.contains("i.go [i.go::n > 3] / …"), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

fn traces_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            traces_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "get") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn traces_written_by_hand_replay_with_every_assertion_true() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/gamma/tests/hu.bme.mit.gamma.tests/model/Manual");
    if !corpus.is_dir() {
        eprintln!("skipped: no {}", corpus.display());
        return;
    }
    let mut files = vec![];
    traces_below(&corpus.join("test"), &mut files);
    assert!(files.len() >= 10, "{files:?}");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a trace");
        let import = text.split('"').nth(1).expect("what it imports");
        let mut reading = Reading::default();
        (gamma::FRONT_END.script_files.expect("traces").settle)(&text, &mut reading);
        let mut model = Languages::default()
            .reading(reading)
            .load(&corpus.join(format!("{import}.gcd")))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (followed, _) = executed(&mut model, &text);
        assert_eq!(followed.failure, None, "{}", path.display());
        assert!(followed.claims > 3, "{} says more", path.display());
        // And what is written of that run says as much, and fits.
        let run = followed.run.expect("it fits");
        let written = model.lowered.language.write_script("model.gcd", &run).expect("Gamma has traces");
        let (again, _) = executed(&mut model, &written);
        assert_eq!((again.failure, again.steps), (None, followed.steps), "{}\n{written}", path.display());
        assert!(again.claims >= followed.claims, "{}\n{written}", path.display());
    }
}
