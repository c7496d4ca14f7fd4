//! Claims about nets: made by chance, what they mean, and how they are written.

use super::document::escaped;
use super::game::{Marking, Reachable};
use super::net::{Choices, Net, Node, unique_name};

/// What is claimed.
#[derive(Clone, Debug)]
pub enum Claim {
    DeadlockFree,
    OneSafe,
    /// Of every reachable marking.
    Always(Condition),
    /// Of some reachable marking.
    Possibly(Condition),
    /// That no marking with these tokens is reached; places by number.
    Never(Vec<(usize, u64)>),
}

/// A condition on markings.
#[derive(Clone, Debug)]
pub enum Condition {
    True,
    Deadlock,
    Fireable(Vec<usize>),
    Marking(Vec<(usize, u64)>),
    Compare(&'static str, Number, Number),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Implies(Box<Condition>, Box<Condition>),
    Iff(Box<Condition>, Box<Condition>),
}

/// A number that depends on the marking.
#[derive(Clone, Debug)]
pub enum Number {
    Constant(u64),
    Tokens(usize),
    Sum(Vec<Number>),
    Difference(Box<Number>, Box<Number>),
    Product(Vec<Number>),
}

const COMPARISONS: [&str; 6] = ["<=", ">=", "<", ">", "==", "!="];

// By chance.

pub fn condition(net: &Net, choices: &mut Choices, depth: usize) -> Condition {
    let deeper = |choices: &mut Choices| condition(net, choices, depth.saturating_sub(1));
    match choices.below(if depth == 0 { 6 } else { 12 }) {
        0..=2 => {
            Condition::Compare(choices.one_of(&COMPARISONS), number(net, choices, 1), number(net, choices, 1))
        }
        3 => choices.one_of(&[&Condition::Deadlock, &Condition::True]).clone(),
        4 if !net.transitions.is_empty() => {
            let list = (0..=choices.below(2)).map(|_| choices.below(net.transitions.len()));
            Condition::Fireable(list.collect())
        }
        4 | 5 => Condition::Marking(some_tokens(net, choices)),
        6 | 7 => Condition::Not(deeper(choices).into()),
        8 => Condition::And((0..=1 + choices.below(2)).map(|_| deeper(choices)).collect()),
        9 => Condition::Or((0..=1 + choices.below(2)).map(|_| deeper(choices)).collect()),
        10 => Condition::Implies(deeper(choices).into(), deeper(choices).into()),
        _ => Condition::Iff(deeper(choices).into(), deeper(choices).into()),
    }
}

/// Numbers of tokens of some places, each once.
pub fn some_tokens(net: &Net, choices: &mut Choices) -> Vec<(usize, u64)> {
    let first = choices.below(net.places.len());
    let rest = (first + 1..net.places.len()).filter(|_| choices.once_in(2)).collect::<Vec<_>>();
    let mut tokens = |place| (place, choices.below(3) as u64);
    std::iter::once(first).chain(rest).map(&mut tokens).collect()
}

fn number(net: &Net, choices: &mut Choices, depth: usize) -> Number {
    let deeper = |choices: &mut Choices| number(net, choices, depth.saturating_sub(1));
    match choices.below(if depth == 0 { 5 } else { 9 }) {
        0..=2 => Number::Tokens(choices.below(net.places.len())),
        3 | 4 => Number::Constant(choices.below(4) as u64),
        5 | 6 => Number::Sum((0..=1 + choices.below(2)).map(|_| deeper(choices)).collect()),
        7 => Number::Difference(deeper(choices).into(), deeper(choices).into()),
        _ => Number::Product(vec![deeper(choices), deeper(choices)]),
    }
}

// Meaning.

impl Claim {
    /// Whether some marking of a certain kind must be reached for the claim to be true, or none; and that kind.
    pub fn question(&self, net: &Net) -> (bool, Condition) {
        let not = |condition: Condition| Condition::Not(condition.into());
        let crowded = |place| Condition::Compare(">=", Number::Tokens(place), Number::Constant(2));
        match self {
            Claim::DeadlockFree => (false, Condition::Deadlock),
            Claim::OneSafe => (false, Condition::Or((0..net.places.len()).map(crowded).collect())),
            Claim::Always(condition) => (false, not(condition.clone())),
            Claim::Possibly(condition) => (true, condition.clone()),
            Claim::Never(tokens) => (false, Condition::Marking(tokens.clone())),
        }
    }
}

impl Condition {
    pub fn holds(&self, net: &Net, marking: &Marking) -> bool {
        let has = |(place, tokens): &(usize, u64)| marking[&net.places[*place].id] == *tokens;
        match self {
            Condition::True => true,
            Condition::Deadlock => net.is_deadlock(marking),
            Condition::Fireable(list) => list.iter().any(|transition| net.enabled(*transition, marking)),
            Condition::Marking(tokens) => tokens.iter().all(has),
            Condition::Compare(op, a, b) => {
                let order = a.value(net, marking).cmp(&b.value(net, marking));
                match *op {
                    "<=" => order.is_le(),
                    ">=" => order.is_ge(),
                    "<" => order.is_lt(),
                    ">" => order.is_gt(),
                    "==" => order.is_eq(),
                    _ => order.is_ne(),
                }
            }
            Condition::Not(inner) => !inner.holds(net, marking),
            Condition::And(list) => list.iter().all(|part| part.holds(net, marking)),
            Condition::Or(list) => list.iter().any(|part| part.holds(net, marking)),
            Condition::Implies(a, b) => !a.holds(net, marking) || b.holds(net, marking),
            Condition::Iff(a, b) => a.holds(net, marking) == b.holds(net, marking),
        }
    }
    /// How many steps the nearest marking is away that has the condition.
    pub fn nearest(&self, net: &Net, reachable: &Reachable) -> Option<usize> {
        let found = reachable.iter().filter(|(marking, _)| self.holds(net, marking));
        found.map(|(_, depth)| *depth).min()
    }
}

impl Number {
    fn value(&self, net: &Net, marking: &Marking) -> i64 {
        match self {
            Number::Constant(value) => *value as i64,
            Number::Tokens(place) => marking[&net.places[*place].id] as i64,
            Number::Sum(list) => list.iter().map(|part| part.value(net, marking)).sum(),
            Number::Difference(a, b) => a.value(net, marking) - b.value(net, marking),
            Number::Product(list) => list.iter().map(|part| part.value(net, marking)).product(),
        }
    }
}

// As people write them.

/// One of the texts of a claim.
pub fn text(net: &Net, claim: &Claim, choices: &mut Choices) -> String {
    let mut writer = Text { net, choices };
    let text = match claim {
        Claim::DeadlockFree => {
            writer.choices.one_of(&["deadlock-free", "A[] !deadlock", "AG(EX(true))"]).to_owned()
        }
        Claim::OneSafe => "1-safe".to_owned(),
        Claim::Always(condition) => match writer.choices.below(3) {
            // Alone, `deadlock` does not say what is claimed, so it is asked back.
            0 if !matches!(condition, Condition::Deadlock) => writer.condition(condition, 0),
            0 | 1 => format!("A[] {}", writer.condition(condition, 0)),
            _ => format!("AG({})", writer.condition(condition, 0)),
        },
        Claim::Possibly(condition) => match writer.choices.below(2) {
            0 => format!("E<> {}", writer.condition(condition, 0)),
            _ => format!("EF({})", writer.condition(condition, 0)),
        },
        Claim::Never(tokens) if tokens.len() == net.places.len() => {
            let separator = writer.choices.one_of(&[" ", ", "]);
            tokens.iter().map(|(_, tokens)| tokens.to_string()).collect::<Vec<_>>().join(separator)
        }
        Claim::Never(tokens) if tokens.len() > 1 => writer.tokens(tokens),
        Claim::Never(tokens) => format!("!marking({})", writer.tokens(tokens)),
    };
    if writer.choices.once_in(6) { format!("prop {{ {text} }}") } else { text }
}

struct Text<'a> {
    net: &'a Net,
    choices: &'a mut Choices,
}

impl Text<'_> {
    /// A condition where operators of at least this level can stand: `<=>` 0, `=>` 1, `||` 2, `&&` 3, `!` 4.
    fn condition(&mut self, condition: &Condition, least: usize) -> String {
        let (level, text) = match condition {
            Condition::True => (5, "true".to_owned()),
            Condition::Deadlock => (5, "deadlock".to_owned()),
            Condition::Fireable(list) => {
                let names: Vec<String> =
                    list.iter().map(|at| self.name(&self.net.transitions, *at)).collect();
                (5, format!("fireable({})", names.join(", ")))
            }
            Condition::Marking(tokens) => (5, format!("marking({})", self.tokens(tokens))),
            Condition::Compare(op, a, b) => {
                let op = if *op == "==" { self.choices.one_of(&["==", "="]) } else { op };
                // Alone, `p = 1` may be meant as a marking, so it is asked back.
                let op = if least == 0 && op == "=" { "==" } else { op };
                (5, format!("{} {op} {}", self.number(a, 0), self.number(b, 0)))
            }
            Condition::Not(inner) => {
                let word = self.choices.one_of(&["!", "not "]);
                (4, format!("{word}{}", self.condition(inner, 4)))
            }
            Condition::And(list) => (3, self.join(list, &["&&", "&", "and"], 4)),
            Condition::Or(list) => (2, self.join(list, &["||", "|", "or"], 3)),
            Condition::Implies(a, b) => {
                let op = self.choices.one_of(&["=>", "->", "imply"]);
                (1, format!("{} {op} {}", self.condition(a, 2), self.condition(b, 1)))
            }
            Condition::Iff(a, b) => {
                let op = self.choices.one_of(&["<=>", "iff"]);
                (0, format!("{} {op} {}", self.condition(a, 1), self.condition(b, 1)))
            }
        };
        if level < least || self.choices.once_in(5) { format!("({text})") } else { text }
    }
    fn join(&mut self, list: &[Condition], ops: &[&str], least: usize) -> String {
        let mut text = self.condition(&list[0], least);
        for part in &list[1..] {
            let op = self.choices.one_of(ops);
            text = format!("{text} {op} {}", self.condition(part, least));
        }
        text
    }
    /// A number where operators of at least this level can stand: `+` and `-` 0, `*` 1.
    fn number(&mut self, number: &Number, least: usize) -> String {
        let (level, text) = match number {
            Number::Constant(value) => (2, value.to_string()),
            Number::Tokens(place) => (2, self.name(&self.net.places, *place)),
            Number::Sum(list) => {
                (0, list.iter().map(|part| self.number(part, 0)).collect::<Vec<_>>().join(" + "))
            }
            Number::Difference(a, b) => (0, format!("{} - {}", self.number(a, 0), self.number(b, 1))),
            Number::Product(list) => {
                (1, list.iter().map(|part| self.number(part, 2)).collect::<Vec<_>>().join(" * "))
            }
        };
        if level < least || self.choices.once_in(8) { format!("({text})") } else { text }
    }
    fn tokens(&mut self, tokens: &[(usize, u64)]) -> String {
        let entry =
            |(place, tokens): &(usize, u64)| format!("{} = {tokens}", self.name(&self.net.places, *place));
        tokens.iter().map(entry).collect::<Vec<_>>().join(", ")
    }
    fn name(&mut self, nodes: &[Node], at: usize) -> String {
        let name = unique_name(nodes, at).filter(|_| self.choices.once_in(2));
        match name {
            Some(name) if name.contains('\'') => format!("\"{name}\""),
            Some(name) => format!("'{name}'"),
            None if nodes[at].id.contains('-') || self.choices.once_in(4) => format!("\"{}\"", nodes[at].id),
            None => nodes[at].id.clone(),
        }
    }
}

// As the Model Checking Contest writes them.

/// A document with a formula for each claim, known by their numbers.
pub fn formulas(net: &Net, claims: &[Claim], choices: &mut Choices) -> String {
    let mut text = "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\">\n".to_owned();
    for (number, claim) in claims.iter().enumerate() {
        let (possibly, kind) = claim.question(net);
        let kind = element(net, &kind);
        let not = |inner: String| format!("<negation>{inner}</negation>");
        let globally = |inner: String| format!("<all-paths><globally>{inner}</globally></all-paths>");
        let finally = |inner: String| format!("<exists-path><finally>{inner}</finally></exists-path>");
        let formula = match (possibly, choices.once_in(2)) {
            (false, false) => globally(not(kind)),
            (false, true) => not(finally(kind)),
            (true, false) => finally(kind),
            (true, true) => not(globally(not(kind))),
        };
        text += &format!("<property><id>{number}</id><formula>{formula}</formula></property>\n");
    }
    text + "</property-set>\n"
}

fn element(net: &Net, condition: &Condition) -> String {
    let all = |tag: &str, list: &[Condition]| {
        let parts: String = list.iter().map(|part| element(net, part)).collect();
        format!("<{tag}>{parts}</{tag}>")
    };
    match condition {
        Condition::True => "<true/>".to_owned(),
        Condition::Deadlock => "<deadlock/>".to_owned(),
        Condition::Fireable(list) => {
            let transition = |at: &usize| format!("<transition>{}</transition>", net.transitions[*at].id);
            format!("<is-fireable>{}</is-fireable>", list.iter().map(transition).collect::<String>())
        }
        Condition::Marking(tokens) => {
            let equation = |(place, tokens): &(usize, u64)| {
                Condition::Compare("==", Number::Tokens(*place), Number::Constant(*tokens))
            };
            all("conjunction", &tokens.iter().map(equation).collect::<Vec<_>>())
        }
        Condition::Compare(op, a, b) => {
            let at = COMPARISONS.iter().position(|known| known == op).expect("a comparison");
            let word = ["le", "ge", "lt", "gt", "eq", "ne"][at];
            format!("<integer-{word}>{}{}</integer-{word}>", count(net, a), count(net, b))
        }
        Condition::Not(inner) => format!("<negation>{}</negation>", element(net, inner)),
        Condition::And(list) => all("conjunction", list),
        Condition::Or(list) => all("disjunction", list),
        Condition::Implies(a, b) => {
            format!("<implication>{}{}</implication>", element(net, a), element(net, b))
        }
        Condition::Iff(a, b) => format!("<equivalence>{}{}</equivalence>", element(net, a), element(net, b)),
    }
}

fn count(net: &Net, number: &Number) -> String {
    let all = |list: &[Number]| list.iter().map(|part| count(net, part)).collect::<String>();
    match number {
        Number::Constant(value) => format!("<integer-constant>{value}</integer-constant>"),
        Number::Tokens(place) => {
            let name = unique_name(&net.places, *place).unwrap_or(&net.places[*place].id);
            format!("<tokens-count><place>{}</place></tokens-count>", escaped(name))
        }
        Number::Sum(list) => format!("<integer-sum>{}</integer-sum>", all(list)),
        Number::Difference(a, b) => {
            format!("<integer-difference>{}{}</integer-difference>", count(net, a), count(net, b))
        }
        Number::Product(list) => format!("<integer-product>{}</integer-product>", all(list)),
    }
}
