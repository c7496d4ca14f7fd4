//! Files of a disk, for tests of languages that import.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ir::FileId;
use lang::{Files, ImportError};

/// The files that were read so far; the first is the one that was named.
pub struct Folder {
    pub files: Vec<PathBuf>,
    /// Where files are looked for by what is in them.
    pub around: PathBuf,
}

impl Folder {
    pub fn of(main: &Path, around: &Path) -> Self {
        Folder { files: vec![main.to_owned()], around: around.to_owned() }
    }
    fn number(&mut self, path: PathBuf) -> FileId {
        let at = self.files.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.files.push(path);
            self.files.len() - 1
        });
        FileId(u16::try_from(at).unwrap())
    }
}

impl Files for Folder {
    fn import(&mut self, from: FileId, name: &str) -> Result<(FileId, Arc<str>), ImportError> {
        let mut path = PathBuf::new();
        for part in self.files[usize::from(from.0)].parent().unwrap().join(name).components() {
            match part {
                Component::ParentDir => drop(path.pop()),
                part => path.push(part),
            }
        }
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok((self.number(path), text.into())),
            Err(error) => Err(ImportError::Unreadable(Arc::new(error))),
        }
    }
    fn import_where(
        &mut self,
        from: FileId,
        extension: &str,
        wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(FileId, Arc<str>), ImportError> {
        let mut around = self.files[usize::from(from.0)].parent().unwrap().to_owned();
        while around.starts_with(&self.around) {
            for path in files_below(&around, extension) {
                let text = std::fs::read_to_string(&path).unwrap();
                if wanted(&text) {
                    return Ok((self.number(path), text.into()));
                }
            }
            around.pop();
        }
        Err(ImportError::Alone(extension.to_owned()))
    }
}

/// All files below a folder whose names end so, by name.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (vec![], vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == extension) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}
