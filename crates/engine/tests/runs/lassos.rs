//! Abstraction refinement for lassos, by all its searches and refinements.

use std::cell::Cell;
use std::path::Path;

use ir::{Claim, PathClaim, PathWords};
use lang::xsts::{self, arbitrary};
use proptest::prelude::*;
use thetis_engine::{
    Cegar, CegarStatistics, Config, Domain, Engine, InitialPrecision, LassoRefinement, LassoSearch, Prune,
    Refinement,
};

use super::{answered, asked, atoms, graph, oracle, random_formula};

/// Abstraction refinement with these choices.
pub fn refining(cegar: Cegar) -> Config {
    Config { engine: Engine::Cegar, cegar, ..Config::default() }
}

/// Every search with every refinement.
pub fn ways() -> impl Iterator<Item = Cegar> {
    LassoSearch::ALL.iter().flat_map(|search| {
        LassoRefinement::ALL.iter().map(|refinement| Cegar {
            lasso_search: *search,
            lasso_refinement: *refinement,
            ..Cegar::default()
        })
    })
}

/// Counts to a number and stays there.
fn counter(to: u32) -> String {
    format!(
        "var x : integer = 0 trans {{ choice {{ assume x < {to}; x := x + 1; }} or {{ assume x == {to}; }} }} init {{ }}
         env {{ }} prop {{ true }}"
    )
}

/// The formulas of the report of 2019 about a counter, all of which hold.
fn formulas(to: u32) -> [String; 4] {
    let (there, half) = (format!("\"x == {to}\""), to / 2);
    [
        format!("G F {there}"),
        format!("F G {there}"),
        format!("F {there}"),
        format!("\"x < {half}\" U G \"x >= {half}\""),
    ]
}

fn counted(to: u32, formula: &str, cegar: Cegar) -> CegarStatistics {
    let (system, question) = asked(&counter(to), formula);
    let (verdict, statistics) = answered(&system, &question, &refining(cegar));
    assert_eq!(verdict, "holds", "{formula}");
    statistics.cegar.expect("abstraction refinement counts")
}

#[test]
fn rankings_do_not_care_how_far_a_counter_counts() {
    for (near, far) in formulas(100).into_iter().zip(formulas(1_000_000)) {
        let near = counted(100, &near, Cegar::default());
        let far = counted(1_000_000, &far, Cegar::default());
        assert_eq!((near.iterations, near.nodes), (far.iterations, far.nodes));
    }
}

/// The report abstracts by predicates that each state decides, from no predicate on; it searches depth first, twice, makes the
/// graph anew after every refinement, refutes paths by one interpolant where they end to be feasible, and cycles by
/// folding. So each refinement tells one more value of the counter from those above: there it took 101 to count to 100.
#[test]
fn folding_takes_as_many_refinements_as_in_the_report() {
    let cegar = Cegar {
        domain: Domain::PredSplit,
        initial_precision: Some(InitialPrecision::Empty),
        lasso_search: LassoSearch::Ndfs,
        lasso_refinement: LassoRefinement::Direct,
        refinement: Refinement::FwBinItp,
        prune: Prune::Full,
        ..Cegar::default()
    };
    let statistics = counted(100, "F \"x == 100\"", cegar);
    // The last iteration refines nothing.
    assert_eq!(statistics.iterations - 1, 101);
}

/// A search that enters no node twice leaves `B` before it knows that the way back by `C` is accepting.
#[test]
fn no_search_misses_a_cycle() {
    let trap = "type Place : { I, A, B, C } var at : Place = I var p : boolean = false
        trans { assume at == I; at := A; p := false; } or { assume at == A; at := B; p := false; }
            or { assume at == A; at := C; p := true; } or { assume at == B; at := A; p := false; }
            or { assume at == C; at := B; p := false; }
        init { } env { } prop { true }";
    let (system, question) = asked(trap, "F G !p");
    for cegar in ways() {
        for domain in [Domain::PredCart, Domain::PredSplit, Domain::Expl, Domain::ExplPredCombined] {
            let config = refining(cegar.for_domain(domain));
            assert_eq!(answered(&system, &question, &config).0, "violated", "{config}");
        }
    }
}

/// No state is ever visited twice, so no lasso closes.
#[test]
fn runs_that_never_come_back() {
    let growing = "var x : integer = 0 var y : integer = 0 trans { x := x + 1; y := y + x; } init { } env { }
        prop { true }";
    for formula in ["F \"x < 0\"", "G F \"x == 3\"", "F G \"y <= x\""] {
        let (system, question) = asked(growing, formula);
        let (verdict, _) = answered(&system, &question, &refining(Cegar::default()));
        assert_eq!(verdict, "violated", "{formula}");
    }
}

/// Functions that decrease one after the other: `y` by one each time, and then `x`, which lets `y` begin again anywhere.
#[test]
fn rankings_are_lexicographic() {
    let nested = "var x : integer = 10 var y : integer = 0
        trans { assume y > 0; y := y - 1; } or { assume x > 0; assume y <= 0; x := x - 1; havoc y; }
            or { assume x <= 0; assume y <= 0; }
        init { } env { } prop { true }";
    let (system, question) = asked(nested, "F \"x <= 0\"");
    let (verdict, _) = answered(&system, &question, &refining(Cegar::default()));
    assert_eq!(verdict, "holds");
}

#[test]
fn every_way_agrees_on_random_models() {
    let runs = sampling::runs(200, 31_415);
    let cases = runs.cases;
    let (round, answers, open) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let inputs = (arbitrary::model(), proptest::collection::vec(any::<u8>(), 12));
    let show = |(model, choices): &(xsts::ast::Model, Vec<u8>)| {
        format!("{}\n{}", xsts::print(model), random_formula(choices).display(|atom| format!("a{atom}")))
    };
    sampling::check(runs, &inputs, show, |(model, choices)| {
        let mut system = xsts::load(&xsts::print(&model)).unwrap().system;
        let (atoms, formula) = (atoms(&mut system), random_formula(&choices));
        let Some(graph) = graph(&mut system, &atoms) else { return Ok(()) };
        let expected = if oracle::is_violated(&graph, &formula, 2) { "violated" } else { "holds" };
        let undefined = system.terms.bool(false);
        let path = system.paths.push(PathClaim { words: PathWords::Satisfy(formula), atoms, undefined });
        let question = system.question(Claim::Every(path));
        // Each model is asked in a quarter of all ways, each quarter in another domain.
        let domains =
            [Domain::PredCart, Domain::Expl, Domain::PredSplit, Domain::ExplPredCart, Domain::PredBool];
        let domain = domains[round.get() % domains.len()];
        for cegar in ways().skip(round.get() % 4).step_by(4) {
            let config = Config { call_limit: Some(300), ..refining(cegar.for_domain(domain)) };
            match answered(&system, &question, &config).0 {
                "unknown" => open.set(open.get() + 1),
                found if found == expected => answers.set(answers.get() + 1),
                found => return Err(format!("{config} says {found}, not {expected}")),
            }
        }
        round.set(round.get() + 1);
        Ok(())
    });
    let (answers, open) = (answers.get(), open.get());
    eprintln!("{cases} random models: {answers} answers, {open} open");
    assert!(cases < 100 || answers > 10 * open && answers > cases, "{answers} answers, {open} open");
}

/// The tasks about runs of XSTS models whose verdicts are known: all of them by default, and in a few other ways with few
/// questions, which may leave them open.
#[test]
fn tasks_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(manifest) = std::fs::read_to_string(corpus.join("manifest.csv")) else {
        println!("skipped: {} is not there", corpus.display());
        return;
    };
    let domains = [Domain::PredCart, Domain::Expl, Domain::PredSplit, Domain::ExplPredCombined];
    for (round, row) in manifest.lines().filter(|row| row.starts_with("ltl-xsts-")).enumerate() {
        let fields: Vec<&str> = row.split(',').collect();
        let [name, _, file, formula, _, expected, ..] = fields[..] else { panic!("{row}") };
        let mut model = xsts::load(&std::fs::read_to_string(corpus.join(file)).unwrap()).unwrap();
        let claim = model.parse_property("p", &format!("ltl: {formula}")).unwrap().claim;
        let question = model.system.question(claim);
        let found = answered(&model.system, &question, &refining(Cegar::default())).0;
        assert_eq!(found, expected, "{name}");
        for (number, cegar) in ways().enumerate().skip(round % 4).step_by(4) {
            let config = refining(cegar.for_domain(domains[number % 5 % domains.len()]));
            let config = Config { call_limit: Some(300), ..config };
            let found = answered(&model.system, &question, &config).0;
            assert!(found == expected || found == "unknown", "{name} by {config}: {found}");
        }
    }
}
