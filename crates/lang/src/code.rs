//! The classes of what can be wrong with a text, for programs: each has a stable code.
//!
//! The sentence of a diagnostic is for people and may change; a program that acts on a diagnostic looks at its
//! [`Code`]. A class is what has the same kind of fix, in whatever language it is found.

use std::fmt;

/// Declares the classes with their codes, in the order in which they are listed.
macro_rules! classes {
    (
        wrong { $($(#[$doc:meta])* $name:ident = $code:literal,)+ }
        lacking { $($(#[$ldoc:meta])* $lname:ident = $lcode:literal,)+ }
    ) => {
        /// What kind of thing is wrong with a text.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $($(#[$doc])* $name,)+ $($(#[$ldoc])* $lname,)+ }

        impl Code {
            /// All classes.
            pub const ALL: &[Code] = &[$(Code::$name,)+ $(Code::$lname,)+];

            /// The stable name of the class.
            pub fn code(self) -> &'static str {
                match self { $(Code::$name => $code,)+ $(Code::$lname => $lcode,)+ }
            }
            /// Whether nothing is wrong with the text but that it needs what is not supported.
            pub fn is_unsupported(self) -> bool {
                matches!(self, $(Code::$lname)|+)
            }
        }
    };
}

classes! {
    wrong {
        // What is no text of the language.
        /// The text, or the property, is empty.
        Empty = "empty",
        /// The text is longer than can be read.
        TooLong = "too-long",
        /// Something is nested deeper than can be read.
        TooDeep = "too-deep",
        /// Something stands for more than can be written out.
        TooLarge = "too-large",
        /// There are more errors than are shown.
        TooManyErrors = "too-many-errors",
        /// The text is no well-formed XML.
        NotXml = "not-xml",
        /// The XML is a document of another kind.
        WrongDocument = "wrong-document",
        /// An element or a label is none of the language.
        UnknownElement = "unknown-element",
        /// Something that is needed is missing.
        MissingPart = "missing-part",
        /// Something is there twice that can be there once.
        RepeatedPart = "repeated-part",
        /// Something has no influence and is skipped.
        IgnoredPart = "ignored-part",
        /// Something stands where it cannot stand.
        Misplaced = "misplaced",
        /// A file that is imported cannot be had.
        MissingFile = "missing-file",
        /// The words do not follow the grammar.
        Syntax = "syntax",
        /// A character stands for nothing.
        UnexpectedCharacter = "unexpected-character",
        /// A bracket, a comment or a name is not closed.
        Unclosed = "unclosed",
        /// This is how other languages write it.
        ForeignSpelling = "foreign-spelling",
        /// A number is written in a way that has no meaning here.
        InvalidNumber = "invalid-number",
        /// A word of the language is used as a name.
        ReservedWord = "reserved-word",

        // Names.
        /// Nothing has this name.
        UnknownName = "unknown-name",
        /// Two things have the same name.
        DuplicateName = "duplicate-name",
        /// Several things have this name, and nothing tells which is meant.
        AmbiguousName = "ambiguous-name",
        /// The name is that of a thing of another kind already.
        NameClash = "name-clash",
        /// The name stands for a thing of another kind than is needed.
        WrongKind = "wrong-kind",
        /// The name is declared after the place where it is used.
        UsedEarly = "used-early",
        /// A reference leads back to itself.
        CircularReference = "circular-reference",

        // Types and values.
        /// A value is not of the type that is needed.
        TypeMismatch = "type-mismatch",
        /// Nothing tells the type of a value.
        UnclearType = "unclear-type",
        /// There are more or fewer of something than are needed.
        WrongCount = "wrong-count",
        /// A number is outside of what is allowed.
        OutOfRange = "out-of-range",
        /// A value has to be known before the model runs, and is not.
        NotConstant = "not-constant",
        /// What is to be changed is no variable, or cannot be changed here.
        NotAssignable = "not-assignable",
        /// Something changes variables where only values are asked for.
        SideEffect = "side-effect",
        /// Several parts of what happens at once write a variable.
        ConflictingWrites = "conflicting-writes",
        /// A variable is read before it has a value.
        NoValueYet = "no-value-yet",
        /// A value may be undefined, such as that of a division.
        Undefined = "undefined",
        /// No state is an initial one.
        NoInitialState = "no-initial-state",
        /// A function returns other than it says.
        WrongReturn = "wrong-return",
        /// A loop has no end that can be shown.
        UnboundedLoop = "unbounded-loop",

        // Time, channels and arcs.
        /// A clock is used in a way that clocks cannot be used.
        ClockMisuse = "clock-misuse",
        /// A clock is compared with what is no constant integer.
        ClockBound = "clock-bound",
        /// There are clocks, and time never passes.
        TimeNeverPasses = "time-never-passes",
        /// A channel is used in ways that exclude each other.
        ChannelMisuse = "channel-misuse",
        /// An arc or a transition connects what it cannot connect.
        Misconnected = "misconnected",

        // Statecharts.
        /// Nothing leads there.
        Unreachable = "unreachable",
        /// Something is declared, and nobody uses it.
        Unused = "unused",
        /// No branch may be open where one has to be taken.
        IncompleteChoice = "incomplete-choice",
        /// Something has different values in different places, and can have only one.
        DifferentValues = "different-values",

        // Questions.
        /// It is not clear what a property claims.
        UnclearClaim = "unclear-claim",
        /// A formula has no temporal operator, so that it is about the first state only.
        NoTemporalOperator = "no-temporal-operator",
        /// Not everyone groups the operators of a formula alike.
        DoubtfulGrouping = "doubtful-grouping",
    }
    // What is right, and needs what is not supported.
    lacking {
        /// A temporal formula that is none of linear time, or a temporal formula in a language without them.
        UnsupportedTemporalFormula = "unsupported.temporal-formula",
        /// A kind of query that is no question about reachable states.
        UnsupportedQuery = "unsupported.query",
        /// A question for deadlocks in a language without them.
        UnsupportedDeadlock = "unsupported.deadlock",
        /// Tokens of several colours.
        UnsupportedColours = "unsupported.colours",
        /// A place that holds only so many tokens.
        UnsupportedCapacity = "unsupported.capacity",
        /// Priorities of transitions, channels or processes.
        UnsupportedPriority = "unsupported.priority",
        /// An arc that is neither normal, nor an inhibitor, nor one that reads.
        UnsupportedArc = "unsupported.arc",
        /// Probabilities and exponential rates.
        UnsupportedProbability = "unsupported.probability",
        /// Clocks that run at another rate than 0 or 1.
        UnsupportedClockRate = "unsupported.clock-rate",
        /// Templates that are instantiated while the model runs.
        UnsupportedDynamicTemplate = "unsupported.dynamic-template",
        /// Functions of other programs.
        UnsupportedExternalFunction = "unsupported.external-function",
        /// Functions that call themselves.
        UnsupportedRecursion = "unsupported.recursion",
        /// A type of values, such as floating-point numbers.
        UnsupportedType = "unsupported.type",
        /// An operator.
        UnsupportedOperator = "unsupported.operator",
        /// A statement.
        UnsupportedStatement = "unsupported.statement",
        /// Some other part of a model.
        UnsupportedPart = "unsupported.part",
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pnml, xsts, xta};

    /// Asks something that is wrong, and tells the code of what is.
    type Ask = Box<dyn FnMut(&str) -> Code>;

    #[test]
    fn codes_are_distinct_words_with_hyphens() {
        let mut codes: Vec<&str> = Code::ALL.iter().map(|code| code.code()).collect();
        let plain = |code: &str| code.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '.'));
        assert!(codes.iter().all(|code| plain(code)), "{codes:?}");
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(code.code().starts_with("unsupported."), code.is_unsupported(), "{code}");
        }
    }

    /// The same mistake has the same code in every language.
    #[test]
    fn a_class_is_that_of_the_fix_and_not_of_the_language() {
        let model = "var count : integer = 0 trans { } init { } env { }";
        let net = "<pnml><net id='n' type='ptnet'><place id='count'/></net></pnml>";
        let network = "int count; process P() { state s; init s; } system P;";
        let mut ask: Vec<Ask> = vec![];
        let mut xsts = xsts::load(model).unwrap();
        ask.push(Box::new(move |text| xsts.parse_property("p", text).unwrap_err()[0].code));
        let mut pnml = pnml::load(net).unwrap();
        ask.push(Box::new(move |text| pnml.parse_property("p", text).unwrap_err()[0].code));
        let mut xta = xta::load(network, xta::Format::Xta).unwrap();
        ask.push(Box::new(move |text| xta.parse_property("p", &format!("A[] {text}")).unwrap_err()[0].code));
        for ask in &mut ask {
            assert_eq!(ask("cuont > 0"), Code::UnknownName);
            assert_eq!(ask("count > 0 && # 1"), Code::UnexpectedCharacter);
            assert_eq!(ask("count > 0 /* 1"), Code::Unclosed);
            assert_eq!(ask("count > > 0"), Code::Syntax);
        }
    }

    #[test]
    fn an_unknown_name_comes_with_the_one_that_was_meant() {
        let mut model = xsts::load("var count : integer = 0 trans { } init { } env { }").unwrap();
        let mut said = |text: &str| {
            let error = model.parse_property("p", text).unwrap_err().remove(0);
            (error.subject.unwrap(), error.suggestion)
        };
        assert_eq!(said("cuont > 0"), ("cuont".into(), Some("count".into())));
        assert_eq!(said("else_where > 0"), ("else_where".into(), None));
    }
}
