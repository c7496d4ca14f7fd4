//! `thetis info`: what is in a model.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ir::{ChannelKind, LocationKind, Type, VarId};
use lang::xsts::ast::{Model, Section, StmtId, StmtKind};
use serde::Serialize;

use crate::check::{self, own_text};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::load::Loaded;
use crate::trace::datum::type_name;

/// What is in a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Info {
    /// Always `thetis-info`.
    pub format: &'static str,
    /// Always 1.
    pub version: u32,
    /// The file of the model, as it was given.
    pub model: String,
    /// The names of variables by type.
    pub variables: BTreeMap<String, Vec<String>>,
    /// The variables marked `ctrl`.
    pub control: Vec<String>,
    /// The variables without an initial value.
    pub uninitialised: Vec<String>,
    /// The enumerations with their literals.
    pub enumerations: BTreeMap<String, Vec<String>>,
    /// The sections of an XSTS, in order of execution.
    pub sections: Vec<SectionInfo>,
    /// The processes of a network.
    pub processes: Vec<ProcessInfo>,
    /// The size of a Petri net.
    pub net: Option<NetInfo>,
    /// The channels they synchronise over.
    pub channels: Vec<String>,
    /// Local variables.
    pub locals: usize,
    /// Loops.
    pub loops: usize,
    /// The places where the model may go wrong.
    pub faults: Vec<FaultInfo>,
    /// The features of the language that are used.
    pub features: Vec<&'static str>,
    /// The model's own property.
    pub property: Option<String>,
    /// The queries that are part of the model.
    pub queries: Vec<String>,
    /// What preprocessing would do before a search for the property, in words; of a timed model, before a search by
    /// zones; `null` where there is no property.
    pub preprocessing: Option<Vec<String>>,
    /// In which order engines are asked about a timed model if that is left to Thetis, and why; `null` where no time
    /// passes.
    pub order: Option<String>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProcessInfo {
    /// Its name.
    pub name: String,
    /// Its locations.
    pub locations: usize,
    /// Its edges.
    pub edges: usize,
}

/// The size of a Petri net.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NetInfo {
    /// Its places.
    pub places: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Its arcs.
    pub arcs: usize,
}

/// A section.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SectionInfo {
    /// `init`, `env` or `trans`.
    pub name: &'static str,
    /// Its alternatives.
    pub branches: usize,
    /// All statements in them, blocks not counted.
    pub statements: usize,
}

/// A place where the model may go wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultInfo {
    /// What may go wrong.
    pub kind: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// Runs the command; preprocessing is for `property` rather than for the model's own, if that is given.
pub fn run(
    mut loaded: Loaded,
    property: Option<&str>,
    json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut info = info(&loaded);
    if let Some(text) = property {
        let asked = check::Options { properties: vec![text.to_owned()], ..check::Options::default() };
        let mut list = check::questions(&mut loaded, &asked, console.colour)?;
        let question = list.pop().ok_or_else(|| Failure::Internal("no question was read".to_owned()))?;
        loaded.model.property = Some(question.property?);
        info.property = question.text;
        info.preprocessing = preprocessing(&loaded);
    }
    if json {
        console.json(&info);
    } else {
        console.print(render(&info));
    }
    Ok(Exit::Holds)
}

/// What is in a model.
pub fn info(loaded: &Loaded) -> Info {
    let Loaded { source, model } = loaded;
    let system = &model.system;
    let tree = if model.is_xsts() { lang::xsts::parse(&source.text).0 } else { Model::default() };
    let mut count = Count::default();
    let sections = [("init", &tree.init), ("env", &tree.env), ("trans", &tree.trans)]
        .into_iter()
        .filter_map(|(name, section)| Some(count.section(&tree, name, section.as_ref()?)))
        .collect();

    let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut control, mut uninitialised) = (vec![], vec![]);
    let (mut arrays, mut rationals) = (false, false);
    let initialised: BTreeSet<VarId> = system.initial.iter().map(|(var, _)| *var).collect();
    for var in system.state_vars().filter(|var| system.vars[*var].shown) {
        let (ty, variable) = (system.terms.var_type(var), &system.vars[var]);
        arrays |= matches!(ty, Type::Array(_));
        rationals |= ty == Type::Rat;
        variables.entry(type_name(system.types(), ty)).or_default().push(variable.name.clone());
        if variable.control {
            control.push(variable.name.clone());
        }
        if ty != Type::Clock && !initialised.contains(&var) {
            uninitialised.push(variable.name.clone());
        }
    }
    let is_network = !model.is_xsts() && model.net().is_none();
    let processes = system.processes.iter().filter(|process| is_network && !process.name.starts_with('$'));
    let processes: Vec<ProcessInfo> = processes
        .map(|process| ProcessInfo {
            name: process.name.clone(),
            locations: process.locations.len(),
            edges: process.edges.len(),
        })
        .collect();
    let faults: Vec<FaultInfo> = system
        .faults
        .iter()
        .map(|fault| {
            let (line, column) = source.start(fault.span);
            FaultInfo { kind: fault.kind.to_string(), line, column }
        })
        .collect();
    let located = |kind| {
        let mut locations = system.processes.iter().flat_map(|process| process.locations.iter());
        // Those of an XSTS and of a net are not the user's.
        !model.is_xsts() && model.net().is_none() && locations.any(|location| location.kind == kind)
    };
    let channelled = |kind| system.channels.iter().any(|channel| channel.kind == kind);
    let used = [
        ("timed", system.clocks().next().is_some()),
        ("arrays", arrays),
        ("rationals", rationals),
        ("havoc", count.havocs > 0),
        ("choice", count.choices > 0),
        ("loops", count.loops > 0),
        ("locals", count.locals > 0),
        ("interleaving (ort)", count.interleavings > 0),
        ("urgent locations", located(LocationKind::Urgent)),
        ("committed locations", located(LocationKind::Committed)),
        ("broadcast", channelled(ChannelKind::Broadcast)),
        ("synchronisation of all (sync c;)", channelled(ChannelKind::Csp)),
        ("urgent channels", system.channels.iter().any(|channel| channel.urgent)),
        ("faults", !faults.is_empty()),
        ("inhibitor arcs", model.net().is_some_and(lang::pnml::Model::has_inhibitors)),
    ];
    Info {
        format: "thetis-info",
        version: 1,
        model: source.name.clone(),
        variables,
        control,
        uninitialised,
        enumerations: system.types().enums().map(|(_, ty)| (ty.name.clone(), ty.literals.clone())).collect(),
        sections,
        processes,
        net: model.net().map(|net| {
            let (places, transitions, arcs) = net.size();
            NetInfo { places, transitions, arcs }
        }),
        channels: system.channels.iter().map(|channel| channel.name.clone()).collect(),
        locals: count.locals,
        loops: count.loops,
        faults,
        features: used.into_iter().filter(|(_, used)| *used).map(|(name, _)| name).collect(),
        property: model.property.as_ref().and_then(|_| own_text(source)),
        queries: model.queries.iter().map(|query| query.text.clone()).collect(),
        preprocessing: preprocessing(loaded),
        order: order(loaded),
    }
}

/// In which order engines would be asked about a timed model, and the model's own property if it has one.
fn order(loaded: &Loaded) -> Option<String> {
    let mut system = loaded.model.system.clone();
    let question = loaded.model.property.as_ref().map(|property| system.question(property.claim));
    engine::auto::order(&system, question.as_slice())
}

/// What preprocessing would do, if there is a question to do it for.
fn preprocessing(loaded: &Loaded) -> Option<Vec<String>> {
    let property = loaded.model.property.as_ref()?;
    let timed = loaded.model.system.timed().is_some();
    let which = if timed { engine::Rewritings::Zones } else { engine::Rewritings::All };
    let mut system = loaded.model.system.clone();
    let question = system.question(property.claim);
    Some(engine::preprocess(&system, &[question], which, &engine::Stop::new()).summary)
}

#[derive(Default)]
struct Count {
    havocs: usize,
    choices: usize,
    loops: usize,
    locals: usize,
    interleavings: usize,
}

impl Count {
    fn section(&mut self, tree: &Model, name: &'static str, section: &Section) -> SectionInfo {
        let mut statements = 0;
        let mut open: Vec<StmtId> = section.branches.clone();
        while let Some(stmt) = open.pop() {
            statements += 1;
            match &tree.stmts[stmt].kind {
                StmtKind::Block(list) => {
                    statements -= 1;
                    open.extend_from_slice(list);
                }
                StmtKind::Choice(list) => {
                    self.choices += 1;
                    open.extend_from_slice(list);
                }
                StmtKind::Ort(list) => {
                    self.interleavings += 1;
                    open.extend_from_slice(list);
                }
                StmtKind::If(_, then, otherwise) => {
                    open.push(*then);
                    open.extend(*otherwise);
                }
                StmtKind::For(.., body) => {
                    self.loops += 1;
                    open.push(*body);
                }
                StmtKind::Local(..) => self.locals += 1,
                StmtKind::Havoc(_) => self.havocs += 1,
                StmtKind::Assign(..) | StmtKind::Assume(_) | StmtKind::Delay => {}
            }
        }
        SectionInfo { name, branches: section.branches.len(), statements }
    }
}

fn render(info: &Info) -> String {
    let mut lines: Vec<(String, String)> = vec![];
    let mut line = |title: &str, rest: String| lines.push((title.to_owned(), rest));
    for (ty, names) in &info.variables {
        line(&count(names.len(), ty), names.join(", "));
    }
    if !info.control.is_empty() {
        line("control", info.control.join(", "));
    }
    if !info.uninitialised.is_empty() {
        line("arbitrary", format!("{} (no initial value)", info.uninitialised.join(", ")));
    }
    for (name, literals) in &info.enumerations {
        line("enumeration", format!("{name} {{ {} }}", literals.join(", ")));
    }
    for section in &info.sections {
        let SectionInfo { name, branches, statements } = section;
        line(name, format!("{}, {}", count(*branches, "branch"), count(*statements, "statement")));
    }
    if let Some(NetInfo { places, transitions, arcs }) = info.net {
        let (places, arcs) = (count(places, "place"), count(arcs, "arc"));
        line("net", format!("{places}, {}, {arcs}", count(transitions, "transition")));
    }
    for process in &info.processes {
        let ProcessInfo { name, locations, edges } = process;
        line("process", format!("{name}: {}, {}", count(*locations, "location"), count(*edges, "edge")));
    }
    if !info.channels.is_empty() {
        line("channels", info.channels.join(", "));
    }
    if info.locals + info.loops > 0 {
        line("inside", format!("{}, {}", count(info.locals, "local variable"), count(info.loops, "loop")));
    }
    for fault in &info.faults {
        line("may go wrong", format!("{} at {}:{}:{}", fault.kind, info.model, fault.line, fault.column));
    }
    let features =
        if info.features.is_empty() { "none beyond the basics".to_owned() } else { info.features.join(", ") };
    line("features", features);
    for query in &info.queries {
        line("query", query.clone());
    }
    let none = "none; give one with `thetis check -p`";
    if info.queries.is_empty() {
        line("property", info.property.clone().unwrap_or_else(|| none.to_owned()));
    }
    match info.preprocessing.as_deref() {
        None => {}
        Some([]) => line("preprocessing", "nothing to do".to_owned()),
        Some(list) => list.iter().for_each(|done| line("preprocessing", done.clone())),
    }
    if let Some(order) = &info.order {
        line("order", order.clone());
    }
    let width = lines.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n", info.model);
    for (title, rest) in lines {
        let indent = format!("\n{}", " ".repeat(width + 4));
        let _ =
            writeln!(text, "  {title:width$}  {}", wrapped(&rest, WIDE.saturating_sub(width + 4), &indent));
    }
    text
}

/// How wide a line is.
const WIDE: usize = 100;

/// A list broken after commas into lines of at most `width` characters, if its items allow that.
fn wrapped(list: &str, width: usize, indent: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (number, item) in list.split(", ").enumerate() {
        let length = item.chars().count();
        let gap = match number {
            0 => "",
            _ if column + length + 3 > width => {
                column = 0;
                indent
            }
            _ => " ",
        };
        let comma = if number == 0 { "" } else { "," };
        text += &format!("{comma}{gap}{item}");
        column += length + 2;
    }
    text
}

fn count(number: usize, what: &str) -> String {
    let ending = match what {
        what if number == 1 || what.starts_with(['[']) || what.starts_with(char::is_uppercase) => "",
        "branch" => "es",
        _ => "s",
    };
    format!("{number} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_broken_after_commas() {
        assert_eq!(wrapped("alpha, beta, gamma", 80, "\n  "), "alpha, beta, gamma");
        assert_eq!(wrapped("alpha, beta, gamma, delta", 15, "\n  "), "alpha, beta,\n  gamma, delta");
        assert_eq!(wrapped("n <= 5", 3, "\n  "), "n <= 5");
    }
}
