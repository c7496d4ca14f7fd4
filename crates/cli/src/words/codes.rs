//! What every code means: `thetis explain` and `docs/codes.md` are made of this table.

use lang::nearest::nearest;

use crate::console::wrapped;
use crate::exit::Failure;

/// A code and what there is to say about it.
struct Entry {
    code: &'static str,
    /// What it means, and how it comes about.
    means: &'static str,
    /// What to do about it.
    help: &'static str,
}

/// Codes that belong together.
struct Part {
    title: &'static str,
    /// What they have in common.
    about: &'static str,
    entries: &'static [Entry],
}

/// What to do about evidence that does not fit.
const MISFIT: &str = "Make the file again from this model.";

/// All codes, in the order in which they are listed.
fn entries() -> impl Iterator<Item = &'static Entry> {
    PARTS.iter().flat_map(|part| part.entries)
}

/// What there is to say about a code.
pub fn explain(code: &str) -> Result<String, Failure> {
    let known = PARTS.iter().find_map(|part| Some((part, part.entries.iter().find(|it| it.code == code)?)));
    match known {
        Some((part, Entry { code, means, help })) => {
            let about = [*means, *help, part.about].map(paragraph).join("\n");
            Ok(format!("{code}\n\n{about}"))
        }
        None => {
            let near = nearest(code, entries().map(|entry| entry.code));
            let near = near.map_or_else(
                || "`thetis explain` lists all".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            Err(Failure::Input(format!("there is no code `{code}`; {near}")))
        }
    }
}

/// All codes, each with its meaning in a line.
pub fn list() -> String {
    let mut text = String::new();
    for part in PARTS {
        text += &format!("{}\n", part.title);
        for Entry { code, means, .. } in part.entries {
            let first = means.split_inclusive(". ").next().unwrap_or_default();
            text += &format!("  {code:<34} {}\n", first.trim().trim_end_matches('.'));
        }
        text += "\n";
    }
    text + "`thetis explain CODE` says more about one of them.\n"
}

/// The page `docs/codes.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Codes\n\n<!-- Made by `thetis manual codes`; a test compares the two. -->\n\n\
         Why something is unknown, unsupported, refused or wrong in a text has a code. Sentences may change, codes do \
         not. JSON carries them as `code`, and `thetis explain CODE` says what is written here.\n",
    );
    for Part { title, about, entries } in PARTS {
        text += &format!("\n## {title}\n\n{about}\n\n| code | meaning | what to do |\n|---|---|---|\n");
        for Entry { code, means, help } in *entries {
            let cell = |text: &str| text.replace('|', "\\|");
            text += &format!("| `{code}` | {} | {} |\n", cell(means), cell(help));
        }
    }
    text
}

/// How many characters a line of an explanation has.
const WIDTH: usize = 96;

fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}

const fn entry(code: &'static str, means: &'static str, help: &'static str) -> Entry {
    Entry { code, means, help }
}

const PARTS: &[Part] = &[
    Part {
        title: "Limits",
        about: "A limit ends a search without an answer: the line is `unknown (…)`, and the exit code 3.",
        entries: &[
            entry(
                "time-limit",
                "The time that `--timeout` allows is up. It covers reading, searching and certifying.",
                "Give a higher `--timeout`, or another engine; `--threads 2` lets `--engine auto` try two at a time.",
            ),
            entry(
                "memory-limit",
                "The program uses as much memory as `--memory-limit` allows.",
                "Give a higher `--memory-limit`, or make the model smaller: ranges for its variables, fewer values, \
                 fewer parts.",
            ),
            entry(
                "state-limit",
                "As many states or nodes are stored as `--state-limit` allows, or as a configuration of `--engine \
                 auto` is given.",
                "Give a higher `--state-limit`, or an engine that stores fewer.",
            ),
            entry(
                "step-limit",
                "As many successors were computed as a configuration of `--engine auto` is given.",
                "The others go on; with one engine named, there is no such limit.",
            ),
            entry(
                "solver-call-limit",
                "As many questions were put to the solver as a configuration of `--engine auto` is given.",
                "The others go on; with one engine named, there is no such limit.",
            ),
            entry(
                "solver-work-limit",
                "A single question was more work for the solver than a configuration of `--engine auto` is given.",
                "The others go on; with one engine named, there is no such limit.",
            ),
            entry(
                "bound",
                "Bounded model checking or k-induction has looked as far as `--bound` says and found nothing; what \
                 lies beyond is open.",
                "Give a higher `--bound` or none.",
            ),
            entry(
                "exhausted",
                "Every configuration of `--engine auto` has been tried, and none would get further with more. Notes say \
                 why each of them stopped.",
                "Follow the notes, which say what would let one of them go on.",
            ),
            entry(
                "interrupted",
                "Somebody asked the program to stop, by Ctrl-C or a signal.",
                "Run it again, with more patience or with a `--timeout`.",
            ),
            entry(
                "overtaken",
                "Another configuration had answered before this one was done.",
                "Nothing; it is only told of as one of several attempts.",
            ),
        ],
    },
    Part {
        title: "What an engine does not support",
        about: "The question is answered `unknown (unsupported: …)`, with exit code 3; another engine, other options or \
                a small change of the model may do. `--engine auto` tries every engine that fits.",
        entries: &[
            entry(
                "unsupported.choices",
                "Two options do not go together.",
                "Leave one of them out, or take another value.",
            ),
            entry(
                "unsupported.clock",
                "The model has clocks, and the engine knows data only.",
                "Take `--engine zone` or `--engine auto`.",
            ),
            entry(
                "unsupported.delay",
                "Time passes in the model, and the engine knows data only.",
                "Take `--engine zone` or `--engine auto`.",
            ),
            entry(
                "unsupported.open-variable",
                "A variable has infinitely many values where it is read, so they cannot be tried one by one. It was \
                 havocked, or never initialised, and nothing bounds it.",
                "Bound it from both sides by an `assume` right after it becomes arbitrary, give it an initial value, or \
                 take `--engine cegar`.",
            ),
            entry(
                "unsupported.open-run",
                "A run to the target exists, but one of its values cannot be found by trying.",
                "Bound the variable by an `assume` right after it becomes arbitrary.",
            ),
            entry(
                "unsupported.unlisted-run",
                "A run to the target exists, but leads through a loop or through choices that cannot be listed.",
                "Take `--engine explicit`, or `--engine zone` where there are clocks.",
            ),
            entry(
                "unsupported.wide-value",
                "A value of a timed model does not fit into 64 bits, which zones are searched with.",
                "Take `--engine cegar`, whose numbers have no limits.",
            ),
            entry(
                "unsupported.zone-data",
                "A condition or a step is beyond what zones are searched with: integers, booleans, enumerations, arrays \
                 over fixed positions, and some thousand cases of conditions over clocks.",
                "Take `--engine cegar` or `--engine auto`, or write the condition in a simpler way.",
            ),
            entry(
                "unsupported.loop",
                "A loop has no formula, because its number of rounds is not known or too large.",
                "Take `--engine explicit`, `--engine zone` where there are clocks, or track all variables by their \
                 values: `--domain EXPL --initprec ALLVARS`.",
            ),
            entry(
                "unsupported.clock-loop",
                "A loop touches clocks, and its number of rounds is not known.",
                "Take `--engine zone`, or track all variables by their values: `--domain EXPL --initprec ALLVARS`.",
            ),
            entry(
                "unsupported.deadlock-condition",
                "Whether a state is a deadlock cannot be written as a condition, because an action has a loop, or a \
                 havoc that its success depends on.",
                "Take `--engine explicit`, or ask without `deadlock`.",
            ),
            entry(
                "unsupported.deadlock-over-clocks",
                "Whether a state is a deadlock depends on clocks in too complex a way for a formula.",
                "Take `--engine zone`.",
            ),
            entry(
                "unsupported.many-locations",
                "There are too many combinations of locations, or too many actions, for formulas about all of them.",
                "Take `--engine explicit`, `--engine zone` or `--engine cegar`.",
            ),
            entry(
                "unsupported.clock-havoc",
                "A clock gets an arbitrary value, which zones beside abstract data cannot follow.",
                "Take `--clockstrategy RAT_ENCODE`.",
            ),
            entry(
                "unsupported.many-bounds",
                "A clock is compared with an expression that has too many values for zones beside abstract data.",
                "Track all variables by their values (`--domain EXPL --initprec ALLVARS`), or take `--clockstrategy \
                 RAT_ENCODE` or `--engine zone`.",
            ),
            entry(
                "unsupported.many-ways",
                "A statement touches clocks in too many different ways to be split into alternatives.",
                "Take `--clockstrategy CF_SPLIT_FILTERCF`, `--clockstrategy RAT_ENCODE` or `--engine zone`.",
            ),
            entry(
                "unsupported.not-a-difference",
                "A condition uses clocks in another way than in differences that are compared with numbers.",
                "Take `--clockstrategy RAT_ENCODE`.",
            ),
            entry(
                "unsupported.unbounded-constraint",
                "A clock is compared with an expression that has no greatest value, so zones have no bound to stop at.",
                "Give the variables of the expression ranges.",
            ),
            entry(
                "unsupported.unbounded-reset",
                "A clock that is part of a difference is set to an expression that has no greatest value.",
                "Give the variables of the expression ranges.",
            ),
            entry(
                "unsupported.varying-difference",
                "A difference of two clocks is compared with an expression that is not constant.",
                "Compare it with constants, in one edge for each.",
            ),
            entry(
                "unsupported.unsound",
                "An option would give wrong answers for this model or question: simulation of zones (a≼LU) does not \
                 keep differences of clocks or deadlocks.",
                "Take `--covering inclusion`, or `--zonestrategy BW_ITP` or `FW_ITP`.",
            ),
            entry(
                "unsupported.not-counting",
                "Linear invariants are for Petri nets that are not too large, and models as simple.",
                "Take another engine, or `--engine auto`.",
            ),
        ],
    },
    Part {
        title: "No progress",
        about: "A search has noticed that going on would lead nowhere. The line is `unknown (no progress: …)`, the exit \
                code 3.",
        entries: &[
            entry(
                "no-progress.tracked",
                "Abstraction refinement tracks everything that its domain can say, and the abstraction still shows a \
                 trace that cannot be executed.",
                "Take another `--domain`, such as EXPL_PRED_COMBINED or PRED_CART, another `--refinement` or \
                 `--interpolation`, or let the model say more, such as ranges of its variables.",
            ),
            entry(
                "no-progress.no-invariant",
                "No linear invariant excludes what is asked for; it may be reachable or not.",
                "Take `--engine explicit`.",
            ),
            entry(
                "no-progress.strengthening",
                "Lazy abstraction strengthens the labels of few nodes again and again.",
                "Take `--engine zone`.",
            ),
            entry(
                "no-progress.interpolation",
                "Interpolation of zones has made very many nodes and need not end.",
                "Take `--zonestrategy LU` or `--engine zone`.",
            ),
            entry(
                "no-progress.zone-abstraction",
                "Abstraction of zones beside that of data has made very many nodes and need not end.",
                "Take `--engine zone` or `--engine lazy --zonestrategy LU`.",
            ),
        ],
    },
    Part {
        title: "Numbers that are too large",
        about: "Zones compute with bounds of at most 2^28. The line is `unknown (…)`, the exit code 3.",
        entries: &[
            entry(
                "outgrown.constant",
                "A clock is compared with a constant beyond 2^28.",
                "Scale the constants of clocks down, or take `--engine cegar`, whose numbers have no limits.",
            ),
            entry(
                "outgrown.within",
                "`--within` asks about more than 2^28 time units.",
                "Ask about less, or take `--engine cegar`, whose numbers have no limits.",
            ),
            entry(
                "outgrown.bound",
                "A bound of a clock that the search computed is beyond 2^28.",
                "Scale the constants of clocks down, or take `--engine cegar`, whose numbers have no limits.",
            ),
            entry(
                "outgrown.clocks",
                "The model has so many clocks that a single zone of them is too large.",
                "Take `--engine cegar`, or give the model fewer clocks.",
            ),
        ],
    },
    Part {
        title: "Solvers",
        about: "Abstraction refinement, bounded model checking, k-induction and the checker of invariants ask Z3. \
                `thetis doctor` says whether it works; `--engine explicit` and `--engine zone` need none.",
        entries: &[
            entry(
                "solver.gave-up",
                "The solver said that it does not know.",
                "Take another engine, or another `--interpolation`.",
            ),
            entry(
                "solver.unsupported",
                "The solver, or a way to interpolate, has no means to express something.",
                "Take another engine, or another `--interpolation`.",
            ),
            entry(
                "solver.missing",
                "The library of Z3 was not found or cannot be used.",
                "Follow the note, or set `Z3_LIB_DIR`; `thetis doctor` says what was tried.",
            ),
            entry(
                "solver.broken",
                "A solver could not be started, has ended, or did not answer as solvers do; its last lines are in a \
                 note.",
                "Check the command that was given as `smtlib:COMMAND`; `thetis doctor` tries the solvers it knows.",
            ),
            entry(
                "solver.no-interpolants",
                "No strategy found out why a trace cannot be executed.",
                "Take another `--interpolation`, or another engine.",
            ),
            entry(
                "solver.contradiction",
                "Two answers of the solver cannot both be right.",
                "Please report it, with the model and the version that `thetis doctor` tells.",
            ),
        ],
    },
    Part {
        title: "What could not be certified",
        about: "The search has an answer, and whether its evidence is right could not be decided. The line is `unknown \
                (not certified: …)`, the exit code 3. Another engine gives other evidence; `--no-certify` takes the \
                answer as it is, and `--obligations` writes what is to be shown for another solver.",
        entries: &[
            entry(
                "uncertified.lemma",
                "The lemma of a proof by k-induction could not be checked.",
                "Take another engine.",
            ),
            entry(
                "uncertified.deep-formula",
                "A formula of a certificate is nested more deeply than solvers can read.",
                "Take another engine.",
            ),
            entry(
                "uncertified.no-condition",
                "What is asked for cannot be written as a condition at some locations.",
                "Take `--engine explicit`, or ask without `deadlock`.",
            ),
            entry(
                "uncertified.loop",
                "A loop has no bounds that are known, so what it does is no formula.",
                "Take `--engine explicit`, or give what the loop counts a bound.",
            ),
            entry(
                "uncertified.many-actions",
                "There are too many actions for one formula.",
                "Take `--engine explicit`.",
            ),
            entry(
                "uncertified.long-runs",
                "A proof by k-induction is about runs that are too long to be looked at.",
                "Take another engine.",
            ),
            entry(
                "uncertified.solver",
                "The solver could not be asked, or did not answer.",
                "Run `thetis doctor`, or take an engine whose evidence needs no solver: explicit or zone.",
            ),
            entry(
                "uncertified.unwritable",
                "Something that is to be shown cannot be written down as SMT-LIB.",
                "Take another engine, whose certificate has other obligations.",
            ),
            entry(
                "uncertified.many-clocks",
                "Lists of zones over so many clocks are not checked.",
                "Take `--engine cegar`.",
            ),
            entry(
                "uncertified.comparison",
                "A condition compares clocks in a way that no zone can show.",
                "Write it with differences of two clocks that are compared with numbers.",
            ),
            entry(
                "uncertified.condition",
                "A condition over clocks can hold in more ways than the checker follows.",
                "Write it in a simpler way, or take `--engine cegar`.",
            ),
            entry(
                "uncertified.invariant",
                "An invariant over clocks can hold in more ways than the checker follows.",
                "Write it in a simpler way, or take `--engine cegar`.",
            ),
            entry(
                "uncertified.property",
                "The property over clocks can hold in more ways than the checker follows.",
                "Write it in a simpler way, or take `--engine cegar`.",
            ),
            entry(
                "uncertified.open-loop",
                "A loop depends on data that the certificate leaves open.",
                "Take `--no-preprocess`, or `--data EXPLICIT` with `--engine lazy`.",
            ),
            entry(
                "uncertified.clock-loop",
                "A loop depends on clocks, which the checker does not follow.",
                "Take `--engine cegar`.",
            ),
            entry(
                "uncertified.clock-value",
                "A clock is set to a value that no zone can show.",
                "Set clocks to integers that are not negative and not too large.",
            ),
            entry("uncertified.clock-havoc", "A clock gets an arbitrary value.", "Take `--engine cegar`."),
            entry(
                "uncertified.open-bound",
                "A clock is compared with what depends on a variable that the certificate leaves open.",
                "Take `--no-preprocess`, or `--data EXPLICIT` with `--engine lazy`.",
            ),
            entry(
                "uncertified.wide-bound",
                "A clock is compared with a number that no zone can show.",
                "Scale the constants of clocks down, or take `--engine cegar`.",
            ),
            entry(
                "uncertified.not-enumerable",
                "The values of a variable cannot be enumerated.",
                "Give the variable a range.",
            ),
            entry(
                "uncertified.large-constants",
                "The constants of clocks are too large to look for deadlocks.",
                "Scale the constants of clocks down.",
            ),
        ],
    },
    Part {
        title: "Evidence that is wrong",
        about: "A trace or a certificate was refused by `thetis validate`, exit code 2: it is about another model, \
                property or version of them, or was damaged. From `thetis check` it is an internal error, exit code 4: \
                please report it.",
        entries: &[
            entry(
                "evidence.shape",
                "A state does not have the locations and variables that the model's states have.",
                "Make the file again from this model.",
            ),
            entry(
                "evidence.value",
                "A value is not of the type or the range of its variable.",
                "Make the file again from this model.",
            ),
            entry(
                "evidence.no-value",
                "A variable has no value in a state of a run.",
                "Give every variable a value in every state.",
            ),
            entry(
                "evidence.not-enumerable",
                "A variable has infinitely many values, so a list of states cannot show anything.",
                "Certify with another engine, whose certificate is an invariant.",
            ),
            entry(
                "evidence.delay",
                "Time passes, and a list of states without zones cannot show that.",
                "Certify with `--engine zone`.",
            ),
            entry(
                "evidence.choices",
                "The choices that were recorded are none that the model has.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.not-initial",
                "A run does not start at the initial locations.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.foreign",
                "A file is neither a trace nor a certificate.",
                "Give a file that `--trace` or `--certificate` has written.",
            ),
            entry(
                "evidence.other-format",
                "A file of Thetis is of another kind than is needed here.",
                "Give a trace where a trace is needed, and a certificate where a certificate is.",
            ),
            entry(
                "evidence.other-version",
                "A file is of a version that this Thetis does not read.",
                "Make the file again, or use a newer Thetis.",
            ),
            entry(
                "evidence.damaged",
                "A trace or a certificate lacks something, or has something that does not belong there.",
                "Make the file again.",
            ),
            entry(
                "evidence.no-such-step",
                "A step of a run is none of the model's: these edges do not lead from here to there.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.endless",
                "A run repeats for ever, and the question is about a state that a run ends in.",
                "Make the trace again from this model and this question.",
            ),
            entry(
                "evidence.another-value",
                "A step gives a variable another value than the run says.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.assumption-fails",
                "An assumption or a guard fails on the way.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.no-execution",
                "No execution of a step leads to the state that the run says.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.unknown-fault",
                "The fault that a run ends in is none of the model's.",
                "Make the trace again from this model.",
            ),
            entry(
                "evidence.unobserved",
                "A run ends where properties do not look.",
                "Check with the same `--check-states` as the file says.",
            ),
            entry(
                "evidence.not-a-target",
                "The last state of a run does not decide the property.",
                "Give the property that the run is about with `-p`.",
            ),
            entry(
                "evidence.no-condition",
                "The property cannot be written as a condition there.",
                "Ask without `deadlock`.",
            ),
            entry(
                "evidence.initial-state",
                "An initial state is not contained in what the certificate lists.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.successor",
                "A successor of something that the certificate lists is not contained in it.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.target",
                "The certificate lists a state that decides the property the other way.",
                "Make the certificate again for this property.",
            ),
            entry(
                "evidence.fault",
                "The certificate lists a state where something has gone wrong.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.no-zone",
                "The bounds of an entry are no zone of the model's clocks.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.not-closed",
                "A zone that stands for all it simulates is not in closed form.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.constants",
                "The constants for simulation do not fit the model's clocks.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.clock-values",
                "Clocks have values of their own beside their zone.",
                "Leave the values of clocks open.",
            ),
            entry(
                "evidence.simulated-deadlock",
                "The certificate relies on simulation, which does not keep deadlocks.",
                "Certify without `--covering alu` and `--zonestrategy LU`.",
            ),
            entry(
                "evidence.locations",
                "The locations of an entry are none of the model's.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.no-such-entry",
                "An entry points at another that does not exist.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.formula",
                "A formula of the certificate is not one that can be relied on: a term, a type or a variable is none of \
                 the model's.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.no-states",
                "A proof by k-induction looks at no state of any run.",
                "Make the certificate again, with k of at least 1.",
            ),
            entry(
                "evidence.bad-run",
                "The base of a proof by k-induction is wrong: a short run decides the property the other way.",
                "Make the certificate again for this property.",
            ),
            entry(
                "evidence.longer-run",
                "There are runs that are longer than the proof says.",
                "Make the certificate again from this model.",
            ),
            entry(
                "evidence.bad-step",
                "The step of a proof by k-induction is wrong: k good states in a row do not imply the next.",
                "Make the certificate again for this property.",
            ),
        ],
    },
    Part {
        title: "Evidence about another model",
        about: "A trace or a certificate does not fit the model that it is given with, exit code 2.",
        entries: &[
            entry("misfit.variable", "The file speaks of a variable that the model does not have.", MISFIT),
            entry("misfit.enumerations", "The enumerations of the file are not those of the model.", MISFIT),
            entry(
                "misfit.names",
                "The variables or locations of the file are not those of the model.",
                MISFIT,
            ),
            entry(
                "misfit.shape",
                "A state of the file has another number of locations or values than the model.",
                MISFIT,
            ),
            entry("misfit.location", "The file speaks of a location that the model does not have.", MISFIT),
            entry(
                "misfit.locations",
                "A state of the file has fewer locations than the model has processes.",
                MISFIT,
            ),
            entry("misfit.process", "The file speaks of a process that the model does not have.", MISFIT),
            entry("misfit.edge", "The file speaks of an edge that the model does not have.", MISFIT),
            entry("misfit.value", "A value of the file is none of its variable or type.", MISFIT),
            entry("misfit.time", "An amount of time in the file is none.", MISFIT),
            entry("misfit.delay", "A step of the file shows another delay than its choices make.", MISFIT),
            entry(
                "misfit.written",
                "An edge is written elsewhere in the model than the file says; the model was edited.",
                MISFIT,
            ),
            entry("misfit.start", "The run does not start where the model does.", MISFIT),
            entry("misfit.impossible", "A step of the run cannot be taken there.", MISFIT),
            entry("misfit.differs", "A step of the run gives a variable another value.", MISFIT),
            entry("misfit.blocked", "An assumption fails in a step of the run.", MISFIT),
            entry(
                "misfit.no-execution",
                "No execution of a step leads to the state that the run says.",
                MISFIT,
            ),
            entry("misfit.choices", "The choices of a step are not those of the model.", MISFIT),
            entry("misfit.no-fault", "The run claims to end in a fault, and does not.", MISFIT),
            entry("misfit.fault", "The run ends in a fault, and does not say so.", MISFIT),
            entry("misfit.other-fault", "The run ends in another fault than it says.", MISFIT),
            entry(
                "misfit.not-undefined",
                "The run claims that evaluating the property goes wrong at its end, and that does not.",
                MISFIT,
            ),
            entry(
                "misfit.undefined",
                "Evaluating the property goes wrong at the end of the run, and it does not say so.",
                MISFIT,
            ),
            entry("misfit.late", "The run goes beyond the time that the property is about.", MISFIT),
            entry("misfit.undecided", "The last state of the run does not decide the property.", MISFIT),
            entry(
                "misfit.clock",
                "A zone of the file is about a clock that the model does not have.",
                MISFIT,
            ),
            entry("misfit.bound", "A bound of a zone is too large.", MISFIT),
            entry("misfit.count", "The lists of the file are not of the same length.", MISFIT),
            entry("misfit.induction", "The file does not say how many states an induction looks at.", MISFIT),
            entry("misfit.formula", "A formula of the file cannot be read.", MISFIT),
        ],
    },
    Part {
        title: "Files",
        about: "Something that was given cannot be used, exit code 2.",
        entries: &[
            entry("file.missing", "There is no such file.", "Check the spelling and the directory."),
            entry("file.forbidden", "The file may not be read by you.", "Check its permissions."),
            entry("file.directory", "The file is a directory.", "Name a file in it."),
            entry("file.too-large", "The file is larger than 1 GB.", "Split it."),
            entry("file.binary", "The file is no text.", "Check that it is the right file."),
            entry("file.not-utf8", "The file is no UTF-8 text.", "Save it as UTF-8."),
            entry(
                "file.unreadable",
                "The file cannot be read.",
                "The message has the words of the operating system.",
            ),
            entry(
                "file.unwritable",
                "A file or its directory cannot be written.",
                "Name another one, or check permissions.",
            ),
            entry(
                "language.unknown",
                "The extension of the file stands for no language that is known.",
                "Rename the file, or convert it; the message lists the languages.",
            ),
            entry(
                "text.empty",
                "The text of a model has nothing in it.",
                "Write a model; `thetis example` prints some.",
            ),
            entry(
                "text.mistakes",
                "A text has mistakes in it; each has a code of its own.",
                "Mend them one by one.",
            ),
            entry(
                "question.within",
                "The question cannot be asked about the first units of time only.",
                "Ask without `--within`, or about a model with clocks.",
            ),
        ],
    },
    Part {
        title: "Models that go wrong",
        about: "A step or a query is undefined in a state that can be reached. The line is `error (…)`, the exit code 2, \
                and the run that leads there is shown.",
        entries: &[
            entry(
                "fault.division-by-zero",
                "A division or a remainder by zero.",
                "Guard the division, or divide by what cannot be zero.",
            ),
            entry(
                "fault.out-of-range",
                "A variable gets a value outside of its range.",
                "Widen the range, or guard the assignment.",
            ),
            entry(
                "fault.index-out-of-range",
                "An array is read or written outside of its positions.",
                "Guard the position, or make the array longer.",
            ),
        ],
    },
    Part {
        title: "Options that do not go together",
        about: "Bad usage, exit code 2; the message names both options.",
        entries: &[
            entry(
                "option.engine",
                "The engine does not know an option.",
                "Leave the option out, or choose an engine that knows it.",
            ),
            entry(
                "option.search",
                "Abstraction refinement searches breadth first or depth first only.",
                "Take `--search bfs` or `--search dfs`.",
            ),
            entry(
                "option.covering",
                "In lazy abstraction, `--zonestrategy` says what covers.",
                "Leave `--covering` out.",
            ),
            entry(
                "option.domain",
                "An option needs something that the domain does not have, such as predicates or explicit values.",
                "Leave the option out, or take another `--domain`.",
            ),
            entry(
                "option.interpolation",
                "The refinement says by itself how traces are explained.",
                "Leave `--interpolation` out, or take another `--refinement`.",
            ),
        ],
    },
    Part {
        title: "Texts that cannot be read",
        about: "Something is wrong with a model, a property or a query: exit code 2. Every error has its place, and all \
                errors of a text are told at once.",
        entries: &[
            entry("empty", "The text, or the property, is empty.", "Write something into it."),
            entry("too-long", "The text is longer than 1 GiB.", "Split the model."),
            entry("too-deep", "Something is nested deeper than can be read.", "Split it into simpler parts."),
            entry(
                "too-large",
                "Something stands for more than can be written out: entries of an array, processes of a template, edges \
                 of a `select`, calls of functions.",
                "Give the types narrower bounds, or write fewer of them.",
            ),
            entry(
                "too-many-errors",
                "There are more errors in the text than are shown.",
                "Fix the first ones; the others may follow from them.",
            ),
            entry(
                "not-xml",
                "The text is no well-formed XML.",
                "Mend the document at the place that is shown.",
            ),
            entry(
                "wrong-document",
                "The XML is a document of another kind than a model, or properties, of this language.",
                "Check the file, and its extension.",
            ),
            entry(
                "unknown-element",
                "An element or a label is none of the language. As a warning, it is skipped; as an error, it looks like \
                 a misspelt one.",
                "Correct its name, or remove it.",
            ),
            entry("missing-part", "Something that is needed is missing.", "Add what the message names."),
            entry(
                "repeated-part",
                "Something is there twice that can be there once.",
                "Join the two, or remove one of them.",
            ),
            entry(
                "ignored-part",
                "Something has no influence on what is asked, and is skipped.",
                "Nothing, or remove it.",
            ),
            entry(
                "misplaced",
                "Something stands where it cannot stand, such as `deadlock` outside of a query.",
                "Move it to where the message says, or remove it.",
            ),
            entry(
                "syntax",
                "The words do not follow the grammar of the language.",
                "See the place; `thetis language xsts`, `xta` or `pnml` prints the grammar.",
            ),
            entry("unexpected-character", "A character stands for nothing in the language.", "Remove it."),
            entry(
                "unclosed",
                "A bracket, a block, a comment or a quoted name is not closed.",
                "Close it; the message shows where it was opened.",
            ),
            entry(
                "foreign-spelling",
                "This is how other languages write it; the message says how it is written here.",
                "Write it as the message says.",
            ),
            entry(
                "invalid-number",
                "A number is written in a way that has no meaning here, or has too many digits.",
                "Write it as the message says.",
            ),
            entry("reserved-word", "A word of the language is used as a name.", "Choose another name."),
            entry(
                "unknown-name",
                "Nothing has this name where it is used.",
                "Correct the name, or declare it; `thetis info MODEL` lists the variables and literals.",
            ),
            entry("duplicate-name", "Two things have the same name.", "Rename or remove one of them."),
            entry(
                "ambiguous-name",
                "Several things have this name, and nothing tells which is meant.",
                "Write it in full, such as `Type.Literal`, or use the id.",
            ),
            entry(
                "name-clash",
                "The name is that of a thing of another kind, or built in.",
                "Choose another name.",
            ),
            entry(
                "wrong-kind",
                "The name stands for a thing of another kind than is needed, such as a type for a value.",
                "Use a name of the kind that the message says.",
            ),
            entry(
                "used-early",
                "The name is declared after the place where it is used; names are resolved in order.",
                "Move the declaration before the place where it is used.",
            ),
            entry("circular-reference", "A reference leads back to itself.", "Break the circle."),
            entry(
                "type-mismatch",
                "A value is not of the type that is needed.",
                "Change the value, or the declaration.",
            ),
            entry("unclear-type", "Nothing tells the type of a value.", "Write the type."),
            entry(
                "wrong-count",
                "There are more or fewer of something than are needed, such as arguments or values.",
                "Write as many as the message says.",
            ),
            entry(
                "out-of-range",
                "A number is outside of what is allowed.",
                "Change the number, or the range.",
            ),
            entry(
                "not-constant",
                "A value has to be known before the model runs, and is not.",
                "Write a number, or something made of constants.",
            ),
            entry(
                "not-assignable",
                "What is to be changed is no variable, or cannot be changed here.",
                "Assign to a variable, or use a copy.",
            ),
            entry(
                "side-effect",
                "Something changes variables where only a value is asked for.",
                "Move the change into an update.",
            ),
            entry(
                "conflicting-writes",
                "Several blocks of an `ort` write a variable; where they give it different values, the step is blocked.",
                "Let one block write it, or mean it.",
            ),
            entry(
                "no-value-yet",
                "A variable is read before it has a value.",
                "Use only variables that are declared before.",
            ),
            entry(
                "undefined",
                "A value may be undefined where it must not be, such as a division by zero in a property.",
                "Exclude the case first, as in `n == 0 || 10 / n >= 2`.",
            ),
            entry(
                "no-initial-state",
                "An invariant of an initial location does not hold at the start, so there is no initial state.",
                "Change the invariant, or the initial values.",
            ),
            entry(
                "wrong-return",
                "A function returns a value and should not, or the other way round.",
                "Change its type, or its `return`.",
            ),
            entry(
                "unbounded-loop",
                "A loop of a function that is called in a condition has no end that can be shown.",
                "Give what it counts narrower bounds, or call it only in updates.",
            ),
            entry(
                "clock-misuse",
                "A clock is used in a way that clocks cannot be used: they are compared, reset and grow.",
                "Compare clocks with integers, or two of them by their difference.",
            ),
            entry(
                "clock-bound",
                "A clock is compared with what is no constant integer.",
                "Write the number itself; choose a smaller unit of time for fractions.",
            ),
            entry(
                "time-never-passes",
                "There are clocks, and no statement lets time pass. This is a warning.",
                "Let time pass with `__delay;`, usually in `env` or `trans`.",
            ),
            entry(
                "channel-misuse",
                "A channel is used in ways that exclude each other.",
                "Use it in one way, or declare another.",
            ),
            entry(
                "misconnected",
                "An arc or a transition connects what it cannot connect.",
                "Connect a place with a transition, or a branch point with a location.",
            ),
            entry(
                "unclear-claim",
                "It is not clear what a property claims.",
                "Write `A[] e` for what is to hold always, or `E<> e` for what is to be possible.",
            ),
        ],
    },
    Part {
        title: "What a language lacks here",
        about: "The text is right, and needs what is not supported. In a question, it is answered `unknown (unsupported: \
                …)`, exit code 3, alone or among several; in a model, the model cannot be read, exit code 2.",
        entries: &[
            entry(
                "unsupported.temporal-formula",
                "A temporal formula goes beyond one \"always\" or \"possibly\" at the front.",
                "Ask `A[] e`, `AG e`, `E<> e` or `EF e`.",
            ),
            entry(
                "unsupported.query",
                "The query is of another kind than a question about reachable states.",
                "Ask `A[] e` or `E<> e`.",
            ),
            entry(
                "unsupported.place-bound",
                "The largest number of tokens of a place is not computed.",
                "Ask whether it stays below a number.",
            ),
            entry(
                "unsupported.deadlock",
                "A property of an XSTS cannot ask for deadlocks.",
                "Run `thetis simulate MODEL --random`, which stops where no step is possible.",
            ),
            entry("unsupported.colours", "The net has tokens of several colours.", "Unfold the net first."),
            entry(
                "unsupported.capacity",
                "A place holds only so many tokens.",
                "Add a second place for what is free.",
            ),
            entry(
                "unsupported.priority",
                "Transitions, channels or processes have priorities.",
                "Write conditions that say the same.",
            ),
            entry(
                "unsupported.arc",
                "An arc is neither normal, nor an inhibitor, nor one that reads.",
                "Write it with arcs of these kinds.",
            ),
            entry(
                "unsupported.probability",
                "The model has probabilities or exponential rates.",
                "Remove them; what can happen stays the same.",
            ),
            entry(
                "unsupported.clock-rate",
                "A clock runs at another rate than 1.",
                "Use clocks that run at rate 1.",
            ),
            entry(
                "unsupported.clock-copy",
                "A clock gets the value of another clock.",
                "Set clocks to integers.",
            ),
            entry(
                "unsupported.dynamic-template",
                "Processes are made while the model runs.",
                "List them in the system line.",
            ),
            entry(
                "unsupported.external-function",
                "A function of another program is called.",
                "Write the function in the model.",
            ),
            entry("unsupported.recursion", "A function calls itself.", "Write a loop."),
            entry(
                "unsupported.type",
                "A type of values is not supported, such as floating-point numbers.",
                "Use bounded integers, in a smaller unit if need be.",
            ),
            entry("unsupported.operator", "An operator is not supported.", "Write it with others."),
            entry("unsupported.statement", "A statement is not supported.", "Write it with others."),
            entry(
                "unsupported.part",
                "Some other part of a model is not supported.",
                "Write the model without it.",
            ),
        ],
    },
    Part {
        title: "Everything else",
        about: "What has no code of its own.",
        entries: &[
            entry("usage", "The command line cannot be read. Exit code 2.", "See `thetis COMMAND --help`."),
            entry(
                "input",
                "Something that was given cannot be used, such as a file that is not there. Exit code 2.",
                "Follow the message.",
            ),
            entry("internal", "Thetis itself is wrong. Exit code 4.", REPORT),
            entry("internal.unasked-run", "A search found a run that answers no question.", REPORT),
            entry("internal.lost-delays", "A run without delays has no counterpart with them.", REPORT),
            entry("internal.lost-path", "A path that a search found cannot be followed.", REPORT),
            entry("internal.lost-zone", "A zone leads where no valuation does.", REPORT),
            entry(
                "internal.no-thread",
                "The system gave no thread for the search.",
                "Try `--threads 1`; if that does not help, please report it.",
            ),
        ],
    },
];

const REPORT: &str = "Please report it, with the model and the command that you ran.";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_explained_once() {
        let mut all: Vec<&str> = lang::code::Code::ALL.iter().map(|code| code.code()).collect();
        all.extend(engine::codes());
        all.extend(certify::codes());
        all.extend(thetis::codes());
        all.extend(ir::FaultKind::CODES);
        all.extend(["usage", "input", "internal"]);
        let explained: Vec<&str> = entries().map(|entry| entry.code).collect();
        let (known, listed): (BTreeSet<&str>, BTreeSet<&str>) =
            (all.iter().copied().collect(), explained.iter().copied().collect());
        assert_eq!(listed.len(), explained.len(), "twice in the table");
        assert_eq!(known.len(), all.len(), "one code for two things");
        assert_eq!(known.difference(&listed).collect::<Vec<_>>(), Vec::<&&str>::new(), "not explained");
        assert_eq!(listed.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "nobody says so");
    }

    #[test]
    fn an_unknown_code_is_told_its_neighbour() {
        let Err(Failure::Input(why)) = explain("time-limt") else { panic!("there is no such code") };
        assert_eq!(why, "there is no code `time-limt`; did you mean `time-limit`?");
        assert!(
            explain("time-limit")
                .unwrap()
                .starts_with("time-limit\n\nThe time that `--timeout` allows is up.")
        );
    }
}
