//! Terms as SMT-LIB text.

use std::collections::BTreeSet;
use std::fmt::Write;

use ir::{EnumId, Int, Node, Rat, Steps, Term, Terms, Type, Value, VarId};
use rustc_hash::FxHashMap;

use crate::interrupt::Interrupt;
use crate::sorts::{Conjunction, compared_places, conjunction, is_real_type};

/// The name of a variable at a step.
pub fn variable(var: VarId, step: u32) -> String {
    format!("{var:?}@{step}")
}

/// The name of a type.
pub fn sort(terms: &Terms, ty: Type) -> String {
    match ty {
        Type::Bool => "Bool".into(),
        Type::Int => "Int".into(),
        Type::Rat | Type::Clock => "Real".into(),
        Type::Enum(id) => format!("{id:?}"),
        Type::Array(id) => {
            let parts = terms.types.array_type(id);
            format!("(Array {} {})", sort(terms, parts.index), sort(terms, parts.element))
        }
    }
}

/// The declaration of an enumeration.
pub fn declare_enum(terms: &Terms, id: EnumId) -> String {
    let count = terms.types.enum_type(id).literals.len();
    let literals: String = (0..count).fold(String::new(), |mut text, at| {
        let _ = write!(text, "({id:?}!{at})");
        text
    });
    format!("(declare-datatypes (({id:?} 0)) (({literals})))")
}

fn rational(value: &Rat) -> String {
    let (numerator, denominator) = (value.numerator(), value.denominator());
    let digits = numerator.to_string();
    let digits = digits.trim_start_matches('-');
    let text = if denominator == ir::Int::ONE {
        format!("{digits}.0")
    } else {
        format!("(/ {digits}.0 {denominator}.0)")
    };
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// A constant.
pub fn value(terms: &Terms, constant: &Value) -> String {
    match constant {
        Value::Bool(value) => value.to_string(),
        Value::Int(number) if number.is_negative() => format!("(- {})", -number),
        Value::Int(number) => number.to_string(),
        Value::Rat(number) => rational(number),
        Value::Enum(id, literal) => format!("{id:?}!{literal}"),
        Value::Array(array) => {
            let sort = sort(terms, Type::Array(array.ty()));
            let real = is_real_type(terms.types.array_type(array.ty()).element);
            let element = |entry: &Value| match entry {
                Value::Int(_) if real => rational(&entry.as_rat()),
                _ => value(terms, entry),
            };
            let start = format!("((as const {sort}) {})", element(array.default()));
            array.entries().fold(start, |text, (index, entry)| {
                format!("(store {text} {} {})", value(terms, index), element(entry))
            })
        }
    }
}

/// Declarations of everything that `asserts` speak of, with ranges and the names that users know, and
/// the assertions, each after a comment on what it is. No check, and no option but what SMT-LIB has.
pub fn script(
    terms: &Terms,
    ranges: &FxHashMap<VarId, (Int, Int)>,
    name: impl Fn(VarId) -> String,
    asserts: &[(&str, Term)],
) -> Result<String, Interrupt> {
    let (mut vars, mut types) = (BTreeSet::new(), BTreeSet::new());
    for (_, assert) in asserts {
        terms.for_each_subterm(*assert, |part| {
            if let Node::Var(var, step) = terms.node(part) {
                vars.insert((*var, *step));
            }
            enums_of(terms, terms.type_of(part), &mut types);
        });
    }
    let mut text = String::new();
    for id in types {
        let _ = writeln!(text, "{}", declare_enum(terms, id));
    }
    let number = |number: &Int| value(terms, &Value::Int(number.clone()));
    for (var, step) in vars {
        let (spelt, ty) = (variable(var, step), terms.var_type(var));
        let shown = name(var).replace(char::is_control, " ");
        let sort = sort(terms, ty);
        let _ = writeln!(text, "(declare-fun {spelt} () {sort}) ; `{shown}` after {step} changes");
        if let Some((least, greatest)) = ranges.get(&var) {
            let _ = writeln!(text, "(assert (<= {} {spelt} {}))", number(least), number(greatest));
        }
        if ty == Type::Clock {
            let _ = writeln!(text, "(assert (<= 0.0 {spelt}))");
        }
    }
    for (about, assert) in asserts {
        let formula = self::term(terms, ranges, *assert, &Steps::start())?;
        let _ = writeln!(text, "; {about}\n(assert {formula})");
    }
    Ok(text)
}

/// Adds the enumerations that a type is made of.
fn enums_of(terms: &Terms, ty: Type, out: &mut BTreeSet<EnumId>) {
    match ty {
        Type::Enum(id) => {
            out.insert(id);
        }
        Type::Array(id) => {
            let parts = terms.types.array_type(id);
            enums_of(terms, parts.index, out);
            enums_of(terms, parts.element, out);
        }
        _ => {}
    }
}

/// `term` with the step of every variable moved on by `at`. Shared sub-terms are written once. Where variables are
/// within `ranges`, bits are spelt out.
pub fn term(
    terms: &Terms,
    ranges: &FxHashMap<VarId, (Int, Int)>,
    term: Term,
    at: &Steps,
) -> Result<String, Interrupt> {
    let mut order = vec![];
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    terms.for_each_subterm(term, |t| order.push(t));
    for t in &order {
        terms.node(*t).for_each_child(|child| *uses.entry(child).or_default() += 1);
    }
    let mut text: FxHashMap<Term, String> = FxHashMap::default();
    let (mut lets, mut ends) = (String::new(), 0);
    for t in order {
        let written = node(terms, ranges, t, at, &text)?;
        let shared = uses.get(&t).is_some_and(|count| *count > 1) && written.starts_with('(');
        if shared && t != term {
            let name = format!("{t:?}");
            let _ = write!(lets, "(let (({name} {written})) ");
            ends += 1;
            text.insert(t, name);
        } else {
            text.insert(t, written);
        }
    }
    Ok(format!("{lets}{}{}", text[&term], ")".repeat(ends)))
}

fn node(
    terms: &Terms,
    ranges: &FxHashMap<VarId, (Int, Int)>,
    term: Term,
    at: &Steps,
    text: &FxHashMap<Term, String>,
) -> Result<String, Interrupt> {
    let is_real = |term: &Term| is_real_type(terms.type_of(*term));
    let number = |term: &Term, real: bool| match terms.as_const(*term) {
        Some(constant @ Value::Int(_)) if real => rational(&constant.as_rat()),
        None if real && terms.type_of(*term) == Type::Int => {
            format!("(to_real {})", text[term])
        }
        _ => text[term].clone(),
    };
    // Operands of one operator are reals if one of them is.
    let numbers = |list: &[Term]| -> Vec<String> {
        let real = list.iter().any(is_real);
        list.iter().map(|term| number(term, real)).collect()
    };
    let list = |op: &str, list: &[Term]| {
        let parts: Vec<&str> = list.iter().map(|part| text[part].as_str()).collect();
        format!("({op} {})", parts.join(" "))
    };
    Ok(match *terms.node(term) {
        Node::Const(ref constant) => value(terms, constant),
        Node::Var(var, step) => variable(var, step + at.of(var)),
        Node::At(process, location) => format!("{process:?}.{location:?}"),
        Node::Deadlock => return Err(Interrupt::Unsupported("`deadlock` that is not spelled out".into())),
        Node::Not(a) => list("not", &[a]),
        Node::And(ref parts) => list("and", parts),
        Node::Or(ref parts) => list("or", parts),
        Node::Add(ref parts) => format!("(+ {})", numbers(parts).join(" ")),
        Node::Mul(ref parts) => format!("(* {})", numbers(parts).join(" ")),
        Node::Eq(a, b) => {
            if let Some(places) = compared_places(terms, a)? {
                let entry = |array: &str, place: &[i64]| {
                    place.iter().fold(array.to_owned(), |array, at| {
                        format!("(select {array} {})", value(terms, &Value::int(*at)))
                    })
                };
                let agree =
                    |place: &Vec<i64>| format!("(= {} {})", entry("left!", place), entry("right!", place));
                let all: Vec<String> = places.iter().map(agree).collect();
                let (a, b) = (&text[&a], &text[&b]);
                return Ok(format!("(let ((left! {a}) (right! {b})) (and true {}))", all.join(" ")));
            }
            format!("(= {})", numbers(&[a, b]).join(" "))
        }
        Node::Le(a, b) => format!("(<= {})", numbers(&[a, b]).join(" ")),
        Node::Lt(a, b) => format!("(< {})", numbers(&[a, b]).join(" ")),
        Node::Ite(condition, a, b) => format!("(ite {} {})", text[&condition], numbers(&[a, b]).join(" ")),
        Node::Div(a, b) => {
            let real = is_real(&a) || is_real(&b);
            let (op, zero) = if real { ("/", "0.0") } else { ("div", "0") };
            let [a, b] = <[String; 2]>::try_from(numbers(&[a, b])).expect("two operands");
            format!("(ite (= {b} {zero}) {zero} ({op} {a} {b}))")
        }
        Node::Mod(a, b) => {
            let (a, b) = (&text[&a], &text[&b]);
            format!("(ite (= {b} 0) {a} (mod {a} {b}))")
        }
        Node::Rem(a, b) => {
            let (a, b) = (&text[&a], &text[&b]);
            format!("(ite (= {b} 0) {a} (ite (< {b} 0) (- (mod {a} {b})) (mod {a} {b})))")
        }
        Node::BitAnd(a, b) | Node::BitOr(a, b) | Node::BitXor(a, b) => {
            let both = both_bits(&conjunction(terms, ranges, a, b)?);
            let result = match terms.node(term) {
                Node::BitAnd(..) => both,
                Node::BitOr(..) => format!("(- (+ left! right!) {both})"),
                _ => format!("(- (+ left! right!) (* 2 {both}))"),
            };
            format!("(let ((left! {}) (right! {})) {result})", text[&a], text[&b])
        }
        Node::Read(array, index) => list("select", &[array, index]),
        Node::Write(array, index, entry) => {
            let real = match terms.type_of(array) {
                Type::Array(id) => is_real_type(terms.types.array_type(id).element),
                _ => false,
            };
            format!("(store {} {} {})", text[&array], text[&index], number(&entry, real))
        }
        Node::Fill(id, entry) => {
            let sort = sort(terms, Type::Array(id));
            let real = is_real_type(terms.types.array_type(id).element);
            format!("((as const {sort}) {})", number(&entry, real))
        }
    })
}

/// The bits that `left!` and `right!` both have, spelt out.
fn both_bits(spelt: &Conjunction) -> String {
    let power = Int::power_of_two;
    let mut sum = String::from("0");
    match spelt {
        Conjunction::Runs { runs, complement } => {
            for (from, count) in runs {
                let (from, count) = (power(*from), power(*count));
                let _ = write!(sum, " (* {from} (mod (div left! {from}) {count}))");
            }
            if *complement { format!("(- left! (+ 0 {sum}))") } else { format!("(+ 0 {sum})") }
        }
        Conjunction::Bits { count, signs } => {
            for weight in (0..*count).map(power) {
                let bit = |number: &str| format!("(= (mod (div {number} {weight}) 2) 1)");
                let _ = write!(sum, " (ite (and {} {}) {weight} 0)", bit("left!"), bit("right!"));
            }
            if *signs {
                let _ = write!(sum, " (ite (and (< left! 0) (< right! 0)) (- {}) 0)", power(*count));
            }
            format!("(+ 0 {sum})")
        }
    }
}
