//! Simulation by hand: commands from a terminal or a pipe.
//!
//! A thread of its own waits for lines, so that Ctrl-C is noticed while nothing is typed.

use std::cell::Cell;
use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use engine::Stop;
use ir::interp::Need;
use ir::{Decision, Rat, State, Stmt, System, Type, Value, VarId};
use thetis::lang::{self, Given};
use thetis::simulate::{Chance, Chooser, Move, Simulator, Stepped};
use thetis::trace::{Datum, OccurrenceKindRecord, TypeRecord, lift, table};

use super::no_start;
use crate::console::Console;
use crate::exit::{Exit, Failure};

const HELP: &str = "\
NUMBER  take that step        r  take a random step     b  undo a step or delay
s       show the whole state  a  list all steps         t  show all steps so far
h       show this help        q  quit
d TIME  let time pass, such as 2, 1/2 or 0.5, in a network of timed automata
EVENT   let an event come in with the next step, such as port.event or port.event(3, true), and `d TIME` time pass before it,
        in milliseconds, in a composition of statecharts; the same event again takes it back
Words will do as well: random, back or undo, state, all, trace, delay, help, quit.";

/// The most steps listed unless all are asked for.
const LISTED: usize = 20;

/// Reads commands until the end.
pub(super) fn talk(
    simulator: &mut Simulator<'_>,
    stop: &Arc<Stop>,
    started: bool,
    json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut person = Person {
        console: console.clone(),
        json,
        terminal: io::stdin().is_terminal(),
        lines: lines(),
        stop: stop.clone(),
        gone: Cell::new(false),
    };
    let mut chance = Chance::new(0);
    person.say("`h` lists what can be typed");
    if !started {
        simulator.start(&mut person).map_err(no_start)?;
        person.say(simulator.last_step().trim_end());
    }
    let mut next = Next::default();
    let mut moves = next.moves(simulator, &person);
    if !simulator.stopped() {
        next.offer(simulator, &person);
        list(simulator, &moves, LISTED, &person);
    }
    while let Some(line) = person.ask("> ") {
        if let Some(read) = next.read(simulator, &line) {
            match read {
                Ok(()) => {
                    moves = next.moves(simulator, &person);
                    person.say(next.told());
                    list(simulator, &moves, LISTED, &person);
                }
                Err(why) => person.say(why),
            }
            continue;
        }
        let delay = line.strip_prefix("delay").or_else(|| line.strip_prefix('d')).map(str::trim);
        let stepped = match line.as_str() {
            "" => false,
            _ if delay.is_some() => {
                let amount = delay.and_then(amount);
                match amount {
                    Some(amount) => {
                        let passed = simulator.waits() && simulator.wait(&amount);
                        if !passed && !simulator.stopped() {
                            let why = match simulator.waits() {
                                true => simulator.room().to_string(),
                                false => "time passes only within steps here".to_owned(),
                            };
                            person.say(format!("{why}; nothing has changed"));
                        }
                        passed
                    }
                    None => {
                        person.say("`d` needs an amount of time, such as `d 2`, `d 1/2` or `d 0.5`");
                        false
                    }
                }
            }
            "q" | "quit" | "exit" => break,
            "h" | "help" | "?" => {
                person.say(HELP);
                false
            }
            "s" | "state" => {
                let state = simulator.record(simulator.state());
                person.say(format!("at {}", place(simulator)));
                person.say(table::values(simulator.signature(), &state).trim_end());
                false
            }
            "a" | "all" | "list" => {
                list(simulator, &moves, usize::MAX, &person);
                false
            }
            "t" | "trace" => {
                person.say(table::render(&simulator.trace(), false).trim_end());
                false
            }
            "b" | "back" | "u" | "undo" => {
                let back = simulator.back();
                if !back {
                    person.say("this is the initial state; there is nothing to undo");
                }
                back
            }
            "r" | "random" => match simulator.step_by_chance(&mut chance) {
                Stepped::Yes => true,
                _ if simulator.stopped() => false,
                Stepped::Deadlock => {
                    person.say("no step is possible");
                    false
                }
                Stepped::NotFound => {
                    person.say("no possible step was found by random choices; take one by its number");
                    false
                }
            },
            number => match number.parse::<usize>().ok().and_then(|number| moves.get(number.checked_sub(1)?))
            {
                Some(chosen) => {
                    let taken = simulator.take(chosen, &mut person);
                    if !taken && !simulator.stopped() && !person.gone.get() {
                        person.say("that step is not possible with these choices; nothing has changed");
                    }
                    taken
                }
                None => {
                    person.say(format!(
                        "`{number}` is no command and no number of a step; `h` lists what can be typed"
                    ));
                    false
                }
            },
        };
        if stepped {
            person.say(simulator.last_step().trim_end());
            next = Next::default();
            moves = next.moves(simulator, &person);
            if !simulator.stopped() {
                next.offer(simulator, &person);
                list(simulator, &moves, LISTED, &person);
            }
        }
    }
    Ok(Exit::Holds)
}

fn list(simulator: &Simulator<'_>, moves: &[Move], most: usize, person: &Person) {
    if simulator.fault().is_some() {
        person.say("nothing comes after that; `b` goes back");
        return;
    }
    if moves.is_empty() {
        person.say(match simulator.waits() {
            _ if !simulator.inputs().is_empty() => {
                "no step is possible with what comes in; name an event, or `b` goes back"
            }
            true => "no step is possible at this time; `d TIME` lets time pass, `b` goes back",
            false => "deadlock: no step is possible; `b` goes back",
        });
        return;
    }
    person.say(format!("at {}; possible steps:", place(simulator)));
    let before = simulator.record(simulator.state());
    for (number, chosen) in moves.iter().enumerate().take(most) {
        let effect = match &chosen.state {
            Some(state) => match simulator.fault_in(state) {
                Some(fault) => format!("goes wrong, {fault}"),
                None => {
                    let after = simulator.record(state);
                    let changes = table::summary(simulator.signature(), &before, &after);
                    let fired = simulator.happened(&chosen.edges, state);
                    let fired =
                        fired.iter().filter(|it| it.kind != OccurrenceKindRecord::Input).map(table::called);
                    let told: Vec<String> = fired.chain((!changes.is_empty()).then_some(changes)).collect();
                    let changes = told.join("; ");
                    let changes = if changes.is_empty() { "nothing changes".to_owned() } else { changes };
                    match simulator.violation_in(state) {
                        Some(property) => format!("{changes}; then {}", property.decided()),
                        None => changes,
                    }
                }
            },
            None => "asks for values or delays".to_owned(),
        };
        person.say(format!("{:>4}) {}: {effect}", number + 1, simulator.title(&chosen.edges)));
    }
    if moves.len() > most {
        person.say(format!("      and {} more; `a` lists all", moves.len() - most));
    }
}

/// What somebody outside has decided about the next step, in models with inputs.
#[derive(Default)]
struct Next {
    /// The inputs that come, by number, with their values.
    coming: Vec<(usize, Vec<Value>, String)>,
    /// How much time passes before.
    delay: Option<Rat>,
}

impl Next {
    /// The steps that are possible with what was decided.
    fn moves(&self, simulator: &mut Simulator<'_>, person: &Person) -> Vec<Move> {
        let inputs = simulator.inputs();
        if inputs.is_empty() {
            return simulator.moves();
        }
        let mut given = Given { delay: self.delay.clone(), ..Given::default() };
        let started = simulator.steps() > 0;
        for (number, input) in inputs.iter().enumerate().filter(|_| started) {
            let coming = self.coming.iter().find(|(at, ..)| *at == number);
            given.values.insert(input.flag, Value::Bool(coming.is_some()));
            if let Some((_, values, _)) = coming {
                given.values.extend(input.values.iter().map(|(_, var)| *var).zip(values.iter().cloned()));
            }
        }
        let listed = simulator.moves_given(&given);
        if !listed.all && !simulator.stopped() {
            person.say(
                "there are too many executions to try them all; more steps may be possible than are listed",
            );
        }
        listed.moves
    }
    /// Lists what can come in.
    fn offer(&self, simulator: &Simulator<'_>, person: &Person) {
        let inputs = simulator.inputs();
        if inputs.is_empty() || simulator.steps() == 0 {
            return;
        }
        let form = |input: &lang::Input| match input.values.is_empty() {
            true => input.name.clone(),
            false => {
                let names: Vec<&str> = input.values.iter().map(|(name, _)| name.as_str()).collect();
                format!("{}({})", input.name, names.join(", "))
            }
        };
        let forms: Vec<String> = inputs.iter().map(form).collect();
        person.say(format!("events that can come in: {}", forms.join(", ")));
    }
    /// What a line decides, if it is about the next step.
    fn read(&mut self, simulator: &Simulator<'_>, line: &str) -> Option<Result<(), String>> {
        let inputs = simulator.inputs();
        if inputs.is_empty() || simulator.steps() == 0 {
            return None;
        }
        let text = line.strip_prefix("raise ").unwrap_or(line).trim();
        let (name, rest) = text.split_once('(').map_or((text, ""), |(name, rest)| (name.trim(), rest));
        let Some(number) = inputs.iter().position(|input| input.name == name) else {
            let delay = line.strip_prefix("delay ").or_else(|| line.strip_prefix("d "))?;
            let time = delay.trim().trim_end_matches("ms").trim_end();
            return Some(match amount(time) {
                Some(amount) => {
                    self.delay = Some(amount);
                    Ok(())
                }
                None => Err(format!(
                    "`{}` is no amount of time; write milliseconds, such as `d 500`",
                    delay.trim()
                )),
            });
        };
        let input = &inputs[number];
        let texts =
            rest.trim_end().trim_end_matches(')').split(',').map(str::trim).filter(|text| !text.is_empty());
        let texts: Vec<&str> = texts.collect();
        let known = self.coming.iter().position(|(at, ..)| *at == number);
        if let Some(known) = known {
            self.coming.remove(known);
            if texts.is_empty() {
                return Some(Ok(()));
            }
        }
        if texts.len() != input.values.len() {
            let names: Vec<&str> = input.values.iter().map(|(name, _)| name.as_str()).collect();
            return Some(Err(format!(
                "`{name}` comes with values for ({}); write `{name}(…)`",
                names.join(", ")
            )));
        }
        let mut values = vec![];
        for (text, (what, var)) in texts.iter().zip(&input.values) {
            match read_value(simulator.system(), *var, text) {
                Some(value) => values.push(value),
                None => return Some(Err(format!("`{text}` is no value of {what}"))),
            }
        }
        self.coming.push((number, values, text.to_owned()));
        Some(Ok(()))
    }
    /// What was decided, in words.
    fn told(&self) -> String {
        let events: Vec<&str> = self.coming.iter().map(|(.., text)| text.as_str()).collect();
        let events = if events.is_empty() { "nothing comes in".to_owned() } else { events.join(", ") };
        match &self.delay {
            Some(delay) => format!("next: after {delay} ms, {events}"),
            None => format!("next: {events}"),
        }
    }
}

/// A value as a person writes it.
fn read_value(system: &System, var: VarId, text: &str) -> Option<Value> {
    let datum = match text {
        "true" => Datum::Bool(true),
        "false" => Datum::Bool(false),
        text => Datum::Text(text.to_owned()),
    };
    datum.value(system.types(), system.terms.var_type(var)).filter(|value| system.admits(var, value))
}

/// Where the processes are.
fn place(simulator: &Simulator<'_>) -> String {
    lift::locations(simulator.system(), &simulator.state().locations).join(", ")
}

/// An amount of time.
fn amount(text: &str) -> Option<ir::Rat> {
    text.parse::<ir::Rat>().ok().filter(|amount| !amount.is_negative())
}

/// The lines of stdin as they come.
fn lines() -> Receiver<String> {
    let (send, lines) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

struct Person {
    console: Console,
    json: bool,
    terminal: bool,
    lines: Receiver<String>,
    stop: Arc<Stop>,
    /// Whether there is nobody to answer any more.
    gone: Cell<bool>,
}

impl Person {
    /// On stdout, unless that is for JSON.
    fn say(&self, text: impl std::fmt::Display) {
        if self.json { self.console.note(text) } else { self.console.line(text) }
    }
    /// The answer to a question within a step; `None` also if it is to quit, unless `is_value`.
    fn answer(&self, prompt: &str, is_value: impl Fn(&str) -> bool) -> Option<String> {
        let line = self.ask(prompt)?;
        let quits = matches!(line.as_str(), "q" | "quit" | "exit") && !is_value(&line);
        self.gone.set(quits);
        (!quits).then_some(line)
    }
    /// The next line; `None` at the end, and when somebody asks to stop.
    fn ask(&self, prompt: &str) -> Option<String> {
        if self.gone.get() {
            return None;
        }
        if self.terminal && !self.json {
            self.console.print(prompt);
        } else if prompt != "> " {
            self.say(prompt.trim_end());
        }
        while !self.stop.requested() {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => return Some(line.trim().to_owned()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.gone.set(true);
                    return None;
                }
            }
        }
        if self.terminal {
            // The cursor stands behind what was typed.
            self.say("");
        }
        None
    }
    fn value(&self, system: &System, var: VarId) -> Option<Value> {
        let (types, ty) = (system.types(), system.terms.var_type(var));
        let default = types.default_value(ty);
        let hint = match ty {
            Type::Bool => "true or false".to_owned(),
            Type::Enum(id) => types.enum_type(id).literals.join(", "),
            _ => TypeRecord::new(types, ty).to_string(),
        };
        let shown = Datum::new(types, &default);
        let value = |line: &str| read_value(system, var, line);
        loop {
            let name = &system.vars[var].name;
            let prompt = format!("value of {name} ({hint}) [{shown}]: ");
            let line = self.answer(&prompt, |line| value(line).is_some())?;
            if line.is_empty() {
                return Some(default);
            }
            match value(&line) {
                Some(value) => return Some(value),
                None => self.say(format!(
                    "`{line}` is no value of {name}; an empty line takes {shown}, and `q` quits"
                )),
            }
        }
    }
}

impl Chooser for Person {
    fn choose(&mut self, system: &System, _: &State, _: Stmt, question: &Need) -> Option<Decision> {
        match question {
            Need::Value(var) => self.value(system, *var).map(|value| Decision::Value(Some(value))),
            Need::Branch(count) => loop {
                let line = self.answer(&format!("branch (1 to {count}) [1]: "), |_| false)?;
                let number = if line.is_empty() { Some(1) } else { line.parse::<u32>().ok() };
                match number.filter(|number| (1..=*count).contains(number)) {
                    Some(number) => return Some(Decision::Branch(number - 1)),
                    None => self.say(format!("`{line}` is not between 1 and {count}")),
                }
            },
            Need::Delay => loop {
                let line = self.answer("delay (such as 2, 1/2 or 0.5) [0]: ", |_| false)?;
                let text = if line.is_empty() { "0" } else { &line };
                match amount(text) {
                    Some(amount) => return Some(Decision::Delay(amount)),
                    None => self.say(format!("`{line}` is no amount of time")),
                }
            },
        }
    }
}
