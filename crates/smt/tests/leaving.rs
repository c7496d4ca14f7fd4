//! Leaving the program ends all solver processes for good, so its test is a program of its own.
#![cfg(target_os = "linux")]

extern crate thetis_smt as smt;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use smt::smtlib::{SmtlibSolver, end_all};
use smt::{Interrupt, Solver};

fn is_alive(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn no_process_is_left_behind() {
    let folder = std::env::temp_dir().join(format!("thetis-leaving-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let script = folder.join("solver.sh");
    let text = format!("cd '{}'; sleep 1000 & echo $! > child; echo $$ > parent; wait", folder.display());
    fs::write(&script, text).unwrap();
    let command = format!("sh {}", script.display());
    let mut solver = SmtlibSolver::start(&command).unwrap();
    let numbers = ["parent", "child"].map(|name| wait_for(&folder.join(name)));
    assert!(numbers.iter().all(|number| is_alive(number)));
    end_all();
    let started = Instant::now();
    while numbers.iter().any(|number| is_alive(number)) {
        assert!(started.elapsed() < Duration::from_secs(10), "{numbers:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The solver notices, and there are no new ones.
    assert!(matches!(solver.check(&[]), Err(Interrupt::Broken { .. })));
    assert_eq!(SmtlibSolver::start(&command).map(|_| ()), Err(Interrupt::Stopped));
    fs::remove_dir_all(folder).unwrap();
}

fn wait_for(file: &Path) -> String {
    let started = Instant::now();
    loop {
        match fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(started.elapsed() < Duration::from_secs(10), "it does not start"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
