//! Configurations of abstraction refinement: as text, by their short names, and as a covering array.
//!
//! A *pairwise covering array* is a list of configurations in which every two values of two different
//! options that can occur together do so at least once. Mistakes that need one option, or two that do not
//! get along, show in some configuration of the list, which is a small part of all. The generator is
//! greedy: it takes the configuration that has most pairs not seen so far, the first of them in a fixed
//! order, until all have been seen. So the list is the same each time.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use engine::{
    AutoExpl, Cegar, Config, Domain, Engine, InitialPrecision, PredicateSplit, Prune, Refinement, Search,
};

/// The options that the array covers.
const OPTIONS: [&str; 8] =
    ["domain", "refinement", "prunestrategy", "initprec", "search", "predsplit", "maxenum", "autoexpl"];

/// The limits of enumeration that the array covers: merge at once, the default, and none.
const MAX_ENUM: [u32; 3] = [1, 250, 0];

/// A configuration as text: `option=value` for every option that goes with its domain.
pub fn spell(config: &Config) -> String {
    let values = values(config);
    let given = OPTIONS.iter().zip(&values).filter(|(_, value)| !value.is_empty());
    given.map(|(option, value)| format!("{option}={value}")).collect::<Vec<_>>().join(" ")
}

/// The values of [`OPTIONS`]; empty where there is none.
fn values(config: &Config) -> [String; 8] {
    let Cegar { domain, refinement, prune, initial_precision, predicate_split, max_enum, auto_expl, .. } =
        &config.cegar;
    fn optional(value: &Option<impl Display>) -> String {
        value.as_ref().map_or(String::new(), ToString::to_string)
    }
    [
        domain.to_string(),
        refinement.to_string(),
        prune.to_string(),
        optional(initial_precision),
        config.search.to_string(),
        optional(predicate_split),
        optional(max_enum),
        optional(auto_expl),
    ]
}

/// The configuration of a text: `option=value` words, or a short name; of abstraction refinement, unless another
/// engine is given.
pub fn read(text: &str) -> Result<Config, String> {
    let mut config = Config { engine: Engine::Cegar, ..Config::default() };
    if !text.contains('=') {
        config = named(text).ok_or(format!("no configuration is called `{text}`"))?;
    } else {
        for word in text.split_whitespace() {
            let (option, value) = word.split_once('=').ok_or(format!("`{word}` has no value"))?;
            set(&mut config, option, value)?;
        }
    }
    config.check().map_err(|error| error.to_string())?;
    Ok(config)
}

fn set(config: &mut Config, option: &str, value: &str) -> Result<(), String> {
    fn parse<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
        value.parse().map_err(|error: T::Err| error.to_string())
    }
    let cegar = &mut config.cegar;
    match option {
        "domain" => cegar.domain = parse(value)?,
        "refinement" => cegar.refinement = parse(value)?,
        "prunestrategy" => cegar.prune = parse(value)?,
        "initprec" => cegar.initial_precision = Some(parse(value)?),
        "search" => config.search = parse(value)?,
        "predsplit" => cegar.predicate_split = Some(parse(value)?),
        "maxenum" => cegar.max_enum = Some(parse(value)?),
        "autoexpl" => cegar.auto_expl = Some(parse(value)?),
        "interpolation" => cegar.interpolation = parse(value)?,
        "engine" => config.engine = parse(value)?,
        "clockstrategy" => config.clock_strategy = Some(parse(value)?),
        "zonestrategy" => config.zone_strategy = parse(value)?,
        other => return Err(format!("unknown option `{other}`")),
    }
    Ok(())
}

/// The configuration of a short name: `<domain><maxenum>_<prune>_<refinement>_<search><predsplit>`, as in
/// `PC_L_SI_BW` or `E250_F_FBI_B`; then, if it is not the default, `+` and an initial precision, or `@` and
/// where interpolants come from.
fn named(name: &str) -> Option<Config> {
    let (name, initial) = name.split_once('+').map_or((name, None), |(name, initial)| (name, Some(initial)));
    let (name, strategy) = name.split_once('@').map_or((name, "auto"), |(name, strategy)| (name, strategy));
    let mut config = Config { engine: Engine::Cegar, ..Config::default() };
    config.cegar.interpolation = strategy.parse().ok()?;
    if let Some(initial) = initial {
        config.cegar.initial_precision = Some(initial.parse().ok()?);
    }
    let parts: Vec<&str> = name.split('_').collect();
    let [domain, prune, refinement, last] = parts[..] else { return None };
    let digits = domain.find(|c: char| c.is_ascii_digit()).unwrap_or(domain.len());
    config.cegar.domain = match &domain[..digits] {
        "PC" => Domain::PredCart,
        "PB" => Domain::PredBool,
        "PS" => Domain::PredSplit,
        "E" => Domain::Expl,
        "P" => Domain::ExplPredCart,
        "EPB" => Domain::ExplPredBool,
        "EPS" => Domain::ExplPredSplit,
        "EPC" => Domain::ExplPredCombined,
        _ => return None,
    };
    if digits < domain.len() {
        config.cegar.max_enum = Some(domain[digits..].parse().ok()?);
    }
    config.cegar.prune = match prune {
        "L" => Prune::Lazy,
        "F" => Prune::Full,
        _ => return None,
    };
    config.cegar.refinement = match refinement {
        "FBI" => Refinement::FwBinItp,
        "BBI" => Refinement::BwBinItp,
        "SI" => Refinement::SeqItp,
        "MS" => Refinement::MultiSeq,
        "UC" => Refinement::UnsatCore,
        other => other.parse().ok()?,
    };
    let mut letters = last.chars();
    config.search = match letters.next()? {
        'B' => Search::Bfs,
        'D' => Search::Dfs,
        _ => return None,
    };
    config.cegar.predicate_split = match letters.next() {
        None => None,
        Some('W') => Some(PredicateSplit::Whole),
        Some('C') => Some(PredicateSplit::Conjuncts),
        Some('A') => Some(PredicateSplit::Atoms),
        Some(_) => return None,
    };
    Some(config)
}

/// Every legal configuration, each option given wherever it goes with the domain.
pub fn all() -> Vec<Config> {
    fn some<T: Copy>(list: &[T]) -> Vec<Option<T>> {
        list.iter().copied().map(Some).collect()
    }
    /// By name: which value is the default does not matter.
    fn sorted<T: Copy + Display>(list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        list.sort_by_key(ToString::to_string);
        list
    }
    let mut list = vec![];
    for domain in sorted(Domain::ALL) {
        let splits = if domain.has_predicates() { some(&sorted(PredicateSplit::ALL)) } else { vec![None] };
        let limits = if domain.has_values() { some(&MAX_ENUM) } else { vec![None] };
        let autos =
            if domain == Domain::ExplPredCombined { some(&sorted(AutoExpl::ALL)) } else { vec![None] };
        for refinement in sorted(Refinement::ALL) {
            for prune in sorted(Prune::ALL) {
                for initial in sorted(InitialPrecision::ALL) {
                    for search in sorted(&[Search::Bfs, Search::Dfs]) {
                        for &predicate_split in &splits {
                            for &max_enum in &limits {
                                for &auto_expl in &autos {
                                    let cegar = Cegar {
                                        domain,
                                        refinement,
                                        prune,
                                        initial_precision: Some(initial),
                                        predicate_split,
                                        max_enum,
                                        auto_expl,
                                        ..Cegar::default()
                                    };
                                    if cegar.check().is_ok() {
                                        let engine = Engine::Cegar;
                                        list.push(Config { engine, search, cegar, ..Config::default() });
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    list
}

/// A covering array of all legal configurations.
pub fn pairwise() -> Vec<Config> {
    let all = all();
    // Values as numbers, pairs of them as places in a table.
    let mut names: BTreeSet<(usize, String)> = BTreeSet::new();
    let spelled: Vec<[String; 8]> = all.iter().map(values).collect();
    for row in &spelled {
        names.extend(row.iter().cloned().enumerate());
    }
    let names: Vec<(usize, String)> = names.into_iter().collect();
    let number = |option: usize, value: &String| {
        names.binary_search_by_key(&(option, value), |(o, v)| (*o, v)).expect("all are listed")
    };
    let pairs: Vec<Vec<usize>> = spelled
        .iter()
        .map(|row| {
            let ids: Vec<usize> =
                row.iter().enumerate().map(|(option, value)| number(option, value)).collect();
            let later = |at: usize| (at + 1..ids.len()).map(move |other| (at, other));
            (0..ids.len()).flat_map(later).map(|(a, b)| ids[a] * names.len() + ids[b]).collect()
        })
        .collect();
    let mut open = vec![false; names.len() * names.len()];
    pairs.iter().flatten().for_each(|pair| open[*pair] = true);
    let mut chosen = vec![];
    loop {
        let gain = |row: &Vec<usize>| row.iter().filter(|pair| open[**pair]).count();
        let (mut best, mut most) = (0, 0);
        for (at, row) in pairs.iter().enumerate() {
            let gain = gain(row);
            if gain > most {
                (best, most) = (at, gain);
            }
        }
        if most == 0 {
            return chosen;
        }
        pairs[best].iter().for_each(|pair| open[*pair] = false);
        chosen.push(all[best].clone());
    }
}

/// The covering array as it is committed: one configuration on each line.
pub fn committed() -> Vec<Config> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/cegar_pairwise.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| read(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}
