//! Where the library is, which version it has, and whether it is good enough.
//!
//! At run time the first of these that exists is loaded, once for the whole program: `Z3_LIB_DIR`,
//! the folder of the program, `../lib` beside it, the file that was found when this crate was built.

use std::env;
use std::ffi::CString;
use std::fmt;
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
}

impl fmt::Display for LibraryInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build] = self.version;
        write!(f, "Z3 {major}.{minor}.{build} from {} ({})", self.path.display(), self.origin)
    }
}

/// Why there is no library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// None of these files exists.
    NotFound(Vec<PathBuf>),
    /// The file is not a library with the functions that are needed.
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The library is older than [`OLDEST`].
    TooOld {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: [u32; 3],
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build] = OLDEST;
        match self {
            LoadError::NotFound(places) => {
                f.write_str("the Z3 library is in none of these places:")?;
                for place in places {
                    write!(f, "\n  {}", place.display())?;
                }
                write!(f, "\nset Z3_LIB_DIR to the directory of a Z3 {major}.{minor}.{build} or newer")
            }
            LoadError::Unusable { path, reason } => {
                write!(f, "{} cannot be used as the Z3 library: {reason}", path.display())
            }
            LoadError::TooOld { path, version: [a, b, c] } => write!(
                f,
                "{} is Z3 {a}.{b}.{c}; {major}.{minor}.{build} or newer is needed (set Z3_LIB_DIR to its directory)",
                path.display()
            ),
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

struct Loaded {
    api: Api,
    info: LibraryInfo,
}

fn loaded() -> Result<&'static Loaded, LoadError> {
    static LOADED: OnceLock<Result<Loaded, LoadError>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Loaded, LoadError> {
    let places = places();
    let Some((path, origin)) = places.iter().find(|(path, _)| path.is_file()) else {
        return Err(LoadError::NotFound(places.into_iter().map(|(path, _)| path).collect()));
    };
    open(path, origin)
}

fn places() -> Vec<(PathBuf, String)> {
    let name = if cfg!(target_os = "macos") {
        "libz3.dylib"
    } else if cfg!(windows) {
        "libz3.dll"
    } else {
        "libz3.so"
    };
    if let Some(folder) = env::var_os("Z3_LIB_DIR") {
        return vec![(Path::new(&folder).join(name), "Z3_LIB_DIR".into())];
    }
    let mut places = vec![];
    if let Some(folder) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        places.push((folder.join(name), "beside the program".into()));
        places.push((folder.join("../lib").join(name), "beside the program".into()));
    }
    places.push((env!("Z3_LIB_LIBRARY").into(), env!("Z3_LIB_ORIGIN").into()));
    places
}

fn open(path: &Path, origin: &str) -> Result<Loaded, LoadError> {
    let unusable =
        |error: libloading::Error| LoadError::Unusable { path: path.to_owned(), reason: error.to_string() };
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
        return Err(LoadError::TooOld { path: path.to_owned(), version });
    }
    let api = Api::load(library).map_err(unusable)?;
    // Models are read once and dropped; tidying them up costs more than reading them.
    #[expect(unsafe_code, reason = "there is no context here")]
    // SAFETY: both texts end with a zero and outlive the call, which copies them.
    unsafe {
        (api.global_param_set)(c"model.compact".as_ptr(), c"false".as_ptr());
    }
    let program = path.with_file_name(if cfg!(windows) { "z3.exe" } else { "z3" });
    let program = program.is_file().then_some(program);
    let info = LibraryInfo { version, path: path.to_owned(), origin: origin.to_owned(), program };
    Ok(Loaded { api, info })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_and_new_enough() {
        let info = library_info().unwrap();
        assert!(info.version >= OLDEST, "{info}");
    }

    #[test]
    fn what_is_no_library_is_refused() {
        let Err(LoadError::Unusable { path, .. }) = open(Path::new("/dev/null"), "test") else {
            panic!("/dev/null was accepted")
        };
        assert_eq!(path, Path::new("/dev/null"));
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
        let error = open(&old, "test").err();
        assert_eq!(error, Some(LoadError::TooOld { path: old.clone(), version: [4, 13, 2] }));
        // New enough, but without the functions that are needed.
        for (name, text) in [("partial", version("9, 0, 0, 0")), ("none", "int x;".into())] {
            let library = compiled(name, &text);
            let Some(LoadError::Unusable { reason, .. }) = open(&library, "test").err() else {
                panic!("{name} was accepted")
            };
            assert!(reason.contains("Z3_"), "{reason}");
        }
        let _ = std::fs::remove_dir_all(old.parent().unwrap());
    }

    #[test]
    fn messages_name_the_file_and_the_fix() {
        let old = LoadError::TooOld { path: "/usr/lib/libz3.so".into(), version: [4, 8, 12] };
        assert_eq!(
            old.to_string(),
            "/usr/lib/libz3.so is Z3 4.8.12; 4.13.3 or newer is needed (set Z3_LIB_DIR to its directory)"
        );
    }
}
