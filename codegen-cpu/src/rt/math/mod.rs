//! Vector maths with stated ULP budgets, generic over the SIMD level.

mod erf;
mod exp;
mod log;
mod minmax;
mod poly;
mod softplus;
mod tanh;

pub use erf::{erf, erfc};
pub use exp::{exp, expm1};
pub use log::{ln, log1p};
pub use minmax::{max, min};
pub use softplus::softplus;
pub use tanh::tanh;
