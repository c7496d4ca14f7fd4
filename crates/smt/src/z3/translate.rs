//! Terms as Z3 expressions, and back.
//!
//! One translation is kept per term and offset of its variables, so a formula that is used at many
//! steps is walked once for each and its variables are never renamed in the arena. Enumerations are
//! datatypes, clocks and rationals are reals. Quotients and remainders are Euclidean in Z3 too; what
//! it leaves open, division by zero, is closed as [`ir::Terms`] defines it.
//!
//! Arrays over a range of positions are equal when they agree there, whatever they are elsewhere, and so
//! is their equality translated. Where it is only asserted and defines a step of a variable by an earlier
//! one, both are the same everywhere instead, which is shorter: what lies outside the range is nobody's
//! business, so it may as well be copied. Under a negation that would be wrong.

use std::rc::Rc;

use ir::range::Interval;
use ir::{
    ArrayId, EnumId, Int, LocationId, Node, ProcessId, Rat, Steps, Term, Terms, Type, Types, Value, VarId,
};
use rustc_hash::FxHashMap;
use z3_lib::{Ast, Context, Failure, Kind, Model, Sort};

use crate::interrupt::Interrupt;
use crate::sorts::{Conjunction, compared_places, conjunction, is_real_type};
use crate::z3::bits::{Theory, signed, vectors};
use crate::z3::interrupt_of;

/// A variable at a step of the solver.
pub type Instance = (VarId, u32);

/// The remainders by a divisor up to this are told apart case by case.
const SMALL: i64 = 16;

/// The translation of the terms of one arena into one context.
pub struct Translator {
    pub context: Context,
    theory: Theory,
    bool: Sort,
    int: Sort,
    real: Sort,
    enums: FxHashMap<EnumId, (Sort, Vec<Ast>)>,
    arrays: FxHashMap<ArrayId, Sort>,
    pub(super) vars: FxHashMap<Instance, Ast>,
    /// In the theory of bits, the constants behind integer variables, and where integer terms lie.
    pub(super) constants: FxHashMap<Instance, Ast>,
    pub(super) intervals: FxHashMap<Term, Interval>,
    at: FxHashMap<(ProcessId, LocationId), Ast>,
    /// What an expression without operands means.
    pub(super) meaning: FxHashMap<Ast, Leaf>,
    shifts: FxHashMap<Box<[Instance]>, u32>,
    done: FxHashMap<(Term, u32), Ast>,
    /// The formulas whose translation is another one where they are only asserted.
    asserted: FxHashMap<(Term, u32), Ast>,
    ranges: FxHashMap<VarId, (Int, Int)>,
    /// The variables of each term that have a range or are clocks; their steps are before any offset.
    bounded: FxHashMap<Term, Rc<[Instance]>>,
    any_clock: bool,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Leaf {
    Var(VarId, u32),
    At(ProcessId, LocationId),
    Literal(EnumId, u32),
}

impl Translator {
    pub fn new(context: Context, theory: Theory) -> Result<Self, Failure> {
        Ok(Translator {
            theory,
            constants: FxHashMap::default(),
            intervals: FxHashMap::default(),
            bool: context.bool_sort()?,
            int: context.int_sort()?,
            real: context.real_sort()?,
            context,
            enums: FxHashMap::default(),
            arrays: FxHashMap::default(),
            vars: FxHashMap::default(),
            at: FxHashMap::default(),
            meaning: FxHashMap::default(),
            shifts: FxHashMap::default(),
            done: FxHashMap::default(),
            asserted: FxHashMap::default(),
            ranges: FxHashMap::default(),
            bounded: FxHashMap::default(),
            any_clock: false,
        })
    }
    pub fn declare(&mut self, var: VarId, range: Option<(Int, Int)>) {
        match range {
            Some(range) => self.ranges.insert(var, range),
            None => self.ranges.remove(&var),
        };
        self.bounded.clear();
        self.intervals.clear();
    }
    /// What was declared for a variable.
    pub fn range(&self, var: VarId) -> Option<&(Int, Int)> {
        self.ranges.get(&var)
    }

    /// The number of an offset; 0 is no offset.
    pub fn shift(&mut self, at: &Steps) -> u32 {
        let mut moved: smallvec::SmallVec<[Instance; 16]> = at.moved().collect();
        if moved.is_empty() {
            return 0;
        }
        moved.sort_unstable();
        if let Some(known) = self.shifts.get(&moved[..]) {
            return *known;
        }
        let number = self.shifts.len() as u32 + 1;
        self.shifts.insert(moved.into_vec().into(), number);
        number
    }

    /// `term` with the step of every variable moved on by `at`.
    pub fn term(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Ast, Interrupt> {
        let shift = self.shift(at);
        self.translate(terms, term, at, shift)
    }
    /// The same for a formula that is asserted as it is, so that it never has to be false.
    pub fn asserted(&mut self, terms: &Terms, term: Term, at: &Steps) -> Result<Ast, Interrupt> {
        let shift = self.shift(at);
        self.positive(terms, term, at, shift)
    }
    fn positive(&mut self, terms: &Terms, term: Term, at: &Steps, shift: u32) -> Result<Ast, Interrupt> {
        if !matches!(terms.node(term), Node::And(_) | Node::Or(_) | Node::Eq(..)) {
            return self.translate(terms, term, at, shift);
        }
        if let Some(done) = self.asserted.get(&(term, shift)) {
            return Ok(done.clone());
        }
        let mut each = |list: &[Term]| {
            let part = |part: &Term| ir::deep(|| self.positive(terms, *part, at, shift));
            list.iter().map(part).collect::<Result<Vec<Ast>, _>>()
        };
        let result = match *terms.node(term) {
            Node::And(ref list) => {
                let list = each(list)?;
                self.context.and(&list).map_err(interrupt_of)?
            }
            Node::Or(ref list) => {
                let list = each(list)?;
                self.context.or(&list).map_err(interrupt_of)?
            }
            Node::Eq(a, b) if defines_step(terms, a, b) => {
                let [a, b] = self.pair(terms, a, b, at, shift)?;
                self.context.eq(&a, &b).map_err(interrupt_of)?
            }
            _ => self.translate(terms, term, at, shift)?,
        };
        self.asserted.insert((term, shift), result.clone());
        Ok(result)
    }
    pub(super) fn translate(
        &mut self,
        terms: &Terms,
        term: Term,
        at: &Steps,
        shift: u32,
    ) -> Result<Ast, Interrupt> {
        if let Some(done) = self.done.get(&(term, shift)) {
            return Ok(done.clone());
        }
        let result = ir::deep(|| self.node(terms, term, at, shift))?;
        self.done.insert((term, shift), result.clone());
        Ok(result)
    }

    fn node(&mut self, terms: &Terms, term: Term, at: &Steps, shift: u32) -> Result<Ast, Interrupt> {
        if self.theory == Theory::Bits
            && let Some(made) = self.bits(terms, term, at, shift)?
        {
            return Ok(made);
        }
        let context = self.context.clone();
        let node = terms.node(term);
        let result = match *node {
            Node::Const(ref value) => return self.value(terms, value),
            Node::Var(var, step) => return self.var(terms, var, step + at.of(var)),
            Node::At(process, location) => return self.location(process, location),
            Node::Deadlock => {
                return Err(Interrupt::Unsupported("`deadlock` that is not spelled out".into()));
            }
            Node::Not(a) => context.not(&self.translate(terms, a, at, shift)?),
            Node::And(ref list) => context.and(&self.list(terms, list, at, shift)?),
            Node::Or(ref list) => context.or(&self.list(terms, list, at, shift)?),
            Node::Add(ref list) => context.add(&self.numbers(terms, list, at, shift)?),
            Node::Mul(ref list) => context.mul(&self.numbers(terms, list, at, shift)?),
            Node::Eq(a, b) => return self.equality(terms, a, b, at, shift),
            Node::Le(a, b) => {
                let [a, b] = self.pair(terms, a, b, at, shift)?;
                context.le(&a, &b)
            }
            Node::Lt(a, b) => {
                let [a, b] = self.pair(terms, a, b, at, shift)?;
                context.lt(&a, &b)
            }
            Node::Ite(condition, a, b) => {
                let condition = self.translate(terms, condition, at, shift)?;
                let [a, b] = self.pair(terms, a, b, at, shift)?;
                context.ite(&condition, &a, &b)
            }
            Node::Div(a, b) | Node::Mod(a, b) | Node::Rem(a, b) => {
                let constant = terms.as_const(b).filter(|value| !value.as_rat().is_zero());
                let [mut dividend, divisor] = self.pair(terms, a, b, at, shift)?;
                if let (Node::Mod(..), Some(Value::Int(constant))) = (node, constant) {
                    let cases = constant.to_i64().filter(|cases| (1..=SMALL).contains(cases));
                    dividend = self.residue(terms, a, (&divisor, cases), at, shift)?;
                }
                self.division(node, &dividend, &divisor, constant.is_some())
            }
            Node::BitAnd(a, b) | Node::BitOr(a, b) | Node::BitXor(a, b) => {
                let spelt = conjunction(terms, &self.ranges, a, b)?;
                let [a, b] = self.pair(terms, a, b, at, shift)?;
                let times = match node {
                    Node::BitAnd(..) => 0,
                    Node::BitOr(..) => -1,
                    _ => -2,
                };
                self.conjunction(&spelt, &a, &b).and_then(|both| match times {
                    0 => Ok(both),
                    times => {
                        let factor = context.small(times, &self.int)?;
                        let less = context.mul(&[factor, both])?;
                        context.add(&[a, b, less])
                    }
                })
            }
            Node::Read(array, index) => {
                let (array, index) =
                    (self.translate(terms, array, at, shift)?, self.translate(terms, index, at, shift)?);
                context.select(&array, &index)
            }
            Node::Write(array, index, value) => {
                let element = element_type(terms, terms.type_of(array));
                let (array, index) =
                    (self.translate(terms, array, at, shift)?, self.translate(terms, index, at, shift)?);
                let value = self.entry(terms, value, element, at, shift)?;
                context.store(&array, &index, &value)
            }
            Node::Fill(id, value) => {
                let parts = terms.types.array_type(id);
                let value = self.entry(terms, value, Some(parts.element), at, shift)?;
                let index = self.sort(terms, parts.index)?;
                context.const_array(&index, &value)
            }
        };
        result.map_err(interrupt_of)
    }
    fn list(&mut self, terms: &Terms, list: &[Term], at: &Steps, shift: u32) -> Result<Vec<Ast>, Interrupt> {
        list.iter().map(|term| self.translate(terms, *term, at, shift)).collect()
    }
    /// Operands of one arithmetic operator: reals if one of them is.
    fn numbers(
        &mut self,
        terms: &Terms,
        list: &[Term],
        at: &Steps,
        shift: u32,
    ) -> Result<Vec<Ast>, Interrupt> {
        let mut asts = self.list(terms, list, at, shift)?;
        let number = |term: &Term| matches!(terms.type_of(*term), Type::Int | Type::Rat | Type::Clock);
        if list.iter().any(number) && asts.iter().any(Ast::is_real) {
            for (term, ast) in list.iter().zip(&mut asts).filter(|(term, _)| number(term)) {
                *ast = self.as_real(terms, *term, ast)?;
            }
        }
        Ok(asts)
    }
    /// A translated number as a real.
    fn as_real(&self, terms: &Terms, term: Term, ast: &Ast) -> Result<Ast, Interrupt> {
        match terms.as_const(term) {
            _ if ast.is_real() => Ok(ast.clone()),
            Some(value) => self.context.number(&value.as_rat().to_string(), &self.real),
            None if self.theory == Theory::Bits => {
                return Err(Interrupt::Unsupported("integers among rationals as bits".into()));
            }
            None => self.context.to_real(ast),
        }
        .map_err(interrupt_of)
    }
    /// What becomes an entry of an array whose entries are of type `element`.
    fn entry(
        &mut self,
        terms: &Terms,
        value: Term,
        element: Option<Type>,
        at: &Steps,
        shift: u32,
    ) -> Result<Ast, Interrupt> {
        let ast = self.translate(terms, value, at, shift)?;
        if element.is_some_and(is_real_type) { self.as_real(terms, value, &ast) } else { Ok(ast) }
    }
    fn pair(
        &mut self,
        terms: &Terms,
        a: Term,
        b: Term,
        at: &Steps,
        shift: u32,
    ) -> Result<[Ast; 2], Interrupt> {
        let list = self.numbers(terms, &[a, b], at, shift)?;
        Ok(list.try_into().expect("two operands give two"))
    }
    /// Something with the same remainder by `divisor`, a constant, where products are of remainders; small divisors
    /// come with their value.
    ///
    /// The solver bounds products by the bounds of their factors, again and again; without a bound it
    /// computes with ever greater numbers and hears no request to stop. By a small divisor, the remainder of
    /// one factor is told apart case by case, and nothing is multiplied but by constants.
    fn residue(
        &mut self,
        terms: &Terms,
        term: Term,
        divisor: (&Ast, Option<i64>),
        at: &Steps,
        shift: u32,
    ) -> Result<Ast, Interrupt> {
        let ast = self.translate(terms, term, at, shift)?;
        match terms.node(term) {
            Node::Add(list) => {
                let mut parts = vec![];
                for part in list {
                    parts.push(ir::deep(|| self.residue(terms, *part, divisor, at, shift))?);
                }
                self.context.add(&parts).map_err(interrupt_of)
            }
            Node::Mul(list) if list.iter().filter(|part| terms.as_const(**part).is_none()).count() > 1 => {
                let mut product = None;
                for factor in list {
                    let factor = self.translate(terms, *factor, at, shift)?;
                    let made = self.times(product.as_ref(), &factor, divisor);
                    product = Some(made.map_err(interrupt_of)?);
                }
                Ok(product.unwrap_or(ast))
            }
            _ => Ok(ast),
        }
    }
    /// `product * factor`, or something with the same remainder by `divisor`; without a product, `factor`.
    fn times(
        &self,
        product: Option<&Ast>,
        factor: &Ast,
        (divisor, cases): (&Ast, Option<i64>),
    ) -> Result<Ast, Failure> {
        let context = &self.context;
        let remainder = context.modulo(factor, divisor)?;
        let Some(product) = product else { return Ok(remainder) };
        let Some(cases) = cases else { return context.mul(&[product.clone(), remainder]) };
        let sort = factor.sort()?;
        let mut sum = context.small(0, &sort)?;
        for case in 1..cases {
            let case = context.small(case, &sort)?;
            let multiple = context.mul(&[case.clone(), product.clone()])?;
            sum = context.ite(&context.eq(&remainder, &case)?, &multiple, &sum)?;
        }
        Ok(sum)
    }
    fn division(&self, node: &Node, a: &Ast, b: &Ast, never_zero: bool) -> Result<Ast, Failure> {
        let context = &self.context;
        let zero = context.small(0, &b.sort()?)?;
        let (usual, by_zero) = match node {
            Node::Div(..) => (context.div(a, b)?, &zero),
            Node::Mod(..) => (context.modulo(a, b)?, a),
            _ => {
                let modulo = context.modulo(a, b)?;
                let negative = context.minus(&modulo)?;
                (context.ite(&context.lt(b, &zero)?, &negative, &modulo)?, a)
            }
        };
        if never_zero { Ok(usual) } else { context.ite(&context.eq(b, &zero)?, by_zero, &usual) }
    }
    /// The bits that two integers both have, spelt out.
    fn conjunction(&self, spelt: &Conjunction, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        let context = &self.context;
        let power = |exponent: u32| context.number(&Int::power_of_two(exponent).to_string(), &self.int);
        let (zero, one) = (context.small(0, &self.int)?, context.small(1, &self.int)?);
        let mut sum = vec![zero.clone()];
        match spelt {
            Conjunction::Runs { runs, complement } => {
                for (from, count) in runs {
                    let from = power(*from)?;
                    let bits = context.modulo(&context.div(a, &from)?, &power(*count)?)?;
                    sum.push(context.mul(&[from, bits])?);
                }
                let kept = context.add(&sum)?;
                if *complement { context.add(&[a.clone(), context.minus(&kept)?]) } else { Ok(kept) }
            }
            Conjunction::Bits { count, signs } => {
                let two = power(1)?;
                for at in 0..*count {
                    let weight = power(at)?;
                    let bit = |number: &Ast| {
                        context.eq(&context.modulo(&context.div(number, &weight)?, &two)?, &one)
                    };
                    let both = context.and(&[bit(a)?, bit(b)?])?;
                    sum.push(context.ite(&both, &weight, &zero)?);
                }
                if *signs {
                    let negative = context.and(&[context.lt(a, &zero)?, context.lt(b, &zero)?])?;
                    sum.push(context.ite(&negative, &context.minus(&power(*count)?)?, &zero)?);
                }
                context.add(&sum)
            }
        }
    }
    fn equality(
        &mut self,
        terms: &Terms,
        a: Term,
        b: Term,
        at: &Steps,
        shift: u32,
    ) -> Result<Ast, Interrupt> {
        let context = self.context.clone();
        if let Some(places) = compared_places(terms, a)? {
            let (a, b) = (self.translate(terms, a, at, shift)?, self.translate(terms, b, at, shift)?);
            let entry = |place: &Vec<i64>| -> Result<Ast, Failure> {
                let (mut a, mut b) = (a.clone(), b.clone());
                for index in place {
                    let index = context.small(*index, &self.int)?;
                    (a, b) = (context.select(&a, &index)?, context.select(&b, &index)?);
                }
                context.eq(&a, &b)
            };
            let entries = places.iter().map(entry).collect::<Result<Vec<_>, _>>().map_err(interrupt_of)?;
            return context.and(&entries).map_err(interrupt_of);
        }
        let [a, b] = self.pair(terms, a, b, at, shift)?;
        context.eq(&a, &b).map_err(interrupt_of)
    }

    fn value(&mut self, terms: &Terms, value: &Value) -> Result<Ast, Interrupt> {
        let context = self.context.clone();
        let result = match value {
            Value::Bool(value) => context.bool(*value),
            Value::Int(value) => match value.to_i64() {
                Some(small) => context.small(small, &self.int),
                None => context.number(&value.to_string(), &self.int),
            },
            Value::Rat(value) => context.number(&value.to_string(), &self.real),
            Value::Enum(id, literal) => return self.literal(&terms.types, *id, *literal),
            Value::Array(array) => {
                let parts = terms.types.array_type(array.ty());
                let index = self.sort(terms, parts.index)?;
                let element = |this: &mut Self, value: &Value| match value {
                    Value::Int(value) if is_real_type(parts.element) => {
                        this.context.number(&value.to_string(), &this.real).map_err(interrupt_of)
                    }
                    value => this.value(terms, value),
                };
                let default = element(self, array.default())?;
                let mut result = context.const_array(&index, &default).map_err(interrupt_of)?;
                for (position, entry) in array.entries() {
                    let (position, entry) = (self.value(terms, position)?, element(self, entry)?);
                    result = context.store(&result, &position, &entry).map_err(interrupt_of)?;
                }
                return Ok(result);
            }
        };
        result.map_err(interrupt_of)
    }
    /// The expression for a variable at a step.
    pub fn var(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<Ast, Interrupt> {
        if let Some(known) = self.vars.get(&(var, step)) {
            return Ok(known.clone());
        }
        let ty = terms.var_type(var);
        let sort = self.sort(terms, ty)?;
        let name = format!("{var:?}@{step}");
        let ast = self.context.constant(&name, &sort).map_err(interrupt_of)?;
        self.vars.insert((var, step), ast.clone());
        self.meaning.insert(ast.clone(), Leaf::Var(var, step));
        self.any_clock |= ty == Type::Clock;
        Ok(ast)
    }
    fn location(&mut self, process: ProcessId, location: LocationId) -> Result<Ast, Interrupt> {
        if let Some(known) = self.at.get(&(process, location)) {
            return Ok(known.clone());
        }
        let name = format!("{process:?}.{location:?}");
        let ast = self.context.constant(&name, &self.bool).map_err(interrupt_of)?;
        self.at.insert((process, location), ast.clone());
        self.meaning.insert(ast.clone(), Leaf::At(process, location));
        Ok(ast)
    }
    fn literal(&mut self, types: &Types, id: EnumId, literal: u32) -> Result<Ast, Interrupt> {
        self.enumeration(types, id)?;
        Ok(self.enums[&id].1[literal as usize].clone())
    }
    fn enumeration(&mut self, types: &Types, id: EnumId) -> Result<Sort, Interrupt> {
        if let Some((sort, _)) = self.enums.get(&id) {
            return Ok(sort.clone());
        }
        let count = types.enum_type(id).literals.len();
        let (sort, literals) = self.context.enum_sort(&format!("{id:?}"), count).map_err(interrupt_of)?;
        for (at, literal) in literals.iter().enumerate() {
            self.meaning.insert(literal.clone(), Leaf::Literal(id, at as u32));
        }
        self.enums.insert(id, (sort.clone(), literals));
        Ok(sort)
    }
    /// The sort of a type.
    pub fn sort(&mut self, terms: &Terms, ty: Type) -> Result<Sort, Interrupt> {
        match ty {
            Type::Bool => Ok(self.bool.clone()),
            Type::Int if self.theory == Theory::Bits => {
                Err(Interrupt::Unsupported("arrays of integers as bits".into()))
            }
            Type::Int => Ok(self.int.clone()),
            Type::Rat | Type::Clock => Ok(self.real.clone()),
            Type::Enum(id) => self.enumeration(&terms.types, id),
            Type::Array(id) => {
                if let Some(sort) = self.arrays.get(&id) {
                    return Ok(sort.clone());
                }
                let parts = terms.types.array_type(id);
                let (index, element) = (self.sort(terms, parts.index)?, self.sort(terms, parts.element)?);
                let sort = self.context.array_sort(&index, &element).map_err(interrupt_of)?;
                self.arrays.insert(id, sort.clone());
                Ok(sort)
            }
        }
    }

    /// The variables of `term` whose values are limited by more than their sort.
    pub fn bounded(&mut self, terms: &Terms, term: Term) -> Rc<[Instance]> {
        if self.ranges.is_empty() && !self.any_clock {
            return Rc::new([]);
        }
        if let Some(known) = self.bounded.get(&term) {
            return known.clone();
        }
        let mut list = vec![];
        terms.for_each_subterm(term, |t| {
            if let Node::Var(var, step) = *terms.node(t)
                && (self.ranges.contains_key(&var) || terms.var_type(var) == Type::Clock)
            {
                list.push((var, step));
            }
        });
        let list: Rc<[Instance]> = list.into();
        self.bounded.insert(term, list.clone());
        list
    }
    /// The limits of one variable at a step, as formulas.
    pub fn bounds(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<Vec<Ast>, Interrupt> {
        if self.theory == Theory::Bits && terms.var_type(var) == Type::Int {
            return self.bits_bounds(terms, var, step);
        }
        let ast = self.var(terms, var, step)?;
        let mut bounds = vec![];
        if terms.var_type(var) == Type::Clock {
            let zero = self.context.small(0, &self.real).map_err(interrupt_of)?;
            bounds.push(self.context.le(&zero, &ast).map_err(interrupt_of)?);
        }
        if let Some((least, greatest)) = self.ranges.get(&var) {
            let number = |value: &Int| self.context.number(&value.to_string(), &self.int);
            let least = number(least).and_then(|least| self.context.le(&least, &ast));
            let greatest = number(greatest).and_then(|greatest| self.context.le(&ast, &greatest));
            bounds.extend([least.map_err(interrupt_of)?, greatest.map_err(interrupt_of)?]);
        }
        Ok(bounds)
    }

    /// The value that an evaluated expression denotes.
    pub fn read(&self, types: &Types, model: &Model, ast: &Ast, ty: Type) -> Result<Value, Interrupt> {
        let odd = || Interrupt::Unsupported(format!("the value {ast:?}"));
        match (ast.kind(), ty) {
            (Kind::Bool(value), Type::Bool) => Ok(Value::Bool(value)),
            (Kind::Number(digits), Type::Int) if ast.bits() > 0 => {
                signed(&digits, ast.bits()).map(Value::Int).ok_or_else(odd)
            }
            (Kind::Number(digits), Type::Int) => digits.parse().map(Value::Int).map_err(|_| odd()),
            (Kind::Number(digits), Type::Rat | Type::Clock) => {
                digits.parse().map(Value::rat).map_err(|_| odd())
            }
            (Kind::Declared, Type::Enum(_)) => match self.meaning.get(ast) {
                Some(Leaf::Literal(id, literal)) => Ok(Value::Enum(*id, *literal)),
                _ => Err(odd()),
            },
            (_, Type::Array(id)) => {
                let ArrayParts { entries, default } =
                    array_parts(model, ast).map_err(interrupt_of)?.ok_or_else(odd)?;
                let parts = types.array_type(id);
                let mut array = types.fill(id, self.read(types, model, &default, parts.element)?);
                for (index, value) in entries {
                    let index = self.read(types, model, &index, parts.index)?;
                    if out_of_range(&index, parts.range) {
                        continue;
                    }
                    array = types.write(&array, index, self.read(types, model, &value, parts.element)?);
                }
                Ok(Value::Array(array.into()))
            }
            _ => Err(odd()),
        }
    }

    /// The constant of a variable at a step, which quantifiers can bind.
    pub fn constant_of(&mut self, terms: &Terms, var: VarId, step: u32) -> Result<Ast, Interrupt> {
        match self.theory {
            Theory::Int => self.var(terms, var, step),
            Theory::Bits => self.bits_constant(terms, var, step),
        }
    }
    /// The formula over *now* that an expression over arguments, which are these variables, means.
    pub fn over(&self, terms: &mut Terms, ast: &Ast, vars: &[VarId]) -> Result<Term, Interrupt> {
        let mut bound = vec![];
        for var in vars {
            let term = terms.var(*var);
            bound.push(self.reading(terms, *var, term));
        }
        self.back(terms, ast, &bound)
    }
    /// What the constant of a variable means as a number: vectors are read without a sign.
    fn reading(&self, terms: &mut Terms, var: VarId, term: Term) -> Term {
        match self.theory {
            Theory::Bits if terms.var_type(var) == Type::Int => self.unsigned(terms, var, term),
            _ => term,
        }
    }

    /// The term that an expression over variables, locations and the arguments of a predicate means.
    #[expect(clippy::mutable_key_type, reason = "an expression is hashed by its address")]
    pub fn back(&self, terms: &mut Terms, ast: &Ast, bound: &[Term]) -> Result<Term, Interrupt> {
        let mut done = FxHashMap::default();
        self.back_node(terms, ast, bound, &mut done)
    }
    #[expect(clippy::mutable_key_type, reason = "an expression is hashed by its address")]
    fn back_node(
        &self,
        terms: &mut Terms,
        ast: &Ast,
        bound: &[Term],
        done: &mut FxHashMap<Ast, Term>,
    ) -> Result<Term, Interrupt> {
        if let Some(known) = done.get(ast) {
            return Ok(*known);
        }
        let odd = || Interrupt::Unsupported(format!("reading back {}", first_line(&format!("{ast:?}"))));
        let kind = ast.kind();
        let children = ast.children().map_err(interrupt_of)?;
        let parts = children
            .iter()
            .map(|child| ir::deep(|| self.back_node(terms, child, bound, done)))
            .collect::<Result<Vec<Term>, _>>()?;
        let term = match (&kind, &parts[..]) {
            (Kind::Bool(value), _) => terms.bool(*value),
            (Kind::Number(digits), _) if ast.is_real() => {
                let value: Rat = digits.parse().map_err(|_| odd())?;
                terms.constant(Value::rat(value))
            }
            (Kind::Number(digits), _) => {
                let value: Int = digits.parse().map_err(|_| odd())?;
                terms.constant(Value::Int(value))
            }
            (Kind::Bound(index), _) => *bound.get(*index as usize).ok_or_else(odd)?,
            (Kind::Declared, _) => match self.meaning.get(ast) {
                Some(Leaf::Var(var, step)) => {
                    let term = terms.var_at(*var, *step);
                    self.reading(terms, *var, term)
                }
                Some(Leaf::At(process, location)) => terms.at(*process, *location),
                Some(Leaf::Literal(id, literal)) => terms.constant(Value::Enum(*id, *literal)),
                None => return Err(odd()),
            },
            (Kind::Is, [of]) => {
                let literal = ast.function().and_then(|literal| literal.apply(&[])).map_err(interrupt_of)?;
                match self.meaning.get(&literal) {
                    Some(Leaf::Literal(id, literal)) => {
                        let literal = terms.constant(Value::Enum(*id, *literal));
                        terms.eq(*of, literal)
                    }
                    _ => return Err(odd()),
                }
            }
            (Kind::ConstArray, [value]) => {
                let sort = ast.sort().map_err(interrupt_of)?;
                // Types with the same sort differ in the range of their positions.
                let mut types = self.arrays.iter().filter(|(_, known)| **known == sort);
                match (types.next(), types.next()) {
                    (Some((id, _)), None) => terms.fill(*id, *value),
                    _ => return Err(odd()),
                }
            }
            (Kind::Op(op), parts) if children.iter().any(|child| child.bits() > 0) => {
                vectors(terms, op, ast, &children, parts).ok_or_else(odd)?
            }
            (Kind::Op(op), parts) => apply(terms, op, parts).ok_or_else(odd)?,
            _ => return Err(odd()),
        };
        done.insert(ast.clone(), term);
        Ok(term)
    }
}

fn element_type(terms: &Terms, array: Type) -> Option<Type> {
    match array {
        Type::Array(id) => Some(terms.types.array_type(id).element),
        _ => None,
    }
}

/// Whether `a == b` says what a step of a variable is in terms of an earlier one of the same.
fn defines_step(terms: &Terms, a: Term, b: Term) -> bool {
    let root = |mut term: Term| loop {
        match *terms.node(term) {
            Node::Var(var, step) => return Some((var, step)),
            Node::Write(array, ..) => term = array,
            _ => return None,
        }
    };
    let is_var = |term: Term| matches!(terms.node(term), Node::Var(..));
    match (root(a), root(b)) {
        (Some((x, i)), Some((y, j))) => x == y && i != j && is_var(if i > j { a } else { b }),
        _ => false,
    }
}

fn out_of_range(index: &Value, range: Option<(i64, i64)>) -> bool {
    match (index, range) {
        (Value::Int(index), Some((first, last))) => *index < Int::from(first) || *index > Int::from(last),
        _ => false,
    }
}

/// A map as Z3 spells it.
struct ArrayParts {
    /// Later entries win.
    entries: Vec<(Ast, Ast)>,
    default: Ast,
}

fn array_parts(model: &Model, ast: &Ast) -> Result<Option<ArrayParts>, Failure> {
    let mut entries = vec![];
    let mut rest = ast.clone();
    loop {
        let mut children = rest.children()?;
        match rest.kind() {
            Kind::Op("store") => {
                let value = children.pop().expect("three operands");
                let index = children.pop().expect("three operands");
                entries.push((index, value));
                rest = children.pop().expect("three operands");
            }
            Kind::ConstArray => {
                entries.reverse();
                return Ok(children.pop().map(|default| ArrayParts { entries, default }));
            }
            Kind::AsArray => {
                let (mut all, default) = model.function(&rest.function()?)?;
                entries.reverse();
                all.extend(entries);
                return Ok(Some(ArrayParts { entries: all, default }));
            }
            _ => return Ok(None),
        }
    }
}

/// Whether an operator takes operands of these types, mixed numbers included.
fn takes(types: &Types, op: &str, list: &[Type]) -> bool {
    let number = |ty: &Type| matches!(ty, Type::Int | Type::Rat | Type::Clock);
    let alike = |a: &Type, b: &Type| a == b || (number(a) && number(b));
    let all_alike = |list: &[Type]| list.windows(2).all(|pair| alike(&pair[0], &pair[1]));
    match (op, list) {
        (_, []) => false,
        ("=" | "distinct", list) => list.len() > 1 && all_alike(list),
        ("<=" | ">=" | "<" | ">", list) => list.len() > 1 && list.iter().all(number),
        ("and" | "or" | "xor" | "not" | "=>", list) => list.iter().all(|ty| *ty == Type::Bool),
        ("ite", [condition, branches @ ..]) => *condition == Type::Bool && all_alike(branches),
        ("+" | "-" | "neg" | "*" | "to_real", list) => list.iter().all(number),
        // On integers alone, a term would mean another quotient.
        ("/", list) => list.iter().all(number) && list.iter().any(|ty| *ty != Type::Int),
        ("div" | "mod", list) => list.iter().all(|ty| *ty == Type::Int),
        ("select", [Type::Array(id), index]) => types.array_type(*id).index == *index,
        ("store", [Type::Array(id), index, value]) => {
            let parts = types.array_type(*id);
            parts.index == *index && parts.element == *value
        }
        _ => false,
    }
}

/// The term of an operator by its SMT-LIB name, on operands that have been read; `None` if it is not
/// known or the operands do not fit it.
pub(crate) fn apply(terms: &mut Terms, op: &str, parts: &[Term]) -> Option<Term> {
    let types: Vec<Type> = parts.iter().map(|part| terms.type_of(*part)).collect();
    if !takes(&terms.types, op, &types) {
        return None;
    }
    let chain = |terms: &mut Terms, order: fn(&mut Terms, Term, Term) -> Term| {
        let pairs: Vec<Term> = parts.windows(2).map(|pair| order(terms, pair[0], pair[1])).collect();
        terms.and(pairs)
    };
    Some(match (op, parts) {
        ("=", _) => chain(terms, Terms::eq),
        ("<=", _) => chain(terms, Terms::le),
        (">=", _) => chain(terms, Terms::ge),
        ("<", _) => chain(terms, Terms::lt),
        (">", _) => chain(terms, Terms::gt),
        ("distinct", _) => {
            let mut all = vec![];
            for (at, a) in parts.iter().enumerate() {
                for b in &parts[..at] {
                    let same = terms.eq(*a, *b);
                    all.push(terms.not(same));
                }
            }
            terms.and(all)
        }
        ("ite", [c, a, b]) => terms.ite(*c, *a, *b),
        ("and", _) => terms.and(parts.iter().copied()),
        ("or", _) => terms.or(parts.iter().copied()),
        ("xor", [a, b]) => terms.xor(*a, *b),
        ("not", [a]) => terms.not(*a),
        ("=>", [a, b]) => terms.implies(*a, *b),
        ("+", _) => terms.add(parts.iter().copied()),
        ("-", [a]) | ("neg", [a]) => terms.neg(*a),
        ("-", [first, rest @ ..]) => rest.iter().fold(*first, |left, right| terms.sub(left, *right)),
        ("*", _) => terms.mul(parts.iter().copied()),
        ("/", [a, b]) | ("div", [a, b]) if terms.as_const(*b).is_some_and(|b| !b.as_rat().is_zero()) => {
            terms.div(*a, *b)
        }
        ("mod", [a, b]) if terms.as_const(*b).is_some_and(|b| !b.as_rat().is_zero()) => terms.modulo(*a, *b),
        // Numbers of both kinds may be mixed in terms.
        ("to_real", [a]) => match terms.as_const(*a).map(|value| value.clone().held_as(Type::Rat)) {
            Some(value) => terms.constant(value),
            None => *a,
        },
        ("select", [a, i]) => terms.read(*a, *i),
        ("store", [a, i, v]) => terms.write(*a, *i, *v),
        _ => return None,
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}
