//! Specification patterns (Dwyer, Avrunin, Corbett 1999): what is asked most often, by name.
//!
//! A pattern is about states of one to four kinds, and a *scope* says in which parts of a run: everywhere, before the first
//! `r`, after the first `q`, between every `q` and the next `r`, or from every `q` until the next `r`, which need not come. A
//! part begins where `q` holds and ends before `r` does. Patterns are written like `response(p, s) after q until r`.
//!
//! The formulas are those that the authors published, letter by letter. So they have their oddities: in some, `after q` is
//! after some `q` and not after the first, and chains in two of the scopes ask for their states at once.

use ir::ltl::{Builder, Sub};

use crate::parse::{Names, parse};

/// What is asked: an entry of the catalogue.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Pattern(&'static Entry);

/// A pattern of the catalogue.
#[derive(PartialEq, Eq, Debug)]
struct Entry {
    name: &'static str,
    /// The letters that stand for its arguments, in their order.
    arguments: &'static [&'static str],
    /// Its formulas, in the order of [`Scope`].
    formulas: [&'static str; 5],
}

/// The catalogue.
const CATALOGUE: &[Entry] = &[
    // p never holds.
    Entry {
        name: "absence",
        arguments: &["p"],
        formulas: [
            "[](!p)",
            "<>r -> (!p U r)",
            "[](q -> [](!p))",
            "[]((q & !r & <>r) -> (!p U r))",
            "[](q & !r -> (!p W r))",
        ],
    },
    // p holds some time.
    Entry {
        name: "existence",
        arguments: &["p"],
        formulas: [
            "<>(p)",
            "!r W (p & !r)",
            "[](!q) | <>(q & <>p)",
            "[](q & !r -> (!r W (p & !r)))",
            "[](q & !r -> (!r U (p & !r)))",
        ],
    },
    // p begins to hold twice at most.
    Entry {
        name: "bounded_existence",
        arguments: &["p"],
        formulas: [
            "!p W (p W (!p W (p W []!p)))",
            "<>r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
            "<>q -> (!q U (q & (!p W (p W (!p W (p W []!p))))))",
            "[]((q & <>r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
            "[](q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | []p)))))))))",
        ],
    },
    // p always holds.
    Entry {
        name: "universality",
        arguments: &["p"],
        formulas: [
            "[](p)",
            "<>r -> (p U r)",
            "[](q -> [](p))",
            "[]((q & !r & <>r) -> (p U r))",
            "[](q & !r -> (p W r))",
        ],
    },
    // p does not hold before s did.
    Entry {
        name: "precedence",
        arguments: &["s", "p"],
        formulas: [
            "!p W s",
            "<>r -> (!p U (s | r))",
            "[]!q | <>(q & (!p W s))",
            "[]((q & !r & <>r) -> (!p U (s | r)))",
            "[](q & !r -> (!p W (s | r)))",
        ],
    },
    // p is followed by s.
    Entry {
        name: "response",
        arguments: &["p", "s"],
        formulas: [
            "[](p -> <>s)",
            "<>r -> (p -> (!r U (s & !r))) U r",
            "[](q -> [](p -> <>s))",
            "[]((q & !r & <>r) -> ((p -> (!r U (s & !r))) U r))",
            "[](q & !r -> ((p -> (!r U (s & !r))) W r))",
        ],
    },
    // p does not hold before s and then t did: two causes, one effect.
    Entry {
        name: "precedence_2_1",
        arguments: &["s", "t", "p"],
        formulas: [
            "<>p -> (!p U (s & !p & X(!p U t)))",
            "<>r -> (!p U (r | (s & !p & X(!p U t))))",
            "([]!q) | (!q U (q & <>p -> (!p U (s & !p & X(!p U t)))))",
            "[]((q & <>r) -> (!p U (r | (s & !p & X(!p U t)))))",
            "[](q -> (<>p -> (!p U (r | (s & !p & X(!p U t))))))",
        ],
    },
    // s and then t do not come before p did: one cause, two effects.
    Entry {
        name: "precedence_1_2",
        arguments: &["p", "s", "t"],
        formulas: [
            "(<>(s & X<>t)) -> ((!s) U p)",
            "<>r -> ((!(s & (!r) & X(!r U (t & !r)))) U (r | p))",
            "([]!q) | ((!q) U (q & ((<>(s & X<>t)) -> ((!s) U p))))",
            "[]((q & <>r) -> ((!(s & (!r) & X(!r U (t & !r)))) U (r | p)))",
            "[](q -> (!(s & (!r) & X(!r U (t & !r))) U (r | p) | [](!(s & X<>t))))",
        ],
    },
    // s and then t are followed by p: two stimuli, one response.
    Entry {
        name: "response_2_1",
        arguments: &["s", "t", "p"],
        formulas: [
            "[](s & X<>t -> X(<>(t & <>p)))",
            "<>r -> (s & X(!r U t) -> X(!r U (t & <>p))) U r",
            "[](q -> [](s & X<>t -> X(!t U (t & <>p))))",
            "[]((q & <>r) -> (s & X(!r U t) -> X(!r U (t & <>p))) U r)",
            "[](q -> (s & X(!r U t) -> X(!r U (t & <>p))) U (r | [](s & X(!r U t) -> X(!r U (t & <>p)))))",
        ],
    },
    // p is followed by s and then t: one stimulus, two responses.
    Entry {
        name: "response_1_2",
        arguments: &["p", "s", "t"],
        formulas: [
            "[](p -> <>(s & X<>t))",
            "<>r -> (p -> (!r U (s & !r & X(!r U t)))) U r",
            "[](q -> [](p -> (s & X<>t)))",
            "[]((q & <>r) -> (p -> (!r U (s & !r & X(!r U t)))) U r)",
            "[](q -> (p -> (!r U (s & !r & X(!r U t)))) U (r | [](p -> (s & X<>t))))",
        ],
    },
    // p is followed by s and then t, without z in between.
    Entry {
        name: "constrained_response",
        arguments: &["p", "s", "t", "z"],
        formulas: [
            "[](p -> <>(s & !z & X(!z U t)))",
            "<>r -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r",
            "[](q -> [](p -> (s & !z & X(!z U t))))",
            "[]((q & <>r) -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r)",
            "[](q -> (p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U (r | [](p -> (s & !z & X(!z U t)))))",
        ],
    },
];

impl Pattern {
    /// All of them.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        CATALOGUE.iter().map(Self)
    }
    /// The pattern with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|pattern| pattern.name() == name)
    }
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }
    /// The letters of its arguments in the catalogue, in their order; bounds of scopes are `q` and `r`.
    #[must_use]
    pub const fn arguments(self) -> &'static [&'static str] {
        self.0.arguments
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

impl<T: Copy> Scope<T> {
    /// The same scope with other bounds.
    pub fn map<U>(self, new: impl Fn(T) -> U) -> Scope<U> {
        match self {
            Self::Globally => Scope::Globally,
            Self::Before(r) => Scope::Before(new(r)),
            Self::After(q) => Scope::After(new(q)),
            Self::Between(q, r) => Scope::Between(new(q), new(r)),
            Self::AfterUntil(q, r) => Scope::AfterUntil(new(q), new(r)),
        }
    }
    /// The bounds with their letters, in the order in which they are written.
    pub fn bounds(self) -> impl Iterator<Item = (&'static str, T)> {
        let (q, r) = match self {
            Self::Globally => (None, None),
            Self::Before(r) => (None, Some(r)),
            Self::After(q) => (Some(q), None),
            Self::Between(q, r) | Self::AfterUntil(q, r) => (Some(q), Some(r)),
        };
        q.map(|q| ("q", q)).into_iter().chain(r.map(|r| ("r", r)))
    }
    const fn index(self) -> usize {
        match self {
            Self::Globally => 0,
            Self::Before(_) => 1,
            Self::After(_) => 2,
            Self::Between(..) => 3,
            Self::AfterUntil(..) => 4,
        }
    }
}

/// The formula of a pattern.
///
/// # Panics
/// If there are fewer arguments than it has.
pub fn expand(builder: &mut Builder, pattern: Pattern, arguments: &[Sub], scope: Scope<Sub>) -> Sub {
    assert_eq!(arguments.len(), pattern.arguments().len(), "the pattern `{}`", pattern.name());
    let mut names = Names::default();
    let text = pattern.0.formulas[scope.index()];
    let formula = parse(text, &mut names).expect("the catalogue has formulas").formula;
    let letters = pattern.arguments().iter().copied().zip(arguments.iter().copied());
    let meaning: Vec<(&str, Sub)> = letters.chain(scope.bounds()).collect();
    builder.graft(&formula, |_, atom| {
        let letter = names.name(atom);
        let known = meaning.iter().find(|(other, _)| *other == letter);
        known.expect("the letters are those of the arguments and of the scope").1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Every entry has the letters of its arguments and its scope, and no others.
    #[test]
    fn all_patterns_expand_in_all_scopes() {
        for pattern in Pattern::all() {
            let arguments = pattern.arguments().join(", ");
            for scope in ["", "globally", "before r", "after q", "between q and r", "after q until r"] {
                let mut names = Names::default();
                let text = format!("{}({arguments}) {scope}", pattern.name());
                parse(&text, &mut names).unwrap_or_else(|error| panic!("{text}: {error:?}"));
                let bounds = ["q", "r"].iter().filter(|bound| scope.split(' ').any(|word| word == **bound));
                assert_eq!(names.iter().len(), pattern.arguments().len() + bounds.count(), "{text}");
            }
        }
    }

    /// What the names promise, by other formulas than those of the catalogue.
    #[test]
    fn patterns_mean_what_their_names_say() {
        for (pattern, formula) in [
            ("absence(p)", "!<>p"),
            // Where r comes, p does not come before it.
            ("absence(p) before r", "!(!r U (p & !r & <>r))"),
            ("existence(p) before r", "!(!p U r)"),
            ("universality(p) before r", "absence(!p) before r"),
            ("universality(p) after q until r", "!<>(q & !r & (!r U (!p & !r)))"),
            ("precedence(s, p)", "!(!s U (p & !s))"),
            ("response(p, s) after q until r", "!<>(q & !r & (!r U (p & !r & !(!r U (s & !r)))))"),
            ("response(p & x, G s) after (q | x) & F z", "[](q | x -> [](p & x -> <>[]s)) & F z"),
            // It does not begin to hold for the third time.
            ("bounded_existence(p)", "!<>(p & <>(!p & <>(p & <>(!p & <>p))))"),
        ] {
            assert!(same(pattern, formula), "{pattern} is not {formula}");
        }
        assert!(!same("absence(p) before r", "absence(p) after r"));
    }
}
