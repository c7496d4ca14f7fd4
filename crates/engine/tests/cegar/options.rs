//! Each option does what it says, and what makes no sense is refused.

use engine::{
    Answer, AutoExpl, Cegar, CegarStatistics, Choice, Config, Domain, InitialPrecision, NoProgress, Prune,
    Quiet, Reason, Refinement, Remedy, Search, Stop, Unsupported,
};

use crate::{Said, ask, choices, load};

#[test]
fn the_committed_array_covers_all_pairs() {
    let generated: Vec<String> = choices::pairwise().iter().map(choices::spell).collect();
    let committed: Vec<String> = choices::committed().iter().map(choices::spell).collect();
    assert_eq!(committed, generated, "the lines on the right belong into benches/cegar_pairwise.txt");
    // The generator is not asked whether it is right: every two values that occur together do so here.
    let pairs = |list: &[String]| {
        let mut pairs = std::collections::BTreeSet::new();
        for line in list {
            let words: Vec<&str> = line.split(' ').collect();
            for (at, a) in words.iter().enumerate() {
                pairs.extend(words[at + 1..].iter().map(|b| (a.to_string(), b.to_string())));
            }
        }
        pairs
    };
    let all: Vec<String> = choices::all().iter().map(choices::spell).collect();
    assert_eq!(pairs(&committed), pairs(&all));
}

#[test]
fn short_names_say_the_same_as_options() {
    let check = |name: &str, options: &str| {
        assert_eq!(choices::spell(&choices::read(name).unwrap()), options, "{name}");
    };
    check("PC_L_SI_BW", "domain=PRED_CART refinement=SEQ_ITP prunestrategy=LAZY search=bfs predsplit=WHOLE");
    check("E250_F_UC_D", "domain=EXPL refinement=UNSAT_CORE prunestrategy=FULL search=dfs maxenum=250");
    check(
        "P10_F_BBI_DA+EMPTY",
        "domain=EXPL_PRED_CART refinement=BW_BIN_ITP prunestrategy=FULL initprec=EMPTY search=dfs predsplit=ATOMS \
         maxenum=10",
    );
    assert!(choices::read("XX_L_SI_B").is_err());
    assert!(choices::read("PC10_L_SI_B").unwrap_err().contains("enumeration limit `10`"));
}

#[test]
fn choices_that_clash_are_refused_by_both_names() {
    let check = |given: &str, names: [&str; 2]| {
        let why = choices::read(given).unwrap_err();
        assert!(names.iter().all(|name| why.contains(name)), "{given}: {why}");
    };
    for domain in Domain::ALL.iter().filter(|domain| **domain != Domain::Expl) {
        let name = format!("domain `{domain}`");
        check(&format!("domain={domain} refinement=UNSAT_CORE"), ["refinement `UNSAT_CORE`", &name]);
    }
    for split in ["WHOLE", "CONJUNCTS", "ATOMS"] {
        check(&format!("domain=EXPL predsplit={split}"), ["predicate split", "domain `EXPL`"]);
    }
    for domain in ["PRED_CART", "PRED_BOOL", "PRED_SPLIT"] {
        let name = format!("domain `{domain}`");
        check(&format!("domain={domain} maxenum=10"), ["enumeration limit `10`", &name]);
        for initial in ["CTRL", "PROP,CTRL", "ALLVARS"] {
            check(
                &format!("domain={domain} initprec={initial}"),
                [&format!("initial precision `{initial}`"), &name],
            );
        }
    }
    for domain in Domain::ALL.iter().filter(|domain| **domain != Domain::ExplPredCombined) {
        for auto in AutoExpl::ALL {
            let given = format!("domain={domain} autoexpl={auto}");
            check(&given, ["automatic explicit tracking", &format!("domain `{domain}`")]);
        }
    }
    // An engine that is asked all the same says so, too.
    let (system, question) = load(COUNTER);
    let cegar = Cegar { domain: Domain::PredCart, max_enum: Some(3), ..Cegar::default() };
    let config = Config { engine: engine::Engine::Cegar, cegar, ..Config::default() };
    let said = ask(&system, &question, &config, &Stop::new()).unwrap().0;
    let Said::Unknown(Reason::Unsupported(Unsupported::Choices(clash))) = said else { panic!("{said:?}") };
    assert_eq!(clash.choices(), [Choice::MaxEnum(3), Choice::Domain(Domain::PredCart)]);
}

/// What a configuration says of a model, and what it cost.
#[track_caller]
fn run(text: &str, config: &str) -> (Said, CegarStatistics) {
    let (system, question) = load(text);
    let (said, statistics) = ask(&system, &question, &choices::read(config).unwrap(), &Stop::new()).unwrap();
    (said, statistics.cegar.expect("the numbers of abstraction refinement"))
}

/// A counter with two modes, of which one is control.
const COUNTER: &str = "
    type Mode : { Up, Reset }
    ctrl var mode : Mode = Up
    var n : integer = 0
    trans { assume mode == Up && n < 5; n := n + 1; }
    or { assume mode == Up && n == 5; mode := Reset; }
    or { assume mode == Reset; n := 0; mode := Up; }
    prop { n <= 5 }";

/// Two numbers that stay equal; neither has finitely many values.
const TWINS: &str = "
    var x : integer = 0 var y : integer = 0
    trans { x := x + 1; y := y + 1; }
    prop { x == y }";

/// A value from outside decides; two bits follow it.
const CHOICE: &str = "
    var a : integer = 0 var b : boolean = false var c : boolean = false
    env { havoc a; }
    trans { if (a > 10) { b := true; c := true; } else { b := false; c := false; } }
    prop { b == c }";

#[test]
fn the_answers_are_the_same_for_all_values_of_all_options() {
    // Every value is in the array; small models tell when one is wrong.
    for config in choices::committed() {
        let name = choices::spell(&config);
        let check = |text: &str, holds: bool| {
            let (system, question) = load(text);
            let config = Config { state_limit: Some(2_000), ..config.clone() };
            let said = ask(&system, &question, &config, &Stop::new())
                .unwrap_or_else(|why| panic!("{name}: {why}"))
                .0;
            match said {
                Said::Never => assert!(holds, "{name}: {text}"),
                Said::Reached(_) => assert!(!holds, "{name}: {text}"),
                Said::Unknown(Reason::NoProgress(_) | Reason::States(_)) => {}
                other => panic!("{name}: {other:?}\n{text}"),
            }
        };
        check(COUNTER, true);
        check(&COUNTER.replace("n <= 5", "n <= 4"), false);
        check(CHOICE, true);
        check(&CHOICE.replace("b == c", "!b"), false);
    }
}

#[test]
fn values_are_not_enough_where_they_never_end_and_predicates_are() {
    let (said, _) = run(TWINS, "domain=PRED_CART");
    assert_eq!(said, Said::Never);
    // Explicit values go on for ever; the limit on states ends that.
    let (system, question) = load(TWINS);
    let config = Config { state_limit: Some(300), ..choices::read("domain=EXPL").unwrap() };
    let said = ask(&system, &question, &config, &Stop::new()).unwrap().0;
    assert_eq!(said, Said::Unknown(Reason::States(300)));
}

#[test]
fn a_precision_that_cannot_grow_ends_the_search() {
    // Nothing is known of an arbitrary number by its value, and all variables are tracked already.
    let text = "
        var x : integer = 0 var y : integer = 0
        trans { havoc x; y := x; }
        prop { x >= y }";
    for initial in ["EMPTY", "PROP", "ALLVARS"] {
        for refinement in
            ["SEQ_ITP", "UNSAT_CORE", "FW_BIN_ITP", "BW_BIN_ITP", "MULTI_SEQ", "NWT_SP", "NWT_WP"]
        {
            let config = format!("domain=EXPL initprec={initial} refinement={refinement}");
            let (said, _) = run(text, &config);
            let Said::Unknown(reason @ Reason::NoProgress(NoProgress::Tracked)) = said else {
                panic!("{config}: {said:?}")
            };
            let remedies = reason.remedies(&[], &choices::read(&config).unwrap(), false);
            let predicates = Remedy::Choose(vec![Choice::Domain(Domain::PredCart)]);
            assert!(remedies.contains(&predicates), "{config}: {remedies:?}");
        }
    }
    assert_eq!(run(text, "domain=PRED_CART").0, Said::Never);
}

#[test]
fn the_limit_of_enumeration_merges_successors() {
    let text = "
        var x : integer = 0 var steps : integer = 0
        trans { havoc x; assume x >= 1 && x <= 20; steps := 1; }
        prop { steps <= 1 }";
    let nodes = |limit: u32| {
        let (said, statistics) = run(text, &format!("domain=EXPL initprec=ALLVARS maxenum={limit}"));
        assert_eq!(said, Said::Never);
        statistics.nodes
    };
    assert!(nodes(0) >= 20, "{}", nodes(0));
    assert_eq!(nodes(0), nodes(20));
    assert!(nodes(19) < 10, "{}", nodes(19));
    // A value without end is unknown even without a limit.
    let text = text.replace("assume x >= 1 && x <= 20;", "x := x * 2;");
    assert_eq!(run(&text, "domain=EXPL initprec=ALLVARS maxenum=0").0, Said::Never);
}

#[test]
fn the_initial_precision_is_what_is_tracked_from_the_start() {
    let tracked = |text: &str, config: &str| {
        let (_, statistics) = run(text, config);
        (statistics.variables, statistics.predicates)
    };
    // The property is trivially true, so nothing is added.
    let text = COUNTER.replace("n <= 5", "n == n || mode == Up");
    let text = text.replace("n == n ||", "mode != Up ||");
    assert_eq!(tracked(&text, "domain=EXPL initprec=EMPTY"), (0, 0));
    assert_eq!(tracked(&text, "domain=EXPL initprec=ALLVARS"), (2, 0));
    assert_eq!(tracked(&text, "domain=EXPL initprec=CTRL"), (1, 0));
    let text = COUNTER.replace("n <= 5", "n >= 0");
    assert_eq!(tracked(&text, "domain=EXPL initprec=PROP"), (1, 0));
    assert_eq!(tracked(&text, "domain=EXPL initprec=PROP,CTRL"), (2, 0));
    assert_eq!(tracked(&text, "domain=PRED_CART initprec=PROP").0, 0);
    assert!(tracked(&text, "domain=PRED_CART initprec=PROP").1 >= 1);
    assert_eq!(tracked(&text, "domain=EXPL_PRED_CART initprec=PROP,CTRL").0, 1);
}

#[test]
fn pruning_fully_starts_anew() {
    let made = |prune: Prune| {
        let (said, statistics) =
            run(COUNTER, &format!("domain=PRED_CART initprec=EMPTY prunestrategy={prune}"));
        assert_eq!(said, Said::Never);
        assert!(statistics.iterations > 2);
        (statistics.nodes_made, statistics.nodes)
    };
    let (lazy, full) = (made(Prune::Lazy), made(Prune::Full));
    assert!(lazy.0 < full.0, "{lazy:?} against {full:?}");
}

#[test]
fn predicates_are_split_as_asked() {
    // The property is one disjunction of a conjunction and an atom.
    let text = "
        var a : integer = 0 var b : integer = 0 var c : integer = 0
        trans { a := 1; b := 1; c := 1; }
        prop { (a <= 1 && b <= 1) || c == 0 }";
    let predicates = |split: &str| run(text, &format!("domain=PRED_CART initprec=PROP predsplit={split}"));
    let (whole, atoms) = (predicates("WHOLE"), predicates("ATOMS"));
    assert_eq!((&whole.0, &atoms.0), (&Said::Never, &Said::Never));
    assert_eq!(atoms.1.predicates, 3);
    assert!(whole.1.predicates < 3, "{whole:?}");
    let text = text.replace("|| c == 0", "&& c <= 1");
    let conjuncts = run(&text, "domain=PRED_CART initprec=PROP predsplit=CONJUNCTS").1.predicates;
    let whole = run(&text, "domain=PRED_CART initprec=PROP predsplit=WHOLE").1.predicates;
    assert!(whole < conjuncts, "{whole} against {conjuncts}");
}

#[test]
fn shapes_of_predicate_states_differ() {
    // After the environment, both flags are up or both are down: one Boolean state, two cubes, or a
    // Cartesian cube that has lost it.
    let text = "
        var a : boolean = false var b : boolean = false
        trans { } env { choice { a := true; b := true; } or { a := false; b := false; } }
        prop { !a || b }";
    let nodes = |domain: &str| {
        let (said, statistics) = run(text, &format!("domain={domain} initprec=PROP predsplit=ATOMS"));
        assert_eq!(said, Said::Never, "{domain}");
        statistics.nodes
    };
    assert!(nodes("PRED_BOOL") < nodes("PRED_SPLIT"), "{} {}", nodes("PRED_BOOL"), nodes("PRED_SPLIT"));
}

#[test]
fn orders_of_the_search_differ() {
    // Breadth first, the nearest violation comes first; depth first, the first or the last branch does.
    let text = "
        var a : integer = 0 var near : integer = 0 var z : integer = 0
        trans { assume near == 0 && z == 0; a := a + 1; }
        or { assume a == 0 && z == 0; near := near + 1; }
        or { assume a == 0 && near == 0; z := z + 1; }
        prop { a < 9 && near < 3 && z < 9 }";
    let steps = |search: Search| match run(text, &format!("domain=EXPL initprec=ALLVARS search={search}")).0 {
        Said::Reached(steps) => steps,
        other => panic!("{other:?}"),
    };
    assert!(steps(Search::Bfs) < steps(Search::Dfs), "{} {}", steps(Search::Bfs), steps(Search::Dfs));
    let asked = choices::read("domain=EXPL initprec=ALLVARS").unwrap();
    let (system, question) = load(text);
    let config = Config { search: Search::Priority, ..asked };
    let priority = ask(&system, &question, &config, &Stop::new()).unwrap().0;
    let Said::Unknown(Reason::Unsupported(Unsupported::Choices(clash))) = priority else {
        panic!("{priority:?}")
    };
    assert_eq!(clash.choices(), [Choice::Search(Search::Priority), Choice::Engine(engine::Engine::Cegar)]);
}

#[test]
fn several_traces_are_refuted_at_once() {
    // Two independent reasons; one exploration shows both.
    let text = "
        var a : integer = 0 var b : integer = 0 var bad : boolean = false
        trans { assume a == 1; bad := true; } or { assume b == 1; bad := true; }
        prop { !bad }";
    let iterations = |refinement: Refinement| {
        let (said, statistics) =
            run(text, &format!("domain=PRED_CART initprec=PROP refinement={refinement} prunestrategy=FULL"));
        assert_eq!(said, Said::Never, "{refinement}");
        statistics.iterations
    };
    assert_eq!(iterations(Refinement::MultiSeq), 2);
    assert_eq!(iterations(Refinement::SeqItp), 3);
}

#[test]
fn refinements_learn_what_refutes() {
    for refinement in Refinement::ALL {
        let domain = if *refinement == Refinement::UnsatCore { "EXPL" } else { "PRED_CART" };
        let (said, statistics) = run(
            COUNTER,
            &format!("domain={domain} refinement={refinement} initprec={}", InitialPrecision::Empty),
        );
        assert_eq!(said, Said::Never, "{refinement}");
        assert!(statistics.variables + statistics.predicates > 0, "{refinement}");
        assert_eq!(statistics.replaced, 0, "{refinement} refutes these traces by itself");
    }
}

#[test]
fn refinements_by_name_learn_different_things() {
    // Forwards, what is known after each statement matters; backwards, what the end needs. Statements that
    // the core leaves out, and variables that nobody reads later, are in the formulas of those only that do
    // not look.
    let text = "
        var n : integer = 0 var m : integer = 0 var unread : integer = 7 var bad : boolean = false
        trans { assume n == 0; unread := unread + n; n := 1; m := 3; } or { assume m == 4 && n == 1; bad := true; }
        prop { !bad }";
    let learnt = |refinement: &str| {
        let config = format!("domain=PRED_CART refinement={refinement} initprec=EMPTY predsplit=ATOMS");
        let (said, statistics) = run(text, &config);
        assert_eq!((said, statistics.replaced), (Said::Never, 0), "{refinement}");
        (statistics.predicates, statistics.iterations)
    };
    assert_ne!(learnt("NWT_SP"), learnt("NWT_WP"));
    assert!(learnt("NWT_SP_LV").0 < learnt("NWT_SP").0, "{:?} {:?}", learnt("NWT_SP_LV"), learnt("NWT_SP"));
    assert!(learnt("NWT_IT_SP").0 < learnt("NWT_SP").0, "{:?} {:?}", learnt("NWT_IT_SP"), learnt("NWT_SP"));
}

#[test]
fn a_limit_of_solver_calls_ends_the_search() {
    let (system, question) = load(COUNTER);
    let config = Config { call_limit: Some(3), ..choices::read("domain=PRED_CART initprec=EMPTY").unwrap() };
    let (answer, _) = engine::search(&system, &question, &config, &Stop::new(), &mut engine::Quiet);
    assert!(matches!(answer, engine::Answer::Unknown(Reason::Calls(3))), "{answer:?}");
}

/// 40 numbers that are arbitrary with their sum have some 2^40 combinations of signs.
#[test]
fn a_limit_of_solver_calls_ends_the_listing_of_successors() {
    let names = |separator: &str, with: &str| {
        let list: Vec<String> = (0..40).map(|at| format!("{with}x{at}")).collect();
        list.join(separator)
    };
    let declared: String = (0..40).map(|at| format!("var x{at} : integer = 0\n")).collect();
    let havocs: String = (0..40).map(|at| format!("havoc x{at}; ")).collect();
    let text = format!(
        "{declared}trans {{ {havocs} assume {} == 7; }} init {{}} env {{}} prop {{ !({}) }}",
        names(" + ", ""),
        names(" && ", "0 < "),
    );
    let (system, question) = load(&text);
    for domain in ["PRED_BOOL", "PRED_SPLIT", "EXPL_PRED_BOOL"] {
        let options = format!("domain={domain} initprec=PROP predsplit=ATOMS");
        let config = Config { call_limit: Some(300), ..choices::read(&options).unwrap() };
        let (answer, _) = engine::search(&system, &question, &config, &Stop::new(), &mut engine::Quiet);
        assert!(matches!(answer, engine::Answer::Unknown(Reason::Calls(300))), "{domain}: {answer:?}");
    }
}

#[test]
fn only_variables_without_end_are_unknown() {
    // `x` may have any value; `b` has two, and is needed.
    let text = "
        var x : integer = 0 var b : boolean = false var c : boolean = false
        trans { havoc x; havoc b; assume x > 0 || b; c := b; }
        prop { b == c }";
    for maxenum in [0, 250] {
        let (said, _) = run(text, &format!("domain=EXPL initprec=ALLVARS maxenum={maxenum}"));
        assert_eq!(said, Said::Never, "--maxenum {maxenum}");
    }
    // Few values are few, however large they are.
    let large = text.replace("x > 0 || b", "(x == 0 || x == 9000000000000) && (x > 0 || b)");
    let (said, _) = run(&large.replace("b == c", "b == c && x <= 9000000000000"), "domain=EXPL maxenum=0");
    assert_eq!(said, Said::Never);
}

#[test]
fn without_a_limit_all_successors_are_enumerated() {
    let text = "
        var n : integer = 0 var done : boolean = false
        trans { assume !done; havoc n; assume 0 <= n && n < 300; done := true; }
        prop { n < 300 }";
    let (said, statistics) = run(text, "domain=EXPL initprec=ALLVARS maxenum=0");
    assert_eq!(said, Said::Never);
    assert!(statistics.nodes_made > 300, "{statistics:?}");
    // One more than the limit is too many, and nothing is then known of the number.
    let (said, statistics) = run(text, "domain=EXPL initprec=ALLVARS maxenum=299");
    assert!(matches!(said, Said::Unknown(Reason::NoProgress(_))), "{said:?}");
    assert!(statistics.nodes_made < 10, "{statistics:?}");
}

#[test]
fn variables_with_many_new_atoms_are_tracked_by_value() {
    // Refinement compares `n` with one number after the other.
    let text = "
        var n : integer = 0 var m : integer = 0
        trans { assume n < 6; n := n + 1; m := m + 2; } or { assume n == 6; n := 0; m := 0; }
        prop { m <= 12 }";
    let variables = |auto: AutoExpl| {
        let config = format!("domain=EXPL_PRED_COMBINED autoexpl={auto} initprec=EMPTY predsplit=ATOMS");
        let (said, statistics) = run(text, &config);
        assert!(!matches!(said, Said::Reached(_)), "{auto}: {said:?}");
        statistics.variables
    };
    assert_eq!(variables(AutoExpl::Static), 0);
    assert!(variables(AutoExpl::NewAtoms) > 0);
    assert!(variables(AutoExpl::NewOperands) > 0);
}

#[test]
fn clocks_become_rationals_and_runs_get_their_delays_back() {
    let text = "var c : clock var d : clock var b : boolean = true
        trans { __delay; if (c > 2 && d < 1) { b := false; } choice { d := 0; } or { assume c < 3; } }";
    let config = choices::read("domain=PRED_CART").unwrap();
    // Two steps of trans are needed, after init and with env before each: the first sets d to 0.
    let (system, question) = load(&format!("{text} prop {{ b }}"));
    assert_eq!(ask(&system, &question, &config, &Stop::new()).unwrap().0, Said::Reached(5));
    let (answer, statistics) = engine::search(&system, &question, &config, &Stop::new(), &mut Quiet);
    let Answer::Found(run) = answer else { panic!("{answer:?}") };
    let waits = |step: &&ir::Step| step.decisions.iter().any(|d| matches!(d, ir::Decision::Delay(_)));
    assert_eq!(run.steps.iter().filter(waits).count(), 2);
    assert_eq!(statistics.preprocessing.len(), 1);
    assert_eq!(statistics.preprocessing[0].to_string(), "encoded `c`, `d` as rationals");
    // d is never ahead.
    let (system, question) = load(&format!("{text} prop {{ d - c <= 0 }}"));
    assert_eq!(ask(&system, &question, &config, &Stop::new()).unwrap().0, Said::Never);
}

#[test]
fn rationals_are_abstracted_exactly() {
    let text = "
        var x : rational = 0 var y : rational = 1
        trans { x := x + 1 / 2; y := y + 1 / 2; assume x < 100; }
        prop { y - x == 1 }";
    if lang::xsts::load(text).is_err() {
        panic!("{:?}", lang::xsts::load(text).err());
    }
    assert_eq!(run(text, "domain=PRED_CART").0, Said::Never);
    assert!(matches!(run(&text.replace("y - x == 1", "y < 3"), "domain=PRED_CART").0, Said::Reached(_)));
    assert!(matches!(run(&text.replace("y - x == 1", "y < 3"), "domain=EXPL").0, Said::Reached(_)));
}

#[test]
fn a_request_to_stop_is_heard() {
    let (system, question) = load(COUNTER);
    for config in ["domain=EXPL", "domain=PRED_CART", "domain=EXPL_PRED_BOOL"] {
        let stop = Stop::new();
        stop.request(Reason::Time);
        let said = ask(&system, &question, &choices::read(config).unwrap(), &stop).unwrap().0;
        assert_eq!(said, Said::Unknown(Reason::Time), "{config}");
    }
}
