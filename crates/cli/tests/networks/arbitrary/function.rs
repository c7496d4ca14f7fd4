//! Functions and their statements.

use std::fmt::Write;

use super::{BOUNDS, Bounds, DATA, Entry, FUNCTIONS, Kind, STRUCT, Signature, Writer};

impl Writer<'_> {
    /// A name that may be changed here, and whose kind gives something.
    fn pick_changeable<T: Clone>(&mut self, wanted: impl Fn(&Kind) -> Option<T>) -> Option<(String, T)> {
        let fits: Vec<(Entry, T)> = self
            .visible()
            .into_iter()
            .filter(|entry| self.effects || !entry.outside)
            .filter_map(|entry| wanted(&entry.kind).map(|found| (entry, found)))
            .collect();
        if fits.is_empty() {
            return None;
        }
        let (entry, found) = self.one_of(&fits);
        self.had_effects |= entry.outside;
        Some((entry.name, found))
    }
    /// An integer that may be changed here, with its bounds.
    pub(super) fn changeable(&mut self) -> Option<(String, Bounds)> {
        self.pick_changeable(|kind| match kind {
            Kind::Int { bounds, fixed: false } => Some(*bounds),
            _ => None,
        })
    }
    /// An expression for its effects.
    pub(super) fn assignment(&mut self) -> String {
        match self.below(9) {
            3 | 4 => self.whole(),
            5 => self
                .pick_changeable(|kind| (*kind == Kind::Bool { fixed: false }).then_some(()))
                .map(|(name, ())| format!("{name} = {}", self.condition(1))),
            6 | 7 => self.call(false),
            _ => None,
        }
        .unwrap_or_else(|| self.plain())
    }
    /// A change of an array or a structure, or of a part.
    fn whole(&mut self) -> Option<String> {
        let (name, kind) = self.pick_changeable(|kind| match kind {
            Kind::Array { fixed: false, .. } | Kind::Struct => Some(kind.clone()),
            _ => None,
        })?;
        let other = self.pick(|other| (*other == kind).then_some(()));
        Some(match (kind, other) {
            (_, Some((other, ()))) if self.chance(25) => format!("{name} = {}", other.name),
            (Kind::Array { length, bounds, .. }, _) => {
                format!("{name}[{}] = {}", self.index(length), self.fitting(bounds))
            }
            _ if self.chance(30) => format!("{name}.g = {}", self.condition(0)),
            _ => format!("{name}.f = {}", self.fitting((0, 3))),
        })
    }
    fn plain(&mut self) -> String {
        let Some((name, bounds)) = self.changeable() else { return "0".to_owned() };
        match self.below(8) {
            0..4 => format!("{name} = {}", self.fitting(bounds)),
            4 => format!("{name} = {}", self.int(2)),
            5 => format!("{name} += {}", self.int(0)),
            6 => format!("{name} = ({name} + 1) % {}", bounds.1 + 1),
            _ => format!("{name}{}", self.one_of(&["++", "--"])),
        }
    }
    fn statement(&mut self, depth: usize, returns: bool) -> String {
        let kind = if depth == 0 { 0 } else { self.below(7) };
        match kind {
            3 => {
                let condition = self.condition(1);
                let then = self.statement(depth - 1, returns);
                let otherwise = if self.chance(50) {
                    format!(" else {{ {} }}", self.statement(depth - 1, returns))
                } else {
                    String::new()
                };
                format!("if ({condition}) {{ {then} }}{otherwise}")
            }
            4 => self.repeated(depth - 1, returns),
            5 => {
                self.saw("block in a function");
                format!("{{ {} }}", self.within(|w| w.body(depth - 1, returns)))
            }
            6 if returns && self.chance(50) => {
                format!("if ({}) return {};", self.condition(1), self.fitting((-9, 9)))
            }
            6 => self.counting(depth - 1, returns),
            _ => format!("{};", self.assignment()),
        }
    }
    /// A loop over the values of a type.
    fn repeated(&mut self, depth: usize, returns: bool) -> String {
        self.saw("loop");
        let (name, top) = (self.one_of(&DATA), self.below(3));
        let body = self.within(|w| {
            w.declare(name, Kind::Int { bounds: (0, top as i64), fixed: true });
            w.statement(depth, returns)
        });
        format!("for ({name} : int[0, {top}]) {{ {body} }}")
    }
    /// A loop with a counter that is out of reach for what is repeated, up to a number or as data say.
    fn counting(&mut self, depth: usize, returns: bool) -> String {
        self.saw("loop");
        let body = self.statement(depth, returns);
        match self.below(7) {
            3 | 4 => {
                self.saw("loop over data");
                let end = self.fitting((0, 4));
                format!("{{ int round = 0, end = {end}; while (round < end) {{ round++; {body} }} }}")
            }
            5 => {
                self.saw("loop on values");
                let left = self.fitting((0, 9));
                format!("{{ int[0, 9] left = {left}; while (left != 0) {{ left = left / 2; {body} }} }}")
            }
            6 => {
                self.saw("loop behind a range");
                let (more, less) = (self.int(0), self.fitting((1, 4)));
                let turn = "if (more > less) more -= less; else less -= more;";
                format!(
                    "{{ int[1, 4] more = {more}, less = {less}; while (more != less) {{ {turn} {body} }} }}"
                )
            }
            0 => format!("{{ int round = 0; while (round < 2) {{ round++; {body} }} }}"),
            1 => format!("{{ int round; for (round = 0; round < 2; round++) {{ {body} }} }}"),
            _ => format!("{{ int round = 0; do {{ round++; {body} }} while (round < 2); }}"),
        }
    }
    /// Declarations and statements.
    fn body(&mut self, depth: usize, returns: bool) -> String {
        let mut text = String::new();
        for _ in 0..self.below(3) {
            let Some(name) = self.fresh(&DATA) else { break };
            let (bounds, hides) = (self.one_of(&BOUNDS), self.scope.iter().any(|entry| entry.name == name));
            if hides {
                self.saw("hidden by a function");
            }
            let kind = match self.below(6) {
                4 => Kind::Array { length: 2, bounds, fixed: false },
                5 => Kind::Struct,
                _ => Kind::Int { bounds, fixed: false },
            };
            let initial = if self.chance(70) { format!(" = {}", self.initial(&kind)) } else { String::new() };
            let _ = write!(text, "{}{initial}; ", declared(&kind, "", &name));
            self.scope.push(Entry { name, kind, outside: false });
        }
        for _ in 0..1 + self.below(3) {
            text += &self.statement(depth, returns);
            text.push(' ');
        }
        text
    }
    /// What a variable of a function starts with.
    fn initial(&mut self, kind: &Kind) -> String {
        match kind {
            Kind::Array { bounds, .. } => {
                self.saw("list in a function");
                format!("{{ {}, {} }}", self.fitting(*bounds), self.fitting(*bounds))
            }
            Kind::Int { bounds, .. } => self.fitting(*bounds),
            _ => {
                self.saw("list in a function");
                format!("{{ {}, {} }}", self.fitting((0, 3)), self.condition(0))
            }
        }
    }
    pub(super) fn function(&mut self) {
        let Some(name) = self.fresh(&FUNCTIONS) else { return };
        if self.scope.iter().any(|entry| entry.name == name) {
            self.saw("function hides a function");
        }
        let returns = self.chance(60);
        let (effects, had) = (self.effects, self.had_effects);
        (self.effects, self.had_effects) = (self.chance(50), false);
        let in_template = std::mem::take(&mut self.in_template);
        let mut params = vec![];
        let mut shown = vec![];
        let body = self.within(|w| {
            let itself = Entry { name: name.clone(), kind: Kind::Itself, outside: true };
            let mut entries = vec![itself];
            for _ in 0..w.below(3) {
                let (bounds, by_reference) = (w.one_of(&BOUNDS), w.chance(30));
                let name = DATA[params.len() * 2 + w.below(2)];
                let kind = match w.below(6) {
                    4 => Kind::Array { length: 2, bounds, fixed: false },
                    5 => Kind::Struct,
                    _ => Kind::Int { bounds, fixed: false },
                };
                shown.push(declared(&kind, if by_reference { "&" } else { "" }, name));
                params.push((kind.clone(), by_reference));
                entries.push(Entry { name: name.to_owned(), kind, outside: by_reference });
            }
            w.scope.extend(entries);
            let body = w.body(2, returns);
            if returns { format!("{body}return {};", w.fitting((-9, 9))) } else { body }
        });
        self.effects = effects;
        let effects = std::mem::replace(&mut self.had_effects, had);
        self.in_template = in_template;
        if params.iter().any(|(_, by_reference)| *by_reference) {
            self.saw("reference parameter");
        }
        let result = if returns { "int[-9, 9]" } else { "void" };
        self.write(&format!("{result} {name}({}) {{ {body} }}\n", shown.join(", ")));
        self.after_function |= self.in_template;
        self.declare(&name, Kind::Function(Signature { params, returns, effects }));
    }
}

/// A parameter or a variable of a function; `mark` stands before its name.
fn declared(kind: &Kind, mark: &str, name: &str) -> String {
    match kind {
        Kind::Array { length, bounds: (low, high), .. } => {
            format!("int[{low}, {high}] {mark}{name}[{length}]")
        }
        Kind::Int { bounds: (low, high), .. } => format!("int[{low}, {high}] {mark}{name}"),
        _ => format!("{STRUCT} {mark}{name}"),
    }
}
