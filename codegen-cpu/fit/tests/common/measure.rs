//! Comparison of a table's model with the reference values of a function.

use super::Case;
use op_dsl_fit::{Element, Table};

#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Largest error, in units in the last place.
    pub ulp: f64,
    pub at: f32,
    /// Share of results that are the nearest number of the type.
    ///
    /// The share is among the inputs in the table, or in 16 bits among all inputs.
    pub right: f64,
    pub wrong: u32,
    pub inside: u32,
}

/// Least unit of errors within a half of a zero, because differences have no more digits than the argument.
const FLAT: f64 = 1.0 / (1u32 << 30) as f64;

const TIE: f64 = 1e-6;

pub fn measure(
    case: &Case,
    roots: &[f64],
    table: &Table,
    element: Element,
    inputs: impl Iterator<Item = f32>,
) -> Measured {
    let [m] = measure_all(case, roots, [table], element, inputs);
    m
}

/// Measures several tables, with the reference of each input computed once.
pub fn measure_all<const N: usize>(
    case: &Case,
    roots: &[f64],
    tables: [&Table; N],
    element: Element,
    inputs: impl Iterator<Item = f32>,
) -> [Measured; N] {
    let mut all = [Measured::default(); N];
    let flat = if element == Element::F32 { FLAT } else { 0.0 };
    for x in inputs {
        let [low, high] = case.domain;
        if !x.is_finite() || (x as f64) < low || x as f64 > high {
            continue;
        }
        let found = tables.map(|table| table.eval(x));
        if found.iter().all(Option::is_none) {
            continue;
        }
        let truth = case.truth(x as f64);
        let want = element.round(truth);
        for (m, got) in all.iter_mut().zip(found) {
            let Some(got) = got else { continue };
            m.inside += 1;
            let got = element.round(got as f64);
            // The reference has an error too, so that close to halfway both neighbours are correct.
            if got == want || (got - truth).abs() <= element.ulp(truth) * (0.5 + TIE) {
                continue;
            }
            m.wrong += 1;
            let near = roots.iter().any(|r| (x as f64 - r).abs() < 0.5);
            let unit = element.ulp(truth).max(if near { flat } else { 0.0 });
            // In 16 bits, the difference of two numbers of the type.
            let error = (got - if element == Element::F32 { truth } else { want }).abs() / unit;
            if error > m.ulp || error.is_nan() {
                (m.ulp, m.at) = (error, x);
            }
        }
    }
    for m in &mut all {
        let all = if element == Element::F32 { m.inside } else { 1 << 16 };
        m.right = 1.0 - m.wrong as f64 / all as f64;
    }
    all
}

/// Returns inputs at all exponents, and more of those near one.
///
/// They are five million divided by `thin`; if that is 0, a hundred million.
pub fn strided(thin: usize) -> impl Iterator<Item = f32> {
    let (all, near) = if thin == 0 { (61, 3) } else { (1021 * thin, 61 * thin) };
    let all = (0..=u32::MAX).step_by(all);
    let near = (0x3d80_0000..0x4280_0000u32).step_by(near).flat_map(|b| [b, b | 1 << 31]);
    all.chain(near).map(f32::from_bits)
}
