//! Where values live: every integer and every pointer of an object is a variable of the system.
//!
//! A part of a structure is a variable of its own, and so is the same part of all elements of an array, as an array over
//! one index for all dimensions. A pointer is two variables: the number of the region that it points to, counted from 1,
//! and the position in it; 0 is the null pointer, and -1 one that never got a value. Variables come into being when they
//! are first used.

use ir::range::{Declared, Interval};
use ir::{ArrayType, FaultId, FaultKind, Id, Int, Scope, Span, System, Term, Type, Value, VarId, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{BlockItem, Stmt, StmtKind, Unit};
use super::code::{Code, ObjectId, ObjectKind, ValueId, ValueNode};
use super::points_to::{PointsTo, Region, RegionId, Shape};
use super::types::{Length, Ty, TyId, Types};
use crate::view::VariableView;

/// Which of the variables of a leaf.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// The integer, or the region of a pointer.
    Main,
    /// The position of a pointer in its region.
    Index,
}

/// A pointer that points nowhere.
pub(super) const NULL: i64 = 0;
/// A pointer that never got a value.
pub(super) const WILD: i64 = -1;

pub(super) struct Memory {
    pub code: Code,
    pub types: Types,
    pub points_to: PointsTo,
    pub declared: Declared,
    /// The names of functions by number.
    pub functions: Vec<String>,
    vars: FxHashMap<(RegionId, Part), VarId>,
    names: FxHashSet<String>,
    /// Hidden objects that one edge sets and another one reads.
    crossing: FxHashSet<ObjectId>,
    /// Objects that are declared without values.
    undefined: FxHashSet<ObjectId>,
    /// Functions in which a declaration can be jumped past.
    jumping: FxHashSet<usize>,
    /// What values of variables are called.
    pub views: FxHashMap<VarId, VariableView>,
    /// Which objects variables belong to, with the way there in words.
    pub origin: FxHashMap<VarId, (ObjectId, String)>,
    /// Where lines begin.
    lines: Vec<u32>,
    /// The variables of each object.
    by_object: FxHashMap<ObjectId, Vec<VarId>>,
    /// The ways to go wrong so far.
    pub faults: FxHashMap<(FaultKind, Span), FaultId>,
}

/// Which objects are used by more than one edge, and which are declared without values.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub crossing: FxHashSet<ObjectId>,
    pub undefined: FxHashSet<ObjectId>,
}

impl Memory {
    pub fn new(
        code: Code,
        types: Types,
        points_to: PointsTo,
        uses: Uses,
        unit: &Unit,
        lines: Vec<u32>,
    ) -> Self {
        Memory {
            code,
            types,
            points_to,
            declared: Declared::default(),
            functions: unit.functions.iter().map(|function| function.name.text.clone()).collect(),
            vars: FxHashMap::default(),
            names: FxHashSet::default(),
            crossing: uses.crossing,
            undefined: uses.undefined,
            jumping: jumping(unit),
            views: FxHashMap::default(),
            origin: FxHashMap::default(),
            lines,
            by_object: FxHashMap::default(),
            faults: FxHashMap::default(),
        }
    }
    /// The line of a place, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|start| *start <= span.start)
    }
    /// How many elements a region has over all its dimensions: the lengths, outermost first.
    pub fn dimensions(&self, id: RegionId) -> Vec<Length> {
        let Region { object, path } = self.points_to.get(id);
        let mut ty = self.code.objects[*object].ty;
        let mut list = vec![];
        for step in path {
            match (step, self.types.get(ty)) {
                (Shape::Element, Ty::Array(of, length)) => {
                    list.push(*length);
                    ty = *of;
                }
                (Shape::Field(number), Ty::Record(record)) => {
                    let fields = self.types.records[*record].fields.as_ref();
                    let Some(field) = fields.and_then(|fields| fields.get(*number as usize)) else { break };
                    ty = field.ty;
                }
                _ => break,
            }
        }
        list
    }
    pub fn type_of(&self, id: RegionId) -> Option<TyId> {
        self.points_to.type_of(&self.code, &self.types, id)
    }
    /// The variable of a leaf, if anybody used it so far.
    pub fn known(&self, region: RegionId, part: Part) -> Option<VarId> {
        self.vars.get(&(region, part)).copied()
    }
    /// The variables of an object that exist.
    pub fn vars_of_object(&self, object: ObjectId) -> &[VarId] {
        self.by_object.get(&object).map_or(&[], Vec::as_slice)
    }
    /// Whether entries of the array of a region may be no values of their type, since nobody set them.
    pub fn is_untidy(&self, region: RegionId) -> bool {
        let object = self.points_to.get(region).object;
        let lasting = matches!(self.code.objects[object].kind, ObjectKind::Static(_));
        !lasting && (self.undefined.contains(&object) || !self.is_declared_first(object))
    }
    /// The variable of a leaf.
    pub fn var(&mut self, system: &mut System, region: RegionId, part: Part) -> VarId {
        if let Some(known) = self.known(region, part) {
            return known;
        }
        let leaf = self.type_of(region);
        let range = match (leaf.and_then(|ty| self.types.as_int(ty)), part) {
            (Some(word), _) => self.types.model.range(word),
            (None, Part::Main) => Interval { low: WILD.into(), high: self.points_to.count() as i128 + 1 },
            (None, Part::Index) => self.types.model.range(self.types.model.difference_type()),
        };
        let dimensions = self.dimensions(region);
        let ty = match dimensions.is_empty() {
            true => Type::Int,
            false => {
                let total = dimensions.iter().try_fold(1_i64, |total, length| match length {
                    Length::Fixed(count) => total.checked_mul(i64::try_from(*count).ok()?),
                    _ => None,
                });
                let range = total.filter(|total| *total > 0).map(|total| (0, total - 1));
                let array = ArrayType { index: Type::Int, element: Type::Int, range };
                Type::Array(system.terms.types.array(array))
            }
        };
        let object = self.points_to.get(region).object;
        let (name, way) = self.name(region, part);
        let made = &self.code.objects[object];
        let hidden = matches!(made.kind, ObjectKind::Hidden) || self.is_hidden_index(region, part);
        let local = matches!(made.kind, ObjectKind::Hidden) && !self.crossing.contains(&object);
        let span = made.span;
        let variable = Variable {
            name,
            scope: if local { Scope::Local } else { Scope::State },
            range: (ty == Type::Int).then(|| (Int::from_i128(range.low), Int::from_i128(range.high))),
            control: false,
            shown: !hidden,
            span,
        };
        let is_array = ty != Type::Int;
        let var = system.declare(ty, variable);
        self.vars.insert((region, part), var);
        self.by_object.entry(object).or_default().push(var);
        self.origin.insert(var, (object, way));
        let tidy = !is_array || !self.is_untidy(region);
        self.declared.set(var, tidy.then_some(range));
        if !local {
            self.initialise(system, region, part, var, ty);
        }
        if leaf.is_some_and(|ty| self.types.is_pointer(ty)) && part == Part::Main {
            self.name_values(region, var);
        }
        var
    }
    /// The position of a pointer says nothing if it is always the first.
    fn is_hidden_index(&self, region: RegionId, part: Part) -> bool {
        let into_array = |target: RegionId| self.points_to.get(target).path.contains(&Shape::Element);
        part == Part::Index && !self.points_to.held(region).any(into_array)
    }
    fn name(&mut self, region: RegionId, part: Part) -> (String, String) {
        let Region { object, path } = self.points_to.get(region).clone();
        let made = &self.code.objects[object];
        let mut way = String::new();
        let mut ty = made.ty;
        for step in &path {
            match (step, self.types.get(ty)) {
                (Shape::Element, Ty::Array(of, _)) => ty = *of,
                (Shape::Field(number), Ty::Record(record)) => {
                    let fields = self.types.records[*record].fields.as_ref();
                    let Some(field) = fields.and_then(|fields| fields.get(*number as usize)) else { break };
                    if let Some(name) = &field.name {
                        way.push('.');
                        way.push_str(name);
                    }
                    ty = field.ty;
                }
                _ => break,
            }
        }
        if part == Part::Index {
            way.push_str(" position");
        }
        let function = made.function.and_then(|function| self.functions.get(function));
        let home = function.map_or(String::new(), |function| format!("{function}."));
        let mut name = format!("{home}{}{way}", made.name);
        if self.names.contains(&name) {
            name = format!("{home}{}@{}{way}", made.name, self.line(made.span));
        }
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{home}{}#{number}{way}", made.name);
            number += 1;
        }
        (name, way)
    }
    /// What a region is called as the target of a pointer.
    fn region_name(&self, id: RegionId) -> String {
        let Region { object, path } = self.points_to.get(id);
        let mut name = format!("&{}", self.code.objects[*object].name);
        let mut ty = self.code.objects[*object].ty;
        for step in path {
            match (step, self.types.get(ty)) {
                (Shape::Element, Ty::Array(of, _)) => {
                    name.push_str("[]");
                    ty = *of;
                }
                (Shape::Field(number), Ty::Record(record)) => {
                    let fields = self.types.records[*record].fields.as_ref();
                    let Some(field) = fields.and_then(|fields| fields.get(*number as usize)) else { break };
                    name.push('.');
                    name.push_str(field.name.as_deref().unwrap_or("?"));
                    ty = field.ty;
                }
                _ => break,
            }
        }
        name
    }
    fn name_values(&mut self, region: RegionId, var: VarId) {
        let mut values = vec![(NULL, "null".to_owned()), (WILD, "undefined".to_owned())];
        let targets: Vec<RegionId> = self.points_to.held(region).collect();
        values.extend(targets.into_iter().map(|target| (number_of(target), self.region_name(target))));
        if self.dimensions(region).is_empty() {
            self.views.insert(var, VariableView { group: None, values });
        }
    }
    /// What a variable has when the program starts.
    fn initialise(&mut self, system: &mut System, region: RegionId, part: Part, var: VarId, ty: Type) {
        let Region { object, path } = self.points_to.get(region).clone();
        let pointer = self.type_of(region).is_some_and(|ty| self.types.is_pointer(ty));
        let ObjectKind::Static(list) = &self.code.objects[object].kind else {
            // Pointers are known not to point anywhere.
            if pointer {
                let number = if part == Part::Main { WILD } else { 0 };
                let value = self.everywhere(system, ty, number);
                system.initial.push((var, value));
            } else if self.is_declared_first(object) {
                let value = self.everywhere(system, ty, 0);
                system.initial.push((var, value));
            }
            return;
        };
        let mut entries: Vec<(i64, i128)> = vec![];
        let mut scalar = 0;
        for (place, value) in list.clone() {
            let made = &self.code.places[place];
            let mut shape = vec![];
            let (mut at, mut fine) = (0_i64, true);
            for step in &made.steps {
                match step {
                    super::code::Step::Field(number) => shape.push(Shape::Field(*number)),
                    super::code::Step::Index(index, ty) => {
                        shape.push(Shape::Element);
                        let length = match self.types.get(*ty) {
                            Ty::Array(_, Length::Fixed(count)) => i64::try_from(*count).unwrap_or(0),
                            _ => 0,
                        };
                        match self.code.values[*index].node {
                            ValueNode::Int(index) => {
                                at = at.saturating_mul(length).saturating_add(index as i64);
                            }
                            _ => fine = false,
                        }
                    }
                }
            }
            if shape != path || !fine {
                continue;
            }
            let number = self.constant(value, part);
            scalar = number;
            entries.push((at, number));
        }
        let value = match ty {
            Type::Array(array) => {
                // The last word counts.
                let last: FxHashMap<i64, i128> = entries.into_iter().collect();
                let mut sorted: Vec<(i64, i128)> =
                    last.into_iter().filter(|(_, value)| *value != 0).collect();
                sorted.sort_unstable();
                let default = system.terms.int(0);
                let mut entries: Vec<(Term, Term)> = vec![];
                for (at, value) in sorted {
                    entries.push((system.terms.int(at), system.terms.constant(constant(value))));
                }
                system.terms.array(array, default, &entries)
            }
            _ => system.terms.constant(constant(scalar)),
        };
        system.initial.push((var, value));
    }
    /// Whether an object gets a value, or loses it, before anybody can look at it: then what it has before is no matter.
    fn is_declared_first(&self, object: ObjectId) -> bool {
        let made = &self.code.objects[object];
        match made.kind {
            ObjectKind::Hidden => true,
            ObjectKind::Local => made.function.is_some_and(|function| !self.jumping.contains(&function)),
            ObjectKind::External | ObjectKind::Static(_) => false,
        }
    }
    fn everywhere(&self, system: &mut System, ty: Type, number: i64) -> Term {
        let value = system.terms.int(number);
        match ty {
            Type::Array(array) => system.terms.fill(array, value),
            _ => value,
        }
    }
    /// A value that is known before the program runs: a number or an address.
    fn constant(&mut self, value: ValueId, part: Part) -> i128 {
        match self.code.values[value].node {
            ValueNode::Int(number) => number,
            ValueNode::Convert(inner) => self.constant(inner, part),
            ValueNode::Address(place) => {
                let regions = self.points_to.of_place(&self.code, &self.types, place);
                match part {
                    Part::Main => regions.first().map_or(NULL, |region| number_of(*region)).into(),
                    Part::Index => self.position(place).into(),
                }
            }
            ValueNode::Advance(inner, by, sign) => {
                let base = self.constant(inner, part);
                let by = match self.code.values[by].node {
                    ValueNode::Int(by) if part == Part::Index => by,
                    _ => 0,
                };
                match sign {
                    super::code::Sign::Plus => base.saturating_add(by),
                    super::code::Sign::Minus => base.saturating_sub(by),
                }
            }
            _ => 0,
        }
    }
    fn position(&self, place: super::code::PlaceId) -> i64 {
        let mut at = 0_i64;
        for step in &self.code.places[place].steps {
            if let super::code::Step::Index(index, ty) = step
                && let Ty::Array(_, Length::Fixed(count)) = self.types.get(*ty)
                && let ValueNode::Int(index) = self.code.values[*index].node
            {
                at = at.saturating_mul(*count as i64).saturating_add(index as i64);
            }
        }
        at
    }
}

/// The functions with a `goto` or a `switch`.
fn jumping(unit: &Unit) -> FxHashSet<usize> {
    fn jumps(stmt: &Stmt) -> bool {
        ir::deep(|| match &stmt.kind {
            StmtKind::Goto(_) | StmtKind::Switch(..) => true,
            StmtKind::Labelled(_, body)
            | StmtKind::Case(_, _, body)
            | StmtKind::Default(body)
            | StmtKind::While(_, body)
            | StmtKind::Do(body, _)
            | StmtKind::For(_, _, _, body) => jumps(body),
            StmtKind::If(_, then, other) => jumps(then) || other.as_deref().is_some_and(jumps),
            StmtKind::Block(items) => {
                items.iter().any(|item| matches!(item, BlockItem::Stmt(stmt) if jumps(stmt)))
            }
            _ => false,
        })
    }
    let functions = unit.functions.iter().enumerate();
    functions.filter(|(_, function)| jumps(&function.body)).map(|(number, _)| number).collect()
}

/// The number by which pointers know a region.
pub(super) fn number_of(region: RegionId) -> i64 {
    region.index() as i64 + 1
}

/// A constant.
pub(super) fn constant(value: i128) -> Value {
    Value::Int(Int::from_i128(value))
}
