//! The functions of the C interface, as a table that is filled from the loaded library.
//!
//! Signatures follow `z3_api.h`, `z3_fixedpoint.h` and `z3_spacer.h`, whose functions have been stable
//! over all versions that are accepted. All handles are opaque pointers.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

/// Any object of the C interface.
pub type Ptr = *mut c_void;
/// A text that belongs to the library.
pub type Text = *const c_char;
/// Called by the library when something goes wrong.
pub type ErrorHandler = Option<unsafe extern "C" fn(Ptr, c_int)>;

macro_rules! functions {
    ($(fn $name:ident($($ty:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions that are used, without their prefix.
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
            /// Keeps the functions above valid.
            _library: Library,
        }

        impl Api {
            /// Fills the table.
            pub fn load(library: Library) -> Result<Api, libloading::Error> {
                #[expect(unsafe_code, reason = "the types of the functions are only known here")]
                // SAFETY: the signatures are those of the C interface, and the library lives as long
                // as the table.
                unsafe {
                    Ok(Api {
                        $($name: *library.get(concat!("Z3_", stringify!($name), "\0").as_bytes())?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    fn global_param_set(Text, Text);
    fn mk_config() -> Ptr;
    fn del_config(Ptr);
    fn mk_context_rc(Ptr) -> Ptr;
    fn del_context(Ptr);
    fn set_error_handler(Ptr, ErrorHandler);
    fn get_error_code(Ptr) -> c_int;
    fn get_error_msg(Ptr, c_int) -> Text;
    fn interrupt(Ptr);
    fn eval_smtlib2_string(Ptr, Text) -> Text;
    fn inc_ref(Ptr, Ptr);
    fn dec_ref(Ptr, Ptr);

    fn mk_string_symbol(Ptr, Text) -> Ptr;
    fn mk_params(Ptr) -> Ptr;
    fn params_inc_ref(Ptr, Ptr);
    fn params_dec_ref(Ptr, Ptr);
    fn params_set_bool(Ptr, Ptr, Ptr, bool);
    fn params_set_uint(Ptr, Ptr, Ptr, c_uint);
    fn params_set_symbol(Ptr, Ptr, Ptr, Ptr);

    fn mk_bool_sort(Ptr) -> Ptr;
    fn mk_int_sort(Ptr) -> Ptr;
    fn mk_real_sort(Ptr) -> Ptr;
    fn mk_array_sort(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_enumeration_sort(Ptr, Ptr, c_uint, *const Ptr, *mut Ptr, *mut Ptr) -> Ptr;
    fn mk_const(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_fresh_const(Ptr, Text, Ptr) -> Ptr;
    fn mk_func_decl(Ptr, Ptr, c_uint, *const Ptr, Ptr) -> Ptr;
    fn mk_app(Ptr, Ptr, c_uint, *const Ptr) -> Ptr;
    fn mk_true(Ptr) -> Ptr;
    fn mk_false(Ptr) -> Ptr;
    fn mk_not(Ptr, Ptr) -> Ptr;
    fn mk_and(Ptr, c_uint, *const Ptr) -> Ptr;
    fn mk_or(Ptr, c_uint, *const Ptr) -> Ptr;
    fn mk_implies(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_eq(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_ite(Ptr, Ptr, Ptr, Ptr) -> Ptr;
    fn mk_le(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_lt(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_add(Ptr, c_uint, *const Ptr) -> Ptr;
    fn mk_mul(Ptr, c_uint, *const Ptr) -> Ptr;
    fn mk_div(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_mod(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_unary_minus(Ptr, Ptr) -> Ptr;
    fn mk_int2real(Ptr, Ptr) -> Ptr;
    fn mk_bv_sort(Ptr, c_uint) -> Ptr;
    fn get_bv_sort_size(Ptr, Ptr) -> c_uint;
    fn mk_bvneg(Ptr, Ptr) -> Ptr;
    fn mk_bvadd(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvmul(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvudiv(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvurem(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvsdiv(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvsmod(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvand(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvor(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvxor(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvsle(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_bvslt(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_sign_ext(Ptr, c_uint, Ptr) -> Ptr;
    fn mk_zero_ext(Ptr, c_uint, Ptr) -> Ptr;
    fn mk_extract(Ptr, c_uint, c_uint, Ptr) -> Ptr;
    fn mk_select(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_store(Ptr, Ptr, Ptr, Ptr) -> Ptr;
    fn mk_const_array(Ptr, Ptr, Ptr) -> Ptr;
    fn mk_numeral(Ptr, Text, Ptr) -> Ptr;
    fn mk_int64(Ptr, i64, Ptr) -> Ptr;
    fn mk_forall_const(Ptr, c_uint, c_uint, *const Ptr, c_uint, *const Ptr, Ptr) -> Ptr;

    fn get_sort(Ptr, Ptr) -> Ptr;
    fn get_sort_kind(Ptr, Ptr) -> c_int;
    fn get_ast_kind(Ptr, Ptr) -> c_int;
    fn get_app_decl(Ptr, Ptr) -> Ptr;
    fn get_app_num_args(Ptr, Ptr) -> c_uint;
    fn get_app_arg(Ptr, Ptr, c_uint) -> Ptr;
    fn get_decl_kind(Ptr, Ptr) -> c_int;
    fn get_decl_func_decl_parameter(Ptr, Ptr, c_uint) -> Ptr;
    fn get_decl_num_parameters(Ptr, Ptr) -> c_uint;
    fn get_decl_parameter_kind(Ptr, Ptr, c_uint) -> c_int;
    fn get_decl_int_parameter(Ptr, Ptr, c_uint) -> c_int;
    fn get_index_value(Ptr, Ptr) -> c_uint;
    fn get_numeral_string(Ptr, Ptr) -> Text;
    fn ast_to_string(Ptr, Ptr) -> Text;

    fn mk_simple_solver(Ptr) -> Ptr;
    fn solver_inc_ref(Ptr, Ptr);
    fn solver_dec_ref(Ptr, Ptr);
    fn solver_set_params(Ptr, Ptr, Ptr);
    fn solver_push(Ptr, Ptr);
    fn solver_pop(Ptr, Ptr, c_uint);
    fn solver_assert(Ptr, Ptr, Ptr);
    fn solver_check_assumptions(Ptr, Ptr, c_uint, *const Ptr) -> c_int;
    fn solver_get_model(Ptr, Ptr) -> Ptr;
    fn solver_get_unsat_core(Ptr, Ptr) -> Ptr;
    fn solver_get_reason_unknown(Ptr, Ptr) -> Text;
    fn ast_vector_inc_ref(Ptr, Ptr);
    fn ast_vector_dec_ref(Ptr, Ptr);
    fn ast_vector_size(Ptr, Ptr) -> c_uint;
    fn ast_vector_get(Ptr, Ptr, c_uint) -> Ptr;

    fn model_inc_ref(Ptr, Ptr);
    fn model_dec_ref(Ptr, Ptr);
    fn model_eval(Ptr, Ptr, Ptr, bool, *mut Ptr) -> bool;
    fn model_get_func_interp(Ptr, Ptr, Ptr) -> Ptr;
    fn func_interp_inc_ref(Ptr, Ptr);
    fn func_interp_dec_ref(Ptr, Ptr);
    fn func_interp_get_num_entries(Ptr, Ptr) -> c_uint;
    fn func_interp_get_entry(Ptr, Ptr, c_uint) -> Ptr;
    fn func_interp_get_else(Ptr, Ptr) -> Ptr;
    fn func_entry_inc_ref(Ptr, Ptr);
    fn func_entry_dec_ref(Ptr, Ptr);
    fn func_entry_get_arg(Ptr, Ptr, c_uint) -> Ptr;
    fn func_entry_get_value(Ptr, Ptr) -> Ptr;

    fn mk_fixedpoint(Ptr) -> Ptr;
    fn fixedpoint_inc_ref(Ptr, Ptr);
    fn fixedpoint_dec_ref(Ptr, Ptr);
    fn fixedpoint_set_params(Ptr, Ptr, Ptr);
    fn fixedpoint_register_relation(Ptr, Ptr, Ptr);
    fn fixedpoint_add_rule(Ptr, Ptr, Ptr, Ptr);
    fn fixedpoint_query(Ptr, Ptr, Ptr) -> c_int;
    fn fixedpoint_get_cover_delta(Ptr, Ptr, c_int, Ptr) -> Ptr;
    fn fixedpoint_get_reason_unknown(Ptr, Ptr) -> Text;
}
