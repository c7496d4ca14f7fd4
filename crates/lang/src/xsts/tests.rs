//! What is accepted, what is refused and how, and what models become.

use std::fmt::Write;

use insta::assert_snapshot;

use super::*;
use crate::diagnostic::LIMIT;

/// `line:column: message` with notes, one per line.
fn rendered(source: &str, diagnostics: &[Diagnostic]) -> String {
    let place = |span: Span| {
        let before = &source[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{line}:{column}")
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}: {}", place(diagnostic.span), diagnostic.message);
        for note in &diagnostic.notes {
            let _ = writeln!(out, "    {}: {}", note.span.map_or_else(String::new, place), note.message);
        }
    }
    out
}
/// The errors of a model.
fn errors(source: &str) -> String {
    match load(source) {
        Ok(_) => "no errors".to_owned(),
        Err(diagnostics) => rendered(source, &diagnostics),
    }
}
/// The errors of a model whose `trans` section has one branch with `body`.
fn body_errors(body: &str) -> String {
    errors(&format!(
        "type Color : {{ Red, Green }} type Light : {{ Red, Off }}
var b : boolean var n : integer var r : rational var color : Color var light : Light
var cells : [integer] -> integer var marks : [Color] -> boolean var grid : [integer] -> [integer] -> boolean
var c : clock var d : clock
trans {{
{body} }}"
    ))
}
/// That a branch is accepted.
fn accepts(body: &str) {
    assert_eq!(body_errors(body), "no errors", "{body}");
}
/// The errors of a property over two variables.
fn property_errors(text: &str) -> String {
    let mut model = load("type T : { A, B } var x : integer var t : T var c : clock trans {}").unwrap();
    match model.parse_property("p", text) {
        Ok(_) => "no errors".to_owned(),
        Err(diagnostics) => rendered(text, &diagnostics),
    }
}
/// An expression with all its parentheses left to the printer.
fn normal(expr: &str) -> String {
    let (model, errors) = parse(&format!("prop {{ {expr} }}"));
    assert_eq!(errors, [], "{expr}");
    print(&model).trim_start_matches("prop {").trim_end().trim_end_matches('}').trim().to_owned()
}
/// That two expressions have the same structure.
fn same(a: &str, b: &str) {
    let (a_model, b_model) = (parse(&format!("prop {{ {a} }}")).0, parse(&format!("prop {{ {b} }}")).0);
    assert!(a_model == b_model, "{a} is not {b}");
    assert_eq!(normal(b), a);
}

#[test]
fn precedence_is_as_documented() {
    same("!a == b", "!(a == b)");
    same("!a < b && c", "(!(a < b)) && c");
    same("a iff b => c || d xor e && f", "a iff (b => (c || (d xor (e && f))))");
    same("a => b => c", "a -> b -> c");
    same("a == b < c + d * -e[1]", "a == (b < (c + (d * (-(e[1])))))");
    same("(a == b) == c", "(a == b) == c");
    same("-(-a)[1]", "-((-a)[1])");
    same("if a then b else c iff d", "if (a) then (b) else (c iff d)");
    same("(if a then b else c) && d", "(if a then b else c) && d");
    same("a - b - c + (d - e)", "a - b - c + (d - e)");
    same("a[1 <- 2][b < -c]", "a[1<-2][(b<-c)]");
    same("a < -5", "a<-5");
    same("[0 <- 1, <integer> default <- 2][3]", "[0<-1,<integer>default<-2][3]");
}

#[test]
fn old_and_new_spelling_are_accepted() {
    assert_eq!(
        errors("tran { x := 1 havoc x assume x > 0 } var x : integer; init { } env { } prop { x > 0 }"),
        "no errors"
    );
    accepts("local var tran : integer = 1; tran := 2; local var ort : integer; ort := tran;");
    accepts("ort { n := 1; } { n := 2; }");
    accepts("if (b) if (b) n := 1; else n := 2;");
    accepts("choice choice { } or { } for i from 0 to 3 do n := i;");
    assert_eq!(errors("\u{feff}trans {}\r\n// end"), "no errors");
}

#[test]
fn print_has_one_layout() {
    let source = "trans if(a) {if (b) {} } else choice {x:=1 y[2]:=3} or {} or choice {} or __delay
        prop{a->b} ctrl var x:[integer]->T=[default<-1];type T:{A,B}; env {} or { local var k : boolean havoc k }
        init for i from 0 to 2 do ort {} {}";
    assert_snapshot!(print(&parse(source).0), @"
    type T : { A, B }
    ctrl var x : [integer] -> T = [default <- 1]

    trans if (a) {
        if (b) {}
    } else choice {
        x := 1;
        y[2] := 3;
    } or {} or choice {} or __delay;

    init for i from 0 to 2 do ort {} {}

    env {} or {
        local var k : boolean;
        havoc k;
    }

    prop {
        a => b
    }
    ");
}

#[test]
fn braces_keep_what_no_text_has() {
    use ast::*;
    let mut model = Model::default();
    let span = Span::default();
    let condition = model.exprs.push(Expr { kind: ExprKind::Bool(true), span });
    let empty = model.stmts.push(Stmt { kind: StmtKind::Block(Box::new([])), span });
    let inner = model.stmts.push(Stmt { kind: StmtKind::If(condition, empty, None), span });
    let outer = model.stmts.push(Stmt { kind: StmtKind::If(condition, inner, Some(empty)), span });
    let choice = model.stmts.push(Stmt { kind: StmtKind::Choice(Box::new([empty])), span });
    model.trans = Some(Section { span, branches: vec![choice, outer] });
    assert_snapshot!(print(&model), @"
    trans {
        choice {}
    } or if (true) {
        if (true) {}
    } else {}
    ");
}

#[test]
fn syntax_errors_are_all_found() {
    assert_snapshot!(errors("var x : ; var : integer\ntrans { x = 1; y := ; assume x === 1; } else { }\ninit { x := (1; } env { }"), @"
    1:9: expected a type, found `;`
    1:15: expected the name of a variable, found `:`
    2:11: an assignment is written `x := …`
    2:21: expected an expression, found `;`
    2:34: expected an expression, found `=`
    2:41: expected a declaration or a section (`type`, `var`, `trans`, `init`, `env`, `prop` or `ltl`), found `else`
    3:15: expected an operator or `)`, found `;`
        3:13: opened here
    ");
    assert_snapshot!(errors("var x : integer\ntrans {\n  { x := 1;\ninit {}"), @"
    4:1: expected a statement or `}`, found `init`
        3:3: this block is not closed
    ");
    assert_snapshot!(errors("trans { ; } trans {} env { x := a < b < c; y := 1 == 2 == 3; }"), @"
    1:9: there is no statement before this `;`; remove it
    1:13: there are two `trans` sections; join them into one
        1:1: the first one is here
    1:39: comparisons cannot be chained; write `a < b && b < c` or use parentheses
    1:56: comparisons cannot be chained; write `a < b && b < c` or use parentheses
    ");
    assert_snapshot!(errors("var to : integer trans { var x : integer; b := a == !c; b := a && if a then b else c; }"), @"
    1:5: `to` is a reserved word and cannot be the name of a variable; choose another name
    1:26: a variable inside a block is declared by `local var`
    1:53: `!…` binds less tightly than the operator before it; put it in parentheses
    1:67: `if … then … else …` binds less tightly than the operator before it; put it in parentheses
    ");
    assert_snapshot!(errors("var a : [integer] -> integer = [0 <- 1] trans { a[0 := 1; a[1 <- 2] := 3; assume a[; } prop { a[0] == 1; }"), @"
    1:39: expected `,`, found `]`; an array literal ends with `, default <- value`
    1:53: expected an operator or `]`, found `:=`
        1:50: opened here
    1:63: expected an operator or `]`, found `<-`
        1:60: opened here
    1:84: expected an expression, found `;`
    1:104: a property is an expression, not a statement; remove this `;`
    ");
    assert_snapshot!(errors("var x : integer := 1; trans { x := 1; /* never"), @"
    1:17: an initial value is written `= …`, not `:= …`
    1:39: this comment never ends; close it with `*/`
    ");
}

#[test]
fn files_that_are_no_models() {
    assert_snapshot!(errors(""), @"1:1: the file is empty; an XSTS model needs at least a `trans` section");
    assert_snapshot!(errors("  // nothing\n"), @"1:1: the file is empty; an XSTS model needs at least a `trans` section");
    assert_snapshot!(errors("init {}"), @"1:1: there is no `trans` section; a model needs one, if only `trans {}`");
    assert_snapshot!(errors("\0\0\u{1}PNG ! \u{fffd}\u{fffd}"), @"
    1:1: unexpected character U+0000; is this a text file?
    1:4: expected a declaration or a section (`type`, `var`, `trans`, `init`, `env`, `prop` or `ltl`), found `PNG`
    1:10: unexpected character `�`
    ");
    assert_snapshot!(errors("trans { x := 1; \\\n }"), @r#"
    1:9: there is no variable `x`
    1:17: unexpected character `\`; lines need no continuation mark, remove it
    "#);
}

#[test]
fn declarations_are_unique() {
    assert_snapshot!(errors("type T : { A, B, A } type T : { C } type integer : { D } var x : boolean\nvar x : boolean var A : boolean var y : Tt var z : bool\ntrans { local var y : boolean; local var y : boolean; local var B : boolean; { local var y : integer; } }"), @"
    1:18: in type `T`, literal `A` is declared twice; rename or remove one
        1:12: first declared here
    1:27: type `T` is declared twice; rename or remove one
        1:6: first declared here
    1:42: `integer` is a built-in type; choose another name
    2:5: variable `x` is declared twice; rename or remove one
        1:62: first declared here
    2:21: variable `A` is named like a literal of `T`; rename one of them
        1:12: the literal is here
    2:41: there is no type `Tt`; did you mean `T`?
    2:52: there is no type `bool`; did you mean `boolean`?
    3:42: in one block, variable `y` is declared twice; rename or remove one
        3:19: first declared here
    3:65: variable `B` is named like a literal of `T`; rename one of them
        1:15: the literal is here
    ");
}

#[test]
fn unknown_names_are_told_with_the_nearest() {
    assert_snapshot!(body_errors("color := Gren; m := 1; havoc bb; cels[0] := 1;\n assume undefined == Red && b;\n n := Color; Red := 1; Color := 1; assume zzz;"), @"
    6:10: there is no variable or literal `Gren`; did you mean `Green`?
    6:16: there is no variable `m`
    6:30: there is no variable `bb`; did you mean `b`?
    6:34: there is no variable `cels`; did you mean `cells`?
    7:9: there is no variable or literal `undefined`
    8:7: `Color` is a type; a value is written `Color.Literal`
    8:14: `Red` is a literal, not a variable; it cannot be assigned
    8:24: `Color` is a type, not a variable; it cannot be assigned
    8:43: there is no variable or literal `zzz`
    ");
}

#[test]
fn types_match_exactly() {
    assert_snapshot!(body_errors("n := b; b := n + 1; r := n; n := 3%4 + r; assume n;\n color := light; color := Off; assume color == light; if (n) {}\n assume b + 1 == 2; assume !n; assume b && n && r; assume cells == n;"), @"
    6:6: `b` is a boolean, but an integer is expected here
    6:14: `n + 1` is an integer, but a boolean is expected here
    6:26: `n` is an integer, but a rational is expected here
    6:40: `r` is a rational, but an integer is expected here
    6:50: `n` is an integer, but a boolean is expected here
    7:11: `light` is a value of `Light`, but a value of `Color` is expected here
    7:27: `Off` is a literal of `Light`, but a value of `Color` is expected here
    7:48: `light` is a value of `Light`, but `color`, which it must agree with, is a value of `Color`
    7:59: `n` is an integer, but a boolean is expected here
    8:13: `1` is an integer, but `b`, which it must agree with, is a boolean
    8:29: `n` is an integer, but a boolean is expected here
    8:44: `n` is an integer, but a boolean is expected here
    8:49: `r` is a rational, but a boolean is expected here
    8:68: `n` is an integer, but `cells`, which it must agree with, is an array `[integer] -> integer`
    ");
    assert_snapshot!(body_errors("cells[b] := 1; cells[0] := b; n := marks[Red]; b := marks[0]; n := n[1]; b := grid[0][1][2];\n grid[0][1] := 2; grid[0] := 1; n[0] := 1;\n for i from b to r do {} cells := [0 <- b, default <- 1]; cells := [<boolean> default <- 1];"), @"
    6:7: `b` is a boolean, but an integer is expected here
    6:28: `b` is a boolean, but an integer is expected here
    6:36: `marks[Red]` is a boolean, but an integer is expected here
    6:59: `0` is an integer, but a value of `Color` is expected here
    6:68: `n` is an integer; only arrays have positions
    6:79: too many positions after `grid`: after 2, the value is a boolean
    7:16: `2` is an integer, but a boolean is expected here
    7:30: `1` is an integer, but an array `[integer] -> boolean` is expected here
    7:33: `n` is an integer; only arrays have positions
    8:13: `b` is a boolean, but an integer is expected here
    8:18: `r` is a rational, but an integer is expected here
    8:41: `b` is a boolean, but an integer is expected here
    8:68: `[<boolean> default <- 1]` is an array `[boolean] -> integer`, but an array `[integer] -> integer` is expected here
    ");
}

#[test]
fn literals_are_short_where_their_type_is_known() {
    accepts("color := Red; assume Red == color; assume color != Color.Red; assume light == Red;");
    accepts("color := if b then Red else Green; assume color == (if b then Red else Color.Green);");
    accepts("marks[Red] := true; b := marks[Green]; marks := [Red <- true, default <- false];");
    accepts(
        "marks := marks[Red <- b][Green <- false]; local var k : Color = Green; assume marks == [Red <- b, default <- b];",
    );
    assert_snapshot!(body_errors("assume Red == Green; n := Red; assume Off == Off;"), @"
    6:8: `Red` is a literal of `Color` and `Light`; write `Color.Red` here, for nothing tells its type
    6:27: `Red` is a literal of `Color` and `Light`, but an integer is expected here
    6:39: `Off` is a literal of `Light`; write `Light.Off` here, for nothing tells its type
    ");
}

#[test]
fn rationals_are_written_with_percent() {
    accepts(
        "r := 3%4; r := 1; r := r * 3%4 + 1; assume r < 1%2 && 2 * 1%3 == r; n := 7 % 4; r := -1%2 / 3; r := if b then 1 else 1%2;",
    );
    assert_snapshot!(body_errors("r := 3%0; r := r % 2; r := 1%2%3; r := r rem 2;"), @"
    6:8: this is not a rational number; its denominator must be one number other than 0
    6:20: `%` needs integers, but these are rationals
    6:32: this is not a rational number; its denominator must be one number other than 0
    6:46: `rem` needs integers, but these are rationals
    ");
}

#[test]
fn loops_count_by_themselves() {
    accepts("for i from 0 to n do { cells[i] := i; } for i from n to 2 * n do for j from i to i + 1 do {}");
    assert_snapshot!(body_errors("for i from 0 to n do { i := 1; havoc i; n := 2; } for n from 0 to 1 do {} for i from 0 to 1 do { for i from 0 to 1 do {} } for Off from 0 to 1 do {}"), @"
    6:24: loop variable `i` cannot be assigned; the loop itself counts it
        6:5: the loop is here
    6:38: loop variable `i` cannot be havocked; the loop itself counts it
        6:5: the loop is here
    6:41: `n` cannot be assigned here, for the bounds of the loop depend on it; use a copy
        6:12: the bounds are here
    6:55: loop variable `n` must be new, but there is a variable `n`; choose another name
        2:21: declared here
    6:102: loop variable `i` must be new, but there is a variable `i`; choose another name
        6:79: declared here
    6:128: variable `Off` is named like a literal of `Light`; rename one of them
        1:49: the literal is here
    ");
}

#[test]
fn clocks_are_reset_and_compared_only() {
    accepts(
        "__delay; c := 0; c := (2 * 1000); assume c < 5 && 3 >= c; b := (0 >= c - d); if (c == d || !(c - d != -1)) {} assume c <= 4%2;",
    );
    assert_snapshot!(body_errors("havoc c;\nc := d;\nc := n;\nc := -1;\nc := c + 1;\nassume c;\nassume c < n;\nassume c < 1%2;\nassume c + d < 3;\nassume 2 * c < 3;\nassume c - d < c;\nassume c - 1 < 3;\nn := c;\nn := c + 1;\ncells[c] := 1;\nfor i from c to 3 do {}\nlocal var e : clock;\nassume c == b;\nb := c;\nr := if b then c else 1;\nassume c < r;"), @"
    6:7: clock `c` cannot be havocked; let time pass with `__delay`
    7:6: clock `d` cannot be copied to clock `c`; a clock is reset to a constant
    8:6: clock `c` is set to `n`, but a clock can only be reset to a constant integer that is not negative
    9:6: clock `c` is set to `-1`, but a clock can only be reset to a constant integer that is not negative
    10:6: the only arithmetic with clocks is the difference of two clocks, compared with a constant, as in `c1 - c2 <= 5`
    11:8: clock `c` is used as a boolean; compare it with a constant, as in `c >= 5`
    12:12: clock `c` is compared with `n`, which is not a constant; clocks can only be compared with constant integers and with each other
        : write the number itself; where it differs, say it for each value, as in `n == 1 && c <= 1 || n == 2 && c <= 2`
    13:12: clock `c` is compared with `1%2`, which is not an integer; choose a smaller unit of time: multiply all constants of clocks by 2
    14:8: the only arithmetic with clocks is the difference of two clocks, compared with a constant, as in `c1 - c2 <= 5`
    15:8: the only arithmetic with clocks is the difference of two clocks, compared with a constant, as in `c1 - c2 <= 5`
    16:8: the only arithmetic with clocks is the difference of two clocks, compared with a constant, as in `c1 - c2 <= 5`
    17:8: the only arithmetic with clocks is the difference of two clocks, compared with a constant, as in `c1 - c2 <= 5`
    18:6: clock `c` cannot be copied; only a constraint on it can be stored
    19:6: clock `c` is used in arithmetic; only the difference of two clocks can be used, and only compared with a constant
    20:7: clock `c` cannot be a position of an array
    21:12: clock `c` cannot be the bound of a loop
    22:15: a clock must be a state variable of its own; it cannot be a local variable
    23:13: clock `c` is compared with `b`, which is a boolean
    24:6: clock `c` cannot be copied; only a constraint on it can be stored
    25:16: clock `c` cannot be copied; only a constraint on it can be stored
    26:12: clock `c` is compared with `r`, which is not a constant; clocks can only be compared with constant integers and with each other
        : write the number itself; where it differs, say it for each value, as in `n == 1 && c <= 1 || n == 2 && c <= 2`
    ");
    assert_snapshot!(errors("ctrl var c : clock var d : clock = 1 var e : clock = 0 var f : [integer] -> clock var g : [clock] -> integer trans {}"), @"
    1:10: clock `c` cannot be `ctrl`; remove the `ctrl`
    1:36: clock `d` has an initial value; clocks start at 0, set it in `init` instead
    1:77: a clock must be a state variable of its own; it cannot be the entries of an array
    1:92: a clock must be a state variable of its own; it cannot be the positions of an array
    ");
}

#[test]
fn initial_values_use_earlier_variables() {
    assert_eq!(errors("var x : integer = 2 var y : integer = x / 2 + x trans {}"), "no errors");
    assert_snapshot!(errors("var x : integer = x + y\nvar y : integer = 1 / 0\nvar z : integer = 1 / x\ntrans {}"), @"
    1:19: the initial value of `x` uses `x` itself
        1:5: declared here
    1:23: `y` has no value yet; an initial value may use only variables declared before
        2:5: declared here
    2:19: the initial value of `y` divides by zero
    3:19: the initial value of `z` may divide by zero; compute it in `init` instead
    ");
}

#[test]
fn properties_come_from_outside() {
    assert_eq!(property_errors("prop { x > 0 && t == A && c < 5 && x / 2 == 1 }"), "no errors");
    assert_eq!(property_errors("x >= 0"), "no errors");
    assert_snapshot!(property_errors("prop { y > 0 && x }"), @"
    1:8: there is no variable or literal `y`
    1:17: `x` is an integer, but a boolean is expected here
    ");
    assert_snapshot!(property_errors("x > 0; x"), @"1:6: expected an operator or the end of the property, found `;`");
    assert_snapshot!(property_errors("1 / x > 0 || x % 0 == 1"), @"
    1:1: this may divide by zero; in a property, compare the divisor with 0 first, as in `n == 0 || 10 / n >= 2`, or divide by a constant
    1:14: this may divide by zero; in a property, compare the divisor with 0 first, as in `n == 0 || 10 / n >= 2`, or divide by a constant
    ");
    assert_snapshot!(property_errors(" "), @"1:1: the property is empty; write an expression that is to hold in every state");
    assert_snapshot!(property_errors("prop { x > 0"), @"
    1:13: expected an operator or `}`, found the end of the text
        1:6: opened here
    ");
}

#[test]
fn many_errors_are_cut() {
    let source = format!("trans {{ {} }}", "x := 1;".repeat(1000));
    let found = load(&source).unwrap_err();
    assert_eq!(found.len(), LIMIT + 1);
    assert_snapshot!(found[LIMIT].message, @"too many errors; only the first 100 found are shown");
}

#[test]
fn blocks_of_an_ort_that_write_the_same_are_warned_of() {
    let source = "var x : integer = 0 var y : integer = 0 var z : integer = 0
trans {
    local var k : integer = 0;
    ort { x := 1; k := 1; } { if (false) { havoc x; } y := x + z; } { x := 2; local var y : integer; y := k; }
    ort { z := 1; x := y; } { ort { z := 1; } { local var z : integer; z := 2; } }
    ort { x := 1; x := 2; }
}";
    let model = load(source).unwrap();
    assert_snapshot!(rendered(source, &model.warnings), @"
    4:11: several blocks of an `ort` write `x`; where they give it different values, the step is blocked
        4:50: also written here
        4:71: also written here
    5:11: several blocks of an `ort` write `z`; where they give it different values, the step is blocked
        5:37: also written here
    ");
}

#[test]
fn blocks_of_an_ort_copy_only_what_later_ones_use() {
    let source = "var x : integer = 0 var y : integer = 0 var z : integer = 0
        trans { ort { x := y; z := 1; } { y := x; } { y := z / x; } }";
    assert_snapshot!(edges(source), @"
    init -> env: init: skip
    env -> trans: env: skip
    trans -> env: trans: x' := x; z' := z; x' := y; z' := 1; y' := y; y' := x; assume !(x == 0); y := z / x; x := x'; assume y == y'; z := z'
      or goes wrong: assume x == 0; $fault := 0
    x State shown=true control=false
    y State shown=true control=false
    z State shown=true control=false
    x' Local shown=false control=false
    z' Local shown=false control=false
    y' Local shown=false control=false
    $fault State shown=false control=false
    4 initial values, 1 faults
    ");
}

#[test]
fn huge_integers_are_exact() {
    let digits = "9".repeat(5000);
    let mut model = load(&format!("var x : integer = {digits} trans {{}} prop {{ x == {digits} }}")).unwrap();
    let (x, initial) = model.system.initial[0];
    let var = model.system.terms.var(x);
    let claim = model.system.terms.eq(var, initial);
    assert_eq!(model.property().unwrap().claim, Claim::Always(claim));
}

#[test]
fn deep_nesting_is_refused_or_survived() {
    let nested = |open: &str, middle: &str, close: &str, times: usize| {
        format!("{}{middle}{}", open.repeat(times), close.repeat(times))
    };
    let shapes = |times: usize| {
        [
            format!("var b : boolean trans {{ b := {}; }}", nested("(", "b", ")", times)),
            format!("var b : boolean trans {{ b := {}; }}", nested("!", "b", "", times)),
            format!("var b : integer trans {{ b := {}; }}", nested("-", "b", "", times)),
            format!("var b : boolean trans {{ b := {}; }}", nested("if b then b else ", "b", "", times)),
            format!("var b : boolean trans {{ b := {}; }}", nested("if b then ", "b", " else b", times)),
            format!("var b : boolean trans {{ b := {}; }}", nested("b == (", "b", ")", times)),
            format!("var b : boolean trans {}", nested("{", "b := b;", "}", times)),
            format!("var b : boolean trans {{ {} }}", nested("if (b) ", "b := b;", "", times)),
            format!("var b : boolean trans {{ {} }}", nested("if (b) b := b; else ", "b := b;", "", times)),
            format!("var b : boolean trans {{ {} }}", nested("choice { b := !b; ", "b := b;", "}", times)),
            format!(
                "var b : integer trans {{ {} }}",
                nested("for i from 0 to 1 do {", "b := b;", "}", times)
            ),
            format!("var a : {} trans {{}}", nested("[integer] -> ", "integer", "", times)),
            format!("var a : {} trans {{}}", nested("[", "integer", "] -> integer", times)),
            format!(
                "var b : boolean trans {{ assume {} == [<integer> default <- 1]; }}",
                nested("[<integer> default <- ", "1", "]", times)
            ),
        ]
    };
    for source in shapes(50_000) {
        let found = load(&source).expect_err(&source[..80]);
        assert!(!found.is_empty());
        let (model, _) = parse(&source);
        print(&model);
    }
    for source in shapes(4_900) {
        let (model, found) = parse(&source);
        assert_eq!(found, [], "{}", &source[..80]);
        assert!(parse(&print(&model)).0 == model);
        // Some are refused, none overflows.
        let _ = load(&source);
    }
}

#[test]
fn long_chains_are_not_deep() {
    for (op, ty) in [
        ("&&", "boolean"),
        ("=>", "boolean"),
        ("xor", "boolean"),
        ("+", "integer"),
        ("-", "integer"),
        ("*", "integer"),
    ] {
        let chain = vec!["x"; 50_000].join(&format!(" {op} "));
        assert_eq!(errors(&format!("var x : {ty} trans {{ x := {chain}; }}")), "no errors");
    }
    let writes = "[0 <- 1]".repeat(50_000);
    assert_eq!(errors(&format!("var x : [integer] -> integer trans {{ x := x{writes}; }}")), "no errors");
}

/// The edges of a model, with the number of faults.
fn edges(source: &str) -> String {
    let model = load(source).unwrap();
    let process = model.system.processes.iter().next().unwrap();
    let mut out = String::new();
    for edge in process.edges.iter() {
        let [from, to] = [edge.source, edge.target].map(|at| &process.locations[at].name);
        let line = |stmt: ir::Stmt| {
            let text = model.system.show_stmt(stmt).to_string();
            text.lines().map(str::trim).collect::<Vec<_>>().join("; ")
        };
        let _ = writeln!(out, "{from} -> {to}: {}: {}", edge.label, line(edge.update.stmt));
        if let Some(fault) = edge.update.fault {
            let _ = writeln!(out, "  or goes wrong: {}", line(fault));
        }
    }
    for var in model.system.vars.iter() {
        let _ = writeln!(out, "{} {:?} shown={} control={}", var.name, var.scope, var.shown, var.control);
    }
    let _ =
        writeln!(out, "{} initial values, {} faults", model.system.initial.len(), model.system.faults.len());
    out
}

#[test]
fn clocks_are_meant_to_grow() {
    let said = |source: &str| super::load(source).unwrap().warnings;
    let still = said("var n : integer = 0 var c : clock trans { c := 0; }");
    assert_eq!(still.len(), 1);
    assert_eq!(still[0].message, "time never passes, so clock `c` stays as it is");
    assert_eq!(still[0].span.start, 24);
    assert!(said("var c : clock trans { choice { c := 0; } or { if (c > 1) __delay; } }").is_empty());
    assert!(said("var n : integer = 0 trans { n := 1; }").is_empty());
}

#[test]
fn branches_become_edges() {
    assert_snapshot!(edges("ctrl var x : integer = 0 var c : clock trans { x := 1; } or { __delay; } env { havoc x; }"), @"
    init -> env: init: skip
    env -> trans: env: havoc x
    trans -> env: trans 1: x := 1
    trans -> env: trans 2: delay
    x State shown=true control=true
    c State shown=true control=false
    1 initial values, 0 faults
    ");
    // Without clocks, nobody notices that time passes.
    assert_snapshot!(edges("ctrl var x : integer = 0 trans { __delay; x := 1; }"), @"
    init -> env: init: skip
    env -> trans: env: skip
    trans -> env: trans: x := 1
    x State shown=true control=true
    1 initial values, 0 faults
    ");
}

#[test]
fn faults_go_with_their_edges() {
    assert_snapshot!(edges("var x : integer = 0 trans { local var y : integer; x := 1 / y; } or { x := 1 / 2; } or { assume x == 0 || 1 / x == 1; }"), @"
    init -> env: init: skip
    env -> trans: env: skip
    trans -> env: trans 1: havoc y; assume !(y == 0); x := 1 / y
      or goes wrong: havoc y; assume y == 0; $fault := 0
    trans -> env: trans 2: x := 0
    trans -> env: trans 3: assume x == 0 || 1 / x == 1
    x State shown=true control=false
    y Local shown=true control=false
    $fault State shown=false control=false
    2 initial values, 2 faults
    ");
    // What short-circuit evaluation never reaches is no fault.
    assert_snapshot!(edges("var x : integer trans { assume false && 1 / x == 1; assume true || 1 / 0 == x; assume x > 0 => true; }"), @"
    init -> env: init: skip
    env -> trans: env: skip
    trans -> env: trans: assume false
    x State shown=true control=false
    0 initial values, 2 faults
    ");
}

/// That reading `source` ends well or with errors that point into it.
fn reads_safely(source: &str) {
    if let Err(found) = load(source) {
        assert!(!found.is_empty());
        for diagnostic in found {
            let notes = diagnostic.notes.iter().filter_map(|note| note.span);
            for span in notes.chain([diagnostic.span]) {
                assert!(
                    source.get(span.start as usize..span.end as usize).is_some(),
                    "{span:?} in {source:?}"
                );
            }
        }
    }
}

mod any_text {
    use proptest::prelude::*;

    use super::super::{arbitrary, lexer, print};
    use super::reads_safely;

    fn words() -> impl Strategy<Value = String> {
        let names = [
            "x", "y", "T", "A", "c", "ort", "tran", "integer", "clock", "boolean", "0", "7", "T.A", "é",
            "ltl", "} ltl {", "G", "F", "U", "[]", "<->", "\"", "absence",
        ];
        let word = proptest::sample::select([lexer::WRITTEN, &names[..]].concat());
        let words = proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" "));
        let start = "type T : { A, B } var x : integer var y : T var c : clock trans { ";
        words.prop_map(move |words| format!("{start}{words}"))
    }

    proptest! {
        #![proptest_config(sampling::runs(256, 2026))]

        #[test]
        fn words_are_read_safely(text in words()) {
            reads_safely(&text);
        }

        #[test]
        fn characters_are_read_safely(text in any::<String>()) {
            reads_safely(&text);
        }

        #[test]
        fn damaged_models_are_read_safely(model in arbitrary::timed_model(), from in 0..2000usize, count in 1..20usize) {
            let text = print(&model);
            let from = from % text.len();
            let damaged = format!("{}{}", &text[..from], &text[(from + count).min(text.len())..]);
            reads_safely(&damaged);
        }
    }
}

#[test]
fn other_languages_are_explained() {
    for text in ["A[] A[] x == 1", "E<> x == 1 && (E<> x == 1)", "E[] x == 1", "A<> x == 1", "AG x == 1"] {
        let said = property_errors(text);
        assert!(said.contains("only those about every run are supported"), "{text}: {said}");
    }
    assert_snapshot!(property_errors("prop { G x == 1 }"), @"1:8: a property is about single states; a temporal formula is written `ltl { … }`");
    assert_snapshot!(property_errors("x /= 1"), @"1:3: inequality is written `!=`");
    assert_snapshot!(property_errors("x = 1"), @"1:3: equality is written `==`; `=` only gives initial values");
    assert_snapshot!(property_errors("x == 1 and not (x == 2) or x == 3"), @"
    1:8: the conjunction is written `&&`
    1:12: the negation is written `!`
    1:25: the disjunction is written `||`
    ");
    assert_snapshot!(property_errors("invariant { x == 1 }"), @"1:1: there is no `invariant` here; a property is written `prop { … }`");
    assert_snapshot!(property_errors("x < 0.125"), @"1:5: there are no decimal fractions; write `1%8`");
    assert_snapshot!(property_errors("10 / x > 1"), @"1:1: this may divide by zero; in a property, compare the divisor with 0 first, as in `n == 0 || 10 / n >= 2`, or divide by a constant");
    assert_eq!(property_errors("x == 0 || 10 / x > 1"), "no errors");
    assert_eq!(property_errors("x != 0 => 10 / x > 1"), "no errors");
}

/// `A[]` says what a property says anyway; `E<>` claims the expression of some state.
#[test]
fn queries_are_properties() {
    let mut model = load("type A : { E } var x : integer trans {}").unwrap();
    let mut claim = |text: &str| model.parse_property("p", text).unwrap().claim;
    let Claim::Always(term) = claim("x == 1") else { panic!("a property is about every state") };
    for text in ["A[] x == 1", "A [] (x == 1)", " A[]x == 1"] {
        assert_eq!(claim(text), Claim::Always(term), "{text}");
    }
    for text in ["E<> x == 1", "E <> (x == 1)"] {
        assert_eq!(claim(text), Claim::Possibly(term), "{text}");
    }
    assert_snapshot!(property_errors("E<>=x"), @"1:3: expected `>`, found `>=`");
    assert_snapshot!(property_errors("A[]"), @"1:4: expected an expression, found the end of the text");
    assert_snapshot!(property_errors("E<> x == 1; x"), @"1:11: expected an operator or the end of the property, found `;`");
    assert_snapshot!(property_errors("!deadlock"), @"1:2: a property of an XSTS cannot ask for a `deadlock`");
}

#[test]
fn time_that_passes_in_other_words_is_explained() {
    for word in ["__dely", "_delay", "__Delay", "delay", "delay()", "wait", "tick", "delya"] {
        let said = body_errors(&format!("{word}; b := true;"));
        let name = word.trim_end_matches("()");
        let expected =
            format!("6:1: there is no statement `{name}`; time passes, any amount of it, by `__delay;`\n");
        assert_eq!(said, expected, "{word}");
    }
    // A variable may be called so.
    assert_eq!(
        errors("var delay : integer var wait : boolean trans { delay := 1; wait := true; }"),
        "no errors"
    );
    assert_snapshot!(body_errors("assume c <= 2.5;\nassume c < 2.0;"), @"
    6:13: there are no decimal fractions; write `5%2`
        : clocks are compared with integers only: where this is for a clock, choose a smaller unit of time and multiply all constants of clocks by 2
    7:12: there are no decimal fractions; write `2`
    ");
    assert_snapshot!(errors("var c : clock\nconst N : integer = 5\ntrans { assume c <= N; }"), @"2:1: there is no `const` here; there are no constants; declare a variable, `var n : integer = 3`, and leave it alone, but write the number itself where a clock is compared with it");
}

#[test]
fn words_of_other_languages_may_be_names() {
    let source =
        "var and : boolean var not : boolean var skip : [integer] -> integer var A : [integer] -> boolean
        var G : boolean var while : integer
        trans { not := and and := not skip[0] := 1 while := skip[0] assume and assume not && G }
        prop { A[1] && G && !not }";
    assert_eq!(errors(source), "no errors");
    accepts("choice assume b or assume b or b := n == 1");
}
