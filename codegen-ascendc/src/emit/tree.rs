//! Emitted files: in memory, then on disk.

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Files in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Sorted by path; no path twice.
    pub files: Vec<File>,
}

impl Tree {
    /// Adds a file, or replaces the one of this path.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let file = File { path: path.into(), text: text.into() };
        match self.files.binary_search_by(|f| f.path.cmp(&file.path)) {
            Ok(at) => self.files[at] = file,
            Err(at) => self.files.insert(at, file),
        }
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        let at = self.files.binary_search_by(|f| f.path.as_str().cmp(path)).ok()?;
        Some(&self.files[at].text)
    }
}
