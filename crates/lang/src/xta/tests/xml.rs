//! Documents, and places in them.

use insta::assert_snapshot;

use super::*;

const DOCUMENT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd'>
<nta>
  <declaration>// Globals &lt;here&gt;
clock x; int[0,3] n;
chan go;</declaration>
  <template>
    <name x="5" y="5">P</name>
    <parameter>const int[0,1] i</parameter>
    <declaration>int[0,9] k;</declaration>
    <location id="id0" x="0" y="0"><name>A</name><label kind="invariant">x &lt;= 3 &amp;&amp; n &gt;= 0</label></location>
    <location id="id1"><urgent/></location>
    <location id="id2"><name>C</name><committed/></location>
    <branchpoint id="id3"/>
    <init ref="id0"/>
    <transition><source ref="id0"/><target ref="id1"/><label kind="select">j : int[0,1]</label><label kind="guard">x &gt; j &amp;&amp; n &lt; 3</label><label kind="synchronisation">go!</label><label kind="assignment">x = 0, n++</label><nail x="1" y="2"/></transition>
    <transition><source ref="id1"/><target ref="id3"/><label kind="guard"><![CDATA[n < 2]]></label></transition>
    <transition><source ref="id3"/><target ref="id0"/><label kind="assignment">k = 1</label></transition>
    <transition><source ref="id3"/><target ref="id2"/></transition>
  </template>
  <system>
Q = P(1);
process R() { state S; init S; trans S -> S { sync go?; }; }
system Q, R;</system>
  <queries><query><formula>E&lt;&gt; Q.C &amp;&amp; n &lt; 3</formula><comment>c</comment></query><query><formula></formula><comment/></query><query><formula>A&lt;&gt; Q.C</formula></query></queries>
</nta>
"#;

fn xml_errors(source: &str) -> String {
    match load(source, Format::Xml) {
        Ok(_) => "no errors".to_owned(),
        Err(diagnostics) => rendered(source, &diagnostics),
    }
}

#[test]
fn a_document_is_the_same_language() {
    let model =
        load(DOCUMENT, Format::Xml).unwrap_or_else(|errors| panic!("{}", rendered(DOCUMENT, &errors)));
    assert_snapshot!(model.system, @r#"
    var x: clock
    var n: integer[0, 3] = 0
    var Q.k: integer[0, 9] = 0
    process Q
      location A initial observed { x <= 3 && 0 <= n }
      location id1 urgent observed
      location C committed observed
      trans 1 go! (j = 0): A -> id1 when 0 < x && n < 3 sync go
        x := 0
        n := n + 1
      trans 1 go! (j = 1): A -> id1 when 1 < x && n < 3 sync go
        x := 0
        n := n + 1
      trans 2: id1 -> A when n < 2
        Q.k := 1
      trans 3: id1 -> C when n < 2
        skip
    process R
      location S initial observed
      trans 1 go?: S -> S sync go
        skip
    "#);
    let shown: Vec<String> = model
        .questions
        .iter()
        .map(|asked| match asked {
            Ok(question) => format!("{}: Ok(())", question.text),
            Err(misread) => format!("{}: Err({:?})", misread.text, misread.diagnostics[0].message),
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    E<> Q.C && n < 3: Ok(())
    A<> Q.C: Ok(())
    "#);
}

#[test]
fn errors_point_into_labels() {
    let source = DOCUMENT
        .replace("n &lt; 3</label>", "m &lt; 3 &amp;&amp; </label>")
        .replace("x = 0, n++", "x := 0; n++")
        .replace("<init ref=\"id0\"/>", "<init ref=\"id9\"/>")
        .replace("chan go;", "chan go; int b c;");
    assert_snapshot!(xml_errors(&source), @r#"
    6:16 [c]: expected `;`, found `c`
    15:5 [<init ref="id9"/>]: there is no location with id `id9`
    16:156 []: expected an expression, found the end of the text
    16:238 [n]: expected an operator or the end of the text, found `n`
    "#);
    let source = DOCUMENT.replace("chan go;", "chan go; int &bad; b;");
    assert_snapshot!(xml_errors(&source), @"6:14 []: this is no well-formed XML: unknown entity reference 'bad' at 6:14");
    let source = DOCUMENT
        .replace("n &lt; 3</label>", "n &lt; 3 &amp;&amp; mm</label>")
        .replace("x &lt;= 3", "x &lt;= 3 || x &gt; 5");
    assert_snapshot!(xml_errors(&source), @r#"
    11:74 [x &lt;= 3 || x &gt; 5 &amp;&amp; n &gt;= 0]: clocks may stand in this invariant only in conjunctions, not under `||`, `!` or `!=`
    16:156 [mm]: there is no variable `mm`
    "#);
}

#[test]
fn what_is_no_document_is_refused() {
    let mut shown = String::new();
    for source in ["", "<nta>", "<nta></nta>", "<html/>", "<nta><template/></nta>", "int x;", "\u{0}\u{1}"] {
        let _ = write!(shown, "{source:?}: {}", xml_errors(source));
    }
    let source = DOCUMENT.replace("k = 1</label>", "k = 1</label><label kind=\"probability\">3 +</label>");
    let _ = write!(shown, "{}", xml_errors(&source));
    assert_snapshot!(shown, @r#"
    "": 1:1 []: this is no well-formed XML: the document does not have a root node
    "<nta>": 1:6 []: this is no well-formed XML: the root node was opened but never closed
    "<nta></nta>": 1:1 []: the model has no `system` line, which lists its processes
    "<html/>": 1:1 [<html/>]: expected an `nta` document, found `html`
    "<nta><template/></nta>": 1:6 [<template/>]: the template has no name
    "int x;": 1:1 []: this is no well-formed XML: unknown token at 1:1
    "\0\u{1}": 1:1 []: this is no well-formed XML: unknown token at 1:1
    18:122 []: expected an expression, found the end of the text
    "#);
}

#[test]
fn entities_do_not_multiply() {
    let laughs = "<!DOCTYPE nta [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">]><nta><declaration>int &f;;</declaration></nta>";
    assert!(load(laughs, Format::Xml).is_err());
}

#[test]
fn charts_are_ignored_also_as_processes() {
    let chart = "<lsc><name>S1</name><parameter>const int k</parameter></lsc>";
    let other = "<template><name>Unused</name><location id=\"o\"/><init ref=\"o\"/></template>";
    let template =
        "<template><name>P</name><location id=\"a\"><name>A</name></location><init ref=\"a\"/></template>";
    for system in ["system P, S1;", "S = S1(1); system P;", "S = S1(1); system P, S;"] {
        let source = format!("<nta>{template}{other}{chart}<system>{system}</system></nta>");
        let model =
            load(&source, Format::Xml).unwrap_or_else(|errors| panic!("{}", rendered(&source, &errors)));
        let names: Vec<&str> = model.system.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(names, ["P"], "{system}");
        let codes: Vec<Cause> = model.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, [Cause::IgnoredPart], "{system}");
    }
}

#[test]
fn labels_of_an_edge_that_leads_nowhere_are_checked() {
    let source = "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/><transition><source ref=\"a\"/>\
        <target ref=\"b\"/><label kind=\"guard\">m &gt; 1</label><label kind=\"assignment\">k = 1</label>\
        </transition></template><system>system P;</system></nta>";
    let found = xml_errors(source);
    let messages: Vec<&str> = found.lines().map(|line| line.split_once("]: ").unwrap().1).collect();
    let expected =
        ["there is no location with id `b`", "there is no variable `m`", "there is no variable `k`"];
    assert_eq!(messages, expected);
}
