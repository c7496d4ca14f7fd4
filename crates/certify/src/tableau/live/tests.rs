use proptest::prelude::*;
use sampling::runs;

use super::*;
use crate::tableau::tests::reaches_accepting_cycle;

/// Random graphs with six nodes, and edges that are in some of three acceptance sets.
#[test]
fn live_states_are_those_that_lead_to_an_accepting_cycle() {
    let edge = (0..6_usize, prop_oneof![0..1_u64, 0..8_u64]);
    let graphs = proptest::collection::vec(proptest::collection::vec(edge, 0..=3), 6);
    let show = |graph: &Vec<Vec<(usize, u64)>>| format!("{graph:?}");
    sampling::check(runs(5_000, 1), &graphs, show, |graph| {
        let all: Vec<StateId> = (0..6).map(StateId::at).collect();
        let edges = |state: StateId, number: usize| {
            let edge = graph[state.index()].get(number);
            Ok(edge.map(|&(target, marks)| (StateId::at(target), marks)))
        };
        let live = live(&all, 7, edges).expect("no limits here");
        let wrong =
            all.iter().find(|&&it| live[it.index()] != reaches_accepting_cycle(&graph, 7, it.index()));
        wrong.map_or(Ok(()), |state| Err(format!("wrong about {state:?}")))
    });
}
