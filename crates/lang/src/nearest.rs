//! The name that was probably meant, by edit distance.

/// The name closest to `wanted`, if one is close enough to be meant; of equally close
/// ones the first by alphabet.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (wanted.chars().count() + 1) / 3;
    names
        .filter(|name| name.len().abs_diff(wanted.len()) <= 4 * allowed)
        .filter_map(|name| Some((distance(wanted, name, allowed)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour, if at most
/// `most`; upper and lower case count as the same.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let [a, b] =
        [a, b].map(|text| text.chars().take(100).map(|c| c.to_ascii_lowercase()).collect::<Vec<_>>());
    let mut before: Vec<usize> = vec![];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, names: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(wanted, names.iter().copied()), expected);
    }

    #[test]
    fn near_names_are_suggested() {
        check("cuont", &["x", "count", "mount"], Some("count"));
        check("conut", &["count"], Some("count"));
        check("y", &["x"], None);
        check("Y", &["x", "y"], Some("y"));
        check("counter", &["x", "timer"], None);
        check("a", &[], None);
    }
}
