//! Random timed XSTS, against a search of their region graph.
//!
//! Models have one or two clocks, constraints on them and on their difference anywhere in conditions and in
//! what is assigned, delays anywhere in steps, and the data that untimed random models have. Zones must say
//! what the region graph says, and so must engines that know data only, for which time is encoded, and
//! abstraction refinement with zones. Of the kinds of the latter, some are asked about every model, and all of
//! them in turn. Every answer must be accepted by `certify`. `PROPTEST_CASES` sets the number of models.

extern crate thetis_engine as engine;

mod regions;
mod split;
mod within;

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::ClockStrategy::{CfSplitAll, CfSplitFilter};
use engine::ZoneStrategy::{BwItp, FwItp, Lu};
use engine::{
    Answer, AutoExpl, Cegar, ClockStrategy, Config, Covering, Domain, Engine, Prune, Quiet, Reason, Stop,
    ZoneStrategy,
};
use ir::{Question, System};
use lang::xsts::{self, arbitrary, ast};
use proptest::test_runner::Config as Runs;

use regions::Regions;

/// How much the search of the region graph may do.
const FUEL: usize = 60_000;

/// What every search may use.
fn limits() -> Config {
    Config {
        state_limit: Some(2_000),
        step_limit: Some(200_000),
        call_limit: Some(800),
        work_limit: Some(2_000_000),
        ..Config::default()
    }
}

/// Abstraction refinement with zones.
fn split(domain: Domain, how: ClockStrategy, zone_strategy: ZoneStrategy, prune: Prune) -> Config {
    Config {
        engine: Engine::Combined,
        cegar: Cegar { domain, prune, ..Cegar::default() },
        clock_strategy: Some(how),
        zone_strategy,
        ..limits()
    }
}

/// All kinds of it, with these abstractions of zones.
fn all_splits(zones: &[ZoneStrategy]) -> Vec<Config> {
    let mut list = vec![];
    for domain in Domain::ALL {
        for how in [CfSplitAll, CfSplitFilter] {
            for zone_strategy in zones {
                list.extend(
                    [Prune::Full, Prune::Lazy].map(|prune| split(*domain, how, *zone_strategy, prune)),
                );
            }
        }
    }
    list
}

/// What is asked, by name; two of them are those of this number among all kinds.
fn configs(number: usize) -> Vec<(&'static str, Config)> {
    let with = |engine: Engine| Config { engine, ..limits() };
    let cegar = |domain: Domain| Config {
        cegar: Cegar { domain, ..Cegar::default() },
        clock_strategy: Some(ClockStrategy::RatEncode),
        ..with(Engine::Cegar)
    };
    let mut combined = cegar(Domain::ExplPredCombined);
    combined.cegar.auto_expl = Some(AutoExpl::NewOperands);
    let [all, simulating] = [&[BwItp, FwItp][..], &[Lu]].map(all_splits);
    vec![
        ("split values", split(Domain::Expl, CfSplitFilter, BwItp, Prune::Lazy)),
        ("split all values", split(Domain::Expl, CfSplitAll, FwItp, Prune::Full)),
        ("split predicates", split(Domain::PredCart, CfSplitFilter, FwItp, Prune::Lazy)),
        ("split all predicates", split(Domain::PredCart, CfSplitAll, BwItp, Prune::Full)),
        ("split product", split(Domain::ExplPredCombined, CfSplitFilter, FwItp, Prune::Full)),
        ("split all products", split(Domain::ExplPredCombined, CfSplitAll, BwItp, Prune::Lazy)),
        ("split in turn", all[number % all.len()].clone()),
        ("split by simulation", split(Domain::Expl, CfSplitFilter, Lu, Prune::Lazy)),
        ("split predicates by simulation", split(Domain::PredCart, CfSplitAll, Lu, Prune::Lazy)),
        ("split in turn by simulation", simulating[number % simulating.len()].clone()),
        ("zone", with(Engine::Zone)),
        ("zone alu", Config { covering: Covering::Alu, ..with(Engine::Zone) }),
        ("predicates", cegar(Domain::PredCart)),
        ("predicates as it is", Config { preprocess: false, ..cegar(Domain::PredCart) }),
        ("combined", combined),
        ("values", cegar(Domain::Expl)),
        ("bmc", Config { bound: Some(5), ..with(Engine::Bmc) }),
        ("kind", Config { bound: Some(4), ..with(Engine::Kind) }),
    ]
}

/// What was said: by configuration, how many targets were reached, never reached and left open.
#[derive(Debug, Default)]
struct Seen {
    reached: usize,
    never: usize,
    skipped: usize,
    said: BTreeMap<&'static str, [usize; 3]>,
}

#[test]
fn random_timed_models_get_the_answer_of_the_region_graph() {
    let runs = Runs { max_shrink_iters: 2_000, ..sampling::runs(120, 2_718) };
    let cases = runs.cases;
    let seen = RefCell::new(Seen::default());
    sampling::check(runs, &arbitrary::timed_model(), xsts::print, |model| {
        agree(&model, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    eprintln!("{cases} random models: {seen:#?}");
    if cases < 100 {
        return;
    }
    let cases = cases as usize;
    assert!(seen.never > cases / 8 && seen.reached > cases / 3, "the models are not varied enough: {seen:?}");
    assert!(seen.skipped < cases / 4, "too few are searched: {seen:?}");
    let asked = seen.never + seen.reached;
    for (name, [reached, never, open]) in &seen.said {
        assert_eq!(reached + never + open, asked, "{name}");
        // Bounded search shows hardly ever that there is nothing; zones know no arbitrary integers and no arrays
        // over all integers, and those with `alu` no differences.
        let most = if matches!(*name, "bmc" | "zone" | "zone alu") { 7 } else { 1 };
        assert!(*open * 10 < asked * most, "{name} leaves too many open: {seen:?}");
    }
}

fn agree(model: &ast::Model, seen: &mut Seen) -> Result<(), String> {
    let text = xsts::print(model);
    let mut model = xsts::load(&text).map_err(|errors| format!("{errors:?}"))?;
    let property = model.property().ok_or("no property")?;
    let question = model.system.question(property.claim);
    let target = question.target().expect("about reachability");
    let Ok(expected) = Regions::new(&model.system, FUEL).reaches(target) else {
        seen.skipped += 1;
        return Ok(());
    };
    *(if expected { &mut seen.reached } else { &mut seen.never }) += 1;
    for (name, config) in configs(seen.never + seen.reached) {
        let said =
            ask(&model.system, &question, &config).map_err(|why| format!("{name}, {config}: {why}"))?;
        let counted = seen.said.entry(name).or_default();
        match said {
            Some(said) if said != expected => {
                return Err(format!("{name}, {config}: reached {said}, by the region graph {expected}"));
            }
            Some(said) => counted[usize::from(!said)] += 1,
            None => counted[2] += 1,
        }
    }
    Ok(())
}

/// Whether the target, or a fault, is reached, if that was found out; evidence that is refused is an error.
fn ask(system: &System, question: &Question, config: &Config) -> Result<Option<bool>, String> {
    let (answer, _) = engine::search(system, question, config, &Stop::new(), &mut Quiet);
    let flag = Stop::new();
    match answer {
        Answer::Found(run) => {
            let checked = certify::check_run(system, question, &run, flag.flag());
            checked.map_err(|why| format!("the run was refused: {why}"))?;
            Ok(Some(true))
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(system, question, &certificate, flag.flag());
            match checked {
                Ok(_) => Ok(Some(false)),
                Err(certify::Rejection::Undecided(_)) => Ok(None),
                Err(why) => Err(format!("the certificate was refused: {why}")),
            }
        }
        Answer::Unknown(Reason::Internal(why)) => Err(why.to_string()),
        Answer::Unknown(_) => Ok(None),
    }
}
