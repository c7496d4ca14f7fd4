//! Small timed systems.
