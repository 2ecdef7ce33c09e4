//! The coefficients of Gaussian tails: of the fits that are right for all 65,536 inputs, or for some
//! hundred thousand of `float`, those with the fewest cycles. A test makes this file again; `BLESS=1` writes it.

use super::tail::{Limit, Side, Tail};
use std::borrow::Cow;

/// gelu in f32.
pub static GELU_F32: Tail = Tail {
    scale: 0.5,
    held: 14.5,
    n: Cow::Borrowed(&[0.0, 13.000268, 9.0898075, 2.9217753, 0.3988534]),
    d: Cow::Borrowed(&[26.000542, 38.924847, 23.902525, 7.3158646, 1.0]),
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
    n: Cow::Borrowed(&[5.544605, -2.2326586, -4.8600883, -2.3341935, -0.39889657]),
    d: Cow::Borrowed(&[11.089209, 13.230583, 5.8472967, 1.0]),
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
    n: Cow::Borrowed(&[12.814247, 9.01069, 2.907336, 0.39886326]),
    d: Cow::Borrowed(&[25.628496, 38.46983, 23.696304, 7.280376, 1.0]),
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
    n: Cow::Borrowed(&[6.6149993, 6.512108, 2.9472544, 0.56405985]),
    d: Cow::Borrowed(&[6.6149993, 13.976308, 12.103306, 5.2180805, 1.0]),
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
