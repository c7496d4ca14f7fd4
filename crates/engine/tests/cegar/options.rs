//! Each option does what it says, and what makes no sense is refused.

use crate::choices;

#[test]
fn the_committed_array_covers_all_pairs() {
    let generated: Vec<String> = choices::pairwise().iter().map(choices::spell).collect();
    let committed: Vec<String> = choices::committed().iter().map(choices::spell).collect();
    assert_eq!(committed, generated, "`cargo xtask matrix --list` writes benches/cegar_pairwise.txt anew");
}
