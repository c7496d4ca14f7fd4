//! Global declarations, instances and queries.

use super::{
    BOUNDS, Bounds, CLOCKS, Chan, DATA, Entry, Kind, MOST_CLOCKS, Passing, STRUCT, Style, TYPES, Template,
    Writer, prefixed,
};

impl Writer<'_> {
    /// One declaration of data, a type or a clock.
    pub(super) fn variable(&mut self) {
        let kind = self.below(11);
        if kind == 10 {
            return self.mixed();
        }
        let pool: &[&str] = match kind {
            7 => &TYPES,
            8 | 9 if self.clocks < MOST_CLOCKS => &CLOCKS,
            _ => &DATA,
        };
        let Some(name) = self.fresh(pool) else { return };
        let bounds = self.one_of(&BOUNDS);
        let (text, kind) = match kind {
            3 => self.constant(&name, bounds),
            4 => (format!("bool {name};"), Kind::Bool { fixed: false }),
            5 => self.array(&name, bounds),
            6 => {
                self.saw("structure");
                (format!("{STRUCT} {name};"), Kind::Struct)
            }
            7 => (format!("typedef int[{}, {}] {name};", bounds.0, bounds.1), Kind::Type(bounds)),
            8 | 9 if pool == CLOCKS => {
                self.clocks += 1;
                let start = if self.chance(20) {
                    self.saw("clock start");
                    format!(" = {}", self.below(4))
                } else {
                    String::new()
                };
                (format!("clock {name}{start};"), Kind::Clock)
            }
            _ => self.integer(&name, bounds),
        };
        self.write(&format!("{text}\n"));
        self.declare(&name, kind);
    }
    /// A structure with data of every kind beside a clock or a channel, or an array of such. Its parts are declared one
    /// by one: each is used as a variable of its own kind is.
    fn mixed(&mut self) {
        let copies = if self.chance(30) { 2 } else { 1 };
        let timed = self.clocks + copies <= MOST_CLOCKS && self.chance(60);
        let bounds = self.one_of(&BOUNDS);
        let chan = Chan {
            style: self.one_of(&[Style::Binary, Style::Broadcast]),
            urgent: self.chance(30),
            array: false,
        };
        let (special, feature) = match timed {
            true => ("clock x".to_owned(), "structure with a clock"),
            false => (format!("{} n", prefixed(chan)), "structure with a channel"),
        };
        self.saw(feature);
        let name = format!("s{}", self.mixed);
        self.mixed += 1;
        let (low, high) = bounds;
        let fields = format!("int[{low}, {high}] v; {special}; bool b; int[{low}, {high}] r[2]; {STRUCT} i;");
        // Channels have no value, so that these structures have none either.
        let initial = timed && self.chance(40);
        let mut values = vec![];
        let kinds = [
            ("v", Kind::Int { bounds, fixed: false }),
            if timed { ("x", Kind::Clock) } else { ("n", Kind::Chan(chan)) },
            ("b", Kind::Bool { fixed: false }),
            ("r", Kind::Array { length: 2, bounds, fixed: false }),
            ("i", Kind::Struct),
        ];
        let mut dimension = "";
        for at in 0..copies {
            let mut whole = name.clone();
            if copies > 1 {
                self.saw("structures in an array");
                dimension = "[2]";
                whole = format!("{name}[{at}]");
            }
            self.clocks += usize::from(timed);
            for (field, kind) in kinds.clone() {
                self.declare(&format!("{whole}.{field}"), kind);
            }
            if initial {
                let [v, r, s] = [(); 3].map(|()| self.at_least_0(bounds));
                let (x, f) = (self.below(4), self.below(4));
                values.push(format!("{{ {v}, {x}, true, {{ {r}, {s} }}, {{ {f}, true }} }}"));
            }
        }
        let initial = match (initial, copies) {
            (false, _) => String::new(),
            (true, 1) => format!(" = {}", values.concat()),
            (true, _) => format!(" = {{ {} }}", values.join(", ")),
        };
        self.write(&format!("struct {{ {fields} }} {name}{dimension}{initial};\n"));
    }
    /// A constant, which may be made of what it hides.
    fn constant(&mut self, name: &str, bounds: Bounds) -> (String, Kind) {
        let known = self.pick(|kind| match kind {
            Kind::Int { bounds, fixed: true } if bounds.0 == bounds.1 => Some(bounds.0),
            _ => None,
        });
        let (value, text) = match known {
            Some((entry, value)) if value < 4 => (value + 1, format!("{} + 1", entry.name)),
            _ => {
                let value = self.at_least_0(bounds);
                (value, value.to_string())
            }
        };
        (format!("const int {name} = {text};"), Kind::Int { bounds: (value, value), fixed: true })
    }
    fn array(&mut self, name: &str, bounds: Bounds) -> (String, Kind) {
        self.saw("array");
        let (length, fixed) = (2 + self.below(2) as i64, self.chance(25));
        let mut initial = String::new();
        if fixed || self.chance(50) {
            let values: Vec<String> = (0..length).map(|_| self.at_least_0(bounds).to_string()).collect();
            initial = format!(" = {{ {} }}", values.join(", "));
        }
        let prefix = if fixed { "const " } else { "" };
        let text = format!("{prefix}int[{}, {}] {name}[{length}]{initial};", bounds.0, bounds.1);
        (text, Kind::Array { length, bounds, fixed })
    }
    /// A variable, of a type with a name if there is one.
    fn integer(&mut self, name: &str, bounds: Bounds) -> (String, Kind) {
        let named = self.pick(|kind| match kind {
            Kind::Type(bounds) => Some(*bounds),
            _ => None,
        });
        let (ty, bounds) = match named {
            Some((ty, bounds)) => (ty.name, bounds),
            None => (format!("int[{}, {}]", bounds.0, bounds.1), bounds),
        };
        let initial = match self.chance(50) {
            true => format!(" = {}", self.at_least_0(bounds)),
            false => String::new(),
        };
        (format!("{ty} {name}{initial};"), Kind::Int { bounds, fixed: false })
    }
    fn at_least_0(&mut self, (low, high): Bounds) -> i64 {
        low.max(0) + self.below((high - low.max(0) + 1) as usize) as i64
    }
    fn channels(&mut self) {
        for at in 0..1 + self.below(3) {
            let style = self.one_of(&[Style::Binary, Style::Broadcast, Style::Binary, Style::Csp]);
            let urgent = self.chance(30);
            let array = style != Style::Csp && self.chance(30);
            let name = format!("ch{at}");
            let chan = Chan { style, urgent, array };
            self.write(&format!("{} {name}{};\n", prefixed(chan), if array { "[2]" } else { "" }));
            self.declare(&name, Kind::Chan(chan));
        }
    }

    // Instances.

    /// Everything but queries.
    pub(super) fn network(&mut self) {
        self.dense = self.chance(40);
        self.copies = self.chance(15);
        // Whole units are all that is counted then.
        self.stops = !self.dense && self.chance(25);
        self.ignored = self.chance(40);
        if self.ignored {
            self.write("clock idle;\nhybrid clock flow;\ndouble cost = 0.5;\n");
        }
        for _ in 0..2 + self.below(4) {
            if self.chance(25) { self.function() } else { self.variable() }
        }
        self.channels();
        self.channel_priorities();
        let count = 1 + self.below(3).min(1);
        for at in 0..=count {
            if at == count && at > 0 && self.chance(60) {
                break;
            }
            self.template(&format!("P{at}"));
            if self.chance(30) {
                self.saw("declared after the template");
                self.variable();
            }
        }
        for at in 0..self.templates.len() {
            self.instance(at);
        }
        let mut line = std::mem::take(&mut self.line);
        for name in line.iter_mut().skip(1) {
            let lower = self.dense && self.chance(40);
            if lower {
                self.saw("process priority");
            }
            *name = format!("{} {name}", if lower { " <" } else { "," });
        }
        self.write(&format!("system {};\n", line.concat()));
    }
    /// Some of the channels and `default`, in any order.
    fn channel_priorities(&mut self) {
        if !self.dense || !self.chance(70) {
            return;
        }
        self.saw("channel priority");
        let channel = |entry: &Entry| match entry.kind {
            Kind::Chan(chan) if !entry.name.contains('.') => Some((entry.name.clone(), chan.array)),
            _ => None,
        };
        let channels: Vec<(String, bool)> = self.scope.iter().filter_map(channel).collect();
        let mut list = vec![];
        for (name, array) in channels {
            match self.below(4) {
                0 => {}
                1 if array => list.push(format!("{name}[{}]", self.below(2))),
                _ => list.push(name),
            }
        }
        if list.is_empty() || self.chance(60) {
            list.insert(self.below(list.len() + 1), "default".to_owned());
        }
        let mut text = String::new();
        while !list.is_empty() {
            let next = list.remove(self.below(list.len()));
            let before = match text.is_empty() {
                true => "",
                false => self.one_of(&[" < ", " < ", ", "]),
            };
            text += &format!("{before}{next}");
        }
        self.write(&format!("chan priority {text};\n"));
    }
    /// Puts a template on the system line: by itself, with arguments, or with all but one.
    fn instance(&mut self, at: usize) {
        let Template { name: template, params, .. } = self.templates[at].clone();
        let open = |(kind, how): &(Kind, Passing)| match kind {
            Kind::Int { bounds, .. } if *how != Passing::Reference && bounds.1 - bounds.0 <= 1 => {
                Some(*bounds)
            }
            _ => None,
        };
        // More than one parameter would be too many processes.
        let family = params.iter().map(open).collect::<Option<Vec<_>>>();
        if let Some(family) = family.filter(|family| family.len() <= 1) {
            if !family.is_empty() {
                self.saw("family");
            }
            return self.listed(template, at, &family);
        }
        let left = params.iter().position(|param| open(param).is_some()).filter(|_| self.chance(70));
        let mut args = vec![];
        for (nth, (kind, how)) in params.iter().enumerate() {
            args.push(if left == Some(nth) { "k".to_owned() } else { self.argument(kind, *how) });
        }
        let name = format!("Q{at}");
        let family: Vec<Bounds> = left.and_then(|left| open(&params[left])).into_iter().collect();
        let shown = match family[..] {
            [(low, high)] => format!("(const int[{low}, {high}] k)"),
            _ => String::new(),
        };
        if !family.is_empty() {
            self.saw("partial instance");
        }
        self.write(&format!("{name}{shown} = {template}({});\n", args.join(", ")));
        self.listed(name, at, &family);
    }
    fn argument(&mut self, kind: &Kind, how: Passing) -> String {
        let same = match kind {
            Kind::Int { bounds, .. } if how != Passing::Reference => {
                return (bounds.0 + self.below((bounds.1 - bounds.0 + 1) as usize) as i64).to_string();
            }
            kind => self.pick(|other| (other == kind).then_some(())),
        };
        match same {
            Some((entry, ())) => entry.name,
            None => {
                // What the template refers to has to exist.
                let name = format!("v{}", self.scope.len());
                let text = match kind {
                    Kind::Int { bounds, .. } => format!("int[{}, {}] {name};", bounds.0, bounds.1),
                    Kind::Clock => format!("clock {name};"),
                    _ => format!("{} {name};", prefixed(channel(kind))),
                };
                self.write(&format!("{text}\n"));
                self.declare(&name, kind.clone());
                name
            }
        }
    }
    /// Takes down the processes that a name of the system line stands for: one for each value within `family`.
    fn listed(&mut self, name: String, template: usize, family: &[Bounds]) {
        let mut all: Vec<Vec<String>> = vec![vec![]];
        for (low, high) in family {
            let with = |list: &Vec<String>, value: i64| [list.clone(), vec![value.to_string()]].concat();
            all = all.iter().flat_map(|list| (*low..=*high).map(move |value| with(list, value))).collect();
        }
        for list in all {
            let shown = if list.is_empty() { String::new() } else { format!("({})", list.join(",")) };
            self.processes.push((format!("{name}{shown}"), template));
        }
        self.line.push(name);
    }

    // Queries.

    pub(super) fn queries(&mut self) {
        for (process, template) in self.processes.clone() {
            let Template { members, .. } = self.templates[template].clone();
            for Entry { name, kind, .. } in members {
                if !matches!(kind, Kind::Function(_) | Kind::Type(_) | Kind::Chan(_)) {
                    self.scope.push(Entry { name: format!("{process}.{name}"), kind, outside: true });
                }
            }
        }
        self.write("query {\n");
        for _ in 0..1 + self.below(3) {
            let query = self.query();
            self.write(&format!("{query};\n"));
        }
        self.write("A[] true;\n}\n");
    }
    /// A query whose target, the condition or its negation, is closed in the clocks.
    fn query(&mut self) -> String {
        let mut parts = vec![];
        if self.chance(70) {
            let (process, template) = self.one_of(&self.processes.clone());
            let at = self.below(self.templates[template].locations);
            parts.push(format!("{process}.L{at}"));
        }
        if parts.is_empty() || self.chance(70) {
            parts.push(self.condition(2));
        }
        if self.chance(25)
            && let Some(entry) = self.entry()
        {
            parts.push(format!("{entry} >= {}", self.int(0)));
        }
        if self.chance(30)
            && let Some(atom) = self.clock_atom(true)
        {
            self.saw("clock in a query");
            parts.push(atom);
        }
        let target = parts.join(" && ");
        match self.below(3) {
            0 => format!("E<> {target}"),
            1 => format!("A[] not ({target})"),
            _ => format!("A[] ({target}) imply false"),
        }
    }
}

fn channel(kind: &Kind) -> Chan {
    match kind {
        Kind::Chan(chan) => *chan,
        _ => Chan { style: Style::Binary, urgent: false, array: false },
    }
}
