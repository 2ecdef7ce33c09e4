//! The operators of rows in f64, by hand.

/// A number and the sum of the magnitudes that it is a sum of, whose units in the last place errors are measured in.
pub type Sized = (f64, f64);

/// Inputs of one row in the order of the operator, one vector each.
pub type Row<'r> = &'r [Vec<f64>];

/// Returns the units in the last place of f32 that a result may be off.
pub fn budget(name: &str) -> f64 {
    match name {
        // Values of tables and of rows meet in a product: see "Products" in docs/promises.md.
        "GatedNorm" => 2.5,
        _ => 2.0,
    }
}

pub fn mean(values: impl Iterator<Item = f64>, n: usize) -> f64 {
    values.sum::<f64>() / n as f64
}

fn exponentials(x: &[f64]) -> (Vec<f64>, f64, f64) {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let e: Vec<f64> = x.iter().map(|x| libm::exp(x - largest)).collect();
    let sum = e.iter().sum();
    (e, largest, sum)
}

/// Returns the outputs of a row; those that are summed over rows are the row's part.
pub fn reference(name: &str, row: Row<'_>) -> Vec<Vec<Sized>> {
    let n = row[0].len();
    let one = |f: &dyn Fn(usize) -> Sized| (0..n).map(f).collect::<Vec<Sized>>();
    let exact = |f: &dyn Fn(usize) -> f64| one(&|i| (f(i), f(i).abs()));
    match name {
        "Softmax" => {
            let (e, _, sum) = exponentials(&row[0]);
            vec![exact(&|i| e[i] / sum)]
        }
        "SoftmaxGrad" => {
            let (dy, (e, _, sum)) = (&row[0], exponentials(&row[1]));
            let all: f64 = (0..n).map(|i| dy[i] * e[i] / sum).sum();
            let size: f64 = (0..n).map(|i| (dy[i] * e[i] / sum).abs()).sum();
            vec![one(&|i| (e[i] / sum * (dy[i] - all), e[i] / sum * (dy[i].abs() + size)))]
        }
        "LogSoftmax" => {
            let (_, largest, sum) = exponentials(&row[0]);
            let log = libm::log(sum);
            vec![one(&|i| (row[0][i] - largest - log, (row[0][i] - largest).abs() + log))]
        }
        "LogSoftmaxGrad" => {
            let (dy, (e, _, sum)) = (&row[0], exponentials(&row[1]));
            let all: f64 = dy.iter().sum();
            let size: f64 = dy.iter().map(|dy| dy.abs()).sum();
            vec![one(&|i| (dy[i] - e[i] / sum * all, dy[i].abs() + e[i] / sum * size))]
        }
        "RmsNorm" => {
            let (x, gamma) = (&row[0], &row[1]);
            let r = 1.0 / (mean(x.iter().map(|x| x * x), n) + f64::from(1e-6f32)).sqrt();
            vec![exact(&|i| x[i] * r * gamma[i])]
        }
        "RmsNormGrad" => {
            let [dy, x, gamma] = [&row[0], &row[1], &row[2]];
            let r = 1.0 / (mean(x.iter().map(|x| x * x), n) + f64::from(1e-6f32)).sqrt();
            let terms = || (0..n).map(|i| dy[i] * gamma[i] * x[i]);
            let (all, size) = (mean(terms(), n), mean(terms().map(f64::abs), n));
            let dx = one(&|i| {
                let (own, other) = (r * dy[i] * gamma[i], x[i] * r * r * r);
                (own - other * all, own.abs() + other.abs() * size)
            });
            vec![dx, exact(&|i| dy[i] * x[i] * r)]
        }
        "GatedNorm" | "GatedNormGrad" => {
            let [.., a, gate] = row else { panic!("inputs") };
            let s = |i: usize| gate[i] / (1.0 + libm::exp(-gate[i]));
            let y = |i: usize| a[i] * s(i);
            let r = 1.0 / (mean((0..n).map(|i| y(i) * y(i)), n) + 1e-6).sqrt();
            if name == "GatedNorm" {
                return vec![exact(&|i| y(i) * r)];
            }
            let dy = &row[0];
            let terms = || (0..n).map(|i| dy[i] * y(i));
            let (all, size) = (mean(terms(), n), mean(terms().map(f64::abs), n));
            vec![one(&|i| {
                let (own, other) = (dy[i] * r, y(i) * r * r * r);
                (s(i) * (own - other * all), s(i).abs() * (own.abs() + other.abs() * size))
            })]
        }
        "LayerNorm" | "LayerNormGrad" => {
            let is_forward = name == "LayerNorm";
            let x = if is_forward { &row[0] } else { &row[1] };
            let gamma = if is_forward { &row[1] } else { &row[2] };
            let centre = mean(x.iter().copied(), n);
            let variance = mean(x.iter().map(|x| (x - centre) * (x - centre)), n);
            let r = 1.0 / (variance + f64::from(1e-5f32)).sqrt();
            let centred = |i: usize| (x[i] - centre) * r;
            let size = |i: usize| (x[i].abs() + centre.abs()) * r;
            if is_forward {
                let beta = &row[2];
                return vec![one(&|i| {
                    let sized = (size(i) * gamma[i]).abs() + beta[i].abs();
                    (centred(i) * gamma[i] + beta[i], sized)
                })];
            }
            let dy = &row[0];
            let g = |i: usize| dy[i] * gamma[i];
            let (all, along) = (mean((0..n).map(g), n), mean((0..n).map(|i| g(i) * centred(i)), n));
            let sizes = mean((0..n).map(|i| g(i).abs()), n);
            let sizes_along = mean((0..n).map(|i| g(i).abs() * size(i)), n);
            let dx = one(&|i| {
                let sized = g(i).abs() + sizes + size(i) * sizes_along;
                (r * (g(i) - all - centred(i) * along), r * sized)
            });
            let dgamma = one(&|i| (dy[i] * centred(i), dy[i].abs() * size(i)));
            vec![dx, dgamma, exact(&|i| dy[i])]
        }
        "Divergence" => {
            let term = |i: usize| row[0][i] * libm::log(row[0][i] / row[1][i]);
            let (sum, size) = (0..n).map(term).fold((0.0, 0.0), |(s, a), t| (s + t, a + t.abs()));
            vec![one(&|_| (sum, size))]
        }
        "Scaled" | "ScaledGrad" => {
            let x = row.last().expect("inputs");
            let term = |i: usize| 0.25 * x[i].abs();
            let largest = (0..n).map(term).fold(f64::NEG_INFINITY, f64::max);
            if name == "Scaled" {
                return vec![exact(&|i| x[i] / largest)];
            }
            let dy = &row[0];
            let ties = (0..n).filter(|i| term(*i) == largest).count() as f64;
            let adjoint: f64 = (0..n).map(|i| -dy[i] * x[i] / (largest * largest)).sum();
            let size: f64 = (0..n).map(|i| (dy[i] * x[i] / (largest * largest)).abs()).sum();
            vec![one(&|i| {
                let share = if term(i) == largest { 0.25 / ties * x[i].signum() } else { 0.0 };
                (dy[i] / largest + share * adjoint, (dy[i] / largest).abs() + share.abs() * size)
            })]
        }
        "FakeQuant" | "FakeQuantGrad" => {
            let x = row.last().expect("inputs");
            let largest = x.iter().map(|x| x.abs()).fold(f64::NEG_INFINITY, f64::max);
            let scale = largest / 7.0;
            // Where f32 may decide otherwise, no result is compared.
            let is_tie = |i: usize| ((x[i] / scale).abs().fract() - 0.5).abs() < 1e-5;
            let q = |i: usize| (x[i] / scale).round_ties_even();
            if name == "FakeQuant" {
                return vec![exact(&|i| if is_tie(i) { f64::NAN } else { q(i) * scale })];
            }
            let dy = &row[0];
            let ties = x.iter().filter(|x| x.abs() == largest).count() as f64;
            let by_scale = |i: usize| dy[i] * (q(i) - x[i] / scale);
            let sum: f64 = (0..n).map(by_scale).sum();
            let size: f64 = (0..n).map(|i| by_scale(i).abs()).sum();
            vec![one(&|i| {
                let is_largest = x[i].abs() == largest;
                let share = if is_largest { x[i].signum() / (7.0 * ties) } else { 0.0 };
                let is_unknown = is_largest && (0..n).any(is_tie);
                let own = if is_unknown { f64::NAN } else { dy[i] };
                (own + share * sum, dy[i].abs() + share.abs() * size)
            })]
        }
        "Masked" => {
            let e = |i: usize| if row[1][i] != 0.0 { libm::exp(row[0][i]) } else { 0.0 };
            let sum: f64 = (0..n).map(e).sum();
            vec![exact(&|i| e(i) / sum)]
        }
        other => panic!("no reference of {other}"),
    }
}
