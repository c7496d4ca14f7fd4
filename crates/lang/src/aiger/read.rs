//! From an AIGER file, ASCII or binary, to a circuit.
//!
//! Version 1.9: a literal is twice the number of a variable, plus one for its negation; 0 is false and 1 is true. Of a
//! binary file, each byte is a character of the text.

use ir::Span;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// A literal.
pub(crate) type Literal = u32;

/// A circuit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circuit {
    /// The literals of inputs.
    pub(crate) inputs: Vec<Literal>,
    pub(crate) latches: Vec<Latch>,
    pub(crate) outputs: Vec<Literal>,
    pub(crate) bad: Vec<Literal>,
    pub(crate) constraints: Vec<Literal>,
    /// All of each are to hold again and again.
    pub(crate) justice: Vec<Vec<Literal>>,
    pub(crate) fairness: Vec<Literal>,
    /// Results with their operands, such that operands come first.
    pub(crate) gates: Vec<[Literal; 3]>,
    /// The names of things, by their letter and number.
    pub(crate) names: Vec<(char, usize, String)>,
    /// The greatest number of a variable.
    pub(crate) most: u32,
}

/// A latch.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Latch {
    pub(crate) literal: Literal,
    pub(crate) next: Literal,
    /// What it is at the start; unknown if `None`.
    pub(crate) reset: Option<bool>,
}

/// The most variables of a circuit.
const MOST: u32 = 50_000_000;

/// Something is wrong, which has been reported.
struct Failed;

/// Reads a circuit; usable only if no error is reported.
pub(crate) fn read(text: &str, diagnostics: &mut Diagnostics) -> Circuit {
    let mut reader = Reader { text, at: 0, diagnostics };
    let mut circuit = Circuit::default();
    // What has been reported is enough.
    let _ = reader.file(&mut circuit);
    circuit
}

struct Reader<'a, 'd> {
    text: &'a str,
    at: usize,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Reader<'a, '_> {
    fn fail<T>(&mut self, code: Code, start: usize, message: impl Into<String>) -> Result<T, Failed> {
        let mut end = self.at.max(start);
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.diagnostics.push(Diagnostic::error(code, Span::new(start, end), message));
        Err(Failed)
    }
    /// The next line, without its end.
    fn line(&mut self, what: &str) -> Result<(usize, &'a str), Failed> {
        let (start, rest) = (self.at, &self.text[self.at..]);
        if rest.is_empty() {
            return self.fail(Code::Unclosed, start, format!("the file ends where {what} should follow"));
        }
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        Ok((start, rest[..length].trim_end_matches('\r')))
    }
    /// The numbers of a line.
    fn numbers(
        &mut self,
        what: &str,
        counts: std::ops::RangeInclusive<usize>,
    ) -> Result<(usize, Vec<u32>), Failed> {
        let (start, line) = self.line(what)?;
        let numbers: Option<Vec<u32>> = line.split(' ').map(|word| word.parse().ok()).collect();
        match numbers {
            Some(numbers) if counts.contains(&numbers.len()) => Ok((start, numbers)),
            _ => self.fail(Code::Syntax, start, format!("{what} should be here")),
        }
    }
    fn file(&mut self, circuit: &mut Circuit) -> Result<(), Failed> {
        let (start, header) = self.line("the header")?;
        let mut words = header.split(' ');
        let binary = match words.next() {
            Some("aag") => false,
            Some("aig") => true,
            _ => return self.fail(Code::Syntax, start, "an AIGER file begins with `aag` or `aig`"),
        };
        let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        let Some(numbers) = numbers.filter(|numbers| (5..=9).contains(&numbers.len())) else {
            let message =
                "a header has 5 to 9 numbers: variables, inputs, latches, outputs, gates, and those of 1.9";
            return self.fail(Code::Syntax, start, message);
        };
        let count = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let [most, inputs, latches, outputs, gates] = [0, 1, 2, 3, 4].map(count);
        circuit.most = most;
        let used = u64::from(inputs) + u64::from(latches) + u64::from(gates);
        let exact = !binary || used == u64::from(most);
        // Nothing is made room for that the file is too short to speak of.
        let plausible = most as usize <= self.text.len().saturating_mul(16).saturating_add(1_000);
        if most > MOST || !plausible || used > u64::from(most) || !exact {
            let message =
                "the header says another number of variables than there are inputs, latches and gates";
            return self.fail(Code::WrongCount, start, message);
        }
        for number in 0..inputs {
            let literal = match binary {
                true => 2 * (number + 1),
                false => self.literals("an input", 1..=1, circuit.most)?.1[0],
            };
            circuit.inputs.push(literal);
        }
        for number in 0..latches {
            let own = 2 * (inputs + number + 1);
            let (start, mut list) = match binary {
                true => self.literals("a latch: its next value, and how it starts", 1..=2, most)?,
                false => self.literals("a latch: itself, its next value, and how it starts", 2..=3, most)?,
            };
            if binary {
                list.insert(0, own);
            }
            let reset = match list.get(2) {
                None | Some(0) => Some(false),
                Some(1) => Some(true),
                Some(reset) if *reset == list[0] => None,
                Some(_) => {
                    let message = "a latch starts with 0, 1 or, if that is unknown, with itself";
                    return self.fail(Code::OutOfRange, start, message);
                }
            };
            circuit.latches.push(Latch { literal: list[0], next: list[1], reset });
        }
        for (what, number) in [("an output", outputs), ("a bad state", count(5)), ("a constraint", count(6))]
        {
            for _ in 0..number {
                let literal = self.literals(what, 1..=1, most)?.1[0];
                match what {
                    "an output" => circuit.outputs.push(literal),
                    "a bad state" => circuit.bad.push(literal),
                    _ => circuit.constraints.push(literal),
                }
            }
        }
        let mut sizes = vec![];
        for _ in 0..count(7) {
            sizes.push(self.numbers("the size of a justice property", 1..=1)?.1[0]);
        }
        for size in sizes {
            let mut list = vec![];
            for _ in 0..size {
                list.push(self.literals("a literal of a justice property", 1..=1, most)?.1[0]);
            }
            circuit.justice.push(list);
        }
        for _ in 0..count(8) {
            circuit.fairness.push(self.literals("a fairness constraint", 1..=1, most)?.1[0]);
        }
        for number in 0..gates {
            let gate = match binary {
                true => self.delta(2 * (inputs + latches + number + 1))?,
                false => {
                    let (_, list) = self.literals("a gate: its result and two operands", 3..=3, most)?;
                    [list[0], list[1], list[2]]
                }
            };
            circuit.gates.push(gate);
        }
        self.check(circuit)?;
        self.symbols(circuit)
    }
    fn literals(
        &mut self,
        what: &str,
        counts: std::ops::RangeInclusive<usize>,
        most: u32,
    ) -> Result<(usize, Vec<Literal>), Failed> {
        let (start, list) = self.numbers(what, counts)?;
        if let Some(literal) = list.iter().find(|literal| **literal / 2 > most) {
            let message = format!("{literal} is no literal; there are {most} variables");
            return self.fail(Code::OutOfRange, start, message);
        }
        Ok((start, list))
    }
    /// A gate of a binary file: how much less its operands are.
    fn delta(&mut self, result: Literal) -> Result<[Literal; 3], Failed> {
        let start = self.at;
        let (Some(first), Some(second)) = (self.code(), self.code()) else {
            return self.fail(Code::Unclosed, start, "the file ends within a gate");
        };
        let left = result.checked_sub(first).filter(|_| first > 0);
        match left.and_then(|left| Some([result, left, left.checked_sub(second)?])) {
            Some(gate) => Ok(gate),
            None => self.fail(Code::OutOfRange, start, "the operands of a gate come before it"),
        }
    }
    /// A number of 7 bits per byte, the lowest first.
    fn code(&mut self) -> Option<u32> {
        let mut value: u64 = 0;
        for place in 0..5 {
            let byte = self.text[self.at..].chars().next()?;
            self.at += byte.len_utf8();
            let byte = u32::from(byte);
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return u32::try_from(value).ok();
            }
        }
        None
    }
    /// Checks that every variable is defined once, and puts gates behind their operands.
    fn check(&mut self, circuit: &mut Circuit) -> Result<(), Failed> {
        let mut defined = vec![false; circuit.most as usize + 1];
        defined[0] = true;
        let own = circuit.inputs.iter().copied().chain(circuit.latches.iter().map(|latch| latch.literal));
        let own: Vec<Literal> = own.chain(circuit.gates.iter().map(|gate| gate[0])).collect();
        for literal in &own {
            let variable = *literal as usize / 2;
            if literal % 2 == 1 || std::mem::replace(&mut defined[variable], true) {
                let message =
                    format!("literal {literal} cannot be an input, a latch or a gate, or is one already");
                return self.fail(Code::DuplicateName, 0, message);
            }
        }
        let used = circuit.outputs.iter().chain(&circuit.bad).chain(&circuit.constraints);
        let used = used.chain(circuit.justice.iter().flatten()).chain(&circuit.fairness).copied();
        let used = used.chain(circuit.latches.iter().map(|latch| latch.next));
        let used = used.chain(circuit.gates.iter().flat_map(|gate| [gate[1], gate[2]]));
        if let Some(literal) = used.into_iter().find(|literal| !defined[*literal as usize / 2]) {
            let message = format!("literal {literal} is used, and nothing defines it");
            return self.fail(Code::UnknownName, 0, message);
        }
        self.sort(circuit)
    }
    fn sort(&mut self, circuit: &mut Circuit) -> Result<(), Failed> {
        let mut gate_of = vec![usize::MAX; circuit.most as usize + 1];
        for (at, gate) in circuit.gates.iter().enumerate() {
            gate_of[gate[0] as usize / 2] = at;
        }
        // 0 is new, 1 is on the way, 2 is done.
        let mut state = vec![0_u8; circuit.gates.len()];
        let mut sorted = Vec::with_capacity(circuit.gates.len());
        for first in 0..circuit.gates.len() {
            let mut stack = vec![first];
            while let Some(&at) = stack.last() {
                if state[at] == 2 {
                    stack.pop();
                    continue;
                }
                let gate = circuit.gates[at];
                let operands = [gate[1], gate[2]].map(|literal| gate_of[literal as usize / 2]);
                let open =
                    operands.into_iter().find(|operand| *operand != usize::MAX && state[*operand] != 2);
                match open {
                    Some(operand) if state[operand] == 1 || operand == at => {
                        let message = format!("gate {} depends on itself", circuit.gates[operand][0]);
                        return self.fail(Code::CircularReference, 0, message);
                    }
                    Some(operand) => {
                        state[at] = 1;
                        stack.push(operand);
                    }
                    None => {
                        state[at] = 2;
                        sorted.push(gate);
                        stack.pop();
                    }
                }
            }
        }
        circuit.gates = sorted;
        Ok(())
    }
    fn symbols(&mut self, circuit: &mut Circuit) -> Result<(), Failed> {
        while self.at < self.text.len() {
            let (start, line) = self.line("a symbol")?;
            if line == "c" {
                return Ok(());
            }
            if line.is_empty() && self.at >= self.text.len() {
                return Ok(());
            }
            let mut parts = line.splitn(2, ' ');
            let (what, name) = (parts.next().unwrap_or(""), parts.next());
            let mut letters = what.chars();
            let kind = letters.next().filter(|kind| "ilobcjf".contains(*kind));
            let number = letters.as_str().parse().ok();
            let (Some(kind), Some(number), Some(name)) = (kind, number, name) else {
                let message = "a symbol such as `i0 name` or the comment, `c`, should be here";
                return self.fail(Code::Syntax, start, message);
            };
            circuit.names.push((kind, number, name.to_owned()));
        }
        Ok(())
    }
}
