//! Patterns of file names: `*` and `?` within a name, `**` for any number of folders.

use std::path::{Path, PathBuf};

/// Whether a name is one of those that a pattern stands for: `*` is any number of characters, `?` is one.
///
/// ```
/// use campaign::pattern::matches;
///
/// assert!(matches("*.xsts", "light.xsts") && matches("a?c*", "abcd"));
/// assert!(!matches("*.xsts", "light.xta") && !matches("a?", "a"));
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where the last star was, and how much of the name it stands for so far.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, seen) = (place + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// The files that a pattern stands for, seen from a folder, by name.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path, pattern: &str) -> std::io::Result<Vec<PathBuf>> {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let start = if Path::new(pattern).is_absolute() { Path::new("/") } else { folder };
    let mut found = vec![];
    walk(start, &parts, &mut found)?;
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// How deep folders are looked into; links may go around in circles.
const MAX_DEPTH: usize = 64;

fn walk(folder: &Path, parts: &[&str], found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    if !part.contains(['*', '?']) {
        let next = folder.join(part);
        if rest.is_empty() {
            found.extend(next.is_file().then_some(next));
        } else if next.is_dir() {
            walk(&next, rest, found)?;
        }
        return Ok(());
    }
    let anywhere = *part == "**";
    if anywhere {
        walk(folder, rest, found)?;
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if anywhere && path.is_dir() && path.components().count() < MAX_DEPTH {
            walk(&path, parts, found)?;
        } else if !anywhere && matches(part, &name) {
            match rest.is_empty() {
                true => found.extend(path.is_file().then_some(path)),
                false if path.is_dir() => walk(&path, rest, found)?,
                false => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_give_back_what_they_took() {
        assert!(matches("*ab*ab", "aabxabxab"));
        assert!(!matches("*ab*abc", "aabxabxab"));
        assert!(matches("**", "") && !matches("?", ""));
    }

    #[test]
    fn two_stars_are_any_number_of_folders() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names = |pattern: &str| -> Vec<String> {
            let list = files(here, pattern).expect("a folder");
            list.iter().map(|path| path.strip_prefix(here).unwrap().display().to_string()).collect()
        };
        assert_eq!(names("src/pattern.rs"), ["src/pattern.rs"]);
        assert_eq!(names("**/pat*.rs"), ["src/pattern.rs"]);
        assert_eq!(names("src/backend/../pa?tern.rs"), ["src/backend/../pattern.rs"]);
        assert!(names("**/backend/*.rs").contains(&"src/backend/local.rs".to_owned()));
        assert!(names("no/*.rs").is_empty());
    }
}
