//! Expressions: their effects become instructions, in order, and what is left is a value.
//!
//! A value is not evaluated before it is needed. That is the same, since whatever changes in between is either in
//! conflict with it, and refused ([`super::order`]), or sequenced behind a point where the value has been saved.

use ir::Span;

use super::ast::*;
use super::code::{Base as PlaceBase, Instr, ObjectKind, Place, PlaceId, Sign, Step, ValueId, ValueNode};
use super::elaborate::{Elaborator, Purpose, Symbol};
use super::types::{Length, Ty, TyId};
use crate::code::Code as Cause;

impl<'a> Elaborator<'a> {
    /// The value of an expression, after its effects.
    pub fn value(&mut self, expr: &Expr) -> Option<ValueId> {
        ir::deep(|| self.value_of(expr))
    }
    fn value_of(&mut self, expr: &Expr) -> Option<ValueId> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.symbol(name) {
                Some(Symbol::Constant(value)) => {
                    let word = if i32::try_from(value).is_ok() { IntWord::Int } else { IntWord::LongLong };
                    Some(self.number(value, word, span))
                }
                Some(Symbol::Function) => self.unsupported(
                    Cause::UnsupportedPart,
                    span,
                    &format!("the address of function `{name}`"),
                ),
                Some(Symbol::Type(_)) => {
                    self.fail(Cause::WrongKind, span, format!("`{name}` is a type, not a value"))
                }
                Some(Symbol::Object(_) | Symbol::Global(_)) => {
                    let place = self.place(expr)?;
                    self.load(place)
                }
                None => match self.atom(name, &[]) {
                    Some(atom) => self.atom_value(atom, name, span),
                    None => self.unknown(span, name),
                },
            },
            ExprKind::Int(literal) => {
                let Some(word) = self.types.model.literal(*literal) else {
                    return self.fail(Cause::InvalidNumber, span, "this number fits into no integer type");
                };
                Some(self.number(literal.value as i128, word, span))
            }
            ExprKind::Char(value) => Some(self.number(i128::from(*value), IntWord::Int, span)),
            ExprKind::Text(bytes) => {
                let place = self.text(bytes, span);
                self.load(place)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Step(op, fixity, operand) => self.step(*op, *fixity, operand, span, true),
            ExprKind::Binary(op, a, b) => {
                let start = self.log.len();
                let x = self.value(a);
                let middle = self.log.len();
                let y = self.value(b);
                self.unordered(start..middle, middle..self.log.len(), span);
                self.binary(*op, x?, y?, span)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let is_and = matches!(expr.kind, ExprKind::And(..));
                if has_effects(b) {
                    return self.truth_by_branching(expr);
                }
                let from = self.log.len();
                let x = self.value(a);
                self.sequence(from);
                let y = self.value(b);
                let (x, y) = (self.scalar(x?)?, self.scalar(y?)?);
                let int = self.int_type();
                let node = if is_and { ValueNode::And(x, y) } else { ValueNode::Or(x, y) };
                Some(self.code.value(node, int, span))
            }
            ExprKind::Assign(op, target, source) => {
                let place = self.assign(*op, target, source, span)?;
                // Its value is that of what was assigned to, and no further access.
                Some(self.loaded(place))
            }
            ExprKind::Cond(condition, a, b) => self.conditional(condition, a, b, span),
            ExprKind::Comma(list) => {
                let (last, before) = list.split_last()?;
                let from = self.log.len();
                for part in before {
                    self.effect(part);
                    self.sequence(from);
                }
                self.value(last)
            }
            ExprKind::Call(callee, arguments) => {
                if let ExprKind::Name(name) = &callee.kind
                    && self.symbol(name).is_none()
                    && let Some(atom) = self.atom(name, arguments)
                {
                    return self.atom_value(atom, name, span);
                }
                match self.call(callee, arguments, span)? {
                    Some(value) => Some(value),
                    None => {
                        self.fail(Cause::TypeMismatch, span, "this call returns nothing that could be used")
                    }
                }
            }
            ExprKind::Member(..) | ExprKind::Index(..) => {
                let place = self.place(expr)?;
                self.load(place)
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.type_name(name);
                let value = self.value(operand)?;
                self.convert(value, ty, span)
            }
            ExprKind::SizeOfType(name) => {
                let ty = self.type_name(name);
                self.size_of(ty, span)
            }
            ExprKind::SizeOf(operand) => {
                let ty = self.type_of(operand)?;
                self.size_of(ty, span)
            }
            ExprKind::AlignOf(name) => {
                let ty = self.type_name(name);
                let Some((_, align)) = self.types.layout(ty) else {
                    return self.unsupported(Cause::UnsupportedType, span, "the alignment of this type");
                };
                let word = self.types.model.size_type();
                Some(self.number(i128::from(align), word, span))
            }
            ExprKind::Compound(..) => {
                let place = self.place(expr)?;
                self.load(place)
            }
            ExprKind::Block(stmt) => self.block_value(stmt, span),
            ExprKind::Unsupported(what) => self.unsupported(Cause::UnsupportedOperator, span, what),
        }
    }
    /// What questions call by names that no program has.
    fn atom(&self, name: &str, arguments: &[Expr]) -> Option<Option<u32>> {
        self.atoms.and_then(|atoms| atoms(name, arguments))
    }
    fn atom_value(&mut self, atom: Option<u32>, name: &str, span: Span) -> Option<ValueId> {
        match atom {
            Some(number) => {
                let int = self.int_type();
                Some(self.code.value(ValueNode::At(number), int, span))
            }
            None => self.fail(Cause::UnknownName, span, format!("the program has no such place: `{name}`")),
        }
    }
    /// What an expression does, without its value.
    pub fn effect(&mut self, expr: &Expr) -> Option<()> {
        ir::deep(|| self.effect_of(expr))
    }
    fn effect_of(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Assign(op, target, source) => self.assign(*op, target, source, expr.span).map(drop),
            ExprKind::Step(op, _, operand) => {
                self.step(*op, Fixity::Prefix, operand, expr.span, false).map(drop)
            }
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, expr.span).map(drop),
            ExprKind::Comma(list) => {
                let from = self.log.len();
                for part in list {
                    self.effect(part);
                    self.sequence(from);
                }
                Some(())
            }
            ExprKind::Cast(name, operand) if matches!(name.base.kind, BaseKind::Void) => self.effect(operand),
            ExprKind::And(..) | ExprKind::Or(..) if has_effects(expr) => {
                let after = self.new_point();
                self.branch(expr, after, after)?;
                self.go_on(after);
                Some(())
            }
            ExprKind::Cond(condition, a, b) if has_effects(a) || has_effects(b) => {
                let [yes, no, after] = [self.new_point(), self.new_point(), self.new_point()];
                let from = self.log.len();
                self.branch(condition, yes, no)?;
                self.sequence(from);
                for (point, side) in [(yes, a), (no, b)] {
                    self.go_on(point);
                    self.effect(side);
                    self.jump(after);
                }
                self.go_on(after);
                Some(())
            }
            ExprKind::Block(stmt) => {
                self.statement_expression(stmt);
                Some(())
            }
            // The value is nobody's; what can go wrong on the way to it is not.
            _ => {
                let value = self.value(expr)?;
                let made = self.code.values[value];
                let quiet = match made.node {
                    ValueNode::Int(_) | ValueNode::Null => true,
                    ValueNode::Load(place) => {
                        let place = &self.code.places[place];
                        place.steps.is_empty() && matches!(place.base, PlaceBase::Object(_))
                    }
                    _ => false,
                };
                if !quiet && matches!(self.types.get(made.ty), Ty::Int(_) | Ty::Pointer(_)) {
                    self.save(value);
                }
                Some(())
            }
        }
    }
    /// The type of an expression that is not evaluated.
    pub fn type_of(&mut self, expr: &Expr) -> Option<TyId> {
        let here = self.here.take();
        let mark = self.log.len();
        let is_place = matches!(
            expr.kind,
            ExprKind::Name(_)
                | ExprKind::Member(..)
                | ExprKind::Index(..)
                | ExprKind::Unary(Unary::Deref, _)
                | ExprKind::Text(_)
        );
        let constant =
            matches!(&expr.kind, ExprKind::Name(n) if matches!(self.symbol(n), Some(Symbol::Constant(_))));
        let ty = if is_place && !constant {
            self.place(expr).map(|place| self.code.places[place].ty)
        } else {
            self.value(expr).map(|value| self.code.values[value].ty)
        };
        self.log.truncate(mark);
        self.here = here;
        ty
    }
    fn size_of(&mut self, ty: TyId, span: Span) -> Option<ValueId> {
        let word = self.types.model.size_type();
        if let Some((size, _)) = self.types.layout(ty) {
            return Some(self.number(i128::from(size), word, span));
        }
        let &Ty::Array(of, Length::Variable(length)) = self.types.get(ty) else {
            let words = self.types.words(ty);
            return self.unsupported(Cause::UnsupportedType, span, &format!("the size of `{words}`"));
        };
        let one = self.size_of(of, span)?;
        let place = self.whole(length, span);
        let count = self.loaded(place);
        let size = self.types.int(word);
        Some(self.code.value(ValueNode::Binary(Binary::Mul, count, one), size, span))
    }

    // Places.

    /// The place that an expression names, after its effects.
    pub fn place(&mut self, expr: &Expr) -> Option<PlaceId> {
        ir::deep(|| self.place_of(expr))
    }
    fn place_of(&mut self, expr: &Expr) -> Option<PlaceId> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => {
                let object = match self.symbol(name) {
                    Some(Symbol::Object(object)) => object,
                    Some(Symbol::Global(number)) => self.global_object(number)?,
                    Some(Symbol::Function) => {
                        let what = format!("the address of function `{name}`");
                        return self.unsupported(Cause::UnsupportedPart, span, &what);
                    }
                    Some(_) => {
                        return self.fail(Cause::NotAssignable, span, format!("`{name}` is no variable"));
                    }
                    None => return self.unknown(span, name),
                };
                Some(self.whole(object, span))
            }
            ExprKind::Text(bytes) => Some(self.text(bytes, span)),
            ExprKind::Unary(Unary::Deref, pointer) => {
                let pointer = self.value(pointer)?;
                self.deref(pointer, span)
            }
            ExprKind::Index(a, b) => {
                let start = self.log.len();
                let x = self.indexed(a);
                let middle = self.log.len();
                let y = self.value(b);
                self.unordered(start..middle, middle..self.log.len(), span);
                let (x, y) = (x?, y?);
                match x {
                    Indexed::Place(place) => self.element(place, y, span),
                    // `2[a]` is an element, too.
                    Indexed::Value(x) => {
                        let (pointer, index) =
                            if self.types.is_pointer(self.code.values[x].ty) { (x, y) } else { (y, x) };
                        let moved = self.advance(pointer, index, Sign::Plus, span)?;
                        self.deref(moved, span)
                    }
                }
            }
            ExprKind::Member(base, name, access) => {
                let base = match access {
                    Access::Dot => match self.is_place(base) {
                        true => self.place(base)?,
                        false => {
                            let value = self.value(base)?;
                            match self.code.values[value].node {
                                ValueNode::Load(place) => place,
                                _ => {
                                    return self.unsupported(Cause::UnsupportedPart, span, "a field of this");
                                }
                            }
                        }
                    },
                    Access::Arrow => {
                        let pointer = self.value(base)?;
                        self.deref(pointer, base.span)?
                    }
                };
                self.member(base, name, span)
            }
            ExprKind::Compound(name, items) => {
                let ty = self.type_name(name);
                let object = self.hidden(ty, span, Purpose::Literal, "literal".to_owned());
                // A literal of file scope is refused where it is used as a constant.
                self.init_list_object(object, items, span)?;
                Some(self.whole(object, span))
            }
            ExprKind::Comma(list) => {
                let (last, before) = list.split_last()?;
                for part in before {
                    self.effect(part);
                }
                self.place(last)
            }
            ExprKind::Assign(op, target, source) => self.assign(*op, target, source, span),
            _ => self.fail(Cause::NotAssignable, span, "this is a value and no variable"),
        }
    }
    fn is_place(&self, expr: &Expr) -> bool {
        matches!(
            expr.kind,
            ExprKind::Name(_)
                | ExprKind::Member(..)
                | ExprKind::Index(..)
                | ExprKind::Unary(Unary::Deref, _)
                | ExprKind::Compound(..)
        )
    }
    /// What is indexed: an array as it is, anything else as a pointer.
    fn indexed(&mut self, expr: &Expr) -> Option<Indexed> {
        if self.is_place(expr) {
            let place = self.place(expr)?;
            let ty = self.code.places[place].ty;
            if matches!(self.types.get(ty), Ty::Array(..)) {
                return Some(Indexed::Place(place));
            }
            return self.load(place).map(Indexed::Value);
        }
        self.value(expr).map(Indexed::Value)
    }
    /// An element of an array.
    pub fn element(&mut self, array: PlaceId, index: ValueId, span: Span) -> Option<PlaceId> {
        let Place { base, mut steps, ty, .. } = self.code.places[array].clone();
        let &Ty::Array(of, _) = self.types.get(ty) else {
            return self.fail(Cause::TypeMismatch, span, "only arrays have elements");
        };
        if self.types.as_int(self.code.values[index].ty).is_none() {
            return self.fail(Cause::TypeMismatch, span, "an index is an integer");
        }
        steps.push(Step::Index(index, ty));
        Some(self.code.place(base, steps, of, span))
    }
    pub fn member(&mut self, base: PlaceId, name: &Name, span: Span) -> Option<PlaceId> {
        let Place { base, mut steps, ty, .. } = self.code.places[base].clone();
        let &Ty::Record(record) = self.types.get(ty) else {
            let words = self.types.words(ty);
            let message =
                format!("`{}` is asked of a value of type `{words}`, which has no fields", name.text);
            return self.fail(Cause::TypeMismatch, name.span, message);
        };
        let info = &self.types.records[record];
        if info.union {
            return self.unsupported(Cause::UnsupportedType, span, "a union");
        }
        if info.fields.is_none() {
            let words = self.types.words(ty);
            return self.fail(Cause::MissingPart, span, format!("`{words}` is declared and never defined"));
        }
        let Some((path, ty, bits)) = self.types.field(record, &name.text) else {
            let words = self.types.words(ty);
            return self.fail(
                Cause::UnknownName,
                name.span,
                format!("`{words}` has no field `{}`", name.text),
            );
        };
        if bits {
            return self.unsupported(Cause::UnsupportedType, name.span, "a bit-field");
        }
        steps.extend(path.into_iter().map(Step::Field));
        Some(self.code.place(base, steps, ty, span))
    }
    fn deref(&mut self, pointer: ValueId, span: Span) -> Option<PlaceId> {
        let made = self.code.values[pointer];
        let Some(ty) = self.types.target(made.ty) else {
            let words = self.types.words(made.ty);
            return self.fail(Cause::TypeMismatch, span, format!("`{words}` is no pointer"));
        };
        if matches!(self.types.get(ty), Ty::Void) {
            return self.fail(Cause::TypeMismatch, span, "a pointer to `void` points to no value");
        }
        if matches!(self.types.get(ty), Ty::Function(..)) {
            return self.unsupported(Cause::UnsupportedPart, span, "a pointer to a function");
        }
        // What an address points to is the place itself.
        if let ValueNode::Address(place) = made.node {
            return Some(place);
        }
        Some(self.code.place(PlaceBase::Deref(pointer), vec![], ty, span))
    }
    /// The value at a place; an array is a pointer to its first element.
    pub fn load(&mut self, place: PlaceId) -> Option<ValueId> {
        let Place { base, ty, span, .. } = self.code.places[place];
        match *self.types.get(ty) {
            Ty::Array(of, _) => {
                let zero = self.number(0, IntWord::Int, span);
                let first = self.element(place, zero, span)?;
                let pointer = self.types.pointer(of);
                Some(self.code.value(ValueNode::Address(first), pointer, span))
            }
            Ty::Int(_) | Ty::Pointer(_) => {
                self.read(place);
                if let PlaceBase::Object(object) = base
                    && self.code.objects[object].volatile
                    && self.types.as_int(ty).is_some()
                {
                    return Some(self.nondet(ty, span));
                }
                Some(self.loaded(place))
            }
            Ty::Record(_) => {
                self.read(place);
                Some(self.loaded(place))
            }
            Ty::Opaque(what) => self.unsupported(Cause::UnsupportedType, span, what),
            Ty::Void | Ty::Function(..) => self.fail(Cause::TypeMismatch, span, "this has no value"),
        }
    }
    /// The value at a place, which counts as no access.
    pub fn loaded(&mut self, place: PlaceId) -> ValueId {
        let Place { ty, span, .. } = self.code.places[place];
        self.code.value(ValueNode::Load(place), ty, span)
    }
    /// Any value.
    pub fn nondet(&mut self, ty: TyId, span: Span) -> ValueId {
        let object = self.hidden(ty, span, Purpose::Nondet, "nondet".to_owned());
        let place = self.whole(object, span);
        self.emit(Instr::Nondet(place));
        self.loaded(place)
    }
    /// The value as it is now, whatever happens later.
    pub fn save(&mut self, value: ValueId) -> ValueId {
        let made = self.code.values[value];
        let object = self.hidden(made.ty, made.span, Purpose::Saved, "saved".to_owned());
        let place = self.whole(object, made.span);
        self.emit(Instr::Set(place, value));
        self.loaded(place)
    }
    /// The characters of a text, as an object that lives for ever.
    fn text(&mut self, bytes: &[u8], span: Span) -> PlaceId {
        let char_type = self.types.int(IntWord::Char);
        let ty = self.types.add(Ty::Array(char_type, Length::Fixed(bytes.len() as u64 + 1)));
        let object = self.hidden(ty, span, Purpose::Text, "text".to_owned());
        let whole = self.whole(object, span);
        if !matches!(self.code.objects[object].kind, ObjectKind::Static(_)) {
            let mut list = vec![];
            for (at, byte) in bytes.iter().enumerate() {
                let index = self.number(at as i128, IntWord::Int, span);
                let value = self.number(i128::from(*byte as i8), IntWord::Char, span);
                list.extend(self.element(whole, index, span).map(|place| (place, value)));
            }
            self.code.objects[object].kind = ObjectKind::Static(list);
        }
        whole
    }

    // Operators.

    fn unary(&mut self, op: Unary, operand: &Expr, span: Span) -> Option<ValueId> {
        match op {
            Unary::Address => {
                if let ExprKind::Unary(Unary::Deref, pointer) = &operand.kind {
                    return self.value(pointer);
                }
                let place = self.place(operand)?;
                let pointer = self.types.pointer(self.code.places[place].ty);
                return Some(self.code.value(ValueNode::Address(place), pointer, span));
            }
            Unary::Deref => {
                let pointer = self.value(operand)?;
                let place = self.deref(pointer, span)?;
                return self.load(place);
            }
            Unary::Not => {
                let value = self.value(operand)?;
                let value = self.scalar(value)?;
                let int = self.int_type();
                return Some(self.code.value(ValueNode::Not(value), int, span));
            }
            Unary::Plus | Unary::Minus | Unary::Complement => {}
        }
        let value = self.value(operand)?;
        let Some(word) = self.types.as_int(self.code.values[value].ty) else {
            return self.fail(Cause::TypeMismatch, span, "this operator is for integers");
        };
        let ty = self.types.int(word.promoted());
        let value = self.convert(value, ty, span)?;
        Some(match op {
            Unary::Minus => self.code.value(ValueNode::Negate(value), ty, span),
            Unary::Complement => self.code.value(ValueNode::Complement(value), ty, span),
            _ => value,
        })
    }
    /// An operator on two values.
    pub fn binary(&mut self, op: Binary, a: ValueId, b: ValueId, span: Span) -> Option<ValueId> {
        let (ta, tb) = (self.code.values[a].ty, self.code.values[b].ty);
        let pointers = (self.types.is_pointer(ta), self.types.is_pointer(tb));
        let compares =
            matches!(op, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne);
        let int = self.int_type();
        match pointers {
            (false, false) => {}
            _ if compares => {
                let ty = if pointers.0 { ta } else { tb };
                let a = if pointers.0 { a } else { self.convert(a, ty, span)? };
                let b = if pointers.1 { b } else { self.convert(b, ty, span)? };
                return Some(self.code.value(ValueNode::Compare(op, a, b), int, span));
            }
            (true, true) if op == Binary::Sub => {
                let word = self.types.model.difference_type();
                let ty = self.types.int(word);
                return Some(self.code.value(ValueNode::Distance(a, b), ty, span));
            }
            (true, false) if op == Binary::Add => return self.advance(a, b, Sign::Plus, span),
            (true, false) if op == Binary::Sub => return self.advance(a, b, Sign::Minus, span),
            (false, true) if op == Binary::Add => return self.advance(b, a, Sign::Plus, span),
            _ => return self.fail(Cause::TypeMismatch, span, "this operator is not for pointers"),
        }
        let (Some(wa), Some(wb)) = (self.types.as_int(ta), self.types.as_int(tb)) else {
            return self.fail(Cause::TypeMismatch, span, "this operator is for integers");
        };
        if matches!(op, Binary::Shl | Binary::Shr) {
            let (ta, tb) = (self.types.int(wa.promoted()), self.types.int(wb.promoted()));
            let (a, b) = (self.convert(a, ta, span)?, self.convert(b, tb, span)?);
            return Some(self.code.value(ValueNode::Binary(op, a, b), ta, span));
        }
        let ty = self.types.int(self.types.model.usual(wa, wb));
        let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
        Some(match compares {
            true => self.code.value(ValueNode::Compare(op, a, b), int, span),
            false => self.code.value(ValueNode::Binary(op, a, b), ty, span),
        })
    }
    fn advance(&mut self, pointer: ValueId, by: ValueId, sign: Sign, span: Span) -> Option<ValueId> {
        let ty = self.code.values[pointer].ty;
        if !self.types.is_pointer(ty) || self.types.as_int(self.code.values[by].ty).is_none() {
            return self.fail(Cause::TypeMismatch, span, "this needs a pointer and an integer");
        }
        if self.types.target(ty).is_some_and(|to| matches!(self.types.get(to), Ty::Void)) {
            return self.unsupported(Cause::UnsupportedOperator, span, "arithmetic on pointers to `void`");
        }
        // Of an element of an array: another element of it.
        Some(self.code.value(ValueNode::Advance(pointer, by, sign), ty, span))
    }
    /// A value that is zero or not.
    pub fn scalar(&mut self, value: ValueId) -> Option<ValueId> {
        let made = self.code.values[value];
        match self.types.get(made.ty) {
            Ty::Int(_) | Ty::Pointer(_) => Some(value),
            _ => self.fail(Cause::TypeMismatch, made.span, "a condition is an integer or a pointer"),
        }
    }
    /// A value as one of another type.
    pub fn convert(&mut self, value: ValueId, to: TyId, span: Span) -> Option<ValueId> {
        let made = self.code.values[value];
        if made.ty == to {
            return Some(value);
        }
        match (self.types.get(made.ty).clone(), self.types.get(to).clone()) {
            (Ty::Int(_), Ty::Int(word)) => Some(match made.node {
                ValueNode::Int(number) => {
                    let number = self.types.model.converted(number, word);
                    self.code.value(ValueNode::Int(number), to, made.span)
                }
                _ => self.code.value(ValueNode::Convert(value), to, made.span),
            }),
            (Ty::Pointer(_), Ty::Int(IntWord::Bool)) => {
                let null = self.code.value(ValueNode::Null, made.ty, span);
                Some(self.code.value(ValueNode::Compare(Binary::Ne, value, null), to, span))
            }
            (Ty::Int(_), Ty::Pointer(_)) => match self.fold(value) {
                Some(0) => Some(self.code.value(ValueNode::Null, to, span)),
                _ => self.unsupported(Cause::UnsupportedOperator, span, "an integer as a pointer"),
            },
            (Ty::Pointer(_), Ty::Int(_)) => {
                self.unsupported(Cause::UnsupportedOperator, span, "a pointer as an integer")
            }
            (Ty::Pointer(_), Ty::Pointer(_)) => {
                let node = match made.node {
                    ValueNode::Null => ValueNode::Null,
                    _ => ValueNode::Convert(value),
                };
                Some(self.code.value(node, to, made.span))
            }
            (_, Ty::Void) => {
                let void = to;
                Some(self.code.value(ValueNode::Int(0), void, span))
            }
            (_, Ty::Opaque(what)) | (Ty::Opaque(what), _) => {
                self.unsupported(Cause::UnsupportedType, span, what)
            }
            _ => {
                let (from, to) = (self.types.words(made.ty), self.types.words(to));
                self.fail(Cause::TypeMismatch, span, format!("a `{from}` cannot become a `{to}`"))
            }
        }
    }
    fn conditional(&mut self, condition: &Expr, a: &Expr, b: &Expr, span: Span) -> Option<ValueId> {
        let from = self.log.len();
        if !has_effects(a) && !has_effects(b) {
            let condition = self.value(condition)?;
            let condition = self.scalar(condition)?;
            self.sequence(from);
            let (x, y) = (self.value(a)?, self.value(b)?);
            let ty = self.common(x, y);
            if !matches!(self.types.get(ty), Ty::Record(_)) {
                let (x, y) = (self.convert(x, ty, span)?, self.convert(y, ty, span)?);
                return Some(self.code.value(ValueNode::Cond(condition, x, y), ty, span));
            }
        }
        let [yes, no, after] = [self.new_point(), self.new_point(), self.new_point()];
        self.branch(condition, yes, no)?;
        self.sequence(from);
        let mut sides = vec![];
        for (point, side) in [(yes, a), (no, b)] {
            self.go_on(point);
            let value = self.value(side)?;
            sides.push((self.here.take(), value));
        }
        let ty = self.common(sides[0].1, sides[1].1);
        let object = self.hidden(ty, span, Purpose::Truth, "chosen".to_owned());
        let place = self.whole(object, span);
        for (here, value) in sides {
            self.here = here;
            self.store(place, value, span)?;
            self.jump(after);
        }
        self.go_on(after);
        Some(self.loaded(place))
    }
    /// The type of a conditional expression with these two sides.
    fn common(&mut self, a: ValueId, b: ValueId) -> TyId {
        let (a, b) = (self.code.values[a].ty, self.code.values[b].ty);
        let is_void = |cx: &Self, to: TyId| matches!(cx.types.get(to), Ty::Void);
        match (self.types.get(a), self.types.get(b)) {
            (Ty::Int(x), Ty::Int(y)) => {
                let word = self.types.model.usual(*x, *y);
                self.types.int(word)
            }
            (Ty::Pointer(to), Ty::Pointer(_)) if is_void(self, *to) => b,
            (Ty::Pointer(_), _) => a,
            (_, Ty::Pointer(_)) => b,
            _ => a,
        }
    }
    /// Whether a condition holds, found out by going one way or the other.
    fn truth_by_branching(&mut self, expr: &Expr) -> Option<ValueId> {
        let span = expr.span;
        let int = self.int_type();
        let object = self.hidden(int, span, Purpose::Truth, "truth".to_owned());
        let place = self.whole(object, span);
        let [yes, no, after] = [self.new_point(), self.new_point(), self.new_point()];
        self.branch(expr, yes, no)?;
        for (point, truth) in [(yes, 1), (no, 0)] {
            self.go_on(point);
            let value = self.number(truth, IntWord::Int, span);
            self.emit(Instr::Set(place, value));
            self.jump(after);
        }
        self.go_on(after);
        Some(self.loaded(place))
    }
    /// `++` and `--`.
    fn step(
        &mut self,
        op: StepOp,
        fixity: Fixity,
        operand: &Expr,
        span: Span,
        wanted: bool,
    ) -> Option<ValueId> {
        let from = self.log.len();
        let place = self.place(operand)?;
        let old = self.load(place)?;
        let old = if fixity == Fixity::Postfix && wanted {
            let made = self.code.values[old];
            let object = self.hidden(made.ty, span, Purpose::Saved, "saved".to_owned());
            let saved = self.whole(object, span);
            self.emit(Instr::Set(saved, old));
            self.loaded(saved)
        } else {
            old
        };
        let one = self.number(1, IntWord::Int, span);
        let op = match op {
            StepOp::Increment => Binary::Add,
            StepOp::Decrement => Binary::Sub,
        };
        let new = self.binary(op, old, one, span)?;
        self.against_pending(from, place, span);
        self.store(place, new, span)?;
        self.wrote(place);
        Some(if fixity == Fixity::Postfix { old } else { self.loaded(place) })
    }
}

/// What is indexed.
enum Indexed {
    Place(PlaceId),
    Value(ValueId),
}

/// Whether evaluating an expression does something.
pub(super) fn has_effects(expr: &Expr) -> bool {
    let any = |list: &[&Expr]| list.iter().any(|part| ir::deep(|| has_effects(part)));
    match &expr.kind {
        ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Call(..) | ExprKind::Block(_) => true,
        ExprKind::Compound(..) => true,
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member(a, ..) => any(&[a]),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Index(a, b) => {
            any(&[a, b])
        }
        ExprKind::Cond(a, b, c) => any(&[a, b, c]),
        ExprKind::Comma(list) => list.iter().any(has_effects),
        ExprKind::Name(_)
        | ExprKind::Int(_)
        | ExprKind::Char(_)
        | ExprKind::Text(_)
        | ExprKind::SizeOfType(_)
        | ExprKind::SizeOf(_)
        | ExprKind::AlignOf(_)
        | ExprKind::Unsupported(_) => false,
    }
}
