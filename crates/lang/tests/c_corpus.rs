//! C programs of others, where they are at hand: all are read but for recursion, and none of them, cut off anywhere,
//! makes the front-end go wrong.

use std::fs;
use std::path::{Path, PathBuf};

use thetis_lang::code::Code;
use thetis_lang::{Reading, c};

fn programs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut open = vec![corpus.join("programs"), corpus.join("c")];
    let mut list = vec![];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
                list.push(path);
            }
        }
    }
    list.sort();
    list
}

fn programs_of_the_competition_are_read() {
    let list = programs();
    let mut recursive = 0;
    for path in &list {
        let text = fs::read_to_string(path).unwrap();
        if let Err(errors) = c::load(&text, &Reading::default()) {
            let only = errors.iter().all(|error| error.code == Code::UnsupportedRecursion);
            assert!(only, "{}: {}", path.display(), errors[0].message);
            recursive += 1;
        }
    }
    assert_eq!((list.len() >= 131, recursive), (true, 2));
}

fn cut_off_programs_are_survived() {
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    for path in programs() {
        let text = fs::read_to_string(&path).unwrap();
        for _ in 0..3 {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            let mut cut = (dice % text.len() as u64) as usize;
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            if let Err(errors) = c::load(&text[..cut], &Reading::default()) {
                assert!(errors.iter().all(|error| error.span.end as usize <= cut), "{}", path.display());
            }
        }
    }
}

sampling::with_corpus!(programs_of_the_competition_are_read, cut_off_programs_are_survived);
