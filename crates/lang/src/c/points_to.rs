//! Points-to analysis: which parts of which objects a pointer may point to (Andersen 1994), over the inlined program.
//!
//! A *region* is an object with the fields that lead into it, where elements of an array are not told apart: `a[].f` is
//! the field `f` of all elements of `a`. A pointer is the number of a region and a position in it. The analysis is
//! inclusion-based and knows no order of statements; fields of structures are told apart.

use indexmap::IndexSet;
use ir::{Id, IdVec};
use rustc_hash::FxBuildHasher;

use super::code::{Base, Code, Instr, ObjectId, ObjectKind, PlaceId, Step, ValueId, ValueNode};
use super::types::{Ty, TyId, Types};

ir::id!(
    /// A part of an object that pointers can point to.
    RegionId
);

/// A part of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Region {
    pub object: ObjectId,
    pub path: Vec<Shape>,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    Field(u32),
    Element,
}

/// What pointers may point to.
#[derive(Debug, Default)]
pub(super) struct PointsTo {
    list: IndexSet<Region, FxBuildHasher>,
    /// What the pointer that lies in a region may point to, in the order in which that was found.
    held: IdVec<RegionId, IndexSet<RegionId, FxBuildHasher>>,
}

impl PointsTo {
    pub fn of_program(code: &Code, types: &Types) -> Self {
        let mut analysis = PointsTo::default();
        let mut flows: Vec<(PlaceId, ValueId)> = vec![];
        let mut copies: Vec<(PlaceId, PlaceId)> = vec![];
        for edge in &code.edges {
            for instr in &edge.instrs {
                match instr {
                    Instr::Set(place, value) if types.is_pointer(code.places[*place].ty) => {
                        flows.push((*place, *value));
                    }
                    Instr::Copy(to, from) => copies.push((*to, *from)),
                    _ => {}
                }
            }
        }
        for object in code.objects.iter() {
            if let ObjectKind::Static(list) = &object.kind {
                flows.extend(list.iter().filter(|(place, _)| types.is_pointer(code.places[*place].ty)));
            }
        }
        loop {
            let mut grown = false;
            for (place, value) in &flows {
                let found = analysis.of_value(code, types, *value);
                for cell in analysis.of_place(code, types, *place) {
                    for region in &found {
                        grown |= analysis.held[cell].insert(*region);
                    }
                }
            }
            for (to, from) in &copies {
                grown |= analysis.copy(code, types, *to, *from);
            }
            if !grown {
                return analysis;
            }
        }
    }
    /// The number of a region.
    pub fn region(&mut self, object: ObjectId, path: Vec<Shape>) -> RegionId {
        let (at, new) = self.list.insert_full(Region { object, path });
        if new {
            self.held.push(IndexSet::default());
        }
        RegionId::at(at)
    }
    pub fn get(&self, id: RegionId) -> &Region {
        &self.list[id.index()]
    }
    pub fn count(&self) -> usize {
        self.list.len()
    }
    pub fn held(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        self.held[region].iter().copied()
    }
    /// The type of what lies in a region.
    pub fn type_of(&self, code: &Code, types: &Types, id: RegionId) -> Option<TyId> {
        let Region { object, path } = self.get(id);
        path.iter().try_fold(code.objects[*object].ty, |ty, step| match (step, types.get(ty)) {
            (Shape::Element, Ty::Array(of, _)) => Some(*of),
            (Shape::Field(number), Ty::Record(record)) => {
                Some(types.records[*record].fields.as_ref()?.get(*number as usize)?.ty)
            }
            _ => None,
        })
    }
    /// The regions that a place may be.
    pub fn of_place(&mut self, code: &Code, types: &Types, place: PlaceId) -> Vec<RegionId> {
        let made = &code.places[place];
        let shape = |path: &mut Vec<Shape>| {
            path.extend(made.steps.iter().map(|step| match step {
                Step::Field(number) => Shape::Field(*number),
                Step::Index(..) => Shape::Element,
            }));
        };
        match made.base {
            Base::Object(object) => {
                let mut path = vec![];
                shape(&mut path);
                vec![self.region(object, path)]
            }
            Base::Deref(pointer) => {
                let target = types.target(code.values[pointer].ty);
                let mut list = vec![];
                for region in self.of_value(code, types, pointer) {
                    let found = self.type_of(code, types, region);
                    if found.zip(target).is_some_and(|(found, target)| alike(types, found, target)) {
                        let Region { object, mut path } = self.get(region).clone();
                        shape(&mut path);
                        list.push(self.region(object, path));
                    }
                }
                list
            }
        }
    }
    /// The regions that a pointer may point to.
    pub fn of_value(&mut self, code: &Code, types: &Types, value: ValueId) -> Vec<RegionId> {
        ir::deep(|| self.of_value_node(code, types, value))
    }
    fn of_value_node(&mut self, code: &Code, types: &Types, value: ValueId) -> Vec<RegionId> {
        match code.values[value].node {
            ValueNode::Load(place) => {
                let mut list = vec![];
                for cell in self.of_place(code, types, place) {
                    for region in self.held(cell) {
                        if !list.contains(&region) {
                            list.push(region);
                        }
                    }
                }
                list
            }
            ValueNode::Convert(inner) | ValueNode::Advance(inner, ..) => self.of_value(code, types, inner),
            ValueNode::Cond(_, a, b) => {
                let mut list = self.of_value(code, types, a);
                for region in self.of_value(code, types, b) {
                    if !list.contains(&region) {
                        list.push(region);
                    }
                }
                list
            }
            ValueNode::Address(place) => self.of_place(code, types, place),
            _ => vec![],
        }
    }
    /// Pointers within arrays that are copied.
    fn copy(&mut self, code: &Code, types: &Types, to: PlaceId, from: PlaceId) -> bool {
        let mut grown = false;
        let leaves = pointer_leaves(types, code.places[to].ty);
        for target in self.of_place(code, types, to) {
            for source in self.of_place(code, types, from) {
                for leaf in &leaves {
                    let mut at = |region: RegionId| {
                        let Region { object, mut path } = self.get(region).clone();
                        path.extend(leaf);
                        self.region(object, path)
                    };
                    let (target, source) = (at(target), at(source));
                    let found: Vec<RegionId> = self.held(source).collect();
                    for region in found {
                        grown |= self.held[target].insert(region);
                    }
                }
            }
        }
        grown
    }
}

/// Whether what is of one type may be accessed as the other: the same, but for the sign of integers.
pub(super) fn alike(types: &Types, a: TyId, b: TyId) -> bool {
    if a == b {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Ty::Int(a), Ty::Int(b)) => types.model.width(*a) == types.model.width(*b),
        (Ty::Pointer(_), Ty::Pointer(_)) => true,
        (Ty::Array(a, _), Ty::Array(b, _)) => a == b,
        _ => false,
    }
}

/// The ways to the pointers within a type.
fn pointer_leaves(types: &Types, ty: TyId) -> Vec<Vec<Shape>> {
    let mut list = vec![];
    leaves(types, ty, &mut vec![], &mut |path, ty| {
        if types.is_pointer(ty) {
            list.push(path.to_vec());
        }
    });
    list
}

/// Every integer and pointer within a type, with the way there.
pub(super) fn leaves(types: &Types, ty: TyId, path: &mut Vec<Shape>, visit: &mut dyn FnMut(&[Shape], TyId)) {
    match types.get(ty) {
        Ty::Int(_) | Ty::Pointer(_) => visit(path, ty),
        Ty::Array(of, _) => {
            path.push(Shape::Element);
            leaves(types, *of, path, visit);
            path.pop();
        }
        Ty::Record(record) => {
            let info = &types.records[*record];
            if info.union {
                return;
            }
            for (number, field) in info.fields.iter().flatten().enumerate() {
                if !field.bits {
                    path.push(Shape::Field(number as u32));
                    leaves(types, field.ty, path, visit);
                    path.pop();
                }
            }
        }
        Ty::Void | Ty::Function(..) | Ty::Opaque(_) => {}
    }
}
