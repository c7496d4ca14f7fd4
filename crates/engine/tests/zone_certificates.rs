//! Certificates of the zone engine are accepted as they are, and refused once they are damaged.

extern crate thetis_engine as engine;

use std::sync::atomic::AtomicBool;

use engine::{Answer, Config, Covering, Engine, Quiet, Stop};
use ir::{
    Certificate, ClockRange, Id, Limit, LocationId, Question, State, System, Term, Value, Zone, ZoneSet,
};

/// Zones without slack: x is in 0..2 at A and in 1..3 at B, whose bounds all matter.
const MODEL: &str = "
clock x;
int[0,1] n;
process P() {
  state A { x <= 2 }, B { x <= 3 }, Bad;
  init A;
  trans
    A -> B { guard x >= 1; assign n := 1; },
    B -> A { guard x >= 3; assign x := 0, n := 0; },
    B -> Bad { guard x > 3; };
}
system P;
";

/// A difference of two clocks, and a channel that stops time while n is 1.
const TWO_CLOCKS: &str = "
clock x, y;
int[0,1] n;
urgent chan go;
process P() {
  state A { x <= 2 }, B { x - y <= 1 }, Bad;
  init A;
  trans
    A -> B { guard y >= 1; assign n := 1, y := 0; },
    B -> A { guard n == 1; sync go!; assign x := 0, n := 0; },
    B -> Bad { guard x - y > 1; };
}
process Q() { state C; init C; trans C -> C { sync go?; }; }
system P, Q;
";

/// Seven may receive, and none does: that can be so in 2^7 ways, of which zones leave one.
const MANY_WAYS: &str = "
clock x, y;
broadcast chan c;
process P() {
  state A { x <= 1 && y <= 1 }, Bad;
  init A;
  trans A -> A { guard x >= 1; sync c!; assign x := 0, y := 0; }, A -> Bad { guard x > 1; };
}
process Q(const int i) { state C, D; init C; trans C -> D { guard x >= 2 + i && y <= 3 + i; sync c?; }; }
Q0 = Q(0); Q1 = Q(1); Q2 = Q(2); Q3 = Q(3); Q4 = Q(4); Q5 = Q(5); Q6 = Q(6);
system P, Q0, Q1, Q2, Q3, Q4, Q5, Q6;
";

fn model() -> (System, Question) {
    read(MODEL)
}

fn read(text: &str) -> (System, Question) {
    let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("bad", "E<> P.Bad").expect("a query");
    let question = model.system.question(property.claim);
    (model.system, question)
}

fn certificate(covering: Covering) -> Box<dyn ZoneSet> {
    certificate_of(MODEL, covering)
}

fn certificate_of(text: &str, covering: Covering) -> Box<dyn ZoneSet> {
    let (system, question) = read(text);
    let config = Config { engine: Engine::Zone, preprocess: false, covering, ..Config::default() };
    match engine::search(&system, &question, &config, &Stop::new(), &mut Quiet).0 {
        Answer::Excluded(Certificate::Zones(set)) => set,
        other => panic!("{other:?}"),
    }
}

type ChangeEntry = dyn Fn(usize, &mut State, &mut Zone) + Send;
type ChangeConstants = dyn Fn(&State, &mut Vec<ClockRange>) + Send;

/// A certificate of which some answers are changed.
struct Damaged {
    text: &'static str,
    set: Box<dyn ZoneSet>,
    entry: Box<ChangeEntry>,
    find: fn(usize) -> Option<usize>,
    simulation: Box<ChangeConstants>,
}

impl Damaged {
    fn new(covering: Covering) -> Self {
        Damaged::of(MODEL, covering)
    }
    fn of(text: &'static str, covering: Covering) -> Self {
        Damaged {
            text,
            set: certificate_of(text, covering),
            entry: Box::new(|_, _, _| {}),
            find: Some,
            simulation: Box::new(|_, _| {}),
        }
    }
    fn check(self) -> Result<(), String> {
        let (system, question) = read(self.text);
        let certificate = Certificate::Zones(Box::new(self));
        certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false))
            .map_err(|why| why.to_string())
    }
    /// With one entry changed.
    fn with_entry(
        which: usize,
        change: impl Fn(&mut State, &mut Zone) + Send + 'static,
    ) -> Result<(), String> {
        let entry = move |index: usize, state: &mut State, zone: &mut Zone| {
            if index == which {
                change(state, zone);
            }
        };
        Damaged { entry: Box::new(entry), ..Damaged::new(Covering::Inclusion) }.check()
    }
}

impl ZoneSet for Damaged {
    fn len(&self) -> usize {
        self.set.len()
    }
    fn state(&self, index: usize, out: &mut State) {
        self.set.state(index, out);
        let mut zone = Zone::default();
        self.set.zone(index, &mut zone);
        (self.entry)(index, out, &mut zone);
    }
    fn zone(&self, index: usize, out: &mut Zone) {
        self.set.zone(index, out);
        let mut state = State::default();
        self.set.state(index, &mut state);
        (self.entry)(index, &mut state, out);
    }
    fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
        self.set.find(like, zone, most).and_then(self.find)
    }
    fn simulation(&self, index: usize, out: &mut Vec<ClockRange>) -> bool {
        let mut state = State::default();
        self.set.state(index, &mut state);
        let simulates = self.set.simulation(index, out);
        if simulates {
            (self.simulation)(&state, out);
        }
        simulates
    }
}

const ENTRIES: usize = 2;

fn refused(result: Result<(), String>, why: &str) {
    match result {
        Err(reason) if reason.contains(why) => {}
        other => panic!("expected `{why}`, found {other:?}"),
    }
}

#[test]
fn what_the_engine_says_is_accepted() {
    for covering in Covering::ALL {
        let certificate = Damaged::new(*covering);
        assert_eq!(certificate.len(), ENTRIES);
        assert_eq!(certificate.check(), Ok(()), "{covering}");
    }
}

#[test]
fn a_missing_entry_is_noticed() {
    // A zone without valuations is as good as none.
    for which in 0..ENTRIES {
        let result = Damaged::with_entry(which, |_, zone| zone.limits[0] = Limit::from_code(-1));
        refused(result, "not in the set");
    }
}

#[test]
fn a_tighter_bound_is_noticed() {
    for which in 0..ENTRIES {
        for cell in [1, 2] {
            let lower = move |_: &mut State, zone: &mut Zone| {
                zone.limits[cell] = Limit::from_code(zone.limits[cell].code() - 2);
            };
            refused(Damaged::with_entry(which, lower), "not in the set");
            let strict = move |_: &mut State, zone: &mut Zone| {
                zone.limits[cell] = Limit::from_code(zone.limits[cell].code() & !1);
            };
            refused(Damaged::with_entry(which, strict), "not in the set");
        }
    }
}

/// `x < constant` or `x >= constant` for one of the clocks.
fn compare(system: &mut System, clock: usize, below: bool, constant: i64) -> Term {
    let clock = system.clocks().nth(clock).expect("so many clocks");
    let (clock, constant) = (system.terms.var(clock), system.terms.int(constant));
    let is_below = system.terms.lt(clock, constant);
    if below { is_below } else { system.terms.not(is_below) }
}

/// A model whose first edge has another guard: all these disjunctions together.
fn guarded(text: &str, count: usize, disjunction: fn(&mut System, usize) -> Vec<Term>) -> (System, Question) {
    let (mut system, question) = read(text);
    let mut parts = vec![];
    for at in 0..count {
        let disjunction = disjunction(&mut system, at);
        parts.push(system.terms.or(disjunction));
    }
    let guard = system.terms.and(parts);
    system.processes.iter_mut().next().expect("a process").edges.iter_mut().next().expect("an edge").guard =
        guard;
    (system, question)
}

/// Where n is 0, `x >= 1 || x >= i + 1 || n == i` with a positive i says `x >= 1`. So this guard is that of the
/// model, though multiplied out it has 3^15 cases.
#[test]
fn a_tighter_bound_is_noticed_behind_a_condition_of_many_cases() {
    let check = |set: Damaged| {
        let (system, question) = guarded(MODEL, 15, |system, at| {
            let n = system.vars.ids().find(|var| system.vars[*var].name == "n").expect("in the model");
            let (n, at_least) = (system.terms.var(n), at as i64 + 1);
            let value = system.terms.int(at_least);
            let other = system.terms.eq(n, value);
            vec![compare(system, 0, false, 1), compare(system, 0, false, at_least + 1), other]
        });
        let certificate = Certificate::Zones(Box::new(set));
        certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false))
            .map_err(|why| why.to_string())
    };
    for covering in Covering::ALL {
        assert_eq!(check(Damaged::new(*covering)), Ok(()), "{covering}");
    }
    for which in 0..ENTRIES {
        for cell in [1, 2] {
            let entry = move |index: usize, _: &mut State, zone: &mut Zone| {
                if index == which {
                    zone.limits[cell] = Limit::from_code(zone.limits[cell].code() & !1);
                }
            };
            let damaged = Damaged { entry: Box::new(entry), ..Damaged::new(Covering::Inclusion) };
            refused(check(damaged), "not in the set");
        }
    }
}

/// All valuations, at each of two locations.
struct Everything {
    clocks: usize,
}

impl ZoneSet for Everything {
    fn len(&self) -> usize {
        2
    }
    fn state(&self, index: usize, out: &mut State) {
        *out = State { locations: [LocationId::at(index)].into(), values: vec![None; self.clocks].into() };
    }
    fn zone(&self, _: usize, out: &mut Zone) {
        out.dim = self.clocks + 1;
        out.limits = vec![Limit::NONE; out.dim * out.dim];
        for clock in 0..out.dim {
            out.limits[clock] = Limit::LE_ZERO;
            out.limits[clock * out.dim + clock] = Limit::LE_ZERO;
        }
    }
    fn find(&self, like: usize, _: &Zone, _: Option<&[ClockRange]>) -> Option<usize> {
        Some(like)
    }
    fn simulation(&self, _: usize, _: &mut Vec<ClockRange>) -> bool {
        false
    }
}

/// With a pair of clocks for each disjunction of a guard there are 2^n ways through it, and none contains
/// another. The set is right; where it takes too long to see that, it is not called wrong.
#[test]
fn more_ways_than_can_be_followed_are_not_decided() {
    let check = |pairs: usize| {
        let clocks: Vec<String> = (0..2 * pairs).map(|i| format!("x{i}")).collect();
        let text = format!(
            "clock {}; process P() {{ state A, B, Bad; init A; trans A -> B {{ }}; }} system P;",
            clocks.join(", ")
        );
        let (system, question) = guarded(&text, pairs, |system, at| {
            vec![compare(system, 2 * at, true, 1), compare(system, 2 * at + 1, true, 1)]
        });
        let certificate = Certificate::Zones(Box::new(Everything { clocks: 2 * pairs }));
        certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(false))
    };
    assert_eq!(check(2), Ok(()));
    // Too many for all zones at once, and not for one.
    assert_eq!(check(13), Ok(()));
    match check(17) {
        Err(certify::Rejection::Undecided(why)) => {
            assert!(why.to_string().contains("too complex on clocks"), "{why}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_looser_bound_is_noticed_where_it_lets_more_out() {
    refused(Damaged::with_entry(1, |_, zone| zone.limits[2] = Limit::NONE), "not in the set");
}

#[test]
fn a_target_within_an_entry_is_noticed() {
    for (query, met) in [("P.B && x >= 3", true), ("P.B && x < 1", false), ("P.A && n == 1", false)] {
        let mut model = lang::xta::load(MODEL, lang::xta::Format::Xta).expect("a model");
        let property = model.parse_property("other", &format!("E<> {query}")).expect("a query");
        let question = model.system.question(property.claim);
        let certificate = Certificate::Zones(certificate(Covering::Inclusion));
        let result =
            certify::check_certificate(&model.system, &question, &certificate, &AtomicBool::new(false));
        assert_eq!(result.is_err(), met, "{query}: {result:?}");
    }
}

#[test]
fn a_deadlock_within_an_entry_is_noticed() {
    // B can be left at 3 only. If it must be left before, or is left into what must have been left at 2,
    // everything there is stuck; at A never.
    let strict = MODEL.replace("B { x <= 3 }", "B { x < 3 }");
    let late = MODEL.replace("B -> A { guard x >= 3; assign x := 0, n := 0; }", "B -> A { guard x >= 3; }");
    for (text, query, met) in [
        (MODEL, "deadlock", false),
        (MODEL, "not deadlock", true),
        (&*strict, "deadlock", true),
        (&*strict, "P.A && deadlock", false),
        (&*strict, "P.B && not deadlock", false),
        (&*late, "P.B && x < 2 && deadlock", true),
        (&*late, "P.B && not deadlock", false),
    ] {
        let mut model = lang::xta::load(text, lang::xta::Format::Xta).expect("a model");
        let property = model.parse_property("other", &format!("E<> {query}")).expect("a query");
        let question = model.system.question(property.claim);
        let certificate = Certificate::Zones(certificate_of(text, Covering::Inclusion));
        let result =
            certify::check_certificate(&model.system, &question, &certificate, &AtomicBool::new(false));
        assert_eq!(result.is_err(), met, "{query}: {result:?}");
    }
    let mut model = lang::xta::load(MODEL, lang::xta::Format::Xta).expect("a model");
    let property = model.parse_property("other", "E<> deadlock").expect("a query");
    let question = model.system.question(property.claim);
    let certificate = Certificate::Zones(certificate(Covering::Alu));
    let result = certify::check_certificate(&model.system, &question, &certificate, &AtomicBool::new(false));
    assert!(
        matches!(&result, Err(certify::Rejection::Wrong(why)) if why.flaw == certify::Flaw::SimulatedDeadlock),
        "{result:?}"
    );
}

#[test]
fn another_discrete_value_is_noticed() {
    for which in 0..ENTRIES {
        let other = |state: &mut State, _: &mut Zone| {
            for value in &mut state.values {
                if let Some(Value::Int(number)) = value {
                    *number = ir::Int::from(1 - number.to_i64().expect("a small number"));
                }
            }
        };
        refused(Damaged::with_entry(which, other), "not in the set");
        let impossible = |state: &mut State, _: &mut Zone| {
            let number = state.values.iter_mut().find(|value| value.is_some()).expect("an integer");
            *number = Some(Value::int(7));
        };
        let result = Damaged::with_entry(which, impossible);
        assert!(result.is_err(), "a value out of range");
    }
}

#[test]
fn a_shape_that_is_not_the_models_is_refused() {
    refused(Damaged::with_entry(0, |_, zone| zone.dim = 3), "set");
    refused(Damaged::with_entry(1, |_, zone| zone.limits = vec![Limit::NONE; 3]), "set");
    refused(Damaged::with_entry(1, |state, _| state.locations = Box::default()), "set");
    let with_clock = |state: &mut State, _: &mut Zone| {
        let clock = state.values.iter_mut().find(|value| value.is_none()).expect("a clock");
        *clock = Some(Value::rat(ir::Rat::ZERO));
    };
    refused(Damaged::with_entry(1, with_clock), "set");
}

#[test]
fn a_wrong_hint_grants_nothing() {
    let lies: [fn(usize) -> Option<usize>; 3] = [|at| Some(1 - at), |_| None, |at| Some(at + 100)];
    for find in lies {
        for covering in Covering::ALL {
            refused(Damaged { find, ..Damaged::new(*covering) }.check(), "not in the set");
        }
    }
}

#[test]
fn constants_too_low_for_simulation_are_noticed() {
    for (location, lower) in [(0, true), (0, false), (1, true)] {
        for new in [Some(0), None] {
            let simulation = move |state: &State, constants: &mut Vec<ClockRange>| {
                if *state.locations == [LocationId::at(location)] {
                    let (l, u) = &mut constants[0];
                    *if lower { l } else { u } = new;
                }
            };
            refused(
                Damaged { simulation: Box::new(simulation), ..Damaged::new(Covering::Alu) }.check(),
                "not in the set",
            );
        }
    }
}

#[test]
fn constants_are_asked_for_where_the_zone_blocks_most_executions() {
    assert_eq!(Damaged::of(MANY_WAYS, Covering::Alu).check(), Ok(()));
    // That y is not large blocks only ways to do what is done anyway. That x is not blocks those to D.
    let with = |change: fn(&mut Vec<ClockRange>)| {
        let simulation = Box::new(move |_: &State, constants: &mut Vec<ClockRange>| change(constants));
        Damaged { simulation, ..Damaged::of(MANY_WAYS, Covering::Alu) }.check()
    };
    assert_eq!(with(|constants| constants[1].0 = None), Ok(()));
    refused(with(|constants| constants[0].0 = Some(1)), "with constants that do not keep all conditions");
}

#[test]
fn with_two_clocks_each_bound_is_noticed() {
    let whole = Damaged::of(TWO_CLOCKS, Covering::Inclusion);
    let entries = whole.len();
    assert_eq!(whole.check(), Ok(()));
    let damaged = |which: usize, change: fn(&mut State, &mut Zone)| {
        let entry = move |index: usize, state: &mut State, zone: &mut Zone| {
            if index == which {
                change(state, zone);
            }
        };
        Damaged { entry: Box::new(entry), ..Damaged::of(TWO_CLOCKS, Covering::Inclusion) }.check()
    };
    for which in 0..entries {
        refused(damaged(which, |_, zone| zone.limits[0] = Limit::from_code(-1)), "not in the set");
        refused(damaged(which, |_, zone| zone.dim = 2), "the set");
        refused(damaged(which, |state, _| state.locations = Box::default()), "entry");
    }
    // Without its upper bounds, an entry at B contains what leads to Bad.
    let at_b = (0..entries).find(|index| {
        let mut state = State::default();
        Damaged::of(TWO_CLOCKS, Covering::Inclusion).state(*index, &mut state);
        state.locations[0] == LocationId::at(1)
    });
    let loosened = damaged(at_b.expect("B is reached"), |_, zone| {
        for cell in 0..zone.limits.len() {
            if cell / zone.dim != cell % zone.dim {
                zone.limits[cell] = if cell < zone.dim { Limit::LE_ZERO } else { Limit::NONE };
            }
        }
    });
    refused(loosened, "not in the set");
}

#[test]
fn simulation_is_refused_for_differences_of_clocks() {
    /// Claims that entries stand for what they simulate.
    struct Claims(Box<dyn ZoneSet>);
    impl ZoneSet for Claims {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn state(&self, index: usize, out: &mut State) {
            self.0.state(index, out);
        }
        fn zone(&self, index: usize, out: &mut Zone) {
            self.0.zone(index, out);
        }
        fn find(&self, like: usize, zone: &Zone, most: Option<&[ClockRange]>) -> Option<usize> {
            self.0.find(like, zone, most)
        }
        fn simulation(&self, _: usize, out: &mut Vec<ClockRange>) -> bool {
            *out = vec![(Some(100), Some(100)); 2];
            true
        }
    }
    let (system, question) = read(TWO_CLOCKS);
    let claims = Certificate::Zones(Box::new(Claims(certificate_of(TWO_CLOCKS, Covering::Inclusion))));
    let result = certify::check_certificate(&system, &question, &claims, &AtomicBool::new(false));
    refused(result.map_err(|why| why.to_string()), "with constants that do not keep all conditions");
}

#[test]
fn a_check_can_be_interrupted() {
    let (system, question) = model();
    let certificate = Certificate::Zones(certificate(Covering::Inclusion));
    let result = certify::check_certificate(&system, &question, &certificate, &AtomicBool::new(true));
    assert_eq!(result, Err(certify::Rejection::Interrupted));
}
