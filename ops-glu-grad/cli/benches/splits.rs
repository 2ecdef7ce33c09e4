//! Cost of an interleaved split: the gradient of SwiGLU, compared with the same over halves.
//!
//! Results are compared with the graph in f64 before they are timed. Runs are interleaved, since the machine's speed
//! drifts; of each time the minimum and the median are printed.

use op_dsl::ir::DType;
use op_dsl::{Operator, Options};
use op_dsl_cli::{Case, DataKind};
use std::time::{Duration, Instant};

/// SwiGLU over even and odd elements.
#[op_dsl::operators]
pub mod turns {
    use op_dsl::prelude::*;

    /// `y = gate * sigmoid(gate) * value`
    #[op(name = "Turns", grad(name = "TurnsGrad", wrt(x)))]
    pub fn turns(
        #[split(along = dim, interleaved)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.gate * sigmoid(x.gate) * x.value
    }
}

/// Shapes of `x`, and the number of runs per sample.
const SHAPES: [([usize; 2], usize); 2] = [([16, 4096], 20), ([8192, 8192], 1)];
/// Duration of the sampling.
const PATIENCE: Duration = Duration::from_secs(3);

fn named<'o>(operators: &[&'o Operator], name: &str) -> &'o Operator {
    operators.iter().find(|op| op.name() == name).expect("an operator of that name")
}

fn main() {
    let operators =
        [named(ops_glu_grad::OPERATORS, "SwiGluGrad"), named(turns::OPERATORS, "TurnsGrad")];
    let options = Options::default();
    println!("ns per element of dy, least (median)         halves       interleaved      ratio");
    for (shape, runs) in SHAPES {
        for dtype in DType::ALL {
            let mut cases = operators.map(|op| {
                let attrs = op.default_attrs();
                let case = Case::new(op, &attrs, &shape, dtype, DataKind::Normal);
                let mut case = case.expect("tensors");
                case.check(&options).expect("right results");
                case
            });
            let [halves, turns] = times(&mut cases, runs, &options);
            println!(
                "{:>4}x{:<4} {dtype:<5}  {:>23.3} ({:.3}) {:>8.3} ({:.3}) {:>7.2} ({:.2})",
                shape[0],
                shape[1],
                halves[0],
                halves[1],
                turns[0],
                turns[1],
                turns[0] / halves[0],
                turns[1] / halves[1]
            );
        }
    }
}

/// Returns the minimum and the median time of each run, in nanoseconds per element.
fn times<const N: usize>(
    cases: &mut [Case<'_>; N],
    runs: usize,
    options: &Options,
) -> [[f64; 2]; N] {
    let mut times = [const { Vec::new() }; N];
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..runs {
                case.run(options).expect("checked before");
            }
            let elements = (runs * case.elements()) as f64;
            times.push(start.elapsed().as_secs_f64() * 1e9 / elements);
        }
    }
    times.map(|mut t: Vec<f64>| {
        t.sort_by(f64::total_cmp);
        [t[0], t[t.len() / 2]]
    })
}
