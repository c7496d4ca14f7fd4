//! Assignments and initialisations: a structure is its fields, and an array that is initialised is zero elsewhere.

use ir::{Id, Span};

use super::ast::*;
use super::code::{Base as PlaceBase, Instr, ObjectId, Place, PlaceId, Step, ValueId, ValueNode};
use super::elaborate::Elaborator;
use super::types::{Length, Ty, TyId};
use crate::code::Code as Cause;

impl<'a> Elaborator<'a> {
    /// `target = source`, or with an operator; the place that was assigned to.
    pub fn assign(
        &mut self,
        op: Option<Binary>,
        target: &Expr,
        source: &Expr,
        span: Span,
    ) -> Option<PlaceId> {
        let start = self.log.len();
        let place = self.place(target);
        if let (Some(place), Some(_)) = (place, op) {
            self.read(place);
        }
        let middle = self.log.len();
        let value = self.value(source);
        self.unordered(start..middle, middle..self.log.len(), span);
        let (place, value) = (place?, value?);
        let value = match op {
            Some(op) => {
                let old = self.loaded(place);
                self.binary(op, old, value, span)?
            }
            None => value,
        };
        self.against_pending(start, place, span);
        self.store(place, value, span)?;
        self.wrote(place);
        Some(place)
    }
    /// A place gets a value, converted to its type.
    pub fn store(&mut self, place: PlaceId, value: ValueId, span: Span) -> Option<()> {
        let ty = self.code.places[place].ty;
        match *self.types.get(ty) {
            Ty::Int(_) | Ty::Pointer(_) => {
                let converted = self.convert(value, ty, span)?;
                if converted == value && self.is_fresh(place, value) {
                    self.redirect(place);
                    return Some(());
                }
                self.emit(Instr::Set(place, converted));
                Some(())
            }
            Ty::Record(_) => {
                let made = self.code.values[value];
                let ValueNode::Load(source) = made.node else {
                    return self.fail(Cause::TypeMismatch, span, "a structure is assigned a structure");
                };
                if made.ty != ty {
                    let (to, from) = (self.types.words(ty), self.types.words(made.ty));
                    return self.fail(
                        Cause::TypeMismatch,
                        span,
                        format!("a `{from}` cannot become a `{to}`"),
                    );
                }
                let (place, source) = (self.pinned(place), self.pinned(source));
                self.copy(place, source, span)
            }
            Ty::Opaque(what) => self.unsupported(Cause::UnsupportedType, span, what),
            Ty::Array(..) => self.fail(Cause::NotAssignable, span, "an array is not assigned as a whole"),
            Ty::Void | Ty::Function(..) => self.fail(Cause::NotAssignable, span, "this holds no value"),
        }
    }
    /// Whether a value is what a call just returned, and could go into a variable at once.
    fn is_fresh(&self, place: PlaceId, value: ValueId) -> bool {
        let ValueNode::Load(source) = self.code.values[value].node else { return false };
        let target = &self.code.places[place];
        let plain = target.steps.is_empty() && matches!(target.base, PlaceBase::Object(_));
        let last = self.here.as_ref().and_then(|here| here.instrs.last());
        plain && matches!(last, Some(Instr::Nondet(made)) if *made == source)
    }
    fn redirect(&mut self, place: PlaceId) {
        let last = self.here.as_mut().and_then(|here| here.instrs.last_mut());
        if let Some(Instr::Nondet(made)) = last {
            *made = place;
        }
    }
    /// The same place, whatever is written while it is copied.
    fn pinned(&mut self, place: PlaceId) -> PlaceId {
        let Place { base, steps, ty, span } = self.code.places[place].clone();
        let base = match base {
            PlaceBase::Deref(pointer) => PlaceBase::Deref(self.save(pointer)),
            base => base,
        };
        let mut pinned = vec![];
        for step in steps {
            pinned.push(match step {
                Step::Index(index, ty) if self.fold(index).is_none() => Step::Index(self.save(index), ty),
                step => step,
            });
        }
        self.code.place(base, pinned, ty, span)
    }
    fn copy(&mut self, to: PlaceId, from: PlaceId, span: Span) -> Option<()> {
        let ty = self.code.places[to].ty;
        match self.types.get(ty) {
            Ty::Int(_) | Ty::Pointer(_) => {
                let value = self.loaded(from);
                self.emit(Instr::Set(to, value));
            }
            Ty::Array(..) => self.emit(Instr::Copy(to, from)),
            Ty::Record(record) => {
                let info = &self.types.records[*record];
                if info.union {
                    return self.unsupported(Cause::UnsupportedType, span, "a union");
                }
                let fields: Vec<(TyId, bool)> =
                    info.fields.iter().flatten().map(|field| (field.ty, field.bits)).collect();
                for (number, (ty, bits)) in fields.into_iter().enumerate() {
                    if bits {
                        return self.unsupported(Cause::UnsupportedType, span, "a bit-field");
                    }
                    let to = self.part(to, Step::Field(number as u32), ty);
                    let from = self.part(from, Step::Field(number as u32), ty);
                    self.copy(to, from, span)?;
                }
            }
            Ty::Opaque(_) | Ty::Void | Ty::Function(..) => {}
        }
        Some(())
    }
    fn part(&mut self, place: PlaceId, step: Step, ty: TyId) -> PlaceId {
        let Place { base, mut steps, span, .. } = self.code.places[place].clone();
        steps.push(step);
        self.code.place(base, steps, ty, span)
    }

    // Initialisation.

    /// The type of an array whose length its initialiser tells.
    pub fn completed(&mut self, ty: TyId, init: &Init) -> Option<TyId> {
        let &Ty::Array(of, Length::Unknown) = self.types.get(ty) else { return Some(ty) };
        let count = match init {
            Init::Expr(Expr { kind: ExprKind::Text(bytes), .. }) => bytes.len() as u64 + 1,
            Init::List(items) => match &items[..] {
                [InitItem { init: Init::Expr(Expr { kind: ExprKind::Text(bytes), .. }), .. }]
                    if self.types.as_int(of).is_some() =>
                {
                    bytes.len() as u64 + 1
                }
                items => {
                    // Only counted; what is wrong is said when it is done.
                    let here = self.here.take();
                    self.quiet += 1;
                    let place =
                        self.code.place(PlaceBase::Object(ObjectId::at(0)), vec![], ty, Span::default());
                    let mut cursor = Cursor { items, at: 0 };
                    let count = self.fill(place, &mut cursor, true, &mut vec![]);
                    self.quiet -= 1;
                    self.here = here;
                    count?
                }
            },
            Init::Expr(expr) => {
                return self.fail(Cause::TypeMismatch, expr.span, "an array is initialised by a list");
            }
        };
        Some(self.types.add(Ty::Array(of, Length::Fixed(count))))
    }
    /// The values that an initialiser gives to the parts of an object.
    pub fn init_values(&mut self, object: ObjectId, init: &Init) -> Option<Vec<(PlaceId, ValueId)>> {
        let span = self.code.objects[object].span;
        let place = self.whole(object, span);
        let mut list = vec![];
        match init {
            Init::Expr(expr) => self.init_expr(place, expr, &mut list)?,
            Init::List(items) => {
                let mut cursor = Cursor { items, at: 0 };
                if self.is_aggregate(place) {
                    self.fill(place, &mut cursor, true, &mut list)?;
                } else if let Some(first) = items.first() {
                    self.init_one(place, &first.init, &mut list)?;
                }
            }
        }
        Some(list)
    }
    /// Initialises an object where the program is.
    pub fn init_object(&mut self, object: ObjectId, init: &Init, span: Span) -> Option<()> {
        if let Init::Expr(expr) = init {
            let place = self.whole(object, span);
            if !matches!(expr.kind, ExprKind::Text(_)) || !self.is_aggregate(place) {
                let value = self.value(expr)?;
                return self.store(place, value, span);
            }
        }
        let Init::List(items) = init else {
            let list = self.init_values(object, init)?;
            self.emit(Instr::Clear(object));
            self.set_all(list, span);
            return Some(());
        };
        self.init_list_object(object, items, span)
    }
    pub fn init_list_object(&mut self, object: ObjectId, items: &[InitItem], span: Span) -> Option<()> {
        let place = self.whole(object, span);
        let mut list = vec![];
        if self.is_aggregate(place) {
            self.fill(place, &mut Cursor { items, at: 0 }, true, &mut list)?;
            self.emit(Instr::Clear(object));
        } else if let Some(first) = items.first() {
            self.init_one(place, &first.init, &mut list)?;
        }
        self.set_all(list, span);
        Some(())
    }
    fn set_all(&mut self, list: Vec<(PlaceId, ValueId)>, span: Span) {
        for (place, value) in list {
            // All parts have been cleared.
            let zero = self.fold(value) == Some(0) && self.is_part(place);
            if !zero {
                self.store(place, value, span);
            }
        }
    }
    fn is_part(&self, place: PlaceId) -> bool {
        !self.code.places[place].steps.is_empty()
    }
    fn is_aggregate(&self, place: PlaceId) -> bool {
        matches!(self.types.get(self.code.places[place].ty), Ty::Array(..) | Ty::Record(_))
    }
    /// One part of an object gets what one item says.
    fn init_one(&mut self, place: PlaceId, init: &Init, out: &mut Vec<(PlaceId, ValueId)>) -> Option<()> {
        match init {
            Init::Expr(expr) => self.init_expr(place, expr, out),
            Init::List(items) if self.is_aggregate(place) => {
                self.fill(place, &mut Cursor { items, at: 0 }, true, out).map(drop)
            }
            Init::List(items) => match items.first() {
                Some(first) => self.init_one(place, &first.init, out),
                None => Some(()),
            },
        }
    }
    fn init_expr(&mut self, place: PlaceId, expr: &Expr, out: &mut Vec<(PlaceId, ValueId)>) -> Option<()> {
        let ty = self.code.places[place].ty;
        if let (ExprKind::Text(bytes), &Ty::Array(of, length)) = (&expr.kind, self.types.get(ty)) {
            let Some(word) = self.types.as_int(of) else {
                return self.fail(
                    Cause::TypeMismatch,
                    expr.span,
                    "a text initialises an array of characters",
                );
            };
            let most = match length {
                Length::Fixed(count) => count as usize,
                _ => usize::MAX,
            };
            for (at, byte) in bytes.iter().enumerate().take(most) {
                let index = self.number(at as i128, IntWord::Int, expr.span);
                let value = self.types.model.converted(i128::from(*byte as i8), word);
                let value = self.number(value, word, expr.span);
                out.extend(self.element(place, index, expr.span).map(|place| (place, value)));
            }
            return Some(());
        }
        let value = self.value(expr)?;
        let value = match self.types.get(ty) {
            Ty::Int(_) | Ty::Pointer(_) => self.convert(value, ty, expr.span)?,
            _ => value,
        };
        out.push((place, value));
        Some(())
    }
    /// Distributes items to the parts of an array or a structure, where inner braces may be left out; how many parts of an
    /// array there are.
    fn fill(
        &mut self,
        place: PlaceId,
        cursor: &mut Cursor<'_>,
        braced: bool,
        out: &mut Vec<(PlaceId, ValueId)>,
    ) -> Option<u64> {
        let Place { ty, span, .. } = self.code.places[place];
        let parts: Parts = match self.types.get(ty) {
            Ty::Array(_, Length::Fixed(count)) => Parts::Elements(*count),
            Ty::Array(_, Length::Unknown) => Parts::Elements(u64::MAX),
            Ty::Array(..) => {
                return self.fail(Cause::NotConstant, span, "an array of variable length has no initialiser");
            }
            Ty::Record(record) => {
                let info = &self.types.records[*record];
                if info.union {
                    return self.unsupported(Cause::UnsupportedType, span, "a union");
                }
                Parts::Fields(info.fields.iter().flatten().map(|field| field.ty).collect())
            }
            _ => return None,
        };
        let count = match &parts {
            Parts::Elements(count) => *count,
            Parts::Fields(list) => list.len() as u64,
        };
        let (mut at, mut most) = (0_u64, 0_u64);
        while let Some(item) = cursor.items.get(cursor.at) {
            let mut target = None;
            if let Some((first, rest)) = item.designators.split_first() {
                if !braced {
                    break;
                }
                let (from, to) = self.designated(first, ty)?;
                at = from;
                most = most.max(to + 1);
                if to > from {
                    for part in from..to {
                        let one = self.part_at(place, &parts, part, span)?;
                        self.init_one(one, &item.init, out)?;
                    }
                    at = to;
                }
                let one = self.part_at(place, &parts, at, span)?;
                target = Some(self.descend(one, rest)?);
            }
            if at >= count {
                if braced {
                    return self.fail(Cause::WrongCount, span, "there are more values here than parts");
                }
                break;
            }
            let one = match target {
                Some(target) => target,
                None => self.part_at(place, &parts, at, span)?,
            };
            self.init_next(one, cursor, out)?;
            at += 1;
            most = most.max(at);
        }
        Some(most)
    }
    /// A part gets the next item, or as many as it has parts itself.
    fn init_next(
        &mut self,
        place: PlaceId,
        cursor: &mut Cursor<'_>,
        out: &mut Vec<(PlaceId, ValueId)>,
    ) -> Option<()> {
        let item = &cursor.items[cursor.at];
        if self.is_aggregate(place)
            && let Init::Expr(expr) = &item.init
            && !self.whole_value(place, expr)
        {
            // A designator named this part, and not the ones within.
            let mut inner = Cursor { items: &cursor.items[cursor.at..], at: 0 };
            if !item.designators.is_empty() {
                self.init_first(place, expr, &mut inner, out)?;
            } else {
                self.fill(place, &mut inner, false, out)?;
            }
            cursor.at += inner.at.max(1);
            return Some(());
        }
        cursor.at += 1;
        self.init_one(place, &item.init, out)
    }
    /// The first scalar within a part gets a value.
    fn init_first(
        &mut self,
        place: PlaceId,
        expr: &Expr,
        cursor: &mut Cursor<'_>,
        out: &mut Vec<(PlaceId, ValueId)>,
    ) -> Option<()> {
        cursor.at = 1;
        let mut place = place;
        while self.is_aggregate(place) {
            let Place { ty, span, .. } = self.code.places[place];
            place = match self.types.get(ty) {
                Ty::Array(..) => {
                    let zero = self.number(0, IntWord::Int, span);
                    self.element(place, zero, span)?
                }
                Ty::Record(record) => {
                    let first = self.types.records[*record].fields.iter().flatten().next()?.ty;
                    self.part(place, Step::Field(0), first)
                }
                _ => return None,
            };
        }
        self.init_expr(place, expr, out)
    }
    /// Whether an expression is the whole of a part, rather than the first value in it.
    fn whole_value(&mut self, place: PlaceId, expr: &Expr) -> bool {
        let ty = self.code.places[place].ty;
        match self.types.get(ty) {
            Ty::Array(of, _) => matches!(expr.kind, ExprKind::Text(_)) && self.types.as_int(*of).is_some(),
            _ => match expr.kind {
                ExprKind::Int(_) | ExprKind::Char(_) | ExprKind::Text(_) | ExprKind::Binary(..) => false,
                _ => {
                    self.quiet += 1;
                    let found = self.type_of(expr);
                    self.quiet -= 1;
                    found == Some(ty)
                }
            },
        }
    }
    fn part_at(&mut self, place: PlaceId, parts: &Parts, at: u64, span: Span) -> Option<PlaceId> {
        match parts {
            Parts::Elements(..) => {
                let index = self.number(i128::from(at), IntWord::Int, span);
                self.element(place, index, span)
            }
            Parts::Fields(list) => {
                let ty = *list.get(at as usize)?;
                Some(self.part(place, Step::Field(at as u32), ty))
            }
        }
    }
    /// The parts that a designator names: from here to there.
    fn designated(&mut self, designator: &Designator, ty: TyId) -> Option<(u64, u64)> {
        match designator {
            Designator::Index(index) => {
                let Some(at) = self.constant(index).and_then(|at| u64::try_from(at).ok()) else {
                    return self.fail(Cause::NotConstant, index.span, "this position must be a constant");
                };
                Some((at, at))
            }
            Designator::Range(from, to) => {
                let bounds = (self.constant(from), self.constant(to));
                let (Some(low), Some(high)) = bounds else {
                    return self.fail(Cause::NotConstant, from.span, "these positions must be constants");
                };
                Some((u64::try_from(low).ok()?, u64::try_from(high).ok()?))
            }
            Designator::Member(name) => {
                let &Ty::Record(record) = self.types.get(ty) else {
                    return self.fail(Cause::TypeMismatch, name.span, "only structures have fields");
                };
                match self.types.field(record, &name.text) {
                    Some((path, ..)) if path.len() == 1 => Some((u64::from(path[0]), u64::from(path[0]))),
                    _ => {
                        self.fail(Cause::UnknownName, name.span, format!("there is no field `{}`", name.text))
                    }
                }
            }
        }
    }
    fn descend(&mut self, place: PlaceId, list: &[Designator]) -> Option<PlaceId> {
        let mut place = place;
        for designator in list {
            let Place { ty, span, .. } = self.code.places[place];
            let (at, _) = self.designated(designator, ty)?;
            let parts = match self.types.get(ty) {
                Ty::Array(..) => Parts::Elements(u64::MAX),
                Ty::Record(record) => Parts::Fields(
                    self.types.records[*record].fields.iter().flatten().map(|field| field.ty).collect(),
                ),
                _ => return None,
            };
            place = self.part_at(place, &parts, at, span)?;
        }
        Some(place)
    }
}

/// The items of a list, and how many have been used.
struct Cursor<'i> {
    items: &'i [InitItem],
    at: usize,
}

enum Parts {
    Elements(u64),
    Fields(Vec<TyId>),
}
