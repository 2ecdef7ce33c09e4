//! Generated files.

/// A generated file of the crate that exports the C interfaces: its path in the crate, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path, for example `include/aclnnop/aclnn_geglu.h`.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}
