//! Values that are not computed: floating-point numbers, hybrid clocks, what libraries give.
//!
//! Models for statistics carry them along, and symbolic questions need not depend on them. So an expression
//! over them is opaque, and so is every variable that holds one: it is checked for names and types, and its
//! value is nobody's business. Where something that decides a step or a query needs a value after all, that
//! place is refused, with what the value comes from. Nothing is guessed: what is left of the model is exactly
//! the part that does not read them.
//!
//! The same holds for a clock that runs at another speed than 0 or 1 (`x' == 2`): it stays among the clocks, and must
//! not be read by any guard, invariant, query or other clock. Setting it, to whatever, tells nobody anything.

use indexmap::IndexMap;
use ir::{ProcessId, Span, Term, VarId};
use rustc_hash::FxBuildHasher;

use crate::code::Code as Cause;
use crate::diagnostic::Diagnostic;
use crate::xta::ast::*;
use crate::xta::elaborate::Elaborator;
use crate::xta::expr::{Operand, Val};
use crate::xta::types::*;

/// Why a value is not computed.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Opaque {
    /// It is a floating-point number.
    Double,
    /// It is a text.
    Text,
    /// It is the value of a hybrid clock.
    Hybrid,
    /// It is the value of a clock that starts at a floating-point number.
    Start,
    /// `before_update` or `after_update` sets it.
    AroundUpdates,
    /// A function of a library gives it.
    External(Name),
    /// A predefined function gives it.
    Predefined(&'static str),
    /// A predefined function draws it.
    Random(&'static str),
}

impl Opaque {
    fn cause(self) -> Cause {
        match self {
            Opaque::Random(_) => Cause::UnsupportedProbability,
            Opaque::Double | Opaque::Text | Opaque::Predefined(_) => Cause::UnsupportedType,
            Opaque::Hybrid => Cause::UnsupportedClockRate,
            Opaque::Start => Cause::UnsupportedType,
            Opaque::AroundUpdates => Cause::UnsupportedStatement,
            Opaque::External(_) => Cause::UnsupportedExternalFunction,
        }
    }
    /// What the user calls it.
    pub(crate) fn show(self) -> &'static str {
        match self {
            Opaque::Double | Opaque::Predefined(_) | Opaque::Random(_) => "a floating-point number",
            Opaque::Text => "a text",
            Opaque::Hybrid => "a hybrid clock",
            Opaque::Start => "a clock that starts at a floating-point number",
            Opaque::AroundUpdates => "set by `before_update` or `after_update`",
            Opaque::External(_) => "the result of an external function",
        }
    }
}

/// The clocks whose rate is not told to be 0 or 1, each with the first place that says so.
pub(crate) type Rates = IndexMap<VarId, Span, FxBuildHasher>;

impl Elaborator {
    /// Refuses a place where something depends on a value that is not computed.
    pub(crate) fn depends_on<T>(&mut self, value: Opaque, span: Span) -> Option<T> {
        let what = match value {
            Opaque::Double => "a floating-point number (`double`)".to_owned(),
            Opaque::Text => "a text (`string`)".to_owned(),
            Opaque::Hybrid | Opaque::Start => value.show().to_owned(),
            Opaque::AroundUpdates => "what `before_update` or `after_update` sets".to_owned(),
            Opaque::External(name) => format!("the external function `{}`", self.text(name)),
            Opaque::Predefined(name) | Opaque::Random(name) => format!("the function `{name}`"),
        };
        self.fail(value.cause(), span, format!("this depends on {what}, which is not supported"))
    }
    /// The value of an initialiser, an argument or a result that is not computed; it must have one all the same.
    pub(crate) fn as_opaque(&mut self, operand: Operand, span: Span) -> Option<Operand> {
        match operand.val {
            Val::Int(_) | Val::Bool(..) | Val::Clock(_) | Val::Opaque(_) => Some(operand),
            Val::Place(place) => {
                let message = format!("this is {}, not a number", place.ty.show());
                self.fail(Cause::TypeMismatch, span, message)
            }
            Val::Void => self.fail(Cause::TypeMismatch, span, "this call gives no value"),
        }
    }
    /// `x' == e` in an invariant, where a condition holds: true, and taken down where it says that a clock does not run
    /// like others.
    pub(crate) fn rate(&mut self, clock: ExprId, speed: ExprId, counts: Term, span: Span) -> Option<Operand> {
        let operand = self.operand(clock)?;
        let yes = self.system.terms.bool(true);
        if matches!(&operand.val, Val::Place(place)
            if matches!(place.ty, Ty::Opaque(why) if !matches!(why, Opaque::Double | Opaque::Text)))
        {
            // Nobody learns how fast it runs, which may depend on other clocks.
            let ast = self.ast.clone();
            self.names_of_expr(&ast, speed);
            return Some(Operand::new(Val::Bool(yes, crate::xta::expr::Class::Data), operand.faults));
        }
        let speed_span = self.ast.exprs[speed].span;
        self.in_rate = true;
        let value = self.value(speed);
        self.in_rate = false;
        let value = self.as_opaque(value?, speed_span)?;
        let speed = self.stands_still(&value.val);
        let mut faults = operand.faults;
        crate::xta::expr::then(&mut self.system.terms, &mut faults, None, value.faults);
        match &operand.val {
            Val::Place(place) if place.ty == Ty::Clock => {
                for (when, clock) in self.clocks_at(place, span)? {
                    let known = speed.is_some_and(|(still, doubtful)| {
                        if let Some(speed) = doubtful {
                            self.stopwatches.doubtful.push((clock, speed, span));
                        }
                        let given = self.system.terms.and([counts, when]);
                        self.stop_clock(clock, given, still)
                    });
                    if !known {
                        self.rates.entry(clock).or_insert(span);
                    }
                }
            }
            _ => {
                let span = self.ast.exprs[clock].span;
                return self.fail(Cause::TypeMismatch, span, "only clocks have a rate");
            }
        }
        Some(Operand::new(Val::Bool(yes, crate::xta::expr::Class::Data), faults))
    }
    /// Refuses clocks with a rate that a guard or an invariant reads, and hides the others.
    pub(crate) fn check_rates(&mut self) {
        if self.rates.is_empty() {
            return;
        }
        for (process, term, span) in self.read_by_processes() {
            self.reads_rate(Some(process), term, span);
        }
        for clock in self.rates.keys() {
            self.system.vars[*clock].shown = false;
        }
    }
    /// What guards, invariants and updates read, with the process and the place of each.
    pub(crate) fn read_by_processes(&self) -> Vec<(ProcessId, Term, Span)> {
        let mut read = vec![];
        for ((id, process), info) in self.system.processes.entries().zip(&self.processes) {
            let template = &self.ast.templates[info.template];
            for (location, written) in process.locations.iter().zip(&template.locations) {
                read.push((id, location.invariant, written.ident.span));
            }
            for edge in process.edges.iter() {
                read.push((id, edge.guard, edge.span));
                self.system.terms.for_each_substmt(edge.update.stmt, |part| {
                    // A clock that nobody may read tells nobody what it is set to.
                    if let ir::StmtNode::Assign(var, value) = self.system.terms.stmt(part)
                        && !self.rates.contains_key(var)
                    {
                        read.push((id, *value, edge.span));
                    }
                });
            }
        }
        read
    }
    /// Refuses a condition, of a process or of a query, that reads a clock with a rate.
    pub(crate) fn reads_rate(&mut self, process: Option<ProcessId>, term: Term, span: Span) {
        if self.rates.is_empty() {
            return;
        }
        for var in self.system.terms.vars_of(term) {
            let Some(place) = self.rates.get(&var).copied() else { continue };
            let name = &self.system.vars[var].name;
            let message = format!(
                "this reads the clock `{name}`, whose rate is not known to be 0 or 1, or given by several; that is not supported"
            );
            let mut diagnostic = Diagnostic::error(Cause::UnsupportedClockRate, span, message);
            if !self.in_query {
                diagnostic = diagnostic.note(place, "its rate is given here");
            }
            self.report_about(process, diagnostic);
        }
    }
}
