//! Pairwise testing: covering arrays of strength two.
//!
//! A *covering array* is a list of combinations in which every two values of two different options that can meet do so
//! at least once. What goes wrong because of one option, or of two that do not get along, shows in some row, and the
//! list is a small part of all combinations. The generator is greedy: it takes the row with most pairs that have not
//! met so far, which of several by chance, and drops rows that became needless; the best of some tries is kept. Seeds are
//! fixed, so the array is the same each time.
//!
//! [`lower_bound`] is how many rows every array needs: the rows fall apart by the value of one option, and in each part
//! every pair of values of two options that occurs in no other part needs a row of its own.

use std::collections::{BTreeSet, HashSet};

use crate::error::Error;

/// For each option the number of its value; `None` where the option is left out.
pub type Row = Vec<Option<u8>>;

/// The legal combinations of options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// How many values each option has.
    sizes: Vec<usize>,
    /// The combinations, in lexical order.
    pub rows: Vec<Row>,
}

/// More combinations than this, legal or not, are not looked at.
pub const MAX_COMBINATIONS: u128 = 4_000_000;

impl Space {
    /// The combinations that are `taken`, without those in which an option is left out that could be there.
    ///
    /// # Errors
    /// If there are too many.
    pub fn new(sizes: &[usize], mut taken: impl FnMut(&Row) -> bool) -> Result<Space, Error> {
        let combinations = sizes.iter().map(|size| *size as u128 + 1).product();
        let large = sizes.iter().any(|size| *size > usize::from(u8::MAX));
        if combinations > MAX_COMBINATIONS || large {
            return Err(Error::TooMany { combinations, most: MAX_COMBINATIONS });
        }
        let mut legal: Vec<Row> = vec![];
        let mut row: Row = vec![None; sizes.len()];
        loop {
            if taken(&row) {
                legal.push(row.clone());
            }
            // The next row: like a number whose last digit changes first.
            let Some(at) = (0..sizes.len()).rev().find(|at| next(row[*at], sizes[*at]).is_some()) else {
                break;
            };
            row[at] = next(row[at], sizes[at]);
            row[at + 1..].fill(None);
        }
        let known: HashSet<&Row> = legal.iter().collect();
        let could_be_more = |row: &Row| {
            (0..sizes.len()).filter(|at| row[*at].is_none()).any(|at| {
                let mut more = row.clone();
                (0..sizes[at]).any(|value| {
                    more[at] = u8::try_from(value).ok();
                    known.contains(&more)
                })
            })
        };
        let rows = legal.iter().filter(|row| !could_be_more(row)).cloned().collect();
        Ok(Space { sizes: sizes.to_vec(), rows })
    }
    /// Values of all options, numbered in a row.
    fn numbers(&self) -> (Vec<usize>, usize) {
        let mut first = vec![];
        let mut count = 0;
        for size in &self.sizes {
            first.push(count);
            count += size;
        }
        (first, count)
    }
    /// The pairs of values of each row, as numbers below the square of the number of values. A value meets itself, so
    /// that it occurs.
    fn pairs(&self, rows: &[Row]) -> (Vec<Vec<u32>>, usize) {
        let (first, count) = self.numbers();
        let of = |row: &Row| {
            let values: Vec<usize> = row
                .iter()
                .zip(&first)
                .filter_map(|(value, first)| Some(first + usize::from((*value)?)))
                .collect();
            let later = |at: usize| values[at..].iter().map(move |other| (at, *other));
            let pairs = (0..values.len()).flat_map(|at| later(at).collect::<Vec<_>>());
            pairs.map(|(at, other)| u32::try_from(values[at] * count + other).unwrap_or(u32::MAX)).collect()
        };
        (rows.iter().map(of).collect(), count)
    }
}

fn next(value: Option<u8>, size: usize) -> Option<u8> {
    let next = value.map_or(0, |value| value + 1);
    (usize::from(next) < size).then_some(next)
}

/// How many arrays are tried.
const TRIES: u64 = 12;

/// A covering array of all legal combinations.
pub fn cover(space: &Space) -> Vec<Row> {
    let (pairs, count) = space.pairs(&space.rows);
    let tries = (0..TRIES).map(|seed| attempt(&pairs, count, seed));
    let best = tries.min_by_key(Vec::len).unwrap_or_default();
    best.into_iter().map(|at| space.rows[at].clone()).collect()
}

/// One greedy array, as numbers of rows.
fn attempt(pairs: &[Vec<u32>], count: usize, seed: u64) -> Vec<usize> {
    // How many rows of the array have each pair; pairs that cannot meet count as met.
    let mut met = vec![u32::MAX; count * count];
    pairs.iter().flatten().for_each(|pair| met[*pair as usize] = 0);
    let mut chosen = vec![];
    let mut chance = seed;
    loop {
        let (mut best, mut most, mut equal) = (0, 0, 0);
        for (at, row) in pairs.iter().enumerate() {
            let gain = row.iter().filter(|pair| met[**pair as usize] == 0).count();
            if gain > most {
                (best, most, equal) = (at, gain, 1);
            } else if gain == most && gain > 0 && seed > 0 {
                // Of several that gain as much, each is as likely.
                equal += 1;
                chance =
                    chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if (chance >> 33).is_multiple_of(equal) {
                    best = at;
                }
            }
        }
        if most == 0 {
            break;
        }
        pairs[best].iter().for_each(|pair| met[*pair as usize] += 1);
        chosen.push(best);
    }
    // What later rows cover as well need not stay.
    let mut kept = vec![];
    for at in chosen {
        match pairs[at].iter().all(|pair| met[*pair as usize] > 1) {
            true => pairs[at].iter().for_each(|pair| met[*pair as usize] -= 1),
            false => kept.push(at),
        }
    }
    kept
}

/// Two values that can meet and do not in these rows: numbers of options with numbers of values.
pub fn uncovered(space: &Space, rows: &[Row]) -> Option<[(usize, usize); 2]> {
    let (all, count) = space.pairs(&space.rows);
    let met: BTreeSet<u32> = space.pairs(rows).0.into_iter().flatten().collect();
    let missing = all.into_iter().flatten().find(|pair| !met.contains(pair))? as usize;
    let (first, _) = space.numbers();
    let named = |number: usize| {
        let option = first.iter().rposition(|first| *first <= number).unwrap_or(0);
        (option, number - first[option])
    };
    Some([named(missing / count), named(missing % count)])
}

/// A number of rows that no covering array falls below; it knows nothing of how arrays are made.
pub fn lower_bound(space: &Space) -> usize {
    let options = 0..space.sizes.len();
    options.clone().map(|option| parts_bound(space, option)).max().unwrap_or(0)
}

/// Where pairs of values were seen: with no value of an option, with one, or with several.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Seen {
    Nowhere,
    With(usize),
    Anywhere,
}

/// How many rows there are at least, counted for each value of an option by itself (the last count is of rows without
/// the option): the most pairs of two options that occur with this value only.
fn parts_bound(space: &Space, option: usize) -> usize {
    let absent = space.sizes[option];
    let mut bounds = vec![0; absent + 1];
    for one in 0..space.sizes.len() {
        for other in one..space.sizes.len() {
            let mut seen = vec![Seen::Nowhere; space.sizes[one] * space.sizes[other]];
            for row in &space.rows {
                let (Some(a), Some(b)) = (row[one], row[other]) else { continue };
                let part = row[option].map_or(absent, usize::from);
                let place = &mut seen[usize::from(a) * space.sizes[other] + usize::from(b)];
                *place = match *place {
                    Seen::Nowhere => Seen::With(part),
                    Seen::With(known) if known == part => Seen::With(part),
                    _ => Seen::Anywhere,
                };
            }
            for (part, bound) in bounds.iter_mut().enumerate() {
                *bound = seen.iter().filter(|it| **it == Seen::With(part)).count().max(*bound);
            }
        }
    }
    bounds.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair that occurs in the space, looked for one by one.
    fn covers(space: &Space, rows: &[Row]) -> bool {
        let meets = |row: &Row, one: (usize, u8), other: (usize, u8)| {
            row[one.0] == Some(one.1) && row[other.0] == Some(other.1)
        };
        let options = space.sizes.len();
        (0..options).all(|one| {
            (0..options).all(|other| {
                let values = |option: usize| 0..u8::try_from(space.sizes[option]).unwrap();
                values(one).all(|a| {
                    values(other).all(|b| {
                        let here = |row: &Row| meets(row, (one, a), (other, b));
                        !space.rows.iter().any(here) || rows.iter().any(here)
                    })
                })
            })
        })
    }

    #[test]
    fn arrays_cover_every_pair_and_are_near_the_bound() {
        // Four options of three values: the smallest array is known to have nine rows.
        let space = Space::new(&[3, 3, 3, 3], |row| row.iter().all(Option::is_some)).unwrap();
        let rows = cover(&space);
        assert!(covers(&space, &rows) && uncovered(&space, &rows).is_none());
        assert_eq!(lower_bound(&space), 9);
        assert!((9..=11).contains(&rows.len()), "{}", rows.len());
        assert!(rows.iter().all(|row| space.rows.contains(row)));
    }

    #[test]
    fn an_option_is_left_out_only_where_it_must_be() {
        // The second option goes with the first value of the first one only.
        let space = Space::new(&[2, 2], |row| row[1].is_none() || row[0] == Some(0)).unwrap();
        assert_eq!(space.rows, [vec![Some(0), Some(0)], vec![Some(0), Some(1)], vec![Some(1), None]]);
        assert_eq!(cover(&space).len(), 3, "every value occurs");
        assert_eq!(lower_bound(&space), 3);
    }

    #[test]
    fn a_pair_that_does_not_meet_is_named() {
        let space = Space::new(&[2, 2], |row| row.iter().all(Option::is_some)).unwrap();
        let rows = vec![vec![Some(0), Some(0)], vec![Some(0), Some(1)], vec![Some(1), Some(1)]];
        assert_eq!(uncovered(&space, &rows), Some([(0, 1), (1, 0)]));
    }

    #[test]
    fn too_many_combinations_are_refused() {
        assert!(matches!(Space::new(&[100, 100, 100, 100], |_| true), Err(Error::TooMany { .. })));
    }

    proptest::proptest! {
        #![proptest_config(sampling::runs(60, 22))]
        /// Random spaces with random refusals of pairs: everything that can meet does, and no array is below the bound.
        #[test]
        fn random_spaces_are_covered(
            sizes in proptest::collection::vec(1_usize..4, 2..5),
            refused in proptest::collection::vec(((0_usize..5, 0_u8..4), (0_usize..5, 0_u8..4)), 0..6),
        ) {
            let has = |row: &Row, (option, value): (usize, u8)| row.get(option) == Some(&Some(value));
            let space = Space::new(&sizes, |row| {
                !refused.iter().any(|(one, other)| one.0 != other.0 && has(row, *one) && has(row, *other))
            }).unwrap();
            let rows = cover(&space);
            proptest::prop_assert!(covers(&space, &rows));
            proptest::prop_assert!(uncovered(&space, &rows).is_none());
            proptest::prop_assert!(lower_bound(&space) <= rows.len());
        }
    }
}
