//! The files of a project: the one that was named, and everything that it imports.
//!
//! A path is looked for beside the file that imports it, and then below each of the folders around that file, the
//! outermost first, as a path usually begins at the root of a workspace or of a project in it. It never begins at the
//! root of the disk, and names a package file or nothing, so that a model reads no other files. Old texts import
//! *packages* by name; then the nearest file around that has this package is taken.
//!
//! Each file is read once, however often it is imported; cycles are allowed, as in the original.

use ir::{FileId, IdVec};
use rustc_hash::FxHashMap;

use super::ast::{Ast, Import, PackageId};
use super::parser;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front_end::{Files, ImportError};

/// How many folders around a file are tried.
const MAX_FOLDERS: usize = 12;

/// How many files a project has at most.
const MAX_FILES: usize = 4_096;

/// Which packages each package imports directly, in order; those that are missing are not among them.
pub(crate) type Imports = IdVec<PackageId, Vec<PackageId>>;

/// Parses a file and everything that it imports.
pub(crate) fn project(text: &str, files: &mut dyn Files, diagnostics: &mut Diagnostics) -> (Ast, Imports) {
    let mut ast = Ast::default();
    let main = parser::package(text, FileId::default(), &mut ast, diagnostics);
    let imports = follow(&mut ast, main, files, diagnostics);
    (ast, imports)
}

/// Parses everything that the packages from `first` on import.
pub(crate) fn follow(
    ast: &mut Ast,
    first: PackageId,
    files: &mut dyn Files,
    diagnostics: &mut Diagnostics,
) -> Imports {
    let mut known: FxHashMap<FileId, PackageId> = FxHashMap::default();
    for (id, package) in ast.packages.entries() {
        known.entry(package.file).or_insert(id);
    }
    let mut imports: Imports = (0..ir::Id::index(first)).map(|_| vec![]).collect();
    while let Some(package) = ast.packages.get(ir::Id::at(imports.len())) {
        let (from, wanted) = (package.file, package.imports.clone());
        let mut found = vec![];
        for import in &wanted {
            if ast.packages.len() >= MAX_FILES {
                let message = format!("a project has at most {MAX_FILES} files");
                diagnostics.push(Diagnostic::error(Code::TooLarge, import.span, message));
                return ast.packages.ids().map(|_| vec![]).collect();
            }
            match find(from, import, files) {
                Ok((file, text)) => {
                    let id =
                        *known.entry(file).or_insert_with(|| parser::package(&text, file, ast, diagnostics));
                    if !found.contains(&id) {
                        found.push(id);
                    }
                }
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        imports.push(found);
    }
    imports
}

pub(super) type Found = (FileId, std::sync::Arc<str>);

/// The file that a task or the like names, which ends so; it is looked for as packages are.
pub(super) fn find_other(
    from: FileId,
    import: &Import,
    extension: &str,
    files: &mut dyn Files,
) -> Result<Found, Diagnostic> {
    let path: String = import.path.trim().replace('\\', "/");
    let relative = path.trim_start_matches('/');
    if relative.rsplit_once('.').is_none_or(|(_, ending)| ending != extension) {
        let message = format!("`{path}` is no `.{extension}` file, and no other is read here");
        return Err(Diagnostic::error(Code::WrongDocument, import.span, message));
    }
    find_named(from, relative, relative.len() == path.len(), files).map_err(|why| {
        let message = format!("cannot read `{path}`: {why}");
        Diagnostic::error(Code::MissingFile, import.span, message)
            .help("a path is looked for beside this file and below each folder around it")
    })
}

pub(super) fn find(from: FileId, import: &Import, files: &mut dyn Files) -> Result<Found, Diagnostic> {
    let path: String = import.path.chars().filter(|c| !c.is_whitespace()).collect();
    let path = path.replace('\\', "/");
    let relative = path.trim_start_matches('/');
    let (folder, last) = relative.rsplit_once('/').map_or(("", relative), |(folder, last)| (folder, last));
    if last.is_empty() {
        let message =
            "this import names no file; write the path of a package, `\"Interfaces/Interfaces.gcd\"`";
        return Err(Diagnostic::error(Code::MissingPart, import.span, message));
    }
    let names = match last.rsplit_once('.') {
        None => vec![format!("{last}.gcd")],
        Some((_, "gcd")) => vec![last.to_owned()],
        // The unfolded form of a package, `.Name.gsm` or `.Name-Purpose.gsm`.
        Some((stem, "gsm")) => {
            let stem = stem.trim_start_matches('.');
            let whole = stem.rsplit_once('-').map(|(name, _)| format!("{name}.gcd"));
            std::iter::once(format!("{stem}.gcd")).chain(whole).collect()
        }
        Some(_) => {
            let message = format!("`{path}` is no package; only `.gcd` files can be imported");
            return Err(Diagnostic::error(Code::WrongDocument, import.span, message));
        }
    };
    let mut why = None;
    for name in names {
        let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        match find_named(from, &name, relative.len() == path.len(), files) {
            Ok(found) => return Ok(found),
            // The first name is the one that was written.
            Err(error) => drop(why.get_or_insert(error)),
        }
    }
    if !relative.contains(['/', '.']) {
        // The name of a package; that of its unfolded form ends so in old traces.
        for name in std::iter::once(relative).chain(relative.strip_suffix("View")) {
            if let Ok(found) = files.import_where(from, "gcd", &mut |text| is_package(text, name)) {
                return Ok(found);
            }
        }
    }
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    let message = format!("cannot import `{}`{why}", import.path);
    Err(Diagnostic::error(Code::MissingFile, import.span, message)
        .help("a path is looked for beside this file and below each folder around it"))
}

/// Looks beside a file, if it may be there, and below each folder around it.
fn find_named(from: FileId, name: &str, beside: bool, files: &mut dyn Files) -> Result<Found, ImportError> {
    if beside && let Ok(found) = files.import(from, name) {
        return Ok(found);
    }
    let mut last = Err(ImportError::Alone(name.to_owned()));
    for up in (0..=MAX_FOLDERS).rev() {
        last = files.import(from, &format!("{}{name}", "../".repeat(up)));
        // The innermost error is worth telling: it is about the path that was probably meant.
        if !matches!(last, Err(ImportError::Unreadable(_))) {
            break;
        }
    }
    last
}

/// Whether a text begins with `package name`, in whatever case.
fn is_package(text: &str, name: &str) -> bool {
    let mut said = Diagnostics::default();
    // Comments may come first; what is behind the first two words does not matter.
    let tokens = super::lexer::tokens(text, FileId::default(), &mut said);
    let mut words = tokens.iter().map(|(_, span)| &text[span.start as usize..span.end as usize]);
    words.next() == Some("package")
        && words.next().is_some_and(|word| word.trim_start_matches('^').eq_ignore_ascii_case(name))
}
