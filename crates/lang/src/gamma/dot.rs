//! A composition and its statecharts as a picture, in the language of Graphviz.
//!
//! Instances, regions and composite states are boxes with what is in them; transitions are arrows, and channels dashed
//! ones between ports.

use std::fmt::Write;

use ir::Id;

use super::ast::*;
use super::instance::{PartId, PartKind, Tree};
use super::print::Printer;
use super::project::{Def, Project};

/// The picture.
pub(super) fn render(project: &Project, tree: &Tree) -> String {
    let mut picture = Picture { project, tree, out: String::new(), depth: 1 };
    let name = quoted(&tree.parts[tree.root()].name);
    picture.part(tree.root());
    format!(
        "digraph {name} {{\n  compound=true; rankdir=TB; fontname=\"Helvetica\"; nodesep=0.4;\n  \
         node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=11];\n  \
         edge [fontname=\"Helvetica\", fontsize=9];\n{}}}\n",
        picture.out
    )
}

struct Picture<'a> {
    project: &'a Project,
    tree: &'a Tree,
    out: String,
    depth: usize,
}

impl Picture<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }
    /// A box with what is in it.
    fn cluster(&mut self, id: &str, label: &str, style: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("subgraph cluster_{id} {{"));
        self.depth += 1;
        self.line(&format!("label={}; {style}", quoted(label)));
        ir::deep(|| inside(self));
        self.depth -= 1;
        self.line("}");
    }
    fn part(&mut self, part: PartId) {
        let (tree, project) = (self.tree, self.project);
        let of = &tree.parts[part];
        let component = project.ast.text(project.ast.components[of.component].ident);
        let label = if of.name == component { of.name.clone() } else { format!("{} : {component}", of.name) };
        let kind = match &of.kind {
            PartKind::Leaf => "statechart",
            PartKind::Composite(kind) => kind.word(),
            PartKind::Adapter(_) => "adapter",
        };
        self.cluster(&format!("p{}", part.index()), &format!("{kind} {label}"), "style=solid;", |picture| {
            for port in &project.component_ports[of.component] {
                let name = quoted(project.ast.text(project.ast.ports[*port].ident));
                picture.line(&format!(
                    "{} [label={name}, shape=cds, style=solid, fontsize=9];",
                    port_id(part, *port)
                ));
            }
            match project.statechart(of.component) {
                Some(chart) if matches!(of.kind, PartKind::Leaf) => {
                    picture.regions(part, &chart.regions);
                    for transition in &chart.transitions {
                        picture.transition(part, *transition);
                    }
                }
                _ => of.children.iter().for_each(|child| picture.part(*child)),
            }
        });
        self.connections(part);
    }
    fn regions(&mut self, part: PartId, list: &[RegionId]) {
        for region in list {
            let decl = &self.project.ast.regions[*region];
            let id = format!("p{}r{}", part.index(), region.index());
            let label = format!("region {}", self.project.ast.text(decl.ident));
            self.cluster(&id, &label, "style=dashed;", |picture| {
                for node in &decl.nodes {
                    picture.node(part, *node);
                }
            });
        }
    }
    fn node(&mut self, part: PartId, node: NodeId) {
        let (project, id) = (self.project, node_id(part, node));
        let decl = &project.ast.nodes[node];
        let name = project.ast.text(decl.ident);
        let (label, style) = match &decl.kind {
            NodeKind::State(state) if !state.regions.is_empty() => {
                return self.cluster(&id, name, "style=rounded;", |picture| {
                    // Arrows to the box end at this point.
                    picture.line(&format!("{id} [shape=point, style=invis];"));
                    picture.regions(part, &state.regions);
                });
            }
            NodeKind::State(_) => (name, "shape=box"),
            NodeKind::Initial => {
                ("", "shape=circle, style=filled, fillcolor=black, width=0.15, fixedsize=true")
            }
            NodeKind::ShallowHistory => ("H", "shape=circle, width=0.25, fixedsize=true"),
            NodeKind::DeepHistory => ("H*", "shape=circle, width=0.3, fixedsize=true"),
            NodeKind::Choice => ("", "shape=diamond, style=solid, width=0.25, height=0.25, fixedsize=true"),
            NodeKind::Merge => ("", "shape=circle, width=0.15, fixedsize=true"),
            NodeKind::Fork | NodeKind::Join => {
                ("", "shape=box, style=filled, fillcolor=black, width=0.8, height=0.05, fixedsize=true")
            }
        };
        self.line(&format!("{id} [label={}, {style}];", quoted(label)));
    }
    fn transition(&mut self, part: PartId, transition: TransitionId) {
        let ast = &self.project.ast;
        let decl = &ast.transitions[transition];
        let node = |used: RefId| match self.project.defs[used] {
            Some(Def::Node(node)) => Some(node),
            _ => None,
        };
        let (Some(from), Some(to)) = (node(decl.from), node(decl.to)) else { return };
        let printer = Printer::new(ast);
        let mut label = decl.trigger.map_or(String::new(), |trigger| printer.trigger(trigger, 0));
        if let Some(guard) = decl.guard {
            let _ = write!(label, " [{}]", printer.expr(guard));
        }
        if !decl.effects.is_empty() {
            label += " / …";
        }
        let is_composite = |node: NodeId| matches!(&ast.nodes[node].kind, NodeKind::State(state) if !state.regions.is_empty());
        let mut ends = String::new();
        for (end, at) in [("ltail", from), ("lhead", to)] {
            if is_composite(at) {
                let _ = write!(ends, ", {end}=cluster_{}", node_id(part, at));
            }
        }
        let (from, to) = (node_id(part, from), node_id(part, to));
        self.line(&format!("{from} -> {to} [label={}{ends}];", quoted(label.trim())));
    }
    /// Channels and bindings of a composition.
    fn connections(&mut self, part: PartId) {
        let (tree, project) = (self.tree, self.project);
        let ComponentKind::Composite(composite) = &project.ast.components[tree.parts[part].component].kind
        else {
            return;
        };
        let end = |at: &InstancePort| {
            let (Some(Def::Instance(instance)), Some(Def::Port(port))) =
                (project.defs[at.instance], project.defs[at.port])
            else {
                return None;
            };
            let child = tree.parts[part]
                .children
                .iter()
                .find(|child| tree.parts[**child].instance == Some(instance))?;
            Some(port_id(*child, port))
        };
        for channel in &composite.channels {
            for required in &channel.required {
                if let (Some(from), Some(to)) = (end(&channel.provided), end(required)) {
                    self.line(&format!("{from} -> {to} [style=dashed, dir=both, arrowtail=none];"));
                }
            }
        }
        for binding in &composite.bindings {
            if let (Some(Def::Port(port)), Some(to)) = (project.defs[binding.port], end(&binding.inner)) {
                self.line(&format!("{} -> {to} [style=dotted, dir=none];", port_id(part, port)));
            }
        }
    }
}

fn port_id(part: PartId, port: PortId) -> String {
    format!("p{}o{}", part.index(), port.index())
}

fn node_id(part: PartId, node: NodeId) -> String {
    format!("p{}n{}", part.index(), node.index())
}

/// A text between quotation marks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
