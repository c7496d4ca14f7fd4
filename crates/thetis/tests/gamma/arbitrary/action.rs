//! Statements.

use super::Writer;

impl Writer<'_> {
    /// Some statements on one line.
    pub(super) fn actions(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(most) {
            text += &self.action(2);
            text.push(' ');
        }
        text
    }
    fn block(&mut self, depth: usize) -> String {
        let scope = self.scope.clone();
        let mut text = "{ ".to_owned();
        if self.chance(15) {
            self.saw("local variable");
            let name = format!("l{}", scope.locals);
            text += &format!("var {name} : integer := {}; ", self.small(1));
            self.scope.locals += 1;
            self.scope.integers.push(name.clone());
            self.scope.writable.push(name);
        }
        for _ in 0..=self.below(2) {
            text += &self.action(depth);
            text.push(' ');
        }
        self.scope = scope;
        text + "}"
    }
    fn raise(&mut self) -> String {
        match self.below(7) {
            0 | 1 => "raise p.o;".to_owned(),
            2 | 3 => format!("raise p.n({}, {});", self.small(1), self.boolean(1)),
            4 => {
                self.saw("internal event");
                "raise p.i;".to_owned()
            }
            5 => format!("raise p.j({});", self.small(1)),
            _ if self.scope.required => {
                let (event, parameter) = self.one_of(&self.events_in());
                match parameter {
                    None => format!("raise q.{event};"),
                    Some("T") => format!("raise q.{event}({});", self.literal()),
                    Some(_) => format!("raise q.{event}({});", self.boolean(1)),
                }
            }
            _ => "raise p.o;".to_owned(),
        }
    }
    pub(super) fn assignment(&mut self) -> String {
        let writable = self.scope.writable.clone();
        if writable.is_empty() {
            return "no operation;".to_owned();
        }
        format!("{} := {};", self.one_of(&writable), self.small(2))
    }
    fn action(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.assignment();
        }
        let next = depth - 1;
        match self.below(20) {
            3 | 4 if !self.scope.pure => self.raise(),
            5 | 6 => {
                self.saw("if");
                let mut text = format!("if ({}) {}", self.boolean(1), self.block(next));
                if self.chance(30) {
                    text += &format!(" elseif ({}) {}", self.boolean(1), self.block(next));
                }
                if self.chance(50) {
                    text += &format!(" else {}", self.block(next));
                }
                text
            }
            7 => {
                self.saw("switch");
                let mut text = format!("switch ({}) {{ case 0 : {}", self.small(1), self.block(next));
                text += &format!(" case 1 : {}", self.block(next));
                if self.chance(50) {
                    text += &format!(" default : {}", self.block(next));
                }
                text + " }"
            }
            8 if self.scope.locals < 3 => {
                self.saw("for");
                let name = format!("v{}", self.scope.locals);
                let scope = self.scope.clone();
                let range = match self.below(3) {
                    0 => "<+ 0 .. 2 +>",
                    1 => "<- 0 .. K +>",
                    _ if self.scope.has_array => "arr",
                    _ => "<+ 1 .. 3 ->",
                };
                self.scope.locals += 1;
                self.scope.integers.push(name.clone());
                // What a loop over an array sees when the array changes is not said.
                let body = if range == "arr" {
                    self.scope.has_array = false;
                    format!("{{ {} }}", self.assignment())
                } else if self.chance(30) {
                    self.saw("break");
                    format!("{{ {} if ({}) {{ break; }} }}", self.assignment(), self.boolean(1))
                } else {
                    self.block(next)
                };
                self.scope = scope;
                format!("for ({name} : integer in {range}) {body}")
            }
            9 if !self.scope.pure => {
                self.saw("choice statement");
                let last = if self.chance(80) { "else".to_owned() } else { self.boolean(1) };
                let (first, second) = (self.boolean(1), self.boolean(1));
                format!(
                    "choice {{ branch [{first}] {} branch [{second}] {} branch [{last}] {} }}",
                    self.block(next),
                    self.block(next),
                    self.block(next)
                )
            }
            10 if self.scope.has_timeout && !self.scope.pure => {
                self.saw("timeout");
                "set t := 1 s;".to_owned()
            }
            11 if self.scope.procedures && !self.scope.pure => {
                self.saw("procedure with effects");
                format!("bump({});", self.small(1))
            }
            12 if self.scope.procedures && !self.scope.pure => {
                self.saw("procedure with effects");
                let writable = self.scope.writable.clone();
                let to = self.one_of(&writable);
                format!("{to} := (bump({}) + {} + bump({to})) mod 4;", self.small(1), self.integer(1))
            }
            13 if self.scope.has_array && !self.scope.pure => {
                self.saw("array");
                format!("arr[({} mod 3)] := {};", self.integer(1), self.small(1))
            }
            14 if self.scope.has_record && !self.scope.pure => {
                self.saw("record");
                match self.below(3) {
                    0 => format!("rec.f := {};", self.small(1)),
                    1 => format!("rec.g := {};", self.boolean(1)),
                    _ => format!("rec := #R {{ f := {}, g := {} }};", self.small(1), self.boolean(1)),
                }
            }
            15 if self.scope.has_enum && !self.scope.pure => format!("e := {};", self.literal()),
            16 if !self.scope.pure => {
                let to = self.scope.booleans.first().cloned();
                match to {
                    Some(to) => format!("{to} := {};", self.boolean(2)),
                    None => self.assignment(),
                }
            }
            17 if !self.scope.pure && self.chance(20) => {
                self.saw("assert");
                format!("assert({});", self.boolean(1))
            }
            18 => self.block(next),
            _ => self.assignment(),
        }
    }
}
