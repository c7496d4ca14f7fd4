//! What is in what: components, instances, regions and states, for people to look at.

use super::ast::*;
use super::instance::{PartId, PartKind, Tree};
use super::project::Project;
use crate::model::Outline;

/// A part with everything in it.
pub(super) fn outline(project: &Project, tree: &Tree, part: PartId) -> Outline {
    let of = &tree.parts[part];
    let component = project.ast.text(project.ast.components[of.component].ident);
    let kind = match &of.kind {
        PartKind::Leaf => "statechart",
        PartKind::Composite(kind) => kind.word(),
        PartKind::Adapter(_) => "adapter",
    };
    let parts = match &of.kind {
        PartKind::Leaf => {
            project.statechart(of.component).map_or(vec![], |chart| regions(project, &chart.regions))
        }
        _ => of.children.iter().map(|child| ir::deep(|| outline(project, tree, *child))).collect(),
    };
    let about = if component == of.name { String::new() } else { component.to_owned() };
    Outline { kind, name: of.name.clone(), about, parts }
}

fn regions(project: &Project, list: &[RegionId]) -> Vec<Outline> {
    let region = |region: &RegionId| {
        let decl = &project.ast.regions[*region];
        let states = decl.nodes.iter().filter_map(|node| {
            let node = &project.ast.nodes[*node];
            let NodeKind::State(state) = &node.kind else { return None };
            let parts = ir::deep(|| regions(project, &state.regions));
            Some(Outline {
                kind: "state",
                name: project.ast.text(node.ident).to_owned(),
                about: String::new(),
                parts,
            })
        });
        let remembers = |node: &&NodeId| {
            matches!(project.ast.nodes[**node].kind, NodeKind::ShallowHistory | NodeKind::DeepHistory)
        };
        let about = decl.nodes.iter().find(remembers).map_or("", |node| project.ast.nodes[*node].kind.word());
        Outline {
            kind: "region",
            name: project.ast.text(decl.ident).to_owned(),
            about: about.to_owned(),
            parts: states.collect(),
        }
    };
    list.iter().map(region).collect()
}
