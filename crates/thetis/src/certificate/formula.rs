//! Formulas in files: s-expressions in the spelling of SMT-LIB, with the user's names in bars.
//!
//! - Variables are `|name|`; where that could mean several things, `|#4|`: number 4 in the list of
//!   variables of the file, from 0. Enumerations and literals alike: `(as |Literal| |Type|)`.
//! - Integers are `5` and `(- 5)`, rationals `5.0` and `(/ 1.0 2.0)`.
//! - `div`, `mod` and `rem` round as the language does, and every operator is total: `(div x 0)` and
//!   `(/ x 0.0)` are 0, `(mod x 0)` and `(rem x 0)` are `x`.
//! - The sort of an array says its legal positions if they are limited: `(Array Int Bool 0 7)`.
//! - What occurs several times is written once: `(let ((?1 term)) …)`, each name once in a formula.
//!
//! The reader keeps its place on a stack of its own, checks every type before it builds a term, and
//! refuses numbers that only a forger could want.

use std::collections::HashMap;
use std::fmt::Write;

use ir::{ArrayType, Bitwise, EnumId, Id, Int, Node, Rat, System, Term, Terms, Type, Value, VarId};

/// A formula of an arena as text.
pub struct Writer {
    /// By variable; empty for those that are not part of a state.
    variables: Vec<String>,
    /// By enumeration: its name, and those of its literals.
    enums: Vec<(String, Vec<String>)>,
}

impl Writer {
    /// A writer for the names of `system`.
    pub fn new(system: &System) -> Self {
        let vars: Vec<VarId> = system.state_vars().collect();
        let mut variables = vec![String::new(); system.vars.len()];
        let names = spell_all(vars.iter().map(|var| system.vars[*var].name.as_str()));
        for (var, name) in vars.iter().zip(names) {
            variables[var.index()] = name;
        }
        let types = spell_all(system.types().enums().map(|(_, ty)| ty.name.as_str()));
        let literals =
            system.types().enums().map(|(_, ty)| spell_all(ty.literals.iter().map(String::as_str)));
        Writer { variables, enums: types.into_iter().zip(literals).collect() }
    }
    /// The text of `formula`, which speaks of state variables.
    pub fn text(&self, terms: &Terms, formula: Term) -> String {
        let mut order = vec![];
        let mut uses: HashMap<Term, u32> = HashMap::new();
        terms.for_each_subterm(formula, |term| {
            order.push(term);
            terms.node(term).for_each_child(|child| *uses.entry(child).or_default() += 1);
        });
        let mut names: HashMap<Term, String> = HashMap::new();
        let (mut text, mut ends) = (String::new(), 0);
        for term in order {
            let shared = uses.get(&term).is_some_and(|count| *count > 1);
            let leaf = matches!(terms.node(term), Node::Const(_) | Node::Var(..));
            if shared && !leaf {
                let name = format!("?{}", names.len());
                let _ = write!(text, "(let (({name} ");
                self.write(terms, term, &names, &mut text);
                text.push_str(")) ");
                names.insert(term, name);
                ends += 1;
            }
        }
        self.write(terms, formula, &names, &mut text);
        text.extend(std::iter::repeat_n(')', ends));
        text
    }
    /// Writes `term` with the names of what has been written; every other sub-term occurs once.
    fn write(&self, terms: &Terms, term: Term, names: &HashMap<Term, String>, out: &mut String) {
        enum Job {
            Term(Term),
            Text(&'static str),
        }
        let mut jobs = vec![Job::Term(term)];
        while let Some(job) = jobs.pop() {
            let next = match job {
                Job::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Job::Term(next) => next,
            };
            if let Some(name) = names.get(&next) {
                out.push_str(name);
                continue;
            }
            let real = terms.type_of(next) != Type::Int;
            let op = match terms.node(next) {
                Node::Const(value) => {
                    self.value(terms, value, out);
                    continue;
                }
                Node::Var(var, _) => {
                    out.push_str(&self.variables[var.index()]);
                    continue;
                }
                // Formulas of certificates do not speak of these; the reader refuses them.
                Node::At(..) => "at",
                Node::Deadlock => "deadlock",
                Node::Not(_) => "not",
                Node::And(_) => "and",
                Node::Or(_) => "or",
                Node::Eq(..) => "=",
                Node::Le(..) => "<=",
                Node::Lt(..) => "<",
                Node::Ite(..) => "ite",
                Node::Add(_) => "+",
                Node::Mul(_) => "*",
                Node::Div(..) if real => "/",
                Node::Div(..) => "div",
                Node::Mod(..) => "mod",
                Node::Rem(..) => "rem",
                Node::BitAnd(..) => "bit-and",
                Node::BitOr(..) => "bit-or",
                Node::BitXor(..) => "bit-xor",
                Node::Read(..) => "select",
                Node::Write(..) => "store",
                Node::Fill(..) => {
                    out.push_str("((as const ");
                    self.sort(terms, terms.type_of(next), out);
                    ")"
                }
            };
            if !matches!(terms.node(next), Node::Fill(..)) {
                out.push('(');
            }
            out.push_str(op);
            let at = jobs.len();
            terms.node(next).for_each_child(|child| jobs.extend([Job::Text(" "), Job::Term(child)]));
            jobs.push(Job::Text(")"));
            jobs[at..].reverse();
        }
    }
    fn value(&self, terms: &Terms, value: &Value, out: &mut String) {
        let _ = match value {
            Value::Bool(value) => write!(out, "{value}"),
            Value::Int(number) if number.is_negative() => write!(out, "(- {})", -number),
            Value::Int(number) => write!(out, "{number}"),
            Value::Rat(number) => write!(out, "{}", rational(number)),
            Value::Enum(id, literal) => {
                let (ty, literals) = &self.enums[id.index()];
                write!(out, "(as {} {ty})", literals[*literal as usize])
            }
            Value::Array(array) => {
                out.push_str(&"(store ".repeat(array.entries().count()));
                out.push_str("((as const ");
                self.sort(terms, Type::Array(array.ty()), out);
                out.push_str(") ");
                self.value(terms, array.default(), out);
                out.push(')');
                for (at, entry) in array.entries() {
                    out.push(' ');
                    self.value(terms, at, out);
                    out.push(' ');
                    self.value(terms, entry, out);
                    out.push(')');
                }
                Ok(())
            }
        };
    }
    fn sort(&self, terms: &Terms, ty: Type, out: &mut String) {
        let text = match ty {
            Type::Bool => "Bool",
            Type::Int => "Int",
            Type::Rat => "Real",
            Type::Clock => "Clock",
            Type::Enum(id) => &self.enums[id.index()].0,
            Type::Array(id) => {
                let ArrayType { index, element, range } = terms.types.array_type(id);
                out.push_str("(Array ");
                self.sort(terms, index, out);
                out.push(' ');
                self.sort(terms, element, out);
                for bound in range.into_iter().flat_map(|(first, last)| [first, last]) {
                    out.push(' ');
                    self.value(terms, &Value::int(bound), out);
                }
                ")"
            }
        };
        out.push_str(text);
    }
}

/// Names in bars; those that are not clear by themselves by their numbers.
fn spell_all<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut count: HashMap<&str, u32> = HashMap::new();
    names.iter().for_each(|name| *count.entry(name).or_default() += 1);
    let spell = |(number, name): (usize, &&str)| {
        let odd = name.starts_with('#') || name.chars().any(|c| matches!(c, '|' | '\\') || c.is_control());
        if odd || count[name] > 1 { format!("|#{number}|") } else { format!("|{name}|") }
    };
    names.iter().enumerate().map(spell).collect()
}

fn rational(value: &Rat) -> String {
    let (numerator, denominator) = (value.numerator(), value.denominator());
    let digits = numerator.to_string();
    let digits = digits.trim_start_matches('-');
    let text = match denominator == Int::ONE {
        true => format!("{digits}.0"),
        false => format!("(/ {digits}.0 {denominator}.0)"),
    };
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// Reads formulas about one system into an arena.
pub struct Reader {
    variables: HashMap<String, VarId>,
    enums: HashMap<String, (EnumId, HashMap<String, u32>)>,
}

/// What is being read.
enum Open {
    /// An operator and its operands so far.
    Apply(String, Vec<Term>),
    /// A name, its value when that has been read, and the value of the whole.
    Let(String, Option<Term>, Option<Term>),
    /// A constant array of a type, and its value.
    Fill(Type, Option<Term>),
}

/// Numbers with more digits than this are refused.
const DIGITS: usize = 10_000;
/// Products of more factors than this are refused.
const FACTORS: usize = 64;

impl Reader {
    /// A reader for the names of `system`.
    pub fn new(system: &System) -> Self {
        let writer = Writer::new(system);
        let known = writer.variables.into_iter().enumerate().filter(|(_, name)| !name.is_empty());
        let numbered = |names: Vec<String>| names.into_iter().zip(0..).collect();
        let enums = writer.enums.into_iter().enumerate();
        Reader {
            variables: known.map(|(at, name)| (name, VarId::at(at))).collect(),
            enums: enums.map(|(at, (ty, names))| (ty, (EnumId::at(at), numbered(names)))).collect(),
        }
    }
    /// The formula that `text` spells.
    pub fn formula(&self, terms: &mut Terms, text: &str) -> Result<Term, String> {
        let mut tokens = Tokens { rest: text };
        let mut stack: Vec<Open> = vec![];
        let mut names: HashMap<String, Term> = HashMap::new();
        let mut result = None;
        while result.is_none() {
            let done = match tokens.next()?.ok_or("the formula ends too early")? {
                "(" => {
                    match self.open(terms, &mut tokens)? {
                        Opened::Frame(open) => stack.push(open),
                        Opened::Value(term) => {
                            Self::put(term, &mut stack, &mut names, &mut tokens, &mut result)?;
                        }
                    }
                    continue;
                }
                ")" => match stack.pop().ok_or("there is a `)` too many")? {
                    Open::Apply(op, operands) => apply(terms, &op, &operands)?,
                    Open::Let(name, _, body) => body.ok_or_else(|| format!("`{name}` is used nowhere"))?,
                    Open::Fill(ty, value) => {
                        let value = value.ok_or("a constant array needs a value")?;
                        fill(terms, ty, value)?
                    }
                },
                token => self.atom(terms, &names, token)?,
            };
            if too_long(terms, done) {
                return Err("a number is too long".to_owned());
            }
            Self::put(done, &mut stack, &mut names, &mut tokens, &mut result)?;
        }
        match tokens.next()? {
            Some(more) => Err(format!("`{}` comes after the end of the formula", brief(more))),
            None => Ok(result.expect("the loop ended")),
        }
    }
    /// Hands a term that has been read to what is around it.
    fn put(
        term: Term,
        stack: &mut [Open],
        names: &mut HashMap<String, Term>,
        tokens: &mut Tokens<'_>,
        result: &mut Option<Term>,
    ) -> Result<(), String> {
        match stack.last_mut() {
            None => *result = Some(term),
            Some(Open::Apply(_, operands)) => operands.push(term),
            Some(Open::Let(name, value @ None, _)) => {
                *value = Some(term);
                tokens.expect(")")?;
                tokens.expect(")")?;
                if names.insert(name.clone(), term).is_some() {
                    return Err(format!("`{name}` is defined twice"));
                }
            }
            Some(Open::Let(_, Some(_), slot @ None) | Open::Fill(_, slot @ None)) => *slot = Some(term),
            Some(Open::Let(..) | Open::Fill(..)) => return Err("a `)` is missing".to_owned()),
        }
        Ok(())
    }
    /// What begins after a `(`.
    fn open(&self, terms: &mut Terms, tokens: &mut Tokens<'_>) -> Result<Opened, String> {
        Ok(match tokens.some()? {
            "let" => {
                tokens.expect("(")?;
                tokens.expect("(")?;
                let name = tokens.some()?;
                if !name.starts_with('?') {
                    return Err(format!("`{}` is no name for a part of a formula", brief(name)));
                }
                Opened::Frame(Open::Let(name.to_owned(), None, None))
            }
            "as" => {
                let (literal, ty) = (tokens.some()?, tokens.some()?);
                tokens.expect(")")?;
                let (id, literals) =
                    self.enums.get(ty).ok_or_else(|| format!("there is no type {}", brief(ty)))?;
                let ordinal = literals.get(literal);
                let ordinal =
                    ordinal.ok_or_else(|| format!("{} has no literal {}", brief(ty), brief(literal)))?;
                Opened::Value(terms.constant(Value::Enum(*id, *ordinal)))
            }
            "(" => {
                tokens.expect("as")?;
                tokens.expect("const")?;
                let ty = self.sort(terms, tokens, 0)?;
                tokens.expect(")")?;
                Opened::Frame(Open::Fill(ty, None))
            }
            ")" => return Err("there is nothing between `(` and `)`".to_owned()),
            op => Opened::Frame(Open::Apply(op.to_owned(), vec![])),
        })
    }
    fn atom(&self, terms: &mut Terms, names: &HashMap<String, Term>, token: &str) -> Result<Term, String> {
        if token.starts_with('|') {
            let var = self.variables.get(token);
            return var
                .map(|var| terms.var(*var))
                .ok_or_else(|| format!("there is no variable {}", brief(token)));
        }
        if token.starts_with('?') {
            return names.get(token).copied().ok_or_else(|| format!("nothing is called `{}`", brief(token)));
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = match token {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if token.len() > DIGITS => return Err("a number is too long".to_owned()),
            _ if is_number(token) => Value::Int(token.parse().map_err(|_| "a number is damaged")?),
            _ => match token.strip_suffix(".0").filter(|digits| is_number(digits)) {
                Some(digits) => Value::rat(digits.parse().map_err(|_| "a number is damaged")?),
                None => return Err(format!("`{}` is unknown here", brief(token))),
            },
        };
        Ok(terms.constant(value))
    }
    fn sort(&self, terms: &mut Terms, tokens: &mut Tokens<'_>, depth: u32) -> Result<Type, String> {
        Ok(match tokens.some()? {
            "Bool" => Type::Bool,
            "Int" => Type::Int,
            "Real" => Type::Rat,
            "Clock" => Type::Clock,
            "(" if depth < 16 => {
                tokens.expect("Array")?;
                let index = self.sort(terms, tokens, depth + 1)?;
                let element = self.sort(terms, tokens, depth + 1)?;
                let mut bounds = vec![];
                loop {
                    let bound = match tokens.some()? {
                        ")" => break,
                        "(" => {
                            tokens.expect("-")?;
                            let digits = tokens.some()?;
                            tokens.expect(")")?;
                            format!("-{digits}")
                        }
                        digits => digits.to_owned(),
                    };
                    bounds.push(bound.parse::<i64>().map_err(|_| "the bounds of an array are damaged")?);
                }
                let range = match (&bounds[..], index) {
                    ([], _) => None,
                    ([first, last], Type::Int) => Some((*first, *last)),
                    _ => return Err("the bounds of an array are damaged".to_owned()),
                };
                let ty = ArrayType { index, element, range };
                // Only arrays of the model are small enough to be written out position by position.
                Type::Array(terms.types.find_array(&ty).ok_or("the model has no such type of arrays")?)
            }
            name => match self.enums.get(name) {
                Some((id, _)) => Type::Enum(*id),
                None => return Err(format!("there is no type {}", brief(name))),
            },
        })
    }
}

/// What comes after a `(`: something with operands, or a value that is complete.
enum Opened {
    Frame(Open),
    Value(Term),
}

/// The term of an operator, if its operands are of its types.
fn apply(terms: &mut Terms, op: &str, operands: &[Term]) -> Result<Term, String> {
    let ty = |term: &Term| terms.type_of(*term);
    let all = |is: fn(Type) -> bool| operands.iter().all(|term| is(ty(term)));
    let is_number = |ty: Type| matches!(ty, Type::Int | Type::Rat | Type::Clock);
    let ints = all(|ty| ty == Type::Int);
    let bools = all(|ty| ty == Type::Bool);
    let numbers = all(is_number);
    let array = |term: &Term| match ty(term) {
        Type::Array(id) => Some(terms.types.array_type(id)),
        _ => None,
    };
    let list = || operands.iter().copied();
    Ok(match (op, operands) {
        ("not", [a]) if bools => terms.not(*a),
        ("and", _) if bools => terms.and(list()),
        ("or", _) if bools => terms.or(list()),
        ("=", [a, b]) if ty(a) == ty(b) || numbers => terms.eq(*a, *b),
        ("<=", [a, b]) if numbers => terms.le(*a, *b),
        ("<", [a, b]) if numbers => terms.lt(*a, *b),
        ("ite", [c, a, b])
            if ty(c) == Type::Bool && (ty(a) == ty(b) || is_number(ty(a)) && is_number(ty(b))) =>
        {
            terms.ite(*c, *a, *b)
        }
        ("+", [_, _, ..]) if numbers => terms.add(list()),
        ("*", [first, rest @ ..]) if numbers && !rest.is_empty() && rest.len() < FACTORS => {
            let mut product = *first;
            for factor in rest {
                product = terms.mul([product, *factor]);
                if too_long(terms, product) {
                    return Err("a number is too long".to_owned());
                }
                if let Node::Mul(parts) = terms.node(product) {
                    if parts.len() > FACTORS {
                        return Err("a product is too long".to_owned());
                    }
                    if parts.iter().any(|part| too_long(terms, *part)) {
                        return Err("a number is too long".to_owned());
                    }
                }
            }
            product
        }
        ("-", [a]) if numbers => terms.neg(*a),
        ("div", [a, b]) if ints => terms.div(*a, *b),
        ("/", [a, b]) if numbers && !ints => terms.div(*a, *b),
        ("mod", [a, b]) if ints => terms.modulo(*a, *b),
        ("rem", [a, b]) if ints => terms.rem(*a, *b),
        ("bit-and", [a, b]) if ints => terms.bitwise(Bitwise::And, *a, *b),
        ("bit-or", [a, b]) if ints => terms.bitwise(Bitwise::Or, *a, *b),
        ("bit-xor", [a, b]) if ints => terms.bitwise(Bitwise::Xor, *a, *b),
        ("select", [a, i]) if array(a).is_some_and(|parts| parts.index == ty(i)) => terms.read(*a, *i),
        ("store", [a, i, v])
            if array(a).is_some_and(|parts| parts.index == ty(i) && parts.element == ty(v)) =>
        {
            terms.write(*a, *i, *v)
        }
        _ => return Err(format!("`{}` cannot be applied to these {} operands", brief(op), operands.len())),
    })
}

fn fill(terms: &mut Terms, ty: Type, value: Term) -> Result<Term, String> {
    match ty {
        Type::Array(id) if terms.types.array_type(id).element == terms.type_of(value) => {
            Ok(terms.fill(id, value))
        }
        _ => Err("the value of a constant array is of another type".to_owned()),
    }
}

/// Whether a constant has more digits than anybody needs.
fn too_long(terms: &Terms, term: Term) -> bool {
    let long = |number: &Int| number.to_i64().is_none() && number.to_string().len() > DIGITS;
    match terms.as_const(term) {
        Some(Value::Int(number)) => long(number),
        Some(Value::Rat(number)) => long(&number.numerator()) || long(&number.denominator()),
        _ => false,
    }
}

/// The pieces of a text: parentheses, names in bars, and everything else up to a space.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<&'a str>, String> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let length = match first {
            '(' | ')' => 1,
            '|' => match self.rest[1..].find('|') {
                Some(end) => end + 2,
                None => return Err("a `|` is missing".to_owned()),
            },
            _ => self.rest.find(|c: char| c.is_whitespace() || "()|".contains(c)).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(Some(token))
    }
    fn some(&mut self) -> Result<&'a str, String> {
        Ok(self.next()?.ok_or("the formula ends too early")?)
    }
    fn expect(&mut self, expected: &str) -> Result<(), String> {
        match self.some()? {
            token if token == expected => Ok(()),
            token => Err(format!("`{}` stands where `{expected}` should", brief(token))),
        }
    }
}

fn brief(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
