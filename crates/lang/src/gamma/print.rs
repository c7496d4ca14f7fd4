//! From syntax tree to text, in a normal form.
//!
//! What is printed parses to the same tree: `parse(print(m)) == m`, except that members of components come in the
//! order of the grammar (legacy texts have others), and legacy spellings become today's. Names that are words of the
//! language are escaped by `^`, wherever they stand, so that Gamma accepts them too.

mod chart;
mod expr;

use super::ast::*;

/// A file of a project, as text.
pub fn package(ast: &Ast, id: PackageId) -> String {
    let mut printer = Printer { ast, out: String::new(), indent: 0 };
    printer.package(&ast.packages[id]);
    printer.out
}

/// Words of Gamma's grammars, which a name has to escape.
const RESERVED: &[&str] = &[
    "A",
    "B",
    "E",
    "F",
    "G",
    "R",
    "U",
    "WB",
    "WU",
    "X",
    "accepting",
    "act",
    "adapter",
    "and",
    "any",
    "assert",
    "async",
    "bind",
    "boolean",
    "branch",
    "break",
    "capacity",
    "cascade",
    "case",
    "channel",
    "choice",
    "clock",
    "component",
    "const",
    "cycle",
    "deactivate",
    "decimal",
    "deep",
    "default",
    "delay",
    "discard",
    "div",
    "do",
    "elapse",
    "element",
    "else",
    "elseif",
    "entry",
    "enum",
    "event",
    "execute",
    "exists",
    "exit",
    "extends",
    "false",
    "for",
    "forall",
    "fork",
    "from",
    "function",
    "h",
    "history",
    "if",
    "imply",
    "import",
    "in",
    "incoming",
    "inf",
    "infinity",
    "initial",
    "inout",
    "integer",
    "interface",
    "internal",
    "invariant",
    "join",
    "lambda",
    "merge",
    "mod",
    "ms",
    "no",
    "not",
    "of",
    "off",
    "oldest",
    "operation",
    "or",
    "out",
    "package",
    "parallel",
    "parameter",
    "permissive",
    "persistent",
    "port",
    "priority",
    "procedure",
    "provides",
    "queue",
    "raise",
    "range",
    "rate",
    "rational",
    "record",
    "region",
    "requires",
    "reset",
    "return",
    "run",
    "s",
    "schedule",
    "select",
    "self",
    "sequential",
    "set",
    "shallow",
    "state",
    "statechart",
    "step",
    "strict",
    "switch",
    "sync",
    "this",
    "tie",
    "time",
    "timeout",
    "to",
    "trace",
    "transient",
    "transition",
    "true",
    "type",
    "unordered",
    "var",
    "variable",
    "void",
    "when",
    "xor",
];

/// A name as it is written, escaped if it is a word of the language.
pub(super) fn escaped(name: &str) -> String {
    if RESERVED.contains(&name) { format!("^{name}") } else { name.to_owned() }
}

/// A text under construction.
pub(super) struct Printer<'a> {
    pub(super) ast: &'a Ast,
    pub(super) out: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    pub(super) fn new(ast: &'a Ast) -> Self {
        Printer { ast, out: String::new(), indent: 0 }
    }
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push('\t');
        }
        self.out += text;
        self.out.push('\n');
    }
    /// Lines within braces.
    pub(super) fn braced(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        ir::deep(|| body(self));
        self.indent -= 1;
        self.line("}");
    }
    /// Lines further to the right.
    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        ir::deep(|| body(self));
        self.indent -= 1;
    }
    pub(super) fn ident(&self, ident: Ident) -> String {
        escaped(self.ast.text(ident))
    }
    pub(super) fn used(&self, id: RefId) -> String {
        escaped(self.ast.ref_text(id))
    }
    fn used_list(&self, list: &[RefId]) -> String {
        let list: Vec<String> = list.iter().map(|id| self.used(*id)).collect();
        list.join(", ")
    }
    /// A text in the quotation marks that it does not contain.
    pub(super) fn quoted(text: &str) -> String {
        let plain = text.replace("\\\"", "");
        if plain.contains('"') { format!("'{text}'") } else { format!("\"{text}\"") }
    }

    fn package(&mut self, package: &Package) {
        let name = package.ident.map_or_else(|| "_".to_owned(), |ident| self.ident(ident));
        self.line(&format!("package {name}"));
        for import in &package.imports {
            self.line(&format!("import {}", Self::quoted(&import.path)));
        }
        for item in &package.items {
            self.out.push('\n');
            match *item {
                Item::Constant(id) => {
                    let text = self.variable(id);
                    self.line(&text);
                }
                Item::Function(id) => self.function(id),
                Item::Type(id) => {
                    let decl = &self.ast.type_decls[id];
                    let text = format!("type {} : {}", self.ident(decl.ident), self.ty(decl.ty));
                    self.line(&text);
                }
                Item::Interface(id) => self.interface(id),
                Item::Component(id) => self.component(id),
            }
        }
    }

    // Interfaces and ports.

    fn interface(&mut self, id: InterfaceId) {
        let interface = &self.ast.interfaces[id];
        let mut head = format!("interface {}", self.ident(interface.ident));
        if !interface.extends.is_empty() {
            head += &format!(" extends {}", self.used_list(&interface.extends));
        }
        self.braced(&head, |printer| {
            for &event in &interface.events {
                let text = printer.event(event);
                printer.line(&text);
            }
            printer.invariants(&interface.invariants);
        });
    }
    fn event(&self, id: EventId) -> String {
        let event = &self.ast.events[id];
        let mut text = match event.direction {
            Direction::In => "in ",
            Direction::Out => "out ",
            Direction::InOut => "inout ",
            Direction::Internal => "internal ",
        }
        .to_owned();
        text += match event.persistency {
            Some(Persistency::Persistent) => "persistent ",
            Some(Persistency::Transient) => "transient ",
            None => "",
        };
        text += &format!("event {}", self.ident(event.ident));
        if !event.params.is_empty() {
            text += &self.params(&event.params);
        }
        if let Some(priority) = &event.priority {
            text += &format!(" priority = {priority}");
        }
        text
    }
    fn invariants(&mut self, list: &[ExprId]) {
        for &invariant in list {
            let text = format!("invariant {}", self.expr(invariant));
            self.line(&text);
        }
    }
    pub(super) fn params(&self, params: &[ParamId]) -> String {
        let list: Vec<String> = params.iter().map(|id| self.param(&self.ast.params[*id])).collect();
        format!("({})", list.join(", "))
    }
    pub(super) fn param(&self, param: &Param) -> String {
        format!("{} : {}", self.ident(param.ident), self.ty(param.ty))
    }
    fn ports(&self, ports: &[PortId]) -> String {
        if ports.is_empty() {
            return String::new();
        }
        let inner = "\t".repeat(self.indent + 1);
        let mut text = " [\n".to_owned();
        for (at, id) in ports.iter().enumerate() {
            let port = &self.ast.ports[*id];
            let mode = match port.mode {
                PortMode::Provides => "provides",
                PortMode::Requires => "requires",
            };
            let (name, interface) = (self.ident(port.ident), self.used(port.interface));
            text += &format!("{inner}port {name} : {mode} {interface}");
            if !port.invariants.is_empty() {
                let list: Vec<String> =
                    port.invariants.iter().map(|id| format!("invariant {}", self.expr(*id))).collect();
                text += &format!(" {{ {} }}", list.join(", "));
            }
            text += if at + 1 < ports.len() { ",\n" } else { "\n" };
        }
        text + &"\t".repeat(self.indent) + "]"
    }

    // Types, variables and functions.

    pub(super) fn ty(&self, id: TypeId) -> String {
        ir::deep(|| match &self.ast.types[id].kind {
            TypeKind::Void => "void".to_owned(),
            TypeKind::Boolean => "boolean".to_owned(),
            TypeKind::Integer => "integer".to_owned(),
            TypeKind::Decimal => "decimal".to_owned(),
            TypeKind::Rational => "rational".to_owned(),
            TypeKind::IntegerRange => "integer range".to_owned(),
            TypeKind::Named(used) => self.used(*used),
            TypeKind::Array { size, element } => format!("[{}] {}", self.expr(*size), self.ty(*element)),
            TypeKind::Enum(literals) => {
                let list: Vec<String> = literals.iter().map(|literal| self.ident(*literal)).collect();
                format!("enum {{ {} }}", list.join(", "))
            }
            TypeKind::Record(fields) => {
                let list: Vec<String> = fields.iter().map(|field| self.param(field)).collect();
                format!("record {{ {} }}", list.join(", "))
            }
            TypeKind::Subrange { from, to } => {
                let from = from.map_or("-inf".to_owned(), |from| self.expr(from));
                let to = to.map_or("inf".to_owned(), |to| self.expr(to));
                format!("#[{from} to {to}]")
            }
            TypeKind::Function { params, result } => {
                let list: Vec<String> = params.iter().map(|param| self.ty(*param)).collect();
                format!("function ({}) : {}", list.join(", "), self.ty(*result))
            }
        })
    }
    /// Without a semicolon.
    pub(super) fn variable(&self, id: VariableId) -> String {
        let variable = &self.ast.variables[id];
        let mut text = String::new();
        for annotation in &variable.annotations {
            text += match annotation {
                VariableAnnotation::Transient => "@Transient ",
                VariableAnnotation::Resettable => "@Resettable ",
                VariableAnnotation::Unremovable => "@Unremovable ",
                VariableAnnotation::Injected => "@Injected ",
            };
        }
        text += if variable.constant { "const " } else { "var " };
        text += &format!("{} : {}", self.ident(variable.ident), self.ty(variable.ty));
        if let Some(initial) = variable.initial {
            text += &format!(" := {}", self.expr(initial));
        }
        text
    }
    fn function(&mut self, id: FunctionId) {
        let function = &self.ast.functions[id];
        let word = match function.body {
            FunctionBody::Lambda(_) => "lambda",
            FunctionBody::Procedure(_) => "procedure",
        };
        let params = function.params.as_ref().map_or(String::new(), |params| self.params(params));
        let head = format!("{word} {}{params} : {}", self.ident(function.ident), self.ty(function.result));
        match function.body {
            FunctionBody::Lambda(None) => self.line(&head),
            FunctionBody::Lambda(Some(value)) => {
                let text = format!("{head} := {}", self.expr(value));
                self.line(&text);
            }
            FunctionBody::Procedure(body) => match &self.ast.actions[body].kind {
                ActionKind::Block(list) => self.braced(&head, |printer| printer.actions(list)),
                _ => self.braced(&head, |printer| printer.action(body)),
            },
        }
    }

    // Components.

    fn component(&mut self, id: ComponentId) {
        let component = &self.ast.components[id];
        let params = if component.params.is_empty() { String::new() } else { self.params(&component.params) };
        let ports = self.ports(&component.ports);
        let name = self.ident(component.ident);
        match &component.kind {
            ComponentKind::Statechart(chart) => {
                self.annotations(chart);
                let capacity = chart
                    .capacity
                    .map_or(String::new(), |capacity| format!(" capacity ({})", self.expr(capacity)));
                let head = format!("statechart {name}{capacity}{params}{ports}");
                self.braced(&head, |printer| printer.statechart(chart));
            }
            ComponentKind::Composite(composite) => {
                let head = format!("{} {name}{params}{ports}", composite.kind.word());
                self.braced(&head, |printer| printer.composite(composite));
            }
            ComponentKind::Adapter(adapter) => {
                let instance = self.instance(adapter.instance);
                let head = format!("adapter {name}{params} of {instance}{ports}");
                self.braced(&head, |printer| printer.adapter(adapter));
            }
        }
    }
    pub(super) fn instance(&self, id: InstanceId) -> String {
        let instance = &self.ast.instances[id];
        let arguments = self.arguments(&instance.arguments);
        format!("component {} : {}{arguments}", self.ident(instance.ident), self.used(instance.component))
    }
    /// `(e, e)`, or nothing.
    pub(super) fn arguments(&self, list: &[ExprId]) -> String {
        if list.is_empty() {
            return String::new();
        }
        format!("({})", self.exprs(list))
    }
    fn instance_port(&self, port: InstancePort) -> String {
        format!("{}.{}", self.used(port.instance), self.used(port.port))
    }
    pub(super) fn binding(&self, binding: &Binding) -> String {
        format!("bind {} -> {}", self.used(binding.port), self.instance_port(binding.inner))
    }
    fn composite(&mut self, composite: &Composite) {
        for &instance in &composite.instances {
            let text = self.instance(instance);
            self.line(&text);
        }
        for binding in &composite.bindings {
            let text = self.binding(binding);
            self.line(&text);
        }
        for channel in &composite.channels {
            let required: Vec<String> =
                channel.required.iter().map(|port| self.instance_port(*port)).collect();
            let text =
                format!("channel [{}] -o)- [{}]", self.instance_port(channel.provided), required.join(", "));
            self.line(&text);
        }
        for (word, list) in
            [("initial execute", &composite.initial_execution), ("execute", &composite.execution)]
        {
            if !list.is_empty() {
                let text = format!("{word} {}", self.used_list(list));
                self.line(&text);
            }
        }
    }
    fn adapter(&mut self, adapter: &Adapter) {
        for &clock in &adapter.clocks {
            let Clock { ident, rate } = self.ast.clocks[clock];
            let text = format!("clock {}(rate = {})", self.ident(ident), self.duration(&rate));
            self.line(&text);
        }
        for control in &adapter.controls {
            let trigger = match control.trigger {
                ControlTrigger::Any => "any".to_owned(),
                ControlTrigger::Cycle => "cycle".to_owned(),
                ControlTrigger::Event(event) => self.event_ref(event),
            };
            let function = match control.function {
                ControlFunction::Run => "run",
                ControlFunction::FullStep => "full-step",
                ControlFunction::Reset => "reset",
                ControlFunction::ResetQueue => "reset-queue",
                ControlFunction::ResetQueues => "reset-queues",
                ControlFunction::ResetOtherQueues => "reset-other-queues",
            };
            self.line(&format!("when {trigger} / {function}"));
        }
        for &queue in &adapter.queues {
            let queue = &self.ast.queues[queue];
            let discard = match queue.discard {
                Some(Discard::Incoming) => ", discard = incoming",
                Some(Discard::Oldest) => ", discard = oldest",
                None => "",
            };
            let head = format!(
                "queue {}(priority = {}, capacity = {}{discard})",
                self.ident(queue.ident),
                queue.priority,
                self.expr(queue.capacity)
            );
            self.braced(&head, |printer| {
                let last = queue.events.len().saturating_sub(1);
                for (at, event) in queue.events.iter().enumerate() {
                    let mut text = printer.event_ref(event.event);
                    if let Some(becomes) = event.becomes {
                        text += &format!(" -> {}", printer.event_ref(becomes));
                    }
                    printer.line(&if at < last { text + "," } else { text });
                }
            });
        }
    }
}
