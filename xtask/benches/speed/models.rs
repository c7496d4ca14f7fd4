//! Models made on the fly; each family grows in one parameter and always holds.

use std::fmt::Write;

/// Ten lines, for the time from start to verdict.
pub const SMALL: &str = "\
type Mode : { Off, On }
ctrl var mode : Mode = Off
var count : integer = 0
trans {
  choice { assume mode == Off; mode := On; }
  or { assume mode == On; mode := Off; if (count < 5) count := count + 1; }
}
init {}
env {}
prop { count <= 5 }
";

/// The models that are searched.
pub fn families() -> Vec<(&'static str, String)> {
    vec![
        ("toggles 16", toggles(16)),
        ("counters 4 x 16", counters(4, 16)),
        ("ring 12", ring(12)),
        ("controller 32", controller(32)),
    ]
}

/// `n` switches; one is flipped at a time.
fn toggles(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        line(&mut text, format_args!("var t{i} : boolean = false"));
    }
    section(&mut text, "trans", n, |i| format!("t{i} := !t{i};"));
    text + "init {}\nenv {}\nprop { true }\n"
}

/// `n` switches; one is flipped at a time, and each time another one, `turn`, as well.
pub fn turns(n: usize) -> String {
    let mut text = "var turn : boolean = false\n".to_owned();
    for i in 0..n {
        line(&mut text, format_args!("var t{i} : boolean = false"));
    }
    section(&mut text, "trans", n, |i| format!("t{i} := !t{i}; turn := !turn;"));
    text + "init {}\nenv {}\nprop { true }\n"
}

/// `n` counters modulo `k`; one is increased at a time.
fn counters(n: usize, k: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        line(&mut text, format_args!("var c{i} : integer = 0"));
    }
    section(&mut text, "trans", n, |i| format!("c{i} := (c{i} + 1) % {k};"));
    text + "init {}\nenv {}\nprop { true }\n"
}

/// `n` processes around a token; who holds it may enter a critical section or pass it on, and all
/// others may want to.
fn ring(n: usize) -> String {
    let mut text = String::from("type Phase : { Idle, Trying, Critical }\nvar token : integer = 0\n");
    for i in 0..n {
        line(&mut text, format_args!("ctrl var p{i} : Phase = Idle"));
    }
    section(&mut text, "trans", n, |i| {
        let next = (i + 1) % n;
        format!(
            "choice {{ assume p{i} == Idle; p{i} := Trying; }} \
             or {{ assume p{i} == Trying && token == {i}; p{i} := Critical; }} \
             or {{ assume p{i} == Critical; p{i} := Idle; token := {next}; }} \
             or {{ assume p{i} == Idle && token == {i}; token := {next}; }}"
        )
    });
    text += "init {}\nenv {}\nprop { ";
    for i in 1..n {
        let _ = write!(text, "!(p0 == Critical && p{i} == Critical) && ");
    }
    text + "true }\n"
}

/// A statechart with `n` variables: the environment raises one event, and a wide choice reacts. A
/// quarter of the variables are regions, a quarter their history, a quarter events and a quarter
/// outputs; only a few of the regions move independently, so that the space stays moderate.
fn controller(n: usize) -> String {
    let k = n / 4;
    let mut text = String::from("type Region : { Inactive, Wait, Work, Done }\n");
    for i in 0..k {
        line(&mut text, format_args!("ctrl var region{i} : Region = Wait"));
        line(&mut text, format_args!("var history{i} : Region = Inactive"));
        line(&mut text, format_args!("var event{i} : boolean = false"));
        line(&mut text, format_args!("var output{i} : integer = 0"));
    }
    section(&mut text, "trans", k, |i| {
        let next = (i + 1) % k;
        format!(
            "choice {{ assume event{i} && region{i} == Wait; region{i} := Work; output{i} := 1; }} \
             or {{ assume event{i} && region{i} == Work && region{next} != Work; \
                   history{i} := Work; region{i} := Done; output{i} := output{i} + 1; }} \
             or {{ assume event{i} && region{i} == Done; region{i} := Wait; output{i} := 0; \
                   if (history{i} == Work) history{i} := Inactive; }} \
             event{i} := false;"
        )
    });
    text += "init {}\n";
    section(&mut text, "env", k, |i| {
        let cleared: String = (0..k).filter(|j| *j != i).map(|j| format!("event{j} := false; ")).collect();
        format!("{cleared}event{i} := true;")
    });
    text + "prop { true }\n"
}

/// About `bytes` bytes in the style of generated statecharts, for parsing alone.
pub fn large(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 10_000);
    let types = 50;
    for i in 0..types {
        line(
            &mut text,
            format_args!("type Region_{i} : {{ __Inactive__, Idle_{i}, Running_{i}, Stopped_{i} }}"),
        );
    }
    let components = bytes / 2_000;
    for i in 0..components {
        let ty = i % types;
        line(&mut text, format_args!("ctrl var component_{i}_region : Region_{ty} = __Inactive__;"));
        line(&mut text, format_args!("var component_{i}_event_In : boolean = false;"));
        line(&mut text, format_args!("var component_{i}_counter : integer = 0;"));
    }
    text += "init {}\nenv {}\ntrans {\n";
    for i in (0..components).cycle() {
        if text.len() >= bytes {
            break;
        }
        let ty = i % types;
        line(
            &mut text,
            format_args!(
                "  // Component {i}\n  choice {{\n    assume ((component_{i}_region == Region_{ty}.Idle_{ty}) && \
                 (component_{i}_event_In == true));\n    component_{i}_region := Region_{ty}.Running_{ty};\n    \
                 component_{i}_counter := component_{i}_counter + 1;\n  }} or {{\n    assume (component_{i}_region == \
                 Region_{ty}.Running_{ty} && !(component_{i}_counter >= 10 || component_{i}_counter < 0));\n    \
                 if (component_{i}_counter * 2 + 1 > 7) {{ component_{i}_region := Stopped_{ty}; }} else {{ \
                 component_{i}_event_In := false; }}\n  }} or {{\n    assume !(component_{i}_event_In);\n  }}"
            ),
        );
    }
    text + "}\nprop { component_0_counter >= 0 }\n"
}

/// A section with a branch for each of `n`.
fn section(text: &mut String, name: &str, n: usize, branch: impl Fn(usize) -> String) {
    let branches: Vec<String> = (0..n).map(|i| format!("{{ {} }}", branch(i))).collect();
    line(text, format_args!("{name} {}", branches.join("\nor ")));
}

fn line(text: &mut String, arguments: std::fmt::Arguments) {
    let _ = text.write_fmt(arguments);
    text.push('\n');
}

/// A loop that takes so many locks if their flags are set, and gives them back (`test_locks` of SV-COMP, as a control-flow
/// automaton with a location for each statement).
pub fn locks(count: usize) -> String {
    let mut text = "main process locks { var go : int\n".to_owned();
    let mut edges = "START -> HEAD {} HEAD -> B { havoc go } B -> END { assume go = 0 }\n".to_owned();
    let free: Vec<String> = (0..count).map(|lock| format!("l{lock} := 0")).collect();
    let _ = writeln!(edges, "B -> T0 {{ assume go /= 0 {} }}", free.join(" "));
    let mut places = "init loc START loc HEAD loc B final loc END error loc ERR\n".to_owned();
    for lock in 0..count {
        let next = lock + 1;
        let _ = writeln!(text, "var f{lock} : int var l{lock} : int");
        let _ = writeln!(places, "loc T{lock} loc S{lock} loc G{next} loc C{lock} loc D{lock}");
        let _ = writeln!(
            edges,
            "T{lock} -> S{lock} {{ assume f{lock} /= 0 }} S{lock} -> T{next} {{ l{lock} := 1 }}"
        );
        let _ = writeln!(edges, "T{lock} -> T{next} {{ assume f{lock} = 0 }}");
        let _ = writeln!(
            edges,
            "G{lock} -> C{lock} {{ assume f{lock} /= 0 }} C{lock} -> ERR {{ assume l{lock} /= 1 }}"
        );
        let _ = writeln!(
            edges,
            "C{lock} -> D{lock} {{ assume l{lock} = 1 }} D{lock} -> G{next} {{ l{lock} := 0 }}"
        );
        let _ = writeln!(edges, "G{lock} -> G{next} {{ assume f{lock} = 0 }}");
    }
    let _ = writeln!(places, "loc T{count} loc G0");
    format!("{text}{places}{edges}T{count} -> G0 {{}} G{count} -> HEAD {{}} }}\n")
}
