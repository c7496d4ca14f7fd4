//! Explicit values: a state gives the values of some variables and says nothing of the others.
//!
//! The successors are read off the executions of the statement ([`crate::cegar::paths`]). A tracked
//! variable whose value is a symbol that nothing else depends on stays unknown: any value is possible, so
//! nothing is lost, and it gets a value when a condition looks at it. Any other open value is enumerated
//! by the solver. What has values without end is unknown even without a limit, and so are all open values of
//! an execution with more combinations than `--maxenum` leaves for it. Where there are still more successors
//! than that, they are merged into one that knows what they agree on.

use ir::{Node, Scope, Steps, Stmt, System, Term, Type, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::services::all_values;
use smt::{Lit, Solver};

use crate::answer::Reason;
use crate::cegar::cx::{Cx, is, remember};
use crate::cegar::domain::{Context, Domain, Refutation};
use crate::config::AutoExpl;

/// The domain of explicit values.
pub struct Expl {
    max_enum: usize,
    preferred: Preferred,
    /// What statements do to tracked variables.
    updates: FxHashMap<Stmt, std::rc::Rc<[Update]>>,
}

/// Values of some variables, sorted by variable.
pub type State = Box<[(VarId, Term)]>;

/// New values; `None` for a variable that becomes unknown.
type Update = SmallVec<[(VarId, Option<Term>); 6]>;

/// A variable with so many values beyond this is taken to have values without end.
const HUGE: (i64, usize) = (1 << 40, 4);
/// More values than this of an array are not enumerated.
const MOST_ARRAY_VALUES: usize = 1_000;

impl Expl {
    /// At most `max_enum` successors by one statement (0 for no limit), values of `preferred` variables.
    pub fn new(max_enum: u32, preferred: Preferred) -> Self {
        let max_enum = if max_enum == 0 { usize::MAX } else { max_enum as usize };
        Expl { max_enum, preferred, updates: FxHashMap::default() }
    }

    fn updates(
        &mut self,
        cx: &mut Cx,
        stmt: Stmt,
        precision: &FxHashSet<VarId>,
    ) -> Result<std::rc::Rc<[Update]>, Reason> {
        if let Some(known) = self.updates.get(&stmt) {
            return Ok(known.clone());
        }
        let statement = cx.statement(stmt)?;
        let mut updates = vec![];
        match &statement.ends {
            Some(ends) => {
                for end in ends {
                    cx.go_on()?;
                    self.end(cx, &end.values, &end.condition, precision, &mut updates)?;
                    if updates.len() > self.max_enum {
                        updates.sort_unstable();
                        updates.dedup();
                    }
                }
            }
            None => self.solve(cx, stmt, precision, &mut updates)?,
        }
        // Clocks may be set to integers, yet their values are rationals.
        for (var, value) in updates.iter_mut().flatten() {
            *value = value.map(|value| cx.terms().held_by(*var, value));
        }
        updates.sort_unstable();
        updates.dedup();
        if updates.len() > self.max_enum {
            updates = vec![merge(&updates)];
        }
        let updates: std::rc::Rc<[Update]> = updates.into();
        remember(&mut self.updates, stmt, updates.clone());
        Ok(updates)
    }
    /// The updates by one execution.
    fn end(
        &self,
        cx: &mut Cx,
        values: &[(VarId, Term)],
        condition: &[Term],
        precision: &FxHashSet<VarId>,
        out: &mut Vec<Update>,
    ) -> Result<(), Reason> {
        let condition = cx.terms().and(condition.iter().copied());
        if !cx.is_possible(condition)? {
            return Ok(());
        }
        let mut update = Update::new();
        let mut open: Vec<(VarId, Term)> = vec![];
        for (var, value) in values.iter().filter(|(var, _)| precision.contains(var)) {
            match cx.system.terms.as_const(*value) {
                Some(_) => update.push((*var, Some(*value))),
                None => open.push((*var, *value)),
            }
        }
        // Tracked variables that keep their value, which the condition or another value depends on.
        let mut used = FxHashMap::default();
        count_symbols(&cx.system, condition, &mut used);
        open.iter().for_each(|(_, value)| count_symbols(&cx.system, *value, &mut used));
        let mut kept: Vec<VarId> = used.keys().filter(|(_, step)| *step == 0).map(|(var, _)| *var).collect();
        kept.retain(|var| precision.contains(var) && !values.iter().any(|(written, _)| written == var));
        kept.sort_unstable();
        for var in kept {
            let value = cx.terms().var(var);
            count_symbols(&cx.system, value, &mut used);
            open.push((var, value));
        }
        // A symbol that only one value uses is as good as any.
        open.retain(|(var, value)| {
            let free = matches!(*cx.system.terms.node(*value), Node::Var(v, step) if used[&(v, step)] == 1);
            let (Node::Var(symbol, _), true) = (cx.system.terms.node(*value), free) else { return true };
            // ... if it has the same type and range as the variable.
            let same = cx.system.vars[*symbol].range == cx.system.vars[*var].range;
            if same {
                update.push((*var, None));
            }
            !same
        });
        if open.is_empty() {
            update.sort_unstable();
            out.push(update);
            return Ok(());
        }
        let list: Vec<Term> = open.iter().map(|(_, value)| *value).collect();
        let left = self.max_enum.saturating_sub(out.len());
        let rows = enumerate(cx, condition, &list, left)?.unwrap_or_else(|| vec![vec![None; list.len()]]);
        for row in rows {
            let mut update = update.clone();
            update.extend(open.iter().zip(row).map(|((var, _), value)| (*var, value)));
            update.sort_unstable();
            out.push(update);
        }
        Ok(())
    }
    /// The updates by a statement with too many executions.
    fn solve(
        &self,
        cx: &mut Cx,
        stmt: Stmt,
        precision: &FxHashSet<VarId>,
        out: &mut Vec<Update>,
    ) -> Result<(), Reason> {
        let statement = cx.statement(stmt)?;
        let finite = |system: &System, var: VarId| {
            system.vars[var].range.is_some()
                || system.types().cardinality(system.terms.var_type(var)).is_some()
        };
        let mut vars: Vec<VarId> =
            statement.vars.iter().copied().filter(|var| precision.contains(var)).collect();
        vars.retain(|var| statement.written.binary_search(var).is_ok() || finite(&cx.system, *var));
        let list: Vec<Term> = vars.iter().map(|var| cx.system.terms.var(*var)).collect();
        let (formula, after) = (statement.formula, statement.after.clone());
        let list: Vec<Term> = list.into_iter().map(|value| after.apply(cx.terms(), value)).collect();
        match enumerate(cx, formula, &list, self.max_enum)? {
            Some(rows) => {
                out.extend(rows.into_iter().map(|row| vars.iter().copied().zip(row).collect()));
            }
            None => {
                let mut known = ir::Valuation::default();
                ir::simplify(cx.terms(), stmt, &mut known);
                out.push(vars.iter().map(|var| (*var, known.get(var).copied())).collect());
            }
        }
        Ok(())
    }
}

/// The combinations of values that `list` can have where `condition` holds, in order, without those that have
/// values without end; `None` if they are more than `limit`.
fn enumerate(
    cx: &mut Cx,
    condition: Term,
    list: &[Term],
    limit: usize,
) -> Result<Option<Vec<Vec<Option<Term>>>>, Reason> {
    if limit == 0 {
        return Ok(None);
    }
    cx.renew()?;
    let start = Steps::start();
    let lit = cx.solver.lit(&cx.system.terms, condition, &start)?;
    let mut limit = limit;
    let mut ending = vec![];
    for term in list {
        let many = match cx.system.terms.type_of(*term) {
            Type::Int => {
                let (low, high) = (cx.terms().int(-HUGE.0), cx.terms().int(HUGE.0));
                let (below, above) = (cx.terms().lt(*term, low), cx.terms().lt(high, *term));
                let beyond = cx.terms().or([below, above]);
                let beyond = cx.solver.lit(&cx.system.terms, beyond, &start)?;
                values(cx, &[lit, beyond], &[*term], HUGE.1)?.is_none()
            }
            // Whatever has two of them can have those between as well, but for odd cases.
            Type::Rat | Type::Clock => values(cx, &[lit], &[*term], 1)?.is_none(),
            Type::Bool | Type::Enum(_) => false,
            _ => {
                limit = limit.min(MOST_ARRAY_VALUES);
                false
            }
        };
        ending.push(!many);
    }
    let asked: Vec<Term> =
        list.iter().zip(&ending).filter(|(_, ends)| **ends).map(|(term, _)| *term).collect();
    let Some(rows) = values(cx, &[lit], &asked, limit)? else { return Ok(None) };
    let whole = |row: Vec<Value>| {
        let mut row = row.into_iter();
        let mut next = |ends: &bool| ends.then(|| cx.terms().constant(row.next().expect("a value for each")));
        ending.iter().map(&mut next).collect()
    };
    Ok(Some(rows.into_iter().map(whole).collect()))
}

/// The combinations of values that `list` can have under assumptions, in order; `None` if they are more than
/// `limit`.
fn values(
    cx: &mut Cx,
    assumptions: &[Lit],
    list: &[Term],
    limit: usize,
) -> Result<Option<Vec<Vec<Value>>>, Reason> {
    let mut rows = vec![];
    let (stop, left) = (cx.stop, cx.calls_left());
    all_values(&mut cx.solver, &mut cx.system.terms, assumptions, list, &Steps::start(), &mut |row| {
        rows.push(row.to_vec());
        rows.len() <= limit && (rows.len() as u64) < left && !stop.requested()
    })?;
    cx.go_on()?;
    rows.sort_unstable();
    Ok((rows.len() <= limit).then_some(rows))
}

/// Counts the places where symbols occur.
fn count_symbols(system: &System, term: Term, used: &mut FxHashMap<(VarId, u32), usize>) {
    system.terms.for_each_subterm(term, |t| {
        if let Node::Var(var, step) = *system.terms.node(t) {
            *used.entry((var, step)).or_insert(0) += 1;
        }
    });
}

/// What all updates agree on.
fn merge(updates: &[Update]) -> Update {
    let mut vars: Vec<VarId> = updates.iter().flatten().map(|(var, _)| *var).collect();
    vars.sort_unstable();
    vars.dedup();
    let agreed = |var: VarId| {
        let of = |update: &Update| update.iter().find(|(v, _)| *v == var).map(|(_, value)| *value);
        let first = of(&updates[0]);
        first.flatten().filter(|_| updates.iter().all(|update| of(update) == first))
    };
    vars.into_iter().map(|var| (var, agreed(var))).collect()
}

impl Domain for Expl {
    type State = State;
    type Precision = FxHashSet<VarId>;

    fn top(&self) -> State {
        Box::default()
    }
    fn post(
        &mut self,
        cx: &mut Cx,
        state: &State,
        _context: &Context,
        stmt: Stmt,
        precision: &FxHashSet<VarId>,
        out: &mut Vec<State>,
    ) -> Result<(), Reason> {
        let updates = self.updates(cx, stmt, precision)?;
        for update in updates.iter() {
            let mut next: Vec<(VarId, Term)> = Vec::with_capacity(state.len() + update.len());
            let kept = state.iter().filter(|(var, _)| update.binary_search_by_key(var, |(v, _)| *v).is_err());
            next.extend(kept.filter(|(var, _)| precision.contains(var)));
            // What was known before is no longer in the statement: an unknown value is a new one.
            next.extend(update.iter().filter_map(|(var, value)| Some((*var, (*value)?))));
            next.sort_unstable();
            out.push(next.into());
        }
        Ok(())
    }
    fn facts(&self, cx: &mut Cx, state: &State, out: &mut Vec<Term>) {
        for (var, value) in state {
            out.push(is(cx.terms(), *var, *value));
        }
    }
    fn known(&self, _: &mut Cx, state: &State, out: &mut Vec<(VarId, Term)>) {
        out.extend(state.iter());
    }
    fn key(&self, state: &State, out: &mut Vec<(u32, u32)>) {
        out.extend(
            state.iter().map(|(var, value)| (ir::Id::index(*var) as u32, ir::Id::index(*value) as u32)),
        );
    }
    fn covers(&mut self, _: &mut Cx, big: &State, small: &State) -> Result<bool, Reason> {
        Ok(big.iter().all(|fact| small.binary_search(fact).is_ok()))
    }
    fn refine(&mut self, cx: &mut Cx, precision: &mut FxHashSet<VarId>, refutation: &Refutation) -> bool {
        self.preferred.learn(cx, &refutation.formulas);
        let size = precision.len();
        let mut vars = refutation.variables.clone();
        for formula in &refutation.formulas {
            vars.extend(cx.system.terms.vars_of(*formula));
        }
        precision.extend(vars.into_iter().filter(|var| cx.is_state_var(*var) && self.preferred.takes(*var)));
        if precision.len() > size {
            self.updates.clear();
        }
        precision.len() > size
    }
    fn size(&self, precision: &FxHashSet<VarId>) -> (usize, usize) {
        (precision.len(), 0)
    }
    fn by_value<'p>(&self, precision: &'p FxHashSet<VarId>) -> Option<&'p FxHashSet<VarId>> {
        Some(precision)
    }
}

/// Which variables are tracked by their values once refinement speaks of them.
pub struct Preferred {
    /// `None` for all.
    vars: Option<FxHashSet<VarId>>,
    auto: AutoExpl,
    /// Atoms of the model; for `NEWOPERANDS`, what the model compares variables with.
    model: FxHashSet<(Option<VarId>, Term)>,
    new: FxHashMap<VarId, FxHashSet<Term>>,
}

/// A variable with so many new atoms or operands is better tracked by its value. The literature leaves the
/// number open, and what an atom is: here, a comparison.
const ENOUGH: usize = 3;

impl Preferred {
    /// All variables.
    pub fn all() -> Self {
        Preferred {
            vars: None,
            auto: AutoExpl::Static,
            model: FxHashSet::default(),
            new: FxHashMap::default(),
        }
    }
    /// The control variables, and what `auto` finds.
    pub fn control(cx: &mut Cx, auto: AutoExpl, conditions: &[Term]) -> Self {
        let vars = cx.system.vars.entries();
        let vars = vars.filter(|(_, v)| v.control && v.scope == Scope::State).map(|(var, _)| var).collect();
        let mut preferred = Preferred { vars: Some(vars), ..Self::all() };
        preferred.auto = auto;
        for condition in conditions {
            for (var, what) in preferred.compared(cx, *condition) {
                preferred.model.insert((var, what));
            }
        }
        preferred
    }
    fn takes(&self, var: VarId) -> bool {
        self.vars.as_ref().is_none_or(|vars| vars.contains(&var))
    }
    /// The variables taken, if not all.
    pub fn vars(&self) -> Option<&FxHashSet<VarId>> {
        self.vars.as_ref()
    }
    /// Looks for variables that are better tracked by their values.
    fn learn(&mut self, cx: &mut Cx, formulas: &[Term]) {
        if self.auto == AutoExpl::Static || self.vars.is_none() {
            return;
        }
        for formula in formulas {
            for (var, what) in self.compared(cx, *formula) {
                if self.model.contains(&(var, what)) {
                    continue;
                }
                for var in var.map_or_else(|| cx.system.terms.vars_of(what), |var| vec![var]) {
                    let new = self.new.entry(var).or_default();
                    new.insert(what);
                    if new.len() >= ENOUGH {
                        self.vars.get_or_insert_default().insert(var);
                    }
                }
            }
        }
    }
    /// The atoms of a formula (`NEWATOMS`), or the variables in it with what they are compared with
    /// (`NEWOPERANDS`).
    fn compared(&self, cx: &Cx, formula: Term) -> Vec<(Option<VarId>, Term)> {
        let terms = &cx.system.terms;
        let mut list = vec![];
        terms.for_each_subterm(formula, |t| match *terms.node(t) {
            Node::Eq(a, b) | Node::Le(a, b) | Node::Lt(a, b) => match self.auto {
                AutoExpl::NewOperands => {
                    for (one, other) in [(a, b), (b, a)] {
                        if let Node::Var(var, _) = *terms.node(one) {
                            list.push((Some(var), other));
                        }
                    }
                }
                _ => list.push((None, t)),
            },
            _ => {}
        });
        list
    }
}
