//! The discrete part of what can happen, computed once for each discrete state.
//!
//! From known data, an action has finitely many executions, whatever the clocks do. Each is a *step*: the
//! discrete state it leads to, the operations on clocks on the way ([`zones::Op`]), and which variables it
//! depends on ([`Effect`]). The target is a step to nowhere: it is as if there were an edge to an error
//! location. What data block is kept as sets of variables each of which suffices to block it.
//!
//! A node only runs the operations of the steps on its zone.

use std::ops::Range;

use indexmap::IndexSet;
use ir::{Id, VectorId};
use rustc_hash::FxBuildHasher;
use zones::{Op, dbm};

use super::data::Variables;
use super::reads::{ALL, Alternatives, Mask, Reads, Record};
use crate::concrete::op::VECTOR;
use crate::concrete::store::NO_PARENT;
use crate::concrete::vm::{Halt, Time, Vm};
use crate::concrete::word::Word;
use crate::zone::places::{Arrival, Hurry};
use crate::zone::{self, End};
use crate::{Reason, Stop};

/// One execution of an action from known data.
#[derive(Copy, Clone, Debug)]
pub(super) struct Step {
    /// The discrete state it leads to, [`BAD`] or [`STUCK`].
    pub(super) target: u32,
    /// The number of the operations on clocks.
    pub(super) ops: u32,
    /// The number of the effect.
    pub(super) effect: u32,
    /// The number of its code.
    pub(super) code: u32,
}

/// The target holds.
pub(super) const BAD: u32 = u32::MAX;
/// The machine cannot compute what happens.
pub(super) const STUCK: u32 = u32::MAX - 1;

/// What a step depends on, and what it writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Effect {
    /// The variables that decide about the step, other than by allowing it.
    pub(super) needed: Mask,
    /// For each variable that may be written, the variables that its value is made from.
    pub(super) writes: Box<[(u8, Mask)]>,
}

impl Effect {
    /// What must be known before the step for `after` to be known behind it.
    pub(super) fn before(&self, after: Mask) -> Mask {
        let (mut before, mut through) = (self.needed, after);
        for (var, from) in &self.writes {
            if after >> var & 1 == 1 {
                before |= from;
                through &= !(1 << var);
            }
        }
        before | through
    }
}

/// The steps of discrete states, as far as they have been needed.
pub(super) struct Steps<'a> {
    vm: Vm<'a, Record, Reads>,
    /// For conditions in the middle of an action.
    aside: Vm<'a, Record, Reads>,
    pub(super) variables: Variables,
    /// Lists of operations.
    lists: IndexSet<Box<[Op]>, FxBuildHasher>,
    effects: IndexSet<Effect, FxBuildHasher>,
    alternatives: IndexSet<Alternatives, FxBuildHasher>,
    steps: Vec<Step>,
    blocks: Vec<u32>,
    /// Where the blocks of the state at hand begin.
    first_block: usize,
    /// For each discrete state, where its steps and its blocks are.
    known: Vec<Option<Known>>,
    words: Vec<Word>,
    /// Whether zones are abstracted by simulation.
    simulates: bool,
}

/// Where the steps of a discrete state are, and what blocks other executions.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) steps: Range<u32>,
    pub(super) blocks: Range<u32>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(base: &zone::Explorer<'a>, simulates: bool, stop: &'a Stop) -> Self {
        let variables = Variables::new(&base.places, base.store.components());
        let machine = || {
            let mut vm = Vm::watched(Record::new(base.dim), Reads::new(variables.home().to_vec()), stop);
            vm.most = base.vm.most;
            vm
        };
        let (vm, aside) = (machine(), machine());
        let mut steps = Steps {
            vm,
            aside,
            variables,
            lists: IndexSet::default(),
            effects: IndexSet::default(),
            alternatives: IndexSet::default(),
            steps: vec![],
            blocks: vec![],
            first_block: 0,
            known: vec![],
            words: vec![0; base.store.components()],
            simulates,
        };
        steps.effects.insert(Effect::default());
        steps
    }
    pub(super) fn step(&self, at: u32) -> Step {
        self.steps[at as usize]
    }
    pub(super) fn ops(&self, number: u32) -> &[Op] {
        &self.lists[number as usize]
    }
    pub(super) fn effect(&self, number: u32) -> &Effect {
        &self.effects[number as usize]
    }
    /// The sets each of which blocks an execution.
    pub(super) fn block(&self, at: u32) -> &[Mask] {
        &self.alternatives[self.blocks[at as usize] as usize]
    }
    /// The number of a list of operations.
    pub(super) fn list(&mut self, ops: &[Op]) -> u32 {
        match self.lists.get_index_of(ops) {
            Some(at) => at as u32,
            None => self.lists.insert_full(ops.into()).0 as u32,
        }
    }
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
            + self.blocks.capacity() * 4
            + self.known.capacity() * size_of::<Option<Known>>()
    }

    /// What can happen from a discrete state.
    pub(super) fn of(&mut self, base: &mut zone::Explorer<'a>, discrete: u32) -> Result<Known, End> {
        let at = discrete as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        if let Some(known) = &self.known[at] {
            return Ok(known.clone());
        }
        let (steps, blocks) = (self.steps.len() as u32, self.blocks.len() as u32);
        self.first_block = self.blocks.len();
        let mut words = std::mem::take(&mut self.words);
        base.store.get(discrete, &mut words);
        let result = self.compute(base, &words);
        self.words = words;
        result?;
        let known = Known { steps: steps..self.steps.len() as u32, blocks: blocks..self.blocks.len() as u32 };
        self.known[at] = Some(known.clone());
        Ok(known)
    }
    fn compute(&mut self, base: &mut zone::Explorer<'a>, words: &[Word]) -> Result<(), End> {
        let vector = VectorId::at(words[VECTOR as usize] as usize);
        let moves = base.places.prepare(vector)?;
        base.make_room();
        self.make_room(base, words);
        let target = base.places.target(vector);
        if target.asks_for_deadlocks() {
            self.find_deadlocks(base, vector, words)?;
        } else if let Some(code) = target.code(true) {
            self.run(base, vector, code, None)?;
        }
        for at in 0..moves {
            let movement = base.places.movement(vector, at);
            self.run(base, vector, movement.code(), Some((movement.target, movement.arrives())))?;
        }
        Ok(())
    }
    fn make_room(&mut self, base: &zone::Explorer<'a>, words: &[Word]) {
        let slots = base.places.slots().max(words.len());
        for vm in [&mut self.vm, &mut self.aside] {
            vm.slots.resize(slots.max(vm.slots.len()), crate::concrete::word::OPEN);
            vm.flow.slots = vm.slots.len();
        }
        self.vm.slots[..words.len()].copy_from_slice(words);
    }
    /// The steps of one action, or of the target.
    fn run(
        &mut self,
        base: &mut zone::Explorer<'a>,
        source: VectorId,
        number: u32,
        action: Option<(VectorId, bool)>,
    ) -> Result<(), End> {
        self.vm.time.start();
        let mut more = self.vm.first(base.places.code(number));
        loop {
            match more {
                Ok(false) => break,
                Ok(true) => match action {
                    None => self.push(BAD, number, 0..0),
                    Some((target, arrives)) => match self.arrive(base, target, arrives) {
                        Ok(false) => {}
                        Ok(true) => self.arrived(base, source, target, number)?,
                        Err(Halt::Bail) => self.push(STUCK, number, 0..0),
                        Err(halt) => return Err(self.halted(base, halt)),
                    },
                },
                Err(Halt::Bail) => self.push(STUCK, number, 0..0),
                Err(halt) => return Err(self.halted(base, halt)),
            }
            more = self.vm.next(base.places.code(number));
        }
        if self.simulates {
            for ops in std::mem::take(&mut self.vm.time.contradictions) {
                // What data decided about them blocks them, too, so nothing else is needed.
                let step = Step { target: STUCK, ops: self.list(&ops), effect: 0, code: number };
                self.steps.push(step);
            }
        }
        for alternatives in self.vm.flow.blocks.drain(..) {
            let number = self.alternatives.insert_full(alternatives).0 as u32;
            // Several executions of a state are often blocked by the same.
            if !self.blocks[self.first_block..].contains(&number) {
                self.blocks.push(number);
            }
        }
        Ok(())
    }
    /// Adds a step that leads to the discrete state in the machine.
    fn arrived(
        &mut self,
        base: &mut zone::Explorer<'a>,
        source: VectorId,
        target: VectorId,
        code: u32,
    ) -> Result<(), End> {
        let components = base.store.components();
        self.vm.slots[VECTOR as usize] = target.index() as Word;
        let inserted = base.store.insert(&self.vm.slots[..components], NO_PARENT, NO_PARENT);
        self.vm.slots[VECTOR as usize] = source.index() as Word;
        let (discrete, _) = inserted.ok_or(Reason::States(u64::from(STUCK)))?;
        self.push(discrete, code, 0..self.variables.len());
        Ok(())
    }
    fn push(&mut self, target: u32, code: u32, vars: Range<usize>) {
        let mut writes = vec![];
        for var in vars {
            self.variables.write(var, &self.vm.flow, &mut writes);
        }
        let effect = Effect { needed: self.vm.flow.needed, writes: writes.into() };
        let effect = self.effects.insert_full(effect).0 as u32;
        let ops = std::mem::take(&mut self.vm.time.ops);
        let step = Step { target, ops: self.list(&ops), effect, code };
        self.vm.time.ops = ops;
        self.steps.push(step);
    }
    /// Invariants, a delay where time may pass, and invariants again; `false` if data do not allow it.
    fn arrive(
        &mut self,
        base: &mut zone::Explorer<'a>,
        target: VectorId,
        arrives: bool,
    ) -> Result<bool, Halt> {
        if !arrives {
            return Ok(true);
        }
        let Arrival::Simple(hurry) = base.places.arrival(target) else {
            unreachable!("compiled into the action")
        };
        let zone::Explorer { places, atoms, conditions, store, .. } = base;
        places.invariants(target, atoms, conditions);
        for atom in &*atoms {
            self.vm.constrain(*atom)?;
        }
        for condition in &*conditions {
            self.vm.flow.ask();
            if !self.vm.test(places.code(*condition))? {
                let by = self.vm.flow.answer();
                self.vm.flow.block(by);
                return Ok(false);
            }
        }
        let hurries = match hurry {
            Hurry::Always => true,
            Hurry::Never => false,
            Hurry::When(code) => {
                let components = store.components();
                self.aside.slots[..components].copy_from_slice(&self.vm.slots[..components]);
                self.aside.flow.copy(&self.vm.flow);
                self.aside.flow.ask();
                let hurries = self.aside.test(places.code(code))?;
                self.vm.flow.needed |= self.aside.flow.answer();
                hurries
            }
        };
        if !hurries {
            self.vm.time.delay()?;
            for atom in &*atoms {
                self.vm.constrain(*atom)?;
            }
        }
        Ok(true)
    }
    /// The ways in which the target holds, where it is about deadlocks: any variable may matter.
    fn find_deadlocks(
        &mut self,
        base: &mut zone::Explorer<'a>,
        vector: VectorId,
        words: &[Word],
    ) -> Result<(), End> {
        base.vm.slots[..words.len()].copy_from_slice(words);
        dbm::init_universe(&mut base.vm.time.source, base.dim);
        base.vm.time.start();
        let mut ways = vec![];
        base.targets(vector, &mut |ops| {
            ways.push(ops);
            true
        })?;
        let effect = Effect { needed: ALL, writes: Box::default() };
        let effect = self.effects.insert_full(effect).0 as u32;
        for ops in ways {
            let ops = self.list(&ops);
            self.steps.push(Step { target: BAD, ops, effect, code: u32::MAX });
        }
        Ok(())
    }
    fn halted(&self, base: &zone::Explorer<'a>, halt: Halt) -> End {
        base.halted(halt)
    }
    /// Why a step that is possible could not be computed.
    pub(super) fn stuck(&self, base: &zone::Explorer<'a>) -> End {
        match self.vm.time.overflow {
            true => zone::outgrown().into(),
            false => base.inexact(self.vm.open.get().or(self.aside.open.get())).into(),
        }
    }
}
