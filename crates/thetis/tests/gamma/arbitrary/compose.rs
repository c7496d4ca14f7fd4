//! Compositions and adapters.

use super::{SYSTEM, Writer};

impl Writer<'_> {
    fn argument(&mut self, parameters: usize) -> String {
        if parameters == 1 { format!("({})", self.below(3)) } else { String::new() }
    }
    pub(super) fn system(&mut self) {
        match self.below(9) {
            8 => {
                self.saw("asynchronous statechart");
                self.chart("Chart", false, "@Asynchronous ");
                self.text = self.text.replace("statechart Chart", &format!("statechart {SYSTEM}"));
            }
            0 | 1 => {
                let parameters = self.chart("Chart", false, "");
                if parameters == 1 {
                    let argument = self.argument(1);
                    self.line(&format!(
                        "sync {SYSTEM} [port p : provides Full] {{ component c : Chart{argument} bind p -> c.p }}"
                    ));
                } else {
                    self.text = self.text.replace("statechart Chart", &format!("statechart {SYSTEM}"));
                }
            }
            2 | 3 => self.synchronous(SYSTEM),
            4 => {
                self.synchronous("Inner");
                let order = self.one_of(&["", "execute i, j", "execute j, i, j", "execute i"]);
                let kind = if order.is_empty() { self.one_of(&["sync", "cascade"]) } else { "cascade" };
                self.saw("nested composition");
                self.line(&format!(
                    "{kind} {SYSTEM} [port p : provides Full] {{ component i : Inner component j : Inner \
                     bind p -> i.p bind p -> j.p {order} }}"
                ));
            }
            5 => {
                self.synchronous("Inner");
                self.adapter(SYSTEM, "Inner", "", false);
            }
            6 => self.asynchronous(),
            _ => {
                let parameters = self.chart("Chart", false, "");
                let argument = self.argument(parameters);
                self.adapter(SYSTEM, "Chart", &argument, false);
            }
        }
    }
    /// A synchronous composition of two or three statecharts.
    fn synchronous(&mut self, name: &str) {
        let first = self.chart("First", true, "");
        let second = self.chart("Second", true, "");
        let third = self.chance(30);
        let kind = self.one_of(&["sync", "cascade"]);
        self.saw(kind);
        let (a, b) = (self.argument(first), self.argument(second));
        let mut body = format!("component a : First{a} component b : Second{b} ");
        if third {
            let c = self.argument(first);
            body += &format!("component c : First{c} ");
        }
        body += "bind p -> a.p channel [b.p] -o)- [a.q] ";
        if third {
            body += "channel [c.p] -o)- [b.q] ";
        }
        if kind == "cascade" {
            if self.chance(20) {
                self.saw("initial execute");
                body += "initial execute b ";
            }
            let orders = ["", "execute b, a", "execute a, b, a", "execute a"];
            let order = self.one_of(&orders);
            if !order.is_empty() {
                self.saw("execute");
            }
            body += order;
        }
        self.line(&format!("{kind} {name} [port p : provides Full] {{ {body} }}"));
    }
    /// An adapter around a component that has the port `p`, and `q` too if it is required.
    fn adapter(&mut self, name: &str, inner: &str, argument: &str, required: bool) {
        self.saw("adapter");
        let controlled = self.chance(40);
        let clock = self.chance(30);
        let control = if controlled { "[port ctl : provides Control] " } else { "" };
        let mut body = String::new();
        if clock {
            self.saw("clock");
            body += "    clock tick(rate = 1 s)\n";
        }
        let run = self.one_of(&["any", "p.any", "cycle", "p.a"]);
        body += &format!("    when {run} / run\n");
        if required && run.starts_with('p') {
            body += "    when q.any / run\n";
        }
        if controlled {
            self.saw("control port");
            let what = self.one_of(&["run", "reset", "reset-queue", "reset-queues", "reset-other-queues"]);
            self.saw(what);
            body += &format!("    when ctl.go / {what}\n");
        }
        if clock {
            body += "    when tick / run\n";
        }
        let mut queues: Vec<Vec<String>> = vec![];
        if self.chance(40) && self.events_in().len() > 1 {
            let names: Vec<String> = self.events_in().iter().map(|(name, _)| format!("p.{name}")).collect();
            queues.push(names[..1].to_vec());
            queues.push(names[1..].to_vec());
        } else {
            queues.push(vec!["p.any".to_owned()]);
        }
        if required {
            queues.push(vec!["q.any".to_owned()]);
        }
        if controlled {
            let go = if self.chance(40) {
                self.saw("event passing");
                vec!["ctl.go".to_owned(), "ctl.stop -> p.a".to_owned()]
            } else {
                vec!["ctl.any".to_owned()]
            };
            queues.push(go);
        }
        if clock {
            queues.push(vec!["tick".to_owned()]);
        }
        for (number, events) in queues.iter().enumerate() {
            let priority = 1 + self.below(3);
            let capacity = 1 + self.below(2);
            let discard = self.one_of(&["", ", discard = oldest", ", discard = incoming"]);
            if discard.contains("oldest") {
                self.saw("oldest");
            }
            let events = events.join(", ");
            body += &format!(
                "    queue u{number}(priority = {priority}, capacity = {capacity}{discard}) {{ {events} }}\n"
            );
        }
        self.line(&format!("adapter {name} of component s : {inner}{argument} {control}{{\n{body}}}"));
    }
    fn asynchronous(&mut self) {
        let first = self.chart("First", true, "");
        let argument = self.argument(first);
        self.adapter("One", "First", &argument, true);
        let second = self.chart("Second", true, "");
        let argument = self.argument(second);
        self.adapter("Two", "Second", &argument, true);
        let kind = self.one_of(&["async", "scheduled-async"]);
        self.saw(kind);
        let order = match kind {
            "async" => "",
            _ => self.one_of(&["", "execute b, a", "execute a, b, a"]),
        };
        self.line(&format!(
            "{kind} {SYSTEM} [port p : provides Full] {{ component a : One component b : Two \
             bind p -> a.p channel [b.p] -o)- [a.q] {order} }}"
        ));
    }
}
