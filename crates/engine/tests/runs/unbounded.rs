//! Random models whose integers have no limits, so that most have infinitely many states and lassos do not close.
//!
//! Nobody lists the states of these. What is compared is what the engines say, some of which work on formulas and others on
//! values, and everything they say is judged by both checkers, which share nearly nothing.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use certify::{Checker, Evidence, Judge, Rejection, SolverChoice};
use ir::{Claim, PathClaim, PathWords, Question, System};
use lang::xsts;
use proptest::prelude::*;
use thetis_engine::{Answer, Config, Engine, Quiet, Stop, search};

use super::{asked, random_formula};

/// What the statements of a model are made of.
const STATEMENTS: [&str; 14] = [
    "x := x + 1;",
    "y := y + 1;",
    "x := x - 1;",
    "x := x + y;",
    "b := !b;",
    "assume x > y;",
    "y := 0;",
    "x := y;",
    "assume y < 3;",
    "y := y - x;",
    "x := 2 * x;",
    "havoc b;",
    "assume b;",
    "y := x + 1;",
];

/// What formulas speak of.
const ATOMS: [&str; 6] = ["b", "y < 3", "y == x", "x > y", "x <= 5", "x < 0"];

/// A model made of decisions.
fn written(decisions: &[u8]) -> String {
    let mut decisions = decisions.iter().copied();
    let mut pick = |count: usize| usize::from(decisions.next().unwrap_or(0)) % count;
    let mut text = String::new();
    for name in ["x", "y"] {
        let _ = writeln!(text, "var {name} : integer = {}", pick(4));
    }
    let _ = writeln!(text, "var b : boolean{}", ["", " = false", " = true"][pick(3)]);
    for section in ["trans", "env"] {
        let branches = 1 + pick(3);
        let branch = |_| {
            let count = pick(3);
            let list: Vec<&str> = (0..count).map(|_| STATEMENTS[pick(STATEMENTS.len())]).collect();
            format!("{{ {} }}", list.join(" "))
        };
        let branches: Vec<String> = (0..branches).map(branch).collect();
        let _ = writeln!(text, "{section} {}", branches.join(" or "));
    }
    text + "init { }\nprop { true }\n"
}

fn question(text: &str, atoms: [&str; 2], choices: &[u8]) -> (System, Question) {
    let mut model = xsts::load(text).unwrap();
    let atoms = atoms.map(|atom| match model.parse_property("p", atom).unwrap().claim {
        Claim::Always(term) => term,
        _ => panic!("a condition"),
    });
    let system = &mut model.system;
    let undefined = system.terms.bool(false);
    let words = PathWords::Satisfy(random_formula(choices));
    let path = system.paths.push(PathClaim { words, atoms: atoms.to_vec(), undefined });
    let question = system.question(Claim::Every(path));
    (model.system, question)
}

/// What an engine says within limits, judged by both checkers.
fn judged(system: &System, question: &Question, engine: Engine) -> Result<&'static str, String> {
    let config = Config {
        engine,
        state_limit: Some(300),
        call_limit: Some(100),
        work_limit: Some(500_000),
        bound: Some(6),
        ..Config::default()
    };
    let (answer, _) = search(system, question, &config, &Stop::new(), &mut Quiet);
    let (evidence, verdict) = match &answer {
        Answer::Unknown(_) => return Ok("unknown"),
        Answer::Found(run) => (Evidence::Run(run), "violated"),
        Answer::Excluded(certificate) => (Evidence::Certificate(certificate), "holds"),
    };
    let stop = AtomicBool::new(false);
    let fast = Judge::new(system).check(question, evidence, &stop);
    let plain = Judge::by(Checker::Reference(SolverChoice::Z3), system).check(question, evidence, &stop);
    for said in [&fast, &plain] {
        if let Err(Rejection::Wrong(why)) = said {
            return Err(format!("{verdict} by {engine} is refused: {why:?}"));
        }
    }
    Ok(if fast.is_ok() { verdict } else { "unknown" })
}

#[test]
fn engines_agree_where_nothing_is_limited() {
    // Each is many questions to solvers.
    let given = sampling::runs(60, 1_617);
    let cases = given.cases.min(2_000);
    let runs = ProptestConfig { cases, ..given };
    // Of holds, violated and unknown.
    let seen = RefCell::new([0_u32; 3]);
    let bytes = |count| proptest::collection::vec(any::<u8>(), count);
    let inputs = (bytes(40), any::<(u8, u8)>(), bytes(10));
    let both = |(a, b): (u8, u8)| [a, b].map(|at| ATOMS[usize::from(at) % ATOMS.len()]);
    let show = |(model, atoms, choices): &(Vec<u8>, (u8, u8), Vec<u8>)| {
        let atoms = both(*atoms);
        let formula = random_formula(choices);
        format!("{}\n{}", written(model), formula.display(|atom| format!("({})", atoms[atom as usize])))
    };
    sampling::check(runs, &inputs, show, |(model, atoms, choices)| {
        let (system, question) = question(&written(&model), both(atoms), &choices);
        let mut first = None;
        for engine in [Engine::Auto, Engine::Bmc, Engine::Cegar, Engine::Kind, Engine::Explicit] {
            let said = judged(&system, &question, engine)?;
            let verdicts = ["holds", "violated", "unknown"];
            let which = verdicts.iter().position(|verdict| *verdict == said).expect("one of these");
            seen.borrow_mut()[which] += 1;
            if said == "unknown" {
                continue;
            }
            let (verdict, other) = *first.get_or_insert((said, engine));
            if verdict != said {
                return Err(format!("{verdict} by {other}, {said} by {engine}"));
            }
        }
        Ok(())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models without limits: {seen:?}");
    assert!(cases < 50 || seen[0] > cases / 4 && seen[1] > cases / 2, "not varied enough: {seen:?}");
}

/// How a value compares with that in the run may be what one round needs anyway: then it is one fact and not two.
#[test]
fn conditions_that_are_compared_as_well() {
    for (text, formula, expected) in [
        // `y` is always 1.
        (
            "var x : integer = 0 var y : integer = 1 var b0 : boolean = false
                trans { assume x > y; x := x + 1; } init { } env { x := x + y; x := x + 1; } prop { true }",
            "(b0 M \"y < 3\") W G \"y < 3\"",
            "holds",
        ),
        // By the first branch of `env` and the last one of `trans` in turns, `y` grows, `x` is 4 and 3, and they never agree.
        (
            "var x : integer = 3 var y : integer = 0
                trans { y := 0; y := y + 1; } or { x := y; } or { y := y + 1; x := x - 1; } init { }
                env { x := x + 1; y := y + 1; } or { x := y; x := x + 1; } prop { true }",
            "F (\"y < 3\" W \"y == x\")",
            "violated",
        ),
    ] {
        let (system, question) = asked(text, formula);
        for engine in [Engine::Auto, Engine::Bmc] {
            let said = judged(&system, &question, engine);
            assert!(said == Ok(expected) || said == Ok("unknown"), "{formula} by {engine}: {said:?}");
        }
    }
}
