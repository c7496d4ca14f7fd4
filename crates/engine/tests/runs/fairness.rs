//! Fairness: random systems with one location against a search over graphs whose states also tell the last step, where
//! what is enabled and taken is found by execution and not from conditions.

use std::cell::RefCell;

use ir::fairness::{FairnessError, Item, Strength, assume};

use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{
    Claim, Edge, EdgeId, Guarded, Id, Location, LocationKind, PathClaim, PathWords, Process, ProcessId,
    Property, Span, State, System, Term, Type, Variable,
};
use proptest::prelude::*;
use thetis_engine::Engine;

use super::{oracle, random_formula, successors, verdict};

/// Two numbers from 0 to 2, and edges that each look at one and set one, made of decisions.
fn system(choices: &[u8]) -> System {
    let mut system = System::default();
    let vars: Vec<_> = ["x", "y"]
        .into_iter()
        .map(|name| {
            let range = Some((0.into(), 2.into()));
            let var = system.declare(Type::Int, Variable { range, ..Variable::state(name, Span::default()) });
            let zero = system.terms.int(0);
            system.initial.push((var, zero));
            var
        })
        .collect();
    let always = system.terms.bool(true);
    let mut process = Process { name: "p".to_owned(), ..Process::default() };
    let only = process.locations.push(Location::new("l", always, LocationKind::Normal));
    process.initial = Some(only);
    for (number, choice) in choices.iter().enumerate() {
        let choice = usize::from(*choice);
        let terms = &mut system.terms;
        let (read, seen) = (terms.var(vars[choice % 2]), terms.int((choice / 2 % 3) as i64));
        let guard = if choice / 6 % 4 == 0 { always } else { terms.eq(read, seen) };
        let to = terms.int((choice / 24 % 3) as i64);
        let update = Guarded::safe(terms.assign(vars[choice / 72 % 2], to));
        let (label, span) = (format!("e{number}"), Span::default());
        process.edges.push(Edge { source: only, target: only, guard, update, sync: None, label, span });
    }
    system.processes.push(process);
    system
}

/// Whether `x` is 1, and whether `y` is 2.
fn atoms(system: &mut System) -> Vec<Term> {
    let vars: Vec<_> = system.state_vars().collect();
    [(vars[0], 1), (vars[1], 2)]
        .map(|(var, value)| {
            let (var, value) = (system.terms.var(var), system.terms.int(value));
            system.terms.eq(var, value)
        })
        .to_vec()
}

/// The states together with the edge that led there; after the two atoms of the formula, letters tell for each item
/// whether it is enabled and whether it was taken.
fn graph(system: &mut System, items: &[Item]) -> oracle::Graph {
    let process = ProcessId::at(0);
    let (stmt, start) = (ir::initial(system), system.arbitrary_state());
    let first = successors(system, stmt, &start, &start.locations).unwrap();
    let mut nodes: Vec<(State, Option<EdgeId>)> = first.into_iter().map(|state| (state, None)).collect();
    let initial = (0..nodes.len()).collect();
    let (mut after, mut letters) = (vec![], vec![]);
    let mut next = 0;
    while let Some((state, last)) = nodes.get(next).cloned() {
        next += 1;
        let mut list = vec![];
        let mut enabled = vec![];
        for action in ir::actions(system, &state.locations) {
            let edge = action.edges.iter().find(|(of, _)| *of == process).unwrap().1;
            for then in successors(system, action.stmt, &state, &action.target).unwrap() {
                enabled.push(edge);
                let node = (then, Some(edge));
                let known = nodes.iter().position(|it| *it == node);
                list.push(known.unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                }));
            }
        }
        after.push(list);
        let value = |at: usize| state.values[at].as_ref().unwrap().as_int().to_i64();
        let mut letter = u32::from(value(0) == Some(1)) | u32::from(value(1) == Some(2)) << 1;
        for (number, item) in items.iter().enumerate() {
            let is_enabled = item.edges.iter().any(|edge| enabled.contains(edge));
            let is_taken = last.is_some_and(|edge| item.edges.contains(&edge));
            letter |= (u32::from(is_enabled) | u32::from(is_taken) << 1) << (2 + 2 * number);
        }
        letters.push(letter);
    }
    oracle::Graph { letters, after, initial }
}

/// What is claimed of the fair runs, over the letters of the graph.
fn claimed(formula: &Formula, items: &[Item]) -> Formula {
    let mut builder = Builder::default();
    let often = |builder: &mut Builder, sub: Sub| {
        let finally = builder.add(Node::Finally(sub));
        builder.add(Node::Globally(finally))
    };
    let mut root = builder.graft(formula, |builder, atom| builder.atom(atom));
    for (number, item) in items.iter().enumerate() {
        let (enabled, taken) = (builder.atom(2 + 2 * number as u32), builder.atom(3 + 2 * number as u32));
        let fair = match item.strength {
            Strength::Weak => {
                let disabled = builder.add(Node::Not(enabled));
                let either = builder.add(Node::Or(taken, disabled));
                often(&mut builder, either)
            }
            Strength::Strong => {
                let (enabled, taken) = (often(&mut builder, enabled), often(&mut builder, taken));
                builder.add(Node::Implies(enabled, taken))
            }
        };
        root = builder.add(Node::Implies(fair, root));
    }
    builder.finish(root)
}

/// What explicit search says about the fair runs, once the judge has accepted it.
fn found(mut system: System, formula: &Formula, items: &[Item]) -> &'static str {
    let atoms = atoms(&mut system);
    let undefined = system.terms.bool(false);
    let words = PathWords::Satisfy(formula.clone());
    let claim = Claim::Every(system.paths.push(PathClaim { words, atoms, undefined }));
    let mut property = Property { name: "p".to_owned(), claim, faults: vec![], faults_violate: false };
    assume(&mut system, [&mut property], items).unwrap();
    let question = system.question(property.claim);
    verdict(&system, &question, Engine::Explicit)
}

fn item(strength: Strength, edges: &[usize]) -> Item {
    Item { name: format!("{edges:?}"), strength, edges: edges.iter().copied().map(EdgeId::at).collect() }
}

/// `F a` of an atom.
fn eventually(atom: u32) -> Formula {
    let mut builder = Builder::default();
    let atom = builder.atom(atom);
    let finally = builder.add(Node::Finally(atom));
    builder.finish(finally)
}

/// Edge 0 leaves everything as it is, and is always enabled; edge 1 makes `x` 1 where it is 0; edge 2 makes `y` 1 where it
/// is 0, and edge 3 makes it 0 where it is 1.
fn waits() -> System {
    let edge =
        |looks: usize, at: usize, sets: usize, to: usize| (looks + 2 * at + 6 + 24 * to + 72 * sets) as u8;
    // `x := 0` at the guard `true` would change `x`, so that edge 0 looks at `x = 0`.
    system(&[edge(0, 0, 0, 0), edge(0, 0, 0, 1), edge(1, 0, 1, 1), edge(1, 1, 1, 0)])
}

#[test]
fn weak_fairness_takes_what_is_always_enabled() {
    let formula = eventually(0);
    // Edge 0 for ever.
    assert_eq!(found(waits(), &formula, &[]), "violated");
    // Edge 1 is enabled until it is taken.
    assert_eq!(found(waits(), &formula, &[item(Strength::Weak, &[1])]), "holds");
    // To take edge 0 again and again is fair to edge 0, and to both of them together.
    assert_eq!(found(waits(), &formula, &[item(Strength::Weak, &[0])]), "violated");
    assert_eq!(found(waits(), &formula, &[item(Strength::Weak, &[0, 1])]), "violated");
    let several = [0, 1, 2, 3].map(|edge| item(Strength::Weak, &[edge]));
    assert_eq!(found(waits(), &formula, &several), "holds");
}

#[test]
fn strong_fairness_takes_what_is_enabled_again_and_again() {
    // `x` goes from 0 to 2 and back for ever by edges 0 and 1, and edge 2 makes `y` 2 only where `x` is 0.
    let edge =
        |looks: usize, at: usize, sets: usize, to: usize| (looks + 2 * at + 6 + 24 * to + 72 * sets) as u8;
    let turns = || system(&[edge(0, 0, 0, 2), edge(0, 2, 0, 0), edge(0, 0, 1, 2)]);
    let formula = eventually(1);
    assert_eq!(found(turns(), &formula, &[item(Strength::Weak, &[2])]), "violated");
    assert_eq!(found(turns(), &formula, &[item(Strength::Strong, &[2])]), "holds");
}

#[test]
fn automata_are_not_asked_about_fair_runs() {
    let mut system = waits();
    let automaton = ir::automaton::Automaton { sinks: vec![false], initial: 0, sets: 0, transitions: vec![] };
    let (words, undefined) = (PathWords::Avoid(automaton.into()), system.terms.bool(false));
    let claim = Claim::Every(system.paths.push(PathClaim { words, atoms: vec![], undefined }));
    let mut property = Property { name: "p".to_owned(), claim, faults: vec![], faults_violate: false };
    let items = [item(Strength::Weak, &[1])];
    assert_eq!(assume(&mut system, [&mut property], &items), Err(FairnessError::Automaton));
}

#[test]
fn random_systems_agree_with_a_search_over_graphs() {
    let runs = sampling::runs(150, 3_141);
    let cases = runs.cases;
    let seen = RefCell::new((0, 0, 0));
    let inputs = (
        proptest::collection::vec(0..144_u8, 3..5),
        proptest::collection::vec(any::<u8>(), 6),
        proptest::collection::vec((any::<bool>(), 1..8_usize), 1..3),
    );
    let show = |input: &(Vec<u8>, Vec<u8>, Vec<(bool, usize)>)| {
        format!("{input:?}\n{}", random_formula(&input.1).display(|atom| format!("a{atom}")))
    };
    sampling::check(runs, &inputs, show, |(edges, formula, chosen)| {
        let formula = random_formula(&formula);
        let items: Vec<Item> = chosen
            .iter()
            .map(|(strong, bits)| {
                let strength = if *strong { Strength::Strong } else { Strength::Weak };
                item(strength, &(0..3).filter(|edge| bits >> edge & 1 == 1).collect::<Vec<_>>())
            })
            .collect();
        // Two strong items and a large formula are too many guesses.
        let temporal = formula.nodes().iter().filter(|node| node.is_temporal()).count();
        if temporal + 2 * items.len() > 6 {
            return Ok(());
        }
        let graph = graph(&mut system(&edges), &items);
        let is_violated = oracle::is_violated_for_ever(&graph, &claimed(&formula, &items));
        let expected = if is_violated { "violated" } else { "holds" };
        let mut seen = seen.borrow_mut();
        seen.0 += usize::from(expected == "holds");
        seen.1 += usize::from(is_violated);
        // Fairness has made a difference.
        seen.2 += usize::from(!is_violated && oracle::is_violated_for_ever(&graph, &formula));
        match found(system(&edges), &formula, &items) {
            found if found == expected => Ok(()),
            found => Err(format!("{found}, not {expected}")),
        }
    });
    let (holds, violated, matters) = seen.into_inner();
    eprintln!("{cases} random systems: {holds} hold, {violated} are violated, fairness matters to {matters}");
    assert!(cases < 100 || holds > 10 && violated > 10 && matters > 2, "not varied enough");
}
