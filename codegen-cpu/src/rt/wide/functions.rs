//! Functions that each SIMD level has out of line, so that they are compiled once per level, not per kernel.

use fearless_simd::Simd;

/// Minimum number of `f32` vectors in a step, and the number that out-of-line functions take.
pub const PAIR: usize = 2;

/// A step in f64: two vectors of f64 for each of the `W` vectors of `f32` that the step has.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Wide<S: Simd, const W: usize = PAIR>(pub [[S::f64s; 2]; W]);

/// Passes the list of out-of-line f64 functions to the macro `$use`, after the arguments `$more`.
///
/// Each entry has the module, the module's function of one vector, and the parameters of that function.
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
            erf::erfinv(x);
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
            remainder::rem(x, y);
            gamma::lgamma(x);
            gamma::digamma(x);
            gamma::trigamma(x);
            exact::sigmoid_f64(x);
            exact::tanh_f64(x);
            exact::softplus_f64(x);
            exact::erf_f64(x);
            exact::erfc_f64(x);
            exact::erfinv_f64(x);
            exact::normal_cdf_f64(x);
            exact::gelu_f64(x);
            exact::gelu_grad_f64(x);
            exact::gelu_tanh_f64(x);
            exact::gelu_tanh_grad_f64(x);
            exact::silu_f64(x);
            exact::silu_grad_f64(x);
            exact::sin_f64(x);
            exact::cos_f64(x);
            exact::atan_f64(x);
            exact::powf_f64(x, y);
        }
    };
}
pub(super) use functions;

/// Consecutive vectors in memory, which need not be aligned, or one vector that is read repeatedly.
#[derive(Clone, Copy, Debug)]
pub struct Column<V> {
    /// Address of the first vector.
    pub at: *const V,
    /// Distance from one vector to the next, in vectors: 1, or 0 for a single repeated vector.
    pub pace: usize,
}

impl<V: Copy> Column<V> {
    /// Reads the next vector.
    ///
    /// # Safety
    /// A vector must be left in the column.
    #[inline(always)]
    pub unsafe fn next(&mut self) -> V {
        // SAFETY: the caller vouches for the vector.
        let vector = unsafe { self.at.read_unaligned() };
        self.at = self.at.wrapping_add(self.pace);
        vector
    }
}

macro_rules! declared {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {
        /// Out-of-line functions of f64 vectors: each evaluates all vectors of its columns.
        pub trait Functions: Simd {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane of so many vectors.")]
                ///
                /// # Safety
                /// Each column must have `vectors` vectors, a multiple of four. The results may overwrite one of the columns, and
                /// need not be aligned.
                unsafe fn $name(
                    self,
                    vectors: usize,
                    to: *mut Self::f64s,
                    $($x: Column<Self::f64s>),*
                );
            )*
        }
    };
}
functions!(declared);
