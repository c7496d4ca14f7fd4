//! Operators: comparisons, logic, conditionals and quantifiers.
//!
//! `&&`, `||`, `imply` and `?:` evaluate only what decides; what their earlier operands say is known
//! while a later one is evaluated, so that `i > 0 && a[i - 1]` needs no further check.

use ir::{Checked, Faults, Node, Span, Term, Terms, Type, Value as Constant};

use crate::code::Code as Cause;
use crate::xta::ast::*;
use crate::xta::code::Code;
use crate::xta::elaborate::{Elaborator, WIDEST};
use crate::xta::expr::{Class, Operand, Val, then};
use crate::xta::scope::Symbol;
use crate::xta::types::*;

/// How many values data may have that a difference of clocks is compared with.
const MOST_DIFFERENCES: u64 = 1000;

impl Elaborator {
    pub(crate) fn chain(&mut self, first: ExprId, rest: &[(Binary, ExprId)], span: Span) -> Option<Operand> {
        if matches!(rest[0].0, Binary::And | Binary::Or | Binary::Imply | Binary::Xor) {
            return self.logic(first, rest);
        }
        let later: Vec<ExprId> = rest.iter().map(|(_, expr)| *expr).collect();
        let disturbed = self.disturbed_by(&later);
        let Some(mut left) = self.operand(first) else { return self.all_wrong(&later) };
        if disturbed {
            left = self.keep(left, span)?;
        } else if rest.len() > 1 && rest.iter().all(|(op, _)| matches!(op, Binary::Add | Binary::Sub)) {
            return self.sum(left, first, rest);
        }
        let mut left_span = self.ast.exprs[first].span;
        for (at, (op, expr)) in rest.iter().enumerate() {
            let Some(mut right) = self.operand(*expr) else { return self.all_wrong(&later[at + 1..]) };
            let right_span = self.ast.exprs[*expr].span;
            if disturbed && self.disturbed_by(&later[at + 1..]) {
                right = self.keep(right, span)?;
            }
            let Some(result) = self.binary(*op, left, left_span, right, right_span) else {
                return self.all_wrong(&later[at + 1..]);
            };
            left = result;
            left_span = left_span.to(right_span);
        }
        Some(left)
    }
    /// Looks at what follows something wrong only to tell what else is.
    pub(crate) fn all_wrong<T>(&mut self, rest: &[ExprId]) -> Option<T> {
        for expr in rest {
            self.value(*expr);
        }
        None
    }
    /// A long sum, built at once.
    fn sum(&mut self, left: Operand, first: ExprId, rest: &[(Binary, ExprId)]) -> Option<Operand> {
        let mut span = self.ast.exprs[first].span;
        let mut left = self.read(left, span)?;
        let mut parts: Vec<Checked> = vec![];
        for (at, (op, expr)) in rest.iter().enumerate() {
            let Some(right) = self.value(*expr) else {
                let later: Vec<ExprId> = rest[at + 1..].iter().map(|(_, expr)| *expr).collect();
                return self.all_wrong(&later);
            };
            let right_span = self.ast.exprs[*expr].span;
            if [&left, &right].iter().any(|side| matches!(side.val, Val::Clock(_) | Val::Opaque(_))) {
                if !parts.is_empty() {
                    left = Operand::int(self.total(std::mem::take(&mut parts)));
                }
                left = self.binary(*op, left, span, right, right_span)?;
            } else {
                if parts.is_empty() {
                    parts.push(self.as_int(left.clone(), span)?);
                }
                let mut right = self.as_int(right, right_span)?;
                if *op == Binary::Sub {
                    right.term = self.system.terms.neg(right.term);
                }
                parts.push(right);
            }
            span = span.to(right_span);
        }
        if parts.is_empty() {
            return Some(left);
        }
        Some(Operand::int(self.total(parts)))
    }
    /// One operation on values.
    pub(crate) fn binary(
        &mut self,
        op: Binary,
        left: Operand,
        left_span: Span,
        right: Operand,
        right_span: Span,
    ) -> Option<Operand> {
        let left = self.read(left, left_span)?;
        let right = self.read(right, right_span)?;
        let span = left_span.to(right_span);
        if let (Val::Opaque(why), _) | (_, Val::Opaque(why)) = (&left.val, &right.val) {
            let why = *why;
            let (left, right) = (self.as_opaque(left, left_span)?, self.as_opaque(right, right_span)?);
            let faults = strict(&mut self.system.terms, [left.faults, right.faults]);
            return Some(Operand::new(Val::Opaque(why), faults));
        }
        match op {
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                self.compare(op, left, left_span, right, right_span)
            }
            Binary::Add | Binary::Sub
                if matches!(left.val, Val::Clock(_)) || matches!(right.val, Val::Clock(_)) =>
            {
                let (left, right) = (self.as_ways(left, left_span)?, self.as_ways(right, right_span)?);
                let terms = &mut self.system.terms;
                let faults = strict(terms, [left.1, right.1]);
                let ways = pairs(terms, &left.0, &right.0, |terms, a, b| {
                    if op == Binary::Add { terms.add([a, b]) } else { terms.sub(a, b) }
                });
                if ways.len() as u64 > WIDEST {
                    return self.fail(Cause::TooLarge, span, "too many clocks may be meant here");
                }
                Some(Operand::new(Val::Clock(ways), faults))
            }
            _ => {
                let both_bool = matches!((&left.val, &right.val), (Val::Bool(..), Val::Bool(..)));
                let left = self.as_int(left, left_span)?;
                let right = self.as_int(right, right_span)?;
                let result = self.arithmetic(op, left, right, right_span)?;
                // `&`, `|` and `^` of booleans are booleans.
                if both_bool && matches!(op, Binary::BitAnd | Binary::BitOr | Binary::BitXor) {
                    return self.as_truth(Operand::int(result), span).map(|(value, _)| Operand::bool(value));
                }
                Some(Operand::int(result))
            }
        }
    }
    /// A clock expression or an integer, as the ways it may be meant.
    fn as_ways(&mut self, operand: Operand, span: Span) -> Option<(Vec<(Term, Term)>, Faults)> {
        if let Val::Clock(ways) = operand.val {
            return Some((ways, operand.faults));
        }
        let value = self.as_int(operand, span)?;
        let always = self.system.terms.bool(true);
        let bound = self.within_range(value.term);
        Some((vec![(always, bound)], value.faults))
    }
    /// Differences of clocks are compared with constants: data that they are compared with stands for each
    /// of its values.
    fn known_difference(
        &mut self,
        ways: &mut Vec<(Term, Term)>,
        other: &[(Term, Term)],
        span: Span,
    ) -> Option<()> {
        let terms = &mut self.system.terms;
        let clocks = |terms: &Terms, term: Term| {
            terms.vars_of(term).iter().filter(|var| terms.var_type(**var) == Type::Clock).count()
        };
        let [(when, value)] = ways[..] else { return Some(()) };
        let open = clocks(terms, value) == 0 && terms.as_const(value).is_none();
        if !open || !other.iter().any(|(_, term)| clocks(terms, *term) > 1) {
            return Some(());
        }
        let range = self.context.of(terms, &self.declared, value);
        let (low, high) = range.words();
        if count((low, high)) > MOST_DIFFERENCES {
            let message = format!(
                "a difference of clocks is compared with data that may have more than {MOST_DIFFERENCES} values; \
                 give its variables narrower ranges"
            );
            return self.fail(Cause::TooLarge, span, message);
        }
        *ways = (low..=high)
            .map(|at| {
                let at = terms.int(at);
                let here = terms.eq(value, at);
                (terms.and([when, here]), at)
            })
            .collect();
        Some(())
    }
    /// The same value, written so that its range shows: entries of arrays have the range of their type,
    /// which no variable of the system tells, and clock bounds need a greatest value.
    fn within_range(&mut self, term: Term) -> Term {
        let declared = &self.declared;
        self.system.terms.rewrite(term, &mut |terms, part| {
            let Node::Read(mut array, _) = *terms.node(part) else { return None };
            while let Node::Read(outer, _) = *terms.node(array) {
                array = outer;
            }
            let Node::Var(var, 0) = *terms.node(array) else { return None };
            let (low, high) = declared.of(var)?.words();
            let size = high.checked_sub(low)?.checked_add(1)?;
            let (first, size) = (terms.int(low), terms.int(size));
            let above = terms.sub(part, first);
            let above = terms.modulo(above, size);
            Some(terms.add([above, first]))
        })
    }
    fn compare(
        &mut self,
        op: Binary,
        left: Operand,
        left_span: Span,
        right: Operand,
        right_span: Span,
    ) -> Option<Operand> {
        let span = left_span.to(right_span);
        if matches!(left.val, Val::Clock(_)) || matches!(right.val, Val::Clock(_)) {
            let (mut left, mut right) = (self.as_ways(left, left_span)?, self.as_ways(right, right_span)?);
            self.known_difference(&mut left.0, &right.0, span)?;
            self.known_difference(&mut right.0, &left.0, span)?;
            let faults = strict(&mut self.system.terms, [left.1, right.1]);
            let mut parts = vec![];
            let mut has_clock = false;
            for (when, atom) in
                pairs(&mut self.system.terms, &left.0, &right.0, |terms, a, b| clock_order(terms, op, a, b))
            {
                let positive = match *self.system.terms.node(atom) {
                    Node::Not(inner) => inner,
                    _ => atom,
                };
                if self.system.terms.has_clock(positive) {
                    has_clock = true;
                    if ir::clock_atom(&mut self.system.terms, positive).is_none() {
                        let message = "clocks are compared with integers, or two clocks by their difference";
                        return self.fail(Cause::ClockMisuse, span, message);
                    }
                }
                parts.push(self.system.terms.and([when, atom]));
            }
            let class = match op {
                _ if !has_clock => Class::Data,
                Binary::Ne => Class::Constraint,
                _ => Class::Guard,
            };
            let term = self.system.terms.or(parts);
            return Some(Operand::new(Val::Bool(term, class), faults));
        }
        match (&left.val, &right.val) {
            (Val::Bool(a, first), Val::Bool(b, second)) if matches!(op, Binary::Eq | Binary::Ne) => {
                let class = if first.max(second) == &Class::Data { Class::Data } else { Class::Constraint };
                let (a, b) = (*a, *b);
                let terms = &mut self.system.terms;
                let faults = strict(terms, [left.faults, right.faults]);
                Some(Operand::new(Val::Bool(order(terms, op, a, b), class), faults))
            }
            (Val::Place(a), Val::Place(b)) if a.ty == b.ty && a.ty.is_data() => {
                if !matches!(op, Binary::Eq | Binary::Ne) {
                    return self.fail(Cause::TypeMismatch, span, format!("{} has no order", a.ty.show()));
                }
                if let Some(why) = a.ty.opaque() {
                    let faults = strict(&mut self.system.terms, [left.faults, right.faults]);
                    return Some(Operand::new(Val::Opaque(why), faults));
                }
                if a.ty.size() > WIDEST {
                    return self.fail(
                        Cause::TooLarge,
                        span,
                        format!("this compares more than {WIDEST} entries"),
                    );
                }
                let terms = &mut self.system.terms;
                let mut equal = vec![];
                for (a, b) in a.elements(terms).into_iter().zip(b.elements(terms)) {
                    let (a, b) = (a.term(terms), b.term(terms));
                    equal.push(terms.eq(a, b));
                }
                let equal = terms.and(equal);
                let term = if op == Binary::Eq { equal } else { terms.not(equal) };
                let faults = strict(terms, [left.faults, right.faults]);
                Some(Operand::new(Val::Bool(term, Class::Data), faults))
            }
            _ => {
                let (a, b) = (self.as_int(left, left_span)?, self.as_int(right, right_span)?);
                let value =
                    Checked::strict(&mut self.system.terms, [a, b], |terms, v| order(terms, op, v[0], v[1]));
                Some(Operand::bool(value))
            }
        }
    }
    fn logic(&mut self, first: ExprId, rest: &[(Binary, ExprId)]) -> Option<Operand> {
        let later: Vec<ExprId> = rest.iter().map(|(_, expr)| *expr).collect();
        let disturbed = self.disturbed_by(&later);
        let before = (self.context.clone(), self.known);
        let result = self.logic_here(first, rest, disturbed);
        if !disturbed {
            (self.context, self.known) = before;
        }
        result
    }
    fn logic_here(&mut self, first: ExprId, rest: &[(Binary, ExprId)], disturbed: bool) -> Option<Operand> {
        // Behind conditions, a rate may only stand last.
        let last = rest.len() - 1;
        let rates_count = match rest[last].0 {
            Binary::And => None,
            _ => self.rates_count.take(),
        };
        let Some((left, mut class)) = self.truth(first) else {
            let later: Vec<ExprId> = rest.iter().map(|(_, expr)| *expr).collect();
            return self.all_wrong(&later);
        };
        // Runs of one operator are joined at once.
        let mut parts = vec![left];
        let mut running = Binary::And;
        let close = |terms: &mut Terms, parts: Vec<Checked>, running: Binary| {
            Checked::junction(terms, parts, running != Binary::And)
        };
        for (at, (op, expr)) in rest.iter().enumerate() {
            if *op != running || *op == Binary::Imply || *op == Binary::Xor || disturbed {
                let joined = close(&mut self.system.terms, std::mem::take(&mut parts), running);
                parts.push(joined);
                running = *op;
            }
            let span = self.ast.exprs[*expr].span;
            if disturbed {
                let left = parts.pop().expect("just joined");
                parts.push(self.logic_with_effects(*op, left, *expr, span)?);
                continue;
            }
            // The operand matters only if those before have not decided.
            let before = parts.last().expect("never empty").term;
            match op {
                Binary::And | Binary::Imply => self.learn(before, true),
                Binary::Or => self.learn(before, false),
                _ => {}
            }
            if let (true, Class::Data, Some(count)) = (at == last, class, rates_count) {
                let before = self.system.terms.or(parts.iter().map(|part| part.term));
                let undecided = if *op == Binary::Or { self.system.terms.not(before) } else { before };
                self.rates_count = Some(self.system.terms.and([count, undecided]));
            }
            let (right, mut code) = self.apart(|cx| cx.truth(*expr));
            let Some((mut right, right_class)) = right else {
                let later: Vec<ExprId> = rest[at + 1..].iter().map(|(_, expr)| *expr).collect();
                return self.all_wrong(&later);
            };
            if !code.is_empty() && *op != Binary::Xor {
                // What a call leaves to be run is run only if it decides.
                let left = close(&mut self.system.terms, std::mem::take(&mut parts), running);
                parts.push(self.run_if_needed(*op, left, code, right, span));
                running = Binary::And;
                continue;
            }
            self.code.iter_mut().for_each(|outer| outer.append(&mut code));
            class = match (op, class, right_class) {
                (_, Class::Data, Class::Data) => Class::Data,
                (Binary::And, a, b) => a.max(b),
                (Binary::Or, Class::Data, Class::Guard) | (Binary::Or, Class::Guard, Class::Data) => {
                    Class::Guard
                }
                (Binary::Imply, Class::Data, Class::Guard) => Class::Guard,
                _ => Class::Constraint,
            };
            match op {
                Binary::Imply => {
                    let left = &mut parts[0];
                    left.term = self.system.terms.not(left.term);
                    running = Binary::Or;
                }
                Binary::Xor => {
                    let left = parts.pop().expect("just joined");
                    right = Checked::strict(&mut self.system.terms, [left, right], |terms, v| {
                        terms.xor(v[0], v[1])
                    });
                    running = Binary::Or;
                }
                _ => {}
            }
            parts.push(right);
        }
        let value = close(&mut self.system.terms, parts, running);
        Some(Operand::new(Val::Bool(value.term, class), value.faults))
    }
    /// `left op expr` where evaluating `expr` has effects: it is run only if it decides.
    fn logic_with_effects(&mut self, op: Binary, left: Checked, expr: ExprId, span: Span) -> Option<Checked> {
        if op != Binary::Xor {
            let (right, code) = self.apart(|cx| cx.data_truth(expr));
            return Some(self.run_if_needed(op, left, code, right?, span));
        }
        let var = self.hidden("$test", Type::Bool, None, span);
        self.emit(Code::Assign(var, left));
        let mut right = self.data_truth(expr)?;
        let result = self.system.terms.var(var);
        right.term = self.system.terms.xor(result, right.term);
        self.emit(Code::Assign(var, right));
        Some(result.into())
    }
    /// `left op right` where `code` comes before `right`: both count only if `left` does not decide.
    fn run_if_needed(
        &mut self,
        op: Binary,
        left: Checked,
        mut code: Vec<Code>,
        right: Checked,
        span: Span,
    ) -> Checked {
        let var = self.hidden("$test", Type::Bool, None, span);
        let result = self.system.terms.var(var);
        let start = match op {
            Binary::Imply => Checked { term: self.system.terms.not(left.term), faults: left.faults },
            _ => left,
        };
        self.emit(Code::Assign(var, start));
        code.push(Code::Assign(var, right));
        self.emit(match op {
            Binary::And => Code::If(result.into(), code, vec![]),
            _ => Code::If(result.into(), vec![], code),
        });
        result.into()
    }
    /// What `f` elaborates, and the code that comes before it.
    fn apart<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (T, Vec<Code>) {
        let inner = self.code.is_some().then(Vec::new);
        let outer = std::mem::replace(&mut self.code, inner);
        let result = f(self);
        (result, std::mem::replace(&mut self.code, outer).unwrap_or_default())
    }
    pub(crate) fn choose(&mut self, condition: ExprId, a: ExprId, b: ExprId, span: Span) -> Option<Operand> {
        if self.disturbed_by(&[a, b]) {
            return self.choose_with_effects(condition, a, b, span);
        }
        let condition_span = self.ast.exprs[condition].span;
        let Some(condition) = self.value(condition) else { return self.all_wrong(&[a, b]) };
        if let Val::Opaque(why) = condition.val {
            // Which side is meant is not known, so nothing may go wrong in either.
            let [a, b] = [self.value(a)?, self.value(b)?];
            if !a.faults.is_empty() || !b.faults.is_empty() {
                return self.depends_on(why, condition_span);
            }
            return Some(condition);
        }
        let (condition, class) = self.as_truth(condition, condition_span)?;
        if class != Class::Data {
            return self.fail(Cause::ClockMisuse, condition_span, "clocks cannot be tested here");
        }
        let [(first, code), (second, other)] = [(a, true), (b, false)].map(|(side, holds)| {
            let before = (self.context.clone(), self.known);
            self.learn(condition.term, holds);
            let value = self.apart(|cx| cx.value(side));
            (self.context, self.known) = before;
            value
        });
        let (first, second) = (first?, second?);
        if !code.is_empty() || !other.is_empty() {
            // What a call leaves to be run is run only for the side that is meant.
            return self.run_either(condition, [(first, a, code), (second, b, other)], span);
        }
        let (a_span, b_span) = (self.ast.exprs[a].span, self.ast.exprs[b].span);
        if let (Val::Bool(_, c), Val::Bool(_, d)) = (&first.val, &second.val) {
            let class = *c.max(d);
            let (first, second) = (self.as_truth(first, a_span)?.0, self.as_truth(second, b_span)?.0);
            let value = Checked::ite(&mut self.system.terms, condition, first, second);
            return Some(Operand::new(Val::Bool(value.term, class), value.faults));
        }
        if let (Val::Place(a), Val::Place(b)) = (&first.val, &second.val)
            && a.ty == b.ty
            && a.ty.is_data()
        {
            let ty = a.ty.clone();
            let object = either(&mut self.system.terms, condition.term, a, b);
            let sides = [first.faults, second.faults].map(|faults| Checked { term: condition.term, faults });
            let [first, second] = sides;
            let value = Checked::ite(&mut self.system.terms, condition, first, second);
            return Some(Operand::new(Val::Place(Place::new(object, ty, true)), value.faults));
        }
        if let (Val::Opaque(why), _) | (_, Val::Opaque(why)) = (&first.val, &second.val) {
            let why = *why;
            let zero = self.system.terms.int(0);
            let [first, second] = [(first, a_span), (second, b_span)].map(|(side, span)| {
                let side = self.as_opaque(side, span)?;
                Some(Checked { term: zero, faults: side.faults })
            });
            let value = Checked::ite(&mut self.system.terms, condition, first?, second?);
            return Some(Operand::new(Val::Opaque(why), value.faults));
        }
        if let (Val::Clock(_), _) | (_, Val::Clock(_)) = (&first.val, &second.val) {
            return self.choose_clock(condition, [(first, a_span), (second, b_span)]);
        }
        let (first, second) = (self.as_int(first, a_span)?, self.as_int(second, b_span)?);
        Some(Operand::int(Checked::ite(&mut self.system.terms, condition, first, second)))
    }
    /// `b ? x : 3` with clocks: the ways in which either side may be meant, each where the condition says so.
    fn choose_clock(&mut self, condition: Checked, sides: [(Operand, Span); 2]) -> Option<Operand> {
        let otherwise = self.system.terms.not(condition.term);
        let mut ways = vec![];
        let mut faults = vec![];
        for ((side, span), meant) in sides.into_iter().zip([condition.term, otherwise]) {
            let (its, wrong) = self.as_ways(side, span)?;
            let terms = &mut self.system.terms;
            ways.extend(its.into_iter().map(|(when, value)| (terms.and([meant, when]), value)));
            faults.push(Checked { term: meant, faults: wrong });
        }
        ways.retain(|(when, _)| self.system.terms.as_const(*when) != Some(&false.into()));
        let [first, second] = <[Checked; 2]>::try_from(faults).expect("two sides");
        let value = Checked::ite(&mut self.system.terms, condition, first, second);
        Some(Operand::new(Val::Clock(ways), value.faults))
    }
    fn choose_with_effects(
        &mut self,
        condition: ExprId,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> Option<Operand> {
        let Some(condition) = self.data_truth(condition) else { return self.all_wrong(&[a, b]) };
        let (first, code) = self.apart(|cx| cx.value(a));
        let (second, other) = self.apart(|cx| cx.value(b));
        self.run_either(condition, [(first?, a, code), (second?, b, other)], span)
    }
    /// One of two values, each with the code that comes before it.
    fn run_either(
        &mut self,
        condition: Checked,
        sides: [(Operand, ExprId, Vec<Code>); 2],
        span: Span,
    ) -> Option<Operand> {
        let var = self.hidden("$choice", Type::Int, None, span);
        let mut branches = vec![];
        for (operand, side, mut code) in sides {
            let side_span = self.ast.exprs[side].span;
            let (stored, mut store) = self.apart(|cx| {
                if matches!(operand.val, Val::Void) {
                    cx.check(operand.faults);
                    return Some(());
                }
                let value = cx.as_int(operand, side_span)?;
                cx.emit(Code::Assign(var, value));
                Some(())
            });
            stored?;
            code.append(&mut store);
            branches.push(code);
        }
        let (b, a) = (branches.pop().expect("two sides"), branches.pop().expect("two sides"));
        self.emit(Code::If(condition, a, b));
        Some(Operand::safe(Val::Int(self.system.terms.var(var))))
    }
    pub(crate) fn quantified(
        &mut self,
        what: Quantification,
        ident: Ident,
        ty: TypeId,
        body: ExprId,
    ) -> Option<Operand> {
        let resolved = self.pure(|cx| cx.resolve(ty))?;
        let span = self.ast.types[ty].span;
        let (low, high) = self.finite(&resolved, span)?;
        let mut parts = vec![];
        let mut class = Class::Data;
        let mut opaque = None;
        self.nested(|cx| {
            (low..=high).try_for_each(|value| {
                cx.labour(1, span)?;
                let term = cx.value_of(&resolved, value);
                cx.declare(ident, Symbol::Place(Place::value(term, resolved.clone())));
                let (part, here) = cx.pure(|cx| match what {
                    Quantification::Sum => {
                        let value = cx.value(body)?;
                        if let Val::Opaque(why) = value.val {
                            opaque = Some(why);
                            let zero = cx.system.terms.int(0);
                            return Some((Checked { term: zero, faults: value.faults }, Class::Data));
                        }
                        let span = cx.ast.exprs[body].span;
                        cx.as_int(value, span).map(|value| (value, Class::Data))
                    }
                    _ => cx.truth(body),
                })?;
                class = match (what, here) {
                    (Quantification::Exists, Class::Guard) if low < high => Class::Constraint,
                    _ => class.max(here),
                };
                parts.push(part);
                Some(())
            })
        })?;
        let terms = &mut self.system.terms;
        Some(match what {
            Quantification::Sum if parts.is_empty() => Operand::safe(Val::Int(terms.int(0))),
            Quantification::Sum => {
                if let Some(why) = opaque {
                    let value = Checked::strict(terms, parts, |terms, _| terms.int(0));
                    return Some(Operand::new(Val::Opaque(why), value.faults));
                }
                Operand::int(self.total(parts))
            }
            _ => {
                let value = Checked::junction(terms, parts, what == Quantification::Exists);
                Operand::new(Val::Bool(value.term, class), value.faults)
            }
        })
    }
}

/// The faults of parts that are all evaluated, left to right.
fn strict(terms: &mut Terms, parts: [Faults; 2]) -> Faults {
    let [mut first, second] = parts;
    then(terms, &mut first, None, second);
    first
}

/// One of two places of the same type, by a condition.
fn either(terms: &mut Terms, condition: Term, a: &Place, b: &Place) -> Object {
    match (&a.object, &b.object) {
        (Object::Fields(first), Object::Fields(second)) => {
            let part = |place: &Place, object: &Object, at: usize| Place {
                object: object.clone(),
                ty: field_type(&place.ty, at),
                ..place.clone()
            };
            let parts = first.iter().zip(second.iter()).enumerate();
            let list: Vec<Object> = parts
                .map(|(at, (x, y))| either(terms, condition, &part(a, x, at), &part(b, y, at)))
                .collect();
            Object::Fields(list.into())
        }
        (Object::Opaque, _) => Object::Opaque,
        _ => {
            let (a, b) = (a.term(terms), b.term(terms));
            Object::Value(terms.ite(condition, a, b))
        }
    }
}

/// A comparison as a term.
fn order(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Term {
    match op {
        Binary::Eq => terms.eq(a, b),
        Binary::Ne => {
            let equal = terms.eq(a, b);
            terms.not(equal)
        }
        Binary::Lt => terms.lt(a, b),
        Binary::Le => terms.le(a, b),
        Binary::Gt => terms.gt(a, b),
        _ => terms.ge(a, b),
    }
}

/// A comparison where clocks are; one that stands on both sides, as in `x[i] <= x[j] + 3` for equal positions, does not
/// decide.
fn clock_order(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Term {
    if terms.has_clock(a) && terms.has_clock(b) {
        let difference = terms.sub(a, b);
        if !terms.has_clock(difference) {
            let zero = terms.int(0);
            return order(terms, op, difference, zero);
        }
    }
    order(terms, op, a, b)
}

/// Combines two values that data decides on; impossible pairs are left out.
fn pairs(
    terms: &mut Terms,
    left: &[(Term, Term)],
    right: &[(Term, Term)],
    combine: impl Fn(&mut Terms, Term, Term) -> Term,
) -> Vec<(Term, Term)> {
    let mut ways = vec![];
    for (when, a) in left {
        for (and, b) in right {
            let both = terms.and([*when, *and]);
            if terms.as_const(both) != Some(&Constant::Bool(false)) {
                ways.push((both, combine(terms, *a, *b)));
            }
        }
    }
    ways
}
