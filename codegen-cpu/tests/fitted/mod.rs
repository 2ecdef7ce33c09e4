//! Helpers shared by the tests of fitted tables.

use codegen_cpu::rt::math::univariate::Column;

/// Leaks a column, so that it lives as long as the program.
pub fn lasts<const N: usize>(column: Column<N>) -> &'static Column<N> {
    Box::leak(Box::new(column))
}

/// Samples of every exponent and both signs, a table's ends and their neighbours, NaN and infinities.
pub fn inputs(ends: [f32; 2]) -> Vec<f32> {
    let strided = (0..1u64 << 32).step_by(65_521).map(|bits| f32::from_bits(bits as u32));
    let dense = (0..40_000).map(|i| -20.0 + i as f32 * 0.001_003);
    let ends = ends.into_iter().chain([0.0, -0.0, f32::INFINITY, f32::NAN]);
    let around = ends.flat_map(|x| [x, x.next_up(), x.next_down(), -x]);
    strided.chain(dense).chain(around).collect()
}
