//! Vector maths with stated ULP budgets, generic over the SIMD level.

pub mod activation;
mod coeffs_half;
mod coeffs_narrow;
mod coeffs_tail;
mod coeffs_wide;
mod erf;
mod exp;
mod log;
mod minmax;
mod mul3;
mod poly;
mod softplus;
mod table;
mod tail;
mod tanh;

pub use erf::{erf, erfc};
pub use exp::{exp, expm1};
pub use log::{ln, log1p};
pub use minmax::{max, min};
pub use mul3::mul3;
pub use softplus::softplus;
pub use tanh::tanh;
