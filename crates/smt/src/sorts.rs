//! What backends must agree on about numbers and arrays.
//!
//! Terms mix integers and rationals freely; a solver has two sorts, and what is a real there, the type of a
//! term tells. Arrays over a range of positions are equal when they agree there, whatever they are
//! elsewhere; solvers know total maps only, so this equality is spelt out.

use ir::{Term, Terms, Type};

use crate::interrupt::Interrupt;

/// How many places an equality of arrays may be spelt out for.
const POSITIONS: i64 = 256;

/// The places at which two arrays of the type of `array` must agree to be equal, if that is not simply
/// everywhere. A place is a position, then a position in the array that is there, and so on.
pub fn compared_places(terms: &Terms, array: Term) -> Result<Option<Vec<Vec<i64>>>, Interrupt> {
    let mut places = vec![vec![]];
    let mut ty = terms.type_of(array);
    let mut ranged = false;
    while let Type::Array(id) = ty {
        let parts = terms.types.array_type(id);
        match parts.range {
            Some((first, last)) => {
                if last.saturating_sub(first).saturating_add(1).saturating_mul(places.len() as i64)
                    > POSITIONS
                {
                    return Err(Interrupt::Unsupported("equality of arrays this long".into()));
                }
                let longer = |place: &Vec<i64>| {
                    let place = place.clone();
                    (first..=last).map(move |at| place.iter().copied().chain([at]).collect::<Vec<i64>>())
                };
                places = places.iter().flat_map(longer).collect();
                ranged = true;
            }
            None if has_range(terms, parts.element) => {
                return Err(Interrupt::Unsupported("equality of arrays of arrays over a range".into()));
            }
            None => break,
        }
        ty = parts.element;
    }
    Ok(ranged.then_some(places))
}

/// Whether arrays over a range are part of the values of a type.
fn has_range(terms: &Terms, ty: Type) -> bool {
    let Type::Array(id) = ty else { return false };
    let parts = terms.types.array_type(id);
    parts.range.is_some() || has_range(terms, parts.element)
}

/// Whether a type is one of reals.
pub fn is_real_type(ty: Type) -> bool {
    matches!(ty, Type::Rat | Type::Clock)
}
