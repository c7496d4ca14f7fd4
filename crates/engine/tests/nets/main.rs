//! Petri nets against the token game, on random nets.
//!
//! The judge works on the lowered system, so it cannot see that a net was read or lowered wrongly. Here a net is made
//! by chance and written as a document, and what is found about the document is compared with the token game, which
//! is played on the net itself: verdicts, shortest lengths, every step of every run, and the very sets of reachable
//! markings. `PROPTEST_CASES` sets the number of nets.

extern crate thetis_engine as engine;

mod claim;
mod document;
mod game;
mod net;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use engine::{Answer, Config, Engine, Quiet, Search, Stop};
use ir::{Certificate, Property, Question, Run, State, System};
use lang::pnml;
use proptest::prelude::*;
use proptest::test_runner::Config as Runs;

use claim::{Claim, Condition};
use game::{Marking, Reachable};
use net::{Choices, Kind, Net, Node, unique_name};

/// How many markings a net may have; one with more is left out.
const MOST_MARKINGS: usize = 300;

/// A net with what is asked of it, as data and as texts.
#[derive(Clone, Debug)]
struct Case {
    net: Net,
    document: String,
    claims: Vec<(Claim, String)>,
    /// The claims once more, as formulas of the Model Checking Contest.
    formulas: String,
}

fn case(numbers: Vec<u32>) -> Case {
    let choices = &mut Choices::new(numbers);
    let net = net::net(choices);
    let mut claims = vec![Claim::DeadlockFree, Claim::OneSafe];
    claims.extend((0..2).map(|_| Claim::Always(claim::condition(&net, choices, 2))));
    claims.extend((0..2).map(|_| Claim::Possibly(claim::condition(&net, choices, 2))));
    claims.push(Claim::Never(claim::some_tokens(&net, choices)));
    let document = document::document(&net, choices);
    let formulas = claim::formulas(&net, &claims, choices);
    let with_text = |claim: Claim| {
        let text = claim::text(&net, &claim, choices);
        (claim, text)
    };
    let claims = claims.into_iter().map(with_text).collect();
    Case { net, document, claims, formulas }
}

fn show(case: &Case) -> String {
    let texts: Vec<&str> = case.claims.iter().map(|(_, text)| text.as_str()).collect();
    format!("{}\n{}\n\n{}", case.document, texts.join("\n"), case.formulas)
}

/// What the nets turned out to be.
#[derive(Debug, Default)]
struct Seen {
    markings: usize,
    skipped: usize,
    longest: usize,
    /// Nets that do not only fire what would fire without arcs of some kind, or in which a heavy arc matters.
    inhibited: usize,
    read: usize,
    heavy: usize,
    /// Nets with a deadlock behind the initial marking, nets that are not 1-safe.
    stuck: usize,
    crowded: usize,
    /// Claims by their answers.
    holds: usize,
    violated: usize,
    possible: usize,
    impossible: usize,
}

#[test]
fn random_nets_mean_what_the_token_game_says() {
    let runs = Runs { max_shrink_iters: 20_000, ..sampling::runs(500, 15_909) };
    let cases = runs.cases as usize;
    let seen = RefCell::new(Seen::default());
    let strategy = proptest::collection::vec(any::<u32>(), 0..1_000).prop_map(case);
    sampling::check(runs, &strategy, show, |case| agree(&case, &mut seen.borrow_mut()));
    let seen = seen.into_inner();
    eprintln!("{cases} random nets: {seen:?}");
    if cases < 100 {
        return;
    }
    let few = cases / 20;
    let counts = [seen.inhibited, seen.read, seen.heavy, seen.stuck, seen.crowded];
    let answers = [seen.holds, seen.violated, seen.possible, seen.impossible];
    assert!(counts.iter().all(|count| *count > few), "the nets are not varied enough: {seen:?}");
    assert!(answers.iter().all(|count| *count > cases / 4), "the claims are not varied enough: {seen:?}");
    assert!(seen.skipped < cases / 5 && seen.longest >= 10, "the nets have the wrong size: {seen:?}");
}

/// Whether the product and the token game agree on a net, whatever is claimed of it.
fn agree(case: &Case, seen: &mut Seen) -> Result<(), String> {
    let net = &case.net;
    let mut model = pnml::load(&case.document).map_err(|errors| format!("does not load: {errors:?}"))?;
    let Some(reachable) = net.reachable(MOST_MARKINGS) else {
        seen.skipped += 1;
        return Ok(());
    };
    seen.count(net, &reachable);
    let mut read = |text: &str| {
        let property = model.parse_property("claim", text);
        property.map_err(|errors| format!("`{text}`: {errors:?}"))
    };
    let mut asked = vec![];
    for (claim, text) in &case.claims {
        asked.push((claim.clone(), read(text)?));
    }
    // That the marking found last is never reached: its run is as long as the net has any.
    let (last, depth) = reachable.iter().max_by_key(|(_, depth)| **depth).expect("the initial marking");
    seen.longest = seen.longest.max(*depth);
    let tokens: Vec<(usize, u64)> =
        net.places.iter().enumerate().map(|(at, place)| (at, last[&place.id])).collect();
    let text: Vec<String> = tokens.iter().map(|(_, tokens)| tokens.to_string()).collect();
    asked.push((Claim::Never(tokens), read(&text.join(" "))?));
    for (claim, property) in &asked {
        let found = compare(net, &reachable, &mut model.system, claim, property, &configs());
        found.map_err(|why| format!("{claim:?}: {why}"))?;
        seen.answer(net, &reachable, claim);
    }
    let examinations = model.question_file(&case.formulas).expect("nets have files of formulas");
    let examinations = examinations.map_err(|why| format!("{why:?}"))?;
    if examinations.len() != case.claims.len() {
        return Err(format!("{} formulas were read", examinations.len()));
    }
    for ((claim, _), examination) in case.claims.iter().zip(examinations) {
        let property = examination.map_err(|why| format!("formula of {claim:?}: {why:?}"))?.property;
        let found = compare(net, &reachable, &mut model.system, claim, &property, &configs()[..1]);
        found.map_err(|why| format!("formula of {claim:?}: {why}"))?;
    }
    Ok(())
}

/// Exhaustive search breadth first and depth first, of the system as it is, and what is done by default; limited, so
/// that a net that is wrongly read as unbounded is found out.
fn configs() -> [Config; 3] {
    let default = Config { state_limit: Some(10 * MOST_MARKINGS as u64), ..Config::default() };
    let explicit = |search| Config { engine: Engine::Explicit, search, preprocess: false, ..default.clone() };
    [explicit(Search::Bfs), explicit(Search::Dfs), default.clone()]
}

fn compare(
    net: &Net,
    reachable: &Reachable,
    system: &mut System,
    claim: &Claim,
    property: &Property,
    configs: &[Config],
) -> Result<(), String> {
    let (possibly, kind) = claim.question(net);
    if matches!(property.claim, ir::Claim::Possibly(_)) != possibly {
        return Err(format!("read as {:?}", property.claim));
    }
    let nearest = kind.nearest(net, reachable);
    let question = system.question(property.claim);
    for config in configs {
        let explicit = config.engine == Engine::Explicit;
        let found = search(system, &question, config).and_then(|found| match (found, nearest) {
            (Found::Run(run), Some(nearest)) => {
                let steps = replay(net, system, &run, &kind)?;
                let shortest = explicit && config.search == Search::Bfs;
                if if shortest { steps == nearest } else { steps >= nearest } {
                    return Ok(());
                }
                Err(format!("reached after {steps} steps and not {nearest}"))
            }
            (Found::Never(certificate), None) if explicit => {
                same_markings(net, system, &certificate, reachable)
            }
            (Found::Never(_), None) => Ok(()),
            (Found::Run(run), None) => Err(format!("reached, and should not be: {run:?}")),
            (Found::Never(_), Some(steps)) => Err(format!("never reached, but {steps} steps away")),
        });
        found.map_err(|why| format!("{config}: {why}"))?;
    }
    Ok(())
}

/// Evidence that has been certified.
enum Found {
    Run(Run),
    Never(Certificate),
}

fn search(system: &System, question: &Question, config: &Config) -> Result<Found, String> {
    let stop = Stop::new();
    match engine::search(system, question, config, &stop, &mut Quiet).0 {
        Answer::Found(run) => match certify::check_run(system, question, &run, stop.flag()) {
            Ok(_) => Ok(Found::Run(run)),
            Err(why) => Err(format!("the run was refused: {why}")),
        },
        Answer::Excluded(certificate) => {
            match certify::check_certificate(system, question, &certificate, stop.flag()) {
                Ok(()) => Ok(Found::Never(certificate)),
                Err(why) => Err(format!("the certificate was refused: {why}")),
            }
        }
        Answer::Unknown(reason) => Err(format!("unknown: {reason}")),
    }
}

/// Plays a run; its length, if it is one of the net and ends in a marking of the kind.
fn replay(net: &Net, system: &System, run: &Run, kind: &Condition) -> Result<usize, String> {
    let process = system.processes.iter().next().ok_or("no process")?;
    let mut now = net.initial();
    if marking(net, system, &run.initial)? != now {
        return Err(format!("the run starts in {:?}", run.initial));
    }
    for step in &run.steps {
        let [(_, edge)] = step.edges[..] else { return Err(format!("several edges in {step:?}")) };
        let title = &process.edges[edge].label;
        let fits = |at: &usize| self::title(&net.transitions, *at) == title;
        let transition = (0..net.transitions.len()).find(fits).ok_or_else(|| format!("fires `{title}`"))?;
        if !net.enabled(transition, &now) {
            return Err(format!("`{title}` is not enabled in {now:?}"));
        }
        now = net.fire(transition, &now);
        if marking(net, system, &step.state)? != now {
            return Err(format!("`{title}` does not lead to {:?}", step.state));
        }
    }
    if kind.holds(net, &now) { Ok(run.steps.len()) } else { Err(format!("the run ends in {now:?}")) }
}

/// What a node is called where it is shown.
fn title(nodes: &[Node], at: usize) -> &str {
    unique_name(nodes, at).unwrap_or(&nodes[at].id)
}

/// A state as a marking.
fn marking(net: &Net, system: &System, state: &State) -> Result<Marking, String> {
    let mut by_title = BTreeMap::new();
    for (var, value) in system.state_vars().zip(&state.values) {
        let Some(ir::Value::Int(tokens)) = value else { return Err(format!("{value:?} tokens")) };
        let tokens = tokens.to_i64().and_then(|tokens| u64::try_from(tokens).ok());
        by_title.insert(system.vars[var].name.as_str(), tokens.ok_or("not a number of tokens")?);
    }
    if by_title.len() != net.places.len() {
        return Err(format!("the places are {:?}", by_title.keys()));
    }
    let tokens = |(at, place): (usize, &Node)| {
        let tokens =
            by_title.get(title(&net.places, at)).ok_or_else(|| format!("no place `{}`", place.id))?;
        Ok((place.id.clone(), *tokens))
    };
    net.places.iter().enumerate().map(tokens).collect()
}

/// Whether a certificate lists exactly the reachable markings, each once.
fn same_markings(
    net: &Net,
    system: &System,
    certificate: &Certificate,
    reachable: &Reachable,
) -> Result<(), String> {
    let Certificate::ClosedSet(set) = certificate else { return Err("not a list of states".to_owned()) };
    let mut listed = BTreeSet::new();
    for index in 0..set.len() {
        listed.insert(marking(net, system, &set.state(index))?);
    }
    let expected: BTreeSet<Marking> = reachable.keys().cloned().collect();
    if let Some(marking) = listed.symmetric_difference(&expected).next() {
        let which =
            if listed.contains(marking) { "listed, but not reachable" } else { "reachable, but not listed" };
        return Err(format!("{marking:?} is {which}"));
    }
    if set.len() == listed.len() { Ok(()) } else { Err("markings are listed twice".to_owned()) }
}

impl Seen {
    fn count(&mut self, net: &Net, reachable: &Reachable) {
        let differs = |change: &dyn Fn(&mut Net)| {
            let mut other = net.clone();
            change(&mut other);
            let same = |marking: &Marking| {
                (0..net.transitions.len()).all(|at| net.enabled(at, marking) == other.enabled(at, marking))
            };
            usize::from(!reachable.keys().all(same))
        };
        self.inhibited += differs(&|net| net.arcs.retain(|arc| arc.kind != Kind::Inhibit));
        self.read += differs(&|net| net.arcs.retain(|arc| arc.kind != Kind::Read));
        self.heavy += differs(&|net| net.arcs.iter_mut().for_each(|arc| arc.weight = 1));
        self.stuck +=
            usize::from(reachable.iter().any(|(marking, depth)| *depth > 0 && net.is_deadlock(marking)));
        self.crowded +=
            usize::from(reachable.keys().any(|marking| marking.values().any(|tokens| *tokens > 1)));
        self.markings += reachable.len();
    }
    fn answer(&mut self, net: &Net, reachable: &Reachable, claim: &Claim) {
        let (possibly, kind) = claim.question(net);
        match (possibly, kind.nearest(net, reachable).is_some()) {
            (false, false) => self.holds += 1,
            (false, true) => self.violated += 1,
            (true, true) => self.possible += 1,
            (true, false) => self.impossible += 1,
        }
    }
}
