//! Solvers behind a pipe: a real one, and one that misbehaves in every way.

extern crate thetis_smt as smt;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ir::{Steps, Term, Terms, Type, Value, VarId};
use smt::smtlib::SmtlibSolver;
use smt::z3::Z3Solver;
use smt::{
    Answer, Interpolation, Interpolator, Interrupt, Limits, NoInterpolants, Solver, Strategy, Trace, services,
};

/// A script that plays a solver; its folder is gone in the end.
struct Fake {
    folder: PathBuf,
}

impl Fake {
    /// A solver that does `on_check` when it is asked to check.
    fn new(name: &str, on_check: &str) -> Fake {
        let folder = std::env::temp_dir().join(format!("thetis-smt-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let script = format!(
            "cd '{}'\necho $$ > parent\nwhile read -r line; do case \"$line\" in *check-sat*) {on_check};; \
             *'(echo '*) line=\"${{line#*\\\"}}\"; echo \"${{line%\\\"*}}\";; esac; done\n",
            folder.display()
        );
        fs::write(folder.join("solver.sh"), script).unwrap();
        Fake { folder }
    }
    fn command(&self) -> String {
        format!("sh {}", self.folder.join("solver.sh").display())
    }
    fn check(&self) -> Result<Answer, Interrupt> {
        let mut solver = SmtlibSolver::start(&self.command()).unwrap();
        solver.limit(Limits { deadline: Some(Instant::now() + Duration::from_millis(500)), work: None });
        let mut terms = Terms::new();
        let something = terms.bool(true);
        solver.assert(&terms, something, &Steps::start())?;
        solver.check(&[])
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn broken(name: &str, on_check: &str, problem: &str, output: &str) {
    let fake = Fake::new(name, on_check);
    let answer = fake.check();
    #[cfg(target_os = "linux")]
    assert!(!is_alive(&fake.folder.join("parent")), "{name} is still there");
    match answer {
        Err(Interrupt::Broken { solver, problem: found, output: last }) => {
            assert_eq!(solver, fake.command());
            assert!(found.contains(problem), "{name}: {found}");
            assert!(last.contains(output), "{name}: {last}");
        }
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_solver_may_not_know() {
    let fake = Fake::new("unknown", "echo unknown");
    assert!(matches!(fake.check(), Err(Interrupt::Unknown(_))));
    #[cfg(target_os = "linux")]
    assert!(!is_alive(&fake.folder.join("parent")));
}

#[test]
fn the_fake_can_behave() {
    assert_eq!(Fake::new("fine", "echo unsat").check(), Ok(Answer::Unsat));
    assert_eq!(Fake::new("quoted", "echo sat; read -r line; echo '\"question-1\"'").check(), Ok(Answer::Sat));
}

#[test]
fn a_solver_that_misbehaves_is_an_error_with_its_last_lines() {
    broken("crash", "echo 'out of cheese' >&2; exit 3", "has ended", "out of cheese");
    broken("killed", "kill -9 $$", "has ended", "");
    broken("garbage", "echo 'wat is this'", "answered `wat` and then `is` to one question", "wat");
    broken("other", "echo maybe", "answered `maybe` to a check", "maybe");
    broken("parenthesis", "echo ')'", "not an expression", ")");
    broken("error", "echo '(error \"no such sort\")'", "no such sort", "no such sort");
    broken("twice", "echo sat; echo unsat", "answered `sat` and then `unsat` to one question", "unsat");
    broken("late", "echo sat; echo '(error \"late\")'", "to one question", "late");
    broken("deep", "head -c 3000000 /dev/zero | tr '\\0' '('; echo; exit", "has ended", "");
    broken(
        "nested",
        "head -c 300000 /dev/zero | tr '\\0' '('; head -c 300000 /dev/zero | tr '\\0' ')'; echo",
        "not an expression",
        "(((",
    );
    // Bytes that are no text in any encoding.
    let noise: String = (0..600u32).map(|at| format!("\\{:03o}", at * 37 % 256)).collect();
    broken("binary", &format!("printf '{noise}' | tr -d '();|\"'; echo"), "", "");
    broken("list", "echo '(sat)'", "answered `(sat)` to a check", "(sat)");
}

/// What was left of earlier answers is no answer to anything.
#[test]
fn a_solver_that_has_failed_answers_nothing_more() {
    let fake = Fake::new("later", "echo garbage; echo unsat; echo unsat; echo unsat");
    let mut solver = SmtlibSolver::start(&fake.command()).unwrap();
    assert!(matches!(solver.check(&[]), Err(Interrupt::Broken { .. })));
    for _ in 0..3 {
        assert!(matches!(solver.check(&[]), Err(Interrupt::Broken { .. })));
    }
}

#[test]
fn a_solver_that_cannot_be_started_is_an_error() {
    let Err(error) = SmtlibSolver::start("/nowhere/solver --fast").map(|_| ()) else { panic!("it started") };
    assert!(error.to_string().starts_with("/nowhere/solver --fast: cannot be started"), "{error}");
}

/// Whether the process whose number is in the file is alive.
fn is_alive(file: &Path) -> bool {
    let number = fs::read_to_string(file).unwrap();
    match fs::read_to_string(format!("/proc/{}/stat", number.trim())) {
        Ok(stat) => !stat.contains(") Z "),
        Err(_) => false,
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_solver_that_hangs_is_killed_with_its_children() {
    let fake = Fake::new("hang", "sleep 1000 & echo $! > child; wait");
    let started = Instant::now();
    assert_eq!(fake.check(), Err(Interrupt::Time));
    assert!(started.elapsed() < Duration::from_secs(5));
    std::thread::sleep(Duration::from_millis(100));
    assert!(!is_alive(&fake.folder.join("parent")));
    assert!(!is_alive(&fake.folder.join("child")));
}

/// Something that left the group of the solver is not killed with it, and holds its pipes.
#[test]
#[cfg(target_os = "linux")]
fn what_outlives_a_solver_holds_nobody_up() {
    for on_check in ["exit 3", "sleep 1000", "echo garbage; sleep 1000"] {
        let left = "setsid sh -c 'echo $$ > left; exec sleep 1000' & while [ ! -s left ]; do :; done";
        let fake = Fake::new("outlived", &format!("echo 'some words' >&2; {left}; {on_check}"));
        let started = Instant::now();
        let answer = fake.check();
        let took = started.elapsed();
        let left = fs::read_to_string(fake.folder.join("left")).unwrap();
        assert!(is_alive(&fake.folder.join("left")), "it left the group");
        std::process::Command::new("kill").args(["-9", left.trim()]).status().unwrap();
        assert!(took < Duration::from_secs(5), "{took:?}");
        match answer {
            Err(Interrupt::Time) => {}
            Err(Interrupt::Broken { output, .. }) => assert!(output.contains("some words"), "{output}"),
            other => panic!("{other:?}"),
        }
        assert!(!is_alive(&fake.folder.join("parent")));
    }
}

/// What is sent to a solver that does not read fills the pipe, and that must not hold anybody up.
#[test]
#[cfg(target_os = "linux")]
fn a_solver_that_does_not_read_is_killed_in_time() {
    let fake = Fake::new("deaf", "sleep 1000");
    let script = format!("cd '{}'; echo $$ > parent; sleep 1000", fake.folder.display());
    fs::write(fake.folder.join("solver.sh"), script).unwrap();
    let mut solver = SmtlibSolver::start(&fake.command()).unwrap();
    let started = Instant::now();
    solver.limit(Limits { deadline: Some(started + Duration::from_millis(300)), work: None });
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    for bound in 0..20_000 {
        let (x, bound) = (terms.var(x), terms.int(bound));
        let low = terms.le(bound, x);
        solver.assert(&terms, low, &Steps::start()).unwrap();
    }
    assert_eq!(solver.check(&[]), Err(Interrupt::Time));
    drop(solver);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(!is_alive(&fake.folder.join("parent")));
}

#[test]
#[cfg(target_os = "linux")]
fn an_interpolating_program_that_hangs_is_stopped_with_the_solver() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let (zero, now) = (terms.int(0), terms.var(x));
    let positive = terms.gt(now, zero);
    let stmts = [terms.assign(x, zero), terms.assume(positive)];
    let trace = Trace::of(&mut terms, &stmts).unwrap();
    let fake = Fake::new("itp-hang", "sleep 1000");
    let strategy: Strategy = format!("smtlib:{}", fake.command()).parse().unwrap();
    let mut solver = Z3Solver::new().unwrap();
    let mut interpolation = Interpolation::new(&solver, strategy).unwrap();
    let started = Instant::now();
    // By the deadline of the solver, by another thread, and by a deadline of its own.
    solver.limit(Limits { deadline: Some(started + Duration::from_millis(200)), work: None });
    let timed = interpolation.sequence(&mut terms, &trace);
    assert_eq!(timed.unwrap_err(), NoInterpolants::Interrupt(Interrupt::Time));
    solver.limit(Limits::default());
    let interrupter = solver.interrupter();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupter.interrupt();
    });
    let stopped = interpolation.sequence(&mut terms, &trace);
    assert!(
        matches!(stopped, Err(NoInterpolants::Interrupt(Interrupt::Stopped | Interrupt::Time))),
        "{stopped:?}"
    );
    thread.join().unwrap();
    solver.limit(Limits::default());
    interpolation.deadline = Some(Instant::now() + Duration::from_millis(200));
    let own = interpolation.sequence(&mut terms, &trace);
    assert_eq!(own.unwrap_err(), NoInterpolants::Interrupt(Interrupt::Time));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(!is_alive(&fake.folder.join("parent")));
}

#[test]
#[cfg(target_os = "linux")]
fn another_thread_stops_a_solver() {
    let fake = Fake::new("stop", "sleep 1000");
    let mut solver = SmtlibSolver::start(&fake.command()).unwrap();
    let interrupter = solver.interrupter();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupter.interrupt();
    });
    assert_eq!(solver.check(&[]), Err(Interrupt::Stopped));
    thread.join().unwrap();
    assert_eq!(solver.check(&[]), Err(Interrupt::Stopped));
    drop(solver);
    assert!(!is_alive(&fake.folder.join("parent")));
}

/// The program that came with the library, if one did.
fn real() -> Option<SmtlibSolver> {
    let program = smt::z3::library_info().unwrap().program.clone()?;
    Some(SmtlibSolver::start(&format!("{} -in", program.display())).unwrap())
}

#[test]
fn a_real_solver_answers_like_the_library() {
    let Some(mut solver) = real() else { return };
    let mut terms = Terms::new();
    let enumeration = terms.types.add_enum("E", vec!["A".into(), "B".into(), "C".into()]);
    let array = ir::ArrayType { index: Type::Int, element: Type::Rat, range: None };
    let array = terms.types.array(array);
    let types = [Type::Int, Type::Enum(enumeration), Type::Array(array), Type::Bool, Type::Rat];
    let vars: Vec<VarId> = types.iter().map(|ty| terms.declare(*ty)).collect();
    let now = Steps::start();
    solver.declare(vars[0], Some((ir::Int::from(-3), ir::Int::from(3))));
    let [x, e, a, b, r] = std::array::from_fn(|at| terms.var(vars[at]));

    // x % -2 == 1 and x / 2 == -2 only for x = -3.
    let (minus, two, one) = (terms.int(-2), terms.int(2), terms.int(1));
    let odd = terms.modulo(x, minus);
    let odd = terms.eq(odd, one);
    let half = terms.div(x, two);
    let half = terms.eq(half, minus);
    let lits = [odd, half].map(|term| solver.lit(&terms, term, &now).unwrap());
    let half_of_three = terms.constant(Value::rat("3/2".parse().unwrap()));
    let read = terms.read(a, x);
    let entry = terms.eq(read, half_of_three);
    let less = terms.lt(r, read);
    let literal = terms.constant(Value::Enum(enumeration, 2));
    let is = terms.eq(e, literal);
    let all = terms.and([entry, less, is, b]);
    solver.push().unwrap();
    solver.assert(&terms, all, &now).unwrap();
    assert_eq!(solver.check(&lits), Ok(Answer::Sat));
    assert_eq!(solver.truth(lits[0]), Ok(Some(true)));
    assert_eq!(solver.value(&terms, x, &now), Ok(Value::int(-3)));
    assert_eq!(solver.value(&terms, e, &now), Ok(Value::Enum(enumeration, 2)));
    assert_eq!(solver.value(&terms, b, &now), Ok(Value::Bool(true)));
    let Ok(Value::Array(found)) = solver.value(&terms, a, &now) else { panic!("an array") };
    assert_eq!(found.read(&Value::int(-3)).as_rat(), "3/2".parse().unwrap());
    solver.pop().unwrap();

    let three = terms.int(3);
    let large = terms.eq(x, three);
    let large = solver.lit(&terms, large, &now).unwrap();
    assert_eq!(solver.check(&[lits[0], large, lits[1]]), Ok(Answer::Unsat));
    let core = solver.core().unwrap();
    assert_eq!(services::minimise(&mut solver, &[], core, 10).unwrap().len(), 2);
    let mut values = vec![];
    services::all_values(&mut solver, &mut terms, &[lits[0]], &[x], &now, &mut |list| {
        values.push(list[0].clone());
        true
    })
    .unwrap();
    values.sort();
    assert_eq!(values, [-3, -1, 1, 3].map(Value::int));

    // What the solver has not heard of has a value too, within its range.
    let new = terms.declare(Type::Int);
    solver.declare(new, Some((ir::Int::from(5), ir::Int::from(9))));
    assert_eq!(solver.check(&[lits[0], lits[1]]), Ok(Answer::Sat));
    let new = terms.var(new);
    let sum = terms.add([new, x]);
    assert_eq!(solver.value(&terms, new, &now), Ok(Value::int(5)));
    assert_eq!(solver.value(&terms, sum, &now), Ok(Value::int(2)));
    assert_eq!(solver.value(&terms, x, &now), Ok(Value::int(-3)));
}

#[test]
fn interpolants_come_over_a_pipe_and_wrong_ones_are_refused() {
    let mut terms = Terms::new();
    let x = terms.declare(Type::Int);
    let (zero, now) = (terms.int(0), terms.var(x));
    let positive = terms.gt(now, zero);
    let stmts = [terms.assign(x, zero), terms.assume(positive)];
    let trace = Trace::of(&mut terms, &stmts).unwrap();
    let solver = Z3Solver::new().unwrap();
    let mut answer = |name: &str, interpolant: &str| {
        // The marks of both questions come back.
        let reply = format!(
            "echo unsat; read -r line; echo question-1; read -r line; echo '({interpolant})'; read -r line; \
             echo question-2"
        );
        let fake = Fake::new(name, &reply);
        let strategy: Strategy = format!("smtlib:{}", fake.command()).parse().unwrap();
        Interpolation::new(&solver, strategy).unwrap().sequence(&mut terms, &trace)
    };
    let right = answer("itp-right", "(let ((y (+ VarId0@1 1))) (<= y 1))").unwrap();
    assert_eq!(right.sequence.len(), 3);
    let wrong = [
        "(<= VarId0@1 5)",
        "(exists ((z Int)) true)",
        "(and VarId0@1 3)",
        "(<= true VarId0@1)",
        "(select VarId0@1 0)",
        "(store VarId0@1 0 0)",
        "(ite 1 2 3)",
        "(not 3)",
        "(distinct)",
        "(= true 1)",
        "(+)",
        "(- )",
        "(+ VarId0@1 1)",
        "VarId0@1",
        "VarId0@7",
        "(= (/ VarId0@1 2) 0)",
        "(= (mod VarId0@1 0) 0)",
        "(let ((y)) y)",
        "()",
        "",
        "true false",
    ];
    for (at, wrong) in wrong.into_iter().enumerate() {
        let result = answer(&format!("itp-wrong-{at}"), wrong);
        assert!(matches!(result, Err(NoInterpolants::Failed(_))), "{wrong}: {result:?}");
    }
}

#[test]
fn limits_stop_the_library_too() {
    // Pigeons in too few holes keep it busy for as long as anybody likes.
    let mut terms = Terms::new();
    let holes = 12;
    let pigeons: Vec<Vec<Term>> = (0..=holes)
        .map(|_| {
            let vars: Vec<VarId> = (0..holes).map(|_| terms.declare(Type::Bool)).collect();
            vars.into_iter().map(|var| terms.var(var)).collect()
        })
        .collect();
    let mut solver = Z3Solver::new().unwrap();
    for (at, pigeon) in pigeons.iter().enumerate() {
        let somewhere = terms.or(pigeon.iter().copied());
        solver.assert(&terms, somewhere, &Steps::start()).unwrap();
        for (here, there) in pigeons[..at].iter().flat_map(|other| pigeon.iter().zip(other)) {
            let both = terms.and([*here, *there]);
            let alone = terms.not(both);
            solver.assert(&terms, alone, &Steps::start()).unwrap();
        }
    }
    solver.limit(Limits { deadline: None, work: Some(50_000) });
    assert_eq!(solver.check(&[]), Err(Interrupt::Budget));
    let started = Instant::now();
    solver.limit(Limits { deadline: Some(started + Duration::from_millis(300)), work: None });
    assert_eq!(solver.check(&[]), Err(Interrupt::Time));
    assert!(started.elapsed() >= Duration::from_millis(300), "the limit of work is gone");
    let interrupter = solver.interrupter();
    solver.limit(Limits::default());
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupter.interrupt();
    });
    assert_eq!(solver.check(&[]), Err(Interrupt::Stopped));
    thread.join().unwrap();
    assert_eq!(solver.check(&[]), Err(Interrupt::Stopped));
}
