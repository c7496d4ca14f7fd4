//! Guards: sets of letters, as ordered binary decision diagrams (Bryant 1986).
//!
//! A guard is `if atom then high else low`, or a constant. The atoms on each path grow, no two nodes are equal and no
//! node has equal branches; so each set of letters has exactly one guard, and equality is equality of numbers,
//! whatever the number of atoms. An automaton has few guards over few atoms each, and they stay small.
//!
//! [`Guards::cubes`] writes a guard as an irredundant sum of products (Minato 1993, after Morreale): a set of letters
//! between a lower and an upper bound is split by its first atom into what only the negative literal can cover, what
//! only the positive one can, and the rest, which needs neither.

use std::fmt::{self, Display};

use indexmap::IndexSet;
use ir::Id;
use ir::ltl::Letter;
use rustc_hash::{FxBuildHasher, FxHashMap};

ir::id!(
    /// A guard, by its number among the [`Guards`] that it belongs to.
    Guard
);

impl Guard {
    /// No letter.
    pub const FALSE: Self = Self(0);
    /// Every letter.
    pub const TRUE: Self = Self(1);
}

/// Literals that must all hold, in the order of their atoms: which atom, and whether it holds.
pub type Cube = Vec<(u32, bool)>;

/// A table of guards.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: IndexSet<Split, FxBuildHasher>,
    results: FxHashMap<(Guard, Guard, Guard), Guard>,
}

/// A decision. Constants are those on an atom that does not exist, so that they come last on every path.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Split {
    atom: u32,
    low: Guard,
    high: Guard,
}

const CONSTANT: u32 = u32::MAX;

impl Default for Guards {
    fn default() -> Self {
        let constant = |guard| Split { atom: CONSTANT, low: guard, high: guard };
        let nodes = [Guard::FALSE, Guard::TRUE].map(constant).into_iter().collect();
        Self { nodes, results: FxHashMap::default() }
    }
}

impl Guards {
    fn split(&self, guard: Guard) -> Split {
        self.nodes[guard.index()]
    }

    fn make(&mut self, atom: u32, low: Guard, high: Guard) -> Guard {
        if low == high { low } else { Guard::at(self.nodes.insert_full(Split { atom, low, high }).0) }
    }

    /// Whether it is one of the guards of this table.
    #[must_use]
    pub fn has(&self, guard: Guard) -> bool {
        guard.index() < self.nodes.len()
    }
    /// How many guards there are, with all that were needed to make them.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
    /// The letters in which an atom holds, or does not.
    pub fn literal(&mut self, atom: u32, holds: bool) -> Guard {
        let (low, high) = if holds { (Guard::FALSE, Guard::TRUE) } else { (Guard::TRUE, Guard::FALSE) };
        self.make(atom, low, high)
    }
    /// The letters that satisfy all literals.
    pub fn cube(&mut self, cube: &[(u32, bool)]) -> Guard {
        cube.iter().rev().fold(Guard::TRUE, |rest, &(atom, holds)| {
            let literal = self.literal(atom, holds);
            self.and(literal, rest)
        })
    }
    /// The letters that are in both.
    pub fn and(&mut self, first: Guard, second: Guard) -> Guard {
        self.choose(first.min(second), first.max(second), Guard::FALSE)
    }
    /// The letters that are in one of them.
    pub fn or(&mut self, first: Guard, second: Guard) -> Guard {
        self.choose(first.min(second), Guard::TRUE, first.max(second))
    }
    /// The letters that are not in it.
    pub fn not(&mut self, guard: Guard) -> Guard {
        self.choose(guard, Guard::FALSE, Guard::TRUE)
    }
    /// The letters of the first that are not in the second.
    pub fn minus(&mut self, first: Guard, second: Guard) -> Guard {
        self.choose(second, Guard::FALSE, first)
    }
    /// Whether every letter of the first is in the second.
    pub fn implies(&mut self, first: Guard, second: Guard) -> bool {
        first == second || self.minus(first, second) == Guard::FALSE
    }

    /// `if condition then yes else no`.
    fn choose(&mut self, condition: Guard, yes: Guard, no: Guard) -> Guard {
        match (condition, yes, no) {
            (Guard::TRUE, ..) => return yes,
            (Guard::FALSE, ..) => return no,
            (_, Guard::TRUE, Guard::FALSE) => return condition,
            _ if yes == no => return yes,
            _ => {}
        }
        if let Some(&known) = self.results.get(&(condition, yes, no)) {
            return known;
        }
        let parts = [condition, yes, no].map(|guard| self.split(guard));
        let atom = parts.iter().map(|part| part.atom).min().unwrap_or(CONSTANT);
        let branch = |guard: Guard, part: Split, high: bool| match part.atom == atom {
            true if high => part.high,
            true => part.low,
            false => guard,
        };
        let of = |high| {
            (branch(condition, parts[0], high), branch(yes, parts[1], high), branch(no, parts[2], high))
        };
        let ((c0, y0, n0), (c1, y1, n1)) = (of(false), of(true));
        let low = ir::deep(|| self.choose(c0, y0, n0));
        let high = ir::deep(|| self.choose(c1, y1, n1));
        let result = self.make(atom, low, high);
        self.results.insert((condition, yes, no), result);
        result
    }

    /// Whether the guard contains the letter.
    #[must_use]
    pub fn holds(&self, mut guard: Guard, letter: &impl Letter) -> bool {
        loop {
            match self.split(guard) {
                Split { atom: CONSTANT, .. } => return guard == Guard::TRUE,
                Split { atom, low, high } => guard = if letter.has(atom) { high } else { low },
            }
        }
    }

    /// A letter of the guard as literals, for as few atoms as it takes; none if there is no letter.
    #[must_use]
    pub fn some_cube(&self, mut guard: Guard) -> Option<Cube> {
        let mut cube = vec![];
        while guard != Guard::TRUE {
            let Split { atom, low, high } = self.split(guard);
            if atom == CONSTANT {
                return None;
            }
            // A branch is never empty, unless it is `FALSE`.
            let holds = low == Guard::FALSE;
            cube.push((atom, holds));
            guard = if holds { high } else { low };
        }
        Some(cube)
    }

    /// The guard as an irredundant sum of products: the union of the cubes, none of which is needless, nor is any
    /// of their literals.
    #[must_use]
    pub fn cubes(&self, guard: Guard) -> Vec<Cube> {
        let mut cubes = self.clone().between(guard, guard).0;
        cubes.iter_mut().for_each(|cube| cube.reverse());
        cubes
    }

    /// A sum of products that contains `lower` and lies in `upper`, literals from the last atom to the first, and the
    /// guard that it is.
    fn between(&mut self, lower: Guard, upper: Guard) -> (Vec<Cube>, Guard) {
        if lower == Guard::FALSE {
            return (vec![], Guard::FALSE);
        }
        if upper == Guard::TRUE {
            return (vec![vec![]], Guard::TRUE);
        }
        let atom = self.split(lower).atom.min(self.split(upper).atom);
        let (l0, l1) = self.branches(lower, atom);
        let (u0, u1) = self.branches(upper, atom);
        let (only_low, only_high) = (self.minus(l0, u1), self.minus(l1, u0));
        let (mut low, f0) = ir::deep(|| self.between(only_low, u0));
        let (mut high, f1) = ir::deep(|| self.between(only_high, u1));
        let (rest_low, rest_high, both) = (self.minus(l0, f0), self.minus(l1, f1), self.and(u0, u1));
        let rest = self.or(rest_low, rest_high);
        let (middle, f) = ir::deep(|| self.between(rest, both));
        low.iter_mut().for_each(|cube| cube.push((atom, false)));
        high.iter_mut().for_each(|cube| cube.push((atom, true)));
        let split = self.make(atom, f0, f1);
        low.extend(high);
        low.extend(middle);
        (low, self.or(split, f))
    }

    fn branches(&self, guard: Guard, atom: u32) -> (Guard, Guard) {
        let split = self.split(guard);
        if split.atom == atom { (split.low, split.high) } else { (guard, guard) }
    }

    /// A copy of a guard of another table.
    pub fn import(&mut self, from: &Self, guard: Guard) -> Guard {
        from.cubes(guard).iter().fold(Guard::FALSE, |sum, cube| {
            let cube = self.cube(cube);
            self.or(sum, cube)
        })
    }

    /// The guard as text, with names for atoms.
    pub fn display<'a, N: Display>(
        &'a self,
        guard: Guard,
        name: impl Fn(u32) -> N + 'a,
    ) -> impl Display + 'a {
        Shown { cubes: self.cubes(guard), name }
    }
}

struct Shown<F> {
    cubes: Vec<Cube>,
    name: F,
}

impl<F: Fn(u32) -> N, N: Display> Display for Shown<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cubes.is_empty() {
            return f.write_str("false");
        }
        for (index, cube) in self.cubes.iter().enumerate() {
            f.write_str(if index > 0 { " | " } else { "" })?;
            f.write_str(if cube.is_empty() { "true" } else { "" })?;
            for (index, &(atom, holds)) in cube.iter().enumerate() {
                let (and, not) = (if index > 0 { " & " } else { "" }, if holds { "" } else { "!" });
                write!(f, "{and}{not}{}", (self.name)(atom))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The guard with this truth table over four atoms.
    fn of_table(guards: &mut Guards, table: u16) -> Guard {
        (0..16).filter(|letter| table >> letter & 1 == 1).fold(Guard::FALSE, |sum, letter: u32| {
            let cube: Cube = (0..4).map(|atom| (atom, letter >> atom & 1 == 1)).collect();
            let cube = guards.cube(&cube);
            guards.or(sum, cube)
        })
    }

    fn table_of(guards: &Guards, guard: Guard) -> u16 {
        (0..16_u64).filter(|letter| guards.holds(guard, letter)).map(|letter| 1 << letter).sum()
    }

    proptest! {
        #![proptest_config(sampling::runs(500, 2))]

        #[test]
        fn guards_are_sets_of_letters(first: u16, second: u16) {
            let mut guards = Guards::default();
            let (a, b) = (of_table(&mut guards, first), of_table(&mut guards, second));
            let (and, or, not) = (guards.and(a, b), guards.or(a, b), guards.not(a));
            prop_assert_eq!(table_of(&guards, and), first & second);
            prop_assert_eq!(table_of(&guards, or), first | second);
            prop_assert_eq!(table_of(&guards, not), !first);
            prop_assert_eq!(guards.implies(a, b), first & !second == 0);
            prop_assert_eq!(guards.not(not), a);
            prop_assert_eq!(guards.some_cube(a).is_some(), first != 0);
        }

        /// Without a cube, or without a literal of a cube, it would be another guard.
        #[test]
        fn sums_of_products_are_irredundant(table: u16) {
            let mut guards = Guards::default();
            let guard = of_table(&mut guards, table);
            let cubes = guards.cubes(guard);
            let sum = |guards: &mut Guards, cubes: &[Cube]| cubes.iter().fold(Guard::FALSE, |sum, cube| {
                let cube = guards.cube(cube);
                guards.or(sum, cube)
            });
            prop_assert_eq!(sum(&mut guards, &cubes), guard);
            for index in 0..cubes.len() {
                let mut fewer = cubes.clone();
                let cube = fewer.remove(index);
                prop_assert_ne!(sum(&mut guards, &fewer), guard);
                for literal in 0..cube.len() {
                    let mut wider = cube.clone();
                    wider.remove(literal);
                    let wider = guards.cube(&wider);
                    prop_assert!(!guards.implies(wider, guard));
                }
            }
        }
    }

    /// `(a0 | b0) & … & (a19 | b19)` has 2^20 products, and the union of 300 atoms 2^300 letters; neither is listed.
    #[test]
    fn many_atoms_do_no_harm() {
        let mut guards = Guards::default();
        let mut all = Guard::TRUE;
        for pair in 0..20 {
            let (a, b) = (guards.literal(2 * pair, true), guards.literal(2 * pair + 1, true));
            let one = guards.or(a, b);
            all = guards.and(all, one);
        }
        assert!(guards.holds(all, &0x5555_5555_5555_u64) && !guards.holds(all, &0x5555_5555_5554_u64));
        let some = (0..300).fold(Guard::FALSE, |sum, atom| {
            let literal = guards.literal(atom, true);
            guards.or(sum, literal)
        });
        assert_eq!(guards.cubes(some).len(), 300);
    }
}
