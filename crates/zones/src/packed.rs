//! A pool of zones: compact, shared, and tested for inclusion without unpacking.
//!
//! A zone is stored as a dense square over the clocks the caller keeps (those that are active), in the
//! narrowest of 8, 16 and 32 bits per bound that holds all of them. Equal zones over the same number of
//! clocks are stored once. The pool does not know which clocks a square is over: the caller uses the
//! same list of clocks for the zones it compares, for instance one list per location vector.
//!
//! To look for a zone among stored ones, a [`Probe`] is loaded with it once. It narrows the zone to the
//! width of whatever it is compared with, rounding so that comparisons stay exact, and then compares
//! contiguous blocks.

use crate::bound::Bound;
use crate::dbm::{self, at};
use crate::kernel;
use crate::lu::LuBounds;

/// A stored zone.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ZoneId(u32);

impl ZoneId {
    /// The position in order of first insertion.
    pub fn index(self) -> usize {
        self.0 as usize
    }
    /// The id at a position that [`ZoneId::index`] gave.
    pub fn at(index: usize) -> ZoneId {
        ZoneId(u32::try_from(index).expect("fewer than 2^32 zones"))
    }
}

/// Stored zones.
#[derive(Clone, Default, Debug)]
pub struct Pool {
    entries: Vec<Entry>,
    /// Open addressing by hash; `FREE` or an id. The length is a power of two.
    slots: Vec<u32>,
    bytes: Vec<i8>,
    halves: Vec<i16>,
    words: Vec<Bound>,
}

/// Where a zone is.
#[derive(Copy, Clone, Debug)]
struct Entry {
    /// In blocks of [`BLOCK`] elements.
    start: u32,
    /// Part of the hash: where to look in the index, and what spares most comparisons.
    tag: u32,
    dim: u16,
    width: Width,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Width {
    Byte,
    Half,
    Word,
}

const BLOCK: usize = 8;
const FREE: u32 = u32::MAX;
const ROW: usize = 64;

/// A zone prepared for lookups.
#[derive(Clone, Default, Debug)]
pub struct Probe {
    dim: usize,
    /// All bounds over the kept clocks, dense, filled up to a whole block with infinity.
    words: Vec<Bound>,
    hash: u64,
    width: Option<Width>,
    /// Narrowed so that `zone <= stored` is exact, and so that `stored <= zone` is.
    below: Narrowed,
    above: Narrowed,
}

#[derive(Clone, Default, Debug)]
struct Narrowed {
    bytes: Vec<i8>,
    halves: Vec<i16>,
}

impl Probe {
    /// An empty probe.
    pub fn new() -> Probe {
        Probe::default()
    }
    /// Loads the projection of a zone to the clocks in `keep`, which is sorted and starts with 0.
    pub fn load(&mut self, zone: &[Bound], dim: usize, keep: &[u32]) {
        self.words.clear();
        for i in keep {
            let row = &zone[at(dim, *i as usize, 0)..][..dim];
            if keep.len() == dim {
                self.words.extend(row);
            } else {
                self.words.extend(keep.iter().map(|j| row[*j as usize]));
            }
        }
        self.finish(keep.len());
    }
    /// Loads what `cell` says for the rows and columns of the clocks in `keep`, as for [`Probe::load`].
    pub fn load_cells(&mut self, keep: &[u32], cell: impl Fn(usize, usize) -> Bound) {
        self.words.clear();
        for i in keep {
            self.words.extend(keep.iter().map(|j| cell(*i as usize, *j as usize)));
        }
        self.finish(keep.len());
    }
    /// Loads a whole zone.
    pub fn load_all(&mut self, zone: &[Bound], dim: usize) {
        self.words.clear();
        for row in zone.chunks_exact(dbm::stride(dim)) {
            self.words.extend(&row[..dim]);
        }
        self.finish(dim);
    }
    fn finish(&mut self, dim: usize) {
        self.dim = dim;
        self.words.resize(self.words.len().next_multiple_of(BLOCK), Bound::INFINITY);
        self.hash = kernel::hash(&self.words) ^ dim as u64;
        let (least, most) = kernel::extremes(&self.words);
        let fits = |low: i32, high: i32| least > low && most < high;
        self.width = Some(match () {
            () if fits(i8::MIN.into(), i8::MAX.into()) => Width::Byte,
            () if fits(i16::MIN.into(), i16::MAX.into()) => Width::Half,
            () => Width::Word,
        });
        for narrowed in [&mut self.below, &mut self.above] {
            narrowed.bytes.clear();
            narrowed.halves.clear();
        }
    }
    /// The hash of the loaded zone.
    pub fn hash(&self) -> u64 {
        self.hash
    }
    /// The sign of the loaded zone; `bounds` are over the kept clocks.
    pub fn sign(&self, bounds: &LuBounds, simulation: bool) -> Sign {
        let (dim, words) = (self.dim, &self.words);
        Sign::new(dim, bounds, simulation, |clock| words[clock], |clock| words[clock * dim])
    }
    fn bytes(&mut self, above: bool) -> &[i8] {
        let narrowed = if above { &mut self.above } else { &mut self.below };
        if narrowed.bytes.is_empty() {
            let most = if above { i8::MAX - 1 } else { i8::MAX };
            narrowed.bytes.resize(self.words.len(), 0);
            kernel::narrow_i8(&self.words, most, &mut narrowed.bytes);
        }
        &narrowed.bytes
    }
    fn halves(&mut self, above: bool) -> &[i16] {
        let narrowed = if above { &mut self.above } else { &mut self.below };
        if narrowed.halves.is_empty() {
            let most = if above { i16::MAX - 1 } else { i16::MAX };
            narrowed.halves.resize(self.words.len(), 0);
            kernel::narrow_i16(&self.words, most, &mut narrowed.halves);
        }
        &narrowed.halves
    }
}

/// A few numbers of a zone that grow with it, to tell quickly that one zone cannot cover another.
///
/// They are the lower and upper bounds of its first clocks. Where those are beyond `U` and `L`, covering
/// by a≼LU does not look at them: a lower bound beyond `U` counts as least, and an upper bound beyond `L`
/// as greatest. Coarsened to one byte each, which keeps their order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(align(16))]
pub struct Sign([i8; 2 * SIGNED]);

const SIGNED: usize = 8;

impl Sign {
    /// Whether a zone with this sign may cover one with that of `small`, by inclusion or, if both were
    /// made for it, by a≼LU.
    #[inline]
    pub fn may_cover(&self, small: &Sign) -> bool {
        let more = |more, (small, big): (&i8, &i8)| more | (small > big);
        !small.0.iter().zip(&self.0).fold(false, more)
    }
    /// From the bounds on `-x` and on `x` of kept clocks; up to simulation with `simulation`.
    fn new(
        dim: usize,
        bounds: &LuBounds,
        simulation: bool,
        lower: impl Fn(usize) -> Bound,
        upper: impl Fn(usize) -> Bound,
    ) -> Sign {
        debug_assert_eq!(bounds.dim(), dim);
        let (l, u) = bounds.limits();
        let constants = l[1..dim].iter().chain(&u[1..dim]).filter(|c| **c != i32::MIN && **c != i32::MAX);
        let most = constants.map(|code| code.unsigned_abs()).max().unwrap_or(0);
        let shift = (32 - most.leading_zeros()).saturating_sub(6);
        let lane = |bound: Bound| (bound.0 >> shift).clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        let mut sign = [0; 2 * SIGNED];
        for clock in 1..dim.min(SIGNED + 1) {
            let (below, above) = (lower(clock), upper(clock));
            let ignored = simulation && below.0 <= u[clock];
            sign[2 * clock - 2] = if ignored { i8::MIN } else { lane(below) };
            let ignored = simulation && above.0 > l[clock];
            sign[2 * clock - 1] = if ignored { i8::MAX } else { lane(above) };
        }
        Sign(sign)
    }
}

/// The bounds of a stored zone, as they are stored.
enum Stored<'a> {
    Bytes(&'a [i8]),
    Halves(&'a [i16]),
    Words(&'a [Bound]),
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Pool {
        Pool::default()
    }
    /// How many zones are stored.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether no zone is stored.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// The memory in use for zones and their index, in bytes, without reserves.
    pub fn bytes(&self) -> usize {
        let zones = self.bytes.len() + 2 * self.halves.len() + 4 * self.words.len();
        zones + size_of::<Entry>() * self.entries.len() + 4 * self.slots.len()
    }
    /// Clocks plus one of a stored zone, counting kept clocks only.
    pub fn dim(&self, id: ZoneId) -> usize {
        usize::from(self.entries[id.index()].dim)
    }
    /// Stores the loaded zone unless it is stored already; whether it is new.
    pub fn insert(&mut self, probe: &mut Probe) -> (ZoneId, bool) {
        if self.slots.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let slot = match self.find(probe) {
            Ok(id) => return (id, false),
            Err(slot) => slot,
        };
        let width = probe.width.expect("a loaded probe");
        let start = match width {
            Width::Byte => append(&mut self.bytes, probe.bytes(false)),
            Width::Half => append(&mut self.halves, probe.halves(false)),
            Width::Word => append(&mut self.words, &probe.words),
        };
        let id = ZoneId::at(self.entries.len());
        let dim = u16::try_from(probe.dim).expect("fewer than 2^16 clocks");
        self.entries.push(Entry { start, tag: tag(probe.hash), dim, width });
        self.slots[slot] = id.0;
        (id, true)
    }
    /// The stored zone equal to the loaded one, if any.
    pub fn get(&self, probe: &mut Probe) -> Option<ZoneId> {
        if self.slots.is_empty() { None } else { self.find(probe).ok() }
    }
    /// Whether the stored zone contains the loaded one.
    pub fn covers(&self, id: ZoneId, probe: &mut Probe) -> bool {
        match self.stored(id) {
            Stored::Bytes(bytes) => kernel::at_most_i8(probe.bytes(false), bytes),
            Stored::Halves(halves) => kernel::at_most_i16(probe.halves(false), halves),
            Stored::Words(words) => kernel::includes(words, &probe.words),
        }
    }
    /// Whether the loaded zone contains the stored one.
    pub fn is_covered(&self, id: ZoneId, probe: &mut Probe) -> bool {
        match self.stored(id) {
            Stored::Bytes(bytes) => kernel::at_most_i8(bytes, probe.bytes(true)),
            Stored::Halves(halves) => kernel::at_most_i16(halves, probe.halves(true)),
            Stored::Words(words) => kernel::includes(&probe.words, words),
        }
    }
    /// Whether the loaded zone is in a≼LU of the stored one; `bounds` are over the kept clocks.
    pub fn lu_covers(&self, id: ZoneId, probe: &Probe, bounds: &LuBounds) -> bool {
        let (dim, (lower, upper)) = (probe.dim, bounds.limits());
        debug_assert_eq!((bounds.dim(), self.dim(id)), (dim, dim));
        let mut widened = [Bound::INFINITY; ROW];
        let stored = self.stored(id);
        (0..dim).filter(|y| lower[*y] != i32::MIN).all(|y| {
            // By pieces of rows, so that a piece is widened in registers or on the stack.
            (0..dim).step_by(ROW).all(|start| {
                let end = dim.min(start + ROW);
                let cells = y * dim + start..y * dim + end;
                let small = &probe.words[cells.clone()];
                let widened = &mut widened[..end - start];
                let big = match stored {
                    Stored::Bytes(bytes) => {
                        kernel::widen_i8(&bytes[cells], widened);
                        &*widened
                    }
                    Stored::Halves(halves) => {
                        kernel::widen_i16(&halves[cells], widened);
                        &*widened
                    }
                    Stored::Words(words) => &words[cells],
                };
                !lu_witness(big, small, &probe.words[start..end], lower[y], &upper[start..end])
            })
        })
    }
    /// The sign of a stored zone; `bounds` are over the kept clocks.
    pub fn sign(&self, id: ZoneId, bounds: &LuBounds, simulation: bool) -> Sign {
        let (dim, stored) = (self.dim(id), self.stored(id));
        let cell = |at: usize| match stored {
            Stored::Bytes(bytes) if bytes[at] == i8::MAX => Bound::INFINITY,
            Stored::Bytes(bytes) => Bound(bytes[at].into()),
            Stored::Halves(halves) if halves[at] == i16::MAX => Bound::INFINITY,
            Stored::Halves(halves) => Bound(halves[at].into()),
            Stored::Words(words) => words[at],
        };
        Sign::new(dim, bounds, simulation, cell, |clock| cell(clock * dim))
    }
    /// Unpacks a zone over its kept clocks.
    pub fn load(&self, id: ZoneId, out: &mut [Bound]) {
        let dim = self.dim(id);
        for (i, row) in out[..dbm::len(dim)].chunks_exact_mut(dbm::stride(dim)).enumerate() {
            let (row, padding) = row.split_at_mut(dim);
            padding.fill(Bound::INFINITY);
            let cells = i * dim..(i + 1) * dim;
            match self.stored(id) {
                Stored::Bytes(bytes) => kernel::widen_i8(&bytes[cells], row),
                Stored::Halves(halves) => kernel::widen_i16(&halves[cells], row),
                Stored::Words(words) => row.copy_from_slice(&words[cells]),
            }
        }
        dbm::assert_well_formed(&out[..dbm::len(dim)], dim);
    }
    /// Unpacks a zone into one of dimension `dim`; clocks not in `keep` are unconstrained.
    pub fn load_into(
        &self,
        id: ZoneId,
        keep: &[u32],
        dim: usize,
        scratch: &mut Vec<Bound>,
        out: &mut [Bound],
    ) {
        debug_assert_eq!(keep.len(), self.dim(id));
        if keep.len() == dim {
            return self.load(id, out);
        }
        scratch.resize(dbm::len(keep.len()), Bound::INFINITY);
        self.load(id, scratch);
        dbm::embed(scratch, keep, dim, out);
    }

    fn stored(&self, id: ZoneId) -> Stored<'_> {
        let Entry { start, dim, width, .. } = self.entries[id.index()];
        let start = start as usize * BLOCK;
        let range = start..start + (usize::from(dim) * usize::from(dim)).next_multiple_of(BLOCK);
        match width {
            Width::Byte => Stored::Bytes(&self.bytes[range]),
            Width::Half => Stored::Halves(&self.halves[range]),
            Width::Word => Stored::Words(&self.words[range]),
        }
    }
    /// The id of the loaded zone, or the free slot where it belongs.
    fn find(&self, probe: &mut Probe) -> Result<ZoneId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = tag(probe.hash) as usize & mask;
        while self.slots[slot] != FREE {
            let id = ZoneId(self.slots[slot]);
            let entry = &self.entries[id.index()];
            if entry.tag == tag(probe.hash)
                && usize::from(entry.dim) == probe.dim
                && Some(entry.width) == probe.width
                && self.equals(id, probe)
            {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }
    /// Whether the stored zone, over as many clocks, is the loaded one.
    pub fn equals(&self, id: ZoneId, probe: &mut Probe) -> bool {
        match self.stored(id) {
            _ if Some(self.entries[id.index()].width) != probe.width => false,
            Stored::Bytes(bytes) => bytes == probe.bytes(false),
            Stored::Halves(halves) => halves == probe.halves(false),
            Stored::Words(words) => words == probe.words,
        }
    }
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(16);
        self.slots.clear();
        self.slots.resize(size, FREE);
        for index in 0..self.entries.len() {
            let id = ZoneId::at(index);
            let mut slot = self.entries[index].tag as usize & (size - 1);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id.0;
        }
    }
}

fn append<T: Copy>(arena: &mut Vec<T>, elements: &[T]) -> u32 {
    let start = u32::try_from(arena.len() / BLOCK).expect("fewer than 2^35 bounds of one width");
    arena.extend_from_slice(elements);
    start
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Whether a part of row `y` shows that the small zone is not in a≼LU of the big one.
fn lu_witness(big: &[Bound], small: &[Bound], zero: &[Bound], lower: i32, upper: &[i32]) -> bool {
    let mut witness = false;
    for (((big, small), zero), upper) in big.iter().zip(small).zip(zero).zip(upper) {
        let sum = (big.0 & !1).wrapping_add(1 - lower);
        witness |= (zero.0 > *upper) & (big < small) & (sum < zero.0);
    }
    witness
}
