//! Detection of numbers in a formula that are nearly a well-known constant.
//!
//! A note tells the author, who may have truncated the constant.

use op_dsl_ir::{Graph, Node};
use std::f64::consts::*;

/// Constants of activation functions: the name to show, and the value.
const KNOWN: &[(&str, f64)] = &[
    ("sqrt(2/pi)", 0.797_884_560_802_865_4),
    ("2 sqrt(2/pi)", 1.595_769_121_605_730_7),
    ("sqrt(pi/2)", 1.253_314_137_315_500_3),
    ("1/sqrt(2 pi)", 0.398_942_280_401_432_7),
    ("sqrt(2 pi)", 2.506_628_274_631_000_5),
    ("1/sqrt(2)", FRAC_1_SQRT_2),
    ("sqrt(2)", SQRT_2),
    ("sqrt(3)", 1.732_050_807_568_877_2),
    ("2/sqrt(pi)", FRAC_2_SQRT_PI),
    ("1/sqrt(pi)", 0.564_189_583_547_756_3),
    ("sqrt(pi)", 1.772_453_850_905_516),
    ("pi", PI),
    ("2 pi", TAU),
    ("pi/2", FRAC_PI_2),
    ("pi/3", FRAC_PI_3),
    ("pi/4", FRAC_PI_4),
    ("1/pi", FRAC_1_PI),
    ("2/pi", FRAC_2_PI),
    ("e", E),
    ("ln 2", LN_2),
    ("ln 10", LN_10),
    ("1/ln 2", LOG2_E),
    ("1/ln 10", LOG10_E),
    ("selu's alpha", 1.673_263_242_354_377_2),
    ("selu's scale", 1.050_700_987_355_480_5),
    ("1/3", 1.0 / 3.0),
    ("2/3", 2.0 / 3.0),
    ("1/6", 1.0 / 6.0),
];

/// Relative distances from a known constant at which a number is probably that constant, truncated.
///
/// A number nearer than the first is the constant itself, one further away than the second is unrelated to it.
const NEAR: (f64, f64) = (4.0 * f64::EPSILON, 1e-4);

/// Returns one line for every number of a graph that is probably a truncated constant, such as 1/3.
pub fn notes(graph: &Graph) -> Vec<String> {
    let mut notes: Vec<String> = graph.nodes.iter().filter_map(note).collect();
    notes.dedup();
    notes
}

fn note(node: &Node) -> Option<String> {
    let Node::Const(c) = *node else { return None };
    let distance = |known: f64| (c.abs() / known - 1.0).abs();
    let (name, known) = KNOWN
        .iter()
        .copied()
        .filter(|(_, known)| (NEAR.0..NEAR.1).contains(&distance(*known)))
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
    let away = distance(known);
    Some(format!("{c} is computed as written; {name} = {known} is {away:.0e} away"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn a_constant_cut_short_is_noted_and_no_other_is() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let mut sum = x;
        for c in [0.797_884_560_8, FRAC_1_SQRT_2, 1.702, -0.333_333_333, 0.5, 0.044_715] {
            let term = b.scaled(c, sum);
            sum = b.sum(term, x);
        }
        let notes = notes(&b.finish(&[sum]));
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].contains("sqrt(2/pi) = 0.7978845608028654"), "{notes:?}");
        assert!(notes[1].contains("1/3"), "{notes:?}");
    }
}
