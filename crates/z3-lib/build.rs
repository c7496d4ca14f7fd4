//! Finds the Z3 library and records where it is.
//!
//! In this order: the directory in `Z3_LIB_DIR`; what pkg-config knows, if new enough; the
//! `z3-solver` wheel at a pinned version, fetched with pip, checked against the hashes below and
//! unpacked into a cache of the user, so that neither `cargo clean` nor `cargo install` loses it.
//! Nothing is linked: the library is loaded when the first solver is made (see `src/library.rs`), so
//! there is no search path that every binary, test and benchmark would have to carry.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OLDEST: &str = "4.13.3";
const WHEEL_VERSION: &str = "5.4.0.0";
const WHEELS: &[(&str, &str)] = &[
    (
        "z3_solver-5.4.0.0-py3-none-manylinux_2_27_x86_64.whl",
        "0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b",
    ),
    (
        "z3_solver-5.4.0.0-py3-none-manylinux_2_38_aarch64.whl",
        "fffb36861d4da1f9584d0fd4a80dbf247fdfbebb04b5c31a90b460b14c86cab0",
    ),
    (
        "z3_solver-5.4.0.0-py3-none-macosx_13_0_arm64.whl",
        "a1b36f0dd038c030d88711474c93b95e863c30a22e9def53ad5965c6092c92a7",
    ),
    (
        "z3_solver-5.4.0.0-py3-none-macosx_13_0_x86_64.whl",
        "407522390c4d11696b10d43c76d22d4e60b7f11d75d9defe6f064e073edd904f",
    ),
    (
        "z3_solver-5.4.0.0-py3-none-win_amd64.whl",
        "a8e3e153ae2bc69d128c59406ffda37d4ce1277963040da148605fd77a4ae789",
    ),
];

/// Checks the hash of a wheel and unpacks the library and the program. A wheel is a zip file, and the
/// Python that fetched it can read one.
const UNPACK: &str = r#"
import hashlib, os, sys, zipfile
wheel, expected, into = sys.argv[1:]
with open(wheel, "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
if found != expected:
    sys.exit(f"{os.path.basename(wheel)} has SHA-256 {found}, expected {expected}")
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        base = os.path.basename(name)
        if base in ("libz3.so", "libz3.dylib", "libz3.dll", "z3", "z3.exe"):
            with open(os.path.join(into, base), "wb") as file:
                file.write(archive.read(name))
            os.chmod(os.path.join(into, base), 0o755)
"#;

/// Finds the library and tells Cargo.
pub fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["Z3_LIB_DIR", "PKG_CONFIG_PATH", "XDG_CACHE_HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    match find() {
        Ok(found) => {
            println!("cargo::rerun-if-changed={}", found.library.display());
            println!("cargo::rustc-env=Z3_LIB_LIBRARY={}", found.library.display());
            println!("cargo::rustc-env=Z3_LIB_ORIGIN={}", found.origin);
        }
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
        }
    }
}

struct Found {
    library: PathBuf,
    origin: String,
}

fn find() -> Result<Found, String> {
    if let Some(folder) = env::var_os("Z3_LIB_DIR") {
        let library = Path::new(&folder).join(file_name());
        return if library.is_file() {
            Ok(Found { library, origin: "Z3_LIB_DIR".into() })
        } else {
            Err(format!("Z3_LIB_DIR is set, but there is no {}", library.display()))
        };
    }
    if let Some(found) = by_pkg_config() {
        return Ok(found);
    }
    by_wheel().map_err(|reason| {
        format!(
            "Z3 was not found: {reason}\n\
             install Python 3 with pip (Debian: python3-pip) and network access, or a Z3 of version \
             {OLDEST} or newer known to pkg-config,\n\
             or set Z3_LIB_DIR to the directory that holds {}",
            file_name()
        )
    })
}

fn file_name() -> &'static str {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "libz3.dylib",
        Ok("windows") => "libz3.dll",
        _ => "libz3.so",
    }
}

fn by_pkg_config() -> Option<Found> {
    if env::var("HOST") != env::var("TARGET") {
        return None;
    }
    output("pkg-config", [format!("--atleast-version={OLDEST}"), "z3".into()]).ok()?;
    let folder = output("pkg-config", ["--variable=libdir", "z3"]).ok()?;
    let library = Path::new(folder.trim()).join(file_name());
    library.is_file().then(|| Found { library, origin: "pkg-config".into() })
}

fn by_wheel() -> Result<Found, String> {
    if env::var("HOST") != env::var("TARGET") {
        return Err("the wheel is fetched for the machine that builds, and this is a cross build".into());
    }
    let name = format!("z3-{WHEEL_VERSION}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let cache = cache().filter(|cache| fs::create_dir_all(cache).is_ok()).unwrap_or_else(|| out.clone());
    let folder = cache.join(name);
    let library = folder.join(file_name());
    let found = Found { library, origin: format!("z3-solver wheel {WHEEL_VERSION}") };
    if found.library.is_file() {
        return Ok(found);
    }

    let fetched = out.join("wheel");
    let unpacked = cache.join(format!("unpacking-{}", std::process::id()));
    for folder in [&fetched, &unpacked] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let result = fetch(&fetched, &unpacked);
    let _ = fs::remove_dir_all(&fetched);
    if result.is_ok() && fs::rename(&unpacked, &folder).is_err() && !found.library.is_file() {
        // An incomplete folder was in the way.
        let _ = fs::remove_dir_all(&folder);
        fs::rename(&unpacked, &folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let _ = fs::remove_dir_all(&unpacked);
    result?;
    if found.library.is_file() { Ok(found) } else { Err(format!("the wheel holds no {}", file_name())) }
}

/// The folder for what can be fetched again.
fn cache() -> Option<PathBuf> {
    let folder = if let Some(folder) = env::var_os("XDG_CACHE_HOME") {
        PathBuf::from(folder)
    } else if let Some(folder) = env::var_os("LOCALAPPDATA") {
        PathBuf::from(folder)
    } else if cfg!(target_os = "macos") {
        Path::new(&env::var_os("HOME")?).join("Library/Caches")
    } else {
        Path::new(&env::var_os("HOME")?).join(".cache")
    };
    folder.is_absolute().then(|| folder.join("thetis"))
}

fn fetch(into: &Path, unpacked: &Path) -> Result<(), String> {
    let python = ["python3", "python"]
        .into_iter()
        .find(|python| output(python, ["--version"]).is_ok())
        .ok_or("there is no python3 to fetch it with")?;
    let package = format!("z3-solver=={WHEEL_VERSION}");
    let arguments: [&OsStr; 10] = [
        "-m".as_ref(),
        "pip".as_ref(),
        "download".as_ref(),
        "--quiet".as_ref(),
        "--no-deps".as_ref(),
        "--only-binary".as_ref(),
        ":all:".as_ref(),
        "--dest".as_ref(),
        into.as_os_str(),
        package.as_ref(),
    ];
    output(python, arguments).map_err(|error| format!("fetching {package} failed: {error}"))?;

    let wheel = fs::read_dir(into).ok().and_then(|mut files| files.next()?.ok());
    let Some(wheel) = wheel else { return Err(format!("fetching {package} left no file")) };
    let name = wheel.file_name();
    let Some((_, hash)) = WHEELS.iter().find(|(known, _)| name == OsStr::new(known)) else {
        return Err(format!("no hash is recorded for {}", name.to_string_lossy()));
    };
    let wheel = wheel.path();
    let arguments: [&OsStr; 5] =
        ["-c".as_ref(), UNPACK.as_ref(), wheel.as_os_str(), hash.as_ref(), unpacked.as_os_str()];
    output(python, arguments).map(|_| ())
}

/// Runs a program and returns what it prints, or the last line of its complaint.
fn output<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{program}: {last}"))
}
