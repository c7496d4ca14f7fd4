//! The order in which engines are asked about a timed system.
//!
//! Which engine is quick depends on what a model consists of. In a *network*, control is in the locations, data
//! are few, and zones tell nearly everything; what helps beyond them are paths without clocks, where locations or
//! data exclude the target by themselves, and lazy abstraction, where few variables or bounds decide. In a model
//! *of data*, a step is a long statement that makes variables arbitrary and asks for their values: there are many
//! successors of each state, and most of what they say is of no interest. So abstraction of data comes early there,
//! with time as data like any other, which needs few questions where few facts decide, and with zones for time,
//! which is better where many moments of time matter.
//!
//! All that decides is who has which share of the work, and who begins: everybody [takes turns](super::rotation), so
//! a wrong guess costs a factor and never the answer. Options that only some engines know are for these: the others are
//! asked all the same.
//!
//! Several questions are asked together first. Where that fails, each is asked by itself with as much work, and all together again
//! with more: a hard question need not make an easy one wait.

use ir::{Question, System};

use super::contents::{Contents, Order};
use super::rotation::{Member, Over, Record, take_turns};
use super::{CALLS, DEPTH, Failed, GROWTH, LOOK, NODES, Questions, ROUNDS, WORK, exhausted};
use crate::answer::Answer;
use crate::config::{Cegar, Config, Covering, Domain, Engine, Search, ZoneStrategy};
use crate::local;
use crate::observer::{Observer, Statistics};
use crate::several::Answered;
use crate::stop::Stop;

/// How much work is for all questions together at first: some seconds.
const TOGETHER: u64 = 4_000_000_000;

/// Answers questions about a timed system by [`members`] that [take turns](super::rotation).
pub(super) fn search(
    system: &System,
    questions: &[Question],
    limits: &Config,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) {
    let mut open: Vec<usize> = (0..questions.len()).collect();
    let mut asking = Questions::new(system, questions, limits);
    let contents = contents(&mut asking, &open, stop);
    let members = members(contents, (system, questions), limits);
    let order = order(contents, system, &members);
    let mut record = Record::default();
    let mut tell_of = |config: &Config, record: &Record, mut found: Answered| {
        found.statistics.answered_by = Some(config.clone());
        found.statistics.order = Some(order.clone());
        found.statistics.attempts.clone_from(&record.attempts);
        tell(found);
    };
    // What nobody can decide, however long.
    let mut hopeless = vec![];
    let mut most = TOGETHER;
    while !open.is_empty() && !stop.requested() {
        let alone = open.len() == 1 && hopeless.is_empty();
        let limit = (!alone).then_some(most);
        let over = take_turns(
            &asking,
            members.clone(),
            &mut open,
            limit,
            &mut record,
            (stop, observer),
            &mut tell_of,
        );
        if alone || over == Over::Exhausted && open.len() == 1 {
            break;
        }
        // A hard question need not make an easy one wait.
        for at in open.clone() {
            let mut one = vec![at];
            if stop.requested() {
                break;
            }
            let over = take_turns(
                &asking,
                members.clone(),
                &mut one,
                Some(most),
                &mut record,
                (stop, observer),
                &mut tell_of,
            );
            open.retain(|other| *other != at || !one.is_empty());
            if over == Over::Exhausted {
                open.retain(|other| *other != at);
                hopeless.push(at);
            }
        }
        most = most.saturating_mul(4);
    }
    open.append(&mut hopeless);
    open.sort_unstable();
    if !open.is_empty() {
        let reason = if stop.requested() { stop.reason() } else { exhausted(&record.attempts) };
        let statistics = Statistics { attempts: record.attempts, order: Some(order), ..record.last };
        tell(Answered { questions: open, answer: Answer::Unknown(reason), statistics });
    }
}

/// Asks one configuration about all that is open, those who ask solvers about each question by itself for a moment first:
/// what is easy does not wait for what is not.
pub(super) fn ask(
    questions: &mut Questions,
    config: &Config,
    open: &mut Vec<usize>,
    stop: &Stop,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Answered),
) -> Failed {
    if open.len() > 1 && matches!(config.engine, Engine::Cegar | Engine::Combined | Engine::Kind) {
        let call_limit = Some(config.call_limit.map_or(LOOK, |limit| limit.min(LOOK)));
        questions.ask_each(&Config { call_limit, ..config.clone() }, open, stop, observer, tell);
    }
    if open.is_empty() {
        return vec![];
    }
    if stop.requested() {
        return vec![(open.clone(), stop.reason(), Statistics::default())];
    }
    questions.ask_about(config, open, stop, observer, tell)
}

/// What the system contains that zones search for what is open.
pub(super) fn contents(questions: &mut Questions, open: &[usize], stop: &Stop) -> Contents {
    let (system, asked) = questions.prepared(Engine::Zone, open, stop);
    Contents::of(system, asked)
}

/// Who is asked about a system, in order, and what that depends on.
pub(super) fn plan(system: &System, questions: &[Question]) -> Order {
    let (limits, all) = (Config::default(), (0..questions.len()).collect::<Vec<_>>());
    let contents = contents(&mut Questions::new(system, questions, &limits), &all, &Stop::new());
    order(contents, system, &members(contents, (system, questions), &limits))
}

fn order(contents: Contents, system: &System, members: &[Member]) -> Order {
    let mut by_round: Vec<&Member> = members.iter().collect();
    by_round.sort_by_key(|member| *member.rounds.start());
    let mut engines: Vec<Engine> = by_round.iter().map(|member| member.config.engine).collect();
    engines.dedup();
    let declared = system.clocks().filter(|clock| system.vars[*clock].shown).count();
    Order { contents, declared, engines }
}

/// How many clocks are many: a zone of these has some thousand bounds.
const MANY_CLOCKS: usize = 70;

/// Who is asked about a timed system, with which share of the work, and from which round on.
///
/// Zones breadth first, which gives short runs, as long as there are few. Then larger zones first, which on large
/// models needs hardly more zones than breadth first, and on some far fewer: where there are no inputs, that is usually best. Beside
/// them come, each with a smaller share, paths without clocks, which show what data or locations exclude by themselves; lazy
/// abstraction by interpolation and by bounds, which end where few variables or bounds decide; zones depth first, and
/// zones that simulate others; local time, where processes seldom meet; and from the second round on those who ask solvers. In a model of data these are
/// first, and where clocks are many, too. Lazy abstraction chooses by itself what is sound with differences of clocks and
/// `deadlock`; of a `deadlock`, paths without clocks say little, since it is clocks that make it.
///
/// Zones do not know clocks that stand still or get the values of others; then all are asked who ask solvers, with time
/// as data.
///
/// An order of search that the user wants is that of all who have it, and a covering that of all who know it.
pub(super) fn members(
    contents: Contents,
    (system, questions): (&System, &[Question]),
    limits: &Config,
) -> Vec<Member> {
    let with = |engine: Engine, search: Search| {
        let search = match limits.search {
            Search::Bfs => search,
            Search::Priority if engine.refines() => Search::Bfs,
            wanted => wanted,
        };
        let covering = match engine {
            Engine::Zone | Engine::ZoneCegar => limits.covering,
            _ => Covering::default(),
        };
        Config { engine, search, covering, ..limits.clone() }
    };
    // Whoever stores no states has no more to ask than those who store as many as the user allows.
    let rounds = limits.state_limit.map(|most| {
        let enough = |round: &u32| NODES.saturating_mul(GROWTH.pow(*round)) >= most;
        (0..ROUNDS).find(enough).unwrap_or(ROUNDS)
    });
    let data = |engine: Engine| {
        let mut config = with(engine, Search::Bfs);
        let most = rounds.map(|round| CALLS * GROWTH.pow(round));
        config.call_limit = [limits.call_limit, most].into_iter().flatten().min();
        config.work_limit = Some(limits.work_limit.unwrap_or(u32::MAX).min(WORK));
        if matches!(engine, Engine::Kind | Engine::Bmc) {
            config.bound = [limits.bound, rounds.map(|round| DEPTH << round)].into_iter().flatten().min();
        }
        config
    };
    let refining = |engine: Engine, domain: Domain| Config {
        cegar: Cegar { domain, ..Cegar::default() },
        ..data(engine)
    };
    let zone = |search: Search| with(Engine::Zone, search);
    let alu = Config { covering: Covering::Alu, ..zone(Search::Bfs) };
    let lazy =
        |search: Search, zone_strategy: ZoneStrategy| Config { zone_strategy, ..with(Engine::Lazy, search) };
    let paths = with(Engine::ZoneCegar, Search::Bfs);
    // Values are what control consists of.
    let (beside, cubes) =
        (refining(Engine::Combined, Domain::Expl), refining(Engine::Cegar, Domain::PredSplit));
    let (predicates, induction) = (data(Engine::Cegar), data(Engine::Kind));
    let interpolating = lazy(Search::Bfs, ZoneStrategy::BwItp);
    let bounded = lazy(Search::Dfs, ZoneStrategy::Auto);
    let member = |config: Config, share: u64, first: u32| Member { config, share, rounds: first..=u32::MAX };
    let at_first = |config: Config, share: u64| Member { config, share, rounds: 0..=0 };
    let Contents { clocks, inputs, differences, uneven, alone, .. } = contents;
    let mut list = match (uneven, clocks >= MANY_CLOCKS, inputs) {
        (true, ..) => vec![
            member(predicates, 2, 0),
            member(induction, 2, 0),
            member(cubes, 1, 0),
            member(data(Engine::Bmc), 1, 0),
        ],
        (_, true, _) => vec![
            member(predicates, 2, 0),
            member(induction, 2, 0),
            at_first(zone(Search::Bfs), 4),
            member(zone(Search::Priority), 4, 1),
            member(paths, 1, 0),
            member(interpolating, 2, 1),
            member(bounded, 1, 1),
            member(beside, 1, 1),
        ],
        (.., 0) => {
            let mut list = vec![member(zone(Search::Priority), 4, 1), at_first(zone(Search::Bfs), 4)];
            // Zones are many because abstraction is coarse with differences, or few facts about data may decide.
            list.push(member(predicates, 1, u32::from(!differences && !alone)));
            if !alone && questions.iter().all(|question| local::applies(system, question).is_ok()) {
                list.push(member(with(Engine::Local, Search::Bfs), 2, 0));
            }
            list.extend([
                member(paths, 1, 0),
                member(interpolating, 2, 0),
                member(bounded, 1, 0),
                member(alu, 1, 1),
                member(zone(Search::Dfs), 1, 1),
                member(beside, 1, 1),
                member(induction, 1, 1),
            ]);
            list
        }
        _ => vec![
            at_first(zone(Search::Bfs), 4),
            member(predicates, 2, 0),
            member(beside, 2, 0),
            member(cubes, 2, 0),
            member(bounded, 1, 0),
            member(zone(Search::Priority), 2, 1),
            member(interpolating, 1, 1),
            member(induction, 1, 1),
            member(paths, 1, 1),
        ],
    };
    let deadlock = |question: &Question| question.mentions_deadlock(system);
    if differences {
        // That is what lazy abstraction chooses by itself then.
        list.retain(|member| member.config.zone_strategy != ZoneStrategy::BwItp);
    }
    if differences || questions.iter().any(deadlock) {
        list.retain(|member| member.config.covering != Covering::Alu || limits.covering == Covering::Alu);
    }
    if !questions.is_empty() && questions.iter().all(deadlock) {
        list.retain(|member| member.config.engine != Engine::ZoneCegar);
    }
    // With an order or a covering that the user wants, some are the same.
    for at in (0..list.len()).rev() {
        if let Some(same) = (0..at).find(|other| list[*other].config == list[at].config) {
            let Member { share, rounds, .. } = list.remove(at);
            let first = *rounds.start().min(list[same].rounds.start());
            let last = *rounds.end().max(list[same].rounds.end());
            list[same] =
                Member { share: share.max(list[same].share), rounds: first..=last, ..list[same].clone() };
        }
    }
    list
}
