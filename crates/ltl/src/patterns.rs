//! Specification patterns (Dwyer, Avrunin, Corbett 1999): what is asked most often, by name.
//!
//! A pattern is about states of one or two kinds, and a *scope* says in which parts of a run: everywhere, before the
//! first `r`, after the first `q`, between every `q` and the next `r`, or from every `q` until the next `r`, which need not
//! come. A part begins where `q` holds and ends before `r` does. They are written like `response(p, s) after q until r`,
//! and are the formulas of that paper's catalogue.

use ir::ltl::{Builder, Node, Sub};

/// What is asked.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `absence(p)`: p never holds.
    Absence,
    /// `existence(p)`: p holds some time.
    Existence,
    /// `universality(p)`: p always holds.
    Universality,
    /// `precedence(s, p)`: p does not hold before s did.
    Precedence,
    /// `response(p, s)`: each p is followed by s.
    Response,
}

impl Pattern {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("absence", Self::Absence),
        ("existence", Self::Existence),
        ("universality", Self::Universality),
        ("precedence", Self::Precedence),
        ("response", Self::Response),
    ];

    /// The pattern with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, pattern)| pattern)
    }
    /// How many formulas it is about.
    #[must_use]
    pub const fn arguments(self) -> usize {
        match self {
            Self::Absence | Self::Existence | Self::Universality => 1,
            Self::Precedence | Self::Response => 2,
        }
    }
}

/// In which parts of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scope<T> {
    /// In all of it.
    Globally,
    /// Before the first such state, if there is one.
    Before(T),
    /// From the first such state on, if there is one.
    After(T),
    /// From each of the first to the next of the second, if there is one.
    Between(T, T),
    /// From each of the first to the next of the second, or for ever.
    AfterUntil(T, T),
}

impl<T> Scope<T> {
    /// The same scope with other bounds.
    pub fn map<U>(&self, new: impl Fn(T) -> U) -> Scope<U>
    where
        T: Copy,
    {
        match *self {
            Self::Globally => Scope::Globally,
            Self::Before(r) => Scope::Before(new(r)),
            Self::After(q) => Scope::After(new(q)),
            Self::Between(q, r) => Scope::Between(new(q), new(r)),
            Self::AfterUntil(q, r) => Scope::AfterUntil(new(q), new(r)),
        }
    }
    /// The bounds, in the order in which they are written.
    pub fn bounds(&self) -> impl Iterator<Item = T>
    where
        T: Copy,
    {
        let (first, second) = match *self {
            Self::Globally => (None, None),
            Self::Before(r) => (Some(r), None),
            Self::After(q) => (Some(q), None),
            Self::Between(q, r) | Self::AfterUntil(q, r) => (Some(q), Some(r)),
        };
        first.into_iter().chain(second)
    }
}

/// The formula of a pattern.
///
/// # Panics
/// If there are fewer arguments than it has.
pub fn expand(builder: &mut Builder, pattern: Pattern, arguments: &[Sub], scope: Scope<Sub>) -> Sub {
    let mut write = Writer { builder };
    let part = Part::new(pattern, arguments);
    match scope {
        Scope::Globally => write.globally(part),
        Scope::Before(r) => {
            let comes = write.add(Node::Finally(r));
            let so = write.until(part, r, Weak(false));
            write.add(Node::Implies(comes, so))
        }
        Scope::After(q) => write.after(part, q),
        Scope::Between(q, r) => {
            let comes = write.add(Node::Finally(r));
            let begins = write.begins(q, r);
            let begins = write.add(Node::And(begins, comes));
            write.each(begins, part, r, Weak(false))
        }
        Scope::AfterUntil(q, r) => {
            let begins = write.begins(q, r);
            write.each(begins, part, r, Weak(true))
        }
    }
}

/// A pattern with its arguments.
#[derive(Copy, Clone)]
enum Part {
    Absence(Sub),
    Existence(Sub),
    Universality(Sub),
    Precedence { first: Sub, then: Sub },
    Response { cause: Sub, effect: Sub },
}

impl Part {
    fn new(pattern: Pattern, arguments: &[Sub]) -> Self {
        match pattern {
            Pattern::Absence => Self::Absence(arguments[0]),
            Pattern::Existence => Self::Existence(arguments[0]),
            Pattern::Universality => Self::Universality(arguments[0]),
            Pattern::Precedence => Self::Precedence { first: arguments[0], then: arguments[1] },
            Pattern::Response => Self::Response { cause: arguments[0], effect: arguments[1] },
        }
    }
}

/// Whether the end of the part need not come.
#[derive(Copy, Clone)]
struct Weak(bool);

struct Writer<'a> {
    builder: &'a mut Builder,
}

impl Writer<'_> {
    fn add(&mut self, node: Node) -> Sub {
        self.builder.add(node)
    }
    fn not(&mut self, sub: Sub) -> Sub {
        self.add(Node::Not(sub))
    }
    fn ends(&mut self, part: Sub, end: Sub, Weak(weak): Weak) -> Sub {
        self.add(if weak { Node::WeakUntil(part, end) } else { Node::Until(part, end) })
    }

    /// What holds of a whole run.
    fn globally(&mut self, part: Part) -> Sub {
        match part {
            Part::Absence(p) => {
                let not = self.not(p);
                self.add(Node::Globally(not))
            }
            Part::Existence(p) => self.add(Node::Finally(p)),
            Part::Universality(p) => self.add(Node::Globally(p)),
            Part::Precedence { first, then } => {
                let not = self.not(then);
                self.add(Node::WeakUntil(not, first))
            }
            Part::Response { cause, effect } => {
                let comes = self.add(Node::Finally(effect));
                let each = self.add(Node::Implies(cause, comes));
                self.add(Node::Globally(each))
            }
        }
    }

    /// What holds from here until `r`, which comes or, if weak, may not come.
    fn until(&mut self, part: Part, r: Sub, weak: Weak) -> Sub {
        match part {
            Part::Absence(p) => {
                let not = self.not(p);
                self.ends(not, r, weak)
            }
            Part::Universality(p) => self.ends(p, r, weak),
            // To exist in a part that never ends, it must come all the same.
            Part::Existence(p) => self.comes_before(p, r),
            Part::Precedence { first, then } => {
                let not = self.not(then);
                let end = self.add(Node::Or(first, r));
                self.ends(not, end, weak)
            }
            Part::Response { cause, effect } => {
                let comes = self.comes_before(effect, r);
                let each = self.add(Node::Implies(cause, comes));
                self.ends(each, r, weak)
            }
        }
    }

    /// `p` comes, and `r` not before or with it.
    fn comes_before(&mut self, p: Sub, r: Sub) -> Sub {
        let not = self.not(r);
        let in_time = self.add(Node::And(p, not));
        self.add(Node::Until(not, in_time))
    }

    /// A part begins where `q` holds and `r` does not.
    fn begins(&mut self, q: Sub, r: Sub) -> Sub {
        let not = self.not(r);
        self.add(Node::And(q, not))
    }

    fn each(&mut self, begins: Sub, part: Part, r: Sub, weak: Weak) -> Sub {
        let so = self.until(part, r, weak);
        let each = self.add(Node::Implies(begins, so));
        self.add(Node::Globally(each))
    }

    /// What holds of the rest of a run from the first `q` on. What is asked of every rest of a run may be asked from
    /// each `q` on.
    fn after(&mut self, part: Part, q: Sub) -> Sub {
        let so = self.globally(part);
        match part {
            Part::Absence(_) | Part::Universality(_) | Part::Response { .. } => {
                let each = self.add(Node::Implies(q, so));
                self.add(Node::Globally(each))
            }
            Part::Existence(_) | Part::Precedence { .. } => {
                let not = self.not(q);
                let never = self.add(Node::Globally(not));
                let begins = self.add(Node::And(q, so));
                let some = self.add(Node::Finally(begins));
                self.add(Node::Or(never, some))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::{Names, parse};
    use crate::word::is_empty;

    /// Whether two formulas are satisfied by the same words.
    fn same(first: &str, second: &str) -> bool {
        let only = |yes: &str, no: &str| {
            let text = format!("({yes}) & !({no})");
            let formula = parse(&text, &mut Names::default()).expect("a formula").formula;
            is_empty(&crate::translate(&formula).expect("a small automaton"))
        };
        only(first, second) && only(second, first)
    }

    /// The formulas of the catalogue, as its authors published them.
    #[test]
    fn patterns_are_the_formulas_of_the_catalogue() {
        for (pattern, formula) in [
            ("absence(p) globally", "[](!p)"),
            ("absence(p) before r", "<>r -> (!p U r)"),
            ("absence(p) after q", "[](q -> [](!p))"),
            ("absence(p) between q and r", "[]((q & !r & <>r) -> (!p U r))"),
            ("absence(p) after q until r", "[](q & !r -> (!p W r))"),
            ("existence(p)", "<>(p)"),
            ("existence(p) before r", "!r W (p & !r)"),
            ("existence(p) after q", "[](!q) | <>(q & <>p)"),
            ("existence(p) between q and r", "[](q & !r -> (!r W (p & !r)))"),
            ("existence(p) after q until r", "[](q & !r -> (!r U (p & !r)))"),
            ("universality(p)", "[](p)"),
            ("universality(p) before r", "<>r -> (p U r)"),
            ("universality(p) after q", "[](q -> [](p))"),
            ("universality(p) between q and r", "[]((q & !r & <>r) -> (p U r))"),
            ("universality(p) after q until r", "[](q & !r -> (p W r))"),
            ("precedence(s, p)", "!p W s"),
            ("precedence(s, p) before r", "<>r -> (!p U (s | r))"),
            ("precedence(s, p) after q", "[]!q | <>(q & (!p W s))"),
            ("precedence(s, p) between q and r", "[]((q & !r & <>r) -> (!p U (s | r)))"),
            ("precedence(s, p) after q until r", "[](q & !r -> (!p W (s | r)))"),
            ("response(p, s)", "[](p -> <>s)"),
            ("response(p, s) before r", "<>r -> (p -> (!r U (s & !r))) U r"),
            ("response(p, s) after q", "[](q -> [](p -> <>s))"),
            ("response(p, s) between q and r", "[]((q & !r & <>r) -> ((p -> (!r U (s & !r))) U r))"),
            ("response(p, s) after q until r", "[](q & !r -> ((p -> (!r U (s & !r))) W r))"),
        ] {
            assert!(same(pattern, formula), "{pattern} is not {formula}");
        }
        assert!(!same("absence(p) before r", "absence(p) after r"));
        assert!(same("response(p & x, G s) after (q | x) & F z", "[](q | x -> [](p & x -> <>[]s)) & F z"));
    }
}
