//! Formulas of the Model Checking Contest: an XML document with a property for each question.
//!
//! Read are reachability and invariants, `EF` and `AG` of a condition on markings, as the examinations
//! ReachabilityCardinality, ReachabilityFireability and ReachabilityDeadlock have them; formulas of linear time,
//! `A` of operators without further quantifiers, as in LTLCardinality and LTLFireability; and the largest numbers of
//! tokens that UpperBounds asks for. What goes beyond is refused as not supported, question by question.

use ir::ltl::{Builder, Node, Sub};
use ir::{Claim, Span, Term, Value};
use roxmltree::Node as Element;

use super::Subject;
use super::lower::{effects, enabled};
use super::property::{alive, branching, written};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::question::{About, Asked, Extreme, Grain, Measure, Misread, Question};
use crate::temporal::{Conditions, Path};
use crate::xml::{child, open_tag, parse};

/// How deep formulas may nest.
const DEEPEST: usize = 2_000;

/// What a formula about more than one marking is made of.
const TEMPORAL: &[&str] =
    &["all-paths", "exists-path", "globally", "finally", "next", "until", "before", "reach"];

/// Whether a text is a document rather than an expression.
pub(crate) fn is_document(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    start.starts_with("<?xml") || start.starts_with("<!--") || start.starts_with("<property")
}

/// All questions of a document.
pub(crate) fn read(model: &mut Subject<'_>, text: &str) -> Result<Vec<Asked>, Diagnostic> {
    let document = parse(text)?;
    let root = document.root_element();
    let list: Vec<_> = root.descendants().filter(|node| node.tag_name().name() == "property").collect();
    if list.is_empty() {
        let message =
            format!("expected a document of properties, found `{}` without any", root.tag_name().name());
        return Err(Diagnostic::error(Code::WrongDocument, open_tag(text, root), message));
    }
    let mut questions = vec![];
    for (number, node) in list.into_iter().enumerate() {
        let id = child(node, "id").and_then(|id| id.text()).map(str::trim).filter(|id| !id.is_empty());
        let name = id.map_or_else(|| format!("property {}", number + 1), str::to_owned);
        let property = Reader::new(model, text).property(node);
        let text = text[node.range()].to_owned();
        questions.push(match property {
            Ok((claim, values)) => {
                Ok(Question { about: About::Formula, values, ..Question::new(name, text, "", claim) })
            }
            Err(error) => Err(Misread { name, text, diagnostics: vec![error] }),
        });
    }
    Ok(questions)
}

/// The one question of a document.
pub(crate) fn only(model: &mut Subject<'_>, name: &str, text: &str) -> Result<Question, Diagnostic> {
    let mut questions = read(model, text)?;
    match (questions.pop(), questions.len()) {
        (Some(Ok(mut question)), 0) => {
            question.property.name = name.to_owned();
            Ok(Question { name: name.to_owned(), text: text.trim().to_owned(), ..question })
        }
        (Some(Err(Misread { diagnostics, .. })), 0) => Err(diagnostics.into_iter().next().expect("a reason")),
        (_, more) => {
            let message = format!("the document has {} properties; give it as a file", more + 1);
            Err(Diagnostic::error(Code::WrongCount, Span::default(), message))
        }
    }
}

struct Reader<'a, 'm> {
    model: &'a mut Subject<'m>,
    source: &'a str,
    depth: usize,
    /// What a formula of linear time is made of.
    builder: Builder,
    atoms: Conditions,
}

type Read<T> = Result<T, Diagnostic>;

impl<'a, 'm> Reader<'a, 'm> {
    fn new(model: &'a mut Subject<'m>, source: &'a str) -> Self {
        Reader { model, source, depth: 0, builder: Builder::default(), atoms: Conditions::default() }
    }
    /// What a property claims, and the values it asks for.
    fn property(mut self, node: Element<'_, '_>) -> Read<(Claim, Vec<Measure>)> {
        let formula = child(node, "formula")
            .ok_or_else(|| self.error(Code::MissingPart, node, "the property has no `formula`"))?;
        let mut at = self.only_part(formula)?;
        if at.tag_name().name() == "place-bound" {
            let measure = self.bound(at)?;
            return Ok((Claim::Possibly(self.model.system.terms.bool(true)), vec![measure]));
        }
        let mut negated = false;
        while at.tag_name().name() == "negation" {
            negated = !negated;
            at = self.only_part(at)?;
        }
        Ok((self.claim(at, negated)?, vec![]))
    }
    fn claim(mut self, at: Element<'_, '_>, negated: bool) -> Read<Claim> {
        let inner = self.only_part(at).ok();
        let condition = inner.and_then(|inner| self.only_part(inner).ok()).filter(|part| !is_temporal(*part));
        let inner_name = inner.map(|inner| inner.tag_name().name()).unwrap_or_default();
        let (always, condition) = match (at.tag_name().name(), inner_name, condition) {
            ("all-paths", "globally", Some(condition)) => (true, condition),
            ("exists-path", "finally", Some(condition)) => (false, condition),
            ("all-paths", ..) if !negated => {
                let root = self.path(self.only_part(at)?)?;
                return Ok(Path::new(self.builder.finish(root), self.atoms).claim(self.model.system));
            }
            (name, ..) if TEMPORAL.contains(&name) => return Err(branching(open_tag(self.source, at))),
            // A condition on the initial marking, or several formulas in one.
            (name, ..) if is_temporal(at) => {
                let message = format!("`{name}` of several `AG` or `EF` is not supported yet; ask for each");
                return Err(self.error(Code::UnsupportedTemporalFormula, at, &message));
            }
            (name, ..) => {
                let message = format!("expected `A` or `E` of a formula, found `{name}`");
                return Err(self.error(Code::UnclearClaim, at, &message));
            }
        };
        let mut term = self.truth(condition)?;
        if negated {
            // Not always is possibly not, and the other way round.
            term = self.model.system.terms.not(term);
        }
        Ok(if always != negated { Claim::Always(term) } else { Claim::Possibly(term) })
    }
    /// The largest sum of the tokens of places.
    fn bound(&mut self, node: Element<'_, '_>) -> Read<Measure> {
        let ways = vec![(self.model.system.terms.bool(true), self.tokens(node)?)];
        let places: Vec<String> = parts(node).map(|part| written(label(part))).collect();
        if places.is_empty() {
            return Err(self.error(Code::WrongCount, node, "`place-bound` has at least one place"));
        }
        Ok(Measure {
            text: places.join(" + "),
            condition: None,
            extreme: Extreme::Greatest,
            ways,
            grain: Grain::Whole,
        })
    }
    /// A formula of linear time.
    fn path(&mut self, node: Element<'_, '_>) -> Read<Sub> {
        if !is_temporal(node) {
            let condition = self.truth(node)?;
            let number = self.atoms.number(condition);
            return Ok(self.builder.atom(number));
        }
        self.enter(node)?;
        let result = ir::deep(|| self.operator(node));
        self.depth -= 1;
        result
    }
    fn operator(&mut self, node: Element<'_, '_>) -> Read<Sub> {
        let name = node.tag_name().name();
        let result = match name {
            "negation" | "next" | "finally" | "globally" => {
                let inner = self.path(self.only_part(node)?)?;
                match name {
                    "negation" => Node::Not(inner),
                    "next" => Node::Next(inner),
                    "finally" => Node::Finally(inner),
                    _ => Node::Globally(inner),
                }
            }
            "conjunction" | "disjunction" => {
                let mut list = vec![];
                for part in parts(node) {
                    list.push(self.path(part)?);
                }
                let join = if name == "conjunction" { Node::And } else { Node::Or };
                let all = list.into_iter().reduce(|all, next| self.builder.add(join(all, next)));
                return Ok(all.expect("a part has a temporal operator"));
            }
            "exclusive-disjunction" | "implication" | "equivalence" | "until" => {
                let [mut a, mut b] = self.both(node)?;
                if name == "until" {
                    (a, b) = (self.only_part(a)?, self.only_part(b)?);
                }
                let (a, b) = (self.path(a)?, self.path(b)?);
                match name {
                    "until" => Node::Until(a, b),
                    "implication" => Node::Implies(a, b),
                    "equivalence" => Node::Iff(a, b),
                    _ => Node::Not(self.builder.add(Node::Iff(a, b))),
                }
            }
            "all-paths" | "exists-path" => return Err(branching(open_tag(self.source, node))),
            _ => return Err(self.error(Code::TypeMismatch, node, &format!("`{name}` is no formula"))),
        };
        Ok(self.builder.add(result))
    }
    fn truth(&mut self, node: Element<'_, '_>) -> Read<Term> {
        self.enter(node)?;
        let result = ir::deep(|| self.condition(node));
        self.depth -= 1;
        result
    }
    fn enter(&mut self, node: Element<'_, '_>) -> Read<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(
                Code::TooDeep,
                node,
                &format!("the formula is nested more than {DEEPEST} times"),
            ));
        }
        Ok(())
    }
    fn condition(&mut self, node: Element<'_, '_>) -> Read<Term> {
        let name = node.tag_name().name();
        match name {
            "true" => Ok(self.model.system.terms.bool(true)),
            "false" => Ok(self.model.system.terms.bool(false)),
            "deadlock" => Ok(self.model.system.terms.deadlock()),
            "negation" => {
                let inner = self.truth(self.only_part(node)?)?;
                Ok(self.model.system.terms.not(inner))
            }
            "conjunction" | "disjunction" => {
                let mut list = vec![];
                for part in parts(node) {
                    list.push(self.truth(part)?);
                }
                let terms = &mut self.model.system.terms;
                Ok(if name == "conjunction" { terms.and(list) } else { terms.or(list) })
            }
            "exclusive-disjunction" | "implication" | "equivalence" => {
                let [a, b] = self.both(node)?;
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let terms = &mut self.model.system.terms;
                Ok(match name {
                    "exclusive-disjunction" => terms.xor(a, b),
                    "implication" => terms.implies(a, b),
                    _ => terms.eq(a, b),
                })
            }
            "is-fireable" => {
                let mut any = vec![];
                for part in parts(node) {
                    let transition = self.model.transition(label(part), open_tag(self.source, part))?;
                    let effects = effects(&self.model.net.transitions[transition].arcs);
                    any.push(enabled(&mut self.model.system.terms, &effects, &self.model.names.tokens));
                }
                Ok(self.model.system.terms.or(any))
            }
            "integer-le" | "integer-lt" | "integer-ge" | "integer-gt" | "integer-eq" | "integer-ne" => {
                let [a, b] = self.both(node)?;
                let (a, b) = (self.number(a)?, self.number(b)?);
                let terms = &mut self.model.system.terms;
                Ok(match name {
                    "integer-le" => terms.le(a, b),
                    "integer-lt" => terms.lt(a, b),
                    "integer-ge" => terms.ge(a, b),
                    "integer-gt" => terms.gt(a, b),
                    "integer-eq" => terms.eq(a, b),
                    _ => {
                        let same = terms.eq(a, b);
                        terms.not(same)
                    }
                })
            }
            // Some transition can fire: all that `EX true` says.
            "exists-path" if is_next_true(node) => Ok(alive(&mut self.model.system.terms)),
            _ if TEMPORAL.contains(&name) => Err(branching(open_tag(self.source, node))),
            _ => Err(self.error(Code::TypeMismatch, node, &format!("`{name}` is no condition on markings"))),
        }
    }
    fn number(&mut self, node: Element<'_, '_>) -> Read<Term> {
        self.enter(node)?;
        let result = ir::deep(|| self.count(node));
        self.depth -= 1;
        result
    }
    fn count(&mut self, node: Element<'_, '_>) -> Read<Term> {
        match node.tag_name().name() {
            "integer-constant" => {
                let text = label(node);
                let wrong = || self.error(Code::InvalidNumber, node, "this is no whole number");
                let value = text.parse().ok().filter(|_| text.len() <= 100).ok_or_else(wrong)?;
                Ok(self.model.system.terms.constant(Value::Int(value)))
            }
            "tokens-count" => self.tokens(node),
            name @ ("integer-sum" | "integer-product") => {
                let mut list = vec![];
                for part in parts(node) {
                    list.push(self.number(part)?);
                }
                let terms = &mut self.model.system.terms;
                Ok(if name == "integer-sum" { terms.add(list) } else { terms.mul(list) })
            }
            "integer-difference" => {
                let [a, b] = self.both(node)?;
                let (a, b) = (self.number(a)?, self.number(b)?);
                Ok(self.model.system.terms.sub(a, b))
            }
            name => Err(self.error(Code::TypeMismatch, node, &format!("`{name}` is no number of tokens"))),
        }
    }
    /// The tokens of places together.
    fn tokens(&mut self, node: Element<'_, '_>) -> Read<Term> {
        let mut sum = vec![];
        for part in parts(node) {
            let place = self.model.place(label(part), open_tag(self.source, part))?;
            sum.push(self.model.system.terms.var(self.model.names.tokens[place]));
        }
        Ok(self.model.system.terms.add(sum))
    }
    fn only_part<'e, 'i>(&self, node: Element<'e, 'i>) -> Read<Element<'e, 'i>> {
        let mut list = parts(node);
        match (list.next(), list.next()) {
            (Some(part), None) => Ok(part),
            _ => Err(self.error(
                Code::WrongCount,
                node,
                &format!("`{}` has exactly one part", node.tag_name().name()),
            )),
        }
    }
    fn both<'e, 'i>(&self, node: Element<'e, 'i>) -> Read<[Element<'e, 'i>; 2]> {
        let mut list = parts(node);
        match (list.next(), list.next(), list.next()) {
            (Some(a), Some(b), None) => Ok([a, b]),
            _ => Err(self.error(
                Code::WrongCount,
                node,
                &format!("`{}` has exactly two parts", node.tag_name().name()),
            )),
        }
    }
    fn error(&self, code: Code, node: Element<'_, '_>, message: &str) -> Diagnostic {
        Diagnostic::error(code, open_tag(self.source, node), message)
    }
}

fn parts<'a, 'i>(node: Element<'a, 'i>) -> impl Iterator<Item = Element<'a, 'i>> {
    node.children().filter(Element::is_element)
}

fn label<'a>(node: Element<'a, '_>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

/// Whether a formula is about more than one marking. `EX true` is about the transitions of one.
fn is_temporal(node: Element<'_, '_>) -> bool {
    let quantified = |part: Element<'_, '_>| is_next_true(part) || part.parent().is_some_and(is_next_true);
    node.descendants().any(|part| TEMPORAL.contains(&part.tag_name().name()) && !quantified(part))
}

/// Whether a formula is `EX true`.
fn is_next_true(node: Element<'_, '_>) -> bool {
    let next = parts(node).next().filter(|part| part.tag_name().name() == "next");
    let next = next.filter(|_| node.tag_name().name() == "exists-path");
    next.and_then(|next| parts(next).next()).is_some_and(|part| part.tag_name().name() == "true")
}
