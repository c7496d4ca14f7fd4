//! Types: what values are, how large they are, and what they are made of.
//!
//! Types are numbered, and equal types have equal numbers. What is not read, such as `double`, is a type as well, so that
//! declarations that nobody uses may have it.

use indexmap::IndexSet;
use ir::{Id, IdVec};
use rustc_hash::FxBuildHasher;

use super::DataModel;
use super::ast::IntWord;
use super::code::ObjectId;

ir::id!(
    /// A type.
    TyId
);
ir::id!(
    /// A structure or union.
    RecordId
);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ty {
    Void,
    Int(IntWord),
    Pointer(TyId),
    Array(TyId, Length),
    Record(RecordId),
    /// What it returns, what it takes, and whether that is all.
    Function(TyId, Box<[TyId]>, Takes),
    /// What is not read, by the name of it.
    Opaque(&'static str),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Takes {
    /// These parameters.
    These,
    /// These, and any others behind them.
    More,
    /// Nothing is said.
    Anything,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Length {
    Fixed(u64),
    /// As this object says, which got its value where the array was declared.
    Variable(ObjectId),
    Unknown,
}

#[derive(Debug)]
pub(super) struct Record {
    pub tag: Option<String>,
    pub union: bool,
    /// Nothing as long as it is only declared.
    pub fields: Option<Vec<RecordField>>,
}

#[derive(Clone, Debug)]
pub(super) struct RecordField {
    /// Nothing for structures within that lend their fields.
    pub name: Option<String>,
    pub ty: TyId,
    pub bits: bool,
}

#[derive(Debug)]
pub(super) struct Types {
    list: IndexSet<Ty, FxBuildHasher>,
    pub records: IdVec<RecordId, Record>,
    pub model: DataModel,
}

impl Types {
    pub fn new(model: DataModel) -> Self {
        Types { list: IndexSet::default(), records: IdVec::default(), model }
    }
    pub fn add(&mut self, ty: Ty) -> TyId {
        TyId::at(self.list.insert_full(ty).0)
    }
    pub fn get(&self, id: TyId) -> &Ty {
        &self.list[id.index()]
    }
    /// The objects that hold the lengths of arrays.
    pub fn lengths(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.list.iter().filter_map(|ty| match ty {
            Ty::Array(_, Length::Variable(object)) => Some(*object),
            _ => None,
        })
    }
    pub fn int(&mut self, word: IntWord) -> TyId {
        self.add(Ty::Int(word))
    }
    pub fn pointer(&mut self, to: TyId) -> TyId {
        self.add(Ty::Pointer(to))
    }
    pub fn as_int(&self, id: TyId) -> Option<IntWord> {
        match self.get(id) {
            Ty::Int(word) => Some(*word),
            _ => None,
        }
    }
    pub fn target(&self, id: TyId) -> Option<TyId> {
        match self.get(id) {
            Ty::Pointer(to) => Some(*to),
            _ => None,
        }
    }
    pub fn is_pointer(&self, id: TyId) -> bool {
        matches!(self.get(id), Ty::Pointer(_))
    }
    /// The fields that lead to the one with a name, through structures without one.
    pub fn field(&self, record: RecordId, name: &str) -> Option<(Vec<u32>, TyId, bool)> {
        let fields = self.records[record].fields.as_ref()?;
        for (number, field) in fields.iter().enumerate() {
            match (&field.name, self.get(field.ty)) {
                (Some(known), _) if known == name => {
                    return Some((vec![number as u32], field.ty, field.bits));
                }
                (None, Ty::Record(inner)) => {
                    if let Some((mut path, ty, bits)) = self.field(*inner, name) {
                        path.insert(0, number as u32);
                        return Some((path, ty, bits));
                    }
                }
                _ => {}
            }
        }
        None
    }
    /// Size and alignment in bytes, where they are known.
    pub fn layout(&self, id: TyId) -> Option<(u64, u64)> {
        match self.get(id) {
            Ty::Void | Ty::Function(..) => Some((1, 1)),
            Ty::Int(word) => {
                let size = u64::from(self.model.width(*word)).div_ceil(8);
                let align = if self.model == DataModel::Ilp32 { size.min(4) } else { size };
                Some((size, align))
            }
            Ty::Pointer(_) => Some((self.model.pointer_bytes(), self.model.pointer_bytes())),
            Ty::Array(of, Length::Fixed(count)) => {
                let (size, align) = self.layout(*of)?;
                Some((size.checked_mul(*count)?, align))
            }
            Ty::Array(..) | Ty::Opaque(_) => None,
            Ty::Record(record) => {
                let Record { fields, union, .. } = &self.records[*record];
                let (mut size, mut most) = (0_u64, 1_u64);
                for field in fields.as_ref()? {
                    if field.bits {
                        return None;
                    }
                    let (bytes, align) = self.layout(field.ty)?;
                    most = most.max(align);
                    size = match union {
                        true => size.max(bytes),
                        false => size.next_multiple_of(align).checked_add(bytes)?,
                    };
                }
                Some((size.next_multiple_of(most), most))
            }
        }
    }
    /// The type as the user would write it.
    pub fn words(&self, id: TyId) -> String {
        match self.get(id) {
            Ty::Void => "void".to_owned(),
            Ty::Int(word) => word.words().to_owned(),
            Ty::Pointer(to) => format!("{} *", self.words(*to)),
            Ty::Array(of, Length::Fixed(count)) => format!("{} [{count}]", self.words(*of)),
            Ty::Array(of, _) => format!("{} []", self.words(*of)),
            Ty::Record(record) => {
                let Record { tag, union, .. } = &self.records[*record];
                let kind = if *union { "union" } else { "struct" };
                format!("{kind} {}", tag.as_deref().unwrap_or("without a name"))
            }
            Ty::Function(result, ..) => format!("{} ()", self.words(*result)),
            Ty::Opaque(name) => (*name).to_owned(),
        }
    }
}

impl IntWord {
    pub fn words(self) -> &'static str {
        match self {
            IntWord::Bool => "_Bool",
            IntWord::Char => "char",
            IntWord::SignedChar => "signed char",
            IntWord::UnsignedChar => "unsigned char",
            IntWord::Short => "short",
            IntWord::UnsignedShort => "unsigned short",
            IntWord::Int => "int",
            IntWord::UnsignedInt => "unsigned int",
            IntWord::Long => "long",
            IntWord::UnsignedLong => "unsigned long",
            IntWord::LongLong => "long long",
            IntWord::UnsignedLongLong => "unsigned long long",
        }
    }
}
