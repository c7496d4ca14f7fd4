//! From a net to a [`System`]: an integer for each place, an edge for each transition.

use ir::{
    Edge, Guarded, Int, Location, LocationKind, Process, Stmt, Stuck, System, Term, Terms, Type, Value,
    VarId, Variable,
};

use super::net::{Arc, ArcKind, Names, Net, titles};

/// The system of a net, and what names mean in it.
pub(crate) fn lower(net: &Net) -> (System, Names) {
    // A run that cannot go on stays where it is, as in the Model Checking Contest.
    let mut system = System { stuck: Stuck::Repeat, ..System::default() };
    let mut tokens = vec![];
    for (place, title) in net.places.iter().zip(titles(net.places.iter().map(|place| &place.node))) {
        let var = system.declare(Type::Int, Variable::state(title, place.node.span));
        let start = system.terms.constant(Value::Int(place.tokens.clone()));
        system.initial.push((var, start));
        tokens.push(var);
    }
    let mut process = Process { name: net.name.clone(), ..Process::default() };
    // There are no clocks, and this way nobody needs to look for them.
    let here = Location::new("net", system.terms.bool(true), LocationKind::Urgent);
    let here = process.locations.push(here);
    process.initial = Some(here);
    let labels = titles(net.transitions.iter().map(|transition| &transition.node));
    for (transition, label) in net.transitions.iter().zip(labels) {
        let effects = effects(&transition.arcs);
        let guard = enabled(&mut system.terms, &effects, &tokens);
        let update = fire(&mut system.terms, &effects, &tokens);
        process.edges.push(Edge {
            source: here,
            target: here,
            guard,
            update: Guarded::safe(update),
            sync: None,
            label: label.to_owned(),
            span: transition.node.span,
        });
    }
    system.processes.push(process);
    (system, Names::new(net, tokens))
}

/// What a transition does to one place.
pub(crate) struct Effect {
    /// The number of the place.
    pub(crate) place: usize,
    /// It must have at least so many tokens.
    pub(crate) least: Int,
    /// It must have fewer tokens than this.
    pub(crate) below: Option<Int>,
    /// How many more it has afterwards.
    pub(crate) change: Int,
}

/// What arcs do together, place by place: those that take add up, and so do those that give.
pub(crate) fn effects(arcs: &[Arc]) -> Vec<Effect> {
    let mut sorted: Vec<&Arc> = arcs.iter().collect();
    sorted.sort_by_key(|arc| arc.place);
    let mut list: Vec<Effect> = vec![];
    for group in sorted.chunk_by(|a, b| a.place == b.place) {
        let mut effect = Effect { place: group[0].place, least: Int::ZERO, below: None, change: Int::ZERO };
        let (mut taken, mut asked) = (Int::ZERO, Int::ZERO);
        for arc in group {
            match arc.kind {
                ArcKind::Take => taken = &taken + &arc.weight,
                ArcKind::Give => effect.change = &effect.change + &arc.weight,
                ArcKind::Read => asked = asked.max(arc.weight.clone()),
                ArcKind::Inhibit => {
                    let below =
                        effect.below.map_or(arc.weight.clone(), |below| below.min(arc.weight.clone()));
                    effect.below = Some(below);
                }
            }
        }
        effect.change = &effect.change - &taken;
        effect.least = taken.max(asked);
        list.push(effect);
    }
    list
}

/// Where a transition can fire.
pub(crate) fn enabled(terms: &mut Terms, effects: &[Effect], tokens: &[VarId]) -> Term {
    let mut conditions = vec![];
    for Effect { place, least, below, .. } in effects {
        let has = terms.var(tokens[*place]);
        if !least.is_zero() {
            let least = terms.constant(Value::Int(least.clone()));
            conditions.push(terms.ge(has, least));
        }
        if let Some(below) = below {
            let below = terms.constant(Value::Int(below.clone()));
            conditions.push(terms.lt(has, below));
        }
    }
    terms.and(conditions)
}

fn fire(terms: &mut Terms, effects: &[Effect], tokens: &[VarId]) -> Stmt {
    let mut assignments = vec![];
    for Effect { place, change, .. } in effects.iter().filter(|effect| !effect.change.is_zero()) {
        let has = terms.var(tokens[*place]);
        let change = terms.constant(Value::Int(change.clone()));
        let after = terms.add([has, change]);
        assignments.push(terms.assign(tokens[*place], after));
    }
    terms.seq(assignments)
}
