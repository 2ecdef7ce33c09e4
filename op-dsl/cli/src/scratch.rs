//! Directories and files that are removed when they are dropped.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Maximum number of names tried for a new file, since names may be left over from other processes.
const TRIES: u32 = 1000;

/// A temporary directory that only its owner can access, removed on drop.
pub struct ScratchDir(PathBuf);

impl ScratchDir {
    /// Creates a directory, with a name of this prefix, in the system's directory for temporary files.
    pub fn new(prefix: &str) -> io::Result<ScratchDir> {
        ScratchDir::new_in(&std::env::temp_dir(), prefix)
    }

    pub fn new_in(parent: &Path, prefix: &str) -> io::Result<ScratchDir> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let (path, ()) = fresh(parent, prefix, |path| builder.create(path))?;
        Ok(ScratchDir(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for ScratchDir {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // The command is ending: a directory that stays is the worst outcome.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file written under a temporary name next to its target, removed on drop unless it was placed.
pub struct ScratchFile {
    pub file: File,
    path: PathBuf,
    is_placed: bool,
}

impl ScratchFile {
    pub fn new_in(parent: &Path, prefix: &str) -> io::Result<ScratchFile> {
        let create = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (path, file) = fresh(parent, prefix, create)?;
        Ok(ScratchFile { file, path, is_placed: false })
    }

    /// Renames the file to its target path.
    pub fn place(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns the directory that a path is in: `.` for a bare name.
pub fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file or directory by `make`, under a new name with this prefix, and returns its path.
fn fresh<T>(
    parent: &Path,
    prefix: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut last = None;
    for _ in 0..TRIES {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{prefix}{}-{number}", process::id()));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => last = Some(e),
            Err(e) => return Err(e),
        }
    }
    Err(last.unwrap_or_else(|| ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_is_removed() {
        let dir = ScratchDir::new("op-dsl-test-").expect("a directory");
        let other = ScratchDir::new("op-dsl-test-").expect("another");
        assert_ne!(dir.path(), other.path());
        let (target, left) = (dir.path().join("placed"), || {
            let names = fs::read_dir(dir.path()).expect("a directory");
            names.map(|e| e.expect("an entry").file_name()).collect::<Vec<_>>()
        });
        drop(ScratchFile::new_in(dir.path(), ".").expect("a file"));
        assert!(left().is_empty());
        let file = ScratchFile::new_in(dir.path(), ".").expect("a file");
        file.place(&target).expect("a place");
        assert_eq!(left(), ["placed"]);
        let path = dir.path().to_owned();
        drop(dir);
        assert!(!path.exists() && other.path().exists());
        let none = ScratchFile::new_in(&path, ".").map(|_| ()).expect_err("no directory");
        assert_eq!(none.kind(), ErrorKind::NotFound);
    }
}
