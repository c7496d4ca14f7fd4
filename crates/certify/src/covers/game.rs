//! Parity games with three colours, in which Duplicator wins a play if it has finitely many steps of Spoiler's colour or
//! infinitely many of its own.
//!
//! In each position Spoiler chooses a challenge, and Duplicator an answer to it, which has a colour and leads to a position.
//! A challenge without answers is lost for Duplicator.
//!
//! **Solution** by the nested fixpoint of Emerson and Jutla (1991), as Etessami, Wilke and Schuller (2001) use it for fair
//! simulation. Let `X` be a set of positions that contains all which Duplicator wins, at first all positions.
//! Layer 0 are the positions from which Duplicator can play such that, as long as there has been no step of its own colour,
//! there is none of Spoiler's; layer `n + 1` those where it can if steps of Spoiler's colour to layer `n` are allowed. All
//! this within `X`. Whatever is in no layer is not won: Spoiler can have a step of its colour, again to no layer, and once
//! more, and Duplicator has one of its own only if it leaves `X`. So `X` becomes the union of the layers, and once it
//! remains the same, Duplicator wins from everywhere in it:
//!
//! *In `X` each challenge has an answer within `X` that is of Duplicator's colour, or of Spoiler's and to a lower layer, or of
//! nobody's and to no higher layer.* A play of such answers with infinitely many steps of Spoiler's colour goes down
//! infinitely often, so it goes up infinitely often, by steps of Duplicator's colour.
//!
//! **Cost.** A layer takes time linear in the number of answers. There are few layers and few rounds in practice, and
//! the positions of lower layers need not be looked at again.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Hindrance;

/// Whom a step does good if it is repeated for ever.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Nobody: then Duplicator wins, unless Spoiler has steps of its colour again and again.
    Nobody,
    /// Spoiler, unless Duplicator has steps of its colour again and again.
    Spoiler,
    /// Duplicator.
    Duplicator,
}

/// A move of Duplicator.
#[derive(Copy, Clone, Debug)]
pub struct Answer {
    /// The position after it.
    pub target: usize,
    /// The colour of the challenge and this answer.
    pub colour: Colour,
}

/// A game; positions are numbers.
#[derive(Default, Debug)]
pub struct Game {
    challenges: Vec<Challenge>,
    answers: Vec<Answer>,
}

/// A move of Spoiler.
#[derive(Debug)]
struct Challenge {
    /// The position in which it is made.
    position: usize,
    /// Where its answers begin; they go on to where those of the next begin.
    first: usize,
}

impl Game {
    /// Adds a challenge that Spoiler can make in a position, with all answers to it.
    pub fn add(&mut self, position: usize, answers: impl Iterator<Item = Answer>) {
        self.challenges.push(Challenge { position, first: self.answers.len() });
        self.answers.extend(answers);
    }
    /// How many challenges and answers there are.
    pub fn size(&self) -> usize {
        self.challenges.len() + self.answers.len()
    }
    fn answers(&self, challenge: usize) -> &[Answer] {
        let end = self.challenges.get(challenge + 1).map_or(self.answers.len(), |next| next.first);
        &self.answers[self.challenges[challenge].first..end]
    }

    /// Whether Duplicator wins from a position.
    ///
    /// # Errors
    /// On request.
    pub fn duplicator_wins(&self, from: usize, stop: &AtomicBool) -> Result<bool, Hindrance> {
        let named = self.challenges.iter().map(|challenge| challenge.position);
        let positions = self.answers.iter().map(|answer| answer.target).chain(named).chain([from]);
        let count = positions.max().map_or(0, |last| last + 1);
        let waiting = self.waiting(count);
        let mut within = vec![true; count];
        while within[from] {
            let layers = self.layers(&within, &waiting, stop)?;
            if layers == within {
                return Ok(true);
            }
            within = layers;
        }
        Ok(false)
    }

    /// For each position, the challenges that have an answer of nobody's colour to it, as often as they have.
    fn waiting(&self, positions: usize) -> Vec<Vec<usize>> {
        let mut waiting = vec![vec![]; positions];
        for challenge in 0..self.challenges.len() {
            for answer in self.answers(challenge) {
                if answer.colour == Colour::Nobody {
                    waiting[answer.target].push(challenge);
                }
            }
        }
        waiting
    }

    /// The union of all layers within a set of positions.
    fn layers(
        &self,
        within: &[bool],
        waiting: &[Vec<usize>],
        stop: &AtomicBool,
    ) -> Result<Vec<bool>, Hindrance> {
        let mut below = vec![false; within.len()];
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Hindrance::Interrupted);
            }
            let layer = self.layer(within, &below, waiting);
            if layer == below {
                return Ok(below);
            }
            below = layer;
        }
    }

    /// The next layer together with those below: the greatest set of positions within `within` that contains them, and where
    /// each challenge from elsewhere has an answer of Duplicator's colour, or of Spoiler's that leads below, or of nobody's
    /// that stays in the set. Positions leave it until it is one.
    fn layer(&self, within: &[bool], below: &[bool], waiting: &[Vec<usize>]) -> Vec<bool> {
        let mut layer = within.to_vec();
        let mut lost = vec![];
        let lose = |position: usize, layer: &mut [bool], lost: &mut Vec<usize>| {
            if !below[position] && std::mem::replace(&mut layer[position], false) {
                lost.push(position);
            }
        };
        let fits = |answer: &&Answer| match answer.colour {
            Colour::Duplicator | Colour::Nobody => within[answer.target],
            Colour::Spoiler => below[answer.target],
        };
        let mut fitting = vec![0; self.challenges.len()];
        for (number, challenge) in self.challenges.iter().enumerate() {
            if layer[challenge.position] && !below[challenge.position] {
                fitting[number] = self.answers(number).iter().filter(fits).count();
                if fitting[number] == 0 {
                    lose(challenge.position, &mut layer, &mut lost);
                }
            }
        }
        while let Some(position) = lost.pop() {
            for &challenge in &waiting[position] {
                let from = self.challenges[challenge].position;
                if layer[from] && !below[from] {
                    fitting[challenge] -= 1;
                    if fitting[challenge] == 0 {
                        lose(from, &mut layer, &mut lost);
                    }
                }
            }
        }
        layer
    }
}

#[cfg(test)]
mod tests;
