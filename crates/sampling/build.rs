//! Tells tests whether there is a corpus beside the workspace.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(corpus)");
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/manifest.csv");
    if manifest.is_file() {
        println!("cargo::rerun-if-changed={}", manifest.display());
        println!("cargo::rustc-cfg=corpus");
    }
}
