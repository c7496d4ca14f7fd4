//! A project as a model: a component becomes a system with one process, whose every step is one of the user's.
//!
//! The lowering makes an XSTS, in which the environment and the system take turns. Here both are one step, for nobody
//! asks what holds between them: the states of the process are before initialisation and the stable ones.

use ir::{
    Claim, Edge, EdgeId, FaultState, Guarded, Id, Location, LocationKind, Process, ProcessId, System, Type,
    Value, VarId,
};

use super::asked;
use super::ast::*;
use super::instance::{PartKind, Tree};
use super::lower::{self, Entry, Finding, FindingKind, Lowered, Purpose, Role};
use super::project::Project;
use super::question::Scope;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, Reading};
use crate::question::Question;
use crate::view::{Configuration, GroupId, LocationView, Section, Time, VariableView, View};
use crate::xsts::{self, parser::Parsed};
use crate::{Asked, Contents, Conversion, Example, FrontEnd, Model, Part, QuestionFiles, ScriptFiles};

/// Gamma statecharts and compositions.
pub const FRONT_END: FrontEnd = FrontEnd {
    name: "gamma",
    title: "Gamma statecharts and compositions",
    extensions: &["gcd"],
    binary: &[],
    recognises: |text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.find(|word| !word.is_empty()) == Some("package")
    },
    load,
    question_files: &[QuestionFiles { extension: "gpd", title: "Gamma properties" }],
    script_files: Some(ScriptFiles {
        extension: "get",
        title: "Gamma execution traces",
        settle: super::script::settle,
    }),
    tasks: None,
    conversions: &[
        Conversion::to_xsts(to_xsts),
        Conversion { extension: "dot", title: "a picture for Graphviz", convert: to_dot },
    ],
    guide: include_str!("guide.md"),
    examples: &[Example {
        name: "crossroads",
        about: "two traffic lights and their controller, composed",
        text: include_str!("examples/crossroads.gcd"),
    }],
    smallest: "a model needs a component, for example `package p statechart S { region r { initial i state A } \
               transition from i to A }`",
    questions: &[
        "E F { state light.main.Green }",
        "A G { not (prior in Green and second in Green) }",
        "G (a.Red -> F a.Green)",
    ],
    own_question: None,
};

/// Reads a model.
///
/// # Errors
/// Everything that is wrong with the texts, by place.
pub fn load(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<Model, Vec<Diagnostic>> {
    let project = asked::project(text, files, reading)?;
    Ok(covering(build(project, reading)?, reading).into())
}

/// The same with a question for each goal that is to be covered.
pub(super) fn covering(mut built: Built, reading: &Reading) -> Built {
    for criterion in &reading.cover {
        let goals = built.scope.goals(&mut built.system, *criterion, &|_| true);
        built.questions.extend(goals.into_iter().map(Ok));
    }
    built
}

/// A model whose language can still be asked in its own words.
pub(super) struct Built {
    pub(super) system: System,
    view: View,
    pub(super) questions: Vec<Asked>,
    contents: Contents,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) scope: Scope,
}

impl From<Built> for Model {
    fn from(built: Built) -> Self {
        let Built { system, view, questions, contents, warnings, scope } = built;
        Model { system, view, questions, contents, warnings, language: Box::new(scope) }
    }
}

/// The component that is meant, as a model.
///
/// # Errors
/// What cannot be lowered, by place.
pub(super) fn build(project: Project, reading: &Reading) -> Result<Built, Vec<Diagnostic>> {
    let (component, settings) = asked::settled(&project, reading).map_err(|error| vec![error])?;
    let lowered = lower::lower(&project, component, &settings, Purpose::Check)?;
    let mut diagnostics = Diagnostics::default();
    let Lowered { model, tree, table, findings, stuck, system_outs, enums, .. } = lowered;
    let parsed = Parsed { model, lost_names: false, empty: false, possibly: false };
    let xsts = xsts::lower::lower("", &parsed, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics.finish());
    }
    let mut system = xsts.system;
    let cycle = join_steps(&mut system, &project, &tree);
    system.observe_stable();
    let enums =
        enums.iter().filter_map(|(ty, name)| Some((*ty, xsts.symbols.type_named(*name)?.0))).collect();
    let stuck = stuck.map(VarId::at);
    let mut view = view(&project, &tree, &table, &mut system);
    let questions = findings
        .iter()
        .enumerate()
        .map(|(number, finding)| Ok(never_ends(&mut system, &tree, stuck, number, finding)))
        .collect();
    let contents = contents(&project, &tree);
    let warnings = project.warnings.clone();
    let scope = Scope { project, tree, table, stuck, system_outs, enums, period: settings.period };
    scope.occurrences(&mut system, &mut view);
    if let Some(elapsed) = scope.elapsed(&mut system) {
        view.elapsed.insert(cycle, elapsed);
    }
    Ok(Built { system, view, questions, contents, warnings, scope })
}

/// The question whether no run ends in a way that one can.
fn never_ends(
    system: &mut System,
    tree: &Tree,
    stuck: Option<VarId>,
    number: usize,
    finding: &Finding,
) -> Question {
    let stuck = stuck.expect("a finding has a variable");
    let (stuck, number) = (system.terms.var(stuck), system.terms.int(number as i64 + 1));
    let happens = system.terms.eq(stuck, number);
    let never = system.terms.not(happens);
    let path = tree.path(finding.part).join(".");
    let at = match &finding.name {
        Some(name) if path.is_empty() => format!(" `{name}`"),
        Some(name) => format!(" `{path}.{name}`"),
        None if path.is_empty() => String::new(),
        None => format!(" of `{path}`"),
    };
    let text = match finding.kind {
        FindingKind::Choice => format!("choice{at} always has an enabled branch"),
        FindingKind::ChoiceStatement => format!("choice statement{at} always has an enabled branch"),
        FindingKind::Assertion => format!("assertion{at} never fails"),
        FindingKind::Invariant => format!("invariant{at} holds"),
    };
    Question::new(text.clone(), text.clone(), text, Claim::Always(never))
}

/// The model as XSTS, with names as Gamma gives them.
fn to_xsts(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let project = asked::project(text, files, reading)?;
    as_xsts(&project, reading)
}

/// The component that is meant as a picture.
fn to_dot(text: &str, files: &mut dyn Files, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let project = asked::project(text, files, reading)?;
    as_dot(&project, reading)
}

pub(crate) fn as_xsts(project: &Project, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let (component, settings) = asked::settled(project, reading).map_err(|error| vec![error])?;
    let lowered = lower::lower(project, component, &settings, Purpose::Export)?;
    Ok(xsts::print(&lowered.model))
}

pub(crate) fn as_dot(project: &Project, reading: &Reading) -> Result<String, Vec<Diagnostic>> {
    let (component, _) = asked::settled(project, reading).map_err(|error| vec![error])?;
    let tree = Tree::new(project, component).map_err(|error| vec![error])?;
    Ok(super::dot::render(project, &tree))
}

/// Makes the environment and the system one step, which is returned.
fn join_steps(system: &mut System, project: &Project, tree: &Tree) -> (ProcessId, EdgeId) {
    let only = ProcessId::at(0);
    let always = system.terms.bool(true);
    let old = std::mem::take(&mut system.processes[only]);
    let [init, env, trans]: [Guarded; 3] = {
        let mut updates = old.edges.iter().map(|edge| edge.update);
        [(); 3].map(|()| updates.next().expect("an XSTS has three sections"))
    };
    let span = project.ast.components[tree.parts[tree.root()].component].ident.span;
    let step = Guarded::seq(&mut system.terms, &[env, trans]);
    let mut process = Process { name: tree.parts[tree.root()].name.clone(), ..Process::default() };
    let before = process.locations.push(Location {
        stable: false,
        read: false,
        ..Location::new("before", always, LocationKind::Urgent)
    });
    let ready = process
        .locations
        .push(Location { stable: true, ..Location::new("stable", always, LocationKind::Urgent) });
    process.initial = Some(before);
    let edge = |source, update, label: &str| Edge {
        source,
        target: ready,
        guard: always,
        update,
        sync: None,
        label: label.to_owned(),
        span,
    };
    process.edges.push(edge(before, init, "initialisation"));
    let cycle = process.edges.push(edge(ready, step, "cycle"));
    if let Some(fault) = system.fault {
        let location = process.locations.push(Location {
            observed: false,
            read: false,
            stable: false,
            ..Location::new("fault", always, LocationKind::Urgent)
        });
        system.fault = Some(FaultState { location, ..fault });
    }
    system.processes[only] = process;
    (only, cycle)
}

/// What is shown, in the words of the user.
fn view(project: &Project, tree: &Tree, table: &[Entry], system: &mut System) -> View {
    let sections = [(0, Section::Init), (1, Section::Whole)];
    let locations = sections.map(|(at, next)| {
        (ir::LocationId::at(at), LocationView { next: Some(next), ..LocationView::default() })
    });
    let mut view = View::of_one_process(Time::InStep, locations.into_iter().collect());
    let mut groups: Vec<Option<GroupId>> = vec![];
    for part in tree.parts.iter() {
        let parent = part.parent.map(|parent| groups[parent.index()]);
        groups.push(parent.map(|parent| view.group(part.name.clone(), parent)));
    }
    let ast = &project.ast;
    for (at, Entry { part, role }) in table.iter().enumerate() {
        let var = VarId::at(at);
        let prefix = part.map_or(String::new(), |part| {
            tree.path(part).iter().map(|name| format!("{name}.")).collect::<String>()
        });
        let group = part.and_then(|part| groups[part.index()]);
        let event = |port: PortId, event: EventId| {
            format!("{}.{}", ast.text(ast.ports[port].ident), ast.text(ast.events[event].ident))
        };
        let field = |suffix: &str| suffix.replacen('_', ".", 1);
        let parameter = |port: PortId, of: EventId, number: usize, suffix: &str| {
            let param = ast.events[of].params[number];
            format!("{}::{}{}", event(port, of), ast.text(ast.params[param].ident), field(suffix))
        };
        let (name, shown) = match role {
            Role::Region(region, states) => {
                let name = ast.text(ast.regions[*region].ident).to_owned();
                let Type::Enum(id) = system.terms.var_type(var) else { continue };
                let mut cases = vec![];
                for (number, state) in states.iter().enumerate() {
                    let (value, literal) =
                        (system.terms.var(var), system.terms.constant(Value::Enum(id, number as u32 + 1)));
                    let active = system.terms.eq(value, literal);
                    cases.push((active, ast.text(ast.nodes[*state].ident).to_owned()));
                }
                view.configurations.push(Configuration { name: format!("{prefix}{name}"), group, cases });
                (name, false)
            }
            Role::Variable(variable, suffix) => {
                (format!("{}{}", ast.text(ast.variables[*variable].ident), field(suffix)), true)
            }
            Role::Timeout(timeout) => (ast.text(ast.timeouts[*timeout].ident).to_owned(), true),
            Role::Clock(clock) => (ast.text(ast.clocks[*clock].ident).to_owned(), true),
            Role::In(port, of) => (format!("{}.in", event(*port, *of)), false),
            Role::InParameter(port, of, number, suffix) => {
                (format!("{}.in", parameter(*port, *of, *number, suffix)), false)
            }
            Role::Out(port, of) => (event(*port, *of), false),
            Role::OutParameter(port, of, number, suffix) => (parameter(*port, *of, *number, suffix), false),
            Role::Seen(port, of) => (format!("{}.seen", event(*port, *of)), false),
            Role::SeenParameter(port, of, number, suffix) => {
                (format!("{}.seen", parameter(*port, *of, *number, suffix)), false)
            }
            Role::Given(port, of) => (event(*port, *of), false),
            Role::GivenParameter(port, of, number, suffix) => (parameter(*port, *of, *number, suffix), false),
            Role::Fired(transition) => {
                let decl = &ast.transitions[*transition];
                (format!("{} -> {}", ast.ref_text(decl.from), ast.ref_text(decl.to)), false)
            }
            Role::Ran => ("ran".to_owned(), false),
            Role::Passed => ("delay".to_owned(), false),
            Role::Queue(number) => {
                let queue = part.map(|part| tree.wrapping(part).queues[*number].name.clone());
                (queue.unwrap_or_default(), true)
            }
            Role::Hidden => (system.vars[var].name.clone(), false),
        };
        system.vars[var].name = format!("{prefix}{name}");
        system.vars[var].shown = shown;
        view.variables.insert(var, VariableView { group, ..VariableView::default() });
    }
    view
}

/// The components with what is in them.
fn contents(project: &Project, tree: &Tree) -> Contents {
    let mut parts = vec![];
    let mut features = vec![];
    for id in tree.parts.ids() {
        let part = &tree.parts[id];
        let name = Some(match tree.path(id) {
            path if path.is_empty() => part.name.clone(),
            path => path.join("."),
        });
        let kind = match &part.kind {
            PartKind::Leaf => "statechart",
            PartKind::Composite(kind) => kind.word(),
            PartKind::Adapter(_) => "adapter",
        };
        let counts = match &part.kind {
            PartKind::Leaf => counts(project, part.component),
            PartKind::Composite(_) => vec![("instance", part.children.len())],
            PartKind::Adapter(wrapping) => {
                vec![("queue", wrapping.queues.len()), ("clock", wrapping.clocks.len())]
            }
        };
        if !features.contains(&kind) {
            features.push(kind);
        }
        parts.push(Part { kind, name, counts, locations: vec![] });
    }
    Contents { parts, features, outline: vec![super::outline::outline(project, tree, tree.root())] }
}

fn counts(project: &Project, component: ComponentId) -> Vec<(&'static str, usize)> {
    let Some(chart) = project.statechart(component) else { return vec![] };
    let (mut regions, mut states) = (0, 0);
    let mut open = chart.regions.clone();
    while let Some(region) = open.pop() {
        regions += 1;
        for node in &project.ast.regions[region].nodes {
            if let NodeKind::State(state) = &project.ast.nodes[*node].kind {
                states += 1;
                open.extend(&state.regions);
            }
        }
    }
    let all = [
        ("region", regions),
        ("state", states),
        ("transition", chart.transitions.len()),
        ("variable", chart.variables.len()),
        ("timeout", chart.timeouts.len()),
    ];
    all.into_iter().filter(|(_, number)| *number > 0).collect()
}
