//! Compositions and adapters.

use ir::Span;

use super::{Parse, Parser};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;

impl Parser<'_, '_> {
    pub(super) fn composition(&mut self, start: Span) -> Parse<ComponentId> {
        if self.eat_word("adapter") {
            return self.adapter(start);
        }
        let kind = self.choice(&[
            ("sync", CompositeKind::Sync),
            ("cascade", CompositeKind::Cascade),
            ("async", CompositeKind::Async),
            ("scheduled-async", CompositeKind::ScheduledAsync),
        ])?;
        let ident = self.ident("the name of the component")?;
        let params = if self.token() == Token::LeftParen { self.params()? } else { vec![] };
        let ports = self.ports()?;
        let mut composite = Composite {
            kind,
            instances: vec![],
            bindings: vec![],
            channels: vec![],
            initial_execution: vec![],
            execution: vec![],
        };
        let starts =
            |parser: &Self| matches!(parser.word(), "component" | "bind" | "channel" | "execute" | "initial");
        self.members(starts, |parser| parser.composite_member(&mut composite))?;
        Ok(self.push_component(start, ident, params, ports, ComponentKind::Composite(Box::new(composite))))
    }
    fn composite_member(&mut self, composite: &mut Composite) -> Parse<()> {
        match self.word() {
            "component" => composite.instances.push(self.component_instance()?),
            "bind" => composite.bindings.push(self.binding()?),
            "channel" => composite.channels.push(self.channel()?),
            "initial" | "execute" => {
                let place = self.span();
                let initial = self.eat_word("initial");
                self.expect_word("execute")?;
                let listed = self.list(|parser| parser.reference("an instance"))?;
                if !matches!(composite.kind, CompositeKind::Cascade | CompositeKind::ScheduledAsync) {
                    let message = format!(
                        "`{}` components have no execution list; remove it, or make this `cascade` or \
                         `scheduled-async`",
                        composite.kind.word()
                    );
                    self.report(Diagnostic::error(Code::Misplaced, place, message));
                }
                let list = if initial { &mut composite.initial_execution } else { &mut composite.execution };
                list.extend(listed);
            }
            _ => return self.unexpected("`component`, `bind`, `channel`, `execute` or `}`"),
        }
        Ok(())
    }
    /// `component name : Type(arguments)`
    pub(super) fn component_instance(&mut self) -> Parse<InstanceId> {
        self.expect_word("component")?;
        let ident = self.ident("the name of the instance")?;
        self.expect(Token::Colon)?;
        let component = self.reference("a component")?;
        let arguments = self.arguments()?;
        Ok(self.ast.instances.push(Instance { ident, component, arguments }))
    }
    /// `(e, e)`, or nothing
    pub(in crate::gamma) fn arguments(&mut self) -> Parse<Vec<ExprId>> {
        if !self.eat(Token::LeftParen) {
            return Ok(vec![]);
        }
        self.list_until(Token::RightParen, Self::expr)
    }
    fn instance_port(&mut self) -> Parse<InstancePort> {
        let instance = self.reference("an instance")?;
        self.expect(Token::Dot)?;
        Ok(InstancePort { instance, port: self.reference("a port")? })
    }
    /// `bind port -> instance.port`
    pub(super) fn binding(&mut self) -> Parse<Binding> {
        self.expect_word("bind")?;
        let port = self.reference("a port")?;
        self.expect(Token::Arrow)?;
        Ok(Binding { port, inner: self.instance_port()? })
    }
    fn channel(&mut self) -> Parse<Channel> {
        let start = self.bump();
        self.expect(Token::LeftBracket)?;
        let provided = self.instance_port()?;
        self.expect(Token::RightBracket)?;
        if self.joined(4) != Some("-o)-") {
            return self.unexpected("`-o)-`");
        }
        self.at += 4;
        self.expect(Token::LeftBracket)?;
        let required = self.list(Self::instance_port)?;
        self.expect(Token::RightBracket)?;
        Ok(Channel { provided, required, span: self.from(start) })
    }

    // Adapters.

    fn adapter(&mut self, start: Span) -> Parse<ComponentId> {
        let ident = self.ident("the name of the adapter")?;
        let params = if self.token() == Token::LeftParen { self.params()? } else { vec![] };
        self.expect_word("of")?;
        let instance = self.component_instance()?;
        let ports = self.ports()?;
        let mut adapter = Adapter { instance, clocks: vec![], controls: vec![], queues: vec![] };
        let starts = |parser: &Self| matches!(parser.word(), "clock" | "when" | "queue");
        self.members(starts, |parser| parser.adapter_member(&mut adapter))?;
        Ok(self.push_component(start, ident, params, ports, ComponentKind::Adapter(Box::new(adapter))))
    }
    fn adapter_member(&mut self, adapter: &mut Adapter) -> Parse<()> {
        match self.word() {
            "clock" => {
                self.bump();
                let ident = self.ident("the name of the clock")?;
                self.expect(Token::LeftParen)?;
                self.expect_word("rate")?;
                self.expect(Token::Equals)?;
                let rate = self.duration()?;
                self.expect(Token::RightParen)?;
                adapter.clocks.push(self.ast.clocks.push(Clock { ident, rate }));
            }
            "when" => adapter.controls.push(self.control()?),
            "queue" => adapter.queues.push(self.queue()?),
            _ => return self.unexpected("`clock`, `when`, `queue` or `}`"),
        }
        Ok(())
    }
    fn control(&mut self) -> Parse<Control> {
        let start = self.bump();
        let alone = self.peek(1) == Token::Divide;
        let trigger = match self.word() {
            "any" if alone => ControlTrigger::Any,
            "cycle" if alone => ControlTrigger::Cycle,
            _ => ControlTrigger::Event(self.event_ref("`any`, `cycle` or an event")?),
        };
        if !matches!(trigger, ControlTrigger::Event(_)) {
            self.bump();
        }
        self.expect(Token::Divide)?;
        let function = self.choice(&[
            ("run", ControlFunction::Run),
            ("full-step", ControlFunction::FullStep),
            ("reset", ControlFunction::Reset),
            ("reset-queue", ControlFunction::ResetQueue),
            ("reset-queues", ControlFunction::ResetQueues),
            ("reset-other-queues", ControlFunction::ResetOtherQueues),
        ])?;
        Ok(Control { trigger, function, span: self.from(start) })
    }
    fn queue(&mut self) -> Parse<QueueId> {
        self.bump();
        let ident = self.ident("the name of the queue")?;
        self.expect(Token::LeftParen)?;
        self.expect_word("priority")?;
        self.expect(Token::Equals)?;
        let priority = self.signed_integer()?;
        self.expect(Token::Comma)?;
        self.expect_word("capacity")?;
        self.expect(Token::Equals)?;
        let capacity = self.expr()?;
        let mut discard = None;
        if self.eat(Token::Comma) {
            self.expect_word("discard")?;
            self.expect(Token::Equals)?;
            discard = Some(self.choice(&[("incoming", Discard::Incoming), ("oldest", Discard::Oldest)])?);
        }
        self.expect(Token::RightParen)?;
        self.expect(Token::LeftBrace)?;
        let events = self.list(|parser| {
            let event = parser.event_ref("an event")?;
            let becomes = if parser.eat(Token::Arrow) { Some(parser.event_ref("an event")?) } else { None };
            Ok(QueuedEvent { event, becomes })
        })?;
        self.expect(Token::RightBrace)?;
        Ok(self.ast.queues.push(Queue { ident, priority, capacity, discard, events }))
    }
}
