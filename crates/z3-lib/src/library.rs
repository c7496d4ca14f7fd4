//! Where the library is, which version it has, and whether it is good enough.
//!
//! At run time the first of these that can be used is loaded, once for the whole program: the folder
//! of the program, `../lib` beside it, the file that was found when this crate was built. If
//! `Z3_LIB_DIR` is set, only what it names is tried, because somebody meant that one.

use std::env;
use std::ffi::CString;
use std::fmt;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::ffi::Api;

/// The oldest version that is accepted. Debian 12's own 4.8.12 is 45 times slower on checks under
/// assumptions.
pub const OLDEST: [u32; 3] = [4, 13, 3];

/// What is known of the loaded library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryInfo {
    /// Major, minor, build number.
    pub version: [u32; 3],
    /// The file.
    pub path: PathBuf,
    /// How it was found.
    pub origin: String,
    /// The command line program of the same version, where the library came with one.
    pub program: Option<PathBuf>,
    /// Files that would have come before it, but cannot be used.
    pub refused: Vec<Refused>,
}

impl fmt::Display for LibraryInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build] = self.version;
        write!(f, "Z3 {major}.{minor}.{build} from {} ({})", self.path.display(), self.origin)
    }
}

/// A place without a library that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be used.
    pub why: Why,
}

/// Why a file is not the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// There is no such file.
    Missing,
    /// The system does not let this user read it.
    Denied,
    /// It does not have the size that it had when this crate was built; the two sizes.
    Damaged(u64, u64),
    /// It is not a library with the functions that are needed; what the system says.
    Unusable(String),
    /// It has this version, which is older than [`OLDEST`].
    TooOld([u32; 3]),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::Missing => write!(f, "there is no {path}"),
            Why::Denied => write!(f, "{path} cannot be read: permission denied"),
            Why::Damaged(found, expected) => {
                write!(f, "{path} is damaged: it has {found} bytes instead of {expected}")
            }
            Why::Unusable(reason) => write!(f, "{path} cannot be used as the Z3 library: {reason}"),
            Why::TooOld([a, b, c]) => {
                let [major, minor, build] = OLDEST;
                write!(f, "{path} is Z3 {a}.{b}.{c}; {major}.{minor}.{build} or newer is needed")
            }
        }
    }
}

/// Why there is no library. The first line of its text is the cause, what follows is what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// What `Z3_LIB_DIR` is set to, if it is.
    pub variable: Option<PathBuf>,
    /// The places that were tried, in order.
    pub places: Vec<Refused>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause())?;
        self.advice().iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}

impl LoadError {
    /// The places that hold something, which cannot be used.
    fn found(&self) -> Vec<&Refused> {
        self.places.iter().filter(|place| place.why != Why::Missing).collect()
    }
    /// What is wrong, in a line.
    pub fn cause(&self) -> String {
        match (&self.found()[..], &self.variable) {
            ([first, ..], _) => first.to_string(),
            ([], Some(folder)) => {
                format!("Z3_LIB_DIR is `{}`, {}", folder.display(), self.wrong_folder(folder))
            }
            ([], None) => "the Z3 library was not found".to_owned(),
        }
    }
    /// What else was tried, and what to do, line by line.
    pub fn advice(&self) -> Vec<String> {
        let (found, mut lines) = (self.found(), vec![]);
        if self.variable.is_none() {
            let others = self.places.iter().filter(|place| Some(*place) != found.first().copied());
            lines.extend(others.map(ToString::to_string));
        }
        for place in found.iter().filter(|place| matches!(place.why, Why::Unusable(_) | Why::Damaged(..))) {
            match &self.variable {
                Some(_) => {}
                None if place.path == Path::new(BUILT) => {
                    lines.push(format!("if it is damaged, delete {} and build again", place.path.display()));
                }
                None => lines.push(format!("remove {} or replace it", place.path.display())),
            }
        }
        if found.iter().any(|place| place.why == Why::Denied) {
            lines.push("a copy in the folder of the program or in ../lib beside it works too".to_owned());
        }
        let [major, minor, build] = OLDEST;
        let unset = if self.variable.is_some() { ", or unset it" } else { "" };
        lines.push(format!(
            "set Z3_LIB_DIR to the directory that holds {FILE} of a Z3 {major}.{minor}.{build} or newer{unset}"
        ));
        lines
    }
    /// What is wrong with the folder that holds no library.
    fn wrong_folder(&self, folder: &Path) -> String {
        if folder.is_file() {
            let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new(".")).display();
            format!("which is a file; set it to the directory that holds it, `{parent}`")
        } else if folder.is_dir() {
            format!("which holds no {FILE}")
        } else {
            "which does not exist".to_owned()
        }
    }
}

impl std::error::Error for LoadError {}

/// The library that solvers use, loaded by the first call.
pub fn library_info() -> Result<&'static LibraryInfo, LoadError> {
    loaded().map(|loaded| &loaded.info)
}

/// Limits the memory of all solvers of this program together, in megabytes; 0 lifts the limit.
pub fn memory_limit(megabytes: u32) -> Result<(), LoadError> {
    let api = api()?;
    let value = CString::new(megabytes.to_string()).expect("digits");
    // SAFETY: both texts end with a zero and outlive the call, which copies them.
    #[expect(unsafe_code, reason = "there is no context here")]
    unsafe {
        (api.global_param_set)(c"memory_max_size".as_ptr(), value.as_ptr())
    }
    Ok(())
}

pub(crate) fn api() -> Result<&'static Api, LoadError> {
    loaded().map(|loaded| &loaded.api)
}

/// The name of the file.
const FILE: &str = if cfg!(target_os = "macos") {
    "libz3.dylib"
} else if cfg!(windows) {
    "libz3.dll"
} else {
    "libz3.so"
};

/// The file that was found when this crate was built.
const BUILT: &str = env!("Z3_LIB_LIBRARY");

struct Loaded {
    api: Api,
    info: LibraryInfo,
}

/// Where to look, how it is called, and the size that is expected if one is.
struct Place {
    path: PathBuf,
    origin: &'static str,
    size: Option<u64>,
}

fn loaded() -> Result<&'static Loaded, LoadError> {
    static LOADED: OnceLock<Result<Loaded, LoadError>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Loaded, LoadError> {
    let variable = env::var_os("Z3_LIB_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    first_of(places(variable.as_deref()), variable)
}

fn places(variable: Option<&Path>) -> Vec<Place> {
    let place = |path: PathBuf, origin| Place { path, origin, size: None };
    if let Some(folder) = variable {
        // The system would look for a name without a folder in places of its own.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        return vec![place(folder.join(FILE), "Z3_LIB_DIR")];
    }
    let mut places = vec![];
    if let Some(folder) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        places.push(place(folder.join(FILE), "beside the program"));
        places.push(place(folder.join("../lib").join(FILE), "beside the program"));
    }
    places.push(Place {
        path: BUILT.into(),
        origin: env!("Z3_LIB_ORIGIN"),
        size: env!("Z3_LIB_SIZE").parse().ok(),
    });
    places
}

/// The first place with a library that can be used.
fn first_of(places: Vec<Place>, variable: Option<PathBuf>) -> Result<Loaded, LoadError> {
    let mut refused = vec![];
    for place in places {
        match open(&place) {
            Ok(mut loaded) => {
                refused.retain(|place: &Refused| place.why != Why::Missing);
                loaded.info.refused = refused;
                return Ok(loaded);
            }
            Err(why) => refused.push(Refused { path: place.path, why }),
        }
    }
    Err(LoadError { variable, places: refused })
}

fn open(Place { path, origin, size }: &Place) -> Result<Loaded, Why> {
    // A file that is too short ends the program when it is used, so its size comes first.
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Why::Missing,
        ErrorKind::PermissionDenied => Why::Denied,
        _ => Why::Unusable(error.to_string()),
    })?;
    let data = file.metadata().map_err(|error| Why::Unusable(error.to_string()))?;
    if data.is_dir() {
        return Err(Why::Unusable("it is a directory".into()));
    }
    if let Some(size) = size.filter(|size| *size != data.len()) {
        return Err(Why::Damaged(data.len(), size));
    }
    let unusable = |error: libloading::Error| Why::Unusable(error.to_string());
    #[expect(unsafe_code, reason = "loading code is")]
    // SAFETY: loading runs the initialisers of the library, and Z3's have no preconditions.
    let library = unsafe { Library::new(path) }.map_err(unusable)?;
    // The version first: an old library may lack some of the other functions.
    let version = {
        let mut version = [0; 4];
        let [major, minor, build, revision] = &mut version;
        #[expect(unsafe_code, reason = "the table of functions is not there yet")]
        // SAFETY: this function has had this signature in every version.
        unsafe {
            let get = library
                .get::<unsafe extern "C" fn(*mut u32, *mut u32, *mut u32, *mut u32)>(b"Z3_get_version\0")
                .map_err(unusable)?;
            get(major, minor, build, revision);
        }
        [version[0], version[1], version[2]]
    };
    if version < OLDEST {
        return Err(Why::TooOld(version));
    }
    let api = Api::load(library).map_err(unusable)?;
    let settings = [
        // Models are read once and dropped; tidying them up costs more than reading them.
        (c"model.compact", c"false"),
        // Ctrl-C is for the program, which stops its solvers itself.
        (c"ctrl_c", c"false"),
        // Its coefficients may grow without end, and while they are computed no limit is looked at.
        (c"lp.dio", c"false"),
    ];
    for (name, value) in settings {
        #[expect(unsafe_code, reason = "there is no context here")]
        // SAFETY: both texts end with a zero and outlive the call, which copies them.
        unsafe {
            (api.global_param_set)(name.as_ptr(), value.as_ptr());
        }
    }
    let program = path.with_file_name(if cfg!(windows) { "z3.exe" } else { "z3" });
    let program = program.is_file().then_some(program);
    let origin = (*origin).to_owned();
    let info = LibraryInfo { version, path: path.clone(), origin, program, refused: vec![] };
    Ok(Loaded { api, info })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: impl Into<PathBuf>) -> Place {
        Place { path: path.into(), origin: "test", size: None }
    }

    #[test]
    fn the_library_is_found_and_new_enough() {
        let info = library_info().unwrap();
        assert!(info.version >= OLDEST, "{info}");
    }

    #[test]
    fn what_is_no_library_is_refused() {
        let why = |path: &str| open(&place(path)).err();
        assert!(matches!(why("/dev/null"), Some(Why::Unusable(_))));
        assert!(matches!(why(env!("CARGO_MANIFEST_DIR")), Some(Why::Unusable(_))));
        assert_eq!(why("/nowhere/libz3.so"), Some(Why::Missing));
    }

    /// A library of the given text in C.
    #[cfg(target_os = "linux")]
    fn compiled(name: &str, text: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("thetis-z3-lib-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
        std::fs::write(&source, text).unwrap();
        let mut compiler = std::process::Command::new("cc");
        let status = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
        assert!(status.success());
        library
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn old_and_partial_libraries_are_refused() {
        let version = |numbers: &str| {
            format!(
                "void Z3_get_version(unsigned *a, unsigned *b, unsigned *c, unsigned *d) {{ \
                 unsigned v[] = {{ {numbers} }}; *a = v[0]; *b = v[1]; *c = v[2]; *d = v[3]; }}"
            )
        };
        let old = compiled("old", &version("4, 13, 2, 9"));
        assert_eq!(open(&place(&old)).err(), Some(Why::TooOld([4, 13, 2])));
        // New enough, but without the functions that are needed.
        for (name, text) in [("partial", version("9, 0, 0, 0")), ("none", "int x;".into())] {
            let library = compiled(name, &text);
            let Some(Why::Unusable(reason)) = open(&place(&library)).err() else {
                panic!("{name} was accepted")
            };
            assert!(reason.contains("Z3_"), "{reason}");
        }
        // Shorter than it was: not even loaded.
        let size = std::fs::metadata(&old).unwrap().len();
        let short = Place { size: Some(size + 1), ..place(&old) };
        assert_eq!(open(&short).err(), Some(Why::Damaged(size, size + 1)));
        let _ = std::fs::remove_dir_all(old.parent().unwrap());
    }

    #[test]
    fn a_bad_file_does_not_hide_a_good_one() {
        let places = || vec![place("/nowhere/libz3.so"), place("/dev/null"), place(BUILT)];
        let loaded = first_of(places(), None).ok().unwrap();
        assert_eq!(loaded.info.path, Path::new(BUILT));
        let [Refused { path, why: Why::Unusable(_) }] = &loaded.info.refused[..] else {
            panic!("{:?}", loaded.info.refused)
        };
        assert_eq!(path, Path::new("/dev/null"));
        // Without a good one, all of them are told.
        let error = first_of(places().into_iter().take(2).collect(), None).err().unwrap().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[0].starts_with("/dev/null cannot be used as the Z3 library: "), "{error}");
        assert_eq!(lines[1..3], ["there is no /nowhere/libz3.so", "remove /dev/null or replace it"]);
    }

    #[test]
    fn relative_folders_are_made_absolute() {
        let places = places(Some(Path::new("lib")));
        assert_eq!(places.len(), 1);
        assert!(places[0].path.is_absolute());
    }

    #[test]
    fn messages_name_the_cause_first_and_then_the_fix() {
        let error = |variable: Option<&str>, path: &str, why| {
            let error = LoadError {
                variable: variable.map(PathBuf::from),
                places: vec![Refused { path: path.into(), why }],
            };
            error.to_string().replace(FILE, "libz3.so")
        };
        assert_eq!(
            error(None, "/usr/lib/libz3.so", Why::TooOld([4, 8, 12])),
            "/usr/lib/libz3.so is Z3 4.8.12; 4.13.3 or newer is needed\n\
             set Z3_LIB_DIR to the directory that holds libz3.so of a Z3 4.13.3 or newer"
        );
        let missing = |variable| error(Some(variable), "libz3.so", Why::Missing);
        let or_unset =
            "set Z3_LIB_DIR to the directory that holds libz3.so of a Z3 4.13.3 or newer, or unset it";
        assert_eq!(
            missing("/nowhere"),
            format!("Z3_LIB_DIR is `/nowhere`, which does not exist\n{or_unset}")
        );
        let folder = env!("CARGO_MANIFEST_DIR");
        assert_eq!(missing(folder), format!("Z3_LIB_DIR is `{folder}`, which holds no libz3.so\n{or_unset}"));
        let file = format!("{folder}/Cargo.toml");
        let expected = format!("which is a file; set it to the directory that holds it, `{folder}`");
        assert!(missing(&file).contains(&expected), "{}", missing(&file));
        let damaged = error(None, BUILT, Why::Damaged(5, 10));
        assert!(damaged.starts_with(&format!("{BUILT} is damaged: it has 5 bytes instead of 10\n")));
        assert!(damaged.contains(&format!("delete {BUILT} and build again")), "{damaged}");
        let denied = error(None, BUILT, Why::Denied);
        assert!(denied.contains("permission denied\n") && denied.contains("../lib beside it"), "{denied}");
    }
}
