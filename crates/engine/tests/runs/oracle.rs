//! Whether a run of a finite graph violates a formula, by another way than products with automata: every position of a
//! path guesses the truth of all temporal sub-formulas (Lichtenstein and Pnueli 1985).
//!
//! A guess at one position and one at the next must agree with the laws of the operators, such as
//! `f U g = g | (f & X (f U g))`; a path keeps its guesses if it comes again and again to where what it awaits happens, or is
//! not awaited. So a formula can be true on a path from a state if a path of guesses from there is *fair*.

use ir::Id;
use ir::ltl::{Formula, Node};

/// A graph with letters, which are sets of atoms.
pub struct Graph {
    /// The letter of each state.
    pub letters: Vec<u32>,
    /// The states after each state.
    pub after: Vec<Vec<usize>>,
    /// Where paths begin.
    pub initial: Vec<usize>,
}

/// A formula with its temporal sub-formulas, whose truth is guessed.
struct Guessed<'a> {
    formula: &'a Formula,
    temporal: Vec<usize>,
}

impl Guessed<'_> {
    fn new(formula: &Formula) -> Guessed<'_> {
        let nodes = formula.nodes();
        let temporal = (0..nodes.len()).filter(|at| nodes.iter().nth(*at).unwrap().is_temporal()).collect();
        Guessed { formula, temporal }
    }
    fn guesses(&self) -> usize {
        1 << self.temporal.len()
    }
    /// The truth of all sub-formulas, given a letter and a guess.
    fn values(&self, letter: u32, guess: usize) -> Vec<bool> {
        let mut values: Vec<bool> = vec![];
        for (at, node) in self.formula.nodes().iter().enumerate() {
            let of = |sub: ir::ltl::Sub| values[sub.index()];
            let value = match *node {
                Node::True => true,
                Node::False => false,
                Node::Atom(atom) => letter >> atom & 1 == 1,
                Node::Not(f) => !of(f),
                Node::And(f, g) => of(f) && of(g),
                Node::Or(f, g) => of(f) || of(g),
                Node::Implies(f, g) => !of(f) || of(g),
                Node::Iff(f, g) => of(f) == of(g),
                _ => guess >> self.temporal.iter().position(|it| *it == at).unwrap() & 1 == 1,
            };
            values.push(value);
        }
        values
    }
    /// Whether guesses at two positions in a row agree.
    fn agree(&self, now: &[bool], next: &[bool]) -> bool {
        self.temporal.iter().all(|&at| {
            let here = |sub: ir::ltl::Sub| now[sub.index()];
            let law = match *self.formula.nodes().iter().nth(at).unwrap() {
                Node::Next(f) => next[f.index()],
                Node::Finally(f) => here(f) || next[at],
                Node::Globally(f) => here(f) && next[at],
                Node::Until(f, g) | Node::WeakUntil(f, g) => here(g) || here(f) && next[at],
                Node::Release(f, g) | Node::StrongRelease(f, g) => here(g) && (here(f) || next[at]),
                _ => unreachable!("only temporal operators are guessed"),
            };
            now[at] == law
        })
    }
    /// Whether what a temporal sub-formula awaits happens here, or nothing is awaited.
    fn is_settled(&self, at: usize, now: &[bool]) -> bool {
        let here = |sub: ir::ltl::Sub| now[sub.index()];
        match *self.formula.nodes().iter().nth(at).unwrap() {
            Node::Finally(f) => !now[at] || here(f),
            Node::Until(_, g) => !now[at] || here(g),
            Node::StrongRelease(f, g) => !now[at] || here(f) && here(g),
            Node::Globally(f) => now[at] || !here(f),
            Node::Release(_, g) => now[at] || !here(g),
            Node::WeakUntil(f, g) => now[at] || !here(f) && !here(g),
            _ => true,
        }
    }
    /// For each state and guess, whether a fair path begins there.
    fn fair(&self, graph: &Graph) -> Vec<Vec<bool>> {
        let values: Vec<Vec<Vec<bool>>> = graph
            .letters
            .iter()
            .map(|letter| (0..self.guesses()).map(|guess| self.values(*letter, guess)).collect())
            .collect();
        let mut fair = vec![vec![true; self.guesses()]; graph.letters.len()];
        loop {
            let before = fair.clone();
            for at in self.temporal.iter().copied().chain([usize::MAX]) {
                // Those that stay within and come to where this one is settled, in at least one step.
                let mut reach = vec![vec![false; self.guesses()]; graph.letters.len()];
                let mut changed = true;
                while std::mem::take(&mut changed) {
                    for (state, guess) in pairs(&fair) {
                        if reach[state][guess] || !fair[state][guess] {
                            continue;
                        }
                        reach[state][guess] = graph.after[state].iter().any(|&next| {
                            (0..self.guesses()).any(|then| {
                                let there = &values[next][then];
                                fair[next][then]
                                    && self.agree(&values[state][guess], there)
                                    && (reach[next][then] || at == usize::MAX || self.is_settled(at, there))
                            })
                        });
                        changed |= reach[state][guess];
                    }
                }
                fair = reach;
            }
            if fair == before {
                return fair;
            }
        }
    }
}

fn pairs(table: &[Vec<bool>]) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (states, guesses) = (table.len(), table.first().map_or(0, Vec::len));
    (0..states).flat_map(move |state| (0..guesses).map(move |guess| (state, guess)))
}

/// Whether a path of the graph violates the formula: an infinite one, or one that ends and cannot satisfy it however it
/// would go on. Letters are over so many atoms.
pub fn is_violated(graph: &Graph, formula: &Formula, atoms: u32) -> bool {
    is_violated_for_ever(graph, formula) || has_bad_prefix(graph, &Guessed::new(formula), atoms)
}

/// Whether an infinite path of the graph violates the formula.
pub fn is_violated_for_ever(graph: &Graph, formula: &Formula) -> bool {
    let guessed = Guessed::new(formula);
    let root = formula.root().index();
    let fair = guessed.fair(graph);
    graph.initial.iter().any(|&state| {
        let falsifies = |guess: usize| !guessed.values(graph.letters[state], guess)[root];
        (0..guessed.guesses()).any(|guess| fair[state][guess] && falsifies(guess))
    })
}

/// Whether some path has a beginning after which no word satisfies the formula: no guess is left from which a fair path
/// through any letters begins.
fn has_bad_prefix(graph: &Graph, guessed: &Guessed<'_>, atoms: u32) -> bool {
    let letters: Vec<u32> = (0..1 << atoms).collect();
    let all: Vec<usize> = (0..letters.len()).collect();
    let anything = Graph { after: vec![all.clone(); letters.len()], initial: all, letters };
    let alive = guessed.fair(&anything);
    let root = guessed.formula.root().index();
    let mut seen: Vec<(usize, Vec<usize>)> = vec![];
    for &state in &graph.initial {
        let letter = graph.letters[state];
        let left = (0..guessed.guesses())
            .filter(|guess| alive[letter as usize][*guess] && guessed.values(letter, *guess)[root]);
        seen.push((state, left.collect()));
    }
    let mut next = 0;
    while let Some((state, left)) = seen.get(next).cloned() {
        next += 1;
        if left.is_empty() {
            return true;
        }
        for &then in &graph.after[state] {
            let letter = graph.letters[then];
            let goes_on = |guess: &usize| {
                alive[letter as usize][*guess]
                    && left.iter().any(|now| {
                        let now = guessed.values(graph.letters[state], *now);
                        guessed.agree(&now, &guessed.values(letter, *guess))
                    })
            };
            let pair = (then, (0..guessed.guesses()).filter(goes_on).collect::<Vec<usize>>());
            if !seen.contains(&pair) {
                seen.push(pair);
            }
        }
    }
    false
}
