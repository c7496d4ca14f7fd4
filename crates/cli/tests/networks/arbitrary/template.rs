//! Templates: parameters, locations and edges.

use std::fmt::Write;

use super::{
    BOUNDS, CLOCKS, DATA, Entry, FUNCTIONS, Kind, Passing, Style, Template, Writer, prefixed, within,
};

impl Writer<'_> {
    pub(super) fn template(&mut self, name: &str) {
        self.write(&format!("process {name}("));
        self.within(|w| {
            w.in_template = true;
            w.after_function = false;
            let params = w.params();
            w.write(") {\n");
            for _ in 0..2 + w.below(4) {
                if w.chance(35) { w.function() } else { w.variable() }
            }
            w.switched = w.stops && w.chance(80);
            if w.switched {
                w.write("int run = 1;\n");
            }
            let branches = if w.chance(35) { 1 + w.below(2) } else { 0 };
            let locations = w.locations(branches, params.len());
            w.edges(locations, branches);
            w.write("}\n");
            let members = w.scope[w.floor..].iter().enumerate();
            let own =
                members.filter(|(at, _)| params.get(*at).is_none_or(|(_, how)| *how != Passing::Reference));
            let members = own.map(|(_, entry)| entry.clone()).collect();
            let template = Template { name: name.to_owned(), params, members, locations };
            w.templates.push(template);
            w.in_template = false;
        });
    }
    /// A condition behind which a rate stands.
    fn conditional_rate(&mut self) -> String {
        self.saw("conditional rate");
        format!("({})", self.condition(0))
    }
    fn params(&mut self) -> Vec<(Kind, Passing)> {
        let mut params = vec![];
        for _ in 0..self.below(4) {
            let how = self.one_of(&[Passing::Constant, Passing::Value, Passing::Reference]);
            let bounds = self.one_of(&BOUNDS);
            let chan = self.pick(|kind| match kind {
                Kind::Chan(chan) if !chan.array => Some(*chan),
                _ => None,
            });
            let (name, text, kind) = match (how, self.below(3), chan) {
                (Passing::Reference, 1, _) if self.clocks > 0 => {
                    let Some(name) = self.fresh(&CLOCKS) else { continue };
                    self.saw("clock parameter");
                    (name.clone(), format!("clock &{name}"), Kind::Clock)
                }
                (Passing::Reference, 2, Some((_, chan))) => {
                    let Some(name) = self.fresh(&["ch0", "ch1", "ch2"]) else { continue };
                    self.saw("channel parameter");
                    (name.clone(), format!("{} &{name}", prefixed(chan)), Kind::Chan(chan))
                }
                _ => {
                    let Some(name) = self.fresh(&DATA) else { continue };
                    let (before, mark) = match how {
                        Passing::Constant => ("const ", ""),
                        Passing::Value => ("", ""),
                        Passing::Reference => ("", "&"),
                    };
                    if how == Passing::Constant {
                        self.saw("constant parameter");
                    }
                    let text = format!("{before}int[{}, {}] {mark}{name}", bounds.0, bounds.1);
                    (name, text, Kind::Int { bounds, fixed: how == Passing::Constant })
                }
            };
            let comma = if params.is_empty() { "" } else { ", " };
            self.write(&format!("{comma}{text}"));
            params.push((kind.clone(), how));
            self.declare(&name, kind);
        }
        params
    }
    fn locations(&mut self, branches: usize, params: usize) -> usize {
        let count = 2 + self.below(3);
        // Only one process may say of a clock that it stands still, so that it is one of its own.
        let own = self.scope[self.floor + params..].iter().filter(|entry| entry.kind == Kind::Clock);
        let own: Vec<String> = own.map(|entry| entry.name.clone()).collect();
        let mut names = vec![];
        for at in 0..count {
            let mut parts: Vec<String> = self.invariant(at == 0).into_iter().collect();
            if self.ignored && self.chance(30) {
                self.saw("clock rate");
                let clock = self.one_of(&["idle", "flow"]);
                let speed = self.literal();
                parts.insert(self.below(parts.len() + 1), format!("{clock}' == {speed}"));
            }
            for clock in &own {
                if self.stops && self.chance(40) {
                    self.saw("stopwatch");
                    let runs = match self.below(4) {
                        0 => self.one_of(&["0", "0", "1"]).to_owned(),
                        1 | 2 if self.switched => {
                            self.saw("integer as a rate");
                            "run".to_owned()
                        }
                        _ => format!("({})", self.condition(0)),
                    };
                    let rate = match self.below(4) {
                        1 => format!("({} imply {clock}' == {runs})", self.conditional_rate()),
                        2 => format!("({} || {clock}' == {runs})", self.conditional_rate()),
                        _ => format!("{clock}' == {runs}"),
                    };
                    parts.insert(self.below(parts.len() + 1), rate);
                }
            }
            let rate = match self.chance(15) {
                true => {
                    self.saw("exponential rate");
                    self.one_of(&["; 3", "; 1 : 2"])
                }
                false => "",
            };
            names.push(match parts.is_empty() && rate.is_empty() {
                true => format!("L{at}"),
                false => format!("L{at} {{ {}{rate} }}", parts.join(" && ")),
            });
        }
        self.write(&format!("state {};\n", names.join(", ")));
        if branches > 0 {
            self.saw("branch point");
            let names: Vec<String> = (0..branches).map(|at| format!("B{at}")).collect();
            self.write(&format!("branchpoint {};\n", names.join(", ")));
        }
        for at in 1..count {
            match self.below(7) {
                5 => {
                    self.saw("urgent location");
                    self.write(&format!("urgent L{at};\n"));
                }
                6 => {
                    self.saw("committed");
                    self.write(&format!("commit L{at};\n"));
                }
                _ => {}
            }
        }
        self.write("init L0;\n");
        count
    }
    fn invariant(&mut self, initial: bool) -> Option<String> {
        let clock = self.pick(|kind| (*kind == Kind::Clock).then_some(()));
        match (clock, self.below(4)) {
            (Some((clock, ())), 1 | 2) => {
                self.saw("invariant");
                let bound = if initial { (1 + self.below(4)).to_string() } else { self.bound() };
                let more = match !initial && self.chance(20) {
                    true => format!(" && ({})", self.condition(0)),
                    false => String::new(),
                };
                Some(format!("{} <= {bound}{more}", clock.name))
            }
            (_, 3) if !initial => {
                self.saw("invariant");
                Some(format!("({})", self.condition(1)))
            }
            _ => None,
        }
    }
    /// What a clock is compared with or set to: small enough, whatever the values of variables are, and negative
    /// only in arrays, because setting a clock to a negative constant is refused.
    fn bound(&mut self) -> String {
        let data = self.pick(|kind| within(kind, (0, 5)));
        match (data, self.below(4)) {
            (Some((entry, ())), 2) => {
                self.saw("clock bound by data");
                entry.name
            }
            (_, 3) => self.entry().map_or_else(
                || "2".to_owned(),
                |entry| {
                    self.saw("clock bound by data");
                    entry
                },
            ),
            _ => self.below(5).to_string(),
        }
    }
    /// A constraint on a clock; closed unless time is dense and it may be strict.
    pub(super) fn clock_atom(&mut self, strict: bool) -> Option<String> {
        let (clock, ()) = self.pick(|kind| (*kind == Kind::Clock).then_some(()))?;
        let op = match self.dense && strict && self.chance(25) {
            true => {
                self.saw("strict constraint");
                self.one_of(&[">", "<"])
            }
            false => self.one_of(&[">=", "<=", "=="]),
        };
        let bound = self.bound();
        Some(match op {
            ">=" if self.chance(30) => format!("{bound} <= {}", clock.name),
            _ => format!("{} {op} {bound}", clock.name),
        })
    }
    /// A constraint on a clock that may depend on data.
    fn clock_condition(&mut self, strict: bool) -> Option<String> {
        let atom = self.clock_atom(strict)?;
        Some(match self.below(8) {
            6 => format!("({} || {atom})", self.condition(0)),
            7 => format!("({} imply {atom})", self.condition(0)),
            _ => atom,
        })
    }
    fn edges(&mut self, locations: usize, branches: usize) {
        let mut edges = vec![];
        for at in 0..locations + self.below(4) {
            // Every location has an edge, and one leads to the next.
            let source = if at < locations { at } else { self.below(locations) };
            let target = match self.chance(40) {
                true => self.below(locations),
                false => (source + 1) % locations,
            };
            let (labels, _) = self.within(|w| w.labels(true, None));
            edges.push(format!("L{source} -> L{target} {{ {labels} }}"));
        }
        for at in 0..branches {
            self.within(|w| w.branch(at, locations, &mut edges));
        }
        self.write(&format!("trans {};\n", edges.join(",\n    ")));
    }
    /// An edge to a branch point, and those from it, which see what it selects. Either it synchronises, or they.
    fn branch(&mut self, at: usize, locations: usize, edges: &mut Vec<String>) {
        let source = self.below(locations);
        let first = self.chance(50);
        let (labels, clocks) = self.labels(first, None);
        edges.push(format!("L{source} -> B{at} {{ {labels} }}"));
        for _ in 0..1 + self.below(3) {
            let target = self.below(locations);
            let (mut labels, _) = self.within(|w| w.labels(!first, clocks));
            for (word, feature) in [
                ("select", "branch that selects"),
                ("guard", "branch that guards"),
                ("sync", "branch that synchronises"),
            ] {
                if labels.contains(word) {
                    self.saw(feature);
                }
            }
            if self.chance(40) {
                self.saw("weight");
                labels += " probability 3;";
            }
            edges.push(format!("B{at} -> L{target} {{ {labels} }}"));
        }
    }
    /// The labels of an edge, and which constraints on clocks are possible together with it; if it does not
    /// synchronise, given which are.
    fn labels(&mut self, synchronises: bool, clocks: Option<Tests>) -> (String, Option<Tests>) {
        let mut text = String::new();
        if self.chance(25) {
            self.saw("selection");
            let mut list: Vec<String> = vec![];
            for _ in 0..1 + self.below(2) {
                let Some(name) = self.fresh(&DATA) else { break };
                // A later selection may use an earlier one.
                let low = match self.scope.len() > self.floor && self.chance(50) {
                    true => self.scope[self.scope.len() - 1].name.clone(),
                    false => "0".to_owned(),
                };
                list.push(format!("{name} : int[{low}, 2]"));
                self.scope.push(Entry {
                    name,
                    kind: Kind::Int { bounds: (0, 2), fixed: true },
                    outside: true,
                });
            }
            let _ = write!(text, "select {}; ", list.join(", "));
        }
        let (sync, tests) = if synchronises { self.sync() } else { (String::new(), clocks) };
        let mut guard = vec![];
        if self.chance(40) {
            let depth = self.below(3);
            guard.push(self.condition(depth));
        }
        if let Some(tests) = tests
            && self.chance(45)
            && let Some(atom) = self.clock_condition(tests == Tests::Any)
        {
            if tests == Tests::Closed {
                self.saw("urgent clock guard");
            }
            guard.insert(self.below(guard.len() + 1), atom);
        }
        if guard.iter().any(|part| FUNCTIONS.iter().any(|name| part.contains(&format!("{name}(")))) {
            self.saw("call in a guard");
        }
        if !guard.is_empty() {
            let _ = write!(text, "guard {}; ", guard.join(" && "));
        }
        text += &sync;
        self.effects = true;
        let mut updates = vec![];
        for _ in 0..self.below(4) {
            updates.push(self.assignment());
        }
        if self.switched && self.chance(40) {
            updates.push(self.one_of(&["run = 1 - run", "run = 0", "run = 1"]).to_owned());
        }
        self.effects = false;
        if self.chance(50)
            && let Some((clock, ())) = self.pick(|kind| (*kind == Kind::Clock).then_some(()))
        {
            let other = self.pick(|kind| (*kind == Kind::Clock).then_some(()));
            let value = match other {
                Some((other, ())) if self.copies && other.name != clock.name => {
                    self.saw("clock copy");
                    match self.chance(30) {
                        true => {
                            self.saw("clock by a condition");
                            format!("({} ? {} : {})", self.condition(0), other.name, self.bound())
                        }
                        false => other.name,
                    }
                }
                _ if self.chance(30) => self.bound(),
                _ => "0".to_owned(),
            };
            updates.push(format!("{} = {value}", clock.name));
        }
        if self.ignored && self.chance(25) {
            self.saw("floating point");
            let value = self.int(1);
            let update = self.one_of(&["idle = 0", "flow = cost / 2", "cost = cost * 1.5 + ", "flow += "]);
            let value = if update.ends_with("+ ") || update.ends_with("+= ") {
                format!("({value})")
            } else {
                String::new()
            };
            updates.insert(self.below(updates.len() + 1), format!("{update}{value}"));
        }
        if !updates.is_empty() {
            let _ = write!(text, "assign {};", updates.join(", "));
        }
        (text, tests)
    }
    /// The synchronisation of an edge, and which constraints on clocks its guard may have.
    fn sync(&mut self) -> (String, Option<Tests>) {
        let chan = self.pick(|kind| match kind {
            Kind::Chan(chan) => Some(*chan),
            _ => None,
        });
        let Some((entry, chan)) = chan.filter(|_| self.chance(60)) else {
            self.saw("alone");
            return (String::new(), Some(Tests::Any));
        };
        if chan.urgent {
            self.saw("urgent channel");
        }
        let position = if chan.array {
            self.saw("channel array");
            format!("[{}]", self.index(2))
        } else {
            String::new()
        };
        // Templates take sides, so that they find partners.
        let emits = self.chance(20) != self.templates.len().is_multiple_of(2);
        let side = if emits { "!" } else { "?" };
        let (mark, feature) = match chan.style {
            Style::Binary => (side, "binary"),
            Style::Broadcast => (side, "broadcast"),
            Style::Csp => ("", "csp"),
        };
        self.saw(feature);
        let receives = chan.style == Style::Broadcast && mark == "?";
        let tests = match (chan.urgent, self.dense) {
            (true, true) => Some(Tests::Closed),
            (true, false) => None,
            (false, dense) => Some(Tests::Any).filter(|_| dense || !receives),
        };
        (format!("sync {}{position}{mark}; ", entry.name), tests)
    }
}

/// Which constraints on clocks a guard may have.
#[derive(Copy, Clone, PartialEq)]
enum Tests {
    Any,
    /// Closed ones, because urgent channels need a first instant.
    Closed,
}
