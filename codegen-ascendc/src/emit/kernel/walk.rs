//! The tiles of a core: `op_dsl_ir::tiling::Tiling::tiles` in C++.

use super::super::package::Package;
use super::super::text::{Comment, Text, header};
use super::super::tree::File;
use super::names::{guard, namespace};

const WALK: &str = include_str!("walk.h");

/// `<op>_walk.h`.
pub fn file(package: &Package<'_>) -> File {
    let guard = guard(package, "walk");
    let body = WALK
        .replace("@snake@", &package.snake())
        .replace("@namespace@", &namespace(package))
        .replace("@Op@", &package.def.name);
    let mut text = Text::new();
    text.line(header(package, Comment::Slashes));
    text.line(format!("#ifndef {guard}\n#define {guard}\n"));
    text.line(body);
    text.line(format!("#endif  // {guard}"));
    File { path: format!("{}_walk.h", package.snake()), text: text.finish() }
}
