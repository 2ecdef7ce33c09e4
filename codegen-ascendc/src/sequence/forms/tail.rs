//! Gaussian tails: `G(a) = e^(-s a^2) N(a)/D(a)` with `a = |x|`, and what stands on the other side of 0.
//!
//! `s`, `N` and `D` are fitted together, minimax in units of the type, over both sides at once.

use super::{Factors, choice, mask, poly, times};
use crate::sequence::{Compare, Seq, Val};

/// One such form. Coefficients are from `a^0` on.
#[derive(Debug)]
pub struct Tail {
    /// `s`
    pub scale: f64,
    /// Where `a` is held: from there on the limit is reached.
    pub held: f64,
    /// The numerator.
    pub n: &'static [f64],
    /// The denominator, which begins with 1.
    pub d: &'static [f64],
    /// The other side.
    pub side: Side,
}

/// What a tail is joined to.
#[derive(Clone, Copy, Debug)]
pub enum Side {
    /// `max(x, 0) - G`
    Line,
    /// `G` below 0, `1 - G` above.
    One,
    /// `G` above 0, `2 - G` below.
    Two,
}

/// Every coefficient over a number.
const fn over<const N: usize>(mut c: [f64; N], by: f64) -> [f64; N] {
    let mut k = 0;
    while k < N {
        c[k] /= by;
        k += 1;
    }
    c
}

/// Every coefficient times `by * root(2)^k`: what a function of `x` is of `root(2) x`.
const fn stretched<const N: usize>(mut c: [f64; N], mut by: f64) -> [f64; N] {
    let mut k = 0;
    while k < N {
        c[k] *= by;
        by *= core::f64::consts::SQRT_2;
        k += 1;
    }
    c
}

/// gelu in f32: relative error 1.4e-6 in the tail.
pub static GELU: Tail = Tail {
    scale: 0.5,
    held: 14.5,
    n: &[
        0.0,
        12.392_494_209_097_197,
        8.794_691_818_602_233,
        2.861_883_313_268_864,
        0.398_868_020_060_949_24,
    ],
    d: &[
        24.784_994_585_171_57,
        37.364_630_884_080_57,
        23.146_551_538_220_585,
        7.166_974_138_140_222,
        1.0,
    ],
    side: Side::Line,
};

/// In f16: 0.70 ulp.
pub static GELU_F16: Tail = Tail {
    scale: 0.499_315_023_884_489_9,
    held: 14.5,
    n: &[0.0, 1.435_487_389_614_704_5, 0.362_663_464_358_286_6],
    d: &[2.871_292_088_354_712_4, 3.008_456_757_761_733, 1.0],
    side: Side::Line,
};

/// In bf16: 0.68 ulp.
pub static GELU_BF16: Tail = Tail {
    scale: 0.499_937_889_459_958,
    held: 14.5,
    n: &[0.0, 1.160_756_621_124_249, 0.387_371_709_895_059],
    d: &[2.323_471_898_406_237_5, 2.598_194_755_541_856_5, 1.0],
    side: Side::Line,
};

/// gelu' in f32: relative error 1.5e-6 in the tail.
pub static GELU_GRAD: Tail = Tail {
    scale: 0.5,
    held: 15.0,
    n: &[
        5.781_716_796_573_524,
        -2.400_488_340_275_899,
        -5.023_601_658_129_396_5,
        -2.377_807_715_111_633_6,
        -0.398_871_370_102_034_1,
    ],
    d: &[11.563_432_744_736_854, 13.651_651_993_356_584, 5.955_308_256_545_969, 1.0],
    side: Side::One,
};

const SLOPE_F16: f64 = -0.038_564_337_2;
/// In f16: 0.70 ulp.
pub static GELU_GRAD_F16: Tail = Tail {
    scale: 0.508_579_234,
    held: 9.0,
    n: &over([0.500_032_06, -0.567_996_925, -0.129_189_616], SLOPE_F16),
    d: &over([1.0, 0.461_480_872, SLOPE_F16], SLOPE_F16),
    side: Side::One,
};

const SLOPE_BF16: f64 = 0.681_020_708;
/// In bf16: 0.92 ulp.
pub static GELU_GRAD_BF16: Tail = Tail {
    scale: 0.499_907_069,
    held: 15.0,
    n: &over([0.500_854_428, -0.468_131_311, -0.263_479_845], SLOPE_BF16),
    d: &over([1.0, SLOPE_BF16], SLOPE_BF16),
    side: Side::One,
};

const CDF_D: [f64; 5] = [
    2.0,
    2.948_898_844_838_093,
    1.779_949_196_450_112_4,
    0.533_962_039_758_360_8,
    0.071_063_077_898_776_37,
];
const CDF_N: [f64; 5] = [
    1.0,
    0.676_569_428_521_254_7,
    0.213_485_928_527_419_7,
    0.028_326_354_173_631_67,
    5.121_906_959_143_119e-7,
];
/// normal_cdf in f32: 1.6e-7, relative error 1.3e-6 in the tail to -8.
pub static CDF: Tail = Tail {
    scale: 0.5,
    held: 14.2,
    n: &over(CDF_N, CDF_D[4]),
    d: &over(CDF_D, CDF_D[4]),
    side: Side::One,
};

/// erfc in f32: 2.2e-7, relative error 2.5e-6 in the tail to 8. Fitted closest where it is about 1, as every call rounds
/// there; the coefficients are numbers of `float`.
pub static ERFC: Tail = Tail {
    scale: 1.0,
    held: 10.1,
    n: &[
        7.501_115_322_113_037,
        7.036_664_485_931_396_5,
        3.090_155_839_920_044,
        0.563_624_441_623_687_7,
        1.697_350_126_050_878_3e-5,
    ],
    d: &[
        7.501_115_322_113_037,
        15.500_757_217_407_227,
        13.079_979_896_545_41,
        5.463_241_577_148_437_5,
        1.0,
    ],
    side: Side::Two,
};

const CDF_D_F16: [f64; 3] = [1.0, 1.040_873_31, 0.341_476_088];
const CDF_N_F16: [f64; 2] = [0.499_959_461, 0.122_661_427];
/// normal_cdf in f16: 0.67 ulp.
pub static CDF_F16: Tail = Tail {
    scale: 0.499_185_079,
    held: 14.2,
    n: &over(CDF_N_F16, CDF_D_F16[2]),
    d: &over(CDF_D_F16, CDF_D_F16[2]),
    side: Side::One,
};

/// erfc in f16: 0.82 ulp.
pub static ERFC_F16: Tail = Tail {
    scale: 2.0 * 0.499_185_079,
    held: 10.1,
    n: &over(stretched(CDF_N_F16, 2.0), 2.0 * CDF_D_F16[2]),
    d: &over(stretched(CDF_D_F16, 1.0), 2.0 * CDF_D_F16[2]),
    side: Side::Two,
};

const CDF_D_BF16: [f64; 3] = [1.0, 1.118_214_8, 0.429_805_776];
const CDF_N_BF16: [f64; 2] = [0.499_695_501, 0.166_441_522];
/// normal_cdf in bf16: 0.65 ulp.
pub static CDF_BF16: Tail = Tail {
    scale: 0.499_935_687,
    held: 14.2,
    n: &over(CDF_N_BF16, CDF_D_BF16[2]),
    d: &over(CDF_D_BF16, CDF_D_BF16[2]),
    side: Side::One,
};

/// erfc in bf16: 0.65 ulp.
pub static ERFC_BF16: Tail = Tail {
    scale: 2.0 * 0.499_935_687,
    held: 10.1,
    n: &over(stretched(CDF_N_BF16, 2.0), 2.0 * CDF_D_BF16[2]),
    d: &over(stretched(CDF_D_BF16, 1.0), 2.0 * CDF_D_BF16[2]),
    side: Side::Two,
};

impl Tail {
    /// Its sequence, times factors.
    pub fn build(&self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        let size = s.abs(x);
        let a = s.mins(size, self.held);
        let u = s.mul(a, a);
        let n = poly(s, a, u, self.n);
        let exponent = s.muls(u, -self.scale);
        let d = poly(s, a, u, self.d);
        let e = s.exp(exponent);
        let above = s.mul(n, e);
        let tail = s.div(above, d);
        s.named(a, "a = |x|");
        s.named(u, "a^2");
        s.named(n, "N(a)");
        s.named(d, "D(a)");
        s.named(e, "e^(-s a^2)");
        s.named(tail, "G(a)");
        let y = self.join(s, x, tail);
        s.named(y, "f(x)");
        times(s, y, t)
    }

    fn join(&self, s: &mut Seq, x: Val, tail: Val) -> Val {
        let (least, by, sign) = match self.side {
            Side::Line => {
                let line = s.maxs(x, 0.0);
                return s.sub(line, tail);
            }
            Side::One => (1.0, Compare::Gt, 1.0),
            Side::Two => (2.0, Compare::Lt, -1.0),
        };
        let whole = s.splat(least);
        let other = s.sub(whole, tail);
        s.named(other, "the other side");
        if s.arch().long_masks {
            let there = mask(s, x, by, 0.0);
            return choice(s, there, other, tail);
        }
        // The other side is the larger one: without masks of a tile it is cut off by the sign.
        let huge = s.muls(x, sign * 1e18);
        s.named(huge, "the sign, huge");
        let cut = s.min(huge, other);
        s.max(tail, cut)
    }
}
