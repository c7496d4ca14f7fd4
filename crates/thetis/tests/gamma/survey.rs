use super::*;
use std::collections::BTreeMap;
#[test]
fn survey() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(default);
    let (from, count) = (number("FROM", 0), number("COUNT", 200));
    let mut kinds: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut seen = agreement::Seen::default();
    for seed in from..from + count {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 20) as u16
        };
        let length = 50 + usize::from(next()) % 2400;
        let decisions: Vec<u16> = (0..length).map(|_| next()).collect();
        let model = arbitrary::model(&decisions);
        let result =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| agreement::agree(&model, &mut seen)));
        let result = result.unwrap_or_else(|_| Err("panic".to_owned()));
        if let Err(why) = result {
            let key: String = why.chars().take_while(|c| *c != ':' && *c != '`').take(60).collect();
            let key = if why.starts_with("is refused") {
                why.split(';')
                    .next()
                    .unwrap()
                    .split(": ")
                    .nth(1)
                    .unwrap_or("")
                    .split('`')
                    .next_back()
                    .unwrap_or("")
                    .to_owned()
                    + " R"
            } else {
                key
            };
            let text = format!("seed {seed} length {length}: {why}\n{}", model.text);
            let entry = kinds.entry(key).or_insert((0, text.clone()));
            entry.0 += 1;
            if text.len() < entry.1.len() {
                entry.1 = text;
            }
        }
    }
    for (key, (count, text)) in &kinds {
        println!("=== {count} x {key}\n{text}");
    }
    println!("{seen:#?}");
}
