//! Expressions, all of them in parentheses.

use super::{Bounds, DATA, Kind, Writer, array, within};

impl Writer<'_> {
    pub(super) fn literal(&mut self) -> String {
        self.below(4).to_string()
    }
    /// An integer; every operator is in parentheses.
    pub(super) fn int(&mut self, depth: usize) -> String {
        let data = |kind: &Kind| matches!(kind, Kind::Int { .. } | Kind::Bool { .. }).then_some(());
        if depth == 0 || self.chance(25) {
            return match self.pick(data) {
                Some((entry, ())) if self.chance(70) => entry.name,
                _ => self.literal(),
            };
        }
        let next = depth - 1;
        match self.below(14) {
            0 | 1 => format!("({} + {})", self.int(next), self.int(next)),
            2 => format!("({} - {})", self.int(next), self.int(next)),
            3 => format!("({} <? {})", self.int(next), self.int(next)),
            4 => format!("({} >? {})", self.int(next), self.int(next)),
            5 => {
                let op = self.one_of(&["*", "/", "%", "&", "|"]);
                // Bits are those of values whose range is declared.
                let next = if matches!(op, "&" | "|") { 0 } else { next };
                format!("({} {op} {})", self.int(next), self.int(next))
            }
            6 => format!("({} ? {} : {})", self.condition(next), self.int(next), self.int(next)),
            7 | 8 => self.entry().unwrap_or_else(|| self.literal()),
            9 => self.call(true).unwrap_or_else(|| self.literal()),
            10 => match self.pick(|kind| (*kind == Kind::Struct).then_some(())) {
                Some((entry, ())) => format!("{}.{}", entry.name, self.one_of(&["f", "g"])),
                None => self.literal(),
            },
            11 => {
                self.saw("shift");
                // Some results need more than 32 bits, and a few places are too many.
                let places = self.one_of(&["1", "2", "30", "31", "31 - 2", "32"]);
                format!("({} {} {places})", self.int(next), self.one_of(&["<<", "<<", ">>"]))
            }
            12 => {
                self.saw("power");
                // Few factors, usually; too many now and then.
                let count = self.int(0);
                let count = self.one_of(&["2", "3", "0", "32", &format!("({count} <? 3)")]).to_owned();
                format!("({} ** {count})", self.int(next.min(1)))
            }
            _ => self.counted(next),
        }
    }
    /// A sum, or an effect that has a value.
    fn counted(&mut self, depth: usize) -> String {
        if self.effects
            && self.chance(60)
            && let Some((name, _)) = self.changeable()
        {
            return match self.below(3) {
                0 => format!("({name}++)"),
                1 => format!("(--{name})"),
                _ => format!("({name} = {})", self.int(0)),
            };
        }
        self.saw("quantifier");
        let effects = std::mem::take(&mut self.effects);
        let name = self.one_of(&DATA);
        let top = self.below(3);
        let body = self.within(|w| {
            w.declare(name, Kind::Int { bounds: (0, top as i64), fixed: true });
            w.int(depth)
        });
        self.effects = effects;
        format!("(sum ({name} : int[0, {top}]) {body})")
    }
    /// An entry of an array, usually within it.
    pub(super) fn entry(&mut self) -> Option<String> {
        let (entry, (length, _)) = self.pick(array)?;
        let index = self.index(length);
        Some(format!("{}[{index}]", entry.name))
    }
    pub(super) fn index(&mut self, length: i64) -> String {
        match self.below(6) {
            0 => (self.below(length as usize)).to_string(),
            1 | 2 => match self.pick(|kind| within(kind, (0, length - 1))) {
                Some((entry, ())) => entry.name,
                None => "0".to_owned(),
            },
            3 | 4 => format!("(({} >? 0) <? {})", self.int(1), length - 1),
            _ => self.int(1),
        }
    }
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(30) {
            if self.chance(25)
                && let Some((entry, ())) = self.pick(|kind| matches!(kind, Kind::Bool { .. }).then_some(()))
            {
                return entry.name;
            }
            if self.chance(10)
                && let Some(text) = self.same()
            {
                return text;
            }
            let called = if self.chance(20) { self.call(true) } else { None };
            let left = called.unwrap_or_else(|| self.int(depth.min(1)));
            let op = self.one_of(&["<=", "==", "!=", "<", ">", ">="]);
            return format!("{left} {op} {}", self.int(0));
        }
        let next = depth - 1;
        match self.below(6) {
            0 | 1 => format!("({} && {})", self.condition(next), self.condition(next)),
            2 => format!("({} || {})", self.condition(next), self.condition(next)),
            3 => format!("!({})", self.condition(next)),
            4 => format!("({} imply {})", self.condition(next), self.condition(next)),
            _ => {
                self.saw("quantifier");
                let effects = std::mem::take(&mut self.effects);
                let (quantifier, name) = (self.one_of(&["forall", "exists"]), self.one_of(&DATA));
                let top = self.below(3);
                let body = self.within(|w| {
                    w.declare(name, Kind::Int { bounds: (0, top as i64), fixed: true });
                    w.condition(next)
                });
                self.effects = effects;
                format!("({quantifier} ({name} : int[0, {top}]) {body})")
            }
        }
    }
    /// A comparison of arrays or structures.
    fn same(&mut self) -> Option<String> {
        let aggregate = |kind: &Kind| matches!(kind, Kind::Array { .. } | Kind::Struct).then(|| kind.clone());
        let (first, kind) = self.pick(aggregate)?;
        let (second, ()) = self.pick(|other| (*other == kind).then_some(()))?;
        Some(format!("{} {} {}", first.name, self.one_of(&["==", "!="]), second.name))
    }
    /// A call of a visible function that is allowed here.
    pub(super) fn call(&mut self, returns: bool) -> Option<String> {
        let effects = self.effects;
        let (entry, signature) = self.pick(|kind| match kind {
            Kind::Function(signature) if returns <= signature.returns && signature.effects <= effects => {
                Some(signature.clone())
            }
            _ => None,
        })?;
        let mut args = vec![];
        for (wanted, by_reference) in signature.params {
            args.push(match wanted {
                Kind::Int { bounds, .. } if !by_reference => self.fitting(bounds),
                wanted => {
                    let (given, ()) = self.pick(|kind| (*kind == wanted).then_some(()))?;
                    self.had_effects |= by_reference && given.outside;
                    given.name
                }
            });
        }
        if signature.effects {
            self.had_effects = true;
            self.saw("call with effects");
        }
        Some(format!("{}({})", entry.name, args.join(", ")))
    }
    /// An integer that usually lies within bounds.
    pub(super) fn fitting(&mut self, (low, high): Bounds) -> String {
        match self.below(6) {
            0 => (low + self.below((high - low + 1) as usize) as i64).to_string(),
            1..5 => format!("(({} >? {low}) <? {high})", self.int(1)),
            _ => self.int(1),
        }
    }
}
