//! Declarations, types and processes: what there is before anything runs.

use std::collections::{BTreeMap, BTreeSet};

use lang::xta::ast::*;

use super::value::{Ty, Val, values};
use super::{Env, Network, Process, Row, State, Trouble, What, bind, lookup, unable};

impl<'a> Network<'a> {
    pub(super) fn build(&mut self) -> Result<(), Trouble> {
        let mut row = vec![];
        let (env, _) = self.declare_all(&self.ast.decls, None, "", &mut row)?;
        let Some(line) = &self.ast.system else { return unable("no system line") };
        for (ident, level) in line.processes.iter().zip(&line.levels) {
            let before = self.processes.len();
            self.family(ident.name, &env, &mut row)?;
            self.processes[before..].iter_mut().for_each(|process| process.level = *level);
        }
        self.prioritise(&env, &mut row)?;
        self.global = env;
        self.initial = State { at: self.initial_locations(), row };
        Ok(())
    }
    /// Takes down the priorities of channels.
    fn prioritise(&mut self, env: &Env, row: &mut Row) -> Result<(), Trouble> {
        for (channel, level) in self.ast.priorities.iter().flat_map(|list| &list.channels) {
            match channel {
                None => self.default_level = *level,
                Some(channel) => {
                    let Val::Channel(at, ty) = self.eval(*channel, env, row)? else {
                        return unable("no channel");
                    };
                    self.channel_levels.extend((at..at + ty.size()).map(|at| (at, *level)));
                }
            }
        }
        Ok(())
    }
    fn initial_locations(&self) -> Vec<usize> {
        let initial = |process: &Process| self.ast.templates[process.template].initial;
        self.processes.iter().map(|process| initial(process).expect("an initial location")).collect()
    }
    /// Declares what lives for ever; names in queries begin with `prefix`.
    fn declare_all(
        &mut self,
        decls: &'a [Decl],
        mut env: Env,
        prefix: &str,
        row: &mut Row,
    ) -> Result<(Env, BTreeMap<Name, What>), Trouble> {
        let mut members = BTreeMap::new();
        for (at, decl) in decls.iter().enumerate() {
            let (name, what) = match decl {
                Decl::Function(id) => (self.ast.functions[*id].ident.name, What::Function(*id, env.clone())),
                Decl::Template(id) => (self.ast.templates[*id].ident.name, What::Template(*id, env.clone())),
                Decl::Instance(instance) => (instance.ident.name, What::Instance(at, env.clone())),
                Decl::Typedef(var) => (var.ident.name, What::Type(self.declared(var, &env, row)?)),
                Decl::Var(var) => {
                    let what = self.variable(var, &env, row)?;
                    if !self.has_rate(var.ident.name) || self.is_read(var.ident.name) {
                        self.remember(format!("{prefix}{}", self.text(var.ident.name)), &what);
                    }
                    (var.ident.name, what)
                }
                Decl::External(_) | Decl::Unread(_) => return unable("this declaration"),
            };
            members.insert(name, what.clone());
            env = bind(&env, name, what);
        }
        Ok((env, members))
    }
    /// Whether some invariant says how fast clocks of this name run.
    fn has_rate(&self, name: Name) -> bool {
        self.ast.exprs.iter().any(|expr| {
            let ExprKind::Rate(clock) = expr.kind else { return false };
            matches!(self.ast.exprs[clock].kind, ExprKind::Name(its) if its == name)
        })
    }
    /// Whether somebody reads a variable of this name, instead of setting it or saying how fast it runs.
    fn is_read(&self, name: Name) -> bool {
        let place = |expr: &Expr| match expr.kind {
            ExprKind::Rate(clock) => Some(clock),
            ExprKind::Assign(_, place, _) => Some(place),
            _ => None,
        };
        let places: BTreeSet<ExprId> = self.ast.exprs.iter().filter_map(place).collect();
        let names = |expr: &Expr| matches!(expr.kind, ExprKind::Name(its) if its == name);
        self.ast.exprs.entries().any(|(id, expr)| names(expr) && !places.contains(&id))
    }
    /// A variable or a channel for ever.
    fn variable(&mut self, var: &VarDecl, env: &Env, row: &mut Row) -> Result<What, Trouble> {
        let ty = self.declared(var, env, row)?;
        if let Some(kind) = ty.channels() {
            let first = self.channels.len();
            self.channels.extend(vec![kind; ty.size()]);
            return Ok(What::Channel(first, ty));
        }
        let what = self.place(var, ty, env, row)?;
        if let What::Cell(at, ty) = &what {
            self.channels_within(*at, ty, row);
        }
        Ok(what)
    }
    /// Makes the channels of structures; the row has their numbers.
    fn channels_within(&mut self, at: usize, ty: &Ty, row: &mut Row) {
        match ty {
            Ty::Chan { urgent, broadcast } => {
                row[at] = self.channels.len() as i64;
                self.channels.push((*urgent, *broadcast));
            }
            Ty::Array(low, high, element) => {
                (0..(high - low + 1) as usize)
                    .for_each(|nth| self.channels_within(at + nth * element.size(), element, row));
            }
            Ty::Struct(fields) => {
                let mut at = at;
                for (_, ty) in fields.iter() {
                    self.channels_within(at, ty, row);
                    at += ty.size();
                }
            }
            _ => {}
        }
    }
    /// Puts a variable behind everything else.
    pub(super) fn place(&self, var: &VarDecl, ty: Ty, env: &Env, row: &mut Row) -> Result<What, Trouble> {
        let value = match var.initial {
            Some(initial) => self.initialiser(initial, &ty, env, row)?,
            None => ty.default(),
        };
        row.extend(value);
        Ok(What::Cell(row.len() - ty.size(), ty))
    }
    fn initialiser(&self, expr: ExprId, ty: &Ty, env: &Env, row: &mut Row) -> Result<Vec<i64>, Trouble> {
        let ExprKind::List(items) = &self.ast.exprs[expr].kind else {
            if *ty == Ty::Opaque {
                return Ok(vec![]);
            }
            let value = self.eval(expr, env, row)?;
            return self.converted(value, ty, row);
        };
        let mut list = vec![];
        for (at, (name, item)) in items.iter().enumerate() {
            let part = match ty {
                Ty::Array(_, _, element) => (**element).clone(),
                Ty::Struct(fields) if name.is_none() => fields[at].1.clone(),
                _ => return unable("a list with names"),
            };
            list.extend(self.initialiser(*item, &part, env, row)?);
        }
        Ok(list)
    }
    /// Takes down clocks, and how queries ask for data.
    fn remember(&mut self, name: String, what: &What) {
        let What::Cell(at, ty) = what else { return };
        match ty {
            Ty::Clock => {
                self.clocks.push(*at);
                self.timed.push((name, *at));
            }
            Ty::Opaque | Ty::Chan { .. } => {}
            Ty::Array(low, high, element) => {
                for (nth, index) in (*low..=*high).enumerate() {
                    let entry = What::Cell(at + nth * element.size(), (**element).clone());
                    self.remember(format!("{name}[{index}]"), &entry);
                }
            }
            Ty::Struct(fields) => {
                let mut at = *at;
                for (field, ty) in fields.iter() {
                    self.remember(format!("{name}.{}", self.text(*field)), &What::Cell(at, ty.clone()));
                    at += ty.size();
                }
            }
            _ => self.asked.push((name, *at, ty.clone())),
        }
    }

    // Types.

    pub(super) fn declared(&self, var: &VarDecl, env: &Env, row: &mut Row) -> Result<Ty, Trouble> {
        let mut ty = self.resolve(var.ty, env, row)?;
        for dim in var.dims.iter().rev() {
            let (low, high) = match dim {
                Dim::Type(id) => values(&self.resolve(*id, env, row)?)?,
                Dim::Size(size) => match self.ast.exprs[*size].kind {
                    ExprKind::Name(name) if matches!(lookup(env, name), Some(What::Type(_))) => {
                        let Some(What::Type(ty)) = lookup(env, name) else { return unable("no type") };
                        values(ty)?
                    }
                    _ => (0, self.num(*size, env, row)? - 1),
                },
            };
            ty = Ty::Array(low, high, ty.into());
        }
        Ok(ty)
    }
    pub(super) fn resolve(&self, id: TypeId, env: &Env, row: &mut Row) -> Result<Ty, Trouble> {
        let TypeExpr { kind, prefix, .. } = &self.ast.types[id];
        Ok(match kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Clock if prefix.hybrid => Ty::Opaque,
            TypeKind::Clock => Ty::Clock,
            TypeKind::Double => Ty::Opaque,
            TypeKind::Text => return unable("texts"),
            TypeKind::Void => Ty::Void,
            TypeKind::Chan => Ty::Chan { urgent: prefix.urgent, broadcast: prefix.broadcast },
            TypeKind::Int(None) => Ty::Int(-32768, 32767),
            TypeKind::Int(Some((low, high))) => {
                Ty::Int(self.num(*low, env, row)?, self.num(*high, env, row)?)
            }
            TypeKind::Scalar(_) => return unable("scalars"),
            TypeKind::Struct(fields) => {
                let mut list = vec![];
                for field in fields {
                    list.push((field.ident.name, self.declared(field, env, row)?));
                }
                Ty::Struct(list.into())
            }
            TypeKind::Named(name) => match lookup(env, *name) {
                Some(What::Type(ty)) => ty.clone(),
                _ => return unable(format!("`{}` is no type", self.text(*name))),
            },
        })
    }

    // Processes.

    /// The processes a name of the system line stands for: one for each value of its parameters.
    fn family(&mut self, name: Name, env: &Env, row: &mut Row) -> Result<(), Trouble> {
        let Some(what) = lookup(env, name).cloned() else { return unable("no such process") };
        let (params, around) = self.opened(&what)?;
        let mut all: Vec<Vec<i64>> = vec![vec![]];
        for param in params {
            let (low, high) = values(&self.declared(&param.var, &around, row)?)?;
            all = all
                .iter()
                .flat_map(|list| (low..=high).map(|value| [list.clone(), vec![value]].concat()))
                .collect();
        }
        for list in all {
            let shown: Vec<String> = list.iter().map(i64::to_string).collect();
            let shown = if list.is_empty() { String::new() } else { format!("({})", shown.join(",")) };
            let given = list.into_iter().map(Val::Num).collect();
            self.instantiate(&what, given, &format!("{}{shown}", self.text(name)), row)?;
        }
        Ok(())
    }
    fn opened(&self, what: &What) -> Result<(&'a [Param], Env), Trouble> {
        match what {
            What::Template(id, around) => Ok((&self.ast.templates[*id].params, around.clone())),
            What::Instance(at, around) => match &self.ast.decls[*at] {
                Decl::Instance(instance) => Ok((&instance.params, around.clone())),
                _ => unable("no instance"),
            },
            _ => unable("no process"),
        }
    }
    fn instantiate(
        &mut self,
        what: &What,
        given: Vec<Val>,
        name: &str,
        row: &mut Row,
    ) -> Result<(), Trouble> {
        let (params, around) = self.opened(what)?;
        let mut env = around.clone();
        let mut members = BTreeMap::new();
        for (param, value) in params.iter().zip(given) {
            let bound = self.bound(param, value, &around, row)?;
            members.insert(param.var.ident.name, bound.clone());
            if !param.by_reference && matches!(what, What::Template(..)) {
                self.remember(format!("{name}.{}", self.text(param.var.ident.name)), &bound);
            }
            env = bind(&env, param.var.ident.name, bound);
        }
        match what {
            What::Template(id, _) => {
                let template = &self.ast.templates[*id];
                let (env, own) = self.declare_all(&template.decls, env, &format!("{name}."), row)?;
                members.extend(own);
                let name = name.to_owned();
                self.processes.push(Process { name, template: *id, level: 0, env, members });
                Ok(())
            }
            What::Instance(at, _) => {
                let Decl::Instance(instance) = &self.ast.decls[*at] else { return unable("no instance") };
                let Some(made_of) = lookup(&around, instance.template.name).cloned() else {
                    return unable("no template");
                };
                let mut given = vec![];
                for arg in &instance.args {
                    given.push(self.eval(*arg, &env, row)?);
                }
                self.instantiate(&made_of, given, name, row)
            }
            _ => unable("no process"),
        }
    }
    /// What a parameter stands for.
    pub(super) fn bound(
        &self,
        param: &Param,
        value: Val,
        around: &Env,
        row: &mut Row,
    ) -> Result<What, Trouble> {
        let ty = self.declared(&param.var, around, row)?;
        Ok(match value {
            Val::Channel(at, ty) => What::Channel(at, ty),
            Val::Cell(at, given) if param.by_reference => What::Cell(at, given),
            value => {
                let value = self.converted(value, &ty, row)?;
                row.extend(value);
                What::Cell(row.len() - ty.size(), ty)
            }
        })
    }
}
