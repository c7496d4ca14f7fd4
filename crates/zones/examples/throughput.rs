//! Nanoseconds per operation, fast against slow: `cargo run --release -p zones --example throughput`.
//!
//! Zones come from a random walk of guards, resets and delays, so that they look like those of a search.

extern crate thetis_zones as zones;

use std::hint::black_box;
use std::time::Instant;

use zones::{Bound, Constraint, LuBounds, Op, Pool, Probe, dbm, extra, lu_covers, post, slow};

/// A small generator, so that all runs measure the same zones.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// The zone work of one transition: two guards, a reset, a delay, an invariant.
fn transition(random: &mut Random, dim: usize) -> [Op; 6] {
    let mut clock = || 1 + random.below(dim - 1);
    let (a, b, c, d) = (clock(), clock(), clock(), clock());
    let mut constant = |limit| random.below(limit) as i64;
    let (low, lower, high) = (constant(5), constant(4), 12 + constant(20));
    [
        Op::Constrain(Constraint::at_least(a, low).unwrap()),
        Op::Constrain(Constraint::lower(b, lower, true).unwrap()),
        Op::Reset(c as u32, 0),
        Op::Constrain(Constraint::at_most(d, high).unwrap()),
        Op::Delay,
        Op::Constrain(Constraint::at_most(d, high).unwrap()),
    ]
}

/// The best of many short rounds, so that other processes disturb little.
fn time(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9
}

fn main() {
    println!("{:>4} {:24} {:>9} {:>9} {:>7}", "dim", "operation (ns each)", "fast", "slow", "ratio");
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|dim| dim.parse().ok()).collect();
    for dim in if asked.is_empty() { vec![4, 8, 16, 32, 64] } else { asked } {
        measure(dim);
    }
}

fn measure(dim: usize) {
    let random = &mut Random(dim as u64);
    let mut bounds = LuBounds::new(dim);
    for clock in 1..dim {
        bounds.raise_lower(clock, 5 + random.below(8) as i64).unwrap();
        bounds.raise_upper(clock, 10 + random.below(24) as i64).unwrap();
    }
    // Zones before and after extrapolation, and the transitions that led to them.
    let count = 100_000 / (dim * dim) + 20;
    let mut walk: Vec<(Vec<Bound>, [Op; 6])> = Vec::new();
    let mut exact = Vec::new();
    let mut zone = vec![Bound::INFINITY; dbm::len(dim)];
    dbm::init_zero(&mut zone, dim);
    dbm::up(&mut zone, dim);
    while walk.len() < count {
        let before = zone.clone();
        let ops = transition(random, dim);
        if post(&mut zone, dim, &ops).unwrap() {
            walk.push((before, ops));
            exact.push(zone.clone());
            extra::extra_lu_plus(&mut zone, dim, &bounds).unwrap();
        } else {
            zone = before;
        }
    }
    let guards: Vec<Constraint> = walk.iter().filter_map(|(_, ops)| invariant(ops)).collect();
    let mut scratch = zone.clone();
    let each = |scratch: &mut Vec<Bound>, work: &mut dyn FnMut(usize, &mut Vec<Bound>)| {
        let total = time(60, || {
            for index in 0..count {
                work(index, scratch);
            }
        });
        total / count as f64
    };
    let copying = each(&mut scratch, &mut |index, zone| zone.copy_from_slice(&exact[index]));
    let report = |name: &str, fast: f64, slow: f64| {
        println!("{dim:>4} {name:24} {fast:>9.1} {slow:>9.1} {:>7.1}", slow / fast);
    };
    macro_rules! on_copies {
        ($name:expr, $zones:expr, |$index:ident, $zone:ident| $fast:expr, $slow:expr) => {
            let fast = each(&mut scratch, &mut |$index, $zone| {
                $zone.copy_from_slice(&$zones($index));
                let _ = black_box($fast);
            }) - copying;
            let slow = each(&mut scratch, &mut |$index, $zone| {
                $zone.copy_from_slice(&$zones($index));
                let _ = black_box($slow);
            }) - copying;
            report($name, fast, slow);
        };
    }
    let before = |index: usize| &walk[index].0;
    let after = |index: usize| &exact[index];
    on_copies!(
        "constrain",
        before,
        |index, zone| dbm::constrain(zone, dim, guards[index]),
        slow::constrain_by_entry(zone, dim, guards[index])
    );
    on_copies!("close", before, |index, zone| dbm::close(zone, dim), slow::close(zone, dim));
    on_copies!("up", before, |index, zone| dbm::up(zone, dim), dbm::up(zone, dim));
    on_copies!("down", before, |index, zone| dbm::down(zone, dim), slow::down(zone, dim));
    on_copies!(
        "reset",
        before,
        |index, zone| dbm::reset(zone, dim, 1 + index % (dim - 1), 0),
        dbm::reset(zone, dim, 1 + index % (dim - 1), 0)
    );
    on_copies!(
        "extra LU",
        after,
        |index, zone| extra::extra_lu(zone, dim, &bounds),
        slow::extra_lu(zone, dim, &bounds)
    );
    on_copies!(
        "extra LU+",
        after,
        |index, zone| extra::extra_lu_plus(zone, dim, &bounds),
        slow::extra_lu_plus(zone, dim, &bounds)
    );
    on_copies!(
        "includes (holds)",
        after,
        |index, zone| dbm::includes(zone, &exact[index]),
        slow::includes(zone, &exact[index])
    );
    on_copies!(
        "lu_covers (holds)",
        after,
        |index, zone| lu_covers(zone, &exact[index], dim, &bounds),
        slow::lu_covers(zone, &exact[index], dim, &bounds)
    );
    on_copies!("hash", after, |index, zone| dbm::hash(zone), dbm::hash(zone));
    on_copies!(
        "post",
        before,
        |index, zone| post(zone, dim, &walk[index].1),
        walk[index].1.iter().for_each(|op| slow_post(zone, dim, op))
    );
    let fast = each(&mut scratch, &mut |index, zone| {
        zone.copy_from_slice(&walk[index].0);
        black_box(post(zone, dim, &walk[index].1).unwrap());
        extra::extra_lu_plus(zone, dim, &bounds).unwrap();
        black_box(dbm::includes(&walk[index].0, zone));
    });
    let slow = each(&mut scratch, &mut |index, zone| {
        zone.copy_from_slice(&walk[index].0);
        walk[index].1.iter().for_each(|op| slow_post(zone, dim, op));
        slow::extra_lu_plus(zone, dim, &bounds).unwrap();
        black_box(slow::includes(&walk[index].0, zone));
    });
    report("whole transition", fast, slow);

    let keep: Vec<u32> = (0..dim as u32).collect();
    let (mut pool, mut probe) = (Pool::new(), Probe::new());
    let fast = each(&mut scratch, &mut |index, _| {
        probe.load(&exact[index], dim, &keep);
        black_box(pool.insert(&mut probe));
    });
    report("pool: load and find", fast, f64::NAN);
    let ids: Vec<_> = exact
        .iter()
        .map(|zone| {
            probe.load_all(zone, dim);
            pool.insert(&mut probe).0
        })
        .collect();
    let fast = each(&mut scratch, &mut |index, _| {
        black_box(pool.covers(ids[index], &mut probe));
    });
    report("pool: covers", fast, f64::NAN);
    let fast = each(&mut scratch, &mut |index, _| {
        black_box(pool.lu_covers(ids[index], &probe, &bounds));
    });
    report("pool: lu_covers", fast, f64::NAN);
    let fast = each(&mut scratch, &mut |index, zone| pool.load(ids[index], zone));
    report("pool: unpack", fast, f64::NAN);
    println!("{dim:>4} {:24} {:>9}", "pool: bytes per zone", pool.bytes() / pool.len());
}

fn slow_post(zone: &mut [Bound], dim: usize, op: &Op) {
    let nonempty = match op {
        Op::Constrain(guard) => slow::constrain_by_entry(zone, dim, *guard),
        other => post(zone, dim, &[*other]),
    };
    assert!(nonempty.unwrap());
}

fn invariant(ops: &[Op]) -> Option<Constraint> {
    match ops.last() {
        Some(Op::Constrain(guard)) => Some(*guard),
        _ => None,
    }
}
