//! The state of elaboration: names, types and declarations, and the program under construction.
//!
//! Only what `main` reaches is elaborated, so a header full of declarations costs nothing and may contain anything: objects
//! of file scope come into being where they are first used, and what is wrong with a type is said where the type is.

use ir::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::DataModel;
use super::ast::*;
use super::code::{
    Base as PlaceBase, Code, Instr, Object, ObjectId, ObjectKind, PlaceId, Point, PointId, Role, Step,
    ValueId, ValueNode,
};
use super::order::Access as Logged;
use super::types::{Length, Record, RecordField, RecordId, Takes, Ty, TyId, Types};
use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::nearest::nearest;

/// How many points a program may have when its functions are inlined.
pub(super) const MAX_POINTS: usize = 300_000;

/// The number of an atom by its name and arguments, if that is one; none within, if it is none of the model's.
pub type Atoms<'a> = &'a dyn Fn(&str, &[Expr]) -> Option<Option<u32>>;

pub(super) struct Elaborator<'a> {
    pub unit: &'a Unit,
    pub types: Types,
    pub code: Code,
    pub diagnostics: &'a mut Diagnostics,
    /// File scope first, the innermost block last.
    pub scopes: Vec<Scope>,
    pub globals: Vec<Global<'a>>,
    /// The functions with a body, by name.
    pub functions: FxHashMap<&'a str, usize>,
    /// The types of functions that are declared.
    pub prototypes: FxHashMap<String, TyId>,
    /// The calls that the program is in, `main` first.
    pub frames: Vec<Frame<'a>>,
    /// Where the program is; nowhere behind what never returns.
    pub here: Option<Here>,
    /// What the expression under evaluation has read and written so far.
    pub log: Vec<Logged>,
    /// Hidden objects by where and what for.
    hidden: FxHashMap<(u32, u32, Purpose), ObjectId>,
    /// Local variables by where they are declared.
    locals: FxHashMap<u32, ObjectId>,
    /// Structures by where they are written.
    records: FxHashMap<u32, RecordId>,
    /// Where calls lead that do not return, by the name of the function.
    pub stops: FxHashMap<String, PointId>,
    pub end: Option<PointId>,
    /// Whether mistakes are nobody's business: only a type is asked for.
    pub quiet: u32,
    pub too_large: bool,
    /// What only questions know.
    pub atoms: Option<Atoms<'a>>,
}

/// What a hidden object is for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Purpose {
    Saved,
    Result,
    Nondet,
    Length,
    Literal,
    Truth,
    Text,
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub symbols: FxHashMap<String, Symbol>,
    pub tags: FxHashMap<String, Tag>,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Symbol {
    Object(ObjectId),
    /// An object of file scope, by number.
    Global(usize),
    Function,
    Constant(i128),
    Type(TyId),
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(IntWord),
}

/// An object of file scope, or one of a function that lives as long.
pub(super) struct Global<'a> {
    pub name: &'a Name,
    pub ty: TyId,
    pub init: Option<&'a Init>,
    /// Whether it is only declared here.
    pub external: bool,
    pub volatile: bool,
    pub object: Option<ObjectId>,
}

/// A call that the program is in.
pub(super) struct Frame<'a> {
    pub function: usize,
    pub exit: PointId,
    pub result: Option<PlaceId>,
    pub labels: FxHashMap<&'a str, PointId>,
    /// The labels that some `goto` names.
    pub targets: FxHashSet<&'a str>,
    pub breaks: Vec<PointId>,
    pub continues: Vec<PointId>,
    pub switches: Vec<Switch>,
}

/// The cases of a `switch` so far.
pub(super) struct Switch {
    pub ty: IntWord,
    pub cases: Vec<(i128, i128, PointId)>,
    pub default: Option<PointId>,
}

/// An edge under construction.
#[derive(Debug)]
pub(super) struct Here {
    pub from: PointId,
    pub instrs: Vec<Instr>,
    pub span: Span,
}

impl<'a> Elaborator<'a> {
    pub fn new(unit: &'a Unit, model: DataModel, diagnostics: &'a mut Diagnostics) -> Self {
        let mut cx = Elaborator {
            unit,
            types: Types::new(model),
            code: Code::default(),
            diagnostics,
            scopes: vec![Scope::default()],
            globals: vec![],
            functions: FxHashMap::default(),
            prototypes: FxHashMap::default(),
            frames: vec![],
            here: None,
            log: vec![],
            hidden: FxHashMap::default(),
            locals: FxHashMap::default(),
            records: FxHashMap::default(),
            stops: FxHashMap::default(),
            end: None,
            quiet: 0,
            too_large: false,
            atoms: None,
        };
        cx.quiet = 1;
        for item in &unit.order {
            match item {
                Item::Declaration(number) => cx.file_declaration(&unit.declarations[*number]),
                Item::Function(number) => {
                    let function = &unit.functions[*number];
                    let base = cx.base(&function.base);
                    let ty = cx.derive(base, &function.derived);
                    cx.prototypes.insert(function.name.text.clone(), ty);
                    cx.functions.insert(&function.name.text, *number);
                    cx.scopes[0].symbols.insert(function.name.text.clone(), Symbol::Function);
                }
            }
        }
        cx.quiet = 0;
        cx
    }
    pub fn error(&mut self, code: Cause, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.quiet == 0 {
            self.diagnostics.push(diagnostic);
        }
    }
    /// What is wrong, as the end of an attempt.
    pub fn fail<T>(&mut self, code: Cause, span: Span, message: impl Into<String>) -> Option<T> {
        self.error(code, span, message);
        None
    }
    /// Something is right and not read.
    pub fn unsupported<T>(&mut self, code: Cause, span: Span, what: &str) -> Option<T> {
        self.fail(code, span, format!("{what} is not supported in what `main` reaches"))
    }

    fn file_declaration(&mut self, declaration: &'a Declaration) {
        let base = self.base(&declaration.base);
        for declarator in &declaration.declarators {
            let Some(name) = &declarator.name else { continue };
            let ty = self.derive(base, &declarator.derived);
            if declaration.storage == Storage::Typedef {
                self.scopes[0].symbols.insert(name.text.clone(), Symbol::Type(ty));
            } else if matches!(self.types.get(ty), Ty::Function(..)) {
                self.prototypes.entry(name.text.clone()).or_insert(ty);
                self.scopes[0].symbols.insert(name.text.clone(), Symbol::Function);
            } else {
                self.global(declaration, declarator, name, ty);
            }
        }
    }
    fn global(&mut self, declaration: &'a Declaration, declarator: &'a Declarator, name: &'a Name, ty: TyId) {
        let external = declaration.storage == Storage::Extern && declarator.init.is_none();
        let volatile = declaration.base.volatile;
        if let Some(Symbol::Global(known)) = self.scopes[0].symbols.get(&name.text) {
            let known = &mut self.globals[*known];
            if declarator.init.is_some() {
                (known.init, known.name) = (declarator.init.as_ref(), name);
            }
            if !matches!(self.types.get(ty), Ty::Array(_, Length::Unknown)) {
                known.ty = ty;
            }
            known.external &= external;
            return;
        }
        self.scopes[0].symbols.insert(name.text.clone(), Symbol::Global(self.globals.len()));
        let init = declarator.init.as_ref();
        self.globals.push(Global { name, ty, init, external, volatile, object: None });
    }
    /// The object of file scope, which comes into being.
    pub fn global_object(&mut self, number: usize) -> Option<ObjectId> {
        let Global { name, ty, init, external, volatile, object } = self.globals[number];
        if object.is_some() {
            return object;
        }
        let ty = match init {
            Some(init) => self.completed(ty, init)?,
            None => ty,
        };
        let kind = if external { ObjectKind::External } else { ObjectKind::Static(vec![]) };
        let made = Object { name: name.text.clone(), ty, kind, span: name.span, function: None, volatile };
        let id = self.code.objects.push(made);
        self.globals[number].object = Some(id);
        if let Some(init) = init {
            self.static_init(id, init);
        }
        Some(id)
    }
    /// Gives an object that lives for ever its first values.
    pub fn static_init(&mut self, object: ObjectId, init: &'a Init) {
        // Wherever the program is, it does not do this.
        let here = self.here.take();
        let scopes = self.scopes.split_off(1);
        let mark = self.log.len();
        let list = self.init_values(object, init).and_then(|list| self.constants(list));
        self.log.truncate(mark);
        self.scopes.extend(scopes);
        self.here = here;
        if let Some(list) = list {
            self.code.objects[object].kind = ObjectKind::Static(list);
        }
    }

    /// First values, which are known before the program runs: numbers and addresses.
    fn constants(&mut self, list: Vec<(PlaceId, ValueId)>) -> Option<Vec<(PlaceId, ValueId)>> {
        let mut out = vec![];
        for (place, value) in list {
            let ty = self.code.places[place].ty;
            let span = self.code.values[value].span;
            let value = match self.fold(value) {
                Some(number) if self.types.as_int(ty).is_some() => {
                    self.code.value(ValueNode::Int(number), ty, span)
                }
                Some(0) if self.types.is_pointer(ty) => continue,
                _ if self.types.is_pointer(ty) && self.is_address(value) => value,
                _ => {
                    let message =
                        "what lives for ever is initialised by a constant or the address of such a thing";
                    return self.fail(Cause::NotConstant, span, message);
                }
            };
            out.push((place, value));
        }
        Some(out)
    }
    fn is_address(&self, value: ValueId) -> bool {
        match self.code.values[value].node {
            ValueNode::Convert(inner) => self.is_address(inner),
            ValueNode::Advance(inner, by, _) => {
                self.is_address(inner) && matches!(self.code.values[by].node, ValueNode::Int(_))
            }
            ValueNode::Address(place) => {
                let place = &self.code.places[place];
                let fixed = place.steps.iter().all(|step| match step {
                    Step::Field(_) => true,
                    Step::Index(index, _) => matches!(self.code.values[*index].node, ValueNode::Int(_)),
                });
                let lasting = match place.base {
                    PlaceBase::Object(object) => {
                        matches!(self.code.objects[object].kind, ObjectKind::Static(_) | ObjectKind::External)
                    }
                    PlaceBase::Deref(_) => false,
                };
                fixed && lasting
            }
            _ => false,
        }
    }

    /// A name, from the innermost scope on.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.symbols.get(name)).copied()
    }
    pub fn unknown<T>(&mut self, span: Span, name: &str) -> Option<T> {
        let known = self.scopes.iter().flat_map(|scope| scope.symbols.keys().map(String::as_str));
        let near = nearest(name, known).map(str::to_owned);
        self.report(Diagnostic::unknown(span, "variable", name, near.as_deref()));
        None
    }
    pub fn bind(&mut self, name: &str, symbol: Symbol) {
        let innermost = self.scopes.last_mut().expect("there is file scope");
        innermost.symbols.insert(name.to_owned(), symbol);
    }
    /// What nobody wrote, one for each place and purpose.
    pub fn hidden(&mut self, ty: TyId, span: Span, purpose: Purpose, name: String) -> ObjectId {
        let key = (span.start, span.end, purpose);
        if let Some(known) = self.hidden.get(&key).filter(|known| self.code.objects[**known].ty == ty) {
            return *known;
        }
        let function = self.frames.last().map(|frame| frame.function);
        let made = Object { name, ty, kind: ObjectKind::Hidden, span, function, volatile: false };
        let id = self.code.objects.push(made);
        self.hidden.insert(key, id);
        id
    }
    /// A local variable, one for each declaration.
    pub fn local(&mut self, name: &Name, ty: TyId, volatile: bool) -> ObjectId {
        if let Some(known) = self.locals.get(&name.span.start) {
            self.code.objects[*known].ty = ty;
            return *known;
        }
        let function = self.frames.last().map(|frame| frame.function);
        let made = Object {
            name: name.text.clone(),
            ty,
            kind: ObjectKind::Local,
            span: name.span,
            function,
            volatile,
        };
        let id = self.code.objects.push(made);
        self.locals.insert(name.span.start, id);
        id
    }
    /// A variable of a function that lives for ever, if it is known already.
    pub fn known_local(&self, name: &Name) -> Option<ObjectId> {
        self.locals.get(&name.span.start).copied()
    }
    /// The whole of an object.
    pub fn whole(&mut self, object: ObjectId, span: Span) -> PlaceId {
        let ty = self.code.objects[object].ty;
        self.code.place(PlaceBase::Object(object), vec![], ty, span)
    }

    pub fn new_point(&mut self) -> PointId {
        if self.code.points.len() >= MAX_POINTS && !self.too_large {
            self.too_large = true;
            let span = self.here.as_ref().map_or(Span::default(), |here| here.span);
            self.quiet = 0;
            self.error(
                Cause::TooLarge,
                span,
                format!("the program has more than {MAX_POINTS} points when its functions are inlined"),
            );
        }
        if self.too_large {
            self.here = None;
        }
        let function = self.frames.last().map_or(0, |frame| frame.function);
        self.code.points.push(Point { function, ..Point::default() })
    }
    /// Where the program ends.
    pub fn end_point(&mut self) -> PointId {
        if let Some(end) = self.end {
            return end;
        }
        let end = self.new_point();
        self.code.points[end].role = Role::End;
        self.end = Some(end);
        end
    }
    /// Where a call leads that does not return.
    pub fn stop_point(&mut self, name: &str) -> PointId {
        if let Some(known) = self.stops.get(name) {
            return *known;
        }
        let stop = self.new_point();
        self.code.points[stop].role = Role::Stop(name.to_owned());
        self.stops.insert(name.to_owned(), stop);
        stop
    }

    // Types.

    pub fn base(&mut self, base: &Base) -> TyId {
        let ty = match &base.kind {
            BaseKind::Void => Ty::Void,
            BaseKind::Int(word) => Ty::Int(*word),
            BaseKind::Named(name) => match self.symbol(name) {
                Some(Symbol::Type(ty)) => return ty,
                _ => match &**name {
                    "size_t" => Ty::Int(self.types.model.size_type()),
                    _ => Ty::Opaque("an unknown type"),
                },
            },
            BaseKind::Record { union, tag, fields } => {
                let record = self.record(base.span, *union, tag.as_deref(), fields.as_deref());
                Ty::Record(record)
            }
            BaseKind::Enum { tag, items } => Ty::Int(self.enumeration(tag.as_deref(), items)),
            BaseKind::TypeOf(expr) => return self.type_of(expr).unwrap_or_else(|| self.opaque("`typeof`")),
            BaseKind::TypeOfType(name) => return self.type_name(name),
            BaseKind::Unsupported(what) => Ty::Opaque(what),
        };
        self.types.add(ty)
    }
    fn opaque(&mut self, what: &'static str) -> TyId {
        self.types.add(Ty::Opaque(what))
    }
    fn record(&mut self, at: Span, union: bool, tag: Option<&str>, fields: Option<&[Field]>) -> RecordId {
        let innermost = self.scopes.len() - 1;
        let visible = tag.and_then(|tag| {
            let mut scopes = self.scopes.iter().enumerate().rev();
            scopes.find_map(|(level, scope)| match scope.tags.get(tag) {
                Some(Tag::Record(id)) => Some((level, *id)),
                _ => None,
            })
        });
        let Some(fields) = fields else {
            if let Some((_, id)) = visible {
                return id;
            }
            return self.new_record(union, tag);
        };
        let id = match (visible, self.records.get(&at.start)) {
            (_, Some(known)) => {
                let known = *known;
                if let Some(tag) = tag {
                    self.scopes[innermost].tags.insert(tag.to_owned(), Tag::Record(known));
                }
                return known;
            }
            (Some((level, id)), _) if level == innermost && self.types.records[id].fields.is_none() => id,
            _ => self.new_record(union, tag),
        };
        self.records.insert(at.start, id);
        let mut list = vec![];
        for field in fields {
            let base = self.base(&field.base);
            for (name, derived, bits) in &field.declarators {
                let ty = self.derive(base, derived);
                let name = name.as_ref().map(|name| name.text.clone());
                list.push(RecordField { name, ty, bits: *bits });
            }
        }
        self.types.records[id].fields = Some(list);
        id
    }
    fn new_record(&mut self, union: bool, tag: Option<&str>) -> RecordId {
        let id = self.types.records.push(Record { tag: tag.map(str::to_owned), union, fields: None });
        if let Some(tag) = tag {
            let innermost = self.scopes.last_mut().expect("there is file scope");
            innermost.tags.insert(tag.to_owned(), Tag::Record(id));
        }
        id
    }
    /// The type of an enumeration, as gcc has it: `unsigned int` unless there is a negative value.
    fn enumeration(&mut self, tag: Option<&str>, items: &[(Name, Option<Expr>)]) -> IntWord {
        if items.is_empty() {
            let known = tag.and_then(|tag| self.scopes.iter().rev().find_map(|scope| scope.tags.get(tag)));
            return match known {
                Some(Tag::Enum(word)) => *word,
                _ => IntWord::UnsignedInt,
            };
        }
        let mut next = 0_i128;
        let mut negative = false;
        for (name, value) in items {
            if let Some(value) = value {
                next = self.constant(value).unwrap_or(next);
            }
            negative |= next < 0;
            self.bind(&name.text, Symbol::Constant(next));
            next += 1;
        }
        let word = if negative { IntWord::Int } else { IntWord::UnsignedInt };
        if let Some(tag) = tag {
            let innermost = self.scopes.last_mut().expect("there is file scope");
            innermost.tags.insert(tag.to_owned(), Tag::Enum(word));
        }
        word
    }
    pub fn type_name(&mut self, name: &TypeName) -> TyId {
        let base = self.base(&name.base);
        self.derive(base, &name.derived)
    }
    /// What derivations make of a type; the length of an array is a constant here.
    pub fn derive(&mut self, base: TyId, list: &[Derived]) -> TyId {
        list.iter().fold(base, |ty, derived| match derived {
            Derived::Pointer => self.types.pointer(ty),
            Derived::Array(size) => {
                let length = match size {
                    None => Length::Unknown,
                    Some(size) => match self.constant(size).map(u64::try_from) {
                        Some(Ok(count)) => Length::Fixed(count),
                        _ => Length::Unknown,
                    },
                };
                self.types.add(Ty::Array(ty, length))
            }
            Derived::Function(params, variadic) => {
                let list: Vec<TyId> = params.iter().map(|param| self.param_type(param)).collect();
                let void = self.types.add(Ty::Void);
                let takes = match (&list[..], variadic) {
                    (_, Variadic::Yes) => Takes::More,
                    ([], _) => Takes::Anything,
                    _ => Takes::These,
                };
                let list = if list == [void] { Box::default() } else { list.into() };
                self.types.add(Ty::Function(ty, list, takes))
            }
            Derived::OldFunction(_) => self.types.add(Ty::Function(ty, Box::default(), Takes::Anything)),
            Derived::Unsupported(what) => self.types.add(Ty::Opaque(what)),
        })
    }
    /// The type of a parameter: arrays and functions are pointers.
    pub fn param_type(&mut self, param: &Param) -> TyId {
        let base = self.base(&param.base);
        let ty = self.derive(base, &param.derived);
        self.adjusted(ty)
    }
    pub fn adjusted(&mut self, ty: TyId) -> TyId {
        match *self.types.get(ty) {
            Ty::Array(of, _) => self.types.pointer(of),
            Ty::Function(..) => self.types.pointer(ty),
            _ => ty,
        }
    }

    // Constants.

    /// The value of an expression, if it is known before the program runs.
    pub fn constant(&mut self, expr: &Expr) -> Option<i128> {
        let here = self.here.take();
        let mark = self.log.len();
        let value = self.value(expr);
        self.log.truncate(mark);
        self.here = here;
        self.fold(value?)
    }
    /// The number that a value is, if it is one whatever happens.
    pub fn fold(&self, value: ValueId) -> Option<i128> {
        ir::deep(|| self.fold_node(value))
    }
    fn fold_node(&self, value: ValueId) -> Option<i128> {
        let made = self.code.values[value];
        let model = self.types.model;
        let truth = |value: bool| Some(i128::from(value));
        let exact = match made.node {
            ValueNode::Int(value) => return Some(value),
            ValueNode::Null => return Some(0),
            ValueNode::Convert(inner) => self.fold(inner)?,
            ValueNode::Negate(inner) => -self.fold(inner)?,
            ValueNode::Complement(inner) => -self.fold(inner)? - 1,
            ValueNode::Not(inner) => return truth(self.fold(inner)? == 0),
            ValueNode::And(a, b) => return truth(self.fold(a)? != 0 && self.fold(b)? != 0),
            ValueNode::Or(a, b) => return truth(self.fold(a)? != 0 || self.fold(b)? != 0),
            ValueNode::Cond(c, a, b) => return self.fold(if self.fold(c)? != 0 { a } else { b }),
            ValueNode::Compare(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                return truth(match op {
                    Binary::Lt => a < b,
                    Binary::Le => a <= b,
                    Binary::Gt => a > b,
                    Binary::Ge => a >= b,
                    Binary::Eq => a == b,
                    _ => a != b,
                });
            }
            ValueNode::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                let width = model.width(self.types.as_int(made.ty)?);
                match op {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::Mul => a.checked_mul(b)?,
                    Binary::Div => a.checked_div(b)?,
                    Binary::Rem => a.checked_rem(b)?,
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    Binary::Xor => a ^ b,
                    Binary::Shl if (0..i128::from(width)).contains(&b) => a.checked_shl(b as u32)?,
                    Binary::Shr if (0..i128::from(width)).contains(&b) => a >> b,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(model.converted(exact, self.types.as_int(made.ty)?))
    }
    pub fn int_type(&mut self) -> TyId {
        self.types.int(IntWord::Int)
    }
    pub fn number(&mut self, value: i128, word: IntWord, span: Span) -> ValueId {
        let ty = self.types.int(word);
        self.code.value(ValueNode::Int(value), ty, span)
    }
    pub fn is_at_home(&self, object: ObjectId) -> bool {
        let function = self.code.objects[object].function;
        function.is_none_or(|function| self.frames.iter().any(|frame| frame.function == function))
    }
}
