//! The personality of the original xsts program: both styles of flags, the last line, the file.

use super::*;

const MODEL: &str = "\
type Mode : { Off, On }
ctrl var mode : Mode = Off
var n : integer = 0
var a : [integer] -> integer = [0 <- 10, default <- 0]
trans {
    local var m : integer = n + 1;
    assume n < 2;
    n := m;
    mode := On;
}
init { a[1] := 7; }
env { }
";

fn dir(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.file("m.xsts", MODEL).file("low.prop", "prop { n < 2 }").file("high.prop", "prop { n <= 2 }");
    dir
}

impl Dir {
    /// Runs the program under the name of the original.
    fn called_theta(&self, arguments: &[&str]) -> Ran {
        use std::os::unix::process::CommandExt;
        let mut command = self.command(arguments);
        command.arg0("/opt/theta/theta-xsts-cli");
        Ran::new(command.output().unwrap())
    }
}

impl Ran {
    #[track_caller]
    fn ends(&self, code: i32, last: &str) -> &Ran {
        assert_eq!((self.code, self.out.lines().last().unwrap_or_default()), (code, last), "{self:#?}");
        self
    }
}

const MULTILINE: &str = "\
(XstsStateSequence
  (XstsState pre_init last_env
    (ExplState (a (array (0 10) (default 0)))
               (mode Mode.Off)
               (n 0)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0)))
               (mode Mode.Off)
               (n 0)))
  (XstsState post_init last_env
    (ExplState (a (array (0 10) (1 7) (default 0)))
               (mode Mode.Off)
               (n 0)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0)))
               (mode Mode.On)
               (n 1)))
  (XstsState post_init last_env
    (ExplState (a (array (0 10) (1 7) (default 0)))
               (mode Mode.On)
               (n 1)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0)))
               (mode Mode.On)
               (n 2))))
";

const FOLDED: &str = "\
(XstsStateSequence
  (XstsState pre_init last_env
    (ExplState (a (array (0 10) (default 0))) (mode Off) (n 0)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0))) (mode Off) (n 0)))
  (XstsState post_init last_env
    (ExplState (a (array (0 10) (1 7) (default 0))) (mode Off) (n 0)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0))) (mode On) (n 1)))
  (XstsState post_init last_env
    (ExplState (a (array (0 10) (1 7) (default 0))) (mode On) (n 1)))
  (XstsState post_init last_internal
    (ExplState (a (array (0 10) (1 7) (default 0))) (mode On) (n 2))))
";

#[test]
fn the_style_of_2024() {
    let dir = dir("theta-2024");
    dir.called_theta(&["--model", "m.xsts", "--property", "low.prop", "--cex", "c.cex", "--stacktrace"])
        .ends(0, "(SafetyResult Unsafe Trace length: 5)");
    assert_eq!(dir.read("c.cex"), MULTILINE);
    dir.run(&["theta", "--model", "m.xsts", "--property", "n <= 2", "--cex", "d.cex"])
        .ends(0, "(SafetyResult Safe)");
    assert!(!dir.0.join("d.cex").exists());
    for configuration in [
        "--domain EXPL --refinement SEQ_ITP --maxenum 250 --initprec CTRL",
        "--domain EXPL_PRED_COMBINED --autoexpl NEWOPERANDS --initprec CTRL",
        "--domain PRED_CART --search DFS --predsplit ATOMS --prunestrategy FULL --loglevel INFO --optimizestmts ON",
    ] {
        let mut arguments = vec!["theta", "--model", "m.xsts", "--property", "low.prop"];
        arguments.extend(configuration.split(' '));
        dir.run(&arguments).ends(0, "(SafetyResult Unsafe Trace length: 5)");
    }
}

#[test]
fn the_style_of_2025() {
    let dir = dir("theta-2025");
    dir.called_theta(&[
        "CEGAR",
        "--model=m.xsts",
        "--property=low.prop",
        "--cexfile=c.cex",
        "--log-level=RESULT",
    ])
    .ends(0, "(SafetyResult Unsafe Trace length: 5)");
    assert_eq!(dir.read("c.cex"), MULTILINE);
    dir.run(&["theta", "CEGAR", "--model", "m.xsts", "--inlineProperty", "n <= 2", "--cexfile", "d.cex"])
        .ends(0, "(SafetyResult Safe)");
    let ran = dir.run(&[
        "theta",
        "BOUNDED",
        "--variant",
        "KINDUCTION",
        "--model",
        "m.xsts",
        "--property",
        "high.prop",
    ]);
    ran.ends(0, "(SafetyResult Safe)");
    assert!(ran.err.starts_with("note: `BOUNDED` is one of several here"), "{ran:?}");
}

#[test]
fn short_elements_are_folded_and_literals_bare_if_asked_for() {
    let dir = dir("theta-folded");
    let call = ["theta", "--model", "m.xsts", "--property", "low.prop", "--cex", "c.cex"];
    dir.run(&[&call[..], &["--cex-layout", "folded", "--cex-literals", "bare"]].concat())
        .ends(0, "(SafetyResult Unsafe Trace length: 5)");
    assert_eq!(dir.read("c.cex"), FOLDED);
    // What fits on one line as a whole stands there.
    dir.file("s.xsts", "var n : integer = 0 trans { } prop { n > 0 }");
    dir.run(&["theta", "--model", "s.xsts", "--cex", "s.cex", "--cex-layout", "folded"])
        .ends(0, "(SafetyResult Unsafe Trace length: 0)");
    assert_eq!(dir.read("s.cex"), "(XstsStateSequence (XstsState pre_init last_env (ExplState (n 0))))\n");
}

#[test]
fn what_is_not_known_is_said() {
    let dir = Dir::new("theta-unknown");
    // Whether a sum of two cubes is another cube is no question for a quarter of a second.
    dir.file(
        "m.xsts",
        "var x : integer = 1 var y : integer = 1 var z : integer = 1 \
         trans { havoc x; havoc y; havoc z; assume x > 1 && y > 1 && z > 1; } \
         prop { x * x * x + y * y * y != z * z * z }",
    );
    let ran = dir.run(&["theta", "--model", "m.xsts", "--timeout", "300ms"]);
    ran.ends(0, "(SafetyResult Unknown)");
    assert!(ran.err.contains("time limit of 300ms reached"), "{ran:?}");
}

#[test]
fn what_is_not_supported_is_unknown() {
    let dir = dir("theta-unsupported");
    let ran = dir.run(&["theta", "--model", "m.xsts", "--property", "deadlock"]);
    ran.ends(0, "(SafetyResult Unknown)");
    assert!(ran.err.contains("unsupported: a property of an XSTS cannot ask for a `deadlock`"), "{ran:?}");
    // A formula is a question like others: `init`, then twice `env` and `trans`.
    let formula = ["theta", "--model", "m.xsts", "--property", "G n < 2"];
    dir.run(&formula).ends(0, "(SafetyResult Unsafe Trace length: 5)");
    // So is one about a timed model; nothing falsifies `true`.
    dir.file("t.xsts", "var c : clock\ntrans { __delay; c := 0; }\ninit { c := 0; }\nenv { }\n");
    dir.run(&["theta", "--model", "t.xsts", "--property", "G F true"]).ends(0, "(SafetyResult Safe)");
}

#[test]
fn errors_end_with_1() {
    let dir = dir("theta-errors");
    let check = |arguments: &[&str], message: &str| {
        let ran = dir.run(&[&["theta"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
        assert!(ran.err.contains(message), "{ran:?}");
    };
    check(&["--model", "none.xsts"], "there is no file `none.xsts`");
    check(&["--model", "m.xsts", "--property", "n <"], "expected an expression");
    check(&["--model", "m.xsts"], "has no property to check");
    check(&["--modle", "m.xsts"], "there is no option `--modle`; did you mean `--model`?");
    check(&["--model"], "`--model` is followed by a value");
    check(&["--model", "m.xsts", "--domain", "WRONG"], "`--domain WRONG`: unknown domain");
    check(&["CEGRA", "--model", "m.xsts"], "there is no command `CEGRA`; did you mean `CEGAR`?");
    check(&["LTLCEGAR", "--model", "m.xsts"], "`--ltl-expression FORMULA` is missing");
    check(&["--property", "n < 2"], "`--model FILE` is missing");
    dir.file("fault.xsts", "var n : integer = 0 trans { n := 1 / n; } prop { true }");
    check(&["--model", "fault.xsts"], "the model goes wrong: division by zero at fault.xsts:1:34");
}

#[test]
fn other_things_the_original_does() {
    let dir = dir("theta-other");
    let ran = dir.run(&["theta", "--model", "m.xsts", "--property", "low.prop", "--benchmark", "true"]);
    let cells: Vec<&str> = ran.out.trim().split(',').collect();
    assert_eq!(
        (ran.code, cells.len(), cells[0], cells[9], cells[10]),
        (0, 11, "\"false\"", "\"5\"", "\"3\"")
    );
    assert!(dir.run(&["theta", "--header"]).out.starts_with("\"Result\",\"TimeMs\""));
    assert!(dir.run(&["theta", "metrics", "--model", "m.xsts"]).out.contains("enumeration"));
    assert!(dir.called_theta(&["--version"]).out.starts_with("thetis "));
    assert!(dir.called_theta(&[]).out.contains("Usage: theta-xsts-cli"));
}

#[test]
fn nets_become_sequences_of_xsts_states() {
    let dir = Dir::new("theta-net");
    let net = "<pnml><net id='n' type='ptnet'><place id='p'><initialMarking><text>1</text></initialMarking></place>\
               <transition id='t'/><arc id='a' source='p' target='t'/></net></pnml>";
    dir.file("n.pnml", net);
    dir.run(&["theta", "CEGAR", "--model", "n.pnml", "--pn-property", "DEADLOCK", "--cexfile", "c.cex"])
        .ends(0, "(SafetyResult Unsafe Trace length: 3)");
    let expected = "\
(XstsStateSequence
  (XstsState pre_init last_env
    (ExplState (p 1)))
  (XstsState post_init last_internal
    (ExplState (p 1)))
  (XstsState post_init last_env
    (ExplState (p 1)))
  (XstsState post_init last_internal
    (ExplState (p 0))))
";
    assert_eq!(dir.read("c.cex"), expected);
    dir.run(&["theta", "--model", "n.pnml", "--pn-property", "PN_SAFE"]).ends(0, "(SafetyResult Safe)");
}

#[test]
fn names_with_blanks_are_one_word_in_a_counterexample() {
    let dir = Dir::new("theta-blanks");
    dir.file(
        "n.pnml",
        "<pnml><net id='n' type='ptnet'><place id='a b(1)'><initialMarking><text>1</text></initialMarking>\
        </place><transition id='t'/><arc id='1' source='a b(1)' target='t'/></net></pnml>",
    );
    dir.file("run.cex", "old");
    let ran = dir.run(&["theta", "--model", "n.pnml", "--pn-property", "DEADLOCK", "--cex", "run.cex"]);
    assert!(ran.out.contains("(SafetyResult Unsafe"), "{ran:?}");
    let text = dir.read("run.cex");
    assert!(text.contains("(a%20b%281%29 1)") && text.contains("(a%20b%281%29 0)"), "{text}");
    // What is from an earlier run is gone when there is nothing to write.
    let ran = dir.run(&["theta", "--model", "n.pnml", "--pn-property", "PN_SAFE", "--cex", "run.cex"]);
    assert!(ran.out.contains("(SafetyResult Safe)"), "{ran:?}");
    assert!(!dir.0.join("run.cex").exists());
}

#[test]
fn errors_name_the_flags_of_this_program() {
    let dir = Dir::new("theta-errors");
    dir.file("m.xsts", "var n : integer = 0 trans { n := 1; }");
    for arguments in
        [&["theta", "--model", "m.xsts", "--property", "m < 1"][..], &["theta", "--model", "m.xsts"]]
    {
        let ran = dir.run(arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.err.contains("--property") && !ran.err.contains("-p:") && !ran.err.contains(" -p "),
            "{ran:?}"
        );
    }
}

/// Three time units pass at least before `n` is 1.
const TIMED: &str = "\
var c : clock
var n : integer = 0
trans { __delay; assume c >= 3 && n < 2; n := n + 1; }
init { }
env { }
";

#[test]
fn timed_models_are_treated_as_the_original_does() {
    let dir = Dir::new("theta-timed");
    dir.file("t.xsts", TIMED);
    for flags in [
        "--clockstrategy RAT_ENCODE --domain EXPL_PRED_CART",
        "--clockstrategy CF_SPLIT_ALL --combined --domain EXPL --prunestrategy FULL",
        "--clockStrategy=CF_SPLIT_FILTERCF --combined --zoneStrategy=FW_ITP",
        "--clock-strategy CF_SPLIT_FILTERCF --zone-strategy BW_ITP --domain EXPL_PRED_SPLIT",
        "--combined",
        "--zonestrategy BW_ITP",
    ] {
        for (style, flags) in [("", flags), ("CEGAR", flags)] {
            for (property, last) in [
                ("n <= 2", "(SafetyResult Safe)"),
                ("n < 1 || c < 3", "(SafetyResult Unsafe Trace length: 3)"),
            ] {
                let mut arguments = vec!["theta"];
                arguments.extend(Some(style).filter(|style| !style.is_empty()));
                arguments.extend(["--model", "t.xsts", "--property", property]);
                arguments.extend(flags.split(' '));
                let ran = dir.run(&arguments);
                ran.ends(0, last);
                assert_eq!(ran.err, "", "{flags}");
            }
        }
    }
    // What leaves no clocks has none to make zones of.
    let both =
        ["theta", "--model", "t.xsts", "--property", "n <= 2", "--combined", "--clockstrategy", "RAT_ENCODE"];
    let ran = dir.run(&both);
    ran.ends(0, "(SafetyResult Safe)");
    assert!(ran.err.contains("`--combined` does not go with `--clockstrategy RAT_ENCODE`"), "{ran:?}");
    for (flag, value) in [("--clockstrategy", "NONE"), ("--zonestrategy", "NONE")] {
        let ran = dir.run(&["theta", "--model", "t.xsts", "--property", "n <= 2", flag, value]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(&format!("`{flag} NONE`: unknown")), "{ran:?}");
    }
    let lu = ["theta", "--model", "t.xsts", "--property", "n <= 2", "--zonestrategy", "LU"];
    dir.run(&lu).ends(0, "(SafetyResult Safe)");
}

/// Nothing that is read is written over, whatever the answer is.
#[test]
fn files_that_are_read_are_not_written() {
    let dir = dir("theta-apart");
    for (option, file) in
        [("--cex", "m.xsts"), ("--visualize", "m.xsts"), ("--cex", "./m.xsts"), ("--cex", "high.prop")]
    {
        let ran = dir.run(&["theta", "--model", "m.xsts", "--property", "high.prop", option, file]);
        assert_eq!(ran.code, 1, "{ran:#?}");
        assert!(ran.err.contains("name another file"), "{ran:#?}");
    }
    assert_eq!(dir.read("m.xsts"), MODEL);
    assert_eq!(dir.read("high.prop"), "prop { n <= 2 }");
}

/// The programs for control-flow automata and for transition systems: the last line, the file, another error location.
#[test]
fn automata_and_transition_systems_are_answered_for() {
    let dir = Dir::new("theta-programs");
    let cfa = "main process p { var x : int init loc A loc B error loc E A -> B { x := 1 } B -> E { assume x = 1 } }";
    let sts = "specification S { property p : { var x : int initial x = 0 transition x' = x + 1 } models G(x < 2) }";
    dir.file("m.cfa", cfa).file("m.system", sts);
    let called = |name: &str, arguments: &[&str]| {
        use std::os::unix::process::CommandExt;
        let mut command = dir.command(arguments);
        command.arg0(name);
        Ran::new(command.output().unwrap())
    };
    let unsafe_2 = "(SafetyResult Unsafe Trace length: 2)";
    let read = |name: &str| std::fs::read_to_string(dir.0.join(name)).unwrap();
    called(
        "theta-cfa-cli",
        &["CEGAR", "--model", "m.cfa", "--domain", "PRED_CART", "--cexfile", "c", "--encoding", "LBE"],
    )
    .ends(0, unsafe_2);
    // The initial value of `x` is any.
    let text = read("c").lines().filter(|line| !line.contains("CfaState A")).collect::<Vec<_>>().join("\n");
    assert_eq!(
        text,
        "(Trace\n  (CfaAction A -> B)\n  (CfaState B (ExplState (x 1)))\n  (CfaAction B -> E)\n  (CfaState E (ExplState (x 1))))"
    );
    called("theta-cfa-cli", &["--model", "m.cfa", "--errorloc", "B"])
        .ends(0, "(SafetyResult Unsafe Trace length: 1)");
    called("theta-cfa-cli", &["--model", "m.cfa", "--errorloc", "D"]).ends(1, "");
    called("theta-sts-cli", &["CEGAR", "--model", "m.system", "--cexfile", "s"]).ends(0, unsafe_2);
    assert_eq!(
        read("s"),
        "(Trace\n  (ExplState (x 0))\n  (StsAction)\n  (ExplState (x 1))\n  (StsAction)\n  (ExplState (x 2)))\n"
    );
}
