//! The ways in which a condition on clocks can hold.
//!
//! Once the values of data are put in, most parts of a condition are decided, and what is left is a
//! formula over constraints of clocks, with negations nowhere: a [`Residue`]. Its *ways* are conjunctions of
//! constraints that together contain exactly the valuations which satisfy it. If there are few when it is
//! multiplied out, these are taken. A conjunction of many disjunctions has far too many, and nearly all of
//! them are empty or contain the same valuations. So, otherwise, the valuations are cut into pieces:
//!
//! - A constraint that must hold is added to the piece. A part that holds everywhere in the piece, or
//!   nowhere, is decided there; a disjunction with one part left is this part.
//! - If one disjunction is left to satisfy, each of its parts is a piece of its own. These may overlap.
//! - If several are left, the piece is cut along a constraint of the first: on one side the constraint
//!   holds, and on the other its opposite.
//!
//! In every step, the valuations of a piece that satisfy the condition are those of the pieces it becomes
//! that do, so none is lost; and a piece is a way when nothing is left to satisfy, so none is added. An empty
//! piece is dropped at once. Cuts make pieces that do not overlap, so there are no more than constraints cut
//! the valuations into, which for few clocks is a small power of their number. Each cut decides a
//! constraint for good, and each disjunction that is left alone is followed into its parts, so this ends.
//!
//! Within a zone only what is true of the zone matters, so a way may leave out what holds all over it, and is
//! one for this zone only. Up to simulation, take `v` and the `w` of the zone that simulates it, as in
//! [`super::simulation`]. If `v` satisfies the condition, then `w` satisfies all constraints that `v` does
//! and that are kept. No part is negated, so `w` satisfies the condition with those that are not kept read as
//! true, and lies in one of the ways of that.
//!
//! What is unknown of data may hold or not: a way that needs it is *guessed*.

use ir::ClockRange;

use super::path::Op;
use super::simulation::{Touched, keep};
use crate::dbm::{Dbm, bound, reversed};

/// A condition for known data.
#[derive(Default)]
pub(super) struct Residue {
    /// Parts come before what they are part of.
    parts: Vec<Part>,
}

/// The number of a part, or that it is decided.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Left {
    Known(bool),
    /// Depends on unknown data.
    Unknown,
    Part(u32),
}

enum Part {
    Constraint(Constraint),
    And(Vec<Left>),
    Or(Vec<Left>),
}

/// `plus - minus ≺ constant`, over clock numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    pub(super) plus: u32,
    pub(super) minus: u32,
    pub(super) constant: i32,
    pub(super) strict: bool,
}

/// A way in which a condition can hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) constraints: Vec<Constraint>,
    /// Whether that depends on unknown data.
    pub(super) guessed: bool,
}

/// There are more ways than were asked for.
#[derive(Debug)]
pub(super) struct TooMany;

/// If there are at most so many ways when a condition is multiplied out, these are taken.
const MOST_WAYS_MULTIPLIED_OUT: usize = 64;

/// The valuations that matter.
pub(super) struct Within<'a> {
    pub(super) zone: &'a Dbm,
    /// Up to simulation, the constants of the source and the clocks set since.
    pub(super) simulation: Option<(&'a [ClockRange], &'a Touched)>,
}

impl Constraint {
    fn opposite(self) -> Constraint {
        let Constraint { plus, minus, constant, strict } = self;
        Constraint { plus: minus, minus: plus, constant: -constant, strict: !strict }
    }
    fn bound(self) -> i32 {
        bound(self.constant.into(), self.strict)
    }
    pub(super) fn op(self) -> Op {
        let Constraint { plus, minus, constant, strict } = self;
        Op::Constrain { plus, minus, constant, strict }
    }
}

impl Within<'_> {
    fn keeps(&self, one: Constraint) -> bool {
        self.simulation.is_none_or(|(constants, touched)| {
            keep(constants, (one.plus as usize, one.minus as usize), one.constant.into(), one.strict, touched)
        })
    }
}

impl Residue {
    pub(super) fn constraint(&mut self, constraint: Constraint) -> Left {
        self.add(Part::Constraint(constraint))
    }
    /// What is left of a conjunction if `every` part must hold, or else of a disjunction; none of the parts
    /// decides it.
    pub(super) fn join(&mut self, every: bool, parts: Vec<Left>) -> Left {
        match *parts {
            [] => Left::Known(every),
            [one] => one,
            _ if every => self.add(Part::And(parts)),
            _ => self.add(Part::Or(parts)),
        }
    }
    fn add(&mut self, part: Part) -> Left {
        self.parts.push(part);
        Left::Part(self.parts.len() as u32 - 1)
    }
    fn part(&self, at: u32) -> &Part {
        &self.parts[at as usize]
    }
    /// The ways in which `root` can hold, where that matters or for all valuations of `dim - 1` clocks, unless
    /// more than `most` pieces come up.
    pub(super) fn ways(
        &self,
        root: Left,
        within: Option<&Within<'_>>,
        dim: usize,
        most: usize,
    ) -> Result<Vec<Way>, TooMany> {
        if let Some(few) = self.multiplied_out(root) {
            return Ok(few);
        }
        let mut ways = vec![];
        let mut visit = |way| {
            ways.push(way);
            false
        };
        match within {
            Some(within) => self.find(root, within, most, &mut visit)?,
            None => {
                let within = Within { zone: &Dbm::all(dim), simulation: None };
                self.find(root, &within, most, &mut visit)?
            }
        };
        Ok(ways)
    }
    /// Whether `root` can hold.
    pub(super) fn can_hold(&self, root: Left, within: &Within<'_>, most: usize) -> Result<bool, TooMany> {
        match root {
            Left::Known(holds) => Ok(holds),
            Left::Unknown => Ok(true),
            Left::Part(_) => self.find(root, within, most, &mut |_| true),
        }
    }
    /// The ways in which `root` can hold when it is multiplied out, if there are few.
    fn multiplied_out(&self, root: Left) -> Option<Vec<Way>> {
        let mut ways: Vec<Way> = vec![];
        let mut stack = vec![(vec![root], Way::default())];
        let mut count = 0;
        while let Some((mut goals, mut way)) = stack.pop() {
            let is_whole = loop {
                let Some(goal) = goals.pop() else { break true };
                match goal {
                    Left::Known(true) => {}
                    Left::Known(false) => break false,
                    Left::Unknown => way.guessed = true,
                    Left::Part(at) => match self.part(at) {
                        Part::Constraint(one) => way.constraints.push(*one),
                        Part::And(parts) => goals.extend(parts.iter().rev()),
                        Part::Or(parts) => {
                            for part in parts.iter().rev() {
                                let mut goals = goals.clone();
                                goals.push(*part);
                                stack.push((goals, way.clone()));
                            }
                            break false;
                        }
                    },
                }
            };
            if is_whole {
                count += 1;
                add_unless_contained(&mut ways, way);
            }
            if count + stack.len() > MOST_WAYS_MULTIPLIED_OUT {
                return None;
            }
        }
        Some(ways)
    }
    /// Cuts the valuations that matter into ways, until one pleases `visit`; whether one did.
    fn find(
        &self,
        root: Left,
        within: &Within<'_>,
        most: usize,
        visit: &mut dyn FnMut(Way) -> bool,
    ) -> Result<bool, TooMany> {
        let start = Piece { goals: vec![root], zone: within.zone.clone(), way: Way::default() };
        let mut stack = vec![start];
        let mut truths = vec![];
        let mut count = 0;
        while let Some(mut piece) = stack.pop() {
            count += 1;
            if count > most {
                return Err(TooMany);
            }
            if !self.reduce(within, &mut piece, &mut truths) {
                continue;
            }
            let live = |part: &&Left| truth(&truths, **part) != Truth::No;
            match *piece.goals {
                [] => {
                    if visit(piece.way) {
                        return Ok(true);
                    }
                }
                [one] => {
                    for part in self.disjuncts(one).iter().filter(live).rev() {
                        stack.push(Piece { goals: vec![*part], ..piece.clone() });
                    }
                }
                [first, ..] => {
                    let cut = self.undecided(first, &truths);
                    for side in [cut.opposite(), cut] {
                        let mut piece = piece.clone();
                        if piece.constrain(within, side) {
                            stack.push(piece);
                        }
                    }
                }
            }
        }
        Ok(false)
    }
    /// Settles all that one constraint after the other decides, so that disjunctions are left; false if
    /// nothing of the piece is.
    fn reduce(&self, within: &Within<'_>, piece: &mut Piece, truths: &mut Vec<Truth>) -> bool {
        loop {
            self.evaluate(within, piece, truths);
            let mut changed = false;
            let mut goals = std::mem::take(&mut piece.goals);
            goals.reverse();
            while let Some(goal) = goals.pop() {
                match truth(truths, goal) {
                    Truth::No => return false,
                    Truth::Yes => continue,
                    Truth::Maybe => {
                        piece.way.guessed = true;
                        continue;
                    }
                    Truth::Undecided => {}
                }
                let Left::Part(at) = goal else { unreachable!("all else is decided") };
                match self.part(at) {
                    Part::Constraint(one) => {
                        if !piece.constrain(within, *one) {
                            return false;
                        }
                        changed = true;
                    }
                    Part::And(parts) => goals.extend(parts.iter().rev()),
                    Part::Or(parts) => {
                        let mut live = parts.iter().filter(|part| truth(truths, **part) != Truth::No);
                        match (live.next(), live.next()) {
                            (Some(one), None) => goals.push(*one),
                            _ if piece.goals.contains(&goal) => {}
                            _ => piece.goals.push(goal),
                        }
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }
    /// What is known of every part in a piece.
    fn evaluate(&self, within: &Within<'_>, piece: &Piece, truths: &mut Vec<Truth>) {
        truths.clear();
        for part in &self.parts {
            let value = match part {
                Part::Constraint(one) if !within.keeps(*one) => Truth::Yes,
                Part::Constraint(one) => piece.truth(*one),
                Part::And(parts) => {
                    parts.iter().map(|part| truth(truths, *part)).fold(Truth::Yes, Truth::and)
                }
                Part::Or(parts) => parts.iter().map(|part| truth(truths, *part)).fold(Truth::No, Truth::or),
            };
            truths.push(value);
        }
    }
    fn disjuncts(&self, goal: Left) -> &[Left] {
        match goal {
            Left::Part(at) if let Part::Or(parts) = self.part(at) => parts,
            _ => unreachable!("disjunctions are left"),
        }
    }
    /// A constraint that a part which is not decided depends on.
    fn undecided(&self, mut goal: Left, truths: &[Truth]) -> Constraint {
        loop {
            let Left::Part(at) = goal else { unreachable!("all else is decided") };
            match self.part(at) {
                Part::Constraint(one) => return *one,
                Part::And(parts) | Part::Or(parts) => {
                    let open = parts.iter().find(|part| truth(truths, **part) == Truth::Undecided);
                    goal = *open.expect("or else this would be decided");
                }
            }
        }
    }
}

/// A way that asks for less of clocks, and for nothing unknown of data, contains another.
fn add_unless_contained(ways: &mut Vec<Way>, way: Way) {
    let contains = |big: &Way, small: &Way| big.constraints.iter().all(|one| small.constraints.contains(one));
    if !ways.iter().any(|other| !other.guessed && contains(other, &way)) {
        ways.retain(|other| way.guessed || !contains(&way, other));
        ways.push(way);
    }
}

/// Valuations with what is left for them to satisfy.
#[derive(Clone)]
struct Piece {
    goals: Vec<Left>,
    zone: Dbm,
    way: Way,
}

impl Piece {
    /// Adds a constraint; false if no valuation is left. One that is not kept cuts nothing off.
    fn constrain(&mut self, within: &Within<'_>, one: Constraint) -> bool {
        self.way.constraints.push(one);
        !within.keeps(one) || self.zone.constrain(one.plus as usize, one.minus as usize, one.bound())
    }
    fn truth(&self, one: Constraint) -> Truth {
        let (plus, minus) = (one.plus as usize, one.minus as usize);
        if self.way.constraints.contains(&one) || self.zone.limit(plus, minus) <= one.bound() {
            Truth::Yes
        } else if self.way.constraints.contains(&one.opposite())
            || self.zone.limit(minus, plus) <= reversed(one.bound())
        {
            Truth::No
        } else {
            Truth::Undecided
        }
    }
}

/// What is known of a part in a piece.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Truth {
    No,
    Yes,
    /// Depends on unknown data only.
    Maybe,
    Undecided,
}

impl Truth {
    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Undecided, _) | (_, Truth::Undecided) => Truth::Undecided,
            (Truth::Maybe, _) | (_, Truth::Maybe) => Truth::Maybe,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
        }
    }
    fn or(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
            (Truth::Undecided, _) | (_, Truth::Undecided) => Truth::Undecided,
            (Truth::Maybe, _) | (_, Truth::Maybe) => Truth::Maybe,
            (Truth::No, Truth::No) => Truth::No,
        }
    }
}

fn truth(truths: &[Truth], part: Left) -> Truth {
    match part {
        Left::Known(true) => Truth::Yes,
        Left::Known(false) => Truth::No,
        Left::Unknown => Truth::Maybe,
        Left::Part(at) => truths[at as usize],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::simulation::untouched;
    use super::*;

    /// A condition as it is written.
    #[derive(Clone, Debug)]
    enum Tree {
        Constraint(Constraint),
        Unknown,
        And(Vec<Tree>),
        Or(Vec<Tree>),
    }

    impl Tree {
        fn add(&self, residue: &mut Residue) -> Left {
            let (every, parts) = match self {
                Tree::Constraint(one) => return residue.constraint(*one),
                Tree::Unknown => return Left::Unknown,
                Tree::And(parts) => (true, parts),
                Tree::Or(parts) => (false, parts),
            };
            let parts: Vec<Left> = parts.iter().map(|part| part.add(residue)).collect();
            match parts.contains(&Left::Known(!every)) {
                true => Left::Known(!every),
                false => {
                    residue.join(every, parts.into_iter().filter(|p| *p != Left::Known(every)).collect())
                }
            }
        }
        /// Whether a valuation satisfies it where what is unknown holds or not.
        fn holds(&self, v: Valuation, unknown: bool) -> bool {
            match self {
                Tree::Constraint(one) => passes(v, *one),
                Tree::Unknown => unknown,
                Tree::And(parts) => parts.iter().all(|part| part.holds(v, unknown)),
                Tree::Or(parts) => parts.iter().any(|part| part.holds(v, unknown)),
            }
        }
    }

    /// Zero and two clocks, in thirds: enough to tell apart whatever constraints with integers do.
    type Valuation = [i32; 3];

    fn valuations() -> impl Iterator<Item = Valuation> {
        (0..=13).flat_map(|x| (0..=13).map(move |y| [0, x, y]))
    }

    fn passes(v: Valuation, one: Constraint) -> bool {
        let (difference, limit) = (v[one.plus as usize] - v[one.minus as usize], 3 * one.constant);
        if one.strict { difference < limit } else { difference <= limit }
    }

    fn constraint() -> impl Strategy<Value = Constraint> {
        let clocks = prop_oneof![Just((1, 0)), Just((0, 1)), Just((2, 0)), Just((0, 2)), Just((1, 2))];
        (clocks, 0..4i32, any::<bool>()).prop_map(|((plus, minus), constant, strict)| {
            let constant = if plus == 0 { -constant } else { constant };
            Constraint { plus, minus, constant, strict }
        })
    }

    fn tree() -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![6 => constraint().prop_map(Tree::Constraint), 1 => Just(Tree::Unknown)];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let parts = prop::collection::vec(inner, 0..4);
            prop_oneof![parts.clone().prop_map(Tree::And), parts.prop_map(Tree::Or)]
        })
    }

    fn read(tree: &Tree) -> (Residue, Left) {
        let mut residue = Residue::default();
        let root = tree.add(&mut residue);
        (residue, root)
    }

    /// The ways found by cutting, however few there are.
    fn cut(residue: &Residue, root: Left, within: &Within<'_>) -> Vec<Way> {
        let mut ways = vec![];
        let mut visit = |way| {
            ways.push(way);
            false
        };
        residue.find(root, within, usize::MAX, &mut visit).expect("no limit");
        ways
    }

    fn zone_of(constraints: &[Constraint]) -> Option<Dbm> {
        let mut zone = Dbm::all(3);
        let add = |one: &Constraint| zone.constrain(one.plus as usize, one.minus as usize, one.bound());
        constraints.iter().all(add).then_some(zone)
    }

    proptest! {
        #![proptest_config(sampling::runs(1000, 0x91ece5))]

        /// Ways that need no guess contain what satisfies a condition whatever is unknown, and all together
        /// what satisfies it if the unknown helps.
        #[test]
        fn ways_contain_what_satisfies_a_condition(
            tree in tree(),
            limits in prop::collection::vec(constraint(), 0..4),
        ) {
            let (residue, root) = read(&tree);
            let everywhere = residue.ways(root, None, 3, usize::MAX).expect("no limit");
            let all = Dbm::all(3);
            let pieces = cut(&residue, root, &Within { zone: &all, simulation: None });
            let zone = zone_of(&limits);
            let inside = zone.as_ref().map(|zone| {
                let within = Within { zone, simulation: None };
                let can_hold = residue.can_hold(root, &within, usize::MAX).expect("no limit");
                let ways = cut(&residue, root, &within);
                assert_eq!(can_hold, !ways.is_empty());
                ways
            });
            for v in valuations() {
                let in_zone = inside.as_ref().filter(|_| limits.iter().all(|one| passes(v, *one)));
                for ways in [Some(&everywhere), Some(&pieces), in_zone].into_iter().flatten() {
                    let contains = |way: &&Way| way.constraints.iter().all(|one| passes(v, *one));
                    let (some, sure) =
                        (ways.iter().any(|w| contains(&w)), ways.iter().any(|w| !w.guessed && contains(&w)));
                    prop_assert_eq!(some, tree.holds(v, true), "{:?} in {:?}", v, ways);
                    prop_assert_eq!(sure, tree.holds(v, false), "{:?} in {:?}", v, ways);
                }
            }
        }

        /// What simulates a valuation that satisfies a condition passes one of the ways, as far as these are
        /// kept.
        #[test]
        fn what_simulates_passes_a_way(
            tree in tree(),
            limits in prop::collection::vec(constraint(), 0..4),
            constants in prop::collection::vec((prop::option::of(0..3i64), prop::option::of(0..3i64)), 2),
        ) {
            let (residue, root) = read(&tree);
            let Some(zone) = zone_of(&limits) else { return Ok(()) };
            let touched = untouched(3);
            let within = Within { zone: &zone, simulation: Some((&constants, &touched)) };
            let ways = cut(&residue, root, &within);
            prop_assert_eq!(residue.can_hold(root, &within, usize::MAX).expect("no limit"), !ways.is_empty());
            let beyond = |limit: Option<i64>, v: i32| limit.is_none_or(|limit| 3 * limit < i64::from(v));
            let simulates = |w: Valuation, v: Valuation| (1..3).all(|x| {
                let (lower, upper) = constants[x - 1];
                w[x] == v[x] || beyond(lower, w[x]) && w[x] < v[x] || beyond(upper, v[x]) && v[x] < w[x]
            });
            let passing = |w: Valuation| ways.iter().any(|way| {
                way.constraints.iter().all(|one| !within.keeps(*one) || passes(w, *one))
            });
            for w in valuations().filter(|w| limits.iter().all(|one| passes(*w, *one)) && !passing(*w)) {
                for v in valuations().filter(|v| simulates(w, *v)) {
                    prop_assert!(!tree.holds(v, true), "{:?} for {:?} in {:?}", w, v, ways);
                }
            }
        }
    }

    fn below(clock: u32, constant: i32) -> Tree {
        Tree::Constraint(Constraint { plus: clock, minus: 0, constant, strict: true })
    }

    /// Multiplied out, there are 2^40 ways. Two clocks are cut by 40 constants each into no more than 41 times
    /// 41 pieces, and each cut has two sides.
    #[test]
    fn many_disjunctions_over_few_clocks_are_few_pieces() {
        let parts = (1..=40).rev().map(|i| Tree::Or(vec![below(1, i), below(2, i)])).collect();
        let (residue, root) = read(&Tree::And(parts));
        assert!(residue.ways(root, None, 3, 2 * 41 * 41).is_ok());
    }

    /// Disjunctions over clocks of their own have a way for each choice in each.
    #[test]
    fn too_many_ways_are_given_up() {
        let parts = (0..13).map(|i| Tree::Or(vec![below(2 * i + 1, 1), below(2 * i + 2, 1)])).collect();
        let (residue, root) = read(&Tree::And(parts));
        assert!(residue.ways(root, None, 27, 1 << 12).is_err());
        assert_eq!(residue.ways(root, None, 27, 1 << 15).unwrap().len(), 1 << 13);
    }

    /// One disjunction is not cut: its parts are the ways, however many.
    #[test]
    fn a_disjunction_alone_is_its_parts() {
        let part = |i: u32| Tree::And(vec![below(2 * i + 1, 1), below(2 * i + 2, 1)]);
        let (residue, root) = read(&Tree::Or((0..100).map(part).collect()));
        assert_eq!(residue.ways(root, None, 201, 101).unwrap().len(), 100);
    }
}
