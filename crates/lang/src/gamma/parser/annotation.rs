//! What is written before statecharts and states.

use super::{Parse, Parser};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::gamma::ast::*;
use crate::gamma::lexer::Token;
use crate::nearest::nearest;

/// What can be written before a statechart.
const OF_STATECHARTS: &[&str] = &[
    "RegionSchedule",
    "OrthogonalRegionSchedule",
    "TransitionPriority",
    "PrioritizedTransitions",
    "GuardEvaluation",
    "RunUponExternalEvent",
    "RunUponExternalEventAnnotation",
    "RunUponExternalEventOrInternalTimeout",
    "RunUponExternalEventOrInternalTimeoutAnnotation",
    "WrapperComponent",
    "Asynchronous",
    "AdaptiveContractStatechart",
    "ScenarioContractStatechart",
    "ScenarioAllowedWait",
    "ScenarioAllowedWaitAnnotation",
    "HasInitialOutputsBlock",
    "NegativeContractStatechart",
    "PhaseStatechart",
];

/// What can be written before a state.
const OF_STATES: &[&str] = &["SpecialState", "SpecialStateAnnotation", "StatechartContract", "Phase"];

const HISTORIES: &[(&str, History)] = &[
    ("no-history", History::None),
    ("history", History::Any),
    ("shallow", History::Shallow),
    ("deep", History::Deep),
];

impl Parser<'_, '_> {
    /// What is written before a statechart, and whether `@Asynchronous` is.
    pub(super) fn annotations(&mut self) -> Parse<(Annotations, bool)> {
        let (mut all, mut asynchronous) = (Annotations::default(), false);
        while self.token() == Token::At {
            self.bump();
            let place = self.span();
            let word = self.word();
            if word == "Asynchronous" {
                self.bump();
                asynchronous = true;
                continue;
            }
            let repeated = self.annotation(&mut all)?;
            if repeated {
                let message = format!("`@{word}` is written twice; keep one of them");
                self.report(Diagnostic::error(Code::RepeatedPart, place, message));
            }
        }
        Ok((all, asynchronous))
    }
    /// One of them; whether it was there before.
    fn annotation(&mut self, all: &mut Annotations) -> Parse<bool> {
        let word = self.word();
        if !OF_STATECHARTS.contains(&word) {
            return self.unknown_annotation("a statechart", OF_STATECHARTS);
        }
        self.bump();
        Ok(match word {
            "RegionSchedule" => {
                let value = self.value(&[
                    ("top-down", RegionSchedule::TopDown),
                    ("bottom-up", RegionSchedule::BottomUp),
                ])?;
                all.region_schedule.replace(value).is_some()
            }
            "OrthogonalRegionSchedule" => {
                let value = self.value(&[
                    ("sequential", OrthogonalSchedule::Sequential),
                    ("unordered", OrthogonalSchedule::Unordered),
                    ("parallel", OrthogonalSchedule::Parallel),
                ])?;
                all.orthogonal_schedule.replace(value).is_some()
            }
            "TransitionPriority" | "PrioritizedTransitions" => {
                let value = self.value(&[
                    ("off", TransitionPriority::Off),
                    ("order-based", TransitionPriority::OrderBased),
                    ("value-based", TransitionPriority::ValueBased),
                ])?;
                all.transition_priority.replace(value).is_some()
            }
            "GuardEvaluation" => {
                let value = self.value(&[
                    ("on-the-fly", GuardEvaluation::OnTheFly),
                    ("beginning-of-step", GuardEvaluation::BeginningOfStep),
                ])?;
                all.guard_evaluation.replace(value).is_some()
            }
            "RunUponExternalEvent" | "RunUponExternalEventAnnotation" => {
                all.run_upon.replace(RunUpon::ExternalEvent).is_some()
            }
            "RunUponExternalEventOrInternalTimeout" | "RunUponExternalEventOrInternalTimeoutAnnotation" => {
                all.run_upon.replace(RunUpon::ExternalEventOrInternalTimeout).is_some()
            }
            "WrapperComponent" => std::mem::replace(&mut all.wrapper, true),
            _ => {
                let contract = self.contract(word)?;
                all.contracts.push(contract);
                false
            }
        })
    }
    fn value<T: Copy>(&mut self, options: &[(&str, T)]) -> Parse<T> {
        self.expect(Token::Equals)?;
        self.choice(options)
    }
    fn contract(&mut self, word: &str) -> Parse<ContractAnnotation> {
        Ok(match word {
            "HasInitialOutputsBlock" => ContractAnnotation::HasInitialOutputs,
            "NegativeContractStatechart" => ContractAnnotation::Negative,
            "PhaseStatechart" => ContractAnnotation::Phase,
            "AdaptiveContractStatechart" => {
                self.expect(Token::Equals)?;
                ContractAnnotation::Adaptive(self.reference("a component")?)
            }
            "ScenarioContractStatechart" => {
                self.expect(Token::Equals)?;
                let component = self.reference("a component")?;
                let mut mode = None;
                if self.eat(Token::LeftParen) {
                    mode = Some(self.choice(&[
                        ("strict", ContractMode::Strict),
                        ("permissive", ContractMode::Permissive),
                    ])?);
                    self.expect(Token::RightParen)?;
                }
                ContractAnnotation::Scenario { component, mode }
            }
            _ => {
                self.expect(Token::Equals)?;
                let from = self.expr()?;
                self.expect(Token::Dots)?;
                ContractAnnotation::AllowedWait(from, self.expr()?)
            }
        })
    }
    /// What is written before a state, behind the `@`.
    pub(super) fn state_annotation(&mut self) -> Parse<StateAnnotation> {
        let word = self.word();
        if !OF_STATES.contains(&word) {
            return self.unknown_annotation("a state", OF_STATES);
        }
        self.bump();
        Ok(match word {
            "StatechartContract" => {
                let watched = match self.word() {
                    "self" => Some(Watched::Itself),
                    "component" => Some(Watched::Component),
                    _ => None,
                };
                if watched.is_some() {
                    self.bump();
                }
                let history = self.history();
                self.expect(Token::Equals)?;
                let contracts = self.list(|parser| {
                    let statechart = parser.reference("a statechart")?;
                    let arguments = parser.arguments()?;
                    Ok(StateContract { statechart, arguments })
                })?;
                StateAnnotation::Contract { watched, history, contracts }
            }
            "Phase" => {
                self.expect(Token::Equals)?;
                self.expect(Token::LeftBracket)?;
                let mut phases = vec![];
                while !self.eat(Token::RightBracket) {
                    phases.push(self.phase()?);
                    self.eat(Token::Comma);
                }
                StateAnnotation::Phase(phases)
            }
            _ => {
                self.expect_word("accepting")?;
                StateAnnotation::Accepting
            }
        })
    }
    fn history(&mut self) -> Option<History> {
        let words: Vec<&str> = HISTORIES.iter().map(|(word, _)| *word).collect();
        let found = self.eat_one_of(&words)?;
        HISTORIES.iter().find(|(word, _)| *word == found).map(|(_, history)| *history)
    }
    fn phase(&mut self) -> Parse<Phase> {
        let history = self.history();
        let instance = self.component_instance()?;
        self.expect(Token::LeftBrace)?;
        let (mut bindings, mut ties) = (vec![], vec![]);
        while !self.eat(Token::RightBrace) {
            if self.eat_word("tie") {
                let variable = self.reference("a variable")?;
                self.expect(Token::Arrow)?;
                let instance = self.reference("an instance")?;
                self.expect(Token::Dot)?;
                ties.push(Tie { variable, instance, inner: self.reference("a variable")? });
            } else {
                bindings.push(self.binding()?);
            }
        }
        Ok(Phase { history, instance, bindings, ties })
    }
    fn unknown_annotation<T>(&mut self, of: &str, known: &[&str]) -> Parse<T> {
        let word = self.word();
        if word.is_empty() {
            return self.unexpected("the name of an annotation");
        }
        let near = nearest(word, known.iter().copied());
        let guess = near.map_or(String::new(), |near| format!("; did you mean `@{near}`?"));
        let message = format!("there is no annotation `@{word}` of {of}{guess}");
        self.fail(Diagnostic::error(Code::UnknownName, self.span(), message).about(word).meaning(near))
    }
}
