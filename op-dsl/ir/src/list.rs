//! Text and lists that macros own while they expand, and that are constants in the expansion.

use std::borrow::Cow;

/// Text that is a constant in an expansion and owned while expanding.
pub type Text = Cow<'static, str>;
/// A list that is a constant in an expansion and owned while expanding.
pub type List<T> = Cow<'static, [T]>;
