//! What is in a model.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ChannelKind, Type, VarId};
use lang::{Outline, Part};
use serde::{Serialize, Serializer};

use crate::load::Model;
use crate::trace::lift::Lift;
use crate::trace::{ConfigurationRecord, FaultKindRecord, Signature, VariableRecord};

/// What is in a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Info {
    /// The file of the model, as it was given.
    pub model: String,
    /// The language it is written in.
    pub language: &'static str,
    /// The variables that the user wrote, with their types and how they are shown.
    pub variables: Vec<VariableRecord>,
    /// What several variables are together.
    pub configurations: Vec<ConfigurationRecord>,
    /// The variables that the user marked as control.
    pub control: Vec<String>,
    /// The variables without an initial value.
    pub uninitialised: Vec<String>,
    /// The enumerations with their literals.
    pub enumerations: BTreeMap<String, Vec<String>>,
    /// What the model is made of: sections, processes, a net.
    pub parts: Vec<PartInfo>,
    /// What is in what, in languages where that is deep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<OutlineInfo>,
    /// The channels that processes synchronise over.
    pub channels: Vec<String>,
    /// The places where the model may go wrong.
    pub faults: Vec<FaultInfo>,
    /// The features that are used.
    pub features: Vec<Feature>,
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
    /// The names of its locations, if the user gave them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<String>,
}

/// Something with what is in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OutlineInfo {
    /// What it is.
    pub kind: &'static str,
    /// What the user calls it.
    pub name: String,
    /// What else there is to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What is in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<OutlineInfo>,
}

impl From<&Outline> for OutlineInfo {
    fn from(outline: &Outline) -> Self {
        OutlineInfo {
            kind: outline.kind,
            name: outline.name.clone(),
            about: outline.about.clone(),
            parts: outline.parts.iter().map(OutlineInfo::from).collect(),
        }
    }
}

/// A place where the model may go wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultInfo {
    /// What may go wrong.
    pub kind: FaultKindRecord,
    /// The file it is written in.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// Something that not every model has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Clocks.
    Timed,
    /// Arrays.
    Arrays,
    /// Rational variables.
    Rationals,
    /// Channels that everybody who listens takes part in.
    Broadcast,
    /// Channels that everybody who uses them takes part in, as in CSP.
    Csp,
    /// Channels over which no time passes while they are ready.
    UrgentChannels,
    /// Something may go wrong.
    Faults,
    /// Something of its language, as that calls it.
    Language(&'static str),
}

impl Feature {
    /// A stable name, for programs; what belongs to a language is called as it says.
    pub fn code(&self) -> &'static str {
        match self {
            Feature::Timed => "timed",
            Feature::Arrays => "arrays",
            Feature::Rationals => "rationals",
            Feature::Broadcast => "broadcast",
            Feature::Csp => "csp",
            Feature::UrgentChannels => "urgent-channels",
            Feature::Faults => "faults",
            Feature::Language(name) => name,
        }
    }
}

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

/// What is in a model.
pub fn info(model: &Model) -> Info {
    let system = model.system();
    let Signature { mut variables, configurations, .. } = Lift::new(model, system).signature();
    variables.retain(|variable| variable.shown);
    let initialised: BTreeSet<VarId> = system.initial.iter().map(|(var, _)| *var).collect();
    let shown: Vec<VarId> = system.state_vars().filter(|var| system.vars[*var].shown).collect();
    let ty = |var: &VarId| system.terms.var_type(*var);
    let named = |is: &dyn Fn(&VarId) -> bool| -> Vec<String> {
        shown.iter().filter(|var| is(var)).map(|var| system.vars[*var].name.clone()).collect()
    };
    let fault = |fault: &ir::Fault| {
        let source = model.sources.of(fault.span);
        let (line, column) = source.start(fault.span);
        FaultInfo { kind: FaultKindRecord(fault.kind), file: source.name.clone(), line, column }
    };
    let faults: Vec<FaultInfo> = system.faults.iter().map(fault).collect();
    let channelled = |kind| system.channels.iter().any(|channel| channel.kind == kind);
    let used = [
        (Feature::Timed, system.clocks().next().is_some()),
        (Feature::Arrays, shown.iter().any(|var| matches!(ty(var), Type::Array(_)))),
        (Feature::Rationals, shown.iter().any(|var| ty(var) == Type::Rat)),
        (Feature::Broadcast, channelled(ChannelKind::Broadcast)),
        (Feature::Csp, channelled(ChannelKind::Csp)),
        (Feature::UrgentChannels, system.channels.iter().any(|channel| channel.urgent)),
        (Feature::Faults, !faults.is_empty()),
    ];
    let used = used.into_iter().filter(|(_, used)| *used).map(|(feature, _)| feature);
    let part = |part: &Part| PartInfo {
        kind: part.kind,
        name: part.name.clone(),
        counts: part.counts.clone(),
        locations: part.locations.clone(),
    };
    let contents = &model.lowered.contents;
    Info {
        model: model.name().to_owned(),
        language: model.language.name,
        variables,
        configurations,
        control: named(&|var| system.vars[*var].control),
        uninitialised: named(&|var| ty(var) != Type::Clock && !initialised.contains(var)),
        enumerations: system.types().enums().map(|(_, ty)| (ty.name.clone(), ty.literals.clone())).collect(),
        parts: contents.parts.iter().map(part).collect(),
        outline: contents.outline.iter().map(OutlineInfo::from).collect(),
        channels: system.channels.iter().map(|channel| channel.name.clone()).collect(),
        faults,
        features: used.chain(contents.features.iter().map(|name| Feature::Language(name))).collect(),
        questions: model
            .questions()
            .iter()
            .map(|asked| asked.as_ref().map_or_else(|misread| misread.text.clone(), |own| own.text.clone()))
            .collect(),
    }
}
