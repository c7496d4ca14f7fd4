//! Statecharts: regions, nodes, transitions and triggers.

use ir::Span;

use super::{Parse, Parser};
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;

impl Parser<'_, '_> {
    pub(super) fn statechart(
        &mut self,
        start: Span,
        annotations: Annotations,
        asynchronous: bool,
    ) -> Parse<ComponentId> {
        self.expect_word("statechart")?;
        let ident = self.ident("the name of the statechart")?;
        let mut chart = Statechart { annotations, asynchronous, ..Statechart::default() };
        if self.is_word("capacity") && self.peek(1) == Token::LeftParen {
            self.bump();
            self.bump();
            chart.capacity = Some(self.expr()?);
            self.expect(Token::RightParen)?;
        }
        let params = if self.token() == Token::LeftParen { self.params()? } else { vec![] };
        let ports = self.ports()?;
        self.members(Self::starts_chart_member, |parser| parser.chart_member(&mut chart))?;
        Ok(self.push_component(start, ident, params, ports, ComponentKind::Statechart(Box::new(chart))))
    }
    fn starts_chart_member(&self) -> bool {
        match self.word() {
            "transition" => self.word_at(1) == "from" || self.peek(1) == Token::LeftParen,
            "var" | "const" | "timeout" | "region" | "procedure" | "lambda" => self.peek(1) == Token::Word,
            "invariant" => true,
            _ => self.token() == Token::At,
        }
    }
    fn chart_member(&mut self, chart: &mut Statechart) -> Parse<()> {
        match self.word() {
            "var" => chart.variables.push(self.variable()?),
            "timeout" => {
                self.bump();
                let ident = self.ident("the name of the timeout")?;
                chart.timeouts.push(self.ast.timeouts.push(Timeout { ident }));
            }
            "invariant" => {
                self.bump();
                chart.invariants.push(self.expr()?);
            }
            "region" => chart.regions.push(self.region()?),
            "transition" => chart.transitions.push(self.transition()?),
            "procedure" | "lambda" => chart.functions.push(self.function()?),
            _ if self.token() == Token::At && self.peek(1) == Token::LeftParen => {
                chart.transitions.push(self.transition()?);
            }
            _ if self.token() == Token::At => chart.variables.push(self.variable()?),
            _ => {
                return self.unexpected(
                    "`var`, `timeout`, `invariant`, `region`, `transition`, `procedure`, `lambda` or `}`",
                );
            }
        }
        Ok(())
    }

    // Regions and nodes.

    fn region(&mut self) -> Parse<RegionId> {
        self.bump();
        let ident = self.ident("the name of the region")?;
        let mut nodes = vec![];
        self.nested(|parser| {
            parser.members(Self::starts_node, |parser| {
                nodes.push(parser.node()?);
                Ok(())
            })
        })?;
        Ok(self.ast.regions.push(Region { ident, nodes }))
    }
    fn starts_node(&self) -> bool {
        match self.word() {
            "initial" | "choice" | "merge" | "fork" | "join" | "state" => self.peek(1) == Token::Word,
            "shallow" | "deep" => self.word_at(1) == "history",
            _ => self.token() == Token::At,
        }
    }
    fn node(&mut self) -> Parse<NodeId> {
        let simple = match self.word() {
            "initial" => Some(NodeKind::Initial),
            "shallow" => Some(NodeKind::ShallowHistory),
            "deep" => Some(NodeKind::DeepHistory),
            "choice" => Some(NodeKind::Choice),
            "merge" => Some(NodeKind::Merge),
            "fork" => Some(NodeKind::Fork),
            "join" => Some(NodeKind::Join),
            _ => None,
        };
        if let Some(kind) = simple {
            self.bump();
            if matches!(kind, NodeKind::ShallowHistory | NodeKind::DeepHistory) {
                self.expect_word("history")?;
            }
            let ident = self.ident("the name of the node")?;
            return Ok(self.ast.nodes.push(Node { ident, kind }));
        }
        let mut state = State::default();
        while self.eat(Token::At) {
            state.annotations.push(self.state_annotation()?);
        }
        if !self.is_word("state") {
            return self
                .unexpected("a node, such as `state`, `initial` or `choice`, or the `}` of the region");
        }
        self.bump();
        let ident = self.ident("the name of the state")?;
        if self.token() == Token::LeftBrace {
            let starts = |parser: &Self| match parser.word() {
                "entry" | "exit" => parser.peek(1) == Token::Divide,
                "region" => parser.peek(1) == Token::Word,
                word => word == "invariant",
            };
            self.members(starts, |parser| parser.state_member(&mut state))?;
        }
        Ok(self.ast.nodes.push(Node { ident, kind: NodeKind::State(Box::new(state)) }))
    }
    fn state_member(&mut self, state: &mut State) -> Parse<()> {
        match self.word() {
            "invariant" => {
                self.bump();
                state.invariants.push(self.expr()?);
            }
            "region" => state.regions.push(self.region()?),
            word @ ("entry" | "exit") => {
                self.bump();
                self.expect(Token::Divide)?;
                let list = if word == "entry" { &mut state.entry } else { &mut state.exit };
                self.actions(list)?;
            }
            _ => return self.unexpected("`invariant`, `entry /`, `exit /`, `region` or `}`"),
        }
        Ok(())
    }

    // Transitions.

    fn transition(&mut self) -> Parse<TransitionId> {
        let mut ids = vec![];
        while self.eat(Token::At) {
            self.expect(Token::LeftParen)?;
            ids.push(self.ident("the name of the transition")?);
            self.expect(Token::RightParen)?;
        }
        let start = self.span();
        self.expect_word("transition")?;
        let mut priority = None;
        if self.eat(Token::LeftParen) {
            priority = Some(self.signed_integer()?);
            self.expect(Token::RightParen)?;
        }
        self.expect_word("from")?;
        let from = self.reference("the node that it leaves")?;
        self.expect_word("to")?;
        let to = self.reference("the node that it leads to")?;
        let trigger = if self.eat_word("when") { Some(self.trigger()?) } else { None };
        let mut guard = None;
        if self.eat(Token::LeftBracket) {
            guard = Some(self.expr()?);
            self.expect(Token::RightBracket)?;
        }
        let span = self.from(start);
        let mut effects = vec![];
        if self.eat(Token::Divide) {
            self.actions(&mut effects)?;
        }
        let transition = Transition { ids, priority, from, to, trigger, guard, effects, span };
        Ok(self.ast.transitions.push(transition))
    }

    // Triggers.

    fn trigger(&mut self) -> Parse<TriggerId> {
        let start = self.span();
        let alone = self.peek(1) != Token::Dot;
        match self.word() {
            "cycle" if alone => {
                self.bump();
                Ok(self.push_trigger(start, TriggerKind::Cycle))
            }
            "any" if alone => {
                self.bump();
                Ok(self.push_trigger(start, TriggerKind::Any))
            }
            _ => self.trigger_chain(TriggerOp::Equal),
        }
    }
    fn push_trigger(&mut self, start: Span, kind: TriggerKind) -> TriggerId {
        let span = self.from(start);
        self.ast.triggers.push(Trigger { kind, span })
    }
    fn trigger_chain(&mut self, op: TriggerOp) -> Parse<TriggerId> {
        let start = self.span();
        let tighter = match op {
            TriggerOp::Equal => Some(TriggerOp::Imply),
            TriggerOp::Imply => Some(TriggerOp::Or),
            TriggerOp::Or => Some(TriggerOp::Xor),
            TriggerOp::Xor => Some(TriggerOp::And),
            TriggerOp::And => None,
        };
        let operand = |parser: &mut Self| match tighter {
            Some(tighter) => parser.trigger_chain(tighter),
            None => parser.trigger_operand(),
        };
        let first = operand(self)?;
        let mut operands = vec![first];
        while self.eat_trigger_op(op) {
            operands.push(operand(self)?);
        }
        if operands.len() == 1 {
            return Ok(first);
        }
        Ok(self.push_trigger(start, TriggerKind::Chain(op, operands)))
    }
    fn eat_trigger_op(&mut self, op: TriggerOp) -> bool {
        match op {
            TriggerOp::And => self.eat(Token::And),
            TriggerOp::Or => self.eat(Token::Or),
            TriggerOp::Imply => self.eat(Token::Arrow),
            TriggerOp::Equal => self.eat(Token::Equal),
            TriggerOp::Xor => self.eat(Token::Caret) || self.split_escape(),
        }
    }
    /// In `a ^b` the mark is an operator, as two names cannot follow each other.
    fn split_escape(&mut self) -> bool {
        let span = self.span();
        let escaped = self.token() == Token::Word && self.text(span).starts_with('^');
        if escaped {
            self.tokens[self.at].1.start += 1;
        }
        escaped
    }
    fn trigger_operand(&mut self) -> Parse<TriggerId> {
        let start = self.span();
        match self.token() {
            Token::Not => {
                self.bump();
                let inner = self.nested(Self::trigger_operand)?;
                Ok(self.push_trigger(start, TriggerKind::Not(inner)))
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.nested(|parser| parser.trigger_chain(TriggerOp::Equal))?;
                self.expect(Token::RightParen)?;
                Ok(inner)
            }
            Token::String => {
                let (text, _) = self.string()?;
                let text = self.ast.names.intern(text);
                Ok(self.push_trigger(start, TriggerKind::Opaque(text)))
            }
            _ => {
                let event = self.event_ref("an event, such as `port.event` or `timeout t`")?;
                Ok(self.push_trigger(start, TriggerKind::Event(event)))
            }
        }
    }
    /// `timeout t`, `port.any`, `port.event` or the name of a clock
    pub(super) fn event_ref(&mut self, what: &str) -> Parse<EventRefId> {
        let start = self.span();
        let kind = if self.is_word("timeout") && self.peek(1) == Token::Word {
            self.bump();
            EventRefKind::Timeout(self.reference("a timeout")?)
        } else {
            let first = self.reference(what)?;
            if !self.eat(Token::Dot) {
                EventRefKind::Clock(first)
            } else if self.eat_word("any") {
                EventRefKind::PortAny(first)
            } else {
                EventRefKind::PortEvent(first, self.reference("an event")?)
            }
        };
        let span = self.from(start);
        Ok(self.ast.event_refs.push(EventRef { kind, span }))
    }
}
