//! Deterministic input data.

use crate::args::DataKind;
use crate::array::Array;
use crate::error::Error;
use op_dsl_ir::DType;
use op_dsl_ir::op::{Kind, Tensor};
use std::f64::consts::TAU;

/// Maximum number of values in a [`Pool`] before they repeat. It is prime, because rows of a tensor would be equal otherwise.
const POOL: usize = 1_048_573;
/// Standard deviation of `--data wide`.
const WIDE: f64 = 3.0;
/// Range of `--data tail`, where every function is evaluated by its tail, outside of its table's range.
const TAIL: (f64, f64) = (-10.0, -8.1);

/// A small generator of 64-bit numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number uniformly from (0, 1].
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Draws a number from N(0, 1) by the Box-Muller transform.
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(TAU * v)
    }
}

/// A list of random values that fills tensors, repeated as often as needed.
pub struct Pool {
    values: Vec<f32>,
    next: usize,
}

impl Pool {
    fn new(len: usize, mut draw: impl FnMut(&mut Random) -> f64) -> Pool {
        let mut random = Random(0x0b5e_55ed);
        let values = (0..len.min(POOL)).map(|_| draw(&mut random) as f32).collect();
        Pool { values, next: 0 }
    }

    /// Returns a pool of values drawn from N(0, 1), at most `len` of them.
    pub fn normal(len: usize) -> Pool {
        Pool::normal_of(1.0, len)
    }

    /// Returns a pool of values drawn from N(0, `scale`²), at most `len` of them.
    pub fn normal_of(scale: f64, len: usize) -> Pool {
        Pool::new(len, |r| scale * r.normal())
    }

    /// Returns a pool of activations with the distribution `data`, at most `len` of them.
    pub fn of(data: DataKind, len: usize) -> Pool {
        match data {
            DataKind::Normal => Pool::normal(len),
            DataKind::Wide => Pool::normal_of(WIDE, len),
            DataKind::Tail => Pool::new(len, |r| TAIL.0 + (TAIL.1 - TAIL.0) * r.uniform()),
        }
    }

    /// Returns a tensor filled from the pool; a mask is true where the pool's value is above 0.
    pub fn array(&mut self, of: &Tensor, dtype: DType, shape: &[usize]) -> Result<Array, Error> {
        let number = |v: f32| if of.kind == Kind::Mask { f32::from(v > 0.0) } else { v };
        Array::filled(of.stored(dtype), shape, || number(self.draw()))
    }

    pub fn draw(&mut self) -> f32 {
        let value = self.values.get(self.next).copied().unwrap_or_default();
        self.next = if self.next + 1 >= self.values.len() { 0 } else { self.next + 1 };
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_pool_has_mean_0_variance_1() {
        let mut pool = Pool::normal(100_000);
        let values: Vec<f64> = (0..100_000).map(|_| f64::from(pool.draw())).collect();
        let mean = values.iter().sum::<f64>() / 1e5;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn tail_stays_in_the_tail() {
        let mut pool = Pool::of(DataKind::Tail, 1000);
        assert!((0..3000).map(|_| pool.draw()).all(|v| (-10.0..=-8.1).contains(&v)));
    }
}
