//! Fitted tables have the same bits at any optimisation level, with and without FMA, on any architecture.

mod common;

use common::pairs::pair;
use common::{BF16, F16, named};
use op_dsl_fit::{Element, Function, Request};

/// FNV-1a hash of all floats of the tables of some functions, for all element types, and of their tails.
fn hash() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for name in ["gelu'", "silu", "tanh", "erf", "mish'", "log cosh", "elu, x<0", "softplus"] {
        let f = named(name).oracle();
        let function = Function::new(&f, named(name).hints());
        for entries in [32, 8] {
            for element in [Element::F32, BF16, F16] {
                let request = Request::new(element, entries);
                let table = function.fit(&request).unwrap();
                hash = hashed(hash, table.floats());
            }
        }
        for sign in [-1.0, 1.0] {
            let tail = function.tail(sign, 4.0);
            let curve =
                tail.curve.iter().flat_map(|c| c.within.iter().chain(c.columns.as_flattened()));
            let line = tail.line.iter().flat_map(|line| [line.from, line.base, line.slope]);
            hash = hashed(hash, curve.copied().chain(line));
        }
    }
    hash
}

/// FNV-1a hash of the joint tables of some functions and their derivatives.
fn joint_hash() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for name in ["silu", "gelu", "mish", "tanh", "x tanh x sigmoid x", "elu, x<0"] {
        let both = pair(name);
        let (f, derivative) = (both.f.oracle(), both.derivative.oracle());
        let f = Function::new(&f, both.f.hints());
        let derivative = Function::new(&derivative, both.derivative.hints());
        for entries in [32, 8] {
            if let Ok(joint) = f.fit_with(&derivative, &Request::joint(entries)) {
                hash = hashed(hash, joint.floats());
            }
        }
    }
    hash
}

fn hashed(hash: u64, floats: impl Iterator<Item = f32>) -> u64 {
    let bytes = floats.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(hash, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn are_the_same_everywhere() {
    assert_eq!(format!("{:016x}", hash()), include_str!("bits.txt").trim());
}

#[test]
fn joint_tables_are_the_same_everywhere() {
    assert_eq!(format!("{:016x}", joint_hash()), include_str!("bits_joint.txt").trim());
}
