//! The waist of Thetis: terms, statements and systems, and their exact meaning.
//!
//! Front-ends lower to [`System`], engines read it, [`interp`] says what it means.
//!
//! ```
//! use thetis_ir::{Span, System, Type, Variable, interp::Interp};
//!
//! // A system with a counter that starts at 0, and one execution of `n := n + 1` from there.
//! let mut system = System::default();
//! let n = system.declare(Type::Int, Variable::state("n", Span::default()));
//! let (zero, one, now) = (system.terms.int(0), system.terms.int(1), system.terms.var(n));
//! let more = system.terms.add([now, one]);
//! let (reset, count) = (system.terms.assign(n, zero), system.terms.assign(n, more));
//! let stmt = system.terms.seq([reset, count]);
//! let mut ends = vec![];
//! let keep = &mut |outcome: thetis_ir::interp::Outcome| {
//!     ends.push(outcome.values[0].clone());
//!     true
//! };
//! Interp::new(&system, None).successors(stmt, &system.arbitrary_state(), keep).unwrap();
//! assert_eq!(ends, [Some(thetis_ir::Value::int(1))]);
//! ```

mod action;
pub mod automaton;
pub mod blocks;
mod cause;
mod clock;
mod elapse;
pub mod eval;
mod evidence;
pub mod fairness;
mod fault;
mod id;
mod idle;
pub mod interp;
mod interval;
pub mod ltl;
mod memo;
pub mod monitor;
mod monolithic;
mod number;
mod print;
mod priority;
mod question;
pub mod range;
pub mod replay;
mod response;
mod simplify;
mod stmt;
mod straight;
mod system;
mod target;
mod term;
mod uneven;
mod unfold;
mod urgency;
mod value;
mod way_back;
pub mod within;
mod wp;

pub use action::{
    Action, Actions, Joint, Outgoing, VectorId, actions, fault_target, goes_wrong, has_undefined, initial,
    invariant, joints, step,
};
pub use cause::NamedVar;
pub use clock::{ClockAtom, Cube, NoCubes, clock_atom, cubes, eventually};
pub use elapse::{Elapsed, delay_length, elapse, replace_delays, spell_out};
pub use evidence::{
    Argument, Blocks, Certificate, ClockRange, ClosedSet, Cycle, Decision, Descent, Edges, Head, Invariant,
    InvariantEntry, KInductive, Limit, Measure, Pairs, Progress, Ranking, Returns, Run, State, Step, Zone,
    ZoneSet,
};
pub use fault::{Checked, Faults, Guarded};
pub use id::{Id, IdVec};
pub use idle::{NoIdling, idle};
pub use interval::{Interval, interval, passable, passable_all};
pub use monolithic::{Frame, Known, Monolithic, NoView, Transition};
pub use number::{Int, NumberError, Rat};
pub use print::dot_text;
pub use priority::{Priorities, needs_quantifiers};
pub use question::{PathQuestion, Question, Words};
pub use response::Response;
pub use simplify::{Valuation, simplify};
pub use stmt::{Stmt, StmtNode};
pub use straight::{leads_to, straight};
pub use system::*;
pub use target::{NoTarget, at_locations, at_state, given_deadlock, mentions_deadlock};
pub use term::{
    Bitwise, Node, Term, Terms, VarId, bitwise, compare, modulo, plus, quotient, remainder, times,
};
pub use uneven::{copies, stopwatches, uneven_clock};
pub use unfold::{Steps, unfold};
pub use urgency::{NoInstant, Urgency, Wait, first_instants, passing, upper_bounds, urgency};
pub use value::{ArrayId, ArrayType, ArrayValue, EnumId, EnumType, Type, Types, Value};
pub use way_back::{NoWayBack, WayBack};
pub use wp::wp;

/// Runs `f` with enough stack for one more level of nesting, whatever the depth of the input.
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, f)
}
