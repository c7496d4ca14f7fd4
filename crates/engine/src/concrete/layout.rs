//! Where each component of a state lies in a row of bits.
//!
//! A state is a list of words: the number of its location vector, then its state variables. A field
//! holds the words from `base` to `base + span` as the codes 0 to `span`, and where the variable has
//! been seen open, `span + 1` for that. Fields start as small as the type allows (integers without a
//! range at 8 bits) and widen when a word does not fit: a range to 8 bits, then 16, 32, 64. At 64 bits
//! a field holds any word as it is.
//!
//! Invariant: decoding what was encoded gives the same words; a field never straddles two words of a
//! row, and equal states have equal rows under the same layout.

use ir::{System, Type, Variable};

use super::word::{OPEN, Word, in_parts, width};

/// The fields of a row.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    width: usize,
}

/// The bits of one component.
#[derive(Copy, Clone, Debug)]
struct Field {
    base: Word,
    /// The greatest code of a word that is not open.
    span: u64,
    /// Whether the code after `span` is in use.
    open: bool,
    at: u32,
    shift: u32,
    mask: u64,
}

impl Layout {
    /// The narrowest layout for the states of `system`.
    pub(crate) fn new(system: &System) -> Self {
        let vector = Field::between(0, 1);
        let mut fields = vec![vector];
        for var in system.state_vars() {
            let mut ty = system.terms.var_type(var);
            let count = width(system.types(), ty);
            while let Some(array) = in_parts(system.types(), ty) {
                ty = array.element;
            }
            fields.resize(fields.len() + count, Field::start(system, ty, &system.vars[var]));
        }
        let mut layout = Layout { fields, width: 0 };
        layout.place();
        layout
    }
    /// How many components a state has.
    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }
    /// How many 64-bit words a row has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }
    /// Packs `words` into `row`; `false` if one does not fit.
    #[inline]
    pub(crate) fn encode(&self, words: &[Word], row: &mut [u64]) -> bool {
        row.fill(0);
        for (field, word) in self.fields.iter().zip(words) {
            let mut code = word.wrapping_sub(field.base) as u64;
            if code > field.span {
                if *word != OPEN || !field.open {
                    return false;
                }
                code = field.span + 1;
            }
            row[field.at as usize] |= code << field.shift;
        }
        true
    }
    /// Unpacks `row` into `words`.
    #[inline]
    pub(crate) fn decode(&self, row: &[u64], words: &mut [Word]) {
        for (field, word) in self.fields.iter().zip(words) {
            let code = row[field.at as usize] >> field.shift & field.mask;
            *word = if code > field.span { OPEN } else { field.base.wrapping_add(code as Word) };
        }
    }
    /// Makes room for all of `words`, moving fields.
    pub(crate) fn widen(&mut self, words: &[Word]) {
        for (field, word) in self.fields.iter_mut().zip(words) {
            if *word == OPEN {
                field.open = true;
            } else if !field.contains(*word) {
                let kept = [*word, field.base, field.base.wrapping_add(field.span as Word)];
                let fits = |field: &Field| kept.iter().all(|word| field.contains(*word));
                let wider = [8, 16, 32].map(Field::signed).into_iter().find(fits);
                *field = Field { open: field.open, ..wider.unwrap_or(Field::between(0, u64::MAX)) };
            }
        }
        self.place();
    }
    /// Gives every field a place: the first word with room for it.
    fn place(&mut self) {
        let mut used: Vec<u32> = vec![];
        // For each number of bits, the first word that may have room for them.
        let mut first = [0usize; 65];
        for field in &mut self.fields {
            let bits = field.bits();
            let at = &mut first[bits as usize];
            while used.get(*at).is_some_and(|used| used + bits > 64) {
                *at += 1;
            }
            if *at == used.len() {
                used.push(0);
            }
            (field.at, field.shift) = (*at as u32, used[*at]);
            field.mask = u64::MAX >> (64 - bits);
            used[*at] += bits;
        }
        self.width = used.len();
    }
}

impl Field {
    fn start(system: &System, ty: Type, variable: &Variable) -> Field {
        let cardinality = system.types().cardinality(ty).unwrap_or(1).max(1);
        let range = variable.range.as_ref().and_then(|(least, greatest)| {
            let (least, greatest) = (least.to_i64()?, greatest.to_i64()?);
            u32::try_from(greatest.checked_sub(least)?).ok().map(|span| (least, u64::from(span)))
        });
        match (ty, range) {
            (Type::Bool | Type::Enum(_), _) => Field::between(0, cardinality - 1),
            (Type::Int, Some((least, span))) => Field::between(least, span),
            (Type::Int, None) => Field::signed(8),
            // Clocks are no data; what stands in their place is always zero.
            (Type::Clock, _) => Field::between(0, 0),
            (Type::Rat | Type::Array(_), _) => Field::between(0, 255),
        }
    }
    fn between(base: Word, span: u64) -> Field {
        Field { base, span, open: false, at: 0, shift: 0, mask: 0 }
    }
    /// A field of `width` bits around zero, with a code to spare for open.
    fn signed(width: u32) -> Field {
        let greatest = (1 << (width - 1)) - 1;
        Field::between(-greatest, 2 * greatest as u64)
    }
    fn contains(&self, word: Word) -> bool {
        word.wrapping_sub(self.base) as u64 <= self.span
    }
    fn bits(&self) -> u32 {
        let greatest = if self.open { self.span.saturating_add(1) } else { self.span };
        (64 - greatest.leading_zeros()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use ir::{Int, Span};
    use proptest::prelude::*;

    use super::*;

    fn system() -> System {
        let mut system = System::default();
        let colours =
            system.terms.types.add_enum("Colour", ["red", "green", "blue"].map(str::to_owned).to_vec());
        let mut var = |ty, range: Option<(i64, i64)>| {
            let range = range.map(|(least, greatest)| (Int::from(least), Int::from(greatest)));
            system.declare(ty, Variable { range, ..Variable::state("v", Span::default()) });
        };
        var(Type::Bool, None);
        var(Type::Enum(colours), None);
        var(Type::Int, None);
        var(Type::Int, Some((10, 13)));
        system
    }

    #[test]
    fn starts_narrow() {
        let layout = Layout::new(&system());
        let bits: Vec<u32> = layout.fields.iter().map(Field::bits).collect();
        assert_eq!(bits, [1, 1, 2, 8, 2]);
        assert_eq!(layout.width(), 1);
    }

    #[test]
    fn says_if_something_does_not_fit() {
        let mut layout = Layout::new(&system());
        let mut row = vec![0; layout.width()];
        assert!(layout.encode(&[0, 1, 2, 127, 13], &mut row));
        assert!(!layout.encode(&[0, 1, 2, 128, 13], &mut row));
        assert!(!layout.encode(&[0, OPEN, 2, 0, 13], &mut row));
        layout.widen(&[0, OPEN, 2, 128, 13]);
        assert!(layout.encode(&[0, OPEN, 2, 128, 13], &mut row));
        let bits: Vec<u32> = layout.fields.iter().map(Field::bits).collect();
        assert_eq!(bits, [1, 2, 2, 16, 2]);
    }

    #[test]
    fn widening_a_range_keeps_its_words() {
        let mut system = System::default();
        let range = Some((Int::from(100_000), Int::from(100_003)));
        system.declare(Type::Int, Variable { range, ..Variable::state("v", Span::default()) });
        let mut layout = Layout::new(&system);
        layout.widen(&[0, 5]);
        let mut row = vec![0; layout.width()];
        for word in [5, 100_000, 100_003] {
            assert!(layout.encode(&[0, word], &mut row));
        }
    }

    proptest! {
        #![proptest_config(sampling::runs(256, 0x7e715))]
        #[test]
        fn decoding_undoes_encoding(words in prop::collection::vec(prop_oneof![
            Just(OPEN), -3i64..4, any::<i32>().prop_map(i64::from), any::<i64>(),
        ], 5)) {
            let mut layout = Layout::new(&system());
            let mut row = vec![0; layout.width()];
            layout.widen(&words);
            row.resize(layout.width(), 0);
            prop_assert!(layout.encode(&words, &mut row));
            let mut back = vec![0; layout.len()];
            layout.decode(&row, &mut back);
            prop_assert_eq!(back, words);
        }
    }
}
