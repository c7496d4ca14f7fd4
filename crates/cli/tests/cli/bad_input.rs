//! Whatever is given, the answer is a clear message and exit code 2.

use crate::{COUNTER, Dir};

#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, words: &[&str]) {
    Dir::new(&format!("bad-{name}")).file("m.xsts", content).run(&["check", "m.xsts"]).refused(words);
}

#[test]
fn files_that_are_no_text() {
    check("empty", "", &["`m.xsts` is empty"]);
    check("blank", " \n\t\n", &["`m.xsts` is empty"]);
    check("binary", b"\x7fELF\x00\x01\x02", &["`m.xsts` is a binary file"]);
    check("encoding", b"// fine\n// caf\xe9\ntrans { }", &["`m.xsts` is not UTF-8", "line 2"]);
    check("comment", "// nothing but a comment", &["trans"]);
}

#[test]
fn files_that_are_not_there() {
    let dir = Dir::new("bad-files");
    dir.file("m.txt", COUNTER).file("model", COUNTER);
    std::fs::create_dir(dir.0.join("d.xsts")).unwrap();
    dir.run(&["check", "d.xsts"]).refused(&["`d.xsts` is a directory"]);
    dir.run(&["check", "."]).refused(&["`.` is a directory"]);
    dir.run(&["check", "gone.xsts"]).refused(&["no file `gone.xsts`"]);
    dir.run(&["check", "m.txt"]).refused(&["unknown extension `.txt`", "`.xsts`"]);
    dir.run(&["check", "model"]).refused(&["no extension", "`.xsts`"]);
}

#[test]
fn deep_nesting() {
    let n = 50_000;
    let parentheses = format!(
        "var x : integer = 0 trans {{ x := {}1{}; }} prop {{ x >= 0 }}",
        "(".repeat(n),
        ")".repeat(n)
    );
    check("parentheses", parentheses, &["nesting"]);
    check("open", format!("trans {{ assume {}", "(".repeat(n)), &["m.xsts"]);
    check("blocks", format!("trans {}{} prop {{ true }}", "{".repeat(n), "}".repeat(n)), &["nesting"]);
    check("not", format!("trans {{ assume {}true; }} prop {{ true }}", "!".repeat(n)), &["m.xsts"]);
}

#[test]
fn mistakes_in_the_model() {
    check("type", "var x : integr trans { } prop { true }", &["`integr`", "m.xsts:1:9"]);
    check("duplicate", "var x : integer\nvar x : boolean\ntrans { } prop { true }", &["`x`", "m.xsts:2:5"]);
    check("clash", "type T : { A, B } var A : T trans { } prop { true }", &["`A`"]);
    check("clock", "var c : clock trans { c := c + 1; } prop { true }", &["clock", "m.xsts:1:28"]);
    check("havoc", "var c : clock trans { havoc c; } prop { true }", &["`c`"]);
    check("trans", "var x : integer prop { true }", &["trans"]);
    check("prop", "var x : integer trans { }", &["has no property", "-p", "prop {"]);
}

#[test]
fn all_mistakes_come_at_once() {
    let dir = Dir::new("bad-all");
    dir.file(
        "m.xsts",
        "var count : integer = true\nvar on : bolean\ntrans {\n    cuont := 1;\n    on := 3;\n}\n",
    );
    let ran = dir.run(&["check", "m.xsts"]);
    ran.refused(&["m.xsts:1", "m.xsts:2", "m.xsts:4"]);
    insta::assert_snapshot!("diagnostics", ran.err);
    let ran = dir.run(&["check", "m.xsts", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &json["format"]), (2, &serde_json::json!("thetis-error")));
    assert!(json["diagnostics"].as_array().unwrap().len() >= 3, "{json}");
}

#[test]
fn mistakes_in_a_property() {
    let dir = Dir::new("bad-property");
    dir.file("m.xsts", COUNTER).file("p.prop", "prop { m == 1 }");
    dir.run(&["check", "m.xsts", "-p", "nn >= 0"]).refused(&["`nn`", "`n`"]);
    dir.run(&["check", "m.xsts", "-p", "velocity > 3"]).refused(&["`velocity`", "`thetis info m.xsts`"]);
    dir.run(&["check", "m.xsts", "-p", "n + 1"]).refused(&["-p:1:1"]);
    dir.run(&["check", "m.xsts", "-p", ""]).refused(&["property is empty"]);
    dir.run(&["check", "m.xsts", "--property-file", "p.prop"]).refused(&["p.prop:1:8", "`m`"]);
    dir.run(&["check", "m.xsts", "--property-file", "q.prop"]).refused(&["no file `q.prop`"]);
    // One bad property among good ones: the others are answered all the same.
    let ran = dir.run(&["check", "m.xsts", "-p", "n < 1", "-p", "zz", "--property-file", "q.prop", "--all"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().take(4).collect();
    assert_eq!(lines[..2], ["prop: holds", "n < 1: violated"]);
    assert!(lines[2].starts_with("zz: error (there is no variable or literal `zz`"), "{lines:?}");
    assert!(lines[3].starts_with("q: error (there is no file `q.prop`"), "{lines:?}");
    assert!(ran.err.contains("-p:1:1"), "{}", ran.err);
    let ran = dir.run(&["check", "m.xsts", "-p", "n >= 0", "-p", "zz", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["properties"][1]["diagnostics"][0]["end_column"], 3, "{json}");
    // A property may begin with a sign.
    dir.run(&["check", "m.xsts", "-p", "-1 < n"]).expect(0, "holds");
}

#[test]
fn twenty_megabytes_are_answered() {
    let lines = "    x := x + 1;\n".repeat(1_250_000);
    check(
        "lines",
        format!("var x : integer = 0 trans {{\n{lines} y := 1; }} prop {{ true }}"),
        &["m.xsts:1250002", "`y`"],
    );
    let line = "x := x + 1; ".repeat(1_700_000);
    check(
        "line",
        format!("var x : integer = 0 trans {{ {line} y := 1; }} prop {{ true }}"),
        &["m.xsts:1:", "`y`"],
    );
}

#[test]
fn usage() {
    let dir = Dir::new("bad-usage");
    dir.file("m.xsts", COUNTER);
    dir.run(&["chekc"]).refused(&["'check'"]);
    dir.run(&["check", "m.xsts", "--timout", "1s"]).refused(&["--timeout"]);
    dir.run(&["check", "m.xsts", "--timeout", "soon"]).refused(&["60s"]);
    dir.run(&["check", "m.xsts", "--memory-limit", "4apples"]).refused(&["apples"]);
    dir.run(&["check", "m.xsts", "--engine", "magic"]).refused(&["magic", "explicit"]);
    for empty in ["smtlib:", "smtlib: "] {
        dir.run(&["check", "m.xsts", "--interpolation", empty]).refused(&["is followed by a command"]);
    }
    dir.run(&["check", "m.xsts", "--memory-limit", "5"]).refused(&["write a unit, for example 5GB"]);
    dir.run(&["simulate", "m.xsts", "--random", "--seed", "abc"]).refused(&["abc", "a whole number"]);
    dir.run(&["check"]).refused(&["MODEL"]);
    assert_eq!(dir.run(&["--help"]).code, 0);
    assert_eq!(dir.run(&["--version"]).first(), concat!("thetis ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn windows_line_ends_do_not_show() {
    let dir = Dir::new("bad-crlf");
    dir.file("m.xsts", "var x : integer = 0\r\ntrans { y := 1; }\r\n");
    let ran = dir.run(&["check", "m.xsts"]);
    ran.refused(&["m.xsts:2:9", "2 | trans { y := 1; }\n"]);
    assert!(!ran.err.contains('\r'), "{:?}", ran.err);
}
