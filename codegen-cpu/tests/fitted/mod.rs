//! What tests of fitted tables have in common.

use codegen_cpu::rt::math::univariate::Column;

/// A column that lasts as long as the program.
pub fn lasts<const N: usize>(column: Column<N>) -> &'static Column<N> {
    Box::leak(Box::new(column))
}

/// Every exponent, a table's ends, NaN and infinities, both signs.
pub fn inputs(ends: [f32; 2]) -> Vec<f32> {
    let strided = (0..1u64 << 32).step_by(65_521).map(|bits| f32::from_bits(bits as u32));
    let dense = (0..40_000).map(|i| -20.0 + i as f32 * 0.001_003);
    let ends = ends.into_iter().chain([0.0, -0.0, f32::INFINITY, f32::NAN]);
    let around = ends.flat_map(|x| [x, x.next_up(), x.next_down(), -x]);
    strided.chain(dense).chain(around).collect()
}
