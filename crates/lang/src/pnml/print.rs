//! A net as XSTS text: a variable for each place, a branch of `trans` for each transition.
//!
//! Names become identifiers of XSTS; where that makes two of them equal, or one a reserved word, they get
//! a number. An XSTS looks at its states between the sections, too, so a step of the net is two of its
//! steps, with the same markings.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lower::{Effect, effects};
use super::net::{Net, titles};

/// The text of an XSTS with the markings of the net as its states.
pub(crate) fn to_xsts(net: &Net) -> String {
    let names = identifiers(&titles(net.places.iter().map(|place| &place.node)));
    let labels = titles(net.transitions.iter().map(|transition| &transition.node));
    let mut text = format!("// The Petri net {}.\n", comment(&net.name));
    for (place, name) in net.places.iter().zip(&names) {
        let _ = writeln!(text, "var {name} : integer = {}", place.tokens);
    }
    text += "\ntrans ";
    for (number, (transition, label)) in net.transitions.iter().zip(labels).enumerate() {
        let effects = effects(&transition.arcs);
        let or = if number == 0 { "" } else { " or " };
        let _ = writeln!(text, "{or}{{ // {}", comment(label));
        let guard: Vec<String> = effects.iter().flat_map(|effect| conditions(effect, &names)).collect();
        if !guard.is_empty() {
            let _ = writeln!(text, "    assume {};", guard.join(" && "));
        }
        for Effect { place, change, .. } in effects.iter().filter(|effect| !effect.change.is_zero()) {
            let name = &names[*place];
            let (sign, amount) = if change.is_negative() { ('-', -change) } else { ('+', change.clone()) };
            let _ = writeln!(text, "    {name} := {name} {sign} {amount};");
        }
        text += "}";
    }
    if net.transitions.is_empty() {
        text += "{ assume false; }";
    }
    text + "\n\ninit { }\n\nenv { }\n"
}

fn conditions(effect: &Effect, names: &[String]) -> Vec<String> {
    let name = &names[effect.place];
    let mut list = vec![];
    if !effect.least.is_zero() {
        list.push(format!("{name} >= {}", effect.least));
    }
    list.extend(effect.below.as_ref().map(|below| format!("{name} < {below}")));
    list
}

/// A name that cannot end a comment.
fn comment(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn identifiers(titles: &[&str]) -> Vec<String> {
    let mut taken: FxHashSet<String> = RESERVED.iter().map(|word| (*word).to_owned()).collect();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut names = vec![];
    for title in titles {
        let mut name: String = title
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') { c } else { '_' })
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$')) {
            name.insert(0, '_');
        }
        let plain = name.clone();
        while !taken.insert(name.clone()) {
            let number = numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            name = format!("{plain}_{number}");
        }
        names.push(name);
    }
    names
}

/// Words that name no variable of an XSTS.
const RESERVED: &[&str] = &[
    "type", "var", "ctrl", "trans", "init", "env", "prop", "local", "havoc", "assume", "choice", "or", "if",
    "then", "else", "for", "from", "to", "do", "__delay", "true", "false", "iff", "xor", "rem", "default",
    "tran", "ort", "and", "not", "boolean", "integer", "rational", "clock",
];
