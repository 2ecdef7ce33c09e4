//! The functions that each level has out of line, compiled once per level and not once per kernel.

use fearless_simd::Simd;

/// How many vectors of `f32` a step has at least: functions out of line are of so many.
pub const PAIR: usize = 2;

/// A step in f64: for each of its vectors of `f32` two.
#[derive(Clone, Copy)]
#[repr(transparent)]
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

/// Vectors in memory.
#[derive(Clone, Copy, Debug)]
pub struct Column<V> {
    /// The first of them.
    pub at: *const V,
    /// From one to the next: 1, or 0 where there is one vector that is read again and again.
    pub pace: usize,
}

impl<V: Copy> Column<V> {
    /// The next vector.
    ///
    /// # Safety
    /// There is one.
    #[inline(always)]
    pub unsafe fn next(&mut self) -> V {
        // SAFETY: the caller vouches for it.
        let vector = unsafe { self.at.read() };
        self.at = self.at.wrapping_add(self.pace);
        vector
    }
}

macro_rules! declared {
    ($($module:ident::$name:ident($($x:ident),*);)*) => {
        /// Functions of columns of vectors.
        pub trait Functions: Simd {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane of so many vectors.")]
                ///
                /// # Safety
                /// The columns have so many vectors. The results may take the place of one of them.
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
