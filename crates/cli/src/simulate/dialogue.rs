//! Simulation by hand: commands from a terminal or a pipe.

use std::io::{self, BufRead, IsTerminal};

use ir::interp::Question;
use ir::{Decision, State, Stmt, System, Type, Value, VarId};

use super::chance::{self, Chance, Stepped};
use super::{Chooser, Move, Simulator, heading, place};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::trace::datum::{Datum, type_name};
use crate::trace::{lift, table};

const HELP: &str = "\
NUMBER  take that step        r  take a random step     b  go one step back
s       show the whole state  a  list all steps         t  show all steps so far
h       show this help        q  quit";

/// The most steps listed unless all are asked for.
const LISTED: usize = 20;

/// Reads commands until the end.
pub(super) fn talk(
    simulator: &mut Simulator,
    started: bool,
    json: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut person = Person { console: *console, json, terminal: io::stdin().is_terminal() };
    let mut chance = Chance::new(0);
    if !started {
        simulator.start(&mut person)?;
        person.say(simulator.last_step().trim_end());
    }
    let mut moves = simulator.moves();
    list(simulator, &moves, LISTED, &person);
    while let Some(line) = person.ask("> ") {
        let stepped = match line.as_str() {
            "" => false,
            "q" | "quit" | "exit" => break,
            "h" | "help" | "?" => {
                person.say(HELP);
                false
            }
            "s" => {
                let state = lift::state(&simulator.system, simulator.state());
                person.say(format!("at {}", place(simulator)));
                person.say(table::values(&simulator.signature, &state).trim_end());
                false
            }
            "a" => {
                list(simulator, &moves, usize::MAX, &person);
                false
            }
            "t" => {
                person.say(table::render(&simulator.trace(), false).trim_end());
                false
            }
            "b" | "back" => {
                let back = simulator.back();
                if !back {
                    person.say("this is the initial state; there is no step to undo");
                }
                back
            }
            "r" | "random" => match chance::step(simulator, &mut chance) {
                Stepped::Yes => true,
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
                    if !taken {
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
            moves = simulator.moves();
            list(simulator, &moves, LISTED, &person);
        }
    }
    Ok(Exit::Holds)
}

fn list(simulator: &Simulator, moves: &[Move], most: usize, person: &Person) {
    if let Some(fault) = simulator.fault() {
        person.say(format!("the model goes wrong: {fault}; `b` goes back"));
        return;
    }
    if moves.is_empty() {
        person.say("deadlock: no step is possible; `b` goes back");
        return;
    }
    person.say(format!("at {}; possible steps:", place(simulator)));
    let before = lift::state(&simulator.system, simulator.state());
    for (number, chosen) in moves.iter().enumerate().take(most) {
        let effect = match &chosen.state {
            Some(state) => {
                let after = lift::state(&simulator.system, state);
                table::summary(&simulator.signature, &before, &after)
            }
            None => "asks for values or delays".to_owned(),
        };
        let effect = if effect.is_empty() { "nothing changes".to_owned() } else { effect };
        person.say(format!("{:>4}) {}: {effect}", number + 1, heading(simulator, &chosen.edges)));
    }
    if moves.len() > most {
        person.say(format!("      and {} more; `a` lists all", moves.len() - most));
    }
}

struct Person {
    console: Console,
    json: bool,
    terminal: bool,
}

impl Person {
    /// On stdout, unless that is for JSON.
    fn say(&self, text: impl std::fmt::Display) {
        if self.json { self.console.note(text) } else { self.console.line(text) }
    }
    fn ask(&self, prompt: &str) -> Option<String> {
        if self.terminal && !self.json {
            self.console.print(prompt);
        } else if prompt != "> " {
            self.say(prompt.trim_end());
        }
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim().to_owned()),
        }
    }
    fn value(&self, system: &System, var: VarId) -> Option<Value> {
        let (types, ty) = (system.types(), system.terms.var_type(var));
        let default = types.default_value(ty);
        let hint = match ty {
            Type::Bool => "true or false".to_owned(),
            Type::Enum(id) => types.enum_type(id).literals.join(", "),
            _ => type_name(types, ty),
        };
        let shown = Datum::new(types, &default);
        loop {
            let name = &system.vars[var].name;
            let line = self.ask(&format!("value of {name} ({hint}) [{shown}]: "))?;
            if line.is_empty() {
                return Some(default);
            }
            let datum = match line.as_str() {
                "true" => Datum::Bool(true),
                "false" => Datum::Bool(false),
                text => Datum::Text(text.to_owned()),
            };
            match datum.value(types, ty).filter(|value| system.admits(var, value)) {
                Some(value) => return Some(value),
                None => self.say(format!("`{line}` is no value of {name}; an empty line takes {shown}")),
            }
        }
    }
}

impl Chooser for Person {
    fn choose(&mut self, system: &System, _: &State, _: Stmt, question: &Question) -> Option<Decision> {
        match question {
            Question::Value(var) => self.value(system, *var).map(|value| Decision::Value(Some(value))),
            Question::Branch(count) => loop {
                let line = self.ask(&format!("branch (1 to {count}) [1]: "))?;
                let number = if line.is_empty() { Some(1) } else { line.parse::<u32>().ok() };
                match number.filter(|number| (1..=*count).contains(number)) {
                    Some(number) => return Some(Decision::Branch(number - 1)),
                    None => self.say(format!("`{line}` is not between 1 and {count}")),
                }
            },
            Question::Delay => loop {
                let line = self.ask("delay (such as 2, 1/2 or 0.5) [0]: ")?;
                let text = if line.is_empty() { "0" } else { &line };
                match text.parse::<ir::Rat>().ok().filter(|amount| !amount.is_negative()) {
                    Some(amount) => return Some(Decision::Delay(amount)),
                    None => self.say(format!("`{line}` is no amount of time")),
                }
            },
        }
    }
}
