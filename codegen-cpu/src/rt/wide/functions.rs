//! The functions that each level has out of line, compiled once per level and not once per kernel.

use fearless_simd::Simd;

/// How many vectors of `f32` a step has at least: functions out of line are of so many.
pub const PAIR: usize = 2;

/// A step in f64: for each of its vectors of `f32` two.
#[derive(Clone, Copy)]
pub struct Wide<S: Simd, const W: usize = PAIR>(pub [[S::f64s; 2]; W]);

/// Passes the functions on to a macro, after what else it is given: each with its file, the function of one vector there,
/// and its parameters.
macro_rules! functions {
    ($use:ident $($more:tt)*) => {
        $use! {
            $($more)*
            exp::exp(x);
            exp::expm1(x);
            exp::sigmoid(x);
            exp::tanh(x);
            log::ln(x);
            log::log1p(x);
            log::softplus(x);
            erf::erf(x);
            erf::erfc(x);
            erf::normal_cdf(x);
            gates::gelu(x);
            gates::gelu_grad(x);
            gates::gelu_tanh(x);
            gates::gelu_tanh_grad(x);
            gates::silu(x);
            gates::silu_grad(x);
            circle::sin(x);
            circle::cos(x);
            circle::atan(x);
            powf::powf(x, y);
        }
    };
}
pub(super) use functions;

macro_rules! declared {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {
        /// Functions of a pair of vectors.
        pub trait Functions: Simd {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                fn $name(self, $($x: Wide<Self>),*) -> Wide<Self>;
            )*
        }
    };
}
functions!(declared);
