//! The UB requirement of a tile: the buffers of every queue, and temporary ones.

use super::allocate::Allocated;
use crate::arch::Soc;
use crate::sequence::Api;
use crate::tiling::{BLOCK, Footprint, Need};
use op_dsl_ir::op::{Kind, OpDef, Part};
use op_dsl_ir::{DType, Stored};

/// Number of buffers in every queue: two, so that copies and calls overlap.
pub const DEPTH: u64 = 2;

/// Returns the size of the temporary buffers of a plan, in bits per element.
pub(super) fn temporaries(found: &Allocated, soc: &Soc) -> u64 {
    let data = 32 * found.temps + 16 * found.halves;
    data as u64 + found.masks as u64 * soc.arch.mask_bits()
}

/// Returns the UB requirement of a tile, for each way to load rows.
///
/// - `dense`: each stream is loaded by itself.
/// - `small`: rows are so narrow that the queues hold whole rows of gated tensors, with gate and value even where only one is read.
///   Each of the two then has an additional buffer, and so have the offsets by which elements are gathered: 4 bytes per element to
///   split, 8 to join. Where rows are transposed instead, gate and value are in UB once more.
/// - `pairs`: gate and value are interleaved, and calls process these pairs directly, so only the queues are needed.
pub(super) fn need(
    def: &OpDef,
    inputs: &[Option<String>],
    dtype: DType,
    soc: &Soc,
    found: &Allocated,
    pairs: bool,
) -> Need {
    let (size, streams) = (dtype.size() as u64, def.input_streams());
    let read = |k: &usize| inputs[*k].is_some();
    let outs = def.output_streams().len() as u64;
    let select = found.instrs.iter().any(|i| i.api == Api::Select);
    let truths = (0..inputs.len()).filter(|k| read(k) && def.is_mask(*k)).count() as u64;
    // The bits of a tile may end inside a block, so each mask needs one block more.
    let fixed = found.splats.len() as u64 * 256
        + (found.masks as u64 + DEPTH * truths) * BLOCK
        + if select { soc.arch.select_reserve } else { 0 };
    let ins = streams_bits(def, inputs, dtype);
    let dense = DEPTH * (ins + 8 * size * outs) + temporaries(found, soc);
    let (added, reserved) = sums(def, size, soc, select);
    let (dense, fixed) = (dense + added, fixed + reserved);

    // For each gated input that is read, the number of its parts that are read.
    let parts = |t: usize| {
        let of = |k: &usize| streams[*k].tensor == t && streams[*k].part != Part::Whole;
        (0..streams.len()).filter(|k| of(k) && read(k)).count() as u64
    };
    let parts: Vec<u64> = (0..def.inputs.len()).map(parts).filter(|n| *n > 0).collect();
    let joined = def.outputs.iter().filter(|t| t.kind == Kind::Gated).count() as u64;
    let rows = dense + parts.iter().map(|n| 2 - n).sum::<u64>() * DEPTH * 8 * size;
    let offsets = if parts.is_empty() { 0 } else { 32 } + if joined > 0 { 64 } else { 0 };
    let offsets = if soc.arch.gathers { offsets } else { 0 };
    let turned = if soc.arch.pads { 0 } else { 2 * 8 * size };
    let apart = rows + (parts.len() as u64 + joined) * 2 * 8 * size + offsets.max(turned);

    let footprint = |bits: u64| Footprint { fixed, bits };
    let of_rows = |bits: u64| def.split.as_ref().map(|_| footprint(bits));
    // Rows of mask bytes have other gaps than rows of numbers, so tiles with several rows need them without gaps.
    let even = if truths > 0 { BLOCK } else { 1 };
    Need {
        size,
        dense: footprint(dense),
        small: of_rows(apart),
        pairs: of_rows(if pairs { rows } else { apart }),
        even,
        gathers: soc.arch.gathers,
        rows: None,
    }
}

/// Returns the additional bits per element and bytes of an operator with sums.
///
/// These are a copy of each input that may be broadcast, two `float` of each sum, three work buffers, and mask bits by which NaN is
/// selected.
fn sums(def: &OpDef, size: u64, soc: &Soc, select: bool) -> (u64, u64) {
    if def.sums.is_empty() {
        return (0, 0);
    }
    let shared =
        def.input_streams().iter().filter(|s| !def.wide.contains(&s.tensor)).count() as u64;
    let sums = def.output_streams().iter().filter(|s| def.sum(s.tensor).is_some()).count() as u64;
    let reserved = if select { 0 } else { soc.arch.select_reserve };
    (8 * size * shared + 64 * sums + 96 + 1, reserved + BLOCK)
}

/// Returns the bits per element of the input streams that are read.
pub(super) fn streams_bits(def: &OpDef, inputs: &[Option<String>], dtype: DType) -> u64 {
    let bits = |k: usize| match def.is_mask(k) {
        true if def.masks() == Stored::Bit => 1,
        true => 8,
        false => 8 * dtype.size() as u64,
    };
    (0..inputs.len()).filter(|k| inputs[*k].is_some()).map(bits).sum()
}
