//! A solver process: questions in, expressions out, and a certain end.
//!
//! A process is the leader of a group of its own, so that what it starts ends with it. That also means
//! that nothing ends it when this program is left without unwinding: [`end_all`] does, and comes before
//! every such exit.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;
use crate::smtlib::sexpr::Splitter;

/// Longer answers are garbage.
const LONGEST: usize = 64 << 20;
/// How many lines of output are kept for messages.
const LINES: usize = 8;
/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// How long the end of a process and of what it wrote is waited for. Only something that left the group
/// and holds the pipes, or a process that the system cannot end, takes this long.
const END: Duration = Duration::from_millis(500);

/// The processes that are running.
static RUNNING: Mutex<Running> = Mutex::new(Running { ids: vec![], over: false });

struct Running {
    ids: Vec<u32>,
    /// Whether no more may be started.
    over: bool,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all solver processes of this program and what they started, and lets no more be started. For
/// just before the program is left while solvers may be at work in other threads.
pub fn end_all() {
    let mut running = running();
    running.over = true;
    running.ids.drain(..).for_each(kill_group);
}

fn kill_group(leader: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// A running solver. When this is dropped, the process and everything in its group are gone.
pub struct Process {
    command: String,
    /// Texts to be written; a process that does not read holds up only the thread behind this.
    input: Option<Sender<String>>,
    answers: Receiver<Said>,
    last: Arc<Mutex<VecDeque<String>>>,
    killer: Killer,
    /// Disconnected once the threads that read have read everything.
    read: Receiver<()>,
    /// Whether it has failed, or was given up; then nothing that it said or says is an answer.
    failed: Cell<bool>,
    /// Whether somebody else wants this to end.
    pub unwanted: Option<Box<dyn Fn() -> bool>>,
}

enum Said {
    Expression(String),
    TooLong,
}

/// Ends a process from any thread.
#[derive(Clone)]
pub struct Killer(Arc<Mutex<Option<Child>>>);

impl Killer {
    /// Whether the process has ended by itself. It is not waited for, so its number stays its own.
    fn has_ended(&self) -> bool {
        let child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(child) = &*child else { return true };
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            id.is_some_and(|id| matches!(waitid(WaitId::Pid(id), options), Ok(Some(_))))
        }
        #[cfg(not(unix))]
        {
            let _ = child;
            false
        }
    }
    /// Kills the process and what it started, and waits for its end.
    pub fn kill(&self) {
        let Some(mut child) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        // Until it is waited for, its number is its own.
        running().ids.retain(|id| *id != child.id());
        kill_group(child.id());
        let _ = child.kill();
        let late = Instant::now() + END;
        while matches!(child.try_wait(), Ok(None)) {
            if Instant::now() > late {
                // The system has not ended it yet; somebody has to wait for it all the same.
                std::thread::spawn(move || child.wait());
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Process {
    /// Starts a command, given as a program and its arguments separated by spaces.
    pub fn start(command: &str) -> Result<Process, Interrupt> {
        let broken = |problem: String| Interrupt::Broken {
            solver: command.to_owned(),
            problem,
            output: String::new(),
        };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| broken("the command is empty".into()))?;
        let mut builder = Command::new(program);
        builder.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = {
            let mut running = running();
            if running.over {
                return Err(Interrupt::Stopped);
            }
            let child = builder.spawn().map_err(|error| broken(format!("cannot be started: {error}")))?;
            running.ids.push(child.id());
            child
        };
        let stdin = child.stdin.take();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let killer = Killer(Arc::new(Mutex::new(Some(child))));
        let last = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, answers) = channel();
        let (reading, read) = channel::<()>();
        let (input, texts) = channel::<String>();
        if let Some(mut stdin) = stdin {
            std::thread::spawn(move || {
                for text in texts {
                    if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(output) = output {
            let (last, reading) = (last.clone(), reading.clone());
            std::thread::spawn(move || {
                let _reading = reading;
                let mut splitter = Splitter::default();
                for byte in BufReader::new(output).bytes().map_while(Result::ok) {
                    let said = if splitter.waiting() > LONGEST {
                        Said::TooLong
                    } else if let Some(text) = splitter.push(byte) {
                        remember(&last, &text);
                        Said::Expression(text)
                    } else {
                        continue;
                    };
                    if sender.send(said).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(errors) = errors {
            let last = last.clone();
            std::thread::spawn(move || {
                let _reading = reading;
                BufReader::new(errors).lines().map_while(Result::ok).for_each(|line| remember(&last, &line));
            });
        }
        let (command, input) = (command.to_owned(), Some(input));
        Ok(Process { command, input, answers, last, killer, read, failed: Cell::new(false), unwanted: None })
    }
    /// What ends the process.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }
    /// Sends text, without waiting for it to be read.
    pub fn send(&mut self, text: &str) -> Result<(), Interrupt> {
        match &self.input {
            Some(input) if !self.failed.get() && input.send(format!("{text}\n")).is_ok() => Ok(()),
            _ => Err(self.broken("has ended")),
        }
    }
    /// The next expression.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<String, Interrupt> {
        if self.failed.get() {
            return Err(self.broken("has failed before"));
        }
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // What it started may keep its output open after its end.
            let ended = self.killer.has_ended();
            match self.answers.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok(Said::Expression(text)) => return Ok(text),
                Ok(Said::TooLong) => return Err(self.broken("wrote an answer without end")),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broken("has ended")),
                Err(RecvTimeoutError::Timeout) if ended => return Err(self.broken("has ended")),
                Err(RecvTimeoutError::Timeout) => {
                    if self.unwanted.as_ref().is_some_and(|unwanted| unwanted()) {
                        self.failed.set(true);
                        self.killer.kill();
                        return Err(Interrupt::Stopped);
                    }
                    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                        self.failed.set(true);
                        self.killer.kill();
                        return Err(Interrupt::Time);
                    }
                }
            }
        }
    }
    /// Ends the process and waits until all that it wrote has been read.
    fn end(&self) {
        self.killer.kill();
        // Nobody sends anything: this ends when both readers have. One that does not is left to itself.
        let _ = self.read.recv_timeout(END);
    }
    /// The error for a process that does not behave as a solver; it is ended.
    pub fn broken(&self, problem: &str) -> Interrupt {
        self.failed.set(true);
        self.end();
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let output = last.iter().cloned().collect::<Vec<_>>().join("\n");
        Interrupt::Broken { solver: self.command.clone(), problem: problem.to_owned(), output }
    }
}

fn remember(last: &Mutex<VecDeque<String>>, line: &str) {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == LINES {
        last.pop_front();
    }
    last.push_back(line.chars().take(400).collect());
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.end();
    }
}
