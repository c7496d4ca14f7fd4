//! How fast large invariants are checked; by hand: `cargo test --release -p certify -- --ignored --nocapture`.

use super::*;

/// Many counters and a few inputs: about 50,000 states.
const LARGE: &str = "
    var a : integer = 0  var b : integer = 0  var c : integer = 0  var d : integer = 0
    var go : boolean = false  var up : boolean = false
    env { havoc go; havoc up; }
    trans { assume go && up && a < 18; a := a + 1; if (a == 5) { d := 1 - d; } }
       or { assume go && !up && b < 18; b := b + 1; }
       or { assume !go && up && c < 18; c := c + 1; }
       or { assume !go && !up; }
    init { }
";

fn rate(name: &str, system: &System, target: Term, invariant: &Invariant) {
    let start = Instant::now();
    let effort = check_invariant(system, target, invariant, &GO_ON).unwrap();
    let rate = effort.obligations as f64 / start.elapsed().as_secs_f64();
    println!("{name}: {} entries, {rate:.0} obligations/s, {effort:?}", invariant.entries.len());
}

#[test]
#[ignore = "a measurement"]
fn obligations_per_second() {
    let (system, target) = load(LARGE, "a <= 18 && b <= 18 && c <= 18 && d <= 1");
    let invariant = state_by_state(&system);
    rate("state by state", &system, target, &invariant);
    // The same with the values hidden from everything but a solver.
    let mut hidden = invariant.clone();
    for entry in &mut hidden.entries {
        let terms = &mut hidden.terms;
        let (formula, one) = (entry.formula, terms.int(1));
        let same = terms.rewrite(formula, &mut |terms, t| match *terms.node(t) {
            ir::Node::Eq(a, b) if terms.type_of(a) == ir::Type::Int => {
                let next = terms.add([b, one]);
                let (low, high) = (terms.le(b, a), terms.lt(a, next));
                Some(terms.and([low, high]))
            }
            _ => None,
        });
        entry.formula = same;
    }
    rate("by solver", &system, target, &hidden);
}
