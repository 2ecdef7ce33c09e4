//! Random calls and their results in the Rust implementation.

use crate::common::Random;
use codegen_ascendc::arch::{Arch, SOCS};
use codegen_ascendc::emit::Package;
use codegen_ascendc::plan::Plan;
use codegen_ascendc::tiling::{Machine, Tiling};
use op_dsl::ir::DType;
use op_dsl::ir::bind::{BindError, Bound, TensorMeta, bind};
use op_dsl::ir::op::{AttrKind, Kind, Value};

/// Returns a random UB size in bytes, from 0 to more than any core has.
pub fn ub(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => random.below(2_000) as u64,
        1 => 1_000 + random.below(30_000) as u64,
        2..5 => SOCS[random.below(SOCS.len())].reported_ub(),
        _ => random.bits() >> random.below(64),
    }
}

/// Returns random dimensions of one part: ranks 1 to 8, small and large, at most 2^56 elements.
pub fn domain(random: &mut Random) -> Vec<usize> {
    let rank = 1 + random.below(8);
    let mut left = 1usize << random.below(57);
    let mut dims: Vec<usize> = Vec::new();
    for _ in 0..rank {
        let most = match random.below(4) {
            0 => 4,
            1 => 64,
            2 => 6000,
            _ => left,
        };
        let dim = 1 + random.below(most.min(left));
        left = (left / dim).max(1);
        dims.push(dim);
    }
    let at = random.below(rank);
    dims.swap(0, at);
    if random.below(50) == 0 {
        dims[at] = 0;
    }
    dims
}

/// A call of an operator.
#[derive(Clone)]
pub struct Call {
    pub attrs: Vec<Value>,
    pub inputs: Vec<(Vec<usize>, DType)>,
}

impl Call {
    /// Returns a random valid call of a plan: any split dimension, any other attributes.
    pub fn new(random: &mut Random, package: &Package<'_>, plan: &Plan) -> Call {
        let (def, domain) = (&package.def, domain(random));
        let rank = domain.len();
        let mut attrs: Vec<Value> = def.attrs.iter().map(|a| a.default).collect();
        for (attr, value) in def.attrs.iter().zip(&mut attrs) {
            match attr.kind {
                AttrKind::Dim => *value = Value::Int(random.below(2 * rank) as i64 - rank as i64),
                AttrKind::Bool => *value = Value::Bool(random.below(2) == 1),
                AttrKind::Float => *value = Value::Float(random.below(9) as f64 / 4.0),
                _ => {}
            }
        }
        for &(attr, value) in def.specs[plan.spec].when.iter() {
            attrs[attr] = match def.attrs[attr].kind {
                AttrKind::Bool => Value::Bool(value != 0),
                _ => Value::Int(value),
            };
        }
        let call = Call { attrs, inputs: Vec::new() };
        let dim = call.dim(package, rank);
        let shape = |kind| {
            let mut shape = domain.clone();
            if kind == Kind::Gated {
                shape[dim.expect("gated tensors have a split")] *= 2;
            }
            shape
        };
        let inputs = def.inputs.iter().map(|t| (shape(t.kind), plan.dtype)).collect();
        Call { inputs, ..call }
    }

    /// Returns the split dimension, counted from the outermost.
    pub fn dim(&self, package: &Package<'_>, rank: usize) -> Option<usize> {
        let dim = self.attrs[package.def.split.as_ref()?.dim].as_int()?;
        Some(dim.rem_euclid(rank as i64) as usize)
    }

    /// Binds the call in Rust.
    pub fn bind(&self, def: &op_dsl::ir::op::OpDef) -> Result<Bound, BindError> {
        let meta = |(shape, dtype): &'_ (Vec<usize>, DType)| (shape.clone(), *dtype);
        let inputs: Vec<(Vec<usize>, DType)> = self.inputs.iter().map(meta).collect();
        let metas: Vec<TensorMeta<'_>> = inputs
            .iter()
            .map(|(shape, dtype)| TensorMeta { shape, dtype: (*dtype).into() })
            .collect();
        bind(def, &self.attrs, &metas)
    }
}

/// Returns a machine of an architecture with a random size.
pub fn machine(random: &mut Random, arch: &Arch) -> Machine {
    let cores = 1 + random.below(64) as u32;
    Machine { ub: ub(random), cores, pads: arch.pads }
}

/// Returns a random plan of a package for an architecture, if it has one.
pub fn plan_of<'p>(random: &mut Random, package: &'p Package<'_>, arch: &Arch) -> Option<&'p Plan> {
    let plans: Vec<&Plan> = package.plans_of(arch).collect();
    (!plans.is_empty()).then(|| plans[random.below(plans.len())])
}

/// Formats the tiling as it lies in memory, without the fields after the cut into tiles.
pub fn hex(t: &Tiling) -> String {
    let wide = [t.rows, t.columns, t.pieces, t.share].map(u64::to_le_bytes).concat();
    let sizes = [t.unit_rows, t.unit_columns, t.tile_rows, t.tile_columns];
    let rest = [t.pitch, t.cores, t.big, t.path as u32];
    let narrow: Vec<u8> = [sizes, rest].concat().iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes(&wide) + &bytes(&narrow)
}

/// Formats bytes in hexadecimal.
pub fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
