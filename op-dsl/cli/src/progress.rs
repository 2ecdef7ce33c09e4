//! The bar on standard error that says how far a command is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar whose length is set when it is known. It is drawn on terminals alone.
pub fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(4));
    let style = "{prefix}{msg:40} {wide_bar} {percent:>3} % {eta} left";
    bar.with_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()))
}
