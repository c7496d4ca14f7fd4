//! Numbers without limits beside clocks: an `assume` that bounds one lets zones try its values, as explicit search
//! does without clocks.

extern crate thetis_engine as engine;

use std::sync::atomic::AtomicBool;

use engine::{Answer, Config, Engine, Quiet, Reason, Remedy, Stop};
use lang::xsts;
use proptest::prelude::*;

const TIMED: [Engine; 3] = [Engine::Zone, Engine::Lazy, Engine::ZoneCegar];

/// Whether a property holds, with the evidence checked.
fn ask(text: &str, property: &str, engine: Engine) -> Result<bool, Reason> {
    let mut model = xsts::load(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let property = model.parse_property("given", property).expect("a property");
    let question = model.system.question(property.claim);
    let config = Config { engine, preprocess: false, state_limit: Some(10_000), ..Config::default() };
    let (answer, _) = engine::search(&model.system, &question, &config, &Stop::new(), &mut Quiet);
    let go_on = AtomicBool::new(false);
    match answer {
        Answer::Unknown(reason) => Err(reason),
        Answer::Found(run) => {
            let checked = certify::check_run(&model.system, &question, &run, &go_on);
            checked.unwrap_or_else(|why| panic!("{text}\n{engine}: {why:?}"));
            Ok(false)
        }
        Answer::Excluded(certificate) => {
            let checked = certify::check_certificate(&model.system, &question, &certificate, &go_on);
            checked.unwrap_or_else(|why| panic!("{text}\n{engine}: {why:?}"));
            Ok(true)
        }
    }
}

/// A step in which `passes` bounds k, after it became arbitrary in the same step or before; n tells what it was.
fn model(passes: &str, before: bool, clock: bool) -> String {
    let (env, trans) = if before { ("havoc k;", "") } else { ("", "havoc k;") };
    let (declared, delay, timed) = match clock {
        true => ("var c : clock", "__delay;", "if (c > 2) { c := 0; }"),
        false => ("", "", ""),
    };
    format!(
        "{declared} var k : integer = 0 var m : integer = 1 var n : integer = 0 var b : boolean = false
         env {{ havoc b; {env} }}
         trans {{ {delay} {trans} {passes} n := k; m := if k > 3 then 3 else if k < 0 then 0 else k; {timed} }}
         prop {{ true }}"
    )
}

fn conditions() -> BoxedStrategy<String> {
    let atom = prop_oneof![
        (-1i64..4).prop_map(|bound| format!("{bound} <= k")),
        (0i64..5).prop_map(|bound| format!("k < {bound}")),
        (0i64..5).prop_map(|value| format!("k == {value}")),
        Just("k <= m".to_owned()),
        Just("m - 1 < k".to_owned()),
        Just("b".to_owned()),
        Just("m == 1".to_owned()),
    ];
    let both = prop_oneof![
        ((0i64..3), (1i64..4)).prop_map(|(least, end)| format!("{least} <= k && k < {end}")),
        (0i64..3).prop_map(|least| format!("{least} <= k && k <= m")),
    ];
    prop_oneof![2 => both, 1 => atom]
        .prop_recursive(3, 8, 2, |inner| {
            (inner.clone(), prop_oneof![Just("&&"), Just("||")], inner)
                .prop_map(|(left, joint, right)| format!("({left} {joint} {right})"))
        })
        .boxed()
}

fn statements() -> BoxedStrategy<String> {
    let assume = conditions().prop_map(|condition| format!("assume {condition};"));
    let one = prop_oneof![
        3 => assume.clone(),
        1 => (conditions(), assume.clone(), assume.clone())
            .prop_map(|(condition, then, otherwise)| format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}")),
        1 => (assume.clone(), assume).prop_map(|(one, other)| format!("choice {{ {one} }} or {{ {other} }}")),
    ];
    prop::collection::vec(one, 1..4).prop_map(|list| list.join(" ")).boxed()
}

proptest! {
    #![proptest_config(sampling::runs(192, 0x0be4))]

    /// What explicit search finds without clocks, zones find beside one that decides nothing.
    #[test]
    fn values_that_pass_are_those_of_explicit_search(passes in statements(), before: bool, value in -1i64..5) {
        let property = format!("n != {value}");
        let untimed = model(&passes, before, false);
        // All states can be listed, not only those up to the first violation.
        if ask(&untimed, "true", Engine::Explicit) == Ok(true) {
            let expected = ask(&untimed, &property, Engine::Explicit);
            for engine in TIMED {
                let found = ask(&model(&passes, before, true), &property, engine);
                prop_assert_eq!(&found, &expected, "{}: {}", passes, engine);
            }
        }
    }
}

/// A variable that nothing bounds is named, with what to do about it.
#[test]
fn what_is_not_bounded_is_refused_by_name() {
    for engine in TIMED {
        for passes in ["", "assume k > 3;", "assume k > 3 || b;"] {
            let Err(Reason::Unsupported(why)) = ask(&model(passes, false, true), "n < 9", engine) else {
                panic!("{engine}: {passes}");
            };
            assert!(why.variables().iter().any(|var| var.name == "k"), "{why}");
            let remedies =
                Reason::Unsupported(why).remedies(&[], &Config { engine, ..Config::default() }, true);
            assert!(matches!(&remedies[0], Remedy::BoundVariable(var) if var.name == "k"), "{remedies:?}");
        }
        // A state where k is open is not one that is asked for, whatever else it may be.
        let open = "var c : clock var k : integer = 0 trans { __delay; havoc k; c := 0; } prop { true }";
        let Err(Reason::Unsupported(why)) = ask(open, "!(2 <= k && k < 4)", engine) else {
            panic!("{engine}")
        };
        assert!(why.variables().iter().any(|var| var.name == "k"), "{why}");
    }
}

/// The values of one number may be bounded by another that is bounded itself, in whatever order they are asked for.
#[test]
fn limits_may_depend_on_each_other() {
    let text = "var c : clock var k : integer = 0 var m : integer = 0 var n : integer = 0
        trans { __delay; havoc k; havoc m; assume 0 <= k && k < m && 1 <= m && m < 4; n := m - k; c := 0; }
        prop { true }";
    // k is below m, which is below 4: the difference is 1, 2 or 3, and 0 before.
    for engine in TIMED {
        assert_eq!(ask(text, "0 <= n && n <= 3", engine), Ok(true), "{engine}");
        assert_eq!(ask(text, "n != 3", engine), Ok(false), "{engine}");
    }
}
