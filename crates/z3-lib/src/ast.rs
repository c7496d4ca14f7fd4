//! Sorts, declarations and expressions: counted handles, constructors and inspection.

use std::ffi::{CString, c_uint};
use std::fmt;

use crate::context::{Context, Failure, call};
use crate::ffi::Ptr;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name {
            context: Context,
            raw: Ptr,
        }

        impl $name {
            pub(crate) fn new(context: &Context, raw: Ptr) -> Result<Self, Failure> {
                if raw.is_null() {
                    return Err(context.failure().unwrap_or(Failure::Other("no result".into())));
                }
                call!(context, inc_ref, raw);
                Ok($name { context: context.clone(), raw })
            }
            pub(crate) fn raw(&self) -> Ptr {
                self.raw
            }
            /// The context this belongs to.
            pub fn context(&self) -> &Context {
                &self.context
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                call!(&self.context, inc_ref, self.raw);
                $name { context: self.context.clone(), raw: self.raw }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                call!(&self.context, dec_ref, self.raw);
            }
        }

        /// Equal objects of one context are the same object.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.raw == other.raw
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.raw.hash(state);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.context.text(call!(&self.context, ast_to_string, self.raw)))
            }
        }
    };
}

handle!(
    /// A sort.
    Sort
);
handle!(
    /// A declaration of a constant, function or predicate.
    Decl
);
handle!(
    /// An expression.
    Ast
);

/// What an expression is, as far as results are read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The truth value.
    Bool(bool),
    /// A number, `7` or `-3/4`.
    Number(String),
    /// A constant or an application of something declared.
    Declared,
    /// A variable bound outside, by its index.
    Bound(u32),
    /// An operator by its SMT-LIB name.
    Op(&'static str),
    /// The array that is the same everywhere.
    ConstArray,
    /// The array given by a function.
    AsArray,
    /// Whether something is the literal that [`Ast::function`] gives.
    Is,
    /// Something else.
    Other,
}

impl Context {
    /// Objects of another context would be addresses of nothing here.
    ///
    /// # Panics
    /// If there are some.
    pub(crate) fn own<'a>(&self, contexts: impl IntoIterator<Item = &'a Context>) {
        assert!(contexts.into_iter().all(|other| other.is(self)), "operands of one context");
    }
    fn check(&self, asts: &[&Ast]) {
        self.own(asts.iter().map(|ast| ast.context()));
    }
    /// The addresses of operands, all of this context.
    pub(crate) fn raw_list(&self, list: &[Ast]) -> Vec<Ptr> {
        self.own(list.iter().map(Ast::context));
        list.iter().map(|ast| ast.raw).collect()
    }
    fn symbol(&self, name: &str) -> Ptr {
        let name = CString::new(name.replace('\0', "?")).expect("zeros are replaced");
        call!(self, mk_string_symbol, name.as_ptr())
    }

    /// The sort of truth values.
    pub fn bool_sort(&self) -> Result<Sort, Failure> {
        Sort::new(self, call!(self, mk_bool_sort))
    }
    /// The sort of integers.
    pub fn int_sort(&self) -> Result<Sort, Failure> {
        Sort::new(self, call!(self, mk_int_sort))
    }
    /// The sort of reals.
    pub fn real_sort(&self) -> Result<Sort, Failure> {
        Sort::new(self, call!(self, mk_real_sort))
    }
    /// The sort of total maps.
    pub fn array_sort(&self, index: &Sort, element: &Sort) -> Result<Sort, Failure> {
        self.own([index.context(), element.context()]);
        Sort::new(self, call!(self, mk_array_sort, index.raw(), element.raw()))
    }
    /// A new sort with the literals `name!0`, `name!1`, and so on, and these literals.
    pub fn enum_sort(&self, name: &str, count: usize) -> Result<(Sort, Vec<Ast>), Failure> {
        let symbols: Vec<Ptr> = (0..count).map(|at| self.symbol(&format!("{name}!{at}"))).collect();
        let mut constants = vec![std::ptr::null_mut(); count];
        let mut testers = vec![std::ptr::null_mut(); count];
        let raw = call!(
            self,
            mk_enumeration_sort,
            self.symbol(name),
            count as c_uint,
            symbols.as_ptr(),
            constants.as_mut_ptr(),
            testers.as_mut_ptr(),
        );
        let sort = Sort::new(self, raw)?;
        let literals = constants.into_iter().map(|raw| Decl::new(self, raw)?.apply(&[]));
        Ok((sort, literals.collect::<Result<_, _>>()?))
    }
    /// A predicate over these sorts.
    pub fn predicate(&self, name: &str, domain: &[Sort]) -> Result<Decl, Failure> {
        self.own(domain.iter().map(Sort::context));
        let raw: Vec<Ptr> = domain.iter().map(|sort| sort.raw).collect();
        let range = self.bool_sort()?;
        let symbol = self.symbol(name);
        Decl::new(self, call!(self, mk_func_decl, symbol, raw.len() as c_uint, raw.as_ptr(), range.raw))
    }
    /// The constant of this name and sort.
    pub fn constant(&self, name: &str, sort: &Sort) -> Result<Ast, Failure> {
        self.own([sort.context()]);
        Ast::new(self, call!(self, mk_const, self.symbol(name), sort.raw))
    }
    /// A constant that does not occur anywhere else.
    pub fn fresh(&self, sort: &Sort) -> Result<Ast, Failure> {
        self.own([sort.context()]);
        Ast::new(self, call!(self, mk_fresh_const, c"fresh".as_ptr(), sort.raw))
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Result<Ast, Failure> {
        Ast::new(self, if value { call!(self, mk_true) } else { call!(self, mk_false) })
    }
    /// A number of the given sort from its digits, `7` or `-3/4`.
    pub fn number(&self, digits: &str, sort: &Sort) -> Result<Ast, Failure> {
        self.own([sort.context()]);
        let digits = CString::new(digits).map_err(|_| Failure::Other("not a number".into()))?;
        Ast::new(self, call!(self, mk_numeral, digits.as_ptr(), sort.raw))
    }
    /// A small number of the given sort.
    pub fn small(&self, value: i64, sort: &Sort) -> Result<Ast, Failure> {
        self.own([sort.context()]);
        Ast::new(self, call!(self, mk_int64, value, sort.raw))
    }
    /// Negation.
    pub fn not(&self, a: &Ast) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_not, a.raw))
    }
    /// Conjunction.
    pub fn and(&self, list: &[Ast]) -> Result<Ast, Failure> {
        let raw = self.raw_list(list);
        Ast::new(self, call!(self, mk_and, raw.len() as c_uint, raw.as_ptr()))
    }
    /// Disjunction.
    pub fn or(&self, list: &[Ast]) -> Result<Ast, Failure> {
        let raw = self.raw_list(list);
        Ast::new(self, call!(self, mk_or, raw.len() as c_uint, raw.as_ptr()))
    }
    /// Implication.
    pub fn implies(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_implies, a.raw, b.raw))
    }
    /// Equality, also of truth values.
    pub fn eq(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_eq, a.raw, b.raw))
    }
    /// If-then-else.
    pub fn ite(&self, condition: &Ast, then: &Ast, otherwise: &Ast) -> Result<Ast, Failure> {
        self.check(&[condition, then, otherwise]);
        Ast::new(self, call!(self, mk_ite, condition.raw, then.raw, otherwise.raw))
    }
    /// Less or equal.
    pub fn le(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_le, a.raw, b.raw))
    }
    /// Less.
    pub fn lt(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_lt, a.raw, b.raw))
    }
    /// Sum.
    pub fn add(&self, list: &[Ast]) -> Result<Ast, Failure> {
        let raw = self.raw_list(list);
        Ast::new(self, call!(self, mk_add, raw.len() as c_uint, raw.as_ptr()))
    }
    /// Product.
    pub fn mul(&self, list: &[Ast]) -> Result<Ast, Failure> {
        let raw = self.raw_list(list);
        Ast::new(self, call!(self, mk_mul, raw.len() as c_uint, raw.as_ptr()))
    }
    /// Quotient: Euclidean on integers, exact on reals, anything when dividing by zero.
    pub fn div(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_div, a.raw, b.raw))
    }
    /// Euclidean remainder, anything when dividing by zero.
    pub fn modulo(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_mod, a.raw, b.raw))
    }
    /// The opposite number.
    pub fn minus(&self, a: &Ast) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_unary_minus, a.raw))
    }
    /// The sort of vectors of so many bits.
    pub fn vector_sort(&self, width: u32) -> Result<Sort, Failure> {
        Sort::new(self, call!(self, mk_bv_sort, width))
    }
    /// The opposite of a vector of bits, modulo two to their number.
    pub fn vector_neg(&self, a: &Ast) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_bvneg, a.raw))
    }
    /// The sum of vectors of bits, modulo two to their number.
    pub fn vector_add(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvadd, a.raw, b.raw))
    }
    /// The product of vectors of bits, modulo two to their number.
    pub fn vector_mul(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvmul, a.raw, b.raw))
    }
    /// The quotient of vectors without a sign.
    pub fn unsigned_div(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvudiv, a.raw, b.raw))
    }
    /// The remainder of vectors without a sign.
    pub fn unsigned_rem(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvurem, a.raw, b.raw))
    }
    /// The quotient of vectors with a sign, rounded towards zero.
    pub fn signed_div(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvsdiv, a.raw, b.raw))
    }
    /// The remainder of vectors with a sign, which has the sign of the divisor.
    pub fn signed_mod(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvsmod, a.raw, b.raw))
    }
    /// The bits that both vectors have.
    pub fn vector_and(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvand, a.raw, b.raw))
    }
    /// The bits that one of the vectors has.
    pub fn vector_or(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvor, a.raw, b.raw))
    }
    /// The bits in which vectors differ.
    pub fn vector_xor(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvxor, a.raw, b.raw))
    }
    /// Less or equal, of vectors with a sign.
    pub fn signed_le(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvsle, a.raw, b.raw))
    }
    /// Less, of vectors with a sign.
    pub fn signed_lt(&self, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        self.check(&[a, b]);
        Ast::new(self, call!(self, mk_bvslt, a.raw, b.raw))
    }
    /// A vector with so many more bits, copies of its sign.
    pub fn sign_extended(&self, a: &Ast, by: u32) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_sign_ext, by, a.raw))
    }
    /// A vector with so many more bits, which are zero.
    pub fn zero_extended(&self, a: &Ast, by: u32) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_zero_ext, by, a.raw))
    }
    /// The bits of a vector from one down to another.
    pub fn extract(&self, a: &Ast, high: u32, low: u32) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_extract, high, low, a.raw))
    }
    /// An integer as a real.
    pub fn to_real(&self, a: &Ast) -> Result<Ast, Failure> {
        self.check(&[a]);
        Ast::new(self, call!(self, mk_int2real, a.raw))
    }
    /// The entry of an array.
    pub fn select(&self, array: &Ast, index: &Ast) -> Result<Ast, Failure> {
        self.check(&[array, index]);
        Ast::new(self, call!(self, mk_select, array.raw, index.raw))
    }
    /// The array with one entry replaced.
    pub fn store(&self, array: &Ast, index: &Ast, value: &Ast) -> Result<Ast, Failure> {
        self.check(&[array, index, value]);
        Ast::new(self, call!(self, mk_store, array.raw, index.raw, value.raw))
    }
    /// The array over `index` that is `value` everywhere.
    pub fn const_array(&self, index: &Sort, value: &Ast) -> Result<Ast, Failure> {
        self.own([index.context(), value.context()]);
        Ast::new(self, call!(self, mk_const_array, index.raw, value.raw))
    }
    /// `body` for all values of these constants.
    pub fn forall(&self, constants: &[Ast], body: &Ast) -> Result<Ast, Failure> {
        if constants.is_empty() {
            return Ok(body.clone());
        }
        self.check(&[body]);
        let raw = self.raw_list(constants);
        let count = raw.len() as c_uint;
        let none = std::ptr::null();
        Ast::new(self, call!(self, mk_forall_const, 0, count, raw.as_ptr(), 0, none, body.raw))
    }
}

impl Decl {
    /// The application to these arguments.
    pub fn apply(&self, arguments: &[Ast]) -> Result<Ast, Failure> {
        let context = &self.context;
        let raw = context.raw_list(arguments);
        Ast::new(context, call!(context, mk_app, self.raw, raw.len() as c_uint, raw.as_ptr()))
    }
}

impl Ast {
    /// What this is.
    pub fn kind(&self) -> Kind {
        let context = &self.context;
        match call!(context, get_ast_kind, self.raw) {
            0 => Kind::Number(context.text(call!(context, get_numeral_string, self.raw))),
            1 => {
                let decl = call!(context, get_app_decl, self.raw);
                operator(call!(context, get_decl_kind, decl) as c_uint)
            }
            2 => Kind::Bound(call!(context, get_index_value, self.raw)),
            _ => Kind::Other,
        }
    }
    /// The sort.
    pub fn sort(&self) -> Result<Sort, Failure> {
        Sort::new(&self.context, call!(&self.context, get_sort, self.raw))
    }
    /// Whether this is a real number, not an integer.
    pub fn is_real(&self) -> bool {
        let sort = call!(&self.context, get_sort, self.raw);
        call!(&self.context, get_sort_kind, sort) == 3
    }
    /// How many bits this has; 0 if it is no vector of bits.
    pub fn bits(&self) -> u32 {
        let sort = call!(&self.context, get_sort, self.raw);
        match call!(&self.context, get_sort_kind, sort) {
            4 => call!(&self.context, get_bv_sort_size, sort),
            _ => 0,
        }
    }
    /// A number that the operator of this comes with, for example the lowest bit of an `extract`.
    pub fn parameter(&self, at: u32) -> Option<i32> {
        let context = &self.context;
        if call!(context, get_ast_kind, self.raw) != 1 {
            return None;
        }
        let decl = call!(context, get_app_decl, self.raw);
        let is_int = at < call!(context, get_decl_num_parameters, decl)
            && call!(context, get_decl_parameter_kind, decl, at) == 0;
        is_int.then(|| call!(context, get_decl_int_parameter, decl, at))
    }
    /// The operands of an application.
    pub fn children(&self) -> Result<Vec<Ast>, Failure> {
        let context = &self.context;
        if call!(context, get_ast_kind, self.raw) != 1 {
            return Ok(vec![]);
        }
        let count = call!(context, get_app_num_args, self.raw);
        (0..count).map(|at| Ast::new(context, call!(context, get_app_arg, self.raw, at))).collect()
    }
    /// The declaration that is a parameter of this one: the function of an [`Kind::AsArray`], the literal
    /// of a [`Kind::Is`]. Nothing else has one.
    pub fn function(&self) -> Result<Decl, Failure> {
        if !matches!(self.kind(), Kind::AsArray | Kind::Is) {
            return Err(Failure::Other(format!("{self:?} has no function")));
        }
        let decl = call!(&self.context, get_app_decl, self.raw);
        Decl::new(&self.context, call!(&self.context, get_decl_func_decl_parameter, decl, 0))
    }
}

/// Numbers of `Z3_decl_kind`.
fn operator(kind: c_uint) -> Kind {
    match kind {
        0x100 => Kind::Bool(true),
        0x101 => Kind::Bool(false),
        0x102 => Kind::Op("="),
        0x103 => Kind::Op("distinct"),
        0x104 => Kind::Op("ite"),
        0x105 => Kind::Op("and"),
        0x106 => Kind::Op("or"),
        0x107 => Kind::Op("="),
        0x108 => Kind::Op("xor"),
        0x109 => Kind::Op("not"),
        0x10a => Kind::Op("=>"),
        0x202 => Kind::Op("<="),
        0x203 => Kind::Op(">="),
        0x204 => Kind::Op("<"),
        0x205 => Kind::Op(">"),
        0x206 => Kind::Op("+"),
        0x207 => Kind::Op("-"),
        0x208 => Kind::Op("neg"),
        0x209 => Kind::Op("*"),
        0x20a => Kind::Op("/"),
        0x20b => Kind::Op("div"),
        0x20c => Kind::Op("rem"),
        0x20d => Kind::Op("mod"),
        0x20e => Kind::Op("to_real"),
        0x300 => Kind::Op("store"),
        0x301 => Kind::Op("select"),
        0x302 => Kind::ConstArray,
        0x30a => Kind::AsArray,
        0x801 | 0x802 => Kind::Is,
        // A constructor of an enumeration or something uninterpreted.
        0x403 => Kind::Op("bvneg"),
        0x404 => Kind::Op("bvadd"),
        0x405 => Kind::Op("bvsub"),
        0x406 => Kind::Op("bvmul"),
        0x408 | 0x438 => Kind::Op("bvudiv"),
        0x40a | 0x43a => Kind::Op("bvurem"),
        0x411 => Kind::Op("bvule"),
        0x412 => Kind::Op("bvsle"),
        0x413 => Kind::Op("bvuge"),
        0x414 => Kind::Op("bvsge"),
        0x415 => Kind::Op("bvult"),
        0x416 => Kind::Op("bvslt"),
        0x417 => Kind::Op("bvugt"),
        0x418 => Kind::Op("bvsgt"),
        0x419 => Kind::Op("bvand"),
        0x41a => Kind::Op("bvor"),
        0x41b => Kind::Op("bvnot"),
        0x41c => Kind::Op("bvxor"),
        0x420 => Kind::Op("concat"),
        0x421 => Kind::Op("sign_extend"),
        0x422 => Kind::Op("zero_extend"),
        0x423 => Kind::Op("extract"),
        0x428 => Kind::Op("bvshl"),
        0x429 => Kind::Op("bvlshr"),
        0x800 | 0xb000.. => Kind::Declared,
        _ => Kind::Other,
    }
}
