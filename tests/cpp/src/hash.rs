//! Hashes of files that do not depend on the directory they are in.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::Path;

/// A 128-bit hash: two 64-bit hashes of the same bytes with different seeds.
pub struct Hash([DefaultHasher; 2]);

impl Default for Hash {
    fn default() -> Hash {
        let mut other = DefaultHasher::new();
        other.write_u8(1);
        Hash([DefaultHasher::new(), other])
    }
}

impl Hash {
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds bytes and their length, so that different sequences of parts have different hashes.
    fn bytes(&mut self, bytes: &[u8]) {
        for hasher in &mut self.0 {
            hasher.write_usize(bytes.len());
            hasher.write(bytes);
        }
    }

    /// Adds a file's name and contents.
    pub fn file(&mut self, path: &Path) -> Result<(), String> {
        self.text(&path.file_name().unwrap_or_default().to_string_lossy());
        let contents = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        self.bytes(&contents);
        Ok(())
    }

    /// Adds all files below a directory with their relative paths; a missing directory counts as empty.
    pub fn tree(&mut self, dir: &Path) -> Result<(), String> {
        let mut paths: Vec<_> =
            fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.text(&path.file_name().unwrap_or_default().to_string_lossy());
                self.tree(&path)?;
            } else {
                self.file(&path)?;
            }
        }
        self.text("the end of a directory");
        Ok(())
    }

    pub fn finish(self) -> String {
        let [a, b] = self.0.map(|hasher| hasher.finish());
        format!("{a:016x}{b:016x}")
    }
}
