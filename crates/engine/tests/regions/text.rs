//! Networks as UPPAAL text.

use super::*;

/// A network and its target by way of the front-end.
pub(super) fn read(net: &Net) -> Result<(System, Question), String> {
    let text = written(net);
    let (model, query) = text.split_once("// ").expect("ends with a query");
    let said = |errors: Vec<lang::diagnostic::Diagnostic>| format!("refused: {}", errors[0].message);
    let mut model = lang::xta::load(model, lang::xta::Format::Xta).map_err(said)?;
    let property = model.parse_property("target", query).map_err(said)?;
    let question = model.system.question(property.claim);
    Ok((model.system, question))
}

/// As UPPAAL text, with the target as a query in a comment at the end.
pub(super) fn written(net: &Net) -> String {
    let mut text = String::new();
    for number in 0..net.clocks {
        text += &format!("clock x{number};\n");
    }
    for number in 0..net.ints {
        text += &format!("int[0,{DATA}] n{number};\n");
    }
    for (number, (kind, urgent)) in net.channels.iter().enumerate() {
        let urgent = if *urgent { "urgent " } else { "" };
        let broadcast = if *kind == ChannelKind::Broadcast { "broadcast " } else { "" };
        text += &format!("{urgent}{broadcast}chan c{number}[2];\n");
    }
    for (number, automaton) in net.processes.iter().enumerate() {
        let spots = automaton.locations.iter().enumerate().map(|(number, spot)| match &spot.invariant[..] {
            [] => format!("l{number}"),
            limits => format!("l{number} {{ {} }}", limits_text(limits)),
        });
        let spots: Vec<String> = spots.collect();
        text += &format!("process p{number}() {{\n  state {};\n", spots.join(", "));
        for (kind, word) in [(LocationKind::Committed, "commit"), (LocationKind::Urgent, "urgent")] {
            let those = automaton.locations.iter().enumerate().filter(|(_, spot)| spot.kind == kind);
            let those: Vec<String> = those.map(|(number, _)| format!("l{number}")).collect();
            if !those.is_empty() {
                text += &format!("  {word} {};\n", those.join(", "));
            }
        }
        text += "  init l0;\n";
        let edges: Vec<String> = automaton.edges.iter().map(|arrow| arrow_text(net, arrow)).collect();
        if !edges.is_empty() {
            text += &format!("  trans\n    {};\n", edges.join(",\n    "));
        }
        text += "}\n";
    }
    let names: Vec<String> = (0..net.processes.len()).map(|number| format!("p{number}")).collect();
    let goal = &net.target;
    let mut parts = vec!["true".to_owned()];
    parts.extend(goal.location.map(|at| format!("p0.l{at}")));
    if !goal.clocks.is_empty() {
        let not = if goal.negated { "!" } else { "" };
        parts.push(format!("{not}({})", limits_text(&goal.clocks)));
    }
    parts.extend(goal.data.map(|(var, value)| format!("n{var} == {value}")));
    parts.extend(goal.deadlock.then(|| "deadlock".to_owned()));
    text + &format!("system {};\n// E<> {}", names.join(", "), parts.join(" && "))
}

fn arrow_text(net: &Net, arrow: &Arrow) -> String {
    let mut text = format!("l{} -> l{} {{", arrow.from, arrow.to);
    let data = arrow.data.iter().map(|(var, op, value)| format!("n{var} {} {value}", op_text(*op)));
    let mut guards: Vec<String> = data.collect();
    if !arrow.clocks.is_empty() {
        guards.push(limits_text(&arrow.clocks));
    }
    if !guards.is_empty() {
        text += &format!(" guard {};", guards.join(" && "));
    }
    if let Some(Offer { channel, emits, part }) = arrow.sync {
        let part = match part {
            Part::At(at) => at.to_string(),
            Part::Of(var) => format!("n{var} % 2"),
        };
        let mark = match (net.channels[channel].0, emits) {
            (ChannelKind::Csp, _) => "",
            (_, true) => "!",
            (_, false) => "?",
        };
        text += &format!(" sync c{channel}[{part}]{mark};");
    }
    let resets = arrow.resets.iter().map(|(clock, value)| format!("x{clock} = {value}"));
    let updates = arrow.updates.iter().map(|(var, update)| match update {
        Update::Set(value) => format!("n{var} = {value}"),
        Update::Next => format!("n{var} = (n{var} + 1) % {}", DATA + 1),
        Update::More => format!("n{var}++"),
    });
    let updates: Vec<String> = resets.chain(updates).collect();
    if !updates.is_empty() {
        text += &format!(" assign {};", updates.join(", "));
    }
    text + " }"
}

fn limits_text(limits: &[Limit]) -> String {
    let one = |limit: &Limit| {
        let other = limit.other.map_or(String::new(), |other| format!(" - x{other}"));
        let plus = limit.plus.map_or(String::new(), |var| format!(" + n{var}"));
        format!("x{}{other} {} {}{plus}", limit.clock, op_text(limit.op), limit.constant)
    };
    limits.iter().map(one).collect::<Vec<_>>().join(" && ")
}

fn op_text(op: Op) -> &'static str {
    match op {
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Eq => "==",
        Op::Ge => ">=",
        Op::Gt => ">",
    }
}
