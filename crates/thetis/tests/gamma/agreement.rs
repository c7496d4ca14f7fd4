//! Random models: the system that the front-end makes, executed by the plain interpreter, against the naive reading.
//!
//! Both are searched breadth first at a period, over everything that the environment can do. After initialisation and
//! after each of a few steps, the sets of what can be seen must be equal: active states, variables, what went out, and
//! what came in. Where a run ends inside a step, it does so in both. `PROPTEST_CASES` sets the number of models.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ir::eval::{Env, holds};
use ir::interp::{Interp, Stuck};
use ir::{Actions, Claim, LocationId, ProcessId, State, Term, Value, VarId};
use lang::gamma::{self, Period};
use lang::{NoFiles, Reading};
use proptest::prelude::*;

use super::arbitrary::{self, SYSTEM};
use super::naive::{self, Input, Observation, Stop};

/// How much time passes in a step.
const PERIOD: u16 = 500;
/// How many steps are made after initialisation, and how many states one of them may start from.
const STEPS: usize = 3;
const STATES: usize = 40;
/// How many steps of the interpreter one of the system may take.
const INTERPRETED: u64 = 2_000_000;

/// The lowered system.
struct Lowered {
    model: lang::Model,
    actions: Actions,
    vars: Vec<VarId>,
    /// Terms that are false where a run has ended.
    going: Vec<Term>,
}

/// Why the interpreter does not list all ends of a step.
enum NoAnswer {
    Large,
    Stuck(Stuck),
}

impl NoAnswer {
    fn of(why: Stuck) -> Self {
        if why == Stuck::Spent { NoAnswer::Large } else { NoAnswer::Stuck(why) }
    }
}

struct Here<'a>(&'a State, &'a [VarId]);

impl Env for Here<'_> {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        let at = self.1.iter().position(|it| *it == var)?;
        self.0.values[at].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.0.locations[ir::Id::index(process)] == location
    }
}

impl Lowered {
    fn new(text: &str) -> Result<Self, String> {
        let period = Some(Period { least: PERIOD.into(), most: PERIOD.into() });
        let reading = Reading { component: Some(SYSTEM.to_owned()), period, ..Reading::default() };
        let model = gamma::load(text, &mut NoFiles, &reading).map_err(|said| {
            let lines = said.iter().map(|it| {
                let part = text.get(it.span.start as usize..it.span.end as usize).unwrap_or("");
                format!("{}: {part}", it.message)
            });
            format!("is refused: {}", lines.collect::<Vec<_>>().join("; "))
        })?;
        let mut going = vec![];
        for question in &model.questions {
            let question = question.as_ref().map_err(|why| format!("{why:?}"))?;
            match question.property.claim {
                Claim::Always(term) => going.push(term),
                other => return Err(format!("a question of another kind: {other:?}")),
            }
        }
        let vars = model.system.state_vars().collect();
        Ok(Lowered { model, actions: Actions::new(), vars, going })
    }
    fn goes_on(&self, state: &State) -> bool {
        let terms = &self.model.system.terms;
        self.going.iter().all(|term| holds(terms, &Here(state, &self.vars), *term) == Ok(true))
    }
    /// All stable states after a step, and whether a run ended.
    fn step(&mut self, state: &State) -> Result<(Vec<State>, bool), NoAnswer> {
        let vector = self.actions.vector(&state.locations);
        let actions = self.actions.of(&mut self.model.system, vector).to_vec();
        let (mut found, mut ended) = (vec![], false);
        for action in actions {
            let mut interp = Interp::new(&self.model.system, None);
            interp.limit(INTERPRETED);
            let mut ends = BTreeSet::new();
            interp
                .successors(action.stmt, state, &mut |outcome| {
                    ends.insert(outcome.values.into_vec());
                    true
                })
                .map_err(NoAnswer::of)?;
            for values in ends {
                let end = State { locations: action.target.clone(), values: values.into() };
                match self.goes_on(&end) {
                    true => found.push(end),
                    false => ended = true,
                }
            }
        }
        Ok((found, ended))
    }
    fn start(&mut self) -> Result<(Vec<State>, bool), NoAnswer> {
        let stmt = ir::initial(&mut self.model.system);
        let locations = self.model.system.initial_locations();
        let open = State { locations: locations.clone(), values: vec![None; self.vars.len()].into() };
        let mut starts = vec![];
        Interp::new(&self.model.system, None)
            .successors(stmt, &open, &mut |outcome| {
                starts.push(State { locations: locations.clone(), values: outcome.values });
                true
            })
            .map_err(NoAnswer::of)?;
        let (mut found, mut ended) = (vec![], false);
        for start in starts {
            let (ends, stuck) = self.step(&start)?;
            found.extend(ends);
            ended |= stuck;
        }
        Ok((found, ended))
    }
    fn shown(&self, value: &Value) -> String {
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Rat(value) => format!("{}/{}", value.numerator(), value.denominator()),
            Value::Enum(id, at) => self.model.system.types().enum_type(*id).literals[*at as usize].clone(),
            Value::Array(array) => {
                let entry = |at: i64| self.shown(array.read(&Value::int(at)));
                naive::POSITIONS.map(entry).collect::<Vec<_>>().join(" ")
            }
        }
    }
    fn observe(&self, state: &State) -> Observation {
        let system = &self.model.system;
        let env = Here(state, &self.vars);
        let mut seen = Observation::new();
        for region in &self.model.view.configurations {
            let holds = |(term, _): &&(Term, String)| holds(&system.terms, &env, *term) == Ok(true);
            let active = region.cases.iter().find(holds).map_or("-", |(_, name)| name);
            seen.insert(format!("region {}", region.name), active.to_owned());
        }
        for var in &self.vars {
            // Events are told as what happens in steps, and their variables are hidden.
            let name = &system.vars[*var].name;
            let value = env.var(*var, 0).map_or("?".to_owned(), |value| self.shown(value));
            seen.entry(format!("data {name}")).or_insert(value);
        }
        seen
    }
}

/// What the lowered system calls something that the naive reading sees.
fn lowered_key(key: &str) -> String {
    let (word, name) = key.split_once(' ').expect("a word and a name");
    // Where the system is a statechart, its name goes without saying.
    let name = name.strip_prefix(SYSTEM).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
    if word == "region" { format!("region {name}") } else { format!("data {name}") }
}

#[derive(Debug, Default)]
struct Seen {
    compared: usize,
    states: usize,
    ended: usize,
    /// Models with too many executions.
    large: usize,
    /// What the lowered system does not keep: events that do not leave the system.
    unseen: BTreeSet<String>,
    features: BTreeMap<&'static str, usize>,
}

/// Whether the lowered system and the naive reading agree.
fn agree(model: &arbitrary::Model, seen: &mut Seen) -> Result<(), String> {
    let (ast, said) = gamma::parse_project(&model.text, &mut NoFiles);
    if !said.is_empty() {
        return Err(format!("does not parse: {said:?}"));
    }
    let reading = naive::Model::new(ast, SYSTEM, &[]).map_err(|why| format!("the naive reading: {why:?}"))?;
    let mut lowered = Lowered::new(&model.text)?;
    match search(&reading, &mut lowered, seen) {
        Ok(()) => {
            seen.compared += 1;
            for feature in &model.features {
                *seen.features.entry(feature).or_default() += 1;
            }
            Ok(())
        }
        Err(Apart::Large) => {
            seen.large += 1;
            Ok(())
        }
        Err(Apart::Because(why)) => Err(why),
    }
}

/// Why two searches are not equal.
enum Apart {
    /// One of them is too large to be made.
    Large,
    Because(String),
}

impl From<NoAnswer> for Apart {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Large => Apart::Large,
            NoAnswer::Stuck(why) => Apart::Because(format!("the interpreter is stuck: {why:?}")),
        }
    }
}

impl From<Stop> for Apart {
    fn from(why: Stop) -> Self {
        match why {
            Stop::Unable(why) if why == naive::TOO_MANY => Apart::Large,
            why => Apart::Because(format!("the naive reading: {why:?}")),
        }
    }
}

/// Searches both, level by level.
fn search(reading: &naive::Model, lowered: &mut Lowered, seen: &mut Seen) -> Result<(), Apart> {
    let mut ours = reading.start()?;
    let (mut theirs, mut ended) = lowered.start()?;
    for step in 0..=STEPS {
        let because = |why: String| Apart::Because(format!("step {step}: {why}"));
        seen.states += level(reading, lowered, &ours, &theirs, seen).map_err(because)?;
        let stopped = ours.stops.iter().any(|stop| matches!(stop, Stop::Incomplete | Stop::Failed));
        if stopped != ended {
            return Err(because(format!("a run ends inside: lowered {ended}, naive {stopped}")));
        }
        seen.ended += usize::from(ended);
        if step == STEPS || ours.states.len() > STATES || theirs.len() > 4 * STATES {
            break;
        }
        let mut next = naive::Ends::default();
        for state in &ours.states {
            let ends = reading.step(state, &Input::Free(vec![]), PERIOD.into())?;
            next.states.extend(ends.states);
            next.stops.extend(ends.stops);
        }
        let mut after = BTreeMap::new();
        ended = false;
        for state in &theirs {
            let (ends, stuck) = lowered.step(state)?;
            ended |= stuck;
            after.extend(ends.into_iter().map(|it| ((it.locations.to_vec(), it.values.to_vec()), it)));
        }
        theirs = after.into_values().collect();
        ours = next;
    }
    Ok(())
}

/// Compares what is seen of the states after one step: how many rows that are, or what differs.
fn level(
    reading: &naive::Model,
    lowered: &Lowered,
    ours: &naive::Ends,
    theirs: &[State],
    seen: &mut Seen,
) -> Result<usize, String> {
    let all: BTreeSet<Observation> = theirs.iter().map(|state| lowered.observe(state)).collect();
    let example = all.first().cloned().unwrap_or_default();
    let (mut left, mut right, mut keys) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for state in &ours.states {
        let observed = reading.observe(state).into_iter();
        let (yours, unseen): (Row, Row) =
            observed.partition(|(key, _)| example.contains_key(&lowered_key(key)));
        keys.extend(yours.keys().cloned());
        for key in unseen.into_keys() {
            if !key.starts_with("sent") && !theirs.is_empty() {
                return Err(format!("{key} is not seen: {example:#?}"));
            }
            seen.unseen.insert(key);
        }
        right.insert(yours);
    }
    for row in &all {
        let value = |key: &str| row.get(&lowered_key(key)).cloned().unwrap_or_default();
        // Of what was not raised, nobody asks for values.
        let raised = |key: &str| key.split_once("::").is_none_or(|(event, _)| value(event) == "true");
        let row = keys.iter().filter(|key| raised(key)).map(|key| (key.clone(), value(key)));
        left.insert(row.collect::<Row>());
    }
    if left == right { Ok(right.len()) } else { Err(difference(&left, &right)) }
}

type Row = BTreeMap<String, String>;

/// One row that only one side has, with the nearest of the other.
fn difference(lowered: &BTreeSet<Row>, naive: &BTreeSet<Row>) -> String {
    let counts = format!("{} rows lowered, {} naive", lowered.len(), naive.len());
    let sides = [("only lowered", lowered, naive), ("only naive", naive, lowered)];
    let mut text = counts;
    for (word, mine, other) in sides {
        let Some(row) = mine.difference(other).next() else { continue };
        let apart = |it: &&Row| row.iter().filter(|(key, value)| it.get(*key) != Some(*value)).count();
        let nearest = other.iter().min_by_key(apart);
        let shown = row.iter().map(|(key, value)| {
            let theirs = nearest.and_then(|it| it.get(key));
            match theirs {
                Some(theirs) if theirs != value => format!("{key} = {value} (nearest {theirs})"),
                _ => format!("{key} = {value}"),
            }
        });
        text += &format!("\n{word}: {}", shown.collect::<Vec<_>>().join(", "));
    }
    text
}

#[test]
fn random_models_mean_what_the_naive_reading_says() {
    let runs = sampling::runs(200, 19_082_026);
    let runs = proptest::test_runner::Config { max_shrink_iters: 3_000, ..runs };
    let cases = runs.cases as usize;
    let seen = RefCell::new(Seen::default());
    let decisions = prop::collection::vec(any::<u16>(), 50..2500);
    let show = |decisions: &Vec<u16>| arbitrary::model(decisions).text;
    sampling::check(runs, &decisions, show, |decisions| {
        let model = arbitrary::model(&decisions);
        agree(&model, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:#?}");
    if cases < 100 {
        return;
    }
    assert!(seen.compared > cases * 3 / 4, "too little is compared");
    assert!(seen.states > 10 * cases && seen.ended > cases / 20, "too little happens");
}
