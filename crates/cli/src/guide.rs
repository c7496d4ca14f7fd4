//! Texts that come with the program: the language and models to start from.

use std::fmt::Write;

use crate::exit::Failure;

/// The reference of XSTS as Thetis reads it.
pub const XSTS: &str = include_str!("../../../docs/xsts.md");

/// The reference of UPPAAL timed automata as Thetis reads them.
pub const XTA: &str = include_str!("../../../docs/xta.md");

/// The reference of Petri nets as Thetis reads them.
pub const PNML: &str = include_str!("../../../docs/pnml.md");

/// Models to start from: name, a few words, text.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "traffic_light",
        "a pedestrian crossing; its property holds",
        include_str!("../../../examples/traffic_light.xsts"),
    ),
    ("queue", "a queue in an array, with a mistake in it", include_str!("../../../examples/queue.xsts")),
    ("thermostat", "a timed model", include_str!("../../../examples/thermostat.xsts")),
    (
        "watchdog",
        "a timed model with an input; its property holds",
        include_str!("../../../examples/watchdog.xsts"),
    ),
    ("fischer", "UPPAAL timed automata", include_str!("../../../examples/fischer.xta")),
    ("readers", "a Petri net: readers and one writer", include_str!("../../../examples/readers.pnml")),
];

/// The example of this name; all of them in a few words if there is no name.
pub fn example(name: Option<&str>) -> Result<String, Failure> {
    let Some(name) = name else {
        let mut text = String::new();
        for (name, about, _) in EXAMPLES {
            let _ = writeln!(text, "{name:13}  {about}");
        }
        return Ok(text);
    };
    let plain = name.trim_end_matches(".xsts").trim_end_matches(".xta").trim_end_matches(".pnml");
    let found = EXAMPLES.iter().find(|(known, ..)| *known == plain);
    found.map(|(.., model)| (*model).to_owned()).ok_or_else(|| {
        let known: Vec<String> = EXAMPLES.iter().map(|(known, ..)| format!("`{known}`")).collect();
        Failure::Input(format!("there is no example `{name}`; there are {}", known.join(", ")))
    })
}
