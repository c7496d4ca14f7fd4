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
const FEW: usize = 64;

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
        self.find(root, within, most, &mut |_| true)
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
            if count + stack.len() > FEW {
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
