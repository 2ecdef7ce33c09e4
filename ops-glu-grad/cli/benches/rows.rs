//! Cost of functions of rows: softmax, norms and their gradients beside a floor that moves the same bytes.
//!
//! Results are compared with the graphs in f64 before they are timed.

use op_dsl::ir::DType;
use op_dsl::{Level, Operator, Options};
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

    /// `y = silu(gate) * value` in eight bits, with a scale for each row.
    #[op(name = "SwiGluQuant", outputs(y, scale))]
    pub fn swi_glu_quant(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem<i8>, PerRow<f32>) {
        let y = silu(x.gate) * x.value;
        let scale = row_max(abs(y)) / 127.0;
        (y / scale, scale)
    }
}

/// Shapes of the tensors: long rows in memory and in a cache, rows that end within a step, and short rows.
const SHAPES: [[usize; 2]; 4] = [[4096, 4096], [64, 4096], [16384, 1000], [65536, 64]];

fn main() {
    // Cargo passes options such as `--bench`; every other argument must be a part of a case's name.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let levels = [Level::Avx512, Level::Avx2, Level::Neon];
    println!("ns per element, least of one thread                         time    floor    ratio");
    for level in levels.into_iter().filter(|level| level.is_available()) {
        for shape in SHAPES {
            for dtype in DType::ALL {
                for op in layers::OPERATORS {
                    let [rows, columns] = shape;
                    let name = {
                        let (op, level) = (op.name(), level.name());
                        format!("{op:<12} {dtype:<5} {rows}x{columns} {level}")
                    };
                    if wanted.iter().all(|part| name.split_whitespace().any(|word| word == part)) {
                        run(op, &name, shape, dtype, level);
                    }
                }
            }
        }
    }
}

/// Checks and times one case, and prints its times.
fn run(op: &Operator, name: &str, shape: [usize; 2], dtype: DType, level: Level) {
    let options = Options { threads: 1, level: Some(level), ..Options::default() };
    let case = Case::new(op, &op.default_attrs(), &shape, dtype, DataKind::Normal);
    let mut case = case.expect("tensors");
    case.check(&options).expect("right results");
    let [time, floor] = case.time(&options, None).expect("checked before").map(|t| t.least);
    println!("{name:<56} {time:>7.3} {floor:>8.3} {:>8.2}", floor / time);
}
