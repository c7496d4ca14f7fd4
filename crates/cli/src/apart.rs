//! Files that are read and written must not be the same.

use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// Files that a command uses, each with what it is.
pub struct Apart(Vec<(PathBuf, String)>);

impl Apart {
    /// A command that reads a model.
    pub fn from_model(model: &Path) -> Self {
        Apart(vec![(real(model), "the model".to_owned())])
    }
    /// A command that reads what is to be written in another form.
    pub fn from_file(file: &Path) -> Self {
        Apart(vec![(real(file), "what is read".to_owned())])
    }
    /// The command also reads this file.
    pub fn read(&mut self, option: &str, file: &Path) {
        self.0.push((real(file), format!("{option} {}", file.display())));
    }
    /// The command also writes these files for an option with this value.
    ///
    /// # Errors
    /// If one of them is used otherwise.
    pub fn write(
        &mut self,
        option: &str,
        value: &Path,
        files: impl IntoIterator<Item = PathBuf>,
    ) -> Result<(), Failure> {
        let mut own = vec![];
        for file in files {
            let place = real(&file);
            if let Some((_, other)) = self.0.iter().find(|(known, _)| *known == place) {
                return Err(Failure::Input(format!(
                    "`{option} {}` would write `{}`, which is {other}; name another file",
                    value.display(),
                    file.display()
                )));
            }
            own.push((place, format!("what `{option} {}` writes", value.display())));
        }
        self.0.extend(own);
        Ok(())
    }
}

/// Where a file is or would be, whatever it is called.
pub fn real(path: &Path) -> PathBuf {
    let parent = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(parent).unwrap_or_else(|| path.to_owned())
}
