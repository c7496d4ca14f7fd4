//! From names to what they stand for, and from expressions to their types.
//!
//! Declarations are visited in an order in which everything that a place needs is known: what packages declare,
//! interfaces, types, signatures, ports, and then bodies. Whatever stands for nothing gets the unknown type, which
//! fits everywhere, so that one mistake is told once.

use ir::{Id, IdVec, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::*;
use super::import::Imports;
use super::project::{Def, Parent, Project};
use super::scope::{Globals, Names, Scope, Space};
use super::types::{Ty, TyKind, Types};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;

/// Finds what all names stand for; what stands for nothing is reported.
pub(super) fn resolve(ast: Ast, imports: &Imports, diagnostics: &mut Diagnostics) -> Project {
    let mut resolver = Resolver::new(&ast, imports, diagnostics);
    resolver.interfaces();
    resolver.signatures();
    resolver.ports();
    resolver.bodies();
    let Resolver { defs, types, written, typed, interface_events, .. } = resolver;
    let Resolver { component_ports, component_package, timeout_sets, warnings, .. } = resolver;
    let unknown = types.unknown;
    let hierarchy = hierarchy(&ast, &defs);
    Project {
        defs,
        written: written.iter().map(|ty| ty.unwrap_or(unknown)).collect(),
        typed: typed.iter().map(|ty| ty.unwrap_or(unknown)).collect(),
        types,
        interface_events,
        component_ports,
        component_package,
        timeout_sets,
        transition_chart: hierarchy.transition_chart,
        node_region: hierarchy.node_region,
        region_parent: hierarchy.region_parent,
        outgoing: hierarchy.outgoing,
        incoming: hierarchy.incoming,
        warnings,
        ast,
    }
}

/// Names under resolution.
pub(super) struct Resolver<'a> {
    pub(super) ast: &'a Ast,
    pub(super) globals: Globals,
    pub(super) diagnostics: &'a mut Diagnostics,
    warnings: Vec<Diagnostic>,
    pub(super) defs: IdVec<RefId, Option<Def>>,
    pub(super) types: Types,
    pub(super) written: IdVec<TypeId, Option<Ty>>,
    pub(super) typed: IdVec<ExprId, Option<Ty>>,
    pub(super) interface_events: IdVec<InterfaceId, Vec<EventId>>,
    /// For each interface its events by name.
    pub(super) event_names: FxHashMap<(InterfaceId, Name), EventId>,
    pub(super) component_ports: IdVec<ComponentId, Vec<PortId>>,
    component_package: IdVec<ComponentId, PackageId>,
    pub(super) timeout_sets: IdVec<TimeoutId, Vec<ActionId>>,
    /// Where global declarations are.
    type_package: FxHashMap<TypeDeclId, PackageId>,
    pub(super) value_package: FxHashMap<Def, PackageId>,
    /// Types that are being looked at, to find those that contain themselves.
    open: FxHashSet<TypeId>,
    /// What adapters wrap.
    pub(super) wrapped: FxHashSet<RefId>,
    /// The region of each node.
    pub(super) node_region: FxHashMap<NodeId, RegionId>,
}

impl<'a> Resolver<'a> {
    fn new(ast: &'a Ast, imports: &Imports, diagnostics: &'a mut Diagnostics) -> Self {
        let globals = Globals::new(ast, imports, diagnostics);
        let (mut type_package, mut value_package) = (FxHashMap::default(), FxHashMap::default());
        let mut component_package: IdVec<ComponentId, PackageId> =
            ast.components.ids().map(|_| PackageId::at(0)).collect();
        for (package, content) in ast.packages.entries() {
            for item in &content.items {
                match *item {
                    Item::Constant(id) => drop(value_package.insert(Def::Variable(id), package)),
                    Item::Function(id) => drop(value_package.insert(Def::Function(id), package)),
                    Item::Type(id) => drop(type_package.insert(id, package)),
                    Item::Component(id) => component_package[id] = package,
                    Item::Interface(_) => {}
                }
            }
        }
        Resolver {
            ast,
            globals,
            diagnostics,
            warnings: vec![],
            defs: ast.refs.ids().map(|_| None).collect(),
            types: Types::default(),
            written: ast.types.ids().map(|_| None).collect(),
            typed: ast.exprs.ids().map(|_| None).collect(),
            interface_events: ast.interfaces.ids().map(|_| vec![]).collect(),
            event_names: FxHashMap::default(),
            component_ports: ast.components.ids().map(|_| vec![]).collect(),
            component_package,
            timeout_sets: ast.timeouts.ids().map(|_| vec![]).collect(),
            type_package,
            value_package,
            open: FxHashSet::default(),
            wrapped: FxHashSet::default(),
            node_region: FxHashMap::default(),
        }
    }

    // Errors.

    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }
    pub(super) fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(code, span, message));
    }
    pub(super) fn unknown(&mut self, reference: RefId, what: &str, near: Option<&str>) {
        let used = self.ast.refs[reference];
        self.diagnostics.push(Diagnostic::unknown(used.span, what, self.ast.names.text(used.name), near));
    }
    pub(super) fn define(&mut self, reference: RefId, def: Def) -> Def {
        self.defs[reference] = Some(def);
        def
    }
    /// A name that packages declare.
    pub(super) fn global(
        &mut self,
        package: PackageId,
        space: Space,
        what: &str,
        used: RefId,
    ) -> Option<Def> {
        let name = self.ast.refs[used].name;
        if let Some(def) = self.globals.find(package, space, name) {
            return Some(self.define(used, def));
        }
        let near = nearest(self.ast.names.text(name), self.globals.names(self.ast, package, space));
        let near = near.map(str::to_owned);
        self.unknown(used, what, near.as_deref());
        None
    }
    /// A name of a component.
    pub(super) fn own(&mut self, names: &Names, what: &str, used: RefId) -> Option<Def> {
        if let Some(def) = names.get(self.ast.refs[used].name) {
            return Some(self.define(used, def));
        }
        let near = names.near(self.ast, self.ast.ref_text(used));
        self.unknown(used, what, near.as_deref());
        None
    }

    // Interfaces.

    fn interfaces(&mut self) {
        for (package, content) in self.ast.packages.entries() {
            for item in &content.items {
                let Item::Interface(id) = *item else { continue };
                for &parent in &self.ast.interfaces[id].extends {
                    self.global(package, Space::Interface, "interface", parent);
                }
            }
        }
        for id in self.ast.interfaces.ids() {
            let (mut events, mut path) = (vec![], vec![]);
            self.inherited(id, &mut path, &mut events);
            for &event in &events {
                let ident = self.ast.events[event].ident;
                let first = *self.event_names.entry((id, ident.name)).or_insert(event);
                if first != event {
                    let other = self.ast.events[first].ident;
                    self.diagnostics.push(super::scope::duplicate(self.ast, ident, other));
                }
            }
            self.interface_events[id] = events;
        }
    }
    /// The events of an interface, inherited ones first, each once.
    fn inherited(&mut self, id: InterfaceId, path: &mut Vec<InterfaceId>, events: &mut Vec<EventId>) {
        let interface = &self.ast.interfaces[id];
        if path.contains(&id) {
            // Told once, where the circle begins.
            if path[0] == id {
                let name = self.ast.text(interface.ident);
                let message =
                    format!("interface `{name}` extends itself; remove one `extends` of the circle");
                self.error(Code::CircularReference, interface.ident.span, message);
            }
            return;
        }
        path.push(id);
        for &parent in &interface.extends {
            if let Some(Def::Interface(parent)) = self.defs[parent] {
                ir::deep(|| self.inherited(parent, path, events));
            }
        }
        path.pop();
        let new = interface.events.iter().filter(|event| !events.contains(event)).copied();
        let new: Vec<EventId> = new.collect();
        events.extend(new);
    }

    // Types.

    /// What a written type means.
    pub(super) fn ty(&mut self, id: TypeId, scope: &mut Scope) -> Ty {
        if let Some(ty) = self.written[id] {
            return ty;
        }
        if !self.open.insert(id) {
            let message = "this type contains itself; there is no end to its values";
            self.error(Code::CircularReference, self.ast.types[id].span, message);
            self.written[id] = Some(self.types.unknown);
            return self.types.unknown;
        }
        let ty = ir::deep(|| self.ty_new(id, scope));
        self.open.remove(&id);
        self.written[id] = Some(ty);
        ty
    }
    fn ty_new(&mut self, id: TypeId, scope: &mut Scope) -> Ty {
        let ast = self.ast;
        match &ast.types[id].kind {
            TypeKind::Void => self.types.void,
            TypeKind::Boolean => self.types.boolean,
            TypeKind::Integer => self.types.integer,
            TypeKind::Decimal => self.types.decimal,
            TypeKind::Rational => self.types.rational,
            TypeKind::IntegerRange => self.types.integer_range,
            TypeKind::Named(used) => match self.global(scope.package, Space::Type, "type", *used) {
                Some(Def::Type(decl)) => self.declared_type(decl),
                _ => self.types.unknown,
            },
            TypeKind::Array { size, element } => {
                self.expr(*size, scope);
                self.expect_integer(*size, "the size of an array");
                let known = self.integer_value(*size);
                let small = known.as_ref().and_then(|size| u32::try_from(size.to_i64()?).ok());
                if let Some(value) = &known
                    && small.is_none_or(|size| size == 0)
                {
                    let message =
                        format!("an array has at least one entry, and not too many; this one has {value}");
                    self.error(Code::OutOfRange, ast.exprs[*size].span, message);
                }
                let element = self.ty(*element, scope);
                self.types.intern(TyKind::Array { element, size: small })
            }
            TypeKind::Enum(literals) => {
                let mut names = FxHashMap::default();
                for literal in literals {
                    if let Some(first) = names.insert(literal.name, *literal) {
                        self.diagnostics.push(super::scope::duplicate(ast, *literal, first));
                    }
                }
                self.types.intern(TyKind::Enum(id))
            }
            TypeKind::Record(fields) => {
                let mut names = FxHashMap::default();
                for field in fields {
                    if let Some(first) = names.insert(field.ident.name, field.ident) {
                        self.diagnostics.push(super::scope::duplicate(ast, field.ident, first));
                    }
                    self.ty(field.ty, scope);
                }
                self.types.intern(TyKind::Record(id))
            }
            TypeKind::Subrange { from, to } => {
                let mut bound = |expr: &Option<ExprId>| {
                    let expr = (*expr)?;
                    self.expr(expr, scope);
                    self.expect_integer(expr, "the bound of a type");
                    self.integer_value(expr)
                };
                let (from, to) = (bound(from), bound(to));
                if let (Some(from), Some(to)) = (&from, &to)
                    && from > to
                {
                    let message = format!("no number is at least {from} and at most {to}");
                    self.error(Code::OutOfRange, ast.types[id].span, message);
                }
                self.types.intern(TyKind::Subrange { from, to })
            }
            TypeKind::Function { params, result } => {
                let params = params.iter().map(|param| self.ty(*param, scope)).collect();
                let result = self.ty(*result, scope);
                self.types.intern(TyKind::Function { params, result })
            }
        }
    }
    fn declared_type(&mut self, decl: TypeDeclId) -> Ty {
        let mut scope = Scope::of_package(self.type_package[&decl]);
        self.ty(self.ast.type_decls[decl].ty, &mut scope)
    }
    /// The type of a variable; that of a global constant may not have been looked at yet.
    pub(super) fn variable_ty(&mut self, id: VariableId) -> Ty {
        let ty = self.ast.variables[id].ty;
        match (self.written[ty], self.value_package.get(&Def::Variable(id))) {
            (Some(ty), _) => ty,
            (None, Some(&package)) => self.ty(ty, &mut Scope::of_package(package)),
            (None, None) => self.types.unknown,
        }
    }
    pub(super) fn param_ty(&self, id: ParamId) -> Ty {
        self.written[self.ast.params[id].ty].unwrap_or(self.types.unknown)
    }
    /// Types of everything that packages declare.
    fn signatures(&mut self) {
        let ast = self.ast;
        for (package, content) in ast.packages.entries() {
            let mut scope = Scope::of_package(package);
            for item in &content.items {
                match *item {
                    Item::Type(id) => drop(self.declared_type(id)),
                    Item::Constant(id) => drop(self.variable_ty(id)),
                    Item::Function(id) => self.signature(id, &mut scope),
                    Item::Interface(id) => {
                        for &event in &ast.interfaces[id].events {
                            self.param_types(&ast.events[event].params, &mut scope);
                        }
                    }
                    Item::Component(id) => self.param_types(&ast.components[id].params, &mut scope),
                }
            }
        }
    }
    /// Types of parameters, whose names differ.
    fn param_types(&mut self, params: &[ParamId], scope: &mut Scope) {
        let mut names = Names::default();
        for &param in params {
            let Param { ident, ty } = self.ast.params[param];
            names.add(self.ast, ident, Def::Param(param), self.diagnostics);
            self.ty(ty, scope);
        }
    }
    fn signature(&mut self, id: FunctionId, scope: &mut Scope) {
        let function = &self.ast.functions[id];
        self.param_types(function.params.as_deref().unwrap_or_default(), scope);
        self.ty(function.result, scope);
    }

    // Ports.

    fn ports(&mut self) {
        for (id, component) in self.ast.components.entries() {
            let package = self.component_package[id];
            for &port in &component.ports {
                self.global(package, Space::Interface, "interface", self.ast.ports[port].interface);
            }
            if let ComponentKind::Adapter(adapter) = &component.kind {
                let wrapped = self.ast.instances[adapter.instance].component;
                self.global(package, Space::Component, "component", wrapped);
                self.wrapped.insert(wrapped);
            }
        }
        for id in self.ast.components.ids() {
            self.component_ports[id] = self.all_ports(id);
        }
    }
    fn all_ports(&self, id: ComponentId) -> Vec<PortId> {
        let (mut ports, mut seen) = (vec![], vec![]);
        let mut next = Some(id);
        while let Some(id) = next {
            // An adapter of itself is told about elsewhere.
            if seen.contains(&id) {
                break;
            }
            seen.push(id);
            let component = &self.ast.components[id];
            ports.extend(&component.ports);
            next = match &component.kind {
                ComponentKind::Adapter(adapter) => {
                    match self.defs[self.ast.instances[adapter.instance].component] {
                        Some(Def::Component(wrapped)) => Some(wrapped),
                        _ => None,
                    }
                }
                _ => None,
            };
        }
        ports
    }
    /// The event of an interface that has this name.
    pub(super) fn event_of(&mut self, interface: InterfaceId, used: RefId) -> Option<EventId> {
        if let Some(&event) = self.event_names.get(&(interface, self.ast.refs[used].name)) {
            self.define(used, Def::Event(event));
            return Some(event);
        }
        let names =
            self.interface_events[interface].iter().map(|event| self.ast.text(self.ast.events[*event].ident));
        let near = nearest(self.ast.ref_text(used), names).map(str::to_owned);
        let text = self.ast.ref_text(used).to_owned();
        let guess = near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let message = format!(
            "interface `{}` has no event `{text}`{guess}",
            self.ast.text(self.ast.interfaces[interface].ident)
        );
        let diagnostic = Diagnostic::error(Code::UnknownName, self.ast.refs[used].span, message);
        self.diagnostics.push(diagnostic.about(text).meaning(near.as_deref()));
        None
    }
    /// The interface of a port.
    pub(super) fn interface_of(&self, port: PortId) -> Option<InterfaceId> {
        match self.defs[self.ast.ports[port].interface] {
            Some(Def::Interface(interface)) => Some(interface),
            _ => None,
        }
    }
    /// The port of a component that has this name.
    pub(super) fn port_of(&mut self, component: ComponentId, used: RefId) -> Option<PortId> {
        let wanted = self.ast.refs[used].name;
        let ports = &self.component_ports[component];
        let found = ports.iter().copied().find(|port| self.ast.ports[*port].ident.name == wanted);
        if let Some(port) = found {
            self.define(used, Def::Port(port));
            return Some(port);
        }
        let names = ports.iter().map(|port| self.ast.text(self.ast.ports[*port].ident));
        let near = nearest(self.ast.ref_text(used), names).map(str::to_owned);
        let text = self.ast.ref_text(used).to_owned();
        let guess = near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let owner = self.ast.text(self.ast.components[component].ident);
        let message = format!("component `{owner}` has no port `{text}`{guess}");
        let diagnostic = Diagnostic::error(Code::UnknownName, self.ast.refs[used].span, message);
        self.diagnostics.push(diagnostic.about(text).meaning(near.as_deref()));
        None
    }

    // Bodies.

    fn bodies(&mut self) {
        let ast = self.ast;
        for (package, content) in ast.packages.entries() {
            let mut scope = Scope::of_package(package);
            for item in &content.items {
                match *item {
                    Item::Constant(id) => self.initial(id, &mut scope),
                    Item::Function(id) => self.function(id, &mut scope),
                    Item::Type(_) => {}
                    Item::Interface(id) => {
                        scope.this = Some(id);
                        for &invariant in &ast.interfaces[id].invariants {
                            self.condition(invariant, &mut scope, "an invariant");
                        }
                        scope.this = None;
                    }
                    Item::Component(id) => self.component(id, package),
                }
            }
        }
        if let Some(asked) = &ast.asked {
            let mut scope = Scope::of_package(asked.package);
            self.instance(asked.instance, &mut scope);
            for time in asked.period.iter().flatten() {
                self.expr(time.value, &mut scope);
                self.expect_integer(time.value, "a time");
            }
        }
    }
    /// The initial value of a variable, which fits its type.
    pub(super) fn initial(&mut self, id: VariableId, scope: &mut Scope) {
        let variable = &self.ast.variables[id];
        let ty = self.ty(variable.ty, scope);
        if *self.types.kind(ty) == TyKind::Void {
            let message =
                format!("`{}` cannot be `void`; nothing has that type", self.ast.text(variable.ident));
            self.error(Code::TypeMismatch, self.ast.types[variable.ty].span, message);
        }
        if let Some(initial) = variable.initial {
            self.expr(initial, scope);
            let what = format!("`{}`", self.ast.text(variable.ident));
            self.expect(initial, ty, &what);
        }
    }
    fn component(&mut self, id: ComponentId, package: PackageId) {
        let ast = self.ast;
        let component = &ast.components[id];
        let mut scope = Scope::of_package(package);
        for &param in &component.params {
            // Repeated ones are told about already.
            scope.values.add(ast, ast.params[param].ident, Def::Param(param), &mut Diagnostics::default());
        }
        for &port in &component.ports {
            scope.ports.add(ast, ast.ports[port].ident, Def::Port(port), self.diagnostics);
        }
        for &port in &self.component_ports[id] {
            // Ports of what an adapter wraps may be hidden by its own.
            scope.ports.add(ast, ast.ports[port].ident, Def::Port(port), &mut Diagnostics::default());
        }
        for &port in &component.ports {
            scope.this = self.interface_of(port);
            for &invariant in &ast.ports[port].invariants {
                self.condition(invariant, &mut scope, "an invariant");
            }
        }
        scope.this = None;
        match &component.kind {
            ComponentKind::Statechart(chart) => self.statechart(chart, &mut scope),
            ComponentKind::Composite(composite) => self.composite(composite, &mut scope),
            ComponentKind::Adapter(adapter) => self.adapter(adapter, &mut scope),
        }
    }
    pub(super) fn function(&mut self, id: FunctionId, scope: &mut Scope) {
        let function = &self.ast.functions[id];
        self.signature(id, scope);
        let before = scope.locals.len();
        for &param in function.params.iter().flatten() {
            scope.locals.push((self.ast.params[param].ident.name, Def::Param(param)));
        }
        let result = self.written[function.result].unwrap_or(self.types.unknown);
        match function.body {
            FunctionBody::Lambda(Some(value)) => {
                self.expr(value, scope);
                let what = format!("the result of `{}`", self.ast.text(function.ident));
                self.expect(value, result, &what);
            }
            FunctionBody::Lambda(None) => {}
            FunctionBody::Procedure(body) => self.action(body, scope, Some(result)),
        }
        scope.locals.truncate(before);
    }
}

struct Hierarchy {
    transition_chart: IdVec<TransitionId, ComponentId>,
    node_region: IdVec<NodeId, RegionId>,
    region_parent: IdVec<RegionId, Parent>,
    outgoing: IdVec<NodeId, Vec<TransitionId>>,
    incoming: IdVec<NodeId, Vec<TransitionId>>,
}

/// What is in what, and what leads where.
fn hierarchy(ast: &Ast, defs: &IdVec<RefId, Option<Def>>) -> Hierarchy {
    let nowhere = Parent::Statechart(ComponentId::at(0));
    let mut hierarchy = Hierarchy {
        transition_chart: ast.transitions.ids().map(|_| ComponentId::at(0)).collect(),
        node_region: ast.nodes.ids().map(|_| RegionId::at(0)).collect(),
        region_parent: ast.regions.ids().map(|_| nowhere).collect(),
        outgoing: ast.nodes.ids().map(|_| vec![]).collect(),
        incoming: ast.nodes.ids().map(|_| vec![]).collect(),
    };
    for (id, region) in ast.regions.entries() {
        for &node in &region.nodes {
            hierarchy.node_region[node] = id;
        }
    }
    for (id, node) in ast.nodes.entries() {
        if let NodeKind::State(state) = &node.kind {
            for &region in &state.regions {
                hierarchy.region_parent[region] = Parent::State(id);
            }
        }
    }
    for (id, component) in ast.components.entries() {
        let ComponentKind::Statechart(chart) = &component.kind else { continue };
        for &region in &chart.regions {
            hierarchy.region_parent[region] = Parent::Statechart(id);
        }
        for &transition in &chart.transitions {
            hierarchy.transition_chart[transition] = id;
            let Transition { from, to, .. } = &ast.transitions[transition];
            if let (Some(Def::Node(from)), Some(Def::Node(to))) = (defs[*from], defs[*to]) {
                hierarchy.outgoing[from].push(transition);
                hierarchy.incoming[to].push(transition);
            }
        }
    }
    hierarchy
}
