//! What several test programs share.

pub mod agreement;
pub mod naive;
