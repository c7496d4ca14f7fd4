//! Configurations by short names, most of them as in Tóth and Majzik, *Lazy reachability checking for timed
//! automata with discrete variables*, 2018.
//!
//! `Z` is the zone graph, `ZS` the same with covering by simulation, and `C` its refinement along paths, each
//! followed by the order of the search. Names of lazy abstraction have three letters: data are explicit (`E`)
//! or abstracted to visible variables (`A`); zones are abstracted by bounds that grow (`L`) or by
//! interpolants, backwards (`I`) or forwards (`F`); and the order is breadth first (`B`), depth first (`D`)
//! or by priority (`P`).

use engine::{Config, Covering, DataStrategy, Engine, Search, ZoneStrategy};

/// The order that a letter stands for.
const ORDERS: [(char, Search); 3] = [('B', Search::Bfs), ('D', Search::Dfs), ('P', Search::Priority)];

/// The name of the default.
const AUTO: &str = "auto";

/// All names.
pub fn all() -> Vec<String> {
    let families = ["Z", "ZS", "C", "EL", "EI", "EF", "AL", "AI", "AF"];
    let ordered = families.iter().flat_map(|family| ORDERS.map(|(order, _)| format!("{family}{order}")));
    std::iter::once(AUTO.to_owned()).chain(ordered).collect()
}

/// The configuration of a name.
pub fn read(name: &str) -> Result<Config, String> {
    let unknown = || format!("no configuration is called `{name}`; there are {}", all().join(", "));
    if name == AUTO {
        return Ok(Config::default());
    }
    let letters: Vec<char> = name.chars().collect();
    let (order, family) = letters.split_last().ok_or_else(unknown)?;
    let (_, search) = ORDERS.into_iter().find(|(letter, _)| letter == order).ok_or_else(unknown)?;
    let plain = |engine: Engine| Ok(Config { engine, search, ..Config::default() });
    let (data, zones) = match family {
        ['Z'] => return plain(Engine::Zone),
        ['Z', 'S'] => {
            return Ok(Config { covering: Covering::Alu, ..plain(Engine::Zone)? });
        }
        ['C'] => return plain(Engine::ZoneCegar),
        [data, zones] => (data, zones),
        _ => return Err(unknown()),
    };
    let data = match data {
        'E' => DataStrategy::Explicit,
        'A' => DataStrategy::Visible,
        _ => return Err(unknown()),
    };
    let zone_strategy = match zones {
        'L' => ZoneStrategy::Lu,
        'I' => ZoneStrategy::BwItp,
        'F' => ZoneStrategy::FwItp,
        _ => return Err(unknown()),
    };
    Ok(Config { engine: Engine::Lazy, search, data, zone_strategy, ..Config::default() })
}

/// Whether a name is one of lazy abstraction.
pub fn is_lazy(name: &str) -> bool {
    name.starts_with(['E', 'A'])
}
