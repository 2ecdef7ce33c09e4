//! Text and lists that macros own while they expand, and that are constants in the expansion.

use std::borrow::Cow;

/// Text that is owned while a macro runs and borrowed from a constant in the code it emits.
pub type Text = Cow<'static, str>;
/// A list that is owned while a macro runs and borrowed from a constant in the code it emits.
pub type List<T> = Cow<'static, [T]>;
