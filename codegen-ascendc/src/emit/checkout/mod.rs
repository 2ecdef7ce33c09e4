//! Emitted directories inside a checkout of ops-nn.
//!
//! For each file it determines whether it is written, removed as part of the old implementation, or kept, and it finds interfaces
//! that would be lost.
//!
//! ```text
//! mod     an operator's directory, and what writing it changes
//! fate    what happens to a file of it
//! license the text at the head of every file
//! lists   the rows of the repository's lists of operators and functions
//! losses  interfaces that the old directory offers and the emitted one does not
//! ```

mod fate;
mod license;
mod lists;
mod losses;

pub use fate::Fate;
pub use license::license;
pub use lists::{Entry, entries};

use super::tree::{File, MARKER, Tree, WriteError, error, join, refused, replace, write};
use op_dsl_ir::op::OpDef;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Working copy of the repository ops-nn.
#[derive(Clone, Debug)]
pub struct Checkout {
    root: PathBuf,
}

/// Effect of writing an operator's emitted files into its directory of a checkout.
#[derive(Clone, Debug)]
pub struct Change {
    /// Name of the operator.
    pub operator: String,
    /// Path of the operator's directory, relative to the checkout.
    pub directory: String,
    /// Files of the directory before or after writing, by their paths in it, each with its fate.
    pub files: BTreeMap<String, Fate>,
    /// Interfaces and uncommitted files that would be lost, each in a few words.
    pub lost: Vec<String>,
    target: PathBuf,
    texts: Vec<File>,
}

impl Checkout {
    /// Opens a checkout of ops-nn whose root directory is `root`.
    ///
    /// # Errors
    /// The directory is not a checkout of ops-nn.
    pub fn open(root: &Path) -> Result<Checkout, WriteError> {
        let root = fs::canonicalize(root).map_err(|e| error(root, e))?;
        match ["activation", "cmake/func.cmake"].into_iter().find(|p| !root.join(p).exists()) {
            Some(missing) => {
                Err(refused(&root, format!("is no checkout of ops-nn: it has no {missing}")))
            }
            None => Ok(Checkout { root }),
        }
    }

    /// Returns the rows about an operator that the repository's lists of operators and functions lack.
    ///
    /// `directory` is the operator's directory, relative to the checkout.
    pub fn missing(&self, def: &OpDef, directory: &str) -> Vec<Entry> {
        let lacks = |entry: &Entry| {
            let list = fs::read_to_string(self.root.join(entry.list)).unwrap_or_default();
            // A page may describe several functions, for example `aclnnElu&aclnnInplaceElu`.
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
            !list.split(&entry.mark).skip(1).any(ends)
        };
        entries(def, directory).into_iter().filter(lacks).collect()
    }

    /// Determines what writing each operator of a tree would change in the checkout.
    ///
    /// With `keep_interface`, the interface (`op_api`, its documents, examples and tests, and the README) is left as it is;
    /// otherwise it is replaced. Writes nothing.
    ///
    /// # Errors
    /// A file cannot be read, or the checkout has the operator in a directory with another name.
    pub fn changes(&self, tree: &Tree, keep_interface: bool) -> Result<Vec<Change>, WriteError> {
        let homes = self.homes()?;
        tree.roots().map(|root| self.change(tree, root, &homes, keep_interface)).collect()
    }

    fn change(
        &self,
        tree: &Tree,
        root: &str,
        homes: &[(PathBuf, String)],
        keep_interface: bool,
    ) -> Result<Change, WriteError> {
        let marker = tree.get(&join(root, MARKER)).unwrap_or_default();
        let operator = marker.lines().nth(1).unwrap_or_default();
        let defined = homes.iter().find(|(_, text)| losses::defines(text, operator));
        let target = match defined {
            Some((home, _)) => home.clone(),
            None => self.root.join("activation").join(root),
        };
        let directory = target.strip_prefix(&self.root).unwrap_or(&target).display().to_string();
        if !target.ends_with(root) {
            let told = format!(
                "has {operator}, whose files here are named {root}: ops-nn finds files by their directory's name"
            );
            return Err(refused(&target, told));
        }
        let old = read(&target)?;
        let below = format!("{root}/");
        let emitted = tree.files.iter().filter_map(|file| {
            let path = file.path.strip_prefix(&below)?;
            let is_kept = path == MARKER || keep_interface && is_interface(path);
            (!is_kept).then(|| File { path: path.into(), text: file.text.clone() })
        });
        let mut texts: Vec<File> = emitted.collect();
        if keep_interface {
            keep_registration(&mut texts, &old);
        }
        let new: BTreeMap<&str, &str> = texts.iter().map(|f| (&*f.path, &*f.text)).collect();
        let mut files: BTreeMap<String, Fate> = BTreeMap::new();
        for (path, text) in &old {
            let fate = match new.get(&**path) {
                Some(new) if new.as_bytes() == text => Fate::Same,
                Some(_) => Fate::Replaced,
                None if keep_interface && is_interface(path) => Fate::Kept,
                None if is_implementation(path) => Fate::Removed,
                None => Fate::Kept,
            };
            files.insert(path.clone(), fate);
        }
        for path in new.keys() {
            files.entry((*path).to_string()).or_insert(Fate::New);
        }
        let mut lost = losses::offered(operator, &old, &new, keep_interface);
        lost.extend(losses::uncommitted(&self.root, &directory, &files));
        lost.extend(losses::elsewhere(&self.root, &target, &files, &new));
        Ok(Change { operator: operator.into(), directory, files, lost, target, texts })
    }

    /// Returns every directory with definitions of operators, once per file with a definition.
    ///
    /// Each comes with the text of that file.
    fn homes(&self) -> Result<Vec<(PathBuf, String)>, WriteError> {
        let mut homes = Vec::new();
        for category in directories(&self.root)? {
            // Experimental operators are skipped, because they have the same names.
            if category.ends_with("experimental") || category.join(".git").exists() {
                continue;
            }
            for home in directories(&category)? {
                for (path, text) in read(&home.join("op_host"))? {
                    if path.ends_with("_def.cpp") {
                        homes.push((home.clone(), String::from_utf8_lossy(&text).into_owned()));
                    }
                }
            }
        }
        Ok(homes)
    }
}

impl Change {
    /// Replaces the operator's directory by one with the emitted files and the files that are kept.
    ///
    /// Returns the path of the directory.
    ///
    /// # Errors
    /// A file cannot be written or copied. Nothing has changed then.
    pub fn apply(&self) -> Result<PathBuf, WriteError> {
        replace(&self.target, |part| {
            for (path, _) in self.files.iter().filter(|(_, fate)| **fate == Fate::Kept) {
                let (from, to) = (self.target.join(path), part.join(path));
                let copy = || {
                    fs::create_dir_all(to.parent().unwrap_or(part))?;
                    fs::copy(&from, &to)
                };
                copy().map_err(|e| error(&from, e))?;
            }
            self.texts.iter().try_for_each(|file| write(&part.join(&file.path), &file.text))
        })
    }

    /// Returns a report that lists the files by their fate, and what is lost.
    pub fn report(&self) -> String {
        let count = |fate: &Fate| self.files.values().filter(|f| *f == fate).count();
        let counts: Vec<String> = Fate::ALL
            .iter()
            .filter(|fate| count(fate) > 0)
            .map(|fate| format!("{} {}", count(fate), fate.name()))
            .collect();
        let mut text = format!("{}: {}\n", self.directory, counts.join(", "));
        for fate in Fate::ALL.into_iter().filter(|fate| *fate != Fate::Same) {
            for (path, _) in self.files.iter().filter(|(_, f)| **f == fate) {
                text += &format!("  {:<9} {path}\n", fate.name());
            }
        }
        text + &self.lost.iter().map(|lost| format!("  lost      {lost}\n")).collect::<String>()
    }
}

/// Returns whether the file with this path is part of what callers link against and read.
///
/// `path` is relative to the operator's directory.
fn is_interface(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts[..],
        ["op_api" | "docs" | "examples", ..]
            | ["README.md"]
            | ["op_host", "op_api", ..]
            | ["tests", "ut", "op_api", ..]
            | ["tests", "ut", "op_host", "op_api", ..]
    )
}

/// Returns whether the file with this path belongs to an implementation that an emitted one replaces.
///
/// `path` is relative to the operator's directory. All files in the directories of an implementation belong to it, because the
/// build finds sources by their directories. Lists of binaries (`op_host/config`) are included, because without them the build
/// produces binaries from the definition.
fn is_implementation(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts[..],
        ["op_host" | "op_kernel" | "op_api", ..]
            | ["tests", "ut", "op_host" | "op_kernel" | "op_api", ..]
    )
}

/// Changes the emitted `CMakeLists.txt` so that it registers the interface as the old one does.
///
/// The emitted file gets the `ACLNNTYPE` and the `DEPENDENCIES` of the old file.
fn keep_registration(texts: &mut [File], old: &BTreeMap<String, Vec<u8>>) {
    let old = losses::build_files(old);
    let argument = |name: &str| -> Option<String> {
        let words: Vec<&str> =
            old.split(|c: char| c.is_whitespace() || c == '(' || c == ')').collect();
        let at = words.iter().position(|w| *w == name)?;
        let is_value = |w: &&&str| w.chars().any(|c| c.is_ascii_lowercase());
        let values: Vec<&str> = words[at + 1..]
            .iter()
            .filter(|w| !w.is_empty())
            .take_while(is_value)
            .copied()
            .collect();
        (!values.is_empty()).then(|| values.join(" "))
    };
    let kind = argument("ACLNNTYPE").unwrap_or("aclnn_exclude".into());
    let needs =
        argument("DEPENDENCIES").map(|d| format!("\n    DEPENDENCIES {d}")).unwrap_or_default();
    for file in texts.iter_mut().filter(|f| f.path == "CMakeLists.txt") {
        for own in ["aclnn_exclude", "aclnn"] {
            let line = format!("    ACLNNTYPE {own}\n");
            file.text = file.text.replace(&line, &format!("    ACLNNTYPE {kind}{needs}\n"));
            if file.text.contains(&format!("ACLNNTYPE {kind}{needs}\n")) {
                break;
            }
        }
    }
}

/// Returns the directories directly inside `below`, except `.git`, in the order of their names.
fn directories(below: &Path) -> Result<BTreeSet<PathBuf>, WriteError> {
    let entries = fs::read_dir(below).map_err(|e| error(below, e))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.is_dir() && !path.ends_with(".git")).collect())
}

/// Returns the content of every file below a directory, by its path relative to the directory.
///
/// Empty if the directory does not exist.
fn read(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, WriteError> {
    let (mut found, mut open) = (BTreeMap::new(), vec![String::new()]);
    while let Some(below) = open.pop() {
        let place = directory.join(&below);
        let Ok(entries) = fs::read_dir(&place) else { continue };
        for entry in entries {
            let entry = entry.map_err(|e| error(&place, e))?;
            let path = join(&below, &entry.file_name().to_string_lossy());
            let kind = entry.file_type().map_err(|e| error(&entry.path(), e))?;
            if kind.is_symlink() {
                return Err(refused(
                    &entry.path(),
                    "is a symbolic link, which would not be kept as one",
                ));
            }
            if kind.is_dir() {
                open.push(path);
            } else {
                found.insert(path, fs::read(entry.path()).map_err(|e| error(&entry.path(), e))?);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
