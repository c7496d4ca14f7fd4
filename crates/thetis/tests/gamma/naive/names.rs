//! What names stand for, and the parts that a system is made of.

use std::collections::BTreeMap;

use lang::gamma::ast::*;

use super::{Machine, Maybe, State, Tape, Value, unable};

/// A project, and the instances of the component that is the system.
#[derive(Debug)]
pub struct Model {
    pub ast: Ast,
    /// The first is the system; parts come before what they consist of.
    pub parts: Vec<Part>,
}

/// The system or something in it.
#[derive(Debug)]
pub struct Part {
    pub path: Vec<String>,
    pub component: ComponentId,
    pub parent: Option<usize>,
    pub arguments: BTreeMap<String, Value>,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Leaf,
    /// In order of declaration.
    Composite(Vec<usize>),
    Adapter(usize),
    /// An `@Asynchronous` statechart: the adapter around it.
    Implied(usize),
}

/// How deep compositions may be nested.
const DEPTH: usize = 20;

impl Model {
    /// The component of this name as the system.
    pub fn new(ast: Ast, component: &str, arguments: &[Value]) -> Maybe<Model> {
        let mut model = Model { ast, parts: vec![] };
        let ast = &model.ast;
        let named = ast.components.entries().find(|(_, it)| ast.text(it.ident) == component);
        let Some((id, found)) = named else { return unable(format!("no component {component}")) };
        let statechart = matches!(&found.kind, ComponentKind::Statechart(chart) if !chart.asynchronous);
        let path = if statechart { vec![component.to_owned()] } else { vec![] };
        model.part(id, path, None, arguments.to_vec(), 0)?;
        Ok(model)
    }

    fn part(
        &mut self,
        component: ComponentId,
        path: Vec<String>,
        parent: Option<usize>,
        arguments: Vec<Value>,
        depth: usize,
    ) -> Maybe<usize> {
        if depth > DEPTH {
            return unable("compositions nested too deeply");
        }
        let it = self.ast.components[component].clone();
        if it.params.len() != arguments.len() {
            return unable("another number of arguments");
        }
        let mut bound = BTreeMap::new();
        for (param, value) in it.params.iter().zip(arguments) {
            let param = &self.ast.params[*param];
            bound.insert(self.ast.text(param.ident).to_owned(), value.like(&self.default(param.ty)?));
        }
        let number = self.parts.len();
        let arguments = bound.clone();
        self.parts.push(Part { path: path.clone(), component, parent, arguments, kind: Kind::Leaf });
        let kind = match &it.kind {
            ComponentKind::Statechart(chart) if chart.asynchronous => {
                let name = self.ast.text(it.ident).to_owned();
                let mut letters = name.chars();
                let first = letters.next().map(|letter| letter.to_ascii_lowercase());
                let path = [path, vec![first.into_iter().chain(letters).collect()]].concat();
                let inner = self.parts.len();
                let kind = Kind::Leaf;
                self.parts.push(Part { path, component, parent: Some(number), arguments: bound, kind });
                Kind::Implied(inner)
            }
            ComponentKind::Statechart(_) => Kind::Leaf,
            ComponentKind::Composite(composite) => {
                let mut children = vec![];
                for instance in &composite.instances {
                    children.push(self.child(number, &path, *instance, depth)?);
                }
                Kind::Composite(children)
            }
            ComponentKind::Adapter(adapter) => {
                Kind::Adapter(self.child(number, &path, adapter.instance, depth)?)
            }
        };
        self.parts[number].kind = kind;
        Ok(number)
    }
    fn child(&mut self, parent: usize, path: &[String], instance: InstanceId, depth: usize) -> Maybe<usize> {
        let it = self.ast.instances[instance].clone();
        let path = [path, &[self.ast.text(it.ident).to_owned()]].concat();
        let mut arguments = vec![];
        for argument in &it.arguments {
            arguments.push(self.known(parent, *argument)?);
        }
        let name = self.ast.ref_text(it.component);
        let Some(component) = self.component(name) else { return unable(format!("no component {name}")) };
        self.part(component, path, Some(parent), arguments, depth + 1)
    }
    /// A value that is known before the model runs.
    pub fn known(&self, part: usize, expr: ExprId) -> Maybe<Value> {
        let mut tape = Tape::default();
        Machine::new(self, State::new(), &mut tape).eval(&mut super::expr::Frame::of(part), expr)
    }
    /// A time in milliseconds.
    pub fn milliseconds(&self, part: usize, time: Duration) -> Maybe<i128> {
        Ok(self.known(part, time.value)?.int()? * i128::from(time.unit.milliseconds()))
    }

    fn items(&self) -> impl Iterator<Item = Item> {
        self.ast.packages.iter().flat_map(|package| package.items.iter().copied())
    }
    fn component(&self, name: &str) -> Option<ComponentId> {
        self.items().find_map(|item| match item {
            Item::Component(id) if self.ast.text(self.ast.components[id].ident) == name => Some(id),
            _ => None,
        })
    }
    pub fn constant(&self, name: &str) -> Option<VariableId> {
        self.items().find_map(|item| match item {
            Item::Constant(id) if self.ast.text(self.ast.variables[id].ident) == name => Some(id),
            _ => None,
        })
    }
    /// A function of a statechart, or of the files.
    pub fn function(&self, component: ComponentId, name: &str) -> Option<FunctionId> {
        let own = match &self.ast.components[component].kind {
            ComponentKind::Statechart(chart) => chart.functions.clone(),
            _ => vec![],
        };
        let files = self.items().filter_map(|item| match item {
            Item::Function(id) => Some(id),
            _ => None,
        });
        own.into_iter().chain(files).find(|id| self.ast.text(self.ast.functions[*id].ident) == name)
    }
    fn interface(&self, name: &str) -> Option<InterfaceId> {
        self.items().find_map(|item| match item {
            Item::Interface(id) if self.ast.text(self.ast.interfaces[id].ident) == name => Some(id),
            _ => None,
        })
    }
    /// What a type is, without the names that it has.
    pub fn plain(&self, mut ty: TypeId) -> Maybe<TypeId> {
        while let TypeKind::Named(name) = self.ast.types[ty].kind {
            ty = self.type_named(self.ast.ref_text(name))?;
        }
        Ok(ty)
    }
    pub fn type_named(&self, name: &str) -> Maybe<TypeId> {
        let found = self.items().find_map(|item| match item {
            Item::Type(id) if self.ast.text(self.ast.type_decls[id].ident) == name => Some(id),
            _ => None,
        });
        found.map_or_else(|| unable(format!("no type {name}")), |id| Ok(self.ast.type_decls[id].ty))
    }
    /// The default value of a type (1).
    pub fn default(&self, ty: TypeId) -> Maybe<Value> {
        let ty = self.plain(ty)?;
        Ok(match &self.ast.types[ty].kind {
            TypeKind::Void => Value::Void,
            TypeKind::Boolean => Value::Bool(false),
            TypeKind::Integer | TypeKind::IntegerRange | TypeKind::Subrange { .. } => Value::Int(0),
            TypeKind::Decimal | TypeKind::Rational => Value::Ratio(0, 1),
            TypeKind::Enum(literals) => Value::Literal(ty, self.ast.text(literals[0]).to_owned()),
            TypeKind::Array { element, .. } => {
                Value::Array(Some(Box::new(self.default(*element)?)), BTreeMap::new())
            }
            TypeKind::Record(fields) => {
                let mut values = BTreeMap::new();
                for field in fields {
                    values.insert(self.ast.text(field.ident).to_owned(), self.default(field.ty)?);
                }
                Value::Record(values)
            }
            TypeKind::Named(_) | TypeKind::Function { .. } => return unable("a function type"),
        })
    }
    /// All values of a type that has few.
    pub fn values(&self, ty: TypeId) -> Maybe<Vec<Value>> {
        let ty = self.plain(ty)?;
        match &self.ast.types[ty].kind {
            TypeKind::Boolean => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            TypeKind::Enum(literals) => {
                Ok(literals.iter().map(|it| Value::Literal(ty, self.ast.text(*it).to_owned())).collect())
            }
            _ => unable("all values of a type with many"),
        }
    }

    /// All ports of a component; an adapter has those of the inner component after its own.
    pub fn ports(&self, component: ComponentId) -> Vec<PortId> {
        let it = &self.ast.components[component];
        let mut ports = it.ports.clone();
        if let ComponentKind::Adapter(adapter) = &it.kind {
            let inner = self.ast.ref_text(self.ast.instances[adapter.instance].component);
            ports.extend(self.component(inner).map(|inner| self.ports(inner)).unwrap_or_default());
        }
        ports
    }
    pub fn port(&self, component: ComponentId, name: &str) -> Maybe<PortId> {
        let found =
            self.ports(component).into_iter().find(|port| self.ast.text(self.ast.ports[*port].ident) == name);
        found.map_or_else(|| unable(format!("no port {name}")), Ok)
    }
    /// The interface of a port and those that it extends, these first, each once.
    pub fn interfaces(&self, port: PortId) -> Vec<InterfaceId> {
        let mut found = vec![];
        if let Some(interface) = self.interface(self.ast.ref_text(self.ast.ports[port].interface)) {
            self.extended(interface, &mut found, 0);
        }
        found
    }
    fn extended(&self, interface: InterfaceId, found: &mut Vec<InterfaceId>, depth: usize) {
        assert!(depth < 100, "interfaces extend each other");
        for other in &self.ast.interfaces[interface].extends {
            if let Some(other) = self.interface(self.ast.ref_text(*other)) {
                self.extended(other, found, depth + 1);
            }
        }
        if !found.contains(&interface) {
            found.push(interface);
        }
    }
    /// All events of a port with their directions for the component that has it (3).
    pub fn events(&self, port: PortId) -> Vec<(EventId, Direction)> {
        let mode = self.ast.ports[port].mode;
        let interfaces = self.interfaces(port);
        let events = interfaces.iter().flat_map(|it| self.ast.interfaces[*it].events.iter().copied());
        events
            .map(|event| {
                let direction = match (mode, self.ast.events[event].direction) {
                    (PortMode::Requires, Direction::In) => Direction::Out,
                    (PortMode::Requires, Direction::Out) => Direction::In,
                    (_, direction) => direction,
                };
                (event, direction)
            })
            .collect()
    }
    pub fn event(&self, port: PortId, name: &str) -> Maybe<(EventId, Direction)> {
        let found =
            self.events(port).into_iter().find(|(it, _)| self.ast.text(self.ast.events[*it].ident) == name);
        found.map_or_else(|| unable(format!("no event {name}")), Ok)
    }
    /// Whether an event can come in: from others or from the component itself.
    pub fn comes_in(direction: Direction) -> bool {
        matches!(direction, Direction::In | Direction::InOut | Direction::Internal)
    }
    pub fn goes_out(direction: Direction) -> bool {
        matches!(direction, Direction::Out | Direction::InOut)
    }
    pub fn defaults(&self, event: EventId) -> Maybe<Vec<Value>> {
        self.ast.events[event].params.iter().map(|param| self.default(self.ast.params[*param].ty)).collect()
    }

    pub fn chart(&self, part: usize) -> &Statechart {
        match &self.ast.components[self.parts[part].component].kind {
            ComponentKind::Statechart(chart) => chart,
            other => panic!("{other:?} is no statechart"),
        }
    }
    /// The leaves in a part, in order of declaration.
    pub fn leaves(&self, part: usize) -> Vec<usize> {
        match &self.parts[part].kind {
            Kind::Leaf => vec![part],
            Kind::Composite(children) => children.iter().flat_map(|child| self.leaves(*child)).collect(),
            Kind::Adapter(inner) | Kind::Implied(inner) => self.leaves(*inner),
        }
    }
    /// The adapters in a part, in order of declaration.
    pub fn adapters(&self, part: usize) -> Vec<usize> {
        match &self.parts[part].kind {
            Kind::Leaf => vec![],
            Kind::Composite(children) => children.iter().flat_map(|child| self.adapters(*child)).collect(),
            Kind::Adapter(_) | Kind::Implied(_) => vec![part],
        }
    }

    /// All regions of a statechart, outer before inner, in order of declaration.
    pub fn regions(&self, chart: &Statechart) -> Vec<RegionId> {
        let mut found = vec![];
        for region in &chart.regions {
            self.regions_in(*region, &mut found);
        }
        found
    }
    fn regions_in(&self, region: RegionId, found: &mut Vec<RegionId>) {
        found.push(region);
        for node in &self.ast.regions[region].nodes {
            for inner in self.regions_of(*node) {
                self.regions_in(inner, found);
            }
        }
    }
    pub fn regions_of(&self, node: NodeId) -> Vec<RegionId> {
        match &self.ast.nodes[node].kind {
            NodeKind::State(state) => state.regions.clone(),
            _ => vec![],
        }
    }
    pub fn region_of(&self, node: NodeId) -> RegionId {
        let found = self.ast.regions.entries().find(|(_, region)| region.nodes.contains(&node));
        found.expect("a node is in a region").0
    }
    /// The state that a region is in.
    pub fn state_of(&self, region: RegionId) -> Option<NodeId> {
        self.ast.nodes.ids().find(|node| self.regions_of(*node).contains(&region))
    }
    /// The regions that contain a node, from inner to outer (4.4).
    pub fn around(&self, node: NodeId) -> Vec<RegionId> {
        let mut regions = vec![self.region_of(node)];
        while let Some(state) = self.state_of(*regions.last().expect("one is there")) {
            regions.push(self.region_of(state));
        }
        regions
    }
    /// The innermost region that contains both nodes (4.4).
    pub fn scope(&self, a: NodeId, b: NodeId) -> Maybe<RegionId> {
        let around = self.around(b);
        let found = self.around(a).into_iter().find(|region| around.contains(region));
        found.map_or_else(|| unable("a transition between regions of the statechart"), Ok)
    }
    /// The state of a region that is the node or contains it.
    pub fn containing(&self, region: RegionId, node: NodeId) -> Option<NodeId> {
        let nodes = &self.ast.regions[region].nodes;
        if nodes.contains(&node) {
            return Some(node);
        }
        let around = self.around(node);
        nodes.iter().copied().find(|it| self.regions_of(*it).iter().any(|inner| around.contains(inner)))
    }
    /// The node that a transition names.
    pub fn node(&self, part: usize, name: RefId) -> Maybe<NodeId> {
        let name = self.ast.ref_text(name);
        let regions = self.regions(self.chart(part));
        let mut nodes = regions.iter().flat_map(|region| self.ast.regions[*region].nodes.iter().copied());
        let found = nodes.find(|node| self.ast.text(self.ast.nodes[*node].ident) == name);
        found.map_or_else(|| unable(format!("no node {name}")), Ok)
    }
    pub fn from(&self, part: usize, transition: TransitionId) -> Maybe<NodeId> {
        self.node(part, self.ast.transitions[transition].from)
    }
    pub fn to(&self, part: usize, transition: TransitionId) -> Maybe<NodeId> {
        self.node(part, self.ast.transitions[transition].to)
    }
    /// The transitions that leave a node, in order of the file.
    pub fn outgoing(&self, part: usize, node: NodeId) -> Maybe<Vec<TransitionId>> {
        let mut found = vec![];
        for transition in &self.chart(part).transitions {
            if self.from(part, *transition)? == node {
                found.push(*transition);
            }
        }
        Ok(found)
    }
    pub fn incoming(&self, part: usize, node: NodeId) -> Maybe<Vec<TransitionId>> {
        let mut found = vec![];
        for transition in &self.chart(part).transitions {
            if self.to(part, *transition)? == node {
                found.push(*transition);
            }
        }
        Ok(found)
    }
    /// Whether a region remembers (4.1).
    pub fn remembers(&self, region: RegionId) -> bool {
        let has = |region: RegionId, deep: bool| {
            self.ast.regions[region].nodes.iter().any(|node| match self.ast.nodes[*node].kind {
                NodeKind::DeepHistory => true,
                NodeKind::ShallowHistory => !deep,
                _ => false,
            })
        };
        let mut outer = region;
        while let Some(state) = self.state_of(outer) {
            outer = self.region_of(state);
            if has(outer, true) {
                return true;
            }
        }
        has(region, false)
    }
}
