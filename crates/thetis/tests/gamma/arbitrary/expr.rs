//! Expressions and triggers, all of them in parentheses.

use super::Writer;

impl Writer<'_> {
    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(30) {
            let known = self.scope.integers.clone();
            return match self.below(4) {
                0 => self.below(4).to_string(),
                1 => "K".to_owned(),
                _ if known.is_empty() => "1".to_owned(),
                _ => self.one_of(&known),
            };
        }
        let next = depth - 1;
        match self.below(13) {
            0 | 1 => format!("({} + {})", self.integer(next), self.integer(next)),
            2 => format!("({} - {})", self.integer(next), self.integer(next)),
            3 => format!("({} * {})", self.integer(next), self.integer(next)),
            4 => {
                let divisor = self.one_of(&["2", "(-2)", "3"]);
                let op = self.one_of(&["div", "/", "mod"]);
                self.saw("division");
                format!("({} {op} {divisor})", self.integer(next))
            }
            5 => {
                self.saw("?:");
                format!("({} ? {} : {})", self.boolean(next), self.integer(next), self.integer(next))
            }
            6 => {
                self.saw("lambda");
                format!("twice({})", self.integer(next))
            }
            7 if self.scope.has_array => {
                self.saw("array");
                format!("arr[({} mod 3)]", self.integer(next))
            }
            8 if self.scope.has_record => {
                self.saw("record");
                "rec.f".to_owned()
            }
            9 if self.scope.required => "q.n::x".to_owned(),
            10 => "p.j::x".to_owned(),
            11 if self.scope.procedures => {
                self.saw("pure procedure");
                format!("pure({})", self.integer(next))
            }
            _ => format!("(-{})", self.integer(next)),
        }
    }
    /// An integer that stays small.
    pub(super) fn small(&mut self, depth: usize) -> String {
        format!("({} mod 4)", self.integer(depth))
    }
    pub(super) fn literal(&mut self) -> String {
        match self.below(4) {
            0 => "T::X".to_owned(),
            1 => "T::Y".to_owned(),
            2 if self.scope.has_enum => "e".to_owned(),
            3 if self.literal => "p.c::t".to_owned(),
            _ => "T::Y".to_owned(),
        }
    }
    pub(super) fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(30) {
            let known = self.scope.booleans.clone();
            return match self.below(6) {
                0 => "true".to_owned(),
                1 if self.flagged => "p.b::f".to_owned(),
                2 if self.persistent => "p.k::f".to_owned(),
                3 => {
                    let (event, _) = self.one_of(&self.events_in());
                    format!("(p.{event}::)")
                }
                _ if known.is_empty() => "false".to_owned(),
                _ => self.one_of(&known),
            };
        }
        let next = depth - 1;
        match self.below(14) {
            0..=2 => {
                let op = self.one_of(&["=", "<", "<=", ">", ">=", "/=", "==", "!="]);
                format!("({} {op} {})", self.integer(next), self.integer(next))
            }
            3 => format!("(not {})", self.boolean(next)),
            4..=6 => {
                let op = self.one_of(&["and", "or", "xor", "imply"]);
                format!("({} {op} {})", self.boolean(next), self.boolean(next))
            }
            7 | 8 if !self.scope.states.is_empty() => {
                self.saw("in-state");
                let states = self.scope.states.clone();
                let (region, state) = self.one_of(&states);
                format!("in-state({region}.{state})")
            }
            9 => {
                let op = self.one_of(&["=", "!="]);
                format!("({} {op} {})", self.literal(), self.literal())
            }
            10 if self.scope.has_record => "rec.g".to_owned(),
            11 => {
                self.saw("quantifier");
                let quantifier = self.one_of(&["forall", "exists"]);
                format!("({quantifier} (w : T) : (w = {}))", self.literal())
            }
            12 if self.scope.required => "q.n::f".to_owned(),
            13 if self.scope.required => "(q.o::)".to_owned(),
            _ => format!("({} ? {} : {})", self.boolean(next), self.boolean(next), self.boolean(next)),
        }
    }

    pub(super) fn trigger(&mut self, depth: usize) -> String {
        if depth > 0 && self.chance(25) {
            self.saw("complex trigger");
            return match self.below(3) {
                0 => format!("!({})", self.trigger_part(depth - 1)),
                _ => {
                    let op = self.one_of(&["&&", "||", "^", "->", "=="]);
                    format!("({} {op} {})", self.trigger_part(depth - 1), self.trigger_part(depth - 1))
                }
            };
        }
        match self.below(8) {
            6 => "cycle".to_owned(),
            7 => {
                self.saw("any");
                "any".to_owned()
            }
            _ => self.trigger_part(0),
        }
    }
    /// What may be combined.
    fn trigger_part(&mut self, depth: usize) -> String {
        if depth > 0 && self.chance(30) {
            return format!("!({})", self.trigger_part(depth - 1));
        }
        match self.below(9) {
            0..=3 => {
                let (event, _) = self.one_of(&self.events_in());
                format!("p.{event}")
            }
            4 => {
                self.saw("port.any");
                "p.any".to_owned()
            }
            5 if self.scope.required => self.one_of(&["q.o", "q.n"]).to_owned(),
            6 if self.scope.has_timeout => {
                self.saw("timeout");
                "timeout t".to_owned()
            }
            7 => {
                self.saw("internal event");
                self.one_of(&["p.i", "p.j"]).to_owned()
            }
            _ => "p.a".to_owned(),
        }
    }
}
