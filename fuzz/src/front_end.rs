//! What must be true of the front-end for every input.
//!
//! It never panics, never overflows the stack and never hangs; and a text without mistakes in its
//! syntax survives printing: `parse(print(m)) == m`. The ordinary tests check the same on the seeds.

use lang::xsts::{load, parse, print};

/// Panics if the front-end misbehaves on `data`.
pub fn check(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (model, complaints) = parse(&source);
    if complaints.is_empty() {
        let text = print(&model);
        let (again, complaints) = parse(&text);
        assert!(complaints.is_empty(), "what was printed is not accepted: {complaints:?}\n{text}");
        assert!(again == model, "printing changed the model:\n{text}");
    }
    match load(&source) {
        // A model is also asked about itself: its own text is hardly ever a property.
        Ok(mut model) => drop(model.parse_property("fuzz", &source)),
        Err(complaints) => assert!(!complaints.is_empty(), "refused without a reason"),
    }
}
