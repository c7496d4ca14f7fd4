use ir::Claim;

use super::*;

const NET: &str = r#"<pnml>
<net id="n" type="ptnet">
  <place id="p"><name><text>flag=1</text></name><initialMarking><text>1</text></initialMarking></place>
  <place id="q"/>
  <transition id="t"/>
  <arc id="a" source="p" target="t"/>
  <arc id="b" source="t" target="q"><inscription><text>2</text></inscription></arc>
  <speed>9</speed>
</net>
<net id="other" type="ptnet"/>
</pnml>"#;

#[test]
fn a_net_is_one_location_with_an_edge_for_each_transition() {
    let net = load(NET).unwrap();
    let process = net.system.processes.iter().next().unwrap();
    assert_eq!((process.locations.len(), process.edges.len()), (1, 1));
    let names: Vec<&str> = net.system.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["flag=1", "q"], "by name where that says which one");
    assert_eq!(net.contents.parts[0].counts, [("place", 2), ("transition", 1), ("arc", 2)]);
}

#[test]
fn what_is_skipped_is_said() {
    let net = load(NET).unwrap();
    let said: Vec<&str> = net.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let nets = "the document has 2 nets; only the first one, `n`, is read";
    assert_eq!(said, [nets, "the element `speed` is unknown and skipped"]);
}

#[test]
fn equal_properties_are_equal_terms() {
    let mut net = load(NET).unwrap();
    let mut claim = |text: &str| net.parse_property("p", text).unwrap().claim;
    assert_eq!(claim("p + q <= 2"), claim("A[] (p + q <= 2)"));
    assert_eq!(claim("AG(p + q <= 2)"), claim("prop { \"flag=1\" + q <= 2 };".trim_end_matches(';')));
    assert_eq!(claim("!p == 1 && q > 0"), claim("not (p = 1) and (q > 0)"));
    assert_eq!(claim("p = 1 -> q = 0 -> p > 0"), claim("p == 1 => (q == 0 => p > 0)"));
    assert_eq!(claim("1 0"), claim("!marking(p = 1, q = 0)"));
    assert_eq!(claim("deadlock-free"), claim("AG(EX(true))"));
    assert_ne!(claim("p - q - 1 == 0"), claim("p - (q - 1) == 0"));
}

#[test]
fn formulas_of_the_contest_are_questions() {
    let formulas = "<?xml version='1.0'?><property-set xmlns='http://mcc.lip6.fr/'>
        <property><id>dead</id><formula><exists-path><finally><deadlock/></finally></exists-path></formula></property>
        <property><id>count</id><formula><negation><exists-path><finally><integer-le>
            <integer-constant>2</integer-constant><tokens-count><place>p</place><place>q</place></tokens-count>
        </integer-le></finally></exists-path></negation></formula></property>
        <property><id>fire</id><formula><all-paths><globally><is-fireable><transition>t</transition></is-fireable>
        </globally></all-paths></formula></property>
        <property><id>ctl</id><formula><all-paths><globally><exists-path><finally><true/></finally></exists-path>
        </globally></all-paths></formula></property>
        <property><id>typo</id><formula><all-paths><globally><is-fireable><transition>u</transition></is-fireable>
        </globally></all-paths></formula></property>
    </property-set>";
    let mut net = load(NET).unwrap();
    let questions = net.question_file(formulas).unwrap().unwrap();
    let names: Vec<&str> = questions
        .iter()
        .map(|asked| asked.as_ref().map_or_else(|misread| &*misread.name, |question| &*question.name))
        .collect();
    assert_eq!(names, ["dead", "count", "fire", "ctl", "typo"]);
    let mut same = |number: usize, text: &str| {
        let question = questions[number].as_ref().unwrap();
        let claim = question.property.claim;
        assert_eq!(claim, net.parse_property("same", text).unwrap().claim, "{text}");
        // What a trace keeps of the question can be asked again.
        assert_eq!(claim, net.parse_property("again", &question.text).unwrap().claim, "{text}");
    };
    same(0, "E<> deadlock");
    same(1, "AG(!(2 <= p + q))");
    same(2, "A[] fireable(t)");
    let wrong = |number: usize| &questions[number].as_ref().unwrap_err().diagnostics[0];
    assert!(wrong(3).code.is_unsupported());
    assert_eq!(wrong(4).message, "there is no transition `u`");
}

#[test]
fn deep_nesting_is_survived() {
    let mut net = load(NET).unwrap();
    let deep = |depth: usize| format!("{}p == 1{}", "(".repeat(depth), ")".repeat(depth));
    assert!(matches!(net.parse_property("p", &deep(1_000)).unwrap().claim, Claim::Always(_)));
    assert!(net.parse_property("p", &deep(100_000)).is_err());
    let pages = |depth: usize| {
        let (open, close) = ("<page id='g'>".repeat(depth), "</page>".repeat(depth));
        format!("<pnml><net id='n' type='ptnet'>{open}<place id='p'/>{close}</net></pnml>")
    };
    assert_eq!(load(&pages(10_000)).unwrap().contents.parts[0].counts[0], ("place", 1));
}
