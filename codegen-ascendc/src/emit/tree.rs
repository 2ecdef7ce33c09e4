//! Emitted files: in memory, then on disk, all or none.
//!
//! A directory that holds a [`MARKER`] is a *root*. It is written next to its target and then renamed, so that nobody ever sees a
//! partial one. A directory without the marker is not touched, because somebody else made it.

use std::fs::{self, File as DiskFile};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name of the file that marks a directory as generated, so that it may be replaced.
pub const MARKER: &str = ".generated";

/// Emitted file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path relative to the tree, with `/` between directories.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

/// Set of emitted files in memory, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Files sorted by path, without duplicates.
    pub files: Vec<File>,
}

/// Error of writing: the file or directory that is in the way, or that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .path.display())]
pub struct WriteError {
    /// Path of the file or directory.
    pub path: PathBuf,
    /// Reason why this file or directory cannot be written or replaced.
    pub why: String,
}

impl Tree {
    /// Adds a file, or replaces the file with this path.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let file = File { path: path.into(), text: text.into() };
        match self.files.binary_search_by(|f| f.path.cmp(&file.path)) {
            Ok(at) => self.files[at] = file,
            Err(at) => self.files.insert(at, file),
        }
    }

    /// Adds files whose paths are relative to a directory of the tree.
    pub fn add_below(&mut self, directory: &str, files: Vec<File>) {
        for file in files {
            self.add(join(directory, &file.path), file.text);
        }
    }

    /// Adds a [`MARKER`] to a directory, so that a later run may replace the directory as a whole.
    ///
    /// The marker lists the names of the operators in the directory.
    pub fn mark<'n>(&mut self, directory: &str, operators: impl Iterator<Item = &'n str>) {
        let names: String = operators.map(|name| format!("{name}\n")).collect();
        self.add(join(directory, MARKER), format!("op-dsl\n{names}"));
    }

    /// Returns the text of the file with this path, `None` if there is no such file.
    pub fn get(&self, path: &str) -> Option<&str> {
        let at = self.files.binary_search_by(|f| f.path.as_str().cmp(path)).ok()?;
        Some(&self.files[at].text)
    }

    /// Returns the paths of all directories that are replaced as a whole, which are those that hold a [`MARKER`] file.
    ///
    /// The empty string stands for the directory that the tree itself is written to.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        let split = self.files.iter().map(|f| f.path.rsplit_once('/').unwrap_or(("", &f.path)));
        split.filter(|(_, name)| *name == MARKER).map(|(root, _)| root)
    }

    /// Writes every root directory (one that holds a [`MARKER`]) below `out`, all or none.
    ///
    /// Replaces a root that was generated before. With `force`, any other file or directory in its place is moved aside to
    /// `<name>.old`. Returns the absolute paths of the roots.
    ///
    /// # Errors
    /// Names the path in the way; nothing has changed then.
    pub fn write(&self, out: &Path, force: bool) -> Result<Vec<PathBuf>, WriteError> {
        let roots: Vec<&str> = self.roots().collect();
        let staged: Result<Vec<Staged>, WriteError> =
            roots.iter().map(|root| self.stage(root, out, force)).collect();
        staged?.into_iter().map(Staged::commit).collect()
    }

    /// Writes the files of a root directory (one with a [`MARKER`]) into a temporary directory.
    ///
    /// The temporary directory is next to the directory in `out` that it will replace.
    fn stage(&self, root: &str, out: &Path, force: bool) -> Result<Staged, WriteError> {
        let target = place(&out.join(root))?;
        let before = before(&target, force)?;
        let below = if root.is_empty() { String::new() } else { format!("{root}/") };
        stage(target, before, |part| {
            for file in &self.files {
                if let Some(path) = file.path.strip_prefix(&below) {
                    write(&part.join(path), &file.text)?;
                }
            }
            Ok(())
        })
    }
}

/// Creates a temporary directory next to `target` and calls `fill` to write files into it.
fn stage(
    target: PathBuf,
    before: Before,
    fill: impl FnOnce(&Path) -> Result<(), WriteError>,
) -> Result<Staged, WriteError> {
    let staged = Staged { part: beside(&target, "part"), target, before };
    fs::create_dir(&staged.part).map_err(|e| error(&staged.part, e))?;
    fill(&staged.part)?;
    Ok(staged)
}

/// Replaces or creates a directory by one that `fill` writes, all or nothing.
///
/// `fill` gets the path of a temporary directory. It must copy there whatever it keeps of the old directory.
pub(super) fn replace(
    target: &Path,
    fill: impl FnOnce(&Path) -> Result<(), WriteError>,
) -> Result<PathBuf, WriteError> {
    let target = place(target)?;
    let before = if target.exists() { Before::Replaceable } else { Before::Nothing };
    stage(target, before, fill)?.commit()
}

pub(super) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() { path.to_string() } else { format!("{directory}/{path}") }
}

pub(super) fn error(path: &Path, e: io::Error) -> WriteError {
    let why = match e.kind() {
        io::ErrorKind::NotFound => "no such file or directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => e.to_string(),
    };
    refused(path, why)
}

pub(super) fn refused(path: &Path, why: impl Into<String>) -> WriteError {
    WriteError { path: path.into(), why: why.into() }
}

/// Complete directory under a temporary name, which [`Staged::commit`] moves to its target path.
///
/// On drop, a directory that was not moved is removed.
struct Staged {
    part: PathBuf,
    target: PathBuf,
    before: Before,
}

/// State of the target directory before anything is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// The target was generated before, or is an empty directory.
    Replaceable,
    /// The target was made by somebody else, and is to be moved aside.
    Foreign,
}

impl Staged {
    /// Moves the directory to its target, and returns the target's path.
    ///
    /// Restores the old directory if that fails.
    fn commit(self) -> Result<PathBuf, WriteError> {
        let aside = match self.before {
            Before::Nothing => None,
            Before::Replaceable => Some(beside(&self.target, "before")),
            Before::Foreign => Some(old(&self.target)),
        };
        if let Some(aside) = &aside {
            fs::rename(&self.target, aside).map_err(|e| error(&self.target, e))?;
        }
        if let Err(e) = fs::rename(&self.part, &self.target) {
            if let Some(aside) = &aside {
                // Restore the old directory; if that fails as well, it still exists beside the target.
                let _ = fs::rename(aside, &self.target);
            }
            return Err(error(&self.target, e));
        }
        if let (Before::Replaceable, Some(aside)) = (self.before, &aside) {
            fs::remove_dir_all(aside).map_err(|e| error(aside, e))?;
        }
        Ok(self.target.clone())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a commit nothing has this name any more. Otherwise an error is being returned, so a stray directory is the worst
        // outcome.
        let _ = fs::remove_dir_all(&self.part);
    }
}

/// Returns the absolute path of a directory that need not exist, and creates its parent directories.
fn place(target: &Path) -> Result<PathBuf, WriteError> {
    if let Ok(found) = fs::canonicalize(target) {
        return Ok(found);
    }
    let name = target.file_name().ok_or_else(|| refused(target, "is no name of a directory"))?;
    let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| error(parent, e))?;
    Ok(fs::canonicalize(parent).map_err(|e| error(parent, e))?.join(name))
}

/// Returns what exists at the path `target`, or an error if it may not be replaced.
///
/// With `force`, files and directories that were not generated may be replaced, because they are moved aside.
fn before(target: &Path, force: bool) -> Result<Before, WriteError> {
    let meta = match fs::metadata(target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Before::Nothing),
        found => found.map_err(|e| error(target, e))?,
    };
    if target.file_name().is_none() {
        return Err(refused(target, "cannot be replaced"));
    }
    let is_empty = || fs::read_dir(target).map(|mut d| d.next().is_none());
    if meta.is_dir()
        && (target.join(MARKER).is_file() || is_empty().map_err(|e| error(target, e))?)
    {
        return Ok(Before::Replaceable);
    }
    let old = old(target);
    match (force, old.exists()) {
        (false, _) => {
            let kind = if meta.is_dir() { "directory" } else { "file" };
            let told = "exists and was not generated; --force moves it aside to";
            Err(refused(target, format!("this {kind} {told} {}", old.display())))
        }
        (true, true) => Err(refused(&old, "is in the way of what --force would move there")),
        (true, false) => Ok(Before::Foreign),
    }
}

/// Returns the path `.<name>.<process id>.<end>` next to the target, where `<name>` is the target's.
///
/// The process id makes it unique among programs that run at the same time.
fn beside(target: &Path, end: &str) -> PathBuf {
    renamed(target, ".", &format!(".{}.{end}", std::process::id()))
}

fn old(target: &Path) -> PathBuf {
    renamed(target, "", ".old")
}

fn renamed(target: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(before);
    name.push(target.file_name().unwrap_or_default());
    name.push(after);
    target.with_file_name(name)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), WriteError> {
    let write = || {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        DiskFile::create_new(path)?.write_all(text.as_bytes())?;
        if path.extension().is_some_and(|e| e == "sh") { executable(path) } else { Ok(()) }
    };
    write().map_err(|e| error(path, e))
}

#[cfg(unix)]
fn executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::default();
        tree.mark("a", ["A"].into_iter());
        tree.mark("b", ["B"].into_iter());
        tree.add("a/x/run.sh", text);
        tree.add("b/y.txt", text);
        tree
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn roots_are_replaced_whole() {
        let dir = tempdir().unwrap();
        let dir = dir.path();
        tree("old").write(&dir.join("deep/out"), false).unwrap();
        let out = dir.join("deep/out");
        fs::write(out.join("a/stale"), "").unwrap();
        tree("new").write(&out, false).unwrap();
        assert_eq!(names(&out), ["a", "b"]);
        assert_eq!(names(&out.join("a")), [MARKER, "x"]);
        assert_eq!(fs::read_to_string(out.join("b/y.txt")).unwrap(), "new");
        assert_eq!(fs::read_to_string(out.join("a/.generated")).unwrap(), "op-dsl\nA\n");
    }

    #[test]
    fn what_others_made_is_left_alone() {
        let dir = tempdir().unwrap();
        let dir = dir.path();
        fs::create_dir(dir.join("a")).unwrap(); // empty: nobody's
        fs::create_dir(dir.join("b")).unwrap();
        fs::write(dir.join("b/mine"), "").unwrap();
        let told = tree("").write(dir, false).unwrap_err().to_string();
        assert!(told.contains("/b: ") && told.contains("--force"), "{told}");
        assert_eq!((names(&dir.join("a")).len(), names(dir)), (0, vec!["a".into(), "b".into()]));
        tree("").write(dir, true).unwrap();
        assert_eq!(names(dir), ["a", "b", "b.old"]);
        assert_eq!(names(&dir.join("b.old")), ["mine"]);
        fs::write(dir.join("b/.generated"), "").unwrap();
        fs::remove_file(dir.join("b/.generated")).unwrap();
        assert!(tree("").write(dir, true).is_err(), "b.old would be lost");
        assert_eq!(names(dir), ["a", "b", "b.old"]);
    }

    #[test]
    fn an_error_leaves_nothing() {
        let dir = tempdir().unwrap();
        let dir = dir.path();
        fs::write(dir.join("file"), "").unwrap();
        let told = tree("").write(&dir.join("file"), false).unwrap_err().to_string();
        assert!(told.contains("file"), "{told}");
        let mut wrong = tree("");
        wrong.add("b/y.txt/z", "a file cannot be a directory");
        assert!(wrong.write(dir, false).is_err());
        assert_eq!(names(dir), ["file"]);
    }
}
