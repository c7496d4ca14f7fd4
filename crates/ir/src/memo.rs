//! Memos: what terms became, while one of them is rewritten.
//!
//! Terms are numbered, so a table by number does without hashing. It serves one rewriting after the other: each has a
//! stamp of its own, and only entries that carry it count, so that nothing is cleared in between.

use rustc_hash::FxHashMap;

use crate::id::Id;
use crate::term::Term;

/// How many rewritings within each other have tables; those within them hash, so that a deep nest needs little memory.
const MOST_TABLES: usize = 4;

/// What the distinct parts of one term became.
#[derive(Debug)]
pub(crate) enum Memo {
    /// By number: the stamp of the rewriting above, the result below.
    Table { stamp: u32, entries: Vec<u64> },
    /// By hash.
    Map(FxHashMap<Term, Term>),
}

impl Memo {
    pub(crate) fn get(&self, term: Term) -> Option<Term> {
        match self {
            Memo::Table { stamp, entries } => {
                let entry = *entries.get(term.index())?;
                (entry >> 32 == u64::from(*stamp)).then(|| Term::at((entry & u64::from(u32::MAX)) as usize))
            }
            Memo::Map(map) => map.get(&term).copied(),
        }
    }
    pub(crate) fn insert(&mut self, term: Term, result: Term) {
        match self {
            Memo::Table { stamp, entries } => {
                let at = term.index();
                if at >= entries.len() {
                    entries.resize((at + 1).next_power_of_two(), 0);
                }
                entries[at] = u64::from(*stamp) << 32 | result.index() as u64;
            }
            Memo::Map(map) => drop(map.insert(term, result)),
        }
    }
}

/// The tables that are not in use. There are none before the first rewriting, nor in a copy of terms.
#[derive(Debug, Default)]
pub(crate) struct Memos(Option<Box<Free>>);

#[derive(Debug, Default)]
struct Free {
    tables: Vec<Memo>,
    /// How many memos are in use.
    taken: usize,
}

impl Memos {
    /// An empty memo; it is to be given back.
    pub(crate) fn take(&mut self) -> Memo {
        let free = self.0.get_or_insert_default();
        free.taken += 1;
        match free.tables.pop() {
            Some(Memo::Table { stamp, entries }) if stamp < u32::MAX => {
                Memo::Table { stamp: stamp + 1, entries }
            }
            _ if free.taken > MOST_TABLES => Memo::Map(FxHashMap::default()),
            _ => Memo::Table { stamp: 1, entries: vec![] },
        }
    }
    pub(crate) fn give_back(&mut self, memo: Memo) {
        let free = self.0.get_or_insert_default();
        free.taken = free.taken.saturating_sub(1);
        if matches!(memo, Memo::Table { .. }) {
            free.tables.push(memo);
        }
    }
}

impl Clone for Memos {
    fn clone(&self) -> Self {
        Memos::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memos in any number at once, each of which knows what was put into it and nothing of those before.
    #[test]
    fn memos_know_what_is_theirs() {
        let mut memos = Memos::default();
        for round in 0..3 {
            let mut open: Vec<Memo> = (0..2 * MOST_TABLES).map(|_| memos.take()).collect();
            for (nth, memo) in open.iter_mut().enumerate() {
                assert!((0..100).all(|at| memo.get(Term::at(at)).is_none()), "round {round}, memo {nth}");
                memo.insert(Term::at(7 * nth), Term::at(nth));
                memo.insert(Term::at(99), Term::at(round));
            }
            for (nth, memo) in open.into_iter().enumerate() {
                assert_eq!(memo.get(Term::at(7 * nth)), Some(Term::at(nth)));
                assert_eq!(memo.get(Term::at(99)), Some(Term::at(round)));
                assert_eq!(memo.get(Term::at(98)), None);
                memos.give_back(memo);
            }
        }
        let free = memos.0.unwrap();
        assert_eq!((free.taken, free.tables.len()), (0, MOST_TABLES));
    }
}
