//! What is generated.

/// A file: its path in the crate of the interfaces, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// `include/aclnnop/aclnn_geglu.h`
    pub path: String,
    /// All of it.
    pub text: String,
}
