//! Temporal formulas over random networks, against the region graph with Büchi acceptance.
//!
//! The oracle walks over regions as the one for reachability does. A run is a path of points, each after a delay; its word
//! has a letter for each. It may end where nothing can happen any more, and where time can pass for ever, and repeats its
//! last letter then. Formulas are evaluated by guessing, at every point, which of their temporal parts hold: a guess must
//! agree with the next one as the operator says, and an eventuality must not be put off for ever. Neither zones nor
//! automata are in it. That time diverges is told by one more clock, which starts again whenever a unit has passed.

use std::collections::HashMap;

use ir::ltl::{Builder, Formula, Node, Sub};
use ir::{PathQuestion, Response, Stuck, Words, Zeno};

use super::oracle::Point;
use super::*;

/// What a letter is made of.
#[derive(Copy, Clone, Debug)]
enum Prop {
    At(usize, usize),
    Data(usize, i64),
}

/// Which runs count.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Counting {
    stuck: Stuck,
    zeno: Zeno,
}

impl Counting {
    /// Whether every beginning of a run is one of a run that counts.
    fn all(self) -> bool {
        self.stuck == Stuck::Idle && self.zeno == Zeno::Allowed
    }
}

/// Products with more states than this are left out.
const MOST_GUESSES: usize = 60_000;

// Formulas by chance.

fn props(dice: &mut Dice, net: &Net) -> Vec<Prop> {
    let prop = |dice: &mut Dice| {
        if net.ints > 0 && dice.once_in(4) {
            return Prop::Data(dice.roll(net.ints), dice.roll(DATA as usize + 1) as i64);
        }
        let process = dice.roll(net.processes.len());
        Prop::At(process, dice.roll(net.processes[process].locations.len()))
    };
    (0..2).map(|_| prop(dice)).collect()
}

fn formula(dice: &mut Dice) -> Formula {
    let mut builder = Builder::default();
    let (p, q) = (builder.atom(0), builder.atom(1));
    let root = match dice.roll(10) {
        0 | 1 => builder.add(Node::Finally(p)),
        2 => {
            let not = builder.add(Node::Not(p));
            builder.add(Node::Finally(not))
        }
        3 | 4 => {
            let then = builder.add(Node::Finally(q));
            let leads = builder.add(Node::Implies(p, then));
            builder.add(Node::Globally(leads))
        }
        5 => {
            let again = builder.add(Node::Finally(p));
            builder.add(Node::Globally(again))
        }
        _ => random(dice, &mut builder, [p, q], 3),
    };
    builder.finish(root)
}

fn random(dice: &mut Dice, builder: &mut Builder, atoms: [Sub; 2], depth: usize) -> Sub {
    if depth == 0 || dice.once_in(5) {
        return atoms[dice.roll(2)];
    }
    let a = random(dice, builder, atoms, depth - 1);
    let unary = dice.once_in(2);
    if unary {
        let node = match dice.roll(5) {
            0 | 1 => Node::Not(a),
            2 => Node::Next(a),
            3 => Node::Finally(a),
            _ => Node::Globally(a),
        };
        return builder.add(node);
    }
    let b = random(dice, builder, atoms, depth - 1);
    let node = match dice.roll(7) {
        0 => Node::And(a, b),
        1 => Node::Or(a, b),
        2 => Node::Implies(a, b),
        3 => Node::Until(a, b),
        4 => Node::WeakUntil(a, b),
        5 => Node::Release(a, b),
        _ => Node::StrongRelease(a, b),
    };
    builder.add(node)
}

// The oracle.

/// A formula with its temporal parts numbered.
struct Guessing<'a> {
    formula: &'a Formula,
    temporal: Vec<usize>,
}

impl<'a> Guessing<'a> {
    fn new(formula: &'a Formula) -> Self {
        let is_temporal = |node: &Node| {
            matches!(
                node,
                Node::Next(_)
                    | Node::Finally(_)
                    | Node::Globally(_)
                    | Node::Until(..)
                    | Node::WeakUntil(..)
                    | Node::Release(..)
                    | Node::StrongRelease(..)
            )
        };
        let nodes = formula.nodes().iter().enumerate();
        let temporal = nodes.filter(|(_, node)| is_temporal(node)).map(|(at, _)| at).collect();
        Guessing { formula, temporal }
    }
    /// What every part is, given the letter and what the temporal parts are guessed to be.
    fn values(&self, letter: &[bool], guess: u32) -> Vec<bool> {
        let mut values: Vec<bool> = vec![];
        for (at, node) in self.formula.nodes().iter().enumerate() {
            let of = |sub: &Sub| values[sub.index()];
            let value = match node {
                Node::True => true,
                Node::False => false,
                Node::Atom(atom) => letter[*atom as usize],
                Node::Not(a) => !of(a),
                Node::And(a, b) => of(a) && of(b),
                Node::Or(a, b) => of(a) || of(b),
                Node::Implies(a, b) => !of(a) || of(b),
                Node::Iff(a, b) => of(a) == of(b),
                _ => {
                    let bit = self.temporal.iter().position(|it| *it == at).expect("a temporal part");
                    guess >> bit & 1 == 1
                }
            };
            values.push(value);
        }
        values
    }
    /// Whether guesses at one point agree with those at the next.
    fn agree(&self, now: &[bool], next: &[bool]) -> bool {
        self.temporal.iter().all(|&at| {
            let (here, there) = (now[at], next[at]);
            let of = |sub: &Sub| now[sub.index()];
            here == match &self.formula.nodes()[Sub::at(at)] {
                Node::Next(a) => next[a.index()],
                Node::Finally(a) => of(a) || there,
                Node::Globally(a) => of(a) && there,
                Node::Until(a, b) | Node::WeakUntil(a, b) => of(b) || of(a) && there,
                Node::Release(a, b) | Node::StrongRelease(a, b) => of(b) && (of(a) || there),
                _ => unreachable!("a temporal part"),
            }
        })
    }
    /// A bit for each temporal part that is not put off here.
    fn kept(&self, now: &[bool]) -> u32 {
        let mut kept = 0;
        for (bit, &at) in self.temporal.iter().enumerate() {
            let (here, of) = (now[at], |sub: &Sub| now[sub.index()]);
            let fine = match &self.formula.nodes()[Sub::at(at)] {
                Node::Next(_) => true,
                Node::Finally(a) => of(a) || !here,
                Node::Globally(a) => here || !of(a),
                Node::Until(_, b) => of(b) || !here,
                Node::WeakUntil(a, b) => here || !of(a) && !of(b),
                Node::Release(_, b) => here || !of(b),
                Node::StrongRelease(a, b) => of(a) && of(b) || !here,
                _ => unreachable!("a temporal part"),
            };
            kept |= u32::from(fine) << bit;
        }
        kept
    }
}

/// The points of a network, after delays, with the steps between them.
struct Regions {
    letters: Vec<Vec<bool>>,
    /// Whether a run may stay here for ever.
    ends: Vec<bool>,
    /// Where steps lead, and whether a unit of time has passed since the clock of the oracle started again.
    steps: Vec<Vec<usize>>,
    ticks: Vec<bool>,
    first: Vec<usize>,
    fault: bool,
}

/// The network with one more clock, which nothing compares.
fn with_timer(net: &Net) -> Net {
    Net { clocks: net.clocks + 1, ..net.clone() }
}

fn regions(net: &Net, props: &[Prop], counting: Counting) -> Option<Regions> {
    let timed = counting.zeno == Zeno::Forbidden;
    let net = if timed { with_timer(net) } else { net.clone() };
    let unit = net.unit();
    let start = Point {
        locations: vec![0; net.processes.len()],
        data: vec![0; net.ints],
        clocks: vec![0; net.clocks],
    };
    let mut found =
        Regions { letters: vec![], ends: vec![], steps: vec![], ticks: vec![], first: vec![], fault: false };
    let (mut index, mut points) = (HashMap::new(), vec![]);
    let mut arrive = |arrived: &Point, points: &mut Vec<Point>| {
        let mut numbers = vec![];
        for point in net.delays(arrived) {
            let number = *index.entry(net.region(&point)).or_insert_with(|| {
                points.push(point.clone());
                points.len() - 1
            });
            numbers.push(number);
        }
        numbers
    };
    if net.within_invariants(&start) {
        found.first = arrive(&start, &mut points);
    }
    let mut at = 0;
    while at < points.len() {
        if points.len() > REGIONS / 4 {
            return None;
        }
        let point: Point = points[at].clone();
        let holds = |prop: &Prop| match *prop {
            Prop::At(process, location) => point.locations[process] == location,
            Prop::Data(var, value) => point.data[var] == value,
        };
        found.letters.push(props.iter().map(holds).collect());
        let dead = net.delays(&point).iter().all(|later| net.successors(later).is_empty());
        found.ends.push(match counting.stuck {
            Stuck::Ignored => false,
            Stuck::Repeat => dead,
            Stuck::Idle => dead || net.idles(&point),
        });
        let ticks = timed && point.clocks[net.clocks - 1] >= unit;
        found.ticks.push(ticks || !timed);
        let mut steps = vec![];
        for next in net.successors(&point) {
            match next {
                None => found.fault = true,
                Some(mut next) => {
                    if ticks {
                        next.clocks[net.clocks - 1] = 0;
                    }
                    steps.extend(arrive(&next, &mut points));
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        found.steps.push(steps);
        at += 1;
    }
    Some(found)
}

/// Whether some run that counts satisfies a formula; `None` if there is too much to look at.
fn satisfied(regions: &Regions, formula: &Formula) -> Option<bool> {
    let guessing = Guessing::new(formula);
    let bits = guessing.temporal.len();
    let root = formula.root().index();
    if bits > 8 || regions.letters.len() << bits > MOST_GUESSES {
        return None;
    }
    // A node is a point with a guess; the last bit of its acceptance is that time passes.
    let (all, mut values) = ((1_u32 << (bits + 1)) - 1, vec![]);
    for letter in &regions.letters {
        values.push((0..1 << bits).map(|guess| guessing.values(letter, guess)).collect::<Vec<_>>());
    }
    let node = |point: usize, guess: usize| point << bits | guess;
    let mut edges: Vec<Vec<(usize, u32)>> = vec![vec![]; regions.letters.len() << bits];
    let mut ends = vec![false; edges.len()];
    for point in 0..regions.letters.len() {
        for guess in 0..1 << bits {
            let now = &values[point][guess];
            let marks = guessing.kept(now) | u32::from(regions.ticks[point]) << bits;
            for next in &regions.steps[point] {
                for (other, then) in values[*next].iter().enumerate() {
                    if guessing.agree(now, then) {
                        edges[node(point, guess)].push((node(*next, other), marks));
                    }
                }
            }
            // The letter again and again: what is true then is so at every one of these points.
            ends[node(point, guess)] =
                regions.ends[point] && guessing.agree(now, now) && guessing.kept(now) == (1 << bits) - 1;
        }
    }
    let mut seen = vec![false; edges.len()];
    let mut waiting: Vec<usize> = vec![];
    for point in &regions.first {
        waiting
            .extend((0..1 << bits).filter(|guess| values[*point][*guess][root]).map(|it| node(*point, it)));
    }
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            if ends[at] {
                return Some(true);
            }
            waiting.extend(edges[at].iter().map(|(next, _)| *next));
        }
    }
    Some(has_accepting_component(&edges, &seen, all))
}

/// Whether some component of what was seen has edges with all marks, by Kosaraju's two searches.
fn has_accepting_component(edges: &[Vec<(usize, u32)>], seen: &[bool], all: u32) -> bool {
    let mut order = vec![];
    let mut done = vec![false; edges.len()];
    for root in (0..edges.len()).filter(|at| seen[*at]) {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut done[root], true) {
            continue;
        }
        while let Some((at, next)) = stack.last_mut() {
            match edges[*at].get(*next) {
                None => {
                    order.push(*at);
                    stack.pop();
                }
                Some((to, _)) => {
                    *next += 1;
                    if !std::mem::replace(&mut done[*to], true) {
                        stack.push((*to, 0));
                    }
                }
            }
        }
    }
    let mut back: Vec<Vec<usize>> = vec![vec![]; edges.len()];
    for (from, list) in edges.iter().enumerate().filter(|(from, _)| seen[*from]) {
        list.iter().for_each(|(to, _)| back[*to].push(from));
    }
    let mut component = vec![usize::MAX; edges.len()];
    for root in order.into_iter().rev() {
        let mut stack = vec![root];
        while let Some(at) = stack.pop() {
            if component[at] == usize::MAX {
                component[at] = root;
                stack.extend(back[at].iter().filter(|it| component[**it] == usize::MAX));
            }
        }
    }
    let mut marks: HashMap<usize, u32> = HashMap::new();
    for (from, list) in edges.iter().enumerate().filter(|(from, _)| seen[*from]) {
        for (to, its) in list.iter().filter(|(to, _)| component[*to] == component[from]) {
            *marks.entry(component[*to]).or_default() |= its;
        }
    }
    marks.values().any(|marks| *marks == all)
}

/// Whether some run answers late; `None` if there is too much to look at. The last clock of the network is the one that
/// tells for how long something has been waited for.
fn late(net: &Net, props: &[Prop], response: Response) -> Option<Expected> {
    let net = with_timer(net);
    let timer = net.clocks - 1;
    let start = Point {
        locations: vec![0; net.processes.len()],
        data: vec![0; net.ints],
        clocks: vec![0; net.clocks],
    };
    let holds = |point: &Point, atom: u32| match props[atom as usize] {
        Prop::At(process, location) => point.locations[process] == location,
        Prop::Data(var, value) => point.data[var] == value,
    };
    let (mut index, mut nodes, mut fault) = (HashMap::new(), vec![], false);
    let mut steps: Vec<Vec<(usize, u32)>> = vec![];
    // Where a run comes to, and whether it waits then.
    let mut arrive = |arrived: &Point, waits: bool, nodes: &mut Vec<(Point, bool)>| {
        let mut numbers = vec![];
        for point in net.delays(arrived) {
            numbers.push(*index.entry((net.region(&point), waits)).or_insert_with(|| {
                nodes.push((point.clone(), waits));
                nodes.len() - 1
            }));
        }
        numbers
    };
    let begins = |point: &Point, first: bool| {
        response.from.map_or(first, |from| holds(point, from)) && !holds(point, response.to)
    };
    if net.within_invariants(&start) {
        arrive(&start, false, &mut nodes);
        if begins(&start, true) {
            arrive(&start, true, &mut nodes);
        }
    }
    let (mut at, mut target) = (0, false);
    while at < nodes.len() {
        if nodes.len() > REGIONS / 4 {
            return None;
        }
        let (point, waits) = nodes[at].clone();
        let dead = || net.delays(&point).iter().all(|later| net.successors(later).is_empty());
        let (passed, most) = (point.clocks[timer], response.within * net.unit());
        let over = if response.strict { passed >= most } else { passed > most };
        target |= waits && (over || net.idles(&point) || dead());
        let mut list = vec![];
        for next in net.successors(&point) {
            let Some(mut next) = next else {
                fault = true;
                continue;
            };
            if waits {
                if !holds(&next, response.to) {
                    list.extend(arrive(&next, true, &mut nodes));
                }
                continue;
            }
            next.clocks[timer] = 0;
            list.extend(arrive(&next, false, &mut nodes));
            if begins(&next, false) {
                list.extend(arrive(&next, true, &mut nodes));
            }
        }
        steps.push(list.into_iter().map(|to| (to, 1)).collect());
        at += 1;
    }
    let waiting: Vec<bool> = nodes.iter().map(|(_, waits)| *waits).collect();
    target |= has_accepting_component(&steps, &waiting, 1);
    Some(Expected { target, fault })
}

// The comparison.

/// One more variable, which nothing reads: it counts the moves of a process and begins again after so many, so that its
/// values come back only after several rounds of most cycles.
fn count_moves(system: &mut System, values: i64) {
    let range = Some((Int::ZERO, Int::from(values - 1)));
    let var = system.declare(Type::Int, Variable { range, ..Variable::state("moves", Span::default()) });
    let terms = &mut system.terms;
    let (now, zero, one, last) = (terms.var(var), terms.int(0), terms.int(1), terms.int(values - 1));
    let (again, more) = (terms.eq(now, last), terms.add([now, one]));
    let next = terms.ite(again, zero, more);
    let count = terms.assign(var, next);
    system.initial.push((var, zero));
    for edge in system.processes[ProcessId::at(0)].edges.iter_mut() {
        edge.update.stmt = system.terms.seq([edge.update.stmt, count]);
    }
}

fn asked(case: &Case<'_>) -> (System, Question) {
    let Case { net, text, props, words, counting, moves, .. } = *case;
    let (mut system, _) = if text { read(net).expect("networks are read") } else { build(net) };
    system.stuck = counting.stuck;
    system.zeno = counting.zeno;
    if let Some(values) = moves {
        count_moves(&mut system, values);
    }
    let atoms: Vec<Term> = props
        .iter()
        .map(|prop| match *prop {
            Prop::At(process, location) => system.terms.at(ProcessId::at(process), LocationId::at(location)),
            Prop::Data(var, value) => {
                let name = format!("n{var}");
                let var = system.vars.entries().find(|(_, it)| it.name == name).expect("an integer").0;
                let (var, value) = (system.terms.var(var), system.terms.int(value));
                system.terms.eq(var, value)
            }
        })
        .collect();
    let undefined = system.terms.bool(false);
    (system, Question::Path(PathQuestion { words: words.clone(), atoms, undefined }))
}

#[derive(Copy, Clone)]
struct Case<'a> {
    net: &'a Net,
    text: bool,
    props: &'a [Prop],
    words: &'a Words,
    counting: Counting,
    /// How many values the variable has that counts moves, if there is one.
    moves: Option<i64>,
    /// Whether engines are asked, too, that put questions to a solver.
    solving: bool,
}

impl Case<'_> {
    fn expected(&self) -> Option<Expected> {
        match self.words {
            Words::Late(response) => late(self.net, self.props, *response),
            Words::Accepted(_) => unreachable!("no automaton is asked about"),
            Words::Satisfying(formula) => {
                let regions = regions(self.net, self.props, self.counting)?;
                Some(Expected { target: satisfied(&regions, formula)?, fault: regions.fault })
            }
        }
    }
    /// What is wrong with the answers, if anything.
    fn disagreement(&self, expected: Expected, tally: &mut Tally) -> Option<String> {
        let (system, question) = asked(self);
        let solving = if self.solving { solving_configurations() } else { vec![] };
        for config in configurations_for_runs().into_iter().chain(solving) {
            let wrong = |what: String| Some(format!("{config}, covering {}: {what}", config.covering));
            let search = || engine::search(&system, &question, &config, &Stop::new(), &mut Quiet);
            let Ok((answer, _)) = std::panic::catch_unwind(search) else {
                return wrong("panicked".to_owned());
            };
            let go_on = AtomicBool::new(false);
            match answer {
                Answer::Found(run) => match certify::check_run(&system, &question, &run, &go_on) {
                    Ok(certify::Reached::Target) if expected.target => tally.found(&run),
                    // Where runs do not count, or go wrong, their beginnings may.
                    Ok(certify::Reached::Target)
                        if (expected.fault || !self.counting.all()) && run.cycle.is_none() =>
                    {
                        tally.found(&run);
                    }
                    Ok(certify::Reached::Fault(_)) if expected.fault => {}
                    Ok(_) => return wrong("found what is not there, and certified that".to_owned()),
                    other => return wrong(format!("run: {other:?}\n{run:#?}")),
                },
                Answer::Excluded(certificate) => {
                    let checked = certify::check_certificate(&system, &question, &certificate, &go_on);
                    if expected != Expected::default() {
                        return wrong(format!("excluded what is there: {checked:?}"));
                    }
                    if checked.is_err() {
                        return wrong(format!("certificate: {checked:?}"));
                    }
                    tally.excluded += 1;
                }
                Answer::Unknown(Reason::Unsupported(_)) if self.net.has_diagonals() => tally.unknown += 1,
                Answer::Unknown(_) if matches!(config.engine, Engine::Bmc | Engine::Kind) => {
                    tally.unknown += 1
                }
                Answer::Unknown(why) => return wrong(format!("unknown: {why:?}")),
            }
        }
        None
    }
}

impl Case<'_> {
    /// Evidence for what is not so: what was accepted of it.
    fn forged(&self, expected: Expected, dice: &mut Dice, tally: &mut Tally) -> Option<String> {
        if expected == Expected::default()
            && let Some(what) = self.forged_heads(dice, tally).or_else(|| self.forged_counting(tally))
        {
            return Some(what);
        }
        let Words::Satisfying(formula) = self.words else { return None };
        if !self.counting.all() {
            return None;
        }
        if expected == Expected::default() {
            return self.forged_run(formula, dice, tally);
        }
        if expected.fault { None } else { self.forged_measures(formula, dice, tally) }
    }
    /// Where no run is asked for, a run to somewhere is none if it is said to go around its end for ever, from any state.
    fn forged_heads(&self, dice: &mut Dice, tally: &mut Tally) -> Option<String> {
        let (mut system, question) = asked(self);
        let process = dice.roll(self.net.processes.len());
        let location = LocationId::at(dice.roll(self.net.processes[process].locations.len()));
        let there = Question::Reach(system.terms.at(ProcessId::at(process), location));
        let config = Config { engine: Engine::Zone, ..Config::default() };
        let Answer::Found(run) = engine::search(&system, &there, &config, &Stop::new(), &mut Quiet).0 else {
            return None;
        };
        let mut terms = system.terms.clone();
        let formula = terms.bool(true);
        let all = ir::Head { terms, formula };
        for start in 0..run.steps.len() {
            let forged = run.clone().around(start);
            for forged in [forged.clone(), forged.within(Some(all.clone()))] {
                if certify::check_run(&system, &question, &forged, &AtomicBool::new(false)).is_ok() {
                    return Some(format!("a cycle was accepted that is none\n{forged:#?}"));
                }
                tally.refused += 1;
            }
        }
        None
    }
    /// Where no run is late, one that is late for a smaller bound is none; and where no run in which time diverges is asked
    /// for, others are none, whatever is said of where their rounds begin.
    fn forged_counting(&self, tally: &mut Tally) -> Option<String> {
        let words = match self.words {
            Words::Late(response) => Words::Late(Response { within: response.within - 1, ..*response }),
            words if self.counting.zeno == Zeno::Forbidden => words.clone(),
            _ => return None,
        };
        let counting = Counting { zeno: Zeno::Allowed, ..self.counting };
        let (other, wanted) = asked(&Case { words: &words, counting, ..*self });
        let config = Config { engine: Engine::Zone, ..Config::default() };
        let Answer::Found(run) = engine::search(&other, &wanted, &config, &Stop::new(), &mut Quiet).0 else {
            return None;
        };
        // The beginning of a run may be enough, however it goes on.
        if run.cycle.is_none() && self.counting.zeno == Zeno::Forbidden {
            return None;
        }
        let (system, question) = asked(self);
        let mut terms = system.terms.clone();
        let formula = terms.bool(true);
        for run in [run.clone(), run.clone().within(None), run.within(Some(ir::Head { terms, formula }))] {
            if certify::check_run(&system, &question, &run, &AtomicBool::new(false)).is_ok() {
                return Some(format!("a run was accepted that does not count, or is not late\n{run:#?}"));
            }
            tally.refused += 1;
        }
        None
    }
    /// Where no run satisfies a formula, those that satisfy its negation are none, however they are changed.
    fn forged_run(&self, formula: &Formula, dice: &mut Dice, tally: &mut Tally) -> Option<String> {
        let opposite = Words::Satisfying(formula.negated().into());
        let (system, question) = asked(&Case { words: &opposite, ..*self });
        let config = Config { engine: Engine::Zone, ..Config::default() };
        let Answer::Found(run) = engine::search(&system, &question, &config, &Stop::new(), &mut Quiet).0
        else {
            return None;
        };
        let (system, question) = asked(self);
        let mut forged = vec![run.clone(), run.clone().within(None)];
        let steps = run.all_steps().count();
        let shorter = |length: usize| {
            let mut run = run.clone().once_around();
            run.steps.truncate(length);
            run
        };
        for _ in 0..4 {
            let length = dice.roll(steps + 1);
            forged.push(shorter(length));
            forged.push(shorter(length).around(dice.roll(length + 1)));
        }
        for run in forged {
            if certify::check_run(&system, &question, &run, &AtomicBool::new(false)).is_ok() {
                return Some(format!("a run was accepted that is none\n{run:#?}"));
            }
            tally.refused += 1;
        }
        None
    }
    /// Where some run satisfies a formula, no measures of the zones of a product show that there is none.
    fn forged_measures(&self, formula: &Formula, dice: &mut Dice, tally: &mut Tally) -> Option<String> {
        let (system, question) = asked(self);
        let Question::Path(path) = &question else { return None };
        let found = ltl::classify::violations(&formula.negated()).ok()?;
        let automaton = found.automaton.plain(&found.universal)?;
        let (mut product, _) = ir::monitor::product(&system, path, &automaton).ok()?;
        let sets = product.monitor.as_ref()?.sets as usize;
        for _ in 0..3 {
            let never = Question::never(&mut product.terms);
            let config = Config { engine: Engine::Zone, ..Config::default() };
            let answer = engine::zone::search(&product, &never, &config, &Stop::new(), &mut Quiet).0;
            let Answer::Excluded(base @ ir::Certificate::Zones(_)) = answer else { return None };
            let ir::Certificate::Zones(set) = &base else { return None };
            let most = 1 + dice.roll(4);
            let measures = (0..set.len())
                .map(|_| ir::Measure { rank: dice.roll(most) as u32, missing: dice.roll(sets) as u8 })
                .collect();
            let descent = ir::Descent::Measures(measures);
            let proof = ir::Progress { automaton: automaton.clone(), base, descent };
            let forged = ir::Certificate::Progress(Box::new(proof));
            if certify::check_certificate(&system, &question, &forged, &AtomicBool::new(false)).is_ok() {
                return Some(format!("measures were accepted although there is a run: {forged:?}"));
            }
            tally.refused += 1;
        }
        None
    }
}

#[derive(Default, Debug)]
struct Tally {
    refused: u32,
    lassos: u32,
    heads: u32,
    ends: u32,
    prefixes: u32,
    excluded: u32,
    unknown: u32,
}

impl Tally {
    fn found(&mut self, run: &ir::Run) {
        match &run.cycle {
            None => self.prefixes += 1,
            Some(cycle) if cycle.steps.is_empty() => self.ends += 1,
            Some(cycle) if cycle.head.is_some() => self.heads += 1,
            Some(_) => self.lassos += 1,
        }
    }
}

fn configurations_for_runs() -> Vec<Config> {
    let mut list = vec![];
    for (covering, search, preprocess) in [
        (Covering::Inclusion, Search::Bfs, true),
        (Covering::Equality, Search::Dfs, false),
        (Covering::Inclusion, Search::Priority, false),
    ] {
        list.push(Config { engine: Engine::Zone, covering, search, preprocess, ..Config::default() });
    }
    list.push(Config::default());
    list
}

/// Engines that see time as data; they may give up.
fn solving_configurations() -> Vec<Config> {
    let limits = Config { bound: Some(4), call_limit: Some(60), ..Config::default() };
    [Engine::Bmc, Engine::Kind].map(|engine| Config { engine, ..limits.clone() }).into()
}

fn compare_runs(text: bool) {
    let first = number("REGIONS_SEED", 0);
    let (mut tally, mut asked) = (Tally::default(), 0);
    for seed in first..first + number("REGIONS_CASES", 300) {
        let mut dice = Dice::new(seed + 2_000_000, text);
        let net = dice.net();
        let (props, formula) = (props(&mut dice, &net), formula(&mut dice));
        let bounded = dice.once_in(5);
        let words = match bounded {
            true => Words::Late(Response {
                from: (!dice.once_in(3)).then_some(0),
                to: 1,
                within: dice.roll(super::MOST as usize + 1) as i64,
                strict: dice.once_in(3),
            }),
            false => Words::Satisfying(formula.into()),
        };
        let stuck = if dice.once_in(4) { Stuck::Ignored } else { Stuck::Idle };
        let zeno = if dice.once_in(3) { Zeno::Forbidden } else { Zeno::Allowed };
        let counting = match bounded {
            true => Counting { stuck: Stuck::Idle, zeno: Zeno::Allowed },
            false => Counting { stuck, zeno },
        };
        let moves = dice.once_in(3).then(|| 2 + dice.roll(4) as i64);
        let solving = dice.once_in(8);
        let case = Case { net: &net, text, props: &props, words: &words, counting, moves, solving };
        let Some(expected) = case.expected() else { continue };
        asked += 1;
        if let Some(what) = case.disagreement(expected, &mut tally) {
            let (net, what) = shrink_run(&case, what);
            let written = if text { written(&net) } else { format!("{net:#?}") };
            let case = Case { net: &net, ..case };
            let name = |atom: u32| format!("{:?}", props[atom as usize]);
            let asked = match &words {
                Words::Satisfying(formula) => formula.display(name).to_string(),
                words => format!("{words:?} of {props:?}"),
            };
            panic!("seed {seed}: {what}\nexpected: {:?}\n{counting:?}, {asked}\n{written}", case.expected());
        }
        if let Some(what) = case.forged(expected, &mut dice, &mut tally) {
            panic!(
                "seed {seed}: {what}\nexpected: {expected:?}, {counting:?}, {words:?} of {props:?}\n{net:#?}"
            );
        }
    }
    println!("{asked} asked: {tally:?}");
    let Tally { lassos, heads, ends, excluded, refused, .. } = tally;
    let all = [lassos, ends, excluded, refused];
    assert!(all.iter().all(|count| *count > 0) && (text || heads > 0), "all answers occur: {tally:?}");
}

fn shrink_run(case: &Case<'_>, mut what: String) -> (Net, String) {
    let mut net = case.net.clone();
    'again: loop {
        for candidate in smaller(&net) {
            let known = |prop: &Prop| match *prop {
                Prop::At(process, location) => {
                    candidate.processes.get(process).is_some_and(|it| location < it.locations.len())
                }
                Prop::Data(var, _) => var < candidate.ints,
            };
            if !case.props.iter().all(known) {
                continue;
            }
            let smaller = Case { net: &candidate, ..*case };
            if let Some(expected) = smaller.expected()
                && let Some(still) = smaller.disagreement(expected, &mut Tally::default())
            {
                (net, what) = (candidate.clone(), still);
                continue 'again;
            }
        }
        return (net, what);
    }
}

#[test]
fn runs_among_zones_agree_with_regions() {
    compare_runs(false);
}

#[test]
fn runs_among_zones_agree_with_regions_on_networks_in_text() {
    compare_runs(true);
}
