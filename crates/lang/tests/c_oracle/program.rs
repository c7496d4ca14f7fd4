//! Random programs: conversions, widths, shifts, precedence, short circuits, loops, arrays, structures, pointers, gotos.
//!
//! A program has no input and always ends. Names begin with a prefix, so that several fit into one file.

use std::fmt::Write as _;

/// A program: a head that is always the same for its number, and statements of `main`.
#[derive(Clone, Debug)]
pub struct Program {
    pub prefix: String,
    globals: Vec<(&'static str, String, String)>,
    functions: Vec<String>,
    statements: Vec<String>,
}

/// The types of variables, each with what begins a name of that type.
const TYPES: [(&str, &str); 12] = [
    ("_Bool", "b"),
    ("char", "c"),
    ("signed char", "sc"),
    ("unsigned char", "uc"),
    ("short", "h"),
    ("unsigned short", "uh"),
    ("int", "i"),
    ("unsigned int", "u"),
    ("long", "l"),
    ("unsigned long", "ul"),
    ("long long", "ll"),
    ("unsigned long long", "ull"),
];

/// Numbers that are interesting at some width.
const NUMBERS: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "8",
    "15",
    "31",
    "32",
    "63",
    "127",
    "128",
    "129",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "10u",
    "1l",
    "3ul",
    "0xffu",
    "100ll",
    "9223372036854775807",
    "0xffffffffffffffff",
];

/// Dice that fall the same way each time (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % sides as u64) as usize
    }
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

struct Writer {
    dice: Dice,
    /// How many loops and labels there are so far.
    fresh: usize,
    /// The functions that may be called, by the number of their parameters.
    callable: Vec<(String, usize)>,
    /// Loop counters that may be read.
    counters: Vec<String>,
}

const ARRAYS: [(&str, &str, usize); 3] =
    [("@ca", "char", 3), ("@ia", "int", 4), ("@ua", "unsigned short", 2)];

impl Program {
    pub fn random(seed: u64, number: u64) -> Program {
        let mixed =
            (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95)) | 1;
        let mut writer = Writer { dice: Dice(mixed), fresh: 0, callable: vec![], counters: vec![] };
        for _ in 0..10 {
            writer.dice.roll(2);
        }
        let mut globals = vec![];
        for (ty, name) in TYPES {
            let value = format!("{}{}", writer.dice.pick(&["", "-"]), writer.dice.pick(&NUMBERS));
            globals.push((ty, format!("@{name}"), value));
            let value = writer.dice.pick(&NUMBERS).to_owned();
            globals.push((ty, format!("@{name}2"), value));
        }
        let functions = (0..3).map(|number| writer.function(number)).collect();
        let count = 3 + writer.dice.roll(10);
        let statements = (0..count).map(|_| writer.statement(3)).collect();
        Program { prefix: format!("p{number}_"), globals, functions, statements }
    }
    /// The text, where names begin so.
    pub fn text(&self, prefix: &str) -> String {
        let mut text = String::from(
            "struct @pair { int x; unsigned char y; };\n\
             struct @rec { short a; struct @pair p; int v[3]; };\n",
        );
        for (ty, name, value) in &self.globals {
            let _ = writeln!(text, "{ty} {name} = {value};");
        }
        text += "char @ca[3] = {1, -2, 'x'};\nint @ia[4] = {5, [2] = -7};\nunsigned short @ua[2];\n\
                 int @m[2][3] = {{1, 2, 3}, {4, 5}};\nstruct @rec @s = {3, {4, 5}, {6, 7}}, @t = {.p.y = 255};\n\
                 struct @pair @sa[3] = {{1, 2}, {.y = 9}};\nint *@gp = &@ia[1];\n";
        for function in &self.functions {
            text += function;
        }
        text += "int @main(void) {\nint *p = &@i, *q = @ia;\nstruct @pair *r = &@s.p;\nunsigned short *w = @ua;\n";
        for statement in &self.statements {
            text += statement;
            text.push('\n');
        }
        text += "return 0;\n}\n";
        text.replace('@', prefix)
    }
    /// Statements that print all variables, by name and value.
    pub fn printing(&self) -> String {
        let mut text = String::new();
        let mut show = |name: &str, plain: &str| {
            let _ = writeln!(
                text,
                "if (({name}) < 0) printf(\"{plain}=%lld\\n\", (long long)({name})); \
                 else printf(\"{plain}=%llu\\n\", (unsigned long long)({name}));"
            );
        };
        for (_, name, _) in &self.globals {
            show(name, &name.replace('@', ""));
        }
        for (name, _, length) in ARRAYS {
            for at in 0..length {
                show(&format!("{name}[{at}]"), &format!("{}[{at}]", name.replace('@', "")));
            }
        }
        for at in 0..6 {
            show(&format!("@m[{}][{}]", at / 3, at % 3), &format!("m[{at}]"));
        }
        for record in ["s", "t"] {
            for field in ["a", "p.x", "p.y", "v[0]", "v[1]", "v[2]"] {
                show(&format!("@{record}.{field}"), &format!("{record}.{field}"));
            }
        }
        for at in 0..3 {
            show(&format!("@sa[{at}].x"), &format!("sa[{at}].x"));
            show(&format!("@sa[{at}].y"), &format!("sa[{at}].y"));
        }
        text.replace('@', &self.prefix)
    }
    /// The same program without one of its statements.
    pub fn smaller(&self) -> Vec<Program> {
        (0..self.statements.len())
            .map(|at| {
                let mut smaller = self.clone();
                smaller.statements.remove(at);
                smaller
            })
            .collect()
    }
}

impl Writer {
    fn fresh(&mut self, name: &str) -> String {
        self.fresh += 1;
        format!("{name}{}", self.fresh)
    }
    fn function(&mut self, number: usize) -> String {
        let (result, _) = TYPES[self.dice.roll(TYPES.len())];
        let count = self.dice.roll(3);
        let params: Vec<String> =
            (0..count).map(|at| format!("{} a{at}", TYPES[self.dice.roll(TYPES.len())].0)).collect();
        let names: Vec<String> = (0..count).map(|at| format!("a{at}")).collect();
        let list = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let outer = std::mem::replace(&mut self.counters, names);
        let value = self.expr(2);
        let condition = self.expr(2);
        let other = self.expr(1);
        let target = self.target();
        self.counters = outer;
        let name = format!("@f{number}");
        let text = format!(
            "{result} {name}({list}) {{ static int calls; calls++; if ({condition}) {{ {target} = calls; return {other}; }} \
             return {value}; }}\n"
        );
        self.callable.push((name, count));
        text
    }
    fn scalar(&mut self) -> String {
        let (_, name) = TYPES[self.dice.roll(TYPES.len())];
        format!("@{name}{}", self.dice.pick(&["", "2"]))
    }
    /// Something that can be assigned to, without effects.
    fn target(&mut self) -> String {
        match self.dice.roll(9) {
            0 => {
                let (name, _, length) = ARRAYS[self.dice.roll(ARRAYS.len())];
                format!("{name}[{}]", self.dice.roll(length))
            }
            1 => {
                let (name, _, length) = ARRAYS[self.dice.roll(ARRAYS.len())];
                format!("{name}[(unsigned){} % {length}]", self.leaf())
            }
            2 => format!("@m[{}][{}]", self.dice.roll(2), self.dice.roll(3)),
            3 => {
                let record = self.dice.pick(&["@s", "@t"]);
                format!("{record}.{}", self.dice.pick(&["a", "p.x", "p.y", "v[0]", "v[2]"]))
            }
            4 => format!("@sa[{}].{}", self.dice.roll(3), self.dice.pick(&["x", "y"])),
            _ => self.scalar(),
        }
    }
    fn leaf(&mut self) -> String {
        match self.dice.roll(8) {
            0 | 1 => self.dice.pick(&NUMBERS).to_owned(),
            2 => self.target(),
            3 if !self.counters.is_empty() => self.counters[self.dice.roll(self.counters.len())].clone(),
            4 => self
                .dice
                .pick(&["'a'", "'\\xff'", "'\\0'", "sizeof(int)", "sizeof @s", "sizeof @ia", "sizeof(long)"])
                .to_owned(),
            _ => self.scalar(),
        }
    }
    /// An expression without effects.
    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let part = |writer: &mut Self| writer.expr(depth - 1);
        match self.dice.roll(16) {
            0 => self.leaf(),
            1 => format!("({}){}", TYPES[self.dice.roll(TYPES.len())].0, self.leaf()),
            2 => format!("({})({})", TYPES[self.dice.roll(TYPES.len())].0, part(self)),
            3 => format!("{}({})", self.dice.pick(&["-", "~", "!", "+", "- -", "!!"]), part(self)),
            4 => {
                let (a, b) = (part(self), part(self));
                format!("({a}) {} ({b})", self.dice.pick(&["/", "%"])).replace("(0)", "(3)")
            }
            5 => {
                let (a, b) = (part(self), part(self));
                format!("({a}) {} ({b} | 1)", self.dice.pick(&["/", "%"]))
            }
            6 | 7 => {
                let (a, by) = (part(self), self.leaf());
                format!(
                    "({a}) {} ({by} & {})",
                    self.dice.pick(&["<<", ">>"]),
                    self.dice.pick(&["7", "15", "31"])
                )
            }
            8 => {
                let (a, b) = (part(self), part(self));
                format!("({a}) {} ({b})", self.dice.pick(&["&&", "||"]))
            }
            9 => {
                let (a, b, c) = (part(self), part(self), part(self));
                format!("({a} ? {b} : {c})")
            }
            10 => {
                // Precedence is the parser's: no brackets.
                let [a, b, c] = [self.leaf(), self.leaf(), self.leaf()];
                let ops = ["+", "-", "*", "&", "|", "^", "<", ">", "<=", "==", "!=", "&&", "||"];
                format!("({a} {} {b} {} {c})", self.dice.pick(&ops), self.dice.pick(&ops))
            }
            11 => {
                let (a, b) = (part(self), part(self));
                format!("({a}, {b})")
            }
            _ => {
                let (a, b) = (part(self), part(self));
                let ops = ["+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="];
                format!("({a}) {} ({b})", self.dice.pick(&ops))
            }
        }
    }
    fn call(&mut self) -> Option<String> {
        if self.callable.is_empty() {
            return None;
        }
        let (name, count) = self.callable[self.dice.roll(self.callable.len())].clone();
        let arguments: Vec<String> = (0..count).map(|_| self.expr(1)).collect();
        Some(format!("{name}({})", arguments.join(", ")))
    }
    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.dice.roll(3);
        let list: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        format!("{{ {} }}", list.join(" "))
    }
    fn statement(&mut self, depth: usize) -> String {
        let simple = if depth == 0 { 12 } else { 24 };
        match self.dice.roll(simple) {
            0..=3 => {
                let (target, value) = (self.target(), self.expr(3));
                format!("{target} = {value};")
            }
            4 => {
                let (target, value) = (self.target(), self.expr(2));
                format!("{target} {} {value};", self.dice.pick(&["+=", "-=", "*=", "&=", "|=", "^="]))
            }
            5 => {
                let (target, by) = (self.target(), self.leaf());
                format!("{target} {} ({by} & 7);", self.dice.pick(&["<<=", ">>="]))
            }
            6 => {
                let target = self.target();
                match self.dice.roll(4) {
                    0 => format!("{target}++;"),
                    1 => format!("--{target};"),
                    2 => format!("@ull2 = {target}-- + 3;").replace("@ull2--", "@i--"),
                    _ => format!("@ll2 = ++{target};").replace("++@ll2", "++@i"),
                }
            }
            7 => match self.call() {
                Some(call) => format!("{} = {call};", self.scalar()),
                None => ";".to_owned(),
            },
            8 => self.pointers(),
            9 => match self.dice.roll(4) {
                0 => "@s = @t;".to_owned(),
                1 => "@t.p = @sa[1];".to_owned(),
                2 => format!("@sa[{}] = @s.p;", self.dice.roll(3)),
                _ => "@sa[2] = @sa[0];".to_owned(),
            },
            10 => {
                let (a, b) = (self.expr(1), self.dice.pick(&NUMBERS));
                format!("if (@i++ < 5 && (@u = {a}) != {b}) {}", self.statement(0))
            }
            11 => {
                let (a, b) = (self.expr(1), self.expr(1));
                format!("@l2 = ({a}) || (@i2 = {b}, @i2 > 3);")
            }
            12 | 13 => {
                let condition = self.expr(2);
                format!("if ({condition}) {}", self.block(depth - 1))
            }
            14 => {
                let condition = self.expr(2);
                format!("if ({condition}) {} else {}", self.block(depth - 1), self.block(depth - 1))
            }
            15 | 16 => {
                let (name, last) = (self.fresh("n"), 1 + self.dice.roll(4));
                self.counters.push(name.clone());
                let (body, exit) = (self.block(depth - 1), self.expr(1));
                self.counters.pop();
                let exit = match self.dice.roll(3) {
                    0 => format!("if ({exit}) break;"),
                    1 => format!("if ({exit}) continue;"),
                    _ => String::new(),
                };
                format!("for (int {name} = 0; {name} < {last}; {name}++) {{ {exit} {body} }}")
            }
            17 => {
                let name = self.fresh("n");
                let body = self.block(depth - 1);
                format!("{{ unsigned char {name} = 3; while ({name}-- > 0) {body} }}")
            }
            18 => {
                let name = self.fresh("n");
                let (body, condition) = (self.block(depth - 1), self.expr(1));
                format!("{{ int {name} = 0; do {body} while (++{name} < 3 && ({condition})); }}")
            }
            19 | 20 => {
                let value = self.expr(2);
                let mut text = format!("switch ({value}) {{ ");
                for case in
                    ["case 0:", "case 1 + 1:", "case -1:", "case 'a' ... 'f':", "case 255:", "default:"]
                {
                    if self.dice.roll(3) > 0 {
                        text += case;
                        text += &format!(" {} ", self.statement(depth - 1));
                        text += self.dice.pick(&["break; ", ""]);
                    }
                }
                text + "}"
            }
            21 => {
                let (label, condition) = (self.fresh("skip"), self.expr(1));
                let body = self.block(depth - 1);
                format!("if ({condition}) goto {label}; {body} {label}: ;")
            }
            22 => {
                let (label, name) = (self.fresh("again"), self.fresh("n"));
                let body = self.block(depth - 1);
                format!("{{ short {name} = 0; {label}: {body} if (++{name} < 3) goto {label}; }}")
            }
            _ => {
                let (ty, _) = TYPES[self.dice.roll(TYPES.len())];
                let (name, value) = (self.fresh("x"), self.expr(2));
                self.counters.push(name.clone());
                let body = self.block(depth - 1);
                self.counters.pop();
                format!("{{ {ty} {name} = {value}; {body} }}")
            }
        }
    }
    /// Pointers that mostly point somewhere.
    fn pointers(&mut self) -> String {
        let value = self.expr(1);
        match self.dice.roll(16) {
            0 => "p = &@i2;".to_owned(),
            1 => format!("p = &@ia[{}];", self.dice.roll(4)),
            2 => format!("*p = {value};"),
            3 => "@i2 = *p;".to_owned(),
            4 => format!("q = @ia + {};", self.dice.roll(4)),
            5 => format!("*q = {value}; if (q < @ia + 3) q++; else q = @ia;"),
            6 => "@l = q - @ia;".to_owned(),
            7 => format!("r = &@sa[{}];", self.dice.roll(3)),
            8 => format!("r->x = {value}; r->y += 3;"),
            9 => "r = &@t.p; @u2 = r->y;".to_owned(),
            10 => "@b = p == q; @b2 = p && r;".to_owned(),
            11 => format!("w = @ua + {}; *w = {value};", self.dice.roll(2)),
            12 => "@ll = (*r).x + q[0];".to_owned(),
            13 => "@gp = &@m[1][0]; @gp[1] = *@gp + 1; @gp = @s.v; *@gp++ += 2;".to_owned(),
            14 => "if (p == &@i) p = 0; if (p) *p += 1; p = &@i;".to_owned(),
            _ => "p = q; q = &@ia[2];".to_owned(),
        }
    }
}
