//! Local zones: sets of valuations of reference clocks and stamps, as difference bound matrices.
//!
//! Only differences matter, so there is no row for zero; the rows of the reference clocks come first, then those of the
//! stamps. Matrices are closed, as in [`zones::dbm`], which has their layout. Stamps are never ahead of the reference
//! clock at their home.

use zones::{Bound, Overflow, dbm};

/// Lets any time pass for one reference clock, whoever else is there: what bounds it from above goes. The matrix stays
/// closed, as every way over the row is infinite then.
pub(super) fn elapse(zone: &mut [Bound], dim: usize, reference: usize) {
    let row = dbm::at(dim, reference, 0);
    zone[row..row + dim].fill(Bound::INFINITY);
    zone[row + reference] = Bound::LE_ZERO;
}

/// Sets a stamp to `value` before another number.
pub(super) fn set(
    zone: &mut [Bound],
    dim: usize,
    stamp: usize,
    from: usize,
    value: i64,
) -> Result<(), Overflow> {
    if stamp == from {
        return Ok(());
    }
    let (less, more) = (Bound::le(-value)?, Bound::le(value)?);
    for j in 0..dim {
        zone[dbm::at(dim, stamp, j)] = zone[dbm::at(dim, from, j)].plus(less).checked()?;
        zone[dbm::at(dim, j, stamp)] = zone[dbm::at(dim, j, from)].plus(more).checked()?;
    }
    zone[dbm::at(dim, stamp, stamp)] = Bound::LE_ZERO;
    Ok(())
}

/// Forgets a stamp: it is not ahead of the reference clock at its home, and nothing else is known. Then nothing that
/// happens later can make a bound of it grow.
pub(super) fn forget(zone: &mut [Bound], dim: usize, stamp: usize, home: usize) {
    let row = dbm::at(dim, home, 0);
    zone.copy_within(row..row + dim, dbm::at(dim, stamp, 0));
    for j in 0..dim {
        zone[dbm::at(dim, j, stamp)] = Bound::INFINITY;
    }
    zone[dbm::at(dim, stamp, stamp)] = Bound::LE_ZERO;
}

/// The ordinary zone of the valuations at which all reference clocks are equal; `false` if there are none.
///
/// Equal numbers are one node of the constraint graph, `t`, that is as near to each other one as the nearest of them. A
/// shortest way passes it at most once, so that one look at every pair is enough, and there is a negative cycle exactly
/// if there is one from `t` to itself. A clock is `t - x̃`: rows and columns change places. `from` is memory for a row.
pub(super) fn sync(
    local: &[Bound],
    references: usize,
    from: &mut Vec<Bound>,
    out: &mut [Bound],
    dim: usize,
) -> bool {
    let clocks = dim - 1;
    let all = references + clocks;
    let row = |i: usize| &local[dbm::at(all, i, 0)..][..all];
    from.clear();
    from.extend_from_slice(row(0));
    for reference in 1..references {
        for (least, bound) in from.iter_mut().zip(row(reference)) {
            *least = (*least).min(*bound);
        }
    }
    if from[..references].iter().any(|bound| *bound < Bound::LE_ZERO) {
        return false;
    }
    let stride = dbm::stride(dim);
    out[..dbm::len(dim)].fill(Bound::INFINITY);
    out[0] = Bound::LE_ZERO;
    for x in 0..clocks {
        let row = row(references + x);
        let to = row[..references].iter().copied().min().expect("there is a process");
        out[(x + 1) * stride] = from[references + x];
        out[x + 1] = to;
        for (y, (bound, from)) in row[references..].iter().zip(&from[references..]).enumerate() {
            out[(y + 1) * stride + x + 1] = (*bound).min(to.plus(*from));
        }
    }
    dbm::assert_well_formed(&out[..dbm::len(dim)], dim);
    true
}

/// A zone that waits, in half the bytes if its bounds are small.
pub(super) enum Packed {
    Small(Box<[i16]>),
    Large(Box<[Bound]>),
}

impl Packed {
    pub(super) fn new(zone: &[Bound]) -> Self {
        let small = |bound: &Bound| match bound.is_infinite() {
            true => Some(i16::MAX),
            false => i16::try_from(bound.code()).ok().filter(|code| *code < i16::MAX),
        };
        match zone.iter().map(small).collect() {
            Some(small) => Packed::Small(small),
            None => Packed::Large(zone.into()),
        }
    }
    pub(super) fn unpack(&self, out: &mut [Bound]) {
        match self {
            Packed::Small(small) => {
                for (out, code) in out.iter_mut().zip(small) {
                    *out = match *code {
                        i16::MAX => Bound::INFINITY,
                        code => Bound::from_code(code.into()),
                    };
                }
            }
            Packed::Large(zone) => out.copy_from_slice(zone),
        }
    }
    pub(super) fn bytes(&self) -> usize {
        match self {
            Packed::Small(small) => size_of_val(&**small),
            Packed::Large(zone) => size_of_val(&**zone),
        }
    }
}
