//! The search for all states, and what queries are there.

use std::collections::{BTreeMap, BTreeSet};

use lang::xta::ast::*;

use super::value::{Ty, Val};
use super::{CAP, Env, Network, Process, Row, State, TOO_MANY, Trouble, Unable, What, lookup, unable};

/// What the search found out about a query.
#[derive(Copy, Clone, Debug, Default)]
pub struct Answer {
    /// A state where it is true.
    pub yes: bool,
    /// A state where it is false.
    pub no: bool,
    /// A state where it goes wrong.
    pub wrong: bool,
}

/// Where the values of something end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With this one.
    At(i64),
    /// Before this one, as near as one likes.
    Before(i64),
    /// At [`CAP`] or anywhere beyond.
    Far,
    /// There are none.
    Nowhere,
}

/// What values something has where a process is somewhere.
pub struct Extent {
    /// What and where, as queries say it.
    pub asked: String,
    pub least: End,
    pub greatest: End,
}

/// Everything that can be reached.
#[derive(Default)]
pub struct Reachable {
    /// How many states, counting clocks in whole units.
    pub states: usize,
    /// For each query of the model.
    pub answers: Vec<Answer>,
    /// Whether a fault must be found.
    pub fault: bool,
    /// Whether a fault may be found.
    pub may_fault: bool,
    /// How many steps were taken by how many processes.
    pub alone: usize,
    pub together: usize,
    /// How many steps were held back by others of higher priority.
    pub blocked: usize,
    /// Locations and data of all states; without clocks.
    discrete: BTreeSet<State>,
    /// For each location of a process, the least and the greatest of each number of its states.
    spread: BTreeMap<(usize, usize), Vec<(i64, i64)>>,
    /// A state that is as far from the initial one as any.
    last: Option<State>,
}

impl<'a> Network<'a> {
    /// `process.part`, if the expression before the dot names a process.
    pub(super) fn part(
        &self,
        base: ExprId,
        part: Name,
        env: &Env,
        row: &mut Row,
    ) -> Result<Option<Val>, Trouble> {
        let (name, args) = match &self.ast.exprs[base].kind {
            ExprKind::Name(name) => (*name, [].as_slice()),
            ExprKind::Call(function, args) => match self.ast.exprs[*function].kind {
                ExprKind::Name(name) => (name, &args[..]),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if !matches!(lookup(env, name), Some(What::Template(..) | What::Instance(..))) {
            return Ok(None);
        }
        let mut shown = vec![];
        for arg in args {
            shown.push(self.num(*arg, env, row)?.to_string());
        }
        let shown = if shown.is_empty() { String::new() } else { format!("({})", shown.join(",")) };
        let full = format!("{}{shown}", self.text(name));
        let Some(process) = self.processes.iter().position(|process| process.name == full) else {
            return unable(format!("no process `{full}`"));
        };
        match self.processes[process].members.get(&part) {
            Some(What::Cell(at, ty)) => Ok(Some(Val::Cell(*at, ty.clone()))),
            Some(_) => unable("no variable"),
            // Where the processes are lies behind the numbers of a state.
            None => {
                let locations = &self.ast.templates[self.processes[process].template].locations;
                let at = locations.iter().position(|location| location.ident.name == part);
                let here = row[self.initial.row.len() + process];
                Ok(Some(Val::Num(i64::from(at.is_some_and(|at| at as i64 == here)))))
            }
        }
    }
    fn ask(&self, state: &State, out: &mut Reachable) -> Result<(), Trouble> {
        for (at, query) in self.ast.queries.iter().enumerate() {
            let Ok(Query { expr, .. }) = &query.body else { return unable("a query that cannot be read") };
            let mut row = state.row.clone();
            row.extend(state.at.iter().map(|at| *at as i64));
            let answer = &mut out.answers[at];
            self.asking.set(true);
            let truth = self.truth(*expr, &self.global, &mut row);
            self.asking.set(false);
            match truth {
                Ok(true) => answer.yes = true,
                Ok(false) => answer.no = true,
                Err(Trouble::Fault) => answer.wrong = true,
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(())
    }

    // The search.

    /// Whether there is an initial state at all.
    pub fn starts(&self) -> Result<bool, Unable> {
        match self.invariants(&self.initial, &mut Reachable::default()) {
            Ok(holds) => Ok(holds),
            Err(Trouble::Fault) => Ok(false),
            Err(Trouble::Unable(why)) => Err(Unable(why)),
        }
    }
    /// Everything that can be reached, and what its queries are there.
    pub fn explore(&self, limit: usize) -> Result<Reachable, Unable> {
        match self.search(limit) {
            Ok(reachable) => Ok(reachable),
            Err(Trouble::Unable(why)) => Err(Unable(why)),
            Err(Trouble::Fault) => Err(Unable("a fault in a selection".to_owned())),
        }
    }
    fn search(&self, limit: usize) -> Result<Reachable, Trouble> {
        let answers = vec![Answer::default(); self.ast.queries.len()];
        let mut out = Reachable { answers, ..Reachable::default() };
        let mut seen = BTreeSet::from([self.initial.clone()]);
        let mut level = vec![self.initial.clone()];
        while !level.is_empty() {
            let mut next = vec![];
            for state in level {
                self.ask(&state, &mut out)?;
                for (process, at) in state.at.iter().enumerate() {
                    let spread = out.spread.entry((process, *at)).or_default();
                    spread.resize(state.row.len(), (i64::MAX, i64::MIN));
                    for ((least, greatest), value) in spread.iter_mut().zip(&state.row) {
                        (*least, *greatest) = ((*least).min(*value), (*greatest).max(*value));
                    }
                }
                for state in self.successors(&state, &mut out)? {
                    if seen.insert(state.clone()) {
                        next.push(state);
                    }
                }
                out.discrete.insert(self.without_clocks(&state));
                out.last = Some(state);
                if seen.len() > limit {
                    return unable(TOO_MANY);
                }
            }
            level = next;
        }
        out.states = seen.len();
        Ok(out)
    }
    fn without_clocks(&self, state: &State) -> State {
        let mut state = state.clone();
        for clock in &self.clocks {
            state.row[*clock] = 0;
        }
        state
    }
    /// That locations and data are those of the state found last, and of one that differs in one place; with
    /// whether that can be.
    pub fn about_the_last(&self, reachable: &Reachable, nth: usize) -> Vec<(String, bool)> {
        let Some(last) = &reachable.last else { return vec![] };
        let last = self.without_clocks(last);
        let mut other = last.clone();
        let places = self.asked.len() + self.processes.len();
        match self.asked.get(nth % places) {
            Some((_, at, Ty::Bool)) => other.row[*at] = 1 - other.row[*at],
            Some((_, at, Ty::Int(_, high))) if other.row[*at] < *high => other.row[*at] += 1,
            Some((_, at, _)) => other.row[*at] -= 1,
            None => {
                let process = nth % places - self.asked.len();
                let locations = &self.ast.templates[self.processes[process].template].locations;
                other.at[process] = (other.at[process] + 1) % locations.len();
            }
        }
        [last, other].map(|state| (self.claim(&state), reachable.discrete.contains(&state))).into()
    }
    /// What values an integer and a clock have where some process is at some location, and the values of a clock that has
    /// no least or no greatest one there, if there are such.
    pub fn extents(&self, reachable: &Reachable, nth: usize) -> Vec<Extent> {
        let mut places = vec![];
        for (process, it) in self.processes.iter().enumerate() {
            places.extend((0..self.ast.templates[it.template].locations.len()).map(|at| (process, at)));
        }
        let place = places[nth % places.len()];
        let data = self.asked.iter().filter(|(_, _, ty)| matches!(ty, Ty::Int(..)));
        let data: Vec<Extent> =
            data.map(|(name, cell, _)| self.extent(reachable, place, name, *cell, 1)).collect();
        let clocks = |place: (usize, usize)| {
            self.timed.iter().map(move |(name, cell)| self.extent(reachable, place, name, *cell, self.unit))
        };
        let open =
            |extent: &Extent| [extent.least, extent.greatest].iter().any(|end| matches!(end, End::Before(_)));
        let open: Vec<Extent> = places.iter().flat_map(|place| clocks(*place)).filter(open).collect();
        let one = |list: Vec<Extent>| {
            let count = list.len().max(1);
            list.into_iter().nth(nth % count)
        };
        [data, clocks(place).collect(), open].into_iter().filter_map(one).collect()
    }
    /// What values a number of the row has where a process is; `unit` is what 1 is for it.
    fn extent(
        &self,
        reachable: &Reachable,
        place: (usize, usize),
        name: &str,
        cell: usize,
        unit: i64,
    ) -> Extent {
        let process = &self.processes[place.0];
        let location = self.ast.templates[process.template].locations[place.1].ident.name;
        let timed = self.clocks.contains(&cell);
        let end = |value: i64, beyond: i64| match value {
            far if timed && far >= CAP * unit => End::Far,
            whole if whole % unit == 0 => End::At(whole / unit),
            between => End::Before(between / unit + beyond),
        };
        let ends =
            reachable.spread.get(&place).map(|spread| (end(spread[cell].0, 0), end(spread[cell].1, 1)));
        let (least, greatest) = ends.unwrap_or((End::Nowhere, End::Nowhere));
        let asked = format!("{{{}.{}}}: {name}", process.name, self.text(location));
        Extent { asked, least, greatest }
    }
    /// A query for the locations and data of a state.
    fn claim(&self, state: &State) -> String {
        let here = |(at, process): (usize, &Process)| {
            format!("{}.{}", process.name, self.text(self.location(state, at).ident.name))
        };
        let mut parts: Vec<String> = self.processes.iter().enumerate().map(here).collect();
        parts.extend(self.asked.iter().map(|(name, at, _)| format!("{name} == {}", state.row[*at])));
        format!("E<> {}", parts.join(" && "))
    }
}
