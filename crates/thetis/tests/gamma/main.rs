//! Gamma compositions: the product against a naive reading of the same text.
//!
//! Certificates and runs are about the system that the front-end makes, so they cannot tell whether it is the one
//! that the text means. The naive reading ([`naive`]) follows `docs/statecharts.md` and shares nothing with the
//! product but the parser. Here it is tried itself, by models with what is expected of them ([`expected`]) and by
//! traces that others have written ([`published`]). Then random models are put to both ([`agreement`]).

mod agreement;
mod arbitrary;
mod expected;
mod naive;
mod published;
