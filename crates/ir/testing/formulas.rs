//! Random formulas of linear temporal logic, for the tests of whoever reads them. Included where `Builder`, `Formula`,
//! `Node` and proptest's prelude are known.

use super::*;

/// Formulas over so many atoms with at most so many operators: a list of instructions, each of which applies an operator
/// to something that was made before and to something that was made last, so that formulas are deep rather than wide.
/// Every operator can come, and the binary ones with the deeper operand on either side.
pub fn formulas(atoms: u32, most: usize) -> impl Strategy<Value = Formula> {
    proptest::collection::vec((0..13_u8, any::<u8>(), any::<u8>()), 1..=most).prop_map(move |instructions| {
        let mut builder = Builder::default();
        let mut made: Vec<_> = (0..atoms).map(|atom| builder.atom(atom)).collect();
        for (operator, first, second) in instructions {
            let early = made[first as usize % made.len()];
            let late = made[made.len() - 1 - second as usize % made.len().min(2)];
            let (f, g) = if second < 128 { (early, late) } else { (late, early) };
            let node = [
                if first % 2 == 0 { Node::True } else { Node::False },
                Node::Not(late),
                Node::And(f, g),
                Node::Or(f, g),
                Node::Implies(f, g),
                Node::Iff(f, g),
                Node::Next(late),
                Node::Finally(late),
                Node::Globally(late),
                Node::Until(f, g),
                Node::WeakUntil(f, g),
                Node::Release(f, g),
                Node::StrongRelease(f, g),
            ][operator as usize];
            made.push(builder.add(node));
        }
        builder.finish(made[made.len() - 1])
    })
}
