//! The coefficients of Gaussian tails: of the fits that are right for all 65,536 inputs, or for some
//! hundred thousand of `float`, those with the fewest cycles. A test makes this file again; `BLESS=1` writes it.

use super::tail::{Limit, Side, Tail};
use std::borrow::Cow;

/// gelu in f32.
pub static GELU_F32: Tail = Tail {
    scale: 0.5,
    held: 14.5,
    n: Cow::Borrowed(&[0.0, 12.995666, 9.087086, 2.9211738, 0.39885315]),
    d: Cow::Borrowed(&[25.991337, 38.912052, 23.895737, 7.314347, 1.0]),
    side: Side { above: false, limit: Limit::Line(1.0) },
};

/// gelu in f16.
pub static GELU_F16: Tail = Tail {
    scale: 0.4993031,
    held: 9.0,
    n: Cow::Borrowed(&[0.0, 1.4402472, 0.3622247]),
    d: Cow::Borrowed(&[2.8807604, 3.015584, 1.0]),
    side: Side { above: false, limit: Limit::Line(1.0) },
};

/// gelu in bf16.
pub static GELU_BF16: Tail = Tail {
    scale: 0.499937,
    held: 14.5,
    n: Cow::Borrowed(&[0.0, 1.1655698, 0.38722074]),
    d: Cow::Borrowed(&[2.3326716, 2.6070373, 1.0]),
    side: Side { above: false, limit: Limit::Line(1.0) },
};

/// gelu_grad in f32.
pub static GELU_GRAD_F32: Tail = Tail {
    scale: 0.5,
    held: 14.5,
    n: Cow::Borrowed(&[5.663021, -2.3176508, -4.940778, -2.355183, -0.39888644]),
    d: Cow::Borrowed(&[11.32604, 13.438553, 5.8992934, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// gelu_grad in f16.
pub static GELU_GRAD_F16: Tail = Tail {
    scale: 0.50811785,
    held: 9.0,
    n: Cow::Borrowed(&[-13.391897, 15.173081, 3.511918]),
    d: Cow::Borrowed(&[-26.782032, -12.437409, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// gelu_grad in bf16.
pub static GELU_GRAD_BF16: Tail = Tail {
    scale: 0.49991354,
    held: 14.5,
    n: Cow::Borrowed(&[0.73330754, -0.68430704, -0.3872151]),
    d: Cow::Borrowed(&[1.4641211, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// normal_cdf in f32.
pub static NORMAL_CDF_F32: Tail = Tail {
    scale: 0.5,
    held: 14.5,
    n: Cow::Borrowed(&[12.994513, 9.090313, 2.922376, 0.398855]),
    d: Cow::Borrowed(&[25.989027, 38.916714, 23.902794, 7.3174744, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// normal_cdf in f16.
pub static NORMAL_CDF_F16: Tail = Tail {
    scale: 0.49917826,
    held: 9.0,
    n: Cow::Borrowed(&[1.4660223, 0.35899064]),
    d: Cow::Borrowed(&[2.9322796, 3.0508406, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// normal_cdf in bf16.
pub static NORMAL_CDF_BF16: Tail = Tail {
    scale: 0.49993575,
    held: 14.5,
    n: Cow::Borrowed(&[1.1630633, 0.3872406]),
    d: Cow::Borrowed(&[2.3275378, 2.602507, 1.0]),
    side: Side { above: false, limit: Limit::Number(1.0) },
};

/// erfc in f32.
pub static ERFC_F32: Tail = Tail {
    scale: 1.0,
    held: 10.25,
    n: Cow::Borrowed(&[6.6376243, 6.5257854, 2.9508355, 0.5640564]),
    d: Cow::Borrowed(&[6.6376243, 14.015513, 12.128513, 5.2243047, 1.0]),
    side: Side { above: true, limit: Limit::Number(2.0) },
};

/// erfc in f16.
pub static ERFC_F16: Tail = Tail {
    scale: 0.9984676,
    held: 6.5,
    n: Cow::Borrowed(&[1.4547212, 0.50965816]),
    d: Cow::Borrowed(&[1.4548477, 2.1462078, 1.0]),
    side: Side { above: true, limit: Limit::Number(2.0) },
};

/// erfc in bf16.
pub static ERFC_BF16: Tail = Tail {
    scale: 0.9998697,
    held: 10.25,
    n: Cow::Borrowed(&[1.1648862, 0.5475382]),
    d: Cow::Borrowed(&[1.1655859, 1.8423744, 1.0]),
    side: Side { above: true, limit: Limit::Number(2.0) },
};
