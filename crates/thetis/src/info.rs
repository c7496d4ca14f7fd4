//! What is in a model.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ChannelKind, Type, VarId};
use lang::Part;
use serde::Serialize;

use crate::load::Model;
use crate::trace::TypeRecord;

/// What is in a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Info {
    /// The file of the model, as it was given.
    pub model: String,
    /// The language it is written in.
    pub language: &'static str,
    /// The names of variables by type.
    pub variables: BTreeMap<String, Vec<String>>,
    /// The variables that the user marked as control.
    pub control: Vec<String>,
    /// The variables without an initial value.
    pub uninitialised: Vec<String>,
    /// The enumerations with their literals.
    pub enumerations: BTreeMap<String, Vec<String>>,
    /// What the model is made of: sections, processes, a net.
    pub parts: Vec<PartInfo>,
    /// The channels that processes synchronise over.
    pub channels: Vec<String>,
    /// The places where the model may go wrong.
    pub faults: Vec<FaultInfo>,
    /// The features that are used.
    pub features: Vec<&'static str>,
    /// The questions that are part of the model.
    pub questions: Vec<String>,
}

/// A part of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PartInfo {
    /// What it is.
    pub kind: &'static str,
    /// What the user calls it, if it has a name.
    pub name: Option<String>,
    /// What it has how many of.
    pub counts: Vec<(&'static str, usize)>,
}

/// A place where the model may go wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultInfo {
    /// What may go wrong.
    pub kind: String,
    /// The file it is written in.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// What is in a model.
pub fn info(model: &Model) -> Info {
    let system = model.system();
    let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut control, mut uninitialised) = (vec![], vec![]);
    let (mut arrays, mut rationals) = (false, false);
    let initialised: BTreeSet<VarId> = system.initial.iter().map(|(var, _)| *var).collect();
    for var in system.state_vars().filter(|var| system.vars[*var].shown) {
        let (ty, variable) = (system.terms.var_type(var), &system.vars[var]);
        arrays |= matches!(ty, Type::Array(_));
        rationals |= ty == Type::Rat;
        let shown = TypeRecord::new(system.types(), ty).to_string();
        variables.entry(shown).or_default().push(variable.name.clone());
        if variable.control {
            control.push(variable.name.clone());
        }
        if ty != Type::Clock && !initialised.contains(&var) {
            uninitialised.push(variable.name.clone());
        }
    }
    let fault = |fault: &ir::Fault| {
        let source = model.sources.of(fault.span);
        let (line, column) = source.start(fault.span);
        FaultInfo { kind: fault.kind.to_string(), file: source.name.clone(), line, column }
    };
    let faults: Vec<FaultInfo> = system.faults.iter().map(fault).collect();
    let channelled = |kind| system.channels.iter().any(|channel| channel.kind == kind);
    let used = [
        ("timed", system.clocks().next().is_some()),
        ("arrays", arrays),
        ("rationals", rationals),
        ("broadcast", channelled(ChannelKind::Broadcast)),
        ("synchronisation of all (sync c;)", channelled(ChannelKind::Csp)),
        ("urgent channels", system.channels.iter().any(|channel| channel.urgent)),
        ("faults", !faults.is_empty()),
    ];
    let used = used.into_iter().filter(|(_, used)| *used).map(|(name, _)| name);
    let part =
        |part: &Part| PartInfo { kind: part.kind, name: part.name.clone(), counts: part.counts.clone() };
    let contents = &model.lowered.contents;
    Info {
        model: model.name().to_owned(),
        language: model.language.name,
        variables,
        control,
        uninitialised,
        enumerations: system.types().enums().map(|(_, ty)| (ty.name.clone(), ty.literals.clone())).collect(),
        parts: contents.parts.iter().map(part).collect(),
        channels: system.channels.iter().map(|channel| channel.name.clone()).collect(),
        faults,
        features: used.chain(contents.features.iter().copied()).collect(),
        questions: model
            .questions()
            .iter()
            .map(|asked| asked.as_ref().map_or_else(|misread| misread.text.clone(), |own| own.text.clone()))
            .collect(),
    }
}
