//! The hot loops, over whole rows of eight lanes, and the choice of instruction set at run time.
//!
//! Each loop is written once, over vectors of eight integers ([`lanes`]), and compiled twice: for AVX2,
//! and for any processor. Rows are padded to a multiple of eight bounds with infinity (see
//! [`crate::dbm`]), so that there are no remainders. The obvious twins are in [`crate::slow`].

#![allow(unsafe_code, reason = "AVX2 instructions, used after the check that they exist")]

mod lanes;

use crate::bound::Bound;

/// Bounds handled at once.
pub(crate) const LANES: usize = 8;
type Lane = [Bound; LANES];

/// How closing a matrix ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// The matrix is closed and not empty.
    Closed,
    /// The matrix is empty, its contents mean nothing.
    Empty,
    /// A bound left its range, the contents mean nothing.
    Overflow,
}

/// Some rows of a matrix. Rows beyond the capacity are always in the set.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct RowSet(u128);

impl RowSet {
    pub(crate) const fn none() -> RowSet {
        RowSet(0)
    }
    #[inline(always)]
    pub(crate) fn insert(&mut self, row: usize) {
        self.0 |= 1u128.checked_shl(row as u32).unwrap_or(0);
    }
    /// Whether no row below `dim` is in the set.
    pub(crate) fn is_empty(self, dim: usize) -> bool {
        self.0 == 0 && dim <= 128
    }
    /// The rows from `start` to before `end`.
    #[inline(always)]
    fn within(self, start: usize, end: usize) -> impl Iterator<Item = usize> {
        let below = |limit: usize| 1u128.checked_shl(limit as u32).unwrap_or(0).wrapping_sub(1);
        let mut bits = self.0 & below(end) & !below(start);
        let small = std::iter::from_fn(move || {
            let row = bits.trailing_zeros() as usize;
            let any = bits != 0;
            bits &= bits.wrapping_sub(1);
            any.then_some(row)
        });
        small.chain(start.max(128)..end)
    }
}

/// Defines each kernel as a function that runs the loop of that name, for AVX2 where it exists.
macro_rules! kernels {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $($(#[$doc])*
        #[inline]
        pub(crate) fn $name($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn with_avx2($($arg: $type),*) $(-> $result)? {
                    loops::$name::<lanes::Avx2>($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the only requirement of the function is AVX2, which was just detected.
                    return unsafe { with_avx2($($arg),*) };
                }
            }
            loops::$name::<[i32; LANES]>($($arg),*)
        })*
    };
}

kernels! {
    /// Adds `x_i - x_j ≺ bound`, which must not empty the zone; false if a bound left its range.
    fn tighten(zone: &mut [Bound], dim: usize, i: usize, j: usize, bound: Bound) -> bool;
    /// Floyd and Warshall's algorithm.
    fn close(zone: &mut [Bound], dim: usize) -> Closing;
    /// Closes a matrix of which all rows outside `rows` are final.
    fn close_rows(zone: &mut [Bound], dim: usize, rows: RowSet) -> Closing;
    /// Whether every bound of `small` is at most that of `big`.
    fn includes(big: &[Bound], small: &[Bound]) -> bool;
    /// Takes the lesser of all bounds.
    fn minimum(zone: &mut [Bound], other: &[Bound]);
    /// Takes the greater of all bounds.
    fn maximum(zone: &mut [Bound], other: &[Bound]);
    /// The bounds of the past, from those of the columns.
    fn down(zone: &mut [Bound], dim: usize);
    /// ExtraLU without closing; see `LuBounds` for the limits. The rows that need closing.
    fn extra_lu(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> RowSet;
    /// ExtraLU+, closed; see `LuBounds` for the limits. False if a bound left its range.
    fn extra_lu_plus(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool;
    /// Whether `small` is in the LU-abstraction of `big`; see `LuBounds` for the limits.
    fn lu_covers(big: &[Bound], small: &[Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool;
    /// A hash of all bounds.
    fn hash(zone: &[Bound]) -> u64;
    /// The least and greatest finite bounds, zero included, as integers.
    fn extremes(zone: &[Bound]) -> (i32, i32);
    /// Narrows bounds; finite ones above the range become `most`, those below its lower end.
    fn narrow_i8(zone: &[Bound], most: i8, out: &mut [i8]);
    /// Narrows bounds; finite ones above the range become `most`, those below its lower end.
    fn narrow_i16(zone: &[Bound], most: i16, out: &mut [i16]);
    /// The opposite of narrowing, for bounds that fitted.
    fn widen_i8(narrow: &[i8], out: &mut [Bound]);
    /// The opposite of narrowing, for bounds that fitted.
    fn widen_i16(narrow: &[i16], out: &mut [Bound]);
    /// Whether every element of `small` is at most that of `big`.
    fn at_most_i8(small: &[i8], big: &[i8]) -> bool;
    /// Whether every element of `small` is at most that of `big`.
    fn at_most_i16(small: &[i16], big: &[i16]) -> bool;
}

/// The loops themselves, inlined into the functions that [`kernels`] compiles.
mod loops {
    use super::lanes::Lanes;
    use super::{Bound, Closing, LANES, Lane, RowSet};

    const INF: i32 = Bound::INFINITY.0;
    /// Of the sum of a bound and this, bit 30 is clear exactly if the bound is in range or infinite: in
    /// range the sum is in [0, 2³⁰); infinity wraps around to the bits 100…; and anything else that a sum
    /// of two or three bounds in range can give starts with 01 or 11.
    const RANGE: i32 = 1 << 29;

    /// From this many lanes per row on, rows that cannot change are skipped.
    const WIDE: usize = 3;
    /// The lanes of a pivot that are kept in registers.
    const HELD: usize = 4;

    /// Calls `body` with the lanes per row, as a constant where rows are short.
    macro_rules! by_width {
        ($dim:expr, $width:ident => $body:expr) => {
            match $dim.div_ceil(LANES) {
                1 => {
                    let $width = 1;
                    $body
                }
                2 => {
                    let $width = 2;
                    $body
                }
                3 => {
                    let $width = 3;
                    $body
                }
                4 => {
                    let $width = 4;
                    $body
                }
                $width => $body,
            }
        };
    }

    #[inline(always)]
    fn lanes(zone: &[Bound]) -> &[Lane] {
        zone.as_chunks().0
    }

    #[inline(always)]
    fn lanes_mut(zone: &mut [Bound]) -> &mut [Lane] {
        zone.as_chunks_mut().0
    }

    #[inline(always)]
    fn in_range<V: Lanes>(seen: V) -> bool {
        !seen.meets(V::splat(1 << 30))
    }

    /// The row of a pivot, in registers if it is short.
    struct Pivot<'a, V> {
        row: &'a [Lane],
        /// The first lanes, and where they are infinite.
        held: [(V, V); HELD],
    }

    impl<'a, V: Lanes> Pivot<'a, V> {
        #[inline(always)]
        fn new(row: &'a [Lane]) -> Self {
            let mut held = [(V::splat(INF), V::splat(-1)); HELD];
            for (held, lane) in held.iter_mut().zip(row) {
                let lane = V::load(lane);
                *held = (lane, lane.equal(V::splat(INF)));
            }
            Pivot { row, held }
        }
        /// `row := min(row, through + bound + pivot)`; `seen` collects sums with [`RANGE`].
        #[inline(always)]
        fn relax(&self, row: &mut [Lane], through: Bound, bound: Bound, seen: &mut V) {
            // `2c + (b & !1)` is the sum with a strict bound, `2c + b` the sum with a weak one. All of it
            // happens in vectors; infinities are too irregular to branch on them.
            let (infinity, even) = (V::splat(INF), V::splat(!1));
            let through = V::splat(through.0);
            let blocked = through.equal(infinity);
            let through = through.and(V::splat(!1 | bound.0)).plus(V::splat(bound.0 & !1));
            let (base, keep) = (through.and(even), through.or(even));
            // Written twice, since a closure might not be inlined into code for AVX2.
            if self.row.len() <= HELD {
                for (lane, (step, infinite)) in row.iter_mut().zip(self.held) {
                    let sum = infinite.or(blocked).select(infinity, step.and(keep).plus(base));
                    let least = V::load(lane).min(sum);
                    *seen = seen.or(least.plus(V::splat(RANGE)));
                    least.store(lane);
                }
            } else {
                for (lane, step) in row.iter_mut().zip(self.row) {
                    let step = V::load(step);
                    let infinite = step.equal(infinity);
                    let sum = infinite.or(blocked).select(infinity, step.and(keep).plus(base));
                    let least = V::load(lane).min(sum);
                    *seen = seen.or(least.plus(V::splat(RANGE)));
                    least.store(lane);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn tighten<V: Lanes>(
        zone: &mut [Bound],
        dim: usize,
        i: usize,
        j: usize,
        bound: Bound,
    ) -> bool {
        by_width!(dim, width => {
            // The row of j stays: the way from j to i and back over the new bound is not negative.
            let (before, rest) = lanes_mut(zone)[..dim * width].split_at_mut(j * width);
            let (pivot, after) = rest.split_at_mut(width);
            let pivot = Pivot::<V>::new(pivot);
            let mut seen = V::splat(0);
            for rows in [before, after] {
                for row in rows.chunks_exact_mut(width) {
                    let through = row.as_flattened()[i];
                    // A row changes only if its bound on j does.
                    if width < WIDE || through.plus(bound) < row.as_flattened()[j] {
                        pivot.relax(row, through, bound, &mut seen);
                    }
                }
            }
            in_range(seen)
        })
    }

    #[inline(always)]
    pub(super) fn close<V: Lanes>(zone: &mut [Bound], dim: usize) -> Closing {
        #[inline(always)]
        fn negative(zone: &[Bound], dim: usize) -> bool {
            let stride = dim.next_multiple_of(LANES);
            (0..dim).any(|i| zone[i * stride + i] < Bound::LE_ZERO)
        }
        by_width!(dim, width => {
            for k in 0..dim {
                let (before, rest) = lanes_mut(zone)[..dim * width].split_at_mut(k * width);
                let (pivot, after) = rest.split_at_mut(width);
                let pivot = Pivot::<V>::new(pivot);
                let mut seen = V::splat(0);
                for rows in [before, after] {
                    for row in rows.chunks_exact_mut(width) {
                        let through = row.as_flattened()[k];
                        if width < WIDE || !through.is_infinite() {
                            pivot.relax(row, through, Bound::LE_ZERO, &mut seen);
                        }
                    }
                }
                // With a negative cycle bounds may double in each round, so look in each round.
                if !in_range(seen) {
                    return if negative(zone, dim) { Closing::Empty } else { Closing::Overflow };
                }
            }
            if negative(zone, dim) { Closing::Empty } else { Closing::Closed }
        })
    }

    #[inline(always)]
    pub(super) fn close_rows<V: Lanes>(zone: &mut [Bound], dim: usize, set: RowSet) -> Closing {
        by_width!(dim, width => {
            let rows = &mut lanes_mut(zone)[..dim * width];
            let mut seen = V::splat(0);
            for k in 0..dim {
                let (before, rest) = rows.split_at_mut(k * width);
                let (pivot, after) = rest.split_at_mut(width);
                let pivot = Pivot::<V>::new(pivot);
                for (start, end, rows) in [(0, k, before), (k + 1, dim, after)] {
                    for i in set.within(start, end) {
                        let row = &mut rows[(i - start) * width..][..width];
                        let through = row.as_flattened()[k];
                        if width < WIDE || !through.is_infinite() {
                            pivot.relax(row, through, Bound::LE_ZERO, &mut seen);
                        }
                    }
                }
            }
            if in_range(seen) { Closing::Closed } else { Closing::Overflow }
        })
    }

    #[inline(always)]
    pub(super) fn includes<V: Lanes>(big: &[Bound], small: &[Bound]) -> bool {
        let ((big, big_rest), (small, small_rest)) = (big.as_chunks::<16>(), small.as_chunks::<16>());
        let exceeds = |big: &Lane, small: &Lane| V::load(small).above(V::load(big));
        for (big, small) in big.iter().zip(small) {
            let ([big, big_two], [small, small_two]) = (lanes(big), lanes(small)) else { unreachable!() };
            if exceeds(big, small).or(exceeds(big_two, small_two)).any() {
                return false;
            }
        }
        lanes(big_rest).iter().zip(lanes(small_rest)).all(|(big, small)| !exceeds(big, small).any())
    }

    #[inline(always)]
    pub(super) fn minimum<V: Lanes>(zone: &mut [Bound], other: &[Bound]) {
        for (lane, other) in lanes_mut(zone).iter_mut().zip(lanes(other)) {
            V::load(lane).min(V::load(other)).store(lane);
        }
    }

    #[inline(always)]
    pub(super) fn maximum<V: Lanes>(zone: &mut [Bound], other: &[Bound]) {
        for (lane, other) in lanes_mut(zone).iter_mut().zip(lanes(other)) {
            V::load(lane).max(V::load(other)).store(lane);
        }
    }

    #[inline(always)]
    pub(super) fn down<V: Lanes>(zone: &mut [Bound], dim: usize) {
        by_width!(dim, width => {
            let (past, rows) = lanes_mut(zone)[..dim * width].split_at_mut(width);
            for (w, past) in past.iter_mut().enumerate() {
                let zero = V::splat(Bound::LE_ZERO.0);
                rows.chunks_exact(width).fold(zero, |least, row| least.min(V::load(&row[w]))).store(past);
            }
            let past = past.as_flattened_mut();
            past[0] = Bound::LE_ZERO;
            past[dim..].fill(Bound::INFINITY);
        })
    }

    #[inline(always)]
    pub(super) fn extra_lu<V: Lanes>(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> RowSet {
        let mut changed = RowSet::none();
        by_width!(dim, width => {
            let upper = &upper.as_chunks::<LANES>().0[..width];
            for (i, row) in lanes_mut(zone)[..dim * width].chunks_exact_mut(width).enumerate() {
                let limit = V::splat(lower[i]);
                let most = V::splat(if i == 0 { Bound::LE_ZERO.0 } else { INF });
                let mut differs = V::splat(0);
                for (lane, upper) in row.iter_mut().zip(upper) {
                    let (old, upper) = (V::load(lane), V::load_raw(upper));
                    let raised = upper.above(old).select(upper.min(most), old);
                    let new = old.above(limit).select(V::splat(INF), raised);
                    differs = differs.or(old.xor(new));
                    new.store(lane);
                }
                // The diagonal may have been the only change; closing again does no harm.
                row.as_flattened_mut()[i] = Bound::LE_ZERO;
                if differs.any() {
                    changed.insert(i);
                }
            }
        });
        changed
    }

    #[inline(always)]
    pub(super) fn extra_lu_plus<V: Lanes>(
        zone: &mut [Bound],
        dim: usize,
        lower: &[i32],
        upper: &[i32],
    ) -> bool {
        // Call `k` high if its lower bound exceeds `U_k`, and far if it exceeds `L_k`. Afterwards a far
        // `k` has no bound to lead on, and only zero leads to a high one, where nothing is gained over
        // the bounds from zero, which stay. So the only useful pivots are zero, for the bounds on high
        // clocks, and the near ones, for rows that lost a bound `c_ij > L_i` on another clock.
        let (mut near, mut torn) = (RowSet::none(), RowSet::none());
        let mut seen = V::splat(0);
        by_width!(dim, width => {
            let upper = &upper.as_chunks::<LANES>().0[..width];
            let (zero, rows) = lanes_mut(zone)[..dim * width].split_at_mut(width);
            let mut any_torn = false;
            for (i, row) in (1..).zip(rows.chunks_exact_mut(width)) {
                let (limit, least) = (lower[i], zero.as_flattened()[i].0);
                if limit == i32::MIN || least < 1 - limit {
                    row.as_flattened_mut().fill(Bound::INFINITY);
                } else {
                    let mut lost = V::splat(0);
                    for ((lane, zero), upper) in row.iter_mut().zip(zero.iter()).zip(upper) {
                        let old = V::load(lane);
                        let high = V::load_raw(upper).above(V::load(zero));
                        let above = old.above(V::splat(limit));
                        above.or(high).select(V::splat(INF), old).store(lane);
                        // Lost are those that were finite, on clocks that are not high.
                        lost = lost.or(high.select(V::splat(0), above.and(V::splat(INF).above(old))));
                    }
                    if lost.any() {
                        torn.insert(i);
                        any_torn = true;
                    }
                    if least >= upper.as_flattened()[i] {
                        near.insert(i);
                    }
                }
                row.as_flattened_mut()[i] = Bound::LE_ZERO;
            }
            let mut any_high = V::splat(0);
            for (lane, upper) in zero.iter_mut().zip(upper) {
                let (old, upper) = (V::load(lane), V::load_raw(upper));
                let high = upper.above(old);
                high.select(upper.min(V::splat(Bound::LE_ZERO.0)), old).store(lane);
                any_high = any_high.or(high);
            }
            if any_torn {
                for k in near.within(1, dim) {
                    let (before, rest) = rows.split_at_mut((k - 1) * width);
                    let (pivot, after) = rest.split_at_mut(width);
                    let pivot = Pivot::<V>::new(pivot);
                    for (start, end, rows) in [(1, k, before), (k + 1, dim, after)] {
                        for i in torn.within(start, end) {
                            let row = &mut rows[(i - start) * width..][..width];
                            let through = row.as_flattened()[k];
                            if width < WIDE || !through.is_infinite() {
                                pivot.relax(row, through, Bound::LE_ZERO, &mut seen);
                            }
                        }
                    }
                }
            }
            if any_high.any() {
                let pivot = Pivot::<V>::new(zero);
                for row in rows.chunks_exact_mut(width) {
                    let through = row.as_flattened()[0];
                    if width < WIDE || !through.is_infinite() {
                        pivot.relax(row, through, Bound::LE_ZERO, &mut seen);
                    }
                }
            }
            in_range(seen)
        })
    }

    #[inline(always)]
    pub(super) fn lu_covers<V: Lanes>(
        big: &[Bound],
        small: &[Bound],
        dim: usize,
        lower: &[i32],
        upper: &[i32],
    ) -> bool {
        by_width!(dim, width => {
            let upper = &upper.as_chunks::<LANES>().0[..width];
            let zero = &lanes(small)[..width];
            let rows = lanes(big)[..dim * width].chunks_exact(width).zip(lanes(small).chunks_exact(width));
            rows.zip(lower).filter(|(_, limit)| **limit != i32::MIN).all(|((big, small), limit)| {
                let mut witness = V::splat(0);
                for (((big, small), zero), upper) in big.iter().zip(small).zip(zero).zip(upper) {
                    let (big, small, zero) = (V::load(big), V::load(small), V::load(zero));
                    let sum = big.and(V::splat(!1)).plus(V::splat(1 - limit));
                    let relevant = zero.above(V::load_raw(upper));
                    witness = witness.or(relevant.and(small.above(big)).and(zero.above(sum)));
                }
                !witness.any()
            })
        })
    }

    #[inline(always)]
    pub(super) fn hash<V: Lanes>(zone: &[Bound]) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        // Two chains, because a multiplication takes long.
        let (mut even, mut odd) = (V::load_raw(&[1, 2, 3, 4, 5, 6, 7, 8]), V::splat(9));
        let mut pairs = lanes(zone).chunks_exact(2);
        for pair in &mut pairs {
            even = even.mix(V::load(&pair[0]), 0x1e37_79b1);
            odd = odd.mix(V::load(&pair[1]), 0x2c1b_3c6d);
        }
        for last in pairs.remainder() {
            even = even.mix(V::load(last), 0x1e37_79b1);
        }
        let mut state = [Bound::LE_ZERO; LANES];
        even.mix(odd, 0x297a_2d39).store(&mut state);
        let (pairs, _) = state.as_chunks::<2>();
        pairs.iter().fold(zone.len() as u64, |hash, [low, high]| {
            let pair = u64::from(low.0 as u32) << 32 | u64::from(high.0 as u32);
            let mixed = (hash ^ pair).wrapping_mul(FACTOR);
            mixed ^ mixed >> 29
        })
    }

    #[inline(always)]
    pub(super) fn extremes<V: Lanes>(zone: &[Bound]) -> (i32, i32) {
        let (mut least, mut most) = (V::splat(0), V::splat(0));
        for lane in lanes(zone) {
            let lane = V::load(lane);
            least = least.min(lane);
            most = most.max(lane.equal(V::splat(INF)).select(V::splat(0), lane));
        }
        let (mut low, mut high) = ([Bound::LE_ZERO; LANES], [Bound::LE_ZERO; LANES]);
        least.store(&mut low);
        most.store(&mut high);
        let low = low.iter().fold(0, |least, bound| least.min(bound.0));
        (low, high.iter().fold(0, |most, bound| most.max(bound.0)))
    }

    /// Loops over narrow bounds: finite ones lie strictly between the ends of the integer, the upper
    /// end is infinity. They are plain, so that the compiler chooses how to convert.
    macro_rules! narrow_loops {
        ($type:ty, $narrow:ident, $widen:ident, $at_most:ident) => {
            #[inline(always)]
            pub(super) fn $narrow<V: Lanes>(zone: &[Bound], most: $type, out: &mut [$type]) {
                const ENDS: (i32, i32) = (<$type>::MIN as i32, <$type>::MAX as i32);
                for (out, bound) in out.iter_mut().zip(zone) {
                    let word = bound.0.clamp(ENDS.0, ENDS.1) as $type;
                    let top = if bound.0 == INF { <$type>::MAX } else { most };
                    *out = if bound.0 >= ENDS.1 { top } else { word };
                }
            }

            #[inline(always)]
            pub(super) fn $widen<V: Lanes>(narrow: &[$type], out: &mut [Bound]) {
                for (out, narrow) in out.iter_mut().zip(narrow) {
                    let wide = i32::from(*narrow);
                    out.0 = if *narrow == <$type>::MAX { INF } else { wide };
                }
            }

            #[inline(always)]
            pub(super) fn $at_most<V: Lanes>(small: &[$type], big: &[$type]) -> bool {
                for (small, big) in small.chunks(64).zip(big.chunks(64)) {
                    let mut exceeds = false;
                    for (small, big) in small.iter().zip(big) {
                        exceeds |= small > big;
                    }
                    if exceeds {
                        return false;
                    }
                }
                true
            }
        };
    }
    narrow_loops!(i8, narrow_i8, widen_i8, at_most_i8);
    narrow_loops!(i16, narrow_i16, widen_i16, at_most_i16);
}

#[cfg(test)]
mod tests;
