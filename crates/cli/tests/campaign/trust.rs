//! What is verified is what was asked and what is recorded.

use std::path::PathBuf;

use serde_json::Value;

use super::{Dir, counter};

/// The files of evidence of a campaign, by how they end.
fn evidence(dir: &Dir, folder: &str, ending: &str) -> Vec<PathBuf> {
    std::fs::read_dir(dir.0.join(folder).join("evidence"))
        .unwrap()
        .flat_map(|part| std::fs::read_dir(part.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

/// A campaign whose tasks have these lines, run to its end.
fn campaign(dir: &Dir, name: &str, tasks: &str) {
    let text = format!("name = \"{name}\"\n[[tasks]]\n{tasks}\n[[configurations]]\nname = \"default\"\n");
    dir.file(&format!("{name}.toml"), &text);
    let (code, out, err) = dir.run(&["run", &format!("{name}.toml")]);
    assert_eq!(code, 0, "{out}{err}");
}

/// Records that what was found to be violated holds.
fn flip(dir: &Dir, folder: &str) {
    let (id, mut record) = dir.results(folder).into_iter().next().expect("a result");
    assert_eq!(record["answer"]["verdicts"][0], "violated");
    record["answer"]["verdicts"][0] = "holds".into();
    let path = dir.0.join(folder).join("results").join(&id[..2]).join(&id).with_extension("json");
    std::fs::write(path, record.to_string()).unwrap();
}

#[test]
fn evidence_is_verified_and_a_forged_one_refused() {
    let dir = Dir::new("verify");
    dir.file("c.xsts", &counter(3));
    campaign(&dir, "v", "models = [\"c.xsts\"]\nproperty = [\"n <= 3\", \"n <= 2\"]");
    let (code, out, err) = dir.run(&["verify", "v.results"]);
    assert_eq!((code, out.as_str()), (0, "verified: the evidence of all 2 answers is right\n"), "{err}");
    // A run that is said to have gone elsewhere: what was found out about another one does not count.
    let traces = evidence(&dir, "v.results", ".trace.json");
    assert_eq!(traces.len(), 1);
    let right = std::fs::read_to_string(&traces[0]).unwrap();
    let mut trace: Value = serde_json::from_str(&right).unwrap();
    let last = trace["steps"].as_array_mut().and_then(|steps| steps.last_mut()).expect("a step");
    last["state"]["values"][0] = 7.into();
    std::fs::write(&traces[0], trace.to_string()).unwrap();
    let (code, out, _) = dir.run(&["verify", "v.results"]);
    assert!(code == 1 && out.starts_with("REFUSED: the evidence of 1 answer is not right\n"), "{code} {out}");
    std::fs::remove_file(&traces[0]).unwrap();
    let (code, out, _) = dir.run(&["verify", "v.results"]);
    assert!(code == 3 && out.contains("\n1 answer without evidence\n"), "{code} {out}");
    std::fs::write(&traces[0], right).unwrap();
    assert_eq!(dir.run(&["verify", "v.results"]).0, 0);
}

#[test]
fn a_verdict_is_held_against_its_evidence() {
    let dir = Dir::new("flipped");
    dir.file("c.xsts", &counter(3));
    campaign(&dir, "f", "models = [\"c.xsts\"]\nproperty = \"n <= 2\"");
    assert_eq!(dir.run(&["verify", "f.results"]).0, 0);
    flip(&dir, "f.results");
    let (code, out, _) = dir.run(&["verify", "f.results"]);
    assert!(code == 1 && out.starts_with("REFUSED: "), "{code} {out}");
}

/// A proof of something true is none of what was asked, be that the model's own, of a file, or a formula: the file does not
/// say what it is to be about.
#[test]
fn evidence_is_about_what_was_asked() {
    let dir = Dir::new("another");
    // Three is reached, so all of them are violated.
    dir.file("c.xsts", &counter(3).replace("n <= 3", "n <= 2")).file("p.prop", "prop { n <= 2 }");
    dir.file("list.csv", "model,property\nc.xsts,p.prop\n");
    let other = dir.0.join("other.json");
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_thetis"));
    check.args(["check", "c.xsts", "--engine=explicit", "-p", "n <= 100", "--certificate"]).arg(&other);
    assert!(check.current_dir(&dir.0).output().unwrap().status.success());
    let tasks = [
        "models = [\"c.xsts\"]",
        "models = [\"c.xsts\"]\nall = true",
        "models = [\"c.xsts\"]\nproperty = \"n <= 2\"",
        "models = [\"c.xsts\"]\nformula = \"G (n <= 2)\"",
        "list = \"list.csv\"\nproperty-files = [\".prop\"]",
    ];
    for (number, tasks) in tasks.iter().enumerate() {
        let (name, folder) = (format!("a{number}"), format!("a{number}.results"));
        campaign(&dir, &name, tasks);
        let (code, out, err) = dir.run(&["verify", &folder]);
        assert_eq!(
            (code, out.as_str()),
            (0, "verified: the evidence of all 1 answer is right\n"),
            "{tasks}: {err}"
        );
        flip(&dir, &folder);
        let trace = evidence(&dir, &folder, ".trace.json").remove(0);
        std::fs::copy(&other, trace.to_string_lossy().replace(".trace.", ".proof.")).unwrap();
        std::fs::remove_file(trace).unwrap();
        let (code, out, _) = dir.run(&["verify", &folder]);
        assert!(code == 1 && out.starts_with("REFUSED: "), "{tasks}: {code} {out}");
    }
}

/// The properties of a model that are asked together have a file of evidence each.
#[test]
fn all_properties_are_verified() {
    let dir = Dir::new("all");
    let model = "clock x; process P() { state a, b; init a; trans a -> b { guard x >= 2; }; } system P;\n\
                 query { A[] P.b imply x >= 2; E<> P.b; A[] not P.b; }\n";
    dir.file("m.xta", model);
    dir.file("q.toml", "name = \"q\"\n[[tasks]]\nmodels = [\"m.xta\"]\nall = true\n[[configurations]]\nname = \"zone\"\noptions = { engine = \"zone\" }\n");
    let (code, out, err) = dir.run(&["run", "q.toml"]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, record) = dir.results("q.results").into_iter().next().expect("a result");
    assert_eq!(record["answer"]["verdicts"], serde_json::json!(["holds", "holds", "violated"]), "{record}");
    let (code, out, err) = dir.run(&["verify", "q.results"]);
    assert_eq!((code, out.as_str()), (0, "verified: the evidence of all 1 answer is right\n"), "{err}");
    // One of three is gone; then there is one for another of them instead.
    let traces = evidence(&dir, "q.results", ".trace-3.json");
    let third = std::fs::read(&traces[0]).unwrap();
    std::fs::remove_file(&traces[0]).unwrap();
    let (code, out, _) = dir.run(&["verify", "q.results"]);
    assert!(code == 3 && out.contains("1 answer without evidence"), "{code} {out}");
    std::fs::write(&traces[0], &third).unwrap();
    let second = evidence(&dir, "q.results", ".trace-2.json");
    std::fs::copy(&second[0], &traces[0]).unwrap();
    // Both end in `b`, and `A[] not P.b` is about that, too: a run is evidence for whatever it shows.
    assert_eq!(dir.run(&["verify", "q.results"]).0, 0);
    let first = evidence(&dir, "q.results", ".proof-1.json");
    std::fs::remove_file(&traces[0]).unwrap();
    std::fs::copy(&first[0], traces[0].to_string_lossy().replace(".trace-3", ".proof-3")).unwrap();
    let (code, out, _) = dir.run(&["verify", "q.results"]);
    assert!(code == 1 && out.starts_with("REFUSED: "), "{code} {out}");
}
