//! Two configurations at a time, each in a thread of its own.
//!
//! The first answer to the last open question ends it all: it is passed on at once, and the other thread is
//! told to stop but not waited for. It may be within one long operation, say a product of huge numbers, that
//! looks at nothing. So threads share what they work on ([`Arc`]) instead of borrowing it, and whoever leaves
//! the program ends the processes of their solvers. Without such an answer both threads are waited for, so
//! that each has told why it stopped.

use std::panic::resume_unwind;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::{Questions, Turns};
use crate::answer::Reason;
use crate::cause::InternalError;
use crate::config::Config;
use crate::observer::{Attempt, Observer, Progress};
use crate::several::Answered;
use crate::stop::Stop;

/// The stack of a thread that searches.
const STACK: usize = 64 << 20;

/// Answers what is open by two configurations at a time.
pub(super) fn search(
    turns: Turns,
    questions: &Questions,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    let mut unanswered = turns.open.len();
    let inner = Arc::new(Stop::new());
    let relayed = inner.clone();
    // The reason is asked of `stop` itself in the end.
    let _listening = stop.listen(move || relayed.request(Reason::Interrupted));
    let shared = Arc::new(Shared { turns: Mutex::new(turns), running: Mutex::default(), stop: inner });
    let (send, receive) = channel();
    let mut threads: Vec<JoinHandle<()>> = vec![];
    for number in 0..2 {
        let (mine, questions, send) = (shared.clone(), questions.clone(), send.clone());
        let work = move || work(number, &mine, questions, &send);
        match std::thread::Builder::new().stack_size(STACK).spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                let mut turns = shared.turns();
                let reason = InternalError::NoThread(error.to_string()).into();
                let configuration = turns.limits.clone();
                turns.attempts.push(Attempt { configuration, reason, states: 0 });
            }
        }
    }
    drop(send);
    // Ends when both threads have, if not before.
    for message in receive {
        match message {
            Message::Progress(progress) => observer.progress(&progress),
            Message::Turn(before, now) => observer.turn(&before, &now),
            Message::Answered(found) => {
                unanswered -= found.questions.len();
                tell(*found);
                if unanswered == 0 {
                    return;
                }
            }
        }
    }
    for thread in threads {
        thread.join().unwrap_or_else(|panic| resume_unwind(panic));
    }
    let mut turns = shared.turns();
    if stop.requested() {
        // The threads were told only that they are to stop.
        let told = turns.attempts.iter_mut().filter(|attempt| attempt.reason == Reason::Interrupted);
        told.for_each(|attempt| attempt.reason = stop.reason());
    }
    turns.left(stop).into_iter().for_each(tell);
}

/// What both threads know.
struct Shared {
    turns: Mutex<Turns>,
    /// Whose turn it is, by thread.
    running: Mutex<[Option<Config>; 2]>,
    stop: Arc<Stop>,
}

impl Shared {
    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Notes whose turn it is, and lists both.
    fn runs(&self, number: usize, config: Config) -> Vec<Config> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running[number] = Some(config);
        running.iter().flatten().cloned().collect()
    }
}

/// One configuration after the other, until somebody has answered or all have been asked.
fn work(number: usize, shared: &Shared, mut questions: Questions, send: &Sender<Message>) {
    let stop = &*shared.stop;
    let _fuse = Fuse(stop);
    let mut observer = Relay(send.clone());
    while !stop.requested() {
        let (next, mut open, before) = {
            let mut turns = shared.turns();
            (turns.next(), turns.open.clone(), turns.attempts.clone())
        };
        let Some((config, round)) = next else { return };
        observer.turn(&before, &shared.runs(number, config.clone()));
        let mut tell = |found: Answered| {
            let mut turns = shared.turns();
            let found = turns.answered(&config, found);
            let over = turns.open.is_empty();
            drop(turns);
            // Nobody listens any more only when everything is over.
            found.into_iter().for_each(|found| drop(send.send(Message::Answered(Box::new(found)))));
            if over {
                // Only now: a solver that computes with huge numbers keeps whoever interrupts it waiting.
                stop.request(Reason::Overtaken);
            }
        };
        let mut failed = questions.ask((&config, round), &mut open, stop, &mut observer, &mut tell);
        if stop.requested() {
            // Whoever is stopped did not fail by itself.
            failed.iter_mut().for_each(|(_, reason, _)| *reason = stop.reason());
        }
        shared.turns().failed(config, round, failed);
    }
}

/// Stops the other thread if this one panics; whoever waits for both passes the panic on.
struct Fuse<'a>(&'a Stop);

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.request(Reason::Overtaken);
        }
    }
}

/// What a thread that searches has to say.
enum Message {
    Progress(Progress),
    Turn(Vec<Attempt>, Vec<Config>),
    Answered(Box<Answered>),
}

/// Hands progress to the thread that shows it.
struct Relay(Sender<Message>);

impl Observer for Relay {
    fn progress(&mut self, progress: &Progress) {
        // Nobody listens any more only when everything is over.
        let _ = self.0.send(Message::Progress(progress.clone()));
    }
    fn turn(&mut self, before: &[Attempt], now: &[Config]) {
        let _ = self.0.send(Message::Turn(before.to_vec(), now.to_vec()));
    }
}
