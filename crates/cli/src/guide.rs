//! Texts that come with the program: the language and models to start from.

use std::fmt::Write;

use crate::exit::Failure;

/// The reference of XSTS as Thetis reads it.
pub const XSTS: &str = include_str!("../../../docs/xsts.md");

/// Models to start from, by name.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("traffic_light", include_str!("../../../examples/traffic_light.xsts")),
    ("queue", include_str!("../../../examples/queue.xsts")),
    ("thermostat", include_str!("../../../examples/thermostat.xsts")),
];

/// The example of this name; all of them with their first words if there is no name.
pub fn example(name: Option<&str>) -> Result<String, Failure> {
    let Some(name) = name else {
        let mut text = String::new();
        for (name, model) in EXAMPLES {
            let about = model.lines().next().unwrap_or("").trim_start_matches("//").trim();
            let _ = writeln!(text, "{name:13}  {about}");
        }
        return Ok(text);
    };
    let plain = name.trim_end_matches(".xsts");
    let found = EXAMPLES.iter().find(|(known, _)| *known == plain);
    found.map(|(_, model)| (*model).to_owned()).ok_or_else(|| {
        let known: Vec<String> = EXAMPLES.iter().map(|(known, _)| format!("`{known}`")).collect();
        Failure::Input(format!("there is no example `{name}`; there are {}", known.join(", ")))
    })
}
