//! Back ends, with programs in place of Slurm and BenchExec that do what these do.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Dir, counter};

/// A script on the path of its own, in front of all others.
fn program(dir: &Dir, name: &str, script: &str) -> std::ffi::OsString {
    let path = dir.0.join("bin").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(dir.0.join("bin")).chain(std::env::split_paths(&known))).unwrap()
}

#[test]
fn a_back_end_that_is_not_there_is_named() {
    let dir = Dir::new("absent");
    dir.file("c.xsts", &counter(3));
    dir.file(
        "a.toml",
        "name = \"a\"\n[[tasks]]\nmodels = [\"c.xsts\"]\n[[configurations]]\nname = \"default\"\n",
    );
    for (back_end, program) in [("hyperqueue", "hq"), ("slurm", "sbatch"), ("benchexec", "benchexec")] {
        let output = dir.thetis(&["run", "a.toml", "--on", back_end]).env("PATH", "").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("the program `{program}` is not found")), "{said}");
    }
}

/// What a campaign and its folder are called may contain anything; what Slurm reads of its script knows no quotes.
#[test]
fn slurm_is_given_names_as_they_are() {
    let dir = Dir::new("slurm");
    let folder = "a folder's 100%";
    dir.file("c.xsts", &counter(3));
    dir.file(
        "s.toml",
        "name = \"two words; and more\"\n[[tasks]]\nmodels = [\"c.xsts\"]\nproperty = [\"n <= 3\", \"n <= 2\"]\n\
         [[configurations]]\nname = \"default\"\n",
    );
    // Runs every element at once, and writes down what it was given.
    let path = program(
        &dir,
        "sbatch",
        "#!/bin/sh\nfor last; do echo \"$last\" >> \"$0.given\"; done\nfor element in 0 1; do SLURM_ARRAY_TASK_ID=$element sh \"$last\" \
         > \"$0.$element.log\" 2>&1; done\necho 17\n",
    );
    program(&dir, "squeue", "#!/bin/sh\n");
    let output = dir
        .thetis(&["run", "s.toml", "--into", folder, "--on=slurm", "--batch=1"])
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = std::fs::read_to_string(dir.0.join("bin/sbatch.0.log")).unwrap_or_default();
    assert!(said.starts_with("finished: 2 results, no wrong answer"), "{said} {log}");
    let given = std::fs::read_to_string(dir.0.join("bin/sbatch.given")).unwrap();
    let lines: Vec<&str> = given.lines().collect();
    assert_eq!(lines[..2], ["--parsable", "--job-name=two words; and more"]);
    assert!(
        lines[2].starts_with("--output=/") && lines[2].ends_with("/a folder's 100%%/slurm-%A-%a.log"),
        "{given}"
    );
    let script = std::fs::read_to_string(dir.0.join(folder).join("slurm.sh")).unwrap();
    let asked: Vec<&str> = script.lines().filter(|line| line.starts_with("#SBATCH")).collect();
    assert!(asked.iter().all(|line| !line.contains("words") && !line.contains("folder")), "{script}");
}

/// What BenchExec has finished is a result, although it failed, or was killed, afterwards.
#[test]
fn benchexec_loses_nothing_that_it_has_finished() {
    let dir = Dir::new("benchexec");
    dir.file("c.xsts", &counter(3));
    dir.file(
        "b.toml",
        "name = \"b\"\n[[tasks]]\nmodels = [\"c.xsts\"]\nproperty = [\"n <= 3\", \"n <= 2\"]\n[[configurations]]\nname = \"default\"\n",
    );
    // As BenchExec does: a file of results, and a log for each run. It gets through the first run only, and fails.
    let script = r#"#!/bin/sh
logs=output/campaign.2026-01-01.logfiles
mkdir -p $logs
task=$(head -n 1 c0r0.set)
cat > output/campaign.2026-01-01.results.c0r0.questions.xml <<XML
<result><run name="$task"><column title="status" value="done"/><column title="cputime" value="0.5s"/>
<column title="walltime" value="0.6s"/><column title="memory" value="1000000B"/><column title="returnvalue" value="0"/></run>
<run name="other.yml"/></result>
XML
printf 'thetis check\n\n\n{\n"format": "thetis-result", "properties": [{"verdict": "holds", "certified": true, "code": null, "statistics": null}]}\n' \
    > $logs/c0r0.$task.log
[ -f "$0.fine" ] || { echo "no more room" >&2; exit 1; }
"#;
    let path = program(&dir, "benchexec", script);
    let run = |arguments: &[&str]| {
        let output = dir.thetis(arguments).env("PATH", &path).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, err) = run(&["run", "b.toml", "--on=benchexec"]);
    assert!(code == Some(2) && err.contains("no more room"), "{err}");
    let first = dir.results("b.results");
    assert_eq!(first.len(), 1);
    assert!(
        first
            .values()
            .all(|record| record["answer"]["verdicts"][0] == "holds" && record["cpu_seconds"] == 0.5)
    );
    // A round that was killed before anybody read it back is read when somebody goes on.
    std::fs::remove_dir_all(dir.0.join("b.results/results")).unwrap();
    std::fs::write(dir.0.join("bin/benchexec.fine"), "").unwrap();
    let (code, out, err) = run(&["resume", "b.results", "--on=benchexec"]);
    assert!(code == Some(0) && out.starts_with("finished: 2 results"), "{code:?} {out}{err}");
    assert_eq!(dir.results("b.results").len(), 2);
    assert!(Path::new(&dir.0.join("b.results/benchexec/2/output")).is_dir(), "the first round is kept");
}
