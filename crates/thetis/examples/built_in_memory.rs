//! A model built in memory: a lamp that is switched on and off, and counts. `cargo run -p thetis --example built_in_memory`

use thetis::ir::{Claim, Edge, Guarded, Location, LocationKind, Process, Span, System, Type, Variable};
use thetis::lang::{Question, View};
use thetis::{Check, Model, trace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = System::default();
    let count = system.declare(Type::Int, Variable::state("count", Span::default()));
    let terms = &mut system.terms;
    let (zero, one, two, n) = (terms.int(0), terms.int(1), terms.int(2), terms.var(count));
    let (always, more) = (terms.bool(true), terms.add([n, one]));
    let (switch, nothing) = (terms.assign(count, more), terms.skip());
    let few = terms.le(n, two);
    system.initial.push((count, zero));

    let mut lamp = Process { name: "lamp".into(), ..Process::default() };
    let [off, on] =
        ["off", "on"].map(|name| lamp.locations.push(Location::new(name, always, LocationKind::Normal)));
    lamp.initial = Some(off);
    for (source, target, update, label) in [(off, on, switch, "press"), (on, off, nothing, "release")] {
        let (update, label, span) = (Guarded::safe(update), label.to_owned(), Span::default());
        lamp.edges.push(Edge { source, target, guard: always, update, sync: None, label, span });
    }
    system.processes.push(lamp);

    let model = Model::built("lamp", system, View::default());
    let question = Question::new("few", "count <= 2", "count <= 2", Claim::Always(few));
    let answer = model.check(&question, &Check::default())?;
    println!("{:?}, certified: {}", answer.outcome, answer.certified);
    answer.trace.iter().for_each(|run| print!("{}", trace::table::render(run, false)));
    Ok(())
}
