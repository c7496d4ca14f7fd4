//! Numbers of an earlier run, to compare with.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Stored numbers: case, then what was measured.
pub struct Baseline {
    cases: Map<String, Value>,
}

impl Baseline {
    /// The stored ones; none if there is no such file.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".to_owned());
        let value: Value = serde_json::from_str(&text).expect("the baseline is JSON");
        Baseline { cases: value.as_object().cloned().unwrap_or_default() }
    }
    /// How `number` compares with the stored one.
    pub fn ratio(&self, case: &str, what: &str, number: f64) -> String {
        match self.cases.get(case).and_then(|numbers| numbers.get(what)).and_then(Value::as_f64) {
            Some(stored) if stored != 0.0 => format!("x {:.2}", number / stored),
            _ => String::new(),
        }
    }
    /// Replaces the numbers of a case.
    pub fn set(&mut self, case: &str, numbers: &[(&'static str, f64)]) {
        let numbers = numbers.iter().map(|(what, number)| ((*what).to_owned(), json!(three_digits(*number))));
        self.cases.insert(case.to_owned(), Value::Object(numbers.collect()));
    }
    /// Stores all numbers.
    pub fn write(&self, path: &Path) {
        let text = serde_json::to_string_pretty(&self.cases).expect("plain data");
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("the folder can be made");
        std::fs::write(path, text + "\n").expect("the baseline can be written");
    }
}

/// Counts with their thousands apart, small numbers with decimals.
pub fn human(number: f64) -> String {
    if number < 1000.0 && number.fract() != 0.0 {
        return format!("{number:.2}");
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Counts as they are, measurements to a thousandth.
fn three_digits(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
