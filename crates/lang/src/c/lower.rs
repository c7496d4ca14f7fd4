//! From the graph of a program to a system: one process with a location for each point.
//!
//! What conditions on the way say about variables is carried along, so that a sum behind a guard need not wrap around.
//! Where paths meet, what all of them say remains; where a loop comes back, what it leaves alone does.

use ir::range::Ranges;
use ir::{
    Edge as SystemEdge, FaultState, Guarded, Id, IdVec, Location, LocationId, LocationKind, Process,
    ProcessId, Scope, Span, Stmt, System, Term, Type, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::Unit;
use super::code::{Base, Code, Edge, Instr, ObjectId, PlaceId, PointId, Role, Step, ValueId, ValueNode};
use super::memory::{Memory, Part, Uses, WILD};
use super::points_to::{PointsTo, Shape, leaves};
use super::types::Types;
use super::value::{Alternative, Checks, Purpose, Values};
use crate::code::Code as Cause;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A program as a system, and the way back.
pub(super) struct Lowered {
    pub system: System,
    pub memory: Memory,
    /// The location of each point.
    pub locations: IdVec<PointId, Option<LocationId>>,
    /// Where the program is when signed arithmetic has overflown; nothing leads there until somebody asks.
    pub overflow: LocationId,
    /// What leads there: from where, by what, and where that is written.
    pub overflows: Vec<(LocationId, Stmt, Span)>,
    /// For each edge of the system, the edge of the program.
    pub edges: Vec<usize>,
}

/// Lowers a program.
pub(super) fn lower(
    mut code: Code,
    types: Types,
    unit: &Unit,
    source: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    simplify(&mut code);
    let mut points_to = PointsTo::of_program(&code, &types);
    conflicts(&code, &types, &mut points_to, diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut uses = uses(&code);
    // Lengths are read wherever their arrays are.
    uses.crossing.extend(types.lengths());
    let lines = std::iter::once(0)
        .chain(source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1))
        .collect();
    let memory = Memory::new(code, types, points_to, uses, unit, lines);
    let mut lowering = Lowering { memory, system: System::default(), diagnostics, which: None, wild: None };
    let lowered = lowering.run(source);
    lowered.filter(|_| lowering.diagnostics.is_empty()).map(|parts| Lowered {
        system: lowering.system,
        memory: lowering.memory,
        locations: parts.locations,
        overflow: parts.overflow,
        overflows: parts.overflows,
        edges: parts.edges,
    })
}

/// Leaves out points where nothing happens, and what nobody reaches.
fn simplify(code: &mut Code) {
    let mut outgoing: IdVec<PointId, Vec<usize>> = code.points.iter().map(|_| vec![]).collect();
    for (number, edge) in code.edges.iter().enumerate() {
        outgoing[edge.from].push(number);
    }
    let through = |code: &Code, point: PointId| {
        let made = &code.points[point];
        let plain = !made.is_place() && code.entry != Some(point);
        match outgoing[point][..] {
            [only] if plain && code.edges[only].instrs.is_empty() && code.edges[only].to != point => {
                Some(code.edges[only].to)
            }
            _ => None,
        }
    };
    let mut final_target: IdVec<PointId, Option<PointId>> = code.points.iter().map(|_| None).collect();
    for point in code.points.ids() {
        let (mut at, mut way) = (point, vec![]);
        // A circle of nothing is left as it is.
        while final_target[at].is_none() && !way.contains(&at) && way.len() < 10_000 {
            way.push(at);
            match through(code, at) {
                Some(next) => at = next,
                None => break,
            }
        }
        let end = final_target[at].unwrap_or(at);
        for passed in way {
            final_target[passed] = Some(end);
        }
    }
    for edge in &mut code.edges {
        edge.to = final_target[edge.to].unwrap_or(edge.to);
    }
    let mut reached: IdVec<PointId, bool> = code.points.iter().map(|_| false).collect();
    let mut open: Vec<PointId> = code.entry.into_iter().collect();
    while let Some(point) = open.pop() {
        if !std::mem::replace(&mut reached[point], true) {
            open.extend(outgoing[point].iter().map(|edge| code.edges[*edge].to));
        }
    }
    code.edges.retain(|edge| reached[edge.from]);
    for point in code.points.ids().collect::<Vec<_>>() {
        code.points[point].reached = reached[point];
    }
}

/// Accesses in no order that meet after all, now that pointers are known.
fn conflicts(code: &Code, types: &Types, points_to: &mut PointsTo, diagnostics: &mut Diagnostics) {
    for (a, b, span) in &code.conflicts {
        let (x, y) = (points_to.of_place(code, types, *a), points_to.of_place(code, types, *b));
        let meet = x.iter().any(|x| {
            y.iter().any(|y| {
                let (x, y) = (points_to.get(*x), points_to.get(*y));
                x.object == y.object && x.path.iter().zip(&y.path).all(|(x, y)| x == y)
            })
        });
        if meet {
            let message = "one variable is written and used in one expression in an order that C leaves open; \
                           write it as several statements";
            diagnostics.push(Diagnostic::error(Cause::ConflictingWrites, *span, message));
        }
    }
}

/// Which hidden objects are used by several edges, and which objects are declared without values.
fn uses(code: &Code) -> Uses {
    let mut uses = Uses::default();
    let mut first: FxHashMap<ObjectId, usize> = FxHashMap::default();
    for (number, edge) in code.edges.iter().enumerate() {
        let mut objects = FxHashSet::default();
        for instr in &edge.instrs {
            mentioned(code, instr, &mut objects);
            if let Instr::Undefine(object) = instr {
                uses.undefined.insert(*object);
            }
        }
        for object in objects {
            if *first.entry(object).or_insert(number) != number {
                uses.crossing.insert(object);
            }
        }
    }
    // What an address was taken of may be used anywhere.
    for value in code.values.iter() {
        if let ValueNode::Address(place) = value.node
            && let Base::Object(object) = code.places[place].base
        {
            uses.crossing.insert(object);
        }
    }
    uses
}

/// The objects that an instruction names.
fn mentioned(code: &Code, instr: &Instr, out: &mut FxHashSet<ObjectId>) {
    match instr {
        Instr::Set(place, value) => {
            in_place(code, *place, out);
            in_value(code, *value, out);
        }
        Instr::Nondet(place) => in_place(code, *place, out),
        Instr::Undefine(object) | Instr::Clear(object) => {
            out.insert(*object);
        }
        Instr::Copy(to, from) => {
            in_place(code, *to, out);
            in_place(code, *from, out);
        }
        Instr::Assume(value, _) | Instr::Demand(value, ..) => in_value(code, *value, out),
    }
}

fn in_place(code: &Code, place: PlaceId, out: &mut FxHashSet<ObjectId>) {
    let made = &code.places[place];
    match made.base {
        Base::Object(object) => {
            out.insert(object);
        }
        Base::Deref(pointer) => in_value(code, pointer, out),
    }
    for step in &made.steps {
        if let Step::Index(index, _) = step {
            in_value(code, *index, out);
        }
    }
}

fn in_value(code: &Code, value: ValueId, out: &mut FxHashSet<ObjectId>) {
    let mut inside = |value: ValueId| ir::deep(|| in_value(code, value, out));
    match code.values[value].node {
        ValueNode::Int(_) | ValueNode::Null | ValueNode::At(_) => {}
        ValueNode::Load(place) | ValueNode::Address(place) => in_place(code, place, out),
        ValueNode::Convert(a) | ValueNode::Negate(a) | ValueNode::Complement(a) | ValueNode::Not(a) => {
            inside(a)
        }
        ValueNode::Binary(_, a, b)
        | ValueNode::Compare(_, a, b)
        | ValueNode::And(a, b)
        | ValueNode::Or(a, b)
        | ValueNode::Advance(a, b, _)
        | ValueNode::Distance(a, b) => {
            inside(a);
            inside(b);
        }
        ValueNode::Cond(a, b, c) => {
            inside(a);
            inside(b);
            inside(c);
        }
    }
}

struct Lowering<'a> {
    memory: Memory,
    system: System,
    diagnostics: &'a mut Diagnostics,
    /// The variable that holds the number of a fault, where there can be one.
    which: Option<VarId>,
    /// The variable whose value a pointer without a value has.
    wild: Option<VarId>,
}

struct Parts {
    locations: IdVec<PointId, Option<LocationId>>,
    overflow: LocationId,
    overflows: Vec<(LocationId, Stmt, Span)>,
    edges: Vec<usize>,
}

impl Lowering<'_> {
    fn run(&mut self, source: &str) -> Option<Parts> {
        let entry = self.memory.code.entry?;
        let mut process = Process { name: "main".to_owned(), ..Process::default() };
        let locations = self.locations(&mut process, source);
        process.initial = locations[entry];
        let always = self.system.terms.bool(true);
        let sink = Location::new("overflow", always, LocationKind::Urgent);
        let overflow = process.locations.push(Location { read: false, ..sink });
        let made = self.edges(entry);
        let mut overflows = vec![];
        let mut edges = vec![];
        for (number, update, bad) in made {
            let Edge { from, to, span, branch, .. } = self.memory.code.edges[number];
            let (Some(source_location), Some(target)) = (locations[from], locations[to]) else { continue };
            let label = label(source, span, branch);
            if let Some(bad) = bad {
                overflows.push((source_location, bad, span));
            }
            edges.push(number);
            process.edges.push(SystemEdge {
                source: source_location,
                target,
                guard: always,
                update,
                sync: None,
                label,
                span,
            });
        }
        if let Some(which) = self.which {
            let location = Location::new("fault", always, LocationKind::Urgent);
            let location = process.locations.push(Location { observed: false, read: false, ..location });
            self.system.fault = Some(FaultState { process: ProcessId::at(0), location, which });
        }
        self.system.processes.push(process);
        Some(Parts { locations, overflow, overflows, edges })
    }
    fn locations(&mut self, process: &mut Process, source: &str) -> IdVec<PointId, Option<LocationId>> {
        let always = self.system.terms.bool(true);
        let mut seen: FxHashMap<String, u32> = FxHashMap::default();
        let mut list = IdVec::default();
        let _ = source;
        for point in self.memory.code.points.ids() {
            let made = &self.memory.code.points[point];
            let kept = made.reached || made.role == Role::End;
            if !kept {
                list.push(None);
                continue;
            }
            let name = match (&made.role, made.starts.first()) {
                (Role::Stop(name), _) => format!("{name}()"),
                (Role::End, _) => "end".to_owned(),
                (_, Some(start)) => format!("line {}", self.memory.line(*start)),
                (_, None) => "between".to_owned(),
            };
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            let name = if *times == 1 { name } else { format!("{name} ({times})") };
            // Claims about runs see every place that a question can name.
            let read = made.is_place() || self.memory.code.entry == Some(point);
            let location = Location::new(name, always, LocationKind::Urgent);
            list.push(Some(process.locations.push(Location { read, ..location })));
        }
        list
    }
    /// The edges in the order in which runs come to them, with what they do and how that overflows.
    fn edges(&mut self, entry: PointId) -> Vec<(usize, Guarded, Option<Stmt>)> {
        let mut outgoing: IdVec<PointId, Vec<usize>> =
            self.memory.code.points.iter().map(|_| vec![]).collect();
        for (number, edge) in self.memory.code.edges.iter().enumerate() {
            outgoing[edge.from].push(number);
        }
        let (order, component) = components(&self.memory.code, &outgoing, entry);
        let mut position: IdVec<PointId, usize> =
            self.memory.code.points.iter().map(|_| usize::MAX).collect();
        for (at, point) in order.iter().enumerate() {
            position[*point] = at;
        }
        let changed = self.changed(&component);
        let mut comes_back: IdVec<PointId, bool> = self.memory.code.points.iter().map(|_| false).collect();
        for edge in &self.memory.code.edges {
            if position[edge.to] <= position[edge.from] {
                comes_back[edge.to] = true;
            }
        }
        for (point, back) in comes_back.entries() {
            let point: PointId = point;
            self.memory.code.points[point].head = *back;
        }
        let mut known: IdVec<PointId, Option<Ranges>> =
            self.memory.code.points.iter().map(|_| None).collect();
        let mut made = vec![];
        for point in order {
            let mut here = known[point].take().unwrap_or_default();
            if comes_back[point] {
                let mut vars: Vec<VarId> = vec![];
                for object in changed.get(&component[point]).into_iter().flatten() {
                    vars.extend(self.memory.vars_of_object(*object));
                }
                vars.sort_unstable();
                here.forget(&self.system.terms, &self.memory.declared, &vars);
            }
            for number in &outgoing[point] {
                let (update, bad, after) = self.edge(*number, here.clone());
                made.push((*number, update, bad));
                let to = self.memory.code.edges[*number].to;
                if position[to] > position[point] {
                    match &mut known[to] {
                        Some(known) => known.join(&self.system.terms, &self.memory.declared, &after),
                        none => *none = Some(after),
                    }
                }
            }
        }
        made
    }
    /// The objects that change while the program goes around in a component.
    fn changed(&mut self, component: &IdVec<PointId, u32>) -> FxHashMap<u32, FxHashSet<ObjectId>> {
        let Memory { code, types, points_to, .. } = &mut self.memory;
        let mut changed: FxHashMap<u32, FxHashSet<ObjectId>> = FxHashMap::default();
        for edge in &code.edges {
            if component[edge.from] != component[edge.to] {
                continue;
            }
            let set = changed.entry(component[edge.from]).or_default();
            for instr in &edge.instrs {
                match instr {
                    Instr::Set(place, _) | Instr::Nondet(place) | Instr::Copy(place, _) => {
                        let regions = points_to.of_place(code, types, *place);
                        set.extend(regions.into_iter().map(|region| points_to.get(region).object));
                    }
                    Instr::Undefine(object) | Instr::Clear(object) => {
                        set.insert(*object);
                    }
                    Instr::Assume(..) | Instr::Demand(..) => {}
                }
            }
        }
        changed
    }
    fn values(&mut self, context: Ranges) -> Values<'_> {
        Values {
            memory: &mut self.memory,
            system: &mut self.system,
            diagnostics: self.diagnostics,
            context,
            atoms: &[],
        }
    }
    /// What an edge does, how it overflows, and what is known behind it.
    fn edge(&mut self, number: usize, before: Ranges) -> (Guarded, Option<Stmt>, Ranges) {
        let instrs = std::mem::take(&mut self.memory.code.edges[number].instrs);
        let mut context = before;
        let (mut parts, mut bad) = (vec![], vec![]);
        for instr in &instrs {
            let (stmt, checks, after) = self.instr(instr, context);
            context = after;
            let which = self.which(!checks.faults.is_empty());
            let terms = &mut self.system.terms;
            let checked = ir::Checked { term: terms.bool(true), faults: checks.faults };
            let part = Guarded::using(terms, which, checked, |_, _| stmt);
            let overflow = (!checks.overflow.is_empty()).then(|| {
                let any = terms.or(checks.overflow);
                terms.assume(any)
            });
            bad.push(Guarded { stmt: part.stmt, fault: overflow });
            parts.push(part);
        }
        self.memory.code.edges[number].instrs = instrs;
        let terms = &mut self.system.terms;
        let bad =
            if bad.iter().any(|part| part.fault.is_some()) { Guarded::seq(terms, &bad).fault } else { None };
        let update = match parts[..] {
            [only] => only,
            _ => Guarded::seq(terms, &parts),
        };
        match self.memory.code.edges[number].silent {
            true => (Guarded::safe(update.stmt), None, context),
            false => (update, bad, context),
        }
    }
    /// The variable that holds the number of a fault; any variable will do where there is no fault.
    fn which(&mut self, faults: bool) -> VarId {
        match self.which {
            Some(which) => which,
            None if !faults => VarId::at(0),
            None => {
                let variable = Variable { shown: false, ..Variable::state("$fault", Span::default()) };
                let which = self.system.declare(Type::Int, variable);
                let none = self.system.terms.int(-1);
                self.system.initial.push((which, none));
                self.which = Some(which);
                which
            }
        }
    }
    fn instr(&mut self, instr: &Instr, context: Ranges) -> (Stmt, Checks, Ranges) {
        match instr {
            Instr::Set(place, value) => {
                let mut cx = self.values(context);
                let (list, mut checks) = cx.access(*place, Purpose::Write);
                let value = cx.value(*value);
                checks.then(&mut cx.system.terms, None, value.checks);
                let context = cx.context;
                let stmt = self.store(&list, value.term, value.index, *place);
                let after = self.learn_store(context, &list, value.term);
                (stmt, checks, after)
            }
            Instr::Nondet(place) => {
                let (list, checks) = self.values(context.clone()).access(*place, Purpose::Write);
                let mut context = context;
                let var = list.first().map(|one| self.memory.var(&mut self.system, one.region, Part::Main));
                let stmt = match var {
                    Some(var) => {
                        context.forget(&self.system.terms, &self.memory.declared, &[var]);
                        self.system.terms.havoc(var)
                    }
                    None => self.system.terms.skip(),
                };
                (stmt, checks, context)
            }
            Instr::Undefine(object) => self.reset(*object, Reset::Anything, context),
            Instr::Clear(object) => self.reset(*object, Reset::Zero, context),
            Instr::Copy(to, from) => self.copy(*to, *from, context),
            Instr::Assume(value, holds) => {
                let mut cx = self.values(context);
                let value = cx.truth(*value);
                let condition = if *holds { value.term } else { cx.system.terms.not(value.term) };
                let stmt = cx.system.terms.assume(condition);
                cx.context.learn(&cx.system.terms, &cx.memory.declared, condition, true);
                (stmt, value.checks, cx.context)
            }
            Instr::Demand(value, kind, span) => {
                let mut cx = self.values(context);
                let value = cx.truth(*value);
                let mut checks = value.checks;
                cx.demand(&mut checks, value.term, *kind, *span);
                cx.context.learn(&cx.system.terms, &cx.memory.declared, value.term, true);
                let context = cx.context;
                (self.system.terms.skip(), checks, context)
            }
        }
    }
    /// One of some variables gets a value.
    fn store(&mut self, list: &[Alternative], term: Term, index: Option<Term>, place: PlaceId) -> Stmt {
        let mut result: Option<Stmt> = None;
        for Alternative { when, region, at } in list.iter().rev() {
            let main = self.memory.var(&mut self.system, *region, Part::Main);
            let held = self.memory.type_of(*region);
            let written = self.memory.code.places[place].ty;
            // Through a pointer to the type of the other sign.
            let term = match held.and_then(|ty| self.memory.types.as_int(ty)) {
                Some(word) if held != Some(written) => {
                    let Memory { types, declared, .. } = &self.memory;
                    types.model.convert(&mut self.system.terms, &Ranges::default(), declared, term, word)
                }
                _ => term,
            };
            let mut parts = vec![];
            let mut index = index;
            if let Some(position) = index {
                // The position may depend on what is written first.
                let reads = self.system.terms.vars_of_all([position].into_iter().chain(*at));
                if reads.contains(&main) {
                    let variable = Variable {
                        shown: false,
                        scope: Scope::Local,
                        ..Variable::local("position", Span::default())
                    };
                    let saved = self.system.declare(Type::Int, variable);
                    parts.push(self.system.terms.assign(saved, position));
                    index = Some(self.system.terms.var(saved));
                }
            }
            parts.push(self.assign(main, *at, term));
            if let Some(position) = index {
                let second = self.memory.var(&mut self.system, *region, Part::Index);
                parts.push(self.assign(second, *at, position));
            }
            let stmt = self.system.terms.seq(parts);
            result = Some(match (result, when) {
                (Some(other), Some(when)) => self.system.terms.branch(*when, stmt, other),
                _ => stmt,
            });
        }
        result.unwrap_or_else(|| self.system.terms.skip())
    }
    fn assign(&mut self, var: VarId, at: Option<Term>, value: Term) -> Stmt {
        let terms = &mut self.system.terms;
        match at {
            Some(at) if terms.var_type(var) != Type::Int => {
                let whole = terms.var(var);
                let changed = terms.write(whole, at, value);
                terms.assign(var, changed)
            }
            _ => terms.assign(var, value),
        }
    }
    /// What is known after one of some variables got a value.
    fn learn_store(&mut self, mut context: Ranges, list: &[Alternative], value: Term) -> Ranges {
        let mut vars = vec![];
        for Alternative { region, .. } in list {
            vars.extend(self.memory.known(*region, Part::Main));
            vars.extend(self.memory.known(*region, Part::Index));
        }
        vars.sort_unstable();
        let only = match list {
            [Alternative { when: None, region, at: None }] => self.memory.known(*region, Part::Main),
            _ => None,
        };
        let range = context.of(&self.system.terms, &self.memory.declared, value);
        context.forget(&self.system.terms, &self.memory.declared, &vars);
        if let Some(only) = only {
            context.assign(&mut self.system.terms, &self.memory.declared, only, Some(range));
        }
        context
    }
    /// All parts of an object become zero, or anything.
    fn reset(&mut self, object: ObjectId, to: Reset, mut context: Ranges) -> (Stmt, Checks, Ranges) {
        let mut parts = vec![];
        let mut vars = vec![];
        let mut list = vec![];
        let ty = self.memory.code.objects[object].ty;
        leaves(&self.memory.types, ty, &mut vec![], &mut |path, ty| list.push((path.to_vec(), ty)));
        for (path, ty) in list {
            let pointer = self.memory.types.is_pointer(ty);
            let region = self.memory.points_to.region(object, path);
            let main = self.memory.var(&mut self.system, region, Part::Main);
            vars.push(main);
            match to {
                Reset::Anything if pointer && self.system.terms.var_type(main) == Type::Int => {
                    let wild = self.wild();
                    parts.push(self.system.terms.havoc(wild));
                    let value = self.system.terms.var(wild);
                    parts.push(self.system.terms.assign(main, value));
                }
                Reset::Anything if pointer => parts.push(self.everywhere(main, WILD)),
                Reset::Anything => parts.push(self.system.terms.havoc(main)),
                Reset::Zero => parts.push(self.everywhere(main, 0)),
            }
            if pointer {
                let index = self.memory.var(&mut self.system, region, Part::Index);
                vars.push(index);
                parts.push(self.everywhere(index, 0));
            }
        }
        vars.sort_unstable();
        context.forget(&self.system.terms, &self.memory.declared, &vars);
        (self.system.terms.seq(parts), Checks::default(), context)
    }
    fn everywhere(&mut self, var: VarId, number: i64) -> Stmt {
        let terms = &mut self.system.terms;
        let value = terms.int(number);
        let value = match terms.var_type(var) {
            Type::Array(array) => terms.fill(array, value),
            _ => value,
        };
        terms.assign(var, value)
    }
    fn wild(&mut self) -> VarId {
        *self.wild.get_or_insert_with(|| {
            let range = Some((ir::Int::from(WILD), ir::Int::from(0)));
            let variable = Variable { shown: false, range, ..Variable::local("$wild", Span::default()) };
            self.system.declare(Type::Int, variable)
        })
    }
    /// A whole array becomes the same as another one.
    fn copy(&mut self, to: PlaceId, from: PlaceId, context: Ranges) -> (Stmt, Checks, Ranges) {
        let mut cx = self.values(context);
        let (targets, mut checks) = cx.access(to, Purpose::Write);
        let (sources, more) = cx.access(from, Purpose::Read);
        checks.then(&mut cx.system.terms, None, more);
        let mut context = cx.context;
        let span = self.memory.code.places[to].span;
        let ty = self.memory.code.places[to].ty;
        if targets.iter().chain(&sources).any(|alternative| alternative.at.is_some()) {
            let message = "a copy of an array within an array is not supported in what `main` reaches";
            self.diagnostics.push(Diagnostic::error(Cause::UnsupportedOperator, span, message));
            return (self.system.terms.skip(), checks, context);
        }
        let mut paths = vec![];
        leaves(&self.memory.types, ty, &mut vec![], &mut |path, ty| {
            paths.push((path.to_vec(), self.memory.types.is_pointer(ty)));
        });
        let mut result: Option<Stmt> = None;
        let mut vars = vec![];
        for target in targets.iter().rev() {
            let mut parts = vec![];
            for (path, pointer) in &paths {
                let kinds: &[Part] = if *pointer { &[Part::Main, Part::Index] } else { &[Part::Main] };
                for part in kinds {
                    let var = self.leaf(target, path, *part);
                    let mut value: Option<Term> = None;
                    for source in sources.iter().rev() {
                        let other = self.leaf(source, path, *part);
                        let other = self.system.terms.var(other);
                        value = Some(match (value, source.when) {
                            (Some(last), Some(when)) => self.system.terms.ite(when, other, last),
                            _ => other,
                        });
                    }
                    if let Some(value) = value {
                        vars.push(var);
                        parts.push(self.system.terms.assign(var, value));
                    }
                }
            }
            let stmt = self.system.terms.seq(parts);
            result = Some(match (result, target.when) {
                (Some(other), Some(when)) => self.system.terms.branch(when, stmt, other),
                _ => stmt,
            });
        }
        vars.sort_unstable();
        context.forget(&self.system.terms, &self.memory.declared, &vars);
        (result.unwrap_or_else(|| self.system.terms.skip()), checks, context)
    }
    fn leaf(&mut self, alternative: &Alternative, path: &[Shape], part: Part) -> VarId {
        let region = self.memory.points_to.get(alternative.region).clone();
        let mut way = region.path;
        way.extend(path);
        let region = self.memory.points_to.region(region.object, way);
        self.memory.var(&mut self.system, region, part)
    }
}

/// What becomes of an object.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Reset {
    Zero,
    Anything,
}

/// The points in reverse postorder, and which can reach each other (Tarjan's strongly connected components).
fn components(
    code: &Code,
    outgoing: &IdVec<PointId, Vec<usize>>,
    entry: PointId,
) -> (Vec<PointId>, IdVec<PointId, u32>) {
    const NEW: u32 = u32::MAX;
    let mut index: IdVec<PointId, u32> = code.points.iter().map(|_| NEW).collect();
    let mut low: IdVec<PointId, u32> = code.points.iter().map(|_| 0).collect();
    let mut component: IdVec<PointId, u32> = code.points.iter().map(|_| NEW).collect();
    let (mut open, mut order, mut count, mut next) = (vec![], vec![], 0, 0);
    let mut stack = vec![(entry, 0)];
    while let Some((point, done)) = stack.pop() {
        if done == 0 {
            (index[point], low[point]) = (next, next);
            next += 1;
            open.push(point);
        }
        let mut descended = false;
        for at in done..outgoing[point].len() {
            let to = code.edges[outgoing[point][at]].to;
            if index[to] == NEW {
                stack.push((point, at + 1));
                stack.push((to, 0));
                descended = true;
                break;
            }
            if component[to] == NEW {
                low[point] = low[point].min(low[to]).min(index[to]);
            }
        }
        if descended {
            continue;
        }
        for edge in &outgoing[point] {
            let to = code.edges[*edge].to;
            if component[to] == NEW {
                low[point] = low[point].min(low[to]);
            }
        }
        if low[point] == index[point] {
            while let Some(member) = open.pop() {
                component[member] = count;
                if member == point {
                    break;
                }
            }
            count += 1;
        }
        order.push(point);
    }
    order.reverse();
    (order, component)
}

/// The text of an edge, short and on one line.
fn label(source: &str, span: Span, branch: Option<bool>) -> String {
    const MOST: usize = 60;
    let text = source.get(span.start as usize..span.end as usize).unwrap_or_default();
    let text = crate::question::one_line(text);
    let short: String = match text.chars().count() > MOST {
        true => text.chars().take(MOST - 1).chain(['…']).collect(),
        false => text,
    };
    match branch {
        Some(true) => format!("[{short}]"),
        Some(false) => format!("[!({short})]"),
        None => short,
    }
}
