//! A deliberately naive reading of XSTS, straight from the syntax tree.
//!
//! It shares nothing with the product but the parser: no terms, no statements, no systems. Variables are
//! looked up by name, sets of states are sorted sets, every havoc tries every value, every end of one block of
//! an `ort` meets every end of the others. It is slow and short, and it says [`Unable`] rather than guess.

use std::collections::{BTreeMap, BTreeSet};

use lang::xsts::ast::*;

/// Why a reading with too many states is given up.
pub const TOO_MANY: &str = "more states than allowed";

/// What this reading does not cover: clocks, rationals, huge numbers, values without bounds.
#[derive(Debug)]
pub struct Unable(pub String);

/// A value. A literal is its short name, for well-typed models never mix types.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Literal(String),
    /// The value at most positions and the others; without it, every position is listed.
    Array(Option<Box<Value>>, BTreeMap<Value, Value>),
}

/// What runs next, and the values of the state variables.
pub type State = (&'static str, BTreeMap<String, Value>);

/// Everything that can be reached.
#[derive(Debug, Default)]
pub struct Reachable {
    pub states: BTreeSet<State>,
    /// The number of steps to the nearest state that violates the property.
    pub violated: Option<usize>,
    /// The number of steps to the nearest fault, the faulty one included.
    pub fault: Option<usize>,
    /// A state that is as far from the initial ones as any.
    pub last: Option<State>,
}

/// Explores the model with its own property, which looks at every state or at stable ones only.
pub fn explore(model: &Model, stable: bool, limit: usize) -> Result<Reachable, Unable> {
    let naive = Naive { model };
    naive.check_types()?;
    let mut reachable = Reachable::default();
    let mut level: BTreeSet<State> =
        naive.initial()?.into_iter().map(|env| ("init", visible(&env))).collect();
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = BTreeSet::new();
        for state in level {
            if !reachable.states.insert(state.clone()) {
                continue;
            }
            if reachable.states.len() > limit {
                return unable(TOO_MANY);
            }
            if reachable.violated.is_none() && (!stable || state.0 == "env") && !naive.property(&state)? {
                reachable.violated = Some(depth);
            }
            reachable.last = Some(state.clone());
            let (section, then) = match state.0 {
                "init" => (&model.init, "env"),
                "env" => (&model.env, "trans"),
                _ => (&model.trans, "env"),
            };
            let Some(section) = section else {
                next.insert((then, state.1));
                continue;
            };
            for branch in &section.branches {
                let ends = naive.scoped(*branch, naive.env(&state))?;
                next.extend(ends.envs.into_iter().map(|env| (then, visible(&env))));
                if ends.fault {
                    reachable.fault.get_or_insert(depth + 1);
                }
            }
        }
        level = next;
        depth += 1;
    }
    Ok(reachable)
}

/// All values of a finite type.
pub fn values_of(model: &Model, ty: TypeId) -> Option<Vec<Value>> {
    let TypeKind::Named(name) = model.type_exprs[ty].kind else { return None };
    if model.names.text(name) == "boolean" {
        return Some(vec![Value::Bool(false), Value::Bool(true)]);
    }
    let decl = model.types.iter().find(|decl| decl.ident.name == name)?;
    Some(decl.literals.iter().map(|it| Value::Literal(model.names.text(it.name).to_owned())).collect())
}

/// The value in the form that variables of type `ty` hold: with finitely many positions, all are listed.
pub fn fit(model: &Model, value: Value, ty: TypeId) -> Value {
    let (Value::Array(default, entries), TypeKind::Array(index, element)) =
        (&value, &model.type_exprs[ty].kind)
    else {
        return value;
    };
    let default = default.as_ref().map(|value| fit(model, (**value).clone(), *element));
    let mut entries: BTreeMap<Value, Value> =
        entries.iter().map(|(at, value)| (at.clone(), fit(model, value.clone(), *element))).collect();
    let Some(default) = default else { return Value::Array(None, entries) };
    if let Some(all) = values_of(model, *index) {
        for at in all {
            entries.entry(at).or_insert_with(|| default.clone());
        }
        return Value::Array(None, entries);
    }
    entries.retain(|_, value| *value != default);
    Value::Array(Some(Box::new(default)), entries)
}

fn unable<T>(why: impl Into<String>) -> Result<T, Unable> {
    Err(Unable(why.into()))
}

/// A variable in scope.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    name: String,
    /// `None` for loop variables.
    ty: Option<TypeId>,
    value: Value,
    local: bool,
}

/// All variables, the innermost last.
type Env = Vec<Slot>;

/// Where a statement can end.
#[derive(Default)]
struct Ends {
    envs: BTreeSet<Env>,
    fault: bool,
}

/// Why an expression has no value.
enum Trouble {
    Fault,
    Unable(Unable),
}

impl From<Unable> for Trouble {
    fn from(unable: Unable) -> Self {
        Trouble::Unable(unable)
    }
}

fn visible(env: &Env) -> BTreeMap<String, Value> {
    let state = env.iter().filter(|slot| !slot.local);
    state.map(|slot| (slot.name.clone(), slot.value.clone())).collect()
}

struct Naive<'a> {
    model: &'a Model,
}

impl Naive<'_> {
    fn text(&self, name: Name) -> &str {
        self.model.names.text(name)
    }
    fn check_types(&self) -> Result<(), Unable> {
        for ty in self.model.type_exprs.iter() {
            if let TypeKind::Named(name) = ty.kind
                && let text @ ("rational" | "clock") = self.text(name)
            {
                return unable(format!("type `{text}`"));
            }
            if let TypeKind::Array(index, _) = ty.kind
                && let TypeKind::Array(..) = self.model.type_exprs[index].kind
            {
                return unable("arrays as positions");
            }
        }
        Ok(())
    }
    fn initial(&self) -> Result<BTreeSet<Env>, Unable> {
        let mut envs = BTreeSet::from([Env::new()]);
        for var in &self.model.vars {
            let mut more = BTreeSet::new();
            for env in envs {
                let values = match var.initial {
                    None => match values_of(self.model, var.ty) {
                        Some(values) => values,
                        None => return unable("an arbitrary initial value"),
                    },
                    Some(initial) => match self.eval(initial, &env) {
                        Ok(value) => vec![value],
                        Err(Trouble::Fault) => return unable("a fault in an initial value"),
                        Err(Trouble::Unable(unable)) => return Err(unable),
                    },
                };
                more.extend(values.into_iter().map(|value| {
                    let slot = self.slot(var.ident.name, var.ty, value, false);
                    env.iter().cloned().chain([slot]).collect::<Env>()
                }));
            }
            envs = more;
        }
        Ok(envs)
    }
    fn slot(&self, name: Name, ty: TypeId, value: Value, local: bool) -> Slot {
        let value = fit(self.model, value, ty);
        Slot { name: self.text(name).to_owned(), ty: Some(ty), value, local }
    }
    fn env(&self, state: &State) -> Env {
        let slot = |var: &VarDecl| {
            let value = state.1[self.text(var.ident.name)].clone();
            self.slot(var.ident.name, var.ty, value, false)
        };
        self.model.vars.iter().map(slot).collect()
    }
    fn property(&self, state: &State) -> Result<bool, Unable> {
        let Some(prop) = self.model.prop else { return Ok(true) };
        match self.truth(prop.expr, &self.env(state)) {
            Ok(holds) => Ok(holds),
            Err(Trouble::Fault) => unable("a fault in the property"),
            Err(Trouble::Unable(unable)) => Err(unable),
        }
    }

    // Statements.

    /// A statement whose variables end with it.
    fn scoped(&self, stmt: StmtId, env: Env) -> Result<Ends, Unable> {
        let outer = env.len();
        let ends = self.run(stmt, env, None)?;
        let shorten = |env: Env| env[..outer].to_vec();
        Ok(Ends { envs: ends.envs.into_iter().map(shorten).collect(), fault: ends.fault })
    }
    /// One statement after the other.
    fn sequence(&self, list: &[StmtId], env: Env) -> Result<Ends, Unable> {
        let mut now = Ends { envs: BTreeSet::from([env]), fault: false };
        for (at, stmt) in list.iter().enumerate() {
            let mut after = Ends { envs: BTreeSet::new(), fault: now.fault };
            for env in now.envs {
                let ends = self.run(*stmt, env, list.get(at + 1).copied())?;
                after.envs.extend(ends.envs);
                after.fault |= ends.fault;
            }
            now = after;
        }
        Ok(now)
    }
    /// Where `stmt`, which `next` follows, can end.
    fn run(&self, stmt: StmtId, mut env: Env, next: Option<StmtId>) -> Result<Ends, Unable> {
        let result = match &self.model.stmts[stmt].kind {
            StmtKind::Block(list) => {
                let outer = env.len();
                let ends = self.sequence(list, env)?;
                let shorten = |env: Env| env[..outer].to_vec();
                return Ok(Ends { envs: ends.envs.into_iter().map(shorten).collect(), fault: ends.fault });
            }
            StmtKind::Local(ident, ty, None) => {
                let values = self.arbitrary(ident.name, *ty, next)?;
                let with = |value| env.iter().cloned().chain([self.slot(ident.name, *ty, value, true)]);
                Ok(values.into_iter().map(|value| with(value).collect()).collect())
            }
            StmtKind::Local(ident, ty, Some(initial)) => self.eval(*initial, &env).map(|value| {
                env.push(self.slot(ident.name, *ty, value, true));
                BTreeSet::from([env])
            }),
            StmtKind::Assign(target, positions, value) => {
                self.assign(*target, positions, *value, env).map(|env| BTreeSet::from([env]))
            }
            StmtKind::Havoc(ident) => {
                let slot = self.place(ident.name, &env);
                let ty = env[slot].ty.expect("loop variables are not havocked");
                let values = self.arbitrary(ident.name, ty, next)?;
                let with = |value| {
                    let mut env = env.clone();
                    env[slot].value = value;
                    env
                };
                Ok(values.into_iter().map(with).collect())
            }
            StmtKind::Assume(condition) => {
                self.truth(*condition, &env).map(|holds| if holds { [env].into() } else { [].into() })
            }
            StmtKind::Choice(branches) => {
                let mut all = Ends::default();
                for branch in branches {
                    let ends = self.scoped(*branch, env.clone())?;
                    all.envs.extend(ends.envs);
                    all.fault |= ends.fault;
                }
                return Ok(all);
            }
            StmtKind::If(condition, then, otherwise) => match self.truth(*condition, &env) {
                Ok(true) => return self.scoped(*then, env),
                Ok(false) => match otherwise {
                    Some(otherwise) => return self.scoped(*otherwise, env),
                    None => Ok([env].into()),
                },
                Err(trouble) => Err(trouble),
            },
            StmtKind::For(ident, from, to, body) => {
                match self.int(*from, &env).and_then(|from| Ok((from, self.int(*to, &env)?))) {
                    Ok((from, to)) => return self.repeat(ident.name, from, to, *body, env),
                    Err(trouble) => Err(trouble),
                }
            }
            StmtKind::Ort(blocks) => return self.at_once(blocks, &env),
            StmtKind::Delay => return unable("time"),
        };
        match result {
            Ok(envs) => Ok(Ends { envs, fault: false }),
            Err(Trouble::Fault) => Ok(Ends { envs: BTreeSet::new(), fault: true }),
            Err(Trouble::Unable(unable)) => Err(unable),
        }
    }
    fn repeat(&self, name: Name, from: i128, to: i128, body: StmtId, env: Env) -> Result<Ends, Unable> {
        let outer = env.len();
        let mut now = Ends { envs: BTreeSet::from([env]), fault: false };
        for count in from..to {
            let mut after = Ends { envs: BTreeSet::new(), fault: now.fault };
            for mut env in now.envs {
                let name = self.text(name).to_owned();
                env.push(Slot { name, ty: None, value: Value::Int(count), local: true });
                let ends = self.scoped(body, env)?;
                after.envs.extend(ends.envs.into_iter().map(|env| env[..outer].to_vec()));
                after.fault |= ends.fault;
            }
            now = after;
        }
        Ok(now)
    }
    /// Every block by itself from `env`; those that write the same must agree on it.
    fn at_once(&self, blocks: &[StmtId], env: &Env) -> Result<Ends, Unable> {
        let mut fault = false;
        let mut agreed: BTreeSet<BTreeMap<usize, Value>> = BTreeSet::from([BTreeMap::new()]);
        for block in blocks {
            let ends = self.scoped(*block, env.clone())?;
            let mut written = BTreeSet::new();
            self.written(*block, env, &mut vec![], &mut written);
            fault |= ends.fault;
            let mut both = BTreeSet::new();
            for (known, end) in agreed.iter().flat_map(|known| ends.envs.iter().map(move |end| (known, end)))
            {
                let new: BTreeMap<usize, Value> =
                    written.iter().map(|slot| (*slot, end[*slot].value.clone())).collect();
                if new.iter().all(|(slot, value)| known.get(slot).is_none_or(|other| equal(value, other))) {
                    both.insert(known.clone().into_iter().chain(new).collect());
                }
            }
            agreed = both;
        }
        let with = |values: BTreeMap<usize, Value>| {
            let mut env = env.clone();
            values.into_iter().for_each(|(slot, value)| env[slot].value = value);
            env
        };
        Ok(Ends { envs: agreed.into_iter().map(with).collect(), fault })
    }
    /// The variables of `env` that `stmt` assigns or havocs, executed or not; `own` are declared in it.
    fn written(&self, stmt: StmtId, env: &Env, own: &mut Vec<Name>, slots: &mut BTreeSet<usize>) {
        let outer = own.len();
        match &self.model.stmts[stmt].kind {
            StmtKind::Assign(ident, ..) | StmtKind::Havoc(ident) => {
                if !own.contains(&ident.name) {
                    slots.insert(self.place(ident.name, env));
                }
            }
            // Lives on behind this statement.
            StmtKind::Local(ident, ..) => return own.push(ident.name),
            StmtKind::Block(list) => list.iter().for_each(|stmt| self.written(*stmt, env, own, slots)),
            StmtKind::Choice(list) | StmtKind::Ort(list) => {
                for stmt in list {
                    self.written(*stmt, env, own, slots);
                    own.truncate(outer);
                }
            }
            StmtKind::If(_, then, otherwise) => {
                for stmt in [Some(*then), *otherwise].into_iter().flatten() {
                    self.written(stmt, env, own, slots);
                    own.truncate(outer);
                }
            }
            StmtKind::For(ident, _, _, body) => {
                own.push(ident.name);
                self.written(*body, env, own, slots);
            }
            StmtKind::Assume(_) | StmtKind::Delay => {}
        }
        own.truncate(outer);
    }
    fn assign(
        &self,
        target: Ident,
        positions: &[ExprId],
        value: ExprId,
        mut env: Env,
    ) -> Result<Env, Trouble> {
        let mut path = vec![];
        for position in positions {
            path.push(self.eval(*position, &env)?);
        }
        let value = self.eval(value, &env)?;
        let slot = self.place(target.name, &env);
        let new = put(env[slot].value.clone(), &path, value);
        let ty = env[slot].ty.expect("loop variables are not assigned");
        env[slot].value = fit(self.model, new, ty);
        Ok(env)
    }
    /// Every value of a variable that becomes arbitrary: all of its type, or, for an integer, all that can
    /// pass the assumption that follows at once and one more on each side.
    fn arbitrary(&self, name: Name, ty: TypeId, next: Option<StmtId>) -> Result<Vec<Value>, Unable> {
        if let Some(values) = values_of(self.model, ty) {
            return Ok(values);
        }
        if let Some(next) = next
            && let StmtKind::Assume(condition) = self.model.stmts[next].kind
        {
            let (mut least, mut greatest) = (None, None);
            self.bounds(name, condition, &mut least, &mut greatest);
            if let (Some(least), Some(greatest)) = (least, greatest) {
                return Ok((least - 1..=greatest + 1).map(Value::Int).collect());
            }
        }
        unable(format!("an arbitrary `{}`", self.text(name)))
    }
    fn bounds(&self, name: Name, condition: ExprId, least: &mut Option<i128>, greatest: &mut Option<i128>) {
        let is = |expr: ExprId| matches!(self.model.exprs[expr].kind, ExprKind::Name(it) if it == name);
        let number = |expr: ExprId| match &self.model.exprs[expr].kind {
            ExprKind::Int(value) => value.to_i64().map(i128::from),
            _ => None,
        };
        match &self.model.exprs[condition].kind {
            ExprKind::Chain(chain) if chain.rest[0].0 == ChainOp::And => {
                chain.operands().for_each(|part| self.bounds(name, part, least, greatest));
            }
            ExprKind::Compare(op, a, b) => {
                let (below, above) = if is(*a) { (number(*b), true) } else { (number(*a), false) };
                let (Some(bound), true) = (below, is(*a) || is(*b)) else { return };
                match (op, above) {
                    (CompareOp::Eq, _) => (*least, *greatest) = (Some(bound), Some(bound)),
                    (CompareOp::Lt | CompareOp::Le, true) | (CompareOp::Gt | CompareOp::Ge, false) => {
                        *greatest = Some(bound);
                    }
                    (CompareOp::Lt | CompareOp::Le, false) | (CompareOp::Gt | CompareOp::Ge, true) => {
                        *least = Some(bound);
                    }
                    (CompareOp::Ne, _) => {}
                }
            }
            _ => {}
        }
    }

    // Expressions.

    fn place(&self, name: Name, env: &Env) -> usize {
        env.iter().rposition(|slot| slot.name == self.text(name)).expect("the variable is declared")
    }
    fn truth(&self, expr: ExprId, env: &Env) -> Result<bool, Trouble> {
        match self.eval(expr, env)? {
            Value::Bool(value) => Ok(value),
            other => panic!("{other:?} is no truth value"),
        }
    }
    fn int(&self, expr: ExprId, env: &Env) -> Result<i128, Trouble> {
        match self.eval(expr, env)? {
            Value::Int(value) => Ok(value),
            other => panic!("{other:?} is no integer"),
        }
    }
    fn eval(&self, expr: ExprId, env: &Env) -> Result<Value, Trouble> {
        match &self.model.exprs[expr].kind {
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Int(value) => match value.to_i64() {
                Some(value) => Ok(Value::Int(value.into())),
                None => Err(Trouble::Unable(Unable("a huge number".to_owned()))),
            },
            ExprKind::Name(name) => {
                let text = self.text(*name);
                let variable = env.iter().rfind(|slot| slot.name == text);
                let literal = || Value::Literal(text.rsplit('.').next().unwrap_or(text).to_owned());
                Ok(variable.map_or_else(literal, |slot| slot.value.clone()))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Ok(Value::Bool(!self.truth(*operand, env)?)),
            ExprKind::Unary(UnaryOp::Plus, operand) => self.eval(*operand, env),
            ExprKind::Unary(UnaryOp::Minus, operand) => Ok(Value::Int(-self.int(*operand, env)?)),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.eval(*a, env)?, self.eval(*b, env)?);
                Ok(Value::Bool(compare(*op, &a, &b)))
            }
            ExprKind::Chain(chain) => {
                let op = chain.rest[0].0;
                match op.level() {
                    Level::Sum | Level::Product => self.arithmetic(chain, env),
                    _ => {
                        let operands: Vec<ExprId> = chain.operands().collect();
                        self.connective(op, &operands, env).map(Value::Bool)
                    }
                }
            }
            ExprKind::Ite(condition, a, b) => {
                if self.truth(*condition, env)? {
                    self.eval(*a, env)
                } else {
                    self.eval(*b, env)
                }
            }
            ExprKind::Postfix(base, list) => {
                let mut value = self.eval(*base, env)?;
                for postfix in list {
                    value = match postfix {
                        Postfix::Read(at) => get(&value, &self.eval(*at, env)?),
                        Postfix::Write(at, new) => {
                            let at = self.eval(*at, env)?;
                            put(value, &[at], self.eval(*new, env)?)
                        }
                    };
                }
                Ok(value)
            }
            ExprKind::Array(literal) => {
                let mut entries = vec![];
                for (at, value) in &literal.entries {
                    entries.push((self.eval(*at, env)?, self.eval(*value, env)?));
                }
                let default = self.eval(literal.default, env)?;
                let empty = Value::Array(Some(Box::new(default)), BTreeMap::new());
                Ok(entries.into_iter().fold(empty, |array, (at, value)| put(array, &[at], value)))
            }
        }
    }
    /// From the left.
    fn arithmetic(&self, chain: &Chain, env: &Env) -> Result<Value, Trouble> {
        let mut left = self.int(chain.first, env)?;
        for (op, right) in &chain.rest {
            let right = self.int(*right, env)?;
            if right == 0 && op.level() == Level::Product && *op != ChainOp::Mul {
                return Err(Trouble::Fault);
            }
            let result = match op {
                ChainOp::Add => left.checked_add(right),
                ChainOp::Sub => left.checked_sub(right),
                ChainOp::Mul => left.checked_mul(right),
                ChainOp::Div => left.checked_div_euclid(right),
                ChainOp::Mod => left.checked_rem_euclid(right),
                ChainOp::Rem if right < 0 => left.checked_rem_euclid(right).map(|rest| -rest),
                ChainOp::Rem => left.checked_rem_euclid(right),
                _ => unreachable!("a connective"),
            };
            left = result.ok_or_else(|| Unable("a huge number".to_owned()))?;
        }
        Ok(Value::Int(left))
    }
    /// From the right, where that matters; `&&`, `||` and `=>` look no further than they must.
    fn connective(&self, op: ChainOp, operands: &[ExprId], env: &Env) -> Result<bool, Trouble> {
        let [first, rest @ ..] = operands else { unreachable!("a chain has operands") };
        let left = self.truth(*first, env)?;
        if rest.is_empty() {
            return Ok(left);
        }
        let right = || self.connective(op, rest, env);
        Ok(match op {
            ChainOp::And => left && right()?,
            ChainOp::Or => left || right()?,
            ChainOp::Implies => !left || right()?,
            ChainOp::Xor => left != right()?,
            ChainOp::Iff => left == right()?,
            _ => unreachable!("arithmetic"),
        })
    }
}

fn compare(op: CompareOp, a: &Value, b: &Value) -> bool {
    match (op, a, b) {
        (CompareOp::Eq, ..) => equal(a, b),
        (CompareOp::Ne, ..) => !equal(a, b),
        (CompareOp::Lt, Value::Int(a), Value::Int(b)) => a < b,
        (CompareOp::Le, Value::Int(a), Value::Int(b)) => a <= b,
        (CompareOp::Gt, Value::Int(a), Value::Int(b)) => a > b,
        (CompareOp::Ge, Value::Int(a), Value::Int(b)) => a >= b,
        _ => panic!("{a:?} and {b:?} have no order"),
    }
}

/// Arrays are equal if they have equal entries everywhere, however they are written.
fn equal(a: &Value, b: &Value) -> bool {
    let (Value::Array(default_a, entries_a), Value::Array(default_b, entries_b)) = (a, b) else {
        return a == b;
    };
    let defaults = match (default_a, default_b) {
        (Some(a), Some(b)) => equal(a, b),
        // All positions are listed on one side, so those are all there are.
        _ => true,
    };
    defaults && entries_a.keys().chain(entries_b.keys()).all(|at| equal(&get(a, at), &get(b, at)))
}

fn get(array: &Value, at: &Value) -> Value {
    let Value::Array(default, entries) = array else { panic!("{array:?} is no array") };
    let entry = entries.get(at).or(default.as_deref());
    entry.expect("every position is listed").clone()
}

/// The array with `value` at the end of a path of positions.
fn put(array: Value, path: &[Value], value: Value) -> Value {
    let Some((at, rest)) = path.split_first() else { return value };
    let inner = put(get(&array, at), rest, value);
    let Value::Array(default, mut entries) = array else { unreachable!("it has positions") };
    if default.as_deref() == Some(&inner) {
        entries.remove(at);
    } else {
        entries.insert(at.clone(), inner);
    }
    Value::Array(default, entries)
}
