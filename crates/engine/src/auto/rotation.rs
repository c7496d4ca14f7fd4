//! Searches that take turns: each is paused when its share of work is done, and goes on where it was.
//!
//! Nobody knows beforehand who is quick, so in round r everybody may have done [`UNIT`] · share · [`GROWTH`]^r of work in
//! all. Work is counted by the searches ([`Stop::spend`]) in a unit that means the same to all of them, and never by a
//! clock: the same model gets the same answer from the same engine on any machine. If the best of k members with equal
//! shares needs work w, the others have done at most k · [`GROWTH`] · w by then; since they are resumed, what they did is never
//! repeated.
//!
//! Every search has a thread of its own, but only one of them runs at a time; a paused one sleeps within
//! [`Stop::spend`] and keeps its memory. Above [`KEPT`], only the member with the largest share does: others end, and
//! begin again in the next round, which costs them a third more at most.
//!
//! Whoever says why more would not help is out. What was answered by one is not asked of the others any more: they
//! begin again with what is open, for which the system is smaller.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::{Failed, Questions, timed};
use crate::answer::Reason;
use crate::cause::InternalError;
use crate::config::Config;
use crate::observer::{Attempt, Observer, Progress, Statistics};
use crate::several::Answered;
use crate::stop::{Listening, Stop};

/// What a member with a share of one may do in the first round: some hundredths of a second.
const UNIT: u64 = 10_000_000;
/// How much more everybody may have done after the next round.
const GROWTH: u64 = 4;
/// Above so much work, a search that is paused gives its memory back.
const KEPT: u64 = 2_000_000_000;
/// The stack of a thread that searches.
const STACK: usize = 64 << 20;
/// A question to a solver that was too much work may be this many times as much the next time.
const HARDER: u32 = 8;

/// Somebody who is asked.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) config: Config,
    /// How much of the work is for it.
    pub(super) share: u64,
    /// The rounds in which it is asked.
    pub(super) rounds: std::ops::RangeInclusive<u32>,
}

/// What was done, and by whom.
#[derive(Default)]
pub(super) struct Record {
    /// Those who gave up, and why.
    pub(super) attempts: Vec<Attempt>,
    /// What the last one of them did.
    pub(super) last: Statistics,
}

impl Record {
    fn note(&mut self, config: &Config, reason: Reason, statistics: Statistics) {
        // Only the last word of each counts.
        self.attempts.retain(|other| !other.is_of(config));
        self.attempts.push(Attempt { states: statistics.states, reason, configuration: config.clone() });
        self.last = statistics;
    }
}

/// Why the turns are over.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Over {
    /// Everything is answered, or somebody asked to stop.
    Done,
    /// So much work was to be done and no more.
    Spent,
    /// More would help nobody.
    Exhausted,
}

/// Asks `members` in turn about what is open, for as much work as is given in all.
pub(super) fn take_turns(
    questions: &Questions,
    members: Vec<Member>,
    open: &mut Vec<usize>,
    most: Option<u64>,
    record: &mut Record,
    (stop, observer): (&Stop, &mut dyn Observer),
    tell: &mut dyn FnMut(&Config, &Record, Answered),
) -> Over {
    let (send, receive) = channel();
    let largest = members.iter().map(|member| member.share).max().unwrap_or_default();
    let limits = &questions.config;
    let seats =
        members.into_iter().map(|member| Seat { member, spent: 0, search: None, ended: false }).collect();
    let mut table = Table { seats, questions, stop, begun: 0, send, receive };
    let over = (|| {
        for round in 0.. {
            for at in 0..table.seats.len() {
                if !table.seats[at].waits(round) {
                    continue;
                }
                let alone = table.seats.iter().filter(|seat| seat.waits(u32::MAX)).count() == 1;
                let seat = &mut table.seats[at];
                let budget = match alone && most.is_none() {
                    true => u64::MAX,
                    false => {
                        UNIT.saturating_mul(seat.member.share).saturating_mul(GROWTH.saturating_pow(round))
                    }
                };
                seat.spent = budget;
                observer.turn(&record.attempts, std::slice::from_ref(&seat.member.config));
                let failed = table.turn(at, budget, open, observer, &mut |config, found| {
                    tell(config, record, found);
                });
                let seat = &mut table.seats[at];
                if open.is_empty() || stop.requested() {
                    if let Some((_, reason, statistics)) = failed.into_iter().flatten().next() {
                        let reason = if stop.requested() { stop.reason() } else { reason };
                        record.note(&seat.member.config, reason, statistics);
                    }
                    return Over::Done;
                }
                if let Some(failed) = failed {
                    seat.ended = true;
                    if let Some((_, reason, statistics)) = failed.into_iter().next() {
                        // Another answer may have made the rest easier.
                        seat.ended = !seat.member.may_ask_more(&reason, limits);
                        record.note(&seat.member.config, reason, statistics);
                    }
                } else if budget >= KEPT && seat.member.share < largest {
                    table.dismiss(at, true);
                }
                let spent = table.seats.iter().fold(0u64, |sum, seat| sum.saturating_add(seat.spent));
                if most.is_some_and(|most| spent >= most) {
                    return Over::Spent;
                }
            }
            table.seats.iter_mut().for_each(|seat| seat.ended |= *seat.member.rounds.end() <= round);
            if table.seats.iter().all(|seat| seat.ended) {
                break;
            }
            for at in 0..table.seats.len() {
                if table.seats[at].ended {
                    table.dismiss(at, true);
                }
            }
        }
        Over::Exhausted
    })();
    // Those who lose are told, and not waited for.
    (0..table.seats.len()).for_each(|at| table.dismiss(at, false));
    over
}

impl Member {
    /// Whether questions to solvers that were too much work may be more from now on.
    fn may_ask_more(&mut self, reason: &Reason, limits: &Config) -> bool {
        let Some(now) = self.config.work_limit.filter(|_| *reason == Reason::Work) else { return false };
        let more = now.saturating_mul(HARDER).min(limits.work_limit.unwrap_or(u32::MAX));
        self.config.work_limit = Some(more);
        more > now
    }
}

/// Where a member sits.
struct Seat<'a> {
    member: Member,
    /// What it was allowed.
    spent: u64,
    /// Its search, while that is paused.
    search: Option<Search<'a>>,
    /// Whether it is not asked any more.
    ended: bool,
}

impl Seat<'_> {
    /// Whether it is to be asked in a round, or in any if that is the last there can be.
    fn waits(&self, round: u32) -> bool {
        !self.ended && (round == u32::MAX || self.member.rounds.contains(&round))
    }
}

/// A search in a thread of its own.
struct Search<'a> {
    id: u64,
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
    /// What it was asked.
    open: Vec<usize>,
    _listening: Listening<'a>,
}

/// Who takes turns, and how they are heard.
struct Table<'a> {
    seats: Vec<Seat<'a>>,
    questions: &'a Questions,
    stop: &'a Stop,
    /// How many searches have begun.
    begun: u64,
    send: Sender<(u64, Message)>,
    receive: Receiver<(u64, Message)>,
}

/// What a search has to say.
enum Message {
    Progress(Progress),
    Answered(Box<Answered>),
    /// Its work is done for now.
    Paused,
    /// It is over, and that is why what is open still is.
    Ended(Failed),
    Panicked,
}

impl<'a> Table<'a> {
    /// Lets a member do so much work in all; how it failed, if it ended.
    fn turn(
        &mut self,
        at: usize,
        budget: u64,
        open: &mut Vec<usize>,
        observer: &mut dyn Observer,
        tell: &mut dyn FnMut(&Config, Answered),
    ) -> Option<Failed> {
        if self.seats[at].search.as_ref().is_some_and(|search| search.open != *open) {
            self.dismiss(at, true);
        }
        let mine = match &self.seats[at].search {
            Some(search) => {
                search.stop.grant(budget);
                search.id
            }
            None => match self.begin(at, budget, open) {
                Ok(search) => self.seats[at].search.insert(search).id,
                Err(error) => {
                    let reason = InternalError::NoThread(error.to_string()).into();
                    return Some(vec![(open.clone(), reason, Statistics::default())]);
                }
            },
        };
        loop {
            let (from, message) = self.receive.recv().expect("the table keeps a sender");
            match message {
                // Somebody who was told to end.
                _ if from != mine => {}
                Message::Progress(progress) => observer.progress(&progress),
                Message::Paused => return None,
                Message::Answered(mut found) => {
                    found.questions.retain(|question| open.contains(question));
                    open.retain(|question| !found.questions.contains(question));
                    if !found.questions.is_empty() {
                        tell(&self.seats[at].member.config, *found);
                    }
                    if open.is_empty() {
                        return None;
                    }
                }
                Message::Ended(failed) => {
                    self.seats[at].search = None;
                    return Some(failed);
                }
                Message::Panicked => {
                    let search = self.seats[at].search.take().expect("it has just spoken");
                    search.thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                }
            }
        }
    }
    fn begin(&mut self, at: usize, budget: u64, open: &[usize]) -> std::io::Result<Search<'a>> {
        self.begun += 1;
        let (id, send, paused) = (self.begun, self.send.clone(), self.send.clone());
        // Nobody listens any more only when everything is over.
        let stop = Arc::new(Stop::with_turns(move || drop(paused.send((id, Message::Paused)))));
        let (mine, relayed) = (stop.clone(), stop.clone());
        // The reason is asked of the table's in the end.
        let listening = self.stop.listen(move || relayed.request(Reason::Interrupted));
        stop.grant(budget);
        let (mut questions, config) = (self.questions.clone(), self.seats[at].member.config.clone());
        let mut asked = open.to_vec();
        let work = move || {
            let _fuse = Fuse(id, &send);
            let mut tell = |found| drop(send.send((id, Message::Answered(Box::new(found)))));
            let failed =
                timed::ask(&mut questions, &config, &mut asked, &mine, &mut Relay(id, &send), &mut tell);
            let _ = send.send((id, Message::Ended(failed)));
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
        Ok(Search { id, stop, thread, open: open.to_vec(), _listening: listening })
    }
    /// Ends a search, and waits for that if somebody else needs its memory.
    fn dismiss(&mut self, at: usize, waits: bool) {
        let Some(search) = self.seats[at].search.take() else { return };
        search.stop.request(Reason::Overtaken);
        if waits {
            search.thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    }
}

/// Tells the table if the thread panics.
struct Fuse<'a>(u64, &'a Sender<(u64, Message)>);

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.1.send((self.0, Message::Panicked));
        }
    }
}

/// Hands progress to the thread that shows it.
struct Relay<'a>(u64, &'a Sender<(u64, Message)>);

impl Observer for Relay<'_> {
    fn progress(&mut self, progress: &Progress) {
        let _ = self.1.send((self.0, Message::Progress(progress.clone())));
    }
}
