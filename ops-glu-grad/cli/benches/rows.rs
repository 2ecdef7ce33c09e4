//! Cost of functions of rows: softmax, norms and their gradients beside a floor that moves the same bytes.
//!
//! Results are compared with the graphs in f64 before they are timed.

use op_dsl::Options;
use op_dsl::ir::DType;
use op_dsl_cli::{Case, DataKind};

/// Layers whose elements depend on whole rows.
#[op_dsl::operators]
pub mod layers {
    use op_dsl::prelude::*;

    /// `y = exp(x) / sum(exp(x))`
    #[op(name = "Softmax", grad(name = "SoftmaxGrad", wrt(x)))]
    pub fn softmax(x: Elem) -> Elem {
        let e = exp(x - row_max(x));
        e / row_sum(e)
    }

    /// `y = x - ln(sum(exp(x)))`
    #[op(name = "LogSoftmax")]
    pub fn log_softmax(x: Elem) -> Elem {
        let shifted = x - row_max(x);
        shifted - ln(row_sum(exp(shifted)))
    }

    /// `y = x / sqrt(mean(x^2)) * gamma`
    #[op(name = "RmsNorm", grad(name = "RmsNormGrad", wrt(x)))]
    pub fn rms_norm(x: Elem, #[broadcast] gamma: Elem, #[attr(default = 1e-6)] eps: f32) -> Elem {
        x * rsqrt(row_mean(x * x) + eps) * gamma
    }

    /// `y = (x - mean(x)) / sqrt(variance(x)) * gamma + beta`
    #[op(name = "LayerNorm")]
    pub fn layer_norm(
        x: Elem,
        #[broadcast] gamma: Elem,
        #[broadcast] beta: Elem,
        #[attr(default = 1e-5)] eps: f32,
    ) -> Elem {
        let centred = x - x.row_mean();
        centred * rsqrt(row_mean(centred * centred) + eps) * gamma + beta
    }
}

fn main() {
    let options = Options { threads: 1, ..Options::default() };
    println!("ns per element, least of one thread                         time    floor    ratio");
    for shape in [[4096, 4096], [65536, 64]] {
        for dtype in DType::ALL {
            for op in layers::OPERATORS {
                let case = Case::new(op, &op.default_attrs(), &shape, dtype, DataKind::Normal);
                let mut case = case.expect("tensors");
                case.check(&options).expect("right results");
                let [time, floor] =
                    case.time(&options, None).expect("checked before").map(|t| t.least);
                let shape = format!("{}x{}", shape[0], shape[1]);
                println!(
                    "{:<12} {dtype:<5} {shape:<40} {time:>7.3} {floor:>8.3} {:>8.2}",
                    op.name(),
                    floor / time
                );
            }
        }
    }
}
