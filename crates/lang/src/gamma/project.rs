//! A project whose names are resolved and whose types are known: what the lowering reads.
//!
//! The tree stays as it was written ([`Ast`]); what resolution has found are tables beside it, indexed by the
//! numbers of the tree. [`Project::def`] tells what a used name stands for; there are accessors for each kind, as
//! most places allow one kind only. They answer for every reference of a project without errors, except for those of
//! contracts and phases, which are not interpreted and may stand for nothing.

use ir::{Id, IdVec};

use super::ast::*;
use super::types::{Ty, TyKind, Types};
use crate::diagnostic::Diagnostic;

/// What a used name stands for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    /// A type.
    Type(TypeDeclId),
    /// A literal of an enumeration: the `enum { … }` and the position in it.
    Literal(TypeId, u32),
    /// A field of a record: the `record { … }` and the position in it.
    Field(TypeId, u32),
    /// A variable or constant, global or local.
    Variable(VariableId),
    /// A parameter of a component, function, event, loop or quantifier.
    Param(ParamId),
    /// A function.
    Function(FunctionId),
    /// An interface.
    Interface(InterfaceId),
    /// An event.
    Event(EventId),
    /// A port.
    Port(PortId),
    /// A component.
    Component(ComponentId),
    /// An instance.
    Instance(InstanceId),
    /// A region.
    Region(RegionId),
    /// A state or a pseudo-state.
    Node(NodeId),
    /// A timeout.
    Timeout(TimeoutId),
    /// A clock of an adapter.
    Clock(ClockId),
}

/// What a region is in.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Parent {
    /// A statechart.
    Statechart(ComponentId),
    /// A state.
    State(NodeId),
}

/// All files of a project, with everything that is known about them.
#[derive(Clone, Debug)]
pub struct Project {
    /// The files as written.
    pub ast: Ast,
    /// What each use of a name stands for.
    pub defs: IdVec<RefId, Option<Def>>,
    /// The distinct types.
    pub types: Types,
    /// What each written type means.
    pub written: IdVec<TypeId, Ty>,
    /// The type of each expression; that of `Else` is boolean.
    pub typed: IdVec<ExprId, Ty>,
    /// For each interface all its events, inherited ones first.
    pub interface_events: IdVec<InterfaceId, Vec<EventId>>,
    /// For each component all its ports; for an adapter its own ones and then those of what it wraps.
    pub component_ports: IdVec<ComponentId, Vec<PortId>>,
    /// The file of each component.
    pub component_package: IdVec<ComponentId, PackageId>,
    /// The statechart of each transition.
    pub transition_chart: IdVec<TransitionId, ComponentId>,
    /// The region of each node.
    pub node_region: IdVec<NodeId, RegionId>,
    /// What each region is in.
    pub region_parent: IdVec<RegionId, Parent>,
    /// The transitions that leave each node, in order.
    pub outgoing: IdVec<NodeId, Vec<TransitionId>>,
    /// The transitions that lead to each node, in order.
    pub incoming: IdVec<NodeId, Vec<TransitionId>>,
    /// The statements that set each timeout, in order; they all set the same value.
    pub timeout_sets: IdVec<TimeoutId, Vec<ActionId>>,
    /// What may not be as intended.
    pub warnings: Vec<Diagnostic>,
}

/// An accessor for one kind of definition.
macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $kind:ident $id:ident,)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Panics
            /// If the reference is of another kind, which it is not in a project without errors.
            pub fn $name(&self, reference: RefId) -> $id {
                match self.defs[reference] {
                    Some(Def::$kind(id)) => id,
                    other => panic!("{:?} is {other:?}, no {}", self.ast.ref_text(reference), stringify!($name)),
                }
            }
        )+
    };
}

impl Project {
    /// What a used name stands for.
    pub fn def(&self, reference: RefId) -> Option<Def> {
        self.defs[reference]
    }

    accessors! {
        /// The interface that is meant.
        interface Interface InterfaceId,
        /// The event that is meant.
        event Event EventId,
        /// The port that is meant.
        port Port PortId,
        /// The component that is meant.
        component Component ComponentId,
        /// The instance that is meant.
        instance Instance InstanceId,
        /// The region that is meant.
        region Region RegionId,
        /// The state or pseudo-state that is meant.
        node Node NodeId,
        /// The timeout that is meant.
        timeout Timeout TimeoutId,
        /// The clock that is meant.
        clock Clock ClockId,
        /// The parameter that is meant.
        param Param ParamId,
    }

    /// Which way an event goes through a port, seen from the component that has the port.
    pub fn direction(&self, port: PortId, event: EventId) -> Direction {
        let direction = self.ast.events[event].direction;
        match self.ast.ports[port].mode {
            PortMode::Provides => direction,
            PortMode::Requires => direction.reversed(),
        }
    }
    /// All events of a port with their directions, seen from the component that has it.
    pub fn port_events(&self, port: PortId) -> impl Iterator<Item = (EventId, Direction)> {
        let events = &self.interface_events[self.interface(self.ast.ports[port].interface)];
        events.iter().map(move |&event| (event, self.direction(port, event)))
    }
    /// What a type is.
    pub fn kind(&self, ty: Ty) -> &TyKind {
        self.types.kind(ty)
    }
    /// The type of an expression.
    pub fn type_of(&self, expr: ExprId) -> &TyKind {
        self.types.kind(self.typed[expr])
    }
    /// The state that a region is in, if it is in one.
    pub fn parent_state(&self, region: RegionId) -> Option<NodeId> {
        match self.region_parent[region] {
            Parent::State(node) => Some(node),
            Parent::Statechart(_) => None,
        }
    }
    /// The statechart of a component, if it is one.
    pub fn statechart(&self, component: ComponentId) -> Option<&Statechart> {
        match &self.ast.components[component].kind {
            ComponentKind::Statechart(chart) => Some(chart),
            _ => None,
        }
    }
    /// The component that is called so, in the first of the files that has one.
    pub fn find_component(&self, name: &str) -> Option<ComponentId> {
        let name = self.ast.names.get(name)?;
        let items = self.ast.packages.iter().flat_map(|package| &package.items);
        let mut components = items.filter_map(|item| match item {
            Item::Component(component) => Some(*component),
            _ => None,
        });
        components.find(|component| self.ast.components[*component].ident.name == name)
    }
    /// The components of the file that was named, without those that are part of others in it; the last one is most
    /// probably meant.
    pub fn outermost(&self) -> Vec<ComponentId> {
        let mut part = vec![false; self.ast.components.len()];
        let asked = self.ast.asked.as_ref().map(|asked| asked.instance);
        for (_, instance) in self.ast.instances.entries().filter(|(id, _)| Some(*id) != asked) {
            if let Some(Def::Component(component)) = self.defs[instance.component] {
                part[component.index()] = true;
            }
        }
        let Some(main) = self.ast.packages.iter().next() else { return vec![] };
        let components = main.items.iter().filter_map(|item| match item {
            Item::Component(component) => Some(*component),
            _ => None,
        });
        components.filter(|component| !part[component.index()]).collect()
    }
}
