//! The invariants of the graph, checked.
