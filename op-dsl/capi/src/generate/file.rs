//! Generated files.

/// A file: its path in the crate of the interfaces, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path, for example `include/aclnnop/aclnn_geglu.h`.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}
