//! The table of codes, in the order in which they are listed.

use super::{Entry, Part};

/// What to do about evidence that does not fit.
const MISFIT: &str = "Make the file again from this model.";

const REPORT: &str = "Please report it, with the model and the command that you ran.";

/// Declares parts with their titles and what their codes have in common, and each code with what it means and what to
/// do about it.
macro_rules! parts {
    ($($title:literal: $about:literal { $($code:literal: $means:literal => $help:expr;)+ })+) => {
        &[$(Part {
            title: $title,
            about: $about,
            entries: &[$(Entry { code: $code, means: $means, help: $help }),+],
        }),+]
    };
}

/// All codes.
pub(super) const PARTS: &[Part] = parts! {
    "Limits":
        "A limit ends a search without an answer: the line is `unknown (…)`, and the exit code 3." {
        "time-limit": "The time that `--timeout` allows is up. It covers reading, searching and \
            certifying."
            => "Give a higher `--timeout`, or another engine; `--threads 2` lets `--engine auto` try two \
                at a time.";
        "memory-limit": "The program uses as much memory as `--memory-limit` allows."
            => "Give a higher `--memory-limit`, or make the model smaller: ranges for its variables, \
                fewer values, fewer parts.";
        "script.too-many": "A step of a prescribed run leaves so much open that not every execution could be \
            compared, and none of those that were does what is said."
            => "Say more about the steps: the values of what comes in, the instance that is scheduled, and \
                how much time passes.";
        "state-limit": "As many states or nodes are stored as `--state-limit` allows, or as a \
            configuration of `--engine auto` is given."
            => "Give a higher `--state-limit`, or an engine that stores fewer.";
        "step-limit": "As many successors were computed as a configuration of `--engine auto` is given."
            => "The others go on; with one engine named, there is no such limit.";
        "solver-call-limit": "As many questions were put to the solver as a configuration of `--engine \
            auto` is given."
            => "The others go on; with one engine named, there is no such limit.";
        "solver-work-limit": "A single question was more work for the solver than a configuration of \
            `--engine auto` is given."
            => "The others go on; with one engine named, there is no such limit.";
        "bound": "Bounded model checking or k-induction has looked as far as `--bound` says and found \
            nothing; what lies beyond is open."
            => "Give a higher `--bound` or none.";
        "exhausted": "Every configuration of `--engine auto` has been tried, and none would get further \
            with more. Notes say why each of them stopped."
            => "Follow the notes, which say what would let one of them go on.";
        "value-limit": "A value that is asked for (`sup`, `inf`, `bounds`) is a clock's beyond 2^28, or grows without a bound \
            that could be shown, or may be a fraction, because clocks stand still or are added up. What is known of it is told."
            => "Ask for it in a part of the runs only (`--within`), or under a condition that bounds it.";
        "interrupted": "Somebody asked the program to stop, by Ctrl-C or a signal."
            => "Run it again, with more patience or with a `--timeout`.";
        "overtaken": "Another configuration had answered before this one was done."
            => "Nothing; it is only told of as one of several attempts.";
    }
    "What an engine does not support":
        "The question is answered `unknown (unsupported: …)`, with exit code 3; another engine, other \
         options or a small change of the model may do. `--engine auto` tries every engine that fits." {
        "unsupported.choices": "Two options do not go together."
            => "Leave one of them out, or take another value.";
        "unsupported.clock": "The model has clocks, and the engine knows data only."
            => "Take `--engine zone` or `--engine auto`.";
        "unsupported.delay": "Time passes in the model, and the engine knows data only."
            => "Take `--engine zone` or `--engine auto`.";
        "unsupported.open-variable": "A variable has infinitely many values where it is read, so they \
            cannot be tried one by one. It was havocked, or never initialised, and nothing bounds it."
            => "Bound it from both sides by an `assume` right after it becomes arbitrary, give it an \
                initial value, or take `--engine cegar`.";
        "unsupported.open-run": "A run to the target exists, but one of its values cannot be found by \
            trying."
            => "Bound the variable by an `assume` right after it becomes arbitrary.";
        "unsupported.unlisted-run": "A run to the target exists, but leads through a loop or through \
            choices that cannot be listed."
            => "Take `--engine explicit`, or `--engine zone` where there are clocks.";
        "unsupported.wide-value": "A value of a timed model does not fit into 64 bits, which zones are \
            searched with."
            => "Take `--engine cegar`, whose numbers have no limits.";
        "unsupported.zone-data": "A condition or a step is beyond what zones are searched with: \
            integers, booleans, enumerations, arrays over fixed positions, and some thousand cases of \
            conditions over clocks."
            => "Take `--engine cegar` or `--engine auto`, or write the condition in a simpler way.";
        "unsupported.loop": "A loop has no formula, because its number of rounds is not known or too \
            large."
            => "Take `--engine explicit`, `--engine zone` where there are clocks, or track all variables \
                by their values: `--domain EXPL --initprec ALLVARS`.";
        "unsupported.clock-loop": "A loop touches clocks, and its number of rounds is not known."
            => "Take `--engine zone`, or track all variables by their values: `--domain EXPL --initprec \
                ALLVARS`.";
        "unsupported.deadlock-condition": "Whether a state is a deadlock cannot be written as a \
            condition, because an action has a loop, or a havoc that its success depends on."
            => "Take `--engine explicit`, or ask without `deadlock`.";
        "unsupported.deadlock-over-clocks": "Whether a state is a deadlock depends on clocks in too \
            complex a way for a formula."
            => "Take `--engine zone`.";
        "unsupported.many-locations": "There are too many combinations of locations, or too many \
            actions, for formulas about all of them."
            => "Take `--engine explicit`, `--engine zone` or `--engine cegar`.";
        "unsupported.clock-havoc": "A clock gets an arbitrary value, which zones beside abstract data \
            cannot follow."
            => "Take `--clockstrategy RAT_ENCODE`.";
        "unsupported.uneven-clock": "A clock stands still at times, which zones cannot follow, or is set to \
            a sum of clocks or to one with an offset, which zones do not follow."
            => "Take `--engine cegar`, or leave the choice to `--engine auto`.";
        "unsupported.many-bounds": "A clock is compared with an expression that has too many values for \
            zones beside abstract data."
            => "Track all variables by their values (`--domain EXPL --initprec ALLVARS`), or take \
                `--clockstrategy RAT_ENCODE` or `--engine zone`.";
        "unsupported.many-ways": "A statement touches clocks in too many different ways to be split into \
            alternatives."
            => "Take `--clockstrategy CF_SPLIT_FILTERCF`, `--clockstrategy RAT_ENCODE` or `--engine \
                zone`.";
        "unsupported.not-a-difference": "A condition uses clocks in another way than in differences that \
            are compared with numbers."
            => "Take `--clockstrategy RAT_ENCODE`.";
        "unsupported.unbounded-constraint": "A clock is compared with an expression that has no greatest \
            value, so zones have no bound to stop at."
            => "Give the variables of the expression ranges.";
        "unsupported.unbounded-reset": "A clock that is part of a difference is set to an expression \
            that has no greatest value."
            => "Give the variables of the expression ranges.";
        "unsupported.varying-difference": "A difference of two clocks is compared with an expression \
            that is not constant."
            => "Compare it with constants, in one edge for each.";
        "unsupported.unsound": "An option would give wrong answers for this model or question: \
            simulation of zones (a≼LU) does not keep differences of clocks or deadlocks."
            => "Take `--covering inclusion`, or `--zonestrategy BW_ITP` or `FW_ITP`.";
        "unsupported.not-counting": "Linear invariants are for Petri nets that are not too large, and \
            models as simple."
            => "Take another engine, or `--engine auto`.";
        "unsupported.endless": "The property is about whole runs, and the engine searches for states only. \
            It answers those that a finite beginning of a run decides, which are safety properties."
            => "Take `--engine auto`, or `--engine explicit`.";
        "unsupported.branching": "The property says that something can always be reached again, which only listing all \
            states answers."
            => "Take `--engine auto`, or `--engine explicit`.";
        "unsupported.open-return": "The property says that something can always be reached again, and whether it can \
            depends on the value of a variable that is not known."
            => "Give the variable an initial value.";
        "unsupported.endless-time": "The property is about whole runs and reads a clock, whose value changes \
            between two steps of a run, or asks for deadlocks that depend on one: a state in which time passes may become \
            deadlocked by that."
            => "Give a location an invariant and ask about the location, ask about states (`A[]`), or for a bounded \
                response (`p -->[<=10] q`).";
        "unsupported.large-formula": "The automaton of a temporal formula has too many states or \
            transitions. Their number can grow exponentially with the formula."
            => "Split the formula at its conjunctions, and ask for each part; `thetis ltl FORMULA` shows how \
                large an automaton is.";
        "unsupported.stuck-condition": "Runs that get stuck repeat their last state, and whether a run is \
            stuck cannot be written as a condition: an action has a loop, or a havoc that its success \
            depends on, or there are several processes; or a run may get stuck where states are not looked at."
            => "Take `--stuck-runs ignore`, leave `--check-states stable` out, or give the states where nothing can happen a step that changes \
                nothing.";
    }
    "No progress":
        "A search has noticed that going on would lead nowhere. The line is `unknown (no progress: …)`, \
         the exit code 3." {
        "no-progress.runs-end": "Bounded search has seen that every run ends, and that none violates the property; it has \
            no proof of that."
            => "Take `--engine explicit`, which lists all states.";
        "no-progress.rounds": "A temporal property is shown by a limit to how often runs come through all \
            acceptance sets of an automaton, and there are runs that do so more often than is tried. It may \
            hold or be violated."
            => "Take `--engine explicit`, which lists all states, or `--engine bmc`, which looks for a run that \
                violates it.";
        "no-progress.lasso": "Abstraction refinement has found a cycle through all acceptance sets of an automaton that can \
            be gone around many times, and neither a ranking function that ends it nor a set of states in which it goes on \
            for ever."
            => "Take `--lasso-refinement auto`, which tries everything; another `--domain`, `--refinement` or \
                `--interpolation`; `--engine explicit`, which lists all states; or let the model say more, such as ranges of \
                its variables.";
        "no-progress.tracked": "Abstraction refinement tracks everything that its domain can say, and \
            the abstraction still shows a trace that cannot be executed."
            => "Take another `--domain`, such as EXPL_PRED_COMBINED or PRED_CART, another `--refinement` \
                or `--interpolation`, or let the model say more, such as ranges of its variables.";
        "no-progress.no-invariant": "No linear invariant excludes what is asked for; it may be reachable \
            or not."
            => "Take `--engine explicit`.";
        "no-progress.strengthening": "Lazy abstraction strengthens the labels of few nodes again and \
            again."
            => "Take `--engine zone`.";
        "no-progress.interpolation": "Interpolation of zones has made very many nodes and need not end."
            => "Take `--zonestrategy LU` or `--engine zone`.";
        "no-progress.zone-abstraction": "Abstraction of zones beside that of data has made very many \
            nodes and need not end."
            => "Take `--engine zone` or `--engine lazy --zonestrategy LU`.";
    }
    "Numbers that are too large":
        "Zones compute with bounds of at most 2^28. The line is `unknown (…)`, the exit code 3." {
        "outgrown.constant": "A clock is compared with a constant beyond 2^28."
            => "Scale the constants of clocks down, or take `--engine cegar`, whose numbers have no \
                limits.";
        "outgrown.within": "`--within` asks about more than 2^28 time units."
            => "Ask about less, or take `--engine cegar`, whose numbers have no limits.";
        "outgrown.bound": "A bound of a clock that the search computed is beyond 2^28."
            => "Scale the constants of clocks down, or take `--engine cegar`, whose numbers have no \
                limits.";
        "outgrown.clocks": "The model has so many clocks that a single zone of them is too large."
            => "Take `--engine cegar`, or give the model fewer clocks.";
    }
    "Solvers":
        "Abstraction refinement, bounded model checking, k-induction and the checker of invariants ask \
         Z3. `thetis doctor` says whether it works; `--engine explicit` and `--engine zone` need none." {
        "solver.gave-up": "The solver said that it does not know."
            => "Take another engine, or another `--interpolation`.";
        "solver.unsupported": "The solver, or a way to interpolate, has no means to express something."
            => "Take another engine, or another `--interpolation`.";
        "solver.missing": "The library of Z3 was not found or cannot be used."
            => "Follow the note, or set `Z3_LIB_DIR`; `thetis doctor` says what was tried.";
        "solver.broken": "A solver could not be started, has ended, or did not answer as solvers do; its \
            last lines are in a note."
            => "Check the command that was given as `smtlib:COMMAND`; `thetis doctor` tries the solvers \
                it knows.";
        "solver.no-interpolants": "No strategy found out why a trace cannot be executed."
            => "Take another `--interpolation`, or another engine.";
        "solver.contradiction": "Two answers of the solver cannot both be right."
            => "Please report it, with the model and the version that `thetis doctor` tells.";
    }
    "What could not be certified":
        "The search has an answer, and whether its evidence is right could not be decided. The line is \
         `unknown (not certified: …)`, the exit code 3. Another engine gives other evidence; \
         `--no-certify` takes the answer as it is, and `--obligations` writes what is to be shown for \
         another solver." {
        "uncertified.lemma": "The lemma of a proof by k-induction could not be checked."
            => "Take another engine.";
        "uncertified.deep-formula": "A formula of a certificate is nested more deeply than solvers can \
            read."
            => "Take another engine.";
        "uncertified.no-condition": "What is asked for cannot be written as a condition at some \
            locations."
            => "Take `--engine explicit`, or ask without `deadlock`.";
        "uncertified.loop": "A loop has no bounds that are known, so what it does is no formula."
            => "Take `--engine explicit`, or give what the loop counts a bound.";
        "uncertified.many-actions": "There are too many actions for one formula."
            => "Take `--engine explicit`.";
        "uncertified.long-runs": "A proof by k-induction is about runs that are too long to be looked \
            at."
            => "Take another engine.";
        "uncertified.solver": "The solver could not be asked, or did not answer."
            => "Run `thetis doctor`, or take an engine whose evidence needs no solver: explicit or zone.";
        "uncertified.unwritable": "Something that is to be shown cannot be written down as SMT-LIB."
            => "Take another engine, whose certificate has other obligations.";
        "uncertified.many-clocks": "Lists of zones over so many clocks are not checked."
            => "Take `--engine cegar`.";
        "uncertified.comparison": "A condition compares clocks in a way that no zone can show."
            => "Write it with differences of two clocks that are compared with numbers.";
        "uncertified.condition": "A condition over clocks can hold in more ways than the checker \
            follows."
            => "Write it in a simpler way, or take `--engine cegar`.";
        "uncertified.invariant": "An invariant over clocks can hold in more ways than the checker \
            follows."
            => "Write it in a simpler way, or take `--engine cegar`.";
        "uncertified.property": "The property over clocks can hold in more ways than the checker \
            follows."
            => "Write it in a simpler way, or take `--engine cegar`.";
        "uncertified.open-loop": "A loop depends on data that the certificate leaves open."
            => "Take `--no-preprocess`, or `--data EXPLICIT` with `--engine lazy`.";
        "uncertified.clock-loop": "A loop depends on clocks, which the checker does not follow."
            => "Take `--engine cegar`.";
        "uncertified.clock-value": "A clock is set to a value that no zone can show."
            => "Set clocks to integers that are not negative and not too large.";
        "uncertified.clock-havoc": "A clock gets an arbitrary value."
            => "Take `--engine cegar`.";
        "uncertified.open-bound": "A clock is compared with what depends on a variable that the \
            certificate leaves open."
            => "Take `--no-preprocess`, or `--data EXPLICIT` with `--engine lazy`.";
        "uncertified.wide-bound": "A clock is compared with a number that no zone can show."
            => "Scale the constants of clocks down, or take `--engine cegar`.";
        "uncertified.not-enumerable": "The values of a variable cannot be enumerated."
            => "Give the variable a range.";
        "uncertified.large-constants": "The constants of clocks are too large to look for deadlocks."
            => "Scale the constants of clocks down.";
        "uncertified.large-formula": "The tableau by which a temporal formula is compared with its \
            automaton, or with a run, is too large."
            => "Split the formula at its conjunctions, and ask for each part.";
        "uncertified.many-prefixes": "Runs may end, and there are too many beginnings of them to tell which \
            violate the temporal formula however they might go on."
            => "Take `--engine explicit`, which sees whether runs end at all, or `--stuck-runs repeat`, or split \
                the formula at its conjunctions.";
        "uncertified.large-trap": "A run is said to lead to where something cannot be reached any more, and more states \
            can be reached from there than the checker follows."
            => "Make the model smaller.";
        "uncertified.not-covered": "It could not be shown that the automaton of a certificate accepts every \
            run that violates the temporal formula."
            => "Split the formula at its conjunctions, and ask for each part; if a file was given, make it \
                again for this property.";
    }
    "Evidence that is wrong":
        "A trace or a certificate was refused by `thetis validate`, exit code 2: it is about another \
         model, property or version of them, or was damaged. From `thetis check` it is an internal \
         error, exit code 4: please report it." {
        "evidence.shape": "A state does not have the locations and variables that the model's states \
            have."
            => "Make the file again from this model.";
        "evidence.value": "A value is not of the type or the range of its variable."
            => "Make the file again from this model.";
        "evidence.no-value": "A variable has no value in a state of a run."
            => "Give every variable a value in every state.";
        "evidence.not-enumerable": "A variable has infinitely many values, so a list of states cannot \
            show anything."
            => "Certify with another engine, whose certificate is an invariant.";
        "evidence.delay": "Time passes, and a list of states without zones cannot show that."
            => "Certify with `--engine zone`.";
        "evidence.choices": "The choices that were recorded are none that the model has."
            => "Make the trace again from this model.";
        "evidence.not-initial": "A run does not start at the initial locations."
            => "Make the trace again from this model.";
        "evidence.foreign": "A file is neither a trace nor a certificate."
            => "Give a file that `--trace` or `--certificate` has written.";
        "evidence.other-format": "A file of Thetis is of another kind than is needed here."
            => "Give a trace where a trace is needed, and a certificate where a certificate is.";
        "evidence.other-version": "A file is of a version that this Thetis does not read."
            => "Make the file again, or use a newer Thetis.";
        "evidence.damaged": "A trace or a certificate lacks something, or has something that does not \
            belong there."
            => "Make the file again.";
        "evidence.no-such-step": "A step of a run is none of the model's: these edges do not lead from \
            here to there."
            => "Make the trace again from this model.";
        "evidence.endless": "A run repeats for ever, and the question is about a state that a run ends \
            in."
            => "Make the trace again from this model and this question.";
        "evidence.another-value": "A step gives a variable another value than the run says."
            => "Make the trace again from this model.";
        "evidence.assumption-fails": "An assumption or a guard fails on the way."
            => "Make the trace again from this model.";
        "evidence.no-execution": "No execution of a step leads to the state that the run says."
            => "Make the trace again from this model.";
        "evidence.unknown-fault": "The fault that a run ends in is none of the model's."
            => "Make the trace again from this model.";
        "evidence.unobserved": "A run ends where properties do not look."
            => "Check with the same `--check-states` as the file says.";
        "evidence.not-a-target": "The last state of a run does not decide the property."
            => "Give the property that the run is about with `-p`.";
        "evidence.no-condition": "The property cannot be written as a condition there."
            => "Ask without `deadlock`.";
        "evidence.initial-state": "An initial state is not contained in what the certificate lists."
            => "Make the certificate again from this model.";
        "evidence.successor": "A successor of something that the certificate lists is not contained in \
            it."
            => "Make the certificate again from this model.";
        "evidence.target": "The certificate lists a state that decides the property the other way."
            => "Make the certificate again for this property.";
        "evidence.fault": "The certificate lists a state where something has gone wrong."
            => "Make the certificate again from this model.";
        "evidence.no-zone": "The bounds of an entry are no zone of the model's clocks."
            => "Make the certificate again from this model.";
        "evidence.not-closed": "A zone that stands for all it simulates is not in closed form."
            => "Make the certificate again from this model.";
        "evidence.constants": "The constants for simulation do not fit the model's clocks."
            => "Make the certificate again from this model.";
        "evidence.clock-values": "Clocks have values of their own beside their zone."
            => "Leave the values of clocks open.";
        "evidence.simulated-deadlock": "The certificate relies on simulation, which does not keep \
            deadlocks."
            => "Certify without `--covering alu` and `--zonestrategy LU`.";
        "evidence.blocks": "The model has no blocks of statements between the locations that the certificate names."
            => "Make the certificate again from this model.";
        "evidence.locations": "The locations of an entry are none of the model's."
            => "Make the certificate again from this model.";
        "evidence.no-such-entry": "An entry points at another that does not exist."
            => "Make the certificate again from this model.";
        "evidence.formula": "A formula of the certificate is not one that can be relied on: a term, a \
            type or a variable is none of the model's."
            => "Make the certificate again from this model.";
        "evidence.no-states": "A proof by k-induction looks at no state of any run."
            => "Make the certificate again, with k of at least 1.";
        "evidence.bad-run": "The base of a proof by k-induction is wrong: a short run decides the \
            property the other way."
            => "Make the certificate again for this property.";
        "evidence.longer-run": "There are runs that are longer than the proof says."
            => "Make the certificate again from this model.";
        "evidence.bad-step": "The step of a proof by k-induction is wrong: k good states in a row do not \
            imply the next."
            => "Make the certificate again for this property.";
        "evidence.outside-head": "The loop of a run begins or ends outside the set of states that all its rounds \
            begin in."
            => "Make the run again from this model.";
        "evidence.not-recurrent": "From some state of the set that all rounds of a loop begin in, the loop cannot be \
            gone around as it was, or does not lead back to the set."
            => "Make the run again from this model.";
        "evidence.no-return": "The loop of a run does not lead back to the state that it begins in."
            => "Make the run again from this model.";
        "evidence.no-time": "The loop of a run takes no time, and only runs count in which time diverges."
            => "Make the run again from this model, with the same `--zeno`.";
        "evidence.not-stuck": "A run repeats its last state for ever, and something can happen there, or \
            runs that get stuck do not count."
            => "Make the run again from this model, with the same `--stuck-runs`.";
        "evidence.nothing-read": "No state of the loop of a run is one that temporal properties read."
            => "Make the run again from this model.";
        "evidence.undefined": "An atom of the temporal formula cannot be evaluated in a state of a run: \
            something is divided by zero, or is out of range."
            => "Make the run again from this model.";
        "evidence.other-word": "A run that goes on for ever does not decide the temporal property."
            => "Make the run again for this property.";
        "evidence.undetermined": "A run that ends does not decide the temporal property: it could go on in a \
            way that satisfies it."
            => "Make the run again for this property; if it ends where nothing can happen, see \
                `--stuck-runs`.";
        "evidence.other-question": "A list of states was given for a property of whole runs, or a proof \
            about runs for one of states."
            => "Make the certificate again for this property.";
        "evidence.automaton": "The automaton of a certificate has states, acceptance sets or atoms that do \
            not exist, or a sink that does not accept everything."
            => "Make the certificate again for this property.";
        "evidence.other-automaton": "The question is an automaton, and the certificate is about another one."
            => "Make the certificate again for this property.";
        "evidence.measures": "A proof about runs has not one measure for each state, or another reason than its \
            automaton needs."
            => "Make the certificate again for this property.";
        "evidence.distances": "A proof that something can always be reached again has not one distance for each state."
            => "Make the certificate again for this property.";
        "evidence.distance": "A listed state has no step to one with a smaller distance, or has distance 0 and is not \
            what can be reached."
            => "Make the certificate again for this property.";
        "evidence.way-out": "From the end of the run, what is said to be out of reach can be reached."
            => "Make the run again for this property.";
        "evidence.ascent": "A step between listed states does not decrease the measure where it has to, so \
            a run might come through every acceptance set again and again."
            => "Make the certificate again for this property.";
    }
    "Simulation":
        "A simulation does not start, exit code 2." {
        "start.depends": "The initial values depend on a variable that has none."
            => "Give the variable an initial value.";
        "start.nowhere": "The model has no initial state."
            => "Look at what the initial values and `init` demand of each other.";
    }
    "Evidence about another model":
        "A trace or a certificate does not fit the model that it is given with, exit code 2." {
        "misfit.variable": "The file speaks of a variable that the model does not have."
            => MISFIT;
        "misfit.enumerations": "The enumerations of the file are not those of the model."
            => MISFIT;
        "misfit.names": "The variables or locations of the file are not those of the model."
            => MISFIT;
        "misfit.shape": "A state of the file has another number of locations or values than the model."
            => MISFIT;
        "misfit.location": "The file speaks of a location that the model does not have."
            => MISFIT;
        "misfit.locations": "A state of the file has not one location for each process of the model."
            => MISFIT;
        "misfit.process": "The file speaks of a process that the model does not have."
            => MISFIT;
        "misfit.edge": "The file speaks of an edge that the model does not have."
            => MISFIT;
        "misfit.value": "A value of the file is none of its variable or type."
            => MISFIT;
        "misfit.time": "An amount of time in the file is none."
            => MISFIT;
        "misfit.delay": "A step of the file shows another delay than its choices make."
            => MISFIT;
        "misfit.written": "An edge is written elsewhere in the model than the file says; the model was \
            edited."
            => MISFIT;
        "misfit.shown": "The file shows something otherwise than the model does: a title, a group, the names \
            of values, the file of an edge; it was changed, or the model was."
            => "Make the file again from this model; `thetis trace replay` shows the run as it is now.";
        "misfit.start": "The run does not start where the model does."
            => MISFIT;
        "misfit.impossible": "A step of the run cannot be taken there."
            => MISFIT;
        "misfit.differs": "A step of the run gives a variable another value."
            => MISFIT;
        "misfit.blocked": "An assumption fails in a step of the run."
            => MISFIT;
        "misfit.no-execution": "No execution of a step leads to the state that the run says."
            => MISFIT;
        "misfit.choices": "The choices of a step are not those of the model."
            => MISFIT;
        "misfit.open-loop": "The last state of the run is not the one that its loop begins in."
            => MISFIT;
        "misfit.endless": "The run repeats for ever, and its property is about a state that a run ends in."
            => MISFIT;
        "misfit.no-fault": "The run claims to end in a fault, and does not."
            => MISFIT;
        "misfit.fault": "The run ends in a fault, and does not say so."
            => MISFIT;
        "misfit.other-fault": "The run ends in another fault than it says."
            => MISFIT;
        "misfit.not-undefined": "The run claims that evaluating the property goes wrong at its end, and \
            that does not."
            => MISFIT;
        "misfit.undefined": "Evaluating the property goes wrong at the end of the run, and it does not \
            say so."
            => MISFIT;
        "misfit.late": "The run goes beyond the time that the property is about."
            => MISFIT;
        "misfit.scope": "The file looks at other states or runs than the property does that was given with `-p`."
            => "Give the options that the message names, or leave `-p` out to have the file judged for what it is \
                about.";
        "misfit.undecided": "The last state of the run does not decide the property."
            => MISFIT;
        "misfit.other-run": "The run does not decide the temporal property that it is about."
            => MISFIT;
        "misfit.clock": "A zone of the file is about a clock that the model does not have."
            => MISFIT;
        "misfit.bound": "A bound of a zone is too large."
            => MISFIT;
        "misfit.count": "The lists of the file are not of the same length."
            => MISFIT;
        "misfit.induction": "The file does not say how many states an induction looks at."
            => MISFIT;
        "misfit.formula": "A formula of the file cannot be read."
            => MISFIT;
        "misfit.not-about-runs": "The file is a proof about whole runs, and its property is about states."
            => MISFIT;
        "misfit.automaton": "The automaton of the file has states, acceptance sets or atoms that do not \
            exist, or a sink that does not accept everything."
            => MISFIT;
        "misfit.rounds": "The file counts rounds through acceptance sets up to a number that is too large."
            => MISFIT;
        "misfit.ranks": "The file has ranks for the entries of an invariant, and no invariant."
            => MISFIT;
        "misfit.product": "Runs that get stuck repeat their last state, and whether a run is stuck cannot \
            be written as a condition, so nothing in the file can be about such runs."
            => MISFIT;
    }
    "Files":
        "Something that was given cannot be used, exit code 2." {
        "file.missing": "There is no such file."
            => "Check the spelling and the directory.";
        "file.forbidden": "The file may not be read by you."
            => "Check its permissions.";
        "file.directory": "The file is a directory."
            => "Name a file in it.";
        "file.too-large": "The file is larger than 1 GB."
            => "Split it.";
        "file.binary": "The file is no text."
            => "Check that it is the right file.";
        "file.not-utf8": "The file is no UTF-8 text."
            => "Save it as UTF-8.";
        "file.unreadable": "The file cannot be read."
            => "The message has the words of the operating system.";
        "file.unwritable": "A file or its directory cannot be written."
            => "Name another one, or check permissions.";
        "language.unknown": "The extension of the file stands for no language that is known."
            => "Rename the file, or convert it; the message lists the languages.";
        "text.empty": "The text of a model has nothing in it."
            => "Write a model; `thetis example` prints some.";
        "text.mistakes": "A text has mistakes in it; each has a code of its own."
            => "Mend them one by one.";
        "limits.memory": "The system does not tell how much memory a program uses, so `--memory-limit` cannot be kept."
            => "Leave it out, or use `--state-limit`.";
        "limits.thread": "There is no thread that could watch the limits."
            => "Let the system have more threads, or ask without limits.";
        "question.model": "A question was asked of one model and is to be checked on another, where its names mean \
            something else. Only programs that use the library can do that."
            => "Ask the model that is to be checked.";
        "question.fair": "Fairness cannot be assumed: several processes move, the item starts where the property does not \
            look, when it is enabled is no condition, or the property is an automaton."
            => "Name other items by `--fair`, or say what is assumed as a formula by `--assume-ltl`.";
        "question.no-item": "Nothing has the name that `--fair` gives."
            => "Name an edge or a transition as traces do, such as `trans 2`, or write `all`.";
        "question.within": "The question cannot be asked about the first units of time only."
            => "Ask without `--within`, or about a model with clocks.";
    }
    "Models that go wrong":
        "A step or a query is undefined in a state that can be reached. The line is `error (…)`, the \
         exit code 2, and the run that leads there is shown." {
        "fault.division-by-zero": "A division or a remainder by zero."
            => "Guard the division, or divide by what cannot be zero.";
        "fault.out-of-range": "A variable gets a value outside of its range."
            => "Widen the range, or guard the assignment.";
        "fault.index-out-of-range": "An array is read or written outside of its positions."
            => "Guard the position, or make the array longer.";
        "fault.invalid-shift": "A number of C is shifted by less than nothing, or by as many bits as it has."
            => "Guard the shift, or shift by what is in range.";
        "fault.invalid-pointer": "A pointer of C is followed or compared that is null, has no value, or left its array."
            => "Guard the access, or let the pointer point somewhere.";
        "fault.division-overflow": "The least number of a type of C is divided by -1, and the result does not fit."
            => "Guard the division.";
        "fault.undefined": "A place of a C program is reached that the program says is never reached."
            => "Remove `__builtin_unreachable`, or what leads there.";
    }
    "Options that do not go together":
        "Bad usage, exit code 2; the message names both options." {
        "option.engine": "The engine does not know an option."
            => "Leave the option out, or choose an engine that knows it.";
        "option.search": "Abstraction refinement searches breadth first or depth first only."
            => "Take `--search bfs` or `--search dfs`.";
        "option.covering": "In lazy abstraction, `--zonestrategy` says what covers, and local time \
                             covers by simulation."
            => "Leave `--covering` out.";
        "option.domain": "An option needs something that the domain does not have, such as predicates or \
            explicit values."
            => "Leave the option out, or take another `--domain`.";
        "option.interpolation": "The refinement says by itself how traces are explained."
            => "Leave `--interpolation` out, or take another `--refinement`.";
    }
    "Texts that cannot be read":
        "Something is wrong with a model, a property or a query: exit code 2. Every error has its place, \
         and all errors of a text are told at once." {
        "empty": "The text, or the property, is empty."
            => "Write something into it.";
        "too-long": "The text is longer than 1 GiB."
            => "Split the model.";
        "too-deep": "Something is nested deeper than can be read."
            => "Split it into simpler parts.";
        "too-large": "Something stands for more than can be written out: entries of an array, processes \
            of a template, edges of a `select`, calls of functions."
            => "Give the types narrower bounds, or write fewer of them.";
        "too-many-errors": "There are more errors in the text than are shown."
            => "Fix the first ones; the others may follow from them.";
        "not-xml": "The text is no well-formed XML."
            => "Mend the document at the place that is shown.";
        "wrong-document": "The XML is a document of another kind than a model, or properties, of this \
            language."
            => "Check the file, and its extension.";
        "unknown-element": "An element or a label is none of the language. As a warning, it is skipped; \
            as an error, it looks like a misspelt one."
            => "Correct its name, or remove it.";
        "missing-part": "Something that is needed is missing."
            => "Add what the message names.";
        "repeated-part": "Something is there twice that can be there once."
            => "Join the two, or remove one of them.";
        "ignored-part": "Something has no influence on what is asked, and is skipped."
            => "Nothing, or remove it.";
        "misplaced": "Something stands where it cannot stand, such as `deadlock` outside of a query."
            => "Move it to where the message says, or remove it.";
        "missing-file": "A file that is imported cannot be had."
            => "Correct the path; it is looked for beside the file and below each folder around it.";
        "syntax": "The words do not follow the grammar of the language."
            => "See the place; `thetis language NAME` prints the grammar.";
        "unexpected-character": "A character stands for nothing in the language."
            => "Remove it.";
        "unclosed": "A bracket, a block, a comment or a quoted name is not closed."
            => "Close it; the message shows where it was opened.";
        "foreign-spelling": "This is how other languages write it; the message says how it is written \
            here."
            => "Write it as the message says.";
        "invalid-number": "A number is written in a way that has no meaning here, or has too many \
            digits."
            => "Write it as the message says.";
        "reserved-word": "A word of the language is used as a name."
            => "Choose another name.";
        "unknown-name": "Nothing has this name where it is used."
            => "Correct the name, or declare it; `thetis info MODEL` lists the variables and literals.";
        "duplicate-name": "Two things have the same name."
            => "Rename or remove one of them.";
        "ambiguous-name": "Several things have this name, and nothing tells which is meant."
            => "Write it in full, such as `Type.Literal`, or use the id.";
        "name-clash": "The name is that of a thing of another kind, or built in."
            => "Choose another name.";
        "wrong-kind": "The name stands for a thing of another kind than is needed, such as a type for a \
            value."
            => "Use a name of the kind that the message says.";
        "used-early": "The name is declared after the place where it is used; names are resolved in \
            order."
            => "Move the declaration before the place where it is used.";
        "circular-reference": "A reference leads back to itself."
            => "Break the circle.";
        "type-mismatch": "A value is not of the type that is needed."
            => "Change the value, or the declaration.";
        "unclear-type": "Nothing tells the type of a value."
            => "Write the type.";
        "wrong-count": "There are more or fewer of something than are needed, such as arguments or \
            values."
            => "Write as many as the message says.";
        "out-of-range": "A number is outside of what is allowed."
            => "Change the number, or the range.";
        "not-constant": "A value has to be known before the model runs, and is not."
            => "Write a number, or something made of constants.";
        "not-assignable": "What is to be changed is no variable, or cannot be changed here."
            => "Assign to a variable, or use a copy.";
        "side-effect": "Something changes variables where only a value is asked for."
            => "Move the change into an update.";
        "conflicting-writes": "Several blocks of an `ort` write a variable; where they give it different \
            values, the step is blocked."
            => "Let one block write it, or mean it.";
        "no-value-yet": "A variable is read before it has a value."
            => "Use only variables that are declared before.";
        "undefined": "A value may be undefined where it must not be, such as a division by zero in a \
            property."
            => "Exclude the case first, as in `n == 0 || 10 / n >= 2`.";
        "no-initial-state": "An invariant of an initial location does not hold at the start, so there is \
            no initial state."
            => "Change the invariant, or the initial values.";
        "wrong-return": "A function returns a value and should not, or the other way round."
            => "Change its type, or its `return`.";
        "unbounded-loop": "A loop of a function that is called in a condition never ends for some values \
            of what it reads, or takes too many rounds for all of them together."
            => "Let it end, or give what it depends on narrower bounds.";
        "clock-misuse": "A clock is used in a way that clocks cannot be used: they are compared, reset \
            and grow."
            => "Compare clocks with integers, or two of them by their difference.";
        "clock-bound": "A clock is compared with what is no constant integer."
            => "Write the number itself; choose a smaller unit of time for fractions.";
        "time-never-passes": "There are clocks, and no statement lets time pass. This is a warning."
            => "Let time pass with `__delay;`, usually in `env` or `trans`.";
        "channel-misuse": "A channel is used in ways that exclude each other."
            => "Use it in one way, or declare another.";
        "misconnected": "An arc or a transition connects what it cannot connect."
            => "Connect a place with a transition, or a branch point with a location.";
        "unreachable": "Nothing leads to this state or pseudo-state. This is a warning."
            => "Let a transition lead there, or remove it.";
        "unused": "Something is declared, and nobody uses it. This is a warning."
            => "Use it, or remove it.";
        "incomplete-choice": "A choice has no branch that is always open, so that a run may get stuck in it. This \
            is a warning."
            => "Add a branch with the guard `[else]`.";
        "different-values": "Something has different values in different places, and can have only one, such as a \
            timeout."
            => "Write the same value everywhere, or declare another one.";
        "unclear-claim": "It is not clear what a property claims."
            => "Write `A[] e` for what is to hold always, or `E<> e` for what is to be possible.";
        "no-temporal-operator": "A formula has no temporal operator, so that it is about the first state \
            only."
            => "Write `G (…)` for what is to hold in every state.";
        "doubtful-grouping": "Not everyone groups the operators of a formula alike."
            => "Put in parentheses.";
    }
    "What a language lacks here":
        "The text is right, and needs what is not supported. In a question, it is answered `unknown \
         (unsupported: …)`, exit code 3, alone or among several; in a model, the model cannot be read, \
         exit code 2." {
        "unsupported.temporal-formula": "A temporal formula is none of linear time, or it is about a \
            UPPAAL model."
            => "Ask `A[] e`, `E<> e` or, except of UPPAAL models, a formula: `ltl: G (p -> F q)`.";
        "unsupported.query": "The query is of another kind than a question about reachable states."
            => "Ask `A[] e` or `E<> e`.";
        "unsupported.deadlock": "A property of an XSTS cannot ask for deadlocks."
            => "Run `thetis simulate MODEL --random`, which stops where no step is possible.";
        "unsupported.colours": "The net has tokens of several colours."
            => "Unfold the net first.";
        "unsupported.capacity": "A place holds only so many tokens."
            => "Add a second place for what is free.";
        "unsupported.priority": "Transitions have priorities, or channels or processes have and an update has a \
            loop that depends on data."
            => "Write conditions that say the same.";
        "unsupported.arc": "An arc is neither normal, nor an inhibitor, nor one that reads."
            => "Write it with arcs of these kinds.";
        "unsupported.probability": "A step or a query depends on a random number."
            => "Choose it by `select`, if each of its values is possible.";
        "unsupported.clock-rate": "A clock that something reads runs at another rate than 0 or 1."
            => "Use clocks that run at rate 1, or stand still.";
        "unsupported.dynamic-template": "Processes are made while the model runs."
            => "List them in the system line.";
        "unsupported.external-function": "A function of another program is called."
            => "Write the function in the model.";
        "unsupported.recursion": "A function calls itself."
            => "Write a loop.";
        "unsupported.type": "A type of values is not supported, such as floating-point numbers."
            => "Use bounded integers, in a smaller unit if need be.";
        "unsupported.operator": "An operator is not supported."
            => "Write it with others.";
        "unsupported.statement": "A statement is not supported."
            => "Write it with others.";
        "unsupported.part": "Some other part of a model is not supported."
            => "Write the model without it.";
    }
    "Campaigns":
        "`thetis campaign` cannot do what was asked. Exit code 2." {
        "campaign.unreadable": "A file of a campaign, or one that it names, cannot be read."
            => "Follow the message; paths are seen from the folder of the campaign file.";
        "campaign.unwritable": "A result or a report cannot be written."
            => "Make room, or give another folder by `--into`.";
        "campaign.syntax": "A campaign file, a list of tasks or a covering array is not understood."
            => "Mend the line that is named; `docs/campaigns.md` says what can be written.";
        "campaign.no-tasks": "A list or a pattern gives no task."
            => "Mend the pattern, or write `skip-missing = true` if its files need not be there.";
        "campaign.twice": "Two configurations are called the same."
            => "Let their `name` contain every option in which they differ, as `{option}`.";
        "campaign.options": "The program does not take the options of a configuration or a question."
            => "Mend them as the message says; names are those of `thetis check --help`, without dashes in front.";
        "campaign.too-many": "The values of a product or of a covering array have too many combinations, or a campaign too many jobs."
            => "Fix some options, give fewer values or repetitions, or ask a `sample`.";
        "campaign.uncovered": "A covering array that is kept does not let two values meet."
            => "Make it anew by `thetis campaign plan FILE --write-arrays`.";
        "campaign.busy": "Somebody else runs the campaign in the same folder."
            => "Wait, or give another folder by `--into`.";
        "campaign.no-campaign": "A folder has no campaign in it."
            => "Give the folder that `thetis campaign run` has made.";
        "campaign.no-program": "The program of a back end is not found."
            => "Install it, or use `--on local`.";
        "campaign.program-failed": "The program of a back end failed."
            => "Follow what it says.";
        "campaign.stuck": "A back end has ended, and jobs are left without a result."
            => "Look at its logs in the folder of results, and try again by `thetis campaign resume`.";
        "campaign.changed": "A model, a file that it imports, or a property is not what it was when the campaign was planned."
            => "Plan it anew by `thetis campaign run FILE`; results of what has not changed are kept.";
    }
    "Everything else":
        "What has no code of its own." {
        "usage": "The command line cannot be read. Exit code 2."
            => "See `thetis COMMAND --help`.";
        "input": "Something that was given cannot be used, such as a file that is not there. Exit code \
            2."
            => "Follow the message.";
        "internal": "Thetis itself is wrong. Exit code 4."
            => REPORT;
        "internal.unasked-run": "A search found a run that answers no question."
            => REPORT;
        "internal.lost-delays": "A run without delays has no counterpart with them."
            => REPORT;
        "internal.lost-path": "A path that a search found cannot be followed."
            => REPORT;
        "internal.lost-zone": "A zone leads where no valuation does."
            => REPORT;
        "internal.no-thread": "The system gave no thread for the search."
            => "Try `--threads 1`; if that does not help, please report it.";
    }
};
