//! Names of an operator's tensors and attributes in C and C++.

/// Converts a name to C++ style: `y_grad` becomes `yGrad`, `x.gate` becomes `xGate`.
///
/// A reserved name gets a trailing `_`, for example `int_`. Everything that writes C or C++ uses these names. Graphs,
/// definitions and documents keep the names that the author gave.
pub fn cpp_name(name: &str) -> String {
    let mut name = camel(name);
    if is_taken(&name) {
        name.push('_');
    }
    name
}

/// Returns whether a name is reserved in C++ or used in the files emitted for an operator.
pub fn is_taken(name: &str) -> bool {
    // UB buffers: `t0` holds floats, `h0` 16-bit numbers, `m0` a mask, `c0` copies of one number.
    let numbered = |prefix: char| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|r| !r.is_empty() && r.bytes().all(|b| b.is_ascii_digit()))
    };
    LANGUAGE.contains(&name)
        || OURS.contains(&name)
        || ['t', 'h', 'm', 'c'].into_iter().any(numbered)
}

fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut capital = false;
    for c in name.chars() {
        match c {
            '_' | '.' => capital = !out.is_empty(),
            _ if capital => {
                out.push(c.to_ascii_uppercase());
                capital = false;
            }
            _ => out.push(c),
        }
    }
    out
}

/// Keywords and operators of C++20, the extended types of AscendC, and macros of libraries.
#[rustfmt::skip]
const LANGUAGE: &[&str] = &[
    "alignas", "alignof", "and", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case",
    "catch", "char", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum", "errno", "explicit",
    "export", "extern", "false", "float", "for", "friend", "goto", "half", "if", "inline", "int",
    "linux", "long", "major", "minor", "mutable", "namespace", "new", "noexcept", "not", "nullptr",
    "operator", "or", "private", "protected", "public", "register", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "stderr", "stdin", "stdout", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unix",
    "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
];

/// Identifiers used inside the files that are emitted for an operator.
#[rustfmt::skip]
const OURS: &[&str] = &[
    "added", "all", "allowed", "apart", "at", "attributes", "axis", "big", "block", "bytes", "call",
    "capacity", "checked", "columns", "context", "cores", "count", "data", "depth", "dims", "domain",
    "dtype", "executor", "extent", "first", "floats", "form", "formula", "gate", "gateFirst", "got",
    "host", "i", "in", "inferred", "info", "inputs", "lanes", "length", "machine", "name", "need", "ones",
    "op", "ops", "out", "outputs", "para", "part", "path", "pieces", "period", "pipe", "pitch",
    "platform", "promoted", "rank", "ready", "reserved", "right", "row", "rows", "run", "second",
    "shape", "share", "small", "std", "step", "steps", "stream", "table", "target", "tensor", "tensors",
    "text", "tile", "tileColumns", "tileRows", "tiling", "tilingData", "together", "type", "unique",
    "unitColumns", "unitRows", "ut", "value", "values", "walk", "want", "workspace",
    "workspaceSize", "workspaces", "written",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_house() {
        for (from, to) in [
            ("y_grad", "yGrad"),
            ("dx", "dx"),
            ("activate_left", "activateLeft"),
            ("x.gate", "xGate"),
            ("beta_2", "beta2"),
        ] {
            assert_eq!(cpp_name(from), to);
        }
    }

    #[test]
    fn taken_words_get_an_underscore() {
        for word in ["int", "class", "float", "pipe", "default", "workspace_size", "t0", "c12"] {
            assert_eq!(cpp_name(word), format!("{}_", camel(word)));
        }
        for word in ["t", "c", "tanh", "u3", "h0x"] {
            assert_eq!(cpp_name(word), word);
        }
    }

    #[test]
    fn lists_are_sorted() {
        assert!(LANGUAGE.is_sorted(), "C++'s words");
        assert!(OURS.iter().all(|word| !LANGUAGE.contains(word)));
    }
}
