//! The program as people run it: arguments and files in, first line, exit code and text out.

mod all;
mod bad_input;
mod bounded;
mod cegar;
mod check;
mod doctor;
mod evidence;
mod invariant;
mod limits;
mod manual;
mod simulate;
#[cfg(target_os = "linux")]
mod stopping;
mod temporal;
mod theta;
mod timed;
mod timed_xsts;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of its own for one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Dir {
        std::fs::write(self.0.join(name), content).unwrap();
        self
    }
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thetis"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }
    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::new(self.command(arguments).output().unwrap())
    }
    /// The same with lines on stdin.
    fn type_in(&self, arguments: &[&str], lines: &str) -> Ran {
        use std::io::Write;
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        Ran::new(child.wait_with_output().unwrap())
    }
}

/// What a run of the program left.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn new(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
    fn first(&self) -> &str {
        self.out.lines().next().unwrap_or("")
    }
    #[track_caller]
    fn expect(&self, code: i32, first: &str) -> &Ran {
        assert_eq!((self.code, self.first()), (code, first), "{self:#?}");
        self
    }
    /// Bad input: exit 2, nothing on stdout, a message with these words, no panic.
    #[track_caller]
    fn refused(&self, words: &[&str]) -> &Ran {
        assert_eq!((self.code, self.out.as_str()), (2, ""), "{self:#?}");
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }
    /// A question that is not supported: exit 3, a line that says so, and these words in it or on stderr.
    #[track_caller]
    fn unsupported(&self, words: &[&str]) -> &Ran {
        assert_eq!((self.code, self.out.lines().count()), (3, 1), "{self:#?}");
        assert!(self.out.starts_with("unknown (unsupported: "), "{self:#?}");
        for word in words {
            assert!(self.out.contains(word) || self.err.contains(word), "no `{word}` in {self:#?}");
        }
        self
    }
}

/// The text with the times replaced, which differ each time.
fn timeless(text: &str) -> String {
    let steady = |line: &str| match line.split_once("; search ") {
        Some((numbers, _)) => format!("{numbers}; search …\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(steady).collect()
}

/// A counter that goes up to five and starts again.
const COUNTER: &str = "\
type Mode : { Up, Reset }
ctrl var mode : Mode = Up
var n : integer = 0
trans {
    assume mode == Up && n < 5;
    n := n + 1;
} or {
    assume mode == Up && n == 5;
    mode := Reset;
} or {
    assume mode == Reset;
    n := 0;
    mode := Up;
}
init { }
env { }
prop { n <= 5 }
";

/// Never ends; the remainder keeps the counter from being cut off.
const ENDLESS: &str = "var n : integer = 0\ntrans { n := n + 1 + n % 2; }\nprop { n >= 0 }\n";

/// Divides by zero in its third step.
const DIVISION: &str = "\
var n : integer = 1
var q : integer = 0
trans {
    q := 10 / n;
    n := n - 1;
}
init { }
env { }
prop { q <= 10 }
";

/// Where the examples and documents of the project are.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
