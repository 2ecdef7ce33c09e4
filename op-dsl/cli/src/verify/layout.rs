//! Shapes of the tensors that a formula is measured on, and the places of elements in them.

use super::formula::Formula;
use op_dsl_ir::op::{Gate, Kind, Part};

impl Formula {
    /// Returns the shape of a tensor with `n` elements of every stream: a gated one has a row per part.
    pub fn shape(&self, kind: Kind, n: usize) -> Vec<usize> {
        let def = self.op.def();
        // With a row ahead, an input that lies along a dimension of its own is aligned as any other.
        let has_rows = def.split.is_some() || !def.along.is_empty();
        let mut shape = match kind {
            _ if !has_rows => vec![n],
            Kind::Whole | Kind::Mask | Kind::PerRow => vec![1, n],
            Kind::Gated => vec![2, n],
            Kind::Rows => return vec![1],
        };
        if def.per_row().next().is_some() && !def.has_row_functions() {
            // Each element is a row of its own, so that every element has a number per row.
            shape.push(1);
        }
        if let Some(last) = shape.last_mut().filter(|_| kind == Kind::PerRow) {
            *last = 1;
        }
        shape
    }

    /// Returns whether all elements of a row share the numbers of a tensor, because a row is more than one element.
    pub fn is_shared(&self, kind: Kind) -> bool {
        kind == Kind::PerRow && self.op.def().has_row_functions()
    }

    /// Returns the row of a gated tensor that holds a part (gate or value); 0 for an ungated tensor.
    pub fn row(&self, part: Part) -> usize {
        let left = match self.op.def().split.as_ref().map(|s| s.gate) {
            Some(Gate::LeftIf(i)) => self.settings[0].attrs[i].as_int() == Some(1),
            gate => gate == Some(Gate::Left),
        };
        match part {
            Part::Whole => 0,
            Part::Gate => !left as usize,
            Part::Value => left as usize,
        }
    }
}
