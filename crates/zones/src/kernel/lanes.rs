//! Vectors of eight integers, with AVX2 instructions and without.

use super::{LANES, Lane};
use crate::bound::Bound;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

/// A vector of integers. Masks have all bits of a lane set, or none.
pub(super) trait Lanes: Copy {
    fn load(lane: &Lane) -> Self;
    fn load_raw(lane: &[i32; LANES]) -> Self;
    fn store(self, lane: &mut Lane);
    fn splat(value: i32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// The mask of lanes that are equal.
    fn equal(self, other: Self) -> Self;
    /// The mask of lanes that are greater than those of `other`.
    fn above(self, other: Self) -> Self;
    /// The lanes of `yes` where this mask is set, and of `no` elsewhere.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Whether any bit is set in both.
    fn meets(self, other: Self) -> bool;
    /// One step of a hash: rotated by 5 bits, combined, and multiplied.
    fn mix(self, other: Self, factor: i32) -> Self;

    /// Whether any bit is set.
    #[inline(always)]
    fn any(self) -> bool {
        self.meets(self)
    }
}

impl Lanes for [i32; LANES] {
    #[inline(always)]
    fn load(lane: &Lane) -> Self {
        lane.map(|bound| bound.0)
    }
    #[inline(always)]
    fn load_raw(lane: &[i32; LANES]) -> Self {
        *lane
    }
    #[inline(always)]
    fn store(self, lane: &mut Lane) {
        *lane = self.map(Bound);
    }
    #[inline(always)]
    fn splat(value: i32) -> Self {
        [value; LANES]
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l].wrapping_add(other[l]))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l] & other[l])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l] | other[l])
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l] ^ other[l])
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l].min(other[l]))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        std::array::from_fn(|l| self[l].max(other[l]))
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        std::array::from_fn(|l| -i32::from(self[l] == other[l]))
    }
    #[inline(always)]
    fn above(self, other: Self) -> Self {
        std::array::from_fn(|l| -i32::from(self[l] > other[l]))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        std::array::from_fn(|l| (yes[l] & self[l]) | (no[l] & !self[l]))
    }
    #[inline(always)]
    fn meets(self, other: Self) -> bool {
        (0..LANES).fold(0, |all, l| all | (self[l] & other[l])) != 0
    }
    #[inline(always)]
    fn mix(self, other: Self, factor: i32) -> Self {
        std::array::from_fn(|l| (self[l].rotate_left(5) ^ other[l]).wrapping_mul(factor))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{LANES, Lane, Lanes};

    /// A vector register. Used only in functions that are compiled for AVX2.
    #[derive(Copy, Clone)]
    pub(in crate::kernel) struct Avx2(__m256i);

    /// Calls instructions that are safe where AVX2 exists.
    macro_rules! avx2 {
        ($body:expr) => {
            // SAFETY: this type occurs only in functions that run after AVX2 was detected.
            Avx2(unsafe { $body })
        };
    }

    impl Lanes for Avx2 {
        #[inline(always)]
        fn load(lane: &Lane) -> Self {
            // SAFETY: AVX2 as above; a lane is eight `i32` (`Bound` is transparent), read unaligned.
            Avx2(unsafe { _mm256_loadu_si256(lane.as_ptr().cast()) })
        }
        #[inline(always)]
        fn load_raw(lane: &[i32; LANES]) -> Self {
            // SAFETY: AVX2 as above; the lane is eight `i32`, read unaligned.
            Avx2(unsafe { _mm256_loadu_si256(lane.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, lane: &mut Lane) {
            // SAFETY: AVX2 as above; a lane is eight `i32`, every one is a `Bound`, written unaligned.
            unsafe { _mm256_storeu_si256(lane.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn splat(value: i32) -> Self {
            avx2!(_mm256_set1_epi32(value))
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            avx2!(_mm256_add_epi32(self.0, other.0))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            avx2!(_mm256_and_si256(self.0, other.0))
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            avx2!(_mm256_or_si256(self.0, other.0))
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            avx2!(_mm256_xor_si256(self.0, other.0))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            avx2!(_mm256_min_epi32(self.0, other.0))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            avx2!(_mm256_max_epi32(self.0, other.0))
        }
        #[inline(always)]
        fn equal(self, other: Self) -> Self {
            avx2!(_mm256_cmpeq_epi32(self.0, other.0))
        }
        #[inline(always)]
        fn above(self, other: Self) -> Self {
            avx2!(_mm256_cmpgt_epi32(self.0, other.0))
        }
        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            avx2!(_mm256_blendv_epi8(no.0, yes.0, self.0))
        }
        #[inline(always)]
        fn meets(self, other: Self) -> bool {
            // SAFETY: AVX2 as above.
            unsafe { _mm256_testz_si256(self.0, other.0) == 0 }
        }
        #[inline(always)]
        fn mix(self, other: Self, factor: i32) -> Self {
            avx2!({
                let rotated = _mm256_or_si256(_mm256_slli_epi32(self.0, 5), _mm256_srli_epi32(self.0, 27));
                _mm256_mullo_epi32(_mm256_xor_si256(rotated, other.0), _mm256_set1_epi32(factor))
            })
        }
    }
}
