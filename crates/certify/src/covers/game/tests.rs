use proptest::prelude::*;
use sampling::runs;

use super::*;

/// For each position its challenges, and for each of these its answers.
type Moves = Vec<Vec<Vec<Answer>>>;

fn games() -> impl Strategy<Value = Moves> {
    let colour = prop_oneof![Just(Colour::Nobody), Just(Colour::Spoiler), Just(Colour::Duplicator)];
    let answer = (0..4_usize, colour).prop_map(|(target, colour)| Answer { target, colour });
    let challenge = proptest::collection::vec(answer, 0..=2);
    let challenge =
        prop_oneof![9 => challenge.prop_filter("an answer", |list| !list.is_empty()), 1 => Just(vec![])];
    proptest::collection::vec(proptest::collection::vec(challenge, 0..=2), 4)
}

/// Whether Spoiler, who plays alone, can go from the first position to where there is no answer, or to a cycle with its
/// colour and without Duplicator's: it is on one with a step if the step's end leads to its beginning.
fn spoiler_wins(moves: &[Vec<Option<Answer>>]) -> bool {
    let reached = |from: usize, any: bool| {
        let mut seen = [false; 4];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                let steps = moves[at].iter().flatten().filter(|it| any || it.colour != Colour::Duplicator);
                open.extend(steps.map(|answer| answer.target));
            }
        }
        seen
    };
    let all = reached(0, true);
    (0..4).filter(|&at| all[at]).any(|at| {
        moves[at].iter().any(|answer| match answer {
            None => true,
            Some(answer) => answer.colour == Colour::Spoiler && reached(answer.target, false)[at],
        })
    })
}

/// Parity games are won without memory, so it is enough to try every way to fix an answer to each challenge.
fn wins_by_some_strategy(moves: &Moves) -> bool {
    let challenges: Vec<&Vec<Answer>> = moves.iter().flatten().collect();
    (0..1_usize << challenges.len()).any(|choice| {
        let mut number = 0;
        let fixed: Vec<Vec<Option<Answer>>> = moves
            .iter()
            .map(|challenges| {
                let pick = |answers: &Vec<Answer>| {
                    number += 1;
                    answers.get((choice >> (number - 1) & 1).min(answers.len().max(1) - 1)).copied()
                };
                challenges.iter().map(pick).collect()
            })
            .collect();
        !spoiler_wins(&fixed)
    })
}

#[test]
fn the_winner_is_the_one_who_has_a_strategy() {
    sampling::check(
        runs(2_000, 1),
        &games(),
        |moves| format!("{moves:?}"),
        |moves| {
            let mut game = Game::default();
            for (position, challenges) in moves.iter().enumerate() {
                for answers in challenges {
                    game.add(position, answers.iter().copied());
                }
            }
            let wins = game.duplicator_wins(0, &AtomicBool::new(false));
            let expected = wins_by_some_strategy(&moves);
            if wins == Ok(expected) { Ok(()) } else { Err(format!("Duplicator wins: {expected}")) }
        },
    );
}
