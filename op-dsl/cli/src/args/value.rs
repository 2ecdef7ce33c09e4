//! Parsers of single arguments. An error names the values that are allowed.

use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;

/// Name and value of an argument `NAME=VALUE`.
pub type Pair = (String, String);

/// Shape of a tensor.
///
/// It is a type of its own because clap would take a plain `Vec` for a list of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

fn pair(text: &str, form: &str) -> Result<Pair, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.into(), value.into()))
        }
        _ => Err(format!("must be {form}")),
    }
}

pub fn tensor_file(text: &str) -> Result<Pair, String> {
    pair(text, "NAME=FILE.npy")
}

pub fn attribute(text: &str) -> Result<Pair, String> {
    pair(text, "NAME=VALUE")
}

pub fn dtype(text: &str) -> Result<DType, String> {
    text.parse()
}

pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("must be 1 to 1024".into()),
    }
}

pub fn level(text: &str) -> Result<Level, String> {
    let found = Level::ALL.into_iter().find(|l| l.name() == text);
    let names = || Level::ALL.map(|l| l.name()).join(", ");
    found.ok_or_else(|| format!("unknown level; allowed: {}", names()))
}

pub fn shape(text: &str) -> Result<Shape, String> {
    match any_shape(text) {
        Ok(shape) if !shape.0.contains(&0) => Ok(shape),
        _ => Err("must be sizes joined by x: 8192x8192".into()),
    }
}

pub fn any_shape(text: &str) -> Result<Shape, String> {
    let dims: Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
    dims.map(Shape).map_err(|_| "must be sizes joined by x: 23x12x2048".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_argument_values_are_refused() {
        assert_eq!(shape("8192x64"), Ok(Shape(vec![8192, 64])));
        for wrong in ["", "x", "8x", "0x4", "8,8", "-1x2", "99999999999999999999"] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
        assert_eq!(tensor_file("a=b=c.npy"), Ok(("a".into(), "b=c.npy".into())));
        for wrong in ["", "a", "=b", "a="] {
            assert!(tensor_file(wrong).is_err(), "{wrong}");
        }
        assert!(threads("0").is_err() && threads("x").is_err() && threads("2").is_ok());
    }
}
