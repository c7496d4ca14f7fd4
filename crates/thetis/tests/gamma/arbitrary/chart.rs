//! Statecharts.

use std::fmt::Write;

use super::{Scope, Writer};

/// A node of the statechart that is being written.
#[derive(Clone, Debug)]
struct Node {
    name: String,
    region: usize,
    kind: Kind,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    State,
    Initial,
    History,
    Choice,
    Merge,
}

/// A region, the composite state that it is in, and the region of the statechart around it.
#[derive(Clone, Debug)]
struct Region {
    name: String,
    outermost: usize,
}

#[derive(Debug, Default)]
struct Draft {
    nodes: Vec<Node>,
    regions: Vec<Region>,
    /// Composite states with two regions: where they are, and these.
    pairs: Vec<(usize, usize, usize)>,
    body: String,
}

impl Writer<'_> {
    /// A statechart that is called so; how many parameters it has.
    pub(super) fn chart(&mut self, name: &str, required: bool, before: &str) -> usize {
        self.scope = Scope { required, ..Scope::default() };
        let mut text = String::new();
        let annotations = [
            ("@TransitionPriority", &["", "order-based", "value-based", "off"][..]),
            ("@RegionSchedule", &["", "bottom-up", "top-down"]),
            ("@OrthogonalRegionSchedule", &["", "unordered", "parallel", "sequential"]),
            ("@GuardEvaluation", &["", "", "beginning-of-step", "on-the-fly"]),
        ];
        for (annotation, values) in annotations {
            let value = self.one_of(values);
            if !value.is_empty() {
                self.saw(value);
                let _ = writeln!(text, "{annotation} = {value}");
            }
        }
        if self.chance(8) {
            self.saw("run upon");
            let _ = writeln!(
                text,
                "{}",
                self.one_of(&["@RunUponExternalEvent", "@RunUponExternalEventOrInternalTimeout"])
            );
        }
        let parameters = usize::from(before.is_empty() && self.chance(40));
        let params = if parameters == 1 { "(k : integer)" } else { "" };
        let mut port = "port p : provides Full".to_owned();
        if self.flagged && self.chance(5) {
            self.saw("port invariant");
            port += " { invariant not this.b::f }";
        }
        let ports = if required { format!("[{port}, port q : requires Full]") } else { format!("[{port}]") };
        let _ = writeln!(text, "{before}statechart {name}{params} {ports} {{");
        if parameters == 1 {
            self.saw("parameter");
            self.scope.integers.push("k".to_owned());
        }
        self.variables(&mut text);
        if self.chance(10) {
            self.saw("invariant");
            let _ = writeln!(text, "    invariant {}", self.boolean(2));
        }
        let mut draft = Draft::default();
        let outermost = 1 + usize::from(self.chance(35));
        // Where states are is known only when all are written.
        let scope = self.scope.clone();
        for _ in 0..outermost {
            let number = draft.regions.len();
            self.region(&mut draft, number, 0);
        }
        self.scope = scope;
        let states = draft.nodes.iter().filter(|node| node.kind == Kind::State);
        self.scope.states =
            states.map(|node| (draft.regions[node.region].name.clone(), node.name.clone())).collect();
        self.transitions(&mut draft);
        text += &draft.body;
        if self.scope.procedures {
            self.procedures(&mut text);
        }
        text.push_str("}\n");
        self.text += &text;
        parameters
    }
    fn variables(&mut self, text: &mut String) {
        for name in ["x", "z"] {
            let annotation = match self.below(8) {
                6 => "@Transient ",
                7 => "@Resettable ",
                _ => "",
            };
            if !annotation.is_empty() {
                self.saw(if annotation.starts_with("@T") { "transient" } else { "resettable" });
            }
            let value = self.small(1);
            let _ = writeln!(text, "    {annotation}var {name} : integer := {value}");
            self.scope.integers.push(name.to_owned());
            self.scope.writable.push(name.to_owned());
        }
        let _ = writeln!(text, "    var g : boolean");
        self.scope.booleans.push("g".to_owned());
        if self.chance(40) {
            let _ = writeln!(text, "    var arr : [3] integer := #[1, 0, 2]");
            self.scope.has_array = true;
        }
        if self.chance(40) {
            let _ = writeln!(text, "    var rec : R := #R {{ f := 1, g := true }}");
            self.scope.has_record = true;
        }
        if self.chance(40) {
            let _ = writeln!(text, "    var e : T := T::Y");
            self.scope.has_enum = true;
        }
        if self.chance(40) {
            let _ = writeln!(text, "    timeout t");
            self.scope.has_timeout = true;
        }
        self.scope.procedures = self.chance(35);
    }
    fn procedures(&mut self, text: &mut String) {
        let scope = self.scope.clone();
        self.scope.procedures = false;
        self.scope.integers.push("d".to_owned());
        let effect = self.assignment();
        let _ = writeln!(
            text,
            "    procedure bump(d : integer) : integer {{ {effect} return {}; }}",
            self.small(1)
        );
        self.scope.pure = true;
        let first = self.small(1);
        self.scope.integers.push("y".to_owned());
        self.scope.writable = vec!["y".to_owned()];
        self.scope.locals = 1;
        let condition = self.boolean(1);
        let (early, rest, last) = (self.small(1), self.actions(2), self.small(1));
        let _ = writeln!(
            text,
            "    procedure pure(d : integer) : integer {{ var y : integer := {first}; \
             if ({condition}) {{ return {early}; }} {rest}return {last}; }}"
        );
        self.scope = scope;
    }

    fn region(&mut self, draft: &mut Draft, outermost: usize, depth: usize) -> usize {
        let number = draft.regions.len();
        let region = format!("r{number}");
        draft.regions.push(Region { name: region.clone(), outermost });
        let pad = "    ".repeat(1 + 2 * depth);
        let _ = writeln!(draft.body, "{pad}region {region} {{");
        let mut entries = vec![("initial", "i")];
        match self.below(8) {
            4 => entries = vec![("shallow history", "h")],
            5 => entries = vec![("deep history", "h")],
            6 => entries.push(("shallow history", "h")),
            7 => entries.push(("deep history", "h")),
            _ => {}
        }
        for (kind, letter) in entries {
            if letter == "h" {
                self.saw(kind);
            }
            let name = format!("{letter}{number}");
            let _ = writeln!(draft.body, "{pad}    {kind} {name}");
            let kind = if letter == "h" { Kind::History } else { Kind::Initial };
            draft.nodes.push(Node { name, region: number, kind });
        }
        for (kind, word, percent) in [(Kind::Choice, "choice", 30), (Kind::Merge, "merge", 15)] {
            if self.chance(percent) {
                self.saw(word);
                let name = format!("{}{number}", &word[..1]);
                let _ = writeln!(draft.body, "{pad}    {word} {name}");
                draft.nodes.push(Node { name, region: number, kind });
            }
        }
        for _ in 0..=(1 + self.below(2)) {
            let name = format!("S{}", draft.nodes.len());
            draft.nodes.push(Node { name: name.clone(), region: number, kind: Kind::State });
            let _ = writeln!(draft.body, "{pad}    state {name} {{");
            if self.chance(8) {
                self.saw("state invariant");
                let invariant = self.boolean(2);
                let _ = writeln!(draft.body, "{pad}        invariant {invariant}");
            }
            if self.chance(35) {
                let actions = self.actions(1);
                let _ = writeln!(draft.body, "{pad}        entry / {actions}");
            }
            if self.chance(25) {
                self.saw("exit");
                let actions = self.actions(1);
                let _ = writeln!(draft.body, "{pad}        exit / {actions}");
            }
            if depth < 2 && draft.regions.len() < 5 && self.chance(35) {
                self.saw("composite state");
                let first = self.region(draft, outermost, depth + 1);
                if self.chance(45) {
                    self.saw("orthogonal regions");
                    let second = self.region(draft, outermost, depth + 1);
                    draft.pairs.push((number, first, second));
                }
            }
            let _ = writeln!(draft.body, "{pad}    }}");
        }
        for (of, first, second) in draft.pairs.clone() {
            if of == number && self.chance(50) {
                let _ = (first, second);
                let _ = writeln!(draft.body, "{pad}    fork f{first}\n{pad}    join j{first}");
            }
        }
        let _ = writeln!(draft.body, "{pad}}}");
        number
    }

    fn transition(&mut self, draft: &mut Draft, from: &str, to: &str, label: &str, effect: usize) {
        let priority = if self.chance(30) { format!("({})", self.below(3)) } else { String::new() };
        let effect = if self.chance(effect) { format!(" / {}", self.actions(2)) } else { String::new() };
        let _ = writeln!(draft.body, "    transition{priority} from {from} to {to}{label}{effect}");
    }
    fn state_in(&mut self, draft: &Draft, region: usize) -> String {
        let fits = |node: &&Node| node.kind == Kind::State && node.region == region;
        let all: Vec<String> = draft.nodes.iter().filter(fits).map(|node| node.name.clone()).collect();
        self.one_of(&all)
    }
    /// Where a transition may lead that starts in a region.
    fn target(&mut self, draft: &Draft, region: usize, kinds: &[Kind]) -> String {
        let outermost = draft.regions[region].outermost;
        let fits =
            |node: &&Node| kinds.contains(&node.kind) && draft.regions[node.region].outermost == outermost;
        let all: Vec<&Node> = draft.nodes.iter().filter(fits).collect();
        let near: Vec<&Node> = all.iter().copied().filter(|node| node.region == region).collect();
        if !near.is_empty() && !self.chance(40) {
            return self.one_of(&near).name.clone();
        }
        self.one_of(&all).name.clone()
    }
    fn transitions(&mut self, draft: &mut Draft) {
        use Kind::{Choice, History, Initial, Merge, State};
        for node in draft.nodes.clone() {
            match node.kind {
                Initial | History => {
                    let pseudo = draft.nodes.iter().find(|it| it.region == node.region && it.kind == Choice);
                    let pseudo = pseudo.map(|it| it.name.clone());
                    // A choice that a region is entered through leads to its own states.
                    let to = match pseudo {
                        Some(choice) if self.entered_by_choice(draft, node.region) => choice,
                        _ => self.state_in(draft, node.region),
                    };
                    self.transition(draft, &node.name, &to, "", 30);
                }
                State => {
                    for _ in 0..=self.below(3) {
                        let to = self.target(draft, node.region, &[State, Choice, Merge, History]);
                        let mut label = format!(" when {}", self.trigger(2));
                        if self.chance(45) {
                            label += &format!(" [{}]", self.boolean(2));
                        } else if self.chance(10) {
                            self.saw("else of a state");
                            label += " [else]";
                        }
                        self.transition(draft, &node.name, &to, &label, 40);
                    }
                }
                Merge => {
                    let to = self.target(draft, node.region, &[State]);
                    self.transition(draft, &node.name, &to, "", 40);
                }
                Choice => {
                    let own = self.entered_by_choice(draft, node.region);
                    for last in [false, false, true] {
                        let to = if own {
                            self.state_in(draft, node.region)
                        } else {
                            self.target(draft, node.region, &[State, Merge])
                        };
                        let guard = match last {
                            true if !self.chance(15) => "else".to_owned(),
                            _ => self.boolean(2),
                        };
                        let guard = format!(" [{guard}]");
                        self.transition(draft, &node.name, &to, &guard, 40);
                    }
                }
            }
        }
        for (of, first, second) in draft.pairs.clone() {
            let fork = format!("f{first}");
            if !draft.body.contains(&format!("fork {fork}\n")) {
                continue;
            }
            self.saw("fork and join");
            let from = self.state_in(draft, of);
            let label = format!(" when {}", self.trigger(1));
            self.transition(draft, &from, &fork, &label, 40);
            for region in [first, second] {
                let to = self.state_in(draft, region);
                self.transition(draft, &fork, &to, "", 40);
            }
            let join = format!("j{first}");
            for region in [first, second] {
                let from = self.state_in(draft, region);
                let label = format!(" when {}", self.trigger(1));
                self.transition(draft, &from, &join, &label, 40);
            }
            let to = self.target(draft, of, &[State]);
            self.transition(draft, &join, &to, "", 40);
        }
    }
    /// Whether the choice of a region is one that the region is entered through: of every other region.
    fn entered_by_choice(&self, draft: &Draft, region: usize) -> bool {
        region % 2 == 1 && draft.nodes.iter().any(|node| node.region == region && node.kind == Kind::Choice)
    }
}
