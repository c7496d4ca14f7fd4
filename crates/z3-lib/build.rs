//! Finds the Z3 library and records where it is.
//!
//! In this order: the directory in `Z3_LIB_DIR`; what pkg-config knows, if new enough; the
//! `z3-solver` wheel at a pinned version, fetched with pip, checked against the hashes below and
//! unpacked into a cache of the user, so that neither `cargo clean` nor `cargo install` loses it.
//! Nothing is linked: the library is loaded when the first solver is made (see `src/library.rs`), so
//! there is no search path that every binary, test and benchmark would have to carry. What is found is
//! loaded once here, in a process of its own, to see that it can be and which version it has.

use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

const OLDEST: [u32; 3] = [4, 13, 3];
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
/// Python that fetched it can read one. Files keep the date they have in the wheel: Cargo runs this
/// script again if the library is younger than the last run.
const UNPACK: &str = r#"
import hashlib, os, sys, time, zipfile
wheel, expected, into = sys.argv[1:]
with open(wheel, "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
if found != expected:
    sys.exit(f"{os.path.basename(wheel)} has SHA-256 {found}, expected {expected}")
with zipfile.ZipFile(wheel) as archive:
    for entry in archive.infolist():
        base = os.path.basename(entry.filename)
        if base in ("libz3.so", "libz3.dylib", "libz3.dll", "z3", "z3.exe"):
            path = os.path.join(into, base)
            with open(path, "wb") as file:
                file.write(archive.read(entry))
            os.chmod(path, 0o755)
            date = time.mktime(entry.date_time + (0, 0, -1))
            os.utime(path, (date, date))
"#;

/// Set for the process that loads a library to see what it is.
const PROBE: &str = "Z3_LIB_PROBE";

/// Finds the library and tells Cargo.
pub fn main() {
    if let Some(library) = env::var_os(PROBE) {
        return probe(Path::new(&library));
    }
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["Z3_LIB_DIR", "PKG_CONFIG_PATH", "XDG_CACHE_HOME", "HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    match find() {
        Ok(Found { library, origin, size }) => {
            println!("cargo::rerun-if-changed={}", library.display());
            println!("cargo::rustc-env=Z3_LIB_LIBRARY={}", library.display());
            println!("cargo::rustc-env=Z3_LIB_ORIGIN={origin}");
            println!("cargo::rustc-env=Z3_LIB_SIZE={}", size.map_or(String::new(), |size| size.to_string()));
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
    /// Its size, if nobody but this script changes it.
    size: Option<u64>,
}

fn find() -> Result<Found, String> {
    if let Some(folder) = env::var_os("Z3_LIB_DIR").filter(|folder| !folder.is_empty()) {
        return by_variable(Path::new(&folder));
    }
    if let Some(found) = by_pkg_config() {
        return Ok(found);
    }
    by_wheel().map_err(|reason| {
        format!(
            "Z3 was not found: {reason}\n\
             install Python 3 with pip (Debian: python3-pip) and network access, or a Z3 of version \
             {} or newer known to pkg-config,\n\
             or set Z3_LIB_DIR to the directory that holds {}",
            shown(OLDEST),
            file_name()
        )
    })
}

fn by_variable(folder: &Path) -> Result<Found, String> {
    let wrong = |problem: &dyn Display| {
        let (folder, file) = (folder.display(), file_name());
        format!("Z3_LIB_DIR is `{folder}`, {problem}\nset it to the directory that holds {file}, or unset it")
    };
    if folder.is_relative() {
        return Err(wrong(&"which must be an absolute path, because builds run in folders of their own"));
    }
    let library = folder.join(file_name());
    if folder.is_file() {
        let parent = folder.parent().unwrap_or(folder).display();
        return Err(wrong(&format_args!("which is a file; the directory that holds it is `{parent}`")));
    }
    if !folder.exists() {
        return Err(wrong(&"which does not exist"));
    }
    if !library.is_file() {
        return Err(wrong(&format_args!("which holds no {}", file_name())));
    }
    if native() {
        check(&library).map_err(|problem| wrong(&format_args!("and {}: {problem}", library.display())))?;
    } else {
        println!("cargo::warning={} is used as it is: this is a cross build", library.display());
    }
    Ok(Found { library, origin: "Z3_LIB_DIR".into(), size: None })
}

/// Whether what is built runs here.
fn native() -> bool {
    env::var("HOST") == env::var("TARGET")
}

/// Whether a library can be loaded and is new enough.
fn check(library: &Path) -> Result<(), String> {
    // A library that is damaged may end the process that loads it.
    let me = env::current_exe().map_err(|error| error.to_string())?;
    let asked = Command::new(me).args(env::args_os().skip(1)).env(PROBE, library).output();
    let output = asked.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    if let Some(problem) = said.lines().find_map(|line| line.strip_prefix("problem: ")) {
        return Err(problem.to_owned());
    }
    let version = said.lines().find_map(|line| line.strip_prefix("version: ")).ok_or_else(|| {
        format!("it cannot be loaded ({}), so it is damaged or for another machine", output.status)
    })?;
    let mut numbers = version.split('.').map_while(|number| number.parse().ok());
    let version = [(); 3].map(|()| numbers.next().unwrap_or(0));
    if version < OLDEST {
        return Err(format!("it is Z3 {}, and {} or newer is needed", shown(version), shown(OLDEST)));
    }
    Ok(())
}

/// Loads a library and says its version.
fn probe(path: &Path) {
    type Version = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32, *mut u32);
    let mut version = [0; 4];
    let [major, minor, build, revision] = &mut version;
    #[expect(unsafe_code, reason = "loading code is")]
    // SAFETY: the initialisers of Z3 have no preconditions, and the function has had this signature in
    // every version.
    let loaded = unsafe {
        libloading::Library::new(path).and_then(|library| {
            library.get::<Version>(b"Z3_get_version\0").map(|get| get(major, minor, build, revision))
        })
    };
    match loaded {
        Ok(()) => println!("version: {}.{}.{}", version[0], version[1], version[2]),
        Err(error) => println!("problem: {}", error.to_string().replace('\n', " ")),
    }
}

fn shown([major, minor, build]: [u32; 3]) -> String {
    format!("{major}.{minor}.{build}")
}

fn file_name() -> &'static str {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos") => "libz3.dylib",
        Ok("windows") => "libz3.dll",
        _ => "libz3.so",
    }
}

fn by_pkg_config() -> Option<Found> {
    if !native() {
        return None;
    }
    output("pkg-config", [format!("--atleast-version={}", shown(OLDEST)), "z3".into()]).ok()?;
    let folder = output("pkg-config", ["--variable=libdir", "z3"]).ok()?;
    let library = Path::new(folder.trim()).join(file_name());
    if !library.is_file() {
        return None;
    }
    if let Err(problem) = check(&library) {
        println!("cargo::warning={}, which pkg-config knows, is not used: {problem}", library.display());
        return None;
    }
    Some(Found { library, origin: "pkg-config".into(), size: None })
}

fn by_wheel() -> Result<Found, String> {
    if !native() {
        return Err("the wheel is fetched for the machine that builds, and this is a cross build".into());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let cache = cache().filter(|cache| fs::create_dir_all(cache).is_ok());
    let kept = cache.is_some();
    let cache = cache.unwrap_or_else(|| out.clone());
    let folder = cache.join(format!("z3-{WHEEL_VERSION}"));
    let library = folder.join(file_name());
    if intact(&library).is_none() {
        let fetched = out.join("wheel");
        let unpacked = cache.join(format!("unpacking-{}", std::process::id()));
        let result = renew(&fetched, &unpacked, &folder);
        for folder in [&fetched, &unpacked] {
            let _ = fs::remove_dir_all(folder);
        }
        result?;
    }
    let size = intact(&library).ok_or_else(|| format!("the wheel holds no {}", file_name()))?;
    check(&library).map_err(|problem| format!("{}: {problem}", library.display()))?;
    if !kept {
        println!(
            "cargo::warning=there is no cache folder (HOME and XDG_CACHE_HOME), so Z3 is in {}, where `cargo \
             clean` removes it; a program that is installed needs a copy in ../lib beside it",
            library.display()
        );
    }
    Ok(Found { library, origin: format!("z3-solver wheel {WHEEL_VERSION}"), size: Some(size) })
}

/// Fetches the wheel and puts its files into `folder`, in the place of what is there.
fn renew(fetched: &Path, unpacked: &Path, folder: &Path) -> Result<(), String> {
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for folder in [fetched, unpacked] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    }
    fetch(fetched, unpacked)?;
    let library = unpacked.join(file_name());
    if let Some((size, sum)) = measure(&library) {
        let record = record(&library);
        fs::write(&record, format!("{size} {sum:016x}\n")).map_err(|error| named(&record, error))?;
    }
    // One by one, because others may be using what is there.
    fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    for file in fs::read_dir(unpacked).map_err(|error| named(unpacked, error))?.flatten() {
        let target = folder.join(file.file_name());
        fs::rename(file.path(), &target).map_err(|error| named(&target, error))?;
    }
    Ok(())
}

/// The size of a library that is as it was unpacked.
fn intact(library: &Path) -> Option<u64> {
    let recorded = fs::read_to_string(record(library)).ok()?;
    let (size, sum) = measure(library)?;
    (recorded.trim() == format!("{size} {sum:016x}")).then_some(size)
}

/// The file that says how the library was unpacked.
fn record(library: &Path) -> PathBuf {
    library.with_extension("sum")
}

/// Size and checksum (FNV-1a) of a file. This is against damage; whoever may write the file may write its
/// record too.
pub fn measure(path: &Path) -> Option<(u64, u64)> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; 1 << 20];
    let (mut size, mut sum) = (0, 0xcbf2_9ce4_8422_2325_u64);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some((size, sum)),
            count => {
                size += count as u64;
                for byte in &buffer[..count] {
                    sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
    }
}

/// The folder for what can be fetched again.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = if let Some(folder) = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA")) {
        folder
    } else if cfg!(target_os = "macos") {
        set("HOME")?.join("Library/Caches")
    } else {
        set("HOME")?.join(".cache")
    };
    folder.is_absolute().then(|| folder.join("thetis"))
}

fn fetch(into: &Path, unpacked: &Path) -> Result<(), String> {
    let python = ["python3", "python"]
        .into_iter()
        .find(|python| output(python, ["--version"]).is_ok())
        .ok_or("there is no python3 to fetch it with")?;
    let package = format!("z3-solver=={WHEEL_VERSION}");
    let arguments: [&OsStr; 11] = [
        "-m".as_ref(),
        "pip".as_ref(),
        "download".as_ref(),
        "--quiet".as_ref(),
        "--disable-pip-version-check".as_ref(),
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

/// Runs a program and returns what it prints, or its complaint: the first line, which often has the
/// cause, and the last two.
fn output<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let few = match &lines[..] {
        [] => "no message".to_owned(),
        [first, .., before, last] => [*first, *before, *last].join("\n"),
        few => few.join("\n"),
    };
    Err(format!("{program}: {few}"))
}
