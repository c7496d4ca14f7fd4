//! What an answer means: the one place where a search becomes a verdict.
//!
//! An engine finds a run that answers a question, or excludes that there is one. The claim that posed the question
//! says what that means for it ([`Claim::decided_by`]). Nothing becomes a verdict before `certify` has accepted the
//! evidence.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use certify::{Judge, Reached, Rejection, Shown, Undecided, Wrong};
use engine::{Answer, Reason, Stop};
use ir::eval::{Env, eval};
use ir::{
    Certificate, Claim, Fault, FaultId, Id, LocationId, ProcessId, Property, Question, Run, State, System,
    Term, Value, VarId,
};

/// A decided or undecided question, with what shows it.
#[derive(Debug)]
pub struct Verdict {
    /// The outcome.
    pub answer: Decided,
    /// What shows it.
    pub evidence: Evidence,
    /// Whether `certify` has accepted the evidence.
    pub certified: bool,
}

/// The outcome for a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// Not decided.
    Unknown(Cause),
}

/// Why a question is open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The search ended without an answer.
    Search(Reason),
    /// There was an answer, but whether its evidence is right could not be decided.
    Uncertified(Undecided),
}

impl Cause {
    /// The stable code of the cause.
    pub fn code(&self) -> &'static str {
        match self {
            Cause::Search(reason) => reason.code(),
            Cause::Uncertified(why) => why.code(),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Search(reason) => reason.fmt(f),
            Cause::Uncertified(why) => write!(f, "not certified: {why}"),
        }
    }
}

impl Decided {
    /// What becomes of a claim when this has been shown about its question.
    fn of(claim: Claim, shown: Shown) -> Self {
        if claim.decided_by(shown != Shown::Excluded) { Decided::Holds } else { Decided::Violated }
    }
}

/// What shows a verdict.
#[derive(Debug)]
pub enum Evidence {
    /// A run to a violating state, or to one that was asked for.
    Run(Run),
    /// Why there is no such run; questions that were answered together share it.
    Certificate(Rc<Certificate>),
    /// Nothing.
    None,
}

/// What an engine claims before anybody has checked it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Claimed {
    /// There is a run that answers the question.
    Found,
    /// There is a run on which the model goes wrong.
    Fault,
    /// There is no such run.
    Excluded,
}

/// Why an answer gives no verdict.
#[derive(Debug)]
pub enum NoVerdict {
    /// The model itself goes wrong: this fault happens at the end of this run.
    Fault(FaultId, Run),
    /// The property itself goes wrong in the state at the end of this run.
    Undefined(Box<Fault>, Run),
    /// The evidence of the engine was refused, which is a mistake of Thetis.
    Refused {
        /// What the engine had answered.
        answer: Claimed,
        /// Why that was refused.
        why: Wrong,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doubt = if self.certified { "" } else { " (not certified)" };
        match &self.answer {
            Decided::Holds => write!(f, "holds{doubt}"),
            Decided::Violated => write!(f, "violated{doubt}"),
            Decided::Unknown(cause) => write!(f, "unknown ({cause})"),
        }
    }
}

/// The verdict on `property` after an engine has answered its question.
///
/// With `certify` off, answers are taken as they are and the verdict says so.
pub fn judge(
    system: &System,
    property: &Property,
    question: &Question,
    answer: Answer,
    certify: bool,
    stop: &Stop,
) -> Result<Verdict, NoVerdict> {
    let mut verdict = None;
    let asked = [(property, question)];
    let mut judge = certify.then(|| Judge::new(system));
    judge_all(system, &asked, answer, judge.as_mut(), stop, &mut |_, result| verdict = Some(result));
    verdict.expect("every property is judged")
}

/// The verdicts on several properties, each with its question, that an engine gives the same answer.
///
/// A run is checked for each of them. A certificate is checked once for all questions together that are about
/// reachability: where nothing answers any of them, nothing answers a single one. What is about whole runs has no states
/// that such a certificate could exclude, so there it is checked for each question. Without a judge, answers are taken as
/// they are, and verdicts say so.
pub fn judge_all(
    system: &System,
    asked: &[(&Property, &Question)],
    answer: Answer,
    mut judge: Option<&mut Judge<'_>>,
    stop: &Stop,
    tell: &mut dyn FnMut(usize, Result<Verdict, NoVerdict>),
) {
    match answer {
        Answer::Unknown(reason) => {
            (0..asked.len()).for_each(|at| tell(at, Ok(unknown(Cause::Search(reason.clone())))));
        }
        Answer::Found(run) => {
            for (at, (property, question)) in asked.iter().enumerate() {
                tell(at, found(system, property, question, run.clone(), judge.as_deref_mut(), stop));
            }
        }
        Answer::Excluded(certificate) => {
            let evidence = certify::Evidence::Certificate(&certificate);
            let certify = judge.is_some();
            let targets: Option<Vec<Term>> = asked.iter().map(|(_, question)| question.target()).collect();
            let together = match (&judge, targets) {
                (None, _) => Some(Ok(Shown::Excluded)),
                (Some(judge), Some(targets)) if asked.len() > 1 => {
                    let mut system = system.clone();
                    let any = Question::Reach(system.terms.or(targets));
                    let mut judge = Judge::by(judge.checker().clone(), &system);
                    Some(judge.check(&any, evidence, stop.flag()))
                }
                (Some(_), _) => None,
            };
            let each: Vec<Result<Shown, Rejection>> = match (together, &mut judge) {
                (Some(checked), _) => vec![checked; asked.len()],
                (None, Some(judge)) => {
                    let check = |(_, question): &(_, &Question)| judge.check(question, evidence, stop.flag());
                    asked.iter().map(check).collect()
                }
                (None, None) => unreachable!("without a judge, all are taken together"),
            };
            let certificate = Rc::new(certificate);
            for (at, ((property, _), checked)) in asked.iter().zip(&each).enumerate() {
                let evidence = Evidence::Certificate(certificate.clone());
                let result = match checked {
                    Ok(shown) => {
                        let answer = Decided::of(property.claim, *shown);
                        Ok(Verdict { answer, evidence, certified: certify })
                    }
                    Err(why) => refused(Claimed::Excluded, why.clone(), stop),
                };
                tell(at, result);
            }
        }
    }
}

/// The verdict on `property` after an engine has found a run.
fn found(
    system: &System,
    property: &Property,
    question: &Question,
    run: Run,
    judge: Option<&mut Judge<'_>>,
    stop: &Stop,
) -> Result<Verdict, NoVerdict> {
    let certify = judge.is_some();
    let shown = match judge {
        Some(judge) => judge.check(question, certify::Evidence::Run(&run), stop.flag()),
        None => Ok(Shown::Reached(system.fault_of(run.last()).map_or(Reached::Target, Reached::Fault))),
    };
    match shown {
        Ok(Shown::Reached(Reached::Fault(_))) if property.faults_violate => {
            Ok(Verdict { answer: Decided::Violated, evidence: Evidence::Run(run), certified: certify })
        }
        Ok(Shown::Reached(Reached::Fault(fault))) => Err(NoVerdict::Fault(fault, run)),
        Ok(shown) => {
            if let Some(fault) = undefined(system, property, &run, stop) {
                return Err(NoVerdict::Undefined(Box::new(fault), run));
            }
            let answer = Decided::of(property.claim, shown);
            Ok(Verdict { answer, evidence: Evidence::Run(run), certified: certify })
        }
        Err(why) => refused(Claimed::Found, why, stop),
    }
}

/// What becomes of an answer whose evidence was not accepted.
fn refused(answer: Claimed, why: Rejection, stop: &Stop) -> Result<Verdict, NoVerdict> {
    match why {
        Rejection::Interrupted => Ok(unknown(Cause::Search(stop.reason()))),
        Rejection::Undecided(why) => Ok(unknown(Cause::Uncertified(why))),
        Rejection::Wrong(why) => Err(NoVerdict::Refused { answer, why }),
    }
}

fn unknown(cause: Cause) -> Verdict {
    Verdict { answer: Decided::Unknown(cause), evidence: Evidence::None, certified: true }
}

/// What goes wrong where a property is evaluated at the end of a run, if anything does.
pub fn undefined(system: &System, property: &Property, run: &Run, stop: &Stop) -> Option<Fault> {
    let holds = |condition: &Term| {
        let question = Question::Reach(*condition);
        matches!(certify::check_run(system, &question, run, stop.flag()), Ok(Reached::Target))
    };
    property.faults.iter().find(|(condition, _)| holds(condition)).map(|(_, fault)| fault.clone())
}

/// A state as a source of values.
pub(crate) struct At<'a> {
    pub(crate) system: &'a System,
    pub(crate) state: &'a State,
}

impl Env for At<'_> {
    fn var(&self, var: VarId, _: u32) -> Option<&Value> {
        let slot = self.system.state_vars().position(|known| known == var)?;
        self.state.values[slot].as_ref()
    }
    fn at(&self, process: ProcessId, location: LocationId) -> bool {
        self.state.locations[process.index()] == location
    }
}

/// Which value leaves which range when a fault happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfRange {
    /// The value, if it is still known: what depends on variables within a step is not.
    pub value: Option<i64>,
    /// The least that is allowed.
    pub low: i64,
    /// The greatest that is allowed.
    pub high: i64,
}

/// Which value leaves which range in a state at a fault, if it is a matter of that.
pub fn out_of_range(system: &System, fault: FaultId, state: &State) -> Option<OutOfRange> {
    let (term, (low, high)) = system.faults[fault].limit?;
    let value = match eval(&system.terms, &At { system, state }, term).map(Cow::into_owned) {
        Ok(Value::Int(value)) => value.to_i64().filter(|value| !(low..=high).contains(value)),
        _ => None,
    };
    Some(OutOfRange { value, low, high })
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "{value} is not ")?,
            None => f.write_str("it must be ")?,
        }
        match self.high {
            i64::MAX => write!(f, "{} or more", self.low),
            high => write!(f, "from {} to {high}", self.low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Config, Quiet};

    const MODEL: &str = "var n : integer = 0 trans { assume n < 3; n := n + 1; } init { } env { }";

    /// The verdict on a claim made from `text`; `forge` may change what the engine answered.
    fn verdict(text: &str, claim: fn(Term) -> Claim, forge: fn(&mut Run)) -> Result<String, NoVerdict> {
        let mut model = lang::xsts::load(MODEL).unwrap();
        let Property { claim: Claim::Always(term), .. } = model.parse_property("p", text).unwrap() else {
            panic!("properties of this language are about all states")
        };
        let property =
            Property { name: "p".to_owned(), claim: claim(term), faults: vec![], faults_violate: false };
        let question = model.system.question(property.claim);
        let stop = Stop::new();
        let (mut answer, _) = engine::search(&model.system, &question, &Config::default(), &stop, &mut Quiet);
        if let Answer::Found(run) = &mut answer {
            forge(run);
        }
        judge(&model.system, &property, &question, answer, true, &stop).map(|verdict| verdict.to_string())
    }

    #[test]
    fn the_kind_of_claim_decides() {
        let check = |text, claim, expected: &str| {
            assert_eq!(verdict(text, claim, |_| {}).unwrap(), expected, "{text}")
        };
        check("n <= 3", Claim::Always, "holds");
        check("n <= 2", Claim::Always, "violated");
        check("n == 3", Claim::Possibly, "holds");
        check("n == 4", Claim::Possibly, "violated");
    }

    #[test]
    fn forged_evidence_is_no_verdict() {
        let forge = |run: &mut Run| drop(run.steps.pop());
        assert!(matches!(
            verdict("n <= 2", Claim::Always, forge),
            Err(NoVerdict::Refused { answer: Claimed::Found, .. })
        ));
    }

    #[test]
    fn evidence_that_nobody_can_check_is_no_verdict() {
        let source = "
            var n : integer = 0 var k : integer = 3
            trans { n := 0; for i from 0 to k do { n := n + 1; } } init { } env { }
        ";
        let mut system = lang::xsts::load(source).unwrap().system;
        let (n, zero) = (system.vars.ids().next().unwrap(), system.terms.int(0));
        let n = system.terms.var(n);
        let always = system.terms.le(zero, n);
        let never = system.terms.not(always);
        let all = [0, 1, 2];
        let locations = system.processes.iter().next().unwrap().locations.ids().take(all.len());
        let entry =
            |at| ir::InvariantEntry { locations: [at].into(), formula: always, successors: all.to_vec() };
        let entries = locations.map(entry).collect();
        let invariant = ir::Invariant { terms: system.terms.clone(), initial: all.to_vec(), entries };
        let answer = Answer::Excluded(Certificate::Invariant(invariant));
        let stop = Stop::new();
        let property = Property {
            name: "p".to_owned(),
            claim: Claim::Always(always),
            faults: vec![],
            faults_violate: false,
        };
        let verdict = judge(&system, &property, &Question::Reach(never), answer, true, &stop).unwrap();
        let Decided::Unknown(Cause::Uncertified(why)) = verdict.answer else { panic!("{verdict}") };
        assert!(matches!(why, Undecided::Loop(_)), "{why}");
    }

    /// A list of states excludes a state, and says nothing about a formula that is judged beside it.
    #[test]
    fn a_certificate_about_states_decides_nothing_about_runs() {
        let mut model = lang::xsts::load(MODEL).unwrap();
        let states = model.parse_property("p", "n <= 3").unwrap();
        let runs = model.parse_property("q", "ltl: G (n == 0)").unwrap();
        let mut system = model.system;
        let [first, second] = [&states, &runs].map(|property| system.question(property.claim));
        let stop = Stop::new();
        let (answer, _) = engine::search(&system, &first, &Config::default(), &stop, &mut Quiet);
        let asked = [(&states, &first), (&runs, &second)];
        let mut verdicts = vec![];
        let mut judge = Judge::new(&system);
        judge_all(&system, &asked, answer, Some(&mut judge), &stop, &mut |_, verdict| verdicts.push(verdict));
        assert!(matches!(&verdicts[0], Ok(Verdict { answer: Decided::Holds, .. })), "{verdicts:?}");
        assert!(matches!(&verdicts[1], Err(NoVerdict::Refused { .. })), "{verdicts:?}");
    }

    #[test]
    fn interruption_is_no_refusal() {
        let model = lang::xsts::load(MODEL).unwrap();
        let mut system = model.system;
        let term = system.terms.bool(true);
        let stop = Stop::new();
        stop.request(Reason::Time);
        let answer = Answer::Unknown(stop.reason());
        let property = Property {
            name: "p".to_owned(),
            claim: Claim::Always(term),
            faults: vec![],
            faults_violate: false,
        };
        let verdict = judge(&system, &property, &Question::Reach(term), answer, true, &stop).unwrap();
        assert_eq!(verdict.to_string(), "unknown (time limit reached)");
    }
}
