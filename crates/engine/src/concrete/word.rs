//! Values as machine words.
//!
//! Inside a search every value is a [`Word`]: a truth value is 0 or 1, a literal its position, an
//! integer itself if it lies between −2⁶² and 2⁶², and anything else (rationals, arrays, larger
//! integers) the number of an interned [`Value`]; larger integers are offset by 2⁶² so that they are
//! never mistaken for small ones. [`OPEN`] stands for a variable without a value. An array over few
//! integer positions takes a word for each of its parts.
//!
//! Invariant: for values of one type, equal words are equal values and the other way round. Words that
//! are not [`is_small`] are never computed with.

use ir::{ArrayType, Type, Types, Value};
use rustc_hash::FxHashMap;

/// A value, or [`OPEN`], as the search keeps it.
pub(crate) type Word = i64;

/// The word of a variable that has no value yet.
pub(crate) const OPEN: Word = i64::MIN;

/// The first word that stands for an integer too large to be itself.
const LARGE: Word = 1 << 62;

/// Whether `word` is what it stands for: neither open nor a large integer.
///
/// The sum of two small words never overflows.
#[inline(always)]
pub(crate) fn is_small(word: Word) -> bool {
    word.wrapping_add(LARGE) >= 0
}

/// How many words a value of type `ty` takes: an array over few integer positions one for each of its
/// parts, anything else one.
pub(crate) fn width(types: &Types, ty: Type) -> usize {
    match ty {
        Type::Array(id) => {
            let ArrayType { element, range, .. } = types.array_type(id);
            let Some((first, last)) = range else { return 1 };
            let positions = last.checked_sub(first).and_then(|span| usize::try_from(span).ok());
            let parts = positions.and_then(|span| (span + 1).checked_mul(width(types, element)));
            parts.filter(|parts| *parts <= MOST_PARTS_OF_AN_ARRAY).unwrap_or(1)
        }
        _ => 1,
    }
}

/// Arrays with more parts than this are interned as a whole.
const MOST_PARTS_OF_AN_ARRAY: usize = 1 << 12;

/// Whether values of type `ty` lie in parts.
pub(crate) fn in_parts(types: &Types, ty: Type) -> Option<ArrayType> {
    match ty {
        Type::Array(id) => {
            let array = types.array_type(id);
            let (first, last) = array.range?;
            let parts = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
            (parts.checked_mul(width(types, array.element))? <= MOST_PARTS_OF_AN_ARRAY).then_some(array)
        }
        _ => None,
    }
}

/// The interned values that are no words of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    list: Vec<Value>,
    ids: FxHashMap<Value, u32>,
    /// Bytes of the digits of large numbers.
    digits: u64,
}

impl Values {
    /// The word for `value`, interning it if need be.
    pub(crate) fn word(&mut self, value: &Value) -> Word {
        self.known(value).unwrap_or_else(|| {
            let id = u32::try_from(self.list.len()).expect("fewer than 2^32 interned values");
            if let Value::Int(number) = value {
                self.digits += number.bits() / 8;
            }
            self.list.push(value.clone());
            self.ids.insert(value.clone(), id);
            offset(value) + Word::from(id)
        })
    }
    /// The word for `value`, unless it would have to be interned first.
    pub(crate) fn known(&self, value: &Value) -> Option<Word> {
        match value {
            Value::Bool(value) => return Some(Word::from(*value)),
            Value::Enum(_, position) => return Some(Word::from(*position)),
            Value::Int(value) => {
                if let Some(word) = value.to_i64().filter(|word| is_small(*word)) {
                    return Some(word);
                }
            }
            Value::Rat(_) | Value::Array(_) => {}
        }
        self.ids.get(value).map(|id| offset(value) + Word::from(*id))
    }
    /// The value of type `ty` that `word` stands for; `None` if it is open.
    pub(crate) fn value(&self, ty: Type, word: Word) -> Option<Value> {
        if word == OPEN {
            return None;
        }
        Some(match ty {
            Type::Bool => Value::Bool(word != 0),
            Type::Enum(id) => Value::Enum(id, word as u32),
            Type::Int if is_small(word) => Value::int(word),
            Type::Int => self.list[(word - LARGE) as usize].clone(),
            Type::Rat | Type::Clock | Type::Array(_) => {
                self.list[if is_small(word) { word } else { word - LARGE } as usize].clone()
            }
        })
    }
    /// Appends the words of a value of type `ty`, open ones for none.
    pub(crate) fn words(&mut self, types: &Types, ty: Type, value: Option<&Value>, out: &mut Vec<Word>) {
        match (in_parts(types, ty), value) {
            (Some(array), Some(Value::Array(value))) => {
                let (first, last) = array.range.expect("arrays in parts have positions");
                for at in first..=last {
                    self.words(types, array.element, Some(value.read(&Value::int(at))), out);
                }
            }
            (_, Some(value)) => out.push(self.word(value)),
            (_, None) => out.extend(std::iter::repeat_n(OPEN, width(types, ty))),
        }
    }
    /// Like [`Values::words`], unless a value would have to be interned first.
    pub(crate) fn known_words(
        &self,
        types: &Types,
        ty: Type,
        value: Option<&Value>,
        out: &mut Vec<Word>,
    ) -> bool {
        match (in_parts(types, ty), value) {
            (Some(array), Some(Value::Array(value))) => {
                let (first, last) = array.range.expect("arrays in parts have positions");
                (first..=last)
                    .all(|at| self.known_words(types, array.element, Some(value.read(&Value::int(at))), out))
            }
            (_, Some(value)) => {
                let word = self.known(value);
                out.extend(word);
                word.is_some()
            }
            (_, None) => {
                out.extend(std::iter::repeat_n(OPEN, width(types, ty)));
                true
            }
        }
    }
    /// The value of type `ty` whose words come next; `None` if it is open.
    pub(crate) fn take(
        &self,
        types: &Types,
        ty: Type,
        words: &mut std::slice::Iter<'_, Word>,
    ) -> Option<Value> {
        let Some(array) = in_parts(types, ty) else {
            return self.value(ty, *words.next().expect("a word for each part"));
        };
        let Type::Array(id) = ty else { unreachable!("only arrays have parts") };
        let (first, last) = array.range.expect("arrays in parts have positions");
        let parts: Vec<Option<Value>> =
            (first..=last).map(|_| self.take(types, array.element, words)).collect();
        let mut value = types.fill(id, parts[0].clone()?);
        for (at, part) in (first..).zip(parts) {
            value = types.write(&value, Value::int(at), part?);
        }
        Some(Value::Array(value.into()))
    }
    /// Bytes held, the insides of rationals and arrays not counted.
    pub(crate) fn bytes(&self) -> usize {
        let entry = size_of::<Value>() + size_of::<(Value, u32)>() + 1;
        self.list.capacity().max(self.ids.capacity()) * entry + self.digits as usize
    }
    /// Bytes of the digits of large numbers.
    pub(crate) fn digits(&self) -> u64 {
        self.digits
    }
}

fn offset(value: &Value) -> Word {
    if matches!(value, Value::Int(_)) { LARGE } else { 0 }
}

#[cfg(test)]
mod tests {
    use ir::{Int, Rat};

    use super::*;

    #[test]
    fn words_stand_for_their_values() {
        let mut values = Values::default();
        let large = Int::from(1 << 62);
        let cases = [
            (Type::Bool, Value::Bool(true)),
            (Type::Int, Value::int(-5)),
            (Type::Int, Value::int((1 << 62) - 1)),
            (Type::Int, Value::Int(large.clone())),
            (Type::Int, Value::int(i64::MIN)),
            (Type::Int, Value::Int(&large * &large)),
            (Type::Rat, Value::rat(Rat::from(3))),
        ];
        for (ty, value) in &cases {
            let word = values.word(value);
            assert_eq!(values.value(*ty, word).as_ref(), Some(value));
            assert_eq!(values.known(value), Some(word));
            assert_ne!(word, OPEN);
        }
        assert_eq!(values.value(Type::Int, OPEN), None);
        assert_eq!(values.known(&Value::rat(Rat::from(4))), None);
        assert!(!is_small(values.word(&Value::int(i64::MIN))));
    }
}
