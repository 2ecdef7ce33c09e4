//! Data that is built while expanding, and a constant in what is expanded.

use std::borrow::Cow;

/// Text that is a constant in an expansion and owned while expanding.
pub type Text = Cow<'static, str>;
/// A list that is a constant in an expansion and owned while expanding.
pub type List<T> = Cow<'static, [T]>;
