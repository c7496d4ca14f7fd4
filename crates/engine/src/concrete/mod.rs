//! Concrete data, packed and compiled: what explicit search and the zone graph share.
//!
//! A value is a machine word ([`word`]), the discrete part of a state a row of bits ([`layout`],
//! [`store`]), an action flat code ([`op`], [`code`]) run by a small machine ([`vm`]). Clocks are no data: the
//! machine hands what happens to them to a [`vm::Time`].

pub(crate) mod word;
pub(crate) mod layout;
pub(crate) mod store;
pub(crate) mod op;
pub(crate) mod code;
pub(crate) mod vm;
