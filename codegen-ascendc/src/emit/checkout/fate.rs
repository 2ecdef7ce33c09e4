//! Effect of writing an operator on each file of its directory: written, replaced, unchanged, removed or kept.

/// Effect on one file of writing an operator's emitted files into its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// The file did not exist, and is written.
    New,
    /// The file exists with another text, and is replaced.
    Replaced,
    /// The file exists with the same text.
    Same,
    /// The file is part of the old implementation and is removed.
    Removed,
    /// The file is not part of what is emitted, and is left as it is.
    Kept,
}

impl Fate {
    pub(super) const ALL: [Fate; 5] =
        [Fate::New, Fate::Replaced, Fate::Removed, Fate::Kept, Fate::Same];

    /// Returns the word for the effect in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::New => "new",
            Fate::Replaced => "replaced",
            Fate::Same => "unchanged",
            Fate::Removed => "removed",
            Fate::Kept => "kept",
        }
    }
}
