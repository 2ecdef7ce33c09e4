//! Items that macro expansions refer to. They are no public interface, since they change with the macros.

pub use crate::oracle;

/// Items that the kernels in macro expansions use.
pub mod vector {
    pub use codegen_cpu::fit;
    pub use codegen_cpu::rt::block::{Body, Input, Kernels};
    pub use codegen_cpu::rt::elem::El;
    pub use codegen_cpu::rt::load::Load;
    pub use codegen_cpu::rt::math;
    pub use codegen_cpu::rt::ranged::{Ranged, ranged};
    pub use codegen_cpu::rt::simd::Isa;
    pub use codegen_cpu::rt::step::{Floats, Mask};
    pub use codegen_cpu::rt::tabled::{Tabled, tabled};
    pub use codegen_cpu::rt::wide::{self, Wide};
    pub use fearless_simd::prelude::*;
    pub use op_dsl_ir::program::{Guard, Instruction, Op, Operand, Program};
    pub use op_dsl_ir::rounding::Arithmetic;
    pub use op_dsl_ir::{DType, Prim, Stored};
    pub use std::borrow::Cow::Borrowed;
}

/// Rust types of elements, by their names in formulas.
pub mod types {
    pub use codegen_cpu::rt::converted::{e4m3fn, e5m2};
    pub use codegen_cpu::rt::elem::{bf16, f16};
    pub use core::primitive::{bool, f32, i8, i16, i32, u8};
}

/// Items that the operator definitions in macro expansions use.
pub mod data {
    pub use op_dsl_ir::graph::{Graph, Id, Node};
    pub use op_dsl_ir::op::{
        Accuracy, Along, Attr, AttrKind, Derived, Fast, Gate, GradOf, Kind, OpDef, Origin, Pattern,
        Range, RowFunction, Rule, Spec, Split, Stage, Sum, Tables, Tensor, Value, Variant, Wide,
    };
    pub use op_dsl_ir::published::Published;
    pub use op_dsl_ir::wiring::Wiring;
    pub use op_dsl_ir::{DType, Prim, Stored};
    // Imported by name because an operator may be called `None`.
    pub use std::borrow::Cow::Borrowed;
    pub use std::option::Option::{None, Some};

    /// Returns a graph node that calls `prim` with one argument, given by its node number.
    pub const fn call1(prim: Prim, a: u32) -> Node {
        Node::Call(prim, [Id(a), Id::NONE, Id::NONE])
    }

    /// Returns a graph node that calls `prim` with two arguments, given by their node numbers.
    pub const fn call2(prim: Prim, a: u32, b: u32) -> Node {
        Node::Call(prim, [Id(a), Id(b), Id::NONE])
    }

    /// Returns a graph node that calls `prim` with three arguments, given by their node numbers.
    pub const fn call3(prim: Prim, a: u32, b: u32, c: u32) -> Node {
        Node::Call(prim, [Id(a), Id(b), Id(c)])
    }
}
